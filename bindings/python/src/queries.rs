//! Inputs and results of queries, of a hierarchy as of a broadphase.

use numpy::ndarray::Array2;
use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use swath::batch::{Checked, SegmentColumns};
use swath::{AabbColumns, Level, MovingBoxColumns};

use crate::arguments::{integer, limit, same_rows};
use crate::arrays::{Vectors, array, collected, columns, invalid};

/// The greatest number of nearest boxes of a query: there are fewer boxes.
const K_MAX: u64 = 1 << 26;

fn slices(columns: &[Vec<f32>; 3]) -> [&[f32]; 3] {
    columns.each_ref().map(Vec::as_slice)
}

/// The arguments of a cast.
pub(crate) struct Rays<'py> {
    origin: Vectors<'py>,
    direction: Vectors<'py>,
    max_fraction: f32,
}

impl<'py> Rays<'py> {
    /// Reads `max_fraction`, and borrows the arguments `origin` and `direction`. Reading a number may run code of the caller, which could change an array
    /// that is borrowed, so arrays are borrowed last in each function.
    pub(crate) fn new(
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_fraction: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let max_fraction = limit("max_fraction", max_fraction)?;
        let origin = Vectors::new("origin", origin)?;
        let direction = Vectors::new("direction", direction)?;
        same_rows("direction", direction.rows().len(), "origin", origin.rows().len())?;
        Ok(Self { origin, direction, max_fraction })
    }

    /// Returns the rows, which can be used without the lock of the interpreter.
    pub(crate) fn rows(&self) -> RayRows<'_> {
        let Self { origin, direction, max_fraction } = self;
        RayRows { origin: origin.rows(), direction: direction.rows(), max_fraction: *max_fraction }
    }
}

/// The rows of a cast.
#[derive(Clone, Copy)]
pub(crate) struct RayRows<'a> {
    pub(crate) origin: &'a [[f32; 3]],
    pub(crate) direction: &'a [[f32; 3]],
    pub(crate) max_fraction: f32,
}

impl RayRows<'_> {
    pub(crate) fn len(&self) -> usize {
        self.origin.len()
    }

    /// Copies the rows to columns, and calls a function with those that are valid.
    pub(crate) fn with_columns<R>(
        &self,
        query: impl FnOnce(&Checked<'_, SegmentColumns<'_>>) -> R,
    ) -> R {
        let (p, d) = (columns(self.origin), columns(self.direction));
        let fractions = vec![self.max_fraction; self.len()];
        let segments = SegmentColumns::new(slices(&p), slices(&d), &fractions);
        let mut rejected = Vec::new();
        query(&segments.expect(SAME_ROWS).check(Level::detect(), &mut rejected))
    }
}

/// Why columns have the same length.
const SAME_ROWS: &str = "the numbers of rows were compared before";

/// Copies boxes to columns, and calls a function with those that are valid. Both lists have the same length.
pub(crate) fn with_boxes<R>(
    min: &[[f32; 3]],
    max: &[[f32; 3]],
    query: impl FnOnce(&Checked<'_, AabbColumns<'_>>) -> R,
) -> R {
    let (min, max) = (columns(min), columns(max));
    let boxes = AabbColumns::new(slices(&min), slices(&max)).expect(SAME_ROWS);
    query(&boxes.check(Level::detect(), &mut Vec::new()))
}

/// Copies moving boxes to columns, and calls a function with those that are valid. All lists have the same length.
pub(crate) fn with_moving<R>(
    [min, max, delta]: [&[[f32; 3]]; 3],
    query: impl FnOnce(&Checked<'_, MovingBoxColumns<'_>>) -> R,
) -> R {
    let (min, max, delta) = (columns(min), columns(max), columns(delta));
    let boxes = MovingBoxColumns::new(slices(&min), slices(&max), slices(&delta));
    query(&boxes.expect(SAME_ROWS).check(Level::detect(), &mut Vec::new()))
}

/// Reads the number of nearest boxes; `None` is one without an axis of its own.
pub(crate) fn k_nearest(k: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    k.map(|k| integer("k", k, 1..=K_MAX).map(|k| k as usize)).transpose()
}

/// Collects results in an array `(n,)`, or `(n, k)` if there is a `k`.
pub(crate) fn shaped<T: Element>(
    py: Python<'_>,
    results: impl ExactSizeIterator<Item = T>,
    k: Option<usize>,
) -> PyResult<Bound<'_, PyAny>> {
    let values = collected(results)?;
    let Some(k) = k else { return Ok(array(py, values).into_any()) };
    let rows = Array2::from_shape_vec((values.len() / k, k), values).map_err(invalid)?;
    Ok(rows.into_pyarray(py).into_any())
}

/// Returns where each list starts.
pub(crate) fn starts(py: Python<'_>, starts: Vec<usize>) -> Bound<'_, numpy::PyArray1<i64>> {
    array(py, starts.into_iter().map(|start| start as i64).collect())
}
