//! Time of impact of geometries: meshes, height fields, compounds, and convex shapes.
//!
//! What is promised is what [`convex::toi`](crate::convex::toi) promises, for each pair of parts and for the first of them:
//!
//! * **never late, never missed**: before the `t` of an impact, and in the whole window without one, the distance is
//!   above the target. Excepted are touches that [`Touch`](crate::convex::toi::Touch) passes over: those at the start, and those of a body that slides over
//!   edges between triangles, where it gets no deeper than twice the tolerance;
//! * the distance at `t` is at most the target and the tolerance, which is
//!   [`Settings::tolerance`] of the size of the smaller *body*, whatever the sizes of its parts are, or `2⁻⁴⁰` of the
//!   distances and lengths from which the gap to the part is computed, if that is more;
//! * the same bits for the same input, whatever the level, the platform and the threads; for two convex shapes those of
//!   `convex::toi`.
//!
//! **Which part.** The earliest. If several parts are touched within the tolerance of each other, it is one of them, always
//! the same. If bodies overlap at the start, it is the part with the deepest overlap; of those that [`each_part`] lists, the first one is that with the
//! least numbers.
//!
//! **Sliding over seams.** A body that slides along a floor of triangles touches the next triangle at its edge. With the
//! default settings this is no impact: a body that touches the *plane* of a triangle at the start and does not close on
//! it is not tested against this triangle until it gets deeper than the plane by more than the tolerance. Where a body
//! does come into contact with an edge between two triangles that are flat or concave there, the normal is that of a
//! face on which it closes, and the closing speed is along that normal. If it closes on none of them, because the next triangle falls
//! away from the one along which it slides, there is no impact (`docs/math/mesh.md`). The rules for planes apply to bodies
//! with parts that do not rotate.
//!
//! **Cost.** [`Settings::rounds_max`] is a limit for each pair of parts, and 1,024 times that for their sum. Parts that are not searched for
//! that reason are unresolved from the time until which they are proved to be apart. Of two bodies with parts, each part
//! of one that is near the other is searched against the parts of the other that are near it: where two meshes of thousands of
//! triangles share a place, such as the hub of a fan, that is the product of both numbers, and takes seconds.

pub use super::contacts::ContactPlane;
use super::geometry::Geometry;
use super::memory::SearchMemory;
pub use super::result::PartToi;
use super::search::find;
use crate::columns::{LengthMismatch, Rejected};
use crate::geom::{MapEach, Motion, Pair};
use crate::narrowphase::batch::{answer, check_rows, reject};
use crate::narrowphase::toi::{PairsError, Settings, ToiError, validate};
use crate::par::Threads;
use alloc::vec::Vec;

/// Computes when `a` and `b` first touch.
///
/// # Errors
///
/// [`ToiError`] if a motion or the settings are invalid.
pub fn one_to_one(
    a: &Geometry<'_>,
    a_motion: &Motion,
    b: &Geometry<'_>,
    b_motion: &Motion,
    settings: &Settings,
) -> Result<PartToi, ToiError> {
    validate(a_motion, b_motion, settings)?;
    Ok(of_valid((a, a_motion), (b, b_motion), settings, &mut SearchMemory::default()))
}

/// Computes when each part of `a` first touches each part of `b`, and appends the pairs that touch, overlap at the start
/// or are unresolved to `contacts`, in the order of time, then of the parts. An overlap counts as time 0. Returns the first of them, which is not the
/// deepest of several overlaps, with the rounds, supports and tests of all parts, also of those that do not touch.
///
/// Each contact on an inner edge has the normal of its own triangle's face, also where the bodies do not close along it and [`one_to_one`] passes it.
/// Only where the bounds of thousands of triangles contain the same contacts, later ones keep the direction of the nearest points.
///
/// # Errors
///
/// As for [`one_to_one`]; then nothing is appended.
///
/// # Panics
///
/// If a [`SupportMap`](crate::convex::SupportMap) of the caller panics. Then `contacts` may contain unfinished entries behind its old ones.
///
/// ```
/// use swath::convex::toi::Settings;
/// use swath::mesh::{Compound, toi};
/// use swath::{Motion, Pose, Shape};
///
/// // A ball flies along a row of three posts.
/// let post = |x| Ok::<_, Box<dyn std::error::Error>>((Shape::cuboid([0.1, 1.0, 0.1])?.into(), Pose::at([x, 0.0, 0.0])?));
/// let posts = Compound::new([post(0.0)?, post(2.0)?, post(4.0)?])?;
/// let ball = Shape::sphere(0.2)?;
/// let flying = Motion::new(Pose::at([6.0, 0.0, 0.0])?, [-10.0, 0.0, 0.0])?;
/// let mut contacts = Vec::new();
/// toi::each_part(&ball.into(), &flying, &(&posts).into(), &Motion::default(), &Settings::default(), &mut contacts)?;
/// assert_eq!(contacts.iter().map(|found| found.parts[1]).collect::<Vec<_>>(), [2, 1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn each_part(
    a: &Geometry<'_>,
    a_motion: &Motion,
    b: &Geometry<'_>,
    b_motion: &Motion,
    settings: &Settings,
    contacts: &mut Vec<PartToi>,
) -> Result<PartToi, ToiError> {
    validate(a_motion, b_motion, settings)?;
    let memory = &mut SearchMemory::default();
    Ok(each_of_valid((a, a_motion), (b, b_motion), settings, contacts, memory))
}

/// Does what [`each_part`] does, but leaves out triangles that are proved to get hardly deeper in the window than a known contact is. Two planes are
/// tested: the plane at the contact, and the plane across that axis of the other part which is nearest to the normal of the contact. A triangle is
/// left out if one of them separates it to within `plane.depth` plus three quarters of the tolerance.
///
/// A body that rests on a fine mesh touches thousands of triangles, and one contact is enough for a response: that of [`one_to_one`], which is the
/// deepest overlap if there are several. This
/// function searches only the parts that may need another one, such as a wall beside the floor. The bound is for the whole window, so the
/// window should end when the bodies get nearer along the normal than they are at its start. Triangles of a body that rotates, and
/// convex parts, are not left out.
///
/// A normal that is not finite, or zero, leaves out nothing.
///
/// # Errors
///
/// As for [`each_part`].
///
/// ```
/// use swath::convex::toi::{Settings, Touch};
/// use swath::mesh::toi::{self, ContactPlane};
/// use swath::mesh::Mesh;
/// use swath::{Motion, Pose, Shape};
///
/// // A box lies on a triangle of a floor and slides towards a wall.
/// let corners = vec![[-9.0, 0.0, -9.0], [2.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [2.0, 0.0, 9.0], [2.0, 9.0, 0.0]];
/// let room = Mesh::new(corners, vec![[0, 2, 1], [1, 2, 3], [1, 3, 4]])?;
/// let slides = Motion::new(Pose::at([0.0, 1.0, 0.0])?, [3.0, 0.0, 0.0])?;
/// let (cube, settings) = (Shape::cuboid([1.0; 3])?, Settings { touch: Touch::Hit, ..Settings::default() });
/// let bodies = (cube.into(), (&room).into());
/// let floor = ContactPlane { normal: [0.0, -1.0, 0.0], depth: 0.0 };
/// let mut contacts = Vec::new();
/// toi::each_part(&bodies.0, &slides, &bodies.1, &Motion::default(), &settings, &mut contacts)?;
/// assert_eq!(contacts.iter().map(|found| found.parts[1]).collect::<Vec<_>>(), [1, 2]);
/// contacts.clear();
/// toi::each_part_beyond(&bodies.0, &slides, &bodies.1, &Motion::default(), &settings, &floor, &mut contacts)?;
/// assert_eq!(contacts.iter().map(|found| found.parts[1]).collect::<Vec<_>>(), [2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn each_part_beyond(
    a: &Geometry<'_>,
    a_motion: &Motion,
    b: &Geometry<'_>,
    b_motion: &Motion,
    settings: &Settings,
    plane: &ContactPlane,
    contacts: &mut Vec<PartToi>,
) -> Result<PartToi, ToiError> {
    validate(a_motion, b_motion, settings)?;
    let memory = &mut SearchMemory::default();
    Ok(find((a, a_motion), (b, b_motion), settings, Some(contacts), Some(plane), memory))
}

/// Bodies, and the pairs of them that are tested.
#[derive(Clone, Copy, Debug)]
pub struct GeometryInput<'a, 'g> {
    /// A geometry per body.
    pub geometries: &'a [Geometry<'g>],
    /// A motion per body.
    pub motions: &'a [Motion],
    /// The pairs, as rows of two bodies.
    pub pairs: &'a [Pair],
}

/// Computes when the two bodies of each pair first touch: `out[i]` is the result of [`one_to_one`] for `pairs[i]`.
///
/// `rejected` is overwritten with the rows whose motion is invalid, in order. A pair with such a row is
/// [`ToiResult::Separated`](crate::convex::toi::ToiResult::Separated), with no tests.
///
/// # Errors
///
/// [`PairsError`].
///
/// ```
/// use swath::convex::toi::Settings;
/// use swath::mesh::toi::{self, GeometryInput, PartToi};
/// use swath::mesh::Mesh;
/// use swath::{Motion, Pair, Pose, Shape, Threads};
///
/// let wall = Mesh::new(vec![[0.0, -9.0, -9.0], [0.0, 9.0, -9.0], [0.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
/// let mut geometries = vec![(&wall).into()];
/// let mut motions = vec![Motion::default()];
/// for k in 1..100 {
///     geometries.push(Shape::sphere(0.01 * k as f32)?.into());
///     motions.push(Motion::new(Pose::at([-2.0, 0.0, 0.0])?, [0.1 * k as f32, 0.0, 0.0])?);
/// }
/// let pairs: Vec<_> = (1..100).map(|b| Pair { a: 0, b }).collect();
/// let mut out = vec![PartToi::default(); pairs.len()];
/// let input = GeometryInput { geometries: &geometries, motions: &motions, pairs: &pairs };
/// toi::pairs(&input, &Settings::default(), &Threads::current(), &mut Vec::new(), &mut out)?;
/// assert_eq!(out.iter().filter(|found| found.toi.impact().is_some()).count(), 81);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs(
    input: &GeometryInput<'_, '_>,
    settings: &Settings,
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [PartToi],
) -> Result<(), PairsError> {
    let GeometryInput { geometries, motions, pairs } = *input;
    settings.validate()?;
    LengthMismatch::check("the column `motions`", geometries.len(), motions.len())?;
    LengthMismatch::check("the output `out`", pairs.len(), out.len())?;
    check_rows(pairs, geometries.len())?;
    reject(motions.iter().map(Motion::validate), rejected);
    answer(pairs, rejected, threads, PartToi::default(), out, |_, [a, b], _| {
        let [a, b] = [a, b].map_each(|row| (&geometries[row], &motions[row]));
        of_valid(a, b, settings, &mut SearchMemory::default())
    });
    Ok(())
}

/// Does what [`one_to_one`] does, for motions and settings that are known to be valid.
pub(crate) fn of_valid(
    a: (&Geometry<'_>, &Motion),
    b: (&Geometry<'_>, &Motion),
    settings: &Settings,
    memory: &mut SearchMemory,
) -> PartToi {
    find(a, b, settings, None, None, memory)
}

/// Does what [`each_part`] does, for motions and settings that are known to be valid. Returns the first contact.
pub(crate) fn each_of_valid(
    a: (&Geometry<'_>, &Motion),
    b: (&Geometry<'_>, &Motion),
    settings: &Settings,
    contacts: &mut Vec<PartToi>,
    memory: &mut SearchMemory,
) -> PartToi {
    find(a, b, settings, Some(contacts), None, memory)
}
