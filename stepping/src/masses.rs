//! The inverse masses of two bodies in an impact, of which one may be supported.
//!
//! A supported body counts as immovable: its support takes the impulse. That adds no energy as long as the body is at rest
//! or moves away from the other one. If it moves towards the other one, it would drive it like a
//! wall that moves, and where supported bodies push each other in a circle, their speeds would grow without bound. Then
//! its own mass counts. Speeds are relative to the immovable body at the end of the chain of supports, such as a lift.

use crate::response::along;

/// Relative amount by which rounding may make the speed after an impact greater than that before it: 2⁻²⁰.
const ROUNDING: f64 = 1.0 / (1 << 20) as f64;

/// The inverse masses of two bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMasses {
    /// Without supports.
    pub(crate) free: [f64; 2],
    /// With zero for a body that is supported. They are equal to `free` if both or neither are.
    pub(crate) supported: [f64; 2],
    /// Speed up to which a supported body that moves towards the other one counts as at rest.
    pub(crate) at_rest: f64,
}

impl PairMasses {
    /// Returns the row of the supported body.
    pub(crate) fn supported_row(&self, rows: [usize; 2]) -> Option<usize> {
        (0..2)
            .find(|&member| self.supported[member] != self.free[member])
            .map(|member| rows[member])
    }

    /// Returns the inverse masses that count, for bodies that move towards each other with these speeds, `a` towards `b` and `b` towards
    /// `a`, relative to the end of the chain of supports ([`towards`]). A speed may be negative.
    pub(crate) fn counting(&self, towards: [f64; 2], restitution: f64) -> [f64; 2] {
        // Without restitution at least half of the speed must be lost, so that propagation ends.
        let is_driven = |member: usize| {
            let after = towards[member] + restitution * (towards[0] + towards[1]);
            self.supported[member] != self.free[member]
                && towards[member] > self.at_rest
                && after.abs() > (0.5 + 0.5 * restitution + ROUNDING) * towards[1 - member].abs()
        };
        if is_driven(0) || is_driven(1) { self.free } else { self.supported }
    }
}

/// Returns the components of two vectors, such as velocities, towards the other body: of `a` along the normal from `a` to `b`, and of `b` against
/// it. Both are relative to the vector of the immovable body at the end of the chain of supports.
pub(crate) fn towards([a, b]: [[f64; 3]; 2], support_end: [f64; 3], n: [f64; 3]) -> [f64; 2] {
    [along(a, support_end, n), along(support_end, b, n)]
}

#[cfg(test)]
mod tests {
    use super::PairMasses;

    /// Goal: a supported body counts as immovable unless the other body would be faster afterwards. Method: bodies at rest, moving away
    /// and moving towards each other, with and without restitution.
    #[test]
    fn supported_bodies_are_immovable_unless_that_adds_energy() {
        let (free, supported) = ([1.0, 2.0], [0.0, 2.0]);
        let masses = PairMasses { free, supported, at_rest: 0.01 };
        for (towards, restitution, expected) in [
            ([0.0, 1.0], 0.0, supported),
            ([0.0, 1.0], 1.0, supported),
            ([-0.5, 1.0], 1.0, supported),
            ([0.5, 1.0], 0.0, supported),
            ([0.5, 1.0], 0.5, free),
            ([1.5, 1.0], 0.0, free),
            ([1.0, -0.5], 0.0, free),
            ([0.01, 0.001], 0.0, supported),
            ([0.02, 0.001], 0.0, free),
        ] {
            assert_eq!(
                masses.counting(towards, restitution),
                expected,
                "{towards:?} {restitution}"
            );
            let mirrored = PairMasses { free: [2.0, 1.0], supported: [2.0, 0.0], ..masses };
            let [a, b] = towards;
            let [of_b, of_a] = mirrored.counting([b, a], restitution);
            assert_eq!([of_a, of_b], expected, "{towards:?} {restitution}");
        }
        let walls = PairMasses { free: [0.0, 2.0], supported: [0.0, 2.0], ..masses };
        assert_eq!(walls.counting([3.0, -1.0], 1.0), [0.0, 2.0]);
    }
}
