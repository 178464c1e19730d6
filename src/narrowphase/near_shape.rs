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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::math::random::numbers_f32;

    /// Goal: the box, the ball and the plane contain the shape, are larger by the rounding error, and by hardly more. Method: shapes of several kinds at random
    /// poses; the farthest points in random directions, and a rounding error that is far greater than those of the test.
    #[test]
    fn what_contains_a_shape_is_larger_by_the_rounding_error() {
        let mut next = numbers_f32(11);
        let mut vector = |most: f32| [0; 3].map(|_| most * next());
        let rounding = 1.0 / 256.0;
        for case in 0..400 {
            let sides = vector(1.0).map(f32::abs);
            let shape = match case % 4 {
                0 => Shape::cuboid(sides),
                1 => Shape::capsule(sides[0], 0.5 * sides[1]),
                2 => Shape::triangle([vector(1.0), vector(1.0), vector(1.0)]),
                _ => Shape::cone(sides[0], sides[1]).and_then(|cone| cone.rounded(0.2 * sides[2])),
            };
            let shape = shape.expect("valid lengths");
            let mut pose = || {
                let [x, y, z] = vector(1.0);
                Pose::normalized(vector(3.0), [x, y, z, 0.5]).expect("a pose")
            };
            let (pose, body_pose) = (pose(), pose());
            let [own, axes] = [pose, body_pose].map_each(|of| M3::of_quaternion(of.rotation));
            let between = V3::of(pose.position) - V3::of(body_pose.position);
            let enlarged = rounding * (between.length() + shape.bounding_radius + shape.radius);
            // The farthest point of the core in a direction in the axes of the body.
            let farthest = |direction: V3| {
                let point = shape.core.support(own.rotate_back(axes.rotate(direction)));
                axes.rotate_back(between + own.rotate(point))
            };
            let is_near = |found: f32, exact: f64| {
                let more = f64::from(found) - exact;
                (0.0..1e-5).contains(&more)
            };

            let near = NearShape::new((&shape, &pose), &body_pose, rounding);
            let Enclosure { core, radius, center, reach } = near.enclosure();
            let middle = V3::of(center);
            assert!(is_near(radius, shape.radius), "{shape:?}");
            for (axis, to) in
                [V3::new(1.0, 0.0, 0.0), V3::new(0.0, 1.0, 0.0), V3::new(0.0, 0.0, 1.0)]
                    .into_iter()
                    .enumerate()
            {
                let high = farthest(to).dot(to) + enlarged;
                let low = farthest(-to).dot(to) - enlarged;
                assert!(
                    is_near(core.max[axis], high) && is_near(-core.min[axis], -low),
                    "{shape:?}"
                );
            }
            let half = (V3::of(core.max) - V3::of(core.min)) * 0.5;
            let from_origin = (axes.rotate_back(between) - middle).length();
            let of_ball = from_origin + shape.bounding_radius + enlarged;
            let expected = lesser(half.length(), of_ball) + shape.radius;
            assert!((f64::from(reach) - expected).abs() < 1e-5, "{reach} {expected} {shape:?}");
            for _ in 0..8 {
                let Some(direction) = V3::of(vector(1.0)).unit() else { continue };
                let away = (farthest(direction) - middle).length() + shape.radius;
                assert!(f64::from(reach) >= away + enlarged, "{reach} {away} {shape:?}");
                let plane = near.plane(center, axes.rotate(direction)).expect("a plane");
                let normal = V3::of(plane.normal);
                assert!((normal - direction).length() < 1e-6);
                let offset = normal.dot(farthest(normal) - middle) + shape.radius * normal.length();
                assert!(is_near(plane.offset, offset + enlarged), "{plane:?} {offset} {shape:?}");
            }
        }
        let ball = Shape::sphere(1.0).expect("valid");
        let near = NearShape::new((&ball, &Pose::IDENTITY), &Pose::IDENTITY, rounding);
        assert!(near.plane([0.0; 3], V3::new(1.0, 0.0, 0.0)).is_none());
    }
}
