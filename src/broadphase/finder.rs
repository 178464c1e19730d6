//! Which pairs of many moving boxes meet in this tick?

use super::found::{Found, Run};
use super::grid::{Grid, Sample};
use super::scatter::{self, Chunk, ROW, SWEPT_WORDS, Scatter, UNION_WORDS};
use super::strip::{self, SweptStrips, UnionStrips};
use crate::geom::{Pair, SweptPair};
use crate::lanes::Level;
use crate::par::{self, Budget, Threads};
use crate::store::{Boxes, LengthMismatch, Rejected};
use alloc::vec::Vec;
use core::time::Duration;

/// Most boxes of a chunk: what it reads and writes should stay in a core's own cache.
const CHUNK_ROWS_MAX: usize = 16 * 1024;
/// Fewest boxes of a chunk, that visiting it be worth the while.
const CHUNK_ROWS_MIN: usize = 1024;
/// Into how many chunks few boxes are cut, for the threads to share.
const CHUNKS: usize = 16;
/// Into about how many runs the strips are cut, for the threads to share.
const RUNS: usize = 128;
/// Each run but the last has at least its share of the records.
const RUNS_MAX: usize = RUNS + 1;

/// Why pairs could not be looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindError {
    /// The flags are not one for each box.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// More boxes than the finder can number.
    #[error("{rows} boxes; at most 2^29 fit")]
    TooManyBoxes {
        /// How many.
        rows: usize,
    },
    /// More pairs than [`PairFinder::set_pairs_max`] or
    /// [`FixedBoxes::set_pairs_max`](super::FixedBoxes::set_pairs_max) allows. None is given out.
    #[error("{found} pairs, and at most {most} are allowed")]
    TooManyPairs {
        /// How many there are, exactly.
        found: usize,
        /// How many are allowed.
        most: usize,
    },
}

/// Finds all pairs of boxes that meet in a tick.
///
/// It keeps nothing between ticks but memory: after a tick or two of like size, finding allocates
/// nothing, also when the pairs become a few per cent more. It works on the [`Threads`] it is given,
/// by default those of the `rayon` pool it is called in.
///
/// ```
/// use swath::{Boxes, PairFinder};
///
/// // A bullet that flies through a thin wall, and a bird above.
/// let min = [[-9.0, 0.0, -9.0], [0.0, -5.0, 8.0], [0.0, -5.0, 0.0]];
/// let max = [[-8.9, 0.1, -8.0], [0.1, 5.0, 9.0], [0.1, 5.0, 1.0]];
/// let delta = [[20.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
/// let boxes = Boxes::new(
///     [&min[0], &min[1], &min[2]],
///     [&max[0], &max[1], &max[2]],
///     [&delta[0], &delta[1], &delta[2]],
/// )?;
///
/// let mut finder = PairFinder::new();
/// let found = finder.swept_pairs(boxes, None)?;
/// for pair in found.sorted() {
///     assert_eq!((pair.a, pair.b), (0, 1));
///     assert!((pair.first - 0.445).abs() < 1e-6);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PairFinder {
    level: Level,
    threads: Threads,
    pairs_max: usize,
    sample: Sample,
    scatterers: Vec<scatter::Scratch>,
    union: Stage<Pair, UNION_WORDS>,
    swept: Stage<SweptPair, SWEPT_WORDS>,
}

/// How long the stages of a tick took; zero without the feature `std`.
///
/// Against fixed boxes nothing is chosen; movers are checked, then compared.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Timings {
    /// Choosing the grid.
    pub choose: Duration,
    /// Bounds, checks, and copying the boxes to the strips.
    pub scatter: Duration,
    /// Ordering and comparing within the strips.
    pub sweep: Duration,
}

/// Tells the time since it was last asked.
pub(super) struct Clock {
    #[cfg(feature = "std")]
    last: std::time::Instant,
}

impl Clock {
    pub(super) fn start() -> Self {
        Self {
            #[cfg(feature = "std")]
            last: std::time::Instant::now(),
        }
    }

    pub(super) fn lap(&mut self) -> Duration {
        #[cfg(feature = "std")]
        {
            let now = std::time::Instant::now();
            now - core::mem::replace(&mut self.last, now)
        }
        #[cfg(not(feature = "std"))]
        Duration::ZERO
    }
}

/// The memory of one kind of pairs.
#[derive(Debug)]
struct Stage<P, const WORDS: usize> {
    chunks: Vec<Chunk<WORDS>>,
    /// One for each thread.
    sweepers: Vec<strip::Scratch<WORDS>>,
    /// How many records each strip has.
    lengths: Vec<usize>,
    /// The first of them are of this tick; the rest is kept for a tick that needs more.
    runs: Vec<Run<P>>,
    rejected: Vec<Rejected>,
    sorted: Vec<P>,
}

impl<P, const WORDS: usize> Default for Stage<P, WORDS> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            sweepers: Vec::new(),
            lengths: Vec::new(),
            runs: Vec::new(),
            rejected: Vec::new(),
            sorted: Vec::new(),
        }
    }
}

impl Default for PairFinder {
    fn default() -> Self {
        Self::with_level(Level::detect())
    }
}

impl PairFinder {
    /// A finder that uses the widest level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A finder that uses `level`. The pairs are the same for each.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            level,
            threads: Threads::default(),
            pairs_max: usize::MAX,
            sample: Sample::default(),
            scatterers: Vec::new(),
            union: Stage::default(),
            swept: Stage::default(),
        }
    }

    /// From now on works on these threads. The pairs are the same for any.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// From now on a tick with more pairs than `most` is an error, which says how many there are;
    /// no more memory is used for pairs than about twice what so many need. At first there is no
    /// limit.
    pub fn set_pairs_max(&mut self, most: usize) {
        self.pairs_max = most;
    }

    /// Bytes of memory that the finder holds.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        let scratch: usize = self.scatterers.iter().map(scatter::Scratch::bytes).sum();
        scratch + self.sample.bytes() + self.union.bytes() + self.swept.bytes()
    }

    /// Gives back the memory that ticks of `boxes` boxes with `pairs` pairs need not have; with
    /// zeros all of it. The next ticks allocate what they need anew.
    pub fn shrink_to(&mut self, boxes: usize, pairs: usize) {
        self.union.shrink_to(boxes, pairs);
        self.swept.shrink_to(boxes, pairs);
        // These grow with the threads, not with the boxes.
        (self.scatterers, self.sample) = (Vec::new(), Sample::default());
    }

    /// Makes room for ticks of `boxes` boxes with `pairs` pairs: union pairs, and swept pairs.
    ///
    /// What a tick needs besides depends on where the boxes lie, so that the first one may still
    /// allocate.
    pub fn reserve(&mut self, boxes: usize, union_pairs: usize, swept_pairs: usize) {
        self.union.reserve(boxes, union_pairs);
        self.swept.reserve(boxes, swept_pairs);
    }

    /// The pairs whose boxes around the whole path ([`MovingBox::bounds`]) share a point.
    ///
    /// `moves[i]` tells whether row `i` moves: two rows that do not make no pair. Without flags
    /// every row does. Rows that are no boxes are listed in [`Found::rejected`].
    ///
    /// [`MovingBox::bounds`]: crate::MovingBox::bounds
    ///
    /// # Errors
    ///
    /// [`FindError`] when there is not one flag for each box, or there are more than 2²⁹ boxes, or more
    /// pairs than are allowed.
    pub fn union_pairs(
        &mut self,
        boxes: Boxes<'_>,
        moves: Option<&[bool]>,
    ) -> Result<Found<'_, Pair>, FindError> {
        let Self { level, threads, pairs_max, sample, scatterers, union, swept: _ } = self;
        let (level, budget) = (*level, &Budget::new(*pairs_max));
        let tick = Tick { level, threads, boxes, moves };
        let runs = union.find(tick, sample, scatterers, |grid, chunks, scratch, run| {
            let (strips, found) = (run.strips.clone(), &mut run.pairs);
            level.run(UnionStrips { grid, chunks, strips, scratch, found, budget });
        })?;
        union.found(runs, threads, *pairs_max)
    }

    /// The pairs that touch in the tick as [`sweep`](crate::sweep) answers it, with the first
    /// time.
    ///
    /// A subset of [`PairFinder::union_pairs`]; flags and rejected rows as there.
    ///
    /// # Errors
    ///
    /// As [`PairFinder::union_pairs`].
    pub fn swept_pairs(
        &mut self,
        boxes: Boxes<'_>,
        moves: Option<&[bool]>,
    ) -> Result<Found<'_, SweptPair>, FindError> {
        let Self { level, threads, pairs_max, sample, scatterers, union: _, swept } = self;
        let (level, budget) = (*level, &Budget::new(*pairs_max));
        let tick = Tick { level, threads, boxes, moves };
        let runs = swept.find(tick, sample, scatterers, |grid, chunks, scratch, run| {
            let (strips, found) = (run.strips.clone(), &mut run.pairs);
            level.run(SweptStrips { grid, chunks, strips, scratch, found, budget });
        })?;
        swept.found(runs, threads, *pairs_max)
    }
}

/// How many rows a chunk has, and how many chunks there are.
///
/// The pairs do not depend on these borders: a strip reads the chunks in order.
fn cut_rows(rows: usize) -> (usize, usize) {
    let size = (rows / CHUNKS).clamp(CHUNK_ROWS_MIN, CHUNK_ROWS_MAX);
    (size, rows.div_ceil(size))
}

/// What is asked.
#[derive(Clone, Copy)]
struct Tick<'a> {
    level: Level,
    threads: &'a Threads,
    boxes: Boxes<'a>,
    moves: Option<&'a [bool]>,
}

impl<P: Copy + Default + Send + Sync, const WORDS: usize> Stage<P, WORDS> {
    /// Fills the first runs and returns how many, and what it took.
    fn find(
        &mut self,
        tick: Tick<'_>,
        sample: &mut Sample,
        scatterers: &mut Vec<scatter::Scratch>,
        sweep: impl Fn(&Grid, &[Chunk<WORDS>], &mut strip::Scratch<WORDS>, &mut Run<P>) + Sync,
    ) -> Result<(usize, Timings), FindError> {
        let rows = tick.boxes.len();
        if let Some(moves) = tick.moves {
            LengthMismatch::check("the flags `moves`", rows, moves.len())?;
        }
        if rows > ROW as usize {
            return Err(FindError::TooManyBoxes { rows });
        }
        let mut clock = Clock::start();
        Ok(tick.threads.enter(|| {
            let threads = tick.threads.workers();
            scatterers.resize_with(threads.max(scatterers.len()), Default::default);
            self.sweepers.resize_with(threads.max(self.sweepers.len()), Default::default);
            let grid = Grid::choose(tick.boxes, sample);
            let choose = clock.lap();
            let chunks = self.scatter(tick, &grid, &mut scatterers[..threads]);
            let (runs, longest) = self.cut_runs(chunks, &grid);
            let scatter = clock.lap();
            let sweepers = &mut self.sweepers[..threads];
            sweepers.iter_mut().for_each(|sweeper| sweeper.reserve(longest));
            let (chunks, runs_of_tick) = (&self.chunks[..chunks], &mut self.runs[..runs]);
            par::for_each(sweepers, runs_of_tick, |sweeper, _, run| {
                sweep(&grid, chunks, sweeper, run);
            });
            self.settle(runs);
            (runs, Timings { choose, scatter, sweep: clock.lap() })
        }))
    }

    /// The pairs of the first runs, unless they are too many.
    fn found<'a>(
        &'a mut self,
        (runs, timings): (usize, Timings),
        threads: &'a Threads,
        most: usize,
    ) -> Result<Found<'a, P>, FindError> {
        let runs = &self.runs[..runs];
        let found = runs.iter().map(|run| run.pairs.found()).sum();
        if found > most {
            return Err(FindError::TooManyPairs { found, most });
        }
        Ok(Found { timings, runs, threads, sorted: &mut self.sorted, rejected: &self.rejected })
    }

    /// Leaves room to spare for a tick with a few more pairs or one with more runs.
    fn settle(&mut self, runs: usize) {
        let found: usize = self.runs[..runs].iter().map(|run| run.pairs.as_slice().len()).sum();
        let mean = found.div_ceil(RUNS);
        // A run that was not needed may be the next time.
        self.runs.iter_mut().for_each(|run| run.pairs.settle(mean));
    }

    fn bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(Chunk::bytes).sum();
        let sweepers: usize = self.sweepers.iter().map(strip::Scratch::bytes).sum();
        let runs: usize = self.runs.iter().map(|run| run.pairs.bytes() + size_of::<Run<P>>()).sum();
        let lists = self.lengths.capacity() * size_of::<usize>()
            + self.rejected.capacity() * size_of::<Rejected>()
            + self.sorted.capacity() * size_of::<P>();
        chunks + sweepers + runs + lists
    }

    fn reserve(&mut self, boxes: usize, pairs: usize) {
        let (_, chunks) = cut_rows(boxes);
        self.chunks.resize_with(chunks.max(self.chunks.len()), Chunk::default);
        let strips = Grid::strips_max(boxes) as usize;
        for chunk in &mut self.chunks {
            chunk.reserve(boxes.div_ceil(chunks.max(1)), strips);
        }
        self.runs.resize_with(RUNS_MAX.max(self.runs.len()), Run::default);
        self.runs.iter_mut().for_each(|run| run.pairs.reserve(pairs.div_ceil(RUNS)));
        self.sorted.reserve(pairs.saturating_sub(self.sorted.len()));
    }

    fn shrink_to(&mut self, boxes: usize, pairs: usize) {
        let (_, chunks) = cut_rows(boxes);
        self.chunks.truncate(chunks);
        self.chunks.iter_mut().for_each(|chunk| chunk.shrink_to(boxes.div_ceil(chunks.max(1))));
        self.chunks.shrink_to_fit();
        for run in &mut self.runs {
            run.pairs.clear();
            run.pairs.shrink_to(pairs.div_ceil(RUNS));
        }
        self.sorted.clear();
        self.sorted.shrink_to(pairs);
        (self.sweepers, self.lengths) = (Vec::new(), Vec::new());
    }

    /// Fills the first chunks and returns how many.
    fn scatter(
        &mut self,
        Tick { level, boxes, moves, .. }: Tick<'_>,
        grid: &Grid,
        scatterers: &mut [scatter::Scratch],
    ) -> usize {
        let rows = boxes.len();
        let (size, count) = cut_rows(rows);
        self.chunks.resize_with(count.max(self.chunks.len()), Chunk::default);
        let chunks = &mut self.chunks[..count];
        let strips = Grid::strips_max(rows) as usize;
        scatterers.iter_mut().for_each(|scratch| scratch.reserve(size, strips));
        chunks.iter_mut().for_each(|chunk| chunk.reserve(0, strips));
        self.lengths.clear();
        self.lengths.reserve_exact(strips);
        par::for_each(scatterers, chunks, |scratch, index, chunk| {
            let range = index * size..rows.min((index + 1) * size);
            let level = level.for_rows(range.len());
            level.run(Scatter {
                grid,
                boxes: boxes.slice(range.clone()),
                moves: moves.map(|moves| &moves[range.clone()]),
                first_row: range.start,
                scratch,
                chunk,
            });
        });
        self.rejected.clear();
        for chunk in chunks {
            self.rejected.extend_from_slice(&chunk.rejected);
        }
        count
    }

    /// Cuts the strips into runs of about equal work; returns how many, and the records of the
    /// longest strip.
    fn cut_runs(&mut self, chunks: usize, grid: &Grid) -> (usize, usize) {
        let chunks = &self.chunks[..chunks];
        self.lengths.clear();
        self.lengths.resize(grid.strips(), 0);
        for chunk in chunks {
            chunk.add_lengths(&mut self.lengths);
        }
        let records: usize = self.lengths.iter().sum();
        let wanted = records.div_ceil(RUNS).max(1);
        self.runs.resize_with(RUNS_MAX.max(self.runs.len()), Run::default);
        let (mut runs, mut start, mut filled, mut longest) = (0, 0, 0, 0);
        for (strip, &here) in self.lengths.iter().enumerate() {
            filled += here;
            longest = longest.max(here);
            let last = strip + 1 == grid.strips();
            if filled >= wanted || last && filled > 0 {
                self.runs[runs].strips = start..strip + 1;
                self.runs[runs].pairs.clear();
                (runs, start, filled) = (runs + 1, strip + 1, 0);
            }
        }
        (runs, longest)
    }
}
