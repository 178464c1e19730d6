//! First time of contact of a vertex and a face, and of two edges, of which each vertex moves on a straight line.
//!
//! The method is conservative advancement with separating planes. It bounds the time at which the gap of a plane
//! closes as additive CCD does (M. Li et al., *Codimensional Incremental Potential Contact*, 2021, §5), but from the
//! motion along the normal instead of the greatest speed. So it converges like Newton's method where the elements hardly rotate. Elements that rotate
//! near to each other would need rounds in proportion to the ratio of their size to their distance, so after a few rounds a plane is followed
//! that rotates too. The settings are those of Tight-Inclusion (B. Wang et al., *A Large-Scale Benchmark and an Inclusion-Based Algorithm for
//! Continuous Collision Detection*, 2021).
//!
//! ```text
//! t = 0
//! repeat
//!     n    = unit vector between the nearest points of the two elements at t           simd.rs
//!     gaps = n·(q - p) for each vertex p of the first and q of the second element      linear functions of time
//!     if the least gap at t ≤ minimum separation + tolerance: hit at t
//!     if no gap falls to the minimum separation in [t, 1]:    miss
//!     t    = first time at which one does
//!     after 8 rounds also:
//!         n'   = the same unit vector at a later time t'                               rounds.rs
//!         t    = the latest of this time, the first at which a gap of n' falls, and t' if a plane
//!                that turns from n to n' has greater gaps until then
//! ```
//!
//! A plane with the normal `n` separates the elements as long as all gaps are greater than the minimum separation. The gaps
//! are linear in time, so this is decided by their values at 0 and 1. The gaps of a plane that turns are quadratic. No answer depends on how well `n` was computed:
//! a bad direction costs rounds.
//!
//! **Never late, never missed.** Before the `t` of a hit, before `t_safe`, and in the whole tick for a miss, the distance is
//! greater than [`ElementSettings::minimum_separation`]. The distance at the `t` of a hit is at most the minimum
//! separation and the tolerance, plus 2⁻⁴³ of the greatest coordinate difference of the four vertices, if that is at least 2⁻²⁰⁰:
//! areas below 2⁻⁴⁵⁰ count as zero, so smaller elements may be hits at a greater distance. The proof is in `docs/math/vertex-face.md`.
//!
//! ```text
//! points.rs      positions of vertices at both ends of the tick, in the layout of the caller
//! settings.rs    minimum separation, tolerance and limit of rounds, and what is wrong with them
//! simd.rs        the plane between the nearest points
//! rounds.rs      a round: until when planes separate
//! search.rs      rounds for a block of pairs, of which few need more than one
//! contact.rs     normal and coordinates at a hit
//! batch.rs       checks, chunks and blocks of the pairs of a caller
//! ```

mod batch;
mod contact;
pub mod edge_edge;
mod points;
mod rounds;
mod search;
mod settings;
mod simd;
pub mod vertex_face;

pub use contact::ElementToi;
pub use points::{MovingPoints, VertexPositions};
pub use settings::{ElementError, ElementSettings};
