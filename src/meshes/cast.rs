//! Where a segment or a ray enters a body with parts.
//!
//! A segment is the path of a point, so this is the first time of a point and the body, with a tolerance of 2⁻²⁶ of its size.

use super::geometry::Geometry;
use super::search::{each_part, is_earlier};
use crate::geom::{Invalid, MapEach, Motion, Pose, Segment, SegmentStart, each_axis};
use crate::narrowphase::toi::part_search::{PartSearch, PartsExtent};
use crate::narrowphase::toi::{Settings, ToiResult, Touch};
use crate::narrowphase::{ConvexCast, Shape};

/// Result of a segment against a body with parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartCast {
    /// Where the segment enters first.
    pub cast: ConvexCast,
    /// The number of the part that it enters; 0 without one.
    pub part: u32,
}

impl Geometry<'_> {
    /// Computes where a segment first enters a part of the geometry at `pose`.
    ///
    /// Triangles have no inside, and are entered from both sides, also if the mesh is one-sided.
    ///
    /// # Errors
    ///
    /// [`Invalid`] if the pose or the segment is invalid.
    ///
    /// ```
    /// use swath::convex::ConvexCast;
    /// use swath::mesh::{Geometry, HeightField};
    /// use swath::{Pose, Segment};
    ///
    /// let field = HeightField::new(vec![0.0, 1.0, 0.0, 1.0], [2, 2], [1.0, 1.0])?;
    /// let down = Segment::new([0.25, 4.0, 0.5], [0.0, -8.0, 0.0])?;
    /// let found = Geometry::from(&field).cast(&Pose::IDENTITY, &down)?;
    /// let ConvexCast::Hit { point, .. } = found.cast else { panic!("{found:?}") };
    /// assert!((point[1] - 0.25).abs() < 1e-5, "{found:?}");
    /// assert_eq!(found.part, 1, "{found:?}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast(&self, pose: &Pose, segment: &Segment) -> Result<PartCast, Invalid> {
        pose.validate()?;
        segment.validate()?;
        if let Self::Convex(shape) = self {
            return Ok(PartCast { cast: shape.cast(pose, segment)?, part: 0 });
        }
        let point = Shape::point();
        let start = Pose { position: segment.start, ..Pose::IDENTITY };
        let path = Motion { pose: start, delta: segment.delta, ..Motion::default() };
        let last = past(segment, pose, self.extent().bounding_radius);
        let body = Motion::from(*pose);
        let settings =
            Settings { tolerance: CAST_TOLERANCE, touch: Touch::Hit, ..Settings::default() };
        let extent = PartsExtent { one_sided: false, ..self.extent() };
        let search = PartSearch::new(&point, &path, (&body, &extent), &settings, last);
        let (mut best, mut part, mut until) = (ToiResult::Separated, 0, last);
        each_part(&search, self, [0.0, last], &mut |of, from| {
            let part_of = self.part(of);
            let Some(plan) = search.plan(of, &part_of, [from, until]) else { return until };
            let found = search.find(&plan, &part_of, until, None).result;
            if let Some(t) = is_earlier(&found, &best, 0.0) {
                (best, part, until) = (found, of, t);
            }
            until
        });
        let cast = match best {
            ToiResult::Impact { t, normal, on_b, .. } => {
                let start = if t > 0.0 { SegmentStart::Outside } else { SegmentStart::OnSurface };
                ConvexCast::Hit { fraction: t, point: on_b, normal: normal.map_each(|x| -x), start }
            }
            ToiResult::Overlapping { .. } => ConvexCast::Inside,
            ToiResult::Separated => ConvexCast::Missed,
            ToiResult::Unresolved { t_safe } => ConvexCast::Unresolved { fraction: t_safe },
        };
        Ok(PartCast { cast, part })
    }
}

/// Tolerance of casts, relative to the size of the geometry.
const CAST_TOLERANCE: f32 = 1.0 / (1 << 26) as f32;

/// A fraction of a segment from which on it is outside of the ball around a geometry, or its end.
fn past(segment: &Segment, pose: &Pose, radius: f64) -> f64 {
    let length = |v: [f64; 3]| libm::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    let between = each_axis(|axis| f64::from(segment.start[axis]) - f64::from(pose.position[axis]));
    let pace = length(segment.delta.map_each(f64::from));
    if pace == 0.0 {
        return 0.0;
    }
    let last = (length(between) + radius) * (1.0 + 1e-12) / pace;
    let most = f64::from(segment.max_fraction);
    if last < most { last } else { most }
}
