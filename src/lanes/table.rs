//! How are several columns read at one row with one check?

use super::Isa;

/// `K` columns of equal length: one bounds check admits a load from all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table<'a, T, const K: usize> {
    /// Each is `rows` long; only [`Table::new`] writes this.
    columns: [&'a [T]; K],
    rows: usize,
}

impl<'a, T, const K: usize> Table<'a, T, K> {
    /// Cuts every column to `rows`; panics when one is shorter.
    #[inline(always)]
    pub(crate) fn new(columns: [&'a [T]; K], rows: usize) -> Self {
        Self { columns: columns.map(|column| &column[..rows]), rows }
    }

    #[inline(always)]
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Rows `row..row + LANES` of every column; panics when they are not all there.
    #[inline(always)]
    fn lanes<I: Isa>(&self, row: usize) -> [&'a [T]; K] {
        // The first half does not change in a loop, so it leaves one comparison there.
        assert!(I::LANES <= self.rows && row <= self.rows - I::LANES);
        // SAFETY: the assertion gives `row + LANES <= rows`, and each column is `rows` long.
        self.columns.map(|column| unsafe { column.get_unchecked(row..row + I::LANES) })
    }
}

impl<const K: usize> Table<'_, u32, K> {
    /// Rows `row..row + LANES` of every column; panics when they are not all there.
    #[inline(always)]
    pub(crate) fn load_u32<I: Isa>(&self, isa: I, row: usize) -> [I::U32; K] {
        let mut out = [isa.splat_u32(0); K];
        for (out, from) in out.iter_mut().zip(self.lanes::<I>(row)) {
            *out = isa.load_u32(from);
        }
        out
    }
}

/// Panics when one of `which` is not below `rows`: what admits a gather.
#[inline(always)]
pub(super) fn assert_rows(which: &[u32], rows: usize) {
    // All are compared before one branch.
    let mut inside = true;
    for &row in which {
        inside &= (row as usize) < rows;
    }
    assert!(inside);
}

/// Loads from a [`Table`] of floats.
pub(crate) trait Columns<const K: usize> {
    /// Rows `row..row + LANES` of every column; panics when they are not all there.
    fn load<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K];
    /// Row `row` of every column in all lanes; panics when it is not there.
    fn splat<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K];
    /// Lane `k` is row `at[k]` of every column; panics when one is not there.
    fn gather<I: Isa>(&self, isa: I, at: &[u32]) -> [I::F32; K];
}

impl<const K: usize> Columns<K> for Table<'_, f32, K> {
    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K] {
        let mut out = [isa.splat(0.0); K];
        for (out, from) in out.iter_mut().zip(self.lanes::<I>(row)) {
            *out = isa.load(from);
        }
        out
    }

    #[inline(always)]
    fn splat<I: Isa>(&self, isa: I, row: usize) -> [I::F32; K] {
        assert!(row < self.rows);
        let mut out = [isa.splat(0.0); K];
        for (out, column) in out.iter_mut().zip(&self.columns) {
            // SAFETY: the assertion gives `row < rows`, and each column is `rows` long.
            *out = isa.splat(unsafe { *column.get_unchecked(row) });
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
