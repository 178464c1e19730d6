//! How much the gap along a plane is curved while the bodies and the plane rotate.
//!
//! Seen from a body, the direction of the plane moves along a curve. `|u″|·R` bounds how much the gap deviates from a
//! chord because of that; the head of `separating_plane.rs` explains the terms. The parts that do not depend on the length of an
//! interval are computed once for each direction.

use super::relative_motion::{MovingShape, RelativeMotion};
use crate::geom::MapEach;
use crate::narrowphase::math::{V3, lesser};
use crate::narrowphase::rotation::Rotation;

/// How much the gap along a plane is curved, which depends on the direction and the rotation of the plane.
#[derive(Clone, Copy)]
pub(super) struct GapCurvature {
    bodies: [BodyCurvature; 2],
    /// The rate `|Ω×n|` at which the direction changes.
    pub(super) across: f64,
    /// The part of the path between the bodies: `|Ω|·|Ω×n|`, for each unit of its length across `Ω`.
    pub(super) path: f64,
    /// Length of the vector between the bodies across `Ω`; zero if the plane does not rotate.
    pub(super) furthest: f64,
}

impl GapCurvature {
    #[inline(always)]
    pub(super) fn new(
        motion: &RelativeMotion<'_>,
        rotation: &Rotation,
        normal: V3,
        t: f64,
    ) -> Self {
        if rotation.rate == 0.0 {
            let bodies = [&motion.a, &motion.b].map_each(|body| BodyCurvature::still(body, normal));
            return Self { bodies, across: 0.0, path: 0.0, furthest: 0.0 };
        }
        let across = rotation.spin.cross(normal).length();
        let bodies = [&motion.a, &motion.b]
            .map_each(|body| BodyCurvature::turning(body, rotation, normal, across));
        let furthest = rotation.off_axis(motion.between(t));
        Self { bodies, across, path: rotation.rate * across, furthest }
    }

    /// Returns the sum of `|u″|·R` of both bodies, where the plane rotates by at most `turned`.
    #[inline(always)]
    pub(super) fn of_bodies(&self, turned: f64) -> f64 {
        let [a, b] = &self.bodies;
        a.over(turned) + b.over(turned)
    }
}

/// What `|u″|·R` of a body consists of.
#[derive(Clone, Copy)]
struct BodyCurvature {
    /// The part that does not depend on how far the plane rotates.
    base: f64,
    /// Rate of the body. It is multiplied by a bound of `|(Ω−ω)×n|`.
    rate: f64,
    /// `|(Ω−ω)×n|` at the start of the interval. It increases by at most `most` times the angle by which the plane rotates.
    first: f64,
    /// `|Ω−ω|`, which `|(Ω−ω)×n|` never exceeds.
    most: f64,
    radius: f64,
    /// The bound for a body of revolution, which is not exceeded either; otherwise infinite.
    revolved: f64,
}

impl BodyCurvature {
    /// Returns the curvature for a plane that does not rotate. Seen from the body, its direction rotates about the body's axis.
    #[inline(always)]
    fn still(mover: &MovingShape<'_>, normal: V3) -> Self {
        let rate = mover.rotation.rate;
        let base = rate * mover.rotation.spin.cross(normal).length();
        let revolved = Self::revolved(mover, 0.0, 0.0);
        Self { base, rate: 0.0, first: 0.0, most: 0.0, radius: mover.axis_distance, revolved }
    }

    /// Returns the curvature for a plane that rotates. Its direction changes at the rate `across`.
    #[inline(always)]
    fn turning(mover: &MovingShape<'_>, rotation: &Rotation, normal: V3, across: f64) -> Self {
        let against = rotation.spin - mover.rotation.spin;
        let most = against.length();
        Self {
            base: most * across,
            rate: mover.rotation.rate,
            first: against.cross(normal).length(),
            most,
            radius: mover.shape.bounding_radius,
            revolved: Self::revolved(mover, rotation.rate, across),
        }
    }

    /// Returns the bound for a body of revolution, seen from axes that do not roll about its own, or infinity for another body.
    #[inline(always)]
    fn revolved(mover: &MovingShape<'_>, rate: f64, across: f64) -> f64 {
        if mover.axis_rate == f64::INFINITY {
            return f64::INFINITY;
        }
        let against = rate + mover.axis_rate;
        let still = against * across + mover.axis_rate * (against + mover.rotation.rate);
        still * mover.shape.bounding_radius
    }

    /// Returns `|u″|·R`, where the plane rotates by at most `turned` during the interval.
    #[inline(always)]
    fn over(&self, turned: f64) -> f64 {
        let across = lesser(self.first + self.most * turned, self.most);
        lesser(self.revolved, (self.base + self.rate * across) * self.radius)
    }
}
