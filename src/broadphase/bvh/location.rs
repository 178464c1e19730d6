//! The location of the box of each row, overwriting boxes in place, and tombstones.
//!
//! A location is a slot of one of a few trees, an index among the boxes that are being put in, or
//! nothing.
//!
//! A new box that is in the room of the leaf of the old one (`leaf_bounds.rs`) overwrites it. Testing this costs
//! an access to the leaf, which is rarely in the cache. So of each block of [`BLOCK`] boxes the
//! first [`TRIED`] are tested, and the others only if one of these was overwritten. If all boxes
//! move far, an eighth of them is tested; if half of the boxes stay near their old position, one
//! block in 256 is rebuilt although it could have been overwritten. A removed box is a tombstone:
//! it is counted at once, but cleared only at the end, and only if its tree is not rebuilt.

use super::{BvhItem, Tree};
use crate::columns::impl_memory;
use alloc::vec::Vec;

/// Number of trees: enough for the largest number of boxes.
pub(crate) const TREES_MAX: usize = 6;
/// Slots are less than this: the largest possible tree has fewer than twice as many slots as boxes.
pub(crate) const SLOTS_MAX: usize = 1 << 28;
/// Boxes in a block.
const BLOCK: usize = 64;
/// Boxes of a block that are tested before the others are given up.
const TRIED: usize = 8;
/// How many boxes ahead memory is prefetched.
const AHEAD: usize = 8;

/// The location of a box: tree and slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location(u32);

impl Location {
    pub(crate) const NONE: Self = Self(u32::MAX);
    /// Stands for a tree: the box is among those that are being put in.
    const PENDING: usize = TREES_MAX;

    pub(crate) fn new(tree: usize, slot: usize) -> Self {
        Self((tree * SLOTS_MAX + slot) as u32)
    }

    /// The location of box `k` of those that are being put in.
    pub(crate) fn pending(k: usize) -> Self {
        Self::new(Self::PENDING, k)
    }

    pub(crate) fn tree(self) -> usize {
        (self.0 / SLOTS_MAX as u32) as usize
    }

    pub(crate) fn slot(self) -> usize {
        self.0 as usize % SLOTS_MAX
    }

    /// Prefetches the memory of the location.
    fn prefetch_slot(self, trees: &[Tree]) {
        if let Some(tree) = trees.get(self.tree()) {
            tree.prefetch_slot(self.slot());
        }
    }

    /// Overwrites the box in this location, if there is one and its tree needs no other change.
    fn overwrite(self, trees: &mut [Tree], item: BvhItem, moves_left: &mut usize) -> bool {
        let tree = trees.get_mut(self.tree());
        tree.is_some_and(|tree| tree.overwrite(self.slot(), item, moves_left))
    }
}

/// The locations of the boxes of all rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locations {
    /// The location of each row.
    pub(crate) of_row: Vec<Location>,
    /// Tombstones: locations of removed boxes that are not cleared yet.
    tombstones: Vec<Location>,
    /// How many boxes that become small in their leaf are not overwritten there: one for each box that was inserted into an empty row. So
    /// a world of placeholders is built anew with the boxes that replace these, but boxes that become large and small by turns are overwritten.
    moves_left: usize,
}

impl_memory!(Locations { of_row, tombstones; without moves_left });

impl Locations {
    /// Removes all locations.
    pub(crate) fn clear(&mut self) {
        self.of_row.clear();
        self.moves_left = 0;
    }

    /// Overwrites boxes in place where possible. Afterwards `boxes` has the others, one for each
    /// row; their rows are pending, and the old boxes of these rows are removed.
    pub(crate) fn overwrite(&mut self, trees: &mut [Tree], boxes: &mut Vec<BvhItem>) {
        let (mut kept, mut written, mut moved) = (0, 0, 0);
        for k in 0..boxes.len() {
            if k % BLOCK == 0 {
                (written, moved) = (0, 0);
            }
            if let Some(later) = boxes.get(k + AHEAD)
                && written > 0
            {
                self.of_row[later.id as usize].prefetch_slot(trees);
            }
            let is_tried = k % BLOCK < TRIED || written > 0;
            let item = boxes[k];
            let location = self.of_row[item.id as usize];
            if location.tree() == Location::PENDING {
                // If a row occurs several times, the last box counts.
                boxes[location.slot()] = item;
                continue;
            }
            self.moves_left += usize::from(location == Location::NONE);
            let before = self.moves_left;
            if is_tried && location.overwrite(trees, item, &mut self.moves_left) {
                written += 1;
            } else {
                // Those that are not tested are taken to be like those before them in the block.
                moved += before - self.moves_left;
                if !is_tried && moved > 0 {
                    self.moves_left = before.saturating_sub(1);
                }
                self.remove(trees, item.id, Location::pending(kept));
                boxes[kept] = item;
                kept += 1;
            }
        }
        boxes.truncate(kept);
    }

    /// Removes the box in a row, if there is one, and sets the location of the row to `to`.
    pub(crate) fn remove(&mut self, trees: &mut [Tree], row: u32, to: Location) {
        let location = core::mem::replace(&mut self.of_row[row as usize], to);
        if let Some(tree) = trees.get_mut(location.tree()) {
            tree.count_removed();
            self.tombstones.push(location);
        }
    }

    /// Clears the tombstones, except in trees that `is_built` selects, because these are rebuilt.
    pub(crate) fn clear_tombstones(
        &mut self,
        trees: &mut [Tree],
        is_built: impl Fn(usize, &Tree) -> bool,
    ) {
        self.tombstones.retain(|location| !is_built(location.tree(), &trees[location.tree()]));
        for (k, location) in self.tombstones.iter().enumerate() {
            if let Some(later) = self.tombstones.get(k + AHEAD) {
                later.prefetch_slot(trees);
            }
            trees[location.tree()].clear_slot(location.slot());
        }
        self.tombstones.clear();
    }

    /// Frees memory that is not needed.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.of_row.shrink_to_fit();
        self.tombstones = Vec::new();
    }
}
