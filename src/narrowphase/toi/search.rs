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

use super::relative_motion::{Course, RelativePath};
use super::result::{Step, Toi, ToiResult};
use super::separating_plane;
use super::separating_plane::{Band, Reach, SeparatingPlane};
use super::settings::{Settings, Touch};
use crate::geom::{MapEach, Motion, SPIN_MAX};
use crate::narrowphase::gjk::{GJK_ITERATIONS_MAX, Gap, Nearest, ROUNDING, Two, shallowest};
use crate::narrowphase::math::{V3, greater, lesser, round_down};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::Simplex;

/// Share of the difference between floor and distance that a plane must prove to be good enough; for
/// bodies that do not rotate, and for those that do, where a round costs more.
const SHARE: [f64; 2] = [0.125, 0.75];

/// Radius, relative to the size, of a ball that approximates a shape in the first guess of a direction.
const MEAN: f64 = 0.7;

/// From this round on more planes are tried in each round. Most searches are shorter.
const STRAIGHTFORWARD: u32 = 24;

/// Round at which bodies of revolution are used for bodies that make whole turns: most searches that end
/// with an impact have ended by then.
const SKIP_FROM: u32 = 8;

/// Number of rounds after which they are used again.
const SKIP_ROUNDS: u32 = 32;

/// Number of rounds for which an ignored touch is followed while it neither closes nor opens. After that
/// it is an impact: it is within the tolerance, and there was no earlier contact.
const HOVER_ROUNDS_MAX: u32 = 256;

/// The function that is called with each round of a search, if there is one. It is called through a
/// pointer, so that the search is compiled once.
pub(in crate::narrowphase) type Watch<'w> = Option<&'w mut dyn FnMut(Step)>;

/// State of one search.
pub(in crate::narrowphase) struct Search<'s> {
    pub(super) course: Course<'s>,
    pub(super) positions: [&'s Motion; 2],
    pub(super) settings: &'s Settings,
    pub(super) window: [f64; 2],
    /// Distance of the cores that counts as a contact.
    pub(super) level: f64,
    pub(super) tolerance: f64,
    /// Direction of the first support.
    pub(super) guess: V3,
    pub(super) rounds: u32,
    pub(super) supports: u32,
}

/// Goal of a round: a gap in `band`, and the distance at which the search is done.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    pub(super) band: Band,
    pub(super) accept: f64,
}

impl<'s> Search<'s> {
    /// Runs the search. `watch` is called with each round.
    #[inline]
    pub(in crate::narrowphase) fn answer(
        a: (&'s Shape<'s>, &'s Motion),
        b: (&'s Shape<'s>, &'s Motion),
        settings: &'s Settings,
        window: [f64; 2],
        mut watch: Watch<'_>,
    ) -> Toi {
        let path = RelativePath::new(a.1, b.1);
        let level = a.0.margin + b.0.margin + f64::from(settings.target_distance);
        let slack = path.slack(a.0, b.0, window[1]) + ROUNDING * level;
        let spheres = a.0.reach + b.0.reach;
        let margins = a.0.margin + b.0.margin;
        let guess = path.guess(margins + MEAN * (a.0.size + b.0.size - margins), window);
        // Both sizes count, but for a point, whose size is zero.
        let least = match (a.0.size, b.0.size) {
            (0.0, size) | (size, 0.0) => size,
            (of_a, of_b) => lesser(of_a, of_b),
        };
        let wanted = f64::from(settings.tolerance) * least;
        // The balls around both positions do not depend on the rotation. If they are further apart than a
        // touch may be, only the times at which they meet matter, whatever the spin.
        let [from, to] = window;
        let gap = guess.dot(path.between(from)) - spheres;
        let turned = 16.0 * f64::EPSILON * f64::from(SPIN_MAX) * spheres;
        if gap - level > greater(wanted, 16.0 * (slack + turned)) {
            let band = Band { floor: level + slack, lift: f64::INFINITY };
            let plane = SeparatingPlane { t: from, normal: guess, gap };
            if separating_plane::straight(&path, &plane, &band, to) == Reach::End {
                if let Some(watch) = &mut watch {
                    watch(told(from, gap - margins - slack - turned, guess));
                }
                return Toi { result: ToiResult::Separated, rounds: 1, supports: 0 };
            }
        }
        let course = Course::new(a, b, path, slack);
        let tolerance = greater(wanted, 16.0 * course.slack);
        let mut search = Self {
            course,
            positions: [a.1, b.1],
            settings,
            window,
            level,
            tolerance,
            guess,
            rounds: 0,
            supports: 0,
        };
        let result = search.run(&mut watch);
        Toi { result, rounds: search.rounds, supports: search.supports }
    }

    pub(super) fn run(&mut self, watch: &mut Watch<'_>) -> ToiResult {
        let [from, to] = self.window;
        let straight = self.course.is_straight();
        let mut aim = self.aim();
        let mut t = from;
        let mut two = self.course.at(t);
        let mut simplex = Simplex::default();
        let mut normal = self.guess;
        // Proved lower bound of the gap along the normal.
        let mut known = f64::NEG_INFINITY;
        let (mut stuck, mut skip_at) = (false, SKIP_FROM);
        // Whether no plane has led to `t` yet.
        let mut fresh = true;
        loop {
            if self.rounds >= skip_at && aim.band.lift == f64::INFINITY && self.whirls(t) {
                let Some(until) = self.skip(t, watch) else { return ToiResult::Separated };
                skip_at = self.rounds + SKIP_ROUNDS;
                if until > t {
                    (t, two, fresh) = (until, self.course.at(until), true);
                    (normal, simplex.len, known) = (self.guess, 0, f64::NEG_INFINITY);
                }
            }
            if !self.has_rounds() {
                return ToiResult::Unresolved { t_safe: round_down(t) };
            }
            self.rounds += 1;
            let x = self.course.between(t);
            let first = self.rounds == 1;
            let mut found = self.nearest(&two, x, &mut simplex, (normal, known), (&aim, fresh));
            self.show(watch, t, found.lower, found.plane);
            let (mut inside, shown) = (None, found.plane);
            if first && found.upper <= aim.accept {
                let touch = self.touch(&two, t, x, &found, &simplex);
                let Ok(touch) = touch else { return touch.unwrap_err() };
                (aim, found) = self.passed_over(&two, x, (found, touch), &mut simplex);
            }
            if found.upper == 0.0 && aim.band.floor < 0.0 {
                // The cores touch, and that is ignored: their gap is negative.
                let gap = shallowest(&two, x, found.plane);
                (found.lower, found.upper, found.plane) = (gap.lower, gap.lower, gap.normal);
                found.support = two.support(gap.normal);
                inside = Some(gap);
            }
            if found.lower >= aim.band.lift {
                aim = self.aim();
            }
            let passing = aim.band.lift < f64::INFINITY;
            let lost = stuck && found.lower <= aim.band.floor;
            let hovers = passing
                && (lost || self.rounds >= HOVER_ROUNDS_MAX)
                && self.settings.touch == Touch::IfClosing
                && found.upper <= self.level + self.tolerance;
            if found.upper <= aim.accept || hovers {
                // If the cores meet, the plane that led here is better than one without a gap.
                let slim = self.is_slim() && !fresh;
                let gap = inside.unwrap_or_else(|| {
                    let gap = found.gap(x, &simplex);
                    if slim { Gap { normal, out: normal, ..gap } } else { gap }
                });
                return if passing && self.settings.touch == Touch::Ignore {
                    self.overlapping(t, &two, &gap)
                } else {
                    self.impact(t, &two, &gap)
                };
            }
            if found.lower <= aim.band.floor {
                // No plane proves the distance of the simplex: restart once, then give up.
                if stuck {
                    return ToiResult::Unresolved { t_safe: round_down(t) };
                }
                (stuck, fresh, normal, simplex.len) = (true, false, found.plane, 0);
                known = f64::NEG_INFINITY;
                continue;
            }
            (stuck, fresh) = (false, false);
            let mut reach = self.reach(&two, (t, to), &found, &simplex, &aim.band);
            if passing || self.rounds > STRAIGHTFORWARD {
                let others = (inside.map(|_| shown), &found);
                reach = self.longest(reach, &two, (t, to), others, &simplex, &aim.band);
            }
            match reach {
                Reach::End => return ToiResult::Separated,
                Reach::Until { t: until, normal: then, lifted } => {
                    (t, normal, known) = (until, then, aim.band.floor);
                    if lifted {
                        aim = self.aim();
                    }
                }
            }
            // The point of the plane is where the shapes will meet. If the cores touch, the simplex is
            // full.
            if simplex.len < 4 && !simplex.has(&found.support) {
                simplex.push(found.support);
            }
            if straight && aim.band.lift == f64::INFINITY {
                if self.is_slim() && self.has_rounds() {
                    match self.portal(&two, &mut simplex, normal, &aim, [t, to], watch) {
                        None => return ToiResult::Separated,
                        Some((until, then)) => (t, normal) = (until, then),
                    }
                    let met = self.met(&two, t, &simplex, normal, &aim);
                    if let Some(gap) = met.filter(|_| self.has_rounds()) {
                        self.rounds += 1;
                        self.show(watch, t, gap.lower, normal);
                        return self.impact(t, &two, &gap);
                    }
                }
                match self.chase(&two, &mut simplex, &aim, [t, to], watch) {
                    None => return ToiResult::Separated,
                    Some((until, then)) => (t, normal) = (until, then.unwrap_or(normal)),
                }
            }
            if !straight {
                two = self.course.at(t);
                simplex.turned(&two);
            }
        }
    }

    /// Returns until when the plane of `found` separates.
    #[inline(always)]
    fn reach(
        &mut self,
        two: &Two<'_>,
        (t, to): (f64, f64),
        found: &Nearest,
        simplex: &Simplex,
        band: &Band,
    ) -> Reach {
        let plane = SeparatingPlane { t, normal: found.plane, gap: found.lower };
        if self.course.is_straight() {
            return separating_plane::straight(&self.course.path, &plane, band, to);
        }
        let (reach, steps) =
            separating_plane::turning(&self.course, two, (&plane, found), simplex, band, to);
        self.supports += steps;
        reach
    }

    /// Returns the longest of `reach` and the times until which other planes separate, for a touch that is
    /// ignored.
    ///
    /// If a corner rests on a corner, many planes have about the same gap, and the best of them may be at
    /// the edge of that range, so that it is the first to fail. Planes that are likely to separate for
    /// long are the plane that led here, the planes across an axis of rotation, which the rotation does
    /// not change, and the plane of the gap rotating with one of the bodies.
    fn longest(
        &mut self,
        mut reach: Reach,
        two: &Two<'_>,
        (t, to): (f64, f64),
        (led, found): (Option<V3>, &Nearest),
        simplex: &Simplex,
        band: &Band,
    ) -> Reach {
        let later = |old: Reach, new: Reach| match (old, new) {
            (Reach::Until { t: old, .. }, Reach::Until { t: new, .. }) => new > old,
            (old, _) => old != Reach::End,
        };
        let open = |reach: &Reach| matches!(reach, Reach::Until { lifted: false, .. });
        let x = self.course.between(t);
        let turns = [self.course.a.turn, self.course.b.turn];
        let axes = turns.map_each(|turn| {
            let axis = turn.spin.unit()?;
            Some(if axis.dot(found.plane) < 0.0 { -axis } else { axis })
        });
        for normal in [led, axes[0], axes[1]].into_iter().flatten() {
            if !open(&reach) {
                return reach;
            }
            let other = Nearest::along(two, x, normal);
            self.supports += 1;
            if other.lower > band.floor {
                let next = self.reach(two, (t, to), &other, simplex, band);
                reach = if later(reach, next) { next } else { reach };
            }
        }
        let plane = SeparatingPlane { t, normal: found.plane, gap: found.lower };
        for turn in turns {
            if open(&reach) && turn.rate > 0.0 {
                let planes = (&plane, found);
                let (next, steps) =
                    separating_plane::turning_with(&self.course, two, planes, turn, band, to);
                self.supports += steps;
                reach = if later(reach, next) { next } else { reach };
            }
        }
        reach
    }

    /// Returns the gap at `t`, along a plane that led there, if three points prove that the cores are near
    /// enough.
    fn met(&self, two: &Two<'_>, t: f64, simplex: &Simplex, normal: V3, aim: &Aim) -> Option<Gap> {
        let x = self.course.between(t);
        let weights = simplex.weights(x);
        let (on_a, on_b) = (simplex.on_a(&weights), simplex.on_b(&weights));
        let way = x - two.vertex(on_a, on_b).at;
        let met = simplex.len == 3 && way.square() <= aim.accept * aim.accept;
        met.then_some(Gap { lower: aim.band.floor, normal, out: normal, on_a, on_b })
    }

    /// Continues from a time before any contact, for bodies that do not rotate: each support moves the
    /// time forward if its plane proves a gap. Stops if the simplex is near, or there is no progress; the
    /// rounds decide what that means.
    #[inline]
    fn chase(
        &mut self,
        two: &Two<'_>,
        simplex: &mut Simplex,
        aim: &Aim,
        [from, to]: [f64; 2],
        watch: &mut Watch<'_>,
    ) -> Option<(f64, Option<V3>)> {
        let Aim { band: Band { floor, .. }, accept } = *aim;
        let (mut t, mut led, mut square) = (from, None, f64::INFINITY);
        let (mut supports, mut rounds) = (0, 0);
        while supports < GJK_ITERATIONS_MAX && self.rounds + rounds < self.settings.rounds_max {
            let x = self.course.between(t);
            let [way, toward] = simplex.reduce(x);
            let now = way.square();
            if now <= accept * accept || simplex.len == 4 {
                break;
            }
            supports += 1;
            let vertex = two.support(toward);
            let normal = toward * (1.0 / toward.length());
            let gap = normal.dot(x - vertex.at);
            let has = simplex.has(&vertex);
            if gap > floor {
                self.show(watch, t, gap, normal);
                let rate = normal.dot(self.course.velocity(t));
                let bend = 0.5 * normal.dot(self.course.path.accel);
                t += first_root(gap - floor, rate, bend);
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

    /// Returns whether the contact distance is (almost) that of the cores themselves.
    fn is_slim(&self) -> bool {
        self.level <= 4.0 * self.tolerance
    }

    /// Returns the goal of a search without a touch at the start.
    fn aim(&self) -> Aim {
        let band = Band { floor: self.level + self.course.slack, lift: f64::INFINITY };
        Aim { band, accept: self.level + self.tolerance }
    }

    // Inlined into both the observed search and the plain one, because it is called in each round.
    #[inline(always)]
    fn nearest(
        &mut self,
        two: &Two<'_>,
        x: V3,
        simplex: &mut Simplex,
        guess: (V3, f64),
        (aim, first): (&Aim, bool),
    ) -> Nearest {
        let (level, tolerance, floor, accept) =
            (self.level, self.tolerance, aim.band.floor, aim.accept);
        let share = SHARE[usize::from(!self.course.is_straight())];
        let sharp = tolerance * (1.0 / 16.0);
        let slim = self.is_slim();
        let found = two.nearest(x, simplex, guess, self.course.slack, |lower, upper| {
            if first {
                lower > level + tolerance || upper - lower <= sharp
            } else if upper <= accept {
                slim || upper - lower <= sharp
            } else {
                lower - floor >= share * (upper - floor)
            }
        });
        self.supports += found.supports;
        found
    }

    /// Reports a round to the observer, for a gap of the cores along a plane.
    pub(super) fn show(&self, watch: &mut Watch<'_>, t: f64, gap: f64, normal: V3) {
        if let Some(watch) = watch {
            let margins = self.course.a.shape.margin + self.course.b.shape.margin;
            watch(told(t, gap - margins - self.course.slack, normal));
        }
    }

    /// Evaluates a touch at the start: returns a result, or the gap of a touch that is ignored.
    fn touch(
        &self,
        two: &Two<'s>,
        t: f64,
        x: V3,
        found: &Nearest,
        simplex: &Simplex,
    ) -> Result<f64, ToiResult> {
        let gap =
            if found.upper > 0.0 { found.gap(x, simplex) } else { shallowest(two, x, found.plane) };
        let distance = if found.upper > 0.0 { found.upper } else { gap.lower };
        if distance < self.level - self.tolerance {
            return Err(self.overlapping(t, two, &gap));
        }
        let [closing, growing] = self.course.closing(t, two, &gap);
        let closes = closing > 0.0 || closing == 0.0 && growing > 0.0;
        let counts = match self.settings.touch {
            Touch::Hit => true,
            Touch::IfClosing => closes,
            Touch::Ignore => false,
        };
        if counts { Err(self.impact(t, two, &gap)) } else { Ok(gap.lower) }
    }

    /// Returns the goal of a search after an ignored touch at the start, whose gap is at least `lower`;
    /// and the distance, improved if necessary.
    fn passed_over(
        &mut self,
        two: &Two<'s>,
        x: V3,
        (mut found, mut lower): (Nearest, f64),
        simplex: &mut Simplex,
    ) -> (Aim, Nearest) {
        let (level, slack) = (self.level, self.course.slack);
        let least = level + 4.0 * slack;
        // Whether the gap is really above the target must be known more exactly than the tolerance.
        if found.upper > least && lower <= least {
            let guess = (found.plane, found.lower);
            let sharp = |lower: f64, upper: f64| upper <= least || lower > least;
            let next = two.nearest(x, simplex, guess, slack, sharp);
            self.supports += next.supports;
            if next.lower > lower {
                (found, lower) = (next, next.lower);
            }
        }
        let lift = level + 2.0 * self.tolerance;
        // A real gap keeps its contact distance: reaching that is a contact. A touch may get deeper by as
        // much as the depth of a touch may be.
        let (floor, accept) = if lower > least {
            (level + slack, level + 0.5 * (lower - level))
        } else {
            (lower - self.tolerance, lower - 0.75 * self.tolerance)
        };
        (Aim { band: Band { floor, lift }, accept }, found)
    }

    /// Creates the impact at `t`. Points and closing speed are those at that time.
    fn impact(&self, t: f64, two: &Two<'s>, gap: &Gap) -> ToiResult {
        let told = round_down(t);
        let t = f64::from(told);
        let told_two;
        let two = if self.course.is_straight() {
            two
        } else {
            told_two = self.course.at(t);
            &told_two
        };
        let [on_a, on_b] = self.points(t, two, gap);
        let [closing, _] = self.course.closing(t, two, gap);
        let closing = saturated(closing);
        ToiResult::Impact { t: told, normal: gap.normal.to_f32(), on_a, on_b, closing }
    }

    fn overlapping(&self, t: f64, two: &Two<'_>, gap: &Gap) -> ToiResult {
        let [on_a, on_b] = self.points(t, two, gap);
        let [closing, _] = self.course.closing(t, two, gap);
        let (depth, closing) = (saturated(self.level - gap.lower), saturated(closing));
        ToiResult::Overlapping { depth, normal: gap.normal.to_f32(), on_a, on_b, closing }
    }

    /// Returns the nearest points of the surfaces, in world coordinates.
    fn points(&self, t: f64, two: &Two<'_>, gap: &Gap) -> [[f32; 3]; 2] {
        let at = |motion: &Motion| {
            let [start, delta, accel] =
                [motion.pose.position, motion.delta, motion.accel].map_each(V3::of);
            start + (delta + accel * (0.5 * t)) * t
        };
        let [a, b] = self.positions;
        let on_a = two.a.rotation.turn(gap.on_a) + gap.out * two.a.shape.margin;
        let on_b = two.b.rotation.turn(gap.on_b) - gap.out * two.b.shape.margin;
        [(at(a) + on_a).to_f32(), (at(b) + on_b).to_f32()]
    }
}

/// Returns the nearest finite `f32`.
fn saturated(x: f64) -> f32 {
    (x as f32).clamp(f32::MIN, f32::MAX)
}

pub(super) fn told(t: f64, gap: f64, normal: V3) -> Step {
    Step { t: round_down(t), gap: round_down(gap), normal: normal.to_f32() }
}
