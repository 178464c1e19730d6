//! The arithmetic of a sweep under acceleration, for any lane width.
//!
//! Letters are those of `docs/math/accelerating.md`, where each constant is derived.

use crate::geom::Contact;
use crate::kernels::ask::Answer;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// 2⁻²⁴: half of the distance from one to the next float.
const UNIT: f32 = 1.0 / (1 << 24) as f32;
/// How much the time of an axis without acceleration is moved to the safe side, of itself
/// and more: as in the plain sweep.
const STRAIGHT: [f32; 2] = [4.0 * UNIT, f32::from_bits(2)];
/// The same for an axis with acceleration. The second also covers all that underflow can do.
const CURVED: [f32; 2] = [12.0 * UNIT, power(-46)];
/// How much a discriminant is moved to the safe side, of the sum of its terms' magnitudes.
const DISCRIMINANT: f32 = 6.0 * UNIT;
/// What that sum is raised by, of the size of the motion, so that underflow is covered.
const DISCRIMINANT_TINY: f32 = power(-110);
/// No denominator is less: a time that it changes is within [`CURVED`] of zero.
const DENOMINATOR_MIN: f32 = power(-70);
/// An axis is entered where its faces are so near, of the sizes of place and motion.
const ENTERED: f32 = 64.0 * UNIT;
/// A face further away than so many sizes of the motion is not reached in a tick.
const FAR: f32 = 4.0;
/// A motion greater than the first number is scaled by the second, else likewise with the next
/// two, else by the last: then squares neither overflow nor lose what counts.
const SCALES: [f32; 5] = [power(47), power(-60), power(-27), power(14), power(88)];

/// A power of two that is a normal number.
const fn power(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent) as u32) << 23)
}

/// One axis of a pair.
#[derive(Clone, Copy)]
struct Axis<I: Isa> {
    /// `a.min - b.max`: positive while `b` is wholly below `a`. The sign is exact.
    below: I::F32,
    /// `a.max - b.min`: negative while `b` is wholly above `a`. The sign is exact.
    above: I::F32,
    /// `b.delta - a.delta`, or `b.accel - a.accel` where that is zero: which way `b` sets off. The
    /// sign is exact.
    sets_off: I::F32,
    /// When the axis overlaps: from and until, moved outwards. A piece that is not there has a
    /// start past its end. The second is wholly after the first.
    pieces: [[I::F32; 2]; 2],
    /// The first start before it was moved.
    near: I::F32,
    /// Where there is acceleration.
    curved: I::Mask,
    /// Where the acceleration is negative: what follows is for the mirror image.
    flips: I::Mask,
    /// Where `b` sets off downwards.
    falls: I::Mask,
    /// Where `b` turns so near to `low` that no hole is left.
    joined: I::Mask,
    /// Faces and motion, scaled.
    low: I::F32,
    high: I::F32,
    d: I::F32,
    g: I::F32,
}

/// `t` moved to the past.
#[inline(always)]
fn earlier<I: Isa>(t: I::F32, slack: [I::F32; 2], one: I::F32) -> I::F32 {
    t * (one - slack[0]) - slack[1]
}

/// `t` moved to the future, but where it has passed: there never.
#[inline(always)]
fn later<I: Isa>(isa: I, t: I::F32, slack: [I::F32; 2], one: I::F32) -> I::F32 {
    let moved = t * (one + slack[0]) + slack[1];
    I::F32::select(isa.splat(0.0).le(t), moved, isa.splat(f32::NEG_INFINITY))
}

/// The sum of the magnitudes that a discriminant is made of, as what it may be off.
#[inline(always)]
fn doubt<I: Isa>(isa: I, square: I::F32, product: I::F32, size: I::F32) -> I::F32 {
    let tiny = size * isa.splat(DISCRIMINANT_TINY);
    (square + product.abs() + tiny) * isa.splat(DISCRIMINANT)
}

/// `|d|` and the root of a discriminant, which is not negative: the denominator of the root near
/// zero, the numerator of the other.
#[inline(always)]
fn stable<I: Isa>(isa: I, d: I::F32, discriminant: I::F32) -> I::F32 {
    let root = discriminant.max(isa.splat(0.0)).sqrt();
    (d.abs() + root).max(isa.splat(DENOMINATOR_MIN))
}

#[inline(always)]
fn axis<I: Isa>(isa: I, [a_min, a_max, a_delta, a_accel]: [I::F32; 4], b: [I::F32; 4]) -> Axis<I> {
    let [b_min, b_max, b_delta, b_accel] = b;
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let (never, always) = (isa.splat(f32::INFINITY), isa.splat(f32::NEG_INFINITY));
    let below = a_min - b_max;
    let above = a_max - b_min;
    let delta = b_delta - a_delta;
    let accel = b_accel - a_accel;
    let sets_off = I::F32::select(delta.eq(zero), accel, delta);

    // The mirror image where the acceleration is negative: from here it pulls upwards.
    let flips = accel.lt(zero);
    let curved = flips | zero.lt(accel);
    let straight_d = I::F32::select(flips, zero - delta, delta);
    let falls = straight_d.lt(zero);
    let low = I::F32::select(flips, zero - above, below);
    let high = I::F32::select(flips, zero - below, above);

    let size = straight_d.abs().max(accel.abs());
    let [huge, down, small, up, far_up] = SCALES;
    let scale = I::F32::select(isa.splat(small).lt(size), isa.splat(up), isa.splat(far_up));
    let scale = I::F32::select(isa.splat(huge).lt(size), isa.splat(down), scale);
    let (d, g, size) = (straight_d * scale, accel.abs() * scale, size * scale);
    let far = size * isa.splat(FAR);
    let scaled_low = (low * scale).min(far).max(zero - far);
    let scaled_high = (high * scale).min(far).max(zero - far);

    // While `b` falls and is pulled up again, digits cancel in the discriminants. They are moved
    // to where the way under `high` is longer and the hole under `low` shorter.
    let square = d * d;
    let (low_product, high_product) = ((g + g) * scaled_low, (g + g) * scaled_high);
    let low_doubt = I::F32::select(falls, doubt(isa, square, low_product, size), zero);
    let high_doubt = I::F32::select(falls, doubt(isa, square, high_product, size), zero);
    let low_discriminant = square + low_product - low_doubt;
    let high_discriminant = square + high_product + high_doubt;
    let low_stable = stable(isa, d, low_discriminant);
    let high_stable = stable(isa, d, high_discriminant);

    // An axis without acceleration is that of the plain sweep.
    let low_below = I::F32::select(falls, zero - low_stable, low_stable);
    let high_below = I::F32::select(falls, zero - high_stable, high_stable);
    let from = I::F32::select(curved, scaled_low + scaled_low, low)
        / I::F32::select(curved, low_below, straight_d);
    let to = I::F32::select(curved, scaled_high + scaled_high, high)
        / I::F32::select(curved, high_below, straight_d);
    // 0 / 0: no relative motion and faces in one plane, so the axis overlaps for all time.
    let rests = from.unordered(to);
    let near = I::F32::select(rests, always, from.min(to));
    let leave = I::F32::select(rests, never, from.max(to));

    let slack = [
        I::F32::select(curved, isa.splat(CURVED[0]), isa.splat(STRAIGHT[0])),
        I::F32::select(curved, isa.splat(CURVED[1]), isa.splat(STRAIGHT[1])),
    ];
    let start = earlier::<I>(near, slack, one);
    // Apart and setting off away: the signs are exact, the root may have underflowed.
    let away = (falls & zero.lt(low)) | (high.lt(zero) & !falls);
    let leave = I::F32::select(away, always, later(isa, leave, slack, one));
    let back = earlier::<I>(low_stable / g, slack, one);
    let end = later(isa, high_stable / g, slack, one);

    // Down, and up again: through the hole under `low`, where there is one, and never back to
    // `high` where the turn is above it.
    let turns = falls & curved;
    let hole = zero.lt(low_discriminant) & leave.lt(back);
    let joined = turns & !hole;
    let over = turns & high_discriminant.lt(zero);
    let pieces = [
        [I::F32::select(over, never, start), I::F32::select(joined, end, leave)],
        [I::F32::select(turns & hole, back, never), end],
    ];
    Axis {
        below,
        above,
        sets_off,
        pieces,
        near,
        curved,
        flips,
        falls,
        joined,
        low: scaled_low,
        high: scaled_high,
        d,
        g,
    }
}

/// The first contact: from, until, and where there is one.
#[inline(always)]
fn first_contact<I: Isa>(isa: I, axes: &[Axis<I>; 3]) -> (I::F32, I::F32, I::Mask) {
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let (mut first, mut last) = (isa.splat(f32::INFINITY), isa.splat(f32::INFINITY));
    for [x_start, x_end] in axes[0].pieces {
        let (x_start, x_end) = (x_start.max(zero), x_end.min(one));
        for [y_start, y_end] in axes[1].pieces {
            let (xy_start, xy_end) = (y_start.max(x_start), y_end.min(x_end));
            for [z_start, z_end] in axes[2].pieces {
                let (start, end) = (z_start.max(xy_start), z_end.min(xy_end));
                let earliest = start.le(end) & start.lt(first);
                first = I::F32::select(earliest, start, first);
                last = I::F32::select(earliest, end, last);
            }
        }
    }
    (first, last, first.le(one))
}

/// Whether `b` is at a face within rounding when it is at `x`.
#[inline(always)]
fn is_at<I: Isa>(isa: I, x: I::F32, face: I::F32, axis: &Axis<I>) -> I::Mask {
    let sizes = face.abs() + axis.d.abs() + axis.g;
    (x - face).abs().le(sizes * isa.splat(ENTERED))
}

/// First and last time and the bits of a [`Contact`].
#[inline(always)]
pub(super) fn answer<I: Isa>(isa: I, a: &[I::F32; 12], b: &[I::F32; 12]) -> Answer<I> {
    let axes = [
        axis(isa, [a[0], a[3], a[6], a[9]], [b[0], b[3], b[6], b[9]]),
        axis(isa, [a[1], a[4], a[7], a[10]], [b[1], b[4], b[7], b[10]]),
        axis(isa, [a[2], a[5], a[8], a[11]], [b[2], b[5], b[8], b[11]]),
    ];
    let (first, last, hit) = first_contact(isa, &axes);

    let zero = isa.splat(0.0);
    let none = isa.splat_u32(0);
    // An axis without acceleration that enters within rounding of the first time may truly enter
    // then, so it counts.
    let latest = first * isa.splat(1.0 - STRAIGHT[0]) - isa.splat(STRAIGHT[1]);
    let mut apart = zero.lt(zero);
    let mut yielding = apart;
    let (mut touching, mut resting) = (none, none);
    for (k, axis) in axes.iter().enumerate() {
        let bit = isa.splat_u32(1 << k);
        let both = isa.splat_u32(1 << k | 1 << k << Contact::NEGATIVE_SHIFT);
        let apart_here = zero.lt(axis.below) | axis.above.lt(zero);
        apart = apart | apart_here;

        // The times of a graze are worth little, so it is places that are compared: an axis
        // is entered where the face is within rounding at the first time. That may be where `b`
        // comes down or goes up for the first time, comes back, or all but leaves and comes back.
        let [[start, end], [back, _]] = axis.pieces;
        let x = first * (axis.d + axis.g * (first * isa.splat(0.5)));
        let at_low = is_at(isa, x, axis.low, axis);
        let at_high = is_at(isa, x, axis.high, axis);
        let again = end.lt(first);
        let came_down = apart_here & axis.falls & !again;
        let came_up = (apart_here & !axis.falls) | again;
        let at_time = first.le(I::F32::select(again, back, start));
        let from_high = came_down & (at_high | at_time);
        let from_low = (came_up & (at_low | at_time)) | (axis.joined & at_low);
        let curved = (from_high | from_low) & axis.curved;
        let rises = !((from_high & axis.curved) | (axis.falls & !axis.curved));
        let entering = curved | (latest.le(axis.near) & !axis.curved);
        // Entering from below, the normal points down.
        let from_below = (rises & !axis.flips) | (axis.flips & !rises);
        let entered = I::U32::select(from_below, both, bit);
        touching = touching | I::U32::select(entering, entered, none);

        let at_top = axis.above.eq(zero);
        let at_bottom = axis.below.eq(zero);
        let resting_here = I::U32::select(at_top, bit, both);
        resting = resting | I::U32::select(at_top | at_bottom, resting_here, none);
        // Not inwards from either side. Two flat boxes in one plane touch on both sides and have
        // no inside to move into: however they set off, they yield.
        let (up, down) = (zero.le(axis.sets_off), axis.sets_off.le(zero));
        yielding = yielding | (at_top & up) | (at_bottom & down);
    }
    let closing = isa.splat_u32(Contact::CLOSING);
    let touching = touching | isa.splat_u32(Contact::TOUCHING) | closing;
    let resting =
        resting | isa.splat_u32(Contact::OVERLAPPING) | I::U32::select(yielding, none, closing);
    let bits = I::U32::select(apart, touching, resting);
    Answer { hit, near: first, far: last, bits }
}
