//! Where do two bodies stand after a contact, and how do they go on?
//!
//! One pair at a time, from the kernels of sweep, separation and response.

use super::{check_restitution, deltas_of_valid};
use crate::geom::{Aabb, Body, COORD_MAX, Contact, Invalid, MovingBox, State};
use crate::kernels::{separate, sweep};

/// What became of two bodies that met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Outcome {
    /// They closed along the axis of contact, and do so no more.
    Pushed,
    /// They slide or part: both keep their displacements.
    Kept,
    /// Nothing moves either of them, so nothing was changed.
    BothFixed,
}

/// What two bodies do about their contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// `a` at the time `first`, with its displacement over a whole tick from then on.
    pub a: MovingBox,
    /// `b` at the time `first`, likewise.
    pub b: MovingBox,
    /// When they meet, in `[0, 1]`, never late; `1 - first` of the tick is left.
    pub first: f32,
    /// How: of boxes whose insides overlap at the start the separation, else the sweep, with the
    /// axes on which they did not overlap before.
    pub contact: Contact,
    /// What became of them.
    pub outcome: Outcome,
}

/// What `a` and `b` do about the first contact of the tick; nothing where they do not meet.
///
/// Boxes that come to touch are carried to the first time; boxes that touch at the start stay
/// where they are; boxes whose insides overlap are parted by the least push, shared by inverse
/// mass, and then stay. If they close along the axis, the displacements change as
/// [`deltas`](super::deltas) says. After that the boxes overlap in nothing but their surfaces;
/// where rounding would have it otherwise, they are moved on by their shares.
///
/// Corners are rounded to nearest, each by itself, so a side may change by rounding. What would
/// leave the valid numbers stops at [`COORD_MAX`]. Two fixed bodies stay as they are, overlapping or
/// not.
///
/// # Errors
///
/// [`Invalid`] when one of them is no body, or the restitution is not in `[0, 1]`.
///
/// ```
/// use swath::respond::{self, Outcome};
/// use swath::{Aabb, Body, MovingBox};
///
/// // A bullet flies through a thin wall within the tick, unless something is done about it.
/// let wall = Body::fixed(Aabb::new([0.0, -5.0, -5.0], [0.25, 5.0, 5.0])?)?;
/// let moving = MovingBox::new(Aabb::cube([-10.0, 0.0, 0.0], 0.5)?, [40.0, 2.0, 0.0])?;
/// let bullet = Body::new(moving, 100.0)?;
/// let response = respond::one_to_one(&bullet, &wall, 0.5)?.expect("they meet");
/// assert_eq!(response.outcome, Outcome::Pushed);
/// assert_eq!(response.a.delta, [-20.0, 2.0, 0.0]);
/// assert_eq!(response.b, wall.moving);
/// // It stands before the wall, and not far.
/// let gap = wall.moving.aabb.min[0] - response.a.aabb.max[0];
/// assert!((0.0..1e-4).contains(&gap));
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &Body, b: &Body, restitution: f32) -> Result<Option<Response>, Invalid> {
    a.validate()?;
    b.validate()?;
    check_restitution(restitution)?;
    let sweep = sweep::one_to_one(&a.moving, &b.moving)?;
    let (mut boxes, contact) = match sweep.contact.state() {
        State::Separated => return Ok(None),
        State::Touching => {
            let Some(contact) = entered(a, b, sweep.contact) else { return Ok(None) };
            ([carried(&a.moving, sweep.first), carried(&b.moving, sweep.first)], contact)
        }
        State::Overlapping => {
            let boxes = [a.moving.aabb, b.moving.aabb];
            let inside = !sweep.contact.is_surface();
            let push = if inside { separate::one_to_one(&boxes[0], &boxes[1])? } else { None };
            (boxes, push.map_or(sweep.contact, |push| push.contact))
        }
    };
    let mut response =
        Response { a: a.moving, b: b.moving, first: sweep.first, contact, outcome: Outcome::Kept };
    if a.inverse_mass == 0.0 && b.inverse_mass == 0.0 {
        response.outcome = Outcome::BothFixed;
        return Ok(Some(response));
    }
    if let Some(overlap) = separate::along(&boxes[0], &boxes[1], contact)
        && let Some(moves) = overlap.shares([a.inverse_mass, b.inverse_mass])?
    {
        boxes = [moved(&boxes[0], moves[0]), moved(&boxes[1], moves[1])];
    }
    let [of_a, of_b] = deltas_of_valid(a, b, contact, restitution);
    if [of_a, of_b] != [a.moving.delta, b.moving.delta] {
        response.outcome = Outcome::Pushed;
    }
    (response.a.delta, response.b.delta) = (of_a, of_b);
    [response.a.aabb, response.b.aabb] = boxes;
    Ok(Some(response))
}

/// The axes of contact on which the boxes do not overlap at the start; nothing where there are none.
///
/// A sweep may name an axis that entered within rounding of the last one, before the start, and where
/// a time is below the least float it may call a hit a pair that parts at once.
fn entered(a: &Body, b: &Body, contact: Contact) -> Option<Contact> {
    let (a, b) = (&a.moving.aabb, &b.moving.aabb);
    let mut bits = contact.bits();
    for axis in 0..3 {
        let (bit, negative) = (1 << axis, 1 << axis << Contact::NEGATIVE_SHIFT);
        let falls = bits & negative != 0;
        let overlaps = if falls { b.max[axis] > a.min[axis] } else { a.max[axis] > b.min[axis] };
        bits &= if overlaps { !(bit | negative) } else { u32::MAX };
    }
    let contact = Contact::from_bits(bits);
    contact.axis().map(|_| contact)
}

/// The box at time `t`.
fn carried(moving: &MovingBox, t: f32) -> Aabb {
    moved(&moving.aabb, moving.delta.map(|delta| delta * t))
}

/// The box moved by `by`, each number rounded to nearest, and to [`COORD_MAX`] where it is past it.
fn moved(aabb: &Aabb, by: [f32; 3]) -> Aabb {
    let add = |corner: [f32; 3]| {
        core::array::from_fn(|axis| {
            let sum = (corner[axis] + by[axis]).clamp(-COORD_MAX, COORD_MAX);
            // What does not move keeps the sign of a zero.
            if by[axis] == 0.0 { corner[axis] } else { sum }
        })
    };
    Aabb { min: add(aabb.min), max: add(aabb.max) }
}
