//! A tree of the movers for queries.
//!
//! It contains the true boxes at the start of the tick, with the slot as child id. It is rebuilt
//! when queries are requested and a mover has changed since the last build.

use super::state::BroadphaseState;
use crate::broadphase::bvh::{Builder, BvhItem, Tree};
use crate::columns::impl_memory;
use crate::geom::{Aabb, MapEach};
use crate::lanes::Level;
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Rows that a thread copies at a time.
const CHUNK: usize = 8192;

/// The tree of the movers, and the memory to rebuild it.
#[derive(Debug)]
pub(crate) struct MoverTree {
    pub(crate) tree: Tree,
    /// Whether a mover has changed since the tree was built.
    is_dirty: bool,
    /// Scratch memory of the build.
    builder: Builder,
    boxes: Vec<BvhItem>,
}

impl_memory!(MoverTree { tree, builder, boxes; without is_dirty });

impl Default for MoverTree {
    fn default() -> Self {
        let (tree, builder) = (Tree::default(), Builder::default());
        Self { tree, is_dirty: true, builder, boxes: Vec::new() }
    }
}

impl MoverTree {
    /// Marks the tree as dirty: a mover was inserted, removed or moved, or its filter changed.
    #[inline(always)]
    pub(crate) fn mark_dirty(&mut self) {
        self.is_dirty = true;
    }

    /// Whether no mover has changed since the tree was built.
    pub(crate) fn is_current(&self) -> bool {
        !self.is_dirty
    }

    /// Rebuilds the tree if it is dirty. `filtered` is true if any proxy has a filter.
    pub(crate) fn update(
        &mut self,
        state: &BroadphaseState,
        filtered: bool,
        on: (Level, &Threads),
    ) {
        if !self.is_dirty {
            return;
        }
        let Self { tree, is_dirty, builder, boxes } = self;
        boxes.resize(state.movers.len(), BvhItem::default());
        par::fill_chunks(on.1, boxes, CHUNK, &|start, boxes| {
            for (row, item) in (start..).zip(boxes) {
                *item = item_of_row(state, row);
            }
        });
        tree.build(boxes, builder, on);
        if filtered {
            tree.set_filters(|slot| state.slot(slot as usize).filter.word());
        }
        *is_dirty = false;
    }

    /// Whether the tree contains exactly the movers, or is dirty.
    pub(crate) fn is_sound(&self, state: &BroadphaseState) -> bool {
        let mut sound = self.is_dirty || self.tree.len() == state.movers.len();
        self.tree.for_each(|at, index| {
            if sound && !self.is_dirty {
                let row = state.slots.all.get(index as usize).map(|slot| slot.row_or_next as usize);
                let row = row.filter(|&row| row < state.movers.len());
                let is_same = |row| {
                    let items = [self.tree.get(at), item_of_row(state, row)];
                    let [of_tree, of_state] = items.each_ref().map_each(bytemuck::bytes_of);
                    of_tree == of_state
                };
                sound = row.is_some_and(is_same);
            }
        });
        sound
    }
}

/// A row of the movers as an item of the tree, with the slot as child id.
fn item_of_row(state: &BroadphaseState, row: usize) -> BvhItem {
    let movers = &state.movers;
    let [x0, y0, z0, x1, y1, z1, ..] = movers.columns.each_ref().map_each(|column| column[row]);
    let aabb = Aabb { min: [x0, y0, z0], max: [x1, y1, z1] };
    BvhItem { aabb, id: movers.ids[row].index(), filter: movers.filters[row].word() }
}
