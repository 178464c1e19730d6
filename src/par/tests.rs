//! Tests of which threads run a loop, and in which order a worker takes the chunks of it.
//!
//! The results do not depend on this, so the tests of other layers do not notice it.

use super::shares::{Cuts, WorkShares};
use super::{
    Arc, Executor, Threads, fill_chunks, fill_parts, for_each, for_each_by_length, sort_parallel,
};
use alloc::vec;
use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Runs the tasks on the calling thread, and counts the loops.
struct Counting {
    threads: usize,
    loops: AtomicUsize,
}

impl Executor for Counting {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.loops.fetch_add(1, Relaxed);
        (0..tasks).for_each(task);
    }
}

/// Returns how many loops of `work` are run by an executor of this many threads.
fn loops(threads: usize, work: impl FnOnce(&Threads)) -> usize {
    let executor = Arc::new(Counting { threads, loops: AtomicUsize::new(0) });
    work(&Threads::of_executor(executor.clone()));
    executor.loops.load(Relaxed)
}

/// Goal: an executor of several threads runs each loop of several chunks; one of one thread is not called, and neither is any
/// for a loop of one chunk. Method: an executor that counts; numbers of items around that of a chunk; every item is checked.
#[test]
fn executor_runs_loops_of_several_chunks() {
    const SIZE: usize = 4;
    for threads in [1, 2, 3] {
        let several = usize::from(threads > 1);
        for (len, expected) in [(0, 0), (1, 0), (3, 0), (SIZE, 0), (5, several), (9, several)] {
            let found = loops(threads, |threads| {
                let mut out = vec![0; len];
                fill_chunks(threads, &mut out, SIZE, &|start, chunk: &mut [usize]| {
                    chunk.iter_mut().zip(start + 1..).for_each(|(to, index)| *to = index);
                });
                assert!(out.into_iter().eq(1..=len), "{len} items");
            });
            assert_eq!(found, expected, "chunks of {len} items, {threads} threads");
        }
        for (parts, expected) in [(0, 0), (1, 0), (3, 0), (5, several), (9, several)] {
            let found = loops(threads, |threads| {
                let starts: Vec<usize> = (0..=parts).map(|part| 2 * part).collect();
                let mut out = vec![0; 2 * parts];
                fill_parts(threads, &starts, &mut out, SIZE, &|part, to: &mut [usize]| {
                    to.fill(part + 1);
                });
                assert!(out.into_iter().enumerate().all(|(k, part)| part == k / 2 + 1));
            });
            assert_eq!(found, expected, "{parts} parts, {threads} threads");
        }
        for (len, expected) in [(0, 0), (1, 0), (2, several), (9, several)] {
            let found = loops(threads, |on| {
                let (mut workers, mut items) = (vec![0; threads], vec![0; len]);
                for_each(on, &mut workers, &mut items, &|worker, index, item| {
                    *worker += 1;
                    *item += index + 1;
                });
                assert!(items.into_iter().eq(1..=len), "{len} items");
                assert_eq!(workers.into_iter().sum::<usize>(), len);
            });
            assert_eq!(found, expected, "{len} items, {threads} threads");
        }
    }
}

/// Goal: several threads sort a long list together, and the calling thread sorts a short one. Method: an executor that counts.
#[test]
fn threads_sort_long_lists_together() {
    let sorts = |threads, len: u32| {
        loops(threads, |threads| {
            let mut items: Vec<[u32; 2]> = (0..len).map(|k| [k * 7 % 1000, k]).collect();
            sort_parallel(threads, &mut items);
            assert!(items.is_sorted() && items.len() == len as usize);
        })
    };
    assert_eq!([sorts(2, 2047), sorts(1, 5000)], [0, 0]);
    assert!(sorts(2, 2048) > 1 && sorts(3, 5000) > 1);
}

/// Goal: a worker takes the chunks of its own share from the first to the last, and then the last chunks of the next shares; a
/// number that is too large for a share counts around. Method: eight chunks of two items for two workers, taken one by one.
#[test]
fn worker_takes_first_chunks_of_its_share_and_last_of_others() {
    let mut items: Vec<usize> = (0..16).collect();
    let shares = WorkShares::new(Cuts::chunks(16, 2), 2, &mut items);
    // There are 32 shares, of which the first two have four chunks each.
    for (own, expected) in [(1, 4), (33, 5), (31, 3), (usize::MAX, 2), (1, 6), (0, 0), (1, 7)] {
        let (chunk, items) = shares.next(own).expect("chunks are left");
        assert_eq!((chunk, &*items), (expected, &[2 * expected, 2 * expected + 1][..]), "{own}");
    }
    let (chunk, items) = shares.next(1).expect("a chunk is left");
    assert_eq!((chunk, &*items), (1, &[2, 3][..]));
    for own in [0, 1, 31, usize::MAX] {
        assert!(shares.next(own).is_none());
    }
}

#[cfg(feature = "rayon")]
mod of_pools {
    use super::{Arc, AtomicUsize, Counting, Threads, Vec};
    use crate::par::threads::ForkTask;
    use rayon::{ThreadPool, ThreadPoolBuilder};
    use std::sync::Mutex;
    use std::thread;

    fn pool(threads: usize) -> Arc<ThreadPool> {
        Arc::new(ThreadPoolBuilder::new().num_threads(threads).build().expect("the pool starts"))
    }

    /// Goal: the number of workers is that of the chosen threads. Method: each choice, in a pool of two threads.
    #[test]
    fn number_of_workers_is_that_of_the_threads() {
        let of_pool = Threads::of_pool(pool(5));
        let loops = AtomicUsize::new(0);
        let of_executor = Threads::of_executor(Arc::new(Counting { threads: 7, loops }));
        let all = [Threads::one(), Threads::current(), Threads::default(), of_pool, of_executor];
        let workers = pool(2).install(|| all.each_ref().map(Threads::workers));
        assert_eq!(workers, [1, 2, 2, 5, 7]);
    }

    /// The tasks that were run, and whether a thread of the pool ran them.
    struct Calls {
        pool: Arc<ThreadPool>,
        all: Mutex<Vec<(usize, bool)>>,
    }

    impl ForkTask for Calls {
        fn run(&self, index: usize) {
            let is_inside = self.pool.current_thread_index().is_some();
            self.all.lock().expect("no task panics").push((index, is_inside));
        }
    }

    /// Goal: each task is run once, on a thread of the pool. Method: a list of the calls, for many numbers of tasks.
    #[test]
    fn each_task_is_run_once_in_the_pool() {
        for threads in [1, 3] {
            let pool = pool(threads);
            let on = Threads::of_pool(pool.clone());
            for tasks in (0..20).rev() {
                let calls = Calls { pool: pool.clone(), all: Mutex::default() };
                on.fork(tasks, &calls).expect("no task panics");
                let mut calls = calls.all.into_inner().expect("no task panics");
                calls.sort_unstable();
                assert!(calls.into_iter().eq((0..tasks).map(|task| (task, true))), "{tasks} tasks");
            }
        }
    }

    /// Goal: work runs inside the pool whose threads were chosen, so that its loops start there; without a pool, and inside of one,
    /// it stays on the calling thread. Method: ask for the thread.
    #[test]
    fn work_is_entered_on_a_thread_of_the_pool() {
        let chosen = pool(3);
        let is_inside = || chosen.current_thread_index().is_some();
        assert!(Threads::of_pool(chosen.clone()).enter(is_inside) && !is_inside());
        let in_any_pool = Threads::current().enter(|| rayon::current_thread_index().is_some());
        assert_eq!(in_any_pool, rayon::current_num_threads() > 1);

        let here = || thread::current().id();
        let loops = AtomicUsize::new(0);
        let of_executor = Threads::of_executor(Arc::new(Counting { threads: 2, loops }));
        for threads in [Threads::one(), of_executor] {
            assert_eq!(threads.enter(here), here());
        }
        let [inside, outside] = pool(2).install(|| [Threads::current().enter(here), here()]);
        assert_eq!(inside, outside);
    }
}

/// Goal: the memory of all workers is at most some times the length of all items, each item is worked on once by a worker with
/// enough memory, and items of equal lengths are shared by all workers. Method: items that become shorter; one long
/// item, several, and none; reserved lengths are counted.
#[test]
fn memory_of_workers_is_bounded_by_the_length_of_all_items() {
    const SHORT: usize = 10;
    for long in [0, 1, 2, 5, 30] {
        for workers in [1, 2, 3, 16, 64] {
            let lengths = (0..200).map(|k| if k % 7 == 3 && k / 7 < long { 20_000 } else { 100 });
            let mut items: Vec<(usize, usize)> = lengths.map(|length| (length, 0)).collect();
            let total: usize = items.iter().map(|item| item.0).sum();
            let mut memory = vec![0; workers];
            let work = |memory: &mut usize, _: usize, item: &mut (usize, usize)| {
                assert!(*memory >= item.0, "{long} long items, {workers} workers");
                *item = (item.0 / 300, item.1 + 1);
            };
            let reserve = |memory: &mut usize, length| *memory = length;
            let loops = loops(workers, |threads| {
                let length = (&|item: &(usize, usize)| item.0) as _;
                for_each_by_length(
                    threads,
                    &mut memory,
                    &mut items,
                    (length, SHORT),
                    &reserve,
                    &work,
                );
            });
            assert!(items.iter().all(|item| item.1 == 1), "each item once");
            let reserved: usize = memory.iter().sum();
            assert!(reserved <= 5 * total + workers * SHORT, "{reserved} of {total}");
            if long == 0 || workers <= 3 {
                assert!(loops <= 1, "{long} long items, {workers} workers: {loops} loops");
            }
        }
    }
}
