//! Memory of a worker for searches of bodies with parts, which is kept from search to search.

use super::turning::TurningBounds;
use super::waiting::Waiting;
use crate::broadphase::pairs::runs::shrink_above;
use crate::columns::impl_memory;
use crate::narrowphase::toi::part_search::Plan;
use crate::narrowphase::toi::pause::Progress;
use crate::par::sort_rare;
use alloc::vec::Vec;

/// Lists of the parts that a search meets or postpones.
#[derive(Debug, Default)]
pub(crate) struct SearchMemory {
    /// The parts of the divided body, and those of the other one.
    pub(super) of_divided: MetParts,
    pub(super) of_other: MetParts,
    /// Parts whose searches have paused.
    pub(super) paused: Waiting<Progress>,
    /// Parts whose searches have not begun.
    pub(super) deferred: Waiting<Plan>,
    /// Bounds for the parts of a window.
    pub(super) turning: TurningBounds,
}

impl_memory!(SearchMemory { of_divided, of_other, paused, deferred, turning });

impl SearchMemory {
    /// Returns the greatest length of a list in the searches since the last call.
    pub(crate) fn take_needed(&mut self) -> usize {
        let Self { of_divided, of_other, paused, deferred, .. } = self;
        let lists = [
            &mut of_divided.needed,
            &mut of_other.needed,
            &mut paused.needed,
            &mut deferred.needed,
        ];
        lists.into_iter().map(core::mem::take).max().unwrap_or(0)
    }

    /// Frees the memory of lists with more than this many places.
    pub(crate) fn limit(&mut self, most: usize) {
        let Self { of_divided, of_other, paused, deferred, .. } = self;
        for MetParts { earlier, now, .. } in [of_divided, of_other] {
            shrink_above(earlier, most);
            shrink_above(now, most);
        }
        paused.limit(most);
        deferred.limit(most);
    }
}

/// Parts that a traversal for a rotating body has met. Each is searched to the end of the window, so a later interval does not visit it
/// again.
#[derive(Debug, Default)]
pub(super) struct MetParts {
    /// Those of earlier intervals, in order.
    earlier: Vec<u32>,
    /// Those of the present interval.
    now: Vec<u32>,
    /// Greatest number of parts of a traversal.
    needed: usize,
}

impl_memory!(MetParts { earlier, now; without needed });

impl MetParts {
    /// Begins a traversal.
    pub(super) fn clear(&mut self) {
        self.earlier.clear();
        self.now.clear();
    }

    /// Adds a part in the present interval, in which it is visited once. Returns whether it was met in an earlier one, and then does not add it.
    pub(super) fn was_met(&mut self, part: u32) -> bool {
        let was_met = self.earlier.binary_search(&part).is_ok();
        if !was_met {
            self.now.push(part);
        }
        was_met
    }

    /// Begins the next interval.
    pub(super) fn begin_interval(&mut self) {
        let Self { earlier, now, needed } = self;
        sort_rare(now, |&part| part);
        let (mut left, mut end) = (earlier.len(), earlier.len() + now.len());
        *needed = end.max(*needed);
        earlier.resize(end, 0);
        // From the greatest number on, so that no number is overwritten before it is moved.
        while let Some(&part) = now.last() {
            end -= 1;
            if left > 0 && earlier[left - 1] > part {
                left -= 1;
                earlier[end] = earlier[left];
            } else {
                earlier[end] = part;
                now.pop();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a part is visited once, whatever the interval, and the lists stay in order. Method: multiples of a number by a prime, in intervals
    /// of different lengths, some of them empty.
    #[test]
    fn parts_of_earlier_intervals_are_known() {
        const PRIME: u32 = 1_009;
        let mut met = MetParts::default();
        for number in 0..PRIME {
            assert!(!met.was_met(number * 377 % PRIME));
            if number % 97 == 3 || number % 5 == 0 {
                met.begin_interval();
                assert!(met.now.is_empty() && met.earlier.len() == number as usize + 1);
                assert!(met.earlier.is_sorted() && met.was_met(number * 377 % PRIME));
                met.begin_interval();
                assert_eq!(met.earlier.len(), number as usize + 1);
            }
        }
        met.begin_interval();
        assert!(met.earlier.iter().copied().eq(0..PRIME));
        assert_eq!(met.needed, PRIME as usize);
    }
}
