//! When do boxes under constant acceleration first touch, and until when?
//!
//! In the frame of `a`, box `b` is moved by `x(t) = d·t + ½·g·t²`, where `d` and `g` are the
//! differences of the displacements and of the accelerations. On one axis the two closed
//! intervals share a point while
//!
//! ```text
//! below ≤ x(t) ≤ above        below = a.min - b.max        above = a.max - b.min
//! ```
//!
//! A parabola is under a height between its two roots there, and under the other height, which
//! leaves a hole, between two others. So an axis is overlapped in at most two pieces of the tick,
//! and the boxes touch where three pieces, one for each axis, have a time in common: of the eight
//! ways to choose them the earliest is the first contact. The boxes may part and meet again;
//! only the first contact is told.
//!
//! The quadratic is the one of Ericson 2005, §5.5 and Eberly 2005, "Dynamic collision detection",
//! with the roots of Kahan 2004 ("On the cost of floating-point computation without extra-precise
//! arithmetic"), which do not cancel. Here the discriminant is moved to the safe side by what
//! rounding may have cost it, so a parabola that only grazes a face is not lost, and an axis
//! without relative acceleration is answered as by the plain [`sweep`](super), to the bit; only
//! that what has passed by less than a float can tell is no hit here.
//!
//! **Never late, never missed.** `first` is not after the true first time, and at each time from
//! `first` to `last` the boxes touch if on each axis they are grown by 48·2⁻²⁴ of
//! `|face| + |d| + |g|`, where `face` is `below` or `above`: what is called a hit misses by no
//! more. `last` is not before the last time of the true first contact, but where `first` is
//! such a narrow miss: a contact of its own then, which ends before the true one begins. With
//! `g = 0` on all axes the bounds are those of the plain sweep. Whether boxes overlap at
//! the start is decided by exact comparisons. The proof is in `docs/math/accelerating.md`.
//!
//! Of surfaces that touch at the start it is the relative velocity that tells whether they
//! close, and on an axis without one the relative acceleration: what happens just after.
//!
//! Units: times are fractions of the tick. Cost: 48 bytes in and 12 out for each row.
//!
//! ```
//! use swath::{Aabb, AcceleratingBox, State, sweep};
//!
//! // Thrown up by 4, pulled down by 8: at its highest in the middle of the tick, 1 above.
//! let ball = AcceleratingBox::new(Aabb::cube([0.0; 3], 0.5)?, [0.0, 4.0, 0.0], [0.0, -8.0, 0.0])?;
//! let ceiling = Aabb::new([-5.0, 1.5, -5.0], [5.0, 2.0, 5.0])?;
//! let ceiling = AcceleratingBox::new(ceiling, [0.0; 3], [0.0; 3])?;
//! let sweep = sweep::accelerating::one_to_one(&ball, &ceiling)?;
//! assert_eq!(sweep.contact.state(), State::Touching);
//! assert_eq!(sweep.contact.normal(), [0.0, 1.0, 0.0]);
//! // A graze lasts a moment; what rounding may have cost makes it one of a thousandth.
//! assert!(sweep.first <= 0.5 && sweep.first > 0.499);
//! assert!(sweep.last >= 0.5 && sweep.last < 0.501);
//! # Ok::<(), swath::Invalid>(())
//! ```

mod room;

use super::{Output, Sweep};
use crate::geom::{AcceleratingBox, Invalid, Pair};
use crate::kernels::BatchError;
use crate::kernels::ask::{self, Answer, Each, One, Question};
use crate::lanes::{Isa, Level};
use crate::store::{AcceleratingBoxes, Checked, Row};

/// When `a` and `b` touch.
///
/// # Errors
///
/// [`Invalid`] when one of them is no box, displacement or acceleration.
///
/// ```
/// use swath::{Aabb, AcceleratingBox, sweep};
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
    let answer = ask::one_to_one(Accelerating, a.to_row(), b.to_row());
    Ok(Sweep::of(answer))
}

/// When `a` and each of `many` touch: answer `i` is for `a` against row `i`.
///
/// Rows that are no boxes are answered with [`Sweep::SEPARATED`].
///
/// # Errors
///
/// [`BatchError`] when `a` is no box, or the output has not room for the answers.
pub fn one_to_many(
    level: Level,
    a: &AcceleratingBox,
    many: &Checked<'_, AcceleratingBoxes<'_>>,
    output: impl Output,
) -> Result<(), BatchError> {
    a.validate()?;
    ask::ask(level, Accelerating, (One(a.to_row()), Each::new(many)), many.len(), output)
}

/// When row `i` of `a` and row `i` of `b` touch, for each `i`.
///
/// Rows of which one is no box are answered with [`Sweep::SEPARATED`]. 96 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when `b` has not as many rows as `a`, or the output has not room for the answers.
pub fn zip(
    level: Level,
    a: &Checked<'_, AcceleratingBoxes<'_>>,
    b: &Checked<'_, AcceleratingBoxes<'_>>,
    output: impl Output,
) -> Result<(), BatchError> {
    ask::zip(level, Accelerating, (Each::new(a), Each::new(b)), output)
}

/// When the two rows of each pair touch: answer `i` is for `pairs[i]`, row `a` against row `b`.
///
/// A pair may name one row twice. Pairs with a row that is no box are answered with
/// [`Sweep::SEPARATED`]. 8 bytes in for each pair, and 96 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair names a row that is not there, or the output has not room for the
/// answers.
pub fn pairs(
    level: Level,
    boxes: &Checked<'_, AcceleratingBoxes<'_>>,
    pairs: &[Pair],
    output: impl Output,
) -> Result<(), BatchError> {
    ask::pairs(level, Accelerating, Each::new(boxes), pairs, output)
}

/// When two boxes under constant acceleration touch.
#[derive(Clone, Copy, Debug)]
struct Accelerating;

impl Question<12, 12> for Accelerating {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 12], b: &[I::F32; 12]) -> Answer<I> {
        room::answer(isa, a, b)
    }
}
