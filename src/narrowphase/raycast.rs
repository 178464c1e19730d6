//! Where a segment or a ray enters a convex shape.
//!
//! A segment is the path of a point, and the time of impact of a point with a shape at rest is a
//! [search](super::toi) without rotation: planes between them, until one is reached (van den Bergen
//! 2004, "Ray casting against general convex objects"). The entry point of a flat face is exact but
//! for rounding; of a curved surface it is within the tolerance of 2⁻²⁰ of the shape's size.
//!
//! Promise: never late, never missed, as for first times. A start inside or on the surface is
//! reported.

use super::math::{V3, greater, lesser};
use super::shape::Shape;
use super::toi::search::Search;
use super::toi::{Settings, ToiResult, Touch};
use crate::geom::{Invalid, Motion, Pose, Segment, SegmentStart};

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
    /// Computes where `segment` enters the shape, which is at `pose`.
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
        let start = Pose { position: segment.start, ..Pose::IDENTITY };
        let path = Motion { pose: start, delta: segment.delta, ..Motion::default() };
        // Past that fraction, the point has left the ball around the shape for good.
        let away = (V3::of(segment.start) - V3::of(pose.position)).length();
        let pace = V3::of(segment.delta).length();
        let past = (away + self.bounding_radius + self.radius) * (1.0 + 1e-12)
            / greater(pace, f64::MIN_POSITIVE);
        let last = lesser(past, segment.max_fraction.into());
        let settings = Settings { tolerance: TOLERANCE, touch: Touch::Hit, ..Settings::default() };
        // Beyond `last` nothing can be hit. It fits in `f32`, because the segment's own limit does.
        let window = [0.0, if pace > 0.0 { last } else { 0.0 }];
        let a = (self, &Motion::from(*pose));
        let toi = Search::find(a, (&point, &path), &settings, window, None);
        match toi.result {
            ToiResult::Impact { t, normal, on_a, on_b, .. } => {
                let point = if self.radius > 0.0 { on_a } else { on_b };
                let start =
                    if toi.rounds == 1 { SegmentStart::OnSurface } else { SegmentStart::Outside };
                ConvexCast::Hit { fraction: t, point, normal, start }
            }
            ToiResult::Overlapping { .. } => ConvexCast::Inside,
            ToiResult::Separated => ConvexCast::Missed,
            ToiResult::Unresolved { t_safe } => ConvexCast::Unresolved { fraction: t_safe },
        }
    }
}
