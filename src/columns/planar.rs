//! Borrowed columns of boxes in a plane: two-dimensional worlds pass no third axis.

use super::rows::lengthen;
use super::view::{LengthMismatch, MovingBoxColumns};
use crate::geom::{Aabb, MapEach, MovingBox};
use alloc::vec::Vec;
use core::ops::Range;

/// Borrowed moving boxes of a two-dimensional world: minima, maxima and displacements along x and y. 24 bytes per box.
///
/// Along z each box is `[0, 0]` and does not move. Boxes then meet exactly when they meet in the plane. A column of zeros
/// in the memory of the callee stands for the third axis, one chunk of rows at a time.
///
/// Pairs and first times are those in the plane. But two such boxes that touch at the start of the tick also touch along z: their contact is not
/// closing, and if they overlap, its normal is along z and its depth 0. Where this matters, pass [`MovingBoxColumns`] in which all boxes have the same interval along z, at
/// least as long as the longest side in the plane.
///
/// ```
/// use swath::PairFinder;
/// use swath::broadphase::PlanarBoxColumns;
///
/// let (min_x, max_x, min_y, max_y) = ([0.0, 2.0], [1.0, 3.0], [0.0; 2], [1.0; 2]);
/// let (delta_x, delta_y) = ([1.5, 0.0], [0.0; 2]);
/// let boxes = PlanarBoxColumns::new([&min_x, &min_y], [&max_x, &max_y], [&delta_x, &delta_y])?;
/// assert_eq!(PairFinder::new().swept_pairs(boxes)?.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PlanarBoxColumns<'a> {
    /// Minima, maxima, displacements; x, then y.
    columns: [&'a [f32]; 6],
}

impl<'a> PlanarBoxColumns<'a> {
    /// Creates a view of these columns, x before y.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] if the columns have different lengths.
    pub fn new(
        min: [&'a [f32]; 2],
        max: [&'a [f32]; 2],
        delta: [&'a [f32]; 2],
    ) -> Result<Self, LengthMismatch> {
        const NAMES: [&str; 6] = ["min.x", "min.y", "max.x", "max.y", "delta.x", "delta.y"];
        let columns = [min[0], min[1], max[0], max[1], delta[0], delta[1]];
        for (name, column) in NAMES.into_iter().zip(columns) {
            LengthMismatch::check(name, columns[0].len(), column.len())?;
        }
        Ok(Self { columns })
    }

    /// Returns the number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Returns whether the number of boxes is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns box `row`, which may be invalid.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> MovingBox {
        let [x0, y0, x1, y1, dx, dy] = self.columns.map_each(|column| column[row]);
        MovingBox { aabb: Aabb { min: [x0, y0, 0.0], max: [x1, y1, 0.0] }, delta: [dx, dy, 0.0] }
    }

    /// Returns a view of the rows `range`.
    pub(super) fn slice(&self, range: Range<usize>) -> Self {
        Self { columns: self.columns.map_each(|column| &column[range.clone()]) }
    }

    /// Returns the boxes as columns of three axes. The third is a column of `zeros`.
    pub(super) fn columns_in(&self, zeros: &'a mut Vec<f32>) -> MovingBoxColumns<'a> {
        lengthen(zeros, self.len());
        let zeros = &zeros[..self.len()];
        let [x0, y0, x1, y1, dx, dy] = self.columns;
        MovingBoxColumns::new([x0, y0, zeros], [x1, y1, zeros], [dx, dy, zeros])
            .expect("the columns are equally long")
    }
}
