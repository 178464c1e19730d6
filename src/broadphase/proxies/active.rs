//! The proxies whose pairs an update searches for, if they are few.
//!
//! These are the *active* movers, which are all movers that are not settled, and the resting proxies that have changed
//! since the last update. Removed and disabled proxies, which have no box but whose pairs end, are listed after them.

use super::movers::{CHANGED, MoverStore, SETTLED, borrow_columns};
use super::proxy::ProxyKind;
use super::resting::RestingTrees;
use super::slots::{Container, NONE};
use super::state::BroadphaseState;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::columns::{MovingBoxColumns, Row as _, impl_memory};
use crate::geom::{Filter, MovingBox};
use alloc::vec::Vec;

/// The active movers count as few if they are at most one of this many movers.
const ACTIVE_SHARE: usize = 4;

/// The bytes of eight settled movers.
const ALL_SETTLED: u64 = u64::from_ne_bytes([SETTLED; 8]);

/// The proxies to search for. Lists are by position in the search.
#[derive(Debug, Default)]
pub(crate) struct ActiveProxies {
    /// Rows of the active movers: those whose compared box does not move, then the other dynamic ones, then the others.
    rows: Vec<u32>,
    /// Rows of the active movers whose compared box moves: dynamic and kinematic ones.
    moving: [Vec<u32>; 2],
    /// The status of `rows` before the update; empty after it.
    status: Vec<u8>,
    /// How many of the movers do not move.
    pub(crate) still: usize,
    /// The position of the first kinematic mover that moves.
    pub(crate) kinematic_start: usize,
    /// How many movers there are.
    pub(crate) movers: usize,
    columns: [Vec<f32>; 9],
    pub(crate) filters: Vec<Filter>,
    pub(crate) kinds: Vec<ProxyKind>,
    /// Whether each proxy has changed since the last update.
    pub(crate) changed: Vec<bool>,
    pub(crate) slots: Vec<u32>,
    /// The position in the search of each slot, or [`NONE`].
    pub(crate) positions: Vec<u32>,
}

impl_memory!(ActiveProxies { rows, moving, status, columns, filters, kinds, changed, slots, positions; without still, kinematic_start, movers });

impl ActiveProxies {
    /// Chooses the movers to search for. Returns whether they are few.
    pub(crate) fn choose(&mut self, movers: &MoverStore) -> bool {
        let most = movers.len() / ACTIVE_SHARE;
        self.rows.clear();
        self.moving.iter_mut().for_each(Vec::clear);
        if movers.count_active() > most {
            return false;
        }
        for (block, status) in movers.status.chunks(8).enumerate() {
            if <[u8; 8]>::try_from(status).is_ok_and(|of| u64::from_ne_bytes(of) == ALL_SETTLED) {
                continue;
            }
            for (row, &status) in (8 * block..).zip(status) {
                if status != SETTLED {
                    let [dynamic, kinematic] = &mut self.moving;
                    let rows = match movers.dynamic[row] {
                        _ if movers.is_still(row) => &mut self.rows,
                        true => dynamic,
                        false => kinematic,
                    };
                    rows.push(row as u32);
                }
            }
        }
        true
    }

    /// Lists the proxies to search for, and settles movers whose compared box does not move. Marks the stale boxes of the others
    /// in the forests of settled movers.
    pub(crate) fn collect(&mut self, state: &mut BroadphaseState, trees: &mut RestingTrees) {
        self.still = self.rows.len();
        let [dynamic, kinematic] = &mut self.moving;
        self.rows.append(dynamic);
        self.kinematic_start = self.rows.len();
        self.rows.append(kinematic);
        self.movers = self.rows.len();
        self.status.clear();
        self.status.extend(self.rows.iter().map(|&row| state.movers.status[row as usize]));
        for &row in &self.rows[..self.still] {
            state.movers.status[row as usize] = SETTLED | CHANGED;
            trees.mark_settled(state.movers.ids[row as usize].index() as usize);
        }
        for &row in &self.rows[self.still..] {
            let index = state.movers.ids[row as usize].index() as usize;
            if trees.has_settled(index) {
                trees.mark_settled(index);
            }
        }
        let state = &*state;
        self.columns.iter_mut().for_each(Vec::clear);
        self.filters.clear();
        self.kinds.clear();
        self.changed.clear();
        self.slots.clear();
        reserve_for(&mut self.positions, state.slots.all.len());
        self.positions.resize(state.slots.all.len().max(self.positions.len()), NONE);
        for k in 0..self.movers {
            let row = self.rows[k] as usize;
            let index = state.movers.ids[row].index() as usize;
            let changed = self.status[k] & CHANGED != 0 || state.slot(index).has_changed();
            self.push(index, state, changed);
        }
        let is_resting = |&&index: &&u32| state.slot(index as usize).container().is_resting();
        for &index in state.changed.iter().filter(is_resting) {
            self.push(index as usize, state, true);
        }
        for &index in &state.changed {
            if self.positions[index as usize] == NONE
                && state.slot(index as usize).container() == Container::Nowhere
            {
                self.add(index, true);
            }
        }
    }

    fn push(&mut self, index: usize, state: &BroadphaseState, changed: bool) {
        let moving: MovingBox = state.compared_box(index);
        for (column, number) in self.columns.iter_mut().zip(moving.to_row()) {
            column.push(number);
        }
        let slot = state.slot(index);
        self.filters.push(slot.filter);
        self.kinds.push(slot.kind);
        self.add(index as u32, changed);
    }

    fn add(&mut self, index: u32, changed: bool) {
        self.positions[index as usize] = self.slots.len() as u32;
        self.slots.push(index);
        self.changed.push(changed);
    }

    /// The boxes of the proxies that have one.
    pub(crate) fn boxes(&self) -> MovingBoxColumns<'_> {
        borrow_columns(&self.columns)
    }

    /// Whether the proxy at a position moves, so that no forest stores it.
    pub(crate) fn moves(&self, at: usize) -> bool {
        (self.still..self.movers).contains(&at)
    }

    /// Whether there are two movers that move, whose pair no forest finds.
    pub(crate) fn searches_among(&self) -> bool {
        self.movers - self.still >= 2
    }

    /// Stores in the status of the movers that they have been searched for.
    pub(crate) fn finish(&mut self, movers: &mut MoverStore) {
        for (k, &row) in self.rows.iter().enumerate() {
            movers.status[row as usize] = if k < self.still { SETTLED } else { 0 };
        }
        self.status.clear();
        self.forget_positions();
    }

    /// Restores the status of the movers, after an error or a panic of the caller's function. Has no effect except between
    /// [`ActiveProxies::collect`] and [`ActiveProxies::finish`].
    pub(crate) fn cancel(&mut self, movers: &mut MoverStore) {
        for (&row, &status) in self.rows.iter().zip(&self.status) {
            movers.status[row as usize] = status;
        }
        self.status.clear();
        self.forget_positions();
    }

    fn forget_positions(&mut self) {
        for &slot in &self.slots {
            self.positions[slot as usize] = NONE;
        }
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

    /// The slots of the active movers, or `None` if they are too many, and the changed slots.
    fn active(broadphase: &Broadphase) -> (Option<Vec<u32>>, Vec<u32>) {
        let (movers, mut search) = (&broadphase.state.movers, ActiveProxies::default());
        let few = search.choose(movers);
        let rows = search.rows.iter().chain(search.moving.iter().flatten());
        let slots = rows.map(|&row| movers.ids[row as usize].index()).collect();
        (few.then_some(slots), broadphase.state.changed.clone())
    }

    /// Goal: of a row of boxes at rest, of which neighbours touch, only proxies that changed are
    /// searched for. Method: the lists of active movers and of changed slots after each kind of call, and the events of
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
        assert_eq!(active(&broadphase), (None, (0..64).collect()));
        assert_eq!(broadphase.update().expect("no limit").begun().len(), 63);
        // The first update saw all of them as new.
        assert_eq!(active(&broadphase), (None, Vec::new()));
        assert_eq!(broadphase.update().expect("no limit").touching().len(), 63);
        let nothing = (Some(Vec::new()), Vec::new());
        assert_eq!(active(&broadphase), nothing);

        // Inside its fat AABB; then outside of it.
        broadphase.set(ids[3], cube(3.0625), [0.0; 3]).expect("the box is valid");
        assert_eq!(active(&broadphase), nothing);
        let changes = broadphase.update().expect("no limit");
        assert_eq!((changes.touching().len(), changes.begun().len()), (63, 0));
        broadphase.set(ids[3], cube(3.2), [0.0; 3]).expect("the box is valid");
        assert_eq!(active(&broadphase), (Some(Vec::from([3])), Vec::new()));
        assert_eq!(broadphase.update().expect("no limit").touching().len(), 63);
        assert_eq!(active(&broadphase), nothing);
        broadphase.set(ids[3], cube(30.5), [0.0; 3]).expect("the box is valid");
        let changes = broadphase.update().expect("no limit");
        assert_eq!((changes.begun().len(), changes.ended().len()), (4, 2));
        assert_eq!(active(&broadphase), nothing);

        // The cached pairs of a renewed proxy are announced without a search.
        for id in [ids[20], ids[21]] {
            broadphase.renew(id).expect("the id is valid");
        }
        assert_eq!(active(&broadphase), nothing);
        let changes = broadphase.update().expect("no limit");
        let begun: Vec<_> = changes.begun().iter().map(|of| [of.a.index(), of.b.index()]).collect();
        assert_eq!(begun, [[19, 20], [20, 21], [21, 22]]);
        assert_eq!((changes.ended().len(), active(&broadphase)), (0, nothing.clone()));

        // A box that moves is searched for in each update.
        broadphase.set_margin(ids[4], 0.0).expect("the id is valid");
        broadphase.set(ids[4], cube(4.0), [0.5, 0.0, 0.0]).expect("the box is valid");
        broadphase.update().expect("no limit");
        assert_eq!(active(&broadphase), (Some(Vec::from([4])), Vec::new()));
        broadphase.set(ids[4], cube(4.0), [0.0; 3]).expect("the box is valid");
        broadphase.update().expect("no limit");
        assert_eq!(active(&broadphase), nothing);

        // A fixed proxy with another filter, and a removed mover.
        broadphase.set_filter(ids[7], Filter::NONE).expect("the id is valid");
        broadphase.remove(ids[20]).expect("the id is valid");
        assert_eq!(active(&broadphase), (Some(Vec::new()), Vec::from([7, 20])));
        assert_eq!(broadphase.update().expect("no limit").ended().len(), 4);
        broadphase.validate().expect("no invariant is violated");
    }
}
