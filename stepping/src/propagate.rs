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
            if self.resolve_contact(bodies, &mut contacts, at, now) {
                propagated += 1;
                for row in contacts.all[at as usize].rows {
                    // No impulse changes the velocity of a body that cannot be pushed, so nothing is passed on by it. A floor may
                    // have a contact with every other body.
                    if bodies.mass(row).inverse_mass == 0.0 {
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

    /// Applies an impulse so that the bodies of a contact neither close nor are pulled together. Returns whether they
    /// did or were.
    fn resolve_contact(
        &mut self,
        bodies: &dyn Bodies<'_>,
        contacts: &mut Contacts,
        at: u32,
        now: f32,
    ) -> bool {
        let StepContact { impact, rows, between, spin_closing, .. } = contacts.all[at as usize];
        if rows.iter().any(|&row| self.states[row].is_stalled) {
            return false;
        }
        let positions = rows.map(|row| {
            if contacts.positions[row] == NONE {
                contacts.positions[row] = contacts.bodies.len() as u32;
                let at = self.at(bodies, row, now);
                contacts.bodies.push(ContactBody { row, at, is_pushed: false });
            }
            contacts.positions[row] as usize
        });
        let Some(n) = response::unit(impact.normal) else { return false };
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
            return false;
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
            return false;
        }
        // Once the own mass of a body counts, it does so until the end of the event.
        let free = rows.map(|row| f64::from(bodies.mass(row).inverse_mass));
        let pair = |supported| PairMasses { free, supported, at_rest: 0.0 };
        let either = if supported == free { supported_pseudo } else { supported };
        let carrier = self.carrier_of(bodies, rows, &pair(either), now);
        let counting = |supported, two: [[f64; 3]; 2], of_carrier: [f64; 3]| {
            pair(supported).counting(towards(two, of_carrier, n), 0.0)
        };
        let mut masses = supported;
        if hits {
            masses = counting(masses, [a.linear.velocity, b.linear.velocity], carrier.velocity);
        }
        if presses {
            masses = counting(masses, [a.linear.accel, b.linear.accel], carrier.accel);
        }
        if masses != supported {
            self.report(contact, now);
        }
        let mut pseudo_masses = supported_pseudo;
        if corrects {
            pseudo_masses = counting(pseudo_masses, [a.velocity(), b.velocity()], carrier.velocity);
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
        let [a, b] = &mut two;
        let LinearMotion { velocity, accel } = &mut a.linear;
        push([velocity, &mut b.linear.velocity], n, impulse, masses);
        push([accel, &mut b.linear.accel], n, force, masses);
        let correction = part(corrects, approach, pseudo_masses);
        push([&mut a.pseudo, &mut b.pseudo], n, correction, pseudo_masses);
        for k in 0..2 {
            let body = &mut contacts.bodies[positions[k]];
            body.at = two[k];
            body.is_pushed |= masses[k] != 0.0 || pseudo_masses[k] != 0.0;
        }
        true
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
