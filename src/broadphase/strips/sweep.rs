//! Finds the pairs of boxes of a strip that overlap.
//!
//! The strip's records are ordered by the bin in which a box starts (a stable counting sort) and stored as columns.
//! Each box is then compared with those after it, up to the end of the last bin it reaches: two boxes that overlap
//! share a bin, so the later one starts there or before. Inside a bin the order is that of the records, so both ends
//! are compared along the strip too.
//!
//! Pairs are written without a branch: the ids of a whole lane group are compressed to the front and stored, and the
//! length of the list grows by the number of pairs.

use super::candidates::{CANDIDATES, Candidates, candidates_max};
use super::grid::{AxisCells, Grid, StripAxis};
use super::kd_join::{Begin, Join, Proceed, not_first};
use super::long_path::{Passage, contact_cells};
use super::scatter::{Chunk, FLAGS, LONG, SWEPT_WORDS, StripRecord, UNION_WORDS, low_word};
use crate::broadphase::pairs::buffer::{Buffer, reserve_for};
use crate::broadphase::pairs::input::{ROW, allow};
use crate::columns::impl_memory;
use crate::geom::{MapEach, Pair, SweptPair};
use crate::kernels::bounds::bounds;
use crate::kernels::sweep;
use crate::lanes::{
    F32Lanes, IOTA, Isa, Kernel, LANES_MAX, Level, LoadColumns, MaskLanes, Table, U32Lanes,
    prefetch,
};
use crate::par::Budget;
use alloc::vec::Vec;
use core::ops::Range;

/// Comparisons per box from which a strip is divided instead of swept, and the least number of boxes for it. Fuzz
/// inputs are small and must reach the join too.
const JOIN_WORK: u64 = if cfg!(fuzzing) { 1 } else { 128 };
const JOIN_ROWS_MIN: usize = if cfg!(fuzzing) { 8 } else { 512 };
/// Only one record of so many is counted in the sum of comparisons. A sum over all records would cost 2 % in an even
/// scene.
const CROWD_STEP: usize = 8;

/// Memory of one worker for the current strip.
#[derive(Debug)]
pub(crate) struct SweepScratch<const WORDS: usize> {
    /// Records of the strip, ordered by bin.
    records: Vec<StripRecord<WORDS>>,
    /// Bounds, in the order of [`Grid::axes`].
    bounds: [Vec<f32>; 6],
    /// Boxes and displacements, with the axes in the same order; for swept pairs only.
    paths: [Vec<f32>; 9],
    ids: Vec<u32>,
    /// Filters as words, if the input has filters.
    filters: Vec<u32>,
    /// Lower end of each record along the strip, in the order of the chunks; `starts` has its bin.
    lows: Vec<f32>,
    starts: Vec<u32>,
    /// The last bin that each box reaches.
    lasts: Vec<u32>,
    /// Start of each bin while boxes are placed; its end afterwards.
    bins: Vec<u32>,
    /// Pairs whose bounds overlap; for swept pairs, and for strips that are divided.
    candidates: Candidates,
    join: Join,
}

impl_memory!([const WORDS: usize] SweepScratch<WORDS> { records, bounds, paths, ids, filters, lows, starts, lasts, bins, candidates, join });

impl<const WORDS: usize> Default for SweepScratch<WORDS> {
    fn default() -> Self {
        Self {
            records: Vec::new(),
            bounds: Default::default(),
            paths: Default::default(),
            ids: Vec::new(),
            filters: Vec::new(),
            lows: Vec::new(),
            starts: Vec::new(),
            lasts: Vec::new(),
            bins: Vec::new(),
            candidates: Candidates::default(),
            join: Join::default(),
        }
    }
}

impl<const WORDS: usize> SweepScratch<WORDS> {
    /// Reserves memory for a strip of so many records.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let padded = rows + LANES_MAX;
        reserve_for(&mut self.records, padded);
        let paths = if WORDS == SWEPT_WORDS { &mut self.paths[..] } else { &mut [] };
        for column in self.bounds.iter_mut().chain(paths).chain([&mut self.lows]) {
            reserve_for(column, padded);
        }
        for column in [&mut self.ids, &mut self.filters, &mut self.starts, &mut self.lasts] {
            reserve_for(column, padded);
        }
        reserve_for(&mut self.bins, StripAxis::bins_of(rows));
        if WORDS == SWEPT_WORDS {
            self.candidates.reserve(candidates_max(rows));
        }
    }
}

/// Returns columns as slices. It is inlined, but it does not depend on the level, so that it is instantiated once.
#[inline]
fn slices<const K: usize>(columns: &[Vec<f32>; K]) -> [&[f32]; K] {
    core::array::from_fn(|k| &columns[k][..])
}

impl<const WORDS: usize> SweepScratch<WORDS> {
    /// Returns the greatest number of rows that a join has used since the last call.
    pub(crate) fn take_join_peak(&mut self) -> usize {
        self.join.take_peak()
    }

    /// Reserves memory for joins as large as those of any worker, of strips of so many records.
    pub(crate) fn reserve_join(&mut self, peak: usize, rows: usize) {
        if peak > 0 {
            self.join.reserve_spare(peak);
            self.candidates.reserve(candidates_max(rows));
        }
    }

    /// Continues the join of the current strip, or decides for a sweep.
    pub(crate) fn join(&mut self, level: Level, progress: &mut Progress, filtered: bool) {
        let Self { join, candidates, bounds, ids, filters, .. } = self;
        let rows = progress.rows;
        if progress.step == SweepStep::Decide {
            let not_first = progress.not_first;
            if !(Begin { join, bounds, ids, rows, not_first }).run() {
                progress.step = SweepStep::Sweep;
                return;
            }
            progress.step = SweepStep::Join;
            candidates.reserve(candidates_max(rows));
        }
        candidates.len = 0;
        if level.run(Proceed { join, candidates }) {
            (progress.step, progress.next) = (SweepStep::Sweep, rows);
        }
        if filtered {
            candidates.filter(filters);
        }
    }
}

/// What is left to do for the current strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SweepStep {
    /// Compare the boxes from `next` on with those that follow.
    Sweep,
    /// Begin a join, if it is cheaper than a sweep.
    Decide,
    /// Continue the join.
    Join,
}

/// Progress of a run of strips.
#[derive(Debug)]
pub(crate) struct Progress {
    /// The strips that have not been started.
    strips: Range<usize>,
    /// The current strip, and its number of records.
    strip: usize,
    rows: usize,
    next: usize,
    step: SweepStep,
    /// See [`not_first`].
    not_first: [u32; 3],
}

impl Progress {
    pub(crate) fn new(strips: Range<usize>, grid: &Grid) -> Self {
        let not_first = not_first(grid);
        Self { strips, strip: 0, rows: 0, next: 0, step: SweepStep::Sweep, not_first }
    }
}

/// Finds the pairs of a run of strips: those whose bounds overlap, or of records of paths, those that touch during
/// the tick.
///
/// Returns whether it stopped at a strip whose join [`SweepScratch::join`] has to continue; then it must be run again.
pub(crate) struct Strips<'a, P, const WORDS: usize> {
    pub(crate) grid: &'a Grid,
    pub(crate) chunks: &'a [Chunk<WORDS>],
    pub(crate) progress: &'a mut Progress,
    pub(crate) scratch: &'a mut SweepScratch<WORDS>,
    pub(crate) found: &'a mut Buffer<P>,
    /// Budget for the pairs of the whole tick.
    pub(crate) budget: &'a Budget,
    /// Id of the first row of the second set, if there is one.
    pub(crate) second_row: u32,
    /// Whether the input has filters.
    pub(crate) filtered: bool,
}

impl<P, const WORDS: usize> Strips<'_, P, WORDS> {
    /// Sorts the records of the next strip and stores them as columns. Returns false if no strip is left.
    #[inline(always)]
    fn begin<I: Isa>(&mut self, isa: I) -> bool {
        let Some(strip) = self.progress.strips.next() else {
            return false;
        };
        let (rows, cut) = sort_by_bin(isa, self.grid, self.chunks, strip, self.scratch);
        let passage = Passage::new(self.grid, strip);
        write_columns(isa, (rows, cut), &passage, self.scratch, self.filtered);
        let step =
            if is_crowded(rows, self.scratch) { SweepStep::Decide } else { SweepStep::Sweep };
        let progress = &mut *self.progress;
        (progress.strip, progress.rows, progress.next, progress.step) = (strip, rows, 0, step);
        true
    }
}

impl Kernel for Strips<'_, Pair, UNION_WORDS> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) -> bool {
        let mut candidates = core::mem::take(&mut self.scratch.candidates);
        candidates.append_rows(&self.scratch.ids, self.second_row, (self.found, self.budget));
        candidates.len = 0;
        let joins = loop {
            if self.progress.step != SweepStep::Sweep {
                break true;
            }
            let (next, rows) = (self.progress.next, self.progress.rows);
            if next < rows {
                let to = (&mut *self.found, self.budget);
                let (none, scratch) = (&mut Candidates::default(), &*self.scratch);
                let (rest, second_row) = (next..rows, self.second_row);
                // Two loops, because a branch in the innermost one would cost 4 %.
                if self.filtered {
                    overlap(isa, rest, scratch, none, second_row, true, to);
                } else {
                    overlap(isa, rest, scratch, none, second_row, false, to);
                }
            }
            if !self.begin(isa) {
                break false;
            }
        };
        self.scratch.candidates = candidates;
        joins
    }
}

impl Kernel for Strips<'_, SweptPair, SWEPT_WORDS> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) -> bool {
        let mut candidates = core::mem::take(&mut self.scratch.candidates);
        let joins = loop {
            let to = (&mut *self.found, self.budget);
            let strip = (self.grid, self.progress.strip);
            touch(isa, strip, self.scratch, &mut candidates, self.second_row, to);
            candidates.len = 0;
            if self.progress.step != SweepStep::Sweep {
                break true;
            }
            let (next, rows) = (self.progress.next, self.progress.rows);
            if next < rows {
                let to = (&mut Buffer::default(), self.budget);
                let (rest, scratch) = (next..rows, &*self.scratch);
                self.progress.next =
                    overlap(isa, rest, scratch, &mut candidates, 0, self.filtered, to);
            } else if !self.begin(isa) {
                break false;
            }
        };
        self.scratch.candidates = candidates;
        joins
    }
}

/// Returns whether a sweep of the strip would make so many comparisons that a join may be cheaper.
#[inline(always)]
fn is_crowded<const WORDS: usize>(rows: usize, scratch: &SweepScratch<WORDS>) -> bool {
    if rows < JOIN_ROWS_MIN {
        return false;
    }
    let mut work = 0;
    for row in (0..rows).step_by(CROWD_STEP) {
        let end = scratch.bins[scratch.lasts[row] as usize] as usize;
        work += end.saturating_sub(row + 1) as u64;
    }
    work * CROWD_STEP as u64 > JOIN_WORK * rows as u64
}

/// Sorts the records of a strip by the bin in which they start. Returns their number and the bins.
#[inline(always)]
fn sort_by_bin<I: Isa, const WORDS: usize>(
    isa: I,
    grid: &Grid,
    chunks: &[Chunk<WORDS>],
    strip: usize,
    scratch: &mut SweepScratch<WORDS>,
) -> (usize, AxisCells) {
    let SweepScratch { records: ordered, bins, lows, starts, .. } = scratch;
    let rows: usize = chunks.iter().map(|chunk| chunk.strip(strip).len()).sum();
    let padded = rows + LANES_MAX;
    lows.resize(padded, 0.0);
    let mut row = 0;
    for chunk in chunks {
        let records = chunk.strip(strip);
        for (low, record) in lows[row..].iter_mut().zip(records) {
            *low = f32::from_bits(record[low_word::<WORDS>()]);
        }
        row += records.len();
        if strip + 1 < grid.strips() {
            prefetch(chunk.strip(strip + 1));
        }
    }
    // The padding changes neither end.
    let any = lows[0];
    lows[rows..].fill(any);

    let (mut least, mut greatest) = (isa.splat(any), isa.splat(any));
    for group in (0..rows).step_by(I::LANES) {
        let low = isa.load(&lows[group..]);
        (least, greatest) = (low.min(least), low.max(greatest));
    }
    let (mut ends, mut tops) = ([any; LANES_MAX], [any; LANES_MAX]);
    least.store(&mut ends);
    greatest.store(&mut tops);
    let low = ends.into_iter().fold(any, f32::min);
    let high = tops.into_iter().fold(any, f32::max);
    let cut = grid.along.bins(rows, low, high);

    starts.resize(padded, 0);
    for group in (0..rows).step_by(I::LANES) {
        cut.cells_of(isa, isa.load(&lows[group..])).store(&mut starts[group..]);
    }
    bins.clear();
    bins.resize(cut.cells as usize, 0);
    for &bin in &starts[..rows] {
        bins[bin as usize] += 1;
    }
    let mut start = 0;
    for bin in bins.iter_mut() {
        start += core::mem::replace(bin, start);
    }
    ordered.resize(padded, [0; WORDS]);
    let mut row = 0;
    for chunk in chunks {
        let records = chunk.strip(strip);
        for (record, &bin) in records.iter().zip(&starts[row..]) {
            let next = &mut bins[bin as usize];
            ordered[*next as usize] = *record;
            *next += 1;
        }
        row += records.len();
    }
    (rows, cut)
}

/// Stores the sorted records as columns.
#[inline(always)]
fn write_columns<I: Isa, const WORDS: usize>(
    isa: I,
    (rows, cut): (usize, AxisCells),
    passage: &Passage,
    scratch: &mut SweepScratch<WORDS>,
    filtered: bool,
) {
    let padded = rows + LANES_MAX;
    let SweepScratch { records, bounds: columns, paths, ids, filters, lasts, .. } = scratch;
    if WORDS == SWEPT_WORDS {
        paths.iter_mut().for_each(|column| column.resize(padded, 0.0));
    }
    for column in columns.iter_mut() {
        column.resize(padded, 0.0);
    }
    ids.resize(padded, 0);
    if filtered {
        filters.resize(padded, 0);
    }
    lasts.resize(padded, 0);
    let mut row = 0;
    while row < rows {
        let mut which = IOTA;
        which.iter_mut().for_each(|which| *which += row as u32);
        let (ends, id, filter) = if WORDS == SWEPT_WORDS {
            let [[a, b, c, d], [e, f, g, h], [i, id, _, filter]] =
                isa.gather_rows::<WORDS, 3>(records, &which);
            let path = [a, b, c, d, e, f, g, h, i].map_each(I::F32::from_bits);
            for (numbers, column) in path.into_iter().zip(paths.iter_mut()) {
                numbers.store(&mut column[row..]);
            }
            let around = bounds(isa, &path);
            let short = id.disjoint(isa.splat_u32(LONG));
            let around = if short.count() < I::LANES {
                let mut part = passage.bounds(isa, &path).0;
                for (end, whole) in part.iter_mut().zip(around) {
                    *end = I::F32::select(short, whole, *end);
                }
                part
            } else {
                around
            };
            (around, id, filter)
        } else {
            let [[a, b, c, d], [e, f, id, filter]] = isa.gather_rows::<WORDS, 2>(records, &which);
            ([a, b, c, d, e, f].map_each(I::F32::from_bits), id, filter)
        };
        cut.cells_of(isa, ends[3]).store(&mut lasts[row..]);
        for (numbers, column) in ends.into_iter().zip(columns.iter_mut()) {
            numbers.store(&mut column[row..]);
        }
        id.store(&mut ids[row..]);
        if filtered {
            filter.store(&mut filters[row..]);
        }
        row += I::LANES;
    }
    // The last group of a box reads past the end, where the padding overlaps nothing.
    for column in columns.iter_mut() {
        column[rows..].fill(f32::INFINITY);
    }
}

/// Appends the pairs whose bounds overlap and whose lower position is in `boxes`: their rows, the lower one first.
/// For paths it appends candidates instead, up to [`CANDIDATES`]. Returns the box to continue with.
#[inline(always)]
fn overlap<I: Isa, const WORDS: usize>(
    isa: I,
    boxes: Range<usize>,
    scratch: &SweepScratch<WORDS>,
    candidates: &mut Candidates,
    second_row: u32,
    filtered: bool,
    (found, budget): (&mut Buffer<Pair>, &Budget),
) -> usize {
    let paths_too = const { WORDS == SWEPT_WORDS };
    let rows = boxes.end;
    let iota = isa.load_u32(&IOTA);
    let row_bits = isa.splat_u32(ROW);
    let table: Table<'_, f32, 6> = Table::new(slices(&scratch.bounds), rows + LANES_MAX);
    let paths = slices(&scratch.paths);
    let paths: Table<'_, f32, 9> = Table::new(paths, if paths_too { rows + LANES_MAX } else { 0 });
    let ids: Table<'_, u32, 1> = Table::new([&scratch.ids[..]], rows + LANES_MAX);
    let filters = Table::new([&scratch.filters[..]], if filtered { rows + LANES_MAX } else { 0 });
    let filters: Table<'_, u32, 1> = filters;
    let second_row = isa.splat_u32(second_row.wrapping_neg());
    for i in boxes {
        if candidates.len >= CANDIDATES {
            return i;
        }
        let end = scratch.bins[scratch.lasts[i] as usize] as usize;
        let mut j = i + 1;
        // Grow before the loop: inside it, a call to the allocator would spill the vector registers.
        let most = end.saturating_sub(j) + LANES_MAX;
        let spare = if paths_too { &mut [] } else { found.spare(most, budget) };
        let spare: &mut [[u32; 2]] = bytemuck::cast_slice_mut(spare);
        let a_spare = &mut candidates.a[candidates.len..];
        let b_spare = &mut candidates.b[candidates.len..];
        let id = scratch.ids[i];
        let flags = isa.splat_u32(id & FLAGS);
        let row = isa.splat_u32(id & ROW);
        // The category of each box is tested against the mask of the other.
        let filter =
            isa.splat_u32(if filtered { scratch.filters[i].rotate_left(16) } else { u32::MAX });
        let [low_x, low_u, low_v, high_x, high_u, high_v] = table.splat(isa, i);
        let mut count = 0;
        while j < end {
            let [lows_x, lows_u, lows_v, highs_x, highs_u, highs_v] = table.load(isa, j);
            let [their_ids] = ids.load_u32(isa, j);
            let meets = lows_x.le(high_x)
                & low_x.le(highs_x)
                & lows_u.le(high_u)
                & low_u.le(highs_u)
                & lows_v.le(high_v)
                & low_v.le(highs_v)
                & their_ids.disjoint(flags);
            let meets = if filtered {
                let [theirs] = filters.load_u32(isa, j);
                meets & allow(isa, filter, theirs)
            } else {
                meets
            };
            // If more than a third of a group are candidates, one of the two has a long path. Few of them touch, and
            // sweeping the whole group costs no more than compacting it.
            let meets = if paths_too && 3 * meets.count() > I::LANES.max(3) {
                meets & sweep::times(isa, &paths.splat(isa, i), &paths.load(isa, j)).1
            } else {
                meets
            };
            let met = meets.count();
            if paths_too {
                isa.splat_u32(i as u32).store(&mut a_spare[count..]);
                let places = isa.splat_u32(j as u32).wrapping_add(iota);
                places.compress(meets).store(&mut b_spare[count..]);
            } else {
                let theirs = (their_ids & row_bits).compress(meets);
                let (low, high) = (row.min(theirs), row.max(theirs).wrapping_add(second_row));
                isa.store_pairs(low, high, met, &mut spare[count..]);
            }
            count += met;
            j += I::LANES;
        }
        if paths_too {
            candidates.len += count;
        } else {
            found.keep(count);
        }
    }
    rows
}

/// Appends the candidates that touch in the tick, with their first times.
#[inline(always)]
fn touch<I: Isa>(
    isa: I,
    (grid, strip): (&Grid, usize),
    scratch: &SweepScratch<SWEPT_WORDS>,
    candidates: &mut Candidates,
    second_row: u32,
    (found, budget): (&mut Buffer<SweptPair>, &Budget),
) {
    let second_row = isa.splat_u32(second_row.wrapping_neg());
    let (row_bits, long) = (isa.splat_u32(ROW), isa.splat_u32(LONG));
    // Whole groups: past the end, box 0 is compared with itself and dropped.
    let Candidates { a, b, len } = candidates;
    for column in [&mut *a, &mut *b] {
        column[*len..*len + LANES_MAX].fill(0);
    }
    let records = &scratch.records[..];
    let mut done = 0;
    while done < *len {
        let (a_box, a_ids) = boxes(isa, records, &a[done..]);
        let (b_box, b_ids) = boxes(isa, records, &b[done..]);
        let (first, hit) = sweep::times(isa, &a_box, &b_box);
        let (a_short, b_short) = (a_ids.disjoint(long), b_ids.disjoint(long));
        let hit = if (a_short & b_short).count() < I::LANES {
            let (a_path, b_path) = ((&a_box, !a_short), (&b_box, !b_short));
            hit & is_reported_in(isa, (grid, strip), a_path, b_path, first)
        } else {
            hit
        };
        let wanted = (1 << (*len - done).min(I::LANES)) - 1;
        let kept = (hit.bits() & wanted).count_ones() as usize;
        let (a_rows, b_rows) = (a_ids & row_bits, b_ids & row_bits);
        let (low, high) = (a_rows.min(b_rows), a_rows.max(b_rows).wrapping_add(second_row));
        let spare: &mut [[u32; 3]] = bytemuck::cast_slice_mut(found.spare(LANES_MAX, budget));
        let columns = [low.compress(hit), high.compress(hit), first.to_bits().compress(hit)];
        isa.store_triples(columns, kept, spare);
        found.keep(kept);
        done += I::LANES;
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

/// Loads columns and ids of the records `which`.
#[inline(always)]
fn boxes<I: Isa>(
    isa: I,
    records: &[StripRecord<SWEPT_WORDS>],
    which: &[u32],
) -> ([I::F32; 9], I::U32) {
    let [[a, b, c, d], [e, f, g, h], [i, id, ..]] =
        isa.gather_rows::<SWEPT_WORDS, 3>(records, which);
    ([a, b, c, d, e, f, g, h, i].map_each(I::F32::from_bits), id)
}
