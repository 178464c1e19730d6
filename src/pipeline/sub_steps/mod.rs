//! Advances bodies to the end of a tick, one impact after the other, in the order of time.
//!
//! Impacts are in a queue ordered by time. The pipeline fills it. The earliest impact is taken out, its two bodies
//! are advanced to its time and respond ([`response`]), and each body whose motion has changed is searched again
//! against all bodies whose remaining path comes near its own (`near.rs`). Impacts that were computed for an older
//! motion are skipped. So at any time all earlier impacts have been processed, in order: no body passes through
//! another, and each reaches the end of the tick.
//!
//! ```text
//! mod.rs       public function for columns: fill the queue, process it, advance all bodies to the end
//! proxies.rs   public function for a broadphase, which is queried for resting proxies     crowd.rs: what both provide
//! state.rs     velocity of each body in `f64`, slop, whether it is stalled
//! search.rs    the next impact of two bodies
//! passes.rs    the earliest impact: response, stalled bodies, new searches
//! contacts.rs  propagation of an impulse along touching bodies, without a search
//! budget.rs    bodies that are stalled because no more searches are allowed
//! ```
//!
//! **Chains.** Bodies in a row without restitution share the impulse on one of them at the time of the impact, by
//! sums alone (`contacts.rs`). In a pile, these are most of the impulses.
//!
//! **Momentum and energy.** Velocities are stored in `f64` during the tick and rounded once, at its end. Two bodies
//! exchange an impulse along the normal, which conserves their momentum and, with a restitution of at most 1, adds no
//! energy. So over a tick the relative error of each body's velocity is at most 2⁻²⁴, whatever the ratio of the
//! masses. [`Mass::validate`] limits the masses. Bodies that spin or that cannot be pushed may add energy to what
//! they hit. The arithmetic is in `docs/math/step.md`.
//!
//! **Limits.** A body may be in [`SubStepsConfig::impacts_max`] impacts per tick; propagated impulses do not count.
//! After half of them it bounces no more (restitution 0), and after the last one it is *stalled* until the end of the
//! tick: it keeps its position and its velocity, and moves on with that velocity in the next tick. A body that hits
//! it exchanges momentum with it as with any other, by its mass and its velocity; if it would still move into the
//! stalled body, it is stalled too. So only time is lost, by the bodies in [`SubSteps::held`]: momentum is conserved,
//! no energy is added, and no body gets into another. Even a body that cannot be pushed is stalled if it would move
//! into a stalled one. There are at most as many passes as pushable bodies times that number, plus the number of
//! driven bodies.
//!
//! **Budgets.** The time of a step is that of its searches: at most [`SubStepsConfig::searches_max`], of at most
//! twice [`SubStepsConfig::rounds_max`] rounds each. A round costs some hundred nanoseconds. A pair of bodies that do
//! not spin takes a few rounds; a pair whose spins are `ω` radians per tick takes about `ω` times as many while its
//! boxes overlap, because a plane between the two separates them for a part of a turn. A body whose next impact
//! cannot be searched any more is stalled from then on, and so is every body that could reach it; the boxes around
//! the remaining paths decide that. All others continue. [`Stalled::since`] is the time up to which the path of a
//! body is proved to be free. A search that runs out of rounds continues from the time that it has proved, and counts
//! as an impact of both bodies; if it makes no progress, both are stalled.
//!
//! **Resting.** A body that rests on something immovable is *supported*: as long as it lies there, it counts as
//! immovable itself for impacts from above, and so on upwards. So a stack takes about one pass per contact instead of
//! passing impulses up and down.
//!
//! **Slop.** Positions are rounded to `f32` at each impact and at the end. So that rounding moves no body to the
//! other side of a thin one, two bodies touch at a distance, their *skin*: the target distance, plus 2⁻²⁰ of the
//! greatest position and path in the tick of the two, for bodies that move or can be pushed. No other body counts:
//! one that is far off or fast changes no bit of bodies that it does not meet.
//!
//! **Correction.** Two bodies that are nearer than their skin are pushed apart by at most the missing distance until
//! the end of the tick. The velocity for that is a *pseudo-velocity* (split impulses: Catto 2005): it moves bodies,
//! is swept and shared by inverse mass as any other, and is removed at the end of the tick. It is not part of the
//! momentum and adds no energy. So that rounding leaves no pair closing, all bodies that respond separate at least by
//! a pseudo-velocity.
//!
//! **Slow closing.** Bodies that touch and close by less than an eighth of the skin in the rest of the tick are
//! ignored, as long as a quarter of the skin is left: to separate all bodies that are jammed between others, ever
//! smaller impulses would be needed.
//!
//! **Overlaps.** Two bodies that overlap by more than that are pushed apart by no more than the skin in a tick, and
//! are not searched meanwhile, because they have no distance. If they are accelerated towards each other, the time at
//! which they close again is known; if one spins, they are searched again after each sixteenth of the tick. So they
//! get no deeper than a spin takes them in that time.

mod budget;
mod contacts;
mod crowd;
mod passes;
mod proxies;
mod search;
mod state;

use super::bounds;
use super::impacts::Impact;
use super::mass::Mass;
use super::near::Near;
use super::response::{BounceOutcome, Reaction};
use super::scene::{BodyFlags, Config, ConvexBody, PipelineError, Scene};
use super::tick::Pipeline;
use super::windows::ShapeTest;
use crate::columns::{LengthMismatch, MovingBoxColumns, Rejected};
use crate::geom::{Filter, MapEach, Motion, Pair};
use crate::narrowphase::toi::{TOI_ROUNDS_MAX, ToiError};
use crate::par;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use contacts::Contacts;
use crowd::{BodyRows, Crowd};
use passes::Event;
pub use proxies::SteppedWorld;
use search::BodyPair;
use state::BodyState;

/// Number of pairs in one piece of work.
const CHUNK: usize = 64;
/// Settings of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SubStepsConfig {
    /// Settings of the search for impacts. [`Touch::Hit`](crate::convex::toi::Touch::Hit) has the meaning of
    /// [`Touch::IfClosing`](crate::convex::toi::Touch::IfClosing) here, because bodies that do not close have no
    /// response. The limits of reported and dropped impacts do not apply.
    pub pipeline: Config,
    /// Greatest number of impacts of a body, at least 2.
    pub impacts_max: u32,
    /// Greatest number of searches for the next impact of a pair in a step, including those at its start.
    pub searches_max: u32,
    /// Greatest number of rounds of one search, at least 1:
    /// [`Settings::rounds_max`](crate::convex::toi::Settings::rounds_max).
    pub rounds_max: u32,
}

impl SubStepsConfig {
    /// Checks that the settings are valid.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the target, the tolerance or a limit.
    pub fn validate(&self) -> Result<(), PipelineError> {
        self.pipeline.validate()?;
        if self.impacts_max < 2 {
            return Err(PipelineError::ImpactsMax { given: self.impacts_max });
        }
        if self.rounds_max == 0 { Err(ToiError::Rounds.into()) } else { Ok(()) }
    }
}

impl Default for SubStepsConfig {
    fn default() -> Self {
        Self {
            pipeline: Config::default(),
            impacts_max: 32,
            searches_max: u32::MAX,
            rounds_max: TOI_ROUNDS_MAX,
        }
    }
}

/// Counters of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubStepped {
    /// Number of impacts that were processed and still valid.
    pub passes: usize,
    /// Number of these that changed a motion.
    pub responses: usize,
    /// Number of searches for impacts of changed motions.
    pub asked: usize,
    /// Number of searches of pairs for their next impact, including those at the start of the tick.
    pub searches: usize,
    /// Number of stalled bodies: they were in too many impacts, or reached a stalled body.
    pub held: usize,
    /// Number of these for which [`SubStepsConfig::searches_max`] or [`SubStepsConfig::rounds_max`] was the reason.
    pub over_budget: usize,
}

/// An impact that changed a motion, and its impulse.
///
/// The momentum of a body that is not [`carried`](Self::carried) changes by `-impulse · normal` if it is `a`, and by
/// `impulse · normal` if it is `b`; from [`Impact::toi`] to the end of its tick it changes also by `load · time`
/// along the same direction. Together with its own acceleration these are the only changes. The unit of mass is the
/// inverse of that of the inverse masses, lengths are the caller's, and times are fractions of the tick.
/// inverse masses, lengths the caller's, times parts of a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Responded<P = Pair> {
    /// Time, bodies, points and normal. The closing speed is that of their velocities, without the correction of
    /// slop.
    pub impact: Impact<P>,
    /// What happened to the two bodies.
    pub outcome: BounceOutcome,
    /// The impulse along the normal, in mass · length / tick. It is slightly negative if two bodies separate and are
    /// pulled back at once.
    pub impulse: f32,
    /// Supporting force between the two from then on, in mass · length / tick², without the weight of bodies that
    /// rest on the upper one in turn.
    pub load: f32,
    /// Whether `a`, or `b`, was immovable: it cannot be pushed, or its support took the impulse.
    pub carried: [bool; 2],
}

impl<P> Responded<P> {
    fn new(impact: Impact<P>, reaction: Reaction, inverse_masses: [f64; 2]) -> Self {
        let Reaction { outcome, impulse, load } = reaction;
        Self {
            impact,
            outcome,
            impulse,
            load,
            carried: inverse_masses.map_each(|mass| mass == 0.0),
        }
    }

    /// Returns the same impact with another label of the pair.
    fn named<Q>(self, pair: Q) -> Responded<Q> {
        let Self { impact, outcome, impulse, load, carried } = self;
        Responded { impact: impact.named(pair), outcome, impulse, load, carried }
    }
}

/// A body that lost the rest of a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stalled<R = u32> {
    /// The row or id of the body.
    pub row: R,
    /// The fraction of the tick from which on it was stalled. Its path is proved to be free up to then.
    pub since: f32,
}

/// Advances bodies to the end of a tick, and keeps its memory for the next one.
///
/// ```
/// use swath::pipeline::{Mass, SubSteps, SubStepsConfig};
/// use swath::{ConvexBody, Motion, Pose, Shape};
///
/// // A ball between two walls, so fast that it hits each many times in one tick.
/// let body = |row, x, dx, shape| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(ConvexBody { row, shape, motion: Motion::new(Pose::at([x, 0.0, 0.0])?, [dx, 0.0, 0.0])? })
/// };
/// let wall = Shape::cuboid([0.0, 5.0, 5.0])?;
/// let mut bodies = [
///     body(0, -1.0, 0.0, wall)?,
///     body(1, 1.0, 0.0, wall)?,
///     body(2, 0.0, 10.0, Shape::sphere(0.5)?)?,
/// ];
/// let ball = Mass { inverse_mass: 1.0, restitution: 1.0 };
/// let mut sub_steps = SubSteps::new(SubStepsConfig::default());
/// let told = sub_steps.run(&mut bodies, &[Mass::FIXED, Mass::FIXED, ball], None)?;
/// assert_eq!((told.responses, told.held), (10, 0));
/// let [x, ..] = bodies[2].motion.pose.position;
/// assert!(x.abs() < 0.01 && (bodies[2].motion.delta[0] - 10.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SubSteps {
    config: SubStepsConfig,
    pipeline: Pipeline,
    queue: BinaryHeap<Event>,
    states: Vec<BodyState>,
    near: Near,
    contacts: Contacts,
    /// Pairs that the pipeline lists for a search at the start, and the impacts found.
    asks: Vec<ShapeTest>,
    found: Vec<Option<Event>>,
    /// Slop of each row at the start.
    slops: Vec<f32>,
    /// Bodies that have changed in this pass.
    changed: Vec<usize>,
    /// Bodies near the one that is searched.
    others: Vec<usize>,
    /// A column in place of boxes, which are not read.
    unread: Vec<f32>,
    flags: Vec<BodyFlags>,
    rejected: Vec<Rejected>,
    responded: Vec<Responded>,
    held: Vec<Stalled>,
    /// Bodies to be stalled by the budget, and those that could reach them.
    stalling: Vec<usize>,
    stalled_near: Vec<usize>,
    proxies: proxies::Memory,
    told: SubStepped,
}

impl Default for SubSteps {
    fn default() -> Self {
        Self::new(SubStepsConfig::default())
    }
}

impl SubSteps {
    /// Creates a stepper.
    #[must_use]
    pub fn new(config: SubStepsConfig) -> Self {
        Self {
            config,
            pipeline: Pipeline::default(),
            queue: BinaryHeap::new(),
            states: Vec::new(),
            near: Near::default(),
            contacts: Contacts::default(),
            asks: Vec::new(),
            found: Vec::new(),
            slops: Vec::new(),
            changed: Vec::new(),
            others: Vec::new(),
            unread: Vec::new(),
            flags: Vec::new(),
            rejected: Vec::new(),
            responded: Vec::new(),
            held: Vec::new(),
            stalling: Vec::new(),
            stalled_near: Vec::new(),
            proxies: proxies::Memory::default(),
            told: SubStepped::default(),
        }
    }

    /// The pipeline that finds the first impacts, to set its level and threads.
    pub fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipeline
    }

    /// Impacts of the last [`SubSteps::run`] that changed a motion, in the order of time.
    #[must_use]
    pub fn impacts(&self) -> &[Responded] {
        &self.responded
    }

    /// Bodies that were stalled in the last [`SubSteps::run`], and from when on.
    #[must_use]
    pub fn held(&self) -> &[Stalled] {
        &self.held
    }

    /// Rows of the last tick whose motion or [`Mass`] was rejected. They do not move and have no impacts.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// Advances all bodies to the end of the tick.
    ///
    /// Body `i` is row `i`. Afterwards its motion is that for the next tick: its position and rotation at the end,
    /// the displacement over a tick by its velocity at the end, and its acceleration and spin as before. Pairs that
    /// overlap at the start get no deeper; [`separate`](super::response::separate) moves them apart.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns. Nothing is changed then.
    pub fn run(
        &mut self,
        bodies: &mut [ConvexBody<'_>],
        masses: &[Mass],
        filters: Option<&[Filter]>,
    ) -> Result<SubStepped, PipelineError> {
        LengthMismatch::check("the masses", bodies.len(), masses.len())?;
        let mut rows = BodyRows { bodies, masses, filters };
        self.start(&mut rows, filters)?;
        self.work_off(&mut rows);
        Ok(self.told)
    }

    /// Fills the queue with the impacts of the given motions.
    fn start<'s, C: Crowd<'s>>(
        &mut self,
        crowd: &mut C,
        filters: Option<&[Filter]>,
    ) -> Result<(), PipelineError> {
        self.config.validate()?;
        let bodies = crowd.bodies();
        let rows = bodies.len();
        self.flags.clear();
        self.slops.clear();
        for (row, body) in bodies.iter().enumerate() {
            let mass = crowd.mass(row);
            let moves = gives_way_or_moves(&body.motion, mass);
            self.flags.push(if moves { BodyFlags::MOVES } else { BodyFlags::STILL });
            self.slops.push(state::slop(&body.motion, mass));
        }
        self.unread.resize(rows, 0.0);
        let unread = MovingBoxColumns::from_columns([&self.unread[..]; 9])?;
        let mut scene = Scene::new(unread).convex(bodies).flagged(&self.flags);
        (scene.filters, scene.slops) = (filters, &self.slops);
        self.pipeline.set_config(self.config.pipeline);
        let asks = self.pipeline.asks(&scene)?;
        self.asks.clear();
        self.asks.extend_from_slice(asks);
        self.queue.clear();
        self.contacts.clear();
        self.responded.clear();
        self.held.clear();
        self.told = SubStepped::default();
        self.states.clear();
        let slops = self.slops.iter();
        self.states
            .extend(bodies.iter().zip(slops).map(|(body, &slop)| BodyState::new(body, slop)));
        self.reject(crowd);
        let half = bounds::half(self.config.pipeline.target_distance);
        let pad = |row: usize| bounds::pad(half, self.slops[row]);
        self.near.start(crowd.bodies(), pad, self.pipeline.threads());
        for rejected in &self.rejected {
            self.near.drop(rejected.row as usize);
        }
        self.search_all(crowd);
        Ok(())
    }

    /// Lists the rows whose motion or mass is invalid.
    fn reject<'s>(&mut self, crowd: &impl Crowd<'s>) {
        self.rejected.clear();
        self.rejected.extend_from_slice(self.pipeline.last().rejected());
        let motions = self.rejected.len();
        for row in 0..self.states.len() {
            let Err(reason) = crowd.mass(row).validate() else { continue };
            let row = row as u32;
            if self.rejected[..motions].binary_search_by_key(&row, |of| of.row).is_err() {
                self.rejected.push(Rejected { row, reason });
            }
        }
        self.rejected.sort_unstable_by_key(|of| of.row);
        for rejected in &self.rejected {
            self.states[rejected.row as usize].is_out = true;
        }
    }

    /// Searches the pairs that the pipeline has listed, as many as the budget allows.
    fn search_all<'s, C: Crowd<'s>>(&mut self, crowd: &mut C) {
        let mut asks = core::mem::take(&mut self.asks);
        asks.retain(|ask| {
            let [a, b] = [ask.pair.a, ask.pair.b].map_each(|row| row as usize);
            let boxes = [a, b].map_each(|row| self.near.reach(row));
            // The query for resting proxies of a broadphase uses this box.
            let is_near = matches!(boxes, [Some(a), Some(b)] if a.overlaps(&b));
            let is_out = self.states[a].is_out || self.states[b].is_out;
            is_near && !is_out && crowd.may_meet(a, b)
        });
        let searched = asks.len().min(self.config.searches_max as usize);
        if searched < asks.len() {
            // Sorting makes the order independent of how the finder has split the pairs.
            asks.sort_unstable_by_key(|ask| ask.pair);
        }
        self.told.searches = searched;
        self.found.clear();
        self.found.resize(searched, None);
        let (bodies, threads) = (crowd.bodies(), self.pipeline.threads());
        let (config, slops) = (&self.config, &self.slops);
        par::fill_chunks(threads, &mut self.found, CHUNK, &|start, found| {
            for (out, ask) in found.iter_mut().zip(&asks[start..]) {
                let rows = [ask.pair.a as usize, ask.pair.b as usize];
                let two = BodyPair {
                    pair: ask.pair,
                    shapes: rows.map_each(|row| &bodies[row].shape),
                    motions: rows.map_each(|row| bodies[row].motion),
                    skin: config.skin(rows.map_each(|row| slops[row])),
                };
                let next = two.next(config, ask.window);
                let event = |(impact, is_look)| Event { impact, rows, versions: [0; 2], is_look };
                *out = next.map(event);
            }
        });
        for event in self.found.drain(..).flatten() {
            let [a, b] = event.rows.map_each(|row| crowd.name(row));
            let impact = Impact { pair: Pair { a, b }, ..event.impact };
            self.queue.push(Event { impact, ..event });
        }
        for ask in &asks[searched..] {
            self.stall(crowd, [ask.pair.a as usize, ask.pair.b as usize], 0.0);
        }
        self.asks = asks;
    }

    /// Processes one impact after the other, and advances all bodies to the end.
    fn work_off<'s, C: Crowd<'s>>(&mut self, crowd: &mut C) {
        while let Some(event) = self.queue.pop() {
            self.pass(crowd, event);
        }
        for (row, state) in self.states.iter().enumerate() {
            if !state.is_out {
                state.finish(&mut crowd.body_mut(row).motion);
            }
        }
    }

    /// Returns the distance at which two rows touch.
    fn skin(&self, rows: [usize; 2]) -> f32 {
        self.config.skin(rows.map_each(|row| self.states[row].slop))
    }
}

impl SubStepsConfig {
    /// Returns the distance at which two bodies of these slops touch.
    fn skin(&self, [a, b]: [f32; 2]) -> f32 {
        self.pipeline.target_distance + if a > b { a } else { b }
    }
}

fn gives_way_or_moves(motion: &Motion, mass: Mass) -> bool {
    mass.inverse_mass > 0.0 || [motion.delta, motion.accel, motion.spin] != [[0.0; 3]; 3]
}

/// Returns the rest of the tick, rounded up.
pub(in crate::pipeline) fn until_end(now: f32) -> f32 {
    let left = 1.0 - f64::from(now);
    let rounded = left as f32;
    if f64::from(rounded) < left { rounded.next_up() } else { rounded }
}
