//! What each fuzz target does with its input. `tests/fuzz_replay` does the same on stable.

pub mod accelerating;
pub mod bytes;
pub mod cast;
pub mod overlap;
pub mod pairs;
pub mod proximity;
pub mod query;
pub mod respond;
pub mod separate;
pub mod spheres;
pub mod step;
pub mod sweep;
pub mod tick;
pub mod toi;
pub mod world;
pub mod world_asked;
