//! Distances between boxes, and nearest boxes.
//!
//! On each axis two boxes have a gap, or zero where their intervals overlap. The distance is the
//! length of the vector of gaps (Ericson 2005, §5.1.3). Boxes are closed and taken at the start of
//! the tick; displacements are not used, but a row must be valid as a whole. A point is a flat box:
//! [`Aabb::point`](crate::Aabb::point).
//!
//! **Never too far.** A distance is never greater than the exact one, and less by at most 2⁻²⁰ of
//! it plus 2⁻¹⁴⁸. It is zero if and only if the boxes share a point. So every box that is exactly
//! within a distance is found, and a body that moves by less than the distance touches nothing.
//! Ericson compares squares in one unit for all; there distances above 2⁶⁴ or below 2⁻⁷⁵ cannot be
//! distinguished. Here the unit is the greatest power of two that is at most the greatest gap. If
//! one box contains another, its distance is never the greater one, to the bit; so a tree may prune
//! the contents of a box that is too far away. The proofs are in `docs/math/proximity.md`.
//!
//! Results are ordered by distance, then by row. Two boxes whose exact distances differ by rounding
//! only may be ordered either way.
//!
//! Cost: 24 bytes read per row; 4 written per row with [`Distances`], or 8 per row in range with
//! [`Hits`].

pub(crate) mod nearest;
pub(crate) mod simd;

use super::batch::{Answer, Each, One, Output, Question, Sink};
use super::hits::Hits;
pub use super::sweep::MISS;
use super::{BatchError, batch};
use crate::columns::{Checked, LengthMismatch, Row};
use crate::geom::{Aabb, Invalid};
use crate::lanes::{F32Lanes, Isa, Level};
pub use nearest::{k_nearest, nearest};

impl Output<f32> for Distances<'_> {}
impl Output<f32> for &mut Hits<'_> {}

/// A column of distances. 4 bytes per row.
#[derive(Debug)]
pub struct Distances<'a> {
    /// The distance of each box, or [`MISS`] if the row is invalid or not in range.
    pub distance: &'a mut [f32],
}

impl Sink for Distances<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `distance`", rows, self.distance.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        answer.store(answer.near, isa.splat(MISS), start, self.distance);
        true
    }
}

/// Checks the greatest distance of a search.
pub(crate) fn check_max(max_distance: f32) -> Result<(), Invalid> {
    if max_distance >= 0.0 { Ok(()) } else { Err(Invalid::MaxDistance) }
}

/// Returns the distance of `a` and `b`, which is zero if they share a point.
///
/// # Errors
///
/// [`Invalid`] when one of the boxes is invalid.
///
/// ```
/// use swath::Aabb;
/// use swath::batch::proximity;
///
/// let cube = Aabb::new([0.0; 3], [1.0; 3])?;
/// // The point is 2, 3 and 6 past a corner, so the distance is 7.
/// let away = proximity::one_to_one(&Aabb::point([3.0, 4.0, -6.0])?, &cube)?;
/// assert!(away <= 7.0 && away > 6.99999);
/// assert_eq!(proximity::one_to_one(&Aabb::point([1.0, 0.5, 0.0])?, &cube)?, 0.0);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &Aabb, b: &Aabb) -> Result<f32, Invalid> {
    a.validate()?;
    b.validate()?;
    let answer = batch::one_to_one(BoxDistance { max: MISS }, a.to_row(), b.to_row());
    Ok(answer.map_or(MISS, |(distance, ..)| distance))
}

/// Computes the distance of each row of `many` from `a`, up to `max_distance`.
///
/// Result `i` is that of row `i`. Invalid rows are not in range.
///
/// # Errors
///
/// [`BatchError`] when `a` is invalid, `max_distance` is negative or NaN, or the output has
/// the wrong length.
///
/// ```
/// use swath::{Aabb, Level, MovingBoxStore};
/// use swath::batch::{Hit, Hits, proximity};
///
/// let mut many = MovingBoxStore::new();
/// for x in 0..100 {
///     many.push(Aabb::point([x as f32, 3.0, 0.0])?)?;
/// }
/// let mut memory = [Hit::default(); 8];
/// let mut hits = Hits::new(&mut memory);
/// let here = Aabb::point([50.0, 0.0, 0.0])?;
/// proximity::one_to_many(Level::detect(), &here, 3.5, &many.checked(), &mut hits)?;
/// let rows: Vec<u32> = hits.iter().map(|hit| hit.row).collect();
/// assert_eq!(rows, [49, 50, 51]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn one_to_many(
    level: Level,
    a: &Aabb,
    max_distance: f32,
    many: &Checked<'_>,
    output: impl Output<f32>,
) -> Result<(), BatchError> {
    put(level, a, max_distance, many, output)
}

/// Does what [`one_to_many`] does, with any sink.
fn put(
    level: Level,
    a: &Aabb,
    max: f32,
    many: &Checked<'_>,
    sink: impl Sink,
) -> Result<(), BatchError> {
    a.validate()?;
    check_max(max)?;
    let sides = (One(a.to_row()), Each::corners(many));
    batch::run(level, BoxDistance { max }, sides, many.len(), sink)
}

/// Computes the distance of row `i` of `a` and row `i` of `b`, for each `i`, up to `max_distance`.
///
/// A pair with an invalid row is not in range. 48 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `a` and `b` differ in length, `max_distance` is negative or NaN, or the
/// output has the wrong length.
pub fn zip(
    level: Level,
    a: &Checked<'_>,
    b: &Checked<'_>,
    max_distance: f32,
    output: impl Output<f32>,
) -> Result<(), BatchError> {
    check_max(max_distance)?;
    let sides = (Each::corners(a), Each::corners(b));
    batch::zip(level, BoxDistance { max: max_distance }, sides, output)
}

/// Computes the distance of two boxes, with a hit if it is at most `max`.
#[derive(Clone, Copy, Debug)]
struct BoxDistance {
    max: f32,
}

impl Question<6, 6> for BoxDistance {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
        let near = simd::distance(isa, a, b);
        let hit = near.le(isa.splat(self.max));
        Answer { hit, near, far: isa.splat(0.0), bits: isa.splat_u32(0) }
    }
}
