//! A pile of crates on the ground.
//!
//! The crates are in columns of twelve over a square. Each is so close to its neighbours that it may or may
//! not touch them, and trembles by less than that distance. One box under all of them is the ground. The
//! crates are in random order, so adjacent rows are not neighbours.

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;

use super::scene::between;
use super::{Motion, World};

/// Number of crates on top of each other.
const LAYERS: usize = 12;
/// Half the side of a crate, and half the height of the ground.
const HALF: f32 = 0.5;
/// Greatest offset of a crate at rest from the centre of its cell: neighbours are up to 1e-3 apart or overlap
/// by it.
const SHIFTS: [f32; 2] = [-5e-4, 5e-4];
/// Greatest offset of a crate at the start of a tick from its position at rest.
const JITTERS: [f32; 2] = [-1e-4, 1e-4];
/// Size of the ground beyond the crates.
const MARGIN: f32 = 1.0;

/// Makes a pile of `boxes` boxes. The first is the ground, which does not move.
pub(super) fn build(boxes: usize, mut rng: Xoshiro256PlusPlus) -> World {
    let crates = boxes.saturating_sub(1);
    let columns = crates.div_ceil(LAYERS);
    let across = (0..columns).find(|across| across * across >= columns).unwrap_or(columns);
    let middle = across as f32 * HALF;
    let mut cells: Vec<usize> = (0..crates).collect();
    cells.shuffle(&mut rng);

    let (mut home, mut half): ([Vec<f32>; 3], [Vec<f32>; 3]) = Default::default();
    if boxes > 0 {
        let at = [0.0, -HALF, 0.0];
        let reach = [middle + MARGIN, HALF, middle + MARGIN];
        for axis in 0..3 {
            home[axis].push(at[axis]);
            half[axis].push(reach[axis]);
        }
    }
    for cell in cells {
        let (column, layer) = (cell / LAYERS, cell % LAYERS);
        let corner =
            [(column % across) as f32 - middle, layer as f32, (column / across) as f32 - middle];
        for axis in 0..3 {
            home[axis].push(corner[axis] + HALF + between(&mut rng, SHIFTS));
            half[axis].push(HALF);
        }
    }
    let moves: Vec<bool> = (0..boxes).map(|row| row > 0).collect();
    let mut centre = home.clone();
    let mut delta = [(); 3].map(|()| vec![0.0; boxes]);
    // The first motion leads to the positions of the first tick.
    for _ in 0..2 {
        for axis in 0..3 {
            tremble(&mut centre[axis], &mut delta[axis], &home[axis], &moves, &mut rng);
        }
    }
    World::around(centre, half, delta, moves, Motion::Tremble { home, rng })
}

/// Moves the centres of one axis by `delta`, and draws the motion to the next position near `home`.
pub(super) fn tremble(
    centre: &mut [f32],
    delta: &mut [f32],
    home: &[f32],
    moves: &[bool],
    rng: &mut Xoshiro256PlusPlus,
) {
    for row in (0..moves.len()).filter(|&row| moves[row]) {
        centre[row] += delta[row];
        delta[row] = home[row] + between(rng, JITTERS) - centre[row];
    }
}
