//! Parallel loops over a fixed decomposition.
//!
//! The caller cuts the work into items, and the cut does not depend on the number of threads. Each
//! item has one writer. A worker that finishes an item takes the next one. Therefore the results
//! are the same for any number of threads and any timing.

mod clock;
#[cfg(feature = "std")]
mod executor;
mod loops;
#[cfg(feature = "std")]
mod shares;
mod sort;
#[cfg(all(test, feature = "std"))]
mod tests;
mod threads;

pub(crate) use clock::Clock;
#[cfg(feature = "std")]
pub use executor::Executor;
pub(crate) use loops::{fill_chunks, fill_parts, for_each, for_each_by_length, for_each_in_chunks};
pub(crate) use sort::{
    middle_float, ordered_bits, select_float, sort, sort_floats, sort_parallel, sort_points,
    sort_rare, sort_rows,
};
pub use threads::Threads;

/// The reference-counted pointer. It starts no thread; it is exported here because only `par` uses atomics.
pub(crate) use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A limit of the number of items that all workers together may store.
#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) most: usize,
    kept: AtomicUsize,
}

impl Budget {
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, kept: AtomicUsize::new(0) }
    }

    /// Adds `more` to the number of stored items and returns whether the total is within the limit.
    pub(crate) fn spend(&self, more: usize) -> bool {
        // Relaxed ordering is enough: the result only stops allocations early. Whether the limit
        // was exceeded is decided by the total at the end.
        // A sum that wrapped would allow memory again.
        let add = |kept: usize| Some(kept.saturating_add(more));
        let kept = self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        kept.unwrap_or_else(|kept| kept).saturating_add(more) <= self.most
    }
}
