//! What has changed since the last tick?
//!
//! The pairs of a part, in order, are compared with those of the last tick in one pass: what is in
//! both persists, what is new begins, and what is gone ends, but for pairs that have come to rest
//! where they still touch.

use super::gather::{Cut, Dealt};
use super::id::{ProxyPair, SweptProxyPair};
use super::order::Order;
use super::state::State;
use crate::broadphase::buffer::{Buffer, make_room};
use crate::lanes::Level;
use crate::par::Budget;
use alloc::vec::Vec;

/// Lists grow as they need to: how long they may get was asked before.
const NO_LIMIT: usize = usize::MAX;
/// A part is compared in so many pieces at a time: one step of a comparison waits for the one
/// before it.
const PIECES: usize = 2;

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
        append(&mut self.begun, other.begun.as_slice());
        append(&mut self.ended, other.ended.as_slice());
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

fn append<T: Copy + Default>(to: &mut Buffer<T>, from: &[T]) {
    to.spare(from.len(), &Budget::new(NO_LIMIT))[..from.len()].copy_from_slice(from);
    to.keep(from.len());
}

/// The memory of a worker.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) order: Order,
    /// Which pairs are new and which are gone, a piece after the other.
    new: Vec<u32>,
    gone: Vec<u32>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        self.order.bytes() + (self.new.capacity() + self.gone.capacity()) * size_of::<u32>()
    }

    /// Makes room for a part of so many pairs, and of so many before.
    pub(super) fn make_room(&mut self, pairs: usize, before: usize) {
        for (list, len) in [(&mut self.new, pairs), (&mut self.gone, before)] {
            make_room(list, len);
            list.resize(len.max(list.len()), 0);
        }
    }
}

/// What the parts are compared with.
pub(super) struct Diff<'a, A> {
    pub(super) level: Level,
    pub(super) state: &'a State,
    /// The pairs of the last tick that may not be kept unseen, by index.
    pub(super) before: &'a [SweptProxyPair],
    pub(super) dealt: &'a [Dealt],
    /// By slot, not of all: not 0 where it is at rest.
    pub(super) at_rest: &'a [u8],
    pub(super) cut: Cut,
    pub(super) accept: Option<&'a A>,
}

/// A piece of two lists that are merged: what is still to be looked at, and what was written.
#[derive(Clone, Copy, Debug, Default)]
struct Piece {
    now: (usize, usize),
    before: (usize, usize),
    /// Where the next new one is written, and the next one that is gone.
    new: usize,
    gone: usize,
}

/// Ids as one number, in the order of the slots. Two that have the same slots but not the same
/// proxies are two.
#[inline(always)]
fn number(pair: &SweptProxyPair) -> u128 {
    u128::from(pair.a.to_bits()) << 64 | u128::from(pair.b.to_bits())
}

impl Piece {
    #[inline(always)]
    fn is_open(&self) -> bool {
        (self.now.0 < self.now.1) & (self.before.0 < self.before.1)
    }

    /// Looks at the next pair of one list or of both.
    #[inline(always)]
    fn step(
        &mut self,
        (now, before): (&[SweptProxyPair], &[SweptProxyPair]),
        (new, gone): (&mut [u32], &mut [u32]),
    ) {
        // What a pair is no branch could foresee: it is written to both lists and counts in one or none.
        let (i, j) = (self.now.0, self.before.0);
        let (here, there) = (number(&now[i]), number(&before[j]));
        (new[self.new], gone[self.gone]) = (i as u32, j as u32);
        let (begins, ends) = (here < there, there < here);
        self.new += usize::from(begins);
        self.gone += usize::from(ends);
        self.now.0 += usize::from(!ends);
        self.before.0 += usize::from(!begins);
    }
}

impl<A: Fn(ProxyPair) -> bool> Diff<'_, A> {
    /// Writes the pairs of one part, which are as many as there is room, and appends what is to be said of them.
    pub(super) fn part(
        &self,
        part: usize,
        scratch: &mut Scratch,
        to: &mut [SweptProxyPair],
        events: &mut Events,
    ) {
        scratch.order.fill(self.level, &self.state.slots, self.dealt, (self.cut, part), to);
        self.compare(self.before(part), to, scratch, events);
    }

    /// The pairs before of a part.
    pub(super) fn before(&self, part: usize) -> &[SweptProxyPair] {
        let slots = self.cut.slots(part);
        let start = |slot: u64| self.before.partition_point(|pair| pair.key() >> 32 < slot);
        &self.before[start(slots.start)..start(slots.end)]
    }

    /// Compares the pairs that touch with those before.
    fn compare(
        &self,
        before: &[SweptProxyPair],
        now: &[SweptProxyPair],
        scratch: &mut Scratch,
        events: &mut Events,
    ) {
        let Scratch { new, gone, .. } = scratch;
        let mut pieces = [Piece::default(); PIECES];
        let (mut i, mut j) = (0, 0);
        for (k, piece) in pieces.iter_mut().enumerate() {
            let i_end = now.len() * (k + 1) / PIECES;
            let is_before = |pivot| before.partition_point(|pair| number(pair) < number(pivot));
            let j_end = now.get(i_end).map_or(before.len(), is_before);
            *piece = Piece { now: (i, i_end), before: (j, j_end), new: i, gone: j };
            (i, j) = (i_end, j_end);
        }
        while pieces.iter().all(Piece::is_open) {
            for piece in &mut pieces {
                piece.step((now, before), (new, gone));
            }
        }
        let Events { begun, ended, rested } = events;
        let budget = &Budget::new(NO_LIMIT);
        let (begins, ends) = (begun.spare(now.len(), budget), ended.spare(before.len(), budget));
        let (mut begin, mut end) = (0, 0);
        (i, j) = (0, 0);
        for mut piece in pieces {
            while piece.is_open() {
                piece.step((now, before), (new, gone));
            }
            for &at in &new[i..piece.new] {
                begins[begin] = now[at as usize];
                begin += 1;
            }
            for pair in &now[piece.now.0..piece.now.1] {
                begins[begin] = *pair;
                begin += 1;
            }
            for &at in &gone[j..piece.gone] {
                ends[end] = before[at as usize].into();
                end += 1;
            }
            for &pair in &before[piece.before.0..piece.before.1] {
                ends[end] = pair.into();
                end += 1;
            }
            (i, j) = (piece.now.1, piece.before.1);
        }
        begun.keep(begin);
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
