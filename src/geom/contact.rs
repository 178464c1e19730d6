//! What does a sweep say of two boxes or round shapes, besides the times, and a separation, besides
//! the depth?

use super::axes;
use bytemuck::{Pod, Zeroable};

/// How two moving boxes meet in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum State {
    /// They share no point at any time of the tick.
    Separated,
    /// They share none at the start, and first do later in the tick.
    Touching,
    /// They share a point at the start, if only of their surfaces.
    Overlapping,
}

/// State, axes and normal of a sweep, packed in one word.
///
/// The *axes of contact* are those that enter last: for [`State::Touching`] the axes on which
/// the boxes come to touch at the first time (more than one for an edge or corner contact; axes
/// that enter within rounding of each other count as together), for an overlapping pair of which
/// only the surfaces touch the axes on which they do. A pair whose insides overlap at the start
/// has none in a sweep; in a separation its axis is that of the least push. Round shapes touch along
/// no axis and never have any; where the surfaces of one touch at the start, a bit of its own says
/// so.
///
/// Bits 0–2: axes of contact. Bits 3–5: axes of contact on which the normal is negative.
/// Bits 6–7: the state, in the order of [`State`]. Bit 8: closing. Bit 9: the axis is that of a
/// push out of an overlap of insides. Bit 10: of a pair with a round shape that overlaps at the
/// start, only the surfaces touch. The rest is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Contact(u32);

impl Contact {
    /// The pair never meets.
    pub const SEPARATED: Self = Self(0);

    pub(crate) const NEGATIVE_SHIFT: u32 = axes::NEGATIVE_SHIFT;
    pub(crate) const TOUCHING: u32 = 1 << 6;
    pub(crate) const OVERLAPPING: u32 = 2 << 6;
    pub(crate) const CLOSING: u32 = 1 << 8;
    pub(crate) const INSIDE: u32 = 1 << 9;
    pub(crate) const SURFACE: u32 = 1 << 10;

    /// From the bits listed above.
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The bits listed above.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// How the two meet.
    #[must_use]
    pub const fn state(self) -> State {
        match self.0 >> 6 & 3 {
            0 => State::Separated,
            1 => State::Touching,
            _ => State::Overlapping,
        }
    }

    /// Whether they share a point at some time of the tick.
    #[must_use]
    pub const fn is_hit(self) -> bool {
        self.0 & (Self::TOUCHING | Self::OVERLAPPING) != 0
    }

    /// The axes of contact: bit 0 is x, bit 1 is y, bit 2 is z.
    #[must_use]
    pub const fn axis_mask(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// The lowest axis of contact: 0, 1 or 2.
    #[must_use]
    pub const fn axis(self) -> Option<usize> {
        axes::lowest(self.0)
    }

    /// The unit normal of the lowest axis of contact, from the first box to the second; zero
    /// where there is none. Two flat boxes in one plane have neither side; theirs is positive.
    #[must_use]
    pub const fn normal(self) -> [f32; 3] {
        axes::normal(self.0)
    }

    /// Whether the two overlap at the start with their surfaces only.
    ///
    /// Exact for two boxes. Of a round shape it is decided within rounding: always true where it
    /// is so, and true of overlaps too shallow to be told from it.
    #[must_use]
    pub const fn is_surface(self) -> bool {
        let pushed = self.0 & Self::INSIDE != 0;
        let on_axis = self.axis_mask() != 0 && !pushed;
        self.0 & Self::OVERLAPPING != 0 && (on_axis || self.0 & Self::SURFACE != 0)
    }

    /// Whether the contact presses inwards just after the first time.
    ///
    /// True of every pair that comes to touch and of every pair whose insides overlap at the
    /// start. Of a pair that starts with touching surfaces it is true when the boxes move
    /// towards each other on every axis of contact: a pair that slides or parts does not close.
    /// A separation knows no motion; of it this is true, and means that the pair may close.
    /// Round shapes close when their distance shrinks; one that is said not to close sinks in by
    /// no more than rounding.
    #[must_use]
    pub const fn is_closing(self) -> bool {
        self.0 & Self::CLOSING != 0
    }
}
