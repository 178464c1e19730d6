//! Distance of two boxes, and of points and segments, which are boxes too: so of balls and capsules.
//!
//! The nearest points are guessed without a search: a point is projected from box to box and back, which ends at once if one
//! of the nearest points is a corner. If both points are on edges then, the nearest points of these edges follow (Ericson 2005,
//! §5.1.9). As everywhere, nothing is promised of the guess: two points bound the distance from above, and a plane across their
//! direction from below. If these bounds are not near enough, a search decides, which may start with these points.
//!
//! All is computed in the axes of the first box, or in those of the second if the first is a point.

use super::nearest::{Gap, RotatedPair};
use crate::narrowphase::math::{M3, V3, greater, lesser};

/// Two boxes, in the axes of the first.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrowphase) struct BoxPair<'p> {
    /// Half extents.
    pub(in crate::narrowphase) a: V3,
    pub(in crate::narrowphase) b: V3,
    /// Rotation of the second box; not used if that is a point.
    pub(in crate::narrowphase) rotation: M3,
    /// The axes in those of the world.
    pub(in crate::narrowphase) frame: &'p M3,
    /// Whether the first box is the second shape.
    pub(in crate::narrowphase) swapped: bool,
    /// Whether the second box is a point.
    point: bool,
}

/// Two points, each in the axes of its box, and the vector between them in those of the first box.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrowphase) struct BoxPoints {
    pub(in crate::narrowphase) on_a: V3,
    pub(in crate::narrowphase) on_b: V3,
    pub(in crate::narrowphase) between: V3,
}

impl<'p> BoxPair<'p> {
    /// Returns the cores of a pair, if both are boxes.
    #[inline(always)]
    pub(in crate::narrowphase) fn new(pair: &'p RotatedPair<'_>) -> Option<Self> {
        let of_a = pair.a.shape.core.half_extents()?;
        let of_b = pair.b.shape.core.half_extents()?;
        let (a, b) = (&pair.a.rotation, &pair.b.rotation);
        Some(if of_a == V3::ZERO {
            Self { a: of_b, b: of_a, rotation: M3::IDENTITY, frame: b, swapped: true, point: true }
        } else if of_b == V3::ZERO {
            Self { a: of_a, b: of_b, rotation: M3::IDENTITY, frame: a, swapped: false, point: true }
        } else {
            Self { a: of_a, b: of_b, rotation: a.back(b), frame: a, swapped: false, point: false }
        })
    }

    /// Returns a vector from the first shape to the second as one from the first box to the second, in its axes.
    #[inline(always)]
    pub(in crate::narrowphase) fn own(&self, world: V3) -> V3 {
        self.frame.rotate_back(if self.swapped { -world } else { world })
    }

    /// Does the reverse of [`BoxPair::own`].
    #[inline(always)]
    pub(in crate::narrowphase) fn world(&self, own: V3) -> V3 {
        let world = self.frame.rotate(own);
        if self.swapped { -world } else { world }
    }

    /// Returns the gap of two shapes whose nearest points are these.
    #[inline(always)]
    pub(in crate::narrowphase) fn gap(&self, lower: f64, normal: V3, points: &BoxPoints) -> Gap {
        let normal = self.world(normal);
        let BoxPoints { on_a, on_b, .. } = *points;
        let (on_a, on_b) = if self.swapped { (on_b, on_a) } else { (on_a, on_b) };
        Gap { lower, normal, out: normal, on_a, on_b }
    }

    /// Returns the width of the gap between the planes across the unit vector `normal`.
    #[inline(always)]
    pub(in crate::narrowphase) fn width(&self, x: V3, normal: V3) -> f64 {
        let gap = normal.dot(x) - normal.abs().dot(self.a);
        if self.point {
            return gap;
        }
        gap - self.rotation.rotate_back(normal).abs().dot(self.b)
    }

    /// Returns points near the nearest points of boxes at relative position `x`; usually they are the nearest points, except for rounding.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest(&self, x: V3) -> BoxPoints {
        let on_a = within(x, self.a);
        if self.point {
            return BoxPoints { on_a, on_b: V3::ZERO, between: x - on_a };
        }
        self.nearest_from(x, self.nearest_to_a(x, on_a).on_b)
    }

    /// Does what [`BoxPair::nearest`] does, from a point of the second box that is probably near.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest_from(&self, x: V3, on_b: V3) -> BoxPoints {
        let points = self.nearest_to_b(x, on_b);
        if self.point { points } else { self.nearer(x, &points) }
    }

    /// Returns the nearest points of the boxes, or of the edges that these are on, after a projection to the second box.
    #[inline]
    fn nearer(&self, x: V3, points: &BoxPoints) -> BoxPoints {
        let points = self.nearest_to_a(x, points.on_a);
        let [e, f] = self.free(&points);
        if e.square() == 1.0 && f.square() == 1.0 {
            return self.nearest_on_edges(&points, e, f);
        }
        points
    }

    /// Does what [`BoxPair::nearest_from`] does, from points that are not the nearest ones. If one of them is on a face, and the other on
    /// a face or an edge across it, projections would get nearer slowly: then they start at the corner that is nearest to the face.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest_after(&self, x: V3, points: &BoxPoints) -> BoxPoints {
        let [e, f] = self.free(points);
        let (of_a, of_b) = (e.square(), f.square());
        if of_a + of_b < 3.0 {
            return self.nearest_from(x, points.on_b);
        }
        if of_a >= 2.0 {
            let toward = -self.rotation.rotate_back(points.between);
            return self.nearest_from(x, corner(points.on_b, f, toward, self.b));
        }
        let on_a = corner(points.on_a, e, points.between, self.a);
        self.nearest_from(x, self.nearest_to_a(x, on_a).on_b)
    }

    /// Returns, for the point of each box, a one on each axis along which it is not at an end.
    #[inline(always)]
    pub(in crate::narrowphase) fn free(&self, points: &BoxPoints) -> [V3; 2] {
        [free(points.on_a, self.a), free(points.on_b, self.b)]
    }

    /// Returns the point of the second box nearest to a point of the first.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest_to_a(&self, x: V3, on_a: V3) -> BoxPoints {
        let on_b = within(self.rotation.rotate_back(on_a - x), self.b);
        BoxPoints { on_a, on_b, between: x + self.rotation.rotate(on_b) - on_a }
    }

    /// Returns the point of the first box nearest to a point of the second.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest_to_b(&self, x: V3, on_b: V3) -> BoxPoints {
        let to = if self.point { x } else { x + self.rotation.rotate(on_b) };
        let on_a = within(to, self.a);
        BoxPoints { on_a, on_b, between: to - on_a }
    }

    /// Returns the nearest points of an edge of either box, through these points, along the axes `e` and `f`.
    #[inline(always)]
    pub(in crate::narrowphase) fn nearest_on_edges(
        &self,
        points: &BoxPoints,
        e: V3,
        f: V3,
    ) -> BoxPoints {
        let BoxPoints { on_a, on_b, between } = *points;
        let f_in_a = self.rotation.rotate(f);
        let (ef, ed, fd) = (e.dot(f_in_a), e.dot(between), f_in_a.dot(between));
        let (at_a, at_b) = (e.dot(on_a), f.dot(on_b));
        let (most_a, most_b) = (e.dot(self.a), f.dot(self.b));
        let [s, t] =
            steps_on_edges([ed, fd], ef, [at_a, at_b], [most_a, most_b], EDGES_SINE_SQUARE_MIN);
        let (on_a, on_b) = (within(on_a + e * s, self.a), within(on_b + f * t, self.b));
        BoxPoints { on_a, on_b, between: between + f_in_a * t - e * s }
    }
}

#[inline(always)]
pub(super) fn clamp(at: f64, most: f64) -> f64 {
    greater(lesser(at, most), -most)
}

/// Returns how far the nearest points of two edges are from a point of each, along the unit vectors `e` and `f` (Ericson 2005, §5.1.9).
/// The points are at `at` on edges from `-most` to `most`, `ed` and `fd` are the products of the vector between them, and `ef` is that
/// of both directions. If the square of the sine between these is at most `parallel`, the edges count as parallel.
#[inline(always)]
pub(super) fn steps_on_edges(
    [ed, fd]: [f64; 2],
    ef: f64,
    at: [f64; 2],
    most: [f64; 2],
    parallel: f64,
) -> [f64; 2] {
    let square = 1.0 - ef * ef;
    let s = if square > parallel { (ed - ef * fd) / square } else { 0.0 };
    let s = clamp(at[0] + s, most[0]) - at[0];
    let t = clamp(at[1] + (ef * s - fd), most[1]) - at[1];
    let s = clamp(at[0] + (ef * t + ed), most[0]) - at[0];
    [s, t]
}

/// Returns the point of a box nearest to a point.
#[inline(always)]
pub(super) fn within(point: V3, half: V3) -> V3 {
    point.at_most(half).at_least(-half)
}

/// Returns a one on each axis along which a point of a box is not at an end.
#[inline(always)]
pub(super) fn free(point: V3, half: V3) -> V3 {
    let free = |at: f64, half: f64| if at.abs() < half { 1.0 } else { 0.0 };
    V3::new(free(point.x, half.x), free(point.y, half.y), free(point.z, half.z))
}

/// Returns a point of a box, moved to the end that is farthest along a direction on each axis on which it is free.
#[inline(always)]
fn corner(point: V3, free: V3, toward: V3, half: V3) -> V3 {
    let end = half.copysign(toward);
    let moved = |at: f64, free: f64, end: f64| if free > 0.0 { end } else { at };
    let (x, y) = (moved(point.x, free.x, end.x), moved(point.y, free.y, end.y));
    V3::new(x, y, moved(point.z, free.z, end.z))
}

/// The square of the sine between two edges below which they count as parallel.
pub(super) const EDGES_SINE_SQUARE_MIN: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::gjk::{GJK_ITERATIONS_MAX, RotatedShape};
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::simplex::Simplex;

    /// Goal: the guessed points are points of the boxes, a plane across their direction bounds the distance from below, and mostly
    /// both bounds are equal: always if one box is a point. Method: boxes, flat ones, segments and points among them, in
    /// arbitrary rotations and almost parallel, near and far; the search for the distance.
    #[test]
    fn nearest_points_of_boxes_bound_the_distance() {
        let mut draw = numbers_f32(3);
        let (mut points, mut apart, mut proved) = (0, 0, 0);
        for case in 0..8000 {
            let mut of_kind = |bits: usize| {
                let half =
                    [0, 1, 2].map(|bit| if bits >> bit & 1 == 1 { 0.0 } else { draw().abs() });
                (half, Shape::cuboid(half).expect("a box"))
            };
            let ((_, a), (_, b)) = (of_kind(case), of_kind(case / 8));
            let angle = if case % 3 == 0 { 1e-4 } else { 1.0 };
            let mut rotated = |shape| {
                let quaternion = [draw() * angle, draw() * angle, draw() * angle, 0.5];
                RotatedShape { shape, rotation: M3::of_quaternion(quaternion) }
            };
            let pair = RotatedPair { a: rotated(&a), b: rotated(&b) };
            let far = if case % 2 == 0 { 1.5 } else { 4.0 };
            let x = V3::new(draw().into(), draw().into(), draw().into()) * far;
            let mut simplex = Simplex::default();
            let guess = (x.unit().expect("apart"), f64::NEG_INFINITY);
            let found =
                pair.nearest(x, &mut simplex, guess, 1e-9, |lower, upper| upper - lower <= 1e-13);
            if found.upper == 0.0 || found.supports >= GJK_ITERATIONS_MAX {
                continue;
            }
            apart += 1;
            let boxes = BoxPair::new(&pair).expect("two boxes");
            let own = boxes.own(x);
            let nearest = boxes.nearest(own);
            let upper = nearest.between.length();
            let lower = boxes.width(own, nearest.between * (1.0 / upper));
            let gap = boxes.gap(lower, nearest.between * (1.0 / upper), &nearest);
            for (point, half) in [(gap.on_a, pair.a.shape.core), (gap.on_b, pair.b.shape.core)] {
                let half = half.half_extents().expect("a box");
                assert!(point.abs().at_most(half) == point.abs(), "{case} {gap:?}");
            }
            let between = x - pair.vertex(gap.on_a, gap.on_b).at;
            assert!((between.length() - upper).abs() < 1e-12, "{case} {gap:?}");
            assert!(between.dot(gap.normal) > upper * 0.999_999, "{case} {gap:?}");
            assert!(upper >= found.lower - 1e-12 && lower <= found.upper + 1e-12, "{case} {gap:?}");
            proved += usize::from(upper - lower <= 1e-9);
            if pair.a.shape.bounding_radius == 0.0 || pair.b.shape.bounding_radius == 0.0 {
                points += 1;
                assert!(upper - lower <= 1e-12, "{case} {gap:?}");
            }
        }
        assert!(apart > 6000 && points > 1000, "{apart} {points}");
        assert!(proved * 10 > apart * 8, "{proved} of {apart}");
    }
}
