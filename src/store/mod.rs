//! Where do many boxes, spheres or segments live?
//!
//! Structure of arrays: one column of `f32` per component. [`Boxes`], [`Spheres`], [`Segments`] and
//! [`AcceleratingBoxes`] borrow the columns of an engine that keeps its own; [`BoxStore`] and its
//! like own aligned ones. Either is checked once ([`Columns::check`]); what is invalid goes to a
//! list and disturbs nobody.

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
