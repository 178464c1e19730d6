//! Where is the box of a row?
//!
//! In a slot of one of a few trees, or among those that are being put in, or nowhere.
//!
//! A box that lies within the bounds of the leaf in which the one before it was is written over that
//! one. To find out costs a look at the leaf, which is far in memory, so of each [`BLOCK`] boxes that
//! are put in the first [`TRIED`] are tried, and the others if one of these could be written over:
//! where everything goes far an eighth is looked at, and of boxes of which half stay near one block in
//! 256 is built in that need not have been. What leaves is counted at once and wiped out at the end,
//! and only where its tree is not built anew.

use super::tree::{Named, Tree};
use alloc::vec::Vec;

/// How many trees there are: for the most boxes there can be.
pub(super) const TREES_MAX: usize = 5;
/// Slots are below this: a tree has fewer than twice as many as boxes.
pub(super) const SLOTS_MAX: usize = 1 << 28;
/// Of so many boxes that are put in
const BLOCK: usize = 64;
/// so many are tried to be written over before the others are given up.
const TRIED: usize = 8;
/// For how many boxes ahead memory is asked for.
const AHEAD: usize = 8;

/// Where a row's box is: tree and slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

impl Place {
    pub(super) const NONE: Self = Self(u32::MAX);
    /// In place of a tree: the box is among those that are being put in.
    const PENDING: usize = TREES_MAX;

    pub(super) fn new(tree: usize, slot: usize) -> Self {
        Self((tree * SLOTS_MAX + slot) as u32)
    }

    /// The box is number `k` of those that are being put in.
    pub(super) fn pending(k: usize) -> Self {
        Self::new(Self::PENDING, k)
    }

    pub(super) fn tree(self) -> usize {
        (self.0 / SLOTS_MAX as u32) as usize
    }

    pub(super) fn slot(self) -> usize {
        self.0 as usize % SLOTS_MAX
    }

    /// Asks for the memory of the box that is there.
    fn ask_for(self, trees: &[Tree]) {
        if let Some(tree) = trees.get(self.tree()) {
            tree.ask_for(self.slot());
        }
    }

    /// Writes a box over the one that is there, if one is and its tree needs no change for that.
    fn write_over(self, trees: &mut [Tree], named: Named) -> bool {
        trees.get_mut(self.tree()).is_some_and(|tree| tree.write_over(self.slot(), named))
    }
}

/// Where the boxes of all rows are.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// By row.
    pub(super) of: Vec<Place>,
    /// Where boxes were that have left: there they still lie.
    left: Vec<Place>,
}

impl Places {
    /// Writes boxes over those in their rows, as long as that goes. The others are then all there is
    /// in the list, one for a row and pending; what was in their rows has left.
    pub(super) fn write_over(&mut self, trees: &mut [Tree], boxes: &mut Vec<Named>) {
        let (mut kept, mut written) = (0, 0);
        for k in 0..boxes.len() {
            if k % BLOCK == 0 {
                written = 0;
            }
            if let Some(later) = boxes.get(k + AHEAD)
                && written > 0
            {
                self.of[later.name as usize].ask_for(trees);
            }
            let is_tried = k % BLOCK < TRIED || written > 0;
            let named = boxes[k];
            let place = self.of[named.name as usize];
            if place.tree() == Place::PENDING {
                // Of several in one row the last.
                boxes[place.slot()] = named;
            } else if is_tried && place.write_over(trees, named) {
                written += 1;
            } else {
                self.leave(trees, named.name, Place::pending(kept));
                boxes[kept] = named;
                kept += 1;
            }
        }
        boxes.truncate(kept);
    }

    /// Takes out the box in a row, if there is one, which is then in another place.
    pub(super) fn leave(&mut self, trees: &mut [Tree], row: u32, to: Place) {
        let place = core::mem::replace(&mut self.of[row as usize], to);
        if let Some(tree) = trees.get_mut(place.tree()) {
            tree.leave();
            self.left.push(place);
        }
    }

    /// Wipes out what has left, but where the tree, of this number, is to be built anew.
    pub(super) fn wipe_out(&mut self, trees: &mut [Tree], is_built: impl Fn(usize, &Tree) -> bool) {
        self.left.retain(|place| !is_built(place.tree(), &trees[place.tree()]));
        for (k, place) in self.left.iter().enumerate() {
            if let Some(later) = self.left.get(k + AHEAD) {
                later.ask_for(trees);
            }
            trees[place.tree()].empty(place.slot());
        }
        self.left.clear();
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        self.of.shrink_to_fit();
        self.left = Vec::new();
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        (self.of.capacity() + self.left.capacity()) * size_of::<Place>()
    }
}
