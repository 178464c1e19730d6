//! The proxies of a broadphase as rows of a step.
//!
//! The method and the bits are those for bodies in columns. Moving proxies are rows from the start, in the order of
//! their ids. Of the resting ones, however many there are, only those near a path become rows: at the start, and when
//! a path has changed. The BVHs of the broadphase find them ([`Broadphase::queries_of_resting`]). So a tick costs time
//! for moving proxies and what is near them, not for all proxies.
//!
//! The boxes of moving proxies in the broadphase are not read: they need not contain a path that is not known yet.

use crate::bodies::{Bodies, emptied};
use crate::config::StepperConfig;
use crate::mass::Mass;
use crate::output::{ResolvedImpact, Stalled, StepStats};
use crate::step::Step;
use crate::{paths, state};
use alloc::vec::Vec;
use core::ops::ControlFlow;
use swath::broadphase::ProxyPair;
use swath::mesh::Geometry;
use swath::pipeline::GeometryBody;
use swath::{Aabb, Broadphase, Filter, Invalid, Motion, ProxyId, ProxyKind};

/// Memory for ticks of a broadphase, and the output of the last one.
#[derive(Debug, Default)]
pub(crate) struct ProxyRows {
    ids: Vec<ProxyId>,
    /// The row of each proxy in `ids`, or the position of each one in `rejected`, by its slot. Entries of other slots are outdated.
    rows: Vec<u32>,
    masses: Vec<Mass>,
    rules: Vec<Rules>,
    filters: Vec<Filter>,
    /// Whether any of these filters is not [`Filter::ALL`].
    is_filtered: bool,
    found: Vec<ProxyId>,
    /// Always empty; it keeps its capacity.
    bodies: Vec<GeometryBody<'static>>,
    moved: Vec<(ProxyId, Motion)>,
    impacts: Vec<ResolvedImpact<ProxyPair>>,
    stalled: Vec<Stalled<ProxyId>>,
    stopped_rotations: Vec<Stalled<ProxyId>>,
    rejected: Vec<(ProxyId, Invalid)>,
}

/// Properties of a proxy in the broadphase.
#[derive(Clone, Copy, Debug)]
struct Rules {
    owner: u32,
    is_resting: bool,
}

/// The output of a step of the proxies of a broadphase.
#[derive(Clone, Copy, Debug)]
pub struct ProxyStepOutput<'a> {
    pub(crate) rows: &'a ProxyRows,
    pub(crate) stats: StepStats,
}

impl<'a> ProxyStepOutput<'a> {
    /// Returns every dynamic or kinematic proxy that takes part and is not rejected, by id, with its motion for the next tick, as
    /// [`Stepper::step`](crate::Stepper::step) computes it.
    #[must_use]
    pub fn moved(&self) -> &'a [(ProxyId, Motion)] {
        &self.rows.moved
    }

    /// Returns the impacts that changed a motion, in the order of time.
    #[must_use]
    pub fn impacts(&self) -> &'a [ResolvedImpact<ProxyPair>] {
        &self.rows.impacts
    }

    /// Returns the stalled proxies, and from when on they were stalled.
    #[must_use]
    pub fn stalled(&self) -> &'a [Stalled<ProxyId>] {
        &self.rows.stalled
    }

    /// Returns the proxies that stopped rotating, and from when on: see [`Stepper::stopped_rotations`](crate::Stepper::stopped_rotations).
    #[must_use]
    pub fn stopped_rotations(&self) -> &'a [Stalled<ProxyId>] {
        &self.rows.stopped_rotations
    }

    /// Returns the proxies whose motion is invalid or whose box at its start exceeds the greatest coordinate, or whose [`Mass`] is invalid.
    /// They have no impacts.
    #[must_use]
    pub fn rejected(&self) -> &'a [(ProxyId, Invalid)] {
        &self.rows.rejected
    }

    /// Returns the counters of the tick.
    #[must_use]
    pub fn stats(&self) -> StepStats {
        self.stats
    }
}

/// Returns the shape, motion and mass of a proxy.
type BodyOf<'a, 's> = &'a mut dyn FnMut(ProxyId) -> Option<(Geometry<'s>, Motion, Mass)>;

/// Proxies as rows.
pub(crate) struct ProxyBodies<'w, 's> {
    broadphase: &'w mut Broadphase,
    body_of: BodyOf<'w, 's>,
    config: StepperConfig,
    bodies: Vec<GeometryBody<'s>>,
    rows: ProxyRows,
    /// Number of rows that are in `RemainingPaths`.
    at_start: usize,
}

impl ProxyRows {
    /// Writes the output for rows with the ids of their proxies.
    fn report(&mut self, bodies: &[GeometryBody<'_>], step: &Step) {
        let Self { ids, rows, rules, moved, impacts, stalled, stopped_rotations, rejected, .. } =
            self;
        for row in &step.rejected {
            rejected.push((ids[row.row as usize], row.reason));
        }
        let moves = |row: &usize| !rules[*row].is_resting && !step.states[*row].is_rejected;
        moved.clear();
        moved.extend((0..bodies.len()).filter(moves).map(|row| (ids[row], bodies[row].motion)));
        let id = |slot: u32| ids[rows[slot as usize] as usize];
        let with_ids = |of: &ResolvedImpact| {
            of.with_pair(ProxyPair { a: id(of.impact.pair.a), b: id(of.impact.pair.b) })
        };
        impacts.clear();
        impacts.extend(step.resolved.iter().map(with_ids));
        stalled.clear();
        let of = |&Stalled { row, since }: &Stalled| Stalled { row: ids[row as usize], since };
        stalled.extend(step.stalled.iter().map(of));
        stopped_rotations.clear();
        stopped_rotations.extend(step.stopped_rotations.iter().map(of));
    }

    /// Returns whether the motion or the mass of a proxy was found to be invalid in this step.
    fn is_rejected(&self, id: ProxyId) -> bool {
        let position = self.rows.get(id.index() as usize);
        let rejected = position.and_then(|&position| self.rejected.get(position as usize));
        rejected.is_some_and(|&(of, _)| of == id)
    }

    /// Returns the row of a proxy, if it has one.
    fn row(&self, id: ProxyId) -> Option<usize> {
        let row = *self.rows.get(id.index() as usize)? as usize;
        (self.ids.get(row) == Some(&id)).then_some(row)
    }
}

impl<'w, 's> ProxyBodies<'w, 's> {
    /// Makes rows of the moving proxies, and of the resting ones near their paths.
    pub(crate) fn new(
        mut rows: ProxyRows,
        broadphase: &'w mut Broadphase,
        body_of: BodyOf<'w, 's>,
        config: StepperConfig,
    ) -> Self {
        let bodies = core::mem::take(&mut rows.bodies);
        let mut own = Self { broadphase, body_of, config, bodies, rows, at_start: 0 };
        own.start();
        own
    }

    /// Ends the start of the step: rows that are added later are not in `RemainingPaths`.
    pub(crate) fn close_start(&mut self) {
        self.at_start = self.bodies.len();
    }

    /// Writes the output of a step.
    pub(crate) fn report(&mut self, step: &Step) {
        self.rows.report(&self.bodies, step);
    }

    /// Returns the output and the memory.
    pub(crate) fn into_rows(self) -> ProxyRows {
        let Self { bodies, mut rows, .. } = self;
        rows.bodies = emptied(bodies);
        rows
    }

    fn start(&mut self) {
        let ProxyRows { ids, masses, rules, filters, is_filtered, found, rejected, .. } =
            &mut self.rows;
        ids.clear();
        masses.clear();
        rules.clear();
        filters.clear();
        *is_filtered = false;
        rejected.clear();
        found.clear();
        found.extend_from_slice(self.broadphase.movers().ids);
        found.sort_unstable();
        for k in 0..self.rows.found.len() {
            self.add(self.rows.found[k]);
        }
        let movers = self.bodies.len();
        self.rows.found.clear();
        for row in 0..movers {
            let (body, mass) = (&self.bodies[row], self.rows.masses[row]);
            // A resting proxy has no effect on a body that cannot be pushed.
            if mass.inverse_mass > 0.0 {
                let margin = self.config.margin(state::slop(&body.motion, mass));
                let path = paths::box_around(body, 0.0, margin);
                self.find(row, path);
            }
        }
        let found = &mut self.rows.found;
        found.sort_unstable();
        found.dedup();
        for k in 0..self.rows.found.len() {
            self.add(self.rows.found[k]);
        }
        self.order();
    }

    /// Appends the resting proxies near the box of a row that may meet it.
    fn find(&mut self, row: usize, path: Option<Aabb>) {
        let (filter, owner) = (self.rows.filters[row], self.rows.rules[row].owner);
        let queries = self.broadphase.queries_of_resting().filtered(filter).without_owner(owner);
        let path = path.map(|path| paths::enlarged(&path, self.config.half_target()));
        let Some(Ok(query)) = path.map(|path| queries.overlap(&path)) else { return };
        let found = &mut self.rows.found;
        query.visit(|id| {
            found.push(id);
            ControlFlow::Continue(())
        });
    }

    /// Adds a row for a proxy that takes part.
    fn add(&mut self, id: ProxyId) {
        let Some(proxy) = self.broadphase.proxy(id) else { return };
        if self.rows.is_rejected(id) {
            return;
        }
        let Some((geometry, mut motion, mut mass)) = (self.body_of)(id) else { return };
        let is_resting = proxy.kind.is_resting();
        if is_resting {
            motion = Motion::from(motion.pose);
        }
        if proxy.kind != ProxyKind::Dynamic {
            mass.inverse_mass = 0.0;
        }
        let rows = &mut self.rows;
        let bounds = paths::bounds_over(&geometry, &motion);
        let slot = id.index() as usize;
        if slot >= rows.rows.len() {
            rows.rows.resize(slot + 1, 0);
        }
        if let Err(invalid) = bounds.and_then(|_| mass.validate()) {
            rows.rows[slot] = rows.rejected.len() as u32;
            rows.rejected.push((id, invalid));
            return;
        }
        let row = self.bodies.len() as u32;
        rows.rows[slot] = row;
        rows.ids.push(id);
        rows.masses.push(mass);
        rows.rules.push(Rules { owner: proxy.owner, is_resting });
        rows.filters.push(proxy.filter);
        rows.is_filtered |= proxy.filter != Filter::ALL;
        self.bodies.push(GeometryBody { row, geometry, motion });
    }

    /// Sorts the rows by their ids.
    fn order(&mut self) {
        let ProxyRows { ids, rows, masses, rules, filters, .. } = &mut self.rows;
        // Each cycle of the permutation is followed once. What belongs at a position is at its row, which becomes the position then.
        ids.sort_unstable();
        for first in 0..ids.len() {
            let mut at = first;
            loop {
                let row = &mut rows[ids[at].index() as usize];
                let from = core::mem::replace(row, at as u32) as usize;
                if from == first {
                    break;
                }
                self.bodies.swap(at, from);
                masses.swap(at, from);
                rules.swap(at, from);
                filters.swap(at, from);
                at = from;
            }
        }
        for (row, body) in (0..).zip(&mut self.bodies) {
            body.row = row;
        }
    }
}

impl<'s> Bodies<'s> for ProxyBodies<'_, 's> {
    fn bodies(&self) -> &[GeometryBody<'s>] {
        &self.bodies
    }

    fn body_mut(&mut self, row: usize) -> &mut GeometryBody<'s> {
        &mut self.bodies[row]
    }

    fn mass(&self, row: usize) -> Mass {
        self.rows.masses[row]
    }

    fn label(&self, row: usize) -> u32 {
        self.rows.ids[row].index()
    }

    fn filters(&self) -> Option<&[Filter]> {
        self.rows.is_filtered.then_some(&self.rows.filters[..])
    }

    fn allows(&self, a: usize, b: usize) -> bool {
        let [filter, of_b] = [a, b].map(|row| self.rows.filters[row]);
        let [owner, owner_of_b] = [a, b].map(|row| self.rows.rules[row].owner);
        filter.allows(of_b) && (owner != owner_of_b || owner == 0)
    }

    fn add_resting(&mut self, row: usize, path: &Aabb, neighbours: &mut Vec<usize>) {
        if self.rows.masses[row].inverse_mass == 0.0 {
            return;
        }
        self.rows.found.clear();
        self.find(row, Some(*path));
        for k in 0..self.rows.found.len() {
            let id = self.rows.found[k];
            if self.rows.row(id).is_none() {
                self.add(id);
            }
            let Some(other) = self.rows.row(id).filter(|&other| other >= self.at_start) else {
                continue;
            };
            // The same test as in `RemainingPaths`, for the rows that it contains.
            if paths::box_around(&self.bodies[other], 0.0, self.config.half_target())
                .is_some_and(|other_path| other_path.overlaps(path))
            {
                neighbours.push(other);
            }
        }
    }
}
