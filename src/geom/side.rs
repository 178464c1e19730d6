//! The position of a box relative to a convex region.

use bytemuck::{CheckedBitPattern, NoUninit, Zeroable};

/// The position of a box relative to the region that several [`Plane`](super::Plane)s enclose.
///
/// One byte. The values are 0, 1 and 2 in the order below.
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
pub enum PlaneSide {
    /// Entirely outside of one plane, so the box shares no point with the region.
    #[default]
    Outside,
    /// Neither of the others: the box crosses a plane, or is outside near an edge of the region.
    Crossing,
    /// Entirely inside of every plane, so every point of the box is in the region.
    Inside,
}
