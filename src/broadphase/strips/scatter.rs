//! Which strips does each box of a chunk meet?
//!
//! A chunk is a fixed run of rows. Its boxes are written, a record for each strip a box meets, to
//! memory of the chunk's own, ordered by strip; within a strip in an order that depends on the rows
//! alone. A strip later reads its part of each chunk, so scattering needs no memory that two chunks
//! write, and what one chunk scatters to stays in the cache.

use super::grid::{AxisCells, Grid};
use super::long_path::{Stop, is_long, trace};
use crate::broadphase::pairs::buffer::make_room;
use crate::broadphase::pairs::input::PairInput;
use crate::columns::{Rejected, check_group};
use crate::geom::{Filter, MapEach};
use crate::kernels::bounds::bounds;
use crate::lanes::{F32Lanes, Isa, Kernel, LoadColumns, MaskLanes, U32Lanes, prefetch_to_write};
use alloc::vec::Vec;

/// What is written to a strip for one box: `[f32; 6]` bounds or `[f32; 9]` columns as bits, axes
/// in the order of [`Grid::axes`]; then the id, after columns the lower end of the bounds along,
/// and in the last word the filter.
pub(crate) type StripRecord<const WORDS: usize> = [u32; WORDS];
/// Records of bounds.
pub(crate) const UNION_WORDS: usize = 8;
/// Records of boxes with their displacements, padded to a multiple of 16 bytes.
pub(crate) const SWEPT_WORDS: usize = 12;

/// Where a record holds the id.
pub(crate) const fn id_word<const WORDS: usize>() -> usize {
    if WORDS == UNION_WORDS { 6 } else { 9 }
}

/// Where a record holds the lower end of the bounds along the strip.
pub(crate) const fn low_word<const WORDS: usize>() -> usize {
    if WORDS == UNION_WORDS { 0 } else { 10 }
}

/// Rows whose records are made in one go: few enough for the innermost cache.
const BLOCK: usize = 128;

/// Where a record holds the filter, if there are any.
pub(crate) const fn filter_word<const WORDS: usize>() -> usize {
    if WORDS == UNION_WORDS { 7 } else { 11 }
}

pub(crate) use crate::broadphase::pairs::input::ROW;
/// Of the id: the box does not move.
pub(crate) const STILL: u32 = 1 << 31;
/// Of the id: the box starts in a strip of a lower u.
pub(crate) const NOT_FIRST_U: u32 = 1 << 30;
/// Of the id: the box starts in a strip of a lower v.
pub(crate) const NOT_FIRST_V: u32 = 1 << 29;
/// Of the id: the box is of the first of two sets.
pub(crate) const OF_FIRST: u32 = 1 << 28;
/// Of the id: the box is of the second.
pub(crate) const OF_SECOND: u32 = 1 << 27;
/// Of the id: the path is long, and the record is of the part of it that lies in the strip.
pub(crate) const LONG: u32 = 1 << 26;
/// Two ids with one of these in common are no pair that is asked for, or one of another strip.
pub(crate) const FLAGS: u32 = STILL | NOT_FIRST_U | NOT_FIRST_V | OF_FIRST | OF_SECOND;

/// One chunk's records.
#[derive(Debug)]
pub(crate) struct Chunk<const WORDS: usize> {
    records: Vec<StripRecord<WORDS>>,
    /// Where each strip's records start, and where the last one's end.
    starts: Vec<u32>,
    /// Whether the records are written, not only counted.
    pub(crate) written: bool,
    /// Rows of the whole store that are no boxes.
    pub(crate) rejected: Vec<Rejected>,
}

impl<const WORDS: usize> Default for Chunk<WORDS> {
    fn default() -> Self {
        Self { records: Vec::new(), starts: Vec::new(), written: false, rejected: Vec::new() }
    }
}

impl<const WORDS: usize> Chunk<WORDS> {
    /// The records of one strip.
    #[inline(always)]
    pub(crate) fn strip(&self, strip: usize) -> &[StripRecord<WORDS>] {
        &self.records[self.starts[strip] as usize..self.starts[strip + 1] as usize]
    }

    /// How many records were counted.
    pub(crate) fn records(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<StripRecord<WORDS>>()
            + self.starts.capacity() * size_of::<u32>()
            + self.rejected.capacity() * size_of::<Rejected>()
    }

    /// Makes room for so many records in so many strips.
    pub(crate) fn reserve(&mut self, records: usize, strips_max: usize) {
        self.records.reserve_exact(records.saturating_sub(self.records.len()));
        self.starts.reserve_exact((strips_max + 1).saturating_sub(self.starts.len()));
    }

    /// Gives room back but for so many records.
    pub(crate) fn shrink_to(&mut self, records: usize) {
        self.records.clear();
        self.records.shrink_to(records);
        self.starts = Vec::new();
    }

    /// Adds to each strip's length how many records it has here.
    pub(crate) fn add_lengths(&self, lengths: &mut [usize]) {
        for (length, ends) in lengths.iter_mut().zip(self.starts.windows(2)) {
            *length += (ends[1] - ends[0]) as usize;
        }
    }
}

/// A worker's memory for the chunk at hand.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// First and last cell on u and on v, a byte each.
    cells: Vec<u32>,
    /// The rows that meet more than one cell, and after them a row that is none.
    crossing: Vec<u32>,
    /// Where the next record of each strip goes.
    cursors: Vec<u32>,
    /// The strips that long paths pass, in the order of the rows.
    stops: Vec<Stop>,
    /// How many strips each of them passes.
    passed: Vec<u32>,
}

impl Scratch {
    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        let words = self.cells.capacity()
            + self.crossing.capacity()
            + self.cursors.capacity()
            + self.passed.capacity();
        words * size_of::<u32>() + self.stops.capacity() * size_of::<Stop>()
    }

    /// How many stops fit.
    pub(crate) fn stops(&self) -> usize {
        self.stops.capacity()
    }

    /// Makes room for a chunk of so many rows.
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

/// The rows of a chunk.
pub(crate) struct ChunkRows<'a> {
    pub(crate) set: PairInput<'a>,
    /// The row of the first of them in its set.
    pub(crate) first_row: usize,
    /// Its id.
    pub(crate) first_id: u32,
}

impl ChunkRows<'_> {
    /// Which row it is of which set, or its name, and whether it moves.
    #[inline(always)]
    fn id(&self, row: usize) -> u32 {
        let still = self.set.moves.is_some_and(|moves| !moves[row]);
        let name = self.set.label(row).unwrap_or(self.first_id.wrapping_add(row as u32));
        name | if still { STILL } else { 0 }
    }

    /// Its filter as a word, the category below the mask.
    #[inline(always)]
    fn filter(&self, row: usize) -> u32 {
        self.set.filters.map_or(Filter::ALL, |of| of[row]).word()
    }
}

/// Scatters the rows of a chunk.
pub(crate) struct Scatter<'a, const WORDS: usize> {
    pub(crate) grid: &'a Grid,
    pub(crate) part: ChunkRows<'a>,
    pub(crate) scratch: &'a mut Scratch,
    pub(crate) chunk: &'a mut Chunk<WORDS>,
    /// More records are counted, but not written.
    pub(crate) records_max: usize,
    /// Whether filters are looked at.
    pub(crate) filtered: bool,
}

/// First and last cell on either axis of a row that is no box: none, as the last is before the
/// first.
const NO_CELLS: u32 = 0x0001_0001;
/// The same of a row whose path is long: its cells are [`Scratch::stops`].
const STOPS: u32 = 0x0001_0002;

/// The cells that [`Scatter::locate`] packed: first and last on u, then on v.
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
        make_room(&mut self.chunk.records, records);
        self.chunk.records.resize(records, [0; WORDS]);
        // Two loops: a branch for each record would cost 3 %.
        if self.filtered {
            self.write(isa, true);
        } else {
            self.write(isa, false);
        }
    }
}

impl<const WORDS: usize> Scatter<'_, WORDS> {
    /// Bounds and cells of every row.
    #[inline(always)]
    fn locate<I: Isa>(&mut self, isa: I) {
        let table = self.part.set.boxes.table();
        let rows = table.rows();
        let scratch = &mut *self.scratch;
        self.chunk.rejected.clear();
        scratch.cells.resize(rows, 0);
        scratch.stops.clear();
        scratch.passed.clear();
        let axes = self.grid.axes();
        let mut row = 0;
        while row < rows {
            // The last group reaches back over rows that were seen.
            let start = row.min(rows - I::LANES);
            let columns = table.load(isa, start);
            let bounds = bounds(isa, &columns);
            let [u_low, u_high] = ends(isa, &self.grid.u, &bounds);
            let [v_low, v_high] = ends(isa, &self.grid.v, &bounds);
            let cells = u_low | u_high.shl::<8>() | v_low.shl::<16>() | v_high.shl::<24>();
            let rejected = &mut self.chunk.rejected;
            let valid =
                check_group(isa, self.part.set.boxes, &columns, start, row - start, rejected);
            let cells = I::U32::select(valid, cells, isa.splat_u32(NO_CELLS));
            let cells = if WORDS == SWEPT_WORDS {
                let long = is_long(isa, self.grid, &columns) & valid;
                let mut rows = long.bits() & (u32::MAX << (row - start));
                while rows != 0 {
                    let moving = self.part.set.boxes.get(start + rows.trailing_zeros() as usize);
                    rows &= rows - 1;
                    let of = [moving.aabb.min, moving.aabb.max, moving.delta];
                    let path = core::array::from_fn(|k| of[k / 3][axes[k % 3]]);
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
        // Rows of the set, not of the chunk.
        for rejected in &mut self.chunk.rejected {
            rejected.row += self.part.first_row as u32;
        }
    }

    /// How many records each strip gets, and so where they start.
    #[inline(always)]
    fn count(&mut self) {
        let strips = self.grid.strips();
        let v_cells = self.grid.v.cells as usize;
        let cursors = &mut self.scratch.cursors;
        cursors.clear();
        cursors.resize(strips, 0);
        // Which boxes cross a border nobody can foresee, so all are counted where they start, and
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

    /// Copies each row to the strips it meets.
    #[inline(always)]
    fn write<I: Isa>(&mut self, isa: I, filtered: bool) {
        let grid = self.grid;
        let v_cells = grid.v.cells as usize;
        let order = grid.axes();
        let table = self.part.set.boxes.table();
        let rows = table.rows();
        let size = rows.min(BLOCK);
        let part = &self.part;
        let Scratch { cells, crossing, cursors, stops, passed } = &mut *self.scratch;
        let (mut stops, mut passed) = (&stops[..], passed.iter());
        let mut crossing = &crossing[..];
        let records = &mut self.chunk.records[..];
        // The records of a block are made in lanes, then copied one by one. The last block, and
        // the last group of a block, reach back over rows that were seen.
        let mut block = [[0; WORDS]; BLOCK];
        for start in (0..rows).step_by(BLOCK) {
            let base = start.min(rows - size);
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

/// Appends a record to a strip. What differs from strip to strip is written there afterwards: a word
/// written to the record would have to be in the cache before the whole could be read.
#[inline(always)]
fn put<'a, const WORDS: usize>(
    records: &'a mut [StripRecord<WORDS>],
    cursor: &mut u32,
    record: &StripRecord<WORDS>,
) -> &'a mut StripRecord<WORDS> {
    let at = *cursor as usize;
    *cursor += 1;
    // There are as many places written at as strips, too many for the CPU to see where each is
    // heading: without this most writes wait for memory.
    prefetch_to_write(records, at + 4);
    let place = &mut records[at];
    *place = *record;
    place
}

/// Writes whose a record is.
#[inline(always)]
fn sign<const WORDS: usize>(place: &mut StripRecord<WORDS>, id: u32, filter: u32, filtered: bool) {
    place[id_word::<WORDS>()] = id;
    if filtered {
        place[filter_word::<WORDS>()] = filter;
    }
}

/// The words of a record but for the id, four at a time.
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

/// The cells of the two ends of the bounds.
#[inline(always)]
fn ends<I: Isa>(isa: I, cut: &AxisCells, bounds: &[I::F32; 6]) -> [I::U32; 2] {
    [cut.cells_of(isa, bounds[cut.axis]), cut.cells_of(isa, bounds[3 + cut.axis])]
}
