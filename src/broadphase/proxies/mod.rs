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
//! if nothing has changed, nothing is done
//! if few movers are active:                                                       (incremental)
//!     list them and the changed resting proxies                                   (active)
//!     settle the movers whose compared box does not move, apply the changes to the forests (resting)
//!     find the pairs of each with the forests; of those that move with each other
//!     compare the partners of each with its row of cached partners                (compare)
//!     change these rows, and the rows of partners that begin or end               (pair_cache/rows)
//! otherwise find all pairs anew:                                                  (full)
//!     apply the changes to the forests of fixed and of sleeping proxies           (resting)
//!     find the pairs of movers, and of movers with each forest        (PairFinder, FixedBoxes)
//!     for each run of found pairs, in parallel:                                   (partition)
//!         replace rows by slots, apply the owners and the caller's function,
//!         partition the pairs by ranges of the lower slot
//!     for each partition, in parallel:
//!         look up each pair among the cached pairs                                (lookup, index)
//!             found: store its new time; not found: append it to the new pairs
//!         sort the new pairs                                                      (sort)
//!         merge them with the cached pairs that still touch                       (lookup)
//!         report new pairs, and cached pairs that no longer touch                 (events)
//!     settle the movers that have not changed, if only few had                    (state)
//! move the cached pairs of two resting proxies to a list of each proxy            (sleeping)
//! ```
//!
//! A mover is *settled* if its compared box does not move and did not change in a whole tick. Whether two proxies are a pair
//! cannot change if neither has changed, so settled movers are only found in the searches of other proxies. Both ways
//! give the same answer, bit by bit. Resting pairs are not visited.

pub(crate) mod active;
pub(crate) mod bulk;
pub(crate) mod by_kind;
pub(crate) mod clone;
pub(crate) mod compare;
pub(crate) mod contact;
pub(crate) mod edit;
pub(crate) mod error;
#[cfg(test)]
mod excluded_resting_tests;
pub(crate) mod full;
pub(crate) mod id;
pub(crate) mod incremental;
pub(crate) mod kinds;
pub(crate) mod layers;
pub(crate) mod mover_tree;
pub(crate) mod movers;
mod needed;
mod packed;
pub(crate) mod pair_cache;
mod pair_rules;
pub(crate) mod proxy;
pub(crate) mod queries;
pub(crate) mod reading;
pub(crate) mod resting;
pub(crate) mod resting_search;
pub(crate) mod set_many;
pub(crate) mod slots;
pub(crate) mod snapshot;
pub(crate) mod state;
mod transaction;
mod unused;
pub(crate) mod update;
pub(crate) mod validate;

use super::exec::Exec;
use super::{FindError, PairFinder};
use crate::columns::{Memory, MovingBoxColumns, Rejected, impl_memory};
use crate::geom::{Filter, MovingBox};
use crate::par;
use alloc::vec::Vec;
use full::{FullScratch, FullUpdate};
pub(crate) use id::{ProxyId, ProxyPair};
use incremental::{ActiveSearch, Incremental};
use mover_tree::MoverTree;
use needed::{Needed, UpdateKind};
use pair_cache::events::Events;
use pair_cache::partition::{AcceptPair, Accepting};
use pair_cache::touching::Touching;
use pair_rules::PairRules;
pub(crate) use proxy::{Proxy, ProxyKind};
use resting::{RestingSearch, RestingTrees};
use set_many::SetScratch;
use slots::Container;
use state::{BroadphaseState, RemovedProxy};
pub(crate) use update::Changes;

/// Boxes with stable ids, and their pairs from tick to tick.
///
/// The rules below define what a pair is, which events are reported, and in which order.
/// Answers and ids are the same for every level and any number of threads.
///
/// The time of a tick depends on the number of movers, of their pairs and of changes. A mover counts as unchanged if its fat AABB
/// did not change; or, without a margin, if it has no displacement and no call has set its box since the last update, not even to
/// the same one. If the great majority of movers are unchanged, an update does not search for them. So a world that is nearly at
/// rest costs little: give moving proxies a margin of a few ticks' motion ([`Proxy::with_margin`]). If nothing has
/// changed at all, an update takes less than a nanosecond for each mover. After a few ticks of
/// similar size neither updates nor changes allocate: removed proxies free their memory for new
/// ones.
///
/// Two-dimensional games: give every box the same interval on the third axis and no displacement along it.
/// Boxes then meet exactly when they meet in the plane, at no extra cost. `[0, 0]` is enough for pairs and first times;
/// [`Broadphase::contact`] of boxes that touch at the start needs a height ([two dimensions](crate::guide::two_dimensions)). Large worlds: give boxes
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
///   ([`MovingBox::bounds`]), grown by the margin. The fat AABB is created by
///   [`Broadphase::insert`]. Each call that sets the box or the displacement keeps it if it contains the path, and recreates it
///   otherwise, also several times before an update. It is also recreated whenever the margin changes. The displacement of a resting proxy is zero.
/// * **Two proxies may pair** when both are enabled, their filters allow each other, they do not
///   have the same owner (owner 0 means no owner), and the caller's function accepts them.
/// * **Two proxies meet** when their compared boxes touch during the tick, as
///   [`sweep`](crate::batch::sweep) defines it; touching surfaces count.
/// * **A pair begins or persists** when two proxies may pair and meet, and the kind table has their kinds
///   ([`Broadphase::set_kind_table`]; by default one of them is dynamic, or one is kinematic and the other sleeping). It begins
///   if it was not cached before. A pair of two resting proxies, if the table has such pairs, begins
///   when one of the two has changed, and rests at once.
/// * **A pair rests** when it is cached and both proxies are fixed or sleeping. It stays cached,
///   without an event and without cost, until one of the two proxies changes. After such a change
///   it stays cached if the two still may pair and meet; otherwise it ends. A proxy changes when a
///   call gives it a different box, kind, filter, owner, margin or enabled flag. Shifting the
///   origin changes no proxy.
/// * **A renewed proxy** ([`Broadphase::renew`]) has changed, and its cached pairs are forgotten: the next update reports
///   no end of them, and those that touch begin.
/// * **A function for new pairs** ([`Broadphase::update_with_new`]) decides which pairs begin. A pair that is not cached,
///   and of which neither proxy has changed since the last update, does not begin; what is a change there, that function states. An update without
///   such a function finds all pairs, also those that it has rejected before.
/// * **Every other cached pair ends.** This includes pairs with a proxy that was removed or
///   disabled, and pairs that a new filter or kind no longer allows. The end event has the old ids,
///   even if the slot already contains another proxy.
/// * **Order.** [`ProxyPair::a`] has the lower index. Lists are ordered by the index of `a`, then
///   of `b`. No pair is in two of the three lists of a tick, except a pair that ended with an old
///   id and began with a new one.
///
/// Pairs change only in an update.
///
/// # Exact tests behind boxes
///
/// A pair begins when the compared boxes first touch, which may be many ticks before the bodies do. An engine that tests
/// shapes exactly, perhaps in `f64` behind boxes that [`Aabb::from_f64`](crate::Aabb::from_f64) rounds outwards, tests
/// all pairs of [`Changes::touching`] in each tick, not only those of [`Changes::begun`].
///
/// An update borrows the broadphase while its [`Changes`] are used. To read boxes or descriptions meanwhile, call
/// [`Broadphase::update`], and then [`Broadphase::changes`], which needs a shared reference only:
///
/// ```
/// # use swath::{Aabb, Broadphase, Proxy};
/// # let mut world = Broadphase::new();
/// # for x in [0.0, 0.5] {
/// #     world.insert(Aabb::cube([x; 3], 1.0)?, Proxy::dynamic().with_data(3))?;
/// # }
/// world.update()?;
/// for pair in world.changes().begun() {
///     assert_eq!(world.data(pair.a), Some(3));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// The level, the threads, and the greatest number of pairs of a tick. An update that finds more pairs fails and changes
    /// nothing. Counted are all pairs that meet and that kinds, filters and owners allow, also those that the caller's function
    /// rejects or has rejected before, but no pairs of two resting proxies.
    pub exec: Exec,
    state: BroadphaseState,
    /// Memory for the state of a snapshot that is restored.
    spare: BroadphaseState,
    trees: RestingTrees,
    mover_tree: MoverTree,
    finder: PairFinder,
    /// Whether any proxy had a filter other than `ALL` since the last `clear` or `restore`.
    filtered: bool,
    /// Whether the word of any of these filters was not exact, so that found pairs are tested with the filters.
    inexact_filters: bool,
    /// Whether any proxy had an owner since the last `clear` or `restore`.
    owned: bool,
    /// The events of the last update.
    events: Events,
    /// Whether the events are those of a successful update that is still valid.
    events_valid: bool,
    /// The proxies that were removed before the last update, in order.
    removed: Vec<RemovedProxy>,
    full: FullScratch,
    incremental: Incremental,
    resting_search: RestingSearch,
    /// Scratch memory: the status that the mover row of each renewed proxy had before an update.
    renewed_status: Vec<u8>,
    rejected: Vec<Rejected>,
    set: SetScratch,
    sorted: Vec<ProxyPair>,
    /// What the last updates needed.
    needed: Needed,
}

impl_memory!(Broadphase { state, spare, trees, mover_tree, finder, events, removed, full, incremental, resting_search, renewed_status, rejected, set, sorted; without exec, filtered, inexact_filters, owned, events_valid, needed });

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
            spare: BroadphaseState::default(),
            trees: RestingTrees::default(),
            mover_tree: MoverTree::default(),
            finder: PairFinder::default(),
            filtered: false,
            inexact_filters: false,
            owned: false,
            events: Events::default(),
            events_valid: false,
            removed: Vec::new(),
            full: FullScratch::default(),
            incremental: Incremental::default(),
            resting_search: RestingSearch::default(),
            renewed_status: Vec::new(),
            rejected: Vec::new(),
            set: SetScratch::default(),
            sorted: Vec::new(),
            needed: Needed::default(),
        }
    }

    /// The number of proxies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.slots.live as usize
    }

    /// The number of slots: each index of an id is below it.
    pub(crate) fn slots(&self) -> usize {
        self.state.slots.all.len()
    }

    /// Whether there are no proxies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether `id` is the id of an existing proxy, and not stale.
    #[must_use]
    pub fn contains(&self, id: ProxyId) -> bool {
        self.state.slots.find(id).is_some()
    }

    /// The ids of all proxies, in order of the index.
    pub fn ids(&self) -> impl Iterator<Item = ProxyId> {
        let slots = &self.state.slots;
        (0..slots.all.len()).filter(|&k| slots.all[k].live).map(|k| slots.id(k))
    }

    /// The description of a proxy: its kind, filter, owner, margin, data and enabled flag. `None` if the id is stale.
    #[must_use]
    pub fn proxy(&self, id: ProxyId) -> Option<Proxy> {
        let index = self.state.slots.find(id)?;
        Some(self.state.slot(index).proxy())
    }

    /// The caller's data of a proxy. `None` if the id is stale.
    #[must_use]
    pub fn data(&self, id: ProxyId) -> Option<u64> {
        self.proxy(id).map(|proxy| proxy.data)
    }

    /// The true box of a proxy at the start of the tick, and its displacement. `None` if the id is stale.
    #[must_use]
    pub fn moving_box(&self, id: ProxyId) -> Option<MovingBox> {
        self.state.slots.find(id).map(|index| self.state.moving_box(index))
    }

    /// The box of a proxy that is compared with others: the moving box, or with a margin the fat
    /// AABB, which does not move and contains the path. `None` if the id is stale.
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

    /// The row of a proxy in [`Broadphase::movers`]. `None` if it is fixed, sleeping or disabled, or the id is stale.
    #[must_use]
    pub fn row_of(&self, id: ProxyId) -> Option<u32> {
        let slot = self.state.slot(self.state.slots.find(id)?);
        (slot.container() == Container::Movers).then_some(slot.row_or_next)
    }

    /// Finds the pairs of this tick and reports what changed since the last update.
    ///
    /// # Errors
    ///
    /// [`FindError::TooManyPairs`] when there are more pairs than allowed. Then nothing is changed but
    /// [`Broadphase::changes`], which are empty.
    pub fn update(&mut self) -> Result<Changes<'_>, FindError> {
        self.find(None)
    }

    /// Like [`Broadphase::update`], but keeps only pairs that `accept` accepts, of those that
    /// filters and owners allow.
    ///
    /// `accept` is called once in an update for each pair that meets, in any order and on any
    /// thread. It is not called for resting pairs of which neither proxy changed. In an update that fails because
    /// there are too many pairs it is called at most once for each pair, and not for all of them.
    ///
    /// # Errors
    ///
    /// As [`Broadphase::update`].
    pub fn update_with(
        &mut self,
        accept: impl Fn(ProxyPair) -> bool + Sync,
    ) -> Result<Changes<'_>, FindError> {
        self.find(Some(Accepting::Each(&accept)))
    }

    /// Like [`Broadphase::update`], but keeps only new pairs that `accept` accepts. A pair that it accepts stays cached
    /// until it ends; it is not called for a pair that it has rejected until one of the two proxies changes.
    ///
    /// `accept` is called once in an update for each pair that meets, that filters and owners allow, that is not cached,
    /// and of which a proxy has changed since the last update, in any order and on any thread. A moving proxy without a
    /// margin changes with each call that sets its box, also to the same one; one with a margin when its fat AABB changes; a resting
    /// one when its box is different. A new kind, filter, owner, margin or enabled flag, [`Broadphase::renew`] and, for moving proxies,
    /// [`Broadphase::shift_origin`] are changes too, and another table of kinds is a change of all proxies. New data are no change: call
    /// [`Broadphase::renew`] if `accept` reads them. Unlike [`Broadphase::update_with`], this function finds only the pairs of changed proxies anew.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let a = world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::dynamic())?;
    /// world.insert(Aabb::cube([1.0; 3], 1.0)?, Proxy::fixed())?;
    /// assert!(world.update_with_new(|_| false)?.begun().is_empty());
    /// // Neither has changed, so the function is not called.
    /// assert!(world.update_with_new(|_| true)?.begun().is_empty());
    /// world.set(a, Aabb::cube([0.5; 3], 1.0)?, [0.0; 3])?;
    /// assert_eq!(world.update_with_new(|_| true)?.begun().len(), 1);
    /// assert_eq!(world.update_with_new(|_| false)?.persisted().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Broadphase::update`].
    pub fn update_with_new(
        &mut self,
        accept: impl Fn(ProxyPair) -> bool + Sync,
    ) -> Result<Changes<'_>, FindError> {
        self.find(Some(Accepting::New(&accept)))
    }

    fn find(&mut self, accept: Option<Accepting<'_>>) -> Result<Changes<'_>, FindError> {
        let accept_new = accept.and_then(Accepting::of_new);
        let keeps_function = accept_new.is_some() || accept.is_none() && !self.state.restricted;
        let pairs_fit = self.state.found_max() <= self.exec.pairs_max;
        if keeps_function && pairs_fit && self.state.is_unchanged() {
            // A translation of the origin changes no proxy, but boxes in the trees.
            if !self.trees.is_current() {
                self.update_trees();
            }
            self.events.clear();
            self.removed.clear();
            self.events_valid = true;
            self.free_unused(UpdateKind::Unchanged);
            return Ok(self.changes());
        }
        par::sort::<4>(bytemuck::cast_slice_mut(&mut self.state.dirty_pairs));
        let mut transaction = self.begin_update(accept_new.is_some());
        let search = &mut *transaction.broadphase;
        search.find_resting(accept.map(Accepting::function))?;
        let few = keeps_function
            && !search.state.kinds_changed
            && search.incremental.active.choose(&search.state.movers);
        let found = if few { search.find_changed(accept_new)? } else { false };
        if !found {
            search.find_all(accept)?;
        }
        transaction.is_committed = true;
        drop(transaction);
        let Self { state, events, removed, full, resting_search, .. } = self;
        self.events_valid = true;
        removed.clone_from(&state.removed);
        par::sort::<4>(bytemuck::cast_slice_mut(removed));
        state.slots.mark_cached();
        if !found {
            core::mem::swap(&mut state.slots.cached_small, &mut full.generations);
        }
        state.dirty_pairs.clear();
        events.now_resting.iter().for_each(|&pair| state.resting.add(pair));
        events.begin_resting(&resting_search.begun);
        resting_search.begun.iter().for_each(|&pair| state.resting.add(pair));
        state.kinds_changed = false;
        state.restricted = accept.is_some();
        state.forget_changes();
        self.free_unused(if found { UpdateKind::Incremental } else { UpdateKind::Full });
        Ok(self.changes())
    }

    /// Finds the pairs of the proxies that have changed. Returns false if there may be too many pairs; then all pairs must be found.
    fn find_changed(&mut self, accept: Option<AcceptPair<'_>>) -> Result<bool, FindError> {
        let Self { exec, state, trees, finder, incremental, events, .. } = self;
        let (filtered, inexact_filters, owned) = (self.filtered, self.inexact_filters, self.owned);
        let search = ActiveSearch { exec, filtered, inexact_filters, owned, accept };
        state.touching.convert_to_rows(state.slots.all.len());
        incremental.active.collect(state, trees);
        trees.update(state, self.filtered);
        events.clear();
        match incremental.search(&search, state, finder, trees, events) {
            Ok(()) => {
                incremental.finish(state);
                Ok(true)
            }
            Err(error) => {
                incremental.active.cancel(&mut state.movers);
                match error {
                    FindError::TooManyPairs { .. } => Ok(false),
                    error => Err(error),
                }
            }
        }
    }

    /// Finds all pairs anew.
    fn find_all(&mut self, accept: Option<Accepting<'_>>) -> Result<(), FindError> {
        let Self { exec, state, trees, finder, full, events, .. } = self;
        trees.set_exec(exec);
        finder.exec = exec.clone();
        trees.update(state, self.filtered);
        events.clear();
        state.touching.convert_to_table();
        let (filtered, inexact_filters, owned) = (self.filtered, self.inexact_filters, self.owned);
        let rules = PairRules { slots: &state.slots.all, inexact_filters, owned };
        let update = FullUpdate { exec, state, filtered, rules, accept };
        state.rejected = update.run(finder, trees, full, events)?;
        core::mem::swap(state.touching.convert_to_table(), &mut full.touching);
        state.settle(|index| trees.mark_settled(index));
        Ok(())
    }

    /// The result of the last update. It is empty after [`Broadphase::restore`], [`Broadphase::clear`],
    /// [`Broadphase::shrink_to_fit`] and an update that failed.
    #[must_use]
    pub fn changes(&self) -> Changes<'_> {
        let Self { events, events_valid, removed, state, .. } = self;
        let touching = if *events_valid {
            Touching::new(&state.touching, &state.slots)
        } else {
            Touching::default()
        };
        Changes { events, touching, slots: &state.slots, removed }
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
        (self.filtered, self.inexact_filters, self.owned) = (false, false, false);
        self.state.rejected = 0;
        self.discard_changes();
    }

    /// Discards the result of the last update.
    fn discard_changes(&mut self) {
        self.events.clear();
        self.removed.clear();
        self.events_valid = false;
    }

    /// Reserves memory for this many proxies, of which `movers` move, and for ticks with `pairs`
    /// pairs in which at least one proxy moves.
    ///
    /// # Panics
    ///
    /// If a single list would be larger than the address space. If the system does not have the memory, the process
    /// aborts, as after any allocation that fails.
    pub fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        self.state.reserve(proxies, movers, pairs);
        self.trees.reserve(proxies, movers, pairs);
        self.finder.reserve(movers, 0, pairs);
        self.needed.reserve(pairs);
    }

    /// Frees the memory that the proxies and pairs do not need. The next update allocates what it
    /// needs again.
    pub fn shrink_to_fit(&mut self) {
        self.state.resting.compact(0);
        // A clone has no spare capacity.
        self.state = self.state.clone();
        self.spare = BroadphaseState::default();
        self.trees.shrink_to_fit();
        self.mover_tree = MoverTree::default();
        self.finder.shrink_to(0, 0);
        (self.events, self.events_valid) = (Events::default(), false);
        self.removed = Vec::new();
        (self.full, self.incremental) = (FullScratch::default(), Incremental::default());
        (self.rejected, self.sorted) = (Vec::new(), Vec::new());
        (self.resting_search, self.renewed_status) = (RestingSearch::default(), Vec::new());
        (self.set, self.needed) = (SetScratch::default(), Needed::default());
    }

    /// The allocated memory in bytes.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.bytes()
    }
}
