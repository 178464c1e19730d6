//! Divides a large join into parts that threads process at the same time.
//!
//! The first part is the whole join. Parts with more boxes than the limit are divided as [`choose`](super::choose) decides,
//! one level after the other; the boxes of each new part are copied to memory of its own, in parallel. Then each part
//! that is not divided is joined by one worker, into an output of its own.
//!
//! Which parts there are depends on the boxes alone, so the pairs and their order are the same for any threads.

use super::boxes::{KdBoxes, KdPart, KdRows, NOT_FIRST_UNCUT};
use super::choose::{KdHistory, SplitChoice};
use super::{Join, JoinInput, KdTask};
use crate::broadphase::pairs::buffer::Buffer;
use crate::broadphase::pairs::candidates::{Candidates, candidates_max};
use crate::broadphase::pairs::flags::{NOT_FIRST_U, NOT_FIRST_V};
use crate::broadphase::pairs::runs::PairRun;
use crate::lanes::{LANES_MAX, Level};
use crate::par;
use alloc::vec::Vec;

/// A part with more boxes than this, and than a share of all boxes, is divided.
const PART_ROWS: usize = if cfg!(fuzzing) { 16 } else { 8192 };
const SHARES: usize = 16;
/// Greatest number of parts, with those that are divided.
const PARTS_MAX: usize = 128;

/// Fewest boxes of a strip whose join is divided.
pub(crate) const DIVIDED_ROWS_MIN: usize = 2 * PART_ROWS;

/// Sets of boxes to be joined, in memory of their own.
#[derive(Debug, Default)]
struct JoinPart {
    boxes: KdBoxes,
    /// `None` if the part was divided or has no pairs.
    task: Option<KdTask>,
}

impl JoinPart {
    /// Copies the boxes that `task` selects from another part.
    fn select(&mut self, level: Level, from: &KdBoxes, task: &KdTask, scratch: &mut KdBoxes) {
        scratch.not_first = from.not_first;
        self.task = task.select(level, Some(from), scratch, 0).map(|join| {
            let [a, b] = self.boxes.assign(scratch, [join.a, join.b], join.same);
            let (of_a, of_b) = (KdPart::All, KdPart::All);
            KdTask { a, b, of_a, of_b, ..join }
        });
    }
}

/// Memory of one worker.
#[derive(Debug, Default)]
struct PartWorker {
    join: Join,
    candidates: Candidates,
}

/// Appends the pairs among some candidates to a list, and removes the candidates.
type TakeCandidates<'a, P> = dyn Fn(&mut Candidates, &mut Buffer<P>) + Sync + 'a;

/// A join that several threads share, and its memory.
#[derive(Debug, Default)]
pub(crate) struct DividedJoin {
    /// The first `count` parts belong to the current join; the others are spare.
    parts: Vec<JoinPart>,
    count: usize,
    /// The joins that become the next parts, each with the index of the part from which it is selected.
    next: Vec<(usize, KdTask)>,
    /// One for each thread. There may be more of them, after calls with more threads.
    workers: Vec<PartWorker>,
}

impl DividedJoin {
    /// Returns the number of bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(|part| part.boxes.bytes()).sum();
        let of_worker = |worker: &PartWorker| worker.join.bytes() + worker.candidates.bytes();
        parts
            + self.workers.iter().map(of_worker).sum::<usize>()
            + self.parts.capacity() * size_of::<JoinPart>()
            + self.next.capacity() * size_of::<(usize, KdTask)>()
    }

    /// Begins the join of a strip. Returns whether it is cheaper than a sweep.
    pub(crate) fn begin(&mut self, input: JoinInput<'_>) -> bool {
        let JoinPart { boxes, task } = self.first_part();
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
        let part = self.first_part();
        let a = KdRows { start: 0, len: first };
        let b = KdRows { start: a.end(), len: second };
        let boxes = &mut part.boxes;
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
        part.task = Some(KdTask::new([a, b], false, KdHistory::default()));
    }

    /// Removes all parts, and returns an empty one.
    fn first_part(&mut self) -> &mut JoinPart {
        if self.parts.is_empty() {
            self.parts.reserve_exact(PARTS_MAX);
            self.next.reserve_exact(PARTS_MAX);
            self.parts.push(JoinPart::default());
        }
        self.count = 1;
        &mut self.parts[0]
    }

    /// Divides the join on so many threads. Returns the number of parts to be joined.
    pub(crate) fn divide(&mut self, level: Level, threads: usize) -> usize {
        let Self { parts, count, next, workers } = self;
        workers.resize_with(threads.max(workers.len()), PartWorker::default);
        let workers = &mut workers[..threads];
        let most = PART_ROWS.max(parts[0].task.map_or(0, |all| all.len() / SHARES));
        let mut done = 0;
        while done < *count {
            next.clear();
            for (index, part) in parts.iter_mut().enumerate().take(*count).skip(done) {
                let Some(task) = part.task.filter(|task| task.len() > most) else {
                    continue;
                };
                // One worker would sweep the part, so it is divided also where a sweep costs less.
                let choice = task.choose(&part.boxes, KdHistory { dense: true, ..task.history });
                let (tasks, more) = task.parts(choice);
                if more > 0 && *count + next.len() + more <= PARTS_MAX {
                    next.extend(tasks[..more].iter().map(|&task| (index, task)));
                    part.task = None;
                }
            }
            done = *count;
            *count += next.len();
            parts.resize_with(parts.len().max(*count), JoinPart::default);
            let (before, after) = parts.split_at_mut(done);
            par::for_each(workers, &mut after[..next.len()], &|worker, k, part| {
                let (from, task) = &next[k];
                part.select(level, &before[*from].boxes, task, &mut worker.join.boxes);
            });
        }
        tasks(&self.parts[..self.count]).count()
    }

    /// Joins the parts on so many threads, each part into the pairs of one of `runs`. `take` is called with some candidates
    /// at a time.
    pub(crate) fn run<P: Send>(
        &mut self,
        level: Level,
        threads: usize,
        runs: &mut [PairRun<P>],
        take: &TakeCandidates<'_, P>,
    ) {
        let Self { parts, count, workers, .. } = self;
        let parts = &parts[..*count];
        let longest = tasks(parts).map(|(_, task)| task.len()).max().unwrap_or(0);
        workers.iter_mut().for_each(|worker| worker.candidates.reserve(candidates_max(longest)));
        let count = runs.len();
        let mut all = tasks(parts).zip(runs);
        let mut items: [_; PARTS_MAX] = core::array::from_fn(|_| all.next());
        par::for_each(&mut workers[..threads], &mut items[..count], &|worker, _, item| {
            let Some(((part, task), run)) = item else { return };
            let PartWorker { join, candidates } = worker;
            join.begin_part(level, &part.boxes, task);
            let mut done = false;
            while !done {
                done = join.proceed(level, candidates);
                take(candidates, &mut run.pairs);
                candidates.len = 0;
            }
        });
        // Any worker may take any part, so reserve the largest memory used for all of them.
        let peak = workers.iter_mut().map(|worker| worker.join.take_peak()).max().unwrap_or(0);
        workers.iter_mut().for_each(|worker| worker.join.reserve_spare(peak));
    }
}

/// The joins of the parts that were not divided.
fn tasks(parts: &[JoinPart]) -> impl Iterator<Item = (&JoinPart, &KdTask)> {
    parts.iter().filter_map(|part| part.task.as_ref().map(|task| (part, task)))
}
