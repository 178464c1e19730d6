//! What has changed since the last tick?
//!
//! The pairs of a part are put in order, by counting the lower index and sorting what has the same.
//! Then they are compared with those of the last tick in one pass: what is in both persists, what
//! is new begins, and what is gone ends, but for pairs that have come to rest where they still
//! touch.

use super::gather::{Cut, Dealt};
use super::id::{ProxyPair, SweptProxyPair};
use super::state::State;
use crate::broadphase::buffer::make_room;
use alloc::vec::Vec;

/// Where there are so many slots for one pair, sorting costs less than counting.
const SLOTS_PER_PAIR: usize = 4;

/// What an update says, and what it keeps; each list by index.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) touching: Vec<SweptProxyPair>,
    pub(super) begun: Vec<SweptProxyPair>,
    pub(super) persisted: Vec<SweptProxyPair>,
    pub(super) ended: Vec<ProxyPair>,
    /// Pairs that are kept and not looked at until something changes.
    pub(super) rested: Vec<ProxyPair>,
}

impl Lists {
    pub(super) fn clear(&mut self) {
        let Self { touching, begun, persisted, ended, rested } = self;
        touching.clear();
        begun.clear();
        persisted.clear();
        ended.clear();
        rested.clear();
    }

    /// Appends what another has.
    pub(super) fn append(&mut self, other: &Self) {
        self.touching.extend_from_slice(&other.touching);
        self.begun.extend_from_slice(&other.begun);
        self.persisted.extend_from_slice(&other.persisted);
        self.ended.extend_from_slice(&other.ended);
        self.rested.extend_from_slice(&other.rested);
    }

    /// Makes room for so many pairs that touch.
    pub(super) fn make_room(&mut self, pairs: usize) {
        make_room(&mut self.touching, pairs);
        make_room(&mut self.persisted, pairs);
    }

    pub(super) fn bytes(&self) -> usize {
        let swept = self.touching.capacity() + self.begun.capacity() + self.persisted.capacity();
        swept * size_of::<SweptProxyPair>()
            + (self.ended.capacity() + self.rested.capacity()) * size_of::<ProxyPair>()
    }
}

/// The memory of a worker.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) pairs: Vec<SweptProxyPair>,
    counts: Vec<u32>,
}

impl Scratch {
    pub(super) fn bytes(&self) -> usize {
        self.pairs.capacity() * size_of::<SweptProxyPair>()
            + self.counts.capacity() * size_of::<u32>()
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
    pub(super) cut: Cut,
    pub(super) accept: &'a A,
}

impl<A: Fn(ProxyPair) -> bool> Diff<'_, A> {
    /// Appends what is to be said of one part.
    pub(super) fn part(&self, part: usize, scratch: &mut Scratch, lists: &mut Lists) {
        let Scratch { pairs, counts } = scratch;
        pairs.clear();
        self.dealt.iter().for_each(|dealt| pairs.extend_from_slice(dealt.part(part)));
        let from = lists.touching.len();
        self.sort(part, pairs, counts, &mut lists.touching);
        let slots = self.cut.slots(part);
        let start = |slot: u64| self.before.partition_point(|pair| pair.key() >> 32 < slot);
        let before = &self.before[start(slots.start)..start(slots.end)];
        self.compare(before, from, lists);
    }

    /// Appends the pairs in order.
    fn sort(
        &self,
        part: usize,
        pairs: &[SweptProxyPair],
        counts: &mut Vec<u32>,
        to: &mut Vec<SweptProxyPair>,
    ) {
        let from = to.len();
        to.extend_from_slice(pairs);
        let sorted = &mut to[from..];
        let width = self.cut.width();
        if pairs.len() * SLOTS_PER_PAIR < width {
            sorted.sort_unstable_by_key(SweptProxyPair::key);
            return;
        }
        let first = self.cut.slots(part).start as u32;
        counts.clear();
        counts.resize(width, 0);
        for pair in pairs {
            counts[(pair.a.index() - first) as usize] += 1;
        }
        let mut start = 0;
        for count in counts.iter_mut() {
            start += core::mem::replace(count, start);
        }
        for &pair in pairs {
            let at = &mut counts[(pair.a.index() - first) as usize];
            sorted[*at as usize] = pair;
            *at += 1;
        }
        let mut start = 0;
        for &end in counts.iter() {
            let end = end as usize;
            if end - start > 1 {
                sorted[start..end].sort_unstable_by_key(|pair| pair.b.index());
            }
            start = end;
        }
    }

    /// Compares the pairs that touch from `from` on with those before.
    fn compare(&self, mut before: &[SweptProxyPair], from: usize, lists: &mut Lists) {
        let Lists { touching, begun, persisted, ended, rested } = lists;
        for &pair in &touching[from..] {
            while let [old, rest @ ..] = before
                && old.key() < pair.key()
            {
                self.part_with(*old, ended, rested);
                before = rest;
            }
            match before {
                [old, rest @ ..] if old.key() == pair.key() => {
                    before = rest;
                    if ProxyPair::from(*old) == pair.into() {
                        persisted.push(pair);
                    } else {
                        // The slot of one has a new proxy.
                        ended.push((*old).into());
                        begun.push(pair);
                    }
                }
                _ => begun.push(pair),
            }
        }
        for &old in before {
            self.part_with(old, ended, rested);
        }
    }

    /// A pair was not found: it ends, unless both rest where they touch.
    fn part_with(
        &self,
        pair: SweptProxyPair,
        ended: &mut Vec<ProxyPair>,
        rested: &mut Vec<ProxyPair>,
    ) {
        let (state, pair) = (self.state, ProxyPair::from(pair));
        let stays = state.rest(pair).is_some_and(|(a, b)| {
            state.may_pair(a, b) && state.held(a).aabb.overlaps(&state.held(b).aabb)
        });
        if stays && (self.accept)(pair) { rested.push(pair) } else { ended.push(pair) }
    }
}
