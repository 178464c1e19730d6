//! Broadphase and continuous collision: which of millions of moving boxes touch during a tick, and when exactly.
//!
//! swath is for people who write their own physics engine. The engine keeps its bodies; swath reads the boxes, their
//! displacements in the tick, and convex shapes. To begin, read [*embed it in your engine*](guide::embed), which replaces a loop over
//! all pairs in four steps; the [guide] has a page for each subject.
//!
//! ![Boxes, their paths within a tick, and the pairs that touch, each where it first does][drawing of pairs]
//!
//! *Outlines are boxes at the start of the tick, bands are their paths. Dotted frames are the boxes around long paths; a
//! broadphase that compares these reports many pairs that do not touch.*
//!
//! ```
//! use swath::{Aabb, MovingBox, PairFinder};
//!
//! let fast = Aabb::new([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])?;
//! let wall = Aabb::new([4.0, 0.0, 0.0], [4.1, 3.0, 3.0])?;
//! // A box and its displacement in this tick: the first one moves through the thin wall.
//! let boxes = [MovingBox::new(fast, [8.0, 0.0, 0.0])?, MovingBox::new(wall, [0.0; 3])?];
//!
//! let mut finder = PairFinder::new(); // keep it between ticks: its memory is used again
//! let pairs = finder.swept_pairs(&boxes)?.sorted();
//! assert_eq!((pairs.len(), pairs[0].a, pairs[0].b), (1, 0, 1));
//! assert!(pairs[0].first <= 0.375 && pairs[0].first > 0.374_999); // after 3 of 8 units; never late
//!
//! // One pair in full: first and last time, axis and normal of the contact.
//! let sweep = swath::batch::sweep::one_to_one(&boxes[0], &boxes[1])?;
//! assert_eq!(sweep.contact.normal(), [1.0, 0.0, 0.0]);
//! assert!(sweep.last >= 0.5125); // when the first box leaves the wall
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | you want | use |
//! |---|---|
//! | every pair of moving boxes that touches in the tick | [`PairFinder`] |
//! | the same against boxes that rarely change | [`FixedBoxes`] |
//! | to pass boxes in columns, which the kernels read fastest | [`MovingBoxColumns`] |
//! | to pass boxes in structures of yours, or without displacements | [`broadphase::MovingBoxInput`] |
//! | boxes under ids, events when pairs begin and end, sleeping, rollback | [`Broadphase`] |
//! | what a segment, a moving box or a shape touches, or what is nearest | [`Queries`] of a [`Bvh`], [`FixedBoxes`] or [`Broadphase`] |
//! | impacts of boxes and convex shapes in a tick, in the order of time | [`Pipeline`] |
//! | bodies at the end of the tick, after all their impacts | `Stepper` of the package `swath-stepping` |
//! | one geometric test, for one pair or for many rows | [`batch`] |
//! | time of impact, distance or overlap of two convex shapes | [`convex`] |
//! | first time of contact of a vertex and a face, or of two edges, of a moving mesh | [`batch::vertex_face`], [`batch::edge_edge`] |
//! | time of impact, distance or overlap of triangle meshes, height fields and compounds | [`mesh`] |
//!
//! # Conventions
//!
//! * **Time** is a fraction of the tick in `[0, 1]`. A displacement is per tick, an acceleration per tick², a spin is a
//!   rotation vector in radians per tick. Multiply a velocity by the length of the tick, an acceleration by its square.
//! * **Rotations** are unit quaternions `[x, y, z, w]`. A body rotates about its position. Axes are right-handed, and none of them is *up*,
//!   except that heights of a [`mesh::HeightField`] are along y, as are the axes of capsules, cylinders and cones.
//! * **Shapes are closed**, so boxes with a common face touch. A contact at the very start or end of the tick counts.
//!   [`Pipeline`] and [`convex::toi`] leave out shapes that touch at the start and do not close, unless
//!   [`Touch`](convex::toi::Touch) is set otherwise.
//! * **Never late, never missed.** A first time is at most the exact one, and no exact contact is lost. Rounding may
//!   report a pair that misses by a few units in the last place.
//! * **Invalid rows** (NaN, infinite, inverted or larger than [`COORD_MAX`]) are listed with the reason, and the results for
//!   all other rows are as if they were absent.
//! * **Same bits** on every CPU, [`Level`] and number of [`Threads`], in one order.
//!
//! # Features
//!
//! * `std` (default) detects the widest instructions of the CPU at run time. Without it the crate is `no_std` with `alloc`.
//! * `rayon` (default) uses several threads.
//! * `serde` implements `Serialize` and `Deserialize` for the plain values, for [`Broadphase`] and its snapshots, and for
//!   [hulls](convex::Hull), [shapes](convex::OwnedShape), meshes, height fields and compounds. What is read is validated.
//! * `all-levels` compiles two more [`Level`]s, which are slower than the others: for tests that compare levels.
//!
//! The oldest supported compiler is Rust 1.89. A release that needs a newer one has a new minor version.
//!
#![doc = include_str!("../docs/guide/drawings.md")]
#![no_std]
#![deny(missing_docs)]
#![warn(clippy::missing_errors_doc, clippy::must_use_candidate)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

/// The code of the README, run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod broadphase;
mod columns;
mod geom;
#[cfg(any(doc, doctest))]
pub mod guide;
mod kernels;
mod lanes;
mod meshes;
mod narrowphase;
mod par;
pub mod pipeline;

pub use broadphase::bvh::forest::FixedBoxes;
pub use broadphase::bvh::static_bvh::Bvh;
pub use broadphase::exec::Exec;
pub use broadphase::pairs::runs::Pairs;
pub use broadphase::proxies::Broadphase;
pub use broadphase::proxies::id::ProxyId;
pub use broadphase::proxies::proxy::{Proxy, ProxyKind};
pub use broadphase::query::Queries;
pub use broadphase::strips::PairFinder;
pub use columns::{AabbColumns, MovingBoxColumns, MovingBoxStore};
pub use geom::{
    Aabb, COORD_MAX, Filter, Invalid, Motion, MovingBox, Pair, Plane, Pose, SPIN_MAX, Segment,
    Sphere, SweptPair,
};
pub use lanes::{Level, UnknownLevel};
pub use narrowphase::Shape;
#[cfg(feature = "std")]
pub use par::Executor;
pub use par::Threads;
pub use pipeline::impact::Impact;
pub use pipeline::scene::{ConvexBody, Scene};
pub use pipeline::tick::Pipeline;

/// Kernels: one geometric test over many rows, computed in SIMD lanes.
///
/// Each test is a module. The name of a function states its arity: `one_to_one` takes one pair of values;
/// `one_to_many`, `many_to_one`, `zip` and `pairs` are batches over [`Checked`](crate::batch::Checked) columns. Results are
/// written to columns of the caller, or to a list of [`Hits`](crate::batch::Hits). The tests of moving meshes,
/// [`vertex_face`](crate::batch::vertex_face) and [`edge_edge`](crate::batch::edge_edge), read
/// [`MovingPoints`](crate::batch::MovingPoints) instead.
pub mod batch {
    pub use crate::columns::{
        AabbStore, AcceleratingBoxColumns, AcceleratingBoxStore, BodyColumns, BodyStore, Checked,
        Columns, LengthMismatch, Rejected, Row, SegmentColumns, SegmentStore, SphereColumns,
        SphereStore, Store,
    };
    pub use crate::geom::{
        AcceleratingBox, Body, Contact, ContactState, Faces, Facets, MovingSphere, PlaneSide,
        SegmentStart,
    };
    pub use crate::kernels::{
        BatchError, Hit, Hits, Output, Rows, cast, overlap, proximity, respond, separate, sweep,
    };
    pub use crate::narrowphase::elements::{
        ElementError, ElementSettings, ElementToi, MovingPoints, VertexPositions, edge_edge,
        vertex_face,
    };
}

/// Convex shapes: time of impact, distance, overlap, and ray casts against one shape.
pub mod convex {
    pub use crate::narrowphase::{
        ConvexCast, Hull, InvalidShape, OwnedShape, SupportMap, gjk, toi,
    };
}

/// Bodies that are not convex: meshes of triangles, height fields, and compounds of convex shapes.
pub mod mesh {
    pub use crate::meshes::{
        CastsError, Compound, FaultReason, Geometry, GeometryCasts, GeometryHit, GeometryOverlaps,
        GeometryPath, GeometryProximity, GeometryQueries, GeometrySweeps, HeightField,
        HeightFieldError, Mesh, MeshError, MovingGeometry, OfGeometries, PartCast, PartDistance,
        RestingGeometry, TriangleFault, distances_of_pairs, overlaps_of_pairs, toi,
    };
}
