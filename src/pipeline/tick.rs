//! How is a tick worked through, and what did it take?

use super::bounds::Bounds;
use super::convex;
use super::impacts::{Impact, Kind, List};
use super::scene::{Config, PipelineError, Scene};
use super::windows::{Ask, Known, Part};
use crate::advance::Toi;
use crate::broadphase::{BoxSet, Clock, PairFinder, Timings};
use crate::geom::Pair;
use crate::lanes::Level;
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
/// It keeps nothing between ticks but memory. See the [module](self) for the stages.
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
    bounds: Bounds,
    /// One for each run of the finder; the first `filled` are of this tick.
    parts: Vec<Part>,
    filled: usize,
    asks: Vec<Ask>,
    tois: Vec<Toi>,
    impacts: List,
    sensed: List,
    rejected: Vec<Rejected>,
    stages: Stages,
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
            bounds: Bounds::default(),
            parts: Vec::new(),
            filled: 0,
            asks: Vec::new(),
            tois: Vec::new(),
            impacts: List::default(),
            sensed: List::default(),
            rejected: Vec::new(),
            stages: Stages::default(),
        }
    }

    /// What counts and what is told.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
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
        let parts: usize = self.parts.iter().map(Part::bytes).sum();
        self.finder.memory_usage()
            + self.bounds.bytes()
            + parts
            + self.asks.capacity() * size_of::<Ask>()
            + self.tois.capacity() * size_of::<Toi>()
            + self.impacts.bytes()
            + self.sensed.bytes()
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
        self.bounds.fill(scene, &self.config, self.level, &self.threads);
        Ok(self.bounds.boxes(scene))
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
        // One entry, so that what is spread over the threads starts without waking one each time.
        let threads = self.threads.clone();
        threads.enter(|| self.stages(scene, &threads))?;
        Ok(Ticked {
            impacts: &self.impacts.sorted,
            sensed: &self.sensed.sorted,
            parts: &self.parts[..self.filled],
            rejected: &self.rejected,
            stages: &self.stages,
        })
    }

    fn stages(
        &mut self,
        scene: &Scene<'_, '_>,
        threads: &Threads,
    ) -> Result<(), PipelineError> {
        let Self { config, level, finder, bounds, parts, filled, asks, tois, impacts, sensed, .. } =
            self;
        let level = *level;
        let mut stages = Stages::default();
        let mut clock = Clock::start();
        bounds.fill(scene, config, level, threads);
        stages.bounds_time = clock.lap();

        let boxes = bounds.boxes(scene);
        let mut set = BoxSet::new(boxes);
        if let Some(moves) = bounds.moves(scene) {
            set = set.moving(moves);
        }
        if let Some(filters) = scene.filters {
            set = set.filtered(filters);
        }
        let found = finder.swept_pairs(set)?;
        stages.finder = found.timings();
        stages.pairs_time = clock.lap();

        self.rejected.clear();
        self.rejected.extend(found.rejected().iter().map(|&rejected| Rejected {
            reason: bounds.invalid(scene, rejected.row).unwrap_or(rejected.reason),
            ..rejected
        }));
        let known = Known { scene, config, bounds, boxes };
        let runs = found.runs();
        parts.resize_with(runs.max(parts.len()), Part::default);
        *filled = runs;
        let parts = &mut parts[..runs];
        // What is not there takes no memory.
        let mut workers = alloc::vec![(); threads.workers()];
        par::for_each(&mut workers, parts, |(), index, part| {
            part.fill(&known, level, found.run(index));
        });
        impacts.clear();
        sensed.clear();
        asks.clear();
        for part in &*parts {
            stages.add(&part.counts);
            impacts.found.extend_from_slice(&part.impacts);
            sensed.found.extend_from_slice(&part.sensed);
            asks.extend_from_slice(&part.asks);
        }
        stages.windows_time = clock.lap();

        convex::fill(&known, asks, threads, tois);
        for (ask, toi) in asks.iter().zip(&*tois) {
            stages.rounds += u64::from(toi.rounds);
            let Some(impact) = convex::impact(ask, toi) else {
                stages.separated += 1;
                continue;
            };
            stages.unresolved += usize::from(impact.kind == Kind::Unresolved);
            if ask.sensor { &mut *sensed } else { &mut *impacts }.found.push(impact);
        }
        stages.convex_time = clock.lap();

        stages.limited = impacts.sort(config.impacts_per_body, scene.len(), threads);
        sensed.sort(0, scene.len(), threads);
        (stages.impacts, stages.sensed) = (impacts.sorted.len(), sensed.sorted.len());
        stages.sort_time = clock.lap();
        self.stages = stages;
        Ok(())
    }
}
