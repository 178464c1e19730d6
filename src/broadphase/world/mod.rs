//! Which proxies touch this tick, and what is new since the last one?
//!
//! [`Broadphase`] is the door for engines that keep their bodies elsewhere: each box is a *proxy*
//! with an id, in one of four sets. It is built on the other finders: what moves lies in dense
//! columns that the [`PairFinder`] reads, what is at rest in kept trees ([`FixedBoxes`](super::FixedBoxes)).
//!
//! # The rules
//!
//! What an update answers is said by these alone; tests hold it to a model that says no more.
//!
//! * **Held boxes.** For a proxy without a margin its moving box is held. With a margin, a box that
//!   does not move: when it is needed first, that around the path ([`MovingBox::bounds`]) grown by
//!   the margin; it stays until the path leaves it, and is then made anew. A margin that is set is
//!   always made anew for. What is at rest has no displacement.
//! * **Two proxies may pair** when both are enabled, their filters allow each other, they have not
//!   the same owner (but 0, which is nobody), and the caller's function accepts them.
//! * **They meet** when their held boxes touch in the tick: as [`sweep`](crate::sweep) answers it, a
//!   touch counts.
//! * **A pair begins or persists** when two proxies may pair and meet, and one is dynamic, or one
//!   kinematic and one sleeping ([`Set::pairs_with`]). It begins if it was not kept before.
//! * **A pair rests** when it is kept, and both are fixed or sleeping. It stays kept, without event
//!   or cost, as long as neither is changed. When one was, it stays kept if the two may pair and
//!   meet, else it ends. Changed means: a call that said something new of its box, set, filter,
//!   owner, margin, or of its being enabled. Shifting the origin changes nobody.
//! * **Every other pair that was kept ends**: also when a proxy is removed or disabled, or its filter
//!   or set no longer allows the pair. The end has the old ids, even where the slot has a new proxy.
//! * **Order.** [`ProxyPair::a`] has the lower index; lists are by index of `a`, then of `b`. No
//!   pair is in two of the three lists of a tick, unless it ended with an old id and began with a
//!   new one.
//!
//! Between updates nothing of the pairs changes.
//!
//! # Questions
//!
//! [`Broadphase::queries`] answers of the true boxes at the start of the tick, margins or not, of all
//! proxies that are enabled, as they are when it is asked: no update has to come first.
//!
//! # Shape of a tick
//!
//! Movers are found by the pair finder, and by the two trees; a found pair costs naming, sifting,
//! dealing to a part of the order (`gather`) and looking up there among those that are kept
//! (`recall`); what is new has to be put in order besides (`order`). Pairs at rest are in lists by
//! proxy (`resting`) that nobody walks.
//!
//! [`MovingBox::bounds`]: crate::MovingBox::bounds

mod bulk;
mod diff;
mod error;
mod gather;
mod id;
mod kept;
mod layers;
mod mover_tree;
mod movers;
mod order;
mod proxy;
mod queries;
mod recall;
mod resting;
mod rows;
mod slots;
mod snapshot;
mod state;
mod trees;
mod update;
mod validate;

use super::{FindError, PairFinder};
use crate::geom::{Aabb, Filter, MovingBox};
use crate::lanes::Level;
use crate::par::Threads;
use crate::store::{Boxes, Rejected};
use alloc::vec::Vec;
pub use error::WorldError;
use gather::Accept;
pub use id::{ProxyId, ProxyPair, SweptProxyPair};
pub use kept::{Touching, TouchingIter};
pub use layers::Layers;
use mover_tree::MoverTree;
pub use proxy::{Proxies, Proxy, Set};
pub use queries::{ProxyHit, WorldAccept, WorldQueries, WorldQuery};
use slots::{Home, Slot};
pub use snapshot::Snapshot;
use state::State;
use trees::Trees;
pub use update::{Changes, Persisted};
use update::{Update, Work};
pub use validate::Broken;

/// Boxes under ids, in sets, and their pairs from tick to tick.
///
/// See the [module](self) for what is a pair, what is an event and in which order they come.
/// Answers and ids are the same for any [`Level`] and any [`Threads`].
///
/// A tick costs time for what moves, its pairs, and what was changed. Once warm it allocates nothing,
/// nor do changes: what is removed makes room for what is put in.
///
/// Flat worlds: with `[0, 0]` on the third axis of every box, and no displacement along it, boxes
/// meet when they do on the plane, at no extra cost. Large worlds: give boxes in `f64` relative to
/// an origin ([`Aabb::from_f64`], [`MovingBox::from_f64`] round outwards) and move it with
/// [`Broadphase::shift_origin`].
///
/// ```
/// use swath::{Aabb, Broadphase, Proxy};
///
/// let mut world = Broadphase::new();
/// let wall = world.insert(Aabb::new([0.0, -5.0, -5.0], [0.2, 5.0, 5.0])?, Proxy::fixed())?;
/// let start = Aabb::cube([-50.0, 0.0, 0.0], 0.05)?;
/// let bullet = world.insert(start, Proxy::moving())?;
/// world.set(bullet, start, [100.0, 0.0, 0.0])?; // where it is, how far it goes
///
/// let changes = world.update()?;
/// let pair = changes.begun()[0];
/// assert_eq!((pair.a, pair.b), (wall, bullet));
/// assert!((pair.first - 0.4995).abs() < 1e-6);
///
/// // The bullet hits, and stays where it is.
/// let end = Aabb::cube([-0.05, 0.0, 0.0], 0.05)?;
/// world.set(bullet, end, [0.0; 3])?;
/// assert_eq!(world.update()?.persisted().len(), 1);
/// world.remove(bullet)?;
/// assert_eq!(world.update()?.ended(), [pair.into()]);
/// assert!(world.set(bullet, end, [0.0; 3]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Broadphase {
    state: State,
    trees: Trees,
    mover_tree: MoverTree,
    finder: PairFinder,
    threads: Threads,
    level: Level,
    pairs_max: usize,
    /// Whether a proxy has a filter, or had one.
    filtered: bool,
    /// Whether a proxy has an owner, or had one.
    owned: bool,
    work: Work,
    rejected: Vec<Rejected>,
    /// Rows of the movers, where many are set.
    rows: Vec<u32>,
    sorted: Vec<ProxyPair>,
}

impl Default for Broadphase {
    fn default() -> Self {
        Self::with_level(Level::detect())
    }
}

/// What moves, as dense columns: row `k` of the boxes is that of proxy `ids[k]`.
///
/// Rows are those of dynamic and kinematic proxies that are enabled. Their order means nothing; it
/// stays as long as none comes or goes.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Movers<'a> {
    /// Where they are and how far they go.
    pub boxes: Boxes<'a>,
    /// What they are called.
    pub ids: &'a [ProxyId],
    /// With what they may pair.
    pub filters: &'a [Filter],
    /// Whether each is dynamic, not kinematic.
    pub dynamic: &'a [bool],
}

impl Broadphase {
    /// An empty world that uses the widest level of this CPU.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty world that uses `level`. The answers are the same for each.
    #[must_use]
    pub fn with_level(level: Level) -> Self {
        Self {
            state: State::default(),
            trees: Trees::with_level(level),
            mover_tree: MoverTree::default(),
            finder: PairFinder::with_level(level),
            threads: Threads::default(),
            level,
            pairs_max: usize::MAX,
            filtered: false,
            owned: false,
            work: Work::default(),
            rejected: Vec::new(),
            rows: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// From now on works on these threads. The answers are the same for any.
    pub fn set_threads(&mut self, threads: Threads) {
        self.finder.set_threads(threads.clone());
        self.trees.set_threads(&threads);
        self.threads = threads;
    }

    /// From now on a tick that finds more pairs than `most` is an error, which says how many there
    /// are before owners and the caller's function are asked; nothing is changed then. At first
    /// there is no limit.
    pub fn set_pairs_max(&mut self, most: usize) {
        self.finder.set_pairs_max(most);
        self.trees.set_pairs_max(most);
        self.pairs_max = most;
    }

    /// How many proxies there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.slots.live as usize
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is such a proxy.
    #[must_use]
    pub fn contains(&self, id: ProxyId) -> bool {
        self.state.slots.find(id).is_some()
    }

    /// The ids of all proxies, by index.
    pub fn ids(&self) -> impl Iterator<Item = ProxyId> {
        let slots = &self.state.slots;
        (0..slots.all.len()).filter(|&k| slots.all[k].live).map(|k| slots.id(k))
    }

    /// Puts in a box; it does not move in this tick unless told so by [`Broadphase::set`].
    ///
    /// # Errors
    ///
    /// [`WorldError`] when it is no box, the margin is none, or there are too many proxies.
    pub fn insert(&mut self, aabb: Aabb, proxy: Proxy) -> Result<ProxyId, WorldError> {
        self.insert_moving(MovingBox::from(aabb), proxy)
    }

    /// Puts in a box and says how far it goes in this tick.
    ///
    /// # Errors
    ///
    /// As [`Broadphase::insert`].
    pub fn insert_moving(
        &mut self,
        moving: MovingBox,
        proxy: Proxy,
    ) -> Result<ProxyId, WorldError> {
        if !proxy::is_margin(proxy.margin) {
            return Err(WorldError::Margin);
        }
        if self.state.slots.room() == 0 {
            return Err(WorldError::TooManyProxies);
        }
        let id = self.state.insert(moving, proxy)?;
        self.filtered |= proxy.filter != Filter::ALL;
        self.owned |= proxy.owner != 0;
        self.note(id.index() as usize, Home::Nowhere);
        Ok(id)
    }

    /// Takes out a proxy. Its pairs end with the next update; the id is stale from now on.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stale`].
    pub fn remove(&mut self, id: ProxyId) -> Result<(), WorldError> {
        let index = self.state.find(id)?;
        self.note(index, Home::Nowhere);
        self.state.remove(index);
        Ok(())
    }

    /// Notes for the trees that a proxy has changed, and where it was before.
    #[inline]
    fn note(&mut self, index: usize, was: Home) {
        let homes = [was, self.state.slot(index).home()];
        if homes.contains(&Home::Movers) {
            self.mover_tree.note();
        }
        if homes.iter().any(|home| home.is_tree()) {
            self.trees.note(index);
        }
    }

    /// Says where a proxy is and how far it goes in this tick. What is at rest goes nowhere: there
    /// `delta` is checked and does not count.
    ///
    /// # Errors
    ///
    /// [`WorldError`] when the id is stale or the box or displacement is none.
    pub fn set(
        &mut self,
        id: ProxyId,
        aabb: Aabb,
        delta: impl Into<[f32; 3]>,
    ) -> Result<(), WorldError> {
        let index = self.state.find(id)?;
        let news = self.state.set(index, MovingBox { aabb, delta: delta.into() })?;
        if news {
            self.note(index, Home::Nowhere);
        }
        Ok(())
    }

    /// Moves a proxy to a set. One that comes to rest stays where it was at the start of the tick,
    /// without displacement.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stale`].
    pub fn move_to(&mut self, id: ProxyId, set: Set) -> Result<(), WorldError> {
        self.change(id, |slot| slot.set == set, |slot| slot.set = set)
    }

    /// Says with what a proxy may pair.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stale`].
    pub fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), WorldError> {
        self.filtered |= filter != Filter::ALL;
        self.change(id, |slot| slot.filter == filter, |slot| slot.filter = filter)
    }

    /// Says to whom a proxy belongs; 0 is nobody.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stale`].
    pub fn set_owner(&mut self, id: ProxyId, owner: u32) -> Result<(), WorldError> {
        self.owned |= owner != 0;
        self.change(id, |slot| slot.owner == owner, |slot| slot.owner = owner)
    }

    /// Lets a proxy take part or not.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stale`].
    pub fn set_enabled(&mut self, id: ProxyId, enabled: bool) -> Result<(), WorldError> {
        self.change(id, |slot| slot.enabled == enabled, |slot| slot.enabled = enabled)
    }

    /// Says by how much the held box is larger than the path; it is made anew, unless that is what
    /// the margin was.
    ///
    /// # Errors
    ///
    /// [`WorldError`] when the id is stale or the margin is none.
    pub fn set_margin(&mut self, id: ProxyId, margin: f32) -> Result<(), WorldError> {
        let index = self.state.find(id)?;
        if self.state.slot(index).margin.to_bits() != margin.to_bits() {
            self.state.set_margin(index, margin)?;
            self.note(index, Home::Nowhere);
        }
        Ok(())
    }

    /// Sets the caller's data. That changes no pair.
    ///
    /// # Errors
    ///
    /// [`WorldError::Stale`].
    pub fn set_data(&mut self, id: ProxyId, data: u64) -> Result<(), WorldError> {
        let index = self.state.find(id)?;
        self.state.slots.all[index].data = data;
        Ok(())
    }

    fn change(
        &mut self,
        id: ProxyId,
        is_so: impl FnOnce(&Slot) -> bool,
        edit: impl FnOnce(&mut Slot),
    ) -> Result<(), WorldError> {
        let index = self.state.find(id)?;
        let slot = self.state.slot(index);
        if is_so(slot) {
            return Ok(());
        }
        let was = slot.home();
        self.state.change(index, edit);
        self.note(index, was);
        Ok(())
    }

    /// What is said of a proxy.
    #[must_use]
    pub fn proxy(&self, id: ProxyId) -> Option<Proxy> {
        let index = self.state.slots.find(id)?;
        Some(self.state.slot(index).proxy())
    }

    /// The caller's data.
    #[must_use]
    pub fn data(&self, id: ProxyId) -> Option<u64> {
        self.proxy(id).map(|proxy| proxy.data)
    }

    /// Where a proxy is and how far it goes.
    #[must_use]
    pub fn moving_box(&self, id: ProxyId) -> Option<MovingBox> {
        self.state.slots.find(id).map(|index| self.state.moving_box(index))
    }

    /// The box that is compared with others: the moving box, or with a margin one that does not
    /// move and has the path in it.
    #[must_use]
    pub fn held_box(&self, id: ProxyId) -> Option<MovingBox> {
        self.state.slots.find(id).map(|index| self.state.held(index))
    }

    /// What moves, as the finder reads it but for margins: the boxes are the true ones.
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

    /// The row of a proxy in [`Broadphase::movers`], if it moves.
    #[must_use]
    pub fn row_of(&self, id: ProxyId) -> Option<u32> {
        let slot = self.state.slot(self.state.slots.find(id)?);
        (slot.home() == Home::Movers).then_some(slot.place)
    }

    /// Finds the pairs of this tick and says what is new.
    ///
    /// # Errors
    ///
    /// [`FindError::TooManyPairs`] when there are more than are allowed. Nothing is changed then.
    pub fn update(&mut self) -> Result<Changes<'_>, FindError> {
        self.find(None)
    }

    /// As [`Broadphase::update`], but of pairs that filters and owners allow only those that
    /// `accept` accepts. It is asked once in an update for each pair that meets, in any order and on
    /// any thread, also where there turn out to be too many; not for pairs at rest of which neither
    /// was changed.
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

    fn find(&mut self, accept: Option<Accept<'_>>) -> Result<Changes<'_>, FindError> {
        let Self { level, state, trees, finder, threads, pairs_max, filtered, owned, work, .. } =
            self;
        trees.update(state, *filtered);
        if state.movers.len() == 0 && state.touching.is_empty() && state.loose.is_empty() {
            work.clear();
            return Ok(self.changes());
        }
        state.loose.sort_unstable();
        let update = Update {
            level: *level,
            filtered: *filtered,
            owned: *owned,
            pairs_max: *pairs_max,
            threads,
            accept,
        };
        update.run(state, finder, trees, work)?;
        core::mem::swap(&mut state.touching, &mut work.touching);
        work.said = true;
        state.slots.say();
        state.loose.clear();
        work.events.rested.iter().for_each(|&pair| state.resting.add(pair));
        Ok(self.changes())
    }

    /// What the last update said. Empty after [`Broadphase::restore`] and [`Broadphase::clear`].
    #[must_use]
    pub fn changes(&self) -> Changes<'_> {
        let Self { work: Work { events, said, .. }, state, .. } = self;
        let touching =
            if *said { Touching::new(&state.touching, &state.slots) } else { Touching::default() };
        Changes { events, touching }
    }

    /// All pairs that were kept by the last update, those at rest among them, by index.
    ///
    /// Collects and sorts them, in memory that is kept for the next time.
    #[must_use]
    pub fn pairs(&mut self) -> &[ProxyPair] {
        let Self { state, sorted, threads, .. } = self;
        sorted.clear();
        sorted.reserve(state.touching.len() + state.resting.len() + state.loose.len());
        let touching = Touching::new(&state.touching, &state.slots);
        sorted.extend(touching.iter().map(ProxyPair::from));
        sorted.extend(state.resting.iter());
        sorted.extend_from_slice(&state.loose);
        threads.sort_by_key(sorted, |pair| {
            u64::from(pair.a.index()) << 32 | u64::from(pair.b.index())
        });
        sorted
    }

    /// Takes out all proxies, as if one by one from the highest index down, and keeps the memory.
    pub fn clear(&mut self) {
        for index in (0..self.state.slots.all.len()).rev() {
            if self.state.slot(index).live {
                self.note(index, Home::Nowhere);
                self.state.remove(index);
            }
        }
        (self.filtered, self.owned) = (false, false);
        self.work.clear();
    }

    /// Makes room for so many proxies, of which so many move, and for ticks with so many pairs of
    /// which one moves.
    pub fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        self.state.reserve(proxies, movers, pairs);
        self.trees.reserve(proxies, movers, pairs);
        self.finder.reserve(movers, 0, pairs);
    }

    /// Gives back the memory that the proxies and pairs do not need. The next update allocates what
    /// it needs anew.
    pub fn shrink_to_fit(&mut self) {
        self.state.shrink_to_fit();
        self.trees.shrink_to_fit();
        self.mover_tree = MoverTree::default();
        self.finder.shrink_to(0, 0);
        self.work = Work::default();
        (self.rejected, self.rows, self.sorted) = (Vec::new(), Vec::new(), Vec::new());
    }

    /// Bytes of memory that are held.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.state.bytes()
            + self.trees.bytes()
            + self.mover_tree.bytes()
            + self.finder.memory_usage()
            + self.work.bytes()
            + self.rejected.capacity() * size_of::<Rejected>()
            + self.rows.capacity() * size_of::<u32>()
            + self.sorted.capacity() * size_of::<ProxyPair>()
    }
}
