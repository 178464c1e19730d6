//! The bodies of the fuzz targets. `tests/fuzz_replay` runs the same on stable Rust.

pub mod accelerating;
pub mod bytes;
pub mod cast;
pub mod elements;
pub mod mesh;
pub mod overlap;
pub mod pairs;
mod poses;
pub mod proximity;
pub mod query;
pub mod replay;
pub mod respond;
pub mod separate;
#[cfg(feature = "serde")]
pub mod serialized;
pub mod spheres;
pub mod step;
pub mod sweep;
pub mod tick;
pub mod toi;
pub mod world;
pub mod world_asked;
