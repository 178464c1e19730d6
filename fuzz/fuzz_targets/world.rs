//! No calls make a broadphase break its rules.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::world::run(data));
