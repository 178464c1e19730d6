//! Batch kernels: one geometric test over many rows of columns.
//!
//! The name of a function states its arity. `one_to_one` takes a single pair of values.
//! `one_to_many` and `many_to_one` test one value against each row. `zip` tests row `i` against row
//! `i`. `pairs` tests the two rows of each pair of an index list. Rows are passed as
//! [`Checked`](crate::batch::Checked) columns. An invalid row gives a miss and does not affect any other
//! row. Results are written to columns of the caller or appended to a list of [`Hits`].
//!
//! Each public function checks lengths and enters the SIMD level once. The arithmetic is written
//! once for all lane widths, and `batch.rs` contains the loop over the rows:
//!
//! ```text
//! public function (sweep/mod.rs, …)   validate the single value, choose the two sides
//! batch.rs                            for each group of lanes:
//!                                         load both sides     One | Each | PairMember
//!                                         answer              Question: arithmetic in simd.rs
//!                                         write               Sink: columns | Hits | Rows | Bits
//! ```

mod batch;
pub(crate) mod bounds;
pub mod cast;
pub(crate) mod containment;
mod hits;
pub mod overlap;
pub mod proximity;
pub mod respond;
pub mod separate;
pub mod sweep;

use crate::columns::LengthMismatch;
use crate::geom::Invalid;
pub use batch::Output;
pub use hits::{Hit, Hits, Rows};

/// Why a batch failed. Except for [`BatchError::TooShort`], no output was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The single value is invalid.
    #[error("the single value is invalid: {0}")]
    Invalid(#[from] Invalid),
    /// The length of a column or an output is not the number of rows.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// A pair refers to a row that does not exist.
    #[error("pair {index} refers to row {row}; rows must be below {rows}")]
    NoSuchRow {
        /// Index of the pair.
        index: usize,
        /// The row it refers to.
        row: u32,
        /// Number of rows.
        rows: usize,
    },
    /// The list of hits is too short. It contains the first hits.
    #[error(
        "{needed} hits were found and the list has a capacity of {capacity}; repeat the call with a longer list"
    )]
    TooShort {
        /// Number of hits found.
        needed: usize,
        /// Capacity of the list.
        capacity: usize,
    },
}
