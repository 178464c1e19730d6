//! Dense columns of the moving proxies.
//!
//! There is one row for each enabled dynamic or kinematic proxy, in the layout that the pair finder
//! reads. When a row is removed, the last row takes its place. The boxes are the true ones; when
//! the pair finder needs the fat AABBs of movers with a margin, an update writes them into a copy
//! of the columns.

use super::id::ProxyId;
use super::slots::Slot;
use crate::columns::{MovingBoxColumns, Row};
use crate::geom::{Aabb, Filter, MapEach, MovingBox};
use alloc::vec::Vec;

/// The columns of the moving proxies.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct MoverStore {
    /// Minimum corners, maximum corners, displacements.
    pub(crate) columns: [Vec<f32>; 9],
    pub(crate) ids: Vec<ProxyId>,
    pub(crate) owners: Vec<u32>,
    pub(crate) filters: Vec<Filter>,
    /// Whether each row is dynamic. Two kinematic movers never pair.
    pub(crate) dynamic: Vec<bool>,
}

/// Borrows the columns as the pair finder reads them.
pub(crate) fn borrow_columns(columns: &[Vec<f32>; 9]) -> MovingBoxColumns<'_> {
    MovingBoxColumns::from_columns(columns.each_ref().map_each(|column| &column[..]))
        .expect("the columns grow together")
}

impl MoverStore {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn boxes(&self) -> MovingBoxColumns<'_> {
        borrow_columns(&self.columns)
    }

    pub(crate) fn get(&self, row: usize) -> MovingBox {
        MovingBox::from_row(self.columns.each_ref().map_each(|column| column[row]))
    }

    pub(crate) fn set(&mut self, row: usize, moving: MovingBox) {
        for (column, number) in self.columns.iter_mut().zip(moving.to_row()) {
            column[row] = number;
        }
    }

    /// Appends a row and returns its index.
    pub(crate) fn push(&mut self, id: ProxyId, slot: &Slot, moving: MovingBox) -> u32 {
        for (column, number) in self.columns.iter_mut().zip(moving.to_row()) {
            column.push(number);
        }
        self.ids.push(id);
        self.owners.push(slot.owner);
        self.filters.push(slot.filter);
        self.dynamic.push(is_dynamic(slot));
        self.len() as u32 - 1
    }

    /// Updates a row after a change of the description of its proxy. The box is not touched.
    pub(crate) fn describe(&mut self, row: usize, slot: &Slot) {
        self.owners[row] = slot.owner;
        self.filters[row] = slot.filter;
        self.dynamic[row] = is_dynamic(slot);
    }

    /// Removes a row. Returns the id of the proxy that was moved into it, if there is one.
    pub(crate) fn swap_remove(&mut self, row: usize) -> Option<ProxyId> {
        for column in &mut self.columns {
            column.swap_remove(row);
        }
        self.ids.swap_remove(row);
        self.owners.swap_remove(row);
        self.filters.swap_remove(row);
        self.dynamic.swap_remove(row);
        self.ids.get(row).copied()
    }

    pub(crate) fn reserve(&mut self, rows: usize) {
        let more = rows.saturating_sub(self.len());
        self.columns.iter_mut().for_each(|column| column.reserve(more));
        self.ids.reserve(more);
        self.owners.reserve(more);
        self.filters.reserve(more);
        self.dynamic.reserve(more);
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.columns.iter_mut().for_each(Vec::shrink_to_fit);
        self.ids.shrink_to_fit();
        self.owners.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.dynamic.shrink_to_fit();
    }

    pub(crate) fn bytes(&self) -> usize {
        let columns: usize = self.columns.iter().map(Vec::capacity).sum();
        columns * size_of::<f32>()
            + self.ids.capacity() * size_of::<ProxyId>()
            + self.owners.capacity() * size_of::<u32>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.dynamic.capacity()
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        let Self { columns, ids, owners, filters, dynamic } = self;
        columns.iter_mut().zip(&other.columns).for_each(|(to, from)| to.clone_from(from));
        ids.clone_from(&other.ids);
        owners.clone_from(&other.owners);
        filters.clone_from(&other.filters);
        dynamic.clone_from(&other.dynamic);
    }
}

fn is_dynamic(slot: &Slot) -> bool {
    slot.kind == super::ProxyKind::Dynamic
}

/// The moving box that stands for a fat AABB: without displacement.
pub(crate) fn without_motion(fat_aabb: Aabb) -> MovingBox {
    MovingBox::from(fat_aabb)
}
