//! Which strips does each box of a chunk meet?
//!
//! A chunk is a fixed run of rows. Its boxes are written, a record for each strip a box meets,
//! to memory of the chunk's own, ordered by strip; within a strip in the order of the rows. A
//! strip later reads its part of each chunk, so scattering needs no memory that two chunks
//! write, and what one chunk scatters to stays in the cache.

use super::grid::{Cut, Grid};
use crate::geom::COORD_MAX;
use crate::kernels::bounds::bounds;
use crate::lanes::{Columns, F32Lanes, Isa, Kernel, LANES_MAX, MaskLanes, U32Lanes};
use crate::store::{Boxes, Rejected, is_valid, list};
use alloc::vec::Vec;

/// What is written to a strip for one box: `[f32; 6]` bounds or `[f32; 9]` columns as bits, axes
/// in the order along, u, v; then the id, then the bins.
pub(super) type Record<const WORDS: usize> = [u32; WORDS];
/// Records of bounds.
pub(super) const UNION_WORDS: usize = 8;
/// Records of boxes with their displacements, padded to a multiple of 16 bytes.
pub(super) const SWEPT_WORDS: usize = 12;

/// Of the id: the row.
pub(super) const ROW: u32 = (1 << 29) - 1;
/// Of the id: the box does not move.
pub(super) const STILL: u32 = 1 << 31;
/// Of the id: the box starts in a strip of a lower u.
const NOT_FIRST_U: u32 = 1 << 30;
/// Of the id: the box starts in a strip of a lower v.
const NOT_FIRST_V: u32 = 1 << 29;
/// Two ids with one of these in common are no pair, or a pair of another strip.
pub(super) const FLAGS: u32 = !ROW;

/// One chunk's records.
#[derive(Debug)]
pub(super) struct Chunk<const WORDS: usize> {
    records: Vec<Record<WORDS>>,
    /// Where each strip's records start, and where the last one's end.
    starts: Vec<u32>,
    /// Rows of the whole store that are no boxes.
    pub(super) rejected: Vec<Rejected>,
}

impl<const WORDS: usize> Default for Chunk<WORDS> {
    fn default() -> Self {
        Self { records: Vec::new(), starts: Vec::new(), rejected: Vec::new() }
    }
}

impl<const WORDS: usize> Chunk<WORDS> {
    /// The records of one strip.
    #[inline(always)]
    pub(super) fn strip(&self, strip: usize) -> &[Record<WORDS>] {
        &self.records[self.starts[strip] as usize..self.starts[strip + 1] as usize]
    }

    /// How many records.
    pub(super) fn len(&self) -> usize {
        self.records.len()
    }
}

/// A worker's memory for the chunk at hand.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Bounds, in the order along, u, v.
    bounds: [Vec<f32>; 6],
    /// First and last cell on u and on v, a byte each.
    cells: Vec<u32>,
    /// First and last bin, two bytes each.
    bins: Vec<u32>,
    /// Where the next record of each strip goes.
    cursors: Vec<u32>,
}

/// Scatters the rows from `first_row` on, which are `boxes`.
pub(super) struct Scatter<'a, const WORDS: usize> {
    pub(super) grid: &'a Grid,
    pub(super) boxes: Boxes<'a>,
    pub(super) moves: Option<&'a [bool]>,
    pub(super) first_row: usize,
    pub(super) scratch: &'a mut Scratch,
    pub(super) chunk: &'a mut Chunk<WORDS>,
}

/// No cells: what a row that is no box meets.
const NO_CELLS: u32 = 0x0001_0001;

/// The cells that [`Scatter::locate`] packed.
#[inline(always)]
fn unpack(cells: u32) -> [usize; 4] {
    [cells, cells >> 8, cells >> 16, cells >> 24].map(|cell| (cell & 0xff) as usize)
}

impl<const WORDS: usize> Kernel for Scatter<'_, WORDS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        self.locate(isa);
        self.count();
        self.write();
    }
}

impl<const WORDS: usize> Scatter<'_, WORDS> {
    /// Bounds, cells and bins of every row.
    #[inline(always)]
    fn locate<I: Isa>(&mut self, isa: I) {
        let table = self.boxes.table();
        let rows = table.rows();
        let order = [self.grid.along.axis, self.grid.u.axis, self.grid.v.axis];
        let limit = isa.splat(COORD_MAX);
        let scratch = &mut *self.scratch;
        self.chunk.rejected.clear();
        scratch.cells.resize(rows, 0);
        scratch.bins.resize(rows, 0);
        if WORDS == UNION_WORDS {
            for column in &mut scratch.bounds {
                column.resize(rows, 0.0);
            }
        }
        let mut row = 0;
        while row < rows {
            // The last group reaches back over rows that were seen.
            let start = row.min(rows - I::LANES);
            let columns = table.load(isa, start);
            let bounds = bounds(isa, &columns);
            let [along_low, along_high] = ends(isa, &self.grid.along, &bounds);
            let [u_low, u_high] = ends(isa, &self.grid.u, &bounds);
            let [v_low, v_high] = ends(isa, &self.grid.v, &bounds);
            let cells = u_low | u_high.shl::<8>() | v_low.shl::<16>() | v_high.shl::<24>();
            let valid = is_valid(&columns, limit);
            let cells = I::U32::select(valid, cells, isa.splat_u32(NO_CELLS));
            cells.store(&mut scratch.cells[start..]);
            (along_low | along_high.shl::<16>()).store(&mut scratch.bins[start..]);
            if WORDS == UNION_WORDS {
                for (k, axis) in order.into_iter().enumerate() {
                    bounds[axis].store(&mut scratch.bounds[k][start..]);
                    bounds[3 + axis].store(&mut scratch.bounds[3 + k][start..]);
                }
            }
            let bad = !valid.bits() & ((1 << I::LANES) - 1) & (u32::MAX << (row - start));
            if bad != 0 {
                list(self.boxes, start, bad, &mut self.chunk.rejected);
            }
            row += I::LANES;
        }
        for rejected in &mut self.chunk.rejected {
            rejected.row += self.first_row as u32;
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
        for &cells in &self.scratch.cells {
            let [u_low, u_high, v_low, v_high] = unpack(cells);
            for u in u_low..=u_high {
                for v in v_low..=v_high {
                    cursors[u * v_cells + v] += 1;
                }
            }
        }
        self.chunk.starts.resize(strips + 1, 0);
        let mut total = 0;
        for (cursor, start) in cursors.iter_mut().zip(&mut self.chunk.starts) {
            *start = total;
            total += core::mem::replace(cursor, total);
        }
        self.chunk.starts[strips] = total;
        self.chunk.records.resize(total as usize, [0; WORDS]);
    }

    #[inline(always)]
    fn write(&mut self) {
        let v_cells = self.grid.v.cells as usize;
        let order = [self.grid.along.axis, self.grid.u.axis, self.grid.v.axis];
        let Scratch { bounds, cells, bins, cursors } = &mut *self.scratch;
        let rows = cells.len();
        let numbers: [&[f32]; 9] = if WORDS == UNION_WORDS {
            // The last three are not read.
            core::array::from_fn(|k| &bounds[k % 6][..rows])
        } else {
            let columns = self.boxes.columns();
            core::array::from_fn(|k| &columns[k / 3 * 3 + order[k % 3]][..rows])
        };
        let filled = if WORDS == UNION_WORDS { 6 } else { 9 };
        for row in 0..rows {
            let still = self.moves.is_some_and(|moves| !moves[row]);
            let id = (self.first_row + row) as u32 | if still { STILL } else { 0 };
            let mut record = [0; WORDS];
            for (word, column) in record[..filled].iter_mut().zip(&numbers) {
                *word = column[row].to_bits();
            }
            record[filled + 1] = bins[row];
            let [u_low, u_high, v_low, v_high] = unpack(cells[row]);
            for u in u_low..=u_high {
                let u_flag = if u == u_low { 0 } else { NOT_FIRST_U };
                for v in v_low..=v_high {
                    let v_flag = if v == v_low { 0 } else { NOT_FIRST_V };
                    record[filled] = id | u_flag | v_flag;
                    let cursor = &mut cursors[u * v_cells + v];
                    self.chunk.records[*cursor as usize] = record;
                    *cursor += 1;
                }
            }
        }
    }
}

/// The cells of the two ends of the bounds; the same as [`Cut::cell`].
#[inline(always)]
fn ends<I: Isa>(isa: I, cut: &Cut, bounds: &[I::F32; 6]) -> [I::U32; 2] {
    let origin = isa.splat(cut.origin);
    let scale = isa.splat(cut.scale);
    let last = isa.splat((cut.cells - 1) as f32);
    let zero = isa.splat(0.0);
    let low = ((bounds[cut.axis] - origin) * scale).max(zero).min(last);
    let high = ((bounds[3 + cut.axis] - origin) * scale).max(zero).min(last);
    [low.trunc(), high.trunc()]
}

const _: () = assert!(LANES_MAX <= 31, "`bad` shifts by the lanes in 32 bits");
