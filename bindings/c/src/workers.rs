//! The threads of objects, and the check that this process has them.
//!
//! A process that `fork` created has only the thread that called `fork`. Work for threads of its parent would wait there for ever, so
//! each call that may use threads first compares its process with the one that started them. Processes are compared by the number of
//! forks between them and the first one, which a handler of `fork` counts: to read it costs nothing, unlike the id of the process.

use crate::error::{Failure, Outcome, SWATH_ERROR_FORKED};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of forks between the first process and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The number of forks, plus 1, of the process that first used the threads that objects share; 0 before.
static SHARED_OWNER: AtomicU32 = AtomicU32::new(0);

/// Registers the handler that counts forks, at the first call.
#[cfg(unix)]
fn count_forks() {
    use std::ffi::c_int;
    use std::sync::Once;

    type Handler = Option<unsafe extern "C" fn()>;

    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }

    unsafe extern "C" fn forked() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        // SAFETY: this is the declaration of POSIX. The handler may run in the child of a process with several threads, because it only
        // adds to an atomic number.
        // Without memory the handler is not registered, and forks are not noticed.
        let _ = unsafe { pthread_atfork(None, None, Some(forked)) };
    });
}

#[cfg(not(unix))]
fn count_forks() {}

/// The threads of an object or of a call.
pub(crate) enum Workers {
    /// The calling thread alone, or threads of the caller.
    OfCaller,
    /// Those that all objects and calls without a number of threads share, one for each logical core.
    Shared,
    /// New threads, and the number of forks of the process that started them.
    Own(Arc<rayon::ThreadPool>, u32),
}

impl Workers {
    /// The threads of a new pool.
    pub(crate) fn own(pool: Arc<rayon::ThreadPool>) -> Self {
        count_forks();
        Self::Own(pool, FORKS.load(Ordering::Relaxed))
    }

    /// The threads that objects share.
    pub(crate) fn shared() -> Self {
        count_forks();
        Self::Shared
    }

    /// Returns an error if the threads are those of another process, from which this one was forked.
    pub(crate) fn check(&self) -> Outcome {
        let forks = FORKS.load(Ordering::Relaxed);
        let exist = match self {
            Self::OfCaller => true,
            Self::Own(_, owner) => *owner == forks,
            Self::Shared => is_owner(&SHARED_OWNER, forks + 1) || rayon::current_num_threads() == 1,
        };
        if exist {
            return Ok(());
        }
        let message = "the call needs threads that were started before this process was forked, and do not exist in it; \
            use an object that this process creates with `threads` of at least 1, or with an executor";
        Err(Failure::new(SWATH_ERROR_FORKED, message))
    }
}

/// Returns whether `this` is the owner. The first process for which this is called becomes the owner.
fn is_owner(owner: &AtomicU32, this: u32) -> bool {
    match owner.load(Ordering::Relaxed) {
        0 => {
            let order = Ordering::Relaxed;
            owner
                .compare_exchange(0, this, order, order)
                .map_or_else(|owner| owner == this, |_| true)
        }
        owner => owner == this,
    }
}

impl Drop for Workers {
    /// Leaves a pool of another process as it is: to end its threads, which do not exist here, locks would be taken that they may have
    /// had when the process was forked.
    fn drop(&mut self) {
        if let Self::Own(pool, owner) = self
            && *owner != FORKS.load(Ordering::Relaxed)
        {
            std::mem::forget(pool.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_process_that_uses_the_shared_threads_is_their_owner() {
        let owner = AtomicU32::new(0);
        assert!(is_owner(&owner, 2) && is_owner(&owner, 2));
        assert!(!is_owner(&owner, 1) && !is_owner(&owner, 3));
    }

    #[test]
    fn threads_of_another_process_are_an_error() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("a pool");
        let mut own = Workers::own(Arc::new(pool));
        assert!(own.check().is_ok() && Workers::OfCaller.check().is_ok());
        let Workers::Own(pool, owner) = &mut own else { panic!("they are new") };
        *owner += 1;
        let threads = Arc::downgrade(pool);
        let message = own.check().err().map(|error| format!("{error:?}")).unwrap_or_default();
        assert!(message.contains("forked"), "{message}");
        drop(own);
        assert!(threads.upgrade().is_some(), "the pool was dropped");
    }
}
