//! Objects that take one call at a time.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The state of an object that a call changes.
pub(crate) struct Exclusive<T>(Mutex<T>);

impl<T> Exclusive<T> {
    pub(crate) fn new(state: T) -> Self {
        Self(Mutex::new(state))
    }

    /// Locks the state of an object of this class, or returns an error if another thread uses it. It never waits,
    /// because a call that waits would have the lock of the interpreter.
    pub(crate) fn lock(&self, class: &str) -> PyResult<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(state) => Ok(state),
            // A call that panicked leaves the state of the library valid.
            Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(format!(
                "another call uses this {class}; use one object for each thread, or a lock"
            ))),
        }
    }
}
