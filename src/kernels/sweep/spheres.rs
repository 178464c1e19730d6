//! First and last time of contact of moving spheres.
//!
//! In the frame of `a`, the centre of `b` is at `p + d·t`. The spheres touch while
//!
//! ```text
//! |p + d·t| ≤ R,   p = b.center - a.center,   d = b.delta - a.delta,   R = a.radius + b.radius
//! ```
//!
//! which is a quadratic in `t` (M. Gomez, "Simple Intersection Tests for Games", 1999, the sphere
//! sweep test). Unlike in the source, the roots are computed relative to the time at which the
//! centres are nearest, because the discriminant cancels when the path is long and the spheres are
//! small. A root outside of the tick is no hit, which the source accepts. Spheres without relative
//! motion are decided by overlap.
//!
//! **Never late, never missed.** `R` is raised by 18·2⁻²⁴ of `|d|` and 22·2⁻²⁴ of itself, which is
//! more than all rounding errors. So `first` is never after the exact first time, `last` is never
//! before the exact last time, and a reported miss is a miss. At `first`, at `last`, and so at some
//! time of every hit, the exact gap `|p + d·t| - R` is at most 2⁻¹⁹·(`|p|` + `|d|` + `R`). The
//! proof is in `docs/math/spheres.md`.
//!
//! **State.** A pair that exactly overlaps at the start is always reported as overlapping, with
//! `first` 0. So may be a pair whose gap at the start is at most 2⁻²⁰·`R` or 2⁻⁶⁹ of the greatest
//! of its lengths. [`Contact::is_surface`](crate::batch::Contact::is_surface) is `true` if the gap is
//! within that of zero in either direction. There are no axes of contact; [`normal`] computes the
//! normal.
//!
//! Units: times are fractions of the tick. Cost: 28 bytes read and 12 written per row.
//!
//! ```
//! use swath::batch::sweep::spheres;
//! use swath::{Level, Sphere};
//! use swath::batch::{Hit, Hits, MovingSphere, SphereStore};
//!
//! let mut many = SphereStore::new();
//! for x in 0..100 {
//!     many.push(Sphere::new([x as f32, 0.0, 0.0], 0.25)?)?;
//! }
//! let bullet = MovingSphere::new(Sphere::new([9.5, 0.0, 0.0], 0.0)?, [2.0, 0.0, 0.0])?;
//! let mut memory = [Hit::default(); 8];
//! let mut hits = Hits::new(&mut memory);
//! spheres::one_to_many(Level::detect(), &bullet, &many.checked(), &mut hits)?;
//! let rows: Vec<u32> = hits.iter().map(|hit| hit.row).collect();
//! assert_eq!(rows, [10, 11]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{Sweep, round};
use crate::columns::{Checked, Row, SphereColumns};
use crate::geom::{Invalid, MovingSphere, Pair, each_axis};
use crate::kernels::batch::{Answer, Each, One, Output, Question};
use crate::kernels::{BatchError, batch};
use crate::lanes::{Isa, Level};

/// Sweeps `a` against `b`.
///
/// # Errors
///
/// [`Invalid`] when one of the moving spheres is invalid.
///
/// ```
/// use swath::batch::sweep::spheres;
/// use swath::Sphere;
/// use swath::batch::{ContactState, MovingSphere};
///
/// let still = MovingSphere::from(Sphere::new([0.0; 3], 1.0)?);
/// let ball = MovingSphere::new(Sphere::new([-10.0, 0.0, 0.0], 1.0)?, [16.0, 0.0, 0.0])?;
/// let sweep = spheres::one_to_one(&ball, &still)?;
/// assert!(sweep.first <= 0.5 && sweep.first > 0.49999);
/// assert_eq!(sweep.contact.state(), ContactState::Touching);
/// assert_eq!(spheres::normal(&ball, &still, sweep.first), [1.0, 0.0, 0.0]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &MovingSphere, b: &MovingSphere) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    Ok(Sweep::of(batch::one_to_one(TwoSpheres, a.to_row(), b.to_row())))
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
    a: &MovingSphere,
    many: &Checked<'_, SphereColumns<'_>>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    a.validate()?;
    batch::run(level, TwoSpheres, (One(a.to_row()), Each::new(many)), many.len(), output)
}

/// Sweeps row `i` of `a` against row `i` of `b`, for each `i`.
///
/// The result is [`Sweep::SEPARATED`] if one of the two rows is invalid. 56 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `a` and `b` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    a: &Checked<'_, SphereColumns<'_>>,
    b: &Checked<'_, SphereColumns<'_>>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    batch::zip(level, TwoSpheres, (Each::new(a), Each::new(b)), output)
}

/// Sweeps the two rows of each pair. Result `i` is that of `pairs[i]`, row `a` against row `b`.
///
/// A pair may contain the same row twice. The result of a pair with an invalid row is
/// [`Sweep::SEPARATED`]. 8 bytes read per pair, and 56 by index.
///
/// # Errors
///
/// [`BatchError`] when a pair refers to a row that does not exist or the output has the wrong length.
pub fn pairs(
    level: Level,
    spheres: &Checked<'_, SphereColumns<'_>>,
    pairs: &[Pair],
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    batch::pairs(level, TwoSpheres, Each::new(spheres), pairs, output)
}

/// Returns the unit normal at time `at` from `a` to `b`: the direction from one centre to the
/// other.
///
/// Computed in `f64` and rounded to nearest. If the centres coincide, it is `[1.0, 0.0, 0.0]`. For
/// invalid spheres or times the result is unspecified and may be NaN.
#[must_use]
pub fn normal(a: &MovingSphere, b: &MovingSphere, at: f32) -> [f32; 3] {
    let offset = each_axis(|axis| {
        let offset = f64::from(b.sphere.center[axis]) - f64::from(a.sphere.center[axis]);
        let motion = f64::from(b.delta[axis]) - f64::from(a.delta[axis]);
        offset + motion * f64::from(at)
    });
    round::direction(offset).unwrap_or([1.0, 0.0, 0.0])
}

/// Sweeps two moving spheres.
#[derive(Clone, Copy, Debug)]
struct TwoSpheres;

impl Question<7, 7> for TwoSpheres {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 7], b: &[I::F32; 7]) -> Answer<I> {
        round::spheres(isa, a, b)
    }
}
