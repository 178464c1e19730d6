//! Runs a broadphase for a long time and checks that it stays correct and that its memory does not grow.
//!
//! `cargo run --release --example endurance -- [TICKS] [SEED]` runs two broadphases for `TICKS` ticks each (100,000):
//! one of at most 96 proxies, whose events are compared in each tick with the model of the rules, and one of at most 4,000,
//! whose pairs are compared in every 512th tick with a test of each box against each. In every tick boxes move, and some
//! proxies are inserted, removed, put to sleep, woken, teleported, and described anew. Now and then the origin is shifted, a
//! snapshot is taken or restored, and the function of the caller panics.
//!
//! It prints for both the percentiles of the time of an update and the memory, and fails at any difference, or if the second
//! half of the ticks needs over a quarter more memory than the first.

mod churn;

use churn::Churn;
use std::time::Duration;
use testkit::counting::{BYTES, Counting};

#[global_allocator]
static COUNTING: Counting = Counting;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| {
        text.parse().unwrap_or_else(|_| {
            eprintln!("endurance: {text} is not a number; usage: endurance [TICKS] [SEED]");
            std::process::exit(2);
        })
    });
    let (ticks, seed) = (numbers.next().unwrap_or(100_000), numbers.next().unwrap_or(1));
    // The panics that the caller's function is made to raise are expected.
    let print_panic = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload().downcast_ref::<&str>() != Some(&churn::EXPECTED_PANIC) {
            print_panic(info);
        }
    }));
    for (proxies, compares_events) in [(96, true), (4_000, false)] {
        let before = BYTES.load(std::sync::atomic::Ordering::Relaxed);
        run(ticks, seed, proxies, compares_events);
        // Threads of the pool and the list of arguments may have allocated a little.
        let left = BYTES.load(std::sync::atomic::Ordering::Relaxed) - before;
        assert!(
            left < 1 << 20,
            "{left} bytes are still allocated after the broadphase was dropped"
        );
    }
}

fn run(ticks: u64, seed: u64, proxies: usize, compares_events: bool) {
    let mut churn = Churn::new(seed, proxies, compares_events);
    let mut times = Vec::with_capacity(ticks as usize);
    let mut memory_max = [0; 2];
    for tick in 0..ticks {
        times.push(churn.tick(tick));
        let half = &mut memory_max[usize::from(tick >= ticks / 2)];
        *half = churn.memory_usage().max(*half);
    }
    times.sort_unstable();
    let percentile = |per_mille: usize| -> Duration {
        times.get((times.len().saturating_sub(1)) * per_mille / 1000).copied().unwrap_or_default()
    };
    println!("{ticks} ticks of at most {proxies} proxies:");
    println!("  {churn}");
    println!(
        "  update: median {:?}, 99th percentile {:?}, longest {:?}",
        percentile(500),
        percentile(990),
        percentile(1000)
    );
    println!(
        "  memory: at most {} bytes in the first half, {} in the second",
        memory_max[0], memory_max[1]
    );
    // Fewer ticks may end before the lists have reached their usual lengths.
    assert!(
        ticks < 10_000 || memory_max[1] <= memory_max[0] + memory_max[0] / 4,
        "the memory has grown"
    );
}
