//! The events of one partition: what changed since the last tick.
//!
//! The found pairs are looked up among the cached pairs (`lookup.rs`). Pairs that are there persist,
//! new pairs begin, and cached pairs that were not found end. The exception are pairs of two
//! proxies that now rest and still touch: they are moved to the resting pairs.

use super::lookup::Recall;
use super::partition::{AcceptPair, Dealt, SlotParts};
use super::sort::Order;
use super::{ColumnsMut, PairColumns};
use crate::broadphase::pairs::buffer::Buffer;
use crate::broadphase::proxies::id::{ProxyId, ProxyPair, SweptProxyPair};
use crate::broadphase::proxies::state::BroadphaseState;
use crate::geom::SweptPair;
use crate::lanes::Level;
use crate::par::Budget;
use alloc::vec::Vec;

/// The lists of events have no limit of their own: the number of pairs has been checked before.
const NO_LIMIT: usize = usize::MAX;

/// The events of an update, and the pairs that start to rest; each list is ordered by index.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) begun: Buffer<SweptProxyPair>,
    pub(crate) ended: Buffer<ProxyPair>,
    /// Cached pairs that rest from now on.
    pub(crate) rested: Vec<ProxyPair>,
}

impl Events {
    pub(crate) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.rested.clear();
    }

    /// Appends the events of another partition.
    pub(crate) fn append(&mut self, other: &Self) {
        self.begun.append(other.begun.as_slice());
        self.ended.append(other.ended.as_slice());
        self.rested.extend_from_slice(&other.rested);
    }

    /// Reserves spare memory for a tick with a few more events.
    pub(crate) fn settle(&mut self) {
        self.begun.settle(0);
        self.ended.settle(0);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.begun.bytes() + self.ended.bytes() + self.rested.capacity() * size_of::<ProxyPair>()
    }
}

/// Scratch memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    recall: Recall,
    order: Order,
    /// Used by the partitioning of pairs.
    pub(crate) pairs: Vec<SweptPair>,
}

impl Scratch {
    pub(crate) fn bytes(&self) -> usize {
        let pairs = self.pairs.capacity() * size_of::<SweptPair>();
        self.recall.bytes() + self.order.bytes() + pairs
    }

    /// Reserves memory for a partition with this many slots, found pairs and cached pairs.
    pub(crate) fn make_room(&mut self, level: Level, slots: usize, pairs: usize, before: usize) {
        self.recall.make_room(level, slots, pairs, before);
        self.order.make_room(slots, pairs);
    }
}

/// The inputs that all partitions share.
pub(crate) struct Diff<'a> {
    pub(crate) level: Level,
    pub(crate) state: &'a BroadphaseState,
    pub(crate) dealt: Dealt<'a>,
    /// Not 0 for slots that rest. May be shorter than the slots.
    pub(crate) at_rest: &'a [u8],
    pub(crate) cut: SlotParts,
    pub(crate) accept: Option<AcceptPair<'a>>,
}

impl Diff<'_> {
    /// Writes the touching pairs of one partition, as many as there is space for, and appends its
    /// events. `before` are its cached pairs.
    pub(crate) fn part(
        &self,
        part: usize,
        scratch: &mut Scratch,
        (mut to, before): (ColumnsMut<'_>, PairColumns<'_>),
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

    /// Separates cached pairs that were not found: those that end are moved to the front, the
    /// others rest. Returns how many end.
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

    /// Whether both proxies still exist and rest, may pair, and touch.
    fn stays(&self, pair: ProxyPair) -> bool {
        let state = self.state;
        state.rest(pair).is_some_and(|(a, b)| {
            state.may_pair(a, b)
                && state.held(a).aabb.overlaps(&state.held(b).aabb)
                && self.accept.is_none_or(|accept| accept(pair))
        })
    }
}
