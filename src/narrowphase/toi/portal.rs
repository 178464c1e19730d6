//! Through which face of `A − B` does a way enter?
//!
//! Seen along the velocity `d`, `A − B` is flat, and the way of `x` a point. Three points of `A − B`
//! around that point are a *portal*: the way goes through their triangle. The support `w` in the
//! direction of its normal, against the way, shows until when nothing touches; and `w` in the place of
//! one of the three is a portal again, nearer to where the way enters (Snethen 2008, "Complex collision
//! made simple": there a ray leaves, here a way comes). Which one `w` takes the place of is told by the
//! sides of the way that the corners are on, as seen from `w`: signs of `d·(w × cᵢ)`. No nearest point,
//! no root and no division is between one support and the next, which is why it is so much faster than a
//! chase.
//!
//! Two corners of the first portal are no points of `A − B`, but far out behind the first: they make
//! normals that look past it toward the way. Where no support is beyond a portal that has one of them
//! yet, they go further back.
//!
//! Where the way bends, its tangent is followed. What this promises is only what any support does (the
//! plane across its direction bounds the time): a portal that is not found, is none, or has no end
//! costs time, never truth. Made for cores that themselves touch: about a rounded one three points are
//! drawn together slowly.

use super::search::{Aim, Search, Watch};
use crate::narrowphase::gjk::{GJK_ITERATIONS_MAX, Two};
use crate::narrowphase::math::V3;
use crate::narrowphase::roots::first_root;
use crate::narrowphase::simplex::Simplex;

/// How far past the way the two corners that are none are, and how far to either side; of the sizes.
/// Somewhere near the best of a flat valley.
const AHEAD: f64 = 0.5;

/// How far back they are at first.
const BACK: f64 = 0.4;

/// How much further, each time.
const FURTHER: f64 = 32.0;

/// And how often.
const FURTHER_MAX: u32 = 2;

/// Of the tolerance: a support that is beyond the portal by less ends the search.
const SHARP: f64 = 0.75;

/// Which of three corners a point takes the place of, by the sides of the corners seen from it, a bit
/// each: the one that is opposite of the two between which the way goes. All on one side is rounding.
const OPPOSITE: [usize; 8] = [0, 2, 0, 0, 1, 2, 1, 0];

impl Search<'_> {
    /// Goes on from a time at which nothing touches, and the way is on the plane across `normal` at the
    /// last point of the simplex. Leaves the portal in it, or less where none was found. Returns until
    /// when nothing touches and what shows it, or `None` where nothing does to the end.
    #[inline]
    pub(super) fn portal(
        &mut self,
        two: &Two<'_>,
        simplex: &mut Simplex,
        normal: V3,
        aim: &Aim,
        [from, to]: [f64; 2],
        watch: &mut Watch<'_>,
    ) -> Option<(f64, V3)> {
        let path = &self.course.path;
        let (x, d) = (path.between(from), path.velocity(from));
        let end = path.between(to) - x;
        let (floor, size) = (aim.band.floor, two.a.shape.size + two.b.shape.size);
        let sharp = SHARP * (aim.accept - floor);
        // From `x`, as all here is.
        let first = simplex.vertices[simplex.len - 1];
        let mut last = first.at - x;
        // Along the plane, from the first point to the way, and across that.
        let out = normal * normal.dot(last) - last;
        let (length, rate) = (out.length(), normal.dot(d));
        // NaN is not above anything.
        if !(length > LEAST * size && rate < 0.0) {
            return Some((from, normal));
        }
        let ahead = out * (AHEAD * size / length);
        let aside = normal.cross(ahead);
        let mut back = d * (-BACK * size / rate);

        // A corner stays where it is written: `order` says which they are, and which place is free.
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
            // Corners in line are no portal. Nor is what numbers do not hold.
            if !(f64::MIN_POSITIVE..f64::INFINITY).contains(&square) {
                break None;
            }
            let vertex = two.support(direction);
            supports += 1;
            let next = vertex.at - x;
            let (beyond, past) = (direction.dot(next - last), direction.dot(end - next));
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
                for corner in [a, b, c] {
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
        for corner in [a, b, c] {
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
        self.show(watch, from, gap, direction);
        self.rounds += 1;
        let bend = 0.5 * direction.dot(self.course.path.accel);
        let t = from + first_root(gap - floor, direction.dot(d), bend);
        (t <= to).then_some((t, direction))
    }
}

/// Of the sizes: what is nearer than that has no direction that is worth it.
const LEAST: f64 = 1.0 / (1_u64 << 20) as f64;

#[cfg(test)]
mod tests {
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::Shape;
    use crate::narrowphase::toi::{Advance, Settings, of_valid};

    /// Goal: a portal closes: where cores that touch come to, straight or along a parabola, the first
    /// plane, the portal's and the contact are all there is to it; and where they pass, mostly the first
    /// two. Method: boxes, flat ones among them, turned anyhow, thrown at each other.
    #[test]
    fn a_portal_closes() {
        let mut state = 5_u64;
        let mut draw = move |most: f32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            most * ((state >> 40) as f32 / (1 << 23) as f32 - 1.0)
        };
        let (mut met, mut passed, mut long) = (0, 0, [0; 2]);
        for case in 0..4000 {
            let mut vector = |most: f32| [draw(most), draw(most), draw(most)];
            let half = [vector(1.0), vector(1.0)].map(|half| half.map(f32::abs));
            let flat = if case % 5 == 0 { 0.0 } else { half[0][2] };
            let a = Shape::cuboid([half[0][0], half[0][1], flat]).expect("a box");
            let b = Shape::cuboid(half[1]).expect("a box");
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
            match toi.advance {
                Advance::Impact { .. } => {
                    met += 1;
                    long[0] += usize::from(toi.rounds > 3);
                }
                Advance::Separated => {
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
