//! Which boxes may pair at all?

use bytemuck::{Pod, Zeroable};

/// What a box is, and with what it may pair: 16 categories.
///
/// Two boxes may pair when each has a category that the other's mask names. As the collision
/// filters of `Box2D` and Bullet, without their group numbers. A matrix of up to 16 layers is the
/// special case in which a box has one category.
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
    /// What the box is, a bit for each category.
    pub category: u16,
    /// The categories with which it may pair.
    pub mask: u16,
}

impl Default for Filter {
    /// [`Filter::ALL`].
    fn default() -> Self {
        Self::ALL
    }
}

impl Filter {
    /// Pairs with all but [`Filter::NONE`].
    pub const ALL: Self = Self::new(u16::MAX, u16::MAX);
    /// Pairs with nothing.
    pub const NONE: Self = Self::new(0, 0);

    /// A box of these categories that may pair with those of `mask`.
    #[must_use]
    pub const fn new(category: u16, mask: u16) -> Self {
        Self { category, mask }
    }

    /// As one word, which turned by 16 bits has the mask where the category was.
    pub(crate) const fn word(self) -> u32 {
        self.category as u32 | (self.mask as u32) << 16
    }

    /// What [`Filter::word`] made a word of.
    pub(crate) const fn of_word(word: u32) -> Self {
        Self::new(word as u16, (word >> 16) as u16)
    }

    /// Whether the two may pair. The same for both orders.
    #[must_use]
    pub const fn allows(self, other: Self) -> bool {
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}
