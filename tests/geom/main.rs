//! Do boxes and spheres keep what their documentation promises?

mod boxes;
mod boxes_of_f64;
mod spheres_of_f64;
