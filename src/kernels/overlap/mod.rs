//! Overlap of boxes at the start of the tick.
//!
//! Boxes are closed, so touching counts: two boxes overlap if on each axis neither begins after the
//! end of the other (Ericson 2005, §4.2.1). Displacements are not used. The result for two boxes is
//! decided by comparisons alone and is exact, for every box and on every level. A row must be valid
//! as a whole: a row whose displacement is not finite is ignored.
//!
//! A point is a flat box: [`Aabb::point`]. For many points, pass the same columns as minima and
//! maxima:
//!
//! ```
//! use swath::batch::overlap;
//! use swath::batch::overlap::Bits;
//! use swath::{Aabb, Level, MovingBoxColumns};
//!
//! let (x, y, z) = ([0.5, 2.0, 1.0], [0.5, 0.5, 1.0], [0.5, 0.5, 1.0]);
//! let (points, still) = ([&x[..], &y, &z], [&[0.0; 3][..]; 3]);
//! let mut rejected = Vec::new();
//! let points = MovingBoxColumns::new(points, points, still)?.check(Level::detect(), &mut rejected);
//! let mut words = [0];
//! let room = Aabb::new([0.0; 3], [1.0; 3])?;
//! overlap::one_to_many(Level::detect(), &room, &points, Bits { words: &mut words })?;
//! assert_eq!(words, [0b101]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For spheres see [`sphere`], for frusta and other regions of planes see [`planes`].
//!
//! Cost: 24 bytes read per row; 1/8 byte written per row with [`Bits`], or 4 bytes per overlapping
//! row with [`Rows`].

mod bits;
pub mod planes;
pub(crate) mod simd;
pub mod sphere;

use super::batch::{Answer, Each, One, Output, Question};
use super::{BatchError, Rows, batch};
use crate::columns::{Checked, Row};
use crate::geom::{Aabb, Invalid, Pair};
use crate::lanes::{Isa, Level};
pub use bits::Bits;
use bits::FirstRow;

impl Output<bool> for Bits<'_> {}
impl Output<bool> for &mut Rows<'_> {}

/// Returns whether `a` and `b` share a point. Like [`Aabb::overlaps`], with validation.
///
/// # Errors
///
/// [`Invalid`] when one of the boxes is invalid.
///
/// ```
/// use swath::Aabb;
/// use swath::batch::overlap;
///
/// let a = Aabb::new([0.0; 3], [1.0; 3])?;
/// assert!(overlap::one_to_one(&a, &Aabb::point([1.0, 1.0, 0.5])?)?);
/// assert!(!overlap::one_to_one(&a, &Aabb::point([1.0, 1.000_000_1, 0.5])?)?);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &Aabb, b: &Aabb) -> Result<bool, Invalid> {
    a.validate()?;
    b.validate()?;
    Ok(batch::one_to_one(BoxOverlap, a.to_row(), b.to_row()).is_some())
}

/// Finds the rows of `many` that share a point with `a`.
///
/// Invalid rows do not overlap.
///
/// # Errors
///
/// [`BatchError`] when `a` is invalid or the output has the wrong length.
pub fn one_to_many(
    level: Level,
    a: &Aabb,
    many: &Checked<'_>,
    output: impl Output<bool>,
) -> Result<(), BatchError> {
    a.validate()?;
    batch::run(level, BoxOverlap, (One(a.to_row()), Each::corners(many)), many.len(), output)
}

/// Returns the lowest row of `many` that shares a point with `a`. Stops at the first hit.
///
/// # Errors
///
/// [`BatchError`] when `a` is invalid.
pub fn any(level: Level, a: &Aabb, many: &Checked<'_>) -> Result<Option<u32>, BatchError> {
    a.validate()?;
    let mut first = FirstRow::default();
    batch::run(level, BoxOverlap, (One(a.to_row()), Each::corners(many)), many.len(), &mut first)?;
    Ok(first.0)
}

/// Finds the indices `i` for which row `i` of `a` and row `i` of `b` share a point.
///
/// Invalid rows do not overlap. 48 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `a` and `b` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    a: &Checked<'_>,
    b: &Checked<'_>,
    output: impl Output<bool>,
) -> Result<(), BatchError> {
    batch::zip(level, BoxOverlap, (Each::corners(a), Each::corners(b)), output)
}

/// Finds the pairs whose two rows share a point. Result `i` is that of `pairs[i]`.
///
/// A pair may contain the same row twice. Pairs with an invalid row do not overlap. 8 bytes read
/// per pair, and 48 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair refers to a row that does not exist or the output has the wrong length.
pub fn pairs(
    level: Level,
    boxes: &Checked<'_>,
    pairs: &[Pair],
    output: impl Output<bool>,
) -> Result<(), BatchError> {
    batch::pairs(level, BoxOverlap, Each::corners(boxes), pairs, output)
}

/// Tests whether two boxes share a point.
#[derive(Clone, Copy, Debug)]
struct BoxOverlap;

impl Question<6, 6> for BoxOverlap {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
        simd::boxes(isa, a, b)
    }
}
