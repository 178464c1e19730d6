//! Shapes at rest in the boxes of a hierarchy or a broadphase.

use std::collections::HashMap;
use std::sync::Arc;

use pyo3::prelude::*;
use swath::mesh::Geometry;
use swath::{Pose, ProxyId, Shape};

use super::bounds::poses;
use super::{Body, CLASSES, reason, sequence};
use crate::arguments::{same_rows, wrong};
use crate::arrays::Numbers;

/// Shapes at rest, for queries of the shapes in the boxes of a ``Bvh`` or a ``Broadphase``.
///
/// ``shapes`` are of any class; ``position``, ``(n, 3)``, and the quaternions ``rotation``, ``(n, 4)`` of any length, have a row
/// for each. Without ``rotation``, no body is rotated. For a ``Bvh``, body ``i`` is in box ``i``. For a ``Broadphase``, ``ids``,
/// ``(n,)`` uint64, are those of the boxes; each occurs once, and a box without a body is not found. Each box must contain
/// its body, as those of ``bounds_over`` do; what is outside of it may not be found. ``len(bodies)`` is the number of bodies. Several threads may
/// use one object at once.
#[pyclass(frozen, name = "Bodies", module = "swath")]
pub(crate) struct PlacedBodies {
    shapes: Arc<[Body]>,
    rows: Option<Arc<HashMap<u64, usize>>>,
    poses: Vec<Pose>,
}

/// Returns the row of each id.
fn rows_of(ids: &Bound<'_, PyAny>, shapes: usize) -> PyResult<HashMap<u64, usize>> {
    let ids = Numbers::<u64>::new("ids", ids)?;
    let ids = ids.numbers();
    same_rows("ids", ids.len(), "shapes", shapes)?;
    let mut rows = HashMap::with_capacity(ids.len());
    for (row, &id) in ids.iter().enumerate() {
        if let Some(other) = rows.insert(id, row) {
            return Err(wrong("ids", format!("rows {other} and {row} have the same id {id}")));
        }
    }
    Ok(rows)
}

#[pymethods]
impl PlacedBodies {
    #[new]
    #[pyo3(signature = (shapes, position, *, rotation=None, ids=None))]
    fn new(
        shapes: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let bodies = Self::read(shapes, position, rotation)?;
        let rows = ids.map(|ids| rows_of(ids, bodies.poses.len()).map(Arc::new)).transpose()?;
        Ok(Self { rows, ..bodies })
    }

    /// Returns the same bodies, with the same ids, at other positions and rotations. The shapes are not read again.
    #[pyo3(signature = (position, *, rotation=None))]
    fn moved_to(
        &self,
        position: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let poses = poses(position, rotation, self.shapes.len())?;
        Ok(Self { shapes: self.shapes.clone(), rows: self.rows.clone(), poses })
    }

    fn __len__(&self) -> usize {
        self.shapes.len()
    }

    /// The rows with an invalid position or rotation, each with the reason. They are not found.
    #[getter]
    fn rejected(&self) -> Vec<(usize, String)> {
        let checks = self.poses.iter().map(Pose::validate).enumerate();
        checks.filter_map(|(row, check)| Some((row, reason(&check.err()?)))).collect()
    }
}

impl PlacedBodies {
    /// Reads bodies without ids.
    pub(crate) fn read(
        shapes: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let shapes: Arc<[Body]> = sequence(shapes, CLASSES, Body::of)?.into();
        let poses = poses(position, rotation, shapes.len())?;
        Ok(Self { shapes, rows: None, poses })
    }

    /// Returns the shape of each body.
    pub(crate) fn geometries(&self) -> Vec<Geometry<'_>> {
        self.shapes.iter().map(Body::geometry).collect()
    }

    /// Returns the pose of each body.
    pub(crate) fn poses(&self) -> &[Pose] {
        &self.poses
    }

    fn row(&self, row: usize) -> (Geometry<'_>, Pose) {
        (self.shapes[row].geometry(), self.poses[row])
    }

    /// Checks that these are the bodies of `boxes` boxes, and returns the function from the row of a box to its body.
    pub(crate) fn of_rows<'a>(
        &'a self,
        boxes: usize,
    ) -> PyResult<impl Fn(u32) -> (Geometry<'a>, Pose) + Sync> {
        if self.rows.is_some() {
            return Err(wrong("bodies", "those of a Bvh have no ids: body i is in box i"));
        }
        if self.shapes.len() != boxes {
            let got = self.shapes.len();
            let wanted = format!("expected one for each of {boxes} boxes, got {got}");
            return Err(wrong("bodies", wanted));
        }
        Ok(|row: u32| self.row(row as usize))
    }

    /// Checks that these bodies have ids, and returns the function from an id to its body. A box without one has a body that
    /// no query finds, because its position is invalid.
    pub(crate) fn of_ids<'a>(
        &'a self,
    ) -> PyResult<impl Fn(ProxyId) -> (Geometry<'a>, Pose) + Sync> {
        let Some(rows) = &self.rows else {
            return Err(wrong("bodies", "those of a Broadphase need ids"));
        };
        let point = Shape::sphere(0.0).map_err(|error| wrong("bodies", error))?;
        let none = Pose { position: [f32::NAN; 3], ..Pose::IDENTITY };
        Ok(move |id: ProxyId| {
            let row = rows.get(&id.to_bits());
            row.map_or((Geometry::from(point), none), |&row| self.row(row))
        })
    }
}
