//! Saved states of a broadphase, as objects and as bytes.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple, PyType};

use crate::arguments::wrong;
use crate::arrays::{invalid, mistyped};

/// A state of a ``Broadphase`` that ``save`` returned. It does not change.
///
/// ``bytes(snapshot)`` and ``pickle`` store it, and ``Snapshot(data)`` reads such bytes with the same version of the
/// package. Damaged bytes are a ``ValueError``, by their checksum. ``len(snapshot)`` is the number of boxes.
#[pyclass(frozen, module = "swath")]
pub(crate) struct Snapshot {
    inner: swath::broadphase::Snapshot,
}

/// The first bytes of a stored snapshot.
const HEADER: &[u8] = concat!("swath ", env!("CARGO_PKG_VERSION"), " snapshot\n").as_bytes();

/// Number of the bytes of the checksum, which follows the header.
const CHECKSUM: usize = size_of::<u64>();

/// Returns the 64-bit FNV-1a of bytes.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

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
            return Err(mistyped("data", "bytes", data));
        };
        let Some(data) = bytes.as_bytes().strip_prefix(HEADER) else {
            let wanted =
                concat!("expected bytes of a snapshot of swath ", env!("CARGO_PKG_VERSION"));
            return Err(wrong("data", wanted));
        };
        // The rules of the state are checked too, because a checksum can be forged.
        let read = py.detach(|| {
            let (sum, data) = data.split_first_chunk::<CHECKSUM>()?;
            let is_whole = u64::from_le_bytes(*sum) == checksum(data);
            postcard::take_from_bytes(data).ok().filter(|(_, rest)| is_whole && rest.is_empty())
        });
        let damaged = || wrong("data", "the snapshot is damaged; copy or save it again");
        read.map(|(inner, _)| Self { inner }).ok_or_else(damaged)
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| {
            let start = [HEADER, &[0; CHECKSUM]].concat();
            let data = start.len();
            let mut bytes = postcard::to_extend(&self.inner, start)?;
            let sum = checksum(&bytes[data..]);
            bytes[HEADER.len()..data].copy_from_slice(&sum.to_le_bytes());
            Ok::<_, postcard::Error>(bytes)
        });
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
