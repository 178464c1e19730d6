//! Copies the boxes of a chunk to the strips that they overlap.
//!
//! A chunk is a fixed range of rows. For each strip that a box overlaps, a record is written to
//! memory of the chunk, ordered by strip. The order within a strip depends on the rows alone. A
//! strip later reads its part of each chunk, so no two chunks write to the same memory, and the
//! records of one chunk stay in the cache.

use super::chunks::CHUNK_ROWS_MAX;
use super::extent::AxisCells;
use super::grid::{Grid, STRIPS_MAX};
use super::long_path::{Stop, is_long, trace};
use super::record::StripRecord;
use crate::broadphase::pairs::buffer::{lengthen, reserve_for, reserve_total};
use crate::broadphase::pairs::filter_words::FilterWords;
use crate::broadphase::pairs::flags::{NOT_FIRST_U, NOT_FIRST_V, STILL};
use crate::broadphase::pairs::input::PairInput;
use crate::columns::{ColumnScratch, MovingBoxColumns, Rejected, check_group, impl_memory};
use crate::geom::{Aabb, Filter, MapEach, MovingBox, sum_of};
use crate::kernels::bounds::bounds;
use crate::lanes::{
    F32Lanes, IOTA, Isa, Kernel, LANES_MAX, Level, LoadColumns, MaskLanes, Table, U32Lanes,
    prefetch, prefetch_to_write,
};
use crate::par::Budget;
use alloc::vec::Vec;

/// Number of records that are copied at once when those of a strip are gathered.
pub(crate) const COPIED: usize = 4;

/// Number of rows whose records are computed at once; they fit into the innermost cache.
const BLOCK: usize = 128;

/// The bits of a copy that contain its strip.
const COPY_STRIP: u32 = (1 << COPY_ROW_SHIFT) - 1;
/// The row of a copy is above these bits, and its flags, as in an id, are above the row.
const COPY_ROW_SHIFT: i32 = 13;
const _: () =
    assert!(STRIPS_MAX <= COPY_STRIP && CHUNK_ROWS_MAX << COPY_ROW_SHIFT <= NOT_FIRST_V as usize);

/// Records of one chunk.
#[derive(Debug, Default)]
pub(crate) struct Chunk<R> {
    records: Vec<R>,
    /// Start of each strip's records, and the end of the last one's. Behind it there are unused records.
    starts: Vec<u32>,
    /// Whether the records were written, not only counted.
    pub(crate) written: bool,
    /// Invalid rows, as rows of the whole set.
    pub(crate) rejected: Vec<Rejected>,
}

impl_memory!([R] Chunk<R> { records, starts, rejected; without written });

impl<R> Chunk<R> {
    /// Returns the records of one strip.
    #[inline(always)]
    pub(crate) fn strip(&self, strip: usize) -> &[R] {
        &self.records[self.starts[strip] as usize..self.starts[strip + 1] as usize]
    }

    /// Returns the records of one strip and at least [`COPIED`] more, and the number of the former.
    #[inline(always)]
    pub(crate) fn strip_and_more(&self, strip: usize) -> (&[R], usize) {
        let start = self.starts[strip] as usize;
        (&self.records[start..], self.starts[strip + 1] as usize - start)
    }

    /// Returns the number of records that were counted.
    pub(crate) fn records(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Reserves memory for this many records in this many strips.
    pub(crate) fn reserve(&mut self, records: usize, strips_max: usize) {
        reserve_total(&mut self.records, records);
        reserve_total(&mut self.starts, strips_max + 1);
    }

    /// Frees the memory that this many records do not need.
    pub(crate) fn shrink_to(&mut self, records: usize) {
        self.records.clear();
        self.records.shrink_to(records);
        self.rejected.clear();
        self.rejected.shrink_to(records);
        self.starts = Vec::new();
    }

    /// Adds the number of records in each strip to `lengths`.
    pub(crate) fn add_lengths(&self, lengths: &mut [usize]) {
        for (length, ends) in lengths.iter_mut().zip(self.starts.windows(2)) {
            *length += (ends[1] - ends[0]) as usize;
        }
    }
}

/// Memory of one worker for the current chunk.
#[derive(Debug, Default)]
pub(crate) struct ScatterScratch {
    /// The strip in which each row starts. It is past the last strip if the row is invalid or has a long path.
    first: Vec<u32>,
    /// Copies of the rows that overlap two cells on u, on v, and on both: the copy of a row in the next cell on u, on v,
    /// and on both. Each is a strip, a row and flags; see [`COPY_STRIP`].
    copies: [Vec<u32>; 3],
    /// Number of copies of each kind.
    copied: [usize; 3],
    /// Rows that overlap more than two cells on u or on v, and their cells.
    wide: Vec<WideRow>,
    /// Position of the next record of each strip.
    cursors: Vec<u32>,
    /// The rows with long paths, and the strips that they cross, in the order of the rows.
    long: Vec<LongRow>,
    stops: Vec<Stop>,
    /// The boxes as columns, if the input has them in another layout.
    pub(crate) columns: ColumnScratch,
}

/// A row that overlaps more than two cells on one axis.
#[derive(Clone, Copy, Debug)]
struct WideRow {
    row: u32,
    /// First and last cell on u and on v, a byte each.
    cells: u32,
}

/// A row with a long path, and the number of strips that it crosses.
#[derive(Clone, Copy, Debug)]
struct LongRow {
    row: u32,
    stops: u32,
}

impl WideRow {
    /// Returns the first and the last cell on u and on v.
    #[inline(always)]
    fn cells(self) -> [usize; 4] {
        [0, 8, 16, 24].map_each(|shift| (self.cells >> shift & 0xff) as usize)
    }

    /// Returns how often [`WideRow::each_copy`] calls its function.
    fn copies(self) -> usize {
        let [u_low, u_high, v_low, v_high] = self.cells();
        (u_high - u_low + 1) * (v_high - v_low + 1) - 1
    }

    /// Calls `visit` with each strip but the first that the row overlaps, and with its flags.
    #[inline(always)]
    fn each_copy(self, v_cells: usize, mut visit: impl FnMut(usize, u32)) {
        let [u_low, u_high, v_low, v_high] = self.cells();
        for u in u_low..u_high + 1 {
            let u_flag = if u == u_low { 0 } else { NOT_FIRST_U };
            for v in v_low + usize::from(u == u_low)..v_high + 1 {
                let v_flag = if v == v_low { 0 } else { NOT_FIRST_V };
                visit(u * v_cells + v, u_flag | v_flag);
            }
        }
    }
}

impl_memory!(ScatterScratch { first, copies, wide, cursors, long, stops, columns; without copied });

impl ScatterScratch {
    /// Returns how many records the rows of the current chunk have, without those of the strips in which boxes start.
    fn copies(&self) -> usize {
        let few: usize = self.copied.iter().sum();
        few + self.stops.len() + sum_of(&self.wide, |row| row.copies())
    }

    /// Returns how many stops fit into the allocated memory.
    pub(crate) fn stops(&self) -> usize {
        self.stops.capacity()
    }

    /// Reserves memory for a chunk of this many rows.
    pub(crate) fn reserve(&mut self, rows: usize, strips_max: usize, stops: usize) {
        let [u, v, both] = &mut self.copies;
        let padded = rows.max(LANES_MAX) + LANES_MAX;
        let columns = [(&mut self.first, padded), (u, padded), (v, padded), (both, padded)];
        for (column, len) in columns.into_iter().chain([(&mut self.cursors, strips_max + 1)]) {
            reserve_total(column, len);
        }
        self.wide.clear();
        self.wide.reserve_exact(rows);
        self.long.clear();
        self.long.reserve_exact(rows);
        self.stops.clear();
        self.stops.reserve_exact(stops);
    }
}

/// Rows of a chunk.
pub(crate) struct ChunkRows<'a> {
    pub(crate) set: PairInput<'a>,
    /// Row of the first of them in its set.
    pub(crate) first_row: usize,
    /// Id of the first of them.
    pub(crate) first_id: u32,
}

impl ChunkRows<'_> {
    /// Writes the ids of the rows from `start` on, without position flags: the row or slot, its set and whether it
    /// moves.
    fn write_ids(&self, start: usize, ids: &mut [u32]) {
        for (id, row) in ids.iter_mut().zip(start..) {
            *id = self.set.slot(row).unwrap_or(self.first_id.wrapping_add(row as u32));
        }
        if let Some(moves) = self.set.moves {
            for (id, &moves) in ids.iter_mut().zip(&moves[start..]) {
                *id |= if moves { 0 } else { STILL };
            }
        }
    }
}

/// Memory for the boxes of a chunk that has fewer rows than lanes. So the kernel need not be compiled for one box at a
/// time.
pub(crate) struct Padding([[f32; LANES_MAX]; 9]);

impl Padding {
    pub(crate) const NEW: Self = Self([[f32::NAN; LANES_MAX]; 9]);

    /// Returns the boxes, followed by invalid ones if there are fewer than [`LANES_MAX`].
    pub(crate) fn pad<'a>(&'a mut self, boxes: MovingBoxColumns<'a>) -> MovingBoxColumns<'a> {
        if boxes.len() >= LANES_MAX {
            return boxes;
        }
        for (to, from) in self.0.iter_mut().zip(boxes.columns()) {
            to[..from.len()].copy_from_slice(from);
        }
        let [a, b, c, d, e, f, g, h, i] = &self.0;
        MovingBoxColumns::from_columns([a, b, c, d, e, f, g, h, i]).expect("all have one length")
    }
}

/// Scatters the rows of a chunk. Only the computation of cells and of records is compiled for each level.
pub(crate) struct Scatter<'a, R> {
    pub(crate) level: Level,
    pub(crate) grid: &'a Grid,
    pub(crate) part: ChunkRows<'a>,
    /// How filters are folded to words.
    pub(crate) words: &'a FilterWords,
    /// The boxes of `part`, at least as many rows as lanes: see [`Padding`].
    pub(crate) boxes: MovingBoxColumns<'a>,
    pub(crate) scratch: &'a mut ScatterScratch,
    pub(crate) chunk: &'a mut Chunk<R>,
    /// If there are more records than this, they are counted but not written.
    pub(crate) records_max: usize,
    /// The limit of the copies of all chunks. When it is exceeded, chunks are left out, without any record.
    pub(crate) copies: &'a Budget,
    /// Whether the memory of the records is prefetched while the strips of the rows are computed.
    pub(crate) prefetches: bool,
}

/// Returns the numbers of a moving box with the axes in this order.
pub(super) fn path_of(moving: &MovingBox, axes: [usize; 3]) -> [f32; 9] {
    let ([x, u, v], MovingBox { aabb: Aabb { min, max }, delta }) = (axes, moving);
    [min[x], min[u], min[v], max[x], max[u], max[v], delta[x], delta[u], delta[v]]
}

impl<R: StripRecord> Scatter<'_, R> {
    pub(crate) fn run(mut self) {
        let Self { level, grid, boxes, ref mut scratch, ref mut chunk, prefetches, copies, .. } =
            self;
        chunk.starts.clear();
        if !copies.spend(0) {
            return;
        }
        let old = if prefetches { bytemuck::cast_slice(&chunk.records) } else { &[] };
        let words = size_of::<R>() / size_of::<u32>();
        let rejected = &mut chunk.rejected;
        let prefetched = (old, words);
        // A single strip contains every path whole, so there is nothing to cut.
        let has_paths = R::HAS_PATH && grid.strips() > 1;
        let stops_max = copies.most;
        Locate { grid, boxes, has_paths, stops_max, scratch, rejected, prefetched }
            .run_on(level, &self.part);
        if !copies.spend(scratch.copies()) {
            return;
        }
        let (records, unused) = count(scratch, grid, &mut chunk.starts);
        chunk.written = records <= self.records_max;
        if !chunk.written {
            return;
        }
        let all = records + Ord::max(unused, COPIED);
        reserve_for(&mut chunk.records, all);
        lengthen(&mut chunk.records, all);
        self.write();
    }

    /// Copies each row to the strips that it overlaps.
    fn write(&mut self) {
        let v_cells = self.grid.v.cells as usize;
        let order = self.grid.axes();
        let boxes = &self.boxes.table();
        let (rows, padded) = (self.part.set.len(), boxes.rows());
        let size = padded.min(BLOCK);
        let part = &self.part;
        let ScatterScratch { first, copies, copied, wide, cursors, long, stops, .. } =
            &mut *self.scratch;
        let [mut u, mut v, mut both] =
            [&copies[0][..copied[0]], &copies[1][..copied[1]], &copies[2][..copied[2]]];
        let (mut wide, mut long, mut stops) = (&wide[..], &long[..], &stops[..]);
        let cursors = &mut cursors[..];
        let records = &mut self.chunk.records[..];
        // The records of a block are computed in lanes, then copied one by one. The last block, and
        // the last group of a block, start earlier and repeat rows that were done.
        let mut block = [R::zeroed(); BLOCK];
        let (mut ids, mut filters) = ([0; BLOCK], [Filter::ALL.word(); BLOCK]);
        for start in (0..rows).step_by(BLOCK) {
            let base = start.min(padded - size);
            let past = rows.min(start + BLOCK);
            part.write_ids(base, &mut ids[..past - base]);
            if let Some(all) = part.set.filters {
                self.words.write(self.level, &all[base..past], &mut filters);
            }
            let (labels, block) = ([&ids[..size], &filters[..size]], &mut block[..]);
            self.level.run(StoreRecords { boxes, base, order, labels, block });
            for (&strip, record) in first[start..past].iter().zip(&block[start - base..]) {
                put(records, cursors, strip, record);
            }
            for copies in [&mut u, &mut v, &mut both] {
                while let [copy, rest @ ..] = *copies
                    && let row = (copy >> COPY_ROW_SHIFT) as usize & (CHUNK_ROWS_MAX - 1)
                    && row < past
                {
                    *copies = rest;
                    let place = put(records, cursors, copy & COPY_STRIP, &block[row - base]);
                    *place.id_mut() = ids[row - base] | copy & (NOT_FIRST_U | NOT_FIRST_V);
                }
            }
            while let [WideRow { row, .. }, rest @ ..] = wide
                && (*row as usize) < past
            {
                let at = *row as usize - base;
                wide[0].each_copy(v_cells, |strip, flags| {
                    let place = put(records, cursors, strip as u32, &block[at]);
                    *place.id_mut() = ids[at] | flags;
                });
                wide = rest;
            }
            while let [LongRow { row, stops: count }, rest @ ..] = long
                && (*row as usize) < past
            {
                let record = &block[*row as usize - base];
                let (here, after) = stops.split_at(*count as usize);
                for stop in here {
                    put(records, cursors, stop.strip, record).set_part(stop.low);
                }
                (long, stops) = (rest, after);
            }
        }
    }
}

/// Computes the records of consecutive rows, at least as many as lanes.
struct StoreRecords<'a, R> {
    boxes: &'a Table<'a, f32, 9>,
    /// The first of the rows.
    base: usize,
    /// The axes of a record.
    order: [usize; 3],
    /// The ids and the filters of the rows.
    labels: [&'a [u32]; 2],
    block: &'a mut [R],
}

impl<R: StripRecord> Kernel for StoreRecords<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { boxes, base, order, labels: [ids, filters], block } = self;
        let mut at = 0;
        while at < ids.len() {
            let group = at.min(ids.len() - I::LANES);
            let (id, filter) = (isa.load_u32(&ids[group..]), isa.load_u32(&filters[group..]));
            let columns = boxes.load(isa, base + group);
            R::store(isa, &columns, order, id, filter, &mut block[group..]);
            at += I::LANES;
        }
    }
}

/// Computes the strips of every row.
///
/// Which boxes cross a border is unpredictable, so rows that do are listed without a branch.
struct Locate<'a> {
    grid: &'a Grid,
    boxes: MovingBoxColumns<'a>,
    /// Whether the strips that a long path crosses are computed one by one.
    has_paths: bool,
    /// If these strips are more than this, no more are computed.
    stops_max: usize,
    scratch: &'a mut ScatterScratch,
    rejected: &'a mut Vec<Rejected>,
    /// Memory that will be overwritten, and how many words of it belong to a record.
    prefetched: (&'a [u32], usize),
}

impl Locate<'_> {
    /// Computes the strips of the rows of `part`, at this level.
    fn run_on(mut self, level: Level, part: &ChunkRows<'_>) {
        let padded = self.boxes.len();
        let Self { scratch, rejected, .. } = &mut self;
        rejected.clear();
        lengthen(&mut scratch.first, padded);
        scratch.copies.iter_mut().for_each(|copies| lengthen(copies, padded + LANES_MAX));
        scratch.wide.clear();
        scratch.long.clear();
        scratch.stops.clear();
        level.run(&mut self);
        let rows = part.set.len();
        let Self { scratch, rejected, .. } = self;
        scratch.first.truncate(rows);
        rejected.truncate(rejected.partition_point(|rejected| (rejected.row as usize) < rows));
        // Rows of the set, not of the chunk.
        for rejected in rejected {
            rejected.row += part.first_row as u32;
        }
    }
}

impl Kernel for &mut Locate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Locate { grid, boxes, has_paths, stops_max, scratch, rejected, prefetched } = self;
        let (grid, axes) = (*grid, grid.axes());
        let table = boxes.table();
        let padded = table.rows();
        let (memory, words) = *prefetched;
        let (one, v_cells) = (isa.splat_u32(1), isa.splat_u32(grid.v.cells));
        let none = isa.splat_u32(grid.strips() as u32);
        let flags = [NOT_FIRST_U, NOT_FIRST_V, NOT_FIRST_U | NOT_FIRST_V];
        let mut copied = [0; 3];
        let mut row = 0;
        while row < padded {
            // The last group starts earlier and repeats rows that were done.
            let start = row.min(padded - I::LANES);
            let seen = row - start;
            // Memory is prefetched in its own order, which is much faster than in the order of writing. There are more
            // records than rows.
            let from = Ord::min((row + row / 2) * words, memory.len());
            let to = Ord::min(from + (I::LANES + I::LANES / 2) * words, memory.len());
            prefetch(&memory[from..to]);
            let columns = table.load(isa, start);
            let bounds = bounds(isa, &columns);
            let [u_low, u_high] = ends(isa, &grid.u, &bounds);
            let [v_low, v_high] = ends(isa, &grid.v, &bounds);
            let mut valid = check_group(isa, *boxes, &columns, start, seen, rejected);
            if *has_paths {
                let long = is_long(isa, grid, &columns) & valid;
                valid = valid & !long;
                let rows = long.bits() & (u32::MAX << seen);
                if rows != 0 && scratch.stops.len() <= *stops_max {
                    add_long(grid, axes, boxes, (start, rows), scratch);
                }
            }
            let first = u_low.wrapping_mul(v_cells).wrapping_add(v_low);
            I::U32::select(valid, first, none).store(&mut scratch.first[start..]);

            let mut rows = IOTA;
            rows.iter_mut().for_each(|lane| *lane += start as u32);
            let new = isa.splat(seen as f32).le(isa.load(&LANE_NUMBERS));
            let crosses_u = !u_low.eq(u_high) & valid & new;
            let crosses_v = !v_low.eq(v_high) & valid & new;
            let wide = (crosses_u & !u_low.wrapping_add(one).eq(u_high))
                | (crosses_v & !v_low.wrapping_add(one).eq(v_high));
            let (u, v) = (crosses_u & !wide, crosses_v & !wide);
            let next_u = first.wrapping_add(v_cells);
            let strips = [next_u, first.wrapping_add(one), next_u.wrapping_add(one)];
            let copied_rows = isa.load_u32(&rows).shl::<COPY_ROW_SHIFT>();
            for (k, mask) in [u, v, u & v].into_iter().enumerate() {
                let copies = strips[k] | copied_rows | isa.splat_u32(flags[k]);
                copies.compress(mask).store(&mut scratch.copies[k][copied[k]..]);
                copied[k] += mask.count();
            }
            let wide = wide.bits();
            if wide != 0 {
                let cells = u_low | u_high.shl::<8>() | v_low.shl::<16>() | v_high.shl::<24>();
                let mut lanes = [0; LANES_MAX];
                cells.store(&mut lanes);
                add_wide(wide, &rows, &lanes, &mut scratch.wide);
            }
            row += I::LANES;
        }
        scratch.copied = copied;
    }
}

/// Appends the rows with long paths among `rows`, bits from row `start` on, and the strips that they cross.
#[inline(never)]
fn add_long(
    grid: &Grid,
    axes: [usize; 3],
    boxes: &MovingBoxColumns<'_>,
    (start, mut rows): (usize, u32),
    scratch: &mut ScatterScratch,
) {
    while rows != 0 {
        let row = start + rows.trailing_zeros() as usize;
        rows &= rows - 1;
        let path = path_of(&boxes.get(row), axes);
        let before = scratch.stops.len();
        trace(grid, &path, &mut scratch.stops);
        let stops = (scratch.stops.len() - before) as u32;
        scratch.long.push(LongRow { row: row as u32, stops });
    }
}

/// Appends the rows in the lanes of `lanes`, with their cells.
fn add_wide(
    mut lanes: u32,
    rows: &[u32; LANES_MAX],
    cells: &[u32; LANES_MAX],
    wide: &mut Vec<WideRow>,
) {
    while lanes != 0 {
        let lane = lanes.trailing_zeros() as usize;
        lanes &= lanes - 1;
        wide.push(WideRow { row: rows[lane], cells: cells[lane] });
    }
}

/// The number of each lane.
const LANE_NUMBERS: [f32; LANES_MAX] = {
    let mut numbers = [0.0; LANES_MAX];
    let mut lane = 0;
    while lane < LANES_MAX {
        numbers[lane] = lane as f32;
        lane += 1;
    }
    numbers
};

/// Counts the records of each strip, and computes their starts from the counts. Returns the number of records, and of
/// those behind them that are not in a strip.
fn count(scratch: &mut ScatterScratch, grid: &Grid, starts: &mut Vec<u32>) -> (usize, usize) {
    let strips = grid.strips();
    let ScatterScratch { first, copies, copied, wide, cursors, stops, .. } = scratch;
    cursors.clear();
    cursors.resize(strips + 1, 0);
    for &strip in first.iter() {
        cursors[strip as usize] += 1;
    }
    for (copies, &copied) in copies.iter().zip(&*copied) {
        for copy in &copies[..copied] {
            cursors[(copy & COPY_STRIP) as usize] += 1;
        }
    }
    for row in wide.iter() {
        row.each_copy(grid.v.cells as usize, |strip, _| cursors[strip] += 1);
    }
    for stop in stops.iter() {
        cursors[stop.strip as usize] += 1;
    }
    let unused = cursors[strips];
    starts.resize(strips + 1, 0);
    let mut total = 0;
    for (cursor, start) in cursors.iter_mut().zip(starts) {
        *start = total;
        total += core::mem::replace(cursor, total);
    }
    ((total - unused) as usize, unused as usize)
}

/// Appends a record to a strip. Words that differ between strips are written at the destination
/// afterwards: a word written to the source would stall the wider loads that copy the record.
#[inline(always)]
fn put<'a, R: Copy>(
    records: &'a mut [R],
    cursors: &mut [u32],
    strip: u32,
    record: &R,
) -> &'a mut R {
    let cursor = &mut cursors[strip as usize];
    let at = *cursor as usize;
    *cursor += 1;
    // Every strip has its own write position, too many for the hardware prefetcher: without this
    // hint most writes wait for memory.
    prefetch_to_write(records, at + 4);
    let place = &mut records[at];
    *place = *record;
    place
}

/// Returns the cells of both ends of the bounds.
#[inline(always)]
fn ends<I: Isa>(isa: I, cut: &AxisCells, bounds: &[I::F32; 6]) -> [I::U32; 2] {
    [cut.cells_of(isa, bounds[cut.axis]), cut.cells_of(isa, bounds[3 + cut.axis])]
}
