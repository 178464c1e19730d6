//! What the examples share: how a program answers wrong flags, what a run cost, and one number that stands for an
//! answer.

pub mod fnv;
pub mod measure;
pub mod usage;
