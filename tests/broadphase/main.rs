//! Tests of `Broadphase`.

mod kinds;
mod planar;
mod reading;
mod rules;
mod settled;
mod snapshots;
