//! The steps of an update, and its scratch memory.
//!
//! Update the forests; find the pairs of movers, of movers and fixed proxies, and of movers and
//! sleeping proxies; filter and partition them run by run; compare them with the cached pairs
//! partition by partition. Runs and partitions depend on the numbers of boxes and pairs alone.

use super::id::{ProxyPair, SweptProxyPair};
use super::movers::{lend, still};
use super::pair_cache::events::{Diff, Events, Scratch};
use super::pair_cache::partition::{
    AcceptPair, Dealt, PARTS_MAX, PairFilter, PairSource, SlotParts,
};
use super::pair_cache::{Kept, PairColumns, Touching, TouchingIter};
use super::resting::Trees;
use super::state::BroadphaseState;
use crate::broadphase::pairs::buffer::make_room;
use crate::broadphase::pairs::runs::{PairRun, Pairs};
use crate::broadphase::{FindError, PairFinder, PairInput};
use crate::columns::Row;
use crate::geom::SweptPair;
use crate::lanes::Level;
use crate::par::{self, Threads};
use alloc::vec::Vec;
use core::iter::FusedIterator;

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
    pub(crate) said: bool,
    /// The touching pairs; swapped with [`BroadphaseState::touching`] when the update succeeds.
    pub(crate) touching: Kept,
    /// The columns of the movers with fat AABBs, used if some have a margin.
    seen: [Vec<f32>; 9],
    /// Copies of the runs of movers against forests.
    copies: Vec<PairRun<SweptPair>>,
    /// One for each worker.
    scratch: Vec<Scratch>,
    /// Events of each partition, used if there is more than one worker.
    parts: Vec<Events>,
    /// The cached pairs, merged with resting pairs of which a proxy has changed.
    before: Kept,
}

/// The arguments of an update.
pub(crate) struct Update<'a> {
    pub(crate) level: Level,
    pub(crate) filtered: bool,
    pub(crate) owned: bool,
    pub(crate) pairs_max: usize,
    pub(crate) threads: &'a Threads,
    /// The caller's function; `None` accepts all pairs.
    pub(crate) accept: Option<AcceptPair<'a>>,
}

impl Update<'_> {
    /// Finds the pairs and the events. On an error nothing has changed.
    pub(crate) fn run(
        &self,
        state: &BroadphaseState,
        finder: &mut PairFinder,
        trees: &mut Trees,
        work: &mut UpdateScratch,
    ) -> Result<(), FindError> {
        let UpdateScratch { events, said, touching, seen, copies, scratch, parts, before } = work;
        let movers = &state.movers;
        if state.fat > 0 {
            hold(state, seen);
        }
        let boxes = if state.fat > 0 { lend(seen) } else { movers.boxes() };
        let set = PairInput::new(boxes);
        let set = if self.filtered { set.filtered(&movers.filters) } else { set };
        let pushed = match movers.dynamic.contains(&false) {
            true => set.moving(&movers.dynamic),
            false => set,
        };
        let some = movers.len() > 0;
        let cut = SlotParts::new(state.slots.all.len(), state.touching.len().max(movers.len()));
        let sieve = PairFilter { state, owned: self.owned, accept: self.accept };
        let deal = |run: &mut PairRun<SweptPair>, memory: &mut Vec<SweptPair>| {
            sieve.deal(PairSource::Slots, cut, run, memory);
        };
        let named = pushed.labelled(bytemuck::cast_slice(&movers.ids));
        let among = (movers.len() > 1).then(|| finder.swept_pairs_taken(named, &deal));
        let Trees { fixed, sleeping, rows: at_rest, .. } = trees;
        let fixed = (some && !fixed.is_empty()).then(|| fixed.swept_pairs(pushed));
        let sleeping = (some && !sleeping.is_empty()).then(|| sleeping.swept_pairs(set));
        let ((among, n), (fixed, m), (sleeping, k)) =
            (runs_of(among)?, runs_of(fixed)?, runs_of(sleeping)?);
        let found = n + m + k;
        if found > self.pairs_max {
            return Err(FindError::TooManyPairs { found, most: self.pairs_max });
        }
        let before = merge(state, before);
        self.threads.enter(|| {
            let workers = self.threads.workers();
            scratch.resize_with(workers.max(scratch.len()), Scratch::default);
            let scratch = &mut scratch[..workers];
            let trees = || fixed.iter().chain(sleeping);
            let count = trees().count();
            copies.resize_with(count.max(copies.len()), PairRun::default);
            let copies = &mut copies[..count];
            for (copy, run) in copies.iter_mut().zip(trees()) {
                copy.pairs.clear();
                copy.pairs.append(run.pairs.as_slice());
                copy.pairs.settle(0);
            }
            // Any worker may take any run, so reserve the length of the longest for each of them.
            let longest = trees().map(|run| run.pairs.as_slice().len()).max().unwrap_or(0);
            scratch.iter_mut().for_each(|scratch| make_room(&mut scratch.pairs, longest));
            par::for_each(scratch, copies, &|scratch, _, run| {
                sieve.deal(PairSource::RowAndSlot, cut, run, &mut scratch.pairs);
            });

            let dealt = Dealt([among, copies]);
            let lengths = dealt.lengths();
            let (level, accept) = (self.level, self.accept);
            let diff = Diff { level, state, dealt, at_rest, cut, accept };
            let mut befores = [PairColumns::default(); PARTS_MAX];
            let mut rest = before;
            for (part, of_part) in befores.iter_mut().enumerate().take(cut.parts) {
                let end = rest.below(cut.slots(part).end);
                (*of_part, rest) = (rest.slice(0..end), rest.slice(end..rest.len()));
            }
            let longest_before = befores.iter().map(|part| part.len()).max().unwrap_or(0);
            let longest = lengths.into_iter().max().unwrap_or(0);
            for scratch in &mut *scratch {
                scratch.make_room(level, cut.width(), longest, longest_before);
            }
            // Not valid until the end, because the caller's function may panic.
            *said = false;
            events.clear();
            touching.make_room(found);
            touching.resize(lengths.iter().sum());
            let mut rest = touching.columns_mut();
            let mut next = |part: usize| (rest.split_off(lengths[part]), befores[part]);
            if workers == 1 {
                let scratch = &mut scratch[0];
                (0..cut.parts).for_each(|part| diff.part(part, scratch, next(part), events));
                events.settle();
                return;
            }
            parts.resize_with(cut.parts.max(parts.len()), Events::default);
            let parts = &mut parts[..cut.parts];
            let mut lists = parts.iter_mut().enumerate();
            let mut items: [_; PARTS_MAX] =
                core::array::from_fn(|_| lists.next().map(|(part, events)| (next(part), events)));
            par::for_each(scratch, &mut items[..cut.parts], &|scratch, part, item| {
                if let Some((pairs, events)) = item.take() {
                    events.clear();
                    diff.part(part, scratch, pairs, events);
                    events.settle();
                }
            });
            parts.iter().for_each(|part| events.append(part));
            events.settle();
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
fn hold(state: &BroadphaseState, seen: &mut [Vec<f32>; 9]) {
    for (to, from) in seen.iter_mut().zip(&state.movers.columns) {
        make_room(to, from.len());
        to.clone_from(from);
    }
    for (row, id) in state.movers.ids.iter().enumerate() {
        let index = id.index() as usize;
        if state.slot(index).margin > 0.0 {
            for (column, number) in seen.iter_mut().zip(still(state.held[index]).to_row()) {
                column[row] = number;
            }
        }
    }
}

/// The cached pairs to compare with, in order: the touching pairs of the last tick, merged with the
/// resting pairs of which a proxy has changed. Both inputs are sorted.
fn merge<'a>(state: &'a BroadphaseState, merged: &'a mut Kept) -> PairColumns<'a> {
    let mut touching = state.touching.columns();
    if state.loose.is_empty() {
        return touching;
    }
    let count = touching.len() + state.loose.len();
    merged.make_room(count);
    merged.resize(count);
    let mut to = merged.columns_mut();
    for &ProxyPair { a, b } in &state.loose {
        let loose = [a.index(), b.index()];
        let sooner = touching.before(loose);
        to.put(touching.slice(0..sooner));
        to.put(PairColumns { a: &loose[..1], b: &loose[1..], first: &[0.0] });
        touching = touching.slice(sooner..touching.len());
    }
    to.put(touching);
    merged.columns()
}

impl UpdateScratch {
    /// Discards the result of the last update.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.said = false;
    }

    pub(crate) fn bytes(&self) -> usize {
        let seen: usize = self.seen.iter().map(Vec::capacity).sum();
        seen * size_of::<f32>()
            + self.copies.iter().map(PairRun::bytes).sum::<usize>()
            + self.scratch.iter().map(Scratch::bytes).sum::<usize>()
            + self.parts.iter().map(Events::bytes).sum::<usize>()
            + self.events.bytes()
            + self.touching.bytes()
            + self.before.bytes()
    }
}
