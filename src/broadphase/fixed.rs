//! Which boxes of a set that is kept from tick to tick do this tick's movers meet?
//!
//! The set is a few trees (`tree`), each with room for 32 times as many boxes as the one before:
//! 2048, 65,536, 2,097,152 and so on (Bentley and Saxe 1980, *Decomposable searching problems*).
//! What is put in goes, with all that is in the lower trees, to the lowest tree that has room for
//! it, which is built anew. So a box is built into each tree some 16 times on the average, and of a
//! million boxes as a rule none is touched when some thousands are added. What is taken out leaves
//! its place in its tree empty; a tree of which more than half is empty is built anew. A box that is
//! put where one was and lies within the bounds of that one's leaf is written over it; where boxes go
//! far few are tried, and nothing is taken out one by one of a tree that is built anew (`place`).
//!
//! Movers are asked for in blocks, each block tree by tree (`probe`).

use super::admit::{Admit, Rows};
use super::buffer::{Buffer, make_room};
use super::finder::FindError;
use super::found::{Found, Runs};
use super::place::{Place, Places, SLOTS_MAX, TREES_MAX};
use super::probe::{Load, Mover, Swept, Union};
use super::query::Queries;
use super::scatter::ROW as ROWS_OF_FINDER;
use super::set::{BoxSet, FixedSet};
use super::stage::{Clock, Timings};
use super::tree::{Builder, Named, Stack, Tree};
use crate::geom::{Aabb, Filter, Pair, SweptPair};
use crate::lanes::Level;
use crate::par::{self, Budget, Threads};
use crate::store::{LengthMismatch, Rejected};
use alloc::vec::Vec;
use core::ops::Range;
use core::time::Duration;

/// Most boxes of the smallest tree, and how many times as many the next one may have, as a power
/// of two.
const SMALLEST: usize = 2048;
const RATIO_BITS: usize = 5;
/// Into about how many runs the movers are cut, for the threads to share, and the fewest of a run.
const RUNS: usize = 64;
const RUN_MIN: usize = 128;
/// Rows are below this.
const ROWS_MAX: usize = SLOTS_MAX / 2;

/// Why boxes could not be put in or taken out. Nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FixedError {
    /// There is not one row number or one filter for each box.
    #[error(transparent)]
    Length(#[from] LengthMismatch),
    /// A row number is 2²⁷ or more.
    #[error("element {index} names row {row}; rows are below 2^27")]
    RowTooLarge {
        /// Which element of the list.
        index: usize,
        /// The row it names.
        row: u64,
    },
    /// There is no box in this row.
    #[error("element {index} names row {row}, in which there is no box")]
    UnknownRow {
        /// Which element of the list.
        index: usize,
        /// The row it names.
        row: u32,
    },
}

/// Boxes that do not move, kept between ticks, and what meets them.
///
/// Each box is called by a row that the caller chooses, such as its index in the caller's own
/// columns; memory grows with the highest row. A tick costs time for the movers and their pairs,
/// hardly for the boxes that are kept. Answers are the same for any [`Level`], any threads, and
/// whatever was put in and taken out before. The order in which pairs lie in [`Found`] is the same
/// for any level and threads, but depends on what was put in when; that of [`Found::sorted`] does
/// not.
///
/// With what a fixed box may pair is said when it is put in ([`FixedSet`]) or later
/// ([`FixedBoxes::set_filters`]); of movers it is said with the question ([`BoxSet`]). A mover that
/// is told not to move makes no pair here, for what it would meet does not move either.
///
/// After a tick or two of like size a tick allocates nothing. Changes may allocate.
///
/// ```
/// use swath::store::FixedColumns;
/// use swath::{Boxes, FixedBoxes};
///
/// // Two walls, which the engine calls 7 and 8.
/// let (min, max) = ([[0.0, 5.0], [-5.0; 2], [-5.0; 2]], [[0.1, 5.1], [5.0; 2], [5.0; 2]]);
/// let walls = FixedColumns::new([&min[0], &min[1], &min[2]], [&max[0], &max[1], &max[2]])?;
/// let mut fixed = FixedBoxes::new();
/// fixed.put(&[7, 8], walls)?;
///
/// // A bullet that flies through the first.
/// let (min, max) = ([[-9.0], [0.0], [0.0]], [[-8.9], [0.1], [0.1]]);
/// let delta = [[12.0], [0.0], [0.0]];
/// let movers = Boxes::new(
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
    level: Level,
    threads: Threads,
    pairs_max: usize,
    trees: [Tree; TREES_MAX],
    places: Places,
    /// Whether filters were given since the set was cleared, and the categories and masks of all
    /// boxes that were in it together.
    filtered: bool,
    all_filters: u32,
    builder: Builder,
    /// What is to be built into a tree.
    boxes: Vec<Named>,
    rejected: Vec<Rejected>,
    movers: Vec<Mover>,
    rejected_movers: Vec<Rejected>,
    /// One for each thread.
    stacks: Vec<Stack>,
    union: Runs<Pair>,
    swept: Runs<SweptPair>,
}

impl Default for FixedBoxes {
    fn default() -> Self {
        Self::with_level(Level::detect())
    }
}

impl FixedBoxes {
    /// An empty set that uses the widest level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty set that uses `level`. The pairs are the same for each.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            level,
            threads: Threads::default(),
            pairs_max: usize::MAX,
            trees: Default::default(),
            places: Places::default(),
            filtered: false,
            all_filters: 0,
            builder: Builder::default(),
            boxes: Vec::new(),
            rejected: Vec::new(),
            movers: Vec::new(),
            rejected_movers: Vec::new(),
            stacks: Vec::new(),
            union: Runs::default(),
            swept: Runs::default(),
        }
    }

    /// From now on works on these threads. The pairs are the same for any.
    pub fn set_threads(&mut self, threads: Threads) {
        self.threads = threads;
    }

    /// From now on a tick with more pairs than `most` is an error, which says how many there are;
    /// no more memory is used for pairs than about twice what so many need. At first there is no
    /// limit.
    pub fn set_pairs_max(&mut self, most: usize) {
        self.pairs_max = most;
    }

    /// A view to ask about the boxes, such as which of them a segment enters first.
    #[must_use]
    pub fn queries(&self) -> Queries<'_> {
        Queries::new([&self.trees, &[]], self.level, &self.threads)
    }

    /// The trees, for a view that others share.
    pub(super) fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// How many boxes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.trees.iter().map(Tree::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The box in a row, if there is one.
    #[must_use]
    pub fn get(&self, row: u32) -> Option<Aabb> {
        self.named(row).map(|named| named.aabb)
    }

    /// With what the box in a row may pair, if there is one.
    #[must_use]
    pub fn filter(&self, row: u32) -> Option<Filter> {
        self.named(row).map(|named| Filter::of_word(named.filter))
    }

    fn named(&self, row: u32) -> Option<Named> {
        let place = *self.places.of.get(row as usize)?;
        (place != Place::NONE).then(|| self.trees[place.tree()].get(place.slot()))
    }

    /// From now on the box in row `rows[k]` may pair as `filters[k]` says; of several for one row
    /// the last counts. Costs time for these rows alone.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when there is not one filter for each row, or no box in one of the rows.
    pub fn set_filters(&mut self, rows: &[u32], filters: &[Filter]) -> Result<(), FixedError> {
        LengthMismatch::check("the filters", rows.len(), filters.len())?;
        self.check_rows(rows)?;
        self.keep_filters();
        for (&row, &filter) in rows.iter().zip(filters) {
            let place = self.places.of[row as usize];
            self.trees[place.tree()].set_filter(place.slot(), filter.word());
            self.all_filters |= filter.word();
        }
        Ok(())
    }

    /// Puts box `k` of `set` in row `rows[k]`, in place of the box that is there, if one is. Of
    /// several in one row the last stays. A box takes no filter over from the one before it.
    ///
    /// Elements that are no boxes are returned, by their index in the list, with the reason, and
    /// change nothing. In the long run the time is in proportion to the boxes that are put in and
    /// to the number of trees, three for two million boxes. A single call may build all boxes anew:
    /// on one thread some 35 ns a box, also where each is put in place of another.
    ///
    /// For a box that lies about where the one before it was nothing is built: within the bounds that
    /// its leaf has in the tree, which hold some sixteen boxes, it is written over that one. Answers
    /// are those of the new box from then on, and nothing is stale; the bounds of the tree stay as
    /// large as they were when it was built, so that to ask is as fast as it was then. Of each 64
    /// elements the first eight are tried, and the others unless none of those could be written over:
    /// what stays is then built in with what goes far.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when there is not one row and filter for each box, or a row number is too
    /// large.
    pub fn put<'a>(
        &mut self,
        rows: &[u32],
        set: impl Into<FixedSet<'a>>,
    ) -> Result<&[Rejected], FixedError> {
        let set = set.into();
        LengthMismatch::check("the list `rows`", set.boxes.len(), rows.len())?;
        set.check()?;
        let large = rows.iter().position(|&row| row as usize >= ROWS_MAX);
        if let Some(index) = large {
            return Err(FixedError::RowTooLarge { index, row: rows[index].into() });
        }
        let most = rows.iter().max().map_or(0, |&row| row as usize + 1);
        self.insert(most, set, Rows::Listed(rows));
        Ok(&self.rejected)
    }

    /// Puts the boxes in the rows that follow the highest that was named since the set was cleared;
    /// returns which those are.
    ///
    /// Rows of elements that are no boxes stay empty; [`FixedBoxes::rejected`] lists them. Costs as
    /// [`FixedBoxes::put`].
    ///
    /// # Errors
    ///
    /// [`FixedError`] when there is not one filter for each box, or a row number would be too
    /// large.
    pub fn extend<'a>(&mut self, set: impl Into<FixedSet<'a>>) -> Result<Range<u32>, FixedError> {
        let set = set.into();
        set.check()?;
        let start = self.places.of.len();
        let most = start + set.boxes.len();
        if most > ROWS_MAX {
            let index = ROWS_MAX - start;
            return Err(FixedError::RowTooLarge { index, row: ROWS_MAX as u64 });
        }
        let start = start as u32;
        self.insert(most, set, Rows::From(start));
        Ok(start..most as u32)
    }

    /// The elements that were no boxes when boxes were last put in, by their index in the list.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected
    }

    /// Takes out the boxes in these rows. One that is named twice is taken out once.
    ///
    /// # Errors
    ///
    /// [`FixedError`] when there is no box in one of the rows.
    pub fn remove(&mut self, rows: &[u32]) -> Result<(), FixedError> {
        self.check_rows(rows)?;
        let Self { places, trees, .. } = self;
        rows.iter().for_each(|&row| places.leave(trees, row, Place::NONE));
        places.wipe_out(trees, |_, tree| tree.is_sparse());
        let mut boxes = core::mem::take(&mut self.boxes);
        for tree in 0..TREES_MAX {
            if self.trees[tree].is_sparse() {
                boxes.clear();
                self.build(tree..tree + 1, &mut boxes);
            }
        }
        self.boxes = boxes;
        Ok(())
    }

    /// Whether there is a box in each of these rows.
    fn check_rows(&self, rows: &[u32]) -> Result<(), FixedError> {
        let unknown =
            |&row: &u32| self.places.of.get(row as usize).is_none_or(|&p| p == Place::NONE);
        match rows.iter().position(unknown) {
            Some(index) => Err(FixedError::UnknownRow { index, row: rows[index] }),
            None => Ok(()),
        }
    }

    /// Takes out all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.trees.iter_mut().for_each(Tree::clear);
        self.places.of.clear();
        (self.filtered, self.all_filters) = (false, 0);
        self.rejected.clear();
    }

    /// Makes room for rows below `rows`, and for ticks of `movers` movers with so many pairs: union
    /// pairs, and swept pairs.
    pub fn reserve(&mut self, rows: usize, movers: usize, union_pairs: usize, swept_pairs: usize) {
        self.places.of.reserve(rows.saturating_sub(self.places.of.len()));
        self.movers.reserve(movers.saturating_sub(self.movers.len()));
        self.union.reserve(runs_of(movers), union_pairs);
        self.swept.reserve(runs_of(movers), swept_pairs);
    }

    /// Gives back the memory that the boxes do not need. The next change and the next tick allocate
    /// what they need anew.
    pub fn shrink_to_fit(&mut self) {
        self.trees.iter_mut().for_each(Tree::shrink_to_fit);
        self.places.shrink_to_fit();
        self.builder = Builder::default();
        (self.boxes, self.rejected, self.movers) = (Vec::new(), Vec::new(), Vec::new());
        (self.rejected_movers, self.stacks) = (Vec::new(), Vec::new());
        (self.union, self.swept) = (Runs::default(), Runs::default());
    }

    /// Bytes of memory that are held.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        let trees: usize = self.trees.iter().map(Tree::bytes).sum();
        let stacks: usize = self.stacks.iter().map(Stack::bytes).sum();
        let rejected = self.rejected.capacity() + self.rejected_movers.capacity();
        trees
            + stacks
            + self.builder.bytes()
            + self.places.bytes()
            + self.boxes.capacity() * size_of::<Named>()
            + self.movers.capacity() * size_of::<Mover>()
            + rejected * size_of::<Rejected>()
            + self.union.bytes()
            + self.swept.bytes()
    }

    /// The pairs of a mover and a fixed box where the box around the mover's whole path
    /// ([`MovingBox::bounds`]) shares a point with the fixed one. [`Pair::a`] is the row of the
    /// mover in `movers`, [`Pair::b`] that of the fixed box; either may be the lower.
    ///
    /// Movers that are told not to move make no pair, nor do those of which a [`Filter`] forbids
    /// it. Movers that are no boxes are listed in [`Found::rejected`]. Movers are not compared with
    /// each other: that is what [`PairFinder`](super::PairFinder) does.
    ///
    /// [`MovingBox::bounds`]: crate::MovingBox::bounds
    ///
    /// # Errors
    ///
    /// [`FindError`] when there is not one flag or filter for each mover, or there are more than
    /// 2²⁶, or more pairs than are allowed.
    pub fn union_pairs<'a>(
        &mut self,
        movers: impl Into<BoxSet<'a>>,
    ) -> Result<Found<'_, Pair>, FindError> {
        self.find_union(movers.into())
    }

    /// The pairs of a mover and a fixed box that touch in the tick as [`sweep`](crate::sweep)
    /// answers it, with the first time. Rows as in [`FixedBoxes::union_pairs`].
    ///
    /// A subset of [`FixedBoxes::union_pairs`]; rejected movers as there.
    ///
    /// # Errors
    ///
    /// As [`FixedBoxes::union_pairs`].
    pub fn swept_pairs<'a>(
        &mut self,
        movers: impl Into<BoxSet<'a>>,
    ) -> Result<Found<'_, SweptPair>, FindError> {
        self.find_swept(movers.into())
    }

    fn find_union(&mut self, set: BoxSet<'_>) -> Result<Found<'_, Pair>, FindError> {
        let mut timings = self.load(set)?;
        let Self { level, threads, pairs_max, trees, movers, stacks, union, .. } = self;
        let (level, budget) = (*level, &Budget::new(*pairs_max));
        // Those of the movers alone are looked at when movers are loaded.
        let filters = set.filters;
        timings.sweep = find(union, threads, movers, stacks, &|movers, stack, found| {
            level.run(Union { trees, movers, filters, stack, found, budget });
        });
        union.found(*pairs_max, threads, (&self.rejected_movers, &[]), timings)
    }

    fn find_swept(&mut self, set: BoxSet<'_>) -> Result<Found<'_, SweptPair>, FindError> {
        let mut timings = self.load(set)?;
        let Self { level, threads, pairs_max, trees, movers, stacks, swept, .. } = self;
        let (level, budget) = (*level, &Budget::new(*pairs_max));
        // Those of the movers alone are looked at when movers are loaded.
        let filters = set.filters;
        timings.sweep = find(swept, threads, movers, stacks, &|movers, stack, found| {
            level.run(Swept { trees, movers, filters, stack, found, budget });
        });
        swept.found(*pairs_max, threads, (&self.rejected_movers, &[]), timings)
    }

    /// Checks the movers and makes ready to ask for them.
    fn load(&mut self, set: BoxSet<'_>) -> Result<Timings, FindError> {
        set.check()?;
        let rows = set.len();
        if rows > ROWS_OF_FINDER as usize {
            return Err(FindError::TooManyBoxes { rows });
        }
        let mut clock = Clock::start();
        let Self { level, all_filters, movers, rejected_movers: rejected, .. } = self;
        make_room(movers, rows);
        level.run_rows(rows, Load { set, fixed: Filter::of_word(*all_filters), movers, rejected });
        let threads = self.threads.workers();
        self.stacks.resize_with(threads.max(self.stacks.len()), Stack::default);
        for stack in &mut self.stacks {
            self.trees.iter().for_each(|tree| stack.reserve(tree));
        }
        Ok(Timings { scatter: clock.lap(), ..Timings::default() })
    }

    /// Puts in the boxes of a set; rows are below `most`.
    fn insert(&mut self, most: usize, set: FixedSet<'_>, rows: Rows<'_>) {
        let mut boxes = core::mem::take(&mut self.boxes);
        boxes.clear();
        boxes.reserve_exact(set.boxes.len());
        let Self { level, rejected, .. } = self;
        let boxes_of = &mut boxes;
        level.run_rows(set.boxes.len(), Admit { set, rows, boxes: boxes_of, rejected });
        self.put_valid(most, &mut boxes, set.is_filtered());
        self.boxes = boxes;
    }

    /// Puts in these boxes, which are valid, in rows below `most`. `filtered` says whether a filter may
    /// be among theirs. The list is memory afterwards.
    pub(super) fn put_valid(&mut self, most: usize, boxes: &mut Vec<Named>, filtered: bool) {
        if filtered {
            self.keep_filters();
        }
        let Self { places, all_filters, trees, .. } = self;
        boxes.iter().for_each(|named| *all_filters |= named.filter);
        if places.of.len() < most {
            places.of.resize(most, Place::NONE);
        }
        places.write_over(trees, boxes);
        if boxes.is_empty() {
            return;
        }
        let (mut last, mut total) = (0, boxes.len() + trees[0].len());
        while total > SMALLEST << (RATIO_BITS * last) {
            last += 1;
            total += trees[last].len();
        }
        places.wipe_out(trees, |tree, _| tree <= last);
        self.build(0..last + 1, boxes);
    }

    /// From now on trees keep filters.
    fn keep_filters(&mut self) {
        if !self.filtered {
            self.filtered = true;
            self.trees.iter_mut().for_each(Tree::keep_filters);
        }
    }

    /// Builds the last of these trees from what is in all of them and in `boxes`; the others are
    /// then empty. What has left them may still lie there.
    fn build(&mut self, trees: Range<usize>, boxes: &mut Vec<Named>) {
        let Self { trees: all, places, builder, filtered, level, threads, .. } = self;
        let (places, last) = (&mut places.of[..], trees.end - 1);
        for (k, tree) in trees.clone().zip(&mut all[trees]) {
            if tree.len() > 0 {
                tree.for_each(|slot, row| {
                    if places[row as usize] == Place::new(k, slot) {
                        boxes.push(tree.get(slot));
                    }
                });
            }
            tree.clear();
        }
        all[last].build(boxes, builder, (*level, threads));
        if *filtered {
            // From each row to the filter of its box, to the filter of its slot.
            for (k, named) in boxes.iter().enumerate() {
                places[named.name as usize] = Place::pending(k);
            }
            let tree = &mut all[last];
            tree.set_filters(|row| boxes[places[row as usize].slot()].filter);
        }
        all[last].for_each(|slot, row| places[row as usize] = Place::new(last, slot));
    }
}

/// How many movers a run has.
fn run_of(movers: usize) -> usize {
    movers.div_ceil(RUNS).max(RUN_MIN)
}

/// Into how many runs movers are cut.
fn runs_of(movers: usize) -> usize {
    movers.div_ceil(run_of(movers))
}

/// Fills `pairs` run by run; returns how long it took.
fn find<P: Copy + Default + Send + Sync>(
    pairs: &mut Runs<P>,
    threads: &Threads,
    movers: &[Mover],
    stacks: &mut [Stack],
    probe: &(dyn Fn(&[Mover], &mut Stack, &mut Buffer<P>) + Sync),
) -> Duration {
    let mut clock = Clock::start();
    let (size, count) = (run_of(movers.len()), runs_of(movers.len()));
    let runs = pairs.start(count);
    threads.enter(|| {
        par::for_each(&mut stacks[..threads.workers()], runs, |stack, index, run| {
            let movers = &movers[index * size..movers.len().min((index + 1) * size)];
            probe(movers, stack, &mut run.pairs);
        });
    });
    pairs.settle(count);
    clock.lap()
}
