//! How is work spread over threads?
//!
//! Items are fixed by the caller and do not depend on the number of threads; each item has one
//! writer. A worker takes the next item when it is done with one. So the result is the same for
//! any number of threads and any timing.

#[cfg(feature = "rayon")]
use alloc::sync::Arc;
use core::sync::atomic::{AtomicUsize, Ordering};

/// On which threads a finder works.
///
/// Whatever they are, the answers are the same, their order too.
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
    /// Those of the pool in which the finder is called, else the global ones. The default; without
    /// the feature `rayon` the calling thread.
    #[must_use]
    pub fn current() -> Self {
        Self(Kind::Current)
    }

    /// The calling thread alone: `rayon` is not called at all.
    #[must_use]
    pub fn one() -> Self {
        Self(Kind::One)
    }

    /// Those of `pool`.
    ///
    /// To hand work to a pool from outside, `rayon` allocates a little now and then; an engine
    /// whose ticks run inside the pool, with [`Threads::current`], allocates nothing.
    #[cfg(feature = "rayon")]
    #[cfg_attr(docsrs, doc(cfg(feature = "rayon")))]
    #[must_use]
    pub fn of_pool(pool: Arc<rayon::ThreadPool>) -> Self {
        Self(Kind::Pool(pool))
    }

    /// How many workers are worth having.
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

    /// Runs `work` on a thread of the pool, so that what it spreads starts without waking one.
    pub(crate) fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        self.run_inside(&mut || result = work.take().map(|work| work()));
        result.expect("the work was run once")
    }

    /// Calls `work` once, on a thread of the pool. Compiled once for all callers.
    fn run_inside(&self, work: &mut (dyn FnMut() + Send)) {
        #[cfg(feature = "rayon")]
        match &self.0 {
            Kind::Pool(pool) => return pool.install(work),
            Kind::Current if self.workers() > 1 => return rayon::join(work, || ()).0,
            _ => (),
        }
        work();
    }

    /// Calls `task` once for each number below `tasks`, on the threads of the pool.
    #[cfg(feature = "rayon")]
    fn fork(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.run_inside(&mut || fork(tasks, task));
    }

    /// Sorts by a key that no two items share.
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

/// Calls `task` once for each number below `tasks`, at the same time where there are threads.
///
/// The only place at which work forks: `rayon` is instantiated here, once, and not for each type of
/// item. The call through a pointer is paid once for each worker.
#[cfg(feature = "rayon")]
fn fork(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    use rayon::prelude::*;
    (0..tasks).into_par_iter().with_max_len(1).for_each(task);
}

/// Into how many shares items are cut at most, one for each worker or a few.
#[cfg(feature = "rayon")]
const SHARES: usize = 32;

/// Items that workers take one after the other, in shares of items that follow each other.
#[cfg(feature = "rayon")]
struct Shares<I> {
    /// The number of the next item of a share, and the items that are left in it.
    shares: [std::sync::Mutex<(usize, I)>; SHARES],
}

#[cfg(feature = "rayon")]
impl<I: ExactSizeIterator + DoubleEndedIterator> Shares<I> {
    /// Cuts `count` items into shares for `workers`. `split` returns the next so many of them.
    fn new(count: usize, workers: usize, mut split: impl FnMut(usize) -> I) -> Self {
        let size = count.div_ceil(workers.clamp(1, SHARES));
        let shares = core::array::from_fn(|index| {
            let start = (index * size).min(count);
            std::sync::Mutex::new((start, split(size.min(count - start))))
        });
        Self { shares }
    }

    /// The number of an item and the item: of the own share from the front, of others from the back.
    /// None when all were taken.
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
/// Any worker may take any item. But each begins with a share of its own, the same as the
/// last time when there are as many items, so that the memory of an item is as a rule still in
/// the cache of its worker; a worker that is done takes what is left of other shares.
pub(crate) fn for_each<W: Send, T: Send>(
    workers: &mut [W],
    items: &mut [T],
    work: impl Fn(&mut W, usize, &mut T) + Sync,
) {
    #[cfg(feature = "rayon")]
    if workers.len() > 1 && items.len() > 1 {
        let (tasks, mut rest) = (workers.len(), items);
        let items = Shares::new(rest.len(), tasks, |count| {
            rest.split_off_mut(..count).unwrap_or_default().iter_mut()
        });
        let mut rest = workers;
        let workers = Shares::new(tasks, tasks, |count| {
            rest.split_off_mut(..count).unwrap_or_default().iter_mut()
        });
        fork(tasks, &|own| {
            // As many tasks as workers, and each takes one.
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

/// Calls `fill(start, piece)` once for each piece of `out`, all but the last `size` long; `start` is
/// where it begins.
pub(crate) fn fill_chunks<T: Send>(
    threads: &Threads,
    out: &mut [T],
    size: usize,
    fill: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    #[cfg(feature = "rayon")]
    if threads.workers() > 1 && out.len() > size {
        let (count, mut rest) = (out.len().div_ceil(size), out);
        let tasks = threads.workers().min(count);
        let pieces = Shares::new(count, tasks, |pieces| {
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

/// Calls `fill(index, part)` once for each part of `out`, of which part `index` is
/// `starts[index]..starts[index + 1]`; `starts` begins with zero and ends with the length of `out`.
/// About `size` parts are filled by a thread one after the other.
pub(crate) fn fill_parts<T: Send>(
    threads: &Threads,
    starts: &[usize],
    out: &mut [T],
    size: usize,
    fill: impl Fn(usize, &mut [T]) + Sync,
) {
    #[cfg(feature = "rayon")]
    if threads.workers() > 1 && starts.len() > size {
        let parts = starts.len() - 1;
        let (count, mut rest) = (parts.div_ceil(size), Parts { first: 0, size, starts, out });
        let tasks = threads.workers().min(count);
        let groups = Shares::new(count, tasks, |groups| rest.split_off(groups));
        threads.fork(tasks, &|own| {
            while let Some((_, group)) = groups.next(own % SHARES) {
                group.fill(&fill);
            }
        });
        return;
    }
    Parts { first: 0, size, starts, out }.fill(&fill);
}

/// Parts of a slice, in groups of `size`.
struct Parts<'a, T> {
    /// The number of the first part.
    first: usize,
    /// How many parts a group has; the last one may have fewer.
    size: usize,
    /// Where the parts start, and where the last one ends.
    starts: &'a [usize],
    /// The parts.
    out: &'a mut [T],
}

impl<'a, T> Parts<'a, T> {
    /// Fills the parts one after the other.
    fn fill(self, fill: &impl Fn(usize, &mut [T])) {
        let mut rest = self.out;
        for (index, ends) in (self.first..).zip(self.starts.windows(2)) {
            let (part, after) = rest.split_at_mut(ends[1] - ends[0]);
            fill(index, part);
            rest = after;
        }
    }
}

#[cfg(feature = "rayon")]
impl<'a, T> Parts<'a, T> {
    /// Takes so many groups from the front.
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

/// How many items all workers together may keep.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    kept: AtomicUsize,
}

impl Budget {
    pub(crate) const fn new(most: usize) -> Self {
        Self { most, kept: AtomicUsize::new(0) }
    }

    /// Says that so many more are kept; returns whether all together are within the budget.
    pub(crate) fn spend(&self, more: usize) -> bool {
        // The answer steers memory only: whether the budget held is decided by the sum at the end.
        self.kept.fetch_add(more, Ordering::Relaxed).saturating_add(more) <= self.most
    }
}
