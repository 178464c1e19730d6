//! Reference minimum translation of two boxes, and the shares of two bodies.
//!
//! On one axis `b` clears `a` if it moves up by `a.max - b.min` or down by `b.max - a.min`. All six
//! translations are compared. Among equally long ones the lowest axis is chosen, and of its two
//! directions up. The published method uses the size of the intersection and leaves a contained box
//! inside; this one does not.

use crate::bits::contact;
use swath::batch::Contact;
use swath::{Aabb, Invalid};

/// The minimum translation that separates two boxes, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// The length of the translation. Zero when only the surfaces touch.
    pub depth: f64,
    /// The axis of the translation, and the direction in which `b` moves.
    pub contact: Contact,
}

/// Returns the minimum translation of `b` along one axis after which it at most touches `a`.
///
/// It is `None` if they share no point.
///
/// Differences of `f32` values are rounded to `f64`, which is exact unless the numbers differ by a
/// factor of 2²⁹ or more.
///
/// # Errors
///
/// [`Invalid`] when one of the boxes is invalid.
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

/// Returns how far each of two bodies with these inverse masses moves, in opposite directions, so
/// that they are separated by `depth`.
///
/// It is `None` if neither can be moved.
#[must_use]
pub fn shares(depth: f64, [a, b]: [f32; 2]) -> Option<[f64; 2]> {
    let (a, b) = (f64::from(a), f64::from(b));
    (a + b > 0.0).then(|| [depth * (a / (a + b)), depth * (b / (a + b))])
}
