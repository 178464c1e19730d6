//! How does swath keep boxes itself?

use super::{Boxes, Checked, borrowed::COLUMNS};
use crate::geom::{Aabb, InvalidBox, MovingBox};
use crate::lanes::{Block, LANES_MAX};
use alloc::vec::Vec;

/// Moving boxes in nine columns of its own, aligned and padded to the widest lane.
///
/// Nothing but boxes gets in, so [`BoxStore::checked`] costs nothing.
///
/// ```
/// use swath::{Aabb, BoxStore};
///
/// let mut store = BoxStore::new();
/// let row = store.push(Aabb::cube([1.0, 2.0, 3.0], 0.5)?)?;
/// assert_eq!(store.get(row).aabb.min, [0.5, 1.5, 2.5]);
/// # Ok::<(), swath::InvalidBox>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BoxStore {
    /// Each holds `len` rows rounded up to whole blocks; the padding is [`PADDING`].
    columns: [Vec<Block>; COLUMNS],
    len: usize,
}

/// What stands in the columns past the last row, where nobody reads: no box at all.
const PADDING: [f32; COLUMNS] = {
    let (min, max) = (f32::INFINITY, f32::NEG_INFINITY);
    [min, min, min, max, max, max, 0.0, 0.0, 0.0]
};

impl BoxStore {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty store with room for `rows` boxes.
    #[must_use]
    pub fn with_capacity(rows: usize) -> Self {
        let blocks = rows.div_ceil(LANES_MAX);
        Self { columns: core::array::from_fn(|_| Vec::with_capacity(blocks)), len: 0 }
    }

    /// How many boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
        self.len = 0;
    }

    /// Adds a box and returns its row.
    ///
    /// # Errors
    ///
    /// [`InvalidBox`] when it is none; then nothing is added.
    pub fn push(&mut self, moving: impl Into<MovingBox>) -> Result<usize, InvalidBox> {
        let moving = moving.into();
        moving.validate()?;
        if self.len.is_multiple_of(LANES_MAX) {
            for (column, padding) in self.columns.iter_mut().zip(PADDING) {
                column.push(Block::splat(padding));
            }
        }
        self.len += 1;
        self.write(self.len - 1, moving);
        Ok(self.len - 1)
    }

    /// Replaces the box of a row.
    ///
    /// # Errors
    ///
    /// [`InvalidBox`] when `moving` is none; then nothing changes.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    pub fn set(&mut self, row: usize, moving: impl Into<MovingBox>) -> Result<(), InvalidBox> {
        assert!(row < self.len, "row {row} of {}", self.len);
        let moving = moving.into();
        moving.validate()?;
        self.write(row, moving);
        Ok(())
    }

    /// The box of a row.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> MovingBox {
        self.boxes().get(row)
    }

    /// Removes a row and moves the last box to its place; returns what was removed.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    pub fn swap_remove(&mut self, row: usize) -> MovingBox {
        let removed = self.get(row);
        self.write(row, self.get(self.len - 1));
        self.len -= 1;
        for (column, padding) in self.columns.iter_mut().zip(PADDING) {
            bytemuck::cast_slice_mut::<Block, f32>(column)[self.len] = padding;
            column.truncate(self.len.div_ceil(LANES_MAX));
        }
        removed
    }

    /// The rows as borrowed columns.
    #[must_use]
    pub fn boxes(&self) -> Boxes<'_> {
        let of = |column: usize| &bytemuck::cast_slice(&self.columns[column])[..self.len];
        Boxes::new([of(0), of(1), of(2)], [of(3), of(4), of(5)], [of(6), of(7), of(8)])
            .expect("the columns grow together")
    }

    /// The rows, all of which are boxes.
    #[must_use]
    pub fn checked(&self) -> Checked<'_> {
        Checked::all_valid(self.boxes())
    }

    fn write(&mut self, row: usize, MovingBox { aabb: Aabb { min, max }, delta }: MovingBox) {
        let numbers = min.into_iter().chain(max).chain(delta);
        for (column, number) in self.columns.iter_mut().zip(numbers) {
            bytemuck::cast_slice_mut::<Block, f32>(column)[row] = number;
        }
    }
}
