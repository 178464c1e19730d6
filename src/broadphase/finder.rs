//! Which pairs of many moving boxes meet in this tick?

use super::buffer::Buffer;
use super::found::{Found, Run};
use super::grid::{Grid, Sample};
use super::scatter::{self, Chunk, ROW, SWEPT_WORDS, Scatter, UNION_WORDS};
use super::strip::{self, SweptStrips, UnionStrips};
use crate::geom::{Pair, SweptPair};
use crate::lanes::Level;
use crate::par;
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
}

/// Finds all pairs of boxes that meet in a tick.
///
/// It keeps nothing between ticks but memory: after a tick of like size, finding allocates
/// nothing. With the feature `rayon` it uses the threads of the pool it is called in
/// (`pool.install(|| finder.swept_pairs(..))`), else the global ones.
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
#[derive(Debug, Default)]
pub struct PairFinder {
    level: Level,
    sample: Sample,
    scatterers: Vec<scatter::Scratch>,
    union: Stage<Pair, UNION_WORDS>,
    swept: Stage<SweptPair, SWEPT_WORDS>,
}

/// How long the stages of a tick took; zero without the feature `std`.
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
struct Clock {
    #[cfg(feature = "std")]
    last: std::time::Instant,
}

impl Clock {
    fn start() -> Self {
        Self {
            #[cfg(feature = "std")]
            last: std::time::Instant::now(),
        }
    }

    fn lap(&mut self) -> Duration {
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

impl PairFinder {
    /// A finder that uses the widest level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A finder that uses `level`. The pairs are the same for each.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self { level, ..Self::default() }
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
    /// [`FindError`] when there is not one flag for each box, or there are more than 2²⁹ boxes.
    pub fn union_pairs(
        &mut self,
        boxes: Boxes<'_>,
        moves: Option<&[bool]>,
    ) -> Result<Found<'_, Pair>, FindError> {
        let Self { level, sample, scatterers, union, .. } = self;
        let level = *level;
        union.find(level, sample, scatterers, boxes, moves, |grid, chunks, scratch, run| {
            let (strips, found) = (run.strips.clone(), &mut run.pairs);
            level.run(UnionStrips { grid, chunks, strips, scratch, found });
        })
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
        let Self { level, sample, scatterers, swept, .. } = self;
        let level = *level;
        swept.find(level, sample, scatterers, boxes, moves, |grid, chunks, scratch, run| {
            let (strips, found) = (run.strips.clone(), &mut run.pairs);
            level.run(SweptStrips { grid, chunks, strips, scratch, found });
        })
    }
}

impl<P: Copy + Default + Send + Sync, const WORDS: usize> Stage<P, WORDS> {
    fn find(
        &mut self,
        level: Level,
        sample: &mut Sample,
        scatterers: &mut Vec<scatter::Scratch>,
        boxes: Boxes<'_>,
        moves: Option<&[bool]>,
        sweep: impl Fn(&Grid, &[Chunk<WORDS>], &mut strip::Scratch<WORDS>, &mut Run<P>) + Sync,
    ) -> Result<Found<'_, P>, FindError> {
        let rows = boxes.len();
        if let Some(moves) = moves {
            LengthMismatch::check("the flags `moves`", rows, moves.len())?;
        }
        if rows > ROW as usize {
            return Err(FindError::TooManyBoxes { rows });
        }
        let mut clock = Clock::start();
        let (runs, timings) = par::enter(|| {
            let threads = par::workers();
            scatterers.resize_with(threads.max(scatterers.len()), Default::default);
            self.sweepers.resize_with(threads.max(self.sweepers.len()), Default::default);
            let grid = Grid::choose(boxes, sample);
            let choose = clock.lap();
            let chunks = self.scatter(level, &grid, &mut scatterers[..threads], boxes, moves);
            let (runs, longest) = self.cut_runs(chunks, &grid);
            let scatter = clock.lap();
            let sweepers = &mut self.sweepers[..threads];
            sweepers.iter_mut().for_each(|sweeper| sweeper.reserve(longest));
            let (chunks, runs_of_tick) = (&self.chunks[..chunks], &mut self.runs[..runs]);
            par::for_each(sweepers, runs_of_tick, |sweeper, _, run| {
                sweep(&grid, chunks, sweeper, run);
            });
            // Another thread may get the busiest strip next time.
            let most = sweepers.iter().map(strip::Scratch::most_candidates).max().unwrap_or(0);
            sweepers.iter_mut().for_each(|sweeper| sweeper.reserve_candidates(most));
            (runs, Timings { choose, scatter, sweep: clock.lap() })
        });
        Ok(Found {
            timings,
            runs: &self.runs[..runs],
            sorted: &mut self.sorted,
            rejected: &self.rejected,
        })
    }

    /// Fills the first chunks and returns how many.
    fn scatter(
        &mut self,
        level: Level,
        grid: &Grid,
        scatterers: &mut [scatter::Scratch],
        boxes: Boxes<'_>,
        moves: Option<&[bool]>,
    ) -> usize {
        // The pairs do not depend on these borders: a strip reads the chunks in order.
        let rows = boxes.len();
        let size = (rows / CHUNKS).clamp(CHUNK_ROWS_MIN, CHUNK_ROWS_MAX);
        let count = rows.div_ceil(size);
        self.chunks.resize_with(count.max(self.chunks.len()), Chunk::default);
        let chunks = &mut self.chunks[..count];
        scatterers.iter_mut().for_each(|scratch| scratch.reserve(size, grid));
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
        let (mut runs, mut start, mut filled, mut longest) = (0, 0, 0, 0);
        for (strip, &here) in self.lengths.iter().enumerate() {
            filled += here;
            longest = longest.max(here);
            let last = strip + 1 == grid.strips();
            if filled >= wanted || last && filled > 0 {
                if runs == self.runs.len() {
                    self.runs.push(Run { strips: 0..0, pairs: Buffer::default() });
                }
                self.runs[runs].strips = start..strip + 1;
                self.runs[runs].pairs.clear();
                (runs, start, filled) = (runs + 1, strip + 1, 0);
            }
        }
        (runs, longest)
    }
}
