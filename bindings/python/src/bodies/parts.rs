//! Bodies with parts: compounds of convex shapes, meshes of triangles, and height fields.

use std::sync::Arc;

use pyo3::prelude::*;
use swath::Pose;
use swath::convex::OwnedShape;
use swath::mesh::{Compound, HeightField, HeightFieldError, Mesh, TriangleFault};

use super::{Body, reason, sequence};
use crate::arguments::{Scalar, same_rows, vector, wrong};
use crate::arrays::{Grid, Rows, Vectors, collected};
use crate::threads::Workers;

/// The greatest number of parts of a compound: 2²⁷.
const PARTS_MAX: usize = 1 << 27;

/// Convex shapes that move as one body, each with a position and a rotation in the axes of the body.
///
/// ``shapes`` are ``Convex``; ``position``, ``(n, 3)``, and the quaternions ``rotation``, ``(n, 4)`` of any length, have
/// a row for each. Without ``rotation``, no part is rotated. The parts may overlap. ``len(compound)`` is the number of
/// parts, and the number of a part is its row. A compound without parts touches nothing. ``threads`` is the number of
/// threads of the build, which end with it. Several threads may use one object at once.
#[pyclass(frozen, name = "Compound", module = "swath")]
pub(crate) struct PyCompound {
    pub(super) compound: Arc<Compound>,
}

/// Pairs each shape with its pose.
fn placed(
    shapes: Vec<OwnedShape>,
    positions: &[[f32; 3]],
    rotations: Option<&[[f32; 4]]>,
) -> PyResult<Vec<(OwnedShape, Pose)>> {
    let mut parts = Vec::with_capacity(shapes.len());
    for (row, (shape, &position)) in shapes.into_iter().zip(positions).enumerate() {
        let mut pose =
            Pose::at(position).map_err(|error| wrong("position", format!("row {row}: {error}")))?;
        if let Some(rotations) = rotations {
            pose = Pose::normalized(position, rotations[row])
                .map_err(|error| wrong("rotation", format!("row {row}: {}", reason(&error))))?;
        }
        parts.push((shape, pose));
    }
    Ok(parts)
}

#[pymethods]
impl PyCompound {
    #[new]
    #[pyo3(signature = (shapes, position, *, rotation=None, threads=None))]
    fn new(
        py: Python<'_>,
        shapes: &Bound<'_, PyAny>,
        position: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let shapes = sequence(shapes, "Convex", Body::convex_of)?;
        if shapes.len() > PARTS_MAX {
            return Err(wrong("shapes", "a compound has at most 2**27 parts"));
        }
        let workers = Workers::new(threads)?;
        workers.check()?;
        let position = Vectors::new("position", position)?;
        let rotation = rotation.map(|rows| Rows::<f32, 4>::new("rotation", rows)).transpose()?;
        let (positions, rotations) = (position.rows(), rotation.as_ref().map(Rows::rows));
        same_rows("position", positions.len(), "shapes", shapes.len())?;
        if let Some(rotations) = rotations {
            same_rows("rotation", rotations.len(), "shapes", shapes.len())?;
        }
        let compound = py.detach(|| {
            let parts = placed(shapes, positions, rotations)?;
            let compound = workers.build(|exec| Compound::with_exec(parts, exec));
            compound.map_err(|error| wrong("shapes", error))
        })?;
        Ok(Self { compound: Arc::new(compound) })
    }

    fn __len__(&self) -> usize {
        self.compound.parts().len()
    }
}

/// Triangles that move as one body.
///
/// ``vertices`` are points, ``(n, 3)`` float32, and ``triangles`` are three indices of vertices each, ``(m, 3)`` uint32,
/// counter-clockwise if seen from the front. Both are copied. Triangles are surfaces: a body inside of a closed mesh
/// that touches none of them does not touch the mesh. Triangles with an invalid index or number are left out, and are in
/// the list ``rejected``. ``len(mesh)`` is the number of triangles, with those that are left out, and the number of a
/// part is its row of ``triangles``. A mesh without triangles touches nothing.
///
/// With ``one_sided``, a triangle stops a body whose position is in front of it, and a body whose position is behind
/// passes through it. While the mesh rotates, and against another mesh or a height field, all triangles count from both
/// sides.
///
/// ``threads`` is the number of threads of the build, which end with it. Several threads may use one object at once.
#[pyclass(frozen, name = "Mesh", module = "swath")]
pub(crate) struct PyMesh {
    pub(super) mesh: Arc<Mesh<'static>>,
    /// The threads of [`PyMesh::faults`].
    workers: Workers,
}

/// Lists triangles with the reasons.
fn listed(faults: &[TriangleFault]) -> Vec<(u32, String)> {
    faults.iter().map(|fault| (fault.triangle, fault.reason.to_string())).collect()
}

/// Reads whether only one side counts.
fn one_sided(object: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    object.map_or(Ok(false), |object| bool::read("one_sided", object))
}

#[pymethods]
impl PyMesh {
    #[new]
    #[pyo3(
        signature = (vertices, triangles, *, one_sided=None, threads=None),
        text_signature = "(vertices, triangles, *, one_sided=False, threads=None)"
    )]
    fn new(
        py: Python<'_>,
        vertices: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        one_sided: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let one_sided = self::one_sided(one_sided)?;
        let workers = Workers::new(threads)?;
        workers.check()?;
        let vertices = Vectors::new("vertices", vertices)?;
        let triangles = Rows::<u32, 3>::new("triangles", triangles)?;
        let (vertices, triangles) = (vertices.rows(), triangles.rows());
        let mesh = py.detach(|| {
            let vertices = collected(vertices.iter().copied())?;
            let triangles = collected(triangles.iter().copied())?;
            let mesh = workers.build(|exec| Mesh::with_exec(vertices, triangles, exec));
            mesh.map_err(|error| wrong("triangles", error))
        })?;
        let mesh = if one_sided { mesh.one_sided() } else { mesh };
        Ok(Self { mesh: Arc::new(mesh), workers: workers.after_build() })
    }

    fn __len__(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// The triangles that are left out, each with the reason.
    #[getter]
    fn rejected(&self) -> Vec<(u32, String)> {
        listed(self.mesh.rejected())
    }

    /// Lists all triangles that are invalid or suspicious, each with the reason; a triangle may have several.
    ///
    /// These are the triangles that are left out, and those that are degenerate, duplicated, flipped, or at an edge with
    /// more than two triangles. It takes longer than the build.
    fn faults(&self, py: Python<'_>) -> PyResult<Vec<(u32, String)>> {
        self.workers.check()?;
        Ok(py.detach(|| listed(&self.mesh.faults())))
    }
}

/// A terrain: heights along y over a regular grid in x and z.
///
/// ``heights`` is an array of float32 with two dimensions, which is copied: ``heights[j, i]`` is the height at ``x = i *
/// spacing[0]``, ``z = j * spacing[1]``. There are at least two rows and two columns. A height that is not finite, or
/// beyond ``2**120``, is a hole: triangles with this corner are left out.
///
/// A cell is two triangles, divided by the line from its least corner to its greatest. With ``n`` columns of heights,
/// the cell ``c = i + j * (n - 1)`` between ``heights[j, i]`` and ``heights[j + 1, i + 1]`` has the triangles ``2 * c``,
/// on the side of greater x, and ``2 * c + 1``; the number of a part is that of its triangle. ``len(field)`` is the
/// number of triangles, with those that are left out. With ``one_sided``, only the upper side counts, as in ``Mesh``.
///
/// ``threads`` is the number of threads of the build, which end with it. Several threads may use one object at once.
#[pyclass(frozen, name = "HeightField", module = "swath")]
pub(crate) struct PyHeightField {
    pub(super) field: Arc<HeightField<'static>>,
}

#[pymethods]
impl PyHeightField {
    #[new]
    #[pyo3(
        signature = (heights, spacing, *, one_sided=None, threads=None),
        text_signature = "(heights, spacing, *, one_sided=False, threads=None)"
    )]
    fn new(
        py: Python<'_>,
        heights: &Bound<'_, PyAny>,
        spacing: &Bound<'_, PyAny>,
        one_sided: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let spacing = vector::<2>("spacing", spacing)?;
        let one_sided = self::one_sided(one_sided)?;
        let workers = Workers::new(threads)?;
        workers.check()?;
        let heights = Grid::<f32>::new("heights", heights)?;
        let [rows, columns] = heights.shape();
        // A number that is too great does not fit to the number of heights, so it is an error.
        let samples = [columns, rows].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        let heights = heights.numbers();
        let field = py.detach(|| {
            let heights = collected(heights.iter().copied())?;
            let field =
                workers.build(|exec| HeightField::with_exec(heights, samples, spacing, exec));
            field.map_err(|error| match error {
                HeightFieldError::Spacing => wrong("spacing", error),
                _ => wrong("heights", error),
            })
        })?;
        let field = if one_sided { field.one_sided() } else { field };
        Ok(Self { field: Arc::new(field) })
    }

    fn __len__(&self) -> usize {
        self.field.triangle_count() as usize
    }
}
