//! A step of any bodies ends within its budget, with finite numbers.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::step::run(data));
