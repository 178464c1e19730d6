//! What is done about the earliest impact, and who is asked anew?

use super::crowd::Crowd;
use super::{Held, Responded, SubSteps};
use crate::geom::{Motion, Pair};
use crate::narrowphase::Shape;
use crate::narrowphase::advance::{self, Settings};
use crate::pipeline::impacts::{Impact, Kind};
use crate::pipeline::response::{self, Outcome, PARTING, SOON};
use crate::pipeline::{convex, near, windows};
use core::cmp::Ordering;

/// The part of the skin that the tolerance is at most, and the part of what it lost that a pair which
/// parts may come nearer.
pub(super) const PART: f64 = 0.125;
/// The cosine up to which a support carries what comes from above.
const CARRIES: f64 = 0.7;
/// What makes a time later where it need not be exact. 2⁻²².
const LATER: f64 = 1.0 / (1 << 22) as f64;
/// Who leaves a support by more than this, of what closes, is no longer carried.
const LEAVES: f64 = 1.0 / 1024.0;
/// After which part of the tick two that turn in each other are looked at again.
const LOOK: f64 = 0.0625;

/// An impact to come, and of which motions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Of the names of the two.
    pub(super) impact: Impact,
    pub(super) rows: [usize; 2],
    pub(super) versions: [u32; 2],
    /// Whether it is none, but a time to look at the two again.
    pub(super) is_look: bool,
}

impl Event {
    fn key(&self) -> (u32, Pair) {
        (self.impact.toi.to_bits(), self.impact.pair)
    }
}

impl Ord for Event {
    /// The greatest is the earliest.
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

/// What is known of a body in the tick, besides its motion.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    /// From when on its motion holds.
    pub(super) since: f32,
    /// How often its motion has changed.
    version: u32,
    /// In how many it was: what is handed on to it is none.
    impacts: u32,
    /// From what carries it to it; zero where nothing does.
    support: [f32; 3],
    /// Who carries it.
    carrier: u32,
    /// Its own, to be given back at the end.
    pub(super) accel: [f32; 3],
    /// The displacement and the spin of one that is held.
    pub(super) held: Option<[[f32; 3]; 2]>,
    /// The last pass in which its motion changed.
    changed: u32,
    /// The last pass in which it looked ahead.
    asked: u32,
}

impl State {
    pub(super) fn new(motion: &Motion) -> Self {
        Self { accel: motion.accel, ..Self::default() }
    }
}

impl SubSteps {
    /// Deals with the earliest impact.
    pub(super) fn pass<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, event: Event) {
        let Event { mut impact, rows, versions, is_look } = event;
        if rows.map(|row| self.states[row].version) != versions || !crowd.may_meet(rows[0], rows[1])
        {
            return;
        }
        let now = impact.toi;
        if is_look {
            let event = self.ask(crowd, rows, now);
            self.queue.extend(event);
            return;
        }
        self.told.passes += 1;
        // What rounding took of the skin is given back within a tick, and no more.
        impact.depth = if impact.depth < self.skin { impact.depth } else { self.skin };
        self.changed.clear();
        if rows.iter().any(|&row| self.states[row].held.is_some()) {
            self.meet_held(crowd, rows, impact);
        } else {
            self.meet(crowd, rows, &impact);
            self.hand_on(crowd, now);
        }
        for k in 0..self.changed.len() {
            let row = self.changed[k];
            let State { impacts, held, .. } = self.states[row];
            if impacts >= self.config.impacts_max && held.is_none() {
                self.hold(crowd, row, now);
            }
        }
        if self.changed.is_empty() {
            // They touch and part; what they come to later is still to be found.
            let event = self.ask(crowd, rows, now);
            self.queue.extend(event);
        }
        for k in 0..self.changed.len() {
            self.ask_all(crowd, self.changed[k], now);
        }
    }

    /// Whether two that touch part, or take less than a part of the skin in what is left.
    fn is_slow(&self, impact: &Impact, motions: &[Motion; 2], left: f32) -> bool {
        let (closing, left) = (f64::from(impact.closing), f64::from(left));
        let by_pull = 0.5 * pulled(impact, motions) * left * left;
        let by_pull = if by_pull > 0.0 { by_pull } else { 0.0 };
        closing <= 0.0 || closing * left + by_pull <= self.slow()
    }

    /// What may be lost of the skin by closing slowly.
    pub(super) fn slow(&self) -> f64 {
        f64::from(self.skin) * PART
    }

    /// What two do that are free.
    fn meet<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, rows: [usize; 2], impact: &Impact) {
        let masses = self.inverse_masses(crowd, rows, impact);
        let mut motions = rows.map(|row| self.motion_at(crowd, row, impact.toi));
        let before = motions.map(|motion| motion.delta);
        let restitution = self.restitution(crowd, rows);
        let [on_a, on_b] = &mut motions;
        let reaction = response::bounce(impact, [on_a, on_b], masses, restitution);
        let kept = reaction.outcome == Outcome::Kept;
        if !kept {
            self.told.responses += 1;
            self.responded.push(Responded::new(*impact, reaction, masses));
        }
        for (member, row) in rows.into_iter().enumerate() {
            // Who is not pushed goes on as he was, to the bit.
            if masses[member] == 0.0 {
                continue;
            }
            self.states[row].impacts += 1;
            if kept && self.states[row].impacts < self.config.impacts_max {
                continue;
            }
            self.change(crowd, row, motions[member], impact.toi);
            if reaction.outcome == Outcome::Resting && masses[1 - member] == 0.0 {
                let state = &mut self.states[row];
                // From the other to this one.
                state.support = impact.normal.map(|x| if member == 0 { -x } else { x });
                state.carrier = rows[1 - member] as u32;
            }
        }
        // NaN gives nothing back.
        let gives_back = restitution > 0.0;
        if !kept && !gives_back {
            self.keep_contact(crowd, rows, impact, before);
        }
    }

    /// What two do of which one is held, or both: see the [module](super) on who is held.
    fn meet_held<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, rows: [usize; 2], mut impact: Impact) {
        let now = impact.toi;
        let along = |v: [f32; 3]| -> f64 {
            (0..3).map(|axis| f64::from(v[axis]) * f64::from(impact.normal[axis])).sum()
        };
        let as_they_stand = f64::from(impact.closing);
        let mut closing = as_they_stand;
        let mut motions = rows.map(|row| self.motion_at(crowd, row, now));
        for (member, sign) in [1.0, -1.0].into_iter().enumerate() {
            if let Some([delta, _]) = self.states[rows[member]].held {
                motions[member].delta = delta;
                closing += sign * along(delta);
            }
        }
        let before = motions;
        motions.iter_mut().for_each(|motion| motion.accel = [0.0; 3]);
        impact.closing = closing as f32;
        let masses = rows.map(|row| crowd.mass(row).inverse_mass);
        let restitution = self.restitution(crowd, rows);
        let [on_a, on_b] = &mut motions;
        let reaction = response::bounce(&impact, [on_a, on_b], masses, restitution);
        if reaction.outcome != Outcome::Kept {
            self.told.responses += 1;
            self.responded.push(Responded::new(impact, reaction, masses));
        }
        for (member, sign) in [1.0, -1.0].into_iter().enumerate() {
            let (row, delta) = (rows[member], motions[member].delta);
            if !super::gives_way_or_moves(&before[member], crowd.mass(row)) {
                continue;
            }
            if let Some([held, _]) = &mut self.states[row].held {
                *held = delta;
                continue;
            }
            // How it meets what stands where it is.
            let closing = as_they_stand + sign * (along(delta) - along(before[member].delta));
            let pulled = sign * along(before[member].accel);
            let speed: f64 = delta.iter().map(|&x| f64::from(x).abs()).sum();
            let leaves = -closing > PARTING * speed && -2.0 * closing > SOON * pulled;
            let accel = before[member].accel;
            self.states[row].impacts += 1;
            let kept = reaction.outcome == Outcome::Kept;
            if leaves && kept && self.states[row].impacts < self.config.impacts_max {
                continue;
            }
            self.change(crowd, row, Motion { accel, ..motions[member] }, now);
            if !leaves {
                self.hold(crowd, row, now);
            }
        }
    }

    /// How much of a closing speed comes back.
    fn restitution<'s>(&self, crowd: &impl Crowd<'s>, rows: [usize; 2]) -> f32 {
        let of = rows.map(|row| crowd.mass(row).restitution);
        let spent = rows.map(|row| self.states[row].impacts).into_iter().max().unwrap_or(0);
        let restitution = if of[0] > of[1] { of[0] } else { of[1] };
        if spent < self.config.impacts_max / 2 { restitution } else { 0.0 }
    }

    /// The motion of a row from `now` on.
    fn motion_at<'s>(&self, crowd: &impl Crowd<'s>, row: usize, now: f32) -> Motion {
        response::carried(&crowd.bodies()[row].motion, now - self.states[row].since)
    }

    /// From `now` on a row moves like this.
    pub(super) fn change<'s, C: Crowd<'s>>(
        &mut self,
        crowd: &mut C,
        row: usize,
        motion: Motion,
        now: f32,
    ) {
        let state = &mut self.states[row];
        (state.version, state.since) = (state.version + 1, now);
        crowd.body_mut(row).motion = motion;
        self.near.set(row, &crowd.bodies()[row], now);
        let pass = self.told.passes as u32;
        if state.changed != pass {
            state.changed = pass;
            self.changed.push(row);
        }
    }

    /// From `now` on a row, which was just changed, stands where it is.
    fn hold<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, row: usize, now: f32) {
        let motion = &mut crowd.body_mut(row).motion;
        self.states[row].held = Some([motion.delta, motion.spin]);
        (motion.delta, motion.accel, motion.spin) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        self.near.set(row, &crowd.bodies()[row], now);
        self.held.push(Held { row: row as u32, since: now });
        self.told.held += 1;
    }

    /// The inverse masses that count in an impact: none for one that is carried by what is behind
    /// it.
    pub(super) fn inverse_masses<'s>(
        &self,
        crowd: &impl Crowd<'s>,
        rows: [usize; 2],
        impact: &Impact,
    ) -> [f32; 2] {
        let dot = |p: [f32; 3], q: [f32; 3]| -> f64 {
            (0..3).map(|axis| f64::from(p[axis]) * f64::from(q[axis])).sum()
        };
        let free = rows.map(|row| crowd.mass(row).inverse_mass);
        let mut masses = free;
        // They are pushed apart: `a` against the normal, `b` along it.
        for (member, push) in [-1.0, 1.0].into_iter().enumerate() {
            let State { support, carrier, accel, .. } = self.states[rows[member]];
            let carrier = carrier as usize;
            if -push * dot(impact.normal, support) <= CARRIES || self.states[carrier].held.is_some()
            {
                continue;
            }
            let [own, of_carrier] =
                [rows[member], carrier].map(|row| dot(crowd.bodies()[row].motion.delta, support));
            let speed = own - of_carrier;
            // Leaves it by next to nothing, or its own weight brings it back at once.
            let nothing =
                LEAVES * (f64::from(impact.closing).abs() + own.abs()) + 2.0 * f64::from(self.skin);
            let weight = -0.5 * SOON * dot(accel, support);
            let most = if weight > nothing { weight } else { nothing };
            if speed <= most && self.are_near(crowd, [rows[member], carrier], impact.toi, most) {
                masses[member] = 0.0;
            }
        }
        if masses == [0.0; 2] { free } else { masses }
    }

    /// Whether the boxes around two are no further apart: else one has slid past the other, or was
    /// thrown, whatever their speeds are by now.
    fn are_near<'s>(&self, crowd: &impl Crowd<'s>, rows: [usize; 2], now: f32, apart: f64) -> bool {
        let [a, b] = rows.map(|row| {
            let pose = self.motion_at(crowd, row, now).pose;
            crowd.bodies()[row].shape.bounds(&pose)
        });
        matches!((a, b), (Ok(a), Ok(b)) if near::reach(&a, apart as f32).overlaps(&b))
    }

    /// Looks for the impacts of a row from `now` on, with all others that have not done so in this
    /// pass.
    fn ask_all<'s, C: Crowd<'s>>(&mut self, crowd: &mut C, row: usize, now: f32) {
        let mut others = core::mem::take(&mut self.others);
        self.near.of(row, &mut others);
        if let Some(reach) = self.near.reach(row) {
            crowd.add_resting(row, &reach, &mut others);
            // Who is new rests.
            self.states.resize(crowd.bodies().len(), State::default());
        }
        let pass = self.told.passes as u32;
        for &other in &others {
            if self.states[other].asked == pass || !crowd.may_meet(row, other) {
                continue;
            }
            self.told.asked += 1;
            let rows =
                if crowd.name(row) < crowd.name(other) { [row, other] } else { [other, row] };
            let event = self.ask(crowd, rows, now);
            self.queue.extend(event);
        }
        self.states[row].asked = pass;
        self.others = others;
    }

    /// The next impact of two from `now` on.
    pub(super) fn ask<'s>(
        &self,
        crowd: &impl Crowd<'s>,
        rows: [usize; 2],
        now: f32,
    ) -> Option<Event> {
        let motions = rows.map(|row| self.motion_at(crowd, row, now));
        let shapes = rows.map(|row| &crowd.bodies()[row].shape);
        let [a, b] = rows.map(|row| crowd.name(row));
        let pair = Pair { a, b };
        let sizes = shapes.map(Shape::size);
        let lesser = if sizes[0] < sizes[1] { sizes[0] } else { sizes[1] };
        // A point has no size, and the other's counts.
        let size = if lesser > 0.0 { lesser } else { sizes[0] + sizes[1] };
        let tolerance = self.tolerance_of(size);
        let window = [0.0, super::until_end(now)];
        let mut settings = Settings { window, tolerance, ..self.settings().settings() };
        let ask = windows::Ask { pair, window, sensor: false };
        let search = |settings: &Settings| {
            let toi =
                advance::of_valid((shapes[0], &motions[0]), (shapes[1], &motions[1]), settings);
            convex::impact(&ask, &toi)
        };
        let mut impact = search(&settings)?;
        let mut is_look = false;
        let meets_now = impact.kind == Kind::Overlapping || impact.toi == 0.0;
        if meets_now && self.is_slow(&impact, &motions, window[1]) {
            // They are as near as the skin or nearer, and part, or close so slowly that it hardly
            // matters. It may come to more: this once the skin is less, where there is any left; else
            // what pulls them together tells when to look again, and where one turns, a while.
            let less = self.skin * (1.0 - 2.0 * PART as f32) - impact.depth;
            settings.target_distance = if less > 0.0 { less } else { 0.0 };
            let nearer = if less > 0.0 { search(&settings) } else { None };
            match nearer {
                Some(nearer) if nearer.kind != Kind::Overlapping => impact = nearer,
                None if less > 0.0 => return None,
                _ if impact.closing > 0.0 => {}
                _ => {
                    let turns = motions.iter().any(|motion| motion.spin != [0.0; 3]);
                    let pulled = comes_back(&impact, &motions);
                    is_look = turns && pulled.is_none_or(|after| f64::from(after) > LOOK);
                    impact.toi = if is_look { LOOK as f32 } else { pulled? };
                }
            }
        }
        let toi = f64::from(now) + f64::from(impact.toi);
        if toi > 1.0 {
            return None;
        }
        impact.toi = down(toi);
        Some(Event { impact, rows, versions: rows.map(|row| self.states[row].version), is_look })
    }
}

/// How fast the accelerations of two pull them together along the normal.
fn pulled(impact: &Impact, [a, b]: &[Motion; 2]) -> f64 {
    let along =
        |k: usize| (f64::from(a.accel[k]) - f64::from(b.accel[k])) * f64::from(impact.normal[k]);
    along(0) + along(1) + along(2)
}

/// After how much of the tick two that part are as deep in each other as before, by what pulls them
/// together along the normal.
fn comes_back(impact: &Impact, motions: &[Motion; 2]) -> Option<f32> {
    let pulled = pulled(impact, motions);
    let after = -2.0 * f64::from(impact.closing) / pulled;
    // A little later, so that it is seen to close then; far less than the skin deeper.
    let after = if after <= SOON { 0.0 } else { after * (1.0 + LATER) + LATER };
    // NaN is in no range.
    (pulled > 0.0 && (0.0..=1.0).contains(&after)).then(|| down(after))
}

/// The greatest `f32` that is not above a time.
fn down(t: f64) -> f32 {
    let nearest = t as f32;
    let nearest = if f64::from(nearest) > t { nearest.next_down() } else { nearest };
    if nearest < 1.0 { nearest } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::down;
    use crate::pipeline::sub_steps::until_end;

    /// Goal: no time is told later than it was found, and no search ends before its tick does, by the
    /// last bit. Method: numbers of all sizes up to 1, and times between them and the next, in
    /// `f64`.
    #[test]
    fn times_are_rounded_to_the_safe_side() {
        let one = 1.0_f32.to_bits();
        for bits in (0..one).step_by(9973).chain([1, one - 1, 0x7f_ffff, 0x80_0000]) {
            let (t, next) = (f32::from_bits(bits), f32::from_bits(bits + 1));
            let ulp = f64::from(next) - f64::from(t);
            for part in [0.0, 0.25, 0.5, 0.75] {
                assert_eq!(down(f64::from(t) + part * ulp), t);
            }
            let (left, exact) = (until_end(t), 1.0 - f64::from(t));
            assert!(f64::from(left) >= exact && f64::from(left.next_down()) < exact, "{t}");
        }
        assert_eq!((down(1.0), until_end(1.0), until_end(0.0)), (1.0, 0.0, 1.0));
    }
}
