//! Settings of a search for the first contact of two elements of a mesh, and errors of a call.

use crate::columns::LengthMismatch;
use crate::geom::{COORD_MAX, Invalid};

/// What counts as a contact of two elements, and how exactly the time is computed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ElementSettings {
    /// Distance at which two elements count as touching. It is not negative, and 0 by default. A broadphase finds the pairs within this
    /// distance if the box of each element is enlarged by half of it. A pair that is within it at the start is a hit at 0, also if it
    /// separates; to let such a pair separate, search it with less than its distance at the start.
    pub minimum_separation: f64,
    /// How much greater than the minimum separation the distance at a hit may be: a length in units of the coordinates,
    /// as in Tight-Inclusion. The tolerance may be 0, because a hit may always be early by the rounding errors.
    pub tolerance: f64,
    /// Greatest number of rounds of a search, at least 1. A search that needs more ends as
    /// [`ElementToi::Unresolved`](super::ElementToi::Unresolved), which contains the time that is proved to be free.
    pub rounds_max: u32,
}

impl ElementSettings {
    /// The default [`ElementSettings::tolerance`]. Tight-Inclusion has 1e-6; the search here converges so fast that 1e-9
    /// takes a fifth more time.
    pub const TOLERANCE: f64 = 1e-9;
    /// The default [`ElementSettings::rounds_max`].
    pub const ROUNDS_MAX: u32 = 4096;

    /// Checks that the settings are valid.
    ///
    /// # Errors
    ///
    /// [`ElementError::Separation`], [`ElementError::Tolerance`] or [`ElementError::Rounds`].
    pub fn validate(&self) -> Result<(), ElementError> {
        // NaN is outside of every range.
        let lengths = 0.0..=f64::from(COORD_MAX);
        if !lengths.contains(&self.minimum_separation) {
            return Err(ElementError::Separation);
        }
        if !lengths.contains(&self.tolerance) {
            return Err(ElementError::Tolerance);
        }
        if self.rounds_max > 0 { Ok(()) } else { Err(ElementError::Rounds) }
    }
}

impl Default for ElementSettings {
    fn default() -> Self {
        Self { minimum_separation: 0.0, tolerance: Self::TOLERANCE, rounds_max: Self::ROUNDS_MAX }
    }
}

/// Why the first contacts of elements could not be computed. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// A position of a single pair is invalid.
    #[error("vertex {vertex} of the pair is invalid: {reason}")]
    Vertex {
        /// The vertex: 0 to 3, in the order of the arguments.
        vertex: u8,
        /// Why it is invalid.
        reason: Invalid,
    },
    /// The minimum separation is not in `[0, COORD_MAX]`.
    #[error("the minimum separation is negative, NaN or beyond 2^120; it must be in [0, 2^120]")]
    Separation,
    /// The tolerance is not in `[0, COORD_MAX]`.
    #[error("the tolerance is negative, NaN or beyond 2^120; it is a length in [0, 2^120]")]
    Tolerance,
    /// The greatest number of rounds is zero.
    #[error("the greatest number of rounds is 0; it must be at least 1")]
    Rounds,
    /// The length of the output differs from the number of pairs.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// A pair refers to an edge or face that does not exist.
    #[error("pair {index} refers to row {row}; rows must be below {rows}")]
    NoSuchRow {
        /// Index of the pair.
        index: usize,
        /// The row that it refers to.
        row: u32,
        /// The number of rows.
        rows: usize,
    },
    /// A pair, or an edge or face of a pair, refers to a vertex that does not exist.
    #[error(
        "pair {index} or one of its elements refers to vertex {vertex}; there are {vertices} vertices"
    )]
    NoSuchVertex {
        /// Index of the pair.
        index: usize,
        /// The vertex that it or its element refers to.
        vertex: u32,
        /// The number of vertices.
        vertices: usize,
    },
}
