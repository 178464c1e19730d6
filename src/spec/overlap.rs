//! Do two boxes share a point now?

use crate::geom::{Aabb, InvalidBox};

/// Whether two closed boxes share a point. Touching counts; comparisons are exact.
///
/// # Errors
///
/// [`InvalidBox`] when one of them is no box.
pub fn overlap(a: &Aabb, b: &Aabb) -> Result<bool, InvalidBox> {
    a.validate()?;
    b.validate()?;
    let apart = |axis: usize| a.max[axis] < b.min[axis] || b.max[axis] < a.min[axis];
    Ok(!(0..3).any(apart))
}
