//! Copies the boxes of a chunk to the strips that they overlap.
//!
//! A chunk is a fixed range of rows. For each strip that a box overlaps, a record is written to
//! memory of the chunk, ordered by strip. The order within a strip depends on the rows alone. A
//! strip later reads its part of each chunk, so no two chunks write to the same memory, and the
//! records of one chunk stay in the cache.

use super::grid::{AxisCells, Grid};
use super::long_path::{Stop, is_long, trace};
use crate::broadphase::pairs::buffer::{reserve_for, reserve_total};
use crate::broadphase::pairs::input::PairInput;
use crate::columns::{ColumnScratch, MovingBoxColumns, Rejected, check_group, impl_memory};
use crate::geom::{Filter, MapEach, MovingBox};
use crate::kernels::bounds::bounds;
use crate::lanes::{
    F32Lanes, Isa, Kernel, LANES_MAX, LoadColumns, MaskLanes, U32Lanes, prefetch_to_write,
};
use alloc::vec::Vec;

/// The copy of a box in a strip: `[f32; 6]` bounds or `[f32; 9]` columns as bits, with the axes in
/// the order of [`Grid::axes`]; then the id, after columns the lower end of the bounds along the
/// strip, and in the last word the filter.
pub(crate) type StripRecord<const WORDS: usize> = [u32; WORDS];
/// Words of a record of bounds.
pub(crate) const UNION_WORDS: usize = 8;
/// Words of a record of a box with its displacement, padded to a multiple of 16 bytes.
pub(crate) const SWEPT_WORDS: usize = 12;

/// Index of the word that contains the id.
pub(crate) const fn id_word<const WORDS: usize>() -> usize {
    if WORDS == UNION_WORDS { 6 } else { 9 }
}

/// Index of the word that contains the lower end of the bounds along the strip.
pub(crate) const fn low_word<const WORDS: usize>() -> usize {
    if WORDS == UNION_WORDS { 0 } else { 10 }
}

/// Number of rows whose records are computed at once; they fit into the innermost cache.
const BLOCK: usize = 128;

/// Index of the word that contains the filter, if there are filters.
pub(crate) const fn filter_word<const WORDS: usize>() -> usize {
    if WORDS == UNION_WORDS { 7 } else { 11 }
}

/// Flag of the id: the box does not move.
pub(crate) const STILL: u32 = 1 << 31;
/// Flag of the id: the box starts in a strip of a lower u.
pub(crate) const NOT_FIRST_U: u32 = 1 << 30;
/// Flag of the id: the box starts in a strip of a lower v.
pub(crate) const NOT_FIRST_V: u32 = 1 << 29;
/// Flag of the id: the box is in the first of two sets.
pub(crate) const OF_FIRST: u32 = 1 << 28;
/// Flag of the id: the box is in the second of two sets.
pub(crate) const OF_SECOND: u32 = 1 << 27;
/// Flag of the id: the path is long, and the record is of the part of it that lies in the strip.
pub(crate) const LONG: u32 = 1 << 26;
/// Two ids with one of these flags in common are not a pair of the input, or are counted in another
/// strip.
pub(crate) const FLAGS: u32 = STILL | NOT_FIRST_U | NOT_FIRST_V | OF_FIRST | OF_SECOND;

/// Records of one chunk.
#[derive(Debug)]
pub(crate) struct Chunk<const WORDS: usize> {
    records: Vec<StripRecord<WORDS>>,
    /// Start of each strip's records, and the end of the last one's.
    starts: Vec<u32>,
    /// Whether the records were written, not only counted.
    pub(crate) written: bool,
    /// Invalid rows, as rows of the whole set.
    pub(crate) rejected: Vec<Rejected>,
}

impl_memory!([const WORDS: usize] Chunk<WORDS> { records, starts, rejected; without written });

impl<const WORDS: usize> Default for Chunk<WORDS> {
    fn default() -> Self {
        Self { records: Vec::new(), starts: Vec::new(), written: false, rejected: Vec::new() }
    }
}

impl<const WORDS: usize> Chunk<WORDS> {
    /// Returns the records of one strip.
    #[inline(always)]
    pub(crate) fn strip(&self, strip: usize) -> &[StripRecord<WORDS>] {
        &self.records[self.starts[strip] as usize..self.starts[strip + 1] as usize]
    }

    /// Number of records that were counted.
    pub(crate) fn records(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Reserves memory for so many records in so many strips.
    pub(crate) fn reserve(&mut self, records: usize, strips_max: usize) {
        reserve_total(&mut self.records, records);
        reserve_total(&mut self.starts, strips_max + 1);
    }

    /// Frees the memory that so many records do not need.
    pub(crate) fn shrink_to(&mut self, records: usize) {
        self.records.clear();
        self.records.shrink_to(records);
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
    /// First and last cell on u and on v, a byte each.
    cells: Vec<u32>,
    /// The rows that overlap more than one cell, and one unused entry after them.
    crossing: Vec<u32>,
    /// Position of the next record of each strip.
    cursors: Vec<u32>,
    /// The strips that long paths cross, in the order of the rows.
    stops: Vec<Stop>,
    /// Number of strips that each long path crosses.
    passed: Vec<u32>,
    /// The boxes as columns, if the input has them in another layout.
    pub(crate) columns: ColumnScratch,
}

impl_memory!(ScatterScratch { cells, crossing, cursors, stops, passed, columns });

impl ScatterScratch {
    /// Returns how many stops fit into the allocated memory.
    pub(crate) fn stops(&self) -> usize {
        self.stops.capacity()
    }

    /// Reserves memory for a chunk of so many rows.
    pub(crate) fn reserve(&mut self, rows: usize, strips_max: usize, stops: usize) {
        let columns = [
            (&mut self.cells, rows),
            (&mut self.crossing, rows + 1),
            (&mut self.cursors, strips_max),
            (&mut self.passed, rows),
        ];
        for (column, len) in columns {
            column.clear();
            column.reserve_exact(len);
        }
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
    /// Returns the id of a row without position flags: its row or slot, its set and whether it
    /// moves.
    #[inline(always)]
    fn id(&self, row: usize) -> u32 {
        let still = self.set.moves.is_some_and(|moves| !moves[row]);
        let name = self.set.slot(row).unwrap_or(self.first_id.wrapping_add(row as u32));
        name | if still { STILL } else { 0 }
    }

    /// Returns the filter of a row as a word, the category below the mask.
    #[inline(always)]
    fn filter(&self, row: usize) -> u32 {
        self.set.filters.map_or(Filter::ALL, |of| of[row]).word()
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

/// Scatters the rows of a chunk.
pub(crate) struct Scatter<'a, const WORDS: usize> {
    pub(crate) grid: &'a Grid,
    pub(crate) part: ChunkRows<'a>,
    /// The boxes of `part`, at least as many rows as lanes: see [`Padding`].
    pub(crate) boxes: MovingBoxColumns<'a>,
    pub(crate) scratch: &'a mut ScatterScratch,
    pub(crate) chunk: &'a mut Chunk<WORDS>,
    /// If there are more records than this, they are counted but not written.
    pub(crate) records_max: usize,
    /// Whether the input has filters.
    pub(crate) filtered: bool,
}

/// Returns the numbers of a moving box with the axes in this order. It is not generic, so that it is compiled once.
fn path_of(moving: &MovingBox, axes: [usize; 3]) -> [f32; 9] {
    let of = [moving.aabb.min, moving.aabb.max, moving.delta];
    core::array::from_fn(|k| of[k / 3][axes[k % 3]])
}

/// First and last cell on either axis of an invalid row: an empty range, because the last cell is
/// before the first.
const NO_CELLS: u32 = 0x0001_0001;
/// Marks a row whose path is long. Its cells are in [`ScatterScratch::stops`].
const STOPS: u32 = 0x0001_0002;

/// Unpacks the cells that [`Scatter::locate`] packed: first and last on u, then on v.
#[inline(always)]
fn unpack(cells: u32) -> [usize; 4] {
    [cells, cells >> 8, cells >> 16, cells >> 24].map_each(|cell| (cell & 0xff) as usize)
}

impl<const WORDS: usize> Kernel for Scatter<'_, WORDS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        self.locate(isa);
        self.count();
        self.chunk.written = self.chunk.records() <= self.records_max;
        if !self.chunk.written {
            return;
        }
        let records = self.chunk.records();
        reserve_for(&mut self.chunk.records, records);
        self.chunk.records.resize(records, [0; WORDS]);
        // Two loops, because a branch for each record would cost 3 %.
        if self.filtered {
            self.write(isa, true);
        } else {
            self.write(isa, false);
        }
    }
}

impl<const WORDS: usize> Scatter<'_, WORDS> {
    /// Computes bounds and cells of every row.
    #[inline(always)]
    fn locate<I: Isa>(&mut self, isa: I) {
        let table = self.boxes.table();
        let rows = table.rows();
        let scratch = &mut *self.scratch;
        self.chunk.rejected.clear();
        scratch.cells.resize(rows, 0);
        scratch.stops.clear();
        scratch.passed.clear();
        let axes = self.grid.axes();
        let mut row = 0;
        while row < rows {
            // The last group starts earlier and repeats rows that were done.
            let start = row.min(rows - I::LANES);
            let columns = table.load(isa, start);
            let bounds = bounds(isa, &columns);
            let [u_low, u_high] = ends(isa, &self.grid.u, &bounds);
            let [v_low, v_high] = ends(isa, &self.grid.v, &bounds);
            let cells = u_low | u_high.shl::<8>() | v_low.shl::<16>() | v_high.shl::<24>();
            let rejected = &mut self.chunk.rejected;
            let valid = check_group(isa, self.boxes, &columns, start, row - start, rejected);
            let cells = I::U32::select(valid, cells, isa.splat_u32(NO_CELLS));
            let cells = if WORDS == SWEPT_WORDS {
                let long = is_long(isa, self.grid, &columns) & valid;
                let mut rows = long.bits() & (u32::MAX << (row - start));
                while rows != 0 {
                    let moving = self.boxes.get(start + rows.trailing_zeros() as usize);
                    rows &= rows - 1;
                    let path = path_of(&moving, axes);
                    let before = scratch.stops.len();
                    trace(self.grid, &path, &mut scratch.stops);
                    scratch.passed.push((scratch.stops.len() - before) as u32);
                }
                I::U32::select(long, isa.splat_u32(STOPS), cells)
            } else {
                cells
            };
            cells.store(&mut scratch.cells[start..]);
            row += I::LANES;
        }
        let rows = self.part.set.len();
        scratch.cells.truncate(rows);
        self.chunk.rejected.truncate(
            self.chunk.rejected.partition_point(|rejected| (rejected.row as usize) < rows),
        );
        // Rows of the set, not of the chunk.
        for rejected in &mut self.chunk.rejected {
            rejected.row += self.part.first_row as u32;
        }
    }

    /// Counts the records of each strip, and computes their starts from the counts.
    #[inline(always)]
    fn count(&mut self) {
        let strips = self.grid.strips();
        let v_cells = self.grid.v.cells as usize;
        let cursors = &mut self.scratch.cursors;
        cursors.clear();
        cursors.resize(strips, 0);
        // Which boxes cross a border is unpredictable, so all are counted where they start, and
        // those that cross are listed without a branch.
        let crossing = &mut self.scratch.crossing;
        crossing.clear();
        crossing.resize(self.scratch.cells.len() + 1, 0);
        let mut count = 0;
        for (row, &cells) in self.scratch.cells.iter().enumerate() {
            let [u_low, u_high, v_low, v_high] = unpack(cells);
            if u_low > u_high {
                continue;
            }
            cursors[u_low * v_cells + v_low] += 1;
            crossing[count] = row as u32;
            count += usize::from((u_low != u_high) | (v_low != v_high));
        }
        crossing[count] = u32::MAX;
        for &row in &crossing[..count] {
            let [u_low, u_high, v_low, v_high] = unpack(self.scratch.cells[row as usize]);
            for u in u_low..u_high + 1 {
                for v in v_low + usize::from(u == u_low)..v_high + 1 {
                    cursors[u * v_cells + v] += 1;
                }
            }
        }
        for stop in &self.scratch.stops {
            cursors[stop.strip as usize] += 1;
        }
        self.chunk.starts.resize(strips + 1, 0);
        let mut total = 0;
        for (cursor, start) in cursors.iter_mut().zip(&mut self.chunk.starts) {
            *start = total;
            total += core::mem::replace(cursor, total);
        }
        self.chunk.starts[strips] = total;
    }

    /// Copies each row to the strips that it overlaps.
    #[inline(always)]
    fn write<I: Isa>(&mut self, isa: I, filtered: bool) {
        let grid = self.grid;
        let v_cells = grid.v.cells as usize;
        let order = grid.axes();
        let table = self.boxes.table();
        let (rows, padded) = (self.part.set.len(), table.rows());
        let size = padded.min(BLOCK);
        let part = &self.part;
        let ScatterScratch { cells, crossing, cursors, stops, passed, .. } = &mut *self.scratch;
        let (mut stops, mut passed) = (&stops[..], passed.iter());
        let mut crossing = &crossing[..];
        let records = &mut self.chunk.records[..];
        // The records of a block are computed in lanes, then copied one by one. The last block, and
        // the last group of a block, start earlier and repeat rows that were done.
        let mut block = [[0; WORDS]; BLOCK];
        for start in (0..rows).step_by(BLOCK) {
            let base = start.min(padded - size);
            let mut at = 0;
            while at < size {
                let group = at.min(size - I::LANES);
                let words = record::<I, WORDS>(isa, &table.load(isa, base + group), order);
                for (k, &words) in words.iter().enumerate().take(WORDS / 4) {
                    isa.store_rows(words, &mut block[group..], 4 * k);
                }
                at += I::LANES;
            }
            for row in start..rows.min(start + BLOCK) {
                let record = &block[row - base];
                let (id, filter) = (part.id(row), if filtered { part.filter(row) } else { 0 });
                if WORDS == SWEPT_WORDS && cells[row] == STOPS {
                    let count = passed.next().map_or(0, |&count| count as usize);
                    let (here, rest) = stops.split_at(count);
                    stops = rest;
                    for stop in here {
                        let place = put(records, &mut cursors[stop.strip as usize], record);
                        place[low_word::<WORDS>()] = stop.low.to_bits();
                        sign(place, id | LONG, filter, filtered);
                    }
                    continue;
                }
                let [u_low, u_high, v_low, _] = unpack(cells[row]);
                if u_low <= u_high {
                    let place = put(records, &mut cursors[u_low * v_cells + v_low], record);
                    sign(place, id, filter, filtered);
                }
            }
            while let [row, rest @ ..] = crossing
                && (*row as usize) < start + BLOCK
            {
                let row = *row as usize;
                crossing = rest;
                let (record, id) = (&block[row - base], part.id(row));
                let filter = if filtered { part.filter(row) } else { 0 };
                let [u_low, u_high, v_low, v_high] = unpack(cells[row]);
                for u in u_low..u_high + 1 {
                    let u_flag = if u == u_low { 0 } else { NOT_FIRST_U };
                    for v in v_low + usize::from(u == u_low)..v_high + 1 {
                        let v_flag = if v == v_low { 0 } else { NOT_FIRST_V };
                        let place = put(records, &mut cursors[u * v_cells + v], record);
                        sign(place, id | u_flag | v_flag, filter, filtered);
                    }
                }
            }
        }
    }
}

/// Appends a record to a strip. Words that differ between strips are written at the destination
/// afterwards: a word written to the source would stall the wider loads that copy the record.
#[inline(always)]
fn put<'a, const WORDS: usize>(
    records: &'a mut [StripRecord<WORDS>],
    cursor: &mut u32,
    record: &StripRecord<WORDS>,
) -> &'a mut StripRecord<WORDS> {
    let at = *cursor as usize;
    *cursor += 1;
    // Every strip has its own write position, too many for the hardware prefetcher: without this
    // hint most writes wait for memory.
    prefetch_to_write(records, at + 4);
    let place = &mut records[at];
    *place = *record;
    place
}

/// Writes the id to a record, and the filter if there are filters.
#[inline(always)]
fn sign<const WORDS: usize>(place: &mut StripRecord<WORDS>, id: u32, filter: u32, filtered: bool) {
    place[id_word::<WORDS>()] = id;
    if filtered {
        place[filter_word::<WORDS>()] = filter;
    }
}

/// Writes the words of a record except the id, four at a time.
#[inline(always)]
fn record<I: Isa, const WORDS: usize>(
    isa: I,
    columns: &[I::F32; 9],
    [x, u, v]: [usize; 3],
) -> [[I::U32; 4]; 3] {
    let none = isa.splat_u32(0);
    let ends = bounds(isa, columns);
    if WORDS == UNION_WORDS {
        let [low_x, low_u, low_v] = [ends[x].to_bits(), ends[u].to_bits(), ends[v].to_bits()];
        let [high_x, high_u, high_v] =
            [ends[3 + x].to_bits(), ends[3 + u].to_bits(), ends[3 + v].to_bits()];
        [[low_x, low_u, low_v, high_x], [high_u, high_v, none, none], [none; 4]]
    } else {
        let [min_x, min_u, min_v] =
            [columns[x].to_bits(), columns[u].to_bits(), columns[v].to_bits()];
        let [max_x, max_u, max_v] =
            [columns[3 + x].to_bits(), columns[3 + u].to_bits(), columns[3 + v].to_bits()];
        let [delta_x, delta_u, delta_v] =
            [columns[6 + x].to_bits(), columns[6 + u].to_bits(), columns[6 + v].to_bits()];
        [
            [min_x, min_u, min_v, max_x],
            [max_u, max_v, delta_x, delta_u],
            [delta_v, none, ends[x].to_bits(), none],
        ]
    }
}

/// Returns the cells of both ends of the bounds.
#[inline(always)]
fn ends<I: Isa>(isa: I, cut: &AxisCells, bounds: &[I::F32; 6]) -> [I::U32; 2] {
    [cut.cells_of(isa, bounds[cut.axis]), cut.cells_of(isa, bounds[3 + cut.axis])]
}
