//! The complete state of a broadphase, apart from its scratch memory and its trees.
//!
//! These plain columns contain everything that decides the answers of later ticks, and nothing
//! else, so a snapshot (`packed.rs`) is made from them. Functions that change a single proxy are here;
//! [`super::Broadphase`] marks the trees as dirty.

use super::error::BroadphaseError;
use super::id::{ProxyId, ProxyPair};
use super::kinds::KindTable;
use super::movers::{CHANGED, MoverStore, SETTLED, UNBOUNDED, without_motion};
use super::pair_cache::sleeping::RestingPairs;
use super::pair_cache::store::PairStore;
use super::proxy::Proxy;
use super::slots::{Container, NONE, Slot, Slots, owners_allow};
use crate::broadphase::pairs::buffer::reserve_total;
use crate::columns::impl_memory;
use crate::geom::{Aabb, Invalid, MapEach, MovingBox, is_magnitude};
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};

/// Movers settle if at most one of this many has changed.
const SETTLING_SHARE: usize = 8;

/// The state of a [`Broadphase`](super::Broadphase).
#[derive(Clone, Debug, Default)]
pub(crate) struct BroadphaseState {
    pub(crate) slots: Slots,
    /// Boxes by slot. Only valid for proxies that have no mover row.
    pub(crate) boxes: Vec<MovingBox>,
    /// Fat AABBs by slot. Only valid for proxies that have a margin and no mover row.
    pub(crate) fat_aabbs: Vec<Aabb>,
    pub(crate) movers: MoverStore,
    /// Number of movers with a margin.
    pub(crate) fat_movers: u32,
    /// Cached pairs of the last tick in which at least one proxy moved then.
    pub(crate) touching: PairStore,
    /// Cached pairs of two resting proxies that have not changed since.
    pub(crate) resting: RestingPairs,
    /// Cached pairs that rested until one of the two proxies changed. The next update decides about
    /// them.
    pub(crate) dirty_pairs: Vec<ProxyPair>,
    /// The slots that have changed since the last update, each once: those of resting proxies, of
    /// removed ones, and of proxies with a new description. That a mover has a new box is recorded in the status of its row instead.
    pub(crate) changed: Vec<u32>,
    /// Which kinds pair.
    pub(crate) kinds: KindTable,
    /// Whether the table was changed since the last update.
    pub(crate) kinds_changed: bool,
    /// The proxies whose pairs the next update announces again.
    pub(crate) renewed: Vec<ProxyId>,
    /// The removed proxies and their data, since the last update.
    pub(crate) removed: Vec<RemovedProxy>,
    /// Whether the caller's function restricted the pairs of the last update.
    pub(crate) restricted: bool,
    /// An upper bound of the number of pairs that an update for all pairs would find, besides the touching ones, if nothing changed:
    /// those that the caller's function has rejected. It grows with each update for few proxies, until one for all pairs counts them.
    pub(crate) rejected: usize,
}

/// A proxy that was removed, and its data.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub(crate) struct RemovedProxy {
    pub(crate) id: ProxyId,
    pub(crate) data: u64,
}

impl_memory!(BroadphaseState { slots, boxes, fat_aabbs, movers, touching, resting, dirty_pairs, changed, renewed, removed; without fat_movers, kinds, kinds_changed, restricted, rejected });

impl BroadphaseState {
    #[inline]
    pub(crate) fn find(&self, id: ProxyId) -> Result<usize, BroadphaseError> {
        self.slots.find(id).ok_or(BroadphaseError::Stale { id })
    }

    /// Returns the slot of the proxy in a row of a list.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::StaleOfRow`].
    pub(crate) fn find_row(&self, ids: &[ProxyId], row: usize) -> Result<usize, BroadphaseError> {
        let id = ids[row];
        self.slots.find(id).ok_or(BroadphaseError::StaleOfRow { row, id })
    }

    /// Checks that all proxies of a list exist.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::StaleOfRow`].
    pub(crate) fn check_all(&self, ids: &[ProxyId]) -> Result<(), BroadphaseError> {
        (0..ids.len()).try_for_each(|row| self.find_row(ids, row).map(|_| ()))
    }

    pub(crate) fn slot(&self, index: usize) -> &Slot {
        &self.slots.all[index]
    }

    /// The true box of a proxy and its displacement.
    pub(crate) fn moving_box(&self, index: usize) -> MovingBox {
        let slot = self.slot(index);
        match slot.container() {
            Container::Movers => self.movers.get(slot.row_or_next as usize),
            _ => self.boxes[index],
        }
    }

    /// The box of a proxy that is compared with others.
    pub(crate) fn compared_box(&self, index: usize) -> MovingBox {
        match self.fat_aabb_of(index) {
            Some(fat_aabb) => without_motion(fat_aabb),
            None => self.moving_box(index),
        }
    }

    /// The fat AABB of a proxy with a margin.
    pub(crate) fn fat_aabb_of(&self, index: usize) -> Option<Aabb> {
        let slot = self.slot(index);
        (slot.margin > 0.0).then(|| match slot.container() {
            Container::Movers => self.movers.fat_aabb(slot.row_or_next as usize),
            _ => self.fat_aabbs[index],
        })
    }

    /// Stores the fat AABB of a proxy, or that it has no margin.
    pub(crate) fn set_fat_aabb(&mut self, index: usize, fat_aabb: Option<Aabb>) {
        let slot = &self.slots.all[index];
        match slot.container() {
            Container::Movers => {
                let row = slot.row_or_next as usize;
                self.movers.set_fat_aabb(row, fat_aabb.unwrap_or(UNBOUNDED));
            }
            _ => self.fat_aabbs[index] = fat_aabb.unwrap_or_default(),
        }
    }

    /// The fat AABB for a path. `before` is the current one, if the margin has not changed.
    pub(crate) fn fat_aabb(
        moving: &MovingBox,
        margin: f32,
        before: Option<Aabb>,
    ) -> Result<Aabb, Invalid> {
        let path = moving.bounds();
        match before {
            Some(fat_aabb) if fat_aabb.contains(&path) => Ok(fat_aabb),
            _ => path.grown(margin),
        }
    }

    /// Whether a proxy is a settled mover.
    pub(crate) fn is_settled(&self, index: usize) -> bool {
        let slot = self.slot(index);
        slot.container() == Container::Movers && self.movers.is_settled(slot.row_or_next as usize)
    }

    /// Records that a proxy has changed since the last update.
    fn mark_changed(&mut self, index: usize) {
        let slot = &mut self.slots.all[index];
        if !slot.has_changed() {
            slot.mark_changed();
            self.changed.push(index as u32);
        }
    }

    /// Whether a proxy has changed since the last update, for a function that is called for new pairs.
    pub(crate) fn has_changed(&self, index: usize) -> bool {
        let slot = self.slot(index);
        slot.has_changed()
            || slot.container() == Container::Movers
                && self.movers.status[slot.row_or_next as usize] & CHANGED != 0
    }

    /// An upper bound of the number of pairs that an update for all pairs would find if nothing changed.
    pub(crate) fn found_max(&self) -> usize {
        self.touching.len().saturating_add(self.rejected)
    }

    /// Whether an update would find the pairs of the last one.
    pub(crate) fn is_unchanged(&self) -> bool {
        !self.kinds_changed
            && self.changed.is_empty()
            && self.renewed.is_empty()
            && self.dirty_pairs.is_empty()
            && !self.movers.has_active()
    }

    /// Forgets which slots have changed, after an update.
    pub(crate) fn forget_changes(&mut self) {
        for &index in &self.changed {
            self.slots.all[index as usize].change = 0;
        }
        for id in &self.renewed {
            self.slots.all[id.index() as usize].change = 0;
        }
        self.changed.clear();
        self.renewed.clear();
        self.removed.clear();
    }

    /// Settles the movers that had not changed, if only few had, after an update that found all pairs anew. A settled
    /// mover is not searched for again until it changes.
    ///
    /// Calls `settled` with the slot of each mover that settles.
    pub(crate) fn settle(&mut self, mut settled: impl FnMut(usize)) {
        if self.movers.count_changed() * SETTLING_SHARE > self.movers.len() {
            return self.movers.forget_changes();
        }
        for row in 0..self.movers.len() {
            match self.movers.status[row] {
                SETTLED => (),
                0 => {
                    let index = self.movers.ids[row].index() as usize;
                    if self.movers.has_no_delta(row) || self.slot(index).margin > 0.0 {
                        self.movers.status[row] = SETTLED;
                        settled(index);
                    }
                }
                _ => self.movers.status[row] = 0,
            }
        }
    }

    /// Forgets the cached pairs of a proxy in the next update, which then announces those that touch. The proxy has not
    /// changed, so its pairs need not be found anew.
    pub(crate) fn renew(&mut self, index: usize) {
        self.resting.take_pairs_of(index, &mut self.dirty_pairs);
        if self.slots.was_cached(index) && !self.slot(index).is_renewed() {
            self.slots.all[index].mark_renewed();
            self.renewed.push(self.slots.id(index));
        }
    }

    /// Marks the renewed proxies as changed: a function that is called for new pairs may accept pairs that are not cached.
    /// Appends to `before` the status that the mover row of each had.
    pub(crate) fn mark_renewed_changed(&mut self, before: &mut Vec<u8>) {
        for k in 0..self.renewed.len() {
            if let Some(index) = self.slots.find(self.renewed[k]) {
                self.mark_changed(index);
            }
            let status = self.status_of_renewed(k).map(|of| core::mem::replace(of, CHANGED));
            before.push(status.unwrap_or_default());
        }
    }

    /// Undoes [`BroadphaseState::mark_renewed_changed`], before which `changed` slots had changed.
    ///
    /// Calls `settled` with the slot of each mover that is settled again.
    pub(crate) fn unmark_renewed(
        &mut self,
        before: &[u8],
        changed: usize,
        mut settled: impl FnMut(usize),
    ) {
        for &index in &self.changed[changed..] {
            self.slots.all[index as usize].unmark_changed();
        }
        self.changed.truncate(changed);
        for (k, &before) in before.iter().enumerate() {
            if let Some(status) = self.status_of_renewed(k) {
                *status = before;
                if before == SETTLED {
                    settled(self.renewed[k].index() as usize);
                }
            }
        }
    }

    /// The status of the mover row of renewed proxy `k`, if it has one.
    fn status_of_renewed(&mut self, k: usize) -> Option<&mut u8> {
        let slot = self.slots.all[self.slots.find(self.renewed[k])?];
        let is_mover = slot.container() == Container::Movers;
        is_mover.then(|| &mut self.movers.status[slot.row_or_next as usize])
    }

    /// Inserts a proxy. The caller has checked that a slot is free and that the margin is valid.
    pub(crate) fn insert(
        &mut self,
        moving: MovingBox,
        proxy: Proxy,
    ) -> Result<ProxyId, BroadphaseError> {
        moving.validate()?;
        let moving = without_resting_delta(moving, proxy);
        let fat_aabb = match proxy.margin > 0.0 {
            true => Self::fat_aabb(&moving, proxy.margin, None)?,
            false => Aabb::default(),
        };
        let id = self.slots.insert(proxy);
        let index = id.index() as usize;
        if index == self.boxes.len() {
            self.boxes.push(moving);
            self.fat_aabbs.push(fat_aabb);
        } else {
            (self.boxes[index], self.fat_aabbs[index]) = (moving, fat_aabb);
        }
        self.move_to_container(index, Container::Nowhere);
        self.mark_changed(index);
        Ok(id)
    }

    /// Removes a proxy. Its pairs stay in the cache until the next update reports that they ended.
    pub(crate) fn remove(&mut self, index: usize) {
        self.resting.take_pairs_of(index, &mut self.dirty_pairs);
        if self.slots.was_cached(index) {
            let (id, data) = (self.slots.id(index), self.slot(index).data);
            self.removed.push(RemovedProxy { id, data });
        }
        let was = self.slot(index).container();
        self.slots.all[index].enabled = false;
        self.move_to_container(index, was);
        self.mark_changed(index);
        self.slots.remove(index);
        (self.boxes[index], self.fat_aabbs[index]) = (MovingBox::default(), Aabb::default());
    }

    /// Edits the kind, filter, owner or enabled flag of a proxy.
    pub(crate) fn change(&mut self, index: usize, edit: impl FnOnce(&mut Slot)) {
        self.resting.take_pairs_of(index, &mut self.dirty_pairs);
        let was = self.slot(index).container();
        edit(&mut self.slots.all[index]);
        self.mark_changed(index);
        self.move_to_container(index, was);
    }

    /// Moves a proxy from the container `was` to the one that its slot now requires.
    fn move_to_container(&mut self, index: usize, was: Container) {
        let slot = self.slots.all[index];
        let (row, container) = (slot.row_or_next as usize, slot.container());
        let fat = u32::from(slot.margin > 0.0);
        match (was, container) {
            (Container::Movers, Container::Movers) => self.movers.describe(row, &slot),
            (Container::Movers, _) => {
                self.boxes[index] = self.movers.get(row);
                if slot.margin > 0.0 {
                    self.fat_aabbs[index] = self.movers.fat_aabb(row);
                }
                self.slots.all[index].row_or_next = NONE;
                self.fat_movers -= fat;
                if let Some(id) = self.movers.swap_remove(row) {
                    self.slots.all[id.index() as usize].row_or_next = slot.row_or_next;
                }
            }
            (_, Container::Movers) => {
                let id = self.slots.id(index);
                let fat_aabb = core::mem::take(&mut self.fat_aabbs[index]);
                let fat_aabb = if slot.margin > 0.0 { fat_aabb } else { UNBOUNDED };
                let row = self.movers.push(id, &slot, self.boxes[index], fat_aabb);
                self.slots.all[index].row_or_next = row;
                self.fat_movers += fat;
            }
            _ => (),
        }
        if slot.kind.is_resting() {
            self.boxes[index].delta = [0.0; 3];
        }
    }

    /// Sets the moving box of a proxy. Returns whether anything changed.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, moving: MovingBox) -> Result<bool, Invalid> {
        moving.validate()?;
        let slot = *self.slot(index);
        let moving = without_resting_delta(moving, slot.proxy());
        let mut same_fat_aabb = false;
        if slot.margin > 0.0 {
            // Compute first what may fail, so that an error changes nothing.
            let before = self.fat_aabb_of(index);
            let fat_aabb = Self::fat_aabb(&{ moving }, slot.margin, before)?;
            same_fat_aabb = before == Some(fat_aabb);
            if !same_fat_aabb {
                self.set_fat_aabb(index, Some(fat_aabb));
            }
        }
        if slot.container() == Container::Movers {
            self.movers.set(slot.row_or_next as usize, moving);
            if !same_fat_aabb {
                self.movers.status[slot.row_or_next as usize] = CHANGED;
            }
            return Ok(true);
        }
        if same_bits(&self.boxes[index], &moving) {
            return Ok(false);
        }
        self.mark_changed(index);
        self.resting.take_pairs_of(index, &mut self.dirty_pairs);
        self.boxes[index] = moving;
        Ok(true)
    }

    /// Sets the displacement of a proxy, and keeps its box. Returns whether anything changed.
    pub(crate) fn set_delta(&mut self, index: usize, delta: [f32; 3]) -> Result<bool, Invalid> {
        let aabb = self.moving_box(index).aabb;
        self.set(index, MovingBox { aabb, delta })
    }

    pub(crate) fn set_margin(&mut self, index: usize, margin: f32) -> Result<(), BroadphaseError> {
        if !is_magnitude(margin) {
            return Err(BroadphaseError::Margin);
        }
        let fat_aabb = match margin > 0.0 {
            true => Some(Self::fat_aabb(&self.moving_box(index), margin, None)?),
            false => None,
        };
        self.resting.take_pairs_of(index, &mut self.dirty_pairs);
        let slot = &mut self.slots.all[index];
        if slot.container() == Container::Movers {
            self.fat_movers -= u32::from(slot.margin > 0.0);
            self.fat_movers += u32::from(margin > 0.0);
            self.movers.status[slot.row_or_next as usize] = CHANGED;
        }
        slot.margin = margin;
        self.set_fat_aabb(index, fat_aabb);
        self.mark_changed(index);
        Ok(())
    }

    /// Whether both proxies of a pair exist and rest, filters and owners allow the pair, and the
    /// compared boxes touch.
    pub(crate) fn rests_and_touches(&self, pair: ProxyPair) -> bool {
        let (Some(a), Some(b)) = (self.slots.find(pair.a), self.slots.find(pair.b)) else {
            return false;
        };
        let [one, other] = [self.slot(a), self.slot(b)];
        one.container().is_resting()
            && other.container().is_resting()
            && one.filter.allows(other.filter)
            && owners_allow(one.owner, other.owner)
            && self.compared_box(a).aabb.overlaps(&self.compared_box(b).aabb)
    }

    pub(crate) fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        reserve_total(&mut self.slots.all, proxies);
        reserve_total(&mut self.slots.generations, proxies);
        reserve_total(&mut self.slots.cached_generations, proxies);
        reserve_total(&mut self.boxes, proxies);
        reserve_total(&mut self.fat_aabbs, proxies);
        self.movers.reserve(movers);
        self.touching.reserve(pairs);
        self.resting.reserve(proxies, 0);
    }
}

/// Whether the two are equal bit by bit, including the signs of zeros.
#[inline(always)]
fn same_bits(a: &MovingBox, b: &MovingBox) -> bool {
    let [a, b]: [[u32; 9]; 2] = [*a, *b].map_each(bytemuck::cast);
    (0..9).fold(0, |differ, k| differ | (a[k] ^ b[k])) == 0
}

/// Removes the displacement if the proxy rests.
fn without_resting_delta(moving: MovingBox, proxy: Proxy) -> MovingBox {
    if proxy.kind.is_resting() { MovingBox::from(moving.aabb) } else { moving }
}
