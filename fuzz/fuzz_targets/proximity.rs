//! Distances of stored boxes agree with testing one box after the other.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::proximity::run(data));
