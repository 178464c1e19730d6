//! Do two shapes share a point now?
//!
//! Shapes are closed, so touching counts. Boxes and spheres are asked where they are when the tick
//! starts. Boxes are compared exactly. The others are computed in `f64`, where a difference, a
//! square and a sum are off by 2⁻⁵³ of what goes in: exact wherever the numbers have few digits,
//! else to about 2⁻⁵⁰.
//!
//! A box lies outside of a region of planes when it lies wholly outside of one of them
//! (Assarsson and Möller 2000; Ericson 2005, §5.2.3). A box that is cut off by an edge or a corner
//! of the region, but by no plane alone, counts as crossing.

use swath::geom::{Aabb, Invalid, Plane, Side, Sphere};

/// Whether two closed boxes share a point. Touching counts; comparisons are exact.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box.
pub fn overlap(a: &Aabb, b: &Aabb) -> Result<bool, Invalid> {
    a.validate()?;
    b.validate()?;
    let apart = |axis: usize| a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis];
    Ok(!(0..3).any(apart))
}

/// Whether a sphere and a box share a point: whether the point of the box that is nearest to the
/// centre is at most the radius away (Ericson 2005, §5.2.5).
///
/// # Errors
///
/// [`Invalid`] when one of them is none.
pub fn overlap_sphere(sphere: &Sphere, aabb: &Aabb) -> Result<bool, Invalid> {
    let radius = f64::from(sphere.radius);
    Ok(distance_squared(sphere, aabb)? <= radius * radius)
}

/// How far the surface of a sphere is from a box; negative where they overlap with a centre
/// outside the box, and minus the radius where the centre is in the box.
///
/// # Errors
///
/// [`Invalid`] when one of them is none.
pub fn sphere_gap(sphere: &Sphere, aabb: &Aabb) -> Result<f64, Invalid> {
    Ok(libm::sqrt(distance_squared(sphere, aabb)?) - f64::from(sphere.radius))
}

/// The square of the distance from the centre to the box.
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

/// Where a box lies as to the region that is inside of all `planes`. No planes enclose all space.
///
/// # Errors
///
/// [`Invalid`] when one of them is no half-space or box.
pub fn overlap_planes(planes: &[Plane], aabb: &Aabb) -> Result<Side, Invalid> {
    aabb.validate()?;
    let mut side = Side::Inside;
    for plane in planes {
        let [least, greatest] = plane_reach(plane, aabb)?;
        let here = match (least > 0.0, greatest > 0.0) {
            (true, _) => Side::Outside,
            (false, true) => Side::Crossing,
            (false, false) => Side::Inside,
        };
        side = side.min(here);
    }
    Ok(side)
}

/// The least and the greatest of `normal · p - offset` over all points `p` of a box: outside of the
/// plane it is above zero.
///
/// # Errors
///
/// [`Invalid`] when one of them is no half-space or box.
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
