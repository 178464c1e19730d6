//! Does any input make two casts of the same segment disagree?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::cast::run(data));
