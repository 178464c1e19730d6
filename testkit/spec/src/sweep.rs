//! Reference sweep of two moving boxes.
//!
//! In the frame of `a`, box `b` moves by `d = b.delta - a.delta`. On one axis the two closed
//! intervals share a point while `a.min ≤ b.max + d·t` and `b.min + d·t ≤ a.max`. For `d ≠ 0` that
//! holds for `t` in `[near, far]`, whose ends are the quotients `(a.min - b.max) / d` and
//! `(a.max - b.min) / d`; for `d = 0` it holds always or never. The boxes touch from the greatest
//! `near` to the least `far`, both clipped to the tick `[0, 1]`.
//!
//! Sources: Ericson 2005, §5.5.8, and Gomez 1999 ("Simple Intersection Tests for Games"). Unlike
//! there, the tick is closed at both ends; a pair that is apart without relative motion, has passed
//! or moves away is separated; a pair that overlaps at the start has an end time; and touching
//! surfaces at the start are distinguished from an overlap.

use crate::bits::contact;
use swath::batch::{Contact, ContactState};
use swath::{Invalid, MovingBox};

/// First and last time of contact of two boxes, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// The first time of contact, in `[0, 1]`. Infinite if there is none.
    pub first: f64,
    /// The last time of the first contact, in `[0, 1]`. Infinite if there is none.
    pub last: f64,
    /// State, axes and normal of the contact.
    pub contact: Contact,
    /// The duration of the contact: `last - first`, computed before a miss sets both to infinity.
    ///
    /// A negative value near zero is a narrow miss.
    pub margin: f64,
}

/// Sweeps `a` against `b`.
///
/// Differences of `f32` values are rounded to `f64` once each, so times are exact to about 2⁻⁵¹.
/// Signs, and with them the state at the start, are exact.
///
/// # Errors
///
/// [`Invalid`] when one of the moving boxes is invalid.
pub fn sweep(a: &MovingBox, b: &MovingBox) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let mut enter = [f64::NEG_INFINITY; 3];
    let mut leave = [f64::INFINITY; 3];
    let (mut touched, mut negative, mut pressed, mut apart) = (0, 0, 0, false);
    for axis in 0..3 {
        let d = f64::from(b.delta[axis]) - f64::from(a.delta[axis]);
        // b is entirely below a while `below` > 0, and entirely above while `above` < 0.
        let below = f64::from(a.aabb.min[axis]) - f64::from(b.aabb.max[axis]);
        let above = f64::from(a.aabb.max[axis]) - f64::from(b.aabb.min[axis]);
        let apart_here = below > 0.0 || above < 0.0;
        apart |= apart_here;
        if d != 0.0 {
            enter[axis] = (below / d).min(above / d);
            leave[axis] = (below / d).max(above / d);
        } else if apart_here {
            enter[axis] = f64::INFINITY;
            leave[axis] = f64::NEG_INFINITY;
        }
        if below == 0.0 || above == 0.0 {
            touched |= 1 << axis;
            let b_above = above == 0.0;
            negative |= u32::from(!b_above) << axis;
            let inwards = if b_above { d < 0.0 } else { d > 0.0 };
            // Two flat boxes in one plane have no interior to move into.
            pressed |= u32::from(inwards && below != above) << axis;
        }
    }
    let first = enter.into_iter().fold(0.0, f64::max);
    let last = leave.into_iter().fold(1.0, f64::min);
    let margin = if last < 0.0 { last } else { last - first };
    if !(first <= last && first <= 1.0 && last >= 0.0) {
        let never = f64::INFINITY;
        return Ok(Sweep { first: never, last: never, contact: Contact::SEPARATED, margin });
    }
    let contact = if apart {
        let (mut axes, mut from_below) = (0, 0);
        for (axis, _) in enter.iter().enumerate().filter(|(_, enter)| **enter == first) {
            axes |= 1 << axis;
            from_below |= u32::from(b.delta[axis] > a.delta[axis]) << axis;
        }
        contact(ContactState::Touching, axes, from_below, true)
    } else {
        contact(ContactState::Overlapping, touched, negative, pressed == touched)
    };
    Ok(Sweep { first, last, contact, margin })
}

/// Packs a [`Contact`].
fn contact(state: ContactState, axes: u32, negative: u32, closing: bool) -> Contact {
    let state =
        if state == ContactState::Touching { contact::TOUCHING } else { contact::OVERLAPPING };
    let closing = if closing { contact::CLOSING } else { 0 };
    contact::from_bits(axes | negative << contact::NEGATIVE_SHIFT | state | closing)
}
