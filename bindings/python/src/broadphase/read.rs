//! Updates, and reading pairs and boxes.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use swath::ProxyId;
use swath::batch::ContactState;
use swath::broadphase::{BroadphaseError, ProxyContact};

use super::{Broadphase, CLASS, ids, stale};
use crate::arguments::{integer, wrong};
use crate::arrays::{Numbers, array, invalid, table};

type Ids<'py> = Bound<'py, PyArray1<u64>>;
type Pairs<'py> = (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray1<f32>>);
/// Pairs that begin with their first times, and pairs that ended.
type Events<'py> =
    (Bound<'py, PyArray2<u64>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray2<u64>>);
/// Corners and displacements.
type Rows<'py> = (Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>, Bound<'py, PyArray2<f32>>);
/// A vector as a tuple.
type Vector = (f32, f32, f32);

/// How two boxes of a ``Broadphase`` touch in the tick, by their true boxes, without margins.
#[pyclass(frozen, get_all, module = "swath")]
pub(crate) struct Contact {
    /// "separated": no contact in the tick; "touching": from the time ``first`` on; "overlapping": from the start of
    /// the tick.
    state: &'static str,
    /// First time of contact, a fraction of the tick, never late; None without a contact.
    first: Option<f32>,
    /// Last time of contact, never early; None without a contact.
    last: Option<f32>,
    /// Unit normal from ``a`` to ``b``; None without an axis of contact, as for boxes whose interiors overlap at the
    /// start.
    normal: Option<Vector>,
    /// Whether the boxes move into each other just after the first time. True for all boxes whose interiors overlap at the
    /// start, also if they rest or move apart.
    closing: bool,
    /// The shortest vector to add to ``b`` so that it at most touches ``a``; None if the boxes do not overlap at the
    /// start.
    translation: Option<Vector>,
}

#[pymethods]
impl Contact {
    fn __repr__(&self) -> String {
        match self.first.zip(self.last) {
            Some((first, last)) => {
                format!("Contact(state='{}', first={first:?}, last={last:?})", self.state)
            }
            None => format!("Contact(state='{}')", self.state),
        }
    }
}

impl From<ProxyContact> for Contact {
    fn from(found: ProxyContact) -> Self {
        let ProxyContact { sweep, separation, .. } = found;
        let contact = sweep.contact;
        let hit = contact.is_hit();
        let state = match contact.state() {
            ContactState::Touching => "touching",
            ContactState::Overlapping => "overlapping",
            _ => "separated",
        };
        Self {
            state,
            first: hit.then_some(sweep.first),
            last: hit.then_some(sweep.last),
            normal: contact.axis().map(|_| contact.normal().into()),
            closing: contact.is_closing(),
            translation: separation.map(|separation| separation.translation().into()),
        }
    }
}

/// Reads one id.
fn id(name: &str, object: &Bound<'_, PyAny>) -> PyResult<ProxyId> {
    integer(name, object, 0..=u64::MAX).map(ProxyId::from_bits)
}

#[pymethods]
impl Broadphase {
    /// Finds the pairs that touch in this tick, and compares them with those of the last update.
    ///
    /// Returns the pairs that begin, ``(k, 2)`` ids, with their first times as fractions of the tick, ``(k,)``, and the
    /// pairs that ended, ``(m, 2)``.
    fn update<'py>(&self, py: Python<'py>) -> PyResult<Events<'py>> {
        self.workers.check()?;
        let inner = &mut self.state.lock(CLASS)?.inner;
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

    /// The pairs of the last update in which a box is dynamic or kinematic, ``(k, 2)`` ids, with their first times as
    /// fractions of the tick, ``(k,)``. Pairs whose two boxes are fixed or sleeping are left out.
    fn touching<'py>(&self, py: Python<'py>) -> PyResult<Pairs<'py>> {
        let (mut pairs, mut first) = (Vec::new(), Vec::new());
        for pair in self.state.lock(CLASS)?.inner.changes().touching() {
            pairs.push([pair.a.to_bits(), pair.b.to_bits()]);
            first.push(pair.first);
        }
        Ok((table(py, pairs)?, array(py, first)))
    }

    /// The pairs that the last update found or kept, those of two fixed or sleeping boxes too, ``(k, 2)`` ids, in
    /// order.
    ///
    /// With an ``id``, only the pairs of this box; a stale id is a ``ValueError``.
    #[pyo3(signature = (id=None))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        id: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u64>>> {
        self.workers.check()?;
        let id = id.map(|object| self::id("id", object)).transpose()?;
        let inner = &mut self.state.lock(CLASS)?.inner;
        if let Some(id) = id
            && !inner.contains(id)
        {
            return Err(wrong("id", swath::broadphase::BroadphaseError::Stale { id }));
        }
        let pairs = py.detach(|| {
            let pairs = match id {
                Some(id) => inner.pairs_of(id),
                None => inner.pairs(),
            };
            pairs.iter().map(|pair| [pair.a.to_bits(), pair.b.to_bits()]).collect()
        });
        table(py, pairs)
    }

    /// How two boxes touch in the tick, whether or not they are a pair. A stale id is a ``ValueError``.
    fn contact(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Contact> {
        let [a, b] = [id("a", a)?, id("b", b)?];
        let state = self.state.lock(CLASS)?;
        for (name, id) in [("a", a), ("b", b)] {
            if !state.inner.contains(id) {
                return Err(wrong(name, BroadphaseError::Stale { id }));
            }
        }
        Ok(state.inner.contact(a, b).map_err(invalid)?.into())
    }

    /// Whether each of these ids, ``(n,)``, is that of a box that exists, ``(n,)`` bool.
    fn contains<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let ids = self::ids(ids)?;
        let state = self.state.lock(CLASS)?;
        Ok(array(py, ids.iter().map(|&id| state.inner.contains(id)).collect()))
    }

    /// The ids of all boxes, ``(n,)``, in order.
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Ids<'py>> {
        let state = self.state.lock(CLASS)?;
        Ok(array(py, state.inner.ids().map(ProxyId::to_bits).collect()))
    }

    /// The boxes of these ids at the start of the tick, without margins: ``min``, ``max`` and ``delta``, ``(n, 3)``
    /// each.
    ///
    /// A stale id is a ``ValueError``.
    fn boxes<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Rows<'py>> {
        let ids = self::ids(ids)?;
        let state = self.state.lock(CLASS)?;
        let (mut min, mut max, mut delta) = (Vec::new(), Vec::new(), Vec::new());
        for (row, &id) in ids.iter().enumerate() {
            let moving = state.inner.moving_box(id).ok_or_else(|| stale(row, id))?;
            min.push(moving.aabb.min);
            max.push(moving.aabb.max);
            delta.push(moving.delta);
        }
        Ok((table(py, min)?, table(py, max)?, table(py, delta)?))
    }

    /// The numbers of the caller of these ids, in an array of uint64 with the shape of ``ids``: ``(n,)``, or ``(n, 2)``
    /// pairs.
    ///
    /// Boxes that were removed before the last update have theirs until the next one. Another stale id is a
    /// ``ValueError``.
    fn user<'py>(&self, py: Python<'py>, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        use numpy::{PyUntypedArray, PyUntypedArrayMethods};
        let is_pairs = ids.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() == 2);
        let state = self.state.lock(CLASS)?;
        let changes = state.inner.changes();
        let of = |row: usize, bits: u64| {
            let id = ProxyId::from_bits(bits);
            changes.data(id).ok_or_else(|| stale(row, id))
        };
        if is_pairs {
            let pairs = crate::arrays::Rows::<u64, 2>::new("ids", ids)?;
            let rows = pairs.rows().iter().enumerate();
            let users = rows.map(|(row, &[a, b])| Ok([of(row, a)?, of(row, b)?]));
            return Ok(table(py, users.collect::<PyResult<_>>()?)?.into_any());
        }
        let ids = Numbers::<u64>::new("ids", ids)?;
        let rows = ids.numbers().iter().enumerate();
        let users = rows.map(|(row, &id)| of(row, id)).collect::<PyResult<_>>()?;
        Ok(array(py, users).into_any())
    }
}
