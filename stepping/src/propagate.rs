//! Impulse propagation along touching bodies.
//!
//! Three bodies in a row without restitution pass an impulse back and forth: each time half of the closing speed is
//! left, all at one time, until it is lost in rounding. Nothing moves meanwhile, so nothing needs to be searched:
//! contacts without a bounce are stored, and after an impact those that still touch exchange impulses among
//! themselves, one after the other. The result is that of one event for each, at the cost of a few sums; then each
//! changed body is searched once.
//!
//! With the inverse masses `w`, a contact of normal `n` that closes with `c` takes the impulse `c/(w_a + w_b)`, as in
//! [`response`]: momentum is conserved, and each time energy is lost. The forces of accelerations, and the
//! pseudo-velocities that correct slop, are propagated in the same way. The propagation ends when the closing speeds
//! are so small that a search would ignore them too; what is left after [`PROPAGATED_MAX`] impulses, or after fewer
//! once a body has had many, is found by searching. (Sequential impulses, as in Catto 2005, *Iterative dynamics*, but for speeds at one time, and impulses
//! are never taken back.)

use crate::bodies::Bodies;
use crate::contacts::{ContactBody, Contacts, NONE, StepContact};
use crate::masses::{PairMasses, towards};
use crate::output::ResolvedImpact;
use crate::response::{self, BounceOutcome, LinearMotion, Reaction, SOON, along, push};
use crate::search::slow;
use crate::state::until_end;
use crate::step::Step;
use swath::Impact;

/// Greatest number of propagated impulses after an impact.
const PROPAGATED_MAX: usize = 1 << 14;
/// Number of propagated impulses of a body in a step after which an impact that reaches it has at most [`PROPAGATED_MIN`]. Where bodies
/// are wedged between others, the impulses hardly decrease, and each impact would take all that it may.
const PROPAGATED_EACH: u32 = 1 << 11;
const PROPAGATED_MIN: usize = 1 << 8;

impl Step {
    /// Returns the position of a row at `now`, not rounded.
    pub(crate) fn position_at(&self, bodies: &dyn Bodies<'_>, row: usize, now: f32) -> [f64; 3] {
        let motion = &bodies.bodies()[row].motion;
        let t = f64::from(now) - f64::from(self.states[row].since);
        let wide = |x: [f32; 3]| x.map(f64::from);
        let (at, delta, accel) =
            (wide(motion.pose.position), wide(motion.delta), wide(motion.accel));
        core::array::from_fn(|k| at[k] + (delta[k] * t + 0.5 * accel[k] * (t * t)))
    }

    /// Stores the contact of two bodies that touch at `impact.toi` and have this motion from then on.
    pub(crate) fn store_contact(
        &mut self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        impact: &Impact,
        spin_closing: f64,
    ) {
        let [a, b] = rows.map(|row| self.position_at(bodies, row, impact.toi));
        let between = core::array::from_fn(|k| b[k] - a[k]);
        self.contacts.store(*impact, rows, between, spin_closing);
    }

    /// Propagates the impulses of the bodies that were just changed.
    pub(crate) fn propagate(&mut self, bodies: &mut dyn Bodies<'_>, now: f32) {
        if !self.changed.iter().any(|&row| self.contacts.has(row)) {
            return;
        }
        let mut contacts = core::mem::take(&mut self.contacts);
        contacts.queue.clear();
        contacts.bodies.clear();
        for &row in &self.changed {
            contacts.enqueue(row, NONE);
        }
        let (mut head, mut propagated, mut most) = (0, 0, PROPAGATED_MAX);
        while head < contacts.queue.len() && propagated < most {
            let at = contacts.queue[head];
            head += 1;
            contacts.all[at as usize].is_queued = false;
            if let Some(is_pushed) = self.resolve_contact(bodies, &mut contacts, at, now) {
                propagated += 1;
                let rows = contacts.all[at as usize].rows;
                for (row, is_pushed) in rows.into_iter().zip(is_pushed) {
                    // A body that was not pushed passes nothing on: its motion is the same as before. A floor, or a body that is
                    // supported by it, may have a contact with every other body.
                    if !is_pushed {
                        continue;
                    }
                    contacts.enqueue(row, at);
                    self.states[row].propagated += 1;
                    if self.states[row].propagated > PROPAGATED_EACH {
                        most = PROPAGATED_MIN;
                    }
                }
            }
        }
        self.stats.propagated += propagated;
        for &at in &contacts.queue {
            let contact = &mut contacts.all[at as usize];
            contact.is_queued = false;
            self.report(contact, now);
        }
        for ContactBody { row, at, is_pushed } in contacts.bodies.drain(..) {
            contacts.positions[row] = NONE;
            if is_pushed {
                self.change(bodies, row, at, now);
            }
        }
        self.contacts = contacts;
    }

    /// Applies an impulse so that the bodies of a contact neither close nor are pulled together. Returns which of the two it pushes;
    /// `None` if they neither did nor were.
    fn resolve_contact(
        &mut self,
        bodies: &dyn Bodies<'_>,
        contacts: &mut Contacts,
        at: u32,
        now: f32,
    ) -> Option<[bool; 2]> {
        let StepContact { impact, rows, between, spin_closing, .. } = contacts.all[at as usize];
        if rows.iter().any(|&row| self.states[row].is_stalled) {
            return None;
        }
        let positions = rows.map(|row| {
            if contacts.positions[row] == NONE {
                contacts.positions[row] = contacts.bodies.len() as u32;
                let at = self.at(bodies, row, now);
                contacts.bodies.push(ContactBody { row, at, is_pushed: false });
            }
            contacts.positions[row] as usize
        });
        let n = response::unit(impact.normal)?;
        let [a, b] = positions.map(|position| contacts.bodies[position].at);
        let closing = along(a.linear.velocity, b.linear.velocity, n) + spin_closing;
        let pulled = along(a.linear.accel, b.linear.accel, n);
        // The same limit as in `BodyPair::next`: slower closing is ignored.
        let (left, least) = (f64::from(until_end(now)), 0.25 * slow(self.skin(rows)));
        let hits = closing * left > least;
        let presses = 0.5 * pulled * (left * left) > least && -2.0 * closing <= SOON * pulled;
        let approach = if hits { 0.0 } else { closing } + along(a.pseudo, b.pseudo, n);
        let corrects = approach * left > least;
        if !(hits || presses || corrects) {
            return None;
        }
        // Positions are constant during an event.
        let event = self.stats.events as u32;
        if contacts.all[at as usize].event != event {
            let touch = self.still_touch(bodies, rows, between, (impact.toi, now));
            // Whether a body lies on its support counts now, not when the contact was stored.
            let impact = Impact { toi: now, ..impact };
            let masses =
                if touch { self.pair_masses(bodies, rows, &impact).supported } else { [0.0; 2] };
            let contact = &mut contacts.all[at as usize];
            (contact.event, contact.masses) = (event, [masses; 2]);
        }
        let contact = &mut contacts.all[at as usize];
        let [supported, supported_pseudo] = contact.masses;
        if supported == [0.0; 2] {
            return None;
        }
        // Once the own mass of a body counts, it does so until the end of the event.
        let free = rows.map(|row| f64::from(bodies.mass(row).inverse_mass));
        let pair = |supported| PairMasses { free, supported, at_rest: 0.0 };
        let either = if supported == free { supported_pseudo } else { supported };
        let support_end = self.support_end_of(bodies, rows, &pair(either), now);
        let counting = |supported, two: [[f64; 3]; 2], of_end: [f64; 3]| {
            pair(supported).counting(towards(two, of_end, n), 0.0)
        };
        let mut masses = supported;
        if hits {
            masses = counting(masses, [a.linear.velocity, b.linear.velocity], support_end.velocity);
        }
        if presses {
            masses = counting(masses, [a.linear.accel, b.linear.accel], support_end.accel);
        }
        if masses != supported {
            self.report(contact, now);
        }
        let mut pseudo_masses = supported_pseudo;
        if corrects {
            pseudo_masses =
                counting(pseudo_masses, [a.velocity(), b.velocity()], support_end.velocity);
        }
        contact.masses = [masses, pseudo_masses];
        let part = |is_applied: bool, by: f64, masses: [f64; 2]| {
            if is_applied { by / (masses[0] + masses[1]) } else { 0.0 }
        };
        let [impulse, force] = [part(hits, closing, masses), part(presses, pulled, masses)];
        for (sum, applied) in contacts.all[at as usize].applied.iter_mut().zip([impulse, force]) {
            *sum += applied;
        }
        let mut two = [a, b];
        if hits {
            self.drive(bodies, rows, &two, spin_closing);
        }
        let [a, b] = &mut two;
        let LinearMotion { velocity, accel } = &mut a.linear;
        push([velocity, &mut b.linear.velocity], n, impulse, masses);
        push([accel, &mut b.linear.accel], n, force, masses);
        let correction = part(corrects, approach, pseudo_masses);
        push([&mut a.pseudo, &mut b.pseudo], n, correction, pseudo_masses);
        let is_pushed = [0, 1].map(|k| masses[k] != 0.0 || pseudo_masses[k] != 0.0);
        for k in 0..2 {
            let body = &mut contacts.bodies[positions[k]];
            body.at = two[k];
            body.is_pushed |= is_pushed[k];
        }
        Some(is_pushed)
    }

    /// Reports what was applied at a contact since the last report.
    fn report(&mut self, contact: &mut StepContact, now: f32) {
        let [impulse, force] = core::mem::take(&mut contact.applied);
        if impulse > 0.0 || force > 0.0 {
            let [masses, _] = contact.masses;
            let closing = response::finite(impulse * (masses[0] + masses[1]));
            let impact = Impact { toi: now, closing, depth: 0.0, ..contact.impact };
            let [impulse, supporting_force] = [impulse, force].map(response::finite);
            let outcome = BounceOutcome::Resting;
            let reaction = Reaction { outcome, impulse, supporting_force };
            self.resolved.push(ResolvedImpact::new(impact, reaction, masses));
            self.stats.responses += 1;
        }
    }

    /// Returns whether two bodies that touched have the same relative position, except for rounding.
    fn still_touch(
        &self,
        bodies: &dyn Bodies<'_>,
        rows: [usize; 2],
        between: [f64; 3],
        (then, now): (f32, f32),
    ) -> bool {
        if then == now {
            return true;
        }
        let [a, b] = rows.map(|row| self.position_at(bodies, row, now));
        let moved = [0, 1, 2].map(|k| b[k] - a[k] - between[k]);
        let square: f64 = moved.iter().map(|x| x * x).sum();
        let spins = rows.map(|row| bodies.bodies()[row].motion.spin != [0.0; 3]);
        let skin = f64::from(self.skin(rows));
        spins == [false; 2] && square <= skin * skin
    }
}

#[cfg(test)]
mod tests {
    use crate::bodies::BodyRows;
    use crate::start::Start;
    use crate::step::Step;
    use crate::{Mass, StepperConfig};
    use alloc::vec::Vec;
    use swath::pipeline::GeometryBody;
    use swath::{Motion, Pose, Shape};

    /// Goal: an impulse on a body that lies on a slab does not visit all other contacts of the slab, whether the slab cannot be pushed or is supported
    /// by a floor. Method: balls lie on a slab, and each is hit by another one; few impulses reach the slab, and few contacts are queued.
    #[test]
    fn impulse_that_reaches_a_supported_body_ends_there() {
        const SIDE: usize = 16;
        for inverse_mass in [0.0, 0.0001] {
            let (mut bodies, mut masses) = (Vec::new(), Vec::new());
            let mut put = |shape: Shape<'static>, at, dy, inverse_mass: f32| {
                let motion = Motion::new(Pose::at(at).expect("a pose"), [0.0, dy, 0.0]);
                let gravity = if inverse_mass > 0.0 { -0.003 } else { 0.0 };
                let motion = motion.expect("a motion").accelerating([0.0, gravity, 0.0]);
                let motion = motion.expect("an acceleration");
                bodies.push(GeometryBody { row: 0, geometry: shape.into(), motion });
                masses.push(Mass { inverse_mass, restitution: 0.0 });
            };
            let cuboid = |half| Shape::cuboid(half).expect("a cuboid");
            put(cuboid([100.0, 1.0, 100.0]), [0.0, -2.0, 0.0], 0.0, 0.0);
            put(cuboid([50.0, 0.5, 50.0]), [0.0, -0.5, 0.0], 0.0, inverse_mass);
            let ball = Shape::sphere(0.25).expect("a ball");
            for k in 0..SIDE * SIDE {
                let [x, z] = [k % SIDE, k / SIDE].map(|k| k as f32 * 1.5 - 12.0);
                put(ball, [x, 0.25, z], 0.0, 1.0);
                put(ball, [x + 0.294, 0.7, z + 0.294], -0.3, 1.0);
            }
            let mut rows = BodyRows { bodies: &mut bodies, masses: &masses, filters: None };
            let mut step = Step { config: StepperConfig::default(), ..Step::default() };
            Start::default().fill(&mut step, &mut rows).expect("bodies");
            step.process_all(&mut rows);
            assert!(step.stats.propagated >= SIDE * SIDE, "{:?}", step.stats);
            let (reached, queue) = (step.states[1].propagated, step.contacts.queue.capacity());
            assert!(reached < 16 && queue < 4 * SIDE * SIDE, "{inverse_mass}: {reached}, {queue}");
        }
    }
}
