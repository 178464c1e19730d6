//! Which pairs filters and owners allow.

use super::slots::{Slot, owners_allow};
use crate::broadphase::pairs::limit::{OwnerOf, PairTest, PairTests};

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
    /// The owner of a slot; 0 if there is no such slot, as after the restoration of a snapshot.
    pub(crate) fn owner(&self, slot: u32) -> u32 {
        self.slots.get(slot as usize).map_or(0, |slot| slot.owner)
    }

    /// Whether the owners of two slots allow the pair.
    pub(crate) fn owners_allow(&self, slots: [u32; 2]) -> bool {
        let [a, b] = slots.map(|slot| self.owner(slot));
        owners_allow(a, b)
    }

    /// Whether the filters and the owners of two slots allow the pair.
    pub(crate) fn allow(&self, slots: [u32; 2]) -> bool {
        let [a, b] = slots.map(|slot| &self.slots[slot as usize]);
        a.filter.allows(b.filter) && owners_allow(a.owner, b.owner)
    }

    /// The tests of a search among movers, in which it is known whether the filter words are exact.
    pub(crate) fn of_movers<'t>(
        &self,
        owner: OwnerOf<'t>,
        owners: PairTest<'t>,
        all: PairTest<'t>,
    ) -> PairTests<'t> {
        let owned = self.owned;
        PairTests {
            of_exact: owned.then_some(owners),
            of_inexact: all,
            owner: owned.then_some(owner),
            forest_owner: None,
        }
    }

    /// The tests of a search in a forest, which has only words. The owners are those of the rows of movers, and of slots.
    pub(crate) fn of_forest<'t>(
        &self,
        all: PairTest<'t>,
        [of_row, of_slot]: [OwnerOf<'t>; 2],
    ) -> PairTests<'t> {
        let is_tested = self.owned || self.inexact_filters;
        let if_owned = |owner| self.owned.then_some(owner);
        PairTests {
            of_exact: is_tested.then_some(all),
            of_inexact: all,
            owner: if_owned(of_row),
            forest_owner: if_owned(of_slot),
        }
    }
}
