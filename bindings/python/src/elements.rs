//! First times of vertices, edges and faces of a moving mesh.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::batch::{self, ElementError, ElementSettings, ElementToi, MovingPoints};
use swath::{Level, Pair, Threads};

use crate::arguments::{number, same_rows, wrong};
use crate::arrays::{Rows, array, filled, table};
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
    threads: Option<&Bound<'py, PyAny>>,
    search: Search<K>,
) -> PyResult<Times<'py>> {
    let exec = exec_of_call(threads)?;
    let (start, end) = (Rows::<f64, 3>::new("start", start)?, Rows::<f64, 3>::new("end", end)?);
    let elements = Rows::<u32, K>::new(name, elements)?;
    let pairs = Rows::<u32, 2>::new("pairs", pairs)?;
    let (start, end, elements) = (start.rows(), end.rows(), elements.rows());
    same_rows("end", end.len(), "start", start.len())?;
    let pairs: &[Pair] = bytemuck::cast_slice(pairs.rows());
    let mut out = filled(ElementToi::default(), pairs.len())?;
    let found = py.detach(|| {
        let mut rejected = Vec::new();
        let points = MovingPoints::check(start, end, &mut rejected).map_err(|e| e.to_string())?;
        search(exec.level, &exec.threads, &points, elements, pairs, &settings, &mut out)
            .map_err(|error| error.to_string())?;
        Ok(columns(&out))
    });
    let (states, first, normals, coordinates) =
        found.map_err(|error: String| wrong(&format!("pairs, {name}"), error))?;
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

/// Reads the settings of a search.
fn settings(
    minimum_separation: Option<&Bound<'_, PyAny>>,
    tolerance: Option<&Bound<'_, PyAny>>,
) -> PyResult<ElementSettings> {
    let mut settings = ElementSettings::default();
    if let Some(separation) = minimum_separation {
        settings.minimum_separation = number("minimum_separation", separation)?;
        settings.validate().map_err(|error| wrong("minimum_separation", error))?;
    }
    if let Some(tolerance) = tolerance {
        settings.tolerance = number("tolerance", tolerance)?;
        settings.validate().map_err(|error| wrong("tolerance", error))?;
    }
    Ok(settings)
}

/// When vertices and faces of a moving mesh first come within ``minimum_separation``. Never late, never missed.
///
/// ``start`` and ``end`` are the positions of all vertices at the two ends of the tick, ``(n, 3)`` float64; each vertex
/// moves on a straight line. ``faces`` are three vertices each, ``(m, 3)``; ``pairs`` a vertex and a face each, ``(k,
/// 2)``. A vertex always touches its own faces, so leave such pairs out. The distance at a contact is at most
/// ``minimum_separation + tolerance``, plus ``2**-43`` of the greatest coordinate difference of the four vertices; both are
/// lengths in the units of the positions, and the default of ``tolerance`` is 1e-9.
///
/// Returns for each pair:
///
/// * the state, ``(k,)``: 0 no contact or an invalid vertex, 1 contact, 3 unresolved;
/// * the first time as a fraction of the tick, ``(k,)``; 1 without a contact, and the time that is proved to be free of
///   contact if the search is unresolved;
/// * the unit normal at that time from the vertex to the face, ``(k, 3)``, or zeros;
/// * the nearest point of the face ``[a, b, c]`` at that time, ``(k, 2)``: the barycentric coordinates of ``b`` and
///   ``c``.
#[pyfunction]
#[pyo3(
    signature = (start, end, faces, pairs, *, minimum_separation=None, tolerance=None, threads=None),
    text_signature = "(start, end, faces, pairs, *, minimum_separation=0.0, tolerance=1e-09, threads=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn vertex_face<'py>(
    py: Python<'py>,
    start: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    faces: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    minimum_separation: Option<&Bound<'py, PyAny>>,
    tolerance: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Times<'py>> {
    let (settings, of) = (settings(minimum_separation, tolerance)?, ("faces", faces));
    times(py, [start, end, pairs], of, settings, threads, batch::vertex_face::pairs)
}

/// When edges of a moving mesh first come within ``minimum_separation``. Never late, never missed.
///
/// As ``vertex_face``, but ``edges`` are two vertices each, ``(m, 2)``, and ``pairs`` two edges each, ``(k, 2)``. The
/// normal is that from the first edge to the second, and the coordinates are the fractions along the first and along
/// the second.
#[pyfunction]
#[pyo3(
    signature = (start, end, edges, pairs, *, minimum_separation=None, tolerance=None, threads=None),
    text_signature = "(start, end, edges, pairs, *, minimum_separation=0.0, tolerance=1e-09, threads=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn edge_edge<'py>(
    py: Python<'py>,
    start: &Bound<'py, PyAny>,
    end: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    minimum_separation: Option<&Bound<'py, PyAny>>,
    tolerance: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<Times<'py>> {
    let (settings, of) = (settings(minimum_separation, tolerance)?, ("edges", edges));
    times(py, [start, end, pairs], of, settings, threads, batch::edge_edge::pairs)
}
