//! Collision filters: which boxes may form a pair.

use bytemuck::{Pod, Zeroable};

/// A collision filter: the categories of a box, and a mask of those with which it may form pairs.
///
/// There are 16 categories. Two boxes may form a pair when each has a category that is in the mask
/// of the other. This is the collision filter of `Box2D` and Bullet without their group numbers. A
/// matrix of up to 16 layers is the special case in which each box has one category.
///
/// ```
/// use swath::Filter;
///
/// const PLAYER: u16 = 1 << 0;
/// const SHOT: u16 = 1 << 1;
/// let player = Filter::new(PLAYER, PLAYER | SHOT);
/// let shot = Filter::new(SHOT, PLAYER);
/// assert!(player.allows(shot) && shot.allows(player));
/// assert!(!shot.allows(shot));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Filter {
    /// The categories of the box, one bit each.
    pub category: u16,
    /// The categories with which the box may form pairs, one bit each.
    pub mask: u16,
}

impl Default for Filter {
    /// Returns [`Filter::ALL`].
    fn default() -> Self {
        Self::ALL
    }
}

impl Filter {
    /// Allows pairs with everything except [`Filter::NONE`].
    pub const ALL: Self = Self::new(u16::MAX, u16::MAX);
    /// Allows no pair.
    pub const NONE: Self = Self::new(0, 0);

    /// Creates the filter of a box of these categories that may form pairs with those in `mask`.
    #[must_use]
    pub const fn new(category: u16, mask: u16) -> Self {
        Self { category, mask }
    }

    /// Packs the filter into one word. Rotating the word by 16 bits exchanges category and mask.
    pub(crate) const fn word(self) -> u32 {
        self.category as u32 | (self.mask as u32) << 16
    }

    /// Unpacks a word made by [`Filter::word`].
    pub(crate) const fn of_word(word: u32) -> Self {
        Self::new(word as u16, (word >> 16) as u16)
    }

    /// Returns whether the two may form a pair. The order of the two does not matter.
    #[must_use]
    pub const fn allows(self, other: Self) -> bool {
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}
