//! A small physics engine on swath, to be copied: boxes and balls that do not rotate, gravity, friction and
//! sleep.
//!
//! This file contains what an engine provides itself. Which bodies touch, and when, is computed by swath:
//!
//! ```text
//! bodies ──► Broadphase   boxes around the paths of the tick: which pairs begin and end    wakes and islands
//!        ──► Stepper     the bodies at the end of the tick, after all impacts by time     motions, impulses
//!        ──► this file    friction from the impulses of these impacts; slow islands sleep
//! ```
//!
//! **Units.** A [`Motion`] is in metres per tick and per tick²: `delta = velocity · DT`,
//! `accel = gravity · DT²`. A tick advances the position by `delta + ½·accel`, which is exact for a body in free
//! flight, so flying neither adds nor removes energy.
//!
//! **Friction** (Coulomb): if the impulse along the normal in the tick is `j`, as `Stepper` reports it, the
//! impulse across the normal is at most `µ·j`, and not more than what stops the sliding. It is applied at the
//! end of the tick. At a contact below a stack, only the weight of the body directly above it has an effect. So a
//! brick that lies on a bullet slides for seconds, because only the weight of the bullet presses on the floor.
//!
//! **Sleep.** Bodies that touch are an island. If all bodies of an island were slow for `QUIET_TICKS`, it
//! sleeps: its proxies cost nothing and are obstacles for others, until a body would push it or
//! one of its contacts ends.
//!
//! Without CCD, for comparison, `without_ccd.rs` does the second step.

pub mod range;
mod without_ccd;

use swath::broadphase::KindTable;
use swath::pipeline::Config;
use swath::{Broadphase, Motion, MovingBox, Pipeline, Pose, Proxy, ProxyId, ProxyKind, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};

/// Seconds per tick.
pub const DT: f32 = 1.0 / 60.0;
/// Speed below which a body is slow, in metres per tick: 0.1 m/s.
const QUIET: f32 = 0.1 * DT;
/// Number of slow ticks after which an island sleeps: half a second.
const QUIET_TICKS: u32 = 30;
/// Distance at which bodies count as touching, in metres. The boxes of proxies are enlarged by it, so that a
/// body that lies on another one remains a pair.
const NEAR: f32 = 0.002;

/// An error of the engine. It is caused by an invalid body and ends the run.
pub type Failure = Box<dyn std::error::Error>;

/// A body to be added to the engine.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub shape: Shape<'static>,
    pub at: [f32; 3],
    /// Metres per second.
    pub velocity: [f32; 3],
    /// Kilograms; 0 is fixed.
    pub mass: f32,
    pub restitution: f32,
    pub friction: f32,
    pub sleeps: bool,
}

/// A body in the engine.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub id: ProxyId,
    pub set: ProxyKind,
    pub motion: Motion,
    pub mass: f32,
    pub shape: Shape<'static>,
    response_mass: Mass,
    friction: f32,
    /// Number of consecutive ticks in which it was slow.
    quiet: u32,
    /// The island with which it fell asleep.
    island: usize,
}

impl Row {
    pub fn is_awake(&self) -> bool {
        self.set == ProxyKind::Dynamic
    }

    fn speed(&self) -> f32 {
        length(self.motion.delta)
    }

    /// A moving box that contains the body during the whole tick.
    fn moving_bounds(&self) -> Result<MovingBox, Failure> {
        let bounds = Pipeline::bounds_of(&self.shape, &self.motion, 0.0)?;
        Ok(MovingBox { aabb: bounds.aabb.grown(NEAR)?, ..bounds })
    }
}

/// Statistics of a tick.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepped {
    /// Number of responses to impacts.
    pub impacts: usize,
    /// Number of bodies that were stalled for the rest of the tick.
    pub stalled: usize,
}

/// Quantities that are conserved without friction, inelastic impacts and fixed bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Kinetic energy, and potential energy above height 0, in joule.
    pub kinetic: f64,
    pub potential: f64,
    /// Newton seconds.
    pub momentum: [f64; 3],
    /// Sum of the magnitudes of the bodies' momenta, by axis.
    pub momenta: f64,
}

/// All bodies, and the broadphase and stepper that compute their impacts.
#[derive(Debug)]
pub struct Engine {
    /// Bodies in the order of insertion, without those that were removed.
    pub rows: Vec<Row>,
    /// Metres per second².
    gravity: [f32; 3],
    ccd: bool,
    broadphase: Broadphase,
    stepper: Stepper,
    /// Finds overlapping bodies in a tick without CCD.
    pipeline: Pipeline,
    /// Row of each slot of a proxy.
    row_of: Vec<usize>,
    islands: usize,
    // Scratch memory of a tick.
    parents: Vec<usize>,
    wanted: Vec<usize>,
}

impl Engine {
    pub fn new(gravity: [f32; 3], ccd: bool) -> Self {
        // A body that is added asleep needs the pair with what it lies on: when that is removed, the pair ends, and the body wakes.
        use ProxyKind::{Fixed, Sleeping};
        let mut broadphase = Broadphase::new();
        broadphase
            .set_kind_table(KindTable::default().with(Fixed, Sleeping).with(Sleeping, Sleeping));
        Self {
            rows: Vec::new(),
            gravity,
            ccd,
            broadphase,
            stepper: Stepper::new(StepperConfig::default()),
            pipeline: Pipeline::new(Config::default()),
            row_of: Vec::new(),
            islands: 0,
            parents: Vec::new(),
            wanted: Vec::new(),
        }
    }

    pub fn add(&mut self, body: &Body) -> Result<(), Failure> {
        let fixed = body.mass == 0.0;
        let (set, proxy) = match (fixed, body.sleeps) {
            (true, _) => (ProxyKind::Fixed, Proxy::fixed()),
            (false, true) => (ProxyKind::Sleeping, Proxy::sleeping()),
            (false, false) => (ProxyKind::Dynamic, Proxy::dynamic()),
        };
        let mut row = Row {
            id: ProxyId::NONE,
            set,
            motion: Motion::new(Pose::at(body.at)?, body.velocity.map(|v| v * DT))?,
            shape: body.shape,
            mass: body.mass,
            response_mass: Mass {
                inverse_mass: if fixed { 0.0 } else { 1.0 / body.mass },
                restitution: body.restitution,
            },
            friction: body.friction,
            quiet: 0,
            island: 0,
        };
        if row.is_awake() {
            row.motion.accel = pull(self.gravity);
        }
        row.id = self.broadphase.insert_moving(row.moving_bounds()?, proxy)?;
        self.rows.push(row);
        self.record_rows(self.rows.len() - 1);
        Ok(())
    }

    /// Removes all bodies for which `leaves` returns true.
    pub fn remove(&mut self, leaves: impl Fn(&Row) -> bool) -> Result<(), Failure> {
        for row in self.rows.iter().filter(|row| leaves(row)) {
            self.broadphase.remove(row.id)?;
        }
        self.rows.retain(|row| !leaves(row));
        self.record_rows(0);
        Ok(())
    }

    /// Records the row of each proxy, from row `first` on.
    fn record_rows(&mut self, first: usize) {
        for (k, row) in self.rows.iter().enumerate().skip(first) {
            let slot = row.id.index() as usize;
            self.row_of.resize(self.row_of.len().max(slot + 1), usize::MAX);
            self.row_of[slot] = k;
        }
    }

    /// Advances all bodies by one tick.
    pub fn step(&mut self) -> Result<Stepped, Failure> {
        for row in self.rows.iter().filter(|row| row.is_awake()) {
            let bounds = row.moving_bounds()?;
            self.broadphase.set(row.id, bounds.aabb, bounds.delta)?;
        }
        // If no body is awake, this is all, and it takes almost no time.
        self.broadphase.update()?;
        self.wake()?;
        if !self.rows.iter().any(Row::is_awake) {
            return Ok(Stepped::default());
        }
        let (impacts, stalled) =
            if self.ccd { self.step_with_ccd()? } else { self.step_without_ccd()? };
        self.fall_asleep()?;
        Ok(Stepped { impacts, stalled })
    }

    /// Wakes the islands of sleeping bodies that are about to be pushed or that lost a contact.
    fn wake(&mut self) -> Result<(), Failure> {
        let Self { rows, row_of, broadphase, wanted, gravity, .. } = self;
        wanted.clear();
        let index = |id: ProxyId| row_of[id.index() as usize];
        for pair in broadphase.changes().touching() {
            let [a, b] = [pair.a, pair.b].map(|id| &rows[index(id)]);
            for (sleeper, other) in [(a, b), (b, a)] {
                let push = other.speed() * other.mass * sleeper.response_mass.inverse_mass;
                if sleeper.set == ProxyKind::Sleeping && other.is_awake() && push > QUIET {
                    wanted.push(sleeper.island);
                }
            }
        }
        for id in broadphase.changes().ended().iter().flat_map(|pair| [pair.a, pair.b]) {
            // One of the two may have been removed, and its row may be that of another body.
            let row =
                rows.get(index(id)).filter(|row| row.id == id && row.set == ProxyKind::Sleeping);
            wanted.extend(row.map(|row| row.island));
        }
        if wanted.is_empty() {
            return Ok(());
        }
        wanted.sort_unstable();
        for row in rows.iter_mut() {
            if row.set == ProxyKind::Sleeping && wanted.binary_search(&row.island).is_ok() {
                (row.set, row.quiet, row.motion.accel) = (ProxyKind::Dynamic, 0, pull(*gravity));
                broadphase.set_kind(row.id, ProxyKind::Dynamic)?;
            }
        }
        Ok(())
    }

    /// Runs the tick with CCD. A sleeping body is an obstacle; an impact that would move it has woken it
    /// before.
    fn step_with_ccd(&mut self) -> Result<(usize, usize), Failure> {
        let Self { rows, row_of, broadphase, stepper, .. } = self;
        let index = |id: ProxyId| row_of[id.index() as usize];
        let stepped = stepper.step_proxies(broadphase, |id| {
            let Row { shape, motion, response_mass, .. } = rows[index(id)];
            Some((shape, motion, response_mass))
        })?;
        if let Some((id, reason)) = stepped.rejected().first() {
            return Err(format!("body {}: {reason}", index(*id)).into());
        }
        for (id, motion) in stepped.moved() {
            rows[index(*id)].motion = *motion;
        }
        for hit in stepped.impacts() {
            // The impulse may be slightly negative, for two bodies that separate and are pulled back at once.
            let pressed = hit.impulse + hit.supporting_force * (1.0 - hit.impact.toi);
            apply_friction(
                rows,
                [hit.impact.pair.a, hit.impact.pair.b].map(index),
                hit.impact.normal,
                pressed,
            );
        }
        Ok((stepped.stats().responses, stepped.stats().stalled))
    }

    /// Puts islands to sleep whose bodies were all slow for long enough.
    fn fall_asleep(&mut self) -> Result<(), Failure> {
        // Without gravity there are no resting contacts.
        if self.gravity == [0.0; 3] {
            return Ok(());
        }
        for row in &mut self.rows {
            row.quiet = if row.speed() < QUIET { row.quiet + 1 } else { 0 };
        }
        if !self.rows.iter().any(|row| row.is_awake() && row.quiet >= QUIET_TICKS) {
            return Ok(());
        }
        let Self { rows, parents, row_of, broadphase, islands, .. } = self;
        parents.clear();
        parents.extend(0..rows.len());
        for pair in broadphase.changes().touching() {
            let [a, b] = [pair.a, pair.b].map(|id| row_of[id.index() as usize]);
            if rows[a].is_awake() && rows[b].is_awake() {
                let [a, b] = [root(parents, a), root(parents, b)];
                parents[a.max(b)] = a.min(b);
            }
        }
        let mut quiet = vec![true; rows.len()];
        for row in 0..rows.len() {
            quiet[root(parents, row)] &= rows[row].quiet >= QUIET_TICKS;
        }
        for (k, row) in rows.iter_mut().enumerate() {
            let island = root(parents, k);
            if row.is_awake() && quiet[island] {
                (row.set, row.island) = (ProxyKind::Sleeping, *islands + 1 + island);
                (row.motion.delta, row.motion.accel) = ([0.0; 3], [0.0; 3]);
                let bounds = row.moving_bounds()?;
                broadphase.set(row.id, bounds.aabb, bounds.delta)?;
                broadphase.set_kind(row.id, ProxyKind::Sleeping)?;
            }
        }
        *islands += rows.len();
        Ok(())
    }

    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for row in self.rows.iter().filter(|row| row.set != ProxyKind::Fixed) {
            let mass = f64::from(row.mass);
            for axis in 0..3 {
                let speed = f64::from(row.motion.delta[axis]) / f64::from(DT);
                totals.kinetic += 0.5 * mass * speed * speed;
                totals.momentum[axis] += mass * speed;
                totals.momenta += mass * speed.abs();
                let height = f64::from(row.motion.pose.position[axis]);
                totals.potential -= mass * f64::from(self.gravity[axis]) * height;
            }
        }
        totals
    }
}

/// Gravity in metres per tick².
fn pull(gravity: [f32; 3]) -> [f32; 3] {
    gravity.map(|g| g * DT * DT)
}

/// Applies friction to two bodies; `pressed` is the impulse along the normal in the tick. A negative one has no effect.
fn apply_friction(rows: &mut [Row], pair: [usize; 2], normal: [f32; 3], pressed: f32) {
    let [a, b] = pair.map(|row| rows[row]);
    let inverse =
        [a, b].map(|row| if row.is_awake() { row.response_mass.inverse_mass } else { 0.0 });
    let sum = inverse[0] + inverse[1];
    if sum == 0.0 {
        return;
    }
    let slip = minus(a.motion.delta, b.motion.delta);
    let into = dot(slip, normal);
    let across = minus(slip, normal.map(|n| n * into));
    let speed = length(across);
    let most = (a.friction * b.friction).sqrt() * pressed.max(0.0) * sum;
    let part = if speed <= most { 1.0 } else { most / speed };
    for (row, by) in pair.into_iter().zip([-inverse[0], inverse[1]]) {
        let delta = &mut rows[row].motion.delta;
        *delta = plus(*delta, across.map(|x| x * part * by / sum));
    }
}

fn root(parents: &mut [usize], mut of: usize) -> usize {
    while parents[of] != of {
        parents[of] = parents[parents[of]];
        of = parents[of];
    }
    of
}

fn plus(p: [f32; 3], q: [f32; 3]) -> [f32; 3] {
    [p[0] + q[0], p[1] + q[1], p[2] + q[2]]
}

fn minus(p: [f32; 3], q: [f32; 3]) -> [f32; 3] {
    [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
}

fn dot(p: [f32; 3], q: [f32; 3]) -> f32 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

fn length(v: [f32; 3]) -> f32 {
    dot(v, v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{Body, Engine, apply_friction};
    use swath::Shape;

    /// Goal: friction neither accelerates bodies nor makes their displacements invalid, also for an impulse that is slightly negative.
    /// Method: a ball on another, with a negative, no and a positive impulse, with sliding and without.
    #[test]
    fn friction_of_a_negative_impulse_changes_nothing() {
        let ball = |at, velocity| Body {
            shape: Shape::sphere(0.5).expect("a ball"),
            at,
            velocity,
            mass: 2.0,
            restitution: 0.0,
            friction: 0.5,
            sleeps: false,
        };
        for pressed in [-2.8e-4, 0.0, 0.01] {
            for slides in [0.0, 3.0] {
                let mut engine = Engine::new([0.0; 3], true);
                let upper = ball([0.0, 1.0, 0.0], [slides, 0.0, 0.0]);
                for body in [ball([0.0; 3], [0.0; 3]), upper] {
                    engine.add(&body).expect("a body");
                }
                let before = [0, 1].map(|row| engine.rows[row].motion.delta);
                apply_friction(&mut engine.rows, [0, 1], [0.0, 1.0, 0.0], pressed);
                let after = [0, 1].map(|row| engine.rows[row].motion.delta);
                if pressed > 0.0 && slides > 0.0 {
                    let slip = |[a, b]: [[f32; 3]; 2]| b[0] - a[0];
                    assert!(slip(after) < slip(before) && slip(after) >= 0.0, "{after:?}");
                } else {
                    assert_eq!(after, before, "{pressed} {slides}");
                }
            }
        }
    }
}
