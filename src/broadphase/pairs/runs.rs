//! The result of a pair search, and how it is read.

use super::buffer::{Buffer, reserve_for, reserve_total};
use super::timings::Timings;
use crate::broadphase::error::FindError;
use crate::columns::{Rejected, impl_memory};
use crate::geom::{Pair, SweptPair, lengthen_by_default, most_of, saturating_sum_of, sum_of};
use crate::par::{self, Threads};
use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

/// The pairs of a tick, in the memory into which the finder wrote them; reading them copies
/// nothing.
///
/// The order is the same for every level and any number of threads. It depends on the boxes alone, and for stored boxes on the history of changes.
/// [`Pairs::sorted`] orders the pairs by row.
#[derive(Debug)]
pub struct Pairs<'a, P> {
    runs: &'a [PairRun<P>],
    /// Position of the first pair of each run, and the number of all pairs.
    starts: &'a [usize],
    threads: &'a Threads,
    sorted: &'a mut Vec<P>,
    /// The invalid rows of the only or first set, and of the second.
    rejected: (&'a [Rejected], &'a [Rejected]),
    timings: Timings,
}

/// Consecutive strips and the pairs found in them; or the pairs of a block of movers.
#[derive(Debug, Default)]
pub(crate) struct PairRun<P> {
    pub(crate) strips: Range<usize>,
    /// Number of records of the longest of the strips.
    pub(crate) longest: usize,
    pub(crate) pairs: Buffer<P>,
    /// A crowded strip whose pairs are found by all threads, into further runs.
    pub(crate) left: Option<usize>,
    /// Where each partition of the pairs ends. It belongs to the callback that takes the run and may partition the pairs;
    /// a finder only reserves its memory.
    pub(crate) partition_ends: Vec<u32>,
}

impl_memory!([P] PairRun<P> { pairs, partition_ends; without strips, longest, left });

/// Capacity of a list that is kept, as a multiple of the length that the largest of the last ticks needed. A list that grows by pushing to it has at
/// most twice or, if it is short, four times as many as it needs.
const KEPT_MAX: usize = 8;
/// Capacity of a list that is kept in any case, in addition.
const KEPT_LEAST: usize = 4096;

/// Returns the capacity of a list that is kept if the last ticks needed this much.
pub(crate) fn capacity_kept(needed: usize) -> usize {
    needed.saturating_mul(KEPT_MAX).saturating_add(KEPT_LEAST)
}

/// Frees the spare memory of a list, if its capacity is more than `most`.
pub(crate) fn shrink_above<T>(list: &mut Vec<T>, most: usize) {
    if list.capacity() > most {
        list.shrink_to_fit();
    }
}

/// The most that any of the last 16 to 32 ticks needed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RecentMax {
    /// The greatest value of the current 16 ticks, and of the 16 before.
    greatest: [usize; 2],
    ticks: usize,
}

impl RecentMax {
    /// Records what a tick needs. Returns the most that any of the last ticks needed, this one included.
    pub(crate) fn record(&mut self, needed: usize) -> usize {
        let most = self.record_part(needed);
        self.ticks += 1;
        if self.ticks == RECENT_TICKS {
            (self.greatest, self.ticks) = ([0, self.greatest[0]], 0);
        }
        most
    }

    /// Records what a part of a tick needs, after which others follow. Returns what [`RecentMax::record`] does.
    fn record_part(&mut self, needed: usize) -> usize {
        self.greatest[0] = self.greatest[0].max(needed);
        self.most()
    }

    /// Returns whether the last tick began another 16 ticks.
    pub(crate) fn has_begun(&self) -> bool {
        self.ticks == 1
    }

    /// Returns the most that any of the last ticks needed.
    fn most(&self) -> usize {
        self.greatest[0].max(self.greatest[1])
    }
}

/// The pairs of one kind, and the memory for those of the next tick.
#[derive(Debug, Default)]
pub(crate) struct PairRuns<P> {
    /// The first `count` runs belong to this tick; the others are spare.
    all: Vec<PairRun<P>>,
    count: usize,
    /// Index of the first run that was added after the others.
    added: usize,
    /// Position of the first pair of each run, and the number of all pairs.
    starts: Vec<usize>,
    sorted: Vec<P>,
    /// What the ticks needed: the capacity of all runs together, with what is spare, and pairs.
    capacity_needed: RecentMax,
    pairs_needed: RecentMax,
    /// The number of pairs for which memory is reserved.
    reserved: usize,
    /// Whether the pairs are those of a part of a tick, and other parts follow.
    pub(crate) part_of_tick: bool,
}

impl_memory!([P] PairRuns<P> {
    starts, sorted; lists of all;
    without count, added, capacity_needed, pairs_needed, reserved, part_of_tick
});

impl<P: Copy + Default> PairRuns<P> {
    /// Starts `count` empty runs.
    pub(crate) fn start(&mut self, count: usize) -> &mut [PairRun<P>] {
        let needed = self.pairs_needed.most().max(self.reserved);
        let most = needed.saturating_mul(UNUSED_FACTOR).saturating_add(UNUSED_EACH);
        if self.sorted.capacity() > most {
            self.sorted = Vec::new();
        }
        lengthen_by_default(&mut self.all, count);
        self.all.iter_mut().for_each(|run| run.pairs.clear());
        self.keep(count)
    }

    /// Keeps only the first of the runs that were started.
    pub(crate) fn keep(&mut self, count: usize) -> &mut [PairRun<P>] {
        (self.count, self.added) = (count, count);
        &mut self.all[..count]
    }

    /// Adds `count` empty runs to those of this tick.
    pub(crate) fn add(&mut self, count: usize) -> &mut [PairRun<P>] {
        let before = self.count;
        self.count += count;
        // A few more may be needed in the next tick.
        let most = if self.count > self.all.len() { self.count + ADDED_SPARE } else { 0 };
        lengthen_by_default(&mut self.all, most);
        &mut self.all[before..self.count]
    }

    /// Adds empty runs if there are fewer than this in this tick. Returns all.
    pub(crate) fn at_least(&mut self, count: usize) -> &mut [PairRun<P>] {
        if self.count < count {
            self.add(count - self.count);
        }
        &mut self.all[..self.count]
    }

    /// Returns one of the runs of this tick.
    pub(crate) fn run(&self, index: usize) -> &PairRun<P> {
        &self.all[index]
    }

    /// Reserves spare memory for a tick with a few more pairs or more runs: in each run at least as
    /// much as if the pairs were divided evenly among `runs` runs. Frees memory if it is many times what the last ticks
    /// needed: in different scenes the pairs are in different runs, and each would keep the memory of its largest tick.
    pub(crate) fn reserve_spare(&mut self, runs: usize) {
        let pairs = pairs_of(&self.all[..self.count]);
        let parts = most_of(&self.all, |run| run.partition_ends.capacity());
        let least = LeastCapacity::of(self, runs, pairs);
        let mut capacity = 0;
        for index in 0..self.all.len() {
            let least = least.of_run(&self.all, index);
            let run = &mut self.all[index];
            capacity += run.pairs.requested().max(least);
            run.pairs.reserve_spare(least);
            reserve_total(&mut run.partition_ends, parts);
        }
        let is_part = core::mem::take(&mut self.part_of_tick);
        let record = if is_part { RecentMax::record_part } else { RecentMax::record };
        let capacity = record(&mut self.capacity_needed, capacity).max(self.reserved);
        let pairs = record(&mut self.pairs_needed, pairs).max(self.reserved);
        let most = capacity_max(capacity, pairs).saturating_add(UNUSED_EACH * self.all.len());
        if sum_of(&self.all, |run| run.pairs.capacity()) > most {
            for index in 0..self.all.len() {
                let least = least.of_run(&self.all, index);
                self.all[index].pairs.drop_spare(least);
            }
        }
    }

    /// Frees all memory for pairs, which are read no more, if its capacity is more than this, besides some for each run. It is for lists
    /// that no search uses any more.
    pub(crate) fn free_above(&mut self, most: usize) {
        let most = most.saturating_add(UNUSED_EACH * self.all.len());
        if sum_of(&self.all, |run| run.pairs.capacity()) > most {
            self.shrink_to(self.all.len(), self.reserved);
        }
    }

    /// Returns the pairs, or an error if there are more than `most`.
    pub(crate) fn found<'a>(
        &'a mut self,
        most: usize,
        threads: &'a Threads,
        rejected: (&'a [Rejected], &'a [Rejected]),
        timings: Timings,
    ) -> Result<Pairs<'a, P>, FindError> {
        let Self { all, count, starts, sorted, .. } = self;
        let runs = &all[..*count];
        let found = saturating_sum_of(runs, |run| run.pairs.found());
        if found > most {
            return Err(FindError::TooManyPairs { found, most });
        }
        starts.clear();
        starts.reserve_exact(all.len() + 1);
        let mut start = 0;
        for run in runs {
            starts.push(start);
            start += run.pairs.as_slice().len();
        }
        starts.push(start);
        Ok(Pairs { runs, starts, threads, sorted, rejected, timings })
    }

    /// Reserves memory for this many pairs in this many runs.
    pub(crate) fn reserve(&mut self, runs: usize, pairs: usize) {
        lengthen_by_default(&mut self.all, runs);
        let each = pairs.div_ceil(runs.max(1));
        self.all[..runs].iter_mut().for_each(|run| run.pairs.reserve(each));
        reserve_total(&mut self.sorted, pairs);
        // Last, so that a number of pairs for which there is no memory is not kept after a panic.
        self.reserved = self.reserved.max(pairs);
    }

    /// Frees the memory that this many pairs in this many runs do not need, and all other runs.
    pub(crate) fn shrink_to(&mut self, runs: usize, pairs: usize) {
        (self.capacity_needed, self.pairs_needed) = (RecentMax::default(), RecentMax::default());
        self.reserved = pairs;
        // Without pairs not even empty runs are needed.
        self.all.truncate(if pairs == 0 { 0 } else { runs });
        self.all.shrink_to_fit();
        self.keep(0);
        for run in &mut self.all {
            run.pairs.clear();
            run.pairs.shrink_to(pairs.div_ceil(runs.max(1)));
            run.partition_ends = Vec::new();
        }
        self.sorted.clear();
        self.sorted.shrink_to(pairs);
        self.starts = Vec::new();
    }
}

/// Returns the runs of a finder and how many pairs it found; no runs if the finder was not used.
pub(crate) fn runs_of(
    found: Option<Result<Pairs<'_, SweptPair>, FindError>>,
) -> Result<(&[PairRun<SweptPair>], usize), FindError> {
    match found {
        None => Ok((&[], 0)),
        Some(Ok(found)) => {
            let runs = found.runs();
            Ok((runs, saturating_sum_of(runs, |run| run.pairs.found())))
        }
        // The caller reports the total over all finders.
        Some(Err(FindError::TooManyPairs { found, .. })) => Ok((&[], found)),
        Some(Err(error)) => Err(error),
    }
}

/// Returns the capacity above which spare memory is freed, besides some for each run, if ticks need this capacity and this many pairs. Ticks that are
/// alike stay below it: a list grows by half, and then gets a quarter more than it needs.
fn capacity_max(capacity: usize, pairs: usize) -> usize {
    // A caller may reserve any capacity.
    let some = capacity
        .saturating_mul(UNUSED_FACTOR)
        .min(pairs.saturating_mul(2 * UNUSED_FACTOR))
        .min(capacity.saturating_add(UNUSED_MOST));
    let least = capacity.saturating_add(capacity.saturating_mul(5) / 8);
    some.max(least)
}

/// The least capacity of each run for the next tick.
struct LeastCapacity {
    /// If the pairs were divided evenly among `runs` runs.
    mean: usize,
    runs: usize,
    /// Index of the first run that was added, and the index after the last one that may be added in the next tick.
    added: Range<usize>,
    of_added: usize,
}

impl LeastCapacity {
    fn of<P: Copy + Default>(found: &PairRuns<P>, runs: usize, pairs: usize) -> Self {
        let added = &found.all[found.added..found.count];
        let longest = most_of(added, |run| run.pairs.as_slice().len());
        // Which of the added runs is the longest may vary, but if one has most of the pairs, not all of them get its memory.
        let of_added = longest.min(ADDED_FACTOR * pairs_of(added).div_ceil(added.len().max(1)));
        let end = if added.is_empty() { found.added } else { found.count + ADDED_SPARE };
        Self { mean: pairs.div_ceil(runs.max(1)), runs, added: found.added..end, of_added }
    }

    fn of_run<P: Copy + Default>(&self, all: &[PairRun<P>], index: usize) -> usize {
        // A run that was not used may be used the next time.
        let mean = if index <= self.runs { self.mean } else { 0 };
        if self.added.contains(&index) {
            return mean.max(self.of_added);
        }
        // A strip may be in the run before or after this one the next time.
        let near = index.saturating_sub(1)..self.added.start.min(index + 2);
        let near = all.get(near).unwrap_or_default();
        mean.max(most_of(near, |run| run.pairs.requested()))
    }
}

/// Returns the number of stored pairs of all these runs.
fn pairs_of<P: Copy + Default>(runs: &[PairRun<P>]) -> usize {
    sum_of(runs, |run| run.pairs.as_slice().len())
}

/// How many more runs than needed are added.
const ADDED_SPARE: usize = 8;
/// How many times the mean of the added runs is reserved for each of them at most.
const ADDED_FACTOR: usize = 3;
/// Memory of pairs is freed above a limit of the capacity: `UNUSED_FACTOR` times what the last ticks needed, twice as many times their pairs, or
/// `UNUSED_MOST` more, whichever is least, but at least 13/8 of what they needed ([`capacity_max`]); and `UNUSED_EACH` more for each run.
const UNUSED_FACTOR: usize = 4;
const UNUSED_MOST: usize = 1 << 24;
const UNUSED_EACH: usize = 4096;
/// Number of ticks for which a maximum is collected. What a tick needed is forgotten after one to two times this many.
const RECENT_TICKS: usize = 16;
/// Number of pairs below which one thread copies them: waking another costs more.
const COPY_PAIRS_MIN: usize = 16 * 1024;

/// A pair as a finder writes it: [`Pair`] or [`SweptPair`].
///
/// Its hidden functions are not generic, so the library compiles them once.
pub trait FoundPair: Copy + Default + Send + Sync + Into<Pair> {
    /// Sorts by `a`, then `b`, then the time.
    #[doc(hidden)]
    fn sort(pairs: &mut [Self], threads: &Threads);

    /// Replaces the contents of `to` by all pairs.
    #[doc(hidden)]
    fn collect(pairs: &Pairs<'_, Self>, to: &mut Vec<Self>);

    /// Returns the two rows, to be replaced by labels.
    #[doc(hidden)]
    fn rows_mut(&mut self) -> [&mut u32; 2];
}

/// Copies all pairs to `to`, run by run.
#[inline]
fn copy_runs<P: FoundPair>(pairs: &Pairs<'_, P>, to: &mut Vec<P>) {
    let Pairs { runs, starts, threads, .. } = pairs;
    let count = pairs.len();
    if to.len() > count {
        to.truncate(count);
    } else {
        if to.capacity() < count {
            reserve_for(to, count);
        }
        to.resize(count, P::default());
    }
    par::fill_parts(threads.for_items(count, COPY_PAIRS_MIN), starts, to, 1, &|run, part| {
        part.copy_from_slice(runs[run].pairs.as_slice());
    });
}

impl FoundPair for Pair {
    fn sort(pairs: &mut [Self], threads: &Threads) {
        par::sort_parallel::<2>(threads, bytemuck::cast_slice_mut(pairs));
    }

    fn collect(pairs: &Pairs<'_, Self>, to: &mut Vec<Self>) {
        copy_runs(pairs, to);
    }

    fn rows_mut(&mut self) -> [&mut u32; 2] {
        [&mut self.a, &mut self.b]
    }
}

impl FoundPair for SweptPair {
    fn sort(pairs: &mut [Self], threads: &Threads) {
        // Rows may share a label, so the time decides between equal pairs. Times are not negative, so their bits are
        // ordered as they are.
        par::sort_parallel::<3>(threads, bytemuck::cast_slice_mut(pairs));
    }

    fn collect(pairs: &Pairs<'_, Self>, to: &mut Vec<Self>) {
        copy_runs(pairs, to);
    }

    fn rows_mut(&mut self) -> [&mut u32; 2] {
        [&mut self.a, &mut self.b]
    }
}

impl<'a, P: FoundPair> Pairs<'a, P> {
    /// Returns the number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns whether there are no pairs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the pairs as slices, as they are stored. Reading them copies nothing.
    ///
    /// There are a few hundred at most in most scenes, and thousands where boxes are in many dense crowds.
    #[must_use]
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = &'a [P]> + use<'a, P> {
        self.runs.iter().map(|run| run.pairs.as_slice())
    }

    /// Returns the runs, to be divided among threads.
    pub(crate) fn runs(&self) -> &'a [PairRun<P>] {
        self.runs
    }

    /// Returns the number of [`chunks`](Pairs::chunks), which threads may share by index.
    pub(crate) fn chunk_count(&self) -> usize {
        self.runs.len()
    }

    /// Returns the pairs of one of the [`chunks`](Pairs::chunks).
    pub(crate) fn chunk(&self, index: usize) -> &'a [P] {
        self.runs[index].pairs.as_slice()
    }

    /// Iterates over the pairs.
    #[must_use]
    pub fn iter(&self) -> PairsIter<'a, P> {
        PairsIter { runs: self.runs.iter(), pairs: [].iter() }
    }

    /// Replaces the contents of `to` by all pairs, in the order of [`Pairs::iter`].
    ///
    /// The threads of the finder share the work. If `to` has the capacity, nothing is allocated, so keep it from tick
    /// to tick.
    ///
    /// ```
    /// use swath::{Aabb, PairFinder};
    ///
    /// let mut finder = PairFinder::new();
    /// let mut pairs = Vec::new();
    /// finder.union_pairs(&[Aabb::cube([0.0; 3], 1.0)?; 3])?.collect_into(&mut pairs);
    /// assert_eq!(pairs.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collect_into(&self, to: &mut Vec<P>) {
        P::collect(self, to);
    }

    /// Returns all pairs as one slice, ordered by `a`, then `b`.
    ///
    /// They are copied and sorted in memory that the finder keeps for the next call. This consumes the pairs, so read [`Pairs::rejected`] before.
    #[must_use]
    pub fn sorted(self) -> &'a [P] {
        let mut sorted = core::mem::take(self.sorted);
        P::collect(&self, &mut sorted);
        P::sort(&mut sorted, self.threads);
        *self.sorted = sorted;
        self.sorted
    }

    /// Returns how long the steps took.
    #[must_use]
    pub fn timings(&self) -> Timings {
        self.timings
    }

    /// Returns the invalid rows, in order; if there are two sets, those of the first. They have no pairs.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected.0
    }

    /// Returns the invalid rows of the second of two sets.
    #[must_use]
    pub fn rejected_of_second(&self) -> &'a [Rejected] {
        self.rejected.1
    }
}

impl<'a, P: FoundPair> IntoIterator for &Pairs<'a, P> {
    type Item = P;
    type IntoIter = PairsIter<'a, P>;

    fn into_iter(self) -> PairsIter<'a, P> {
        self.iter()
    }
}

/// Iterator returned by [`Pairs::iter`].
#[derive(Clone, Debug)]
pub struct PairsIter<'a, P> {
    runs: slice::Iter<'a, PairRun<P>>,
    /// The rest of the current run.
    pairs: slice::Iter<'a, P>,
}

impl<P: Copy + Default> Iterator for PairsIter<'_, P> {
    type Item = P;

    #[inline]
    fn next(&mut self) -> Option<P> {
        loop {
            if let Some(&pair) = self.pairs.next() {
                return Some(pair);
            }
            self.pairs = self.runs.next()?.pairs.as_slice().iter();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FindError, PairRuns, Threads, Timings, UNUSED_MOST, capacity_max, sum_of};
    use crate::columns::Memory as _;
    use crate::geom::Pair;

    /// Goal: runs that were added for crowds get no part of the memory that is reserved, and are freed with the memory that is not needed.
    /// Method: three runs and a hundred added ones; their capacity.
    #[test]
    fn added_runs_are_freed() {
        let mut runs = PairRuns::<Pair>::default();
        runs.start(3);
        runs.add(100).iter_mut().for_each(|run| run.pairs.append(&[Pair::default(); 1000]));
        let capacity = |runs: &PairRuns<Pair>| sum_of(&runs.all, |run| run.pairs.capacity());
        let added = capacity(&runs);
        runs.reserve(3, 6000);
        assert_eq!(capacity(&runs), added + 6000);
        runs.shrink_to(3, 6000);
        assert_eq!((runs.all.len(), capacity(&runs)), (3, 6000));
        assert_eq!(runs.start(5).len(), 5);
        runs.shrink_to(3, 0);
        assert_eq!(runs.bytes(), 0);
    }

    /// Goal: little unused memory is kept after ticks with very many pairs, and several times the pairs after ticks with few.
    #[test]
    fn unused_capacity_is_limited() {
        let kept = |pairs: usize| capacity_max(pairs, pairs) - pairs;
        assert_eq!(kept(1000), 3000);
        assert_eq!(kept(20_000_000), UNUSED_MOST);
        assert_eq!(kept(80_000_000), 50_000_000);
    }

    /// Goal: more pairs than a `usize` can count are an error, as few more than a limit are. Method: two runs that have discarded
    /// as many together, so that the sum would wrap to 0.
    #[test]
    fn more_pairs_than_can_be_counted_are_an_error() {
        let mut runs = PairRuns::<Pair>::default();
        for run in runs.start(2) {
            run.pairs.discard(usize::MAX / 2 + 1);
        }
        let threads = Threads::one();
        let found = runs.found(1000, &threads, (&[], &[]), Timings::default());
        assert_eq!(found.err(), Some(FindError::TooManyPairs { found: usize::MAX, most: 1000 }));
    }
}
