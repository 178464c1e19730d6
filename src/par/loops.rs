//! Parallel loops over the items of a slice, or over its chunks.
//!
//! The table of a `dyn Fn` has two functions besides the call, which are compiled for each closure and never called. So the
//! loops call their work through traits, which closures implement.

#[cfg(feature = "std")]
use super::shares::{Chunks, Cuts, WorkShares};
#[cfg(feature = "std")]
use super::threads::ForkTask;
use super::threads::Threads;
#[cfg(feature = "std")]
use std::panic::resume_unwind;
#[cfg(feature = "std")]
use std::sync::Mutex;

impl Threads {
    /// Calls `fill(start, chunk)` once for each chunk of `out`, on these threads, where `start` is the
    /// index of the first element of the chunk.
    ///
    /// All chunks have length `size` except the last, which may be shorter. Each chunk has one
    /// writer and the chunks do not depend on the number of threads, so the results are the same for
    /// any threads if `fill` reads nothing that other calls of it change.
    ///
    /// # Panics
    ///
    /// If `size` is 0, or `fill` panics.
    ///
    /// ```
    /// use swath::Threads;
    ///
    /// let mut squares = [0; 1000];
    /// Threads::current().fill_chunks(&mut squares, 64, &|start, chunk| {
    ///     for (index, square) in (start..).zip(chunk) {
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
        fill_chunks(self, out, size, &|start, chunk: &mut [T]| fill(start, chunk));
    }
}

/// The work of a worker on one item.
trait ItemWork<W, T>: Sync {
    fn run(&self, worker: &mut W, index: usize, item: &mut T);
}

impl<W, T, F: Fn(&mut W, usize, &mut T) + Sync> ItemWork<W, T> for F {
    #[inline]
    fn run(&self, worker: &mut W, index: usize, item: &mut T) {
        self(worker, index, item);
    }
}

/// The work on one chunk of a slice.
trait ChunkWork<T>: Sync {
    fn run(&self, index: usize, chunk: &mut [T]);
}

impl<T, F: Fn(usize, &mut [T]) + Sync> ChunkWork<T> for F {
    #[inline]
    fn run(&self, index: usize, chunk: &mut [T]) {
        self(index, chunk);
    }
}

/// Runs `tasks` tasks which together work through all chunks.
///
/// Any task steals the chunks that other tasks have not taken. So it does no harm if an executor runs a task twice
/// or not at all, except that the calling thread does what remains. The panic of an executor itself, outside of a task, is dropped, and
/// the work that is left is done: to pass it on would end the method of an object whose contents have been moved to scratch memory.
///
/// # Panics
///
/// If a task has panicked, also if the executor has dropped its panic.
#[cfg(feature = "std")]
fn fork(chunks: &Chunks<'_>, threads: &Threads, tasks: usize, task: &dyn ForkTask) {
    let result = threads.fork(tasks, task);
    if chunks.have_all_ended() {
        return;
    }
    task.run(0);
    if !chunks.have_all_ended() {
        match result {
            Err(panic) => resume_unwind(panic),
            Ok(()) => panic!("a task panicked, and the executor dropped its panic"),
        }
    }
}

/// Runs `work(worker, index, item)` once for each item, on these threads, with one call at a time for each worker.
///
/// Which worker gets which item is unspecified. But each worker starts with a share of its own,
/// which is the same in each call with the same number of items, so that the memory of an item is
/// usually still in the cache of its worker. A worker that has finished its share steals items from
/// other shares.
#[inline(always)]
pub(crate) fn for_each<W: Send, T: Send>(
    threads: &Threads,
    workers: &mut [W],
    items: &mut [T],
    work: &(impl Fn(&mut W, usize, &mut T) + Sync),
) {
    run_each(threads, workers, items, 1, work);
}

/// Does what [`for_each`] does, with `size` consecutive items at a time.
#[inline(always)]
pub(crate) fn for_each_in_chunks<W: Send, T: Send>(
    threads: &Threads,
    workers: &mut [W],
    (items, size): (&mut [T], usize),
    work: &(impl Fn(&mut W, usize, &mut T) + Sync),
) {
    run_each(threads, workers, items, size, work);
}

/// All workers together get memory for at most this many times the total length of the items, and once more for the long ones, unless
/// items are short. A smaller factor would let more workers wait for long items.
const MEMORY_FACTOR: usize = 4;

/// Does what [`for_each`] does, for items for which a worker needs memory in proportion to their length.
///
/// `reserve(worker, length)` is called for each worker first. Any worker may take any item, so the greatest length is reserved
/// for all of them. But if that is many times the total length of the items, it is reserved for a few workers only:
/// these work on the long items, after all workers have worked on the others. Otherwise memory would be the
/// product of the workers and the items where one item is nearly all of the work. Items of at most `short` are never long.
///
/// An item must not become longer by `work`.
pub(crate) fn for_each_by_length<W: Send, T: Send>(
    threads: &Threads,
    workers: &mut [W],
    items: &mut [T],
    (length, short): (&(dyn Fn(&T) -> usize + Sync), usize),
    reserve: &dyn Fn(&mut W, usize),
    work: &(dyn Fn(&mut W, usize, &mut T) + Sync),
) {
    let (mut longest, mut total) = (0, 0_usize);
    for item in &*items {
        let length = length(item);
        longest = length.max(longest);
        total = total.saturating_add(length);
    }
    let limit = (total.saturating_mul(MEMORY_FACTOR) / workers.len().max(1)).max(short);
    if longest <= limit {
        workers.iter_mut().for_each(|worker| reserve(worker, longest));
        return for_each(threads, workers, items, &|worker: &mut W, index, item: &mut T| {
            work(worker, index, item);
        });
    }
    let few = (total / longest).clamp(1, workers.len());
    let others = items.iter().map(length).filter(|&length| length <= limit).max().unwrap_or(0);
    for (k, worker) in workers.iter_mut().enumerate() {
        reserve(worker, if k < few { longest } else { others });
    }
    // The long items are last: if they were first, one that `work` makes shorter would be worked on a second time, as a short one.
    for (count, are_long) in [(workers.len(), false), (few, true)] {
        for_each(threads, &mut workers[..count], items, &|worker, index, item| {
            if (length(item) > limit) == are_long {
                work(worker, index, item);
            }
        });
    }
}

/// Does what [`for_each`] does. It is compiled once for each type of worker and item.
fn run_each<W: Send, T: Send>(
    threads: &Threads,
    workers: &mut [W],
    items: &mut [T],
    size: usize,
    work: &dyn ItemWork<W, T>,
) {
    #[cfg(feature = "std")]
    if workers.len() > 1 && items.len() > size {
        let tasks = workers.len();
        let shares = WorkShares::new(Cuts::chunks(items.len(), size), tasks, items);
        let task = EachItem { shares: &shares, workers: Mutex::new(workers), work };
        fork(&shares.chunks, threads, tasks, &task);
        return;
    }
    #[cfg(not(feature = "std"))]
    let _ = (threads, size);
    let worker = workers.first_mut().expect("there is a worker");
    for (index, item) in items.iter_mut().enumerate() {
        work.run(worker, index, item);
    }
}

/// The task of [`for_each`].
#[cfg(feature = "std")]
struct EachItem<'s, 'a, W, T> {
    shares: &'s WorkShares<'a, T>,
    /// The workers that no task has taken.
    workers: Mutex<&'a mut [W]>,
    work: &'s dyn ItemWork<W, T>,
}

#[cfg(feature = "std")]
impl<W: Send, T: Send> ForkTask for EachItem<'_, '_, W, T> {
    fn run(&self, _: usize) {
        let Some((own, worker)) = take_last(&self.workers) else { return };
        let mut ended = 0;
        let size = self.shares.chunks.cuts.size;
        while let Some((chunk, items)) = self.shares.next(own) {
            for (index, item) in (chunk * size..).zip(items) {
                self.work.run(worker, index, item);
            }
            ended += 1;
        }
        self.shares.chunks.end(ended);
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

/// The task of [`fill_chunks`] and [`fill_parts`].
#[cfg(feature = "std")]
struct EachChunk<'s, 'a, T> {
    shares: WorkShares<'a, T>,
    fill: &'s dyn ChunkWork<T>,
}

#[cfg(feature = "std")]
impl<T: Send> ForkTask for EachChunk<'_, '_, T> {
    fn run(&self, own: usize) {
        let mut ended = 0;
        while let Some((chunk, items)) = self.shares.next(own) {
            let Cuts { size, starts, .. } = self.shares.chunks.cuts;
            let first = chunk * size;
            match starts {
                None => self.fill.run(first, items),
                Some(starts) => {
                    let end = (first + size).min(starts.len() - 1);
                    in_turn(first, &starts[first..=end], items, self.fill);
                }
            }
            ended += 1;
        }
        self.shares.chunks.end(ended);
    }
}

/// Fills each chunk of `out`, on these threads.
#[cfg(feature = "std")]
fn fork_chunks<T: Send>(threads: &Threads, cuts: Cuts<'_>, out: &mut [T], fill: &dyn ChunkWork<T>) {
    let tasks = threads.workers().min(cuts.count);
    let task = EachChunk { shares: WorkShares::new(cuts, tasks, out), fill };
    fork(&task.shares.chunks, threads, tasks, &task);
}

/// Calls `fill(start, chunk)` once for each chunk of `out`, where `start` is the index of its first
/// element.
///
/// All chunks have length `size` except the last, which may be shorter.
#[inline(always)]
pub(crate) fn fill_chunks<T: Send>(
    threads: &Threads,
    out: &mut [T],
    size: usize,
    fill: &(impl Fn(usize, &mut [T]) + Sync),
) {
    run_chunks(threads, out, size, fill);
}

/// Does what [`fill_chunks`] does. It is compiled once for each type of element.
fn run_chunks<T: Send>(threads: &Threads, out: &mut [T], size: usize, fill: &dyn ChunkWork<T>) {
    assert!(size > 0, "a chunk has at least one element");
    #[cfg(feature = "std")]
    if threads.workers() > 1 && out.len() > size {
        return fork_chunks(threads, Cuts::chunks(out.len(), size), out, fill);
    }
    #[cfg(not(feature = "std"))]
    let _ = threads;
    let (mut start, mut rest) = (0, out);
    while !rest.is_empty() {
        let (chunk, others) = rest.split_at_mut(size.min(rest.len()));
        fill.run(start, chunk);
        (start, rest) = (start + size, others);
    }
}

/// Calls `fill(index, part)` once for each part of `out`.
///
/// Part `index` is `out[starts[index]..starts[index + 1]]`. The first element of `starts` is zero
/// and the last is the length of `out`. A thread fills about `size` consecutive parts at a time.
#[inline(always)]
pub(crate) fn fill_parts<T: Send>(
    threads: &Threads,
    starts: &[usize],
    out: &mut [T],
    size: usize,
    fill: &(impl Fn(usize, &mut [T]) + Sync),
) {
    run_parts(threads, starts, out, size, fill);
}

/// Does what [`fill_parts`] does. It is compiled once for each type of element.
fn run_parts<T: Send>(
    threads: &Threads,
    starts: &[usize],
    out: &mut [T],
    size: usize,
    fill: &dyn ChunkWork<T>,
) {
    // There is one start more than there are parts.
    #[cfg(feature = "std")]
    if threads.workers() > 1 && starts.len() > size + 1 {
        return fork_chunks(threads, Cuts::parts(starts, size), out, fill);
    }
    #[cfg(not(feature = "std"))]
    let _ = (threads, size);
    in_turn(0, starts, out, fill);
}

/// Fills the consecutive parts delimited by `starts`. The first of them has index `first`.
fn in_turn<T>(first: usize, starts: &[usize], out: &mut [T], fill: &dyn ChunkWork<T>) {
    let (mut rest, mut index) = (out, first);
    for ends in starts.windows(2) {
        let (part, after) = rest.split_at_mut(ends[1] - ends[0]);
        fill.run(index, part);
        (rest, index) = (after, index + 1);
    }
}
