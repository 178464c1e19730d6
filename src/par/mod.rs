//! Parallel loops over a fixed decomposition.
//!
//! The caller cuts the work into items, and the cut does not depend on the number of threads. Each
//! item has one writer. A worker that finishes an item takes the next one. Therefore the results
//! are the same for any number of threads and any timing.

mod clock;

pub(crate) use clock::Clock;

/// Shared ownership, which does not make anything parallel; it is counted atomically.
pub(crate) use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The threads that an object runs its parallel loops on.
///
/// The results and their order do not depend on this choice.
#[derive(Clone, Debug, Default)]
pub struct Threads(ThreadsKind);

#[derive(Clone, Debug, Default)]
enum ThreadsKind {
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
        Self(ThreadsKind::Current)
    }

    /// Uses the calling thread alone. `rayon` is not called at all.
    #[must_use]
    pub fn one() -> Self {
        Self(ThreadsKind::One)
    }

    /// Uses the threads of `pool`.
    ///
    /// Handing work to a pool from outside makes `rayon` allocate a little now and then. An engine
    /// whose ticks run inside the pool, with [`Threads::current`], allocates nothing.
    #[cfg(feature = "rayon")]
    #[cfg_attr(docsrs, doc(cfg(feature = "rayon")))]
    #[must_use]
    pub fn of_pool(pool: Arc<rayon::ThreadPool>) -> Self {
        Self(ThreadsKind::Pool(pool))
    }

    /// Calls `fill(start, piece)` once for each piece of `out`, on these threads, where `start` is the
    /// index of the first element of the piece.
    ///
    /// All pieces have length `size` except the last, which may be shorter. Each piece has one
    /// writer and the pieces do not depend on the number of threads, so the results are the same for
    /// any threads if `fill` reads nothing that it writes.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    ///
    /// ```
    /// use swath::Threads;
    ///
    /// let mut squares = [0; 1000];
    /// Threads::current().fill_chunks(&mut squares, 64, &|start, piece| {
    ///     for (index, square) in (start..).zip(piece) {
    ///         *square = index * index;
    ///     }
    /// });
    /// assert_eq!(squares[30], 900);
    /// ```
    pub fn fill_chunks<T: Send>(
        &self,
        out: &mut [T],
        size: usize,
        fill: &(dyn Fn(usize, &mut [T]) + Sync),
    ) {
        fill_chunks(self, out, size, fill);
    }

    /// Returns the number of workers, which is the number of threads.
    pub(crate) fn workers(&self) -> usize {
        match &self.0 {
            ThreadsKind::One => 1,
            #[cfg(feature = "rayon")]
            ThreadsKind::Pool(pool) => pool.current_num_threads(),
            #[cfg(feature = "rayon")]
            ThreadsKind::Current => rayon::current_num_threads(),
            #[cfg(not(feature = "rayon"))]
            ThreadsKind::Current => 1,
        }
    }

    /// Runs `work` on a thread of the pool, so that starting a nested parallel loop wakes no
    /// thread.
    pub(crate) fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        self.run_inside(&mut || result = work.take().map(|work| work()));
        result.expect("the work was run once")
    }

    /// Calls `work` once, on a thread of the pool. It is compiled once for all callers.
    fn run_inside(&self, work: &mut (dyn FnMut() + Send)) {
        #[cfg(feature = "rayon")]
        match &self.0 {
            ThreadsKind::Pool(pool) => return pool.install(work),
            ThreadsKind::Current if self.workers() > 1 => return rayon::join(work, || ()).0,
            _ => (),
        }
        work();
    }

    /// Calls `task` once for each number below `tasks`, on the threads of the pool.
    #[cfg(feature = "rayon")]
    fn fork(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.run_inside(&mut || fork(tasks, task));
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

/// Calls `task` once for each number below `tasks`, on several threads at the same time.
///
/// Work forks only here, so `rayon` is instantiated once and not once for each type of item. Each
/// worker costs one call through a pointer.
#[cfg(feature = "rayon")]
fn fork(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    (0..tasks).into_par_iter().with_max_len(1).for_each(task);
}

/// The greatest number of shares into which items are cut: one for each worker, or for a few
/// workers.
#[cfg(feature = "rayon")]
const SHARES: usize = 32;

/// Items that workers take one after the other. Each share has consecutive items.
#[cfg(feature = "rayon")]
struct WorkShares<I> {
    /// The index of the next item of each share, and its remaining items.
    shares: [std::sync::Mutex<(usize, I)>; SHARES],
}

#[cfg(feature = "rayon")]
impl<I: ExactSizeIterator + DoubleEndedIterator> WorkShares<I> {
    /// Cuts `count` items into shares for `workers`. `split(n)` returns the next `n` items.
    fn new(count: usize, workers: usize, mut split: impl FnMut(usize) -> I) -> Self {
        let size = count.div_ceil(workers.clamp(1, SHARES));
        let shares = core::array::from_fn(|index| {
            let start = (index * size).min(count);
            std::sync::Mutex::new((start, split(size.min(count - start))))
        });
        Self { shares }
    }

    /// Returns an item and its index: the next item of the share `own`, else the last item of
    /// another share, or `None` when all items were taken.
    fn next(&self, own: usize) -> Option<(usize, I::Item)> {
        for other in 0..SHARES {
            // Only a panic in `next` of an iterator over a slice could poison a lock.
            let mut share = self.shares[(own + other) % SHARES].lock().ok()?;
            let (start, items) = &mut *share;
            if other > 0 {
                if let Some(item) = items.next_back() {
                    return Some((*start + items.len(), item));
                }
            } else if let Some(item) = items.next() {
                *start += 1;
                return Some((*start - 1, item));
            }
        }
        None
    }
}

/// Calls `work(worker, index, item)` once for each item, with one call at a time for each worker.
///
/// Which worker gets which item is unspecified. But each worker starts with a share of its own,
/// which is the same in each call with the same number of items, so that the memory of an item is
/// usually still in the cache of its worker. A worker that has finished its share steals items from
/// other shares.
pub(crate) fn for_each<W: Send, T: Send>(
    workers: &mut [W],
    items: &mut [T],
    work: &(dyn Fn(&mut W, usize, &mut T) + Sync),
) {
    #[cfg(feature = "rayon")]
    if workers.len() > 1 && items.len() > 1 {
        let (tasks, mut rest) = (workers.len(), items);
        let items = WorkShares::new(rest.len(), tasks, |count| {
            rest.split_off_mut(..count).unwrap_or_default().iter_mut()
        });
        let mut rest = workers;
        let workers = WorkShares::new(tasks, tasks, |count| {
            rest.split_off_mut(..count).unwrap_or_default().iter_mut()
        });
        fork(tasks, &|own| {
            // There are as many tasks as workers, and each task takes one.
            if let Some((own, worker)) = workers.next(own % SHARES) {
                while let Some((index, item)) = items.next(own % SHARES) {
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
    fill: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    #[cfg(feature = "rayon")]
    if threads.workers() > 1 && out.len() > size {
        let (count, mut rest) = (out.len().div_ceil(size), out);
        let tasks = threads.workers().min(count);
        let pieces = WorkShares::new(count, tasks, |pieces| {
            let items = (pieces * size).min(rest.len());
            rest.split_off_mut(..items).unwrap_or_default().chunks_mut(size)
        });
        threads.fork(tasks, &|own| {
            while let Some((index, piece)) = pieces.next(own % SHARES) {
                fill(index * size, piece);
            }
        });
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
    fill: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    #[cfg(feature = "rayon")]
    if threads.workers() > 1 && starts.len() > size {
        let parts = starts.len() - 1;
        let (count, mut rest) = (parts.div_ceil(size), Parts { first: 0, size, starts, out });
        let tasks = threads.workers().min(count);
        let groups = WorkShares::new(count, tasks, |groups| rest.split_off(groups));
        threads.fork(tasks, &|own| {
            while let Some((_, group)) = groups.next(own % SHARES) {
                in_turn(group.first, group.starts, group.out, fill);
            }
        });
        return;
    }
    #[cfg(not(feature = "rayon"))]
    let _ = (threads, size);
    in_turn(0, starts, out, fill);
}

/// Fills the consecutive parts delimited by `starts`. The first of them has index `first`.
fn in_turn<T>(first: usize, starts: &[usize], out: &mut [T], fill: &dyn Fn(usize, &mut [T])) {
    let mut rest = out;
    for (index, ends) in (first..).zip(starts.windows(2)) {
        let (part, after) = rest.split_at_mut(ends[1] - ends[0]);
        fill(index, part);
        rest = after;
    }
}

/// Consecutive parts of a slice, which are taken in groups of `size` parts.
#[cfg(feature = "rayon")]
struct Parts<'a, T> {
    /// Index of the first part.
    first: usize,
    /// Number of parts in a group. The last group may have fewer.
    size: usize,
    /// The start of each part, and the end of the last one.
    starts: &'a [usize],
    /// The elements of all parts.
    out: &'a mut [T],
}

#[cfg(feature = "rayon")]
impl<'a, T> Parts<'a, T> {
    /// Removes `groups` groups from the front and returns them.
    fn split_off(&mut self, groups: usize) -> Self {
        let parts = (groups * self.size).min(self.starts.len() - 1);
        let (starts, rest) = (&self.starts[..=parts], &self.starts[parts..]);
        let (out, after) = core::mem::take(&mut self.out).split_at_mut(rest[0] - starts[0]);
        let front = Self { starts, out, ..*self };
        (self.first, self.starts, self.out) = (self.first + parts, rest, after);
        front
    }
}

#[cfg(feature = "rayon")]
impl<'a, T> Iterator for Parts<'a, T> {
    type Item = Self;

    fn next(&mut self) -> Option<Self> {
        (self.len() > 0).then(|| self.split_off(1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let groups = (self.starts.len() - 1).div_ceil(self.size);
        (groups, Some(groups))
    }
}

#[cfg(feature = "rayon")]
impl<T> ExactSizeIterator for Parts<'_, T> {}

#[cfg(feature = "rayon")]
impl<T> DoubleEndedIterator for Parts<'_, T> {
    fn next_back(&mut self) -> Option<Self> {
        let before = self.len().checked_sub(1)?;
        let front = self.split_off(before);
        Some(core::mem::replace(self, front))
    }
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
