//! Finds the pairs of boxes of a strip that overlap.
//!
//! The boxes are ordered by bin (`sort.rs`). Each box is compared with those after it, up to the end of the last bin it
//! reaches. Inside a bin the order is that of the records, so both ends are compared along the strip too.
//!
//! ```text
//! near   16 boxes at once: each with the box after it, each with the second box after it, and so on
//! far    a box that reaches much farther than others: one box with the rest that it reaches, a lane group at a time
//! touch  swept pairs: sweep the boxes of the pairs found so far
//! ```
//!
//! Most boxes reach only a few others, fewer than there are lanes. So the lanes of `near` are consecutive boxes, and not
//! the boxes that one of them is compared with. How many boxes they reach is unpredictable, but the loop ends once for 16
//! boxes.
//!
//! Whether two boxes overlap is unpredictable, so pairs are written without a branch for each. If a block is one lane group,
//! its ids are compressed to the front and stored, and the length of the list grows by the number of pairs. If it is several,
//! only the bits of the masks are stored while it is compared, and pairs are written from 64 bits at once, four by four.

use super::grid::Grid;
use super::long_path::contact_cells;
use super::record::{StripRecord, SweptRecord};
use super::sort::StripColumns;
use crate::broadphase::pairs::buffer::Buffer;
use crate::broadphase::pairs::candidates::overlap;
use crate::broadphase::pairs::flags::{FLAGS, LONG};
use crate::broadphase::pairs::input::{ROW, allow};
use crate::broadphase::pairs::limit::PairLimit;
use crate::geom::{MapEach, Pair, SweptPair};
use crate::kernels::sweep;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, LoadColumns, MaskLanes, Table, U32Lanes};
use alloc::vec::Vec;

/// Number of boxes that are compared at once, on every level, so that the order of the pairs is the same.
const BLOCK: usize = LANES_MAX;
/// Number of boxes that each box of a block is compared with at least, before it counts as reaching far.
const NEAR: u32 = 16;
/// If no box of a block reaches more boxes, all are compared as near: to choose a lesser number would cost more.
const NEAR_ALWAYS: u32 = 24;
/// Greatest number of boxes that each box of a block is compared with as near. It limits the memory for their pairs.
const NEAR_MAX: u32 = 64;
/// Number of lane groups whose comparison costs as much as to start with a box that reaches far.
const FAR_START: u32 = 3;
/// Greatest number of pairs of a block with boxes that are near, and a lane group. So much space is requested for any
/// block, so that the memory hardly varies between ticks.
pub(crate) const BLOCK_PAIRS_MAX: usize = BLOCK * NEAR_MAX as usize + LANES_MAX;

/// Where a sweep writes the pairs of boxes whose bounds overlap.
pub(crate) struct OverlapSink<'a> {
    pub(crate) found: &'a mut Buffer<Pair>,
    pub(crate) limit: &'a PairLimit<'a>,
    /// Id of the first row of the second set, if there is one.
    pub(crate) second_row: u32,
    /// Number of pairs after which the sweep stops.
    pub(crate) most: usize,
}

/// A box that reaches far, and the first box that it has not been compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FarBox {
    row: u32,
    next: u32,
}

/// Compares the boxes of a strip from `next` on with those that they reach, except that boxes which reach far are
/// appended to `far`. Returns the box to continue with.
pub(crate) struct SweepNear<'a, const FILTERED: bool> {
    pub(crate) columns: &'a StripColumns,
    pub(crate) next: usize,
    pub(crate) far: &'a mut Vec<FarBox>,
    pub(crate) sink: OverlapSink<'a>,
}

/// Returns how many boxes each box of a block is compared with as near, from how many each reaches and the greatest
/// number of these: the number with the least cost in lane groups.
#[inline(always)]
fn near_of(reaches: &[u32; BLOCK], most: u32) -> u32 {
    let (mut best, mut least) = (Ord::min(most, NEAR_MAX), u32::MAX);
    for near in [NEAR, 2 * NEAR, 3 * NEAR, best] {
        let mut cost = near;
        for &reach in reaches {
            cost += if reach > near { FAR_START + (reach - near) / LANES_MAX as u32 } else { 0 };
        }
        if cost < least {
            (best, least) = (near, cost);
        }
    }
    best
}

/// A block of boxes, and those that it is compared with as near.
struct NearBlock<'a, const FILTERED: bool> {
    bounds: Table<'a, f32, 6>,
    ids: Table<'a, u32, 1>,
    filters: Table<'a, u32, 1>,
    /// The filters of the block, each with its halves exchanged.
    swapped: &'a [u32; BLOCK],
    second_row: u32,
}

/// A lane group of a block: bounds, flags, rows, and filters with exchanged halves.
#[derive(Clone, Copy)]
struct NearGroup<I: Isa> {
    bounds: [I::F32; 6],
    flags: I::U32,
    rows: I::U32,
    swapped: I::U32,
}

impl<const FILTERED: bool> NearBlock<'_, FILTERED> {
    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, lane: usize) -> NearGroup<I> {
        let [id] = self.ids.load_u32(isa, lane);
        let (flags, rows) = (id & isa.splat_u32(FLAGS), id & isa.splat_u32(ROW));
        let swapped = isa.load_u32(&self.swapped[lane..]);
        NearGroup { bounds: self.bounds.load(isa, lane), flags, rows, swapped }
    }

    /// Returns which boxes of a group are a pair with the boxes from `other` on, and the ids of these.
    #[inline(always)]
    fn compare<I: Isa>(&self, isa: I, mine: &NearGroup<I>, other: usize) -> (I::Mask, I::U32) {
        let [theirs] = self.ids.load_u32(isa, other);
        let mut meets =
            overlap::<I>(mine.bounds, self.bounds.load(isa, other)) & theirs.disjoint(mine.flags);
        if FILTERED {
            let [filter] = self.filters.load_u32(isa, other);
            meets = meets & allow(mine.swapped, filter);
        }
        (meets, theirs)
    }

    /// Compares a block that is one group with the boxes at the distances up to `near`, and writes the pairs. Returns their
    /// number.
    #[inline(always)]
    fn compare_whole<I: Isa>(
        &self,
        isa: I,
        near: usize,
        spare: &mut [[u32; 2]; BLOCK_PAIRS_MAX],
    ) -> usize {
        let mine = self.load(isa, 0);
        let second_row = isa.splat_u32(self.second_row.wrapping_neg());
        let mut count = 0;
        for distance in 1..near + 1 {
            let (meets, theirs) = self.compare(isa, &mine, distance);
            let rows = mine.rows.compress(meets);
            let theirs = (theirs & isa.splat_u32(ROW)).compress(meets);
            let (low, high) = (rows.min(theirs), rows.max(theirs).wrapping_add(second_row));
            let met = meets.count();
            // `count` is never greater. The limit shows the compiler that the group fits.
            let at =
                if count < BLOCK * NEAR_MAX as usize { count } else { BLOCK * NEAR_MAX as usize };
            isa.store_pairs(low, high, met, &mut spare[at..at + LANES_MAX]);
            count += met;
        }
        count
    }

    /// Compares a block of several groups with the boxes at the distances up to `near`, and writes the pairs in the order of
    /// [`NearBlock::compare_whole`]. Returns their number.
    ///
    /// First the groups are compared at all distances, and only the bits of the masks are stored. Then the pairs are written
    /// from the bits. To compress the ids of each group instead would take longer than to compare it.
    #[inline(always)]
    fn compare_groups<I: Isa>(
        &self,
        isa: I,
        near: usize,
        ids: &[u32],
        spare: &mut [[u32; 2]; BLOCK_PAIRS_MAX],
    ) -> usize {
        let mut masks = [0_u16; NEAR_MAX as usize];
        let mut mine = [self.load(isa, 0); BLOCK];
        let mut lane = I::LANES;
        while lane < BLOCK {
            mine[lane] = self.load(isa, lane);
            lane += I::LANES;
        }
        for (mask, distance) in masks[..near].iter_mut().zip(1..) {
            let (mut bits, mut lane) = (0, 0);
            while lane < BLOCK {
                bits |= self.compare(isa, &mine[lane], lane + distance).0.bits() << lane;
                lane += I::LANES;
            }
            *mask = bits as u16;
        }
        let mut count = 0;
        for (masks, first) in
            masks[..near.next_multiple_of(4)].chunks_exact(4).zip((1..).step_by(4))
        {
            let [low, high] = [[masks[0], masks[1]], [masks[2], masks[3]]]
                .map_each(|[low, high]| u32::from(low) | u32::from(high) << 16);
            let mut bits = u64::from(low) | u64::from(high) << 32;
            let met = bits.count_ones() as usize;
            let mut written = 0;
            while written < met {
                // If fewer than four bits are left, the rest of the four pairs is invalid and is overwritten or not kept.
                let at = Ord::min(count + written, BLOCK * NEAR_MAX as usize);
                for pair in &mut spare[at..at + 4] {
                    let bit = bits.trailing_zeros() as usize % 64;
                    bits &= bits.wrapping_sub(1);
                    let (lane, distance) = (bit % BLOCK, first + bit / BLOCK);
                    let (mine, theirs) = (ids[lane] & ROW, ids[lane + distance] & ROW);
                    let (low, high) = if mine < theirs { (mine, theirs) } else { (theirs, mine) };
                    *pair = [low, high.wrapping_sub(self.second_row)];
                }
                written += 4;
            }
            count += met;
        }
        count
    }
}

impl<const FILTERED: bool> Kernel for SweepNear<'_, FILTERED> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { columns, next, far, sink } = self;
        let (rows, padded) = (columns.rows, columns.padded());
        let bounds = columns.bounds();
        let ids: Table<'_, u32, 1> = Table::new([&columns.ids[..]], padded);
        let filters: Table<'_, u32, 1> = Table::new([&columns.filters[..]], padded);
        let ends = &columns.ends[..padded];
        for block in (next..rows).step_by(BLOCK) {
            if sink.found.len() >= sink.most {
                return block;
            }
            let mut reaches = [0; BLOCK];
            for (lane, (reach, &end)) in
                reaches.iter_mut().zip(&ends[block..block + BLOCK]).enumerate()
            {
                *reach = end.saturating_sub((block + lane + 1) as u32);
            }
            let most =
                reaches.iter().fold(0, |most, &reach| if reach > most { reach } else { most });
            let near = if most <= NEAR_ALWAYS { most } else { near_of(&reaches, most) };
            // Grow before the loop: inside it, a call to the allocator would spill the vector registers.
            let spare = sink.found.spare_pairs(BLOCK_PAIRS_MAX, sink.limit);
            let spare: &mut [[u32; 2]] = bytemuck::cast_slice_mut(spare);
            let mut swapped = [0; BLOCK];
            if FILTERED {
                for (swapped, filter) in swapped.iter_mut().zip(&columns.filters[block..]) {
                    *swapped = filter.rotate_left(16);
                }
            }
            let spare: &mut [[u32; 2]; BLOCK_PAIRS_MAX] =
                (&mut spare[..BLOCK_PAIRS_MAX]).try_into().unwrap();
            // Only the rows from the block to the last one that it is compared with, so that the loop needs no bounds checks.
            let near = near as usize;
            let reached = block..block + BLOCK + near;
            let block_of = NearBlock::<FILTERED> {
                bounds: bounds.slice(reached.clone()),
                ids: ids.slice(reached.clone()),
                filters: filters.slice(reached),
                swapped: &swapped,
                second_row: sink.second_row,
            };
            let count = if I::LANES == BLOCK {
                block_of.compare_whole(isa, near, spare)
            } else {
                block_of.compare_groups(isa, near, &columns.ids[block..], spare)
            };
            sink.found.keep(count);
            if most as usize > near {
                for (row, &reach) in (block as u32..).zip(&reaches) {
                    let near = near as u32;
                    if reach > near {
                        far.push(FarBox { row, next: row + 1 + near });
                    }
                }
            }
        }
        rows
    }
}

/// Compares the boxes of `far` from `next` on with the rest that they reach. Returns the box to continue with.
pub(crate) struct SweepFar<'a, R> {
    pub(crate) columns: &'a StripColumns,
    /// The records of the boxes.
    pub(crate) records: &'a [R],
    pub(crate) far: &'a [FarBox],
    pub(crate) next: usize,
    /// Whether the input has filters.
    pub(crate) filtered: bool,
    pub(crate) sink: OverlapSink<'a>,
}

impl<R: StripRecord> Kernel for SweepFar<'_, R> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { columns, records, far, next, filtered, sink } = self;
        let padded = columns.padded();
        let bounds = columns.bounds();
        let ids: Table<'_, u32, 1> = Table::new([&columns.ids[..]], padded);
        let filters: Table<'_, u32, 1> = Table::new([&columns.filters[..]], padded);
        let second_row = isa.splat_u32(sink.second_row.wrapping_neg());
        let row_bits = isa.splat_u32(ROW);
        for (at, &FarBox { row, next }) in far.iter().enumerate().skip(next) {
            if sink.found.len() >= sink.most {
                return at;
            }
            let (row, mut other) = (row as usize, next as usize);
            let end = columns.ends[row] as usize;
            let spare = sink.found.spare_pairs(end - other + LANES_MAX, sink.limit);
            let spare: &mut [[u32; 2]] = bytemuck::cast_slice_mut(spare);
            let id = columns.ids[row];
            let (flags, mine) = (isa.splat_u32(id & FLAGS), isa.splat_u32(id & ROW));
            // The category of each box is tested against the mask of the other.
            let filter = isa.splat_u32(columns.filters[row].rotate_left(16));
            let own_bounds = bounds.splat(isa, row);
            let mut count = 0;
            while other < end {
                let [theirs] = ids.load_u32(isa, other);
                let mut meets =
                    overlap::<I>(own_bounds, bounds.load(isa, other)) & theirs.disjoint(flags);
                if filtered {
                    meets = meets & allow(filter, filters.load_u32(isa, other)[0]);
                }
                // If more than a third of a group overlaps the box, the box or those of the group have long paths. Few of
                // them touch, and sweeping the whole group costs no more than compacting it.
                if R::HAS_PATH && 3 * meets.count() > I::LANES.max(3) {
                    let others = theirs & row_bits;
                    meets = meets & R::touch(isa, records, id & ROW, others);
                }
                let met = meets.count();
                let theirs = (theirs & row_bits).compress(meets);
                let (low, high) = (mine.min(theirs), mine.max(theirs).wrapping_add(second_row));
                isa.store_pairs(low, high, met, &mut spare[count..]);
                count += met;
                other += I::LANES;
            }
            sink.found.keep(count);
        }
        far.len()
    }
}

/// Sweeps the boxes of pairs of positions in a strip, and appends those that touch in the tick, with their first times.
pub(crate) struct SweepOverlaps<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) strip: usize,
    pub(crate) records: &'a [SweptRecord],
    pub(crate) overlaps: &'a mut Buffer<Pair>,
    pub(crate) second_row: u32,
    pub(crate) found: &'a mut Buffer<SweptPair>,
    pub(crate) limit: &'a PairLimit<'a>,
}

impl Kernel for SweepOverlaps<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { grid, strip, records, overlaps, second_row, found, limit } = self;
        let second_row = isa.splat_u32(second_row.wrapping_neg());
        let (row_bits, long) = (isa.splat_u32(ROW), isa.splat_u32(LONG));
        // Whole groups: past the end, box 0 is compared with itself and dropped.
        let len = overlaps.len();
        overlaps.append(&[Pair::default(); LANES_MAX]);
        let pairs = overlaps.as_slice();
        let (mut a, mut b) = ([0; LANES_MAX], [0; LANES_MAX]);
        for done in (0..len).step_by(I::LANES) {
            for ((a, b), pair) in a.iter_mut().zip(&mut b).zip(&pairs[done..done + I::LANES]) {
                (*a, *b) = (pair.a, pair.b);
            }
            let (a_box, a_ids, _) = SweptRecord::paths(isa, records, &a);
            let (b_box, b_ids, _) = SweptRecord::paths(isa, records, &b);
            let (first, mut hit) = sweep::times(isa, &a_box, &b_box);
            let (a_short, b_short) = (a_ids.disjoint(long), b_ids.disjoint(long));
            if (a_short & b_short).count() < I::LANES {
                let (a_path, b_path) = ((&a_box, !a_short), (&b_box, !b_short));
                hit = hit & is_reported_in(isa, (grid, strip), a_path, b_path, first);
            }
            let in_range = (1 << (len - done).min(I::LANES)) - 1;
            let kept = (hit.bits() & in_range).count_ones() as usize;
            let (a_rows, b_rows) = (a_ids & row_bits, b_ids & row_bits);
            let (low, high) = (a_rows.min(b_rows), a_rows.max(b_rows).wrapping_add(second_row));
            let spare: &mut [[u32; 3]] =
                bytemuck::cast_slice_mut(found.spare_pairs(LANES_MAX, limit));
            let columns = [low.compress(hit), high.compress(hit), first.to_bits().compress(hit)];
            isa.store_triples(columns, kept, spare);
            found.keep(kept);
        }
    }
}

/// Mask of the pairs that are counted in this strip, as far as long paths are concerned.
#[inline(always)]
fn is_reported_in<I: Isa>(
    isa: I,
    (grid, strip): (&Grid, usize),
    a: (&[I::F32; 9], I::Mask),
    b: (&[I::F32; 9], I::Mask),
    first: I::F32,
) -> I::Mask {
    let (cells, meet) = contact_cells(isa, grid, a, b, first);
    let (mut u, mut v) = ([0; LANES_MAX], [0; LANES_MAX]);
    cells[0].store(&mut u);
    cells[1].store(&mut v);
    let mut here = [0; LANES_MAX];
    for (here, (u, v)) in here.iter_mut().zip(u.into_iter().zip(v)) {
        *here = u32::from(u * grid.v.cells + v == strip as u32);
    }
    let elsewhere = isa.load_u32(&here).disjoint(isa.splat_u32(1));
    !(a.1 | b.1) | (meet & !elsewhere)
}
