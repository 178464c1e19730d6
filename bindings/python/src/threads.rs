//! Threads of objects and calls, and the check that this process has them.
//!
//! A process that `fork` created has only the thread that called `fork`. Work for threads of its parent would wait
//! there for ever, so each call that may use threads first compares its process with the one that started them.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use swath::{Exec, Threads};

use crate::arguments::integer;
use crate::arrays::invalid;

/// The greatest number of threads of a pool.
const THREADS_MAX: u64 = 1024;

/// The id of the process that first used the threads that objects share; 0 before.
static SHARED_PROCESS: AtomicU32 = AtomicU32::new(0);

/// The threads of an object or of a call.
pub(crate) enum Workers {
    /// The calling thread alone.
    One,
    /// Those that all objects and calls without a number of threads share, one for each logical core.
    Shared,
    /// New threads, and the id of the process that has started them.
    Own(Arc<ThreadPool>, u32),
}

impl Workers {
    /// Starts `threads` threads, or uses the shared ones if that is `None`.
    pub(crate) fn new(threads: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match count(threads)? {
            None => Ok(Self::Shared),
            Some(1) => Ok(Self::One),
            Some(count) => Ok(Self::Own(Arc::new(pool(count)?), process::id())),
        }
    }

    /// Returns the number of threads with which these were created.
    pub(crate) fn count(&self) -> Option<usize> {
        match self {
            Self::Shared => None,
            Self::One => Some(1),
            Self::Own(pool, _) => Some(pool.current_num_threads()),
        }
    }

    /// Returns how an object runs on these threads.
    pub(crate) fn exec(&self) -> Exec {
        let threads = match self {
            Self::One => Threads::one(),
            Self::Shared => Threads::current(),
            Self::Own(pool, _) => Threads::of_pool(pool.clone()),
        };
        Exec { threads, ..Exec::default() }
    }

    /// Builds an object on these threads. The object does not refer to new threads, which end with the build: later
    /// loops of the object run on [`Workers::after_build`].
    pub(crate) fn build<R: Send>(&self, build: impl FnOnce(Exec) -> R + Send) -> R {
        match self {
            Self::One | Self::Shared => build(self.exec()),
            Self::Own(pool, _) => pool.install(|| build(Exec::default())),
        }
    }

    /// Returns the threads of the later loops of an object that [`Workers::build`] built on these: the calling thread if
    /// these are it, and the shared ones otherwise.
    pub(crate) fn after_build(&self) -> Self {
        match self {
            Self::One => Self::One,
            Self::Shared | Self::Own(..) => Self::Shared,
        }
    }

    /// Returns an error if the threads are those of another process, from which this one was forked.
    pub(crate) fn check(&self) -> PyResult<()> {
        let this = process::id();
        let exist = match self {
            Self::One => true,
            Self::Own(_, process) => *process == this,
            Self::Shared => {
                let order = Ordering::Relaxed;
                let first = SHARED_PROCESS.compare_exchange(0, this, order, order);
                let owner = first.map_or_else(|owner| owner, |_| this);
                owner == this || rayon::current_num_threads() == 1
            }
        };
        if exist { Ok(()) } else { Err(forked()) }
    }

    /// Does what [`Workers::check`] does for the shared threads, if work is given to `rayon` directly: it runs that on a thread of its own
    /// also if this is the only one.
    pub(crate) fn check_shared_of_rayon() -> PyResult<()> {
        Self::Shared.check()?;
        let exist = SHARED_PROCESS.load(Ordering::Relaxed) == process::id();
        if exist { Ok(()) } else { Err(forked()) }
    }
}

/// The error about threads of another process.
fn forked() -> PyErr {
    PyRuntimeError::new_err(
        "this process was forked from one in which swath uses threads, which do not exist here; \
         use the start method 'spawn', or threads=1",
    )
}

impl Drop for Workers {
    /// Leaves a pool of another process as it is: to end its threads, which do not exist here, locks would be taken
    /// that they may have had when the process was forked.
    fn drop(&mut self) {
        if let Self::Own(pool, process) = self
            && *process != process::id()
        {
            std::mem::forget(pool.clone());
        }
    }
}

/// Reads a number of threads.
pub(crate) fn count(threads: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    threads
        .map(|count| integer("threads", count, 1..=THREADS_MAX).map(|count| count as usize))
        .transpose()
}

/// Starts `count` threads.
pub(crate) fn pool(count: usize) -> PyResult<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(count).build().map_err(invalid)
}

/// Returns how a call runs on `threads` threads, or on the shared ones if that is `None`.
pub(crate) fn exec_of_call(threads: Option<&Bound<'_, PyAny>>) -> PyResult<Exec> {
    let workers = Workers::new(threads)?;
    workers.check()?;
    Ok(workers.exec())
}
