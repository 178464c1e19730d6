//! Distances and first times of contact for many pairs of shapes.
//!
//! Rows are bodies: a shape, and a motion or a pose. The result of a pair has the index of the pair. The
//! list of pairs is split into chunks by its length alone, and each result has one writer, so the
//! results are the same for any number of threads. Pairs of convex shapes allocate no memory here.

use super::error::ToiError;
use crate::columns::{LengthMismatch, Rejected};
use crate::geom::{Invalid, Pair, Pose};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Number of pairs in a chunk.
const CHUNK: usize = 256;

/// Why a batch of pairs could not be computed. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairsError {
    /// The settings are invalid, or the window of a pair is; of several such pairs, the error of the
    /// first.
    #[error("{0}")]
    Toi(#[from] ToiError),
    /// The length of a column differs from the number of bodies or pairs.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// The greatest distance is invalid.
    #[error("{0}")]
    MaxDistance(Invalid),
    /// A pair refers to a row that does not exist.
    #[error("pair {index} refers to row {row}; rows must be below {rows}")]
    NoSuchRow {
        /// Index of the pair.
        index: usize,
        /// The row that it refers to.
        row: u32,
        /// The number of rows.
        rows: usize,
    },
}

/// Lists the invalid rows, in order.
pub(crate) fn reject(
    checks: impl Iterator<Item = Result<(), Invalid>>,
    rejected: &mut Vec<Rejected>,
) {
    rejected.clear();
    for (row, check) in (0..).zip(checks) {
        if let Err(reason) = check {
            rejected.push(Rejected { row, reason });
        }
    }
}

/// Replaces each element of `out` by the result of `compute` for its index, the rows of its pair and the old
/// element; by `none` if a row is rejected.
pub(crate) fn answer<T: Copy + Send + Sync>(
    pairs: &[Pair],
    rejected: &[Rejected],
    threads: &Threads,
    none: T,
    out: &mut [T],
    compute: impl Fn(usize, [usize; 2], T) -> T + Send + Sync,
) {
    let invalid = |row: u32| rejected.binary_search_by_key(&row, |rejected| rejected.row).is_ok();
    par::fill_chunks(threads, out, CHUNK, &|start, out| {
        for (index, out) in (start..).zip(out) {
            let Pair { a, b } = pairs[index];
            *out = if !rejected.is_empty() && (invalid(a) || invalid(b)) {
                none
            } else {
                compute(index, [a as usize, b as usize], *out)
            };
        }
    });
}

/// Checks the lengths and the rows of pairs of bodies at rest, of which there are `bodies`, and lists those whose pose is invalid.
pub(crate) fn check_at_rest(
    bodies: usize,
    poses: &[Pose],
    pairs: &[Pair],
    rejected: &mut Vec<Rejected>,
    outputs: usize,
) -> Result<(), PairsError> {
    LengthMismatch::check("the column `poses`", bodies, poses.len())?;
    LengthMismatch::check("the output `out`", pairs.len(), outputs)?;
    check_rows(pairs, bodies)?;
    reject(poses.iter().map(Pose::validate), rejected);
    Ok(())
}

pub(crate) fn check_rows(pairs: &[Pair], rows: usize) -> Result<(), PairsError> {
    for (index, pair) in pairs.iter().enumerate() {
        for &row in &[pair.a, pair.b] {
            if row as usize >= rows {
                return Err(PairsError::NoSuchRow { index, row, rows });
            }
        }
    }
    Ok(())
}
