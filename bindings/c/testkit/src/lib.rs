//! The fuzz body of the C interface: calls through C have the results of the same calls in Rust.
//!
//! An input is decoded to calls with hostile numbers, sizes, strides, orders and ids. Each is made through C and in Rust. The
//! results have the same bits, a call fails on both sides or on none, and its code is the documented one (`agree.rs`).
//! Pointers are those of arrays that are as long as the header demands; what the interface cannot check is not tested.
//!
//! ```text
//! agree.rs     documented codes, objects, lists that C returned
//! exec.rs      settings of objects
//! boxes.rs     sets of boxes in the layouts of the interface, and in wrong ones
//! pairs.rs     pair finders, fixed boxes, kernels
//! proxies.rs, proxy_queries.rs    a broadphase, and its queries
//! trees.rs     queries of a tree and of fixed boxes
//! elements.rs  first times of vertices, edges and faces
//! shapes.rs    shapes, first times, distances
//! parts.rs     the same of all parts
//! pipeline.rs  impacts of a tick, of rows and of proxies
//! bodies.rs    queries of shapes in boxes
//! ```

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "the pointers are to local values and to objects that live until the end"
)]

mod agree;
mod bodies;
mod boxes;
mod elements;
mod exec;
mod pairs;
mod parts;
mod pipeline;
mod proxies;
mod proxy_queries;
mod shapes;
mod trees;

use testkit::fuzz::bytes::Bytes;

/// Decodes calls from `data`, and compares their results with those in Rust.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.byte() % 6 {
        0 => pairs::finder(&mut bytes),
        1 => pairs::fixed_boxes(&mut bytes),
        2 => {
            pairs::kernels(&mut bytes);
            elements::run(&mut bytes);
        }
        3 => proxies::run(&mut bytes),
        4 => trees::run(&mut bytes),
        _ => shapes::run(&mut bytes),
    }
}
