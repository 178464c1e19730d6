//! Runs the passes of a tick and owns their memory.
//!
//! The passes are: choose the grid, scatter the chunks of rows to the strips, check the number of comparisons, sweep runs of strips. Each pass
//! is spread over the threads. The contents of a chunk or a run do not depend on the number of threads.

use super::choose::choose;
use super::chunks::chunk_rows;
use super::cost_check::{ESTIMATED_ROWS_MIN, GridCheck, GridRecords};
use super::grid::{Choice, Grid, Sample};
use super::scatter::{Chunk, ChunkRows, Padding, Scatter, ScatterScratch};
use super::strip::{SHORT_STRIP, StripPairs, StripPass, SweepScratch};
use crate::broadphase::error::FindError;
use crate::broadphase::join::divided::{DIVIDED_ROWS_MIN, DividedJoin};
use crate::broadphase::pairs::buffer::reserve_total;
use crate::broadphase::pairs::filter_words::FilterWords;
use crate::broadphase::pairs::flags::{OF_FIRST, OF_SECOND, STILL};
use crate::broadphase::pairs::input::{PairInput, check_rows, label_rows};
use crate::broadphase::pairs::limit::{OwnerOf, PairLimit, PairTest, filters_allow};
use crate::broadphase::pairs::runs::{FoundPair, PairRun, PairRuns, Pairs};
use crate::broadphase::pairs::timings::Timings;
use crate::columns::{Rejected, impl_memory};
use crate::geom::{MovingBox, lengthen_by_default, most_of, sum_of};
use crate::lanes::Level;
use crate::par::{self, Budget, Clock, Threads};
use alloc::vec::Vec;
use core::time::Duration;

/// Number of boxes from which the memory of the records is prefetched before they are written. The records of fewer boxes
/// are still in the cache; for them it would take 3 to 8 % more time, for 300,000 boxes it takes 6 % less.
const PREFETCH_ROWS_MIN: usize = if cfg!(fuzzing) { 32 } else { 1 << 18 };
/// Number of boxes below which one thread does the whole tick: to wake another takes as long as its share of the work.
const PARALLEL_ROWS_MIN: usize = if cfg!(fuzzing) { 64 } else { 2048 };
/// A grid that is too expensive is replaced by a join of all boxes if at most one of this many is active.
const FEW_ACTIVE: usize = 8;
/// Approximate number of runs that the strips are split into, so that the threads can share them.
pub(super) const RUNS: usize = 128;
/// Greatest number of runs. Each run but the last has at least its share of the records.
const RUNS_MAX: usize = RUNS + 1;

/// Memory of one worker that sweeps strips.
#[derive(Debug, Default)]
pub(super) struct Sweeper<R: StripPairs> {
    strip: SweepScratch<R>,
    /// Memory of the callback that takes the pairs of a run.
    pub(super) pairs: Vec<R::Found>,
}

impl_memory!([R: StripPairs] Sweeper<R> { strip, pairs });

/// Runs the passes for one kind of pairs, and owns their memory.
#[derive(Debug, Default)]
pub(crate) struct FinderPasses<R: StripPairs> {
    chunks: Vec<Chunk<R>>,
    /// One per thread.
    pub(super) sweepers: Vec<Sweeper<R>>,
    /// The join of a crowded strip by all threads.
    join: DividedJoin,
    /// Number of records in each strip.
    lengths: Vec<usize>,
    pub(super) pairs: PairRuns<R::Found>,
    pub(super) rejected: Vec<Rejected>,
    /// Number of rejected rows of the first set; they precede those of the second.
    pub(super) rejected_of_first: usize,
}

impl_memory!([R: StripPairs] FinderPasses<R> { join, lengths, pairs, rejected; lists of chunks, sweepers; without rejected_of_first });

/// The function that takes the pairs of each run, with memory of the thread that found them.
pub(crate) type TakeRun<'a, P> = dyn Fn(&mut PairRun<P>, &mut Vec<P>) + Sync + 'a;

/// Leaves the pairs of a run unchanged. This is a function, because each closure would be one more instance for every
/// type that a public function is called with.
pub(super) fn keep_run<P>(_: &mut PairRun<P>, _: &mut Vec<P>) {}

/// Input of a tick: the boxes of one set, or of two sets between which pairs are searched.
pub(crate) struct FinderInput<'a> {
    pub(crate) level: Level,
    pub(crate) pairs_max: usize,
    pub(crate) first: PairInput<'a>,
    pub(crate) second: Option<PairInput<'a>>,
}

impl<'a> FinderInput<'a> {
    /// Checks the input and returns the threads that fill the runs.
    pub(super) fn check<'t>(&self, threads: &'t Threads) -> Result<&'t Threads, FindError> {
        self.sets().try_for_each(PairInput::check)?;
        let rows = self.len();
        check_rows(rows)?;
        Ok(threads.for_items(rows, PARALLEL_ROWS_MIN))
    }

    pub(super) fn sets(&self) -> impl Iterator<Item = &PairInput<'a>> {
        core::iter::once(&self.first).chain(&self.second)
    }

    /// Returns the sum of `number` of each set.
    fn sum_of_sets(&self, number: impl Fn(&PairInput<'a>) -> usize + Copy) -> usize {
        number(&self.first) + self.second.as_ref().map_or(0, number)
    }

    /// Returns the number of boxes of all sets.
    pub(super) fn len(&self) -> usize {
        self.sum_of_sets(PairInput::len)
    }

    /// Returns the number of boxes of which each pair has at least one.
    fn active(&self) -> usize {
        let moving = |set: &PairInput<'_>| {
            set.moves.map_or(set.len(), |moves| {
                // Bytes are added in lanes.
                let parts = moves.chunks(usize::from(u8::MAX));
                parts
                    .map(|part| usize::from(part.iter().map(|&moves| u8::from(moves)).sum::<u8>()))
                    .sum()
            })
        };
        let all = self.sum_of_sets(moving);
        self.second.map_or(all, |second| all.min(self.first.len()).min(second.len()))
    }

    pub(super) fn is_filtered(&self) -> bool {
        self.sets().any(|set| set.filters.is_some())
    }

    /// Chooses how filters are folded to words.
    pub(super) fn filter_words(&self, threads: &Threads) -> FilterWords {
        let second = self.second.as_ref();
        let sets = core::iter::once(&self.first).chain(second).map(|set| set.filters);
        FilterWords::choose(self.level, threads, sets)
    }

    /// Returns the set that has row `row` of the first set, or past its end of the second; the row there; and the flag of the set.
    pub(super) fn set_of(&self, row: usize) -> (&PairInput<'a>, usize, u32) {
        match &self.second {
            Some(second) if row >= self.first.len() => (second, row - self.first.len(), OF_SECOND),
            Some(_) => (&self.first, row, OF_FIRST),
            None => (&self.first, row, 0),
        }
    }

    /// Returns row `row` of the first set, or past its end of the second, and its flags.
    pub(super) fn get(&self, row: usize) -> (MovingBox, u32) {
        let (set, row, flag) = self.set_of(row);
        let still = set.moves.is_some_and(|moves| !moves[row]);
        (set.boxes.get(row), flag | if still { STILL } else { 0 })
    }

    /// Returns the owners of the boxes, by the numbers that stand for them in pairs, if any are known and there is a single set.
    pub(super) fn owner(&self) -> Option<OwnerOf<'a>> {
        self.first.owner().filter(|_| self.second.is_none())
    }

    /// Returns the owner of a row of the only set, or 0.
    pub(super) fn owner_of_row(&self, row: u32) -> u32 {
        let slot = self.first.slot(row as usize).unwrap_or(row);
        self.owner().map_or(0, |owner| owner(slot))
    }

    /// Removes the pairs that the test excludes, and replaces rows by labels, while the pairs are still in the cache.
    pub(super) fn finish<P: FoundPair>(&self, run: &mut PairRun<P>, test: Option<PairTest<'_>>) {
        if let Some(test) = test {
            run.pairs.retain_allowed(test);
        }
        let pairs = run.pairs.as_mut_slice();
        match self.second {
            None => label_rows(pairs, [self.first.labels; 2], true),
            Some(second) => label_rows(pairs, [self.first.labels, second.labels], false),
        }
    }

    /// Returns the rows of chunk `index`. A chunk has at most `size` rows, all of one set.
    fn part(&self, index: usize, size: usize) -> ChunkRows<'a> {
        let of_first = self.first.len().div_ceil(size);
        let cut = |set: &PairInput<'a>, index: usize| {
            let rows = index * size..set.len().min((index + 1) * size);
            (set.slice(rows.clone()), rows.start)
        };
        match &self.second {
            None => {
                let (set, first_row) = cut(&self.first, index);
                ChunkRows { set, first_row, first_id: first_row as u32 }
            }
            Some(_) if index < of_first => {
                let (set, first_row) = cut(&self.first, index);
                ChunkRows { set, first_row, first_id: first_row as u32 | OF_FIRST }
            }
            Some(second) => {
                let (set, first_row) = cut(second, index - of_first);
                let first_id = (self.first.len() + first_row) as u32 | OF_SECOND;
                ChunkRows { set, first_row, first_id }
            }
        }
    }
}

impl<R: StripPairs> FinderPasses<R> {
    /// Finds the pairs on these threads. `take` is called with each run, and with memory, on the thread that
    /// found its pairs, while they are still in the cache.
    pub(crate) fn find<'a>(
        &'a mut self,
        input: &FinderInput<'_>,
        threads: &'a Threads,
        sample: &mut Sample,
        scatterers: &mut Vec<ScatterScratch>,
        take: &TakeRun<'_, R::Found>,
    ) -> Result<Pairs<'a, R::Found>, FindError> {
        let fill_threads = input.check(threads)?;
        let timings = fill_threads
            .enter(|| self.fill(input, fill_threads, (sample, scatterers), take, &mut |_, _| true));
        self.found(input, threads, timings.unwrap_or_default())
    }

    /// Returns the pairs that were found, or an error if there are too many.
    pub(super) fn found<'a>(
        &'a mut self,
        input: &FinderInput<'_>,
        threads: &'a Threads,
        timings: Timings,
    ) -> Result<Pairs<'a, R::Found>, FindError> {
        let rejected = self.rejected.split_at(self.rejected_of_first);
        self.pairs.found(input.pairs_max, threads, rejected, timings)
    }

    /// Fills the runs and returns the time of each pass; `None` if the choice of the grid is not accepted.
    pub(super) fn fill(
        &mut self,
        input: &FinderInput<'_>,
        threads: &Threads,
        (sample, scatterers): (&mut Sample, &mut Vec<ScatterScratch>),
        take: &TakeRun<'_, R::Found>,
        accept: &mut dyn FnMut(&Choice, &FilterWords) -> bool,
    ) -> Option<Timings> {
        let mut clock = Clock::start();
        let workers = threads.workers();
        lengthen_by_default(scatterers, workers);
        lengthen_by_default(&mut self.sweepers, workers);
        sample.level = input.level;
        let get = |row| input.get(row);
        let (mut chosen, mut scatter, mut rejected) = (Duration::ZERO, Duration::ZERO, 0);
        let sizes @ (_, active) = (input.len(), input.active());
        let words = &input.filter_words(threads);
        let mut choice = choose(sizes, &get, R::HAS_PATH, rejected, sample);
        if !accept(&choice, words) {
            return None;
        }
        let chunks = loop {
            chosen += clock.lap();
            let scatterers = &mut scatterers[..workers];
            let chunks = self.scatter(input, threads, (&choice, words), scatterers);
            if let Some(chunks) = chunks {
                self.count_records(chunks, &choice.grid);
            }
            let check = match chunks {
                Some(chunks) => match self.check((input.level, sizes), (&choice, chunks), sample) {
                    GridCheck::Wrong if rejected > 0 => GridCheck::Accepted,
                    check => check,
                },
                None => GridCheck::Wrong,
            };
            scatter += clock.lap();
            choice = match (chunks, check) {
                (Some(chunks), GridCheck::Accepted) => break chunks,
                (_, GridCheck::JoinIsCheaper) => choice.join_instead(),
                // A join of few boxes with the others is cheap, so no other grid is looked for.
                (Some(_), _) if active <= input.len() / FEW_ACTIVE => choice.join_instead(),
                _ => {
                    rejected += 1;
                    choose(sizes, &get, R::HAS_PATH, rejected, sample)
                }
            };
        };
        let Choice { grid, joined, .. } = choice;
        let (runs, share, longest) = self.divide_into_runs(&grid);
        scatter += clock.lap();
        let sweepers = &mut self.sweepers[..workers];
        // A single strip is always swept by the first worker.
        let sweeping = if grid.strips() == 1 { 1 } else { workers };
        let (chunks, lengths) = (&self.chunks[..chunks], &self.lengths[..]);
        let filters = [input.first.filters, input.second.unwrap_or(input.first).filters];
        let of_filters = |rows| filters_allow(filters, rows);
        let test = input.first.test(words.exact, &of_filters);
        let (level, limit) = (input.level, &PairLimit::new(input.pairs_max, test));
        let owner = input.owner();
        let second_row = input.second.map_or(0, |_| input.first.len() as u32);
        let (grid, divided_rows) = (&grid, share.max(DIVIDED_ROWS_MIN));
        let pass = &StripPass {
            level,
            grid,
            chunks,
            lengths,
            limit,
            second_row,
            filtered: input.is_filtered(),
            owner,
            divided_rows,
            joined,
        };
        let find = |sweeper: &mut Sweeper<R>, _, run: &mut PairRun<R::Found>| {
            run.left = pass.find(run.strips.clone(), &mut sweeper.strip, &mut run.pairs);
            input.finish(run, test);
            take(run, &mut sweeper.pairs);
        };
        let reserve = |sweeper: &mut Sweeper<R>, rows| sweeper.strip.reserve(rows);
        let longest_of = |run: &PairRun<R::Found>| run.longest;
        let (all, length) = (&mut sweepers[..sweeping], (&longest_of as _, SHORT_STRIP));
        par::for_each_by_length(threads, all, self.pairs.keep(runs), length, &reserve, &find);
        for run in 0..runs {
            let Some(strip) = self.pairs.run(run).left else { continue };
            // Its columns usually are still in the memory of the worker that found it crowded.
            let loaded = sweepers[..sweeping].iter().position(|of| of.strip.has_loaded(strip));
            let scratch = &mut sweepers[loaded.unwrap_or(0)].strip;
            let found = pass.divide(strip, threads, scratch, &mut self.join, &mut self.pairs);
            par::for_each(threads, sweepers, found, &|sweeper, _, run| {
                input.finish(run, test);
                take(run, &mut sweeper.pairs);
            });
        }
        // Any worker may take any run, so reserve the largest capacity seen for all of them.
        let most = most_of(sweepers, |sweeper| sweeper.pairs.capacity());
        let peaks = sweepers.iter_mut().map(|sweeper| sweeper.strip.take_join_peak());
        let peak = peaks.max().unwrap_or(0);
        for (k, Sweeper { strip, pairs }) in sweepers.iter_mut().enumerate() {
            reserve_total(pairs, most);
            strip.reserve_join(if k < sweeping { peak } else { 0 }, longest.min(divided_rows));
        }
        self.pairs.reserve_spare(RUNS);
        Some(Timings { choose: chosen, scatter, sweep: clock.lap() })
    }

    /// Fills the chunks and returns their number; `None` if there are more records than the choice allows.
    fn scatter(
        &mut self,
        input: &FinderInput<'_>,
        threads: &Threads,
        (choice, words): (&Choice, &FilterWords),
        scatterers: &mut [ScatterScratch],
    ) -> Option<usize> {
        let (size, _) = chunk_rows(input.len());
        let of_first = input.first.len().div_ceil(size);
        let count = input.sum_of_sets(|set| set.len().div_ceil(size));
        lengthen_by_default(&mut self.chunks, count);
        let chunks = &mut self.chunks[..count];
        let strips = Grid::strips_max(input.len()) as usize;
        // Any thread may take any chunk, so reserve the largest capacity seen for all of them.
        let stops = most_of(scatterers, ScatterScratch::stops);
        for scratch in &mut *scatterers {
            scratch.reserve(size, strips, stops);
            input.sets().for_each(|set| set.boxes.reserve(&mut scratch.columns, size));
        }
        for chunk in chunks.iter_mut() {
            chunk.reserve(0, strips);
            chunk.written = false;
        }
        self.lengths.clear();
        self.lengths.reserve_exact(strips);
        let (grid, prefetches) = (&choice.grid, input.len() >= PREFETCH_ROWS_MIN);
        // A chunk with more than its share is written only once it is known that all chunks together fit.
        let most = choice.records_max(input.len());
        for always in [false, true] {
            let copies = &Budget::new(if always { usize::MAX } else { most });
            par::for_each(threads, scatterers, chunks, &|scratch, index, chunk| {
                if chunk.written {
                    return;
                }
                let part = input.part(index, size);
                let rows = part.set.len();
                let records_max = if always { usize::MAX } else { choice.records_max(2 * rows) };
                let mut columns = core::mem::take(&mut scratch.columns);
                let mut padding = Padding::NEW;
                let boxes = padding.pad(part.set.boxes.columns(&mut columns));
                let level = input.level;
                Scatter {
                    level,
                    grid,
                    part,
                    words,
                    boxes,
                    scratch,
                    chunk,
                    records_max,
                    copies,
                    prefetches,
                }
                .run();
                scratch.columns = columns;
            });
            let records = sum_of(chunks, Chunk::records);
            if !copies.spend(0) || records > most {
                return None;
            }
            if chunks.iter().all(|chunk| chunk.written) {
                break;
            }
        }
        self.rejected.clear();
        self.rejected_of_first = 0;
        for (index, chunk) in chunks.iter().enumerate() {
            self.rejected.extend_from_slice(&chunk.rejected);
            if index < of_first {
                self.rejected_of_first = self.rejected.len();
            }
        }
        Some(count)
    }

    /// Counts the records of each strip.
    fn count_records(&mut self, chunks: usize, grid: &Grid) {
        self.lengths.clear();
        self.lengths.resize(grid.strips(), 0);
        self.chunks[..chunks].iter().for_each(|chunk| chunk.add_lengths(&mut self.lengths));
    }

    /// Checks the comparisons that the strips of a grid need for this many boxes, of which this many are active.
    fn check(
        &mut self,
        (level, sizes): (Level, (usize, usize)),
        (choice, chunks): (&Choice, usize),
        sample: &mut Sample,
    ) -> GridCheck {
        let Self { chunks: all, lengths, sweepers, .. } = self;
        let (grid, chunks) = (&choice.grid, &all[..chunks]);
        if grid.strips() == 1 || sizes.0 < ESTIMATED_ROWS_MIN {
            return GridCheck::Accepted;
        }
        let columns = sweepers[0].strip.columns_for_sample();
        GridRecords { level, grid, chunks, lengths }.check(sizes, choice, columns, sample)
    }

    /// Splits the strips into runs of about equal work. Returns their number, the number of records at which a run ends,
    /// and that of the longest strip.
    fn divide_into_runs(&mut self, grid: &Grid) -> (usize, usize, usize) {
        let records = sum_of(&self.lengths, |&length| length);
        let per_run = records.div_ceil(RUNS).max(1);
        // A grid may have more strips in the next tick; few boxes have one strip in each tick.
        let all = self.pairs.start(if grid.strips() == 1 { 1 } else { RUNS_MAX });
        let (mut runs, mut start, mut filled, mut longest) = (0, 0, 0, 0);
        for (strip, &here) in self.lengths.iter().enumerate() {
            filled += here;
            longest = longest.max(here);
            let last = strip + 1 == grid.strips();
            if filled >= per_run || last && filled > 0 {
                (all[runs].strips, all[runs].longest) = (start..strip + 1, longest);
                (runs, start, filled, longest) = (runs + 1, strip + 1, 0, 0);
            }
        }
        (runs, per_run, most_of(&all[..runs], |run| run.longest))
    }
}

impl<R: StripPairs> FinderPasses<R> {
    pub(crate) fn reserve(&mut self, boxes: usize, pairs: usize) {
        let (_, chunks) = chunk_rows(boxes);
        lengthen_by_default(&mut self.chunks, chunks);
        let strips = Grid::strips_max(boxes) as usize;
        for chunk in &mut self.chunks {
            chunk.reserve(boxes.div_ceil(chunks.max(1)), strips);
        }
        self.pairs.reserve(RUNS_MAX, pairs);
    }

    pub(crate) fn shrink_to(&mut self, boxes: usize, pairs: usize) {
        let (_, chunks) = chunk_rows(boxes);
        self.chunks.truncate(chunks);
        self.chunks.iter_mut().for_each(|chunk| chunk.shrink_to(boxes.div_ceil(chunks.max(1))));
        self.chunks.shrink_to_fit();
        self.pairs.shrink_to(RUNS_MAX, pairs);
        (self.sweepers, self.lengths) = (Vec::new(), Vec::new());
        self.rejected.clear();
        self.rejected.shrink_to(boxes);
        self.rejected_of_first = 0;
        self.join = DividedJoin::default();
    }
}

#[cfg(test)]
mod tests {
    use super::{FinderInput, FinderPasses, Sweeper};
    use crate::broadphase::pairs::input::PairInput;
    use crate::broadphase::strips::choose::choose;
    use crate::broadphase::strips::cost_check::GridCheck;
    use crate::broadphase::strips::grid::Sample;
    use crate::broadphase::strips::record::{SweptRecord, UnionRecord};
    use crate::broadphase::strips::scatter::ScatterScratch;
    use crate::columns::MovingBoxColumns;
    use crate::lanes::{LANES_MAX, Level};
    use crate::par::Threads;
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};
    use scenes::{Scene, World};

    /// Number of boxes, and of those in the sample from which a grid is chosen.
    const ROWS: usize = 24_576;
    const SAMPLES: usize = 96;

    /// Returns the columns of a world of equal boxes, and of long boxes in every fourth row that is not in the sample of a grid. A long box extends over the
    /// whole world on two axes or on the last one.
    fn columns(extents: [f32; 3], sides: [f32; 3], long: Option<[bool; 3]>) -> [Vec<f32>; 9] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut columns: [Vec<f32>; 9] = Default::default();
        for row in 0..ROWS {
            let long = long.filter(|_| row % 4 == 1 && row % (ROWS / SAMPLES) != 0);
            for (axis, extent) in extents.into_iter().enumerate() {
                let low = rng.random_range(0.0..extent);
                let (low, side) = match long {
                    Some(long) if long[axis] => (0.0, extent),
                    Some(_) => (low, 1e-4),
                    None => (low, sides[axis]),
                };
                columns[axis].push(low);
                columns[3 + axis].push(low + side);
                columns[6 + axis].push(0.0);
            }
        }
        columns
    }

    /// Chooses a grid, copies the boxes and checks their comparisons. Returns the result, if there are few enough copies.
    fn scattered(columns: &[Vec<f32>; 9]) -> Option<GridCheck> {
        let columns = columns.each_ref().map(Vec::as_slice);
        let first = PairInput::new(MovingBoxColumns::from_columns(columns).unwrap());
        let input =
            FinderInput { level: Level::detect(), pairs_max: usize::MAX, first, second: None };
        let (get, sample) = (|row| input.get(row), &mut Sample::default());
        let rows = input.len();
        let choice = choose((rows, rows), &get, false, 0, sample);
        assert!(choice.grid.strips() > 1, "one strip");
        let mut passes = FinderPasses::<UnionRecord>::default();
        passes.sweepers.push(Sweeper::default());
        let scratch = &mut [ScatterScratch::default()];
        let (threads, words) = (&Threads::one(), &input.filter_words(&Threads::one()));
        let chunks = passes.scatter(&input, threads, (&choice, words), scratch)?;
        passes.count_records(chunks, &choice.grid);
        Some(passes.check((input.level, (rows, rows)), (&choice, chunks), sample))
    }

    /// Goal: a grid is rejected where the sample misses boxes that overlap many strips, so that there are more records than its
    /// choice allows. Method: a grid that is chosen from small boxes; a world of these boxes, and one in
    /// which each fourth row has a plate across all strips, except the rows of the sample.
    #[test]
    fn a_grid_is_rejected_where_its_sample_missed_large_boxes() {
        let rejected = [None, Some([true, true, false])].map(|plates| {
            let columns = columns([16.0, 16.0, 64.0], [0.5; 3], plates);
            scattered(&columns).is_none()
        });
        assert_eq!(rejected, [false, true]);
    }

    /// Goal: a grid is rejected before the strips of all long paths are computed. Method: plates that move, in each fourth row except those of
    /// the sample; the strips that fit into the memory of the only worker, which grows by factors of two.
    #[test]
    fn few_strips_are_computed_where_a_sample_missed_long_paths() {
        let mut columns = columns([16.0, 16.0, 64.0], [0.05; 3], Some([true, true, false]));
        let sides = columns[3].iter().zip(&columns[0]).map(|(high, low)| high - low);
        columns[6] = sides.map(|side| if side == 16.0 { 8.0 } else { 0.0 }).collect();
        let columns = columns.each_ref().map(Vec::as_slice);
        let first = PairInput::new(MovingBoxColumns::from_columns(columns).unwrap());
        let input =
            FinderInput { level: Level::detect(), pairs_max: usize::MAX, first, second: None };
        let choice = choose((ROWS, ROWS), &|row| input.get(row), true, 0, &mut Sample::default());
        let (threads, scratch) = (&Threads::one(), &mut [ScatterScratch::default()]);
        let words = &input.filter_words(threads);
        let chunks = FinderPasses::<SweptRecord>::default().scatter(
            &input,
            threads,
            (&choice, words),
            scratch,
        );
        assert!(choice.grid.strips() > 16 && chunks.is_none(), "{choice:?}");
        let most = 2 * (choice.records_max(ROWS) + LANES_MAX * choice.grid.strips());
        assert!(scratch[0].stops() <= most, "{} of {most}", scratch[0].stops());
    }

    /// Goal: a grid is too expensive where the sample misses boxes that overlap many others along the strips, although they are not copied to more strips than
    /// others. Method: boxes so wide that there are few strips, but not so wide that these are slices; a world of these boxes, and one with sticks along the strips.
    #[test]
    fn a_grid_is_too_expensive_where_its_sample_missed_boxes_along_the_strips() {
        let expensive = [None, Some([false, false, true])]
            .map(|sticks| scattered(&columns([16.0, 16.0, 64.0], [1.5, 1.5, 0.01], sticks)));
        assert_eq!(expensive, [Some(GridCheck::Accepted), Some(GridCheck::Wrong)]);
    }

    /// Goal: all boxes are joined where the strips need many comparisons for each box, although not far more than their price assumes. Method: a flat scene with plates,
    /// of which the records in each strip show the comparisons; even scenes, of which the densest one is compared most.
    #[test]
    fn strips_with_many_comparisons_are_joined() {
        for scene in [Scene::Uniform, Scene::Dense, Scene::Pile, Scene::Boards] {
            let world = World::new(scene, 20_000, 1);
            let columns: [Vec<f32>; 9] = core::array::from_fn(|k| {
                [&world.min, &world.max, &world.delta][k / 3][k % 3].clone()
            });
            let joined = scattered(&columns) == Some(GridCheck::JoinIsCheaper);
            assert_eq!(joined, scene == Scene::Boards, "{scene}");
        }
    }
}
