//! An index of the cached pairs of one partition: finds the position of a pair.
//!
//! The index is in compressed sparse row (CSR) form: the pairs with the same lower slot are a
//! *row*, and the start and the length of each row are stored. A pair is found by comparing the other
//! slot with one group of lanes, starting at its row. A row that is longer than a group also has a *skip index*: the
//! range of its other slots is divided into equal intervals, and for each interval the position of
//! its first pair is stored. So finding a pair takes the same few steps in a row of five and in a
//! row of five thousand. Only if slots are distributed very unevenly, a binary search within an
//! interval follows.

use super::PairColumns;
use crate::broadphase::pairs::buffer::{lengthen, reserve_for};
use crate::columns::impl_memory;
use crate::lanes::{IOTA, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes};
use alloc::vec::Vec;
use core::hint::select_unpredictable;
use core::ops::Range;

/// Average number of pairs for each entry of a skip index.
const PAIRS_PER_ENTRY: usize = 4;
/// The length that marks a long row in place of its own; its start is then the index of the long row.
const LONG: u32 = u32::MAX;
/// Follows the slots of the pairs. No slot is as great, and the float that stands for it is infinity.
pub(crate) const PAST_SLOTS: u32 = 1 << 30;

/// The index of one partition, and its memory.
#[derive(Debug, Default)]
pub(crate) struct PairIndex {
    /// The lower slots of the pairs, followed by one group of lanes of [`PAST_SLOTS`]. A
    /// copy of the cached column: look-ups access it at random, and this copy is in the cache.
    pub(crate) lower: Vec<u32>,
    /// The other slots of the pairs, likewise.
    pub(crate) upper: Vec<u32>,
    /// Start and length of the row of each slot of the partition. Slots without pairs have the length 0.
    rows: Vec<[u32; 2]>,
    /// The position of the first pair of each row, then the number of pairs.
    heads: Vec<u32>,
    long: Vec<Long>,
    skip_entries: Vec<u32>,
}

impl_memory!(PairIndex { lower, upper, rows, heads, long, skip_entries });

/// A row with more pairs than lanes, and where its skip index is.
#[derive(Clone, Copy, Debug)]
struct Long {
    /// The smallest of the other slots.
    least: u32,
    /// Base-2 logarithm of the number of slots in an interval.
    shift: u32,
    /// Position of the first entry of the skip index.
    skip_start: u32,
    /// Number of intervals. One more entry follows, with the end of the row.
    entries: u32,
    /// The end of the row.
    end: u32,
}

impl PairIndex {
    /// Reserves memory for a partition with this many slots and pairs.
    pub(crate) fn reserve_for(&mut self, level: Level, slots: usize, pairs: usize) {
        reserve_for(&mut self.lower, pairs + LANES_MAX);
        reserve_for(&mut self.upper, pairs + LANES_MAX);
        reserve_for(&mut self.rows, slots);
        reserve_for(&mut self.heads, pairs + 1 + LANES_MAX);
        lengthen(&mut self.heads, pairs + 1 + LANES_MAX);
        let long = pairs / (level.lanes() + 1);
        reserve_for(&mut self.long, long);
        // The number of intervals is rounded up, and the end takes one more entry.
        reserve_for(&mut self.skip_entries, pairs / PAIRS_PER_ENTRY + 2 * long);
    }

    /// Builds the index of a partition, whose `slots` slots start at `first`.
    pub(crate) fn fill(
        &mut self,
        level: Level,
        cached: PairColumns<'_>,
        (first, slots): (u32, usize),
    ) {
        let Self { lower, upper, rows, heads, long, skip_entries } = self;
        let count = cached.len();
        for (copy, column) in [(&mut *lower, cached.a), (&mut *upper, cached.b)] {
            copy.clear();
            copy.extend_from_slice(column);
            copy.resize(count + LANES_MAX, PAST_SLOTS);
        }
        rows.clear();
        rows.resize(slots, [0; 2]);
        long.clear();
        skip_entries.clear();
        if count == 0 {
            return;
        }
        let row_count = level.run(FindHeads { lower, count, heads });
        for ends in heads[..=row_count].windows(2) {
            let (start, len) = (ends[0], ends[1] - ends[0]);
            let row = &mut rows[(lower[start as usize] - first) as usize];
            *row = [start, len];
            if len as usize > level.lanes() {
                *row = [long.len() as u32, LONG];
                long.push(Long::new(cached, start as usize..ends[1] as usize, skip_entries));
            }
        }
    }

    /// A view for look-ups. `first` is the first slot of the partition.
    #[inline(always)]
    pub(crate) fn keys(&self, first: u32) -> Keys<'_> {
        let (upper, rows) = (&self.upper[..], &self.rows[..]);
        Keys { upper, rows, index: self, first, count: upper.len() - LANES_MAX }
    }

    /// Where a group of lanes must be compared to find a pair of long row `which`, and how many lanes.
    #[inline(never)]
    fn find_long(&self, which: u32, b: u32, lanes: usize) -> [u32; 2] {
        let long = &self.long[which as usize];
        let entry = Ord::min(b.wrapping_sub(long.least) >> long.shift, long.entries - 1);
        let entry = (long.skip_start + entry) as usize;
        let mut start = self.skip_entries[entry] as usize;
        let mut len = self.skip_entries[entry + 1] as usize - start;
        while len > lanes {
            let half = len / 2;
            let is_before = self.upper[start + half - 1] < b;
            start = select_unpredictable(is_before, start + half, start);
            len -= half;
        }
        [start as u32, Ord::min(long.end - start as u32, lanes as u32)]
    }
}

/// Lists the position of the first pair of each row, and the number of pairs. Returns the number of rows.
struct FindHeads<'a> {
    /// The lower slots, which are followed by others.
    lower: &'a [u32],
    count: usize,
    heads: &'a mut [u32],
}

impl Kernel for FindHeads<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { lower, count, heads } = self;
        let iota = isa.load_u32(&IOTA);
        heads[0] = 0;
        let (mut rows, mut k) = (1, 1);
        // The slot after the last pair is another one, so the last entry is the number of pairs.
        while k <= count {
            let differ = !isa.load_u32(&lower[k..]).eq(isa.load_u32(&lower[k - 1..]));
            let places = isa.splat_u32(k as u32).wrapping_add(iota);
            places.compress(differ).store(&mut heads[rows..]);
            rows += differ.count();
            k += I::LANES;
        }
        rows - 1
    }
}

/// A view of [`PairIndex`] for look-ups.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    upper: &'a [u32],
    rows: &'a [[u32; 2]],
    index: &'a PairIndex,
    first: u32,
    /// The number of pairs, without the padding.
    pub(crate) count: usize,
}

impl Keys<'_> {
    /// The position of the pair of these slots, or `count` if there is no such pair.
    #[inline(always)]
    pub(crate) fn find<I: Isa>(&self, isa: I, a: u32, b: u32) -> usize {
        let [mut start, mut len] = self.rows[a.wrapping_sub(self.first) as usize];
        if len == LONG {
            [start, len] = self.index.find_long(start, b, I::LANES);
        }
        let same = isa.load_u32(&self.upper[start as usize..]).eq(isa.splat_u32(b));
        let same = same.bits() & ((1_u32 << len) - 1);
        let place = start as usize + same.trailing_zeros() as usize;
        select_unpredictable(same == 0, self.count, place)
    }
}

impl Long {
    /// Describes a row and appends its skip index to `skip_entries`.
    fn new(cached: PairColumns<'_>, row: Range<usize>, skip_entries: &mut Vec<u32>) -> Self {
        let others = &cached.b[row.clone()];
        let (least, skip_start) = (others[0], skip_entries.len());
        let range = others[others.len() - 1] - least;
        let entries_wanted = others.len().div_ceil(PAIRS_PER_ENTRY) as u32;
        let shift = (range / entries_wanted).checked_ilog2().map_or(0, |bits| bits + 1);
        let entries = (range >> shift) + 1;
        let mut pair = row.start;
        for entry in 0..entries {
            skip_entries.push(pair as u32);
            let end = least + ((entry + 1) << shift);
            while pair < row.end && cached.b[pair] < end {
                pair += 1;
            }
        }
        skip_entries.push(row.end as u32);
        Self { least, shift, skip_start: skip_start as u32, entries, end: row.end as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::{LANES_MAX, PairColumns, PairIndex};
    use crate::lanes::{Isa, Kernel, Level};
    use alloc::vec::Vec;

    struct Find<'a> {
        rows: &'a PairIndex,
        slots: [u32; 2],
    }

    /// The first slot of the partition.
    const FIRST: u32 = 1024;
    const SLOTS: u32 = 512;

    impl Kernel for Find<'_> {
        type Output = usize;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> usize {
            let [a, b] = self.slots;
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
                let lengths = lengths.into_iter().filter(|&length| !cfg!(miri) || length < 34);
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
                rows.fill(level, cached, (FIRST, SLOTS as usize));
                let find = |a, b| level.run(Find { rows: &rows, slots: [a, b] });
                for (k, (&slot, &other)) in a.iter().zip(&b).enumerate() {
                    assert_eq!(find(slot, other), k, "{level} {spread}");
                    let beside = [(slot, other + 1), (slot, other - 1), (slot + 1, other)];
                    for (slot, other) in beside {
                        let at = (0..a.len()).find(|&k| (a[k], b[k]) == (slot, other));
                        assert_eq!(find(slot, other), at.unwrap_or(a.len()), "{level} {spread}");
                    }
                }
                assert_eq!(find(FIRST + SLOTS - 1, FIRST + SLOTS), a.len());
                rows.fill(level, PairColumns::default(), (FIRST, SLOTS as usize));
                assert_eq!(level.run(Find { rows: &rows, slots: [FIRST, FIRST + 1] }), 0);
                assert_eq!(rows.upper.len(), LANES_MAX);
            }
        }
    }
}
