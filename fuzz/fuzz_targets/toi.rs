//! Does any input make a first time of convex shapes late, or batches disagree with it?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::toi::run(data));
