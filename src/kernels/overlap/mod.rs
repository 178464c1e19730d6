//! Which boxes share a point now?
//!
//! Boxes are closed, so touching counts: on each axis neither begins past the end of the other
//! (Ericson 2005, §4.2.1). They are looked at where they are when the tick starts; displacements
//! are not read. Box against box is decided by comparisons alone and is exact, for every box and
//! on every level. A row is asked for its box, but it must be a valid row: one whose displacement
//! is not finite is answered as if it were not there.
//!
//! A point is a flat box: [`Aabb::point`], or for many points the same columns lent twice:
//!
//! ```
//! use swath::overlap::{self, Bits};
//! use swath::{Aabb, Boxes, Level};
//!
//! let (x, y, z) = ([0.5, 2.0, 1.0], [0.5, 0.5, 1.0], [0.5, 0.5, 1.0]);
//! let (points, still) = ([&x[..], &y, &z], [&[0.0; 3][..]; 3]);
//! let mut rejected = Vec::new();
//! let points = Boxes::new(points, points, still)?.check(Level::detect(), &mut rejected);
//! let mut words = [0];
//! let room = Aabb::new([0.0; 3], [1.0; 3])?;
//! overlap::one_to_many(Level::detect(), &room, &points, Bits { words: &mut words })?;
//! assert_eq!(words, [0b101]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Spheres are asked in [`sphere`], frusta and other regions of planes in [`planes`].
//!
//! Cost: 24 bytes in for each row; out an eighth of a byte a row as [`Bits`], or 4 a row that
//! overlaps as [`Rows`].

mod bits;
pub mod planes;
pub(crate) mod room;
pub mod sphere;

use super::ask::{self, Answer, Each, One, Question, Sink};
use super::{BatchError, Rows};
use crate::geom::{Aabb, Invalid, Pair};
use crate::lanes::{Isa, Level};
use crate::store::Checked;
pub use bits::Bits;
use bits::First;

/// Where the answers of an overlap go: [`Bits`] or `&mut` [`Rows`].
pub trait Output: Sink {}

impl Output for Bits<'_> {}
impl Output for &mut Rows<'_> {}

/// The six numbers of a box.
fn corners(Aabb { min: [x0, y0, z0], max: [x1, y1, z1] }: &Aabb) -> [f32; 6] {
    [*x0, *y0, *z0, *x1, *y1, *z1]
}

/// The boxes of rows, where they are at the start.
fn each<'a>(many: &Checked<'a>) -> Each<'a, 6> {
    Each::of(many.columns().corners(), many)
}

/// Whether `a` and `b` share a point: [`Aabb::overlaps`] of what are boxes.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box.
///
/// ```
/// use swath::{Aabb, overlap};
///
/// let a = Aabb::new([0.0; 3], [1.0; 3])?;
/// assert!(overlap::one_to_one(&a, &Aabb::point([1.0, 1.0, 0.5])?)?);
/// assert!(!overlap::one_to_one(&a, &Aabb::point([1.0, 1.000_000_1, 0.5])?)?);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &Aabb, b: &Aabb) -> Result<bool, Invalid> {
    a.validate()?;
    b.validate()?;
    Ok(ask::one_to_one(Boxes, corners(a), corners(b)).is_some())
}

/// Which of `many` share a point with `a`: answer `i` is for `a` and row `i`.
///
/// Rows that are no boxes share none.
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

/// The lowest row of `many` that shares a point with `a`, if any does. Stops where it is found.
///
/// # Errors
///
/// [`BatchError`] when `a` is no box.
pub fn any(level: Level, a: &Aabb, many: &Checked<'_>) -> Result<Option<u32>, BatchError> {
    a.validate()?;
    let mut first = First::default();
    ask::ask(level, Boxes, (One(corners(a)), each(many)), many.len(), &mut first)?;
    Ok(first.0)
}

/// Whether row `i` of `a` and row `i` of `b` share a point, for each `i`.
///
/// Rows of which one is no box share none. 48 bytes in for each row.
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

/// Whether the two rows of each pair share a point: answer `i` is for `pairs[i]`.
///
/// A pair may name one row twice. Pairs with a row that is no box share none. 8 bytes in for each
/// pair, and 48 by index.
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

/// Whether two boxes share a point.
#[derive(Clone, Copy, Debug)]
struct Boxes;

impl Question<6, 6> for Boxes {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
        room::boxes(isa, a, b)
    }
}
