//! Do any bytes make the reader of captured ticks panic, or read what is no tick?

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::tick::run(data));
