//! The forests of resting proxies and of settled movers, and the changes to be applied to them.
//!
//! There is a forest for each kind of proxies, so that a search visits only the kinds that the kind table has.
//!
//! A changed slot is only marked as dirty. Changes are applied when an update or a query needs the forests, so
//! that many changes of a proxy between two updates cost as much as one. They are applied in the
//! order of the slots, one list for each forest, with the boxes of the current state. A box that
//! stays near its old position is overwritten in place; a forest from which all boxes are removed
//! is rebuilt from the list alone ([`FixedBoxes::put`]). A resting proxy with a margin is stored with
//! its fat AABB. Queries that reach it in a leaf test its true box, which the state has.

use super::id::ProxyPair;
use super::proxy::ProxyKind;
use super::slots::{Container, FIXED, SLEEPING};
use super::state::BroadphaseState;
use crate::broadphase::FixedBoxes;
use crate::broadphase::bvh::{BvhItem, Tree};
use crate::broadphase::exec::Exec;
use crate::broadphase::pairs::buffer::reserve_total;
use crate::columns::impl_memory;
use crate::geom::{Aabb, Filter, MapEach, count_of};
use crate::par::sort_rows;
use alloc::vec::Vec;

/// Bit of a slot: it is in the list of changes.
const PENDING: u8 = 1 << 7;
/// Bit of a slot: it is in the forest of settled dynamic movers. Bit `k` always belongs to forest `k`; the first two are
/// [`FIXED`] and [`SLEEPING`].
const IN_DYNAMIC: u8 = 1 << 2;
/// Bit of a slot: it is in the forest of settled kinematic movers.
const IN_KINEMATIC: u8 = 1 << 3;
/// Bits of a slot: it is in a forest of settled movers.
const IN_SETTLED: u8 = IN_DYNAMIC | IN_KINEMATIC;
/// Number of forests.
const TREES: usize = 4;
/// Bit of a slot: its proxy rests and has a margin, so its box in the forest may be larger than the true one.
const FAT: u8 = 1 << 4;

/// The forests of resting proxies, and the pending changes.
#[derive(Debug, Default)]
pub(crate) struct RestingTrees {
    pub(crate) fixed: FixedBoxes,
    pub(crate) sleeping: FixedBoxes,
    /// The compared boxes of settled movers, dynamic and kinematic ones, and stale boxes of slots that are no settled movers.
    pub(crate) settled: [FixedBoxes; 2],
    /// The bits [`FIXED`], [`SLEEPING`], [`IN_DYNAMIC`], [`IN_KINEMATIC`], [`FAT`] and [`PENDING`] of each slot. May be
    /// shorter than the slots. After an update a value has one of the first two bits exactly
    /// where a proxy rests.
    pub(crate) bits_of_slot: Vec<u8>,
    /// The number of slots with the bit [`FAT`].
    fat: usize,
    /// The slots that have changed since the last update, each once.
    changed: Vec<u32>,
    /// Whether one of these changes is in a forest that queries read.
    is_stale: bool,
    /// Scratch memory: the rows to remove from each forest.
    removed: [Vec<u32>; TREES],
    /// Scratch memory: the boxes to put into each forest.
    inserted: [Vec<BvhItem>; TREES],
}

impl_memory!(RestingTrees { fixed, sleeping, settled, bits_of_slot, changed, removed, inserted; without fat, is_stale });

impl RestingTrees {
    /// Sets how the forests run.
    pub(crate) fn set_exec(&mut self, exec: &Exec) {
        self.fixed.exec = exec.clone();
        self.sleeping.exec = exec.clone();
        self.settled.iter_mut().for_each(|forest| forest.exec = exec.clone());
    }

    /// Marks a slot as dirty: its proxy starts or stops resting, or rests with a different box or
    /// description.
    #[inline]
    pub(crate) fn mark_dirty(&mut self, index: usize) {
        self.is_stale = true;
        self.mark_settled(index);
    }

    /// Marks a slot as dirty whose mover has settled, or has a stale box. No query reads the forests of settled movers.
    #[inline]
    pub(crate) fn mark_settled(&mut self, index: usize) {
        if self.bits_of_slot.len() <= index {
            self.bits_of_slot.resize(index + 1, 0);
        }
        if self.bits_of_slot[index] & PENDING == 0 {
            self.bits_of_slot[index] |= PENDING;
            self.changed.push(index as u32);
        }
    }

    /// Whether a forest of settled movers has a box of a slot, which is stale if the slot is no settled mover.
    #[inline]
    pub(crate) fn has_settled(&self, index: usize) -> bool {
        self.bits_of_slot.get(index).is_some_and(|row| row & IN_SETTLED != 0)
    }

    /// Whether no change is pending in a forest that queries read.
    pub(crate) fn is_current(&self) -> bool {
        !self.is_stale
    }

    /// Applies the changes. `filtered` is true if any proxy has a filter.
    pub(crate) fn update(&mut self, state: &BroadphaseState, filtered: bool) {
        if self.changed.is_empty() {
            return;
        }
        self.sort();
        let Self {
            fixed,
            sleeping,
            settled,
            bits_of_slot,
            fat,
            changed,
            is_stale,
            removed,
            inserted,
        } = self;
        removed.iter_mut().for_each(Vec::clear);
        inserted.iter_mut().for_each(Vec::clear);
        for &row in &*changed {
            let index = row as usize;
            let was = bits_of_slot[index] & !PENDING;
            let slot = state.slots.all.get(index);
            let now = trees_of(state, index);
            // The box of a mover that is no longer settled, but will be, stays and is overwritten then. A mover whose
            // compared box moves may never settle again, and all that pass there would find the box that it has left.
            let stays = now & IN_SETTLED == 0 && is_still_mover(state, index);
            let stale = if stays { was & IN_SETTLED } else { 0 };
            bits_of_slot[index] = now | stale;
            *fat = *fat + usize::from(now & FAT != 0) - usize::from(was & FAT != 0);
            for k in 0..TREES {
                let [was, now, stale] = [was, now, stale].map_each(|bits| bits >> k & 1 == 1);
                if was && !now && !stale {
                    removed[k].push(row);
                }
                // Overwriting an unchanged box costs less than finding out that it is unchanged.
                if let Some(slot) = slot.filter(|_| now) {
                    let (aabb, filter) = (state.compared_box(index).aabb, slot.filter.word());
                    inserted[k].push(BvhItem { aabb, id: row, filter });
                }
            }
        }
        changed.clear();
        *is_stale = false;
        let [dynamic, kinematic] = settled;
        let [.., of_dynamic, of_kinematic] = &*inserted;
        dynamic.slack = slack_of(state, of_dynamic);
        kinematic.slack = slack_of(state, of_kinematic);
        let trees = [fixed, sleeping, dynamic, kinematic];
        for ((tree, removed), inserted) in trees.into_iter().zip(removed).zip(inserted) {
            if !removed.is_empty() {
                tree.remove(removed).expect("each row was put in");
            }
            if !inserted.is_empty() {
                tree.put_valid(bits_of_slot.len(), inserted, filtered);
            }
        }
    }

    /// Sorts the changes by slot: neighbouring slots usually are neighbours in memory.
    fn sort(&mut self) {
        let Self { bits_of_slot, changed, .. } = self;
        // When many slots have changed, scanning all of them costs less than sorting.
        if changed.len() < bits_of_slot.len() / 32 {
            sort_rows(changed);
        } else {
            changed.clear();
            let all = (0..).zip(bits_of_slot.iter());
            changed.extend(all.filter(|&(_, row)| row & PENDING != 0).map(|(index, _)| index));
        }
    }

    /// Whether the forests agree with the state, for all slots without a pending change.
    pub(crate) fn is_sound(&self, state: &BroadphaseState) -> bool {
        let dirty = count_of(&self.bits_of_slot, |&row| row & PENDING != 0);
        let (mut lens, mut fat) = ([0; TREES], 0);
        let [dynamic, kinematic] = &self.settled;
        let trees = [&self.fixed, &self.sleeping, dynamic, kinematic];
        for index in 0..state.slots.all.len().max(self.bits_of_slot.len()) {
            let row = self.bits_of_slot.get(index).copied().unwrap_or(0);
            let slot = state.slots.all.get(index);
            let stored = trees_of(state, index);
            fat += usize::from(row & FAT != 0);
            let stale = if stored & IN_SETTLED == 0 { row & IN_SETTLED } else { 0 };
            if row & PENDING == 0 && (row != stored | stale || stale == IN_SETTLED) {
                return false;
            }
            for (k, tree) in trees.iter().enumerate().filter(|(k, _)| row >> k & 1 == 1) {
                lens[k] += 1;
                let aabb = || state.compared_box(index).aabb;
                let is_stale = stored >> k & 1 == 0;
                if row & PENDING == 0
                    && !is_stale
                    && (tree.get(index as u32).is_none_or(|old| !same_bits(&old, &aabb()))
                        || tree.filter_word(index as u32) != slot.map(|slot| slot.filter.word()))
                {
                    return false;
                }
            }
        }
        dirty == self.changed.len() && fat == self.fat && lens == trees.map_each(FixedBoxes::len)
    }

    pub(crate) fn reserve(&mut self, proxies: usize, movers: usize, pairs: usize) {
        reserve_total(&mut self.bits_of_slot, proxies);
        self.fixed.reserve(proxies, movers, 0, pairs);
        self.sleeping.reserve(proxies, movers, 0, pairs);
    }

    /// Whether the box of any proxy in [`RestingTrees::fat_trees`] may be larger than the true one.
    pub(crate) fn any_fat(&self) -> bool {
        self.fat > 0
    }

    /// The trees of fixed and of sleeping proxies, with the boxes that are compared for pairs.
    pub(crate) fn fat_trees(&self) -> [&[Tree]; 2] {
        [self.fixed.trees(), self.sleeping.trees()]
    }

    /// Frees the lists of pairs of forests that have more than `most` places: a forest without boxes is not searched, and so does not
    /// free them by itself.
    pub(crate) fn free_above(&mut self, most: usize) {
        self.fixed.free_above(most);
        self.sleeping.free_above(most);
        self.settled.iter_mut().for_each(|forest| forest.free_above(most));
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.fixed.shrink_to_fit();
        self.sleeping.shrink_to_fit();
        self.settled.iter_mut().for_each(FixedBoxes::shrink_to_fit);
        (self.removed, self.inserted) = Default::default();
        self.bits_of_slot.shrink_to_fit();
        self.changed.shrink_to_fit();
    }
}

/// The pairs that a search for resting proxies (`resting_search.rs`) has found, and its scratch memory.
#[derive(Debug, Default)]
pub(crate) struct RestingSearch {
    /// The pairs of two resting proxies that begin in this update, in order.
    pub(crate) begun: Vec<ProxyPair>,
    /// The number of pairs that were found, cached and rejected ones too.
    pub(crate) found: usize,
    /// The slots that are searched for, with their boxes and filters.
    pub(crate) slots: Vec<u32>,
    pub(crate) columns: [Vec<f32>; 9],
    pub(crate) filters: Vec<Filter>,
    /// Whether each of them may pair with the proxies of a forest.
    pub(crate) searched: Vec<bool>,
}

impl_memory!(RestingSearch { begun, slots, columns, filters, searched; without found });

/// The forests in which the proxy of a slot belongs, as bits, with [`FAT`].
pub(crate) fn trees_of(state: &BroadphaseState, index: usize) -> u8 {
    let Some(slot) = state.slots.all.get(index) else { return 0 };
    let fat = if slot.margin > 0.0 { FAT } else { 0 };
    match slot.container() {
        Container::Fixed => FIXED | fat,
        Container::Sleeping => SLEEPING | fat,
        Container::Movers if state.is_settled(index) => match slot.kind {
            ProxyKind::Dynamic => IN_DYNAMIC,
            _ => IN_KINEMATIC,
        },
        Container::Movers | Container::Nowhere => 0,
    }
}

/// How loose the nodes of a forest of settled movers are built: twice the least margin. A mover that leaves its fat
/// AABB usually gets another one about that far away, which then overwrites the old one in place. A fat AABB is at least
/// that long on each axis, so the limit of [`Tree::loosen`] has an effect only in leaves of which most boxes have a smaller
/// margin, or none: large margins must not make all searches visit the nodes of other boxes.
fn slack_of(state: &BroadphaseState, inserted: &[BvhItem]) -> f32 {
    let margins = inserted.iter().map(|item| state.slot(item.id as usize).margin);
    let least = margins.filter(|&margin| margin > 0.0).fold(f32::INFINITY, f32::min);
    if least < f32::INFINITY { 2.0 * least } else { 0.0 }
}

/// Whether a slot has a mover whose compared box does not move.
fn is_still_mover(state: &BroadphaseState, index: usize) -> bool {
    let slot = state.slots.all.get(index).filter(|slot| slot.container() == Container::Movers);
    slot.is_some_and(|slot| state.movers.is_still(slot.row_or_next as usize))
}

fn same_bits(a: &Aabb, b: &Aabb) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}

#[cfg(test)]
mod tests {
    use crate::broadphase::Broadphase;
    use crate::broadphase::bvh::Tree;
    use crate::broadphase::proxies::Proxy;
    use crate::geom::Aabb;

    /// Boxes of this forest are on a grid with this many on each axis.
    const EACH: usize = 10;

    /// Inserts dynamic boxes without displacement, with side 0.5, at distance 1, and settles them with one more box that has
    /// the margin `other`, while another one moves. Returns by how much the bounds of the nodes of the forest are larger than its boxes.
    fn looseness(margin: f32, other: f32) -> f32 {
        let mut broadphase = Broadphase::new();
        for k in 0..EACH.pow(3) {
            let at = [k % EACH, k / EACH % EACH, k / EACH / EACH].map(|x| x as f32);
            let aabb = Aabb { min: at, max: at.map(|x| x + 0.5) };
            let proxy = Proxy::dynamic().with_margin(margin);
            broadphase.insert(aabb, proxy).expect("the box is valid");
        }
        let far = Aabb { min: [-500.0; 3], max: [-499.5; 3] };
        broadphase.insert(far, Proxy::dynamic().with_margin(other)).expect("the box is valid");
        let away = Aabb { min: [-2000.0; 3], max: [-1999.0; 3] };
        let active = broadphase.insert(away, Proxy::dynamic()).expect("the box is valid");
        for tick in 0..4 {
            let delta = [tick as f32 + 1.0, 0.0, 0.0];
            broadphase.set(active, away, delta).expect("the proxy exists");
            broadphase.update().expect("there are few pairs");
        }
        let forest = &broadphase.trees.settled[0];
        assert_eq!(forest.len(), EACH.pow(3) + 1, "all boxes are settled");
        let trees = forest.trees().iter().filter_map(Tree::bounds);
        let highest = trees.map(|bounds| bounds.max[0]).fold(f32::MIN, f32::max);
        highest - (EACH as f32 - 0.5 + margin)
    }

    /// Goal: one mover with a large margin does not make the nodes around all others large. Method: compare the bounds of a
    /// forest with its boxes, of which one has a margin of many times their size.
    #[test]
    fn bounds_of_settled_movers_do_not_depend_on_one_large_margin() {
        assert!(looseness(0.0, 100.0) <= 0.5);
        assert!(looseness(0.0, 10.0) <= 0.5);
        assert_eq!(looseness(0.0, 0.0), 0.0);
    }

    /// Goal: nodes of movers with equal margins are as loose as movers need that leave their fat AABBs. Method: margins that
    /// are exact in `f32`, smaller and larger than the boxes, compared with the bounds of the forest.
    #[test]
    fn bounds_of_movers_with_equal_margins_are_loose_by_twice_the_margin() {
        for margin in [0.125, 0.5, 1.0] {
            assert_eq!(looseness(margin, margin), 2.0 * margin);
            assert_eq!(looseness(margin, 100.0), 2.0 * margin);
        }
    }
}
