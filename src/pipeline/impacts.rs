//! What is told of an impact, in which order, and how many of a body?
//!
//! By time, then by pair. A limit of `k` keeps an impact that is among the first `k` of one of its
//! two bodies: so a wall that a thousand bullets hit loses none of them, for each is the first of
//! its bullet.

use crate::geom::Pair;
use crate::par::{self, Threads};
use alloc::vec::Vec;

/// Impacts of one piece of work.
const CHUNK: usize = 4096;

/// What kind of meeting an impact is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Kind {
    /// They come to touch at the time that is told, or touch at the start and the policy counts it.
    #[default]
    Touching,
    /// They are in each other from the start of the tick on.
    Overlapping,
    /// The search gave up: they do not touch before the time that is told, and what comes after is
    /// open.
    Unresolved,
}

/// Two bodies that meet in a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact<P = Pair> {
    /// When: a fraction of the tick, never late. The time of impact.
    pub toi: f32,
    /// Which, the lower first.
    pub pair: P,
    /// Not before this do they part: the last time at which the boxes that hold them touch. Of two
    /// boxes without acceleration it is the end of the contact itself, were they to pass through each other.
    pub last: f32,
    /// What kind of meeting.
    pub kind: Kind,
    /// The unit normal then, from `a` to `b`; zero for [`Kind::Unresolved`].
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b` then, or deepest in it, in the world.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a` then, or deepest in it, in the world.
    pub on_b: [f32; 3],
    /// How fast those points close along the normal, length a tick; negative where they part.
    pub closing: f32,
    /// How deep they are in each other beyond the target distance; 0 but for
    /// [`Kind::Overlapping`].
    pub depth: f32,
}

impl<P> Impact<P> {
    /// The same of other names of the two.
    pub(super) fn named<Q>(self, pair: Q) -> Impact<Q> {
        let Self { toi, last, kind, normal, on_a, on_b, closing, depth, .. } = self;
        Impact { toi, pair, last, kind, normal, on_a, on_b, closing, depth }
    }
}

/// Impacts as they were found, and what puts them into order.
#[derive(Debug, Default)]
pub(super) struct Bunch {
    pub(super) impacts: Vec<Impact>,
    /// Time, rows and place, so that sorting moves 16 bytes an impact.
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

    /// One of these bodies at this time, of which the rest is still to be written.
    #[inline]
    pub(super) fn add(&mut self, toi: f32, pair: Pair) -> &mut Impact {
        // A time is not negative, so its bits are in order.
        let words = [toi.to_bits(), pair.a, pair.b, self.impacts.len() as u32];
        self.keys.push(words.into_iter().fold(0, |key, word| key << 32 | u128::from(word)));
        self.impacts.push(Impact { toi, pair, ..Impact::default() });
        self.impacts.last_mut().expect("it was just put there")
    }

    pub(super) fn bytes(&self) -> usize {
        self.impacts.capacity() * size_of::<Impact>() + self.keys.capacity() * size_of::<u128>()
    }
}

/// Impacts and the memory to order them.
#[derive(Debug, Default)]
pub(super) struct List {
    /// What was found after the bunches of the parts.
    pub(super) more: Bunch,
    /// Where in `all` each bunch begins, and the end.
    starts: Vec<usize>,
    all: Vec<Impact>,
    /// The keys of all.
    order: Vec<u128>,
    pub(super) sorted: Vec<Impact>,
    /// How many impacts each row was seen in.
    seen: Vec<u32>,
}

impl List {
    /// Puts what was found in the bunches `of` parts, and after those, into order and keeps the first
    /// `limit` of each of `rows` rows; 0 keeps all. Returns how many were left out.
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
        // In one place they are found faster by the order than in many.
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
        // What stays in its place of the last tick is written over.
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

/// Keeps of impacts in order those that are among the first `limit` of either row.
fn keep_first(limit: u32, rows: usize, order: &mut Vec<u128>, seen: &mut Vec<u32>) {
    seen.clear();
    seen.resize(rows, 0);
    order.retain(|&key| {
        let [a, b] = [(key >> 64) as u32, (key >> 32) as u32].map(|row| row as usize);
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

    /// Goal: the order is of time, then of rows, and a limit keeps what is first for either body.
    /// Method: a wall, row 0, hit by three, of which the last two meet each other in between.
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
            // Two bunches and more.
            let mut bunches = [Bunch::default(), Bunch::default()];
            let mut list = List::default();
            for (at, &impact) in all.iter().enumerate() {
                bunches.get_mut(at / 2).unwrap_or(&mut list.more).push(impact);
            }
            let mut out = Vec::new();
            // Twice, so that what is kept between ticks is seen to be clean.
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
