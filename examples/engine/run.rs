//! What happens on the range, tick after tick, and what does it take?
//!
//! Inside the clock: the tick of the engine. Outside: shooting, taking out who got out, the totals and the
//! hash.

use std::time::{Duration, Instant};

use super::engine::{Engine, Failure, Totals};
use super::fnv::Fnv;
use super::range::Range;

/// Metres per second², and none.
const GRAVITY: [f32; 3] = [0.0, -9.81, 0.0];

/// What is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) bullets: u32,
    pub(crate) ticks: u32,
    pub(crate) seed: u64,
    pub(crate) space: bool,
    pub(crate) ccd: bool,
}

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
    pub(crate) held: usize,
    pub(crate) out: usize,
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

/// The range and its engine.
#[derive(Debug)]
pub(crate) struct Show {
    pub(crate) engine: Engine,
    range: Range,
}

impl Show {
    pub(crate) fn new(plan: &Plan) -> Result<Self, Failure> {
        let mut engine = Engine::new(if plan.space { [0.0; 3] } else { GRAVITY }, plan.ccd);
        let range = Range::new(plan.bullets, plan.seed, plan.space, &mut engine)?;
        Ok(Self { engine, range })
    }

    pub(crate) fn shoot(&mut self) -> Result<(), Failure> {
        self.range.shoot(&mut self.engine)
    }

    /// Takes out who got out, and says how many.
    pub(crate) fn take_out(&mut self) -> Result<usize, Failure> {
        let Self { engine, range } = self;
        engine.remove(|row| range.is_out(row))
    }
}

/// Runs a plan on the threads of the current pool; samples are so many.
pub(crate) fn run(plan: &Plan, samples: u32) -> Result<Outcome, Failure> {
    let mut show = Show::new(plan)?;
    let (mut outcome, mut hash) = (Outcome::default(), Fnv::default());
    let (mut sample, mut since, mut asleep) = (Sample::default(), 0, Vec::new());
    let mut next = 1;
    for tick in 1..=plan.ticks {
        let before = energy(&show.engine.totals());
        show.shoot()?;
        let start = show.engine.totals();
        outcome.energy_brought += energy(&start) - before;

        let clock = Instant::now();
        let stepped = show.engine.step()?;
        let took = clock.elapsed();

        let end = show.engine.totals();
        let (of_all, changed) = (energy(&start), energy(&end) - energy(&start));
        if of_all > 0.0 {
            outcome.energy_gain = outcome.energy_gain.max(changed / of_all);
        }
        let moved = (0..3).map(|axis| (end.momentum[axis] - start.momentum[axis]).abs());
        let parts = start.momenta;
        if parts > 0.0 {
            outcome.momentum_change = outcome.momentum_change.max(moved.sum::<f64>() / parts);
        }
        outcome.out += show.take_out()?;
        outcome.impacts += stepped.impacts;
        outcome.held += stepped.held;
        outcome.slowest = outcome.slowest.max(took);
        let count = |set| show.engine.rows.iter().filter(|row| row.set == set).count();
        let (awake, sleepers) = (count(swath::Set::Dynamic), count(swath::Set::Sleeping));
        if awake == 0 {
            asleep.push(took);
        }
        for row in &show.engine.rows {
            for number in row.motion.pose.position.into_iter().chain(row.motion.delta) {
                hash.write(number.to_bits());
            }
        }
        sample.impacts += stepped.impacts;
        sample.time += took;
        if tick * samples >= plan.ticks * next {
            next += 1;
            let time = sample.time / (tick - since);
            let out = outcome.out;
            let totals = show.engine.totals();
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
