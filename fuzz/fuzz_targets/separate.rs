//! Does any input make two separations of the same boxes disagree?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::separate::run(data));
