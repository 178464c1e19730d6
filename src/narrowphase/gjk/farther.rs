//! The distance of two shapes unless a plane proves that they are farther apart than a limit.
//!
//! A search for the nearest parts of two bodies tests many pairs that are only a little farther apart than the nearest one. A few planes decide most
//! of them in a fraction of the time of a distance.

use super::ball_and_triangle::of_ball_and_triangle;
use super::distance::distance_of_valid;
use super::nearest::{ROUNDING, RotatedPair, RotatedShape};
use super::result::{Distance, GjkCache};
use crate::geom::Pose;
use crate::narrowphase::math::V3;
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::nearest_of_triangle;
use crate::narrowphase::support::Core;

/// Returns the distance of two shapes at valid poses. It may be left out if it is above `limit`.
pub(crate) fn distance_within(
    a: (&Shape<'_>, &Pose),
    b: (&Shape<'_>, &Pose),
    limit: f64,
) -> Option<Distance> {
    if let Some(distance) = of_ball_and_triangle(a, b) {
        return Some(distance);
    }
    let cache = &mut GjkCache::default();
    (!are_surely_farther(a, b, limit)).then(|| distance_of_valid(a.0, a.1, b.0, b.1, cache))
}

/// Returns whether one of a few planes proves that the distance of two shapes at valid poses is above `limit`: those across the normals of
/// triangles, and those at the point of a triangle that is nearest to the centre of the other shape, or, without a triangle, that between the centres.
fn are_surely_farther(a: (&Shape<'_>, &Pose), b: (&Shape<'_>, &Pose), limit: f64) -> bool {
    if limit == f64::INFINITY {
        return false;
    }
    let pair = RotatedPair::of_poses(a, b);
    let x = V3::of(b.1.position) - V3::of(a.1.position);
    let [of_a, of_b] = [a.0, b.0];
    let radii = of_a.radius + of_b.radius;
    let lengths = x.length() + of_a.bounding_radius + of_b.bounding_radius + radii;
    // The length of a direction is rounded too.
    let least = (limit + radii) * (1.0 + ROUNDING) + 2.0 * ROUNDING * lengths;
    let is_beyond = |direction: V3| {
        let gap = direction.dot(x - pair.support(direction).at);
        // A comparison with NaN is false.
        gap > 0.0 && gap * gap > least * least * direction.square()
    };
    let (center_a, center_b) = (pair.a.center(), x + pair.b.center());
    let corners = [pair.a.corners(V3::ZERO), pair.b.corners(x)];
    if corners[0].is_none() && corners[1].is_none() {
        return is_beyond(center_b - center_a);
    }
    // Directions from `a` to `b`.
    let from_a = corners[0].is_some_and(|corners| {
        let direction = -nearest_of_triangle(corners.map(|corner| corner - center_b));
        is_beyond(direction) || is_beyond(normal(corners, center_b - corners[0]))
    });
    from_a
        || corners[1].is_some_and(|corners| {
            let direction = nearest_of_triangle(corners.map(|corner| corner - center_a));
            is_beyond(direction) || is_beyond(normal(corners, corners[0] - center_a))
        })
}

/// Returns the normal of a triangle, in any length, that points to the side of `toward`.
fn normal([a, b, c]: [V3; 3], toward: V3) -> V3 {
    let normal = (b - a).cross(c - a);
    if normal.dot(toward) < 0.0 { -normal } else { normal }
}

impl RotatedShape<'_> {
    /// Returns the centre of the core, from the position of the shape in world axes.
    fn center(&self) -> V3 {
        match &self.shape.core {
            Core::Triangle { points: [p, q, r] } => {
                self.rotation.rotate((*p + *q + *r) * (1.0 / 3.0))
            }
            Core::Placed(placed) => self.rotation.rotate(placed.offset),
            core => core.center(),
        }
    }

    /// Returns the corners of a triangle in world axes, relative to the point of which `at` is the offset to the shape's position.
    fn corners(&self, at: V3) -> Option<[V3; 3]> {
        let Core::Triangle { points } = &self.shape.core else { return None };
        Some(points.map(|point| at + self.rotation.rotate(point)))
    }
}
