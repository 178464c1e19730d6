//! Pushes overlapping bodies apart, processes the earliest impact, and searches the changed bodies again.

use crate::bodies::Bodies;
use crate::masses::{PairMasses, towards};
use crate::output::{ResolvedImpact, Stalled};
use crate::response::{
    self, BounceOutcome, LinearMotion, PARTING, Reaction, SOON, along, dot, length, push,
};
use crate::search::EventKind;
use crate::state::{BodyAt, BodyState, is_pushable_or_moves, until_end};
use crate::step::{Event, Step};
use swath::pipeline::ImpactKind;
use swath::{Impact, Pair};

/// Speed of a supported body, in skins in a tick, up to which it counts as immovable for the correction of slop if it has no more supports below it.
/// Bodies that support each other in a circle could make each other faster without a limit.
const CORRECTED_MAX: u32 = 64;
/// Number of supports, from a body on downwards, that are tested for a circle. A circle of more bodies may be overlooked.
const CIRCLE_MAX: u32 = 64;
/// Least speed with which two bodies that respond separate, relative to their speeds along the normal: twice the bound of the rounding errors of
/// their displacements, 2⁻²⁴ of each.
const ROUNDED: f64 = 1.0 / (1 << 23) as f64;
/// Least part of the tick within which the slop of two bodies is corrected if one of them spins. Otherwise it is corrected in a whole tick.
const CORRECTED_WITHIN: f64 = 0.0625;
/// Greatest number of times that all bodies which overlap at the start are pushed apart before they are searched.
const PUSHES_MAX: usize = 256;

impl Step {
    /// Processes one impact after the other, and advances all bodies to the end.
    pub(crate) fn process_all(&mut self, bodies: &mut dyn Bodies<'_>) {
        self.push_all_apart(bodies);
        while let Some(event) = self.queue.pop() {
            self.process(bodies, event);
        }
        for row in 0..self.states.len() {
            self.slow_wedged(bodies, row);
            let state = &self.states[row];
            if !state.is_rejected {
                state.finish(&mut bodies.body_mut(row).motion);
            }
        }
    }

    /// Takes the speed from a wedged row that it must not keep, and reports that as an impulse of the mover at the end of the tick.
    fn slow_wedged(&mut self, bodies: &dyn Bodies<'_>, row: usize) {
        let state = &mut self.states[row];
        let (kept, velocity) = (state.kept(), state.linear.velocity);
        if kept >= 1.0 {
            return;
        }
        state.linear.velocity = velocity.map(|x| x * kept);
        let speed = length(velocity);
        let inverse_mass = f64::from(bodies.mass(row).inverse_mass);
        let mover = state.driven.1 as usize;
        let [of_row, of_mover] = [row, mover].map(|row| bodies.label(row));
        // The impulse pushes `a` against the normal, and `b` along it.
        let (a, b, sign, masses) = if of_row < of_mover {
            (of_row, of_mover, 1.0, [inverse_mass, 0.0])
        } else {
            (of_mover, of_row, -1.0, [0.0, inverse_mass])
        };
        let normal = velocity.map(|x| response::finite(sign * x / speed));
        let lost = speed * (1.0 - kept);
        let (toi, at) = (1.0, bodies.bodies()[row].motion.pose.position);
        let (pair, closing) = (Pair { a, b }, response::finite(lost));
        let impact = Impact { toi, pair, normal, closing, on_a: at, on_b: at, ..Impact::default() };
        let impulse = response::finite(lost / inverse_mass);
        let outcome = BounceOutcome::Resting;
        let reaction = Reaction { outcome, impulse, supporting_force: 0.0 };
        self.resolved.push(ResolvedImpact::new(impact, reaction, masses));
        self.stats.responses += 1;
    }

    /// Returns the versions of the motions of two rows.
    fn versions(&self, rows: [usize; 2]) -> [u32; 2] {
        rows.map(|row| self.states[row].version)
    }

    /// Processes the earliest impact.
    fn process(&mut self, bodies: &mut dyn Bodies<'_>, event: Event) {
        let Event { mut impact, rows, versions, kind } = event;
        if self.versions(rows) != versions || !bodies.may_meet(rows[0], rows[1]) {
            return;
        }
        let now = impact.toi;
        let missing = match kind {
            EventKind::Recheck => return self.search_again(bodies, rows, now),
            EventKind::StopRotation => return self.stop_rotations(bodies, rows, now),
            EventKind::Impact { missing } => missing,
        };
        self.stats.events += 1;
        self.changed.clear();
        let [depth, missing] =
            [impact.depth, missing].map(|missing| self.correction(bodies, rows, missing));
        impact.depth = depth;
        match response::unit(impact.normal).filter(|_| impact.kind != ImpactKind::Unresolved) {
            None => return self.continue_search(bodies, rows, now),
            Some(n) if rows.iter().any(|&row| self.states[row].is_stalled) => {
                self.respond_stalled(bodies, rows, (impact, n));
            }
            Some(n) => {
                self.respond(bodies, rows, (impact, n), missing);
                self.propagate(bodies, now);
            }
        }
        for k in 0..self.changed.len() {
            let row = self.changed[k];
            let state = &self.states[row];
            if state.impacts >= self.config.impacts_max && !state.is_stalled {
                self.stall(bodies, row, now);
            }
        }
        if self.changed.is_empty() {
            // They touch and separate; a later impact of the two must still be found.
            self.search_again(bodies, rows, now);
        }
        self.search_changed(bodies, now);
    }

    /// Searches the impacts of all bodies that this event has changed.
    fn search_changed(&mut self, bodies: &mut dyn Bodies<'_>, now: f32) {
        for k in 0..self.changed.len() {
            self.search_neighbours(bodies, self.changed[k], now);
        }
    }

    /// Pushes the bodies apart that overlap at the start, before any impact, and searches the impacts of each pushed body once: a body may overlap many
    /// others, and the pushes of all change its motion.
    fn push_all_apart(&mut self, bodies: &mut dyn Bodies<'_>) {
        if self.overlaps.is_empty() {
            return;
        }
        let mut overlaps = core::mem::take(&mut self.overlaps);
        self.stats.events += 1;
        self.changed.clear();
        for overlap in &overlaps {
            self.push_apart(bodies, overlap, false);
        }
        // A body that overlaps several others is pushed by each, so some pairs approach each other again.
        for _ in 1..PUSHES_MAX {
            let mut pushed = 0;
            for overlap in &mut overlaps {
                // A pair of which neither body was pushed since its last test does not approach.
                if self.versions(overlap.rows) != overlap.versions {
                    pushed += usize::from(self.push_apart(bodies, overlap, true));
                    overlap.versions = self.versions(overlap.rows);
                }
            }
            self.stats.propagated += pushed;
            if pushed == 0 {
                break;
            }
        }
        self.overlaps = overlaps;
        if self.changed.is_empty() {
            // They separate already.
            self.stats.events -= 1;
        }
        self.search_changed(bodies, 0.0);
    }

    /// Pushes two bodies apart that overlap at the start and do not close. If they were pushed before, they are pushed again only if they approach. Returns
    /// whether one was pushed.
    fn push_apart(
        &mut self,
        bodies: &mut dyn Bodies<'_>,
        &Event { impact, rows, kind, .. }: &Event,
        is_again: bool,
    ) -> bool {
        let (EventKind::Impact { missing }, Some(n)) = (kind, response::unit(impact.normal)) else {
            return false;
        };
        if rows.iter().any(|&row| self.states[row].is_stalled) {
            return false;
        }
        let now = impact.toi;
        let mut two = rows.map(|row| self.at(bodies, row, now));
        let along_n = (n, spin_closing(&impact, &two, n));
        if is_again && approach(&two, n, along_n.1) <= 0.0 {
            return false;
        }
        let missing = f64::from(self.correction(bodies, rows, missing));
        let pair = self.pair_masses(bodies, rows, &impact);
        let support_end = self.support_end_of(bodies, rows, &pair, now).velocity;
        let masses = self.separate(&mut two, rows, (&pair, support_end), along_n, missing, now);
        for (member, row) in rows.into_iter().enumerate() {
            if masses[member] != 0.0 {
                self.change(bodies, row, two[member], now);
            }
        }
        masses != [0.0; 2]
    }

    /// Stops the rotation of two bodies for the rest of the tick, and searches their impacts again.
    fn stop_rotations(&mut self, bodies: &mut dyn Bodies<'_>, rows: [usize; 2], now: f32) {
        self.stats.events += 1;
        self.changed.clear();
        for row in rows {
            let at = self.at(bodies, row, now);
            if at.spin != [0.0; 3] {
                self.change(bodies, row, BodyAt { spin: [0.0; 3], ..at }, now);
                self.stopped_rotations.push(Stalled { row: row as u32, since: now });
                self.stats.stopped_rotations += 1;
            }
        }
        self.search_changed(bodies, now);
    }

    /// Response of two bodies of which none is stalled, and whose distance is less than the skin by the length `gap_missing`.
    fn respond(
        &mut self,
        bodies: &mut dyn Bodies<'_>,
        rows: [usize; 2],
        (mut impact, n): (Impact, [f64; 3]),
        gap_missing: f32,
    ) {
        let now = impact.toi;
        let pair = self.pair_masses(bodies, rows, &impact);
        let mut two = rows.map(|row| self.at(bodies, row, now));
        let spin_closing = spin_closing(&impact, &two, n);
        let closing = along(two[0].linear.velocity, two[1].linear.velocity, n) + spin_closing;
        // The search reads displacements that are rounded to `f32`. A pair that closes for it must respond, or the search finds
        // the same impact again.
        let approaches = approach(&two, n, spin_closing) > 0.0 || impact.closing > 0.0;
        let restitution = self.restitution(bodies, rows);
        let support_end = self.support_end_of(bodies, rows, &pair, now);
        let velocities = towards(two.map(|at| at.linear.velocity), support_end.velocity, n);
        let mut masses = pair.counting(velocities, restitution.into());
        let accels = towards(two.map(|at| at.linear.accel), support_end.accel, n);
        let left = f64::from(until_end(now));
        if accels[0] + accels[1] > 0.0 {
            masses = PairMasses { supported: masses, at_rest: pair.at_rest / left, ..pair }
                .counting(accels, 0.0);
        }
        let [a, b] = &mut two;
        let exchanged = response::exchange(
            [&mut a.linear, &mut b.linear],
            n,
            closing,
            masses,
            (restitution, 0.0),
        );
        if let Some(exchanged) = exchanged {
            impact.closing = response::finite(closing);
            self.stats.responses += 1;
            self.resolved.push(ResolvedImpact::new(impact, exchanged.into(), masses));
            self.drive(bodies, rows, &two, spin_closing);
        }
        // By their velocities the two return at once, but a pseudo-velocity changes when. Without a change the next search would find the same event.
        // So they get a pseudo-velocity with which they do not return in this tick.
        let (approach, pulled) = (approach(&two, n, spin_closing), accels[0] + accels[1]);
        // The search has rounded the velocities, so bodies that return at once by its closing speed may separate faster here.
        let is_soon = |approach: f64| -2.0 * approach <= 2.0 * SOON * pulled;
        let returns = exchanged.is_none()
            && pulled > 0.0
            && (is_soon(impact.closing.into()) || approach != closing && is_soon(approach));
        let approaches = approaches || returns;
        let is_unchanged = exchanged.is_none() && !approaches;
        let mut pseudo_masses = [0.0; 2];
        if !is_unchanged {
            // They separate at least so fast that rounding does not make them close, and the slop is restored after
            // a tick.
            let (least, skin) = (least_parting(&two, n, closing), f64::from(self.skin(rows)));
            let least = if least < skin { least } else { skin };
            let least = if returns { least.max(0.5 * pulled * left) } else { least };
            let missing = f64::from(gap_missing).max(least * correction_time(&two, now));
            let of = (&pair, support_end.velocity);
            pseudo_masses = self.separate(&mut two, rows, of, (n, spin_closing), missing, now);
        }
        for (member, row) in rows.into_iter().enumerate() {
            // A body that is not pushed keeps its motion, to the bit.
            if masses[member] == 0.0 && pseudo_masses[member] == 0.0 {
                continue;
            }
            self.states[row].impacts += 1;
            if is_unchanged && self.states[row].impacts < self.config.impacts_max {
                continue;
            }
            self.change(bodies, row, two[member], now);
            let rests = exchanged.is_some_and(|done| done.outcome == BounceOutcome::Resting);
            if rests && masses[1 - member] == 0.0 {
                let [position, of_support] =
                    [row, rows[1 - member]].map(|row| self.position_at(bodies, row, now));
                let versions = self.versions([row, rows[1 - member]]);
                let height = self.states[rows[1 - member]].height.saturating_add(1);
                let is_at_rest = are_at_rest(&two, 0.5 * f64::from(self.skin(rows)));
                let end = self.stored_support_end(bodies, rows[1 - member]) as u32;
                let state = &mut self.states[row];
                state.at_rest_in = is_at_rest.then_some(versions);
                state.from_support = core::array::from_fn(|k| position[k] - of_support[k]);
                let nearest = [impact.on_a, impact.on_b][member].map(f64::from);
                state.on_support = core::array::from_fn(|k| nearest[k] - position[k]);
                // Direction from the other body to this one.
                state.support_direction = impact.normal.map(|x| if member == 0 { -x } else { x });
                (state.support, state.support_end) = (rows[1 - member] as u32, end);
                state.height = height;
            }
        }
        if !is_unchanged && restitution == 0.0 {
            self.store_contact(bodies, rows, &impact, spin_closing);
        }
    }

    /// Gives two bodies pseudo-velocities by which they separate by a length in the time that they have for it, unless they do so already. Returns
    /// the inverse masses that counted; zeros if nothing was changed.
    fn separate(
        &self,
        two: &mut [BodyAt; 2],
        rows: [usize; 2],
        (pair, support_end): (&PairMasses, [f64; 3]),
        (n, spin_closing): ([f64; 3], f64),
        missing: f64,
        now: f32,
    ) -> [f64; 2] {
        let missing = approach(two, n, spin_closing) + missing / correction_time(two, now);
        if missing <= 0.0 {
            return [0.0; 2];
        }
        // Corrections of slop from below do not make a supported body movable.
        let supports = pair.supported_row(rows).map_or(0, |row| self.supports_below(row));
        let few = f64::from(supports.max(CORRECTED_MAX)) * f64::from(self.skin(rows));
        let at_rest = if pair.at_rest > few { pair.at_rest } else { few };
        let velocities = towards(two.map(|at| at.velocity()), support_end, n);
        let masses = PairMasses { at_rest, ..*pair }.counting(velocities, 0.0);
        let [a, b] = two;
        push([&mut a.pseudo, &mut b.pseudo], n, missing / (masses[0] + masses[1]), masses);
        masses
    }

    /// Returns the number of supports below a row if that is more than [`CORRECTED_MAX`], else a lesser number. Each of them may lack a skin, and all of
    /// these corrections add up in the speed of the row.
    fn supports_below(&self, mut row: usize) -> u32 {
        let height = self.states[row].height;
        if height <= CORRECTED_MAX {
            return 0;
        }
        // In a circle of supports, not every height can be greater by one than that of the next. So a circle of at most `CIRCLE_MAX` bodies is found from
        // each of them.
        for _ in 0..CIRCLE_MAX {
            let BodyState { support, height, .. } = self.states[row];
            let support = support as usize;
            if self.states[support].height + 1 != height {
                return 0;
            }
            row = support;
        }
        height
    }

    /// Response of two bodies of which at least one is stalled: see the [crate](crate).
    fn respond_stalled(
        &mut self,
        bodies: &mut dyn Bodies<'_>,
        rows: [usize; 2],
        (mut impact, n): (Impact, [f64; 3]),
    ) {
        let now = impact.toi;
        // For a stalled body, the velocity is the one that it keeps for the next tick.
        let before = rows.map(|row| self.at(bodies, row, now));
        let stopped = [0, 1].map(|k| match self.states[rows[k]].is_stalled {
            true => BodyAt { linear: LinearMotion::default(), pseudo: [0.0; 3], ..before[k] },
            false => before[k],
        });
        let spin_closing = spin_closing(&impact, &stopped, n);
        let closing_of =
            |[a, b]: &[BodyAt; 2]| along(a.linear.velocity, b.linear.velocity, n) + spin_closing;
        let closing_now = closing_of(&stopped);
        let closing = closing_of(&before);
        let masses = rows.map(|row| f64::from(bodies.mass(row).inverse_mass));
        let restitution = self.restitution(bodies, rows);
        let mut after = before.map(|at| LinearMotion { accel: [0.0; 3], ..at.linear });
        let [a, b] = &mut after;
        let exchanged = response::exchange([a, b], n, closing, masses, (restitution, 0.0));
        if let Some(exchanged) = exchanged {
            impact.closing = response::finite(closing);
            self.stats.responses += 1;
            self.resolved.push(ResolvedImpact::new(impact, exchanged.into(), masses));
            self.drive(bodies, rows, &before, spin_closing);
        }
        for (member, sign) in [1.0, -1.0].into_iter().enumerate() {
            let (row, velocity) = (rows[member], after[member].velocity);
            let LinearMotion { velocity: old, accel } = before[member].linear;
            if !is_pushable_or_moves(&before[member].motion(), bodies.mass(row)) {
                continue;
            }
            if self.states[row].is_stalled {
                self.states[row].linear.velocity = velocity;
                continue;
            }
            // The closing speed against the stalled body at rest.
            let closing = closing_now + sign * along(velocity, old, n);
            let pulled = sign * dot(accel, n);
            let speed: f64 = velocity.iter().map(|x| x.abs()).sum();
            let separates = -closing > PARTING * speed && -2.0 * closing > SOON * pulled;
            self.states[row].impacts += 1;
            // A pseudo-velocity towards the stalled body is dropped, or the same impact follows at once.
            let is_unchanged = exchanged.is_none() && before[member].pseudo == [0.0; 3];
            if separates && is_unchanged && self.states[row].impacts < self.config.impacts_max {
                continue;
            }
            let linear = LinearMotion { velocity, accel };
            self.change(bodies, row, BodyAt { linear, pseudo: [0.0; 3], ..before[member] }, now);
            if !separates {
                self.stall(bodies, row, now);
            }
        }
    }

    /// Returns the restitution of a pair.
    fn restitution(&self, bodies: &dyn Bodies<'_>, rows: [usize; 2]) -> f32 {
        let of = rows.map(|row| bodies.mass(row).restitution);
        let spent = rows.map(|row| self.states[row].impacts).into_iter().max().unwrap_or(0);
        let restitution = if of[0] > of[1] { of[0] } else { of[1] };
        if spent < self.config.impacts_max / 2 { restitution } else { 0.0 }
    }
}

/// Returns whether two bodies do not spin, and move by at most so much relative to each other in a tick.
fn are_at_rest([a, b]: &[BodyAt; 2], most: f64) -> bool {
    let [of_a, of_b] = [a, b].map(|at| [at.linear.velocity, at.linear.accel, at.pseudo]);
    let differences = of_a.as_flattened().iter().zip(of_b.as_flattened());
    let moved: f64 = differences.map(|(a, b)| (a - b).abs()).sum();
    a.spin == [0.0; 3] && b.spin == [0.0; 3] && moved <= most
}

/// Returns the least speed at which two bodies that respond separate, so that neither the error of the normal nor the rounding of their
/// displacements makes them close. The error of the normal has an effect in proportion to the speed of the two relative to each other, which is not less
/// than what rounding may add to it. A speed that both have must not count: it would raise the bodies of a tower on a fast platform in each tick, and the
/// upper ones would fall all the time.
fn least_parting(two: &[BodyAt; 2], n: [f64; 3], closing: f64) -> f64 {
    let [a, b] = two.each_ref().map(BodyAt::velocity);
    let (mut relative, mut both, mut along_n) = (0.0, 0.0, 0.0);
    for k in 0..3 {
        let speeds = a[k].abs() + b[k].abs();
        relative += (a[k] - b[k]).abs();
        both += speeds;
        along_n += n[k].abs() * speeds;
    }
    (PARTING * (relative.max(ROUNDED * both) + closing.abs())).max(ROUNDED * along_n)
}

/// Returns the part of a tick in which two bodies that are too near are separated. The end of a body that spins moves away soon, so little of the tick is
/// left.
fn correction_time(two: &[BodyAt; 2], now: f32) -> f64 {
    if two.iter().any(|at| at.spin != [0.0; 3]) {
        f64::from(until_end(now)).max(CORRECTED_WITHIN)
    } else {
        1.0
    }
}

/// Returns the speed at which two bodies move towards each other along a normal, with pseudo-velocities.
fn approach([a, b]: &[BodyAt; 2], n: [f64; 3], spin_closing: f64) -> f64 {
    along(a.velocity(), b.velocity(), n) + spin_closing
}

/// Returns the part of the closing speed of an impact that is due to spins, not to velocities.
fn spin_closing(impact: &Impact, [a, b]: &[BodyAt; 2], n: [f64; 3]) -> f64 {
    if a.spin == [0.0; 3] && b.spin == [0.0; 3] {
        return 0.0;
    }
    f64::from(impact.closing) - along(a.velocity(), b.velocity(), n)
}

#[cfg(test)]
mod tests {
    use super::{Event, EventKind, Step, along};
    use crate::bodies::BodyRows;
    use crate::start::Start;
    use crate::state::{BodyAt, BodyState};
    use crate::{Mass, StepperConfig};
    use swath::pipeline::GeometryBody;
    use swath::{Impact, Motion, Pair, Pose, Shape};

    const MASSES: [Mass; 2] = [Mass { inverse_mass: 1.0, restitution: 0.0 }; 2];

    /// Returns two balls of radius 0.5 at 0 and `x`, with these displacements.
    fn balls(x: f32, delta: [[f32; 3]; 2]) -> [GeometryBody<'static>; 2] {
        let ball = Shape::sphere(0.5).expect("a ball");
        [0, 1].map(|row| {
            let pose = Pose::at([x * row as f32, 0.0, 0.0]).expect("a pose");
            let motion = Motion::new(pose, delta[row]).expect("a motion");
            GeometryBody { row: row as u32, geometry: ball.into(), motion }
        })
    }

    fn started(rows: &mut BodyRows<'_, '_>) -> Step {
        let mut step = Step { config: StepperConfig::default(), ..Step::default() };
        Start::default().fill(&mut step, rows).expect("bodies");
        step
    }

    /// Goal: a body that only a pseudo-velocity moves into a stalled one has one impact, loses the pseudo-velocity and continues.
    /// Method: a ball that separates from a stalled one by half of the speed with which it is corrected towards it, and spins or not.
    #[test]
    fn pseudo_velocity_into_a_stalled_body_is_dropped_at_once() {
        for spin in [[0.0; 3], [0.0, 0.25, 0.0]] {
            let mut bodies = balls(1.001, [[0.0; 3], [0.01, 0.0, 0.0]]);
            bodies[1].motion.spin = spin;
            let mut rows = BodyRows { bodies: &mut bodies, masses: &MASSES, filters: None };
            let mut step = started(&mut rows);
            step.states[0].is_stalled = true;
            let at = BodyAt { pseudo: [-0.02, 0.0, 0.0], ..step.at(&rows, 1, 0.0) };
            step.change(&mut rows, 1, at, 0.0);
            step.search_again(&mut rows, [0, 1], 0.0);
            step.process_all(&mut rows);
            let stats = step.stats;
            assert_eq!((stats.events, stats.responses, stats.stalled), (1, 0, 0), "{stats:?}");
            let [_, Motion { pose, delta, .. }] = bodies.map(|body| body.motion);
            assert_eq!(delta, [0.01, 0.0, 0.0]);
            // It has moved to the other in a tenth of the tick, and away from it in the rest.
            assert!((pose.position[0] - 1.009).abs() < 1e-5, "{pose:?}");
        }
    }

    /// Goal: the supports below a body count only if they are no circle, and a circle of more than 64 bodies may be overlooked. Method: balls that rest one on
    /// the other, 100 above the first; then one in the middle rests on one of the others, or has another height.
    #[test]
    fn supports_in_a_circle_do_not_count() {
        let mut step = Step::default();
        step.states.resize(101, BodyState::default());
        for (row, state) in (0..).zip(&mut step.states) {
            (state.support, state.height) = (u32::saturating_sub(row, 1), row);
        }
        assert_eq!([100, 65, 64, 0].map(|row| step.supports_below(row)), [100, 65, 0, 0]);
        for support in [99, 50, 1] {
            for height in [support + 1, 50, 100] {
                (step.states[50].support, step.states[50].height) = (support, height);
                assert_eq!(step.supports_below(100), 0, "{support} {height}");
            }
        }
        (step.states[50].support, step.states[50].height) = (49, 50);
        // A circle of 71 bodies. The heights of 64 bodies from the uppermost ones on do not show it.
        step.states[20].support = 90;
        assert_eq!([100, 90, 84, 83].map(|row| step.supports_below(row)), [100, 90, 84, 0]);
    }

    /// Goal: a pair that closes by rounding alone responds, so that no search finds the same impact again. Method: two touching
    /// balls without velocity along the normal, for which an impact reports a tiny closing speed; velocities do not change.
    #[test]
    fn impact_that_closes_by_rounding_alone_separates_the_two() {
        for (closing, responds) in [(1e-12, true), (0.0, false)] {
            let across = [[0.0, 0.25, 0.0]; 2];
            let mut bodies = balls(1.0, across);
            let mut rows = BodyRows { bodies: &mut bodies, masses: &MASSES, filters: None };
            let mut step = started(&mut rows);
            let pair = Pair { a: 0, b: 1 };
            let normal = [1.0, 0.0, 0.0];
            let impact: Impact = Impact { pair, normal, closing, ..Impact::default() };
            let versions = [0, 1].map(|row| step.states[row].version);
            let kind = EventKind::Impact { missing: 0.0 };
            step.process(&mut rows, Event { impact, rows: [0, 1], versions, kind });
            assert_eq!(step.changed.len(), if responds { 2 } else { 0 });
            let [a, b] = [0, 1].map(|row| step.at(&rows, row, 0.0));
            assert_eq!([a.linear.velocity, b.linear.velocity], across.map(|v| v.map(f64::from)));
            let parting = -along(a.velocity(), b.velocity(), [1.0, 0.0, 0.0]);
            assert!(if responds { parting > 0.0 } else { parting == 0.0 }, "{parting}");
        }
    }
}
