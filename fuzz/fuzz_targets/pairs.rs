//! The pair finder agrees with comparing every pair.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::pairs::run(data));
