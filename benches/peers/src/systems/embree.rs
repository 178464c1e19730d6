//! Pairs by Embree.
//!
//! `rtcCollide` of a scene of the moving boxes with itself, and of this scene with one of the other boxes. Boxes are user
//! geometry. The scene of the moving boxes is built anew in each tick, as a dynamic scene with low quality, which is
//! faster than the default by a sixth. Embree finds leaves that overlap, on threads of its own, and calls a function of C
//! that tests the boxes and appends the pairs.
//!
//! Outside of the clock, corners are copied to one array, and the rows of the scenes are replaced by those of the tick.

use engines::embree::Boxes;

use super::{RowPair, System, Tick};

/// Whether Embree is installed.
pub(super) fn is_linked() -> bool {
    Boxes::new(Vec::new(), 1).is_some()
}

pub(super) struct Embree {
    moving: Boxes,
    still: Boxes,
    rows: [Vec<u32>; 2],
    /// Buffers, and how many pairs of each are of this tick.
    found: [(Vec<RowPair>, usize); 2],
}

impl Embree {
    /// It uses as many threads as the current pool has.
    pub(super) fn new() -> Self {
        let moving = Boxes::new(Vec::new(), rayon::current_num_threads()).expect("it is linked");
        let still = moving.beside();
        Self { moving, still, rows: Default::default(), found: Default::default() }
    }
}

fn corners((_, aabb): (u32, swath::Aabb)) -> [f32; 6] {
    std::array::from_fn(|k| if k < 3 { aabb.min[k] } else { aabb.max[k - 3] })
}

impl System for Embree {
    fn take(&mut self, tick: &Tick<'_>) {
        self.moving.replace(tick.rows(true).map(corners));
        if !self.still.is_built() {
            self.still.replace(tick.rows(false).map(corners));
            self.rows = [true, false].map(|moves| tick.rows(moves).map(|(row, _)| row).collect());
        }
    }

    fn find(&mut self, _: &Tick<'_>) -> usize {
        let Self { moving, still, found: [both_move, one_moves], .. } = self;
        moving.build();
        if !still.is_built() {
            still.build();
        }
        both_move.1 = moving.pairs(moving, &mut both_move.0);
        one_moves.1 = moving.pairs(still, &mut one_moves.0);
        both_move.1 + one_moves.1
    }

    fn show(&mut self, _: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
        for ((pairs, count), others) in self.found.iter().zip(&self.rows) {
            pairs[..*count].iter().for_each(|&[a, b]| {
                visit([self.rows[0][a as usize], others[b as usize]]);
            });
        }
    }
}
