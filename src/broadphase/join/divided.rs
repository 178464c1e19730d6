//! Divides a large join into parts that threads process at the same time.
//!
//! The first set is that of the whole join. Sets with more boxes than a limit are divided as [`choose`](super::choose)
//! decides, one level after the other; the places of each new set are written to memory of its own, in parallel. Sets that
//! are hardly larger than the limit are divided into parts, which are not written. Then the boxes of each part are copied and
//! joined by one worker, into an output of its own.
//!
//! Which parts there are depends on the boxes alone, so the pairs and their order are the same for any number of threads.

use super::boxes::{KdPart, KdRows, NOT_FIRST_UNCUT, Selection, SortedSets, Summary};
use super::choose::{KdHistory, SplitChoice, choose};
use super::excluded::Exclusion;
use super::leaf::Leaf;
use super::records::{JoinRecords, PARTITION_MAX, PartitionWords, SelectWords, sort_words};
use super::sample::{JoinSets, Sampled, is_within, many_are_alone, sampled_row};
use super::sort_keys::SORTED_MAX;
use super::{
    CopyBoxes, EVERYWHERE, Join, JoinInput, KdTask, OccupiedCells, PARTS_EACH, is_much_larger,
};
use crate::broadphase::pairs::buffer::{Buffer, lengthen_sparsely, reserve_for};
use crate::broadphase::pairs::candidates::{Candidates, candidates_max};
use crate::broadphase::pairs::flags::{FLAGS, NOT_FIRST_U, NOT_FIRST_V};
use crate::broadphase::pairs::runs::PairRun;
use crate::columns::impl_memory;
use crate::geom::{Pair, append_each, lengthen_by_default, most_of};
use crate::lanes::{LANES_MAX, Level};
use crate::par::{self, Threads, sort_floats};
use alloc::vec::Vec;

/// A set with more boxes than this is divided if it also has more than one of [`SHARES`] of all boxes.
const SET_ROWS: usize = if cfg!(fuzzing) { 16 } else { 8192 };
/// See [`SET_ROWS`].
const SHARES: usize = 8;
/// Greatest number of parts, and of sets of a level.
const PARTS_MAX: usize = 128;
/// Number of boxes from which the planes between slices are chosen; a divided set has more.
const SLICE_SAMPLES: usize = if cfg!(fuzzing) { 16 } else { 256 };

/// Fewest boxes of a strip whose join is divided.
pub(crate) const DIVIDED_ROWS_MIN: usize = 2 * SET_ROWS;

/// One or two sets of boxes to be joined.
#[derive(Debug, Default)]
struct PlaceSets {
    /// Places and flags of the boxes, each set with padding.
    words: Vec<u32>,
    /// `None` if they have no pairs.
    task: Option<KdTask>,
}

impl_memory!(PlaceSets { words; without task });

impl PlaceSets {
    /// Copies the boxes that `task` selects from other sets.
    fn select(
        &mut self,
        level: Level,
        (records, from): (&JoinRecords, &[u32]),
        task: &KdTask,
        worker: &mut PartWorker,
    ) {
        let PartWorker { words: scratch, selected, join, .. } = worker;
        let copies = &mut CopyPlaces { level, records, from, scratch, selected };
        join.occupied.reserve();
        self.task = task.select(0, copies, &mut join.occupied);
        self.words.clear();
        if let Some(KdTask { a, b, of_a, of_b, .. }) = &mut self.task {
            (*of_a, *of_b) = (KdPart::All, KdPart::All);
            let words = &scratch[..a.padded_end().max(b.padded_end())];
            reserve_for(&mut self.words, words.len());
            self.words.extend_from_slice(words);
        }
    }
}

/// Copies places of a list to another list.
struct CopyPlaces<'a> {
    level: Level,
    records: &'a JoinRecords,
    from: &'a [u32],
    scratch: &'a mut Vec<u32>,
    selected: &'a mut usize,
}

impl CopyBoxes for CopyPlaces<'_> {
    fn copy(
        &mut self,
        set: KdRows,
        (part, within, occupied): (KdPart, &[f32; 6], Option<&OccupiedCells>),
        start: usize,
    ) -> (KdRows, Summary) {
        let Self { level, records, from, scratch, selected } = self;
        let (words, rows) = (&from[set.start..set.padded_end()], set.len);
        **selected += rows;
        let needed = start + rows + 2 * LANES_MAX;
        if scratch.len() < needed {
            lengthen_sparsely(scratch, needed + needed / 4);
        }
        let selection = Selection { part, within, occupied, not_first: records.rules.not_first };
        level.run(SelectWords { records, words, rows, selection, to: scratch, start })
    }

    fn mark(&self, rows: KdRows, occupied: &mut OccupiedCells) {
        (self.records, &self.scratch[..]).mark(rows, occupied);
    }

    fn samples(&self, [a, b]: [KdRows; 2]) -> [[Sampled; 3]; 2] {
        [(self.records, &self.scratch[..]).sample(a), (self.records, self.from).sample(b)]
    }
}

/// The sets of one level of divisions. There may be more of them than are used, after other joins.
#[derive(Debug, Default)]
struct JoinLevel {
    /// The joins of the sets, each with the index of the sets of the level above from which they are selected.
    joins: Vec<(usize, KdTask)>,
    sets: Vec<PlaceSets>,
}

impl_memory!(JoinLevel { joins; lists of sets });

impl JoinLevel {
    fn new() -> Self {
        Self { joins: Vec::with_capacity(PARTS_MAX), sets: Vec::new() }
    }

    /// Number of boxes from which a set is divided, if this is the level of the whole join.
    fn set_rows(&self) -> usize {
        let all = self.sets.first().and_then(|sets| sets.task);
        SET_ROWS.max(all.map_or(0, |all| all.len() / SHARES))
    }
}

/// Reserves memory for the sets of a similar join: a set near the limit is divided in one tick and not in the next. Then
/// there are other sets of about the same size, and perhaps one more level. `depth` is the first level without sets.
fn reserve_sets(levels: &mut Vec<JoinLevel>, depth: usize) {
    if levels.len() == depth + 1 {
        levels.push(JoinLevel::new());
    }
    let (mut count, mut longest) = (1, 0);
    for JoinLevel { joins, sets } in &mut levels[1..=depth] {
        if joins.is_empty() {
            count *= 2;
        } else {
            count = joins.len() + Ord::max(joins.len() / 2, PARTS_EACH);
            longest = most_of(&sets[..joins.len()], |sets| {
                sets.task.map_or(0, |task| task.a.padded_end().max(task.b.padded_end()))
            });
        }
        count = count.min(PARTS_MAX);
        lengthen_by_default(sets, count);
        sets.iter_mut().for_each(|sets| reserve_for(&mut sets.words, longest));
    }
}

/// A part that one worker joins: its sets are selected from those with an index on a level.
type JoinPart = (usize, usize, KdTask);

/// Memory of one worker.
#[derive(Debug, Default)]
pub(super) struct PartWorker {
    pub(super) join: Join,
    /// Memory for the places of a new set, and of several.
    words: Vec<u32>,
    lists: Vec<u32>,
    /// Number of boxes from which sets of places were selected.
    selected: usize,
    candidates: Candidates,
    /// Memory for the function that takes the candidates.
    overlaps: Buffer<Pair>,
}

impl_memory!(PartWorker { join, words, lists, candidates, overlaps; without selected });

/// Appends the pairs among some candidates to a list. It may use an empty list of one worker.
type TakePairs<'a, P> = dyn Fn(&mut Candidates, &mut Buffer<Pair>, &mut Buffer<P>) + Sync + 'a;

/// A join that several threads share, and its memory.
#[derive(Debug, Default)]
pub(crate) struct DividedJoin {
    records: JoinRecords,
    /// The sets of each level; the first has those of the whole join.
    levels: Vec<JoinLevel>,
    parts: Vec<JoinPart>,
    /// One for each thread. There may be more of them, after calls with more threads.
    workers: Vec<PartWorker>,
}

impl_memory!(DividedJoin { records, parts; lists of levels, workers });

impl DividedJoin {
    /// Begins the join of a strip. Returns whether it is cheaper than a sweep.
    pub(crate) fn begin(&mut self, level: Level, input: JoinInput<'_>) -> bool {
        let JoinInput { bounds, ids, excluded, rows, .. } = input;
        let rules = input.rules();
        self.load([rows, 0], &mut |records| {
            records.load_columns(level, rules, (bounds, rows));
        });
        let Self { records, levels, .. } = self;
        let PlaceSets { words, task } = &mut levels[0].sets[0];
        words.iter_mut().zip(&ids[..rows]).for_each(|(word, id)| *word |= id & FLAGS);
        let set = KdRows { start: 0, len: rows };
        *task = input.task([set, set]);
        task.is_none_or(|all| {
            all.choose(&(&*records, &words[..])) != SplitChoice::Compare
                || all.excluded(excluded, words).is_some()
        })
    }

    /// Begins the join of two sets of boxes, of which `get` returns the bounds: those of `first` boxes, then those of
    /// `second` boxes. Pairs are reported by these positions.
    pub(crate) fn begin_between(
        &mut self,
        [first, second]: [usize; 2],
        get: &dyn Fn(usize) -> [f32; 6],
    ) {
        self.load([first, second], &mut |records| {
            let not_first = [NOT_FIRST_U, NOT_FIRST_V, NOT_FIRST_UNCUT];
            records.load(not_first, first + second, get);
        });
        let a = KdRows { start: 0, len: first };
        let b = KdRows { start: a.padded_end(), len: second };
        self.levels[0].sets[0].task = Some(KdTask::new([a, b], false, KdHistory::default()));
    }

    /// Loads the boxes and the places of the whole join: those of one or two sets.
    fn load(&mut self, [first, second]: [usize; 2], load: &mut dyn FnMut(&mut JoinRecords)) {
        if self.levels.is_empty() {
            self.parts.reserve_exact(PARTS_MAX);
            self.levels.push(JoinLevel { joins: Vec::new(), sets: [PlaceSets::default()].into() });
        }
        let Self { records, levels, .. } = self;
        let words = &mut levels[0].sets[0].words;
        load(records);
        words.clear();
        reserve_for(words, first + second + 2 * LANES_MAX);
        for places in [0..first, first..first + second] {
            words.extend(places.map(|place| place as u32));
            records.push_padding(words);
        }
    }

    /// Returns how many boxes were read to select, copy or sort them, and the number of comparisons, of all joins so far.
    #[cfg(test)]
    pub(crate) fn work(&self) -> (u64, u64) {
        let workers = || self.workers.iter();
        let read =
            workers().map(|worker| worker.selected + worker.join.boxes.copied).sum::<usize>();
        (read as u64, workers().map(|worker| worker.join.compared).sum())
    }

    /// Divides the join on these threads. Returns the number of parts.
    pub(crate) fn divide(&mut self, level: Level, threads: &Threads) -> usize {
        let Self { records, levels, parts, workers } = self;
        let records = &*records;
        lengthen_by_default(workers, threads.workers());
        let workers = &mut workers[..threads.workers()];
        let most = levels[0].set_rows();
        let (mut depth, mut count) = (0, 1);
        parts.clear();
        while count > 0 {
            if levels.len() == depth + 1 {
                levels.push(JoinLevel::new());
            }
            let (above, below) = levels.split_at_mut(depth + 1);
            let (above, JoinLevel { joins, sets: below }) = (&above[depth].sets, &mut below[0]);
            joins.clear();
            let (mut jobs, mut job_count) = ([(0, 0, SplitChoice::Compare); PARTS_MAX], 0);
            for (index, sets) in above[..count].iter().enumerate() {
                let Some(task) = sets.task else { continue };
                let choice = divisions(&(records, &sets.words[..]), &task, most);
                let (first_parts, mut more) = task.parts(choice);
                let mut divided = [first_parts[1]; PARTITION_MAX];
                divided[..PARTS_EACH].copy_from_slice(&first_parts);
                // A comparison by bitmaps can be divided at any row.
                let by_rows = matches!(choice, SplitChoice::Bitmaps(_)) && !task.same;
                if by_rows {
                    (divided, more) = task.parts_of_rows(task.len().div_ceil(most));
                }
                let partitioned = task.len() > 2 * most && {
                    if let SplitChoice::Slices { .. } = choice {
                        more = (task.len() / most + 2).min(PARTITION_MAX);
                    }
                    !matches!(choice, SplitChoice::Split { .. })
                };
                let divided = &divided[..more];
                // The sets that follow are a part each at least.
                let others = parts.len() + joins.len() + count - index - 1;
                if more == 0 || others + more > PARTS_MAX {
                    let mut task = task;
                    task.history.sliced |= matches!(choice, SplitChoice::Sweep { .. });
                    parts.push((depth, index, task));
                } else if task.len() > 2 * most && !by_rows {
                    append_each(joins, divided, |&join| (index, join));
                    // The sets of one job are written together; `Compare` stands for a single set that is selected by itself.
                    let (each, choice) =
                        if partitioned { (more, choice) } else { (1, SplitChoice::Compare) };
                    for _ in (0..more).step_by(each) {
                        jobs[job_count] = (index, each, choice);
                        job_count += 1;
                    }
                } else {
                    append_each(parts, divided, |&join| (depth, index, join));
                }
            }
            (depth, count) = (depth + 1, joins.len());
            lengthen_by_default(below, count);
            let mut rest = (&mut below[..count], &joins[..]);
            let mut items: [_; PARTS_MAX] = core::array::from_fn(|job| {
                let (index, each, choice) = jobs[job];
                let each = if job < job_count { each } else { 0 };
                let (sets, tasks) = core::mem::take(&mut rest);
                let ((sets, more_sets), (tasks, more)) =
                    (sets.split_at_mut(each), tasks.split_at(each));
                rest = (more_sets, more);
                (index, choice, tasks, sets)
            });
            par::for_each(threads, workers, &mut items[..job_count], &|worker, _, item| {
                let (index, choice, tasks, sets) = item;
                let from = (records, &above[*index].words[..]);
                match (choice, &mut **sets) {
                    (SplitChoice::Compare, [sets]) => sets.select(level, from, &tasks[0].1, worker),
                    (choice, sets) => partition(level, from, (*choice, tasks), sets, worker),
                }
            });
        }
        reserve_sets(levels, depth);
        // Any worker may select any set.
        let longest = most_of(workers, |worker| worker.words.len());
        let lists = most_of(workers, |worker| worker.lists.len());
        for worker in workers {
            lengthen_sparsely(&mut worker.words, longest);
            lengthen_sparsely(&mut worker.lists, lists);
        }
        parts.len()
    }

    /// Joins the parts on these threads, each part into the pairs of one of `runs`. `take` is called with some candidates
    /// at a time and an empty list of the worker, in which as many places are reserved if `has_paths`.
    pub(crate) fn run<P: Send>(
        &mut self,
        (level, has_paths): (Level, bool),
        threads: &Threads,
        runs: &mut [PairRun<P>],
        excluded: Exclusion<'_>,
        take: &TakePairs<'_, P>,
    ) {
        let Self { records, levels, parts, workers } = self;
        let part = most_of(parts, |(_, _, task)| task.len());
        // The greatest part there can be if a set near the limit is not divided any more.
        let longest = part.max(2 * levels.first().map_or(0, JoinLevel::set_rows));
        for worker in workers.iter_mut() {
            worker.candidates.reserve(candidates_max(longest));
            if has_paths {
                worker.overlaps.reserve_spare(candidates_max(longest));
            }
        }
        let (count, records, levels) = (parts.len(), &*records, &*levels);
        let mut all = parts.iter().zip(runs);
        let mut items: [_; PARTS_MAX] = core::array::from_fn(|_| all.next());
        let running = &mut workers[..threads.workers()];
        par::for_each(threads, running, &mut items[..count], &|worker, _, item| {
            let Some(((depth, index, task), run)) = item else { return };
            worker.begin(level, (records, &levels[*depth].sets[*index].words), task, excluded);
            let PartWorker { join, candidates, overlaps, .. } = worker;
            let mut done = false;
            while !done {
                candidates.len = 0;
                done = join.proceed(level, excluded, candidates);
                take(candidates, overlaps, &mut run.pairs);
            }
        });
        // Any worker may take any part, so reserve the largest memory used for all of them.
        let mut peak = 0;
        for worker in workers.iter_mut() {
            peak = peak.max(worker.join.take_peak());
        }
        // As 64 bits, because the product may be more than the address space of a 32-bit CPU.
        let in_proportion = peak as u64 * longest as u64 / part.max(1) as u64;
        let peak = Ord::min(2 * peak as u64, in_proportion) as usize;
        let words = most_of(workers, |worker| worker.words.len());
        for worker in workers.iter_mut() {
            worker.join.reserve_spare(peak);
            lengthen_sparsely(&mut worker.words, words);
        }
    }
}

impl KdTask {
    /// Returns the joins of one set with about this many parts of the larger one, and their number.
    fn parts_of_rows(&self, parts: usize) -> ([Self; PARTITION_MAX], usize) {
        let of_a = self.a.len > self.b.len;
        let larger = if of_a { self.a } else { self.b };
        // Only the last lane group of the set contains padding.
        let each = larger.len.div_ceil(parts.clamp(1, PARTITION_MAX)).next_multiple_of(LANES_MAX);
        let (mut joins, mut count) = ([*self; PARTITION_MAX], 0);
        for (join, first) in joins.iter_mut().zip((0..larger.len).step_by(each)) {
            let len = each.min(larger.len - first);
            let rows = KdRows { start: larger.start + first, len };
            (join.a, join.b) = if of_a { (rows, self.b) } else { (self.a, rows) };
            count += 1;
        }
        (joins, count)
    }
}

/// Returns whether the sets of a join are selected already: most of the boxes of either set are within the bounds of the other.
fn is_selected(boxes: &dyn JoinSets, task: &KdTask) -> bool {
    if !matches!((task.of_a, task.of_b), (KdPart::All, KdPart::All)) {
        return false;
    }
    if task.same {
        return true;
    }
    let (of_a, of_b) = (boxes.sample(task.a), boxes.sample(task.b));
    is_within(&of_a, &of_b) && is_within(&of_b, &of_a)
}

/// Divides the sets of a join into those of other joins, and reads each box once.
fn partition(
    level: Level,
    from: (&JoinRecords, &[u32]),
    (choice, tasks): (SplitChoice, &[(usize, KdTask)]),
    sets: &mut [PlaceSets],
    worker: &mut PartWorker,
) {
    let Some((_, task)) = tasks.first() else { return };
    let (same, mut parts) = (task.same, [KdPart::All; PARTITION_MAX]);
    let counts = match choice {
        SplitChoice::Slices { axis, .. } => {
            let planes = slices(&from, [task.a, task.b], axis, sets.len());
            for (k, part) in parts[..sets.len()].iter_mut().enumerate() {
                *part = KdPart::Between { axis, planes: [planes[k], planes[k + 1]] };
            }
            [sets.len(); 2]
        }
        SplitChoice::Apart { axis, than } => {
            parts[0] = KdPart::Shorter { axis, than };
            parts[1] = KdPart::Longer { axis, than };
            // The third part of the second set contains all of its boxes.
            [2, 3]
        }
        SplitChoice::ByFlag(flag) => {
            parts[0] = KdPart::Without(flag);
            parts[1] = KdPart::With(flag);
            [2; 2]
        }
        _ => return,
    };
    let of_a = worker.partition(level, from, task.a, &parts[..counts[0]], 0);
    let of_b = if same {
        of_a
    } else {
        let start = of_a.iter().map(|(rows, _)| rows.padded_end()).fold(0, Ord::max);
        worker.partition(level, from, task.b, &parts[..counts[1]], start)
    };
    for (k, (sets, (_, task))) in sets.iter_mut().zip(tasks).enumerate() {
        // The joins of two kinds of boxes, in the order of `KdTask::parts`.
        let (a, b) = match (choice, k) {
            (SplitChoice::Slices { .. }, _) => (of_a[k], of_b[k]),
            (_, 0) => (of_a[0], of_b[0]),
            (SplitChoice::ByFlag(_), 1) => (of_a[1], of_b[0]),
            (SplitChoice::ByFlag(_), 2) if !same => (of_a[0], of_b[1]),
            (SplitChoice::ByFlag(_), _) => (of_a[1], of_b[1]),
            (_, 1) if same => (of_a[0], of_a[1]),
            (_, 1) => (of_a[0], of_b[1]),
            _ if same => (of_a[1], of_a[1]),
            _ => (of_a[1], of_b[2]),
        };
        sets.words.clear();
        sets.task = None;
        let ((a, a_flags), (b, b_flags)) = if a.0.len > b.0.len { (b, a) } else { (a, b) };
        if a_flags & b_flags != 0 || a.len == 0 || b.len == 0 {
            continue;
        }
        let all = (KdPart::All, KdPart::All);
        let join = KdTask { a, b, of_a: all.0, of_b: all.1, around_b: EVERYWHERE, ..*task };
        let lists = (from.0, &worker.lists[..]);
        let may_drop = || many_are_alone(&lists.sample(a), &lists.sample(b));
        if task.same || !is_much_larger(b.len, a.len) || !may_drop() {
            let lists = &worker.lists;
            reserve_for(&mut sets.words, a.len + b.len + 2 * LANES_MAX);
            sets.words.extend_from_slice(&lists[a.start..a.padded_end()]);
            let a = KdRows { start: 0, ..a };
            let mut to = a;
            if !task.same {
                sets.words.extend_from_slice(&lists[b.start..b.padded_end()]);
                to = KdRows { start: a.padded_end(), ..b };
            }
            sets.task = Some(KdTask { a, b: to, ..join });
        } else {
            let lists = core::mem::take(&mut worker.lists);
            sets.select(level, (from.0, &lists), &join, worker);
            worker.lists = lists;
        }
    }
}

impl PartWorker {
    /// Begins the join of a part of sets of places.
    pub(super) fn begin(
        &mut self,
        level: Level,
        (records, from): (&JoinRecords, &[u32]),
        task: &KdTask,
        excluded: Exclusion<'_>,
    ) {
        let Self { words: scratch, selected, join, .. } = self;
        if !task.history.sliced {
            return join.begin_part(level, (records, from), task, excluded);
        }
        // The boxes are copied in the order of the sweep, without another copy before they are sorted.
        join.clear();
        join.boxes.rules = records.rules;
        let (mut words, mut part) = (from, *task);
        if !is_selected(&(records, from), task) {
            let copies = &mut CopyPlaces { level, records, from, scratch, selected };
            let Some(selected) = task.select(0, copies, &mut join.occupied) else { return };
            (words, part) = (&scratch[..], selected);
        }
        let SplitChoice::Sweep { axis, work_max, merged } = part.choose(&(records, words)) else {
            (part.of_a, part.of_b) = (KdPart::All, KdPart::All);
            return join.begin_part(level, (records, words), &part, excluded);
        };
        let sets = SortedSets { sets: [part.a, part.b], same: part.same, merged };
        let sorted = sort_words(level, (records, words), sets, axis, &mut join.boxes);
        join.leaf = Leaf::sweep(sorted, &sets, work_max);
        join.swept = part.history;
    }

    /// Writes the boxes of each part of a set to lists from `start` on. Returns where they are, and the flags that all boxes of
    /// a part have.
    fn partition(
        &mut self,
        level: Level,
        (records, words): (&JoinRecords, &[u32]),
        set: KdRows,
        parts: &[KdPart],
        start: usize,
    ) -> [(KdRows, u32); PARTITION_MAX] {
        let (words, rows) = (&words[set.start..set.padded_end()], set.len);
        let all = rows + 2 * LANES_MAX;
        // The first length is enough unless most of the boxes are in one part. Nearly all may be in one of two parts by a flag.
        let is_whole = |part| matches!(part, KdPart::All | KdPart::With(_) | KdPart::Without(_));
        let whole = parts.iter().copied().any(is_whole);
        let first = if whole { all } else { all / parts.len() + all / 4 };
        for length in [first, all] {
            self.selected += rows;
            let needed = start + parts.len() * length;
            if self.lists.len() < needed {
                lengthen_sparsely(&mut self.lists, needed + all / 4);
            }
            let lists = &mut self.lists[start..needed];
            let kernel = PartitionWords { records, words, rows, parts, lists, length };
            if let Some(mut of_parts) = level.run(kernel) {
                for (k, (rows, _)) in of_parts.iter_mut().enumerate() {
                    rows.start = start + k * length;
                }
                return of_parts;
            }
        }
        [(KdRows::default(), u32::MAX); PARTITION_MAX]
    }
}

/// Returns the planes between this many parts of about equal size, after negative infinity and before infinity. None is below
/// [`JoinInput::rules`].
fn slices(
    (records, words): &(&JoinRecords, &[u32]),
    sets: [KdRows; 2],
    axis: usize,
    count: usize,
) -> [f32; PARTITION_MAX + 1] {
    let least = records.rules.planes_min[axis];
    let mut starts = [0.0; SLICE_SAMPLES];
    for (k, start) in starts.iter_mut().enumerate() {
        let row = sampled_row(sets[k % 2], k / 2, SLICE_SAMPLES / 2);
        let at = records.bounds(words[row])[axis];
        *start = if at < least { least } else { at };
    }
    sort_floats(&mut starts);
    let mut planes = [f32::INFINITY; PARTITION_MAX + 1];
    for (k, plane) in planes[..count].iter_mut().enumerate() {
        *plane = if k == 0 { f32::NEG_INFINITY } else { starts[k * SLICE_SAMPLES / count] };
    }
    planes
}

/// Returns how sets with more than `most` boxes are divided. One worker sweeps or compares them otherwise.
fn divisions(boxes: &dyn JoinSets, task: &KdTask, most: usize) -> SplitChoice {
    if task.len() <= most {
        return SplitChoice::Compare;
    }
    let sets = (task.a, task.b, task.same);
    choose(boxes, sets, task.history, most.min(SORTED_MAX))
}
