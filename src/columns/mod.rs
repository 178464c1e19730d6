//! Structure-of-arrays storage: one column of `f32` per component.
//!
//! [`MovingBoxColumns`], [`SphereColumns`], [`SegmentColumns`] and [`AcceleratingBoxColumns`] borrow columns that an engine
//! already has. [`MovingBoxStore`] and the other stores own aligned columns. Borrowed columns are
//! validated once with [`Columns::check`]: invalid rows are listed and then ignored by all
//! functions, so one invalid row never changes the answer for another row.
//!
//! [`MovingBoxRows`] and [`AabbRows`] borrow boxes in the structures of an engine (`rows.rs`). Functions that read any
//! layout take a [`MovingBoxInput`] or an [`AabbInput`] (`input.rs`).

mod checked;
mod input;
mod memory;
mod owned;
mod planar;
mod row;
mod rows;
mod view;
mod zeroed;

pub(crate) use checked::check_group;
pub use checked::{Checked, Rejected};
pub(crate) use input::ColumnScratch;
pub use input::{AabbInput, MovingBoxInput};
pub(crate) use memory::{Memory, bytes_of_all, impl_memory};
pub use owned::{
    AabbStore, AcceleratingBoxStore, BodyStore, MovingBoxStore, SegmentStore, SphereStore, Store,
};
pub use planar::PlanarBoxColumns;
pub use row::Row;
pub use rows::{AabbRows, MovingBoxRows, RowsError, VectorRows};
pub use view::{
    AabbColumns, AcceleratingBoxColumns, BodyColumns, Columns, LengthMismatch, MovingBoxColumns,
    SegmentColumns, SphereColumns,
};
pub(crate) use zeroed::Zeroed;
