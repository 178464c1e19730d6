//! Tests of the stepper.

mod conservation;
mod coordinates;
mod floors;
mod geometries;
mod impulses;
mod jams;
mod limits;
mod overlaps;
mod proxies;
mod rows;
mod spins;
mod supports;
mod touches;
