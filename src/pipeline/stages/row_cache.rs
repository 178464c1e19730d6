//! Row cache: collects what is read of the rows of a pair.
//!
//! The pairs of a run are near each other in space, but their rows may be anywhere in memory: the
//! nine numbers of a box, its shape index and its flags are in eleven cache lines. If a tick has
//! many pairs, all rows are first copied to records of one cache line each, so that two lines are
//! read for a pair. In a tick with few pairs the columns are read directly. In both cases the lines
//! of the next block of pairs are prefetched while one block is processed.

use super::bounds::PLAIN;
use super::context::TickContext;
use super::unused::{PlacesNeeded, shrink_unless_used};
use crate::columns::{MovingBoxColumns, impl_memory};
use crate::geom::{Aabb, AcceleratingBox, MapEach, Pair};
use crate::lanes::prefetch;
use crate::par::{self, Threads};
use crate::pipeline::scene::BodyFlags;
use alloc::vec::Vec;

/// Pairs that are swept at a time; their numbers should fit into the L1 cache.
pub(crate) const BLOCK: usize = 32;
/// Rows of one task.
const CHUNK: usize = 4096;
/// All rows are copied if there is at least one pair for this many rows.
const ROWS_A_PAIR: usize = 4;

/// What is read of a row, in one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct CachedRow {
    numbers: [f32; 9],
    /// The index of the row in the convex bodies, or [`PLAIN`].
    convex: u32,
    flags: BodyFlags,
}

/// The records of all rows, in a tick with many pairs.
#[derive(Debug, Default)]
pub(crate) struct RowCache {
    records: Vec<CachedRow>,
    /// Whether the records belong to this tick.
    filled: bool,
    /// How many records the last ticks needed.
    needed: PlacesNeeded,
}

impl_memory!(RowCache { records; without filled, needed });

/// The rows of a block of pairs, as columns.
#[derive(Debug)]
pub(crate) struct PairBlock {
    numbers: [[[f32; BLOCK]; 9]; 2],
    convex: [[u32; BLOCK]; 2],
    flags: [[BodyFlags; BLOCK]; 2],
}

impl Default for PairBlock {
    fn default() -> Self {
        Self {
            numbers: [[[0.0; BLOCK]; 9]; 2],
            convex: [[PLAIN; BLOCK]; 2],
            flags: [[BodyFlags::STILL; BLOCK]; 2],
        }
    }
}

impl RowCache {
    /// Copies the rows if there are enough pairs.
    pub(crate) fn fill(&mut self, context: &TickContext<'_, '_>, pairs: usize, threads: &Threads) {
        let rows = context.boxes.len();
        self.filled = pairs.saturating_mul(ROWS_A_PAIR) >= rows;
        let most = self.needed.record(if self.filled { rows } else { 0 });
        if self.filled {
            self.records.resize(rows, CachedRow::default());
        }
        shrink_unless_used(&mut self.records, self.filled, most);
        if !self.filled {
            return;
        }
        let columns = context.boxes.columns();
        par::fill_chunks(threads, &mut self.records, CHUNK, &|start, records| {
            let columns = columns.map_each(|column| &column[start..start + records.len()]);
            for (at, record) in records.iter_mut().enumerate() {
                for (number, column) in record.numbers.iter_mut().zip(columns) {
                    *number = column[at];
                }
                let row = (start + at) as u32;
                record.convex = context.bounds.convex_of(row);
                record.flags = context.flags(row);
            }
        });
    }

    /// Prefetches what will be read of these pairs.
    pub(crate) fn prefetch(&self, context: &TickContext<'_, '_>, pairs: &[Pair]) {
        for pair in pairs {
            self.prefetch_row(context, pair.a);
            self.prefetch_row(context, pair.b);
        }
    }

    #[inline(always)]
    fn prefetch_row(&self, context: &TickContext<'_, '_>, row: u32) {
        let at = row as usize;
        if self.filled {
            return prefetch(&self.records[at..=at]);
        }
        context.prefetch_bounds(row);
        if let Some(flags) = context.scene.flags {
            prefetch(&flags[at..=at]);
        }
    }

    /// Reads the rows of these pairs.
    pub(crate) fn load<'f>(
        &self,
        context: &TickContext<'_, '_>,
        pairs: &[Pair],
        block: &'f mut PairBlock,
    ) -> &'f PairBlock {
        for (at, pair) in pairs.iter().enumerate() {
            block.put(0, at, self.record(context, pair.a));
            block.put(1, at, self.record(context, pair.b));
        }
        block
    }

    #[inline(always)]
    fn record(&self, context: &TickContext<'_, '_>, row: u32) -> CachedRow {
        if self.filled {
            return self.records[row as usize];
        }
        let (mut numbers, columns) = ([0.0; 9], context.boxes.columns());
        for (number, column) in numbers.iter_mut().zip(&columns) {
            *number = column[row as usize];
        }
        CachedRow { numbers, convex: context.bounds.convex_of(row), flags: context.flags(row) }
    }
}

impl PairBlock {
    #[inline(always)]
    fn put(&mut self, side: usize, at: usize, record: CachedRow) {
        for (column, number) in self.numbers[side].iter_mut().zip(record.numbers) {
            column[at] = number;
        }
        self.convex[side][at] = record.convex;
        self.flags[side][at] = record.flags;
    }

    /// The first and the second boxes of the first `count` pairs.
    pub(crate) fn moving(&self, count: usize) -> [MovingBoxColumns<'_>; 2] {
        self.numbers.each_ref().map_each(|side| {
            MovingBoxColumns::from_columns(side.each_ref().map_each(|column| &column[..count]))
                .expect("the columns are equally long")
        })
    }

    /// The two rows of a pair, if nothing is accelerated.
    #[inline(always)]
    pub(crate) fn rows(&self, at: usize) -> [AcceleratingBox; 2] {
        self.numbers.each_ref().map_each(|side| {
            let vector = |k: usize| [side[k][at], side[k + 1][at], side[k + 2][at]];
            let aabb = Aabb { min: vector(0), max: vector(3) };
            AcceleratingBox { aabb, delta: vector(6), accel: [0.0; 3] }
        })
    }

    /// Whether either row of a pair has a shape.
    pub(crate) fn is_shaped(&self, at: usize) -> bool {
        let [a, b] = &self.convex;
        a[at] != PLAIN || b[at] != PLAIN
    }

    /// Whether either row of a pair is a sensor.
    pub(crate) fn is_sensed(&self, at: usize) -> bool {
        let [a, b] = &self.flags;
        (a[at] | b[at]).has(BodyFlags::SENSOR)
    }
}
