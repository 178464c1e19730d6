//! Queries over stored boxes: casts, sweeps, overlaps and nearest boxes.
//!
//! [`Queries`] is a view of the boxes of a [`Bvh`] or of [`FixedBoxes`](super::FixedBoxes);
//! several threads may use it at once. A method of it, such as [`Queries::cast`], creates a
//! [`Query`]; methods of the query restrict which boxes count, and others run it:
//!
//! ```
//! use swath::{AabbColumns, Bvh, Segment};
//!
//! // Three walls; the second is made of glass.
//! let (low, high) = ([2.0, 4.0, 6.0], [2.1, 4.1, 6.1]);
//! let (from, to) = ([-5.0; 3], [5.0; 3]);
//! let mut walls = Bvh::new();
//! walls.build(AabbColumns::new([&low, &from, &from], [&high, &to, &to])?)?;
//!
//! let sight = Segment::new([3.0, 0.0, 0.0], [8.0, 0.0, 0.0])?;
//! let queries = walls.queries();
//! assert_eq!(queries.cast(&sight)?.closest().map(|hit| hit.row), Some(1));
//! let hit = queries.cast(&sight)?.accepting(|row| row != 1).closest().expect("the third wall");
//! assert!(hit.row == 2 && hit.value <= 0.375);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Queries::cast`] and [`Queries::sweep`] find the boxes on a path, [`Queries::overlap`] and
//! similar methods the boxes that a shape touches, and [`Queries::proximity`] the nearest boxes.
//! [`Queries::casts`], [`Queries::sweeps`], [`Queries::overlaps`] and [`Queries::proximities`] do
//! the same for many rows in one call.
//!
//! # The algorithm
//!
//! ```text
//! for each tree of the view:
//!     traverse it from the root, the nearest child first        (bvh/traverse_nearest.rs)
//!         test the lanes of a node with the arithmetic of the query
//!         in a leaf whose boxes may be larger than the true ones, test the true boxes of the hit lanes
//!         in a leaf, apply the filter of the query in lanes, then owners and kinds (filter.rs),
//!         then the caller's function; keep or report the hit     (collector.rs, overlap.rs, nearest.rs)
//!         skip nodes that are farther than the query still searches
//! ```
//!
//! Guarantee: each answer is bit by bit that of testing every box; among equal distances the box
//! with the lowest row is chosen, on every level and with any number of threads. Lists are ordered by row or by distance. Only [`Query::visit`] and
//! `any` depend on the shape of the tree.

pub(crate) mod batch;
pub(crate) mod collector;
pub(crate) mod each;
pub(crate) mod filter;
pub(crate) mod nearest;
pub(crate) mod overlap;
pub(crate) mod path;

pub(crate) use super::bvh::Visits;
use super::bvh::forest::FixedBoxes;
use super::bvh::static_bvh::Bvh;
use super::bvh::{Descend, NodeBounds, PrunedQuery, Tree, descend_many, may_be_interleaved};
use super::pairs::input::allow;
use crate::geom::{Filter, MovingBox};
use crate::lanes::{Isa, Kernel, LANES_MAX, Level, MaskLanes, U32Lanes};
use crate::par::Threads;
pub(crate) use batch::Batch;
pub(crate) use each::{Overlaps, Proximities, STARTS};
pub(crate) use filter::{FilterContext, FilterRow, QueryFilter};
pub(crate) use nearest::Proximity;
pub(crate) use overlap::{Overlap, Planes, QueryShape};
pub(crate) use path::Path;

/// A view of stored boxes for queries.
#[derive(Clone, Copy, Debug)]
pub struct Queries<'a> {
    /// Trees with the true boxes.
    trees: &'a [Tree],
    /// Trees in which some boxes may be larger than the true ones.
    grown: [&'a [Tree]; 2],
    /// The true boxes of `grown` by row, if any box there is larger.
    true_boxes: Option<&'a [MovingBox]>,
    level: Level,
    threads: &'a Threads,
    filter: Option<Filter>,
    pub(crate) row_filter: QueryFilter<'a>,
}

impl FixedBoxes {
    /// A view of the boxes for queries, such as which of them a segment enters first.
    #[must_use]
    pub fn queries(&self) -> Queries<'_> {
        let row_filter = QueryFilter::new(&self.filters, self.inexact_filters);
        Queries::new(self.trees(), row_filter, self.exec.level, &self.exec.threads)
    }
}

impl Bvh {
    /// A view of the boxes for queries.
    #[must_use]
    pub fn queries(&self) -> Queries<'_> {
        let row_filter = QueryFilter::new(&self.filters, self.inexact_filters);
        let trees = core::slice::from_ref(&self.tree);
        Queries::new(trees, row_filter, self.exec.level, &self.exec.threads)
    }
}

impl<'a> Queries<'a> {
    /// A view of the boxes of all these trees.
    pub(crate) fn new(
        trees: &'a [Tree],
        row_filter: QueryFilter<'a>,
        level: Level,
        threads: &'a Threads,
    ) -> Self {
        let grown = [&[][..]; 2];
        Self { trees, grown, true_boxes: None, level, threads, filter: None, row_filter }
    }

    /// The threads of batches.
    pub(crate) fn threads(&self) -> &'a Threads {
        self.threads
    }

    /// Adds the trees `grown`, whose boxes may be larger than the true ones if there are `true_boxes`.
    pub(crate) fn with_grown(
        self,
        grown: [&'a [Tree]; 2],
        true_boxes: Option<&'a [MovingBox]>,
    ) -> Self {
        Self { grown, true_boxes, ..self }
    }

    /// Considers only boxes that may pair with `filter`, as defined by [`Filter::allows`]. A box
    /// that was inserted without a filter has [`Filter::ALL`]. To find all boxes of some categories, pass
    /// `Filter::new(u32::MAX, categories)`: only a box whose own mask is 0 is not found by it. A second call replaces
    /// the filter of the first.
    #[must_use]
    pub fn filtered(mut self, filter: Filter) -> Self {
        let checks = self.row_filter.inexact_filters || !filter.is_exact();
        self.row_filter.filter = checks.then_some(filter);
        Self { filter: Some(filter), ..self }
    }

    /// Calls `visitor` with the trees that may contain a box that the filter allows, and whether some of their boxes may be
    /// larger than the true ones.
    fn for_each_tree(&self, visitor: &mut dyn FnMut(&'a Tree, bool)) {
        let unfiltered = self.filter.is_none_or(|filter| filter.allows(Filter::ALL));
        let [some, others] = self.grown;
        for &(trees, grown) in &[(some, true), (others, true), (self.trees, false)] {
            for tree in trees {
                if unfiltered || tree.is_filtered() {
                    visitor(tree, grown);
                }
            }
        }
    }

    /// The boxes that the filter and the row filter allow.
    fn allowed(&self) -> Allowed<'a> {
        let rotated = self.filter.map(|filter| filter.word().rotate_left(16));
        let Self { row_filter, true_boxes, .. } = *self;
        let row_filter = row_filter.excludes_any().then_some(row_filter);
        Allowed { rotated, row_filter, true_boxes, grown: false }
    }
}

/// Which boxes a query may find.
#[derive(Clone, Copy, Debug)]
struct Allowed<'a> {
    /// The filter of the query as a word, rotated by 16 bits.
    rotated: Option<u32>,
    row_filter: Option<QueryFilter<'a>>,
    /// The true boxes by row, if any box in a tree is larger.
    true_boxes: Option<&'a [MovingBox]>,
    /// Whether the boxes of the current tree may be larger than the true ones.
    grown: bool,
}

impl<'a> Allowed<'a> {
    /// The true boxes of the current tree by row, if any of its boxes is larger.
    #[inline(always)]
    fn true_boxes(&self) -> Option<&'a [MovingBox]> {
        if self.grown { self.true_boxes } else { None }
    }

    /// The lanes of `reached` that both filters allow, as bits. `filters` are the
    /// filters of the boxes; empty if every box may pair with everything.
    #[inline(always)]
    fn of<I: Isa>(&self, isa: I, reached: I::Mask, boxes: NodeBounds<'_>, filters: &[u32]) -> u32 {
        let allowed = self.by_filter(isa, reached, filters).bits();
        match &self.row_filter {
            Some(row_filter) => row_filter.passing(allowed, boxes.rows::<I>()),
            None => allowed,
        }
    }

    /// The rows of the lanes of `reached` that both filters allow, in the order of
    /// lanes, and their number.
    #[inline(always)]
    fn rows_of<I: Isa>(
        &self,
        isa: I,
        reached: I::Mask,
        boxes: NodeBounds<'_>,
        filters: &[u32],
    ) -> ([u32; LANES_MAX], usize) {
        let allowed = self.by_filter(isa, reached, filters);
        let (mut rows, mut count) = ([0; LANES_MAX], allowed.count());
        if count > 0 {
            isa.load_u32(boxes.rows::<I>()).compress(allowed).store(&mut rows);
            if let Some(row_filter) = &self.row_filter {
                let mut left = row_filter.passing(u32::MAX >> (u32::BITS - count as u32), &rows);
                count = 0;
                while left != 0 {
                    rows[count] = rows[left.trailing_zeros() as usize];
                    left &= left - 1;
                    count += 1;
                }
            }
        }
        (rows, count)
    }

    /// The lanes of `reached` that the filter allows.
    #[inline(always)]
    fn by_filter<I: Isa>(&self, isa: I, reached: I::Mask, filters: &[u32]) -> I::Mask {
        match self.rotated {
            Some(rotated) if !filters.is_empty() => {
                reached & allow(isa.splat_u32(rotated), isa.load_u32(filters))
            }
            _ => reached,
        }
    }
}

/// A running query over the boxes of one tree after the other.
trait TreeQuery: PrunedQuery {
    /// Sets whether the boxes of the next tree may be larger than the true ones.
    fn set_grown(&mut self, grown: bool);
}

/// Decides which boxes count: a function `FnMut(u32) -> bool` of the row, or [`EveryBox`].
pub trait Accept {
    /// Whether the box in this row counts. Called for boxes that the query reaches.
    fn accept(&mut self, row: u32) -> bool;

    /// The function to call, or `None` if all boxes count.
    #[doc(hidden)]
    fn accept_fn(&mut self) -> Option<AcceptFn<'_>>
    where
        Self: Sized,
    {
        Some(AcceptFn(self))
    }
}

/// A pointer to the caller's function, so that the traversal is compiled once for all functions.
#[doc(hidden)]
pub struct AcceptFn<'a>(&'a mut dyn Accept);

impl Accept for Option<AcceptFn<'_>> {
    #[inline(always)]
    fn accept(&mut self, row: u32) -> bool {
        match self {
            Some(accept_fn) => accept_fn.0.accept(row),
            None => true,
        }
    }
}

/// Accepts all boxes.
#[derive(Clone, Copy, Debug, Default)]
pub struct EveryBox;

impl Accept for EveryBox {
    #[inline(always)]
    fn accept(&mut self, _: u32) -> bool {
        true
    }

    fn accept_fn(&mut self) -> Option<AcceptFn<'_>> {
        None
    }
}

impl<F: FnMut(u32) -> bool> Accept for F {
    #[inline(always)]
    fn accept(&mut self, row: u32) -> bool {
        self(row)
    }
}

/// A query over stored boxes. `Q` is what they are tested with, `A` decides which of them count.
#[derive(Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct Query<'a, Q, A = EveryBox> {
    queries: Queries<'a>,
    of: Q,
    accept: A,
    visits: Option<&'a mut Visits>,
}

impl<'a, Q> Query<'a, Q> {
    pub(crate) fn new(queries: Queries<'a>, of: Q) -> Self {
        Self { queries, of, accept: EveryBox, visits: None }
    }

    /// Considers only boxes whose row `accept` accepts. It is called for boxes that the query
    /// reaches and that the filter allows, in arbitrary order, at most once for each. A query has one such function:
    ///
    /// ```compile_fail
    /// let bvh = swath::Bvh::new();
    /// let query = bvh.queries().overlap_point([0.0; 3]).expect("valid");
    /// query.accepting(|_| true).accepting(|_| true).any();
    /// ```
    pub fn accepting<F: FnMut(u32) -> bool>(self, accept: F) -> Query<'a, Q, F> {
        self.with_accept(accept)
    }
}

impl<'a, Q, A> Query<'a, Q, A> {
    /// Replaces the function that accepts boxes.
    pub(crate) fn with_accept<B>(self, accept: B) -> Query<'a, Q, B> {
        let Self { queries, of, visits, .. } = self;
        Query { queries, of, accept, visits }
    }

    /// Adds the number of visited nodes and boxes to `visits`.
    pub fn counting(self, visits: &'a mut Visits) -> Self {
        Self { visits: Some(visits), ..self }
    }

    /// Returns what the boxes are tested with, and the query with another one made of it.
    pub(crate) fn split<R>(self, other: impl FnOnce(&Q) -> R) -> (Q, Query<'a, R, A>) {
        let Self { queries, of, accept, visits } = self;
        let other = other(&of);
        (of, Query { queries, of: other, accept, visits })
    }
}

/// Runs a query over all trees of a view. Returns the query with its results, and what it visited.
fn run_query<N: TreeQuery>(view: &Queries<'_>, mut query: N) -> (N, Visits) {
    let mut visits = Visits::default();
    view.for_each_tree(&mut |tree, grown| {
        query.set_grown(grown);
        view.level.run(Descend { tree, query: &mut query, visits: &mut visits });
    });
    (query, visits)
}

/// Runs several queries over all trees of a view.
fn run_queries<N: TreeQuery>(view: &Queries<'_>, queries: &mut [N]) {
    view.for_each_tree(&mut |tree, grown| {
        queries.iter_mut().for_each(|query| query.set_grown(grown));
        if may_be_interleaved(tree, queries.len()) {
            view.level.run(DescendMany { tree, queries });
        } else {
            for query in &mut *queries {
                let visits = &mut Visits::default();
                view.level.run(Descend { tree, query, visits });
            }
        }
    });
}

/// The kernel that runs several queries over one tree.
struct DescendMany<'a, N> {
    tree: &'a Tree,
    queries: &'a mut [N],
}

impl<N: PrunedQuery> Kernel for DescendMany<'_, N> {
    type Output = ();

    const WIDE: bool = N::WIDE;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { tree, queries } = self;
        descend_many(isa, tree, queries);
    }
}

impl Visits {
    fn add_to(self, visits: Option<&mut Self>) {
        if let Some(visits) = visits {
            visits.nodes += self.nodes;
            visits.leaves += self.leaves;
            visits.boxes += self.boxes;
        }
    }
}
