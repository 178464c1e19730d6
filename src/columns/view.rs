//! Borrowed columns: a view of arrays that the caller owns, one `f32` array per component.

use super::row::Row;
use crate::geom::{Aabb, AcceleratingBox, Body, MapEach, MovingBox, MovingSphere, Segment};
use crate::lanes::Table;
use core::fmt;
use core::marker::PhantomData;

/// A column or output of the wrong length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what}: the length is {found} and must be {expected}; the length of each list follows from the number of rows of the call"
)]
pub struct LengthMismatch {
    /// Name of the column or output.
    pub what: &'static str,
    /// The length that it must have.
    pub expected: usize,
    /// The length that it has.
    pub found: usize,
}

impl LengthMismatch {
    pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self { what, expected, found }) }
    }
}

/// Many values `T` as `K` borrowed columns of equal length. Row `i` of each column makes value `i`.
///
/// Creating a view checks the lengths only; [`Columns::check`] checks the numbers. 4 bytes per
/// column and row. The same array may be passed for several columns. For example, boxes whose
/// `min.x` and `max.x` are the same array are flat, and boxes for which this holds on all axes are
/// points.
pub struct Columns<'a, T, const K: usize> {
    columns: [&'a [f32]; K],
    row: PhantomData<fn() -> T>,
}

/// Borrowed moving boxes: minima, maxima and displacements. 36 bytes per box.
///
/// ```
/// use swath::MovingBoxColumns;
///
/// let zeros = [0.0; 2];
/// let (min_x, max_x) = ([0.0, 5.0], [1.0, 6.0]);
/// let boxes = MovingBoxColumns::new([&min_x, &zeros, &zeros], [&max_x, &zeros, &zeros], [&zeros; 3])?;
/// assert_eq!(boxes.len(), 2);
/// # Ok::<(), swath::batch::LengthMismatch>(())
/// ```
pub type MovingBoxColumns<'a> = Columns<'a, MovingBox, 9>;

/// Borrowed boxes that do not move: minima and maxima. 24 bytes per box.
pub type AabbColumns<'a> = Columns<'a, Aabb, 6>;

/// Borrowed moving boxes with masses: minima, maxima, displacements and inverse masses. 40 bytes
/// per body.
pub type BodyColumns<'a> = Columns<'a, Body, 10>;

/// Borrowed boxes under constant acceleration: minima, maxima, displacements and accelerations. 48
/// bytes per box.
pub type AcceleratingBoxColumns<'a> = Columns<'a, AcceleratingBox, 12>;

/// Borrowed moving spheres: centres, radii and displacements. 28 bytes per sphere.
pub type SphereColumns<'a> = Columns<'a, MovingSphere, 7>;

/// Borrowed segments or rays: starts, displacements and greatest fractions. 28 bytes per segment.
pub type SegmentColumns<'a> = Columns<'a, Segment, 7>;

impl<'a> MovingBoxColumns<'a> {
    /// Borrows the columns x, y, z of the minima, of the maxima and of the displacements over the
    /// tick.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn new(
        min: [&'a [f32]; 3],
        max: [&'a [f32]; 3],
        delta: [&'a [f32]; 3],
    ) -> Result<Self, LengthMismatch> {
        let ([x0, y0, z0], [x1, y1, z1], [dx, dy, dz]) = (min, max, delta);
        Self::from_columns([x0, y0, z0, x1, y1, z1, dx, dy, dz])
    }

    /// Does what [`MovingBoxColumns::new`] does, from three columns each that are stored together, such as
    /// `[Vec<f32>; 3]`.
    ///
    /// ```
    /// use swath::MovingBoxColumns;
    ///
    /// let min: [Vec<f32>; 3] = [vec![0.0, 5.0], vec![0.0; 2], vec![0.0; 2]];
    /// let max: [Vec<f32>; 3] = [vec![1.0, 6.0], vec![1.0; 2], vec![1.0; 2]];
    /// let delta: [Vec<f32>; 3] = core::array::from_fn(|_| vec![0.0; 2]);
    /// assert_eq!(MovingBoxColumns::from_vecs(&min, &max, &delta)?.len(), 2);
    /// # Ok::<(), swath::batch::LengthMismatch>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn from_vecs<C: AsRef<[f32]>>(
        min: &'a [C; 3],
        max: &'a [C; 3],
        delta: &'a [C; 3],
    ) -> Result<Self, LengthMismatch> {
        Self::new(borrow(min), borrow(max), borrow(delta))
    }

    /// Returns the columns of the minima and maxima.
    pub(crate) fn corners(&self) -> Table<'a, f32, 6> {
        let [x0, y0, z0, x1, y1, z1, ..] = self.columns;
        Table::new([x0, y0, z0, x1, y1, z1], self.len())
    }
}

impl<'a> AabbColumns<'a> {
    /// Borrows the columns x, y, z of the minima and of the maxima.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn new(min: [&'a [f32]; 3], max: [&'a [f32]; 3]) -> Result<Self, LengthMismatch> {
        let ([x0, y0, z0], [x1, y1, z1]) = (min, max);
        Self::from_columns([x0, y0, z0, x1, y1, z1])
    }

    /// Does what [`AabbColumns::new`] does, from three columns each that are stored together, such as
    /// `[Vec<f32>; 3]`.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn from_vecs<C: AsRef<[f32]>>(
        min: &'a [C; 3],
        max: &'a [C; 3],
    ) -> Result<Self, LengthMismatch> {
        Self::new(borrow(min), borrow(max))
    }
}

impl<'a> BodyColumns<'a> {
    /// Borrows the columns of `boxes` and the inverse masses.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when there is not one inverse mass for each box.
    pub fn new(
        boxes: MovingBoxColumns<'a>,
        inverse_mass: &'a [f32],
    ) -> Result<Self, LengthMismatch> {
        let [x0, y0, z0, x1, y1, z1, dx, dy, dz] = boxes.columns;
        Self::from_columns([x0, y0, z0, x1, y1, z1, dx, dy, dz, inverse_mass])
    }

    /// Returns the boxes without the masses.
    #[must_use]
    pub fn boxes(&self) -> MovingBoxColumns<'a> {
        let [x0, y0, z0, x1, y1, z1, dx, dy, dz, _] = self.columns;
        Columns { columns: [x0, y0, z0, x1, y1, z1, dx, dy, dz], row: PhantomData }
    }
}

impl<'a> AcceleratingBoxColumns<'a> {
    /// Borrows the columns x, y, z of the minima, the maxima, the displacements and the
    /// accelerations.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn new(
        min: [&'a [f32]; 3],
        max: [&'a [f32]; 3],
        delta: [&'a [f32]; 3],
        accel: [&'a [f32]; 3],
    ) -> Result<Self, LengthMismatch> {
        let ([x0, y0, z0], [x1, y1, z1]) = (min, max);
        let ([dx, dy, dz], [ax, ay, az]) = (delta, accel);
        Self::from_columns([x0, y0, z0, x1, y1, z1, dx, dy, dz, ax, ay, az])
    }
}

impl<'a> SphereColumns<'a> {
    /// Borrows the columns x, y, z of the centres, the radii, and the columns x, y, z of the
    /// displacements over the tick.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn new(
        center: [&'a [f32]; 3],
        radius: &'a [f32],
        delta: [&'a [f32]; 3],
    ) -> Result<Self, LengthMismatch> {
        let ([x, y, z], [dx, dy, dz]) = (center, delta);
        Self::from_columns([x, y, z, radius, dx, dy, dz])
    }
}

impl<'a> SegmentColumns<'a> {
    /// Borrows the columns x, y, z of the starts and of the displacements, and the greatest
    /// fractions.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn new(
        start: [&'a [f32]; 3],
        delta: [&'a [f32]; 3],
        max_fraction: &'a [f32],
    ) -> Result<Self, LengthMismatch> {
        let ([x, y, z], [dx, dy, dz]) = (start, delta);
        Self::from_columns([x, y, z, dx, dy, dz, max_fraction])
    }
}

impl<'a, T: Row<K>, const K: usize> Columns<'a, T, K> {
    /// Borrows the columns in the order of [`Columns::columns`].
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn from_columns(columns: [&'a [f32]; K]) -> Result<Self, LengthMismatch> {
        for (name, column) in T::NAMES.into_iter().zip(columns) {
            LengthMismatch::check(name, columns[0].len(), column.len())?;
        }
        Ok(Self { columns, row: PhantomData })
    }

    /// Returns the value of row `row`, which may be invalid.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> T {
        let mut numbers = [0.0; K];
        for (number, column) in numbers.iter_mut().zip(&self.columns) {
            *number = column[row];
        }
        T::from_row(numbers)
    }
}

impl<'a, T, const K: usize> Columns<'a, T, K> {
    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a view of the rows `range`.
    ///
    /// # Panics
    ///
    /// If the range is not within the rows.
    #[must_use]
    pub fn slice(&self, range: core::ops::Range<usize>) -> Self {
        let mut columns = self.columns;
        for column in &mut columns {
            *column = &column[range.clone()];
        }
        Self { columns, row: PhantomData }
    }

    /// Returns the columns: x, y, z of each vector, in the order of the constructor.
    #[must_use]
    pub fn columns(&self) -> [&'a [f32]; K] {
        self.columns
    }

    pub(crate) fn table(&self) -> Table<'a, f32, K> {
        Table::new(self.columns, self.len())
    }
}

/// Borrows three columns that are stored together.
fn borrow<C: AsRef<[f32]>>(columns: &[C; 3]) -> [&[f32]; 3] {
    columns.each_ref().map_each(AsRef::as_ref)
}

impl<T, const K: usize> Clone for Columns<'_, T, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const K: usize> Copy for Columns<'_, T, K> {}

impl<T, const K: usize> fmt::Debug for Columns<'_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Columns").field(&self.columns).finish()
    }
}
