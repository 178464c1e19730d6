//! A body of any kind: convex, or with parts.

use super::compound::Compound;
use super::height_field::HeightField;
use super::mesh::Mesh;
use super::search::{each_part, is_earlier};
use crate::geom::{Aabb, Invalid, Motion, MovingBox, Pose, Segment, SegmentStart};
use crate::kernels::bounds;
use crate::lanes::prefetch;
use crate::narrowphase::toi::part_search::{Part, PartSearch, PartsExtent};
use crate::narrowphase::toi::{Settings, ToiResult, Touch};
use crate::narrowphase::{ConvexCast, Shape};
use core::ops::ControlFlow;

/// A convex shape or a body with parts. It is cheap to copy: bodies with parts are borrowed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Geometry<'a> {
    /// A convex shape, whose only part has the number 0.
    Convex(Shape<'a>),
    /// Convex shapes; the number of a part is its index.
    Compound(&'a Compound),
    /// Triangles; the number of a part is the index of the triangle.
    Mesh(&'a Mesh<'a>),
    /// A grid of heights; the number of a part is that of the triangle.
    HeightField(&'a HeightField<'a>),
}

impl<'a> From<Shape<'a>> for Geometry<'a> {
    fn from(shape: Shape<'a>) -> Self {
        Self::Convex(shape)
    }
}

impl<'a> From<&'a Compound> for Geometry<'a> {
    fn from(compound: &'a Compound) -> Self {
        Self::Compound(compound)
    }
}

impl<'a> From<&'a Mesh<'a>> for Geometry<'a> {
    fn from(mesh: &'a Mesh<'a>) -> Self {
        Self::Mesh(mesh)
    }
}

impl<'a> From<&'a HeightField<'a>> for Geometry<'a> {
    fn from(field: &'a HeightField<'a>) -> Self {
        Self::HeightField(field)
    }
}

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
    /// Returns the box around the geometry in its own axes, or `None` if it has no part.
    ///
    /// A shape so large that its box exceeds [`COORD_MAX`](crate::COORD_MAX) has none either.
    #[must_use]
    pub fn bounds(&self) -> Option<Aabb> {
        match self {
            Self::Convex(shape) => shape.bounds(&Pose::IDENTITY).ok(),
            Self::Compound(compound) => compound.bounds(),
            Self::Mesh(mesh) => mesh.bounds(),
            Self::HeightField(field) => field.bounds(),
        }
    }

    /// Returns a moving box that contains the geometry during the whole tick, enlarged by a margin on all sides: the box
    /// of a proxy, or of a row of a [`PairFinder`](crate::PairFinder). A geometry without parts has a point.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the motion is invalid, the margin is not a number, or the box would reach past
    /// [`COORD_MAX`](crate::COORD_MAX).
    pub fn bounds_over(&self, motion: &Motion, margin: f32) -> Result<MovingBox, Invalid> {
        let mut around = Ok(Default::default());
        self.with_bounds(&mut |shape| around = shape.bounds_over(motion));
        let moving = bounds::enclosing_box(&around?, margin);
        moving.validate()?;
        Ok(moving)
    }

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
    /// let down = Segment::new([0.25, 4.0, 0.5], [0.25, -4.0, 0.5])?;
    /// let found = Geometry::from(&field).cast(&Pose::IDENTITY, &down)?;
    /// let ConvexCast::Hit { point, .. } = found.cast else { panic!("{found:?}") };
    /// assert!((point[1] - 0.25).abs() < 1e-5 && found.part == 1);
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
            ToiResult::Impact { t, normal, on_a, on_b, .. } => {
                // The point of the part is on its surface, and that of a flat part on the segment as well.
                let (point, start) =
                    (on_b, if t > 0.0 { SegmentStart::Outside } else { SegmentStart::OnSurface });
                let _ = on_a;
                ConvexCast::Hit { fraction: t, point, normal: normal.map(|x| -x), start }
            }
            ToiResult::Overlapping { .. } => ConvexCast::Inside,
            ToiResult::Separated => ConvexCast::Missed,
            ToiResult::Unresolved { t_safe } => ConvexCast::Unresolved { fraction: t_safe },
        };
        Ok(PartCast { cast, part })
    }

    /// The number of parts.
    pub(super) fn parts(&self) -> usize {
        match self {
            Self::Convex(_) => 1,
            Self::Compound(compound) => compound.parts().len(),
            Self::Mesh(mesh) => mesh.triangles().len(),
            Self::HeightField(field) => field.triangle_count() as usize,
        }
    }

    pub(super) fn extent(&self) -> PartsExtent {
        match self {
            Self::Convex(shape) => {
                PartsExtent { bounding_radius: shape.reach(), size: shape.size(), one_sided: false }
            }
            Self::Compound(compound) => compound.extent,
            Self::Mesh(mesh) => mesh.extent,
            Self::HeightField(field) => field.extent,
        }
    }

    /// Returns a part that [`Geometry::sweep`] or [`Geometry::overlap`] found.
    pub(super) fn part(&self, part: u32) -> Part<'_> {
        match self {
            Self::Convex(shape) => Part::Convex(*shape, Pose::IDENTITY),
            Self::Compound(compound) => compound.part(part),
            Self::Mesh(mesh) => mesh.part(part),
            Self::HeightField(field) => field.part(part),
        }
    }

    /// Prefetches where the corners of a part are.
    pub(super) fn prefetch(&self, part: u32) {
        if let Self::Mesh(mesh) = self {
            prefetch(&mesh.triangles()[part as usize..=part as usize]);
        }
    }

    /// Prefetches the corners of a part.
    pub(super) fn prefetch_corners(&self, part: u32) {
        if let Self::Mesh(mesh) = self {
            for vertex in mesh.triangles()[part as usize] {
                let vertex = vertex as usize;
                prefetch(mesh.vertices().get(vertex..=vertex).unwrap_or_default());
            }
        }
    }

    /// Calls `see` with the parts whose boxes meet a moving box, roughly in the order of time, and a time before that;
    /// `see` returns the time after which nothing counts.
    pub(super) fn sweep(&self, path: &MovingBox, see: &mut dyn FnMut(u32, f32) -> f32) {
        let tree = match self {
            Self::Convex(_) => {
                see(0, 0.0);
                return;
            }
            Self::HeightField(field) => return field.sweep(path, see),
            Self::Compound(compound) => compound.tree(),
            Self::Mesh(mesh) => mesh.tree(),
        };
        // The box around a path is valid.
        if let Ok(query) = tree.queries().sweep(path) {
            query.visit(|hit| see(hit.row, hit.value));
        }
    }

    /// Calls `see` with the parts whose boxes touch a box.
    pub(super) fn overlap(&self, aabb: &Aabb, see: &mut dyn FnMut(u32)) {
        let tree = match self {
            Self::Convex(_) => return see(0),
            Self::HeightField(field) => return field.overlap(aabb, see),
            Self::Compound(compound) => compound.tree(),
            Self::Mesh(mesh) => mesh.tree(),
        };
        if let Ok(query) = tree.queries().overlap(aabb) {
            query.visit(|row| {
                see(row);
                ControlFlow::Continue(())
            });
        }
    }

    /// Calls `see` with a box around the geometry as a shape.
    pub(super) fn with_bounds(&self, see: &mut dyn FnMut(&Shape<'_>)) {
        if let Self::Convex(shape) = self {
            return see(shape);
        }
        let Some(aabb) = self.bounds() else { return see(&Shape::point()) };
        let pose = Pose { position: aabb.center(), ..Pose::IDENTITY };
        // The half extents are rounded up, so the shape contains the box. They are valid because the box is.
        let shape = Shape::cuboid(aabb.half_extents()).unwrap_or_else(|_| Shape::point());
        Part::Convex(shape, pose).with_shape(self.extent().size, see);
    }
}

/// Tolerance of casts, relative to the size of the geometry.
const CAST_TOLERANCE: f32 = 1.0 / (1 << 26) as f32;

/// A fraction of a segment from which on it is outside of the ball around a geometry, or its end.
fn past(segment: &Segment, pose: &Pose, radius: f64) -> f64 {
    let length = |v: [f64; 3]| libm::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    let between = core::array::from_fn(|axis| {
        f64::from(segment.start[axis]) - f64::from(pose.position[axis])
    });
    let pace = length(segment.delta.map(f64::from));
    if pace == 0.0 {
        return 0.0;
    }
    let last = (length(between) + radius) * (1.0 + 1e-12) / pace;
    let most = f64::from(segment.max_fraction);
    if last < most { last } else { most }
}
