//! Errors of the narrowphase.

use crate::geom::Invalid;

/// Why a shape is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidShape {
    /// A coordinate, radius or length is not finite or exceeds [`COORD_MAX`](crate::COORD_MAX).
    #[error("a number is not finite or larger than 2^120")]
    Number,
    /// A radius, half extent or half height is negative.
    #[error("a length is negative")]
    Negative,
    /// A hull without points.
    #[error("a hull has no points")]
    NoPoints,
    /// A rounded shape keeps its form only if it is scaled by the same factor on all axes.
    #[error("a rounded shape is scaled unevenly")]
    UnevenScale,
}

/// Why a search is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToiError {
    /// A motion is invalid.
    #[error("a motion is invalid: {0}")]
    Motion(#[from] Invalid),
    /// The target distance is not in `[0, COORD_MAX]`.
    #[error("a target distance is negative, not a number or larger than 2^120")]
    Target,
    /// The tolerance is not in `[0, 1]`.
    #[error("a tolerance is not in [0, 1]")]
    Tolerance,
    /// The window is not an interval in `[0, 1]`.
    #[error("a window is not in [0, 1], or ends before it begins")]
    Window,
    /// The number of rounds is zero.
    #[error("the greatest number of rounds is zero")]
    Rounds,
}
