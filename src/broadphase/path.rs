//! Where is a fast box while it is in one strip?
//!
//! The box around a whole path is not the path: a bullet that crosses ten cells on either axis
//! would be copied to a hundred strips, and be a candidate there for all that its bounds meet.
//! A box whose displacement is *long* against the cells is copied only to the strips that it
//! passes, and in each it is as long as the part of its path that lies there ([`Passage`]).
//!
//! Which strip a pair counts in cannot be told from where such a box starts. It counts where the
//! two first touch ([`contact_cells`]): at the first time of [`sweep`](crate::sweep), which has
//! the same bits in every strip. Both boxes must have been copied to that strip, so what a long
//! box passes is widened by a [`margin`]. Let `w` be the length of a cell, `d` the displacement of
//! the long box and `e` that of the other on one axis, `c` its coordinates, `u = 2⁻²⁴`. At the
//! first time `t` the two are at most `8ut(|d| + |e|)` apart, as `t` is that much early at most
//! and a false hit misses by less; a position is off by `2u(c + |d|)`; a cell number,
//! below 2⁸, by `4u` of itself, `2⁻¹⁴` cells at most. The other box bounds the place
//! of contact if it is short, with `|e| ≤ w`, or if both are long and it has the lesser
//! displacement, `|e| ≤ |d|`. In all that is less than
//! `2⁻⁸w + 2⁻¹⁸|d| + 2⁻²⁰c`.

use super::grid::{Cut, Grid};
use crate::kernels::bounds::bounds;
use crate::lanes::{F32Lanes, Isa, Scalar};
use alloc::vec::Vec;

/// A displacement is long when it is so many cells at least, both axes together.
pub(super) const LONG_CELLS: f32 = 1.0;

/// A strip that a long path passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) strip: u32,
    /// The lower end of its bounds there, along the strip.
    pub(super) low: f32,
}

/// Where a box on a long path has a displacement of many cells; axes of space.
#[inline(always)]
pub(super) fn is_long<I: Isa>(isa: I, grid: &Grid, columns: &[I::F32; 9]) -> I::Mask {
    let (u, v) = (&grid.u, &grid.v);
    let u_cells = columns[6 + u.axis].abs() * isa.splat(u.scale);
    let v_cells = columns[6 + v.axis].abs() * isa.splat(v.scale);
    isa.splat(LONG_CELLS).le(u_cells + v_cells)
}

/// What lies between the borders of one strip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    u: Borders,
    v: Borders,
}

/// The borders of one cell. The outermost cells have none on their outer side.
#[derive(Clone, Copy, Debug)]
struct Borders {
    /// Which column of a path, in the order of [`Grid::axes`].
    column: usize,
    low: f32,
    high: f32,
    /// Length of a cell; 0 where the axis is not cut.
    length: f32,
}

impl Borders {
    fn new(grid: &Grid, cut: &Cut, cell: u32) -> Self {
        let length = if cut.cells > 1 { 1.0 / cut.scale } else { 0.0 };
        let low = if cell > 0 { cut.origin + cell as f32 * length } else { f32::NEG_INFINITY };
        let last = cell + 1 >= cut.cells;
        let high = if last { f32::INFINITY } else { cut.origin + (cell + 1) as f32 * length };
        Self { column: grid.column(cut), low, high, length }
    }

    /// From when until when a path is between the borders, or within the margin.
    #[inline(always)]
    fn times<I: Isa>(&self, isa: I, path: &[I::F32; 9]) -> [I::F32; 2] {
        let (min, max) = (path[self.column], path[3 + self.column]);
        let margin = margin(isa, path, self.column, self.length);
        let inverse = isa.splat(1.0) / path[6 + self.column];
        let enter = (isa.splat(self.low) - margin - max) * inverse;
        let leave = (isa.splat(self.high) + margin - min) * inverse;
        // Next to no displacement: nothing is cut off.
        let moves = inverse.abs().le(isa.splat(f32::MAX));
        let (first, last) = (enter.min(leave), enter.max(leave));
        [I::F32::select(moves, first, isa.splat(0.0)), I::F32::select(moves, last, isa.splat(1.0))]
    }
}

/// How far off a path may be taken to be on one axis, see the head of this file.
#[inline(always)]
fn margin<I: Isa>(isa: I, path: &[I::F32; 9], column: usize, length: f32) -> I::F32 {
    let (min, max, delta) = (path[column], path[3 + column], path[6 + column].abs());
    let of_place = (min.abs() + max.abs()) * isa.splat(1.0 / (1 << 20) as f32);
    delta * isa.splat(1.0 / (1 << 18) as f32) + of_place + isa.splat(length / 256.0)
}

impl Passage {
    pub(super) fn new(grid: &Grid, strip: usize) -> Self {
        let cells = grid.v.cells as usize;
        let [u, v] = [strip / cells, strip % cells].map(|cell| cell as u32);
        Self { u: Borders::new(grid, &grid.u, u), v: Borders::new(grid, &grid.v, v) }
    }

    /// The box around the part of a path that lies in the strip, and where there is one at all.
    #[inline(always)]
    pub(super) fn bounds<I: Isa>(&self, isa: I, path: &[I::F32; 9]) -> ([I::F32; 6], I::Mask) {
        let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
        let [u_first, u_last] = self.u.times(isa, path);
        let [v_first, v_last] = self.v.times(isa, path);
        let first = u_first.max(v_first).max(zero);
        let last = u_last.min(v_last).min(one);
        let mut bounds = [zero; 6];
        for axis in 0..3 {
            let (min, max, delta) = (path[axis], path[3 + axis], path[6 + axis]);
            let margin = margin(isa, path, axis, 0.0);
            let (p, q) = (delta * first.min(one), delta * last.max(zero));
            bounds[axis] = (min + p).min(min + q) - margin;
            bounds[3 + axis] = (max + p).max(max + q) + margin;
        }
        (bounds, first.le(last))
    }
}

/// Appends the strips that a long path passes; axes in the order of [`Grid::axes`].
pub(super) fn trace(grid: &Grid, path: &[f32; 9], stops: &mut Vec<Stop>) {
    let cells = |cut: &Cut, [low, high]: [f32; 2]| {
        let margin = margin(Scalar, path, grid.column(cut), 0.0);
        cut.cell(low - margin)..cut.cell(high + margin) + 1
    };
    let around = bounds(Scalar, path);
    let u = grid.column(&grid.u);
    for u_cell in cells(&grid.u, [around[u], around[3 + u]]) {
        let column = Passage {
            u: Borders::new(grid, &grid.u, u_cell),
            // All of the other axis.
            v: Borders {
                low: f32::NEG_INFINITY,
                high: f32::INFINITY,
                ..Borders::new(grid, &grid.v, 0)
            },
        };
        let (around, passes) = column.bounds(Scalar, path);
        let v = grid.column(&grid.v);
        let v_cells = if passes { cells(&grid.v, [around[v], around[3 + v]]) } else { 0..0 };
        for v_cell in v_cells {
            let strip = u_cell * grid.v.cells + v_cell;
            let (around, passes) = Passage::new(grid, strip as usize).bounds(Scalar, path);
            if passes {
                stops.push(Stop { strip, low: around[0] });
            }
        }
    }
}

/// The cells on both axes where two boxes first touch, at least one of them on a long path, and
/// where the bounds of their whole paths meet; the same when the two are swapped.
///
/// The parts of the paths are widened, so what they say of the whole bounds is not exact.
#[inline(always)]
pub(super) fn contact_cells<I: Isa>(
    isa: I,
    grid: &Grid,
    (a, a_long): (&[I::F32; 9], I::Mask),
    (b, b_long): (&[I::F32; 9], I::Mask),
    first: I::F32,
) -> ([I::U32; 2], I::Mask) {
    let (a_around, b_around) = (bounds(isa, a), bounds(isa, b));
    let mut cells = [isa.splat_u32(0); 2];
    for (cells, cut) in cells.iter_mut().zip([&grid.u, &grid.v]) {
        let k = grid.column(cut);
        let low = (a[k] + a[6 + k] * first).max(b[k] + b[6 + k] * first);
        // Past the end of this one the place of contact is not: the short one, or the slower.
        let a_end = I::F32::select(a_long, a[3 + k] + a[6 + k] * first, a_around[3 + k]);
        let b_end = I::F32::select(b_long, b[3 + k] + b[6 + k] * first, b_around[3 + k]);
        let (a_speed, b_speed) = (a[6 + k].abs(), b[6 + k].abs());
        let both = a_long & b_long;
        let of_a = (b_long & !a_long) | (both & a_speed.lt(b_speed));
        let of_b = (a_long & !b_long) | (both & b_speed.lt(a_speed));
        let end = I::F32::select(of_b, b_end, a_end.min(b_end));
        let end = I::F32::select(of_a, a_end, end);
        *cells = cut.cells_of(isa, low.min(end));
    }
    let mut meet = a_around[0].le(b_around[3]) & b_around[0].le(a_around[3]);
    for axis in 1..3 {
        meet = meet & a_around[axis].le(b_around[3 + axis]) & b_around[axis].le(a_around[3 + axis]);
    }
    (cells, meet)
}
