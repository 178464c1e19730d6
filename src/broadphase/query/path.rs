//! Casts and sweeps: which boxes a segment or a moving box meets on its path, and where.
//!
//! A segment is tested with the arithmetic of [`cast`](crate::batch::cast), a moving box with that of
//! [`sweep`](crate::batch::sweep), against the bounds of nodes as against boxes. Both are monotonic in the
//! faces of a box, rounding included, so a path never touches the bounds of a node later than a box
//! inside them, and never misses them if it touches such a box.

use super::collector::{CollectFirst, HitChoice, HitCollector};
use super::{Accept, AcceptFn, Allowed, Queries, Query, TreeQuery, run_queries, run_query};
use crate::broadphase::bvh::{BoundsOf, NodeBounds, PrunedQuery, Visits};
use crate::columns::Row;
use crate::geom::{Invalid, MovingBox, Segment};
use crate::kernels::{Hit, cast, sweep};
use crate::lanes::{F32Lanes, Isa, LANES_MAX};
use crate::par::sort;
use alloc::vec::Vec;
use core::array::from_fn;

impl<'a> Queries<'a> {
    /// Finds the boxes that `segment` enters.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the segment is invalid.
    pub fn cast(&self, segment: &Segment) -> Result<Query<'a, Segment>, Invalid> {
        segment.validate()?;
        Ok(Query::new(*self, *segment))
    }

    /// Finds the boxes that `moving` touches on its path. The boxes themselves do not move.
    ///
    /// ```
    /// use swath::{Aabb, AabbColumns, Bvh, MovingBox};
    ///
    /// let (low, high) = ([2.0, 3.0], [2.5, 3.5]);
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&low; 3], [&high; 3])?)?;
    ///
    /// let bullet = MovingBox::new(Aabb::cube([0.0; 3], 1.0)?, [4.0; 3])?;
    /// let hit = tree.queries().sweep(&bullet)?.closest().expect("it flies through both");
    /// assert!(hit.row == 0 && hit.value <= 0.25 && hit.value > 0.249_999);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the moving box is invalid.
    pub fn sweep(&self, moving: &MovingBox) -> Result<Query<'a, MovingBox>, Invalid> {
        moving.validate()?;
        Ok(Query::new(*self, *moving))
    }
}

/// A path: a [`Segment`] or a [`MovingBox`].
pub trait Path: Copy + Send + Sync + PathArithmetic {}

impl Path for Segment {}
impl Path for MovingBox {}

/// The arithmetic of a path. It is a value and not a type, so that queries are compiled once for all paths.
pub trait PathArithmetic {
    /// The position of the end of the path.
    fn reach(&self) -> f32;

    /// The test of the path against boxes.
    fn test(&self) -> PathTest;
}

/// The position of a hit on the path is [`Cast::entry`](crate::batch::cast::Cast::entry) of a segment and
/// [`Sweep::first`](crate::batch::sweep::Sweep::first) of a moving box, with the same bits.
impl<P: Path, A: Accept> Query<'_, P, A> {
    /// The box that is hit first; among equal positions the one with the lowest row.
    #[must_use]
    pub fn closest(self) -> Option<Hit> {
        self.first(HitChoice::Closest)
    }

    /// Any box that is hit, or `None`. Which one depends on the shape of the tree, not on levels or
    /// threads.
    #[must_use]
    pub fn any(self) -> Option<Hit> {
        self.first(HitChoice::Any)
    }

    fn first(self, choice: HitChoice) -> Option<Hit> {
        let Self { queries, of, mut accept, visits } = self;
        let (found, looked) = first(&queries, (of.test(), of.reach()), choice, accept.accept_fn());
        looked.add_to(visits);
        found
    }

    /// Replaces the contents of `hits` by all boxes that are hit, ordered by row.
    pub fn all(self, hits: &mut Vec<Hit>) {
        self.collect(hits);
        sort_by_row(hits);
    }

    /// Replaces the contents of `hits` by all boxes that are hit, ordered by position on the path,
    /// then by row.
    pub fn sorted(self, hits: &mut Vec<Hit>) {
        self.collect(hits);
        sort_by_position(hits);
    }

    fn collect(self, hits: &mut Vec<Hit>) {
        hits.clear();
        self.visit(|hit| {
            hits.push(hit);
            f32::INFINITY
        });
    }

    /// Calls `visitor` with boxes that are hit. It returns the position on the path up to which
    /// further hits are visited: `hit.value` for nothing farther, infinity for all, a negative number to
    /// stop. The limit never grows again, and a NaN leaves it unchanged.
    ///
    /// The order is roughly that of positions, because nodes of the tree are visited in that order.
    /// It depends on the shape of the tree, not on levels or threads.
    ///
    /// ```
    /// use swath::{AabbColumns, Bvh, Segment};
    ///
    /// let low: Vec<f32> = (0..100).map(|k| k as f32).collect();
    /// let high: Vec<f32> = low.iter().map(|low| low + 0.5).collect();
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&low; 3], [&high; 3])?)?;
    ///
    /// // The boxes in even rows, up to the first box in an odd row.
    /// let ray = Segment::ray([9.75; 3], [1.0; 3])?;
    /// let (mut odd, mut even) = (f32::INFINITY, Vec::new());
    /// tree.queries().cast(&ray)?.visit(|hit| {
    ///     match hit.row % 2 {
    ///         0 => even.push(hit),
    ///         _ => odd = odd.min(hit.value),
    ///     }
    ///     odd
    /// });
    /// even.retain(|hit| hit.value <= odd);
    /// assert!(even.len() == 1 && even[0].row == 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn visit(self, mut visitor: impl FnMut(Hit) -> f32) {
        let Self { queries, of, mut accept, visits } = self;
        let mut visitor =
            |hit: Hit| if accept.accept(hit.row) { visitor(hit) } else { f32::INFINITY };
        each(&queries, (of.test(), of.reach()), &mut visitor).add_to(visits);
    }
}

/// Tests a path against the boxes or bounds in the lanes of a node.
#[derive(Clone, Copy, Debug)]
pub struct PathTest(TestKind);

#[derive(Clone, Copy, Debug)]
enum TestKind {
    Segment(cast::Entry),
    /// A moving box in the layout of the columns.
    MovingBox([f32; 9]),
}

impl PathTest {
    /// The positions of first contact, at least 0, and which of them are at most `most`.
    #[inline(always)]
    fn test<I: Isa>(&self, isa: I, bounds: NodeBounds<'_>, most: f32) -> (I::F32, I::Mask) {
        match &self.0 {
            TestKind::Segment(entry) => {
                let (mut first, mut last) = ([isa.splat(0.0); 3], [isa.splat(0.0); 3]);
                for axis in 0..3 {
                    let [near, far] = entry.faces(axis);
                    (first[axis], last[axis]) = (bounds.column(isa, near), bounds.column(isa, far));
                }
                entry.entries(isa, (&first, &last), most)
            }
            TestKind::MovingBox(row) => {
                let (still, mut a) = (isa.splat(0.0), [isa.splat(0.0); 9]);
                for (number, &of) in a.iter_mut().zip(row) {
                    *number = isa.splat(of);
                }
                let [x0, y0, z0, x1, y1, z1] = bounds.columns(isa);
                let still_boxes = [x0, y0, z0, x1, y1, z1, still, still, still];
                let (first, met) = sweep::times(isa, &a, &still_boxes);
                // The faces of empty lanes are inverted and would be hit from both sides.
                (first, met & first.le(isa.splat(most)) & bounds.filled(isa))
            }
        }
    }
}

/// Largest number of paths that are queried together.
pub(crate) const BATCH: usize = 64;

/// Finds a hit on a path that ends at `reach`: the path is `(test, reach)`.
fn first(
    queries: &Queries<'_>,
    path: (PathTest, f32),
    choice: HitChoice,
    accept_fn: Option<AcceptFn<'_>>,
) -> (Option<Hit>, Visits) {
    let (traversal, visits) =
        run_query(queries, PathTraversal::first(queries, path, choice, accept_fn));
    (traversal.found(), visits)
}

/// Passes the hits on a path that ends at `reach` to `visitor`.
fn each(
    queries: &Queries<'_>,
    (path, reach): (PathTest, f32),
    visitor: &mut dyn FnMut(Hit) -> f32,
) -> Visits {
    let collector = HitCollector::Each(visitor);
    run_query(queries, PathTraversal { path, allowed: queries.allowed(), most: reach, collector }).1
}

/// Writes a hit on each of several paths to `hits`, for at least one and at most [`BATCH`] paths. `path(k)` returns
/// the test and the end of path `k`.
pub(crate) fn first_of_many(
    queries: &Queries<'_>,
    path: &dyn Fn(usize) -> (PathTest, f32),
    choice: HitChoice,
    hits: &mut [Hit],
) {
    let mut traversals: [_; BATCH] =
        from_fn(|k| PathTraversal::first(queries, path(k.min(hits.len() - 1)), choice, None));
    run_queries(queries, &mut traversals[..hits.len()]);
    for (hit, traversal) in hits.iter_mut().zip(&traversals) {
        *hit = traversal.found().unwrap_or(Hit::MISS);
    }
}

/// A running query: a path, and the collector of its hits.
struct PathTraversal<'a, 'c> {
    path: PathTest,
    allowed: Allowed<'a>,
    /// The position up to which hits still count. Never grows.
    most: f32,
    collector: HitCollector<'c>,
}

impl<'a, 'c> PathTraversal<'a, 'c> {
    /// A query for a single hit on a path that ends at `reach`.
    fn first(
        queries: &Queries<'a>,
        (path, reach): (PathTest, f32),
        choice: HitChoice,
        accept_fn: Option<AcceptFn<'c>>,
    ) -> Self {
        let collector = HitCollector::First(CollectFirst::new(reach, choice, accept_fn));
        Self { path, allowed: queries.allowed(), most: reach, collector }
    }

    /// The single hit, if there is one.
    fn found(&self) -> Option<Hit> {
        match &self.collector {
            HitCollector::First(first) => first.found(),
            HitCollector::Each(_) => None,
        }
    }
}

impl PrunedQuery for PathTraversal<'_, '_> {
    #[inline(always)]
    fn distance_max(&self) -> f32 {
        self.most
    }

    #[inline(always)]
    fn distances<I: Isa>(&self, isa: I, bounds: NodeBounds<'_>, _: BoundsOf) -> (I::F32, I::Mask) {
        self.path.test(isa, bounds, self.most)
    }

    #[inline(always)]
    fn true_boxes(&self) -> Option<&[MovingBox]> {
        self.allowed.true_boxes()
    }

    #[inline(always)]
    fn visit_leaf<I: Isa>(
        &mut self,
        isa: I,
        boxes: NodeBounds<'_>,
        (at, met): (I::F32, I::Mask),
        filters: &[u32],
    ) -> u64 {
        let mut met = self.allowed.of(isa, met, boxes, filters);
        if met == 0 {
            return 0;
        }
        let mut ats = [0.0; LANES_MAX];
        at.store(&mut ats);
        let (rows, mut count) = (boxes.rows::<I>(), 0);
        while met != 0 {
            let lane = met.trailing_zeros() as usize;
            met &= met - 1;
            // Hits in earlier lanes may have reduced the limit.
            let hit = Hit { row: rows[lane], value: ats[lane] };
            count +=
                u64::from(hit.value <= self.most && self.collector.collect(hit, &mut self.most));
        }
        count
    }
}

impl TreeQuery for PathTraversal<'_, '_> {
    fn set_grown(&mut self, grown: bool) {
        self.allowed.grown = grown;
    }
}

impl PathArithmetic for Segment {
    fn reach(&self) -> f32 {
        // A box that is entered at infinity is missed.
        if self.max_fraction < f32::MAX { self.max_fraction } else { f32::MAX }
    }

    fn test(&self) -> PathTest {
        PathTest(TestKind::Segment(cast::Entry::new(self)))
    }
}

impl PathArithmetic for MovingBox {
    fn reach(&self) -> f32 {
        1.0
    }

    fn test(&self) -> PathTest {
        PathTest(TestKind::MovingBox(self.to_row()))
    }
}

/// Sorts hits by row. It is not generic, so that it is compiled once.
fn sort_by_row(hits: &mut [Hit]) {
    sort::<2>(bytemuck::cast_slice_mut(hits));
}

/// Sorts hits by position, then by row. Positions are not negative, so that their bits have the same order.
fn sort_by_position(hits: &mut [Hit]) {
    let words: &mut [[u32; 2]] = bytemuck::cast_slice_mut(hits);
    words.iter_mut().for_each(|words| words.reverse());
    sort(words);
    words.iter_mut().for_each(|words| words.reverse());
}
