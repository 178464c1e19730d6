//! What the machine can do on each number of threads: bytes a second that its memory moves, and how much faster it computes.
//!
//! The arrays are several times as large as the caches. A copy moves three bytes for each byte that it copies: one is read, and the
//! line that is written is read too before it is written back. The arithmetic needs no memory and is divided evenly, so its speed-up is
//! the number of cores that the threads really have: two threads may share one core, and a core may be shared with other programs.

use crate::Failure;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;
use std::time::Instant;

/// Numbers in an array: 512 MiB.
const LENGTH: usize = 1 << 26;
/// Numbers that a thread reads or copies at a time.
const CHUNK: usize = 1 << 18;
/// Parts of the arithmetic, and its steps in each.
const PARTS: u64 = 256;
const STEPS: u64 = 1 << 18;
const ROUNDS: usize = 7;

/// The most that this many threads did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) threads: usize,
    /// Bytes that were read, and moved by a copy, in units of 10⁹ bytes a second.
    pub(crate) read: f64,
    pub(crate) copy: f64,
    /// How many times as fast as one thread they computed.
    pub(crate) cores: f64,
}

/// Seconds that `run` takes on the threads of a pool.
fn seconds(pool: &ThreadPool, run: impl FnOnce() + Send) -> f64 {
    pool.install(|| {
        let clock = Instant::now();
        run();
        clock.elapsed().as_secs_f64()
    })
}

/// Steps of four independent generators, which occupy about half of a core.
fn arithmetic(seed: u64) -> u64 {
    let mut states: [u64; 4] = std::array::from_fn(|k| seed + k as u64);
    for _ in 0..STEPS {
        for state in &mut states {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        }
    }
    states.iter().fold(0, |sum, state| sum ^ state)
}

pub(crate) fn measure(counts: &[usize]) -> Result<Vec<Machine>, Failure> {
    let from = vec![1_u64; LENGTH];
    let mut to = vec![0_u64; LENGTH];
    let mut pools = Vec::new();
    for &threads in counts {
        pools.push(ThreadPoolBuilder::new().num_threads(threads).build()?);
    }
    // Read, copy and compute.
    let mut least = vec![[f64::INFINITY; 3]; counts.len()];
    for _ in 0..ROUNDS {
        for (pool, least) in pools.iter().zip(&mut least) {
            let read = seconds(pool, || {
                let sum = |part: &[u64]| part.iter().fold(0_u64, |sum, &x| sum.wrapping_add(x));
                black_box(from.par_chunks(CHUNK).map(sum).reduce(|| 0, u64::wrapping_add));
            });
            let copy = seconds(pool, || {
                let parts = from.par_chunks(CHUNK).zip(to.par_chunks_mut(CHUNK));
                parts.for_each(|(from, to)| to.copy_from_slice(from));
            });
            black_box(&mut to);
            let compute = seconds(pool, || {
                let parts = (0..black_box(PARTS)).into_par_iter().map(arithmetic);
                black_box(parts.reduce(|| 0, |a, b| a ^ b));
            });
            for (least, time) in least.iter_mut().zip([read, copy, compute]) {
                *least = least.min(time);
            }
        }
    }
    let giga = size_of_val(&from[..]) as f64 / 1e9;
    let one = least[0][2];
    let machine = |(&threads, [read, copy, compute]): (&usize, [f64; 3])| Machine {
        threads,
        read: giga / read,
        copy: 3.0 * giga / copy,
        cores: one / compute,
    };
    Ok(counts.iter().zip(least).map(machine).collect())
}
