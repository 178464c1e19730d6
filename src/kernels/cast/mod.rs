//! Cast of segments and rays against boxes: where they enter and leave, and through which faces.
//!
//! A segment is `start + f · delta` for `f` in `[0, max_fraction]`; a ray has `max_fraction = ∞`.
//! On one axis it is between the two faces for `f` between the quotients
//!
//! ```text
//! (min - start) / delta   and   (max - start) / delta
//! ```
//!
//! so it is in the box from the greatest of the lesser quotients to the least of the greater ones,
//! both clipped to `[0, max_fraction]` (slab test; Kay and Kajiya 1986; Ericson 2005, §5.3.3 and p.
//! 180). In addition to the sources, the results contain the faces of entry and exit and the exit
//! fraction, and distinguish a start in the interior from one on the surface. A segment in the
//! plane of a face is a hit, and `delta = 0` tests whether the point `start` is in the box.
//!
//! **Never late.** A quotient is the difference times `1 / delta`, each rounded; its relative error
//! is below 3·2⁻²⁴. The entry is lowered by 4·2⁻²⁴ of itself and 2⁻¹⁴⁸, and the exit is raised
//! likewise. So the entry is never after the exact fraction and at most 2⁻²¹ of it (plus 2⁻¹²⁶)
//! before; the exit is never before its exact fraction and at most as much after. A hit is
//! therefore never lost; a miss by a few units in the last place may be reported as a hit. The
//! proof is in `docs/math/cast.md`. Where the segment starts is decided by exact comparisons.
//!
//! **Range of a ray.** A ray reaches at least fraction 2¹²⁷. A box whose entry fraction exceeds the
//! range of `f32`, 2¹²⁸, is missed; an exit fraction beyond it is infinite.
//!
//! Boxes are taken at the start of the tick; displacements are not used. Units: fractions of
//! `delta`. Cost: 24 bytes read per box and 28 per segment; the output depends on its type.

mod entry;
mod nearest;
mod points;
pub mod polyhedron;
mod simd;

use super::batch::{Answer, Each, One, Output, Question, Sink};
use super::{BatchError, Hits, batch};
use crate::columns::{Checked, LengthMismatch, Row, SegmentColumns};
use crate::geom::{Aabb, Faces, Invalid, Segment};
use crate::lanes::{Isa, Level};
use bytemuck::{Pod, Zeroable};
pub(crate) use entry::{Entry, is_tiny};
pub use nearest::{any, closest};
pub use points::points;

pub use super::sweep::MISS;

/// Where a segment enters and leaves a box, and through which faces. 12 bytes.
///
/// The fractions of a miss are infinite, which formats like JSON cannot represent.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Cast {
    /// The first fraction at which the segment is in the box, never late. [`MISS`] if it never is.
    ///
    /// Zero when the segment starts in the box, or so close to it that the fraction is about 2⁻¹⁴⁸.
    pub entry: f32,
    /// The last fraction at which the segment is in the box, at most `max_fraction`, never early.
    ///
    /// [`MISS`] for a miss, and also for a ray that never leaves.
    pub exit: f32,
    /// The faces of entry and exit, and where the segment starts.
    pub faces: Faces,
}

impl Cast {
    /// The segment and the box share no point.
    pub const MISS: Self = Self { entry: MISS, exit: MISS, faces: Faces::MISS };

    /// Returns the entry point, rounded like [`Segment::at`], or `None` for a miss.
    #[must_use]
    pub fn entry_point(&self, segment: &Segment) -> Option<[f32; 3]> {
        self.faces.is_hit().then(|| segment.at(self.entry))
    }

    /// Returns the point where `segment` leaves or ends, rounded like [`Segment::at`].
    ///
    /// It is `None` for a miss and for a ray that never leaves.
    #[must_use]
    pub fn exit_point(&self, segment: &Segment) -> Option<[f32; 3]> {
        self.exit.is_finite().then(|| segment.at(self.exit))
    }
}

/// A column of entry fractions and one of exit fractions. 8 bytes per row.
#[derive(Debug)]
pub struct Fractions<'a> {
    /// [`Cast::entry`].
    pub entry: &'a mut [f32],
    /// [`Cast::exit`].
    pub exit: &'a mut [f32],
}

/// Complete results, one column per field. 12 bytes per row.
#[derive(Debug)]
pub struct CastColumns<'a> {
    /// [`Cast::entry`].
    pub entry: &'a mut [f32],
    /// [`Cast::exit`].
    pub exit: &'a mut [f32],
    /// [`Cast::faces`].
    pub faces: &'a mut [Faces],
}

impl CastColumns<'_> {
    /// Returns row `row` of the three columns.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Cast {
        Cast { entry: self.entry[row], exit: self.exit[row], faces: self.faces[row] }
    }
}

impl Output<Cast> for Fractions<'_> {}
impl Output<Cast> for CastColumns<'_> {}
impl Output<Cast> for &mut Hits<'_> {}

impl Sink for Fractions<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `entry`", rows, self.entry.len())?;
        LengthMismatch::check("the output `exit`", rows, self.exit.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        let miss = isa.splat(MISS);
        answer.store(answer.near, miss, start, self.entry);
        answer.store(answer.far, miss, start, self.exit);
        true
    }
}

impl Sink for CastColumns<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `entry`", rows, self.entry.len())?;
        LengthMismatch::check("the output `exit`", rows, self.exit.len())?;
        LengthMismatch::check("the output `faces`", rows, self.faces.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        answer.store_bits(isa, start, self.faces);
        Fractions { entry: self.entry, exit: self.exit }.put(isa, start, seen, answer)
    }
}

/// Casts `segment` against `aabb`.
///
/// # Errors
///
/// [`Invalid`] when the segment or the box is invalid.
///
/// ```
/// use swath::{Aabb, Segment};
/// use swath::batch::{SegmentStart, cast};
///
/// let crate_ = Aabb::new([2.0, -1.0, -1.0], [4.0, 1.0, 1.0])?;
/// let ray = Segment::ray([0.0, 0.0, 0.0], [8.0, 0.0, 0.0])?;
/// let cast = cast::one_to_one(&ray, &crate_)?;
/// assert!(cast.entry <= 0.25 && cast.entry > 0.249_999);
/// assert!(cast.exit >= 0.5 && cast.exit < 0.500_001);
/// assert_eq!(cast.faces.start(), SegmentStart::Outside);
/// assert_eq!(cast.faces.entry_normal(), [-1.0, 0.0, 0.0]);
/// assert_eq!(cast.faces.exit_normal(), [1.0, 0.0, 0.0]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(segment: &Segment, aabb: &Aabb) -> Result<Cast, Invalid> {
    segment.validate()?;
    aabb.validate()?;
    let answer = batch::one_to_one(SegmentBoxCast::<true>, segment.to_row(), aabb.to_row());
    Ok(answer.map_or(Cast::MISS, |(entry, exit, faces)| Cast {
        entry,
        exit,
        faces: Faces::from_bits(faces),
    }))
}

/// Casts `segment` against each row of `many`. Result `i` is that of row `i`.
///
/// The result of an invalid row is [`Cast::MISS`]. 24 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `segment` is invalid or the output has the wrong length.
///
/// ```
/// use swath::{Aabb, Level, MovingBoxStore, Segment};
/// use swath::batch::{Hit, Hits, cast};
///
/// let mut many = MovingBoxStore::new();
/// for x in 0..100 {
///     many.push(Aabb::cube([x as f32, 0.0, 0.0], 0.25)?)?;
/// }
/// let segment = Segment::new([9.5, 0.0, 0.0], [2.0, 0.0, 0.0])?;
/// let mut memory = [Hit::default(); 8];
/// let mut hits = Hits::new(&mut memory);
/// cast::one_to_many(Level::detect(), &segment, &many.checked(), &mut hits)?;
/// let rows: Vec<u32> = hits.iter().map(|hit| hit.row).collect();
/// assert_eq!(rows, [10, 11]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn one_to_many(
    level: Level,
    segment: &Segment,
    many: &Checked<'_>,
    output: impl Output<Cast>,
) -> Result<(), BatchError> {
    segment_to_many(level, segment, many, output)
}

/// Casts each segment against `aabb`. Result `i` is that of row `i`.
///
/// The result of an invalid row is [`Cast::MISS`]. 28 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `aabb` is invalid or the output has the wrong length.
///
/// ```
/// use swath::{Aabb, Level, Segment};
/// use swath::batch::{SegmentStore, cast};
///
/// let mut rays = SegmentStore::new();
/// rays.push(Segment::ray([0.0, 0.0, -4.0], [0.0, 0.0, 2.0])?)?;
/// rays.push(Segment::ray([0.0, 5.0, -4.0], [0.0, 0.0, 2.0])?)?;
/// let (mut entry, mut exit) = ([0.0; 2], [0.0; 2]);
/// let output = cast::Fractions { entry: &mut entry, exit: &mut exit };
/// let aabb = Aabb::cube([0.0; 3], 1.0)?;
/// cast::many_to_one(Level::detect(), &rays.checked(), &aabb, output)?;
/// assert!(entry[0] <= 1.5 && entry[1] == cast::MISS);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn many_to_one(
    level: Level,
    many: &Checked<'_, SegmentColumns<'_>>,
    aabb: &Aabb,
    output: impl Output<Cast>,
) -> Result<(), BatchError> {
    aabb.validate()?;
    let sides = (Each::new(many), One(aabb.to_row()));
    batch::run(level, SegmentBoxCast::<true>, sides, many.len(), output)
}

/// Casts row `i` of `segments` against row `i` of `boxes`, for each `i`.
///
/// The result is [`Cast::MISS`] if one of the two rows is invalid. 52 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `segments` and `boxes` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    segments: &Checked<'_, SegmentColumns<'_>>,
    boxes: &Checked<'_>,
    output: impl Output<Cast>,
) -> Result<(), BatchError> {
    let sides = (Each::new(segments), Each::corners(boxes));
    batch::zip(level, SegmentBoxCast::<true>, sides, output)
}

/// Casts `segment` against each row of `many`, with any sink.
fn segment_to_many(
    level: Level,
    segment: &Segment,
    many: &Checked<'_>,
    sink: impl Sink,
) -> Result<(), BatchError> {
    segment.validate()?;
    let sides = (One(segment.to_row()), Each::corners(many));
    // One segment is tested against up to millions of rows, and almost no segment is tiny, so the
    // distinction is made once, outside of the loop.
    if is_tiny(segment) {
        batch::run(level, SegmentBoxCast::<true>, sides, many.len(), sink)
    } else {
        batch::run(level, SegmentBoxCast::<false>, sides, many.len(), sink)
    }
}

/// Casts segments against boxes.
///
/// `TINY` states that a nonzero displacement may be below the normal range. If none is, both values
/// of `TINY` give the same bits.
#[derive(Clone, Copy, Debug)]
struct SegmentBoxCast<const TINY: bool>;

impl<const TINY: bool> Question<7, 6> for SegmentBoxCast<TINY> {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, segment: &[I::F32; 7], corners: &[I::F32; 6]) -> Answer<I> {
        simd::answer::<I, TINY>(isa, segment, corners)
    }
}
