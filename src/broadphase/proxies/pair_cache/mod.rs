//! The cached pairs: those that touch and in which at least one proxy moves.
//!
//! Three columns, ordered by the lower slot, then by the other: 12 bytes for a pair. A slot stands
//! for the proxy that was in it when the pair was found ([`Slots::cached_generations`]), so the columns need no
//! change when proxies are inserted or removed.

pub(crate) mod events;
pub(crate) mod index;
pub(crate) mod lookup;
pub(crate) mod partition;
pub(crate) mod sleeping;
pub(crate) mod sort;

use super::id::{ProxyId, SweptProxyPair};
use super::slots::Slots;
use crate::broadphase::pairs::buffer::{reserve_for, reserve_total};
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::ops::Range;

/// The columns of the cached pairs.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairTable {
    /// Lower slot of each pair.
    pub(crate) a: Vec<u32>,
    /// Other slot of each pair.
    pub(crate) b: Vec<u32>,
    /// First time of contact of each pair, as a fraction of the tick.
    pub(crate) first: Vec<f32>,
}

impl_memory!(PairTable { a, b, first });

/// Cached pairs as columns, ordered by `a`, then `b`. All columns have the same length.
///
/// A proxy is given by its index ([`ProxyId::index`]), as it was when the pairs were found. An id that was removed since
/// then may have left its index to another proxy; [`Touching::get`] returns the ids.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PairColumns<'a> {
    /// The lower index of each pair.
    pub a: &'a [u32],
    /// The higher index of each pair.
    pub b: &'a [u32],
    /// The first time of contact of each pair, a fraction of the tick.
    pub first: &'a [f32],
}

/// A mutable range of pair columns.
#[derive(Debug, Default)]
pub(crate) struct ColumnsMut<'a> {
    pub(crate) a: &'a mut [u32],
    pub(crate) b: &'a mut [u32],
    pub(crate) first: &'a mut [f32],
}

impl PairTable {
    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    pub(crate) fn columns(&self) -> PairColumns<'_> {
        PairColumns { a: &self.a, b: &self.b, first: &self.first }
    }

    pub(crate) fn columns_mut(&mut self) -> ColumnsMut<'_> {
        ColumnsMut { a: &mut self.a, b: &mut self.b, first: &mut self.first }
    }

    pub(crate) fn reserve_for(&mut self, pairs: usize) {
        reserve_for(&mut self.a, pairs);
        reserve_for(&mut self.b, pairs);
        reserve_for(&mut self.first, pairs);
    }

    /// Sets the length; the caller then writes all pairs.
    pub(crate) fn resize(&mut self, pairs: usize) {
        self.a.resize(pairs, 0);
        self.b.resize(pairs, 0);
        self.first.resize(pairs, 0.0);
    }

    pub(crate) fn reserve(&mut self, pairs: usize) {
        reserve_total(&mut self.a, pairs);
        reserve_total(&mut self.b, pairs);
        reserve_total(&mut self.first, pairs);
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.a.clone_from(&other.a);
        self.b.clone_from(&other.b);
        self.first.clone_from(&other.first);
    }
}

impl<'a> PairColumns<'a> {
    pub(crate) fn len(self) -> usize {
        self.first.len()
    }

    pub(crate) fn get(self, k: usize) -> SweptPair {
        SweptPair { a: self.a[k], b: self.b[k], first: self.first[k] }
    }

    pub(crate) fn slice(self, range: Range<usize>) -> Self {
        let Self { a, b, first } = self;
        Self { a: &a[range.clone()], b: &b[range.clone()], first: &first[range] }
    }

    /// Whether the pairs of neither slot of pair `k` were searched for, so that it is kept as it is.
    pub(crate) fn is_kept(self, k: usize, searched: &[u8]) -> bool {
        searched[self.a[k] as usize] | searched[self.b[k] as usize] == 0
    }

    /// How many pairs are kept.
    pub(crate) fn count_kept(self, searched: &[u8]) -> usize {
        (0..self.len()).filter(|&k| self.is_kept(k, searched)).count()
    }

    /// How many pairs have a lower slot less than `slot`. Exponential search: the time is
    /// logarithmic in the result.
    pub(crate) fn below(self, slot: u64) -> usize {
        let is_below = |&a: &u32| u64::from(a) < slot;
        let mut end = 1;
        while self.a.get(end).is_some_and(is_below) {
            end *= 2;
        }
        self.a[..self.len().min(end)].partition_point(is_below)
    }

    /// How many pairs are ordered before the pair of these slots.
    pub(crate) fn before(self, [a, b]: [u32; 2]) -> usize {
        let start = self.a.partition_point(|&lower| lower < a);
        let row = self.a[start..].partition_point(|&lower| lower == a);
        start + self.b[start..start + row].partition_point(|&upper| upper < b)
    }
}

impl ColumnsMut<'_> {
    /// Writes the next pairs, and shortens `self` by them.
    pub(crate) fn append(&mut self, pairs: PairColumns<'_>) {
        let to = self.split_off(pairs.len());
        to.a.copy_from_slice(pairs.a);
        to.b.copy_from_slice(pairs.b);
        to.first.copy_from_slice(pairs.first);
    }
}

impl<'a> ColumnsMut<'a> {
    /// Removes the first `pairs` pairs and returns them.
    pub(crate) fn split_off(&mut self, pairs: usize) -> Self {
        fn take<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
            rest.split_off_mut(..count).unwrap_or_default()
        }
        Self {
            a: take(&mut self.a, pairs),
            b: take(&mut self.b, pairs),
            first: take(&mut self.first, pairs),
        }
    }
}

/// The pairs that touch in a tick and in which at least one proxy moves, ordered by index.
///
/// The pairs are stored as columns of slots, and ids are looked up on reading. [`Touching::get`]
/// takes constant time, so threads can divide the pairs by position.
///
/// ```
/// use swath::{Aabb, Broadphase, Proxy};
///
/// let mut world = Broadphase::new();
/// for x in [0.0, 0.5, 1.0] {
///     world.insert(Aabb::cube([x, 0.0, 0.0], 0.3)?, Proxy::dynamic())?;
/// }
/// let touching = world.update()?.touching();
/// assert_eq!(touching.len(), 2);
/// assert_eq!(touching.get(1), touching.iter().last());
/// for pair in touching {
///     assert_eq!(pair.b.index(), pair.a.index() + 1);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Touching<'a> {
    pairs: PairColumns<'a>,
    /// The generation of each slot when the pairs were found.
    cached_generations: &'a [u32],
}

impl<'a> Touching<'a> {
    pub(crate) fn new(pairs: &'a PairTable, slots: &'a Slots) -> Self {
        Self { pairs: pairs.columns(), cached_generations: slots.generations_of_cached() }
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The pair at position `k`, or `None` if `k` is out of range.
    #[must_use]
    pub fn get(self, k: usize) -> Option<SweptProxyPair> {
        (k < self.len()).then(|| {
            let SweptPair { a, b, first } = self.pairs.get(k);
            let id = |slot: u32| ProxyId::new(slot, self.cached_generations[slot as usize]);
            SweptProxyPair { a: id(a), b: id(b), first }
        })
    }

    /// The pairs at these positions; positions out of range are ignored.
    #[must_use]
    pub fn range(self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        Self { pairs: self.pairs.slice(start..end), cached_generations: self.cached_generations }
    }

    /// Returns the pairs as columns, as they are stored. This copies nothing.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// for x in [0.0, 0.5, 1.0] {
    ///     world.insert(Aabb::cube([x, 0.0, 0.0], 0.3)?, Proxy::dynamic())?;
    /// }
    /// let columns = world.update()?.touching().columns();
    /// assert_eq!((columns.a, columns.b, columns.first), (&[0, 1][..], &[1, 2][..], &[0.0; 2][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn columns(self) -> PairColumns<'a> {
        self.pairs
    }

    /// Iterates over the pairs.
    #[must_use]
    pub fn iter(self) -> TouchingIter<'a> {
        TouchingIter { touching: self, next: 0 }
    }
}

impl<'a> IntoIterator for Touching<'a> {
    type Item = SweptProxyPair;
    type IntoIter = TouchingIter<'a>;

    fn into_iter(self) -> TouchingIter<'a> {
        self.iter()
    }
}

/// Iterator returned by [`Touching::iter`].
#[derive(Clone, Debug)]
pub struct TouchingIter<'a> {
    touching: Touching<'a>,
    next: usize,
}

impl Iterator for TouchingIter<'_> {
    type Item = SweptProxyPair;

    #[inline]
    fn next(&mut self) -> Option<SweptProxyPair> {
        let pair = self.touching.get(self.next)?;
        self.next += 1;
        Some(pair)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.touching.len() - self.next;
        (len, Some(len))
    }
}

impl ExactSizeIterator for TouchingIter<'_> {}
impl FusedIterator for TouchingIter<'_> {}
