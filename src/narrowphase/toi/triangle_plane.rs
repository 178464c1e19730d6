//! The plane of a triangle: until when it separates, and where a shape touches it.
//!
//! ```text
//! until_plane    the bounding ball, or the shape if it does not rotate, reaches the plane
//! follow         a shape that rotates reaches it, interval by interval              (separating_plane.rs)
//! at_inside      the point that reaches it is above the inside of the triangle: that is the contact
//! is_not_earlier a plane at the best impact so far separates until then
//! slides_until   the shape slides along the plane
//! until_deeper   the shape slides along other planes
//! in_front       the times at which a one-sided triangle counts, and whether it does at the start (counts_at_start)
//! ```

use super::part_search::{BestPlanes, Part, PartSearch, Plan, Planned};
use super::relative_motion::{MovingShape, RelativeMotion, RelativePath};
use super::result::{Toi, ToiResult};
use super::separating_plane::{self, GapRange, SafeTime, SeparatingPlane};
use super::settings::{TOI_ROUNDS_MAX, Touch};
use super::touch::{self, speeds};
use super::triangle::Triangle;
use crate::geom::MapEach;
use crate::narrowphase::gjk::{Gap, Nearest};
use crate::narrowphase::math::{M3, V3, greater, greater_or_nan, lesser};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::rotation::Rotation;

/// Greatest number of intervals for which the plane of a triangle is followed before a search.
const FOLLOWS_MAX: u8 = 8;

/// Least limit of the intervals for which a plane is followed along which a rotating shape slides; otherwise it is that of the rounds of a search.
const SLIDE_PLANES_MIN: u32 = 16;

/// How far a corner may be off the computed plane of a triangle that counts as flat, relative to the tolerance. Only corners of
/// needles are off by more.
const OFF_PLANE: f64 = 1.0 / 16.0;

/// Greatest depth at which a shape counts as touching a part, relative to the tolerance. An overlap is deeper than the tolerance; this is
/// less because of rounding.
const OVERLAP: f64 = 0.75;

/// By how much a shape that slides along a plane may get deeper, relative to the tolerance.
const DEEPER: f64 = 0.75;
/// How deep such a shape may be at most, relative to the tolerance.
const DEEPEST: f64 = 1.75;

/// The gap at which a slide along a plane ends, relative to the tolerance.
const HIGHEST: f64 = 2.0;

/// How far the position of a shape may be behind the plane of a one-sided triangle that its surface touches, relative to the tolerance: as deep as it may
/// get during a slide, and then some.
const BEHIND: f64 = 2.0;

/// Greatest number of steps to the time at which a rotating shape is in front of a triangle.
const FRONT_STEPS_MAX: u32 = 64;

/// How a shape rotates during a window.
struct AngularSweep {
    /// Bound of the deviation of an extent from the line between both ends.
    deviation: f64,
    /// Sine and cosine of the angle at both ends.
    ends: [(f64, f64); 2],
}

impl PartSearch<'_> {
    /// How far the core of the shape extends along a direction at any time of the tick.
    pub(super) fn reach(&self, direction: V3) -> f64 {
        if self.mover.rotation.rate == 0.0 {
            self.mover.support_value(direction, 0.0)
        } else {
            self.mover.shape.bounding_radius
        }
    }

    /// Does what [`PartSearch::reach`] does, and returns the farthest point in the shape's own axes, if the shape does not rotate.
    fn reach_and_point(&self, direction: V3) -> (f64, V3) {
        let Self { mover, .. } = self;
        if mover.rotation.rate == 0.0 {
            mover.shape.core.value_and_support(mover.start.rotate_back(direction))
        } else {
            (mover.shape.bounding_radius, V3::ZERO)
        }
    }

    /// Returns whether the surface of the shape touches the plane from the front, where its position is behind the plane by no more than rounding and
    /// the depth of a touch explain.
    fn touches_from_front(
        &self,
        triangle: &Triangle,
        path: &RelativePath,
        front: V3,
        t: f64,
    ) -> bool {
        let deepest = -BEHIND * triangle.accuracy.tolerance;
        let height = -front.dot(path.between(t));
        let is_near = height < 0.0 && height >= deepest;
        is_near && {
            let [below, above] = [-front, front].map_each(|to| self.mover.support_value(to, t));
            let [gap, back_gap] = [height - below, -height - above];
            let highest = self.contact_distance + triangle.accuracy.tolerance;
            // Comparisons with NaN are false.
            gap >= back_gap && gap <= highest && gap - self.mover.shape.radius >= deepest
        }
    }

    /// Returns whether a part counts at the start of the window: any but a one-sided triangle that the position of the shape is behind.
    pub(crate) fn counts_at_start(&self, part: &Part<'_>) -> bool {
        let Part::Triangle(corners) = part else { return true };
        if !self.one_sided {
            return true;
        }
        let triangle = self.about_corner(corners);
        let Some(front) = triangle.normal() else { return true };
        let start = f64::from(self.settings[0].window[0]);
        let path = self.path.shifted(triangle.first);
        let [first, _] = self.in_front(&triangle, &path, front, ([start; 2], false));
        first.is_some_and(|(crossed, _)| !crossed)
    }

    /// Returns the parts of the window in which the position of the shape is in front of the plane, and whether it
    /// came to the front at the start of each. If the shape was not apart from the triangle before, a touch from the front counts as in front.
    pub(super) fn in_front(
        &self,
        triangle: &Triangle,
        path: &RelativePath,
        front: V3,
        ([from, to], was_apart): ([f64; 2], bool),
    ) -> [Option<(bool, [f64; 2])>; 2] {
        let mut found = [None; 2];
        let (mut t, mut crossed) = (from, false);
        let touches = !was_apart && self.touches_from_front(triangle, path, front, from);
        let mut behind =
            if touches { BEHIND * triangle.accuracy.tolerance } else { triangle.accuracy.slack };
        for part in &mut found {
            // The position is relative to the triangle, and `path` leads from the shape to the triangle.
            let height = |t: f64| -front.dot(path.between(t)) + behind;
            let rate = |t: f64| -front.dot(path.velocity(t));
            let half_accel = -0.5 * front.dot(path.accel);
            if height(t) < 0.0 {
                t += first_root(-height(t), -rate(t), -half_accel);
                crossed = true;
            }
            if t > to {
                break;
            }
            // The end is a little behind the plane, so that rounding does not end a part at once.
            let end = t + first_root(height(t) + triangle.accuracy.slack, rate(t), half_accel);
            *part = Some((crossed, [t, lesser(end, to)]));
            if end >= to {
                break;
            }
            t = end;
            t = greater(t, from);
            crossed = true;
            behind = triangle.accuracy.slack;
        }
        found
    }

    /// Returns the first time at which a shape that came from behind is wholly in front of the triangle.
    ///
    /// While a shape rotates, that is found by steps. Its extent changes by at most its rate times its radius, and is at least that of the point that is
    /// lowest now, which follows a circle: both bound how soon it can be in front. If that takes too many steps, it is the time at which a
    /// ball around its position is in front.
    pub(super) fn in_front_from(
        &self,
        triangle: &Triangle,
        path: &RelativePath,
        front: V3,
        start: f64,
    ) -> f64 {
        let Self { mover, .. } = self;
        let tolerance = triangle.accuracy.tolerance;
        let beyond = triangle.beyond_plane(front, OFF_PLANE * tolerance);
        let most = self.contact_distance + 2.0 * tolerance;
        // How far a shape that extends by `reach` is from being in front.
        let below = |t: f64, reach: f64| most + reach + beyond + front.dot(path.between(t));
        // When it is at the earliest, if the rate of its extent is at least `rate`, and that changes by at least `accel`.
        let after = |t: f64, below: f64, rate: f64, accel: f64| {
            let rate = front.dot(path.velocity(t)) + rate;
            t + first_root(below, rate, 0.5 * (front.dot(path.accel) + accel))
        };
        let of_ball = below(start, self.reach(-front));
        // The support map of the caller has returned an invalid point, at which a search will end.
        if of_ball.is_nan() {
            return start;
        }
        let last = after(start, of_ball, 0.0, 0.0);
        if mover.rotation.rate == 0.0 {
            return last;
        }
        let fastest = mover.rotation.rate * mover.shape.bounding_radius;
        let mut t = start;
        for _ in 0..FRONT_STEPS_MAX {
            if t >= last || t > 1.0 {
                break;
            }
            let rotation = mover.rotation_at(t);
            let lowest = rotation.rotate(mover.shape.core.support(rotation.rotate_back(-front)));
            let behind = below(t, -front.dot(lowest));
            // A little less is in front too, so that the steps end. A comparison with NaN is false.
            let still = behind > 0.5 * tolerance;
            if !still {
                return t;
            }
            let rate = -front.dot(mover.rotation.spin.cross(lowest));
            let of_lowest = after(t, behind, rate, -mover.rotation.rate * fastest);
            t = greater(after(t, behind, -fastest, 0.0), of_lowest);
        }
        last
    }

    /// Returns the normal of the plane of a triangle from the shape to the triangle, where the plane is at a distance from the position of the shape along
    /// `front`. If that is within the tolerance, the position may be on the surface of the shape, so the side is that with the greater gap.
    fn toward(&self, triangle: &Triangle, front: V3, height: f64) -> V3 {
        let is_behind = || -height - self.reach(-front) > height - self.reach(front);
        let is_near = height.abs() <= triangle.accuracy.tolerance;
        if self.one_sided || height < 0.0 && !is_near || is_near && is_behind() {
            -front
        } else {
            front
        }
    }

    /// Returns the plan that starts when the plane of a triangle no longer separates, and the end of its search, or `None` if the start is after that.
    /// The end is the given one, but a shape that slides along the plane until a later time is searched until `to`. If the shape does
    /// not rotate, also returns its point that is nearest to the plane, in its own axes.
    pub(super) fn until_plane(
        &self,
        plan: Plan,
        triangle: &Triangle,
        front: V3,
        [end, to]: [f64; 2],
    ) -> Option<(Plan, f64, V3)> {
        let path = self.path.shifted(triangle.first);
        let Plan { mut start, mut later, .. } = plan;
        let mut reaches_plane = false;
        let (touched, still_slides) = self.slides_until(triangle, &path, front, to);
        let slides = touched > start;
        let to = if slides && touched > end { to } else { end };
        if slides {
            // A shape that still slides is followed by the search, as one that touches at the start.
            (start, later) = (touched, !still_slides);
        }
        if start > to {
            return None;
        }
        let height = front.dot(path.between(start));
        let toward = self.toward(triangle, front, height);
        let (reach, farthest) = self.reach_and_point(toward);
        let gap = toward.dot(path.between(start)) - reach;
        let aim = self.contact_distance + 0.5 * triangle.accuracy.tolerance;
        if gap > aim {
            let gap = gap - triangle.beyond_plane(-toward, OFF_PLANE * triangle.accuracy.tolerance);
            let rate = toward.dot(path.velocity(start));
            let until = start + first_root(gap - aim, rate, 0.5 * toward.dot(path.accel));
            if until > to {
                return None;
            }
            if until > start {
                (start, later, reaches_plane) = (until, true, self.mover.rotation.rate == 0.0);
            }
        }
        let deepens = slides && !still_slides && start == touched;
        let follows = if slides || self.mover.rotation.rate == 0.0 { 0 } else { FOLLOWS_MAX };
        let plane = Some(toward);
        Some((Plan { start, plane, deepens, reaches_plane, follows, later, ..plan }, to, farthest))
    }

    /// Follows the plane of a triangle to the end of an interval, for a shape that rotates: the plan is then later, or may not be
    /// followed any more.
    pub(super) fn follow(&self, plan: &Plan, triangle: &Triangle, to: f64) -> Planned {
        let done = Plan { follows: 0, ..*plan };
        let Some(toward) = plan.plane else { return Planned::Search(done) };
        let slack = triangle.accuracy.tolerance * (1.0 / 16.0);
        let shape = triangle.shape();
        let part = MovingShape::at_rest(&shape, M3::IDENTITY);
        let path = self.path.shifted(triangle.first);
        let motion = RelativeMotion { a: self.mover, b: part, path, slack };
        let pair = motion.at(plan.start);
        let gap = Nearest::along(&pair, motion.between(plan.start), toward);
        // A comparison with NaN is false.
        let is_far = gap.lower > self.contact_distance + triangle.accuracy.tolerance;
        if !is_far {
            let found = self.at_inside(&done, triangle, &pair.a.rotation, gap.support.on_a);
            return found.map_or(Planned::Search(done), Planned::Found);
        }
        let range = GapRange { min: self.contact_distance + slack, max: f64::INFINITY };
        let plane = SeparatingPlane { t: plan.start, normal: toward, gap: gap.lower };
        let (planes, still) = ((&plane, &gap), Rotation::new(V3::ZERO));
        let (safe, _) = separating_plane::rotating_with(&motion, &pair, planes, still, &range, to);
        match safe {
            SafeTime::End => Planned::Separated,
            SafeTime::Until { t, .. } if t > plan.start => Planned::Search(Plan {
                start: t,
                later: true,
                reaches_plane: true,
                follows: plan.follows - 1,
                ..*plan
            }),
            SafeTime::Until { .. } => Planned::Search(done),
        }
    }

    /// Returns the impact at the start of a plan, if the farthest point of the shape is above the
    /// inside of a flat triangle there. Then its distance from the triangle is the gap to the plane. `rotation` is that of the
    /// shape there, and `on_a` the farthest point in its own axes.
    pub(super) fn at_inside(
        &self,
        plan: &Plan,
        triangle: &Triangle,
        rotation: &M3,
        on_a: V3,
    ) -> Option<Toi> {
        let toward = plan.plane.filter(|_| plan.reaches_plane)?;
        // From the first corner.
        let point = rotation.rotate(on_a) - self.path.shifted(triangle.first).between(plan.start);
        let gap = -toward.dot(point);
        let on_b = point + toward * gap;
        let [second, third] = triangle.sides;
        let edges = [(V3::ZERO, second), (second, third - second), (third, -third)];
        let sides = edges.map_each(|(from, along)| along.cross(on_b - from).dot(toward));
        // Comparisons with NaN are false.
        let inside = sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0);
        let near = gap <= self.contact_distance + triangle.accuracy.tolerance;
        let limit = OFF_PLANE * triangle.accuracy.tolerance;
        let is_flat =
            || [toward, -toward].iter().all(|&to| triangle.beyond_plane(to, limit) == 0.0);
        (inside && near && is_flat()).then(|| {
            let gap = Gap { lower: gap, normal: toward, out: toward, on_a, on_b };
            let part = triangle.shape();
            let part = MovingShape::at_rest(&part, M3::IDENTITY);
            let window = [plan.start; 2];
            let search = self.search_of(
                part,
                (triangle.first, triangle.accuracy),
                toward,
                window,
                plan.later,
            );
            let result = search.impact(plan.start, &search.motion.at(plan.start), &gap);
            Toi { result, rounds: 1, supports: 1 }
        })
    }

    /// Returns the bound of how far the core of a rotating shape extends during a window.
    fn angular_sweep(&self, [from, to]: [f64; 2]) -> AngularSweep {
        let Self { mover, .. } = self;
        let rotated = (to - from) * mover.rotation.rate;
        let deviation = 0.125 * rotated * rotated * mover.shape.bounding_radius;
        // Then the ends are not used.
        let deviates = deviation >= mover.shape.bounding_radius;
        // Seen from the shape, directions rotate backwards.
        let angle = |t: f64| if deviates { (0.0, 1.0) } else { mover.rotation.sincos(-t) };
        let ends = [from, to].map_each(angle);
        AngularSweep { deviation, ends }
    }

    /// How far the core of a rotating shape extends along a direction at any time of a window: no farther than the
    /// line between both ends and the deviation from it (`path_box.rs`), nor than the bounding radius.
    fn reach_during(&self, direction: V3, sweep: &AngularSweep) -> f64 {
        let Self { mover, .. } = self;
        let radius = mover.shape.bounding_radius;
        if sweep.deviation >= radius {
            return radius;
        }
        let ends = sweep.ends.map_each(|angle| {
            let own = mover.start.rotate_back(mover.rotation.direction_by(angle, direction));
            mover.shape.core.support_value(own)
        });
        let most = greater_or_nan(ends[0], ends[1]) + sweep.deviation;
        // The support map of the caller may return NaN, which is not less.
        if most < radius { most } else { radius }
    }

    /// Returns the planes at an impact or overlap, for the parts that are searched next.
    pub(crate) fn planes_of(&self, result: &ToiResult) -> Option<BestPlanes> {
        let first = self.settings[0].window[0];
        match *result {
            ToiResult::Impact { t, normal, .. } if t > first => self.planes(t, normal, 0.0),
            ToiResult::Impact { normal, .. } => self.planes_at_touch(normal, 0.0),
            ToiResult::Overlapping { normal, depth, .. } => {
                self.planes(first, normal, f64::from(depth))
            }
            _ => None,
        }
    }

    /// Returns the planes at a touch or overlap at the start of the window: parts that get no deeper than `depth`, to within the tolerance,
    /// are separated by them.
    pub(crate) fn planes_at_touch(&self, normal: [f32; 3], depth: f32) -> Option<BestPlanes> {
        let deep = f64::from(depth) + OVERLAP * self.tolerance;
        self.planes(self.settings[0].window[0], normal, deep)
    }

    fn planes(&self, t: f32, normal: [f32; 3], deep: f64) -> Option<BestPlanes> {
        let normal = self.frame.rotate_back(V3::of(normal)).unit();
        let normal = normal.filter(|_| self.is_fixed_frame())?;
        let rotation = self.mover.rotation_at(f64::from(t));
        let axes = [0, 1, 2].map_each(|axis| rotation.axis(axis));
        let cosines = axes.map_each(|axis| axis.dot(normal));
        let nearest =
            (1..3).fold(0, |best, k| if cosines[k].abs() > cosines[best].abs() { k } else { best });
        let axis = if cosines[nearest] < 0.0 { -axes[nearest] } else { axes[nearest] };
        let planes = [normal, axis].map_each(|normal| (normal, self.reach(normal)));
        Some(BestPlanes { planes, deep })
    }

    /// Returns whether a triangle is proved not to count for more than the best contact so far, at the end of the window: a plane at that
    /// contact separates it, or its own plane, if the shape rotates.
    pub(super) fn is_not_earlier(
        &self,
        plan: &Plan,
        triangle: &Triangle,
        best: &BestPlanes,
        to: f64,
    ) -> bool {
        let path = self.path.shifted(triangle.first);
        let window = [plan.start, to];
        let sweep = (self.mover.rotation.rate > 0.0).then(|| self.angular_sweep(window));
        let own = plan.plane.filter(|_| sweep.is_some()).map(|normal| (normal, 0.0));
        best.planes.into_iter().chain(own).any(|(normal, reach)| {
            let reach = sweep.as_ref().map_or(reach, |sweep| self.reach_during(normal, sweep));
            self.is_later(triangle, &path, (normal, reach - best.deep), window)
        })
    }

    /// Returns whether a plane separates the triangle for the whole window: its direction, and how far the shape
    /// extends along it.
    fn is_later(
        &self,
        triangle: &Triangle,
        path: &RelativePath,
        (normal, reach): (V3, f64),
        [from, to]: [f64; 2],
    ) -> bool {
        let least =
            triangle.least(normal) - reach - self.contact_distance - 2.0 * triangle.accuracy.slack;
        let gap = normal.dot(path.between(from)) + least;
        let rate = normal.dot(path.velocity(from));
        gap > 0.0 && from + first_root(gap, rate, 0.5 * normal.dot(path.accel)) > to
    }

    /// Returns until when the shape slides along the plane of a triangle, or the start if it does not, as [`PartSearch::slides_along`].
    pub(super) fn slides_until(
        &self,
        triangle: &Triangle,
        path: &RelativePath,
        front: V3,
        to: f64,
    ) -> (f64, bool) {
        let from = f64::from(self.settings[0].window[0]);
        if self.settings[0].touch == Touch::Hit {
            return (from, false);
        }
        let height = front.dot(path.between(from));
        let toward = self.toward(triangle, front, height);
        let gap = toward.dot(path.between(from)) - self.reach(toward) - self.contact_distance;
        // For a shape that rotates this gap is a lower bound.
        let straight = self.mover.rotation.rate == 0.0;
        // Comparisons with NaN are false: an invalid point of the caller's support map is left to the search.
        let may_touch = gap <= triangle.accuracy.tolerance
            && (!straight || gap >= -triangle.accuracy.tolerance);
        if !may_touch {
            return (from, false);
        }
        let may_close = self.settings[0].touch == Touch::Ignore;
        self.slides_along(
            (triangle, path),
            toward,
            [from, to],
            ([triangle.accuracy.tolerance; 2], may_close),
        )
    }

    /// Returns the plan that starts when the shape no longer slides along any of these planes, which are directions from the shape.
    #[cold]
    pub(super) fn until_deeper(
        &self,
        plan: Plan,
        triangle: &Triangle,
        planes: &[V3],
        to: f64,
    ) -> Plan {
        let (mut plan, path) = (plan, self.path.shifted(triangle.first));
        // A shape that slid for an earlier part of the tick may be deeper or higher than a touch by now.
        let range = [DEEPEST, HIGHEST].map_each(|of| of * triangle.accuracy.tolerance);
        for &toward in planes {
            let window = [plan.start, to];
            let (until, still_slides) =
                self.slides_along((triangle, &path), toward, window, (range, false));
            if until > plan.start {
                plan = Plan { start: until, later: !still_slides, deepens_in_other: true, ..plan };
            }
            if until > to {
                break;
            }
        }
        plan
    }

    /// Returns whether the shape closes on a plane faster than the rounding of its velocity or acceleration explains.
    fn closes_surely(&self, t: f64, closing: [f64; 2]) -> bool {
        let mover = &self.mover;
        let (speed, accels) = speeds(self.positions, t);
        let spin_speed = mover.rotation.rate * mover.shape.reach();
        let sums = [speed + spin_speed, accels + mover.rotation.rate * spin_speed];
        touch::closes_surely(closing, sums)
    }

    /// Returns until when the shape slides along a plane on the triangle: infinity for the whole window, and the start if it does not slide.
    /// It slides if at the start it is at most `deep` below the plane and at most `high` above it, and does not close on it, or `may_close`. The slide
    /// ends when the shape gets deeper by [`DEEPER`], or higher than [`HIGHEST`]. Also returns whether the shape still slides at the returned time,
    /// within the tolerance, because the limit of intervals ended the loop.
    fn slides_along(
        &self,
        (triangle, path): (&Triangle, &RelativePath),
        toward: V3,
        [from, to]: [f64; 2],
        ([deep, high], may_close): ([f64; 2], bool),
    ) -> (f64, bool) {
        let straight = self.mover.rotation.rate == 0.0;
        let shape = triangle.shape();
        let part = MovingShape::at_rest(&shape, M3::IDENTITY);
        let motion =
            RelativeMotion { a: self.mover, b: part, path: *path, slack: triangle.accuracy.slack };
        let pair = motion.at(from);
        // The gap is that of the corner nearest to the shape: rounding of `toward` may move corners off the plane.
        let start = Nearest::along(&pair, motion.between(from), toward);
        let above = start.lower - self.contact_distance;
        let touches = above <= high && above >= -deep;
        if !touches {
            return (from, false);
        }
        let support = start.support;
        let (on_a, on_b) = (support.on_a, support.on_b);
        let touch = Gap { lower: start.lower, normal: toward, out: toward, on_a, on_b };
        let [closing, growing] = motion.closing(from, &pair, &touch);
        if !may_close && self.closes_surely(from, [closing, growing]) {
            return (from, false);
        }
        // By less than rounding explains. That is a touch too, unless the shape gets no deeper by the tolerance.
        let closes = closing > 0.0 || closing == 0.0 && growing > 0.0;
        // The touch ends if the shape gets deeper, or leaves the plane by twice the tolerance.
        let max = self.contact_distance + HIGHEST * triangle.accuracy.tolerance;
        let least = self.contact_distance - DEEPEST * triangle.accuracy.tolerance;
        let range = GapRange {
            min: greater(start.lower - DEEPER * triangle.accuracy.tolerance, least),
            max,
        };
        let still = Rotation::new(V3::ZERO);
        let (mut t, mut gap, mut still_slides) = (from, start, false);
        for _ in 0..self.settings[0].rounds_max.clamp(SLIDE_PLANES_MIN, TOI_ROUNDS_MAX) {
            let plane = SeparatingPlane { t, normal: toward, gap: gap.lower };
            let safe = if straight {
                separating_plane::straight(&motion.path, &plane, &range, to)
            } else {
                let planes = (&plane, &gap);
                separating_plane::rotating_with(&motion, &motion.at(t), planes, still, &range, to).0
            };
            let SafeTime::Until { t: until, separated, .. } = safe else {
                return (f64::INFINITY, false);
            };
            still_slides = false;
            if until <= t {
                break;
            }
            t = until;
            if separated {
                break;
            }
            gap = Nearest::along(&motion.at(t), motion.between(t), toward);
            let is_above = gap.lower > range.min + triangle.accuracy.slack;
            if straight || !is_above {
                break;
            }
            still_slides = gap.lower > self.contact_distance - triangle.accuracy.tolerance;
        }
        if closes && !may_close { (from, false) } else { (t, still_slides) }
    }
}
