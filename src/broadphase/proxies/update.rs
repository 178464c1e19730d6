//! The result of an update, as the caller reads it.

use super::id::{ProxyId, ProxyPair, SweptProxyPair};
use super::pair_cache::events::Events;
use super::pair_cache::touching::{Touching, TouchingIter};
use super::slots::Slots;
use super::state::RemovedProxy;
use crate::geom::{FNV_START, fnv};
use core::iter::FusedIterator;

/// The result of an update; each list of pairs is ordered by index.
#[derive(Clone, Copy, Debug)]
pub struct Changes<'a> {
    pub(crate) events: &'a Events,
    pub(crate) touching: Touching<'a>,
    pub(crate) slots: &'a Slots,
    /// The proxies that were removed before the update, in order.
    pub(crate) removed: &'a [RemovedProxy],
}

impl<'a> Changes<'a> {
    /// The pairs that are new.
    #[must_use]
    pub fn begun(&self) -> &'a [SweptProxyPair] {
        self.events.begun.as_slice()
    }

    /// The pairs that were cached before and in which at least one proxy moves: those of
    /// [`Changes::touching`] that are not in [`Changes::begun`]. The list is computed while it is
    /// read.
    #[must_use]
    pub fn persisted(&self) -> Persisted<'a> {
        let begun = self.begun();
        let len = self.touching.len() - (begun.len() - self.events.begun_resting);
        Persisted { touching: self.touching.iter(), begun, len }
    }

    /// The pairs that have ended. Either proxy may have been removed since.
    #[must_use]
    pub fn ended(&self) -> &'a [ProxyPair] {
        self.events.ended.as_slice()
    }

    /// Returns the caller's data of a proxy. A pair that has ended may have a proxy that was removed before this update: its
    /// data are returned too. `None` for other ids.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let shot = world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::dynamic().with_data(7))?;
    /// world.insert(Aabb::cube([1.0; 3], 1.0)?, Proxy::fixed().with_data(8))?;
    /// world.update()?;
    /// world.remove(shot)?;
    /// let changes = world.update()?;
    /// let pair = changes.ended()[0];
    /// assert_eq!((changes.data(pair.a), changes.data(pair.b)), (Some(7), Some(8)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn data(&self, id: ProxyId) -> Option<u64> {
        if let Some(index) = self.slots.find(id) {
            return Some(self.slots.all[index].data);
        }
        let at = self.removed.binary_search_by_key(&id, |removed| removed.id).ok()?;
        Some(self.removed[at].data)
    }

    /// All pairs in which at least one proxy moves: those that begin and those that persist.
    #[must_use]
    pub fn touching(&self) -> Touching<'a> {
        self.touching
    }

    /// A hash that is the same for the same lists of pairs, on every platform: 64-bit FNV-1a over the ids and first times
    /// of [`Changes::begun`], then of [`Changes::touching`], and over the ids of [`Changes::ended`]. It does not include boxes
    /// or data. Two machines that compare it in each tick find the first tick in which their events differ.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let cube = Aabb::cube([0.0; 3], 1.0)?;
    /// let ball = world.insert(cube, Proxy::dynamic())?;
    /// world.insert(Aabb::cube([5.0, 0.0, 0.0], 1.0)?, Proxy::fixed())?;
    /// let start = world.snapshot();
    ///
    /// let mut tick = |dx| {
    ///     world.restore(&start);
    ///     world.set(ball, cube, [dx, 0.0, 0.0])?;
    ///     Ok::<_, Box<dyn std::error::Error>>(world.update()?.hash())
    /// };
    /// assert_eq!(tick(4.0)?, tick(4.0)?);
    /// assert_ne!(tick(4.0)?, tick(3.5)?); // the first time differs
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn hash(&self) -> u64 {
        let add_len = |sum, len: usize| fnv(sum, &(len as u64).to_le_bytes());
        let add_ids = |sum, ids: [ProxyId; 2]| {
            ids.iter().fold(sum, |sum, id| fnv(sum, &id.to_bits().to_le_bytes()))
        };
        let add_pair = |sum, SweptProxyPair { a, b, first }| {
            fnv(add_ids(sum, [a, b]), &first.to_bits().to_le_bytes())
        };
        let (begun, touching, ended) = (self.begun(), self.touching(), self.ended());
        let sum = begun.iter().copied().fold(add_len(FNV_START, begun.len()), add_pair);
        let sum = touching.iter().fold(add_len(sum, touching.len()), add_pair);
        ended.iter().fold(add_len(sum, ended.len()), |sum, pair| add_ids(sum, [pair.a, pair.b]))
    }
}

/// Iterator returned by [`Changes::persisted`].
#[derive(Clone, Debug)]
pub struct Persisted<'a> {
    touching: TouchingIter<'a>,
    /// The new pairs that `touching` has not passed yet.
    begun: &'a [SweptProxyPair],
    len: usize,
}

impl Iterator for Persisted<'_> {
    type Item = SweptProxyPair;

    fn next(&mut self) -> Option<SweptProxyPair> {
        loop {
            let pair = self.touching.next()?;
            // Pairs that begin and rest at once do not touch.
            let passed = self.begun.iter().take_while(|new| new.key() < pair.key()).count();
            self.begun = &self.begun[passed..];
            match self.begun.split_first() {
                Some((new, begun)) if new.key() == pair.key() => self.begun = begun,
                _ => {
                    self.len -= 1;
                    return Some(pair);
                }
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl ExactSizeIterator for Persisted<'_> {}
impl FusedIterator for Persisted<'_> {}
