//! Settings of objects.

use crate::agree::{Object, fails};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use swath::{Exec, Level, Threads};
use swath_c::*;
use testkit::fuzz::bytes::Bytes;

/// Settings for C, and the same for Rust except the level and the threads, which change no result.
pub(crate) struct Settings {
    level: Option<CString>,
    executor: Option<swath_executor>,
    threads: u32,
    pairs_max: u64,
    /// Whether the name of the level and the number of threads are valid.
    pub(crate) are_valid: bool,
}

impl Settings {
    pub(crate) fn new(bytes: &mut Bytes<'_>) -> Self {
        let how = bytes.byte();
        let level = match how % 8 {
            0 => Level::all().nth(usize::from(how / 8) % Level::all().count()),
            _ => None,
        };
        let name = level.map(|level| CString::new(level.name()).expect("a name has no zero byte"));
        let mut settings =
            Self { level: name, executor: None, threads: 1, pairs_max: 0, are_valid: true };
        match how % 16 {
            1 => {
                settings.level = CString::new([how, bytes.byte() | 1]).ok();
                settings.are_valid = false;
            }
            2 => {
                settings.threads = 1025 + u32::from(bytes.byte());
                settings.are_valid = false;
            }
            3..6 => {
                let executor =
                    swath_executor { user: null_mut(), threads: how.into(), run: Some(backwards) };
                settings.executor = Some(executor);
            }
            6 => settings.pairs_max = bytes.byte().into(),
            _ => {}
        }
        settings
    }

    /// Calls `with` with the settings for C.
    pub(crate) fn c<T>(&self, with: impl FnOnce(&swath_exec) -> T) -> T {
        let executor = self.executor.as_ref().map_or(null(), std::ptr::from_ref);
        let level = self.level.as_ref().map_or(null(), |level| level.as_ptr());
        with(&swath_exec { level, threads: self.threads, pairs_max: self.pairs_max, executor })
    }

    /// Creates an object, or checks that the settings are wrong.
    pub(crate) fn create<T>(
        &self,
        create: unsafe extern "C" fn(*const swath_exec, *mut *mut T) -> swath_status,
        destroy: unsafe extern "C" fn(*mut T),
    ) -> Option<Object<T>> {
        match self.c(|exec| Object::new(|to| unsafe { create(exec, to) }, destroy)) {
            Ok(object) => {
                assert!(self.are_valid);
                Some(object)
            }
            Err(status) => {
                assert!(!self.are_valid);
                fails(status, SWATH_ERROR_ARGUMENT);
                None
            }
        }
    }

    pub(crate) fn rust(&self) -> Exec {
        let pairs_max = if self.pairs_max == 0 { usize::MAX } else { self.pairs_max as usize };
        Exec { pairs_max, ..Exec::from(Threads::one()) }
    }
}

/// Runs tasks on the calling thread, the last one first.
unsafe extern "C" fn backwards(
    _: *mut c_void,
    tasks: usize,
    task: swath_task,
    context: *mut c_void,
) {
    let task = task.expect("the library passes a task");
    (0..tasks).rev().for_each(|index| unsafe { task(context, index) });
}
