//! Which spheres and boxes share a point now?
//!
//! On each axis the centre lies by some gap outside the box, or by none; the sphere meets the box
//! where the squares of the gaps are together at most that of the radius (Arvo 1990; Ericson 2005,
//! §5.2.5). Both are closed, and where they are when the tick starts; displacements are not read.
//!
//! **Never missed.** In units of the power of two next below the radius the sum is off by 5
//! roundings and the square of the radius by 2; the latter is raised by 8·2⁻²⁴ of itself. So a
//! sphere that meets the box is never lost, and one that is called a hit is at most
//! 8·2⁻²⁴ = 2⁻²¹ *of the radius* away from the box, however far out both are and however small or
//! large the numbers. A sphere of radius zero is a point and answered exactly. Ericson compares in
//! one unit for all: there squares overflow past 2⁶⁴ and vanish below 2⁻⁷⁵. The proof is in
//! `docs/math/overlap.md`.
//!
//! Cost: 24 bytes in for each box and 16 for each sphere; out as in [`overlap`](super).

use super::{Output, bits::First, corners, each, room};
use crate::geom::{Aabb, Invalid, Sphere};
use crate::kernels::BatchError;
use crate::kernels::ask::{self, Answer, Each, One, Question};
use crate::lanes::{Isa, Level, Table};
use crate::store::{Checked, Spheres};

/// The four numbers of a sphere.
fn numbers(Sphere { center: [x, y, z], radius }: &Sphere) -> [f32; 4] {
    [*x, *y, *z, *radius]
}

/// The spheres of rows, where they are at the start.
fn each_sphere<'a>(many: &Checked<'a, Spheres<'a>>) -> Each<'a, 4> {
    let [x, y, z, radius, ..] = many.columns().columns();
    Each::of(Table::new([x, y, z, radius], many.len()), many)
}

/// Whether a sphere and a box share a point.
///
/// # Errors
///
/// [`Invalid`] when one of them is none.
///
/// ```
/// use swath::overlap::sphere;
/// use swath::{Aabb, Sphere};
///
/// let cube = Aabb::new([0.0; 3], [1.0; 3])?;
/// // 2, 3 and 6 beyond a corner: 7 away.
/// assert!(sphere::one_to_one(&Sphere::new([3.0, 4.0, -6.0], 7.0)?, &cube)?);
/// assert!(!sphere::one_to_one(&Sphere::new([3.0, 4.0, -6.0], 6.999)?, &cube)?);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub fn one_to_one(sphere: &Sphere, aabb: &Aabb) -> Result<bool, Invalid> {
    sphere.validate()?;
    aabb.validate()?;
    Ok(ask::one_to_one(Ball, numbers(sphere), corners(aabb)).is_some())
}

/// Which of many boxes share a point with `sphere`: answer `i` is for row `i`.
///
/// Rows that are no boxes share none. 24 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when `sphere` is none, or the output has not room for the answers.
pub fn one_to_many(
    level: Level,
    sphere: &Sphere,
    many: &Checked<'_>,
    output: impl Output,
) -> Result<(), BatchError> {
    sphere.validate()?;
    ask::ask(level, Ball, (One(numbers(sphere)), each(many)), many.len(), output)
}

/// The lowest row of many boxes that shares a point with `sphere`, if any does. Stops where it is
/// found.
///
/// # Errors
///
/// [`BatchError`] when `sphere` is none.
pub fn any(level: Level, sphere: &Sphere, many: &Checked<'_>) -> Result<Option<u32>, BatchError> {
    sphere.validate()?;
    let mut first = First::default();
    ask::ask(level, Ball, (One(numbers(sphere)), each(many)), many.len(), &mut first)?;
    Ok(first.0)
}

/// Which of many spheres share a point with `aabb`: answer `i` is for row `i`.
///
/// Rows that are no spheres share none. 16 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when `aabb` is no box, or the output has not room for the answers.
pub fn many_to_one(
    level: Level,
    many: &Checked<'_, Spheres<'_>>,
    aabb: &Aabb,
    output: impl Output,
) -> Result<(), BatchError> {
    aabb.validate()?;
    ask::ask(level, Ball, (each_sphere(many), One(corners(aabb))), many.len(), output)
}

/// Whether sphere `i` and box `i` share a point, for each `i`.
///
/// Rows of which one is none share none. 40 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when there are not as many boxes as spheres, or the output has not room for the
/// answers.
pub fn zip(
    level: Level,
    spheres: &Checked<'_, Spheres<'_>>,
    boxes: &Checked<'_>,
    output: impl Output,
) -> Result<(), BatchError> {
    ask::zip(level, Ball, (each_sphere(spheres), each(boxes)), output)
}

/// Whether a sphere and a box share a point.
#[derive(Clone, Copy, Debug)]
struct Ball;

impl Question<4, 6> for Ball {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; 4], b: &[I::F32; 6]) -> Answer<I> {
        room::sphere(isa, a, b)
    }
}
