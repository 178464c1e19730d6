//! Does any world make the pair finder disagree with all pairs tried?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::pairs::run(data));
