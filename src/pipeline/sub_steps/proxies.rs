//! Advances the proxies of a broadphase to the end of a tick.
//!
//! The method and the bits are those for bodies in columns. Moving proxies are rows from the start, in the order of
//! their ids. Of the resting ones, however many there are, only those near a path become rows: at the start, and when
//! a path has changed. The BVHs of the broadphase find them ([`Broadphase::queries_of_resting`]). So a tick costs time
//! for moving proxies and what is near them, not for all proxies.
//!
//! The boxes of moving proxies in the broadphase are not read: they need not contain a path that is not known yet.

use super::crowd::Crowd;
use super::{Mass, Responded, Stalled, SubStepped, SubSteps, state};
use crate::broadphase::{Broadphase, ProxyId, ProxyKind, ProxyPair};
use crate::geom::{Aabb, Filter, Invalid, MapEach, Motion};
use crate::narrowphase::Shape;
use crate::pipeline::scene::{ConvexBody, PipelineError};
use crate::pipeline::{bounds, near};
use alloc::vec::Vec;
use core::ops::ControlFlow;

/// Memory for ticks of a broadphase, and the output of the last one.
#[derive(Debug, Default)]
pub(super) struct Memory {
    ids: Vec<ProxyId>,
    /// Row of a proxy by its slot; valid only for those in `ids`.
    rows: Vec<u32>,
    masses: Vec<Mass>,
    rules: Vec<Rules>,
    found: Vec<ProxyId>,
    /// Always empty; it keeps its capacity.
    bodies: Vec<ConvexBody<'static>>,
    moved: Vec<(ProxyId, Motion)>,
    impacts: Vec<Responded<ProxyPair>>,
    held: Vec<Stalled<ProxyId>>,
    rejected: Vec<(ProxyId, Invalid)>,
}

/// Properties of a proxy in the broadphase.
#[derive(Clone, Copy, Debug)]
struct Rules {
    filter: Filter,
    owner: u32,
    is_resting: bool,
}

/// The output of a tick of the proxies of a broadphase.
#[derive(Clone, Copy, Debug)]
pub struct SteppedWorld<'a> {
    memory: &'a Memory,
    told: SubStepped,
}

impl<'a> SteppedWorld<'a> {
    /// Returns every proxy that moves or can be pushed, by id, with its motion for the next tick, as
    /// [`SubSteps::run`] computes it.
    #[must_use]
    pub fn moved(&self) -> &'a [(ProxyId, Motion)] {
        &self.memory.moved
    }

    /// Returns the impacts that changed a motion, in the order of time.
    #[must_use]
    pub fn impacts(&self) -> &'a [Responded<ProxyPair>] {
        &self.memory.impacts
    }

    /// Returns the stalled proxies, and from when on they were stalled.
    #[must_use]
    pub fn held(&self) -> &'a [Stalled<ProxyId>] {
        &self.memory.held
    }

    /// Returns the proxies whose motion is invalid or exceeds the greatest coordinate, or whose [`Mass`] is invalid.
    /// They have no impacts.
    #[must_use]
    pub fn rejected(&self) -> &'a [(ProxyId, Invalid)] {
        &self.memory.rejected
    }

    /// Returns the counters of the tick.
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
    /// Number of rows that are in `Near`.
    known: usize,
    /// Half the target distance: the pad of resting proxies.
    half: f32,
}

impl SubSteps {
    /// Advances the proxies of a broadphase to the end of the tick: the results are those of [`SubSteps::run`] for
    /// the same bodies in the order of their ids, bit by bit.
    ///
    /// The broadphase decides which proxies may meet: they are enabled, their filters allow each other, and their
    /// owners differ. A [`ProxyKind::Dynamic`] proxy can be pushed; a [`ProxyKind::Kinematic`] one follows its
    /// motion. Fixed and sleeping proxies are obstacles that do not move: of their motion only the pose counts, and
    /// their mass does not. A sleeping proxy that shall be pushed must be woken before. The box of a resting proxy
    /// must contain its shape.
    ///
    /// `about` returns the shape, motion and mass of each moving proxy, and of resting ones near a path; `None`
    /// excludes the proxy. The broadphase is not changed: set the boxes of the next tick from
    /// [`SteppedWorld::moved`].
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
        // The vector is empty, so its memory can be used with another lifetime.
        bodies.clear();
        let nothing = |_| -> ConvexBody<'static> { unreachable!("it is empty") };
        memory.bodies = bodies.into_iter().map(nothing).collect();
        self.proxies = memory;
        done?;
        Ok(SteppedWorld { memory: &self.proxies, told: self.told })
    }
}

impl Memory {
    /// Writes the output for rows with the ids of their proxies.
    fn tell(&mut self, bodies: &[ConvexBody<'_>], driver: &SubSteps) {
        let Self { ids, rows, rules, moved, impacts, held, rejected, .. } = self;
        for row in driver.rejected() {
            rejected.push((ids[row.row as usize], row.reason));
        }
        let moves = |row: &usize| !rules[*row].is_resting && !driver.states[*row].is_out;
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

    /// Returns the row of a proxy, if it has one.
    fn row(&self, id: ProxyId) -> Option<usize> {
        let row = *self.rows.get(id.index() as usize)? as usize;
        (self.ids.get(row) == Some(&id)).then_some(row)
    }
}

impl<'s, F: FnMut(ProxyId) -> Option<(Shape<'s>, Motion, Mass)>> ProxyBodies<'_, 's, F> {
    /// Adds rows for moving proxies, and for resting ones near their paths.
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
            // A driven body is stopped by nothing.
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

    /// Appends the resting proxies near the box of a row that may meet it.
    fn find(&mut self, row: usize, reach: Option<Aabb>) {
        let Rules { filter, owner, .. } = self.memory.rules[row];
        let asked = self.world.queries_of_resting().filtered(filter).without_owner(owner);
        let reach = reach.map(|reach| near::padded(&reach, self.half));
        let Some(Ok(query)) = reach.map(|reach| asked.overlap(&reach)) else { return };
        let found = &mut self.memory.found;
        query.visit(|id| {
            found.push(id);
            ControlFlow::Continue(())
        });
    }

    /// Adds a row for a proxy that takes part.
    fn add(&mut self, id: ProxyId) {
        let Some(proxy) = self.world.proxy(id) else { return };
        let Some((shape, mut motion, mut mass)) = (self.about)(id) else { return };
        let is_resting = proxy.kind.is_resting();
        if is_resting {
            motion = Motion::from(motion.pose);
        }
        if proxy.kind != ProxyKind::Dynamic {
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
        memory.rules.push(Rules { filter: proxy.filter, owner: proxy.owner, is_resting });
        self.bodies.push(ConvexBody { row, shape, motion });
    }

    /// Sorts the rows by their ids.
    fn order(&mut self) {
        let Memory { ids, rows, masses, rules, .. } = &mut self.memory;
        // For each position the id that belongs there: the sorted ids can still be looked up to find their rows.
        ids.sort_unstable();
        for place in 0..ids.len() {
            // Its current position: it may have been moved when an earlier position was filled.
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
            // The same test as in `Near`, for the rows that it contains.
            if near::around(&self.bodies[other], 0.0, self.half)
                .is_some_and(|way| way.overlaps(reach))
            {
                others.push(other);
            }
        }
    }
}
