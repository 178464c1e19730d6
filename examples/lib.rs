//! What the examples share: how a program ends that cannot do what was asked, what a run cost, how much it may take,
//! and one number that stands for an answer.

pub mod fnv;
pub mod limits;
pub mod measure;
pub mod usage;
