//! Code that the programs of this crate share.

pub mod engines;
pub mod machine;
pub mod page;
pub mod parry;
pub mod table;
pub mod time;
pub mod truth;
