//! Checks the invariants of a broadphase.

use super::Broadphase;
use super::id::{ProxyId, ProxyPair};
use super::movers::{CHANGED, SETTLED, UNBOUNDED};
use super::slots::{Container, NONE, SLOTS_MAX, Slot, Slots};
use super::state::BroadphaseState;
use crate::geom::{Aabb, count_of, is_magnitude};
use crate::par;

/// The invariant that is violated: by a bug of this library, or by the input of a deserialisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvariantError {
    /// Columns that must have the same length do not.
    #[error("the snapshot is damaged, or the library has a fault; columns of different lengths")]
    Lengths,
    /// The free list does not contain exactly the unused slots.
    #[error(
        "the snapshot is damaged, or the library has a fault; the free list does not contain exactly the unused slots"
    )]
    FreeSlots,
    /// The description of a proxy is invalid.
    #[error(
        "the snapshot is damaged, or the library has a fault; the description of slot {index} is invalid"
    )]
    Slot {
        /// The slot of the proxy.
        index: u32,
    },
    /// A box is invalid, or a resting proxy has a displacement.
    #[error(
        "the snapshot is damaged, or the library has a fault; the box of slot {index} is invalid, or the slot rests and has a displacement"
    )]
    Box {
        /// The slot of the proxy.
        index: u32,
    },
    /// The path of a proxy with a margin is not inside its fat AABB.
    #[error(
        "the snapshot is damaged, or the library has a fault; the path of slot {index} is not inside its fat AABB"
    )]
    FatAabb {
        /// The slot of the proxy.
        index: u32,
    },
    /// The rows of the movers are not those of the moving proxies.
    #[error(
        "the snapshot is damaged, or the library has a fault; row {row} of the movers is not that of a moving proxy"
    )]
    Mover {
        /// The row that differs.
        row: u32,
    },
    /// Pairs are out of order, occur twice, have the same proxy twice, or have one that did not exist at the last update.
    #[error(
        "the snapshot is damaged, or the library has a fault; pairs are out of order, occur twice, have the same proxy twice, or have one that did not exist at the last update"
    )]
    Pairs,
    /// The list of slots with another proxy since the last update is wrong.
    #[error(
        "the snapshot is damaged, or the library has a fault; the list of slots reused since the last update is wrong"
    )]
    ReusedSlots,
    /// The list of proxies that have changed since the last update is wrong.
    #[error(
        "the snapshot is damaged, or the library has a fault; the list of changed slots does not contain exactly the changed slots"
    )]
    Changes,
    /// A resting pair has a proxy that does not rest.
    #[error(
        "the snapshot is damaged, or the library has a fault; a resting pair has slot {index}, which does not rest"
    )]
    Resting {
        /// The slot of the proxy.
        index: u32,
    },
    /// The linked lists of resting pairs are broken.
    #[error(
        "the snapshot is damaged, or the library has a fault; the linked lists of resting pairs are broken"
    )]
    Lists,
    /// A tree does not contain exactly the resting proxies, or the movers.
    #[error(
        "the snapshot is damaged, or the library has a fault; a tree does not contain exactly the resting proxies, or the movers"
    )]
    RestingTrees,
}

impl Broadphase {
    /// Checks all invariants. For tests and fuzzers: the time is linear in the proxies and pairs.
    ///
    /// # Errors
    ///
    /// [`InvariantError`]: the first violation. It is a bug of this library.
    pub fn validate(&self) -> Result<(), InvariantError> {
        self.state.validate()?;
        let is_sound = self.trees.is_sound(&self.state) && self.mover_tree.is_sound(&self.state);
        if is_sound { Ok(()) } else { Err(InvariantError::RestingTrees) }
    }
}

impl BroadphaseState {
    pub(crate) fn validate(&self) -> Result<(), InvariantError> {
        let (slots, movers) = (&self.slots.all, &self.movers);
        let rows = movers.ids.len();
        let of_movers =
            [movers.owners.len(), movers.filters.len(), movers.dynamic.len(), movers.status.len()];
        if self.boxes.len() != slots.len()
            || self.fat_aabbs.len() != slots.len()
            || self.slots.generations.len() != slots.len()
            || self.slots.cached_generations.len() > slots.len()
            || !self.touching.has_equal_lengths()
            || slots.len() > SLOTS_MAX
            || movers.columns.iter().chain(&movers.fat).any(|column| column.len() != rows)
            || of_movers.iter().any(|&len| len != rows)
        {
            return Err(InvariantError::Lengths);
        }
        self.check_free()?;
        self.check_changed()?;
        let (mut fat, mut moving) = (0, 0);
        for index in 0..slots.len() {
            self.check_slot(index)?;
            let slot = self.slot(index);
            if slot.container() == Container::Movers {
                fat += u32::from(slot.margin > 0.0);
                moving += 1;
            }
        }
        if moving != rows {
            return Err(InvariantError::Mover { row: rows as u32 });
        }
        if fat != self.fat_movers {
            return Err(InvariantError::Mover { row: rows as u32 });
        }
        self.check_pairs()
    }

    /// Checks that each unused slot that is not retired is in the free list, once.
    fn check_free(&self) -> Result<(), InvariantError> {
        let slots = &self.slots;
        let live = count_of(&slots.all, |slot| slot.live);
        let retired = count_of(&slots.generations, |&next| next == u32::MAX);
        let (mut free, mut at) = (0, slots.free);
        while at != NONE {
            let slot = slots.all.get(at as usize).ok_or(InvariantError::FreeSlots)?;
            free += 1;
            if slot.live || slots.generations[at as usize] == u32::MAX || free > slots.all.len() {
                return Err(InvariantError::FreeSlots);
            }
            at = slot.row_or_next;
        }
        let counted = (slots.live as usize, slots.retired as usize) == (live, retired);
        if counted && live + retired + free == slots.all.len() {
            Ok(())
        } else {
            Err(InvariantError::FreeSlots)
        }
    }

    /// Checks that the list of changes has each slot that is marked as changed, once, and the list of renewed proxies each
    /// that is marked as renewed, once and with the id of which there are cached pairs. These do not rest: a renewed proxy has
    /// no resting pair until the next update.
    fn check_changed(&self) -> Result<(), InvariantError> {
        let (mut changed, mut renewed) = (self.changed.clone(), self.renewed.clone());
        changed.sort_unstable();
        renewed.sort_unstable();
        let marked = (0_u32..).zip(&self.slots.all).filter(|(_, slot)| slot.has_changed());
        let is_listed = |index: usize| {
            let id = self.slots.id(index);
            !self.slots.all[index].is_renewed() || renewed.binary_search(&id).is_ok()
        };
        let cached = &self.slots.cached_generations;
        let is_marked = |slot: &Slot| !slot.was_inserted() || slot.has_changed();
        let is_cached = |id: &ProxyId| cached.get(id.index() as usize) == Some(&id.generation());
        let listed = (0..self.slots.all.len()).all(is_listed)
            && self.slots.all.iter().all(is_marked)
            && renewed.iter().all(is_cached)
            && renewed.iter().all(|id| self.resting.has_no_pair(id.index() as usize))
            && renewed.is_sorted_by(|a, b| a.index() < b.index())
            && self
                .removed
                .iter()
                .all(|removed| is_cached(&removed.id) && self.slots.is_reused(removed.id.index()));
        if !listed {
            return Err(InvariantError::Changes);
        }
        match marked.map(|(index, _)| index).eq(changed) {
            true => Ok(()),
            false => Err(InvariantError::Changes),
        }
    }

    /// Whether the status of a mover row is possible between two updates: a settled mover has not changed, and its
    /// compared box does not move.
    fn is_status(&self, index: usize, row: usize) -> bool {
        match self.movers.status[row] {
            SETTLED => {
                let slot = self.slot(index);
                !slot.has_changed() && (slot.margin > 0.0 || self.movers.has_no_delta(row))
            }
            status => status & !CHANGED == 0,
        }
    }

    fn check_slot(&self, index: usize) -> Result<(), InvariantError> {
        let slot = self.slot(index);
        let name = index as u32;
        if !slot.live {
            return Ok(());
        }
        if self.slots.generations[index] == u32::MAX || !is_magnitude(slot.margin) {
            return Err(InvariantError::Slot { index: name });
        }
        let row = slot.row_or_next as usize;
        if slot.container() == Container::Movers {
            let movers = &self.movers;
            if movers.ids.get(row) != Some(&self.slots.id(index))
                || movers.owners[row] != slot.owner
                || movers.filters[row] != slot.filter
                || movers.dynamic[row] != (slot.kind == super::ProxyKind::Dynamic)
                || (movers.fat_aabb(row) == UNBOUNDED) != (slot.margin == 0.0)
                || !self.is_status(index, row)
            {
                return Err(InvariantError::Mover { row: slot.row_or_next });
            }
        } else if slot.row_or_next != NONE {
            return Err(InvariantError::Slot { index: name });
        }
        let moving = self.moving_box(index);
        if moving.validate().is_err() || slot.kind.is_resting() && moving.delta != [0.0; 3] {
            return Err(InvariantError::Box { index: name });
        }
        let fat_aabb = self.fat_aabb_of(index);
        let contains = |fat: Aabb| fat.validate().is_ok() && fat.contains(&moving.bounds());
        if !fat_aabb.is_none_or(contains) {
            return Err(InvariantError::FatAabb { index: name });
        }
        Ok(())
    }

    fn check_pairs(&self) -> Result<(), InvariantError> {
        let Slots { generations, cached_generations, reused, .. } = &self.slots;
        let mut reused = reused.clone();
        par::sort_rows(&mut reused);
        let changed = (0_u32..).zip(cached_generations.iter().zip(generations));
        let changed = changed.filter(|(_, (old, new))| old != new).map(|(slot, _)| slot);
        // An update ends the pairs of slots that have changed.
        let has_changed = |&slot: &u32| self.slot(slot as usize).has_changed();
        let all_changed = reused.iter().all(has_changed);
        // Generations only grow: a later one would become that of a new proxy, which then had the pairs of another one.
        let all_older = cached_generations.iter().zip(generations).all(|(old, new)| old <= new);
        if !changed.eq(reused) || !all_changed || !all_older {
            return Err(InvariantError::ReusedSlots);
        }
        let dirty_pairs = self.dirty_pairs.iter().copied();
        let had_slot = |slot: u32| (slot as usize) < cached_generations.len();
        // A slot of which no proxy was removed since the last update has the proxy that it had then.
        let existed = |slot: u32| {
            self.slots.is_reused(slot)
                || self.slots.was_cached(slot as usize) && self.slot(slot as usize).live
        };
        let one = |a: u32, b: u32| a < b && had_slot(b) && existed(a) && existed(b);
        let key = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        let touching = || self.touching.iter().map(|pair| (pair.a, pair.b));
        let in_order = touching().map(|(a, b)| key(a, b)).is_sorted_by(|x, y| x < y);
        let times = self.touching.iter().all(|pair| (0.0..=1.0).contains(&pair.first));
        let has_cached_ids = |pair: ProxyPair| {
            one(pair.a.index(), pair.b.index())
                && [pair.a, pair.b]
                    .into_iter()
                    .all(|id| id.generation() == cached_generations[id.index() as usize])
        };
        if !in_order
            || !times
            || !touching().all(|(a, b)| one(a, b))
            || !dirty_pairs.clone().all(has_cached_ids)
        {
            return Err(InvariantError::Pairs);
        }
        if !self.resting.is_sound() {
            return Err(InvariantError::Lists);
        }
        // At any time both proxies of a resting pair rest: a change removes the pair.
        for pair in self.resting.iter() {
            for &id in &[pair.a, pair.b] {
                let rests = self
                    .slots
                    .find(id)
                    .is_some_and(|index| self.slot(index).container().is_resting());
                if !rests {
                    return Err(InvariantError::Resting { index: id.index() });
                }
            }
        }
        let rest = self.resting.iter().chain(dirty_pairs);
        let mut keys: alloc::vec::Vec<[u32; 2]> = rest
            .map(|pair| [pair.a.index(), pair.b.index()])
            .chain(touching().map(|(a, b)| [a, b]))
            .collect();
        par::sort(&mut keys);
        if keys.is_sorted_by(|x, y| x < y) && self.resting.iter().all(has_cached_ids) {
            Ok(())
        } else {
            Err(InvariantError::Pairs)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::InvariantError;
    use crate::broadphase::proxies::state::BroadphaseState;
    use crate::broadphase::proxies::{Broadphase, Proxy, ProxyKind};
    use crate::geom::{Filter, MovingBox};

    /// Two proxies of which the second has a margin, after an update, and a third without a cached generation.
    fn three_movers() -> Broadphase {
        let mut broadphase = Broadphase::default();
        let moving = MovingBox { delta: [1.0; 3], ..MovingBox::default() };
        let mut insert = |proxy| broadphase.insert_moving(moving, proxy).expect("a valid box");
        insert(Proxy::dynamic());
        insert(Proxy::dynamic().with_margin(0.5));
        broadphase.update().expect("two boxes");
        broadphase.insert_moving(moving, Proxy::dynamic()).expect("a valid box");
        broadphase
    }

    /// Goal: each column of the movers is compared with the description of the proxy. Method: one value is damaged at a time.
    #[test]
    fn damaged_rows_of_movers_are_found() {
        let damages: [fn(&mut BroadphaseState); 7] = [
            |state| state.movers.ids.swap(0, 1),
            |state| state.movers.owners[0] ^= 1,
            |state| state.movers.filters[0] = Filter::NONE,
            |state| state.movers.dynamic[0] ^= true,
            |state| state.movers.set_fat_aabb(0, MovingBox::default().aabb),
            |state| state.movers.status[0] = u8::MAX,
            // Only an update sets both, and only for a box that does not move.
            |state| state.movers.status[0] = super::CHANGED | super::SETTLED,
        ];
        assert_eq!(three_movers().validate(), Ok(()));
        for (at, damage) in damages.iter().enumerate() {
            let mut broadphase = three_movers();
            damage(&mut broadphase.state);
            let found = broadphase.validate();
            assert_eq!(found, Err(InvariantError::Mover { row: 0 }), "damage {at}");
        }
    }

    /// Goal: a proxy is announced again once, and only with the id that the last update has seen. Method: the list of renewed proxies has one
    /// that exists, one that was removed, one of them twice, and one with another generation.
    #[test]
    fn renewed_proxies_are_listed_once_with_their_cached_ids() {
        let mut broadphase = three_movers();
        let ids = [0, 1].map(|index| broadphase.state.slots.id(index));
        ids.iter().for_each(|&id| broadphase.renew(id).expect("the proxy exists"));
        broadphase.remove(ids[1]).expect("the proxy exists");
        assert_eq!(broadphase.validate(), Ok(()));
        let others = ids.map(|id| super::ProxyId::new(id.index(), id.generation() + 1));
        for id in ids.into_iter().chain(others) {
            broadphase.state.renewed.push(id);
            assert_eq!(broadphase.validate(), Err(InvariantError::Changes), "{id:?}");
            broadphase.state.renewed.pop();
        }
        broadphase.state.renewed[0] = others[0];
        assert_eq!(broadphase.validate(), Err(InvariantError::Changes));
    }

    /// Goal: a renewed proxy has no resting pair, which the next update would cache once more. Method: a fixed and a sleeping proxy that
    /// touch; one is renewed, and its pair is then cached again as a resting one.
    #[test]
    fn renewed_proxies_have_no_resting_pair() {
        let mut broadphase = Broadphase::default();
        let table = broadphase.kind_table().with(ProxyKind::Fixed, ProxyKind::Sleeping);
        broadphase.set_kind_table(table);
        let ids = [Proxy::fixed(), Proxy::sleeping()].map(|proxy| {
            broadphase.insert_moving(MovingBox::default(), proxy).expect("a valid box")
        });
        assert_eq!(broadphase.update().expect("no limit").begun().len(), 1);
        broadphase.renew(ids[0]).expect("the proxy exists");
        assert_eq!(broadphase.validate(), Ok(()));
        let pairs = core::mem::take(&mut broadphase.state.dirty_pairs);
        assert_eq!(pairs, [super::ProxyPair::new(ids[0], ids[1])]);
        broadphase.state.resting.add(pairs[0]);
        assert_eq!(broadphase.validate(), Err(InvariantError::Changes));
    }

    /// Goal: only a proxy that has changed can have been inserted since the last update. Method: one that has not changed is marked.
    #[test]
    fn inserted_proxies_have_changed() {
        let mut broadphase = three_movers();
        assert!(broadphase.state.slots.all[2].was_inserted());
        assert!(!broadphase.state.slots.all[0].was_inserted());
        broadphase.state.slots.all[0].mark_inserted();
        assert_eq!(broadphase.validate(), Err(InvariantError::Changes));
    }

    /// Goal: a slot of which the proxy was removed has changed; otherwise the next update would keep its pairs. Method: one of two proxies that
    /// touch is removed, and its slot is then not marked.
    #[test]
    fn reused_slots_have_changed() {
        let mut broadphase = three_movers();
        let id = broadphase.state.slots.id(1);
        broadphase.remove(id).expect("the proxy exists");
        assert_eq!(broadphase.validate(), Ok(()));
        broadphase.state.slots.all[1].change = 0;
        broadphase.state.changed.retain(|&slot| slot != 1);
        assert_eq!(broadphase.validate(), Err(InvariantError::ReusedSlots));
    }

    /// Goal: only a proxy that an update has seen can be announced again. Method: the list contains the third proxy, whose slot is just past
    /// the cached ones, and then the second.
    #[test]
    fn renewed_proxies_have_cached_slots() {
        for (slot, expected) in [(2, Err(InvariantError::Changes)), (1, Ok(()))] {
            let mut broadphase = three_movers();
            assert_eq!(broadphase.state.slots.cached_generations.len(), 2);
            let id = broadphase.state.slots.id(slot);
            broadphase.state.renewed.push(id);
            assert_eq!(broadphase.validate(), expected);
        }
    }
}
