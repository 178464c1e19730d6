//! The memory of ticks over a broadphase: a row for each proxy in a pair.

use super::impact::Impact;
use super::scene::{BodyFlags, ConvexBody, GeometryBody};
use super::stages::unused::PlacesNeeded;
use crate::broadphase::pairs::runs::shrink_above;
use crate::broadphase::{ProxyId, ProxyPair};
use crate::columns::{MovingBoxStore, impl_memory};
use crate::geom::{Invalid, SweptPair};
use crate::par;
use alloc::vec::Vec;

/// Scratch memory of ticks over a broadphase, and their results.
#[derive(Debug, Default)]
pub(super) struct ProxyRows {
    pub(super) ids: Vec<ProxyId>,
    /// The row of each slot; only valid for proxies in `ids`.
    pub(super) rows: Vec<u32>,
    pub(super) boxes: MovingBoxStore,
    pub(super) flags: Vec<BodyFlags>,
    pub(super) pairs: Vec<SweptPair>,
    /// Always empty; it keeps its capacity.
    pub(super) convex: Vec<ConvexBody<'static>>,
    /// Always empty; it keeps its capacity.
    pub(super) geometries: Vec<GeometryBody<'static>>,
    pub(super) rejected: Vec<(ProxyId, Invalid)>,
    pub(super) impacts: Vec<Impact<ProxyPair>>,
    pub(super) sensed: Vec<Impact<ProxyPair>>,
    /// How many pairs, impacts and proxies the last ticks had.
    pairs_needed: PlacesNeeded,
    impacts_needed: PlacesNeeded,
    rows_needed: PlacesNeeded,
    /// How many slots the broadphases of the last ticks had.
    slots_needed: PlacesNeeded,
}

impl_memory!(ProxyRows {
    ids,
    rows,
    boxes,
    flags,
    pairs,
    convex,
    geometries,
    rejected,
    impacts,
    sensed;
    without pairs_needed, impacts_needed, rows_needed, slots_needed
});

impl ProxyRows {
    /// Assigns rows to the proxies in pairs, in the order of ids.
    pub(super) fn assign(&mut self, pairs: impl Iterator<Item = ProxyPair>) {
        let Self { ids, rows, .. } = self;
        ids.clear();
        for id in pairs.flat_map(|ProxyPair { a, b }| [a, b]) {
            let slot = id.index() as usize;
            if slot >= rows.len() {
                rows.resize(slot + 1, 0);
            }
            // An id is in the list exactly if the row of its slot leads to it.
            let listed = ids.get(rows[slot] as usize) == Some(&id);
            if !listed {
                rows[slot] = ids.len() as u32;
                ids.push(id);
            }
        }
        par::sort::<2>(bytemuck::cast_slice_mut(ids));
        for (row, id) in (0..).zip(&*ids) {
            rows[id.index() as usize] = row;
        }
    }

    /// Frees memory that neither this tick nor those before need. The broadphase has this many slots.
    pub(super) fn free_unused(&mut self, slots: usize) {
        let most = self.slots_needed.record(slots);
        if self.rows.capacity() > most {
            self.rows.truncate(slots);
            self.rows.shrink_to_fit();
        }
        let most = self.pairs_needed.record(self.pairs.len());
        shrink_above(&mut self.pairs, most);
        let most = self.impacts_needed.record(self.impacts.len().max(self.sensed.len()));
        shrink_above(&mut self.impacts, most);
        shrink_above(&mut self.sensed, most);
        let most = self.rows_needed.record(self.ids.len());
        shrink_above(&mut self.ids, most);
        shrink_above(&mut self.flags, most);
        shrink_above(&mut self.rejected, most);
        shrink_above(&mut self.convex, most);
        shrink_above(&mut self.geometries, most);
        // The boxes are read no more.
        if self.boxes.capacity() > most {
            self.boxes = MovingBoxStore::default();
        }
    }
}
