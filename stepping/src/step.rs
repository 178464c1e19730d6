//! The bodies of a tick that is being computed: their motions, and the next impact of a pair.
//!
//! [`Step`] is the memory that the parts of a step share; its methods here are what each of them needs.

use crate::bodies::Bodies;
use crate::config::StepperConfig;
use crate::contacts::Contacts;
use crate::masses::PairMasses;
use crate::output::{ResolvedImpact, Stalled, StepStats};
use crate::paths::RemainingPaths;
use crate::response::{self, LinearMotion, dot};
use crate::search::{BodyPair, EventKind, SearchWork, are_boxes_near, smaller_size};
use crate::state::{self, BodyAt, BodyState, round_down, until_end};
use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use swath::batch::Rejected;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{self, Compound, Geometry};
use swath::{Impact, Motion, Pair, Pose, Shape};

/// Least cosine between a normal and the direction of a support for which the support takes an impulse.
const SUPPORT_COSINE_MIN: f64 = 0.7;
/// A body that separates from its support faster than this part of the speeds, its own and the closing speed of an impact, is no longer
/// supported, unless its weight brings it back at once.
const SUPPORT_LOST: f64 = 1.0 / 1024.0;
/// Greatest length of a chain of supports that is followed to its end.
const SUPPORTS_MAX: usize = 64;

/// Number of parts of a compound that are tested one by one before its hierarchy is used.
const FIRST_PARTS: usize = 32;

/// A future event of two bodies, and the versions of the motions for which it was computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    /// The impact, with the labels of its two bodies. An event of another kind has only its time and the labels.
    pub(crate) impact: Impact,
    pub(crate) rows: [usize; 2],
    pub(crate) versions: [u32; 2],
    pub(crate) kind: EventKind,
}

impl Event {
    fn key(&self) -> (u32, Pair) {
        (self.impact.toi.to_bits(), self.impact.pair)
    }
}

impl Ord for Event {
    /// The order is reversed, because the queue returns the greatest event first.
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

/// The memory and the output of a step.
#[derive(Debug, Default)]
pub(crate) struct Step {
    pub(crate) config: StepperConfig,
    pub(crate) queue: BinaryHeap<Event>,
    /// Overlaps at the start of the tick.
    pub(crate) overlaps: Vec<Event>,
    pub(crate) states: Vec<BodyState>,
    pub(crate) paths: RemainingPaths,
    pub(crate) contacts: Contacts,
    /// Bodies that have changed in this event.
    pub(crate) changed: Vec<usize>,
    pub(crate) rejected: Vec<Rejected>,
    pub(crate) resolved: Vec<ResolvedImpact>,
    pub(crate) stalled: Vec<Stalled>,
    /// Rows that do not rotate in the rest of the tick.
    pub(crate) stopped_rotations: Vec<Stalled>,
    pub(crate) stats: StepStats,
    /// Number of rounds that this step may take.
    pub(crate) rounds_max: u64,
    /// Bodies near the one that is searched.
    pub(crate) neighbours: Vec<usize>,
    /// Bodies to be stalled by the budget, and those that could reach them.
    pub(crate) to_stall: Vec<usize>,
    pub(crate) near_stalled: Vec<usize>,
    /// Whether each row was found in `to_stall` while that list was made shorter.
    pub(crate) is_listed: Vec<bool>,
}

impl Step {
    /// Forgets the last tick.
    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.overlaps.clear();
        self.contacts.clear();
        self.resolved.clear();
        self.stalled.clear();
        self.stopped_rotations.clear();
        self.states.clear();
        self.rejected.clear();
        self.stats = StepStats::default();
    }

    /// Returns the distance at which two rows touch.
    pub(crate) fn skin(&self, rows: [usize; 2]) -> f32 {
        self.config.skin(rows.map(|row| self.states[row].slop))
    }

    /// Returns by how much a tick pushes two rows apart that lack so much distance.
    pub(crate) fn correction(
        &self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        missing: f32,
    ) -> f32 {
        let skin = self.skin(rows);
        if missing < skin {
            return missing;
        }
        let all = bodies.bodies();
        let size = smaller_size(rows.map(|row| &all[row].geometry));
        let most = response::finite(f64::from(self.config.correction_max) * size);
        let most = if most > skin { most } else { skin };
        if missing < most { missing } else { most }
    }

    /// Returns a row at `now`.
    pub(crate) fn at(&self, bodies: &dyn Bodies<'_>, row: usize, now: f32) -> BodyAt {
        self.states[row].at(&bodies.bodies()[row].motion, now)
    }

    /// Sets the motion of a row from `now` on.
    pub(crate) fn change(&mut self, bodies: &mut dyn Bodies<'_>, row: usize, at: BodyAt, now: f32) {
        let motion = at.motion();
        let slop = state::slop(&motion, bodies.mass(row));
        let state = &mut self.states[row];
        (state.version, state.since) = (state.version + 1, now);
        (state.linear, state.pseudo) = (at.linear, at.pseudo);
        state.slop = if slop > state.slop { slop } else { state.slop };
        bodies.body_mut(row).motion = motion;
        self.update_path(bodies, row, now);
        let event = self.stats.events as u32;
        if self.states[row].changed_in != event {
            self.states[row].changed_in = event;
            self.changed.push(row);
        }
    }

    /// Updates the box of a row in the search for neighbours, for its motion from `now` on.
    fn update_path(&mut self, bodies: &dyn Bodies<'_>, row: usize, now: f32) {
        let margin = self.config.margin(self.states[row].slop);
        self.paths.set(row, &bodies.bodies()[row], now, margin);
    }

    /// Records for two bodies that have exchanged an impulse which mover drives them: the fastest of those among the two, and of those whose
    /// impulses have reached one of them before.
    pub(crate) fn drive(
        &mut self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        two: &[BodyAt; 2],
        spin_closing: f64,
    ) {
        let is_pushable = rows.map(|row| bodies.mass(row).inverse_mass > 0.0);
        let [a, b] = [0, 1].map(|k| {
            let turns = if two[k].spin == [0.0; 3] { 0.0 } else { spin_closing.abs() };
            match is_pushable[k] {
                true => self.states[rows[k]].driven,
                false => (response::length(two[k].linear.velocity) + turns, rows[k] as u32),
            }
        });
        let most = if a.0 > b.0 { a } else { b };
        for (row, _) in rows.into_iter().zip(is_pushable).filter(|&(_, is_pushable)| is_pushable) {
            self.states[row].driven = most;
        }
    }

    /// Stalls a row, which was just changed, from `now` on.
    pub(crate) fn stall(&mut self, bodies: &mut dyn Bodies<'_>, row: usize, now: f32) {
        let motion = &mut bodies.body_mut(row).motion;
        (motion.delta, motion.accel, motion.spin) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        let state = &mut self.states[row];
        (state.is_stalled, state.linear.accel, state.pseudo) = (true, [0.0; 3], [0.0; 3]);
        self.update_path(bodies, row, now);
        self.stalled.push(Stalled { row: row as u32, since: now });
        self.stats.stalled += 1;
    }

    /// Returns the inverse masses of two bodies in an impact, and which of them is supported against its direction.
    pub(crate) fn pair_masses(
        &mut self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        impact: &Impact,
    ) -> PairMasses {
        let free = rows.map(|row| f64::from(bodies.mass(row).inverse_mass));
        let (mut masses, mut at_rest) = (free, 0.0);
        let normal = impact.normal.map(f64::from);
        // The impulse pushes `a` against the normal, and `b` along it.
        for (member, push) in [-1.0, 1.0].into_iter().enumerate() {
            let BodyState { support, support_direction, .. } = self.states[rows[member]];
            let direction = support_direction.map(f64::from);
            if -push * dot(normal, direction) <= SUPPORT_COSINE_MIN {
                continue;
            }
            let Some(most) = self.lies_on_support(bodies, rows[member], impact) else { continue };
            if self.lies_on_immovable(bodies, support as usize, impact) {
                (masses[member], at_rest) = (0.0, most);
            }
        }
        let supported = if masses == [0.0; 2] { free } else { masses };
        PairMasses { free, supported, at_rest }
    }

    /// Returns whether a row cannot be pushed, or lies on its support as do all below it, at the time of an impact. The rest of a chain
    /// of more than [`SUPPORTS_MAX`] is not tested.
    fn lies_on_immovable(
        &mut self,
        bodies: &dyn Bodies<'_>,
        mut row: usize,
        impact: &Impact,
    ) -> bool {
        for _ in 0..SUPPORTS_MAX {
            if bodies.mass(row).inverse_mass == 0.0 {
                return true;
            }
            let BodyState { support, version, at_rest_in, .. } = self.states[row];
            let support = support as usize;
            // A body that is stalled keeps the version of its last change.
            if self.states[support].is_stalled {
                return false;
            }
            // Most links of a tall tower have not changed, so nothing is computed for them.
            let versions = [version, self.states[support].version];
            if at_rest_in != Some(versions) && self.lies_on_support(bodies, row, impact).is_none() {
                return false;
            }
            row = support;
        }
        true
    }

    /// Returns the speed up to which the weight of a row brings it back to its support at once, if it lies on a support that is not stalled, at the
    /// time of an impact.
    fn lies_on_support(
        &mut self,
        bodies: &dyn Bodies<'_>,
        row: usize,
        impact: &Impact,
    ) -> Option<f64> {
        let state = &self.states[row];
        let (direction, support) = (state.support_direction.map(f64::from), state.support as usize);
        if direction == [0.0; 3] || self.states[support].is_stalled {
            return None;
        }
        let [own, of_support] = [row, support]
            .map(|row| dot(self.states[row].linear_at(impact.toi).velocity, direction));
        // It separates very slowly, or its own acceleration brings it back at once.
        let skin = f64::from(self.skin([row, support]));
        let slow = SUPPORT_LOST * (f64::from(impact.closing).abs() + own.abs()) + 2.0 * skin;
        let weight = -0.5 * response::SOON * dot(state.own_accel().map(f64::from), direction);
        let weight = if weight > 0.0 { weight } else { 0.0 };
        let most = if weight > slow { weight } else { slow };
        // How far it can have got by such a speed of its own. An impact, however fast, does not make it lie farther off.
        let apart = weight + 2.0 * skin;
        let rows = [row, support];
        let lies = own - of_support <= most
            && (self.is_unmoved(bodies, rows, impact.toi)
                || self.are_near(bodies, rows, impact.toi, apart));
        lies.then_some(weight)
    }

    /// Returns whether a row and its support have the same relative position as when it came to rest there, except for half of the skin.
    /// Then they are near, which boxes would show at a much higher cost.
    fn is_unmoved(&self, bodies: &dyn Bodies<'_>, rows: [usize; 2], now: f32) -> bool {
        if rows.iter().any(|&row| bodies.bodies()[row].motion.spin != [0.0; 3]) {
            return false;
        }
        let [own, of_support] = rows.map(|row| self.position_at(bodies, row, now));
        let then = self.states[rows[0]].from_support;
        let moved = core::array::from_fn(|k| own[k] - of_support[k] - then[k]);
        let most = 0.5 * f64::from(self.skin(rows));
        dot(moved, moved) <= most * most
    }

    /// Returns the motion of the immovable body at the end of the chain of supports of the supported one of two bodies. It is at rest if neither is
    /// supported, or if the chain has no such end. A chain is followed for [`SUPPORTS_MAX`] links; then its end is the one that was stored.
    pub(crate) fn support_end_of(
        &self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        masses: &PairMasses,
        now: f32,
    ) -> LinearMotion {
        let Some(mut row) = masses.supported_row(rows) else { return LinearMotion::default() };
        for _ in 0..SUPPORTS_MAX {
            if bodies.mass(row).inverse_mass == 0.0 {
                return self.at(bodies, row, now).linear;
            }
            let BodyState { support, support_direction, .. } = self.states[row];
            if support_direction == [0.0; 3] {
                return LinearMotion::default();
            }
            row = support as usize;
        }
        // The rest of a longer chain is not followed.
        let end = self.stored_support_end(bodies, row);
        match bodies.mass(end).inverse_mass > 0.0 {
            true => LinearMotion::default(),
            false => self.at(bodies, end, now).linear,
        }
    }

    /// Returns the row of the body that cannot be pushed at the end of the chain of supports of a row, when that row came to rest; or the row itself if it
    /// cannot be pushed.
    pub(crate) fn stored_support_end(&self, bodies: &dyn Bodies<'_>, row: usize) -> usize {
        match bodies.mass(row).inverse_mass > 0.0 {
            true => self.states[row].support_end as usize,
            false => row,
        }
    }

    /// Returns whether two bodies are at most `apart` apart: the boxes around them, and if one has parts, the parts. Otherwise one has slid
    /// past the other or was thrown, whatever their speeds are now.
    fn are_near(
        &mut self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        now: f32,
        apart: f64,
    ) -> bool {
        let geometries = rows.map(|row| &bodies.bodies()[row].geometry);
        let poses = rows.map(|row| self.at(bodies, row, now).pose);
        let apart = response::finite(apart);
        let two = [0, 1].map(|k| (geometries[k], &poses[k]));
        if !are_boxes_near(two, apart) {
            return false;
        }
        let [a, b] = two;
        let has_parts = |of: &Geometry<'_>| !matches!(of, Geometry::Convex(_));
        if geometries.into_iter().any(has_parts)
            && self.is_point_near(bodies, rows[0], now, b, apart)
        {
            return true;
        }
        match geometries {
            [Geometry::Convex(_), Geometry::Convex(_)] => true,
            [Geometry::Compound(of_a), Geometry::Compound(of_b)]
                if of_a.parts().len() < of_b.parts().len() =>
            {
                self.is_part_near((of_b, b.1), a, apart)
            }
            [Geometry::Compound(of_a), _] => self.is_part_near((of_a, a.1), b, apart),
            [_, Geometry::Compound(of_b)] => self.is_part_near((of_b, b.1), a, apart),
            _ => self.are_parts_near(two, apart),
        }
    }

    /// Returns whether the point of a row that was nearest to its support when it came to rest there is at most `apart` away from the
    /// support. It is near few triangles, where the row may be near thousands.
    fn is_point_near(
        &mut self,
        bodies: &dyn Bodies<'_>,
        row: usize,
        now: f32,
        support: (&Geometry<'_>, &Pose),
        apart: f32,
    ) -> bool {
        if bodies.bodies()[row].motion.spin != [0.0; 3] {
            return false;
        }
        let (own, at) = (self.position_at(bodies, row, now), self.states[row].on_support);
        let at = core::array::from_fn(|k| (own[k] + at[k]) as f32);
        // The tolerance of a search is relative to the size of the smaller body, so half of the distance is a radius.
        let half = 0.5 * apart;
        let (Ok(ball), Ok(pose)) = (Shape::sphere(half), Pose::at(at)) else { return false };
        self.are_parts_near([(&Geometry::Convex(ball), &pose), support], half)
    }

    /// Returns whether a part of a compound is at most `apart` away from a body. The search of the first parts ends at one that is, because all parts
    /// of a raft may lie on a floor. If none of many is, the hierarchy of the compound finds those near the body.
    fn is_part_near(
        &mut self,
        (compound, pose): (&Compound, &Pose),
        body: (&Geometry<'_>, &Pose),
        apart: f32,
    ) -> bool {
        let parts = compound.parts();
        let (first, rest) = parts.split_at(parts.len().min(FIRST_PARTS));
        let is_near = first.iter().any(|(shape, of_part)| {
            // A pose past the limits is no error of the caller here.
            let Some(pose) = part_pose(pose, of_part) else { return true };
            let part = Geometry::Convex(shape.shape());
            let two = [(&part, &pose), body];
            are_boxes_near(two, apart) && self.are_parts_near(two, apart)
        });
        let all = [(&Geometry::from(compound), pose), body];
        is_near || !rest.is_empty() && self.are_parts_near(all, apart)
    }

    /// Returns whether a part of one body is at most `apart` away from a part of another one.
    fn are_parts_near(
        &mut self,
        [(a, of_a), (b, of_b)]: [(&Geometry<'_>, &Pose); 2],
        apart: f32,
    ) -> bool {
        let [of_a, of_b] = [*of_a, *of_b].map(Motion::from);
        let StepperConfig { tolerance, rounds_max, .. } = self.config;
        let window = [0.0; 2];
        let settings =
            Settings { target_distance: apart, tolerance, window, touch: Touch::Hit, rounds_max };
        // A distance past the limits is no error of the caller here.
        let Ok(found) = mesh::toi::one_to_one(a, &of_a, b, &of_b, &settings) else { return true };
        let mut work = SearchWork::default();
        work.add_parts(&found);
        self.count(&work);
        found.toi.result != ToiResult::Separated
    }

    /// Whether the searches have taken as many rounds as this step may take.
    pub(crate) fn is_out_of_rounds(&self) -> bool {
        self.stats.budget_rounds >= self.rounds_max
    }

    /// Counts the work of searches.
    pub(crate) fn count(&mut self, work: &SearchWork) {
        self.stats.rounds += work.rounds;
        self.stats.budget_rounds += work.budget_rounds();
    }

    /// Returns the next event of two bodies from `now` on.
    pub(crate) fn next_event(
        &mut self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        now: f32,
    ) -> Option<Event> {
        let [a, b] = rows.map(|row| bodies.label(row));
        let all = bodies.bodies();
        let motion_at = |row: usize| {
            let motion = &all[row].motion;
            response::advanced(motion, now - self.states[row].since)
        };
        let two = BodyPair {
            pair: Pair { a, b },
            geometries: rows.map(|row| &all[row].geometry),
            motions: rows.map(motion_at),
            skin: self.skin(rows),
        };
        let mut work = SearchWork::default();
        let next = two.next(&self.config, [0.0, until_end(now)], &mut work);
        self.count(&work);
        let (mut impact, kind) = next?;
        let toi = f64::from(now) + f64::from(impact.toi);
        if toi > 1.0 {
            return None;
        }
        impact.toi = round_down(toi);
        let versions = rows.map(|row| self.states[row].version);
        Some(Event { impact, rows, versions, kind })
    }
}

/// Returns the pose of a part of a body, given that of the body and that of the part in it.
fn part_pose(body: &Pose, part: &Pose) -> Option<Pose> {
    let ([x, y, z, w], [px, py, pz, pw]) =
        (body.rotation.map(f64::from), part.rotation.map(f64::from));
    let rotation = [
        w * px + x * pw + y * pz - z * py,
        w * py + y * pw + z * px - x * pz,
        w * pz + z * pw + x * py - y * px,
        w * pw - x * px - y * py - z * pz,
    ];
    let cross = |[a, b, c]: [f64; 3]| [y * c - z * b, z * a - x * c, x * b - y * a];
    let at = part.position.map(f64::from);
    let once = cross(at);
    let twice = cross(once);
    let position: [f64; 3] = core::array::from_fn(|k| {
        f64::from(body.position[k]) + at[k] + 2.0 * (w * once[k] + twice[k])
    });
    Pose::from_f64(position, rotation).ok()
}

#[cfg(test)]
mod tests {
    use super::{Step, part_pose};
    use crate::bodies::BodyRows;
    use crate::start::Start;
    use crate::{Mass, StepperConfig};
    use swath::pipeline::GeometryBody;
    use swath::{Impact, Pose, Shape};

    /// Goal: a chain of supports ends at a stalled body, also where a body has not moved relative to its support. Method: two boxes on a floor that
    /// have come to rest on each other, of which the lower one is stalled then.
    #[test]
    fn chain_with_a_stalled_body_is_no_support() {
        let cuboid = Shape::cuboid([0.5; 3]).expect("a cuboid");
        let mut bodies = [0.0_f32, 1.0, 2.0].map(|y| {
            let pose = Pose::at([0.0, y, 0.0]).expect("a pose");
            GeometryBody { row: 0, geometry: cuboid.into(), motion: pose.into() }
        });
        let mut masses = [Mass { inverse_mass: 1.0, restitution: 0.0 }; 3];
        masses[0] = Mass::FIXED;
        let mut rows = BodyRows { bodies: &mut bodies, masses: &masses, filters: None };
        let mut step = Step { config: StepperConfig::default(), ..Step::default() };
        Start::default().fill(&mut step, &mut rows).expect("bodies");
        for row in 1..3 {
            let versions = [row, row - 1].map(|row| step.states[row].version);
            let state = &mut step.states[row];
            (state.support, state.support_direction) = (row as u32 - 1, [0.0, 1.0, 0.0]);
            state.at_rest_in = Some(versions);
        }
        assert!(step.lies_on_immovable(&rows, 2, &Impact::default()));
        step.states[1].is_stalled = true;
        assert!(!step.lies_on_immovable(&rows, 2, &Impact::default()));
    }

    /// Goal: a part of a body is where its two poses take it. Method: a part beside the middle of a body that is turned by a quarter about z, then
    /// about x.
    #[test]
    fn pose_of_a_part_is_that_of_the_body_after_its_own() {
        let half = core::f32::consts::FRAC_1_SQRT_2;
        let pose = |position, rotation| Pose { position, rotation };
        let part = pose([1.0, 2.0, 3.0], [half, 0.0, 0.0, half]);
        let body = pose([10.0, 20.0, 30.0], [0.0, 0.0, half, half]);
        let whole = part_pose(&body, &part).expect("a pose");
        let expected = pose([8.0, 21.0, 33.0], [0.5, 0.5, 0.5, 0.5]);
        let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!((0..3).all(|k| near(whole.position[k], expected.position[k])), "{whole:?}");
        assert!((0..4).all(|k| near(whole.rotation[k], expected.rotation[k])), "{whole:?}");
        // A vector of the part is turned by both rotations in order.
        let point = part_pose(&whole, &Pose::at([0.0, 1.0, 0.0]).expect("a pose"));
        let position = point.expect("a pose").position;
        assert!((0..3).all(|k| near(position[k], [8.0, 21.0, 34.0][k])), "{position:?}");
    }
}
