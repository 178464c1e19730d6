//! What has changed since the last tick?
//!
//! The pairs of a part, in order, are compared with those of the last tick in one pass: what is in
//! both persists, what is new begins, and what is gone ends, but for pairs that have come to rest
//! where they still touch.

use super::gather::{Accept, Cut, Dealt};
use super::id::{ProxyPair, SweptProxyPair};
use super::order::Order;
use super::state::State;
use crate::broadphase::buffer::{Buffer, make_room};
use crate::lanes::Level;
use crate::par::Budget;
use alloc::vec::Vec;

/// Lists grow as they need to: how long they may get was asked before.
const NO_LIMIT: usize = usize::MAX;

/// What an update says, and what comes to rest; each list by index.
#[derive(Debug, Default)]
pub(super) struct Events {
    pub(super) begun: Buffer<SweptProxyPair>,
    pub(super) ended: Buffer<ProxyPair>,
    /// Pairs that are kept and not looked at until something changes.
    pub(super) rested: Vec<ProxyPair>,
}

impl Events {
    pub(super) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.rested.clear();
    }

    /// Appends what another has.
    pub(super) fn append(&mut self, other: &Self) {
        self.begun.append(other.begun.as_slice());
        self.ended.append(other.ended.as_slice());
        self.rested.extend_from_slice(&other.rested);
    }

    /// Leaves room to spare for a tick with a few more pairs.
    pub(super) fn settle(&mut self) {
        self.begun.settle(0);
        self.ended.settle(0);
    }

    pub(super) fn bytes(&self) -> usize {
        self.begun.bytes() + self.ended.bytes() + self.rested.capacity() * size_of::<ProxyPair>()
    }
}

/// The memory of a worker.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) order: Order,
    /// Which pairs of the lower half of a part are new and which are gone, and after as many as it has
    /// those of the upper half.
    new: Vec<u32>,
    gone: Vec<u32>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        self.order.bytes() + (self.new.capacity() + self.gone.capacity()) * size_of::<u32>()
    }

    /// Makes room for a part of so many slots and pairs, and of so many pairs before.
    pub(super) fn make_room(&mut self, slots: usize, pairs: usize, before: usize) {
        self.order.make_room(slots, pairs);
        for (list, len) in [(&mut self.new, pairs), (&mut self.gone, before)] {
            make_room(list, len);
            list.resize(len.max(list.len()), 0);
        }
    }
}

/// What the parts are compared with.
pub(super) struct Diff<'a> {
    pub(super) level: Level,
    pub(super) state: &'a State,
    pub(super) dealt: Dealt<'a>,
    /// By slot, not of all: not 0 where it is at rest.
    pub(super) at_rest: &'a [u8],
    pub(super) cut: Cut,
    pub(super) accept: Option<Accept<'a>>,
}

/// A piece of two lists that are compared, and how far that is.
#[derive(Clone, Copy, Debug)]
struct Piece<'a> {
    now: &'a [SweptProxyPair],
    before: &'a [SweptProxyPair],
    /// Which pairs are next.
    i: usize,
    j: usize,
    /// How many are new, and how many are gone.
    new: usize,
    gone: usize,
}

/// Ids as one number, in the order of the slots. Two with the same slots but not the same proxies
/// differ.
#[inline(always)]
fn number(pair: &SweptProxyPair) -> u128 {
    let [a, b] = [pair.a, pair.b].map(|id| {
        // As `ProxyId::to_bits`, in one load.
        let bits: u64 = bytemuck::cast(id);
        if cfg!(target_endian = "little") { bits.rotate_left(32) } else { bits }
    });
    u128::from(a) << 64 | u128::from(b)
}

impl<'a> Piece<'a> {
    fn new(now: &'a [SweptProxyPair], before: &'a [SweptProxyPair]) -> Self {
        Self { now, before, i: 0, j: 0, new: 0, gone: 0 }
    }

    /// Looks at the next pair of one list or of both; returns whether there is one of each.
    #[inline(always)]
    fn step(&mut self, new: &mut [u32], gone: &mut [u32]) -> bool {
        let (Some(here), Some(there)) = (self.now.get(self.i), self.before.get(self.j)) else {
            return false;
        };
        let (here, there) = (number(here), number(there));
        // What a pair is no branch could foresee: it is written to both lists and counts in one or none.
        (new[self.new], gone[self.gone]) = (self.i as u32, self.j as u32);
        let (begins, ends) = (here < there, there < here);
        self.new += usize::from(begins);
        self.gone += usize::from(ends);
        self.i += usize::from(!ends);
        self.j += usize::from(!begins);
        true
    }

    /// Writes which pairs are new and which are gone; returns how many.
    #[inline(always)]
    fn write(
        &self,
        (new, gone): (&[u32], &[u32]),
        (begins, ends): (&mut [SweptProxyPair], &mut [ProxyPair]),
    ) -> (usize, usize) {
        for (to, &at) in begins.iter_mut().zip(&new[..self.new]) {
            *to = self.now[at as usize];
        }
        for (to, &at) in ends.iter_mut().zip(&gone[..self.gone]) {
            *to = self.before[at as usize].into();
        }
        let (new, gone) = (&self.now[self.i..], &self.before[self.j..]);
        begins[self.new..][..new.len()].copy_from_slice(new);
        for (to, &pair) in ends[self.gone..].iter_mut().zip(gone) {
            *to = pair.into();
        }
        (self.new + new.len(), self.gone + gone.len())
    }
}

impl Diff<'_> {
    /// Writes the pairs of one part, as many as there is room for, and appends what is to be said
    /// of them. `before` are those of the last tick.
    pub(super) fn part(
        &self,
        part: usize,
        scratch: &mut Scratch,
        (to, before): (&mut [SweptProxyPair], &[SweptProxyPair]),
        events: &mut Events,
    ) {
        scratch.order.fill(self.level, &self.state.slots, self.dealt, (self.cut, part), to);
        self.compare(before, to, scratch, events);
    }

    /// Compares the pairs that touch with those before.
    fn compare(
        &self,
        before: &[SweptProxyPair],
        now: &[SweptProxyPair],
        scratch: &mut Scratch,
        events: &mut Events,
    ) {
        // Two halves at a time: one step waits for the one before it in the same half.
        let i = now.len() / 2;
        let is_lower = |middle| before.partition_point(|pair| number(pair) < number(middle));
        let j = now.get(i).map_or(before.len(), is_lower);
        let ((one, two), (one_before, two_before)) = (now.split_at(i), before.split_at(j));
        let mut lower = Piece::new(one, one_before);
        let mut upper = Piece::new(two, two_before);
        let (new, new_upper) = scratch.new.split_at_mut(i);
        let (gone, gone_upper) = scratch.gone.split_at_mut(j);
        while lower.step(new, gone) && upper.step(new_upper, gone_upper) {}
        while lower.step(new, gone) {}
        while upper.step(new_upper, gone_upper) {}

        let Events { begun, ended, rested } = events;
        let budget = &Budget::new(NO_LIMIT);
        let (begins, ends) = (begun.spare(now.len(), budget), ended.spare(before.len(), budget));
        let (begin, end) = lower.write((new, gone), (&mut *begins, &mut *ends));
        let to = (&mut begins[begin..], &mut ends[end..]);
        let (more, more_ended) = upper.write((new_upper, gone_upper), to);
        begun.keep(begin + more);
        let end = end + more_ended;
        let end = if self.at_rest.is_empty() { end } else { self.rest(ends, end, rested) };
        ended.keep(end);
    }

    /// Of the first `count` pairs, which were not found, leaves those that end; the others rest
    /// where they touch. Returns how many end.
    fn rest(&self, gone: &mut [ProxyPair], count: usize, rested: &mut Vec<ProxyPair>) -> usize {
        let at_rest = |index: u32| self.at_rest.get(index as usize).is_some_and(|&rests| rests > 0);
        let mut ends = 0;
        for k in 0..count {
            let pair = gone[k];
            if at_rest(pair.a.index()) && at_rest(pair.b.index()) && self.stays(pair) {
                rested.push(pair);
            } else {
                gone[ends] = pair;
                ends += 1;
            }
        }
        ends
    }

    /// Whether both still are what they were, may pair and touch where they rest.
    fn stays(&self, pair: ProxyPair) -> bool {
        let state = self.state;
        state.rest(pair).is_some_and(|(a, b)| {
            state.may_pair(a, b)
                && state.held(a).aabb.overlaps(&state.held(b).aabb)
                && self.accept.is_none_or(|accept| accept(pair))
        })
    }
}
