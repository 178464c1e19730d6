//! Tests of the stepper.

mod conservation;
mod impulses;
mod limits;
mod proxies;
mod supports;
mod touches;
