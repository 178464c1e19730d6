//! Classification of boxes against a region of planes, such as a view frustum.
//!
//! The region is the intersection of the half-spaces `normal · p ≤ offset`. There may be any number
//! of them; without any, the region is all of space. Let `c` be twice the centre of a box and `e`
//! twice its half extents. The values of `2 · normal · p` on the box range from `normal·c -
//! |normal|·e` to `normal·c + |normal|·e`, at the two corners farthest against and along the
//! normal. The box is outside if the first is greater than twice the offset of some plane, and
//! inside if the second is greater than that of none (Assarsson and Möller 2000; Ericson 2005,
//! §5.2.3).
//!
//! **Conservative.** `e` is enlarged by 16·2⁻²⁴ of the greatest coordinates, which is more than all
//! rounding. So a box reported as [`Outside`](PlaneSide::Outside) is entirely outside of one plane, and
//! a box reported as [`Inside`](PlaneSide::Inside) is entirely inside of all. Let `a` be the greatest
//! magnitudes of the box's coordinates, axis by axis. A box that is outside of a plane, or inside
//! of all, by more than 2⁻²⁰ of `|normal|·a`, plus 2⁻¹²⁶, is reported as such; that margin is never
//! a greater distance from the plane than 2⁻²⁰ of the distance from the origin to the farthest
//! corner. The proof is in `docs/math/overlap.md`.
//!
//! **False positives.** A box near an edge or a corner of the region can miss the region and yet be
//! outside of no single plane; it is reported as [`Crossing`](PlaneSide::Crossing). To exclude such
//! boxes, add the planes of the region's own AABB: a box that misses that AABB is outside of one of
//! them.
//!
//! Displacements are not used. Cost: 24 bytes read per row; output as in [`overlap`](super), or one
//! byte per row with [`PlaneSideColumns`].

use super::bits::FirstRow;
use super::{Bits, simd};
use crate::columns::{Checked, LengthMismatch, Row};
use crate::geom::{Aabb, Invalid, Plane, PlaneSide};
use crate::kernels::batch::{Answer, Each, One, Output, Question, Sink};
use crate::kernels::{BatchError, Rows, batch};
use crate::lanes::{Isa, LANES_MAX, Level, U32Lanes};

impl Output<PlaneSide> for PlaneSideColumns<'_> {}
impl Output<PlaneSide> for Bits<'_> {}
impl Output<PlaneSide> for &mut Rows<'_> {}

/// A column of sides, one byte per row.
#[derive(Debug)]
pub struct PlaneSideColumns<'a> {
    /// The side of each box.
    pub side: &'a mut [PlaneSide],
}

impl Sink for PlaneSideColumns<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `side`", rows, self.side.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, _: usize, answer: Answer<I>) -> bool {
        let mut numbers = [0; LANES_MAX];
        I::U32::select(answer.hit, answer.bits, isa.splat_u32(0)).store(&mut numbers);
        for (to, &number) in self.side[start..start + I::LANES].iter_mut().zip(&numbers) {
            *to = side(number);
        }
        true
    }
}

/// Returns the side that has this number.
#[inline(always)]
fn side(number: u32) -> PlaneSide {
    [PlaneSide::Outside, PlaneSide::Crossing, PlaneSide::Inside, PlaneSide::Inside]
        [number as usize & 3]
}

fn validate(planes: &[Plane]) -> Result<(), Invalid> {
    planes.iter().try_for_each(Plane::validate)
}

/// Classifies a box against the intersection of all `planes`.
///
/// # Errors
///
/// [`Invalid`] when a plane or the box is invalid.
///
/// ```
/// use swath::batch::overlap::planes;
/// use swath::{Aabb, Plane};
/// use swath::batch::PlaneSide;
///
/// // The region below y = 4 and below the diagonal y = x.
/// let region = [Plane::new([0.0, 1.0, 0.0], 4.0)?, Plane::new([-1.0, 1.0, 0.0], 0.0)?];
/// let at = |x| planes::one_to_one(&region, &Aabb::cube([x, 1.0, 0.0], 0.5)?);
/// assert_eq!(at(-0.25)?, PlaneSide::Outside);
/// assert_eq!(at(1.25)?, PlaneSide::Crossing);
/// assert_eq!(at(2.25)?, PlaneSide::Inside);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(planes: &[Plane], aabb: &Aabb) -> Result<PlaneSide, Invalid> {
    validate(planes)?;
    aabb.validate()?;
    let answer = batch::one_to_one(PlaneRegion(planes), [], aabb.to_row());
    Ok(answer.map_or(PlaneSide::Outside, |(_, _, bits)| side(bits)))
}

/// Classifies each of `many` boxes against the intersection of all `planes`.
///
/// Invalid rows are outside.
///
/// # Errors
///
/// [`BatchError`] when a plane is invalid or the output has the wrong length.
///
/// ```
/// use swath::batch::overlap::planes;
/// use swath::batch::overlap::planes::PlaneSideColumns;
/// use swath::{Aabb, Level, MovingBoxStore, Plane};
/// use swath::batch::{PlaneSide, Rows};
///
/// let mut many = MovingBoxStore::new();
/// for x in 0..8 {
///     many.push(Aabb::cube([x as f32, 0.0, 0.0], 0.25)?)?;
/// }
/// let region = [Plane::new([1.0, 0.0, 0.0], 5.0)?, Plane::new([-1.0, 0.5, 0.0], -2.5)?];
/// let mut side = [PlaneSide::Outside; 8];
/// planes::one_to_many(Level::detect(), &region, &many.checked(), PlaneSideColumns { side: &mut side })?;
/// assert_eq!(side[2..6], [PlaneSide::Outside, PlaneSide::Inside, PlaneSide::Inside, PlaneSide::Crossing]);
///
/// let mut memory = [0; 8];
/// let mut rows = Rows::new(&mut memory);
/// planes::one_to_many(Level::detect(), &region, &many.checked(), &mut rows)?;
/// assert_eq!(*rows, [3, 4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn one_to_many(
    level: Level,
    planes: &[Plane],
    many: &Checked<'_>,
    output: impl Output<PlaneSide>,
) -> Result<(), BatchError> {
    validate(planes)?;
    batch::run(level, PlaneRegion(planes), (One([]), Each::corners(many)), many.len(), output)
}

/// Returns the lowest row that is not outside of the intersection of all `planes`. Stops at the
/// first hit.
///
/// # Errors
///
/// [`BatchError`] when a plane is invalid.
pub fn any(level: Level, planes: &[Plane], many: &Checked<'_>) -> Result<Option<u32>, BatchError> {
    validate(planes)?;
    let mut first = FirstRow::default();
    batch::run(level, PlaneRegion(planes), (One([]), Each::corners(many)), many.len(), &mut first)?;
    Ok(first.0)
}

/// Classifies a box against all these planes. The first side is empty.
#[derive(Clone, Copy, Debug)]
struct PlaneRegion<'a>(&'a [Plane]);

impl Question<0, 6> for PlaneRegion<'_> {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, _: &[I::F32; 0], aabb: &[I::F32; 6]) -> Answer<I> {
        simd::planes(isa, self.0, aabb)
    }
}
