//! Does any input make kept boxes and one box after the other disagree?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::near::run(data));
