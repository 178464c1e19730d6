//! Sorts the new pairs of a partition by the lower slot, then by the other.
//!
//! A counting sort groups the pairs by the lower slot. Within a group, the position of a pair is
//! the number of pairs with a smaller other slot, which SIMD lanes count. The loops are branch-free
//! with respect to the pairs, whose order is unpredictable.

use super::partition::Partitions;
use crate::broadphase::FoundPair;
use crate::broadphase::pairs::buffer::reserve_for;
use crate::broadphase::proxies::slots::float_of_slot;
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes};
use crate::par::Threads;
use alloc::vec::Vec;

/// With more than this many slots for each pair, a comparison sort costs less than a counting sort.
const SLOTS_PER_PAIR: usize = 16;
/// Groups with more pairs than this are sorted by comparison instead of counting.
const RANKED_MAX: usize = 64;

/// Scratch memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct PairSorter {
    /// The result.
    sorted: Vec<SweptPair>,
    /// Start of the group of each slot; one more entry has the end of the last group.
    starts: Vec<u32>,
    /// Other slot of each pair as a float, grouped by the lower slot.
    others: Vec<f32>,
    /// The pairs, grouped by the lower slot.
    rest: Vec<SweptPair>,
}

impl_memory!(PairSorter { sorted, starts, others, rest });

impl PairSorter {
    /// Reserves memory for a partition with this many slots and pairs.
    pub(crate) fn reserve_for(&mut self, slots: usize, pairs: usize) {
        reserve_for(&mut self.sorted, pairs);
        reserve_for(&mut self.others, pairs + LANES_MAX);
        reserve_for(&mut self.rest, pairs);
        if pairs * SLOTS_PER_PAIR >= slots {
            reserve_for(&mut self.starts, slots + 2);
        }
    }

    /// The number of pairs that fit.
    pub(crate) fn capacity(&self) -> usize {
        self.sorted.capacity().max(self.rest.capacity())
    }

    /// Sorts pairs, which all belong to one partition.
    pub(crate) fn sort(
        &mut self,
        level: Level,
        pairs: &[SweptPair],
        (partitions, part): (Partitions, usize),
    ) -> &[SweptPair] {
        let (width, first) = (partitions.width(), partitions.slots(part).start as u32);
        if pairs.len() * SLOTS_PER_PAIR < width {
            self.sorted.clear();
            self.sorted.extend_from_slice(pairs);
            SweptPair::sort(&mut self.sorted, &Threads::one());
            return &self.sorted;
        }
        self.group_by_slot(pairs, first, width);
        let Self { sorted, starts, others, rest } = self;
        sorted.resize(pairs.len(), SweptPair::default());
        let to = &mut sorted[..];
        if level.run(Rank { first, starts, others, rest, to }) > RANKED_MAX {
            for ends in starts[..=width].windows(2) {
                if (ends[1] - ends[0]) as usize > RANKED_MAX {
                    let of_one = &mut sorted[ends[0] as usize..ends[1] as usize];
                    SweptPair::sort(of_one, &Threads::one());
                }
            }
        }
        &self.sorted
    }

    /// Groups the pairs by the lower slot.
    fn group_by_slot(&mut self, pairs: &[SweptPair], first: u32, width: usize) {
        let Self { starts, others, rest, .. } = self;
        // The count of a slot is stored two entries further. The prefix sum makes it the start of
        // the slot, one entry further. Distributing the pairs advances that entry to the end of the
        // slot, which is the start of the next one.
        starts.clear();
        starts.resize(width + 2, 0);
        for pair in pairs {
            starts[(pair.a - first) as usize + 2] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        others.clear();
        others.resize(pairs.len() + LANES_MAX, 0.0);
        rest.resize(pairs.len(), SweptPair::default());
        for &pair in pairs {
            let at = &mut starts[(pair.a - first) as usize + 1];
            others[*at as usize] = float_of_slot(pair.b);
            rest[*at as usize] = pair;
            *at += 1;
        }
    }
}

/// Writes each pair to its position in the result. Groups with more than [`RANKED_MAX`] pairs are
/// copied unsorted. Returns the size of the largest group.
struct Rank<'a> {
    first: u32,
    starts: &'a [u32],
    others: &'a [f32],
    rest: &'a [SweptPair],
    to: &'a mut [SweptPair],
}

impl Kernel for Rank<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { first, starts, others, rest, to } = self;
        let count = to.len();
        let (others, rest) = (&others[..count + LANES_MAX], &rest[..count]);
        let mut most = 0;
        for (at, (&pair, &other)) in rest.iter().zip(others).enumerate() {
            let a = pair.a.wrapping_sub(first) as usize;
            let (start, end) = (starts[a] as usize, starts[a + 1] as usize);
            let of_one = end - start;
            most = if of_one > most { of_one } else { most };
            let mut place = start;
            if of_one > RANKED_MAX {
                place = at;
            } else {
                let mine = isa.splat(other);
                let mut group = start;
                while group < end {
                    let less = isa.load(&others[group..]).lt(mine).bits();
                    let left = end - group;
                    let left = if left < I::LANES { left } else { I::LANES };
                    place += (less & ((1 << left) - 1)).count_ones() as usize;
                    group += I::LANES;
                }
            }
            to[place] = pair;
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::{PairSorter, RANKED_MAX};
    use crate::broadphase::proxies::pair_cache::partition::Partitions;
    use crate::columns::Memory as _;
    use crate::geom::SweptPair;
    use crate::lanes::Level;
    use alloc::vec::Vec;

    const SLOTS: usize = 4096;

    /// Goal: pairs are sorted on every level, however many have the same lower slot. Method:
    /// comparison with a plain sort, for group sizes around the number of lanes and up to more than
    /// are ranked, in one partition and in many; also few pairs of many slots, which are sorted by
    /// comparison. The memory of the previous sort is reused, and none is allocated but what was reserved.
    #[test]
    fn parts_are_in_order() {
        let mut draw = 1_u32;
        let lengths = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33];
        let long = [RANKED_MAX - 1, RANKED_MAX, RANKED_MAX + 1, 0, 3 * RANKED_MAX, 1];
        for (level, few) in Level::all().flat_map(|level| [(level, false), (level, true)]) {
            let (mut order, mut pairs) = (PairSorter::default(), Vec::new());
            for a in 0..if few { 3 } else { 2000 } {
                let length = if few { 2 } else { lengths[a % lengths.len()] };
                let length = long.get(a).filter(|_| !few).map_or(length, |&long| long);
                for k in 0..length {
                    // The step is odd, so each other slot occurs once, out of order.
                    let b = a + 1 + k * 1237 % (SLOTS - 2048);
                    let first = (a + k) as f32 / SLOTS as f32;
                    pairs.push(SweptPair { a: a as u32, b: b as u32, first });
                }
            }
            let mut expected = pairs.clone();
            expected.sort_unstable_by_key(|pair| (pair.a, pair.b));
            for k in (1..pairs.len()).rev() {
                draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                pairs.swap(k, (draw >> 8) as usize % (k + 1));
            }
            for pairs_count in [0, 16_384, 65_536, 1 << 24] {
                let partitions = Partitions::new(SLOTS, pairs_count);
                let mut all = Vec::new();
                for part in 0..partitions.count {
                    let slots = partitions.slots(part);
                    let of_part = pairs.iter().filter(|pair| slots.contains(&pair.a.into()));
                    let of_part: Vec<SweptPair> = of_part.copied().collect();
                    order.reserve_for(partitions.width(), of_part.len());
                    let bytes = order.bytes();
                    all.extend_from_slice(order.sort(level, &of_part, (partitions, part)));
                    assert_eq!(order.bytes(), bytes, "{level} {}", partitions.count);
                    assert!(order.capacity() >= of_part.len());
                }
                assert_eq!(all, expected, "{level} {}", partitions.count);
            }
        }
    }
}
