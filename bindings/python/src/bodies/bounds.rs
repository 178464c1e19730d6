//! Bodies in arrays, and boxes around them.

use numpy::PyArray2;
use pyo3::prelude::*;
use swath::mesh::Geometry;
use swath::{Motion, Pose};

use super::{Body, CLASSES, reason, sequence};
use crate::arguments::{length, wrong};
use crate::arrays::{Rows, Vectors, table};

/// Shapes, and a motion of each, which may be invalid.
pub(crate) struct Movers {
    pub(crate) shapes: Vec<Body>,
    pub(crate) motions: Vec<Motion>,
}

/// The arguments of bodies besides their shapes.
pub(crate) struct MotionColumns<'a, 'py> {
    pub(crate) position: &'a Bound<'py, PyAny>,
    pub(crate) delta: &'a Bound<'py, PyAny>,
    pub(crate) rotation: Option<&'a Bound<'py, PyAny>>,
    pub(crate) accel: Option<&'a Bound<'py, PyAny>>,
    pub(crate) spin: Option<&'a Bound<'py, PyAny>>,
}

/// Checks that a column has a row for each shape.
fn check(name: &str, rows: usize, shapes: usize) -> PyResult<()> {
    if rows == shapes {
        return Ok(());
    }
    Err(wrong(name, format!("expected one row for each of {shapes} shapes, got {rows}")))
}

/// Reads a pose for each of `shapes` shapes. An invalid pose stays invalid.
pub(super) fn poses(
    position: &Bound<'_, PyAny>,
    rotation: Option<&Bound<'_, PyAny>>,
    shapes: usize,
) -> PyResult<Vec<Pose>> {
    let position = Vectors::new("position", position)?;
    let rotation = rotation.map(|rows| Rows::<f32, 4>::new("rotation", rows)).transpose()?;
    let (positions, rotations) = (position.rows(), rotation.as_ref().map(Rows::rows));
    check("position", positions.len(), shapes)?;
    check("rotation", rotations.map_or(shapes, <[_]>::len), shapes)?;
    let pose = |(row, &position): (usize, &[f32; 3])| {
        let rotation = rotations.map_or(Pose::IDENTITY.rotation, |rows| rows[row]);
        Pose::normalized(position, rotation).unwrap_or(Pose { position, rotation })
    };
    Ok(positions.iter().enumerate().map(pose).collect())
}

impl Movers {
    pub(crate) fn new(of: &Bound<'_, PyAny>, columns: &MotionColumns<'_, '_>) -> PyResult<Self> {
        let shapes = sequence(of, CLASSES, Body::of)?;
        let column = |name: &str, object: &Bound<'_, PyAny>| {
            let vectors = Vectors::new(name, object)?.rows().to_vec();
            check(name, vectors.len(), shapes.len())?;
            Ok::<_, PyErr>(vectors)
        };
        let optional = |name: &str, object: Option<&Bound<'_, PyAny>>| {
            object.map(|object| column(name, object)).transpose()
        };
        let poses = poses(columns.position, columns.rotation, shapes.len())?;
        let delta = column("delta", columns.delta)?;
        let accel = optional("accel", columns.accel)?;
        let spin = optional("spin", columns.spin)?;
        let vector =
            |of: &Option<Vec<[f32; 3]>>, row: usize| of.as_ref().map_or([0.0; 3], |v| v[row]);
        let motion = |(row, pose): (usize, Pose)| {
            let (delta, accel, spin) = (delta[row], vector(&accel, row), vector(&spin, row));
            Motion { pose, delta, accel, spin }
        };
        let motions = poses.into_iter().enumerate().map(motion).collect();
        Ok(Self { shapes, motions })
    }

    /// Returns the number of bodies.
    pub(crate) fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Returns the shape of each body.
    pub(crate) fn geometries(&self) -> Vec<Geometry<'_>> {
        self.shapes.iter().map(Body::geometry).collect()
    }

    /// Returns the motion of each body.
    pub(crate) fn motions(&self) -> &[Motion] {
        &self.motions
    }

    /// Lists the bodies that have no box with a margin around their path, each with the reason.
    pub(crate) fn rejected(&self, margin: f32) -> Vec<(u32, String)> {
        let bodies = (0..).zip(self.shapes.iter().zip(&self.motions));
        let check = |(row, (shape, motion)): (u32, (&Body, &Motion))| {
            let error = shape.geometry().bounds_over(motion, margin).err()?;
            Some((row, reason(&error)))
        };
        bodies.filter_map(check).collect()
    }
}

type BoundRows<'py> =
    (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);

/// Moving boxes that contain bodies during the whole tick, for a ``Broadphase`` or a ``PairFinder``.
///
/// ``shapes`` are those of the bodies, of any class; ``position``, ``delta``, ``accel`` and ``spin``, ``(n, 3)``, and the quaternions
/// ``rotation``, ``(n, 4)`` of any length, have a row for each. Returns ``min``, ``max`` and ``delta``, ``(n, 3)``
/// each. The box of an accelerated body contains it on a straight path. All boxes are enlarged by ``margin``, a length,
/// on each side: with half a target distance, two boxes touch whenever their bodies are within the target. The box of
/// an invalid body is NaN, so that other functions reject it.
#[pyfunction]
#[pyo3(
    signature = (shapes, position, delta, *, rotation=None, accel=None, spin=None, margin=None),
    text_signature = "(shapes, position, delta, *, rotation=None, accel=None, spin=None, margin=0.0)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn bounds_over<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyAny>,
    position: &Bound<'py, PyAny>,
    delta: &Bound<'py, PyAny>,
    rotation: Option<&Bound<'py, PyAny>>,
    accel: Option<&Bound<'py, PyAny>>,
    spin: Option<&Bound<'py, PyAny>>,
    margin: Option<&Bound<'py, PyAny>>,
) -> PyResult<BoundRows<'py>> {
    let columns = MotionColumns { position, delta, rotation, accel, spin };
    let Movers { shapes, motions } = Movers::new(shapes, &columns)?;
    let margin = margin.map_or(Ok(0.0), |margin| length("margin", margin))?;
    let (mut min, mut max, mut delta) = (Vec::new(), Vec::new(), Vec::new());
    py.detach(|| {
        for (shape, motion) in shapes.iter().zip(&motions) {
            let found = shape.geometry().bounds_over(motion, margin);
            let corners = found.map(|moving| (moving.aabb.min, moving.aabb.max, moving.delta));
            let (low, high, path) = corners.unwrap_or(([f32::NAN; 3], [f32::NAN; 3], [0.0; 3]));
            min.push(low);
            max.push(high);
            delta.push(path);
        }
    });
    Ok((table(py, min)?, table(py, max)?, table(py, delta)?))
}
