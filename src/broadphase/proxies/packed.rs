//! The state of a broadphase as snapshots store it: without values that can be computed from the others.
//!
//! A value is stored once, by slot or by proxy in the order of slots, and a column of equal values as one of them. Not
//! stored: the columns of the movers, which are copies of the descriptions and boxes; the links of the free list and of
//! resting pairs; displacements of resting proxies; fat AABBs of proxies without a margin. Order is kept where results or
//! ids depend on it: that of the free slots, of the rows of movers, and of the recorded changes.

use super::id::{ProxyId, ProxyPair};
use super::kinds::KindTable;
use super::movers::UNBOUNDED;
use super::pair_cache::store::PairView;
use super::proxy::ProxyKind;
use super::slots::{Container, NONE, SLOTS_MAX, Slot};
use super::state::{BroadphaseState, RemovedProxy};
use super::validate::InvariantError;
use crate::columns::impl_memory;
use crate::geom::{Aabb, Filter, MapEach, MovingBox, count_of};
use crate::par;
use alloc::vec::Vec;

/// A column of which equal values are stored once.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PackedColumn<T> {
    len: u32,
    /// As many values as elements, or a single one that all elements have.
    values: Vec<T>,
}

impl_memory!([T] PackedColumn<T> { values; without len });

impl<T: Copy + PartialEq> PackedColumn<T> {
    fn clear(&mut self) {
        self.len = 0;
        self.values.clear();
    }

    /// Appends a value. There will be at most `most`.
    #[inline]
    fn push(&mut self, value: T, most: usize) {
        self.len += 1;
        if self.values.len() == 1 {
            let first = self.values[0];
            if first == value {
                return;
            }
            self.spread(most);
        }
        self.values.push(value);
    }

    /// Stores each value so far by itself, and reserves memory.
    #[cold]
    fn spread(&mut self, most: usize) {
        reserve_cleared(&mut self.values, most);
        self.values.resize(self.len as usize - 1, self.values[0]);
    }

    #[inline]
    fn get(&self, index: usize) -> T {
        self.values[if self.values.len() == 1 { 0 } else { index }]
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = T> {
        (0..self.len as usize).map(|index| self.get(index))
    }

    /// Whether there are `len` elements, with a value each.
    fn has_len(&self, len: usize) -> bool {
        let count = self.values.len();
        self.len as usize == len && (count == len || count == 1 && len > 0)
    }
}

/// The data of proxies. They often are indices, so columns of parts of a number are stored: its bits from 0, 16, 24 and 32 on.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct PackedData {
    from_0: PackedColumn<u16>,
    from_16: PackedColumn<u8>,
    from_24: PackedColumn<u8>,
    from_32: PackedColumn<u32>,
}

impl_memory!(PackedData { from_0, from_16, from_24, from_32 });

impl PackedData {
    fn clear(&mut self) {
        self.from_0.clear();
        self.from_16.clear();
        self.from_24.clear();
        self.from_32.clear();
    }

    fn push(&mut self, data: u64, most: usize) {
        self.from_0.push(data as u16, most);
        self.from_16.push((data >> 16) as u8, most);
        self.from_24.push((data >> 24) as u8, most);
        self.from_32.push((data >> 32) as u32, most);
    }

    fn get(&self, index: usize) -> u64 {
        u64::from(self.from_0.get(index))
            | u64::from(self.from_16.get(index)) << 16
            | u64::from(self.from_24.get(index)) << 24
            | u64::from(self.from_32.get(index)) << 32
    }

    fn has_len(&self, len: usize) -> bool {
        self.from_0.has_len(len)
            && self.from_16.has_len(len)
            && self.from_24.has_len(len)
            && self.from_32.has_len(len)
    }
}

/// What is stored of a proxy in one byte.
struct Flags {
    kind: ProxyKind,
    enabled: bool,
    /// The status of its mover row, if it has one.
    status: u8,
    /// Whether it was inserted since the last update.
    inserted: bool,
}

impl Flags {
    /// One more than the greatest byte of flags.
    const END: u8 = 1 << 6;

    fn bits(self) -> u8 {
        let Self { kind, enabled, status, inserted } = self;
        kind as u8 | u8::from(enabled) << 2 | status << 3 | u8::from(inserted) << 5
    }

    fn of(bits: u8) -> Self {
        use ProxyKind::{Dynamic, Fixed, Kinematic, Sleeping};
        let kind = [Fixed, Kinematic, Dynamic, Sleeping][usize::from(bits & 3)];
        let (enabled, inserted) = (bits & 4 != 0, bits & 32 != 0);
        Self { kind, enabled, status: bits >> 3 & 3, inserted }
    }
}

/// The state of a [`Broadphase`](super::Broadphase).
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PackedState {
    /// Generation of each slot.
    generations: PackedColumn<u32>,
    /// The free slots; the next one to be used is the first.
    free: Vec<u32>,
    /// How many slots there were when the cached pairs were found.
    cached_slots: u32,
    /// The slots whose generation has changed since then, and the generation that each had.
    reused: Vec<[u32; 2]>,
    /// By proxy.
    data: PackedData,
    owners: PackedColumn<u32>,
    filters: PackedColumn<Filter>,
    /// The bits of the margins.
    margins: PackedColumn<u32>,
    /// [`Flags`] of each proxy.
    flags: PackedColumn<u8>,
    boxes: Vec<Aabb>,
    /// The bits of the displacements of dynamic and kinematic proxies, also of disabled ones.
    deltas: PackedColumn<[u32; 3]>,
    /// The fat AABBs of proxies with a margin.
    fat_aabbs: Vec<Aabb>,
    /// The slots of the mover rows, unless they are in order.
    rows: Vec<u32>,
    /// The cached pairs by slots: the touching ones with the bits of their times, and the resting ones.
    touching: [Vec<u32>; 2],
    times: PackedColumn<u32>,
    resting: Vec<[u32; 2]>,
    dirty_pairs: Vec<ProxyPair>,
    changed: Vec<u32>,
    renewed: Vec<ProxyId>,
    removed: Vec<RemovedProxy>,
    kind_table: KindTable,
    kinds_changed: bool,
    restricted: bool,
    /// The bound of the number of rejected pairs.
    rejected: u64,
}

impl_memory!(PackedState { generations, free, reused, data, owners, filters, margins, flags, boxes, deltas, fat_aabbs, rows, touching, times, resting, dirty_pairs, changed, renewed, removed; without cached_slots, kind_table, kinds_changed, restricted, rejected });

impl PartialEq for PackedState {
    /// Compares the states. The order of resting pairs, and of those of which a proxy has changed, does not belong to the state, nor does the bound
    /// of the number of rejected pairs, which only decides how an update searches.
    fn eq(&self, other: &Self) -> bool {
        let pairs = |of: &Self| {
            let (mut resting, mut dirty) = (of.resting.clone(), of.dirty_pairs.clone());
            par::sort(&mut resting);
            par::sort::<4>(bytemuck::cast_slice_mut(&mut dirty));
            (resting, dirty)
        };
        let settings =
            |of: &Self| (of.cached_slots, of.kind_table, of.kinds_changed, of.restricted);
        self.generations == other.generations
            && self.free == other.free
            && self.reused == other.reused
            && self.data == other.data
            && self.owners == other.owners
            && self.filters == other.filters
            && self.margins == other.margins
            && self.flags == other.flags
            && self.boxes == other.boxes
            && self.deltas == other.deltas
            && self.fat_aabbs == other.fat_aabbs
            && self.rows == other.rows
            && self.touching == other.touching
            && self.times == other.times
            && self.changed == other.changed
            && self.renewed == other.renewed
            && self.removed == other.removed
            && settings(self) == settings(other)
            && pairs(self) == pairs(other)
    }
}

impl PackedState {
    /// The number of proxies.
    pub(crate) fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Replaces the contents by a state, reusing the allocated memory.
    pub(crate) fn pack(&mut self, state: &BroadphaseState) {
        let slots = &state.slots;
        self.generations.clear();
        slots.generations.iter().for_each(|&of| self.generations.push(of, slots.all.len()));
        if self.generations.values == [u32::MAX] {
            // A file must contain something for each slot, or `check` rejects it.
            self.generations.values.resize(slots.all.len(), u32::MAX);
        }
        self.free.clear();
        let mut next = slots.free;
        while next != NONE {
            self.free.push(next);
            next = slots.all[next as usize].row_or_next;
        }
        self.cached_slots = slots.cached_generations.len() as u32;
        let cached = |&slot: &u32| [slot, slots.cached_generations[slot as usize]];
        assign(&mut self.reused, slots.reused.iter().map(cached));
        self.pack_proxies(state);
        self.pack_movers(state);
        self.pack_pairs(state);
        self.dirty_pairs.clone_from(&state.dirty_pairs);
        self.changed.clone_from(&state.changed);
        self.renewed.clone_from(&state.renewed);
        self.removed.clone_from(&state.removed);
        self.kind_table = state.kinds;
        (self.kinds_changed, self.restricted) = (state.kinds_changed, state.restricted);
        self.rejected = state.rejected as u64;
    }

    fn pack_proxies(&mut self, state: &BroadphaseState) {
        let live = state.slots.live as usize;
        self.data.clear();
        self.owners.clear();
        self.filters.clear();
        self.margins.clear();
        self.flags.clear();
        self.deltas.clear();
        self.boxes.clear();
        self.fat_aabbs.clear();
        reserve_cleared(&mut self.boxes, live);
        let fat = count_of(&state.slots.all, |slot| slot.margin > 0.0);
        reserve_cleared(&mut self.fat_aabbs, fat);
        for (index, slot) in state.slots.all.iter().enumerate().filter(|(_, slot)| slot.live) {
            let MovingBox { aabb, delta } = state.moving_box(index);
            self.data.push(slot.data, live);
            self.owners.push(slot.owner, live);
            self.filters.push(slot.filter, live);
            self.margins.push(slot.margin.to_bits(), live);
            let status = match slot.container() {
                Container::Movers => state.movers.status[slot.row_or_next as usize],
                _ => 0,
            };
            let Slot { kind, enabled, .. } = *slot;
            let inserted = slot.was_inserted();
            self.flags.push(Flags { kind, enabled, status, inserted }.bits(), live);
            self.boxes.push(aabb);
            if !slot.kind.is_resting() {
                self.deltas.push(delta.map_each(f32::to_bits), live);
            }
            if let Some(fat) = state.fat_aabb_of(index) {
                self.fat_aabbs.push(fat);
            }
        }
    }

    fn pack_movers(&mut self, state: &BroadphaseState) {
        self.rows.clear();
        let slots = || state.movers.ids.iter().map(|id| id.index());
        if !slots().is_sorted() {
            assign(&mut self.rows, slots());
        }
    }

    fn pack_pairs(&mut self, state: &BroadphaseState) {
        let count = state.touching.len();
        let Self { touching: [a, b], times, resting, .. } = self;
        for slots in [&mut *a, &mut *b] {
            slots.clear();
            reserve_cleared(slots, count);
        }
        times.clear();
        match state.touching.view() {
            PairView::Table(pairs) => {
                a.extend_from_slice(pairs.a);
                b.extend_from_slice(pairs.b);
                pairs.first.iter().for_each(|first| times.push(first.to_bits(), count));
            }
            PairView::Rows(_) => {
                for pair in state.touching.iter() {
                    a.push(pair.a);
                    b.push(pair.b);
                    times.push(pair.first.to_bits(), count);
                }
            }
        }
        resting.clear();
        reserve_cleared(resting, state.resting.len());
        resting.extend(state.resting.iter().map(|pair| [pair.a.index(), pair.b.index()]));
    }

    /// Replaces the contents of `state`, reusing the allocated memory.
    pub(crate) fn unpack_into(&self, state: &mut BroadphaseState) {
        self.unpack_slots(state);
        self.unpack_proxies(state);
        self.unpack_movers(state);
        let BroadphaseState { slots, touching, resting, .. } = state;
        let times = || self.times.iter().map(f32::from_bits);
        touching.assign(&self.touching, times());
        resting.clear();
        resting.reserve(0, self.resting.len());
        for pair in &self.resting {
            let [a, b] = pair.map_each(|slot| slots.id(slot as usize));
            resting.add(ProxyPair { a, b });
        }
        state.dirty_pairs.clone_from(&self.dirty_pairs);
        state.changed.clone_from(&self.changed);
        state.renewed.clone_from(&self.renewed);
        state.removed.clone_from(&self.removed);
        state.kinds = self.kind_table;
        (state.kinds_changed, state.restricted) = (self.kinds_changed, self.restricted);
        state.rejected = usize::try_from(self.rejected).unwrap_or(usize::MAX);
        for &slot in &state.changed {
            state.slots.all[slot as usize].mark_changed();
        }
        for &id in &state.renewed {
            if let Some(index) = state.slots.find(id) {
                state.slots.all[index].mark_renewed();
            }
        }
    }

    fn unpack_slots(&self, state: &mut BroadphaseState) {
        let slots = &mut state.slots;
        let count = self.generations.len as usize;
        assign(&mut slots.generations, self.generations.iter());
        let cached = &slots.generations[..self.cached_slots as usize];
        assign(&mut slots.cached_generations, cached.iter().copied());
        slots.cached_small.clear();
        assign(&mut slots.reused, self.reused.iter().map(|&[slot, _]| slot));
        for &[slot, generation] in &self.reused {
            slots.cached_generations[slot as usize] = generation;
        }
        slots.all.clear();
        reserve_cleared(&mut slots.all, count);
        slots.all.resize(count, Slot { live: true, ..Slot::EMPTY });
        slots.free = NONE;
        for &free in self.free.iter().rev() {
            slots.all[free as usize] = Slot { row_or_next: slots.free, ..Slot::EMPTY };
            slots.free = free;
        }
        slots.retired = 0;
        for (slot, _) in slots.all.iter_mut().zip(&slots.generations).filter(|of| *of.1 == u32::MAX)
        {
            slot.live = false;
            slots.retired += 1;
        }
        slots.live = self.boxes.len() as u32;
    }

    fn unpack_proxies(&self, state: &mut BroadphaseState) {
        let BroadphaseState { slots, boxes, fat_aabbs, .. } = state;
        boxes.clear();
        fat_aabbs.clear();
        reserve_cleared(boxes, slots.all.len());
        reserve_cleared(fat_aabbs, slots.all.len());
        let (mut proxy, mut moved, mut fat) = (0, 0, self.fat_aabbs.iter());
        for slot in &mut slots.all {
            if !slot.live {
                boxes.push(MovingBox::default());
                fat_aabbs.push(Aabb::default());
                continue;
            }
            (slot.data, slot.owner) = (self.data.get(proxy), self.owners.get(proxy));
            slot.filter = self.filters.get(proxy);
            slot.margin = f32::from_bits(self.margins.get(proxy));
            let Flags { kind, enabled, status, inserted } = Flags::of(self.flags.get(proxy));
            if inserted {
                slot.mark_inserted();
            }
            // The status is stored here until the row is appended.
            (slot.kind, slot.enabled, slot.row_or_next) = (kind, enabled, status.into());
            let mut moving = MovingBox::from(self.boxes[proxy]);
            if !slot.kind.is_resting() {
                moving.delta = self.deltas.get(moved).map_each(f32::from_bits);
                moved += 1;
            }
            boxes.push(moving);
            let fat_aabb = if slot.margin > 0.0 { fat.next().copied() } else { None };
            fat_aabbs.push(fat_aabb.unwrap_or_default());
            if slot.container() != Container::Movers {
                slot.row_or_next = NONE;
            }
            proxy += 1;
        }
    }

    fn unpack_movers(&self, state: &mut BroadphaseState) {
        let BroadphaseState { slots, boxes, fat_aabbs, movers, fat_movers, .. } = state;
        let moves = |slot: &Slot| slot.container() == Container::Movers;
        let count = slots.all.iter().filter(|slot| moves(slot)).count();
        movers.clear();
        if movers.ids.capacity() < count {
            movers.reserve(count + count / 4);
        }
        *fat_movers = 0;
        let in_order = self.rows.is_empty();
        for k in 0..if in_order { boxes.len() } else { count } {
            let index = if in_order { k } else { self.rows[k] as usize };
            let id = slots.id(index);
            let slot = &mut slots.all[index];
            if !moves(slot) {
                continue;
            }
            let status = slot.row_or_next as u8;
            let is_fat = slot.margin > 0.0;
            let fat_aabb = if is_fat { fat_aabbs[index] } else { UNBOUNDED };
            slot.row_or_next = movers.push(id, slot, boxes[index], fat_aabb);
            movers.status[slot.row_or_next as usize] = status;
            *fat_movers += u32::from(is_fat);
        }
    }

    /// Whether [`PackedState::unpack_into`] may be called: all columns have the right lengths, and slots exist.
    pub(crate) fn check(&self) -> Result<(), InvariantError> {
        let slots = self.generations.len as usize;
        let live = self.boxes.len();
        // A file must contain something for each slot, so that it cannot request memory for slots that it does not have.
        let stored = self.generations.values.len() + self.free.len() + live;
        if slots > stored.min(SLOTS_MAX) || !self.generations.has_len(slots) {
            return Err(InvariantError::Lengths);
        }
        let retired = self.generations.iter().filter(|&of| of == u32::MAX).count();
        let cached = |&slot: &u32| slot < self.cached_slots;
        let exists = |&slot: &u32| (slot as usize) < slots;
        let moves = |&flags: &u8| !Flags::of(flags).kind.is_resting();
        let is_sound = self.cached_slots as usize <= slots
            && self.data.has_len(live)
            && self.owners.has_len(live)
            && self.filters.has_len(live)
            && self.margins.has_len(live)
            && self.flags.has_len(live)
            && self.flags.iter().all(|flags| flags < Flags::END)
            && live + self.free.len() + retired == slots
            && self.deltas.has_len(self.flags.iter().filter(moves).count())
            && self.margins.iter().filter(|&bits| f32::from_bits(bits) > 0.0).count()
                == self.fat_aabbs.len()
            && self.free.iter().all(exists)
            && self.rows.iter().all(exists)
            && self.changed.iter().all(exists)
            && self.reused.iter().all(|[slot, _]| cached(slot))
            && self.resting.iter().flatten().all(cached)
            && self.times.has_len(self.touching[0].len())
            && self.times.has_len(self.touching[1].len());
        if !is_sound {
            return Err(InvariantError::Lengths);
        }
        // Each slot is free, retired or that of a proxy.
        let mut used = alloc::vec![false; slots];
        for &free in &self.free {
            if core::mem::replace(&mut used[free as usize], true)
                || self.generations.get(free as usize) == u32::MAX
            {
                return Err(InvariantError::FreeSlots);
            }
        }
        let mut proxies = self.flags.iter();
        let mut is_mover = |slot: usize| {
            let is_live = !used[slot] && self.generations.get(slot) != u32::MAX;
            let flags = is_live.then(|| proxies.next()).flatten().map(Flags::of);
            flags.is_some_and(|flags| flags.enabled && !flags.kind.is_resting())
        };
        let movers = (0..slots).filter(|&slot| is_mover(slot)).count();
        let rows = self.rows.len();
        let exist = self.renewed.iter().all(|id| (id.index() as usize) < slots);
        match (rows == 0 || rows == movers) && exist {
            true => Ok(()),
            false => Err(InvariantError::Lengths),
        }
    }
}

/// Reserves memory for `len` elements of a cleared list: exactly so much for a new one, and otherwise more, so that the next
/// snapshots usually allocate nothing.
fn reserve_cleared<T>(list: &mut Vec<T>, len: usize) {
    match list.capacity() {
        0 => list.reserve_exact(len),
        _ => list.reserve(len - list.len()),
    }
}

/// Replaces the contents of a list.
fn assign<T>(list: &mut Vec<T>, items: impl ExactSizeIterator<Item = T>) {
    list.clear();
    reserve_cleared(list, items.len());
    list.extend(items);
}

#[cfg(test)]
mod tests {
    use super::PackedState;
    use crate::broadphase::proxies::{Broadphase, Proxy};
    use crate::geom::MovingBox;

    /// Goal: a snapshot is accepted in which each slot has a proxy and all generations are equal, so that they are stored once. Method: no
    /// proxy was ever removed.
    #[test]
    fn snapshot_without_unused_slots_is_accepted() {
        for count in [0, 1, 2, 5] {
            let mut broadphase = Broadphase::default();
            for _ in 0..count {
                let inserted = broadphase.insert_moving(MovingBox::default(), Proxy::dynamic());
                inserted.expect("a valid box");
            }
            let mut packed = PackedState::default();
            packed.pack(&broadphase.state);
            assert_eq!((packed.generations.values.len(), packed.free.len()), (count.min(1), 0));
            assert_eq!(packed.check(), Ok(()), "{count}");
        }
    }

    /// Goal: a snapshot with a retired slot is accepted. Method: the slot of one of two proxies is free, and its generations are then used
    /// up, so that it is neither free nor that of a proxy.
    #[test]
    fn snapshot_with_a_retired_slot_is_accepted() {
        let mut broadphase = Broadphase::default();
        let ids = [(); 2].map(|()| {
            broadphase.insert_moving(MovingBox::default(), Proxy::dynamic()).expect("a valid box")
        });
        broadphase.remove(ids[1]).expect("an id that exists");
        let mut packed = PackedState::default();
        packed.pack(&broadphase.state);
        assert_eq!((packed.check(), &packed.free[..]), (Ok(()), &[1][..]));
        packed.generations.values[1] = u32::MAX;
        assert!(packed.check().is_err());
        packed.free.clear();
        assert_eq!(packed.check(), Ok(()));
    }
}
