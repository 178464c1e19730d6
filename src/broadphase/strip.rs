//! Which boxes of a strip meet?
//!
//! The strip's records are ordered by the bin in which a box starts (a counting sort, stable) and
//! laid out as columns. Each box is then compared with those after it, up to the end of the last
//! bin it reaches: two boxes that meet share a bin, so the later one starts there or before.
//! Inside a bin the order is that of the rows, hence both ends are compared along the strip too.
//!
//! Pairs are written without a branch: the ids of a whole lane group are compressed to the front
//! and stored, and the end of the list moves by how many counted.

use super::buffer::Buffer;
use super::grid::Grid;
use super::scatter::{Chunk, FLAGS, ROW, SWEPT_WORDS, id_word};
use crate::geom::{Pair, SweptPair};
use crate::kernels::{bounds::bounds, sweep};
use crate::lanes::{
    Columns, F32Lanes, Isa, Kernel, LANES_MAX, MaskLanes, Table, TableMut, U32Lanes, prefetch,
};
use alloc::vec::Vec;
use core::ops::Range;

/// A worker's memory for the strip at hand.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Boxes and displacements, in the order along, u, v; for swept pairs only.
    columns: [Vec<f32>; 9],
    /// Bounds, in the order along, u, v.
    bounds: [Vec<f32>; 6],
    ids: Vec<u32>,
    last_bins: Vec<u32>,
    /// Where each bin starts while boxes are placed; then where it ends.
    bins: Vec<u32>,
    /// Pairs whose bounds meet, as places in the strip; for swept pairs only.
    candidates: Buffer<Pair>,
}

impl Scratch {
    /// Makes room for a strip of so many records, with displacements or without.
    pub(super) fn reserve(&mut self, rows: usize, grid: &Grid, swept: bool) {
        let padded = rows + LANES_MAX;
        let columns = if swept {
            &mut self.columns[..]
        } else {
            &mut []
        };
        for column in columns.iter_mut().chain(&mut self.bounds) {
            column.clear();
            column.reserve(padded);
        }
        let bins = grid.along.cells as usize;
        for (column, len) in [
            (&mut self.ids, padded),
            (&mut self.last_bins, padded),
            (&mut self.bins, bins),
        ] {
            column.clear();
            column.reserve(len);
        }
    }

    /// For how many candidates there is room.
    pub(super) fn most_candidates(&self) -> usize {
        self.candidates.room()
    }

    pub(super) fn reserve_candidates(&mut self, most: usize) {
        self.candidates.clear();
        self.candidates.spare(most);
    }
}

/// Finds the pairs of the strips `strips` of which the bounds meet.
pub(super) struct UnionStrips<'a, const WORDS: usize> {
    pub(super) grid: &'a Grid,
    pub(super) chunks: &'a [Chunk<WORDS>],
    pub(super) strips: Range<usize>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) found: &'a mut Buffer<Pair>,
}

/// Finds the pairs of the strips `strips` that truly sweep into each other.
pub(super) struct SweptStrips<'a, const WORDS: usize> {
    pub(super) grid: &'a Grid,
    pub(super) chunks: &'a [Chunk<WORDS>],
    pub(super) strips: Range<usize>,
    pub(super) scratch: &'a mut Scratch,
    pub(super) found: &'a mut Buffer<SweptPair>,
}

impl<const WORDS: usize> Kernel for UnionStrips<'_, WORDS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        for strip in self.strips {
            let rows = place(self.grid, self.chunks, strip, self.scratch);
            overlap::<I, false>(isa, rows, self.scratch, self.found);
        }
    }
}

impl<const WORDS: usize> Kernel for SweptStrips<'_, WORDS> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        for strip in self.strips {
            let rows = place(self.grid, self.chunks, strip, self.scratch);
            enclose(isa, rows, self.scratch);
            let mut candidates = core::mem::take(&mut self.scratch.candidates);
            candidates.clear();
            overlap::<I, true>(isa, rows, self.scratch, &mut candidates);
            touch(isa, rows, self.scratch, &mut candidates, self.found);
            self.scratch.candidates = candidates;
        }
    }
}

/// Lays out the records of a strip as columns, ordered by bin; returns how many there are.
#[inline(always)]
fn place<const WORDS: usize>(
    grid: &Grid,
    chunks: &[Chunk<WORDS>],
    strip: usize,
    scratch: &mut Scratch,
) -> usize {
    let (id_word, bin_word) = (id_word::<WORDS>(), id_word::<WORDS>() + 1);
    let Scratch {
        columns,
        bounds,
        ids,
        last_bins,
        bins,
        ..
    } = scratch;

    bins.clear();
    bins.resize(grid.along.cells as usize, 0);
    let mut rows = 0;
    for chunk in chunks {
        let records = chunk.strip(strip);
        rows += records.len();
        for record in records {
            bins[(record[bin_word] & 0xffff) as usize] += 1;
        }
        if strip + 1 < grid.strips() {
            prefetch(chunk.strip(strip + 1));
        }
    }
    let mut start = 0;
    for bin in bins.iter_mut() {
        start += core::mem::replace(bin, start);
    }

    let padded = rows + LANES_MAX;
    let columns: &mut [Vec<f32>] = if WORDS == SWEPT_WORDS {
        columns
    } else {
        bounds
    };
    for column in columns.iter_mut() {
        column.resize(padded, 0.0);
    }
    ids.resize(padded, 0);
    last_bins.resize(padded, 0);
    let mut marks = TableMut::new([&mut ids[..], &mut last_bins[..]], rows);
    if let [x0, u0, v0, x1, u1, v1, rest @ ..] = &mut *columns {
        let mut six = TableMut::new([&mut x0[..], u0, v0, x1, u1, v1], rows);
        let mut three = match rest {
            [x2, u2, v2] => Some(TableMut::new([&mut x2[..], u2, v2], rows)),
            _ => None,
        };
        for chunk in chunks {
            for record in chunk.strip(strip) {
                let next = &mut bins[(record[bin_word] & 0xffff) as usize];
                let at = *next as usize;
                *next += 1;
                let word = |k: usize| f32::from_bits(record[k]);
                six.write(at, [word(0), word(1), word(2), word(3), word(4), word(5)]);
                if let Some(three) = &mut three {
                    three.write(at, [word(6), word(7), word(8)]);
                }
                marks.write(at, [record[id_word], record[bin_word] >> 16]);
            }
        }
    }
    // The last group of a box reads past the end: nothing meets what stands there.
    for column in columns.iter_mut() {
        column[rows..].fill(f32::INFINITY);
    }
    rows
}

/// Bounds of the boxes in the columns.
#[inline(always)]
fn enclose<I: Isa>(isa: I, rows: usize, scratch: &mut Scratch) {
    let padded = rows + LANES_MAX;
    let table = Table::new(core::array::from_fn(|k| &scratch.columns[k][..]), padded);
    for column in &mut scratch.bounds {
        column.resize(padded, 0.0);
    }
    let mut row = 0;
    while row < rows {
        let bounds = bounds(isa, &table.load(isa, row));
        for (numbers, column) in bounds.into_iter().zip(&mut scratch.bounds) {
            numbers.store(&mut column[row..]);
        }
        row += I::LANES;
    }
    for column in &mut scratch.bounds {
        column[rows..].fill(f32::INFINITY);
    }
}

/// Appends the pairs whose bounds meet: their places in the strip, or else their rows in the
/// store with the lower first.
#[inline(always)]
fn overlap<I: Isa, const PLACES: bool>(
    isa: I,
    rows: usize,
    scratch: &Scratch,
    found: &mut Buffer<Pair>,
) {
    const IOTA: [u32; LANES_MAX] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let iota = isa.load_u32(&IOTA);
    let row_bits = isa.splat_u32(ROW);
    let table: Table<'_, f32, 6> = Table::new(
        core::array::from_fn(|k| &scratch.bounds[k][..]),
        rows + LANES_MAX,
    );
    let ids: Table<'_, u32, 1> = Table::new([&scratch.ids[..]], rows + LANES_MAX);
    for i in 0..rows {
        let end = scratch.bins[scratch.last_bins[i] as usize] as usize;
        let mut j = i + 1;
        // Before the lanes are filled: memory that must grow would push them out.
        let spare = found.spare(end.saturating_sub(j) + LANES_MAX);
        let spare: &mut [[u32; 2]] = bytemuck::cast_slice_mut(spare);
        let id = scratch.ids[i];
        let flags = isa.splat_u32(id & FLAGS);
        let row = isa.splat_u32(id & ROW);
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
            let (a, b) = if PLACES {
                (
                    isa.splat_u32(i as u32),
                    isa.splat_u32(j as u32).wrapping_add(iota).compress(meets),
                )
            } else {
                let theirs = (their_ids & row_bits).compress(meets);
                (row.min(theirs), row.max(theirs))
            };
            let met = meets.count();
            isa.store_pairs(a, b, met, &mut spare[count..]);
            count += met;
            j += I::LANES;
        }
        found.keep(count);
    }
}

/// Appends the candidates that touch in the tick, with the first time.
#[inline(always)]
fn touch<I: Isa>(
    isa: I,
    rows: usize,
    scratch: &Scratch,
    candidates: &mut Buffer<Pair>,
    found: &mut Buffer<SweptPair>,
) {
    let table: Table<'_, f32, 9> = Table::new(
        core::array::from_fn(|k| &scratch.columns[k][..]),
        rows + LANES_MAX,
    );
    // Whole groups: what is past the end is box 0 against itself, and is not kept.
    let count = candidates.as_slice().len();
    candidates.spare(LANES_MAX)[..LANES_MAX].fill(Pair::default());
    candidates.keep(LANES_MAX);
    let candidates = candidates.as_slice();
    let mut done = 0;
    while done < count {
        let (mut a, mut b) = ([0; LANES_MAX], [0; LANES_MAX]);
        for (k, pair) in candidates[done..done + I::LANES].iter().enumerate() {
            (a[k], b[k]) = (pair.a, pair.b);
        }
        let (first, hit) = sweep::times(isa, &table.gather(isa, &a), &table.gather(isa, &b));
        let mut firsts = [0.0; LANES_MAX];
        first.store(&mut firsts);
        let wanted = (1 << (count - done).min(I::LANES)) - 1;
        let mut hits = hit.bits() & wanted;
        let spare = found.spare(LANES_MAX);
        let mut kept = 0;
        while hits != 0 {
            let k = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            let (i, j) = (
                scratch.ids[a[k] as usize] & ROW,
                scratch.ids[b[k] as usize] & ROW,
            );
            spare[kept] = SweptPair {
                a: Ord::min(i, j),
                b: Ord::max(i, j),
                first: firsts[k],
            };
            kept += 1;
        }
        found.keep(kept);
        done += I::LANES;
    }
}
