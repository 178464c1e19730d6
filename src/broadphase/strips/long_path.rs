//! Computes which strips a fast box crosses, and its bounds in each of them.
//!
//! The swept AABB is much larger than the path: a bullet that crosses ten cells on either axis would
//! be copied to a hundred strips, and be a candidate there for everything that its bounds overlap. A
//! box whose displacement is *long* compared with the cells is copied only to the strips that it
//! crosses, and in each it is as long as the part of its path that lies there ([`Passage`]).
//! The start of such a box does not determine the strip in which a pair is counted. The pair is
//! counted where the two first touch ([`contact_cells`]): at the first time of
//! [`sweep`](crate::batch::sweep), which has the same bits in every strip. Both boxes must have been
//! copied to that strip, so the path of a long box is widened by a [`margin`]. On one axis, let `w` be the length
//! of a cell, or of the strips on the axis along them, `d` the displacement of the long box and `e` that of the other, `c` its
//! coordinates, `u = 2⁻²⁴`. At the first time `t` the two are at most `8ut(|d| + |e|)` apart, because
//! `t` is at most that much too early and a false hit misses by less; a position is off by `2u(c +
//! |d|)`; a cell number, below 2⁸, by `4u` of itself, at most `2⁻¹⁴` cells. The other box determines
//! the point of contact if it is short, with `|e| ≤ w` across and `|e| ≤ 16w` along the strips, or if
//! both are long and it has the smaller displacement, `|e| ≤ |d|`. The sum is less than `2⁻¹²w +
//! 2⁻¹⁸|d| + 2⁻²⁰c + 2⁻¹⁴⁶`, where the last term is for denormal products. Each axis has its own `w`: a
//! crowd may be flat, and then cells of one axis are far longer than the whole crowd on another. On the axis that slices do not
//! divide, `w` is the length of the strips. On an axis without extent it is 0, so all that moves there has a long path.

use super::extent::AxisCells;
use super::grid::{Grid, LONG_CELLS};
use crate::geom::MapEach;
use crate::kernels::bounds::bounds;
use crate::lanes::{F32Lanes, Isa, Scalar};
use alloc::vec::Vec;

/// A displacement along the strips, or on an axis that is not divided, is long from this many lengths of the strips on.
const ALONG: f32 = 16.0;
/// Part of the length of a cell, or of the strips, by which a path is widened, see the head of this file.
const WIDENED: f32 = 1.0 / 4096.0;
/// More than denormal numbers are rounded by: 2⁻¹⁴⁶.
const ROUNDED: f32 = f32::from_bits(8);

/// A strip that a long path crosses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub(crate) strip: u32,
    /// Lower end of the bounds of the path in the strip, along the strip.
    pub(crate) low: f32,
}

/// Mask of the boxes whose displacement is long. The axes are those of space.
#[inline(always)]
pub(crate) fn is_long<I: Isa>(isa: I, grid: &Grid, columns: &[I::F32; 9]) -> I::Mask {
    let (u, v) = (&grid.u, &grid.v);
    let u_cells = columns[6 + u.axis].abs() * isa.splat(long_scale(u.scale));
    let v_cells = columns[6 + v.axis].abs() * isa.splat(long_scale(v.scale));
    // The axis along the strips, or the one that slices do not divide.
    let rest = 3 - u.axis - v.axis;
    let along = 1.0 / (strips_length(grid) * ALONG);
    let along = columns[6 + rest].abs() * isa.splat(long_scale(along));
    isa.splat(LONG_CELLS).le(u_cells + v_cells + along)
}

/// Returns the factor for displacements on an axis with this many cells per unit of length. On an axis without extent every
/// displacement that is not denormal is long.
fn long_scale(scale: f32) -> f32 {
    if scale > 0.0 && scale < f32::MAX { scale } else { f32::MAX }
}

/// Returns the length of the strips along their axis.
fn strips_length(grid: &Grid) -> f32 {
    grid.along.high - grid.along.low
}

/// Returns the lengths of the strips and of the cells across, in the order of [`Grid::axes`].
fn lengths(grid: &Grid) -> [f32; 3] {
    let mut lengths = [strips_length(grid); 3];
    lengths[grid.column(&grid.u)] = grid.u.length();
    lengths[grid.column(&grid.v)] = grid.v.length();
    lengths
}

/// The part of space within the borders of one strip.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    u: Borders,
    v: Borders,
    /// See [`lengths`].
    lengths: [f32; 3],
}

/// Borders of one cell. The outermost cells are unbounded on their outer side.
#[derive(Clone, Copy, Debug)]
struct Borders {
    /// Column of a path, in the order of [`Grid::axes`].
    column: usize,
    low: f32,
    high: f32,
    /// Length of a cell.
    length: f32,
}

impl Borders {
    fn new(grid: &Grid, cut: &AxisCells, cell: u32) -> Self {
        let length = cut.length();
        let low = if cell > 0 { cut.origin + cell as f32 * length } else { f32::NEG_INFINITY };
        let last = cell + 1 >= cut.cells;
        let high = if last { f32::INFINITY } else { cut.origin + (cell + 1) as f32 * length };
        Self { column: grid.column(cut), low, high, length }
    }

    /// Returns the first and last time at which a path is within the borders, or within the margin of
    /// them.
    #[inline(always)]
    fn times<I: Isa>(&self, isa: I, path: &[I::F32; 9]) -> [I::F32; 2] {
        let (min, max) = (path[self.column], path[3 + self.column]);
        let margin = margin(isa, path, self.column, self.length);
        let inverse = isa.splat(1.0) / path[6 + self.column];
        let enter = (isa.splat(self.low) - margin - max) * inverse;
        let leave = (isa.splat(self.high) + margin - min) * inverse;
        // With almost no displacement, no time is cut off.
        let moves = inverse.abs().le(isa.splat(f32::MAX));
        let (first, last) = (enter.min(leave), enter.max(leave));
        [I::F32::select(moves, first, isa.splat(0.0)), I::F32::select(moves, last, isa.splat(1.0))]
    }
}

/// Returns the greatest error of the position of a path on one axis, see the head of this file.
#[inline(always)]
pub(super) fn margin<I: Isa>(isa: I, path: &[I::F32; 9], column: usize, length: f32) -> I::F32 {
    let (min, max, delta) = (path[column], path[3 + column], path[6 + column].abs());
    let of_place = (min.abs() + max.abs()) * isa.splat(1.0 / (1 << 20) as f32);
    let of_length = isa.splat(length * WIDENED + ROUNDED);
    delta * isa.splat(1.0 / (1 << 18) as f32) + of_place + of_length
}

impl Passage {
    pub(crate) fn new(grid: &Grid, strip: usize) -> Self {
        let cells = grid.v.cells as usize;
        let [u, v] = [strip / cells, strip % cells].map_each(|cell| cell as u32);
        let (u, v) = (Borders::new(grid, &grid.u, u), Borders::new(grid, &grid.v, v));
        Self { u, v, lengths: lengths(grid) }
    }

    /// Returns the bounds of the part of a path that lies in the strip, and the mask of the lanes that
    /// have such a part.
    #[inline(always)]
    pub(crate) fn bounds<I: Isa>(&self, isa: I, path: &[I::F32; 9]) -> ([I::F32; 6], I::Mask) {
        let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
        let [u_first, u_last] = self.u.times(isa, path);
        let [v_first, v_last] = self.v.times(isa, path);
        let first = u_first.max(v_first).max(zero);
        let last = u_last.min(v_last).min(one);
        let mut bounds = [zero; 6];
        for axis in 0..3 {
            let (min, max, delta) = (path[axis], path[3 + axis], path[6 + axis]);
            let margin = margin(isa, path, axis, self.lengths[axis]);
            let (p, q) = (delta * first.min(one), delta * last.max(zero));
            bounds[axis] = (min + p).min(min + q) - margin;
            bounds[3 + axis] = (max + p).max(max + q) + margin;
        }
        (bounds, first.le(last))
    }
}

/// Appends the strips that a long path crosses. The axes are in the order of [`Grid::axes`].
pub(crate) fn trace(grid: &Grid, path: &[f32; 9], stops: &mut Vec<Stop>) {
    let cells = |cut: &AxisCells, [low, high]: [f32; 2]| {
        let margin = margin(Scalar, path, grid.column(cut), cut.length());
        cut.cell(low - margin)..cut.cell(high + margin) + 1
    };
    let around = bounds(Scalar, path);
    let u = grid.column(&grid.u);
    for u_cell in cells(&grid.u, [around[u], around[3 + u]]) {
        let column = Passage {
            u: Borders::new(grid, &grid.u, u_cell),
            // The whole of the other axis.
            v: Borders {
                low: f32::NEG_INFINITY,
                high: f32::INFINITY,
                ..Borders::new(grid, &grid.v, 0)
            },
            lengths: lengths(grid),
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

/// Returns the cells on both axes in which two boxes first touch. At least one of them is on a long
/// path. Also returns whether their swept AABBs overlap. The result is the same when the two are
/// swapped.
///
/// The parts of the paths are widened, so they do not decide exactly whether the swept AABBs overlap.
#[inline(always)]
pub(crate) fn contact_cells<I: Isa>(
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
        // The point of contact is not past the end of the short box, or of the slower one.
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

#[cfg(test)]
mod tests {
    extern crate std;

    use super::{Passage, contact_cells, is_long, margin, trace};
    use crate::broadphase::strips::choose::choose;
    use crate::broadphase::strips::extent::AxisCells;
    use crate::broadphase::strips::grid::{Grid, Sample};
    use crate::geom::{Aabb, MovingBox};
    use crate::kernels::bounds::bounds;
    use crate::kernels::sweep;
    use crate::lanes::Scalar;
    use alloc::vec::Vec;
    use core::array::from_fn;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Returns the bounds of a box in a strip if it was copied there.
    fn in_strip(grid: &Grid, path: &[f32; 9], long: bool, strip: u32) -> Option<[f32; 6]> {
        if long {
            let mut stops = Vec::new();
            trace(grid, path, &mut stops);
            stops.iter().find(|stop| stop.strip == strip)?;
            let (part, passes) = Passage::new(grid, strip as usize).bounds(Scalar, path);
            return passes.then_some(part);
        }
        let around = bounds(Scalar, path);
        let at = [strip / grid.v.cells, strip % grid.v.cells];
        let here = [&grid.u, &grid.v].into_iter().zip(at).all(|(cut, at)| {
            let k = grid.column(cut);
            (cut.cell(around[k])..=cut.cell(around[3 + k])).contains(&at)
        });
        here.then_some(around)
    }

    /// Goal: the margin covers each error that the head of this file lists. Method: numbers of which only one is not zero, so that no other part of the
    /// margin covers its error.
    #[test]
    fn margin_covers_each_error() {
        let ulp = 0.5 * f64::from(f32::EPSILON);
        for scale in [1e-30_f32, 1e-3, 1.0, 3.3, 1e7, 1e30] {
            let of = |place: f32, delta: f32, length: f32| {
                let mut path = [0.0; 9];
                (path[0], path[3], path[6]) = (place, place, delta);
                f64::from(margin(Scalar, &path, 0, length))
            };
            let size = f64::from(scale);
            // The time is early by 8u of both displacements, of which this is the greater one, and a position is off by 2u of it.
            let of_motion = (2.0 * 8.0 + 2.0) * ulp * size;
            // A position is off by 2u of the coordinates.
            let of_place = 2.0 * ulp * size;
            // A cell number is off by 2^-14 cells, and the other box moves by at most 16 lengths.
            let of_length = (1.0 / 16384.0 + 8.0 * 16.0 * ulp) * size;
            for sign in [1.0, -1.0] {
                assert!(of(0.0, sign * scale, 0.0) >= of_motion, "displacement {scale}");
                assert!(of(sign * scale, 0.0, 0.0) >= of_place, "coordinates {scale}");
            }
            assert!(of(0.0, 0.0, scale) >= of_length, "length {scale}");
        }
    }

    fn near(random: &mut Xoshiro256PlusPlus, mut number: f32, steps: u32) -> f32 {
        for _ in 0..random.random_range(0..=steps) {
            number = if random.random() { number.next_up() } else { number.next_down() };
        }
        number
    }

    /// Goal: the proof at the head of this file: both boxes of a pair are in the strip in which it is
    /// counted, and their bounds overlap there, whatever the rounding. Method: grids of odd origins
    /// and lengths, near the origin and far from it. Two boxes, one or both of them long, of which two
    /// corners meet on a border of cells, on a corner of four cells or a few floats beside, at a time
    /// that the finder does not know; with displacements from one cell to a million.
    #[test]
    fn both_are_in_the_strip_where_they_touch() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let cases = std::env::var("SWATH_CASES").ok();
        let cases: usize = cases.map_or(400_000, |cases| cases.parse().unwrap());
        let (mut hits, mut both_long, mut strips, mut grid) = (0, 0, 0, None);
        for case in 0..cases {
            if case % 1000 == 0 {
                let offs = [0.0, 0.1, -7.3, 1e4, -3e5, 1e7];
                let all = random.random_range(0..12);
                let off: [f32; 3] =
                    from_fn(|_| *offs.get(all).unwrap_or(&offs[random.random_range(0..6)]));
                let size: [f32; 3] = from_fn(|_| [1.0, 3.3, 77.0, 1e3][random.random_range(0..4)]);
                let fineness = [20.0, 100.0, 1000.0][random.random_range(0..3)];
                let boxes: Vec<MovingBox> = (0..4096)
                    .map(|_| {
                        let at: [f32; 3] =
                            from_fn(|k| off[k] + size[k] * random.random_range(-1.0..1.0));
                        let max = from_fn(|k| at[k] + size[k] / fineness);
                        MovingBox { aabb: Aabb { min: at, max }, delta: [0.0; 3] }
                    })
                    .collect();
                // As if the boxes were spread further, so that there are many cells.
                let get = |row: usize| (boxes[row / 256], 0);
                let chosen = choose((1 << 20, 1 << 20), &get, true, 0, &mut Sample::default()).grid;
                strips += chosen.strips();
                grid = Some((chosen, off, size));
            }
            let (grid, off, size) = grid.as_ref().unwrap();
            // The point at which two corners meet.
            let mut at: [f32; 3] = from_fn(|k| off[k] + size[k] * random.random_range(-1.0..1.0));
            for &cut in &[&grid.u, &grid.v] {
                if cut.cells > 1 && random.random_ratio(3, 4) {
                    let border = random.random_range(0..=cut.cells) as f32;
                    let steps = [0, 3, 20][random.random_range(0..3)];
                    // And a few roundings of the cell number beside it.
                    let rounding = cut.cells as f32 / cut.scale * f32::EPSILON * 0.25;
                    let beside = rounding * [0, 0, 1, -1, 2, -3][random.random_range(0..6)] as f32;
                    at[cut.axis] = near(random, cut.origin + border / cut.scale + beside, steps);
                }
            }
            let time = match random.random_range(0..6) {
                0 => 0.0,
                1 => 1.0,
                2 => 1.0 / 3.0,
                _ => random.random_range(0.0..=1.0),
            };
            // Sometimes one is very much faster than the other, which is also long.
            let unlike = random.random_ratio(1, 4);
            let mut last_delta = [0.0; 3];
            let pair: [MovingBox; 2] = from_fn(|which| {
                let cells = if unlike {
                    [(1 << random.random_range(17..22)) as f32, 1.5][which]
                } else if which == 0 || random.random() {
                    (1 << random.random_range(0..20)) as f32 * random.random_range(1.0..2.0)
                } else {
                    [0.0, 0.1, 0.4][random.random_range(0..3)]
                };
                let delta: [f32; 3] = from_fn(|k| {
                    let cut = [&grid.u, &grid.v].into_iter().find(|cut| cut.axis == k);
                    let cell = cut.map_or(0.0, AxisCells::length);
                    let cell = if cell > 0.0 { cell } else { size[k] };
                    let part = [0.0, 1.0, -1.0, random.random_range(-1.0..=1.0)];
                    let of_other = [last_delta[k], -last_delta[k], 0.5 * last_delta[k]];
                    match random.random_range(0..6) {
                        choice @ 0..3 if which == 1 => of_other[choice],
                        choice => cells * cell * part[choice % 4],
                    }
                });
                last_delta = delta;
                let side: [f32; 3] =
                    from_fn(|k| size[k] * [0.0, 0.0, 0.01, 0.5, 3.0][random.random_range(0..5)]);
                let corner: [f32; 3] = from_fn(|k| near(random, at[k] - delta[k] * time, 1));
                let high: [bool; 3] = from_fn(|_| random.random());
                let min = from_fn(|k| if high[k] { corner[k] - side[k] } else { corner[k] });
                let max = from_fn(|k| if high[k] { corner[k] } else { corner[k] + side[k] });
                MovingBox { aabb: Aabb { min, max }, delta }
            });
            let axes = grid.axes();
            let columns = pair.map(|MovingBox { aabb: Aabb { min, max }, delta }| {
                let of = [min, max, delta];
                from_fn::<f32, 9, _>(|k| of[k / 3][k % 3])
            });
            let long = columns.map(|columns| is_long(Scalar, grid, &columns));
            let paths = columns.map(|of| from_fn::<f32, 9, _>(|k| of[3 * (k / 3) + axes[k % 3]]));
            let [a, b] = [(&paths[0], long[0]), (&paths[1], long[1])];
            let (first, hit) = sweep::times(Scalar, a.0, b.0);
            let (cells, meet) = contact_cells(Scalar, grid, a, b, first);
            let bounds = pair.map(|of| of.bounds());
            let together = (0..3).all(|k| {
                bounds[0].min[k] <= bounds[1].max[k] && bounds[1].min[k] <= bounds[0].max[k]
            });
            assert_eq!(meet, together, "{pair:?}");
            if !hit || !meet || !(long[0] || long[1]) {
                continue;
            }
            let swapped = contact_cells(Scalar, grid, b, a, first);
            assert_eq!((cells, meet), swapped, "{pair:?}");
            let strip = cells[0] * grid.v.cells + cells[1];
            let parts = from_fn::<_, 2, _>(|k| in_strip(grid, &paths[k], long[k], strip));
            let [Some(p), Some(q)] = parts else {
                panic!("not in strip {strip}, {parts:?}: {pair:?}, {grid:?}");
            };
            let meet = (0..3).all(|k| p[k] <= q[3 + k] && q[k] <= p[3 + k]);
            assert!(meet, "{p:?} and {q:?} do not meet in strip {strip}: {pair:?}, {grid:?}");
            hits += 1;
            both_long += usize::from(long[0] && long[1]);
        }
        assert!(
            hits > cases / 20 && both_long > cases / 100,
            "{hits} hits, {both_long} of two long"
        );
        assert!(strips > cases / 1000 * 50, "{strips} strips in {} grids", cases / 1000);
    }

    /// Goal: the path of a fast box is not widened by the length of a cell on another axis, so a flat crowd has few
    /// candidates. Method: grids of boxes that are spread over a scene 1,000 times as long as it is thick; boxes that
    /// cross many cells.
    #[test]
    fn a_path_in_a_flat_scene_is_widened_by_the_cells_of_each_axis() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let mut parts = 0;
        for thin in 0..3 {
            let sizes: [f32; 3] = from_fn(|k| if k == thin { 1e-3 } else { 1.0 });
            let boxes: Vec<MovingBox> = (0..2048)
                .map(|_| {
                    let min: [f32; 3] = from_fn(|k| sizes[k] * random.random_range(-1.0..1.0));
                    let max = from_fn(|k| min[k] + sizes[k] * 1e-3);
                    MovingBox { aabb: Aabb { min, max }, delta: [0.0; 3] }
                })
                .collect();
            let get = |row: usize| (boxes[row / 64], 0);
            let rows = (1 << 17, 1 << 17);
            let grid = choose(rows, &get, true, 0, &mut Sample::default()).grid;
            assert!(grid.strips() > 16, "{grid:?}");
            let axes = grid.axes();
            for moving in &boxes {
                let delta: [f32; 3] = from_fn(|k| sizes[k] * random.random_range(0.5..1.0));
                let Aabb { min, max } = moving.aabb;
                let path = from_fn(|k| [min, max, delta][k / 3][axes[k % 3]]);
                let around = bounds(Scalar, &path);
                let mut stops = Vec::new();
                trace(&grid, &path, &mut stops);
                for stop in stops {
                    let (part, passes) =
                        Passage::new(&grid, stop.strip as usize).bounds(Scalar, &path);
                    assert!(passes);
                    for k in 0..3 {
                        let widened = sizes[axes[k]] * 1e-3;
                        assert!(part[k] >= around[k] - widened, "{part:?}, {around:?}");
                        assert!(part[3 + k] <= around[3 + k] + widened, "{part:?}, {around:?}");
                    }
                    parts += 1;
                }
            }
        }
        assert!(parts > 10_000, "{parts} parts");
    }
}
