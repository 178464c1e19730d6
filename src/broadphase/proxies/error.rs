//! The errors of the calls that change a [`Broadphase`](super::Broadphase).

use super::id::ProxyId;
use crate::columns::LengthMismatch;
use crate::geom::Invalid;
use core::fmt;

/// The message for an id of which there is no proxy.
struct StaleId(ProxyId);

impl fmt::Display for StaleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == ProxyId::NONE {
            return f.write_str("the id is `ProxyId::NONE`, which stands for no proxy; a box that was rejected has it");
        }
        let [index, generation] = [self.0.index(), self.0.generation()];
        write!(
            f,
            "there is no proxy {index} of generation {generation}; it was removed, or is of another broadphase"
        )
    }
}

/// Why a change was rejected. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadphaseError {
    /// The proxy does not exist, or was removed.
    #[error("{}", StaleId(*id))]
    Stale {
        /// The id that was given.
        id: ProxyId,
    },
    /// A proxy of a list does not exist, or was removed.
    #[error("row {row}: {}", StaleId(*id))]
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
    /// There would be more proxies than there are ids.
    #[error("there would be more than 2^26 proxies; remove some first")]
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
