//! Which proxies does a segment, a moving box or a shape meet, and which are nearest?
//!
//! The questions are those of [`Queries`], over the trees of what is at rest and one of what moves
//! (`mover_tree`); what is at rest and has a margin is in the trees of its set with the box that is held
//! for it, and passed by there, and found in a tree of true boxes. Rows are slots, so that their order
//! is that of ids. Answers that go to the caller's memory are written there as rows and named in
//! place.

use super::Broadphase;
use super::id::ProxyId;
use super::proxy::Set;
use super::slots::Slots;
use super::state::State;
use crate::broadphase::query::{
    Accept, Batch, EveryBox, Known, Overlap, Overlaps, Path, Planes, Proximities, Proximity,
    Queries, Query, Row, Shape, Sieve, Visits,
};
use crate::geom::{Aabb, Filter, Invalid, MovingBox, Plane, Segment, Sphere};
use crate::kernels::Hit;
use crate::store::{self, Checked, Columns, FixedColumns, LengthMismatch};
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};
use core::ops::ControlFlow;
use core::slice;

/// A proxy that is met or near.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct ProxyHit {
    /// Which.
    pub id: ProxyId,
    /// Where on the way, or how far away: as [`Hit::at`].
    pub at: f32,
}

impl ProxyHit {
    /// Stands in a batch for a question that nothing answers.
    pub const MISS: Self = Self { id: ProxyId::NONE, at: f32::INFINITY };

    /// Whether this is not [`ProxyHit::MISS`].
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.id != ProxyId::NONE
    }
}

impl Broadphase {
    /// A view to ask about all proxies that are enabled: where they are at the start of the tick,
    /// without their margins.
    ///
    /// Puts in what was changed since the last update or view, and if anything that moves was,
    /// builds a tree of all that moves: on one thread some 40 ns for each.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Filter, Proxy, Segment, Set};
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
    /// assert_eq!((hit.id, hit.at), (me, 0.0));
    /// let others = queries.without_owner(1);
    /// let hit = others.cast(&sight)?.closest().expect("there are two more");
    /// assert!(hit.id == crate_box && hit.at > 0.312); // 2.5 / 8, not where the margin begins
    /// let hit = others.without(Set::Sleeping).cast(&sight)?.closest().expect("there is a wall");
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
    pub fn queries(&mut self) -> WorldQueries<'_> {
        self.mover_tree.update(&self.state, self.filtered, (self.level, &self.threads));
        self.view(true)
    }

    /// As [`Broadphase::queries`], but only about what is fixed or asleep: nothing is built for what
    /// moves.
    #[must_use]
    pub fn queries_at_rest(&mut self) -> WorldQueries<'_> {
        self.view(false)
    }

    fn view(&mut self, with_movers: bool) -> WorldQueries<'_> {
        self.trees.update(&self.state, self.filtered);
        let Self { state, trees, mover_tree, level, threads, .. } = self;
        let moving = if with_movers { slice::from_ref(&mover_tree.tree) } else { &[] };
        let of = Queries::new([moving, trees.exact.trees()], *level, threads);
        let some_grown = !trees.exact.is_empty();
        let sieve = Sieve { known: state, some_grown, kinds: 0, owner: 0 };
        WorldQueries { of, held: trees.held(), sieve, slots: &state.slots }
    }
}

/// As which kind a question knows a set.
fn kind(set: Set) -> u8 {
    1 << set as u8
}

impl Known for State {
    fn row(&self, row: u32) -> Row {
        let slot = self.slot(row as usize);
        Row { kind: kind(slot.set), owner: slot.owner, is_grown: slot.margin > 0.0 }
    }
}

/// A view of the proxies of a [`Broadphase`] to ask about, by [`Broadphase::queries`].
///
/// Each answer is that of asking one true box after the other, bit by bit, on every level and any
/// threads; of equal distances the lowest id counts. Only [`WorldQuery::any`] and the order of
/// [`WorldQuery::visit`] depend on what was done with the world before, which a snapshot does not
/// keep. Many threads may ask at once.
#[derive(Clone, Copy, Debug)]
pub struct WorldQueries<'a> {
    of: Queries<'a>,
    held: [&'a [crate::broadphase::tree::Tree]; 2],
    sieve: Sieve<'a>,
    slots: &'a Slots,
}

impl<'a> WorldQueries<'a> {
    /// Only proxies that may pair with `filter`, as [`Filter::allows`] says.
    #[must_use]
    pub fn filtered(self, filter: Filter) -> Self {
        Self { of: self.of.filtered(filter), ..self }
    }

    /// Only proxies that do not belong to `owner`; 0 is nobody, and leaves out none.
    #[must_use]
    pub fn without_owner(self, owner: u32) -> Self {
        Self { sieve: Sieve { owner, ..self.sieve }, ..self }
    }

    /// Only proxies that are not in `set`; may be called for several.
    #[must_use]
    pub fn without(mut self, set: Set) -> Self {
        self.sieve.kinds |= kind(set);
        let [fixed, sleeping] = &mut self.held;
        match set {
            Set::Fixed => *fixed = &[],
            Set::Sleeping => *sleeping = &[],
            Set::Dynamic | Set::Kinematic => (),
        }
        self
    }

    fn rows(&self) -> Queries<'a> {
        self.of.sifted(self.held, self.sieve)
    }

    fn name<T>(&self, of: T) -> WorldQuery<'a, T> {
        WorldQuery { of, slots: self.slots }
    }

    /// Asks which boxes `segment` enters, as [`Queries::cast`].
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no segment.
    pub fn cast(&self, segment: &Segment) -> Result<WorldQuery<'a, Query<'a, Segment>>, Invalid> {
        Ok(self.name(self.rows().cast(segment)?))
    }

    /// Asks which boxes `moving` touches on its way, as [`Queries::sweep`]: all others are where
    /// they are at the start of the tick and rest.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no moving box.
    pub fn sweep(
        &self,
        moving: &MovingBox,
    ) -> Result<WorldQuery<'a, Query<'a, MovingBox>>, Invalid> {
        Ok(self.name(self.rows().sweep(moving)?))
    }

    /// Asks which boxes share a point with `aabb`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no box.
    pub fn overlap(
        &self,
        aabb: &Aabb,
    ) -> Result<WorldQuery<'a, Query<'a, Overlap<Aabb>>>, Invalid> {
        Ok(self.name(self.rows().overlap(aabb)?))
    }

    /// Asks in which boxes `point` lies; surfaces count.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no point.
    pub fn overlap_point(
        &self,
        point: impl Into<[f32; 3]>,
    ) -> Result<WorldQuery<'a, Query<'a, Overlap<Aabb>>>, Invalid> {
        Ok(self.name(self.rows().overlap_point(point)?))
    }

    /// Asks which boxes share a point with `sphere`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when it is no sphere.
    pub fn overlap_sphere(
        &self,
        sphere: &Sphere,
    ) -> Result<WorldQuery<'a, Query<'a, Overlap<Sphere>>>, Invalid> {
        Ok(self.name(self.rows().overlap_sphere(sphere)?))
    }

    /// Asks which boxes are not outside of the region inside of all `planes`, as
    /// [`Queries::overlap_planes`].
    ///
    /// # Errors
    ///
    /// [`Invalid`] when one of them is no half-space.
    pub fn overlap_planes<'p>(
        &self,
        planes: &'p [Plane],
    ) -> Result<WorldQuery<'a, Query<'a, Overlap<Planes<'p>>>>, Invalid> {
        Ok(self.name(self.rows().overlap_planes(planes)?))
    }

    /// Asks which boxes are at most `max_distance` from `aabb`, as [`Queries::proximity`].
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `aabb` is no box, or `max_distance` is negative or not a number.
    pub fn proximity(
        &self,
        aabb: &Aabb,
        max_distance: f32,
    ) -> Result<WorldQuery<'a, Query<'a, Proximity>>, Invalid> {
        Ok(self.name(self.rows().proximity(aabb, max_distance)?))
    }

    /// Asks about many segments at once: as [`WorldQueries::cast`] of each, but faster, and on many
    /// threads.
    ///
    /// ```
    /// use swath::broadphase::ProxyHit;
    /// use swath::{Aabb, Broadphase, Proxy, Segment, SegmentStore};
    ///
    /// let mut world = Broadphase::new();
    /// let id = world.insert(Aabb::new([2.0; 3], [3.0; 3])?, Proxy::dynamic())?;
    /// let mut rays = SegmentStore::new();
    /// rays.push(Segment::ray([0.0; 3], [1.0; 3])?)?;
    /// rays.push(Segment::ray([0.0; 3], [-1.0; 3])?)?;
    /// let mut hits = [ProxyHit::MISS; 2];
    /// world.queries().casts(&rays.checked()).closest(&mut hits)?;
    /// assert_eq!(hits, [ProxyHit { id, at: hits[0].at }, ProxyHit::MISS]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn casts<'s>(
        &self,
        segments: &Checked<'s, Columns<'s, Segment, 7>>,
    ) -> WorldQuery<'a, Batch<'a, 's, Segment, 7>> {
        self.name(self.rows().casts(segments))
    }

    /// Asks about many moving boxes at once: as [`WorldQueries::sweep`] of each.
    pub fn sweeps<'s>(
        &self,
        moving: &Checked<'s, Columns<'s, MovingBox, 9>>,
    ) -> WorldQuery<'a, Batch<'a, 's, MovingBox, 9>> {
        self.name(self.rows().sweeps(moving))
    }

    /// Asks what many boxes overlap: as [`WorldQueries::overlap`] of each.
    pub fn overlaps<'s>(
        &self,
        many: &Checked<'s, FixedColumns<'s>>,
    ) -> WorldQuery<'a, Overlaps<'a, 's>> {
        self.name(self.rows().overlaps(many))
    }

    /// Asks what is nearest to many boxes, or points, whose columns are lent twice: as
    /// [`WorldQueries::proximity`] of each.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `max_distance` is negative or not a number.
    pub fn proximities<'s>(
        &self,
        many: &Checked<'s, FixedColumns<'s>>,
        max_distance: f32,
    ) -> Result<WorldQuery<'a, Proximities<'a, 's>>, Invalid> {
        Ok(self.name(self.rows().proximities(many, max_distance)?))
    }
}

/// A question about proxies: `Q` is the same question about rows, the answers name ids.
#[derive(Clone, Copy, Debug)]
#[must_use = "a question is answered when one of its methods is called"]
pub struct WorldQuery<'a, Q> {
    of: Q,
    slots: &'a Slots,
}

/// A caller's function that is asked with ids.
#[derive(Clone, Copy, Debug)]
pub struct WorldAccept<'a, F> {
    accept: F,
    slots: &'a Slots,
}

impl<F: FnMut(ProxyId) -> bool> Accept for WorldAccept<'_, F> {
    fn accept(&mut self, row: u32) -> bool {
        (self.accept)(self.slots.id(row as usize))
    }
}

impl<'a, Q> WorldQuery<'a, Query<'a, Q, EveryBox>> {
    /// Only proxies of which `accept` is true. It is asked of what the question reaches and all
    /// else allows, in no particular order, of each at most once.
    pub fn accepting<F: FnMut(ProxyId) -> bool>(
        self,
        accept: F,
    ) -> WorldQuery<'a, Query<'a, Q, WorldAccept<'a, F>>> {
        let Self { of, slots } = self;
        WorldQuery { of: of.asking(WorldAccept { accept, slots }), slots }
    }
}

impl<'a, Q, A> WorldQuery<'a, Query<'a, Q, A>> {
    /// Adds to `visits` how much was looked at.
    pub fn counting(self, visits: &'a mut Visits) -> Self {
        Self { of: self.of.counting(visits), ..self }
    }
}

/// Where on the way a box is met is [`Cast::entry`](crate::Cast::entry) of a segment and
/// [`Sweep::first`](crate::Sweep::first) of a moving box, with the same bits.
impl<'a, P: Path, A: Accept> WorldQuery<'a, Query<'a, P, A>> {
    /// The proxy that is met first; of several at once that with the lowest id.
    #[must_use]
    pub fn closest(self) -> Option<ProxyHit> {
        self.of.closest().map(|hit| name(self.slots, hit))
    }

    /// A proxy that is met, if there is one; which of several depends on what was done before.
    #[must_use]
    pub fn any(self) -> Option<ProxyHit> {
        self.of.any().map(|hit| name(self.slots, hit))
    }

    /// Writes all proxies that are met to `hits`, by id, in place of what it holds.
    pub fn all(self, hits: &mut Vec<ProxyHit>) {
        self.collect(hits);
        hits.sort_unstable_by_key(|hit| hit.id);
    }

    /// Writes all proxies that are met to `hits`, in place of what it holds: the first one met
    /// first, of several at once that with the lowest id.
    pub fn sorted(self, hits: &mut Vec<ProxyHit>) {
        self.collect(hits);
        hits.sort_unstable_by_key(|hit| (hit.at.to_bits(), hit.id));
    }

    fn collect(self, hits: &mut Vec<ProxyHit>) {
        hits.clear();
        self.visit(|hit| {
            hits.push(hit);
            f32::INFINITY
        });
    }

    /// Shows proxies that are met to `see`, which returns up to where on the way it wants to see
    /// more, as [`Query::visit`].
    pub fn visit(self, mut see: impl FnMut(ProxyHit) -> f32) {
        let Self { of, slots } = self;
        of.visit(|hit| see(name(slots, hit)));
    }
}

impl<'a, S: Shape, A: Accept> WorldQuery<'a, Query<'a, Overlap<S>, A>> {
    /// Calls `see` with each proxy that is met, in an order that depends on what was done before,
    /// until it breaks off.
    pub fn visit(self, mut see: impl FnMut(ProxyId) -> ControlFlow<()>) {
        let Self { of, slots } = self;
        of.visit(|row| see(slots.id(row as usize)));
    }

    /// A proxy that is met, if there is one; which of several depends on what was done before.
    #[must_use]
    pub fn any(self) -> Option<ProxyId> {
        self.of.any().map(|row| self.slots.id(row as usize))
    }

    /// Writes all proxies that are met to `ids`, in order, in place of what it holds.
    pub fn all(self, ids: &mut Vec<ProxyId>) {
        ids.clear();
        self.visit(|id| {
            ids.push(id);
            ControlFlow::Continue(())
        });
        ids.sort_unstable();
    }
}

impl<'a, A: Accept> WorldQuery<'a, Query<'a, Proximity, A>> {
    /// The nearest proxy; of equally near ones that with the lowest id.
    #[must_use]
    pub fn nearest(self) -> Option<ProxyHit> {
        self.of.nearest().map(|hit| name(self.slots, hit))
    }

    /// The nearest proxies, as many as `to` has room for: by distance, and by id where that is
    /// equal.
    pub fn k_nearest(self, to: &mut [ProxyHit]) -> &[ProxyHit] {
        let Self { of, slots } = self;
        let found = of.k_nearest(rows_in(to)).len();
        name_in_place(slots, &mut to[..found]);
        &to[..found]
    }
}

impl<'a, P: Path + store::Row<K>, const K: usize> WorldQuery<'a, Batch<'a, '_, P, K>> {
    /// Writes to `out[i]` the proxy that row `i` meets first, of several at once that with the
    /// lowest id, or [`ProxyHit::MISS`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` has not as many rows; then nothing is written.
    pub fn closest(&self, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.of.closest(rows_in(out))?;
        name_in_place(self.slots, out);
        Ok(())
    }

    /// Writes to `out[i]` a proxy that row `i` meets, or [`ProxyHit::MISS`]; which of several
    /// depends on what was done before.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` has not as many rows; then nothing is written.
    pub fn any(&self, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.of.any(rows_in(out))?;
        name_in_place(self.slots, out);
        Ok(())
    }
}

impl WorldQuery<'_, Overlaps<'_, '_>> {
    /// Writes to `ids` the proxies that are met, in place of what it holds: those of row `i` to
    /// `ids[starts[i]..starts[i + 1]]`, in order.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `starts` has not a place more than there are rows; then nothing is
    /// written.
    pub fn all(&self, starts: &mut [usize], ids: &mut Vec<ProxyId>) -> Result<(), LengthMismatch> {
        self.of.named(starts, ids, |row| self.slots.id(row as usize))
    }
}

impl WorldQuery<'_, Proximities<'_, '_>> {
    /// Writes to `out[i]` the proxy nearest to row `i`, of equally near ones that with the lowest
    /// id, or [`ProxyHit::MISS`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` has not as many rows; then nothing is written.
    pub fn nearest(&self, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.k_nearest(1, out)
    }

    /// Writes to `out[i * k..][..k]` the `k` proxies nearest to row `i`: by distance, and by id
    /// where that is equal, then [`ProxyHit::MISS`] where there are fewer.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when `out` has not `k` places for each row; then nothing is written.
    pub fn k_nearest(&self, k: usize, out: &mut [ProxyHit]) -> Result<(), LengthMismatch> {
        self.of.k_nearest(k, rows_in(out))?;
        name_in_place(self.slots, out);
        Ok(())
    }
}

fn name(slots: &Slots, Hit { row, at }: Hit) -> ProxyHit {
    let id = if row == Hit::MISS.row { ProxyId::NONE } else { slots.id(row as usize) };
    ProxyHit { id, at }
}

/// Room for as many hits by row, in the first two thirds of the same memory.
fn rows_in(hits: &mut [ProxyHit]) -> &mut [Hit] {
    let count = hits.len();
    let words: &mut [u32] = bytemuck::cast_slice_mut(hits);
    bytemuck::cast_slice_mut(&mut words[..2 * count])
}

/// Names all hits that were written to [`rows_in`], the last one first: so none is written over
/// before it is read.
fn name_in_place(slots: &Slots, hits: &mut [ProxyHit]) {
    for k in (0..hits.len()).rev() {
        hits[k] = name(slots, rows_in(&mut hits[..=k])[k]);
    }
}
