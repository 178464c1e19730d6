//! Does any input make two sweeps of the same spheres disagree?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::spheres::run(data));
