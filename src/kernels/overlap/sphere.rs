//! Overlap of spheres and boxes at the start of the tick.
//!
//! On each axis, the centre has some distance from the interval of the box, or zero inside of it.
//! The sphere and the box overlap if the sum of the squares of these distances is at most the
//! square of the radius (Arvo 1990; Ericson 2005, §5.2.5). Both are closed. Displacements are not
//! used.
//!
//! **Never missed.** The unit of length is the greatest power of two that is at most the radius. In
//! this unit the sum has 5 rounding errors and the square of the radius 2; the latter is raised by
//! 8·2⁻²⁴ of itself. So every sphere that overlaps the box is a hit, and a sphere that is reported
//! as a hit is at most 8·2⁻²⁴ = 2⁻²¹ *of the radius* away from the box, however far from the origin
//! both are and however small or large the numbers. A sphere of radius zero is a point, and its
//! result is exact. Ericson uses one unit for all; there squares overflow above 2⁶⁴ and vanish
//! below 2⁻⁷⁵. The proof is in `docs/math/overlap.md`.
//!
//! Cost: 24 bytes read per box and 16 per sphere; output as in [`overlap`](super).

use super::bits::FirstRow;
use super::simd;
use crate::columns::{Checked, Row, SphereColumns};
use crate::geom::{Aabb, Invalid, Sphere};
use crate::kernels::batch::{Answer, Each, One, Output, Question};
use crate::kernels::{BatchError, batch};
use crate::lanes::{Isa, Level, Table};

/// Returns the four numbers of a sphere.
fn numbers(Sphere { center: [x, y, z], radius }: &Sphere) -> [f32; 4] {
    [*x, *y, *z, *radius]
}

/// Uses the spheres of the rows at the start of the tick.
fn each_sphere<'a>(many: &Checked<'a, SphereColumns<'a>>) -> Each<'a, 4> {
    let [x, y, z, radius, ..] = many.columns().columns();
    Each::of(Table::new([x, y, z, radius], many.len()), many)
}

/// Returns whether a sphere and a box share a point.
///
/// # Errors
///
/// [`Invalid`] when the sphere or the box is invalid.
///
/// ```
/// use swath::batch::overlap::sphere;
/// use swath::{Aabb, Sphere};
///
/// let cube = Aabb::new([0.0; 3], [1.0; 3])?;
/// // The centre is 2, 3 and 6 past a corner, so the distance is 7.
/// assert!(sphere::one_to_one(&Sphere::new([3.0, 4.0, -6.0], 7.0)?, &cube)?);
/// assert!(!sphere::one_to_one(&Sphere::new([3.0, 4.0, -6.0], 6.999)?, &cube)?);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(sphere: &Sphere, aabb: &Aabb) -> Result<bool, Invalid> {
    sphere.validate()?;
    aabb.validate()?;
    Ok(batch::one_to_one(SphereOverlap, numbers(sphere), aabb.to_row()).is_some())
}

/// Finds the boxes of `many` that share a point with `sphere`.
///
/// Invalid rows do not overlap. 24 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `sphere` is invalid or the output has the wrong length.
pub fn one_to_many(
    level: Level,
    sphere: &Sphere,
    many: &Checked<'_>,
    output: impl Output<bool>,
) -> Result<(), BatchError> {
    sphere.validate()?;
    let sides = (One(numbers(sphere)), Each::corners(many));
    batch::run(level, SphereOverlap, sides, many.len(), output)
}

/// Returns the lowest row of `many` that shares a point with `sphere`. Stops at the first hit.
///
/// # Errors
///
/// [`BatchError`] when `sphere` is invalid.
pub fn any(level: Level, sphere: &Sphere, many: &Checked<'_>) -> Result<Option<u32>, BatchError> {
    sphere.validate()?;
    let mut first = FirstRow::default();
    let sides = (One(numbers(sphere)), Each::corners(many));
    batch::run(level, SphereOverlap, sides, many.len(), &mut first)?;
    Ok(first.0)
}

/// Finds the spheres of `many` that share a point with `aabb`.
///
/// Invalid rows do not overlap. 16 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `aabb` is invalid or the output has the wrong length.
pub fn many_to_one(
    level: Level,
    many: &Checked<'_, SphereColumns<'_>>,
    aabb: &Aabb,
    output: impl Output<bool>,
) -> Result<(), BatchError> {
    aabb.validate()?;
    batch::run(level, SphereOverlap, (each_sphere(many), One(aabb.to_row())), many.len(), output)
}

/// Finds the indices `i` for which sphere `i` and box `i` share a point.
///
/// Invalid rows do not overlap. 40 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when `spheres` and `boxes` differ in length or the output has the wrong length.
pub fn zip(
    level: Level,
    spheres: &Checked<'_, SphereColumns<'_>>,
    boxes: &Checked<'_>,
    output: impl Output<bool>,
) -> Result<(), BatchError> {
    batch::zip(level, SphereOverlap, (each_sphere(spheres), Each::corners(boxes)), output)
}

/// Tests whether a sphere and a box share a point.
#[derive(Clone, Copy, Debug)]
struct SphereOverlap;

impl Question<4, 6> for SphereOverlap {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 4], b: &[I::F32; 6]) -> Answer<I> {
        simd::sphere(isa, a, b)
    }
}
