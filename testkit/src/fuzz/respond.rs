//! Responses satisfy the guarantees, and agree with each other on every level.

use super::bytes::Bytes;
use super::separate::{no_bodies, rows};
use crate::body_columns::BodyArrays;
use crate::finite::assert_finite;
use swath::batch::respond::{Member, Outcome, SlideColumns};
use swath::batch::{Body, Contact, respond, separate, sweep};
use swath::{Level, MovingBox, Pair};

/// The restitutions that one byte selects; some are invalid.
const RESTITUTIONS: [f32; 8] = [0.0, 1.0, 0.5, 0.3, -0.25, f32::NAN, 1.0 + f32::EPSILON, -0.0];

/// Computes the response of the two rows of each pair to their contact.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let (rows, pairs) = rows(&mut bytes);
    let named = |pair: &Pair| (rows[pair.a as usize], rows[pair.b as usize]);
    let (mut contacts, mut restitutions) = (Vec::new(), Vec::new());
    let mut before = Contact::SEPARATED;
    for pair in &pairs {
        let (a, b) = named(pair);
        let what = bytes.byte();
        restitutions.push(RESTITUTIONS[usize::from(what) % RESTITUTIONS.len()]);
        // Sometimes the contact of other bodies.
        contacts.push(if what >= 0xe0 { before } else { contact(&a, &b) });
        before = contact(&b, &a);
    }
    let asked = |k: usize| {
        let (a, b) = named(&pairs[k]);
        along(&a, &b, contacts[k], restitutions[k])
    };
    let expected: Vec<_> = (0..pairs.len()).map(asked).collect();
    let firsts: Vec<f32> = (0..rows.len()).map(|row| row as f32 / 32.0).collect();
    let rest = |k: usize| {
        let valid = rows[k].validate().is_ok();
        let rest = respond::slide(rows[k].moving.delta, firsts[k], contacts[k], Member::B);
        rest.ok().filter(|_| valid).unwrap_or_default().map(f32::to_bits)
    };
    let rests: Vec<_> = (0..rows.len()).map(rest).collect();

    let columns = BodyArrays::new(&rows);
    for level in Level::all() {
        let mut rejected = Vec::new();
        let checked = columns.bodies().check(level, &mut rejected);
        assert_eq!(checked.rejected(), no_bodies(&rows), "{level}");
        let (mut a, mut b) = (vec![-7.0; pairs.len()], vec![-7.0; pairs.len()]);
        let to = SlideColumns { a: &mut a, b: &mut b };
        let result = respond::pairs(level, &contacts, &checked, &pairs, &restitutions[..], to);
        assert_eq!(result, Ok(()), "{level}");
        let got: Vec<_> = a.iter().zip(&b).map(|(a, b)| [a.to_bits(), b.to_bits()]).collect();
        assert_eq!(got, expected, "{level}");
        let mut to = [a.clone(), b.clone(), b.clone()];
        let [x, y, z] = &mut to;
        respond::slide_each(level, &checked, &firsts, &contacts, Member::B, [x, y, z])
            .expect("right lengths");
        let row = |row: usize| to.each_ref().map(|column| column[row].to_bits());
        assert_eq!((0..rows.len()).map(row).collect::<Vec<_>>(), rests, "{level}");
    }
}

/// The contact of two bodies, if both are valid; the guarantees for the whole response are checked then.
fn contact(a: &Body, b: &Body) -> Contact {
    let Ok(Some(response)) = respond::one_to_one(a, b, 0.5) else {
        return Contact::SEPARATED;
    };
    assert_finite(&response);
    let swept = sweep::one_to_one(&a.moving, &b.moving).expect("they responded");
    assert_eq!(response.first, swept.first);
    let fixed = a.inverse_mass == 0.0 && b.inverse_mass == 0.0;
    assert_eq!(response.outcome == Outcome::BothFixed, fixed);
    assert!(response.a.validate().is_ok() && response.b.validate().is_ok(), "{response:?}");
    if fixed {
        assert_eq!([response.a, response.b], [a.moving, b.moving]);
    } else if let Some(axis) = response.contact.axis() {
        let rises = response.contact.normal()[axis] > 0.0;
        let (low, high) = if rises { (response.a, response.b) } else { (response.b, response.a) };
        assert!(low.aabb.max[axis] <= high.aabb.min[axis], "{response:?} of {a:?}, {b:?}");
        let push = separate::one_to_one(&response.a.aabb, &response.b.aabb).expect("boxes");
        assert!(push.is_none_or(|push| push.depth == 0.0), "{response:?} of {a:?}, {b:?}");
    }
    response.contact
}

/// The expected bits of one row of a batch, which are close to `spec`.
fn along(a: &Body, b: &Body, contact: Contact, restitution: f32) -> [u32; 2] {
    let Some(axis) = contact.axis() else { return [0; 2] };
    let kept = |body: &Body| {
        let x = body.moving.delta[axis];
        if x.abs() <= swath::COORD_MAX { x.to_bits() } else { 0 }
    };
    let deltas = respond::deltas(a, b, contact, restitution);
    let meant = spec::respond(a, b, contact, restitution);
    assert_eq!(deltas.err(), meant.err());
    let (Ok(deltas), Ok(meant)) = (deltas, meant) else { return [kept(a), kept(b)] };
    assert_finite(&deltas);
    let speeds: f64 = [a, b].map(|body| f64::from(body.moving.delta[axis].abs())).iter().sum();
    for (delta, meant) in deltas.as_flattened().iter().zip(meant.as_flattened()) {
        let limit = f64::from(swath::COORD_MAX);
        let error = (f64::from(*delta) - meant.clamp(-limit, limit)).abs();
        let bound = 64.0 * speeds / f64::from(1 << 24) + 64.0 * f64::from(f32::from_bits(1));
        assert!(error <= bound, "{deltas:?} for {meant:?}: {a:?}, {b:?}, {contact:?}");
    }
    let again = |body: &Body, delta| Body {
        moving: MovingBox { delta, ..body.moving },
        inverse_mass: body.inverse_mass,
    };
    let twice = respond::deltas(&again(a, deltas[0]), &again(b, deltas[1]), contact, restitution);
    assert_eq!(twice, Ok(deltas), "a response needs no other: {a:?}, {b:?}, {contact:?}");
    deltas.map(|delta| delta[axis].to_bits())
}
