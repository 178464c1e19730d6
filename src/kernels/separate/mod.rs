//! What is the least move that parts two boxes?
//!
//! On one axis `b` clears `a` when it rises by `a.max - b.min` or falls by `b.max - a.min`. The
//! boxes share a point when none of these six numbers is negative, and the least of them is the
//! least translation along one axis that leaves at most a touch.
//!
//! The published way pushes by the size of the intersection, along its shortest side. That does not
//! part contained boxes, has no axis where two sides tie and no direction where the centres
//! agree. Here ties go to the lowest axis and then to rising, so there is always an answer; and
//! where both boxes can be moved they share the push by their inverse masses.
//!
//! **The axis is exact.** The rounding error of a difference is a float (Knuth 1998, §4.2.2), so the
//! six numbers are compared without any rounding. **The depth is enough**: it is the least `f32` that
//! is not below the true one, under 2⁻²³ of it more. Adding it to both ends of `b` in `f32` leaves
//! at most a touch, for rounding to nearest keeps order; so does adding the two
//! [shares](Separation::shares), which together are never less than the depth. The proof is in
//! `docs/math/separate.md`.
//!
//! Units: lengths. Displacements are not read. Cost: 24 bytes in and 8 out for each row.

mod room;

use super::ask::{self, Answer, Each, One, Question, Sink};
use super::contacts::{self, Asked, Match, Numbers};
use super::{BatchError, Hits};
use crate::geom::{Aabb, Contact, Invalid, Pair, check_inverse_mass};
use crate::lanes::{Isa, Level, Table};
use crate::store::{Bodies, Checked, LengthMismatch};

/// The least move that parts two boxes that share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Separation {
    /// How far: zero when only the surfaces touch. Never less than the true length and less than
    /// 2⁻²³ of it more.
    pub depth: f32,
    /// Overlapping, with the one axis along which, and the side of `a` to which `b` goes.
    ///
    /// [`Contact::is_surface`] tells a touch from an overlap of insides. Each counts as
    /// [closing](Contact::is_closing), for no motion is known: a response looks at it.
    pub contact: Contact,
}

impl Separation {
    /// What to add to both ends of `b` so that it at most touches `a`.
    ///
    /// Each sum may be rounded to nearest. On the border of what is valid the sum may be past it.
    #[must_use]
    pub fn translation(&self) -> [f32; 3] {
        self.contact.normal().map(|n| n * self.depth + 0.0)
    }

    /// What to add to both ends of `a` and of `b` so that they at most touch, each taking its part
    /// of the depth by its inverse mass, `a` first; nothing when both of these are zero, for then
    /// neither can be moved.
    ///
    /// The heavy one moves `depth · heavy / (a + b)` of the inverse masses, within 3·2⁻²⁴ of it and
    /// 2⁻¹⁴⁹ · (1 + depth), the light one the rest, rounded up. A body with inverse mass zero moves
    /// by exactly zero, the other by exactly the depth. Equal bodies move equally far. Swapped
    /// bodies swap their moves.
    ///
    /// # Errors
    ///
    /// [`Invalid::InverseMass`] when one of them is not in `[0, COORD_MAX]`.
    ///
    /// ```
    /// use swath::{Aabb, separate};
    ///
    /// let crate_ = Aabb::new([0.0, 0.0, 0.0], [4.0, 4.0, 4.0])?;
    /// let ball = Aabb::new([3.0, 1.0, 1.0], [5.0, 2.0, 2.0])?;
    /// let push = separate::one_to_one(&crate_, &ball)?.expect("they overlap");
    /// // The ball weighs a third of the crate.
    /// assert_eq!(push.shares([1.0, 3.0])?, Some([[-0.25, 0.0, 0.0], [0.75, 0.0, 0.0]]));
    /// // Nothing moves a wall,
    /// assert_eq!(push.shares([0.0, 3.0])?, Some([[0.0; 3], [1.0, 0.0, 0.0]]));
    /// // and two walls stay as they are.
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
        let moves = contacts::one(Shares, self.contact, self.depth, ([a], [b]));
        Ok(Some(moves.map(|along| {
            let mut translation = [0.0; 3];
            if let Some(axis) = self.contact.axis() {
                translation[axis] = along;
            }
            translation
        })))
    }
}

/// Where the answers of a separation go: [`Answers`] or `&mut` [`Hits`], which holds the depths.
pub trait Output: Sink {}

/// Whole answers, a column for each field, one row for each question: 8 bytes a row.
///
/// Boxes that are apart have depth zero and [`Contact::SEPARATED`].
#[derive(Debug)]
pub struct Answers<'a> {
    /// [`Separation::depth`].
    pub depth: &'a mut [f32],
    /// [`Separation::contact`].
    pub contact: &'a mut [Contact],
}

impl Answers<'_> {
    /// Row `row` of the two columns, if the boxes share a point.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Option<Separation> {
        let separation = Separation { depth: self.depth[row], contact: self.contact[row] };
        separation.contact.is_hit().then_some(separation)
    }
}

impl Output for Answers<'_> {}
impl Output for &mut Hits<'_> {}

impl Sink for Answers<'_> {
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

/// The least move of `b` that parts it from `a`; nothing when they share no point.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box.
///
/// ```
/// use swath::{Aabb, separate};
///
/// // The small box is inside: the way out is to the left, past the whole of it.
/// let outer = Aabb::new([0.0, 0.0, 0.0], [8.0, 8.0, 8.0])?;
/// let inner = Aabb::new([1.0, 3.0, 3.0], [2.0, 5.0, 5.0])?;
/// let push = separate::one_to_one(&outer, &inner)?.expect("they overlap");
/// assert_eq!(push.translation(), [-2.0, 0.0, 0.0]);
/// assert_eq!(push.contact.normal(), [-1.0, 0.0, 0.0]);
///
/// // Two boxes at the same place part along x, upwards.
/// let push = separate::one_to_one(&inner, &inner)?.expect("they overlap");
/// assert_eq!(push.translation(), [1.0, 0.0, 0.0]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &Aabb, b: &Aabb) -> Result<Option<Separation>, Invalid> {
    a.validate()?;
    b.validate()?;
    let answer = ask::one_to_one(Boxes, corners(a), corners(b));
    Ok(answer.map(|(depth, _, contact)| Separation { depth, contact: Contact::from_bits(contact) }))
}

/// The least move that parts each of `many` from `a`: answer `i` is for row `i`.
///
/// Rows that are no boxes are answered as if they were apart.
///
/// # Errors
///
/// [`BatchError`] when `a` is no box, or the output has not room for the answers.
pub fn one_to_many(
    level: Level,
    a: &Aabb,
    many: &Checked<'_>,
    output: impl Output,
) -> Result<(), BatchError> {
    a.validate()?;
    ask::ask(level, Boxes, (One(corners(a)), each(many)), many.len(), output)
}

/// The least move that parts row `i` of `b` from row `i` of `a`, for each `i`.
///
/// Rows of which one is no box are answered as if they were apart. 48 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when `b` has not as many rows as `a`, or the output has not room for the answers.
pub fn zip(
    level: Level,
    a: &Checked<'_>,
    b: &Checked<'_>,
    output: impl Output,
) -> Result<(), BatchError> {
    ask::zip(level, Boxes, (each(a), each(b)), output)
}

/// The least move that parts the two rows of each pair: answer `i` is for row `pairs[i].b`, which
/// is moved away from row `pairs[i].a`.
///
/// A pair may name one row twice. Pairs with a row that is no box are answered as if they were
/// apart. 8 bytes in for each pair, and 48 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair names a row that is not there, or the output has not room for the
/// answers.
pub fn pairs(
    level: Level,
    boxes: &Checked<'_>,
    pairs: &[Pair],
    output: impl Output,
) -> Result<(), BatchError> {
    ask::pairs(level, Boxes, each(boxes), pairs, output)
}

/// Signed moves along the axis of the contact, a column for either body, one row for each
/// separation: 8 bytes a row. Each is to be added to both ends of the body's box on that axis.
#[derive(Debug)]
pub struct Moves<'a> {
    /// How far `a` goes.
    pub a: &'a mut [f32],
    /// How far `b` goes.
    pub b: &'a mut [f32],
}

impl<'a> Moves<'a> {
    fn columns(self) -> contacts::Outputs<'a, 2> {
        [("the output `a`", self.a), ("the output `b`", self.b)]
    }
}

/// How row `i` of `a` and row `i` of `b` share separation `i`, of which `depth` and `contact` are
/// the columns: [`Separation::shares`] along its axis, for each `i`.
///
/// Zero moves where neither can be moved, where a row is no body, and where there is no axis or
/// the depth is not in `[0, 2 · COORD_MAX]`. 16 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when there is not one row of each column for each separation.
pub fn shares(
    level: Level,
    depth: &[f32],
    contact: &[Contact],
    a: &Checked<'_, Bodies<'_>>,
    b: &Checked<'_, Bodies<'_>>,
    moves: Moves<'_>,
) -> Result<(), BatchError> {
    LengthMismatch::check("the second side", a.len(), b.len())?;
    let asked = (contact, Numbers::Each(depth));
    let sides = (inverse_mass(a), inverse_mass(b));
    contacts::ask_rows(level, Shares, asked, sides, Match::Zip(a.len()), moves.columns())
}

/// How the two rows of pair `i` share separation `i`: [`shares`] of rows that pairs name. 16
/// bytes in for each pair, and 8 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair names a row that is not there, or there is not one row of each
/// column for each pair.
///
/// ```
/// use swath::separate::{Answers, Moves};
/// use swath::{Aabb, Body, BodyStore, Contact, Level, Pair, separate};
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
///     Answers { depth: &mut depth, contact: &mut contact },
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
    bodies: &Checked<'_, Bodies<'_>>,
    pairs: &[Pair],
    moves: Moves<'_>,
) -> Result<(), BatchError> {
    let asked = (contact, Numbers::Each(depth));
    let sides = (inverse_mass(bodies), inverse_mass(bodies));
    let rows = Match::Pairs(pairs, bodies.len());
    contacts::ask_rows(level, Shares, asked, sides, rows, moves.columns())
}

/// The columns of the corners.
fn each<'a>(boxes: &Checked<'a>) -> Each<'a, 6> {
    Each::of(boxes.columns().corners(), boxes)
}

/// The column of the inverse masses.
fn inverse_mass<'a>(bodies: &Checked<'a, Bodies<'a>>) -> Each<'a, 1> {
    let [.., inverse_mass] = bodies.columns().columns();
    Each::of(Table::new([inverse_mass], bodies.len()), bodies)
}

fn corners(&Aabb { min, max }: &Aabb) -> [f32; 6] {
    [min[0], min[1], min[2], max[0], max[1], max[2]]
}

/// The least move that parts two boxes.
#[derive(Clone, Copy, Debug)]
struct Boxes;

impl Question<6, 6> for Boxes {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
        room::answer(isa, a, b)
    }
}

/// How far two boxes are in each other along the lowest axis of `contact`, towards its normal;
/// nothing where they at most touch there.
pub(super) fn along(a: &Aabb, b: &Aabb, contact: Contact) -> Option<Separation> {
    let axis = contact.axis()?;
    let rises = contact.normal()[axis] > 0.0;
    let (x, y) = if rises { (a.max[axis], b.min[axis]) } else { (b.max[axis], a.min[axis]) };
    (x > y).then(|| Separation { depth: room::difference_up(x, y), contact })
}

/// How two bodies share a move.
#[derive(Clone, Copy, Debug)]
struct Shares;

impl contacts::Question<1, 1, 2> for Shares {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, asked: &Asked<I, 1, 1>) -> [I::F32; 2] {
        room::shares(isa, asked)
    }
}
