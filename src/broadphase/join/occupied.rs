//! Drops boxes of a large set that overlap none of a small one: the filter of a semi-join.
//!
//! The bounds of the small set are divided into cells on each axis. Cells that one of its boxes overlaps are marked. For each cell, the
//! first marked cell that is not before it is stored. If a box of the large set overlaps one of the small set, then on each axis the
//! first marked cell that is not before its start is not past its end. Two axes at most are tested, those with the fewest marked cells,
//! with one look-up each. The cell is a monotonic function of the coordinate, so no box that overlaps one is dropped.

use crate::columns::impl_memory;
use crate::lanes::{F32Lanes, Isa, LANES_MAX, U32Lanes};
use alloc::vec::Vec;

/// Greatest number of cells of an axis.
const CELLS_MAX: usize = 1 << 14;
/// Greatest number of cells for each box of the small set.
const CELLS_EACH: usize = 16;
/// Between these limits, an axis has one cell for this many boxes of the large set.
const OTHERS_PER_CELL: usize = 4;
/// Least number of cells for each box of the small set.
const CELLS_EACH_MIN: usize = 4;
/// How many times as many boxes the large set has at least.
pub(super) const LARGER_BY: usize = 4;
/// An axis is tested if at most this share of its cells is marked.
const MARKED_SHARE: f64 = 0.5;

/// The cells that the boxes of a set overlap on two axes.
#[derive(Debug, Default)]
pub(super) struct OccupiedCells {
    cells: usize,
    origin: [f32; 3],
    scale: [f32; 3],
    /// The axes that are tested.
    tested: [Option<usize>; 2],
    /// Of each axis and cell: the number of boxes that end in the cell before, minus the number of those that start in this one; zeros
    /// before and after use.
    changes: Vec<i32>,
    /// Of each axis and cell: the nearest marked cell from this one on.
    nearest: Vec<f32>,
}

/// Returns the number of cells in a length of one, if an extent has this many. An axis without extent is one cell, so the result is 0; the
/// extent is -0 if its bounds are from 0 to -0.
pub(super) fn cells_per_length(cells: usize, extent: f32) -> f32 {
    let scale = cells as f32 / extent;
    if scale > 0.0 && scale < f32::MAX { scale } else { 0.0 }
}

impl_memory!(OccupiedCells { changes, nearest; without cells, origin, scale, tested });

impl OccupiedCells {
    /// Allocates the memory for any set.
    pub(super) fn reserve(&mut self) {
        self.changes.resize(3 * (CELLS_MAX + 1), 0);
        self.nearest.resize(3 * CELLS_MAX, 0.0);
    }

    /// Begins to mark the cells of a set with these bounds; `boxes` are the numbers of boxes of this set and of the other one.
    pub(super) fn begin(&mut self, boxes: [usize; 2], around: &[f32; 6]) {
        let [few, many] = boxes;
        let cells = (CELLS_EACH * few).min((CELLS_EACH_MIN * few).max(many / OTHERS_PER_CELL));
        self.cells = cells.next_power_of_two().clamp(2 * LANES_MAX, CELLS_MAX);
        for axis in 0..3 {
            self.origin[axis] = around[axis];
            self.scale[axis] = cells_per_length(self.cells, around[3 + axis] - around[axis]);
        }
    }

    /// Marks the cells of a box.
    #[inline(always)]
    pub(super) fn mark(&mut self, bounds: &[f32; 6]) {
        let last = (self.cells - 1) as f32;
        for axis in 0..3 {
            let cell = |at: f32| {
                let cell = (at - self.origin[axis]) * self.scale[axis];
                (if cell < last { cell } else { last }) as usize
            };
            let (low, high) = (cell(bounds[axis]), cell(bounds[3 + axis]));
            let changes = &mut self.changes[axis * (CELLS_MAX + 1)..][..CELLS_MAX + 1];
            changes[low] -= 1;
            changes[high + 1] += 1;
        }
    }

    /// Finds the nearest marked cells and chooses the axes that are tested. Returns whether there are any.
    pub(super) fn end(&mut self) -> bool {
        let none = (MARKED_SHARE * self.cells as f64) as usize + 1;
        let mut fewest = [(none, None); 2];
        for axis in 0..3 {
            let changes = &mut self.changes[axis * (CELLS_MAX + 1)..][..self.cells + 1];
            let nearest = &mut self.nearest[axis * CELLS_MAX..][..self.cells];
            let (mut boxes, mut marked, mut next) = (0, 0, i32::MAX);
            // Whether a cell is marked cannot be predicted, so there is no branch.
            for (cell, change) in (0..self.cells as i32).zip(&mut changes[1..]).rev() {
                boxes += *change;
                // All bits if there is a box.
                let is_marked = -boxes >> 31;
                next = cell & is_marked | next & !is_marked;
                marked -= is_marked;
                *change = next;
            }
            for (nearest, change) in nearest.iter_mut().zip(&mut changes[1..]) {
                // A number beyond all cells if there is no such cell.
                *nearest = core::mem::take(change) as f32;
            }
            changes[0] = 0;
            let marked = marked as usize;
            let mut this = (marked, Some(axis));
            for least in &mut fewest {
                if this.0 < least.0 {
                    core::mem::swap(&mut this, least);
                }
            }
        }
        self.tested = fewest.map(|(_, axis)| axis);
        self.tested[0].is_some()
    }

    /// Returns the boxes that may overlap one of the set.
    #[inline(always)]
    pub(super) fn near<I: Isa>(&self, isa: I, ends: &[I::F32; 6], mut keep: I::Mask) -> I::Mask {
        let last = isa.splat((self.cells - 1) as f32);
        for axis in self.tested.into_iter().flatten() {
            let (origin, scale) = (isa.splat(self.origin[axis]), isa.splat(self.scale[axis]));
            let low = ((ends[axis] - origin) * scale).max(isa.splat(0.0)).min(last);
            let high = ((ends[3 + axis] - origin) * scale).min(last);
            let (mut cells, mut nearest) = ([0; LANES_MAX], [0.0; LANES_MAX]);
            low.trunc().store(&mut cells);
            let table = &self.nearest[axis * CELLS_MAX..][..CELLS_MAX];
            for (nearest, &cell) in nearest[..I::LANES].iter_mut().zip(&cells) {
                *nearest = table[cell as usize % CELLS_MAX];
            }
            keep = keep & isa.load(&nearest).le(high);
        }
        keep
    }
}
