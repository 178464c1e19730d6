//! A bounding volume hierarchy.

mod geometries;

use numpy::PyArray1;
use pyo3::prelude::*;
use swath::batch::Hit;
use swath::broadphase::{AabbRows, FixedInput};
use swath::{Filter, Queries, Segment};

use crate::arguments::{Filters, limit, query_filter};
use crate::arrays::{Vectors, array, invalid};
use crate::box_queries::{self, Hits, Lists};
use crate::boxes::Boxes;
use crate::queries::{Rays, k_nearest, starts};
use crate::threads::Workers;

/// A bounding volume hierarchy over boxes that do not move, ``(n, 3)`` corners each.
///
/// ``categories`` and ``masks`` are 32 bits each, one value for all boxes or ``(n,)`` uint32. A query with categories
/// and a mask finds a box if each of the two has a category that is in the mask of the other. ``len(bvh)`` is the
/// number of valid boxes. Several threads may use one object at once.
#[pyclass(frozen, module = "swath")]
pub(crate) struct Bvh {
    bvh: swath::Bvh,
    workers: Workers,
    /// How many boxes it was built of, with the invalid ones.
    boxes: usize,
    rejected: Vec<(u32, String)>,
}

/// Where each list starts, and the rows and fractions of all lists.
type HitLists<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f32>>);

impl Bvh {
    fn queries(&self, filter: Option<Filter>) -> Queries<'_> {
        box_queries::filtered(self.bvh.queries(), filter)
    }
}

#[pymethods]
impl Bvh {
    #[new]
    #[pyo3(
        signature = (min, max, *, categories=None, masks=None, threads=None),
        text_signature = "(min, max, *, categories=4294967295, masks=4294967295, threads=None)"
    )]
    fn new(
        py: Python<'_>,
        min: &Bound<'_, PyAny>,
        max: &Bound<'_, PyAny>,
        categories: Option<&Bound<'_, PyAny>>,
        masks: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let filters = Filters::new(["categories", "masks"], categories, masks)?;
        let workers = Workers::new(threads)?;
        workers.check()?;
        let given = Boxes::new(min, max, None)?;
        let boxes = AabbRows::new(given.min.rows(), given.max.rows()).map_err(invalid)?;
        filters.check(given.len())?;
        let filters = filters.rows(given.len());
        let mut bvh = swath::Bvh::with_exec(workers.exec());
        let rejected = py.detach(|| {
            let mut input = FixedInput::from(boxes);
            if let Some(filters) = &filters {
                input = input.filtered(filters);
            }
            let rejected = bvh.build(input).map_err(|error| error.to_string())?;
            Ok(rejected.iter().map(|r| (r.row, r.reason.to_string())).collect())
        });
        let rejected = rejected.map_err(|error: String| invalid(error))?;
        Ok(Self { bvh, workers, boxes: given.len(), rejected })
    }

    fn __len__(&self) -> usize {
        self.bvh.len()
    }

    /// Rows that were rejected, each with the reason.
    #[getter]
    fn rejected(&self) -> Vec<(u32, String)> {
        self.rejected.clone()
    }

    /// The first box that each ray hits: its row or -1, and the fraction of ``direction`` or infinity, ``(n,)`` each.
    ///
    /// ``origin`` and ``direction`` are ``(n, 3)``. A ray ends at the fraction ``max_fraction`` of its direction; None
    /// is no end.
    #[pyo3(
        signature = (origin, direction, max_fraction=None, *, categories=None, mask=None),
        text_signature = "($self, origin, direction, max_fraction=None, *, categories=4294967295, mask=4294967295)"
    )]
    fn cast<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_fraction: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Hits<'py>> {
        let filter = query_filter(categories, mask)?;
        let rays = Rays::new(origin, direction, max_fraction)?;
        self.workers.check()?;
        box_queries::cast(py, self.queries(filter), &rays)
    }

    /// All boxes that each ray hits, in the order of their fractions: those of ray ``i`` are ``rows[starts[i]:starts[i
    /// + 1]]``.
    ///
    /// Returns ``starts`` with ``n + 1`` elements, ``rows``, and the fraction of ``direction`` of each. Otherwise as
    /// ``cast``. It uses the calling thread only.
    #[pyo3(
        signature = (origin, direction, max_fraction=None, *, categories=None, mask=None),
        text_signature = "($self, origin, direction, max_fraction=None, *, categories=4294967295, mask=4294967295)"
    )]
    fn cast_all<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_fraction: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<HitLists<'py>> {
        let filter = query_filter(categories, mask)?;
        let rays = Rays::new(origin, direction, max_fraction)?;
        let rays = rays.rows();
        let (ends, rows, fractions) = py.detach(|| {
            let queries = self.queries(filter);
            let (mut ends, mut rows, mut fractions) = (vec![0], Vec::new(), Vec::new());
            let mut found = Vec::new();
            for (&start, &delta) in rays.origin.iter().zip(rays.direction) {
                let segment = Segment { start, delta, max_fraction: rays.max_fraction };
                if let Ok(query) = queries.cast(&segment) {
                    query.sorted(&mut found);
                    rows.extend(found.iter().map(|hit: &Hit| hit.row));
                    fractions.extend(found.iter().map(|hit| hit.value));
                }
                ends.push(rows.len());
            }
            (ends, rows, fractions)
        });
        Ok((starts(py, ends), array(py, rows), array(py, fractions)))
    }

    /// The first box that each moving box touches: its row or -1, and the time as a fraction of its path or infinity.
    ///
    /// ``min`` and ``max`` are the corners at the start, ``delta`` the displacement, ``(n, 3)`` each. Returns ``(n,)``
    /// each. A time is never later than the exact one.
    #[pyo3(
        signature = (min, max, delta, *, categories=None, mask=None),
        text_signature = "($self, min, max, delta, *, categories=4294967295, mask=4294967295)"
    )]
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: &Bound<'py, PyAny>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Hits<'py>> {
        let filter = query_filter(categories, mask)?;
        let boxes = Boxes::new(min, max, Some(delta))?;
        let delta = Vectors::new("delta", delta)?;
        self.workers.check()?;
        box_queries::sweep(py, self.queries(filter), &boxes, &delta)
    }

    /// The stored boxes that each box overlaps: those of row ``i`` are ``rows[starts[i]:starts[i + 1]]``, in order.
    ///
    /// ``min`` and ``max`` are ``(n, 3)``. Returns ``starts`` with ``n + 1`` elements, and ``rows``. Boxes that share a
    /// point of their surfaces overlap.
    #[pyo3(
        signature = (min, max, *, categories=None, mask=None),
        text_signature = "($self, min, max, *, categories=4294967295, mask=4294967295)"
    )]
    fn overlaps<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Lists<'py>> {
        let filter = query_filter(categories, mask)?;
        let boxes = Boxes::new(min, max, None)?;
        self.workers.check()?;
        box_queries::overlaps(py, self.queries(filter), &boxes)
    }

    /// The box nearest to each point, at most at the distance ``max_distance``: its row or -1, and the distance or
    /// infinity.
    ///
    /// ``points`` are ``(n, 3)``. Returns ``(n,)`` each; with ``k``, from 1 to ``2**26``, the ``k`` nearest boxes of
    /// each point, ``(n, k)``, in the order of distance. Without ``max_distance``, there is no limit.
    #[pyo3(
        signature = (points, max_distance=None, *, k=None, categories=None, mask=None),
        text_signature = "($self, points, max_distance=None, *, k=None, categories=4294967295, mask=4294967295)"
    )]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        max_distance: Option<&Bound<'py, PyAny>>,
        k: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Hits<'py>> {
        let max_distance = limit("max_distance", max_distance)?;
        let k = k_nearest(k)?;
        let filter = query_filter(categories, mask)?;
        let points = Vectors::new("points", points)?;
        self.workers.check()?;
        box_queries::nearest(py, self.queries(filter), &points, max_distance, k)
    }
}
