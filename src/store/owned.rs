//! How does swath keep rows itself?

use super::{Checked, Columns, row::Row};
use crate::geom::{AcceleratingBox, Body, Invalid, MovingBox, MovingSphere, Segment};
use crate::lanes::{Block, LANES_MAX};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// Many values `T` in `K` columns of its own, aligned and padded to the widest lane.
///
/// Nothing invalid gets in, so [`Store::checked`] costs nothing.
pub struct Store<T, const K: usize> {
    /// Each holds `len` rows rounded up to whole blocks; the padding is [`PADDING`].
    columns: [Vec<Block>; K],
    len: usize,
    row: PhantomData<fn() -> T>,
}

/// Moving boxes in columns of its own.
///
/// ```
/// use swath::{Aabb, BoxStore};
///
/// let mut store = BoxStore::new();
/// let row = store.push(Aabb::cube([1.0, 2.0, 3.0], 0.5)?)?;
/// assert_eq!(store.get(row).aabb.min, [0.5, 1.5, 2.5]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub type BoxStore = Store<MovingBox, 9>;

/// Moving boxes that contacts can push, in columns of its own.
pub type BodyStore = Store<Body, 10>;

/// Moving boxes under constant acceleration in columns of its own.
pub type AcceleratingBoxStore = Store<AcceleratingBox, 12>;

/// Moving spheres in columns of its own.
pub type SphereStore = Store<MovingSphere, 7>;

/// Segments in columns of its own.
pub type SegmentStore = Store<Segment, 7>;

/// What stands in the columns past the last row, where nobody reads: nothing valid.
const PADDING: f32 = f32::NAN;

impl<T: Row<K>, const K: usize> Store<T, K> {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// An empty store with room for `rows` rows.
    #[must_use]
    pub fn with_capacity(rows: usize) -> Self {
        let blocks = rows.div_ceil(LANES_MAX);
        let columns = core::array::from_fn(|_| Vec::with_capacity(blocks));
        Self { columns, len: 0, row: PhantomData }
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }

    /// Adds a row and returns its number.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `value` is; then nothing is added.
    pub fn push(&mut self, value: impl Into<T>) -> Result<usize, Invalid> {
        let value = value.into();
        value.check()?;
        if self.len.is_multiple_of(LANES_MAX) {
            self.columns.iter_mut().for_each(|column| column.push(Block::splat(PADDING)));
        }
        self.len += 1;
        self.write(self.len - 1, value);
        Ok(self.len - 1)
    }

    /// Replaces a row.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `value` is; then nothing changes.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    pub fn set(&mut self, row: usize, value: impl Into<T>) -> Result<(), Invalid> {
        assert!(row < self.len, "row {row} of {}", self.len);
        let value = value.into();
        value.check()?;
        self.write(row, value);
        Ok(())
    }

    /// The value of a row.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> T {
        self.columns().get(row)
    }

    /// Removes a row and moves the last one to its place; returns what was removed.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    pub fn swap_remove(&mut self, row: usize) -> T {
        let removed = self.get(row);
        self.write(row, self.get(self.len - 1));
        self.len -= 1;
        for column in &mut self.columns {
            bytemuck::cast_slice_mut::<Block, f32>(column)[self.len] = PADDING;
            column.truncate(self.len.div_ceil(LANES_MAX));
        }
        removed
    }

    /// The rows as borrowed columns.
    #[must_use]
    pub fn columns(&self) -> Columns<'_, T, K> {
        let columns = core::array::from_fn(|k| &bytemuck::cast_slice(&self.columns[k])[..self.len]);
        Columns::from_columns(columns).expect("the columns grow together")
    }

    /// The rows, all of which are valid.
    #[must_use]
    pub fn checked(&self) -> Checked<'_, Columns<'_, T, K>> {
        Checked::all_valid(self.columns())
    }

    fn write(&mut self, row: usize, value: T) {
        for (column, number) in self.columns.iter_mut().zip(value.to_row()) {
            bytemuck::cast_slice_mut::<Block, f32>(column)[row] = number;
        }
    }
}

impl<T: Row<K>, const K: usize> Default for Store<T, K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const K: usize> Clone for Store<T, K> {
    fn clone(&self) -> Self {
        Self { columns: self.columns.clone(), len: self.len, row: PhantomData }
    }
}

impl<T: Row<K>, const K: usize> fmt::Debug for Store<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.columns()).finish()
    }
}
