//! The proxies whose pairs an update searches for, if they are few.
//!
//! These are the *active* movers, which are all movers that are not settled, and the resting proxies that have changed
//! since the last update. A pair of two other proxies is as it was in the last update, so it is kept and not found again.

use super::id::ProxyId;
use super::movers::{SETTLED, borrow_columns};
use super::state::BroadphaseState;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::columns::{MovingBoxColumns, Row};
use crate::geom::{Filter, MovingBox};
use alloc::vec::Vec;

/// Copies of the proxies to search for: first the active movers, then the changed resting proxies.
#[derive(Debug, Default)]
pub(crate) struct ActiveProxies {
    columns: [Vec<f32>; 9],
    pub(crate) ids: Vec<ProxyId>,
    pub(crate) filters: Vec<Filter>,
    pub(crate) dynamic: Vec<bool>,
    /// The number of active movers.
    pub(crate) movers: usize,
    /// Not 0 for the slots of these proxies and of removed ones.
    pub(crate) searched: Vec<u8>,
}

impl ActiveProxies {
    /// Replaces the contents by the active movers and the changed resting proxies of `state`.
    pub(crate) fn collect(&mut self, state: &BroadphaseState) {
        self.columns.iter_mut().for_each(Vec::clear);
        self.ids.clear();
        self.filters.clear();
        self.dynamic.clear();
        self.searched.clear();
        reserve_for(&mut self.searched, state.slots.all.len());
        self.searched.resize(state.slots.all.len(), 0);
        let movers = &state.movers;
        for (row, &status) in movers.status.iter().enumerate() {
            if status != SETTLED {
                let index = movers.ids[row].index() as usize;
                self.push(index, state, movers.dynamic[row]);
            }
        }
        self.movers = self.ids.len();
        for &index in &state.changed {
            let index = index as usize;
            self.searched[index] = 1;
            if state.slot(index).container().is_tree() {
                self.push(index, state, true);
            }
        }
    }

    fn push(&mut self, index: usize, state: &BroadphaseState, dynamic: bool) {
        let moving: MovingBox = state.compared_box(index);
        for (column, number) in self.columns.iter_mut().zip(moving.to_row()) {
            column.push(number);
        }
        self.ids.push(state.slots.id(index));
        self.filters.push(state.slot(index).filter);
        self.dynamic.push(dynamic);
        self.searched[index] = 1;
    }

    pub(crate) fn boxes(&self) -> MovingBoxColumns<'_> {
        borrow_columns(&self.columns)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.columns.iter().map(Vec::capacity).sum::<usize>() * size_of::<f32>()
            + self.ids.capacity() * size_of::<ProxyId>()
            + self.filters.capacity() * size_of::<Filter>()
            + self.dynamic.capacity()
            + self.searched.capacity()
    }
}
