//! Response of one pair of bodies: positions and displacements after their first contact.
//!
//! Combines the kernels of sweep, separation and response.

use super::{check_restitution, deltas_of_valid};
use crate::geom::{
    Aabb, Body, COORD_MAX, Contact, ContactState, Invalid, MapEach, MovingBox, each_axis,
};
use crate::kernels::{separate, sweep};

/// How a response changed two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Outcome {
    /// They were closing along the axis of contact and no longer are.
    Pushed,
    /// They slide or separate. Both keep their displacements.
    Kept,
    /// Both have infinite mass, so nothing was changed.
    BothFixed,
}

/// Two bodies after the response to their first contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// `a` at time `first`, with its displacement over a whole tick from then on; the body as it was
    /// passed for [`Outcome::BothFixed`].
    pub a: MovingBox,
    /// `b` at time `first`, with its displacement over a whole tick from then on; the body as it was
    /// passed for [`Outcome::BothFixed`].
    pub b: MovingBox,
    /// The time of contact, in `[0, 1]`, never late. The part `1 - first` of the tick remains.
    pub first: f32,
    /// The contact of the separation if the interiors overlap at the start, else that of the sweep,
    /// without the axes on which the boxes overlapped before.
    pub contact: Contact,
    /// How the bodies were changed.
    pub outcome: Outcome,
}

/// Computes the response of `a` and `b` to their first contact of the tick, or `None` without
/// contact.
///
/// Boxes that come into contact during the tick are advanced to the first time of contact. Boxes
/// that touch at the start keep their positions. Boxes whose interiors overlap are separated by the
/// minimum translation, which they share by inverse mass. If the bodies are closing along the axis,
/// the displacements change as by [`deltas`](super::deltas). Afterwards the boxes overlap at most
/// with their surfaces; if rounding would violate this, they are moved apart by their shares.
///
/// Corners are rounded to nearest separately, so the size of a box may change by rounding. A
/// coordinate that would exceed the valid range is clamped to [`COORD_MAX`]. Two bodies of infinite
/// mass do not change, whether they overlap or not.
///
/// # Errors
///
/// [`Invalid`] when one of the bodies is invalid or the restitution is not in `[0, 1]`.
///
/// ```
/// use swath::{Aabb, MovingBox};
/// use swath::batch::{Body, respond};
/// use swath::batch::respond::Outcome;
///
/// // Without a response, a bullet passes through a thin wall within the tick.
/// let wall = Body::fixed(Aabb::new([0.0, -5.0, -5.0], [0.25, 5.0, 5.0])?)?;
/// let moving = MovingBox::new(Aabb::cube([-10.0, 0.0, 0.0], 0.5)?, [40.0, 2.0, 0.0])?;
/// let bullet = Body::new(moving, 100.0)?;
/// let response = respond::one_to_one(&bullet, &wall, 0.5)?.expect("they meet");
/// assert_eq!(response.outcome, Outcome::Pushed);
/// assert_eq!(response.a.delta, [-20.0, 2.0, 0.0]);
/// assert_eq!(response.b, wall.moving);
/// // It is in front of the wall, at a small distance.
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
        ContactState::Separated => return Ok(None),
        ContactState::Touching => {
            let Some(contact) = entered(a, b, sweep.contact) else { return Ok(None) };
            ([advanced(&a.moving, sweep.first), advanced(&b.moving, sweep.first)], contact)
        }
        ContactState::Overlapping => {
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

/// Returns the contact without the axes on which the boxes overlap at the start, or `None` if none
/// is left.
///
/// A sweep may report an axis whose time of entry is within rounding of the last one but before the
/// start. For times below the least float it may report a hit for a pair that separates
/// immediately.
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

/// Returns the box at time `t`.
fn advanced(moving: &MovingBox, t: f32) -> Aabb {
    moved(&moving.aabb, moving.delta.map_each(|delta| delta * t))
}

/// Returns the box moved by `by`. Each number is rounded to nearest and clamped to [`COORD_MAX`].
fn moved(aabb: &Aabb, by: [f32; 3]) -> Aabb {
    let add = |corner: [f32; 3]| {
        each_axis(|axis| {
            let sum = (corner[axis] + by[axis]).clamp(-COORD_MAX, COORD_MAX);
            // A coordinate that does not move keeps the sign of a zero.
            if by[axis] == 0.0 { corner[axis] } else { sum }
        })
    };
    Aabb { min: add(aabb.min), max: add(aabb.max) }
}
