//! Ids of proxies, and pairs of ids in canonical order.

#[cfg(feature = "serde")]
use crate::geom::deserialize;
use bytemuck::{Pod, Zeroable};

/// The id of a proxy: the index of a slot, which is reused after a removal, and a generation, which
/// distinguishes the proxies that used the slot.
///
/// Two proxies of a [`Broadphase`](super::Broadphase) have different ids, unless a snapshot was restored between their
/// insertions: a slot is retired when its generations are used up. Ids are ordered by index, then by generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct ProxyId {
    index: u32,
    generation: u32,
}

impl ProxyId {
    /// An id that no proxy ever has.
    pub const NONE: Self = Self { index: u32::MAX, generation: u32::MAX };

    pub(crate) const fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }

    /// The index of the slot, which may index the caller's own columns. It is less than the largest number of proxies that ever
    /// existed at once, plus the number of slots that were retired: one after each 2³² − 1 uses of a slot.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many proxies used the slot before this one.
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation
    }

    /// The id as one number with the same order: the index in the upper 32 bits, the generation in
    /// the lower.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.index as u64) << 32 | self.generation as u64
    }

    /// The inverse of [`ProxyId::to_bits`]. Every number is an id, usually a stale one.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self { index: (bits >> 32) as u32, generation: bits as u32 }
    }
}

impl Default for ProxyId {
    /// Returns [`ProxyId::NONE`].
    fn default() -> Self {
        Self::NONE
    }
}

/// Two proxies, the one with the lower index first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[repr(C)]
pub struct ProxyPair {
    /// The proxy with the lower index.
    pub a: ProxyId,
    /// The proxy with the higher index.
    pub b: ProxyId,
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for ProxyPair {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "ProxyPair")]
        struct UncheckedPair {
            a: ProxyId,
            b: ProxyId,
        }
        deserialize::checked(deserializer, "two ids in order", |UncheckedPair { a, b }| {
            (a <= b).then_some(Self { a, b })
        })
    }
}

impl ProxyPair {
    /// The pair of two proxies, given in any order.
    #[must_use]
    pub fn new(a: ProxyId, b: ProxyId) -> Self {
        if a < b { Self { a, b } } else { Self { a: b, b: a } }
    }
}

/// Two proxies that touch in the tick, and the first time at which they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[repr(C)]
pub struct SweptProxyPair {
    /// The proxy with the lower index.
    pub a: ProxyId,
    /// The proxy with the higher index.
    pub b: ProxyId,
    /// When the compared boxes of the two first touch, as a fraction of the tick in `[0, 1]`; never
    /// later than the proxies themselves do. A fat AABB stays still for the whole tick, so that two
    /// of them that overlap touch from time 0.
    pub first: f32,
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for SweptProxyPair {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(rename = "SweptProxyPair")]
        struct UncheckedSweptPair {
            a: ProxyId,
            b: ProxyId,
            first: f32,
        }
        let expected = "two ids in order and a time in [0, 1]";
        deserialize::checked(deserializer, expected, |UncheckedSweptPair { a, b, first }| {
            (a <= b && (0.0..=1.0).contains(&first)).then_some(Self { a, b, first })
        })
    }
}

impl SweptProxyPair {
    /// The sort key of a pair. No two pairs that are cached at the same time have the same key.
    pub(crate) fn key(&self) -> u64 {
        u64::from(self.a.index) << 32 | u64::from(self.b.index)
    }
}

impl From<SweptProxyPair> for ProxyPair {
    /// The pair without its time.
    fn from(pair: SweptProxyPair) -> Self {
        Self { a: pair.a, b: pair.b }
    }
}
