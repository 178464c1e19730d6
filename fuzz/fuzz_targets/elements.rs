//! First times of vertices, edges and faces are never late, and the same on every level.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::elements::run(data));
