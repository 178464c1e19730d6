//! Which boxes, moving how, does a benchmark, a test or an example look at?
//!
//! A [`World`] is one tick of moving boxes as columns, `[axis][row]`: where they are at the
//! start of the tick, how far each goes during it, and which ones move at all. It comes from a
//! [`Scene`] and a seed (`scenes.rs`), or from a recording (`trace.rs`).
//!
//! Promise: the same scene, number of boxes and seed give the same bits on every platform, at
//! the start and after any number of steps. Hence only `+ - * / sqrt` and a named generator.

#![allow(dead_code, reason = "each includer uses a part")]

mod room;
pub mod scenes;
pub mod trace;

use rand::rngs::Xoshiro256PlusPlus;

pub use scenes::Scene;
use scenes::PILE_JITTERS;

/// How often one step may reflect a box on one axis before it is left at the wall.
const BOUNCES_MAX: usize = 4;

/// One tick of moving boxes.
///
/// `min[axis][row] <= max[axis][row]` always, and `delta` is a displacement over the tick.
/// [`World::step`] writes the boxes anew, so a box changed from outside does not stay so.
#[derive(Clone, Debug)]
pub struct World {
    /// Lower corners at the start of the tick.
    pub min: [Vec<f32>; 3],
    /// Upper corners at the start of the tick.
    pub max: [Vec<f32>; 3],
    /// Displacements over the tick.
    pub delta: [Vec<f32>; 3],
    /// Whether a box moves; one that does not has `delta` zero.
    pub moves: Vec<bool>,
    motion: Motion,
}

/// What the boxes do between two ticks.
#[derive(Clone, Debug)]
enum Motion {
    /// Nothing: the tick repeats.
    Repeat,
    /// Centres fly straight and are reflected at `-reach` and `reach` of each axis.
    ///
    /// Centres spread evenly and directions without a bias stay so under reflection, which
    /// keeps the number of pairs steady for any number of ticks.
    Bounce { centre: [Vec<f32>; 3], half: [Vec<f32>; 3], reach: [f32; 3] },
    /// Centres go to a random place close to `home` each tick.
    Jitter {
        centre: [Vec<f32>; 3],
        half: [Vec<f32>; 3],
        home: [Vec<f32>; 3],
        rng: Xoshiro256PlusPlus,
    },
}

impl World {
    /// A scene of so many boxes, made from a seed.
    #[must_use]
    pub fn new(scene: Scene, boxes: usize, seed: u64) -> Self {
        scenes::build(scene, boxes, seed)
    }

    /// How many boxes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there is no box at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Goes on to the next tick: each moving box is moved by its `delta`, then turned back
    /// where it left the world, or given its next small motion. A recorded tick stays as it is.
    pub fn step(&mut self) {
        let Self { min, max, delta, moves, motion } = self;
        let (centre, half) = match motion {
            Motion::Repeat => return,
            Motion::Bounce { centre, half, reach } => {
                for axis in 0..3 {
                    bounce(&mut centre[axis], &mut delta[axis], moves, reach[axis]);
                }
                (centre, half)
            }
            Motion::Jitter { centre, half, home, rng } => {
                for axis in 0..3 {
                    for row in (0..moves.len()).filter(|&row| moves[row]) {
                        let next = home[axis][row] + scenes::between(rng, PILE_JITTERS);
                        centre[axis][row] += delta[axis][row];
                        delta[axis][row] = next - centre[axis][row];
                    }
                }
                (centre, half)
            }
        };
        for axis in 0..3 {
            place(&centre[axis], &half[axis], &mut min[axis], &mut max[axis]);
        }
    }
}

/// Moves the centres of one axis by `delta` and reflects those that are past `-reach` or `reach`.
fn bounce(centre: &mut [f32], delta: &mut [f32], moves: &[bool], reach: f32) {
    for ((centre, delta), &moves) in centre.iter_mut().zip(delta).zip(moves) {
        if !moves {
            continue;
        }
        *centre += *delta;
        for _ in 0..BOUNCES_MAX {
            if centre.abs() <= reach {
                break;
            }
            *centre = reach.copysign(*centre) * 2.0 - *centre;
            *delta = -*delta;
        }
        *centre = centre.clamp(-reach, reach);
    }
}

/// Writes the corners of one axis. `half` is not negative, and rounding is monotonic, so
/// `min <= max` also where `half` is less than the rounding.
fn place(centre: &[f32], half: &[f32], min: &mut [f32], max: &mut [f32]) {
    for (row, (centre, half)) in centre.iter().zip(half).enumerate() {
        min[row] = centre - half;
        max[row] = centre + half;
    }
}
