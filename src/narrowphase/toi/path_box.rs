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
        let bend = if fixed {
            0.0
        } else {
            let far = greater(ends[0].1.length(), ends[1].1.length())
                + path.accel.length() * (length * length);
            let fast = greater(ends[0].2.length(), ends[1].2.length());
            rate * (2.0 * fast + rate * far) * (0.125 * length * length)
                + 0.125 * path.accel.length() * length * length
        };
        let rates = rate + mover.rotation.rate;
        let swing = 0.125 * length * length * rates * rates * mover.shape.bounding_radius;
        // More than the rounding of the numbers here, and of the `f32`.
        let margin = contact_distance + tolerance + 4.0 * slack;
        // Then both extents have the same bits.
        let is_symmetric = matches!(mover.shape.core, Core::Box { .. });
        // The ranges at the start, and at the end if they may differ.
        let ranges = [0, 1].map_each(|end| {
            if end == 1 && swing == 0.0 {
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
            let off = (displacement - f64::from(delta)).abs() + bend + margin;
            let reach = |sign: f64| {
                if let Some(first) = &ranges[0] {
                    // Products with the opposite direction are the opposite numbers.
                    let of = |range: &[f64; 2]| if sign > 0.0 { range[1] } else { -range[0] };
                    let last = ranges[1].as_ref().unwrap_or(first);
                    return greatest_extent(mover, [of(&first[axis]), of(&last[axis])], swing);
                }
                let axes = [&ends[0].0, &ends[1].0].map_each(|axes| axes.axis(axis) * sign);
                extent(mover, &rotations, axes, swing)
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
fn extent(mover: &MovingShape<'_>, rotations: &[M3; 2], directions: [V3; 2], swing: f64) -> f64 {
    let of = |end: usize| {
        let own = rotations[end].rotate_back(directions[end]);
        mover.shape.core.support(own).dot(own)
    };
    let first = of(0);
    greatest_extent(mover, [first, if swing == 0.0 { first } else { of(1) }], swing)
}

/// Returns how far the core extends at any time between two, from its extents at both.
fn greatest_extent(mover: &MovingShape<'_>, [first, last]: [f64; 2], swing: f64) -> f64 {
    if swing == 0.0 {
        return first;
    }
    let most = greater_or_nan(first, last) + swing;
    // The support map of the caller may return NaN, which is not less.
    if most < mover.shape.bounding_radius { most } else { mover.shape.bounding_radius }
}
