//! When do convex shapes touch, and how far apart are they?
//!
//! A [`Shape`] has a support: its furthest point in a direction. From supports alone [`gjk`] tells
//! distances and planes that prove them, and [`advance`] first times of contact. Read `gjk.rs`
//! first.

mod batch;
pub mod gjk;
mod hull;
mod math;
mod penetration;
mod raycast;
pub(crate) mod record;
mod roots;
mod rotation;
mod shape;
mod simplex;
mod support;
pub mod toi;

pub use hull::Hull;
pub use raycast::ConvexCast;
pub use shape::{InvalidShape, Shape, SupportMap};
