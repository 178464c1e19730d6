//! What is a proxy, and with which may it pair?

use crate::geom::{COORD_MAX, Filter};

/// How a proxy takes part.
///
/// A pair needs one that is [`Dynamic`](Set::Dynamic), or one that is [`Kinematic`](Set::Kinematic)
/// and one that is [`Sleeping`](Set::Sleeping), so that what is driven wakes what it meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
#[non_exhaustive]
pub enum Set {
    /// Stays where it is: walls, ground. Costs hardly anything while unchanged.
    Fixed,
    /// Moves as it is told, whatever it meets: doors, platforms. Does not pair with its like, nor
    /// with what is fixed.
    Kinematic,
    /// Moves and is pushed. Pairs with all.
    #[default]
    Dynamic,
    /// Would be dynamic, but rests. Costs hardly anything while unchanged.
    Sleeping,
}

impl Set {
    /// Whether it stays where it is until it is changed.
    #[must_use]
    pub const fn is_at_rest(self) -> bool {
        matches!(self, Self::Fixed | Self::Sleeping)
    }

    /// Whether proxies of the two sets may make a new pair.
    #[must_use]
    pub const fn pairs_with(self, other: Self) -> bool {
        matches!((self, other), (Self::Dynamic, _) | (_, Self::Dynamic))
            || matches!((self, other), (Self::Kinematic, Self::Sleeping))
            || matches!((self, other), (Self::Sleeping, Self::Kinematic))
    }
}

/// What is said of a box when it is put in.
///
/// ```
/// use swath::{Filter, Proxy};
///
/// const SHOTS: u16 = 1 << 3;
/// let shot = Proxy::dynamic()
///     .filtered(Filter::new(SHOTS, !SHOTS)) // shots do not meet shots
///     .owned_by(17) // nor what belongs to the one who fired
///     .with_data(0xb0_11e7);
/// assert_eq!((shot.owner, shot.margin), (17, 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Proxy {
    /// How it takes part.
    pub set: Set,
    /// Its categories, and those with which it may pair.
    pub filter: Filter,
    /// To what it belongs: two of the same owner never pair, such as the limbs of one body. 0 is
    /// nobody.
    pub owner: u32,
    /// By how much the box that is held for it is larger than the box around its path, on each
    /// side; a length. 0 holds the moving box itself.
    ///
    /// It counts once for each proxy: two with margins `m` and `n` may pair when they are up to
    /// `m + n` apart.
    pub margin: f32,
    /// Whatever the caller likes.
    pub data: u64,
    /// Whether it makes pairs and is found at all.
    pub enabled: bool,
}

impl Proxy {
    const fn new(set: Set) -> Self {
        Self { set, filter: Filter::ALL, owner: 0, margin: 0.0, data: 0, enabled: true }
    }

    /// One that stays where it is.
    #[must_use]
    pub const fn fixed() -> Self {
        Self::new(Set::Fixed)
    }

    /// One that moves as it is told.
    #[must_use]
    pub const fn kinematic() -> Self {
        Self::new(Set::Kinematic)
    }

    /// One that moves and is pushed.
    #[must_use]
    pub const fn dynamic() -> Self {
        Self::new(Set::Dynamic)
    }

    /// The same as [`Proxy::dynamic`].
    #[must_use]
    pub const fn moving() -> Self {
        Self::dynamic()
    }

    /// One that rests and would be dynamic.
    #[must_use]
    pub const fn sleeping() -> Self {
        Self::new(Set::Sleeping)
    }

    /// With these categories and this mask.
    #[must_use]
    pub const fn filtered(self, filter: Filter) -> Self {
        Self { filter, ..self }
    }

    /// That belongs to `owner`; 0 is nobody.
    #[must_use]
    pub const fn owned_by(self, owner: u32) -> Self {
        Self { owner, ..self }
    }

    /// For which a box larger by `margin` on each side is held.
    #[must_use]
    pub const fn with_margin(self, margin: f32) -> Self {
        Self { margin, ..self }
    }

    /// With these data.
    #[must_use]
    pub const fn with_data(self, data: u64) -> Self {
        Self { data, ..self }
    }

    /// That makes no pairs until it is enabled.
    #[must_use]
    pub const fn disabled(self) -> Self {
        Self { enabled: false, ..self }
    }
}

/// Whether it is a length by which boxes may grow.
pub(super) fn is_margin(margin: f32) -> bool {
    (0.0..=COORD_MAX).contains(&margin)
}

/// What is said of many boxes: of each for itself, or of all the same.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Proxies<'a> {
    /// The same of all.
    All(Proxy),
    /// One for each box.
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
