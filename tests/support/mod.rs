//! What the tests of promises share: answers without rounding, hostile cases, and columns.

#![allow(dead_code, reason = "each includer uses a part")]

pub(crate) mod accelerating;
pub(crate) mod balls;
pub(crate) mod bodies;
pub(crate) mod body_columns;
pub(crate) mod cases;
pub(crate) mod columns;
pub(crate) mod convex_asked;
pub(crate) mod convex_cases;
pub(crate) mod convex_promises;
pub(crate) mod convex_shapes;
pub(crate) mod draw;
pub(crate) mod every_feature;
pub(crate) mod exact;
pub(crate) mod exact_cast;
pub(crate) mod exact_convex;
pub(crate) mod nearing;
pub(crate) mod places;
pub(crate) mod promises;
pub(crate) mod rays;
pub(crate) mod segments;
pub(crate) mod sphere_columns;
pub(crate) mod terms;
