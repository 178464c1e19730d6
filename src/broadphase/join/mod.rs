//! Finds the overlapping pairs of many boxes by splitting them at medians.
//!
//! One grid cannot fit boxes at several scales: a crowd in a large sparse scene is a single cell, and the sweep of
//! that cell compares every box with every other. No tree can separate long boxes from each other: a stick across
//! many others reaches the nodes of all that it passes. For such boxes a join takes a time that grows with the number of
//! boxes and pairs, whatever the scales of the boxes:
//!
//! ```text
//! join(A, B):                             A and B are sets of boxes, or the same set
//!   few comparisons                       compare each of A with each of B, a lane group at a time
//!   two input sets, or hardly any move    before any division: join the two kinds of boxes separately
//!   bitmaps leave few pairs               test each box of the larger set with 512 of the smaller one at once; compare pairs that are left
//!   few overlap on one axis               sort by the starts there, and compare those that overlap; before that, separate
//!                                         the boxes that move if most do not, and long boxes that the sample missed
//!   few short boxes overlap on one axis   join(A long, B); join(A short, B long); join(A short, B short), which is swept
//!   a plane saves comparisons             join(A left, B left); join(A right, B right)
//!   no plane does, or many boxes cross the best one, and many are long on an axis:
//!                                         separate those that are longer than half of the interquartile range
//!   no plane does, and some do not move   separate those
//!   many pairs are excluded               separate boxes that have no pair with each other
//!   else                                  compare each with each: most of them overlap
//! ```
//!
//! A box that crosses a plane is in both sets. Its right copy has a flag, because the box starts further left, and two
//! boxes with a flag in common are not a pair. So each pair is found once, where at
//! least one of the two starts on every axis. Boxes that are long on one axis would cross every plane there and be
//! copied again and again; they are therefore separated from the others and divided or swept on the axes on which they
//! are short. Two sets are first cut to each other's bounds, and boxes of a large set that no box of a small one is near are
//! dropped (`occupied.rs`) if a sample contains such boxes.
//!
//! `choose.rs` chooses one of these steps from a sample (`sample.rs`), `boxes.rs` copies sets of boxes, `sort_keys.rs` sorts them, `leaf.rs` and
//! `bitmaps.rs` compare them, and `divided.rs` divides a large join into parts for the threads: these are lists of places (`records.rs`).
//!
//! The choice depends on the boxes alone, and copies keep their order. So the pairs and their order
//! are the same for every level. The method is that of a streamed k-d tree; copies instead of a third child follow from
//! the flags of the strips (compare Zomorodian and Edelsbrunner, *Fast software for box intersections*, 2000).

mod bitmaps;
mod boxes;
mod choose;
pub(crate) mod divided;
pub(crate) mod excluded;
mod leaf;
mod occupied;
mod records;
mod sample;
pub(crate) mod sort_keys;

use super::pairs::buffer::reserve_total;
use super::pairs::candidates::Candidates;
use super::pairs::flags::{FLAGS, OF_FIRST};
use crate::columns::impl_memory;
use crate::lanes::{LANES_MAX, Level};
use alloc::vec::Vec;
use bitmaps::{BitmapIndex, CompareBitmaps};
pub(crate) use boxes::NOT_FIRST_UNCUT;
use boxes::{CopySet, KdBoxes, KdPart, KdRows, PlaneRules, Selection, SortedSets, Summary};
pub(crate) use choose::SHORT_PART;
use choose::{DEPTH_MAX, KdHistory, SplitChoice, choose};
use excluded::{ExcludedParts, Exclusion};
use leaf::{CompareLeaf, Leaf, LeafState};
use occupied::{LARGER_BY, OccupiedCells};
use records::{CopyRecords, JoinRecords};
use sample::{JoinSets, Sampled, many_are_alone};
use sort_keys::SORTED_MAX;

/// Greatest number of joins into which a join is divided at once.
const PARTS_EACH: usize = 4;
/// Greatest number of postponed joins.
const TASKS_MAX: usize = PARTS_EACH * (DEPTH_MAX as usize + 2);

/// Least number of boxes of a set that are tested for the cells of the other set.
const OCCUPIED_ROWS_MIN: usize = if cfg!(fuzzing) { 8 } else { 1024 };

/// Bounds of everything.
const EVERYWHERE: [f32; 6] = [f32::MIN, f32::MIN, f32::MIN, f32::MAX, f32::MAX, f32::MAX];

/// A join that has not been done yet.
#[derive(Clone, Copy, Debug, Default)]
struct KdTask {
    a: KdRows,
    b: KdRows,
    /// Whether both sets are the same.
    same: bool,
    of_a: KdPart,
    of_b: KdPart,
    /// Bounds of `b`. Boxes of `a` that do not overlap them are dropped.
    around_b: [f32; 6],
    history: KdHistory,
}

impl KdTask {
    /// Returns the join of two sets, or of one set with itself.
    fn new([a, b]: [KdRows; 2], same: bool, history: KdHistory) -> Self {
        let (of_a, of_b) = (KdPart::All, KdPart::All);
        Self { a, b, same, of_a, of_b, around_b: EVERYWHERE, history }
    }

    /// Returns the number of boxes.
    fn len(&self) -> usize {
        if self.same { self.a.len } else { self.a.len + self.b.len }
    }

    /// Whether the join is that of a whole set with itself, whose boxes need not be selected and copied again.
    fn is_copied(&self) -> bool {
        self.same && matches!(self.of_a, KdPart::All)
    }

    /// Chooses how one worker processes the join.
    fn choose(&self, boxes: &dyn JoinSets) -> SplitChoice {
        choose(boxes, (self.a, self.b, self.same), self.history, SORTED_MAX)
    }

    /// Chooses the parts of the sets between which all pairs are excluded.
    fn excluded(&self, excluded: Exclusion<'_>, words: &[u32]) -> Option<ExcludedParts> {
        ExcludedParts::choose(excluded, words, (self.a, self.b, self.same))
    }

    /// Returns the joins into which a choice divides this one, and their number: none if the boxes are compared or swept.
    /// The last one is done first.
    fn parts(&self, choice: SplitChoice) -> ([Self; PARTS_EACH], usize) {
        let mut history = KdHistory { sliced: false, ..self.history };
        match choice {
            SplitChoice::Compare | SplitChoice::Bitmaps(_) | SplitChoice::Sweep { .. } => {
                ([*self; PARTS_EACH], 0)
            }
            SplitChoice::Split { axis, at } | SplitChoice::Slices { axis, at } => {
                history.apart &= !(1 << axis);
                history.depth += 1;
                history.sliced = matches!(choice, SplitChoice::Slices { .. });
                let join = |part| Self { of_a: part, of_b: part, history, ..*self };
                let right = join(KdPart::Right { axis, at });
                let left = join(KdPart::Left { axis, at });
                ([right, left, left, left], 2)
            }
            SplitChoice::Apart { axis, than } => {
                let (longer, shorter) =
                    (KdPart::Longer { axis, than }, KdPart::Shorter { axis, than });
                history.apart |= 1 << axis;
                history.depth += 1;
                // A sweep may have been too slow because of the longer boxes.
                history.dense = false;
                if self.same {
                    return Self { history, ..*self }.each_with_each([longer, shorter]);
                }
                let join = |of_a, of_b| Self { of_a, of_b, history, ..*self };
                let last = join(longer, KdPart::All);
                ([join(shorter, shorter), join(shorter, longer), last, last], 3)
            }
            SplitChoice::ByFlag(flag) => {
                history.depth += u8::from(flag == OF_FIRST);
                let parts = [KdPart::With(flag), KdPart::Without(flag)];
                Self { history, ..*self }.each_with_each(parts)
            }
        }
    }

    /// Returns the joins of each part with each part.
    fn each_with_each(&self, [one, other]: [KdPart; 2]) -> ([Self; PARTS_EACH], usize) {
        let join = |of_a, of_b, same| Self { of_a, of_b, same, ..*self };
        let (first, second) = (join(other, other, self.same), join(one, other, false));
        let last = join(one, one, self.same);
        if self.same {
            ([first, second, last, last], 3)
        } else {
            ([first, second, join(other, one, false), last], 4)
        }
    }

    /// Selects the boxes of both sets and copies them to the rows from `start` on. Returns the join of these boxes, or `None`
    /// if they have no pairs.
    fn select(
        &self,
        start: usize,
        copies: &mut dyn CopyBoxes,
        occupied: &mut OccupiedCells,
    ) -> Option<Self> {
        let (a, of_a) = copies.copy(self.a, (self.of_a, &self.around_b, None), start);
        if a.len == 0 || self.same && of_a.flags != 0 {
            return None;
        }
        if self.same {
            return Some(Self { a, b: a, around_b: of_a.around, ..*self });
        }
        let mut tested = None;
        if is_much_larger(self.b.len, a.len) && copies.may_drop([a, self.b]) {
            occupied.begin([a.len, self.b.len], &of_a.around);
            copies.mark(a, occupied);
            tested = occupied.end().then_some(&*occupied);
        }
        let (b, of_b) = copies.copy(self.b, (self.of_b, &of_a.around, tested), a.padded_end());
        let has_pairs = b.len > 0 && of_a.flags & of_b.flags == 0;
        has_pairs.then_some(Self { a, b, around_b: of_b.around, ..*self })
    }
}

/// Whether the second set of a join has so many more boxes than the first one that its boxes may be tested for cells.
fn is_much_larger(b: usize, a: usize) -> bool {
    b >= a * LARGER_BY && b >= OCCUPIED_ROWS_MIN
}

/// Where the boxes of a new set are written.
trait CopyBoxes {
    /// Copies the boxes of a set that are in a part, overlap some bounds and may overlap some cells, to the rows from a start
    /// on. Returns these rows.
    fn copy(
        &mut self,
        rows: KdRows,
        selected: (KdPart, &[f32; 6], Option<&OccupiedCells>),
        start: usize,
    ) -> (KdRows, Summary);

    /// Marks the cells of boxes that have been copied.
    fn mark(&self, rows: KdRows, occupied: &mut OccupiedCells);

    /// Returns samples of a set that has been copied, and of one from which boxes are selected.
    fn samples(&self, sets: [KdRows; 2]) -> [[Sampled; 3]; 2];

    /// Returns whether the cells of the first set may drop many boxes of the second one.
    fn may_drop(&self, sets: [KdRows; 2]) -> bool {
        let [of_a, of_b] = self.samples(sets);
        many_are_alone(&of_a, &of_b)
    }
}

/// Copies boxes to the end of the same columns.
struct CopyInPlace<'a> {
    level: Level,
    boxes: &'a mut KdBoxes,
}

impl CopyBoxes for CopyInPlace<'_> {
    fn copy(
        &mut self,
        rows: KdRows,
        (part, within, occupied): (KdPart, &[f32; 6], Option<&OccupiedCells>),
        start: usize,
    ) -> (KdRows, Summary) {
        let boxes = &mut *self.boxes;
        let selection = Selection { part, within, occupied, not_first: boxes.rules.not_first };
        self.level.run(CopySet { boxes, rows, selection, start })
    }

    fn mark(&self, rows: KdRows, occupied: &mut OccupiedCells) {
        self.boxes.mark(rows, occupied);
    }

    fn samples(&self, sets: [KdRows; 2]) -> [[Sampled; 3]; 2] {
        sets.map(|set| self.boxes.sample(set))
    }
}

/// Copies boxes of a list of places to columns.
struct CopyToColumns<'a> {
    level: Level,
    records: &'a JoinRecords,
    words: &'a [u32],
    boxes: &'a mut KdBoxes,
}

impl CopyBoxes for CopyToColumns<'_> {
    fn copy(
        &mut self,
        set: KdRows,
        (part, within, occupied): (KdPart, &[f32; 6], Option<&OccupiedCells>),
        start: usize,
    ) -> (KdRows, Summary) {
        let Self { level, records, words, ref mut boxes } = *self;
        let selection = Selection { part, within, occupied, not_first: records.rules.not_first };
        let (words, rows) = (&words[set.start..set.padded_end()], set.len);
        level.run(CopyRecords { records, words, rows, selection, to: boxes, start })
    }

    fn mark(&self, rows: KdRows, occupied: &mut OccupiedCells) {
        self.boxes.mark(rows, occupied);
    }

    fn samples(&self, [a, b]: [KdRows; 2]) -> [[Sampled; 3]; 2] {
        [self.boxes.sample(a), (self.records, self.words).sample(b)]
    }
}

/// The boxes of a strip, to be joined with each other.
#[derive(Clone, Copy)]
pub(crate) struct JoinInput<'a> {
    /// Bounds of the boxes, and their ids with flags. Pairs are reported by position.
    pub(crate) bounds: &'a [Vec<f32>; 6],
    pub(crate) ids: &'a [u32],
    pub(crate) excluded: Exclusion<'a>,
    pub(crate) rows: usize,
    /// Flag of the right copies on each axis. On the axes that a grid divides it is the flag of the grid: a box that
    /// starts in another strip starts outside of every part of this one, if the planes are as [`JoinInput::rules`]
    /// demands.
    pub(crate) not_first: [u32; 3],
}

impl JoinInput<'_> {
    /// Copies the boxes to the first rows. Returns their join, or `None` if they have no pairs.
    fn load(&self, boxes: &mut KdBoxes) -> Option<KdTask> {
        let Self { bounds, ids, rows, .. } = *self;
        boxes.rules = self.rules();
        for (column, from) in boxes.bounds.iter_mut().zip(bounds) {
            column[..rows].copy_from_slice(&from[..rows]);
        }
        boxes.write_padding(rows);
        boxes.write_words(&ids[..rows]);
        let all = KdRows { start: 0, len: rows };
        self.task([all, all])
    }

    /// Returns the join of these sets with themselves, or `None` if they have no pairs.
    fn task(&self, all: [KdRows; 2]) -> Option<KdTask> {
        let common = self.ids[..self.rows].iter().fold(FLAGS, |common, id| common & id);
        (common == 0).then(|| KdTask::new(all, true, KdHistory::default()))
    }

    /// Returns the flags of the right copies and the least plane of a division, on each axis.
    ///
    /// A box with the flag of the grid starts before the strip, and so does the part of a long path, which has no such flag.
    /// With a plane between their starts, the box would be in the right part only, where both would have the flag, and
    /// their pair would be lost. So the plane must be behind the starts of all boxes with the flag. All boxes end in the strip
    /// or behind it, so a plane before the strip saves no comparison, with one exception: the part of a long path that only
    /// reaches the border of the strip may, after rounding, end some units in the last place before it.
    fn rules(&self) -> PlaneRules {
        let ids = &self.ids[..self.rows];
        let flags = ids.iter().fold(0, |flags, id| flags | id);
        let mut rules = PlaneRules { not_first: self.not_first, ..PlaneRules::default() };
        for ((least, flag), starts) in
            rules.planes_min.iter_mut().zip(self.not_first).zip(self.bounds)
        {
            if flags & flag == 0 {
                continue;
            }
            let (mut first, mut last) = (f32::INFINITY, f32::NEG_INFINITY);
            for (id, &start) in ids.iter().zip(starts) {
                let flagged = id & flag != 0;
                first = if !flagged && start < first { start } else { first };
                last = if flagged && start > last { start } else { last };
            }
            if first < last {
                *least = last.next_up();
            }
        }
        rules
    }
}

/// Memory of one worker for a join.
#[derive(Debug, Default)]
pub(crate) struct Join {
    boxes: KdBoxes,
    tasks: Vec<KdTask>,
    leaf: Leaf,
    bitmaps: BitmapIndex,
    occupied: OccupiedCells,
    /// History of the join whose sets are swept.
    swept: KdHistory,
    /// Number of comparisons, and of sweeps that were stopped because they were too slow.
    compared: u64,
    stopped: u64,
}

impl_memory!(Join { boxes, tasks, bitmaps, occupied; without leaf, swept, compared, stopped });

impl Join {
    /// Returns the greatest number of rows in use at once since the last call.
    pub(crate) fn take_peak(&mut self) -> usize {
        core::mem::take(&mut self.boxes.peak)
    }

    /// Reserves memory for a join that needs a few more rows than `peak`.
    pub(crate) fn reserve_spare(&mut self, peak: usize) {
        if peak > 0 {
            if self.boxes.words.len() < peak + peak / 16 {
                self.boxes.grow(peak + peak / 4);
            }
            reserve_total(&mut self.tasks, TASKS_MAX);
            self.occupied.reserve();
            self.bitmaps.reserve();
        }
    }

    /// Begins the join of a strip. Returns whether it is cheaper than a sweep.
    pub(crate) fn begin(&mut self, level: Level, input: JoinInput<'_>) -> bool {
        self.boxes.need(input.rows + 2 * LANES_MAX);
        self.clear();
        let Some(all) = input.load(&mut self.boxes) else {
            return true;
        };
        self.start(level, input.excluded, all)
    }

    /// Begins the join of a part of sets of places.
    fn begin_part(
        &mut self,
        level: Level,
        (records, words): (&JoinRecords, &[u32]),
        task: &KdTask,
        excluded: Exclusion<'_>,
    ) {
        self.clear();
        self.boxes.rules = records.rules;
        let Self { boxes, occupied, .. } = self;
        let part = task.select(0, &mut CopyToColumns { level, records, words, boxes }, occupied);
        if let Some(join) = part {
            self.start(level, excluded, join);
        }
    }

    fn clear(&mut self) {
        self.reserve_spare(1);
        self.leaf = Leaf::default();
        self.bitmaps.stop();
        self.tasks.clear();
    }

    /// Continues the join until there are [`CANDIDATES`](super::pairs::candidates::CANDIDATES), with what its input excludes.
    /// Returns whether it is done.
    pub(crate) fn proceed(
        &mut self,
        level: Level,
        excluded: Exclusion<'_>,
        candidates: &mut Candidates,
    ) -> bool {
        loop {
            let Self { boxes, leaf, bitmaps, .. } = self;
            if !level.run(CompareBitmaps { index: bitmaps, boxes, candidates }) {
                return false;
            }
            match level.run(CompareLeaf { leaf, boxes, candidates }) {
                LeafState::Full => return false,
                LeafState::Dense => self.resume(),
                LeafState::Done => (),
            }
            self.end_leaf();
            let Some(task) = self.tasks.pop() else {
                return true;
            };
            let start = if task.same {
                task.a.padded_end()
            } else {
                task.a.padded_end().max(task.b.padded_end())
            };
            let Self { boxes, occupied, .. } = self;
            let selected = if task.is_copied() {
                Some(task)
            } else {
                task.select(start, &mut CopyInPlace { level, boxes }, occupied)
            };
            if let Some(join) = selected {
                self.start(level, excluded, join);
            }
        }
    }

    /// Chooses how to process a join, and begins it. Returns false if each box is compared with each.
    fn start(&mut self, level: Level, excluded: Exclusion<'_>, mut join: KdTask) -> bool {
        let may_separate = join.history.depth < DEPTH_MAX;
        let choice = join.choose(&self.boxes);
        // Boxes that are to be divided by a flag are divided by it first. Filters and owners separate the parts.
        let is_by_flag = matches!(choice, SplitChoice::ByFlag(_));
        if may_separate && !join.history.filtered && !is_by_flag {
            let sets = (join.a, join.b, join.same);
            if let Some(parts) = ExcludedParts::of_crowd(excluded, &self.boxes, sets) {
                self.separate(&join, &parts, excluded);
                return true;
            }
            join.history.filtered = true;
        }
        let are_compared = match choice {
            SplitChoice::Compare => true,
            // Bitmaps are also chosen where most boxes overlap, because they leave few others.
            SplitChoice::Bitmaps(_) => {
                !excluded.is_none() && self.boxes.many_overlap([join.a, join.b])
            }
            _ => false,
        };
        if are_compared
            && may_separate
            && let Some(parts) = join.excluded(excluded, &self.boxes.words)
        {
            self.separate(&join, &parts, excluded);
            return true;
        }
        self.carry_out(level, &join, choice);
        choice != SplitChoice::Compare
    }

    /// Postpones the joins of the parts of a join that are not excluded.
    fn separate(&mut self, join: &KdTask, parts: &ExcludedParts, excluded: Exclusion<'_>) {
        let KdTask { a, b, same, history, .. } = *join;
        let history = KdHistory { depth: history.depth + 1, filtered: false, ..history };
        let boxes = &mut self.boxes;
        let start = a.padded_end().max(b.padded_end());
        let (others, flags) = boxes.copy_part(excluded, (parts, 0), (a, false), start);
        let (part, part_flags) =
            boxes.copy_part(excluded, (parts, 0), (a, true), others.padded_end());
        let (others_of_b, flags_of_b) = if same {
            (others, flags)
        } else {
            boxes.copy_part(excluded, (parts, 1), (b, false), part.padded_end())
        };
        let (all, flags_of_all) = if same { (others, flags) } else { (b, 0) };
        // The join that is done first has the last rows.
        let own_flags = if parts.are_of_one_set() { part_flags } else { u32::MAX };
        let joins = [
            (others, all, same, flags & flags_of_all),
            (part, others_of_b, false, part_flags & flags_of_b),
            (part, part, true, own_flags),
        ];
        for (first, second, same, flags) in joins {
            if flags == 0 && first.len > 0 && second.len > 0 {
                self.tasks.push(KdTask::new([first, second], same, history));
            }
        }
    }

    /// Begins to compare the sets `a` and `b` of a join, or postpones the joins of their parts.
    fn carry_out(&mut self, level: Level, join: &KdTask, choice: SplitChoice) {
        let KdTask { a, b, same, history, .. } = *join;
        match choice {
            SplitChoice::Bitmaps(intervals) => {
                self.bitmaps.begin(&self.boxes, [a, b], same, intervals);
            }
            SplitChoice::Compare => self.leaf = Leaf::each_with_each(a, b, same),
            SplitChoice::Sweep { axis, work_max, merged } => {
                let end = a.padded_end().max(b.padded_end());
                let sets = SortedSets { sets: [a, b], same, merged };
                let sorted = self.boxes.sort(level, sets, axis, end);
                self.leaf = Leaf::sweep(sorted, &sets, work_max);
                self.swept = history;
            }
            SplitChoice::Apart { axis, than } if same => {
                // Both parts are copied once, for three joins: the longer ones last, because their join is done first.
                let boxes = &mut self.boxes;
                let copies = &mut CopyInPlace { level, boxes };
                let part = |part| (part, &EVERYWHERE, None);
                let (shorter, of_shorter) =
                    copies.copy(a, part(KdPart::Shorter { axis, than }), a.padded_end());
                let (longer, of_longer) =
                    copies.copy(a, part(KdPart::Longer { axis, than }), shorter.padded_end());
                let (parts, _) = join.parts(choice);
                let [flags, longer_flags] = [of_shorter.flags, of_longer.flags];
                let [mut same_shorter, mut between, mut same_longer, _] = parts;
                (same_shorter.a, same_shorter.b) = (shorter, shorter);
                (between.a, between.b) = (longer, shorter);
                (same_longer.a, same_longer.b) = (longer, longer);
                let all = [
                    (same_shorter, flags == 0 && shorter.len > 0),
                    (between, flags & longer_flags == 0 && shorter.len > 0 && longer.len > 0),
                    (same_longer, longer_flags == 0 && longer.len > 0),
                ];
                for (mut task, has_pairs) in all {
                    (task.of_a, task.of_b) = (KdPart::All, KdPart::All);
                    task.around_b = EVERYWHERE;
                    self.tasks.extend(has_pairs.then_some(task));
                }
            }
            _ => {
                let (parts, count) = join.parts(choice);
                self.tasks.extend_from_slice(&parts[..count]);
            }
        }
    }

    /// Postpones the join of the boxes that a slow sweep has not compared.
    fn resume(&mut self) {
        self.stopped += 1;
        let Leaf { a, b, same, merged, .. } = self.leaf;
        let sets = if merged { self.boxes.separate(a, a.padded_end() + LANES_MAX) } else { [a, b] };
        let history = KdHistory { dense: true, ..self.swept };
        self.tasks.push(KdTask::new(sets, same && !merged, history));
    }

    fn end_leaf(&mut self) {
        self.compared += core::mem::take(&mut self.leaf).compared;
        self.compared += core::mem::take(&mut self.bitmaps.compared);
    }
}

#[cfg(test)]
mod excluded_tests;
#[cfg(test)]
mod read_tests;
#[cfg(test)]
mod slice_tests;
#[cfg(test)]
mod tests;
