//! Comparison of results in C with those in Rust.

use bytemuck::NoUninit;
use std::ffi::CStr;
use std::fmt::Display;
use std::ptr::null_mut;
use swath::batch::{BatchError, ElementError, LengthMismatch, Rejected};
use swath::broadphase::{BroadphaseError, FindError, FixedError};
use swath::convex::InvalidShape;
use swath::convex::toi::{PairsError, ToiError};
use swath::mesh::{HeightFieldError, MeshError};
use swath::pipeline::PipelineError;
use swath::{Filter, Invalid, Segment};
use swath_c::*;
use testkit::fuzz::bytes::Bytes;

/// The code that the header documents for an error of the library.
pub(crate) trait Code: Display {
    fn code(&self) -> swath_status;
}

/// Implements [`Code`]: kinds that are not listed are wrong arguments.
macro_rules! codes {
    ($($error:ty { $($kind:pat => $code:ident),* })*) => {
        $(impl Code for $error {
            #[allow(unreachable_patterns, reason = "some errors have one code")]
            fn code(&self) -> swath_status {
                match self {
                    $($kind => $code,)*
                    _ => SWATH_ERROR_ARGUMENT,
                }
            }
        })*
    };
}

codes! {
    Invalid { _ => SWATH_ERROR_INVALID }
    InvalidShape { _ => SWATH_ERROR_INVALID }
    ToiError { _ => SWATH_ERROR_INVALID }
    LengthMismatch {}
    MeshError { _ => SWATH_ERROR_TOO_MANY }
    HeightFieldError { HeightFieldError::Spacing => SWATH_ERROR_INVALID }
    PairsError { PairsError::Toi(_) | PairsError::MaxDistance(_) => SWATH_ERROR_INVALID }
    PipelineError {
        PipelineError::Settings(_) | PipelineError::Fast => SWATH_ERROR_INVALID,
        PipelineError::Find(_) => SWATH_ERROR_TOO_MANY
    }
    BatchError { BatchError::Invalid(_) => SWATH_ERROR_INVALID, BatchError::TooShort { .. } => SWATH_ERROR_TOO_SHORT }
    ElementError {
        ElementError::Vertex { .. } | ElementError::Separation | ElementError::Tolerance => SWATH_ERROR_INVALID,
        ElementError::Rounds => SWATH_ERROR_INVALID
    }
    FindError { FindError::TooManyBoxes { .. } | FindError::TooManyPairs { .. } => SWATH_ERROR_TOO_MANY }
    FixedError { FixedError::RowTooLarge { .. } => SWATH_ERROR_TOO_MANY, FixedError::UnknownRow { .. } => SWATH_ERROR_STALE }
    BroadphaseError {
        BroadphaseError::Stale { .. } | BroadphaseError::StaleOfRow { .. } => SWATH_ERROR_STALE,
        BroadphaseError::Length(_) => SWATH_ERROR_ARGUMENT,
        BroadphaseError::TooManyProxies => SWATH_ERROR_TOO_MANY,
        _ => SWATH_ERROR_INVALID
    }
}

/// The message of the last error.
pub(crate) fn message() -> String {
    unsafe { CStr::from_ptr(swath_last_error()) }.to_str().expect("a message is text").to_owned()
}

/// Checks that a call succeeded or failed as in Rust, with the code and the message of its error. Returns the result in Rust.
#[track_caller]
pub(crate) fn agree<T, E: Code>(rust: Result<T, E>, status: swath_status) -> Option<T> {
    match rust {
        Ok(value) => {
            works(status);
            Some(value)
        }
        Err(error) => {
            fails(status, error.code());
            let (message, text) = (message(), error.to_string());
            assert!(message.ends_with(&text), "{message}, in Rust: {text}");
            None
        }
    }
}

#[track_caller]
pub(crate) fn works(status: swath_status) {
    assert_eq!(status, SWATH_OK, "{}", message());
}

#[track_caller]
pub(crate) fn fails(status: swath_status, expected: swath_status) {
    assert_eq!(status, expected, "{}", message());
    assert!(!message().is_empty());
}

/// A list that C returned.
pub(crate) fn list<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, count) } }
}

/// The bits of a result.
pub(crate) fn bits<T: NoUninit>(results: &[T]) -> &[u32] {
    bytemuck::cast_slice(results)
}

/// Checks the rows that C left out.
#[track_caller]
pub(crate) fn same_rejected(c: swath_rejected_rows, rust: &[Rejected]) {
    let rust: Vec<_> = rust
        .iter()
        .map(|Rejected { row, reason }| {
            let (reason, axis) = reason_of(reason);
            swath_rejected { row: *row, reason, axis }
        })
        .collect();
    assert_eq!(list(c.data, c.count), rust);
}

/// The reason in C why something is invalid, and the axis.
pub(crate) fn reason_of(invalid: &Invalid) -> (swath_reason, u32) {
    match *invalid {
        Invalid::NotFinite { axis } => (SWATH_REASON_NOT_FINITE, axis.into()),
        Invalid::TooLarge { axis } => (SWATH_REASON_TOO_LARGE, axis.into()),
        Invalid::Inverted { axis } => (SWATH_REASON_INVERTED, axis.into()),
        _ => (SWATH_REASON_RANGE, 3),
    }
}

/// No rows, to be overwritten.
pub(crate) const NO_REJECTED: swath_rejected_rows =
    swath_rejected_rows { data: std::ptr::null(), count: 0 };

/// An object of the interface, which is destroyed at the end.
pub(crate) struct Object<T> {
    pub(crate) pointer: *mut T,
    destroy: unsafe extern "C" fn(*mut T),
}

impl<T> Object<T> {
    /// Creates an object, or returns the status of the call that did not.
    pub(crate) fn new(
        create: impl FnOnce(&mut *mut T) -> swath_status,
        destroy: unsafe extern "C" fn(*mut T),
    ) -> Result<Self, swath_status> {
        let mut pointer = null_mut();
        let status = create(&mut pointer);
        assert_eq!(status == SWATH_OK, !pointer.is_null(), "{status}");
        if status == SWATH_OK { Ok(Self { pointer, destroy }) } else { Err(status) }
    }
}

impl<T> Drop for Object<T> {
    fn drop(&mut self) {
        unsafe { (self.destroy)(self.pointer) };
    }
}

/// Decodes four bytes to a number.
pub(crate) fn word(bytes: &mut Bytes<'_>) -> u32 {
    u32::from_le_bytes([(); 4].map(|()| bytes.byte()))
}

/// Decodes a number below `end`, or sometimes any.
pub(crate) fn index(bytes: &mut Bytes<'_>, end: u32) -> u32 {
    match bytes.byte() {
        255 => word(bytes),
        254 => u32::MAX,
        253 => end,
        other => u32::from(other) % end.max(1),
    }
}

pub(crate) fn vector(bytes: &mut Bytes<'_>) -> [f32; 3] {
    match bytes.byte() % 4 {
        0 => [(); 3].map(|()| bytes.number()),
        _ => [(); 3].map(|()| bytes.signed() / 16.0),
    }
}

pub(crate) fn filter(bytes: &mut Bytes<'_>) -> Filter {
    match bytes.byte() % 4 {
        0 => Filter::new(word(bytes), word(bytes)),
        1 => Filter::new(1 << (bytes.byte() % 32), !(1 << (bytes.byte() % 32))),
        _ => Filter::ALL,
    }
}

pub(crate) fn segment(bytes: &mut Bytes<'_>) -> Segment {
    let (start, delta) = (vector(bytes), vector(bytes));
    let max_fraction = match bytes.byte() % 4 {
        0 => bytes.number(),
        1 => f32::INFINITY,
        _ => 1.0,
    };
    Segment { start, delta, max_fraction }
}
