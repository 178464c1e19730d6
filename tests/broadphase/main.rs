//! Tests of `Broadphase`.

mod planar;
mod reading;
mod rules;
mod settled;
