//! Where a segment or a ray enters a body with parts.
//!
//! A segment is the path of a point. A triangle that it clearly crosses, or clearly misses, is decided by a few
//! products (`narrowphase/toi/cast_triangle.rs`). Any other part is searched for the first time of the point, with a
//! tolerance of 2⁻²⁶ of the size of the body.

use super::contacts::is_earlier;
use super::geometry::Geometry;
use super::memory::MetParts;
use super::search::{Intervals, visit_met_parts};
use crate::columns::{Checked, Columns, LengthMismatch};
use crate::geom::{Invalid, MapEach, Motion, Pose, Segment, SegmentStart, each_axis};
use crate::narrowphase::math::{M3, V3, round_down};
use crate::narrowphase::toi::cast_triangle::PointCast;
use crate::narrowphase::toi::part_search::{Part, PartSearch, Planned};
use crate::narrowphase::toi::{Settings, ToiResult, Touch};
use crate::narrowphase::{ConvexCast, SegmentPath, Shape};
use crate::par::{self, Threads};

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
    /// Never late, never missed. What it enters beyond the greatest finite fraction is missed. Of parts whose fractions differ by rounding alone, which is
    /// relative to the length of the segment and its distance from the geometry, it is any one of them. The normal is that of the triangle's face, on the side that the segment comes from.
    /// Triangles have no inside. A triangle of a [one-sided](super::Mesh::one_sided) mesh or height field is entered
    /// from its front only, and any other from both sides. A segment that runs along a triangle enters it. One that starts on a triangle enters
    /// it there, whichever way it goes, also on a one-sided one.
    ///
    /// A convex shape with a volume is cast by [`toi::one_to_one`](super::toi::one_to_one), with the geometry at rest.
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
    /// let ConvexCast::Hit { point, normal, .. } = found.cast else { panic!("{found:?}") };
    /// assert!((point[1] - 0.25).abs() < 1e-6 && normal[0] == -normal[1], "{found:?}");
    /// assert_eq!(found.part, 1, "{found:?}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cast(&self, pose: &Pose, segment: &Segment) -> Result<PartCast, Invalid> {
        pose.validate()?;
        segment.validate()?;
        Ok(self.cast_valid(pose, segment))
    }

    /// Computes where many segments first enter the geometry at `pose`: `out[i]` is the result of [`Geometry::cast`] for
    /// row `i`. An invalid row misses.
    ///
    /// # Errors
    ///
    /// [`CastsError`] if the pose is invalid, or `out` does not have the same number of rows; then nothing is written.
    ///
    /// ```
    /// use swath::batch::SegmentStore;
    /// use swath::mesh::{Geometry, Mesh, PartCast};
    /// use swath::{Pose, Segment, Threads};
    ///
    /// let wall = Mesh::new(vec![[2.0, -9.0, -9.0], [2.0, 9.0, -9.0], [2.0, 0.0, 9.0]], vec![[0, 1, 2]])?;
    /// let mut rays = SegmentStore::new();
    /// rays.push(Segment::ray([0.0; 3], [1.0, 0.0, 0.0])?)?;
    /// rays.push(Segment::ray([0.0; 3], [-1.0, 0.0, 0.0])?)?;
    /// let mut casts = [PartCast::default(); 2];
    /// Geometry::from(&wall).casts(&Pose::IDENTITY, &rays.checked(), &Threads::current(), &mut casts)?;
    /// let fractions = casts.map(|found| found.cast.fraction());
    /// assert!(fractions[0].is_some_and(|f| f <= 2.0 && f > 1.99999) && fractions[1].is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn casts(
        &self,
        pose: &Pose,
        segments: &Checked<'_, Columns<'_, Segment, 7>>,
        threads: &Threads,
        out: &mut [PartCast],
    ) -> Result<(), CastsError> {
        pose.validate()?;
        LengthMismatch::check("the output `out`", segments.len(), out.len())?;
        par::fill_chunks(threads, out, CHUNK, &|start, out| {
            for (row, out) in (start..).zip(out) {
                *out = match segments.is_rejected(row as u32) {
                    true => PartCast::default(),
                    false => self.cast_valid(pose, &segments.columns().get(row)),
                };
            }
        });
        Ok(())
    }

    /// Does what [`Geometry::cast`] does, for a pose and a segment that are known to be valid.
    pub(super) fn cast_valid(&self, pose: &Pose, segment: &Segment) -> PartCast {
        if let Self::Convex(shape) = self {
            return PartCast { cast: shape.cast_valid(pose, segment), part: 0 };
        }
        let point = Shape::point();
        let extent = self.extent();
        let path = SegmentPath::new(segment, pose, [extent.bounding_radius, 0.0]);
        let SegmentPath { motion: Motion { delta, .. }, last, .. } = path;
        let body = Motion::from(*pose);
        let settings =
            Settings { tolerance: CAST_TOLERANCE, touch: Touch::Hit, ..Settings::default() };
        let search = PartSearch::new(&point, &path.motion, (&body, &extent), &settings, last);
        let (mut best, mut part, mut until) = (ToiResult::Separated, 0, last);
        let (intervals, met) = (Intervals::new(&search, [0.0, last]), &mut MetParts::default());
        visit_met_parts(&search, self, &intervals, met, &mut |of, from| {
            let part_of = self.part(of);
            let crossing = match &part_of {
                Part::Triangle(corners) => search.cast_point(corners, until),
                Part::Convex(..) => PointCast::Unclear,
            };
            let found = match crossing {
                PointCast::Missed => return until,
                PointCast::Crosses { first, t } => ToiResult::Impact {
                    t: round_down(first),
                    normal: [0.0; 3],
                    on_a: [0.0; 3],
                    on_b: each_axis(|axis| {
                        let [x, d] = [segment.start[axis], delta[axis]].map_each(f64::from);
                        (x + d * t) as f32
                    }),
                    closing: 0.0,
                },
                PointCast::Unclear => {
                    match search.plan((of, 0), &part_of, [from, until], (None, &[])) {
                        Planned::Separated => return until,
                        Planned::Found(toi) => toi.result,
                        Planned::Search(plan) => {
                            search.find(&plan, &part_of, until, None, None).result
                        }
                    }
                }
            };
            if let Some(t) = is_earlier(&found, &best, 0.0) {
                (best, part, until) = (found, of, t);
            }
            until
        });
        let cast = match best {
            ToiResult::Impact { t, normal, on_b, .. } => {
                let start = if t > 0.0 { SegmentStart::Outside } else { SegmentStart::OnSurface };
                let face = self.face_toward(part, pose, segment);
                let normal = face.unwrap_or_else(|| normal.map_each(|x| -x));
                ConvexCast::Hit { fraction: path.fraction(t), point: on_b, normal, start }
            }
            ToiResult::Overlapping { .. } => ConvexCast::Inside,
            ToiResult::Separated => ConvexCast::Missed,
            ToiResult::Unresolved { t_safe } => {
                ConvexCast::Unresolved { fraction: path.fraction(t_safe) }
            }
        };
        let part = if cast == ConvexCast::Missed { 0 } else { self.number(part) };
        PartCast { cast, part }
    }

    /// Returns the normal of a triangle on the side that a segment comes from; `None` if the part is no triangle or has
    /// no area, or if the segment is parallel to it.
    fn face_toward(&self, part: u32, pose: &Pose, segment: &Segment) -> Option<[f32; 3]> {
        let Part::Triangle(corners) = self.part(part) else { return None };
        let [first, second, third] = corners.map_each(V3::of);
        let face = (second - first).cross(third - first).unit()?;
        let face = M3::of_quaternion(pose.rotation).rotate(face);
        let toward = face.dot(V3::of(segment.delta));
        let one_sided = self.extent().one_sided;
        let face = if toward > 0.0 && !one_sided { -face } else { face };
        (toward != 0.0).then(|| face.to_f32())
    }
}

/// Why a batch of casts could not be computed. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CastsError {
    /// The pose of the geometry is invalid.
    #[error(transparent)]
    Pose(#[from] Invalid),
    /// There is not one result for each segment.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
}

/// Segments that one thread takes at a time.
const CHUNK: usize = 64;

/// Tolerance of casts, relative to the size of the geometry.
const CAST_TOLERANCE: f32 = 1.0 / (1 << 26) as f32;
