//! Portal refinement: through which face of `A − B` a path enters.
//!
//! Seen along the velocity `d`, `A − B` is flat, and the path of `x` is a point. Three points of `A − B`
//! around that point are a *portal*: the path goes through their triangle. The support `w` in the
//! direction of its normal, against the path, bounds the time of impact from below. With `w` in place of
//! one of the three, the triangle is a portal again, nearer to the entry point (Snethen 2008, "Complex
//! collision made simple"; there the ray leaves the shape, here it enters). Which vertex `w` replaces is
//! decided by the sides of the path on which the corners are, as seen from `w`: signs of `d·(w × cᵢ)`.
//! Between one support and the next there is no nearest point, no root and no division, so this is much
//! faster than a ray cast against `A − B` by GJK.
//!
//! Two corners of the first portal are not points of `A − B`, but lie far behind the first: they make
//! normals that point past it towards the path. If no support is beyond a portal that still has one of
//! them, they are moved further back.
//!
//! For a curved path its tangent is used. The promise is that of any support (the plane across its
//! direction bounds the time): a portal that is not found, is invalid, or does not converge costs time,
//! but never makes a wrong result. The method is for cores that themselves touch: for rounded ones the
//! three points converge slowly.

use super::goal::Goal;
use super::result::Observer;
use super::search::Search;
use crate::narrowphase::gjk::{GJK_ITERATIONS_MAX, RotatedPair};
use crate::narrowphase::math::V3;
use crate::narrowphase::roots::first_root;
use crate::narrowphase::simplex::Simplex;

/// Distance past the path of the two artificial corners, and to either side, relative to the sizes. The
/// cost has a flat minimum near this value.
const AHEAD: f64 = 0.5;

/// Distance by which they are moved back at first.
const BACK: f64 = 0.4;

/// Factor of that distance for each further move.
const FURTHER: f64 = 32.0;

/// Greatest number of moves.
const FURTHER_MAX: u32 = 2;

/// Part of the tolerance: a support that is beyond the portal by less ends the search.
const BEYOND_MIN: f64 = 0.75;

/// Index of the corner that a point replaces, by the sides of the corners seen from it, one bit each:
/// the corner opposite to the two between which the path goes. All on one side can only be rounding.
const OPPOSITE: [usize; 8] = [0, 2, 0, 0, 1, 2, 1, 0];

impl Search<'_> {
    /// Continues from a time before any contact, with the path on the plane across `normal` at the last
    /// point of the simplex. Stores the portal in the simplex, or fewer points if none was found.
    /// Returns a lower bound of the time of impact and the plane that proves it, or `None` if there is
    /// no contact until the end.
    #[inline]
    pub(super) fn portal(
        &mut self,
        pair: &RotatedPair<'_>,
        simplex: &mut Simplex,
        normal: V3,
        goal: &Goal,
        [from, to]: [f64; 2],
        observer: &mut Observer<'_>,
    ) -> Option<(f64, V3)> {
        let path = &self.motion.path;
        let (x, d) = (path.between(from), path.velocity(from));
        let end = path.between(to) - x;
        let (floor, size) = (goal.range.min, pair.a.shape.size + pair.b.shape.size);
        let sharp = BEYOND_MIN * (goal.accept - floor);
        // All points here are relative to `x`.
        let first = simplex.vertices[simplex.len - 1];
        let mut last = first.at - x;
        // Along the plane, from the first point to the path, and across that.
        let out = normal * normal.dot(last) - last;
        let (length, rate) = (out.length(), normal.dot(d));
        // A comparison with NaN is false.
        if !(length > OUT_MIN * size && rate < 0.0) {
            return Some((from, normal));
        }
        let ahead = out * (AHEAD * size / length);
        let aside = normal.cross(ahead);
        let mut back = d * (-BACK * size / rate);

        // Corners keep their positions in memory: `order` lists them, and the free position.
        let mut corners = [last, ahead - aside + back, ahead + aside + back, V3::ZERO];
        let mut order = [0, 1, 2, 3];
        let mut found = [true, false, false, false];
        simplex.vertices[0] = first;
        let mut further = 0;
        let mut supports = 0;
        let shown = loop {
            let [a, b, c, free] = order;
            let direction = (corners[b] - last).cross(corners[c] - last);
            let square = direction.square();
            // Collinear corners are not a portal, and neither are numbers that overflow or underflow.
            if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&square) {
                break None;
            }
            // The branches are on products, which are known before the point is.
            let (value, vertex) = pair.value_and_support(direction);
            supports += 1;
            let next = vertex.at - x;
            let along = value - direction.dot(x);
            let (beyond, past) = (along - direction.dot(last), direction.dot(end) - along);
            if past > 0.0 && past * past > floor * floor * square || supports >= GJK_ITERATIONS_MAX
            {
                break Some((direction, vertex));
            }
            if !(beyond > 0.0 && beyond * beyond > sharp * sharp * square) {
                if found[a] & found[b] & found[c] || further == FURTHER_MAX {
                    break Some((direction, vertex));
                }
                further += 1;
                back = back * FURTHER;
                for &corner in &[a, b, c] {
                    if !found[corner] {
                        corners[corner] = corners[corner] + back;
                    }
                }
                last = corners[a];
                continue;
            }
            let across = next.cross(d);
            let side = |corner: usize| usize::from(across.dot(corners[corner]) > 0.0);
            let gone = OPPOSITE[side(a) | side(b) << 1 | side(c) << 2];
            (simplex.vertices[free], corners[free], found[free]) = (vertex, next, true);
            let round = [a, b, c, a, b];
            order = [free, round[gone + 1], round[gone + 2], round[gone]];
            last = next;
        };
        self.supports += supports;
        let [a, b, c, _] = order;
        let slots = simplex.vertices;
        simplex.len = 0;
        for &corner in &[a, b, c] {
            if found[corner] {
                simplex.push(slots[corner]);
            }
        }

        let Some((direction, vertex)) = shown else { return Some((from, normal)) };
        let direction = direction * (1.0 / direction.length());
        let gap = direction.dot(x - vertex.at);
        // NaN is the gap of a user shape that returned no point.
        if gap <= floor || gap.is_nan() {
            return Some((from, normal));
        }
        self.report(observer, from, gap, direction);
        self.rounds += 1;
        let half_accel = 0.5 * direction.dot(self.motion.path.accel);
        let t = from + first_root(gap - floor, direction.dot(d), half_accel);
        (t <= to).then_some((t, direction))
    }
}

/// Relative to the sizes: distances below this have no useful direction.
const OUT_MIN: f64 = 1.0 / (1_u64 << 20) as f64;

#[cfg(test)]
mod tests {
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::toi::{Settings, ToiResult, of_valid};
    use crate::narrowphase::{Hull, Shape};

    /// Goal: a portal converges: for cores that touch, straight or along a parabola, a search has only
    /// the first plane, the portal's and the contact; for cores that pass each other, mostly the first
    /// two. Method: hulls of the corners of boxes, flat ones among them, in arbitrary rotations, thrown at each other.
    #[test]
    fn a_portal_closes() {
        let mut next = numbers_f32(5);
        let mut draw = move |most: f32| most * next();
        let (mut met, mut passed, mut long) = (0, 0, [0; 2]);
        for case in 0..4000 {
            let mut vector = |most: f32| [draw(most), draw(most), draw(most)];
            let half = [vector(1.0), vector(1.0)].map(|half| half.map(f32::abs));
            let flat = if case % 5 == 0 { 0.0 } else { half[0][2] };
            // Boxes are not searched, but the hulls of their corners are.
            let [of_a, of_b] = [[half[0][0], half[0][1], flat], half[1]].map(|half| {
                let corner = |bits: usize| -> [f32; 3] {
                    core::array::from_fn(|k| if bits >> k & 1 == 1 { half[k] } else { -half[k] })
                };
                Hull::new((0..8).map(corner)).expect("a cloud")
            });
            let (a, b) = (Shape::hull(&of_a), Shape::hull(&of_b));
            let (from, aside) = (vector(1.0).map(|x| 4.0 * x), vector(1.0));
            let mut motion = |position, delta: [f32; 3]| {
                let [x, y, z] = vector(1.0);
                let length = libm::sqrtf(x * x + y * y + z * z + 0.25);
                let rotation = [x, y, z, 0.5].map(|x| x / length);
                let pose = Pose::new(position, rotation).expect("a pose");
                Motion::new(pose, delta).expect("a motion")
            };
            let to: [f32; 3] = core::array::from_fn(|axis| aside[axis] - from[axis]);
            let (mut of_a, of_b) = (motion(from, to), motion([0.0; 3], [0.0; 3]));
            if case % 2 == 1 {
                of_a.accel = vector(1.0);
            }
            let toi = of_valid((&a, &of_a), (&b, &of_b), &Settings::default());
            match toi.result {
                ToiResult::Impact { .. } => {
                    met += 1;
                    long[0] += usize::from(toi.rounds > 3);
                }
                ToiResult::Separated => {
                    passed += 1;
                    long[1] += usize::from(toi.rounds > 2);
                }
                _ => {}
            }
        }

        assert!(met > 1000 && passed > 500, "{met} {passed}");
        assert!(long[0] * 100 < met && long[1] * 20 < passed, "{long:?} of {met} {passed}");
    }
}
