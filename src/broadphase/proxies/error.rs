//! The errors of the calls that change a [`Broadphase`](super::Broadphase).

use super::id::ProxyId;
use crate::columns::LengthMismatch;
use crate::geom::Invalid;
use core::fmt;

/// What is wrong with an id of which there is no proxy.
struct StaleId(ProxyId);

impl fmt::Display for StaleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == ProxyId::NONE {
            return f.write_str("the id stands for no proxy");
        }
        write!(f, "there is no proxy {} of generation {}", self.0.index(), self.0.generation())
    }
}

/// Why a change was rejected. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadphaseError {
    /// The proxy does not exist, or was removed.
    #[error("{}; it was removed, its box was rejected, or it is of another broadphase", StaleId(*id))]
    Stale {
        /// The id that was given.
        id: ProxyId,
    },
    /// A proxy of a list does not exist, or was removed.
    #[error("row {row}: {}; it was removed, its box was rejected, or it is of another broadphase", StaleId(*id))]
    StaleOfRow {
        /// The position in the list.
        row: usize,
        /// The id that was given.
        id: ProxyId,
    },
    /// The box or the displacement is invalid; or the proxy has a margin and its fat AABB would
    /// reach past [`COORD_MAX`](crate::COORD_MAX).
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A margin is not in `[0, COORD_MAX]`.
    #[error("a margin is negative, NaN or beyond 2^120; it must be in [0, 2^120]")]
    Margin,
    /// The margin of a description in a list is not in `[0, COORD_MAX]`.
    #[error("row {row}: a margin is negative, NaN or beyond 2^120; it must be in [0, 2^120]")]
    MarginOfRow {
        /// The position of the description.
        row: usize,
    },
    /// There would be more proxies than an update can search: at most 2²⁶ − 1, including those whose slot is never used again.
    #[error("there would be more than 2^26 - 1 proxies; remove some first")]
    TooManyProxies,
    /// A list does not have one id or one description for each box.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// The origin cannot be shifted this far: the box of this proxy would become invalid.
    #[error("the shift makes the box of proxy {} invalid: {reason}; remove the proxy, or shift by less", id.index())]
    ShiftTooFar {
        /// The proxy whose box would become invalid.
        id: ProxyId,
        /// What would be wrong with the box.
        reason: Invalid,
    },
}
