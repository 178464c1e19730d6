//! Why was a change of the world refused?

use super::id::ProxyId;
use crate::geom::Invalid;
use crate::store::LengthMismatch;

/// Why a change was refused. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// There is no such proxy, or no longer.
    #[error("no proxy, or no longer one, is called {} of generation {}", id.index(), id.generation())]
    Stale {
        /// The name.
        id: ProxyId,
    },
    /// The box or displacement is none; or, where there is a margin, the box that would be held is
    /// none, as it would reach past [`COORD_MAX`](crate::COORD_MAX).
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A margin is not in `[0, COORD_MAX]`.
    #[error("a margin is negative, not a number or larger than 2^120")]
    Margin,
    /// There would be more proxies than can be named.
    #[error("at most 2^26 proxies fit")]
    TooManyProxies,
    /// There is not one id or description for each box.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// The origin cannot be shifted so far: the box of this proxy would be none.
    #[error("after the shift proxy {} would have no box: {reason}", id.index())]
    ShiftTooFar {
        /// Whose box.
        id: ProxyId,
        /// What would be wrong with it.
        reason: Invalid,
    },
}
