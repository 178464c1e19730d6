//! Reference overlap tests of boxes, spheres and regions of planes.
//!
//! Shapes are closed, so touching counts. Boxes and spheres are taken at the start of the tick.
//! Boxes are compared exactly. The other tests are computed in `f64`, where a difference, a square
//! and a sum each have a relative error of 2⁻⁵³: exact if the numbers have few digits, else
//! accurate to about 2⁻⁵⁰.
//!
//! A box is outside of a region of planes if it is entirely outside of one of them (Assarsson and
//! Möller 2000; Ericson 2005, §5.2.3). A box that misses the region at an edge or a corner, but is
//! outside of no single plane, counts as crossing.

use swath::batch::PlaneSide;
use swath::{Aabb, Invalid, Plane, Sphere};

/// Returns whether two closed boxes share a point. Touching counts; comparisons are exact.
///
/// # Errors
///
/// [`Invalid`] when one of the boxes is invalid.
pub fn overlap(a: &Aabb, b: &Aabb) -> Result<bool, Invalid> {
    a.validate()?;
    b.validate()?;
    let apart = |axis: usize| a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis];
    Ok(!(0..3).any(apart))
}

/// Returns whether a sphere and a box share a point: whether the point of the box nearest to the
/// centre is at most the radius away (Ericson 2005, §5.2.5).
///
/// # Errors
///
/// [`Invalid`] when the sphere or the box is invalid.
pub fn overlap_sphere(sphere: &Sphere, aabb: &Aabb) -> Result<bool, Invalid> {
    let radius = f64::from(sphere.radius);
    Ok(distance_squared(sphere, aabb)? <= radius * radius)
}

/// Returns the distance between the surface of a sphere and a box.
///
/// Negative if they overlap with the centre outside of the box, and minus the radius if the centre
/// is in the box.
///
/// # Errors
///
/// [`Invalid`] when the sphere or the box is invalid.
pub fn sphere_gap(sphere: &Sphere, aabb: &Aabb) -> Result<f64, Invalid> {
    Ok(libm::sqrt(distance_squared(sphere, aabb)?) - f64::from(sphere.radius))
}

/// Returns the square of the distance between the centre and the box.
fn distance_squared(sphere: &Sphere, aabb: &Aabb) -> Result<f64, Invalid> {
    sphere.validate()?;
    aabb.validate()?;
    let gap = |axis: usize| {
        let center = f64::from(sphere.center[axis]);
        let (min, max) = (f64::from(aabb.min[axis]), f64::from(aabb.max[axis]));
        (min - center).max(center - max).max(0.0)
    };
    Ok((0..3).map(|axis| gap(axis) * gap(axis)).sum())
}

/// Classifies a box against the intersection of all `planes`. Without planes this is all of space.
///
/// # Errors
///
/// [`Invalid`] when a plane or the box is invalid.
pub fn overlap_planes(planes: &[Plane], aabb: &Aabb) -> Result<PlaneSide, Invalid> {
    aabb.validate()?;
    let mut side = PlaneSide::Inside;
    for plane in planes {
        let [least, greatest] = plane_reach(plane, aabb)?;
        let here = match (least > 0.0, greatest > 0.0) {
            (true, _) => PlaneSide::Outside,
            (false, true) => PlaneSide::Crossing,
            (false, false) => PlaneSide::Inside,
        };
        side = side.min(here);
    }
    Ok(side)
}

/// Returns the least and the greatest value of `normal · p - offset` over all points `p` of a box.
///
/// The value is positive outside of the plane.
///
/// # Errors
///
/// [`Invalid`] when the plane or the box is invalid.
pub fn plane_reach(plane: &Plane, aabb: &Aabb) -> Result<[f64; 2], Invalid> {
    plane.validate()?;
    aabb.validate()?;
    let (mut least, mut greatest) = (0.0, 0.0);
    for axis in 0..3 {
        let normal = f64::from(plane.normal[axis]);
        let (low, high) = (normal * f64::from(aabb.min[axis]), normal * f64::from(aabb.max[axis]));
        least += low.min(high);
        greatest += low.max(high);
    }
    Ok([least, greatest].map(|sum| sum - f64::from(plane.offset)))
}
