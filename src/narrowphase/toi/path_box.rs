//! Moving box around the path of a convex shape, in the axes of a body that may rotate.
//!
//! The position of the shape relative to the body, in the axes of the body, is `y(t) = R(t)ᵀ·x(t)`. In a part of the
//! tick of length `Δ` it deviates from the straight line between its ends by no more than `⅛·Δ²·max|y″|`, where
//!
//! ```text
//! |y″| ≤ |g| + 2·|ω|·|x′| + |ω|²·|x|
//! ```
//!
//! for a body that rotates by `ω`. The extent of the shape along an axis of the body deviates from the line between its
//! extents at both ends by no more than `⅛·Δ²·(|ω| + |ω_shape|)²` times its bounding radius, and never exceeds that
//! radius. The box moves by the displacement between the ends and is enlarged by all of this, a margin, and the bounds
//! of the rounding errors.
//!
//! Units: lengths. The path is that of a part of the tick, and a time of it is a fraction of that part.

use super::part_search::PartSearch;
use super::relative_motion::MovingShape;
use crate::geom::{Aabb, COORD_MAX, MapEach, MovingBox};
use crate::narrowphase::math::{M3, V3, greater, greater_or_nan, lesser, round_down};
use crate::narrowphase::support::Core;

/// Angle in radians by which a body rotates at most during a part of the tick, unless there would be too many parts.
const TURN_MAX: f64 = 0.25;

/// Greatest number of parts of the tick.
const INTERVALS_MAX: f64 = 64.0;

/// Greatest coordinate of a box that moves. Larger ones are replaced by a box around everything.
const LARGE: f64 = COORD_MAX as f64 / 8.0;

impl PartSearch<'_> {
    /// Returns the number of parts of equal length into which a window is divided, so that the body rotates little
    /// during each.
    pub(crate) fn intervals(&self, [from, to]: [f64; 2]) -> u32 {
        let parts = self.rotation.rate * (to - from) / TURN_MAX;
        let parts = lesser(parts, INTERVALS_MAX) as u32;
        1 + parts
    }

    /// Returns the angle by which the shape rotates during a part of the tick.
    pub(crate) fn turn(&self, [from, to]: [f64; 2]) -> f64 {
        self.mover.rotation.rate * (to - from)
    }

    /// Returns a moving box that contains the shape during the window, in the axes of the body, enlarged by the
    /// target distance and the tolerance: a part that it does not touch is at no distance that counts as a contact.
    pub(crate) fn path_box(&self, [from, to]: [f64; 2]) -> MovingBox {
        let Self { mover, path, rotation, slack, tolerance, contact_distance, .. } = self;
        let length = to - from;
        let fixed = self.is_fixed_frame();
        let axes = |t: f64| if fixed { M3::IDENTITY } else { rotation.after(&self.frame, t) };
        let ends = [from, to].map_each(|t| (axes(t), path.between(t), path.velocity(t)));
        let rotations = if mover.rotation.rate == 0.0 {
            [mover.start; 2]
        } else {
            [from, to].map_each(|t| mover.rotation_at(t))
        };
        // From the body to the shape.
        let [start, end] = [&ends[0], &ends[1]].map_each(|(axes, x, _)| axes.rotate_back(-*x));
        let rate = rotation.rate;
        let path_deviation = if fixed {
            0.0
        } else {
            let far = greater(ends[0].1.length(), ends[1].1.length())
                + path.accel.length() * (length * length);
            let fast = greater(ends[0].2.length(), ends[1].2.length());
            rate * (2.0 * fast + rate * far) * (0.125 * length * length)
                + 0.125 * path.accel.length() * length * length
        };
        let rates = rate + mover.rotation.rate;
        let extent_deviation =
            0.125 * length * length * rates * rates * mover.shape.bounding_radius;
        // More than the rounding of the numbers here, and of the `f32`.
        let margin = contact_distance + tolerance + 4.0 * slack;
        // Then both extents have the same bits.
        let is_symmetric = matches!(mover.shape.core, Core::Box { .. });
        // The ranges at the start, and at the end if they may differ.
        let ranges = [0, 1].map_each(|end| {
            if end == 1 && extent_deviation == 0.0 {
                return None;
            }
            let own = |axis: usize| rotations[end].rotate_back(ends[end].0.axis(axis));
            mover.shape.core.ranges(&[own(0), own(1), own(2)])
        });
        let mut moving = MovingBox::default();
        let mut valid = true;
        for axis in 0..3 {
            let of = |v: V3| v.to_array()[axis];
            let (y, displacement) = (of(start), of(end) - of(start));
            let half_accel = if fixed { -0.5 * of(path.accel) * (length * length) } else { 0.0 };
            let delta = displacement as f32;
            let off = (displacement - f64::from(delta)).abs() + path_deviation + margin;
            let reach = |sign: f64| {
                if let Some(first) = &ranges[0] {
                    // Products with the opposite direction are the opposite numbers.
                    let of = |range: &[f64; 2]| if sign > 0.0 { range[1] } else { -range[0] };
                    let last = ranges[1].as_ref().unwrap_or(first);
                    return greatest_extent(
                        mover,
                        [of(&first[axis]), of(&last[axis])],
                        extent_deviation,
                    );
                }
                let axes = [&ends[0].0, &ends[1].0].map_each(|axes| axes.axis(axis) * sign);
                extent(mover, &rotations, axes, extent_deviation)
            };
            // The path bends to the side opposite to the acceleration, by a quarter of the half.
            let above = reach(1.0);
            let below = if is_symmetric { above } else { reach(-1.0) };
            let low = y - below - off - greater(0.25 * half_accel, 0.0);
            let high = y + above + off + greater(-0.25 * half_accel, 0.0);
            valid &= low.abs() < LARGE && high.abs() < LARGE && displacement.abs() < LARGE;
            moving.aabb.min[axis] = round_down(greater(low, -LARGE));
            moving.aabb.max[axis] = -round_down(greater(-high, -LARGE));
            moving.delta[axis] = delta;
        }
        let all = Aabb { min: [-COORD_MAX; 3], max: [COORD_MAX; 3] };
        if valid { moving } else { MovingBox { aabb: all, delta: [0.0; 3] } }
    }
}

/// Returns how far the core extends along a direction at any time between two, from its rotations and the directions at
/// both.
fn extent(
    mover: &MovingShape<'_>,
    rotations: &[M3; 2],
    directions: [V3; 2],
    extent_deviation: f64,
) -> f64 {
    let of = |end: usize| {
        let own = rotations[end].rotate_back(directions[end]);
        mover.shape.core.support(own).dot(own)
    };
    let first = of(0);
    greatest_extent(
        mover,
        [first, if extent_deviation == 0.0 { first } else { of(1) }],
        extent_deviation,
    )
}

/// Returns how far the core extends at any time between two, from its extents at both.
fn greatest_extent(mover: &MovingShape<'_>, [first, last]: [f64; 2], extent_deviation: f64) -> f64 {
    if extent_deviation == 0.0 {
        return first;
    }
    let most = greater_or_nan(first, last) + extent_deviation;
    // The support map of the caller may return NaN, which is not less.
    if most < mover.shape.bounding_radius { most } else { mover.shape.bounding_radius }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::hull::Hull;
    use crate::narrowphase::rotation::Rotation;
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::toi::part_search::PartsExtent;
    use crate::narrowphase::toi::settings::Settings;

    const POINTS: u32 = 512;

    fn motion(position: [f32; 3], delta: [f32; 3], spin: [f32; 3], accel: [f32; 3]) -> Motion {
        let pose = Pose::normalized(position, [0.2, -0.1, 0.3, 1.0]).expect("a pose");
        Motion { pose, delta, spin, accel }
    }

    fn search<'s>(
        shape: &'s Shape<'s>,
        motion: &'s Motion,
        body: &'s Motion,
        settings: &Settings,
    ) -> PartSearch<'s> {
        let extent = PartsExtent { bounding_radius: 8.0, size: 8.0, one_sided: false };
        PartSearch::new(shape, motion, (body, &extent), settings, 1.0)
    }

    /// Settings in which a shape is at no distance that counts as a contact.
    fn exact() -> Settings {
        Settings { tolerance: 0.0, ..Settings::default() }
    }

    /// Returns the range of the shape's coordinates along each axis of the body, relative to the moving box, over the window: the sides that the
    /// box needs.
    fn needed(
        (shape, motion, body): (&Shape<'_>, &Motion, &Motion),
        delta: [f32; 3],
        [from, to]: [f64; 2],
    ) -> [[f64; 2]; 3] {
        let rotation = |of: &Motion, t: f64| {
            Rotation::new(V3::of(of.spin)).after(&M3::of_quaternion(of.pose.rotation), t)
        };
        let position = |of: &Motion, t: f64| {
            V3::of(of.pose.position) + (V3::of(of.delta) + V3::of(of.accel) * (0.5 * t)) * t
        };
        let mut sides = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for point in 0..=POINTS {
            let s = f64::from(point) / f64::from(POINTS);
            let t = from + (to - from) * s;
            let (axes, own) = (rotation(body, t), rotation(motion, t));
            let at = axes.rotate_back(position(motion, t) - position(body, t)).to_array();
            for (axis, side) in sides.iter_mut().enumerate() {
                let center = at[axis] - f64::from(delta[axis]) * s;
                let direction = own.rotate_back(axes.axis(axis));
                let extent = |d: V3| shape.core.support(d).dot(d) + shape.radius;
                side[0] = lesser(side[0], center - extent(-direction));
                side[1] = greater(side[1], center + extent(direction));
            }
        }
        sides
    }

    /// Checks that the box contains the shape, and that no side is farther from it than `spare`. Returns the greatest distance.
    fn check(of: (&Shape<'_>, &Motion, &Motion), window: [f64; 2], spare: f64) -> f64 {
        let moving = search(of.0, of.1, of.2, &exact()).path_box(window);
        let mut most = 0.0_f64;
        for (axis, [low, high]) in needed(of, moving.delta, window).into_iter().enumerate() {
            let min = f64::from(moving.aabb.min[axis]);
            let max = f64::from(moving.aabb.max[axis]);
            assert!(min <= low && high <= max, "axis {axis}: {min} {low} {high} {max}");
            assert!(
                low - min <= spare && max - high <= spare,
                "axis {axis}: {min} {low} {high} {max}"
            );
            most = greater(most, greater(low - min, max - high));
        }
        most
    }

    /// Rounding of the `f32` of a box of some units.
    const ROUNDED: f64 = 4e-6;

    #[test]
    fn box_of_a_shape_that_does_not_rotate_is_exact() {
        let shapes = [
            Shape::cuboid([0.5, 1.0, 2.0]),
            Shape::capsule(0.5, 0.25),
            Shape::cone(1.0, 0.5),
            Shape::triangle([[0.0; 3], [1.0, 0.0, 0.5], [0.0, 2.0, 0.0]]),
        ];
        for shape in shapes {
            let shape = shape.expect("a shape");
            for accel in [[0.0; 3], [3.0, -2.0, 1.0]] {
                let moving = motion([1.0, 2.0, 3.0], [4.0, -5.0, 1.0], [0.0; 3], accel);
                let body = motion([-1.0, 0.5, 2.0], [-2.0, 0.0, 3.0], [0.0; 3], [0.5, 1.0, -1.0]);
                for window in [[0.0, 1.0], [0.25, 0.75]] {
                    check((&shape, &moving, &body), window, ROUNDED);
                }
            }
        }
    }

    /// Goal: the box is greater by the distance that counts as a contact, and by more than the rounding of that. Method: a ball, whose size is the
    /// smaller one, and a point, which has the size of the body and for which all numbers are exact.
    #[test]
    fn box_is_enlarged_by_the_distance_that_counts_as_a_contact() {
        let ball = Shape::sphere(0.5).expect("a ball");
        let [moving, body] = [[3.0, 0.0, 0.0], [0.0; 3]]
            .map(|position| Motion::new(Pose::at(position).expect("a position"), [0.0; 3]))
            .map(|motion| motion.expect("a motion"));
        let settings = Settings { target_distance: 0.25, tolerance: 0.125, ..exact() };
        for (shape, size) in [(ball, ball.size()), (Shape::point(), 8.0)] {
            let aabb = search(&shape, &moving, &body, &settings).path_box([0.0, 1.0]).aabb;
            let reach = shape.radius + 0.25 + 0.125 * size;
            for axis in 0..3 {
                let center = f64::from(moving.pose.position[axis]);
                let [min, max] = [aabb.min[axis], aabb.max[axis]].map(f64::from);
                for side in [center - min, max - center] {
                    assert!(side > reach && side < reach + ROUNDED, "{side} {reach}");
                }
            }
        }
    }

    /// A point that keeps its place is on a circle in the axes of a body that rotates; the middle of an arc is farther from its chord
    /// than any other point of it.
    #[test]
    fn box_of_a_point_beside_a_rotating_body_follows_the_arc() {
        let point = Shape::point();
        let moving = motion([10.0, 0.0, 0.0], [0.0; 3], [0.0; 3], [0.0; 3]);
        let body = motion([0.0; 3], [0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]);
        for (window, angle) in [([0.0, 1.0], 1.0_f64), ([0.5, 0.75], 0.25)] {
            let arc = 10.0 * (1.0 - libm::cos(0.5 * angle));
            // The bound of the deviation is a little greater, and holds on every side of the path.
            let most = check((&point, &moving, &body), window, 1.03 * arc + ROUNDED);
            assert!(most > 0.5 * arc, "{most} {arc}");
        }
    }

    /// A point that moves along a radius of a body that rotates, and one that accelerates: the box is enlarged by the bound of the deviation of this
    /// path, an eighth of the greatest second derivative, and by no more.
    #[test]
    fn box_of_a_moving_point_beside_a_rotating_body_follows_its_curve() {
        let point = Shape::point();
        let body = motion([0.0; 3], [0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]);
        // Start, displacement, acceleration, and the bound of the second derivative in the window.
        let cases = [
            ([0.0; 3], [8.0, 0.0, 0.0], [0.0; 3], 2.0 * 8.0 + 8.0),
            ([8.0, 0.0, 0.0], [-8.0, 0.0, 0.0], [0.0; 3], 2.0 * 8.0 + 8.0),
            ([0.0; 3], [0.0; 3], [0.0, 6.0, 0.0], 6.0 + 2.0 * 6.0 + 3.0 + 6.0),
            ([4.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.0; 3], 2.0 * 5.0 + 41.0_f64.sqrt()),
        ];
        for (start, delta, accel, second) in cases {
            let moving = motion(start, delta, [0.0; 3], accel);
            let aabb = search(&point, &moving, &body, &exact()).path_box([0.0, 1.0]).aabb;
            check((&point, &moving, &body), [0.0, 1.0], 0.25 * second + ROUNDED);
            for axis in 0..3 {
                // A point is at the middle of its box.
                let width = f64::from(aabb.max[axis]) - f64::from(aabb.min[axis]);
                assert!((width - 0.25 * second).abs() < ROUNDED, "{width} {second}");
            }
        }
    }

    /// Goal: the deviation of a path from its chord in a part of the tick is that of this part, also with an acceleration. Method: a point that
    /// accelerates from the axis of a body that rotates; the bound of the second derivative by its speed and distance at the end of the part.
    #[test]
    fn box_in_a_part_of_the_tick_follows_the_curve_in_it() {
        let point = Shape::point();
        let body = motion([0.0; 3], [0.0; 3], [0.0, 0.0, 1.0], [0.0; 3]);
        let moving = motion([0.0; 3], [0.0; 3], [0.0; 3], [0.0, 6.0, 0.0]);
        for [from, to] in [[0.0, 0.5], [0.25, 0.75], [0.875, 1.0]] {
            let square: f64 = (to - from) * (to - from);
            // The distance is increased by its greatest change because of the acceleration.
            let second = 6.0 + 2.0 * 6.0 * to + (3.0 * to * to + 6.0 * square);
            let width = 0.25 * square * second;
            check((&point, &moving, &body), [from, to], width + ROUNDED);
            let aabb = search(&point, &moving, &body, &exact()).path_box([from, to]).aabb;
            for axis in 0..3 {
                let found = f64::from(aabb.max[axis]) - f64::from(aabb.min[axis]);
                assert!((found - width).abs() < ROUNDED, "{found} {width}");
            }
        }
    }

    /// The extent of a rod that turns through an axis is greater between both ends of the window than at these. The bound is an eighth of
    /// the square of the angle, of its radius.
    #[test]
    fn box_of_a_rotating_shape_contains_what_it_sweeps() {
        let hull =
            Hull::new([[-2.0, -0.25, 0.0], [2.0, 0.25, 0.0], [2.0, -0.25, 0.5], [-2.0, 0.25, 0.5]]);
        let hull = hull.expect("a hull");
        let shapes = [
            Shape::cuboid([2.0, 0.25, 0.25]).expect("a rod"),
            Shape::capsule(2.0, 0.25).expect("a rod"),
            Shape::hull(&hull),
        ];
        let still = Motion::default();
        for shape in &shapes {
            for angle in [0.25_f32, 0.8] {
                let radius = shape.bounding_radius;
                let moving = |spin: f32| {
                    let pose = Pose::normalized([0.0; 3], [0.0, 0.0, -0.2, 1.0]).expect("a pose");
                    Motion { pose, spin: [0.0, 0.0, spin], ..Motion::default() }
                };
                let extent_deviation = 0.125 * f64::from(angle * angle) * radius;
                // The window is half of the tick.
                let turning = moving(2.0 * angle);
                let most =
                    check((shape, &turning, &still), [0.25, 0.75], extent_deviation + ROUNDED);
                assert!(most > 0.5 * extent_deviation, "{most} {extent_deviation}");
            }
            // The box is never greater than that of the ball around the shape.
            let pose = Pose::at([5.0, 0.0, 0.0]).expect("a position");
            let whirling = Motion { pose, spin: [0.0, 0.0, 9.0], ..Motion::default() };
            let aabb = search(shape, &whirling, &still, &exact()).path_box([0.0, 1.0]).aabb;
            let ball = shape.bounding_radius + shape.radius;
            for axis in 0..3 {
                let width = f64::from(aabb.max[axis]) - f64::from(aabb.min[axis]);
                assert!((width - 2.0 * ball).abs() < ROUNDED, "{width} {ball}");
            }
        }
    }

    /// Both rotate: the extent along an axis of the body changes by the sum of their rates.
    #[test]
    fn box_contains_a_rotating_shape_beside_a_rotating_body() {
        let shape = Shape::cuboid([2.0, 0.25, 0.5]).expect("a rod");
        let moving =
            motion([1.0, 2.0, 0.5], [0.5, -0.25, 1.0], [0.3, -0.4, 0.2], [0.5, 0.0, -0.25]);
        let body = motion([-1.0, 0.0, 1.0], [0.25, 0.5, -1.0], [-0.2, 0.3, 0.4], [0.0, 0.25, 0.0]);
        for window in [[0.0, 1.0], [0.5, 1.0], [0.0, 0.25]] {
            let length: f64 = window[1] - window[0];
            check((&shape, &moving, &body), window, 4.0 * length * length + ROUNDED);
        }
    }

    #[test]
    fn box_beyond_the_greatest_coordinate_contains_everything() {
        let large = LARGE as f32;
        let shape = Shape::sphere(0.2 * large).expect("a ball");
        let still = Motion::default();
        // Only the lower side, the upper side, or the displacement is beyond it.
        for (position, delta, beyond) in [
            (-0.9, 0.0, true),
            (0.9, 0.0, true),
            (-0.5, 1.1, true),
            (0.5, -1.1, true),
            (-0.7, 0.0, false),
            (0.7, 0.0, false),
            (-0.5, 0.9, false),
        ] {
            for axis in 0..3 {
                let along =
                    |x: f32| [0, 1, 2].map(|other| if other == axis { x * large } else { 0.0 });
                let pose = Pose::at(along(position)).expect("a position");
                let moving = Motion::new(pose, along(delta)).expect("a motion");
                let found = search(&shape, &moving, &still, &exact()).path_box([0.0, 1.0]);
                let everything = Aabb { min: [-COORD_MAX; 3], max: [COORD_MAX; 3] };
                assert_eq!(found.aabb == everything, beyond, "{position} {delta} {axis}");
                assert!(!beyond || found.delta == [0.0; 3]);
            }
        }
    }

    #[test]
    fn window_is_divided_into_parts_of_a_quarter_radian() {
        let (shape, still) = (Shape::point(), Motion::default());
        let parts = |spin: f32, window: [f64; 2]| {
            let body = Motion { spin: [0.0, spin, 0.0], ..Motion::default() };
            search(&shape, &still, &body, &exact()).intervals(window)
        };
        assert_eq!(parts(0.0, [0.0, 1.0]), 1);
        assert_eq!(parts(0.2, [0.0, 1.0]), 1);
        assert_eq!(parts(1.1, [0.0, 1.0]), 5);
        assert_eq!(parts(-1.1, [0.5, 1.0]), 3);
        assert_eq!(parts(1000.0, [0.0, 1.0]), 65);
    }
}
