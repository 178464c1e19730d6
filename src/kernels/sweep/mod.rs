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

mod room;

use crate::geom::{Contact, InvalidBox, MovingBox, Pair};
use crate::lanes::{Columns, F32Lanes, Isa, Kernel, LANES_MAX, Level, U32Lanes};
use crate::store::{Boxes, Checked, LengthMismatch};
pub(crate) use room::times;
use room::{full, splat};

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
}

/// Where answers go: a column each, one row for each question.
#[derive(Debug)]
pub struct Answers<'a> {
    /// [`Sweep::first`].
    pub first: &'a mut [f32],
    /// [`Sweep::last`].
    pub last: &'a mut [f32],
    /// [`Sweep::contact`].
    pub contact: &'a mut [Contact],
}

/// Why a batch could not be answered. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The one box is none.
    #[error("the one box is invalid: {0}")]
    Invalid(#[from] InvalidBox),
    /// An output has not one row for each question.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// A pair names a row that is not there.
    #[error("pair {index} names row {row} of {rows}")]
    NoSuchRow {
        /// Which pair.
        index: usize,
        /// The row it names.
        row: u32,
        /// How many rows there are.
        rows: usize,
    },
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

    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `first`", rows, self.first.len())?;
        LengthMismatch::check("the output `last`", rows, self.last.len())?;
        LengthMismatch::check("the output `contact`", rows, self.contact.len())
    }

    fn write(&mut self, row: usize, sweep: Sweep) {
        self.first[row] = sweep.first;
        self.last[row] = sweep.last;
        self.contact[row] = sweep.contact;
    }

    /// Writes lanes `row..row + LANES`.
    #[inline(always)]
    fn store<I: Isa>(&mut self, row: usize, (first, last, contact): (I::F32, I::F32, I::U32)) {
        first.store(&mut self.first[row..]);
        last.store(&mut self.last[row..]);
        contact.store(bytemuck::cast_slice_mut(&mut self.contact[row..]));
    }
}

/// When `a` and `b` touch.
///
/// # Errors
///
/// [`InvalidBox`] when one of them is no box or displacement.
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
/// # Ok::<(), swath::InvalidBox>(())
/// ```
pub fn one_to_one(a: &MovingBox, b: &MovingBox) -> Result<Sweep, InvalidBox> {
    a.validate()?;
    b.validate()?;
    Ok(Level::SCALAR.run(OneToOne { a, b }))
}

/// When `a` and each of `many` touch: row `i` of the answers is `a` against row `i`.
///
/// Rows that are no boxes are answered with [`Sweep::SEPARATED`].
///
/// # Errors
///
/// [`SweepError`] when `a` is no box, or an output has not one row for each of `many`.
pub fn one_to_many(
    level: Level,
    a: &MovingBox,
    many: &Checked<'_>,
    mut answers: Answers<'_>,
) -> Result<(), SweepError> {
    a.validate()?;
    answers.check(many.len())?;
    let level = level.for_rows(many.len());
    level.run(OneToMany { a, many: many.boxes(), answers: &mut answers });
    for rejected in many.rejected() {
        answers.write(rejected.row as usize, Sweep::SEPARATED);
    }
    Ok(())
}

/// When the two rows of each pair touch: row `i` of the answers is `pairs[i]`, row `a` against
/// row `b`.
///
/// A pair may name one row twice. Pairs with a row that is no box are answered with
/// [`Sweep::SEPARATED`]. Besides the answers 8 bytes a pair are read, and 72 by index.
///
/// # Errors
///
/// [`SweepError`] when a pair names a row that is not there, or an output has not one row for
/// each pair.
pub fn pairs(
    level: Level,
    boxes: &Checked<'_>,
    pairs: &[Pair],
    mut answers: Answers<'_>,
) -> Result<(), SweepError> {
    answers.check(pairs.len())?;
    let rows = boxes.len();
    let highest = |pair: &Pair| Ord::max(pair.a, pair.b);
    let missing = pairs.iter().position(|pair| highest(pair) as usize >= rows);
    if let Some(index) = missing {
        let row = highest(&pairs[index]);
        return Err(SweepError::NoSuchRow { index, row, rows });
    }
    let level = level.for_rows(pairs.len());
    level.run(Pairs { boxes: boxes.boxes(), pairs, answers: &mut answers });
    if !boxes.rejected().is_empty() {
        for (index, pair) in pairs.iter().enumerate() {
            if boxes.is_rejected(pair.a) || boxes.is_rejected(pair.b) {
                answers.write(index, Sweep::SEPARATED);
            }
        }
    }
    Ok(())
}

struct OneToOne<'a> {
    a: &'a MovingBox,
    b: &'a MovingBox,
}

impl Kernel for OneToOne<'_> {
    type Output = Sweep;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Sweep {
        let (first, last, contact) = full(isa, &splat(isa, self.a), &splat(isa, self.b));
        let (mut firsts, mut lasts) = ([0.0; LANES_MAX], [0.0; LANES_MAX]);
        let mut contacts = [0; LANES_MAX];
        first.store(&mut firsts);
        last.store(&mut lasts);
        contact.store(&mut contacts);
        Sweep { first: firsts[0], last: lasts[0], contact: Contact::from_bits(contacts[0]) }
    }
}

struct OneToMany<'a, 'o> {
    a: &'a MovingBox,
    many: Boxes<'a>,
    answers: &'a mut Answers<'o>,
}

impl Kernel for OneToMany<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let table = self.many.table();
        let a = splat(isa, self.a);
        let rows = table.rows();
        let mut row = 0;
        while row < rows {
            // The last group reaches back and answers some rows again, the same.
            let start = row.min(rows - I::LANES);
            let answer = full(isa, &a, &table.load(isa, start));
            self.answers.store::<I>(start, answer);
            row += I::LANES;
        }
    }
}

struct Pairs<'a, 'o> {
    boxes: Boxes<'a>,
    pairs: &'a [Pair],
    answers: &'a mut Answers<'o>,
}

impl Kernel for Pairs<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let table = self.boxes.table();
        let rows = self.pairs.len();
        let mut row = 0;
        while row < rows {
            let start = row.min(rows - I::LANES);
            let (mut a, mut b) = ([0; LANES_MAX], [0; LANES_MAX]);
            for (k, pair) in self.pairs[start..start + I::LANES].iter().enumerate() {
                a[k] = pair.a;
                b[k] = pair.b;
            }
            let answer = full(isa, &table.gather(isa, &a), &table.gather(isa, &b));
            self.answers.store::<I>(start, answer);
            row += I::LANES;
        }
    }
}
