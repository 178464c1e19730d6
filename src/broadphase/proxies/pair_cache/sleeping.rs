//! The resting pairs, in a linked list for each proxy.
//!
//! A pair of two resting proxies is stored here and not visited, however many there are, until one
//! of the two changes. An edge is in two doubly linked lists, one for each of its ends; the links
//! are in the edges, as in the contact graph of `Box2D` (Catto). So removing the pairs of a proxy
//! takes time for these pairs only.

use crate::broadphase::pairs::buffer::reserve_total;
use crate::broadphase::proxies::id::{ProxyId, ProxyPair};
use crate::broadphase::proxies::slots::NONE;
use crate::columns::impl_memory;
use crate::geom::most_of;
use alloc::vec::Vec;

/// A pair, and for each of its ends the neighbours in the list of that proxy. The number of an end
/// is `2 · edge + side`. In a free edge only `next[0]` is used: it is the next free edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) pair: ProxyPair,
    before: [u32; 2],
    next: [u32; 2],
}

/// All resting pairs.
#[derive(Clone, Debug)]
pub(crate) struct RestingPairs {
    edges: Vec<Edge>,
    /// The first end in the list of each slot. May be shorter than the slots.
    heads: Vec<u32>,
    free: u32,
    len: u32,
}

impl_memory!(RestingPairs { edges, heads; without free, len });

impl Default for RestingPairs {
    fn default() -> Self {
        Self { edges: Vec::new(), heads: Vec::new(), free: NONE, len: 0 }
    }
}

impl RestingPairs {
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// The number of pairs that fit.
    pub(crate) fn capacity(&self) -> usize {
        self.edges.capacity()
    }

    /// Whether the proxy has no resting pair.
    pub(crate) fn has_no_pair(&self, index: usize) -> bool {
        self.heads.get(index).is_none_or(|&head| head == NONE)
    }

    /// Adds a pair that is not stored yet.
    pub(crate) fn add(&mut self, pair: ProxyPair) {
        let edge = Edge { pair, before: [NONE; 2], next: [NONE; 2] };
        let at = match self.free {
            NONE => {
                self.edges.push(edge);
                self.edges.len() - 1
            }
            free => {
                self.free = self.edges[free as usize].next[0];
                self.edges[free as usize] = edge;
                free as usize
            }
        };
        self.len += 1;
        for (side, of) in [pair.a, pair.b].iter().enumerate() {
            let (index, end) = (of.index() as usize, (2 * at + side) as u32);
            if self.heads.len() <= index {
                self.heads.resize(index + 1, NONE);
            }
            let next = core::mem::replace(&mut self.heads[index], end);
            self.edges[at].next[side] = next;
            if next != NONE {
                self.edges[next as usize / 2].before[next as usize % 2] = end;
            }
        }
    }

    /// Moves all pairs of a proxy to the end of `to`.
    #[inline]
    pub(crate) fn take_pairs_of(&mut self, index: usize, to: &mut Vec<ProxyPair>) {
        if !self.has_no_pair(index) {
            self.take_all_pairs_of(index, to);
        }
    }

    fn take_all_pairs_of(&mut self, index: usize, to: &mut Vec<ProxyPair>) {
        let mut end = core::mem::replace(&mut self.heads[index], NONE);
        while end != NONE {
            let (at, side) = (end as usize / 2, end as usize % 2);
            let Edge { pair, before, next } = self.edges[at];
            to.push(pair);
            // Unlink the edge from the list of the other proxy.
            let other = 1 - side;
            match before[other] {
                NONE => {
                    let of = [pair.a, pair.b][other];
                    self.heads[of.index() as usize] = next[other];
                }
                end => self.edges[end as usize / 2].next[end as usize % 2] = next[other],
            }
            if next[other] != NONE {
                let end = next[other] as usize;
                self.edges[end / 2].before[end % 2] = before[other];
            }
            self.edges[at].pair = ProxyPair::default();
            self.edges[at].next[0] = self.free;
            self.free = at as u32;
            self.len -= 1;
            end = next[side];
        }
    }

    /// The pairs of a proxy, in arbitrary order.
    pub(crate) fn pairs_of(&self, index: usize) -> impl Iterator<Item = ProxyPair> {
        let mut end = self.heads.get(index).copied().unwrap_or(NONE);
        core::iter::from_fn(move || {
            let edge = self.edges.get(end as usize / 2).filter(|_| end != NONE)?;
            end = edge.next[end as usize % 2];
            Some(edge.pair)
        })
    }

    /// Whether a pair is stored. The time is linear in the pairs of the proxy that has fewer of them.
    pub(crate) fn contains(&self, pair: ProxyPair) -> bool {
        let lists = [pair.a, pair.b].map(|id| self.pairs_of(id.index() as usize));
        let [of_a, of_b] = lists;
        of_a.zip(of_b).any(|both| both.0 == pair || both.1 == pair)
    }

    /// All pairs, in arbitrary order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ProxyPair> {
        let linked = self.edges.iter().filter(|edge| edge.pair.a != ProxyId::NONE);
        linked.map(|edge| edge.pair)
    }

    /// Whether the lists are intact: each edge is in the list of each of its ends, exactly once.
    pub(crate) fn is_sound(&self) -> bool {
        let ends = 2 * self.edges.len();
        let mut seen = 0;
        for (index, &head) in self.heads.iter().enumerate() {
            let (mut before, mut end) = (NONE, head);
            while end != NONE {
                let (at, side) = (end as usize / 2, end as usize % 2);
                let Some(edge) = self.edges.get(at) else { return false };
                let of = [edge.pair.a, edge.pair.b][side];
                // More steps than there are ends: the list is circular.
                seen += 1;
                if of.index() as usize != index || edge.before[side] != before || seen > ends {
                    return false;
                }
                (before, end) = (end, edge.next[side]);
            }
        }
        let (mut free, mut at) = (0, self.free);
        while at != NONE {
            let Some(edge) = self.edges.get(at as usize) else { return false };
            free += 1;
            if edge.pair != ProxyPair::default() || free > self.edges.len() {
                return false;
            }
            at = edge.next[0];
        }
        seen == 2 * self.len() && free + self.len() == self.edges.len()
    }

    pub(crate) fn reserve(&mut self, slots: usize, pairs: usize) {
        reserve_total(&mut self.edges, pairs);
        reserve_total(&mut self.heads, slots);
    }

    /// Frees the memory of pairs that were removed, if there are more than `most` places for pairs: stores the others anew.
    pub(crate) fn compact(&mut self, most: usize) {
        if self.capacity() <= most || self.capacity() == self.len() {
            return;
        }
        let mut pairs = Vec::with_capacity(self.len());
        pairs.extend(self.iter());
        (self.edges, self.free, self.len) = (Vec::with_capacity(pairs.len()), NONE, 0);
        self.heads.truncate(slots_of(&pairs));
        self.heads.fill(NONE);
        pairs.iter().for_each(|&pair| self.add(pair));
    }

    /// Removes all pairs and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.edges.clear();
        self.heads.clear();
        (self.free, self.len) = (NONE, 0);
    }
}

/// The number of slots up to the last one of these pairs.
fn slots_of(pairs: &[ProxyPair]) -> usize {
    // The second slot of a pair is the greater one.
    most_of(pairs, |pair| pair.b.index() as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::{NONE, ProxyId, ProxyPair, RestingPairs};
    use alloc::vec::Vec;

    /// Goal: exactly the pairs that are stored are found, in either list. Method: a proxy with many partners, each of which has another
    /// one or none; every two proxies are tried.
    #[test]
    fn stored_pairs_are_found_by_either_proxy() {
        let pair = |a, b| ProxyPair::new(ProxyId::new(a, 1), ProxyId::new(b, 1));
        let mut pairs = RestingPairs::default();
        let stored: Vec<_> = (1..9).map(|k| (0, k)).chain([(1, 2), (3, 4), (4, 5)]).collect();
        stored.iter().for_each(|&(a, b)| pairs.add(pair(a, b)));
        for (a, b) in (0..10).flat_map(|a| (a + 1..11).map(move |b| (a, b))) {
            assert_eq!(pairs.contains(pair(a, b)), stored.contains(&(a, b)), "{a} {b}");
        }
        let stale = ProxyPair::new(ProxyId::new(0, 1), ProxyId::new(8, 2));
        assert!(pairs.contains(pair(0, 8)) && !pairs.contains(stale));
    }

    /// Goal: compact lists have the same pairs, and memory for them only. Method: a proxy with many partners, of which all but some are removed;
    /// a limit that is reached, and then one that is not.
    #[test]
    fn compact_lists_have_the_same_pairs() {
        let pair = |a, b| ProxyPair::new(ProxyId::new(a, 1), ProxyId::new(b, 1));
        for left in [0, 1, 3, 99] {
            let mut pairs = RestingPairs::default();
            (1..100).for_each(|k| pairs.add(pair(0, k)));
            let mut taken = Vec::new();
            (left + 1..100).for_each(|k| pairs.take_pairs_of(k, &mut taken));
            let before = pairs.capacity();
            pairs.compact(before);
            assert_eq!(pairs.capacity(), before);
            pairs.compact(before - 1);
            assert!(pairs.is_sound());
            assert_eq!((pairs.capacity(), pairs.len()), (left, left));
            assert!((1..100).all(|k| pairs.contains(pair(0, k)) == (k <= left as u32)));
            pairs.add(pair(1, 2));
            assert!(pairs.is_sound() && pairs.contains(pair(1, 2)));
        }
    }

    /// Goal: intact lists are recognised, and each kind of damage to them. Method: three pairs of four proxies, of which one is
    /// removed; then each link, the free edge and the number of pairs are changed, one at a time.
    #[test]
    fn damaged_lists_are_recognised() {
        let pair = |a, b| ProxyPair::new(ProxyId::new(a, 1), ProxyId::new(b, 1));
        let mut pairs = RestingPairs::default();
        assert!(pairs.is_sound());
        for (a, b) in [(0, 1), (1, 2), (0, 3)] {
            pairs.add(pair(a, b));
        }
        assert!(pairs.is_sound() && pairs.len() == 3);
        let mut taken = Vec::new();
        pairs.take_pairs_of(2, &mut taken);
        assert_eq!(taken, [pair(1, 2)]);
        assert!(pairs.is_sound() && pairs.len() == 2);

        let damaged: [fn(&mut RestingPairs); 9] = [
            |pairs| pairs.len += 1,
            |pairs| pairs.len -= 1,
            |pairs| pairs.free = NONE,
            |pairs| pairs.free = 9,
            |pairs| pairs.edges[1].next[0] = 1,
            |pairs| pairs.edges[1].pair.a = ProxyId::new(7, 1),
            |pairs| pairs.heads[0] = NONE,
            |pairs| pairs.edges[2].before[0] = 0,
            |pairs| pairs.edges[2].next[0] = 4,
        ];
        for (kind, damage) in damaged.iter().enumerate() {
            let mut pairs = pairs.clone();
            damage(&mut pairs);
            assert!(!pairs.is_sound(), "damage {kind}");
        }
    }
}
