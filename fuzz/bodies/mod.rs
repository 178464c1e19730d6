//! What each fuzz target does with its input. `tests/fuzz_replay.rs` does the same on stable.

#![allow(dead_code, reason = "a target runs one of the bodies")]

pub(crate) mod accelerating;
mod bytes;
#[path = "../../tests/support/columns.rs"]
mod columns;
pub(crate) mod pairs;
pub(crate) mod sweep;
