//! Threads of the caller that run parallel loops.

use core::fmt;

/// Runs the tasks of parallel loops on threads of the caller: the job system or the thread pool of an engine.
///
/// [`Threads::of_executor`](crate::Threads::of_executor) accepts one. It is implemented without `unsafe` code. For a
/// pool behind a C interface, `run` passes the address of `task` and a function that calls it.
///
/// The results are the same bits for any executor. The tasks of a call work through the same chunks, and any task takes
/// the chunks that no other task has taken. Therefore:
///
/// * The tasks may run in any order, at the same time or one after the other, on any threads. No task waits for another
///   one.
/// * A task that runs twice or not at all does not change a result. If no task runs, the calling thread does the work.
/// * A task panics only if a function of the caller panics. `run` must pass the panic on or end the process. If it
///   drops the panic, the call that runs the loop panics.
/// * If `run` panics by itself, outside of a task, its panic is dropped: the calling thread does the work that is left, and
///   the method returns its result.
///
/// `run` is not called by a task, and it is not called if a loop has one chunk or [`Executor::threads`] is 1.
pub trait Executor: Send + Sync {
    /// The number of tasks that may run at the same time. A call to `run` has at most this many tasks.
    fn threads(&self) -> usize;

    /// Calls `task` once for each number below `tasks`, and returns when all calls have returned.
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync));
}

impl fmt::Debug for dyn Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").field("threads", &self.threads()).finish()
    }
}
