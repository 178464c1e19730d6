//! Finds the pairs of moving boxes that meet in a tick. The grid is rebuilt in every tick.
//!
//! ```text
//! choose   pick strips and bins from a sample of the boxes                (choose.rs, grid.rs, join_cost.rs, counted.rs)
//! scatter  copy each box to the strips that it overlaps, chunk by chunk   (scatter.rs, long_path.rs)
//! check    choose again if the strips need far more comparisons than priced  (cost_check.rs)
//! sweep    sort each strip by bin and compare neighbours                  (strip.rs, sort.rs, sweep.rs)
//!          or split a crowded strip at medians                            (../join)
//! ```
//!
//! Where most boxes have long paths, swept pairs are found in one slice of the tick after the other: see `time_slices.rs`.
//!
//! `passes.rs` runs these passes on the threads and owns their memory.

pub(crate) mod choose;
pub(crate) mod chunks;
pub(crate) mod cost_check;
pub(crate) mod counted;
pub(crate) mod extent;
pub(crate) mod grid;
pub(crate) mod join_cost;
pub(crate) mod long_path;
pub(crate) mod passes;
pub(crate) mod record;
pub(crate) mod scatter;
pub(crate) mod slice_ends;
pub(crate) mod sort;
pub(crate) mod strip;
pub(crate) mod sweep;
pub(crate) mod time_slices;

use super::error::FindError;
use super::exec::Exec;
use super::pairs::input::PairInput;
use super::pairs::runs::Pairs;
use crate::columns::{Memory, impl_memory};
use crate::geom::{Pair, SweptPair};
use alloc::vec::Vec;
use grid::Sample;
use passes::{FinderInput, FinderPasses, TakeRun, keep_run};
use record::{SweptRecord, UnionRecord};
use time_slices::TimeSlices;

/// Finds all pairs of boxes that meet in a tick.
///
/// Only memory is kept between ticks. After a few ticks of similar size, finding allocates nothing, even if the
/// number of pairs grows by a few per cent. Memory for pairs is freed when its capacity is more than eight times the number of pairs of the largest
/// of the last 16 to 32 ticks, plus 4096 pairs for each of about 130 lists. After dense crowds there are more lists. Its [`Exec`] sets where it runs:
/// by default on the `rayon` pool in which it is called.
///
/// ```
/// use swath::{MovingBoxColumns, PairFinder};
///
/// // A bullet that flies through a thin wall, and a bird above.
/// let min = [[-9.0, 0.0, -9.0], [0.0, -5.0, 8.0], [0.0, -5.0, 0.0]];
/// let max = [[-8.9, 0.1, -8.0], [0.1, 5.0, 9.0], [0.1, 5.0, 1.0]];
/// let delta = [[20.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]];
/// let boxes = MovingBoxColumns::new(
///     [&min[0], &min[1], &min[2]],
///     [&max[0], &max[1], &max[2]],
///     [&delta[0], &delta[1], &delta[2]],
/// )?;
///
/// let mut finder = PairFinder::new();
/// let found = finder.swept_pairs(boxes)?;
/// for pair in found.sorted() {
///     assert_eq!((pair.a, pair.b), (0, 1));
///     assert!((pair.first - 0.445).abs() < 1e-6);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PairFinder {
    /// The level, the threads, and the greatest number of pairs of a tick.
    pub exec: Exec,
    sample: Sample,
    scatterers: Vec<scatter::ScatterScratch>,
    union: FinderPasses<UnionRecord>,
    swept: FinderPasses<SweptRecord>,
    slices: TimeSlices,
}

impl_memory!(PairFinder { sample, union, swept, slices; lists of scatterers; without exec });

impl Default for PairFinder {
    fn default() -> Self {
        Self::with_exec(Exec::default())
    }
}

impl Clone for PairFinder {
    /// Copies how the finder runs. A finder keeps nothing else than memory, which is not copied: the first tick of the copy allocates.
    fn clone(&self) -> Self {
        Self::with_exec(self.exec.clone())
    }
}

impl PairFinder {
    /// Creates a finder that uses the widest level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a finder with other settings: a [`Level`](crate::Level), [`Threads`](crate::Threads), or an [`Exec`].
    #[must_use]
    pub fn with_exec(exec: impl Into<Exec>) -> Self {
        Self {
            exec: exec.into(),
            sample: Sample::default(),
            scatterers: Vec::new(),
            union: FinderPasses::default(),
            swept: FinderPasses::default(),
            slices: TimeSlices::default(),
        }
    }

    /// Returns how many bytes of memory the finder has allocated.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.bytes()
    }

    /// Frees the memory that ticks of `boxes` boxes with `pairs` pairs do not need; with zeros, all of it. The next
    /// ticks allocate what they need again.
    pub fn shrink_to(&mut self, boxes: usize, pairs: usize) {
        self.union.shrink_to(boxes, pairs);
        self.swept.shrink_to(boxes, pairs);
        // These grow with the number of threads, not with the number of boxes.
        (self.scatterers, self.sample) = (Vec::new(), Sample::default());
        self.slices = TimeSlices::default();
    }

    /// Reserves memory for ticks of `boxes` boxes with this many union pairs and swept pairs.
    ///
    /// The rest of the memory depends on the positions of the boxes, so the first tick may still allocate.
    ///
    /// # Panics
    ///
    /// If a single list would be larger than the address space. If the system does not have the memory, the process
    /// aborts, as after any allocation that fails.
    pub fn reserve(&mut self, boxes: usize, union_pairs: usize, swept_pairs: usize) {
        self.union.reserve(boxes, union_pairs);
        self.swept.reserve(boxes, swept_pairs);
    }

    /// Frees the memory of functions that take the pairs of a run, if it is for more than `most` of them.
    pub(crate) fn free_taken_above(&mut self, most: usize) {
        for sweeper in &mut self.swept.sweepers {
            if sweeper.pairs.capacity() > most {
                sweeper.pairs = Vec::new();
            }
        }
    }

    /// Finds the pairs of one set whose swept AABBs ([`MovingBox::bounds`]) share a point.
    ///
    /// Two rows that do not move are not a pair, and neither are two rows that a [`Filter`] excludes; see
    /// [`PairInput`]. Invalid rows are listed in [`Pairs::rejected`].
    ///
    /// [`MovingBox::bounds`]: crate::MovingBox::bounds
    /// [`Filter`]: crate::Filter
    ///
    /// # Errors
    ///
    /// [`FindError`] if the number of flags, filters or labels differs from the number of boxes, if there are 2²⁶ boxes
    /// or more, or if there are more pairs than allowed.
    pub fn union_pairs<'a>(
        &mut self,
        set: impl Into<PairInput<'a>>,
    ) -> Result<Pairs<'_, Pair>, FindError> {
        self.find_union(set.into(), None)
    }

    /// Finds the pairs of one set that touch in the tick, with their first times.
    ///
    /// These are the pairs of [`PairFinder::union_pairs`] for which [`sweep`](crate::batch::sweep) reports a contact,
    /// with its time. Because of rounding, a sweep alone may report a contact of two boxes whose bounds are disjoint;
    /// such a pair never touches and is not found. Flags, filters and rejected rows are as for union pairs.
    ///
    /// The time grows with the boxes, the pairs, and the number of other boxes that each box passes in the tick. From 1,024 boxes on, if many move by more than their own length, the
    /// tick is searched in slices of time where a sample of the boxes shows that to be cheaper. Each slice costs about as much as union pairs of short paths. 20,000 boxes
    /// that fly through each other by half of the scene take about 30 times as long as boxes that move by little, and crowds that all meet at one time up to 300 times.
    ///
    /// # Errors
    ///
    /// As [`PairFinder::union_pairs`].
    pub fn swept_pairs<'a>(
        &mut self,
        set: impl Into<PairInput<'a>>,
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        self.find_swept(set.into(), None, &keep_run)
    }

    /// Does what [`PairFinder::swept_pairs`] does, and calls `take` with each run of pairs, on the thread that found
    /// them, and with memory of that thread.
    pub(crate) fn swept_pairs_taken(
        &mut self,
        set: PairInput<'_>,
        take: &TakeRun<'_, SweptPair>,
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        self.find_swept(set, None, take)
    }

    /// Finds the pairs of a box of `a` and a box of `b` whose swept AABBs share a point.
    ///
    /// [`Pair::a`] is a row of `a` and [`Pair::b`] a row of `b`, whichever is lower. Flags and filters are as in
    /// [`PairFinder::union_pairs`], and the cost is that of one set with the boxes of both. For few boxes against
    /// many that do not move, use [`PairFinder::union_pairs`] with flags.
    ///
    /// # Errors
    ///
    /// As [`PairFinder::union_pairs`].
    pub fn union_pairs_between<'a, 'b>(
        &mut self,
        a: impl Into<PairInput<'a>>,
        b: impl Into<PairInput<'b>>,
    ) -> Result<Pairs<'_, Pair>, FindError> {
        self.find_union(a.into(), Some(b.into()))
    }

    /// Finds the pairs of a box of `a` and a box of `b` that touch in the tick, with their first times.
    ///
    /// The result is a subset of [`PairFinder::union_pairs_between`], with the same meaning of rows, flags and
    /// filters.
    ///
    /// # Errors
    ///
    /// As [`PairFinder::union_pairs`].
    pub fn swept_pairs_between<'a, 'b>(
        &mut self,
        a: impl Into<PairInput<'a>>,
        b: impl Into<PairInput<'b>>,
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        self.find_swept(a.into(), Some(b.into()), &keep_run)
    }

    fn find_union(
        &mut self,
        first: PairInput<'_>,
        second: Option<PairInput<'_>>,
    ) -> Result<Pairs<'_, Pair>, FindError> {
        let Self { exec, sample, scatterers, union, .. } = self;
        let input = FinderInput { level: exec.level, pairs_max: exec.pairs_max, first, second };
        union.find(&input, &exec.threads, sample, scatterers, &keep_run)
    }

    fn find_swept(
        &mut self,
        first: PairInput<'_>,
        second: Option<PairInput<'_>>,
        take: &TakeRun<'_, SweptPair>,
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        let Self { exec, sample, scatterers, union, swept, slices } = self;
        let input = FinderInput { level: exec.level, pairs_max: exec.pairs_max, first, second };
        swept.find_swept(&input, &exec.threads, (sample, scatterers), (union, slices), take)
    }
}
