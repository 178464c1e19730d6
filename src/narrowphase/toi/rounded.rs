//! First time of contact of balls, capsules and rounded boxes that do not rotate, also along a parabola.
//!
//! The plane across the first direction of the search, and then planes across the nearest points, each lead to a later time that is
//! still safe, as in Newton's method. For a ball the first direction is that at which it enters the slabs of the other box.
//!
//! ```text
//! find the plane across the first direction, or, if it is not clear of a touch, across the nearest points at the start
//! loop: go to the time until which the plane separates
//!       guess the nearest points there; are they within the tolerance, and does the plane across them prove it? that is the contact
//! ```

use super::goal::{ACCURACY, Goal};
use super::relative_motion::{BodyPath, RelativePath, StraightPath, position_at};
use super::result::{Observer, Toi, ToiResult, round, saturated};
use super::settings::Settings;
use crate::geom::{MapEach, Motion};
use crate::narrowphase::gjk::{
    BoxPair, GuessedPair, RotatedPair, RotatedShape, WithPair, with_segments,
};
use crate::narrowphase::math::{M3, V3, round_down};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::shape::Shape;

/// Greatest number of planes that are followed.
const PLANES_MAX: u32 = 8;

/// Greatest number of steps towards the nearest points at one time.
const NEAREST_STEPS_MAX: u32 = 6;

/// What is known of two shapes after their search as boxes.
pub(super) enum BoxSearch {
    /// There is a result. It was written to the caller's `Toi`, because returning it in this enum would copy it once more.
    Found,
    /// They do not touch until `t`, which the plane across `normal` proves: another search continues there.
    Until { t: f64, normal: V3, rounds: u32, supports: u32 },
    /// Nothing, or they are not boxes.
    Unknown,
}

/// Two rounded boxes that move, and what counts as a contact.
struct MovingRounded<'p> {
    bodies: [(&'p Shape<'p>, &'p Motion); 2],
    path: &'p RelativePath,
    window: [f64; 2],
    goal: &'p Goal,
    settings: &'p Settings,
}

/// Searches the first time of contact of two bodies whose cores are boxes with these half extents. `toward` returns the first
/// direction, of any length.
#[inline(always)]
pub(super) fn search(
    (a, b): ((&Shape<'_>, &Motion), (&Shape<'_>, &Motion)),
    [of_a, of_b]: [V3; 2],
    (path, toward, window): (&RelativePath, impl Fn() -> V3, [f64; 2]),
    (goal, settings): (&Goal, &Settings),
    (found, observer): (&mut Toi, &mut Observer<'_>),
) -> BoxSearch {
    let bodies = [a, b];
    let moving = MovingRounded { bodies, path, window, goal, settings };
    let rotations = [a.1.pose.rotation, b.1.pose.rotation];
    let any =
        AnyPair { moving: &moving, toward: &toward, found: &mut *found, observer: &mut *observer };
    if let Some(searched) = with_segments([of_a, of_b], rotations, any) {
        return searched;
    }
    let pair = RotatedPair { a: rotated(a), b: rotated(b) };
    let Some(boxes) = BoxPair::new(&pair) else { return BoxSearch::Unknown };
    moving.search_of(boxes, toward, (found, observer))
}

/// The search for a pair of any kind.
struct AnyPair<'m, 'p, 'o, T> {
    moving: &'m MovingRounded<'p>,
    toward: T,
    found: &'m mut Toi,
    observer: &'m mut Observer<'o>,
}

impl<T: Fn() -> V3> WithPair for AnyPair<'_, '_, '_, T> {
    type Output = BoxSearch;

    #[inline(always)]
    fn with<P: GuessedPair>(self, pair: P) -> BoxSearch {
        self.moving.search_of(pair, self.toward, (self.found, self.observer))
    }
}

/// Returns a shape with the rotation of its pose.
pub(super) fn rotated<'s>((shape, motion): (&'s Shape<'s>, &Motion)) -> RotatedShape<'s> {
    // A point is the same in every rotation.
    if shape.bounding_radius == 0.0 {
        return RotatedShape { shape, rotation: M3::IDENTITY };
    }
    RotatedShape { shape, rotation: M3::of_quaternion(motion.pose.rotation) }
}

impl MovingRounded<'_> {
    /// Searches the first time of contact, by a function of its own for straight paths.
    #[inline(always)]
    fn search_of<P: GuessedPair>(
        &self,
        pair: P,
        toward: impl FnOnce() -> V3,
        out: (&mut Toi, &mut Observer<'_>),
    ) -> BoxSearch {
        if self.path.accel == V3::ZERO {
            self.search(pair, &StraightPath::of(self.path), toward, out)
        } else {
            self.search(pair, self.path, toward, out)
        }
    }

    /// Searches the first time of contact.
    ///
    /// Directions are not made unit vectors: a root does not depend on their length, and the latency of a division is a
    /// tenth of a round.
    fn search<P: GuessedPair>(
        &self,
        pair: P,
        path: &impl BodyPath,
        toward: impl FnOnce() -> V3,
        (found, observer): (&mut Toi, &mut Observer<'_>),
    ) -> BoxSearch {
        let Self { window: [from, to], .. } = *self;
        let path = path.transformed(|v| pair.own(v));
        let (floor, accept) = (self.goal.range.min, self.goal.accept);
        let mut t = from;
        let mut x = path.between(t);
        // A ball that meets a face has its normal there.
        let entry = pair.entry(x, path.velocity(from), floor, to - from);
        // A direction, its length, and the gap along it times that length.
        let mut normal = entry.unwrap_or_else(|| pair.own(toward()));
        let mut length = normal.length();
        let mut gap = pair.width(x, normal);
        let (mut rounds, mut supports) = (0, 1);
        // If the first plane does not prove that there is no touch at the start, that across the nearest points may.
        let mut clear = gap > accept * length;
        if !clear {
            normal = P::between(&pair.nearest(x));
            length = normal.length();
            gap = pair.width(x, normal);
            supports = 2;
            clear = gap > accept * length;
            if !clear {
                return BoxSearch::Unknown;
            }
        }
        let mut last = None;
        let rounds_max = self.settings.rounds_max.min(PLANES_MAX);
        loop {
            rounds += 1;
            if observer.is_some() {
                self.report(observer, t, gap / length, pair.world(normal * (1.0 / length)));
            }
            let rate = normal.dot(path.velocity(t));
            let half_accel = path.half_accel(normal);
            let next = t + first_root(gap - floor * length, rate, half_accel);
            if next > to {
                *found = Toi { result: ToiResult::Separated, rounds, supports };
                return BoxSearch::Found;
            }
            t = next;
            x = path.between(t);
            let mut points = match &last {
                None => pair.nearest(x),
                Some(points) => pair.nearest_from(x, points),
            };
            let mut steps = 0;
            let upper = loop {
                let across = P::between(&points);
                let upper = across.length();
                gap = pair.width(x, across);
                supports += 1;
                let near = upper <= accept;
                let sharp = upper * upper - gap <= ACCURACY * self.goal.tolerance * upper;
                if near && sharp && rounds < rounds_max {
                    rounds += 1;
                    let normal = across * (1.0 / upper);
                    let normal = pair.world(normal);
                    self.report(observer, t, gap / upper, normal);
                    let result = self.impact(t, normal, pair.offsets(&points));
                    *found = Toi { result, rounds, supports };
                    return BoxSearch::Found;
                }
                if gap > floor * upper {
                    break upper;
                }
                // The points are not the nearest ones yet.
                steps += 1;
                if steps == NEAREST_STEPS_MAX {
                    let normal = pair.world(normal * (1.0 / length));
                    return BoxSearch::Until { t, normal, rounds, supports };
                }
                points = pair.nearest_from(x, &points);
            };
            if rounds == rounds_max {
                let normal = pair.world(normal * (1.0 / length));
                return BoxSearch::Until { t, normal, rounds, supports };
            }
            (normal, length, last) = (P::between(&points), upper, Some(points));
        }
    }

    /// Reports a round, with a normal in the axes of the world.
    fn report(&self, observer: &mut Observer<'_>, t: f64, gap: f64, normal: V3) {
        report(observer, (self.goal, self.settings), t, gap, normal);
    }

    /// Creates the impact at `t`, with points that are offset from the positions of the bodies.
    #[inline(always)]
    fn impact(&self, t: f64, normal: V3, [of_a, of_b]: [V3; 2]) -> ToiResult {
        let [(a, _), (b, _)] = self.bodies;
        let surface = [of_a + normal * a.radius, of_b - normal * b.radius];
        impact(self.bodies, self.path, round_down(t), normal, surface)
    }
}

/// Creates the impact at `first`, with points on the surfaces that are offset from the positions of the bodies.
#[inline(always)]
pub(super) fn impact(
    bodies: [(&Shape<'_>, &Motion); 2],
    path: &RelativePath,
    first: f32,
    normal: V3,
    [on_a, on_b]: [V3; 2],
) -> ToiResult {
    let t = f64::from(first);
    let [a, b] = bodies.map_each(|(shape, motion)| position_at(&shape.core, motion, t));
    ToiResult::Impact {
        t: first,
        normal: normal.to_f32(),
        on_a: (a + on_a).to_f32(),
        on_b: (b + on_b).to_f32(),
        closing: saturated(-path.velocity(t).dot(normal)),
    }
}

/// Reports a round of a search for cores that are boxes.
pub(super) fn report(
    observer: &mut Observer<'_>,
    (goal, settings): (&Goal, &Settings),
    t: f64,
    gap: f64,
    normal: V3,
) {
    if let Some(observer) = observer {
        let offset = goal.range.min - f64::from(settings.target_distance);
        observer(round(t, gap - offset, normal));
    }
}
