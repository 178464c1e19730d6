//! How far are boxes from a point or a box, and which are nearest?
//!
//! On each axis two boxes are some gap apart, or none; the distance is the length of the gaps
//! together (Ericson 2005, §5.1.3). Boxes are closed, and looked at where they are when the tick
//! starts; displacements are not read, but a row must be valid as a whole. A point is a flat box:
//! [`Aabb::point`](crate::Aabb::point).
//!
//! **Never too far.** A distance is never greater than the true one and at most 2⁻²⁰ of it, plus
//! 2⁻¹⁴⁸, less; it is zero if and only if the boxes share a point. So what truly is within a
//! distance is always found, and one who moves by less than the distance touches nothing. Ericson
//! compares squares in one unit for all: there distances past 2⁶⁴ or below 2⁻⁷⁵ are all the same;
//! here the unit is the power of two next below the greatest gap. Of two boxes one of which holds
//! the other, the distance of the larger is never the greater, bit by bit: a tree may skip what is
//! in a box that is too far. The proofs are in `docs/math/proximity.md`.
//!
//! Order is by distance, then by row: two boxes whose true distances differ by rounding may come in
//! either order.
//!
//! Cost: 24 bytes in for each row; out 4 a row as [`Distances`], or 8 a row in reach as
//! [`Hits`].

pub(crate) mod nearest;
pub(crate) mod room;

use super::BatchError;
use super::ask::{self, Answer, Each, One, Question, Sink};
use super::hits::Hits;
pub use super::sweep::MISS;
use crate::geom::{Aabb, Invalid};
use crate::lanes::{F32Lanes, Isa, Level};
use crate::store::{Checked, LengthMismatch, Row};
pub use nearest::{k_nearest, nearest};

/// Where distances go: [`Distances`] or, of the boxes in reach alone, `&mut` [`Hits`].
pub trait Output: Sink {}

impl Output for Distances<'_> {}
impl Output for &mut Hits<'_> {}

/// A column of distances, one row for each question: 4 bytes a row.
#[derive(Debug)]
pub struct Distances<'a> {
    /// How far each box is, or [`MISS`] where a row is no box or not in reach.
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

/// Whether this may be how far to look.
pub(crate) fn check_max(max_distance: f32) -> Result<(), Invalid> {
    if max_distance >= 0.0 { Ok(()) } else { Err(Invalid::MaxDistance) }
}

/// How far `a` and `b` are apart; zero when they share a point.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box.
///
/// ```
/// use swath::{Aabb, proximity};
///
/// let cube = Aabb::new([0.0; 3], [1.0; 3])?;
/// // 2, 3 and 6 beyond a corner: 7 away.
/// let away = proximity::one_to_one(&Aabb::point([3.0, 4.0, -6.0])?, &cube)?;
/// assert!(away <= 7.0 && away > 6.99999);
/// assert_eq!(proximity::one_to_one(&Aabb::point([1.0, 0.5, 0.0])?, &cube)?, 0.0);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &Aabb, b: &Aabb) -> Result<f32, Invalid> {
    a.validate()?;
    b.validate()?;
    let answer = ask::one_to_one(Distance { max: MISS }, a.to_row(), b.to_row());
    Ok(answer.map_or(MISS, |(distance, ..)| distance))
}

/// How far each of `many` is from `a`, of those at most `max_distance` away: answer `i` is for row
/// `i`.
///
/// Rows that are no boxes are not in reach of any distance.
///
/// # Errors
///
/// [`BatchError`] when `a` is no box, `max_distance` is negative or not a number, or the output has
/// not room for the answers.
///
/// ```
/// use swath::{Aabb, BoxStore, Hit, Hits, Level, proximity};
///
/// let mut many = BoxStore::new();
/// for x in 0..100 {
///     many.push(Aabb::point([x as f32, 3.0, 0.0])?)?;
/// }
/// let mut room = [Hit::default(); 8];
/// let mut hits = Hits::new(&mut room);
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
    output: impl Output,
) -> Result<(), BatchError> {
    put(level, a, max_distance, many, output)
}

/// As [`one_to_many`], to any sink.
fn put(
    level: Level,
    a: &Aabb,
    max: f32,
    many: &Checked<'_>,
    sink: impl Sink,
) -> Result<(), BatchError> {
    a.validate()?;
    check_max(max)?;
    let many_boxes = Each::of(many.columns().corners(), many);
    ask::ask(level, Distance { max }, (One(a.to_row()), many_boxes), many.len(), sink)
}

/// How far row `i` of `a` and row `i` of `b` are apart, for each `i`, of those at most
/// `max_distance` apart.
///
/// Rows of which one is no box are not in reach of each other. 48 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when `b` has not as many rows as `a`, `max_distance` is negative or not a number,
/// or the output has not room for the answers.
pub fn zip(
    level: Level,
    a: &Checked<'_>,
    b: &Checked<'_>,
    max_distance: f32,
    output: impl Output,
) -> Result<(), BatchError> {
    check_max(max_distance)?;
    let (a, b) = (Each::of(a.columns().corners(), a), Each::of(b.columns().corners(), b));
    ask::zip(level, Distance { max: max_distance }, (a, b), output)
}

/// How far two boxes are apart, if at most by so much.
#[derive(Clone, Copy, Debug)]
struct Distance {
    max: f32,
}

impl Question<6, 6> for Distance {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
        let near = room::distance(isa, a, b);
        let hit = near.le(isa.splat(self.max));
        Answer { hit, near, far: isa.splat(0.0), bits: isa.splat_u32(0) }
    }
}
