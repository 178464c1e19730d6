//! When do moving boxes first touch, and until when?
//!
//! In the frame of `a`, box `b` moves by `d = b.delta - a.delta`. On one axis the two closed
//! intervals share a point for `t` between the quotients
//!
//! ```text
//! (a.min - b.max) / d   and   (a.max - b.min) / d
//! ```
//!
//! so the boxes touch from the greatest lesser quotient to the least greater one, both clipped
//! to the tick `[0, 1]` (Ericson 2005, §5.5.8; Gomez 1999). Here `d = 0` needs no branch: the
//! quotients are then infinite with the right signs, or NaN where the faces lie in one plane,
//! and an axis with a NaN holds for all time.
//!
//! **Never late.** Each quotient is three roundings from the real number, under 3·2⁻²⁴ of it.
//! The first time is lowered by 4·2⁻²⁴ of itself and 2⁻¹⁴⁸, the last time raised likewise, so
//! `first` is not after the true time and at most 2⁻²¹ of it (and 2⁻¹²⁶) before; `last` is not
//! before its true time. A pair that touches is therefore never lost; one that misses by a few
//! units in the last place may be called a hit. The proof is in `docs/math/sweep.md`. Whether
//! boxes overlap at the start is decided by exact comparisons.
//!
//! Units: times are fractions of the tick. Cost: 36 bytes in and 12 out for each row.

pub mod accelerating;
mod positions;
mod room;
mod round;
pub mod sphere_box;
pub mod spheres;

use super::ask::{self, Answer, Each, One, Question, Sink};
use super::{BatchError, Hits};
use crate::geom::{Contact, Invalid, MovingBox, Pair};
use crate::lanes::{Isa, Level};
use crate::store::{Checked, LengthMismatch, Row};
pub use positions::positions;
pub(crate) use room::times;

/// The times of a pair that never touches.
pub const MISS: f32 = f32::INFINITY;

/// When two boxes touch, and how.
///
/// A pair that never touches has infinite times, which formats like JSON cannot hold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sweep {
    /// The first time they touch, in `[0, 1]`, never late; [`MISS`] when they do not.
    ///
    /// Zero when they overlap at the start, or when the first time is within rounding of it,
    /// some 2⁻¹⁴⁸.
    pub first: f32,
    /// The last time of that contact, in `[0, 1]`, never early; [`MISS`] when there is none.
    pub last: f32,
    /// How they meet, and on which axes.
    pub contact: Contact,
}

impl Sweep {
    /// The pair never touches.
    pub const SEPARATED: Self = Self { first: MISS, last: MISS, contact: Contact::SEPARATED };

    /// What [`ask::one_to_one`] answered.
    fn of(answer: Option<(f32, f32, u32)>) -> Self {
        answer.map_or(Self::SEPARATED, |(first, last, contact)| Self {
            first,
            last,
            contact: Contact::from_bits(contact),
        })
    }
}

/// Where the answers of a sweep go: [`Times`], [`Answers`] or `&mut` [`Hits`].
pub trait Output: Sink {}

/// First and last times, a column each, one row for each question: 8 bytes a row.
#[derive(Debug)]
pub struct Times<'a> {
    /// [`Sweep::first`].
    pub first: &'a mut [f32],
    /// [`Sweep::last`].
    pub last: &'a mut [f32],
}

/// Whole answers, a column for each field, one row for each question: 12 bytes a row.
#[derive(Debug)]
pub struct Answers<'a> {
    /// [`Sweep::first`].
    pub first: &'a mut [f32],
    /// [`Sweep::last`].
    pub last: &'a mut [f32],
    /// [`Sweep::contact`].
    pub contact: &'a mut [Contact],
}

impl Answers<'_> {
    /// Row `row` of the three columns.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Sweep {
        Sweep { first: self.first[row], last: self.last[row], contact: self.contact[row] }
    }
}

impl Output for Times<'_> {}
impl Output for Answers<'_> {}
impl Output for &mut Hits<'_> {}

impl Sink for Times<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `first`", rows, self.first.len())?;
        LengthMismatch::check("the output `last`", rows, self.last.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        let miss = isa.splat(MISS);
        answer.store(answer.near, miss, start, self.first);
        answer.store(answer.far, miss, start, self.last);
        true
    }
}

impl Sink for Answers<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `first`", rows, self.first.len())?;
        LengthMismatch::check("the output `last`", rows, self.last.len())?;
        LengthMismatch::check("the output `contact`", rows, self.contact.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        answer.store_bits(isa, start, self.contact);
        Times { first: self.first, last: self.last }.put(isa, start, seen, answer)
    }
}

/// When `a` and `b` touch.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box or displacement.
///
/// ```
/// use swath::{Aabb, MovingBox, State, sweep};
///
/// let wall = Aabb::new([0.0, -5.0, -5.0], [0.25, 5.0, 5.0])?;
/// let bullet = MovingBox::new(Aabb::cube([-10.0, 0.0, 0.0], 0.0)?, [40.0, 0.0, 0.0])?;
/// let sweep = sweep::one_to_one(&bullet, &wall.into())?;
/// assert!(sweep.first <= 0.25 && sweep.first > 0.2499999);
/// assert_eq!(sweep.contact.state(), State::Touching);
/// assert_eq!(sweep.contact.normal(), [1.0, 0.0, 0.0]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &MovingBox, b: &MovingBox) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let answer = ask::one_to_one(Boxes, a.to_row(), b.to_row());
    Ok(Sweep::of(answer))
}

/// When `a` and each of `many` touch: answer `i` is for `a` against row `i`.
///
/// Rows that are no boxes are answered with [`Sweep::SEPARATED`].
///
/// # Errors
///
/// [`BatchError`] when `a` is no box, or the output has not room for the answers.
pub fn one_to_many(
    level: Level,
    a: &MovingBox,
    many: &Checked<'_>,
    output: impl Output,
) -> Result<(), BatchError> {
    a.validate()?;
    ask::ask(level, Boxes, (One(a.to_row()), Each::new(many)), many.len(), output)
}

/// When row `i` of `a` and row `i` of `b` touch, for each `i`.
///
/// Rows of which one is no box are answered with [`Sweep::SEPARATED`]. 72 bytes in for each row.
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
    ask::zip(level, Boxes, (Each::new(a), Each::new(b)), output)
}

/// When the two rows of each pair touch: answer `i` is for `pairs[i]`, row `a` against row `b`.
///
/// A pair may name one row twice. Pairs with a row that is no box are answered with
/// [`Sweep::SEPARATED`]. 8 bytes in for each pair, and 72 by index.
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
    ask::pairs(level, Boxes, Each::new(boxes), pairs, output)
}

/// When two moving boxes touch.
#[derive(Clone, Copy, Debug)]
struct Boxes;

impl Question<9, 9> for Boxes {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> Answer<I> {
        room::answer(isa, a, b)
    }
}
