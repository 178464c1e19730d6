//! What the distance of two shapes consists of, and how exact it is.

use super::nearest::{Accuracy, Gap, ROUNDING, RotatedPair};
use crate::geom::Pose;
use crate::narrowphase::math::{V3, lesser, round_down};
use crate::narrowphase::shape::Shape;
use bytemuck::{Pod, Zeroable};

/// Distance of two shapes, with normal and nearest points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Distance {
    /// Lower bound of the distance. It is less than the distance by at most 2⁻²⁰ of it, 2⁻²⁶ of the shapes' sizes, 2⁻⁴³ of the sum of their bounding
    /// radii, and 2⁻¹⁴⁹. For shapes that overlap it is minus the depth: as exact up to the radii and for two boxes, also rounded and flat ones;
    /// otherwise an upper bound of the depth, along the best direction found ([`distance`](super::distance)).
    pub distance: f32,
    /// The unit normal, from `a` to `b`.
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b`, in world coordinates, rounded to nearest.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a`, in world coordinates, rounded to nearest.
    pub on_b: [f32; 3],
}

/// Result of a search from which the next search for the same pair can start.
///
/// An outdated value or zero costs time, but does not change what is promised of the result. One that is not finite counts as zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct GjkCache {
    /// The normal of the last search; zero without one.
    pub normal: [f32; 3],
}

impl Distance {
    /// The result for a body that is invalid or has no part: an infinite distance, without a normal and points.
    pub const INFINITE: Self =
        Self { distance: f32::INFINITY, normal: [0.0; 3], on_a: [0.0; 3], on_b: [0.0; 3] };

    /// Returns the distance of two shapes whose cores have this gap; `rounding` is the bound of its rounding error.
    #[inline(always)]
    pub(super) fn of_gap(
        pair: &RotatedPair<'_>,
        gap: &Gap,
        [a, b]: [&Pose; 2],
        rounding: f64,
    ) -> Self {
        let [on_a, on_b] = pair.surface(gap);
        Self {
            distance: lower_bound(gap.lower, pair.a.shape.radius + pair.b.shape.radius, rounding),
            normal: gap.normal.to_f32(),
            on_a: (V3::of(a.position) + on_a).to_f32(),
            on_b: (V3::of(b.position) + on_b).to_f32(),
        }
    }
}

/// Returns a lower bound of the distance of two shapes with this sum of their radii, whose cores have a gap of at least `lower`; `rounding` is
/// the bound of the rounding error of that. The radii may be much greater, so the error of subtracting them counts too.
#[inline(always)]
pub(super) fn lower_bound(lower: f64, radii: f64, rounding: f64) -> f32 {
    round_down(lower - radii - (rounding + ROUNDING * radii))
}

impl Accuracy {
    /// Returns how exact the distance of the cores of two shapes must be.
    #[inline(always)]
    pub(super) fn of_distance(a: &Shape<'_>, b: &Shape<'_>) -> Self {
        let least = lesser(a.size, b.size) * SIZE_SLACK;
        Self::Within { share: RELATIVE_SLACK, of: a.radius + b.radius, least }
    }
}

/// Difference of the bounds at which the search stops, as a fraction of the distance; [`SIZE_SLACK`] of the size of the smaller shape is added.
const RELATIVE_SLACK: f64 = 1.0 / (1 << 22) as f64;
/// See [`RELATIVE_SLACK`].
const SIZE_SLACK: f64 = 1.0 / (1 << 30) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: how exact the distance of cores must be depends on the distance of the surfaces, which may be small although the radii are large.
    /// Method: bounds on both sides of the limit for radii that are different, equal or zero, for surfaces that are apart and that overlap.
    #[test]
    fn bounds_of_cores_are_near_enough_relative_to_the_distance_of_the_surfaces() {
        for [r, s] in [[3.0, 0.5], [2.0, 2.0], [4.0, 0.0], [0.0, 0.25]] {
            let [a, b] = [r, s].map(|radius| Shape::sphere(radius).expect("a ball"));
            let (radii, size) = (f64::from(r) + f64::from(s), f64::from(r.min(s)));
            let accuracy = Accuracy::of_distance(&a, &b);
            for distance in [1.0, 1e-3, 1e-9, 0.0, -1e-9, -0.125] {
                let upper = radii + distance;
                let permitted = (upper - radii).abs() * RELATIVE_SLACK + size * SIZE_SLACK;
                // More than the rounding error of the bounds.
                let slack = 4.0 * f64::EPSILON * radii;
                let near = upper - 0.5 * permitted + slack;
                assert!(accuracy.is_reached(near, upper), "{r} {s} {distance}");
                let far = upper - 1.5 * permitted - slack;
                assert!(!accuracy.is_reached(far, upper), "{r} {s} {distance}");
            }
            assert!(!accuracy.is_reached(f64::INFINITY, f64::INFINITY), "{r} {s}");
        }
    }
}
