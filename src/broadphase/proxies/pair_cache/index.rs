//! An index of the cached pairs of one partition: finds the position of a pair.
//!
//! The index is in compressed sparse row (CSR) form: the pairs with the same lower slot are a
//! *row*, and the start of each row is stored. A pair is found by comparing both slots of one group
//! of lanes, starting at its row. A row that is longer than a group also has a *skip index*: the
//! range of its other slots is divided into equal intervals, and for each interval the position of
//! its first pair is stored. So finding a pair takes the same few steps in a row of five and in a
//! row of five thousand. Only if slots are distributed very unevenly, a binary search within an
//! interval follows.

use super::PairColumns;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::proxies::slots::of_slot;
use crate::columns::impl_memory;
use crate::lanes::{F32Lanes, Isa, LANES_MAX, Level, LoadColumns as _, MaskLanes, Table};
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

/// Average number of pairs for each entry of a skip index.
const PAIRS_PER_ENTRY: usize = 4;

/// The index of one partition, and its memory.
#[derive(Debug, Default)]
pub(crate) struct PairIndex {
    /// The lower slots of the pairs, as floats, followed by one group of lanes that are greater. A
    /// copy of the cached column: look-ups access it at random, and this copy is in the cache.
    pub(crate) lower: Vec<f32>,
    /// The other slots of the pairs, likewise.
    pub(crate) upper: Vec<f32>,
    /// Start of the row of each slot of the partition. A value of `pairs + 1 + k` stands for the
    /// long row `k`. Slots without a row have the value 0, as all slots have between two
    /// partitions; the comparison then finds no pair.
    starts: Vec<u32>,
    long: Vec<Long>,
    guides: Vec<u32>,
}

impl_memory!(PairIndex { lower, upper, starts, long, guides });

/// A row with more pairs than lanes, and where its skip index is.
#[derive(Clone, Copy, Debug)]
struct Long {
    /// The smallest of the other slots.
    least: u32,
    /// Base-2 logarithm of the number of slots in an interval.
    shift: u32,
    /// Position of the first entry of the skip index.
    guide: u32,
    /// Number of intervals. One more entry follows, with the end of the row.
    entries: u32,
}

impl PairIndex {
    /// Reserves memory for a partition with this many slots and pairs.
    pub(crate) fn reserve_for(&mut self, level: Level, slots: usize, pairs: usize) {
        reserve_for(&mut self.lower, pairs + LANES_MAX);
        reserve_for(&mut self.upper, pairs + LANES_MAX);
        reserve_for(&mut self.starts, slots);
        self.starts.resize(slots.max(self.starts.len()), 0);
        let long = pairs / (level.lanes() + 1);
        reserve_for(&mut self.long, long);
        // The number of intervals is rounded up, and the end takes one more entry.
        reserve_for(&mut self.guides, pairs / PAIRS_PER_ENTRY + 2 * long);
    }

    /// Builds the index. `first` is the first slot of the partition.
    pub(crate) fn fill(&mut self, level: Level, cached: PairColumns<'_>, first: u32) {
        let Self { lower, upper, starts, long, guides } = self;
        let count = cached.len();
        for (floats, column) in [(&mut *lower, cached.a), (&mut *upper, cached.b)] {
            floats.clear();
            floats.extend(column.iter().map(|&slot| of_slot(slot)));
            floats.resize(count + LANES_MAX, f32::INFINITY);
        }
        for (k, &a) in cached.a.iter().enumerate().rev() {
            starts[(a - first) as usize] = k as u32;
        }
        long.clear();
        guides.clear();
        let lanes = level.lanes();
        // Most partitions have no long row, which a branch-free sum detects.
        let further = cached.a.iter().zip(cached.a.get(lanes..).unwrap_or_default());
        if further.map(|(a, b)| u32::from(a == b)).sum::<u32>() == 0 {
            return;
        }
        // Pairs this far apart are compared, so that every long row is hit.
        let step = lanes.div_ceil(2);
        let mut k = step;
        while k < count {
            let slot = cached.a[k];
            if cached.a[k - step] == slot {
                let start = starts[(slot - first) as usize] as usize;
                while cached.a.get(k) == Some(&slot) {
                    k += 1;
                }
                if k - start > lanes {
                    starts[(slot - first) as usize] = (count + 1 + long.len()) as u32;
                    long.push(Long::new(cached, start..k, guides));
                }
            }
            k += step;
        }
    }

    /// A view for look-ups. `first` is the first slot of the partition.
    #[inline(always)]
    pub(crate) fn keys(&self, first: u32) -> Keys<'_> {
        let padded = self.upper.len();
        let slots = Table::new([&self.lower[..], &self.upper[..]], padded);
        Keys { slots, starts: &self.starts, rows: self, first, count: padded - LANES_MAX }
    }

    /// Where a group of lanes must be compared to find a pair of long row `which`.
    #[inline(never)]
    fn find_long(&self, which: usize, b: u32, lanes: usize) -> usize {
        let long = &self.long[which];
        let entry = (b.wrapping_sub(long.least) >> long.shift).min(long.entries - 1);
        let entry = (long.guide + entry) as usize;
        let mut start = self.guides[entry] as usize;
        let mut len = self.guides[entry + 1] as usize - start;
        while len > lanes {
            let half = len / 2;
            let is_before = self.upper[start + half - 1] < of_slot(b);
            start = select_unpredictable(is_before, start + half, start);
            len -= half;
        }
        start
    }

    /// Resets the starts of the rows to 0.
    pub(crate) fn clear(&mut self, cached: PairColumns<'_>, first: u32) {
        cached.a.iter().for_each(|&a| self.starts[(a - first) as usize] = 0);
    }
}

/// A view of [`PairIndex`] for look-ups.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    slots: Table<'a, f32, 2>,
    starts: &'a [u32],
    rows: &'a PairIndex,
    first: u32,
    /// The number of pairs, without the padding.
    pub(crate) count: usize,
}

impl Keys<'_> {
    /// The position of the pair of these slots, or `count` if there is no such pair.
    #[inline(always)]
    pub(crate) fn find<I: Isa>(&self, isa: I, a: u32, b: u32) -> usize {
        let mut start = self.starts[a.wrapping_sub(self.first) as usize] as usize;
        if start > self.count {
            start = self.rows.find_long(start - self.count - 1, b, I::LANES);
        }
        let [lower, upper] = self.slots.load(isa, start);
        let same = lower.eq(isa.splat(of_slot(a))) & upper.eq(isa.splat(of_slot(b)));
        // Bit arithmetic, because compilers turn a select into a branch. `place` is `LANES` if no
        // lane is equal.
        let place = (same.bits() | 1 << I::LANES).trailing_zeros() as usize;
        let none = (place / I::LANES).wrapping_neg();
        (start + place) & !none | self.count & none
    }
}

impl Long {
    /// Describes a row and appends its skip index to `guides`.
    fn new(cached: PairColumns<'_>, row: Range<usize>, guides: &mut Vec<u32>) -> Self {
        let others = &cached.b[row.clone()];
        let (least, guide) = (others[0], guides.len());
        let range = others[others.len() - 1] - least;
        let accepted = others.len().div_ceil(PAIRS_PER_ENTRY) as u32;
        let shift = (range / accepted).checked_ilog2().map_or(0, |bits| bits + 1);
        let entries = (range >> shift) + 1;
        let mut pair = row.start;
        for entry in 0..entries {
            guides.push(pair as u32);
            let end = least + ((entry + 1) << shift);
            while pair < row.end && cached.b[pair] < end {
                pair += 1;
            }
        }
        guides.push(row.end as u32);
        Self { least, shift, guide: guide as u32, entries }
    }
}

#[cfg(test)]
mod tests {
    use super::{LANES_MAX, PairColumns, PairIndex};
    use crate::lanes::{Isa, Kernel, Level};
    use alloc::vec::Vec;

    struct Find<'a> {
        rows: &'a PairIndex,
        accepted: [u32; 2],
    }

    /// The first slot of the partition.
    const FIRST: u32 = 1024;
    const SLOTS: u32 = 512;

    impl Kernel for Find<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> usize {
            let [a, b] = self.accepted;
            self.rows.keys(FIRST).find(isa, a, b)
        }
    }

    /// Goal: on every level each pair is found at its position, and no other pair is found. Method:
    /// rows of lengths around the number of lanes and up to a thousand; other slots that are
    /// consecutive, evenly or very unevenly distributed; rows next to each other, so that a group
    /// of lanes extends into the next row. For each pair its absent neighbours are looked up too,
    /// as are slots without a row, and pairs in an empty partition. The memory is reused
    /// throughout, as it is for partitions.
    #[test]
    fn pairs_are_found_where_they_are() {
        for level in Level::all() {
            let mut rows = PairIndex::default();
            for spread in 0..4 {
                let (mut a, mut b) = (Vec::new(), Vec::new());
                let lengths = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 18, 31, 32, 33, 0, 200, 1, 1000];
                for (slot, length) in (FIRST..).step_by(1 + spread as usize).zip(lengths) {
                    for k in 0..length {
                        a.push(slot);
                        b.push(
                            slot + 1
                                + match spread {
                                    0 => k,
                                    1 => 7 * k,
                                    // The last slot is far from the others, or all others are far
                                    // from the first.
                                    2 => k + if k + 1 == length { 60_000_000 } else { 0 },
                                    _ => k + if k == 0 { 0 } else { 60_000_000 },
                                },
                        );
                    }
                }
                let mut first = Vec::new();
                first.resize(a.len(), 0.0);
                let cached = PairColumns { a: &a, b: &b, first: &first };
                rows.reserve_for(level, SLOTS as usize, a.len());
                rows.fill(level, cached, FIRST);
                let find = |a, b| level.run(Find { rows: &rows, accepted: [a, b] });
                for (k, (&slot, &other)) in a.iter().zip(&b).enumerate() {
                    assert_eq!(find(slot, other), k, "{level} {spread}");
                    let beside = [(slot, other + 1), (slot, other - 1), (slot + 1, other)];
                    for (slot, other) in beside {
                        let at = (0..a.len()).find(|&k| (a[k], b[k]) == (slot, other));
                        assert_eq!(find(slot, other), at.unwrap_or(a.len()), "{level} {spread}");
                    }
                }
                assert_eq!(find(FIRST + SLOTS - 1, FIRST + SLOTS), a.len());
                rows.clear(cached, FIRST);
                assert!(rows.starts.iter().all(|&start| start == 0));
                rows.fill(level, PairColumns::default(), FIRST);
                assert_eq!(level.run(Find { rows: &rows, accepted: [FIRST, FIRST + 1] }), 0);
                assert_eq!(rows.upper.len(), LANES_MAX);
            }
        }
    }
}
