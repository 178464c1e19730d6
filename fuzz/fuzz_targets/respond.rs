//! Does any input make two responses of the same bodies disagree?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::respond::run(data));
