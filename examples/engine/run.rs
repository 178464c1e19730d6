//! What happens on the range, tick after tick, and what does it take?
//!
//! Inside the clock: the tick of the engine. Outside: shooting, taking out who got out, the totals and the
//! hash.

use std::time::{Duration, Instant};

use engine::range::{Plan, Range};
use engine::{Failure, Totals};
use examples::fnv::Fnv;

/// How it stands after some ticks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    pub(crate) ticks: u32,
    pub(crate) awake: usize,
    pub(crate) asleep: usize,
    pub(crate) totals: Totals,
    /// Since the sample before.
    pub(crate) impacts: usize,
    /// The mean of the ticks since then.
    pub(crate) time: Duration,
    pub(crate) out: usize,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) samples: Vec<Sample>,
    pub(crate) impacts: usize,
    pub(crate) stalled: usize,
    /// Bullets and bricks that got out of the room.
    pub(crate) out: [usize; 2],
    /// Joule that the bullets brought.
    pub(crate) energy_brought: f64,
    /// The most that the energy grew in one tick, of what there was.
    pub(crate) energy_gain: f64,
    /// The most that the momentum changed in one tick, of the sum of its parts.
    pub(crate) momentum_change: f64,
    pub(crate) slowest: Duration,
    /// The median of the ticks in which all slept.
    pub(crate) asleep: Option<Duration>,
    pub(crate) hash: u64,
}

/// Runs a plan on the threads of the current pool; samples are so many.
pub(crate) fn run(plan: &Plan, ticks: u32, samples: u32) -> Result<Outcome, Failure> {
    let mut range = Range::new(plan)?;
    let (mut outcome, mut hash) = (Outcome::default(), Fnv::default());
    let (mut sample, mut since, mut asleep) = (Sample::default(), 0, Vec::new());
    let mut next = 1;
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
        let out = range.take_out()?;
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
    }
    asleep.sort_unstable();
    outcome.asleep = asleep.get(asleep.len() / 2).copied();
    outcome.hash = hash.finish();
    Ok(outcome)
}

fn energy(totals: &Totals) -> f64 {
    totals.kinetic + totals.potential
}
