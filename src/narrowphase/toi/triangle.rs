//! A triangle of a body, as a part that is searched.

use crate::geom::MapEach;
use crate::narrowphase::math::{V3, greater, lesser, sqrt};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::support::Core;

/// How exact the search for a part is.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartAccuracy {
    /// Bound of the rounding errors of a gap.
    pub(super) slack: f64,
    /// Limit of the distance above the target that counts as a contact.
    pub(super) tolerance: f64,
}

/// A triangle about its first corner, in the axes of the body.
pub(super) struct Triangle {
    pub(super) first: V3,
    /// The other corners, relative to the first.
    pub(super) sides: [V3; 2],
    pub(super) accuracy: PartAccuracy,
}

impl Triangle {
    pub(super) fn new(corners: &[[f32; 3]; 3], accuracy: PartAccuracy) -> Self {
        let [first, second, third] = corners.map_each(V3::of);
        Self { first, sides: [second - first, third - first], accuracy }
    }

    /// Returns the unit normal of its front, if the triangle has an area.
    pub(super) fn normal(&self) -> Option<V3> {
        self.sides[0].cross(self.sides[1]).unit()
    }

    /// Returns the least coordinate of a corner along `direction`, relative to the first corner.
    pub(super) fn least(&self, direction: V3) -> f64 {
        let [second, third] = self.sides.map_each(|side| side.dot(direction));
        lesser(lesser(second, third), 0.0)
    }

    /// Returns by how much a corner is on the side of the first one to which `direction` points, if that is above a limit, else
    /// zero. The exact normal is perpendicular to all sides, but the computed one of a needle is not.
    pub(super) fn beyond_plane(&self, direction: V3, limit: f64) -> f64 {
        let beyond = -self.least(-direction);
        if beyond > limit { beyond } else { 0.0 }
    }

    pub(super) fn shape(&self) -> Shape<'static> {
        let reach = sqrt(greater(self.sides[0].square(), self.sides[1].square()));
        let core = Core::Triangle { points: [V3::ZERO, self.sides[0], self.sides[1]] };
        part_shape(core, 0.0, reach)
    }
}

/// Returns an upper bound of the distances of the points of a triangle from the origin of the body.
pub(super) fn reach(corners: &[[f32; 3]; 3]) -> f64 {
    let [first, second, third] = corners.map_each(V3::of);
    let [one, other] = [second - first, third - first].map_each(V3::manhattan_length);
    first.manhattan_length() + greater(one, other)
}

/// A shape whose size is not used: the tolerance of a part is that of its body.
pub(super) fn part_shape(core: Core<'_>, radius: f64, reach: f64) -> Shape<'_> {
    let bounding_radius = reach * (1.0 + 16.0 * f64::EPSILON);
    let extent = V3::ONE * bounding_radius;
    Shape { core, radius, bounding_radius, extent, size: 0.0 }
}

/// The shape of a triangle with these corners, as a part of a body.
pub(super) fn triangle_shape(points: [V3; 3]) -> Shape<'static> {
    let reach = points.iter().fold(0.0, |most, point| greater(point.length(), most));
    part_shape(Core::Triangle { points }, 0.0, reach)
}

#[cfg(test)]
mod tests {
    use crate::geom::Pose;
    use crate::narrowphase::hull::Hull;
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::math::{M3, V3};
    use crate::narrowphase::rotation::Rotation;
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::toi::part_search::Part;

    /// A hull that is not symmetric about its position.
    const CORNERS: [[f32; 3]; 4] =
        [[1.0, 0.0, 0.5], [-0.25, 2.0, 0.0], [0.0, -0.5, 1.5], [0.75, 0.5, -1.0]];
    const TRIANGLE: [[f32; 3]; 3] = [[3.0, 1.0, -2.0], [1.0, 4.0, 0.5], [-1.0, 0.25, 2.0]];

    fn pose() -> Pose {
        Pose::normalized([2.0, -1.0, 0.5], [0.3, -0.2, 0.5, 1.0]).expect("a pose")
    }

    /// A vector of the body in the axes of the part.
    fn placed(corner: [f32; 3]) -> V3 {
        M3::of_quaternion(pose().rotation).rotate(V3::of(corner)) + V3::of(pose().position)
    }

    /// Goal: the middle of a part along a direction is that between its farthest points on both sides. Method: a triangle, a hull with a pose, and a
    /// ball, whose middle is its center, along arbitrary directions.
    #[test]
    fn middle_of_a_part_along_a_direction_is_between_its_ends() {
        let mut next = numbers_f32(3);
        let hull = Hull::new(CORNERS).expect("a hull");
        let ball = Shape::sphere(0.75).expect("a ball");
        for _ in 0..100 {
            let direction = V3::of([0; 3].map(|_| next()));
            let middle = |points: &[V3]| {
                let along = points.iter().map(|point| point.dot(direction));
                let most = along.clone().fold(f64::NEG_INFINITY, f64::max);
                0.5 * (most + along.fold(f64::INFINITY, f64::min))
            };
            let cases = [
                (Part::Triangle(TRIANGLE), middle(&TRIANGLE.map(V3::of))),
                (Part::Convex(Shape::hull(&hull), pose()), middle(&CORNERS.map(placed))),
                (Part::Convex(ball, pose()), middle(&[V3::of(pose().position)])),
            ];
            for (part, expected) in cases {
                let found = part.middle_along(direction);
                assert!((found - expected).abs() < 1e-12, "{part:?}: {found} {expected}");
            }
        }
    }

    /// Goal: the nearest point of a part moves toward another body as fast as the part extends, and does not turn with a ball or a body that rolls
    /// about its own axis. Method: parts of a body that rotates; the velocity along a direction against the difference of the extents shortly before
    /// and after; the velocity of the middle.
    #[test]
    fn nearest_point_of_a_part_moves_as_fast_as_the_part_extends() {
        let mut next = numbers_f32(4);
        let hull = Hull::new(CORNERS).expect("a hull");
        let capsule = Shape::capsule(1.5, 0.25).expect("a capsule");
        let ball = Shape::sphere(0.75).expect("a ball");
        let own = M3::of_quaternion(pose().rotation);
        for _ in 0..100 {
            let mut vector = || [0; 3].map(|_| next());
            let [spin, direction] = [vector(), vector()].map(V3::of);
            let [x, y, z] = vector();
            let start = Pose::normalized([0.0; 3], [x, y, z, 0.5]).expect("a rotation");
            let start = M3::of_quaternion(start.rotation);
            let Some(direction) = direction.unit() else { continue };
            for shape in [None, Some(Shape::hull(&hull)), Some(capsule), Some(ball)] {
                // The farthest point along the direction, in world axes.
                let farthest = |t: f64| {
                    let body = Rotation::new(spin).after(&start, t);
                    let toward = body.rotate_back(direction);
                    let Some(shape) = shape else {
                        let corners = TRIANGLE.map(V3::of);
                        let greatest = corners.into_iter().fold(corners[0], |best, corner| {
                            if corner.dot(toward) > best.dot(toward) { corner } else { best }
                        });
                        return body.rotate(greatest);
                    };
                    let on_core = shape.core.support(own.rotate_back(toward));
                    let center = V3::of(pose().position);
                    body.rotate(own.rotate(on_core) + center) + direction * shape.radius
                };
                let part = match shape {
                    Some(shape) => Part::Convex(shape, pose()),
                    None => Part::Triangle(TRIANGLE),
                };
                let found = part.nearest_point_velocity(&start, spin, farthest(0.0));
                let after = 1e-6;
                let moved = (farthest(after) - farthest(-after)).dot(direction);
                let (found, expected) = (found.dot(direction), moved / (2.0 * after));
                assert!((found - expected).abs() < 1e-4, "{shape:?}: {found} {expected}");
            }
            let middle = start.rotate(V3::of(pose().position));
            let along = start.rotate(own.axis(1)) * 2.0;
            for (shape, spin) in [(ball, spin), (capsule, along)] {
                let from = middle + direction;
                let found = Part::Convex(shape, pose()).nearest_point_velocity(&start, spin, from);
                assert!((found - spin.cross(middle)).length() < 1e-12, "{shape:?}: {found:?}");
            }
        }
    }

    /// Goal: as a shape, a part has the size of its body, by which the tolerance is chosen, and the points of the part. Method: the supports of a
    /// triangle and of a hull with a pose, in arbitrary directions.
    #[test]
    fn part_as_a_shape_has_the_size_of_its_body() {
        let mut next = numbers_f32(5);
        let hull = Hull::new(CORNERS).expect("a hull");
        let hull = Part::Convex(Shape::hull(&hull), pose());
        let corners = [TRIANGLE.map(V3::of).to_vec(), CORNERS.map(placed).to_vec()];
        for (part, corners) in [Part::Triangle(TRIANGLE), hull].iter().zip(corners) {
            let mut calls = 0;
            part.with_shape(37.5, &mut |shape| {
                calls += 1;
                assert_eq!(shape.size(), 37.5);
                assert!(corners.iter().all(|corner| corner.length() <= shape.bounding_radius));
                for _ in 0..50 {
                    let direction = V3::of([0; 3].map(|_| next()));
                    let along = corners.iter().map(|corner| corner.dot(direction));
                    let most = along.fold(f64::NEG_INFINITY, f64::max);
                    let found = shape.core.support_value(direction);
                    assert!((found - most).abs() < 1e-12, "{part:?}: {found} {most}");
                }
            });
            assert_eq!(calls, 1);
        }
    }
}
