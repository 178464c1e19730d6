//! Does any input make two sweeps of the same boxes under acceleration disagree?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::accelerating::run(data));
