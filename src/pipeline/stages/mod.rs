//! The stages of a tick, in the order in which they run.
//!
//! ```text
//! bounds       a moving box that contains each body
//! candidates   the pairs of these boxes that touch
//! windows      drops slow pairs; first and last time of contact of the boxes; the result for plain boxes (row_cache: their rows)
//! convex       first time of contact of convex shapes within these times
//! sort         impacts by time, then by pair
//! unused       frees memory that the last ticks did not need
//! ```

pub(crate) mod bounds;
pub(crate) mod candidates;
pub(crate) mod context;
pub(crate) mod convex;
pub(crate) mod row_cache;
pub(crate) mod sort;
pub(crate) mod unused;
pub(crate) mod windows;
