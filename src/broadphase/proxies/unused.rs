//! Frees the memory of pairs that the last updates did not need.
//!
//! Each update records how many pairs its lists had. In one of sixteen updates, each list is freed that has many times as many places as
//! any of the last updates needed. So updates that are alike free nothing, and the others hardly take more time.

use super::Broadphase;
use super::needed::UpdateKind;
use crate::broadphase::pairs::runs::{capacity_kept, shrink_above};
use crate::columns::Memory as _;

/// Bytes that are kept of a pair finder that none of the last updates has used, for each element of a list that is kept.
const PLACE_BYTES: usize = 64;
/// Bytes that are kept of it for each mover.
const MOVER_BYTES: usize = 1024;

impl Broadphase {
    /// Records what an update has needed, and frees memory that it and those before did not need.
    pub(super) fn free_unused(&mut self, kind: UpdateKind) {
        let Self {
            state,
            trees,
            finder,
            events,
            full,
            incremental,
            resting_search,
            sorted,
            needed,
            ..
        } = self;
        let (found, searches) = match kind {
            UpdateKind::Full => (full.needed.max(resting_search.found), true),
            UpdateKind::Incremental => {
                let found = incremental.found().max(resting_search.found);
                (found, incremental.active.searches_among())
            }
            // What the searches before have found counted for their updates.
            UpdateKind::Unchanged => {
                resting_search.begun.clear();
                (0, false)
            }
        };
        let cached = state.touching.len() + state.resting.len();
        let pairs = needed.pairs.record(found.max(cached));
        let searches = needed.searches.record(usize::from(searches));
        if !needed.pairs.has_begun() {
            return;
        }
        let most = capacity_kept(pairs.max(needed.reserved));
        full.free_above(most);
        incremental.free_above(most);
        trees.free_above(most);
        state.touching.free_above(most);
        state.resting.compact(most);
        // Pairs that are read again are sorted anew.
        sorted.clear();
        for list in [&mut state.dirty_pairs, &mut resting_search.begun, sorted] {
            shrink_above(list, most);
        }
        if events.capacity() > most {
            events.drop_spare();
        }
        let movers = state.movers.len();
        let of_finder = most.saturating_mul(PLACE_BYTES).saturating_add(MOVER_BYTES * movers);
        finder.free_taken_above(most);
        // A search frees the rest by itself.
        if searches == 0 && finder.bytes() > of_finder {
            finder.shrink_to(movers, needed.reserved);
        }
    }
}
