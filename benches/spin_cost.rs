//! CPU time of one step of bodies that spin fast, with and without limits.
//!
//! `cargo run --release --example spin_cost` prints a row for each scene and limit of rounds: searches, rounds, stalled bodies
//! and milliseconds of CPU time of one thread, the median of three runs. The scenes are 200 bodies each: bodies of all
//! sizes and spins, and long thin rods at 1,000 radians per tick.

#![allow(missing_docs, reason = "an example has no documentation of its own")]

use cpu_time::ThreadTime;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::{ConvexBody, Motion, Pose, SPIN_MAX, Shape, Threads};
use swath_stepping::{Mass, StepStats, Stepper, StepperConfig};

const BODIES: u32 = 200;
const RUNS: usize = 3;

type Failure = Box<dyn std::error::Error>;

struct Draw(Xoshiro256PlusPlus);

impl Draw {
    fn between(&mut self, low: f32, high: f32) -> f32 {
        self.0.random_range(low..=high)
    }

    fn vector(&mut self, most: f32) -> [f32; 3] {
        [(); 3].map(|()| self.between(-most, most))
    }

    /// A vector of this length in any direction.
    fn direction(&mut self, length: f32) -> [f32; 3] {
        loop {
            let v = self.vector(1.0);
            let square: f32 = v.iter().map(|x| x * x).sum();
            if (0.01..=1.0).contains(&square) {
                return v.map(|x| x / square.sqrt() * length);
            }
        }
    }
}

/// Bodies of half sizes from 0.01 to 10 in a cube of half size 20, with spins up to the greatest.
fn hostile(draw: &mut Draw) -> Result<(Shape<'static>, Motion), Failure> {
    let mut size = || 10.0_f32.powf(draw.between(-2.0, 1.0));
    let sizes = [size(), size(), size()];
    let shape = match draw.0.random_range(0..4) {
        0 => Shape::cuboid(sizes)?,
        1 => Shape::capsule(sizes[0], sizes[1])?,
        2 => Shape::cylinder(sizes[0], sizes[1])?,
        _ => Shape::sphere(sizes[0])?,
    };
    let spin = 10.0_f32.powf(draw.between(-1.0, 3.0));
    let pose = Pose::at(draw.vector(20.0))?;
    let delta = draw.vector(5.0);
    Ok((shape, Motion::new(pose, delta)?.spinning(draw.direction(spin.min(SPIN_MAX)))?))
}

/// Rods of half length 5 in a cube of half size 20, at 1,000 radians per tick.
fn rod(draw: &mut Draw) -> Result<(Shape<'static>, Motion), Failure> {
    let pose = Pose::at(draw.vector(20.0))?;
    let motion = Motion::new(pose, draw.vector(1.0))?.spinning(draw.direction(1000.0))?;
    Ok((Shape::cuboid([5.0, 0.01, 0.01])?, motion))
}

/// Boxes that spin by up to a turn per tick, in a cube in which each meets a few others.
fn ordinary(draw: &mut Draw) -> Result<(Shape<'static>, Motion), Failure> {
    let pose = Pose::at(draw.vector(6.0))?;
    let motion = Motion::new(pose, draw.vector(1.0))?;
    let spin = draw.between(0.0, 6.3);
    Ok((Shape::cuboid([0.4, 0.3, 0.2])?, motion.spinning(draw.direction(spin))?))
}

type Body = fn(&mut Draw) -> Result<(Shape<'static>, Motion), Failure>;

fn run(body: Body, config: StepperConfig) -> Result<(StepStats, f64), Failure> {
    let mut draw = Draw(Xoshiro256PlusPlus::seed_from_u64(1));
    let mut bodies = Vec::new();
    for row in 0..BODIES {
        let (shape, motion) = body(&mut draw)?;
        bodies.push(ConvexBody { row, shape, motion });
    }
    let masses = [Mass { inverse_mass: 1.0, restitution: 0.5 }; BODIES as usize];
    let (mut times, mut stats) = ([0.0; RUNS], StepStats::default());
    for time in &mut times {
        let mut stepper = Stepper::new(config);
        stepper.exec.threads = Threads::one();
        let mut moved = bodies.clone();
        let start = ThreadTime::now();
        stats = stepper.step(&mut moved, &masses, None)?;
        *time = start.elapsed().as_secs_f64() * 1e3;
    }
    times.sort_by(f64::total_cmp);
    Ok((stats, times[RUNS / 2]))
}

fn main() -> Result<(), Failure> {
    println!("scene, rounds_per_body_max: events, searches, rounds, stalled, over budget, CPU ms");
    let default = StepperConfig::default();
    for (name, body) in [("ordinary", ordinary as Body), ("all sizes", hostile), ("rods", rod)] {
        for rounds_per_body_max in [u32::MAX, default.rounds_per_body_max, 100, 32] {
            let mut config = default;
            config.rounds_per_body_max = rounds_per_body_max;
            let (stats, time) = run(body, config)?;
            let StepStats { events, searches, rounds, stalled, over_budget, .. } = stats;
            println!(
                "{name}, {rounds_per_body_max}: {events}, {searches}, {rounds}, {stalled}, \
                 {over_budget}, {time:.1}"
            );
        }
    }
    Ok(())
}
