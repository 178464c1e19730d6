//! Lower bounds of the times at which a convex shape touches triangles, sixteen at a time.
//!
//! During a window in which the body with the triangles does not rotate, the shape is inside each of three convex sets
//! about its position: the box of `path_box.rs`, the box of its own axes, and its bounding ball, each enlarged by what
//! the shape turns and by the deviation of its path from a straight line. With `c` the position at the start and `D` the
//! displacement, and `s` in `[0, 1]` along the window, for every direction `n`
//!
//! ```text
//! n·(shape at s) ≤ n·(c + s·D) + h(n)        h(n) = the least extent of the three sets
//! ```
//!
//! so a triangle whose corners have `n·r` in `[low, high]`, relative to `c`, is not touched while
//! `s·(n·D) < low − h(n)`, nor while `s·(n·D) > high + h(−n)`. Six directions are tested: the normal of the triangle, and
//! for each edge the direction across the edge and `D`, along which the two do not approach each other: it separates in
//! the whole window or not at all (separating axis test of a moving shape; Ericson 2005, §5.5.7). The last two start from the
//! time that these four prove: the direction from the shape there to the middle of the triangle, and the axis of the shape's
//! own box that is across the side on which the triangle is.
//!
//! The numbers are `f32`. Any vector serves as `n`, so its rounding does not matter. That of the products is covered by an
//! increase of `h` by `2⁻¹⁹·|n|₁·L`, where `L` is the sum of the greatest coordinates: the error of each of the few terms
//! is at most `4·2⁻²⁴·|n|₁·L`. Where a product could overflow or underflow the direction is ignored. `docs/math/mesh.md` has the proof.
//!
//! Output: a lower bound of the fraction of the window, infinite if there is no contact in it; never NaN.

use super::part_search::PartSearch;
use crate::geom::{MapEach, MovingBox};
use crate::lanes::vectors::{LaneVectors, cross, dot, splat_each};
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level};
use crate::narrowphase::math::{V3, greater, lesser, round_down};

/// Number of triangles that are tested together.
pub(crate) const TRIANGLES: usize = LANES_MAX;

/// Corners of triangles as columns: by corner, then axis, then triangle. Lanes that are not used contain zeros or earlier triangles.
pub(crate) type TriangleColumns = [[[f32; TRIANGLES]; 3]; 3];

/// Bound of the rounding errors, relative to the sum of the greatest coordinates.
const SLACK: f32 = 1.0 / (1 << 19) as f32;

/// Absolute bound of the rounding errors: far above those of products that underflow.
const SLACK_TINY: f32 = f32::from_bits((127 - 80) << 23);

/// Range of the square of a direction's length in which products of its components do not underflow or overflow.
const SQUARES: [f32; 2] = [f32::from_bits((127 - 100) << 23), f32::from_bits((127 + 100) << 23)];

/// Greatest increase of an extent for which no product with the direction overflows.
const LARGE: f32 = f32::from_bits((127 + 96) << 23);

/// Factor that makes a number greater by more than some roundings of it.
const MORE: f32 = 1.0 + 1.0 / (1 << 20) as f32;

/// Factor that makes a time earlier by more than its rounding.
const EARLIER: f32 = 1.0 - 1.0 / (1 << 20) as f32;

/// The sets that contain a moving shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleBounds {
    /// The position of the shape at the start of the window.
    center: [f32; 3],
    /// Its displacement.
    delta: [f32; 3],
    /// Half extents of the box around the path.
    half: [f32; 3],
    /// The axes of the shape, each times the half extent of its box.
    axes: [[f32; 3]; 3],
    /// The axes, and the inverses of the half extents.
    faces: [[f32; 3]; 3],
    inverse_half: [f32; 3],
    /// By how much the box of these axes is enlarged.
    margin: f32,
    /// Radius of the ball.
    radius: f32,
    /// Upper bound of each length here, and of each coordinate of `delta`. That of `center` does not count.
    greatest: f32,
}

impl PartSearch<'_> {
    /// Returns bounds for a window with this box around the path, for a body that does not rotate.
    pub(crate) fn triangle_bounds(
        &self,
        path_box: &MovingBox,
        [from, to]: [f64; 2],
    ) -> TriangleBounds {
        let Self { mover, path, slack, tolerance, contact_distance, .. } = self;
        let length = to - from;
        let start = -path.between(from);
        let (center, delta) = (start.to_f32(), path_box.delta);
        // The parts of the path that the moved centre leaves out.
        let straight = -path.between(to) - start;
        let off = (start - V3::of(center)).length()
            + (straight - V3::of(delta)).length()
            + 0.125 * length * length * path.accel.length();
        let margin = contact_distance + tolerance + 4.0 * slack + off;
        // Seen from its rotation in the middle, the shape turns by half of the angle to either side.
        let turn = 0.5 * length * mover.rotation.rate * mover.axis_distance;
        let rotation = if turn > 0.0 { mover.rotation_at(0.5 * (from + to)) } else { mover.start };
        let extent = mover.shape.extent.to_array();
        let radius = mover.shape.bounding_radius + margin;
        let mut bounds = TriangleBounds {
            center,
            delta,
            half: [0.0; 3],
            axes: [0, 1, 2].map_each(|axis| (rotation.axis(axis) * extent[axis]).to_f32()),
            faces: [0, 1, 2].map_each(|axis| rotation.axis(axis).to_f32()),
            inverse_half: extent.map_each(|half| lesser(1.0 / half, f64::from(f32::MAX)) as f32),
            margin: above(margin + turn),
            radius: above(radius),
            greatest: 0.0,
        };
        let mut greatest =
            greater(radius + turn, lesser(extent[0] + extent[1] + extent[2], f64::MAX));
        for axis in 0..3 {
            let center = f64::from(center[axis]);
            let [low, high] =
                [path_box.aabb.min, path_box.aabb.max].map_each(|end| f64::from(end[axis]));
            let half = greater(center - low, high - center);
            bounds.half[axis] = above(half);
            greatest = greater(greatest, half) + f64::from(delta[axis].abs());
        }
        bounds.greatest = above(greatest);
        bounds
    }
}

/// Returns an `f32` above a number that is not negative, by more than some roundings.
fn above(x: f64) -> f32 {
    -round_down(-x * (1.0 + 1e-6))
}

impl TriangleBounds {
    /// Computes the bounds for the first triangles of the columns. Those up to the next multiple of the number of lanes are
    /// written.
    pub(crate) fn of(
        &self,
        level: Level,
        triangles: &TriangleColumns,
        count: usize,
    ) -> [f32; TRIANGLES] {
        level.run(Bounds { of: self, triangles, count })
    }
}

/// The kernel for all groups of triangles.
struct Bounds<'a> {
    of: &'a TriangleBounds,
    triangles: &'a TriangleColumns,
    count: usize,
}

impl Kernel for Bounds<'_> {
    type Output = [f32; TRIANGLES];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [f32; TRIANGLES] {
        let mut times = [0.0; TRIANGLES];
        let mut at = 0;
        while at < self.count {
            bounds(isa, self.of, self.triangles, at).store(&mut times[at..]);
            at += I::LANES;
        }
        times
    }
}

/// Computes the bounds for the group that starts at lane `at`.
#[inline(always)]
fn bounds<I: Isa>(isa: I, of: &TriangleBounds, triangles: &TriangleColumns, at: usize) -> I::F32 {
    let zero = isa.splat(0.0);
    let center = splat_each(isa, &of.center);
    let (mut corners, mut sides) = ([[zero; 3]; 3], [[zero; 3]; 3]);
    let mut greatest = zero;
    for corner in 0..3 {
        for axis in 0..3 {
            corners[corner][axis] = isa.load(&triangles[corner][axis][at..]) - center[axis];
            greatest = corners[corner][axis].abs().max(greatest);
        }
    }
    for side in 0..3 {
        for axis in 0..3 {
            sides[side][axis] = corners[(side + 1) % 3][axis] - corners[side][axis];
        }
    }
    let delta = splat_each(isa, &of.delta);
    let slack = (greatest + isa.splat(of.greatest)) * isa.splat(SLACK) + isa.splat(SLACK_TINY);
    let mut first = entry(isa, of, &corners, slack, &cross::<I>(&sides[0], &sides[1]));
    for side in &sides {
        first = entry(isa, of, &corners, slack, &cross::<I>(side, &delta)).max(first);
    }
    // From the shape at that time to the middle of the triangle, as a step of conservative advancement.
    let at = first.min(isa.splat(1.0));
    let third = isa.splat(1.0 / 3.0);
    let mut toward = delta;
    for axis in 0..3 {
        let middle = (corners[0][axis] + corners[1][axis] + corners[2][axis]) * third;
        toward[axis] = middle - at * delta[axis];
    }
    first = entry(isa, of, &corners, slack, &toward).max(first);
    // Across the side of the shape's own box on which the triangle is.
    let mut side = splat_each(isa, &of.faces[0]);
    let mut out = dot::<I>(&toward, &side).abs() * isa.splat(of.inverse_half[0]);
    for axis in 1..3 {
        let other = splat_each(isa, &of.faces[axis]);
        let farther = dot::<I>(&toward, &other).abs() * isa.splat(of.inverse_half[axis]);
        let is_farther = out.lt(farther);
        for k in 0..3 {
            side[k] = I::F32::select(is_farther, other[k], side[k]);
        }
        out = I::F32::select(is_farther, farther, out);
    }
    entry(isa, of, &corners, slack, &side).max(first)
}

/// Returns the time before which a direction separates.
#[inline(always)]
fn entry<I: Isa>(
    isa: I,
    of: &TriangleBounds,
    corners: &[LaneVectors<I>; 3],
    slack: I::F32,
    n: &LaneVectors<I>,
) -> I::F32 {
    let zero = isa.splat(0.0);
    let far = [dot::<I>(&corners[0], n), dot::<I>(&corners[1], n), dot::<I>(&corners[2], n)];
    let low = far[0].min(far[1]).min(far[2]);
    let high = far[0].max(far[1]).max(far[2]);
    let speed = dot::<I>(&splat_each(isa, &of.delta), n);
    let square = dot::<I>(n, n);
    let length = square.sqrt() * isa.splat(MORE);
    let size = [n[0].abs(), n[1].abs(), n[2].abs()];
    let in_path_box = dot::<I>(&splat_each(isa, &of.half), &size);
    let mut in_own_box = length * isa.splat(of.margin);
    for axis in &of.axes {
        in_own_box = in_own_box + dot::<I>(&splat_each(isa, axis), n).abs();
    }
    let in_ball = length * isa.splat(of.radius);
    let more = (size[0] + size[1] + size[2]) * slack;
    let reach = in_path_box.min(in_own_box).min(in_ball) + more;
    let (ahead, behind) = (low - reach, zero - (high + reach));
    let is_ahead = zero.lt(ahead);
    let gap = I::F32::select(is_ahead, ahead, behind);
    let toward = I::F32::select(is_ahead, speed, zero - speed);
    let time = I::F32::select(
        zero.lt(toward),
        gap / toward * isa.splat(EARLIER),
        isa.splat(f32::INFINITY),
    );
    let valid = isa.splat(SQUARES[0]).lt(square)
        & square.lt(isa.splat(SQUARES[1]))
        & more.lt(isa.splat(LARGE));
    // Comparisons with NaN are false.
    I::F32::select(zero.lt(gap) & valid, time, zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::toi::part_search::PartsExtent;
    use crate::narrowphase::toi::{Settings, ToiResult, Touch, one_to_one};

    /// Goal: a bound is never later than the first contact, is the same on every level, and rejects most triangles that
    /// are missed. Method: boxes, capsules and balls that move, accelerate and rotate near random triangles, some of
    /// them needles, at scales from 2⁻⁴⁰ to 2⁴⁰ and near and far from the origin; compared with the search for two
    /// shapes.
    #[test]
    fn bound_is_not_later_than_the_contact_and_rejects_most_misses() {
        let mut next = numbers_f32(5);
        let mut draw = move |most: f32| most * next();
        let (mut hits, mut misses, mut rejected) = (0, 0, 0);
        for case in 0..4000_u32 {
            let scale =
                [1.0, 1.0, 1.0, f32::from_bits((127 - 40) << 23), f32::from_bits((127 + 40) << 23)]
                    [case as usize % 5];
            let mut vector =
                |most: f32| [draw(most * scale), draw(most * scale), draw(most * scale)];
            let far = if case % 7 == 0 { vector(4000.0) } else { [0.0; 3] };
            let near = |vector: [f32; 3]| [0, 1, 2].map(|axis| vector[axis] + far[axis]);
            let half = vector(0.6).map(f32::abs);
            let shape = match case % 3 {
                0 => Shape::cuboid(half),
                1 => Shape::capsule(half[0], half[1]),
                _ => Shape::sphere(half[0]),
            };
            let shape = shape.expect("valid lengths");
            let turn = vector(3.0 / scale);
            let pose = Pose::normalized(near(vector(2.0)), [turn[0], turn[1], turn[2], 1.0])
                .expect("a pose");
            let mut motion = Motion::new(pose, vector(5.0)).expect("a motion");
            if case % 4 == 1 {
                motion.accel = vector(3.0);
            }
            if case % 4 >= 2 {
                motion.spin = vector(if case % 8 < 4 { 0.5 } else { 4.0 }).map(|x| x / scale);
            }
            let mut columns = TriangleColumns::default();
            let mut triangles = [[[0.0; 3]; 3]; TRIANGLES];
            for (lane, triangle) in triangles.iter_mut().enumerate() {
                let first = vector(3.0);
                let thin = if lane % 4 == 3 { 1e-3 } else { 1.0 };
                let sides = [vector(1.5), vector(1.5 * thin)];
                *triangle = [
                    first,
                    [0, 1, 2].map(|k| first[k] + sides[0][k]),
                    [0, 1, 2].map(|k| first[k] + sides[1][k]),
                ];
                *triangle = triangle.map(near);
                for corner in 0..3 {
                    for axis in 0..3 {
                        columns[corner][axis][lane] = triangle[corner][axis];
                    }
                }
            }
            let settings = Settings { touch: Touch::Hit, ..Settings::default() };
            let extent = PartsExtent {
                bounding_radius: f64::from(scale) * 9000.0,
                size: 4.0 * f64::from(scale),
                one_sided: false,
            };
            let still = Motion::default();
            let search = PartSearch::new(&shape, &motion, (&still, &extent), &settings, 1.0);
            let bounds = search.triangle_bounds(&search.path_box([0.0, 1.0]), [0.0, 1.0]);
            let times = bounds.of(Level::detect(), &columns, TRIANGLES);
            for level in Level::all() {
                let same = bounds.of(level, &columns, TRIANGLES).map(f32::to_bits);
                assert_eq!(same, times.map(f32::to_bits), "{level:?}");
            }
            for (triangle, bound) in triangles.iter().zip(times) {
                assert!(bound >= 0.0, "{bound}");
                let triangle = Shape::triangle(*triangle).expect("a triangle");
                let found =
                    one_to_one(&shape, &motion, &triangle, &still, &settings).expect("valid");
                match found.result {
                    // Before the bound the distance is above the tolerance of the search for two shapes, too.
                    ToiResult::Impact { t, .. } => {
                        hits += 1;
                        assert!(bound <= t, "{case}: {bound} {t}");
                    }
                    ToiResult::Overlapping { .. } => assert!(bound == 0.0, "{case}: {bound}"),
                    ToiResult::Unresolved { .. } => {}
                    ToiResult::Separated => {
                        misses += 1;
                        rejected += usize::from(bound > 1.0);
                    }
                }
            }
        }
        assert!(hits > 1000 && misses > 20_000, "{hits} {misses}");
        assert!(rejected * 2 > misses, "{rejected} of {misses}");
    }
}
