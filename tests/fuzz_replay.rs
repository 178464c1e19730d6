//! Do the fuzz bodies hold for every input ever kept, and for many others?
//!
//! The bodies are those of `fuzz/fuzz_targets`. What a fuzzer finds is kept in
//! `fuzz/regressions/<target>/` and replayed here, on stable and with all threads.

#[path = "../fuzz/bodies/mod.rs"]
mod bodies;

use std::fs;
use std::path::Path;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Runs `body` on every file kept for `target`.
fn replay(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/regressions").join(target);
    let mut kept = 0;
    for file in fs::read_dir(&folder).expect("the regressions are there") {
        let path = file.expect("a folder can be listed").path();
        println!("{}", path.display());
        body(&fs::read(&path).expect("a file can be read"));
        kept += 1;
    }
    assert!(kept > 0, "nothing is kept in {}", folder.display());
}

/// Runs `body` on `count` strings, of which `len` is the longest; some are mostly zeros, which
/// makes small and equal numbers.
fn generate(seed: u64, count: usize, len: usize, body: fn(&[u8])) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for round in 0..count {
        let mut input = vec![0; rng.random_range(0..=len)];
        rng.fill(&mut input[..]);
        if round % 3 == 0 {
            let sparse = rng.random_range(2..20);
            for (at, byte) in input.iter_mut().enumerate().skip(2) {
                *byte = if at % sparse == 0 { *byte } else { *byte & 0x81 };
            }
        }
        body(&input);
    }
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_sweep() {
    replay("sweep", bodies::sweep::run);
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_pairs() {
    replay("pairs", bodies::pairs::run);
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_spheres() {
    replay("spheres", bodies::spheres::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_spheres() {
    generate(3, 10_000, 1200, bodies::spheres::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_sweep() {
    generate(1, 20_000, 1200, bodies::sweep::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_pairs() {
    generate(2, 8_000, 900, bodies::pairs::run);
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_overlap() {
    replay("overlap", bodies::overlap::run);
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_separate() {
    replay("separate", bodies::separate::run);
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_respond() {
    replay("respond", bodies::respond::run);
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_cast() {
    replay("cast", bodies::cast::run);
}

/// Goal: a finding stays found. Method: every input kept.
#[test]
fn kept_inputs_of_accelerating() {
    replay("accelerating", bodies::accelerating::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_overlap() {
    generate(3, 8_000, 1200, bodies::overlap::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_separate() {
    generate(3, 10_000, 1200, bodies::separate::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_respond() {
    generate(4, 10_000, 1200, bodies::respond::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_cast() {
    generate(3, 12_000, 1500, bodies::cast::run);
}

/// Goal: the body is run where there is no fuzzer. Method: bytes from a seed.
#[test]
fn generated_inputs_of_accelerating() {
    generate(3, 20_000, 1200, bodies::accelerating::run);
}
