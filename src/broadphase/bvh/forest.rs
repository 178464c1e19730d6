//! Fixed boxes that are stored from tick to tick, and the pairs of this tick's movers with them.
//!
//! The set is a forest of bounding volume hierarchies by the logarithmic method (Bentley and Saxe
//! 1980, *Decomposable searching problems*): tree `k` has a capacity of `64 · 32^k` boxes, that
//! is 64, 2048, 65,536, 2,097,152 and so on. So a few boxes that are added to some thousands cost a few microseconds.
//!
//! ```text
//! put boxes into rows:
//!     validate them, and store them as records                                       (load.rs)
//!     overwrite boxes in place where the new box is in the room of the leaf          (location.rs, leaf_bounds.rs)
//!     find the smallest tree that has capacity for the others and for all boxes in smaller trees;
//!     rebuild that tree from these boxes and its own; the smaller trees become empty
//! remove rows:
//!     clear their slots (tombstones); rebuild a tree of which more than half is empty
//! afterwards: update the bounds of leaves that have changed                          (leaf_bounds.rs)
//! find pairs:
//!     validate the movers, compute the bounds of their paths
//!     for each block of movers, in parallel: traverse each tree; where this visits too many nodes without a pair, join
//!     the movers with all boxes                                                      (mover_pairs.rs)
//! ```
//!
//! So a box is built into each tree about 16 times on average, and adding some thousands of boxes
//! to a million usually rebuilds none of the million. If boxes move far, only a few of them are
//! tested for overwriting, and no slots are cleared in a tree that is rebuilt.

use super::load::{TargetRows, load};
use super::location::{Location, Locations, SLOTS_MAX, TREES_MAX};
use super::mover_pairs::{MoverScratch, MoverSearch, runs_of};
use super::movers::{MoverRecord, load_movers};
use super::{Builder, BvhItem, Tree};
use crate::broadphase::error::FindError;
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::buffer::{reserve_for, reserve_total};
use crate::broadphase::pairs::input::{FixedInput, PairInput, check_rows};
use crate::broadphase::pairs::limit::{PairLimit, filters_allow};
use crate::broadphase::pairs::runs::{PairRuns, Pairs};
use crate::broadphase::pairs::timings::Timings;
use crate::columns::{ColumnScratch, LengthMismatch, Memory, Rejected, impl_memory};
use crate::geom::{Aabb, Filter, Pair, SweptPair, sum_of};
use crate::par::Clock;
use alloc::vec::Vec;
use core::ops::Range;

/// Capacity of the smallest tree.
const SMALLEST: usize = 64;
/// Base-2 logarithm of the ratio of the capacities of two successive trees.
const RATIO_BITS: usize = 5;
/// Rows are less than this.
const ROWS_MAX: usize = SLOTS_MAX / 2;

/// Why boxes could not be inserted or removed. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedError {
    /// The number of rows or of filters is not the number of boxes.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// A row is 2²⁷ or more.
    #[error("element {index} of the list is for row {row}; rows must be below 2^27")]
    RowTooLarge {
        /// The index of the element in the list.
        index: usize,
        /// The row.
        row: u64,
    },
    /// A row has no box.
    #[error(
        "element {index} of the list is for row {row}, in which there is no box; put one there first"
    )]
    UnknownRow {
        /// The index of the element in the list.
        index: usize,
        /// The row.
        row: u32,
    },
}

/// The rows of `count` boxes that are put in after the first `start` rows.
fn rows_after(start: usize, count: usize) -> Result<Range<u32>, FixedError> {
    let end = start + count;
    if end > ROWS_MAX {
        let index = ROWS_MAX - start;
        return Err(FixedError::RowTooLarge { index, row: ROWS_MAX as u64 });
    }
    Ok(start as u32..end as u32)
}

/// Boxes that do not move, stored from tick to tick, and their pairs with moving boxes.
///
/// Each box has a row that the caller chooses, such as its index in the caller's own columns;
/// memory is proportional to the highest row. The time of a tick depends on the movers and their
/// pairs, hardly on the number of fixed boxes: 50 to 130 ns for each mover among boxes of about one size. A
/// mover whose path is long compared with the fixed boxes reaches more nodes of the trees, about 7 ns each, even if it has no pair.
/// A stick across the scene visits about √n nodes among n sticks that cross it on other axes; a plate across the scene
/// visits about n^(2/3) nodes among n points. Where many movers would do so, they are joined with all fixed boxes instead. A join takes 30 to 150 ns
/// for each mover and for each fixed box. Answers are the same for every level, any number of threads, and any history of insertions and removals.
/// The order of the pairs in [`Pairs`] is the same for every level and any number of threads, but depends on the history; that of [`Pairs::sorted`]
/// does not.
///
/// The filter of a fixed box is set on insertion ([`FixedInput`]) or later
/// ([`FixedBoxes::set_filters`]); the filters of movers are part of each call ([`PairInput`]). A mover
/// that is marked as not moving has no pairs here, because the fixed boxes do not move
/// either.
///
/// After a few ticks of similar size a tick does not allocate. Changes may allocate.
///
/// ```
/// use swath::{AabbColumns, FixedBoxes, MovingBoxColumns};
///
/// // Two walls in rows 7 and 8.
/// let (min, max) = ([[0.0, 5.0], [-5.0; 2], [-5.0; 2]], [[0.1, 5.1], [5.0; 2], [5.0; 2]]);
/// let walls = AabbColumns::new([&min[0], &min[1], &min[2]], [&max[0], &max[1], &max[2]])?;
/// let mut fixed = FixedBoxes::new();
/// fixed.put(&[7, 8], walls)?;
///
/// // A bullet that flies through the first wall.
/// let (min, max) = ([[-9.0], [0.0], [0.0]], [[-8.9], [0.1], [0.1]]);
/// let delta = [[12.0], [0.0], [0.0]];
/// let movers = MovingBoxColumns::new(
///     [&min[0], &min[1], &min[2]],
///     [&max[0], &max[1], &max[2]],
///     [&delta[0], &delta[1], &delta[2]],
/// )?;
/// let pairs = fixed.swept_pairs(movers)?.sorted();
/// assert_eq!((pairs[0].a, pairs[0].b), (0, 7));
/// assert!((pairs[0].first - 8.9 / 12.0).abs() < 1e-6 && pairs.len() == 1);
///
/// fixed.remove(&[7])?;
/// assert!(fixed.swept_pairs(movers)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FixedBoxes {
    /// The level, the threads, and the greatest number of pairs of a tick.
    pub exec: Exec,
    pub(crate) trees: [Tree; TREES_MAX],
    pub(super) locations: Locations,
    /// Whether filters were set since the set was last cleared.
    pub(super) filtered: bool,
    /// The union of the words of all filters since the set was last cleared.
    pub(super) all_filters: u32,
    /// The filters that the caller has set, by row; those of further rows are [`Filter::ALL`]. The trees have their words.
    pub(crate) filters: Vec<Filter>,
    /// Whether the word of any of them is not exact.
    pub(crate) inexact_filters: bool,
    /// By how much the bounds of leaves are larger than their boxes, on each side, when a tree is built, if the boxes are as long
    /// ([`Tree::loosen`]). So a box that moves less is overwritten in place.
    pub(crate) slack: f32,
    builder: Builder,
    /// Scratch memory: the boxes to be built into a tree or to be joined.
    boxes: Vec<BvhItem>,
    rejected: Vec<Rejected>,
    movers: Vec<MoverRecord>,
    /// Boxes as columns, if the input has them in another layout.
    columns: ColumnScratch,
    rejected_movers: Vec<Rejected>,
    pub(crate) search: MoverScratch,
    union: PairRuns<Pair>,
    swept: PairRuns<SweptPair>,
}

impl_memory!(FixedBoxes { trees, locations, filters, builder, boxes, rejected, movers, columns, rejected_movers, search, union, swept; without exec, filtered, all_filters, inexact_filters, slack });

impl Default for FixedBoxes {
    fn default() -> Self {
        Self::with_exec(Exec::default())
    }
}

impl FixedBoxes {
    /// Creates an empty set that uses the widest SIMD level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty set with other settings: a [`Level`](crate::Level), [`Threads`](crate::Threads), or an [`Exec`].
    #[must_use]
    pub fn with_exec(exec: impl Into<Exec>) -> Self {
        Self {
            exec: exec.into(),
            trees: Default::default(),
            locations: Locations::default(),
            filtered: false,
            all_filters: 0,
            filters: Vec::new(),
            inexact_filters: false,
            slack: 0.0,
            builder: Builder::default(),
            boxes: Vec::new(),
            rejected: Vec::new(),
            movers: Vec::new(),
            columns: ColumnScratch::default(),
            rejected_movers: Vec::new(),
            search: MoverScratch::default(),
            union: PairRuns::default(),
            swept: PairRuns::default(),
        }
    }

    /// The trees, for views that combine several sets.
    pub(crate) fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// The number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        sum_of(&self.trees, Tree::len)
    }

    /// Whether the number of boxes is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The box in a row, or `None` if the row is empty.
    #[must_use]
    pub fn get(&self, row: u32) -> Option<Aabb> {
        self.item(row).map(|item| item.aabb)
    }

    /// The filter of the box in a row, or `None` if the row is empty.
    #[must_use]
    pub fn filter(&self, row: u32) -> Option<Filter> {
        self.item(row).map(|_| self.filters.get(row as usize).copied().unwrap_or_default())
    }

    /// The word of the filter of the box in a row, or `None` if the row is empty.
    pub(crate) fn filter_word(&self, row: u32) -> Option<u32> {
        self.item(row).map(|item| item.filter)
    }

    fn item(&self, row: u32) -> Option<BvhItem> {
        let location = *self.locations.of_row.get(row as usize)?;
        (location != Location::NONE).then(|| self.trees[location.tree()].get(location.slot()))
    }

    /// Sets the filter of the box in row `rows[k]` to `filters[k]`. If a row occurs several times,
    /// its last filter counts. The time depends on the number of these rows only; but the first filter of a set allocates
    /// memory for those of all boxes, and for rows up to the highest of these.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when the number of filters is wrong, or one of the rows has no box.
    pub fn set_filters(&mut self, rows: &[u32], filters: &[Filter]) -> Result<(), FixedError> {
        LengthMismatch::check("the filters", rows.len(), filters.len())?;
        self.check_rows(rows)?;
        self.allocate_filters();
        for (&row, &filter) in rows.iter().zip(filters) {
            let location = self.locations.of_row[row as usize];
            self.trees[location.tree()].set_filter(location.slot(), filter.word());
            self.all_filters |= filter.word();
            self.store_filter(row, filter);
        }
        Ok(())
    }

    /// Stores the filter of a row.
    fn store_filter(&mut self, row: u32, filter: Filter) {
        let index = row as usize;
        if index >= self.filters.len() {
            self.filters.resize(index + 1, Filter::ALL);
        }
        self.filters[index] = filter;
        self.inexact_filters |= !filter.is_exact();
    }

    /// Puts box `k` of `set` into row `rows[k]`, replacing the box in that row, if there is one. If
    /// a row occurs several times, its last valid box counts. A box does not inherit the filter of the
    /// one that it replaces.
    ///
    /// Invalid boxes are returned, by their index in the list and with the reason, and change nothing. The amortised time is proportional to the number of
    /// boxes put in and to the number of trees, which is four for two million boxes. A single call may rebuild all trees: about 35 ns for each box on one
    /// thread, also if each box replaces another.
    ///
    /// If a box is near the one that it replaces, nothing is rebuilt: inside the bounds that the leaf had when its tree was built, which has up to sixteen
    /// boxes, it overwrites the old box. Answers are those of the new box from then on, and the bounds of leaves grow and shrink with their boxes. The first
    /// eight of each 64 elements are tested for this. If none of them can be overwritten, the other 56 are not tested, and are built in like boxes that
    /// moved far. So is a small box that replaces one that is large in its leaf, the first time.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when the number of rows or filters is wrong, or a row is too large.
    pub fn put<'a>(
        &mut self,
        rows: &[u32],
        set: impl Into<FixedInput<'a>>,
    ) -> Result<&[Rejected], FixedError> {
        let set = set.into();
        LengthMismatch::check("the list `rows`", set.boxes.len(), rows.len())?;
        set.check()?;
        let large = rows.iter().position(|&row| row as usize >= ROWS_MAX);
        if let Some(index) = large {
            return Err(FixedError::RowTooLarge { index, row: rows[index].into() });
        }
        self.insert(0, set, TargetRows::Listed(rows));
        Ok(&self.rejected)
    }

    /// Puts the boxes into the rows after the highest row that was used since the set was last
    /// cleared; returns these rows.
    ///
    /// Rows of invalid boxes stay empty; [`FixedBoxes::rejected`] lists them. The time is that of
    /// [`FixedBoxes::put`].
    ///
    /// # Errors
    ///
    /// [`FixedError`] when the number of filters is wrong, or a row would be too large.
    pub fn extend<'a>(&mut self, set: impl Into<FixedInput<'a>>) -> Result<Range<u32>, FixedError> {
        let set = set.into();
        set.check()?;
        let rows = rows_after(self.locations.of_row.len(), set.boxes.len())?;
        self.insert(rows.end as usize, set, TargetRows::From(rows.start));
        Ok(rows)
    }

    /// The invalid boxes of the last insertion, by their index in the list.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// Removes the boxes in these rows. A row may occur several times.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when one of the rows has no box.
    pub fn remove(&mut self, rows: &[u32]) -> Result<(), FixedError> {
        self.check_rows(rows)?;
        let Self { locations, trees, .. } = self;
        rows.iter().for_each(|&row| locations.remove(trees, row, Location::NONE));
        locations.clear_tombstones(trees, |_, tree| tree.is_sparse());
        let mut boxes = core::mem::take(&mut self.boxes);
        for tree in 0..TREES_MAX {
            if self.trees[tree].is_sparse() {
                boxes.clear();
                self.build(tree..tree + 1, &mut boxes);
            }
        }
        self.boxes = boxes;
        self.trees.iter_mut().for_each(Tree::update_leaf_bounds);
        Ok(())
    }

    /// Checks that each of these rows has a box.
    fn check_rows(&self, rows: &[u32]) -> Result<(), FixedError> {
        let unknown = |&row: &u32| {
            self.locations.of_row.get(row as usize).is_none_or(|&p| p == Location::NONE)
        };
        match rows.iter().position(unknown) {
            Some(index) => Err(FixedError::UnknownRow { index, row: rows[index] }),
            None => Ok(()),
        }
    }

    /// Removes all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.trees.iter_mut().for_each(Tree::clear);
        self.locations.clear();
        (self.filtered, self.all_filters, self.inexact_filters) = (false, 0, false);
        self.filters.clear();
        self.rejected.clear();
    }

    /// Reserves memory for rows less than `rows`, and for ticks of `movers` movers with this many
    /// union pairs and swept pairs.
    ///
    /// # Panics
    ///
    /// If a single list would be larger than the address space. If the system does not have the memory, the process
    /// aborts, as after any allocation that fails.
    pub fn reserve(&mut self, rows: usize, movers: usize, union_pairs: usize, swept_pairs: usize) {
        reserve_total(&mut self.locations.of_row, rows);
        reserve_total(&mut self.movers, movers);
        self.union.reserve(runs_of(movers), union_pairs);
        self.swept.reserve(runs_of(movers), swept_pairs);
    }

    /// Frees the memory that the boxes do not need. The next change and the next tick allocate what
    /// they need again.
    pub fn shrink_to_fit(&mut self) {
        self.trees.iter_mut().for_each(Tree::shrink_to_fit);
        self.locations.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.builder = Builder::default();
        (self.boxes, self.rejected, self.movers) = (Vec::new(), Vec::new(), Vec::new());
        (self.rejected_movers, self.search) = (Vec::new(), MoverScratch::default());
        (self.union, self.swept) = (PairRuns::default(), PairRuns::default());
        self.columns = ColumnScratch::default();
    }

    /// Frees the lists of pairs, which are read no more, if they have more than `most` places, besides some for each run.
    pub(crate) fn free_above(&mut self, most: usize) {
        self.union.free_above(most);
        self.swept.free_above(most);
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.bytes()
    }

    /// Finds the pairs of a mover and a fixed box in which the bounds of the mover's whole path
    /// ([`MovingBox::bounds`]) share a point with the fixed box. [`Pair::a`] is the row of the
    /// mover in `movers`, [`Pair::b`] that of the fixed box; either may be the lower number.
    ///
    /// Movers that are marked as not moving have no pairs, and pairs that a [`Filter`]
    /// forbids are left out. Invalid movers are listed in [`Pairs::rejected`]. Movers are not
    /// compared with each other; [`PairFinder`](crate::PairFinder) does that.
    ///
    /// [`MovingBox::bounds`]: crate::MovingBox::bounds
    ///
    /// # Errors
    ///
    /// [`FindError`] when the number of flags or filters is wrong, there are 2²⁶ movers or more,
    /// or there are more pairs than allowed.
    pub fn union_pairs<'a>(
        &mut self,
        movers: impl Into<PairInput<'a>>,
    ) -> Result<Pairs<'_, Pair>, FindError> {
        self.find_union(movers.into())
    }

    /// Finds the pairs of a mover and a fixed box that touch in the tick as [`sweep`](crate::batch::sweep)
    /// defines it, with the first time. Rows are those of [`FixedBoxes::union_pairs`].
    ///
    /// The result is a subset of [`FixedBoxes::union_pairs`]; invalid movers are listed as there.
    ///
    /// # Errors
    ///
    /// As [`FixedBoxes::union_pairs`].
    pub fn swept_pairs<'a>(
        &mut self,
        movers: impl Into<PairInput<'a>>,
    ) -> Result<Pairs<'_, SweptPair>, FindError> {
        self.find_swept(movers.into())
    }

    fn find_union(&mut self, set: PairInput<'_>) -> Result<Pairs<'_, Pair>, FindError> {
        let mut timings = self.load(set)?;
        let exact = !self.checks_filters(&set);
        let Self { exec, trees, movers, boxes, search, union, filters, .. } = self;
        let Exec { level, ref threads, pairs_max } = *exec;
        let of_filters = |rows| filters_allow([set.filters, Some(&filters[..])], rows);
        let limit = &PairLimit::new(pairs_max, set.test(exact, &of_filters));
        let of = MoverSearch { level, threads, trees, movers, set, limit };
        timings.sweep = of.union(search, boxes, union);
        union.found(pairs_max, threads, (&self.rejected_movers, &[]), timings)
    }

    fn find_swept(&mut self, set: PairInput<'_>) -> Result<Pairs<'_, SweptPair>, FindError> {
        let mut timings = self.load(set)?;
        let exact = !self.checks_filters(&set);
        let Self { exec, trees, movers, boxes, search, swept, filters, .. } = self;
        let Exec { level, ref threads, pairs_max } = *exec;
        let of_filters = |rows| filters_allow([set.filters, Some(&filters[..])], rows);
        let limit = &PairLimit::new(pairs_max, set.test(exact, &of_filters));
        let of = MoverSearch { level, threads, trees, movers, set, limit };
        timings.sweep = of.swept(search, boxes, swept);
        swept.found(pairs_max, threads, (&self.rejected_movers, &[]), timings)
    }

    /// Validates the movers and prepares the scratch memory.
    fn load(&mut self, set: PairInput<'_>) -> Result<Timings, FindError> {
        set.check()?;
        let rows = set.len();
        check_rows(rows)?;
        let mut clock = Clock::start();
        let Self { exec, all_filters, movers, columns, rejected_movers, .. } = self;
        reserve_for(movers, rows);
        load_movers(exec.level, set, *all_filters, columns, movers, rejected_movers);
        let threads = self.exec.threads.workers();
        self.search.reserve(threads, &self.trees);
        Ok(Timings { scatter: clock.lap(), ..Timings::default() })
    }

    /// Puts in the boxes of a set. Rows less than `least` exist afterwards, also those of invalid boxes.
    fn insert(&mut self, least: usize, set: FixedInput<'_>, rows: TargetRows<'_>) {
        let mut boxes = core::mem::take(&mut self.boxes);
        boxes.clear();
        boxes.reserve_exact(set.boxes.len());
        load(self.exec.level, set, rows, &mut self.columns, &mut boxes, &mut self.rejected);
        self.store_filters(set, rows);
        let rows = boxes.iter().fold(least, |rows, item| rows.max(item.id as usize + 1));
        self.put_valid(rows, &mut boxes, set.is_filtered());
        self.boxes = boxes;
    }

    /// Puts in valid boxes, in rows less than `most`. If `filtered`, any of them may have
    /// a filter. Afterwards the contents of `boxes` are arbitrary.
    pub(crate) fn put_valid(&mut self, most: usize, boxes: &mut Vec<BvhItem>, filtered: bool) {
        if filtered {
            self.allocate_filters();
        }
        let Self { locations, all_filters, trees, .. } = self;
        boxes.iter().for_each(|item| *all_filters |= item.filter);
        if locations.of_row.len() < most {
            locations.of_row.resize(most, Location::NONE);
        }
        locations.overwrite(trees, boxes);
        if !boxes.is_empty() {
            self.build_in(boxes);
        }
        self.trees.iter_mut().for_each(Tree::update_leaf_bounds);
    }

    /// Builds boxes into the smallest tree that has capacity for them and for those of all smaller trees.
    fn build_in(&mut self, boxes: &mut Vec<BvhItem>) {
        let Self { locations, trees, .. } = self;
        let (mut last, mut total) = (0, boxes.len() + trees[0].len());
        while total > SMALLEST << (RATIO_BITS * last) {
            last += 1;
            total += trees[last].len();
        }
        locations.clear_tombstones(trees, |tree, _| tree <= last);
        self.build(0..last + 1, boxes);
    }

    /// Stores the filters of the boxes that were loaded.
    fn store_filters(&mut self, set: FixedInput<'_>, rows: TargetRows<'_>) {
        if !set.is_filtered() && self.filters.is_empty() {
            return;
        }
        let mut rejected = 0;
        for k in 0..set.boxes.len() {
            if self.rejected.get(rejected).is_some_and(|invalid| invalid.row as usize == k) {
                rejected += 1;
            } else {
                self.store_filter(rows.row(k), set.filter(k));
            }
        }
    }

    /// Whether pairs with these movers must be tested with the filters, because words are not exact.
    fn checks_filters(&self, movers: &PairInput<'_>) -> bool {
        let inexact = |filters: &[Filter]| !filters.iter().all(|filter| filter.is_exact());
        !self.filters.is_empty() && (self.inexact_filters || movers.filters.is_some_and(inexact))
    }

    /// Makes the trees store filters from now on.
    fn allocate_filters(&mut self) {
        if !self.filtered {
            self.filtered = true;
            self.trees.iter_mut().for_each(Tree::allocate_filters);
        }
    }

    /// Rebuilds the last of these trees from the boxes in all of them and in `boxes`; the others
    /// become empty. Removed boxes that are still in a tree are skipped.
    fn build(&mut self, trees: Range<usize>, boxes: &mut Vec<BvhItem>) {
        let Self { trees: all, locations, builder, slack, filtered, exec, .. } = self;
        let (locations, last) = (&mut locations.of_row[..], trees.end - 1);
        for (k, tree) in trees.clone().zip(&mut all[trees]) {
            if tree.len() > 0 {
                tree.for_each(|slot, row| {
                    if locations[row as usize] == Location::new(k, slot) {
                        boxes.push(tree.get(slot));
                    }
                });
            }
            tree.clear();
        }
        all[last].build(boxes, builder, (exec.level, &exec.threads));
        if *slack > 0.0 {
            all[last].loosen(*slack);
        }
        if *filtered {
            // Each row points to the filter of its box, which is then copied to the slot of the
            // box.
            for (k, item) in boxes.iter().enumerate() {
                locations[item.id as usize] = Location::pending(k);
            }
            let tree = &mut all[last];
            tree.set_filters(|row| boxes[locations[row as usize].slot()].filter);
        }
        all[last].for_each(|slot, row| locations[row as usize] = Location::new(last, slot));
    }
}

#[cfg(test)]
mod tests {
    use super::{FixedError, ROWS_MAX, rows_after};

    /// Goal: rows up to the greatest are assigned, and the error names the first element that has none. Method: as many boxes as there are
    /// rows left, one more, and several more.
    #[test]
    fn rows_after_the_greatest_are_an_error() {
        for start in [0, 5, ROWS_MAX - 3, ROWS_MAX] {
            let left = ROWS_MAX - start;
            assert_eq!(rows_after(start, left), Ok(start as u32..ROWS_MAX as u32));
            let error = FixedError::RowTooLarge { index: left, row: ROWS_MAX as u64 };
            for more in [1, 2, 1000] {
                assert_eq!(rows_after(start, left + more), Err(error), "{start} {more}");
            }
        }
    }
}
