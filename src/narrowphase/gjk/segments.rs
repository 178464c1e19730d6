//! Nearest points of two cores, if one of them is a segment along its axis `y` or a point, and the other is that too, or a box: so of
//! balls and capsules with each other and with boxes.
//!
//! A segment has one direction, so it needs no matrix. Two segments are computed in the axes of the world by a closed form (Ericson
//! 2005, §5.1.9). A segment and a box are computed in the axes of the box by projections, and the nearest points of two edges, as in
//! `boxes.rs`, and from points that are near by a step of Newton's method; a point and a box by one projection. As there, nothing is promised of these points: they bound the distance from
//! above, and the plane across their direction from below.

use super::boxes::{BoxPair, BoxPoints, clamp, free, steps_on_edges, within};
use crate::geom::MapEach;
use crate::narrowphase::math::{M3, V3, greater, lesser};

/// Two cores whose nearest points are guessed, in axes of their own.
pub(in crate::narrowphase) trait GuessedPair: Copy {
    /// Two points near each other.
    type Points: Copy;

    /// Returns a vector from the first shape to the second in the axes of this pair, which are those of the world by default.
    #[inline(always)]
    fn own(&self, world: V3) -> V3 {
        world
    }

    /// Does the reverse of [`GuessedPair::own`].
    #[inline(always)]
    fn world(&self, own: V3) -> V3 {
        own
    }

    /// Returns the width of the gap between the planes across `normal`, times its length.
    fn width(&self, x: V3, normal: V3) -> f64;

    /// Returns points near the nearest points of cores at relative position `x`, which they usually are, except for rounding.
    fn nearest(&self, x: V3) -> Self::Points;

    /// Does what [`GuessedPair::nearest`] does, from points that are probably near.
    fn nearest_from(&self, x: V3, points: &Self::Points) -> Self::Points;

    /// Returns the vector between two points.
    fn between(points: &Self::Points) -> V3;

    /// Returns the points of the first and the second shape, relative to their positions, in the axes of the world.
    fn offsets(&self, points: &Self::Points) -> [V3; 2];

    /// Returns the direction in which a point meets a box whose slabs are wider by `more`, on its way along `d` for a time of at most
    /// `last`, if the pair is that and the point enters all slabs.
    #[inline(always)]
    fn entry(&self, _x: V3, _d: V3, _more: f64, _last: f64) -> Option<V3> {
        None
    }
}

/// Something that is computed for a pair of any kind.
pub(in crate::narrowphase) trait WithPair {
    /// The result.
    type Output;

    /// Computes it.
    fn with<P: GuessedPair>(self, pair: P) -> Self::Output;
}

/// Computes something for two cores that are boxes with these half extents and rotations, or returns `None` if both are neither points
/// nor segments along their axes `y`.
#[inline(always)]
pub(in crate::narrowphase) fn with_segments<W: WithPair>(
    [of_a, of_b]: [V3; 2],
    [a, b]: [Quaternion; 2],
    compute: W,
) -> Option<W::Output> {
    use BoxKind::{Other, Point, Segment};
    Some(match (BoxKind::of(of_a), BoxKind::of(of_b)) {
        (Point, Point) => compute.with(PointPair),
        (Point, _) => compute.with(BoxAndPoint::new(of_b, b, true)),
        (_, Point) => compute.with(BoxAndPoint::new(of_a, a, false)),
        (Segment(half), Segment(half_of_b)) => {
            compute.with(SegmentPair::new([half, half_of_b], [a, b]))
        }
        (Segment(half), Other) => compute.with(BoxAndSegment::new((of_b, b), (half, a), true)),
        (Other, Segment(half)) => compute.with(BoxAndSegment::new((of_a, a), (half, b), false)),
        (Other, Other) => return None,
    })
}

/// A quaternion of a shape.
type Quaternion = [f32; 4];

/// Kind of a core that is a box.
#[derive(Clone, Copy, Debug)]
enum BoxKind {
    Point,
    /// A segment along its axis `y`, of this half length.
    Segment(f64),
    Other,
}

impl BoxKind {
    #[inline(always)]
    fn of(half: V3) -> Self {
        if half.x + half.z > 0.0 {
            Self::Other
        } else if half.y > 0.0 {
            Self::Segment(half.y)
        } else {
            Self::Point
        }
    }
}

/// Returns the axis `y` of a shape in the axes of the world.
#[inline(always)]
fn axis_of(rotation: Quaternion) -> V3 {
    M3::second_axis(rotation)
}

/// Two points, in the axes of the world.
#[derive(Clone, Copy, Debug)]
struct PointPair;

impl GuessedPair for PointPair {
    /// The vector between the points.
    type Points = V3;

    #[inline(always)]
    fn width(&self, x: V3, normal: V3) -> f64 {
        normal.dot(x)
    }

    #[inline(always)]
    fn nearest(&self, x: V3) -> V3 {
        x
    }

    #[inline(always)]
    fn nearest_from(&self, x: V3, _: &V3) -> V3 {
        x
    }

    #[inline(always)]
    fn between(points: &V3) -> V3 {
        *points
    }

    #[inline(always)]
    fn offsets(&self, _: &V3) -> [V3; 2] {
        [V3::ZERO; 2]
    }
}

/// Two segments, in the axes of the world.
#[derive(Clone, Copy, Debug)]
struct SegmentPair {
    /// Axes of both.
    axes: [V3; 2],
    /// Half lengths.
    half: [f64; 2],
    /// Product of both axes.
    along: f64,
}

/// Where the points are on both segments, and the vector between them.
#[derive(Clone, Copy, Debug)]
struct SegmentPoints {
    at: [f64; 2],
    between: V3,
}

impl SegmentPair {
    #[inline(always)]
    fn new(half: [f64; 2], rotations: [Quaternion; 2]) -> Self {
        let axes = rotations.map_each(axis_of);
        Self { axes, half, along: axes[0].dot(axes[1]) }
    }

    /// Returns the points nearest to the point of the first segment at `s`, and then to that of the second.
    #[inline(always)]
    fn after(&self, x: V3, s: f64) -> SegmentPoints {
        let Self { axes: [u, v], half: [of_a, of_b], along } = *self;
        let t = clamp(along * s - v.dot(x), of_b);
        let s = clamp(along * t + u.dot(x), of_a);
        SegmentPoints { at: [s, t], between: x + v * t - u * s }
    }
}

/// The square of the sine between two segments below which they count as parallel.
const SEGMENTS_SINE_SQUARE_MIN: f64 = 1e-10;

impl GuessedPair for SegmentPair {
    type Points = SegmentPoints;

    #[inline(always)]
    fn width(&self, x: V3, normal: V3) -> f64 {
        let [of_a, of_b] = self.axes.map_each(|axis| normal.dot(axis).abs());
        normal.dot(x) - of_a * self.half[0] - of_b * self.half[1]
    }

    #[inline(always)]
    fn nearest(&self, x: V3) -> SegmentPoints {
        let Self { axes: [u, v], half: [of_a, _], along } = *self;
        let square = 1.0 - along * along;
        let s = if square > SEGMENTS_SINE_SQUARE_MIN {
            (u.dot(x) - along * v.dot(x)) / square
        } else {
            0.0
        };
        self.after(x, clamp(s, of_a))
    }

    #[inline(always)]
    fn nearest_from(&self, x: V3, _: &SegmentPoints) -> SegmentPoints {
        self.nearest(x)
    }

    #[inline(always)]
    fn between(points: &SegmentPoints) -> V3 {
        points.between
    }

    #[inline(always)]
    fn offsets(&self, points: &SegmentPoints) -> [V3; 2] {
        [self.axes[0] * points.at[0], self.axes[1] * points.at[1]]
    }
}

/// A box, its axes, and whether it is the second shape.
#[derive(Clone, Copy, Debug)]
struct OneBox {
    half: V3,
    frame: M3,
    swapped: bool,
}

impl OneBox {
    #[inline(always)]
    fn new(half: V3, rotation: Quaternion, swapped: bool) -> Self {
        Self { half, frame: M3::of_quaternion(rotation), swapped }
    }

    #[inline(always)]
    fn own(&self, world: V3) -> V3 {
        self.frame.rotate_back(if self.swapped { -world } else { world })
    }

    #[inline(always)]
    fn world(&self, own: V3) -> V3 {
        let world = self.frame.rotate(own);
        if self.swapped { -world } else { world }
    }

    /// Returns the points of the first and the second shape from that of the box and that of the other shape.
    #[inline(always)]
    fn offsets(&self, on_box: V3, on_other: V3) -> [V3; 2] {
        let [one, two] = [on_box, on_other].map_each(|point| self.frame.rotate(point));
        if self.swapped { [two, one] } else { [one, two] }
    }
}

/// A box or a segment, and a point, in the axes of the first.
#[derive(Clone, Copy, Debug)]
struct BoxAndPoint {
    of_box: OneBox,
}

impl BoxAndPoint {
    #[inline(always)]
    fn new(half: V3, rotation: Quaternion, swapped: bool) -> Self {
        Self { of_box: OneBox::new(half, rotation, swapped) }
    }
}

impl GuessedPair for BoxAndPoint {
    /// The point of the box, and the vector from it.
    type Points = [V3; 2];

    #[inline(always)]
    fn own(&self, world: V3) -> V3 {
        self.of_box.own(world)
    }

    #[inline(always)]
    fn world(&self, own: V3) -> V3 {
        self.of_box.world(own)
    }

    #[inline(always)]
    fn width(&self, x: V3, normal: V3) -> f64 {
        normal.dot(x) - normal.abs().dot(self.of_box.half)
    }

    #[inline(always)]
    fn nearest(&self, x: V3) -> [V3; 2] {
        let on_box = within(x, self.of_box.half);
        [on_box, x - on_box]
    }

    #[inline(always)]
    fn nearest_from(&self, x: V3, _: &[V3; 2]) -> [V3; 2] {
        self.nearest(x)
    }

    #[inline(always)]
    fn between(points: &[V3; 2]) -> V3 {
        points[1]
    }

    #[inline(always)]
    fn offsets(&self, points: &[V3; 2]) -> [V3; 2] {
        self.of_box.offsets(points[0], V3::ZERO)
    }

    #[inline(always)]
    fn entry(&self, x: V3, d: V3, more: f64, last: f64) -> Option<V3> {
        let half = self.of_box.half;
        let slab = |x: f64, d: f64, half: f64| {
            let (before, inverse) = (if d > 0.0 { -x } else { x }, 1.0 / d.abs());
            let reach = half + more;
            [(before - reach) * inverse, (before + reach) * inverse]
        };
        let (of_x, of_y) = (slab(x.x, d.x, half.x), slab(x.y, d.y, half.y));
        let of_z = slab(x.z, d.z, half.z);
        let entry = greater(greater(of_x[0], of_y[0]), greater(of_z[0], 0.0));
        let exit = lesser(lesser(of_x[1], of_y[1]), lesser(of_z[1], last));
        let at = x + d * entry;
        // A comparison with NaN is false.
        (entry < exit).then(|| at - within(at, half))
    }
}

/// A box and a segment, in the axes of the box.
#[derive(Clone, Copy, Debug)]
struct BoxAndSegment {
    of_box: OneBox,
    /// Axis of the segment, and half its length.
    axis: V3,
    most: f64,
}

/// A point of the box, where the other point is on the segment, and the vector between them.
#[derive(Clone, Copy, Debug)]
struct BoxAndSegmentPoints {
    on_box: V3,
    at: f64,
    between: V3,
}

impl BoxAndSegment {
    #[inline(always)]
    fn new(
        (half, rotation): (V3, Quaternion),
        (most, of_segment): (f64, Quaternion),
        swapped: bool,
    ) -> Self {
        let of_box = OneBox::new(half, rotation, swapped);
        Self { of_box, axis: of_box.frame.rotate_back(axis_of(of_segment)), most }
    }

    /// Returns the nearest points after two projections from the point of the segment at `at`.
    #[inline(always)]
    fn after(&self, x: V3, at: f64) -> BoxAndSegmentPoints {
        let Self { axis, most, of_box: OneBox { half, .. } } = *self;
        let on_box = within(x + axis * at, half);
        let at = clamp(axis.dot(on_box - x), most);
        let other = x + axis * at;
        let on_box = within(other, half);
        let points = BoxAndSegmentPoints { on_box, at, between: other - on_box };
        let e = free(on_box, half);
        if e.square() == 1.0 && at.abs() < most { self.on_edge(&points, e) } else { points }
    }

    /// Returns the nearest points of the segment and of the edge of the box through these points along the axis `e`.
    #[inline(always)]
    fn on_edge(&self, points: &BoxAndSegmentPoints, e: V3) -> BoxAndSegmentPoints {
        let Self { axis, most, of_box: OneBox { half, .. } } = *self;
        let BoxAndSegmentPoints { on_box, at, between } = *points;
        let (along, ed, fd) = (e.dot(axis), e.dot(between), axis.dot(between));
        let (at_box, most_of_box) = (e.dot(on_box), e.dot(half));
        let [s, t] = steps_on_edges(
            [ed, fd],
            along,
            [at_box, at],
            [most_of_box, most],
            SEGMENTS_SINE_SQUARE_MIN,
        );
        let on_box = within(on_box + e * s, half);
        BoxAndSegmentPoints { on_box, at: at + t, between: between + axis * t - e * s }
    }

    /// Returns where the point of the segment is that is nearest to the box, if it is outside of the box along the same axes as the point
    /// at `at`. That is a step of Newton's method: the squared distance from the box is a quadratic until these axes change.
    #[inline(always)]
    fn nearer(&self, x: V3, at: f64) -> f64 {
        let Self { axis, most, of_box: OneBox { half, .. } } = *self;
        let point = x + axis * at;
        let out = point - within(point, half);
        let across = |out: f64, along: f64| if out != 0.0 { along * along } else { 0.0 };
        let square = across(out.x, axis.x) + across(out.y, axis.y) + across(out.z, axis.z);
        let step = if square > SEGMENTS_SINE_SQUARE_MIN { axis.dot(out) / square } else { 0.0 };
        clamp(at - step, most)
    }

    /// Returns the point of the segment at `at`, and the point of the box that is nearest to it.
    #[inline(always)]
    fn points(&self, x: V3, at: f64) -> BoxAndSegmentPoints {
        let other = x + self.axis * at;
        let on_box = within(other, self.of_box.half);
        BoxAndSegmentPoints { on_box, at, between: other - on_box }
    }
}

impl GuessedPair for BoxAndSegment {
    type Points = BoxAndSegmentPoints;

    #[inline(always)]
    fn own(&self, world: V3) -> V3 {
        self.of_box.own(world)
    }

    #[inline(always)]
    fn world(&self, own: V3) -> V3 {
        self.of_box.world(own)
    }

    #[inline(always)]
    fn width(&self, x: V3, normal: V3) -> f64 {
        let gap = normal.dot(x) - normal.abs().dot(self.of_box.half);
        gap - normal.dot(self.axis).abs() * self.most
    }

    #[inline(always)]
    fn nearest(&self, x: V3) -> BoxAndSegmentPoints {
        let at = clamp(-self.axis.dot(x), self.most);
        self.after(x, at)
    }

    #[inline(always)]
    fn nearest_from(&self, x: V3, points: &BoxAndSegmentPoints) -> BoxAndSegmentPoints {
        self.points(x, self.nearer(x, points.at))
    }

    #[inline(always)]
    fn between(points: &BoxAndSegmentPoints) -> V3 {
        points.between
    }

    #[inline(always)]
    fn offsets(&self, points: &BoxAndSegmentPoints) -> [V3; 2] {
        self.of_box.offsets(points.on_box, self.axis * points.at)
    }
}

impl GuessedPair for BoxPair<'_> {
    type Points = BoxPoints;

    #[inline(always)]
    fn own(&self, world: V3) -> V3 {
        BoxPair::own(self, world)
    }

    #[inline(always)]
    fn world(&self, own: V3) -> V3 {
        BoxPair::world(self, own)
    }

    #[inline(always)]
    fn width(&self, x: V3, normal: V3) -> f64 {
        BoxPair::width(self, x, normal)
    }

    #[inline(always)]
    fn nearest(&self, x: V3) -> BoxPoints {
        BoxPair::nearest(self, x)
    }

    #[inline(always)]
    fn nearest_from(&self, x: V3, points: &BoxPoints) -> BoxPoints {
        BoxPair::nearest_from(self, x, points.on_b)
    }

    #[inline(always)]
    fn between(points: &BoxPoints) -> V3 {
        points.between
    }

    #[inline(always)]
    fn offsets(&self, points: &BoxPoints) -> [V3; 2] {
        let on_b = self.rotation.rotate(points.on_b);
        let [one, two] = [points.on_a, on_b].map_each(|point| self.frame.rotate(point));
        if self.swapped { [two, one] } else { [one, two] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::gjk::{GJK_ITERATIONS_MAX, RotatedPair, RotatedShape};
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::simplex::Simplex;

    /// What is checked of two cores.
    struct Bounds<'p> {
        pair: &'p RotatedPair<'p>,
        x: V3,
        /// Bounds of the distance from a search.
        searched: [f64; 2],
    }

    impl WithPair for Bounds<'_> {
        /// How much the guessed bounds differ.
        type Output = f64;

        fn with<P: GuessedPair>(self, guessed: P) -> f64 {
            let (x, own) = (self.x, guessed.own(self.x));
            assert!((guessed.world(own) - x).length() < 1e-12);
            let first = guessed.nearest(own);
            let mut least = f64::INFINITY;
            for points in [first, guessed.nearest_from(own, &first)] {
                let between = P::between(&points);
                let upper = between.length();
                let lower = guessed.width(own, between) / upper;
                let offsets = guessed.offsets(&points);
                for (offset, shape) in offsets.iter().zip([&self.pair.a, &self.pair.b]) {
                    let half = shape.shape.core.half_extents().expect("a box");
                    let of_shape = shape.rotation.rotate_back(*offset);
                    assert!((of_shape - within(of_shape, half)).length() < 1e-12, "{of_shape:?}");
                }
                let world = x + offsets[1] - offsets[0];
                assert!((guessed.world(between) - world).length() < 1e-12, "{world:?}");
                let [below, above] = self.searched;
                assert!(
                    upper >= below - 1e-12 && lower <= above + 1e-12,
                    "{lower} {upper} {below} {above}"
                );
                let width = world.dot(x) - self.pair.support(world).at.dot(world);
                assert!((width / upper - lower).abs() < 1e-12, "{width} {lower}");
                least = lesser(least, upper - lower);
            }
            least
        }
    }

    /// Goal: the guessed points are points of the cores, the plane across their direction bounds the distance from below as its support
    /// does, and mostly both bounds are equal: always but for a segment and a box. Method: points and segments with each other and with
    /// boxes, also flat ones, in arbitrary rotations, almost parallel and parallel; the search for the distance.
    #[test]
    fn nearest_points_of_segments_bound_the_distance() {
        let mut draw = numbers_f32(19);
        let (mut apart, mut others, mut exact) = (0, 0, [0; 2]);
        for case in 0..12_000_usize {
            let mut half = |kind: usize| match kind {
                0 => [0.0; 3],
                1 => [0.0, draw().abs() + 0.01, 0.0],
                2 => [draw().abs(), 0.0, draw().abs() + 0.01],
                _ => [draw().abs(), draw().abs(), draw().abs() + 0.01],
            };
            let halves = [half(case % 4), half(case / 4 % 4)];
            let shapes = halves.map(|half| Shape::cuboid(half).expect("a box"));
            let angle = [1.0, 1.0, 1e-5, 0.0][case / 16 % 4];
            let rotations = [0, 1].map(|_| [draw() * angle, draw() * angle, draw() * angle, 0.5]);
            let rotated = |row: usize| RotatedShape {
                shape: &shapes[row],
                rotation: M3::of_quaternion(rotations[row]),
            };
            let pair = RotatedPair { a: rotated(0), b: rotated(1) };
            let x = V3::new(draw().into(), draw().into(), draw().into()) * 2.0;
            let mut simplex = Simplex::default();
            let guess = (x.unit().expect("apart"), f64::NEG_INFINITY);
            let enough = |lower: f64, upper: f64| upper - lower <= 1e-13;
            let found = pair.nearest(x, &mut simplex, guess, 1e-9, enough);
            if found.upper < 1e-3 || found.supports >= GJK_ITERATIONS_MAX {
                continue;
            }
            let searched = [found.lower, found.upper];
            let bounds = Bounds { pair: &pair, x, searched };
            let cores = shapes.map(|shape| shape.core.half_extents().expect("a box"));
            let Some(differ) = with_segments(cores, rotations, bounds) else {
                others += 1;
                continue;
            };
            apart += 1;
            let boxes = halves.iter().filter(|half| half[0] + half[2] > 0.0).count();
            let segments =
                halves.iter().filter(|half| half[0] + half[2] == 0.0 && half[1] > 0.0).count();
            if boxes + segments < 2 || boxes == 0 && angle != 1e-5 {
                assert!(differ < 1e-9, "{case} {halves:?} {differ}");
                exact[0] += 1;
            } else {
                exact[1] += usize::from(differ < 1e-9);
            }
        }
        assert!(apart > 6000 && others > 1500 && exact[0] > 3000, "{apart} {others} {exact:?}");
        assert!(exact[1] * 10 > (apart - exact[0]) * 8, "{apart} {exact:?}");
    }
}
