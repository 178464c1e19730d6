//! Leaves of a tree of triangles.
//!
//! The leaves of a tree of boxes are nodes like all others. Those of a tree of triangles are the corners of the triangles,
//! and their boxes are computed when a query visits them. So a query that finds a triangle has its corners in the cache,
//! and all other nodes are together in little memory: most of the time of a query in a large tree is that of the first
//! access to a page.

use super::{CornerColumns, NO_BOUNDS, NOTHING, Node, TriangleLeaf, TriangleRows, WIDTH};
use crate::lanes::{F32Lanes, IOTA, Isa, U32Lanes};

impl TriangleLeaf {
    /// Writes the triangles of these rows, which become their numbers. Empty lanes are last.
    pub(crate) fn fill(&mut self, rows: &[u32; WIDTH], triangles: &dyn TriangleRows) {
        self.numbers = *rows;
        let count = rows.iter().filter(|&&row| row != NOTHING).count();
        triangles.write_corners(&rows[..count], &mut self.corners);
    }

    /// A leaf without triangles.
    pub(super) const EMPTY: Self =
        Self { corners: [[[0.0; WIDTH]; 3]; 3], numbers: [NOTHING; WIDTH] };

    /// Writes a triangle to a lane.
    pub(super) fn set(&mut self, lane: usize, number: u32, corners: [[f32; 3]; 3]) {
        self.numbers[lane] = number;
        for (columns, corner) in self.corners.iter_mut().zip(corners) {
            for (column, x) in columns.iter_mut().zip(corner) {
                column[lane] = x;
            }
        }
    }

    /// Computes the boxes of the triangles, whose rows are their slots from `first` on.
    #[inline(always)]
    pub(super) fn boxes<I: Isa>(&self, isa: I, first: u32, node: &mut Node) {
        let mut lane = 0;
        while lane < WIDTH {
            let numbers = isa.load_u32(&self.numbers[lane..]);
            let empty = numbers.eq(isa.splat_u32(NOTHING));
            for axis in 0..3 {
                let mut low = isa.load(&self.corners[0][axis][lane..]);
                let mut high = low;
                for corner in 1..3 {
                    let x = isa.load(&self.corners[corner][axis][lane..]);
                    (low, high) = (x.min(low), x.max(high));
                }
                let ends = [(axis, low), (3 + axis, high)];
                for (column, end) in ends {
                    let none = isa.splat(NO_BOUNDS[column]);
                    I::F32::select(empty, none, end).store(&mut node.bounds[column][lane..]);
                }
            }
            let slots = isa.load_u32(&IOTA).wrapping_add(isa.splat_u32(first + lane as u32));
            slots.store(&mut node.ids[lane..]);
            lane += I::LANES;
        }
    }

    /// Returns the corners of a triangle.
    pub(super) fn triangle(&self, lane: usize) -> [[f32; 3]; 3] {
        // A copy of the columns would take longer than the nine loads. The remainder makes checks of the index needless.
        let lane = lane % WIDTH;
        let x = |corner: usize, axis: usize| self.corners[corner][axis][lane];
        let corner = |corner: usize| [x(corner, 0), x(corner, 1), x(corner, 2)];
        [corner(0), corner(1), corner(2)]
    }

    /// Writes the corners of a triangle to lane `to` of columns.
    #[inline]
    pub(super) fn write(&self, lane: usize, columns: &mut CornerColumns, to: usize) {
        for (columns, own) in columns.iter_mut().zip(&self.corners) {
            for (column, own) in columns.iter_mut().zip(own) {
                column[to] = own[lane];
            }
        }
    }

    /// Returns the number of a triangle.
    pub(super) fn number(&self, lane: usize) -> u32 {
        self.numbers[lane]
    }
}
