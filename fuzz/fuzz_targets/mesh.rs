//! First times of meshes, height fields and compounds are never late, and batches agree with single calls.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::mesh::run(data));
