//! Structure-of-arrays storage: one column of `f32` per component.
//!
//! [`Boxes`], [`Spheres`], [`Segments`] and [`AcceleratingBoxes`] borrow columns that an engine
//! already has. [`BoxStore`] and the other stores own aligned columns. Borrowed columns are
//! validated once with [`Columns::check`]: invalid rows are listed and then ignored by all
//! functions, so one invalid row never changes the answer for another row.

mod borrowed;
mod checked;
mod owned;
mod row;

pub use borrowed::{
    AcceleratingBoxes, Bodies, Boxes, Columns, FixedColumns, LengthMismatch, Segments, Spheres,
};
pub(crate) use checked::check_group;
pub use checked::{Checked, Rejected};
pub use owned::{AcceleratingBoxStore, BodyStore, BoxStore, SegmentStore, SphereStore, Store};
pub use row::Row;
