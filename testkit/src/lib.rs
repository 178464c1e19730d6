//! Helpers that tests, fuzz targets and benchmarks share: exact results, hostile cases, models of rules,
//! columns, fuzz bodies, and a counting allocator.
//!
//! `scenes` and `spec` are crates of their own, because the examples need them and nothing else.

pub mod accelerating;
pub mod ball_map;
pub mod balls;
pub mod bodies;
pub mod body_columns;
pub mod cases;
pub mod checksum;
pub mod columns;
pub mod convex_asked;
pub mod convex_cases;
pub mod convex_promises;
pub mod convex_shapes;
pub mod counting;
pub mod draw;
pub mod element_cases;
pub mod element_promises;
pub mod every_feature;
pub mod every_pair;
pub mod exact;
pub mod exact_cast;
pub mod exact_convex;
pub mod exact_distance;
pub mod exact_elements;
pub mod exact_ray;
pub mod filters;
pub mod finite;
pub mod fixed_model;
pub mod fuzz;
pub mod layouts;
pub mod least_time;
pub mod mesh_cases;
pub mod places;
pub mod promises;
pub mod rays;
pub mod rounded;
pub mod segments;
pub mod sphere_columns;
pub mod terms;
pub mod world_model;
