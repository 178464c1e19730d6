//! First times of vertices, edges and faces of a moving mesh.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::batch::{self, ElementError, ElementSettings, ElementToi, MovingPoints};
use swath::{Level, Pair, Threads};

use crate::arrays::{Rows, array, invalid, table};
use crate::threads::exec_of_call;

/// State, time, normal and coordinates of each pair.
type Times<'py> = (
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
);

/// A search of the library over pairs of elements of which each has `K` vertices or one.
type Search<const K: usize> = fn(
    Level,
    &Threads,
    &MovingPoints<'_>,
    &[[u32; K]],
    &[Pair],
    &ElementSettings,
    &mut [ElementToi],
) -> Result<(), ElementError>;

/// Borrows the arrays, searches without the lock of the interpreter, and returns columns.
fn times<'py, const K: usize>(
    py: Python<'py>,
    [start, end, pairs]: [&Bound<'py, PyAny>; 3],
    (name, elements): (&str, &Bound<'py, PyAny>),
    settings: ElementSettings,
    threads: Option<usize>,
    search: Search<K>,
) -> PyResult<Times<'py>> {
    let (start, end) = (Rows::<f64, 3>::new("start", start)?, Rows::<f64, 3>::new("end", end)?);
    let elements = Rows::<u32, K>::new(name, elements)?;
    let pairs = Rows::<u32, 2>::new("pairs", pairs)?;
    let (start, end, elements) = (start.rows(), end.rows(), elements.rows());
    let pairs: &[Pair] = bytemuck::cast_slice(pairs.rows());
    let exec = exec_of_call(threads)?;
    let found = py.detach(|| {
        let mut rejected = Vec::new();
        let points = MovingPoints::check(start, end, &mut rejected).map_err(|e| e.to_string())?;
        let mut out = vec![ElementToi::default(); pairs.len()];
        search(exec.level, &exec.threads, &points, elements, pairs, &settings, &mut out)
            .map_err(|error| error.to_string())?;
        Ok(columns(&out))
    });
    let (states, first, normals, coordinates) = found.map_err(|error: String| invalid(error))?;
    Ok((array(py, states), array(py, first), table(py, normals)?, table(py, coordinates)?))
}

type Columns = (Vec<u8>, Vec<f64>, Vec<[f64; 3]>, Vec<[f64; 2]>);

fn columns(found: &[ElementToi]) -> Columns {
    let mut columns = Columns::default();
    for toi in found {
        let (state, t, normal, coordinates) = match *toi {
            ElementToi::Hit { t, normal, coordinates } => (1, t, normal, coordinates),
            ElementToi::Unresolved { t_safe } => (3, t_safe, [0.0; 3], [0.0; 2]),
            _ => (0, 1.0, [0.0; 3], [0.0; 2]),
        };
        columns.0.push(state);
        columns.1.push(t);
        columns.2.push(normal);
        columns.3.push(coordinates);
    }
    columns
}

/// When vertices and faces first touch.
#[pyfunction]
#[pyo3(signature = (
    start, end, faces, pairs, *, minimum_separation=0.0, tolerance=ElementSettings::TOLERANCE, threads=None
))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn vertex_face<'py>(
    py: Python<'py>,
    start: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    faces: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    minimum_separation: f64,
    tolerance: f64,
    threads: Option<usize>,
) -> PyResult<Times<'py>> {
    let settings = ElementSettings { minimum_separation, tolerance, ..ElementSettings::default() };
    let of = ("faces", faces);
    times(py, [start, end, pairs], of, settings, threads, batch::vertex_face::pairs)
}

/// When edges first touch.
#[pyfunction]
#[pyo3(signature = (
    start, end, edges, pairs, *, minimum_separation=0.0, tolerance=ElementSettings::TOLERANCE, threads=None
))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn edge_edge<'py>(
    py: Python<'py>,
    start: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    minimum_separation: f64,
    tolerance: f64,
    threads: Option<usize>,
) -> PyResult<Times<'py>> {
    let settings = ElementSettings { minimum_separation, tolerance, ..ElementSettings::default() };
    let of = ("edges", edges);
    times(py, [start, end, pairs], of, settings, threads, batch::edge_edge::pairs)
}
