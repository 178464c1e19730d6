//! The Python module `swath._swath`: functions and classes over numpy arrays.
//!
//! Boxes of a `PairFinder` and a `Broadphase`, boxes of which a `Bvh` is built, and positions of meshes are borrowed, not
//! copied; vectors of other functions are copied to columns. Results are new arrays. The interpreter's lock is released
//! during searches, updates and batches, but not while proxies are edited or a single pair is tested. An argument that does not fit is a `TypeError` (not an array) or a `ValueError`, which names the argument,
//! what was expected, and what was passed. The documentation for users is in `python/swath/__init__.pyi`.

mod arrays;
mod broadphase;
mod convex;
mod elements;
mod finder;
mod orbits;
mod queries;
mod threads;
mod tick;

use pyo3::prelude::*;

#[pymodule]
mod _swath {
    #[pymodule_export]
    use super::broadphase::Broadphase;
    #[pymodule_export]
    use super::convex::{BodyMotion, Convex, FirstTime, distance, first_time, first_times};
    #[pymodule_export]
    use super::elements::{edge_edge, vertex_face};
    #[pymodule_export]
    use super::finder::PairFinder;
    #[pymodule_export]
    use super::orbits::{catalogue, screen_conjunctions};
    #[pymodule_export]
    use super::queries::Bvh;
    #[pymodule_export]
    use super::tick::tick;

    use super::*;

    /// Name of the SIMD level that is used on this CPU.
    #[pyfunction]
    fn level() -> &'static str {
        swath::Level::detect().name()
    }
}
