//! First and last time of contact of a moving sphere and a moving box.
//!
//! In the frame of the box, the distance of the sphere's centre from the box is the length of a
//! vector: on each axis, how far the centre is outside of the two faces. The square of the distance
//! is convex and, between the up to six times at which the centre passes the plane of a face, a
//! quadratic in `t`. For each such time the kernel determines whether all contact is later, whether
//! the centre is within reach (the radius), or whether all contact is earlier. This leaves one
//! quadratic for the first time and one for the last. It is the sweep of a point against the box
//! with rounded edges and corners (Ericson 2005, §5.5.7, where the faces are tested first and then
//! the capsules of up to three edges); here there is no search and no branch.
//!
//! **Never late, never missed.** As for [two spheres](super::spheres): with the radius `R` and the
//! distance `|p|` of the centre from the box at the start, the gap at `first` and at `last` is at
//! most 2⁻¹⁹·(`|p|` + `|d|` + `R`). The size of the box does not matter. The proof is in
//! `docs/math/spheres.md`.
//!
//! **State.** As for two spheres. A sphere of radius zero on a face touches the surface only, like
//! a box that is a point. There are no axes of contact; [`normal`] computes the normal.
//!
//! Units: times are fractions of the tick. Cost: 36 bytes read per box or 28 per sphere, and 12
//! written per row.
//!
//! ```
//! use swath::batch::sweep::{Times, sphere_box};
//! use swath::{Aabb, Level, MovingBoxStore, Sphere};
//! use swath::batch::MovingSphere;
//!
//! let mut walls = MovingBoxStore::new();
//! walls.push(Aabb::new([4.0, -1.0, -1.0], [5.0, 1.0, 1.0])?)?;
//! walls.push(Aabb::new([4.0, 2.0, -1.0], [5.0, 3.0, 1.0])?)?;
//! let ball = MovingSphere::new(Sphere::new([0.0; 3], 1.0)?, [8.0, 0.0, 0.0])?;
//! let (mut first, mut last) = ([0.0; 2], [0.0; 2]);
//! let times = Times { first: &mut first, last: &mut last };
//! sphere_box::one_to_many(Level::detect(), &ball, &walls.checked(), times)?;
//! assert!(first[0] <= 0.375 && first[0] > 0.37499); // 3 of 8 units into the tick
//! assert_eq!(first[1], swath::batch::sweep::MISS);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{Sweep, round};
use crate::columns::{Checked, Row, SphereColumns};
use crate::geom::{Invalid, MovingBox, MovingSphere};
use crate::kernels::batch::{Answer, Each, One, Output, Question};
use crate::kernels::{BatchError, batch};
use crate::lanes::{Isa, Level};

/// Sweeps the sphere `a` against the box `b`.
///
/// # Errors
///
/// [`Invalid`] when the moving sphere or the moving box is invalid.
///
/// ```
/// use swath::batch::sweep::sphere_box;
/// use swath::{Aabb, Sphere};
/// use swath::batch::MovingSphere;
///
/// // Near an edge: the AABBs of both balls touch the step, but only the first ball does.
/// let step = Aabb::new([0.0; 3], [1.0; 3])?;
/// let ball = MovingSphere::new(Sphere::new([-4.0, 1.75, 0.5], 1.0)?, [3.375, 0.0, 0.0])?;
/// assert!(sphere_box::one_to_one(&ball, &step.into())?.contact.is_hit());
/// let ball = MovingSphere::new(Sphere::new([-4.0, 1.75, 0.5], 1.0)?, [3.25, 0.0, 0.0])?;
/// assert!(!sphere_box::one_to_one(&ball, &step.into())?.contact.is_hit());
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(a: &MovingSphere, b: &MovingBox) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    Ok(Sweep::of(batch::one_to_one(SphereBox, a.to_row(), b.to_row())))
}

/// Sweeps the sphere `a` against each row of `many` boxes. Result `i` is that of row `i`.
///
/// The result of an invalid row is [`Sweep::SEPARATED`].
///
/// # Errors
///
/// [`BatchError`] when `a` is invalid or the output has the wrong length.
pub fn one_to_many(
    level: Level,
    a: &MovingSphere,
    many: &Checked<'_>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    a.validate()?;
    batch::run(level, SphereBox, (One(a.to_row()), Each::new(many)), many.len(), output)
}

/// Sweeps each row of `many` spheres against the box `b`. Result `i` is that of row `i`.
///
/// The result of an invalid row is [`Sweep::SEPARATED`].
///
/// # Errors
///
/// [`BatchError`] when `b` is invalid or the output has the wrong length.
pub fn many_to_one(
    level: Level,
    many: &Checked<'_, SphereColumns<'_>>,
    b: &MovingBox,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    b.validate()?;
    batch::run(level, SphereBox, (Each::new(many), One(b.to_row())), many.len(), output)
}

/// Sweeps the sphere in row `i` of `a` against the box in row `i` of `b`, for each `i`.
///
/// The result is [`Sweep::SEPARATED`] if one of the two rows is invalid. 64 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `a` and `b` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    a: &Checked<'_, SphereColumns<'_>>,
    b: &Checked<'_>,
    output: impl Output<Sweep>,
) -> Result<(), BatchError> {
    batch::zip(level, SphereBox, (Each::new(a), Each::new(b)), output)
}

/// Returns the unit normal at time `at` from the sphere `a` to the box `b`: the direction from the
/// centre to the nearest point of the box.
///
/// Computed in `f64` and rounded to nearest. If the centre is in or on the box, the normal is the
/// inward normal of the nearest face; among equally near faces that of the lowest axis, and of two
/// such faces of one axis the one whose inward normal is positive. For invalid values or times the
/// result is unspecified and may be NaN.
#[must_use]
pub fn normal(a: &MovingSphere, b: &MovingBox, at: f32) -> [f32; 3] {
    let mut offset = [0.0; 3];
    let (mut inwards, mut depth) = ([0.0; 3], f64::INFINITY);
    for axis in 0..3 {
        let center = f64::from(a.sphere.center[axis]);
        let motion = (f64::from(b.delta[axis]) - f64::from(a.delta[axis])) * f64::from(at);
        let below = f64::from(b.aabb.min[axis]) - center + motion;
        let above = f64::from(b.aabb.max[axis]) - center + motion;
        offset[axis] = below.max(0.0) + above.min(0.0);
        for &(deep, sign) in &[(-below, 1.0), (above, -1.0)] {
            if deep < depth {
                (depth, inwards) = (deep, [0.0; 3]);
                inwards[axis] = sign;
            }
        }
    }
    round::direction(offset).unwrap_or(inwards)
}

/// Sweeps a moving sphere and a moving box.
#[derive(Clone, Copy, Debug)]
struct SphereBox;

impl Question<7, 9> for SphereBox {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 7], b: &[I::F32; 9]) -> Answer<I> {
        round::sphere_box(isa, a, b)
    }
}
