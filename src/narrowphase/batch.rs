//! How far apart are many pairs of shapes, and when do they first touch?
//!
//! Rows are bodies: a shape and a motion or a pose each. An answer stands where its pair stands.
//! The list of pairs is cut into chunks by its length alone, and each answer has one writer, so the
//! answers are the same for any number of threads. Nothing is allocated, but by the pool.

use super::gjk::{Distance, GjkCache};
use super::shape::Shape;
use super::toi::{Advance, AdvanceError, Settings, Toi};
use super::{gjk, toi};
use crate::columns::{LengthMismatch, Rejected};
use crate::geom::{Invalid, Motion, Pair, Pose};
use crate::par;
use crate::par::Threads;
use alloc::vec::Vec;

/// How many pairs are one piece of work.
const CHUNK: usize = 256;

/// Why a batch of pairs could not be answered. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// The settings are invalid, or a window is: then of the first such pair.
    #[error("{0}")]
    Advance(#[from] AdvanceError),
    /// A column has not one row for each body or pair.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// A pair names a row that is not there.
    #[error("pair {index} names row {row} of {rows}")]
    NoSuchRow {
        /// Which pair.
        index: usize,
        /// The row it names.
        row: u32,
        /// How many rows there are.
        rows: usize,
    },
}

/// Bodies and which pairs of them are asked about.
#[derive(Clone, Copy, Debug)]
pub struct Meetings<'a, 's> {
    /// A shape for each body.
    pub shapes: &'a [Shape<'s>],
    /// A motion for each body.
    pub motions: &'a [Motion],
    /// Two bodies each.
    pub pairs: &'a [Pair],
    /// The part of the tick to look at for each pair, instead of [`Settings::window`]: the first
    /// and the last time of its boxes. Empty for none.
    pub windows: &'a [[f32; 2]],
}

/// When the two bodies of each pair first touch: `out[i]` is what
/// [`toi::one_to_one`] says of `pairs[i]`.
///
/// Rows whose motion is invalid go to `rejected`, in order; a pair with one is
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

/// How far apart the two shapes of each pair are: `out[i]` is what [`gjk::distance`] says of
/// `pairs[i]`.
///
/// What stands in `out[i].normal` is where the search begins, as with a [`GjkCache`]: keep `out`
/// from tick to tick for pairs that stay, else fill it with [`Distance::default`]. Rows whose pose
/// is invalid go to `rejected`, in order; a pair with one is infinitely far apart.
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

/// Lists the rows that are invalid, in order.
fn reject(checks: impl Iterator<Item = Result<(), Invalid>>, rejected: &mut Vec<Rejected>) {
    rejected.clear();
    for (row, check) in (0..).zip(checks) {
        rejected.extend(check.err().map(|reason| Rejected { row, reason }));
    }
}

/// Replaces each element of `out` by what `ask` says of its index, the rows of its pair and what
/// stood there; by `none` where a row is rejected.
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
