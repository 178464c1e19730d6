//! Bounds of the bodies: a moving box that contains each body during the tick.
//!
//! For a plain box the bounds are the box. For an accelerated box they are a box on the linearised
//! path, grown by the deviation of the true path (`kernels/bounds.rs`); for a shape they are the box
//! of [`Shape::bounds_over`](crate::Shape::bounds_over). All are grown by half the target distance
//! on each side, so that two of them touch whenever their bodies are within the target. If nothing
//! of that applies, the caller's columns are used and nothing is copied.

use super::unused::{PlacesNeeded, shrink_unless_used};
use crate::broadphase::pairs::runs::shrink_above;
use crate::columns::{MovingBoxColumns, Row, impl_memory};
use crate::geom::{AcceleratingBox, Invalid, MapEach, MovingBox};
use crate::kernels::bounds::{self, Column};
use crate::lanes::{Level, prefetch};
use crate::par::{self, Threads};
use crate::pipeline::config::Config;
use crate::pipeline::scene::{ConvexBody, GeometryBody, Scene};
use alloc::vec::Vec;

/// Rows of one task.
const CHUNK: usize = 16 * 1024;
/// Convex bodies of one task.
const CONVEX_CHUNK: usize = 256;

/// Marks a row without a shape.
pub(crate) const PLAIN: u32 = u32::MAX;

/// The bounds of a convex body.
#[derive(Clone, Copy, Debug, Default)]
struct BodyBounds {
    moving: MovingBox,
    /// Angular sweep: how much farther than its position a point of the body may move, that is the
    /// arc of its farthest point.
    angular_sweep: f32,
    invalid: Option<Invalid>,
}

/// The bounds of all bodies.
#[derive(Debug, Default)]
pub(crate) struct SceneBounds {
    columns: [Vec<f32>; 9],
    /// Whether the caller's columns are used instead of `columns`.
    borrowed: bool,
    /// The index of each row in the convex bodies, followed by those with parts, or [`PLAIN`]. Empty if the scene has
    /// neither.
    convex: Vec<u32>,
    bodies: Vec<BodyBounds>,
    /// Whether each row moves, as the pair finder reads it.
    moves: Vec<bool>,
    /// How many rows of the columns the last ticks needed, and how many bodies and flags.
    rows_needed: PlacesNeeded,
    bodies_needed: PlacesNeeded,
    flags_needed: PlacesNeeded,
}

impl_memory!(SceneBounds { columns, convex, bodies, moves; without borrowed, rows_needed, bodies_needed, flags_needed });

impl SceneBounds {
    /// Computes the bounds of a scene, which was validated.
    pub(crate) fn fill(
        &mut self,
        scene: &Scene<'_, '_>,
        config: &Config,
        level: Level,
        threads: &Threads,
    ) {
        self.compute(scene, config, level, threads);
        self.free_unused(scene);
    }

    /// Frees memory that neither this tick nor those before need.
    fn free_unused(&mut self, scene: &Scene<'_, '_>) {
        let is_used = !self.borrowed;
        let most = self.rows_needed.record(if is_used { scene.len() } else { 0 });
        for column in &mut self.columns {
            shrink_unless_used(column, is_used, most);
        }
        shrink_above(&mut self.convex, most);
        let bodies = scene.convex.len() + scene.geometries.len();
        let most = self.bodies_needed.record(bodies);
        shrink_unless_used(&mut self.bodies, bodies > 0, most);
        let most = self.flags_needed.record(self.moves.len());
        shrink_above(&mut self.moves, most);
    }

    /// Computes the bounds. Memory only grows.
    fn compute(&mut self, scene: &Scene<'_, '_>, config: &Config, level: Level, threads: &Threads) {
        let rows = scene.len();
        let margin = half(config.target_distance);
        self.flags(scene, threads);
        self.borrowed = margin == 0.0 && !scene.is_accelerated() && !scene.has_bodies();
        self.convex.clear();
        if self.borrowed {
            return;
        }
        let from = scene.boxes.columns();
        for (k, out) in self.columns.iter_mut().enumerate() {
            resize(out, rows, 0.0);
            let which = [Column::Min, Column::Max, Column::Delta][k / 3];
            let (delta, accel) = (from[6 + k % 3], scene.accel[k % 3]);
            let plain = accel.is_empty() && (margin == 0.0 || which == Column::Delta);
            par::fill_chunks(threads, out, CHUNK, &|start, out| {
                let end = start + out.len();
                let corner = &from[k][start..end];
                if plain {
                    out.copy_from_slice(corner);
                    return;
                }
                let pulled = if accel.is_empty() { accel } else { &accel[start..end] };
                bounds::enclosing_column(
                    level,
                    which,
                    corner,
                    (&delta[start..end], pulled),
                    margin,
                    out,
                );
            });
        }
        if margin > 0.0 || scene.is_accelerated() {
            // Growing a box can hide that it was invalid, so write a NaN to keep it invalid.
            par::fill_chunks(threads, &mut self.columns[6], CHUNK, &|start, out| {
                for (row, out) in (start as u32..).zip(out) {
                    if accelerating(scene, row).validate().is_err() {
                        *out = f32::NAN;
                    }
                }
            });
        }
        self.shapes(scene, margin, threads);
    }

    /// Overwrites the rows that have a shape or parts.
    fn shapes(&mut self, scene: &Scene<'_, '_>, margin: f32, threads: &Threads) {
        let convex = scene.convex.len();
        let count = convex + scene.geometries.len();
        resize(&mut self.bodies, count, BodyBounds::default());
        let bounds = |over: Result<AcceleratingBox, Invalid>, angular_sweep: f32| match over {
            Ok(over) => BodyBounds {
                moving: bounds::enclosing_box(&over, margin),
                angular_sweep,
                invalid: None,
            },
            // An invalid box, which the pair finder will reject.
            Err(invalid) => BodyBounds {
                moving: MovingBox { delta: [f32::NAN; 3], ..MovingBox::default() },
                angular_sweep: 0.0,
                invalid: Some(invalid),
            },
        };
        let (shapes, others) = self.bodies.split_at_mut(convex);
        par::fill_chunks(threads, shapes, CONVEX_CHUNK, &|start, bodies| {
            for (body, ConvexBody { shape, motion, .. }) in
                bodies.iter_mut().zip(&scene.convex[start..])
            {
                *body = bounds(shape.bounds_over(motion), shape.angular_sweep(motion));
            }
        });
        par::fill_chunks(threads, others, CONVEX_CHUNK, &|start, bodies| {
            for (body, GeometryBody { geometry, motion, .. }) in
                bodies.iter_mut().zip(&scene.geometries[start..])
            {
                geometry.with_bounds(&mut |shape| {
                    *body = bounds(shape.bounds_over(motion), shape.angular_sweep(motion));
                });
            }
        });
        if count > 0 {
            resize(&mut self.convex, scene.len(), PLAIN);
        }
        let rows = scene.convex.iter().map(|convex| convex.row);
        let rows = rows.chain(scene.geometries.iter().map(|body| body.row));
        for (index, (row, bodies)) in (0..).zip(rows.zip(&self.bodies)) {
            let row = row as usize;
            self.convex[row] = index;
            let numbers = bodies.moving.to_row();
            self.columns.iter_mut().zip(numbers).for_each(|(column, x)| column[row] = x);
        }
    }

    fn flags(&mut self, scene: &Scene<'_, '_>, threads: &Threads) {
        self.moves.clear();
        if let Some(flags) = scene.flags {
            resize(&mut self.moves, flags.len(), false);
            par::fill_chunks(threads, &mut self.moves, 4 * CHUNK, &|start, moves| {
                for (moves, flags) in moves.iter_mut().zip(&flags[start..]) {
                    *moves = flags.bits() & 1 == 1;
                }
            });
        }
    }

    /// The bounds as columns.
    pub(crate) fn boxes<'a>(&'a self, scene: &Scene<'a, '_>) -> MovingBoxColumns<'a> {
        if self.borrowed {
            return scene.boxes;
        }
        MovingBoxColumns::from_columns(self.columns.each_ref().map_each(Vec::as_slice))
            .expect("the columns are equally long")
    }

    pub(crate) fn moves<'a>(&'a self, scene: &Scene<'_, '_>) -> Option<&'a [bool]> {
        scene.flags.map(|_| &self.moves[..])
    }

    /// The index of a row in the convex bodies, followed by those with parts, or [`PLAIN`].
    #[inline]
    pub(crate) fn convex_of(&self, row: u32) -> u32 {
        if self.convex.is_empty() { PLAIN } else { self.convex[row as usize] }
    }

    /// Prefetches what [`SceneBounds::convex_of`] reads.
    #[inline]
    pub(crate) fn prefetch_index(&self, row: u32) {
        if !self.convex.is_empty() {
            prefetch(&self.convex[row as usize..=row as usize]);
        }
    }

    /// How far a body moves in the tick on the axis on which it moves farthest, plus its angular
    /// sweep. Not much too large; too small only by the rounding of two sums.
    #[inline]
    pub(crate) fn speed(&self, scene: &Scene<'_, '_>, row: u32) -> f32 {
        let at = row as usize;
        let (delta, accel, angular_sweep) = match self.convex_of(row) {
            PLAIN => {
                let columns = scene.boxes.columns();
                let accel =
                    scene.accel.map_each(|column| if column.is_empty() { 0.0 } else { column[at] });
                ([columns[6][at], columns[7][at], columns[8][at]], accel, 0.0)
            }
            index => {
                let motion = scene.motion_of(index as usize);
                (motion.delta, motion.accel, self.bodies[index as usize].angular_sweep)
            }
        };
        let mut speed = 0.0;
        for axis in 0..3 {
            let along = delta[axis].abs() + 0.5 * accel[axis].abs();
            speed = if along > speed { along } else { speed };
        }
        speed + angular_sweep
    }

    /// Why a row is invalid, or `None` if it is valid.
    pub(crate) fn invalid(&self, scene: &Scene<'_, '_>, row: u32) -> Option<Invalid> {
        match self.convex_of(row) {
            PLAIN => accelerating(scene, row).validate().err(),
            index => self.bodies[index as usize].invalid,
        }
    }
}

/// The box of a row without a shape, with its acceleration.
pub(crate) fn accelerating(scene: &Scene<'_, '_>, row: u32) -> AcceleratingBox {
    let MovingBox { aabb, delta } = scene.boxes.get(row as usize);
    let accel = match scene.is_accelerated() {
        true => scene.accel.map_each(|column| column[row as usize]),
        false => [0.0; 3],
    };
    AcceleratingBox { aabb, delta, accel }
}

/// Half of a target distance, rounded up. It is exact, except for subnormal numbers.
pub(crate) fn half(target_distance: f32) -> f32 {
    let half = 0.5 * target_distance;
    if half + half < target_distance { half.next_up() } else { half }
}

/// Sets the length without copying old elements.
fn resize<T: Clone>(column: &mut Vec<T>, rows: usize, with: T) {
    if column.len() != rows {
        column.clear();
        column.resize(rows, with);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: two halves of a target distance are at least the distance, and exact unless a half is subnormal. Method: the least floats, and others.
    #[test]
    fn two_halves_are_not_less_than_the_whole() {
        for bits in (0..64).chain([0x007f_ffff, 0x0080_0000, 0x0080_0001, 0x3f80_0001]) {
            let distance = f32::from_bits(bits);
            let sum = half(distance) + half(distance);
            assert!(sum >= distance, "{distance:e}");
            let is_exact = sum == distance;
            assert!(is_exact || half(distance) < f32::MIN_POSITIVE, "{distance:e}");
        }
    }
}
