//! The arithmetic of a sweep, for any lane width.

use super::MISS;
use crate::geom::Contact;
use crate::kernels::ask::Answer;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// What is known of a pair per axis, and the times from it.
struct Slabs<I: Isa> {
    /// `a.min - b.max`: positive while `b` is wholly below `a`. The sign is exact.
    below: [I::F32; 3],
    /// `a.max - b.min`: negative while `b` is wholly above `a`. The sign is exact.
    above: [I::F32; 3],
    /// `b.delta - a.delta`. The sign is exact.
    d: [I::F32; 3],
    /// When the axis starts to overlap: minus infinity when it always does.
    enter: [I::F32; 3],
    /// The greatest of `enter`, rounded.
    entered: I::F32,
    first: I::F32,
    last: I::F32,
    hit: I::Mask,
}

/// How much a time is moved to the safe side: more than its three roundings can amount to, and
/// with them at most 2⁻²¹.
const SLACK: f32 = 4.0 / (1 << 24) as f32;
/// Two of the smallest floats: what rounding can amount to where quotients lose digits.
const SLACK_TINY: f32 = f32::from_bits(2);

#[inline(always)]
fn slabs<I: Isa>(isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> Slabs<I> {
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
        // 0 / 0: no relative motion and faces in one plane, so the axis overlaps for all time.
        let always = from.unordered(to);
        enter[axis] = I::F32::select(always, enter[axis], from.min(to));
        let leave = I::F32::select(always, left, from.max(to));
        entered = enter[axis].max(entered);
        left = leave.min(left);
    }
    // The slack goes in after the axes are joined: rounding and scaling keep their order.
    let tiny = isa.splat(SLACK_TINY);
    let first = (entered * isa.splat(1.0 - SLACK) - tiny).max(zero);
    let last = (left * isa.splat(1.0 + SLACK) + tiny).min(isa.splat(1.0));
    let hit = first.le(last) & zero.le(left);
    Slabs { below, above, d, enter, entered, first, last, hit }
}

/// First time, or [`MISS`], and where it is a hit.
#[inline(always)]
pub(crate) fn times<I: Isa>(isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> (I::F32, I::Mask) {
    let slabs = slabs(isa, a, b);
    (I::F32::select(slabs.hit, slabs.first, isa.splat(MISS)), slabs.hit)
}

/// First and last time and the bits of a [`Contact`].
#[inline(always)]
pub(super) fn answer<I: Isa>(isa: I, a: &[I::F32; 9], b: &[I::F32; 9]) -> Answer<I> {
    let slabs = slabs(isa, a, b);
    let zero = isa.splat(0.0);
    let none = isa.splat_u32(0);
    // An axis that enters within rounding of the last one may truly be the last, so it counts:
    // either time can be off by 3·2⁻²⁴ of itself.
    let latest = slabs.entered * isa.splat(1.0 - 2.0 * SLACK) - isa.splat(SLACK_TINY);
    // A pair that has passed, but by less than a float can tell, entered before the start.
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

        // Entering from below, the normal points down.
        let (rises, falls) = (zero.le(d), d.le(zero));
        let entering = latest.le(slabs.enter[axis]);
        touching = touching | I::U32::select(entering, I::U32::select(rises, both, bit), none);

        let at_top = above.eq(zero);
        let at_bottom = below.eq(zero);
        let resting_here = I::U32::select(at_top, bit, both);
        resting = resting | I::U32::select(at_top | at_bottom, resting_here, none);
        // Not inwards from either side. Two flat boxes in one plane touch on both sides and have
        // no inside to move into: whatever `d` is, they yield.
        yielding = yielding | (at_top & rises) | (at_bottom & falls);
    }
    let closing = isa.splat_u32(Contact::CLOSING);
    let touching = touching | isa.splat_u32(Contact::TOUCHING) | closing;
    let resting =
        resting | isa.splat_u32(Contact::OVERLAPPING) | I::U32::select(yielding, none, closing);
    let bits = I::U32::select(apart, touching, resting);
    Answer { hit: slabs.hit, near: slabs.first, far: slabs.last, bits }
}
