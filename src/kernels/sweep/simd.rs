//! The SIMD arithmetic of a sweep, for any lane width.

use crate::geom::Contact;
use crate::kernels::batch::Answer;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// The time, fraction or distance of a pair without one.
pub const MISS: f32 = f32::INFINITY;

/// Differences and times of a pair, per axis and in total.
struct SweepSlabs<I: Isa> {
    /// `a.min - b.max`: positive while `b` is wholly below `a`. The sign is exact.
    below: [I::F32; 3],
    /// `a.max - b.min`: negative while `b` is wholly above `a`. The sign is exact.
    above: [I::F32; 3],
    /// `b.delta - a.delta`. The sign is exact.
    d: [I::F32; 3],
    /// The time at which the axis begins to overlap. Minus infinity if it always overlaps.
    enter: [I::F32; 3],
    /// The greatest of `enter`, rounded.
    entered: I::F32,
    first: I::F32,
    last: I::F32,
    hit: I::Mask,
}

/// Relative correction of a time towards the safe side: more than its three rounding errors, and
/// together with them at most 2⁻²¹.
const SLACK: f32 = 4.0 / (1 << 24) as f32;
/// Absolute correction: two of the smallest floats, which cover the rounding of denormal quotients.
const SLACK_TINY: f32 = f32::from_bits(2);

#[inline(always)]
fn slabs<I: Isa>(isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> SweepSlabs<I> {
    let zero = isa.splat(0.0);
    let (mut below, mut above, mut d) = ([zero; 3], [zero; 3], [zero; 3]);
    let mut enter = [isa.splat(f32::NEG_INFINITY); 3];
    let mut entered = enter[0];
    let mut left = isa.splat(f32::INFINITY);
    for axis in 0..3 {
        below[axis] = a[axis] - b[3 + axis];
        above[axis] = a[3 + axis] - b[axis];
        d[axis] = b[6 + axis] - a[6 + axis];
        let from = below[axis] / d[axis];
        let to = above[axis] / d[axis];
        // 0 / 0: no relative motion and two faces in one plane, so the axis overlaps at all times.
        let always = from.unordered(to);
        enter[axis] = I::F32::select(always, enter[axis], from.min(to));
        let exit = I::F32::select(always, left, from.max(to));
        entered = enter[axis].max(entered);
        left = exit.min(left);
    }
    // The correction may be applied after the reduction, because rounding and scaling are
    // monotonic.
    let tiny = isa.splat(SLACK_TINY);
    let first = (entered * isa.splat(1.0 - SLACK) - tiny).max(zero);
    let last = (left * isa.splat(1.0 + SLACK) + tiny).min(isa.splat(1.0));
    let hit = first.le(last) & zero.le(left);
    SweepSlabs { below, above, d, enter, entered, first, last, hit }
}

/// Computes the first time, or [`MISS`], and the mask of hits.
#[inline(always)]
pub(crate) fn times<I: Isa>(isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> (I::F32, I::Mask) {
    let slabs = slabs(isa, a, b);
    (I::F32::select(slabs.hit, slabs.first, isa.splat(MISS)), slabs.hit)
}

/// Computes the first and last time and the bits of a [`Contact`].
#[inline(always)]
pub(super) fn answer<I: Isa>(isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> Answer<I> {
    let slabs = slabs(isa, a, b);
    let zero = isa.splat(0.0);
    let none = isa.splat_u32(0);
    // Each time may be off by 3·2⁻²⁴ of itself. So an axis that enters within rounding of the last
    // one may in fact be the last, and counts as such.
    let latest = slabs.entered * isa.splat(1.0 - 2.0 * SLACK) - isa.splat(SLACK_TINY);
    // For a pair that ended by less than rounding before the start, the last axis entered before
    // the start.
    let latest = latest.min(slabs.entered);

    let highest = slabs.below[0].max(slabs.below[1]).max(slabs.below[2]);
    let lowest = slabs.above[0].min(slabs.above[1]).min(slabs.above[2]);
    let apart = zero.lt(highest) | lowest.lt(zero);
    let mut yielding = zero.lt(zero);
    let (mut touching, mut resting) = (none, none);
    for axis in 0..3 {
        let (below, above, d) = (slabs.below[axis], slabs.above[axis], slabs.d[axis]);
        let bit = isa.splat_u32(1 << axis);
        let both = isa.splat_u32(1 << axis | 1 << axis << Contact::NEGATIVE_SHIFT);

        // If `b` enters from below, the normal points down.
        let (rises, falls) = (zero.le(d), d.le(zero));
        let entering = latest.le(slabs.enter[axis]);
        touching = touching | I::U32::select(entering, I::U32::select(rises, both, bit), none);

        let at_top = above.eq(zero);
        let at_bottom = below.eq(zero);
        let resting_axis = I::U32::select(at_top, bit, both);
        resting = resting | I::U32::select(at_top | at_bottom, resting_axis, none);
        // `b` does not move inwards through either face. Two flat boxes in one plane touch with
        // both faces and have no interior to move into, so they are yielding for every `d`.
        yielding = yielding | (at_top & rises) | (at_bottom & falls);
    }
    let closing = isa.splat_u32(Contact::CLOSING);
    let touching = touching | isa.splat_u32(Contact::TOUCHING) | closing;
    let resting =
        resting | isa.splat_u32(Contact::OVERLAPPING) | I::U32::select(yielding, none, closing);
    let bits = I::U32::select(apart, touching, resting);
    Answer { hit: slabs.hit, near: slabs.first, far: slabs.last, bits }
}
