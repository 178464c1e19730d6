//! When do two moving boxes touch?
//!
//! In the frame of `a`, box `b` moves by `d = b.delta - a.delta`. On one axis the two closed
//! intervals share a point while `a.min ≤ b.max + d·t` and `b.min + d·t ≤ a.max`, which for `d ≠ 0`
//! is `t` in `[near, far]` with the quotients `(a.min - b.max) / d` and `(a.max - b.min) / d` as
//! its ends; for `d = 0` it is always or never. The boxes touch from the greatest `near` to the
//! least `far`, both clipped to the tick `[0, 1]`.
//!
//! Ericson 2005, §5.5.8, and Gomez 1999 ("Simple Intersection Tests for Games"). Here the tick
//! is closed at both ends; a pair that is apart at rest, has passed or moves away is separated; a
//! pair that overlaps at the start has an end time, and a mere touch at the start is told from
//! an overlap.

use crate::bits::contact;
use swath::geom::{Contact, Invalid, MovingBox, State};

/// When two boxes touch, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// The first time they touch, in `[0, 1]`; infinite when they do not.
    pub first: f64,
    /// The last time of that contact, in `[0, 1]`; infinite when there is none.
    pub last: f64,
    /// How they meet, and on which axes.
    pub contact: Contact,
    /// By how much of the tick the pair meets: `last - first` before the latter was found to be
    /// a miss. Near zero from below, it tells how narrow a miss was.
    pub margin: f64,
}

/// When `a` and `b` touch.
///
/// Differences of `f32` values are rounded to `f64` once each, so times are exact to about
/// 2⁻⁵¹; signs, and with them the state at the start, are exact.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box or displacement.
pub fn sweep(a: &MovingBox, b: &MovingBox) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let mut enter = [f64::NEG_INFINITY; 3];
    let mut leave = [f64::INFINITY; 3];
    let (mut touched, mut negative, mut pressed, mut apart) = (0, 0, 0, false);
    for axis in 0..3 {
        let d = f64::from(b.delta[axis]) - f64::from(a.delta[axis]);
        // b lies wholly below a while `below` > 0, wholly above while `above` < 0.
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
            // Two flat boxes in one plane have no inside to move into.
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
        contact(State::Touching, axes, from_below, true)
    } else {
        contact(State::Overlapping, touched, negative, pressed == touched)
    };
    Ok(Sweep { first, last, contact, margin })
}

/// Packs what [`Contact`] documents.
fn contact(state: State, axes: u32, negative: u32, closing: bool) -> Contact {
    let state = if state == State::Touching { contact::TOUCHING } else { contact::OVERLAPPING };
    let closing = if closing { contact::CLOSING } else { 0 };
    contact::from_bits(axes | negative << contact::NEGATIVE_SHIFT | state | closing)
}
