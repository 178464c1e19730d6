//! Nearest boxes of a point or a box.
//!
//! Nodes are tested with the arithmetic of [`proximity`](crate::batch::proximity). It is monotonic,
//! rounding included, so the bounds of a node are never farther than a box inside them.

use super::{Accept, AcceptFn, Allowed, Queries, Query, TreeQuery, run_query};
use crate::broadphase::bvh::{BoundsOf, NodeBounds, PrunedQuery, Visits};
use crate::columns::Row;
use crate::geom::{Aabb, Invalid, MovingBox};
use crate::kernels::Hit;
use crate::kernels::proximity::nearest::NearestList;
use crate::kernels::proximity::{check_max, simd};
use crate::lanes::vectors::splat_each;
use crate::lanes::{F32Lanes, Isa, LANES_MAX};

/// A query for the boxes near a point or a box, up to a distance.
#[derive(Clone, Copy, Debug)]
pub struct Proximity {
    aabb: Aabb,
    max_distance: f32,
}

impl<'a> Queries<'a> {
    /// Finds the boxes near `aabb`, which may be a [point](Aabb::point): those at a distance of at
    /// most `max_distance`, as [`proximity::one_to_one`] computes it. The limit may be infinite.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `aabb` is invalid, or `max_distance` is negative or NaN.
    ///
    /// ```
    /// use swath::{Aabb, AabbColumns, Bvh};
    /// use swath::batch::Hit;
    ///
    /// let (x, zeros) = ([7.0, 3.0, 5.0, 3.0], [0.0; 4]);
    /// let mut tree = Bvh::new();
    /// tree.build(AabbColumns::new([&x, &zeros, &zeros], [&x, &zeros, &zeros])?)?;
    /// let queries = tree.queries();
    ///
    /// let point = Aabb::point([4.5, 0.0, 0.0])?;
    /// let nearest = queries.proximity(&point, 1.0)?.nearest().expect("one is half a unit away");
    /// assert!(nearest.row == 2 && nearest.value <= 0.5 && nearest.value > 0.499_999);
    /// let mut hits = [Hit::default(); 3];
    /// let found = queries.proximity(&point, f32::INFINITY)?.k_nearest(&mut hits);
    /// assert_eq!(found.iter().map(|hit| hit.row).collect::<Vec<_>>(), [2, 1, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// [`proximity::one_to_one`]: crate::batch::proximity::one_to_one
    pub fn proximity(
        &self,
        aabb: &Aabb,
        max_distance: f32,
    ) -> Result<Query<'a, Proximity>, Invalid> {
        aabb.validate()?;
        check_max(max_distance)?;
        Ok(Query::new(*self, Proximity::new(*aabb, max_distance)))
    }
}

impl<A: Accept> Query<'_, Proximity, A> {
    /// The nearest box; among equal distances the one in the lowest row.
    #[must_use]
    pub fn nearest(self) -> Option<Hit> {
        self.k_nearest(&mut [Hit::default()]).first().copied()
    }

    /// The nearest boxes, as many as `to` can store, ordered by distance, then by row. To find all boxes up to a distance in
    /// any order, [overlaps](Queries::overlap) take less time.
    pub fn k_nearest(self, to: &mut [Hit]) -> &[Hit] {
        let Self { queries, of, mut accept, visits } = self;
        let (nearest, looked) = of.nearest(&queries, accept.accept_fn(), to);
        looked.add_to(visits);
        nearest
    }
}

impl<A: Accept> Query<'_, Proximity, A> {
    /// Calls `visitor` with boxes in range, roughly the nearest first. It returns the distance up to which further boxes are visited, as
    /// the visitor of a path does: the limit never grows, a negative number stops, and a NaN leaves it unchanged.
    pub(crate) fn visit_near(self, mut visitor: impl FnMut(Hit) -> f32) {
        let Self { queries, of, mut accept, visits } = self;
        let mut visitor =
            |hit: Hit| if accept.accept(hit.row) { visitor(hit) } else { f32::INFINITY };
        of.each(&queries, &mut visitor).add_to(visits);
    }
}

impl Proximity {
    /// A query for the boxes at most `max_distance` from a valid box.
    pub(crate) fn new(aabb: Aabb, max_distance: f32) -> Self {
        Self { aabb, max_distance }
    }

    /// Calls `visitor` with boxes in range; returns what was visited. Compiled once for all functions of callers.
    fn each(&self, queries: &Queries<'_>, visitor: &mut dyn FnMut(Hit) -> f32) -> Visits {
        let (from, allowed) = (self.aabb.to_row(), queries.allowed());
        let query = EachNear { from, max_distance: self.max_distance, allowed, visitor };
        run_query(queries, query).1
    }

    /// Writes the nearest boxes to `to` and returns them, and what was visited. Compiled once for
    /// all functions of callers.
    fn nearest<'q, 'a>(
        &self,
        queries: &Queries<'q>,
        accept_fn: Option<AcceptFn<'q>>,
        to: &'a mut [Hit],
    ) -> (&'a [Hit], Visits) {
        let Self { aabb, max_distance } = self;
        let query = NearestTo::new(queries, aabb, *max_distance, accept_fn, to);
        let (query, looked) = run_query(queries, query);
        (query.into_hits(), looked)
    }
}

/// A running query, with the nearest boxes found so far.
pub(crate) struct NearestTo<'q, 'a> {
    from: [f32; 6],
    max_distance: f32,
    allowed: Allowed<'q>,
    /// The function that accepts boxes, if not all are accepted.
    accept: Option<AcceptFn<'q>>,
    nearest: NearestList<'a>,
}

impl<'q, 'a> NearestTo<'q, 'a> {
    pub(crate) fn new(
        queries: &Queries<'q>,
        aabb: &Aabb,
        max_distance: f32,
        accept: Option<AcceptFn<'q>>,
        to: &'a mut [Hit],
    ) -> Self {
        let (from, allowed) = (aabb.to_row(), queries.allowed());
        Self { from, max_distance, allowed, accept, nearest: NearestList::new(to) }
    }

    /// Returns the nearest boxes in order.
    pub(crate) fn into_hits(self) -> &'a [Hit] {
        self.nearest.into_hits()
    }
}

/// Returns the distances of a box from those in lanes, and which of them are in range.
#[inline(always)]
fn distances_within<I: Isa>(
    isa: I,
    (from, most): (&[f32; 6], f32),
    bounds: NodeBounds<'_>,
) -> (I::F32, I::Mask) {
    let distance = simd::distance(isa, &splat_each(isa, from), &bounds.columns(isa));
    (distance, distance.le(isa.splat(most)))
}

impl PrunedQuery for NearestTo<'_, '_> {
    const WIDE: bool = false;

    #[inline(always)]
    fn distance_max(&self) -> f32 {
        let reach = self.nearest.reach();
        if reach < self.max_distance { reach } else { self.max_distance }
    }

    #[inline(always)]
    fn distances<I: Isa>(&self, isa: I, bounds: NodeBounds<'_>, _: BoundsOf) -> (I::F32, I::Mask) {
        distances_within(isa, (&self.from, self.distance_max()), bounds)
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
        (distance, near): (I::F32, I::Mask),
        filters: &[u32],
    ) -> u64 {
        let mut near = self.allowed.of(isa, near, boxes, filters);
        if near == 0 {
            return 0;
        }
        let mut at = [0.0; LANES_MAX];
        distance.store(&mut at);
        let (rows, mut met) = (boxes.rows::<I>(), 0);
        while near != 0 {
            let lane = near.trailing_zeros() as usize;
            near &= near - 1;
            let hit = Hit { row: rows[lane], value: at[lane] };
            if self.nearest.takes(hit) {
                met += 1;
                if self.accept.accept(hit.row) {
                    self.nearest.insert(hit);
                }
            }
        }
        met
    }
}

impl TreeQuery for NearestTo<'_, '_> {
    fn set_grown(&mut self, grown: bool) {
        self.allowed.grown = grown;
    }
}

/// A running query that passes each box in range to a function, which limits the range.
struct EachNear<'q, 'v> {
    from: [f32; 6],
    max_distance: f32,
    allowed: Allowed<'q>,
    visitor: &'v mut dyn FnMut(Hit) -> f32,
}

impl PrunedQuery for EachNear<'_, '_> {
    const WIDE: bool = false;

    #[inline(always)]
    fn distance_max(&self) -> f32 {
        self.max_distance
    }

    #[inline(always)]
    fn distances<I: Isa>(&self, isa: I, bounds: NodeBounds<'_>, _: BoundsOf) -> (I::F32, I::Mask) {
        distances_within(isa, (&self.from, self.max_distance), bounds)
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
        (distance, near): (I::F32, I::Mask),
        filters: &[u32],
    ) -> u64 {
        let near = self.allowed.of(isa, near, boxes, filters);
        if near == 0 {
            return 0;
        }
        let mut at = [0.0; LANES_MAX];
        distance.store(&mut at);
        self.visit_nearest_first(near, &at, boxes.rows::<I>())
    }
}

impl EachNear<'_, '_> {
    /// Visits boxes of a leaf, the nearest first, because what the visitor does with one takes far longer than to find the nearest.
    #[inline(never)]
    fn visit_nearest_first(&mut self, mut near: u32, at: &[f32; LANES_MAX], rows: &[u32]) -> u64 {
        let mut met = 0;
        while near != 0 {
            let (mut lane, mut others) = (near.trailing_zeros() as usize, near & (near - 1));
            while others != 0 {
                let other = others.trailing_zeros() as usize;
                others &= others - 1;
                lane = if at[other] < at[lane] { other } else { lane };
            }
            near &= !(1 << lane);
            let hit = Hit { row: rows[lane], value: at[lane] };
            // Those that are left are not nearer.
            if hit.value > self.max_distance {
                break;
            }
            met += 1;
            let most = (self.visitor)(hit);
            if most < self.max_distance {
                self.max_distance = most;
            }
        }
        met
    }
}

impl TreeQuery for EachNear<'_, '_> {
    fn set_grown(&mut self, grown: bool) {
        self.allowed.grown = grown;
    }
}
