//! Minimum translation that separates two overlapping boxes.
//!
//! On one axis, `b` clears `a` if it moves up by `a.max - b.min` or down by `b.max - a.min`. The
//! boxes share a point if none of these six numbers is negative, and the least of them is the
//! length of the minimum translation along an axis after which they at most touch.
//!
//! The published method uses the size of the intersection along its shortest side. That does not
//! separate boxes of which one contains the other, has no axis when two sides are equal and no
//! direction when the centres coincide. Here ties are resolved to the lowest axis and then to
//! moving up, so there is always a result. If both boxes can be moved, they share the translation
//! in proportion to their inverse masses.
//!
//! **The axis is exact.** The rounding error of a difference is a float (Knuth 1998, §4.2.2), so
//! the six numbers are compared exactly. **The depth is sufficient.** It is the least `f32` that is
//! not below the exact depth, less than 2⁻²³ of it above. After adding it to both corners of `b` in
//! `f32`, the boxes at most touch, because rounding to nearest is monotonic. The same holds for the
//! two [shares](Separation::shares), whose sum is never below the depth. The proof is in
//! `docs/math/separate.md`.
//!
//! Units: lengths. Displacements are not used. Cost: 24 bytes read and 8 written per row.

mod simd;

use super::batch::{Answer, Each, One, Output, Question, Sink};
use super::batch::{ContactMembers, ContactNumbers, ContactRows};
use super::{BatchError, Hits, batch};
use crate::columns::{BodyColumns, Checked, LengthMismatch, Row};
use crate::geom::{Aabb, Contact, Invalid, MapEach, Pair, add_up, check_inverse_mass};
use crate::lanes::{Isa, Level, Table};

/// The minimum translation that separates two boxes that share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Separation {
    /// The length of the translation. Zero when only the surfaces touch.
    ///
    /// Never below the exact length, and less than 2⁻²³ of it above.
    pub depth: f32,
    /// An overlapping contact, with the one axis of the translation and the direction in which `b`
    /// moves.
    ///
    /// [`Contact::is_surface`] distinguishes touching surfaces from overlapping interiors. The
    /// contact is always [closing](Contact::is_closing), because a separation has no motion as
    /// input; a response examines the motion.
    pub contact: Contact,
}

impl Separation {
    /// Returns the vector to add to both corners of `b` so that it at most touches `a`.
    ///
    /// Each sum may be rounded to nearest. Near [`COORD_MAX`](crate::COORD_MAX) a sum may exceed
    /// the valid range.
    #[must_use]
    pub fn translation(&self) -> [f32; 3] {
        self.contact.normal().map_each(|n| n * self.depth + 0.0)
    }

    /// Returns the vectors to add to both corners of `a` and of `b` so that they at most touch.
    ///
    /// Each body moves in proportion to its inverse mass; the first inverse mass is that of `a`.
    /// The result is `None` when both inverse masses are zero, because then neither body can be
    /// moved. The heavier body moves by `depth · heavy / (a + b)`, where `heavy` is its inverse
    /// mass, within 3·2⁻²⁴ of that and 2⁻¹⁴⁹ · (1 + depth). The lighter one moves by the rest,
    /// rounded up. If one inverse mass is zero, that body moves by exactly zero and the other by
    /// exactly the depth. Bodies of equal mass move equally far. Exchanging the bodies exchanges
    /// their moves.
    ///
    /// # Errors
    ///
    /// [`Invalid::InverseMass`] when an inverse mass is not in `[0, COORD_MAX]`.
    ///
    /// ```
    /// use swath::Aabb;
    /// use swath::batch::separate;
    ///
    /// let crate_ = Aabb::new([0.0, 0.0, 0.0], [4.0, 4.0, 4.0])?;
    /// let ball = Aabb::new([3.0, 1.0, 1.0], [5.0, 2.0, 2.0])?;
    /// let push = separate::one_to_one(&crate_, &ball)?.expect("they overlap");
    /// // The ball has a third of the mass of the crate.
    /// assert_eq!(push.shares([1.0, 3.0])?, Some([[-0.25, 0.0, 0.0], [0.75, 0.0, 0.0]]));
    /// // A wall has infinite mass and does not move.
    /// assert_eq!(push.shares([0.0, 3.0])?, Some([[0.0; 3], [1.0, 0.0, 0.0]]));
    /// // Neither of two walls can be moved.
    /// assert_eq!(push.shares([0.0, 0.0])?, None);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    pub fn shares(&self, inverse_masses: [f32; 2]) -> Result<Option<[[f32; 3]; 2]>, Invalid> {
        let [a, b] = inverse_masses;
        check_inverse_mass(a)?;
        check_inverse_mass(b)?;
        if a == 0.0 && b == 0.0 {
            return Ok(None);
        }
        let moves = batch::one_contact(Shares, self.contact, self.depth, ([a], [b]));
        Ok(Some(moves.map_each(|along| {
            let mut translation = [0.0; 3];
            if let Some(axis) = self.contact.axis() {
                translation[axis] = along;
            }
            translation
        })))
    }
}

/// Complete results, one column per field. 8 bytes per row.
///
/// Disjoint boxes have depth zero and [`Contact::SEPARATED`].
#[derive(Debug)]
pub struct SeparationColumns<'a> {
    /// [`Separation::depth`].
    pub depth: &'a mut [f32],
    /// [`Separation::contact`].
    pub contact: &'a mut [Contact],
}

impl SeparationColumns<'_> {
    /// Returns row `row` of the two columns, or `None` if the boxes are disjoint.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Separation> {
        let separation = Separation { depth: self.depth[row], contact: self.contact[row] };
        separation.contact.is_hit().then_some(separation)
    }
}

impl Output<Separation> for SeparationColumns<'_> {}
impl Output<Separation> for &mut Hits<'_> {}

impl Sink for SeparationColumns<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `depth`", rows, self.depth.len())?;
        LengthMismatch::check("the output `contact`", rows, self.contact.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        answer.store(answer.near, isa.splat(0.0), start, self.depth);
        answer.store_bits(isa, start, self.contact);
        true
    }
}

/// Returns the minimum translation of `b` that separates it from `a`, or `None` if they are
/// disjoint.
///
/// # Errors
///
/// [`Invalid`] when one of the boxes is invalid.
///
/// ```
/// use swath::Aabb;
/// use swath::batch::separate;
///
/// // The small box is inside. The shortest way out is to the left, by its whole width and more.
/// let outer = Aabb::new([0.0, 0.0, 0.0], [8.0, 8.0, 8.0])?;
/// let inner = Aabb::new([1.0, 3.0, 3.0], [2.0, 5.0, 5.0])?;
/// let push = separate::one_to_one(&outer, &inner)?.expect("they overlap");
/// assert_eq!(push.translation(), [-2.0, 0.0, 0.0]);
/// assert_eq!(push.contact.normal(), [-1.0, 0.0, 0.0]);
///
/// // Two equal boxes at the same position are separated along x, upwards.
/// let push = separate::one_to_one(&inner, &inner)?.expect("they overlap");
/// assert_eq!(push.translation(), [1.0, 0.0, 0.0]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &Aabb, b: &Aabb) -> Result<Option<Separation>, Invalid> {
    a.validate()?;
    b.validate()?;
    let answer = batch::one_to_one(BoxSeparation, a.to_row(), b.to_row());
    Ok(answer.map(|(depth, _, contact)| Separation { depth, contact: Contact::from_bits(contact) }))
}

/// Computes the minimum translation that separates each row of `many` from `a`.
///
/// The result of an invalid row is that of disjoint boxes.
///
/// # Errors
///
/// [`BatchError`] when `a` is invalid or the output has the wrong length.
pub fn one_to_many(
    level: Level,
    a: &Aabb,
    many: &Checked<'_>,
    output: impl Output<Separation>,
) -> Result<(), BatchError> {
    a.validate()?;
    batch::run(level, BoxSeparation, (One(a.to_row()), Each::corners(many)), many.len(), output)
}

/// Computes the minimum translation that separates row `i` of `b` from row `i` of `a`, for each
/// `i`.
///
/// The result is that of disjoint boxes if one of the two rows is invalid. 48 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `a` and `b` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    a: &Checked<'_>,
    b: &Checked<'_>,
    output: impl Output<Separation>,
) -> Result<(), BatchError> {
    batch::zip(level, BoxSeparation, (Each::corners(a), Each::corners(b)), output)
}

/// Computes the minimum translation that separates the two rows of each pair.
///
/// Result `i` is the translation of row `pairs[i].b` away from row `pairs[i].a`. A pair may contain
/// the same row twice. The result of a pair with an invalid row is that of disjoint boxes. 8 bytes
/// read per pair, and 48 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair refers to a row that does not exist or the output has the wrong length.
pub fn pairs(
    level: Level,
    boxes: &Checked<'_>,
    pairs: &[Pair],
    output: impl Output<Separation>,
) -> Result<(), BatchError> {
    batch::pairs(level, BoxSeparation, Each::corners(boxes), pairs, output)
}

/// Signed moves of both bodies along the axis of the contact, one row per separation.
///
/// Add each to both corners of the body's box on that axis. 8 bytes per row.
#[derive(Debug)]
pub struct Moves<'a> {
    /// The move of `a`.
    pub a: &'a mut [f32],
    /// The move of `b`.
    pub b: &'a mut [f32],
}

impl<'a> Moves<'a> {
    fn columns(self) -> batch::ContactOutputs<'a, 2> {
        [("the output `a`", self.a), ("the output `b`", self.b)]
    }
}

/// Computes how row `i` of `a` and row `i` of `b` share separation `i`, for each `i`.
///
/// `depth` and `contact` are the columns of the separations. The moves are those of
/// [`Separation::shares`] along its axis. They are zero where neither body can be moved, where a
/// row is invalid, where there is no axis, and where the depth is not in `[0, 2 · COORD_MAX]`. 16
/// bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when the columns differ in length.
pub fn shares(
    level: Level,
    depth: &[f32],
    contact: &[Contact],
    a: &Checked<'_, BodyColumns<'_>>,
    b: &Checked<'_, BodyColumns<'_>>,
    moves: Moves<'_>,
) -> Result<(), BatchError> {
    LengthMismatch::check("the second side", a.len(), b.len())?;
    let contacts = (contact, ContactNumbers::Each(depth));
    let sides = (inverse_mass(a), inverse_mass(b));
    batch::run_contact_rows(
        level,
        Shares,
        contacts,
        sides,
        ContactMembers::Zip(a.len()),
        moves.columns(),
    )
}

/// Computes how the two rows of pair `i` share separation `i`, like [`shares`].
///
/// 16 bytes read per pair, and 8 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair refers to a row that does not exist, or the length of a column is not
/// the number of pairs.
///
/// ```
/// use swath::batch::separate::{Moves, SeparationColumns};
/// use swath::{Aabb, Level, Pair};
/// use swath::batch::{Body, BodyStore, Contact, separate};
///
/// let mut bodies = BodyStore::new();
/// bodies.push(Body::fixed(Aabb::new([0.0, -1.0, 0.0], [9.0, 0.0, 9.0])?)?)?; // a floor
/// bodies.push(Body::new(Aabb::new([1.0, -0.25, 1.0], [2.0, 0.75, 2.0])?, 1.0)?)?;
/// bodies.push(Body::new(Aabb::new([1.5, 0.5, 1.0], [2.5, 1.5, 2.0])?, 1.0)?)?;
/// let (level, pairs) = (Level::detect(), [Pair { a: 0, b: 1 }, Pair { a: 1, b: 2 }]);
///
/// let (mut depth, mut contact) = ([0.0; 2], [Contact::SEPARATED; 2]);
/// separate::pairs(
///     level,
///     &bodies.checked().boxes(),
///     &pairs,
///     SeparationColumns { depth: &mut depth, contact: &mut contact },
/// )?;
/// let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
/// separate::shares_of_pairs(
///     level,
///     &depth,
///     &contact,
///     &bodies.checked(),
///     &pairs,
///     Moves { a: &mut a, b: &mut b },
/// )?;
/// assert_eq!(contact.map(|contact| contact.axis()), [Some(1), Some(1)]);
/// assert_eq!((a, b), ([0.0, -0.125], [0.25, 0.125]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shares_of_pairs(
    level: Level,
    depth: &[f32],
    contact: &[Contact],
    bodies: &Checked<'_, BodyColumns<'_>>,
    pairs: &[Pair],
    moves: Moves<'_>,
) -> Result<(), BatchError> {
    let contacts = (contact, ContactNumbers::Each(depth));
    let sides = (inverse_mass(bodies), inverse_mass(bodies));
    let members = ContactMembers::Pairs(pairs, bodies.len());
    batch::run_contact_rows(level, Shares, contacts, sides, members, moves.columns())
}

/// Uses the column of the inverse masses.
fn inverse_mass<'a>(bodies: &Checked<'a, BodyColumns<'a>>) -> Each<'a, 1> {
    let [.., inverse_mass] = bodies.columns().columns();
    Each::of(Table::new([inverse_mass], bodies.len()), bodies)
}

/// Computes the minimum translation that separates two boxes.
#[derive(Clone, Copy, Debug)]
struct BoxSeparation;

impl Question<6, 6> for BoxSeparation {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
        simd::answer(isa, a, b)
    }
}

/// Returns how deep two boxes overlap along the lowest axis of `contact`, towards its normal.
///
/// It is `None` if they at most touch on that axis.
pub(super) fn along(a: &Aabb, b: &Aabb, contact: Contact) -> Option<Separation> {
    let axis = contact.axis()?;
    let rises = contact.normal()[axis] > 0.0;
    let (x, y) = if rises { (a.max[axis], b.min[axis]) } else { (b.max[axis], a.min[axis]) };
    (x > y).then(|| Separation { depth: add_up(x, -y), contact })
}

/// Computes how two bodies share a translation.
#[derive(Clone, Copy, Debug)]
struct Shares;

impl batch::ContactQuestion<1, 1, 2> for Shares {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, rows: &ContactRows<I, 1, 1>) -> [I::F32; 2] {
        simd::shares(isa, rows)
    }
}
