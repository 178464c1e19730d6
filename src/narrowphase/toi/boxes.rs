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
        let BoxPair { a, b, rotation, .. } = boxes;
        let (x_of_b, d_of_b) = (rotation.rotate_back(x), rotation.rotate_back(d));
        let r = rotation.rows.map_each(V3::to_array);
        let abs = rotation.rows.map_each(V3::abs);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::narrowphase::math::M3;
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::toi::one_to_one;
    use alloc::vec::Vec;

    /// The overlap of two boxes that move, one of them wider by a margin, along all axes that can separate them.
    struct Overlap {
        /// From when to when they overlap.
        times: [f64; 2],
        /// How fast they close along the axis of the last entry.
        rate: f64,
        /// The greatest distance along an axis at the start.
        apart: f64,
        /// Whether the last entry is across an edge of each.
        edges: bool,
    }

    /// Returns the overlap of two boxes with these half edges at relative position `x` that moves by `d`.
    fn overlap_of(half_edges: [[V3; 3]; 2], x: V3, d: V3, more: f64) -> Overlap {
        let [a, b] = half_edges;
        let mut axes: Vec<(Option<V3>, bool)> =
            a.iter().chain(&b).map(|edge| (edge.unit(), false)).collect();
        for edge in a {
            axes.extend(b.iter().map(|other| (edge.cross(*other).unit(), true)));
        }
        let times = [f64::NEG_INFINITY, f64::INFINITY];
        let mut found = Overlap { times, rate: 0.0, apart: f64::NEG_INFINITY, edges: false };
        for (axis, edges) in axes {
            let Some(axis) = axis else { continue };
            let reach = a.iter().chain(&b).map(|edge| edge.dot(axis).abs()).sum::<f64>() + more;
            let (at, rate) = (axis.dot(x), axis.dot(d));
            found.apart = greater(found.apart, at.abs() - reach);
            let [one, other] = [-reach, reach].map(|end| (end - at) / rate);
            let [entry, exit] = [lesser(one, other), greater(one, other)];
            if entry > found.times[0] {
                (found.times[0], found.rate, found.edges) = (entry, rate.abs(), edges);
            }
            found.times[1] = lesser(found.times[1], exit);
        }
        found
    }

    /// Goal: the first time of boxes on a straight path is that from which on they overlap along each of the axes that can separate them,
    /// it takes two rounds, and boxes that do not touch take one, without a support. No contact is outside of the window.
    /// Method: boxes in random rotations, and parallel ones of which a small one meets the face of a great one; windows that end
    /// anywhere, and just before the contact distance is reached along an axis.
    #[test]
    fn boxes_on_a_straight_path_meet_where_all_axes_overlap() {
        let mut draw = numbers_f32(13);
        let (mut met, mut met_edges, mut passed, mut early, mut parallel) = (0, 0, 0, 0, 0);
        for case in 0..6000_usize {
            let aligned = case % 4 == 0;
            let mut vector = |most: f32| [draw() * most, draw() * most, draw() * most];
            let halves = if aligned {
                [[2.0; 3], [0.25; 3]]
            } else {
                [vector(0.8), vector(0.8)].map(|half| half.map(|x| x.abs() + 0.2))
            };
            let [a, b] = halves.map(|half| Shape::cuboid(half).expect("a box"));
            let aside = vector(if aligned { 1.0 } else { 1.5 });
            let mut at = V3::of(vector(1.0)).unit().expect("a direction").to_f32().map(|x| x * 5.0);
            if aligned {
                let (axis, sign) = (case / 4 % 3, at[case / 4 % 3]);
                at = aside;
                at[axis] = 4.0_f32.copysign(sign);
            }
            let mut delta: [f32; 3] = core::array::from_fn(|k| -1.5 * at[k] + 1.5 * aside[k]);
            if aligned && case % 8 == 0 {
                delta = core::array::from_fn(|k| delta[k] + 0.1 * aside[k]);
            }
            let mut rotated = |at: [f32; 3]| {
                let [x, y, z] = if aligned { [0.0; 3] } else { vector(1.0) };
                let length = libm::sqrtf(x * x + y * y + z * z + 0.25);
                Pose::new(at, [x, y, z, 0.5].map(|x| x / length)).expect("a pose")
            };
            let of_a = Motion::from(rotated([0.0; 3]));
            let of_b = Motion::new(rotated(at), delta).expect("a motion");
            let half_edges = [(&of_a, halves[0]), (&of_b, halves[1])].map(|(motion, half)| {
                let frame = M3::of_quaternion(motion.pose.rotation);
                [0, 1, 2].map(|axis| frame.axis(axis) * f64::from(half[axis]))
            });
            let (x, d) = (V3::of(at), V3::of(delta));
            let target = [0.0, 0.02][case / 2 % 2];
            let overlap = overlap_of(half_edges, x, d, f64::from(target));
            let [entry, exit] = overlap.times;
            let mut window = [[0.0, 1.0], [0.25, 0.75], [0.125, 0.625]][case % 3];
            let before = (entry - 1e-4) as f32;
            let ends_before = case / 6 % 4 == 0 && entry < exit && before > window[0];
            if ends_before && before < 1.0 {
                window[1] = before;
            }
            let settings = Settings {
                window,
                target_distance: target,
                tolerance: 0.02,
                ..Settings::default()
            };
            let found = one_to_one(&a, &of_a, &b, &of_b, &settings).expect("valid");
            let text =
                alloc::format!("{case} {found:?} {entry} {exit} {settings:?} {of_a:?} {of_b:?}");
            let [from, to] = window.map(f64::from);
            if let Some(t) = found.impact() {
                assert!(window[0] <= t && t <= window[1], "{text}");
            }
            // Along a path that passes closely, or a contact at the start, the search may end otherwise.
            let start = x + d * from;
            let clear = overlap_of(half_edges, start, d, f64::from(target)).apart > 0.1
                && overlap.rate > 0.1
                && (exit - entry).abs() > 1e-3
                && (to - entry).abs() > 1e-5;
            if !clear {
                continue;
            }
            if target > 0.0 {
                // A target widens the slab across two edges by more, so that the plane itself decides near the end of the window.
                early += usize::from(ends_before && (found.rounds, found.supports) == (1, 1));
            } else if entry > from && entry < lesser(exit, to) {
                let t = f64::from(found.impact().expect("they meet"));
                assert!((t - entry).abs() < 1e-6, "{text}");
                assert_eq!((found.rounds, found.supports), (2, 1), "{text}");
                met += 1;
                met_edges += usize::from(overlap.edges);
                parallel += usize::from(aligned);
            } else {
                let separated = Toi { result: ToiResult::Separated, rounds: 1, supports: 0 };
                assert_eq!(found, separated, "{text}");
                passed += 1;
            }
        }
        let counts = [met, met_edges, passed, early, parallel];
        assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
    }

    /// Goal: the nearest points of a box that is rounded by little and a point are at most the tolerance apart at an impact beside an edge, where
    /// the direction between the cores differs from the normal. Method: a point that falls past an edge at many distances from it.
    #[test]
    fn points_of_a_slightly_rounded_box_are_within_the_tolerance() {
        let share = 1.0 / 256.0;
        let a = Shape::cuboid([1.0; 3]).and_then(|a| a.rounded(0.02)).expect("a box");
        let settings = Settings { tolerance: share, ..Settings::default() };
        let tolerance = f64::from(share) * a.size();
        let mut beside = 0;
        for step in 0..18_u8 {
            let aside = 0.001 * f32::from(step);
            let pose = Pose::at([1.0 + aside, 3.0, 0.0]).expect("a pose");
            let falling = Motion::new(pose, [0.0, -4.0, 0.0]).expect("a motion");
            let still = Motion::from(Pose::IDENTITY);
            let found = one_to_one(&a, &still, &Shape::point(), &falling, &settings);
            let found = found.expect("valid");
            let ToiResult::Impact { t, on_a, on_b, .. } = found.result else {
                panic!("{aside} {found:?}")
            };
            let apart = (V3::of(on_a) - V3::of(on_b)).length();
            assert!(apart < tolerance + 1e-6 && t > 0.4, "{aside} {apart} {found:?}");
            beside += usize::from(f64::from(aside) > 1.5 * tolerance && found.rounds == 2);
        }
        assert!(beside > 5, "{beside}");
    }
}
