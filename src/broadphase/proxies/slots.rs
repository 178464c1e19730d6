//! The record of each proxy, and the free list of slots.
//!
//! A slot is a record of 32 bytes; its index is that of the [`ProxyId`]. Free slots form a linked
//! list through [`Slot::row_or_next`], the most recently freed one first, so that the same calls produce
//! the same ids. A slot that has had `u32::MAX` proxies is retired, because its next generation
//! would be the first one again.

use super::id::ProxyId;
use super::proxy::{Proxy, ProxyKind};
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::pairs::input::ROW;
use crate::columns::impl_memory;
use crate::geom::Filter;
use crate::lanes::{F32Lanes, Isa, U32Lanes};
use alloc::vec::Vec;

/// Marks the absence of a row or of a slot.
pub(crate) const NONE: u32 = u32::MAX;
/// Largest number of slots. All proxies may be movers, which are rows of the pair finder, and it takes at most this many.
pub(crate) const SLOTS_MAX: usize = ROW as usize;

/// A generation that no proxy has. It marks slots whose cached pairs are forgotten.
const FORGOTTEN: u32 = u32::MAX;

/// Bit of a forest: that of fixed proxies.
pub(crate) const FIXED: u8 = 1;
/// Bit of a forest: that of sleeping proxies.
pub(crate) const SLEEPING: u8 = 1 << 1;
/// The forests of resting proxies.
pub(crate) const RESTING: u8 = FIXED | SLEEPING;

/// The bits of `1.0`. Their sum with a slot is the bits of a finite float, and the order of the floats is that of the slots.
const ONE: u32 = 1.0_f32.to_bits();

/// The float that stands for a slot in SIMD comparisons. The lanes compare floats only.
#[inline(always)]
pub(crate) fn float_of_slot(slot: u32) -> f32 {
    f32::from_bits(slot.wrapping_add(ONE))
}

/// Returns the floats that stand for the slots of all lanes. Infinity stands for `1 << 30`, which is past all slots.
#[inline(always)]
pub(crate) fn floats_of<I: Isa>(isa: I, slots: I::U32) -> I::F32 {
    I::F32::from_bits(slots.wrapping_add(isa.splat_u32(ONE)))
}

/// The container in which a proxy is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// No container: the proxy is disabled, or the slot is free.
    Nowhere,
    /// The dense columns that the pair finder reads.
    Movers,
    /// The forest of fixed proxies.
    Fixed,
    /// The forest of sleeping proxies.
    Sleeping,
}

impl Container {
    /// Whether it is that of fixed or of sleeping proxies.
    pub(crate) fn is_resting(self) -> bool {
        matches!(self, Self::Fixed | Self::Sleeping)
    }
}

/// The record of one proxy, or of a free slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) data: u64,
    /// The row of a mover, the next free slot of a free slot, and otherwise [`NONE`].
    pub(crate) row_or_next: u32,
    pub(crate) filter: Filter,
    pub(crate) owner: u32,
    pub(crate) margin: f32,
    pub(crate) kind: ProxyKind,
    pub(crate) enabled: bool,
    pub(crate) live: bool,
    /// What has happened since the last update: the bits [`CHANGED`], [`RENEWED`] and [`INSERTED`].
    pub(crate) change: u8,
}

/// Bit of [`Slot::change`]: the slot is in [`BroadphaseState::changed`](super::state::BroadphaseState::changed).
const CHANGED: u8 = 1;
/// Bit of [`Slot::change`]: the proxy is in [`BroadphaseState::renewed`](super::state::BroadphaseState::renewed).
const RENEWED: u8 = 1 << 1;
/// Bit of [`Slot::change`]: the proxy was inserted since the last update.
const INSERTED: u8 = 1 << 2;

impl Slot {
    pub(crate) const EMPTY: Self = Self {
        data: 0,
        row_or_next: NONE,
        filter: Filter::ALL,
        owner: 0,
        margin: 0.0,
        kind: ProxyKind::Fixed,
        enabled: false,
        live: false,
        change: 0,
    };

    pub(crate) fn container(&self) -> Container {
        match self.kind {
            _ if !self.live || !self.enabled => Container::Nowhere,
            ProxyKind::Dynamic | ProxyKind::Kinematic => Container::Movers,
            ProxyKind::Fixed => Container::Fixed,
            ProxyKind::Sleeping => Container::Sleeping,
        }
    }

    /// Whether the slot or its proxy has changed since the last update, apart from the box of a mover.
    pub(crate) fn has_changed(&self) -> bool {
        self.change & CHANGED != 0
    }

    /// Whether the next update announces the pairs of the proxy again.
    pub(crate) fn is_renewed(&self) -> bool {
        self.change & RENEWED != 0
    }

    /// Whether the proxy was inserted since the last update.
    pub(crate) fn was_inserted(&self) -> bool {
        self.change & INSERTED != 0
    }

    pub(crate) fn mark_inserted(&mut self) {
        self.change |= INSERTED;
    }

    /// The change that remains when the proxy is removed or replaced.
    fn change_of_slot(&self) -> u8 {
        self.change & CHANGED
    }

    pub(crate) fn mark_changed(&mut self) {
        self.change |= CHANGED;
    }

    pub(crate) fn unmark_changed(&mut self) {
        self.change &= !CHANGED;
    }

    pub(crate) fn mark_renewed(&mut self) {
        self.change |= RENEWED;
    }

    pub(crate) fn proxy(&self) -> Proxy {
        let Self { kind, filter, owner, margin, data, enabled, .. } = *self;
        Proxy { kind, filter, owner, margin, data, enabled }
    }

    /// Overwrites the slot with a description.
    fn describe(&mut self, proxy: Proxy) {
        let Proxy { kind, filter, owner, margin, data, enabled } = proxy;
        let change = self.change_of_slot() | INSERTED;
        *self = Self {
            kind,
            filter,
            owner,
            margin,
            data,
            enabled,
            row_or_next: NONE,
            live: true,
            change,
        };
    }
}

/// A compact copy of the generations of slots.
#[derive(Clone, Debug, Default)]
pub(crate) struct SmallGenerations {
    /// The generation of all slots, if it is the same, which it is as long as no slot has been reused.
    same: Option<u32>,
    /// Otherwise the generation of each slot as a byte, or [`LARGE`].
    bytes: Vec<u8>,
}

impl_memory!(SmallGenerations { bytes; without same });

impl SmallGenerations {
    /// Forgets all generations.
    pub(crate) fn clear(&mut self) {
        self.same = None;
        self.bytes.clear();
    }

    /// Replaces the copy, and returns a view of it.
    pub(crate) fn copy<'a>(&'a mut self, all: &'a [u32]) -> Generations<'a> {
        self.clear();
        // In any case, so that the first slot that is reused allocates nothing.
        reserve_for(&mut self.bytes, all.len());
        let first = all.first().copied().unwrap_or(0);
        // Without a branch, so that lanes compare all of them.
        if all.iter().fold(0, |differ, generation| differ | (generation ^ first)) == 0 {
            self.same = Some(first);
        } else {
            let bytes = all.iter().map(|&generation| Ord::min(generation, LARGE.into()) as u8);
            self.bytes.extend(bytes);
        }
        self.view(all)
    }

    /// A view of the copy and of the generations themselves.
    fn view<'a>(&'a self, all: &'a [u32]) -> Generations<'a> {
        Generations { same: self.same, bytes: &self.bytes, all }
    }
}

/// The generations of slots, to be read at random for many pairs.
///
/// Nothing is read if all are the same. Otherwise most are small, so a byte is read for each, which is in a nearer cache than
/// a number of 32 bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Generations<'a> {
    same: Option<u32>,
    /// The generation of each slot if it is less than [`LARGE`]. May be shorter than `all`.
    bytes: &'a [u8],
    all: &'a [u32],
}

/// The byte of a generation that does not fit in a byte.
const LARGE: u8 = u8::MAX;

impl<'a> Generations<'a> {
    /// Generations without a copy.
    pub(crate) fn new(all: &'a [u32]) -> Self {
        Self { same: None, bytes: &[], all }
    }

    /// The id of the proxy in a slot.
    #[inline(always)]
    pub(crate) fn id(self, slot: u32) -> ProxyId {
        if let Some(same) = self.same {
            return ProxyId::new(slot, same);
        }
        let generation = match self.bytes.get(slot as usize) {
            Some(&byte) if byte != LARGE => byte.into(),
            _ => self.all[slot as usize],
        };
        ProxyId::new(slot, generation)
    }
}

/// Whether the owners of two proxies allow a pair.
#[inline(always)]
pub(crate) fn owners_allow(a: u32, b: u32) -> bool {
    a == 0 || a != b
}

/// The records of all proxies, and the generations of their slots.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    pub(crate) all: Vec<Slot>,
    /// Generation by slot: of its proxy, or of the next one if the slot is free. A separate column,
    /// because this is all that is read to translate slots into ids.
    pub(crate) generations: Vec<u32>,
    /// Generation of each slot when the cached pairs were found. May be shorter than `all`.
    pub(crate) cached_generations: Vec<u32>,
    /// A copy of `cached_generations`; empty after an update that searched for few proxies.
    pub(crate) cached_small: SmallGenerations,
    /// The slots whose generation differs from the cached one: a proxy was removed since the cached pairs were found or, during an
    /// update, the proxy is renewed.
    pub(crate) reused: Vec<u32>,
    /// The first free slot.
    pub(crate) free: u32,
    /// Number of slots with a proxy.
    pub(crate) live: u32,
    /// Number of slots that are never used again.
    pub(crate) retired: u32,
}

impl_memory!(Slots { all, generations, cached_generations, cached_small, reused; without free, live, retired });

impl Default for Slots {
    fn default() -> Self {
        Self {
            all: Vec::new(),
            generations: Vec::new(),
            cached_generations: Vec::new(),
            cached_small: SmallGenerations::default(),
            reused: Vec::new(),
            free: NONE,
            live: 0,
            retired: 0,
        }
    }
}

impl Slots {
    /// The index of an existing proxy.
    #[inline]
    pub(crate) fn find(&self, id: ProxyId) -> Option<usize> {
        let index = id.index() as usize;
        let slot = self.all.get(index)?;
        (slot.live && self.generations[index] == id.generation()).then_some(index)
    }

    #[inline(always)]
    pub(crate) fn id(&self, index: usize) -> ProxyId {
        ProxyId::new(index as u32, self.generations[index])
    }

    /// The generation of each slot of a cached pair, at the time when the pair was found.
    #[inline]
    pub(crate) fn generations_of_cached(&self) -> &[u32] {
        // Usually the same memory as that of the current ids.
        if self.reused.is_empty() { &self.generations } else { &self.cached_generations }
    }

    /// The compact copy of [`Slots::generations_of_cached`], to be read for many pairs.
    #[inline]
    pub(crate) fn ids_of_cached(&self) -> Generations<'_> {
        self.cached_small.view(self.generations_of_cached())
    }

    /// Whether a slot of a cached pair has been freed since the pair was found, and possibly
    /// reused.
    #[inline(always)]
    pub(crate) fn is_reused(&self, slot: u32) -> bool {
        self.cached_generations[slot as usize] != self.generations[slot as usize]
    }

    /// Makes the cached pairs of a proxy those of no proxy, so that an update neither keeps nor ends them.
    pub(crate) fn forget_pairs_of(&mut self, id: ProxyId) {
        let slot = id.index() as usize;
        if self.cached_generations.get(slot) == Some(&id.generation()) {
            if self.generations[slot] == id.generation() {
                self.reused.push(id.index());
            }
            self.cached_generations[slot] = FORGOTTEN;
        }
    }

    /// Undoes [`Slots::forget_pairs_of`] for all of these proxies.
    pub(crate) fn restore_pairs_of(&mut self, ids: &[ProxyId]) {
        for id in ids {
            let slot = id.index() as usize;
            if self.cached_generations.get(slot) == Some(&FORGOTTEN) {
                self.cached_generations[slot] = id.generation();
            }
        }
        let Self { generations, cached_generations, reused, .. } = self;
        reused.retain(|&slot| generations[slot as usize] != cached_generations[slot as usize]);
    }

    /// Whether the proxy in a slot already existed when the cached pairs were found.
    pub(crate) fn was_cached(&self, index: usize) -> bool {
        self.has_cached_generation(index) && !self.all[index].was_inserted()
    }

    /// Whether no proxy was removed from a slot since the cached pairs were found.
    fn has_cached_generation(&self, index: usize) -> bool {
        self.cached_generations.get(index) == Some(&self.generations[index])
    }

    /// Whether the cached pairs of a slot are those of no proxy.
    pub(crate) fn is_forgotten(&self, slot: u32) -> bool {
        self.cached_generations.get(slot as usize) == Some(&FORGOTTEN)
    }

    /// Declares that the cached pairs now belong to the proxies that are in the slots.
    pub(crate) fn mark_cached(&mut self) {
        let Self { generations, cached_generations, cached_small, reused, .. } = self;
        cached_small.clear();
        for slot in reused.drain(..) {
            cached_generations[slot as usize] = generations[slot as usize];
        }
        cached_generations.extend_from_slice(&generations[cached_generations.len()..]);
    }

    /// How many more proxies can be inserted.
    pub(crate) fn free_capacity(&self) -> usize {
        SLOTS_MAX - (self.live + self.retired) as usize
    }

    /// Fills a free slot, or a new one. The caller has checked that there is one.
    pub(crate) fn insert(&mut self, proxy: Proxy) -> ProxyId {
        let index = match self.free {
            NONE => {
                self.all.push(Slot::EMPTY);
                self.generations.push(0);
                self.all.len() - 1
            }
            free => {
                self.free = self.all[free as usize].row_or_next;
                free as usize
            }
        };
        self.all[index].describe(proxy);
        self.live += 1;
        self.id(index)
    }

    /// Frees a slot that has a proxy.
    pub(crate) fn remove(&mut self, index: usize) {
        self.live -= 1;
        self.all[index] = Slot { change: self.all[index].change_of_slot(), ..Slot::EMPTY };
        if self.has_cached_generation(index) {
            self.reused.push(index as u32);
        }
        self.generations[index] += 1;
        // No proxy has the last generation: the one after it would wrap around to the first.
        if self.generations[index] == u32::MAX {
            self.retired += 1;
        } else {
            self.all[index].row_or_next = self.free;
            self.free = index as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Slot;
    use super::{Generations, NONE, SLOTS_MAX, Slots, SmallGenerations, float_of_slot};
    use crate::broadphase::proxies::Proxy;
    use crate::broadphase::proxies::error::BroadphaseError;
    use alloc::string::ToString;

    /// Goal: floats have the same order as the slots they stand for. Method: both ends of the
    /// range, and each step to another exponent.
    #[test]
    fn floats_stand_for_slots() {
        let last = SLOTS_MAX as u32;
        assert!(float_of_slot(last).is_finite());
        assert!(
            float_of_slot(0) < float_of_slot(1) && float_of_slot(last - 1) < float_of_slot(last)
        );
        for step in (1..8).map(|exponent| exponent << 23) {
            assert!(
                float_of_slot(step - 1) < float_of_slot(step)
                    && float_of_slot(step) < float_of_slot(step + 1)
            );
        }
    }

    /// Goal: there are at most as many proxies as an update can search, and the error says how many. Method: the greatest row of the pair finder, and
    /// the text.
    #[test]
    fn there_are_at_most_as_many_proxies_as_the_finder_has_rows() {
        let error = BroadphaseError::TooManyProxies.to_string();
        assert_eq!(SLOTS_MAX + 1, 1 << 26);
        assert!(error.contains("more than 2^26 - 1 proxies"), "{error}");
        let full = Slots { live: SLOTS_MAX as u32 - 2, retired: 1, ..Slots::default() };
        assert_eq!(full.free_capacity(), 1);
    }

    /// Goal: a slot fills half a cache line.
    #[test]
    fn a_slot_has_32_bytes() {
        assert_eq!(size_of::<Slot>(), 32);
    }

    /// Goal: a slot whose generations are used up is never used again. Method: a slot that has used
    /// all but two of them.
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
        assert_eq!(slots.free_capacity(), SLOTS_MAX - 2);
    }

    /// Goal: the ids of slots are the same with and without a copy. Method: generations around the largest one that fits in a byte,
    /// and at both ends; all different, or all the same; a copy of all slots, and of some of them. The memory is reused.
    #[test]
    fn generations_are_the_same_as_their_copy() {
        let different = [0, 1, 253, 254, 255, 256, 257, 511, 512, u32::MAX - 1];
        let mut small = SmallGenerations::default();
        let same = different.map(|generation| [generation; 10]);
        // Generations that differ, though their low bytes do not.
        let same_low_bytes = core::array::from_fn(|slot| 256 * slot as u32);
        for all in same.iter().chain([&different, &same_low_bytes]) {
            for count in [all.len(), 5, 0] {
                small.copy(&all[..count]);
                let slots = if count == 0 { 0 } else { all.len() };
                // The copy of a part is not read for other slots if it has one generation.
                let slots = if small.same.is_some() { slots.min(count) } else { slots };
                let generations = small.view(all);
                for (slot, &generation) in (0..).zip(&all[..slots]) {
                    let id = generations.id(slot);
                    assert_eq!((id.index(), id.generation()), (slot, generation));
                    assert_eq!(Generations::new(all).id(slot), id);
                }
            }
        }
    }
}
