//! Which boxes are in a region of planes, such as the frustum of a camera?
//!
//! The region is what all half-spaces `normal · p ≤ offset` share; there may be any number of them,
//! and none enclose all space. With twice the centre `c` of a box and twice its half sides `e`, the
//! values of `2 · normal · p` on the box go from `normal·c - |normal|·e` to `normal·c + |normal|·e`,
//! at the two corners that lie farthest against and along the normal. The box is outside when the
//! first is past the doubled offset of one plane, inside when the last is past that of none
//! (Assarsson and Möller 2000; Ericson 2005, §5.2.3).
//!
//! **Never missed.** `e` is widened by 16·2⁻²⁴ of the greatest coordinates, which is more than all
//! rounding, so what is called [`Outside`](Side::Outside) is wholly outside of one plane, and what
//! is called [`Inside`](Side::Inside) is wholly inside of all. Put `a` for the greatest magnitudes
//! of the box's coordinates, axis by axis. What is outside of a plane, or inside of all, by more
//! than 2⁻²⁰ of `|normal|·a`, and 2⁻¹²⁶, is called so; that is never farther off the plane than
//! 2⁻²⁰ of the distance from the origin to the farthest corner. The proof is in
//! `docs/math/overlap.md`.
//!
//! **Kept where it need not be.** A box near an edge or a corner of the region can miss it and yet
//! be outside of no single plane; it is called [`Crossing`](Side::Crossing). To be rid of it, add
//! the planes of the region's own box: a box that misses that is outside of one of them.
//!
//! Boxes are where they are when the tick starts; displacements are not read. Cost: 24 bytes in for
//! each row; out as in [`overlap`](super), or a byte a row as [`Sides`].

use super::{Bits, bits::First, corners, each, room};
use crate::geom::{Aabb, Invalid, Plane, Side};
use crate::kernels::ask::{self, Answer, One, Question, Sink};
use crate::kernels::{BatchError, Rows};
use crate::lanes::{Isa, LANES_MAX, Level, U32Lanes};
use crate::store::{Checked, LengthMismatch};

/// Where the answers go: [`Sides`], or of the boxes that are not outside [`Bits`] or `&mut`
/// [`Rows`].
pub trait Output: Sink {}

impl Output for Sides<'_> {}
impl Output for Bits<'_> {}
impl Output for &mut Rows<'_> {}

/// A column of sides, one row for each question: a byte a row.
#[derive(Debug)]
pub struct Sides<'a> {
    /// Where each box is.
    pub side: &'a mut [Side],
}

impl Sink for Sides<'_> {
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

/// The side of this number.
#[inline(always)]
fn side(number: u32) -> Side {
    [Side::Outside, Side::Crossing, Side::Inside, Side::Inside][number as usize & 3]
}

fn validate(planes: &[Plane]) -> Result<(), Invalid> {
    planes.iter().try_for_each(Plane::validate)
}

/// Where a box is as to the region inside of all `planes`.
///
/// # Errors
///
/// [`Invalid`] when one of them is no half-space or box.
///
/// ```
/// use swath::overlap::planes;
/// use swath::{Aabb, Plane, Side};
///
/// // Below 4, and below the diagonal.
/// let region = [Plane::new([0.0, 1.0, 0.0], 4.0)?, Plane::new([-1.0, 1.0, 0.0], 0.0)?];
/// let at = |x| planes::one_to_one(&region, &Aabb::cube([x, 1.0, 0.0], 0.5)?);
/// assert_eq!(at(-0.25)?, Side::Outside);
/// assert_eq!(at(1.25)?, Side::Crossing);
/// assert_eq!(at(2.25)?, Side::Inside);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(planes: &[Plane], aabb: &Aabb) -> Result<Side, Invalid> {
    validate(planes)?;
    aabb.validate()?;
    let answer = ask::one_to_one(Region(planes), [], corners(aabb));
    Ok(answer.map_or(Side::Outside, |(_, _, bits)| side(bits)))
}

/// Where each of many boxes is as to the region inside of all `planes`: answer `i` is for row `i`.
///
/// Rows that are no boxes are outside.
///
/// # Errors
///
/// [`BatchError`] when a plane is no half-space, or the output has not room for the answers.
///
/// ```
/// use swath::overlap::planes::{self, Sides};
/// use swath::{Aabb, BoxStore, Level, Plane, Rows, Side};
///
/// let mut many = BoxStore::new();
/// for x in 0..8 {
///     many.push(Aabb::cube([x as f32, 0.0, 0.0], 0.25)?)?;
/// }
/// let region = [Plane::new([1.0, 0.0, 0.0], 5.0)?, Plane::new([-1.0, 0.5, 0.0], -2.5)?];
/// let mut side = [Side::Outside; 8];
/// planes::one_to_many(Level::detect(), &region, &many.checked(), Sides { side: &mut side })?;
/// assert_eq!(side[2..6], [Side::Outside, Side::Inside, Side::Inside, Side::Crossing]);
///
/// let mut room = [0; 8];
/// let mut rows = Rows::new(&mut room);
/// planes::one_to_many(Level::detect(), &region, &many.checked(), &mut rows)?;
/// assert_eq!(*rows, [3, 4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn one_to_many(
    level: Level,
    planes: &[Plane],
    many: &Checked<'_>,
    output: impl Output,
) -> Result<(), BatchError> {
    validate(planes)?;
    ask::ask(level, Region(planes), (One([]), each(many)), many.len(), output)
}

/// The lowest row of many boxes that is not outside the region inside of all `planes`, if any is
/// not. Stops where it is found.
///
/// # Errors
///
/// [`BatchError`] when a plane is no half-space.
pub fn any(level: Level, planes: &[Plane], many: &Checked<'_>) -> Result<Option<u32>, BatchError> {
    validate(planes)?;
    let mut first = First::default();
    ask::ask(level, Region(planes), (One([]), each(many)), many.len(), &mut first)?;
    Ok(first.0)
}

/// Where a box is as to the region inside of all these planes. The other side says nothing.
#[derive(Clone, Copy, Debug)]
struct Region<'a>(&'a [Plane]);

impl Question<0, 6> for Region<'_> {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, _: &[I::F32; 0], aabb: &[I::F32; 6]) -> Answer<I> {
        room::planes(isa, self.0, aabb)
    }
}
