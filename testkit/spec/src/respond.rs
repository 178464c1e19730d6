//! Reference collision response of two bodies.
//!
//! Along the normal, which points from `a` to `b`, the bodies close with the relative displacement
//! `r < 0`, and separate with `-e·r`. The change is shared by inverse mass, so momentum is
//! conserved. Pairs that are not closing and bodies of infinite mass do not change.

use crate::bits::contact;
use swath::Invalid;
use swath::batch::{Body, Contact};

/// Returns the displacements of `a` and `b` after the response along the lowest axis of `contact`.
///
/// # Errors
///
/// [`Invalid`] when one of the bodies is invalid or the restitution is not in `[0, 1]`.
pub fn respond(
    a: &Body,
    b: &Body,
    contact: Contact,
    restitution: f32,
) -> Result<[[f64; 3]; 2], Invalid> {
    a.validate()?;
    b.validate()?;
    if !(0.0..=1.0).contains(&restitution) {
        return Err(Invalid::Restitution);
    }
    let mut deltas = [a.moving.delta.map(f64::from), b.moving.delta.map(f64::from)];
    let Some(axis) = contact.axis() else {
        return Ok(deltas);
    };
    let normal = f64::from(contact.normal()[axis]);
    let relative = (deltas[1][axis] - deltas[0][axis]) * normal;
    let (of_a, of_b) = (f64::from(a.inverse_mass), f64::from(b.inverse_mass));
    if contact.is_closing() && relative < 0.0 && of_a + of_b > 0.0 {
        let change = -(1.0 + f64::from(restitution)) * relative;
        deltas[0][axis] -= change * (of_a / (of_a + of_b)) * normal;
        deltas[1][axis] += change * (of_b / (of_a + of_b)) * normal;
    }
    Ok(deltas)
}

/// Returns the remaining displacement after the time `first`, without the components that point
/// into a face of `contact`.
///
/// The normal points out of the face for the second body, and into it for the first.
#[must_use]
pub fn slide(delta: [f32; 3], first: f64, contact: Contact, is_second: bool) -> [f64; 3] {
    if !contact.is_hit() {
        return delta.map(f64::from);
    }
    core::array::from_fn(|axis| {
        let touches = contact.axis_mask() >> axis & 1 == 1;
        let negative = contact.bits() >> (contact::NEGATIVE_SHIFT + axis as u32) & 1 == 1;
        let into = if negative == is_second { delta[axis] > 0.0 } else { delta[axis] < 0.0 };
        if touches && into { 0.0 } else { f64::from(delta[axis]) * (1.0 - first) }
    })
}
