#![doc = include_str!("../README.md")]
#![no_std]
#![deny(missing_docs)]
#![warn(clippy::missing_errors_doc, clippy::must_use_candidate)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod broadphase;
mod columns;
mod geom;
mod kernels;
mod lanes;
mod narrowphase;
mod par;
pub mod pipeline;

pub use broadphase::bvh::forest::FixedBoxes;
pub use broadphase::bvh::static_bvh::Bvh;
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
pub use par::Threads;
pub use pipeline::impacts::Impact;
pub use pipeline::scene::{ConvexBody, Scene};
pub use pipeline::tick::Pipeline;

/// Kernels over columns: one question about many rows, answered in SIMD lanes.
///
/// Each question is a module. The name of a function says its arity: `one_to_one` is the scalar form;
/// `one_to_many`, `zip` and `pairs` are batches over [`Checked`](crate::batch::Checked) columns. Answers go to
/// columns of the caller, or to a list of [`Hits`](crate::batch::Hits).
pub mod batch {
    pub use crate::columns::{
        AcceleratingBoxColumns, AcceleratingBoxStore, BodyColumns, BodyStore, Checked, Columns,
        LengthMismatch, Rejected, Row, SegmentColumns, SegmentStore, SphereColumns, SphereStore,
        Store,
    };
    pub use crate::geom::{
        AcceleratingBox, Body, Contact, ContactState, Faces, Facets, MovingSphere, PlaneSide,
        SegmentStart,
    };
    pub use crate::kernels::{
        BatchError, Hit, Hits, Rows, cast, overlap, proximity, respond, separate, sweep,
    };
}

/// Convex shapes: time of impact, distance, and ray casts against one shape.
pub mod convex {
    pub use crate::narrowphase::{ConvexCast, Hull, InvalidShape, SupportMap, gjk, toi};
}
