//! The reader of captured ticks does not panic, and accepts valid ticks only.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::tick::run(data));
