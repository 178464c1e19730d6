//! Runs the fuzz bodies on every stored input, and on generated ones.
//!
//! The bodies are those of `fuzz/fuzz_targets`. Inputs that a fuzzer found are stored in
//! `fuzz/regressions/<target>/` and replayed here, with stable Rust and on all threads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// For each target: the stored inputs still pass, and the body is run without a fuzzer on seeded byte
/// strings.
macro_rules! targets {
    ($($target:ident: $seed:literal, $count:literal, $len:literal;)+) => {$(
        mod $target {
            #[test]
            fn kept_inputs() {
                testkit::fuzz::replay::stored(stringify!($target), testkit::fuzz::$target::run);
            }

            #[test]
            fn generated_inputs() {
                testkit::fuzz::replay::generated($seed, $count, $len, testkit::fuzz::$target::run);
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

/// Goal: many inputs of the target `mesh` are compared with the specification. Method: count those of its generated inputs.
#[test]
fn meshes_are_judged() {
    static JUDGED: AtomicUsize = AtomicUsize::new(0);
    testkit::fuzz::replay::generated(5, 400, 300, |data| {
        JUDGED.fetch_add(usize::from(testkit::fuzz::mesh::is_judged(data)), Relaxed);
    });
    let judged = JUDGED.load(Relaxed);
    assert!(judged > 20 || cfg!(miri), "{judged} of 400");
}

/// Goal: captured ticks are run, which random bytes hardly ever are. Method: changed copies of the stored ones.
#[test]
fn changed_ticks() {
    testkit::fuzz::replay::changed("tick", 6, 4_000, testkit::fuzz::tick::run);
}
