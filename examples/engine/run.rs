//! Runs the range tick after tick, and measures it.
//!
//! The clock covers the tick of the engine. It does not cover shooting, removing bodies that left the room,
//! the totals and the hash.

use std::time::{Duration, Instant};

use engine::range::{Plan, Range};
use engine::{Failure, Totals};
use examples::fnv::Fnv;
use examples::progress::bar;

/// State of the range after some ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) ticks: u32,
    pub(crate) awake: usize,
    pub(crate) asleep: usize,
    pub(crate) totals: Totals,
    /// Number of impacts since the previous sample.
    pub(crate) impacts: usize,
    /// Mean time of a tick since the previous sample.
    pub(crate) time: Duration,
    pub(crate) out: usize,
}

/// Result of a run.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) samples: Vec<Sample>,
    pub(crate) impacts: usize,
    pub(crate) stalled: usize,
    /// Number of bullets and bricks that left the room.
    pub(crate) out: [usize; 2],
    /// Energy of the bullets when they were shot, in joule.
    pub(crate) energy_brought: f64,
    /// Greatest increase of the energy in one tick, relative to the energy.
    pub(crate) energy_gain: f64,
    /// Greatest change of the momentum in one tick, relative to the sum of the bodies' momenta.
    pub(crate) momentum_change: f64,
    pub(crate) slowest: Duration,
    /// Median time of the ticks in which all bodies were asleep.
    pub(crate) asleep: Option<Duration>,
    pub(crate) hash: u64,
}

/// Runs a plan on the threads of the current pool, and takes this number of samples. `quiet` hides the progress.
pub(crate) fn run(plan: &Plan, ticks: u32, samples: u32, quiet: bool) -> Result<Outcome, Failure> {
    let mut range = Range::new(plan)?;
    let (mut outcome, mut hash) = (Outcome::default(), Fnv::default());
    let (mut sample, mut since, mut asleep) = (Sample::default(), 0, Vec::new());
    let mut next = 1;
    let bar = bar(if plan.ccd { "with CCD" } else { "without CCD" }, ticks, quiet);
    for tick in 1..=ticks {
        let before = energy(&range.engine.totals());
        range.shoot()?;
        let start = range.engine.totals();
        outcome.energy_brought += energy(&start) - before;

        let clock = Instant::now();
        let stepped = range.engine.step()?;
        let took = clock.elapsed();

        let end = range.engine.totals();
        let (of_all, changed) = (energy(&start), energy(&end) - energy(&start));
        if of_all > 0.0 {
            outcome.energy_gain = outcome.energy_gain.max(changed / of_all);
        }
        let moved = (0..3).map(|axis| (end.momentum[axis] - start.momentum[axis]).abs());
        let parts = start.momenta;
        if parts > 0.0 {
            let change = moved.sum::<f64>() / parts;
            outcome.momentum_change = outcome.momentum_change.max(change);
        }
        let out = range.remove_escaped()?;
        outcome.out = [outcome.out[0] + out[0], outcome.out[1] + out[1]];
        outcome.impacts += stepped.impacts;
        outcome.stalled += stepped.stalled;
        outcome.slowest = outcome.slowest.max(took);
        let count = |set| range.engine.rows.iter().filter(|row| row.set == set).count();
        let (awake, sleepers) =
            (count(swath::ProxyKind::Dynamic), count(swath::ProxyKind::Sleeping));
        if awake == 0 {
            asleep.push(took);
        }
        for row in &range.engine.rows {
            for number in row.motion.pose.position.into_iter().chain(row.motion.delta) {
                hash.write(number.to_bits());
            }
        }
        sample.impacts += stepped.impacts;
        sample.time += took;
        if tick * samples >= ticks * next {
            next += 1;
            let time = sample.time / (tick - since);
            let out = outcome.out[0] + outcome.out[1];
            let totals = range.engine.totals();
            outcome.samples.push(Sample {
                ticks: tick,
                awake,
                asleep: sleepers,
                totals,
                time,
                out,
                ..sample
            });
            (sample, since) = (Sample::default(), tick);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    asleep.sort_unstable();
    outcome.asleep = asleep.get(asleep.len() / 2).copied();
    outcome.hash = hash.finish();
    Ok(outcome)
}

fn energy(totals: &Totals) -> f64 {
    totals.kinetic + totals.potential
}
