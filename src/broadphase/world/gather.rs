//! Which of the pairs that were found are wanted, and in which part of the order does each come?
//!
//! The finders have an order of their own, and those of trees name rows. Here rows become slots,
//! pairs that their owners or the caller do not want are dropped, and the rest is dealt to *parts*:
//! each has the pairs whose lower slot is in a range. Parts are then put in order (`order`) and
//! compared with the last tick's (`diff`) one by one, so that both steps are spread over the
//! threads: runs of the finders here, parts there.

use super::id::ProxyPair;
use super::slots::owners_allow;
use super::state::State;
use crate::broadphase::buffer::make_room;
use crate::broadphase::found::Run;
use crate::geom::SweptPair;
use alloc::vec::Vec;
use core::ops::Range;

/// Into how many parts slots are cut at most,
pub(super) const PARTS_MAX: usize = 256;
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

/// What the pairs of a finder name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// Two slots, the lower first: of movers among themselves.
    Slots,
    /// A row of the movers, and a slot: of movers and what is in a tree.
    RowAndSlot,
}

/// What is wanted.
#[derive(Debug)]
pub(super) struct Sieve<'a, A> {
    pub(super) state: &'a State,
    /// Whether anybody has an owner.
    pub(super) owned: bool,
    /// Nothing where all are wanted.
    pub(super) accept: Option<&'a A>,
}

/// The pairs of one run as slots, the lower first, by part.
#[derive(Debug, Default)]
pub(super) struct Dealt {
    pairs: Vec<SweptPair>,
    /// Where each part ends.
    ends: Vec<u32>,
}

impl Dealt {
    #[inline(always)]
    pub(super) fn part(&self, part: usize) -> &[SweptPair] {
        let start = if part > 0 { self.ends[part - 1] as usize } else { 0 };
        &self.pairs[start..self.ends[part] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<SweptPair>() + self.ends.capacity() * size_of::<u32>()
    }

    /// Sifts and deals the pairs of `run`. `wanted` is memory, for at least so many pairs.
    pub(super) fn fill<A: Fn(ProxyPair) -> bool>(
        &mut self,
        sieve: &Sieve<'_, A>,
        (run, named): (&Run<SweptPair>, Named),
        cut: Cut,
        wanted: &mut Vec<SweptPair>,
    ) {
        let Self { pairs, ends } = self;
        let found = run.pairs.as_slice();
        make_room(pairs, found.len());
        let wanted = if named == Named::Slots && !sieve.owned && sieve.accept.is_none() {
            found
        } else {
            wanted.clear();
            sieve.sift(found, named, wanted);
            wanted
        };
        ends.clear();
        ends.resize(cut.parts, 0);
        for pair in wanted {
            ends[cut.part(pair.a)] += 1;
        }
        // From how many to where each starts, which the pairs move to where it ends.
        let mut start = 0;
        for end in ends.iter_mut() {
            start += core::mem::replace(end, start);
        }
        pairs.resize(wanted.len(), SweptPair::default());
        for &pair in wanted {
            let end = &mut ends[cut.part(pair.a)];
            pairs[*end as usize] = pair;
            *end += 1;
        }
    }
}

impl<A: Fn(ProxyPair) -> bool> Sieve<'_, A> {
    /// Appends the pairs that are wanted, as slots with the lower first. There is room for all.
    fn sift(&self, found: &[SweptPair], named: Named, wanted: &mut Vec<SweptPair>) {
        let (movers, slots) = (&self.state.movers, &self.state.slots);
        for &SweptPair { a: one, b: two, first } in found {
            let one = match named {
                Named::Slots => one,
                Named::RowAndSlot => movers.ids[one as usize].index(),
            };
            let (a, b) = if one < two { (one, two) } else { (two, one) };
            if self.owned {
                let owner = |slot: u32| slots.all[slot as usize].owner;
                if !owners_allow(owner(a), owner(b)) {
                    continue;
                }
            }
            let id = |slot: u32| slots.id(slot as usize);
            let pair = ProxyPair { a: id(a), b: id(b) };
            if self.accept.is_none_or(|accept| accept(pair)) {
                wanted.push(SweptPair { a, b, first });
            }
        }
    }
}
