//! Which of the found pairs are stored, and how many.
//!
//! Words of filters do not decide every pair, and owners are no part of the records, so some pairs are excluded only by a test of
//! the pair itself. It is made at the end of each run, and before that whenever the list of a run is full, and for each block of movers
//! that are searched in a forest: excluded pairs take no memory.

use super::buffer::Buffer;
use super::runs::FoundPair;
use crate::geom::Filter;
use crate::par::Budget;

/// Whether a pair is allowed. The numbers are those of the pair as it is found, before rows are replaced by labels.
pub(crate) type PairTest<'a> = &'a (dyn Fn([u32; 2]) -> bool + Sync);

/// Returns the owner of a box, or 0 if it has none, by the number that stands for it in pairs as they are found. Two boxes of one
/// owner are not a pair.
pub(crate) type OwnerOf<'a> = &'a (dyn Fn(u32) -> u32 + Sync);

/// The tests of the pairs of a search.
#[derive(Clone, Copy)]
pub(crate) struct PairTests<'a> {
    /// The test if words of filters are exact; `None` allows all pairs.
    pub(crate) of_exact: Option<PairTest<'a>>,
    /// The test if words are not exact, which includes the filters.
    pub(crate) of_inexact: PairTest<'a>,
    /// The owners that the tests compare, if any are known; for a search of one set, and for the movers of a search in a forest.
    pub(crate) owner: Option<OwnerOf<'a>>,
    /// The owners of the boxes of the forest.
    pub(crate) forest_owner: Option<OwnerOf<'a>>,
}

// The tests only read, so an input can be used after a panic as before.
impl core::panic::UnwindSafe for PairTests<'_> {}
impl core::panic::RefUnwindSafe for PairTests<'_> {}

impl core::fmt::Debug for PairTests<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("PairTests").finish_non_exhaustive()
    }
}

/// What limits the stored pairs of a search.
pub(crate) struct PairLimit<'a> {
    budget: Budget,
    test: Option<PairTest<'a>>,
}

impl<'a> PairLimit<'a> {
    /// Stores all pairs.
    pub(crate) const fn unlimited() -> Self {
        Self::new(usize::MAX, None)
    }

    /// Stores the pairs that the test allows, at most about this many.
    pub(crate) const fn new(pairs_max: usize, test: Option<PairTest<'a>>) -> Self {
        Self { budget: Budget::new(pairs_max), test }
    }

    /// Returns the test of the pairs.
    pub(crate) fn test(&self) -> Option<PairTest<'a>> {
        self.test
    }
}

/// Whether the filters of the two rows of a pair allow it. `None` has [`Filter::ALL`] for each row.
pub(crate) fn filters_allow(filters: [Option<&[Filter]>; 2], [a, b]: [u32; 2]) -> bool {
    let filter = |side: usize, row: u32| {
        filters[side]
            .map_or(Filter::ALL, |filters| filters.get(row as usize).copied().unwrap_or_default())
    };
    filter(0, a).allows(filter(1, b))
}

/// A full list from which excluded pairs were removed grows only if less than one part in this many of its capacity would stay free.
const FREE_MIN: usize = 16;

impl<P: FoundPair> Buffer<P> {
    /// Does what [`Buffer::spare`] does. A full list is rid of its excluded pairs before it grows.
    #[inline(always)]
    pub(crate) fn spare_pairs(&mut self, most: usize, limit: &PairLimit<'_>) -> &mut [P] {
        self.requested_max = self.requested_max.max(self.len + most);
        if self.items.len() < self.requested_max {
            self.grow_pairs(most, limit);
        }
        &mut self.items[self.len..]
    }

    #[cold]
    #[inline(never)]
    fn grow_pairs(&mut self, most: usize, limit: &PairLimit<'_>) {
        if let Some(test) = limit.test {
            self.most_spare = self.most_spare.max(most);
            self.retain_allowed(test);
            if self.requested_max <= self.items.len() - self.items.len() / FREE_MIN {
                return;
            }
        }
        self.grow(most, &limit.budget);
    }

    /// Removes the pairs that the test of the limit excludes, if there is one. Returns the number of the others since the list was cleared, and
    /// that of excluded ones.
    #[inline(always)]
    pub(crate) fn count_tested(&mut self, limit: &PairLimit<'_>) -> [usize; 2] {
        if let Some(test) = limit.test {
            self.retain_allowed(test);
        }
        self.counts()
    }

    /// The number of pairs since the list was cleared, and that of excluded ones.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.found(), self.excluded]
    }

    /// Removes the pairs that the test excludes; they do not count as found. Each pair is tested once.
    pub(crate) fn retain_allowed(&mut self, test: PairTest<'_>) {
        let mut kept = self.tested;
        for k in self.tested..self.len {
            let mut pair = self.items[k];
            let [&mut a, &mut b] = pair.rows_mut();
            self.items[kept] = pair;
            kept += usize::from(test([a, b]));
        }
        self.excluded += self.len - kept;
        (self.len, self.tested) = (kept, kept);
        if self.most_spare > 0 {
            // The capacity for excluded pairs was requested only because it was free.
            self.requested_max = kept + self.most_spare;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Buffer, PairLimit};
    use crate::geom::Pair;

    /// Goal: excluded pairs take no memory and do not count, the others keep their order and are counted also past the limit, and a
    /// list that is used again does not grow. Method: the pairs of a crowd, of which every `step`-th is allowed, in four ticks.
    #[test]
    fn excluded_pairs_take_no_memory() {
        const PAIRS: u32 = 300_000;
        for (step, most) in [(1000, usize::MAX), (7, usize::MAX), (1, usize::MAX), (7, 5000)] {
            let test = |[a, _]: [u32; 2]| a % step == 0;
            let allowed = PAIRS.div_ceil(step) as usize;
            let mut list = Buffer::default();
            let mut capacity = 0;
            for tick in 0..4 {
                let limit = PairLimit::new(most, Some(&test));
                list.clear();
                for a in 0..PAIRS {
                    list.spare_pairs(16, &limit)[..16].fill(Pair { a, b: a + 1 });
                    list.keep(1);
                }
                list.retain_allowed(&test);
                assert_eq!(list.counts(), [allowed, PAIRS as usize - allowed]);
                if most > allowed {
                    let rows = list.as_slice().iter().map(|pair| pair.a);
                    assert!(rows.eq((0..PAIRS).step_by(step as usize)));
                }
                assert!(list.capacity() < 1100 + 17 * allowed.min(most.saturating_mul(2)) / 10);
                list.reserve_spare(0);
                assert!(tick < 2 || list.capacity() == capacity, "{step} {most}");
                capacity = list.capacity();
            }
        }
    }
}
