//! Boxes that do not move, in rows that can be changed.

use numpy::PyArray1;
use pyo3::prelude::*;
use swath::broadphase::{AabbRows, FixedError, FixedInput};
use swath::{Filter, Queries};

use crate::arguments::{Filters, limit, pairs_max, query_filter, same_rows, wrong};
use crate::arrays::{Numbers, Vectors, array, invalid, table};
use crate::box_queries::{self, Hits, Lists};
use crate::boxes::Boxes;
use crate::exclusive::Exclusive;
use crate::finder::{Pairs, Restrictions};
use crate::queries::{Rays, k_nearest};
use crate::threads::Workers;

const CLASS: &str = "FixedBoxes";

/// Boxes that do not move, such as those of a level, and their pairs with moving boxes.
///
/// Each box has a row, a number below ``2**27``. The time of a tick depends on the moving boxes and hardly on the number of fixed ones.
/// ``categories`` and ``masks`` are as in ``PairFinder``. ``len(boxes)`` is the number of boxes. ``threads`` and ``pairs_max`` are as in
/// ``PairFinder``.
///
/// An object takes one call at a time, queries included; a second one from another thread is a ``RuntimeError``.
#[pyclass(frozen, module = "swath")]
pub(crate) struct FixedBoxes {
    state: Exclusive<FixedState>,
    workers: Workers,
}

/// What a call changes.
struct FixedState {
    boxes: swath::FixedBoxes,
    rejected: Vec<(u32, String)>,
}

impl FixedState {
    fn queries(&self, filter: Option<Filter>) -> Queries<'_> {
        box_queries::filtered(self.boxes.queries(), filter)
    }
}

#[pymethods]
impl FixedBoxes {
    #[new]
    #[pyo3(signature = (*, threads=None, pairs_max=None))]
    fn new(
        threads: Option<&Bound<'_, PyAny>>,
        pairs_max: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let pairs_max = self::pairs_max(pairs_max)?;
        let workers = Workers::new(threads)?;
        let mut exec = workers.exec();
        exec.pairs_max = pairs_max.unwrap_or(exec.pairs_max);
        let boxes = swath::FixedBoxes::with_exec(exec);
        Ok(Self { state: Exclusive::new(FixedState { boxes, rejected: Vec::new() }), workers })
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.state.lock(CLASS)?.boxes.len())
    }

    /// Puts a box into each of ``rows``, ``(n,)`` uint32, and replaces the box in that row, if there is one.
    ///
    /// ``min`` and ``max`` are ``(n, 3)``. If a row occurs several times, its last valid box counts. A box does not inherit the categories
    /// and the mask of the one that it replaces. ``rejected`` then lists the invalid boxes by their index in ``min``; they change
    /// nothing.
    #[pyo3(
        signature = (rows, min, max, *, categories=None, masks=None),
        text_signature = "($self, rows, min, max, *, categories=4294967295, masks=4294967295)"
    )]
    fn put(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        min: &Bound<'_, PyAny>,
        max: &Bound<'_, PyAny>,
        categories: Option<&Bound<'_, PyAny>>,
        masks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let filters = Filters::new(["categories", "masks"], categories, masks)?;
        let rows = Numbers::<u32>::new("rows", rows)?;
        let given = Boxes::new(min, max, None)?;
        same_rows("rows", rows.numbers().len(), "min", given.len())?;
        filters.check(given.len())?;
        self.insert(py, &given, &filters, Some(rows.numbers())).map(drop)
    }

    /// Puts a box for each row of ``min`` and ``max``, ``(n, 3)``, into the rows after the highest one that was used since the last
    /// ``clear``, and returns these rows, ``(n,)``. The rows of invalid boxes stay empty; ``rejected`` then lists them by their
    /// index in ``min``.
    #[pyo3(
        signature = (min, max, *, categories=None, masks=None),
        text_signature = "($self, min, max, *, categories=4294967295, masks=4294967295)"
    )]
    fn extend<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        categories: Option<&Bound<'py, PyAny>>,
        masks: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let filters = Filters::new(["categories", "masks"], categories, masks)?;
        let given = Boxes::new(min, max, None)?;
        filters.check(given.len())?;
        Ok(array(py, self.insert(py, &given, &filters, None)?))
    }

    /// Changes the categories and masks of these rows, ``(n,)`` uint32: one for all, or ``(n,)`` uint32.
    ///
    /// Without them, all bits are set. A row without a box is a ``ValueError``, and then nothing is changed.
    #[pyo3(
        signature = (rows, categories=None, masks=None),
        text_signature = "($self, rows, categories=4294967295, masks=4294967295)"
    )]
    fn set_filters(
        &self,
        rows: &Bound<'_, PyAny>,
        categories: Option<&Bound<'_, PyAny>>,
        masks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let filters = Filters::new(["categories", "masks"], categories, masks)?;
        let rows = Numbers::<u32>::new("rows", rows)?;
        let rows = rows.numbers();
        filters.check(rows.len())?;
        let filters: Vec<Filter> = (0..rows.len()).map(|row| filters.get(row)).collect();
        let changed = self.state.lock(CLASS)?.boxes.set_filters(rows, &filters);
        changed.map_err(|error| wrong("rows", error))
    }

    /// Removes the boxes in these rows, ``(n,)`` uint32. A row may occur several times. A row without a box is a ``ValueError``, and
    /// then none is removed.
    fn remove(&self, py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let rows = Numbers::<u32>::new("rows", rows)?;
        let rows = rows.numbers();
        self.workers.check()?;
        let boxes = &mut self.state.lock(CLASS)?.boxes;
        py.detach(|| boxes.remove(rows)).map_err(|error| wrong("rows", error))
    }

    /// Removes all boxes. The next row of ``extend`` is 0.
    fn clear(&self) -> PyResult<()> {
        let mut state = self.state.lock(CLASS)?;
        state.rejected.clear();
        state.boxes.clear();
        Ok(())
    }

    /// Pairs of a moving box and a fixed box in which the bounds of the whole path share a point with the fixed box, ``(pairs, 2)``, sorted:
    /// the row of the moving box, and that of the fixed one.
    ///
    /// ``min``, ``max``, ``delta``, ``moves``, ``categories`` and ``masks`` are those of the moving boxes, as in ``PairFinder``; one that does
    /// not move has no pair. ``rejected`` then lists the invalid ones. Moving boxes are not compared with each other.
    #[pyo3(
        signature = (min, max, delta=None, *, moves=None, categories=None, masks=None),
        text_signature = "($self, min, max, delta=None, *, moves=None, categories=4294967295, masks=4294967295)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn union_pairs<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: Option<&Bound<'py, PyAny>>,
        moves: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        masks: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Pairs<'py>> {
        let names = ["categories", "masks"];
        let restrictions = Restrictions::new(moves, names, [categories, masks])?;
        let movers = Boxes::new(min, max, delta)?;
        let restrictions = restrictions.of_rows(movers.len())?;
        let input = restrictions.of(&movers)?;
        self.workers.check()?;
        let FixedState { boxes, rejected } = &mut *self.state.lock(CLASS)?;
        let pairs = py.detach(|| {
            let found = boxes.union_pairs(input).map_err(|error| error.to_string())?;
            *rejected = listed(found.rejected());
            Ok(found.sorted().iter().map(|pair| [pair.a, pair.b]).collect())
        });
        table(py, pairs.map_err(|error: String| invalid(error))?)
    }

    /// Pairs of a moving box and a fixed box that touch during the tick, ``(pairs, 2)``, sorted, and the first time of each, ``(pairs,)``.
    ///
    /// A first time is never later than the exact one, and no contact is missed. The arguments are those of ``union_pairs``.
    #[pyo3(
        signature = (min, max, delta, *, moves=None, categories=None, masks=None),
        text_signature = "($self, min, max, delta, *, moves=None, categories=4294967295, masks=4294967295)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn swept_pairs<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: &Bound<'py, PyAny>,
        moves: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        masks: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Pairs<'py>, Bound<'py, PyArray1<f32>>)> {
        let names = ["categories", "masks"];
        let restrictions = Restrictions::new(moves, names, [categories, masks])?;
        let movers = Boxes::new(min, max, Some(delta))?;
        let restrictions = restrictions.of_rows(movers.len())?;
        let input = restrictions.of(&movers)?;
        self.workers.check()?;
        let FixedState { boxes, rejected } = &mut *self.state.lock(CLASS)?;
        let found = py.detach(|| {
            let found = boxes.swept_pairs(input).map_err(|error| error.to_string())?;
            *rejected = listed(found.rejected());
            Ok(found.sorted().iter().map(|pair| ([pair.a, pair.b], pair.first)).unzip())
        });
        let (pairs, first) = found.map_err(|error: String| invalid(error))?;
        Ok((table(py, pairs)?, array(py, first)))
    }

    /// The first box that each ray hits: its row or -1, and the fraction of ``direction`` or infinity, ``(n,)`` each, as in ``Bvh``.
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
        let state = self.state.lock(CLASS)?;
        box_queries::cast(py, state.queries(filter), &rays)
    }

    /// The first box that each moving box touches: its row or -1, and the time as a fraction of its path or infinity, ``(n,)`` each, as in ``Bvh``.
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
        let state = self.state.lock(CLASS)?;
        box_queries::sweep(py, state.queries(filter), &boxes, &delta)
    }

    /// The fixed boxes that each box overlaps: those of row ``i`` are ``rows[starts[i]:starts[i + 1]]``, in order, as in ``Bvh``.
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
        let state = self.state.lock(CLASS)?;
        box_queries::overlaps(py, state.queries(filter), &boxes)
    }

    /// The box nearest to each point, at most at the distance ``max_distance``: its row or -1, and the distance or infinity; with ``k`` the ``k`` nearest, as in ``Bvh``.
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
        let state = self.state.lock(CLASS)?;
        box_queries::nearest(py, state.queries(filter), &points, max_distance, k)
    }

    /// Rows that the last call of ``put``, ``extend``, ``union_pairs`` or ``swept_pairs`` that succeeded rejected, each with the reason.
    #[getter]
    fn rejected(&self) -> PyResult<Vec<(u32, String)>> {
        Ok(self.state.lock(CLASS)?.rejected.clone())
    }
}

/// Lists rejected rows with the reasons.
fn listed(rejected: &[swath::batch::Rejected]) -> Vec<(u32, String)> {
    rejected.iter().map(|r| (r.row, r.reason.to_string())).collect()
}

impl FixedBoxes {
    /// Inserts boxes into rows, or into new ones, and returns the new rows.
    fn insert(
        &self,
        py: Python<'_>,
        given: &Boxes<'_>,
        filters: &Filters,
        rows: Option<&[u32]>,
    ) -> PyResult<Vec<u32>> {
        let input = AabbRows::new(given.min.rows(), given.max.rows()).map_err(invalid)?;
        let filters = filters.rows(given.len());
        let mut input = FixedInput::from(input);
        if let Some(filters) = &filters {
            input = input.filtered(filters);
        }
        self.workers.check()?;
        let FixedState { boxes, rejected } = &mut *self.state.lock(CLASS)?;
        py.detach(|| {
            let mut new = 0..0;
            match rows {
                Some(rows) => boxes.put(rows, input).map(drop)?,
                None => new = boxes.extend(input)?,
            }
            *rejected = listed(boxes.rejected());
            Ok(new.collect())
        })
        .map_err(|error: FixedError| wrong("rows", error))
    }
}
