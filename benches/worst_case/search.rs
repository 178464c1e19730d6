//! Random restarts and hill climbing over the numbers of a recipe.

use std::time::{Duration, Instant};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::args::{Args, Target};
use crate::measure::{Bench, Measured};
use scenes::recipe::{Crowds, Long, Recipe};

/// Number of recipes that are drawn before a climb starts from the worst of them.
const DRAWS: usize = 12;
/// Number of consecutive steps without an increase before the search starts again.
const FAILURES_MAX: usize = 40;
/// A step counts if it increases the ratio by this factor: less is noise.
const STEP: f64 = 1.02;
/// Time between two reports of the search.
const REPORT_SECONDS: u64 = 10;

/// A recipe and its measurement.
#[derive(Clone, Debug)]
pub(crate) struct Worst {
    pub(crate) recipe: Recipe,
    measured: Measured,
}

impl std::ops::Deref for Worst {
    type Target = Measured;

    fn deref(&self) -> &Measured {
        &self.measured
    }
}

/// A search that runs for a given time.
pub(crate) struct Search {
    bench: Bench,
    boxes: usize,
    target: Target,
    time: Duration,
    rng: Xoshiro256PlusPlus,
    looked_at: usize,
    worst: Option<Worst>,
}

impl Search {
    pub(crate) fn new(args: &Args) -> Self {
        Self {
            bench: Bench::new(args.target, args.evaluation_seconds),
            boxes: args.boxes as usize,
            target: args.target,
            time: Duration::from_secs_f64(args.minutes * 60.0),
            rng: Xoshiro256PlusPlus::seed_from_u64(args.seed),
            looked_at: 0,
            worst: None,
        }
    }

    /// Number of scenes that were measured.
    pub(crate) fn looked_at(&self) -> usize {
        self.looked_at
    }

    /// The worst scene.
    pub(crate) fn worst(&mut self) -> Worst {
        match &self.worst {
            Some(worst) => worst.clone(),
            None => {
                let recipe = draw(&mut self.rng);
                self.look_at(recipe)
            }
        }
    }

    /// Searches until the time is over, and calls `report` with a line from time to time.
    pub(crate) fn run(&mut self, mut report: impl FnMut(&str)) {
        let start = Instant::now();
        let mut reported = 0;
        let mut climb: Option<(Worst, usize)> = None;
        while start.elapsed() < self.time {
            climb = match climb {
                Some((at, failures)) if failures < FAILURES_MAX => {
                    let next = vary(&at.recipe, &mut self.rng);
                    let next = self.look_at(next);
                    if next.ratio > at.ratio * STEP {
                        Some((next, 0))
                    } else {
                        Some((at, failures + 1))
                    }
                }
                _ => {
                    let drawn: Vec<Worst> = (0..DRAWS)
                        .map(|_| {
                            let recipe = draw(&mut self.rng);
                            self.look_at(recipe)
                        })
                        .collect();
                    let worst = drawn.into_iter().max_by(|p, q| p.ratio.total_cmp(&q.ratio));
                    worst.map(|worst| (worst, 0))
                }
            };
            let (seconds, all) = (start.elapsed().as_secs(), self.time.as_secs());
            if seconds / REPORT_SECONDS > reported {
                reported = seconds / REPORT_SECONDS;
                let worst = self.worst.as_ref().map_or(0.0, |worst| worst.ratio);
                report(&format!(
                    "{seconds} of {all} s, {} s left: {} worlds, target {}, worst {worst:.2} x uniform",
                    all.saturating_sub(seconds),
                    self.looked_at,
                    self.target,
                ));
            }
        }
    }

    fn look_at(&mut self, recipe: Recipe) -> Worst {
        let remarkable = self.worst.as_ref().map_or(0.0, |worst| worst.ratio);
        let measured = self.bench.measure(&recipe, self.boxes, remarkable);
        self.looked_at += 1;
        let found = Worst { recipe, measured };
        if self.worst.as_ref().is_none_or(|worst| found.ratio > worst.ratio) {
            self.worst = Some(found.clone());
        }
        found
    }
}

/// A random recipe.
pub(crate) fn draw(rng: &mut Xoshiro256PlusPlus) -> Recipe {
    let power = |rng: &mut Xoshiro256PlusPlus, low: f32, high: f32| {
        10f32.powf(rng.random_range(low..=high))
    };
    let extent = {
        let all = rng.random_range(-1.0..4.0);
        let spread = [0.0, 0.5, 2.0][rng.random_range(0..3)];
        [(); 3].map(|()| power(rng, all - spread, all + spread))
    };
    let nested = rng.random_range(0..4);
    let mut level = 0;
    let crowds = [(); 3].map(|()| {
        level += 1;
        let count = [1, 1, 3, 30, 1000][rng.random_range(0..5)];
        let least = [-1.0, -2.0, -5.0][rng.random_range(0..3)];
        Crowds {
            share: if level <= nested {
                [0.5, 0.8, 0.95, 1.0][rng.random_range(0..4)]
            } else {
                0.0
            },
            count,
            part: [(); 3].map(|()| power(rng, least, 0.0)),
            apart: [0.0, 0.1, 1.0][rng.random_range(0..3)],
        }
    });
    // About one pair per box if they are distributed evenly, or much smaller boxes.
    let middle = (extent[0] * extent[1] * extent[2]).cbrt().log10() - 2.0;
    let low = middle + rng.random_range(-6.0..1.0);
    let long = Long {
        share: [0.0, 0.003, 0.05, 0.5, 1.0][rng.random_range(0..5)],
        axis: rng.random_range(0..4),
        axes: rng.random_range(1..=2),
        length: power(rng, -2.0, 0.3),
        spread: [0.0, 0.5, 1.0][rng.random_range(0..3)],
    };
    let low_path = rng.random_range(-5.0..0.0);
    Recipe {
        seed: rng.random_range(0..1 << 20),
        extent,
        crowds,
        half: [low, low + [0.0, 0.5, 2.0, 4.0][rng.random_range(0..4)]],
        stretch: [(); 3].map(|()| [0.0, 0.3, 1.5][rng.random_range(0..3)]),
        long,
        lattice: [0.0, 0.0, 0.001, 0.05][rng.random_range(0..4)],
        displaced: [0.0, 0.05, 0.5, 1.0][rng.random_range(0..4)],
        displacement: [low_path, low_path + rng.random_range(0.0..2.0)],
        moves: [1.0, 1.0, 0.5, 0.01][rng.random_range(0..4)],
    }
}

/// The recipe with one to three numbers changed.
pub(crate) fn vary(recipe: &Recipe, rng: &mut Xoshiro256PlusPlus) -> Recipe {
    let mut next = recipe.clone();
    for _ in 0..rng.random_range(1..=3) {
        let scale = [0.05, 0.3, 1.0][rng.random_range(0..3)] * rng.random_range(-1.0..=1.0_f32);
        let (factor, axis, level) =
            (10f32.powf(scale), rng.random_range(0..3), rng.random_range(0..3));
        let crowds = &mut next.crowds[level];
        let share = |share: f32| (share + scale).clamp(0.0, 1.0);
        match rng.random_range(0..20) {
            0 => next.extent[axis] = (next.extent[axis] * factor).clamp(1e-6, 1e12),
            1 => crowds.share = share(crowds.share),
            2 => crowds.count = ((crowds.count as f32 * factor) as u32).clamp(1, 10_000),
            3 => crowds.part[axis] = (crowds.part[axis] * factor).clamp(1e-10, 1.0),
            4 => crowds.part = crowds.part.map(|part| (part * factor).clamp(1e-10, 1.0)),
            5 => crowds.apart = if rng.random() { 0.0 } else { rng.random_range(0.0..1.0) },
            6 => next.half = next.half.map(|power| (power + scale * 2.0).clamp(-15.0, 10.0)),
            7 => next.half[1] = (next.half[1] + scale).clamp(next.half[0], 10.0),
            8 => next.half[0] = (next.half[0] + scale).clamp(-15.0, next.half[1]),
            9 => next.stretch[axis] = (next.stretch[axis] + scale).clamp(0.0, 4.0),
            10 => next.long.share = share(next.long.share),
            11 => next.long.share = (next.long.share * factor).clamp(0.0, 1.0),
            12 => next.long.length = (next.long.length * factor).clamp(1e-5, 3.0),
            13 => next.long.axis = rng.random_range(0..4),
            14 => next.long.axes = 3 - next.long.axes,
            15 => next.long.spread = share(next.long.spread),
            16 => next.lattice = if rng.random() { 0.0 } else { 10f32.powf(scale * 3.0 - 3.0) },
            17 => next.displaced = share(next.displaced),
            18 => {
                next.displacement =
                    next.displacement.map(|power| (power + scale * 2.0).clamp(-10.0, 1.0));
            }
            _ => next.moves = share(next.moves),
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use super::{draw, vary};
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use scenes::recipe::{Crowds, Long, Recipe};

    /// Goal: every scene of the search consists of valid boxes, and is the same when it is built again.
    #[test]
    fn every_recipe_makes_valid_boxes() {
        let rng = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let mut recipe = draw(rng);
        for round in 0..500 {
            recipe = if round % 50 == 0 { draw(rng) } else { vary(&recipe, rng) };
            let (world, again) = (recipe.build(60), recipe.build(60));
            assert_eq!(world.len(), 60);
            for axis in 0..3 {
                let (min, max, delta) = (&world.min[axis], &world.max[axis], &world.delta[axis]);
                assert!(min.iter().zip(max).all(|(min, max)| min <= max), "{recipe:?}");
                let all = min.iter().chain(max).chain(delta);
                assert!(all.clone().all(|x| x.is_finite() && x.abs() < 1e16), "{recipe:?}");
                let bits = |of: &[f32]| of.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(min), bits(&again.min[axis]));
                assert_eq!(bits(delta), bits(&again.delta[axis]));
            }
        }
    }

    /// The tokens of a literal and its value.
    macro_rules! printed {
        ($recipe:expr) => {
            (stringify!($recipe), $recipe)
        };
    }

    /// Goal: the code that is printed rebuilds the scene. Method: a recipe that the compiler has read is
    /// printed as it was written, except for spaces and the last comma of a list.
    #[test]
    fn a_recipe_is_printed_as_code() {
        let crowd = |share| Crowds { share, count: 3, part: [0.1, 1e-7, 0.33333334], apart: 0.0 };
        let (source, recipe) = printed!(Recipe {
            seed: 7,
            extent: [67000.0, 1e30, 11.0],
            crowds: [
                Crowds { share: 0.8, count: 3, part: [0.1, 1e-7, 0.33333334], apart: 0.0 },
                Crowds { share: 0.5, count: 3, part: [0.1, 1e-7, 0.33333334], apart: 0.0 },
                Crowds { share: 0.0, count: 3, part: [0.1, 1e-7, 0.33333334], apart: 0.0 },
            ],
            half: [-7.0, 1.5],
            stretch: [0.0, 0.25, 3.0],
            long: Long { share: 0.003, axis: 3, axes: 1, length: 0.5, spread: 0.1 },
            lattice: 0.0,
            displaced: 0.05,
            displacement: [-3.0, 0.0],
            moves: 1.0,
        });
        assert_eq!(recipe.crowds, [crowd(0.8), crowd(0.5), crowd(0.0)]);
        let tokens = |text: &str| {
            let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            text.replace(",]", "]").replace(",}", "}")
        };
        assert_eq!(tokens(&format!("{recipe:#?}")), tokens(source));
    }
}
