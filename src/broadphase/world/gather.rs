//! Which of the pairs that were found are wanted, and in which part of the order does each come?
//!
//! The finders name rows, in an order of their own. Here rows become ids, pairs that their owners or
//! the caller do not want are dropped, and the rest is dealt to *parts*: each has the pairs whose
//! lower index is in a range of slots. Parts are then put in order and compared with the last
//! tick's one by one (`diff`), so that both steps are spread over the threads: runs of the finders
//! here, parts there.

use super::id::{ProxyId, ProxyPair, SweptProxyPair};
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
const PART_PAIRS: usize = 1024;

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

/// The pairs of one run, by part.
#[derive(Debug, Default)]
pub(super) struct Dealt {
    pairs: Vec<SweptProxyPair>,
    /// Where each part ends.
    ends: Vec<u32>,
}

impl Dealt {
    pub(super) fn part(&self, part: usize) -> &[SweptProxyPair] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.pairs[start..self.ends[part] as usize]
    }

    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<SweptProxyPair>()
            + self.ends.capacity() * size_of::<u32>()
    }

    /// Names, sifts and deals the pairs of `run`. `wanted` is memory, for at least so many pairs.
    pub(super) fn fill(
        &mut self,
        state: &State,
        (run, second): (&Run<SweptPair>, Second),
        cut: Cut,
        accept: &impl Fn(ProxyPair) -> bool,
        wanted: &mut Vec<SweptProxyPair>,
    ) {
        let Self { pairs, ends } = self;
        let found = run.pairs.as_slice();
        make_room(pairs, found.len());
        pairs.clear();
        ends.clear();
        ends.resize(cut.parts, 0);
        if cut.parts == 1 {
            sift(state, (found, second), accept, |pair| pairs.push(pair));
            ends[0] = pairs.len() as u32;
            return;
        }
        wanted.clear();
        sift(state, (found, second), accept, |pair| {
            ends[cut.part(pair.a.index())] += 1;
            wanted.push(pair);
        });
        // From how many to where each starts, which the pairs move to where it ends.
        let mut start = 0;
        for end in ends.iter_mut() {
            start += core::mem::replace(end, start);
        }
        pairs.resize(wanted.len(), SweptProxyPair::default());
        for &pair in wanted.iter() {
            let end = &mut ends[cut.part(pair.a.index())];
            pairs[*end as usize] = pair;
            *end += 1;
        }
    }
}

/// Calls `keep` with each pair that is wanted.
#[inline(always)]
fn sift(
    state: &State,
    (found, second): (&[SweptPair], Second),
    accept: &impl Fn(ProxyPair) -> bool,
    mut keep: impl FnMut(SweptProxyPair),
) {
    let (movers, slots) = (&state.movers, &state.slots);
    let mover = |row: u32| (movers.ids[row as usize], movers.owners[row as usize]);
    for &SweptPair { a, b, first } in found {
        let (a, owner) = mover(a);
        let (b, other) = match second {
            Second::Mover => mover(b),
            Second::Slot => {
                let slot = &slots.all[b as usize];
                (ProxyId::new(b, slot.generation), slot.owner)
            }
        };
        let ProxyPair { a, b } = ProxyPair::new(a, b);
        if owners_allow(owner, other) && accept(ProxyPair { a, b }) {
            keep(SweptProxyPair { a, b, first });
        }
    }
}
