//! The boxes of a join that is divided into parts: each box is stored once, and the sets are lists of their places.
//!
//! A set on a level of divisions has most of the boxes of the level above, so copies of the boxes would need many times the
//! memory of the input, and most of the time of a first call would be that of the new memory. A place with its flags has
//! four bytes instead of 28.

use super::boxes::{
    ColumnTarget, JOIN_FLAGS, KdBoxes, KdPart, KdRows, PlaneRules, Selection, SetSource, SetTarget,
    SortedSets, SortedTarget, Summary, keep_part, select,
};
use super::sort_keys::StartOrder;
use crate::broadphase::pairs::buffer::{lengthen, reserve_for};
use crate::broadphase::pairs::input::ROW;
use crate::columns::impl_memory;
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes};
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};

/// The bounds of a box in half a cache line.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(32))]
struct JoinRecord {
    bounds: [f32; 6],
    unused: [f32; 2],
}

/// The boxes of a join by place, and past them one that overlaps nothing.
#[derive(Debug, Default)]
pub(super) struct JoinRecords {
    records: Vec<JoinRecord>,
    pub(super) rules: PlaneRules,
}

impl_memory!(JoinRecords { records; without rules });

impl JoinRecords {
    /// Replaces the boxes by those of some columns.
    pub(super) fn load_columns(
        &mut self,
        level: Level,
        rules: PlaneRules,
        (bounds, count): (&[Vec<f32>; 6], usize),
    ) {
        self.rules = rules;
        let records = &mut self.records;
        reserve_for(records, count + LANES_MAX);
        lengthen(records, count + LANES_MAX);
        records.truncate(count + LANES_MAX);
        level.run(WriteRecords { bounds, count, records: bytemuck::cast_slice_mut(records) });
        records.truncate(count);
        records.push(JoinRecord { bounds: [f32::INFINITY; 6], unused: [0.0; 2] });
    }

    /// Replaces the boxes by this many, of which `get` returns the bounds.
    pub(super) fn load(
        &mut self,
        not_first: [u32; 3],
        count: usize,
        get: &dyn Fn(usize) -> [f32; 6],
    ) {
        let Self { records, .. } = self;
        self.rules = PlaneRules { not_first, ..PlaneRules::default() };
        records.clear();
        reserve_for(records, count + 1);
        let record = |bounds| JoinRecord { bounds, unused: [0.0; 2] };
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

/// Transposes columns with padding to records with padding.
struct WriteRecords<'a> {
    bounds: &'a [Vec<f32>; 6],
    count: usize,
    records: &'a mut [[u32; 8]],
}

impl Kernel for WriteRecords<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { bounds, count, records } = self;
        let zero = isa.splat_u32(0);
        for row in (0..count).step_by(I::LANES) {
            let mut ends = [zero; 6];
            for (end, column) in ends.iter_mut().zip(bounds) {
                *end = isa.load(&column[row..]).to_bits();
            }
            let [a, b, c, d, e, f] = ends;
            isa.store_rows([a, b, c, d], &mut records[row..], 0);
            isa.store_rows([e, f, zero, zero], &mut records[row..], 4);
        }
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

/// Greatest number of parts that are written at once.
pub(super) const PARTITION_MAX: usize = 8;

/// Writes the places and flags of the boxes of each part to a list of its own, and the padding. Returns the number of boxes of
/// each part and the flags that all of them have; `None` if a list is too short.
pub(super) struct PartitionWords<'a> {
    pub(super) records: &'a JoinRecords,
    /// The words of the set and of its padding.
    pub(super) words: &'a [u32],
    pub(super) rows: usize,
    pub(super) parts: &'a [KdPart],
    /// The lists, each of this length.
    pub(super) lists: &'a mut [u32],
    pub(super) length: usize,
}

impl Kernel for PartitionWords<'_> {
    type Output = Option<[(KdRows, u32); PARTITION_MAX]>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Self { records: of, words, rows, parts, lists, length } = self;
        let source = RecordSource { records: bytemuck::cast_slice(&of.records), words };
        let infinite = isa.splat(f32::INFINITY);
        let mut lens = [0; PARTITION_MAX];
        let mut flags = [isa.splat_u32(JOIN_FLAGS); PARTITION_MAX];
        let by_flag = matches!(parts, [KdPart::With(_) | KdPart::Without(_), ..]);
        for row in (0..rows).step_by(I::LANES) {
            // Flags are in the words.
            let (ends, word) = if by_flag && row + I::LANES <= rows {
                ([isa.splat(0.0); 6], isa.load_u32(&words[row..]))
            } else {
                source.load(isa, row)
            };
            // The padding is at infinity.
            let all = ends[0].lt(infinite);
            for (k, &part) in parts.iter().enumerate().take(PARTITION_MAX) {
                let (keep, word) = keep_part(isa, (part, of.rules.not_first), &ends, (all, word));
                if lens[k] + LANES_MAX > length {
                    return None;
                }
                word.compress(keep).store(&mut lists[k * length + lens[k]..]);
                flags[k] = I::U32::select(keep, word & flags[k], flags[k]);
                lens[k] += keep.count();
            }
        }
        let mut partition = [(KdRows::default(), u32::MAX); PARTITION_MAX];
        for (k, (rows, common)) in partition.iter_mut().enumerate().take(parts.len()) {
            if lens[k] + LANES_MAX > length {
                return None;
            }
            lists[k * length + lens[k]..][..LANES_MAX].fill(of.padding());
            let mut words = [0; LANES_MAX];
            flags[k].store(&mut words);
            words[..I::LANES].iter().for_each(|word| *common &= word);
            rows.len = lens[k];
        }
        Some(partition)
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

/// Copies the boxes of lists to the first rows, ordered by where they start on an axis, and returns these rows.
#[inline(never)]
pub(super) fn sort_words(
    level: Level,
    (records, words): (&JoinRecords, &[u32]),
    sets: SortedSets,
    axis: usize,
    to: &mut KdBoxes,
) -> [KdRows; 2] {
    let (sorted, lens) = (sets.rows(0), sets.lens());
    to.need(sorted[1].padded_end() + LANES_MAX);
    let of: &[[f32; 8]] = bytemuck::cast_slice(&records.records);
    let mut starts = to.keys.starts_mut(lens[0] + lens[1]).iter_mut();
    for (set, len) in sets.sets.iter().zip(lens) {
        for (&word, start) in words[set.start..][..len].iter().zip(starts.by_ref()) {
            *start = of[(word & ROW) as usize][axis];
        }
    }
    let order = to.keys.order(level, sets.lists());
    for (which, places, rows) in sets.lists_at(0) {
        let (first, len) = (places.start, rows.len);
        to.copied += len;
        let (mut target, keys) = to.sorted_target(rows.start);
        let from = keys.sort(order, (which, places), |row| sets.row(first + row) as u32);
        // In a loop of its own: lanes that have just been written one by one would be loaded slowly.
        let (to_words, to_sides) = target.words_and_sides();
        for ((word, side), &from) in to_words.iter_mut().zip(to_sides).zip(from) {
            (*word, *side) = (words[from as usize], sets.side(from as usize));
        }
        to_words[len..len + LANES_MAX].fill(records.padding());
        level.run(CopySorted { records, rows: len, order: (order, axis), target });
        to.write_sorted_padding(rows.start + len);
    }
    sorted
}

/// Copies sorted boxes, of which the places and flags are written, to columns.
struct CopySorted<'a> {
    records: &'a JoinRecords,
    rows: usize,
    order: (StartOrder, usize),
    target: SortedTarget<'a>,
}

impl Kernel for CopySorted<'_> {
    type Output = ();

    // The gathering of records takes most of the time.
    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { records: of, rows, order, mut target } = self;
        let records = bytemuck::cast_slice(&of.records);
        for row in (0..rows).step_by(I::LANES) {
            let words = &*target.words_and_sides().0;
            let (ends, _) = RecordSource { records, words }.load(isa, row);
            target.store_ends(isa, order, row, &ends);
        }
    }
}
