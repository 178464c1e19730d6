//! Reference implementations: every geometric test for one pair, in `f64`, simple and slow.
//!
//! The library does not call them and shares no arithmetic with them, except that the search for pairs takes the bounds of paths from
//! [`swath::MovingBox::bounds`], which `tests/geom/boxes.rs` compares with exact fractions. Tests, fuzz targets, benchmarks and examples
//! compare the library with them.

mod accelerating;
mod bits;
mod cast;
mod features;
mod first_time;
mod nearest;
mod overlap;
mod pairs;
mod proximity;
mod respond;
mod separate;
mod solid;
mod spheres;
mod sweep;
mod vector;

pub use accelerating::accelerating;
pub use cast::{Cast, PolyhedronCast, cast, polyhedron};
pub use first_time::{FirstTime, GRAZE, RESOLUTION, first_time, first_time_in_rounds};
pub use nearest::{Distance, distance, gap};
pub use overlap::{overlap, overlap_planes, overlap_sphere, plane_reach, sphere_gap};
pub use pairs::{swept_pairs, union_pairs};
pub use proximity::proximity;
pub use respond::{respond, slide};
pub use separate::{Separation, separate, shares};
pub use solid::{Core, MovingSolid, Solid};
pub use spheres::{RoundSweep, sweep_sphere_box, sweep_spheres};
pub use sweep::{Sweep, sweep};
