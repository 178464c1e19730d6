//! Does any input make two casts of the same segment disagree?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::cast::run(data));
