//! What is known of each proxy, and which slots are free?
//!
//! A slot is a record of 40 bytes at most; its index is that of the [`ProxyId`]. Free slots are a
//! list through [`Slot::place`], the last one that was freed first, so that the same calls give the
//! same ids. A slot that has had `u32::MAX` proxies is retired: no id is ever given twice.

use super::id::ProxyId;
use super::proxy::{Proxy, Set};
use crate::geom::Filter;
use alloc::vec::Vec;

/// In place of a row or of a slot.
pub(super) const NONE: u32 = u32::MAX;
/// Most slots: movers are rows of the finder, which numbers so many.
pub(super) const SLOTS_MAX: usize = 1 << 26;

/// In which structure a proxy is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// None: it is disabled, or there is none.
    Nowhere,
    /// The dense columns of the finder.
    Movers,
    /// The tree of what is fixed.
    Fixed,
    /// The tree of what sleeps.
    Sleeping,
}

impl Home {
    pub(super) fn is_tree(self) -> bool {
        matches!(self, Self::Fixed | Self::Sleeping)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Slot {
    pub(super) data: u64,
    /// Of the proxy that is in it, or of the next one.
    pub(super) generation: u32,
    /// Of a mover its row, of a free slot the next free one, else [`NONE`].
    pub(super) place: u32,
    pub(super) filter: Filter,
    pub(super) owner: u32,
    pub(super) margin: f32,
    pub(super) set: Set,
    pub(super) enabled: bool,
    pub(super) live: bool,
}

impl Slot {
    const EMPTY: Self = Self {
        data: 0,
        generation: 0,
        place: NONE,
        filter: Filter::ALL,
        owner: 0,
        margin: 0.0,
        set: Set::Fixed,
        enabled: false,
        live: false,
    };

    pub(super) fn home(&self) -> Home {
        match self.set {
            _ if !self.live || !self.enabled => Home::Nowhere,
            Set::Dynamic | Set::Kinematic => Home::Movers,
            Set::Fixed => Home::Fixed,
            Set::Sleeping => Home::Sleeping,
        }
    }

    pub(super) fn proxy(&self) -> Proxy {
        let Self { set, filter, owner, margin, data, enabled, .. } = *self;
        Proxy { set, filter, owner, margin, data, enabled }
    }

    /// Takes over what is said of a proxy.
    fn describe(&mut self, proxy: Proxy) {
        let Proxy { set, filter, owner, margin, data, enabled } = proxy;
        *self =
            Self { set, filter, owner, margin, data, enabled, place: NONE, live: true, ..*self };
    }
}

/// Whether owners allow a pair.
#[inline(always)]
pub(super) fn owners_allow(a: u32, b: u32) -> bool {
    a == 0 || a != b
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Slots {
    pub(super) all: Vec<Slot>,
    /// The first free one.
    pub(super) free: u32,
    /// How many are live, and how many will never be again.
    pub(super) live: u32,
    pub(super) retired: u32,
}

impl Default for Slots {
    fn default() -> Self {
        Self { all: Vec::new(), free: NONE, live: 0, retired: 0 }
    }
}

impl Slots {
    /// The index of a proxy that lives.
    #[inline]
    pub(super) fn find(&self, id: ProxyId) -> Option<usize> {
        let index = id.index() as usize;
        let slot = self.all.get(index)?;
        (slot.live && slot.generation == id.generation()).then_some(index)
    }

    pub(super) fn id(&self, index: usize) -> ProxyId {
        ProxyId::new(index as u32, self.all[index].generation)
    }

    /// How many more proxies there can be.
    pub(super) fn room(&self) -> usize {
        SLOTS_MAX - (self.live + self.retired) as usize
    }

    /// Fills a free slot, or a new one. There is room.
    pub(super) fn insert(&mut self, proxy: Proxy) -> ProxyId {
        let index = match self.free {
            NONE => {
                self.all.push(Slot::EMPTY);
                self.all.len() - 1
            }
            free => {
                self.free = self.all[free as usize].place;
                free as usize
            }
        };
        self.all[index].describe(proxy);
        self.live += 1;
        self.id(index)
    }

    /// Empties a slot that is live.
    pub(super) fn remove(&mut self, index: usize) {
        let generation = self.all[index].generation;
        self.live -= 1;
        self.all[index] = Slot { generation: generation.wrapping_add(1), ..Slot::EMPTY };
        // The last generation is that of no proxy: it would come round to the first.
        if generation == u32::MAX - 1 {
            self.retired += 1;
        } else {
            self.all[index].place = self.free;
            self.free = index as u32;
        }
    }
}
