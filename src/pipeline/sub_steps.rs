//! How do bodies go through a whole tick, one impact after the other?
//!
//! A queue of impacts by time. The pipeline fills it; the earliest is taken out, its two bodies are
//! carried to its time and respond ([`response`]), and each whose motion has
//! changed is asked anew against all whose remaining path comes near its own (`near.rs`). Impacts that were told
//! of an older motion are passed over when they come up. So at any time all impacts before it have
//! been dealt with, in order: nobody goes through anybody, and each body gets to the end of the tick.
//!
//! **Bounded.** A body may be in [`SubStepsConfig::impacts_max`] impacts a tick. After half of them
//! it bounces no more (restitution 0), and at the last it is *held*: it stands for the rest of
//! the tick, as an obstacle that nothing moves, and goes on with its velocity in the next. So there
//! are at most as many passes as bodies that move times that number. How many were held is told:
//! theirs is the only time that is lost.
//!
//! **Resting.** What rests on something immovable is *supported*, and counts as immovable itself for
//! what comes down on it, and so on upwards: a stack takes about one pass a contact instead of
//! handing impulses up and down.
//!
//! **Slop.** Positions are rounded to `f32` at each impact and at the end. So that this brings nobody
//! to the other side of something thin, all touch at a distance: the target, and 2⁻²¹ of the greatest
//! position and way in the tick.

use super::impacts::{Impact, Kind};
use super::near::Near;
use super::response::{self, Outcome};
use super::scene::{Config, Convex, Flags, PipelineError, Scene};
use super::tick::Pipeline;
use crate::geom::{Filter, Motion, Pair};
use crate::narrowphase::advance::{self, Settings, Touch};
use crate::store::{Boxes, LengthMismatch, Rejected};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Of the greatest numbers: how far apart bodies touch, so that rounding does no harm. 2⁻²⁰.
const SLOP: f64 = 1.0 / (1 << 20) as f64;
/// The part of the skin that the tolerance is at most, and the part of what it lost that a pair which
/// parts may come nearer.
const PART: f64 = 0.125;
/// The cosine up to which a support carries what comes from above.
const CARRIES: f64 = 0.7;
/// What makes a time later where it need not be exact. 2⁻²².
const LATER: f64 = 1.0 / (1 << 22) as f64;
/// Who leaves a support by more than this, of what closes, is no longer carried.
const LEAVES: f64 = 1.0 / 1024.0;

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

/// An impact to come, and of which motions.
#[derive(Clone, Copy, Debug)]
struct Event {
    impact: Impact,
    versions: [u32; 2],
}

impl Event {
    fn key(&self) -> (u32, Pair) {
        (self.impact.toi.to_bits(), self.impact.pair)
    }
}

impl Ord for Event {
    /// The greatest is the earliest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

/// What is known of a body in the tick, besides its motion.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// From when on its motion holds.
    since: f32,
    /// How often its motion has changed.
    version: u32,
    impacts: u32,
    /// From what carries it to it; zero where nothing does.
    support: [f32; 3],
    /// Who carries it.
    carrier: u32,
    /// Its own, to be given back at the end.
    accel: [f32; 3],
    /// The displacement and the spin of one that is held.
    held: Option<[[f32; 3]; 2]>,
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
    /// Who comes near to the one that is asked.
    others: Vec<usize>,
    /// A column that stands in for boxes, which are not read.
    unread: Vec<f32>,
    flags: Vec<Flags>,
    rejected: Vec<Rejected>,
    impacts: Vec<Impact>,
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
            others: Vec::new(),
            unread: Vec::new(),
            flags: Vec::new(),
            rejected: Vec::new(),
            impacts: Vec::new(),
            skin: 0.0,
            tolerance: 0.0,
            told: SubStepped::default(),
        }
    }

    /// The pipeline that finds the first impacts, for its level and threads.
    pub fn pipeline(&mut self) -> &mut Pipeline {
        &mut self.pipeline
    }

    /// The impacts of the last tick that were responded to, in the order in which they were.
    #[must_use]
    pub fn impacts(&self) -> &[Impact] {
        &self.impacts
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
        self.start(bodies, masses, filters)?;
        let mut world = World { bodies, masses, filters };
        while let Some(event) = self.queue.pop() {
            self.pass(&mut world, event);
        }
        let Self { states, near, .. } = self;
        for (row, (state, body)) in states.iter().zip(world.bodies).enumerate() {
            if !near.has(row) {
                continue;
            }
            body.motion = response::carried(&body.motion, until_end(state.since));
            body.motion.accel = state.accel;
            if let Some([delta, spin]) = state.held {
                (body.motion.delta, body.motion.spin) = (delta, spin);
            }
        }
        Ok(self.told)
    }

    /// Fills the queue with the impacts of the motions as they are.
    fn start(
        &mut self,
        bodies: &[Convex<'_>],
        masses: &[Mass],
        filters: Option<&[Filter]>,
    ) -> Result<(), PipelineError> {
        let mut most = 0.0;
        for Convex { motion, .. } in bodies {
            for axis in 0..3 {
                let reach = f64::from(motion.pose.position[axis]).abs()
                    + f64::from(motion.delta[axis]).abs()
                    + f64::from(motion.accel[axis]).abs();
                // A body that is none has no say.
                if reach > most && motion.validate().is_ok() {
                    most = reach;
                }
            }
        }
        self.skin = self.config.pipeline.target_distance + (most * SLOP) as f32;
        self.tolerance = self.config.pipeline.tolerance;
        let size = self.size(bodies, masses);
        let most = f64::from(self.skin) * PART;
        if f64::from(self.tolerance) * size > most {
            self.tolerance = (most / size) as f32;
        }
        self.pipeline.set_config(self.settings());
        self.unread.resize(bodies.len(), 0.0);
        self.flags.clear();
        self.flags.extend(bodies.iter().zip(masses).map(|(body, mass)| {
            if mass.inverse_mass > 0.0 || is_moving(&body.motion) {
                Flags::MOVES
            } else {
                Flags::STILL
            }
        }));
        let unread = Boxes::from_columns([&self.unread[..]; 9])?;
        let mut scene = Scene::new(unread).convex(bodies).flagged(&self.flags);
        scene.filters = filters;
        let ticked = self.pipeline.tick(&scene)?;
        self.queue.clear();
        self.impacts.clear();
        self.told = SubStepped::default();
        let event = |&impact: &Impact| Event { impact, versions: [0; 2] };
        self.queue.extend(ticked.impacts().iter().map(event));
        self.rejected.clear();
        self.rejected.extend_from_slice(ticked.rejected());
        self.states.clear();
        let state = |body: &Convex<'_>| State { accel: body.motion.accel, ..State::default() };
        self.states.extend(bodies.iter().map(state));
        self.near.start(bodies, self.skin, self.pipeline.threads());
        for rejected in &self.rejected {
            self.near.drop(rejected.row as usize);
        }
        Ok(())
    }

    fn settings(&self) -> Config {
        let touch = match self.config.pipeline.touch {
            Touch::Ignore => Touch::Ignore,
            _ => Touch::IfClosing,
        };
        let (target_distance, tolerance) = (self.skin, self.tolerance);
        Config { target_distance, tolerance, touch, fast: 0.0, impacts_per_body: 0 }
    }

    /// The greatest size that a tolerance can be of: of those that move, unless one is a point.
    fn size(&self, bodies: &[Convex<'_>], masses: &[Mass]) -> f64 {
        let (mut of_all, mut of_movers, mut points) = (0.0, 0.0, false);
        for (body, mass) in bodies.iter().zip(masses) {
            let size = body.shape.size();
            of_all = if size > of_all { size } else { of_all };
            if mass.inverse_mass > 0.0 {
                points |= size == 0.0;
                of_movers = if size > of_movers { size } else { of_movers };
            }
        }
        if points { of_all } else { of_movers }
    }

    /// Deals with the earliest impact.
    fn pass(&mut self, world: &mut World<'_, '_>, event: Event) {
        let Event { mut impact, versions } = event;
        // What rounding took of the skin is given back within a tick, and no more.
        impact.depth = if impact.depth < self.skin { impact.depth } else { self.skin };
        let rows = [impact.pair.a as usize, impact.pair.b as usize];
        if rows.map(|row| self.states[row].version) != versions {
            return;
        }
        if !world.may_meet(rows[0], rows[1]) {
            return;
        }
        self.told.passes += 1;
        let masses = self.inverse_masses(world, rows, &impact);
        if masses == [0.0; 2] {
            // One is held and the other on rails: nothing gives way.
            return;
        }
        let mut motions = rows.map(|row| {
            response::carried(&world.bodies[row].motion, impact.toi - self.states[row].since)
        });
        let spent = rows.map(|row| self.states[row].impacts).into_iter().max().unwrap_or(0);
        let of = rows.map(|row| world.masses[row].restitution);
        let restitution = if of[0] > of[1] { of[0] } else { of[1] };
        let restitution = if spent < self.config.impacts_max / 2 { restitution } else { 0.0 };
        let [on_a, on_b] = &mut motions;
        let outcome = response::bounce(&impact, [on_a, on_b], masses, restitution);
        let kept = outcome == Outcome::Kept;
        if !kept {
            self.told.responses += 1;
            self.impacts.push(impact);
        }
        let mut changed = [false; 2];
        for (member, row) in rows.into_iter().enumerate() {
            let state = &mut self.states[row];
            // Who is not pushed goes on as he was, to the bit.
            if masses[member] == 0.0 {
                continue;
            }
            state.impacts += 1;
            let hold = state.impacts >= self.config.impacts_max && state.held.is_none();
            if kept && !hold {
                continue;
            }
            changed[member] = true;
            (state.version, state.since) = (state.version + 1, impact.toi);
            let motion = &mut world.bodies[row].motion;
            *motion = motions[member];
            if outcome == Outcome::Resting && masses[1 - member] == 0.0 {
                // From the other to this one.
                state.support = impact.normal.map(|x| if member == 0 { -x } else { x });
                state.carrier = rows[1 - member] as u32;
            }
            if hold {
                state.held = Some([motion.delta, motion.spin]);
                (motion.delta, motion.accel, motion.spin) = ([0.0; 3], [0.0; 3], [0.0; 3]);
                self.told.held += 1;
            }
            self.near.set(row, &world.bodies[row], impact.toi);
        }
        for (member, row) in rows.into_iter().enumerate() {
            if changed[member] {
                // The two of them once.
                let but = (changed[0] && member == 1).then_some(rows[0]);
                self.ask_all(world, row, impact.toi, but);
            }
        }
        if changed == [false; 2] {
            // They touch and part; what they come to later is still to be found.
            let event = self.ask(world, rows, impact.toi);
            self.queue.extend(event);
        }
    }

    /// The inverse masses that count in an impact: none for one that is held, or carried by what is
    /// behind it.
    fn inverse_masses(&self, world: &World<'_, '_>, rows: [usize; 2], impact: &Impact) -> [f32; 2] {
        let dot = |p: [f32; 3], q: [f32; 3]| -> f64 {
            (0..3).map(|axis| f64::from(p[axis]) * f64::from(q[axis])).sum()
        };
        let free = rows.map(|row| {
            let held = self.states[row].held.is_some();
            if held { 0.0 } else { world.masses[row].inverse_mass }
        });
        let mut masses = free;
        // They are pushed apart: `a` against the normal, `b` along it.
        for (member, push) in [-1.0, 1.0].into_iter().enumerate() {
            let State { support, carrier, accel, .. } = self.states[rows[member]];
            let [own, of_carrier] = [rows[member], carrier as usize]
                .map(|row| dot(world.bodies[row].motion.delta, support));
            let speed = own - of_carrier;
            // Leaves it by next to nothing, or its own weight brings it back at once.
            let still = speed
                <= LEAVES * (f64::from(impact.closing).abs() + own.abs())
                    + 2.0 * f64::from(self.skin)
                || 2.0 * speed <= -response::SOON * dot(accel, support);
            if -push * dot(impact.normal, support) > CARRIES && still {
                masses[member] = 0.0;
            }
        }
        if masses == [0.0; 2] { free } else { masses }
    }

    /// Looks for the impacts of a row from `now` on, with all others but one.
    fn ask_all(&mut self, world: &World<'_, '_>, row: usize, now: f32, but: Option<usize>) {
        let mut others = core::mem::take(&mut self.others);
        self.near.of(row, &mut others);
        for &other in &others {
            if Some(other) == but || !world.may_meet(row, other) {
                continue;
            }
            self.told.asked += 1;
            if let Some(event) = self.ask(world, [row.min(other), row.max(other)], now) {
                self.queue.push(event);
            }
        }
        self.others = others;
    }

    /// The next impact of two from `now` on.
    fn ask(&self, world: &World<'_, '_>, rows: [usize; 2], now: f32) -> Option<Event> {
        let motions = rows
            .map(|row| response::carried(&world.bodies[row].motion, now - self.states[row].since));
        let shapes = rows.map(|row| &world.bodies[row].shape);
        let pair = Pair { a: rows[0] as u32, b: rows[1] as u32 };
        let mut settings = Settings { window: [0.0, until_end(now)], ..self.settings().settings() };
        let ask = super::windows::Ask { pair, window: settings.window, sensor: false };
        let search = |settings: &Settings| {
            let toi =
                advance::of_valid((shapes[0], &motions[0]), (shapes[1], &motions[1]), settings);
            super::convex::impact(&ask, &toi)
        };
        let mut impact = search(&settings)?;
        if impact.kind == Kind::Overlapping && impact.closing <= 0.0 {
            // They are nearer than the skin, and part. They may come back: this once the skin is
            // less, where there is any left; else what pulls them together tells when to look again.
            settings.target_distance = self.skin - (1.0 + PART as f32) * impact.depth;
            let less = if settings.target_distance > 0.0 { search(&settings) } else { None };
            match less {
                Some(less) if less.kind != Kind::Overlapping => impact = less,
                None if settings.target_distance > 0.0 => return None,
                _ => impact.toi = comes_back(&impact, &motions)?,
            }
        }
        let toi = f64::from(now) + f64::from(impact.toi);
        if toi > 1.0 {
            return None;
        }
        impact.toi = down(toi);
        Some(Event { impact, versions: rows.map(|row| self.states[row].version) })
    }
}

/// What the driver was given.
struct World<'a, 's> {
    bodies: &'a mut [Convex<'s>],
    masses: &'a [Mass],
    filters: Option<&'a [Filter]>,
}

impl World<'_, '_> {
    fn may_meet(&self, a: usize, b: usize) -> bool {
        self.filters.is_none_or(|filters| filters[a].allows(filters[b]))
            && (self.masses[a].inverse_mass > 0.0 || self.masses[b].inverse_mass > 0.0)
    }
}

fn is_moving(motion: &Motion) -> bool {
    [motion.delta, motion.accel, motion.spin] != [[0.0; 3]; 3]
}

/// After how much of the tick two that part are as deep in each other as before, by what pulls them
/// together along the normal.
fn comes_back(impact: &Impact, [a, b]: &[Motion; 2]) -> Option<f32> {
    let pulled: f64 = (0..3)
        .map(|axis| {
            let by = f64::from(a.accel[axis]) - f64::from(b.accel[axis]);
            by * f64::from(impact.normal[axis])
        })
        .sum();
    let after = -2.0 * f64::from(impact.closing) / pulled;
    // A little later, so that it is seen to close then; far less than the skin deeper.
    let after = if after <= response::SOON { 0.0 } else { after * (1.0 + LATER) + LATER };
    // NaN is in no range.
    (pulled > 0.0 && (0.0..=1.0).contains(&after)).then(|| down(after))
}

/// What is left of the tick; not less.
pub(super) fn until_end(now: f32) -> f32 {
    let left = 1.0 - f64::from(now);
    let rounded = left as f32;
    if f64::from(rounded) < left { rounded.next_up() } else { rounded }
}

/// The greatest `f32` that is not above a time.
fn down(t: f64) -> f32 {
    let nearest = t as f32;
    let nearest = if f64::from(nearest) > t { nearest.next_down() } else { nearest };
    if nearest < 1.0 { nearest } else { 1.0 }
}
