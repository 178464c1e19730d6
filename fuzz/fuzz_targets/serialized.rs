//! No serialised form, however changed, makes an inconsistent value.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| testkit::fuzz::serialized::run(data));
