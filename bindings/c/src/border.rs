//! Pointers of the caller become references, after the checks that are possible, and objects become handles.
//!
//! What is checked: a pointer is not NULL, is aligned, and its array is not longer than memory can be. What cannot be checked
//! is promised by the caller, in the rules at the head of the header: the memory has the type and length that the declaration states,
//! and no thread writes it during the call.

use crate::error::{
    Failure, Outcome, SWATH_ERROR_BUSY, SWATH_ERROR_MISALIGNED, SWATH_ERROR_NULL,
    SWATH_ERROR_PANIC, SWATH_ERROR_TOO_MANY,
};
use std::mem::MaybeUninit;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

fn check<T>(pointer: *const T, name: &str) -> Outcome {
    if pointer.is_null() {
        return Err(Failure::new(SWATH_ERROR_NULL, format!("{name}: NULL")));
    }
    if !pointer.is_aligned() {
        let wanted = align_of::<T>();
        let message = format!("{name}: misaligned; the address must be a multiple of {wanted}");
        return Err(Failure::new(SWATH_ERROR_MISALIGNED, message));
    }
    Ok(())
}

fn check_array<T>(pointer: *const T, count: usize, name: &str) -> Outcome {
    check(pointer, name)?;
    if size_of::<T>().checked_mul(count).is_none_or(|bytes| isize::try_from(bytes).is_err()) {
        return Err(Failure::argument(format!(
            "{name}: {count} elements are more than memory has"
        )));
    }
    Ok(())
}

/// Checks that `count` rows have numbers of 32 bits. More rows than memory has floats are left to the check of their array.
pub(crate) fn check_row_count(count: usize, name: &str) -> Outcome {
    let floats_max = isize::MAX as usize / size_of::<f32>();
    if u32::try_from(count).is_err() && count <= floats_max {
        let message = format!("{name}: {count} rows; a call takes at most {}", u32::MAX);
        return Err(Failure::new(SWATH_ERROR_TOO_MANY, message));
    }
    Ok(())
}

/// Borrows what a pointer points to.
///
/// # Safety
///
/// If the pointer is neither NULL nor misaligned, it points to a `T` that lives and does not change for `'a`, except behind
/// a lock.
pub(crate) unsafe fn borrow<'a, T>(pointer: *const T, name: &str) -> Outcome<&'a T> {
    check(pointer, name)?;
    // SAFETY: it is aligned and not NULL, and the caller promises the rest.
    Ok(unsafe { &*pointer })
}

/// Borrows what a pointer points to, or returns `None` if it is NULL.
///
/// # Safety
///
/// As for [`borrow`].
pub(crate) unsafe fn optional<'a, T>(pointer: *const T, name: &str) -> Outcome<Option<&'a T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises it.
    unsafe { borrow(pointer, name) }.map(Some)
}

/// Borrows an array. Its pointer may be NULL if it has no elements.
///
/// # Safety
///
/// If the pointer is neither NULL nor misaligned, it points to `count` values that live and do not change for `'a`.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Outcome<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check_array(pointer, count, name)?;
    // SAFETY: it is aligned, not NULL and not longer than memory, and the caller promises the rest.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Borrows an array of `count` elements, or returns `None` if the pointer is NULL.
///
/// # Safety
///
/// As for [`array`].
pub(crate) unsafe fn optional_array<'a, T>(
    pointer: *const T,
    count: usize,
    name: &str,
) -> Outcome<Option<&'a [T]>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises it.
    unsafe { array(pointer, count, name) }.map(Some)
}

/// Borrows an array for results. Its pointer may be NULL if it has no elements.
///
/// # Safety
///
/// If the pointer is neither NULL nor misaligned, it points to memory for `count` values of `T`, which nothing else uses for
/// `'a`, and any bits are a value of `T`.
pub(crate) unsafe fn array_mut<'a, T: bytemuck::AnyBitPattern>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Outcome<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check_array(pointer, count, name)?;
    // SAFETY: it is aligned, not NULL and not longer than memory; any bits in it are values of `T`. The caller promises the
    // rest.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Borrows an array for results. If its pointer is NULL, because the caller does not need these results, `unused` is used.
///
/// # Safety
///
/// As for [`array_mut`].
pub(crate) unsafe fn array_or_unused<'a, T: bytemuck::AnyBitPattern>(
    pointer: *mut T,
    count: usize,
    name: &str,
    unused: &'a mut Vec<T>,
) -> Outcome<&'a mut [T]> {
    if pointer.is_null() {
        *unused = vec![T::zeroed(); count];
        return Ok(unused);
    }
    // SAFETY: the caller promises it.
    unsafe { array_mut(pointer, count, name) }
}

/// Borrows memory for one result.
///
/// # Safety
///
/// If the pointer is neither NULL nor misaligned, it points to memory for a `T` that nothing else uses for `'a`.
pub(crate) unsafe fn out<'a, T>(pointer: *mut T, name: &str) -> Outcome<&'a mut MaybeUninit<T>> {
    check(pointer, name)?;
    // SAFETY: it is aligned and not NULL, and memory without a value is a `MaybeUninit`. The caller promises the rest.
    Ok(unsafe { &mut *pointer.cast() })
}

/// An object that C has a pointer to. Calls that change it exclude all others; a call that would have to wait is an error, so
/// that a callback may not use the object of the call that it is called from.
#[derive(Debug)]
pub(crate) struct Handle<T>(RwLock<T>);

impl<T> Handle<T> {
    pub(crate) fn new(object: T) -> Self {
        Self(RwLock::new(object))
    }

    /// Locks the object for a call that changes it.
    pub(crate) fn change(&self) -> Outcome<RwLockWriteGuard<'_, T>> {
        self.0.try_write().map_err(|error| locked(&error))
    }

    /// Locks the object for a call that reads it.
    pub(crate) fn read(&self) -> Outcome<RwLockReadGuard<'_, T>> {
        self.0.try_read().map_err(|error| locked(&error))
    }

    /// Whether a call uses the object now.
    fn is_busy(&self) -> bool {
        matches!(self.0.try_write(), Err(TryLockError::WouldBlock))
    }
}

fn locked<G>(error: &TryLockError<G>) -> Failure {
    match error {
        TryLockError::WouldBlock => {
            let message = "another call uses the object; wait for it, and call nothing on it from its callbacks";
            Failure::new(SWATH_ERROR_BUSY, message)
        }
        TryLockError::Poisoned(_) => {
            let message = "an earlier call on the object failed with a panic; destroy it";
            Failure::new(SWATH_ERROR_PANIC, message)
        }
    }
}

/// An opaque structure of the interface, which contains a [`Handle`].
pub(crate) trait Opaque {
    type Object;

    fn handle(&self) -> &Handle<Self::Object>;
}

/// Checks that several threads may use a type, which the compiler cannot check for calls from C.
macro_rules! shared {
    ($type:ty) => {
        const _: () = {
            const fn check<T: Send + Sync>() {}
            check::<$type>();
        };
    };
}
pub(crate) use shared;

/// Implements [`Opaque`] and a constructor for an opaque structure of the interface.
macro_rules! opaque {
    ($name:ident($object:ty)) => {
        $crate::border::shared!($name);

        impl $name {
            pub(crate) fn new(object: $object) -> Self {
                Self($crate::border::Handle::new(object))
            }
        }

        impl $crate::border::Opaque for $name {
            type Object = $object;

            fn handle(&self) -> &$crate::border::Handle<$object> {
                &self.0
            }
        }
    };
}
pub(crate) use opaque;

/// Moves an object to the heap and writes its address.
pub(crate) fn write_boxed<T>(object: T, to: &mut MaybeUninit<*mut T>) {
    to.write(Box::into_raw(Box::new(object)));
}

/// Frees an object unless a call uses it.
///
/// # Safety
///
/// The pointer is NULL, or one that [`write_boxed`] wrote and that was not destroyed.
pub(crate) unsafe fn destroy<T: Opaque>(pointer: *mut T) {
    if pointer.is_null() || !pointer.is_aligned() {
        return;
    }
    // SAFETY: the caller promises that the object lives.
    if unsafe { &*pointer }.handle().is_busy() {
        return;
    }
    // SAFETY: the object was moved to the heap by a `Box`, and the caller has no further use for the pointer.
    drop(unsafe { Box::from_raw(pointer) });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message of an error.
    fn message<T>(result: Outcome<T>) -> String {
        result.err().map(|failure| format!("{failure:?}")).unwrap_or_default()
    }

    #[test]
    fn object_that_is_in_use_is_busy() {
        let handle = Handle::new(5);
        let reader = handle.read().expect("it is free");
        assert!(handle.read().is_ok() && handle.is_busy());
        assert!(message(handle.change()).contains(&SWATH_ERROR_BUSY.to_string()));
        drop(reader);
        let writer = handle.change().expect("it is free");
        assert!(message(handle.read()).contains("another call"));
        drop(writer);
        assert!(handle.change().is_ok());
    }

    #[test]
    fn object_of_a_reading_call_that_panicked_can_be_used() {
        let handle = Handle::new(5);
        let panicked = std::thread::scope(|scope| {
            let read = || {
                let _reader = handle.read().expect("it is free");
                panic!("a test");
            };
            scope.spawn(read).join().is_err()
        });
        assert!(panicked && !handle.is_busy());
        assert!(handle.read().is_ok());
        assert!(handle.change().is_ok());
    }

    #[test]
    fn object_of_a_changing_call_that_panicked_is_not_read_again() {
        let handle = Handle::new(5);
        let panicked = std::thread::scope(|scope| {
            let change = || {
                let _writer = handle.change().expect("it is free");
                panic!("a test");
            };
            scope.spawn(change).join().is_err()
        });
        assert!(panicked && !handle.is_busy());
        assert!(message(handle.read()).contains("panic"));
        assert!(message(handle.change()).contains("panic"));
    }
}
