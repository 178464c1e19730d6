//! The arithmetic of a distance between boxes, for any lane width.

use crate::lanes::{F32Lanes, Isa};

/// By how much the root is lowered: 6·2⁻²⁴, more than the roundings on the way to it and the one
/// of lowering it can amount to.
const LOWER: f32 = 6.0 / (1 << 24) as f32;
/// The least float: twice what rounding below the normal range can amount to, and no more than any
/// gap that there is.
const LEAST: f32 = f32::from_bits(1);
/// The exponent of a float.
const EXPONENT: u32 = 0x7f80_0000;

/// How far two boxes are apart, from below. NaN where a box has nothing in it.
///
/// Monotonic: where a box holds another, its distance is not the greater.
#[inline(always)]
pub(crate) fn distance<I: Isa>(isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> I::F32 {
    let zero = isa.splat(0.0);
    let mut gaps = [zero; 3];
    for axis in 0..3 {
        let (below, above) = (a[axis] - b[3 + axis], b[axis] - a[3 + axis]);
        gaps[axis] = below.max(above).max(zero);
    }
    // The unit of length is the power of two next below the greatest gap, so its square is neither
    // too small nor too large for a float, and what is lost of a smaller one does not count.
    let greatest = gaps[0].max(gaps[1]).max(gaps[2]);
    let unit = I::F32::from_bits(greatest.to_bits() & isa.splat_u32(EXPONENT));
    // Below the normal numbers the least normal one will do.
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
    // Boxes that are apart are so by the least float. A NaN stays one by the order of the operands.
    greatest.min(least).max(lowered)
}
