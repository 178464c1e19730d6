//! Prefetch hints.
//!
//! They never change a result, and do nothing on CPUs without such an instruction.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use core::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T1, _mm_prefetch};

/// Size of a cache line in bytes.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
const LINE: usize = 64;

/// Prefetches the cache lines of `items` for reading.
#[inline(always)]
pub(crate) fn prefetch<T>(items: &[T]) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    {
        let start: *const i8 = items.as_ptr().cast();
        for byte in (0..size_of_val(items)).step_by(LINE) {
            // SAFETY: the address is inside `items`; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(start.add(byte)) };
        }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    let _ = items;
}

/// Prefetches the cache line of `items[at]` for writing. `at` may be out of range.
#[inline(always)]
pub(crate) fn prefetch_to_write<T>(items: &[T], at: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    {
        let item: *const i8 = items.as_ptr().wrapping_add(at).cast();
        // SAFETY: a prefetch of any address is allowed and never faults; SSE is part of x86-64, and
        // a CPU without this hint ignores it.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(item) };
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    let _ = (items, at);
}
