//! First times of many pairs of bodies.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::convex::toi::{self, Toi, ToiInput, ToiResult};
use swath::mesh::toi as mesh_toi;
use swath::mesh::toi::{GeometryInput, PartToi};
use swath::{Pair, Shape};

use super::bounds::{Bodies, MotionColumns};
use super::{Body, reason, settings, state};
use crate::arguments::wrong;
use crate::arrays::{Rows, array, filled, table};
use crate::threads::exec_of_call;

/// When the bodies of many pairs first touch: arrays with a row for each pair.
#[pyclass(frozen, get_all, module = "swath")]
pub(crate) struct FirstTimes {
    /// ``(k,)`` uint8: 0 separated, 1 impact, 2 overlapping (at the start, or after an ignored touch), 3 unresolved.
    state: Py<PyArray1<u8>>,
    /// ``(k,)``: the first time of contact as a fraction of the tick, or the time that is proved to be free of contact,
    /// which is 1 if separated.
    t: Py<PyArray1<f32>>,
    /// ``(k, 3)``: the unit normal at that time from the first body to the second; zeros without a known contact.
    normal: Py<PyArray2<f32>>,
    /// ``(k, 3)``: the point of the first body nearest to the second at that time, or deepest inside it, in world
    /// coordinates, or zeros.
    on_a: Py<PyArray2<f32>>,
    /// ``(k, 3)``: the point of the second body nearest to the first at that time, or deepest inside it, in world
    /// coordinates, or zeros.
    on_b: Py<PyArray2<f32>>,
    /// ``(k,)``: the closing speed of these points along the normal, in length per tick, negative if they separate, or
    /// 0.
    closing: Py<PyArray1<f32>>,
    /// ``(k,)``: the depth beyond the target distance along the normal of bodies that overlap at the start, else 0. Of bodies
    /// with parts, such as two meshes, it is that of the one pair of ``parts``.
    depth: Py<PyArray1<f32>>,
    /// ``(k, 2)`` uint32: the number of the part of each body that touches, such as a triangle; 0 for a ``Convex``, and
    /// without a known contact.
    parts: Py<PyArray2<u32>>,
    /// The invalid bodies, as a list of their rows, each with the reason. They touch nothing.
    rejected: Vec<(u32, String)>,
}

#[pymethods]
impl FirstTimes {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.state.bind(py).as_any().len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<swath.FirstTimes of {} pairs>", self.__len__(py)?))
    }
}

/// Results as columns.
#[derive(Default)]
struct Columns {
    states: Vec<u8>,
    times: Vec<f32>,
    normals: Vec<[f32; 3]>,
    on_a: Vec<[f32; 3]>,
    on_b: Vec<[f32; 3]>,
    closing: Vec<f32>,
    depths: Vec<f32>,
    parts: Vec<[u32; 2]>,
}

impl Columns {
    fn of(found: impl Iterator<Item = PartToi>) -> Self {
        let mut columns = Self::default();
        let zero = [0.0; 3];
        for PartToi { toi, parts, .. } in found {
            let (code, depth, normal, on_a, on_b, closing) = match toi.result {
                ToiResult::Impact { normal, on_a, on_b, closing, .. } => {
                    (1, 0.0, normal, on_a, on_b, closing)
                }
                ToiResult::Overlapping { depth, normal, on_a, on_b, closing } => {
                    (2, depth, normal, on_a, on_b, closing)
                }
                ToiResult::Unresolved { .. } => (3, 0.0, zero, zero, zero, 0.0),
                _ => (0, 0.0, zero, zero, zero, 0.0),
            };
            columns.states.push(code);
            columns.times.push(state(&toi.result).1);
            columns.normals.push(normal);
            columns.on_a.push(on_a);
            columns.on_b.push(on_b);
            columns.closing.push(closing);
            columns.depths.push(depth);
            columns.parts.push(if matches!(code, 1 | 2) { parts } else { [0; 2] });
        }
        columns
    }
}

/// First times of many pairs of bodies.
///
/// ``shapes`` are those of the bodies, of any class; ``position``, ``delta``, ``accel`` and ``spin``, ``(n, 3)``, and the quaternions
/// ``rotation``, ``(n, 4)`` of any length, have a row for each. Without ``rotation``, no body is rotated at the start.
/// ``pairs`` has two bodies in each row, ``(k, 2)``. The other arguments are as in ``first_time``. An invalid body
/// touches nothing, and is in the list ``rejected`` of the result.
///
/// Each call reads all bodies, whatever the pairs: 100,000 take about 20 ms. For few pairs, pass only their bodies.
#[pyfunction]
#[pyo3(
    signature = (
        shapes, position, delta, pairs, *, rotation=None, accel=None, spin=None, target_distance=None, tolerance=None,
        touch=None, threads=None
    ),
    text_signature = "(shapes, position, delta, pairs, *, rotation=None, accel=None, spin=None, target_distance=0.0, tolerance=6.103515625e-05, touch='if_closing', threads=None)"
)]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub(crate) fn first_times<'py>(
    py: Python<'py>,
    shapes: &Bound<'py, PyAny>,
    position: &Bound<'py, PyAny>,
    delta: &Bound<'py, PyAny>,
    pairs: &Bound<'py, PyAny>,
    rotation: Option<&Bound<'py, PyAny>>,
    accel: Option<&Bound<'py, PyAny>>,
    spin: Option<&Bound<'py, PyAny>>,
    target_distance: Option<&Bound<'py, PyAny>>,
    tolerance: Option<&Bound<'py, PyAny>>,
    touch: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
) -> PyResult<FirstTimes> {
    let settings = settings(target_distance, tolerance, touch)?;
    let threads = exec_of_call(threads)?.threads;
    let columns = MotionColumns { position, delta, rotation, accel, spin };
    let Bodies { shapes, motions } = Bodies::new(shapes, &columns)?;
    let pairs = Rows::<u32, 2>::new("pairs", pairs)?;
    let pairs: &[Pair] = bytemuck::cast_slice(pairs.rows());
    let (columns, rejected) = py.detach(|| {
        let (motions, rejected) = (&motions, &mut Vec::new());
        let convex: Option<Vec<Shape<'_>>> = shapes.iter().map(Body::convex).collect();
        let columns = if let Some(shapes) = convex {
            let input = ToiInput { shapes: &shapes, motions, pairs, windows: &[] };
            let mut out = filled(Toi::default(), pairs.len())?;
            toi::pairs(&input, &settings, &threads, rejected, &mut out)
                .map_err(|error| wrong("pairs", error))?;
            Columns::of(out.into_iter().map(PartToi::from))
        } else {
            let geometries: Vec<_> = shapes.iter().map(Body::geometry).collect();
            let input = GeometryInput { geometries: &geometries, motions, pairs };
            let mut out = filled(PartToi::default(), pairs.len())?;
            mesh_toi::pairs(&input, &settings, &threads, rejected, &mut out)
                .map_err(|error| wrong("pairs", error))?;
            Columns::of(out.into_iter())
        };
        let rejected = rejected.iter().map(|r| (r.row, reason(&r.reason))).collect();
        Ok::<_, PyErr>((columns, rejected))
    })?;
    Ok(FirstTimes {
        state: array(py, columns.states).unbind(),
        t: array(py, columns.times).unbind(),
        normal: table(py, columns.normals)?.unbind(),
        on_a: table(py, columns.on_a)?.unbind(),
        on_b: table(py, columns.on_b)?.unbind(),
        closing: array(py, columns.closing).unbind(),
        depth: array(py, columns.depths).unbind(),
        parts: table(py, columns.parts)?.unbind(),
        rejected,
    })
}
