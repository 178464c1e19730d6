//! Whose remaining way comes near another's?
//!
//! Around the rest of each body's way there is a box. Those of the start of the tick are in trees that
//! are kept from tick to tick, in which only what has changed is put anew ([`FixedBoxes`]). A body
//! whose motion changes goes on a list, which is looked through from end to end, for it is short: when
//! [`RECENT_MAX`] are on it they are put in the trees. So a search costs time for the depth of the
//! trees, the list and what is near, not for all bodies. So few bodies that the list holds them all
//! are in no tree.
//!
//! The boxes in the trees may be old; what they tell is always compared with the box as it is.

use super::scene::Convex;
use super::sub_steps::until_end;
use crate::broadphase::FixedBoxes;
use crate::geom::{Aabb, Motion};
use crate::par::{self, Threads};
use crate::store::{FixedColumns, Row};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// How many boxes are looked through one by one.
const RECENT_MAX: usize = 256;
/// Bodies of one piece of work.
const CHUNK: usize = 1024;
/// Where this part of the boxes has changed, or more, the trees are built anew.
const CHANGED: f64 = 0.25;
/// Not on the list.
const NOWHERE: u32 = u32::MAX;

/// The boxes around what is left of the ways of all bodies.
#[derive(Debug, Default)]
pub(super) struct Near {
    /// Of each row, if it is a body.
    boxes: Vec<Option<Aabb>>,
    /// How far apart two boxes may be and yet be near.
    apart: f32,
    trees: FixedBoxes,
    /// What was put in the trees last.
    kept: Vec<Option<Aabb>>,
    /// Whether the trees and the list hold this tick's boxes.
    is_built: bool,
    /// Rows whose boxes are not in the trees.
    recent: Vec<u32>,
    /// Of each row where it is on that list.
    places: Vec<u32>,
    columns: [Vec<f32>; 6],
}

impl Near {
    /// The bodies at the start of a tick. Whose skins touch is near.
    pub(super) fn start(&mut self, bodies: &[Convex<'_>], skin: f32, threads: &Threads) {
        self.apart = (skin + skin).next_up();
        self.boxes.resize(bodies.len(), None);
        par::fill_chunks(threads, &mut self.boxes, CHUNK, |start, boxes| {
            for (out, body) in boxes.iter_mut().zip(&bodies[start..]) {
                *out = around(body, 0.0);
            }
        });
        self.trees.set_threads(threads.clone());
        self.is_built = false;
    }

    /// Whether a row is a body that has a box.
    pub(super) fn has(&self, row: usize) -> bool {
        self.boxes[row].is_some()
    }

    /// The body of this row is none, before anything is asked.
    pub(super) fn drop(&mut self, row: usize) {
        self.boxes[row] = None;
    }

    /// The body of this row goes on like this from `since` on.
    pub(super) fn set(&mut self, row: usize, body: &Convex<'_>, since: f32) {
        self.boxes[row] = around(body, since);
        if self.is_built && self.places[row] == NOWHERE {
            self.places[row] = self.recent.len() as u32;
            self.recent.push(row as u32);
        }
    }

    /// Writes the rows that come near to a row, but itself, in any order.
    pub(super) fn of(&mut self, row: usize, near: &mut Vec<usize>) {
        near.clear();
        let Some(mut around) = self.boxes[row] else { return };
        self.build();
        for axis in 0..3 {
            around.min[axis] = (around.min[axis] - self.apart).next_down();
            around.max[axis] = (around.max[axis] + self.apart).next_up();
        }
        let Self { boxes, trees, recent, places, .. } = self;
        let mut see = |other: u32| {
            let other = other as usize;
            if other != row && boxes[other].is_some_and(|of| of.overlaps(&around)) {
                near.push(other);
            }
        };
        recent.iter().for_each(|&other| see(other));
        if trees.is_empty() {
            return;
        }
        // Past the greatest coordinate there is nobody.
        let most = crate::geom::COORD_MAX;
        let within = |x: f32| {
            if x < -most {
                -most
            } else if x > most {
                most
            } else {
                x
            }
        };
        let asked = Aabb { min: around.min.map(within), max: around.max.map(within) };
        let query = trees.queries().overlap(&asked).expect("it was a box and is within");
        query.visit(|other| {
            // Who is on the list was looked at.
            if places[other as usize] == NOWHERE {
                see(other);
            }
            ControlFlow::Continue(())
        });
    }

    /// Puts into the trees what is to be there.
    fn build(&mut self) {
        let rows = self.boxes.len();
        if self.is_built {
            if self.recent.len() > RECENT_MAX {
                self.put();
            }
            return;
        }
        self.is_built = true;
        self.recent.clear();
        self.places.clear();
        self.places.resize(rows, NOWHERE);
        let changed = |row: &usize| self.kept.get(*row) != Some(&self.boxes[*row]);
        let all = rows <= RECENT_MAX || self.kept.len() != rows;
        let count = if all { rows } else { (0..rows).filter(changed).count() };
        if all || count as f64 > CHANGED * rows as f64 {
            self.trees.clear();
            self.kept.clear();
            self.kept.resize(rows, None);
            self.recent.extend(0..rows as u32);
        } else {
            self.recent.extend((0..rows).filter(changed).map(|row| row as u32));
        }
        for (place, &row) in (0..).zip(&self.recent) {
            self.places[row as usize] = place;
        }
        if self.recent.len() > RECENT_MAX {
            self.put();
        }
    }

    /// Puts what is on the list into the trees.
    fn put(&mut self) {
        let Self { boxes, trees, kept, recent, places, columns, .. } = self;
        columns.iter_mut().for_each(Vec::clear);
        for &row in &*recent {
            let of = boxes[row as usize];
            // What is no box stays out; whatever is still there for its row is passed over.
            let numbers = of.map_or([f32::NAN; 6], |of| of.to_row());
            columns.iter_mut().zip(numbers).for_each(|(column, x)| column.push(x));
        }
        let columns = columns.each_ref().map(Vec::as_slice);
        let columns = FixedColumns::from_columns(columns).expect("equally long");
        // More rows than trees can name stay on the list.
        if trees.put(recent, columns).is_ok() {
            for row in recent.drain(..).map(|row| row as usize) {
                (kept[row], places[row]) = (boxes[row], NOWHERE);
            }
        }
    }
}

/// The box around the rest of a body's way, from `since` on; nothing where that is no box.
fn around(body: &Convex<'_>, since: f32) -> Option<Aabb> {
    let left = until_end(since);
    let Convex { shape, motion, .. } = body;
    // In a tick of its own the rest of the way is a slower one.
    let part = |x: [f32; 3], by: f32| x.map(|x| x * by);
    let rest = Motion {
        delta: part(motion.delta, left),
        accel: part(motion.accel, left * left),
        spin: part(motion.spin, left),
        ..*motion
    };
    let mut aabb = shape.bounds_over(&rest).ok()?.bounds();
    for axis in 0..3 {
        // What the products were rounded by.
        let lost = (rest.delta[axis].abs() + rest.accel[axis].abs()) * f32::EPSILON;
        aabb.min[axis] = (aabb.min[axis] - lost).next_down();
        aabb.max[axis] = (aabb.max[axis] + lost).next_up();
    }
    aabb.validate().is_ok().then_some(aabb)
}
