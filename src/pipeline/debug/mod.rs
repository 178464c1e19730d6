//! Ticks as files, and explanations of the result for one pair.

pub(crate) mod capture;
pub(crate) mod explain;
