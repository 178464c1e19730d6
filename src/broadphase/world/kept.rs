//! Which pairs touch, of which one moves, and when first?
//!
//! Three columns, by the lower slot, then by the other: 12 bytes a pair. Slots stand for the proxies
//! that were in them when the pairs were found ([`Slots::said`]), so that columns stay as they are
//! when proxies come and go.

use super::id::{ProxyId, SweptProxyPair};
use super::slots::Slots;
use crate::broadphase::buffer::make_room;
use crate::geom::SweptPair;
use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::ops::Range;

#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Kept {
    /// The lower slots,
    pub(super) a: Vec<u32>,
    /// the others,
    pub(super) b: Vec<u32>,
    /// and when they first touch.
    pub(super) first: Vec<f32>,
}

/// Some of the pairs that are kept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Columns<'a> {
    pub(super) a: &'a [u32],
    pub(super) b: &'a [u32],
    pub(super) first: &'a [f32],
}

/// As [`Columns`], to be written.
#[derive(Debug, Default)]
pub(super) struct ColumnsMut<'a> {
    pub(super) a: &'a mut [u32],
    pub(super) b: &'a mut [u32],
    pub(super) first: &'a mut [f32],
}

impl Kept {
    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn columns(&self) -> Columns<'_> {
        Columns { a: &self.a, b: &self.b, first: &self.first }
    }

    pub(super) fn columns_mut(&mut self) -> ColumnsMut<'_> {
        ColumnsMut { a: &mut self.a, b: &mut self.b, first: &mut self.first }
    }

    pub(super) fn make_room(&mut self, pairs: usize) {
        make_room(&mut self.a, pairs);
        make_room(&mut self.b, pairs);
        make_room(&mut self.first, pairs);
    }

    /// Becomes so many pairs, which are to be written.
    pub(super) fn resize(&mut self, pairs: usize) {
        self.a.resize(pairs, 0);
        self.b.resize(pairs, 0);
        self.first.resize(pairs, 0.0);
    }

    pub(super) fn reserve(&mut self, pairs: usize) {
        let more = pairs.saturating_sub(self.len());
        self.a.reserve(more);
        self.b.reserve(more);
        self.first.reserve(more);
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.a.shrink_to_fit();
        self.b.shrink_to_fit();
        self.first.shrink_to_fit();
    }

    pub(super) fn bytes(&self) -> usize {
        let words = self.a.capacity() + self.b.capacity() + self.first.capacity();
        words * size_of::<u32>()
    }

    pub(super) fn copy_from(&mut self, other: &Self) {
        self.a.clone_from(&other.a);
        self.b.clone_from(&other.b);
        self.first.clone_from(&other.first);
    }
}

impl<'a> Columns<'a> {
    pub(super) fn len(self) -> usize {
        self.first.len()
    }

    pub(super) fn get(self, k: usize) -> SweptPair {
        SweptPair { a: self.a[k], b: self.b[k], first: self.first[k] }
    }

    pub(super) fn slice(self, range: Range<usize>) -> Self {
        let Self { a, b, first } = self;
        Self { a: &a[range.clone()], b: &b[range.clone()], first: &first[range] }
    }

    /// How many have a lower slot below `slot`. Takes time for the logarithm of that.
    pub(super) fn below(self, slot: u64) -> usize {
        let is_below = |&a: &u32| u64::from(a) < slot;
        let mut end = 1;
        while self.a.get(end).is_some_and(is_below) {
            end *= 2;
        }
        self.a[..self.len().min(end)].partition_point(is_below)
    }

    /// How many come before the pair of these slots.
    pub(super) fn before(self, [a, b]: [u32; 2]) -> usize {
        let start = self.a.partition_point(|&lower| lower < a);
        let row = self.a[start..].partition_point(|&lower| lower == a);
        start + self.b[start..start + row].partition_point(|&upper| upper < b)
    }
}

impl ColumnsMut<'_> {
    /// Writes the next pairs.
    pub(super) fn put(&mut self, pairs: Columns<'_>) {
        let to = self.split_off(pairs.len());
        to.a.copy_from_slice(pairs.a);
        to.b.copy_from_slice(pairs.b);
        to.first.copy_from_slice(pairs.first);
    }
}

impl<'a> ColumnsMut<'a> {
    /// Takes off the first pairs.
    pub(super) fn split_off(&mut self, pairs: usize) -> Self {
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

/// The pairs that touch in a tick and of which one moves, by index.
///
/// They are kept as columns, and named as they are read: [`Touching::get`] costs no more for the last
/// than for the first, so that threads may share them by position.
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
    pairs: Columns<'a>,
    /// By slot: the generation of the proxy that is meant.
    said: &'a [u32],
}

impl<'a> Touching<'a> {
    pub(super) fn new(pairs: &'a Kept, slots: &'a Slots) -> Self {
        Self { pairs: pairs.columns(), said: slots.generations_said() }
    }

    /// How many.
    #[must_use]
    pub fn len(self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Pair `k`, if there are more than `k`.
    #[must_use]
    pub fn get(self, k: usize) -> Option<SweptProxyPair> {
        (k < self.len()).then(|| {
            let SweptPair { a, b, first } = self.pairs.get(k);
            let id = |slot: u32| ProxyId::new(slot, self.said[slot as usize]);
            SweptProxyPair { a: id(a), b: id(b), first }
        })
    }

    /// The pairs at these positions, as far as there are so many.
    #[must_use]
    pub fn range(self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        Self { pairs: self.pairs.slice(start..end), said: self.said }
    }

    /// The pairs one by one.
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

/// See [`Touching::iter`].
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
