//! Tests of `Broadphase`.

mod kinds;
mod planar;
mod reading;
mod rules;
mod set_many;
mod settled;
mod snapshots;
