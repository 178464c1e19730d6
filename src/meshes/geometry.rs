//! A body of any kind: convex, or with parts.

use super::compound::Compound;
use super::height_field::HeightField;
use super::mesh::Mesh;
use crate::broadphase::bvh::{TriangleLeaves, write_triangle};
use crate::geom::{Aabb, Invalid, Motion, MovingBox, Pose, check_margin};
use crate::kernels::bounds;
use crate::lanes::Level;
use crate::narrowphase::Shape;
use crate::narrowphase::toi::part_search::{Part, PartsExtent};
use crate::narrowphase::toi::triangle_bounds::TriangleColumns;
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

/// Where the corners of the triangles of a geometry are.
#[derive(Clone, Copy)]
pub(super) enum TriangleSource<'a> {
    /// In the leaves of a mesh.
    Leaves(TriangleLeaves<'a>),
    /// They are computed.
    Field(&'a HeightField<'a>),
    /// There are no triangles.
    Nowhere,
}

impl TriangleSource<'_> {
    /// Writes the corners of a part that [`Geometry::sweep`] found to a lane of columns.
    #[inline]
    pub(super) fn write_corners(&self, part: u32, columns: &mut TriangleColumns, lane: usize) {
        match self {
            Self::Leaves(leaves) => leaves.write_corners(part, columns, lane),
            Self::Field(field) => {
                let Part::Triangle(corners) = field.part(part) else { return };
                write_triangle(columns, lane, corners);
            }
            Self::Nowhere => {}
        }
    }
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

    /// Returns the number of parts: numbers of parts in results are below it.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.order().1
    }

    /// Returns the size of the geometry, to which tolerances are relative: that of a [shape](Shape::size), or half the diagonal of the box around all parts
    /// in the axes of the geometry.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.extent().size
    }

    /// Returns a moving box that contains the geometry during the whole tick, enlarged by a margin on all sides: the box
    /// of a proxy, or of a row of a [`PairFinder`](crate::PairFinder). A geometry without parts has a point.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the motion is invalid, or the box would reach past [`COORD_MAX`](crate::COORD_MAX);
    /// [`Invalid::Margin`] when the margin is negative, NaN or too large.
    pub fn bounds_over(&self, motion: &Motion, margin: f32) -> Result<MovingBox, Invalid> {
        check_margin(margin)?;
        let mut around = Ok(Default::default());
        self.with_bounds(&mut |shape| around = shape.bounds_over(motion));
        let moving = bounds::enclosing_box(&around?, margin);
        moving.validate()?;
        Ok(moving)
    }

    /// Returns the extent for tests of the parts against another geometry. The sides of triangles do not count against triangles.
    pub(super) fn extent_against(&self, other: &Geometry<'_>) -> PartsExtent {
        let extent = self.extent();
        let has_triangles = matches!(other, Geometry::Mesh(_) | Geometry::HeightField(_));
        PartsExtent { one_sided: extent.one_sided && !has_triangles, ..extent }
    }

    /// Rank of the kind (0: convex, 1: compound, 2: triangles) and the number of parts. Of two bodies, the one with the lesser
    /// result is divided into shapes.
    pub(super) fn order(&self) -> (u8, usize) {
        match self {
            Self::Convex(_) => (0, 1),
            Self::Compound(compound) => (1, compound.parts().len()),
            Self::Mesh(mesh) => (2, mesh.triangles().len()),
            Self::HeightField(field) => (2, field.triangle_count() as usize),
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

    /// Returns where the corners of triangles are.
    pub(super) fn triangle_source(&self) -> TriangleSource<'_> {
        match self {
            Self::Mesh(mesh) => TriangleSource::Leaves(mesh.tree().tree.triangle_leaves()),
            Self::HeightField(field) => TriangleSource::Field(field),
            Self::Convex(_) | Self::Compound(_) => TriangleSource::Nowhere,
        }
    }

    /// Returns the level that bounds for triangles are computed on, if the parts are triangles.
    pub(super) fn level_of_triangles(&self) -> Option<Level> {
        match self {
            Self::Convex(_) | Self::Compound(_) => None,
            Self::Mesh(mesh) => Some(mesh.tree().exec.level),
            Self::HeightField(field) => Some(field.level()),
        }
    }

    /// Returns the number of a part as the caller counts them, for a part that [`Geometry::sweep`] or [`Geometry::overlap`]
    /// found.
    pub(super) fn number(&self, part: u32) -> u32 {
        match self {
            Self::Mesh(mesh) => mesh.number(part),
            _ => part,
        }
    }

    /// Calls `visitor` with each part whose box meets a moving box, and with a time that is not after they meet, roughly in the
    /// order of these times. `visitor` returns the time after which no part counts.
    pub(super) fn sweep(&self, path: &MovingBox, visitor: &mut dyn FnMut(u32, f32) -> f32) {
        let tree = match self {
            Self::Convex(_) => {
                visitor(0, 0.0);
                return;
            }
            Self::HeightField(field) => return field.sweep(path, visitor),
            Self::Compound(compound) => compound.tree(),
            Self::Mesh(mesh) => mesh.tree(),
        };
        // The box around a path is valid.
        if let Ok(query) = tree.queries().sweep(path) {
            query.visit(|hit| visitor(hit.row, hit.value));
        }
    }

    /// Calls `visitor` with the parts whose boxes touch a box.
    pub(super) fn overlap(&self, aabb: &Aabb, visitor: &mut dyn FnMut(u32)) {
        let tree = match self {
            Self::Convex(_) => return visitor(0),
            Self::HeightField(field) => return field.overlap(aabb, visitor),
            Self::Compound(compound) => compound.tree(),
            Self::Mesh(mesh) => mesh.tree(),
        };
        if let Ok(query) = tree.queries().overlap(aabb) {
            query.visit(|row| {
                visitor(row);
                ControlFlow::Continue(())
            });
        }
    }

    /// Calls `visitor` with a box around the geometry as a shape.
    pub(crate) fn with_bounds(&self, visitor: &mut dyn FnMut(&Shape<'_>)) {
        if let Self::Convex(shape) = self {
            return visitor(shape);
        }
        let Some(aabb) = self.bounds() else { return visitor(&Shape::point()) };
        let pose = Pose { position: aabb.center(), ..Pose::IDENTITY };
        // The half extents are rounded up, so the shape contains the box.
        let shape = Shape::cuboid(aabb.half_extents()).expect("a valid box has valid half extents");
        Part::Convex(shape, pose).with_shape(self.extent().size, visitor);
    }
}
