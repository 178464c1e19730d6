//! One question asked of many boxes.
//!
//! A name tells the arity: `one_to_one` is the everyday form for a single pair; `one_to_many` and
//! `many_to_one` ask one value against each row, `zip` row `i` against row `i`, `pairs` the two rows
//! of each pair of an index list. Rows come from [`Checked`](crate::Checked) columns; a row that
//! is invalid is answered as if it were hit by nothing, and disturbs no other. Answers go to
//! columns of the caller or to a list of [`Hits`].
//!
//! A door checks lengths and enters the level once; the arithmetic behind it is one text for every
//! lane width, and `ask.rs` holds the loop.

mod ask;
pub(crate) mod bounds;
pub mod cast;
pub(crate) mod chord;
mod contacts;
mod hits;
pub mod overlap;
pub mod proximity;
pub mod respond;
pub mod separate;
pub mod sweep;

use crate::geom::Invalid;
use crate::store::LengthMismatch;
pub use hits::{Hit, Hits, Rows};

/// Why a batch could not be answered. But for [`BatchError::TooShort`] nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The one value is invalid.
    #[error("the one value is invalid: {0}")]
    Invalid(#[from] Invalid),
    /// A column or an output has not one row for each question.
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
    /// A list of hits is too short. It holds the first ones.
    #[error("{needed} hits were found and there is room for {room}")]
    TooShort {
        /// How many rows the list needs.
        needed: usize,
        /// How many it has.
        room: usize,
    },
}
