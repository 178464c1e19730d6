//! What every answer means: one pair at a time, in `f64`, obvious and slow.
//!
//! Nothing here is called by the rest of the crate. Tests, fuzz targets and benchmarks compare
//! the kernels and the pair finder with it, and so can you.

mod overlap;
mod pairs;
mod spheres;
mod sweep;

pub use overlap::overlap;
pub use pairs::{swept_pairs, union_pairs};
pub use spheres::{RoundSweep, sweep_sphere_box, sweep_spheres};
pub use sweep::{Sweep, sweep};
