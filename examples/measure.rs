//! Times of ticks, and the time that moving the same memory takes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use rayon::prelude::*;
use swath::Pairs;
use swath::broadphase::{FindError, FoundPair};

use scenes::World;

/// Runs of the memory floor. The first ones only warm its buffers.
const FLOOR_RUNS: usize = 15;
const FLOOR_RUNS_WARM: usize = 2;
/// How many numbers a thread copies or writes at a time.
const FLOOR_CHUNK: usize = 16 * 1024;

/// Times of one kind of pairs, a row for each tick.
#[derive(Debug, Default)]
pub struct Costs {
    pub choose: Vec<Duration>,
    pub scatter: Vec<Duration>,
    pub sweep: Vec<Duration>,
    /// All stages together, from the columns of boxes to the pairs in memory.
    pub total: Vec<Duration>,
    /// The same in CPU time of the whole process, which is the sum over all threads.
    pub cpu: Vec<Duration>,
}

impl Costs {
    /// Times one tick.
    pub fn time<'f, P: FoundPair>(
        &mut self,
        find: impl FnOnce() -> Result<Pairs<'f, P>, FindError>,
    ) -> Result<Pairs<'f, P>, FindError> {
        let (cpu, wall) = (ProcessTime::now(), Instant::now());
        let found = find()?;
        let (wall, cpu) = (wall.elapsed(), cpu.elapsed());
        let stages = found.timings();
        self.choose.push(stages.choose);
        self.scatter.push(stages.scatter);
        self.sweep.push(stages.sweep);
        self.total.push(wall);
        self.cpu.push(cpu);
        Ok(found)
    }
}

/// Nanoseconds for each of `count` boxes or pairs, from the milliseconds of all; `None` if `count` is zero.
#[must_use]
pub fn ns_each(ms: f64, count: usize) -> Option<f64> {
    (count > 0).then(|| ms * 1e6 / count as f64)
}

/// Nanoseconds for each of `count` boxes or pairs, as a cell of a table.
#[must_use]
pub fn each(ms: f64, count: usize) -> String {
    ns_each(ms, count).map_or("none".to_owned(), |ns| format!("{ns:.3}"))
}

/// The median: of an even number of times the mean of the two in the middle, and zero if there are no times.
pub fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    match times[..] {
        [] => Duration::ZERO,
        _ => (times[(times.len() - 1) / 2] + times[times.len() / 2]) / 2,
    }
}

/// A part of the memory floor, small enough that the parts can be distributed over threads.
enum Part<'a> {
    Copy { from: &'a [f32], to: &'a mut [f32] },
    Write { to: &'a mut [u64] },
}

/// The median time to copy 24 bytes a box (the six columns of corners) and to write 8 bytes a
/// pair, on the threads of the current pool: no finder that reads its boxes once and writes its
/// pairs once is faster.
pub fn floor(world: &World, pairs: usize) -> Duration {
    let from: Vec<_> = world.min.iter().chain(&world.max).collect();
    let mut copies = vec![vec![0.0; world.len()]; from.len()];
    let mut written = vec![0; pairs];
    let mut parts = Vec::new();
    for (from, to) in from.into_iter().zip(&mut copies) {
        let chunks = from.chunks(FLOOR_CHUNK).zip(to.chunks_mut(FLOOR_CHUNK));
        parts.extend(chunks.map(|(from, to)| Part::Copy { from, to }));
    }
    parts.extend(written.chunks_mut(FLOOR_CHUNK).map(|to| Part::Write { to }));
    let mut times = Vec::new();
    for run in 0..FLOOR_RUNS as u64 {
        let clock = Instant::now();
        parts.par_iter_mut().for_each(|part| match part {
            Part::Copy { from, to } => to.copy_from_slice(from),
            Part::Write { to } => to.fill(black_box(run)),
        });
        times.push(clock.elapsed());
        black_box(&mut parts);
    }
    median(&times[FLOOR_RUNS_WARM..])
}
