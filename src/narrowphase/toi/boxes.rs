//! First time of contact of two boxes that do not rotate.
//!
//! Points and segments are boxes too, so balls and capsules are rounded boxes.
//!
//! **Boxes that touch themselves**, on a straight path. In the frame of `A`, the origin of `B` enters the difference `A − B`, which is
//! the intersection of slabs across the axes of both boxes and across each pair of their edges (the separating axes of Gottschalk,
//! Lin and Manocha 1996):
//!
//! ```text
//! for each axis n:  |n·(x + d·τ)| ≤ r        from the entry (±n·x − r)/|n·d| to the exit (±n·x + r)/|n·d|
//! the last entry, or the start, is after the first exit: no contact
//! the plane across the axis of the last entry leads to the first time, and two points there prove the contact
//! ```
//!
//! Rounded boxes are searched in `rounded.rs`.
//!
//! What is not proved in this way is left to the search: touches at the start, edges that are almost parallel, flat boxes in one
//! plane. The proofs are in `docs/math/toi.md`.

use super::goal::Goal;
use super::relative_motion::RelativePath;
use super::result::{Observer, Toi, ToiResult};
use super::rounded::{self, BoxSearch, rotated};
use super::settings::Settings;
use crate::geom::{MapEach, Motion};
use crate::narrowphase::gjk::{Axis, BoxPair, BoxPoints, Gap, RotatedPair};
use crate::narrowphase::math::{V3, greater, lesser, round_down};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::shape::Shape;

/// What was proved of two boxes. Vectors are in their axes.
enum BoxTime {
    /// They do not touch until the end.
    Separated,
    /// They touch at `t`.
    Impact { t: f64, lower: f64, normal: V3, points: BoxPoints },
    /// They do not touch until `t`.
    Until { t: f64, normal: V3 },
    /// Nothing.
    Unknown,
}

/// Two boxes that move, and what counts as a contact.
struct MovingBoxes<'p> {
    boxes: BoxPair<'p>,
    /// The path in the axes of the boxes.
    path: RelativePath,
    window: [f64; 2],
    goal: &'p Goal,
    settings: &'p Settings,
    rounds: u32,
    supports: u32,
}

/// Searches the first time of contact of two bodies that do not rotate. `toward` returns the direction of their first support, of
/// any length.
#[inline(always)]
pub(super) fn search(
    (a, b): ((&Shape<'_>, &Motion), (&Shape<'_>, &Motion)),
    (path, toward, window): (&RelativePath, impl Fn() -> V3, [f64; 2]),
    (goal, settings): (&Goal, &Settings),
    (found, observer): (&mut Toi, &mut Observer<'_>),
) -> BoxSearch {
    let (Some(half), Some(half_of_b)) = (a.0.core.half_extents(), b.0.core.half_extents()) else {
        return BoxSearch::Unknown;
    };
    let moving = (path, window);
    if !goal.touches_cores {
        let half = [half, half_of_b];
        let (moving, out) = ((path, toward, window), (found, observer));
        return rounded::search((a, b), half, moving, (goal, settings), out);
    }
    if path.accel == V3::ZERO {
        return touch((a, b), moving, (goal, settings), (found, observer));
    }
    BoxSearch::Unknown
}

/// Searches the first time of contact of two boxes that touch themselves, along a straight path.
#[inline(always)]
fn touch(
    (a, b): ((&Shape<'_>, &Motion), (&Shape<'_>, &Motion)),
    (path, window): (&RelativePath, [f64; 2]),
    (goal, settings): (&Goal, &Settings),
    (found, observer): (&mut Toi, &mut Observer<'_>),
) -> BoxSearch {
    let pair = RotatedPair { a: rotated(a), b: rotated(b) };
    let Some(boxes) = BoxPair::new(&pair) else { return BoxSearch::Unknown };
    let path_of_boxes = path.transformed(|v| boxes.own(v));
    let (rounds, supports) = (0, 0);
    let mut moving =
        MovingBoxes { boxes, path: path_of_boxes, window, goal, settings, rounds, supports };
    let time = moving.touch(observer);
    let (rounds, supports) = (moving.rounds, moving.supports);
    let result = match time {
        BoxTime::Unknown => return BoxSearch::Unknown,
        BoxTime::Until { t, normal } => {
            return BoxSearch::Until { t, normal: boxes.world(normal), rounds, supports };
        }
        BoxTime::Separated => ToiResult::Separated,
        BoxTime::Impact { t, lower, normal, points } => {
            let gap = boxes.gap(lower, normal, &points);
            let out = pair.offset_direction(boxes.world(points.between), gap.normal);
            let gap = Gap { out, ..gap };
            rounded::impact([a, b], path, round_down(t), gap.normal, pair.surface(&gap))
        }
    };
    *found = Toi { result, rounds, supports };
    BoxSearch::Found
}

/// The slabs so far.
struct Slabs {
    /// The last entry, and its axis.
    entry: f64,
    axis: Axis,
    /// The first exit.
    exit: f64,
    /// The greatest distance from a slab at the start.
    apart: f64,
}

impl Slabs {
    /// Adds the slab `|at + rate·τ| ≤ reach`. A slab that is not a number has no effect: comparisons are false.
    #[inline(always)]
    fn add(&mut self, at: f64, rate: f64, reach: f64, axis: Axis) {
        let before = if rate > 0.0 { -at } else { at };
        let inverse = 1.0 / rate.abs();
        let (entry, exit) = ((before - reach) * inverse, (before + reach) * inverse);
        if entry > self.entry {
            (self.entry, self.axis) = (entry, axis);
        }
        self.exit = lesser(exit, self.exit);
        self.apart = greater(at.abs() - reach, self.apart);
    }

    /// Computes the slabs of boxes at relative position `x` that moves by `d`, each wider by `more`.
    fn new(boxes: &BoxPair<'_>, x: V3, d: V3, more: f64) -> Self {
        let mut slabs = Self {
            entry: f64::NEG_INFINITY,
            axis: Axis::OfA(0),
            exit: f64::INFINITY,
            apart: f64::NEG_INFINITY,
        };
        let BoxPair { a, b, turned, .. } = boxes;
        let (x_of_b, d_of_b) = (turned.rotate_back(x), turned.rotate_back(d));
        let r = turned.rows.map_each(V3::to_array);
        let abs = turned.rows.map_each(V3::abs);
        let of_a = abs.map_each(|row| row.dot(*b));
        let of_b = (abs[0] * a.x + abs[1] * a.y + abs[2] * a.z).to_array();
        let abs = abs.map_each(V3::to_array);
        let [a, b, x, d] = [*a, *b, x, d].map_each(V3::to_array);
        let (x_of_b, d_of_b) = (x_of_b.to_array(), d_of_b.to_array());
        for i in 0..3 {
            slabs.add(x[i], d[i], a[i] + of_a[i] + more, Axis::OfA(i));
            slabs.add(x_of_b[i], d_of_b[i], b[i] + of_b[i] + more, Axis::OfB(i));
        }
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            for i in 0..3 {
                let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
                let across = |v: &[f64; 3]| v[i2] * r[i1][j] - v[i1] * r[i2][j];
                let reach = a[i1] * abs[i2][j]
                    + a[i2] * abs[i1][j]
                    + b[j1] * abs[i][j2]
                    + b[j2] * abs[i][j1]
                    + more;
                slabs.add(across(&x), across(&d), reach, Axis::Edges(i, j));
            }
        }
        slabs
    }
}

impl MovingBoxes<'_> {
    /// Returns the first time of contact of boxes that touch themselves, along a straight path.
    fn touch(&mut self, observer: &mut Observer<'_>) -> BoxTime {
        let [from, to] = self.window;
        let (x, d) = (self.path.between(from), self.path.velocity(from));
        let floor = self.goal.range.min;
        let slabs = Slabs::new(&self.boxes, x, d, floor);
        // A comparison with NaN is false.
        let clear = slabs.apart > self.goal.tolerance;
        if !clear {
            return BoxTime::Unknown;
        }
        if greater(slabs.entry, 0.0) > lesser(slabs.exit, to - from) {
            self.rounds = 1;
            if observer.is_some() {
                let normal = self.boxes.toward(slabs.axis, x);
                self.report(observer, from, self.boxes.width(x, normal), normal);
            }
            return BoxTime::Separated;
        }
        let normal = self.boxes.toward(slabs.axis, x);
        let gap = self.boxes.width(x, normal);
        // The direction across two edges that are almost parallel is not exact.
        let separates = gap > floor;
        if !separates {
            return BoxTime::Unknown;
        }
        (self.rounds, self.supports) = (1, 1);
        self.report(observer, from, gap, normal);
        let t = from + first_root(gap - floor, normal.dot(d), 0.0);
        if t > to {
            return BoxTime::Separated;
        }
        let points = self.boxes.meeting(self.path.between(t), slabs.axis, normal);
        let near = points.between.square() <= self.goal.accept * self.goal.accept;
        if !near || self.settings.rounds_max == 1 {
            return BoxTime::Until { t, normal };
        }
        self.rounds = 2;
        self.report(observer, t, floor, normal);
        BoxTime::Impact { t, lower: floor, normal, points }
    }

    fn report(&self, observer: &mut Observer<'_>, t: f64, gap: f64, normal: V3) {
        if observer.is_some() {
            let normal = self.boxes.world(normal);
            rounded::report(observer, (self.goal, self.settings), t, gap, normal);
        }
    }
}
