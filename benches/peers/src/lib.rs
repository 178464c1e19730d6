//! Code that the programs of this crate share.

pub mod machine;
pub mod table;
