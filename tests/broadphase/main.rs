//! Tests of `Broadphase`.

mod reading;
mod rules;
mod settled;
