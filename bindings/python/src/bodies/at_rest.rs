//! Distances and overlaps of many pairs of bodies at rest.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::convex::OwnedShape;
use swath::convex::gjk::{self, Distance};
use swath::{Pair, mesh};

use super::bounds::poses;
use super::{Body, CLASSES, sequence};
use crate::arguments::wrong;
use crate::arrays::{Rows, array, filled, table};
use crate::threads::exec_of_call;

/// Distances, normals, and the nearest points of both bodies.
type Distances<'py> = (
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray2<f32>>,
    Bound<'py, PyArray2<f32>>,
);

/// Distances of many pairs of convex shapes at rest, each as ``distance`` returns it.
///
/// ``shapes`` are ``Convex``; ``position``, ``(n, 3)``, and the quaternions ``rotation``, ``(n, 4)`` of any length, have a
/// row for each. Without ``rotation``, no body is rotated. ``pairs`` has two bodies in each row, ``(k, 2)``.
///
/// Returns the distance of each pair, ``(k,)``, negative if the shapes overlap; its normal from the first body to the
/// second, ``(k, 3)``; and the nearest points of both, ``(k, 3)`` each. A pair with an invalid body is infinitely far
/// apart.
#[pyfunction]
#[pyo3(signature = (shapes, position, pairs, *, rotation=None, threads=None))]
pub(crate) fn distances<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyAny>,
    position: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    rotation: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Distances<'py>> {
    let threads = exec_of_call(threads)?.threads;
    let shapes = sequence(shapes, "Convex", Body::convex_of)?;
    let poses = poses(position, rotation, shapes.len())?;
    let pairs = Rows::<u32, 2>::new("pairs", pairs)?;
    let pairs: &[Pair] = bytemuck::cast_slice(pairs.rows());
    let found = py.detach(|| {
        let shapes: Vec<_> = shapes.iter().map(OwnedShape::shape).collect();
        let mut out = filled(Distance::default(), pairs.len())?;
        gjk::pairs(&shapes, &poses, pairs, &threads, &mut Vec::new(), &mut out)
            .map_err(|error| wrong("pairs", error))?;
        Ok::<_, PyErr>(out)
    })?;
    Ok((
        array(py, found.iter().map(|found| found.distance).collect()),
        table(py, found.iter().map(|found| found.normal).collect())?,
        table(py, found.iter().map(|found| found.on_a).collect())?,
        table(py, found.iter().map(|found| found.on_b).collect())?,
    ))
}

/// Whether the two bodies of each pair overlap or touch at rest, each as ``overlaps`` returns it: ``(k,)`` bool.
///
/// ``shapes`` are of any class. The other arguments are as in ``distances``. An invalid body overlaps nothing.
#[pyfunction]
#[pyo3(signature = (shapes, position, pairs, *, rotation=None, threads=None))]
pub(crate) fn overlaps_pairs<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyAny>,
    position: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    rotation: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let threads = exec_of_call(threads)?.threads;
    let shapes = sequence(shapes, CLASSES, Body::of)?;
    let poses = poses(position, rotation, shapes.len())?;
    let pairs = Rows::<u32, 2>::new("pairs", pairs)?;
    let pairs: &[Pair] = bytemuck::cast_slice(pairs.rows());
    let found = py.detach(|| {
        let geometries: Vec<_> = shapes.iter().map(Body::geometry).collect();
        let mut out = filled(false, pairs.len())?;
        mesh::overlaps_of_pairs(&geometries, &poses, pairs, &threads, &mut Vec::new(), &mut out)
            .map_err(|error| wrong("pairs", error))?;
        Ok::<_, PyErr>(out)
    })?;
    Ok(array(py, found))
}
