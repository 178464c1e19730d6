//! Queries of boxes in rows, of a hierarchy as of fixed boxes, once their arguments are read.

use numpy::PyArray1;
use pyo3::prelude::*;
use swath::batch::Hit;
use swath::{Filter, Queries};

use crate::arguments::wrong;
use crate::arrays::{Vectors, array, filled, invalid};
use crate::boxes::Boxes;
use crate::queries::{Rays, shaped, starts, with_boxes, with_moving};

/// Where each list starts, and the rows of all lists.
pub(crate) type Lists<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>);
/// A row, -1 for none, and a value for each query.
pub(crate) type Hits<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Returns rows, -1 for none, and values, infinite for none.
pub(crate) fn hits<'py>(py: Python<'py>, hits: &[Hit], k: Option<usize>) -> PyResult<Hits<'py>> {
    let row = |hit: &Hit| if hit.is_hit() { i64::from(hit.row) } else { -1 };
    Ok((shaped(py, hits.iter().map(row), k)?, shaped(py, hits.iter().map(|hit| hit.value), k)?))
}

/// Returns the queries with a filter, if there is one.
pub(crate) fn filtered(queries: Queries<'_>, filter: Option<Filter>) -> Queries<'_> {
    filter.map_or(queries, |filter| queries.filtered(filter))
}

/// Returns the first box that each ray hits.
pub(crate) fn cast<'py>(
    py: Python<'py>,
    queries: Queries<'_>,
    rays: &Rays<'_>,
) -> PyResult<Hits<'py>> {
    let rays = rays.rows();
    let mut out = filled(Hit::MISS, rays.len())?;
    let failed =
        py.detach(|| rays.with_columns(|segments| queries.casts(segments).closest(&mut out)));
    failed.map_err(invalid)?;
    hits(py, &out, None)
}

/// Returns the first box that each moving box touches.
pub(crate) fn sweep<'py>(
    py: Python<'py>,
    queries: Queries<'_>,
    boxes: &Boxes<'_>,
    delta: &Vectors<'_>,
) -> PyResult<Hits<'py>> {
    let rows = [boxes.min.rows(), boxes.max.rows(), delta.rows()];
    let mut out = filled(Hit::MISS, boxes.len())?;
    let failed = py.detach(|| with_moving(rows, |moving| queries.sweeps(moving).closest(&mut out)));
    failed.map_err(invalid)?;
    hits(py, &out, None)
}

/// Returns the stored boxes that each box overlaps.
pub(crate) fn overlaps<'py>(
    py: Python<'py>,
    queries: Queries<'_>,
    boxes: &Boxes<'_>,
) -> PyResult<Lists<'py>> {
    let (min, max) = (boxes.min.rows(), boxes.max.rows());
    let (mut ends, mut rows) = (vec![0; boxes.len() + 1], Vec::new());
    let failed =
        py.detach(|| with_boxes(min, max, |many| queries.overlaps(many).all(&mut ends, &mut rows)));
    failed.map_err(invalid)?;
    Ok((starts(py, ends), array(py, rows)))
}

/// Returns the box nearest to each point, or the `k` nearest ones.
pub(crate) fn nearest<'py>(
    py: Python<'py>,
    queries: Queries<'_>,
    points: &Vectors<'_>,
    max_distance: f32,
    k: Option<usize>,
) -> PyResult<Hits<'py>> {
    let points = points.rows();
    let mut out = filled(Hit::MISS, points.len().saturating_mul(k.unwrap_or(1)))?;
    let failed = py.detach(|| {
        with_boxes(points, points, |many| {
            let near = queries.proximities(many, max_distance);
            let near = near.map_err(|error| error.to_string())?;
            near.k_nearest(k.unwrap_or(1), &mut out).map_err(|error| error.to_string())
        })
    });
    failed.map_err(|error| wrong("max_distance", error))?;
    hits(py, &out, k)
}
