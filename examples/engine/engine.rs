//! How does a physics engine live on swath?
//!
//! A small one: boxes and balls that do not turn, gravity, friction, sleep. What is here is what an engine
//! brings itself; who meets whom, and when, is asked of swath:
//!
//! ```text
//! bodies ──► Broadphase   each with the box of its way in the tick: who begins and ceases to touch,   wakes and islands
//!        ──► Stepper     that world to the end of the tick, one impact after the other, in time order   motions, impulses
//!        ──► here         friction by the impulses of those impacts; who rests long enough sleeps
//! ```
//!
//! **Units.** A [`Motion`] is in metres per tick and per tick²: `delta = velocity · DT`,
//! `accel = gravity · DT²`. Then one tick is `p + delta + ½·accel`, exact for a throw, so that flying
//! neither makes nor takes energy.
//!
//! **Friction** (Coulomb): of the impulse `j` that pressed along the normal in the tick, as the stepper reports
//! it, at most `µ·j` across it, and no more than what stops the sliding. It is taken once all are at the
//! end of the tick; a load that rests on others counts for the contact below by its own weight alone. So a brick
//! that lies on a bullet slides for seconds before it rests: the floor brakes it by the weight of the bullet.
//!
//! **Sleep.** Bodies that touch are an island. One whose members were all slow for [`QUIET_TICKS`]
//! sleeps: its proxies cost nothing, and it is an obstacle to others, until someone comes who would move
//! it, or leaves it.
//!
//! Without CCD, to compare, it is `without_ccd.rs` that does the second step.

pub mod range;
mod without_ccd;

use swath::pipeline::Config;
use swath::{Broadphase, Motion, MovingBox, Pipeline, Pose, Proxy, ProxyId, ProxyKind, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};

/// Seconds a tick.
pub const DT: f32 = 1.0 / 60.0;
/// Slower is quiet, in metres a tick: 0.1 m/s.
const QUIET: f32 = 0.1 * DT;
/// Half a second.
const QUIET_TICKS: u32 = 30;
/// Who is nearer touches, in metres: on the boxes of proxies, so that what lies on something is kept as
/// a pair.
const NEAR: f32 = 0.002;

/// Whatever goes wrong here is a wrong body, and ends the run.
pub type Failure = Box<dyn std::error::Error>;

/// What is put into the engine.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub shape: Shape<'static>,
    pub at: [f32; 3],
    /// Metres a second.
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
    takes: Mass,
    friction: f32,
    /// For how many ticks it was slow.
    quiet: u32,
    /// With whom it fell asleep.
    island: usize,
}

impl Row {
    pub fn is_awake(&self) -> bool {
        self.set == ProxyKind::Dynamic
    }

    fn speed(&self) -> f32 {
        length(self.motion.delta)
    }

    /// A box that moves and holds it all the tick.
    fn way(&self) -> Result<MovingBox, Failure> {
        let bounds = Pipeline::bounds_of(&self.shape, &self.motion, 0.0)?;
        Ok(MovingBox { aabb: bounds.aabb.grown(NEAR)?, ..bounds })
    }
}

/// What a tick took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stepped {
    /// Responses to impacts.
    pub impacts: usize,
    /// Bodies that lost the rest of the tick.
    pub stalled: usize,
}

/// What stays the same while there is no friction, no hard impact and nothing fixed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Joule: of motion, and of height above 0.
    pub kinetic: f64,
    pub potential: f64,
    /// Newton seconds.
    pub momentum: [f64; 3],
    /// Of all of them, as if none went against another.
    pub momenta: f64,
}

/// Bodies and what finds their impacts.
#[derive(Debug)]
pub struct Engine {
    /// In the order in which they came, without those that were removed.
    pub rows: Vec<Row>,
    /// Metres per second².
    gravity: [f32; 3],
    ccd: bool,
    world: Broadphase,
    stepper: Stepper,
    /// Finds who is in whom where there is no CCD.
    pipeline: Pipeline,
    /// Of the slot of a proxy its row.
    row_of: Vec<usize>,
    islands: usize,
    // Memory for a tick.
    parents: Vec<usize>,
    wanted: Vec<usize>,
}

impl Engine {
    pub fn new(gravity: [f32; 3], ccd: bool) -> Self {
        Self {
            rows: Vec::new(),
            gravity,
            ccd,
            world: Broadphase::new(),
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
            takes: Mass {
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
        row.id = self.world.insert_moving(row.way()?, proxy)?;
        self.rows.push(row);
        self.number(self.rows.len() - 1);
        Ok(())
    }

    /// Takes out all that `leaves` says of.
    pub fn remove(&mut self, leaves: impl Fn(&Row) -> bool) -> Result<(), Failure> {
        for row in self.rows.iter().filter(|row| leaves(row)) {
            self.world.remove(row.id)?;
        }
        self.rows.retain(|row| !leaves(row));
        self.number(0);
        Ok(())
    }

    /// Notes where the rows from `first` on are.
    fn number(&mut self, first: usize) {
        for (k, row) in self.rows.iter().enumerate().skip(first) {
            let slot = row.id.index() as usize;
            self.row_of.resize(self.row_of.len().max(slot + 1), usize::MAX);
            self.row_of[slot] = k;
        }
    }

    /// Takes all to the end of the tick.
    pub fn step(&mut self) -> Result<Stepped, Failure> {
        for row in self.rows.iter().filter(|row| row.is_awake()) {
            let way = row.way()?;
            self.world.set(row.id, way.aabb, way.delta)?;
        }
        // Where nothing is awake this is all, and takes no time.
        self.world.update()?;
        self.wake()?;
        if !self.rows.iter().any(Row::is_awake) {
            return Ok(Stepped::default());
        }
        let (impacts, stalled) = if self.ccd { self.go()? } else { self.jump()? };
        self.fall_asleep()?;
        Ok(Stepped { impacts, stalled })
    }

    /// Wakes the islands of those who are about to be moved, or have lost a neighbour.
    fn wake(&mut self) -> Result<(), Failure> {
        let Self { rows, row_of, world, wanted, gravity, .. } = self;
        wanted.clear();
        let index = |id: ProxyId| row_of[id.index() as usize];
        for pair in world.changes().touching() {
            let [a, b] = [pair.a, pair.b].map(|id| &rows[index(id)]);
            for (sleeper, other) in [(a, b), (b, a)] {
                let push = other.speed() * other.mass * sleeper.takes.inverse_mass;
                if sleeper.set == ProxyKind::Sleeping && other.is_awake() && push > QUIET {
                    wanted.push(sleeper.island);
                }
            }
        }
        for id in world.changes().ended().iter().flat_map(|pair| [pair.a, pair.b]) {
            // One of the two may be gone, and its row another's.
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
                world.set_kind(row.id, ProxyKind::Dynamic)?;
            }
        }
        Ok(())
    }

    /// The tick with CCD. Who sleeps is an obstacle, and would hardly feel what comes: else it had been
    /// woken.
    fn go(&mut self) -> Result<(usize, usize), Failure> {
        let Self { rows, row_of, world, stepper, .. } = self;
        let index = |id: ProxyId| row_of[id.index() as usize];
        let stepped = stepper.step_proxies(world, |id| {
            let Row { shape, motion, takes, .. } = rows[index(id)];
            Some((shape, motion, takes))
        })?;
        if let Some((id, reason)) = stepped.rejected().first() {
            return Err(format!("body {}: {reason}", index(*id)).into());
        }
        for (id, motion) in stepped.moved() {
            rows[index(*id)].motion = *motion;
        }
        for hit in stepped.impacts() {
            let pressed = hit.impulse + hit.supporting_force * (1.0 - hit.impact.toi);
            rub(
                rows,
                [hit.impact.pair.a, hit.impact.pair.b].map(index),
                hit.impact.normal,
                pressed,
            );
        }
        Ok((stepped.stats().responses, stepped.stats().stalled))
    }

    /// Puts islands to sleep of which all were slow for long.
    fn fall_asleep(&mut self) -> Result<(), Failure> {
        // Where nothing pulls, nothing rests.
        if self.gravity == [0.0; 3] {
            return Ok(());
        }
        for row in &mut self.rows {
            row.quiet = if row.speed() < QUIET { row.quiet + 1 } else { 0 };
        }
        if !self.rows.iter().any(|row| row.is_awake() && row.quiet >= QUIET_TICKS) {
            return Ok(());
        }
        let Self { rows, parents, row_of, world, islands, .. } = self;
        parents.clear();
        parents.extend(0..rows.len());
        for pair in world.changes().touching() {
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
                let way = row.way()?;
                world.set(row.id, way.aabb, way.delta)?;
                world.set_kind(row.id, ProxyKind::Sleeping)?;
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

/// Metres a tick².
fn pull(gravity: [f32; 3]) -> [f32; 3] {
    gravity.map(|g| g * DT * DT)
}

/// Friction of two that met and press on each other along the normal so hard in the tick.
fn rub(rows: &mut [Row], pair: [usize; 2], normal: [f32; 3], pressed: f32) {
    let [a, b] = pair.map(|row| rows[row]);
    let inverse = [a, b].map(|row| if row.is_awake() { row.takes.inverse_mass } else { 0.0 });
    let sum = inverse[0] + inverse[1];
    if sum == 0.0 {
        return;
    }
    let slip = minus(a.motion.delta, b.motion.delta);
    let into = dot(slip, normal);
    let across = minus(slip, normal.map(|n| n * into));
    let speed = length(across);
    let most = (a.friction * b.friction).sqrt() * pressed * sum;
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
