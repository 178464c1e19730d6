//! What has changed since the last tick?
//!
//! The pairs of a part are put in order, by counting the lower index and sorting what has the same.
//! Then they are compared with those of the last tick in one pass: what is in both persists, what
//! is new begins, and what is gone ends, but for pairs that have come to rest where they still
//! touch.

use super::gather::{Cut, Dealt};
use super::id::{ProxyPair, SweptProxyPair};
use super::state::State;
use crate::broadphase::buffer::{Buffer, make_room};
use crate::geom::SweptPair;
use crate::par::Budget;
use alloc::vec::Vec;
use core::ops::Range;

/// Where there are so many slots for one pair, sorting costs less than counting.
const SLOTS_PER_PAIR: usize = 4;
/// Of so many pairs with one lower slot the place is found by comparing each with each.
const RANKED_MAX: usize = 16;
/// Lists grow as they need to: how long they may get was asked before.
const NO_LIMIT: usize = usize::MAX;

/// What an update says, and what it keeps; each list by index.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) touching: Vec<SweptProxyPair>,
    pub(super) begun: Buffer<SweptProxyPair>,
    pub(super) ended: Buffer<ProxyPair>,
    /// Pairs that are kept and not looked at until something changes.
    pub(super) rested: Vec<ProxyPair>,
}

impl Lists {
    /// Empties what is said. What is kept is written over where it lies.
    pub(super) fn clear(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.rested.clear();
    }

    /// Appends what another has.
    pub(super) fn append(&mut self, other: &Self) {
        self.touching.extend_from_slice(&other.touching);
        append(&mut self.begun, other.begun.as_slice());
        append(&mut self.ended, other.ended.as_slice());
        self.rested.extend_from_slice(&other.rested);
    }

    /// Makes room for so many pairs that touch.
    pub(super) fn make_room(&mut self, pairs: usize) {
        make_room(&mut self.touching, pairs);
        if self.touching.len() < pairs {
            self.touching.resize(pairs, SweptProxyPair::default());
        }
    }

    /// Leaves room to spare for a tick with a few more pairs.
    pub(super) fn settle(&mut self) {
        self.begun.settle(0);
        self.ended.settle(0);
    }

    pub(super) fn bytes(&self) -> usize {
        self.touching.capacity() * size_of::<SweptProxyPair>()
            + self.begun.bytes()
            + self.ended.bytes()
            + self.rested.capacity() * size_of::<ProxyPair>()
    }
}

fn append<T: Copy + Default>(to: &mut Buffer<T>, from: &[T]) {
    to.spare(from.len(), &Budget::new(NO_LIMIT))[..from.len()].copy_from_slice(from);
    to.keep(from.len());
}

/// The memory of a worker.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) pairs: Vec<SweptPair>,
    counts: Vec<u32>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<SweptPair>() + self.counts.capacity() * size_of::<u32>()
    }

    /// Makes room for a part of so many slots and pairs.
    pub(super) fn make_room(&mut self, slots: usize, pairs: usize) {
        make_room(&mut self.pairs, pairs);
        if pairs * SLOTS_PER_PAIR >= slots {
            make_room(&mut self.counts, slots);
        }
    }
}

/// What the parts are compared with.
pub(super) struct Diff<'a, A> {
    pub(super) state: &'a State,
    /// The pairs of the last tick that may not be kept unseen, by index.
    pub(super) before: &'a [SweptProxyPair],
    pub(super) dealt: &'a [Dealt],
    /// By slot, not of all: not 0 where it is at rest.
    pub(super) at_rest: &'a [u8],
    pub(super) cut: Cut,
    pub(super) accept: &'a A,
}

impl<A: Fn(ProxyPair) -> bool> Diff<'_, A> {
    /// Appends what is to be said of one part. What is kept is written from `from` on, where there is
    /// room; returns where it ends.
    pub(super) fn part(
        &self,
        part: usize,
        scratch: &mut Scratch,
        lists: &mut Lists,
        from: usize,
    ) -> usize {
        let end = from + self.sort(part, scratch, &mut lists.touching[from..]);
        let slots = self.cut.slots(part);
        let start = |slot: u64| self.before.partition_point(|pair| pair.key() >> 32 < slot);
        let before = &self.before[start(slots.start)..start(slots.end)];
        self.compare(before, from..end, lists);
        end
    }

    /// Writes the pairs of a part in order and returns how many.
    fn sort(&self, part: usize, scratch: &mut Scratch, to: &mut [SweptProxyPair]) -> usize {
        let Scratch { pairs, counts } = scratch;
        let dealt = || self.dealt.iter().map(|dealt| dealt.part(part));
        let count = dealt().map(<[SweptPair]>::len).sum();
        let slots = &self.state.slots;
        let name = |&SweptPair { a, b, first }: &SweptPair| SweptProxyPair {
            a: slots.id(a as usize),
            b: slots.id(b as usize),
            first,
        };
        let width = self.cut.width();
        pairs.clear();
        if count * SLOTS_PER_PAIR < width {
            dealt().for_each(|dealt| pairs.extend_from_slice(dealt));
            pairs.sort_unstable_by_key(|pair| u64::from(pair.a) << 32 | u64::from(pair.b));
            to.iter_mut().zip(&*pairs).for_each(|(to, pair)| *to = name(pair));
            return count;
        }
        let first = self.cut.slots(part).start as u32;
        counts.clear();
        counts.resize(width, 0);
        for pair in dealt().flatten() {
            counts[(pair.a - first) as usize] += 1;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += core::mem::replace(count, start);
        }
        pairs.resize(count, SweptPair::default());
        for &pair in dealt().flatten() {
            let at = &mut counts[(pair.a - first) as usize];
            pairs[*at as usize] = pair;
            *at += 1;
        }
        let mut start = 0;
        for &end in counts.iter() {
            let end = end as usize;
            let (of_one, to) = (&mut pairs[start..end], &mut to[start..end]);
            start = end;
            if of_one.len() > RANKED_MAX {
                of_one.sort_unstable_by_key(|pair| pair.b);
                to.iter_mut().zip(&*of_one).for_each(|(to, pair)| *to = name(pair));
                continue;
            }
            for pair in &*of_one {
                let rank: usize = of_one.iter().map(|other| usize::from(other.b < pair.b)).sum();
                to[rank] = name(pair);
            }
        }
        count
    }

    /// Compares these of the pairs that touch with those before.
    fn compare(&self, before: &[SweptProxyPair], these: Range<usize>, lists: &mut Lists) {
        let Lists { touching, begun, ended, rested } = lists;
        let (now, budget) = (&touching[these], &Budget::new(NO_LIMIT));
        let new = begun.spare(now.len(), budget);
        let gone = ended.spare(before.len(), budget);
        let (mut i, mut j, mut begins, mut ends) = (0, 0, 0, 0);
        // What a pair is no branch could foresee: it is written to both lists and counts in one or none.
        while i < now.len() && j < before.len() {
            let (here, there) = (now[i], before[j]);
            let (key, key_before) = (here.key(), there.key());
            let (next, next_before) = (key <= key_before, key_before <= key);
            // With the same key but not the same ids, the slot of one has a new proxy.
            let same = (here.a == there.a) & (here.b == there.b);
            (new[begins], gone[ends]) = (here, there.into());
            begins += usize::from(next & !same);
            ends += usize::from(next_before & !same);
            (i, j) = (i + usize::from(next), j + usize::from(next_before));
        }
        let rest = now.len() - i;
        new[begins..begins + rest].copy_from_slice(&now[i..]);
        for &pair in &before[j..] {
            gone[ends] = pair.into();
            ends += 1;
        }
        begun.keep(begins + rest);
        let ends = if self.at_rest.is_empty() { ends } else { self.rest(gone, ends, rested) };
        ended.keep(ends);
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
                && (self.accept)(pair)
        })
    }
}
