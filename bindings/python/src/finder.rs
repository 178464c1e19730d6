//! Pairs of moving boxes.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::broadphase::{AabbRows, MovingBoxInput};

use crate::arrays::{Vectors, array, invalid, table};
use crate::threads::Workers;

/// Finds all pairs of boxes that meet in a tick.
#[pyclass]
pub(crate) struct PairFinder {
    finder: swath::PairFinder,
    workers: Workers,
    rejected: Vec<(u32, String)>,
}

type Pairs<'py> = Bound<'py, PyArray2<u32>>;

/// Borrows boxes that may have displacements.
fn boxes<'a>(
    min: &'a Vectors<'_>,
    max: &'a Vectors<'_>,
    delta: Option<&'a Vectors<'_>>,
) -> PyResult<MovingBoxInput<'a>> {
    let boxes = AabbRows::new(min.rows(), max.rows()).map_err(invalid)?;
    Ok(match delta {
        Some(delta) => boxes.moving(delta.rows()).map_err(invalid)?.into(),
        None => boxes.into(),
    })
}

#[pymethods]
impl PairFinder {
    #[new]
    #[pyo3(signature = (*, threads=None, pairs_max=None))]
    fn new(threads: Option<usize>, pairs_max: Option<usize>) -> PyResult<Self> {
        let workers = Workers::new(threads)?;
        let mut exec = workers.exec();
        exec.pairs_max = pairs_max.unwrap_or(exec.pairs_max);
        let finder = swath::PairFinder::with_exec(exec);
        Ok(Self { finder, workers, rejected: Vec::new() })
    }

    /// Pairs whose swept bounds share a point.
    #[pyo3(signature = (min, max, delta=None))]
    fn union_pairs<'py>(
        &mut self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Pairs<'py>> {
        let (min, max) = (Vectors::new("min", min)?, Vectors::new("max", max)?);
        let delta = delta.map(|delta| Vectors::new("delta", delta)).transpose()?;
        let boxes = boxes(&min, &max, delta.as_ref())?;
        let Self { finder, workers, rejected } = self;
        workers.check()?;
        let pairs = py.detach(|| {
            let found = finder.union_pairs(boxes).map_err(|error| error.to_string())?;
            *rejected = found.rejected().iter().map(|r| (r.row, r.reason.to_string())).collect();
            Ok(found.sorted().iter().map(|pair| [pair.a, pair.b]).collect())
        });
        table(py, pairs.map_err(|error: String| invalid(error))?)
    }

    /// Pairs of a box of one list and a box of another that share a point.
    fn union_pairs_between<'py>(
        &mut self,
        py: Python<'py>,
        min_a: &Bound<'py, PyAny>,
        max_a: &Bound<'py, PyAny>,
        min_b: &Bound<'py, PyAny>,
        max_b: &Bound<'py, PyAny>,
    ) -> PyResult<Pairs<'py>> {
        let (min_a, max_a) = (Vectors::new("min_a", min_a)?, Vectors::new("max_a", max_a)?);
        let (min_b, max_b) = (Vectors::new("min_b", min_b)?, Vectors::new("max_b", max_b)?);
        let (a, b) = (boxes(&min_a, &max_a, None)?, boxes(&min_b, &max_b, None)?);
        let Self { finder, workers, rejected } = self;
        workers.check()?;
        let pairs = py.detach(|| {
            let found = finder.union_pairs_between(a, b).map_err(|error| error.to_string())?;
            let both = found.rejected().iter().chain(found.rejected_of_second());
            *rejected = both.map(|r| (r.row, r.reason.to_string())).collect();
            Ok(found.sorted().iter().map(|pair| [pair.a, pair.b]).collect())
        });
        table(py, pairs.map_err(|error: String| invalid(error))?)
    }

    /// Pairs that touch during the tick, and the first time of each.
    fn swept_pairs<'py>(
        &mut self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: &Bound<'py, PyAny>,
    ) -> PyResult<(Pairs<'py>, Bound<'py, PyArray1<f32>>)> {
        let (min, max) = (Vectors::new("min", min)?, Vectors::new("max", max)?);
        let delta = Vectors::new("delta", delta)?;
        let boxes = boxes(&min, &max, Some(&delta))?;
        let Self { finder, workers, rejected } = self;
        workers.check()?;
        let found = py.detach(|| {
            let found = finder.swept_pairs(boxes).map_err(|error| error.to_string())?;
            *rejected = found.rejected().iter().map(|r| (r.row, r.reason.to_string())).collect();
            Ok(found.sorted().iter().map(|pair| ([pair.a, pair.b], pair.first)).unzip())
        });
        let (pairs, first) = found.map_err(|error: String| invalid(error))?;
        Ok((table(py, pairs)?, array(py, first)))
    }

    /// Rows that the last call rejected, each with the reason.
    #[getter]
    fn rejected(&self) -> Vec<(u32, String)> {
        self.rejected.clone()
    }
}
