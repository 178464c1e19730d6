//! Errors of the narrowphase.

use crate::geom::Invalid;

/// Why a shape is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidShape {
    /// A coordinate, radius or length is not finite or exceeds [`COORD_MAX`](crate::COORD_MAX).
    #[error(
        "a number is NaN, infinite or beyond 2^120; it must be finite and at most 2^120 in magnitude"
    )]
    Number,
    /// A coordinate of a point of a hull is not finite or exceeds [`COORD_MAX`](crate::COORD_MAX).
    #[error(
        "a number of point {index} is NaN, infinite or beyond 2^120; it must be finite and at most 2^120 in magnitude"
    )]
    Point {
        /// The position of the point in the list.
        index: usize,
    },
    /// A radius, half extent or half height is negative.
    #[error("a length is negative; radii, half extents and half heights must be 0 or more")]
    Negative,
    /// A hull without points.
    #[error("a hull has no points; it needs at least one")]
    NoPoints,
    /// A rounded shape keeps its form only if it is scaled by the same factor on all axes.
    #[error(
        "a rounded shape is scaled unevenly; use the same factor on all axes, or scale it before rounding"
    )]
    UnevenScale,
}

/// Why a search is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToiError {
    /// The motion of the first body, or of the only one, is invalid.
    #[error("the motion of the first body is invalid: {0}")]
    Motion(#[from] Invalid),
    /// The motion of the second body is invalid.
    #[error("the motion of the second body is invalid: {0}")]
    SecondMotion(Invalid),
    /// The target distance is not in `[0, COORD_MAX]`.
    #[error("the target distance is negative, NaN or beyond 2^120; it must be in [0, 2^120]")]
    Target,
    /// The tolerance is not in `[0, 1]`.
    #[error("the tolerance is not in [0, 1]; it is relative to the size of the smaller shape")]
    Tolerance,
    /// The window is not an interval in `[0, 1]`.
    #[error("a window is not in [0, 1], or ends before it begins; it is an interval of the tick")]
    Window,
    /// The number of rounds is zero.
    #[error("the greatest number of rounds is 0; it must be at least 1")]
    Rounds,
}
