//! Status codes, the message of the last error of a thread, and the border that no panic crosses.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Result of a call: `SWATH_OK`, or the code of an error. `swath_last_error` returns the message.
pub type swath_status = i32;

/// The call succeeded.
pub const SWATH_OK: i32 = 0;
/// A pointer is NULL that must not be.
pub const SWATH_ERROR_NULL: i32 = 1;
/// A pointer is not aligned as its type requires.
pub const SWATH_ERROR_MISALIGNED: i32 = 2;
/// A length, a stride, a name or the value of an enumeration is wrong.
pub const SWATH_ERROR_ARGUMENT: i32 = 3;
/// A number is NaN, infinite, too large or out of its range, or a box is inverted.
pub const SWATH_ERROR_INVALID: i32 = 4;
/// An id is of a proxy that does not exist, or was removed; or a row has no box.
pub const SWATH_ERROR_STALE: i32 = 5;
/// There are more boxes, proxies, triangles or pairs than allowed.
pub const SWATH_ERROR_TOO_MANY: i32 = 6;
/// An array for results is too short. The count that the call returns is the length that is needed.
pub const SWATH_ERROR_TOO_SHORT: i32 = 7;
/// Another call uses the object: one on another thread, or one whose callback made this call.
pub const SWATH_ERROR_BUSY: i32 = 8;
/// The library has a fault. An object that the call changes accepts no further call but the one that destroys it. After a call that
/// only reads an object, the object may be used as before.
pub const SWATH_ERROR_PANIC: i32 = 9;
/// A proxy has changed since the queries of the broadphase were prepared; see `swath_broadphase_prepare_queries`.
pub const SWATH_ERROR_NOT_PREPARED: i32 = 10;
/// The call needs threads that were started before this process was forked, and do not exist in it.
pub const SWATH_ERROR_FORKED: i32 = 11;

/// An error: its code and its message.
#[derive(Debug)]
pub(crate) struct Failure {
    status: swath_status,
    message: String,
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(status: swath_status, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// A wrong length, stride, name or value of an enumeration.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(SWATH_ERROR_ARGUMENT, message)
    }

    /// An array for results that is too short for `needed` results.
    pub(crate) fn too_short(needed: usize, capacity: usize) -> Self {
        let message =
            format!("there are {needed} results, and the array has a capacity of {capacity}");
        Self::new(SWATH_ERROR_TOO_SHORT, message)
    }

    /// The same error, with the name of the argument before the message.
    pub(crate) fn of(self, argument: &str) -> Self {
        Self { message: format!("{argument}: {}", self.message), ..self }
    }
}

/// Implements the conversion of errors of the library that have one code.
macro_rules! convert {
    ($($from:ty => $status:ident),* $(,)?) => {
        $(impl From<$from> for Failure {
            fn from(error: $from) -> Self {
                Self::new($status, error.to_string())
            }
        })*
    };
}

convert! {
    swath::Invalid => SWATH_ERROR_INVALID,
    swath::convex::InvalidShape => SWATH_ERROR_INVALID,
    swath::convex::toi::ToiError => SWATH_ERROR_INVALID,
    swath::batch::LengthMismatch => SWATH_ERROR_ARGUMENT,
    swath::broadphase::RowsError => SWATH_ERROR_ARGUMENT,
    swath::mesh::MeshError => SWATH_ERROR_TOO_MANY,
}

/// Implements the conversion of errors of the library of which each kind has a code; other kinds are wrong arguments.
macro_rules! convert_kinds {
    ($($from:ty { $($kind:pat => $status:ident),* $(,)? })*) => {
        $(impl From<$from> for Failure {
            fn from(error: $from) -> Self {
                let status = match error {
                    $($kind => $status,)*
                    _ => SWATH_ERROR_ARGUMENT,
                };
                Self::new(status, error.to_string())
            }
        })*
    };
}

use swath::batch::{BatchError, ElementError};
use swath::broadphase::{BroadphaseError, FindError, FixedError};
use swath::convex::toi::PairsError;
use swath::mesh::HeightFieldError;
use swath::pipeline::PipelineError;

convert_kinds! {
    FindError {
        FindError::TooManyBoxes { .. } => SWATH_ERROR_TOO_MANY,
        FindError::TooManyPairs { .. } => SWATH_ERROR_TOO_MANY,
    }
    BroadphaseError {
        BroadphaseError::Stale { .. } | BroadphaseError::StaleOfRow { .. } => SWATH_ERROR_STALE,
        BroadphaseError::Invalid(_) => SWATH_ERROR_INVALID,
        BroadphaseError::Margin | BroadphaseError::MarginOfRow { .. } => SWATH_ERROR_INVALID,
        BroadphaseError::ShiftTooFar { .. } => SWATH_ERROR_INVALID,
        BroadphaseError::TooManyProxies => SWATH_ERROR_TOO_MANY,
    }
    FixedError {
        FixedError::RowTooLarge { .. } => SWATH_ERROR_TOO_MANY,
        FixedError::UnknownRow { .. } => SWATH_ERROR_STALE,
    }
    BatchError {
        BatchError::Invalid(_) => SWATH_ERROR_INVALID,
        BatchError::TooShort { .. } => SWATH_ERROR_TOO_SHORT,
    }
    ElementError {
        ElementError::Vertex { .. } => SWATH_ERROR_INVALID,
        ElementError::Separation | ElementError::Tolerance => SWATH_ERROR_INVALID,
        ElementError::Rounds => SWATH_ERROR_INVALID,
    }
    PairsError {
        PairsError::Toi(_) | PairsError::MaxDistance(_) => SWATH_ERROR_INVALID,
    }
    PipelineError {
        PipelineError::Settings(_) | PipelineError::Fast => SWATH_ERROR_INVALID,
        PipelineError::Find(
            FindError::TooManyBoxes { .. } | FindError::TooManyPairs { .. },
        ) => SWATH_ERROR_TOO_MANY,
    }
    HeightFieldError {
        HeightFieldError::Spacing => SWATH_ERROR_INVALID,
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::new(CString::default());
}

/// Stores the message of an error for this thread, and returns its code.
fn report(Failure { status, message }: Failure) -> swath_status {
    let message: Vec<u8> = message.into_bytes().into_iter().filter(|&byte| byte != 0).collect();
    let message = CString::new(message).unwrap_or_default();
    // A thread that ends has no message any more.
    let _ = LAST_ERROR.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = message;
        }
    });
    status
}

/// The text of a panic.
fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Runs the body of a function that C calls. Errors and panics become codes.
///
/// A panic may leave an object in an unknown state. Objects that a call can change are behind locks, which
/// a panic of a call that changes them poisons, so no later call reads them ([`SWATH_ERROR_PANIC`]).
pub(crate) fn guard(body: impl FnOnce() -> Outcome) -> swath_status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => SWATH_OK,
        Ok(Err(failure)) => report(failure),
        Err(panic) => {
            let message = format!("a panic inside the library: {}", panic_text(&*panic));
            report(Failure::new(SWATH_ERROR_PANIC, message))
        }
    }
}

/// Returns the version of the library, such as "0.1.0": of what is loaded, which may be newer than the header.
#[unsafe(no_mangle)]
pub extern "C" fn swath_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the message of the last error of this thread: a string that ends with a zero byte, empty before the first
/// error. It is valid until the next call on this thread that returns an error.
#[unsafe(no_mangle)]
pub extern "C" fn swath_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last_error() -> String {
        // SAFETY: the pointer is to a string that ends with a zero byte, and no call changes it meanwhile.
        unsafe { CStr::from_ptr(swath_last_error()) }.to_str().expect("a message").to_owned()
    }

    #[test]
    fn panic_becomes_a_status_with_its_message() {
        assert_eq!(guard(|| panic!("the text {}", 7)), SWATH_ERROR_PANIC);
        assert!(last_error().contains("the text 7"), "{}", last_error());
    }

    #[test]
    fn success_leaves_the_last_error_unchanged() {
        assert_eq!(guard(|| Err(Failure::argument("before"))), SWATH_ERROR_ARGUMENT);
        assert_eq!(guard(|| Ok(())), SWATH_OK);
        assert_eq!(last_error(), "before");
    }

    #[test]
    fn messages_belong_to_their_thread() {
        guard(|| Err(Failure::argument("of this thread")));
        std::thread::spawn(|| assert_eq!(last_error(), "")).join().expect("the thread ends");
        assert_eq!(last_error(), "of this thread");
    }

    #[test]
    fn message_with_a_zero_byte_loses_only_this_byte() {
        guard(|| Err(Failure::argument("a\0b")));
        assert_eq!(last_error(), "ab");
    }
}
