//! In which order are the pairs of a part?
//!
//! By the lower slot, then the other. They are laid out by the lower slot, by counting; then the
//! place of each among those with the same lower slot is how many of these are less, which lanes
//! count. So nothing is a branch on what a pair is, which nobody could foresee.

use super::gather::{Cut, Dealt};
use super::id::SweptProxyPair;
use super::slots::Slots;
use crate::broadphase::buffer::make_room;
use crate::geom::SweptPair;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, MaskLanes, prefetch};
use alloc::vec::Vec;

/// Where there are so many slots for one pair, sorting costs less than counting.
const SLOTS_PER_PAIR: usize = 4;
/// Of more pairs with one lower slot the order is found by sorting.
const RANKED_MAX: usize = 64;
/// The pairs of a part are in pieces, one in each run: so many are asked for ahead.
const AHEAD: usize = 6;
/// Added to a slot, which is below 2²⁶, it makes the bits of a finite float that is greater for a
/// greater slot: lanes compare floats.
const ONE: u32 = 1.0_f32.to_bits();

/// The memory of a worker.
#[derive(Debug, Default)]
pub(super) struct Order {
    pub(super) pairs: Vec<SweptPair>,
    /// By slot of the part: where its pairs start, and after the last slot where they end.
    starts: Vec<u32>,
    /// In the order of the lower slots: the other slot of each pair as a float,
    others: Vec<f32>,
    /// and the lower one, counted from the first of the part, with the time.
    rest: Vec<Rest>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Rest {
    a: u32,
    first: f32,
}

impl Order {
    pub(super) fn bytes(&self) -> usize {
        let words = self.starts.capacity() + self.others.capacity();
        self.pairs.capacity() * size_of::<SweptPair>()
            + words * size_of::<u32>()
            + self.rest.capacity() * size_of::<Rest>()
    }

    /// Makes room for a run or a part of so many slots and pairs.
    pub(super) fn make_room(&mut self, slots: usize, pairs: usize) {
        make_room(&mut self.pairs, pairs);
        make_room(&mut self.others, pairs + LANES_MAX);
        make_room(&mut self.rest, pairs);
        if pairs * SLOTS_PER_PAIR >= slots {
            make_room(&mut self.starts, slots + 2);
        }
    }

    /// Writes the pairs of a part in order. `to` is as long as they are many.
    pub(super) fn fill(
        &mut self,
        level: Level,
        slots: &Slots,
        dealt: Dealt<'_>,
        (cut, part): (Cut, usize),
        to: &mut [SweptProxyPair],
    ) {
        let (width, first) = (cut.width(), cut.slots(part).start as usize);
        if to.len() * SLOTS_PER_PAIR < width {
            self.pairs.clear();
            dealt.part(part).for_each(|pairs| self.pairs.extend_from_slice(pairs));
            self.pairs.sort_unstable_by_key(|pair| u64::from(pair.a) << 32 | u64::from(pair.b));
            for (to, &SweptPair { a, b, first }) in to.iter_mut().zip(&self.pairs) {
                *to = SweptProxyPair { a: slots.id(a as usize), b: slots.id(b as usize), first };
            }
            return;
        }
        self.lay_out(dealt, part, first as u32, width, to.len());
        let Self { starts, others, rest, .. } = self;
        let (first, generations) = (first as u32, &slots.generations[..]);
        let rank = Rank { first, generations, starts, others, rest, to: &mut *to };
        if level.run(rank) > RANKED_MAX {
            for ends in starts[..=width].windows(2) {
                if (ends[1] - ends[0]) as usize > RANKED_MAX {
                    let of_one = &mut to[ends[0] as usize..ends[1] as usize];
                    of_one.sort_unstable_by_key(|pair| pair.b.index());
                }
            }
        }
    }

    /// Lays out the pairs by the lower slot.
    fn lay_out(&mut self, dealt: Dealt<'_>, part: usize, first: u32, width: usize, count: usize) {
        let Self { starts, others, rest, .. } = self;
        // Two places further than the slot: how many there are becomes where they start, one place
        // further, which those that are laid out move to where they end: the start of the next.
        starts.clear();
        starts.resize(width + 2, 0);
        let mut ahead = dealt.part(part).skip(AHEAD);
        for pairs in dealt.part(part) {
            if let Some(next) = ahead.next() {
                prefetch(next);
            }
            for pair in pairs {
                starts[(pair.a - first) as usize + 2] += 1;
            }
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        others.clear();
        others.resize(count + LANES_MAX, 0.0);
        rest.resize(count.max(rest.len()), Rest::default());
        for pairs in dealt.part(part) {
            for &SweptPair { a, b, first: time } in pairs {
                let a = a - first;
                let at = &mut starts[a as usize + 1];
                others[*at as usize] = f32::from_bits(b + ONE);
                rest[*at as usize] = Rest { a, first: time };
                *at += 1;
            }
        }
    }
}

/// Writes each pair to its place in the order, but those of a slot with more than [`RANKED_MAX`],
/// which are written as they come. Returns how many the slot with the most pairs has.
struct Rank<'a> {
    first: u32,
    generations: &'a [u32],
    starts: &'a [u32],
    others: &'a [f32],
    rest: &'a [Rest],
    to: &'a mut [SweptProxyPair],
}

impl Kernel for Rank<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> usize {
        let Self { first, generations, starts, others, rest, to } = self;
        let count = to.len();
        let (others, rest) = (&others[..count + LANES_MAX], &rest[..count]);
        let mut most = 0;
        for (at, (&Rest { a, first: time }, &other)) in rest.iter().zip(others).enumerate() {
            let (start, end) = (starts[a as usize] as usize, starts[a as usize + 1] as usize);
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
            let (a, b) = (first + a, other.to_bits() - ONE);
            to[place] = SweptProxyPair {
                a: super::ProxyId::new(a, generations[a as usize]),
                b: super::ProxyId::new(b, generations[b as usize]),
                first: time,
            };
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::super::gather::{Cut, Dealt, Named, Sieve};
    use super::super::slots::{SLOTS_MAX, Slots};
    use super::super::state::State;
    use super::{ONE, Order, RANKED_MAX};
    use crate::broadphase::found::Run;
    use crate::broadphase::world::{Proxy, SweptProxyPair};
    use crate::geom::SweptPair;
    use crate::lanes::Level;
    use alloc::vec::Vec;

    const SLOTS: usize = 4096;

    /// As many slots, each of which has had some proxies.
    fn slots() -> Slots {
        let mut slots = Slots::default();
        for index in 0..SLOTS {
            slots.insert(Proxy::dynamic());
            slots.generations[index] = index as u32 * 7 % 5;
        }
        slots
    }

    /// Goal: pairs come in order on each level, by names that are those of their slots, however many
    /// have the same lower slot. Method: so many as lanes are, one more and one less, up to more than
    /// are ranked; in one run and in several, in one part and in many; against sorting. Few of many
    /// slots besides, which are sorted. The memory is that of the one before.
    #[test]
    fn parts_are_in_order() {
        let slots = slots();
        let mut draw = 1_u32;
        let mut order = Order::default();
        let lengths = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33];
        let long = [RANKED_MAX - 1, RANKED_MAX, RANKED_MAX + 1, 0, 3 * RANKED_MAX, 1];
        for (level, few) in Level::all().flat_map(|level| [(level, false), (level, true)]) {
            let mut pairs = Vec::new();
            for a in 0..if few { 3 } else { 2000 } {
                let length = if few { 2 } else { lengths[a % lengths.len()] };
                let length = long.get(a).filter(|_| !few).map_or(length, |&long| long);
                for k in 0..length {
                    // Each other slot once, as the step is odd, and out of order.
                    let b = a + 1 + k * 1237 % (SLOTS - 2048);
                    let first = (a + k) as f32 / SLOTS as f32;
                    pairs.push(SweptPair { a: a as u32, b: b as u32, first });
                }
            }
            let id = |slot: u32| slots.id(slot as usize);
            let mut expected: Vec<SweptProxyPair> = pairs
                .iter()
                .map(|&SweptPair { a, b, first }| SweptProxyPair { a: id(a), b: id(b), first })
                .collect();
            expected.sort_unstable_by_key(SweptProxyPair::key);
            for (runs, wanted) in [(1, 0), (1, 16_384), (7, 0), (130, 65_536), (130, 1 << 24)] {
                let cut = Cut::new(SLOTS, wanted);
                let mut of_runs: Vec<Run<SweptPair>> = Vec::new();
                of_runs.resize_with(runs, Run::default);
                for &pair in &pairs {
                    draw = draw.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    of_runs[(draw >> 8) as usize % runs].pairs.append(&[pair]);
                }
                let state = State::default();
                let sieve = Sieve { state: &state, owned: false, accept: None };
                for run in &mut of_runs {
                    sieve.deal(Named::Slots, cut, run, &mut Vec::new());
                }
                let dealt = Dealt([&of_runs[..runs / 2], &of_runs[runs / 2..]]);
                let lengths = dealt.lengths();
                let mut all = Vec::new();
                for (part, &length) in lengths.iter().enumerate().take(cut.parts) {
                    let mut to = alloc::vec![SweptProxyPair::default(); length];
                    order.fill(level, &slots, dealt, (cut, part), &mut to);
                    all.extend_from_slice(&to);
                }
                assert_eq!(all, expected, "{level} {runs} {}", cut.parts);
            }
        }
    }

    /// Goal: floats are in the order of the slots they stand for. Method: the ends, and each step to
    /// another exponent.
    #[test]
    fn floats_stand_for_slots() {
        let float = |slot: u32| f32::from_bits(slot + ONE);
        let last = SLOTS_MAX as u32 - 1;
        assert!(float(last).is_finite() && float(0) < float(1) && float(last - 1) < float(last));
        for step in (1..8).map(|exponent| exponent << 23) {
            assert!(float(step - 1) < float(step) && float(step) < float(step + 1));
        }
    }
}
