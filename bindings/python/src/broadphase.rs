//! Pairs of boxes under ids, with events.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::broadphase::{AabbRows, MovingBoxInput};
use swath::{Proxy, ProxyId, ProxyKind};

use crate::arrays::{Numbers, Vectors, array, invalid, table};
use crate::threads::Workers;

/// Boxes that stay from tick to tick, under ids.
#[pyclass]
pub(crate) struct Broadphase {
    inner: swath::Broadphase,
    workers: Workers,
    rejected: Vec<(u32, String)>,
}

type Ids<'py> = Bound<'py, PyArray1<u64>>;
type Pairs<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray1<f32>>);
/// Pairs that begin with their first times, and pairs that ended.
type Events<'py> =
    (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<u64>>);

fn kind(name: &str) -> PyResult<ProxyKind> {
    match name {
        "fixed" => Ok(ProxyKind::Fixed),
        "kinematic" => Ok(ProxyKind::Kinematic),
        "dynamic" => Ok(ProxyKind::Dynamic),
        "sleeping" => Ok(ProxyKind::Sleeping),
        other => {
            let wanted = "kind: expected 'fixed', 'kinematic', 'dynamic' or 'sleeping'";
            Err(invalid(format!("{wanted}, got '{other}'")))
        }
    }
}

fn ids(object: &Bound<'_, PyAny>) -> PyResult<Vec<ProxyId>> {
    let numbers = Numbers::<u64>::new("ids", object)?;
    Ok(numbers.numbers().iter().map(|&id| ProxyId::from_bits(id)).collect())
}

/// Borrowed corners and displacements.
struct Boxes<'py>(Vectors<'py>, Vectors<'py>, Option<Vectors<'py>>);

impl<'py> Boxes<'py> {
    fn new(
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let delta = delta.map(|delta| Vectors::new("delta", delta)).transpose()?;
        Ok(Self(Vectors::new("min", min)?, Vectors::new("max", max)?, delta))
    }

    fn input(&self) -> PyResult<MovingBoxInput<'_>> {
        let boxes = AabbRows::new(self.0.rows(), self.1.rows()).map_err(invalid)?;
        Ok(match &self.2 {
            Some(delta) => boxes.moving(delta.rows()).map_err(invalid)?.into(),
            None => boxes.into(),
        })
    }
}

fn listed(rejected: &[swath::batch::Rejected]) -> Vec<(u32, String)> {
    rejected.iter().map(|r| (r.row, r.reason.to_string())).collect()
}

#[pymethods]
impl Broadphase {
    #[new]
    #[pyo3(signature = (*, threads=None))]
    fn new(threads: Option<usize>) -> PyResult<Self> {
        let workers = Workers::new(threads)?;
        let inner = swath::Broadphase::with_exec(workers.exec());
        Ok(Self { inner, workers, rejected: Vec::new() })
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    /// Rows that the last call of `insert` or `set` rejected, each with the reason.
    #[getter]
    fn rejected(&self) -> Vec<(u32, String)> {
        self.rejected.clone()
    }

    /// Inserts a box for each row and returns their ids.
    #[pyo3(signature = (min, max, delta=None, *, kind="dynamic", margin=0.0))]
    fn insert<'py>(
        &mut self,
        py: Python<'py>,
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: Option<&Bound<'py, PyAny>>,
        kind: &str,
        margin: f32,
    ) -> PyResult<Ids<'py>> {
        self.workers.check()?;
        let boxes = Boxes::new(min, max, delta)?;
        let mut proxy = Proxy::dynamic().with_margin(margin);
        proxy.kind = self::kind(kind)?;
        let mut ids = Vec::new();
        let rejected = self.inner.insert_many(boxes.input()?, proxy, &mut ids).map_err(invalid)?;
        self.rejected = listed(rejected);
        Ok(array(py, ids.into_iter().map(ProxyId::to_bits).collect()))
    }

    /// Sets the box and the displacement of each id.
    #[pyo3(signature = (ids, min, max, delta=None))]
    fn set(
        &mut self,
        ids: &Bound<'_, PyAny>,
        min: &Bound<'_, PyAny>,
        max: &Bound<'_, PyAny>,
        delta: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.workers.check()?;
        let (ids, boxes) = (self::ids(ids)?, Boxes::new(min, max, delta)?);
        self.rejected = listed(self.inner.set_many(&ids, boxes.input()?).map_err(invalid)?);
        Ok(())
    }

    /// Changes the kind of each id.
    fn set_kind(&mut self, ids: &Bound<'_, PyAny>, kind: &str) -> PyResult<()> {
        self.workers.check()?;
        self.inner.set_kind_many(&self::ids(ids)?, self::kind(kind)?).map_err(invalid)
    }

    /// Removes each id.
    fn remove(&mut self, ids: &Bound<'_, PyAny>) -> PyResult<()> {
        self.workers.check()?;
        self.inner.remove_many(&self::ids(ids)?).map_err(invalid)
    }

    /// Finds the pairs of the tick, and returns those that begin, with their first times, and those that ended.
    fn update<'py>(&mut self, py: Python<'py>) -> PyResult<Events<'py>> {
        self.workers.check()?;
        let inner = &mut self.inner;
        let (mut begun, mut first, mut ended) = (Vec::new(), Vec::new(), Vec::new());
        let failed = py.detach(|| match inner.update() {
            Ok(changes) => {
                for pair in changes.begun() {
                    begun.push([pair.a.to_bits(), pair.b.to_bits()]);
                    first.push(pair.first);
                }
                ended.extend(changes.ended().iter().map(|p| [p.a.to_bits(), p.b.to_bits()]));
                None
            }
            Err(error) => Some(error.to_string()),
        });
        match failed {
            Some(error) => Err(invalid(error)),
            None => Ok((table(py, begun)?, array(py, first), table(py, ended)?)),
        }
    }

    /// All pairs that touch in the tick of the last update, with their first times.
    fn touching<'py>(&self, py: Python<'py>) -> PyResult<Pairs<'py>> {
        let (mut pairs, mut first) = (Vec::new(), Vec::new());
        for pair in self.inner.changes().touching() {
            pairs.push([pair.a.to_bits(), pair.b.to_bits()]);
            first.push(pair.first);
        }
        Ok((table(py, pairs)?, array(py, first)))
    }
}
