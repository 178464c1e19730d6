//! How are the pairs read?

use super::buffer::{Buffer, make_room};
use super::stage::Timings;
use crate::geom::Pair;
use crate::par::Threads;
use crate::store::Rejected;
use alloc::vec::Vec;
use core::ops::Range;

/// The pairs of a tick, where the finder wrote them: nothing is copied to read them.
///
/// The order is the same for any level, any number of threads and any pool; it depends on the
/// boxes alone, and on the changes where boxes are kept. [`Found::sorted`] gives them by rows.
#[derive(Debug)]
pub struct Found<'a, P> {
    pub(super) runs: &'a [Run<P>],
    pub(super) threads: &'a Threads,
    pub(super) sorted: &'a mut Vec<P>,
    /// Of the only or first set, and of the second.
    pub(super) rejected: (&'a [Rejected], &'a [Rejected]),
    pub(super) timings: Timings,
}

/// Neighbouring strips, and the pairs found in them; or the pairs of some movers.
#[derive(Debug)]
pub(super) struct Run<P> {
    pub(super) strips: Range<usize>,
    pub(super) pairs: Buffer<P>,
}

impl<P> Default for Run<P> {
    fn default() -> Self {
        Self { strips: 0..0, pairs: Buffer::default() }
    }
}

impl<'a, P: Copy + Default + Send + Into<Pair>> Found<'a, P> {
    /// How many pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks().map(<[P]>::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pairs as they lie in memory, in a few hundred runs at most.
    pub fn chunks(&self) -> impl Iterator<Item = &'a [P]> + use<'a, P> {
        self.runs.iter().map(|run| run.pairs.as_slice())
    }

    /// The pairs one by one.
    pub fn iter(&self) -> impl Iterator<Item = P> + use<'a, P> {
        self.chunks().flatten().copied()
    }

    /// All pairs as one slice, by row `a`, then `b`.
    ///
    /// Copies and sorts them, in memory that the finder keeps for the next time.
    #[must_use]
    pub fn sorted(self) -> &'a [P] {
        self.sorted.clear();
        make_room(self.sorted, self.len());
        for run in self.runs {
            self.sorted.extend_from_slice(run.pairs.as_slice());
        }
        self.threads.sort_by_key(self.sorted, |&pair| {
            let Pair { a, b } = pair.into();
            u64::from(a) << 32 | u64::from(b)
        });
        self.sorted
    }

    /// How long the stages took.
    #[must_use]
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// The rows that are no boxes, in order. They make no pair. Of two sets, those of the first.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected.0
    }

    /// As [`Found::rejected`], of the second of two sets.
    #[must_use]
    pub fn rejected_of_second(&self) -> &'a [Rejected] {
        self.rejected.1
    }
}
