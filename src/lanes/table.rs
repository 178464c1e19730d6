//! Several columns of equal length, read at the same row with a single bounds check.

use super::Isa;

/// `K` columns of equal length. One bounds check covers a load from all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a, T, const K: usize> {
    /// Each is `rows` long. Only [`Table::new`] sets this.
    columns: [&'a [T]; K],
    rows: usize,
}

impl<'a, T, const K: usize> Table<'a, T, K> {
    /// Truncates every column to `rows`. Panics when one is shorter.
    #[inline(always)]
    pub(crate) fn new(columns: [&'a [T]; K], rows: usize) -> Self {
        // Loops over indices: they compile faster than `map` or `zip`, of which each use is a type.
        let mut columns = columns;
        let mut k = 0;
        while k < K {
            columns[k] = &columns[k][..rows];
            k += 1;
        }
        Self { columns, rows }
    }

    /// Returns these rows of every column. Panics when they are out of range.
    #[inline(always)]
    pub(crate) fn slice(&self, rows: core::ops::Range<usize>) -> Self {
        assert!(rows.start <= rows.end && rows.end <= self.rows);
        let mut columns = self.columns;
        let mut k = 0;
        while k < K {
            // SAFETY: the assertion gives `start <= end <= rows`, and each column is `rows` long.
            columns[k] = unsafe { columns[k].get_unchecked(rows.start..rows.end) };
            k += 1;
        }
        Self { columns, rows: rows.end - rows.start }
    }

    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Panics when rows `row..row + LANES` are out of range.
    #[inline(always)]
    fn assert_lanes<I: Isa>(&self, row: usize) {
        // The first condition is loop-invariant, so only one comparison remains in a loop.
        assert!(I::LANES <= self.rows && row <= self.rows - I::LANES);
    }
}

impl<const K: usize> Table<'_, u32, K> {
    /// Loads rows `row..row + LANES` of every column. Panics when they are out of range.
    #[inline(always)]
    pub(crate) fn load_u32<I: Isa>(&self, isa: I, row: usize) -> [I::U32; K] {
        let mut out = [isa.splat_u32(0); K];
        self.assert_lanes::<I>(row);
        let mut k = 0;
        while k < K {
            // SAFETY: the assertion gives `row + LANES <= rows`, and each column is `rows` long.
            out[k] = isa.load_u32(unsafe { self.columns[k].get_unchecked(row..row + I::LANES) });
            k += 1;
        }
        out
    }
}

/// Panics when one of `which` is not below `rows`. This is the bounds check of a gather.
#[inline(always)]
pub(super) fn assert_rows(which: &[u32], rows: usize) {
    // Combine all comparisons, so that there is a single branch.
    let mut inside = true;
    for &row in which {
        inside &= (row as usize) < rows;
    }
    assert!(inside);
}

/// Loads from a [`Table`] of floats.
pub(crate) trait LoadColumns<const K: usize> {
    /// Loads rows `row..row + LANES` of every column. Panics when they are out of range.
    fn load<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K];
    /// Loads row `row` of every column into all lanes. Panics when it is out of range.
    fn splat<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K];
    /// Loads row `at[k]` of every column into lane `k`. Panics when one is out of range.
    fn gather<I: Isa>(&self, isa: I, at: &[u32]) -> [I::F32; K];
}

impl<const K: usize> LoadColumns<K> for Table<'_, f32, K> {
    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K] {
        let mut out = [isa.splat(0.0); K];
        self.assert_lanes::<I>(row);
        let mut k = 0;
        while k < K {
            // SAFETY: the assertion gives `row + LANES <= rows`, and each column is `rows` long.
            out[k] = isa.load(unsafe { self.columns[k].get_unchecked(row..row + I::LANES) });
            k += 1;
        }
        out
    }

    #[inline(always)]
    fn splat<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K] {
        assert!(row < self.rows);
        let mut out = [isa.splat(0.0); K];
        let mut k = 0;
        while k < K {
            // SAFETY: the assertion gives `row < rows`, and each column is `rows` long.
            out[k] = isa.splat(unsafe { *self.columns[k].get_unchecked(row) });
            k += 1;
        }
        out
    }

    #[inline(always)]
    fn gather<I: Isa>(&self, isa: I, at: &[u32]) -> [I::F32; K] {
        let at = &at[..I::LANES];
        assert_rows(at, self.rows);
        let mut out = [isa.splat(0.0); K];
        for (out, column) in out.iter_mut().zip(&self.columns) {
            let mut lanes = [0.0; super::LANES_MAX];
            for (lane, &row) in lanes.iter_mut().zip(at) {
                // SAFETY: the assertion gives `row < rows`, and each column is `rows` long.
                *lane = unsafe { *column.get_unchecked(row as usize) };
            }
            *out = isa.load(&lanes);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    /// Goal: a part of a table has the rows of its range and no more, so that an access behind them panics instead of being out of
    /// range. Method: all ranges of two columns.
    #[test]
    fn slice_of_a_table_has_the_rows_of_its_range() {
        let numbers: [u32; 9] = core::array::from_fn(|k| k as u32);
        let table = Table::new([&numbers[..], &numbers[1..]], 8);
        for end in 0..=8 {
            for start in 0..=end {
                let slice = table.slice(start..end);
                assert_eq!(slice.rows(), end - start);
                let expected = [&numbers[start..end], &numbers[start + 1..=end]];
                assert_eq!(slice.columns, expected);
            }
        }
    }
}
