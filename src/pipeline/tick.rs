//! Runs the stages of a tick, and measures them.

use super::bounds::SceneBounds;
use super::convex;
use super::impacts::{Impact, ImpactKind, List};
use super::rows::Gathered;
use super::scene::{Config, PipelineError, Scene};
use super::windows::{ShapeTest, TickContext, WindowRun};
use super::world::ProxyRows;
use crate::broadphase::{PairFinder, PairInput, Pairs, Timings};
use crate::columns::{MovingBoxColumns, Rejected};
use crate::geom::{Pair, SweptPair};
use crate::lanes::Level;
use crate::narrowphase::toi::Toi;
use crate::par::{self, Clock, Threads};
use alloc::vec::Vec;
use core::time::Duration;

/// The time of each stage of a tick, and what it did with the pairs. Times are zero without the
/// feature `std`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TickStats {
    /// Time to compute the bounds of the bodies.
    pub bounds_time: Duration,
    /// Time to find the pairs of those bounds.
    pub pairs_time: Duration,
    /// `pairs_time` split by step of the pair finder.
    pub finder: Timings,
    /// Time to sweep the bounds, and to answer pairs of plain boxes.
    pub windows_time: Duration,
    /// Time to find the first times of contact of convex shapes.
    pub convex_time: Duration,
    /// Time to sort the impacts.
    pub sort_time: Duration,
    /// Pairs whose bounds touch in the tick.
    pub candidates: usize,
    /// Candidates that were dropped because neither body is fast, marked or a sensor.
    pub slow: usize,
    /// Impacts of two plain boxes.
    pub boxes: usize,
    /// Pairs that the boxes proved apart, or touching in a way that does not count.
    pub apart: usize,
    /// Pairs whose shapes were tested.
    pub convex: usize,
    /// Tested pairs that are apart for the whole tick, or touch in a way that does not count.
    pub separated: usize,
    /// Tested pairs whose search was given up.
    pub unresolved: usize,
    /// Iterations of the search, over all tested pairs.
    pub rounds: u64,
    /// Impacts that are reported.
    pub impacts: usize,
    /// Impacts that are left out because both bodies have reached the limit.
    pub limited: usize,
    /// Impacts with sensors that are reported.
    pub sensed: usize,
}

impl TickStats {
    /// The sum of the times of all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.bounds_time + self.pairs_time + self.windows_time + self.convex_time + self.sort_time
    }

    /// Adds the counts of `part`.
    fn add(&mut self, part: &Self) {
        self.candidates += part.candidates;
        self.slow += part.slow;
        self.boxes += part.boxes;
        self.apart += part.apart;
        self.convex += part.convex;
    }
}

/// The impacts of a tick, in the memory of the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct TickOutput<'a> {
    impacts: &'a [Impact],
    sensed: &'a [Impact],
    parts: &'a [WindowRun],
    rejected: &'a [Rejected],
    stages: &'a TickStats,
}

impl<'a> TickOutput<'a> {
    /// The impacts, ordered by time, then by pair.
    #[must_use]
    pub fn impacts(&self) -> &'a [Impact] {
        self.impacts
    }

    /// All impacts with a [sensor](super::BodyFlags::SENSOR) along the path, ordered by time, then by
    /// pair.
    #[must_use]
    pub fn sensed(&self) -> &'a [Impact] {
        self.sensed
    }

    /// Pairs that were dropped because both bodies are slow, in the order of the finder. Their
    /// bounds touch in the tick.
    pub fn slow(&self) -> impl Iterator<Item = Pair> + use<'a> {
        self.parts.iter().flat_map(|part| &part.slow).copied()
    }

    /// The invalid rows, in order. They have no pairs.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }

    /// The time of each stage, and what it did with the pairs.
    #[must_use]
    pub fn stages(&self) -> &'a TickStats {
        self.stages
    }
}

impl<'a> IntoIterator for TickOutput<'a> {
    type Item = &'a Impact;
    type IntoIter = core::slice::Iter<'a, Impact>;

    fn into_iter(self) -> Self::IntoIter {
        self.impacts.iter()
    }
}

/// The continuous collision pipeline: computes the impacts of a tick.
///
/// It keeps only memory between ticks. See the [module](crate::pipeline) for the stages.
///
/// ```
/// use swath::pipeline::Config;
/// use swath::{ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};
///
/// // Two thin walls, and a ball that flies through both.
/// let min = [[3.0, 6.0, 0.0], [-5.0, -5.0, 0.0], [-5.0, -5.0, 0.0]];
/// let max = [[3.1, 6.1, 0.0], [5.0, 5.0, 0.0], [5.0, 5.0, 0.0]];
/// let still = [0.0; 3];
/// let boxes =
///     MovingBoxColumns::new([&min[0], &min[1], &min[2]], [&max[0], &max[1], &max[2]], [&still; 3])?;
/// let motion = Motion::new(Pose::at([0.0; 3])?, [10.0, 0.0, 0.0])?;
/// let ball = [ConvexBody { row: 2, shape: Shape::sphere(1.0)?, motion }];
///
/// let mut pipeline = Pipeline::new(Config::default());
/// let ticked = pipeline.tick(&Scene::new(boxes).convex(&ball))?;
/// let [first, second] = ticked.impacts() else { panic!("two walls") };
/// assert_eq!((first.pair.a, first.pair.b, second.pair.a), (0, 2, 1));
/// assert!(first.toi <= 0.2 && first.toi > 0.1999);
/// assert_eq!(first.normal, [-1.0, 0.0, 0.0]); // from the wall to the ball
/// assert_eq!(ticked.stages().convex, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    config: Config,
    level: Level,
    threads: Threads,
    finder: PairFinder,
    work: TickScratch,
    pub(super) proxies: ProxyRows,
}

/// Scratch memory of the stages, and the results of the last tick.
#[derive(Debug, Default)]
pub(super) struct TickScratch {
    pub(super) bounds: SceneBounds,
    gathered: Gathered,
    /// One for each run of pairs; the first `filled` belong to this tick.
    pub(super) parts: Vec<WindowRun>,
    pub(super) filled: usize,
    asks: Vec<ShapeTest>,
    tois: Vec<Toi>,
    pub(super) impacts: List,
    pub(super) sensed: List,
    pub(super) rejected: Vec<Rejected>,
    pub(super) stages: TickStats,
}

impl Default for Pipeline {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl Pipeline {
    /// Creates a pipeline that uses the widest SIMD level of this CPU.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self::with_level(config, Level::detect())
    }

    /// Creates a pipeline that uses `level`. The impacts are the same for every level.
    #[must_use]
    pub fn with_level(config: Config, level: Level) -> Self {
        Self {
            config,
            level,
            threads: Threads::default(),
            finder: PairFinder::with_level(level),
            work: TickScratch::default(),
            proxies: ProxyRows::default(),
        }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    pub(super) fn level(&self) -> Level {
        self.level
    }

    pub(super) fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Sets the settings for later ticks.
    pub fn set_config(&mut self, config: Config) {
        self.config = config;
    }

    /// Sets the threads for later ticks. The impacts are the same for every choice.
    pub fn set_threads(&mut self, threads: Threads) {
        self.finder.set_threads(threads.clone());
        self.threads = threads;
    }

    /// Limits the number of candidate pairs, like [`PairFinder::set_pairs_max`]. A tick with more
    /// is an error.
    pub fn set_pairs_max(&mut self, most: usize) {
        self.finder.set_pairs_max(most);
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.finder.memory_usage() + self.work.bytes() + self.proxies.bytes()
    }

    /// Runs the first stage only: the moving boxes that contain the bodies, including the target
    /// distance.
    ///
    /// The box of an invalid body is invalid.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns.
    pub fn bounds<'a>(
        &'a mut self,
        scene: &Scene<'a, '_>,
    ) -> Result<MovingBoxColumns<'a>, PipelineError> {
        self.config.validate()?;
        scene.check()?;
        self.work.bounds.fill(scene, &self.config, self.level, &self.threads);
        Ok(self.work.bounds.boxes(scene))
    }

    /// Runs all stages: finds the impacts of the tick.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns, or that there are more
    /// pairs than allowed.
    pub fn tick(&mut self, scene: &Scene<'_, '_>) -> Result<TickOutput<'_>, PipelineError> {
        self.config.validate()?;
        scene.check()?;
        let Self { config, level, threads, finder, work, .. } = self;
        // Enter the pool once, so that the parallel steps do not have to wake its threads each
        // time.
        threads.enter(|| find(scene, config, *level, threads, finder, work))?;
        Ok(self.last())
    }

    /// The result of the last tick of columns.
    fn last(&self) -> TickOutput<'_> {
        let work = &self.work;
        TickOutput {
            impacts: &work.impacts.sorted,
            sensed: &work.sensed.sorted,
            parts: &work.parts[..work.filled],
            rejected: &work.rejected,
            stages: &work.stages,
        }
    }

    /// Runs the stages after the pair finder, for pairs of `scene` that were found elsewhere.
    pub(super) fn answer(&mut self, scene: &Scene<'_, '_>, pairs: &[SweptPair]) -> &TickScratch {
        let Self { config, level, threads, work, .. } = self;
        let (chunk, count) = (|index| chunk_of(pairs, index), pairs.len().div_ceil(CHUNK));
        threads.enter(|| {
            let mut clock = Clock::start();
            work.stages = TickStats::default();
            work.bounds.fill(scene, config, *level, threads);
            work.stages.bounds_time = clock.lap();
            let bounds = core::mem::take(&mut work.bounds);
            let known = TickContext { scene, config, bounds: &bounds, boxes: bounds.boxes(scene) };
            work.ask(&known, *level, threads, (&chunk, count), &mut clock);
            work.search(&known, threads, &mut clock);
            work.bounds = bounds;
        });
        work
    }

    /// Sets the time that finding the pairs took elsewhere.
    pub(super) fn set_pairs_time(&mut self, time: Duration) {
        self.work.stages.pairs_time = time;
    }

    /// The stages and the proxies of the last tick.
    pub(super) fn told(&self) -> (&TickStats, &ProxyRows) {
        (&self.work.stages, &self.proxies)
    }
}

/// Pairs of one task, if no finder has divided them.
const CHUNK: usize = 1024;

fn chunk_of(pairs: &[SweptPair], index: usize) -> &[SweptPair] {
    &pairs[index * CHUNK..pairs.len().min((index + 1) * CHUNK)]
}

/// Finds the pairs of a scene and answers them.
fn find(
    scene: &Scene<'_, '_>,
    config: &Config,
    level: Level,
    threads: &Threads,
    finder: &mut PairFinder,
    work: &mut TickScratch,
) -> Result<(), PipelineError> {
    let mut clock = Clock::start();
    work.stages = TickStats::default();
    work.bounds.fill(scene, config, level, threads);
    work.stages.bounds_time = clock.lap();
    // Moved out of `work`, so that the stages can borrow it beside the rest.
    let bounds = core::mem::take(&mut work.bounds);
    let found = pairs(scene, &bounds, finder);
    let answered = found.map(|found| {
        work.stages.finder = found.timings();
        work.stages.pairs_time = clock.lap();
        work.rejected.clear();
        work.rejected.extend(found.rejected().iter().map(|&rejected| Rejected {
            reason: bounds.invalid(scene, rejected.row).unwrap_or(rejected.reason),
            ..rejected
        }));
        let known = TickContext { scene, config, bounds: &bounds, boxes: bounds.boxes(scene) };
        let (chunk, count) = (|index| found.chunk(index), found.chunk_count());
        work.ask(&known, level, threads, (&chunk, count), &mut clock);
        work.search(&known, threads, &mut clock);
    });
    work.bounds = bounds;
    answered
}

/// The pairs whose bounds touch in the tick.
fn pairs<'f>(
    scene: &Scene<'_, '_>,
    bounds: &SceneBounds,
    finder: &'f mut PairFinder,
) -> Result<Pairs<'f, SweptPair>, PipelineError> {
    let mut set = PairInput::new(bounds.boxes(scene));
    if let Some(moves) = bounds.moves(scene) {
        set = set.moving(moves);
    }
    if let Some(filters) = scene.filters {
        set = set.filtered(filters);
    }
    Ok(finder.swept_pairs(set)?)
}

impl TickScratch {
    /// Answers `count` runs of pairs by their boxes, and lists the pairs whose shapes must be tested.
    fn ask<'p>(
        &mut self,
        known: &TickContext<'_, '_>,
        level: Level,
        threads: &Threads,
        (run, count): (&(dyn Fn(usize) -> &'p [SweptPair] + Sync), usize),
        clock: &mut Clock,
    ) {
        let Self { gathered, parts, filled, asks, stages, .. } = self;
        parts.resize_with(count.max(parts.len()), WindowRun::default);
        *filled = count;
        let parts = &mut parts[..count];
        // Elements without size need no memory.
        let mut workers = alloc::vec![(); threads.workers()];
        let pairs = (0..count).map(|index| run(index).len()).sum();
        gathered.fill(known, pairs, threads);
        par::for_each(&mut workers, parts, &|(), index, part| {
            part.fill(known, gathered, level, run(index));
        });
        asks.clear();
        for part in &*parts {
            stages.add(&part.counts);
            asks.extend_from_slice(&part.asks);
        }
        stages.windows_time = clock.lap();
    }

    /// Tests the shapes of the listed pairs, and sorts all impacts.
    fn search(&mut self, known: &TickContext<'_, '_>, threads: &Threads, clock: &mut Clock) {
        let Self { parts, filled, asks, tois, impacts, sensed, stages, .. } = self;
        let parts = &parts[..*filled];
        impacts.more.clear();
        sensed.more.clear();
        convex::fill(known, asks, threads, tois);
        for (ask, toi) in asks.iter().zip(&*tois) {
            stages.rounds += u64::from(toi.rounds);
            let Some(impact) = Impact::from_toi(ask.pair, ask.window, toi) else {
                stages.separated += 1;
                continue;
            };
            stages.unresolved += usize::from(impact.kind == ImpactKind::Unresolved);
            if ask.sensor { &mut *sensed } else { &mut *impacts }.more.push(impact);
        }
        stages.convex_time = clock.lap();

        let rows = known.scene.len();
        let limit = known.config.impacts_per_body;
        stages.limited =
            impacts.sort((parts.len(), &|at| &parts[at].impacts), limit, rows, threads);
        sensed.sort((parts.len(), &|at| &parts[at].sensed), 0, rows, threads);
        (stages.impacts, stages.sensed) = (impacts.sorted.len(), sensed.sorted.len());
        stages.sort_time = clock.lap();
    }

    fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(WindowRun::bytes).sum();
        self.bounds.bytes()
            + self.gathered.bytes()
            + parts
            + self.asks.capacity() * size_of::<ShapeTest>()
            + self.tois.capacity() * size_of::<Toi>()
            + self.impacts.bytes()
            + self.sensed.bytes()
    }
}
