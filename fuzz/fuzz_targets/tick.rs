//! Do any bytes make the reader of captured ticks panic, or read what is no tick?

#![no_main]

#[path = "../bodies/mod.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| bodies::tick::run(data));
