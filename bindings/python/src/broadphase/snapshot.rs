//! Saved states of a broadphase, as objects and as bytes.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::arguments::wrong;
use crate::arrays::invalid;

/// A state of a ``Broadphase`` that ``save`` returned. It does not change.
///
/// ``bytes(snapshot)`` and ``pickle`` store it, and ``Snapshot(data)`` reads such bytes with the same version of the
/// package. Damaged bytes are a ``ValueError``. ``len(snapshot)`` is the number of boxes.
#[pyclass(frozen, module = "swath")]
pub(crate) struct Snapshot {
    inner: swath::broadphase::Snapshot,
}

/// The first bytes of a stored snapshot.
const HEADER: &[u8] = concat!("swath ", env!("CARGO_PKG_VERSION"), " snapshot\n").as_bytes();

impl Snapshot {
    pub(super) fn new(inner: swath::broadphase::Snapshot) -> Self {
        Self { inner }
    }

    pub(super) fn inner(&self) -> &swath::broadphase::Snapshot {
        &self.inner
    }
}

#[pymethods]
impl Snapshot {
    #[new]
    fn read(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(bytes) = data.cast::<PyBytes>() else {
            let got = data.get_type().name()?;
            return Err(PyTypeError::new_err(format!("data: expected bytes, got {got}")));
        };
        let Some(data) = bytes.as_bytes().strip_prefix(HEADER) else {
            let wanted =
                concat!("expected bytes of a snapshot of swath ", env!("CARGO_PKG_VERSION"));
            return Err(wrong("data", wanted));
        };
        let read = py.detach(|| match postcard::take_from_bytes(data) {
            Ok((inner, [])) => Ok(inner),
            Ok((_, rest)) => Err(format!("{} bytes follow the snapshot", rest.len())),
            Err(error) => Err(error.to_string()),
        });
        match read {
            Ok(inner) => Ok(Self { inner }),
            Err(error) => Err(wrong("data", format!("the snapshot is damaged; {error}"))),
        }
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| postcard::to_extend(&self.inner, HEADER.to_vec()));
        Ok(PyBytes::new(py, &bytes.map_err(invalid)?))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        let bytes = self.__bytes__(py)?;
        Ok((py.get_type::<Self>(), PyTuple::new(py, [bytes])?))
    }

    fn __copy__(snapshot: Py<Self>) -> Py<Self> {
        snapshot
    }

    fn __deepcopy__(snapshot: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        snapshot
    }

    fn __repr__(&self) -> String {
        format!("<swath.Snapshot of {} boxes>", self.inner.len())
    }
}
