//! Filters the found pairs and partitions them by ranges of the lower slot.
//!
//! The order of the found pairs is that of the finders, and pairs of a mover and a tree contain a
//! mover row. This step replaces rows by slots, drops the pairs that the caller's
//! function rejects, and partitions the rest by a counting sort: a partition has the pairs whose
//! lower slot is in its range. Partitions are then processed one by one (`events.rs`). Threads share
//! both steps: here they share the runs of the finders, there the partitions. A run of pairs of
//! movers is partitioned by the thread that found it, while the run is still in its cache.

use crate::broadphase::pairs::buffer::{lengthen, reserve_for};
use crate::broadphase::pairs::runs::PairRun;
use crate::broadphase::proxies::id::{ProxyId, ProxyPair};
use crate::broadphase::proxies::slots::Slots;
use crate::geom::SweptPair;
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

/// Largest number of partitions.
pub(crate) const PARTITIONS_MAX: usize = 256;
/// Average number of pairs in a partition, while there are fewer than [`PARTITIONS_MAX`].
const PARTITION_PAIRS: usize = 4096;
/// If one partition is not enough for the pairs, there are at least this many: threads share partitions, and pairs that
/// follow each other wait for the counter of their partition if it is the same.
const PARTITIONS_MIN: usize = 16;

/// Each thread may have scratch memory for [`SCRATCH_MIN`] pairs, or for [`SCRATCH_FACTOR`] times all pairs divided by the number of threads,
/// whichever is more. A longer run is permuted in place, which takes up to 5 ns more for each pair.
const SCRATCH_MIN: usize = 1 << 16;
const SCRATCH_FACTOR: usize = 4;

/// Longest run that is partitioned with scratch memory, if this many workers have this many pairs.
pub(crate) fn scratch_max(pairs: usize, workers: usize) -> usize {
    Ord::max(SCRATCH_MIN, pairs.saturating_mul(SCRATCH_FACTOR) / workers.max(1))
}

/// How slots are divided into partitions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partitions {
    /// A partition has `1 << shift` slots.
    shift: u32,
    pub(crate) count: usize,
}

impl Partitions {
    /// Chooses the partitions for this many slots and pairs. The result of an update does not depend on the partitions.
    pub(crate) fn new(slots: usize, pairs: usize) -> Self {
        let parts = match pairs / PARTITION_PAIRS {
            0 | 1 => 1,
            parts => parts.clamp(PARTITIONS_MIN, PARTITIONS_MAX),
        };
        let shift = slots.max(1).div_ceil(parts).next_power_of_two().trailing_zeros();
        Self { shift, count: slots.max(1).div_ceil(1 << shift) }
    }

    fn part(self, index: u32) -> usize {
        (index >> self.shift) as usize
    }

    /// How many slots a partition has.
    pub(crate) fn width(self) -> usize {
        1 << self.shift
    }

    /// The slots of a partition. The last range may extend past the last slot.
    pub(crate) fn slots(self, part: usize) -> Range<u64> {
        (part as u64) << self.shift..(part as u64 + 1) << self.shift
    }

    /// Where each partition ends in a sorted list of lower slots.
    pub(crate) fn ends_in(self, lower: &[u32]) -> [usize; PARTITIONS_MAX] {
        let mut ends = [0; PARTITIONS_MAX];
        // Binary searches that make each step together: the CPU waits for the memory of all of them at once.
        let mut step = lower.len().next_power_of_two();
        while step > 0 {
            for (part, end) in ends[..self.count].iter_mut().enumerate() {
                let next = *end + step;
                let slot = lower.get(next - 1).map_or(u64::MAX, |&slot| slot.into());
                *end = select_unpredictable(slot < self.slots(part).end, next, *end);
            }
            step /= 2;
        }
        ends
    }
}

/// What the two numbers of a found pair are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairSource {
    /// Two slots, the lower first: a pair of movers.
    Slots,
    /// A mover row and a slot: a pair of a mover and a box of a tree.
    RowAndSlot,
}

/// The caller's filter function. It is called through a pointer, so that the code is compiled once.
pub(crate) type AcceptPair<'a> = &'a (dyn Fn(ProxyPair) -> bool + Sync);

/// The caller's function, and when it is called.
#[derive(Clone, Copy)]
pub(crate) enum Accepting<'a> {
    /// It is called for each pair that meets, in each update.
    Each(AcceptPair<'a>),
    /// It is called for pairs that are not cached and of which a proxy has changed.
    New(AcceptPair<'a>),
}

impl<'a> Accepting<'a> {
    /// The function.
    pub(crate) fn function(self) -> AcceptPair<'a> {
        match self {
            Self::Each(accept) | Self::New(accept) => accept,
        }
    }

    /// The function, if it is called for each pair.
    pub(crate) fn of_each(self) -> Option<AcceptPair<'a>> {
        match self {
            Self::Each(accept) => Some(accept),
            Self::New(_) => None,
        }
    }

    /// The function, if it is called for new pairs.
    pub(crate) fn of_new(self) -> Option<AcceptPair<'a>> {
        match self {
            Self::Each(_) => None,
            Self::New(accept) => Some(accept),
        }
    }
}

/// Decides which of the found pairs are kept.
pub(crate) struct PairFilter<'a> {
    pub(crate) slots: &'a Slots,
    /// The id of each mover row.
    pub(crate) movers: &'a [ProxyId],
    /// The caller's function; `None` accepts all pairs.
    pub(crate) accept: Option<AcceptPair<'a>>,
    /// Longest run that is partitioned with scratch memory ([`scratch_max`]).
    pub(crate) scratch_max: usize,
}

/// The partitioned runs, with pairs of slots, the lower first: first the runs of pairs of movers,
/// then copies of the runs of pairs with the forests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartitionedRuns<'a>(pub(crate) [&'a [PairRun<SweptPair>]; 2]);

impl<'a> PartitionedRuns<'a> {
    /// The pairs of a partition, one slice for each run.
    pub(crate) fn part(self, part: usize) -> impl Iterator<Item = &'a [SweptPair]> + Clone {
        let [some, others] = self.0;
        some.iter().chain(others).map(move |run| {
            let start = if part > 0 { run.partition_ends[part - 1] as usize } else { 0 };
            &run.pairs.as_slice()[start..run.partition_ends[part] as usize]
        })
    }

    /// How many pairs each partition has.
    pub(crate) fn lengths(self) -> [usize; PARTITIONS_MAX] {
        let mut lengths = [0; PARTITIONS_MAX];
        for run in self.0.into_iter().flatten() {
            let mut start = 0;
            for (length, &end) in lengths.iter_mut().zip(&run.partition_ends) {
                *length += (end - start) as usize;
                start = end;
            }
        }
        lengths
    }
}

impl PairFilter<'_> {
    /// Filters and partitions the pairs of `run` in place. `memory` is scratch memory.
    pub(crate) fn filter_and_partition(
        &self,
        source: PairSource,
        partitions: Partitions,
        run: &mut PairRun<SweptPair>,
        memory: &mut Vec<SweptPair>,
    ) {
        let PairRun { pairs, partition_ends: ends, .. } = run;
        reserve_for(memory, pairs.as_slice().len().min(self.scratch_max));
        ends.clear();
        ends.reserve_exact(PARTITIONS_MAX);
        if source == PairSource::RowAndSlot || self.accept.is_some() {
            let accepted = self.filter_pairs(pairs.as_mut_slice(), source);
            pairs.discard_from(accepted);
        }
        let pairs = pairs.as_mut_slice();
        if partitions.count == 1 {
            ends.push(pairs.len() as u32);
            return;
        }
        // Arrays of a constant length, so that an index of eight bits needs no check.
        let mut counts = [0_u32; PARTITIONS_MAX];
        for pair in &*pairs {
            counts[partitions.part(pair.a) % PARTITIONS_MAX] += 1;
        }
        // Prefix sum: counts become the starts. Distributing the pairs then turns each start into
        // the end.
        let mut start = 0;
        for end in &mut counts[..partitions.count] {
            start += core::mem::replace(end, start);
        }
        if pairs.len() > self.scratch_max {
            permute(pairs, partitions, &mut counts);
            return ends.extend_from_slice(&counts[..partitions.count]);
        }
        lengthen(memory, pairs.len());
        let to = &mut memory[..pairs.len()];
        for &pair in &*pairs {
            let end = &mut counts[partitions.part(pair.a) % PARTITIONS_MAX];
            to[*end as usize] = pair;
            *end += 1;
        }
        pairs.copy_from_slice(to);
        ends.extend_from_slice(&counts[..partitions.count]);
    }

    /// Replaces rows by slots, the lower first, and compacts the pairs that are kept at the front.
    /// Returns how many there are.
    fn filter_pairs(&self, pairs: &mut [SweptPair], source: PairSource) -> usize {
        let Self { slots, movers, .. } = *self;
        let mut accepted = 0;
        for k in 0..pairs.len() {
            let SweptPair { a: one, b: two, first } = pairs[k];
            let one = match source {
                PairSource::Slots => one,
                PairSource::RowAndSlot => movers[one as usize].index(),
            };
            let (a, b) = if one < two { (one, two) } else { (two, one) };
            let id = |slot: u32| slots.id(slot as usize);
            let pair = ProxyPair { a: id(a), b: id(b) };
            if self.accept.is_none_or(|accept| accept(pair)) {
                pairs[accepted] = SweptPair { a, b, first };
                accepted += 1;
            }
        }
        accepted
    }
}

/// Moves the pairs to their partitions, of which `ends` are the starts at first (American flag sort, `McIlroy`, Bostic and `McIlroy`
/// 1993). The order within a partition is arbitrary, because partitions are sorted later.
fn permute(pairs: &mut [SweptPair], partitions: Partitions, ends: &mut [u32; PARTITIONS_MAX]) {
    let starts = *ends;
    for part in 0..partitions.count {
        let end = match part + 1 < partitions.count {
            true => starts[part + 1],
            false => pairs.len() as u32,
        };
        while ends[part] < end {
            let mut pair = pairs[ends[part] as usize];
            loop {
                let to = partitions.part(pair.a) % PARTITIONS_MAX;
                let place = &mut pairs[ends[to] as usize];
                ends[to] += 1;
                if to == part {
                    *place = pair;
                    break;
                }
                core::mem::swap(place, &mut pair);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PARTITIONS_MAX, PairFilter, PairSource, Partitions, scratch_max};
    use crate::broadphase::pairs::runs::PairRun;
    use crate::broadphase::proxies::slots::Slots;
    use crate::geom::SweptPair;
    use alloc::vec::Vec;

    /// Goal: a run has its pairs in their partitions, with and without scratch memory. Method: runs of both lengths, of which most pairs
    /// are in few partitions and some partitions are empty, or of which the last pairs are in the last partition already; as many partitions as
    /// there can be, and fewer.
    #[test]
    fn long_runs_are_partitioned_in_place() {
        let most = scratch_max(0, 1);
        for (slots, used, scratch_max, len) in [
            (10_000, 9000, most, 1000),
            (10_000, 9000, most, most as u32 + 1000),
            (10_000, 10_000, 500, 1000),
            (16_384, 16_384, 500, 1000),
        ] {
            let partitions = Partitions::new(slots, 1 << 20);
            assert_eq!(partitions.count, if slots == 10_000 { 157 } else { PARTITIONS_MAX });
            let slot = |k: u32| (k.wrapping_mul(2_654_435_761) >> 16) % used / (1 + k % 7);
            let pairs = (0..len).map(|k| SweptPair { a: slot(k), b: 20_000 + k, first: 0.5 });
            let (mut all, mut run) = (pairs.collect::<Vec<_>>(), PairRun::default());
            if used as usize == slots {
                all.iter_mut().rev().take(9).for_each(|pair| pair.a = used - 1);
            }
            run.pairs.append(&all);
            let (slots, mut memory) = (&Slots::default(), Vec::new());
            let filter = PairFilter { slots, movers: &[], accept: None, scratch_max };
            filter.filter_and_partition(PairSource::Slots, partitions, &mut run, &mut memory);
            assert!(memory.capacity() <= scratch_max + scratch_max / 4);
            let mut start = 0;
            assert_eq!(run.partition_ends.len(), partitions.count);
            for (part, &end) in run.partition_ends.iter().enumerate() {
                let of_part = &run.pairs.as_slice()[start..end as usize];
                assert!(of_part.iter().all(|pair| partitions.part(pair.a) == part));
                start = end as usize;
            }
            run.pairs.as_mut_slice().sort_unstable_by_key(|pair| pair.b);
            all.sort_unstable_by_key(|pair| pair.b);
            assert!(start == all.len() && run.pairs.as_slice() == all);
        }
    }

    /// Goal: threads can share also few pairs. Method: slots and pairs of different numbers; no partition has more than a
    /// quarter of the slots, so that of two threads neither waits long for the other.
    #[test]
    fn few_pairs_have_several_partitions() {
        let all = [(10_000, 9000), (8000, 40_000), (100_000, 90_000), (20_000, 8192)];
        for (slots, pairs) in all {
            let partitions = Partitions::new(slots, pairs);
            assert!(4 * partitions.width() <= slots, "{slots} {pairs}");
            assert!(partitions.count >= 5, "{slots} {pairs}");
        }
        assert_eq!(Partitions::new(1000, 8000).count, 1);
    }
}
