//! The C interface of swath. What C programs see is `include/swath.h`, which cbindgen writes from the comments here.
//!
//! ```text
//! error.rs         status codes, the message of the last error, and the border that no panic crosses
//! border.rs        pointers become references; objects become handles with a lock
//! values.rs        plain values
//! exec.rs          settings of objects, and executors of the caller
//! workers.rs       threads of objects, and the check that this process has them
//! boxes.rs         boxes in memory of the caller
//! pair_finder.rs   pairs of moving boxes
//! fixed_boxes.rs   boxes that do not move, and their pairs with moving ones
//! proxy.rs         descriptions of proxies
//! broadphase.rs    proxies with stable ids
//! updates.rs       their pairs from tick to tick, and snapshots
//! queries.rs       queries of a tree
//! fixed_queries.rs, proxy_queries.rs    the same of fixed boxes and of a broadphase
//! pipeline.rs, pipeline_proxies.rs      impacts of a tick in the order of time, of rows and of proxies
//! impacts.rs       their results
//! shape_bodies.rs, shape_queries.rs     queries of the shapes in the boxes of a tree, of fixed boxes or of a broadphase
//! shapes.rs        convex shapes, compounds, meshes, height fields
//! times.rs         their first times of contact, and distances
//! parts.rs         the same of the parts of meshes, height fields and compounds
//! elements.rs      first times of vertices, edges and faces of a moving mesh
//! kernels.rs       sweeps and casts of many rows
//! ```
//!
//! Each function reads its pointers by the functions of `border`, calls the library, and writes the result; a panic becomes a
//! code. An object is behind a lock that is only tried, so a callback that uses the object of its call gets an error.

#![allow(non_camel_case_types, reason = "types have the names that they have in C")]
#![allow(
    clippy::missing_safety_doc,
    reason = "the head of the header states the rules of all functions"
)]

mod border;
mod boxes;
mod broadphase;
mod elements;
mod error;
mod exec;
mod fixed_boxes;
mod fixed_queries;
mod impacts;
mod kernels;
mod pair_finder;
mod parts;
mod pipeline;
mod pipeline_proxies;
mod proxy;
mod proxy_edits;
mod proxy_queries;
mod queries;
mod shape_bodies;
mod shape_queries;
mod shapes;
mod times;
mod updates;
mod values;
mod workers;

pub use boxes::*;
pub use broadphase::*;
pub use elements::*;
pub use error::*;
pub use exec::*;
pub use fixed_boxes::*;
pub use fixed_queries::*;
pub use impacts::*;
pub use kernels::*;
pub use pair_finder::*;
pub use parts::*;
pub use pipeline::*;
pub use pipeline_proxies::*;
pub use proxy::*;
pub use proxy_edits::*;
pub use proxy_queries::*;
pub use queries::*;
pub use shape_bodies::*;
pub use shape_queries::*;
pub use shapes::*;
pub use times::*;
pub use updates::*;
pub use values::*;
