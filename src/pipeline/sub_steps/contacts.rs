//! Impulse propagation along touching bodies.
//!
//! Three bodies in a row without restitution pass an impulse back and forth: each time half of the closing speed is
//! left, all at one time, until it is lost in rounding. Nothing moves meanwhile, so nothing needs to be searched:
//! contacts without a bounce are cached, and after an impact those that still touch exchange impulses among
//! themselves, one after the other. The result is that of one event for each, at the cost of a few sums; then each
//! changed body is searched once.
//!
//! With the inverse masses `w`, a contact of normal `n` that closes with `c` takes the impulse `c/(w_a + w_b)`, as in
//! [`response`]: momentum is conserved, and each time energy is lost. The forces of accelerations, and the
//! pseudo-velocities that correct slop, are propagated in the same way. The propagation ends when the closing speeds
//! are so small that a search would ignore them too; what is left after [`HANDED_MAX`] impulses is found by
//! searching. (Sequential impulses, as in Catto 2005, *Iterative dynamics*, but for speeds at one time, and impulses
//! are never taken back.)

use super::crowd::Crowd;
use super::search::slow;
use super::state::At;
use super::{Responded, SubSteps, until_end};
use crate::geom::MapEach;
use crate::pipeline::impacts::Impact;
use crate::pipeline::response::{self, BounceOutcome, Moving, Reaction, SOON, along, push};
use alloc::vec::Vec;

/// Greatest number of propagated impulses after an impact.
const HANDED_MAX: usize = 1 << 14;
/// Marks a missing contact or member.
pub(super) const NONE: u32 = u32::MAX;

/// A contact of two bodies that did not bounce.
#[derive(Clone, Copy, Debug)]
struct StepContact {
    impact: Impact,
    rows: [usize; 2],
    /// Vector from the first to the second.
    between: [f64; 3],
    /// The part of the closing speed that is due to spins.
    turning: f64,
    /// The previous contact of each of the two bodies.
    next: [u32; 2],
    /// Impulse and supporting force of this pass.
    given: [f64; 2],
    is_queued: bool,
    /// The pass for which the inverse masses are valid.
    pass: u32,
    /// The inverse masses that count; `None` if the two do not touch any more.
    masses: [f64; 2],
}

/// A body with a contact, and its motion at the time of the pass.
#[derive(Clone, Copy, Debug)]
struct ContactMember {
    row: usize,
    at: At,
    is_pushed: bool,
}

/// The contacts of a tick.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    all: Vec<StepContact>,
    /// The last contact of each row.
    last: Vec<u32>,
    /// Position of each row among the members.
    places: Vec<u32>,
    members: Vec<ContactMember>,
    /// Contacts to process, first in, first out.
    queue: Vec<u32>,
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.last.clear();
        self.places.clear();
    }

    /// Returns whether a row has contacts.
    fn has(&self, row: usize) -> bool {
        self.last.get(row).is_some_and(|&last| last != NONE)
    }

    /// Stores the contact of two bodies at this relative position, in place of an older one of the same two.
    pub(super) fn note(
        &mut self,
        impact: Impact,
        rows: [usize; 2],
        between: [f64; 3],
        turning: f64,
    ) {
        let most = rows[0].max(rows[1]);
        if most >= self.last.len() {
            self.last.resize(most + 1, NONE);
            self.places.resize(most + 1, NONE);
        }
        let (mut at, next) = (self.last[rows[0]], rows.map_each(|row| self.last[row]));
        while at != NONE && self.all[at as usize].rows != rows {
            at = self.after(at, rows[0]);
        }
        let contact = StepContact {
            impact,
            rows,
            between,
            turning,
            next,
            given: [0.0; 2],
            is_queued: false,
            pass: 0,
            masses: [0.0; 2],
        };
        if at != NONE {
            let old = &mut self.all[at as usize];
            *old = StepContact { next: old.next, ..contact };
            return;
        }
        rows.into_iter().for_each(|row| self.last[row] = self.all.len() as u32);
        self.all.push(contact);
    }

    /// Returns the contact of a row that follows this one.
    fn after(&self, at: u32, row: usize) -> u32 {
        let StepContact { rows, next, .. } = self.all[at as usize];
        next[usize::from(rows[0] != row)]
    }

    /// Enqueues the contacts of a row except one.
    fn enqueue(&mut self, row: usize, but: u32) {
        let mut at = self.last.get(row).copied().unwrap_or(NONE);
        while at != NONE {
            let contact = &mut self.all[at as usize];
            if at != but && !contact.is_queued {
                contact.is_queued = true;
                self.queue.push(at);
            }
            at = self.after(at, row);
        }
    }
}

impl SubSteps {
    /// Returns the position of a row at `now`, not rounded.
    fn position_at<'s>(&self, crowd: &impl Crowd<'s>, row: usize, now: f32) -> [f64; 3] {
        let motion = &crowd.bodies()[row].motion;
        let t = f64::from(now) - f64::from(self.states[row].since);
        let wide = |x: [f32; 3]| x.map_each(f64::from);
        let (at, delta, accel) =
            (wide(motion.pose.position), wide(motion.delta), wide(motion.accel));
        core::array::from_fn(|k| at[k] + (delta[k] * t + 0.5 * accel[k] * (t * t)))
    }

    /// Stores the contact of two bodies that touch at `impact.toi` and have this motion from then on.
    pub(super) fn keep_contact<'s>(
        &mut self,
        crowd: &impl Crowd<'s>,
        rows: [usize; 2],
        impact: &Impact,
        turning: f64,
    ) {
        let [a, b] = rows.map_each(|row| self.position_at(crowd, row, impact.toi));
        let between = core::array::from_fn(|k| b[k] - a[k]);
        self.contacts.note(*impact, rows, between, turning);
    }

    /// Propagates the impulses of the bodies that were just changed.
    pub(super) fn hand_on<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, now: f32) {
        if !self.changed.iter().any(|&row| self.contacts.has(row)) {
            return;
        }
        let mut contacts = core::mem::take(&mut self.contacts);
        contacts.queue.clear();
        contacts.members.clear();
        for &row in &self.changed {
            contacts.enqueue(row, NONE);
        }
        let (mut head, mut handed) = (0, 0);
        while head < contacts.queue.len() && handed < HANDED_MAX {
            let at = contacts.queue[head];
            head += 1;
            contacts.all[at as usize].is_queued = false;
            if self.hand(crowd, &mut contacts, at, now) {
                handed += 1;
                let rows = contacts.all[at as usize].rows;
                rows.into_iter().for_each(|row| contacts.enqueue(row, at));
            }
        }
        for &at in &contacts.queue {
            let contact = &mut contacts.all[at as usize];
            contact.is_queued = false;
            let [impulse, load] = core::mem::take(&mut contact.given);
            if impulse > 0.0 || load > 0.0 {
                let masses = contact.masses;
                let closing = response::finite(impulse * (masses[0] + masses[1]));
                let impact = Impact { toi: now, closing, depth: 0.0, ..contact.impact };
                let [impulse, load] = [impulse, load].map_each(response::finite);
                let reaction = Reaction { outcome: BounceOutcome::Resting, impulse, load };
                self.responded.push(Responded::new(impact, reaction, masses));
                self.told.responses += 1;
            }
        }
        for ContactMember { row, at, is_pushed } in contacts.members.drain(..) {
            contacts.places[row] = NONE;
            if is_pushed {
                self.change(crowd, row, at, now);
            }
        }
        self.contacts = contacts;
    }

    /// Applies an impulse so that the bodies of a contact neither close nor are pulled together. Returns whether they
    /// did or were.
    fn hand<'s>(&self, crowd: &impl Crowd<'s>, contacts: &mut Contacts, at: u32, now: f32) -> bool {
        let StepContact { impact, rows, between, turning, .. } = contacts.all[at as usize];
        if rows.iter().any(|&row| self.states[row].is_held) {
            return false;
        }
        let places = rows.map_each(|row| {
            if contacts.places[row] == NONE {
                contacts.places[row] = contacts.members.len() as u32;
                let at = self.at(crowd, row, now);
                contacts.members.push(ContactMember { row, at, is_pushed: false });
            }
            contacts.places[row] as usize
        });
        let Some(n) = response::unit(impact.normal) else { return false };
        let [a, b] = places.map_each(|place| contacts.members[place].at);
        let closing = along(a.moving.velocity, b.moving.velocity, n) + turning;
        let pulled = along(a.moving.accel, b.moving.accel, n);
        // The same limit as in `ask`: slower closing is ignored.
        let (left, least) = (f64::from(until_end(now)), 0.25 * slow(self.skin(rows)));
        let hits = closing * left > least;
        let presses = 0.5 * pulled * (left * left) > least && -2.0 * closing <= SOON * pulled;
        let approach = if hits { 0.0 } else { closing } + along(a.pseudo, b.pseudo, n);
        let corrects = approach * left > least;
        if !(hits || presses || corrects) {
            return false;
        }
        // Positions are constant during a pass.
        let pass = self.told.passes as u32;
        if contacts.all[at as usize].pass != pass {
            let touch = self.still_touch(crowd, rows, between, (impact.toi, now));
            let masses = if touch { self.inverse_masses(crowd, rows, &impact) } else { [0.0; 2] };
            let contact = &mut contacts.all[at as usize];
            (contact.pass, contact.masses) = (pass, masses);
        }
        let masses = contacts.all[at as usize].masses;
        let sum = masses[0] + masses[1];
        if sum == 0.0 {
            return false;
        }
        let part = |is_given: bool, by: f64| if is_given { by / sum } else { 0.0 };
        let [impulse, load] = [part(hits, closing), part(presses, pulled)];
        for (sum, given) in contacts.all[at as usize].given.iter_mut().zip([impulse, load]) {
            *sum += given;
        }
        let mut two = [a, b];
        let [a, b] = &mut two;
        let Moving { velocity, accel } = &mut a.moving;
        push([velocity, &mut b.moving.velocity], n, impulse, masses);
        push([accel, &mut b.moving.accel], n, load, masses);
        push([&mut a.pseudo, &mut b.pseudo], n, part(corrects, approach), masses);
        for k in 0..2 {
            let member = &mut contacts.members[places[k]];
            member.at = two[k];
            member.is_pushed |= masses[k] != 0.0;
        }
        true
    }

    /// Returns whether two bodies that touched have the same relative position, except for rounding.
    fn still_touch<'s>(
        &self,
        crowd: &impl Crowd<'s>,
        rows: [usize; 2],
        between: [f64; 3],
        (then, now): (f32, f32),
    ) -> bool {
        if then == now {
            return true;
        }
        let [a, b] = rows.map_each(|row| self.position_at(crowd, row, now));
        let moved = [0, 1, 2].map_each(|k| b[k] - a[k] - between[k]);
        let square: f64 = moved.iter().map(|x| x * x).sum();
        let turns = rows.map_each(|row| crowd.bodies()[row].motion.spin != [0.0; 3]);
        let skin = f64::from(self.skin(rows));
        turns == [false; 2] && square <= skin * skin
    }
}
