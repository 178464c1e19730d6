//! Tests of `Broadphase`.

mod rules;
