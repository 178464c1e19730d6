//! Until when the balls around the positions of two bodies are separated.
//!
//! They do not depend on the rotations. If they are further apart than a touch may be, only the times at which they meet matter,
//! whatever the spin is.

use super::relative_motion::{RelativePath, stays};
use super::result::{Observer, round};
use super::separating_plane::{self, GapRange, SafeTime, SeparatingPlane};
use super::settings::Settings;
use crate::geom::{Motion, SPIN_MAX};
use crate::narrowphase::gjk::ROUNDING;
use crate::narrowphase::math::{V3, greater};
use crate::narrowphase::shape::{Shape, smaller_size};

/// Two balls, and how far apart they must be.
pub(super) struct Balls<'p> {
    pub(super) path: &'p RelativePath,
    pub(super) window: [f64; 2],
    /// Sum of the radii of the balls around the cores.
    pub(super) bounding: f64,
    /// Sum of the radii of the shapes.
    pub(super) radii: f64,
    pub(super) contact_distance: f64,
    /// Upper bound of the rounding error of a gap of bodies that do not rotate.
    pub(super) slack: f64,
    /// The tolerance of the settings as a length. Where rounding errors are large, the tolerance of the search is greater.
    pub(super) tolerance: f64,
    /// Whether one of the bodies rotates.
    pub(super) rotates: bool,
}

impl<'p> Balls<'p> {
    #[inline(always)]
    pub(super) fn new(
        a: (&Shape<'_>, &Motion),
        b: (&Shape<'_>, &Motion),
        path: &'p RelativePath,
        settings: &Settings,
        window: [f64; 2],
    ) -> Self {
        let radii = a.0.radius + b.0.radius;
        let contact_distance = radii + f64::from(settings.target_distance);
        let slack = path.slack(a.0, b.0, window[1]) + ROUNDING * contact_distance;
        Self {
            path,
            window,
            bounding: a.0.bounding_radius + b.0.bounding_radius,
            radii,
            contact_distance,
            slack,
            tolerance: f64::from(settings.tolerance) * smaller_size(a.0.size, b.0.size),
            rotates: !(stays(a) && stays(b)),
        }
    }

    /// Distance of the positions beyond which the balls are separated, and there is no touch at the start.
    #[inline(always)]
    fn distance_apart(&self) -> f64 {
        let touch = greater(self.tolerance, 16.0 * (self.slack + self.rotation_rounding()));
        self.bounding + self.contact_distance + touch
    }

    /// Upper bound of the rounding error of a gap that is due to rotations.
    #[inline(always)]
    fn rotation_rounding(&self) -> f64 {
        16.0 * f64::EPSILON * f64::from(SPIN_MAX) * self.bounding
    }

    /// Returns whether the balls pass each other on a straight path. The least distance of the positions is that at the start, at the
    /// end, or where the path is nearest. There is no root and no division, so that the branch on the result, which is hard
    /// to predict, is decided early.
    #[inline(always)]
    pub(super) fn pass(&self) -> bool {
        let [from, to] = self.window;
        let (start, d) = (self.path.between(from), self.path.delta * (to - from));
        let (along, square) = (start.dot(d), d.square());
        let apart = self.distance_apart();
        let least = apart * apart;
        let (of_start, of_end) = (start.square() * ROUNDED, (start + d).square() * ROUNDED);
        // Comparisons with NaN are false.
        let between = (along >= 0.0)
            | (along + square <= 0.0)
            | ((of_start - least) * square > along * along);
        (of_start > least) & (of_end > least) & between
    }

    /// Reports the plane that separates balls that pass each other.
    #[cold]
    pub(super) fn report_pass(&self, toward: V3, observer: &mut Observer<'_>) {
        let [from, _] = self.window;
        let normal = toward.unit().unwrap_or(V3::X);
        let gap = normal.dot(self.path.between(from)) - self.bounding;
        if let Some(observer) = observer {
            observer(round(from, gap - self.radii - self.slack - self.rotation_rounding(), normal));
        }
    }

    /// Returns until when the plane across `toward`, of any length, separates balls for which [`Balls::pass`] is false, or `None` if it
    /// does not separate them at the start. For bodies that do not rotate, only the end is returned; on a straight path that would be a
    /// pass.
    #[inline(always)]
    pub(super) fn until(&self, toward: V3, observer: &mut Observer<'_>) -> Option<SafeTime> {
        let Self { path, window: [from, to], bounding, contact_distance, slack, .. } = *self;
        let rotation_rounding = self.rotation_rounding();
        let normal = toward.unit().unwrap_or(V3::X);
        let distance = normal.dot(path.between(from));
        let gap = distance - bounding;
        // A comparison with NaN is false.
        let separates = distance > self.distance_apart();
        if !separates {
            return None;
        }
        let rounding = if self.rotates { slack + rotation_rounding } else { slack };
        let range = GapRange { min: contact_distance + rounding, max: f64::INFINITY };
        let plane = SeparatingPlane { t: from, normal, gap };
        let until = separating_plane::straight(path, &plane, &range, to);
        let used = until == SafeTime::End || self.rotates;
        if used && let Some(observer) = observer {
            observer(round(from, gap - self.radii - slack - rotation_rounding, normal));
        }
        used.then_some(until)
    }
}

/// Factor that makes a square less by more than the rounding errors of the squares and products that it is compared with.
const ROUNDED: f64 = 1.0 - 64.0 * f64::EPSILON;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::narrowphase::math::lesser;
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::toi::relative_motion::RelativeMotion;
    use crate::narrowphase::toi::result::Round;
    use alloc::vec::Vec;

    /// Returns balls that must not touch, without rounding errors of a path.
    fn exact(path: &RelativePath, window: [f64; 2], bounding: f64) -> Balls<'_> {
        let (radii, contact_distance, slack, tolerance) = (0.0, 0.0, 0.0, 0.0);
        let rotates = false;
        Balls { path, window, bounding, radii, contact_distance, slack, tolerance, rotates }
    }

    /// Returns the path that starts at `start` and moves by `delta`.
    fn path_from(start: V3, delta: [f32; 3], accel: [f32; 3]) -> RelativePath {
        let still = Motion::default();
        let moved = Motion::new(Pose::IDENTITY, delta).and_then(|moved| moved.accelerating(accel));
        RelativePath::new(&still, &moved.expect("a motion")).shifted(start)
    }

    /// Goal: balls do not pass if they are nowhere further apart than must be proved, to the last bit, and pass if they are, also at rest. Method:
    /// balls whose least distance is at the start, at the end, or everywhere, equal to that distance and a little greater.
    #[test]
    fn balls_at_the_least_distance_do_not_pass() {
        let mut count = 0;
        for bounding in [1e-3, 1.0, 5.0, 1e6] {
            let own = path_from(V3::ZERO, [0.0; 3], [0.0; 3]);
            let least = exact(&own, [0.0, 1.0], bounding).distance_apart();
            for (distance, passes) in [(least, false), (least * (1.0 + 1e-12), true)] {
                let at = V3::X * distance;
                let away = path_from(at, [1.0, 0.0, 0.0], [0.0; 3]);
                let toward = path_from(at + V3::X, [-1.0, 0.0, 0.0], [0.0; 3]);
                let still = path_from(at, [0.0; 3], [0.0; 3]);
                for path in [&away, &toward, &still] {
                    // Adding one to a small distance rounds it.
                    let rounded = path.delta.x < 0.0 && bounding < 1.0;
                    if !rounded {
                        let balls = exact(path, [0.0, 1.0], bounding);
                        assert_eq!(balls.pass(), passes, "{bounding} {path:?}");
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(count, 22);
    }

    /// Goal: the bound of the rounding errors due to rotations is that of the search for bodies with the greatest spin. Method: two boxes.
    #[test]
    fn rounding_of_balls_is_that_of_the_search_at_the_greatest_spin() {
        let [a, b] =
            [[1.0, 0.5, 0.25], [3.0, 0.0, 4.0]].map(|half| Shape::cuboid(half).expect("a box"));
        let turning = Motion::default().spinning([SPIN_MAX, 0.0, 0.0]).expect("a spin");
        let path = path_from(V3::X * 16.0, [0.0; 3], [0.0; 3]);
        let (of_a, of_b) = ((&a, &turning), (&b, &turning));
        let balls = Balls::new(of_a, of_b, &path, &Settings::default(), [0.0, 1.0]);
        let rotation_rounding = RelativeMotion::new(of_a, of_b, path, 0.0).slack;
        assert!(
            rotation_rounding > 0.0
                && (balls.rotation_rounding() - rotation_rounding).abs()
                    <= 1e-12 * rotation_rounding
        );
    }

    /// Goal: the plane separates balls until they are as near as the contact distance and the rounding errors, and each round reports the
    /// gap at the start less these errors. Method: balls so large that the errors are visible, on random paths, straight
    /// and accelerated; the gap along the plane at many times, and at the time to which the plane leads.
    #[test]
    fn plane_across_balls_separates_until_the_contact_distance() {
        /// Bound of the rounding errors of numbers of about 10⁹.
        const ROUNDED: f64 = 1e-5;
        let mut draw = numbers_f32(12);
        let mut kinds = [0; 5];
        for case in 0..2000_usize {
            let mut between =
                |least: f64, most: f64| least + (most - least) * (0.5 + 0.5 * f64::from(draw()));
            let (bounding, radii) = (1e9, between(0.0, 0.5));
            let contact_distance = radii + between(0.0, 0.5);
            let (slack, tolerance) = (between(1e-3, 1e-2), [0.0, 0.3][case / 8 % 2]);
            let rotation_rounding = 16.0 * f64::EPSILON * 1024.0 * bounding;
            let touch = greater(tolerance, 16.0 * (slack + rotation_rounding));
            let excess = touch * between(0.5, 3.0);
            let mut vector = |most: f64| {
                [between(-most, most), between(-most, most), between(-most, most)].map(|x| x as f32)
            };
            let normal = V3::of(vector(1.0)).unit().expect("a direction");
            let distance = bounding + contact_distance + excess;
            let (delta, accel) = (vector(2.0), vector(if case % 2 == 0 { 0.0 } else { 4.0 }));
            let (path, rotates) = (path_from(normal * distance, delta, accel), case / 2 % 2 == 0);
            let window @ [from, to] = [[0.0, 1.0], [0.25, 0.75]][case / 4 % 2];
            let balls = Balls {
                path: &path,
                window,
                bounding,
                radii,
                contact_distance,
                slack,
                tolerance,
                rotates,
            };
            let gap = |t: f64| normal.dot(path.between(t)) - bounding;
            let apart = gap(from) - contact_distance;
            if (apart - touch).abs() < ROUNDED {
                continue;
            }
            let mut rounds: Vec<Round> = Vec::new();
            let until = balls.until(normal * 3.0, &mut Some(&mut |round| rounds.push(round)));
            let least = contact_distance + slack + if rotates { rotation_rounding } else { 0.0 };
            let nearest = |last: f64| {
                let times = (0..=4096).map(|step| from + (last - from) * f64::from(step) / 4096.0);
                times.map(gap).fold(f64::INFINITY, lesser)
            };
            let reached = |last: f64| nearest(last) < least - ROUNDED;
            let text = alloc::format!("{case} {until:?} {window:?} {path:?}");
            let kind = match until {
                None if apart < touch => 0,
                None => {
                    let nearest = nearest(to);
                    assert!(!rotates && nearest < least + ROUNDED, "{text}");
                    1
                }
                Some(SafeTime::End) => {
                    assert!(apart > touch && !reached(to), "{text}");
                    2 + usize::from(rotates)
                }
                Some(SafeTime::Until { t, normal: then, separated }) => {
                    assert!(apart > touch && rotates && !separated, "{text}");
                    assert!((then - normal).length() < 1e-15, "{text}");
                    assert!(from < t && t <= to && !reached(t), "{text}");
                    assert!((gap(t) - least).abs() < ROUNDED, "{text}: {}", gap(t) - least);
                    4
                }
            };
            kinds[kind] += 1;
            assert_eq!(rounds.len(), usize::from(until.is_some()), "{text}");
            balls.report_pass(normal * 3.0, &mut Some(&mut |round| rounds.push(round)));
            for round in &rounds {
                let reported = gap(from) - radii - slack - rotation_rounding;
                assert!((f64::from(round.gap) - reported).abs() < ROUNDED, "{round:?} {text}");
                assert_eq!(f64::from(round.t), from);
                assert!((V3::of(round.normal) - normal).length() < 1e-7, "{round:?} {text}");
            }
        }
        assert!(kinds.iter().all(|&count| count > 50), "{kinds:?}");
    }

    /// Goal: balls pass each other if and only if they are separated in the whole window, but for rounding. Method: random paths and
    /// windows; balls that are as large as the least distance of their positions, and a little smaller.
    #[test]
    fn balls_pass_if_they_are_separated_in_the_whole_window() {
        let mut draw = numbers_f32(11);
        let mut nearest = [0; 3];
        for case in 0..9000_usize {
            let scale = [1e-3, 1.0, 1e4][case % 3];
            let mut vector = || [draw() * scale, draw() * scale, draw() * scale];
            let still = Motion::from(Pose::at(vector()).expect("a pose"));
            let moved = Motion::new(Pose::at(vector()).expect("a pose"), vector());
            let path = RelativePath::new(&still, &moved.expect("a motion"));
            let window = if case % 2 == 0 { [0.0, 1.0] } else { [0.25, 0.5] };
            let [from, to] = window;
            let (x, d) = (path.between(from), path.between(to) - path.between(from));
            let part = greater(lesser(-x.dot(d) / d.square(), 1.0), 0.0);
            nearest[usize::from(part > 0.0) + usize::from(part == 1.0)] += 1;
            let least = (x + d * part).length();
            for (share, passes) in [(1.0 - 1e-6, true), (1.0, false), (1.5, false)] {
                let balls = exact(&path, window, least * share);
                assert_eq!(balls.pass(), passes, "{case} {share} {path:?}");
            }
        }
        assert!(nearest.iter().all(|&count| count > 1000), "{nearest:?}");
    }
}
