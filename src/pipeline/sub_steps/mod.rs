//! How do bodies go through a whole tick, one impact after the other?
//!
//! A queue of impacts by time. The pipeline fills it; the earliest is taken out, its two bodies are
//! carried to its time and respond ([`response`]), and each whose motion has
//! changed is asked anew against all whose remaining path comes near its own (`near.rs`). Impacts that were told
//! of an older motion are passed over when they come up. So at any time all impacts before it have
//! been dealt with, in order: nobody goes through anybody, and each body gets to the end of the tick.
//!
//! ```text
//! mod.rs       the door for columns: fills the queue, has it worked off, carries all to the end
//! proxies.rs   the door for a world, which is asked where what rests is     crowd.rs: what is asked of either
//! state.rs     velocity of each body in `f64`, slop, who is held
//! search.rs    the next impact of two
//! passes.rs    the earliest impact: who responds, who is held, who looks ahead
//! contacts.rs  what touches already hands an impulse on at once, without a search
//! budget.rs    who is held when no more searches may be made
//! ```
//!
//! **Chains.** Bodies in a row that give nothing back share what hits one of them at the time at which it
//! is hit, by sums alone (`contacts.rs`). That is most of what happens in a pile.
//!
//! **Momentum and energy.** Velocities are kept in `f64` through the tick and rounded once, at its end. Two
//! bodies exchange an impulse along the normal, which keeps their momentum and, with a restitution of at most
//! 1, adds no energy. So over a tick each body's velocity is off by 2⁻²⁴ of itself and no more, whatever the
//! ratio of the masses. [`Mass::validate`] limits them. Bodies that spin or that nothing pushes may add energy
//! to what they hit. The arithmetic is in `docs/math/step.md`.
//!
//! **Bounded.** A body may be in [`SubStepsConfig::impacts_max`] impacts a tick; what is handed on
//! to it is none. After half of them
//! it bounces no more (restitution 0), and after the last it is *held*: its time stands until the end
//! of the tick. It stays where it is, keeps its velocity, and goes on with it in the next tick. What
//! meets it exchanges momentum with it as with any other, by its mass and its velocity; and if it
//! would still run into it where it stands, it is held too. So time is all that is lost, by those that
//! [`SubSteps::held`] names: momentum is kept and energy not won, whoever is held, and nobody gets into
//! anybody. Even what nothing pushes is held where it would run over one that is. There are at most as
//! many passes as bodies that are pushed times that number, and as many as are driven.
//!
//! **Budgets.** The time of a step is that of its searches: at most [`SubStepsConfig::searches_max`], of at most
//! twice [`SubStepsConfig::rounds_max`] rounds each. A round costs some hundred nanoseconds. A pair of bodies that do not
//! spin takes a few rounds; a pair whose spins are `ω` radians a tick takes about `ω` times as many while its boxes
//! meet, because a plane between the two is good for a part of a turn. A body whose next impact may not be searched
//! for any more is held from then on, and so is whatever could come to it where it stands: a box around the
//! rest of its way decides that. All others go on. [`Stalled::since`] is the time up to which the way of a body is
//! proved to be free. A search that runs out of rounds goes on from the time that it has proved, and counts as an
//! impact of both; one that gets no further has both held.
//!
//! **Resting.** What rests on something immovable is *supported*, and as long as it lies there it counts
//! as immovable itself for what comes down on it, and so on upwards: a stack takes about one pass a
//! contact instead of handing impulses up and down.
//!
//! **Slop.** Positions are rounded to `f32` at each impact and at the end. So that this brings nobody
//! to the other side of something thin, two touch at a distance, their *skin*: the target, and 2⁻²⁰ of the greatest
//! position and way in the tick of the two, as far as they move or give way. No other body counts: one that is far off or fast changes no
//! bit of those that it does not meet.
//!
//! **Correction.** Two that are nearer than their skin are pushed apart by at most what is missing until the end of
//! the tick. The velocity that does so is a *pseudo-velocity* (split impulses: Catto 2005): it moves bodies, is swept and
//! shared by inverse mass as any other, and is removed at the end of the tick. It is no part of momentum and adds no
//! energy. So that rounding leaves no pair closing, all that respond part by a pseudo-velocity, if by none else.
//!
//! **Slow.** Who touches and closes by less than an eighth of that distance in what is left of the tick is
//! passed over, as long as a quarter of it is left: to part all that is jammed between others, they would have to
//! be pushed by ever less.
//!
//! **What overlaps.** Two that overlap by more than that are pushed apart by no more than the skin in a tick, and are
//! not looked at for distances then, for there is none. If they are accelerated
//! towards each other it is known when they close again; while one turns they are looked at
//! again after each sixteenth of the tick. So they get no deeper than a spin takes them in that time.

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
use crate::narrowphase::toi::{ADVANCE_ROUNDS_MAX, AdvanceError};
use crate::par;
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use contacts::Contacts;
use crowd::{BodyRows, Crowd};
use passes::Event;
pub use proxies::SteppedWorld;
use search::BodyPair;
use state::BodyState;

/// Pairs of one piece of work.
const CHUNK: usize = 64;
/// How a tick is gone through.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SubStepsConfig {
    /// What counts as an impact. [`Touch::Hit`](crate::convex::toi::Touch::Hit) is as
    /// [`Touch::IfClosing`](crate::convex::toi::Touch::IfClosing) here: who does not
    /// close has nothing to respond to. The limits of what is told and dropped do not apply.
    pub pipeline: Config,
    /// How many impacts a body may be in, at least 2.
    pub impacts_max: u32,
    /// How many pairs of bodies a step may search for their next impact, those at its start included.
    pub searches_max: u32,
    /// How many rounds one search may take, at least 1:
    /// [`Settings::rounds_max`](crate::convex::toi::Settings::rounds_max).
    pub rounds_max: u32,
}

impl SubStepsConfig {
    /// Checks that a step can be made with these settings.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the target, the tolerance or a limit.
    pub fn validate(&self) -> Result<(), PipelineError> {
        self.pipeline.validate()?;
        if self.impacts_max < 2 {
            return Err(PipelineError::ImpactsMax { given: self.impacts_max });
        }
        if self.rounds_max == 0 { Err(AdvanceError::Rounds.into()) } else { Ok(()) }
    }
}

impl Default for SubStepsConfig {
    fn default() -> Self {
        Self {
            pipeline: Config::default(),
            impacts_max: 32,
            searches_max: u32::MAX,
            rounds_max: ADVANCE_ROUNDS_MAX,
        }
    }
}

/// What a tick took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SubStepped {
    /// Impacts that came up and were still so.
    pub passes: usize,
    /// Of these answered by a change of motion.
    pub responses: usize,
    /// Searches for impacts of changed motions.
    pub asked: usize,
    /// Pairs searched for their next impact, those at the start of the tick included.
    pub searches: usize,
    /// Bodies that were held because they were in too many impacts, or came to one that was held.
    pub held: usize,
    /// How many of those because [`SubStepsConfig::searches_max`] or [`SubStepsConfig::rounds_max`] ran out.
    pub over_budget: usize,
}

/// An impact that was responded to, and how hard it was.
///
/// The momentum of a body that is not [`carried`](Self::carried) changes by `-impulse · normal` if it
/// is `a`, by `impulse · normal` if it is `b`, and from [`Impact::toi`] to the end of its tick
/// by as much for `load · time`. With its own acceleration that is all that changes it. Masses are one by
/// inverse masses, lengths the caller's, times parts of a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Responded<P = Pair> {
    /// When, who and where; how fast they closed by their velocities, correction of slop excluded.
    pub impact: Impact<P>,
    /// What became of the two.
    pub outcome: BounceOutcome,
    /// How hard: the impulse along the normal, mass · length / tick. Below 0, by a trifle, where two part
    /// that are pulled back at once.
    pub impulse: f32,
    /// With what one rests on the other from then on, mass · length / tick²; what rests on it in turn
    /// is not in it.
    pub load: f32,
    /// Whether `a`, or `b`, did not give way: nothing pushes it, or what it lies on took the impulse.
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

    /// The same of other names of the two.
    fn named<Q>(self, pair: Q) -> Responded<Q> {
        let Self { impact, outcome, impulse, load, carried } = self;
        Responded { impact: impact.named(pair), outcome, impulse, load, carried }
    }
}

/// A body that lost the rest of a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stalled<R = u32> {
    /// Which.
    pub row: R,
    /// From when on its time stood: a fraction of the tick. Its way is proved to be free up to then.
    pub since: f32,
}

/// Takes bodies through a tick, and keeps the memory for the next.
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
    /// What the pipeline wants to be searched at the start, and what was found.
    asks: Vec<ShapeTest>,
    found: Vec<Option<Event>>,
    /// Slop of each row at the start.
    slops: Vec<f32>,
    /// Who has changed in this pass.
    changed: Vec<usize>,
    /// Who comes near to the one that is asked.
    others: Vec<usize>,
    /// A column that stands in for boxes, which are not read.
    unread: Vec<f32>,
    flags: Vec<BodyFlags>,
    rejected: Vec<Rejected>,
    responded: Vec<Responded>,
    held: Vec<Stalled>,
    /// Who is to be held for want of searches, and what comes to them.
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
    /// A driver.
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

    /// The pipeline that finds the first impacts, for its level and threads.
    pub fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipeline
    }

    /// The impacts of the last [`SubSteps::run`] that were responded to, in the order of time.
    #[must_use]
    pub fn impacts(&self) -> &[Responded] {
        &self.responded
    }

    /// Who was held in the last [`SubSteps::run`], and since when.
    #[must_use]
    pub fn held(&self) -> &[Stalled] {
        &self.held
    }

    /// Rows of the last tick that were rejected: for their motion, or for their [`Mass`]. They stay as they are and
    /// meet nobody.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// Takes all bodies to the end of the tick.
    ///
    /// Body `i` is row `i`. Afterwards its motion is the one to go on with: where it is, its
    /// displacement over a tick by its velocity then, its acceleration and spin as before. Pairs that
    /// overlap at the start get no deeper; to part them is for [`separate`](super::response::separate).
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

    /// Fills the queue with the impacts of the motions as they are.
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

    /// Searches the pairs that the pipeline has listed, as many as may be.
    fn search_all<'s, C: Crowd<'s>>(&mut self, crowd: &mut C) {
        let mut asks = core::mem::take(&mut self.asks);
        asks.retain(|ask| {
            let [a, b] = [ask.pair.a, ask.pair.b].map_each(|row| row as usize);
            let boxes = [a, b].map_each(|row| self.near.reach(row));
            // What rests is found by this box where a world is asked for it.
            let is_near = matches!(boxes, [Some(a), Some(b)] if a.overlaps(&b));
            let is_out = self.states[a].is_out || self.states[b].is_out;
            is_near && !is_out && crowd.may_meet(a, b)
        });
        let searched = asks.len().min(self.config.searches_max as usize);
        if searched < asks.len() {
            // The same ones, however the finder has cut them.
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

    /// Deals with one impact after the other, and carries all to the end.
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

    /// Distance at which two rows touch.
    fn skin(&self, rows: [usize; 2]) -> f32 {
        self.config.skin(rows.map_each(|row| self.states[row].slop))
    }
}

impl SubStepsConfig {
    /// Distance at which two bodies of these slops touch.
    fn skin(&self, [a, b]: [f32; 2]) -> f32 {
        self.pipeline.target_distance + if a > b { a } else { b }
    }
}

fn gives_way_or_moves(motion: &Motion, mass: Mass) -> bool {
    mass.inverse_mass > 0.0 || [motion.delta, motion.accel, motion.spin] != [[0.0; 3]; 3]
}

/// What is left of the tick; not less.
pub(in crate::pipeline) fn until_end(now: f32) -> f32 {
    let left = 1.0 - f64::from(now);
    let rounded = left as f32;
    if f64::from(rounded) < left { rounded.next_up() } else { rounded }
}
