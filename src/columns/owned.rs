//! Owned columns, aligned to cache lines and padded to the widest SIMD vector.

use super::row::Row;
use super::{Checked, Columns};
use crate::geom::{AcceleratingBox, Body, Invalid, MovingBox, MovingSphere, Segment};
use crate::lanes::{Block, LANES_MAX};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// Many values `T` in `K` owned columns, aligned and padded to the widest SIMD vector.
///
/// Every row is validated when it is written, so [`Store::checked`] costs nothing.
pub struct Store<T, const K: usize> {
    /// Each column is `len` rows long, rounded up to whole blocks. The padding is [`PADDING`].
    columns: [Vec<Block>; K],
    len: usize,
    row: PhantomData<fn() -> T>,
}

/// Owned columns of moving boxes.
///
/// ```
/// use swath::{Aabb, MovingBoxStore};
///
/// let mut store = MovingBoxStore::new();
/// let row = store.push(Aabb::cube([1.0, 2.0, 3.0], 0.5)?)?;
/// assert_eq!(store.get(row).aabb.min, [0.5, 1.5, 2.5]);
/// # Ok::<(), swath::Invalid>(())
/// ```
pub type MovingBoxStore = Store<MovingBox, 9>;

/// Owned columns of moving boxes with masses.
pub type BodyStore = Store<Body, 10>;

/// Owned columns of boxes under constant acceleration.
pub type AcceleratingBoxStore = Store<AcceleratingBox, 12>;

/// Owned columns of moving spheres.
pub type SphereStore = Store<MovingSphere, 7>;

/// Owned columns of segments.
pub type SegmentStore = Store<Segment, 7>;

/// Value of the padding after the last row. It is invalid, although no function reads it.
const PADDING: f32 = f32::NAN;

impl<T: Row<K>, const K: usize> Store<T, K> {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// Creates an empty store with capacity for `rows` rows.
    #[must_use]
    pub fn with_capacity(rows: usize) -> Self {
        let blocks = rows.div_ceil(LANES_MAX);
        let columns = core::array::from_fn(|_| Vec::with_capacity(blocks));
        Self { columns, len: 0, row: PhantomData }
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all rows and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }

    /// Appends a row and returns its number.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `value` is invalid; then the store does not change.
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

    /// Overwrites a row.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `value` is invalid; then the store does not change.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn set(&mut self, row: usize, value: impl Into<T>) -> Result<(), Invalid> {
        assert!(row < self.len, "row {row} of {}", self.len);
        let value = value.into();
        value.check()?;
        self.write(row, value);
        Ok(())
    }

    /// Returns the value of a row.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> T {
        self.columns().get(row)
    }

    /// Removes a row, moves the last row to its position, and returns the removed value.
    ///
    /// # Panics
    ///
    /// If there is no such row.
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

    /// Returns the rows as borrowed columns.
    #[must_use]
    pub fn columns(&self) -> Columns<'_, T, K> {
        let columns = core::array::from_fn(|k| &bytemuck::cast_slice(&self.columns[k])[..self.len]);
        Columns::from_columns(columns).expect("the columns grow together")
    }

    /// Returns the rows as checked columns. All rows are valid.
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
