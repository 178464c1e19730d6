//! Do two boxes share a point now?

use crate::geom::{Aabb, Invalid};

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
