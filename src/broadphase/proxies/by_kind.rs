//! Finds the pairs of movers kind by kind, for a kind table for which a single search would also find pairs that the table excludes.
//!
//! The movers are copied in the order of their kinds. Then up to three searches follow, as the table requires: of dynamic movers with each other, of
//! kinematic movers with each other, and of dynamic with kinematic ones.

use super::movers::borrow_columns;
use super::pair_cache::partition::{PairFilter, PairSource, Partitions};
use super::pair_rules::PairRules;
use super::state::BroadphaseState;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::pairs::runs::{PairRun, runs_of};
use crate::broadphase::{FindError, PairFinder, PairInput};
use crate::columns::{Row as _, impl_memory};
use crate::geom::{Filter, SweptPair};
use alloc::vec::Vec;
use core::slice;

/// The movers by kind, and their pairs.
#[derive(Debug, Default)]
pub(crate) struct MoversByKind {
    /// The compared boxes.
    columns: [Vec<f32>; 9],
    filters: Vec<Filter>,
    slots: Vec<u32>,
    /// How many of the movers are dynamic. They are the first.
    dynamic: usize,
    pairs: PairRun<SweptPair>,
    /// Scratch memory of the partitioning.
    partitioned: Vec<SweptPair>,
}

impl_memory!(MoversByKind { columns, filters, slots, pairs, partitioned; without dynamic });

impl MoversByKind {
    /// Finds the pairs of the `searched` kinds ([`MoverSearches::ByKind`](super::kinds::MoverSearches::ByKind)), filters and
    /// partitions them. Returns them as one run, and how many were found.
    pub(crate) fn find(
        &mut self,
        (state, filtered, rules): (&BroadphaseState, bool, PairRules<'_>),
        searched: [bool; 3],
        finder: &mut PairFinder,
        (pair_filter, partitions): (&PairFilter<'_>, Partitions),
    ) -> Result<(&[PairRun<SweptPair>], usize), FindError> {
        if searched != [false; 3] {
            self.copy(state);
        }
        let Self { columns, filters, slots, dynamic, pairs, partitioned } = self;
        let all = PairInput::new(borrow_columns(columns)).labelled(slots);
        let all = if filtered { all.filtered(filters) } else { all };
        pairs.pairs.clear();
        let mut count = 0;
        for (k, [a, b]) in [[0, 0], [0, 1], [1, 1]].into_iter().enumerate() {
            if !searched[k] {
                continue;
            }
            let starts = [a, b].map(|set| if set == 0 { 0 } else { *dynamic });
            let slots = &*slots;
            let of_rows =
                |[x, y]: [u32; 2]| [slots[starts[0] + x as usize], slots[starts[1] + y as usize]];
            let owner = |row: u32| rules.owner(slots[starts[0] + row as usize]);
            let owners = |rows| rules.owners_allow(of_rows(rows));
            let of_all = |rows| rules.allow(of_rows(rows));
            let all = all.tested(rules.of_movers(&owner, &owners, &of_all));
            let [a, b] = [a, b].map(|set| match set {
                0 => all.slice(0..*dynamic),
                _ => all.slice(*dynamic..all.len()),
            });
            let found =
                if k == 1 { finder.swept_pairs_between(a, b) } else { finder.swept_pairs(a) };
            let (runs, n) = runs_of(Some(found))?;
            count = usize::saturating_add(count, n);
            for run in runs {
                let start = pairs.pairs.len();
                pairs.pairs.append(run.pairs.as_slice());
                for pair in &mut pairs.pairs.as_mut_slice()[start..] {
                    (pair.a, pair.b) = (pair.a.min(pair.b), pair.a.max(pair.b));
                }
            }
        }
        pairs.pairs.reserve_spare(0);
        pair_filter.filter_and_partition(PairSource::Slots, partitions, pairs, partitioned);
        Ok((slice::from_ref(pairs), count))
    }

    /// Frees the lists that have more than `most` places for pairs.
    pub(crate) fn free_above(&mut self, most: usize) {
        if self.partitioned.capacity() > most {
            self.partitioned = Vec::new();
        }
        if self.pairs.pairs.capacity() > most {
            self.pairs = PairRun::default();
        }
    }

    /// Copies the movers, the dynamic ones first.
    fn copy(&mut self, state: &BroadphaseState) {
        let movers = &state.movers;
        let Self { columns, filters, slots, dynamic, .. } = self;
        for column in &mut *columns {
            column.clear();
            reserve_for(column, movers.len());
        }
        filters.clear();
        slots.clear();
        reserve_for(filters, movers.len());
        reserve_for(slots, movers.len());
        for kind in [true, false] {
            for row in (0..movers.len()).filter(|&row| movers.dynamic[row] == kind) {
                let slot = movers.ids[row].index();
                let numbers = state.compared_box(slot as usize).to_row();
                columns.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
                filters.push(movers.filters[row]);
                slots.push(slot);
            }
            if kind {
                *dynamic = slots.len();
            }
        }
    }
}
