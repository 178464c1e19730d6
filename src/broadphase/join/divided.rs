//! Divides a large join into parts that threads process at the same time.
//!
//! The first set is that of the whole join. Sets with more boxes than a limit are divided as [`choose`](super::choose)
//! decides, one level after the other; the boxes of each new set are copied to memory of its own, in parallel. Sets that
//! are hardly larger than the limit are divided into parts, which are not copied. Then each part is joined by one worker,
//! into an output of its own.
//!
//! Which parts there are depends on the boxes alone, so the pairs and their order are the same for any threads.

use super::boxes::{KdBoxes, KdPart, KdRows, NOT_FIRST_UNCUT};
use super::choose::{KdHistory, SplitChoice};
use super::{Join, JoinInput, KdTask, PARTS_EACH};
use crate::broadphase::pairs::buffer::Buffer;
use crate::broadphase::pairs::candidates::{Candidates, candidates_max};
use crate::broadphase::pairs::flags::{NOT_FIRST_U, NOT_FIRST_V};
use crate::broadphase::pairs::runs::PairRun;
use crate::columns::impl_memory;
use crate::geom::{Pair, most_of};
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

/// One or two sets of boxes to be joined, in memory of their own.
#[derive(Debug, Default)]
struct JoinSets {
    boxes: KdBoxes,
    /// `None` if they have no pairs.
    task: Option<KdTask>,
}

impl_memory!(JoinSets { boxes; without task });

impl JoinSets {
    /// Copies the boxes that `task` selects from another set.
    fn select(&mut self, level: Level, from: &KdBoxes, task: &KdTask, scratch: &mut KdBoxes) {
        scratch.not_first = from.not_first;
        self.task = task.select(level, Some(from), scratch, 0).map(|join| {
            let [a, b] = self.boxes.assign(scratch, [join.a, join.b], join.same);
            let (of_a, of_b) = (KdPart::All, KdPart::All);
            KdTask { a, b, of_a, of_b, ..join }
        });
    }
}

/// The sets of one level of divisions. There may be more of them than are used, after other joins.
#[derive(Debug, Default)]
struct JoinLevel {
    /// The joins of the sets, each with the index of the sets of the level above from which they are selected.
    joins: Vec<(usize, KdTask)>,
    sets: Vec<JoinSets>,
}

impl_memory!(JoinLevel { joins; lists of sets });

/// A part that one worker joins: its sets are selected from those with an index on a level.
type JoinPart = (usize, usize, KdTask);

/// Memory of one worker.
#[derive(Debug, Default)]
struct PartWorker {
    join: Join,
    candidates: Candidates,
    /// Memory for the function that takes the candidates.
    overlaps: Buffer<Pair>,
}

impl_memory!(PartWorker { join, candidates, overlaps });

/// Appends the pairs among some candidates to a list. It may use an empty list of one worker.
type TakePairs<'a, P> = dyn Fn(&mut Candidates, &mut Buffer<Pair>, &mut Buffer<P>) + Sync + 'a;

/// A join that several threads share, and its memory.
#[derive(Debug, Default)]
pub(crate) struct DividedJoin {
    /// The sets of each level; the first has those of the whole join.
    levels: Vec<JoinLevel>,
    parts: Vec<JoinPart>,
    /// One for each thread. There may be more of them, after calls with more threads.
    workers: Vec<PartWorker>,
}

impl_memory!(DividedJoin { parts; lists of levels, workers });

impl DividedJoin {
    /// Begins the join of a strip. Returns whether it is cheaper than a sweep.
    pub(crate) fn begin(&mut self, input: JoinInput<'_>) -> bool {
        let JoinSets { boxes, task } = self.first();
        boxes.need_columns(input.rows + LANES_MAX);
        *task = input.load(boxes);
        task.is_none_or(|all| all.choose(boxes, all.history) != SplitChoice::Compare)
    }

    /// Begins the join of two sets of boxes, of which `get` returns the bounds: those of `first` boxes, then those of
    /// `second` boxes. Pairs are reported by these positions.
    pub(crate) fn begin_between(
        &mut self,
        [first, second]: [usize; 2],
        get: &dyn Fn(usize) -> [f32; 6],
    ) {
        let JoinSets { boxes, task } = self.first();
        let a = KdRows { start: 0, len: first };
        let b = KdRows { start: a.end(), len: second };
        boxes.need_columns(b.end());
        boxes.not_first = [NOT_FIRST_U, NOT_FIRST_V, NOT_FIRST_UNCUT];
        for (set, places) in [(a, 0..first), (b, first..first + second)] {
            for (row, place) in (set.start..).zip(places) {
                for (column, end) in boxes.bounds.iter_mut().zip(get(place)) {
                    column[row] = end;
                }
                boxes.words[row] = place as u32;
            }
            boxes.write_padding(set.start + set.len);
        }
        *task = Some(KdTask::new([a, b], false, KdHistory::default()));
    }

    /// Returns the sets of the whole join.
    fn first(&mut self) -> &mut JoinSets {
        if self.levels.is_empty() {
            self.parts.reserve_exact(PARTS_MAX);
            self.levels.push(JoinLevel { joins: Vec::new(), sets: [JoinSets::default()].into() });
        }
        &mut self.levels[0].sets[0]
    }

    /// Divides the join on these threads. Returns the number of parts.
    pub(crate) fn divide(&mut self, level: Level, threads: &Threads) -> usize {
        let Self { levels, parts, workers } = self;
        workers.resize_with(threads.workers().max(workers.len()), PartWorker::default);
        let workers = &mut workers[..threads.workers()];
        let most = SET_ROWS.max(levels[0].sets[0].task.map_or(0, |all| all.len() / SHARES));
        let (mut depth, mut count) = (0, 1);
        parts.clear();
        while count > 0 {
            if levels.len() == depth + 1 {
                levels.push(JoinLevel { joins: Vec::with_capacity(PARTS_MAX), sets: Vec::new() });
            }
            let (above, below) = levels.split_at_mut(depth + 1);
            let (above, JoinLevel { joins, sets: below }) = (&above[depth].sets, &mut below[0]);
            joins.clear();
            for (index, sets) in above[..count].iter().enumerate() {
                let Some(task) = sets.task else { continue };
                let (divided, more) = divisions(&sets.boxes, &task, most);
                let divided = &divided[..more];
                // The sets that follow are a part each at least.
                let others = parts.len() + joins.len() + count - index - 1;
                if more == 0 || others + more > PARTS_MAX {
                    parts.push((depth, index, task));
                } else if task.len() > 2 * most {
                    joins.extend(divided.iter().map(|&join| (index, join)));
                } else {
                    parts.extend(divided.iter().map(|&join| (depth, index, join)));
                }
            }
            (depth, count) = (depth + 1, joins.len());
            below.resize_with(count.max(below.len()), JoinSets::default);
            par::for_each(threads, workers, &mut below[..count], &|worker, k, sets| {
                let (index, task) = &joins[k];
                sets.select(level, &above[*index].boxes, task, &mut worker.join.boxes);
            });
            // The sets of a level are of about one size, but which is the largest may vary from tick to tick.
            let rows = |sets: &JoinSets| sets.task.map_or(0, |task| task.b.end());
            let longest = most_of(&below[..count], rows);
            below.iter_mut().for_each(|sets| sets.boxes.need_columns(longest));
        }
        parts.len()
    }

    /// Joins the parts on these threads, each part into the pairs of one of `runs`. `take` is called with some candidates
    /// at a time.
    pub(crate) fn run<P: Send>(
        &mut self,
        level: Level,
        threads: &Threads,
        runs: &mut [PairRun<P>],
        take: &TakePairs<'_, P>,
    ) {
        let Self { levels, parts, workers, .. } = self;
        let longest = most_of(parts, |(_, _, task)| task.len());
        for worker in workers.iter_mut() {
            worker.candidates.reserve(candidates_max(longest));
            worker.overlaps.reserve_spare(candidates_max(longest));
        }
        let (count, levels) = (parts.len(), &*levels);
        let mut all = parts.iter().zip(runs);
        let mut items: [_; PARTS_MAX] = core::array::from_fn(|_| all.next());
        let running = &mut workers[..threads.workers()];
        par::for_each(threads, running, &mut items[..count], &|worker, _, item| {
            let Some(((depth, index, task), run)) = item else { return };
            let PartWorker { join, candidates, overlaps } = worker;
            join.begin_part(level, &levels[*depth].sets[*index].boxes, task);
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
        workers.iter_mut().for_each(|worker| worker.join.reserve_spare(peak));
    }
}

/// Returns the joins into which sets with more than `most` boxes are divided, and their number.
fn divisions(boxes: &KdBoxes, task: &KdTask, most: usize) -> ([KdTask; PARTS_EACH], usize) {
    if task.len() <= most {
        return ([*task; PARTS_EACH], 0);
    }
    // One worker would sweep them, so they are divided also where a sweep costs less.
    task.parts(task.choose(boxes, KdHistory { dense: true, ..task.history }))
}
