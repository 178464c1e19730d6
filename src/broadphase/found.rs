//! How are the pairs read?

use super::buffer::{Buffer, make_room};
use super::finder::FindError;
use super::stage::Timings;
use crate::geom::{Pair, SweptPair};
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
    runs: &'a [Run<P>],
    threads: &'a Threads,
    sorted: &'a mut Vec<P>,
    /// Of the only or first set, and of the second.
    rejected: (&'a [Rejected], &'a [Rejected]),
    timings: Timings,
}

/// Neighbouring strips, and the pairs found in them; or the pairs of some movers.
#[derive(Debug)]
pub(super) struct Run<P> {
    pub(super) strips: Range<usize>,
    pub(super) pairs: Buffer<P>,
    /// Where each part of the pairs ends, if somebody cut them.
    pub(super) ends: Vec<u32>,
}

impl<P> Default for Run<P> {
    fn default() -> Self {
        Self { strips: 0..0, pairs: Buffer::default(), ends: Vec::new() }
    }
}

impl<P> Run<P> {
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.pairs.bytes() + self.ends.capacity() * size_of::<u32>()
    }
}

/// The pairs of one kind, and the memory for those of the next tick.
#[derive(Debug)]
pub(super) struct Runs<P> {
    /// The first `count` are of this tick; the rest is kept for a tick that needs more.
    all: Vec<Run<P>>,
    count: usize,
    sorted: Vec<P>,
}

impl<P> Default for Runs<P> {
    fn default() -> Self {
        Self { all: Vec::new(), count: 0, sorted: Vec::new() }
    }
}

impl<P: Copy + Default> Runs<P> {
    /// So many empty runs.
    pub(super) fn start(&mut self, count: usize) -> &mut [Run<P>] {
        self.all.resize_with(count.max(self.all.len()), Run::default);
        self.all.iter_mut().for_each(|run| run.pairs.clear());
        self.keep(count)
    }

    /// Only the first of the runs that were started.
    pub(super) fn keep(&mut self, count: usize) -> &mut [Run<P>] {
        self.count = count;
        &mut self.all[..count]
    }

    /// Leaves room to spare for a tick with a few more pairs or one with more runs: in each as much
    /// as if the pairs were in so many.
    pub(super) fn settle(&mut self, runs: usize) {
        let kept: usize = self.all[..self.count].iter().map(|run| run.pairs.as_slice().len()).sum();
        let mean = kept.div_ceil(runs.max(1));
        let parts = self.all.iter().map(|run| run.ends.capacity()).max().unwrap_or(0);
        // A run that was not needed may be the next time.
        for run in &mut self.all {
            run.pairs.settle(mean);
            run.ends.reserve_exact(parts.saturating_sub(run.ends.len()));
        }
    }

    /// The pairs, unless they are more than `most`.
    pub(super) fn found<'a>(
        &'a mut self,
        most: usize,
        threads: &'a Threads,
        rejected: (&'a [Rejected], &'a [Rejected]),
        timings: Timings,
    ) -> Result<Found<'a, P>, FindError> {
        let runs = &self.all[..self.count];
        let found = runs.iter().map(|run| run.pairs.found()).sum();
        if found > most {
            return Err(FindError::TooManyPairs { found, most });
        }
        Ok(Found { runs, threads, sorted: &mut self.sorted, rejected, timings })
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        let runs: usize = self.all.iter().map(Run::bytes).sum();
        runs + self.sorted.capacity() * size_of::<P>()
    }

    /// Makes room for so many pairs in so many runs.
    pub(super) fn reserve(&mut self, runs: usize, pairs: usize) {
        self.all.resize_with(runs.max(self.all.len()), Run::default);
        self.all.iter_mut().for_each(|run| run.pairs.reserve(pairs.div_ceil(runs.max(1))));
        self.sorted.reserve(pairs.saturating_sub(self.sorted.len()));
    }

    /// Gives back the memory that so many pairs in so many runs do not need.
    pub(super) fn shrink_to(&mut self, runs: usize, pairs: usize) {
        for run in &mut self.all {
            run.pairs.clear();
            run.pairs.shrink_to(pairs.div_ceil(runs.max(1)));
            run.ends = Vec::new();
        }
        self.sorted.clear();
        self.sorted.shrink_to(pairs);
    }
}

/// What is found: [`Pair`] or [`SweptPair`].
pub trait FoundPair: Copy + Default + Send {
    /// Sorts by row `a`, then `b`. Not generic, so that it is compiled once, with the library.
    #[doc(hidden)]
    fn sort(pairs: &mut [Self], threads: &Threads);
}

impl FoundPair for Pair {
    fn sort(pairs: &mut [Self], threads: &Threads) {
        threads.sort_by_key(pairs, |pair| u64::from(pair.a) << 32 | u64::from(pair.b));
    }
}

impl FoundPair for SweptPair {
    fn sort(pairs: &mut [Self], threads: &Threads) {
        threads.sort_by_key(pairs, |pair| u64::from(pair.a) << 32 | u64::from(pair.b));
    }
}

impl<'a, P: FoundPair> Found<'a, P> {
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

    /// The pairs as they lie in memory, to be shared among threads.
    pub(super) fn runs(&self) -> &'a [Run<P>] {
        self.runs
    }

    /// How many [`chunks`](Found::chunks), and chunk `index`, to be shared among threads.
    pub(crate) fn chunk_count(&self) -> usize {
        self.runs.len()
    }

    pub(crate) fn chunk(&self, index: usize) -> &'a [P] {
        self.runs[index].pairs.as_slice()
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
        P::sort(self.sorted, self.threads);
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
