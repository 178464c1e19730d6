//! The description of a proxy: its kind, and what restricts its pairs.

use crate::geom::Filter;

/// The kind of a proxy.
///
/// By default a pair needs one proxy that is [`Dynamic`](ProxyKind::Dynamic), or one that is
/// [`Kinematic`](ProxyKind::Kinematic) and one that is [`Sleeping`](ProxyKind::Sleeping), so that a kinematic
/// body can wake the bodies it meets. [`Broadphase::set_kind_table`](crate::Broadphase::set_kind_table) changes that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
#[non_exhaustive]
pub enum ProxyKind {
    /// Does not move, for example walls and ground. Costs almost nothing while unchanged.
    Fixed,
    /// Moves on a path that the caller prescribes, for example doors and platforms. By default it
    /// does not pair with kinematic or fixed proxies.
    Kinematic,
    /// Moves and reacts to contacts. By default it pairs with every kind.
    #[default]
    Dynamic,
    /// A dynamic body at rest. Costs almost nothing while unchanged.
    Sleeping,
}

impl ProxyKind {
    /// Whether proxies of this kind stay where they are until they are changed.
    #[must_use]
    pub const fn is_resting(self) -> bool {
        matches!(self, Self::Fixed | Self::Sleeping)
    }

    /// Whether proxies of the two kinds may begin a pair by the default [`KindTable`](crate::broadphase::KindTable).
    #[must_use]
    pub const fn pairs_with(self, other: Self) -> bool {
        matches!((self, other), (Self::Dynamic, _) | (_, Self::Dynamic))
            || matches!((self, other), (Self::Kinematic, Self::Sleeping))
            || matches!((self, other), (Self::Sleeping, Self::Kinematic))
    }
}

/// The description of a proxy that is inserted, without its box.
///
/// ```
/// use swath::{Filter, Proxy};
///
/// const SHOTS: u32 = 1 << 3;
/// let shot = Proxy::dynamic()
///     .filtered(Filter::new(SHOTS, !SHOTS)) // shots do not pair with shots
///     .owned_by(17) // nor with proxies of their owner
///     .with_data(0xb0_11e7);
/// assert_eq!((shot.owner, shot.margin), (17, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Proxy {
    /// Its kind.
    pub kind: ProxyKind,
    /// Its categories, and those with which it may pair.
    pub filter: Filter,
    /// Its owner. Two proxies of the same owner never pair, for example the limbs of one body. 0
    /// means no owner.
    pub owner: u32,
    /// By how much the fat AABB is larger than the bounds of the path, on each side: a length in `[0, COORD_MAX]`. Any other value, also NaN, is an
    /// error of the insertion. With 0 the moving box itself is compared.
    ///
    /// The margin counts once for each proxy: two proxies with margins `m` and `n` may pair when
    /// they are up to `m + n` apart.
    pub margin: f32,
    /// Data of the caller. The broadphase does not use it.
    pub data: u64,
    /// Whether it takes part in pairs and queries.
    pub enabled: bool,
}

impl Proxy {
    /// A proxy of a kind, with all categories, and without owner, margin and data.
    #[must_use]
    pub const fn new(kind: ProxyKind) -> Self {
        Self { kind, filter: Filter::ALL, owner: 0, margin: 0.0, data: 0, enabled: true }
    }

    /// A fixed proxy: it does not move.
    #[must_use]
    pub const fn fixed() -> Self {
        Self::new(ProxyKind::Fixed)
    }

    /// A kinematic proxy: it moves on a path that the caller prescribes.
    #[must_use]
    pub const fn kinematic() -> Self {
        Self::new(ProxyKind::Kinematic)
    }

    /// A dynamic proxy: it moves and reacts to contacts.
    #[must_use]
    pub const fn dynamic() -> Self {
        Self::new(ProxyKind::Dynamic)
    }

    /// A sleeping proxy: a dynamic body at rest.
    #[must_use]
    pub const fn sleeping() -> Self {
        Self::new(ProxyKind::Sleeping)
    }

    /// Sets the categories and the mask.
    #[must_use]
    pub const fn filtered(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// Sets the owner; 0 means no owner.
    #[must_use]
    pub const fn owned_by(self, owner: u32) -> Self {
        Self { owner, ..self }
    }

    /// Sets the margin of the fat AABB.
    #[must_use]
    pub const fn with_margin(self, margin: f32) -> Self {
        Self { margin, ..self }
    }

    /// Sets the caller's data.
    #[must_use]
    pub const fn with_data(self, data: u64) -> Self {
        Self { data, ..self }
    }

    /// Disables the proxy: until it is enabled, it has no pairs and no query finds it.
    #[must_use]
    pub const fn disabled(self) -> Self {
        Self { enabled: false, ..self }
    }
}

/// The descriptions of many boxes: one for each, or the same for all.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Proxies<'a> {
    /// The same description for all boxes.
    All(Proxy),
    /// One description for each box.
    Each(&'a [Proxy]),
}

impl From<Proxy> for Proxies<'_> {
    fn from(proxy: Proxy) -> Self {
        Self::All(proxy)
    }
}

impl<'a> From<&'a [Proxy]> for Proxies<'a> {
    fn from(proxies: &'a [Proxy]) -> Self {
        Self::Each(proxies)
    }
}

impl<'a> From<&'a alloc::vec::Vec<Proxy>> for Proxies<'a> {
    fn from(proxies: &'a alloc::vec::Vec<Proxy>) -> Self {
        Self::Each(proxies)
    }
}

impl<'a, const N: usize> From<&'a [Proxy; N]> for Proxies<'a> {
    fn from(proxies: &'a [Proxy; N]) -> Self {
        Self::Each(proxies)
    }
}
