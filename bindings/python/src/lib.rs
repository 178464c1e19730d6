//! The Python module `swath._swath`: functions and classes over numpy arrays.
//!
//! Boxes of a `PairFinder` and a `Broadphase`, boxes of which a `Bvh` is built, and positions of moving meshes are
//! borrowed, not copied; vectors of other functions are copied to columns, and a `Mesh` and a `HeightField` have copies of
//! their arrays. Results are new arrays. The interpreter's lock is released during builds, searches, updates and batches,
//! but not while proxies are edited or two convex shapes are tested. A class whose calls change it has its state in an
//! `Exclusive`, so that a second call at the same time is an error. An argument that does not fit is a `TypeError` or a
//! `ValueError`, which names the argument, what was expected, and what was passed. The comments of functions and classes
//! are what `help` shows; the stubs in `python/swath` have the same texts.

mod arguments;
mod arrays;
mod bodies;
mod box_queries;
mod boxes;
mod broadphase;
mod bvh;
mod elements;
mod exclusive;
mod finder;
mod fixed_boxes;
mod orbits;
mod pipeline;
mod queries;
mod threads;
mod tick;

use pyo3::prelude::*;

#[pymodule]
mod _swath {
    #[pymodule_export]
    use super::bodies::{
        BodyMotion, Convex, FirstTime, FirstTimes, PlacedBodies, PyCompound, PyHeightField, PyMesh,
        bounds_over, cast, distance, distances, each_part, first_time, first_times, overlaps,
        overlaps_pairs,
    };
    #[pymodule_export]
    use super::broadphase::{Broadphase, Contact, Snapshot};
    #[pymodule_export]
    use super::bvh::Bvh;
    #[pymodule_export]
    use super::elements::{edge_edge, vertex_face};
    #[pymodule_export]
    use super::finder::PairFinder;
    #[pymodule_export]
    use super::fixed_boxes::FixedBoxes;
    #[pymodule_export]
    use super::orbits::{catalogue, screen_conjunctions};
    #[pymodule_export]
    use super::pipeline::{Impacts, Pipeline, TickOutput};
    #[pymodule_export]
    use super::tick::tick;

    use super::*;

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name is that of Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    /// Name of the SIMD level that is used on this CPU: portable4, avx2 or avx512 on x86-64.
    #[pyfunction]
    fn level() -> &'static str {
        swath::Level::detect().name()
    }
}
