//! The boxes of a join that is divided into parts: each box is stored once, and the sets are lists of their places.
//!
//! A set on a level of divisions has most of the boxes of the level above, so copies of the boxes would need many times the
//! memory of the input, and most of the time of a first call would be that of the new memory. A place with its flags has
//! four bytes instead of 28.

use super::boxes::{
    ColumnTarget, KdBoxes, KdRows, Selection, SetSource, SetTarget, Summary, select,
};
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::pairs::input::ROW;
use crate::columns::impl_memory;
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, U32Lanes};
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};

/// The bounds of a box in half a cache line.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(32))]
struct JoinRecord {
    bounds: [f32; 6],
    unused: [u32; 2],
}

/// The boxes of a join by place, and past them one that overlaps nothing.
#[derive(Debug, Default)]
pub(super) struct JoinRecords {
    records: Vec<JoinRecord>,
    /// Flags of the right copies on each axis.
    pub(super) not_first: [u32; 3],
}

impl_memory!(JoinRecords { records; without not_first });

impl JoinRecords {
    /// Replaces the boxes by so many, of which `get` returns the bounds.
    pub(super) fn load(
        &mut self,
        not_first: [u32; 3],
        count: usize,
        get: &dyn Fn(usize) -> [f32; 6],
    ) {
        let Self { records, .. } = self;
        self.not_first = not_first;
        records.clear();
        reserve_for(records, count + 1);
        let record = |bounds| JoinRecord { bounds, unused: [0; 2] };
        records.extend((0..count).map(|place| record(get(place))));
        records.push(record([f32::INFINITY; 6]));
    }

    /// Returns the bounds of the box of a word.
    pub(super) fn bounds(&self, word: u32) -> [f32; 6] {
        self.records[(word & ROW) as usize].bounds
    }

    /// Appends the padding of a set: places of the box that overlaps nothing.
    pub(super) fn push_padding(&self, words: &mut Vec<u32>) {
        words.resize(words.len() + LANES_MAX, self.padding());
    }

    fn padding(&self) -> u32 {
        self.records.len().saturating_sub(1) as u32
    }
}

/// Boxes by their places and flags.
struct RecordSource<'a> {
    records: &'a [[u32; 8]],
    words: &'a [u32],
}

/// Places and flags that are written.
struct WordTarget<'a>(&'a mut [u32]);

impl SetSource for RecordSource<'_> {
    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, row: usize) -> ([I::F32; 6], I::U32) {
        let word = isa.load_u32(&self.words[row..]);
        let mut which = [0; LANES_MAX];
        (word & isa.splat_u32(ROW)).store(&mut which);
        let [[a, b, c, d], [e, f, ..]] = isa.gather_rows::<8, 2>(self.records, &which);
        ([a, b, c, d, e, f].map_each(I::F32::from_bits), word)
    }
}

impl SetTarget for WordTarget<'_> {
    #[inline(always)]
    fn store<I: Isa>(&mut self, to: usize, _: &[I::F32; 6], word: I::U32, keep: I::Mask) {
        word.compress(keep).store(&mut self.0[to..]);
    }
}

/// Selects boxes of a set: writes their places and flags to the words from `start` on, and the padding.
pub(super) struct SelectWords<'a> {
    pub(super) records: &'a JoinRecords,
    /// The words of the set and of its padding.
    pub(super) words: &'a [u32],
    pub(super) rows: usize,
    pub(super) selection: Selection<'a>,
    pub(super) to: &'a mut Vec<u32>,
    pub(super) start: usize,
}

impl Kernel for SelectWords<'_> {
    type Output = (KdRows, Summary);

    // The gathering of records takes most of the time.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> (KdRows, Summary) {
        let Self { records, words, rows, selection, to, start } = self;
        let source = &RecordSource { records: bytemuck::cast_slice(&records.records), words };
        let target = &mut WordTarget(&mut to[start..]);
        let (len, summary) = select(isa, (source, rows), target, selection);
        target.0[len..len + LANES_MAX].fill(records.padding());
        (KdRows { start, len }, summary)
    }
}

/// Copies selected boxes of a set to the rows from `start` on.
pub(super) struct CopyRecords<'a> {
    pub(super) records: &'a JoinRecords,
    /// The words of the set and of its padding.
    pub(super) words: &'a [u32],
    pub(super) rows: usize,
    pub(super) selection: Selection<'a>,
    pub(super) to: &'a mut KdBoxes,
    pub(super) start: usize,
}

impl Kernel for CopyRecords<'_> {
    type Output = (KdRows, Summary);

    // The gathering of records takes most of the time.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> (KdRows, Summary) {
        let Self { records, words, rows, selection, to, start } = self;
        let source = &RecordSource { records: bytemuck::cast_slice(&records.records), words };
        to.copied += rows;
        let target: &mut ColumnTarget<'_> = &mut to.target(start, rows);
        let (len, summary) = select(isa, (source, rows), target, selection);
        to.write_padding(start + len);
        (KdRows { start, len }, summary)
    }
}
