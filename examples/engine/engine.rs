//! How does a physics engine live on swath?
//!
//! A small one: boxes and balls that do not turn, gravity, friction, sleep. What is here is what an engine
//! brings itself; who meets whom, and when, is asked of swath:
//!
//! ```text
//! bodies ──► Broadphase   each with the box of its way in the tick: who begins and ceases to touch,   wakes and islands
//!        ──► SubSteps     all to the end of the tick, one impact after the other, in time order       motions
//!        ──► here         friction along the normals of those impacts; who rests long enough sleeps
//! ```
//!
//! **Units.** A [`Motion`] is in metres per tick and per tick²: `delta = velocity · DT`,
//! `accel = gravity · DT²`. Then one tick is `p + delta + ½·accel`, exact for a throw, so that flying
//! neither makes nor takes energy.
//!
//! **Friction** (Coulomb): of the impulse `j` along the normal at most `µ·j` across it, and no more
//! than what stops the sliding. It is taken once all are at the end of the tick; a load that rests on
//! others counts for the contact below by its own weight alone.
//!
//! **Sleep.** Bodies that touch are an island. One whose members were all slow for [`QUIET_TICKS`]
//! sleeps: its proxies cost nothing, and it is an obstacle to others, until someone comes who would move
//! it, or leaves it.
//!
//! **Without CCD**, to compare: all go to the end of the tick, and who is in another there is pushed out
//! and bounced. What was passed on the way is not seen.

use swath::pipeline::{Config, Impact, Kind, Mass, SubSteps, SubStepsConfig, response};
use swath::{
    Aabb, Broadphase, Convex, Motion, MovingBox, Pipeline, Pose, Proxy, ProxyId, Set, Shape,
};

/// Seconds a tick.
pub(crate) const DT: f32 = 1.0 / 60.0;
/// Slower is quiet, in metres a tick: 0.1 m/s.
const QUIET: f32 = 0.1 * DT;
/// Half a second.
const QUIET_TICKS: u32 = 30;
/// Who is nearer touches, in metres: on the boxes of proxies, so that what lies on something is kept as
/// a pair.
const NEAR: f32 = 0.002;

/// Whatever goes wrong here is a wrong body, and ends the run.
pub(crate) type Failure = Box<dyn std::error::Error>;

/// What is put into the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) shape: Shape<'static>,
    pub(crate) at: [f32; 3],
    /// Metres a second.
    pub(crate) velocity: [f32; 3],
    /// Kilograms; 0 is fixed.
    pub(crate) mass: f32,
    pub(crate) restitution: f32,
    pub(crate) friction: f32,
    pub(crate) sleeps: bool,
}

/// A body in the engine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) id: ProxyId,
    pub(crate) set: Set,
    pub(crate) motion: Motion,
    shape: Shape<'static>,
    mass: f32,
    takes: Mass,
    friction: f32,
    /// For how many ticks it was slow.
    quiet: u32,
    /// With whom it fell asleep.
    island: usize,
}

impl Row {
    pub(crate) fn is_awake(&self) -> bool {
        self.set == Set::Dynamic
    }

    fn speed(&self) -> f32 {
        length(self.motion.delta)
    }

    /// A box that moves and holds it all the tick.
    fn way(&self) -> Result<MovingBox, Failure> {
        let held = Pipeline::holding(&self.shape, &self.motion)?;
        Ok(MovingBox { aabb: held.aabb.grown(NEAR)?, ..held })
    }
}

/// What a tick took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stepped {
    /// Responses to impacts.
    pub(crate) impacts: usize,
    /// Bodies that lost the rest of the tick.
    pub(crate) held: usize,
    pub(crate) woken: usize,
}

/// What stays the same while there is no friction, no hard impact and nothing fixed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    /// Joule: of motion, and of height above 0.
    pub(crate) kinetic: f64,
    pub(crate) potential: f64,
    /// Newton seconds.
    pub(crate) momentum: [f64; 3],
    /// Of all of them, as if none went against another.
    pub(crate) momenta: f64,
}

/// Bodies and what finds their impacts.
#[derive(Debug)]
pub(crate) struct Engine {
    /// In the order in which they came, without those that were removed.
    pub(crate) rows: Vec<Row>,
    /// Metres per second².
    gravity: [f32; 3],
    ccd: bool,
    world: Broadphase,
    sub_steps: SubSteps,
    /// Finds who is in whom where there is no CCD.
    pipeline: Pipeline,
    /// Of the slot of a proxy its row.
    row_of: Vec<usize>,
    islands: usize,
    // Memory for a tick.
    convex: Vec<Convex<'static>>,
    masses: Vec<Mass>,
    parents: Vec<usize>,
}

impl Engine {
    pub(crate) fn new(gravity: [f32; 3], ccd: bool) -> Self {
        Self {
            rows: Vec::new(),
            gravity,
            ccd,
            world: Broadphase::new(),
            sub_steps: SubSteps::new(SubStepsConfig::default()),
            pipeline: Pipeline::new(Config::default()),
            row_of: Vec::new(),
            islands: 0,
            convex: Vec::new(),
            masses: Vec::new(),
            parents: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, body: &Body) -> Result<(), Failure> {
        let fixed = body.mass == 0.0;
        let (set, proxy) = match (fixed, body.sleeps) {
            (true, _) => (Set::Fixed, Proxy::fixed()),
            (false, true) => (Set::Sleeping, Proxy::sleeping()),
            (false, false) => (Set::Dynamic, Proxy::dynamic()),
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
            row.motion.accel = self.pull();
        }
        row.id = self.world.insert_moving(row.way()?, proxy)?;
        self.rows.push(row);
        self.number(self.rows.len() - 1);
        Ok(())
    }

    /// Takes out all that `leaves` says of, and returns how many.
    pub(crate) fn remove(&mut self, leaves: impl Fn(&Row) -> bool) -> Result<usize, Failure> {
        let before = self.rows.len();
        for row in self.rows.iter().filter(|row| leaves(row)) {
            self.world.remove(row.id)?;
        }
        self.rows.retain(|row| !leaves(row));
        self.number(0);
        Ok(before - self.rows.len())
    }

    /// Notes where the rows from `first` on are.
    fn number(&mut self, first: usize) {
        for (k, row) in self.rows.iter().enumerate().skip(first) {
            let slot = row.id.index() as usize;
            self.row_of.resize(self.row_of.len().max(slot + 1), usize::MAX);
            self.row_of[slot] = k;
        }
    }

    /// Metres a tick².
    fn pull(&self) -> [f32; 3] {
        self.gravity.map(|g| g * DT * DT)
    }

    /// Takes all to the end of the tick.
    pub(crate) fn step(&mut self) -> Result<Stepped, Failure> {
        for row in self.rows.iter().filter(|row| row.is_awake()) {
            let way = row.way()?;
            self.world.set(row.id, way.aabb, way.delta)?;
        }
        // Where nothing is awake this is all, and takes no time.
        self.world.update()?;
        let woken = self.wake()?;
        if !self.rows.iter().any(Row::is_awake) {
            return Ok(Stepped { woken, ..Stepped::default() });
        }
        let (impacts, held) = if self.ccd { self.go()? } else { self.jump()? };
        self.fall_asleep()?;
        if std::env::var("DBG").is_ok() && self.rows.iter().filter(|r| r.is_awake()).count() < 200 {
            for (k, row) in self.rows.iter().enumerate() {
                if row.is_awake() {
                    eprintln!("{k} m {} at {:?} v {:?} quiet {}", row.mass, row.motion.pose.position, row.motion.delta.map(|d| d / DT), row.quiet);
                }
            }
            for i in self.sub_steps.impacts() { eprintln!("  {i:?}"); }
            eprintln!("woken {woken}");
        }
        Ok(Stepped { impacts, held, woken })
    }

    /// Wakes the islands of those who are about to be moved, or have lost a neighbour.
    fn wake(&mut self) -> Result<usize, Failure> {
        let mut wanted = Vec::new();
        let changes = self.world.changes();
        for pair in changes.touching() {
            let [a, b] = [pair.a, pair.b].map(|id| &self.rows[self.row_of[id.index() as usize]]);
            for (sleeper, other) in [(a, b), (b, a)] {
                let push = other.speed() * other.mass * sleeper.takes.inverse_mass;
                if sleeper.set == Set::Sleeping && other.is_awake() && push > QUIET {
                    wanted.push(sleeper.island);
                }
            }
        }
        for id in changes.ended().iter().flat_map(|pair| [pair.a, pair.b]) {
            // One of the two may be gone.
            let row = self.row_of.get(id.index() as usize).and_then(|&row| self.rows.get(row));
            let sleeper = row.filter(|row| row.id == id && row.set == Set::Sleeping);
            wanted.extend(sleeper.map(|row| row.island));
        }
        let (pull, mut woken) = (self.pull(), 0);
        wanted.sort_unstable();
        wanted.dedup();
        if wanted.is_empty() {
            return Ok(0);
        }
        for row in &mut self.rows {
            if row.set == Set::Sleeping && wanted.binary_search(&row.island).is_ok() {
                (row.set, row.quiet, row.motion.accel) = (Set::Dynamic, 0, pull);
                self.world.move_to(row.id, Set::Dynamic)?;
                woken += 1;
            }
        }
        Ok(woken)
    }

    /// The tick with CCD.
    fn go(&mut self) -> Result<(usize, usize), Failure> {
        self.convex.clear();
        self.masses.clear();
        for (k, row) in (0..).zip(&self.rows) {
            let Row { shape, motion, .. } = *row;
            self.convex.push(Convex { row: k, shape, motion });
            // Who sleeps would hardly feel what comes: else it had been woken.
            self.masses.push(if row.is_awake() { row.takes } else { still(row) });
        }
        let told = self.sub_steps.run(&mut self.convex, &self.masses, None)?;
        if let Some(first) = self.sub_steps.rejected().first() {
            return Err(format!("body {}: {}", first.row, first.reason).into());
        }
        for (row, convex) in self.rows.iter_mut().zip(&self.convex) {
            row.motion = convex.motion;
        }
        for impact in self.sub_steps.impacts() {
            let rows = [impact.pair.a as usize, impact.pair.b as usize];
            rub(&mut self.rows, rows, impact);
        }
        Ok((told.responses, told.held))
    }

    /// The tick without: who is in another at its start is pushed out and bounced.
    fn jump(&mut self) -> Result<(usize, usize), Failure> {
        let Self { rows, row_of, world, pipeline, .. } = self;
        let index = |id: ProxyId| row_of[id.index() as usize];
        let about = |id| {
            let row = &rows[index(id)];
            Some((row.shape, row.motion))
        };
        let met = pipeline.tick_world(world, about)?.impacts().to_vec();
        let mut impacts = 0;
        for impact in met.iter().filter(|impact| impact.kind == Kind::Overlapping) {
            let pair = [impact.pair.a, impact.pair.b].map(index);
            let masses =
                pair.map(|row| if rows[row].is_awake() { rows[row].takes } else { Mass::FIXED });
            let inverse = masses.map(|mass| mass.inverse_mass);
            let restitution = masses[0].restitution.max(masses[1].restitution);
            let mut motions = pair.map(|row| rows[row].motion);
            let [a, b] = &mut motions;
            response::bounce(impact, [a, b], inverse, restitution);
            for (row, motion) in pair.into_iter().zip(motions) {
                rows[row].motion.delta = motion.delta;
            }
            for (row, by) in
                pair.into_iter().zip(response::separate(impact, inverse).unwrap_or_default())
            {
                let position = &mut rows[row].motion.pose.position;
                *position = plus(*position, by);
            }
            rub(rows, pair, impact);
            impacts += 1;
        }
        for row in rows.iter_mut().filter(|row| row.is_awake()) {
            row.motion = response::carried(&row.motion, 1.0);
        }
        Ok((impacts, 0))
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
        for k in 0..rows.len() {
            let island = root(parents, k);
            let row = &mut rows[k];
            if row.is_awake() && quiet[island] {
                (row.set, row.island) = (Set::Sleeping, *islands + 1 + island);
                (row.motion.delta, row.motion.accel) = ([0.0; 3], [0.0; 3]);
                let way = row.way()?;
                world.set(row.id, way.aabb, way.delta)?;
                world.move_to(row.id, Set::Sleeping)?;
            }
        }
        *islands += rows.len();
        Ok(())
    }

    /// The box of each body at the start of the tick and how far it goes, unless something stops it.
    #[allow(dead_code, reason = "whoever draws asks")]
    pub(crate) fn ways(&self) -> Result<Vec<(MovingBox, bool)>, Failure> {
        let way = |row: &Row| {
            let at: Aabb = row.shape.bounds(&row.motion.pose)?;
            Ok((MovingBox::new(at, row.motion.delta)?, row.is_awake()))
        };
        self.rows.iter().map(way).collect()
    }

    pub(crate) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for row in self.rows.iter().filter(|row| row.set != Set::Fixed) {
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

/// As an obstacle.
fn still(row: &Row) -> Mass {
    Mass { inverse_mass: 0.0, ..row.takes }
}

/// Friction of two that met.
fn rub<P>(rows: &mut [Row], pair: [usize; 2], impact: &Impact<P>) {
    let [a, b] = pair.map(|row| rows[row]);
    let inverse = [a, b].map(|row| if row.is_awake() { row.takes.inverse_mass } else { 0.0 });
    let sum = inverse[0] + inverse[1];
    if sum == 0.0 {
        return;
    }
    // What presses: what closed, and what goes on pulling.
    let along = |p: [f32; 3], q: [f32; 3]| dot(minus(p, q), impact.normal);
    let restitution = a.takes.restitution.max(b.takes.restitution);
    let pressed = (1.0 + restitution) * impact.closing.max(0.0)
        + along(a.motion.accel, b.motion.accel).max(0.0);
    let slip = minus(a.motion.delta, b.motion.delta);
    let into = dot(slip, impact.normal);
    let across = minus(slip, impact.normal.map(|n| n * into));
    let speed = length(across);
    let most = (a.friction * b.friction).sqrt() * pressed;
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
