//! What is the least move that parts two boxes, and how do two bodies share it?
//!
//! On one axis `b` clears `a` when it rises by `a.max - b.min` or falls by `b.max - a.min`. All six
//! ways are tried. Of ways that are equally long the lowest axis counts, and of its two the one
//! upwards. Where the published way pushes by the size of the intersection, a contained box stays
//! inside; here it gets out.

use crate::bits::contact;
use swath::geom::{Aabb, Contact, Invalid};

/// The least move that parts two boxes, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// How far: zero when only the surfaces touch.
    pub depth: f64,
    /// Along which axis, and to which side `b` goes.
    pub contact: Contact,
}

/// The least move of `b` along one axis that leaves at most a touch with `a`; nothing when they
/// share no point.
///
/// Differences of `f32` values are rounded to `f64`: exact but where the numbers differ by a factor
/// of 2²⁹ or more.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box.
pub fn separate(a: &Aabb, b: &Aabb) -> Result<Option<Separation>, Invalid> {
    a.validate()?;
    b.validate()?;
    let mut least: Option<Separation> = None;
    for axis in 0..3 {
        let rise = f64::from(a.max[axis]) - f64::from(b.min[axis]);
        let fall = f64::from(b.max[axis]) - f64::from(a.min[axis]);
        if rise < 0.0 || fall < 0.0 {
            return Ok(None);
        }
        let negative = 1 << axis << contact::NEGATIVE_SHIFT;
        for (depth, side) in [(rise, 0), (fall, negative)] {
            if least.is_none_or(|least| depth < least.depth) {
                let inside = if depth > 0.0 { contact::INSIDE } else { 0 };
                let bits = 1 << axis | side | contact::OVERLAPPING | contact::CLOSING | inside;
                least = Some(Separation { depth, contact: contact::from_bits(bits) });
            }
        }
    }
    Ok(least)
}

/// How far each of two bodies with these inverse masses goes, in opposite directions, to part by
/// `depth`; nothing when neither can be moved.
#[must_use]
pub fn shares(depth: f64, [a, b]: [f32; 2]) -> Option<[f64; 2]> {
    let (a, b) = (f64::from(a), f64::from(b));
    (a + b > 0.0).then(|| [depth * (a / (a + b)), depth * (b / (a + b))])
}
