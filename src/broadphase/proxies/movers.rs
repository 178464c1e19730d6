//! Dense columns of the moving proxies.
//!
//! There is one row for each enabled dynamic or kinematic proxy, in the layout that the pair finder
//! reads. When a row is removed, the last row takes its place. The boxes are the true ones; when
//! the pair finder needs the fat AABBs of movers with a margin, an update writes them into a copy
//! of the columns. Each row has a status: whether it has changed since the last update, and whether
//! it is settled.

use super::id::ProxyId;
use super::slots::Slot;
use crate::broadphase::pairs::buffer::reserve_total;
use crate::columns::{MovingBoxColumns, Row, impl_memory};
use crate::geom::{Aabb, Filter, MapEach, MovingBox};
use alloc::vec::Vec;
use core::ops::Range;

/// Bit of a mover's status: a call has changed the compared box or the description since the last
/// update.
pub(crate) const CHANGED: u8 = 1;
/// Bit of a mover's status: the compared box does not move, is stored in a forest of settled
/// movers, and has not changed since.
pub(crate) const SETTLED: u8 = 2;

/// Stands for the fat AABB of a mover without a margin. It contains every path.
pub(crate) const UNBOUNDED: Aabb = Aabb { min: [-f32::MAX; 3], max: [f32::MAX; 3] };

/// The columns of the moving proxies.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoverStore {
    /// Minimum corners, maximum corners, displacements.
    pub(crate) columns: [Vec<f32>; 9],
    /// The fat AABBs: minimum corners, maximum corners. [`UNBOUNDED`] for rows without a margin.
    pub(crate) fat: [Vec<f32>; 6],
    pub(crate) ids: Vec<ProxyId>,
    pub(crate) owners: Vec<u32>,
    pub(crate) filters: Vec<Filter>,
    /// Whether each row is dynamic. By the default kind table, two kinematic movers do not pair.
    pub(crate) dynamic: Vec<bool>,
    /// The bits [`CHANGED`] and [`SETTLED`] of each row. Both are set only during an update.
    pub(crate) status: Vec<u8>,
}

impl_memory!(MoverStore { columns, fat, ids, owners, filters, dynamic, status });

/// Borrows the columns as the pair finder reads them.
pub(crate) fn borrow_columns(columns: &[Vec<f32>; 9]) -> MovingBoxColumns<'_> {
    MovingBoxColumns::from_columns(columns.each_ref().map_each(|column| &column[..]))
        .expect("the columns grow together")
}

/// A mutable range of mover rows: the boxes and their status.
#[derive(Debug, Default)]
pub(crate) struct MoverRowsMut<'a> {
    pub(crate) columns: [&'a mut [f32]; 9],
    /// Empty if no mover has a margin.
    pub(crate) fat: [&'a [f32]; 6],
    pub(crate) status: &'a mut [u8],
}

impl MoverRowsMut<'_> {
    /// Removes the first `rows` rows and returns them.
    pub(crate) fn split_off(&mut self, rows: usize) -> Self {
        let mut part = Self::default();
        for (part, rest) in part.columns.iter_mut().zip(&mut self.columns) {
            *part = rest.split_off_mut(..rows).unwrap_or_default();
        }
        for (part, rest) in part.fat.iter_mut().zip(&mut self.fat) {
            *part = rest.split_off(..rows).unwrap_or_default();
        }
        part.status = self.status.split_off_mut(..rows).unwrap_or_default();
        part
    }
}

impl MoverStore {
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn boxes(&self) -> MovingBoxColumns<'_> {
        borrow_columns(&self.columns)
    }

    /// Rows to which boxes are copied. `with_fat` is true if any row has a margin.
    pub(crate) fn rows_mut(&mut self, rows: Range<usize>, with_fat: bool) -> MoverRowsMut<'_> {
        let Self { columns, fat, status, .. } = self;
        let mut part = MoverRowsMut { status: &mut status[rows.clone()], ..Default::default() };
        for (part, column) in part.columns.iter_mut().zip(columns) {
            *part = &mut column[rows.clone()];
        }
        for (part, column) in part.fat.iter_mut().zip(fat).filter(|_| with_fat) {
            *part = &column[rows.clone()];
        }
        part
    }

    pub(crate) fn get(&self, row: usize) -> MovingBox {
        MovingBox::from_row(self.columns.each_ref().map_each(|column| column[row]))
    }

    pub(crate) fn set(&mut self, row: usize, moving: MovingBox) {
        for (column, number) in self.columns.iter_mut().zip(moving.to_row()) {
            column[row] = number;
        }
    }

    /// The fat AABB of a row, or [`UNBOUNDED`].
    pub(crate) fn fat_aabb(&self, row: usize) -> Aabb {
        Aabb::from_row(self.fat.each_ref().map_each(|column| column[row]))
    }

    pub(crate) fn set_fat_aabb(&mut self, row: usize, fat_aabb: Aabb) {
        for (column, number) in self.fat.iter_mut().zip(fat_aabb.to_row()) {
            column[row] = number;
        }
    }

    /// Whether a row has a margin.
    pub(crate) fn is_fat(&self, row: usize) -> bool {
        self.fat[0][row] > -f32::MAX
    }

    /// Appends a row and returns its index.
    pub(crate) fn push(
        &mut self,
        id: ProxyId,
        slot: &Slot,
        moving: MovingBox,
        fat_aabb: Aabb,
    ) -> u32 {
        for (column, number) in self.columns.iter_mut().zip(moving.to_row()) {
            column.push(number);
        }
        for (column, number) in self.fat.iter_mut().zip(fat_aabb.to_row()) {
            column.push(number);
        }
        self.ids.push(id);
        self.owners.push(slot.owner);
        self.filters.push(slot.filter);
        self.dynamic.push(is_dynamic(slot));
        self.status.push(CHANGED);
        self.len() as u32 - 1
    }

    /// Whether the forest of settled movers stores the box of a row.
    pub(crate) fn is_settled(&self, row: usize) -> bool {
        self.status[row] & SETTLED != 0
    }

    /// The number of rows with such a status.
    fn count(&self, has: impl Fn(u8) -> bool) -> usize {
        let mut rows = 0;
        // Blocks of less than 256, so that lanes count in bytes.
        for block in self.status.chunks(128) {
            let mut count = 0;
            for &status in block {
                count += u8::from(has(status));
            }
            rows += usize::from(count);
        }
        rows
    }

    /// The number of rows that are not settled.
    pub(crate) fn count_active(&self) -> usize {
        self.count(|status| status != SETTLED)
    }

    /// Whether a row is not settled.
    pub(crate) fn has_active(&self) -> bool {
        // Blocks, because a search that may stop at each row is not done in lanes.
        let has = |block: &[u8]| block.iter().fold(0, |any, &status| any | (status ^ SETTLED)) != 0;
        self.status.chunks(256).any(has)
    }

    /// Whether all rows are dynamic.
    pub(crate) fn all_dynamic(&self) -> bool {
        self.dynamic.chunks(256).all(|block| block.iter().fold(true, |all, &one| all & one))
    }

    /// Makes all rows that are not settled unchanged.
    pub(crate) fn forget_changes(&mut self) {
        for status in &mut self.status {
            *status = if *status == SETTLED { SETTLED } else { 0 };
        }
    }

    /// The number of rows that have changed since the last update.
    pub(crate) fn count_changed(&self) -> usize {
        self.count(|status| status & CHANGED != 0)
    }

    /// Whether the displacement of a row is zero.
    pub(crate) fn has_no_delta(&self, row: usize) -> bool {
        self.columns[6..].iter().all(|column| column[row] == 0.0)
    }

    /// Whether the compared box of a row does not move.
    pub(crate) fn is_still(&self, row: usize) -> bool {
        self.is_fat(row) || self.has_no_delta(row)
    }

    /// Updates a row after a change of the description of its proxy. The box is not touched.
    pub(crate) fn describe(&mut self, row: usize, slot: &Slot) {
        self.owners[row] = slot.owner;
        self.filters[row] = slot.filter;
        self.dynamic[row] = is_dynamic(slot);
        self.status[row] = CHANGED;
    }

    /// Removes a row. Returns the id of the proxy that was moved into it, if there is one.
    pub(crate) fn swap_remove(&mut self, row: usize) -> Option<ProxyId> {
        for column in self.columns.iter_mut().chain(&mut self.fat) {
            column.swap_remove(row);
        }
        self.ids.swap_remove(row);
        self.owners.swap_remove(row);
        self.filters.swap_remove(row);
        self.dynamic.swap_remove(row);
        self.status.swap_remove(row);
        self.ids.get(row).copied()
    }

    pub(crate) fn reserve(&mut self, rows: usize) {
        for column in self.columns.iter_mut().chain(&mut self.fat) {
            reserve_total(column, rows);
        }
        reserve_total(&mut self.ids, rows);
        reserve_total(&mut self.owners, rows);
        reserve_total(&mut self.filters, rows);
        reserve_total(&mut self.dynamic, rows);
        reserve_total(&mut self.status, rows);
    }

    pub(crate) fn clear(&mut self) {
        let Self { columns, fat, ids, owners, filters, dynamic, status } = self;
        columns.iter_mut().chain(fat).for_each(Vec::clear);
        ids.clear();
        owners.clear();
        filters.clear();
        dynamic.clear();
        status.clear();
    }
}

fn is_dynamic(slot: &Slot) -> bool {
    slot.kind == super::ProxyKind::Dynamic
}

/// The moving box that stands for a fat AABB: without displacement.
pub(crate) fn without_motion(fat_aabb: Aabb) -> MovingBox {
    MovingBox::from(fat_aabb)
}
