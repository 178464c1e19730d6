//! Tests of the plain values: boxes, spheres, segments, planes, bodies and poses, and of the packed words of results.

mod boxes;
mod boxes_of_f64;
mod contacts_and_faces;
mod poses;
mod segments_and_planes;
mod spheres_of_f64;
mod transforms;
