//! Queries over the boxes of a broadphase.

use numpy::PyArray1;
use pyo3::prelude::*;
use swath::broadphase::{ProxyHit, ProxyQueries};
use swath::{Filter, ProxyKind};

use super::edit::KINDS;
use super::{Broadphase, CLASS};
use crate::arguments::{Each, integer, limit, query_filter, wrong};
use crate::arrays::{Vectors, array, filled, invalid};
use crate::boxes::Boxes;
use crate::queries::{Rays, k_nearest, shaped, starts, with_boxes, with_moving};

/// Where each list starts, and the ids of all lists.
pub(super) type Lists<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<u64>>);
type Hits<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// Ids and values, infinite for none.
fn hits<'py>(py: Python<'py>, hits: &[ProxyHit], k: Option<usize>) -> PyResult<Hits<'py>> {
    Ok((
        shaped(py, hits.iter().map(|hit| hit.id.to_bits()), k)?,
        shaped(py, hits.iter().map(|hit| hit.value), k)?,
    ))
}

/// Which boxes a query considers.
pub(super) struct Considered {
    filter: Option<Filter>,
    without_owner: u32,
    without_kind: Vec<ProxyKind>,
}

impl Considered {
    pub(super) fn new(
        categories: Option<&Bound<'_, PyAny>>,
        mask: Option<&Bound<'_, PyAny>>,
        owner: Option<&Bound<'_, PyAny>>,
        kind: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let most = u64::from(u32::MAX);
        let read = |owner: &Bound<'_, PyAny>| integer("without_owner", owner, 0..=most);
        let without_kind = match kind {
            None => Vec::new(),
            Some(_) => match Each::words("without_kind", kind, ProxyKind::Dynamic, &KINDS)? {
                Each::All(kind) => vec![kind],
                Each::Rows(kinds) => kinds,
            },
        };
        Ok(Self {
            filter: query_filter(categories, mask)?,
            without_owner: owner.map_or(Ok(0), read)? as u32,
            without_kind,
        })
    }

    pub(super) fn of<'a>(&self, queries: ProxyQueries<'a>) -> ProxyQueries<'a> {
        let mut queries = queries.without_owner(self.without_owner);
        if let Some(filter) = self.filter {
            queries = queries.filtered(filter);
        }
        self.without_kind.iter().fold(queries, |queries, &kind| queries.without(kind))
    }
}

#[pymethods]
impl Broadphase {
    /// The first box that each ray hits: its id or ``2**64 - 1``, and the fraction of ``direction`` or infinity,
    /// ``(n,)`` each.
    ///
    /// ``origin`` and ``direction`` are ``(n, 3)``. A ray ends at the fraction ``max_fraction`` of its direction; None
    /// is no end.
    ///
    /// All queries see the true boxes at the start of the tick, without margins, of all enabled boxes, with each change
    /// before the call. A query with ``categories`` and a ``mask`` finds a box if each of the two has a category that
    /// is in the mask of the other. It leaves out boxes of the owner ``without_owner``, if that is not 0, and of the
    /// kinds ``without_kind``, a name or a sequence of names.
    #[pyo3(
        signature = (origin, direction, max_fraction=None, *, categories=None, mask=None, without_owner=None, without_kind=None),
        text_signature = "($self, origin, direction, max_fraction=None, *, categories=4294967295, mask=4294967295, without_owner=0, without_kind=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn cast<'py>(
        &self,
        py: Python<'py>,
        origin: &Bound<'py, PyAny>,
        direction: &Bound<'py, PyAny>,
        max_fraction: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        without_owner: Option<&Bound<'py, PyAny>>,
        without_kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Hits<'py>> {
        let considered = Considered::new(categories, mask, without_owner, without_kind)?;
        let rays = Rays::new(origin, direction, max_fraction)?;
        let rays = rays.rows();
        self.workers.check()?;
        let mut out = filled(ProxyHit::MISS, rays.len())?;
        let inner = &mut self.state.lock(CLASS)?.inner;
        let failed = py.detach(|| {
            let queries = considered.of(inner.queries());
            rays.with_columns(|segments| queries.casts(segments).closest(&mut out))
        });
        failed.map_err(invalid)?;
        hits(py, &out, None)
    }

    /// The first box that each moving box touches: its id or ``2**64 - 1``, and the time as a fraction of its path or
    /// infinity.
    ///
    /// ``min`` and ``max`` are the corners at the start, ``delta`` the displacement, ``(n, 3)`` each. Returns ``(n,)``
    /// each. The boxes of the broadphase stay where they are at the start of the tick. A time is never later than the
    /// exact one. The other arguments are as in ``cast``.
    #[pyo3(
        signature = (min, max, delta, *, categories=None, mask=None, without_owner=None, without_kind=None),
        text_signature = "($self, min, max, delta, *, categories=4294967295, mask=4294967295, without_owner=0, without_kind=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn sweep<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: &Bound<'py, PyAny>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        without_owner: Option<&Bound<'py, PyAny>>,
        without_kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Hits<'py>> {
        let considered = Considered::new(categories, mask, without_owner, without_kind)?;
        let boxes = Boxes::new(min, max, Some(delta))?;
        let delta = Vectors::new("delta", delta)?;
        let rows = [boxes.min.rows(), boxes.max.rows(), delta.rows()];
        self.workers.check()?;
        let mut out = filled(ProxyHit::MISS, boxes.len())?;
        let inner = &mut self.state.lock(CLASS)?.inner;
        let failed = py.detach(|| {
            let queries = considered.of(inner.queries());
            with_moving(rows, |moving| queries.sweeps(moving).closest(&mut out))
        });
        failed.map_err(invalid)?;
        hits(py, &out, None)
    }

    /// The boxes that each box overlaps: those of row ``i`` are ``ids[starts[i]:starts[i + 1]]``, in order.
    ///
    /// ``min`` and ``max`` are ``(n, 3)``. Returns ``starts`` with ``n + 1`` elements, and ``ids``. Boxes that share a
    /// point of their surfaces overlap. The other arguments are as in ``cast``.
    #[pyo3(
        signature = (min, max, *, categories=None, mask=None, without_owner=None, without_kind=None),
        text_signature = "($self, min, max, *, categories=4294967295, mask=4294967295, without_owner=0, without_kind=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn overlaps<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        without_owner: Option<&Bound<'py, PyAny>>,
        without_kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Lists<'py>> {
        let considered = Considered::new(categories, mask, without_owner, without_kind)?;
        let boxes = Boxes::new(min, max, None)?;
        let (min, max) = (boxes.min.rows(), boxes.max.rows());
        self.workers.check()?;
        let (mut ends, mut ids) = (vec![0; boxes.len() + 1], Vec::new());
        let inner = &mut self.state.lock(CLASS)?.inner;
        let failed = py.detach(|| {
            let queries = considered.of(inner.queries());
            with_boxes(min, max, |many| queries.overlaps(many).all(&mut ends, &mut ids))
        });
        failed.map_err(invalid)?;
        Ok((starts(py, ends), array(py, ids.into_iter().map(swath::ProxyId::to_bits).collect())))
    }

    /// The box nearest to each point, at most at the distance ``max_distance``: its id or ``2**64 - 1``, and the
    /// distance or infinity.
    ///
    /// ``points`` are ``(n, 3)``. Returns ``(n,)`` each; with ``k``, from 1 to ``2**26``, the ``k`` nearest boxes of
    /// each point, ``(n, k)``, in the order of distance. Without ``max_distance``, there is no limit. The other
    /// arguments are as in ``cast``.
    #[pyo3(
        signature = (points, max_distance=None, *, k=None, categories=None, mask=None, without_owner=None, without_kind=None),
        text_signature = "($self, points, max_distance=None, *, k=None, categories=4294967295, mask=4294967295, without_owner=0, without_kind=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        points: &Bound<'py, PyAny>,
        max_distance: Option<&Bound<'py, PyAny>>,
        k: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        mask: Option<&Bound<'py, PyAny>>,
        without_owner: Option<&Bound<'py, PyAny>>,
        without_kind: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Hits<'py>> {
        let max_distance = limit("max_distance", max_distance)?;
        let k = k_nearest(k)?;
        let considered = Considered::new(categories, mask, without_owner, without_kind)?;
        let points = Vectors::new("points", points)?;
        let points = points.rows();
        self.workers.check()?;
        let mut out = filled(ProxyHit::MISS, points.len().saturating_mul(k.unwrap_or(1)))?;
        let inner = &mut self.state.lock(CLASS)?.inner;
        let failed = py.detach(|| {
            let queries = considered.of(inner.queries());
            with_boxes(points, points, |many| {
                let near = queries.proximities(many, max_distance);
                let near = near.map_err(|error| error.to_string())?;
                near.k_nearest(k.unwrap_or(1), &mut out).map_err(|error| error.to_string())
            })
        });
        failed.map_err(|error| wrong("max_distance", error))?;
        hits(py, &out, k)
    }
}
