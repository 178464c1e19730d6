//! What each fuzz target does with its input. `tests/fuzz_replay.rs` does the same on stable.

#![allow(dead_code, reason = "a target runs one of the bodies")]

pub(crate) mod accelerating;
pub(crate) mod advance;
#[path = "../../tests/support/body_columns.rs"]
mod body_columns;
mod bytes;
pub(crate) mod cast;
#[path = "../../tests/support/columns.rs"]
mod columns;
pub(crate) mod near;
pub(crate) mod overlap;
pub(crate) mod pairs;
pub(crate) mod query;
pub(crate) mod respond;
#[path = "../../tests/support/segments.rs"]
mod segments;
pub(crate) mod separate;
#[path = "../../tests/support/sphere_columns.rs"]
mod sphere_columns;
pub(crate) mod spheres;
pub(crate) mod sweep;
pub(crate) mod tick;
pub(crate) mod world;
pub(crate) mod world_asked;
#[path = "../../tests/support/world_model.rs"]
pub(crate) mod world_model;
