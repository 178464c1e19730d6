//! Does any input make two separations of the same boxes disagree?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::separate::run(data));
