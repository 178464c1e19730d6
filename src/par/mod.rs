//! Parallel loops over a fixed decomposition.
//!
//! The caller cuts the work into items, and the cut does not depend on the number of threads. Each
//! item has one writer. A worker that finishes an item takes the next one. Therefore the results
//! are the same for any number of threads and any timing.

mod clock;
#[cfg(feature = "std")]
mod executor;
mod sort;

pub(crate) use clock::Clock;
#[cfg(feature = "std")]
pub use executor::Executor;
pub(crate) use sort::{
    select_float, sort, sort_floats, sort_parallel, sort_points, sort_rare, sort_rows,
};

/// Shared ownership, which does not make anything parallel; it is counted atomically.
pub(crate) use alloc::sync::Arc;
#[cfg(feature = "std")]
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
#[cfg(feature = "std")]
use std::sync::Mutex;

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
    /// An executor, and how many tasks it may run at the same time.
    #[cfg(feature = "std")]
    Executor(Arc<dyn Executor>, usize),
}

/// The greatest number of threads of an executor that are used, because each one has scratch memory.
#[cfg(feature = "std")]
const EXECUTOR_THREADS_MAX: usize = 256;

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

    /// Uses the threads of `executor`, for an engine that has a thread pool of its own.
    ///
    /// [`Executor::threads`] is called once, here. At most 256 threads are used.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use swath::{Broadphase, Executor, Threads};
    ///
    /// /// Starts threads for each loop. A real executor has threads that wait for work.
    /// struct Scoped;
    ///
    /// impl Executor for Scoped {
    ///     fn threads(&self) -> usize {
    ///         2
    ///     }
    ///
    ///     fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    ///         std::thread::scope(|scope| {
    ///             for index in 0..tasks {
    ///                 scope.spawn(move || task(index));
    ///             }
    ///         });
    ///     }
    /// }
    ///
    /// let world = Broadphase::with_exec(Threads::of_executor(Arc::new(Scoped)));
    /// # assert!(world.is_empty());
    /// ```
    #[cfg(feature = "std")]
    #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
    #[must_use]
    pub fn of_executor(executor: Arc<dyn Executor>) -> Self {
        let threads = executor.threads().clamp(1, EXECUTOR_THREADS_MAX);
        Self(ThreadsKind::Executor(executor, threads))
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

    /// Returns these threads, or the calling thread alone if there are fewer than `least` items: to wake another thread
    /// takes longer than the work of so few.
    pub(crate) fn for_items(&self, items: usize, least: usize) -> &Self {
        static ONE: Threads = Threads(ThreadsKind::One);
        if items < least { &ONE } else { self }
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
            #[cfg(feature = "std")]
            ThreadsKind::Executor(_, threads) => *threads,
        }
    }

    /// Runs `work` on a thread of the `rayon` pool, so that starting a nested parallel loop wakes no
    /// thread. An executor is not called: `work` runs on the calling thread.
    pub(crate) fn enter<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let (mut work, mut result) = (Some(work), None);
        self.run_inside(&mut || result = work.take().map(|work| work()));
        result.expect("the work was run once")
    }

    /// Calls `work` once, as [`Threads::enter`] does. It is compiled once for all callers.
    fn run_inside(&self, work: &mut (dyn FnMut() + Send)) {
        #[cfg(feature = "rayon")]
        match &self.0 {
            ThreadsKind::Pool(pool) => return pool.install(work),
            ThreadsKind::Current
                if self.workers() > 1 && rayon::current_thread_index().is_none() =>
            {
                return join(work, &mut || ());
            }
            _ => (),
        }
        work();
    }

    /// Calls `task` once for each number below `tasks`, on these threads. An incorrect executor may call it more often,
    /// or not at all.
    ///
    /// Work forks only here, so `rayon` is instantiated once and not once for each type of item. Each
    /// worker costs one call through a pointer.
    #[cfg(feature = "std")]
    fn fork(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        match &self.0 {
            ThreadsKind::Executor(executor, _) => executor.run(tasks, task),
            #[cfg(feature = "rayon")]
            ThreadsKind::Pool(_) | ThreadsKind::Current => {
                self.run_inside(&mut || fork_range(0, tasks, task));
            }
            _ => (0..tasks).for_each(task),
        }
    }
}

/// Calls `task` once for each number from `first` to below `end`, on several threads at the same time.
#[cfg(feature = "rayon")]
fn fork_range(first: usize, end: usize, task: &(dyn Fn(usize) + Sync)) {
    if end - first > 1 {
        let middle = first.midpoint(end);
        join(&mut || fork_range(first, middle, task), &mut || fork_range(middle, end, task));
    } else if end > first {
        task(first);
    }
}

/// Calls both functions, on two threads if one is idle. Only this instantiates the loops of `rayon`.
#[cfg(feature = "rayon")]
fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// The greatest number of shares into which items are cut: one for each worker, or for a few
/// workers.
#[cfg(feature = "std")]
const SHARES: usize = 32;

/// How a slice is cut into pieces.
#[cfg(feature = "std")]
#[derive(Clone, Copy)]
struct Cuts<'a> {
    /// The number of pieces.
    count: usize,
    /// The number of items in a piece, or of parts if there are `starts`. The last piece may have fewer.
    size: usize,
    /// The start of each part, and the end of the last one.
    starts: Option<&'a [usize]>,
    /// The number of items in the slice.
    len: usize,
}

#[cfg(feature = "std")]
impl<'a> Cuts<'a> {
    /// Cuts `len` items into pieces of `size` items.
    fn chunks(len: usize, size: usize) -> Self {
        Self { count: len.div_ceil(size), size, starts: None, len }
    }

    /// Cuts items at every `size`-th of `starts`.
    fn parts(starts: &'a [usize], size: usize) -> Self {
        let parts = starts.len() - 1;
        Self { count: parts.div_ceil(size), size, starts: Some(starts), len: starts[parts] }
    }

    /// Returns the index of the first item of a piece.
    fn start(&self, piece: usize) -> usize {
        let start = piece * self.size;
        match self.starts {
            Some(starts) => starts[start.min(starts.len() - 1)],
            None => start.min(self.len),
        }
    }

    /// Returns the pieces of share `share` of `size` pieces, and the number of their items.
    fn share(&self, share: usize, size: usize) -> (Range<usize>, usize) {
        let first = (share * size).min(self.count);
        let end = (first + size).min(self.count);
        (first..end, self.start(end) - self.start(first))
    }

    /// Takes the first or the last of the pieces `left`. Returns its index, and where the items of `left` are split.
    fn take(&self, left: &mut Range<usize>, last: bool) -> Option<(usize, usize)> {
        let start = self.start(left.start);
        if last {
            let piece = left.next_back()?;
            Some((piece, self.start(piece) - start))
        } else {
            let piece = left.next()?;
            Some((piece, self.start(piece + 1) - start))
        }
    }
}

/// The pieces of a slice that no worker has taken, in shares of consecutive pieces. It is compiled once for all types of items.
#[cfg(feature = "std")]
struct PieceQueue<'a> {
    cuts: Cuts<'a>,
    shares: [Mutex<Range<usize>>; SHARES],
    /// The number of pieces whose work has ended.
    ended: AtomicUsize,
}

/// Where the items of a share are split: before its first `at` items, or from there on if the last piece is taken.
#[cfg(feature = "std")]
struct Split {
    share: usize,
    at: usize,
    last: bool,
}

#[cfg(feature = "std")]
impl<'a> PieceQueue<'a> {
    /// Divides the pieces into shares for `workers`. Writes the number of items of each share to `counts`.
    fn new(cuts: Cuts<'a>, workers: usize, counts: &mut [usize; SHARES]) -> Self {
        let mut shares = [const { Mutex::new(0..0) }; SHARES];
        let size = cuts.count.div_ceil(workers.clamp(1, SHARES));
        for index in 0..SHARES {
            let (left, count) = cuts.share(index, size);
            (shares[index], counts[index]) = (Mutex::new(left), count);
        }
        Self { cuts, shares, ended: AtomicUsize::new(0) }
    }

    /// Returns the index of a piece: the next one of the share `own`, else the last one of another share, or `None` when all
    /// pieces were taken. Calls `split` before another worker can take a piece of the same share.
    fn next(&self, own: usize, split: &mut dyn FnMut(Split)) -> Option<usize> {
        for other in 0..SHARES {
            let (share, last) = ((own + other) % SHARES, other > 0);
            // A lock cannot be poisoned, because nothing below panics.
            let mut left = self.shares[share].lock().ok()?;
            if let Some((piece, at)) = self.cuts.take(&mut left, last) {
                split(Split { share, at, last });
                return Some(piece);
            }
        }
        None
    }

    /// Notes that the work of so many pieces has ended.
    fn end(&self, pieces: usize) {
        // Ordered before the reads after the loop, whatever synchronisation the executor has.
        self.ended.fetch_add(pieces, Ordering::Release);
    }

    /// Runs `tasks` tasks which together work through all pieces.
    ///
    /// Any task steals the pieces that other tasks have not taken. So it does no harm if an executor runs a task twice
    /// or not at all, except that the calling thread does what remains when it has run none.
    ///
    /// # Panics
    ///
    /// If a task has panicked and the executor has dropped its panic.
    fn fork(&self, threads: &Threads, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        threads.fork(tasks, task);
        let all_ended = || self.ended.load(Ordering::Acquire) == self.cuts.count;
        if !all_ended() {
            task(0);
            assert!(all_ended(), "a task panicked, and the executor dropped its panic");
        }
    }
}

/// Pieces of a slice that workers take one after the other.
#[cfg(feature = "std")]
struct WorkShares<'a, T> {
    queue: PieceQueue<'a>,
    /// The items of the pieces of each share that no worker has taken. A lock is free whenever the queue splits a share.
    items: [Mutex<&'a mut [T]>; SHARES],
}

#[cfg(feature = "std")]
impl<'a, T> WorkShares<'a, T> {
    /// Divides the pieces into shares for `workers`.
    fn new(cuts: Cuts<'a>, workers: usize, items: &'a mut [T]) -> Self {
        let mut counts = [0; SHARES];
        let queue = PieceQueue::new(cuts, workers, &mut counts);
        let (mut rest, mut share) = (items, 0);
        let mut items: [Mutex<&mut [T]>; SHARES] = [const { Mutex::new(&mut []) }; SHARES];
        while share < SHARES {
            let (own, others) = rest.split_at_mut(counts[share]);
            items[share] = Mutex::new(own);
            (share, rest) = (share + 1, others);
        }
        Self { queue, items }
    }

    /// Returns a piece and its index: the next piece of the share `own`, else the last piece of
    /// another share, or `None` when all pieces were taken.
    fn next(&self, own: usize) -> Option<(usize, &'a mut [T])> {
        let mut taken: &'a mut [T] = &mut [];
        let piece = self.queue.next(own, &mut |Split { share, at, last }| {
            if let Ok(mut items) = self.items[share].lock() {
                let (start, end) = core::mem::take(&mut *items).split_at_mut(at);
                (taken, *items) = if last { (end, start) } else { (start, end) };
            }
        })?;
        Some((piece, taken))
    }

    /// Calls `work` for each piece that it can take, first those of the share `own`.
    fn work_through(&self, own: usize, work: &mut dyn FnMut(usize, &mut [T])) {
        let mut ended = 0;
        while let Some((piece, items)) = self.next(own % SHARES) {
            work(piece, items);
            ended += 1;
        }
        self.queue.end(ended);
    }
}

/// Calls `work(worker, index, item)` once for each item, on these threads, with one call at a time for each worker.
///
/// Which worker gets which item is unspecified. But each worker starts with a share of its own,
/// which is the same in each call with the same number of items, so that the memory of an item is
/// usually still in the cache of its worker. A worker that has finished its share steals items from
/// other shares.
pub(crate) fn for_each<W: Send, T: Send>(
    threads: &Threads,
    workers: &mut [W],
    items: &mut [T],
    work: &(dyn Fn(&mut W, usize, &mut T) + Sync),
) {
    #[cfg(feature = "std")]
    if workers.len() > 1 && items.len() > 1 {
        let tasks = workers.len();
        let items = WorkShares::new(Cuts::chunks(items.len(), 1), tasks, items);
        let workers = Mutex::new(workers);
        items.queue.fork(threads, tasks, &|_| {
            if let Some((own, worker)) = take_last(&workers) {
                items.work_through(own, &mut |index, item| work(worker, index, &mut item[0]));
            }
        });
        return;
    }
    #[cfg(not(feature = "std"))]
    let _ = threads;
    let worker = workers.first_mut().expect("there is a worker");
    for (index, item) in items.iter_mut().enumerate() {
        work(worker, index, item);
    }
}

/// Takes the last worker that no task has taken, and returns its index; `None` if there are more tasks than workers.
#[cfg(feature = "std")]
fn take_last<'a, W>(workers: &Mutex<&'a mut [W]>) -> Option<(usize, &'a mut W)> {
    let mut workers = workers.lock().ok()?;
    let (worker, others) = core::mem::take(&mut *workers).split_last_mut()?;
    *workers = others;
    Some((workers.len(), worker))
}

/// Calls `fill(piece, items)` once for each piece of `out`, on these threads.
#[cfg(feature = "std")]
fn fill_pieces<T: Send>(
    threads: &Threads,
    cuts: Cuts<'_>,
    out: &mut [T],
    fill: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    let tasks = threads.workers().min(cuts.count);
    let pieces = WorkShares::new(cuts, tasks, out);
    pieces.queue.fork(threads, tasks, &|own| {
        pieces.work_through(own, &mut |piece, items| fill(piece, items));
    });
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
    assert!(size > 0, "a piece has at least one element");
    #[cfg(feature = "std")]
    if threads.workers() > 1 && out.len() > size {
        let cuts = Cuts::chunks(out.len(), size);
        fill_pieces(threads, cuts, out, &|piece, items| fill(piece * size, items));
        return;
    }
    #[cfg(not(feature = "std"))]
    let _ = threads;
    let (mut start, mut rest) = (0, out);
    while !rest.is_empty() {
        let (piece, others) = rest.split_at_mut(size.min(rest.len()));
        fill(start, piece);
        (start, rest) = (start + size, others);
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
    #[cfg(feature = "std")]
    if threads.workers() > 1 && starts.len() > size {
        let cuts = Cuts::parts(starts, size);
        fill_pieces(threads, cuts, out, &|piece, items| {
            let (first, parts) = (piece * size, starts.len() - 1);
            in_turn(first, &starts[first..=(first + size).min(parts)], items, fill);
        });
        return;
    }
    #[cfg(not(feature = "std"))]
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
