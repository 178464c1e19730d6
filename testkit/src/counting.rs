//! An allocator that counts how often memory is requested, and how much of it is allocated.
//!
//! It counts for the whole program, so tests that use it run one after the other in a program of their own, which
//! declares it as its `#[global_allocator]`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

/// The system's allocator, which counts in [`ALLOCATIONS`] and [`BYTES`].
pub struct Counting;

/// Number of requests for memory since the program started.
pub static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// Number of bytes that are allocated.
pub static BYTES: AtomicIsize = AtomicIsize::new(0);

/// Greatest number of bytes that were allocated at one time since it was last set.
pub static BYTES_MOST: AtomicIsize = AtomicIsize::new(0);

/// Changes the number of bytes that are allocated.
fn add(bytes: isize) {
    let now = BYTES.fetch_add(bytes, Ordering::Relaxed) + bytes;
    BYTES_MOST.fetch_max(now, Ordering::Relaxed);
}

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: every call is passed on to `System` unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        add(layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        add(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        add(size as isize - layout.size() as isize);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
