//! Queries over the proxies of a broadphase: casts, sweeps, overlaps and nearest proxies.
//!
//! The queries are those of [`Queries`], over the forests of resting proxies and a tree of the
//! movers (`mover_tree`). The forest of a kind contains the fat AABB of each proxy with a margin;
//! a query that reaches one tests the true box instead, which is looked up by slot. Rows are slots, so their
//! order is that of ids. Batch answers are written to the caller's memory as rows, which are then
//! replaced by ids in place.

use super::Broadphase;
use super::id::ProxyId;
use super::proxy::ProxyKind;
use super::slots::Slots;
use super::state::BroadphaseState;
use crate::broadphase::bvh::Tree;
use crate::broadphase::query::{
    Accept, Batch, EveryBox, FilterContext, FilterRow, Overlap, Overlaps, Path, Planes,
    Proximities, Proximity, Queries, Query, QueryFilter, QueryShape, Visits,
};
use crate::columns::{self, AabbColumns, Checked, Columns, LengthMismatch};
use crate::geom::{Aabb, Filter, Invalid, MovingBox, Plane, Segment, Sphere};
use crate::kernels::Hit;
use crate::par::sort;
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};
use core::ops::ControlFlow;
use core::slice;

/// A proxy that a query found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct ProxyHit {
    /// The id of the proxy.
    pub id: ProxyId,
    /// Position on the path, or distance, as in [`Hit::value`].
    pub value: f32,
}

impl ProxyHit {
    /// Marks a row of a batch for which nothing was found.
    pub const MISS: Self = Self { id: ProxyId::NONE, value: f32::INFINITY };

    /// Whether this is not [`ProxyHit::MISS`].
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.id != ProxyId::NONE
    }
}

impl Broadphase {
    /// A view for queries over all enabled proxies, with their true boxes at the start of the tick.
    ///
    /// Applies the changes of resting proxies since the last update or view. If a mover has
    /// changed, it also builds a tree of all movers, which takes about 40 ns for each mover on one
    /// thread. So make many queries with one view, and change proxies afterwards: calls of this function and of
    /// [`Broadphase::set`] in turn build the tree each time. The view borrows the broadphase exclusively: a function that
    /// is passed to a query and reads [`Broadphase::data`] needs the view of [`Broadphase::prepared_queries`].
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Filter, Proxy, ProxyKind, Segment};
    ///
    /// let mut world = Broadphase::new();
    /// let beside = |x: f32| Aabb::cube([x, 0.0, 0.0], 0.5);
    /// let me = world.insert(beside(0.0)?, Proxy::dynamic().owned_by(1))?;
    /// let crate_box = world.insert(beside(3.0)?, Proxy::sleeping().with_margin(0.25))?;
    /// let wall = world.insert(beside(6.0)?, Proxy::fixed())?;
    ///
    /// let queries = world.queries();
    /// let sight = Segment::new([0.0; 3], [8.0, 0.0, 0.0])?;
    /// let hit = queries.cast(&sight)?.closest().expect("it starts in a box");
    /// assert_eq!((hit.id, hit.value), (me, 0.0));
    /// let others = queries.without_owner(1);
    /// let hit = others.cast(&sight)?.closest().expect("there are two more");
    /// assert!(hit.id == crate_box && hit.value > 0.312); // 2.5 / 8, not where the margin begins
    /// let hit = others.without(ProxyKind::Sleeping).cast(&sight)?.closest().expect("there is a wall");
    /// assert_eq!(hit.id, wall);
    ///
    /// let mut ids = Vec::new();
    /// let place = Aabb::new([2.0, 0.0, 0.0], [7.0, 0.0, 0.0])?;
    /// queries.overlap(&place)?.accepting(|id| id != wall).all(&mut ids);
    /// assert_eq!(ids, [crate_box]);
    /// assert_eq!(queries.filtered(Filter::NONE).overlap(&place)?.any(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn queries(&mut self) -> ProxyQueries<'_> {
        self.mover_tree.update(&self.state, self.filtered, (self.exec.level, &self.exec.threads));
        self.view(true)
    }

    /// Like [`Broadphase::queries`], but only over fixed and sleeping proxies; no tree of movers is
    /// built.
    #[must_use]
    pub fn queries_of_resting(&mut self) -> ProxyQueries<'_> {
        self.view(false)
    }

    /// Does the work of [`Broadphase::queries`] in advance, so that [`Broadphase::prepared_queries`] returns a view
    /// until the next change of a proxy.
    pub fn prepare_queries(&mut self) {
        let _ = self.queries();
    }

    /// The view of [`Broadphase::queries`] through a shared reference, so that several systems of an engine may each
    /// request one at the same time. `None` if a call has changed a proxy since the last call of [`Broadphase::prepare_queries`] or
    /// [`Broadphase::queries`]. If only fixed or sleeping proxies were changed, the next update applies these changes to the trees, and after it a
    /// view is returned again. After [`Broadphase::restore`], [`Broadphase::clear`] and [`Broadphase::shrink_to_fit`], prepare the queries again.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let id = world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::dynamic())?;
    /// assert!(world.prepared_queries().is_none());
    /// world.update()?;
    /// world.prepare_queries();
    /// std::thread::scope(|scope| {
    ///     for _ in 0..2 {
    ///         scope.spawn(|| {
    ///             let queries = world.prepared_queries().expect("nothing has changed");
    ///             assert_eq!(queries.overlap_point([0.5; 3]).expect("valid").any(), Some(id));
    ///         });
    ///     }
    /// });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn prepared_queries(&self) -> Option<ProxyQueries<'_>> {
        (self.trees.is_current() && self.mover_tree.is_current()).then(|| self.view_of(true))
    }

    fn view(&mut self, with_movers: bool) -> ProxyQueries<'_> {
        self.update_trees();
        self.view_of(with_movers)
    }

    /// Applies the pending changes of resting proxies to their trees.
    pub(super) fn update_trees(&mut self) {
        self.trees.set_exec(&self.exec);
        self.trees.update(&self.state, self.filtered);
    }

    fn view_of(&self, with_movers: bool) -> ProxyQueries<'_> {
        let Self { state, trees, mover_tree, exec, inexact_filters, .. } = self;
        let moving = if with_movers { slice::from_ref(&mover_tree.tree) } else { &[] };
        let row_filter = QueryFilter::new(state, *inexact_filters);
        let of = Queries::new(moving, row_filter, exec.level, &exec.threads);
        let true_boxes = trees.any_fat().then_some(&state.boxes[..]);
        ProxyQueries { of, fat_trees: trees.fat_trees(), true_boxes, slots: &state.slots }
    }
}

/// The bit of a kind in the query filter.
fn kind_bit(kind: ProxyKind) -> u8 {
    1 << kind as u8
}

impl FilterContext for BroadphaseState {
    fn row(&self, row: u32) -> FilterRow {
        let slot = self.slot(row as usize);
        FilterRow { kind: kind_bit(slot.kind), owner: slot.owner, filter: slot.filter }
    }
}

/// A view for queries over the proxies of a [`Broadphase`], created by [`Broadphase::queries`].
///
/// Each answer is bit by bit that of testing every true box, on every level and with any number of threads; among equal distances the lowest id is
/// chosen. Only [`ProxyQuery::any`] and the order of [`ProxyQuery::visit`] depend on the history of the broadphase, which a snapshot does not
/// contain. Several threads may use a view at once.
#[derive(Clone, Copy, Debug)]
pub struct ProxyQueries<'a> {
    of: Queries<'a>,
    /// The trees of fixed and of sleeping proxies.
    fat_trees: [&'a [Tree]; 2],
    /// The true boxes of these proxies by slot, if any has a margin.
    true_boxes: Option<&'a [MovingBox]>,
    pub(crate) slots: &'a Slots,
}

impl<'a> ProxyQueries<'a> {
    /// Considers only proxies that may pair with `filter`, as defined by [`Filter::allows`]. To find all proxies of some categories,
    /// pass `Filter::new(u32::MAX, categories)`: only a proxy whose own mask is 0 is not found by it. A second
    /// call replaces the filter of the first.
    #[must_use]
    pub fn filtered(self, filter: Filter) -> Self {
        Self { of: self.of.filtered(filter), ..self }
    }

    /// Considers only proxies that do not belong to `owner`. Owner 0 excludes no proxy. A second call replaces the owner of
    /// the first.
    #[must_use]
    pub fn without_owner(mut self, owner: u32) -> Self {
        self.of.row_filter.owner = owner;
        self
    }

    /// Considers only proxies of other kinds than `kind`. May be called for several kinds.
    #[must_use]
    pub fn without(mut self, kind: ProxyKind) -> Self {
        self.of.row_filter.kinds |= kind_bit(kind);
        let [fixed, sleeping] = &mut self.fat_trees;
        match kind {
            ProxyKind::Fixed => *fixed = &[],
            ProxyKind::Sleeping => *sleeping = &[],
            ProxyKind::Dynamic | ProxyKind::Kinematic => (),
        }
        self
    }

    pub(crate) fn rows(&self) -> Queries<'a> {
        self.of.with_grown(self.fat_trees, self.true_boxes)
    }

    pub(crate) fn with_ids<T>(&self, of: T) -> ProxyQuery<'a, T> {
        ProxyQuery { of, slots: self.slots }
    }

    /// Finds the boxes that `segment` enters, like [`Queries::cast`].
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the segment is invalid.
    pub fn cast(&self, segment: &Segment) -> Result<ProxyQuery<'a, Query<'a, Segment>>, Invalid> {
        Ok(self.with_ids(self.rows().cast(segment)?))
    }

    /// Finds the boxes that `moving` touches on its path, like [`Queries::sweep`]. All proxies stay
    /// where they are at the start of the tick.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the moving box is invalid.
    pub fn sweep(
        &self,
        moving: &MovingBox,
    ) -> Result<ProxyQuery<'a, Query<'a, MovingBox>>, Invalid> {
        Ok(self.with_ids(self.rows().sweep(moving)?))
    }

    /// Finds the boxes that share a point with `aabb`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the box is invalid.
    pub fn overlap(
        &self,
        aabb: &Aabb,
    ) -> Result<ProxyQuery<'a, Query<'a, Overlap<Aabb>>>, Invalid> {
        Ok(self.with_ids(self.rows().overlap(aabb)?))
    }

    /// Finds the boxes that contain `point`; surfaces count.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the point is invalid.
    pub fn overlap_point(
        &self,
        point: impl Into<[f32; 3]>,
    ) -> Result<ProxyQuery<'a, Query<'a, Overlap<Aabb>>>, Invalid> {
        Ok(self.with_ids(self.rows().overlap_point(point)?))
    }

    /// Finds the boxes that share a point with `sphere`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when the sphere is invalid.
    pub fn overlap_sphere(
        &self,
        sphere: &Sphere,
    ) -> Result<ProxyQuery<'a, Query<'a, Overlap<Sphere>>>, Invalid> {
        Ok(self.with_ids(self.rows().overlap_sphere(sphere)?))
    }

    /// Finds the boxes that are not entirely outside of one of the half-spaces `planes`,
    /// like [`Queries::overlap_planes`].
    ///
    /// # Errors
    ///
    /// [`Invalid`] when one of the planes is invalid.
    pub fn overlap_planes<'p>(
        &self,
        planes: &'p [Plane],
    ) -> Result<ProxyQuery<'a, Query<'a, Overlap<Planes<'p>>>>, Invalid> {
        Ok(self.with_ids(self.rows().overlap_planes(planes)?))
    }

    /// Finds the boxes at a distance of at most `max_distance` from `aabb`, like
    /// [`Queries::proximity`].
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `aabb` is invalid, or `max_distance` is negative or NaN.
    pub fn proximity(
        &self,
        aabb: &Aabb,
        max_distance: f32,
    ) -> Result<ProxyQuery<'a, Query<'a, Proximity>>, Invalid> {
        Ok(self.with_ids(self.rows().proximity(aabb, max_distance)?))
    }

    /// Casts many segments: the answers are those of [`ProxyQueries::cast`] for each, but found
    /// faster, and on several threads.
    ///
    /// ```
    /// use swath::broadphase::ProxyHit;
    /// use swath::{Aabb, Broadphase, Proxy, Segment};
    /// use swath::batch::SegmentStore;
    ///
    /// let mut world = Broadphase::new();
    /// let id = world.insert(Aabb::new([2.0; 3], [3.0; 3])?, Proxy::dynamic())?;
    /// let mut rays = SegmentStore::new();
    /// rays.push(Segment::ray([0.0; 3], [1.0; 3])?)?;
    /// rays.push(Segment::ray([0.0; 3], [-1.0; 3])?)?;
    /// let mut hits = [ProxyHit::MISS; 2];
    /// world.queries().casts(&rays.checked()).closest(&mut hits)?;
    /// assert_eq!(hits, [ProxyHit { id, value: hits[0].value }, ProxyHit::MISS]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn casts<'s>(
        &self,
        segments: &Checked<'s, Columns<'s, Segment, 7>>,
    ) -> ProxyQuery<'a, Batch<'a, 's, Segment, 7>> {
        self.with_ids(self.rows().casts(segments))
    }

    /// Sweeps many moving boxes: the answers are those of [`ProxyQueries::sweep`] for each.
    pub fn sweeps<'s>(
        &self,
        moving: &Checked<'s, Columns<'s, MovingBox, 9>>,
    ) -> ProxyQuery<'a, Batch<'a, 's, MovingBox, 9>> {
        self.with_ids(self.rows().sweeps(moving))
    }

    /// Finds the overlaps of many boxes: the answers are those of [`ProxyQueries::overlap`] for
    /// each.
    pub fn overlaps<'s>(
        &self,
        many: &Checked<'s, AabbColumns<'s>>,
    ) -> ProxyQuery<'a, Overlaps<'a, 's>> {
        self.with_ids(self.rows().overlaps(many))
    }

    /// Finds the proxies nearest to many boxes: the answers are those of
    /// [`ProxyQueries::proximity`] for each. For points, pass the same columns as minimum and as
    /// maximum corners.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `max_distance` is negative or NaN.
    pub fn proximities<'s>(
        &self,
        many: &Checked<'s, AabbColumns<'s>>,
        max_distance: f32,
    ) -> Result<ProxyQuery<'a, Proximities<'a, 's>>, Invalid> {
        Ok(self.with_ids(self.rows().proximities(many, max_distance)?))
    }
}

/// A query over proxies: `Q` is the same query over rows; the answers are translated into ids.
#[derive(Clone, Copy, Debug)]
#[must_use = "a query does nothing until one of its methods is called"]
pub struct ProxyQuery<'a, Q> {
    of: Q,
    slots: &'a Slots,
}

impl<'a, Q> ProxyQuery<'a, Q> {
    /// Returns the query over rows, and the id of a row.
    pub(crate) fn by_row(self) -> (Q, impl Fn(u32) -> ProxyId + 'a) {
        let Self { of, slots } = self;
        (of, |row| slots.id(row as usize))
    }
}

/// Adapts a function of the caller, which takes an id, to rows.
#[derive(Clone, Copy, Debug)]
pub struct ProxyAccept<'a, F> {
    accept: F,
    slots: &'a Slots,
}

impl<F: FnMut(ProxyId) -> bool> Accept for ProxyAccept<'_, F> {
    fn accept(&mut self, row: u32) -> bool {
        (self.accept)(self.slots.id(row as usize))
    }
}

impl<'a, Q> ProxyQuery<'a, Query<'a, Q, EveryBox>> {
    /// Considers only proxies that `accept` accepts. It is called for proxies that the query
    /// reaches and that all other conditions allow, at most once for each, in arbitrary order.
    pub fn accepting<F: FnMut(ProxyId) -> bool>(
        self,
        accept: F,
    ) -> ProxyQuery<'a, Query<'a, Q, ProxyAccept<'a, F>>> {
        let Self { of, slots } = self;
        ProxyQuery { of: of.with_accept(ProxyAccept { accept, slots }), slots }
    }
}

impl<'a, Q, A> ProxyQuery<'a, Query<'a, Q, A>> {
    /// Adds the number of visited nodes and boxes to `visits`.
    pub fn counting(self, visits: &'a mut Visits) -> Self {
        Self { of: self.of.counting(visits), ..self }
    }
}

/// The position of a hit on the path is [`Cast::entry`](crate::batch::cast::Cast::entry) of a segment and
/// [`Sweep::first`](crate::batch::sweep::Sweep::first) of a moving box, with the same bits.
impl<'a, P: Path, A: Accept> ProxyQuery<'a, Query<'a, P, A>> {
    /// The proxy that is hit first; among equal positions the one with the lowest id.
    #[must_use]
    pub fn closest(self) -> Option<ProxyHit> {
        self.of.closest().map(|hit| with_id(self.slots, hit))
    }

    /// Any proxy that is hit, or `None`. Which one depends on the history of the
    /// broadphase.
    #[must_use]
    pub fn any(self) -> Option<ProxyHit> {
        self.of.any().map(|hit| with_id(self.slots, hit))
    }

    /// Replaces the contents of `hits` by all proxies that are hit, ordered by id.
    pub fn all(self, hits: &mut Vec<ProxyHit>) {
        self.collect(hits);
        sort_by_id(hits);
    }

    /// Replaces the contents of `hits` by all proxies that are hit, ordered by position on the
    /// path, then by id.
    pub fn sorted(self, hits: &mut Vec<ProxyHit>) {
        self.collect(hits);
        sort_by_position(hits);
    }

    fn collect(self, hits: &mut Vec<ProxyHit>) {
        hits.clear();
        self.visit(|hit| {
            hits.push(hit);
            f32::INFINITY
        });
    }

    /// Calls `visitor` with proxies that are hit. It returns the position on the path up to which further
    /// hits are visited, as in [`Query::visit`].
    pub fn visit(self, mut visitor: impl FnMut(ProxyHit) -> f32) {
        let Self { of, slots } = self;
        of.visit(|hit| visitor(with_id(slots, hit)));
    }
}

impl<'a, S: QueryShape, A: Accept> ProxyQuery<'a, Query<'a, Overlap<S>, A>> {
    /// Calls `visitor` with each proxy that is found, until it returns [`ControlFlow::Break`]. The
    /// order depends on the history of the broadphase.
    pub fn visit(self, mut visitor: impl FnMut(ProxyId) -> ControlFlow<()>) {
        let Self { of, slots } = self;
        of.visit(|row| visitor(slots.id(row as usize)));
    }

    /// Any proxy that is found, or `None`. Which one depends on the history of the
    /// broadphase.
    #[must_use]
    pub fn any(self) -> Option<ProxyId> {
        self.of.any().map(|row| self.slots.id(row as usize))
    }

    /// Replaces the contents of `ids` by all proxies that are found, in order.
    pub fn all(self, ids: &mut Vec<ProxyId>) {
        ids.clear();
        self.visit(|id| {
            ids.push(id);
            ControlFlow::Continue(())
        });
        sort_ids(ids);
    }
}

impl<'a, A: Accept> ProxyQuery<'a, Query<'a, Proximity, A>> {
    /// The nearest proxy; among equal distances the one with the lowest id.
    #[must_use]
    pub fn nearest(self) -> Option<ProxyHit> {
        self.of.nearest().map(|hit| with_id(self.slots, hit))
    }

    /// The nearest proxies, as many as `to` can store, ordered by distance, then by id.
    pub fn k_nearest(self, to: &mut [ProxyHit]) -> &[ProxyHit] {
        let Self { of, slots } = self;
        let found = of.k_nearest(rows_in(to)).len();
        replace_rows_by_ids(slots, &mut to[..found]);
        &to[..found]
    }
}

impl<'a, P: Path + columns::Row<K>, const K: usize> ProxyQuery<'a, Batch<'a, '_, P, K>> {
    /// Writes to `out[i]` the proxy that row `i` hits first, among equal positions the one with the
    /// lowest id, or [`ProxyHit::MISS`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` does not have the same number of rows; then nothing is
    /// written.
    pub fn closest(&self, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.of.closest(rows_in(out))?;
        replace_rows_by_ids(self.slots, out);
        Ok(())
    }

    /// Writes to `out[i]` any proxy that row `i` hits, or [`ProxyHit::MISS`]. Which one depends on
    /// the history of the broadphase.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` does not have the same number of rows; then nothing is
    /// written.
    pub fn any(&self, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.of.any(rows_in(out))?;
        replace_rows_by_ids(self.slots, out);
        Ok(())
    }
}

impl ProxyQuery<'_, Overlaps<'_, '_>> {
    /// Replaces the contents of `ids` by the proxies that are found: those of row `i` are
    /// `ids[starts[i]..starts[i + 1]]`, in order.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when the length of `starts` is not the number of rows plus one; then
    /// nothing is written.
    pub fn all(&self, starts: &mut [usize], ids: &mut Vec<ProxyId>) -> Result<(), LengthMismatch> {
        self.of.all_with_ids(starts, ids, |row| self.slots.id(row as usize), sort_ids)
    }
}

impl ProxyQuery<'_, Proximities<'_, '_>> {
    /// Writes to `out[i]` the proxy nearest to row `i`, among equal distances the one with the
    /// lowest id, or [`ProxyHit::MISS`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` does not have the same number of rows; then nothing is
    /// written.
    pub fn nearest(&self, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.k_nearest(1, out)
    }

    /// Writes to `out[i * k..][..k]` the `k` proxies nearest to row `i`, ordered by distance, then
    /// by id, followed by [`ProxyHit::MISS`] if there are fewer.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when the length of `out` is not `k` times the number of rows; then
    /// nothing is written.
    pub fn k_nearest(&self, k: usize, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.of.k_nearest(k, rows_in(out))?;
        replace_rows_by_ids(self.slots, out);
        Ok(())
    }
}

fn with_id(slots: &Slots, Hit { row, value: at }: Hit) -> ProxyHit {
    let id = if row == Hit::MISS.row { ProxyId::NONE } else { slots.id(row as usize) };
    ProxyHit { id, value: at }
}

/// Reuses the first two thirds of the memory of `hits` for as many hits by row.
fn rows_in(hits: &mut [ProxyHit]) -> &mut [Hit] {
    let count = hits.len();
    let words: &mut [u32] = bytemuck::cast_slice_mut(hits);
    bytemuck::cast_slice_mut(&mut words[..2 * count])
}

/// Replaces the rows that were written to [`rows_in`] by ids, from the last to the first, so that
/// no row is overwritten before it is read.
fn replace_rows_by_ids(slots: &Slots, hits: &mut [ProxyHit]) {
    for k in (0..hits.len()).rev() {
        hits[k] = with_id(slots, rows_in(&mut hits[..=k])[k]);
    }
}

/// Sorts ids. It is not generic, so that it is compiled once.
pub(crate) fn sort_ids(ids: &mut [ProxyId]) {
    sort::<2>(bytemuck::cast_slice_mut(ids));
}

/// Sorts hits by id. It is not generic, so that it is compiled once.
fn sort_by_id(hits: &mut [ProxyHit]) {
    sort::<3>(bytemuck::cast_slice_mut(hits));
}

/// Sorts hits by position, then by id. Positions are not negative, so that their bits have the same order.
fn sort_by_position(hits: &mut [ProxyHit]) {
    let words: &mut [[u32; 3]] = bytemuck::cast_slice_mut(hits);
    words.iter_mut().for_each(|words| words.rotate_right(1));
    sort(words);
    words.iter_mut().for_each(|words| words.rotate_left(1));
}
