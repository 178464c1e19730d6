//! What has changed since the last tick?
//!
//! The pairs of a part are looked up among those of the last tick (`recall`): what is there persists,
//! what is new begins, and what is gone ends, but for pairs that have come to rest where they still
//! touch.

use super::gather::{Accept, Cut, Dealt};
use super::id::{ProxyId, ProxyPair, SweptProxyPair};
use super::kept::{Columns, ColumnsMut};
use super::order::Order;
use super::recall::Recall;
use super::state::State;
use crate::broadphase::buffer::Buffer;
use crate::geom::SweptPair;
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
    recall: Recall,
    order: Order,
    /// To deal pairs.
    pub(super) pairs: Vec<SweptPair>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        let pairs = self.pairs.capacity() * size_of::<SweptPair>();
        self.recall.bytes() + self.order.bytes() + pairs
    }

    /// Makes room for a part of so many slots and pairs, and of so many pairs before.
    pub(super) fn make_room(&mut self, level: Level, slots: usize, pairs: usize, before: usize) {
        self.recall.make_room(level, slots, pairs, before);
        self.order.make_room(slots, pairs);
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

impl Diff<'_> {
    /// Writes the pairs of one part, as many as there is room for, and appends what is to be said
    /// of them. `before` are those of the last tick.
    pub(super) fn part(
        &self,
        part: usize,
        scratch: &mut Scratch,
        (mut to, before): (ColumnsMut<'_>, Columns<'_>),
        events: &mut Events,
    ) {
        let Self { level, dealt, cut, .. } = *self;
        let Scratch { recall, order, .. } = scratch;
        let slots = &self.state.slots;
        let first = cut.slots(part).start as u32;
        let new = recall.look_up(level, slots, (dealt, part), (before, first));
        let new = order.sort(level, new, (cut, part));
        let gone = recall.merge(level, new, &mut to);

        let Events { begun, ended, rested } = events;
        let budget = &Budget::new(NO_LIMIT);
        let id = |slot: u32| slots.id(slot as usize);
        for (to, &SweptPair { a, b, first }) in begun.spare(new.len(), budget).iter_mut().zip(new) {
            *to = SweptProxyPair { a: id(a), b: id(b), first };
        }
        begun.keep(new.len());
        let ends = ended.spare(gone.len(), budget);
        let said = slots.generations_said();
        for (to, &k) in ends.iter_mut().zip(gone) {
            let SweptPair { a, b, .. } = before.get(k as usize);
            let id = |slot: u32| ProxyId::new(slot, said[slot as usize]);
            *to = ProxyPair { a: id(a), b: id(b) };
        }
        let ends = &mut ends[..gone.len()];
        let end = if self.at_rest.is_empty() { gone.len() } else { self.rest(ends, rested) };
        ended.keep(end);
    }

    /// Of pairs that were not found moves those that end to the front; the others rest where they
    /// touch. Returns how many end.
    fn rest(&self, gone: &mut [ProxyPair], rested: &mut Vec<ProxyPair>) -> usize {
        let at_rest = |index: u32| self.at_rest.get(index as usize).is_some_and(|&rests| rests > 0);
        let mut ends = 0;
        for k in 0..gone.len() {
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
