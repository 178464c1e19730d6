//! Pairs of boxes under ids, with events.

mod edit;
mod geometries;
mod queries;
mod read;
mod snapshot;

pub(crate) use read::Contact;
pub(crate) use snapshot::Snapshot;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use swath::ProxyId;
use swath::broadphase::BroadphaseError;

use crate::arguments::{instance, pairs_max};
use crate::arrays::{Numbers, invalid};
use crate::exclusive::Exclusive;
use crate::threads::Workers;

/// Boxes that stay from tick to tick, under ids, and the pairs that begin and end.
///
/// An id is a number that no other box of this object ever has, unless a snapshot is restored; ``id >> 32`` is an index
/// that is less than the largest number of boxes that existed at once, plus one for each index that was used
/// ``2**32 - 1`` times. ``2**64 - 1`` is the id of no box. A new pair needs a dynamic box, or a kinematic and a
/// sleeping one. If both boxes of a pair become fixed or sleeping, both lose their displacements. If they touch at the
/// start of the tick, the pair stays, without an event, until one of them changes; otherwise it ends. For a box with a
/// margin, the fat box is compared.
///
/// ``threads`` is the number of threads, by default one for each logical core. ``pairs_max`` limits the number of pairs
/// of an update; one with more is a ``ValueError``; then ``touching`` is empty until an update succeeds, and nothing
/// else is changed. By default there is no limit, and an update that needs more memory than there is ends the process:
/// the pairs of boxes that are all in one place grow with the square of their number.
///
/// An object takes one call at a time; a second one from another thread is a ``RuntimeError``. ``copy.copy``,
/// ``copy.deepcopy`` and ``pickle`` make an independent broadphase in the state that ``save`` returns.
#[pyclass(frozen, module = "swath")]
pub(crate) struct Broadphase {
    state: Exclusive<BroadphaseState>,
    workers: Workers,
    pairs_max: Option<usize>,
}

/// What a call may change.
pub(crate) struct BroadphaseState {
    inner: swath::Broadphase,
    rejected: Vec<(u32, String)>,
}

const CLASS: &str = "Broadphase";

/// Reads the argument `ids`.
fn ids(object: &Bound<'_, PyAny>) -> PyResult<Vec<ProxyId>> {
    let numbers = Numbers::<u64>::new("ids", object)?;
    Ok(numbers.numbers().iter().map(|&id| ProxyId::from_bits(id)).collect())
}

impl BroadphaseState {
    /// Returns an error if an id is stale.
    fn check(&self, ids: &[ProxyId]) -> PyResult<()> {
        match ids.iter().position(|&id| !self.inner.contains(id)) {
            Some(row) => Err(stale(row, ids[row])),
            None => Ok(()),
        }
    }

    /// Applies `edit` to each row, if no id is stale.
    fn edit_all(
        &mut self,
        ids: &[ProxyId],
        mut edit: impl FnMut(&mut swath::Broadphase, usize, ProxyId) -> Result<(), BroadphaseError>,
    ) -> PyResult<()> {
        self.check(ids)?;
        let mut rows = ids.iter().enumerate();
        rows.try_for_each(|(row, &id)| edit(&mut self.inner, row, id)).map_err(invalid)
    }
}

/// The error about a stale id in a list.
fn stale(row: usize, id: ProxyId) -> PyErr {
    crate::arguments::wrong("ids", BroadphaseError::StaleOfRow { row, id })
}

#[pymethods]
impl Broadphase {
    #[new]
    #[pyo3(signature = (*, threads=None, pairs_max=None))]
    fn new(
        threads: Option<&Bound<'_, PyAny>>,
        pairs_max: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let workers = Workers::new(threads)?;
        let pairs_max = self::pairs_max(pairs_max)?;
        let mut exec = workers.exec();
        exec.pairs_max = pairs_max.unwrap_or(exec.pairs_max);
        let inner = swath::Broadphase::with_exec(exec);
        let state = Exclusive::new(BroadphaseState { inner, rejected: Vec::new() });
        Ok(Self { state, workers, pairs_max })
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(self.state.lock(CLASS)?.inner.len())
    }

    /// Rows that the last successful call of ``insert``, ``set`` or ``set_margin`` rejected, each with the reason.
    #[getter]
    fn rejected(&self) -> PyResult<Vec<(u32, String)>> {
        Ok(self.state.lock(CLASS)?.rejected.clone())
    }

    /// Returns the state that decides the results of the next updates: boxes, ids and pairs.
    ///
    /// The events of the last update are not part of it, nor the numbers of threads and of pairs.
    fn save(&self) -> PyResult<Snapshot> {
        Ok(Snapshot::new(self.state.lock(CLASS)?.inner.snapshot()))
    }

    /// Restores a state that ``save`` returned. From now on each update has the results that it would have had then.
    ///
    /// Ids of boxes that were inserted since then are stale, or become those of other boxes.
    fn restore(&self, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
        let snapshot = instance::<Snapshot>("snapshot", snapshot)?.get();
        let mut state = self.state.lock(CLASS)?;
        state.rejected.clear();
        state.inner.restore(snapshot.inner());
        Ok(())
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let settings = PyDict::new(py);
        settings.set_item("threads", self.workers.count())?;
        settings.set_item("pairs_max", self.pairs_max)?;
        Ok((PyTuple::empty(py), settings))
    }

    fn __getstate__(&self) -> PyResult<Snapshot> {
        self.save()
    }

    fn __setstate__(&self, snapshot: &Bound<'_, PyAny>) -> PyResult<()> {
        self.restore(snapshot)
    }
}
