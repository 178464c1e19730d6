//! What every answer means: one pair at a time, in `f64`, obvious and slow.
//!
//! Nothing here is called by the rest of the crate. Tests, fuzz targets and benchmarks compare
//! the kernels and the pair finder with it, and so can you.

mod cast;
mod overlap;
mod pairs;
mod sweep;

pub use cast::{Cast, PolyhedronCast, cast, polyhedron};
pub use overlap::overlap;
pub use pairs::{swept_pairs, union_pairs};
pub use sweep::{Sweep, sweep};
