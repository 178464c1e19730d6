//! Least depth of two cores that are bodies of revolution about parallel axes.
//!
//! Then `C = A − B` is a body of revolution too. The direction of the least depth is in the half plane of its axis and `x`, where `C` is a
//! polygon: it is the normal of an edge, and each edge is parallel to one of `A` or `B`. A point is a body of revolution about any axis.
//!
//! An expanding polytope would need many points of the rim, because every direction around the axis is nearly as deep if `x` is on it.

use super::expanding_polytope::SHARE;
use super::local_depth::{along, shallower};
use super::nearest::{Gap, RotatedPair, RotatedShape};
use crate::geom::MapEach;
use crate::narrowphase::math::V3;

/// Returns the plane along which `x` is least deep, if the axes are so nearly parallel that the depth is too great by at most a small share of it. The
/// depth of `best` is an upper bound of it.
#[inline(never)]
pub(super) fn depth_of_parallel_axes(pair: &RotatedPair<'_>, x: V3, best: &Gap) -> Option<Gap> {
    let bodies = [&pair.a, &pair.b];
    let [a, b] = bodies.map_each(axis_of);
    let (a, b) = (a?, b?);
    let [a_is_point, b_is_point] = bodies.map_each(|body| is_point(body));
    let axis = if a_is_point { b } else { a };
    let sine = if a_is_point || b_is_point { 0.0 } else { a.cross(b).length() };
    // The support function of a body that is turned by an angle changes by at most the angle times its radius.
    let error = 4.0 * sine * (pair.a.shape.bounding_radius + pair.b.shape.bounding_radius);
    // A comparison with NaN is false.
    let is_exact = |gap: &Gap| error < -gap.lower * SHARE;
    if !is_exact(best) {
        return None;
    }
    // If `x` is on the axis, `off` is a rounding error and its direction means nothing; any direction across the axis serves.
    let off = axis.cross(x).cross(axis);
    let is_off = off.length() > pair.rounding(x.length());
    let across = if is_off { off.unit() } else { across(axis) }?;
    let [of_a, of_b] = bodies.map_each(|body| body.shape.core.side());
    let sides = [across * of_a[0] + a * of_a[1], across * of_b[0] - b * of_b[1]];
    let units = sides.into_iter().filter_map(V3::unit).chain([axis, -axis]);
    let least = units.map(|unit| along(pair, x, unit)).reduce(shallower)?;
    is_exact(&least).then_some(least)
}

/// Returns the axis of a body of revolution.
fn axis_of(body: &RotatedShape<'_>) -> Option<V3> {
    body.shape.core.axis().map(|axis| body.rotation.axis(axis))
}

fn is_point(body: &RotatedShape<'_>) -> bool {
    body.shape.core.half_extents() == Some(V3::ZERO)
}

/// Returns a direction across a unit vector.
fn across(axis: V3) -> Option<V3> {
    let other = if axis.x.abs() < 0.8 { V3::X } else { V3::new(0.0, 1.0, 0.0) };
    axis.cross(other).unit()
}
