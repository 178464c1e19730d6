//! The complete state of a broadphase, apart from its scratch memory and its trees.
//!
//! These plain columns contain everything that decides the answers of later ticks, and nothing
//! else, so a snapshot is a copy of them. Functions that change a single proxy are here;
//! [`super::Broadphase`] marks the trees as dirty.

use super::error::BroadphaseError;
use super::id::{ProxyId, ProxyPair};
use super::movers::{MoverStore, still};
use super::pair_cache::Kept;
use super::pair_cache::sleeping::Resting;
use super::proxy::{Proxy, is_margin};
use super::slots::{Home, NONE, Slot, Slots};
use crate::geom::{Aabb, Invalid, MapEach, MovingBox};
use alloc::vec::Vec;

/// The state of a [`Broadphase`](super::Broadphase).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BroadphaseState {
    pub(crate) slots: Slots,
    /// Boxes by slot. Only valid for proxies that have no mover row.
    pub(crate) boxes: Vec<MovingBox>,
    /// Fat AABBs by slot. Only valid for proxies with a margin.
    pub(crate) held: Vec<Aabb>,
    pub(crate) movers: MoverStore,
    /// Number of movers with a margin.
    pub(crate) fat: u32,
    /// Cached pairs of the last tick in which at least one proxy moved then.
    pub(crate) touching: Kept,
    /// Cached pairs of two resting proxies that have not changed since.
    pub(crate) resting: Resting,
    /// Cached pairs that rested until one of the two proxies changed. The next update decides about
    /// them.
    pub(crate) loose: Vec<ProxyPair>,
}

impl BroadphaseState {
    #[inline]
    pub(crate) fn find(&self, id: ProxyId) -> Result<usize, BroadphaseError> {
        self.slots.find(id).ok_or(BroadphaseError::Stale { id })
    }

    pub(crate) fn slot(&self, index: usize) -> &Slot {
        &self.slots.all[index]
    }

    /// The true box of a proxy and its displacement.
    pub(crate) fn moving_box(&self, index: usize) -> MovingBox {
        let slot = self.slot(index);
        match slot.home() {
            Home::Movers => self.movers.get(slot.place as usize),
            _ => self.boxes[index],
        }
    }

    /// The box of a proxy that is compared with others.
    pub(crate) fn held(&self, index: usize) -> MovingBox {
        if self.slot(index).margin > 0.0 { still(self.held[index]) } else { self.moving_box(index) }
    }

    /// The fat AABB for a path. `before` is the current one, if the margin has not changed.
    pub(crate) fn hold(
        moving: &MovingBox,
        margin: f32,
        before: Option<Aabb>,
    ) -> Result<Aabb, Invalid> {
        let path = moving.bounds();
        match before {
            Some(held) if held.contains(&path) => Ok(held),
            _ => path.grown(margin),
        }
    }

    /// Inserts a proxy. The caller has checked that a slot is free and that the margin is valid.
    pub(crate) fn insert(
        &mut self,
        moving: MovingBox,
        proxy: Proxy,
    ) -> Result<ProxyId, BroadphaseError> {
        moving.validate()?;
        let moving = rest(moving, proxy);
        let held = match proxy.margin > 0.0 {
            true => Self::hold(&moving, proxy.margin, None)?,
            false => Aabb::default(),
        };
        let id = self.slots.insert(proxy);
        let index = id.index() as usize;
        if index == self.boxes.len() {
            self.boxes.push(moving);
            self.held.push(held);
        } else {
            (self.boxes[index], self.held[index]) = (moving, held);
        }
        self.settle(index, Home::Nowhere);
        Ok(id)
    }

    /// Removes a proxy. Its pairs stay in the cache until the next update reports that they ended.
    pub(crate) fn remove(&mut self, index: usize) {
        self.resting.loosen(index, &mut self.loose);
        let was = self.slot(index).home();
        self.slots.all[index].enabled = false;
        self.settle(index, was);
        self.slots.remove(index);
        (self.boxes[index], self.held[index]) = (MovingBox::default(), Aabb::default());
    }

    /// Edits the kind, filter, owner or enabled flag of a proxy.
    pub(crate) fn change(&mut self, index: usize, edit: impl FnOnce(&mut Slot)) {
        self.resting.loosen(index, &mut self.loose);
        let was = self.slot(index).home();
        edit(&mut self.slots.all[index]);
        self.settle(index, was);
    }

    /// Moves a proxy from the container `was` to the one that its slot now requires.
    fn settle(&mut self, index: usize, was: Home) {
        let slot = self.slots.all[index];
        let (place, home) = (slot.place as usize, slot.home());
        let fat = u32::from(slot.margin > 0.0);
        match (was, home) {
            (Home::Movers, Home::Movers) => self.movers.describe(place, &slot),
            (Home::Movers, _) => {
                self.boxes[index] = self.movers.get(place);
                self.slots.all[index].place = NONE;
                self.fat -= fat;
                if let Some(id) = self.movers.swap_remove(place) {
                    self.slots.all[id.index() as usize].place = slot.place;
                }
            }
            (_, Home::Movers) => {
                let id = self.slots.id(index);
                self.slots.all[index].place = self.movers.push(id, &slot, self.boxes[index]);
                self.fat += fat;
            }
            _ => (),
        }
        if slot.set.is_at_rest() {
            self.boxes[index].delta = [0.0; 3];
        }
    }

    /// Sets the moving box of a proxy. Returns whether anything changed.
    #[inline]
    pub(crate) fn set(&mut self, index: usize, moving: MovingBox) -> Result<bool, Invalid> {
        moving.validate()?;
        let slot = *self.slot(index);
        let moving = rest(moving, slot.proxy());
        if slot.margin > 0.0 {
            // Compute first what may fail, so that an error changes nothing.
            self.held[index] = Self::hold(&{ moving }, slot.margin, Some(self.held[index]))?;
        }
        if slot.home() == Home::Movers {
            self.movers.set(slot.place as usize, moving);
            return Ok(true);
        }
        if same_bits(&self.boxes[index], &moving) {
            return Ok(false);
        }
        self.resting.loosen(index, &mut self.loose);
        self.boxes[index] = moving;
        Ok(true)
    }

    pub(crate) fn set_margin(&mut self, index: usize, margin: f32) -> Result<(), BroadphaseError> {
        if !is_margin(margin) {
            return Err(BroadphaseError::Margin);
        }
        let held = match margin > 0.0 {
            true => Self::hold(&self.moving_box(index), margin, None)?,
            false => Aabb::default(),
        };
        self.resting.loosen(index, &mut self.loose);
        let slot = &mut self.slots.all[index];
        if slot.home() == Home::Movers {
            self.fat -= u32::from(slot.margin > 0.0);
            self.fat += u32::from(margin > 0.0);
        }
        (slot.margin, self.held[index]) = (margin, held);
        Ok(())
    }

    /// The two slots, if both proxies exist and rest.
    pub(crate) fn rest(&self, pair: ProxyPair) -> Option<(usize, usize)> {
        let (a, b) = (self.slots.find(pair.a)?, self.slots.find(pair.b)?);
        let rests = |index| self.slot(index).home().is_tree();
        (rests(a) && rests(b)).then_some((a, b))
    }

    /// Whether filters and owners allow the pair.
    pub(crate) fn may_pair(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.slot(a), self.slot(b));
        a.filter.allows(b.filter) && super::slots::owners_allow(a.owner, b.owner)
    }

    pub(crate) fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        let more = |len: usize| proxies.saturating_sub(len);
        self.slots.all.reserve(more(self.slots.all.len()));
        self.slots.generations.reserve(more(self.slots.generations.len()));
        self.slots.said.reserve(more(self.slots.said.len()));
        self.boxes.reserve(more(self.boxes.len()));
        self.held.reserve(more(self.held.len()));
        self.movers.reserve(movers);
        self.touching.reserve(pairs);
        self.resting.reserve(proxies, 0);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.slots.all.shrink_to_fit();
        self.slots.generations.shrink_to_fit();
        self.slots.said.shrink_to_fit();
        self.slots.renewed.shrink_to_fit();
        self.boxes.shrink_to_fit();
        self.held.shrink_to_fit();
        self.movers.shrink_to_fit();
        self.touching.shrink_to_fit();
        self.resting.shrink_to_fit();
        self.loose.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.all.capacity() * size_of::<Slot>()
            + self.slots.words() * size_of::<u32>()
            + self.boxes.capacity() * size_of::<MovingBox>()
            + self.held.capacity() * size_of::<Aabb>()
            + self.movers.bytes()
            + self.touching.bytes()
            + self.resting.bytes()
            + self.loose.capacity() * size_of::<ProxyPair>()
    }

    /// Copies `other`, reusing the allocated memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let Self { slots, boxes, held, movers, fat, touching, resting, loose } = self;
        slots.all.clone_from(&other.slots.all);
        slots.generations.clone_from(&other.slots.generations);
        slots.said.clone_from(&other.slots.said);
        slots.renewed.clone_from(&other.slots.renewed);
        let Slots { free, live, retired, .. } = other.slots;
        (slots.free, slots.live, slots.retired) = (free, live, retired);
        boxes.clone_from(&other.boxes);
        held.clone_from(&other.held);
        movers.copy_from(&other.movers);
        *fat = other.fat;
        touching.copy_from(&other.touching);
        resting.copy_from(&other.resting);
        loose.clone_from(&other.loose);
    }
}

/// Whether the two are equal bit by bit, including the signs of zeros.
#[inline(always)]
fn same_bits(a: &MovingBox, b: &MovingBox) -> bool {
    let [a, b]: [[u32; 9]; 2] = [*a, *b].map_each(bytemuck::cast);
    (0..9).fold(0, |differ, k| differ | (a[k] ^ b[k])) == 0
}

/// Removes the displacement if the proxy rests.
fn rest(moving: MovingBox, proxy: Proxy) -> MovingBox {
    if proxy.set.is_at_rest() { MovingBox::from(moving.aabb) } else { moving }
}
