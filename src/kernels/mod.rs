//! One question asked of many boxes.
//!
//! A door checks lengths and enters the level once; the room behind it is one text for every
//! lane width. A name tells the arity: `one_to_one`, `one_to_many`, `pairs`.

pub(crate) mod bounds;
pub mod sweep;
