//! Looks up the found pairs of a partition among the cached pairs, and merges the new ones in.
//!
//! Most pairs touch for many ticks. So each found pair is looked up among the cached pairs
//! (`rows`); if it is there, its new time is stored, and nothing else is done. Only pairs that are
//! not there have to be sorted (`order`). A merge of both then yields all touching pairs; cached
//! pairs without a new time have ended. The loops are branch-free, because whether a pair is new is
//! unpredictable.

use super::index::{Keys, PairIndex};
use super::partition::{AcceptPair, PartitionedRuns};
use super::{ColumnsMut, PairColumns};
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::proxies::id::ProxyPair;
use crate::broadphase::proxies::slots::{Slots, floats_of, of_slot};
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use crate::lanes::{F32Lanes, IOTA, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes, prefetch};
use alloc::vec::Vec;

/// The pairs of a partition are pieces of the runs. This many pieces are prefetched ahead.
const AHEAD: usize = 6;
/// The time that marks a cached pair as not found in this tick.
const ABSENT: f32 = -1.0;

/// Scratch memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct LookUpScratch {
    rows: PairIndex,
    /// New time of each cached pair, or [`ABSENT`].
    times: Vec<f32>,
    /// The pairs that are not cached.
    new: Vec<SweptPair>,
    /// The lower slots of the merged pairs, with padding for one group of lanes.
    a: Vec<u32>,
    /// The other slots of the merged pairs, with the same padding.
    b: Vec<u32>,
    /// The times of the merged pairs, with the same padding.
    first: Vec<f32>,
    /// Positions of the cached pairs that have ended.
    ended: Vec<u32>,
}

impl_memory!(LookUpScratch { rows, times, new, a, b, first, ended });

impl LookUpScratch {
    /// Reserves memory for a partition with this many slots, found pairs and cached pairs.
    pub(crate) fn reserve_for(&mut self, level: Level, slots: usize, pairs: usize, cached: usize) {
        self.rows.reserve_for(level, slots, cached);
        let padded = pairs + LANES_MAX;
        for (column, len) in
            [(&mut self.a, padded), (&mut self.b, padded), (&mut self.ended, cached + LANES_MAX)]
        {
            reserve_for(column, len);
            column.resize(len.max(column.len()), 0);
        }
        for (column, len) in [(&mut self.first, padded), (&mut self.times, cached + LANES_MAX)] {
            reserve_for(column, len);
            column.resize(len.max(column.len()), 0.0);
        }
        reserve_for(&mut self.new, pairs + 1);
        self.new.resize((pairs + 1).max(self.new.len()), SweptPair::default());
    }

    /// Stores the new time of each cached pair that was found. Returns how many pairs are not
    /// cached; [`LookUpScratch::new_pairs`] has them, in the order in which they were found. `part` is
    /// the first slot of the partition and how many there are.
    pub(crate) fn look_up(
        &mut self,
        level: Level,
        slots: &Slots,
        found: (PartitionedRuns<'_>, usize),
        (cached, part): (PairColumns<'_>, (u32, usize)),
    ) -> usize {
        let Self { rows, times, new, .. } = self;
        times[..cached.len() + LANES_MAX].fill(ABSENT);
        rows.fill(level, cached, part);
        let keys = rows.keys(part.0);
        if slots.reused.is_empty() {
            level.run(LookUp::<false> { found, slots, keys, times, new })
        } else {
            level.run(LookUp::<true> { found, slots, keys, times, new })
        }
    }

    /// The first `count` of the pairs that are not cached.
    pub(crate) fn new_pairs(&self, count: usize) -> &[SweptPair] {
        &self.new[..count]
    }

    /// Keeps those of the first `count` new pairs that `accept` accepts. Returns how many.
    pub(crate) fn retain_new(
        &mut self,
        count: usize,
        accept: AcceptPair<'_>,
        slots: &Slots,
    ) -> usize {
        let mut kept = 0;
        for k in 0..count {
            let pair = self.new[k];
            let id = |slot: u32| slots.id(slot as usize);
            self.new[kept] = pair;
            kept += usize::from(accept(ProxyPair { a: id(pair.a), b: id(pair.b) }));
        }
        kept
    }

    /// Merges `new`, which is sorted, with the cached pairs that touch. Writes the result to `to`,
    /// which has the same length. Returns the positions of the cached pairs that have ended.
    pub(crate) fn merge(
        &mut self,
        level: Level,
        new: &[SweptPair],
        to: &mut ColumnsMut<'_>,
    ) -> &[u32] {
        let Self { rows, times, a, b, first, ended, .. } = self;
        let count = to.first.len();
        let columns = ColumnsMut { a: &mut *a, b: &mut *b, first: &mut *first };
        let merged = Merged { columns, ended_at: ended, len: 0, ended: 0 };
        let count_ended = level.run(Merge { rows, times, new, merged });
        to.append(PairColumns { a: &a[..count], b: &b[..count], first: &first[..count] });
        &ended[..count_ended]
    }
}

/// The kernel of [`LookUpScratch::look_up`]; returns how many pairs are new. `REUSED` says whether any
/// slot of a cached pair has been freed since.
struct LookUp<'a, const REUSED: bool> {
    found: (PartitionedRuns<'a>, usize),
    slots: &'a Slots,
    keys: Keys<'a>,
    times: &'a mut [f32],
    new: &'a mut [SweptPair],
}

impl<const REUSED: bool> Kernel for LookUp<'_, REUSED> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { found: (runs, part), slots, keys, times, new } = self;
        let mut new_count = 0;
        let mut ahead = runs.part(part).skip(AHEAD);
        for pairs in runs.part(part) {
            if let Some(next) = ahead.next() {
                prefetch(next);
            }
            for &pair in pairs {
                let SweptPair { a, b, first } = pair;
                // The position past the last cached pair is never read.
                let mut at = keys.find(isa, a, b);
                if REUSED && at < keys.count && (slots.is_reused(a) || slots.is_reused(b)) {
                    at = keys.count;
                }
                times[at] = first;
                new[new_count] = pair;
                new_count += usize::from(at == keys.count);
            }
        }
        new_count
    }
}

/// The output of the merge, with padding for one group of lanes.
struct Merged<'a> {
    columns: ColumnsMut<'a>,
    ended_at: &'a mut [u32],
    len: usize,
    ended: usize,
}

impl Merged<'_> {
    #[inline(always)]
    fn push(&mut self, pair: SweptPair) {
        let ColumnsMut { a, b, first } = &mut self.columns;
        (a[self.len], b[self.len], first[self.len]) = (pair.a, pair.b, pair.first);
        self.len += 1;
    }
}

/// The kernel of [`LookUpScratch::merge`]; returns how many pairs have ended.
struct Merge<'a> {
    rows: &'a PairIndex,
    times: &'a [f32],
    new: &'a [SweptPair],
    merged: Merged<'a>,
}

impl Kernel for Merge<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { rows, times, new, mut merged } = self;
        let mut at = 0;
        for &pair in new {
            let next = [of_slot(pair.a), of_slot(pair.b)];
            at = append_cached_before(isa, (rows, times), at, next, &mut merged);
            merged.push(pair);
        }
        append_cached_before(isa, (rows, times), at, [f32::INFINITY; 2], &mut merged);
        merged.ended
    }
}

/// Appends the cached pairs from position `at` on that are ordered before `next`. Returns the
/// position of the first one that is not.
#[inline(always)]
fn append_cached_before<I: Isa>(
    isa: I,
    (rows, times): (&PairIndex, &[f32]),
    mut at: usize,
    [next_a, next_b]: [f32; 2],
    merged: &mut Merged<'_>,
) -> usize {
    let (next_a, next_b) = (isa.splat(next_a), isa.splat(next_b));
    let iota = isa.load_u32(&IOTA);
    loop {
        let (a, b) = (isa.load_u32(&rows.lower[at..]), isa.load_u32(&rows.upper[at..]));
        let (lower, upper) = (floats_of(isa, a), floats_of(isa, b));
        let times = isa.load(&times[at..]);
        let sooner = lower.lt(next_a) | (lower.eq(next_a) & upper.lt(next_b));
        let touch = sooner & isa.splat(0.0).le(times);
        let (count, stay) = (sooner.count(), touch.count());
        let Merged { columns: to, len, .. } = &mut *merged;
        a.compress(touch).store(&mut to.a[*len..]);
        b.compress(touch).store(&mut to.b[*len..]);
        I::F32::from_bits(times.to_bits().compress(touch)).store(&mut to.first[*len..]);
        let places = isa.splat_u32(at as u32).wrapping_add(iota);
        places.compress(sooner & !touch).store(&mut merged.ended_at[merged.ended..]);
        merged.len += stay;
        merged.ended += count - stay;
        at += count;
        if count < I::LANES {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LookUpScratch;
    use crate::broadphase::pairs::runs::PairRun;
    use crate::broadphase::proxies::Proxy;
    use crate::broadphase::proxies::pair_cache::PairTable;
    use crate::broadphase::proxies::pair_cache::partition::{
        PairFilter, PairSource, PartitionedRuns, Partitions,
    };
    use crate::broadphase::proxies::slots::Slots;
    use crate::geom::SweptPair;
    use crate::lanes::Level;
    use alloc::collections::{BTreeMap, BTreeSet};
    use alloc::vec::Vec;

    const SLOTS: u32 = 600;

    fn columns(pairs: &BTreeMap<(u32, u32), f32>) -> PairTable {
        let mut cached = PairTable::default();
        for (&(a, b), &first) in pairs {
            cached.a.push(a);
            cached.b.push(b);
            cached.first.push(first);
        }
        cached
    }

    /// Goal: the merge has exactly the pairs that touch, with their new times; a pair is new if it
    /// was not cached or one of its slots was reused, and it has ended if it does not touch or is
    /// new. Method: comparison with maps, over ticks in which few, many or all pairs begin or end,
    /// in one run and in many, in one partition and in many, with slots reused in every other tick;
    /// on every level, with the memory of the tick before.
    #[test]
    fn pairs_that_stay_are_recalled() {
        for level in Level::all() {
            let mut draw = 1_u32;
            let mut draw = |below: u32| {
                draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (draw >> 8) % below
            };
            let mut slots = Slots::default();
            (0..SLOTS).for_each(|_| _ = slots.insert(Proxy::dynamic()));
            slots.mark_cached();
            let mut scratch = LookUpScratch::default();
            let mut before = BTreeMap::new();
            for tick in 0..24 {
                let mut now: BTreeMap<(u32, u32), f32> = BTreeMap::new();
                // No pair stays in one of these cases, and no pair begins in another.
                let (stay, come) = [(90, 300), (50, 2000), (0, 1000), (100, 0), (97, 9)][tick % 5];
                let still_touches = before.keys().filter(|_| draw(100) < stay).copied();
                let still_touches: Vec<(u32, u32)> = still_touches.collect();
                for pair in still_touches {
                    now.insert(pair, draw(1000) as f32 / 999.0);
                }
                for _ in 0..come {
                    // Some slots have many pairs.
                    let a = if draw(3) == 0 { draw(4) * 140 } else { draw(SLOTS - 1) };
                    now.insert((a, a + 1 + draw(SLOTS - a - 1)), draw(1000) as f32 / 999.0);
                }
                if tick % 2 == 1 {
                    for _ in 0..9 {
                        slots.remove(draw(SLOTS) as usize);
                        slots.insert(Proxy::dynamic());
                    }
                }
                let reused: BTreeSet<u32> = slots.reused.iter().copied().collect();
                let is_new = |&(a, b): &(u32, u32)| {
                    !before.contains_key(&(a, b)) || reused.contains(&a) || reused.contains(&b)
                };

                let partitions = Partitions::new(SLOTS as usize, [0, 16_384, 1 << 20][tick % 3]);
                let mut runs: Vec<PairRun<SweptPair>> = Vec::new();
                runs.resize_with([1, 5, 40][tick % 3], PairRun::default);
                for (&(a, b), &first) in &now {
                    let run = draw(runs.len() as u32) as usize;
                    runs[run].pairs.append(&[SweptPair { a, b, first }]);
                }
                let pair_filter = PairFilter {
                    slots: &slots,
                    movers: &[],
                    kinds: None,
                    inexact_filters: false,
                    owned: false,
                    accept: None,
                };
                runs.iter_mut().for_each(|run| {
                    pair_filter.filter_and_partition(
                        PairSource::Slots,
                        partitions,
                        run,
                        &mut Vec::new(),
                    );
                });
                let runs = PartitionedRuns([&runs, &[]]);
                let (cached, mut merged) = (columns(&before), PairTable::default());
                merged.resize(now.len());
                let (mut rest, mut to) = (cached.columns(), merged.columns_mut());
                let (mut began, mut gone) = (BTreeSet::new(), BTreeSet::new());
                for (part, &length) in runs.lengths().iter().enumerate().take(partitions.count) {
                    let end = rest.below(partitions.slots(part).end);
                    let of_part = rest.slice(0..end);
                    rest = rest.slice(end..rest.len());
                    let slots_of_part = (partitions.slots(part).start as u32, partitions.width());
                    scratch.reserve_for(level, partitions.width(), length, end);
                    let new =
                        scratch.look_up(level, &slots, (runs, part), (of_part, slots_of_part));
                    let mut new = scratch.new_pairs(new).to_vec();
                    new.sort_unstable_by_key(|pair| (pair.a, pair.b));
                    began.extend(new.iter().map(|pair| (pair.a, pair.b)));
                    let ended = scratch.merge(level, &new, &mut to.split_off(length));
                    assert!(ended.is_sorted());
                    gone.extend(ended.iter().map(|&k| {
                        let pair = of_part.get(k as usize);
                        (pair.a, pair.b)
                    }));
                }
                assert_eq!(merged, columns(&now), "{level} {tick}");
                assert!(began.iter().eq(now.keys().filter(|&pair| is_new(pair))));
                let ends = |pair: &&(u32, u32)| !now.contains_key(pair) || began.contains(pair);
                assert!(gone.iter().eq(before.keys().filter(ends)), "{level} {tick}");
                before = now;
                slots.mark_cached();
            }
        }
    }
}
