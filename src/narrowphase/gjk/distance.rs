//! Distance of one pair of shapes, with normal and nearest points.

use super::boxes::BoxPair;
use super::nearest::{Accuracy, Gap, RotatedPair, RotatedShape};
use super::penetration::shallowest;
use crate::geom::{Invalid, Pose};
use crate::narrowphase::math::{M3, V3, lesser, round_down};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::Simplex;
use bytemuck::{Pod, Zeroable};

/// Distance of two shapes, with normal and nearest points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Distance {
    /// Lower bound of the distance. It is less than the distance by at most 2⁻²⁰ of it and 2⁻²⁶ of
    /// the shapes' sizes. For shapes that overlap it is minus the depth: exact up to the radii,
    /// otherwise an upper bound of the depth along the best direction found.
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
/// An outdated value or zero costs time, but does not change what is promised of the result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct GjkCache {
    /// The normal of the last search; zero without one.
    pub normal: [f32; 3],
}

/// Computes the distance of `a` and `b`.
///
/// # Errors
///
/// [`Invalid`] if a pose is invalid.
///
/// ```
/// use swath::{Pose, Shape};
/// use swath::convex::gjk;
///
/// let ball = Shape::sphere(1.0)?;
/// let wall = Shape::cuboid([0.5, 4.0, 4.0])?;
/// let apart = gjk::distance(&ball, &Pose::at([-3.0, 1.0, 0.0])?, &wall, &Pose::IDENTITY)?;
/// assert!(apart.distance <= 1.5 && apart.distance > 1.499999);
/// assert_eq!(apart.normal, [1.0, 0.0, 0.0]);
/// assert_eq!((apart.on_a, apart.on_b), ([-2.0, 1.0, 0.0], [-0.5, 1.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn distance(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
) -> Result<Distance, Invalid> {
    distance_from(a, a_pose, b, b_pose, &mut GjkCache::default())
}

/// Does what [`distance`] does, and starts with the result of an earlier search for the same pair.
///
/// # Errors
///
/// As [`distance`].
pub fn distance_from(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
    cache: &mut GjkCache,
) -> Result<Distance, Invalid> {
    a_pose.validate()?;
    b_pose.validate()?;
    Ok(distance_of_valid(a, a_pose, b, b_pose, cache))
}

/// Does what [`distance_from`] does, for poses that are known to be valid.
pub(super) fn distance_of_valid(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
    cache: &mut GjkCache,
) -> Distance {
    let pair = RotatedPair {
        a: RotatedShape { shape: a, rotation: M3::of_quaternion(a_pose.rotation) },
        b: RotatedShape { shape: b, rotation: M3::of_quaternion(b_pose.rotation) },
    };
    let x = V3::of(b_pose.position) - V3::of(a_pose.position);
    let radii = a.radius + b.radius;
    let least = lesser(a.size, b.size) * SIZE_SLACK;
    let tiny = pair.rounding(x.length());
    let accuracy = Accuracy::Within { share: RELATIVE_SLACK, of: radii, least };
    let gap = match BoxPair::new(&pair) {
        None => search(&pair, x, None, cache, (tiny, accuracy)),
        Some(boxes) => {
            let own = boxes.own(x);
            let points = boxes.nearest(own);
            let upper = points.between.length();
            let normal = points.between * (1.0 / upper);
            let lower = boxes.width(own, normal);
            let gap = boxes.gap(lower, normal, &points);
            // A comparison with NaN is false.
            if upper > tiny && accuracy.is_reached(lower, upper) {
                gap
            } else {
                search(&pair, x, Some([gap.on_a, gap.on_b]), cache, (tiny, accuracy))
            }
        }
    };
    let [on_a, on_b] = pair.surface(&gap);
    cache.normal = gap.normal.to_f32();
    Distance {
        distance: round_down(gap.lower - radii - tiny),
        normal: gap.normal.to_f32(),
        on_a: (V3::of(a_pose.position) + on_a).to_f32(),
        on_b: (V3::of(b_pose.position) + on_b).to_f32(),
    }
}

/// Searches the gap, from two points that are probably near each other, or from the direction of the last search.
#[inline(never)]
fn search(
    pair: &RotatedPair<'_>,
    x: V3,
    points: Option<[V3; 2]>,
    cache: &GjkCache,
    (tiny, accuracy): (f64, Accuracy),
) -> Gap {
    let mut simplex = Simplex::default();
    let mut guess = V3::X;
    if let Some([on_a, on_b]) = points {
        simplex.push(pair.vertex(on_a, on_b));
    } else if let Some(normal) = V3::of(cache.normal).unit() {
        guess = normal;
    } else if x.square() > f64::MIN_POSITIVE {
        // A support does not depend on the length of a direction, whose computation would delay it.
        let vertex = pair.support(x);
        if !vertex.is_none() {
            simplex.push(vertex);
        }
    }
    let guess = (guess, f64::NEG_INFINITY);
    let found = pair.nearest_within(x, &mut simplex, guess, tiny, accuracy);
    if found.upper <= tiny {
        return shallowest(pair, x, found.plane);
    }
    // No plane proves a distance if the support map of the caller returned an invalid point.
    if found.lower == f64::NEG_INFINITY { pair.balls(x) } else { found.gap(x, &simplex) }
}

/// Difference of the bounds at which the search stops, as a fraction of the distance, and of the
/// size of the smaller shape.
const RELATIVE_SLACK: f64 = 1.0 / (1 << 22) as f64;
const SIZE_SLACK: f64 = 1.0 / (1 << 30) as f64;
