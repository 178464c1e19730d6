//! Whether two shapes overlap, without a distance, a normal or a depth.
//!
//! ```text
//! balls      the bounding balls are apart
//! segments   balls and capsules with each other and with boxes: two points that probably are the nearest    (segments.rs)
//! boxes      the axes that can separate two boxes                                                           (box_axes.rs)
//! search     GJK until a plane is between the shapes, or two of their points are within the radii           (nearest.rs)
//! distance   what the bounds of these do not decide, which is rare: shapes that touch but for rounding      (distance.rs)
//! ```
//!
//! The first plane that is between the shapes, by more than the rounding error that a distance allows for, is enough. It need not be the
//! best one, so a search for shapes that are apart mostly ends after its first supports. One for cores that overlap ends as soon as a simplex
//! contains the origin; the depth would take many more supports.

use super::box_depth::EDGES_OF_DEPTH;
use super::boxes::BoxPair;
use super::distance::{DEPTH_MIN, distance_of_valid};
use super::nearest::{Accuracy, ROUNDING, RotatedPair};
use super::result::{GjkCache, lower_bound};
use super::segments::{GuessedPair, WithPair, with_segments};
use crate::geom::{Invalid, Pose};
use crate::narrowphase::math::V3;
use crate::narrowphase::shape::Shape;
use crate::narrowphase::simplex::Simplex;

/// Returns whether `a` and `b` overlap or touch: the test of a sensor, or of a place where something is to appear.
///
/// No contact is missed: the result is `false` only if a plane separates the shapes. Rounding can make an overlap of shapes that are apart, but by no
/// more than the error that [`Distance::distance`](super::Distance::distance) states. It is `false` for every positive
/// [`distance`](super::distance()), and `true` for every other one, unless the shapes are apart by less than that error.
///
/// It computes no depth, and of shapes that are apart no nearest points. It takes 10 to 170 ns for shapes that are apart, where a distance takes 20 to
/// 1,700, and 20 to 500 ns for shapes that overlap, of which a distance takes up to 30 µs.
///
/// # Errors
///
/// [`Invalid`] if a pose is invalid.
///
/// ```
/// use swath::{Pose, Shape};
/// use swath::convex::gjk;
///
/// // A cone of view, with its tip above, and a ball on its slope.
/// let (cone, ball) = (Shape::cone(2.0, 1.5)?, Shape::sphere(0.5)?);
/// let seen = |x| gjk::overlaps(&cone, &Pose::IDENTITY, &ball, &Pose::at([x, 0.0, 0.0])?);
/// assert!(seen(1.25)? && !seen(1.5)?);
/// // A touch counts.
/// assert!(gjk::overlaps(&ball, &Pose::IDENTITY, &ball, &Pose::at([0.0, 1.0, 0.0])?)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlaps(
    a: &Shape<'_>,
    a_pose: &Pose,
    b: &Shape<'_>,
    b_pose: &Pose,
) -> Result<bool, Invalid> {
    a_pose.validate()?;
    b_pose.validate()?;
    Ok(overlaps_of_valid((a, a_pose), (b, b_pose)))
}

/// Does what [`overlaps`] does, for poses that are known to be valid.
pub(crate) fn overlaps_of_valid(a: (&Shape<'_>, &Pose), b: (&Shape<'_>, &Pose)) -> bool {
    let test = OverlapTest::new(a, b);
    test.run().unwrap_or_else(|| test.by_distance())
}

/// Two shapes at rest.
#[derive(Clone, Copy)]
struct OverlapTest<'p> {
    a: (&'p Shape<'p>, &'p Pose),
    b: (&'p Shape<'p>, &'p Pose),
    /// Vector from the first position to the second.
    x: V3,
    /// Sum of both radii.
    radii: f64,
    /// Bound of the rounding error of a distance of the cores.
    tiny: f64,
}

impl<'p> OverlapTest<'p> {
    #[inline(always)]
    fn new(a: (&'p Shape<'p>, &'p Pose), b: (&'p Shape<'p>, &'p Pose)) -> Self {
        let x = V3::of(b.1.position) - V3::of(a.1.position);
        let tiny = ROUNDING * (x.length() + a.0.bounding_radius + b.0.bounding_radius);
        Self { a, b, x, radii: a.0.radius + b.0.radius, tiny }
    }

    /// Returns whether bounds of the distance of the cores decide that the shapes overlap, or that they do not. The bounds may be NaN.
    #[inline(always)]
    fn decide(&self, lower: f64, upper: f64) -> Option<bool> {
        // A distance is positive for such bounds, and for no others.
        if lower_bound(lower, self.radii, self.tiny) > 0.0 {
            return Some(false);
        }
        (upper <= self.limit()).then_some(true)
    }

    /// A distance of the cores at which the shapes touch but for rounding. It is below the least one at which a distance is positive, by more than
    /// the rounding errors of both, so that no search finds an overlap where the distance is positive.
    #[inline(always)]
    fn limit(&self) -> f64 {
        self.radii + 0.5 * (self.tiny + ROUNDING * self.radii)
    }

    #[inline(always)]
    fn run(self) -> Option<bool> {
        let Self { a: (a, a_pose), b: (b, b_pose), x, .. } = self;
        let of_balls = x.length() - (a.bounding_radius + b.bounding_radius);
        if self.decide(of_balls, f64::INFINITY).is_some() {
            return Some(false);
        }
        let (Some(of_a), Some(of_b)) = (a.core.half_extents(), b.core.half_extents()) else {
            return self.search();
        };
        match with_segments([of_a, of_b], [a_pose.rotation, b_pose.rotation], self) {
            Some(found) => found,
            None => self.boxes().or_else(|| self.search()),
        }
    }

    /// Decides by the axes that can separate two boxes, unless they almost touch or only their radii may overlap.
    #[inline(never)]
    fn boxes(&self) -> Option<bool> {
        let pair = RotatedPair::of_poses(self.a, self.b);
        let boxes = BoxPair::new(&pair)?;
        let own = boxes.own(self.x);
        if self.decide(boxes.gap_along_faces(own), f64::INFINITY).is_some() {
            return Some(false);
        }
        let axis = boxes.widest_axis(own, EDGES_OF_DEPTH);
        let gap = boxes.width(own, boxes.toward(axis, own));
        let clearly = DEPTH_MIN * (self.a.0.bounding_radius + self.b.0.bounding_radius);
        let upper = if gap <= -clearly { 0.0 } else { f64::INFINITY };
        self.decide(gap, upper)
    }

    /// Decides by the search of GJK, which begins along the direction between the positions.
    #[inline(never)]
    fn search(&self) -> Option<bool> {
        let pair = RotatedPair::of_poses(self.a, self.b);
        let guess = (self.x.unit().unwrap_or(V3::X), f64::NEG_INFINITY);
        let enough = Accuracy::Beyond(self.limit());
        let found = pair.nearest_within(self.x, &mut Simplex::default(), guess, self.tiny, enough);
        self.decide(found.lower, found.upper)
    }

    /// Decides by the distance.
    #[cold]
    #[inline(never)]
    fn by_distance(&self) -> bool {
        let ((a, a_pose), (b, b_pose)) = (self.a, self.b);
        distance_of_valid(a, a_pose, b, b_pose, &mut GjkCache::default()).distance <= 0.0
    }
}

impl WithPair for OverlapTest<'_> {
    type Output = Option<bool>;

    #[inline(always)]
    fn with<P: GuessedPair>(self, pair: P) -> Option<bool> {
        let own = pair.own(self.x);
        let between = P::between(&pair.nearest(own));
        let upper = between.length();
        self.decide(pair.width(own, between * (1.0 / upper)), upper)
    }
}
