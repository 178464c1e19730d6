//! The AABB of the whole path of a moving box.
//!
//! On each axis it extends from the lesser of `min` and `min + delta` to the greater of `max` and
//! `max + delta`. A sum that `f32` cannot represent is rounded outwards: the rounding error of a
//! sum is a float (Knuth 1998, §4.2.2, theorem B), and if its sign shows that the rounded sum lies
//! inside the path, the next float outwards is taken. The results have the same bits as
//! [`MovingBox::bounds`].
//!
//! [`MovingBox::bounds`]: crate::MovingBox::bounds

use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// Takes the columns `min`, `max`, `delta` (x, y, z each) and returns `min`, `max` of the whole
/// path.
#[inline(always)]
pub(crate) fn bounds<I: Isa>(isa: I, columns: &[I::F32; 9]) -> [I::F32; 6] {
    let mut bounds = [columns[0]; 6];
    for axis in 0..3 {
        let (min, max, delta) = (columns[axis], columns[3 + axis], columns[6 + axis]);
        let low = add_outwards(isa, min, delta, false);
        let high = add_outwards(isa, max, delta, true);
        bounds[axis] = low.min(min);
        bounds[3 + axis] = high.max(max);
    }
    bounds
}

/// Returns `a + b`, rounded up or down if it is not exact.
#[inline(always)]
pub(super) fn add_outwards<I: Isa>(isa: I, a: I::F32, b: I::F32, up: bool) -> I::F32 {
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

#[cfg(test)]
mod tests {
    use super::bounds;
    use crate::geom::{Aabb, MovingBox};
    use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level};
    use alloc::vec::Vec;
    use core::cmp::Ordering;

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
}
