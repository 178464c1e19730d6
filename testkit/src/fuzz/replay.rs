//! Runs fuzz bodies on stable Rust: on stored inputs, and on generated ones.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::path::{Path, PathBuf};

/// Runs `body` on every file that `fuzz/regressions` has for `target`, and on those in its folder in `SWATH_INPUTS`.
pub fn stored(target: &str, body: fn(&[u8])) {
    run_files(&regressions(target), body);
    if let Some(inputs) = std::env::var_os("SWATH_INPUTS") {
        run_files(&Path::new(&inputs).join(target), body);
    }
}

/// Under Miri the number of inputs, and of their bytes: it takes a thousand times as long, and looks for undefined behaviour alone.
const MIRI_INPUTS: usize = 2;
const MIRI_BYTES: usize = 120;

/// The folder of the stored inputs of a target.
fn regressions(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/regressions").join(target)
}

/// The files of a folder, of which there is at least one, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).expect("the folder of inputs is there");
    let mut files: Vec<_> =
        files.map(|file| file.expect("a folder can be listed").path()).collect();
    assert!(!files.is_empty(), "nothing is kept in {}", folder.display());
    files.sort();
    files
}

/// Runs `body` on every file of a folder.
fn run_files(folder: &Path, body: fn(&[u8])) {
    for (kept, path) in files(folder).iter().enumerate() {
        println!("{}", path.display());
        let input = fs::read(path).expect("a file can be read");
        if cfg!(miri) && (input.len() > MIRI_BYTES || kept >= MIRI_INPUTS) {
            continue;
        }
        body(&input);
    }
}

/// Runs `body` on `count` changed copies of the stored inputs of `target`, for a format that random bytes hardly ever have.
pub fn changed(target: &str, seed: u64, count: usize, body: fn(&[u8])) {
    let files = files(&regressions(target));
    let inputs: Vec<_> = files.iter().map(|file| fs::read(file).expect("it is read")).collect();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for round in 0..if cfg!(miri) { count.min(MIRI_INPUTS) } else { count } {
        let mut input = inputs[round % inputs.len()].clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..input.len());
            input[at] = rng.random();
        }
        body(&input);
    }
}

/// Runs `body` on `count` byte strings of at most `len` bytes. Some are mostly zeros, which gives small and
/// equal numbers.
pub fn generated(seed: u64, count: usize, len: usize, body: fn(&[u8])) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (count, len) =
        if cfg!(miri) { (count.min(MIRI_INPUTS), len.min(MIRI_BYTES)) } else { (count, len) };
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
