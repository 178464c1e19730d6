//! Distances and first times of contact for many pairs of shapes.
//!
//! Rows are bodies: a shape, and a motion or a pose. The result of a pair has the index of the pair. The
//! list of pairs is split into chunks by its length alone, and each result has one writer, so the
//! results are the same for any number of threads. Only the thread pool allocates memory.

use super::gjk::{Distance, GjkCache};
use super::shape::Shape;
use super::toi::{Advance, AdvanceError, Settings, Toi};
use super::{gjk, toi};
use crate::columns::{LengthMismatch, Rejected};
use crate::geom::{Invalid, Motion, Pair, Pose};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Number of pairs in one piece of work.
const CHUNK: usize = 256;

/// Why a batch of pairs could not be computed. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// The settings are invalid, or the window of a pair is; of several such pairs, the error of the
    /// first.
    #[error("{0}")]
    Advance(#[from] AdvanceError),
    /// The length of a column differs from the number of bodies or pairs.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// A pair refers to a row that does not exist.
    #[error("pair {index} names row {row} of {rows}")]
    NoSuchRow {
        /// Index of the pair.
        index: usize,
        /// The row that it refers to.
        row: u32,
        /// The number of rows.
        rows: usize,
    },
}

/// Bodies, and the pairs of them that are tested.
#[derive(Clone, Copy, Debug)]
pub struct Meetings<'a, 's> {
    /// A shape per body.
    pub shapes: &'a [Shape<'s>],
    /// A motion per body.
    pub motions: &'a [Motion],
    /// The pairs, as rows of two bodies.
    pub pairs: &'a [Pair],
    /// The part of the tick to search for each pair, instead of [`Settings::window`]: the first and last
    /// time of contact of its boxes. May be empty.
    pub windows: &'a [[f32; 2]],
}

/// Computes when the two bodies of each pair first touch: `out[i]` is the result of [`toi::one_to_one`]
/// for `pairs[i]`.
///
/// Rows whose motion is invalid are appended to `rejected`, in order. A pair with such a row is
/// [`Advance::Separated`], with no rounds.
///
/// # Errors
///
/// [`PairsError`].
///
/// ```
/// use swath::{Motion, Pair, Pose, Shape, Threads};
/// use swath::convex::toi;
/// use swath::convex::toi::{Meetings, Settings, Toi};
///
/// let shapes = [Shape::sphere(1.0)?, Shape::cuboid([1.0; 3])?, Shape::cone(1.0, 0.5)?];
/// let still = |x| Pose::at([x, 0.0, 0.0]).map(Motion::from);
/// let motions = [Motion::new(Pose::at([-9.0, 0.0, 0.0])?, [8.0, 0.0, 0.0])?, still(0.0)?, still(6.0)?];
/// let pairs = [Pair { a: 0, b: 1 }, Pair { a: 0, b: 2 }];
/// let meetings = Meetings { shapes: &shapes, motions: &motions, pairs: &pairs, windows: &[] };
/// let (mut out, mut rejected) = ([Toi::default(); 2], Vec::new());
/// toi::pairs(&meetings, &Settings::default(), &Threads::current(), &mut rejected, &mut out)?;
/// let t = out[0].impact().expect("it flies into the box");
/// assert!(t <= 0.875 && t > 0.8749);
/// assert_eq!(out[1].impact(), None);
/// assert!(rejected.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pairs(
    meetings: &Meetings<'_, '_>,
    settings: &Settings,
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [Toi],
) -> Result<(), PairsError> {
    let Meetings { shapes, motions, pairs, windows } = *meetings;
    settings.validate()?;
    LengthMismatch::check("the column `motions`", shapes.len(), motions.len())?;
    LengthMismatch::check("the output `out`", pairs.len(), out.len())?;
    check_rows(pairs, shapes.len())?;
    if !windows.is_empty() {
        LengthMismatch::check("the column `windows`", pairs.len(), windows.len())?;
        for &window in windows {
            Settings { window, ..*settings }.validate()?;
        }
    }
    reject(motions.iter().map(Motion::validate), rejected);
    let none = Toi { advance: Advance::Separated, ..Toi::default() };
    answer(pairs, rejected, threads, none, out, |index, [a, b], _| {
        let window = windows.get(index).copied().unwrap_or(settings.window);
        let body = |row: usize| (&shapes[row], &motions[row]);
        toi::of_valid(body(a), body(b), &Settings { window, ..*settings })
    });
    Ok(())
}

/// Computes the distance of the two shapes of each pair: `out[i]` is the result of [`gjk::distance`] for
/// `pairs[i]`.
///
/// The search starts with the value of `out[i].normal`, as with a [`GjkCache`]. Keep `out` from tick to
/// tick for pairs that persist; otherwise fill it with [`Distance::default`]. Rows whose pose is invalid
/// are appended to `rejected`, in order. A pair with such a row is infinitely far apart.
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
pub fn distances(
    shapes: &[Shape<'_>],
    poses: &[Pose],
    pairs: &[Pair],
    threads: &Threads,
    rejected: &mut Vec<Rejected>,
    out: &mut [Distance],
) -> Result<(), PairsError> {
    LengthMismatch::check("the column `poses`", shapes.len(), poses.len())?;
    LengthMismatch::check("the output `out`", pairs.len(), out.len())?;
    check_rows(pairs, shapes.len())?;
    reject(poses.iter().map(Pose::validate), rejected);
    let none = Distance { distance: f32::INFINITY, ..Distance::default() };
    answer(pairs, rejected, threads, none, out, |_, [a, b], last| {
        let mut cache = GjkCache { normal: last.normal };
        gjk::distance_of_valid(&shapes[a], &poses[a], &shapes[b], &poses[b], &mut cache)
    });
    Ok(())
}

/// Lists the invalid rows, in order.
fn reject(checks: impl Iterator<Item = Result<(), Invalid>>, rejected: &mut Vec<Rejected>) {
    rejected.clear();
    for (row, check) in (0..).zip(checks) {
        rejected.extend(check.err().map(|reason| Rejected { row, reason }));
    }
}

/// Replaces each element of `out` by the result of `ask` for its index, the rows of its pair and the old
/// element; by `none` if a row is rejected.
fn answer<T: Copy + Send + Sync>(
    pairs: &[Pair],
    rejected: &[Rejected],
    threads: &Threads,
    none: T,
    out: &mut [T],
    ask: impl Fn(usize, [usize; 2], T) -> T + Send + Sync,
) {
    let invalid = |row: u32| rejected.binary_search_by_key(&row, |rejected| rejected.row).is_ok();
    par::fill_chunks(threads, out, CHUNK, &|start, out| {
        for (index, out) in (start..).zip(out) {
            let Pair { a, b } = pairs[index];
            *out = if !rejected.is_empty() && (invalid(a) || invalid(b)) {
                none
            } else {
                ask(index, [a as usize, b as usize], *out)
            };
        }
    });
}

fn check_rows(pairs: &[Pair], rows: usize) -> Result<(), PairsError> {
    for (index, pair) in pairs.iter().enumerate() {
        for row in [pair.a, pair.b] {
            if row as usize >= rows {
                return Err(PairsError::NoSuchRow { index, row, rows });
            }
        }
    }
    Ok(())
}
