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

    /// Returns the sum of `|u″|·R` of both bodies, where the plane rotates by at most `angle`.
    #[inline(always)]
    pub(super) fn of_bodies(&self, angle: f64) -> f64 {
        let [a, b] = &self.bodies;
        a.over(angle) + b.over(angle)
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

    /// Returns `|u″|·R`, where the plane rotates by at most `angle` during the interval.
    #[inline(always)]
    fn over(&self, angle: f64) -> f64 {
        let across = lesser(self.first + self.most * angle, self.most);
        lesser(self.revolved, (self.base + self.rate * across) * self.radius)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::math::random::numbers_f64;
    use crate::narrowphase::math::{M3, greater};
    use crate::narrowphase::shape::Shape;

    /// Goal: however far the plane rotates, also by more than a radian, the curvature is not less than the second derivative of its direction
    /// as seen from the body, times the radius; and for a plane that has not rotated yet it is the bound at the start. Method: random angular
    /// velocities of a plane and a box, a quarter of them with a direction along their difference; second differences at many times.
    #[test]
    fn curvature_of_a_body_is_not_less_than_that_of_the_direction_seen_from_it() {
        const STEP: f64 = 1e-3;
        let mut draw = numbers_f64(5);
        let shape = Shape::cuboid([1.0, 0.5, 0.25]).expect("a box");
        let radius = shape.bounding_radius;
        let (mut far, mut tight) = (0, 0);
        for case in 0..2000_usize {
            let mut vector = |most: f64| V3::new(draw(), draw(), draw()) * most;
            let (rotation, spin) = (Rotation::new(vector(3.0)), vector(3.0));
            let body = MovingShape::rotating(&shape, M3::IDENTITY, spin);
            let against = rotation.spin - spin;
            let along = if case % 4 == 0 { against } else { vector(1.0) };
            let normal = along.unit().expect("a direction");
            let across = rotation.spin.cross(normal).length();
            let curvature = BodyCurvature::turning(&body, &rotation, normal, across);
            let start = against.length() * across + spin.length() * against.cross(normal).length();
            let at_start = curvature.over(0.0);
            assert!((at_start - start * radius).abs() <= 1e-12 * (1.0 + start), "{case}");
            let length = 0.01 * f64::from(1 << (case % 11));
            let bound = curvature.over(across * length);
            let seen = |t: f64| body.rotation.direction(rotation.direction(normal, t), -t);
            let mut most = 0.0;
            for step in 0..=64 {
                let t = length * f64::from(step) / 64.0;
                let second = seen(t + STEP) + seen(t - STEP) - seen(t) * 2.0;
                most = greater(most, second.length() / (STEP * STEP) * radius);
            }
            // The differences reach beyond the interval by a step.
            assert!(most <= bound * (1.0 + 2e-3) + 1e-2, "{case} {length}: {most} {bound}");
            far += usize::from(across * length > 2.0);
            tight += usize::from(most > 0.9 * bound);
        }
        assert!(far > 300 && tight > 100, "{far} {tight}");
    }
}
