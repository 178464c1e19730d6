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
//! passes.rs    the earliest impact: who responds, who is held, who looks ahead
//! contacts.rs  what touches already hands an impulse on at once, without a search
//! ```
//!
//! **Chains.** Bodies in a row that give nothing back share what hits one of them at the time at which it
//! is hit, by sums alone (`contacts.rs`). That is most of what happens in a pile.
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
//! **Resting.** What rests on something immovable is *supported*, and as long as it lies there it counts
//! as immovable itself for what comes down on it, and so on upwards: a stack takes about one pass a
//! contact instead of handing impulses up and down.
//!
//! **Slop.** Positions are rounded to `f32` at each impact and at the end. So that this brings nobody
//! to the other side of something thin, all touch at a distance: the target, and 2⁻²⁰ of the greatest
//! position and way in the tick of what moves or gives way.
//!
//! **Slow.** Who touches and closes by less than an eighth of that distance in what is left of the tick is
//! passed over, as long as a quarter of it is left: to part all that is jammed between others, they would have to
//! be pushed by ever less.
//!
//! **What overlaps.** Two that overlap by more than that part again, at least so fast that the slop is out
//! after a tick, and are not looked at for distances then, for there is none. If they are accelerated
//! towards each other it is known when they close again; while one turns they are looked at
//! again after each sixteenth of the tick. So they get no deeper than a spin takes them in that time.

mod contacts;
mod crowd;
mod passes;
mod proxies;

use super::impacts::Impact;
use super::near::Near;
use super::response::{self, Outcome, Reaction};
use super::scene::{Config, Convex, Flags, PipelineError, Scene};
use super::tick::Pipeline;
use crate::geom::{Filter, Motion, Pair};
use crate::narrowphase::advance::Touch;
use crate::store::{Boxes, LengthMismatch, Rejected};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use contacts::Contacts;
use crowd::{Crowd, Rows};
use passes::{Event, PART, State};
pub use proxies::SteppedWorld;

/// Of the greatest numbers: how far apart bodies touch, so that rounding does no harm. 2⁻²⁰.
const SLOP: f64 = 1.0 / (1 << 20) as f64;

/// How a tick is gone through.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct SubStepsConfig {
    /// What counts as an impact. [`Touch::Hit`] is as [`Touch::IfClosing`] here: who does not
    /// close has nothing to respond to. The limits of what is told and dropped do not apply.
    pub pipeline: Config,
    /// How many impacts a body may be in, at least 2.
    pub impacts_max: u32,
}

impl Default for SubStepsConfig {
    fn default() -> Self {
        Self { pipeline: Config::default(), impacts_max: 32 }
    }
}

/// How a body takes an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mass {
    /// One by its mass; 0 is a body that nothing pushes. It may move.
    pub inverse_mass: f32,
    /// How much of a closing speed comes back, in `[0, 1]`; of two bodies the greater counts.
    pub restitution: f32,
}

impl Mass {
    /// A body that nothing pushes and that gives nothing back.
    pub const FIXED: Self = Self { inverse_mass: 0.0, restitution: 0.0 };
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
    /// Bodies that were held because they were in too many impacts.
    pub held: usize,
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
    /// When, who and where; how fast they closed.
    pub impact: Impact<P>,
    /// What became of the two.
    pub outcome: Outcome,
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
    fn new(impact: Impact<P>, reaction: Reaction, inverse_masses: [f32; 2]) -> Self {
        let Reaction { outcome, impulse, load } = reaction;
        Self { impact, outcome, impulse, load, carried: inverse_masses.map(|mass| mass == 0.0) }
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
pub struct Held<R = u32> {
    /// Which.
    pub row: R,
    /// From when on its time stood: a fraction of the tick.
    pub since: f32,
}

/// Takes bodies through a tick, and keeps the memory for the next.
///
/// ```
/// use swath::pipeline::{Mass, SubSteps, SubStepsConfig};
/// use swath::{Convex, Motion, Pose, Shape};
///
/// // A ball between two walls, so fast that it hits each many times in one tick.
/// let body = |row, x, dx, shape| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(Convex { row, shape, motion: Motion::new(Pose::at([x, 0.0, 0.0])?, [dx, 0.0, 0.0])? })
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
    states: Vec<State>,
    near: Near,
    contacts: Contacts,
    /// Who has changed in this pass.
    changed: Vec<usize>,
    /// Who comes near to the one that is asked.
    others: Vec<usize>,
    /// A column that stands in for boxes, which are not read.
    unread: Vec<f32>,
    flags: Vec<Flags>,
    rejected: Vec<Rejected>,
    responded: Vec<Responded>,
    held: Vec<Held>,
    proxies: proxies::Memory,
    skin: f32,
    tolerance: f32,
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
            changed: Vec::new(),
            others: Vec::new(),
            unread: Vec::new(),
            flags: Vec::new(),
            rejected: Vec::new(),
            responded: Vec::new(),
            held: Vec::new(),
            proxies: proxies::Memory::default(),
            skin: 0.0,
            tolerance: 0.0,
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
    pub fn held(&self) -> &[Held] {
        &self.held
    }

    /// The rows of the last tick that are no bodies. They stay as they are and meet nobody.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// Takes all bodies to the end of the tick.
    ///
    /// Body `i` is row `i`. Afterwards its motion is the one to go on with: where it is, its
    /// displacement over a tick by its velocity then, its acceleration and spin as before. Pairs that
    /// overlap at the start get no deeper; to part them is for [`response::separate`].
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings or the columns. Nothing is changed then.
    pub fn run(
        &mut self,
        bodies: &mut [Convex<'_>],
        masses: &[Mass],
        filters: Option<&[Filter]>,
    ) -> Result<SubStepped, PipelineError> {
        LengthMismatch::check("the masses", bodies.len(), masses.len())?;
        self.measure(bodies, masses);
        let mut rows = Rows { bodies, masses, filters };
        self.start(&rows, filters)?;
        self.work_off(&mut rows);
        Ok(self.told)
    }

    /// How far apart all touch, and how exactly.
    fn measure(&mut self, bodies: &[Convex<'_>], masses: &[Mass]) {
        let (mut most, mut size): (f64, f64) = (0.0, 0.0);
        for (Convex { motion, shape, .. }, mass) in bodies.iter().zip(masses) {
            // What stays where it is is never rounded.
            if !gives_way_or_moves(motion, *mass) {
                continue;
            }
            for axis in 0..3 {
                let reach = f64::from(motion.pose.position[axis]).abs()
                    + f64::from(motion.delta[axis]).abs()
                    + f64::from(motion.accel[axis]).abs();
                // A body that is none has no say.
                if reach > most && motion.validate().is_ok() {
                    most = reach;
                }
            }
            if mass.inverse_mass > 0.0 && shape.size() > size {
                size = shape.size();
            }
        }
        self.skin = self.config.pipeline.target_distance + (most * SLOP) as f32;
        self.tolerance = self.tolerance_of(size);
    }

    /// The tolerance for two of which the lesser has this size.
    fn tolerance_of(&self, size: f64) -> f32 {
        let (most, tolerance) = (f64::from(self.skin) * PART, self.config.pipeline.tolerance);
        if f64::from(tolerance) * size > most { (most / size) as f32 } else { tolerance }
    }

    /// Fills the queue with the impacts of the motions as they are.
    fn start<'s>(
        &mut self,
        crowd: &impl Crowd<'s>,
        filters: Option<&[Filter]>,
    ) -> Result<(), PipelineError> {
        let bodies = crowd.bodies();
        // Who touches at the start is asked below.
        self.pipeline.set_config(Config { touch: Touch::Hit, ..self.settings() });
        self.unread.resize(bodies.len(), 0.0);
        self.flags.clear();
        self.flags.extend(bodies.iter().enumerate().map(|(row, body)| {
            let moves = gives_way_or_moves(&body.motion, crowd.mass(row));
            if moves { Flags::MOVES } else { Flags::STILL }
        }));
        let unread = Boxes::from_columns([&self.unread[..]; 9])?;
        let mut scene = Scene::new(unread).convex(bodies).flagged(&self.flags);
        scene.filters = filters;
        self.pipeline.tick(&scene)?;
        self.queue.clear();
        self.contacts.clear();
        self.responded.clear();
        self.held.clear();
        self.told = SubStepped::default();
        self.states.clear();
        self.states.extend(bodies.iter().map(|body| State::new(&body.motion)));
        let ticked = self.pipeline.last();
        self.rejected.clear();
        self.rejected.extend_from_slice(ticked.rejected());
        self.near.start(bodies, self.skin, self.pipeline.threads());
        for rejected in &self.rejected {
            self.near.drop(rejected.row as usize);
        }
        for k in 0..self.pipeline.last().impacts().len() {
            let impact = &self.pipeline.last().impacts()[k];
            let rows = [impact.pair.a as usize, impact.pair.b as usize];
            let [a, b] = rows.map(|row| crowd.name(row));
            let impact = Impact { pair: Pair { a, b }, ..*impact };
            // Who touches may be slow; and with a point the tolerance is of the other, which may be large.
            let by_itself = rows.iter().any(|&row| bodies[row].shape.size() == 0.0);
            let event = if by_itself || impact.toi == 0.0 {
                self.ask(crowd, rows, 0.0)
            } else {
                Some(Event { impact, rows, versions: [0; 2], is_look: false })
            };
            self.queue.extend(event);
        }
        Ok(())
    }

    /// Deals with one impact after the other, and carries all to the end.
    fn work_off<'s, C: Crowd<'s>>(&mut self, crowd: &mut C) {
        while let Some(event) = self.queue.pop() {
            self.pass(crowd, event);
        }
        for (row, state) in self.states.iter().enumerate() {
            // Who came in later rests.
            if !self.near.has(row) {
                continue;
            }
            let motion = &mut crowd.body_mut(row).motion;
            *motion = response::carried(motion, until_end(state.since));
            motion.accel = state.accel;
            if let Some([delta, spin]) = state.held {
                (motion.delta, motion.spin) = (delta, spin);
            }
        }
    }

    fn settings(&self) -> Config {
        let touch = match self.config.pipeline.touch {
            Touch::Ignore => Touch::Ignore,
            _ => Touch::IfClosing,
        };
        let (target_distance, tolerance) = (self.skin, self.tolerance);
        Config { target_distance, tolerance, touch, fast: 0.0, impacts_per_body: 0 }
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
