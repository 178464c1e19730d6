//! The boxes of a join: columns to whose end the boxes of each set are copied.

use super::occupied::OccupiedCells;
use super::sort_keys::{SortKeys, StartOrder};
use crate::broadphase::pairs::buffer::lengthen_sparsely;
use crate::broadphase::pairs::flags::FLAGS;
use crate::columns::impl_memory;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes};
use alloc::vec::Vec;
use core::ops::Range;

/// Flag of the right copies on the axis that a grid does not divide. The bit is free here: the position of a box in
/// the input is below it, and whether its path is long has been evaluated already.
pub(crate) const NOT_FIRST_UNCUT: u32 = 1 << 26;
pub(super) const JOIN_FLAGS: u32 = FLAGS | NOT_FIRST_UNCUT;

/// What holds for the planes by which boxes are divided, on each axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneRules {
    /// Flags of the right copies, see [`JoinInput::not_first`](super::JoinInput::not_first).
    pub(super) not_first: [u32; 3],
    /// The least planes, see [`JoinInput::rules`](super::JoinInput::rules).
    pub(super) planes_min: [f32; 3],
}

impl Default for PlaneRules {
    /// Planes that are not limited.
    fn default() -> Self {
        Self { not_first: [0; 3], planes_min: [f32::NEG_INFINITY; 3] }
    }
}

/// The boxes of a set: consecutive rows of [`KdBoxes`], or consecutive words of a list of places. Padding follows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KdRows {
    pub(super) start: usize,
    pub(super) len: usize,
}

impl KdRows {
    /// Removes this many rows.
    #[inline(always)]
    pub(super) fn drop_first(&mut self, rows: usize) {
        (self.start, self.len) = (self.start + rows, self.len - rows);
    }

    /// Returns the first row past these rows and their padding.
    pub(super) fn padded_end(self) -> usize {
        self.start + self.len + LANES_MAX
    }
}

/// Selects boxes of a set for a join.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum KdPart {
    #[default]
    All,
    /// Boxes that start below the plane.
    Left { axis: usize, at: f32 },
    /// Boxes that end at the plane or above it.
    Right { axis: usize, at: f32 },
    /// Boxes that start below the second plane and end at the first one or above it.
    Between { axis: usize, planes: [f32; 2] },
    /// Boxes that are longer than this on an axis.
    Longer { axis: usize, than: f32 },
    /// All other boxes.
    Shorter { axis: usize, than: f32 },
    /// Boxes with this flag.
    With(u32),
    /// Boxes without this flag.
    Without(u32),
}

/// Memory for the boxes of a join. The boxes of a set follow those of the set that it is selected from, each set with
/// padding.
#[derive(Debug, Default)]
pub(super) struct KdBoxes {
    pub(super) bounds: [Vec<f32>; 6],
    /// Position in the input, and the flags of the id.
    pub(super) words: Vec<u32>,
    /// The starts and the ends of boxes that are sorted along an axis, in the order of the sweep.
    pub(super) order: [Vec<f32>; 2],
    /// A bit for the set of a box in two sets that are sorted as one; else 0.
    pub(super) sides: Vec<u32>,
    pub(super) rules: PlaneRules,
    pub(super) keys: SortKeys,
    /// Greatest number of rows in use at once since memory was last reserved.
    pub(super) peak: usize,
    /// Number of boxes that were read to copy or sort them.
    pub(super) copied: usize,
}

impl_memory!(KdBoxes { bounds, words, order, sides, keys; without rules, peak, copied });

impl KdBoxes {
    /// Reserves memory for this many rows.
    pub(super) fn grow(&mut self, rows: usize) {
        for column in self.bounds.iter_mut().chain(&mut self.order) {
            lengthen_sparsely(column, rows);
        }
        lengthen_sparsely(&mut self.words, rows);
        lengthen_sparsely(&mut self.sides, rows);
        self.keys.grow(rows);
    }

    /// Writes the places from 0 on, and the flags of `ids`, to the words of the first rows.
    pub(super) fn write_words(&mut self, ids: &[u32]) {
        for (place, (word, id)) in (0..).zip(self.words.iter_mut().zip(ids)) {
            *word = id & FLAGS | place;
        }
    }

    /// Marks the end of a set: rows past it overlap nothing.
    pub(super) fn write_padding(&mut self, end: usize) {
        self.bounds[0][end..end + LANES_MAX].fill(f32::INFINITY);
    }

    /// Marks the end of a sorted set: rows past it start behind all boxes, end before all, and overlap nothing.
    pub(super) fn write_sorted_padding(&mut self, end: usize) {
        self.order[0][end..end + LANES_MAX].fill(f32::INFINITY);
        self.order[1][end..end + LANES_MAX].fill(f32::NEG_INFINITY);
        self.write_padding(end);
    }

    /// Ensures that `rows` rows can be written.
    #[inline(always)]
    pub(super) fn need(&mut self, rows: usize) {
        self.peak = self.peak.max(rows);
        if self.words.len() < rows {
            self.grow(rows + rows / 2);
        }
    }

    /// Returns the columns as slices. It does not depend on the level, so it is compiled once.
    #[inline]
    pub(super) fn columns(&self) -> [&[f32]; 6] {
        self.bounds.each_ref().map(Vec::as_slice)
    }

    /// Copies sets to the rows from `start` on, ordered by where the boxes start on an axis, and returns these rows.
    #[inline(never)]
    pub(super) fn sort(
        &mut self,
        level: Level,
        sets: SortedSets,
        axis: usize,
        start: usize,
    ) -> [KdRows; 2] {
        let (sorted, lens) = (sets.rows(start), sets.lens());
        self.need(sorted[1].padded_end() + LANES_MAX);
        let mut starts = self.keys.starts_mut(lens[0] + lens[1]);
        for (set, len) in sets.sets.iter().zip(lens) {
            let (of_set, rest) = starts.split_at_mut(len);
            of_set.copy_from_slice(&self.bounds[axis][set.start..][..len]);
            starts = rest;
        }
        let order = self.keys.order(level, sets.lists());
        for (which, places, to) in sets.lists_at(start) {
            let (first, len) = (places.start, to.len);
            self.copied += len;
            let rows = self.keys.sort(order, (which, places), |row| sets.row(first + row) as u32);
            for column in &mut self.bounds {
                let (from, to) = column.split_at_mut(to.start);
                for (to, &row) in to.iter_mut().zip(rows) {
                    *to = from[row as usize];
                }
            }
            let (from, words) = self.words.split_at_mut(to.start);
            for ((word, side), &row) in words.iter_mut().zip(&mut self.sides[to.start..]).zip(rows)
            {
                (*word, *side) = (from[row as usize], sets.side(row as usize));
            }
            let ends = [axis, 3 + axis].map(|k| &self.bounds[k][to.start..]);
            let ordered = self.order.each_mut().map(|column| &mut column[to.start..]);
            level.run(OrderEnds { ends, rows: len, order, ordered });
            self.write_sorted_padding(to.start + len);
        }
        sorted
    }

    /// Copies the boxes of a merged list to the rows from `start` on: those of the first set, then those of the second. Returns both.
    pub(super) fn separate(&mut self, rows: KdRows, start: usize) -> [KdRows; 2] {
        let (first, _) = self.copy_where(rows, start, &|boxes, row| boxes.sides[row] == 1);
        let (second, _) =
            self.copy_where(rows, first.padded_end(), &|boxes, row| boxes.sides[row] == 2);
        [first, second]
    }

    /// Copies the boxes of a condition to the rows from `start` on. Returns these rows, and the flags that all of them have.
    #[inline(never)]
    pub(super) fn copy_where(
        &mut self,
        rows: KdRows,
        start: usize,
        condition: &dyn Fn(&Self, usize) -> bool,
    ) -> (KdRows, u32) {
        let (mut end, mut flags) = (start, JOIN_FLAGS);
        self.need(start + rows.len + 2 * LANES_MAX);
        self.copied += rows.len;
        for row in rows.start..rows.start + rows.len {
            if condition(self, row) {
                self.bounds.iter_mut().for_each(|column| column[end] = column[row]);
                self.words[end] = self.words[row];
                flags &= self.words[row];
                end += 1;
            }
        }
        self.write_padding(end);
        (KdRows { start, len: end - start }, flags)
    }
}

/// One set or two that are sorted.
#[derive(Clone, Copy)]
pub(super) struct SortedSets {
    pub(super) sets: [KdRows; 2],
    /// Whether both are the same.
    pub(super) same: bool,
    /// Whether two sets become one list.
    pub(super) merged: bool,
}

impl SortedSets {
    /// Returns the numbers of boxes of the sets.
    pub(super) fn lens(&self) -> [usize; 2] {
        [self.sets[0].len, if self.same { 0 } else { self.sets[1].len }]
    }

    /// Returns the numbers of boxes of the sorted lists.
    pub(super) fn lists(&self) -> [usize; 2] {
        let [first, second] = self.lens();
        if self.merged { [first + second, 0] } else { [first, second] }
    }

    /// Returns the rows from `start` on to which the lists are copied.
    pub(super) fn rows(&self, start: usize) -> [KdRows; 2] {
        let [len, second] = self.lists();
        let first = KdRows { start, len };
        [first, if second == 0 { first } else { KdRows { start: first.padded_end(), len: second } }]
    }

    /// Returns each list that has boxes: which one it is, the places of its boxes among those of both, and the rows to which it is copied.
    pub(super) fn lists_at(
        &self,
        start: usize,
    ) -> impl Iterator<Item = (usize, Range<usize>, KdRows)> + use<> {
        let [first, second] = self.lists();
        let places = [0..first, first..first + second];
        let lists = places.into_iter().zip(self.rows(start)).enumerate();
        lists.map(|(which, (places, rows))| (which, places, rows)).filter(|list| !list.1.is_empty())
    }

    /// Returns the row of a box of the first set, or of one of the second set after those of the first.
    #[inline(always)]
    pub(super) fn row(&self, at: usize) -> usize {
        let [first, second] = self.sets;
        if at < first.len { first.start + at } else { second.start + (at - first.len) }
    }

    /// Returns the bit for the set of a row, if two sets become one list.
    #[inline(always)]
    pub(super) fn side(&self, row: usize) -> u32 {
        let first = row.wrapping_sub(self.sets[0].start) < self.sets[0].len;
        if self.merged { 2 - u32::from(first) } else { 0 }
    }
}

/// Writes the starts and the ends of sorted boxes on an axis in the order of the sweep.
struct OrderEnds<'a> {
    ends: [&'a [f32]; 2],
    rows: usize,
    order: StartOrder,
    ordered: [&'a mut [f32]; 2],
}

impl Kernel for OrderEnds<'_> {
    type Output = ();

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { ends, rows, order, mut ordered } = self;
        for row in (0..rows).step_by(I::LANES) {
            for (end, to) in ends.iter().zip(&mut ordered) {
                order.of(isa, isa.load(&end[row..])).store(&mut to[row..]);
            }
        }
    }
}

/// Properties of the boxes of a set.
#[derive(Clone, Copy)]
pub(super) struct Summary {
    pub(super) around: [f32; 6],
    /// Flags that all of them have.
    pub(super) flags: u32,
}

impl Summary {
    /// Combines the first `count` lanes of each bound and of the flags. It is compiled once for all levels.
    #[inline(never)]
    fn of_lanes(bounds: &[[f32; LANES_MAX]; 6], words: &[u32; LANES_MAX], count: usize) -> Self {
        let (mut around, mut flags) = ([0.0; 6], u32::MAX);
        for (k, end) in around.iter_mut().enumerate() {
            *end = bounds[k][0];
            for &lane in &bounds[k][..count] {
                let beyond = if k < 3 { lane < *end } else { lane > *end };
                *end = if beyond { lane } else { *end };
            }
        }
        for word in &words[..count] {
            flags &= word;
        }
        Self { around, flags }
    }
}

/// Where the boxes of a set are read.
pub(super) trait SetSource {
    /// Returns the bounds and words of the boxes from `row` on. Past the end of a set, boxes start at infinity.
    fn load<I: Isa>(&self, isa: I, row: usize) -> ([I::F32; 6], I::U32);
}

/// Where selected boxes are written.
pub(super) trait SetTarget {
    /// Writes the boxes of a mask to the rows from `to` on.
    fn store<I: Isa>(&mut self, to: usize, ends: &[I::F32; 6], word: I::U32, keep: I::Mask);
}

/// The columns of some rows.
struct ColumnSource<'a> {
    bounds: [&'a [f32]; 6],
    words: &'a [u32],
}

/// The columns of the rows that are written.
pub(super) struct ColumnTarget<'a> {
    bounds: [&'a mut [f32]; 6],
    words: &'a mut [u32],
}

/// The columns of the rows to which sorted boxes are written.
pub(super) struct SortedTarget<'a> {
    columns: ColumnTarget<'a>,
    order: [&'a mut [f32]; 2],
    sides: &'a mut [u32],
}

impl SetSource for ColumnSource<'_> {
    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, row: usize) -> ([I::F32; 6], I::U32) {
        let mut ends = [isa.splat(0.0); 6];
        for (end, column) in ends.iter_mut().zip(&self.bounds) {
            *end = isa.load(&column[row..]);
        }
        (ends, isa.load_u32(&self.words[row..]))
    }
}

impl SortedTarget<'_> {
    /// Returns the words and sides of the rows.
    #[inline(always)]
    pub(super) fn words_and_sides(&mut self) -> (&mut [u32], &mut [u32]) {
        (self.columns.words, self.sides)
    }

    /// Writes the ends of a lane group of boxes, which are sorted along an axis, to the rows from `to` on.
    #[inline(always)]
    pub(super) fn store_ends<I: Isa>(
        &mut self,
        isa: I,
        (order, axis): (StartOrder, usize),
        to: usize,
        ends: &[I::F32; 6],
    ) {
        for (end, column) in ends.iter().zip(&mut self.columns.bounds) {
            end.store(&mut column[to..]);
        }
        for (ordered, end) in self.order.iter_mut().zip([ends[axis], ends[3 + axis]]) {
            order.of(isa, end).store(&mut ordered[to..]);
        }
    }
}

impl SetTarget for ColumnTarget<'_> {
    #[inline(always)]
    fn store<I: Isa>(&mut self, to: usize, ends: &[I::F32; 6], word: I::U32, keep: I::Mask) {
        for (end, column) in ends.iter().zip(&mut self.bounds) {
            I::F32::from_bits(end.to_bits().compress(keep)).store(&mut column[to..]);
        }
        word.compress(keep).store(&mut self.words[to..]);
    }
}

impl KdBoxes {
    /// Returns the rows from `start` on, to be written: `rows` of them and their padding.
    pub(super) fn target(&mut self, start: usize, rows: usize) -> ColumnTarget<'_> {
        self.need(start + rows + 2 * LANES_MAX);
        self.sorted_target(start).0.columns
    }

    /// Returns the rows from `start` on, to be written in an order, and the memory for sort keys.
    pub(super) fn sorted_target(&mut self, start: usize) -> (SortedTarget<'_>, &mut SortKeys) {
        let [x, u, v, high_x, high_u, high_v] = &mut self.bounds;
        let bounds = [x, u, v, high_x, high_u, high_v].map(|column| &mut column[start..]);
        let columns = ColumnTarget { bounds, words: &mut self.words[start..] };
        let order = self.order.each_mut().map(|column| &mut column[start..]);
        (SortedTarget { columns, order, sides: &mut self.sides[start..] }, &mut self.keys)
    }
}

/// Which boxes of a set are selected.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    pub(super) part: KdPart,
    /// Bounds that the selected boxes overlap.
    pub(super) within: &'a [f32; 6],
    /// Cells that the selected boxes overlap.
    pub(super) occupied: Option<&'a OccupiedCells>,
    /// Flags of the right copies on each axis.
    pub(super) not_first: [u32; 3],
}

/// Copies the selected boxes of a set to later rows, and returns where they are.
pub(super) struct CopySet<'a> {
    pub(super) boxes: &'a mut KdBoxes,
    pub(super) rows: KdRows,
    pub(super) selection: Selection<'a>,
    /// The first row that is written, past all rows that are used.
    pub(super) start: usize,
}

impl Kernel for CopySet<'_> {
    type Output = (KdRows, Summary);

    const WIDE: bool = false;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> (KdRows, Summary) {
        let Self { boxes, rows, selection, start } = self;
        boxes.need(start + rows.len + 2 * LANES_MAX);
        boxes.copied += rows.len;
        let [x, u, v, high_x, high_u, high_v] = &mut boxes.bounds;
        let (mut from, mut to): ([&[f32]; 6], [&mut [f32]; 6]) = Default::default();
        for (k, column) in [x, u, v, high_x, high_u, high_v].into_iter().enumerate() {
            let (below, above) = column.split_at_mut(start);
            (from[k], to[k]) = (&below[rows.start..], above);
        }
        let (below, above) = boxes.words.split_at_mut(start);
        let source = ColumnSource { bounds: from, words: &below[rows.start..] };
        let target = &mut ColumnTarget { bounds: to, words: above };
        let (len, summary) = select(isa, (&source, rows.len), target, selection);
        // Rows past the end overlap nothing.
        target.bounds[0][len..len + LANES_MAX].fill(f32::INFINITY);
        (KdRows { start, len }, summary)
    }
}

/// Returns which of some boxes end at a plane or above it, and their words: with the flag of a right copy if they start below it.
#[inline(always)]
fn keep_right<I: Isa>(
    isa: I,
    (axis, at, not_first): (usize, f32, [u32; 3]),
    ends: &[I::F32; 6],
    (keep, word): (I::Mask, I::U32),
) -> (I::Mask, I::U32) {
    let at = isa.splat(at);
    let flagged = word | isa.splat_u32(not_first[axis]);
    (keep & at.le(ends[3 + axis]), I::U32::select(ends[axis].lt(at), flagged, word))
}

/// Returns which of some boxes are in a part, and their words there.
#[inline(always)]
pub(super) fn keep_part<I: Isa>(
    isa: I,
    (part, not_first): (KdPart, [u32; 3]),
    ends: &[I::F32; 6],
    (keep, word): (I::Mask, I::U32),
) -> (I::Mask, I::U32) {
    match part {
        KdPart::All => (keep, word),
        KdPart::Left { axis, at } => (keep & ends[axis].lt(isa.splat(at)), word),
        KdPart::Right { axis, at } => keep_right(isa, (axis, at, not_first), ends, (keep, word)),
        KdPart::Between { axis, planes: [first, second] } => {
            let (keep, word) = keep_right(isa, (axis, first, not_first), ends, (keep, word));
            (keep & ends[axis].lt(isa.splat(second)), word)
        }
        KdPart::Longer { axis, than } => {
            (keep & isa.splat(than).lt(ends[3 + axis] - ends[axis]), word)
        }
        KdPart::Shorter { axis, than } => {
            (keep & (ends[3 + axis] - ends[axis]).le(isa.splat(than)), word)
        }
        KdPart::With(flag) => (keep & !word.disjoint(isa.splat_u32(flag)), word),
        KdPart::Without(flag) => (keep & word.disjoint(isa.splat_u32(flag)), word),
    }
}

/// Writes the selected boxes of the first `rows` rows of a set. Returns their number and their properties.
#[inline(always)]
pub(super) fn select<I: Isa, S: SetSource, T: SetTarget>(
    isa: I,
    (source, rows): (&S, usize),
    target: &mut T,
    Selection { part, within, occupied, not_first }: Selection<'_>,
) -> (usize, Summary) {
    let infinite = isa.splat(f32::INFINITY);
    let (least, greatest) = (isa.splat(f32::MAX), isa.splat(f32::MIN));
    let mut around = [least, least, least, greatest, greatest, greatest];
    let mut flags = isa.splat_u32(JOIN_FLAGS);
    let within = [
        isa.splat(within[0]),
        isa.splat(within[1]),
        isa.splat(within[2]),
        isa.splat(within[3]),
        isa.splat(within[4]),
        isa.splat(within[5]),
    ];
    let mut to = 0;
    for row in (0..rows).step_by(I::LANES) {
        let (ends, mut word) = source.load(isa, row);
        // The padding is at infinity.
        let mut keep = ends[0].lt(infinite)
            & ends[0].le(within[3])
            & ends[1].le(within[4])
            & ends[2].le(within[5])
            & within[0].le(ends[3])
            & within[1].le(ends[4])
            & within[2].le(ends[5]);
        (keep, word) = keep_part(isa, (part, not_first), &ends, (keep, word));
        if let Some(occupied) = occupied {
            keep = occupied.near(isa, &ends, keep);
        }
        for (k, (end, around)) in ends.iter().zip(&mut around).enumerate() {
            let extreme = if k < 3 { end.min(*around) } else { end.max(*around) };
            *around = I::F32::select(keep, extreme, *around);
        }
        target.store::<I>(to, &ends, word, keep);
        flags = I::U32::select(keep, word & flags, flags);
        to += keep.count();
    }
    let mut lanes = [[0.0; LANES_MAX]; 6];
    for (around, lanes) in around.iter().zip(&mut lanes) {
        around.store(lanes);
    }
    let mut words = [0; LANES_MAX];
    flags.store(&mut words);
    (to, Summary::of_lanes(&lanes, &words, I::LANES))
}
