//! Requests large pages of memory from the system.
//!
//! A first access to a page costs time of the system, and each access to a page that was not used lately costs a look-up of
//! its address. Both are rarer if the pages of a large list have 2 MiB instead of 4 KiB. A request never changes a result,
//! and does nothing on systems other than Linux, or if the system does not allow it.

/// Bytes of a large page.
pub(crate) const LARGE_PAGE: usize = 1 << 21;

/// Requests large pages for those of a list that are wholly inside it. It must be called before the memory is written, and for
/// memory of which most will be written.
pub(crate) fn request_large_pages<T>(items: &[T]) {
    if size_of_val(items) >= LARGE_PAGE {
        #[cfg(all(feature = "std", target_os = "linux", not(miri)))]
        linux::advise(items.as_ptr().cast(), size_of_val(items));
    }
}

#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
mod linux {
    use super::LARGE_PAGE;
    use core::ffi::{c_int, c_void};

    /// `MADV_HUGEPAGE` of `<sys/mman.h>`.
    const HUGE_PAGE: c_int = 14;

    // Of the C library, with which the standard library is linked.
    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }

    /// Advises the system to use large pages inside a range.
    pub(super) fn advise(start: *const u8, bytes: usize) {
        let before = start.align_offset(LARGE_PAGE);
        let inside = bytes.saturating_sub(before) / LARGE_PAGE * LARGE_PAGE;
        if inside == 0 {
            return;
        }
        let first = start.wrapping_add(before).cast_mut();
        // SAFETY: the range is inside memory that the caller has borrowed, and this advice changes no byte of it. A failure
        // is ignored, because then the pages have the usual size.
        let _ = unsafe { madvise(first.cast(), inside, HUGE_PAGE) };
    }
}

#[cfg(all(test, feature = "std", target_os = "linux", not(miri)))]
mod tests {
    use super::{LARGE_PAGE, request_large_pages};
    use alloc::string::String;
    use alloc::vec;
    use std::fs;

    /// Returns the flags of the mapping that contains an address.
    fn flags_at(address: usize) -> String {
        let maps = fs::read_to_string("/proc/self/smaps").expect("the system lists the mappings");
        let mut is_inside = false;
        for line in maps.lines() {
            let first = line.split(' ').next().unwrap_or_default();
            if let Some((from, to)) = first.split_once('-') {
                let number = |text| usize::from_str_radix(text, 16).expect("an address");
                is_inside = (number(from)..number(to)).contains(&address);
            } else if let (true, Some(flags)) = (is_inside, line.strip_prefix("VmFlags:")) {
                return flags.into();
            }
        }
        panic!("no mapping contains {address:x}")
    }

    /// Goal: the large pages inside a long list are requested, and none for a short list. Method: the flags of the
    /// mapping, which the system lists as `hg` after a request. A system without large pages has no such flag. The memory of a
    /// short list may have it before, because a long list of another test was there.
    #[test]
    fn long_lists_are_on_large_pages() {
        let is_supported = fs::exists("/sys/kernel/mm/transparent_hugepage").expect("a path");
        // A list of twice the length has at least one page wholly inside.
        for (bytes, is_long) in [(2 * LARGE_PAGE, true), (LARGE_PAGE - 1, false)] {
            let list = vec![0_u8; bytes];
            let is_requested = || {
                let flags = flags_at(list.as_ptr() as usize + bytes / 2);
                flags.split(' ').any(|flag| flag == "hg")
            };
            let before = is_requested();
            request_large_pages(&list);
            let expected = if is_long { is_supported } else { before };
            assert_eq!(is_requested(), expected, "{bytes} bytes");
        }
    }

    /// Goal: no page is requested that is not wholly inside the list. Method: a list inside new memory that contains one large page
    /// and nearly one more at each end; and one of the length of a large page that contains none.
    #[test]
    fn only_pages_wholly_inside_are_requested() {
        let is_supported = fs::exists("/sys/kernel/mm/transparent_hugepage").expect("a path");
        // So much memory is taken from the system, and not from what another test has released.
        let memory = vec![0_u8; 20 * LARGE_PAGE];
        let page = memory.as_ptr().align_offset(LARGE_PAGE) + LARGE_PAGE;
        let are_requested = |places: [usize; 3]| {
            let is_requested = |place: usize| {
                let flags = flags_at(memory.as_ptr() as usize + place);
                flags.split(' ').any(|flag| flag == "hg")
            };
            places.map(is_requested)
        };
        let around = [page - 1, page, page + LARGE_PAGE];
        assert_eq!(are_requested(around), [false; 3]);
        request_large_pages(&memory[page + 1..][..LARGE_PAGE]);
        assert_eq!(are_requested(around), [false; 3]);
        request_large_pages(&memory[page + 1 - LARGE_PAGE..][..3 * LARGE_PAGE - 2]);
        assert_eq!(are_requested(around), [false, is_supported, false]);
    }
}
