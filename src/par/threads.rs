//! The threads of an object, and the one place where work forks.

#[cfg(feature = "std")]
use super::executor::Executor;
#[cfg(feature = "std")]
use alloc::sync::Arc;
#[cfg(feature = "std")]
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    /// Uses the `rayon` pool in which a method of the object is called, or the global pool outside
    /// of any pool.
    ///
    /// This is the default. Without the feature `rayon` it is the calling thread.
    ///
    /// While a thread of a pool waits for the others, `rayon` runs other tasks of the pool on it. So a lock that tasks of the pool
    /// take must not be held during a call that runs on the pool: a task that waits for the lock could keep the call from ending.
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
        let mut once = Once { work: Some(work), result: None };
        self.run_inside(&mut once);
        once.result.expect("the work was run once")
    }

    /// Runs `work` once, as [`Threads::enter`] does. It is compiled once for all callers.
    fn run_inside(&self, work: &mut dyn Work) {
        #[cfg(feature = "rayon")]
        match &self.0 {
            ThreadsKind::Pool(pool) => return pool.install(|| work.run()),
            ThreadsKind::Current
                if self.workers() > 1 && rayon::current_thread_index().is_none() =>
            {
                return join(&mut || work.run(), &mut || ());
            }
            _ => (),
        }
        work.run();
    }

    /// Runs `task` once for each number below `tasks`, on these threads. An incorrect executor may run it more often,
    /// or not at all.
    ///
    /// Work forks only here, so `rayon` is instantiated once and not once for each type of item. Each
    /// worker costs one call through a pointer.
    ///
    /// # Errors
    ///
    /// The panic of an executor, which is that of a task or its own.
    #[cfg(feature = "std")]
    pub(super) fn fork(&self, tasks: usize, task: &dyn ForkTask) -> std::thread::Result<()> {
        match &self.0 {
            ThreadsKind::Executor(executor, _) => {
                let run = || executor.run(tasks, &|index| task.run(index));
                return catch_unwind(AssertUnwindSafe(run));
            }
            #[cfg(feature = "rayon")]
            ThreadsKind::Pool(_) | ThreadsKind::Current => {
                self.enter(|| fork_range(0, tasks, task));
            }
            _ => {
                for index in 0..tasks {
                    task.run(index);
                }
            }
        }
        Ok(())
    }
}

/// Work that is run once.
trait Work: Send {
    fn run(&mut self);
}

/// A function that is called once, and its result.
struct Once<F, R> {
    work: Option<F>,
    result: Option<R>,
}

impl<R: Send, F: FnOnce() -> R + Send> Work for Once<F, R> {
    fn run(&mut self) {
        if let Some(work) = self.work.take() {
            self.result = Some(work());
        }
    }
}

/// A task that workers run at the same time, each with a number of its own.
#[cfg(feature = "std")]
pub(super) trait ForkTask: Sync {
    fn run(&self, index: usize);
}

/// Runs `task` once for each number from `first` to below `end`, on several threads at the same time.
#[cfg(feature = "rayon")]
fn fork_range(first: usize, end: usize, task: &dyn ForkTask) {
    if end - first > 1 {
        let middle = first.midpoint(end);
        join(&mut || fork_range(first, middle, task), &mut || fork_range(middle, end, task));
    } else if end > first {
        task.run(first);
    }
}

/// Calls both functions, on two threads if one is idle. Only this instantiates the loops of `rayon`.
#[cfg(feature = "rayon")]
fn join(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}
