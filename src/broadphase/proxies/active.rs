//! The proxies whose pairs an update searches for, if they are few.
//!
//! These are the *active* movers, which are all movers that are not settled, and the resting proxies that have changed
//! since the last update. A pair of two other proxies is as it was in the last update, so it is kept and not found again.

use super::id::ProxyId;
use super::movers::{SETTLED, borrow_columns};
use super::state::BroadphaseState;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::columns::{MovingBoxColumns, Row, impl_memory};
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

impl_memory!(ActiveProxies { columns, ids, filters, dynamic, searched; without movers });

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
}

#[cfg(test)]
mod tests {
    use super::ActiveProxies;
    use crate::broadphase::proxies::{Broadphase, Proxy, ProxyId};
    use crate::geom::{Aabb, Filter};
    use alloc::vec::Vec;

    fn cube(x: f32) -> Aabb {
        Aabb::cube([x, 0.0, 0.0], 0.75).expect("the numbers are small")
    }

    /// The slots of the active proxies, and how many of them are movers.
    fn active(broadphase: &Broadphase) -> (Vec<u32>, usize) {
        let mut active = ActiveProxies::default();
        active.collect(&broadphase.state);
        (active.ids.iter().map(|id| id.index()).collect(), active.movers)
    }

    /// Goal: of a row of boxes at rest, of which neighbours touch, only proxies that changed are
    /// searched for. Method: the list of active proxies after each kind of call, and the events of
    /// the update that follows.
    #[test]
    fn proxies_that_did_not_change_are_not_searched_for() {
        let mut broadphase = Broadphase::new();
        let mut ids: Vec<ProxyId> = Vec::new();
        for k in 0..64 {
            let proxy = if k % 8 == 7 { Proxy::fixed() } else { Proxy::dynamic() };
            let proxy = proxy.with_margin(0.125);
            ids.push(broadphase.insert(cube(k as f32), proxy).expect("the box is valid"));
        }
        assert_eq!(
            active(&broadphase),
            ((0..64).filter(|k| k % 8 < 7).chain(7..8).chain((15..64).step_by(8)).collect(), 56)
        );
        assert_eq!(broadphase.update().expect("no limit").begun().len(), 63);
        // The first update saw all of them as new.
        assert_eq!(active(&broadphase).1, 56);
        assert_eq!(broadphase.update().expect("no limit").touching().len(), 63);
        assert_eq!(active(&broadphase), (Vec::new(), 0));

        // Inside its fat AABB; then outside of it.
        broadphase.set(ids[3], cube(3.0625), [0.0; 3]).expect("the box is valid");
        assert_eq!(active(&broadphase), (Vec::new(), 0));
        let changes = broadphase.update().expect("no limit");
        assert_eq!((changes.touching().len(), changes.begun().len()), (63, 0));
        broadphase.set(ids[3], cube(3.2), [0.0; 3]).expect("the box is valid");
        assert_eq!(active(&broadphase), (Vec::from([3]), 1));
        assert_eq!(broadphase.update().expect("no limit").touching().len(), 63);
        broadphase.set(ids[3], cube(30.5), [0.0; 3]).expect("the box is valid");
        let changes = broadphase.update().expect("no limit");
        assert_eq!((changes.begun().len(), changes.ended().len()), (4, 2));
        // Two ticks later it is settled.
        broadphase.update().expect("no limit");
        assert_eq!(active(&broadphase), (Vec::new(), 0));

        // A fixed proxy with another filter, and a removed mover.
        broadphase.set_filter(ids[7], Filter::NONE).expect("the id is valid");
        broadphase.remove(ids[20]).expect("the id is valid");
        assert_eq!(active(&broadphase), (Vec::from([7]), 0));
        assert_eq!(broadphase.update().expect("no limit").ended().len(), 4);
        broadphase.validate().expect("no invariant is violated");
    }
}
