//! Collision filters: which boxes may form a pair.
//!
//! The kernels compare filters as words of 16 and 16 bits. Categories 0 to 14 have a bit of their own in the word, and the
//! categories from 15 on share the last one. So a word never excludes a pair that the filters allow. It may allow a pair that
//! they exclude, but only if the categories or the mask of a filter contain one above 15 and not 15 ([`Filter::is_exact`]). Where there is
//! such a filter, the pairs found are tested again with the filters themselves, unless the search uses words that decide exactly
//! (`broadphase/pairs/filter_words.rs`).

use bytemuck::{Pod, Zeroable};

/// A collision filter: the categories of a box, and a mask of those with which it may form pairs.
///
/// There are 32 categories. Two boxes may form a pair when each has a category that is in the mask
/// of the other. This is the collision filter of `Box2D` and Bullet without their group numbers. A
/// matrix of up to 32 layers is the special case in which each box has one category:
/// [`Layers`](crate::broadphase::Layers).
///
/// ```
/// use swath::Filter;
///
/// const PLAYER: u32 = 1 << 0;
/// const SHOT: u32 = 1 << 20;
/// let player = Filter::new(PLAYER, PLAYER | SHOT);
/// let shot = Filter::new(SHOT, !SHOT);
/// assert!(player.allows(shot) && shot.allows(player));
/// assert!(!shot.allows(shot));
/// ```
///
/// Filters of other engines have the same meaning: `memberships` and `filters` of the `InteractionGroups` of rapier (with
/// the default test mode) and of the `CollisionLayers` of avian are `category` and `mask`.
///
/// Use the categories from 0 up. Up to category 15 a filter costs a single instruction for each group of boxes. If a box has a category
/// above 15, or a mask with such categories but without category 15, each pair of a box and one in a tree is tested once more, which
/// takes a few nanoseconds; each pair of two moving boxes only if the masks tell more than 16 groups of categories apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Filter {
    /// The categories of the box, one bit each.
    pub category: u32,
    /// The categories with which the box may form pairs, one bit each.
    pub mask: u32,
}

impl Default for Filter {
    /// Returns [`Filter::ALL`].
    fn default() -> Self {
        Self::ALL
    }
}

/// The bit of a word that the categories from 15 on share.
const SHARED: u32 = 1 << 15;

impl Filter {
    /// Allows pairs with every filter that has a category and a mask.
    pub const ALL: Self = Self::new(u32::MAX, u32::MAX);
    /// Allows no pair.
    pub const NONE: Self = Self::new(0, 0);

    /// Creates the filter of a box of these categories that may form pairs with those in `mask`.
    #[must_use]
    pub const fn new(category: u32, mask: u32) -> Self {
        Self { category, mask }
    }

    /// The lower halves of category and mask in one word, and the upper halves in another.
    pub(crate) const fn halves(self) -> [u32; 2] {
        let Self { category, mask } = self;
        [category & 0xffff | mask << 16, category >> 16 | mask & 0xffff_0000]
    }

    /// The inverse of [`Filter::halves`].
    pub(crate) const fn of_halves([lower, upper]: [u32; 2]) -> Self {
        Self::new(lower & 0xffff | upper << 16, lower >> 16 | upper & 0xffff_0000)
    }

    /// Packs the filter into one word. Rotating the word by 16 bits exchanges category and mask.
    #[inline(always)]
    pub(crate) const fn word(self) -> u32 {
        fold(self.category) | fold(self.mask) << 16
    }

    /// Whether words decide exactly about the pairs of this filter with others of which this function returns true.
    #[inline(always)]
    pub(crate) const fn is_exact(self) -> bool {
        has_shared(self.category) & has_shared(self.mask)
    }

    /// Returns whether two filters may allow a pair, from their words.
    #[inline(always)]
    pub(crate) const fn words_allow(a: u32, b: u32) -> bool {
        let common = a.rotate_left(16) & b;
        (common & 0xffff != 0) & (common >> 16 != 0)
    }

    /// Returns whether the two may form a pair. The order of the two does not matter.
    #[must_use]
    pub const fn allows(self, other: Self) -> bool {
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

/// Folds 32 categories to 16. Two sets with a common category also have one when they are folded.
#[inline(always)]
const fn fold(categories: u32) -> u32 {
    categories & (SHARED - 1) | ((categories >= SHARED) as u32) << 15
}

/// Whether a set with a category above 15 also has category 15. Two such sets have a common category if they have one when they
/// are folded.
#[inline(always)]
const fn has_shared(categories: u32) -> bool {
    (categories >> 16 == 0) | (categories & SHARED != 0)
}

#[cfg(test)]
mod tests {
    use super::Filter;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: words never exclude an allowed pair, and decide exactly about filters that are exact. Method: random sets of few
    /// and of many categories, among them all of 16 bits.
    #[test]
    fn words_allow_what_filters_allow() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let mut categories = || match random.random_range(0..8) {
            0 => u32::MAX,
            1 => 1 << random.random_range(0..32),
            2 => !(1 << random.random_range(0..32)),
            3 => 0,
            4 => 0xffff << random.random_range(0..17),
            5 => 1 << random.random_range(14..18) | 1 << random.random_range(0..32),
            _ => u32::from(random.random::<u16>()),
        };
        let (mut exact, mut loose) = (0, 0);
        let cases = if cfg!(miri) { 1 << 10 } else { 1 << 18 };
        for _ in 0..cases {
            let [a, b] = [(); 2].map(|()| Filter::new(categories(), categories()));
            let by_words = Filter::words_allow(a.word(), b.word());
            assert_eq!(by_words, Filter::words_allow(b.word(), a.word()));
            assert!(by_words || !a.allows(b), "{a:?} {b:?}");
            if a.is_exact() && b.is_exact() {
                assert_eq!(by_words, a.allows(b), "{a:?} {b:?}");
                exact += 1;
            }
            loose += usize::from(by_words != a.allows(b));
        }
        assert!(exact > cases >> 3 && loose > cases >> 8, "{exact} {loose}");
        for filter in [Filter::ALL, Filter::NONE, Filter::new(0xffff, 0x1234), Filter::new(8, !8)] {
            assert!(filter.is_exact(), "{filter:?}");
        }
    }

    /// Goal: the halves of a filter are those of its bits, and give the filter back. Method: a filter in which each half is another.
    #[test]
    fn halves_are_those_of_the_bits() {
        let filter = Filter::new(0x1234_5678, 0x9abc_def0);
        assert_eq!(filter.halves(), [0xdef0_5678, 0x9abc_1234]);
        for filter in [filter, Filter::ALL, Filter::NONE, Filter::new(1 << 31, 1)] {
            assert_eq!(Filter::of_halves(filter.halves()), filter);
        }
    }
}
