//! Errors of pair finding.

use crate::columns::LengthMismatch;

/// Why no pairs were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// The number of flags or of filters is not the number of boxes.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// There are more boxes than the finder can number.
    #[error("{rows} boxes; at most 2^26 fit")]
    TooManyBoxes {
        /// The number of boxes.
        rows: usize,
    },
    /// More pairs than [`Exec::pairs_max`](crate::Exec::pairs_max) allows. No pair is returned.
    #[error("{found} pairs, and at most {most} are allowed")]
    TooManyPairs {
        /// The exact number of pairs.
        found: usize,
        /// The number of pairs that are allowed.
        most: usize,
    },
}
