//! Distances and first times of contact of convex shapes.
//!
//! A [`Shape`] has a support function: its farthest point in a direction. From supports alone,
//! [`gjk`] computes distances and planes that prove them, and [`toi`] computes first times of
//! contact. Start reading with `gjk/mod.rs`.
//!
//! [`elements`] computes first times of contact of the vertices, edges and faces of a moving mesh.

pub(crate) mod batch;
pub(crate) mod elements;
mod error;
mod few_vertices;
pub mod gjk;
mod hull;
pub(crate) mod math;
mod near_shape;
mod owned_shape;
mod raycast;
pub(crate) mod record;
mod roots;
mod rotation;
#[cfg(feature = "serde")]
mod serialized;
mod shape;
mod simplex;
mod support;
pub mod toi;

pub use error::InvalidShape;
pub use hull::Hull;
pub(crate) use near_shape::NearShape;
pub use owned_shape::OwnedShape;
pub use raycast::ConvexCast;
pub(crate) use raycast::SegmentPath;
pub use shape::Shape;
pub(crate) use simplex::{nearest_of_segment, nearest_of_triangle};
pub use support::SupportMap;
