//! By what name is a proxy called, and in which order are two of them?

use bytemuck::{Pod, Zeroable};

/// The name of a proxy: an index that is used again after a removal, and a generation that tells
/// whose it was.
///
/// No two proxies of a [`Broadphase`](super::Broadphase) ever have the same id, for a slot whose
/// generations are used up is not used again. The order is by index, then generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct ProxyId {
    index: u32,
    generation: u32,
}

impl ProxyId {
    /// The name of nothing, in any world.
    pub const NONE: Self = Self { index: u32::MAX, generation: u32::MAX };

    pub(super) const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }

    /// Which slot: below the greatest number of proxies there ever were at once. Columns of the
    /// caller's own may go by it.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many proxies the slot had before.
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// As one number, in the same order: the index above the generation.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.index as u64) << 32 | self.generation as u64
    }

    /// What [`ProxyId::to_bits`] made a number of. Any number is an id, as a rule a stale one.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { index: (bits >> 32) as u32, generation: bits as u32 }
    }
}

impl Default for ProxyId {
    /// [`ProxyId::NONE`].
    fn default() -> Self {
        Self::NONE
    }
}

/// Two proxies, that with the lower index first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct ProxyPair {
    /// The one with the lower index.
    pub a: ProxyId,
    /// The other.
    pub b: ProxyId,
}

impl ProxyPair {
    /// The pair of two proxies, whichever is named first.
    #[must_use]
    pub fn new(a: ProxyId, b: ProxyId) -> Self {
        if a < b { Self { a, b } } else { Self { a: b, b: a } }
    }
}

/// Two proxies that touch in the tick, and when they first do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct SweptProxyPair {
    /// The one with the lower index.
    pub a: ProxyId,
    /// The other.
    pub b: ProxyId,
    /// When the boxes that are held for them first touch, as a fraction of the tick in `[0, 1]`;
    /// never later than the proxies do. A box with a margin is held still for the whole tick, so
    /// that two of them that overlap do from 0.
    pub first: f32,
}

impl SweptProxyPair {
    /// By what pairs are ordered: no two that are kept at a time have the same.
    pub(super) fn key(&self) -> u64 {
        u64::from(self.a.index) << 32 | u64::from(self.b.index)
    }
}

impl From<SweptProxyPair> for ProxyPair {
    /// The proxies alone.
    fn from(pair: SweptProxyPair) -> Self {
        Self { a: pair.a, b: pair.b }
    }
}
