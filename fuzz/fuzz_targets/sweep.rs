//! Sweeps of boxes agree with `spec` and with each other.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::sweep::run(data));
