//! Plain values: boxes, boxes that move, pairs, and what a sweep says of a pair.

mod aabb;
mod contact;
mod moving;
mod pair;

pub use aabb::{Aabb, COORD_MAX, InvalidBox};
pub use contact::{Contact, State};
pub use moving::MovingBox;
pub use pair::{Pair, SweptPair};

/// The names of the axes, for messages.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];
