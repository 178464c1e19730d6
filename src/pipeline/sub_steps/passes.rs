//! Processes the earliest impact, and searches the changed bodies again.

use super::crowd::Crowd;
use super::search::{BodyPair, down};
use super::state::{At, BodyState};
use super::{Responded, Stalled, SubSteps, gives_way_or_moves, state, until_end};
use crate::geom::{MapEach, Pair};
use crate::pipeline::impacts::{Impact, ImpactKind};
use crate::pipeline::response::{BounceOutcome, Moving, PARTING, SOON, along, dot, push};
use crate::pipeline::{bounds, near, response};
use core::cmp::Ordering;

/// Least cosine between a normal and the direction of a support for which the support takes an impulse.
const CARRIES: f64 = 0.7;
/// A body that separates from its support by more than this part of the closing speed is no longer supported.
const LEAVES: f64 = 1.0 / 1024.0;

/// A future impact, and the versions of the motions for which it was computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// The impact, with the labels of its two bodies.
    pub(super) impact: Impact,
    pub(super) rows: [usize; 2],
    pub(super) versions: [u32; 2],
    /// Whether it is only a time at which the two must be searched again, not an impact.
    pub(super) is_look: bool,
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

impl SubSteps {
    /// Processes the earliest impact.
    pub(super) fn pass<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, event: Event) {
        let Event { mut impact, rows, versions, is_look } = event;
        if rows.map_each(|row| self.states[row].version) != versions
            || !crowd.may_meet(rows[0], rows[1])
        {
            return;
        }
        let now = impact.toi;
        if is_look {
            self.ask_again(crowd, rows, now);
            return;
        }
        self.told.passes += 1;
        self.changed.clear();
        // Rounding errors within the skin are corrected within a tick, and no more.
        let skin = self.skin(rows);
        impact.depth = if impact.depth < skin { impact.depth } else { skin };
        match response::unit(impact.normal).filter(|_| impact.kind != ImpactKind::Unresolved) {
            None => return self.go_on(crowd, rows, now),
            Some(n) if rows.iter().any(|&row| self.states[row].is_held) => {
                self.meet_held(crowd, rows, (impact, n));
            }
            Some(n) => {
                self.meet(crowd, rows, (impact, n));
                self.hand_on(crowd, now);
            }
        }
        for k in 0..self.changed.len() {
            let row = self.changed[k];
            let state = &self.states[row];
            if state.impacts >= self.config.impacts_max && !state.is_held {
                self.hold(crowd, row, now);
            }
        }
        if self.changed.is_empty() {
            // They touch and separate; a later impact of the two must still be found.
            self.ask_again(crowd, rows, now);
        }
        for k in 0..self.changed.len() {
            self.ask_all(crowd, self.changed[k], now);
        }
    }

    /// Continues a search that ran out of rounds, from the time that it has proved to be free.
    fn go_on<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, rows: [usize; 2], now: f32) {
        for row in rows {
            let is_pushed = crowd.mass(row).inverse_mass > 0.0;
            self.states[row].impacts += u32::from(is_pushed);
        }
        let spent = rows.iter().any(|&row| self.states[row].impacts >= self.config.impacts_max);
        let next = if !spent && self.spend(1) { self.ask(crowd, rows, now) } else { None };
        match next {
            Some(event)
                if event.impact.kind != ImpactKind::Unresolved || event.impact.toi > now =>
            {
                self.queue.push(event);
            }
            _ => self.stall(crowd, rows, now),
        }
    }

    /// Response of two bodies of which none is stalled.
    fn meet<'s, C: Crowd<'s>>(
        &mut self,
        crowd: &mut C,
        rows: [usize; 2],
        (mut impact, n): (Impact, [f64; 3]),
    ) {
        let now = impact.toi;
        let masses = self.inverse_masses(crowd, rows, &impact);
        let mut two = rows.map_each(|row| self.at(crowd, row, now));
        let turning = turning(&impact, &two, n);
        let closing = along(two[0].moving.velocity, two[1].moving.velocity, n) + turning;
        let approach = |[a, b]: &[At; 2]| along(a.velocity(), b.velocity(), n) + turning;
        let comes = approach(&two) > 0.0;
        let restitution = self.restitution(crowd, rows);
        let [a, b] = &mut two;
        let exchanged = response::exchange(
            [&mut a.moving, &mut b.moving],
            n,
            closing,
            masses,
            (restitution, 0.0),
        );
        if let Some(done) = exchanged {
            impact.closing = response::finite(closing);
            self.told.responses += 1;
            self.responded.push(Responded::new(impact, done.into(), masses));
        }
        let kept = exchanged.is_none() && !comes;
        if !kept {
            // They separate at least so fast that rounding does not make them close, and the slop is restored after
            // a tick.
            let speeds: f64 = two.iter().flat_map(At::velocity).map(f64::abs).sum();
            let (speeds, skin) = (PARTING * (speeds + closing.abs()), f64::from(self.skin(rows)));
            let least = if speeds < skin { speeds } else { skin };
            let depth = f64::from(impact.depth);
            let missing = approach(&two) + if depth > least { depth } else { least };
            let [a, b] = &mut two;
            if missing > 0.0 {
                push([&mut a.pseudo, &mut b.pseudo], n, missing / (masses[0] + masses[1]), masses);
            }
        }
        for (member, row) in rows.into_iter().enumerate() {
            // A body that is not pushed keeps its motion, to the bit.
            if masses[member] == 0.0 {
                continue;
            }
            self.states[row].impacts += 1;
            if kept && self.states[row].impacts < self.config.impacts_max {
                continue;
            }
            self.change(crowd, row, two[member], now);
            let rests = exchanged.is_some_and(|done| done.outcome == BounceOutcome::Resting);
            if rests && masses[1 - member] == 0.0 {
                let state = &mut self.states[row];
                // Direction from the other body to this one.
                state.support = impact.normal.map_each(|x| if member == 0 { -x } else { x });
                state.carrier = rows[1 - member] as u32;
            }
        }
        if !kept && restitution == 0.0 {
            self.keep_contact(crowd, rows, &impact, turning);
        }
    }

    /// Response of two bodies of which at least one is stalled: see the [module](super).
    fn meet_held<'s, C: Crowd<'s>>(
        &mut self,
        crowd: &mut C,
        rows: [usize; 2],
        (mut impact, n): (Impact, [f64; 3]),
    ) {
        let now = impact.toi;
        // For a stalled body, the velocity is the one that it keeps for the next tick.
        let before = rows.map_each(|row| self.at(crowd, row, now));
        let standing = [0, 1].map_each(|k| match self.states[rows[k]].is_held {
            true => At { moving: Moving::default(), pseudo: [0.0; 3], ..before[k] },
            false => At { pseudo: [0.0; 3], ..before[k] },
        });
        let turning = turning(&impact, &standing, n);
        let closing_of =
            |[a, b]: &[At; 2]| along(a.moving.velocity, b.moving.velocity, n) + turning;
        let as_they_stand = closing_of(&standing);
        let closing = closing_of(&before);
        let masses = rows.map_each(|row| f64::from(crowd.mass(row).inverse_mass));
        let restitution = self.restitution(crowd, rows);
        let mut after = before.map_each(|at| Moving { accel: [0.0; 3], ..at.moving });
        let [a, b] = &mut after;
        let exchanged = response::exchange([a, b], n, closing, masses, (restitution, 0.0));
        if let Some(done) = exchanged {
            impact.closing = response::finite(closing);
            self.told.responses += 1;
            self.responded.push(Responded::new(impact, done.into(), masses));
        }
        for (member, sign) in [1.0, -1.0].into_iter().enumerate() {
            let (row, velocity) = (rows[member], after[member].velocity);
            let Moving { velocity: was, accel } = before[member].moving;
            if !gives_way_or_moves(&before[member].motion(), crowd.mass(row)) {
                continue;
            }
            if self.states[row].is_held {
                self.states[row].moving.velocity = velocity;
                continue;
            }
            // The closing speed against the stalled body at rest.
            let closing = as_they_stand + sign * along(velocity, was, n);
            let pulled = sign * dot(accel, n);
            let speed: f64 = velocity.iter().map(|x| x.abs()).sum();
            let leaves = -closing > PARTING * speed && -2.0 * closing > SOON * pulled;
            self.states[row].impacts += 1;
            let kept = exchanged.is_none();
            if leaves && kept && self.states[row].impacts < self.config.impacts_max {
                continue;
            }
            let moving = Moving { velocity, accel };
            self.change(crowd, row, At { moving, pseudo: [0.0; 3], ..before[member] }, now);
            if !leaves {
                self.hold(crowd, row, now);
            }
        }
    }

    /// Returns the restitution of a pair.
    fn restitution<'s>(&self, crowd: &impl Crowd<'s>, rows: [usize; 2]) -> f32 {
        let of = rows.map_each(|row| crowd.mass(row).restitution);
        let spent = rows.map_each(|row| self.states[row].impacts).into_iter().max().unwrap_or(0);
        let restitution = if of[0] > of[1] { of[0] } else { of[1] };
        if spent < self.config.impacts_max / 2 { restitution } else { 0.0 }
    }

    /// Returns a row at `now`.
    pub(super) fn at<'s>(&self, crowd: &impl Crowd<'s>, row: usize, now: f32) -> At {
        self.states[row].at(&crowd.bodies()[row].motion, now)
    }

    /// Sets the motion of a row from `now` on.
    pub(super) fn change<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, row: usize, at: At, now: f32) {
        let motion = at.motion();
        let slop = state::slop(&motion, crowd.mass(row));
        let state = &mut self.states[row];
        (state.version, state.since) = (state.version + 1, now);
        (state.moving, state.pseudo) = (at.moving, at.pseudo);
        state.slop = if slop > state.slop { slop } else { state.slop };
        crowd.body_mut(row).motion = motion;
        self.moved(crowd, row, now);
        let pass = self.told.passes as u32;
        if self.states[row].changed != pass {
            self.states[row].changed = pass;
            self.changed.push(row);
        }
    }

    /// Updates the box of a row in the search for neighbours, for its motion from `now` on.
    fn moved<'s>(&mut self, crowd: &impl Crowd<'s>, row: usize, now: f32) {
        let half = bounds::half(self.config.pipeline.target_distance);
        let pad = bounds::pad(half, self.states[row].slop);
        self.near.set(row, &crowd.bodies()[row], now, pad);
    }

    /// Stalls a row, which was just changed, from `now` on.
    pub(super) fn hold<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, row: usize, now: f32) {
        let motion = &mut crowd.body_mut(row).motion;
        (motion.delta, motion.accel, motion.spin) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        let state = &mut self.states[row];
        (state.is_held, state.moving.accel, state.pseudo) = (true, [0.0; 3], [0.0; 3]);
        self.moved(crowd, row, now);
        self.held.push(Stalled { row: row as u32, since: now });
        self.told.held += 1;
    }

    /// Returns the inverse masses that count in an impact: zero for a body that is supported against its direction.
    pub(super) fn inverse_masses<'s>(
        &self,
        crowd: &impl Crowd<'s>,
        rows: [usize; 2],
        impact: &Impact,
    ) -> [f64; 2] {
        let free = rows.map_each(|row| f64::from(crowd.mass(row).inverse_mass));
        let mut masses = free;
        let normal = impact.normal.map_each(f64::from);
        // The impulse pushes `a` against the normal, and `b` along it.
        for (member, push) in [-1.0, 1.0].into_iter().enumerate() {
            let state = &self.states[rows[member]];
            let (support, carrier) = (state.support.map_each(f64::from), state.carrier as usize);
            if -push * dot(normal, support) <= CARRIES || self.states[carrier].is_held {
                continue;
            }
            let [own, of_carrier] = [rows[member], carrier]
                .map_each(|row| dot(self.states[row].moving.velocity, support));
            let speed = own - of_carrier;
            // It separates very slowly, or its own acceleration brings it back at once.
            let skin = f64::from(self.skin([rows[member], carrier]));
            let nothing = LEAVES * (f64::from(impact.closing).abs() + own.abs()) + 2.0 * skin;
            let weight = -0.5 * SOON * dot(state.own_accel().map_each(f64::from), support);
            let most = if weight > nothing { weight } else { nothing };
            if speed <= most && self.are_near(crowd, [rows[member], carrier], impact.toi, most) {
                masses[member] = 0.0;
            }
        }
        if masses == [0.0; 2] { free } else { masses }
    }

    /// Returns whether the boxes around two bodies are at most `apart` apart. Otherwise one has slid past the other
    /// or was thrown, whatever their speeds are now.
    fn are_near<'s>(&self, crowd: &impl Crowd<'s>, rows: [usize; 2], now: f32, apart: f64) -> bool {
        let [a, b] = rows.map_each(|row| {
            let pose = self.at(crowd, row, now).pose;
            crowd.bodies()[row].shape.bounds(&pose)
        });
        matches!((a, b), (Ok(a), Ok(b)) if near::padded(&a, response::finite(apart)).overlaps(&b))
    }

    /// Searches the impacts of a row from `now` on, with all others that have not been searched in this pass.
    fn ask_all<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, row: usize, now: f32) {
        let mut others = core::mem::take(&mut self.others);
        self.near.of(row, &mut others);
        if let Some(reach) = self.near.reach(row) {
            crowd.add_resting(row, &reach, &mut others);
            // New rows are resting proxies.
            self.states.resize(crowd.bodies().len(), BodyState::default());
        }
        let pass = self.told.passes as u32;
        others.retain(|&other| self.states[other].asked != pass && crowd.may_meet(row, other));
        if self.spend(others.len()) {
            self.told.asked += others.len();
            for &other in &others {
                let is_first = crowd.name(row) < crowd.name(other);
                let rows = if is_first { [row, other] } else { [other, row] };
                let event = self.ask(crowd, rows, now);
                self.queue.extend(event);
            }
            self.states[row].asked = pass;
        } else {
            self.stall(crowd, [row; 2], now);
        }
        self.others = others;
    }

    /// Searches the next impact of two bodies from `now` on, and adds it to the queue.
    fn ask_again<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, rows: [usize; 2], now: f32) {
        if self.spend(1) {
            let event = self.ask(crowd, rows, now);
            self.queue.extend(event);
        } else {
            self.stall(crowd, rows, now);
        }
    }

    /// Returns the next impact of two bodies from `now` on.
    fn ask<'s>(&self, crowd: &impl Crowd<'s>, rows: [usize; 2], now: f32) -> Option<Event> {
        let [a, b] = rows.map_each(|row| crowd.name(row));
        let bodies = crowd.bodies();
        let motion_at = |row: usize| {
            let motion = &bodies[row].motion;
            response::carried(motion, now - self.states[row].since)
        };
        let two = BodyPair {
            pair: Pair { a, b },
            shapes: rows.map_each(|row| &bodies[row].shape),
            motions: rows.map_each(motion_at),
            skin: self.skin(rows),
        };
        let (mut impact, is_look) = two.next(&self.config, [0.0, until_end(now)])?;
        let toi = f64::from(now) + f64::from(impact.toi);
        if toi > 1.0 {
            return None;
        }
        impact.toi = down(toi);
        Some(Event {
            impact,
            rows,
            versions: rows.map_each(|row| self.states[row].version),
            is_look,
        })
    }
}

/// Returns the part of the closing speed of an impact that is due to spins, not to velocities.
pub(super) fn turning(impact: &Impact, [a, b]: &[At; 2], n: [f64; 3]) -> f64 {
    if a.spin == [0.0; 3] && b.spin == [0.0; 3] {
        return 0.0;
    }
    f64::from(impact.closing) - along(a.velocity(), b.velocity(), n)
}
