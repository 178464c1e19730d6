//! Boxes around the paths of moving boxes: the AABB of a whole path, and a moving box around a curved path.
//!
//! **The AABB of a path.** On each axis it extends from the lesser of `min` and `min + delta` to the greater of
//! `max` and `max + delta`. A sum that `f32` cannot represent is rounded outwards: the rounding error of a
//! sum is a float (Knuth 1998, §4.2.2, theorem B), and if its sign shows that the rounded sum lies
//! inside the path, the next float outwards is taken. The results have the same bits as
//! [`MovingBox::bounds`].
//!
//! **A moving box around a curved path.** A path `p + d·t + ½·g·t²` deviates from the straight line between its ends
//! by `½·g·t·(1 − t)`, which is at most `g/8`, in the middle, and always to the side opposite to `g`. Therefore the
//! box that moves by `d + ½·g` and is extended by `|g|/8` on that side encloses the path at every time
//! of the tick. A margin is added on all sides. Everything is rounded outwards, which also
//! covers the rounding error of the displacement. Without acceleration and margin the box does not
//! change, to the bit.
//!
//! Units: lengths. Each column depends on one axis only.

use crate::geom::{AcceleratingBox, MovingBox, each_axis};
use crate::lanes::{F32Lanes, GroupKernel, Isa, Level, Scalar, U32Lanes};

/// Takes the columns `min`, `max`, `delta` (x, y, z each) and returns `min`, `max` of the whole
/// path.
#[inline(always)]
pub(crate) fn bounds<I: Isa>(isa: I, columns: &[I::F32; 9]) -> [I::F32; 6] {
    let mut bounds = [columns[0]; 6];
    for axis in 0..3 {
        let (min, max, delta) = (columns[axis], columns[3 + axis], columns[6 + axis]);
        // The path extends one of the two ends. The lower end is extended as the upper one of the mirrored path, so that
        // there is one sum to round.
        let zero = isa.splat(0.0);
        let down = delta.lt(zero);
        let end = I::F32::select(down, zero - min, max);
        let extended = add_outwards(isa, end, delta.abs(), true);
        bounds[axis] = I::F32::select(down, zero - extended, min).min(min);
        bounds[3 + axis] = I::F32::select(down, max, extended).max(max);
    }
    bounds
}

/// Returns `a + b`, rounded up or down if it is not exact.
#[inline(always)]
fn add_outwards<I: Isa>(isa: I, a: I::F32, b: I::F32, up: bool) -> I::F32 {
    let zero = isa.splat(0.0);
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    // The next float up has one more in its bits if it is positive, and one less if it is negative.
    let away = isa.splat_u32(1);
    let back = isa.splat_u32(u32::MAX);
    let positive = zero.lt(sum);
    let (step, inexact) = if up {
        (I::U32::select(positive, away, back), zero.lt(error))
    } else {
        (I::U32::select(positive, back, away), error.lt(zero))
    };
    I::F32::select(inexact, I::F32::from_bits(sum.to_bits().wrapping_add(step)), sum)
}

/// Twice the greatest relative rounding error of a displacement: 2⁻²³.
const ROUNDING: f32 = 1.0 / (1 << 23) as f32;
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
fn enclosing_number<I: Isa>(
    isa: I,
    column: Column,
    corner: I::F32,
    (delta, accel): (I::F32, I::F32),
    margin: I::F32,
) -> I::F32 {
    let zero = isa.splat(0.0);
    let accelerated = !accel.eq(zero);
    let displacement = I::F32::select(accelerated, delta + accel * isa.splat(0.5), delta);
    if column == Column::Delta {
        return displacement;
    }
    let up = column == Column::Max;
    // A path that is accelerated upwards deviates downwards.
    let toward = if up { accel.lt(zero) } else { zero.lt(accel) };
    let deviation = I::F32::select(toward, accel.abs() * isa.splat(0.125), zero);
    let rounded_up =
        (deviation + displacement.abs() * isa.splat(ROUNDING)) * isa.splat(UP) + isa.splat(TINY);
    let growth = I::F32::select(accelerated, rounded_up, zero);
    // Two separate outward roundings, so that a margin alone causes no growth where its sum is
    // exact.
    let grown = add_outwards(isa, corner, if up { growth } else { zero - growth }, up);
    let grown = I::F32::select(accelerated, grown, corner);
    let with_margin = add_outwards(isa, grown, if up { margin } else { zero - margin }, up);
    I::F32::select(margin.eq(zero), grown, with_margin)
}

/// Fills `out` with one column of the enclosing boxes on one axis.
///
/// `accel` may be empty, which means no acceleration. Invalid rows give arbitrary numbers, but a
/// number that is not finite stays so.
pub(crate) fn enclosing_column(
    level: Level,
    column: Column,
    corner: &[f32],
    (delta, accel): (&[f32], &[f32]),
    margin: f32,
    out: &mut [f32],
) {
    level.run_groups(out.len(), EnclosingColumn { column, corner, delta, accel, margin, out });
}

struct EnclosingColumn<'a, 'o> {
    column: Column,
    corner: &'a [f32],
    delta: &'a [f32],
    accel: &'a [f32],
    margin: f32,
    out: &'o mut [f32],
}

impl GroupKernel for EnclosingColumn<'_, '_> {
    #[inline(always)]
    fn group<I: Isa>(&mut self, isa: I, start: usize, _: usize) -> bool {
        let accel =
            if self.accel.is_empty() { isa.splat(0.0) } else { isa.load(&self.accel[start..]) };
        let path = (isa.load(&self.delta[start..]), accel);
        let corner = isa.load(&self.corner[start..]);
        let number = enclosing_number(isa, self.column, corner, path, isa.splat(self.margin));
        number.store(&mut self.out[start..]);
        true
    }
}

/// Returns the enclosing box of one row, with the same bits as [`enclosing_column`].
pub(crate) fn enclosing_box(of: &AcceleratingBox, margin: f32) -> MovingBox {
    if margin == 0.0 && of.accel == [0.0; 3] {
        return MovingBox { aabb: of.aabb, delta: of.delta };
    }
    let numbers = |column, corner: [f32; 3]| {
        each_axis(|axis| {
            let mut lane = [0.0];
            let path = (Lane::load(&of.delta, axis), Lane::load(&of.accel, axis));
            enclosing_number(Scalar, column, Lane::load(&corner, axis), path, Scalar.splat(margin))
                .store(&mut lane);
            lane[0]
        })
    };
    let mut enclosing =
        MovingBox { delta: numbers(Column::Delta, of.delta), ..MovingBox::default() };
    enclosing.aabb.min = numbers(Column::Min, of.aabb.min);
    enclosing.aabb.max = numbers(Column::Max, of.aabb.max);
    enclosing
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
    use super::{Column, bounds, enclosing_box, enclosing_column};
    use crate::geom::{Aabb, AcceleratingBox, MovingBox};
    use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level};
    use alloc::vec::Vec;
    use core::cmp::Ordering;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    struct Bounds<'a>(&'a [MovingBox]);

    impl Kernel for Bounds<'_> {
        type Output = Vec<[u32; 6]>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Vec<[u32; 6]> {
            let mut found = Vec::new();
            for group in self.0.chunks(I::LANES) {
                let mut columns = [isa.splat(0.0); 9];
                for (k, column) in columns.iter_mut().enumerate() {
                    let mut lanes = [0.0; LANES_MAX];
                    for (lane, moving) in lanes.iter_mut().zip(group) {
                        let of = [moving.aabb.min, moving.aabb.max, moving.delta];
                        *lane = of[k / 3][k % 3];
                    }
                    *column = isa.load(&lanes);
                }
                let mut rows = [[0; 6]; LANES_MAX];
                for (k, column) in bounds(isa, &columns).into_iter().enumerate() {
                    let mut lanes = [0.0; LANES_MAX];
                    column.store(&mut lanes);
                    rows.iter_mut().zip(lanes).for_each(|(row, lane)| row[k] = lane.to_bits());
                }
                found.extend_from_slice(&rows[..group.len()]);
            }
            found
        }
    }

    /// Goal: the kernel gives the same bits as the plain value on every level, and both are as
    /// tight as `f32` allows. Method: all triples of numbers whose sums round up, down, to even, or
    /// are exact.
    #[test]
    fn every_level_rounds_ends_outwards() {
        let numbers = [
            0.0,
            1.0,
            1.0f32.next_up(),
            2.0f32.next_down(),
            1.0 / 3.0,
            16_777_216.0,
            16_777_215.0,
            0.1,
            1e-8,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            f32::from_bits(3),
            1e30,
            1.3e36,
        ];
        let numbers: Vec<f32> = numbers.into_iter().flat_map(|x| [x, -x]).collect();
        let mut boxes = Vec::new();
        for &p in &numbers {
            for &q in &numbers {
                for &delta in &numbers {
                    let (min, max) = if p < q { (p, q) } else { (q, p) };
                    let aabb = Aabb { min: [min, -max, min], max: [max, -min, max] };
                    boxes.push(MovingBox { aabb, delta: [delta, delta, -delta] });
                }
            }
        }
        let expected: Vec<[u32; 6]> = boxes
            .iter()
            .map(|moving| {
                let Aabb { min, max } = moving.bounds();
                [min[0], min[1], min[2], max[0], max[1], max[2]].map(f32::to_bits)
            })
            .collect();
        for level in Level::all() {
            let found = level.run(Bounds(&boxes));
            for (k, moving) in boxes.iter().enumerate() {
                assert_eq!(found[k], expected[k], "{level}: {moving:?}");
            }
        }
        for moving in &boxes {
            let bounds = moving.bounds();
            for axis in 0..3 {
                let delta = moving.delta[axis];
                let (from, to) = (moving.aabb.min[axis], bounds.min[axis]);
                assert!(compare(to, from, delta).is_le() && to <= from, "{moving:?}");
                assert!(to == from || compare(to.next_up(), from, delta).is_gt(), "{moving:?}");
                let (from, to) = (moving.aabb.max[axis], bounds.max[axis]);
                assert!(compare(to, from, delta).is_ge() && to >= from, "{moving:?}");
                assert!(to == from || compare(to.next_down(), from, delta).is_lt(), "{moving:?}");
            }
        }
    }

    /// Compares `x` with the exact `p + q`.
    fn compare(x: f32, p: f32, q: f32) -> Ordering {
        let (x, p, q) = (f64::from(x), f64::from(p), f64::from(q));
        // In f64 the sum may be rounded, but its rounding error is again a float.
        let sum = p + q;
        let q_part = sum - p;
        let error = (p - (sum - q_part)) + (q - q_part);
        x.partial_cmp(&sum).unwrap().then(0.0f64.partial_cmp(&error).unwrap())
    }

    /// Goal: the path never leaves the box, whatever was rounded; the margin is complete; and the
    /// box is not much larger than necessary. Method: random mixes of integers, thirds, last
    /// places, denormals and huge numbers; the path in `f64` at many times compared with the moving
    /// box in `f64`.
    #[test]
    fn a_path_stays_in_the_enclosing_box() {
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
            let margin = [0.0, 0.25, 1.0 / 3.0, 1e-44][case % 4];
            let enclosing = enclosing_box(row, margin);
            for axis in 0..3 {
                let of = |x: [f32; 3]| f64::from(x[axis]);
                let (d, g) = (of(row.delta), of(row.accel));
                for step in 0..=32 {
                    let t = f64::from(step) / 32.0;
                    // An upper bound of the rounding of the sums in f64.
                    let slack = 1e-15 * (of(row.aabb.min).abs() + d.abs() + g.abs());
                    let path = d * t + 0.5 * g * t * t;
                    let low = of(row.aabb.min) + path - f64::from(margin);
                    let high = of(row.aabb.max) + path + f64::from(margin);
                    let by = of(enclosing.delta) * t;
                    assert!(
                        of(enclosing.aabb.min) + by <= low + slack,
                        "{row:?} {enclosing:?} at {t}"
                    );
                    assert!(
                        of(enclosing.aabb.max) + by >= high - slack,
                        "{row:?} {enclosing:?} at {t}"
                    );
                }
                let most = 0.126 * g.abs()
                    + 1e-6 * (d.abs() + g.abs() + of(row.aabb.min).abs() + of(row.aabb.max).abs())
                    + 1e-6 * f64::from(margin);
                let grown = of(row.aabb.min) - of(enclosing.aabb.min) - f64::from(margin);
                assert!(grown <= most + 1e-43, "{row:?} grows by {grown}");
                if g == 0.0 && margin == 0.0 {
                    assert_eq!(enclosing.aabb.min[axis].to_bits(), row.aabb.min[axis].to_bits());
                    assert_eq!(enclosing.delta[axis].to_bits(), row.delta[axis].to_bits());
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
                    enclosing_column(level, which, &corner, path, 0.25, &mut out);
                    for (row, out) in rows.iter().zip(out) {
                        let enclosing = enclosing_box(row, 0.25);
                        let expected = match which {
                            Column::Min => enclosing.aabb.min,
                            Column::Max => enclosing.aabb.max,
                            Column::Delta => enclosing.delta,
                        };
                        assert_eq!(expected[axis].to_bits(), out.to_bits(), "{level}: {row:?}");
                    }
                }
            }
        }
    }
}
