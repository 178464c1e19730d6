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
    pub(super) wanted: f64,
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
            wanted: f64::from(settings.tolerance) * smaller_size(a.0.size, b.0.size),
            rotates: !(stays(a) && stays(b)),
        }
    }

    /// Distance of the positions beyond which the balls are separated, and there is no touch at the start.
    #[inline(always)]
    fn distance_apart(&self) -> f64 {
        let touch = greater(self.wanted, 16.0 * (self.slack + self.turned()));
        self.bounding + self.contact_distance + touch
    }

    /// Upper bound of the rounding error of a gap that is due to rotations.
    #[inline(always)]
    fn turned(&self) -> f64 {
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
            observer(round(from, gap - self.radii - self.slack - self.turned(), normal));
        }
    }

    /// Returns until when the plane across `toward`, of any length, separates balls for which [`Balls::pass`] is false, or `None` if it
    /// does not separate them at the start. For bodies that do not rotate, only the end is returned; on a straight path that would be a
    /// pass.
    #[inline(always)]
    pub(super) fn until(&self, toward: V3, observer: &mut Observer<'_>) -> Option<SafeTime> {
        let Self { path, window: [from, to], bounding, contact_distance, slack, .. } = *self;
        let turned = self.turned();
        let normal = toward.unit().unwrap_or(V3::X);
        let distance = normal.dot(path.between(from));
        let gap = distance - bounding;
        // A comparison with NaN is false.
        let separates = distance > self.distance_apart();
        if !separates {
            return None;
        }
        let rounding = if self.rotates { slack + turned } else { slack };
        let range = GapRange { min: contact_distance + rounding, max: f64::INFINITY };
        let plane = SeparatingPlane { t: from, normal, gap };
        let until = separating_plane::straight(path, &plane, &range, to);
        let used = until == SafeTime::End || self.rotates;
        if used && let Some(observer) = observer {
            observer(round(from, gap - self.radii - slack - turned, normal));
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
                let (path, bounding) = (&path, least * share);
                let rest = (0.0, 0.0, 0.0, 0.0);
                let (radii, contact_distance, slack, wanted) = rest;
                let rotates = false;
                let balls = Balls {
                    path,
                    window,
                    bounding,
                    radii,
                    contact_distance,
                    slack,
                    wanted,
                    rotates,
                };
                assert_eq!(balls.pass(), passes, "{case} {share} {path:?}");
            }
        }
        assert!(nearest.iter().all(|&count| count > 1000), "{nearest:?}");
    }
}
