//! Distances of many pairs of shapes, and whether they overlap.

use super::distance::distance_of_valid;
use super::overlap::overlaps_of_valid;
use super::result::{Distance, GjkCache};
use crate::columns::Rejected;
use crate::geom::{Pair, Pose};
use crate::narrowphase::batch::{PairsError, answer, check_at_rest};
use crate::narrowphase::shape::Shape;
use crate::par::Threads;
use alloc::vec::Vec;

/// Computes the distance of the two shapes of each pair: `out[i]` is the result of [`distance`](super::distance) for
/// `pairs[i]`.
///
/// The search starts with the value of `out[i].normal`, as with a [`GjkCache`]. Keep `out` from tick to
/// tick for pairs that persist; otherwise fill it with [`Distance::default`]. `rejected` is overwritten
/// with the rows whose pose is invalid, in order. A pair with such a row has the result
/// [`Distance::INFINITE`].
///
/// # Errors
///
/// [`PairsError`].
///
/// ```
/// use swath::{Pair, Pose, Shape, Threads};
/// use swath::convex::gjk;
/// use swath::convex::gjk::Distance;
///
/// let shapes = [Shape::sphere(1.0)?, Shape::cuboid([1.0; 3])?];
/// let poses = [Pose::at([-9.0, 0.0, 0.0])?, Pose::IDENTITY];
/// let (mut out, mut rejected) = ([Distance::default()], Vec::new());
/// gjk::pairs(&shapes, &poses, &[Pair { a: 0, b: 1 }], &Threads::one(), &mut rejected, &mut out)?;
/// assert!(out[0].distance <= 7.0 && out[0].distance > 6.99999);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs(
    shapes: &[Shape<'_>],
    poses: &[Pose],
    pairs: &[Pair],
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [Distance],
) -> Result<(), PairsError> {
    check_at_rest(shapes.len(), poses, pairs, rejected, out.len())?;
    answer(pairs, rejected, threads, Distance::INFINITE, out, |_, [a, b], last| {
        let mut cache = GjkCache { normal: last.normal };
        distance_of_valid(&shapes[a], &poses[a], &shapes[b], &poses[b], &mut cache)
    });
    Ok(())
}

/// Tests whether the two shapes of each pair overlap or touch: `out[i]` is the result of [`overlaps`](super::overlaps) for `pairs[i]`.
///
/// The old values of `out` are not used. `rejected` is overwritten with the rows whose pose is invalid, in order. A pair with such a row does
/// not overlap.
///
/// # Errors
///
/// [`PairsError`].
///
/// ```
/// use swath::{Pair, Pose, Shape, Threads};
/// use swath::convex::gjk;
///
/// // A sensor and two balls, of which the second is outside.
/// let (sensor, ball) = (Shape::cuboid([2.0; 3])?, Shape::sphere(0.5)?);
/// let shapes = [sensor, ball, ball];
/// let poses = [Pose::IDENTITY, Pose::at([2.25, 0.0, 0.0])?, Pose::at([2.25, 2.5, 0.0])?];
/// let pairs = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }];
/// let (mut inside, mut rejected) = ([false; 2], Vec::new());
/// gjk::overlaps_of_pairs(&shapes, &poses, &pairs, &Threads::one(), &mut rejected, &mut inside)?;
/// assert_eq!(inside, [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlaps_of_pairs(
    shapes: &[Shape<'_>],
    poses: &[Pose],
    pairs: &[Pair],
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [bool],
) -> Result<(), PairsError> {
    check_at_rest(shapes.len(), poses, pairs, rejected, out.len())?;
    answer(pairs, rejected, threads, false, out, |_, [a, b], _| {
        overlaps_of_valid((&shapes[a], &poses[a]), (&shapes[b], &poses[b]))
    });
    Ok(())
}
