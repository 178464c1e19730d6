//! A convex shape at rest, in the axes of another body.

use super::math::{M3, V3, greater, lesser, round_down, round_up};
use super::shape::Shape;
use crate::geom::{Aabb, Enclosure, MapEach, PlaneInFront, Pose};

/// A convex shape at rest, in the axes of another body.
pub(crate) struct NearShape<'s> {
    shape: &'s Shape<'s>,
    /// The axes of the body.
    axes: M3,
    /// From the axes of the shape to those of the body.
    rotation: M3,
    /// The position of the core.
    offset: V3,
    /// An upper bound of the rounding error of a position.
    rounding: f64,
}

impl<'s> NearShape<'s> {
    /// Returns the shape in the axes of a body at `body_pose`. `rounding` is the rounding error for each unit of the distance of the origins and of the
    /// radius of the shape.
    pub(crate) fn new(
        (shape, pose): (&'s Shape<'s>, &Pose),
        body_pose: &Pose,
        rounding: f64,
    ) -> Self {
        let axes = M3::of_quaternion(body_pose.rotation);
        let between = V3::of(pose.position) - V3::of(body_pose.position) + shape.core.center();
        Self {
            shape,
            axes,
            rotation: axes.back(&M3::of_quaternion(pose.rotation)),
            offset: axes.rotate_back(between),
            rounding: rounding * (between.length() + shape.reach()),
        }
    }

    /// Returns a rounded box and a ball around the shape.
    pub(crate) fn enclosure(&self) -> Enclosure {
        let (mut core, mut center, mut half) = (Aabb::default(), [0.0; 3], V3::ZERO.to_array());
        for (axis, at) in self.offset.to_array().into_iter().enumerate() {
            let up = self.rotation.rows[axis];
            let [high, low] = [up, -up].map_each(|to| self.shape.core.support_value(to));
            let (low, high) = (at - low - self.rounding, at + high + self.rounding);
            // A support map may return points that are not finite.
            let ends = if low <= high { [round_down(low), round_up(high)] } else { EVERYWHERE };
            [core.min[axis], core.max[axis]] = ends;
            center[axis] = 0.5 * ends[0] + 0.5 * ends[1];
            // The centre is rounded.
            let [low, high] = ends.map_each(|end| f64::from(end) - f64::from(center[axis]));
            half[axis] = greater(-low, high);
        }
        let of_corners = V3::new(half[0], half[1], half[2]).length();
        let of_ball = (self.offset - V3::of(center)).length() + self.shape.bounding_radius;
        let reach = lesser(of_corners, of_ball + self.rounding) + self.shape.radius;
        let radius = round_up(self.shape.radius);
        Enclosure { core, radius, center, reach: round_up(reach * (1.0 + ROUNDING)) }
    }

    /// Returns the plane in front of the shape across a direction in world axes, which points out of the shape; `center` is that of the ball around it. `None`
    /// for a ball, because no plane proves a greater distance than the ball itself.
    pub(crate) fn plane(&self, center: [f32; 3], direction: V3) -> Option<PlaneInFront> {
        if self.shape.core.half_extents() == Some(V3::ZERO) {
            return None;
        }
        let normal = self.axes.rotate_back(direction).to_f32();
        let across = V3::of(normal);
        let own = self.rotation.rotate_back(across);
        let reach = self.shape.core.support_value(own) + self.shape.radius * own.length();
        let offset = across.dot(self.offset - V3::of(center)) + reach;
        let offset = round_up(offset + self.rounding);
        // The point of a support map may not be finite.
        (!offset.is_nan()).then_some(PlaneInFront { normal, offset })
    }
}

/// The ends of an interval that is not known.
const EVERYWHERE: [f32; 2] = [f32::MIN, f32::MAX];

/// Relative rounding error of a length.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
