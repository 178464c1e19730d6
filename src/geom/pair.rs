//! Which two boxes, by their rows?

use bytemuck::{Pod, Zeroable};

/// Two rows of the same columns, `a < b`; or a mover's row and a fixed box's, as
/// [`FixedBoxes`](crate::FixedBoxes) gives them, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Pair {
    /// The lower row, or the mover's.
    pub a: u32,
    /// The higher row, or the fixed box's.
    pub b: u32,
}

/// Two rows as in [`Pair`] whose boxes touch in the tick, and when they first do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct SweptPair {
    /// The lower row, or the mover's.
    pub a: u32,
    /// The higher row, or the fixed box's.
    pub b: u32,
    /// When they first touch, as a fraction of the tick in `[0, 1]`; never late.
    pub first: f32,
}

impl From<SweptPair> for Pair {
    /// The rows alone.
    fn from(pair: SweptPair) -> Self {
        Self { a: pair.a, b: pair.b }
    }
}
