//! First and last time of the first contact of boxes under constant acceleration.
//!
//! In the frame of `a`, box `b` is displaced by `x(t) = d·t + ½·g·t²`, where `d` and `g` are the
//! differences of the displacements and of the accelerations. On one axis the two closed intervals
//! share a point while
//!
//! ```text
//! below ≤ x(t) ≤ above        below = a.min - b.max        above = a.max - b.min
//! ```
//!
//! A parabola is below one bound between its two roots there, and the interval between its roots at
//! the other bound is excluded. So an axis overlaps in at most two intervals of the tick, and the
//! boxes touch where three intervals, one per axis, have a time in common. The earliest of the
//! eight combinations is the first contact. The boxes may separate and touch again; only the first
//! contact is reported.
//!
//! The quadratic is that of Ericson 2005, §5.5 and Eberly 2005, "Dynamic collision detection". The
//! roots are computed without cancellation, as in Kahan 2004 ("On the cost of floating-point
//! computation without extra-precise arithmetic"). Unlike in the sources, the discriminant is moved
//! to the safe side by the bound of its rounding error, so a parabola that only grazes a face is
//! not lost. An axis without relative acceleration gives the bits of the plain [`sweep`](super),
//! except that a contact which ended before the start by less than rounding is no hit here.
//!
//! **Never late, never missed.** `first` is never after the exact first time. At each time from
//! `first` to `last` the boxes touch if they are enlarged on each axis by 48·2⁻²⁴ of
//! `|face| + |d| + |g|`, where `face` is `below` or `above`; so a reported hit misses by no more.
//! `last` is never before the last time of the exact first contact, except if `first` is such a
//! narrow miss: it is then reported as a contact of its own, which ends before the exact one
//! begins. With `g = 0` on all axes the bounds are those of the plain sweep. Whether boxes overlap
//! at the start is decided by exact comparisons. The proof is in `docs/math/accelerating.md`.
//!
//! If surfaces touch at the start, the relative velocity decides whether the contact is closing; on
//! an axis without relative velocity, the relative acceleration does.
//!
//! Units: times are fractions of the tick. Cost: 48 bytes read and 12 written per row.
//!
//! ```
//! use swath::Aabb;
//! use swath::batch::{AcceleratingBox, ContactState, sweep};
//!
//! // Velocity 4 upwards, acceleration 8 downwards: highest in the middle of the tick, 1 up.
//! let ball = AcceleratingBox::new(Aabb::cube([0.0; 3], 0.5)?, [0.0, 4.0, 0.0], [0.0, -8.0, 0.0])?;
//! let ceiling = Aabb::new([-5.0, 1.5, -5.0], [5.0, 2.0, 5.0])?;
//! let ceiling = AcceleratingBox::new(ceiling, [0.0; 3], [0.0; 3])?;
//! let sweep = sweep::accelerating::one_to_one(&ball, &ceiling)?;
//! assert_eq!(sweep.contact.state(), ContactState::Touching);
//! assert_eq!(sweep.contact.normal(), [0.0, 1.0, 0.0]);
//! // A graze has no duration; the bound of the rounding error extends it to a thousandth.
//! assert!(sweep.first <= 0.5 && sweep.first > 0.499);
//! assert!(sweep.last >= 0.5 && sweep.last < 0.501);
//! # Ok::<(), swath::Invalid>(())
//! ```

mod simd;

use super::Sweep;
use crate::columns::{AcceleratingBoxColumns, Checked, Row};
use crate::geom::{AcceleratingBox, Invalid, Pair};
use crate::kernels::batch::{Answer, Each, One, Output, Question};
use crate::kernels::{BatchError, batch};
use crate::lanes::{Isa, Level};

/// Sweeps `a` against `b`.
///
/// # Errors
///
/// [`Invalid`] when one of the accelerating boxes is invalid.
///
/// ```
/// use swath::Aabb;
/// use swath::batch::{AcceleratingBox, sweep};
///
/// let floor = AcceleratingBox::new(Aabb::new([-9.0; 3], [9.0, 0.0, 9.0])?, [0.0; 3], [0.0; 3])?;
/// let crate_ = Aabb::new([0.0, 2.0, 0.0], [1.0, 3.0, 1.0])?;
/// let falling = AcceleratingBox::new(crate_, [0.0; 3], [0.0, -16.0, 0.0])?;
/// let sweep = sweep::accelerating::one_to_one(&floor, &falling)?;
/// assert!(sweep.first <= 0.5 && sweep.first > 0.499999);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &AcceleratingBox, b: &AcceleratingBox) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let answer = batch::one_to_one(Accelerating, a.to_row(), b.to_row());
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
    a: &AcceleratingBox,
    many: &Checked<'_, AcceleratingBoxColumns<'_>>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    a.validate()?;
    batch::run(level, Accelerating, (One(a.to_row()), Each::new(many)), many.len(), output)
}

/// Sweeps row `i` of `a` against row `i` of `b`, for each `i`.
///
/// The result is [`Sweep::SEPARATED`] if one of the two rows is invalid. 96 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `a` and `b` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    a: &Checked<'_, AcceleratingBoxColumns<'_>>,
    b: &Checked<'_, AcceleratingBoxColumns<'_>>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    batch::zip(level, Accelerating, (Each::new(a), Each::new(b)), output)
}

/// Sweeps the two rows of each pair. Result `i` is that of `pairs[i]`, row `a` against row `b`.
///
/// A pair may contain the same row twice. The result of a pair with an invalid row is
/// [`Sweep::SEPARATED`]. 8 bytes read per pair, and 96 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair refers to a row that does not exist or the output has the wrong length.
pub fn pairs(
    level: Level,
    boxes: &Checked<'_, AcceleratingBoxColumns<'_>>,
    pairs: &[Pair],
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    batch::pairs(level, Accelerating, Each::new(boxes), pairs, output)
}

/// Returns the next contact of valid boxes whose surfaces touch at the start and are not closing there.
///
/// It is the contact at which they meet again after they parted. Its times have the bounds of a first contact. If the boxes
/// part for less than 2⁻⁴⁵ of the tick, it is that of the start, marked as closing.
pub(crate) fn next_contact(a: &AcceleratingBox, b: &AcceleratingBox) -> Sweep {
    Sweep::of(batch::one_to_one(NextContact, a.to_row(), b.to_row()))
}

/// Sweeps two boxes under constant acceleration.
#[derive(Clone, Copy, Debug)]
struct Accelerating;

impl Question<12, 12> for Accelerating {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 12], b: &[I::F32; 12]) -> Answer<I> {
        simd::answer::<I, false>(isa, a, b)
    }
}

/// Sweeps two boxes under constant acceleration that touch at the start.
#[derive(Clone, Copy, Debug)]
struct NextContact;

impl Question<12, 12> for NextContact {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 12], b: &[I::F32; 12]) -> Answer<I> {
        simd::answer::<I, true>(isa, a, b)
    }
}
