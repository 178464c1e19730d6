//! A tick that was read from a file.

use crate::columns::MovingBoxColumns;
use crate::geom::{Filter, Motion};
use crate::meshes::{Compound, Geometry, HeightField, Mesh};
use crate::narrowphase::record::{NUMBERS_MAX, Recorded};
use crate::narrowphase::{Hull, InvalidShape, OwnedShape};
use crate::par::Arc;
use crate::pipeline::config::Config;
use crate::pipeline::scene::{BodyFlags, ConvexBody, GeometryBody, Scene};
use alloc::vec::Vec;

/// A tick that was read from a file.
#[derive(Clone, Debug)]
pub struct Capture {
    pub(super) config: Config,
    /// Nine columns of boxes, then three of accelerations, which may be empty.
    pub(super) columns: [Vec<f32>; 12],
    pub(super) flags: Option<Vec<BodyFlags>>,
    pub(super) filters: Option<Vec<Filter>>,
    pub(super) hulls: Vec<Arc<Hull>>,
    pub(super) bodies: Vec<CapturedBody>,
    pub(super) geometries: Vec<Arc<CapturedGeometry>>,
    /// The row, the motion and the geometry of each body with parts.
    pub(super) with_parts: Vec<(u32, Motion, u32)>,
}

/// A convex body.
#[derive(Clone, Debug)]
pub(super) struct CapturedBody {
    pub(super) row: u32,
    pub(super) motion: Motion,
    pub(super) shape: OwnedShape,
}

/// A shape, with its hull by index.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapturedShape {
    pub(super) form: u8,
    pub(super) numbers: [f64; NUMBERS_MAX],
    pub(super) radius: f64,
    pub(super) hull: u32,
}

/// A geometry that a body may have.
#[derive(Debug)]
pub(super) enum CapturedGeometry {
    Convex(OwnedShape),
    Compound(Compound),
    Mesh(Mesh<'static>),
    HeightField(HeightField<'static>),
}

impl Capture {
    /// The settings of the tick.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The convex bodies, for [`Capture::scene`].
    #[must_use]
    pub fn convex(&self) -> Vec<ConvexBody<'_>> {
        let bodies = self.bodies.iter().map(|CapturedBody { row, motion, shape }| ConvexBody {
            row: *row,
            shape: shape.shape(),
            motion: *motion,
        });
        bodies.collect()
    }

    /// The bodies with parts, for [`Capture::scene`].
    #[must_use]
    pub fn geometries(&self) -> Vec<GeometryBody<'_>> {
        let body = |&(row, motion, number): &(u32, Motion, u32)| {
            let geometry = match &*self.geometries[number as usize] {
                CapturedGeometry::Convex(shape) => shape.shape().into(),
                CapturedGeometry::Compound(compound) => compound.into(),
                CapturedGeometry::Mesh(mesh) => Geometry::Mesh(mesh),
                CapturedGeometry::HeightField(field) => Geometry::HeightField(field),
            };
            GeometryBody { row, geometry, motion }
        };
        self.with_parts.iter().map(body).collect()
    }

    /// The scene of the tick, of [`Capture::convex`] and [`Capture::geometries`].
    #[must_use]
    pub fn scene<'a>(
        &'a self,
        convex: &'a [ConvexBody<'a>],
        geometries: &'a [GeometryBody<'a>],
    ) -> Scene<'a, 'a> {
        let [boxes @ .., ax, ay, az] = self.columns.each_ref().map(Vec::as_slice);
        let boxes: [_; 9] = boxes;
        let boxes = MovingBoxColumns::from_columns(boxes).expect("the columns are equally long");
        Scene {
            boxes,
            accel: [ax, ay, az],
            convex,
            flags: self.flags.as_deref(),
            filters: self.filters.as_deref(),
            geometries,
        }
    }
}

impl CapturedShape {
    /// Returns the shape with its hull. That of a hull with different factors takes time in proportion to its vertices, if these are few.
    pub(super) fn owned(&self, hulls: &[Arc<Hull>]) -> Result<OwnedShape, InvalidShape> {
        let Self { form, numbers, radius, hull } = *self;
        let hull = hulls.get(hull as usize);
        let recorded = Recorded { form, numbers, radius, hull: hull.map(|hull| &**hull) };
        Ok(OwnedShape::with_hull(recorded.shape()?, hull))
    }
}
