//! By which faces of a box does a segment come in and go out?

use super::axes;
use bytemuck::{Pod, Zeroable};

/// Where a segment starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Start {
    /// Outside. So does every segment that misses.
    Outside,
    /// On a face, an edge or a corner.
    OnSurface,
    /// In the inside, off every face.
    Inside,
}

/// The faces of entry and of exit, and where the segment starts, packed in one word.
///
/// The *axes of entry* are those whose faces a segment from [`Start::Outside`] comes in by (more
/// than one at an edge or a corner; faces that it reaches within rounding of each other count
/// as together), for a start [`Start::OnSurface`] those on whose faces it stands. A start
/// [`Start::Inside`] has none. The *axes of exit* are those whose faces it reaches last; none
/// where it ends before.
///
/// Bits 0–2: axes of entry. Bits 3–5: those of them on which the outward normal is negative.
/// Bits 6–8: axes of exit. Bits 9–11: those of them on which the outward normal is negative.
/// Bits 12–13: zero for a miss, else 1 + the start in the order of [`Start`]. The rest is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Faces(u32);

impl Faces {
    /// The segment is nowhere in the box.
    pub const MISS: Self = Self(0);

    pub(crate) const NEGATIVE_SHIFT: u32 = axes::NEGATIVE_SHIFT;
    pub(crate) const EXIT_SHIFT: u32 = 6;
    pub(crate) const OUTSIDE: u32 = 1 << 12;
    pub(crate) const ON_SURFACE: u32 = 2 << 12;
    pub(crate) const INSIDE: u32 = 3 << 12;

    /// From the bits listed above.
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits listed above.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether the segment is in the box at some fraction.
    #[must_use]
    pub const fn is_hit(self) -> bool {
        self.0 & Self::INSIDE != 0
    }

    /// Where the segment starts: outside if it misses, for a start in the box is a hit.
    #[must_use]
    pub const fn start(self) -> Start {
        match self.0 & Self::INSIDE {
            Self::ON_SURFACE => Start::OnSurface,
            Self::INSIDE => Start::Inside,
            _ => Start::Outside,
        }
    }

    /// The axes of entry: bit 0 is x, bit 1 is y, bit 2 is z.
    #[must_use]
    pub const fn entry_axis_mask(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// The lowest axis of entry: 0, 1 or 2.
    #[must_use]
    pub const fn entry_axis(self) -> Option<usize> {
        axes::lowest(self.0)
    }

    /// The outward unit normal of the face of the lowest axis of entry; zero where there is none.
    ///
    /// A segment that starts on a box that is flat on this axis stands on both faces; the normal is
    /// then against its motion, and positive if it does not move on the axis.
    #[must_use]
    pub const fn entry_normal(self) -> [f32; 3] {
        axes::normal(self.0)
    }

    /// The axes of exit: bit 0 is x, bit 1 is y, bit 2 is z.
    #[must_use]
    pub const fn exit_axis_mask(self) -> u8 {
        (self.0 >> Self::EXIT_SHIFT & 7) as u8
    }

    /// The lowest axis of exit: 0, 1 or 2.
    #[must_use]
    pub const fn exit_axis(self) -> Option<usize> {
        axes::lowest(self.0 >> Self::EXIT_SHIFT)
    }

    /// The outward unit normal of the face of the lowest axis of exit; zero where there is none.
    #[must_use]
    pub const fn exit_normal(self) -> [f32; 3] {
        axes::normal(self.0 >> Self::EXIT_SHIFT)
    }
}
