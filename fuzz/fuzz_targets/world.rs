//! Do any calls make a world break its rules?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::world::run(data));
