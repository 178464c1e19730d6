//! How an object runs: the instruction set, the threads, and the limit on pairs.

use crate::border::borrow;
use crate::error::{Failure, Outcome};
use crate::workers::Workers;
use std::any::Any;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex};
use swath::{Exec, Executor, Level, Threads};

/// A function of the library that runs the task of this index. An executor calls it with the `context` that it was given.
pub type swath_task = Option<unsafe extern "C" fn(context: *mut c_void, index: usize)>;

/// Runs the tasks of parallel loops on threads of the caller, such as the job system of an engine.
///
/// `run` calls `task(context, index)` once for each index below `tasks`, on any threads and in any order, and returns when all
/// calls have returned. No task waits for another one. Results do not depend on the threads. `run` must not throw.
/// A structure of zeros is not valid.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_executor {
    /// Is passed to `run`. It must live as long as each object that was created with the executor.
    pub user: *mut c_void,
    /// The number of tasks that may run at the same time, at least 1. At most 256 are used.
    pub threads: usize,
    /// Runs the tasks; see above. It is called from any thread that calls the library.
    pub run: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            tasks: usize,
            task: swath_task,
            context: *mut c_void,
        ),
    >,
}

/// How an object runs. A structure of zeros is valid: it is the default, as a NULL pointer is. Results have the same bits for any values.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_exec {
    /// The instruction set: NULL for the widest one of this CPU, or "portable4", "avx2" or "avx512".
    pub level: *const c_char,
    /// The number of threads: 0 for one for each logical core, which all objects share; 1 for the calling thread alone; at
    /// most 1024.
    pub threads: u32,
    /// The greatest number of pairs of a tick; 0 for no limit. A search that finds more is an error. Pairs that filters or owners exclude do not
    /// count.
    pub pairs_max: u64,
    /// Threads of the caller, instead of `threads`, or NULL. The structure is copied.
    pub executor: *const swath_executor,
}

type RunTasks = unsafe extern "C" fn(*mut c_void, usize, swath_task, *mut c_void);

/// An executor behind C functions.
struct Foreign {
    user: *mut c_void,
    threads: usize,
    run: RunTasks,
}

// SAFETY: the pointer is only passed to `run`, which the header allows to be called from any thread.
unsafe impl Send for Foreign {}
// SAFETY: as above; `run` may be called from several threads at the same time.
unsafe impl Sync for Foreign {}

/// What the context of a task points to.
struct Context<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    /// The first panic of a task, which does not cross the functions of the caller.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Runs a task. Panics are stored.
///
/// # Safety
///
/// `context` is the one that [`Foreign::run`] passed, and that call has not returned.
unsafe extern "C" fn run_task(context: *mut c_void, index: usize) {
    // SAFETY: `Foreign::run` passes a pointer to a `Context`, which lives until it returns.
    let context: &Context<'_> = unsafe { &*context.cast_const().cast() };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (context.task)(index)))
        && let Ok(mut first) = context.panic.lock()
    {
        first.get_or_insert(panic);
    }
}

impl Executor for Foreign {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let context = Context { task, panic: Mutex::new(None) };
        let pointer: *const Context<'_> = &raw const context;
        // SAFETY: the function and `user` are those of the caller. The header states that `run` returns after all tasks, so the
        // context outlives each use of it, and that it does not throw.
        unsafe { (self.run)(self.user, tasks, Some(run_task), pointer.cast_mut().cast()) };
        if let Ok(Some(panic)) = context.panic.into_inner() {
            resume_unwind(panic);
        }
    }
}

/// The greatest number of threads of a pool.
const THREADS_MAX: u32 = 1024;

/// Reads the name of an instruction set.
///
/// # Safety
///
/// The pointer is NULL, or to a string that ends with a zero byte.
pub(crate) unsafe fn level(name: *const c_char) -> Outcome<Level> {
    if name.is_null() {
        return Ok(Level::detect());
    }
    // SAFETY: it is not NULL, and the caller promises the rest.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    let unknown =
        |error: swath::UnknownLevel| Failure::argument(format!("level: {name:?} is {error}"));
    name.parse().map_err(unknown)
}

/// Where the loops of an object run.
enum Place {
    /// New threads.
    Pool(rayon::ThreadPool),
    /// The threads that objects share.
    Shared,
    /// The calling thread, or threads of the caller.
    OfCaller(Threads),
}

fn place(count: u32) -> Outcome<Place> {
    match count {
        0 => Ok(Place::Shared),
        1 => Ok(Place::OfCaller(Threads::one())),
        2..=THREADS_MAX => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count as usize).build();
            pool.map(Place::Pool).map_err(|error| Failure::argument(format!("threads: {error}")))
        }
        _ => Err(Failure::argument(format!("threads: {count}; expected 0 to {THREADS_MAX}"))),
    }
}

/// Reads settings: those besides the threads, and the place.
///
/// # Safety
///
/// The pointer is NULL, or its fields are as the header states.
unsafe fn settings(exec: *const swath_exec) -> Outcome<(Exec, Place)> {
    // SAFETY: the caller promises it.
    let Some(exec) = (unsafe { crate::border::optional(exec, "exec_of") })? else {
        return Ok((Exec::default(), Place::Shared));
    };
    let place = if exec.executor.is_null() {
        place(exec.threads)?
    } else {
        // SAFETY: the caller promises that the fields are as the header states.
        let executor = unsafe { borrow(exec.executor, "executor") }?;
        let Some(run) = executor.run else {
            return Err(Failure::argument("executor: the function `run` is NULL"));
        };
        let swath_executor { user, threads, .. } = *executor;
        if threads == 0 {
            return Err(Failure::argument("executor: threads is 0; expected at least 1"));
        }
        Place::OfCaller(Threads::of_executor(Arc::new(Foreign { user, threads, run })))
    };
    let pairs_max = match exec.pairs_max {
        0 => usize::MAX,
        most => usize::try_from(most).unwrap_or(usize::MAX),
    };
    // SAFETY: the caller promises that the fields are as the header states.
    let level = unsafe { level(exec.level) }?;
    Ok((Exec { level, threads: Threads::current(), pairs_max }, place))
}

/// Reads the settings of a new object, and its threads, which calls of the object check.
///
/// # Safety
///
/// The pointer is NULL, or its fields are as the header states.
pub(crate) unsafe fn exec(exec: *const swath_exec) -> Outcome<(Exec, Workers)> {
    // SAFETY: the caller promises it.
    let (exec, place) = unsafe { settings(exec) }?;
    let (threads, workers) = match place {
        Place::Pool(pool) => {
            let pool = Arc::new(pool);
            (Threads::of_pool(pool.clone()), Workers::own(pool))
        }
        Place::Shared => (Threads::current(), Workers::shared()),
        Place::OfCaller(threads) => (threads, Workers::OfCaller),
    };
    Ok((Exec { threads, ..exec }, workers))
}

/// Reads the settings of a call, and checks that its threads exist.
///
/// # Safety
///
/// The pointer is NULL, or its fields are as the header states.
pub(crate) unsafe fn exec_of_call(exec_of: *const swath_exec) -> Outcome<Exec> {
    // SAFETY: the caller promises it.
    let (exec, workers) = unsafe { exec(exec_of) }?;
    workers.check()?;
    Ok(exec)
}

/// Calls `build` with the settings of an object that uses threads only while it is built. New threads end with the build: it runs on
/// one of them, so that its loops run on all of them, and the object does not refer to them.
///
/// # Safety
///
/// The pointer is NULL, or its fields are as the header states.
pub(crate) unsafe fn build<R: Send>(
    exec: *const swath_exec,
    build: impl FnOnce(Exec) -> R + Send,
) -> Outcome<R> {
    // SAFETY: the caller promises it.
    let (exec, place) = unsafe { settings(exec) }?;
    Ok(match place {
        Place::Pool(pool) => pool.install(|| build(exec)),
        Place::Shared => {
            Workers::shared().check()?;
            build(exec)
        }
        Place::OfCaller(threads) => build(Exec { threads, ..exec }),
    })
}

/// Returns the name of the widest instruction set of this CPU that the library uses: "portable4", "avx2" or "avx512".
#[unsafe(no_mangle)]
pub extern "C" fn swath_level_name() -> *const c_char {
    match Level::detect().name() {
        "avx512" => c"avx512",
        "avx2" => c"avx2",
        _ => c"portable4",
    }
    .as_ptr()
}
