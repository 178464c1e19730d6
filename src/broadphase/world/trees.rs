//! How do the trees come to hold what is at rest?
//!
//! Changes are only noted, and put in when the next tick asks: what is changed often between two
//! ticks costs one change. What they are is read from the state in the order of the slots and given
//! to each tree as one list: for what stays about where it was nothing is built, and a tree that all
//! leave is built anew from the list alone ([`FixedBoxes::put`]). Of what has a margin two boxes are
//! kept: in the tree of its set the one that is held, for pairs, and in one for all the true one, for
//! questions.

use super::slots::{Home, Slot};
use super::state::State;
use crate::broadphase::FixedBoxes;
use crate::broadphase::tree::{Named, Tree};
use crate::geom::Aabb;
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec::Vec;

/// Of a slot: that it is on the list of changes.
const CHANGED: u8 = 1 << 7;
/// In which trees a row of it is, bit `k` for tree `k`: that of its set,
const FIXED: u8 = 1;
const SLEEPING: u8 = 1 << 1;
/// and with a margin that of true boxes.
const TRUE: u8 = 1 << 2;
const TREES: usize = 3;

#[derive(Debug)]
pub(super) struct Trees {
    pub(super) fixed: FixedBoxes,
    pub(super) sleeping: FixedBoxes,
    /// The true boxes of what is at rest and has a margin.
    pub(super) exact: FixedBoxes,
    /// By slot: [`FIXED`] or [`SLEEPING`], [`TRUE`], [`CHANGED`]. After an update, whether it is at
    /// rest.
    pub(super) rows: Vec<u8>,
    changed: Vec<u32>,
    /// Memory: what leaves each of the trees, and what is put in.
    leaving: [Vec<u32>; TREES],
    entering: [Vec<Named>; TREES],
}

impl Trees {
    pub(super) fn with_level(level: Level) -> Self {
        Self {
            fixed: FixedBoxes::with_level(level),
            sleeping: FixedBoxes::with_level(level),
            exact: FixedBoxes::with_level(level),
            rows: Vec::new(),
            changed: Vec::new(),
            leaving: Default::default(),
            entering: Default::default(),
        }
    }

    pub(super) fn set_threads(&mut self, threads: &Threads) {
        self.fixed.set_threads(threads.clone());
        self.sleeping.set_threads(threads.clone());
        self.exact.set_threads(threads.clone());
    }

    pub(super) fn set_pairs_max(&mut self, most: usize) {
        self.fixed.set_pairs_max(most);
        self.sleeping.set_pairs_max(most);
    }

    /// Notes that a proxy came to rest, left, or rests otherwise than before.
    #[inline]
    pub(super) fn note(&mut self, index: usize) {
        if self.rows.len() <= index {
            self.rows.resize(index + 1, 0);
        }
        if self.rows[index] & CHANGED == 0 {
            self.rows[index] |= CHANGED;
            self.changed.push(index as u32);
        }
    }

    /// Puts in the changes. `filtered` says whether any proxy has a filter.
    pub(super) fn update(&mut self, state: &State, filtered: bool) {
        if self.changed.is_empty() {
            return;
        }
        self.sort();
        let Self { fixed, sleeping, exact, rows, changed, leaving, entering } = self;
        leaving.iter_mut().for_each(Vec::clear);
        entering.iter_mut().for_each(Vec::clear);
        for &row in &*changed {
            let index = row as usize;
            let was = rows[index] & !CHANGED;
            let slot = state.slots.all.get(index);
            let now = slot.map_or(0, trees_of);
            rows[index] = now;
            for k in 0..TREES {
                let [was, now] = [was, now].map(|bits| bits >> k & 1 == 1);
                if was && !now {
                    leaving[k].push(row);
                }
                // To write what is there once more costs less than to look at it.
                if let Some(slot) = slot.filter(|_| now) {
                    let (aabb, filter) = (box_in(state, index, k), slot.filter.word());
                    entering[k].push(Named { aabb, name: row, filter });
                }
            }
        }
        changed.clear();
        let trees = [fixed, sleeping, exact];
        for ((tree, leaving), entering) in trees.into_iter().zip(leaving).zip(entering) {
            if !leaving.is_empty() {
                tree.remove(leaving).expect("each row was put in");
            }
            if !entering.is_empty() {
                tree.put_valid(rows.len(), entering, filtered);
            }
        }
    }

    /// Puts the changes in order, in which as a rule rows are neighbours in memory.
    fn sort(&mut self) {
        let Self { rows, changed, .. } = self;
        // To look at all rows costs less than sorting, when many have changed.
        if changed.len() < rows.len() / 32 {
            changed.sort_unstable();
        } else {
            changed.clear();
            let all = (0..).zip(rows.iter());
            changed.extend(all.filter(|&(_, row)| row & CHANGED != 0).map(|(index, _)| index));
        }
    }

    /// Whether the trees hold what the state says, where no change is noted.
    pub(super) fn is_sound(&self, state: &State) -> bool {
        let noted = self.rows.iter().filter(|&&row| row & CHANGED != 0).count();
        let mut lens = [0; TREES];
        let trees = [&self.fixed, &self.sleeping, &self.exact];
        for index in 0..state.slots.all.len().max(self.rows.len()) {
            let row = self.rows.get(index).copied().unwrap_or(0);
            let slot = state.slots.all.get(index);
            if row & CHANGED == 0 && row != slot.map_or(0, trees_of) {
                return false;
            }
            for (k, tree) in trees.iter().enumerate().filter(|(k, _)| row >> k & 1 == 1) {
                lens[k] += 1;
                let aabb = || box_in(state, index, k);
                if row & CHANGED == 0
                    && (tree.get(index as u32).is_none_or(|old| !same_bits(&old, &aabb()))
                        || tree.filter(index as u32) != slot.map(|slot| slot.filter))
                {
                    return false;
                }
            }
        }
        noted == self.changed.len() && lens == trees.map(FixedBoxes::len)
    }

    pub(super) fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        self.rows.reserve(proxies.saturating_sub(self.rows.len()));
        self.fixed.reserve(proxies, movers, 0, pairs);
        self.sleeping.reserve(proxies, movers, 0, pairs);
    }

    /// Boxes as they are held for pairs.
    pub(super) fn held(&self) -> [&[Tree]; 2] {
        [self.fixed.trees(), self.sleeping.trees()]
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.fixed.shrink_to_fit();
        self.sleeping.shrink_to_fit();
        self.exact.shrink_to_fit();
        self.rows.shrink_to_fit();
        self.changed.shrink_to_fit();
        (self.leaving, self.entering) = Default::default();
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.changed.capacity() + self.leaving.iter().map(Vec::capacity).sum::<usize>();
        self.fixed.memory_usage()
            + self.sleeping.memory_usage()
            + self.exact.memory_usage()
            + self.rows.capacity()
            + lists * size_of::<u32>()
            + self.entering.iter().map(Vec::capacity).sum::<usize>() * size_of::<Named>()
    }
}

/// In which trees a proxy is.
fn trees_of(slot: &Slot) -> u8 {
    let exact = if slot.margin > 0.0 { TRUE } else { 0 };
    match slot.home() {
        Home::Fixed => FIXED | exact,
        Home::Sleeping => SLEEPING | exact,
        Home::Movers | Home::Nowhere => 0,
    }
}

/// The box of a proxy at rest in one of its trees.
fn box_in(state: &State, index: usize, tree: usize) -> Aabb {
    let is_held = 1 << tree != TRUE && state.slot(index).margin > 0.0;
    if is_held { state.held[index] } else { state.boxes[index].aabb }
}

fn same_bits(a: &Aabb, b: &Aabb) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}
