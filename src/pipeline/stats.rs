//! The times of the stages of a tick, and what they did with the pairs.

use crate::broadphase::Timings;
use core::time::Duration;

/// The time of each stage of a tick, and what it did with the pairs. Times are zero without the
/// feature `std`, and on `wasm32-unknown-unknown`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TickStats {
    /// Time to compute the bounds of the bodies.
    pub bounds_time: Duration,
    /// Time to find the pairs of those bounds.
    pub pairs_time: Duration,
    /// `pairs_time` split by step of the pair finder.
    pub finder: Timings,
    /// Time to sweep the bounds, and to decide about pairs of plain boxes.
    pub windows_time: Duration,
    /// Time to find the first times of contact of convex shapes.
    pub convex_time: Duration,
    /// Time to sort the impacts.
    pub sort_time: Duration,
    /// Pairs whose bounds touch in the tick.
    pub candidates: usize,
    /// Candidates that were dropped because neither body is fast, marked or a sensor.
    pub slow: usize,
    /// Impacts of two plain boxes.
    pub boxes: usize,
    /// Pairs that the boxes proved apart, or touching in a way that does not count.
    pub apart: usize,
    /// Pairs whose shapes were tested.
    pub convex: usize,
    /// Tested pairs that are apart for the whole tick, or touch in a way that does not count.
    pub separated: usize,
    /// Tested pairs whose search was given up.
    pub unresolved: usize,
    /// Rounds of the searches for the first impact of each tested pair. Those for the impacts of further parts
    /// ([`PartImpacts::Each`](super::PartImpacts::Each)) are not counted.
    pub rounds: u64,
    /// Impacts that are reported.
    pub impacts: usize,
    /// Impacts that are left out because both bodies have reached the limit.
    pub limited: usize,
    /// Impacts with sensors that are reported.
    pub sensed: usize,
}

impl TickStats {
    /// The sum of the times of all stages.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.bounds_time + self.pairs_time + self.windows_time + self.convex_time + self.sort_time
    }

    /// Adds the counts of `part`.
    pub(crate) fn add(&mut self, part: &Self) {
        self.candidates += part.candidates;
        self.slow += part.slow;
        self.boxes += part.boxes;
        self.apart += part.apart;
        self.convex += part.convex;
    }
}
