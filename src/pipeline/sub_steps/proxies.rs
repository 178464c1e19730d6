//! How do the proxies of a world go through a tick?
//!
//! As the bodies of columns do, with the same bits. What moves are rows from the start, in the order
//! of their ids; of what rests, however much that is, only what a way comes near: at the start, and
//! when somebody's way has changed. The trees of the world tell it ([`Broadphase::queries_at_rest`]).
//! So a tick costs time for what moves and what that comes near, not for the world.
//!
//! The boxes that the world holds for what moves are not read: they need not hold a way that is not known
//! yet.

use super::crowd::Crowd;
use super::{Mass, Responded, Stalled, SubStepped, SubSteps, state};
use crate::broadphase::{Broadphase, ProxyId, ProxyKind, ProxyPair};
use crate::geom::{Aabb, Filter, Invalid, MapEach, Motion};
use crate::narrowphase::Shape;
use crate::pipeline::scene::{ConvexBody, PipelineError};
use crate::pipeline::{bounds, near};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// The memory of ticks of a world, and what the last one told.
#[derive(Debug, Default)]
pub(super) struct Memory {
    ids: Vec<ProxyId>,
    /// Of the slot of a proxy its row; only of those in `ids`.
    rows: Vec<u32>,
    masses: Vec<Mass>,
    rules: Vec<Rules>,
    found: Vec<ProxyId>,
    /// Empty: kept for its memory.
    bodies: Vec<ConvexBody<'static>>,
    moved: Vec<(ProxyId, Motion)>,
    impacts: Vec<Responded<ProxyPair>>,
    held: Vec<Stalled<ProxyId>>,
    rejected: Vec<(ProxyId, Invalid)>,
}

/// What a world says of a proxy.
#[derive(Clone, Copy, Debug)]
struct Rules {
    filter: Filter,
    owner: u32,
    is_at_rest: bool,
}

/// What became of the proxies of a world in a tick, where the driver wrote it.
#[derive(Clone, Copy, Debug)]
pub struct SteppedWorld<'a> {
    memory: &'a Memory,
    told: SubStepped,
}

impl<'a> SteppedWorld<'a> {
    /// Everyone that moves or is pushed, by id, and the motion to go on with: as
    /// [`SubSteps::run`] leaves it.
    #[must_use]
    pub fn moved(&self) -> &'a [(ProxyId, Motion)] {
        &self.memory.moved
    }

    /// The impacts that were responded to, in the order of time.
    #[must_use]
    pub fn impacts(&self) -> &'a [Responded<ProxyPair>] {
        &self.memory.impacts
    }

    /// Who was held, and since when.
    #[must_use]
    pub fn held(&self) -> &'a [Stalled<ProxyId>] {
        &self.memory.held
    }

    /// Proxies whose motion is invalid or leads past the greatest coordinate, or whose [`Mass`] is invalid. They
    /// meet nobody.
    #[must_use]
    pub fn rejected(&self) -> &'a [(ProxyId, Invalid)] {
        &self.memory.rejected
    }

    /// What the tick took.
    #[must_use]
    pub fn told(&self) -> SubStepped {
        self.told
    }
}

/// Proxies as rows.
struct ProxyBodies<'w, 's, F> {
    world: &'w mut Broadphase,
    about: F,
    bodies: Vec<ConvexBody<'s>>,
    memory: Memory,
    /// How many rows `Near` knows of.
    known: usize,
    /// Half the target distance: the pad of what rests.
    half: f32,
}

impl SubSteps {
    /// Takes the proxies of a world to the end of the tick: the answers of [`SubSteps::run`] for the
    /// same bodies in the order of their ids, bit by bit.
    ///
    /// Who may meet whom is the world's to say: proxies that are enabled, whose filters allow each
    /// other, and of different owners. Who is [`ProxyKind::Dynamic`] gives way; who is [`ProxyKind::Kinematic`] goes as it
    /// is told; what is fixed or sleeps is an obstacle that stays where it is: for these two sets its mass
    /// does not count, nor for what rests its motion but the pose. Who sleeps and is to be pushed has
    /// to be woken before. The box of what rests must hold its shape.
    ///
    /// `about` is asked for the shape, motion and mass of each that moves, and of what rests where
    /// somebody comes near; `None` takes no part. Nothing of the world is changed: from
    /// [`SteppedWorld::moved`] the caller sets the boxes of the next tick.
    ///
    /// # Errors
    ///
    /// [`PipelineError`]: what is wrong with the settings.
    ///
    /// ```
    /// use swath::pipeline::{Mass, SubSteps, SubStepsConfig};
    /// use swath::{Aabb, Broadphase, Motion, Pose, Proxy, Shape};
    ///
    /// let mut world = Broadphase::new();
    /// let wall = world.insert(Aabb::new([9.0, -5.0, -5.0], [9.2, 5.0, 5.0])?, Proxy::fixed())?;
    /// let bullet = world.insert(Aabb::cube([0.0; 3], 0.5)?, Proxy::dynamic())?;
    /// let slab = (Shape::cuboid([0.1, 5.0, 5.0])?, Motion::from(Pose::at([9.1, 0.0, 0.0])?));
    /// let ball = (Shape::sphere(0.5)?, Motion::new(Pose::IDENTITY, [17.0, 0.0, 0.0])?);
    /// let mass = Mass { inverse_mass: 10.0, restitution: 1.0 };
    ///
    /// let mut sub_steps = SubSteps::new(SubStepsConfig::default());
    /// let stepped = sub_steps.run_world(&mut world, |id| {
    ///     let ((shape, motion), mass) = if id == bullet { (ball, mass) } else { (slab, Mass::FIXED) };
    ///     Some((shape, motion, mass))
    /// })?;
    /// let [hit] = stepped.impacts() else { panic!("one wall") };
    /// assert_eq!((hit.impact.pair.a, hit.impact.pair.b), (wall, bullet));
    /// assert!((hit.impulse - 3.4).abs() < 1e-3); // 0.1 kg that turns round at 17 m a tick
    /// let [(id, motion)] = stepped.moved() else { panic!("one moves") };
    /// assert!(*id == bullet && motion.pose.position[0].abs() < 1e-2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_world<'s>(
        &mut self,
        world: &mut Broadphase,
        about: impl FnMut(ProxyId) -> Option<(Shape<'s>, Motion, Mass)>,
    ) -> Result<SteppedWorld<'_>, PipelineError> {
        self.config.validate()?;
        let mut memory = core::mem::take(&mut self.proxies);
        let bodies = core::mem::take(&mut memory.bodies);
        let half = bounds::half(self.config.pipeline.target_distance);
        let mut named = ProxyBodies { world, about, bodies, memory, known: 0, half };
        named.start();
        let done = self.start(&mut named, None);
        if done.is_ok() {
            named.known = named.bodies.len();
            self.work_off(&mut named);
        }
        let ProxyBodies { mut bodies, mut memory, .. } = named;
        memory.tell(&bodies, self);
        // Emptied, the memory is anybody's.
        bodies.clear();
        let nothing = |_| -> ConvexBody<'static> { unreachable!("it is empty") };
        memory.bodies = bodies.into_iter().map(nothing).collect();
        self.proxies = memory;
        done?;
        Ok(SteppedWorld { memory: &self.proxies, told: self.told })
    }
}

impl Memory {
    /// Writes what the driver told of rows with the ids of proxies.
    fn tell(&mut self, bodies: &[ConvexBody<'_>], driver: &SubSteps) {
        let Self { ids, rows, rules, moved, impacts, held, rejected, .. } = self;
        for row in driver.rejected() {
            rejected.push((ids[row.row as usize], row.reason));
        }
        let moves = |row: &usize| !rules[*row].is_at_rest && !driver.states[*row].is_out;
        moved.clear();
        moved.extend((0..bodies.len()).filter(moves).map(|row| (ids[row], bodies[row].motion)));
        let id = |slot: u32| ids[rows[slot as usize] as usize];
        let named = |of: &Responded| {
            of.named(ProxyPair { a: id(of.impact.pair.a), b: id(of.impact.pair.b) })
        };
        impacts.clear();
        impacts.extend(driver.impacts().iter().map(named));
        held.clear();
        let of = |&Stalled { row, since }: &Stalled| Stalled { row: ids[row as usize], since };
        held.extend(driver.held().iter().map(of));
    }

    /// The row of a proxy, if it has one.
    fn row(&self, id: ProxyId) -> Option<usize> {
        let row = *self.rows.get(id.index() as usize)? as usize;
        (self.ids.get(row) == Some(&id)).then_some(row)
    }
}

impl<'s, F: FnMut(ProxyId) -> Option<(Shape<'s>, Motion, Mass)>> ProxyBodies<'_, 's, F> {
    /// Gives rows to what moves and to what rests where that comes.
    fn start(&mut self) {
        let Memory { ids, masses, rules, found, rejected, .. } = &mut self.memory;
        ids.clear();
        masses.clear();
        rules.clear();
        rejected.clear();
        found.clear();
        found.extend_from_slice(self.world.movers().ids);
        found.sort_unstable();
        for k in 0..self.memory.found.len() {
            self.add(self.memory.found[k]);
        }
        let movers = self.bodies.len();
        self.memory.found.clear();
        for row in 0..movers {
            let (body, mass) = (&self.bodies[row], self.memory.masses[row]);
            // What is driven is stopped by nothing.
            if mass.inverse_mass > 0.0 {
                let pad = bounds::pad(self.half, state::slop(&body.motion, mass));
                let reach = near::around(body, 0.0, pad);
                self.find(row, reach);
            }
        }
        let found = &mut self.memory.found;
        found.sort_unstable();
        found.dedup();
        for k in 0..self.memory.found.len() {
            self.add(self.memory.found[k]);
        }
        self.order();
    }

    /// Adds to what was found what rests near the box of a row and may meet it.
    fn find(&mut self, row: usize, reach: Option<Aabb>) {
        let Rules { filter, owner, .. } = self.memory.rules[row];
        let asked = self.world.queries_at_rest().filtered(filter).without_owner(owner);
        let reach = reach.map(|reach| near::padded(&reach, self.half));
        let Some(Ok(query)) = reach.map(|reach| asked.overlap(&reach)) else { return };
        let found = &mut self.memory.found;
        query.visit(|id| {
            found.push(id);
            ControlFlow::Continue(())
        });
    }

    /// Gives a row to a proxy that takes part.
    fn add(&mut self, id: ProxyId) {
        let Some(proxy) = self.world.proxy(id) else { return };
        let Some((shape, mut motion, mut mass)) = (self.about)(id) else { return };
        let is_at_rest = proxy.set.is_at_rest();
        if is_at_rest {
            motion = Motion::from(motion.pose);
        }
        if proxy.set != ProxyKind::Dynamic {
            mass.inverse_mass = 0.0;
        }
        let memory = &mut self.memory;
        let valid = shape.bounds_over(&motion).and_then(|_| mass.validate());
        if let Err(invalid) = valid {
            if !memory.rejected.contains(&(id, invalid)) {
                memory.rejected.push((id, invalid));
            }
            return;
        }
        let (row, slot) = (self.bodies.len() as u32, id.index() as usize);
        if slot >= memory.rows.len() {
            memory.rows.resize(slot + 1, 0);
        }
        memory.rows[slot] = row;
        memory.ids.push(id);
        memory.masses.push(mass);
        memory.rules.push(Rules { filter: proxy.filter, owner: proxy.owner, is_at_rest });
        self.bodies.push(ConvexBody { row, shape, motion });
    }

    /// Puts the rows in the order of their ids.
    fn order(&mut self) {
        let Memory { ids, rows, masses, rules, .. } = &mut self.memory;
        // Of each place who comes there: the ids, in order, still know their rows.
        ids.sort_unstable();
        for place in 0..ids.len() {
            // Where it is now: it may have been moved when an earlier place was filled.
            let mut from = rows[ids[place].index() as usize] as usize;
            while from < place {
                from = rows[ids[from].index() as usize] as usize;
            }
            self.bodies.swap(place, from);
            masses.swap(place, from);
            rules.swap(place, from);
        }
        for (row, id) in (0..).zip(&*ids) {
            rows[id.index() as usize] = row;
            self.bodies[row as usize].row = row;
        }
    }
}

impl<'s, F: FnMut(ProxyId) -> Option<(Shape<'s>, Motion, Mass)>> Crowd<'s>
    for ProxyBodies<'_, 's, F>
{
    fn bodies(&self) -> &[ConvexBody<'s>] {
        &self.bodies
    }

    fn body_mut(&mut self, row: usize) -> &mut ConvexBody<'s> {
        &mut self.bodies[row]
    }

    fn mass(&self, row: usize) -> Mass {
        self.memory.masses[row]
    }

    fn name(&self, row: usize) -> u32 {
        self.memory.ids[row].index()
    }

    fn allows(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map_each(|row| self.memory.rules[row]);
        a.filter.allows(b.filter) && (a.owner != b.owner || a.owner == 0)
    }

    fn add_resting(&mut self, row: usize, reach: &Aabb, others: &mut Vec<usize>) {
        if self.memory.masses[row].inverse_mass == 0.0 {
            return;
        }
        self.memory.found.clear();
        self.find(row, Some(*reach));
        for k in 0..self.memory.found.len() {
            let id = self.memory.found[k];
            if self.memory.row(id).is_none() {
                self.add(id);
            }
            let Some(other) = self.memory.row(id).filter(|&other| other >= self.known) else {
                continue;
            };
            // As `Near` has it, for the rows that it knows.
            if near::around(&self.bodies[other], 0.0, self.half)
                .is_some_and(|way| way.overlaps(reach))
            {
                others.push(other);
            }
        }
    }
}
