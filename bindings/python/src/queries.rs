//! Queries of a bounding volume hierarchy.

use numpy::PyArray1;
use pyo3::prelude::*;
use swath::batch::{Hit, SegmentColumns};
use swath::broadphase::AabbRows;
use swath::{AabbColumns, Level};

use crate::arrays::{Vectors, array, columns, invalid};
use crate::threads::Workers;

/// A bounding volume hierarchy over boxes that do not move.
#[pyclass]
pub(crate) struct Bvh {
    bvh: swath::Bvh,
    workers: Workers,
    rejected: Vec<(u32, String)>,
}

/// Where each list starts, and the rows of all lists.
type Lists<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>);
type Hits<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>);

/// Rows, -1 for none, and values, infinite for none.
fn hits<'py>(py: Python<'py>, hits: &[Hit]) -> Hits<'py> {
    let row = |hit: &Hit| if hit.is_hit() { i64::from(hit.row) } else { -1 };
    (
        array(py, hits.iter().map(row).collect()),
        array(py, hits.iter().map(|hit| hit.value).collect()),
    )
}

fn slices(columns: &[Vec<f32>; 3]) -> [&[f32]; 3] {
    columns.each_ref().map(Vec::as_slice)
}

#[pymethods]
impl Bvh {
    #[new]
    #[pyo3(signature = (min, max, *, threads=None))]
    fn new(
        py: Python<'_>,
        min: &Bound<'_, PyAny>,
        max: &Bound<'_, PyAny>,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let (min, max) = (Vectors::new("min", min)?, Vectors::new("max", max)?);
        let boxes = AabbRows::new(min.rows(), max.rows()).map_err(invalid)?;
        let workers = Workers::new(threads)?;
        workers.check()?;
        let mut bvh = swath::Bvh::with_exec(workers.exec());
        let rejected = py.detach(|| {
            let rejected = bvh.build(boxes).map_err(|error| error.to_string())?;
            Ok(rejected.iter().map(|r| (r.row, r.reason.to_string())).collect())
        });
        let rejected = rejected.map_err(|error: String| invalid(error))?;
        Ok(Self { bvh, workers, rejected })
    }

    fn __len__(&self) -> usize {
        self.bvh.len()
    }

    /// Rows that were rejected, each with the reason.
    #[getter]
    fn rejected(&self) -> Vec<(u32, String)> {
        self.rejected.clone()
    }

    /// The first box that each ray or segment hits.
    #[pyo3(signature = (origin, direction, max_fraction=f32::INFINITY))]
    fn cast<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_fraction: f32,
    ) -> PyResult<Hits<'py>> {
        let origin = Vectors::new("origin", origin)?;
        let direction = Vectors::new("direction", direction)?;
        let (origin, direction) = (origin.rows(), direction.rows());
        if max_fraction.is_nan() || max_fraction < 0.0 {
            let wanted = "max_fraction: expected a number that is not negative, or infinity";
            return Err(invalid(format!("{wanted}, got {max_fraction}")));
        }
        self.workers.check()?;
        let found = py.detach(|| {
            let (p, d) = (columns(origin), columns(direction));
            let fractions = vec![max_fraction; origin.len()];
            let segments = SegmentColumns::new(slices(&p), slices(&d), &fractions)
                .map_err(|error| error.to_string())?;
            let (mut rejected, mut out) = (Vec::new(), vec![Hit::MISS; origin.len()]);
            let checked = segments.check(Level::detect(), &mut rejected);
            let casts = self.bvh.queries().casts(&checked);
            casts.closest(&mut out).map_err(|error| error.to_string())?;
            Ok(out)
        });
        Ok(hits(py, &found.map_err(|error: String| invalid(error))?))
    }

    /// The stored boxes that each box overlaps.
    fn overlaps<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
    ) -> PyResult<Lists<'py>> {
        let (min, max) = (Vectors::new("min", min)?, Vectors::new("max", max)?);
        let (min, max) = (min.rows(), max.rows());
        self.workers.check()?;
        let found = py.detach(|| {
            let (min, max) = (columns(min), columns(max));
            let boxes = AabbColumns::new(slices(&min), slices(&max)).map_err(|e| e.to_string())?;
            let (mut rejected, mut rows) = (Vec::new(), Vec::new());
            let checked = boxes.check(Level::detect(), &mut rejected);
            let mut starts = vec![0; boxes.len() + 1];
            let overlaps = self.bvh.queries().overlaps(&checked);
            overlaps.all(&mut starts, &mut rows).map_err(|error| error.to_string())?;
            Ok((starts.into_iter().map(|start| start as i64).collect(), rows))
        });
        let (starts, rows) = found.map_err(|error: String| invalid(error))?;
        Ok((array(py, starts), array(py, rows)))
    }

    /// The box nearest to each point.
    #[pyo3(signature = (points, max_distance=f32::INFINITY))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        max_distance: f32,
    ) -> PyResult<Hits<'py>> {
        let points = Vectors::new("points", points)?;
        let points = points.rows();
        self.workers.check()?;
        let found = py.detach(|| {
            let at = columns(points);
            let boxes = AabbColumns::new(slices(&at), slices(&at)).map_err(|e| e.to_string())?;
            let (mut rejected, mut out) = (Vec::new(), vec![Hit::MISS; points.len()]);
            let checked = boxes.check(Level::detect(), &mut rejected);
            let near = self.bvh.queries().proximities(&checked, max_distance);
            let near = near.map_err(|error| format!("max_distance: {error}"))?;
            near.nearest(&mut out).map_err(|error| error.to_string())?;
            Ok(out)
        });
        Ok(hits(py, &found.map_err(|error: String| invalid(error))?))
    }
}
