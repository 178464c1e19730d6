//! Pairs of moving boxes.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::Filter;
use swath::broadphase::PairInput;

use crate::arguments::{Filters, pairs_max, wrong};
use crate::arrays::{array, flags, invalid, table};
use crate::boxes::Boxes;
use crate::exclusive::Exclusive;
use crate::threads::Workers;

/// Finds all pairs of boxes that meet in a tick. Keep it between ticks: its memory is used again.
///
/// ``threads`` is the number of threads, by default one for each logical core. ``pairs_max`` limits the number of pairs
/// of a call; one with more is a ``ValueError``. By default there is no limit, and a call that needs more memory than
/// there is ends the process: the pairs of boxes that are all in one place grow with the square of their number.
///
/// Each method takes boxes as ``min`` and ``max``, the corners at the start of the tick, and ``delta``, the
/// displacement over the tick, ``(n, 3)`` each. ``moves``, ``(n,)`` bool, states for each box whether it moves; two
/// that do not never form a pair. ``categories`` and ``masks`` are 32 bits each, one value for all boxes or ``(n,)``
/// uint32: two boxes may form a pair if each has a category that is in the mask of the other.
///
/// An object takes one call at a time; a second one from another thread is a ``RuntimeError``.
#[pyclass(frozen, module = "swath")]
pub(crate) struct PairFinder {
    state: Exclusive<FinderState>,
    workers: Workers,
}

/// What a call changes.
struct FinderState {
    finder: swath::PairFinder,
    rejected: Vec<(u32, String)>,
}

const CLASS: &str = "PairFinder";

pub(crate) type Pairs<'py> = Bound<'py, PyArray2<u32>>;

/// The arguments that restrict the pairs of a list of boxes.
pub(crate) struct Restrictions {
    /// The name of the argument `moves`.
    name: &'static str,
    moves: Option<Vec<bool>>,
    filters: Filters,
}

/// What restricts the pairs of a list of boxes, with a value for each row.
pub(crate) struct RowRestrictions {
    moves: Option<Vec<bool>>,
    filters: Option<Vec<Filter>>,
}

impl Restrictions {
    pub(crate) fn new(
        moves: Option<&Bound<'_, PyAny>>,
        names: [&'static str; 2],
        [categories, masks]: [Option<&Bound<'_, PyAny>>; 2],
    ) -> PyResult<Self> {
        Self::named("moves", moves, names, [categories, masks])
    }

    fn named(
        name: &'static str,
        moves: Option<&Bound<'_, PyAny>>,
        names: [&'static str; 2],
        [categories, masks]: [Option<&Bound<'_, PyAny>>; 2],
    ) -> PyResult<Self> {
        let moves = moves.map(|moves| flags(name, moves)).transpose()?;
        Ok(Self { name, moves, filters: Filters::new(names, categories, masks)? })
    }

    /// Checks that there is a value for each row.
    pub(crate) fn of_rows(self, rows: usize) -> PyResult<RowRestrictions> {
        let Self { name, moves, filters } = self;
        if let Some(moves) = &moves
            && moves.len() != rows
        {
            let got = moves.len();
            let wanted = format!("expected one value for each of {rows} rows, got {got}");
            return Err(wrong(name, wanted));
        }
        filters.check(rows)?;
        Ok(RowRestrictions { moves, filters: filters.rows(rows) })
    }
}

impl RowRestrictions {
    /// Returns the boxes as input of the library.
    pub(crate) fn of<'a>(&'a self, boxes: &'a Boxes<'_>) -> PyResult<PairInput<'a>> {
        let mut input = PairInput::new(boxes.input()?);
        if let Some(moves) = &self.moves {
            input = input.moving(moves);
        }
        if let Some(filters) = &self.filters {
            input = input.filtered(filters);
        }
        Ok(input)
    }
}

#[pymethods]
impl PairFinder {
    #[new]
    #[pyo3(signature = (*, threads=None, pairs_max=None))]
    fn new(
        threads: Option<&Bound<'_, PyAny>>,
        pairs_max: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let workers = Workers::new(threads)?;
        let mut exec = workers.exec();
        exec.pairs_max = self::pairs_max(pairs_max)?.unwrap_or(exec.pairs_max);
        let finder = swath::PairFinder::with_exec(exec);
        Ok(Self { state: Exclusive::new(FinderState { finder, rejected: Vec::new() }), workers })
    }

    /// Pairs whose swept bounds share a point, as an array ``(pairs, 2)``, sorted, each ``a < b``.
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
        let boxes = Boxes::new(min, max, delta)?;
        let restrictions = restrictions.of_rows(boxes.len())?;
        let input = restrictions.of(&boxes)?;
        self.workers.check()?;
        let FinderState { finder, rejected } = &mut *self.state.lock(CLASS)?;
        let pairs = py.detach(|| {
            let found = finder.union_pairs(input).map_err(|error| error.to_string())?;
            *rejected = found.rejected().iter().map(|r| (r.row, r.reason.to_string())).collect();
            Ok(found.sorted().iter().map(|pair| [pair.a, pair.b]).collect())
        });
        table(py, pairs.map_err(|error: String| invalid(error))?)
    }

    /// Pairs of a box of one list and a box of another that share a point, ``(pairs, 2)``, sorted.
    ///
    /// The first column is a row of ``min_a`` and ``max_a``, ``(n, 3)`` each; the second a row of ``min_b`` and
    /// ``max_b``, ``(m, 3)`` each. ``rejected`` contains the invalid rows of the first list, then those of the second.
    ///
    /// No box moves. For boxes that do, pass the bounds of their paths, or use ``swept_pairs_between``.
    #[pyo3(
        signature = (
            min_a, max_a, min_b, max_b, *, categories_a=None, masks_a=None, categories_b=None, masks_b=None
        ),
        text_signature = "($self, min_a, max_a, min_b, max_b, *, categories_a=4294967295, masks_a=4294967295, categories_b=4294967295, masks_b=4294967295)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn union_pairs_between<'py>(
        &self,
        py: Python<'py>,
        min_a: &Bound<'py, PyAny>,
        max_a: &Bound<'py, PyAny>,
        min_b: &Bound<'py, PyAny>,
        max_b: &Bound<'py, PyAny>,
        categories_a: Option<&Bound<'py, PyAny>>,
        masks_a: Option<&Bound<'py, PyAny>>,
        categories_b: Option<&Bound<'py, PyAny>>,
        masks_b: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Pairs<'py>> {
        let names = ["categories_a", "masks_a"];
        let of_a = Restrictions::new(None, names, [categories_a, masks_a])?;
        let names = ["categories_b", "masks_b"];
        let of_b = Restrictions::new(None, names, [categories_b, masks_b])?;
        let a = Boxes::named(["min_a", "max_a", ""], min_a, max_a, None)?;
        let b = Boxes::named(["min_b", "max_b", ""], min_b, max_b, None)?;
        let (of_a, of_b) = (of_a.of_rows(a.len())?, of_b.of_rows(b.len())?);
        let (a, b) = (of_a.of(&a)?, of_b.of(&b)?);
        self.workers.check()?;
        let FinderState { finder, rejected } = &mut *self.state.lock(CLASS)?;
        let pairs = py.detach(|| {
            let found = finder.union_pairs_between(a, b).map_err(|error| error.to_string())?;
            let both = found.rejected().iter().chain(found.rejected_of_second());
            *rejected = both.map(|r| (r.row, r.reason.to_string())).collect();
            Ok(found.sorted().iter().map(|pair| [pair.a, pair.b]).collect())
        });
        table(py, pairs.map_err(|error: String| invalid(error))?)
    }

    /// Pairs that touch during the tick, ``(pairs, 2)``, sorted, and the first time of each, ``(pairs,)``.
    ///
    /// A first time is never later than the exact one, and no contact is missed.
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
        let boxes = Boxes::new(min, max, Some(delta))?;
        let restrictions = restrictions.of_rows(boxes.len())?;
        let input = restrictions.of(&boxes)?;
        self.workers.check()?;
        let FinderState { finder, rejected } = &mut *self.state.lock(CLASS)?;
        let found = py.detach(|| {
            let found = finder.swept_pairs(input).map_err(|error| error.to_string())?;
            *rejected = found.rejected().iter().map(|r| (r.row, r.reason.to_string())).collect();
            Ok(found.sorted().iter().map(|pair| ([pair.a, pair.b], pair.first)).unzip())
        });
        let (pairs, first) = found.map_err(|error: String| invalid(error))?;
        Ok((table(py, pairs)?, array(py, first)))
    }

    /// Pairs of a box of one list and a box of another that touch during the tick, ``(pairs, 2)``, sorted, and the first time of each,
    /// ``(pairs,)``.
    ///
    /// The first column is a row of ``min_a``, ``max_a`` and ``delta_a``, ``(n, 3)`` each; the second a row of ``min_b``, ``max_b`` and
    /// ``delta_b``, ``(m, 3)`` each. ``rejected`` contains the invalid rows of the first list, then those of the second. ``moves_a`` and
    /// ``moves_b`` are as ``moves``.
    #[pyo3(
        signature = (
            min_a, max_a, delta_a, min_b, max_b, delta_b, *, moves_a=None, moves_b=None, categories_a=None, masks_a=None,
            categories_b=None, masks_b=None
        ),
        text_signature = "($self, min_a, max_a, delta_a, min_b, max_b, delta_b, *, moves_a=None, moves_b=None, categories_a=4294967295, masks_a=4294967295, categories_b=4294967295, masks_b=4294967295)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn swept_pairs_between<'py>(
        &self,
        py: Python<'py>,
        min_a: &Bound<'py, PyAny>,
        max_a: &Bound<'py, PyAny>,
        delta_a: &Bound<'py, PyAny>,
        min_b: &Bound<'py, PyAny>,
        max_b: &Bound<'py, PyAny>,
        delta_b: &Bound<'py, PyAny>,
        moves_a: Option<&Bound<'py, PyAny>>,
        moves_b: Option<&Bound<'py, PyAny>>,
        categories_a: Option<&Bound<'py, PyAny>>,
        masks_a: Option<&Bound<'py, PyAny>>,
        categories_b: Option<&Bound<'py, PyAny>>,
        masks_b: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Pairs<'py>, Bound<'py, PyArray1<f32>>)> {
        let names = ["categories_a", "masks_a"];
        let of_a = Restrictions::named("moves_a", moves_a, names, [categories_a, masks_a])?;
        let names = ["categories_b", "masks_b"];
        let of_b = Restrictions::named("moves_b", moves_b, names, [categories_b, masks_b])?;
        let a = Boxes::named(["min_a", "max_a", "delta_a"], min_a, max_a, Some(delta_a))?;
        let b = Boxes::named(["min_b", "max_b", "delta_b"], min_b, max_b, Some(delta_b))?;
        let (of_a, of_b) = (of_a.of_rows(a.len())?, of_b.of_rows(b.len())?);
        let (a, b) = (of_a.of(&a)?, of_b.of(&b)?);
        self.workers.check()?;
        let FinderState { finder, rejected } = &mut *self.state.lock(CLASS)?;
        let found = py.detach(|| {
            let found = finder.swept_pairs_between(a, b).map_err(|error| error.to_string())?;
            let both = found.rejected().iter().chain(found.rejected_of_second());
            *rejected = both.map(|r| (r.row, r.reason.to_string())).collect();
            Ok(found.sorted().iter().map(|pair| ([pair.a, pair.b], pair.first)).unzip())
        });
        let (pairs, first) = found.map_err(|error: String| invalid(error))?;
        Ok((table(py, pairs)?, array(py, first)))
    }

    /// Rows that the last call that succeeded rejected, each with the reason.
    #[getter]
    fn rejected(&self) -> PyResult<Vec<(u32, String)>> {
        Ok(self.state.lock(CLASS)?.rejected.clone())
    }
}
