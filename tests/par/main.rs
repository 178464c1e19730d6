//! Tests of threads that the caller provides.
#![cfg(feature = "std")]

mod executors;
mod few_boxes;
#[cfg(feature = "rayon")]
mod panics;
