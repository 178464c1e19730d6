//! Does any world make the pair finder disagree with all pairs tried?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::pairs::run(data));
