//! Sorts the impacts, and limits their number for each body.
//!
//! Impacts are ordered by time, then by pair. A limit of `k` keeps an impact if it is among the
//! first `k` of at least one of its two bodies. So if a thousand bullets hit a wall, all impacts
//! are kept, because each is the first of its bullet.

use super::unused::{PlacesNeeded, shrink_unless_used};
use crate::broadphase::pairs::runs::shrink_above;
use crate::columns::impl_memory;
use crate::geom::{MapEach, Pair};
use crate::par::{self, Threads};
use crate::pipeline::impact::Impact;
use alloc::vec::Vec;

/// Impacts of one task.
const CHUNK: usize = 4096;

/// Unsorted impacts and their sort keys.
#[derive(Debug, Default)]
pub(crate) struct ImpactBuffer {
    pub(crate) impacts: Vec<Impact>,
    /// Time, rows and index, so that sorting moves 16 bytes for each impact.
    keys: Vec<[u32; 4]>,
}

impl_memory!(ImpactBuffer { impacts, keys });

impl ImpactBuffer {
    pub(crate) fn clear(&mut self) {
        self.impacts.clear();
        self.keys.clear();
    }

    /// The number of impacts that fit without an allocation.
    pub(crate) fn capacity(&self) -> usize {
        self.impacts.capacity()
    }

    /// Frees spare memory.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.impacts.shrink_to_fit();
        self.keys.shrink_to_fit();
    }

    /// Frees spare memory if there are more than `most` places.
    fn shrink_above(&mut self, most: usize) {
        if self.capacity() > most {
            self.shrink_to_fit();
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, impact: Impact) {
        *self.add(impact.toi, impact.pair) = impact;
    }

    /// Appends an impact with this time and pair; the caller writes the rest.
    #[inline]
    pub(crate) fn add(&mut self, toi: f32, pair: Pair) -> &mut Impact {
        // Times are not negative, so their bits have the same order.
        self.keys.push([toi.to_bits(), pair.a, pair.b, self.impacts.len() as u32]);
        self.impacts.push(Impact { toi, pair, ..Impact::default() });
        self.impacts.last_mut().expect("the list has an element")
    }
}

/// Sorted impacts, and the memory to sort them.
#[derive(Debug, Default)]
pub(crate) struct SortedImpacts {
    /// Impacts of convex shapes; they follow the impacts of all runs.
    pub(crate) of_shapes: ImpactBuffer,
    /// Where each list begins in `all`, and the end.
    starts: Vec<usize>,
    all: Vec<Impact>,
    /// The keys of all impacts.
    order: Vec<[u32; 4]>,
    pub(crate) sorted: Vec<Impact>,
    /// The number of impacts of each row so far.
    seen: Vec<u32>,
    /// How many impacts and how many rows the last ticks had.
    impacts_needed: PlacesNeeded,
    rows_needed: PlacesNeeded,
}

impl_memory!(SortedImpacts { of_shapes, starts, all, order, sorted, seen; without impacts_needed, rows_needed });

impl SortedImpacts {
    /// Sorts the impacts of all runs and of `of_shapes`, and keeps the first `limit` impacts of each of
    /// `rows` rows; 0 keeps all. Returns how many were left out.
    pub(crate) fn sort<'b>(
        &mut self,
        (runs, of): (usize, &(dyn Fn(usize) -> &'b ImpactBuffer + Sync)),
        limit: u32,
        rows: usize,
        threads: &Threads,
    ) -> usize {
        let Self { of_shapes, starts, all, order, sorted, seen, .. } = self;
        let buffer = |at: usize| if at < runs { of(at) } else { &*of_shapes };
        starts.clear();
        order.clear();
        for at in 0..=runs {
            let start = order.len();
            starts.push(start);
            order.extend(buffer(at).keys.iter().map(|&[t, a, b, k]| [t, a, b, k + start as u32]));
        }
        starts.push(order.len());
        // Copied to one list, where the random accesses below are faster than in many lists.
        all.resize(order.len(), Impact::default());
        par::fill_parts(threads, starts, all, 1, &|at, all| {
            all.copy_from_slice(&buffer(at).impacts);
        });
        assert!(u32::try_from(order.len()).is_ok(), "more impacts than a u32 can count");
        par::sort_parallel(threads, order);
        let found = order.len();
        if limit > 0 {
            keep_first(limit, rows, order, seen);
        }
        // Elements that remain from the last tick are overwritten.
        sorted.resize(order.len(), Impact::default());
        par::fill_chunks(threads, sorted, CHUNK, &|start, sorted| {
            for (impact, key) in sorted.iter_mut().zip(&order[start..]) {
                *impact = all[key[3] as usize];
            }
        });
        let left_out = found - order.len();
        self.free_unused(found, (limit > 0).then_some(rows));
        left_out
    }

    /// Frees memory that neither this tick nor those before need. It has this many impacts, and counts them for this many rows.
    fn free_unused(&mut self, impacts: usize, rows: Option<usize>) {
        let most = self.impacts_needed.record(impacts);
        self.of_shapes.shrink_above(most);
        shrink_above(&mut self.all, most);
        shrink_above(&mut self.order, most);
        shrink_above(&mut self.sorted, most);
        let most = self.rows_needed.record(rows.unwrap_or(0));
        shrink_unless_used(&mut self.seen, rows.is_some(), most);
    }
}

/// Keeps those of the sorted impacts that are among the first `limit` of either row.
fn keep_first(limit: u32, rows: usize, order: &mut Vec<[u32; 4]>, seen: &mut Vec<u32>) {
    seen.clear();
    seen.resize(rows, 0);
    order.retain(|&[_, a, b, _]| {
        let [a, b] = [a, b].map_each(|row| row as usize);
        let kept = seen[a] < limit || seen[b] < limit;
        seen[a] += 1;
        seen[b] += 1;
        kept
    });
}

#[cfg(test)]
mod tests {
    use super::{Impact, ImpactBuffer, SortedImpacts};
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
        let sorted_pairs = |limit| {
            // Two lists, and `of_shapes`.
            let mut buffers = [ImpactBuffer::default(), ImpactBuffer::default()];
            let mut list = SortedImpacts::default();
            for (at, &impact) in all.iter().enumerate() {
                buffers.get_mut(at / 2).unwrap_or(&mut list.of_shapes).push(impact);
            }
            let mut out = Vec::new();
            // Twice, to check that nothing remains from the first run.
            for _ in 0..2 {
                let left_out = list.sort((2, &|at| &buffers[at]), limit, 5, &Threads::one());
                assert_eq!(left_out, all.len() - list.sorted.len());
                out = list.sorted.iter().map(|impact| (impact.pair.a, impact.pair.b)).collect();
            }
            out
        };
        let sorted = [(1, 4), (0, 2), (0, 3), (0, 1), (2, 3)];
        assert_eq!(sorted_pairs(0), sorted);
        assert_eq!(sorted_pairs(1), sorted[..3]);
        assert_eq!(sorted_pairs(2), sorted);
    }
}
