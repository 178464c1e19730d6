//! Which pairs filters and owners allow.

use super::slots::{Slot, owners_allow};
use crate::broadphase::pairs::limit::{PairTest, PairTests};

/// The filters and owners of all slots.
#[derive(Clone, Copy)]
pub(crate) struct PairRules<'a> {
    pub(crate) slots: &'a [Slot],
    /// Whether the word of the filter of any proxy is not exact.
    pub(crate) inexact_filters: bool,
    /// Whether any proxy has an owner.
    pub(crate) owned: bool,
}

impl PairRules<'_> {
    /// Whether the owners of two slots allow the pair.
    pub(crate) fn owners_allow(&self, slots: [u32; 2]) -> bool {
        let [a, b] = slots.map(|slot| self.slots[slot as usize].owner);
        owners_allow(a, b)
    }

    /// Whether the filters and the owners of two slots allow the pair.
    pub(crate) fn allow(&self, slots: [u32; 2]) -> bool {
        let [a, b] = slots.map(|slot| &self.slots[slot as usize]);
        a.filter.allows(b.filter) && owners_allow(a.owner, b.owner)
    }

    /// The tests of a search among movers, which knows whether its words are exact.
    pub(crate) fn of_movers<'t>(&self, owners: PairTest<'t>, all: PairTest<'t>) -> PairTests<'t> {
        PairTests { of_exact: self.owned.then_some(owners), of_inexact: all }
    }

    /// The tests of a search in a forest, which has only words.
    pub(crate) fn of_forest<'t>(&self, all: PairTest<'t>) -> PairTests<'t> {
        let is_tested = self.owned || self.inexact_filters;
        PairTests { of_exact: is_tested.then_some(all), of_inexact: all }
    }
}
