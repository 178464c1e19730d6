//! Parts whose searches have paused, in the order of the times until which they are proved to be apart.

use crate::narrowphase::toi::pause::Progress;
use alloc::collections::BinaryHeap;
use core::cmp::Ordering;

/// Parts whose searches have paused.
pub(super) type Paused = BinaryHeap<PausedPart>;

/// A part whose search has paused.
pub(super) struct PausedPart {
    /// The time until which the part is proved to be apart.
    pub(super) start: f64,
    pub(super) part: u32,
    pub(super) progress: Progress,
}

/// The greatest one in a heap is the earliest; of equal ones, that with the least number.
impl Ord for PausedPart {
    fn cmp(&self, other: &Self) -> Ordering {
        other.start.total_cmp(&self.start).then(other.part.cmp(&self.part))
    }
}

impl PartialOrd for PausedPart {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PausedPart {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for PausedPart {}
