//! Runs the stages of a tick, and measures them.

use super::config::{Config, PipelineError};
use super::impact::{Impact, ImpactKind};
use super::proxy_rows::ProxyRows;
use super::scene::Scene;
use super::stages::bounds::SceneBounds;
use super::stages::context::{ShapeTest, TickContext};
use super::stages::convex::{PartLists, SearchWorkers};
use super::stages::row_cache::RowCache;
use super::stages::sort::SortedImpacts;
use super::stages::unused::{PlacesNeeded, truncate_lists};
use super::stages::windows::{RunsNeeded, WindowRun};
use super::stages::{candidates, convex, windows};
use super::stats::TickStats;
use crate::broadphase::PairFinder;
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::runs::{RecentMax, shrink_above};
use crate::columns::{Memory, MovingBoxColumns, Rejected, impl_memory};
use crate::geom::{Pair, SweptPair, lengthen_by_default};
use crate::lanes::Level;
use crate::meshes::toi::PartToi;
use crate::par::{self, Clock, Threads};
use alloc::vec::Vec;
use core::time::Duration;

/// The impacts of a tick, in the memory of the pipeline.
#[derive(Clone, Copy, Debug)]
pub struct TickOutput<'a> {
    impacts: &'a [Impact],
    sensed: &'a [Impact],
    runs: &'a [WindowRun],
    rejected: &'a [Rejected],
    stats: &'a TickStats,
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
        self.runs.iter().flat_map(|run| &run.slow).copied()
    }

    /// The invalid rows, in order. They have no pairs.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }

    /// The time of each stage, and what it did with the pairs.
    #[must_use]
    pub fn stats(&self) -> &'a TickStats {
        self.stats
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
/// It keeps only memory between ticks, and frees what is many times as much as the last ticks needed. See the
/// [module](crate::pipeline) for the stages.
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
/// let output = pipeline.tick(&Scene::new(boxes).convex(&ball))?;
/// let [first, second] = output.impacts() else { panic!("two walls") };
/// assert_eq!((first.pair.a, first.pair.b, second.pair.a), (0, 2, 1));
/// assert!(first.toi <= 0.2 && first.toi > 0.1999);
/// assert_eq!(first.normal, [-1.0, 0.0, 0.0]); // from the wall to the ball
/// assert_eq!(output.stats().convex, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    config: Config,
    /// The level, the threads, and the greatest number of candidate pairs. A tick with more pairs is an error; for the pairs of proxies, the
    /// limit of their broadphase counts.
    pub exec: Exec,
    finder: PairFinder,
    work: TickScratch,
    pub(super) proxies: ProxyRows,
}

impl_memory!(Pipeline { finder, work, proxies; without config, exec });

/// Scratch memory of the stages, and the results of the last tick.
#[derive(Debug, Default)]
pub(super) struct TickScratch {
    pub(super) bounds: SceneBounds,
    row_cache: RowCache,
    /// One for each run of pairs; the first `filled` belong to this tick.
    pub(super) runs: Vec<WindowRun>,
    pub(super) filled: usize,
    tests: Vec<ShapeTest>,
    tois: Vec<PartToi>,
    /// The times of the parts of each test, if they are reported.
    parts: PartLists,
    searches: SearchWorkers,
    pub(super) impacts: SortedImpacts,
    pub(super) sensed: SortedImpacts,
    pub(super) rejected: Vec<Rejected>,
    pub(super) stats: TickStats,
    /// What the last ticks needed.
    needed: TickNeeded,
}

impl_memory!(TickScratch { bounds, row_cache, tests, tois, parts, searches, impacts, sensed, rejected; lists of runs; without filled, stats, needed });

/// What the last ticks needed, so that [`TickScratch::free_unused`] can free the rest.
#[derive(Debug, Default)]
struct TickNeeded {
    /// Runs of pairs.
    runs: RecentMax,
    /// Places of the lists of all runs.
    of_runs: RunsNeeded,
    tests: PlacesNeeded,
    rejected: PlacesNeeded,
}

impl Default for Pipeline {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl Clone for Pipeline {
    /// Copies the settings and how the pipeline runs. A pipeline keeps nothing else than memory, which is not copied: the first tick of the copy
    /// allocates.
    fn clone(&self) -> Self {
        Self::with_exec(self.config, self.exec.clone())
    }
}

impl Pipeline {
    /// Creates a pipeline that uses the widest SIMD level of this CPU.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self::with_exec(config, Exec::default())
    }

    /// Creates a pipeline with other settings of how it runs: a [`Level`](crate::Level), [`Threads`](crate::Threads), or an
    /// [`Exec`].
    #[must_use]
    pub fn with_exec(config: Config, exec: impl Into<Exec>) -> Self {
        Self {
            config,
            exec: exec.into(),
            finder: PairFinder::default(),
            work: TickScratch::default(),
            proxies: ProxyRows::default(),
        }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Sets the settings for later ticks.
    pub fn set_config(&mut self, config: Config) {
        self.config = config;
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.bytes()
    }

    /// Frees all memory. The next tick allocates what it needs again.
    ///
    /// A pipeline frees the memory of a large tick by itself after some smaller ones. This is for one that is not used for a while.
    ///
    /// ```
    /// use swath::{MovingBoxColumns, Pipeline, Scene};
    ///
    /// let column = [0.0; 2];
    /// let boxes = MovingBoxColumns::from_columns([&column[..]; 9])?;
    /// let mut pipeline = Pipeline::default();
    /// pipeline.tick(&Scene::new(boxes))?;
    /// assert!(pipeline.memory_usage() > 0);
    /// pipeline.shrink_to_fit();
    /// assert_eq!(pipeline.memory_usage(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.finder.shrink_to(0, 0);
        (self.work, self.proxies) = (TickScratch::default(), ProxyRows::default());
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
        self.work.bounds.fill(scene, &self.config, self.exec.level, &self.exec.threads);
        Ok(self.work.bounds.boxes(scene))
    }

    /// Runs all stages: finds the impacts of the tick.
    ///
    /// With the default [`Config::touch`], bodies that touch at the start of the tick are an impact only if they close
    /// there: bodies that lie on each other, slide along each other or separate are left out. Bodies that overlap are an impact in each tick, also if they
    /// separate, which their closing speed states.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns, or that there are more
    /// pairs than allowed.
    pub fn tick(&mut self, scene: &Scene<'_, '_>) -> Result<TickOutput<'_>, PipelineError> {
        self.config.validate()?;
        scene.check()?;
        let Self { config, exec, finder, work, .. } = self;
        let Exec { level, ref threads, .. } = *exec;
        finder.exec = exec.clone();
        // Enter the pool once, so that the parallel steps do not have to wake its threads each
        // time.
        threads.enter(|| find(scene, config, level, threads, finder, work))?;
        Ok(self.last())
    }

    /// The result of the last tick of columns.
    fn last(&self) -> TickOutput<'_> {
        let work = &self.work;
        TickOutput {
            impacts: &work.impacts.sorted,
            sensed: &work.sensed.sorted,
            runs: &work.runs[..work.filled],
            rejected: &work.rejected,
            stats: &work.stats,
        }
    }

    /// Runs the stages but the pair finder, for pairs of `scene` that were found elsewhere. Removes the pairs of invalid bodies.
    pub(super) fn tick_pairs(
        &mut self,
        scene: &Scene<'_, '_>,
        pairs: &mut Vec<SweptPair>,
    ) -> &TickScratch {
        let Self { config, exec, work, .. } = self;
        let Exec { level, ref threads, .. } = *exec;
        threads.enter(|| {
            let mut clock = Clock::start();
            work.stats = TickStats::default();
            work.bounds.fill(scene, config, level, threads);
            work.stats.bounds_time = clock.lap();
            let bounds = core::mem::take(&mut work.bounds);
            let boxes = bounds.boxes(scene);
            boxes.check(level, &mut work.rejected);
            work.explain_rejected(scene, &bounds);
            if !work.rejected.is_empty() {
                let out = |row| work.rejected.binary_search_by_key(&row, |of| of.row).is_ok();
                pairs.retain(|pair| !out(pair.a) && !out(pair.b));
            }
            let context = TickContext { scene, config, bounds: &bounds, boxes };
            let (chunk, count) = (|index| chunk_of(pairs, index), pairs.len().div_ceil(CHUNK));
            work.test_bounds(&context, level, threads, (&chunk, count), &mut clock);
            work.test_shapes(&context, threads, &mut clock);
            work.bounds = bounds;
        });
        work
    }

    /// Sets the time that finding the pairs took elsewhere.
    pub(super) fn set_pairs_time(&mut self, time: Duration) {
        self.work.stats.pairs_time = time;
    }

    /// The statistics and the proxies of the last tick.
    pub(super) fn last_of_proxies(&self) -> (&TickStats, &ProxyRows) {
        (&self.work.stats, &self.proxies)
    }
}

/// Pairs of one task, if no finder has divided them.
const CHUNK: usize = 1024;

fn chunk_of(pairs: &[SweptPair], index: usize) -> &[SweptPair] {
    &pairs[index * CHUNK..pairs.len().min((index + 1) * CHUNK)]
}

/// Finds the pairs of a scene and tests them.
fn find(
    scene: &Scene<'_, '_>,
    config: &Config,
    level: Level,
    threads: &Threads,
    finder: &mut PairFinder,
    work: &mut TickScratch,
) -> Result<(), PipelineError> {
    let mut clock = Clock::start();
    work.stats = TickStats::default();
    work.bounds.fill(scene, config, level, threads);
    work.stats.bounds_time = clock.lap();
    // Moved out of `work`, so that the stages can borrow it beside the rest.
    let bounds = core::mem::take(&mut work.bounds);
    let found = candidates::find(scene, &bounds, finder);
    let result = found.map(|found| {
        work.stats.finder = found.timings();
        work.stats.pairs_time = clock.lap();
        work.rejected.clear();
        work.rejected.extend_from_slice(found.rejected());
        work.explain_rejected(scene, &bounds);
        let context = TickContext { scene, config, bounds: &bounds, boxes: bounds.boxes(scene) };
        let (chunk, count) = (|index| found.chunk(index), found.chunk_count());
        work.test_bounds(&context, level, threads, (&chunk, count), &mut clock);
        work.test_shapes(&context, threads, &mut clock);
    });
    work.bounds = bounds;
    result
}

impl TickScratch {
    /// Replaces the reason of each rejected row, whose bounds are invalid, by that of its body, and frees memory that the list does not need.
    fn explain_rejected(&mut self, scene: &Scene<'_, '_>, bounds: &SceneBounds) {
        for Rejected { row, reason } in &mut self.rejected {
            *reason = bounds.invalid(scene, *row).unwrap_or(*reason);
        }
        let most = self.needed.rejected.record(self.rejected.len());
        shrink_above(&mut self.rejected, most);
    }

    /// Tests `count` runs of pairs by their boxes, and lists the pairs whose shapes must be tested.
    fn test_bounds<'p>(
        &mut self,
        context: &TickContext<'_, '_>,
        level: Level,
        threads: &Threads,
        (pairs_of, count): (&(dyn Fn(usize) -> &'p [SweptPair] + Sync), usize),
        clock: &mut Clock,
    ) {
        let Self { row_cache, runs, filled, tests, stats, needed, .. } = self;
        let most = needed.runs.record(count);
        truncate_lists(runs, most);
        lengthen_by_default(runs, count);
        *filled = count;
        let runs = &mut runs[..count];
        // Elements without size need no memory.
        let mut workers = alloc::vec![(); threads.workers()];
        let pairs = (0..count).map(|index| pairs_of(index).len()).sum();
        row_cache.fill(context, pairs, threads);
        par::for_each(threads, &mut workers, runs, &|(), index, run| {
            run.fill(context, row_cache, level, pairs_of(index));
        });
        tests.clear();
        for run in &*runs {
            stats.add(&run.stats);
            tests.extend_from_slice(&run.tests);
        }
        stats.windows_time = clock.lap();
    }

    /// Tests the shapes of the listed pairs, and sorts all impacts.
    fn test_shapes(&mut self, context: &TickContext<'_, '_>, threads: &Threads, clock: &mut Clock) {
        let Self { runs, filled, tests, tois, parts, searches, impacts, sensed, stats, .. } = self;
        let runs = &runs[..*filled];
        impacts.of_shapes.clear();
        sensed.of_shapes.clear();
        convex::fill(context, tests, threads, (tois, parts), searches);
        for (at, (test, found)) in tests.iter().zip(&*tois).enumerate() {
            stats.rounds += u64::from(found.toi.rounds);
            // The impacts of the parts are in order, and instead of that of the pair.
            let of_parts = parts.of(at);
            let all = if of_parts.is_empty() { core::slice::from_ref(found) } else { of_parts };
            let (mut apart, mut unresolved) = (true, false);
            for found in all {
                let impact = Impact::from_part_toi(test.pair, test.window, found);
                let Some(impact) = impact else { continue };
                apart = false;
                unresolved |= impact.kind == ImpactKind::Unresolved;
                if test.sensor { &mut *sensed } else { &mut *impacts }.of_shapes.push(impact);
            }
            stats.separated += usize::from(apart);
            stats.unresolved += usize::from(unresolved);
        }
        stats.convex_time = clock.lap();

        let rows = context.scene.len();
        let limit = context.config.impacts_per_body;
        stats.limited = impacts.sort((runs.len(), &|at| &runs[at].impacts), limit, rows, threads);
        sensed.sort((runs.len(), &|at| &runs[at].sensed), 0, rows, threads);
        (stats.impacts, stats.sensed) = (impacts.sorted.len(), sensed.sorted.len());
        self.free_unused();
        self.stats.sort_time = clock.lap();
    }

    /// Frees memory of the lists of pairs and tests that neither this tick nor those before need.
    fn free_unused(&mut self) {
        let Self { runs, filled, tests, tois, needed, .. } = self;
        windows::free_unused(runs, *filled, &mut needed.of_runs);
        let most = needed.tests.record(tests.len());
        shrink_above(tests, most);
        shrink_above(tois, most);
    }
}
