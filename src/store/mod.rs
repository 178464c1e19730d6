//! Where do many boxes live?
//!
//! Structure of arrays: one column of `f32` per component, nine in all. [`Boxes`] borrows the
//! columns of an engine that keeps its own; [`BoxStore`] owns aligned ones. Either is checked
//! once ([`Boxes::check`]); what is no box goes to a list and disturbs nobody.

mod borrowed;
mod checked;
mod owned;

pub use borrowed::{Boxes, LengthMismatch};
pub(crate) use checked::check_group;
pub use checked::{Checked, Rejected};
pub use owned::BoxStore;
