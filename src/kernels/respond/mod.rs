//! Frictionless collision response of two bodies along the contact normal.
//!
//! Let `r < 0` be the relative displacement along the normal, with which the bodies close. After
//! the response they separate with `-e·r`, where `e` is the coefficient of restitution: 0 is
//! perfectly inelastic, 1 is perfectly elastic. The impulse is
//!
//! ```text
//! j = -(1 + e)·r / (w_a + w_b)        delta_a −= j·w_a·n        delta_b += j·w_b·n
//! ```
//!
//! with the inverse masses `w` (Ericson 2005, §5; Catto, *Iterative Dynamics with Temporal
//! Coherence*, 2005, without friction and rotation). For boxes that come into contact during the
//! tick, or touch at its start, the normal is that of the [sweep](crate::batch::sweep). For boxes whose
//! interiors overlap it is that of the [minimum translation](crate::batch::separate). The published
//! response always uses the latter, which pushes a fast body out on the wrong side.
//!
//! **Guarantees**, to the bit where no bound is given:
//!
//! * A body with inverse mass zero keeps its displacement. A pair that is not closing keeps both
//!   displacements.
//! * After a response the pair is not closing along the axis, so applying the response again
//!   changes nothing.
//! * The relative displacement becomes `-e·r` within 2⁻²⁰ of `|r|` and 2⁻²³ of `|delta_a| +
//!   |delta_b|` after the response. Momentum is conserved within 2⁻¹⁹ of the impulse and 2⁻²³ of
//!   the momenta. Both hold as long as no number is below the normal range
//!   (`docs/math/respond.md`).
//! * Boxes that overlap at the start do not overlap more deeply afterwards, on any axis. Boxes that touch during the tick
//!   at most touch on the axis of the contact afterwards.
//!
//! Units: displacements over the tick. Cost: 36 bytes read and 8 written per contact.

mod first_contact;
mod simd;

use super::batch::{ContactMembers, ContactNumbers, ContactQuestion, ContactRows};
use super::batch::{Each, One};
use super::{BatchError, batch};
use crate::columns::{BodyColumns, Checked, LengthMismatch};
pub use crate::geom::Member;
use crate::geom::{Body, Contact, Invalid, MovingBox, Pair};
use crate::lanes::{Isa, Level, Table};
pub use first_contact::{Outcome, Response, one_to_one};

/// The coefficient of restitution: the part of the closing displacement that is returned, in `[0,
/// 1]`.
#[derive(Clone, Copy, Debug)]
pub enum Restitution<'a> {
    /// The same value for all contacts.
    All(f32),
    /// One value per contact. Where it is not in `[0, 1]`, both bodies keep their displacements.
    Each(&'a [f32]),
}

impl From<f32> for Restitution<'_> {
    fn from(all: f32) -> Self {
        Self::All(all)
    }
}

impl<'a> From<&'a [f32]> for Restitution<'a> {
    fn from(each: &'a [f32]) -> Self {
        Self::Each(each)
    }
}

impl<'a> Restitution<'a> {
    fn numbers(self) -> Result<ContactNumbers<'a>, Invalid> {
        match self {
            Self::All(all) => check_restitution(all).map(|()| ContactNumbers::All(all)),
            Self::Each(each) => Ok(ContactNumbers::Each(each)),
        }
    }
}

/// Checks that a restitution is in `[0, 1]`.
fn check_restitution(restitution: f32) -> Result<(), Invalid> {
    // NaN is in no range, so it is rejected too.
    if (0.0..=1.0).contains(&restitution) { Ok(()) } else { Err(Invalid::Restitution) }
}

/// Displacements along the axis of the contact ([`Contact::axis`]) after the response, one row per
/// contact.
///
/// The other two components do not change. Where the response changes nothing, the displacements
/// before it are written. Zero where the contact has no axis, and for a body whose displacement is
/// invalid. 8 bytes per row.
#[derive(Debug)]
pub struct SlideColumns<'a> {
    /// The displacement of `a`.
    pub a: &'a mut [f32],
    /// The displacement of `b`.
    pub b: &'a mut [f32],
}

impl<'a> SlideColumns<'a> {
    fn columns(self) -> batch::ContactOutputs<'a, 2> {
        [("the output `a`", self.a), ("the output `b`", self.b)]
    }
}

/// Returns the displacements of `a` and of `b` after the response along the lowest axis of
/// `contact`.
///
/// The contact may be that of a sweep or of a separation. The displacements change if the contact
/// [may be closing](Contact::is_closing) and the displacements are closing. A sweep of boxes whose
/// interiors overlap at the start has no axis and changes nothing; use
/// [`separate`](crate::batch::separate) then, or [`one_to_one`], which calls it.
///
/// # Errors
///
/// [`Invalid`] when one of the bodies is invalid or the restitution is not in `[0, 1]`.
///
/// ```
/// use swath::{Aabb, MovingBox};
/// use swath::batch::{Body, respond, sweep};
///
/// // A ball hits another of the same mass that is at rest: they exchange their velocities.
/// let moving = MovingBox::new(Aabb::cube([-4.0, 0.0, 0.0], 0.5)?, [6.0, 1.0, 0.0])?;
/// let ball = Body::new(moving, 2.0)?;
/// let rest = Body::new(Aabb::cube([0.0, 0.0, 0.0], 0.5)?, 2.0)?;
/// let contact = sweep::one_to_one(&ball.moving, &rest.moving)?.contact;
/// let after = respond::deltas(&ball, &rest, contact, 1.0)?;
/// assert_eq!(after, [[0.0, 1.0, 0.0], [6.0, 0.0, 0.0]]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn deltas(
    a: &Body,
    b: &Body,
    contact: Contact,
    restitution: f32,
) -> Result<[[f32; 3]; 2], Invalid> {
    a.validate()?;
    b.validate()?;
    check_restitution(restitution)?;
    Ok(deltas_of_valid(a, b, contact, restitution))
}

/// Does what [`deltas`] does, for valid input.
fn deltas_of_valid(a: &Body, b: &Body, contact: Contact, restitution: f32) -> [[f32; 3]; 2] {
    let numbers = |body: &Body| {
        let [x, y, z] = body.moving.delta;
        [x, y, z, body.inverse_mass]
    };
    let along = batch::one_contact(Respond, contact, restitution, (numbers(a), numbers(b)));
    let mut deltas = [a.moving.delta, b.moving.delta];
    if let Some(axis) = contact.axis() {
        deltas.iter_mut().zip(along).for_each(|(delta, along)| delta[axis] = along);
    }
    deltas
}

/// Computes the displacements of `a` and of each row of `many` after contact `i` with row `i`.
///
/// Each contact is treated as if it were the only one.
///
/// # Errors
///
/// [`BatchError`] when `a` is invalid, the common restitution is not in `[0, 1]`, or the length of
/// a column is not the number of rows.
pub fn one_to_many<'r>(
    level: Level,
    contact: &[Contact],
    a: &Body,
    many: &Checked<'_, BodyColumns<'_>>,
    restitution: impl Into<Restitution<'r>>,
    output: SlideColumns<'_>,
) -> Result<(), BatchError> {
    a.validate()?;
    let contacts = (contact, restitution.into().numbers()?);
    let [x, y, z] = a.moving.delta;
    let sides = (One([x, y, z, a.inverse_mass]), pushed(many));
    batch::run_contacts(level, Respond, contacts, sides, many.len(), output.columns())
}

/// Computes the displacements of row `i` of `a` and row `i` of `b` after contact `i`, for each `i`.
///
/// # Errors
///
/// [`BatchError`] when the common restitution is not in `[0, 1]` or the columns differ in length.
pub fn zip<'r>(
    level: Level,
    contact: &[Contact],
    a: &Checked<'_, BodyColumns<'_>>,
    b: &Checked<'_, BodyColumns<'_>>,
    restitution: impl Into<Restitution<'r>>,
    output: SlideColumns<'_>,
) -> Result<(), BatchError> {
    LengthMismatch::check("the second side", a.len(), b.len())?;
    let contacts = (contact, restitution.into().numbers()?);
    let (sides, members) = ((pushed(a), pushed(b)), ContactMembers::Zip(a.len()));
    batch::run_contact_rows(level, Respond, contacts, sides, members, output.columns())
}

/// Computes the displacements of the two rows of pair `i` after contact `i`.
///
/// Each pair is treated as if it were the only one. A body that is in several pairs has one result
/// per pair; a solver processes such pairs one after the other, or in groups without a common body.
/// 12 bytes read per pair, and 32 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair refers to a row that does not exist, the common restitution is not in
/// `[0, 1]`, or the length of a column is not the number of pairs.
///
/// ```
/// use swath::{Aabb, Level, MovingBox, Pair};
/// use swath::batch::{Body, BodyStore, Contact, respond, sweep};
/// use swath::batch::respond::SlideColumns;
/// use swath::batch::sweep::SweepColumns;
///
/// let mut bodies = BodyStore::new();
/// bodies.push(Body::fixed(Aabb::new([0.0, -1.0, 0.0], [9.0, 0.0, 9.0])?)?)?; // a floor
/// let falling = MovingBox::new(Aabb::cube([4.0, 2.0, 4.0], 1.0)?, [0.5, -3.0, 0.0])?;
/// bodies.push(Body::new(falling, 1.0)?)?;
/// let (level, pairs) = (Level::detect(), [Pair { a: 0, b: 1 }]);
///
/// let (mut first, mut last, mut contact) = ([0.0], [0.0], [Contact::SEPARATED]);
/// let answers = SweepColumns { first: &mut first, last: &mut last, contact: &mut contact };
/// sweep::pairs(level, &bodies.checked().boxes(), &pairs, answers)?;
///
/// let (mut a, mut b) = ([0.0], [0.0]);
/// let along = SlideColumns { a: &mut a, b: &mut b };
/// respond::pairs(level, &contact, &bodies.checked(), &pairs, 0.5, along)?;
/// if let Some(axis) = contact[0].axis() {
///     let mut body = bodies.get(1);
///     body.moving.delta[axis] = b[0];
///     assert_eq!(body.moving.delta, [0.5, 1.5, 0.0]);
///     bodies.set(1, body)?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs<'r>(
    level: Level,
    contact: &[Contact],
    bodies: &Checked<'_, BodyColumns<'_>>,
    pairs: &[Pair],
    restitution: impl Into<Restitution<'r>>,
    output: SlideColumns<'_>,
) -> Result<(), BatchError> {
    let contacts = (contact, restitution.into().numbers()?);
    let (sides, members) =
        ((pushed(bodies), pushed(bodies)), ContactMembers::Pairs(pairs, bodies.len()));
    batch::run_contact_rows(level, Respond, contacts, sides, members, output.columns())
}

/// Returns the remaining displacement after an impact at time `first`, along the faces: `delta`
/// times `1 - first`, without the components that point into a face.
///
/// On every axis of contact ([`Contact::axis_mask`]) on which `delta` points into the face, the
/// component becomes zero; components that point away from a face or along it remain. `member`
/// states which body `delta` belongs to. Without contact the result is `delta`. Within 2⁻²³ of
/// `delta · (1 - first)`. A time outside of `[0, 1]` is clamped, and NaN counts as 0.
///
/// # Errors
///
/// [`Invalid`] when a component is not finite or its magnitude is greater than
/// [`COORD_MAX`](crate::COORD_MAX).
///
/// ```
/// use swath::{Aabb, MovingBox};
/// use swath::batch::{respond, sweep};
/// use swath::batch::respond::Member;
///
/// let floor = Aabb::new([-9.0, -1.0, -9.0], [9.0, 0.0, 9.0])?;
/// let skid = MovingBox::new(Aabb::new([0.0, 1.0, 0.0], [1.0, 2.0, 1.0])?, [4.0, -2.0, 0.0])?;
/// let sweep = sweep::one_to_one(&skid, &floor.into())?;
/// let rest = respond::slide(skid.delta, sweep.first, sweep.contact, Member::A)?;
/// // Half of the tick remains, or slightly more, because the sweep is never late.
/// assert!(rest[0] >= 2.0 && rest[0] < 2.000_01);
/// assert_eq!([rest[1], rest[2]], [0.0; 2]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn slide(
    delta: impl Into<[f32; 3]>,
    first: f32,
    contact: Contact,
    member: Member,
) -> Result<[f32; 3], Invalid> {
    let delta = delta.into();
    MovingBox { delta, ..MovingBox::default() }.validate()?;
    Ok(batch::one_contact(Slide(member), contact, first, (delta, [])))
}

/// Applies [`slide`] to row `i` of `bodies`, contact `i` and time `i`, for each `i`.
///
/// The result of an invalid row is zero. 20 bytes read and 12 written per row.
///
/// # Errors
///
/// [`BatchError`] when the length of a column is not the number of bodies.
pub fn slide_each(
    level: Level,
    bodies: &Checked<'_, BodyColumns<'_>>,
    first: &[f32],
    contact: &[Contact],
    member: Member,
    [x, y, z]: [&mut [f32]; 3],
) -> Result<(), BatchError> {
    let [.., dx, dy, dz, _] = bodies.columns().columns();
    let delta = Each::of(Table::new([dx, dy, dz], bodies.len()), bodies);
    let (contacts, sides) = ((contact, ContactNumbers::Each(first)), (delta, One([])));
    let outputs = [("the output `x`", x), ("the output `y`", y), ("the output `z`", z)];
    batch::run_contacts(level, Slide(member), contacts, sides, bodies.len(), outputs)
}

/// Uses the columns of the displacements and inverse masses.
fn pushed<'a>(bodies: &Checked<'a, BodyColumns<'a>>) -> Each<'a, 4> {
    let [.., dx, dy, dz, inverse_mass] = bodies.columns().columns();
    Each::of(Table::new([dx, dy, dz, inverse_mass], bodies.len()), bodies)
}

/// Computes the displacements along the axis of a contact.
#[derive(Clone, Copy, Debug)]
struct Respond;

impl ContactQuestion<4, 4, 2> for Respond {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, rows: &ContactRows<I, 4, 4>) -> [I::F32; 2] {
        simd::along(isa, rows)
    }
}

/// Computes the remaining displacement after a contact.
#[derive(Clone, Copy, Debug)]
struct Slide(Member);

impl ContactQuestion<3, 0, 3> for Slide {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, rows: &ContactRows<I, 3, 0>) -> [I::F32; 3] {
        simd::slide(isa, self.0, rows)
    }
}
