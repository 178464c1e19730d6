//! Runs the fuzz bodies on every stored input, and on generated ones.
//!
//! The bodies are those of `fuzz/fuzz_targets`. Inputs that a fuzzer found are stored in
//! `fuzz/regressions/<target>/` and replayed here, with stable Rust and on all threads.

use std::fs;
use std::path::Path;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Runs `body` on every file stored for `target`.
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

/// Runs `body` on `count` byte strings of at most `len` bytes. Some are mostly zeros, which gives small and
/// equal numbers.
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

/// For each target: the stored inputs still pass, and the body is run without a fuzzer on seeded byte
/// strings.
macro_rules! targets {
    ($($target:ident: $seed:literal, $count:literal, $len:literal;)+) => {$(
        mod $target {
            #[test]
            fn kept_inputs() {
                super::replay(stringify!($target), testkit::fuzz::$target::run);
            }

            #[test]
            fn generated_inputs() {
                super::generate($seed, $count, $len, testkit::fuzz::$target::run);
            }
        }
    )+};
}

targets! {
    spheres: 3, 10_000, 1200;
    sweep: 1, 20_000, 1200;
    pairs: 2, 8_000, 900;
    overlap: 3, 8_000, 1200;
    proximity: 6, 1_000, 900;
    separate: 3, 10_000, 1200;
    respond: 4, 10_000, 1200;
    cast: 3, 12_000, 1500;
    accelerating: 3, 20_000, 1200;
    toi: 5, 1_500, 200;
    elements: 5, 1_500, 700;
    mesh: 5, 1_500, 300;
    query: 6, 1_500, 900;
    step: 9, 6_000, 300;
    tick: 6, 4_000, 600;
    world: 6, 60, 3000;
}
