//! How does an engine lend its own columns?

use crate::geom::{Aabb, MovingBox};
use crate::lanes::Table;

/// The columns of [`Boxes`], in the order of [`Boxes::columns`].
pub(crate) const COLUMNS: usize = 9;

const NAMES: [&str; COLUMNS] =
    ["min.x", "min.y", "min.z", "max.x", "max.y", "max.z", "delta.x", "delta.y", "delta.z"];

/// A column or output of the wrong length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} has {found} rows where {expected} are needed")]
pub struct LengthMismatch {
    /// Which column or output.
    pub what: &'static str,
    /// How many rows it must have.
    pub expected: usize,
    /// How many it has.
    pub found: usize,
}

impl LengthMismatch {
    pub(crate) fn check(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        if expected == found { Ok(()) } else { Err(Self { what, expected, found }) }
    }
}

/// Many moving boxes as nine borrowed columns of equal length. Row `i` of each is box `i`.
///
/// Only the lengths are checked here; the numbers are in [`Boxes::check`]. 36 bytes a box.
///
/// ```
/// use swath::Boxes;
///
/// let zeros = [0.0; 2];
/// let (min_x, max_x) = ([0.0, 5.0], [1.0, 6.0]);
/// let boxes = Boxes::new([&min_x, &zeros, &zeros], [&max_x, &zeros, &zeros], [&zeros; 3])?;
/// assert_eq!(boxes.len(), 2);
/// # Ok::<(), swath::store::LengthMismatch>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Boxes<'a> {
    columns: [&'a [f32]; COLUMNS],
}

impl<'a> Boxes<'a> {
    /// Borrows the columns x, y, z of the least corners, the greatest corners and the
    /// displacements over the tick.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when a column is not as long as the first.
    pub fn new(
        min: [&'a [f32]; 3],
        max: [&'a [f32]; 3],
        delta: [&'a [f32]; 3],
    ) -> Result<Self, LengthMismatch> {
        let columns =
            [min[0], min[1], min[2], max[0], max[1], max[2], delta[0], delta[1], delta[2]];
        for (name, column) in NAMES.into_iter().zip(columns) {
            LengthMismatch::check(name, columns[0].len(), column.len())?;
        }
        Ok(Self { columns })
    }

    /// How many boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The numbers of row `row`, which need not be a box.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> MovingBox {
        let of = |first: usize| core::array::from_fn(|axis| self.columns[first + axis][row]);
        MovingBox { aabb: Aabb { min: of(0), max: of(3) }, delta: of(6) }
    }

    /// The rows `range` alone.
    ///
    /// # Panics
    ///
    /// When there are no such rows.
    #[must_use]
    pub fn slice(&self, range: core::ops::Range<usize>) -> Self {
        Self { columns: self.columns.map(|column| &column[range.clone()]) }
    }

    /// Minima, maxima, displacements; x, y, z of each.
    #[must_use]
    pub fn columns(&self) -> [&'a [f32]; 9] {
        self.columns
    }

    pub(crate) fn table(&self) -> Table<'a, f32, COLUMNS> {
        Table::new(self.columns, self.len())
    }
}
