//! Whether two geometries overlap, at rest.
//!
//! ```text
//! both are convex:         the test of the narrowphase                   (narrowphase/gjk/overlap.rs)
//! one of them is convex:   the parts of the other whose boxes meet its box, up to the first that overlaps
//! both have parts:         the parts whose boxes meet, by both hierarchies together       (broadphase/bvh/near_pairs.rs)
//! with one-sided triangles: as if one were convex, for each part of the other that meets its box
//! ```
//!
//! With one-sided triangles, the bodies are divided as in searches for the first time (`search.rs`), with the same boxes, so that the same triangles count.

use super::distance::visit_near_parts;
use super::geometry::Geometry;
use crate::columns::Rejected;
use crate::geom::{Invalid, MapEach, Motion, Pair, Pose};
use crate::narrowphase::Shape;
use crate::narrowphase::batch::{PairsError, answer, check_at_rest};
use crate::narrowphase::gjk::overlaps_of_valid;
use crate::narrowphase::toi::part_search::{Part, PartSearch, PartsExtent};
use crate::narrowphase::toi::{Settings, Touch};
use crate::par::Threads;
use alloc::vec::Vec;

impl Geometry<'_> {
    /// Returns whether the geometry and another one, both at rest, overlap or touch: the test of a sensor, or of a place where something is to
    /// appear.
    ///
    /// They do if any part of the one overlaps any part of the other by [`gjk::overlaps`](crate::convex::gjk::overlaps), so no contact is missed.
    /// The test ends at the first such parts, computes no depth, and allocates nothing, unless a hierarchy is very deep. Triangles are surfaces: a body inside of a closed mesh that touches none of
    /// its triangles does not overlap it.
    ///
    /// A triangle of a [one-sided](super::Mesh::one_sided) mesh or height field counts as in a search for the first time, with
    /// [`Touch::Hit`]: if the position of the other body is in front of its plane, or is on the surface of that body and so behind the plane by
    /// no more than the depth of a touch. Against another mesh or height field, it counts from both sides. If the position of the other body must not
    /// matter, test a mesh of the same vertices that is not one-sided.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if a pose is invalid.
    ///
    /// ```
    /// use swath::mesh::{Geometry, HeightField};
    /// use swath::{Pose, Shape};
    ///
    /// // A house of 4 × 4 is to be placed on a slope, with its floor 0.5 above the origin.
    /// let slope = HeightField::new(vec![0.0, 1.0, 0.0, 1.0], [2, 2], [8.0, 8.0])?;
    /// let house = Geometry::from(Shape::cuboid([2.0, 1.5, 2.0])?);
    /// let is_free = |x| Ok::<_, swath::Invalid>(!house.overlaps(&Pose::at([x, 2.0, 0.0])?, &(&slope).into(), &Pose::IDENTITY)?);
    /// assert!(is_free(-2.25)? && !is_free(2.0)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn overlaps(
        &self,
        pose: &Pose,
        other: &Geometry<'_>,
        other_pose: &Pose,
    ) -> Result<bool, Invalid> {
        pose.validate()?;
        other_pose.validate()?;
        let [motion, other_motion] = [*pose, *other_pose].map_each(Motion::from);
        Ok(of_valid((self, &motion), (other, &other_motion)))
    }
}

/// Tests whether the two geometries of each pair overlap or touch, at rest: `out[i]` is the result of [`Geometry::overlaps`] for `pairs[i]`.
///
/// The old values of `out` are not used. `rejected` is overwritten with the rows whose pose is invalid, in order. A pair with such a row does
/// not overlap.
///
/// # Errors
///
/// [`PairsError`].
///
/// ```
/// use swath::mesh::{self, Mesh};
/// use swath::{Pair, Pose, Shape, Threads};
///
/// let wall = Mesh::new(vec![[0.0, -9.0, -9.0], [0.0, 9.0, -9.0], [0.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
/// let ball = Shape::sphere(0.5)?;
/// let geometries = [(&wall).into(), ball.into(), ball.into()];
/// let poses = [Pose::IDENTITY, Pose::at([0.25, 0.0, 0.0])?, Pose::at([0.75, 0.0, 0.0])?];
/// let pairs = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }, Pair { a: 1, b: 2 }];
/// let (mut overlaps, mut rejected) = ([false; 3], Vec::new());
/// mesh::overlaps_of_pairs(&geometries, &poses, &pairs, &Threads::one(), &mut rejected, &mut overlaps)?;
/// assert_eq!(overlaps, [true, false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlaps_of_pairs(
    geometries: &[Geometry<'_>],
    poses: &[Pose],
    pairs: &[Pair],
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [bool],
) -> Result<(), PairsError> {
    check_at_rest(geometries.len(), poses, pairs, rejected, out.len())?;
    answer(pairs, rejected, threads, false, out, |_, [a, b], _| {
        let [a, b] = [a, b].map_each(|row| (&geometries[row], Motion::from(poses[row])));
        of_valid((a.0, &a.1), (b.0, &b.1))
    });
    Ok(())
}

/// Returns whether two geometries at valid poses overlap.
fn of_valid(a: (&Geometry<'_>, &Motion), b: (&Geometry<'_>, &Motion)) -> bool {
    if a.0.order() > b.0.order() { between(b, a) } else { between(a, b) }
}

/// Returns whether two geometries overlap, of which the first is divided.
fn between(a: (&Geometry<'_>, &Motion), b: (&Geometry<'_>, &Motion)) -> bool {
    let Geometry::Convex(shape) = a.0 else {
        let (mut found, extent) = (false, b.0.extent_against(a.0));
        if !extent.one_sided {
            visit_near_parts([(a.0, &a.1.pose), (b.0, &b.1.pose)], 0.0, &mut |[of_a, of_b]| {
                test_part(&a.0.part(of_a), a.0, &mut |first| {
                    test_part(&b.0.part(of_b), b.0, &mut |second| {
                        found = overlaps_of_valid((first, &a.1.pose), (second, &b.1.pose));
                        found
                    })
                });
                // After an overlap, nothing counts.
                if found { -1.0 } else { 0.0 }
            });
            return found;
        }
        b.0.with_bounds(&mut |around| {
            found = any_part((around, b.1), a, &a.0.extent(), &mut |_, part| {
                test_part(part, a.0, &mut |shape| against((shape, a.1), b, &extent))
            });
        });
        return found;
    };
    against((shape, a.1), b, &b.0.extent())
}

/// Returns whether a shape overlaps a geometry, which has this extent against the body of the shape.
fn against(
    (shape, motion): (&Shape<'_>, &Motion),
    b: (&Geometry<'_>, &Motion),
    extent: &PartsExtent,
) -> bool {
    let of_shape = (shape, &motion.pose);
    if let Geometry::Convex(other) = b.0 {
        return overlaps_of_valid(of_shape, (other, &b.1.pose));
    }
    any_part((shape, motion), b, extent, &mut |search, part| {
        search.counts_at_start(part)
            && test_part(part, b.0, &mut |part| overlaps_of_valid(of_shape, (part, &b.1.pose)))
    })
}

/// Returns whether a test is true for any part of a geometry whose box meets that of a shape.
fn any_part(
    (shape, motion): (&Shape<'_>, &Motion),
    (geometry, body): (&Geometry<'_>, &Motion),
    extent: &PartsExtent,
    test: &mut dyn FnMut(&PartSearch<'_>, &Part<'_>) -> bool,
) -> bool {
    let window = [0.0; 2];
    let settings = Settings { window: [0.0; 2], touch: Touch::Hit, ..Settings::default() };
    let search = PartSearch::new(shape, motion, (body, extent), &settings, 0.0);
    let mut found = false;
    geometry.sweep(&search.path_box(window), &mut |part, _| {
        found = found || test(&search, &geometry.part(part));
        // After an overlap, nothing counts.
        if found { -1.0 } else { 1.0 }
    });
    found
}

/// Returns the result of a test of a part of a geometry, as a shape about the origin of the geometry.
fn test_part(
    part: &Part<'_>,
    geometry: &Geometry<'_>,
    test: &mut dyn FnMut(&Shape<'_>) -> bool,
) -> bool {
    let mut found = false;
    part.with_shape(geometry.extent().size, &mut |shape| found = test(shape));
    found
}
