//! Does any input make kept boxes and one box after the other disagree?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::proximity::run(data));
