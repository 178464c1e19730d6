//! How is memory asked for before it is needed?
//!
//! Hints only: they change no answer, and do nothing where the CPU has none.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use core::arch::x86_64::{_MM_HINT_ET0, _MM_HINT_T1, _mm_prefetch};

/// Bytes of a cache line.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
const LINE: usize = 64;

/// Asks for the cache lines of `items`, which will be read soon.
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

/// Asks for the cache line of item `at`, which will be written soon if it is there.
#[inline(always)]
pub(crate) fn prefetch_to_write<T>(items: &[T], at: usize) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    {
        let item: *const i8 = items.as_ptr().wrapping_add(at).cast();
        // SAFETY: a prefetch of any address is allowed and faults on none; SSE is part of x86-64,
        // and a CPU that does not know this hint ignores it.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(item) };
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    let _ = (items, at);
}
