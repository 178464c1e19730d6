//! The events of one partition: what changed since the last tick.
//!
//! The found pairs are looked up among the cached pairs (`lookup.rs`). Pairs that are there persist,
//! new pairs begin, and cached pairs that were not found end. Pairs of two proxies that now rest and
//! still touch are an exception: they are moved to the resting pairs.

use super::lookup::LookUpScratch;
use super::partition::{AcceptPair, PARTITIONS_MAX, PartitionedRuns, Partitions};
use super::sort::PairSorter;
use super::{ColumnsMut, PairColumns};
use crate::broadphase::pairs::buffer::Buffer;
use crate::broadphase::proxies::id::{ProxyId, ProxyPair, SweptProxyPair};
use crate::broadphase::proxies::slots::{Generations, RESTING, Slots};
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use crate::lanes::Level;
use crate::par::{self, Budget, Threads};
use alloc::vec::Vec;

/// The lists of events have no limit of their own: the number of pairs has been checked before.
const NO_LIMIT: usize = usize::MAX;
/// Number of events below which one thread copies them: waking another costs more.
const PARALLEL_EVENTS_MIN: usize = 8192;
/// Number of partitions whose events a thread copies at a time.
const PARTS_OF_COPY: usize = 8;

/// The events of an update, and the pairs that start to rest; each list is ordered by index.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) begun: Buffer<SweptProxyPair>,
    pub(crate) ended: Buffer<ProxyPair>,
    /// How many of the pairs that begin rest at once.
    pub(crate) begun_resting: usize,
    /// Cached pairs that rest from now on.
    pub(crate) now_resting: Vec<ProxyPair>,
}

impl_memory!(Events { begun, ended, now_resting; without begun_resting });

impl Events {
    pub(crate) fn clear(&mut self) {
        self.begun.clear();
        self.begun_resting = 0;
        self.ended.clear();
        self.now_resting.clear();
    }

    /// Appends the events of all partitions, in order.
    pub(crate) fn append(&mut self, threads: &Threads, parts: &[Self]) {
        append_lists(threads, &mut self.begun, parts, |part| part.begun.as_slice());
        append_lists(threads, &mut self.ended, parts, |part| part.ended.as_slice());
        parts.iter().for_each(|part| self.now_resting.extend_from_slice(&part.now_resting));
    }

    /// Adds pairs that begin and rest at once.
    pub(crate) fn begin_resting(&mut self, pairs: &[ProxyPair]) {
        for &ProxyPair { a, b } in pairs {
            self.begun.append(&[SweptProxyPair { a, b, first: 0.0 }]);
        }
        self.begun_resting = pairs.len();
        if !pairs.is_empty() {
            par::sort_rare(self.begun.as_mut_slice(), SweptProxyPair::key);
        }
    }

    /// The number of events.
    pub(crate) fn count(&self) -> usize {
        self.begun.len() + self.ended.len() + self.now_resting.len()
    }

    /// The number of events that fit without an allocation.
    pub(crate) fn capacity(&self) -> usize {
        self.begun.capacity() + self.ended.capacity() + self.now_resting.capacity()
    }

    /// Frees the memory that [`Events::reserve_spare`] would not reserve.
    pub(crate) fn drop_spare(&mut self) {
        self.begun.drop_spare(0);
        self.ended.drop_spare(0);
        self.now_resting.shrink_to_fit();
    }

    /// Reserves spare memory for a tick with a few more events.
    pub(crate) fn reserve_spare(&mut self) {
        self.begun.reserve_spare(0);
        self.ended.reserve_spare(0);
    }
}

/// Appends a list of each of at most [`PARTITIONS_MAX`] partitions. The threads share the copies, because the lists of many
/// pairs are in no near cache.
fn append_lists<T: Copy + Default + Send + Sync>(
    threads: &Threads,
    to: &mut Buffer<T>,
    parts: &[Events],
    list: impl Fn(&Events) -> &[T] + Sync,
) {
    let mut starts = [0; PARTITIONS_MAX + 1];
    let mut count = 0;
    for (start, part) in starts[1..].iter_mut().zip(parts) {
        count += list(part).len();
        *start = count;
    }
    let all = &mut to.spare(count, &Budget::new(NO_LIMIT))[..count];
    let threads = threads.for_items(count, PARALLEL_EVENTS_MIN);
    let starts = &starts[..=parts.len()];
    par::fill_parts(threads, starts, all, PARTS_OF_COPY, &|part, to: &mut [T]| {
        to.copy_from_slice(list(&parts[part]));
    });
    to.keep(count);
}

/// Scratch memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct DiffScratch {
    look_up: LookUpScratch,
    sorter: PairSorter,
    /// Used by the partitioning of pairs.
    pub(crate) pairs: Vec<SweptPair>,
}

impl_memory!(DiffScratch { look_up, sorter, pairs });

impl DiffScratch {
    /// The number of pairs that fit into the longest list.
    pub(crate) fn capacity(&self) -> usize {
        self.look_up.capacity().max(self.sorter.capacity()).max(self.pairs.capacity())
    }

    /// Reserves memory for a partition with this many slots, found pairs and cached pairs.
    pub(crate) fn reserve_for(&mut self, level: Level, slots: usize, pairs: usize, before: usize) {
        self.look_up.reserve_for(level, slots, pairs, before);
        self.sorter.reserve_for(slots, pairs);
    }
}

/// The inputs that all partitions share.
pub(crate) struct Diff<'a> {
    pub(crate) level: Level,
    pub(crate) slots: &'a Slots,
    /// The current generations of the slots.
    pub(crate) generations: Generations<'a>,
    pub(crate) runs: PartitionedRuns<'a>,
    /// Has a bit of [`RESTING`] for slots that rest. May be shorter than the slots.
    pub(crate) resting: &'a [u8],
    pub(crate) partitions: Partitions,
    /// Decides which pairs begin; `None` accepts all.
    pub(crate) accept_new: Option<AcceptPair<'a>>,
    /// Whether a cached pair that was not found stays cached, because both proxies rest and still touch.
    pub(crate) still_touches: AcceptPair<'a>,
}

impl Diff<'_> {
    /// Writes the touching pairs of one partition, at most as many as there is space for, and appends its
    /// events. `before` are its cached pairs. Returns how many pairs touch.
    pub(crate) fn part(
        &self,
        part: usize,
        scratch: &mut DiffScratch,
        (mut to, before): (ColumnsMut<'_>, PairColumns<'_>),
        events: &mut Events,
    ) -> usize {
        let Self { level, runs, partitions, .. } = *self;
        let DiffScratch { look_up, sorter, .. } = scratch;
        let slots = self.slots;
        let part_slots = (partitions.slots(part).start as u32, partitions.width());
        let found = look_up.look_up(level, slots, (runs, part), (before, part_slots));
        let accepted = match self.accept_new {
            Some(accept) => look_up.retain_new(found, accept, slots),
            None => found,
        };
        let touching = to.first.len() - (found - accepted);
        let new = sorter.sort(level, look_up.new_pairs(accepted), (partitions, part));
        let [ended_a, ended_b] = look_up.merge(level, new, to.split_off(touching));

        let Events { begun, ended, now_resting, .. } = events;
        let budget = &Budget::new(NO_LIMIT);
        let id = |slot: u32| self.generations.id(slot);
        for (to, &SweptPair { a, b, first }) in begun.spare(new.len(), budget).iter_mut().zip(new) {
            *to = SweptProxyPair { a: id(a), b: id(b), first };
        }
        begun.keep(new.len());
        let ends = &mut ended.spare(ended_a.len(), budget)[..ended_a.len()];
        let cached_generations = match slots.reused.is_empty() {
            true => self.generations,
            false => Generations::new(&slots.cached_generations),
        };
        let id = |slot: u32| cached_generations.id(slot);
        for (to, (&a, &b)) in ends.iter_mut().zip(ended_a.iter().zip(ended_b)) {
            *to = ProxyPair { a: id(a), b: id(b) };
        }
        let end = if self.resting.is_empty() && slots.reused.is_empty() {
            ends.len()
        } else {
            self.split_resting(ends, now_resting)
        };
        ended.keep(end);
        touching
    }

    /// Separates cached pairs that were not found: those that end are moved to the front, the
    /// others rest, or are forgotten. Returns how many end.
    fn split_resting(&self, ended_at: &mut [ProxyPair], now_resting: &mut Vec<ProxyPair>) -> usize {
        let resting =
            |index: u32| self.resting.get(index as usize).is_some_and(|&bits| bits & RESTING != 0);
        let mut ends = 0;
        for k in 0..ended_at.len() {
            let pair = ended_at[k];
            let is_forgotten = |id: ProxyId| self.slots.is_forgotten(id.index());
            if is_forgotten(pair.a) || is_forgotten(pair.b) {
                continue;
            }
            if resting(pair.a.index()) && resting(pair.b.index()) && (self.still_touches)(pair) {
                now_resting.push(pair);
            } else {
                ended_at[ends] = pair;
                ends += 1;
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::{Events, PARTITIONS_MAX, ProxyId, ProxyPair, SweptProxyPair, Threads, Vec};

    /// Goal: the events of as many partitions as there can be are appended in order. Method: a pair that begins in each partition, and one
    /// that ends in every other.
    #[test]
    fn events_of_all_partitions_are_appended() {
        let mut parts: Vec<Events> = Vec::new();
        parts.resize_with(PARTITIONS_MAX, Events::default);
        for (part, events) in (0..).zip(&mut parts) {
            let [a, b] = [part, 1000].map(|slot| ProxyId::new(slot, 1));
            events.begun.append(&[SweptProxyPair { a, b, first: 0.5 }]);
            let ended = [ProxyPair::new(a, b)];
            events.ended.append(&ended[..part as usize % 2]);
        }
        let mut all = Events::default();
        all.append(&Threads::one(), &parts);
        let count = PARTITIONS_MAX as u32;
        assert!(all.begun.as_slice().iter().map(|pair| pair.a.index()).eq(0..count));
        let ended = all.ended.as_slice().iter().map(|pair| pair.a.index());
        assert!(ended.eq((1..count).step_by(2)));
    }

    /// Goal: the events and the places of all lists are counted, and a full list gets a quarter more places, which are freed if they are
    /// not needed any more. Method: lists of different lengths, of which that of the resting pairs has most places.
    #[test]
    fn events_and_places_of_all_lists_are_counted() {
        let mut events = Events::default();
        events.begun.append(&[SweptProxyPair::default(); 2000]);
        events.ended.append(&[ProxyPair::default(); 3000]);
        events.now_resting.reserve_exact(6000);
        events.now_resting.extend([ProxyPair::default(); 5]);
        assert_eq!((events.count(), events.capacity()), (5005, 11_000));
        events.reserve_spare();
        assert_eq!(events.capacity(), 2500 + 3750 + 6000);
        events.drop_spare();
        assert_eq!(events.capacity(), 2500 + 3750 + 5);
        events.clear();
        events.drop_spare();
        assert_eq!((events.count(), events.capacity()), (0, 0));
    }
}
