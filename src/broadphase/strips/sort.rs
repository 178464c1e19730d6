//! Orders the records of a strip by the bin in which a box starts, and stores them as columns.
//!
//! The order is that of a stable counting sort. Two boxes that overlap share a bin, so of two such boxes the one that is
//! later in the order starts at most in the last bin that the other one reaches. The end of that bin is stored for each
//! box.

use super::extent::{AxisCells, StripAxis};
use super::grid::Grid;
use super::long_path::Passage;
use super::record::{RecordLanes, StripRecord};
use super::scatter::{COPIED, Chunk};
use crate::broadphase::join::sort_keys::extremes;
use crate::broadphase::pairs::buffer::{lengthen, reserve_for};
use crate::broadphase::pairs::flags::FLAGS;
use crate::columns::impl_memory;
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, Table, U32Lanes, prefetch};
use alloc::vec::Vec;

/// The boxes of a strip as columns, ordered by bin and followed by padding that overlaps nothing.
#[derive(Debug, Default)]
pub(crate) struct StripColumns {
    /// Number of boxes without the padding.
    pub(crate) rows: usize,
    /// Bounds, in the order of [`Grid::axes`].
    pub(crate) bounds: [Vec<f32>; 6],
    /// Ids of the records; of records with paths, their positions among the records of the strip, with the flags of their
    /// ids. 0 for the padding.
    pub(crate) ids: Vec<u32>,
    /// Filters as words.
    pub(crate) filters: Vec<u32>,
    /// First row past the last bin that each box reaches; 0 for the padding.
    pub(crate) ends: Vec<u32>,
}

impl_memory!(StripColumns { bounds, ids, filters, ends; without rows });

impl StripColumns {
    /// Number of rows with the padding.
    pub(crate) fn padded(&self) -> usize {
        self.rows + LANES_MAX
    }

    /// Returns the bounds as a table. It does not depend on the level, so it is compiled once.
    #[inline]
    pub(crate) fn bounds(&self) -> Table<'_, f32, 6> {
        Table::new(self.bounds.each_ref().map_each(Vec::as_slice), self.padded())
    }

    fn columns_mut(&mut self) -> [&mut Vec<u32>; 3] {
        [&mut self.ids, &mut self.filters, &mut self.ends]
    }

    /// Reserves memory for this many rows with padding.
    pub(crate) fn reserve(&mut self, padded: usize) {
        self.bounds.iter_mut().for_each(|column| reserve_for(column, padded));
        self.columns_mut().into_iter().for_each(|column| reserve_for(column, padded));
    }

    /// Sets the number of rows. The numbers are those of the last strip, or zero.
    pub(super) fn resize(&mut self, rows: usize) {
        self.rows = rows;
        let padded = self.padded();
        self.bounds.iter_mut().for_each(|column| lengthen(column, padded));
        self.columns_mut().into_iter().for_each(|column| lengthen(column, padded));
    }
}

/// Memory for the sort of a strip.
#[derive(Debug, Default)]
pub(crate) struct SortScratch<R> {
    /// Records of the strip, in the order of the chunks.
    pub(crate) records: Vec<R>,
    /// Lower end of each record along the strip; `bins_of` has its bin.
    lows: Vec<f32>,
    bins_of: Vec<u32>,
    /// Start of each bin while boxes are placed; its end afterwards.
    bins: Vec<u32>,
    /// The records in the order of the columns.
    order: Vec<u32>,
}

impl_memory!([R] SortScratch<R> { records, lows, bins_of, bins, order });

impl<R> SortScratch<R> {
    /// Reserves memory for a strip of this many rows.
    pub(crate) fn reserve(&mut self, rows: usize) {
        let padded = rows + LANES_MAX;
        reserve_for(&mut self.records, padded);
        reserve_for(&mut self.lows, padded);
        reserve_for(&mut self.bins_of, padded);
        reserve_for(&mut self.order, padded);
        reserve_for(&mut self.bins, StripAxis::bins_of(rows));
    }
}

/// Sorts the records of a strip and stores them as columns. Only the computation of bins and of columns is compiled for
/// each level.
pub(crate) struct SortStrip<'a, R> {
    pub(crate) level: Level,
    pub(crate) grid: &'a Grid,
    pub(crate) chunks: &'a [Chunk<R>],
    pub(crate) strip: usize,
    /// Number of records of the strip, at least one.
    pub(crate) rows: usize,
    pub(crate) scratch: &'a mut SortScratch<R>,
    pub(crate) columns: &'a mut StripColumns,
}

impl<R: StripRecord> SortStrip<'_, R> {
    /// Stores the records in the order of the chunks, for a join.
    pub(crate) fn run_unsorted(self) {
        let Self { level, grid, chunks, strip, rows, scratch, columns } = self;
        let SortScratch { records, order, .. } = scratch;
        columns.resize(rows);
        level.run(GatherRecords { chunks, strip, rows, records });
        order.clear();
        order.extend(0..rows as u32);
        order.resize(rows + LANES_MAX, 0);
        let passage = R::HAS_PATH.then(|| Passage::new(grid, strip));
        let (records, passage) = (&records[..rows], passage.as_ref());
        level.run(StoreColumns { records, order, passage, bins: None, columns });
    }

    /// Sorts the records by bin.
    pub(crate) fn run(self) {
        let Self { level, grid, chunks, strip, rows, scratch, columns } = self;
        let SortScratch { records, lows, bins_of, bins, order } = scratch;
        let padded = rows + LANES_MAX;
        lengthen(lows, padded);
        lengthen(bins_of, padded);
        lengthen(order, padded);
        columns.resize(rows);
        let (lows, bins_of) = (&mut lows[..padded], &mut bins_of[..padded]);
        if strip + 1 < grid.strips() {
            for chunk in chunks {
                prefetch(chunk.strip(strip + 1));
            }
        }
        level.run(GatherRecords { chunks, strip, rows, records });
        let records = &records[..rows];
        for (low, record) in lows.iter_mut().zip(records) {
            *low = record.low();
        }
        let cut = &level.run(FindBins { along: &grid.along, lows, bins_of });
        count_bins(cut, &bins_of[..rows], bins);
        for (row, &bin) in (0..).zip(&bins_of[..rows]) {
            let next = &mut bins[bin as usize];
            order[*next as usize] = row;
            *next += 1;
        }
        order[rows..padded].fill(0);
        let passage = R::HAS_PATH.then(|| Passage::new(grid, strip));
        let passage = passage.as_ref();
        level.run(StoreColumns { records, order, passage, bins: Some((cut, bins)), columns });
    }
}

/// Copies the records of a strip from the chunks, one behind the other.
///
/// There are few records of a strip in a chunk, so a copy of exactly these would be a loop with an unpredictable end.
struct GatherRecords<'a, R> {
    chunks: &'a [Chunk<R>],
    strip: usize,
    /// Number of records of the strip.
    rows: usize,
    records: &'a mut Vec<R>,
}

impl<R: StripRecord> Kernel for GatherRecords<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        let Self { chunks, strip, rows, records } = self;
        lengthen(records, rows + COPIED);
        let records = &mut records[..rows + COPIED];
        let mut row = 0;
        for chunk in chunks {
            let (from, count) = chunk.strip_and_more(strip);
            let to = &mut records[row..];
            let mut done = 0;
            while done < count {
                let to: &mut [R; COPIED] = (&mut to[done..done + COPIED]).try_into().unwrap();
                *to = from[done..done + COPIED].try_into().unwrap();
                done += COPIED;
            }
            row += count;
        }
    }
}

/// Computes the bin of each number, of which the last [`LANES_MAX`] are padding that is overwritten. Returns the bins.
struct FindBins<'a> {
    along: &'a StripAxis,
    lows: &'a mut [f32],
    bins_of: &'a mut [u32],
}

impl Kernel for FindBins<'_> {
    type Output = AxisCells;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> AxisCells {
        let Self { along, lows, bins_of } = self;
        let (low, high) = extremes(isa, lows);
        let rows = lows.len() - LANES_MAX;
        let cut = along.bins(rows, low, high);
        for group in (0..rows).step_by(I::LANES) {
            cut.cells_of(isa, isa.load(&lows[group..])).store(&mut bins_of[group..]);
        }
        cut
    }
}

/// Writes the start of each bin.
fn count_bins(cut: &AxisCells, bins_of: &[u32], bins: &mut Vec<u32>) {
    bins.clear();
    bins.resize(cut.cells as usize, 0);
    let bins = &mut bins[..];
    for &bin in bins_of {
        bins[bin as usize] += 1;
    }
    let mut start = 0;
    for bin in bins {
        start += core::mem::replace(bin, start);
    }
}

/// Stores records as columns.
pub(super) struct StoreColumns<'a, R> {
    pub(super) records: &'a [R],
    /// The records in the order of the columns, and as many more as there are lanes.
    pub(super) order: &'a [u32],
    /// The cell of the strip, for records with paths.
    pub(super) passage: Option<&'a Passage>,
    /// The bins and the end of each, if the records are ordered by them.
    pub(super) bins: Option<(&'a AxisCells, &'a [u32])>,
    pub(super) columns: &'a mut StripColumns,
}

impl<R: StripRecord> Kernel for StoreColumns<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { records, order, passage, bins, columns } = self;
        let (rows, padded) = (columns.rows, columns.padded());
        for row in (0..rows).step_by(I::LANES) {
            let which = &order[row..row + I::LANES];
            let RecordLanes { bounds, id, filter } = R::load(isa, records, which, passage);
            for (numbers, column) in bounds.into_iter().zip(&mut columns.bounds) {
                numbers.store(&mut column[row..]);
            }
            let id =
                if R::HAS_PATH { (id & isa.splat_u32(FLAGS)) | isa.load_u32(which) } else { id };
            id.store(&mut columns.ids[row..]);
            filter.store(&mut columns.filters[row..]);
            if let Some((cut, ends)) = bins {
                let lasts = &mut columns.ends[row..];
                cut.cells_of(isa, bounds[3]).store(lasts);
                for last in &mut lasts[..I::LANES] {
                    *last = ends[*last as usize];
                }
            }
        }
        for (k, column) in columns.bounds.iter_mut().enumerate() {
            let nowhere = if k < 3 { f32::INFINITY } else { f32::NEG_INFINITY };
            column[rows..padded].fill(nowhere);
        }
        columns.ends[rows..padded].fill(0);
        // A sweep may load the records of the padding too, and a sample or a longer strip has left other positions there.
        columns.ids[rows..padded].fill(0);
    }
}
