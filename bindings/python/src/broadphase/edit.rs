//! Inserting, changing and removing boxes.

use numpy::PyArray1;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use swath::broadphase::{BroadphaseError, KindTable};
use swath::{COORD_MAX, Proxy, ProxyId, ProxyKind};

use super::{Broadphase, BroadphaseState, CLASS, ids};
use crate::arguments::{Each, Filters, Words, same_rows, vector, wrong};
use crate::arrays::{Vectors, array, invalid, mistyped};
use crate::boxes::Boxes;

/// The kinds of boxes.
pub(super) const KINDS: Words<ProxyKind, 4> = [
    ("fixed", ProxyKind::Fixed),
    ("kinematic", ProxyKind::Kinematic),
    ("dynamic", ProxyKind::Dynamic),
    ("sleeping", ProxyKind::Sleeping),
];

fn listed(rejected: &[swath::batch::Rejected]) -> Vec<(u32, String)> {
    rejected.iter().map(|r| (r.row, r.reason.to_string())).collect()
}

/// Reads margins, and checks them.
fn margins(object: Option<&Bound<'_, PyAny>>) -> PyResult<Each<f32>> {
    let margins = Each::new("margin", object, 0.0)?;
    let is_valid = |margin: f32| (0.0..=COORD_MAX).contains(&margin);
    match &margins {
        Each::All(margin) if !is_valid(*margin) => Err(wrong("margin", BroadphaseError::Margin)),
        Each::Rows(margins) => match margins.iter().position(|&margin| !is_valid(margin)) {
            Some(row) => Err(wrong("margin", BroadphaseError::MarginOfRow { row })),
            None => Ok(()),
        },
        Each::All(_) => Ok(()),
    }?;
    Ok(margins)
}

#[pymethods]
impl Broadphase {
    /// Inserts a box for each row of ``min`` and ``max``, ``(n, 3)``, and returns their ids, ``(n,)``.
    ///
    /// ``delta`` is the displacement over the tick, ``(n, 3)``; that of a fixed or sleeping box is ignored. A rejected
    /// row gets the id ``2**64 - 1``. **The id of the first box is 0**, so an array of zeros is no list without ids: fill
    /// it with ``2**64 - 1``. Each of the other arguments is one value for all rows, or has one for each row:
    ///
    /// * ``kind``: a name or a sequence of names. Fixed boxes do not move, kinematic ones move on paths that the caller
    ///   prescribes, dynamic ones react to contacts, sleeping ones are dynamic ones at rest.
    /// * ``margin``: a length, ``(n,)`` float32. With it, a box is kept enlarged by it until its path leaves this fat
    ///   box; the reported pairs are then those of fat boxes.
    /// * ``categories`` and ``masks``: 32 bits each, ``(n,)`` uint32. Two boxes may form a pair if each has a category
    ///   that is in the mask of the other.
    /// * ``owner``: ``(n,)`` uint32. Two boxes of the same owner never form a pair; 0 is no owner.
    /// * ``enabled``: ``(n,)`` bool. A disabled box is in no pair and in no result of a query.
    /// * ``user``: a number of the caller, ``(n,)`` uint64, that ``user`` returns.
    #[pyo3(
        signature = (
            min, max, delta=None, *, kind=None, margin=None, categories=None, masks=None, owner=None, enabled=None, user=None
        ),
        text_signature = "($self, min, max, delta=None, *, kind='dynamic', margin=0.0, categories=4294967295, masks=4294967295, owner=0, enabled=True, user=0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn insert<'py>(
        &self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: Option<&Bound<'py, PyAny>>,
        kind: Option<&Bound<'py, PyAny>>,
        margin: Option<&Bound<'py, PyAny>>,
        categories: Option<&Bound<'py, PyAny>>,
        masks: Option<&Bound<'py, PyAny>>,
        owner: Option<&Bound<'py, PyAny>>,
        enabled: Option<&Bound<'py, PyAny>>,
        user: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<u64>>> {
        self.workers.check()?;
        let kinds = Each::words("kind", kind, ProxyKind::Dynamic, &KINDS)?;
        let margins = margins(margin)?;
        let filters = Filters::new(["categories", "masks"], categories, masks)?;
        let owners = Each::new("owner", owner, 0_u32)?;
        let enabled = Each::new("enabled", enabled, true)?;
        let user = Each::new("user", user, 0_u64)?;
        let boxes = Boxes::new(min, max, delta)?;
        let rows = boxes.len();
        kinds.check("kind", rows)?;
        margins.check("margin", rows)?;
        filters.check(rows)?;
        owners.check("owner", rows)?;
        enabled.check("enabled", rows)?;
        user.check("user", rows)?;
        let proxy = |row: usize| {
            let mut proxy = Proxy::dynamic().filtered(filters.get(row)).owned_by(owners.get(row));
            proxy.kind = kinds.get(row);
            proxy.margin = margins.get(row);
            proxy.enabled = enabled.get(row);
            proxy.data = user.get(row);
            proxy
        };
        let is_one = kinds.one().is_some()
            && margins.one().is_some()
            && filters.one().is_some()
            && owners.one().is_some()
            && enabled.one().is_some()
            && user.one().is_some();
        let mut ids = Vec::new();
        let BroadphaseState { inner, rejected } = &mut *self.state.lock(CLASS)?;
        *rejected = if is_one {
            listed(inner.insert_many(boxes.input()?, proxy(0), &mut ids).map_err(invalid)?)
        } else {
            let proxies: Vec<Proxy> = (0..rows).map(proxy).collect();
            listed(inner.insert_many(boxes.input()?, &proxies, &mut ids).map_err(invalid)?)
        };
        Ok(array(py, ids.into_iter().map(ProxyId::to_bits).collect()))
    }

    /// Sets the box and the displacement of each id, ``(n,)``.
    ///
    /// Without ``delta``, the displacement is zero. That of a fixed or sleeping box is ignored, so call ``set_kind``
    /// first. Both remain until they are set again: an update does not move a box to the end of its path. Rejected rows
    /// change nothing; a stale id is a ``ValueError``, and then nothing is changed.
    #[pyo3(signature = (ids, min, max, delta=None))]
    fn set(
        &self,
        ids: &Bound<'_, PyAny>,
        min: &Bound<'_, PyAny>,
        max: &Bound<'_, PyAny>,
        delta: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.workers.check()?;
        let (ids, boxes) = (self::ids(ids)?, Boxes::new(min, max, delta)?);
        same_rows("ids", ids.len(), "min", boxes.len())?;
        let mut state = self.state.lock(CLASS)?;
        state.check(&ids)?;
        let BroadphaseState { inner, rejected } = &mut *state;
        *rejected = listed(inner.set_many(&ids, boxes.input()?).map_err(invalid)?);
        Ok(())
    }

    /// Sets the displacement of each id, ``(n, 3)``, and keeps the boxes.
    ///
    /// It remains until it is set again, also by ``set``. That of a fixed or sleeping box is checked and then ignored. Rejected rows change
    /// nothing; a stale id is a ``ValueError``, and then nothing is changed.
    fn set_delta(&self, ids: &Bound<'_, PyAny>, delta: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let (ids, deltas) = (self::ids(ids)?, Vectors::new("delta", delta)?);
        same_rows("ids", ids.len(), "delta", deltas.rows().len())?;
        let mut state = self.state.lock(CLASS)?;
        state.check(&ids)?;
        let BroadphaseState { inner, rejected } = &mut *state;
        *rejected = listed(inner.set_delta_many(&ids, deltas.rows()).map_err(invalid)?);
        Ok(())
    }

    /// Changes the kind of each id: ``kind`` is a name for all, or a sequence with a name for each.
    ///
    /// A box that becomes fixed or sleeping stays where it was at the start of the tick, and loses its displacement;
    /// a fixed or sleeping one that becomes dynamic or kinematic has none until it is set, and one that was dynamic or
    /// kinematic before keeps its own. A stale id is a ``ValueError``, and then nothing
    /// is changed.
    fn set_kind(&self, ids: &Bound<'_, PyAny>, kind: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        let kinds = Each::words("kind", Some(kind), ProxyKind::Dynamic, &KINDS)?;
        kinds.check("kind", ids.len())?;
        self.state.lock(CLASS)?.edit_all(&ids, |of, row, id| of.set_kind(id, kinds.get(row)))
    }

    /// Sets which kinds of boxes form pairs: ``pairs`` is a sequence of two names each, in any order; None is the rule at the start,
    /// that of a dynamic box with any other, and a kinematic with a sleeping one.
    ///
    /// The next update ends the pairs of kinds that do not pair any more; a pair of two fixed or sleeping boxes stays as long as it
    /// touches and neither changes. Pairs of two such kinds begin only when one of the boxes is inserted or changes.
    fn set_kind_table(&self, pairs: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut table = KindTable::DEFAULT;
        if let Some(pairs) = pairs {
            for (_, a) in KINDS {
                table = KINDS.into_iter().fold(table, |table, (_, b)| table.without(a, b));
            }
            let all = pairs.try_iter().map_err(|error| {
                let is_type_error = error.is_instance_of::<PyTypeError>(pairs.py());
                let wanted = "a sequence of pairs of kinds, or None";
                if is_type_error { mistyped("pairs", wanted, pairs) } else { error }
            })?;
            for pair in all {
                let kinds = Each::words("pairs", Some(&pair?), ProxyKind::Dynamic, &KINDS)?;
                let Each::Rows(kinds) = kinds else {
                    return Err(wrong(
                        "pairs",
                        "expected two names of kinds for each pair, got one",
                    ));
                };
                let &[a, b] = kinds.as_slice() else {
                    let got = kinds.len();
                    let wanted = format!("expected two names of kinds for each pair, got {got}");
                    return Err(wrong("pairs", wanted));
                };
                table = table.with(a, b);
            }
        }
        self.state.lock(CLASS)?.inner.set_kind_table(table);
        Ok(())
    }

    /// Changes the categories and masks of each id, one for all or ``(n,)`` uint32.
    ///
    /// Without them, all bits are set. A stale id is a ``ValueError``, and then nothing is changed.
    #[pyo3(
        signature = (ids, categories=None, masks=None),
        text_signature = "($self, ids, categories=4294967295, masks=4294967295)"
    )]
    fn set_filter(
        &self,
        ids: &Bound<'_, PyAny>,
        categories: Option<&Bound<'_, PyAny>>,
        masks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        let filters = Filters::new(["categories", "masks"], categories, masks)?;
        filters.check(ids.len())?;
        self.state.lock(CLASS)?.edit_all(&ids, |of, row, id| of.set_filter(id, filters.get(row)))
    }

    /// Changes the owner of each id, one for all or ``(n,)`` uint32; 0 is no owner.
    ///
    /// A stale id is a ``ValueError``, and then nothing is changed.
    fn set_owner(&self, ids: &Bound<'_, PyAny>, owner: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        let owners = Each::new("owner", Some(owner), 0_u32)?;
        owners.check("owner", ids.len())?;
        self.state.lock(CLASS)?.edit_all(&ids, |of, row, id| of.set_owner(id, owners.get(row)))
    }

    /// Enables or disables each id, one value for all or ``(n,)`` bool. A disabled box is in no pair and in no result
    /// of a query.
    ///
    /// A stale id is a ``ValueError``, and then nothing is changed.
    fn set_enabled(&self, ids: &Bound<'_, PyAny>, enabled: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        let enabled = Each::new("enabled", Some(enabled), true)?;
        enabled.check("enabled", ids.len())?;
        self.state.lock(CLASS)?.edit_all(&ids, |of, row, id| of.set_enabled(id, enabled.get(row)))
    }

    /// Changes the margin of each id, one length for all or ``(n,)`` float32.
    ///
    /// A row whose fat box would reach past ``2**120`` is rejected and changes nothing. A negative margin or NaN, and a
    /// stale id, are a ``ValueError``, and then nothing is changed.
    fn set_margin(&self, ids: &Bound<'_, PyAny>, margin: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        let margins = margins(Some(margin))?;
        margins.check("margin", ids.len())?;
        let mut new = Vec::new();
        let mut state = self.state.lock(CLASS)?;
        state.edit_all(&ids, |of, row, id| match of.set_margin(id, margins.get(row)) {
            Err(BroadphaseError::Invalid(reason)) => {
                new.push((row as u32, reason.to_string()));
                Ok(())
            }
            other => other,
        })?;
        state.rejected = new;
        Ok(())
    }

    /// Changes the number of the caller of each id, one for all or ``(n,)`` uint64.
    ///
    /// A stale id is a ``ValueError``, and then nothing is changed.
    fn set_user(&self, ids: &Bound<'_, PyAny>, user: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        let user = Each::new("user", Some(user), 0_u64)?;
        user.check("user", ids.len())?;
        self.state.lock(CLASS)?.edit_all(&ids, |of, row, id| of.set_data(id, user.get(row)))
    }

    /// Removes each id; a stale one is a ``ValueError``, and then none is removed.
    fn remove(&self, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        let mut state = self.state.lock(CLASS)?;
        state.check(&ids)?;
        state.inner.remove_many(&ids).map_err(invalid)
    }

    /// Removes all boxes. As after ``remove``, their pairs stay in ``pairs`` until the next update, which ends them.
    fn clear(&self) -> PyResult<()> {
        self.workers.check()?;
        let mut state = self.state.lock(CLASS)?;
        state.rejected.clear();
        state.inner.clear();
        Ok(())
    }

    /// Makes the next update report the pairs of each id that touch then as begun again, without an end. The ids stay.
    ///
    /// Drop the pairs that you have of these boxes: one that no longer touches at the next update, or whose box is
    /// removed, disabled or filtered out before it, has neither a begin nor an end.
    ///
    /// A stale id is a ``ValueError``, and then nothing is changed.
    fn renew(&self, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let ids = self::ids(ids)?;
        self.state.lock(CLASS)?.edit_all(&ids, |of, _, id| of.renew(id))
    }

    /// Moves the origin to ``offset``, three numbers: all boxes are translated by its negative and rounded outwards.
    ///
    /// Ids and pairs stay. A shift by which a box would reach past ``2**120`` is a ``ValueError`` and changes nothing.
    fn shift_origin(&self, offset: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        let offset = vector::<3>("offset", offset)?;
        let mut state = self.state.lock(CLASS)?;
        state.inner.shift_origin(offset).map_err(|error| wrong("offset", error))
    }
}
