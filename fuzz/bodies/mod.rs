//! What each fuzz target does with its input. `tests/fuzz_replay.rs` does the same on stable.

#![allow(dead_code, reason = "a target runs one of the bodies")]

mod bytes;
#[path = "../../tests/support/columns.rs"]
mod columns;
pub(crate) mod pairs;
#[path = "../../tests/support/sphere_columns.rs"]
mod sphere_columns;
pub(crate) mod spheres;
pub(crate) mod sweep;
