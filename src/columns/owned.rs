//! Owned columns, aligned to cache lines and padded to the widest SIMD vector.

use super::memory::impl_memory;
use super::row::Row;
use super::{Checked, Columns, Rejected};
use crate::geom::{Aabb, AcceleratingBox, Body, Invalid, MovingBox, MovingSphere, Segment};
use crate::lanes::{Block, LANES_MAX, Level};
use crate::par::{self, Threads};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

/// Many values `T` in `K` owned columns, aligned and padded to the widest SIMD vector.
///
/// Every row is validated when it is written, so [`Store::checked`] costs nothing. [`Store::push`] and [`Store::set`]
/// refuse an invalid value. The functions that write many rows store it, so that row `k` is value `k`, and list it in
/// [`Store::rejected`]; all functions ignore the rows listed there.
pub struct Store<T, const K: usize> {
    /// Each column is `len` rows long, rounded up to whole blocks. The padding is [`PADDING`].
    columns: [Vec<Block>; K],
    len: usize,
    /// The invalid rows, in order, after [`Store::corrected`] others.
    rejected: Vec<Rejected>,
    /// Number of rows at the front of `rejected` that are not listed any more: at most half of its length.
    corrected: usize,
    row: PhantomData<fn() -> T>,
}

impl_memory!([T, const K: usize] Store<T, K> { columns, rejected; without len, corrected, row });

/// Owned columns of moving boxes.
///
/// ```
/// use swath::{Aabb, MovingBoxStore};
///
/// let mut store = MovingBoxStore::new();
/// let row = store.push(Aabb::cube([1.0, 2.0, 3.0], 0.5)?)?;
/// assert_eq!(store.get(row).aabb.min, [0.5, 1.5, 2.5]);
///
/// let store: MovingBoxStore = [Aabb::default(), Aabb { min: [f32::NAN; 3], ..Aabb::default() }].into_iter().collect();
/// assert_eq!((store.len(), store.rejected()[0].row), (2, 1));
/// # Ok::<(), swath::Invalid>(())
/// ```
pub type MovingBoxStore = Store<MovingBox, 9>;

/// Owned columns of boxes that do not move: the boxes of a batch of queries.
///
/// ```
/// use swath::batch::{AabbStore, Hit};
/// use swath::{Aabb, Bvh};
///
/// let mut tree = Bvh::new();
/// tree.build(&[Aabb::cube([3.0, 0.0, 0.0], 1.0)?, Aabb::cube([0.0, 9.0, 0.0], 1.0)?])?;
///
/// // The nearest box of each of two points.
/// let mut points = AabbStore::new(); // keep it from tick to tick
/// points.push(Aabb::point([0.0; 3])?)?;
/// points.push(Aabb::point([0.0, 7.0, 0.0])?)?;
/// let mut nearest = [Hit::MISS; 2];
/// tree.queries().proximities(&points.checked(), 100.0)?.nearest(&mut nearest)?;
/// assert_eq!(nearest.map(|hit| hit.row), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type AabbStore = Store<Aabb, 6>;

/// Owned columns of moving boxes with masses.
pub type BodyStore = Store<Body, 10>;

/// Owned columns of boxes under constant acceleration.
pub type AcceleratingBoxStore = Store<AcceleratingBox, 12>;

/// Owned columns of moving spheres.
pub type SphereStore = Store<MovingSphere, 7>;

/// Owned columns of segments.
pub type SegmentStore = Store<Segment, 7>;

/// Number of parts that threads share when a store is filled.
const PARTS: usize = 64;
/// Least number of rows of a part. To wake another thread takes longer than to fill so few.
const PART_ROWS_MIN: usize = 512;

/// Greatest number of columns of a store.
const COLUMNS_MAX: usize = 12;

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
        Self { columns, len: 0, rejected: Vec::new(), corrected: 0, row: PhantomData }
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

    /// The number of rows that fit without an allocation.
    pub(crate) fn capacity(&self) -> usize {
        self.columns[0].capacity() * LANES_MAX
    }

    /// Removes all rows and keeps the allocated memory.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
        self.len = 0;
        self.clear_rejected();
    }

    /// Empties the list of rejected rows.
    fn clear_rejected(&mut self) {
        self.rejected.clear();
        self.corrected = 0;
    }

    /// Replaces the contents by `rows` rows: row `k` is `value(k)`. The threads share the work.
    ///
    /// Invalid values are stored and returned with the reason. If `rows` is at most the capacity, nothing is allocated
    /// for the rows.
    ///
    /// ```
    /// use swath::{Aabb, MovingBox, MovingBoxStore, Threads};
    ///
    /// struct Ball { center: [f32; 3], radius: f32, velocity: [f32; 3] }
    /// let balls = [Ball { center: [0.0; 3], radius: 1.0, velocity: [60.0, 0.0, 0.0] }];
    ///
    /// let mut store = MovingBoxStore::new(); // keep it from tick to tick
    /// let rejected = store.fill(balls.len(), &Threads::current(), |row| {
    ///     let Ball { center, radius, velocity } = balls[row];
    ///     let aabb = Aabb::cube(center, radius).unwrap_or(Aabb { min: [f32::NAN; 3], max: [0.0; 3] });
    ///     MovingBox { aabb, delta: velocity.map(|v| v / 60.0) }
    /// });
    /// assert!(rejected.is_empty());
    /// assert_eq!(store.get(0).delta, [1.0, 0.0, 0.0]);
    /// ```
    pub fn fill(
        &mut self,
        rows: usize,
        threads: &Threads,
        value: impl Fn(usize) -> T + Sync,
    ) -> &[Rejected] {
        // Moved out, so that the store is empty if `value` panics.
        let mut store = core::mem::take(self);
        store.resize(rows);
        store.clear_rejected();
        let mut columns = store.columns.each_mut().map(|column| numbers(column, rows));
        let all_valid = fill_parts(threads, &mut columns, &|first_row, columns| {
            let mut all_valid = true;
            for k in 0..columns[0].len() {
                let value = value(first_row + k);
                all_valid &= value.check().is_ok();
                for (column, number) in columns.iter_mut().zip(value.to_row()) {
                    column[k] = number;
                }
            }
            all_valid
        });
        *self = store;
        if !all_valid {
            self.check_all();
        }
        self.rejected()
    }

    /// Calls `edit` with the columns, of which it may change any number; then validates all rows.
    ///
    /// Returns the rows that are invalid now, with the reason. If `edit` panics, the store is empty afterwards.
    ///
    /// ```
    /// use swath::{Aabb, MovingBoxStore};
    ///
    /// let mut store: MovingBoxStore = [Aabb::default(); 3].into_iter().collect();
    /// let rejected = store.edit(|columns| columns[6].fill(0.5)); // delta.x
    /// assert!(rejected.is_empty());
    /// assert_eq!(store.get(2).delta, [0.5, 0.0, 0.0]);
    /// ```
    pub fn edit(&mut self, edit: impl FnOnce([&mut [f32]; K])) -> &[Rejected] {
        // Moved out, so that the store is empty if `edit` panics.
        let mut store = core::mem::take(self);
        store.clear_rejected();
        edit(store.columns.each_mut().map(|column| numbers(column, store.len)));
        *self = store;
        self.check_all();
        self.rejected()
    }

    /// Returns the invalid rows, in order.
    #[must_use]
    pub fn rejected(&self) -> &[Rejected] {
        &self.rejected[self.corrected..]
    }

    /// Lists the invalid rows anew. The list must be empty.
    fn check_all(&mut self) {
        let mut rejected = core::mem::take(&mut self.rejected);
        self.columns().check(Level::detect(), &mut rejected);
        self.rejected = rejected;
    }

    /// Changes the number of rows. New rows have arbitrary numbers.
    fn resize(&mut self, rows: usize) {
        for column in &mut self.columns {
            column.resize(rows.div_ceil(LANES_MAX), Block::splat(PADDING));
            bytemuck::cast_slice_mut::<Block, f32>(column)[rows..].fill(PADDING);
        }
        self.len = rows;
    }

    /// Appends a value, which may be invalid.
    fn append(&mut self, value: T) {
        if let Err(reason) = value.check() {
            self.rejected.push(Rejected { row: self.len as u32, reason });
        }
        if self.len.is_multiple_of(LANES_MAX) {
            self.columns.iter_mut().for_each(|column| column.push(Block::splat(PADDING)));
        }
        self.len += 1;
        self.write(self.len - 1, value);
    }

    /// Appends a row and returns its number.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `value` is invalid; then the store does not change.
    pub fn push(&mut self, value: impl Into<T>) -> Result<usize, Invalid> {
        let value = value.into();
        value.check()?;
        self.append(value);
        Ok(self.len - 1)
    }

    /// Overwrites a row.
    ///
    /// To correct an invalid row takes a time in proportion to the invalid rows before or after it, whichever are fewer: little if
    /// they are corrected in ascending or descending order. To correct many in another order, use [`Store::edit`] or [`Store::fill`].
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
        self.accept(row as u32);
        Ok(())
    }

    /// Removes a row from the list of rejected rows, which is in order, and returns why it is there, if it is.
    fn accept(&mut self, row: u32) -> Option<Invalid> {
        let listed = &mut self.rejected[self.corrected..];
        let at = listed.binary_search_by_key(&row, |rejected| rejected.row).ok()?;
        let reason = listed[at].reason;
        // Move the shorter part of the list.
        if at < listed.len() / 2 {
            listed.copy_within(..at, 1);
            self.corrected += 1;
        } else {
            self.rejected.remove(self.corrected + at);
        }
        if self.corrected > self.rejected.len() / 2 {
            self.rejected.drain(..self.corrected);
            self.corrected = 0;
        }
        Some(reason)
    }

    /// Lists a row as rejected. If it is listed already, the reason is replaced.
    fn reject(&mut self, row: u32, reason: Invalid) {
        let listed = &mut self.rejected[self.corrected..];
        match listed.binary_search_by_key(&row, |rejected| rejected.row) {
            Ok(at) => listed[at].reason = reason,
            // Move the shorter part of the list, if there is room before it.
            Err(at) if self.corrected > 0 && at <= listed.len() / 2 => {
                self.corrected -= 1;
                let listed = &mut self.rejected[self.corrected..];
                listed.copy_within(1..=at, 0);
                listed[at] = Rejected { row, reason };
            }
            Err(at) => self.rejected.insert(self.corrected + at, Rejected { row, reason }),
        }
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
    /// If one of the two is invalid, this takes a time in proportion to the invalid rows after the removed one, or before it: see
    /// [`Store::set`].
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn swap_remove(&mut self, row: usize) -> T {
        let removed = self.get(row);
        self.write(row, self.get(self.len - 1));
        self.len -= 1;
        let (row, last) = (row as u32, self.len as u32);
        match self.accept(last) {
            Some(reason) if row != last => self.reject(row, reason),
            _ => _ = self.accept(row),
        }
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

    /// Returns the rows as checked columns. This checks nothing again.
    #[must_use]
    pub fn checked(&self) -> Checked<'_, Columns<'_, T, K>> {
        Checked::with_rejected(self.columns(), self.rejected())
    }

    fn write(&mut self, row: usize, value: T) {
        for (column, number) in self.columns.iter_mut().zip(value.to_row()) {
            bytemuck::cast_slice_mut::<Block, f32>(column)[row] = number;
        }
    }
}

/// Returns the first `len` numbers of a column.
fn numbers(column: &mut [Block], len: usize) -> &mut [f32] {
    &mut bytemuck::cast_slice_mut(column)[..len]
}

/// Calls `fill` with the first row and the columns of each part of the rows; returns whether all calls return true.
///
/// The limits of the parts depend on the number of rows alone.
fn fill_parts(
    threads: &Threads,
    columns: &mut [&mut [f32]],
    fill: &(dyn Fn(usize, &mut [&mut [f32]]) -> bool + Sync),
) -> bool {
    let (count, rows) = (columns.len(), columns[0].len());
    let size = rows.div_ceil(PARTS).max(PART_ROWS_MIN);
    let mut parts: [([&mut [f32]; COLUMNS_MAX], bool); PARTS] = core::array::from_fn(|_| {
        let mut part = [(); COLUMNS_MAX].map(|()| <&mut [f32]>::default());
        for (part, column) in part.iter_mut().zip(&mut *columns) {
            let end = size.min(column.len());
            *part = column.split_off_mut(..end).unwrap_or_default();
        }
        (part, true)
    });
    // Without the empty parts, so that one part is filled by the calling thread.
    let parts = &mut parts[..rows.div_ceil(size)];
    par::fill_chunks(threads, parts, 1, &|index, parts| {
        for (columns, all_valid) in parts {
            *all_valid = fill(index * size, &mut columns[..count]);
        }
    });
    parts.iter().all(|(_, all_valid)| *all_valid)
}

impl<T: Row<K>, const K: usize> Default for Store<T, K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const K: usize> Clone for Store<T, K> {
    fn clone(&self) -> Self {
        let (columns, rejected) = (self.columns.clone(), self.rejected.clone());
        Self { columns, rejected, ..*self }
    }
}

/// Appends values. Those that are invalid are stored and listed in [`Store::rejected`].
impl<T: Row<K>, const K: usize, V: Into<T>> Extend<V> for Store<T, K> {
    fn extend<I: IntoIterator<Item = V>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.append(value.into()));
    }
}

/// Creates a store of values. Those that are invalid are stored and listed in [`Store::rejected`].
impl<T: Row<K>, const K: usize, V: Into<T>> FromIterator<V> for Store<T, K> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let values = values.into_iter();
        let mut store = Self::with_capacity(values.size_hint().0);
        store.extend(values);
        store
    }
}

/// Creates a store of values. Those that are invalid are stored and listed in [`Store::rejected`].
impl<T: Row<K>, const K: usize> From<&[T]> for Store<T, K> {
    fn from(values: &[T]) -> Self {
        values.iter().copied().collect()
    }
}

impl<T: Row<K>, const K: usize> fmt::Debug for Store<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.columns()).finish()
    }
}

#[cfg(all(test, feature = "std", panic = "unwind"))]
mod tests {
    use super::{LANES_MAX, MovingBoxStore, PADDING};
    use crate::geom::{Aabb, MovingBox};
    use crate::lanes::Block;
    use crate::par::Threads;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Goal: after a panic of the caller's function the columns are as long as those of a new store. Method: the columns after
    /// each row that is appended to a store whose filling or editing has panicked.
    #[test]
    fn columns_have_no_rows_of_before_a_panic() {
        for edit in [false, true] {
            let mut store: MovingBoxStore = [Aabb::default(); 100].into_iter().collect();
            let panics = AssertUnwindSafe(|| {
                if edit {
                    store.edit(|_| panic!("the caller's"));
                } else {
                    store.fill(200, &Threads::one(), |_| -> MovingBox { panic!("the caller's") });
                }
            });
            assert!(catch_unwind(panics).is_err());
            for rows in 0..40 {
                assert_eq!(store.len(), rows);
                for column in &store.columns {
                    assert_eq!(column.len(), rows.div_ceil(LANES_MAX), "{rows} rows");
                    let padding = &bytemuck::cast_slice::<Block, f32>(column)[rows..];
                    assert!(padding.iter().all(|x| x.to_bits() == PADDING.to_bits()));
                }
                store.push(Aabb::default()).expect("a valid box");
            }
        }
    }
}
