//! Faces of boxes and of convex polyhedra: through which ones a segment enters and exits, packed in one word; and on
//! which side of planes a box is.

use super::axes;
use bytemuck::{CheckedBitPattern, NoUninit, Pod, Zeroable};

/// Where a segment starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum SegmentStart {
    /// Outside. This includes every segment that misses.
    Outside,
    /// On a face, an edge or a corner.
    OnSurface,
    /// In the interior, on no face.
    Inside,
}

impl SegmentStart {
    /// Returns the start for its number in a packed word: 1 + its position in the order of the variants, or 0 for a miss.
    const fn of_number(number: u32) -> Self {
        match number {
            2 => Self::OnSurface,
            3 => Self::Inside,
            _ => Self::Outside,
        }
    }
}

/// The faces of entry and of exit, and where the segment starts, packed in one word.
///
/// The *axes of entry* are those of the faces through which a segment from [`SegmentStart::Outside`]
/// enters. At an edge or a corner there is more than one; faces that are reached within rounding of
/// each other count as simultaneous. For a start [`SegmentStart::OnSurface`] they are the axes of the
/// faces on which the start lies. A start [`SegmentStart::Inside`] has none. The *axes of exit* are those
/// of the faces through which the segment leaves the box; a segment that ends before has no such
/// axis.
///
/// Bits 0–2: axes of entry. Bits 3–5: axes of entry on which the outward normal is negative. Bits
/// 6–8: axes of exit. Bits 9–11: axes of exit on which the outward normal is negative. Bits 12–13:
/// zero for a miss, else 1 + the start in the order of [`SegmentStart`]. All other bits are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Faces(u32);

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Faces {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::deserialize::checked(deserializer, "the bits of faces", |bits: u32| {
            let signed = |bits: u32| bits >> Self::NEGATIVE_SHIFT & !bits & 7 == 0;
            let is_decoded = bits >> 14 == 0 && signed(bits) && signed(bits >> Self::EXIT_SHIFT);
            let faces = Self(bits);
            (is_decoded && (faces.is_hit() || faces == Self::MISS)).then_some(faces)
        })
    }
}

impl Faces {
    /// The segment and the box share no point.
    pub const MISS: Self = Self(0);

    pub(crate) const NEGATIVE_SHIFT: u32 = axes::NEGATIVE_SHIFT;
    pub(crate) const EXIT_SHIFT: u32 = 6;
    const START_SHIFT: u32 = 12;
    pub(crate) const OUTSIDE: u32 = 1 << Self::START_SHIFT;
    pub(crate) const ON_SURFACE: u32 = 2 << Self::START_SHIFT;
    pub(crate) const INSIDE: u32 = 3 << Self::START_SHIFT;

    /// Creates faces from the bits listed at [`Faces`].
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits listed at [`Faces`].
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns whether the segment and the box share a point.
    #[must_use]
    pub const fn is_hit(self) -> bool {
        self.0 & Self::INSIDE != 0
    }

    /// Returns where the segment starts. A miss is [`SegmentStart::Outside`], because a start in the box
    /// is a hit.
    #[must_use]
    pub const fn start(self) -> SegmentStart {
        SegmentStart::of_number(self.0 >> Self::START_SHIFT & 3)
    }

    /// Returns the axes of entry: bit 0 is x, bit 1 is y, bit 2 is z.
    #[must_use]
    pub const fn entry_axis_mask(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// Returns the lowest axis of entry: 0, 1 or 2.
    #[must_use]
    pub const fn entry_axis(self) -> Option<usize> {
        axes::lowest(self.0)
    }

    /// Returns the outward unit normal of the face of the lowest axis of entry, or zero without
    /// such an axis.
    ///
    /// For a start [`SegmentStart::OnSurface`] this is the lowest axis on whose face the segment starts, in whatever direction
    /// the segment points: also a face along which it slides, or through which it leaves the box at once.
    ///
    /// A segment that starts on a box that is flat on this axis lies on both of its faces. The
    /// normal then points against the motion of the segment, and is positive if it does not move on
    /// the axis.
    #[must_use]
    pub const fn entry_normal(self) -> [f32; 3] {
        axes::normal(self.0)
    }

    /// Returns the axes of exit: bit 0 is x, bit 1 is y, bit 2 is z.
    #[must_use]
    pub const fn exit_axis_mask(self) -> u8 {
        (self.0 >> Self::EXIT_SHIFT & 7) as u8
    }

    /// Returns the lowest axis of exit: 0, 1 or 2.
    #[must_use]
    pub const fn exit_axis(self) -> Option<usize> {
        axes::lowest(self.0 >> Self::EXIT_SHIFT)
    }

    /// Returns the outward unit normal of the face of the lowest axis of exit, or zero without such
    /// an axis.
    #[must_use]
    pub const fn exit_normal(self) -> [f32; 3] {
        axes::normal(self.0 >> Self::EXIT_SHIFT)
    }
}

/// The planes of entry and of exit, and where the segment starts, packed in one word.
///
/// Bits 0–14: the plane of entry. Bits 15–29: the plane of exit. Bits 30–31: zero for a miss, else
/// 1 + the start in the order of [`SegmentStart`]. A missing plane has all its bits set. For a miss the
/// whole word is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Facets(u32);

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Facets {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::deserialize::checked(deserializer, "the bits of facets", |bits: u32| {
            let facets = Self(bits);
            (facets.is_hit() || facets == Self::MISS).then_some(facets)
        })
    }
}

impl Facets {
    /// The segment and the polyhedron share no point.
    pub const MISS: Self = Self(0);
    /// The greatest number of planes of a polyhedron: 32,767.
    pub const PLANES_MAX: usize = Self::NONE as usize;

    pub(crate) const NONE: u32 = 0x7fff;
    pub(crate) const EXIT_SHIFT: i32 = 15;
    const START_SHIFT: u32 = 30;
    pub(crate) const OUTSIDE: u32 = 1 << Self::START_SHIFT;
    pub(crate) const ON_SURFACE: u32 = 2 << Self::START_SHIFT;
    pub(crate) const INSIDE: u32 = 3 << Self::START_SHIFT;

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
        SegmentStart::of_number(self.0 >> Self::START_SHIFT & 3)
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
