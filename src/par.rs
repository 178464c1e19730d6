//! Parallel loops over a fixed decomposition.
//!
//! The caller cuts the work into items, and the cut does not depend on the number of threads. Each
//! item has one writer. A worker that finishes an item takes the next one. Therefore the results
//! are the same for any number of threads and any timing.

#[cfg(feature = "rayon")]
use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The threads that an object runs its parallel loops on.
///
/// The results and their order do not depend on this choice.
#[derive(Clone, Debug, Default)]
pub struct Threads(Kind);

#[derive(Clone, Debug, Default)]
enum Kind {
    #[default]
    Current,
    One,
    #[cfg(feature = "rayon")]
    Pool(Arc<rayon::ThreadPool>),
}

impl Threads {
    /// Uses the `rayon` pool in which the function is called, or the global pool outside of any
    /// pool.
    ///
    /// This is the default. Without the feature `rayon` it is the calling thread.
    #[must_use]
    pub fn current() -> Self {
        Self(Kind::Current)
    }

    /// Uses the calling thread alone. `rayon` is not called at all.
    #[must_use]
    pub fn one() -> Self {
        Self(Kind::One)
    }

    /// Uses the threads of `pool`.
    ///
    /// Handing work to a pool from outside makes `rayon` allocate a little now and then. An engine
    /// whose ticks run inside the pool, with [`Threads::current`], allocates nothing.
    #[cfg(feature = "rayon")]
    #[cfg_attr(docsrs, doc(cfg(feature = "rayon")))]
    #[must_use]
    pub fn of_pool(pool: Arc<rayon::ThreadPool>) -> Self {
        Self(Kind::Pool(pool))
    }

    /// Returns the number of workers, which is the number of threads.
    pub(crate) fn workers(&self) -> usize {
        match &self.0 {
            Kind::One => 1,
            #[cfg(feature = "rayon")]
            Kind::Pool(pool) => pool.current_num_threads(),
            #[cfg(feature = "rayon")]
            Kind::Current => rayon::current_num_threads(),
            #[cfg(not(feature = "rayon"))]
            Kind::Current => 1,
        }
    }

    /// Runs `work` on a thread of the pool, so that starting a nested parallel loop wakes no
    /// thread.
    pub(crate) fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "rayon")]
        match &self.0 {
            Kind::Pool(pool) => return pool.install(work),
            Kind::Current if self.workers() > 1 => return rayon::join(work, || ()).0,
            _ => (),
        }
        work()
    }

    /// Sorts by a key. The keys must be distinct, because the sort is unstable.
    pub(crate) fn sort_by_key<T: Send, K: Ord>(
        &self,
        items: &mut [T],
        key: impl Fn(&T) -> K + Sync + Send,
    ) {
        #[cfg(feature = "rayon")]
        if self.workers() > 1 {
            use rayon::prelude::*;
            self.enter(|| items.par_sort_unstable_by_key(key));
            return;
        }
        items.sort_unstable_by_key(key);
    }
}

/// The greatest number of shares into which items are cut: one for each worker, or for a few
/// workers.
#[cfg(feature = "rayon")]
const SHARES: usize = 32;

/// Calls `work(worker, index, item)` once for each item, with one call at a time for each worker.
///
/// Which worker gets which item is unspecified. But each worker starts with a share of its own,
/// which is the same in each call with the same number of items, so that the memory of an item is
/// usually still in the cache of its worker. A worker that has finished its share steals items from
/// other shares.
pub(crate) fn for_each<W: Send, T: Send>(
    workers: &mut [W],
    items: &mut [T],
    work: impl Fn(&mut W, usize, &mut T) + Sync,
) {
    #[cfg(feature = "rayon")]
    if workers.len() > 1 && items.len() > 1 {
        use rayon::prelude::*;
        let size = items.len().div_ceil(workers.len().min(SHARES));
        let mut rest = items.chunks_mut(size).enumerate();
        let shares: [_; SHARES] = core::array::from_fn(|_| {
            let (index, share) = rest.next().unwrap_or_default();
            std::sync::Mutex::new((index * size, share.iter_mut()))
        });
        // Returns an item and its index. Only a panic in `next` of a slice iterator could poison a
        // lock.
        let next = |share: usize, first: bool| {
            let mut share = shares[share].lock().ok()?;
            let (start, items) = &mut *share;
            if first {
                let item = items.next()?;
                *start += 1;
                Some((*start - 1, item))
            } else {
                let item = items.next_back()?;
                Some((*start + items.len(), item))
            }
        };
        workers.par_iter_mut().enumerate().with_max_len(1).for_each(|(own, worker)| {
            let own = own % SHARES;
            for other in 0..SHARES {
                while let Some((index, item)) = next((own + other) % SHARES, other == 0) {
                    work(worker, index, item);
                }
            }
        });
        return;
    }
    let worker = workers.first_mut().expect("there is a worker");
    for (index, item) in items.iter_mut().enumerate() {
        work(worker, index, item);
    }
}

/// Calls `fill(start, piece)` once for each piece of `out`, where `start` is the index of its first
/// element.
///
/// All pieces have length `size` except the last, which may be shorter.
pub(crate) fn fill_chunks<T: Send>(
    threads: &Threads,
    out: &mut [T],
    size: usize,
    fill: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    #[cfg(feature = "rayon")]
    if threads.workers() > 1 && out.len() > size {
        use rayon::prelude::*;
        let pieces = out.par_chunks_mut(size).with_max_len(1).enumerate();
        threads.enter(|| pieces.for_each(|(index, piece)| fill(index * size, piece)));
        return;
    }
    #[cfg(not(feature = "rayon"))]
    let _ = threads;
    for (index, piece) in out.chunks_mut(size).enumerate() {
        fill(index * size, piece);
    }
}

/// Calls `fill(index, part)` once for each part of `out`.
///
/// Part `index` is `out[starts[index]..starts[index + 1]]`. The first element of `starts` is zero
/// and the last is the length of `out`. A thread fills about `size` consecutive parts at a time.
pub(crate) fn fill_parts<T: Send>(
    threads: &Threads,
    starts: &[usize],
    out: &mut [T],
    size: usize,
    fill: impl Fn(usize, &mut [T]) + Sync,
) {
    #[cfg(feature = "rayon")]
    if threads.workers() > 1 && starts.len() > size {
        threads.enter(|| halve(0, starts, out, size, &fill));
        return;
    }
    #[cfg(not(feature = "rayon"))]
    let _ = (threads, size);
    in_turn(0, starts, out, &fill);
}

/// Fills the consecutive parts delimited by `starts`. The first of them has index `first`.
fn in_turn<T>(first: usize, starts: &[usize], out: &mut [T], fill: &impl Fn(usize, &mut [T])) {
    let mut rest = out;
    for (index, ends) in (first..).zip(starts.windows(2)) {
        let (part, after) = rest.split_at_mut(ends[1] - ends[0]);
        fill(index, part);
        rest = after;
    }
}

/// Does what [`in_turn`] does, by recursive halving: one half on another thread.
#[cfg(feature = "rayon")]
fn halve<T: Send>(
    first: usize,
    starts: &[usize],
    out: &mut [T],
    size: usize,
    fill: &(impl Fn(usize, &mut [T]) + Sync),
) {
    if starts.len() <= size.max(2) {
        return in_turn(first, starts, out, fill);
    }
    let middle = starts.len() / 2;
    let (low, high) = out.split_at_mut(starts[middle] - starts[0]);
    rayon::join(
        || halve(first, &starts[..=middle], low, size, fill),
        || halve(first + middle, &starts[middle..], high, size, fill),
    );
}

/// A limit of the number of items that all workers together may store.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    kept: AtomicUsize,
}

impl Budget {
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, kept: AtomicUsize::new(0) }
    }

    /// Adds `more` to the number of stored items and returns whether the total is within the limit.
    pub(crate) fn spend(&self, more: usize) -> bool {
        // Relaxed ordering is enough: the result only stops allocations early. Whether the limit
        // was exceeded is decided by the total at the end.
        self.kept.fetch_add(more, Ordering::Relaxed).saturating_add(more) <= self.most
    }
}
