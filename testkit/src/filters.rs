//! Filters of 16 bits, of 32 bits, and of upper bits only.

use swath::Filter;

/// A filter that pairs with all, some or none; most differ in both halves from those of adjacent rows. Most are of 16 bits.
pub fn some_filter(k: usize) -> Filter {
    match k % 11 {
        0 => Filter::ALL,
        1 => Filter::NONE,
        2 => Filter::new(1 << (k % 16), 0),
        3 => Filter::new(0, 1 << (k % 16)),
        4 => Filter::new(0x8000 >> (k % 3), u16::MAX.into()),
        5 => high_filter(k),
        6 => Filter::new(1 << (k % 32), !(1 << (k % 32))),
        _ => low_filter(k),
    }
}

/// A filter of two categories, with a mask of about half of the 16 categories.
pub fn low_filter(k: usize) -> Filter {
    let mask = 0x5173_u16.rotate_left(k as u32);
    Filter::new(1 << (k % 4) | 0x8000 >> (k % 3), mask.into())
}

/// A filter of categories above 15 only, with a mask of some of them.
pub fn high_filter(k: usize) -> Filter {
    let mask = 0x1359_0000_u32.rotate_left(k as u32) & 0xffff_0000;
    Filter::new(0x1_0000 << (k % 5) | 0x8000_0000 >> (k % 3), mask)
}

/// A filter of one of three styles: 16 bits, upper bits only, or any. Style 0 has no filters.
pub fn styled_filter(style: u8, k: usize) -> Option<Filter> {
    match style % 4 {
        0 => None,
        1 => Some(low_filter(k)),
        2 => Some(high_filter(k)),
        _ => Some(some_filter(k)),
    }
}
