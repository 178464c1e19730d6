//! How is a tick worked through, and what did it take?

use super::bounds::Bounds;
use super::convex;
use super::impacts::{Impact, Kind, List};
use super::rows::Gathered;
use super::scene::{Config, PipelineError, Scene};
use super::windows::{Ask, Known, Part};
use super::world::Proxies;
use crate::broadphase::{BoxSet, Clock, Found, PairFinder, Timings};
use crate::geom::{Pair, SweptPair};
use crate::lanes::Level;
use crate::narrowphase::advance::Toi;
use crate::par::{self, Threads};
use crate::store::{Boxes, Rejected};
use alloc::vec::Vec;
use core::time::Duration;

/// What the stages of a tick took and what became of the pairs in each. Times are zero without the
/// feature `std`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Stages {
    /// Boxes that hold the bodies.
    pub bounds_time: Duration,
    /// Pairs of those boxes.
    pub pairs_time: Duration,
    /// What of that is which step of the finder.
    pub finder: Timings,
    /// First and last times, and the answers of boxes.
    pub windows_time: Duration,
    /// First times of convex shapes.
    pub convex_time: Duration,
    /// Ordering the impacts.
    pub sort_time: Duration,
    /// Pairs whose boxes touch in the tick.
    pub candidates: usize,
    /// Of these dropped because neither body is fast, marked or a sensor.
    pub slow: usize,
    /// Met, answered by boxes alone.
    pub boxes: usize,
    /// Looked at by boxes alone and found apart, or touching in a way that does not count.
    pub apart: usize,
    /// Convex shapes asked.
    pub convex: usize,
    /// Of these apart for the whole tick, or touching in a way that does not count.
    pub separated: usize,
    /// Of these given up.
    pub unresolved: usize,
    /// Rounds of the convex search, over all pairs.
    pub rounds: u64,
    /// Impacts that are told.
    pub impacts: usize,
    /// Impacts left out because both bodies have had as many as are wanted.
    pub limited: usize,
    /// Impacts with sensors that are told.
    pub sensed: usize,
}

impl Stages {
    /// All stages together.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.bounds_time + self.pairs_time + self.windows_time + self.convex_time + self.sort_time
    }

    /// The counts of both.
    fn add(&mut self, part: &Self) {
        self.candidates += part.candidates;
        self.slow += part.slow;
        self.boxes += part.boxes;
        self.apart += part.apart;
        self.convex += part.convex;
    }
}

/// The impacts of a tick, where the pipeline wrote them.
#[derive(Clone, Copy, Debug)]
pub struct Ticked<'a> {
    impacts: &'a [Impact],
    sensed: &'a [Impact],
    parts: &'a [Part],
    rejected: &'a [Rejected],
    stages: &'a Stages,
}

impl<'a> Ticked<'a> {
    /// What meets, by time, then by pair.
    #[must_use]
    pub fn impacts(&self) -> &'a [Impact] {
        self.impacts
    }

    /// What meets a [sensor](super::Flags::SENSOR), by time, then by pair: all that does so along
    /// the path.
    #[must_use]
    pub fn sensed(&self) -> &'a [Impact] {
        self.sensed
    }

    /// Pairs that were dropped because both are slow, in the order of the finder: their boxes touch
    /// in the tick.
    pub fn slow(&self) -> impl Iterator<Item = Pair> + use<'a> {
        self.parts.iter().flat_map(|part| &part.slow).copied()
    }

    /// The rows that are no bodies, in order. They make no pair.
    #[must_use]
    pub fn rejected(&self) -> &'a [Rejected] {
        self.rejected
    }

    /// What the stages took, and what became of the pairs.
    #[must_use]
    pub fn stages(&self) -> &'a Stages {
        self.stages
    }
}

impl<'a> IntoIterator for Ticked<'a> {
    type Item = &'a Impact;
    type IntoIter = core::slice::Iter<'a, Impact>;

    fn into_iter(self) -> Self::IntoIter {
        self.impacts.iter()
    }
}

/// Bodies in, impacts out, once a tick.
///
/// It keeps nothing between ticks but memory. See the [module](crate::pipeline) for the stages.
///
/// ```
/// use swath::pipeline::Config;
/// use swath::{Boxes, Convex, Motion, Pipeline, Pose, Scene, Shape};
///
/// // Two thin walls, and a ball that flies through both.
/// let min = [[3.0, 6.0, 0.0], [-5.0, -5.0, 0.0], [-5.0, -5.0, 0.0]];
/// let max = [[3.1, 6.1, 0.0], [5.0, 5.0, 0.0], [5.0, 5.0, 0.0]];
/// let still = [0.0; 3];
/// let boxes =
///     Boxes::new([&min[0], &min[1], &min[2]], [&max[0], &max[1], &max[2]], [&still; 3])?;
/// let motion = Motion::new(Pose::at([0.0; 3])?, [10.0, 0.0, 0.0])?;
/// let ball = [Convex { row: 2, shape: Shape::sphere(1.0)?, motion }];
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
    work: Work,
    pub(super) proxies: Proxies,
}

/// The memory of the stages, and what they told last.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) bounds: Bounds,
    gathered: Gathered,
    /// One for each run of pairs; the first `filled` are of this tick.
    pub(super) parts: Vec<Part>,
    pub(super) filled: usize,
    asks: Vec<Ask>,
    tois: Vec<Toi>,
    pub(super) impacts: List,
    pub(super) sensed: List,
    pub(super) rejected: Vec<Rejected>,
    pub(super) stages: Stages,
}

impl Default for Pipeline {
    fn default() -> Self {
        Self::new(Config::default())
    }
}

impl Pipeline {
    /// A pipeline on the widest level of this CPU.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self::with_level(config, Level::detect())
    }

    /// A pipeline on `level`. The impacts are the same for each.
    #[must_use]
    pub fn with_level(config: Config, level: Level) -> Self {
        Self {
            config,
            level,
            threads: Threads::default(),
            finder: PairFinder::with_level(level),
            work: Work::default(),
            proxies: Proxies::default(),
        }
    }

    /// What counts and what is told.
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

    /// From now on looks at ticks like this.
    pub fn set_config(&mut self, config: Config) {
        self.config = config;
    }

    /// From now on works on these threads. The impacts are the same for any.
    pub fn set_threads(&mut self, threads: Threads) {
        self.finder.set_threads(threads.clone());
        self.threads = threads;
    }

    /// From now on a tick with more candidates than `most` is an error, as
    /// [`PairFinder::set_pairs_max`] has it.
    pub fn set_pairs_max(&mut self, most: usize) {
        self.finder.set_pairs_max(most);
    }

    /// Bytes of memory that the pipeline holds.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.finder.memory_usage() + self.work.bytes() + self.proxies.bytes()
    }

    /// The first stage alone: the moving boxes that hold the bodies, the target distance included.
    ///
    /// A body that is none has a box that is none.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns.
    pub fn bounds<'a>(&'a mut self, scene: &Scene<'a, '_>) -> Result<Boxes<'a>, PipelineError> {
        self.config.validate()?;
        scene.check()?;
        self.work.bounds.fill(scene, &self.config, self.level, &self.threads);
        Ok(self.work.bounds.boxes(scene))
    }

    /// All stages: what meets in the tick.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns, or more pairs than are
    /// allowed.
    pub fn tick(&mut self, scene: &Scene<'_, '_>) -> Result<Ticked<'_>, PipelineError> {
        self.config.validate()?;
        scene.check()?;
        let Self { config, level, threads, finder, work, .. } = self;
        // One entry, so that what is spread over the threads starts without waking one each time.
        threads.enter(|| find(scene, config, *level, threads, finder, work))?;
        Ok(self.last())
    }

    /// What the last tick of columns told.
    pub(super) fn last(&self) -> Ticked<'_> {
        let work = &self.work;
        Ticked {
            impacts: &work.impacts.sorted,
            sensed: &work.sensed.sorted,
            parts: &work.parts[..work.filled],
            rejected: &work.rejected,
            stages: &work.stages,
        }
    }

    /// The stages after the finder, for whoever has pairs of `scene` already.
    pub(super) fn answer(&mut self, scene: &Scene<'_, '_>, pairs: &[SweptPair]) -> &Work {
        let Self { config, level, threads, work, .. } = self;
        let (chunk, count) = (|index| chunk_of(pairs, index), pairs.len().div_ceil(CHUNK));
        threads.enter(|| {
            let mut clock = Clock::start();
            work.stages = Stages::default();
            work.bounds.fill(scene, config, *level, threads);
            work.stages.bounds_time = clock.lap();
            let bounds = core::mem::take(&mut work.bounds);
            let known = Known { scene, config, bounds: &bounds, boxes: bounds.boxes(scene) };
            work.answer(&known, *level, threads, (&chunk, count), &mut clock);
            work.bounds = bounds;
        });
        work
    }

    /// What finding the pairs took elsewhere.
    pub(super) fn set_pairs_time(&mut self, time: Duration) {
        self.work.stages.pairs_time = time;
    }

    /// What was told of the stages, and of the proxies.
    pub(super) fn told(&self) -> (&Stages, &Proxies) {
        (&self.work.stages, &self.proxies)
    }
}

/// Pairs of one piece of work, where no finder has cut them.
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
    work: &mut Work,
) -> Result<(), PipelineError> {
    let mut clock = Clock::start();
    work.stages = Stages::default();
    work.bounds.fill(scene, config, level, threads);
    work.stages.bounds_time = clock.lap();
    // Set aside, so that the stages may write what is beside it.
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
        let known = Known { scene, config, bounds: &bounds, boxes: bounds.boxes(scene) };
        let chunk = |index| found.chunk(index);
        work.answer(&known, level, threads, (&chunk, found.chunk_count()), &mut clock);
    });
    work.bounds = bounds;
    answered
}

/// The pairs whose boxes touch in the tick.
fn pairs<'f>(
    scene: &Scene<'_, '_>,
    bounds: &Bounds,
    finder: &'f mut PairFinder,
) -> Result<Found<'f, SweptPair>, PipelineError> {
    let mut set = BoxSet::new(bounds.boxes(scene));
    if let Some(moves) = bounds.moves(scene) {
        set = set.moving(moves);
    }
    if let Some(filters) = scene.filters {
        set = set.filtered(filters);
    }
    Ok(finder.swept_pairs(set)?)
}

impl Work {
    /// Answers `count` runs of pairs.
    fn answer<'p>(
        &mut self,
        known: &Known<'_, '_>,
        level: Level,
        threads: &Threads,
        (run, count): (&(dyn Fn(usize) -> &'p [SweptPair] + Sync), usize),
        clock: &mut Clock,
    ) {
        let Self { gathered, parts, filled, asks, tois, impacts, sensed, stages, .. } = self;
        parts.resize_with(count.max(parts.len()), Part::default);
        *filled = count;
        let parts = &mut parts[..count];
        // What is not there takes no memory.
        let mut workers = alloc::vec![(); threads.workers()];
        let pairs = (0..count).map(|index| run(index).len()).sum();
        gathered.fill(known, pairs, threads);
        par::for_each(&mut workers, parts, &|(), index, part| {
            part.fill(known, gathered, level, run(index));
        });
        impacts.more.clear();
        sensed.more.clear();
        asks.clear();
        for part in &*parts {
            stages.add(&part.counts);
            asks.extend_from_slice(&part.asks);
        }
        stages.windows_time = clock.lap();

        convex::fill(known, asks, threads, tois);
        for (ask, toi) in asks.iter().zip(&*tois) {
            stages.rounds += u64::from(toi.rounds);
            let Some(impact) = convex::impact(ask, toi) else {
                stages.separated += 1;
                continue;
            };
            stages.unresolved += usize::from(impact.kind == Kind::Unresolved);
            if ask.sensor { &mut *sensed } else { &mut *impacts }.more.push(impact);
        }
        stages.convex_time = clock.lap();

        let rows = known.scene.len();
        let limit = known.config.impacts_per_body;
        stages.limited = impacts.sort((count, &|at| &parts[at].impacts), limit, rows, threads);
        sensed.sort((count, &|at| &parts[at].sensed), 0, rows, threads);
        (stages.impacts, stages.sensed) = (impacts.sorted.len(), sensed.sorted.len());
        stages.sort_time = clock.lap();
    }

    fn bytes(&self) -> usize {
        let parts: usize = self.parts.iter().map(Part::bytes).sum();
        self.bounds.bytes()
            + self.gathered.bytes()
            + parts
            + self.asks.capacity() * size_of::<Ask>()
            + self.tois.capacity() * size_of::<Toi>()
            + self.impacts.bytes()
            + self.sensed.bytes()
    }
}
