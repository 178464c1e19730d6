//! A broadphase with stable ids: which proxies touch in this tick, and which pairs are new or
//! ended.
//!
//! [`Broadphase`] is for engines that store their bodies elsewhere. Each box is a *proxy* with an
//! id and one of four kinds: fixed, kinematic, dynamic or sleeping ([`ProxyKind`]). Moving proxies
//! (dynamic and kinematic) are stored in dense columns that the [`PairFinder`] reads; resting
//! proxies (fixed and sleeping) are stored in forests of bounding volume hierarchies
//! ([`FixedBoxes`](super::FixedBoxes)).
//!
//! # The algorithm of an update
//!
//! ```text
//! apply the recorded changes to the forests of fixed proxies, of sleeping proxies and of settled
//!     movers                                                                  (resting)
//! choose the movers to search for: all of them, or only those that are not settled, if these are
//!     few; then also the resting proxies that have changed                    (active)
//! find the pairs among them, and of them with each of the forests             (PairFinder, FixedBoxes)
//! for each run of found pairs, in parallel:                                   (partition)
//!     replace rows by slots, apply the owners and the caller's function,
//!     partition the pairs by ranges of the lower slot
//! for each partition, in parallel:
//!     keep the cached pairs of proxies that were not searched for
//!     look up each pair among the cached pairs                                (lookup, index)
//!         found: store its new time; not found: append it to the new pairs
//!     sort the new pairs                                                      (sort)
//!     merge them with the cached pairs that still touch                       (lookup)
//!     report new pairs, and cached pairs that no longer touch                 (events)
//!     move a cached pair of two resting proxies to a list of each proxy       (sleeping)
//! settle the movers that have not changed, if only few had                    (state)
//! ```
//!
//! Only new pairs are sorted; a pair that persists costs one look-up. Resting pairs are not
//! visited. A mover is *settled* if its compared box does not move and did not change in a whole
//! tick. Two proxies that did not change have the pair, or none, that they had before, so settled
//! movers are searched for only by others.

pub(crate) mod active;
pub(crate) mod bulk;
pub(crate) mod edit;
pub(crate) mod error;
pub(crate) mod id;
pub(crate) mod layers;
pub(crate) mod mover_tree;
pub(crate) mod movers;
pub(crate) mod pair_cache;
pub(crate) mod proxy;
pub(crate) mod queries;
pub(crate) mod resting;
pub(crate) mod slots;
pub(crate) mod snapshot;
pub(crate) mod state;
pub(crate) mod update;
pub(crate) mod validate;

use super::exec::Exec;
use super::{FindError, PairFinder};
use crate::columns::{ColumnScratch, Memory, MovingBoxColumns, Rejected, impl_memory};
use crate::geom::{Filter, MovingBox};
use crate::par;
use alloc::vec::Vec;
pub(crate) use id::{ProxyId, ProxyPair};
use mover_tree::MoverTree;
pub(crate) use pair_cache::Touching;
use pair_cache::partition::AcceptPair;
pub(crate) use proxy::{Proxy, ProxyKind};
use resting::RestingTrees;
use slots::Container;
use state::BroadphaseState;
pub(crate) use update::Changes;
use update::{Update, UpdateScratch};

/// Boxes with stable ids, and their pairs from tick to tick.
///
/// The rules below define what a pair is, which events are reported, and in which order.
/// Answers and ids are the same for every level and any threads.
///
/// The time of a tick depends on the number of movers, of their pairs and of changes. Movers whose
/// fat AABB did not change, and movers without a displacement that no call has changed, are not
/// searched for if they are the great majority: give moving proxies a margin of a few ticks' motion
/// ([`Proxy::with_margin`]), and a world that is nearly at rest costs little. If nothing has
/// changed at all, an update takes less than a nanosecond for each mover. After a few ticks of
/// similar size neither updates nor changes allocate: removed proxies free their memory for new
/// ones.
///
/// Two-dimensional games: give every box `[0, 0]` on the third axis and no displacement along it.
/// Boxes then meet exactly when they meet in the plane, at no extra cost. Large worlds: give boxes
/// in `f64` relative to an origin ([`Aabb::from_f64`](crate::Aabb::from_f64) and [`MovingBox::from_f64`] round outwards)
/// and move the origin with [`Broadphase::shift_origin`].
///
/// # Example
///
/// ```
/// use swath::{Aabb, Broadphase, Proxy};
///
/// let mut world = Broadphase::new();
/// let wall = world.insert(Aabb::new([0.0, -5.0, -5.0], [0.2, 5.0, 5.0])?, Proxy::fixed())?;
/// let start = Aabb::cube([-50.0, 0.0, 0.0], 0.05)?;
/// let bullet = world.insert(start, Proxy::dynamic())?;
/// world.set(bullet, start, [100.0, 0.0, 0.0])?; // start, displacement
///
/// let changes = world.update()?;
/// let pair = changes.begun()[0];
/// assert_eq!((pair.a, pair.b), (wall, bullet));
/// assert!((pair.first - 0.4995).abs() < 1e-6);
///
/// // The bullet hits and stops.
/// let end = Aabb::cube([-0.05, 0.0, 0.0], 0.05)?;
/// world.set(bullet, end, [0.0; 3])?;
/// assert_eq!(world.update()?.persisted().len(), 1);
/// world.remove(bullet)?;
/// assert_eq!(world.update()?.ended(), [pair.into()]);
/// assert!(world.set(bullet, end, [0.0; 3]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # The rules
///
/// These rules define the answer of an update completely. Tests compare it with a model that
/// implements the rules and nothing else.
///
/// * **Compared boxes.** A proxy without a margin is compared by its moving box. A proxy with a
///   margin is compared by a *fat AABB*, which does not move: the bounds of the path
///   ([`MovingBox::bounds`]), grown by the margin. The fat AABB is created when it is first needed,
///   is kept while it contains the path, and is recreated otherwise. It is also recreated whenever
///   the margin changes. The displacement of a resting proxy is zero.
/// * **Two proxies may pair** when both are enabled, their filters allow each other, they do not
///   have the same owner (owner 0 means no owner), and the caller's function accepts them.
/// * **Two proxies meet** when their compared boxes touch during the tick, as
///   [`sweep`](crate::batch::sweep) defines it; touching surfaces count.
/// * **A pair begins or persists** when two proxies may pair and meet, and one of them is dynamic,
///   or one is kinematic and the other sleeping ([`ProxyKind::pairs_with`]). It begins if it was not
///   cached before.
/// * **A pair rests** when it is cached and both proxies are fixed or sleeping. It stays cached,
///   without an event and without cost, until one of the two proxies changes. After such a change
///   it stays cached if the two still may pair and meet; otherwise it ends. A proxy changes when a
///   call gives it a different box, kind, filter, owner, margin or enabled flag. Shifting the
///   origin changes no proxy.
/// * **Every other cached pair ends.** This includes pairs with a proxy that was removed or
///   disabled, and pairs that a new filter or kind no longer allows. The end event has the old ids,
///   even if the slot already contains another proxy.
/// * **Order.** [`ProxyPair::a`] has the lower index. Lists are ordered by the index of `a`, then
///   of `b`. No pair is in two of the three lists of a tick, except a pair that ended with an old
///   id and began with a new one.
///
/// Pairs change only in an update.
///
/// # Queries
///
/// [`Broadphase::queries`] uses the true boxes at the start of the tick, without margins, of all
/// enabled proxies. It sees every change made before the call, whether or not an update was made
/// since.
///
/// [`MovingBox::bounds`]: crate::MovingBox::bounds
#[derive(Debug)]
pub struct Broadphase {
    /// The level, the threads, and the greatest number of pairs of a tick. An update that finds more pairs fails and
    /// changes nothing. The number is that of the pairs found, before owners and the caller's function are applied.
    pub exec: Exec,
    state: BroadphaseState,
    trees: RestingTrees,
    mover_tree: MoverTree,
    finder: PairFinder,
    /// Whether any proxy had a filter other than `ALL` since the last `clear` or `restore`.
    filtered: bool,
    /// Whether any proxy had an owner since the last `clear` or `restore`.
    owned: bool,
    work: UpdateScratch,
    rejected: Vec<Rejected>,
    /// Scratch memory of [`Broadphase::set_many`]: the mover row of each element.
    rows: Vec<u32>,
    /// Scratch memory of [`Broadphase::set_many`]: boxes that are not passed as columns.
    columns: ColumnScratch,
    sorted: Vec<ProxyPair>,
}

impl_memory!(Broadphase { state, trees, mover_tree, finder, work, rejected, rows, columns, sorted; without exec, filtered, owned });

impl Default for Broadphase {
    fn default() -> Self {
        Self::with_exec(Exec::default())
    }
}

/// The moving proxies as dense columns: row `k` of the boxes belongs to proxy `ids[k]`.
///
/// There is one row for each enabled dynamic or kinematic proxy. The order of the rows is
/// arbitrary; it does not change while no row is added or removed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Movers<'a> {
    /// Position at the start of the tick, and displacement in the tick.
    pub boxes: MovingBoxColumns<'a>,
    /// The id of each row.
    pub ids: &'a [ProxyId],
    /// The categories of each row, and those with which it may pair.
    pub filters: &'a [Filter],
    /// Whether each row is dynamic; the others are kinematic.
    pub dynamic: &'a [bool],
}

impl Broadphase {
    /// Creates an empty broadphase that uses the widest SIMD level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty broadphase with other settings: a [`Level`](crate::Level), [`Threads`](crate::Threads), or an
    /// [`Exec`].
    #[must_use]
    pub fn with_exec(exec: impl Into<Exec>) -> Self {
        Self {
            exec: exec.into(),
            state: BroadphaseState::default(),
            trees: RestingTrees::default(),
            mover_tree: MoverTree::default(),
            finder: PairFinder::default(),
            filtered: false,
            owned: false,
            work: UpdateScratch::default(),
            rejected: Vec::new(),
            rows: Vec::new(),
            columns: ColumnScratch::default(),
            sorted: Vec::new(),
        }
    }

    /// The number of proxies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.slots.live as usize
    }

    /// Whether there are no proxies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `id` is the id of an existing proxy.
    #[must_use]
    pub fn contains(&self, id: ProxyId) -> bool {
        self.state.slots.find(id).is_some()
    }

    /// The ids of all proxies, in order of the index.
    pub fn ids(&self) -> impl Iterator<Item = ProxyId> {
        let slots = &self.state.slots;
        (0..slots.all.len()).filter(|&k| slots.all[k].live).map(|k| slots.id(k))
    }

    /// The description of a proxy: its kind, filter, owner, margin, data and enabled flag.
    #[must_use]
    pub fn proxy(&self, id: ProxyId) -> Option<Proxy> {
        let index = self.state.slots.find(id)?;
        Some(self.state.slot(index).proxy())
    }

    /// The caller's data of a proxy.
    #[must_use]
    pub fn data(&self, id: ProxyId) -> Option<u64> {
        self.proxy(id).map(|proxy| proxy.data)
    }

    /// The true box of a proxy at the start of the tick, and its displacement.
    #[must_use]
    pub fn moving_box(&self, id: ProxyId) -> Option<MovingBox> {
        self.state.slots.find(id).map(|index| self.state.moving_box(index))
    }

    /// The box of a proxy that is compared with others: the moving box, or with a margin the fat
    /// AABB, which does not move and contains the path.
    #[must_use]
    pub fn compared_box(&self, id: ProxyId) -> Option<MovingBox> {
        self.state.slots.find(id).map(|index| self.state.compared_box(index))
    }

    /// The moving proxies as columns. The boxes are the true ones, without margins.
    #[must_use]
    pub fn movers(&self) -> Movers<'_> {
        let movers = &self.state.movers;
        Movers {
            boxes: movers.boxes(),
            ids: &movers.ids,
            filters: &movers.filters,
            dynamic: &movers.dynamic,
        }
    }

    /// The row of a proxy in [`Broadphase::movers`], if it is there.
    #[must_use]
    pub fn row_of(&self, id: ProxyId) -> Option<u32> {
        let slot = self.state.slot(self.state.slots.find(id)?);
        (slot.container() == Container::Movers).then_some(slot.row_or_next)
    }

    /// Finds the pairs of this tick and reports what changed since the last update.
    ///
    /// # Errors
    ///
    /// [`FindError::TooManyPairs`] when there are more pairs than allowed. Nothing is changed then.
    pub fn update(&mut self) -> Result<Changes<'_>, FindError> {
        self.find(None)
    }

    /// Like [`Broadphase::update`], but keeps only pairs that `accept` accepts, of those that
    /// filters and owners allow.
    ///
    /// `accept` is called once in an update for each pair that meets, in any order and on any
    /// thread, also if the update then fails because there are too many pairs. It is not called for
    /// resting pairs of which neither proxy changed.
    ///
    /// # Errors
    ///
    /// As [`Broadphase::update`].
    pub fn update_with(
        &mut self,
        accept: impl Fn(ProxyPair) -> bool + Sync,
    ) -> Result<Changes<'_>, FindError> {
        self.find(Some(&accept))
    }

    fn find(&mut self, accept: Option<AcceptPair<'_>>) -> Result<Changes<'_>, FindError> {
        let Self { exec, state, trees, finder, filtered, owned, work, .. } = self;
        trees.set_exec(exec);
        finder.exec = exec.clone();
        trees.update(state, *filtered);
        let keeps_all = state.is_unchanged() && state.touching.len() <= exec.pairs_max;
        if keeps_all && accept.is_none() && !state.restricted {
            work.events.clear();
            work.events_valid = true;
            return Ok(self.changes());
        }
        par::sort::<4>(bytemuck::cast_slice_mut(&mut state.dirty_pairs));
        let update = Update { exec, filtered: *filtered, owned: *owned, accept };
        update.run(state, finder, trees, work)?;
        core::mem::swap(&mut state.touching, &mut work.touching);
        work.events_valid = true;
        state.slots.mark_cached();
        state.dirty_pairs.clear();
        work.events.now_resting.iter().for_each(|&pair| state.resting.add(pair));
        state.restricted = accept.is_some();
        state.finish_update(|index| trees.mark_dirty(index));
        Ok(self.changes())
    }

    /// The result of the last update. It is empty after [`Broadphase::restore`] and
    /// [`Broadphase::clear`].
    #[must_use]
    pub fn changes(&self) -> Changes<'_> {
        let Self { work: UpdateScratch { events, events_valid, .. }, state, .. } = self;
        let touching = if *events_valid {
            Touching::new(&state.touching, &state.slots)
        } else {
            Touching::default()
        };
        Changes { events, touching }
    }

    /// All pairs that the last update cached, including resting ones, ordered by index.
    ///
    /// Collects and sorts them, in memory that is reused by the next call.
    #[must_use]
    pub fn pairs(&mut self) -> &[ProxyPair] {
        let Self { state, sorted, exec, .. } = self;
        sorted.clear();
        sorted.reserve(state.touching.len() + state.resting.len() + state.dirty_pairs.len());
        let touching = Touching::new(&state.touching, &state.slots);
        sorted.extend(touching.iter().map(ProxyPair::from));
        sorted.extend(state.resting.iter());
        sorted.extend_from_slice(&state.dirty_pairs);
        // The touching pairs are in order.
        if sorted.len() > state.touching.len() {
            par::sort_parallel::<4>(&exec.threads, bytemuck::cast_slice_mut(sorted));
        }
        sorted
    }

    /// Removes all proxies, as if one by one from the highest index down, and keeps the memory.
    pub fn clear(&mut self) {
        for index in (0..self.state.slots.all.len()).rev() {
            if self.state.slot(index).live {
                let was = self.state.slot(index).container();
                self.state.remove(index);
                self.mark_dirty(index, was);
            }
        }
        (self.filtered, self.owned) = (false, false);
        self.work.clear();
    }

    /// Reserves memory for this many proxies, of which `movers` move, and for ticks with `pairs`
    /// pairs in which at least one proxy moves.
    pub fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        self.state.reserve(proxies, movers, pairs);
        self.trees.reserve(proxies, movers, pairs);
        self.finder.reserve(movers, 0, pairs);
    }

    /// Frees the memory that the proxies and pairs do not need. The next update allocates what it
    /// needs again.
    pub fn shrink_to_fit(&mut self) {
        self.state.resting.free_if_empty();
        self.state.shrink();
        self.trees.shrink_to_fit();
        self.mover_tree = MoverTree::default();
        self.finder.shrink_to(0, 0);
        self.work = UpdateScratch::default();
        (self.rejected, self.rows, self.sorted) = (Vec::new(), Vec::new(), Vec::new());
        self.columns = ColumnScratch::default();
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.bytes()
    }
}
