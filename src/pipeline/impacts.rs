//! Sorts the impacts, and limits their number for each body.
//!
//! Impacts are ordered by time, then by pair. A limit of `k` keeps an impact if it is among the
//! first `k` of at least one of its two bodies. So if a thousand bullets hit a wall, all impacts
//! are kept, because each is the first of its bullet.

use crate::geom::{MapEach, Pair};
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Impacts of one task.
const CHUNK: usize = 4096;

/// The kind of an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ImpactKind {
    /// The bodies touch from `toi` on, or touch at the start in a way that counts.
    #[default]
    Touching,
    /// The bodies overlap from the start of the tick on.
    Overlapping,
    /// The search was given up. The bodies do not touch before `toi`; what happens later is
    /// unknown.
    Unresolved,
}

/// Two bodies that meet in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact<P = Pair> {
    /// The time of impact: a fraction of the tick, never late.
    pub toi: f32,
    /// The two bodies, the lower one first.
    pub pair: P,
    /// After this time the bodies no longer touch: the last time of contact of their bounds. For
    /// two plain boxes without acceleration this is the end of the contact itself, if they were to
    /// pass through each other.
    pub last: f32,
    /// The kind of the impact.
    pub kind: ImpactKind,
    /// The unit contact normal at that time, from `a` to `b`; zero for [`ImpactKind::Unresolved`].
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b` at that time, or deepest inside it, in world coordinates.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a` at that time, or deepest inside it, in world coordinates.
    pub on_b: [f32; 3],
    /// The speed at which those points approach each other along the normal, in length per tick;
    /// negative if they separate.
    pub closing: f32,
    /// The penetration depth, beyond the target distance; 0 except for [`ImpactKind::Overlapping`].
    pub depth: f32,
}

impl<P> Impact<P> {
    /// The same impact with another label of the pair, such as the ids of the caller's bodies.
    #[must_use]
    pub fn with_pair<Q>(self, pair: Q) -> Impact<Q> {
        let Self { toi, last, kind, normal, on_a, on_b, closing, depth, .. } = self;
        Impact { toi, pair, last, kind, normal, on_a, on_b, closing, depth }
    }
}

/// Unsorted impacts and their sort keys.
#[derive(Debug, Default)]
pub(super) struct Bunch {
    pub(super) impacts: Vec<Impact>,
    /// Time, rows and index in one number, so that sorting moves 16 bytes for each impact.
    keys: Vec<u128>,
}

impl Bunch {
    pub(super) fn clear(&mut self) {
        self.impacts.clear();
        self.keys.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, impact: Impact) {
        *self.add(impact.toi, impact.pair) = impact;
    }

    /// Appends an impact with this time and pair; the caller writes the rest.
    #[inline]
    pub(super) fn add(&mut self, toi: f32, pair: Pair) -> &mut Impact {
        // Times are not negative, so their bits have the same order.
        let words = [toi.to_bits(), pair.a, pair.b, self.impacts.len() as u32];
        self.keys.push(words.into_iter().fold(0, |key, word| key << 32 | u128::from(word)));
        self.impacts.push(Impact { toi, pair, ..Impact::default() });
        self.impacts.last_mut().expect("it was just put there")
    }

    pub(super) fn bytes(&self) -> usize {
        self.impacts.capacity() * size_of::<Impact>() + self.keys.capacity() * size_of::<u128>()
    }
}

/// Sorted impacts, and the memory to sort them.
#[derive(Debug, Default)]
pub(super) struct List {
    /// Impacts that are not from a part; they follow the impacts of all parts.
    pub(super) more: Bunch,
    /// Where each list begins in `all`, and the end.
    starts: Vec<usize>,
    all: Vec<Impact>,
    /// The keys of all impacts.
    order: Vec<u128>,
    pub(super) sorted: Vec<Impact>,
    /// The number of impacts of each row so far.
    seen: Vec<u32>,
}

impl List {
    /// Sorts the impacts of all parts and of `more`, and keeps the first `limit` impacts of each of
    /// `rows` rows; 0 keeps all. Returns how many were left out.
    pub(super) fn sort<'b>(
        &mut self,
        (parts, of): (usize, &(dyn Fn(usize) -> &'b Bunch + Sync)),
        limit: u32,
        rows: usize,
        threads: &Threads,
    ) -> usize {
        let Self { more, starts, all, order, sorted, seen } = self;
        let bunch = |at: usize| if at < parts { of(at) } else { &*more };
        starts.clear();
        order.clear();
        for at in 0..=parts {
            let start = order.len();
            starts.push(start);
            order.extend(bunch(at).keys.iter().map(|key| key + start as u128));
        }
        starts.push(order.len());
        // Copied to one list, where the random accesses below are faster than in many lists.
        all.resize(order.len(), Impact::default());
        par::fill_parts(threads, starts, all, 1, &|at, all| {
            all.copy_from_slice(&bunch(at).impacts);
        });
        assert!(u32::try_from(order.len()).is_ok(), "more impacts than a u32 can name");
        threads.sort_by_key(order, |&key| key);
        let found = order.len();
        if limit > 0 {
            keep_first(limit, rows, order, seen);
        }
        // Elements that remain from the last tick are overwritten.
        sorted.resize(order.len(), Impact::default());
        par::fill_chunks(threads, sorted, CHUNK, &|start, sorted| {
            for (impact, &key) in sorted.iter_mut().zip(&order[start..]) {
                *impact = all[key as u32 as usize];
            }
        });
        found - order.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.more.bytes()
            + (self.all.capacity() + self.sorted.capacity()) * size_of::<Impact>()
            + self.order.capacity() * size_of::<u128>()
            + self.starts.capacity() * size_of::<usize>()
            + self.seen.capacity() * size_of::<u32>()
    }
}

/// Keeps those of the sorted impacts that are among the first `limit` of either row.
fn keep_first(limit: u32, rows: usize, order: &mut Vec<u128>, seen: &mut Vec<u32>) {
    seen.clear();
    seen.resize(rows, 0);
    order.retain(|&key| {
        let [a, b] = [(key >> 64) as u32, (key >> 32) as u32].map_each(|row| row as usize);
        let kept = seen[a] < limit || seen[b] < limit;
        seen[a] += 1;
        seen[b] += 1;
        kept
    });
}

#[cfg(test)]
mod tests {
    use super::{Bunch, Impact, List};
    use crate::geom::Pair;
    use crate::par::Threads;
    use alloc::vec::Vec;

    fn impact(toi: f32, a: u32, b: u32) -> Impact {
        Impact { toi, pair: Pair { a, b }, ..Impact::default() }
    }

    /// Goal: impacts are ordered by time, then by rows, and a limit keeps the first ones of either
    /// body. Method: a wall, row 0, is hit by three bodies, of which the last two meet each other
    /// in between.
    #[test]
    fn the_first_of_either_body_are_kept() {
        let all = [
            impact(0.5, 0, 1),
            impact(0.25, 0, 3),
            impact(0.25, 0, 2),
            impact(0.75, 2, 3),
            impact(0.0, 1, 4),
        ];
        let told = |limit| {
            // Two lists, and `more`.
            let mut bunches = [Bunch::default(), Bunch::default()];
            let mut list = List::default();
            for (at, &impact) in all.iter().enumerate() {
                bunches.get_mut(at / 2).unwrap_or(&mut list.more).push(impact);
            }
            let mut out = Vec::new();
            // Twice, to check that nothing remains from the first run.
            for _ in 0..2 {
                let left_out = list.sort((2, &|at| &bunches[at]), limit, 5, &Threads::one());
                assert_eq!(left_out, all.len() - list.sorted.len());
                out = list.sorted.iter().map(|impact| (impact.pair.a, impact.pair.b)).collect();
            }
            out
        };
        let sorted = [(1, 4), (0, 2), (0, 3), (0, 1), (2, 3)];
        assert_eq!(told(0), sorted);
        assert_eq!(told(1), sorted[..3]);
        assert_eq!(told(2), sorted);
    }
}
