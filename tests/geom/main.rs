//! Tests of the plain values: boxes and spheres.

mod boxes;
mod boxes_of_f64;
mod spheres_of_f64;
