//! Leaves of a tree of triangles.
//!
//! The leaves of a tree of boxes are nodes like all others. Those of a tree of triangles are the corners of the triangles,
//! and their boxes are computed when a query visits them. So a query that finds a triangle has its corners in the cache,
//! and all other nodes are together in little memory: most of the time of a query in a large tree is that of the first
//! access to a page.

use super::{CornerColumns, NO_BOUNDS, NOTHING, Node, TriangleLeaf, TriangleRows, WIDTH};
use crate::geom::MapEach;
use crate::lanes::{F32Lanes, IOTA, Isa, U32Lanes};

/// Writes a triangle to a lane of columns.
#[inline(always)]
pub(crate) fn write_triangle(columns: &mut CornerColumns, lane: usize, corners: [[f32; 3]; 3]) {
    for (columns, corner) in columns.iter_mut().zip(corners) {
        for (column, x) in columns.iter_mut().zip(corner) {
            column[lane] = x;
        }
    }
}

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
        write_triangle(&mut self.corners, lane, corners);
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

    /// Returns how far the triangles extend along a direction.
    pub(super) fn farthest(&self, direction: [f64; 3]) -> f64 {
        let mut most = [f64::NEG_INFINITY; WIDTH];
        for [xs, ys, zs] in &self.corners {
            for (lane, most) in most.iter_mut().enumerate() {
                let [x, y, z] = [xs[lane], ys[lane], zs[lane]].map_each(f64::from);
                let along = direction[0] * x + direction[1] * y + direction[2] * z;
                *most = if along > *most { along } else { *most };
            }
        }
        let lanes = most.into_iter().zip(&self.numbers).filter(|&(_, &number)| number != NOTHING);
        lanes.fold(f64::NEG_INFINITY, |most, (x, _)| if x > most { x } else { most })
    }

    /// Returns a normal of the first triangle, in any length; zero if it has no area.
    pub(super) fn normal(&self) -> [f64; 3] {
        let [a, b, c] = self.triangle(0).map_each(|corner| corner.map_each(f64::from));
        let [p, q] = [b, c].map_each(|of| [of[0] - a[0], of[1] - a[1], of[2] - a[2]]);
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
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
