//! Finds the pairs of two resting proxies that begin, if the caller's table of kinds has such pairs.
//!
//! The resting proxies that have changed or were renewed since the last update are searched for in the forests of resting proxies. A pair
//! begins if it is not cached. It then rests at once.

use super::Broadphase;
use super::id::{ProxyId, ProxyPair};
use super::movers::borrow_columns;
use super::pair_cache::partition::AcceptPair;
use super::slots::owners_allow;
use crate::broadphase::{FindError, PairInput, Pairs};

use crate::columns::Row as _;
use crate::geom::{Filter, SweptPair};
use crate::par;
use alloc::vec::Vec;

impl Broadphase {
    /// The pairs of two resting proxies that begin in this update, in order.
    pub(crate) fn find_resting(
        &mut self,
        accept: Option<AcceptPair<'_>>,
    ) -> Result<Vec<ProxyPair>, FindError> {
        let mut begun = Vec::new();
        let Self { exec, state, trees, .. } = self;
        if !state.kinds.has_resting_pairs() {
            return Ok(begun);
        }
        let is_tree = |&index: &u32| state.slot(index as usize).container().is_tree();
        let renewed = state.renewed.iter().map(|id| id.index());
        let renewed = renewed.filter(|&index| !state.slot(index as usize).has_changed());
        let slots: Vec<u32> =
            state.changed.iter().copied().chain(renewed).filter(is_tree).collect();
        if slots.is_empty() {
            return Ok(begun);
        }
        trees.set_exec(exec);
        trees.update(state, self.filtered);
        let rows = slots.iter().map(|&slot| state.compared_box(slot as usize).to_row());
        let rows: Vec<[f32; 9]> = rows.collect();
        let columns = core::array::from_fn(|k| rows.iter().map(|row| row[k]).collect());
        let filters: Vec<Filter> =
            slots.iter().map(|&slot| state.slot(slot as usize).filter).collect();
        let input = PairInput::new(borrow_columns(&columns)).filtered(&filters);
        // Resting pairs are not counted.
        trees.fixed.exec.pairs_max = usize::MAX;
        trees.sleeping.exec.pairs_max = usize::MAX;
        let found = [trees.fixed.swept_pairs(input)?, trees.sleeping.swept_pairs(input)?];
        let pairs = found.iter().flat_map(Pairs::iter);
        for SweptPair { a, b: other, .. } in pairs {
            let slot = slots[a as usize];
            let [mine, stored] = [slot, other].map(|slot| state.slot(slot as usize));
            if slot != other
                && state.kinds.pairs(mine.kind, stored.kind)
                && mine.filter.allows(stored.filter)
                && owners_allow(mine.owner, stored.owner)
            {
                let id = |slot: u32| state.slots.id(slot as usize);
                begun.push(ProxyPair::new(id(slot), id(other)));
            }
        }
        par::sort::<4>(bytemuck::cast_slice_mut(&mut begun));
        // A pair of two changed proxies is found twice.
        begun.dedup();
        let renewed = |id: ProxyId| self.state.slot(id.index() as usize).is_renewed();
        begun.retain(|&ProxyPair { a, b }| renewed(a) || renewed(b) || !self.contains_pair(a, b));
        begun.retain(|&pair| accept.is_none_or(|accept| accept(pair)));
        Ok(begun)
    }
}
