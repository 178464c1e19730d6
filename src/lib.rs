#![doc = include_str!("../README.md")]
#![no_std]
#![deny(missing_docs)]
#![warn(clippy::missing_errors_doc, clippy::must_use_candidate)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod broadphase;
pub mod columns;
pub mod geom;
pub mod kernels;
mod lanes;
pub mod narrowphase;
mod par;
pub mod pipeline;

pub use broadphase::{
    Broadphase, Bvh, FixedBoxes, FixedInput, Layers, PairFinder, PairInput, Proxy, ProxyId,
    ProxyKind, ProxyPair, Queries, SweptProxyPair, Visits,
};
pub use columns::{
    AabbColumns, AcceleratingBoxColumns, AcceleratingBoxStore, BodyColumns, BodyStore, Checked,
    MovingBoxColumns, MovingBoxStore, Rejected, SegmentColumns, SegmentStore, SphereColumns,
    SphereStore,
};
pub use geom::{
    Aabb, AcceleratingBox, Body, COORD_MAX, Contact, ContactState, Faces, Facets, Filter, Invalid,
    Motion, MovingBox, MovingSphere, Pair, Plane, PlaneSide, Pose, SPIN_MAX, Segment, SegmentStart,
    Sphere, SweptPair,
};
pub use kernels::cast;
pub use kernels::cast::Cast;
pub use kernels::overlap;
pub use kernels::proximity;
pub use kernels::respond;
pub use kernels::respond::Response;
pub use kernels::separate;
pub use kernels::separate::Separation;
pub use kernels::sweep;
pub use kernels::sweep::{MISS, Sweep};
pub use kernels::{BatchError, Hit, Hits, Rows};
pub use lanes::{Level, UnknownLevel};
pub use narrowphase::gjk;
pub use narrowphase::gjk::{Distance, GjkCache};
pub use narrowphase::toi;
pub use narrowphase::toi::{Advance, Toi};
pub use narrowphase::{ConvexCast, Hull, InvalidShape, Shape, SupportMap};
pub use par::Threads;
pub use pipeline::{BodyFlags, ConvexBody, Impact, Pipeline, Scene};
