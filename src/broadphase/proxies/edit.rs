//! Inserting, changing and removing one proxy.

use super::Broadphase;
use super::error::BroadphaseError;
use super::id::ProxyId;
use super::kinds::KindTable;
use super::proxy::{Proxy, ProxyKind};
use super::slots::{Container, Slot};
use crate::geom::{Aabb, Filter, MovingBox, is_magnitude};

impl Broadphase {
    /// Inserts a box. It does not move in this tick unless [`Broadphase::set`] gives it a
    /// displacement.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the box or the margin is invalid, or there are too many proxies.
    pub fn insert(&mut self, aabb: Aabb, proxy: Proxy) -> Result<ProxyId, BroadphaseError> {
        self.insert_moving(MovingBox::from(aabb), proxy)
    }

    /// Inserts a box with its displacement in this tick.
    ///
    /// # Errors
    ///
    /// As [`Broadphase::insert`].
    pub fn insert_moving(
        &mut self,
        moving: MovingBox,
        proxy: Proxy,
    ) -> Result<ProxyId, BroadphaseError> {
        if !is_magnitude(proxy.margin) {
            return Err(BroadphaseError::Margin);
        }
        if self.state.slots.free_capacity() == 0 {
            return Err(BroadphaseError::TooManyProxies);
        }
        let id = self.state.insert(moving, proxy)?;
        self.record_filter(proxy.filter);
        self.owned |= proxy.owner != 0;
        self.mark_dirty(id.index() as usize, Container::Nowhere);
        Ok(id)
    }

    /// Records that a proxy has this filter.
    fn record_filter(&mut self, filter: Filter) {
        self.filtered |= filter != Filter::ALL;
        self.inexact_filters |= !filter.is_exact();
    }

    /// Removes a proxy. Its pairs end with the next update, unless it was renewed before ([`Broadphase::renew`]); its id is stale
    /// from now on.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`], also if the proxy was removed before.
    pub fn remove(&mut self, id: ProxyId) -> Result<(), BroadphaseError> {
        let index = self.state.find(id)?;
        let was = self.state.slot(index).container();
        self.state.remove(index);
        self.mark_dirty(index, was);
        Ok(())
    }

    /// Marks the trees as dirty in which proxy `index` is stored, or was stored before the change
    /// (`was`).
    #[inline]
    pub(crate) fn mark_dirty(&mut self, index: usize, was: Container) {
        let containers = [was, self.state.slot(index).container()];
        if containers.contains(&Container::Movers) {
            self.mover_tree.mark_dirty();
        }
        let now = self.state.slot(index).container();
        let stopped = now != Container::Movers && self.trees.has_settled(index);
        if stopped || containers.iter().any(|container| container.is_resting()) {
            self.trees.mark_dirty(index);
        }
    }

    /// Sets the box of a proxy at the start of the tick, and its displacement in the tick. The
    /// `delta` of a fixed or sleeping proxy is validated and then ignored.
    ///
    /// Both remain until they are set again: an update does not move a proxy to the end of its path.
    /// So a displacement counts in every later update too, and a body that has stopped must get a
    /// displacement of zero.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the id is stale, or the box or the displacement is invalid.
    pub fn set(
        &mut self,
        id: ProxyId,
        aabb: Aabb,
        delta: impl Into<[f32; 3]>,
    ) -> Result<(), BroadphaseError> {
        let index = self.state.find(id)?;
        let new_count = self.state.set(index, MovingBox { aabb, delta: delta.into() })?;
        if new_count {
            self.mark_dirty(index, Container::Nowhere);
        }
        Ok(())
    }

    /// Sets the displacement of a proxy in the tick, and keeps its box: the same as [`Broadphase::set`] with the
    /// [box](Broadphase::moving_box) that it has. The `delta` of a fixed or sleeping proxy is validated and then ignored.
    ///
    /// It remains until it is set again, also if the box is.
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let door = world.insert(Aabb::cube([3.0, 0.0, 0.0], 0.5)?, Proxy::fixed())?;
    /// let guest = world.insert(Aabb::cube([0.0; 3], 0.5)?, Proxy::dynamic())?;
    /// world.set_delta(guest, [2.5, 0.0, 0.0])?;
    /// assert!(world.update()?.begun().iter().any(|pair| pair.a == door && pair.b == guest));
    /// world.set_delta(guest, [0.0; 3])?; // it stops
    /// assert_eq!(world.update()?.ended().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the id is stale, the displacement is invalid, or the path ends past [`COORD_MAX`](crate::COORD_MAX) with the margin;
    /// then nothing is changed.
    pub fn set_delta(
        &mut self,
        id: ProxyId,
        delta: impl Into<[f32; 3]>,
    ) -> Result<(), BroadphaseError> {
        let index = self.state.find(id)?;
        if self.state.set_delta(index, delta.into())? {
            self.mark_dirty(index, Container::Nowhere);
        }
        Ok(())
    }

    /// Changes the kind of a proxy. A proxy that becomes fixed or sleeping stays where it was at
    /// the start of the tick, without displacement.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`].
    pub fn set_kind(&mut self, id: ProxyId, kind: ProxyKind) -> Result<(), BroadphaseError> {
        self.change(id, |slot| slot.kind == kind, |slot| slot.kind = kind)
    }

    /// Sets the categories of a proxy, and those with which it may pair.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`].
    pub fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadphaseError> {
        self.change(id, |slot| slot.filter == filter, |slot| slot.filter = filter)?;
        self.record_filter(filter);
        Ok(())
    }

    /// Sets the owner of a proxy; 0 means no owner.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`].
    pub fn set_owner(&mut self, id: ProxyId, owner: u32) -> Result<(), BroadphaseError> {
        self.change(id, |slot| slot.owner == owner, |slot| slot.owner = owner)?;
        self.owned |= owner != 0;
        Ok(())
    }

    /// Enables or disables a proxy. A disabled proxy keeps its id, box and description, and has no pairs and no queries: the next
    /// update ends its pairs.
    ///
    /// For a pool of bodies that often appear and disappear, such as shots, [`Broadphase::insert`] and [`Broadphase::remove`] are an
    /// alternative of about the same cost: removed proxies free their memory for new ones, and each use of a slot has an id of its own.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`].
    pub fn set_enabled(&mut self, id: ProxyId, enabled: bool) -> Result<(), BroadphaseError> {
        self.change(id, |slot| slot.enabled == enabled, |slot| slot.enabled = enabled)
    }

    /// Sets the margin of a proxy: by how much its fat AABB is larger than the bounds of its path.
    /// The fat AABB is recreated, unless the margin is the same as before.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError`] when the id is stale or the margin is invalid.
    pub fn set_margin(&mut self, id: ProxyId, margin: f32) -> Result<(), BroadphaseError> {
        let index = self.state.find(id)?;
        if self.state.slot(index).margin.to_bits() != margin.to_bits() {
            self.state.set_margin(index, margin)?;
            self.mark_dirty(index, Container::Nowhere);
        }
        Ok(())
    }

    /// Sets the caller's data. This changes no pair.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`].
    pub fn set_data(&mut self, id: ProxyId, data: u64) -> Result<(), BroadphaseError> {
        let index = self.state.find(id)?;
        self.state.slots.all[index].data = data;
        Ok(())
    }

    /// Sets which kinds of proxies pair. The next update finds all pairs of moving proxies anew, and ends those whose kinds no longer pair. A resting
    /// pair stays cached as long as both proxies rest and touch, also if the table no longer has their kinds.
    ///
    /// Pairs of two resting kinds begin only when one of the two proxies is inserted or changes. For [`Broadphase::update_with_new`], a new table is
    /// a change of all proxies: its function is called once more for the pairs that it has rejected. A table is new if it differs from the current
    /// one. So setting another table and then the former one again, before an update, is a change too.
    pub fn set_kind_table(&mut self, kinds: KindTable) {
        self.state.kinds_changed |= kinds != self.state.kinds;
        self.state.kinds = kinds;
    }

    /// Which kinds of proxies pair.
    #[must_use]
    pub fn kind_table(&self) -> KindTable {
        self.state.kinds
    }

    /// Makes the next update announce the pairs of a proxy again, which keeps its id.
    ///
    /// The next update forgets the cached pairs of the proxy: it reports no end of them, and reports those that touch as begun. Until then,
    /// [`Broadphase::pairs`] and [`Broadphase::contains_pair`] still return them. For engines that drop the contacts of a body by themselves, for
    /// example when it becomes a sensor or changes its type. A pair of two resting proxies begins when one of them moves. A pair that no longer
    /// touches at the next update, or whose proxy is removed, disabled or filtered out before it, stays forgotten: there is neither a begin nor an
    /// end of it.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`].
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let a = world.insert(Aabb::cube([0.0; 3], 1.0)?, Proxy::dynamic())?;
    /// let b = world.insert(Aabb::cube([1.0; 3], 1.0)?, Proxy::fixed())?;
    /// assert_eq!(world.update()?.begun().len(), 1);
    /// world.renew(b)?;
    /// let changes = world.update()?;
    /// assert_eq!((changes.begun().len(), changes.ended().len()), (1, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn renew(&mut self, id: ProxyId) -> Result<(), BroadphaseError> {
        let index = self.state.find(id)?;
        self.state.renew(index);
        Ok(())
    }

    /// Applies `edit` to a proxy, unless `is_so` returns true, because it would change nothing.
    fn change(
        &mut self,
        id: ProxyId,
        is_so: impl FnOnce(&Slot) -> bool,
        edit: impl FnOnce(&mut Slot),
    ) -> Result<(), BroadphaseError> {
        let index = self.state.find(id)?;
        let slot = self.state.slot(index);
        if is_so(slot) {
            return Ok(());
        }
        let was = slot.container();
        self.state.change(index, edit);
        self.mark_dirty(index, was);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::broadphase::proxies::error::BroadphaseError;
    use crate::broadphase::proxies::{Broadphase, Proxy};
    use crate::geom::{Aabb, Filter};

    /// Goal: a call that fails does not make later updates test filters and owners. Method: the id of a removed proxy, with a filter whose
    /// word is not exact, and an owner.
    #[test]
    fn filter_and_owner_of_a_stale_id_have_no_effect() {
        let mut broadphase = Broadphase::new();
        let filter = Filter::new(1 << 31, 1 << 20);
        assert!(!filter.is_exact());
        let settings = |of: &Broadphase| [of.filtered, of.inexact_filters, of.owned];
        for (id, expected) in [false, true].map(|exists| {
            let id = broadphase.insert(Aabb::default(), Proxy::dynamic()).expect("a valid box");
            if !exists {
                broadphase.remove(id).expect("the proxy exists");
            }
            (id, exists)
        }) {
            let stale = if expected { Ok(()) } else { Err(BroadphaseError::Stale { id }) };
            assert_eq!(broadphase.set_filter(id, filter), stale);
            assert_eq!(broadphase.set_owner(id, 1), stale);
            assert_eq!(settings(&broadphase), [expected; 3]);
        }
    }
}
