//! Errors of pair finding.

use crate::columns::LengthMismatch;

/// Why no pairs were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// The number of flags, filters or labels is not the number of boxes.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// There are more boxes than the finder can number.
    #[error(
        "the number of boxes is {rows}, and at most 2^26 - 1 can be numbered; divide them into several searches"
    )]
    TooManyBoxes {
        /// The number of boxes.
        rows: usize,
    },
    /// More pairs than [`Exec::pairs_max`](crate::Exec::pairs_max) allows. No pair is returned.
    #[error(
        "the number of pairs is {found}, and at most {most} are allowed; raise the limit `pairs_max`, or look for boxes that are all in one place"
    )]
    TooManyPairs {
        /// The exact number of pairs, or the greatest `usize` if there are more, as on 32-bit processors.
        found: usize,
        /// The number of pairs that are allowed.
        most: usize,
    },
}
