//! Parts whose searches wait, in the order of the times until which they are proved to be apart.

use crate::narrowphase::toi::part_search::Plan;
use crate::narrowphase::toi::pause::Progress;
use alloc::collections::BinaryHeap;
use core::cmp::Ordering;

/// Parts whose searches have paused.
pub(super) type Paused = BinaryHeap<WaitingPart<Progress>>;

/// Parts whose searches have not begun.
pub(super) type Deferred = BinaryHeap<WaitingPart<Plan>>;

/// A part whose search waits.
pub(super) struct WaitingPart<T> {
    /// The time until which the part is proved to be apart.
    pub(super) start: f64,
    pub(super) part: u32,
    /// What the search continues with.
    pub(super) search: T,
}

/// The greatest one in a heap is the earliest; of equal ones, that with the least number.
impl<T> Ord for WaitingPart<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.start.total_cmp(&self.start).then(other.part.cmp(&self.part))
    }
}

impl<T> PartialOrd for WaitingPart<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for WaitingPart<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for WaitingPart<T> {}
