//! Threads for tests that compare numbers of them.

use swath::Threads;

/// A pool of `threads` threads; without the feature `rayon` there is only one.
pub(crate) fn pool(threads: usize) -> Threads {
    #[cfg(feature = "rayon")]
    {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        Threads::of_pool(std::sync::Arc::new(pool))
    }
    #[cfg(not(feature = "rayon"))]
    {
        assert!(threads > 0);
        Threads::one()
    }
}
