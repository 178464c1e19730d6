//! Row cache: collects what is read of the rows of a pair.
//!
//! The pairs of a run are near each other in space, but their rows may be anywhere in memory: the
//! nine numbers of a box, its shape index and its flags are in eleven cache lines. If a tick has
//! many pairs, all rows are first copied to records of one cache line each, so that a pair costs
//! two. If it has few, the columns are read directly. In both cases the lines of the next block of
//! pairs are prefetched while one block is processed.

use super::bounds::PLAIN;
use super::scene::BodyFlags;
use super::windows::TickContext;
use crate::columns::MovingBoxColumns;
use crate::geom::{Aabb, AcceleratingBox, MapEach, Pair};
use crate::lanes::prefetch;
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Pairs that are swept at a time; their numbers should fit into the L1 cache.
pub(super) const BLOCK: usize = 32;
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
pub(super) struct Gathered {
    records: Vec<CachedRow>,
    /// Whether the records belong to this tick.
    filled: bool,
}

/// The rows of a block of pairs, as columns.
#[derive(Debug)]
pub(super) struct Few {
    numbers: [[[f32; BLOCK]; 9]; 2],
    convex: [[u32; BLOCK]; 2],
    flags: [[BodyFlags; BLOCK]; 2],
}

impl Default for Few {
    fn default() -> Self {
        Self {
            numbers: [[[0.0; BLOCK]; 9]; 2],
            convex: [[PLAIN; BLOCK]; 2],
            flags: [[BodyFlags::STILL; BLOCK]; 2],
        }
    }
}

impl Gathered {
    /// Copies the rows if there are enough pairs.
    pub(super) fn fill(&mut self, known: &TickContext<'_, '_>, pairs: usize, threads: &Threads) {
        let rows = known.boxes.len();
        self.filled = pairs.saturating_mul(ROWS_A_PAIR) >= rows;
        if !self.filled {
            return;
        }
        self.records.resize(rows, CachedRow::default());
        let columns = known.boxes.columns();
        par::fill_chunks(threads, &mut self.records, CHUNK, &|start, records| {
            let columns = columns.map_each(|column| &column[start..start + records.len()]);
            for (at, record) in records.iter_mut().enumerate() {
                for (number, column) in record.numbers.iter_mut().zip(columns) {
                    *number = column[at];
                }
                let row = (start + at) as u32;
                record.convex = known.bounds.convex_of(row);
                record.flags = known.flags(row);
            }
        });
    }

    /// Prefetches what will be read of these pairs.
    pub(super) fn foresee(&self, known: &TickContext<'_, '_>, pairs: &[Pair]) {
        for pair in pairs {
            self.foresee_row(known, pair.a);
            self.foresee_row(known, pair.b);
        }
    }

    #[inline(always)]
    fn foresee_row(&self, known: &TickContext<'_, '_>, row: u32) {
        let at = row as usize;
        if self.filled {
            return prefetch(&self.records[at..=at]);
        }
        known.foresee(row);
        if let Some(flags) = known.scene.flags {
            prefetch(&flags[at..=at]);
        }
    }

    /// Reads the rows of these pairs.
    pub(super) fn load<'f>(
        &self,
        known: &TickContext<'_, '_>,
        pairs: &[Pair],
        few: &'f mut Few,
    ) -> &'f Few {
        for (at, pair) in pairs.iter().enumerate() {
            few.put(0, at, self.record(known, pair.a));
            few.put(1, at, self.record(known, pair.b));
        }
        few
    }

    #[inline(always)]
    fn record(&self, known: &TickContext<'_, '_>, row: u32) -> CachedRow {
        if self.filled {
            return self.records[row as usize];
        }
        let (mut numbers, columns) = ([0.0; 9], known.boxes.columns());
        for (number, column) in numbers.iter_mut().zip(&columns) {
            *number = column[row as usize];
        }
        CachedRow { numbers, convex: known.bounds.convex_of(row), flags: known.flags(row) }
    }

    pub(super) fn bytes(&self) -> usize {
        self.records.capacity() * size_of::<CachedRow>()
    }
}

impl Few {
    #[inline(always)]
    fn put(&mut self, side: usize, at: usize, record: CachedRow) {
        for (column, number) in self.numbers[side].iter_mut().zip(record.numbers) {
            column[at] = number;
        }
        self.convex[side][at] = record.convex;
        self.flags[side][at] = record.flags;
    }

    /// The first and the second boxes of the first `count` pairs.
    pub(super) fn moving(&self, count: usize) -> [MovingBoxColumns<'_>; 2] {
        self.numbers.each_ref().map_each(|side| {
            MovingBoxColumns::from_columns(side.each_ref().map_each(|column| &column[..count]))
                .expect("the columns are equally long")
        })
    }

    /// The two rows of a pair, if nothing is accelerated.
    #[inline(always)]
    pub(super) fn rows(&self, at: usize) -> [AcceleratingBox; 2] {
        self.numbers.each_ref().map_each(|side| {
            let vector = |k: usize| [side[k][at], side[k + 1][at], side[k + 2][at]];
            let aabb = Aabb { min: vector(0), max: vector(3) };
            AcceleratingBox { aabb, delta: vector(6), accel: [0.0; 3] }
        })
    }

    /// Whether either row of a pair has a shape.
    pub(super) fn is_shaped(&self, at: usize) -> bool {
        let [a, b] = &self.convex;
        a[at] != PLAIN || b[at] != PLAIN
    }

    /// Whether either row of a pair is a sensor.
    pub(super) fn is_sensed(&self, at: usize) -> bool {
        let [a, b] = &self.flags;
        (a[at] | b[at]).has(BodyFlags::SENSOR)
    }
}
