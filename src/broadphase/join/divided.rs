//! Divides a large join into parts that threads process at the same time.
//!
//! The first set is that of the whole join. Sets with more boxes than a limit are divided as [`choose`](super::choose)
//! decides, one level after the other; the places of each new set are written to memory of its own, in parallel. Sets that
//! are hardly larger than the limit are divided into parts, which are not written. Then the boxes of each part are copied and
//! joined by one worker, into an output of its own.
//!
//! Which parts there are depends on the boxes alone, so the pairs and their order are the same for any threads.

use super::boxes::{KdPart, KdRows, NOT_FIRST_UNCUT, SORTED_MAX, Selection};
use super::choose::{KdHistory, SplitChoice, choose};
use super::records::{JoinRecords, SelectWords};
use super::sample::JoinSets;
use super::{Join, JoinInput, KdTask, PARTS_EACH};
use crate::broadphase::pairs::buffer::{Buffer, lengthen_sparsely, reserve_for};
use crate::broadphase::pairs::candidates::{Candidates, candidates_max};
use crate::broadphase::pairs::flags::{FLAGS, NOT_FIRST_U, NOT_FIRST_V};
use crate::broadphase::pairs::runs::PairRun;
use crate::columns::impl_memory;
use crate::geom::{MapEach, Pair, append_each, lengthen_by_default, most_of};
use crate::lanes::{LANES_MAX, Level};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// A set with more boxes than this, and than a share of all boxes, is divided.
const SET_ROWS: usize = if cfg!(fuzzing) { 16 } else { 8192 };
const SHARES: usize = 16;
/// Greatest number of parts, and of sets of a level.
const PARTS_MAX: usize = 128;

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
        let PartWorker { words: scratch, selected, .. } = worker;
        let not_first = records.not_first;
        self.task = task.select(0, &mut |set, (part, within), start| {
            let (words, rows) = (&from[set.start..set.end()], set.len);
            *selected += rows;
            let needed = start + rows + 2 * LANES_MAX;
            if scratch.len() < needed {
                lengthen_sparsely(scratch, needed + needed / 4);
            }
            let (selection, to) = (Selection { part, within, not_first }, &mut *scratch);
            level.run(SelectWords { records, words, rows, selection, to, start })
        });
        self.words.clear();
        if let Some(KdTask { a, b, of_a, of_b, .. }) = &mut self.task {
            (*of_a, *of_b) = (KdPart::All, KdPart::All);
            let words = &scratch[..a.end().max(b.end())];
            reserve_for(&mut self.words, words.len());
            self.words.extend_from_slice(words);
        }
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
                sets.task.map_or(0, |task| task.a.end().max(task.b.end()))
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
struct PartWorker {
    join: Join,
    /// Memory for the places of a new set.
    words: Vec<u32>,
    /// Number of boxes from which sets of places were selected.
    selected: usize,
    candidates: Candidates,
    /// Memory for the function that takes the candidates.
    overlaps: Buffer<Pair>,
}

impl_memory!(PartWorker { join, words, candidates, overlaps; without selected });

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
    pub(crate) fn begin(&mut self, input: JoinInput<'_>) -> bool {
        let JoinInput { bounds, ids, rows, not_first } = input;
        self.load(not_first, [rows, 0], &|place| bounds.each_ref().map_each(|ends| ends[place]));
        let Self { records, levels, .. } = self;
        let PlaceSets { words, task } = &mut levels[0].sets[0];
        words.iter_mut().zip(&ids[..rows]).for_each(|(word, id)| *word |= id & FLAGS);
        let set = KdRows { start: 0, len: rows };
        *task = input.task([set, set]);
        task.is_none_or(|all| all.choose(&(&*records, &words[..])) != SplitChoice::Compare)
    }

    /// Begins the join of two sets of boxes, of which `get` returns the bounds: those of `first` boxes, then those of
    /// `second` boxes. Pairs are reported by these positions.
    pub(crate) fn begin_between(
        &mut self,
        [first, second]: [usize; 2],
        get: &dyn Fn(usize) -> [f32; 6],
    ) {
        self.load([NOT_FIRST_U, NOT_FIRST_V, NOT_FIRST_UNCUT], [first, second], get);
        let a = KdRows { start: 0, len: first };
        let b = KdRows { start: a.end(), len: second };
        self.levels[0].sets[0].task = Some(KdTask::new([a, b], false, KdHistory::default()));
    }

    /// Loads the boxes and the places of the whole join: those of one or two sets.
    fn load(
        &mut self,
        not_first: [u32; 3],
        [first, second]: [usize; 2],
        get: &dyn Fn(usize) -> [f32; 6],
    ) {
        if self.levels.is_empty() {
            self.parts.reserve_exact(PARTS_MAX);
            self.levels.push(JoinLevel { joins: Vec::new(), sets: [PlaceSets::default()].into() });
        }
        let Self { records, levels, .. } = self;
        let words = &mut levels[0].sets[0].words;
        records.load(not_first, first + second, get);
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
            for (index, sets) in above[..count].iter().enumerate() {
                let Some(task) = sets.task else { continue };
                let (divided, more) = divisions(&(records, &sets.words[..]), &task, most);
                let divided = &divided[..more];
                // The sets that follow are a part each at least.
                let others = parts.len() + joins.len() + count - index - 1;
                if more == 0 || others + more > PARTS_MAX {
                    parts.push((depth, index, task));
                } else if task.len() > 2 * most {
                    append_each(joins, divided, |&join| (index, join));
                } else {
                    append_each(parts, divided, |&join| (depth, index, join));
                }
            }
            (depth, count) = (depth + 1, joins.len());
            lengthen_by_default(below, count);
            par::for_each(threads, workers, &mut below[..count], &|worker, k, sets| {
                let (index, task) = &joins[k];
                sets.select(level, (records, &above[*index].words), task, worker);
            });
        }
        reserve_sets(levels, depth);
        // Any worker may select any set.
        let longest = most_of(workers, |worker| worker.words.len());
        workers.iter_mut().for_each(|worker| lengthen_sparsely(&mut worker.words, longest));
        parts.len()
    }

    /// Joins the parts on these threads, each part into the pairs of one of `runs`. `take` is called with some candidates
    /// at a time, and with an empty list of which it uses as much only if `has_paths`.
    pub(crate) fn run<P: Send>(
        &mut self,
        (level, has_paths): (Level, bool),
        threads: &Threads,
        runs: &mut [PairRun<P>],
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
            let PartWorker { join, candidates, overlaps, .. } = worker;
            join.begin_part(level, records, &levels[*depth].sets[*index].words, task);
            let mut done = false;
            while !done {
                done = join.proceed(level, candidates);
                take(candidates, overlaps, &mut run.pairs);
                candidates.len = 0;
            }
        });
        // Any worker may take any part, so reserve the largest memory used for all of them.
        let mut peak = 0;
        for worker in workers.iter_mut() {
            peak = peak.max(worker.join.take_peak());
        }
        let peak = Ord::min(2 * peak, peak * longest / part.max(1));
        workers.iter_mut().for_each(|worker| worker.join.reserve_spare(peak));
    }
}

/// Returns the joins into which sets with more than `most` boxes are divided, and their number. One worker sweeps or
/// compares them otherwise.
fn divisions(boxes: &dyn JoinSets, task: &KdTask, most: usize) -> ([KdTask; PARTS_EACH], usize) {
    if task.len() <= most {
        return ([*task; PARTS_EACH], 0);
    }
    let sets = (task.a, task.b, task.same);
    task.parts(choose(boxes, sets, task.history, most.min(SORTED_MAX)))
}
