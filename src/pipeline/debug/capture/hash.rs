//! Hashes of the impacts of a tick.

use crate::broadphase::ProxyPair;
use crate::geom::{FNV_START, Pair, fnv};
use crate::pipeline::impact::{Impact, ImpactKind};
use crate::pipeline::proxies::ProxyTickOutput;
use crate::pipeline::tick::TickOutput;

impl TickOutput<'_> {
    /// A hash that is the same for the same impacts in the same order, on every platform: 64-bit
    /// FNV-1a over the impacts, then over those with sensors.
    #[must_use]
    pub fn hash(&self) -> u64 {
        hash_of([self.impacts(), self.sensed()], |Pair { a, b }| [a, b])
    }
}

impl ProxyTickOutput<'_> {
    /// A hash that is the same for the same impacts in the same order, on every platform: 64-bit
    /// FNV-1a over the impacts, then over those with sensors. It includes the ids of the proxies, so it differs from
    /// [`TickOutput::hash`] of the same bodies. [`Changes::hash`](crate::broadphase::Changes::hash) is a hash of the
    /// events of the same tick.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Pipeline, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let ball = world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::dynamic())?;
    /// world.insert(Aabb::cube([5.0, 0.0, 0.0], 1.0)?, Proxy::fixed())?;
    /// world.set(ball, Aabb::cube([0.0; 3], 1.0)?, [4.0, 0.0, 0.0])?;
    ///
    /// let mut pipeline = Pipeline::default();
    /// let none = |_| swath::pipeline::BodyInfo::default(); // all bodies are their boxes
    /// let start = world.snapshot();
    /// let hash = pipeline.tick_proxies(&mut world, none)?.hash();
    /// world.restore(&start);
    /// assert_eq!(pipeline.tick_proxies(&mut world, none)?.hash(), hash);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hash(&self) -> u64 {
        let words = |ProxyPair { a, b }| [a.index(), a.generation(), b.index(), b.generation()];
        hash_of([self.impacts(), self.sensed()], words)
    }
}

/// Returns the hash of two lists of impacts; `words` are the numbers that identify a pair.
fn hash_of<P: Copy, const N: usize>(
    lists: [&[Impact<P>]; 2],
    words: impl Fn(P) -> [u32; N],
) -> u64 {
    lists.into_iter().fold(FNV_START, |sum, list| add(sum, list, &words))
}

/// Adds a list of impacts to a hash.
fn add<P: Copy, const N: usize>(
    mut sum: u64,
    list: &[Impact<P>],
    words: &impl Fn(P) -> [u32; N],
) -> u64 {
    sum = fnv(sum, &(list.len() as u32).to_le_bytes());
    for impact in list {
        let Impact { toi, pair, last, kind, normal, on_a, on_b, closing, depth, parts } = *impact;
        let kind = match kind {
            ImpactKind::Touching => 0_u32,
            ImpactKind::Overlapping => 1,
            ImpactKind::Unresolved => 2,
        };
        for word in words(pair).into_iter().chain([kind]) {
            sum = fnv(sum, &word.to_le_bytes());
        }
        let (numbers, vectors) = ([toi, last, closing, depth], [normal, on_a, on_b]);
        for number in numbers.iter().chain(vectors.as_flattened()) {
            sum = fnv(sum, &number.to_le_bytes());
        }
        // Parts that are both 0 are left out, so that recorded hashes of convex shapes stay valid.
        if parts != [0; 2] {
            parts.iter().for_each(|part| sum = fnv(sum, &part.to_le_bytes()));
        }
    }
    sum
}
