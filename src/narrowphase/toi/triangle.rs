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
