//! Which of the pairs that were found are wanted, and in which part of the order does each come?
//!
//! The finders name rows, in an order of their own. Here rows become slots, pairs that their owners
//! or the caller do not want are dropped, and the rest is dealt to *parts*: each has the pairs whose
//! lower slot is in a range. Parts are then put in order and compared with the last
//! tick's one by one (`diff`), so that both steps are spread over the threads: runs of the finders
//! here, parts there.

use super::id::ProxyPair;
use super::slots::owners_allow;
use super::state::State;
use crate::broadphase::buffer::make_room;
use crate::broadphase::found::Run;
use crate::geom::SweptPair;
use alloc::vec::Vec;
use core::ops::Range;

/// Into how many parts slots are cut at most,
const PARTS_MAX: usize = 256;
/// and about how many pairs a part has at least.
const PART_PAIRS: usize = 4096;

/// How slots are cut into parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    /// A part has `1 << shift` slots.
    shift: u32,
    pub(super) parts: usize,
}

impl Cut {
    /// For so many slots and pairs. What comes of it does not depend on the cut.
    pub(super) fn new(slots: usize, pairs: usize) -> Self {
        let parts = (pairs / PART_PAIRS).clamp(1, PARTS_MAX);
        let shift = slots.max(1).div_ceil(parts).next_power_of_two().trailing_zeros();
        Self { shift, parts: slots.max(1).div_ceil(1 << shift) }
    }

    fn part(self, index: u32) -> usize {
        (index >> self.shift) as usize
    }

    /// How many slots a part has.
    pub(super) fn width(self) -> usize {
        1 << self.shift
    }

    /// The slots of a part; the last may reach past the end.
    pub(super) fn slots(self, part: usize) -> Range<u64> {
        (part as u64) << self.shift..(part as u64 + 1) << self.shift
    }
}

/// What the second row of a found pair names; the first names a mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Second {
    Mover,
    Slot,
}

/// What is wanted.
#[derive(Debug)]
pub(super) struct Sieve<'a, A> {
    pub(super) state: &'a State,
    /// Whether anybody has an owner.
    pub(super) owned: bool,
    pub(super) accept: &'a A,
}

/// The pairs of one run as slots, the lower first, by part.
#[derive(Debug, Default)]
pub(super) struct Dealt {
    pairs: Vec<SweptPair>,
    /// Where each part ends.
    ends: Vec<u32>,
}

impl Dealt {
    pub(super) fn part(&self, part: usize) -> &[SweptPair] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.pairs[start..self.ends[part] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<SweptPair>() + self.ends.capacity() * size_of::<u32>()
    }

    /// Names, sifts and deals the pairs of `run`. `wanted` is memory, for at least so many pairs.
    pub(super) fn fill<A: Fn(ProxyPair) -> bool>(
        &mut self,
        sieve: &Sieve<'_, A>,
        (run, second): (&Run<SweptPair>, Second),
        cut: Cut,
        wanted: &mut Vec<SweptPair>,
    ) {
        let Self { pairs, ends } = self;
        let found = run.pairs.as_slice();
        make_room(pairs, found.len());
        pairs.clear();
        ends.clear();
        ends.resize(cut.parts, 0);
        if cut.parts == 1 {
            sieve.sift(found, second, |pair| pairs.push(pair));
            ends[0] = pairs.len() as u32;
            return;
        }
        wanted.clear();
        sieve.sift(found, second, |pair| {
            ends[cut.part(pair.a)] += 1;
            wanted.push(pair);
        });
        // From how many to where each starts, which the pairs move to where it ends.
        let mut start = 0;
        for end in ends.iter_mut() {
            start += core::mem::replace(end, start);
        }
        pairs.resize(wanted.len(), SweptPair::default());
        for &pair in wanted.iter() {
            let end = &mut ends[cut.part(pair.a)];
            pairs[*end as usize] = pair;
            *end += 1;
        }
    }
}

impl<A: Fn(ProxyPair) -> bool> Sieve<'_, A> {
    /// Calls `keep` with each pair that is wanted.
    #[inline(always)]
    fn sift(&self, found: &[SweptPair], second: Second, mut keep: impl FnMut(SweptPair)) {
        let (movers, slots) = (&self.state.movers, &self.state.slots);
        for &SweptPair { a: row, b: other, first } in found {
            let of_mover = |row: u32| movers.ids[row as usize].index();
            let (one, two) = match second {
                Second::Mover => (of_mover(row), of_mover(other)),
                Second::Slot => (of_mover(row), other),
            };
            let (a, b) = if one < two { (one, two) } else { (two, one) };
            if self.owned {
                let owner = |slot: u32| slots.all[slot as usize].owner;
                if !owners_allow(owner(a), owner(b)) {
                    continue;
                }
            }
            let id = |slot: u32| slots.id(slot as usize);
            if (self.accept)(ProxyPair { a: id(a), b: id(b) }) {
                keep(SweptPair { a, b, first });
            }
        }
    }
}
