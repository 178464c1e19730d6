//! The flags of a record's id, above the bits of the [row](super::input::ROW).

/// Flag of the id: the box does not move.
pub(crate) const STILL: u32 = 1 << 31;
/// Flag of the id: the box starts in an earlier cell of `u`, the first divided axis of the grid.
pub(crate) const NOT_FIRST_U: u32 = 1 << 30;
/// Flag of the id: the box starts in an earlier cell of `v`, the second divided axis of the grid.
pub(crate) const NOT_FIRST_V: u32 = 1 << 29;
/// Flag of the id: the box is in the first of two sets.
pub(crate) const OF_FIRST: u32 = 1 << 28;
/// Flag of the id: the box is in the second of two sets.
pub(crate) const OF_SECOND: u32 = 1 << 27;
/// Flag of the id: the path is long, and the record is of the part of it that lies in the strip.
pub(crate) const LONG: u32 = 1 << 26;
/// Two ids with one of these flags in common are not a pair of the input, or are counted in another
/// strip.
pub(crate) const FLAGS: u32 = STILL | NOT_FIRST_U | NOT_FIRST_V | OF_FIRST | OF_SECOND;
