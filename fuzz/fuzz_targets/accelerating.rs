//! Does any input make two sweeps of the same boxes under acceleration disagree?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::accelerating::run(data));
