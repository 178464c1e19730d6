//! Reference distance of two boxes.
//!
//! On each axis the boxes have a gap, or zero where their intervals overlap. The distance is the
//! length of the vector of gaps (Ericson 2005, §5.1.3). Boxes are closed and taken at the start of
//! the tick. Computed in `f64`, in which no square of a gap overflows or underflows. The relative
//! error is at most 2⁻⁵⁰, and the distance is exactly zero if and only if the boxes share a point.

use swath::{Aabb, Invalid};

/// Returns the distance between the nearest points of two boxes, or zero if they share a point.
///
/// # Errors
///
/// [`Invalid`] when one of the boxes is invalid.
pub fn proximity(a: &Aabb, b: &Aabb) -> Result<f64, Invalid> {
    a.validate()?;
    b.validate()?;
    let gap = |axis: usize| {
        let below = f64::from(a.min[axis]) - f64::from(b.max[axis]);
        let above = f64::from(b.min[axis]) - f64::from(a.max[axis]);
        below.max(above).max(0.0)
    };
    Ok(libm::sqrt((0..3).map(|axis| gap(axis) * gap(axis)).sum()))
}
