//! Linearised path: a moving box that encloses an accelerating box, or one with a margin.
//!
//! A path `p + d·t + ½·g·t²` deviates from the straight line between its ends by `½·g·t·(1 − t)`,
//! which is at most `g/8`, in the middle, and always to the side opposite to `g`. Therefore the box
//! that moves by `d + ½·g` and is extended by `|g|/8` on that side encloses the path at every time
//! of the tick. A margin of `s` is added on all sides. Everything is rounded outwards, which also
//! covers the rounding error of the displacement. Without acceleration and margin the box does not
//! change, to the bit.
//!
//! Units: lengths. Each column depends on one axis only.

use super::bounds::add_outwards;
use crate::geom::{AcceleratingBox, MovingBox};
use crate::lanes::{F32Lanes, Isa, Kernel, Level, Scalar};

/// Twice the greatest relative rounding error of a displacement: 2⁻²³.
const LOST: f32 = 1.0 / (1 << 23) as f32;
/// Factor that covers the rounding of the products and sums of a growth.
const UP: f32 = 1.0 + 1.0 / (1 << 20) as f32;
/// Covers the absolute rounding errors below the normal range: four times the smallest float.
const TINY: f32 = f32::from_bits(4);

/// A column of the enclosing moving box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Min,
    Max,
    Delta,
}

/// Computes the number of `column` on one axis from the corner, the displacement and the
/// acceleration.
#[inline(always)]
fn number<I: Isa>(
    isa: I,
    column: Column,
    corner: I::F32,
    (delta, accel): (I::F32, I::F32),
    skin: I::F32,
) -> I::F32 {
    let zero = isa.splat(0.0);
    let bent = !accel.eq(zero);
    let chord = I::F32::select(bent, delta + accel * isa.splat(0.5), delta);
    if column == Column::Delta {
        return chord;
    }
    let up = column == Column::Max;
    // A path that is accelerated upwards deviates downwards.
    let toward = if up { accel.lt(zero) } else { zero.lt(accel) };
    let sag = I::F32::select(toward, accel.abs() * isa.splat(0.125), zero);
    let lost = (sag + chord.abs() * isa.splat(LOST)) * isa.splat(UP) + isa.splat(TINY);
    let bend = I::F32::select(bent, lost, zero);
    // Two separate outward roundings, so that a margin alone causes no growth where its sum is
    // exact.
    let grown = add_outwards(isa, corner, if up { bend } else { zero - bend }, up);
    let grown = I::F32::select(bent, grown, corner);
    let skinned = add_outwards(isa, grown, if up { skin } else { zero - skin }, up);
    I::F32::select(skin.eq(zero), grown, skinned)
}

/// Fills `out` with one column of the enclosing boxes on one axis.
///
/// `accel` may be empty, which means no acceleration. Invalid rows give arbitrary numbers, but a
/// number that is not finite stays so.
pub(crate) fn column(
    level: Level,
    column: Column,
    corner: &[f32],
    (delta, accel): (&[f32], &[f32]),
    skin: f32,
    out: &mut [f32],
) {
    level.run_rows(out.len(), Hold { column, corner, delta, accel, skin, out });
}

struct Hold<'a, 'o> {
    column: Column,
    corner: &'a [f32],
    delta: &'a [f32],
    accel: &'a [f32],
    skin: f32,
    out: &'o mut [f32],
}

impl Kernel for Hold<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { column, corner, delta, accel, skin, out } = self;
        let (rows, skin) = (out.len(), isa.splat(skin));
        let mut row = 0;
        while row < rows {
            // The last group starts early enough to be full; it writes some rows again, with the
            // same results.
            let start = row.min(rows - I::LANES);
            let pulled = if accel.is_empty() { isa.splat(0.0) } else { isa.load(&accel[start..]) };
            let path = (isa.load(&delta[start..]), pulled);
            let held = number(isa, column, isa.load(&corner[start..]), path, skin);
            held.store(&mut out[start..]);
            row += I::LANES;
        }
    }
}

/// Returns the enclosing box of one row, with the same bits as [`column`].
pub(crate) fn one(of: &AcceleratingBox, skin: f32) -> MovingBox {
    let number = |column, corner: [f32; 3]| {
        core::array::from_fn(|axis| {
            let mut lane = [0.0];
            let path = (Lane::load(&of.delta, axis), Lane::load(&of.accel, axis));
            number(Scalar, column, Lane::load(&corner, axis), path, Scalar.splat(skin))
                .store(&mut lane);
            lane[0]
        })
    };
    let mut held = MovingBox { delta: number(Column::Delta, of.delta), ..MovingBox::default() };
    held.aabb.min = number(Column::Min, of.aabb.min);
    held.aabb.max = number(Column::Max, of.aabb.max);
    held
}

/// Loads one number as a scalar lane.
struct Lane;

impl Lane {
    fn load(from: &[f32; 3], axis: usize) -> <Scalar as Isa>::F32 {
        Scalar.splat(from[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, column, one};
    use crate::geom::{Aabb, AcceleratingBox};
    use crate::lanes::Level;
    use alloc::vec::Vec;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: the path never leaves the box, whatever was rounded; the margin is complete; and the
    /// box is not much larger than necessary. Method: random mixes of integers, thirds, last
    /// places, denormals and huge numbers; the path in `f64` at many times compared with the moving
    /// box in `f64`.
    #[test]
    fn a_path_stays_in_the_box_that_holds_it() {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
        let mut draw = || {
            let sign = if random.random() { 1.0 } else { -1.0 };
            sign * match random.random_range(0..7) {
                0 => 0.0,
                1 => random.random_range(0..9) as f32,
                2 => random.random_range(0.0..4.0_f32),
                3 => 1e-42 * random.random_range(0.0..4.0_f32),
                4 => 1e25 * random.random_range(0.0..4.0_f32),
                5 => 16_777_215.0,
                _ => 1.0 / 3.0,
            }
        };
        let mut rows = Vec::new();
        for _ in 0..20_000 {
            let mut vector = || [draw(), draw(), draw()];
            let (min, side, delta, accel) = (vector(), vector(), vector(), vector());
            let max = core::array::from_fn(|axis| min[axis] + side[axis].abs());
            rows.push(AcceleratingBox { aabb: Aabb { min, max }, delta, accel });
        }
        for (case, row) in rows.iter().enumerate() {
            let skin = [0.0, 0.25, 1.0 / 3.0, 1e-44][case % 4];
            let held = one(row, skin);
            for axis in 0..3 {
                let of = |x: [f32; 3]| f64::from(x[axis]);
                let (d, g) = (of(row.delta), of(row.accel));
                for step in 0..=32 {
                    let t = f64::from(step) / 32.0;
                    // An upper bound of the rounding of the sums in f64.
                    let slack = 1e-15 * (of(row.aabb.min).abs() + d.abs() + g.abs());
                    let path = d * t + 0.5 * g * t * t;
                    let low = of(row.aabb.min) + path - f64::from(skin);
                    let high = of(row.aabb.max) + path + f64::from(skin);
                    let by = of(held.delta) * t;
                    assert!(of(held.aabb.min) + by <= low + slack, "{row:?} {held:?} at {t}");
                    assert!(of(held.aabb.max) + by >= high - slack, "{row:?} {held:?} at {t}");
                }
                let most = 0.126 * g.abs()
                    + 1e-6 * (d.abs() + g.abs() + of(row.aabb.min).abs() + of(row.aabb.max).abs())
                    + 1e-6 * f64::from(skin);
                let grown = of(row.aabb.min) - of(held.aabb.min) - f64::from(skin);
                assert!(grown <= most + 1e-43, "{row:?} grows by {grown}");
                if g == 0.0 && skin == 0.0 {
                    assert_eq!(held.aabb.min[axis].to_bits(), row.aabb.min[axis].to_bits());
                    assert_eq!(held.delta[axis].to_bits(), row.delta[axis].to_bits());
                }
            }
        }
        // The columns have the same bits on every level, for any number of rows.
        for level in Level::all() {
            for count in [0, 1, 7, 16, 33, rows.len()] {
                for (which, axis) in [(Column::Min, 0), (Column::Max, 1), (Column::Delta, 2)] {
                    let of = |get: fn(&AcceleratingBox) -> [f32; 3]| {
                        rows[..count].iter().map(|row| get(row)[axis]).collect::<Vec<_>>()
                    };
                    let corner =
                        of(if which == Column::Max { |r| r.aabb.max } else { |r| r.aabb.min });
                    let mut out = alloc::vec![0.0; count];
                    let path = (&of(|r| r.delta)[..], &of(|r| r.accel)[..]);
                    column(level, which, &corner, path, 0.25, &mut out);
                    for (row, out) in rows.iter().zip(out) {
                        let held = one(row, 0.25);
                        let wanted = match which {
                            Column::Min => held.aabb.min,
                            Column::Max => held.aabb.max,
                            Column::Delta => held.delta,
                        };
                        assert_eq!(wanted[axis].to_bits(), out.to_bits(), "{level}: {row:?}");
                    }
                }
            }
        }
    }
}
