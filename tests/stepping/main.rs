//! Tests of the stepper.

mod conservation;
mod geometries;
mod impulses;
mod limits;
mod proxies;
mod supports;
mod touches;
