//! The SIMD arithmetic of a distance between boxes, for any lane width.

use crate::lanes::{F32Lanes, Isa};

/// Relative decrease of the root: 6·2⁻²⁴, more than the sum of the rounding errors before it and
/// that of the decrease itself.
const LOWER: f32 = 6.0 / (1 << 24) as f32;
/// The least float: twice the greatest rounding error below the normal range, and not greater than
/// any nonzero gap.
const LEAST: f32 = f32::from_bits(1);
/// Mask of the exponent bits of a float.
const EXPONENT: u32 = 0x7f80_0000;

/// Computes a lower bound of the distance of two boxes. NaN if a box has infinite corners (an empty
/// node).
///
/// Monotonic: if a box contains another, its distance is not greater.
#[inline(always)]
pub(crate) fn distance<I: Isa>(isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> I::F32 {
    let zero = isa.splat(0.0);
    let mut gaps = [zero; 3];
    for axis in 0..3 {
        let (below, above) = (a[axis] - b[3 + axis], b[axis] - a[3 + axis]);
        gaps[axis] = below.max(above).max(zero);
    }
    // The unit of length is the greatest power of two that is at most the greatest gap. So the
    // square of that gap neither underflows nor overflows, and what a smaller one loses by
    // underflow is insignificant.
    let greatest = gaps[0].max(gaps[1]).max(gaps[2]);
    let unit = I::F32::from_bits(greatest.to_bits() & isa.splat_u32(EXPONENT));
    // For denormal gaps the smallest normal number is the unit.
    let unit = unit.max(isa.splat(f32::MIN_POSITIVE));
    let per_unit = isa.splat(1.0) / unit;
    let mut squares = gaps;
    for (square, gap) in squares.iter_mut().zip(gaps) {
        let gap = gap * per_unit;
        *square = gap * gap;
    }
    let root = (squares[0] + squares[1] + squares[2]).sqrt();
    let least = isa.splat(LEAST);
    let lowered = root * isa.splat(1.0 - LOWER) * unit - least;
    // Boxes that are apart have at least the least float as distance. By the order of operands NaN
    // stays NaN.
    greatest.min(least).max(lowered)
}
