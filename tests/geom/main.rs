//! Tests of the plain values: boxes, spheres and poses.

mod boxes;
mod boxes_of_f64;
mod poses;
mod spheres_of_f64;
