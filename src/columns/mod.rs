//! Structure-of-arrays storage: one column of `f32` per component.
//!
//! [`MovingBoxColumns`], [`SphereColumns`], [`SegmentColumns`] and [`AcceleratingBoxColumns`] borrow columns that an engine
//! already has. [`MovingBoxStore`] and the other stores own aligned columns. Borrowed columns are
//! validated once with [`Columns::check`]: invalid rows are listed and then ignored by all
//! functions, so one invalid row never changes the answer for another row.

mod checked;
mod owned;
mod row;
mod view;

pub(crate) use checked::check_group;
pub use checked::{Checked, Rejected};
pub use owned::{
    AcceleratingBoxStore, BodyStore, MovingBoxStore, SegmentStore, SphereStore, Store,
};
pub use row::Row;
pub use view::{
    AabbColumns, AcceleratingBoxColumns, BodyColumns, Columns, LengthMismatch, MovingBoxColumns,
    SegmentColumns, SphereColumns,
};
