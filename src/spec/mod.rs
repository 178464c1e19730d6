//! What every answer means: one pair at a time, in `f64`, obvious and slow.
//!
//! Nothing here is called by the rest of the crate. Tests, fuzz targets and benchmarks compare
//! the kernels and the pair finder with it, and so can you.

mod accelerating;
mod overlap;
mod pairs;
mod sweep;

pub use accelerating::accelerating;
pub use overlap::overlap;
pub use pairs::{swept_pairs, union_pairs};
pub use sweep::{Sweep, sweep};
