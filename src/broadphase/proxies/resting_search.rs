//! Finds the pairs of two resting proxies that begin, if the caller's table of kinds has such pairs.
//!
//! The resting proxies that have changed or were renewed since the last update are searched for in the forests of the kinds that their
//! own kind pairs with. A pair begins if it is not cached. It then rests at once.

use super::Broadphase;
use super::id::{ProxyId, ProxyPair};
use super::movers::borrow_columns;
use super::pair_cache::partition::AcceptPair;
use super::pair_rules::PairRules;
use super::proxy::ProxyKind;
use super::resting::{RestingSearch, RestingTrees};
use crate::broadphase::{FindError, PairInput};
use crate::columns::Row as _;
use crate::geom::SweptPair;
use crate::par;
use alloc::vec::Vec;

impl Broadphase {
    /// Finds the pairs of two resting proxies that begin in this update. The resting pairs of which a proxy has changed are
    /// sorted.
    pub(crate) fn find_resting(&mut self, accept: Option<AcceptPair<'_>>) -> Result<(), FindError> {
        let Self { exec, state, trees, resting_search, .. } = self;
        let RestingSearch { begun, found, slots, columns, filters, searched } = resting_search;
        begun.clear();
        *found = 0;
        if !state.kinds.has_resting_pairs() {
            return Ok(());
        }
        let is_resting = |&index: &u32| state.slot(index as usize).container().is_resting();
        let renewed = state.renewed.iter().map(|id| id.index());
        let renewed = renewed.filter(|&index| !state.slot(index as usize).has_changed());
        slots.clear();
        slots.extend(state.changed.iter().copied().chain(renewed).filter(is_resting));
        if slots.is_empty() {
            return Ok(());
        }
        trees.set_exec(exec);
        trees.update(state, self.filtered);
        columns.iter_mut().for_each(Vec::clear);
        filters.clear();
        for &slot in &*slots {
            let row = state.compared_box(slot as usize).to_row();
            columns.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
            filters.push(state.slot(slot as usize).filter);
        }
        let input = PairInput::new(borrow_columns(columns)).filtered(filters);
        let (inexact_filters, owned) = (self.inexact_filters, self.owned);
        let rules = PairRules { slots: &state.slots.all, inexact_filters, owned };
        let of_rows = |[row, slot]: [u32; 2]| rules.allow([slots[row as usize], slot]);
        let owner_of_row = |row: u32| rules.owner(slots[row as usize]);
        let owner = |slot| rules.owner(slot);
        let input = input.tested(rules.of_forest(&of_rows, [&owner_of_row, &owner]));
        let RestingTrees { fixed, sleeping, .. } = trees;
        for (forest, kind) in [(fixed, ProxyKind::Fixed), (sleeping, ProxyKind::Sleeping)] {
            searched.clear();
            let pairs = |&slot: &u32| state.kinds.pairs(state.slot(slot as usize).kind, kind);
            searched.extend(slots.iter().map(pairs));
            if !searched.contains(&true) {
                continue;
            }
            // Resting pairs are not counted.
            forest.exec.pairs_max = usize::MAX;
            for SweptPair { a, b: other, .. } in &forest.swept_pairs(input.moving(searched))? {
                let slot = slots[a as usize];
                if slot != other {
                    let id = |slot: u32| state.slots.id(slot as usize);
                    begun.push(ProxyPair::new(id(slot), id(other)));
                }
            }
        }
        *found = begun.len();
        par::sort::<4>(bytemuck::cast_slice_mut(begun));
        // A pair of two changed proxies is found twice.
        begun.dedup();
        let is_renewed = |id: ProxyId| state.slot(id.index() as usize).is_renewed();
        begun.retain(|pair| {
            is_renewed(pair.a)
                || is_renewed(pair.b)
                || !state.has_touching_or_resting(*pair)
                    && state.dirty_pairs.binary_search(pair).is_err()
        });
        begun.retain(|&pair| accept.is_none_or(|accept| accept(pair)));
        Ok(())
    }
}
