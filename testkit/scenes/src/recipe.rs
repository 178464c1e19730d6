//! Scenes that a few numbers describe: crowds in crowds, sizes of many scales, long boxes, long paths.
//!
//! `worst_case` searches these numbers for a scene on which swath is slow, and prints the result as Rust
//! code; the worst ones are stored as scenes (`adversaries.rs`). The same numbers give the same boxes on
//! every platform, so powers of ten are computed here.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::{Motion, World};

/// Limit of all coordinates, for any numbers.
const COORD_LIMIT: f32 = 1e15;

/// The numbers that describe a scene; see [`Recipe::build`].
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Greatest distances of centres from the origin, on each axis.
    pub extent: [f32; 3],
    /// Crowds in the scene, crowds in these, and so on.
    pub crowds: [Crowds; 3],
    /// Range of the half sizes, as powers of ten.
    pub half: [f32; 2],
    /// The half size on each axis differs from that of the box by a factor of up to ten to this power, up or
    /// down.
    pub stretch: [f32; 3],
    /// Boxes that are long on one or two axes.
    pub long: Long,
    /// Centres are rounded to multiples of this part of the extent; zero means no rounding.
    pub lattice: f32,
    /// The share of boxes with a displacement, and its range as powers of ten, relative to the extent.
    pub displaced: f32,
    pub displacement: [f32; 2],
    /// The share of boxes that are flagged as moving.
    pub moves: f32,
}

/// Equal crowds inside their surroundings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crowds {
    /// The share of the surrounding boxes that are in one of the crowds.
    pub share: f32,
    /// Number of crowds.
    pub count: u32,
    /// Extent of a crowd relative to its surroundings, on each axis.
    pub part: [f32; 3],
    /// Distance of the crowds relative to their surroundings; zero puts all in one place.
    pub apart: f32,
}

/// The long boxes of a [`Recipe`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Long {
    /// Their share of all boxes.
    pub share: f32,
    /// The axis on which they are long; 3 means any of the three.
    pub axis: u32,
    /// Number of axes on which they are long: 1 or 2.
    pub axes: u32,
    /// Half their length, relative to the extent.
    pub length: f32,
    /// Part of that length that is random for each box.
    pub spread: f32,
}

/// Ten to the power `x`, with the same bits on every platform.
fn ten_to(x: f32) -> f32 {
    let x = f64::from(x.clamp(-30.0, 30.0));
    let whole = x as i32;
    let rest = (x - f64::from(whole)) * std::f64::consts::LN_10;
    let (mut sum, mut term) = (1.0, 1.0);
    for k in 1..30 {
        term *= rest / f64::from(k);
        sum += term;
    }
    for _ in 0..whole.abs() {
        sum *= if whole > 0 { 10.0 } else { 0.1 };
    }
    sum as f32
}

impl Recipe {
    /// Makes a scene with `boxes` boxes. It is repeated: stepping does not change it.
    #[must_use]
    pub fn build(&self, boxes: usize) -> World {
        let rng = &mut Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let unit = |rng: &mut Xoshiro256PlusPlus| rng.random_range(-1.0..=1.0_f32);
        let places: [Vec<[f32; 3]>; 3] = self.crowds.map(|crowds| {
            let count = crowds.count.clamp(1, 1 << 16);
            (0..count).map(|_| [(); 3].map(|()| unit(rng) * crowds.apart)).collect()
        });
        let [mut centre, mut half, mut delta]: [[Vec<f32>; 3]; 3] = Default::default();
        let mut moves = Vec::with_capacity(boxes);
        for _ in 0..boxes {
            let (mut at, mut extent) = ([0.0_f32; 3], self.extent);
            for (crowds, places) in self.crowds.iter().zip(&places) {
                if rng.random_range(0.0..1.0_f32) >= crowds.share {
                    break;
                }
                let place = places[rng.random_range(0..places.len())];
                for axis in 0..3 {
                    at[axis] += extent[axis] * place[axis];
                    extent[axis] *= crowds.part[axis];
                }
            }
            let size = rng.random_range(0.0..=1.0) * (self.half[1] - self.half[0]) + self.half[0];
            let mut side = self.stretch.map(|stretch| ten_to(size + stretch * unit(rng)));
            if rng.random_range(0.0..1.0_f32) < self.long.share {
                let any = rng.random_range(0..3);
                let first = if self.long.axis < 3 { self.long.axis as usize } else { any };
                let spread = self.long.spread.clamp(0.0, 1.0);
                for k in 0..self.long.axes.clamp(1, 2) as usize {
                    let axis = (first + k) % 3;
                    let part = 1.0 - spread * rng.random_range(0.0..1.0_f32);
                    side[axis] = self.extent[axis] * self.long.length * part;
                }
            }
            let flies = rng.random_range(0.0..1.0_f32) < self.displaced;
            let power = rng.random_range(0.0..=1.0_f32)
                * (self.displacement[1] - self.displacement[0])
                + self.displacement[0];
            moves.push(rng.random_range(0.0..1.0_f32) < self.moves);
            for axis in 0..3 {
                let mut x = at[axis] + extent[axis] * unit(rng);
                let step = self.extent[axis] * self.lattice;
                if step > 0.0 {
                    x = (x / step).round() * step;
                }
                let path = unit(rng) * self.extent[axis] * ten_to(power);
                let path = if flies && moves[moves.len() - 1] { path } else { 0.0 };
                centre[axis].push(x.clamp(-COORD_LIMIT, COORD_LIMIT));
                half[axis].push(side[axis].clamp(0.0, COORD_LIMIT));
                delta[axis].push(path.clamp(-COORD_LIMIT, COORD_LIMIT));
            }
        }
        World::around(centre, half, delta, moves, Motion::Repeat)
    }
}

#[cfg(test)]
mod tests {
    use super::ten_to;

    /// Goal: powers of ten are near those of the platform.
    #[test]
    fn powers_of_ten() {
        for k in -300..=300 {
            let x = k as f32 * 0.1;
            let (ours, theirs) = (f64::from(ten_to(x)), 10f64.powf(f64::from(x)));
            assert!((ours / theirs - 1.0).abs() < 1e-6, "{x}: {ours}, {theirs}");
        }
    }
}
