//! Calls of the C interface have the results of the same calls in Rust.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| c_testkit::run(data));
