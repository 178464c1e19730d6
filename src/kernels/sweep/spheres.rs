//! When do moving spheres first touch, and until when?
//!
//! In the frame of `a`, the centre of `b` is at `p + d·t`; the spheres touch while
//!
//! ```text
//! |p + d·t| ≤ R,   p = b.center - a.center,   d = b.delta - a.delta,   R = a.radius + b.radius
//! ```
//!
//! which is a quadratic in `t` (M. Gomez, "Simple Intersection Tests for Games", 1999, the sphere
//! sweep test). Here its roots are taken about the time at which the centres are nearest, because
//! the discriminant cancels when the path is long and the spheres are small; a root outside the
//! tick is no hit, which the source lets pass; and spheres that do not move against each other
//! are decided by overlap.
//!
//! **Never late, never missed.** `R` is raised by 18·2⁻²⁴ of `|d|` and 22·2⁻²⁴ of itself, more than
//! all roundings can take away. So `first` is not after the true first time and `last` not before
//! the true last one, and what is said to miss does miss. At `first`, at `last` and so at some time
//! of every hit the true gap `|p + d·t| - R` is at most 2⁻¹⁹·(`|p|` + `|d|` + `R`). The proof is in
//! `docs/math/spheres.md`.
//!
//! **State.** A pair that truly overlaps at the start is always said to, with `first` 0; so may
//! be one whose gap at the start is at most 2⁻²⁰·`R` or 2⁻⁶⁹ of the greatest of its lengths.
//! [`Contact::is_surface`](crate::Contact::is_surface) is true where the gap is within that of
//! zero from either side. There are no axes of contact; [`normal`] gives the normal.
//!
//! Units: times are fractions of the tick. Cost: 28 bytes in and 12 out for each row.
//!
//! ```
//! use swath::sweep::spheres;
//! use swath::{Hit, Hits, Level, MovingSphere, Sphere, SphereStore};
//!
//! let mut many = SphereStore::new();
//! for x in 0..100 {
//!     many.push(Sphere::new([x as f32, 0.0, 0.0], 0.25)?)?;
//! }
//! let bullet = MovingSphere::new(Sphere::new([9.5, 0.0, 0.0], 0.0)?, [2.0, 0.0, 0.0])?;
//! let mut room = [Hit::default(); 8];
//! let mut hits = Hits::new(&mut room);
//! spheres::one_to_many(Level::detect(), &bullet, &many.checked(), &mut hits)?;
//! let rows: Vec<u32> = hits.iter().map(|hit| hit.row).collect();
//! assert_eq!(rows, [10, 11]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{Output, Sweep, round};
use crate::geom::{Invalid, MovingSphere, Pair};
use crate::kernels::BatchError;
use crate::kernels::ask::{self, Answer, Each, One, Question};
use crate::lanes::{Isa, Level};
use crate::store::{Checked, Row, Spheres};

/// When `a` and `b` touch.
///
/// # Errors
///
/// [`Invalid`] when one of them is no sphere or displacement.
///
/// ```
/// use swath::sweep::spheres;
/// use swath::{MovingSphere, Sphere, State};
///
/// let still = MovingSphere::from(Sphere::new([0.0; 3], 1.0)?);
/// let ball = MovingSphere::new(Sphere::new([-10.0, 0.0, 0.0], 1.0)?, [16.0, 0.0, 0.0])?;
/// let sweep = spheres::one_to_one(&ball, &still)?;
/// assert!(sweep.first <= 0.5 && sweep.first > 0.49999);
/// assert_eq!(sweep.contact.state(), State::Touching);
/// assert_eq!(spheres::normal(&ball, &still, sweep.first), [1.0, 0.0, 0.0]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &MovingSphere, b: &MovingSphere) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    Ok(Sweep::of(ask::one_to_one(TwoSpheres, a.to_row(), b.to_row())))
}

/// When `a` and each of `many` touch: answer `i` is for `a` against row `i`.
///
/// Rows that are no spheres are answered with [`Sweep::SEPARATED`].
///
/// # Errors
///
/// [`BatchError`] when `a` is no sphere, or the output has not room for the answers.
pub fn one_to_many(
    level: Level,
    a: &MovingSphere,
    many: &Checked<'_, Spheres<'_>>,
    output: impl Output,
) -> Result<(), BatchError> {
    a.validate()?;
    ask::ask(level, TwoSpheres, (One(a.to_row()), Each::new(many)), many.len(), output)
}

/// When row `i` of `a` and row `i` of `b` touch, for each `i`.
///
/// Rows of which one is no sphere are answered with [`Sweep::SEPARATED`]. 56 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when `b` has not as many rows as `a`, or the output has not room for the answers.
pub fn zip(
    level: Level,
    a: &Checked<'_, Spheres<'_>>,
    b: &Checked<'_, Spheres<'_>>,
    output: impl Output,
) -> Result<(), BatchError> {
    ask::zip(level, TwoSpheres, (Each::new(a), Each::new(b)), output)
}

/// When the two rows of each pair touch: answer `i` is for `pairs[i]`, row `a` against row `b`.
///
/// A pair may name one row twice. Pairs with a row that is no sphere are answered with
/// [`Sweep::SEPARATED`]. 8 bytes in for each pair, and 56 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair names a row that is not there, or the output has not room for the
/// answers.
pub fn pairs(
    level: Level,
    spheres: &Checked<'_, Spheres<'_>>,
    pairs: &[Pair],
    output: impl Output,
) -> Result<(), BatchError> {
    ask::pairs(level, TwoSpheres, Each::new(spheres), pairs, output)
}

/// The unit normal at time `at` from `a` to `b`: the direction from one centre to the other.
///
/// Computed in `f64` and rounded to nearest. Where the centres are in one place there is none, and
/// it is `[1.0, 0.0, 0.0]`. Of invalid spheres or times it has no meaning, and may be NaN.
#[must_use]
pub fn normal(a: &MovingSphere, b: &MovingSphere, at: f32) -> [f32; 3] {
    let way = core::array::from_fn(|axis| {
        let place = f64::from(b.sphere.center[axis]) - f64::from(a.sphere.center[axis]);
        let motion = f64::from(b.delta[axis]) - f64::from(a.delta[axis]);
        place + motion * f64::from(at)
    });
    round::direction(way).unwrap_or([1.0, 0.0, 0.0])
}

/// When two moving spheres touch.
#[derive(Clone, Copy, Debug)]
struct TwoSpheres;

impl Question<7, 7> for TwoSpheres {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 7], b: &[I::F32; 7]) -> Answer<I> {
        round::spheres(isa, a, b)
    }
}
