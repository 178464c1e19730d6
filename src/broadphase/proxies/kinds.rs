//! Which kinds of proxies pair: a table that the caller may change.

use super::proxy::ProxyKind;
#[cfg(feature = "serde")]
use crate::geom::deserialize;

/// A symmetric table of the kinds of proxies that pair.
///
/// The default is that a pair needs a dynamic proxy, or a kinematic and a sleeping one. Two kinds of which neither moves
/// (fixed and sleeping) may be set too: such a pair begins in the update after one of the two proxies was inserted or has
/// changed, and rests at once, so it is in [`Changes::begun`](super::Changes::begun) but not in
/// [`Changes::touching`](super::Changes::touching).
///
/// ```
/// use swath::broadphase::KindTable;
/// use swath::{Aabb, Broadphase, Proxy, ProxyKind::{Fixed, Kinematic}};
///
/// let mut world = Broadphase::new();
/// world.set_kind_table(KindTable::default().with(Kinematic, Fixed));
/// world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::kinematic())?;
/// world.insert(Aabb::cube([1.0; 3], 1.0)?, Proxy::fixed())?;
/// assert_eq!(world.update()?.begun().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct KindTable {
    /// Bit `b` of element `a` is set if kinds `a` and `b` pair.
    masks: [u8; 4],
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for KindTable {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "KindTable")]
        struct UncheckedKindTable {
            masks: [u8; 4],
        }
        deserialize::checked(deserializer, "a symmetric table", |UncheckedKindTable { masks }| {
            let mirrors = |a: usize, b: usize| masks[a] >> b & 1 == masks[b] >> a & 1;
            let symmetric = (0..4).all(|a| masks[a] < 16 && (0..a).all(|b| mirrors(a, b)));
            symmetric.then_some(Self { masks })
        })
    }
}

impl Default for KindTable {
    /// Returns the table of [`ProxyKind::pairs_with`].
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl KindTable {
    /// The table of [`ProxyKind::pairs_with`].
    pub const DEFAULT: Self = {
        use ProxyKind::{Dynamic, Fixed, Kinematic, Sleeping};
        let none = Self { masks: [0; 4] };
        let dynamic = none.with(Dynamic, Fixed).with(Dynamic, Kinematic).with(Dynamic, Sleeping);
        dynamic.with(Dynamic, Dynamic).with(Kinematic, Sleeping)
    };

    /// The same table, except that these two kinds pair.
    #[must_use]
    pub const fn with(mut self, a: ProxyKind, b: ProxyKind) -> Self {
        self.masks[a as usize] |= 1 << b as u8;
        self.masks[b as usize] |= 1 << a as u8;
        self
    }

    /// The same table, except that these two kinds do not pair.
    #[must_use]
    pub const fn without(mut self, a: ProxyKind, b: ProxyKind) -> Self {
        self.masks[a as usize] &= !(1 << b as u8);
        self.masks[b as usize] &= !(1 << a as u8);
        self
    }

    /// Whether proxies of the two kinds may begin a pair.
    #[must_use]
    pub const fn pairs(self, a: ProxyKind, b: ProxyKind) -> bool {
        self.masks[a as usize] >> b as u8 & 1 == 1
    }

    /// Whether two proxies that rest may begin a pair.
    pub(crate) const fn has_resting_pairs(self) -> bool {
        use ProxyKind::{Fixed, Sleeping};
        self.pairs(Fixed, Fixed) || self.pairs(Fixed, Sleeping) || self.pairs(Sleeping, Sleeping)
    }

    /// Whether a kind pairs with kinematic proxies and not with dynamic ones.
    pub(crate) fn has_pairs_of_kinematic_alone(self) -> bool {
        self.masks[ProxyKind::Kinematic as usize] & !self.masks[ProxyKind::Dynamic as usize] != 0
    }

    /// How to search for the pairs of movers, of which some are dynamic, and some kinematic.
    pub(crate) fn mover_searches(self, [dynamic, kinematic]: [bool; 2]) -> MoverSearches {
        use ProxyKind::{Dynamic, Kinematic};
        let exist = [dynamic, dynamic && kinematic, kinematic];
        let pairs = [(Dynamic, Dynamic), (Dynamic, Kinematic), (Kinematic, Kinematic)];
        let pairs = pairs.map(|(a, b)| self.pairs(a, b));
        let searched = [0, 1, 2].map(|k| exist[k] && pairs[k]);
        let excluded = [0, 1, 2].map(|k| exist[k] && !pairs[k]);
        match excluded {
            _ if searched == [false; 3] => MoverSearches::ByKind(searched),
            [false, false, false] => MoverSearches::Once(None),
            [false, false, true] => MoverSearches::Once(Some(Dynamic)),
            [true, false, false] => MoverSearches::Once(Some(Kinematic)),
            _ => MoverSearches::ByKind(searched),
        }
    }
}

/// How to find the pairs of movers that a table has, and no others: those would take memory, and count for the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MoverSearches {
    /// One search of all movers. If there is a kind, each pair has a mover of this kind.
    Once(Option<ProxyKind>),
    /// Whether to search for pairs of two dynamic movers, for those of a dynamic and a kinematic one, and for those of two
    /// kinematic ones.
    ByKind([bool; 3]),
}
