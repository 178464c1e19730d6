//! First times of many pairs as arrays.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::convex::toi::ToiResult;
use swath::mesh::toi::PartToi;

use super::state;
use crate::arrays::{array, table};

/// When the bodies of many pairs first touch: arrays with a row for each pair.
#[pyclass(frozen, get_all, module = "swath")]
pub(crate) struct FirstTimes {
    /// ``(k,)`` uint8: 0 separated, 1 impact, 2 overlapping (at the start, or after an ignored touch), 3 unresolved.
    state: Py<PyArray1<u8>>,
    /// ``(k,)``: the first time of contact as a fraction of the tick, or the time that is proved to be free of contact,
    /// which is the end of the window if separated, and its start if overlapping.
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
pub(crate) struct FirstTimeColumns {
    states: Vec<u8>,
    times: Vec<f32>,
    normals: Vec<[f32; 3]>,
    on_a: Vec<[f32; 3]>,
    on_b: Vec<[f32; 3]>,
    closing: Vec<f32>,
    depths: Vec<f32>,
    parts: Vec<[u32; 2]>,
}

impl FirstTimeColumns {
    /// Copies results, each with the window that was searched.
    pub(crate) fn of(found: impl Iterator<Item = (PartToi, [f32; 2])>) -> Self {
        let mut columns = Self::default();
        let zero = [0.0; 3];
        for (PartToi { toi, parts, .. }, window) in found {
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
            columns.times.push(state(&toi.result, window).1);
            columns.normals.push(normal);
            columns.on_a.push(on_a);
            columns.on_b.push(on_b);
            columns.closing.push(closing);
            columns.depths.push(depth);
            columns.parts.push(if matches!(code, 1 | 2) { parts } else { [0; 2] });
        }
        columns
    }

    /// Copies the columns to arrays.
    pub(crate) fn arrays(
        self,
        py: Python<'_>,
        rejected: Vec<(u32, String)>,
    ) -> PyResult<FirstTimes> {
        Ok(FirstTimes {
            state: array(py, self.states).unbind(),
            t: array(py, self.times).unbind(),
            normal: table(py, self.normals)?.unbind(),
            on_a: table(py, self.on_a)?.unbind(),
            on_b: table(py, self.on_b)?.unbind(),
            closing: array(py, self.closing).unbind(),
            depth: array(py, self.depths).unbind(),
            parts: table(py, self.parts)?.unbind(),
            rejected,
        })
    }
}
