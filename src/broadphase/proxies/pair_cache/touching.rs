//! The pairs that touch, as the caller reads them: slots are translated to ids on reading.

use super::store::{PairStore, PairStoreIter, PairView};
use crate::broadphase::proxies::id::SweptProxyPair;
use crate::broadphase::proxies::slots::{Generations, Slots};
use crate::geom::SweptPair;
use core::iter::FusedIterator;
use core::ops::Range;

/// The pairs that touch in a tick and in which at least one proxy moves, ordered by index.
///
/// The pairs are read where they are stored, and ids are looked up on reading. Threads can divide the pairs by
/// position ([`Touching::range`]). [`Touching::get`] takes constant time after an update that found all pairs anew,
/// and a search among 64 proxies after one that searched for few proxies. Iterators take constant time for each pair, and after an
/// update that searched for few proxies also for each index in between.
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
    pairs: PairView<'a>,
    /// The positions of the first pair, and of the end.
    start: usize,
    end: usize,
    /// The generation of each slot when the pairs were found.
    cached_generations: Generations<'a>,
}

impl<'a> Touching<'a> {
    pub(crate) fn new(pairs: &'a PairStore, slots: &'a Slots) -> Self {
        let cached_generations = slots.ids_of_cached();
        Self { pairs: pairs.view(), start: 0, end: pairs.len(), cached_generations }
    }

    /// The number of pairs.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether there are no pairs.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The pair at position `k`, or `None` if `k` is out of range.
    #[must_use]
    pub fn get(self, k: usize) -> Option<SweptProxyPair> {
        self.range(k..k.saturating_add(1)).iter().next()
    }

    /// The pairs at these positions; positions out of range are ignored.
    #[must_use]
    pub fn range(self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        let start = range.start.min(end);
        Self { start: self.start + start, end: self.start + end, ..self }
    }

    /// Iterates over the pairs.
    #[must_use]
    pub fn iter(self) -> TouchingIter<'a> {
        let Self { pairs, start, end, cached_generations } = self;
        TouchingIter { pairs: pairs.from(start), len: end - start, cached_generations }
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
    pairs: PairStoreIter<'a>,
    /// The number of pairs that are left.
    len: usize,
    cached_generations: Generations<'a>,
}

impl Iterator for TouchingIter<'_> {
    type Item = SweptProxyPair;

    #[inline]
    fn next(&mut self) -> Option<SweptProxyPair> {
        self.len = self.len.checked_sub(1)?;
        let SweptPair { a, b, first } = self.pairs.next()?;
        let id = |slot: u32| self.cached_generations.id(slot);
        Some(SweptProxyPair { a: id(a), b: id(b), first })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl ExactSizeIterator for TouchingIter<'_> {}
impl FusedIterator for TouchingIter<'_> {}
