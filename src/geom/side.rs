//! Where is a box, seen from a convex region?

use bytemuck::{CheckedBitPattern, NoUninit, Zeroable};

/// Where a box lies as to the region that several [`Plane`](super::Plane)s enclose.
///
/// In the order of its numbers: 0, 1, 2; one byte.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    CheckedBitPattern,
    NoUninit,
    Zeroable,
)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[repr(u8)]
pub enum Side {
    /// Wholly outside of one plane, so it shares no point with the region.
    #[default]
    Outside,
    /// Neither of the others: it crosses a plane, or passes by the region near an edge of it.
    Crossing,
    /// Wholly inside of every plane, so every point of it is in the region.
    Inside,
}
