//! The result of a segment cast against a convex polyhedron besides its fractions: the planes of
//! entry and of exit, packed in one word.

use super::faces::SegmentStart;
use bytemuck::{Pod, Zeroable};

/// The planes of entry and of exit, and where the segment starts, packed in one word.
///
/// Bits 0–14: the plane of entry. Bits 15–29: the plane of exit. Bits 30–31: zero for a miss, else
/// 1 + the start in the order of [`SegmentStart`]. A missing plane has all its bits set. For a miss the
/// whole word is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Facets(u32);

impl Facets {
    /// The segment and the polyhedron share no point.
    pub const MISS: Self = Self(0);
    /// The greatest number of planes of a polyhedron: 32,767.
    pub const PLANES_MAX: usize = Self::NONE as usize;

    pub(crate) const NONE: u32 = 0x7fff;
    pub(crate) const EXIT_SHIFT: i32 = 15;
    pub(crate) const OUTSIDE: u32 = 1 << 30;
    pub(crate) const ON_SURFACE: u32 = 2 << 30;
    pub(crate) const INSIDE: u32 = 3 << 30;

    /// Creates facets from the bits listed at [`Facets`].
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits listed at [`Facets`].
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns whether the segment and the polyhedron share a point.
    #[must_use]
    pub const fn is_hit(self) -> bool {
        self.0 & Self::INSIDE != 0
    }

    /// Returns where the segment starts.
    ///
    /// A miss is [`SegmentStart::Outside`], because a start in the polyhedron is a hit.
    #[must_use]
    pub const fn start(self) -> SegmentStart {
        match self.0 & Self::INSIDE {
            Self::ON_SURFACE => SegmentStart::OnSurface,
            Self::INSIDE => SegmentStart::Inside,
            _ => SegmentStart::Outside,
        }
    }

    /// Returns the plane through which a segment from outside enters, or the lowest plane on which
    /// the segment starts.
    #[must_use]
    pub const fn entry_plane(self) -> Option<usize> {
        self.plane(self.0)
    }

    /// Returns the plane through which the segment leaves the polyhedron.
    ///
    /// It is `None` if the segment ends before, or within rounding of that plane.
    #[must_use]
    pub const fn exit_plane(self) -> Option<usize> {
        self.plane(self.0 >> Self::EXIT_SHIFT)
    }

    const fn plane(self, bits: u32) -> Option<usize> {
        match bits & Self::NONE {
            Self::NONE => None,
            plane if self.is_hit() => Some(plane as usize),
            _ => None,
        }
    }
}
