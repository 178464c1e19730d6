//! Does any input make two responses of the same bodies disagree?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::respond::run(data));
