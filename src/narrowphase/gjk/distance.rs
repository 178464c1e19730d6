//! Distance of one pair of shapes, with normal and nearest points.

use super::ball_and_triangle::of_ball_and_triangle;
use super::box_depth::depth_of_boxes;
use super::boxes::{BoxPair, BoxPoints};
use super::by_level::{self, Searched};
use super::nearest::{Accuracy, ROUNDING, RotatedPair};
use super::penetration::shallowest;
use super::result::{Distance, GjkCache, lower_bound};
use super::segments::{GuessedPair, WithPair, with_segments};
use crate::geom::{Invalid, MapEach, Pose};
use crate::narrowphase::math::{V3, lesser};
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::Simplex;

/// Computes the distance of `a` and `b`.
///
/// **Depth of an overlap.** The depth is the least distance by which `b` must be moved to separate the
/// shapes. For boxes, capsules and balls with each other it is exact but for rounding, also for rounded
/// boxes and flat ones, and so is that of any shapes that overlap by no more than the sum of their
/// radii, and that of a cylinder or cone with another, a capsule or a ball if their axes are parallel; a ball
/// has any axis. The depth of every other overlap that is deeper than the radii is searched by an expanding
/// polytope (van den Bergen 2001): it is never too small, and at most a thousandth too
/// great, unless the search ends at its limit of 124 supports. Random overlaps of hulls of up to 128
/// vertices take at most 77. An overlap of less than 2⁻¹⁴ of the size of the smaller shape has the
/// depth along the first direction that is found. Moving `b` by the depth along the normal separates the
/// shapes in any case, but for the rounding of the normal.
///
/// Such a depth takes 2 to 12 µs for most overlaps, and 2 to 6 for parallel axes. It takes up to 70 µs if a
/// round shape touches with its rim, or if many directions are nearly as deep as the least one, as for a ball
/// on the axis of a pyramid with 128 sides (measured on an AMD Zen 4 core).
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
pub(crate) fn distance_of_valid(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
    cache: &mut GjkCache,
) -> Distance {
    let (a, b) = ((a, a_pose), (b, b_pose));
    let found =
        if let (Some(half), Some(half_of_b)) = (a.0.core.half_extents(), b.0.core.half_extents()) {
            let rotations = [a_pose.rotation, b_pose.rotation];
            match with_segments([half, half_of_b], rotations, Guessed { a, b }) {
                Some(Some(distance)) => distance,
                Some(None) => of_unproved_segments(a, b),
                None => of_boxes(a, b),
            }
        } else if let Some(distance) = of_ball_and_triangle(a, b) {
            distance
        } else {
            match by_level::distance(a, b, cache) {
                Searched::Proved(distance) => distance,
                Searched::Unproved(start) => {
                    let pair = RotatedPair::of_poses(a, b);
                    let (simplex, direction) = start.of_pair(&pair);
                    continued(&pair, simplex, direction, [a_pose, b_pose])
                }
            }
        };
    cache.normal = found.normal;
    found
}

/// The distance of balls, capsules and boxes from two points that probably are the nearest, if these prove it.
struct Guessed<'p> {
    a: (&'p Shape<'p>, &'p Pose),
    b: (&'p Shape<'p>, &'p Pose),
}

impl WithPair for Guessed<'_> {
    type Output = Option<Distance>;

    #[inline(always)]
    fn with<P: GuessedPair>(self, pair: P) -> Option<Distance> {
        let ((a, a_pose), (b, b_pose)) = (self.a, self.b);
        let [at_a, at_b] = [a_pose.position, b_pose.position].map_each(V3::of);
        let x = at_b - at_a;
        let tiny = ROUNDING * (x.length() + a.bounding_radius + b.bounding_radius);
        let own = pair.own(x);
        let points = pair.nearest(own);
        let between = P::between(&points);
        let upper = between.length();
        let normal = between * (1.0 / upper);
        let lower = pair.width(own, normal);
        // A comparison with NaN is false.
        let proved = upper > tiny && Accuracy::of_distance(a, b).is_reached(lower, upper);
        if !proved {
            return None;
        }
        let (normal, [on_a, on_b]) = (pair.world(normal), pair.offsets(&points));
        Some(Distance {
            distance: lower_bound(lower, a.radius + b.radius, tiny),
            normal: normal.to_f32(),
            on_a: (at_a + (on_a + normal * a.radius)).to_f32(),
            on_b: (at_b + (on_b - normal * b.radius)).to_f32(),
        })
    }
}

/// Does what [`of_boxes`] does, for balls and capsules whose guessed points do not prove the distance, which is rare.
#[cold]
#[inline(never)]
fn of_unproved_segments(a: (&Shape<'_>, &Pose), b: (&Shape<'_>, &Pose)) -> Distance {
    of_boxes(a, b)
}

/// Computes the distance of two boxes from two points that probably are the nearest, and by a search if they are not.
#[inline(always)]
fn of_boxes(a: (&Shape<'_>, &Pose), b: (&Shape<'_>, &Pose)) -> Distance {
    let pair = RotatedPair::of_poses(a, b);
    let x = V3::of(b.1.position) - V3::of(a.1.position);
    let tiny = pair.rounding(x.length());
    let boxes = BoxPair::new(&pair).expect("both are boxes");
    let own = boxes.own(x);
    let points = boxes.nearest(own);
    let upper = points.between.length();
    let normal = points.between * (1.0 / upper);
    let lower = boxes.width(own, normal);
    let gap = boxes.gap(lower, normal, &points);
    // A comparison with NaN is false.
    if upper > tiny && Accuracy::of_distance(a.0, b.0).is_reached(lower, upper) {
        return Distance::of_gap(&pair, &gap, [a.1, b.1], tiny);
    }
    after(&pair, points, [a.1, b.1])
}

/// Depth from which boxes are sure to overlap, relative to the sum of their bounding radii: more than the error of the axes of a depth.
pub(super) const DEPTH_MIN: f64 = 1.0 / (1 << 22) as f64;

/// Greatest number of steps towards the nearest points of two boxes before a search.
const NEAREST_STEPS_MAX: u32 = 3;

/// Computes the distance of two boxes from points that are not the nearest: by further steps towards these, and then by a search.
#[inline(never)]
fn after(pair: &RotatedPair<'_>, mut points: BoxPoints, poses: [&Pose; 2]) -> Distance {
    let x = V3::of(poses[1].position) - V3::of(poses[0].position);
    let tiny = pair.rounding(x.length());
    let boxes = BoxPair::new(pair).expect("both are boxes");
    let own = boxes.own(x);
    let accuracy = Accuracy::of_distance(pair.a.shape, pair.b.shape);
    let clearly = DEPTH_MIN * (pair.a.shape.bounding_radius + pair.b.shape.bounding_radius);
    let depth = || depth_of_boxes(pair, &boxes, x, -clearly);
    if let Some(gap) = (boxes.gap_along_faces(own) < 0.0).then(depth).flatten() {
        return Distance::of_gap(pair, &gap, poses, tiny);
    }
    let mut steps = 0;
    // A comparison with NaN is false.
    while steps < NEAREST_STEPS_MAX && points.between.square() > tiny * tiny {
        points = boxes.nearest_after(own, &points);
        let upper = points.between.length();
        let normal = points.between * (1.0 / upper);
        let lower = boxes.width(own, normal);
        if upper > tiny && accuracy.is_reached(lower, upper) {
            return Distance::of_gap(pair, &boxes.gap(lower, normal, &points), poses, tiny);
        }
        steps += 1;
    }
    let gap = boxes.gap(0.0, V3::ZERO, &points);
    let mut simplex = Simplex::default();
    simplex.push(pair.vertex(gap.on_a, gap.on_b));
    continued(pair, simplex, V3::X, poses)
}

/// Depth up to which the first direction found is the result, relative to the size of the smaller shape: 2⁻¹⁴, as the
/// tolerance of a first time.
const TOUCH: f64 = 1.0 / (1 << 14) as f64;

/// Computes the distance of any two shapes by the search of [`RotatedPair::nearest`], which starts with these points.
#[inline(never)]
fn continued(
    pair: &RotatedPair<'_>,
    mut simplex: Simplex,
    direction: V3,
    poses: [&Pose; 2],
) -> Distance {
    let x = V3::of(poses[1].position) - V3::of(poses[0].position);
    let tiny = pair.rounding(x.length());
    let guess = (direction, f64::NEG_INFINITY);
    let accuracy = Accuracy::of_distance(pair.a.shape, pair.b.shape);
    let found = pair.nearest_within(x, &mut simplex, guess, tiny, accuracy);
    let gap = if found.upper <= tiny || found.is_unproved(accuracy) {
        let touch = TOUCH * lesser(pair.a.shape.size, pair.b.shape.size);
        // The depth of boxes is exact, however little they overlap.
        let least = if BoxPair::new(pair).is_some() { -tiny } else { -touch };
        shallowest(pair, x, found.plane, [least, f64::INFINITY])
    } else if found.lower == f64::NEG_INFINITY {
        // No plane proves a distance if the support map of the caller returned an invalid point.
        pair.balls(x)
    } else {
        found.gap(pair, x, &simplex)
    };
    Distance::of_gap(pair, &gap, poses, tiny)
}
