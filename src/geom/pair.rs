//! Pairs of boxes, given by their rows.

use bytemuck::{Pod, Zeroable};

/// A pair of boxes, given by their rows.
///
/// For two rows of the same columns, `a < b`. For a pair of [`FixedBoxes`](crate::FixedBoxes), `a`
/// is the row of the mover and `b` that of the fixed box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Pair {
    /// The lower row, or the row of the mover.
    pub a: u32,
    /// The higher row, or the row of the fixed box.
    pub b: u32,
}

/// A pair of boxes that touch in the tick, as in [`Pair`], and the first time at which they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct SweptPair {
    /// The lower row, or the row of the mover.
    pub a: u32,
    /// The higher row, or the row of the fixed box.
    pub b: u32,
    /// The first time of contact, a fraction of the tick in `[0, 1]`. Never later than the exact
    /// time.
    pub first: f32,
}

impl From<SweptPair> for Pair {
    /// Drops the time.
    fn from(pair: SweptPair) -> Self {
        Self { a: pair.a, b: pair.b }
    }
}
