//! Bodies that are not convex: meshes of triangles, height fields, and compounds of convex shapes.
//!
//! A [`Mesh`], a [`HeightField`] and a [`Compound`] consist of *parts*: triangles, or convex shapes with poses. Each
//! keeps a bounding volume hierarchy of its parts in its own axes. A [`Geometry`] is one of them, or a single convex
//! shape, and [`toi`] computes when two of them first touch.
//!
//! ```text
//! first time of a convex shape and a body with parts (search.rs):
//!     box around the path of the shape, in the axes of the body           (narrowphase/toi/path_box.rs)
//!     traverse the hierarchy with this moving box, the nearest node first (broadphase/query/path.rs)
//!         for up to sixteen parts that the box meets before the best time so far (queue.rs):
//!             lower bounds of the times of triangles, in lanes            (narrowphase/toi/triangle_bounds.rs)
//!             find contacts of a vertex with the inside of a triangle     (narrowphase/toi/triangle_plane.rs)
//!             skip a part if a plane proves that it is not earlier, search the others up to the best time so far
//!                                                                         (narrowphase/toi/part_search.rs)
//!     where the contact is on an inner edge, replace the normal           (inner_edges.rs)
//!     where the body slides over that edge, repeat                        (search.rs)
//! ```
//!
//! Whether two bodies at rest overlap, and their distance, take no search for a time ([`Geometry::overlaps`], `overlap.rs`; [`Geometry::distance`], `distance.rs`). A segment is the path of a point ([`Geometry::cast`], `cast.rs`). Casts against many geometries, overlaps
//! with them, and the nearest of them, by their boxes, are methods of [`Queries`](crate::Queries) and [`ProxyQueries`](crate::broadphase::ProxyQueries) (`queries.rs`, `overlap_queries.rs`,
//! `proximity_queries.rs`, `batches.rs`).
//!
//! Of two bodies with parts, the compound or the one with fewer parts is divided: those of its parts are tested whose
//! boxes the other as a whole meets, each as a convex shape that moves against the other (`search.rs`).
//!
//! The promises are those of convex shapes: never late, never missed, and unresolved only with a time that is proved
//! to be free. `docs/math/mesh.md` states them, with the proofs.

mod batches;
mod cast;
mod compound;
mod contacts;
mod deferred;
mod distance;
mod fault;
mod geometry;
mod height_field;
mod inner_edges;
mod memory;
mod mesh;
mod overlap;
mod overlap_queries;
mod pausing;
mod proximity_queries;
mod queries;
mod queue;
mod result;
mod search;
#[cfg(feature = "serde")]
mod serialized;
pub mod toi;
mod turning;
mod waiting;
mod window_parts;

pub use batches::{GeometryCasts, GeometryQueries, GeometrySweeps};
pub use cast::{CastsError, PartCast};
pub use compound::Compound;
pub use distance::distances_of_pairs;
pub use fault::{FaultReason, TriangleFault};
pub use geometry::Geometry;
pub use height_field::{HeightField, HeightFieldError};
pub(crate) use memory::SearchMemory;
pub use mesh::{Mesh, MeshError};
pub use overlap::overlaps_of_pairs;
pub use overlap_queries::{GeometryOverlaps, RestingGeometry};
pub use proximity_queries::GeometryProximity;
pub use queries::{GeometryHit, GeometryPath, MovingGeometry, OfGeometries};
pub use result::PartDistance;
