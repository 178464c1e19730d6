//! Tests of `Broadphase`.

mod crowds;
mod failures;
mod kinds;
mod memory;
mod planar;
mod reading;
mod resting_crowds;
mod rules;
mod set_many;
mod settled;
mod snapshots;
mod tables;
