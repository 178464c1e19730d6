//! The search for the time of impact.
//!
//! Each round computes the distance at a time that is proved to be safe, and a plane that proves it; then
//! it goes to the time until which the plane separates. It ends if the distance is within the tolerance,
//! or the plane separates until the end of the window. The simplex is reused from round to round, and the
//! point that the last plane goes through is added to it. If the bodies do not rotate, points of the
//! simplex stay valid, and the search is van den Bergen's ray cast (2004, "Ray casting against general
//! convex objects") against `A − B`, along a parabola: every support that proves a gap moves the time
//! forward. For cores that themselves come into contact a *portal* is tried first (`portal.rs`), and most
//! often leads up to the contact.

use super::balls::Balls;
use super::boxes;
use super::goal::{ACCURACY, Goal};
use super::pause::Pause;
use super::relative_motion::{Frame, MovingShape, RelativeMotion, RelativePath, position_at};
use super::result::{Observer, Toi, ToiResult, round, saturated};
use super::rounded::BoxSearch;
use super::separating_plane::{self, GapRange, SafeTime, SeparatingPlane};
use super::settings::{Settings, Touch};
use crate::geom::{MapEach, Motion};
use crate::lanes::Isa;
use crate::narrowphase::gjk::{
    Accuracy, GJK_ITERATIONS_MAX, Gap, Nearest, RotatedPair, shallowest,
};
use crate::narrowphase::math::{M3, V3, greater, round_down};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::Simplex;

/// Share of the excess of the distance over the least gap of the range that the gap along a plane must reach, for bodies that do not rotate.
const SHARE: f64 = 0.125;

/// The same for bodies that rotate, where a round costs more.
const SHARE_OF_ROTATING: f64 = 0.75;
/// The same for the first plane of bodies that rotate: far from a contact the next round finds other features, so a better plane is not worth its
/// supports.
const SHARE_OF_FIRST_ROTATING: f64 = 0.1;

/// Radius, relative to the size, of a ball that approximates a shape in the first guess of a direction.
const MEAN: f64 = 0.7;

/// From this round on more planes are tried in each round. Most searches are shorter.
const MORE_PLANES_FROM: u32 = 24;

/// Number of rounds after which the bodies of revolution of bodies that make whole turns are tested again.
const WHOLE_TURNS_ROUNDS: u32 = 32;

/// Number of rounds for which an ignored touch is followed while it neither closes nor opens. After that
/// it is an impact: it is within the tolerance, and there was no earlier contact.
const TOUCH_ROUNDS_MAX: u32 = 256;

/// More than the part of a displacement that rounding its direction to `f32` can take from it: 2⁻²².
pub(super) const NORMAL_ROUNDING: f64 = 2.0 * f32::EPSILON as f64;

/// State of one search.
pub(in crate::narrowphase) struct Search<'s> {
    pub(super) motion: RelativeMotion<'s>,
    pub(super) positions: [&'s Motion; 2],
    /// The axes in which the search computes, if these are not those of the world.
    pub(super) frame: Option<Frame<'s>>,
    pub(super) settings: &'s Settings,
    pub(super) window: [f64; 2],
    /// Distance of the cores that counts as a contact.
    pub(super) contact_distance: f64,
    pub(super) tolerance: f64,
    /// Direction of the first support.
    pub(super) guess: V3,
    pub(super) rounds: u32,
    pub(super) supports: u32,
    pub(super) pause: Pause,
    /// An overlap at the start that is not deeper than this need not be the least one.
    pub(super) known_depth: f64,
}

impl<'s> Search<'s> {
    /// Runs the search. `observer` is called with each round.
    #[inline]
    pub(in crate::narrowphase) fn find(
        a: (&'s Shape<'s>, &'s Motion),
        b: (&'s Shape<'s>, &'s Motion),
        settings: &'s Settings,
        window: [f64; 2],
        mut observer: Observer<'_>,
    ) -> Toi {
        let path = RelativePath::new(a.1, b.1).between_cores(a.0.core.center(), b.0.core.center());
        let balls = Balls::new(a, b, &path, settings, window);
        if path.accel == V3::ZERO && balls.pass() {
            if observer.is_some() {
                balls.report_pass(Self::toward(a, b, &balls), &mut observer);
            }
            return Toi { result: ToiResult::Separated, rounds: 1, supports: 0 };
        }
        let mut found = Toi::default();
        Self::find_near(a, b, settings, &balls, (&mut found, observer));
        found
    }

    /// Returns the direction of the first support, of any length.
    #[inline(always)]
    fn toward(a: (&Shape<'_>, &Motion), b: (&Shape<'_>, &Motion), balls: &Balls<'_>) -> V3 {
        let Balls { path, radii, window, .. } = *balls;
        path.toward(radii + MEAN * (a.0.size + b.0.size - radii), window)
    }

    /// Runs the search for bodies that may come near each other.
    #[inline(always)]
    fn find_near(
        a: (&'s Shape<'s>, &'s Motion),
        b: (&'s Shape<'s>, &'s Motion),
        settings: &'s Settings,
        balls: &Balls<'_>,
        (found, mut observer): (&mut Toi, Observer<'_>),
    ) {
        let Balls { path, window, contact_distance, slack, tolerance, rotates, .. } = *balls;
        // Two boxes on a straight path need no direction, so it is computed where it is used, or once for a path that is not straight.
        let known = (rotates || path.accel != V3::ZERO).then(|| Self::toward(a, b, balls));
        let toward = || known.unwrap_or_else(|| Self::toward(a, b, balls));
        // A time to which planes have led already, with the normal of the last, and their numbers of rounds and supports.
        let mut led = match known.and_then(|toward| balls.until(toward, &mut observer)) {
            Some(SafeTime::End) => {
                *found = Toi { result: ToiResult::Separated, rounds: 1, supports: 0 };
                return;
            }
            Some(SafeTime::Until { t, normal, .. }) => (Some((t, normal)), 1, 0),
            None => (None, 0, 0),
        };
        if !rotates {
            let tolerance = greater(tolerance, 16.0 * slack);
            let goal = Goal::new(contact_distance, slack, tolerance);
            let moving = (path, toward, window);
            let out = (&mut *found, &mut observer);
            match boxes::search((a, b), moving, (&goal, settings), out) {
                BoxSearch::Found => return,
                BoxSearch::Until { t, normal, rounds, supports } => {
                    led = (Some((t, normal)), rounds, supports);
                }
                BoxSearch::Unknown => {}
            }
        }
        let motion = RelativeMotion::new(a, b, *path, slack);
        let tolerance = greater(tolerance, 16.0 * motion.slack);
        let mut search = Self {
            motion,
            positions: [a.1, b.1],
            frame: None,
            settings,
            window,
            contact_distance,
            tolerance,
            guess: toward().unit().unwrap_or(V3::X),
            rounds: led.1,
            supports: led.2,
            pause: Pause::NEVER,
            known_depth: 0.0,
        };
        let result = search.run(led.0, &mut observer);
        *found = Toi { result, rounds: search.rounds, supports: search.supports };
    }

    /// All that a round needs is inlined, so that it is compiled for the level.
    #[inline(always)]
    pub(super) fn rounds<I: Isa>(
        &mut self,
        isa: I,
        led: Option<(f64, V3)>,
        observer: &mut Observer<'_>,
    ) -> ToiResult {
        let [from, to] = self.window;
        let straight = self.motion.is_straight();
        let mut goal = self.goal();
        let (mut t, mut normal) = led.unwrap_or((from, self.guess));
        // Whether no plane has led to `t` yet.
        let mut fresh = led.is_none();
        // Proved lower bound of the gap along the normal.
        let mut known = if fresh { f64::NEG_INFINITY } else { goal.range.min };
        let mut pair = self.motion.at(t);
        let mut simplex = Simplex::default();
        let (mut restarted, mut whole_turns_at) = (false, self.pause.whole_turns_at);
        loop {
            let pauses = self.rounds >= self.pause.at && goal.range.max == f64::INFINITY;
            if pauses && !fresh && !restarted {
                self.pause = Pause { whole_turns_at, led: Some((t, normal)), ..self.pause };
                return ToiResult::Unresolved { t_safe: round_down(t) };
            }
            if self.rounds >= whole_turns_at
                && goal.range.max == f64::INFINITY
                && self.makes_whole_turn(t)
            {
                let Some(until) = self.skip_whole_turns(t, observer) else {
                    return ToiResult::Separated;
                };
                whole_turns_at = self.rounds + WHOLE_TURNS_ROUNDS;
                if until > t {
                    (t, pair, fresh) = (until, self.motion.at(until), true);
                    (normal, simplex.len, known) = (self.guess, 0, f64::NEG_INFINITY);
                }
            }
            if !self.has_rounds() {
                return ToiResult::Unresolved { t_safe: round_down(t) };
            }
            self.rounds += 1;
            let x = self.motion.between(t);
            // A round that repeats the first one is at the start too.
            let first = self.rounds == 1 || self.rounds == 2 && restarted;
            let (guess, until) = ((normal, known), (&goal, fresh));
            let mut found = self.nearest(isa, &pair, x, &mut simplex, guess, until);
            self.report(observer, t, found.lower, found.plane);
            let (mut inside, shown) = (None, found.plane);
            let sharp = Accuracy::Within { share: 0.0, of: 0.0, least: ACCURACY * self.tolerance };
            let may_touch = first && (restarted || found.upper <= goal.accept);
            if may_touch && found.upper > 0.0 && found.is_unproved(sharp) {
                self.decide_by_depth(&pair, x, &mut found);
            }
            if first && found.upper <= goal.accept {
                let touch = self.touch(&pair, t, x, &found, &simplex);
                let Ok(touch) = touch else { return touch.unwrap_err() };
                (goal, found) = self.after_ignored_touch(&pair, x, (found, touch), &mut simplex);
            }
            if found.upper == 0.0 && goal.range.min < 0.0 {
                // The cores touch, and that is ignored: their gap is negative.
                let gap = shallowest(&pair, x, found.plane, [goal.accept, f64::INFINITY]);
                (found.lower, found.upper, found.plane) = (gap.lower, gap.lower, gap.normal);
                found.support = pair.support(gap.normal);
                inside = Some(gap);
            }
            if found.lower >= goal.range.max {
                goal = self.goal();
            }
            let ignoring = goal.range.max < f64::INFINITY;
            let lost = restarted && found.lower <= goal.range.min;
            let stays_in_range = ignoring
                && (lost || self.rounds >= TOUCH_ROUNDS_MAX)
                && self.settings.touch == Touch::IfClosing
                && found.upper <= self.contact_distance + self.tolerance;
            if found.upper <= goal.accept || stays_in_range {
                // If the cores meet, the plane that led here is better than one without a gap.
                let touches_cores = goal.touches_cores && !fresh;
                let gap = inside.unwrap_or_else(|| {
                    let gap = found.gap(&pair, x, &simplex);
                    if touches_cores { Gap { normal, ..gap } } else { gap }
                });
                return if ignoring && self.settings.touch == Touch::Ignore {
                    self.overlapping(t, &pair, &gap)
                } else {
                    self.impact(t, &pair, &gap)
                };
            }
            if found.lower <= goal.range.min {
                // No plane proves the distance of the simplex: restart once, then give up.
                if restarted {
                    return ToiResult::Unresolved { t_safe: round_down(t) };
                }
                (restarted, normal, simplex.len) = (true, found.plane, 0);
                known = f64::NEG_INFINITY;
                continue;
            }
            (restarted, fresh) = (false, false);
            let mut safe = self.safe_time(&pair, (t, to), &found, &simplex, &goal.range);
            if ignoring || self.rounds > MORE_PLANES_FROM {
                let others = (inside.map(|_| shown), &found);
                safe = self.longest(safe, &pair, (t, to), others, &simplex, &goal.range);
            }
            match safe {
                SafeTime::End => return ToiResult::Separated,
                SafeTime::Until { t: until, normal: then, separated } => {
                    (t, normal, known) = (until, then, goal.range.min);
                    if separated {
                        goal = self.goal();
                    }
                }
            }
            // The point of the plane is where the shapes will meet. If the cores touch, the simplex is
            // full.
            if simplex.len < 4 && !simplex.has(&found.support) {
                simplex.push(found.support);
            }
            if straight && goal.range.max == f64::INFINITY {
                if goal.touches_cores && self.has_rounds() {
                    match self.portal(&pair, &mut simplex, normal, &goal, [t, to], observer) {
                        None => return ToiResult::Separated,
                        Some((until, then)) => (t, normal) = (until, then),
                    }
                    let met = self.met(&pair, t, &simplex, normal, &goal);
                    if let Some(gap) = met.filter(|_| self.has_rounds()) {
                        self.rounds += 1;
                        self.report(observer, t, gap.lower, normal);
                        return self.impact(t, &pair, &gap);
                    }
                }
                match self.ray_cast(&pair, &mut simplex, &goal, [t, to], observer) {
                    None => return ToiResult::Separated,
                    Some((until, then)) => (t, normal) = (until, then.unwrap_or(normal)),
                }
            }
            if !straight {
                pair = self.motion.at(t);
                simplex.rotate_to(&pair);
            }
        }
    }

    /// Replaces an [unproved](Nearest::is_unproved) result by the plane of the least depth. The cores overlap if that does not separate them either.
    #[cold]
    #[inline(never)]
    fn decide_by_depth(&self, pair: &RotatedPair<'_>, x: V3, found: &mut Nearest) {
        let least = [self.contact_distance - self.tolerance, f64::INFINITY];
        let gap = shallowest(pair, x, found.plane, least);
        if gap.lower > found.lower {
            (found.lower, found.plane) = (gap.lower, gap.normal);
            found.support = pair.support(gap.normal);
        }
        if found.lower <= self.goal().range.min {
            found.upper = 0.0;
        }
    }

    /// Returns until when the plane of `found` separates.
    #[inline(always)]
    fn safe_time(
        &mut self,
        pair: &RotatedPair<'_>,
        (t, to): (f64, f64),
        found: &Nearest,
        simplex: &Simplex,
        range: &GapRange,
    ) -> SafeTime {
        let plane = SeparatingPlane { t, normal: found.plane, gap: found.lower };
        if self.motion.is_straight() {
            return separating_plane::straight(&self.motion.path, &plane, range, to);
        }
        let (safe, steps) =
            separating_plane::rotating(&self.motion, pair, (&plane, found), simplex, range, to);
        self.supports += steps;
        safe
    }

    /// Returns the longest of `safe` and the times until which other planes separate, for a touch that is
    /// ignored and for a search of many rounds.
    ///
    /// If a corner rests on a corner, many planes have about the same gap, and the best of them may be at
    /// the edge of that range, so that it is the first to fail. Planes that are likely to separate for
    /// long are the plane that led here, the planes across an axis of rotation, which the rotation does
    /// not change, and the plane of the gap rotating with one of the bodies.
    #[inline(never)]
    fn longest(
        &mut self,
        mut safe: SafeTime,
        pair: &RotatedPair<'_>,
        (t, to): (f64, f64),
        (led, found): (Option<V3>, &Nearest),
        simplex: &Simplex,
        range: &GapRange,
    ) -> SafeTime {
        let later = |old: SafeTime, new: SafeTime| match (old, new) {
            (SafeTime::Until { t: old, .. }, SafeTime::Until { t: new, .. }) => new > old,
            (old, _) => old != SafeTime::End,
        };
        let open = |safe: &SafeTime| matches!(safe, SafeTime::Until { separated: false, .. });
        let x = self.motion.between(t);
        let rotations = [self.motion.a.rotation, self.motion.b.rotation];
        let axes = rotations.map_each(|rotation| {
            let axis = rotation.spin.unit()?;
            Some(if axis.dot(found.plane) < 0.0 { -axis } else { axis })
        });
        for normal in &[led, axes[0], axes[1]] {
            let Some(normal) = *normal else { continue };
            if !open(&safe) {
                return safe;
            }
            let other = Nearest::along(pair, x, normal);
            self.supports += 1;
            if other.lower > range.min {
                let next = self.safe_time(pair, (t, to), &other, simplex, range);
                safe = if later(safe, next) { next } else { safe };
            }
        }
        let plane = SeparatingPlane { t, normal: found.plane, gap: found.lower };
        for rotation in rotations {
            if open(&safe) && rotation.rate > 0.0 {
                let planes = (&plane, found);
                let (next, steps) = separating_plane::rotating_with(
                    &self.motion,
                    pair,
                    planes,
                    rotation,
                    range,
                    to,
                );
                self.supports += steps;
                safe = if later(safe, next) { next } else { safe };
            }
        }
        safe
    }

    /// Returns the gap at `t`, along a plane that led there, if three points prove that the cores are near
    /// enough.
    fn met(
        &self,
        pair: &RotatedPair<'_>,
        t: f64,
        simplex: &Simplex,
        normal: V3,
        goal: &Goal,
    ) -> Option<Gap> {
        let x = self.motion.between(t);
        let weights = simplex.weights(x);
        let (on_a, on_b) = (simplex.on_a(&weights), simplex.on_b(&weights));
        let offset = x - pair.vertex(on_a, on_b).at;
        let met = simplex.len == 3 && offset.square() <= goal.accept * goal.accept;
        met.then(|| {
            let out = pair.offset_direction(offset, normal);
            Gap { lower: goal.range.min, normal, out, on_a, on_b }
        })
    }

    /// Continues from a time before any contact, for bodies that do not rotate: each support moves the
    /// time forward if its plane proves a gap. Stops if the simplex is near, or there is no progress; the
    /// rounds decide what that means.
    #[inline]
    fn ray_cast(
        &mut self,
        pair: &RotatedPair<'_>,
        simplex: &mut Simplex,
        goal: &Goal,
        [from, to]: [f64; 2],
        observer: &mut Observer<'_>,
    ) -> Option<(f64, Option<V3>)> {
        let Goal { range: GapRange { min: floor, .. }, accept, .. } = *goal;
        let (mut t, mut led, mut square) = (from, None, f64::INFINITY);
        let (mut supports, mut rounds) = (0, 0);
        while supports < GJK_ITERATIONS_MAX && self.rounds + rounds < self.settings.rounds_max {
            let x = self.motion.between(t);
            let [offset, toward] = simplex.reduce(x);
            let now = offset.square();
            if now <= accept * accept || simplex.len == 4 {
                break;
            }
            supports += 1;
            let vertex = pair.support(toward);
            let normal = toward * (1.0 / toward.length());
            let gap = normal.dot(x - vertex.at);
            let has = simplex.has(&vertex);
            if gap > floor {
                self.report(observer, t, gap, normal);
                let rate = normal.dot(self.motion.velocity(t));
                let half_accel = 0.5 * normal.dot(self.motion.path.accel);
                t += first_root(gap - floor, rate, half_accel);
                rounds += 1;
                if t > to {
                    self.rounds += rounds;
                    self.supports += supports;
                    return None;
                }
                led = Some(normal);
                square = f64::INFINITY;
            } else {
                if now >= square || has {
                    break;
                }
                square = now;
            }
            if !has {
                simplex.push(vertex);
            }
        }
        self.rounds += rounds;
        self.supports += supports;
        Some((t, led))
    }

    /// Returns whether the search may take one more round.
    fn has_rounds(&self) -> bool {
        self.rounds < self.settings.rounds_max
    }

    /// Returns the goal of a search without a touch at the start.
    pub(super) fn goal(&self) -> Goal {
        Goal::new(self.contact_distance, self.motion.slack, self.tolerance)
    }

    // Inlined into both the observed search and the plain one, because it is called in each round.
    #[inline(always)]
    fn nearest<I: Isa>(
        &mut self,
        isa: I,
        pair: &RotatedPair<'_>,
        x: V3,
        simplex: &mut Simplex,
        guess: (V3, f64),
        (goal, first): (&Goal, bool),
    ) -> Nearest {
        let (contact_distance, tolerance, floor, accept) =
            (self.contact_distance, self.tolerance, goal.range.min, goal.accept);
        let share = match (self.motion.is_straight(), simplex.len) {
            (true, _) => SHARE,
            (false, 0) => SHARE_OF_FIRST_ROTATING,
            (false, _) => SHARE_OF_ROTATING,
        };
        let sharp = tolerance * ACCURACY;
        let touches_cores = goal.touches_cores;
        let slack = self.motion.slack;
        let found = pair.nearest_on(isa, x, simplex, guess, slack, |lower, upper| {
            if first {
                lower > contact_distance + tolerance || upper - lower <= sharp
            } else if upper <= accept {
                touches_cores || upper - lower <= sharp
            } else {
                lower - floor >= share * (upper - floor)
            }
        });
        self.supports += found.supports;
        found
    }

    /// Reports a round to the observer, for a gap of the cores along a plane.
    pub(super) fn report(&self, observer: &mut Observer<'_>, t: f64, gap: f64, normal: V3) {
        if let Some(observer) = observer {
            let radii = self.motion.a.shape.radius + self.motion.b.shape.radius;
            observer(round(t, gap - radii - self.motion.slack, normal));
        }
    }

    /// Creates the impact at `t`, with the points and the closing speed at the rounded time.
    pub(super) fn impact(&self, t: f64, pair: &RotatedPair<'s>, gap: &Gap) -> ToiResult {
        let first = round_down(t);
        let earlier = f64::from(first) - t;
        let [on_a, on_b] = self.points(f64::from(first), earlier, pair, gap);
        let [closing, growing] = self.motion.closing(t, pair, gap);
        let closing = saturated(closing + growing * earlier);
        ToiResult::Impact { t: first, normal: self.in_world(gap.normal), on_a, on_b, closing }
    }

    /// Creates the overlap at `t`.
    pub(super) fn overlapping(&self, t: f64, pair: &RotatedPair<'_>, gap: &Gap) -> ToiResult {
        let [on_a, on_b] = self.points(t, 0.0, pair, gap);
        let [closing, _] = self.motion.closing(t, pair, gap);
        // A touch that is ignored may end as an overlap a little above the target.
        let deep = greater(self.contact_distance - gap.lower, 0.0);
        let closing = saturated(closing);
        // A body that is moved by the depth must not touch, although the gap may be less by the slack and the normal is rounded. The depth of
        // very small shapes is not rounded to zero, which would be a touch.
        let most = deep * (1.0 + NORMAL_ROUNDING) + self.motion.slack;
        let depth = if deep > 0.0 { -round_down(-most) } else { 0.0 };
        let depth = depth.min(f32::MAX);
        ToiResult::Overlapping { depth, normal: self.in_world(gap.normal), on_a, on_b, closing }
    }

    /// Returns the nearest points of the surfaces at `t`, in world coordinates. `pair` is rotated as at `t - earlier`, where
    /// `earlier` is zero, or negative by at most 2⁻²³ for a `t` that was rounded down: so short a rotation is linear but for less than the rounding of
    /// the points.
    fn points(&self, t: f64, earlier: f64, pair: &RotatedPair<'_>, gap: &Gap) -> [[f32; 3]; 2] {
        let [mut on_a, mut on_b] = pair.surface(gap);
        // The nearest point of a body of revolution does not roll with it.
        let moved = |on: V3, body: &MovingShape<'_>, rotation: &M3| {
            on + body.spin(rotation).cross(on) * earlier
        };
        on_a = moved(on_a, &self.motion.a, &pair.a.rotation);
        on_b = moved(on_b, &self.motion.b, &pair.b.rotation);
        if let Some(Frame { rotation, offset }) = self.frame {
            (on_a, on_b) = (rotation.rotate(on_a), rotation.rotate(on_b + offset));
        }
        let [a, b] = self.positions;
        let [a, b] = [(&self.motion.a, a), (&self.motion.b, b)]
            .map_each(|(body, motion)| position_at(&body.shape.core, motion, t));
        [(a + on_a).to_f32(), (b + on_b).to_f32()]
    }

    /// Returns a direction in world axes.
    fn in_world(&self, direction: V3) -> [f32; 3] {
        match self.frame {
            None => direction.to_f32(),
            Some(Frame { rotation, .. }) => rotation.rotate(direction).to_f32(),
        }
    }
}
