//! The cached pairs, in one of two layouts.
//!
//! An update that finds all pairs anew writes them to a table. An update that searches for few proxies changes rows of
//! partners in place. The layout is changed when the other kind of update follows; both have the same pairs.

use super::rows::{PairRows, Partner, RowsIter};
use super::{PairColumns, PairTable};
use crate::columns::impl_memory;
use crate::geom::SweptPair;
use alloc::vec::Vec;
use core::iter::Zip;
use core::{mem, slice};

/// The cached pairs that touch and in which at least one proxy moves.
#[derive(Debug, Default)]
pub(crate) struct PairStore {
    table: PairTable,
    rows: PairRows,
    /// Whether the pairs are in `rows`, not in `table`.
    in_rows: bool,
}

impl_memory!(PairStore { table, rows; without in_rows });

/// A view of the cached pairs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PairView<'a> {
    Table(PairColumns<'a>),
    Rows(&'a PairRows),
}

impl Default for PairView<'_> {
    fn default() -> Self {
        Self::Table(PairColumns::default())
    }
}

impl PairStore {
    pub(crate) fn view(&self) -> PairView<'_> {
        match self.in_rows {
            true => PairView::Rows(&self.rows),
            false => PairView::Table(self.table.columns()),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self.view() {
            PairView::Table(pairs) => pairs.len(),
            PairView::Rows(rows) => rows.len(),
        }
    }

    /// The pairs as rows, which they are since [`PairStore::convert_to_rows`].
    pub(crate) fn rows(&self) -> &PairRows {
        debug_assert!(self.in_rows);
        &self.rows
    }

    /// The pairs as a table, which they are since [`PairStore::convert_to_table`].
    pub(crate) fn table(&self) -> PairColumns<'_> {
        debug_assert!(!self.in_rows);
        self.table.columns()
    }

    /// All pairs, in order.
    pub(crate) fn iter(&self) -> PairStoreIter<'_> {
        self.view().from(0)
    }

    /// The pairs as a table. Changes the layout.
    pub(crate) fn convert_to_table(&mut self) -> &mut PairTable {
        if mem::take(&mut self.in_rows) {
            self.rows.write_to(&mut self.table);
        }
        &mut self.table
    }

    /// The pairs as rows. Changes the layout. There are `slots` slots.
    pub(crate) fn convert_to_rows(&mut self, slots: usize) -> &mut PairRows {
        if !mem::replace(&mut self.in_rows, true) {
            self.rows.fill(self.table.columns(), slots);
        }
        self.rows.set_slots(slots);
        &mut self.rows
    }

    /// Frees memory after changes of the rows, if they have far more than they need. The layout remains.
    pub(crate) fn free_unused_places(&mut self) {
        debug_assert!(self.in_rows);
        self.rows.rebuild_if_sparse(&mut self.table);
    }

    /// Frees the table and the rows if they have far more places than `most` pairs need. The layout remains.
    pub(crate) fn free_above(&mut self, most: usize) {
        if self.table.capacity() > most {
            if self.in_rows {
                self.table = PairTable::default();
            } else {
                self.table.drop_spare();
            }
        }
        if !self.in_rows && self.rows.are_above(most) {
            self.rows = PairRows::default();
        }
    }

    /// Copies the pairs to a table. The layout remains.
    pub(crate) fn write_to(&self, table: &mut PairTable) {
        match self.view() {
            PairView::Table(_) => table.copy_from(&self.table),
            PairView::Rows(rows) => rows.write_to(table),
        }
    }

    /// Whether the columns of the table have the same length, and the rows have each pair in both directions.
    pub(crate) fn has_equal_lengths(&self) -> bool {
        match self.view() {
            PairView::Table(PairColumns { a, b, first }) => {
                a.len() == first.len() && b.len() == first.len()
            }
            PairView::Rows(rows) => {
                let mirrored = |(a, partner): (u32, Partner)| {
                    rows.get(partner.slot as usize, a) == Some(partner.first)
                };
                rows.from(0).count() == rows.len() && rows.from(0).all(mirrored)
            }
        }
    }

    pub(crate) fn reserve(&mut self, pairs: usize) {
        self.table.reserve(pairs);
    }

    /// Replaces the pairs, reusing the allocated memory: slots, and times.
    pub(crate) fn assign(&mut self, [a, b]: &[Vec<u32>; 2], first: impl Iterator<Item = f32>) {
        self.in_rows = false;
        self.table.a.clone_from(a);
        self.table.b.clone_from(b);
        self.table.first.clear();
        self.table.first.extend(first);
    }
}

impl<'a> PairView<'a> {
    /// The pairs from position `start` on.
    pub(crate) fn from(self, start: usize) -> PairStoreIter<'a> {
        match self {
            PairView::Table(columns) => {
                let PairColumns { a, b, first } =
                    columns.slice(start.min(columns.len())..columns.len());
                PairStoreIter { columns: a.iter().zip(b).zip(first), rows: None }
            }
            PairView::Rows(rows) => {
                PairStoreIter { columns: [].iter().zip(&[]).zip(&[]), rows: Some(rows.from(start)) }
            }
        }
    }
}

/// The columns of a table, read together.
type TableIter<'a> = Zip<Zip<slice::Iter<'a, u32>, slice::Iter<'a, u32>>, slice::Iter<'a, f32>>;

/// Iterates over the pairs of a [`PairStore`], in order.
#[derive(Clone, Debug)]
pub(crate) struct PairStoreIter<'a> {
    columns: TableIter<'a>,
    /// The pairs, if they are not in `columns`.
    rows: Option<RowsIter<'a>>,
}

impl Iterator for PairStoreIter<'_> {
    type Item = SweptPair;

    #[inline]
    fn next(&mut self) -> Option<SweptPair> {
        if let Some(rows) = &mut self.rows {
            let (a, partner) = rows.next()?;
            return Some(SweptPair { a, b: partner.slot, first: partner.first });
        }
        self.columns.next().map(|((&a, &b), &first)| SweptPair { a, b, first })
    }
}

impl Clone for PairStore {
    /// Copies the pairs as a table.
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        self.write_to(&mut copy.table);
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::{PairStore, Partner, SweptPair, Vec};
    use crate::columns::Memory as _;

    /// A store with these pairs in a table.
    fn store_of(pairs: impl Iterator<Item = (u32, u32)>) -> PairStore {
        let mut store = PairStore::default();
        store.reserve(20_000);
        for (a, b) in pairs {
            store.table.a.push(a);
            store.table.b.push(b);
            store.table.first.push(0.5);
        }
        store
    }

    /// Goal: memory is freed above the limit only, in the layout that has the pairs and in the other one, and no pair is lost. Method:
    /// all pairs of 129 slots in either layout; limits at which memory is freed, and greater ones.
    #[test]
    fn memory_above_a_limit_is_freed_without_a_pair() {
        let mut store = store_of((0..129).flat_map(|a| (a + 1..129).map(move |b| (a, b))));
        let pairs: Vec<SweptPair> = store.iter().collect();
        assert_eq!(pairs.len(), 8256);
        store.free_above(20_000);
        assert_eq!(store.table.capacity(), 20_000);
        store.free_above(19_999);
        assert_eq!(store.table.capacity(), 8256 + 8256 / 4);
        store.convert_to_rows(129);
        store.free_above(0);
        assert_eq!(store.table.capacity(), 0);
        assert!(store.iter().eq(pairs.iter().copied()) && store.has_equal_lengths());
        store.convert_to_table();
        let bytes = store.rows.bytes();
        store.free_above(pairs.len());
        assert_eq!(store.rows.bytes(), bytes);
        // There are 256 places for each slot, of which 64 are allowed without any pair.
        store.free_above(0);
        assert_eq!(store.rows.bytes(), 0);
        assert!(store.iter().eq(pairs) && store.has_equal_lengths());
    }

    /// Goal: columns of different lengths are recognised, and rows that differ from each other or from the number of pairs. Method: each
    /// column without its last item; a pair in the row of one of its slots, and a pair that is not counted.
    #[test]
    fn damaged_columns_and_rows_are_recognised() {
        let mut store = store_of([(0, 1), (0, 2), (1, 2)].into_iter());
        assert!(store.has_equal_lengths());
        store.table.a.pop();
        assert!(!store.has_equal_lengths());
        store.table.a.push(1);
        store.table.b.pop();
        assert!(!store.has_equal_lengths());
        store.table.b.push(2);
        store.table.first.pop();
        assert!(!store.has_equal_lengths());
        store.table.first.push(0.5);
        let rows = store.convert_to_rows(4);
        rows.insert(1, Partner { slot: 3, first: 0.5 });
        rows.count();
        assert!(!store.has_equal_lengths());
        let rows = store.convert_to_rows(4);
        rows.insert(3, Partner { slot: 1, first: 0.5 });
        assert!(store.has_equal_lengths());
        let rows = store.convert_to_rows(4);
        rows.insert(0, Partner { slot: 3, first: 0.5 });
        rows.insert(3, Partner { slot: 0, first: 0.5 });
        assert!(!store.has_equal_lengths());
    }
}
