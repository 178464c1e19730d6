//! An update that finds all pairs anew.
//!
//! Finds the pairs of movers, of movers and fixed proxies, and of movers and sleeping proxies, as far as the kind table
//! has their kinds; filters and partitions them run by run; compares them with the cached pairs partition by partition.
//! Runs and partitions depend on the numbers of boxes and pairs alone.

use super::by_kind::MoversByKind;
use super::id::{ProxyId, ProxyPair};
use super::kinds::MoverSearches;
use super::movers::{MoverStore, borrow_columns};
use super::pair_cache::events::{Diff, DiffScratch, Events};
use super::pair_cache::partition::{
    AcceptPair, Accepting, PARTITIONS_MAX, PairFilter, PairSource, PartitionedRuns, Partitions,
    scratch_max,
};
use super::pair_cache::{ColumnsMut, PairColumns, PairTable};
use super::pair_rules::PairRules;
use super::proxy::ProxyKind;
use super::resting::RestingTrees;
use super::slots::SmallGenerations;
use super::state::BroadphaseState;
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::pairs::runs::{PairRun, PairRuns, RecentMax, runs_of};
use crate::broadphase::{FindError, FixedBoxes, PairFinder, PairInput};
use crate::columns::impl_memory;
use crate::geom::{MapEach, SweptPair, lengthen_by_default, most_of, sum_of};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Memory of the events of partitions is freed if they have `UNUSED_FACTOR` times as many places as the last ticks needed, and
/// `UNUSED_EACH` places more for each partition: a list of any length has 1024.
const UNUSED_FACTOR: usize = 8;
const UNUSED_EACH: usize = 4096;
/// Partitions of at most this many pairs are short, however many workers reserve memory for one.
const SHORT: usize = 4096;
/// Number of pairs below which one thread compares them: waking another costs more.
const PARALLEL_PAIRS_MIN: usize = 2048;

/// Scratch memory of updates that find all pairs anew.
#[derive(Debug, Default)]
pub(crate) struct FullScratch {
    /// The touching pairs; exchanged with those of the state when the update succeeds.
    pub(crate) touching: PairTable,
    /// The columns of the movers with fat AABBs, used if some have a margin.
    compared: [Vec<f32>; 9],
    /// Whether each mover is kinematic, used with a kind table by which two dynamic movers do not pair.
    kinematic: Vec<bool>,
    /// The movers by kind, used with a kind table that needs several searches.
    by_kind: MoversByKind,
    /// Copies of the runs of movers against forests.
    copies: PairRuns<SweptPair>,
    /// One for each worker.
    scratch: Vec<DiffScratch>,
    /// Events of each partition, used if there is more than one worker, and otherwise empty.
    parts: Vec<Events>,
    /// How many events the last ticks had.
    events_of_parts: RecentMax,
    /// How many places for pairs the last update needed: the greater number of the pairs that it has found and of those that were cached before.
    pub(crate) needed: usize,
    /// The cached pairs, merged with resting pairs of which a proxy has changed.
    before: PairTable,
    /// A copy of the generations; exchanged with that of the slots when the update succeeds.
    pub(crate) generations: SmallGenerations,
}

impl_memory!(FullScratch { touching, compared, kinematic, by_kind, copies, before, generations; lists of scratch, parts; without events_of_parts, needed });

impl FullScratch {
    /// Frees the lists that have more than `most` places for pairs or events.
    pub(crate) fn free_above(&mut self, most: usize) {
        for table in [&mut self.touching, &mut self.before] {
            if table.capacity() > most {
                *table = PairTable::default();
            }
        }
        self.copies.free_above(most);
        self.by_kind.free_above(most);
        for scratch in &mut self.scratch {
            if scratch.capacity() > most {
                *scratch = DiffScratch::default();
            }
        }
        if have_places_above(&self.parts, most) {
            self.parts = Vec::new();
        }
    }
}

/// The arguments of an update.
pub(crate) struct FullUpdate<'a> {
    pub(crate) exec: &'a Exec,
    pub(crate) state: &'a BroadphaseState,
    pub(crate) filtered: bool,
    pub(crate) rules: PairRules<'a>,
    /// The caller's function; `None` accepts all pairs.
    pub(crate) accept: Option<Accepting<'a>>,
}

/// The pairs found, by finder: among the movers, and of movers with fixed and with sleeping proxies.
struct FoundRuns<'a> {
    among: &'a [PairRun<SweptPair>],
    forests: [&'a [PairRun<SweptPair>]; 2],
    count: usize,
}

impl FullUpdate<'_> {
    /// Finds the pairs and the events. On an error nothing has changed. The cached pairs are in a table. Returns the number of pairs
    /// that the caller's function rejected or had rejected.
    pub(crate) fn run(
        &self,
        finder: &mut PairFinder,
        trees: &mut RestingTrees,
        work: &mut FullScratch,
        events: &mut Events,
    ) -> Result<usize, FindError> {
        let Self { exec, state, .. } = *self;
        let FullScratch {
            touching,
            compared,
            kinematic,
            by_kind,
            copies,
            scratch,
            parts,
            events_of_parts,
            before,
            generations,
            needed,
        } = work;
        let generations = generations.copy(&state.slots.generations);
        if state.fat_movers > 0 {
            write_compared_boxes(&state.movers, compared);
        }
        let (accept_each, accept_new) =
            (self.accept.and_then(Accepting::of_each), self.accept.and_then(Accepting::of_new));
        let slots = state.slots.all.len();
        let partitions = Partitions::new(slots, state.touching.len().max(state.movers.len()));
        let scratch_max = scratch_max(state.touching.len(), exec.threads.workers());
        let (slots, movers) = (&state.slots, &state.movers.ids[..]);
        let pair_filter = PairFilter { slots, movers, accept: accept_each, scratch_max };
        let RestingTrees { fixed, sleeping, bits_of_slot: resting, .. } = trees;
        let memory = (&*compared, kinematic, by_kind);
        let found = self.find(&pair_filter, partitions, memory, finder, [fixed, sleeping])?;
        if found.count > exec.pairs_max {
            return Err(FindError::TooManyPairs { found: found.count, most: exec.pairs_max });
        }
        let before = merge(state, before);
        *needed = found.count.max(before.len());
        parts.iter_mut().for_each(Events::clear);
        let still_touches =
            |pair| state.rests_and_touches(pair) && accept_each.is_none_or(|accept| accept(pair));
        // A pair that is not cached, and of which no proxy has changed, was rejected before, or excluded by another table of kinds.
        let changed = |id: ProxyId| state.kinds_changed || state.has_changed(id.index() as usize);
        let accept_new = accept_new.map(|accept| {
            move |pair: ProxyPair| (changed(pair.a) || changed(pair.b)) && accept(pair)
        });
        let threads = exec.threads.for_items(found.count.max(before.len()), PARALLEL_PAIRS_MIN);
        threads.enter(|| {
            let workers = threads.workers();
            lengthen_by_default(scratch, workers);
            let scratch = &mut scratch[..workers];
            let copies = partition(threads, &found, &pair_filter, partitions, copies, scratch);
            let diff = Diff {
                level: exec.level,
                slots: &state.slots,
                generations,
                runs: PartitionedRuns([found.among, copies]),
                resting,
                partitions,
                accept_new: accept_new.as_ref().map(|accept| accept as AcceptPair<'_>),
                still_touches: &still_touches,
            };
            touching.reserve_for(found.count);
            compare(threads, &diff, before, (scratch, parts), touching, events);
        });
        copies.reserve_spare(found.forests.iter().map(|runs| runs.len()).sum());
        free_unused(parts, events_of_parts);
        Ok(found.count - touching.columns().len())
    }

    /// Finds the pairs. Those among movers are partitioned at once.
    fn find<'f>(
        &self,
        pair_filter: &PairFilter<'_>,
        partitions: Partitions,
        (compared, kinematic, by_kind): (&[Vec<f32>; 9], &mut Vec<bool>, &'f mut MoversByKind),
        finder: &'f mut PairFinder,
        [fixed, sleeping]: [&'f mut FixedBoxes; 2],
    ) -> Result<FoundRuns<'f>, FindError> {
        let kinds = self.state.kinds;
        let movers = &self.state.movers;
        let boxes = match self.state.fat_movers > 0 {
            true => borrow_columns(compared),
            false => movers.boxes(),
        };
        let set = PairInput::new(boxes);
        let set = if self.filtered { set.filtered(&movers.filters) } else { set };
        let dynamic = &movers.dynamic[..];
        let exist = [dynamic.contains(&true), !movers.all_dynamic()];
        kinematic.clear();
        if exist == [true; 2] && kinds.has_pairs_of_kinematic_alone() {
            kinematic.extend(dynamic.iter().map(|&dynamic| !dynamic));
        }
        let kinematic = &kinematic[..];
        let take = |run: &mut PairRun<SweptPair>, memory: &mut Vec<SweptPair>| {
            pair_filter.filter_and_partition(PairSource::Slots, partitions, run, memory);
        };
        let rules = self.rules;
        let owner = |slot| rules.owner(slot);
        let owners = |slots| rules.owners_allow(slots);
        let all = |slots| rules.allow(slots);
        let (among, n) = match kinds.mover_searches(exist) {
            MoverSearches::Once(kind) => {
                let set = match kind {
                    None => set,
                    Some(ProxyKind::Dynamic) => set.moving(dynamic),
                    Some(_) => set.moving(kinematic),
                };
                let labelled = set.with_slots(bytemuck::cast_slice(&movers.ids));
                let labelled = labelled.tested(rules.of_movers(&owner, &owners, &all));
                runs_of((movers.len() > 1).then(|| finder.swept_pairs_taken(labelled, &take)))?
            }
            MoverSearches::ByKind(searched) => {
                let state = (self.state, self.filtered, rules);
                by_kind.find(state, searched, finder, (pair_filter, partitions))?
            }
        };
        let slot_of = |row: u32| movers.ids[row as usize].index();
        let of_rows = |[row, slot]: [u32; 2]| all([slot_of(row), slot]);
        let owner_of_row = |row| owner(slot_of(row));
        let set = set.tested(rules.of_forest(&of_rows, [&owner_of_row, &owner]));
        let mut count = n;
        let mut find = |forest: &'f mut FixedBoxes, kind| {
            let [of_dynamic, of_kinematic] =
                [ProxyKind::Dynamic, ProxyKind::Kinematic].map(|of| kinds.pairs(of, kind));
            let [has_dynamic, has_kinematic] = exist;
            let set = match () {
                _ if !(has_dynamic && of_dynamic || has_kinematic && of_kinematic) => None,
                _ if has_kinematic && !of_kinematic => Some(set.moving(dynamic)),
                _ if has_dynamic && !of_dynamic => Some(set.moving(kinematic)),
                _ => Some(set),
            };
            let set = set.filter(|_| !forest.is_empty());
            let (runs, n) = runs_of(set.map(|set| forest.swept_pairs(set)))?;
            count = count.saturating_add(n);
            Ok::<_, FindError>(runs)
        };
        let forests = [find(fixed, ProxyKind::Fixed)?, find(sleeping, ProxyKind::Sleeping)?];
        Ok(FoundRuns { among, forests, count })
    }
}

/// Copies the runs of the forests, filters and partitions them.
fn partition<'c>(
    threads: &Threads,
    found: &FoundRuns<'_>,
    pair_filter: &PairFilter<'_>,
    partitions: Partitions,
    copies: &'c mut PairRuns<SweptPair>,
    scratch: &mut [DiffScratch],
) -> &'c [PairRun<SweptPair>] {
    let trees = || found.forests.into_iter().flatten();
    let copies = copies.start(trees().count());
    for (copy, run) in copies.iter_mut().zip(trees()) {
        copy.pairs.append(run.pairs.as_slice());
    }
    // Any worker may take any run.
    let longest = most_of(copies, |run| run.pairs.as_slice().len()).min(pair_filter.scratch_max);
    scratch.iter_mut().for_each(|scratch| reserve_for(&mut scratch.pairs, longest));
    par::for_each(threads, scratch, copies, &|scratch: &mut DiffScratch, _, run| {
        let memory = &mut scratch.pairs;
        pair_filter.filter_and_partition(PairSource::RowAndSlot, partitions, run, memory);
    });
    copies
}

/// Compares the pairs found with the cached ones, partition by partition.
fn compare(
    threads: &Threads,
    diff: &Diff<'_>,
    before: PairColumns<'_>,
    (scratch, parts): (&mut [DiffScratch], &mut Vec<Events>),
    touching: &mut PairTable,
    events: &mut Events,
) {
    let partitions = diff.partitions;
    let lengths = diff.runs.lengths();
    let ends = partitions.ends_in(before.a);
    let before_of = |part: usize| if part > 0 { ends[part - 1] } else { 0 }..ends[part];
    let longest_before = (0..partitions.count).map(|part| before_of(part).len()).max().unwrap_or(0);
    let longest = most_of(&lengths, |&length| length);
    // The memory for a partition with at most this many found pairs, and as many cached ones.
    let reserve = |scratch: &mut DiffScratch, most: usize| {
        let [longest, before] = [longest, longest_before].map_each(|length| most.min(length));
        scratch.reserve_for(diff.level, partitions.width(), longest, before);
    };
    touching.resize(sum_of(&lengths, |&length| length));
    let mut rest = touching.columns_mut();
    let mut next = |part: usize| (rest.split_off(lengths[part]), before.slice(before_of(part)));
    let mut written = [0; PARTITIONS_MAX];
    if let [scratch] = scratch {
        reserve(scratch, usize::MAX);
        for (part, written) in written[..partitions.count].iter_mut().enumerate() {
            *written = diff.part(part, scratch, next(part), events);
        }
        events.reserve_spare();
        return touching.compact(&lengths[..partitions.count], &written);
    }
    lengthen_by_default(parts, partitions.count);
    let parts = &mut parts[..partitions.count];
    let mut lists = parts.iter_mut().zip(&mut written).enumerate();
    let mut items: [_; PARTITIONS_MAX] =
        core::array::from_fn(|_| lists.next().map(|(part, lists)| (next(part), lists)));
    let items = &mut items[..partitions.count];
    let length = |item: &Option<((ColumnsMut<'_>, PairColumns<'_>), _)>| {
        item.as_ref().map_or(0, |((to, before), _)| Ord::max(to.a.len(), before.len()))
    };
    let of_items = (&length as _, SHORT);
    par::for_each_by_length(threads, scratch, items, of_items, &reserve, &|scratch, part, item| {
        if let Some((pairs, (events, written))) = item.take() {
            *written = diff.part(part, scratch, pairs, events);
            events.reserve_spare();
        }
    });
    events.append(threads, parts);
    events.reserve_spare();
    touching.compact(&lengths[..partitions.count], &written);
}

/// Frees the memory of the events of partitions, if it is many times what the last ticks needed: in different ticks the events are
/// in different partitions, and each would keep the memory of its largest tick.
fn free_unused(parts: &mut [Events], needed: &mut RecentMax) {
    let most = needed.record(sum_of(parts, Events::count)).saturating_mul(UNUSED_FACTOR);
    if have_places_above(parts, most) {
        parts.iter_mut().for_each(Events::drop_spare);
    }
}

/// Whether the events of partitions have more than `most` places, besides some for each partition.
fn have_places_above(parts: &[Events], most: usize) -> bool {
    sum_of(parts, Events::capacity) > most.saturating_add(UNUSED_EACH * parts.len())
}

/// Copies the boxes of the movers, with the fat AABB instead of the box where there is a margin.
fn write_compared_boxes(movers: &MoverStore, compared: &mut [Vec<f32>; 9]) {
    for (k, to) in compared.iter_mut().enumerate() {
        reserve_for(to, movers.len());
        to.clear();
        let zeros = core::iter::repeat(&0.0);
        let low = &movers.fat[0];
        match movers.fat.get(k) {
            Some(fat) => to.extend(choose(low, fat.iter(), &movers.columns[k])),
            None => to.extend(choose(low, zeros, &movers.columns[k])),
        }
    }
}

/// The elements of `fat` in rows with a margin, and those of `exact` in the others.
fn choose<'a>(
    low: &'a [f32],
    fat: impl Iterator<Item = &'a f32>,
    exact: &'a [f32],
) -> impl Iterator<Item = f32> {
    let rows = low.iter().zip(fat).zip(exact);
    rows.map(|((&low, &fat), &exact)| if low > -f32::MAX { fat } else { exact })
}

/// The cached pairs to compare with, in order: the touching pairs of the last tick, merged with the
/// resting pairs of which a proxy has changed. Both inputs are sorted.
fn merge<'a>(state: &'a BroadphaseState, merged: &'a mut PairTable) -> PairColumns<'a> {
    let mut touching = state.touching.table();
    if state.dirty_pairs.is_empty() {
        return touching;
    }
    let count = touching.len() + state.dirty_pairs.len();
    merged.reserve_for(count);
    merged.resize(count);
    let mut to = merged.columns_mut();
    for &ProxyPair { a, b } in &state.dirty_pairs {
        let slots = [a.index(), b.index()];
        let sooner = touching.before(slots);
        to.append(touching.slice(0..sooner));
        to.append(PairColumns { a: &slots[..1], b: &slots[1..], first: &[0.0] });
        touching = touching.slice(sooner..touching.len());
    }
    to.append(touching);
    merged.columns()
}
