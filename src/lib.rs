#![doc = include_str!("../README.md")]
#![no_std]
#![deny(missing_docs)]
#![warn(clippy::missing_errors_doc, clippy::must_use_candidate)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod broadphase;
pub mod geom;
pub mod kernels;
mod lanes;
pub mod narrowphase;
mod par;
pub mod pipeline;
pub mod store;

pub use broadphase::{
    BoxSet, BoxTree, Broadphase, FixedBoxes, FixedSet, Layers, PairFinder, Proxy, ProxyId,
    ProxyPair, Queries, Set, SweptProxyPair, Visits,
};
pub use geom::{
    Aabb, AcceleratingBox, Body, COORD_MAX, Contact, Faces, Facets, Filter, Invalid, Motion,
    MovingBox, MovingSphere, Pair, Plane, Pose, SPIN_MAX, Segment, Side, Sphere, Start, State,
    SweptPair,
};
pub use kernels::cast::{self, Cast};
pub use kernels::overlap;
pub use kernels::proximity;
pub use kernels::respond::{self, Response};
pub use kernels::separate::{self, Separation};
pub use kernels::sweep::{self, MISS, Sweep};
pub use kernels::{BatchError, Hit, Hits, Rows};
pub use lanes::{Level, UnknownLevel};
pub use narrowphase::advance::{self, Advance, Toi};
pub use narrowphase::gjk::{self, Distance, GjkCache};
pub use narrowphase::{ConvexCast, Hull, InvalidShape, Shape, SupportMap};
pub use par::Threads;
pub use pipeline::{Convex, Flags, Impact, Pipeline, Scene};
pub use store::{
    AcceleratingBoxStore, AcceleratingBoxes, Bodies, BodyStore, BoxStore, Boxes, Checked,
    FixedColumns, Rejected, SegmentStore, Segments, SphereStore, Spheres,
};
