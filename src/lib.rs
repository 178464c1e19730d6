#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

pub mod broadphase;
pub mod geom;
pub mod kernels;
mod lanes;
mod par;
pub mod spec;
pub mod store;

pub use broadphase::PairFinder;
pub use geom::{
    Aabb, AcceleratingBox, COORD_MAX, Contact, Invalid, MovingBox, MovingSphere, Pair, Plane,
    Segment, Sphere, State, SweptPair,
};
pub use geom::{Faces, Facets, Start};
pub use kernels::cast::{self, Cast};
pub use kernels::sweep::{self, MISS, Sweep};
pub use kernels::{BatchError, Hit, Hits, Rows};
pub use lanes::{Level, UnknownLevel};
pub use store::{
    AcceleratingBoxStore, AcceleratingBoxes, BoxStore, Boxes, Checked, Rejected, SegmentStore,
    Segments, SphereStore, Spheres,
};
