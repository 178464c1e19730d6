//! Boxes in any layout that a function reads, and how they become columns.

use super::memory::impl_memory;
use super::owned::{AabbStore, MovingBoxStore};
use super::planar::PlanarBoxColumns;
use super::rows::{AabbRows, MovingBoxRows, VectorRows, lengthen, still};
use super::view::{AabbColumns, MovingBoxColumns};
use crate::geom::{Aabb, MovingBox};
use alloc::vec::Vec;
use core::ops::Range;

/// Memory for columns that are copied from rows.
#[derive(Debug, Default)]
pub(crate) struct ColumnScratch {
    columns: [Vec<f32>; 9],
    /// The displacements of boxes that do not move.
    zeros: Vec<f32>,
}

impl_memory!(ColumnScratch { columns, zeros });

/// Boxes that do not move, in any layout that a function reads.
///
/// All of these convert into it: [`AabbColumns`], [`AabbRows`], [`AabbStore`], and slices, arrays and vectors of [`Aabb`].
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub enum AabbInput<'a> {
    /// A column for each component.
    Columns(AabbColumns<'a>),
    /// Structures of the caller.
    Rows(AabbRows<'a>),
}

/// Moving boxes in any layout that a function reads: columns, arrays of structures, or boxes that do not move.
///
/// All of these convert into it: [`MovingBoxColumns`], [`AabbColumns`], [`PlanarBoxColumns`], [`MovingBoxRows`], [`AabbRows`], [`MovingBoxStore`],
/// [`AabbStore`], and slices, arrays and vectors of [`MovingBox`] or [`Aabb`].
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub enum MovingBoxInput<'a> {
    /// A column for each component.
    Columns(MovingBoxColumns<'a>),
    /// Columns of boxes that do not move.
    Still(AabbColumns<'a>),
    /// Columns of boxes of a two-dimensional world.
    Planar(PlanarBoxColumns<'a>),
    /// Structures of the caller.
    Rows(MovingBoxRows<'a>),
}

impl<'a> AabbInput<'a> {
    /// Returns the number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Columns(boxes) => boxes.len(),
            Self::Rows(boxes) => boxes.len(),
        }
    }

    /// Returns whether the number of boxes is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a view of the rows `range`.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        match self {
            Self::Columns(boxes) => Self::Columns(boxes.slice(range)),
            Self::Rows(boxes) => Self::Rows(boxes.slice(range)),
        }
    }

    /// Returns the boxes as columns, which are copied to `scratch` if they are rows.
    pub(crate) fn columns<'s>(&self, scratch: &'s mut ColumnScratch) -> AabbColumns<'s>
    where
        'a: 's,
    {
        match self {
            Self::Columns(boxes) => *boxes,
            Self::Rows(boxes) => boxes.columns_in(&mut scratch.columns),
        }
    }
}

impl<'a> MovingBoxInput<'a> {
    /// Returns the number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Columns(boxes) => boxes.len(),
            Self::Still(boxes) => boxes.len(),
            Self::Planar(boxes) => boxes.len(),
            Self::Rows(boxes) => boxes.len(),
        }
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
        match self {
            Self::Columns(boxes) => boxes.get(row),
            Self::Still(boxes) => boxes.get(row).into(),
            Self::Planar(boxes) => boxes.get(row),
            Self::Rows(boxes) => boxes.get(row),
        }
    }

    /// Reserves the memory that [`MovingBoxInput::columns`] needs for this many rows.
    pub(crate) fn reserve(&self, scratch: &mut ColumnScratch, rows: usize) {
        match self {
            Self::Columns(_) => (),
            Self::Still(_) | Self::Planar(_) => lengthen(&mut scratch.zeros, rows),
            Self::Rows(_) => {
                let columns = scratch.columns.iter_mut().chain([&mut scratch.zeros]);
                columns.for_each(|column| lengthen(column, rows));
            }
        }
    }

    /// Returns a view of the rows `range`.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        match self {
            Self::Columns(boxes) => Self::Columns(boxes.slice(range)),
            Self::Still(boxes) => Self::Still(boxes.slice(range)),
            Self::Planar(boxes) => Self::Planar(boxes.slice(range)),
            Self::Rows(boxes) => Self::Rows(boxes.slice(range)),
        }
    }

    /// Returns the boxes as columns. What is not a column of the caller is copied to `scratch`.
    pub(crate) fn columns<'s>(&self, scratch: &'s mut ColumnScratch) -> MovingBoxColumns<'s>
    where
        'a: 's,
    {
        let ColumnScratch { columns, zeros } = scratch;
        match self {
            Self::Columns(boxes) => *boxes,
            Self::Still(boxes) => still(*boxes, zeros),
            Self::Planar(boxes) => boxes.columns_in(zeros),
            Self::Rows(boxes) => boxes.columns_in(columns, zeros),
        }
    }
}

/// Implements the conversion of a type into an input: it is converted to the type of a variant, and that is wrapped.
macro_rules! convert {
    ($($from:ty => $to:ident::$form:ident),* $(,)?) => {
        $(impl<'a> From<$from> for $to<'a> {
            fn from(boxes: $from) -> Self {
                Self::$form(boxes.into())
            }
        })*
    };
}

convert! {
    AabbColumns<'a> => AabbInput::Columns,
    AabbRows<'a> => AabbInput::Rows,
    &'a [Aabb] => AabbInput::Rows,
    MovingBoxColumns<'a> => MovingBoxInput::Columns,
    AabbColumns<'a> => MovingBoxInput::Still,
    PlanarBoxColumns<'a> => MovingBoxInput::Planar,
    MovingBoxRows<'a> => MovingBoxInput::Rows,
    AabbRows<'a> => MovingBoxInput::Rows,
    &'a [MovingBox] => MovingBoxInput::Rows,
}

/// Implements the conversion of borrowed vectors and arrays, as that of slices.
macro_rules! convert_slices {
    ($($from:ty => $to:ident),* $(,)?) => {
        $(impl<'a> From<&'a Vec<$from>> for $to<'a> {
            fn from(boxes: &'a Vec<$from>) -> Self {
                Self::from(boxes.as_slice())
            }
        }

        impl<'a, const N: usize> From<&'a [$from; N]> for $to<'a> {
            fn from(boxes: &'a [$from; N]) -> Self {
                Self::from(boxes.as_slice())
            }
        })*
    };
}

impl<'a> From<&'a MovingBoxStore> for MovingBoxInput<'a> {
    fn from(boxes: &'a MovingBoxStore) -> Self {
        boxes.columns().into()
    }
}

impl<'a> From<&'a AabbStore> for AabbInput<'a> {
    fn from(boxes: &'a AabbStore) -> Self {
        boxes.columns().into()
    }
}

impl<'a> From<&'a AabbStore> for MovingBoxInput<'a> {
    fn from(boxes: &'a AabbStore) -> Self {
        boxes.columns().into()
    }
}

impl<'a> From<&'a [Aabb]> for MovingBoxInput<'a> {
    fn from(boxes: &'a [Aabb]) -> Self {
        AabbRows::from(boxes).into()
    }
}

convert_slices! {
    [f32; 3] => VectorRows,
    Aabb => AabbInput,
    Aabb => MovingBoxInput,
    MovingBox => MovingBoxInput,
}
