//! The cached pairs as a row of partners for each slot.
//!
//! Every pair is stored twice, in the row of each of its slots. A row is sorted by partner, so the partners above the
//! slot, in order of the slots, are the pairs in order. Changing the pairs of one proxy costs time for its row and for
//! those of its partners only.
//!
//! A row is a block of a power of two partners. A row that outgrows its block is moved to a block of twice the size;
//! free blocks are in a linked list for each size, so that rows that grow and shrink by turns allocate nothing. A row that
//! shrinks keeps its block. Once the blocks have many times as many places as there are partners, all rows are built anew.

use super::{PairColumns, PairTable};
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::proxies::slots::NONE;
use crate::columns::impl_memory;
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};

/// Slots whose pairs are counted together, to find the pair at a position.
const BLOCK: usize = 64;
/// Number of sizes of blocks.
const SIZES: usize = 32;
/// The smallest block.
const CAPACITY_MIN: u32 = 4;
/// The rows are built anew once they have more places than this many for each partner and this many for each slot. New rows have at
/// most half as many for each partner. Between two rebuilds, either more partners are written than there are slots and pairs, or
/// half of the pairs end. So a rebuild takes amortised constant time for each of these.
const PLACES_PER_PARTNER: usize = 8;
const PLACES_PER_SLOT: usize = 32;

/// One side of a pair, as it is stored in the row of the other side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Partner {
    pub(crate) slot: u32,
    /// The first time of contact.
    pub(crate) first: f32,
}

/// Where the partners of a slot are.
#[derive(Clone, Copy, Debug, Default)]
struct PairRow {
    start: u32,
    len: u32,
    /// The length of the block, or 0 if there is no block.
    capacity: u32,
    /// How many of the partners are less than the slot.
    below: u32,
}

/// All cached pairs.
#[derive(Debug)]
pub(crate) struct PairRows {
    rows: Vec<PairRow>,
    partners: Vec<Partner>,
    /// The first free block of each size. The next one is the slot of the first partner of a block.
    free: [u32; SIZES],
    /// For each [`BLOCK`] of slots, the number of pairs of which the lower slot is one of them.
    counts: Vec<u32>,
    /// For each [`BLOCK`] of slots, the position of its first pair; then the number of pairs.
    starts: Vec<u32>,
    /// The number of partners that were written.
    #[cfg(test)]
    pub(crate) written: usize,
}

impl_memory!(PairRows { rows, partners, counts, starts; without free, #[cfg(test)] written });

impl Default for PairRows {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            partners: Vec::new(),
            free: [NONE; SIZES],
            counts: Vec::new(),
            starts: Vec::new(),
            #[cfg(test)]
            written: 0,
        }
    }
}

impl PairRows {
    /// The number of pairs when [`PairRows::count`] was last called.
    pub(crate) fn len(&self) -> usize {
        self.starts.last().map_or(0, |&len| len as usize)
    }

    /// The partners of a slot, in order.
    pub(crate) fn row(&self, slot: usize) -> &[Partner] {
        let PairRow { start, len, .. } = self.rows.get(slot).copied().unwrap_or_default();
        &self.partners[start as usize..(start + len) as usize]
    }

    /// The partners of a slot that are greater than it, in order.
    fn above(&self, slot: usize) -> &[Partner] {
        &self.row(slot)[self.rows.get(slot).map_or(0, |row| row.below as usize)..]
    }

    /// Replaces all pairs. There are `slots` slots.
    pub(crate) fn fill(&mut self, pairs: PairColumns<'_>, slots: usize) {
        self.rows.clear();
        self.counts.clear();
        self.partners.clear();
        self.free = [NONE; SIZES];
        self.set_slots(slots);
        let Self { rows, partners, counts, .. } = self;
        for &slot in pairs.a.iter().chain(pairs.b) {
            rows[slot as usize].capacity += 1;
        }
        let mut end = 0;
        for row in &mut *rows {
            // Spare places for the pairs that begin in the next ticks.
            let len = row.capacity;
            let capacity = if len == 0 { 0 } else { capacity_for(len + len / 4) };
            *row = PairRow { start: place(end), capacity, ..PairRow::default() };
            end += capacity as usize;
        }
        reserve_for(partners, end);
        partners.resize(end, Partner::default());
        for k in 0..pairs.len() {
            let pair = pairs.get(k);
            // In the order of the pairs, the lower partners of a slot precede the others, and both are sorted.
            for &(slot, other) in &[(pair.a, pair.b), (pair.b, pair.a)] {
                let row = &mut rows[slot as usize];
                partners[(row.start + row.len) as usize] =
                    Partner { slot: other, first: pair.first };
                row.len += 1;
                row.below += u32::from(other < slot);
            }
            counts[pair.a as usize / BLOCK] += 1;
        }
        self.count();
    }

    /// Adds empty rows, so that there are at least `slots`.
    pub(crate) fn set_slots(&mut self, slots: usize) {
        if self.rows.len() < slots {
            reserve_for(&mut self.rows, slots);
            self.rows.resize(slots, PairRow::default());
            self.counts.resize(slots.div_ceil(BLOCK), 0);
        }
    }

    /// Counts the pairs after changes.
    pub(crate) fn count(&mut self) {
        let Self { counts, starts, .. } = self;
        starts.clear();
        let mut start = 0;
        for &count in &*counts {
            starts.push(start);
            start += count;
        }
        starts.push(start);
    }

    /// Replaces the row of a slot by `partners`, which are sorted.
    pub(crate) fn replace(&mut self, slot: usize, partners: &[Partner]) {
        #[cfg(test)]
        {
            self.written += partners.len();
        }
        self.resize(slot, partners.len() as u32, false);
        let row = &mut self.rows[slot];
        let count = &mut self.counts[slot / BLOCK];
        *count -= row.len - row.below;
        row.len = partners.len() as u32;
        row.below = partners.partition_point(|partner| partner.slot < slot as u32) as u32;
        *count += row.len - row.below;
        self.partners[row.start as usize..][..partners.len()].copy_from_slice(partners);
    }

    /// Adds a partner to the row of a slot. Returns the number of partners that are shifted.
    pub(crate) fn insert(&mut self, slot: usize, partner: Partner) -> usize {
        let at = self.position(slot, partner.slot);
        let len = self.rows[slot].len;
        self.resize(slot, len + 1, true);
        let row = &mut self.rows[slot];
        let partners = &mut self.partners[row.start as usize..][..len as usize + 1];
        partners.copy_within(at..len as usize, at + 1);
        partners[at] = partner;
        row.len += 1;
        if partner.slot < slot as u32 {
            row.below += 1;
        } else {
            self.counts[slot / BLOCK] += 1;
        }
        #[cfg(test)]
        {
            self.written += len as usize + 1 - at;
        }
        len as usize - at
    }

    /// Removes a partner from the row of a slot. Returns the number of partners that are shifted.
    pub(crate) fn remove(&mut self, slot: usize, partner: u32) -> usize {
        let at = self.position(slot, partner);
        let row = &mut self.rows[slot];
        let partners = &mut self.partners[row.start as usize..][..row.len as usize];
        partners.copy_within(at + 1.., at);
        row.len -= 1;
        let shifted = row.len as usize - at;
        if partner < slot as u32 {
            row.below -= 1;
        } else {
            self.counts[slot / BLOCK] -= 1;
        }
        #[cfg(test)]
        {
            self.written += shifted;
        }
        shifted
    }

    /// Sets the time of a pair in the row of a slot.
    pub(crate) fn set_first(&mut self, slot: usize, partner: Partner) {
        let at = self.position(slot, partner.slot) + self.rows[slot].start as usize;
        self.partners[at] = partner;
    }

    /// How many partners of a slot are less than `partner`.
    fn position(&self, slot: usize, partner: u32) -> usize {
        self.row(slot).partition_point(|other| other.slot < partner)
    }

    /// The time of the pair of two slots, if it is cached.
    pub(crate) fn get(&self, slot: usize, partner: u32) -> Option<f32> {
        let found = self.row(slot).get(self.position(slot, partner))?;
        (found.slot == partner).then_some(found.first)
    }

    /// Makes the block of a slot large enough for `len` partners, and copies its partners if `keep` is true.
    fn resize(&mut self, slot: usize, len: u32, keep: bool) {
        let PairRow { start, len: old, capacity, .. } = self.rows[slot];
        if len <= capacity {
            return;
        }
        let larger = capacity_for(len);
        let size = larger.trailing_zeros() as usize;
        let to = match self.free[size] {
            NONE => {
                let end = self.partners.len();
                reserve_for(&mut self.partners, end + larger as usize);
                self.partners.resize(end + larger as usize, Partner::default());
                place(end)
            }
            block => {
                self.free[size] = self.partners[block as usize].slot;
                block
            }
        };
        if keep {
            self.partners.copy_within(start as usize..(start + old) as usize, to as usize);
        }
        if capacity > 0 {
            let free = &mut self.free[capacity.trailing_zeros() as usize];
            self.partners[start as usize].slot = core::mem::replace(free, start);
        }
        (self.rows[slot].start, self.rows[slot].capacity) = (to, larger);
    }

    /// The number of places above which the rows of this many pairs are built anew.
    fn places_max(&self, pairs: usize) -> usize {
        pairs
            .saturating_mul(2 * PLACES_PER_PARTNER)
            .saturating_add(PLACES_PER_SLOT * self.rows.len())
    }

    /// Whether there is memory for more places than this many pairs need.
    pub(crate) fn are_above(&self, pairs: usize) -> bool {
        self.partners.capacity() > self.places_max(pairs).saturating_mul(2)
    }

    /// Builds the rows anew if their blocks have far more places than there are partners. `table` is scratch memory.
    pub(crate) fn rebuild_if_sparse(&mut self, table: &mut PairTable) {
        let most = self.places_max(self.len());
        if self.partners.len() <= most {
            return;
        }
        self.write_to(table);
        self.partners.clear();
        // Rows that grow and are built anew by turns allocate nothing.
        if self.partners.capacity() > 2 * most {
            self.partners.shrink_to(most);
        }
        self.fill(table.columns(), self.rows.len());
    }

    /// Writes the pairs to a table, in order.
    pub(crate) fn write_to(&self, table: &mut PairTable) {
        let PairTable { a, b, first } = table;
        a.clear();
        b.clear();
        first.clear();
        table.reserve_for(self.len());
        let PairTable { a, b, first } = table;
        for slot in 0..self.rows.len() {
            for partner in self.above(slot) {
                a.push(slot as u32);
                b.push(partner.slot);
                first.push(partner.first);
            }
        }
    }

    /// The pairs from position `k` on, in order.
    pub(crate) fn from(&self, k: usize) -> RowsIter<'_> {
        let block = self.starts.partition_point(|&start| start as usize <= k).max(1) - 1;
        let mut skip = k - self.starts.get(block).map_or(0, |&start| start as usize);
        let mut slot = block * BLOCK;
        while slot < self.rows.len() && self.above(slot).len() <= skip {
            skip -= self.above(slot).len();
            slot += 1;
        }
        let rest = self.above(slot).get(skip..).unwrap_or_default();
        RowsIter { rows: self, slot, rest }
    }
}

/// A place as it is stored in a row.
fn place(end: usize) -> u32 {
    u32::try_from(end).expect("rows of pairs have fewer than 2^32 places")
}

/// The least capacity of a block for this many partners.
fn capacity_for(len: u32) -> u32 {
    len.next_power_of_two().max(CAPACITY_MIN)
}

/// The pairs of [`PairRows`] from some position on: the lower slot, and the other with the time.
#[derive(Clone, Debug)]
pub(crate) struct RowsIter<'a> {
    rows: &'a PairRows,
    slot: usize,
    /// The rest of the partners of `slot`.
    rest: &'a [Partner],
}

impl Iterator for RowsIter<'_> {
    type Item = (u32, Partner);

    #[inline]
    fn next(&mut self) -> Option<(u32, Partner)> {
        loop {
            if let Some((&partner, rest)) = self.rest.split_first() {
                self.rest = rest;
                return Some((self.slot as u32, partner));
            }
            self.slot += 1;
            if self.slot >= self.rows.rows.len() {
                return None;
            }
            self.rest = self.rows.above(self.slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PairRows, Partner};
    use crate::broadphase::proxies::pair_cache::PairTable;
    use crate::columns::Memory as _;
    use alloc::collections::BTreeMap;
    use alloc::vec::Vec;
    use core::ops::Range;

    const SLOTS: usize = 300;
    /// The slots at first.
    const FEW: usize = 260;

    /// Goal: the rows have exactly the pairs that were put in, in order, at the right positions, and memory is used
    /// again. Method: random insertions, removals, replaced rows and new times, compared with a map; some slots
    /// have many partners. After the rows have been as long as they get, the memory no longer grows.
    #[test]
    fn rows_have_the_pairs_of_a_map() {
        let mut draw = 1_u32;
        let mut draw = |below: usize| {
            draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (draw >> 8) as usize % below
        };
        let mut pairs: BTreeMap<(u32, u32), f32> = BTreeMap::new();
        for _ in 0..900 {
            let a = if draw(3) == 0 { 7 } else { draw(FEW - 1) };
            let b = a + 1 + draw(FEW - a - 1);
            pairs.insert((a as u32, b as u32), draw(100) as f32 / 128.0);
        }
        let mut table = PairTable::default();
        for (&(a, b), &first) in &pairs {
            table.a.push(a);
            table.b.push(b);
            table.first.push(first);
        }
        let mut rows = PairRows::default();
        rows.fill(table.columns(), FEW);
        rows.set_slots(SLOTS);
        let (mut bytes, mut moved) = (0, 0);
        for round in 0..6000 {
            let a = if draw(4) == 0 { 7 } else { draw(SLOTS - 1) };
            let b = a + 1 + draw(SLOTS - a - 1);
            let first = draw(100) as f32 / 128.0;
            let key = (a as u32, b as u32);
            let ends = [(a, b as u32), (b, a as u32)];
            match pairs.get(&key) {
                Some(_) if draw(2) == 0 => {
                    pairs.remove(&key);
                    let before = rows.row(a).len();
                    let shifted = ends.map(|(slot, other)| rows.remove(slot, other))[0];
                    assert_eq!(rows.position(a, b as u32) + shifted + 1, before);
                }
                Some(_) => {
                    pairs.insert(key, first);
                    ends.iter().for_each(|&(slot, other)| {
                        rows.set_first(slot, Partner { slot: other, first });
                    });
                }
                None if pairs.len() < 1000 => {
                    pairs.insert(key, first);
                    let [one, other] = ends;
                    let before = rows.written;
                    let shifted = rows.insert(one.0, Partner { slot: one.1, first });
                    assert_eq!(rows.written - before, shifted + 1);
                    assert_eq!(rows.position(a, b as u32) + shifted + 1, rows.row(a).len());
                    let mut row = rows.row(other.0).to_vec();
                    row.push(Partner { slot: other.1, first });
                    row.sort_unstable_by_key(|partner| partner.slot);
                    rows.replace(other.0, &row);
                }
                None => (),
            }
            assert_eq!(rows.get(a, b as u32), pairs.get(&key).copied());
            if round % 50 == 0 {
                rows.count();
                let all: Vec<_> = pairs.iter().map(|(&(a, b), &first)| (a, b, first)).collect();
                assert_eq!(rows.len(), all.len());
                for k in (0..all.len() + 2).step_by(37) {
                    let rest = rows.from(k).map(|(a, partner)| (a, partner.slot, partner.first));
                    assert!(rest.eq(all.iter().skip(k).copied()), "{round} {k}");
                }
                rows.write_to(&mut table);
                let columns = table.columns();
                assert!(
                    (0..columns.len()).map(|k| columns.get(k)).map(|p| (p.a, p.b, p.first)).eq(all)
                );
                if round > 4000 {
                    moved += usize::from(rows.bytes() != bytes);
                }
                bytes = rows.bytes();
            }
        }
        assert!(moved <= 2, "{moved}");
    }

    /// The pairs of all slots of `lower` with all greater ones of the first `slots`.
    fn pairs_of_all(lower: Range<u32>, slots: u32) -> PairTable {
        let mut table = PairTable::default();
        for (a, b) in lower.flat_map(|a| (a + 1..slots).map(move |b| (a, b))) {
            table.a.push(a);
            table.b.push(b);
            table.first.push(0.5);
        }
        table
    }

    /// Goal: new rows have spare places, but not many; a row that needs more takes a free block. Method: rows of 128 partners, and some
    /// that are empty at first; the numbers of places, computed by hand.
    #[test]
    fn rows_grow_into_spare_places_and_free_blocks() {
        let mut rows = PairRows::default();
        rows.fill(pairs_of_all(0..129, 129).columns(), 140);
        assert_eq!(rows.partners.len(), 129 * 256);
        let insert = |rows: &mut PairRows, slot: usize, partners: Range<u32>| {
            partners.for_each(|slot_of_other| {
                rows.insert(slot, Partner { slot: slot_of_other, first: 0.5 });
            });
        };
        insert(&mut rows, 0, 129..140);
        assert_eq!(rows.partners.len(), 129 * 256);
        // A block of four places, and then one of eight.
        insert(&mut rows, 139, 0..5);
        assert_eq!(rows.partners.len(), 129 * 256 + 12);
        insert(&mut rows, 138, 0..4);
        assert_eq!(rows.partners.len(), 129 * 256 + 12);
        for (slot, partners) in [(0, 1..140), (138, 0..4), (139, 0..5)] {
            assert!(rows.row(slot).iter().map(|partner| partner.slot).eq(partners), "{slot}");
        }
    }

    /// Goal: rows are built anew if they have more than eight places for each partner and 32 for each slot, and not before; memory for twice
    /// as many places is kept. Method: 99 pairs of 100 slots, with as many places as are allowed, or one more.
    #[test]
    fn rows_with_too_many_places_are_built_anew() {
        const FILLED: usize = 128 + 99 * 4;
        const MOST: usize = 2 * 99 * 8 + 100 * 32;
        let table = pairs_of_all(0..1, 100);
        for (places, capacity, after) in [
            (MOST, 2 * MOST, (MOST, 2 * MOST)),
            (MOST + 1, 2 * MOST, (FILLED, 2 * MOST)),
            (MOST + 1, 2 * MOST + 1, (FILLED, MOST)),
        ] {
            let mut rows = PairRows::default();
            rows.fill(table.columns(), 100);
            assert_eq!(rows.partners.len(), FILLED);
            rows.partners.reserve_exact(capacity - FILLED);
            rows.partners.resize(places, Partner::default());
            assert_eq!(rows.partners.capacity(), capacity);
            assert_eq!(rows.are_above(99), capacity > 2 * MOST);
            let mut again = PairTable::default();
            rows.rebuild_if_sparse(&mut again);
            assert_eq!((rows.partners.len(), rows.partners.capacity()), after);
            rows.write_to(&mut again);
            assert_eq!(again, table);
        }
    }
}
