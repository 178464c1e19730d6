//! The result of a sweep besides its times, and of a separation besides its depth: state, axes of
//! contact and normal of a pair, packed in one word.

use super::axes;
use bytemuck::{Pod, Zeroable};

/// How two moving boxes meet in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ContactState {
    /// They share no point at any time of the tick.
    Separated,
    /// They share no point at the start, and first share one later in the tick.
    Touching,
    /// They share a point at the start, possibly of their surfaces only.
    Overlapping,
}

/// State, axes of contact and normal of a pair, packed in one word.
///
/// The *axes of contact* are the axes whose intervals begin to overlap last:
///
/// * For [`ContactState::Touching`] they are the axes on which the boxes come into contact at the first
///   time. An edge or a corner contact has more than one. Axes whose times of entry differ by
///   rounding only count as simultaneous.
/// * For a pair whose surfaces touch at the start but whose interiors are disjoint, they are the
///   axes on which the surfaces touch.
/// * A pair whose interiors overlap at the start has none in a sweep. In a separation its axis is
///   that of the least push.
/// * A pair with a round shape never has any. Bit 10 marks such a pair whose surfaces touch at the
///   start.
///
/// Bits 0–2: axes of contact. Bits 3–5: axes of contact on which the normal is negative. Bits 6–7:
/// the state, in the order of [`ContactState`]. Bit 8: closing. Bit 9: the axis is that of a push that
/// separates overlapping interiors. Bit 10: of a pair with a round shape that overlaps at the
/// start, only the surfaces touch. All other bits are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[repr(transparent)]
pub struct Contact(u32);

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Contact {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::deserialize::checked(deserializer, "the bits of a contact", |bits: u32| {
            let axes = bits & 7;
            let negative = bits >> Self::NEGATIVE_SHIFT & 7;
            let is_decoded =
                bits < Self::SURFACE << 1 && bits >> 6 & 3 != 3 && negative & !axes == 0;
            let contact = Self(bits);
            (is_decoded && (contact.is_hit() || contact == Self::SEPARATED)).then_some(contact)
        })
    }
}

impl Contact {
    /// The pair does not meet in the tick.
    pub const SEPARATED: Self = Self(0);

    pub(crate) const NEGATIVE_SHIFT: u32 = axes::NEGATIVE_SHIFT;
    pub(crate) const TOUCHING: u32 = 1 << 6;
    pub(crate) const OVERLAPPING: u32 = 2 << 6;
    pub(crate) const CLOSING: u32 = 1 << 8;
    pub(crate) const INSIDE: u32 = 1 << 9;
    pub(crate) const SURFACE: u32 = 1 << 10;

    /// Creates a contact from the bits listed at [`Contact`].
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits listed at [`Contact`].
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns how the two meet.
    #[must_use]
    pub const fn state(self) -> ContactState {
        match self.0 >> 6 & 3 {
            0 => ContactState::Separated,
            1 => ContactState::Touching,
            _ => ContactState::Overlapping,
        }
    }

    /// Returns whether the two share a point at some time of the tick.
    #[must_use]
    pub const fn is_hit(self) -> bool {
        self.0 & (Self::TOUCHING | Self::OVERLAPPING) != 0
    }

    /// Returns the axes of contact: bit 0 is x, bit 1 is y, bit 2 is z.
    #[must_use]
    pub const fn axis_mask(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// Returns the lowest axis of contact: 0, 1 or 2.
    #[must_use]
    pub const fn axis(self) -> Option<usize> {
        axes::lowest(self.0)
    }

    /// Returns the unit normal of the lowest axis of contact, from the first box to the second, or
    /// zero when there is no axis of contact.
    ///
    /// For two flat boxes in the same plane neither direction is preferred; the normal is then
    /// positive.
    #[must_use]
    pub const fn normal(self) -> [f32; 3] {
        axes::normal(self.0)
    }

    /// Returns whether only the surfaces of the two overlap at the start.
    ///
    /// The result is exact for two boxes. For a round shape it is decided within rounding: it is
    /// `true` for every pair that only touches, and may be `true` for an overlap too shallow to
    /// tell apart.
    #[must_use]
    pub const fn is_surface(self) -> bool {
        let pushed = self.0 & Self::INSIDE != 0;
        let on_axis = self.axis_mask() != 0 && !pushed;
        self.0 & Self::OVERLAPPING != 0 && (on_axis || self.0 & Self::SURFACE != 0)
    }

    /// Returns whether the contact is closing just after the first time: the shapes move into each
    /// other.
    ///
    /// It is `true` for every pair that comes into contact during the tick and for every pair whose
    /// interiors overlap at the start. For a pair that starts with touching surfaces it is `true`
    /// when the boxes move towards each other on every axis of contact; a pair that slides or
    /// separates is not closing. A separation has no motion as input; its contacts return `true`,
    /// which means that the pair may be closing. Pairs with a round shape are closing when their
    /// distance shrinks; a pair that is reported as not closing penetrates by no more than
    /// rounding.
    #[must_use]
    pub const fn is_closing(self) -> bool {
        self.0 & Self::CLOSING != 0
    }
}
