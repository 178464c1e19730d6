//! How far apart are two boxes now?
//!
//! On each axis they are some gap apart, or none; the distance is the length of the gaps together
//! (Ericson 2005, §5.1.3). Boxes are closed, and where they are when the tick starts. Computed in
//! `f64`, where no square of a gap overflows or vanishes: off by at most 2⁻⁵⁰ of itself, and zero
//! exactly where the boxes share a point.

use swath::geom::{Aabb, Invalid};

/// The distance between the nearest points of two boxes; zero when they share one.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box.
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
