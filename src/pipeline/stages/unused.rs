//! Frees the memory of lists that have many times as many places as the last ticks needed.
//!
//! Each list keeps its memory from tick to tick, so that ticks that are alike allocate nothing. What each tick needs is recorded. Lists with far
//! more places than any of the last ticks needed are shrunk to their contents: otherwise one large tick would take its memory for good, and
//! a region with many pairs that moves would leave memory in the list of each run that has had these pairs.

use crate::broadphase::pairs::runs::Window;
use alloc::vec::Vec;

/// Places that are kept for each one that the largest of the last ticks needed. A list that grows by pushing to it has at most twice or, if
/// it is short, four times as many as it needs.
const KEPT_MAX: usize = 8;
/// So many places more are kept in any case.
const KEPT_LEAST: usize = 4096;
/// So many places more are kept for each list, if several share what a tick needs.
const KEPT_EACH: usize = 16;

/// How many places of a list, or of several lists together, the last ticks needed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PlacesNeeded(Window);

impl PlacesNeeded {
    /// Records what a tick needs. Returns the greatest number of places to keep.
    pub(crate) fn record(&mut self, needed: usize) -> usize {
        self.0.record(needed).saturating_mul(KEPT_MAX).saturating_add(KEPT_LEAST)
    }

    /// Records what a tick needs of so many lists together. Returns the greatest number of places to keep.
    pub(crate) fn record_lists(&mut self, lists: usize, needed: usize) -> usize {
        self.record(needed).saturating_add(lists.saturating_mul(KEPT_EACH))
    }
}

/// Frees the places of a list that are not used in this tick, if there are more than `most`.
pub(crate) fn shrink_above<T>(list: &mut Vec<T>, most: usize) {
    if list.capacity() > most {
        list.shrink_to_fit();
    }
}

/// Does what [`shrink_above`] does, for a list that is not used in this tick unless `is_used`. Otherwise its contents are those of an earlier one.
pub(crate) fn shrink_unless_used<T>(list: &mut Vec<T>, is_used: bool, most: usize) {
    if !is_used && list.capacity() > most {
        list.clear();
    }
    shrink_above(list, most);
}
