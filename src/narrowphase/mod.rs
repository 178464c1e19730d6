//! When do convex shapes touch, and how far apart are they?
//!
//! A [`Shape`] has a support: its furthest point in a direction. From supports alone [`gjk`] tells
//! distances and planes that prove them, and [`advance`] first times of contact. Read `gjk.rs`
//! first.

pub mod advance;
mod batch;
mod cast;
mod cores;
pub mod gjk;
mod hull;
mod penetration;
pub(crate) mod record;
mod roots;
mod shape;
mod simplex;
mod turn;
mod vector;

pub use cast::ConvexCast;
pub use hull::Hull;
pub use shape::{InvalidShape, Shape, SupportMap};
