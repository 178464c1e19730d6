//! First and last time of contact of moving boxes.
//!
//! In the frame of `a`, box `b` moves by `d = b.delta - a.delta`. On one axis the two closed
//! intervals share a point for `t` between the quotients
//!
//! ```text
//! (a.min - b.max) / d   and   (a.max - b.min) / d
//! ```
//!
//! so the boxes touch from the greatest of the lesser quotients to the least of the greater ones,
//! both clipped to the tick `[0, 1]` (Ericson 2005, §5.5.8; Gomez 1999). Unlike in the sources, `d
//! = 0` needs no branch: the quotients are then infinite with the right signs, or NaN if two faces
//! lie in one plane, and an axis with a NaN overlaps at all times.
//!
//! **Never late.** Each quotient has three rounding errors; its relative error is below 3·2⁻²⁴. The
//! first time is lowered by 4·2⁻²⁴ of itself and 2⁻¹⁴⁸, and the last time is raised likewise. So
//! `first` is never after the exact time and at most 2⁻²¹ of it (plus 2⁻¹²⁶) before; `last` is
//! never before its exact time. A pair that touches is therefore never lost; a pair that misses by
//! a few units in the last place may be reported as a hit. The proof is in `docs/math/sweep.md`.
//! Whether boxes overlap at the start is decided by exact comparisons.
//!
//! Units: times are fractions of the tick. Cost: 36 bytes read and 12 written per row.

pub mod accelerating;
mod positions;
mod round;
mod simd;
pub mod sphere_box;
pub mod spheres;

use super::batch::{Answer, Each, One, Output, Question, Sink};
use super::{BatchError, Hits, batch};
use crate::columns::{Checked, LengthMismatch, Row};
use crate::geom::{Contact, Invalid, MovingBox, Pair};
use crate::lanes::{Isa, Level};
pub use positions::positions;
pub use simd::MISS;
pub(crate) use simd::times;

/// First and last time of contact of two boxes, and the contact.
///
/// The times of a pair that does not touch are infinite, which formats like JSON cannot represent.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sweep {
    /// The first time of contact, in `[0, 1]`, never late. [`MISS`] without a contact.
    ///
    /// Zero when the boxes overlap at the start, or when the exact time is within rounding of zero
    /// (about 2⁻¹⁴⁸).
    pub first: f32,
    /// The last time of the first contact, in `[0, 1]`, never early. [`MISS`] without a contact.
    pub last: f32,
    /// State, axes and normal of the contact.
    pub contact: Contact,
}

impl Sweep {
    /// The pair does not touch in the tick.
    pub const SEPARATED: Self = Self { first: MISS, last: MISS, contact: Contact::SEPARATED };

    /// Creates a sweep from the result of [`batch::one_to_one`].
    fn of(answer: Option<(f32, f32, u32)>) -> Self {
        answer.map_or(Self::SEPARATED, |(first, last, contact)| Self {
            first,
            last,
            contact: Contact::from_bits(contact),
        })
    }
}

/// A column of first times and one of last times. 8 bytes per row.
#[derive(Debug)]
pub struct Times<'a> {
    /// [`Sweep::first`].
    pub first: &'a mut [f32],
    /// [`Sweep::last`].
    pub last: &'a mut [f32],
}

/// Complete results, one column per field. 12 bytes per row.
#[derive(Debug)]
pub struct SweepColumns<'a> {
    /// [`Sweep::first`].
    pub first: &'a mut [f32],
    /// [`Sweep::last`].
    pub last: &'a mut [f32],
    /// [`Sweep::contact`].
    pub contact: &'a mut [Contact],
}

impl SweepColumns<'_> {
    /// Returns row `row` of the three columns.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Sweep {
        Sweep { first: self.first[row], last: self.last[row], contact: self.contact[row] }
    }
}

impl Output<Sweep> for Times<'_> {}
impl Output<Sweep> for SweepColumns<'_> {}
impl Output<Sweep> for &mut Hits<'_> {}

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

impl Sink for SweepColumns<'_> {
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

/// Sweeps `a` against `b`.
///
/// # Errors
///
/// [`Invalid`] when one of the moving boxes is invalid.
///
/// ```
/// use swath::{Aabb, MovingBox};
/// use swath::batch::{ContactState, sweep};
///
/// let wall = Aabb::new([0.0, -5.0, -5.0], [0.25, 5.0, 5.0])?;
/// let bullet = MovingBox::new(Aabb::cube([-10.0, 0.0, 0.0], 0.0)?, [40.0, 0.0, 0.0])?;
/// let sweep = sweep::one_to_one(&bullet, &wall.into())?;
/// assert!(sweep.first <= 0.25 && sweep.first > 0.2499999);
/// assert_eq!(sweep.contact.state(), ContactState::Touching);
/// assert_eq!(sweep.contact.normal(), [1.0, 0.0, 0.0]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &MovingBox, b: &MovingBox) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let answer = batch::one_to_one(BoxSweep, a.to_row(), b.to_row());
    Ok(Sweep::of(answer))
}

/// Sweeps `a` against each row of `many`. Result `i` is that of row `i`.
///
/// The result of an invalid row is [`Sweep::SEPARATED`].
///
/// # Errors
///
/// [`BatchError`] when `a` is invalid or the output has the wrong length.
pub fn one_to_many(
    level: Level,
    a: &MovingBox,
    many: &Checked<'_>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    a.validate()?;
    batch::run(level, BoxSweep, (One(a.to_row()), Each::new(many)), many.len(), output)
}

/// Sweeps row `i` of `a` against row `i` of `b`, for each `i`.
///
/// The result is [`Sweep::SEPARATED`] if one of the two rows is invalid. 72 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `a` and `b` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    a: &Checked<'_>,
    b: &Checked<'_>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    batch::zip(level, BoxSweep, (Each::new(a), Each::new(b)), output)
}

/// Sweeps the two rows of each pair. Result `i` is that of `pairs[i]`, row `a` against row `b`.
///
/// A pair may contain the same row twice. The result of a pair with an invalid row is
/// [`Sweep::SEPARATED`]. 8 bytes read per pair, and 72 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair refers to a row that does not exist or the output has the wrong length.
pub fn pairs(
    level: Level,
    boxes: &Checked<'_>,
    pairs: &[Pair],
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    batch::pairs(level, BoxSweep, Each::new(boxes), pairs, output)
}

/// Sweeps two moving boxes.
#[derive(Clone, Copy, Debug)]
struct BoxSweep;

impl Question<9, 9> for BoxSweep {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> Answer<I> {
        simd::answer(isa, a, b)
    }
}
