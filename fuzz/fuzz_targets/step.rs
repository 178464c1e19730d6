//! Does a step of any bodies end with numbers that are not finite, or past its budget?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::step::run(data));
