//! Does any input make two overlaps of the same shapes disagree?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::overlap::run(data));
