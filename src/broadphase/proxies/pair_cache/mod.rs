//! The pairs of the last update. The columns of this file are those in which at least one proxy moves; resting pairs are in `sleeping.rs`.
//!
//! Three columns, ordered by the lower slot, then by the other: 12 bytes for a pair. A slot stands
//! for the proxy that was in it when the pair was found ([`Slots::cached_generations`]), so the columns need no
//! change when proxies are inserted or removed.

pub(crate) mod events;
pub(crate) mod index;
pub(crate) mod lookup;
pub(crate) mod partition;
pub(crate) mod rows;
pub(crate) mod sleeping;
pub(crate) mod sort;
pub(crate) mod store;
pub(crate) mod touching;

use crate::broadphase::pairs::buffer::{reserve_for, reserve_total};
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use alloc::vec::Vec;
use core::ops::Range;

/// The columns of the cached pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PairTable {
    /// Lower slot of each pair.
    pub(crate) a: Vec<u32>,
    /// Other slot of each pair.
    pub(crate) b: Vec<u32>,
    /// First time of contact of each pair, as a fraction of the tick.
    pub(crate) first: Vec<f32>,
}

impl_memory!(PairTable { a, b, first });

/// The touching pairs in which at least one proxy moves, as columns that are ordered by `a`, then `b`. All columns have the same length.
///
/// A proxy is given by its index ([`ProxyId::index`](crate::ProxyId::index)), as it was when the pairs were found. The index of a proxy that was removed since
/// then may have been reused; [`Touching::get`](crate::broadphase::Touching::get) returns the ids.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct PairColumns<'a> {
    /// The lower index of each pair.
    pub a: &'a [u32],
    /// The higher index of each pair.
    pub b: &'a [u32],
    /// The first time of contact of each pair, a fraction of the tick.
    pub first: &'a [f32],
}

/// A mutable range of pair columns.
#[derive(Debug, Default)]
pub(crate) struct ColumnsMut<'a> {
    pub(crate) a: &'a mut [u32],
    pub(crate) b: &'a mut [u32],
    pub(crate) first: &'a mut [f32],
}

impl PairTable {
    pub(crate) fn columns(&self) -> PairColumns<'_> {
        PairColumns { a: &self.a, b: &self.b, first: &self.first }
    }

    pub(crate) fn columns_mut(&mut self) -> ColumnsMut<'_> {
        ColumnsMut { a: &mut self.a, b: &mut self.b, first: &mut self.first }
    }

    pub(crate) fn reserve_for(&mut self, pairs: usize) {
        reserve_for(&mut self.a, pairs);
        reserve_for(&mut self.b, pairs);
        reserve_for(&mut self.first, pairs);
    }

    /// The number of pairs that fit.
    pub(crate) fn capacity(&self) -> usize {
        self.first.capacity()
    }

    /// Frees the memory for more than a quarter more pairs than there are.
    pub(crate) fn drop_spare(&mut self) {
        let places = self.first.len() + self.first.len() / 4;
        self.a.shrink_to(places);
        self.b.shrink_to(places);
        self.first.shrink_to(places);
    }

    /// Sets the length; the caller then writes all pairs.
    pub(crate) fn resize(&mut self, pairs: usize) {
        self.a.resize(pairs, 0);
        self.b.resize(pairs, 0);
        self.first.resize(pairs, 0.0);
    }

    /// Keeps the first `kept[k]` pairs of the `k`-th range; the ranges have these lengths and are consecutive.
    pub(crate) fn compact(&mut self, lengths: &[usize], kept: &[usize]) {
        let (mut from, mut to) = (0, 0);
        for (&length, &kept) in lengths.iter().zip(kept) {
            if from > to {
                self.a.copy_within(from..from + kept, to);
                self.b.copy_within(from..from + kept, to);
                self.first.copy_within(from..from + kept, to);
            }
            (from, to) = (from + length, to + kept);
        }
        self.resize(to);
    }

    pub(crate) fn reserve(&mut self, pairs: usize) {
        reserve_total(&mut self.a, pairs);
        reserve_total(&mut self.b, pairs);
        reserve_total(&mut self.first, pairs);
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.a.clone_from(&other.a);
        self.b.clone_from(&other.b);
        self.first.clone_from(&other.first);
    }
}

impl<'a> PairColumns<'a> {
    pub(crate) fn len(self) -> usize {
        self.first.len()
    }

    pub(crate) fn get(self, k: usize) -> SweptPair {
        SweptPair { a: self.a[k], b: self.b[k], first: self.first[k] }
    }

    pub(crate) fn slice(self, range: Range<usize>) -> Self {
        let Self { a, b, first } = self;
        Self { a: &a[range.clone()], b: &b[range.clone()], first: &first[range] }
    }

    /// How many pairs are ordered before the pair of these slots.
    pub(crate) fn before(self, [a, b]: [u32; 2]) -> usize {
        let start = self.a.partition_point(|&lower| lower < a);
        let row = self.a[start..].partition_point(|&lower| lower == a);
        start + self.b[start..start + row].partition_point(|&upper| upper < b)
    }
}

impl ColumnsMut<'_> {
    /// Writes the next pairs, and shortens `self` by them.
    pub(crate) fn append(&mut self, pairs: PairColumns<'_>) {
        let to = self.split_off(pairs.len());
        to.a.copy_from_slice(pairs.a);
        to.b.copy_from_slice(pairs.b);
        to.first.copy_from_slice(pairs.first);
    }
}

impl<'a> ColumnsMut<'a> {
    /// Removes the first `pairs` pairs and returns them.
    pub(crate) fn split_off(&mut self, pairs: usize) -> Self {
        fn take<'a, T>(rest: &mut &'a mut [T], count: usize) -> &'a mut [T] {
            rest.split_off_mut(..count).unwrap_or_default()
        }
        Self {
            a: take(&mut self.a, pairs),
            b: take(&mut self.b, pairs),
            first: take(&mut self.first, pairs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PairTable;

    /// Goal: a table has the places that were reserved, a quarter more if the number of pairs may vary, and no more once the others are
    /// freed. Method: the capacities of the columns after each call; a table with nine times as many places as pairs.
    #[test]
    fn spare_places_of_a_table_are_a_quarter() {
        let capacities =
            |table: &PairTable| [table.a.capacity(), table.b.capacity(), table.first.capacity()];
        let mut table = PairTable::default();
        table.reserve(600);
        assert_eq!(capacities(&table), [600; 3]);
        table.reserve_for(1000);
        assert_eq!(capacities(&table), [1250; 3]);
        table.reserve(9000);
        table.resize(1000);
        assert_eq!(capacities(&table), [9000; 3]);
        table.drop_spare();
        assert_eq!((capacities(&table), table.columns().len()), ([1250; 3], 1000));
    }
}
