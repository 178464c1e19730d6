//! Scenes of moving boxes for benchmarks, tests and examples.
//!
//! A [`World`] is one tick of moving boxes as columns, `[axis][row]`: their positions at the start of the
//! tick, their displacements, and which of them move. It is made from a [`Scene`] and a seed (`scene.rs`), or
//! from a recording (`trace.rs`).
//!
//! The same scene, number of boxes and seed give the same bits on every platform, at the start and after any
//! number of steps. Therefore only `+ - * / sqrt` and a fixed random generator are used.

mod adversaries;
mod columns;
pub mod convex;
pub mod fault;
mod found;
pub mod mesh;
mod pile;
pub mod recipe;
mod room;
pub mod scene;
pub mod trace;

use rand::rngs::Xoshiro256PlusPlus;

pub use columns::read_file;
pub use scene::Scene;
use swath::MovingBoxColumns;

/// Limit of reflections of a box on one axis in one step; after that it is left at the wall.
const BOUNCES_MAX: usize = 4;

/// One tick of moving boxes.
///
/// `min[axis][row] <= max[axis][row]` always, and `delta` is a displacement over the tick. [`World::step`]
/// overwrites the boxes, so it undoes changes by a caller.
#[derive(Clone, Debug)]
pub struct World {
    /// Lower corners at the start of the tick.
    pub min: [Vec<f32>; 3],
    /// Upper corners at the start of the tick.
    pub max: [Vec<f32>; 3],
    /// Displacements over the tick.
    pub delta: [Vec<f32>; 3],
    /// Whether a box moves; if not, its `delta` is zero.
    pub moves: Vec<bool>,
    /// The centres of the boxes and half their sides; empty if the tick is repeated.
    centre: [Vec<f32>; 3],
    half: [Vec<f32>; 3],
    motion: Motion,
}

/// How boxes move from tick to tick.
#[derive(Clone, Debug)]
enum Motion {
    /// The tick is repeated.
    Repeat,
    /// Centres move straight and are reflected at `-reach` and `reach` of each axis.
    ///
    /// An even distribution of centres and directions remains even under reflection, so the number of pairs
    /// is steady over any number of ticks.
    Bounce { reach: [f32; 3] },
    /// Centres move to a random position close to `home` in each tick.
    Tremble { home: [Vec<f32>; 3], rng: Xoshiro256PlusPlus },
}

impl World {
    /// Makes a scene with `boxes` boxes from a seed.
    #[must_use]
    pub fn new(scene: Scene, boxes: usize, seed: u64) -> Self {
        scene::build(scene, boxes, seed)
    }

    /// Makes boxes around these centres.
    fn around(
        centre: [Vec<f32>; 3],
        half: [Vec<f32>; 3],
        delta: [Vec<f32>; 3],
        moves: Vec<bool>,
        motion: Motion,
    ) -> Self {
        let (min, max) = Default::default();
        let mut world = Self { min, max, delta, moves, centre, half, motion };
        world.place();
        world
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether there are no boxes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// The boxes, borrowed as the columns that the library reads.
    ///
    /// # Panics
    ///
    /// If a caller has made the columns unequally long.
    #[must_use]
    pub fn columns(&self) -> MovingBoxColumns<'_> {
        MovingBoxColumns::from_vecs(&self.min, &self.max, &self.delta)
            .expect("the columns of a scene are equally long")
    }

    /// Some ticks of a scene, and back to the one after the first, so that the list can be repeated.
    #[must_use]
    pub fn there_and_back(scene: Scene, boxes: usize, seed: u64, ticks: usize) -> Vec<Self> {
        let mut world = Self::new(scene, boxes, seed);
        let mut all = Vec::new();
        for _ in 0..ticks {
            all.push(world.clone());
            world.step();
        }
        let between = ticks.saturating_sub(2);
        let back: Vec<Self> = all.iter().rev().skip(1).take(between).cloned().collect();
        all.extend(back);
        all
    }

    /// Advances to the next tick: each moving box is moved by its `delta`, then reflected if it left the
    /// scene, or given its next small motion. A recorded tick does not change.
    pub fn step(&mut self) {
        let Self { centre, delta, moves, .. } = self;
        match &mut self.motion {
            Motion::Repeat => return,
            Motion::Bounce { reach } => {
                for axis in 0..3 {
                    bounce(&mut centre[axis], &mut delta[axis], moves, reach[axis]);
                }
            }
            Motion::Tremble { home, rng } => {
                for axis in 0..3 {
                    pile::tremble(&mut centre[axis], &mut delta[axis], &home[axis], moves, rng);
                }
            }
        }
        self.place();
    }

    /// Writes the corners. `half` is not negative and rounding is monotonic, so `min <= max` also if `half`
    /// is less than the rounding error.
    fn place(&mut self) {
        for axis in 0..3 {
            let boxes = || self.centre[axis].iter().zip(&self.half[axis]);
            self.min[axis].clear();
            self.max[axis].clear();
            self.min[axis].extend(boxes().map(|(centre, half)| centre - half));
            self.max[axis].extend(boxes().map(|(centre, half)| centre + half));
        }
    }
}

/// Moves the centres of one axis by `delta` and reflects those beyond `-reach` or `reach`.
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

#[cfg(test)]
mod tests {
    /// Goal: a scene has the same bits on every platform. Method: the bits of a few boxes after a few steps,
    /// hashed to one number (FNV-1a), compared with a stored one.
    #[test]
    fn every_scene_keeps_its_bits() {
        let folded = super::Scene::ALL.map(|scene| {
            let mut world = super::World::new(scene, 200, 1);
            (0..10).for_each(|_| world.step());
            let columns = world.min.iter().chain(&world.max).chain(&world.delta).flatten();
            columns.fold(0xCBF2_9CE4_8422_2325_u64, |sum, value| {
                (sum ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01B3)
            })
        });
        assert_eq!(
            folded,
            [
                0x747D_09C9_586D_4E26,
                0xF295_E05E_2DBC_EF8C,
                0xD399_6561_DB9B_C4D0,
                0x50AC_8CB2_AC58_AED4,
                0x3288_BC5F_5A10_3715,
                0x0572_0E5B_45B3_26B4,
                0x8FA3_53F1_B5CE_ADAB,
                0x01A2_2990_980E_8A5F,
                0xA819_406B_7940_7694,
                0xB9DF_3611_E29C_D999,
                0xD7B1_8325_12A5_DB7C,
                0xC7A1_9900_535F_C575,
                0x289E_0470_F2A5_01FB,
                0xFEDA_7621_1EFD_E934,
                0x3357_A41A_340C_C343,
            ]
        );
    }

    #[test]
    fn every_world_is_valid_at_any_tick() {
        for scene in super::Scene::ALL {
            assert_eq!(scene.name().parse(), Ok(scene));
            for boxes in [0, 1, 2, 13, 500] {
                let mut world = super::World::new(scene, boxes, 2);
                assert_eq!(world.len(), boxes);
                for _ in 0..20 {
                    for axis in 0..3 {
                        let corners = world.min[axis].iter().zip(&world.max[axis]);
                        assert_eq!(corners.filter(|(min, max)| min <= max).count(), boxes);
                        let motions = world.delta[axis].iter().zip(&world.moves);
                        assert!(motions.clone().all(|(&delta, &moves)| moves || delta == 0.0));
                    }
                    world.step();
                }
            }
        }
        let refused = "heap".parse::<super::Scene>().expect_err("no such scene").to_string();
        assert!(refused.contains("uniform, dense, bullets, mixed, pile, sheet, static, clusters"));
    }

    /// Goal: the scenes have the documented number of pairs, also after many ticks.
    #[test]
    fn pairs_per_box_stay_steady() {
        for (scene, low, high) in [
            (super::Scene::Uniform, 0.85, 1.15),
            (super::Scene::Dense, 5.0, 6.5),
            (super::Scene::Mixed, 0.5, 4.0),
            (super::Scene::Pile, 3.2, 4.2),
            (super::Scene::Sheet, 0.85, 1.15),
        ] {
            let mut world = super::World::new(scene, 1000, 3);
            for ticks in [0, 1, 200] {
                (0..ticks).for_each(|_| world.step());
                let ratio = union_pairs(&world) as f64 / 1000.0;
                assert!((low..=high).contains(&ratio), "{scene}: {ratio} after {ticks} ticks");
            }
        }
    }

    fn union_pairs(world: &super::World) -> usize {
        let side = |axis: usize, row: usize| {
            let delta = world.delta[axis][row];
            [world.min[axis][row] + delta.min(0.0), world.max[axis][row] + delta.max(0.0)]
        };
        let meet = |a: usize, b: usize| {
            (0..3).all(|axis| {
                let ([a_low, a_high], [b_low, b_high]) = (side(axis, a), side(axis, b));
                a_low <= b_high && b_low <= a_high
            })
        };
        (0..world.len()).map(|a| (0..a).filter(|&b| meet(a, b)).count()).sum()
    }
}
