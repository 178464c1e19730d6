//! Looks up the found pairs of a partition among the cached pairs, and merges the new ones in.
//!
//! Most pairs touch for many ticks. So each found pair is looked up among the cached pairs
//! (`index.rs`); if it is there, its new time is stored, and nothing else is done. Only pairs that are
//! not there have to be sorted (`sort.rs`). A merge of both then yields all touching pairs; cached
//! pairs without a new time have ended. The loops are branch-free, because whether a pair is new is
//! unpredictable.

use super::index::{Keys, PAST_SLOTS, PairIndex};
use super::partition::{AcceptPair, PartitionedRuns};
use super::{ColumnsMut, PairColumns};
use crate::broadphase::pairs::buffer::{lengthen, reserve_for};
use crate::broadphase::proxies::id::ProxyPair;
use crate::broadphase::proxies::slots::{Slots, float_of_slot, floats_of};
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use crate::lanes::{F32Lanes, IOTA, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes, prefetch};
use alloc::vec::Vec;

/// The pairs of a partition are pieces of the runs. This many pieces are prefetched ahead.
const AHEAD: usize = 6;
/// Number of found pairs that are looked up before the result is stored.
const BLOCK: usize = 64;
/// With fewer new pairs, the search for the middle takes longer than a merge of halves saves.
const HALVED_MIN: usize = 256;
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
    /// The slots of the cached pairs that have ended, the lower ones and the others.
    ended: [Vec<u32>; 2],
}

impl_memory!(LookUpScratch { rows, times, new, ended });

impl LookUpScratch {
    /// Reserves memory for a partition with this many slots, found pairs and cached pairs.
    pub(crate) fn reserve_for(&mut self, level: Level, slots: usize, pairs: usize, cached: usize) {
        self.rows.reserve_for(level, slots, cached);
        let padded = cached + LANES_MAX;
        for column in &mut self.ended {
            reserve_for(column, padded);
            lengthen(column, padded);
        }
        reserve_for(&mut self.times, padded);
        lengthen(&mut self.times, padded);
        reserve_for(&mut self.new, pairs + 1);
        self.new.resize((pairs + 1).max(self.new.len()), SweptPair::default());
    }

    /// The number of found pairs or of cached ones that fit.
    pub(crate) fn capacity(&self) -> usize {
        self.times.capacity().max(self.new.capacity())
    }

    /// Stores the new time of each cached pair that was found. Returns how many pairs are not
    /// cached; [`LookUpScratch::new_pairs`] has them, in the order in which they were found. `part` is
    /// the first slot of the partition and the number of its slots.
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
    /// which has the same length. Returns the slots of the cached pairs that have ended, in order.
    pub(crate) fn merge(
        &mut self,
        level: Level,
        new: &[SweptPair],
        to: ColumnsMut<'_>,
    ) -> [&[u32]; 2] {
        let Self { rows: PairIndex { lower, upper, .. }, times, ended: [ended_a, ended_b], .. } =
            self;
        let ended = [&mut ended_a[..], &mut ended_b[..]];
        let count = lower.len() - LANES_MAX;
        let columns = ColumnsMut { a: lower, b: upper, first: times };
        let count_ended = level.run(Merge { cached: columns, count, new, to, ended });
        [&ended_a[..count_ended], &ended_b[..count_ended]]
    }
}

/// The kernel of [`LookUpScratch::look_up`]; returns how many pairs are new. `REUSED` states whether any slot of a cached pair has been freed since.
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
        let (iota, absent) = (isa.load_u32(&IOTA), isa.splat_u32(keys.count as u32));
        let (mut places, mut which) = ([0; BLOCK + LANES_MAX], [0; BLOCK + LANES_MAX]);
        let mut new_count = 0;
        let mut ahead = runs.part(part).skip(AHEAD);
        for pairs in runs.part(part) {
            if let Some(next) = ahead.next() {
                prefetch(next);
            }
            for block in pairs.chunks(BLOCK) {
                for (place, &SweptPair { a, b, .. }) in places.iter_mut().zip(block) {
                    let mut at = keys.find(isa, a, b);
                    if REUSED && at < keys.count && (slots.is_reused(a) || slots.is_reused(b)) {
                        at = keys.count;
                    }
                    *place = at as u32;
                }
                // The position past the last cached pair is never read.
                for (&place, pair) in places.iter().zip(block) {
                    times[place as usize] = pair.first;
                }
                isa.splat_u32(u32::MAX).store(&mut places[block.len()..]);
                let mut count = 0;
                for k in (0..block.len()).step_by(I::LANES) {
                    let is_new = isa.load_u32(&places[k..]).eq(absent);
                    let lanes = isa.splat_u32(k as u32).wrapping_add(iota);
                    lanes.compress(is_new).store(&mut which[count..]);
                    count += is_new.count();
                }
                let to = new[new_count..new_count + count].iter_mut();
                for (to, &k) in to.zip(&which) {
                    *to = block[k as usize];
                }
                new_count += count;
            }
        }
        new_count
    }
}

/// The kernel of [`LookUpScratch::merge`]; returns how many pairs have ended.
struct Merge<'a> {
    /// The cached pairs with their new times, and padding for one group of lanes.
    cached: ColumnsMut<'a>,
    /// The number of cached pairs.
    count: usize,
    new: &'a [SweptPair],
    to: ColumnsMut<'a>,
    /// The slots of the pairs that have ended, with the same padding.
    ended: [&'a mut [u32]; 2],
}

impl Kernel for Merge<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { mut cached, count, new, mut to, ended } = self;
        let (kept, count_ended) = compact(isa, &mut cached, count, ended);
        let ColumnsMut { a, b, first } = cached;
        let cached = PairColumns { a, b, first };
        // Each step waits for the step before, so two halves are merged at once.
        let (new, later) = new.split_at(if new.len() < HALVED_MIN { 0 } else { new.len() / 2 });
        let middle = match later.first() {
            Some(pair) if !new.is_empty() => cached.slice(0..kept).before([pair.a, pair.b]),
            _ => 0,
        };
        let mut halves = [
            MergedPart { at: 0, len: 0, to: to.split_off(middle + new.len()) },
            MergedPart { at: middle, len: 0, to },
        ];
        for (pair, other) in new.iter().zip(later) {
            halves[0].append(isa, cached, *pair);
            halves[1].append(isa, cached, *other);
        }
        for pair in &later[new.len()..] {
            halves[1].append(isa, cached, *pair);
        }
        let [first_half, second_half] = halves;
        first_half.append_rest(cached, middle);
        second_half.append_rest(cached, kept);
        count_ended
    }
}

/// A part of the result of a merge.
struct MergedPart<'a> {
    /// The next cached pair.
    at: usize,
    /// How many pairs are in the result.
    len: usize,
    to: ColumnsMut<'a>,
}

impl MergedPart<'_> {
    /// Appends the cached pairs that are ordered before a new pair, and the new pair.
    #[inline(always)]
    fn append<I: Isa>(&mut self, isa: I, cached: PairColumns<'_>, pair: SweptPair) {
        let Self { at, len, to } = self;
        let (next_a, next_b) = (isa.splat(float_of_slot(pair.a)), isa.splat(float_of_slot(pair.b)));
        loop {
            let group = (isa.load_u32(&cached.a[*at..]), isa.load_u32(&cached.b[*at..]));
            let (lower, upper) = (floats_of(isa, group.0), floats_of(isa, group.1));
            let sooner = lower.lt(next_a) | (lower.eq(next_a) & upper.lt(next_b));
            let count = sooner.count();
            store::<I>(to, *len, (group, isa.load(&cached.first[*at..])), count);
            (*at, *len) = (*at + count, *len + count);
            if count < I::LANES {
                break;
            }
        }
        (to.a[*len], to.b[*len], to.first[*len]) = (pair.a, pair.b, pair.first);
        *len += 1;
    }

    /// Appends the cached pairs before position `end`.
    fn append_rest(self, cached: PairColumns<'_>, end: usize) {
        let Self { at, len, mut to } = self;
        to.split_off(len);
        to.append(cached.slice(at..end));
    }
}

/// Moves the cached pairs that touch to the front, followed by one group of padding, and lists those that have ended. Returns
/// how many there are of each.
#[inline(always)]
fn compact<I: Isa>(
    isa: I,
    cached: &mut ColumnsMut<'_>,
    count: usize,
    mut ended: [&mut [u32]; 2],
) -> (usize, usize) {
    let ColumnsMut { a, b, first } = cached;
    let past = isa.splat_u32(PAST_SLOTS);
    let (mut kept, mut count_ended) = (0, 0);
    for at in (0..count).step_by(I::LANES) {
        let slots = [isa.load_u32(&a[at..]), isa.load_u32(&b[at..])];
        let times = isa.load(&first[at..]);
        let is_pair = !slots[0].eq(past);
        let touch = is_pair & isa.splat(0.0).le(times);
        let ends = is_pair & !touch;
        // Of the groups behind this one nothing is overwritten.
        slots[0].compress(touch).store(&mut a[kept..]);
        slots[1].compress(touch).store(&mut b[kept..]);
        I::F32::from_bits(times.to_bits().compress(touch)).store(&mut first[kept..]);
        kept += touch.count();
        for (to, slots) in ended.iter_mut().zip(slots) {
            slots.compress(ends).store(&mut to[count_ended..]);
        }
        count_ended += ends.count();
    }
    past.store(&mut a[kept..]);
    (kept, count_ended)
}

/// Stores the first `count` lanes at position `start`. What follows the columns belongs to the next partition.
#[inline(always)]
fn store<I: Isa>(
    to: &mut ColumnsMut<'_>,
    start: usize,
    ((a, b), first): ((I::U32, I::U32), I::F32),
    count: usize,
) {
    let end = start + I::LANES;
    if end <= to.first.len() {
        a.store(&mut to.a[start..end]);
        b.store(&mut to.b[start..end]);
        first.store(&mut to.first[start..end]);
        return;
    }
    let (mut words, mut times) = ([[0; LANES_MAX]; 2], [0.0; LANES_MAX]);
    a.store(&mut words[0]);
    b.store(&mut words[1]);
    first.store(&mut times);
    to.a[start..start + count].copy_from_slice(&words[0][..count]);
    to.b[start..start + count].copy_from_slice(&words[1][..count]);
    to.first[start..start + count].copy_from_slice(&times[..count]);
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
    use crate::columns::Memory as _;
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
    /// on every level, with the memory of the tick before. No memory is allocated but what was reserved.
    #[test]
    fn pairs_that_persist_are_found() {
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
                let pair_filter =
                    PairFilter { slots: &slots, movers: &[], accept: None, scratch_max: 1000 };
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
                let ends = partitions.ends_in(&cached.a);
                let (mut start, mut to) = (0, merged.columns_mut());
                let (mut began, mut gone) = (BTreeSet::new(), BTreeSet::new());
                for (part, &length) in runs.lengths().iter().enumerate().take(partitions.count) {
                    let of_part = cached.columns().slice(start..ends[part]);
                    start = ends[part];
                    let slots_of_part = (partitions.slots(part).start as u32, partitions.width());
                    scratch.reserve_for(level, partitions.width(), length, of_part.len());
                    let bytes = scratch.bytes();
                    let new =
                        scratch.look_up(level, &slots, (runs, part), (of_part, slots_of_part));
                    let mut new = scratch.new_pairs(new).to_vec();
                    new.sort_unstable_by_key(|pair| (pair.a, pair.b));
                    began.extend(new.iter().map(|pair| (pair.a, pair.b)));
                    let [a, b] = scratch.merge(level, &new, to.split_off(length));
                    let ended: Vec<(u32, u32)> = a.iter().copied().zip(b.iter().copied()).collect();
                    assert!(ended.is_sorted());
                    assert_eq!(scratch.bytes(), bytes, "{level} {tick}");
                    gone.extend(ended);
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
