//! Which of the pairs that were found are wanted, and in which part of the order does each come?
//!
//! The finders have an order of their own, and those of trees name rows. Here rows become slots,
//! pairs that their owners or the caller do not want are dropped, and the rest is dealt to *parts*:
//! each has the pairs whose lower slot is in a range. Parts are then put in order (`order`) and
//! compared with the last tick's (`diff`) one by one, so that both steps are spread over the
//! threads: runs of the finders here, parts there. The runs of the movers among themselves are
//! dealt on the thread that found them, before they leave its cache.

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

/// What the caller says of a pair. A pointer: the same text for all who ask.
pub(super) type Accept<'a> = &'a (dyn Fn(ProxyPair) -> bool + Sync);

/// What is wanted.
pub(super) struct Sieve<'a> {
    pub(super) state: &'a State,
    /// Whether anybody has an owner.
    pub(super) owned: bool,
    /// Nothing where all are wanted.
    pub(super) accept: Option<Accept<'a>>,
}

/// Runs whose pairs are slots, the lower first, by part: those of the movers among themselves, and
/// copies of those of movers against trees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dealt<'a>(pub(super) [&'a [Run<SweptPair>]; 2]);

impl<'a> Dealt<'a> {
    /// The pairs of a part, by run.
    pub(super) fn part(self, part: usize) -> impl Iterator<Item = &'a [SweptPair]> + Clone {
        let [some, others] = self.0;
        some.iter().chain(others).map(move |run| {
            let start = if part > 0 { run.ends[part - 1] as usize } else { 0 };
            &run.pairs.as_slice()[start..run.ends[part] as usize]
        })
    }

    /// How many pairs each part has.
    pub(super) fn lengths(self) -> [usize; PARTS_MAX] {
        let mut lengths = [0; PARTS_MAX];
        for run in self.0.into_iter().flatten() {
            let mut start = 0;
            for (length, &end) in lengths.iter_mut().zip(&run.ends) {
                *length += (end - start) as usize;
                start = end;
            }
        }
        lengths
    }
}

impl Sieve<'_> {
    /// Sifts the pairs of `run` and deals them, where they lie. `memory` is written over.
    pub(super) fn deal(
        &self,
        named: Named,
        cut: Cut,
        run: &mut Run<SweptPair>,
        memory: &mut Vec<SweptPair>,
    ) {
        let Run { pairs, ends, .. } = run;
        make_room(memory, pairs.as_slice().len());
        ends.clear();
        ends.reserve_exact(PARTS_MAX);
        if named == Named::RowAndSlot || self.owned || self.accept.is_some() {
            let wanted = self.sift(pairs.as_mut_slice(), named);
            pairs.forget_from(wanted);
        }
        let pairs = pairs.as_mut_slice();
        if cut.parts == 1 {
            ends.push(pairs.len() as u32);
            return;
        }
        ends.resize(cut.parts, 0);
        for pair in &*pairs {
            ends[cut.part(pair.a)] += 1;
        }
        // From how many to where each starts, which the pairs move to where it ends.
        let mut start = 0;
        for end in ends.iter_mut() {
            start += core::mem::replace(end, start);
        }
        memory.resize(pairs.len().max(memory.len()), SweptPair::default());
        for &pair in &*pairs {
            let end = &mut ends[cut.part(pair.a)];
            memory[*end as usize] = pair;
            *end += 1;
        }
        pairs.copy_from_slice(&memory[..pairs.len()]);
    }

    /// Makes slots of the pairs, the lower first, and moves those that are wanted to the front.
    /// Returns how many they are.
    fn sift(&self, pairs: &mut [SweptPair], named: Named) -> usize {
        let (movers, slots) = (&self.state.movers, &self.state.slots);
        let mut wanted = 0;
        for k in 0..pairs.len() {
            let SweptPair { a: one, b: two, first } = pairs[k];
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
                pairs[wanted] = SweptPair { a, b, first };
                wanted += 1;
            }
        }
        wanted
    }
}
