//! What is known of each proxy, and which slots are free?
//!
//! A slot is a record of 32 bytes; its index is that of the [`ProxyId`]. Free slots are a
//! list through [`Slot::place`], the last one that was freed first, so that the same calls give the
//! same ids. A slot that has had `u32::MAX` proxies is retired: no id is ever given twice.

use super::id::ProxyId;
use super::proxy::{Proxy, Set};
use crate::geom::Filter;
use crate::lanes::{F32Lanes, Isa, U32Lanes};
use alloc::vec::Vec;

/// In place of a row or of a slot.
pub(super) const NONE: u32 = u32::MAX;
/// Most slots: movers are rows of the finder, which numbers so many.
pub(super) const SLOTS_MAX: usize = 1 << 26;

/// Added to a slot it makes the bits of a finite float that is greater for a greater slot.
const ONE: u32 = 1.0_f32.to_bits();

/// A slot as lanes compare it: they compare floats.
#[inline(always)]
pub(super) fn of_slot(slot: u32) -> f32 {
    f32::from_bits(slot.wrapping_add(ONE))
}

/// The slots of which [`of_slot`] made these.
#[inline(always)]
pub(super) fn slots_of<I: Isa>(isa: I, floats: I::F32) -> I::U32 {
    floats.to_bits().wrapping_add(isa.splat_u32(ONE.wrapping_neg()))
}

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
        *self = Self { set, filter, owner, margin, data, enabled, place: NONE, live: true };
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
    /// By slot: that of the proxy that is in it, or of the next one. A column of its own, as naming
    /// pairs needs nothing else of a slot.
    pub(super) generations: Vec<u32>,
    /// By slot, not of all: its generation when the pairs that are kept were found.
    pub(super) said: Vec<u32>,
    /// Slots that have another since then.
    pub(super) renewed: Vec<u32>,
    /// The first free one.
    pub(super) free: u32,
    /// How many are live, and how many will never be again.
    pub(super) live: u32,
    pub(super) retired: u32,
}

impl Default for Slots {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            generations: Vec::new(),
            said: Vec::new(),
            renewed: Vec::new(),
            free: NONE,
            live: 0,
            retired: 0,
        }
    }
}

impl Slots {
    /// The index of a proxy that lives.
    #[inline]
    pub(super) fn find(&self, id: ProxyId) -> Option<usize> {
        let index = id.index() as usize;
        let slot = self.all.get(index)?;
        (slot.live && self.generations[index] == id.generation()).then_some(index)
    }

    #[inline(always)]
    pub(super) fn id(&self, index: usize) -> ProxyId {
        ProxyId::new(index as u32, self.generations[index])
    }

    /// By slot of a pair that is kept: the generation of what was in it when the pair was found.
    #[inline]
    pub(super) fn generations_said(&self) -> &[u32] {
        // As a rule the same memory as that for other names.
        if self.renewed.is_empty() { &self.generations } else { &self.said }
    }

    /// Whether a slot that is in a pair that is kept has another proxy since, or none.
    #[inline(always)]
    pub(super) fn is_renewed(&self, slot: u32) -> bool {
        self.said[slot as usize] != self.generations[slot as usize]
    }

    /// From now on pairs that are kept are of the proxies that are in the slots.
    pub(super) fn say(&mut self) {
        let Self { generations, said, renewed, .. } = self;
        for slot in renewed.drain(..) {
            said[slot as usize] = generations[slot as usize];
        }
        said.extend_from_slice(&generations[said.len()..]);
    }

    /// Words of memory besides the slots.
    pub(super) fn words(&self) -> usize {
        self.generations.capacity() + self.said.capacity() + self.renewed.capacity()
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
                self.generations.push(0);
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
        self.live -= 1;
        self.all[index] = Slot::EMPTY;
        if self.said.get(index) == Some(&self.generations[index]) {
            self.renewed.push(index as u32);
        }
        self.generations[index] += 1;
        // The last generation is that of no proxy: it would come round to the first.
        if self.generations[index] == u32::MAX {
            self.retired += 1;
        } else {
            self.all[index].place = self.free;
            self.free = index as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NONE, SLOTS_MAX, Slots, of_slot};
    use crate::broadphase::world::Proxy;

    /// Goal: floats are in the order of the slots they stand for. Method: the ends, and each step to
    /// another exponent.
    #[test]
    fn floats_stand_for_slots() {
        let last = SLOTS_MAX as u32;
        assert!(of_slot(last).is_finite());
        assert!(of_slot(0) < of_slot(1) && of_slot(last - 1) < of_slot(last));
        for step in (1..8).map(|exponent| exponent << 23) {
            assert!(of_slot(step - 1) < of_slot(step) && of_slot(step) < of_slot(step + 1));
        }
    }

    /// Goal: a slot whose generations are used up is not used again. Method: one that has had all
    /// but two of them.
    #[test]
    fn a_slot_that_is_used_up_is_retired() {
        let mut slots = Slots::default();
        let first = slots.insert(Proxy::fixed());
        slots.remove(0);
        slots.generations[0] = u32::MAX - 2;
        for generation in [u32::MAX - 2, u32::MAX - 1] {
            let id = slots.insert(Proxy::fixed());
            assert_eq!((id.index(), id.generation()), (0, generation));
            assert_eq!(slots.find(id), Some(0));
            slots.remove(0);
            assert_eq!((slots.find(id), slots.find(first)), (None, None));
        }
        assert_eq!((slots.free, slots.retired, slots.live), (NONE, 1, 0));
        assert_eq!(slots.insert(Proxy::fixed()).index(), 1);
        assert_eq!(slots.room(), SLOTS_MAX - 2);
    }
}
