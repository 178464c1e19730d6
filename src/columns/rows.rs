//! Boxes in the caller's own structures: rows of bytes, in which the numbers of a box have fixed offsets.
//!
//! A row is a structure of any layout; a vector is three consecutive `f32` at some byte of it. Functions over rows
//! copy a chunk of rows to columns that stay in the cache, and run the code for columns on them.
//! So every answer has the bits that the same boxes have as columns.

use super::Columns;
use super::view::{AabbColumns, LengthMismatch, MovingBoxColumns};
use crate::geom::{Aabb, MapEach, MovingBox, each_axis};
use alloc::vec::Vec;
use bytemuck::NoUninit;
use core::ops::Range;

/// Number of rows that are copied at once. They fit into the innermost cache, so that several vectors of a row cost
/// one access to memory.
const BLOCK: usize = 64;

/// Number of bytes of a vector.
const VECTOR_BYTES: usize = size_of::<[f32; 3]>();

/// Rows that are not structures with a vector at this offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    /// The twelve bytes of the vector do not lie within a row.
    #[error(
        "a vector at byte {offset} does not fit into rows of {stride} bytes; it takes 12 bytes"
    )]
    Offset {
        /// Offset of the vector in a row, in bytes.
        offset: usize,
        /// Length of a row in bytes.
        stride: usize,
    },
    /// The number of bytes is not a multiple of the length of a row.
    #[error("{bytes} bytes are not a whole number of rows of {stride} bytes; check the stride")]
    PartialRow {
        /// Number of bytes.
        bytes: usize,
        /// Length of a row in bytes.
        stride: usize,
    },
}

/// One vector in each row of an array of the caller's structures: three consecutive `f32` at a fixed offset.
///
/// The structure is any type without padding bytes (`bytemuck::NoUninit`, which every `bytemuck::Pod` type is). It
/// need not be aligned to four bytes. An array of `[f32; 3]` converts into it.
///
/// ```
/// use core::mem::offset_of;
/// use swath::broadphase::{RowsError, VectorRows};
///
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Body {
///     id: u32,
///     position: [f32; 3],
/// }
///
/// let bodies = [Body { id: 7, position: [1.0, 2.0, 3.0] }; 4];
/// let positions = VectorRows::new(&bodies, offset_of!(Body, position))?;
/// assert_eq!((positions.len(), positions.get(2)), (4, [1.0, 2.0, 3.0]));
/// assert_eq!(VectorRows::new(&bodies, 8).err(), Some(RowsError::Offset { offset: 8, stride: 16 }));
/// # Ok::<(), RowsError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct VectorRows<'a> {
    /// A whole number of rows.
    bytes: &'a [u8],
    /// Length of a row in bytes, at least `offset + VECTOR_BYTES`.
    stride: usize,
    offset: usize,
}

impl<'a> VectorRows<'a> {
    /// Borrows the vector that starts at byte `offset` of each row.
    ///
    /// # Errors
    ///
    /// [`RowsError::Offset`] when the vector does not lie within a row.
    pub fn new<T: NoUninit>(rows: &'a [T], offset: usize) -> Result<Self, RowsError> {
        let stride = size_of::<T>();
        // A structure of no bytes has no bytes to borrow.
        let bytes = if stride == 0 { &[] } else { bytemuck::cast_slice(rows) };
        Self::from_bytes(bytes, stride, offset)
    }

    /// Borrows the vector that starts at byte `offset` of each row of `stride` bytes.
    ///
    /// # Errors
    ///
    /// [`RowsError`] when the vector does not lie within a row, or the last row is not whole.
    pub fn from_bytes(bytes: &'a [u8], stride: usize, offset: usize) -> Result<Self, RowsError> {
        if offset.checked_add(VECTOR_BYTES).is_none_or(|end| end > stride) {
            return Err(RowsError::Offset { offset, stride });
        }
        if !bytes.len().is_multiple_of(stride) {
            return Err(RowsError::PartialRow { bytes: bytes.len(), stride });
        }
        Ok(Self { bytes, stride, offset })
    }

    /// Borrows a vector that is known to lie within `T`.
    fn of<T: NoUninit>(rows: &'a [T], offset: usize) -> Self {
        Self::new(rows, offset).expect("the vector lies within a row")
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / self.stride
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the vector of row `row`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> [f32; 3] {
        // A product that wraps around would be the start of another row.
        let start = row.checked_mul(self.stride).expect("there is no such row");
        let row = &self.bytes[start..][..self.stride];
        bytemuck::pod_read_unaligned(&row[self.offset..][..VECTOR_BYTES])
    }

    /// Returns a view of the rows `range`.
    fn slice(&self, range: Range<usize>) -> Self {
        let bytes = &self.bytes[range.start * self.stride..range.end * self.stride];
        Self { bytes, ..*self }
    }

    /// Copies the vectors of the rows `range` to columns that are as long.
    fn copy_to(&self, range: Range<usize>, [x, y, z]: [&mut [f32]; 3]) {
        let bytes = &self.bytes[range.start * self.stride..range.end * self.stride];
        let rows = bytes.chunks_exact(self.stride);
        for (((row, x), y), z) in rows.zip(x).zip(y).zip(z) {
            [*x, *y, *z] = bytemuck::pod_read_unaligned(&row[self.offset..][..VECTOR_BYTES]);
        }
    }
}

impl<'a> From<&'a [[f32; 3]]> for VectorRows<'a> {
    fn from(vectors: &'a [[f32; 3]]) -> Self {
        Self::of(vectors, 0)
    }
}

/// Boxes that do not move, in the caller's own structures.
///
/// Input of [`PairFinder`](crate::PairFinder), [`FixedBoxes`](crate::FixedBoxes), [`Bvh`](crate::Bvh) and
/// [`Broadphase`](crate::Broadphase), wherever these take [`AabbColumns`]. Arrays of [`Aabb`] convert into it.
#[derive(Clone, Copy, Debug)]
pub struct AabbRows<'a> {
    /// The least and the greatest corner, or the centre and the half extents.
    vectors: [VectorRows<'a>; 2],
    centered: bool,
}

impl<'a> AabbRows<'a> {
    /// Borrows the least and the greatest corner of each box.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when there are not as many maxima as minima.
    pub fn new(
        min: impl Into<VectorRows<'a>>,
        max: impl Into<VectorRows<'a>>,
    ) -> Result<Self, LengthMismatch> {
        Self::of("max", [min.into(), max.into()], false)
    }

    /// Borrows the centre and the half extents of each box. The corners are those of [`Aabb::from_center`], rounded
    /// outwards.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when there are not as many half extents as centres.
    pub fn from_center(
        center: impl Into<VectorRows<'a>>,
        half_extents: impl Into<VectorRows<'a>>,
    ) -> Result<Self, LengthMismatch> {
        Self::of("half_extents", [center.into(), half_extents.into()], true)
    }

    fn of(
        second: &'static str,
        vectors: [VectorRows<'a>; 2],
        centered: bool,
    ) -> Result<Self, LengthMismatch> {
        LengthMismatch::check(second, vectors[0].len(), vectors[1].len())?;
        Ok(Self { vectors, centered })
    }

    /// Adds the displacement of each box over the tick.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when there is not one displacement for each box.
    pub fn moving(
        self,
        delta: impl Into<VectorRows<'a>>,
    ) -> Result<MovingBoxRows<'a>, LengthMismatch> {
        self.with_delta("delta", delta.into(), None)
    }

    /// Adds the velocity of each box. Its displacement over the tick is `velocity · tick_seconds`, rounded to
    /// nearest.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when there is not one velocity for each box.
    pub fn moving_at(
        self,
        velocity: impl Into<VectorRows<'a>>,
        tick_seconds: f32,
    ) -> Result<MovingBoxRows<'a>, LengthMismatch> {
        self.with_delta("velocity", velocity.into(), Some(tick_seconds))
    }

    fn with_delta(
        self,
        what: &'static str,
        delta: VectorRows<'a>,
        factor: Option<f32>,
    ) -> Result<MovingBoxRows<'a>, LengthMismatch> {
        LengthMismatch::check(what, self.len(), delta.len())?;
        Ok(MovingBoxRows { boxes: self, delta: Some(delta), factor })
    }

    /// Returns the number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.vectors[0].len()
    }

    /// Returns whether the number of boxes is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the box of row `row`, which may be invalid.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Aabb {
        let [first, second] = self.vectors.map_each(|vectors| vectors.get(row));
        if self.centered {
            let ends: [_; 3] =
                each_axis(|axis| Aabb::ends_around_center(first[axis], second[axis]));
            Aabb { min: ends.map_each(|[low, _]| low), max: ends.map_each(|[_, high]| high) }
        } else {
            Aabb { min: first, max: second }
        }
    }

    /// Returns a view of the rows `range`.
    pub(super) fn slice(&self, range: Range<usize>) -> Self {
        let vectors = self.vectors.map_each(|vectors| vectors.slice(range.clone()));
        Self { vectors, ..*self }
    }

    /// Copies the corners of the rows `range` to columns that are as long.
    fn copy_to(&self, range: Range<usize>, [x0, y0, z0, x1, y1, z1]: [&mut [f32]; 6]) {
        let [first, second] = &self.vectors;
        first.copy_to(range.clone(), [&mut *x0, &mut *y0, &mut *z0]);
        second.copy_to(range, [&mut *x1, &mut *y1, &mut *z1]);
        if self.centered {
            for (centers, halves) in [(x0, x1), (y0, y1), (z0, z1)] {
                for (low, high) in centers.iter_mut().zip(halves) {
                    [*low, *high] = Aabb::ends_around_center(*low, *high);
                }
            }
        }
    }

    /// Returns the boxes as columns, which are copied to `columns`.
    pub(super) fn columns_in<'s>(&self, columns: &'s mut [Vec<f32>; 9]) -> AabbColumns<'s> {
        let rows = self.len();
        let [x0, y0, z0, x1, y1, z1, ..] = columns;
        let mut corners = [x0, y0, z0, x1, y1, z1];
        corners.iter_mut().for_each(|column| lengthen(column, rows));
        for start in (0..rows).step_by(BLOCK) {
            let block = start..rows.min(start + BLOCK);
            self.copy_to(
                block.clone(),
                corners.each_mut().map(|column| &mut column[block.clone()]),
            );
        }
        let [x0, y0, z0, x1, y1, z1] = corners.map(|column| &column[..rows]);
        AabbColumns::new([x0, y0, z0], [x1, y1, z1]).expect("the columns are equally long")
    }
}

impl<'a> From<&'a [Aabb]> for AabbRows<'a> {
    fn from(boxes: &'a [Aabb]) -> Self {
        let vectors = [core::mem::offset_of!(Aabb, min), core::mem::offset_of!(Aabb, max)];
        Self { vectors: vectors.map_each(|offset| VectorRows::of(boxes, offset)), centered: false }
    }
}

/// Moving boxes in the caller's own structures.
///
/// Input of [`PairFinder`](crate::PairFinder), [`FixedBoxes`](crate::FixedBoxes) and
/// [`Broadphase`](crate::Broadphase), wherever these take [`MovingBoxColumns`]. Arrays of [`MovingBox`] convert into
/// it, and so do [`AabbRows`], which do not move. Nothing is copied but the chunk of rows that a thread works on.
///
/// ```
/// use core::mem::offset_of;
/// use swath::PairFinder;
/// use swath::broadphase::{AabbRows, VectorRows};
///
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// struct Body {
///     position: [f32; 3],
///     half_extents: [f32; 3],
///     velocity: [f32; 3],
///     id: u32,
/// }
///
/// let body = |x, vx, id| Body { position: [x, 0.0, 0.0], half_extents: [0.5; 3], velocity: [vx, 0.0, 0.0], id };
/// let bodies = [body(0.0, 600.0, 10), body(5.0, 0.0, 11), body(50.0, 0.0, 12)];
///
/// let vector = |offset| VectorRows::new(&bodies, offset);
/// let boxes = AabbRows::from_center(vector(offset_of!(Body, position))?, vector(offset_of!(Body, half_extents))?)?
///     .moving_at(vector(offset_of!(Body, velocity))?, 1.0 / 60.0)?;
/// let mut finder = PairFinder::new();
/// let pairs = finder.swept_pairs(boxes)?.sorted();
/// assert_eq!((pairs.len(), pairs[0].a, pairs[0].b), (1, 0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MovingBoxRows<'a> {
    boxes: AabbRows<'a>,
    /// The displacements, or the velocities. `None` for boxes that do not move.
    delta: Option<VectorRows<'a>>,
    /// The displacement is the velocity times this.
    factor: Option<f32>,
}

impl<'a> MovingBoxRows<'a> {
    /// Returns the number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.boxes.len()
    }

    /// Returns whether the number of boxes is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the moving box of row `row`, which may be invalid.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> MovingBox {
        let delta = self.delta.map_or([0.0; 3], |delta| delta.get(row));
        let delta = self.factor.map_or(delta, |factor| delta.map_each(|x| x * factor));
        MovingBox { aabb: self.boxes.get(row), delta }
    }

    /// Returns a view of the rows `range`.
    pub(super) fn slice(&self, range: Range<usize>) -> Self {
        let delta = self.delta.map(|delta| delta.slice(range.clone()));
        Self { boxes: self.boxes.slice(range), delta, factor: self.factor }
    }

    /// Returns the boxes as columns, which are copied to `columns`. If nothing moves, the displacements are `zeros`.
    pub(super) fn columns_in<'s>(
        &self,
        columns: &'s mut [Vec<f32>; 9],
        zeros: &'s mut Vec<f32>,
    ) -> MovingBoxColumns<'s> {
        let Self { boxes, delta: Some(delta), factor } = self else {
            return still(self.boxes.columns_in(columns), zeros);
        };
        let rows = boxes.len();
        columns.iter_mut().for_each(|column| lengthen(column, rows));
        for start in (0..rows).step_by(BLOCK) {
            let block = start..rows.min(start + BLOCK);
            let [x0, y0, z0, x1, y1, z1, dx, dy, dz] =
                columns.each_mut().map(|column| &mut column[block.clone()]);
            boxes.copy_to(block.clone(), [x0, y0, z0, x1, y1, z1]);
            delta.copy_to(block, [&mut *dx, &mut *dy, &mut *dz]);
            if let Some(factor) = factor {
                for column in [dx, dy, dz] {
                    column.iter_mut().for_each(|x| *x *= factor);
                }
            }
        }
        let columns = columns.each_ref().map_each(|column| &column[..rows]);
        Columns::from_columns(columns).expect("the columns are equally long")
    }
}

/// Returns columns of boxes that do not move. Their displacements are a column of `zeros`.
pub(super) fn still<'a>(boxes: AabbColumns<'a>, zeros: &'a mut Vec<f32>) -> MovingBoxColumns<'a> {
    lengthen(zeros, boxes.len());
    let [x0, y0, z0, x1, y1, z1] = boxes.columns();
    MovingBoxColumns::new([x0, y0, z0], [x1, y1, z1], [&zeros[..boxes.len()]; 3])
        .expect("the columns are equally long")
}

impl<'a> From<AabbRows<'a>> for MovingBoxRows<'a> {
    fn from(boxes: AabbRows<'a>) -> Self {
        Self { boxes, delta: None, factor: None }
    }
}

impl<'a> From<&'a [MovingBox]> for MovingBoxRows<'a> {
    fn from(boxes: &'a [MovingBox]) -> Self {
        let aabb = core::mem::offset_of!(MovingBox, aabb);
        let corners = [core::mem::offset_of!(Aabb, min), core::mem::offset_of!(Aabb, max)];
        let vectors = corners.map_each(|corner| VectorRows::of(boxes, aabb + corner));
        let delta = VectorRows::of(boxes, core::mem::offset_of!(MovingBox, delta));
        let boxes = AabbRows { vectors, centered: false };
        Self { boxes, delta: Some(delta), factor: None }
    }
}

/// Makes a column long enough for this many rows. New numbers are zero.
pub(super) fn lengthen(column: &mut Vec<f32>, rows: usize) {
    if column.len() < rows {
        column.reserve_exact(rows - column.len());
        column.resize(rows, 0.0);
    }
}
