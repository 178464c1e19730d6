//! The steps of an update, and its scratch memory.
//!
//! Update the forests; find the pairs of movers, of movers and fixed proxies, and of movers and
//! sleeping proxies; filter and partition them run by run; compare them with the cached pairs
//! partition by partition. Runs and partitions depend on the numbers of boxes and pairs alone.

use super::active::ActiveProxies;
use super::id::{ProxyPair, SweptProxyPair};
use super::movers::{borrow_columns, without_motion};
use super::pair_cache::events::{Diff, DiffScratch, Events};
use super::pair_cache::partition::{
    AcceptPair, PARTITIONS_MAX, PairFilter, PairSource, PartitionedRuns, Partitions,
};
use super::pair_cache::{PairColumns, PairTable, Touching, TouchingIter};
use super::resting::RestingTrees;
use super::state::BroadphaseState;
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::pairs::runs::{PairRun, Pairs};
use crate::broadphase::{FindError, PairFinder, PairInput};
use crate::columns::{Row, impl_memory};
use crate::geom::SweptPair;
use crate::par;
use alloc::vec::Vec;
use core::iter::FusedIterator;

/// Only active movers are searched for if at most one of this many movers is active.
const ACTIVE_SHARE: usize = 4;

/// The result of an update; each list of pairs is ordered by index.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    pub(crate) events: &'a Events,
    pub(crate) touching: Touching<'a>,
}

impl<'a> Changes<'a> {
    /// The pairs that are new.
    #[must_use]
    pub fn begun(&self) -> &'a [SweptProxyPair] {
        self.events.begun.as_slice()
    }

    /// The pairs that were cached before and in which at least one proxy moves: those of
    /// [`Changes::touching`] that are not in [`Changes::begun`]. The list is computed while it is
    /// read.
    #[must_use]
    pub fn persisted(&self) -> Persisted<'a> {
        Persisted { touching: self.touching.iter(), begun: self.begun() }
    }

    /// The pairs that have ended. Either proxy may have been removed since.
    #[must_use]
    pub fn ended(&self) -> &'a [ProxyPair] {
        self.events.ended.as_slice()
    }

    /// All pairs in which at least one proxy moves: those that begin and those that persist.
    #[must_use]
    pub fn touching(&self) -> Touching<'a> {
        self.touching
    }
}

/// Iterator returned by [`Changes::persisted`].
#[derive(Clone, Debug)]
pub struct Persisted<'a> {
    touching: TouchingIter<'a>,
    /// The new pairs that `touching` has not passed yet.
    begun: &'a [SweptProxyPair],
}

impl Iterator for Persisted<'_> {
    type Item = SweptProxyPair;

    fn next(&mut self) -> Option<SweptProxyPair> {
        loop {
            let pair = self.touching.next()?;
            match self.begun.split_first() {
                Some((new, begun)) if new.key() == pair.key() => self.begun = begun,
                _ => return Some(pair),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.touching.len() - self.begun.len();
        (len, Some(len))
    }
}

impl ExactSizeIterator for Persisted<'_> {}
impl FusedIterator for Persisted<'_> {}

/// Scratch memory of updates, and the events of the last one.
#[derive(Debug, Default)]
pub(crate) struct UpdateScratch {
    pub(crate) events: Events,
    /// Whether the events are those of a successful update that is still valid.
    pub(crate) events_valid: bool,
    /// The touching pairs; swapped with [`BroadphaseState::touching`] when the update succeeds.
    pub(crate) touching: PairTable,
    /// The columns of the movers with fat AABBs, used if some have a margin.
    compared: [Vec<f32>; 9],
    /// The proxies whose pairs are searched for, if they are few.
    active: ActiveProxies,
    /// Copies of the runs of movers against forests.
    copies: Vec<PairRun<SweptPair>>,
    /// One for each worker.
    scratch: Vec<DiffScratch>,
    /// Events of each partition, used if there is more than one worker.
    parts: Vec<Events>,
    /// The cached pairs, merged with resting pairs of which a proxy has changed.
    before: PairTable,
}

impl_memory!(UpdateScratch { events, touching, compared, active, before; lists of copies, scratch, parts; without events_valid });

/// The arguments of an update.
pub(crate) struct Update<'a> {
    pub(crate) exec: &'a Exec,
    pub(crate) filtered: bool,
    pub(crate) owned: bool,
    /// The caller's function; `None` accepts all pairs.
    pub(crate) accept: Option<AcceptPair<'a>>,
}

impl Update<'_> {
    /// Finds the pairs and the events. On an error nothing has changed.
    pub(crate) fn run(
        &self,
        state: &BroadphaseState,
        finder: &mut PairFinder,
        trees: &mut RestingTrees,
        work: &mut UpdateScratch,
    ) -> Result<(), FindError> {
        let few = state.movers.count_active() * ACTIVE_SHARE <= state.movers.len();
        let incremental = few && self.accept.is_none() && !state.restricted;
        let result = self.search(incremental, state, finder, trees, work);
        match result {
            // The count includes pairs with stale boxes; a search for all pairs counts exactly.
            Err(FindError::TooManyPairs { .. }) if incremental => {
                self.search(false, state, finder, trees, work)
            }
            result => result,
        }
    }

    /// Does what [`Update::run`] states. `incremental` says whether only active proxies are searched for.
    fn search(
        &self,
        incremental: bool,
        state: &BroadphaseState,
        finder: &mut PairFinder,
        trees: &mut RestingTrees,
        work: &mut UpdateScratch,
    ) -> Result<(), FindError> {
        let UpdateScratch {
            events,
            events_valid,
            touching,
            compared,
            active,
            copies,
            scratch,
            parts,
            before,
        } = work;
        let movers = &state.movers;
        if incremental {
            active.collect(state);
        } else if state.fat_movers > 0 {
            write_compared_boxes(state, compared);
        }
        // The proxies to search for: all movers; or active movers, then changed resting proxies.
        let boxes = match incremental {
            true => active.boxes(),
            false if state.fat_movers > 0 => borrow_columns(compared),
            false => movers.boxes(),
        };
        let (ids, filters, dynamic, count) = match incremental {
            true => (&active.ids, &active.filters, &active.dynamic, active.movers),
            false => (&movers.ids, &movers.filters, &movers.dynamic, movers.len()),
        };
        let searched = incremental.then_some(&active.searched[..]);
        let all = PairInput::new(boxes);
        let all = if self.filtered { all.filtered(filters) } else { all };
        let set = all.slice(0..count);
        let dynamic = &dynamic[..count];
        let pushed = if dynamic.contains(&false) { set.moving(dynamic) } else { set };
        let partitions =
            Partitions::new(state.slots.all.len(), state.touching.len().max(movers.len()));
        let pair_filter = PairFilter {
            slots: &state.slots,
            movers: ids,
            status: incremental.then_some(&movers.status[..]),
            owned: self.owned,
            accept: self.accept,
        };
        let filter_and_partition = |run: &mut PairRun<SweptPair>, memory: &mut Vec<SweptPair>| {
            pair_filter.filter_and_partition(PairSource::Slots, partitions, run, memory);
        };
        let labelled = pushed.with_slots(bytemuck::cast_slice(&ids[..count]));
        let among = (count > 1).then(|| finder.swept_pairs_taken(labelled, &filter_and_partition));
        let RestingTrees { fixed, sleeping, settled, rows: resting, .. } = trees;
        let fixed = (count > 0 && !fixed.is_empty()).then(|| fixed.swept_pairs(pushed));
        let sleeping = (count > 0 && !sleeping.is_empty()).then(|| sleeping.swept_pairs(set));
        let settled = (incremental && !ids.is_empty() && !settled.is_empty())
            .then(|| settled.swept_pairs(all));
        let ((among, n), (fixed, m), (sleeping, k), (settled, l)) =
            (runs_of(among)?, runs_of(fixed)?, runs_of(sleeping)?, runs_of(settled)?);
        let before = merge(state, before);
        let mut befores = [PairColumns::default(); PARTITIONS_MAX];
        let mut kept = [0; PARTITIONS_MAX];
        let mut rest = before;
        for part in 0..partitions.count {
            let end = rest.below(partitions.slots(part).end);
            (befores[part], rest) = (rest.slice(0..end), rest.slice(end..rest.len()));
            kept[part] = searched.map_or(0, |searched| befores[part].count_kept(searched));
        }
        let found = n + m + k + l + kept.iter().sum::<usize>();
        if found > self.exec.pairs_max {
            return Err(FindError::TooManyPairs { found, most: self.exec.pairs_max });
        }
        self.exec.threads.enter(|| {
            let workers = self.exec.threads.workers();
            scratch.resize_with(workers.max(scratch.len()), DiffScratch::default);
            let scratch = &mut scratch[..workers];
            let trees = || fixed.iter().chain(sleeping).chain(settled);
            let count = trees().count();
            copies.resize_with(count.max(copies.len()), PairRun::default);
            let copies = &mut copies[..count];
            for (copy, run) in copies.iter_mut().zip(trees()) {
                copy.pairs.clear();
                copy.pairs.append(run.pairs.as_slice());
                copy.pairs.reserve_spare(0);
            }
            // Any worker may take any run, so reserve the length of the longest for each of them.
            let longest = trees().map(|run| run.pairs.as_slice().len()).max().unwrap_or(0);
            scratch.iter_mut().for_each(|scratch| reserve_for(&mut scratch.pairs, longest));
            par::for_each(&self.exec.threads, scratch, copies, &|scratch, _, run| {
                pair_filter.filter_and_partition(
                    PairSource::RowAndSlot,
                    partitions,
                    run,
                    &mut scratch.pairs,
                );
            });

            let runs = PartitionedRuns([among, copies]);
            let mut lengths = runs.lengths();
            lengths.iter_mut().zip(kept).for_each(|(length, kept)| *length += kept);
            let accept = |pair| self.accept.is_none_or(|accept| accept(pair));
            let still_touches = |pair| state.rests_and_touches(pair) && accept(pair);
            let (level, slots, still_touches) = (self.exec.level, &state.slots, &still_touches);
            let diff = Diff { level, slots, runs, resting, searched, partitions, still_touches };
            let longest_before = befores.iter().map(|part| part.len()).max().unwrap_or(0);
            let longest = lengths.into_iter().max().unwrap_or(0);
            for scratch in &mut *scratch {
                scratch.reserve_for(level, partitions.width(), longest, longest_before);
            }
            // Not valid until the end, because the caller's function may panic.
            *events_valid = false;
            events.clear();
            touching.reserve_for(found);
            touching.resize(lengths.iter().sum());
            let mut rest = touching.columns_mut();
            let mut next = |part: usize| (rest.split_off(lengths[part]), befores[part]);
            if workers == 1 {
                let scratch = &mut scratch[0];
                (0..partitions.count).for_each(|part| diff.part(part, scratch, next(part), events));
                events.reserve_spare();
                return;
            }
            parts.resize_with(partitions.count.max(parts.len()), Events::default);
            let parts = &mut parts[..partitions.count];
            let mut lists = parts.iter_mut().enumerate();
            let mut items: [_; PARTITIONS_MAX] =
                core::array::from_fn(|_| lists.next().map(|(part, events)| (next(part), events)));
            par::for_each(
                &self.exec.threads,
                scratch,
                &mut items[..partitions.count],
                &|scratch, part, item| {
                    if let Some((pairs, events)) = item.take() {
                        events.clear();
                        diff.part(part, scratch, pairs, events);
                        events.reserve_spare();
                    }
                },
            );
            parts.iter().for_each(|part| events.append(part));
            events.reserve_spare();
        });
        Ok(())
    }
}

/// The runs of a finder, and how many pairs it found. No runs if the finder was not used.
fn runs_of(
    found: Option<Result<Pairs<'_, SweptPair>, FindError>>,
) -> Result<(&[PairRun<SweptPair>], usize), FindError> {
    match found {
        None => Ok((&[], 0)),
        Some(Ok(found)) => {
            let runs = found.runs();
            Ok((runs, runs.iter().map(|run| run.pairs.found()).sum()))
        }
        // The caller reports the total over all finders.
        Some(Err(FindError::TooManyPairs { found, .. })) => Ok((&[], found)),
        Some(Err(error)) => Err(error),
    }
}

/// Copies the boxes of the movers, with the fat AABB instead of the box where there is a margin.
fn write_compared_boxes(state: &BroadphaseState, compared: &mut [Vec<f32>; 9]) {
    for (to, from) in compared.iter_mut().zip(&state.movers.columns) {
        reserve_for(to, from.len());
        to.clone_from(from);
    }
    for (row, id) in state.movers.ids.iter().enumerate() {
        let index = id.index() as usize;
        if state.slot(index).margin > 0.0 {
            for (column, number) in
                compared.iter_mut().zip(without_motion(state.fat_aabbs[index]).to_row())
            {
                column[row] = number;
            }
        }
    }
}

/// The cached pairs to compare with, in order: the touching pairs of the last tick, merged with the
/// resting pairs of which a proxy has changed. Both inputs are sorted.
fn merge<'a>(state: &'a BroadphaseState, merged: &'a mut PairTable) -> PairColumns<'a> {
    let mut touching = state.touching.columns();
    if state.dirty_pairs.is_empty() {
        return touching;
    }
    let count = touching.len() + state.dirty_pairs.len();
    merged.reserve_for(count);
    merged.resize(count);
    let mut to = merged.columns_mut();
    for &ProxyPair { a, b } in &state.dirty_pairs {
        let dirty_pairs = [a.index(), b.index()];
        let sooner = touching.before(dirty_pairs);
        to.append(touching.slice(0..sooner));
        to.append(PairColumns { a: &dirty_pairs[..1], b: &dirty_pairs[1..], first: &[0.0] });
        touching = touching.slice(sooner..touching.len());
    }
    to.append(touching);
    merged.columns()
}

impl UpdateScratch {
    /// Discards the result of the last update.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.events_valid = false;
    }
}
