//! Frees the memory of lists that have many times as many places as the last ticks needed.
//!
//! Each list keeps its memory from tick to tick, so that ticks that are alike allocate nothing. What each tick needs is recorded. Lists with far
//! more places than any of the last ticks needed are shrunk to their contents: otherwise one large tick would take its memory for good, and
//! a region with many pairs that moves would leave memory in the list of each run that has had these pairs.

use crate::broadphase::pairs::runs::{RecentMax, capacity_kept, shrink_above};
use alloc::vec::Vec;

/// Greatest number of lists that are kept for each list that the largest of the last ticks needed; [`FEW_KEPT_LEAST`] more are kept.
const FEW_KEPT_MAX: usize = 8;
/// See [`FEW_KEPT_MAX`].
const FEW_KEPT_LEAST: usize = 64;
/// This many places more are kept for each list, if several share what a tick needs.
const KEPT_EACH: usize = 16;

/// How many places of a list, or of several lists together, the last ticks needed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlacesNeeded(RecentMax);

impl PlacesNeeded {
    /// Records what a tick needs. Returns the greatest number of places to keep.
    pub(crate) fn record(&mut self, needed: usize) -> usize {
        capacity_kept(self.0.record(needed))
    }

    /// Records what a tick needs of this many lists together. Returns the greatest number of places to keep.
    pub(crate) fn record_lists(&mut self, lists: usize, needed: usize) -> usize {
        self.record(needed).saturating_add(lists.saturating_mul(KEPT_EACH))
    }
}

/// Does what [`shrink_above`] does. If the list is not used in this tick, its contents are those of an earlier tick, so they are freed too.
pub(crate) fn shrink_unless_used<T>(list: &mut Vec<T>, is_used: bool, most: usize) {
    if !is_used && list.capacity() > most {
        list.clear();
    }
    shrink_above(list, most);
}

/// Returns how many lists, or places of short lists, are kept if the last ticks needed this many.
pub(crate) fn few_kept(needed: usize) -> usize {
    needed.saturating_mul(FEW_KEPT_MAX).saturating_add(FEW_KEPT_LEAST)
}

/// Frees lists if there are many times as many as the last ticks needed.
pub(crate) fn truncate_lists<T>(lists: &mut Vec<T>, needed: usize) {
    if lists.len() > few_kept(needed) {
        lists.truncate(needed);
        lists.shrink_to_fit();
    }
}
