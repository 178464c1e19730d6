//! Tests of threads that the caller provides.
#![cfg(feature = "std")]

#[cfg(feature = "rayon")]
mod concurrent;
mod executors;
mod few_boxes;
mod memory;
#[cfg(feature = "rayon")]
mod panics;
