//! Penetration depth of two boxes, which is exact but for rounding.
//!
//! The faces of `A − B` are across the 15 axes of `box_axes.rs`: the axes of both boxes, and the directions perpendicular to an edge of
//! each. The depth is the least distance of `x` from the planes of these faces, because `A − B` is convex. So no search is needed:
//!
//! ```text
//! axis     the one along which the boxes overlap least
//! points   B is moved out along it, and touches A; the middle of the face, edge or corner of B that touches the face of A, or the
//!          nearest points of two edges
//! ```
//!
//! This is true of flat boxes, segments and points too: the directions across a flat difference are among these axes. The normals of
//! edges that are parallel but for rounding are those of faces.

use super::box_axes::{Axis, EdgeAxes};
use super::boxes::{BoxPair, BoxPoints};
use super::local_depth::improved;
use super::nearest::{Gap, RotatedPair};
use crate::geom::MapEach;
use crate::narrowphase::math::V3;

/// The axes of a depth. A direction perpendicular to edges with a sine of `s` has an error of about `ε/s`, and without it the depth would be
/// too great by up to about `s` of the sizes: here both are 2⁻²⁶.
pub(super) const EDGES_OF_DEPTH: EdgeAxes =
    EdgeAxes { sine_square_min: f64::EPSILON, factor: 1.0 + 1.0 / (1_u64 << 32) as f64 };

/// Greatest number of projections from box to box until they show where the boxes touch.
const PROJECTIONS_MAX: u32 = 8;

/// Greatest distance of the points at which boxes touch, relative to their sizes.
const APART_MAX: f64 = 1.0 / (1_u64 << 30) as f64;

/// Greatest product of a unit vector with an axis that counts as perpendicular to it.
const PERPENDICULAR: f64 = 1.0 / (1_u64 << 40) as f64;

/// Returns the direction along which the boxes of a pair overlap least, with their depth as a negative gap, if that gap is at most `most`.
#[inline(never)]
pub(super) fn depth_of_boxes(
    pair: &RotatedPair<'_>,
    boxes: &BoxPair<'_>,
    x: V3,
    most: f64,
) -> Option<Gap> {
    let own = boxes.own(x);
    let axis = boxes.widest_axis(own, EDGES_OF_DEPTH);
    let normal = boxes.toward(axis, own);
    let lower = boxes.width(own, normal);
    if lower > most {
        return None;
    }
    let near = APART_MAX * (pair.a.shape.size + pair.b.shape.size);
    let points = boxes.touching(own - normal * lower, (axis, normal), near * near);
    let gap = boxes.gap(lower, normal, &points);
    let meet = points.between.square() <= near * near;
    Some(if meet { gap } else { improved(pair, x, gap) })
}

impl BoxPair<'_> {
    /// Returns the greatest gap of boxes at relative position `x` along an axis of either. If it is zero or more, they are apart or touch. It is
    /// negative for all boxes that overlap, and for few that are apart.
    #[inline(always)]
    pub(super) fn gap_along_faces(&self, x: V3) -> f64 {
        let abs = self.rotation.rows.map_each(V3::abs);
        let reach_of_b = V3::new(abs[0].dot(self.b), abs[1].dot(self.b), abs[2].dot(self.b));
        let reach_of_a = abs[0] * self.a.x + abs[1] * self.a.y + abs[2] * self.a.z;
        let of_a = x.abs() - self.a - reach_of_b;
        let of_b = self.rotation.rotate_back(x).abs() - self.b - reach_of_a;
        of_a.at_least(of_b).greatest()
    }

    /// Returns two points at which boxes touch that are at relative position `x`, across an axis with the unit vector `normal`. The square of
    /// their distance is at most `near`, or they are not found.
    #[inline(always)]
    fn touching(&self, x: V3, (axis, normal): (Axis, V3), near: f64) -> BoxPoints {
        let mut points = match axis {
            Axis::OfA(_) => {
                let toward = -self.rotation.rotate_back(normal);
                self.nearest_to_b(x, middle(self.b, toward))
            }
            Axis::OfB(_) => self.nearest_to_a(x, middle(self.a, normal)),
            Axis::Edges(..) => self.meeting(x, axis, normal),
        };
        let mut projections = 0;
        // A comparison with NaN is false.
        while projections < PROJECTIONS_MAX && points.between.square() > near {
            points = self.nearest_to_b(x, self.nearest_to_a(x, points.on_a).on_b);
            projections += 1;
        }
        points
    }
}

/// Returns the middle of the corner, edge or face of a box that is farthest along a unit vector.
#[inline(always)]
fn middle(half: V3, direction: V3) -> V3 {
    let along = |half: f64, direction: f64| {
        if direction.abs() > PERPENDICULAR { half.copysign(direction) } else { 0.0 }
    };
    V3::new(along(half.x, direction.x), along(half.y, direction.y), along(half.z, direction.z))
}
