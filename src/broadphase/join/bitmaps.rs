//! Compares the boxes of two sets by bitmaps: a range-encoded bitmap index (Chan and Ioannidis, *Bitmap index design and
//! evaluation*, 1998).
//!
//! The boxes of the smaller set are taken in blocks of 512, one bit for each. On each axis, the starts of these boxes are divided
//! into cells of about equally many boxes, and so are their ends. For each cell of starts there is a bitmap of the boxes that start in
//! it or before it, and for each cell of ends one of the boxes that end in it or after it. A box of the other set ends and starts in
//! one cell on each axis; the conjunction of these six bitmaps contains all boxes of the block that overlap it. So a few
//! instructions test 512 pairs, and only the pairs that are left are compared.
//!
//! To find the cell of a coordinate, the range is divided into equal intervals, and a table contains the cell of each. Interval and cell
//! are monotonic functions of the coordinate, so no pair is lost.

use super::boxes::{JOIN_FLAGS, KdBoxes, KdRows};
use super::occupied::cells_per_length;
use super::sample::Sampled;
use crate::broadphase::pairs::candidates::{CANDIDATES, Candidates};
use crate::broadphase::pairs::input::ROW;
use crate::columns::impl_memory;
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, IOTA, Isa, Kernel, LANES_MAX, MaskLanes, U32Lanes};
use crate::par::sort_floats;
use alloc::vec::Vec;

/// Number of words of a bitmap: the widest vector.
const WORDS: usize = LANES_MAX;
/// Number of boxes of a block.
pub(super) const BLOCK: usize = 32 * WORDS;
/// Greatest number of cells of an end. All cells have about equally many boxes of the block.
const CELLS_MAX: usize = 256;
/// Least number of cells of an end.
const CELLS_MIN: usize = 16;
/// Greatest number of equal intervals of an end, of which the cells consist.
const INTERVALS_MAX: usize = 1024;
/// Least number of these intervals.
const INTERVALS_MIN: usize = 64;
/// The crowded range is the shortest one that contains this many eighths of the boxes.
const CROWD_EIGHTHS: usize = 3;
/// Greatest number of boxes of a sample from which the number of comparisons is estimated.
const TRIED_MAX: usize = 32;
/// Number of pairs that are added, because a sample may by chance contain none that is compared.
const UNSEEN: u32 = if cfg!(fuzzing) { 0 } else { 2 };

/// How many numbers the boxes of a block have: eight each, and padding.
const BLOCK_ENDS: usize = 8 * BLOCK + LANES_MAX;

/// The boxes of a block, one bit each.
type Bitmap = [u32; WORDS];

/// Intervals of the coordinates of the six faces of boxes. Half of the intervals divide the whole range into equal parts, the other half
/// the crowded range. The number of the interval of a coordinate is the sum of its numbers in both divisions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct EndIntervals {
    /// Start of the whole range and of the crowded one, and the number of intervals per length there.
    origins: [[f32; 2]; 6],
    scales: [[f32; 2]; 6],
    count: usize,
}

impl EndIntervals {
    /// Returns intervals for boxes like those of a sample, so many that they are worthwhile for this number of other boxes.
    pub(super) fn new(boxes: &[Sampled; 3], others: usize) -> Self {
        let intervals = others.next_power_of_two().clamp(INTERVALS_MIN, INTERVALS_MAX);
        let mut of = Self { origins: [[0.0; 2]; 6], scales: [[0.0; 2]; 6], count: intervals };
        for k in 0..6 {
            let mut ends = [0.0; TRIED_MAX];
            let count = boxes[k % 3].copy_few(k / 3 == 1, &mut ends);
            let ends = &mut ends[..count];
            sort_floats(ends);
            // Few boxes far away share the outermost intervals.
            let [first, last] = [count / 4, count * 3 / 4].map(|at| ends[at.min(count - 1)]);
            let (least, greatest) = (ends[0], ends[count - 1]);
            let range = last - first;
            let (low, high) = (first - range, last + range);
            let low = if low > least { low } else { least };
            let high = if high < greatest { high } else { greatest };
            let crowd = ends.windows((count * CROWD_EIGHTHS / 8).max(1));
            let crowd = crowd.map(|part| [part[0], part[part.len() - 1]]);
            let crowd = crowd.min_by(|p, q| (p[1] - p[0]).total_cmp(&(q[1] - q[0])));
            let crowd = crowd.unwrap_or([low, high]);
            of.origins[k] = [low, crowd[0]];
            // An end that is the same for all boxes has one interval.
            of.scales[k] =
                [[low, high], crowd].map(|[low, high]| cells_per_length(intervals / 2, high - low));
        }
        of
    }

    /// Returns the greatest interval in either range.
    fn last(&self) -> f32 {
        (self.count / 2 - 1) as f32
    }

    /// Returns the interval of an end of the boxes in the index, or of the opposite end of another box.
    #[inline(always)]
    fn of(&self, k: usize, x: f32) -> usize {
        let last = self.last();
        let in_range = |range: usize| {
            let at = (x - self.origins[k][range]) * self.scales[k][range];
            let at = if at > 0.0 { at } else { 0.0 };
            if at < last { at } else { last }
        };
        (in_range(0) + in_range(1)) as usize
    }

    /// Returns the intervals of the ends of a lane group of boxes.
    #[inline(always)]
    fn of_lanes<I: Isa>(&self, isa: I, k: usize, ends: I::F32) -> I::U32 {
        let (zero, last) = (isa.splat(0.0), isa.splat(self.last()));
        let in_range = |range: usize| {
            let origin = isa.splat(self.origins[k][range]);
            let scale = isa.splat(self.scales[k][range]);
            ((ends - origin) * scale).max(zero).min(last)
        };
        (in_range(0) + in_range(1)).trunc()
    }

    /// Returns the share of pairs of two samples that are compared in vain: they do not overlap, but their intervals do not show that.
    /// [`UNSEEN`] pairs are added.
    pub(super) fn share_compared(&self, of_a: &[Sampled; 3], of_b: &[Sampled; 3]) -> f64 {
        let mut ends = [[[0.0; TRIED_MAX]; 6]; 2];
        let mut cells = [[[0; TRIED_MAX]; 6]; 2];
        let mut counts = [0; 2];
        for (set, of) in [of_a, of_b].into_iter().enumerate() {
            for k in 0..6 {
                counts[set] = of[k % 3].copy_few(k / 3 == 1, &mut ends[set][k]);
                // The starts of one set are compared with the ends of the other.
                let table = if set == 0 { k } else { (k + 3) % 6 };
                for (cell, &end) in cells[set][k].iter_mut().zip(&ends[set][k]) {
                    *cell = self.of(table, end) as u32;
                }
            }
        }
        let (mut compared, [a_cells, b_cells]) = (0, &cells);
        for a in 0..counts[0] {
            for b in 0..counts[1] {
                let (mut near, mut meets) = (1, 1);
                for axis in 0..3 {
                    near &= u32::from(a_cells[axis][a] <= b_cells[3 + axis][b]);
                    near &= u32::from(b_cells[axis][b] <= a_cells[3 + axis][a]);
                    meets &= u32::from(ends[0][axis][a] <= ends[1][3 + axis][b]);
                    meets &= u32::from(ends[1][axis][b] <= ends[0][3 + axis][a]);
                }
                compared += near & (1 - meets);
            }
        }
        f64::from(compared + UNSEEN) / (counts[0] * counts[1]).max(1) as f64
    }
}

/// A pair of sets whose comparison has begun, and the bitmaps of a block.
#[derive(Debug, Default)]
pub(super) struct BitmapIndex {
    intervals: EndIntervals,
    /// The boxes from the block on.
    a: KdRows,
    /// The other set, and its boxes that have not been compared with the block.
    b: KdRows,
    left: KdRows,
    same: bool,
    /// Number of pairs that were compared.
    pub(super) compared: u64,
    /// Of each end and interval: the cell.
    cells: Vec<u8>,
    /// The boxes of the block, eight numbers each: their starts, and their ends with the other sign.
    block: Vec<f32>,
    /// Of each end and cell: the boxes that start in the cell or before it, and those that end in it or after it.
    bitmaps: Vec<Bitmap>,
}

impl_memory!(BitmapIndex { cells, block, bitmaps; without intervals, a, b, left, same, compared });

impl BitmapIndex {
    /// Allocates the memory for any sets.
    pub(super) fn reserve(&mut self) {
        self.cells.resize(6 * INTERVALS_MAX, 0);
        self.block.resize(BLOCK_ENDS, 0.0);
        self.bitmaps.resize(6 * CELLS_MAX, [0; WORDS]);
    }

    /// Ends a comparison, also one that was interrupted by a panic.
    pub(super) fn stop(&mut self) {
        self.a.len = 0;
    }

    /// Whether there is nothing to compare.
    pub(super) fn is_done(&self) -> bool {
        self.a.len == 0
    }

    /// Begins to compare each box with each of the other set. `intervals` are for those of the smaller set.
    pub(super) fn begin(
        &mut self,
        boxes: &KdBoxes,
        [a, b]: [KdRows; 2],
        same: bool,
        intervals: EndIntervals,
    ) {
        let (a, b) = if a.len > b.len { (b, a) } else { (a, b) };
        (self.a, self.b, self.same, self.intervals) = (a, b, same, intervals);
        self.begin_block(boxes);
    }

    /// Removes the boxes of the block.
    fn end_block(&mut self, boxes: &KdBoxes) {
        let rows = self.a.len.min(BLOCK);
        self.a = KdRows { start: self.a.start + rows, len: self.a.len - rows };
        self.b = if self.same { self.a } else { self.b };
        self.begin_block(boxes);
    }

    /// Computes the bitmaps of the next block.
    #[inline(never)]
    fn begin_block(&mut self, boxes: &KdBoxes) {
        let Self { intervals: of, a, cells, block, bitmaps, .. } = self;
        self.left = self.b;
        if a.len == 0 {
            return;
        }
        let rows = a.start..a.start + a.len.min(BLOCK);
        let count = (rows.len() + 1).next_power_of_two().clamp(CELLS_MIN, CELLS_MAX);
        // The number of cells for each box, times a power of two.
        let each = ((count << 16) / (rows.len() + 1)) as u32;
        for (k, bitmaps) in bitmaps.chunks_exact_mut(CELLS_MAX).enumerate() {
            let (bitmaps, ends) = (&mut bitmaps[..count], &boxes.bounds[k][rows.clone()]);
            let cells = &mut cells[k * INTERVALS_MAX..][..INTERVALS_MAX];
            bitmaps.fill([0; WORDS]);
            let sign = if k < 3 { 1.0 } else { -1.0 };
            let mut at = [0_u16; BLOCK];
            let mut counts = [0; INTERVALS_MAX];
            for ((of_box, &end), at) in block.chunks_exact_mut(8).zip(ends).zip(&mut at) {
                of_box[k] = sign * end;
                let interval = of.of(k, end) % INTERVALS_MAX;
                *at = interval as u16;
                counts[interval] += 1;
            }
            let mut before = 0;
            for (cell, count) in cells[..of.count].iter_mut().zip(&counts) {
                *cell = ((before * each) >> 16) as u8;
                before += count;
            }
            for (bit, &at) in at[..rows.len()].iter().enumerate() {
                bitmaps[usize::from(cells[usize::from(at)])][bit / 32 % WORDS] |= 1 << (bit % 32);
            }
            let mut all = [0; WORDS];
            let mut add = |bitmap: &mut Bitmap| {
                for (all, word) in all.iter_mut().zip(bitmap) {
                    *all |= *word;
                    *word = *all;
                }
            };
            if k < 3 {
                bitmaps.iter_mut().for_each(&mut add);
            } else {
                bitmaps.iter_mut().rev().for_each(&mut add);
            }
        }
    }
}

/// Continues a comparison by bitmaps. Returns whether it is done; otherwise the candidates must be processed first.
pub(super) struct CompareBitmaps<'a> {
    pub(super) index: &'a mut BitmapIndex,
    pub(super) boxes: &'a KdBoxes,
    pub(super) candidates: &'a mut Candidates,
}

impl Kernel for CompareBitmaps<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> bool {
        let Self { index, boxes, candidates } = self;
        while !index.is_done() {
            while index.left.len > 0 {
                if candidates.len >= CANDIDATES {
                    return false;
                }
                index.compare_group(isa, boxes, candidates);
            }
            index.end_block(boxes);
        }
        true
    }
}

impl BitmapIndex {
    /// Compares the next boxes of the other set, at most as many as the widest vector has lanes, with the block.
    #[inline(always)]
    fn compare_group<I: Isa>(&mut self, isa: I, boxes: &KdBoxes, candidates: &mut Candidates) {
        let Self { intervals: of, a, left, same, compared, cells, block, bitmaps, .. } = self;
        let Ok(bitmaps) = <&[Bitmap; 6 * CELLS_MAX]>::try_from(&bitmaps[..]) else { return };
        let Ok(cells) = <&[u8; 6 * INTERVALS_MAX]>::try_from(&cells[..]) else { return };
        let start = left.start;
        let group = left.len.min(LANES_MAX);
        // The bitmaps of starts are found by the ends of the other boxes.
        let mut intervals = [[0; LANES_MAX]; 6];
        let mut limits = [[0; 8]; 2 * LANES_MAX];
        let zero = isa.splat(0.0);
        for lane in (0..LANES_MAX).step_by(I::LANES) {
            let mut signed = [zero; 6];
            for (k, intervals) in intervals.iter_mut().enumerate() {
                let end = isa.load(&boxes.bounds[(k + 3) % 6][start + lane..]);
                of.of_lanes(isa, k, end).store(&mut intervals[lane..]);
                signed[k] = if k < 3 { end } else { zero - end };
            }
            let [a, b, c, d, e, f] = signed.map_each(I::F32::to_bits);
            let zero = zero.to_bits();
            isa.store_rows([a, b, c, d], &mut limits[lane..], 0);
            isa.store_rows([e, f, zero, zero], &mut limits[lane..], 4);
        }
        // The words of the conjunctions in which a bit is set, and where they are. Which these are is unpredictable, so there is no
        // branch.
        let mut near_words = [0; WORDS * LANES_MAX + LANES_MAX];
        let mut near_places = [0; WORDS * LANES_MAX + LANES_MAX];
        let mut near_count = 0;
        let every = isa.splat_u32(u32::MAX);
        for lane in 0..group {
            let mut cell = [0; 6];
            for (k, cell) in cell.iter_mut().enumerate() {
                let at = intervals[k][lane % LANES_MAX] as usize % INTERVALS_MAX;
                *cell = k * CELLS_MAX + usize::from(cells[k * INTERVALS_MAX + at]);
            }
            for word in (0..WORDS).step_by(I::LANES) {
                let mut near = every;
                for &cell in &cell {
                    near = near & isa.load_u32(&bitmaps[cell][word..]);
                }
                let place = isa.splat_u32((WORDS * lane + word) as u32);
                let place = place.wrapping_add(isa.load_u32(&IOTA));
                let filled = !near.disjoint(every);
                near.compress(filled).store(&mut near_words[near_count..]);
                place.compress(filled).store(&mut near_places[near_count..]);
                near_count += filled.count();
            }
        }
        let Ok(block) = <&[f32; BLOCK_ENDS]>::try_from(&block[..]) else { return };
        // The bits of the ends of one box.
        let all = (1_u32 << Ord::min(I::LANES, 8)) - 1;
        let (found_a, found_b) = (&mut candidates.a[..], &mut candidates.b[..]);
        let (mut found, mut done) = (candidates.len, group);
        let mut last_lane = 0;
        for (&near, &place) in near_words[..near_count].iter().zip(&near_places) {
            let (lane, word) = (place as usize / WORDS % LANES_MAX, place as usize % WORDS);
            // There is memory for the candidates of one more box.
            if found >= CANDIDATES && lane > last_lane {
                done = lane;
                break;
            }
            last_lane = lane;
            let row = start + lane;
            // Of one set, each box is compared with those before it.
            let before = if *same { row - a.start } else { BLOCK };
            let end = before.saturating_sub(32 * word);
            let mut bits = near & if end < 32 { (1 << end) - 1 } else { u32::MAX };
            *compared += u64::from(bits.count_ones());
            let word_of = boxes.words[row];
            let limits = &limits.as_flattened()[8 * lane..];
            while bits != 0 {
                let other = 32 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let with = boxes.words[a.start + other];
                let mut meets = word_of & with & JOIN_FLAGS == 0;
                for at in (0..8).step_by(I::LANES) {
                    let ends = isa.load(&block[8 * (other % BLOCK) + at..]);
                    let limits = I::F32::from_bits(isa.load_u32(&limits[at..]));
                    let bits = ends.le(limits).bits();
                    meets &= bits & all == all;
                }
                (found_a[found], found_b[found]) = (word_of & ROW, with & ROW);
                found += usize::from(meets);
            }
        }
        *compared += (LANES_MAX * done) as u64;
        candidates.len = found;
        *left = KdRows { start: start + done, len: left.len - done };
    }
}
