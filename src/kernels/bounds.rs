//! What is the box around a moving box's whole path?
//!
//! Per axis from the lesser of `min` and `min + delta` to the greater of `max` and
//! `max + delta`. An end that `f32` cannot hold is rounded outwards: the rounding error of a sum
//! is a float (Knuth 1998, §4.2.2, theorem B), and where its sign says that the sum is inside
//! the path, the next float outwards is taken. The same bits as [`MovingBox::bounds`].
//!
//! [`MovingBox::bounds`]: crate::MovingBox::bounds

use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// `[min, max, delta]` per axis in; `[min, max]` per axis out.
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

/// `a + b`, rounded up or down where it is not exact.
#[inline(always)]
fn add_outwards<I: Isa>(isa: I, a: I::F32, b: I::F32, up: bool) -> I::F32 {
    let zero = isa.splat(0.0);
    let sum = a + b;
    let b_part = sum - a;
    let error = (a - (sum - b_part)) + (b - b_part);
    // One float up is one more in the bits of a positive number, one less of a negative one.
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
