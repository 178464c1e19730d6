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
pub use geom::{Aabb, COORD_MAX, Contact, InvalidBox, MovingBox, Pair, State, SweptPair};
pub use kernels::sweep::{self, MISS, Sweep};
pub use lanes::{Level, UnknownLevel};
pub use store::{BoxStore, Boxes, Checked, Rejected};
