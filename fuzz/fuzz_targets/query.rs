//! Does any input make a question about kept boxes miss one?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::query::run(data));
