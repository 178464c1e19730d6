//! Where a segment or a ray enters a convex shape.
//!
//! A segment is the path of a point, and the time of impact of a point with a shape at rest is a
//! [search](super::toi) without rotation: planes between them, until one is reached (van den Bergen
//! 2004, "Ray casting against general convex objects"). The entry point is within the tolerance of
//! 2⁻²⁰ of the shape's size, but at least 2⁻²⁷ of the distance of the start and of the shape's reach, and at least 2⁻¹²⁷. A segment that is much
//! longer than these is shortened first, because the bound of the rounding errors is relative to its length.
//!
//! Promise: never late, never missed, as for first times. A start inside or on the surface is
//! reported.

use super::math::{V3, greater, lesser, round_down};
use super::shape::Shape;
use super::toi::search::Search;
use super::toi::{Settings, ToiResult, Touch};
use crate::geom::{Invalid, MapEach, Motion, Pose, Segment, SegmentStart};

/// Tolerance of the distance from the surface, relative to the shape's size.
const TOLERANCE: f32 = 1.0 / (1 << 20) as f32;

/// Result of a segment against a convex shape.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ConvexCast {
    /// The segment enters, or starts on the surface.
    Hit {
        /// Entry point as a fraction of the segment's `delta`; never late.
        fraction: f32,
        /// The entry point in world coordinates, rounded to nearest.
        point: [f32; 3],
        /// Unit normal of the surface at that point, out of the shape.
        normal: [f32; 3],
        /// Whether the segment starts on the surface: within the tolerance on either side of it.
        start: SegmentStart,
    },
    /// The segment starts inside.
    Inside,
    /// The segment misses the shape.
    #[default]
    Missed,
    /// The search reached its limit: up to `fraction` the segment does not enter; the rest is
    /// unknown.
    Unresolved {
        /// A fraction of the segment's `delta`.
        fraction: f32,
    },
}

impl ConvexCast {
    /// Returns where the segment enters, as a fraction of its `delta`; 0 if it starts inside, and `None` if it misses or
    /// the search was given up.
    #[must_use]
    pub fn fraction(&self) -> Option<f32> {
        match *self {
            Self::Hit { fraction, .. } => Some(fraction),
            Self::Inside => Some(0.0),
            Self::Missed | Self::Unresolved { .. } => None,
        }
    }
}

impl Shape<'_> {
    /// Computes where `segment` enters the shape, which is at `pose`. What it enters beyond the greatest finite fraction is missed.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if the pose or the segment is invalid.
    ///
    /// ```
    /// use swath::{Pose, Segment, Shape};
    /// use swath::convex::ConvexCast;
    ///
    /// let cone = Shape::cone(1.0, 1.0)?;
    /// let down = Segment::ray([0.5, 9.0, 0.0], [0.0, -1.0, 0.0])?;
    /// let cast = cone.cast(&Pose::IDENTITY, &down)?;
    /// let ConvexCast::Hit { fraction, normal, .. } = cast else { panic!("{cast:?}") };
    /// assert!(fraction <= 9.0 && fraction > 8.99999);
    /// assert!((normal[0] / normal[1] - 2.0).abs() < 0.01);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast(&self, pose: &Pose, segment: &Segment) -> Result<ConvexCast, Invalid> {
        pose.validate()?;
        segment.validate()?;
        Ok(self.cast_valid(pose, segment))
    }

    /// Does what [`Shape::cast`] does, for a pose and a segment that are known to be valid.
    pub(crate) fn cast_valid(&self, pose: &Pose, segment: &Segment) -> ConvexCast {
        let point = Shape::point();
        let settings = Settings { tolerance: TOLERANCE, touch: Touch::Hit, ..Settings::default() };
        let path = SegmentPath::new(segment, pose, [self.bounding_radius, self.radius]);
        let a = (self, &Motion::from(*pose));
        let toi = Search::find(a, (&point, &path.motion), &settings, [0.0, path.last], None);
        match toi.result {
            // The point is that of the shape, which is at rest: that of the segment is at the time after rounding.
            ToiResult::Impact { t, normal, on_a: point, .. } => {
                let start =
                    if toi.rounds == 1 { SegmentStart::OnSurface } else { SegmentStart::Outside };
                ConvexCast::Hit { fraction: path.fraction(t), point, normal, start }
            }
            ToiResult::Overlapping { .. } => ConvexCast::Inside,
            ToiResult::Separated => ConvexCast::Missed,
            ToiResult::Unresolved { t_safe } => {
                ConvexCast::Unresolved { fraction: path.fraction(t_safe) }
            }
        }
    }
}

/// Segments of which less than this share can enter are shortened.
const SHORT: f64 = 1.0 / 4096.0;

/// Rounding error of a component of a shortened segment that does not matter, relative to the greatest component: it is far below
/// the bound of the rounding errors of a search, which is relative to the length.
const NEGLIGIBLE: f64 = 1.0 / (1_u64 << 60) as f64;

/// Least greatest component of a shortened segment of which others are below the normal numbers: their rounding error of up to 2⁻¹⁵⁰ is
/// negligible beside it.
const GREATEST_MIN: f64 = NEGLIGIBLE / (1_u64 << 30) as f64;

/// The path of a point along a segment that can enter something only up to some fraction.
///
/// If that is a small part of the segment, the path is this part: `delta` is multiplied by a power of two that is above the
/// fraction, which is exact but for components that are negligible, so that rounding errors are relative to the part.
pub(crate) struct SegmentPath {
    pub(crate) motion: Motion,
    /// The time of the path after which it can enter nothing.
    pub(crate) last: f64,
    /// The fraction of the segment at the end of the path.
    unit: f64,
}

impl SegmentPath {
    /// Returns the path along a segment that can enter only what is within the sum of both radii of the position of a body.
    pub(crate) fn new(segment: &Segment, body: &Pose, [core, around]: [f64; 2]) -> Self {
        let away = (V3::of(segment.start) - V3::of(body.position)).length();
        let pace = V3::of(segment.delta).length();
        // Past that fraction, the point has left the ball around the body for good.
        let past = (away + core + around) * (1.0 + 1e-12) / greater(pace, f64::MIN_POSITIVE);
        // What is entered beyond the greatest `f32` is missed, as by a cast against boxes.
        let last = lesser(past, lesser(segment.max_fraction.into(), f32::MAX.into()));
        Self::until(segment, if pace > 0.0 { last } else { 0.0 })
    }

    /// Returns the path along a segment that can enter something only up to the fraction `last`.
    fn until(segment: &Segment, last: f64) -> Self {
        let pose = Pose { position: segment.start, ..Pose::IDENTITY };
        let motion = Motion { pose, delta: segment.delta, ..Motion::default() };
        let whole = Self { motion, last, unit: 1.0 };
        if last == 0.0 {
            // A path that ends at its start does not move, so that rounding errors are not relative to its length.
            return Self { motion: Motion { delta: [0.0; 3], ..motion }, ..whole };
        }
        if !(f64::MIN_POSITIVE..SHORT).contains(&last) {
            return whole;
        }
        let power = |x: f64| f64::from_bits(x.to_bits() & f64::INFINITY.to_bits());
        let shortest = 2.0 * power(last);
        let scaled = |unit: f64| segment.delta.map_each(|x| f64::from(x) * unit);
        let exact = scaled(shortest);
        // It is not exact below the normal numbers.
        let greatest = exact.iter().fold(0.0, |most, x| greater(x.abs(), most));
        let is_near = |x: &f64| (x - f64::from(*x as f32)).abs() <= NEGLIGIBLE * greatest;
        let unit = match exact.iter().all(is_near) {
            true => shortest,
            false => lesser(shortest * (GREATEST_MIN / power(greatest)), 1.0),
        };
        let delta = scaled(unit).map_each(|x| x as f32);
        Self { motion: Motion { delta, ..motion }, last: last / unit, unit }
    }

    /// Returns the fraction of the segment at a time of the path, rounded down.
    pub(crate) fn fraction(&self, t: f32) -> f32 {
        round_down(f64::from(t) * self.unit)
    }
}
