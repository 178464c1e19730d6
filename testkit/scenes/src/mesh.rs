//! A hilly terrain as a mesh, and convex shapes that are thrown at it.

use super::convex::{Form, Hulls, Moves, form, rotation, unit};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use swath::{Motion, Pose};

/// The length of a cell. Shapes have about half of it.
pub const CELL: f32 = 2.0;

/// A square terrain of triangles.
pub struct Terrain {
    pub vertices: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// The number of cells along each side.
    pub cells: u32,
}

/// The height of the hills.
fn height(x: f32, z: f32) -> f32 {
    let wave = |scale: f32, shift: f32| (x * scale + shift).sin() * (z * scale - shift).cos();
    12.0 * wave(0.02, 0.3) + 3.0 * wave(0.11, 1.0) + 0.5 * wave(0.7, 2.0)
}

impl Terrain {
    pub fn new(cells: u32) -> Self {
        let row = cells + 1;
        let vertices = (0..row * row)
            .map(|k| {
                let [x, z] = [k % row, k / row].map(|at| CELL * at as f32);
                [x, height(x, z), z]
            })
            .collect();
        let cell = |k: u32| {
            let v = k % cells + k / cells * row;
            [[v, v + row + 1, v + 1], [v, v + row, v + row + 1]]
        };
        Self { vertices, triangles: (0..cells * cells).flat_map(cell).collect(), cells }
    }

    /// Convex shapes of about half a cell that start above the terrain, and most of which meet it.
    pub fn thrown(
        &self,
        hulls: &Hulls,
        moves: Moves,
        count: usize,
        seed: u64,
    ) -> Vec<(Form, Motion)> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let side = CELL * self.cells as f32;
        let one = |_| {
            let [x, z] = [0; 2].map(|_| rng.random_range(0.02..0.98) * side);
            let above = rng.random_range(1.5..4.0_f32);
            let form = form(&mut rng, hulls);
            let pose = Pose::new([x, height(x, z) + above, z], rotation(&mut rng)).expect("valid");
            let mut across = || rng.random_range(-4.0..4.0_f32);
            let delta = [across(), -1.5 * above + 0.25 * across(), across()];
            let mut motion = Motion::new(pose, delta).expect("valid");
            match moves {
                Moves::Linear => {}
                Moves::Accelerated => motion.accel = [0.0, -2.0, 0.0],
                Moves::Spinning => {
                    let rate = rng.random_range(0.0..4.0_f32);
                    motion.spin = unit(&mut rng).map(|along| along * rate);
                }
            }
            (form, motion)
        };
        (0..count).map(one).collect()
    }
}
