//! The SIMD arithmetic of a cast against boxes, for any lane width.

use crate::geom::Faces;
use crate::kernels::batch::Answer;
use crate::kernels::sweep::MISS;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// Differences and fractions of a segment and a box, per axis and in total.
struct SegmentSlabs<I: Isa> {
    /// `min - start`: positive while the segment is below the box. The sign is exact.
    below: [I::F32; 3],
    /// `max - start`: negative while the segment is above the box. The sign is exact.
    above: [I::F32; 3],
    /// The fraction at which the axis is entered. Minus infinity or NaN if `delta` is zero.
    near: [I::F32; 3],
    /// The fraction at which the axis is left. Infinity or NaN if `delta` is zero.
    far: [I::F32; 3],
    /// The greatest of `near`, rounded.
    entered: I::F32,
    /// The least of `far`, rounded.
    left: I::F32,
    max_fraction: I::F32,
    entry: I::F32,
    exit: I::F32,
    hit: I::Mask,
}

/// Relative correction of a fraction towards the safe side: more than its three rounding errors,
/// and together with them at most 2⁻²¹.
pub(super) const SLACK: f32 = 4.0 / (1 << 24) as f32;
/// Absolute correction: two of the smallest floats, which cover the rounding of denormal quotients.
pub(super) const SLACK_TINY: f32 = f32::from_bits(2);
/// Factor that brings displacements below the normal range into it.
pub(super) const SCALE: f32 = (1_u128 << 64) as f32;

/// Computes the slabs of a segment and a box.
///
/// `TINY` states that a nonzero displacement may be below the normal range. If none is, both values
/// of `TINY` give the same bits.
#[inline(always)]
fn slabs<I: Isa, const TINY: bool>(
    isa: I,
    segment: &[I::F32; 7],
    corners: &[I::F32; 6],
) -> SegmentSlabs<I> {
    let zero = isa.splat(0.0);
    let (mut below, mut above, mut near, mut far) = ([zero; 3], [zero; 3], [zero; 3], [zero; 3]);
    let mut entered = isa.splat(f32::NEG_INFINITY);
    let mut left = isa.splat(f32::INFINITY);
    for axis in 0..3 {
        let (start, d) = (segment[axis], segment[3 + axis]);
        below[axis] = corners[axis] - start;
        above[axis] = corners[3 + axis] - start;
        // Adding zero turns -0 into 0, so that 1 / 0 is plus infinity.
        let (from, to);
        if TINY {
            // 1 / d would overflow. Scaling d by a power of two is exact and no product underflows;
            // a product that overflows would also do so without scaling.
            let is_tiny = d.abs().lt(isa.splat(f32::MIN_POSITIVE));
            let scale = I::F32::select(is_tiny, isa.splat(SCALE), isa.splat(1.0));
            let per_d = isa.splat(1.0) / (d * scale + zero);
            (from, to) = (below[axis] * per_d * scale, above[axis] * per_d * scale);
        } else {
            let per_d = isa.splat(1.0) / (d + zero);
            (from, to) = (below[axis] * per_d, above[axis] * per_d);
        }
        // 0 · ∞ is NaN: the segment is in the plane of a face and is always inside on this axis. By
        // the order of operands below, a NaN of `from` goes to `near`, a NaN of `to` goes to `far`,
        // and the two reductions ignore it.
        near[axis] = to.min(from);
        far[axis] = from.max(to);
        entered = near[axis].max(entered);
        left = far[axis].min(left);
    }
    // The correction may be applied after the reduction, because rounding and scaling are
    // monotonic.
    let tiny = isa.splat(SLACK_TINY);
    let max_fraction = segment[6] + zero;
    let entry = (entered * isa.splat(1.0 - SLACK) - tiny).max(zero);
    let exit = (left * isa.splat(1.0 + SLACK) + tiny).min(max_fraction);
    // A segment beside the box has an infinite entry fraction, which a ray must not reach.
    let hit = entry.le(exit) & entry.lt(isa.splat(MISS)) & zero.le(left);
    SegmentSlabs { below, above, near, far, entered, left, max_fraction, entry, exit, hit }
}

/// Computes the entry and exit fraction and the bits of [`Faces`].
#[inline(always)]
pub(super) fn answer<I: Isa, const TINY: bool>(
    isa: I,
    segment: &[I::F32; 7],
    corners: &[I::F32; 6],
) -> Answer<I> {
    let slabs = slabs::<I, TINY>(isa, segment, corners);
    let zero = isa.splat(0.0);
    let none = isa.splat_u32(0);
    let tiny = isa.splat(SLACK_TINY);
    // Each fraction may be off by 3·2⁻²⁴ of itself. So a face that is reached within rounding of
    // the last one may in fact be the last, and counts as such. The same holds for the first exit.
    let latest = slabs.entered * isa.splat(1.0 - 2.0 * SLACK) - tiny;
    let soonest = slabs.left * isa.splat(1.0 + 2.0 * SLACK) + tiny;
    // An exit at infinity is not an exit.
    let soonest = soonest.min(isa.splat(f32::MAX));
    let leaves = (slabs.left * isa.splat(1.0 - SLACK) - tiny).le(slabs.max_fraction);

    let (mut entering, mut outside, mut standing, mut leaving) = (none, none, none, none);
    for axis in 0..3 {
        let (below, above) = (slabs.below[axis], slabs.above[axis]);
        let rises = zero.lt(segment[3 + axis]);
        let high = isa.splat_u32(1 << axis);
        let low = isa.splat_u32(1 << axis | 1 << axis << Faces::NEGATIVE_SHIFT);
        let against = I::U32::select(rises, low, high);
        let along = I::U32::select(rises, high, low).shl::<{ Faces::EXIT_SHIFT as i32 }>();

        let (past_high, before_low) = (above.lt(zero), zero.lt(below));
        // The box is behind the start on this axis, which a quotient that underflows does not show.
        let past = rises & past_high | !rises & before_low;
        let enters = latest.le(slabs.near[axis]) & !past;
        entering = entering | I::U32::select(enters, against, none);
        let exits = slabs.far[axis].le(soonest) & leaves;
        leaving = leaving | I::U32::select(exits, along, none);

        let beyond_low = I::U32::select(before_low, low, none);
        outside = outside | I::U32::select(past_high, high, beyond_low);
        let (at_low, at_high) = (below.eq(zero), above.eq(zero));
        let on_low = I::U32::select(at_low, low, none);
        let on_high = I::U32::select(at_low, against, high);
        standing = standing | I::U32::select(at_high, on_high, on_low);
    }
    let axes = isa.splat_u32(7);
    // The start is before or past a face by so little that the fraction rounds to zero. Of the second, this is a hit by
    // rounding. The segment enters at its start.
    let entering = I::U32::select(slabs.entered.le(zero), outside, entering);
    let inside = standing.disjoint(axes);
    let start =
        I::U32::select(inside, isa.splat_u32(Faces::INSIDE), isa.splat_u32(Faces::ON_SURFACE));
    let from_inside = standing | start;
    let from_outside = entering | isa.splat_u32(Faces::OUTSIDE);
    let bits = I::U32::select(outside.disjoint(axes), from_inside, from_outside) | leaving;
    Answer { hit: slabs.hit, near: slabs.entry, far: slabs.exit, bits }
}
