//! Where is the box of a row?
//!
//! In a slot of one of a few trees, or among those that are being put in, or nowhere.

use super::tree::{Named, Tree};
use alloc::vec::Vec;

/// How many trees there are: for the most boxes there can be.
pub(super) const TREES_MAX: usize = 5;
/// Slots are below this: a tree has fewer than twice as many as boxes.
pub(super) const SLOTS_MAX: usize = 1 << 28;

/// Where a row's box is: tree and slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(u32);

impl Place {
    pub(super) const NONE: Self = Self(u32::MAX);
    /// In place of a tree: the box is among those that are being put in.
    pub(super) const PENDING: usize = TREES_MAX;

    pub(super) fn new(tree: usize, slot: usize) -> Self {
        Self((tree * SLOTS_MAX + slot) as u32)
    }

    pub(super) fn tree(self) -> usize {
        (self.0 / SLOTS_MAX as u32) as usize
    }

    pub(super) fn slot(self) -> usize {
        self.0 as usize % SLOTS_MAX
    }

    /// Writes a box over the one that is there, if one is and its tree needs no change for that.
    pub(super) fn write_over(self, trees: &mut [Tree], named: Named) -> bool {
        trees.get_mut(self.tree()).is_some_and(|tree| tree.write_over(self.slot(), named))
    }

    /// Asks for the memory of the box that is there.
    pub(super) fn ask_for(self, trees: &[Tree]) {
        if let Some(tree) = trees.get(self.tree()) {
            tree.ask_for(self.slot());
        }
    }

    /// Takes out the box that is there, if one is, and lists where it was: there it lies until it is
    /// wiped out or its tree is built anew.
    pub(super) fn leave(&mut self, trees: &mut [Tree], left: &mut Vec<Self>) {
        if let Some(tree) = trees.get_mut(self.tree()) {
            tree.leave();
            left.push(*self);
        }
        *self = Self::NONE;
    }

    /// Wipes out the box that was there.
    pub(super) fn empty(self, trees: &mut [Tree]) {
        trees[self.tree()].empty(self.slot());
    }
}
