//! Does any input make a first time of convex shapes late, or batches disagree with it?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::advance::run(data));
