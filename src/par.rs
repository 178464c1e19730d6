//! How is work spread over threads?
//!
//! Items are fixed by the caller and do not depend on the number of threads; each item has one
//! writer. A worker takes the next item when it is done with one. So the result is the same for
//! any number of threads and any timing.

/// How many workers are worth having here: the threads of the current pool.
pub(crate) fn workers() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}

/// Runs `work` on a thread of the pool, so that what it spreads starts without waking one.
pub(crate) fn enter<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    if workers() > 1 {
        return rayon::join(work, || ()).0;
    }
    work()
}

/// Calls `work(worker, index, item)` once for each item, with one call at a time for each
/// worker. Which worker gets which item is open.
pub(crate) fn for_each<W: Send, T: Send>(
    workers: &mut [W],
    items: &mut [T],
    work: impl Fn(&mut W, usize, &mut T) + Sync,
) {
    #[cfg(feature = "rayon")]
    if workers.len() > 1 && items.len() > 1 {
        use rayon::prelude::*;
        let queue = std::sync::Mutex::new(items.iter_mut().enumerate());
        // Only a panic in `next` of a slice iterator could poison the lock.
        let next = || queue.lock().ok()?.next();
        workers.par_iter_mut().with_max_len(1).for_each(|worker| {
            while let Some((index, item)) = next() {
                work(worker, index, item);
            }
        });
        return;
    }
    let worker = workers.first_mut().expect("there is a worker");
    for (index, item) in items.iter_mut().enumerate() {
        work(worker, index, item);
    }
}

/// Sorts by a key that no two items share.
pub(crate) fn sort_by_key<T: Send>(items: &mut [T], key: impl Fn(&T) -> u64 + Sync) {
    #[cfg(feature = "rayon")]
    if workers() > 1 {
        use rayon::prelude::*;
        items.par_sort_unstable_by_key(key);
        return;
    }
    items.sort_unstable_by_key(key);
}
