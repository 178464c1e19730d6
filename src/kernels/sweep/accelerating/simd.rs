//! The SIMD arithmetic of a sweep under acceleration, for any lane width.
//!
//! The symbols are those of `docs/math/accelerating.md`, where each constant is derived.

use crate::geom::Contact;
use crate::kernels::batch::Answer;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// 2⁻²⁴: half of the distance from 1 to the next float.
const UNIT: f32 = 1.0 / (1 << 24) as f32;
/// Relative and absolute correction of the time of an axis without acceleration, as in the plain
/// sweep.
const STRAIGHT: [f32; 2] = [4.0 * UNIT, f32::from_bits(2)];
/// The same for an axis with acceleration. The absolute part also covers all underflow.
const CURVED: [f32; 2] = [12.0 * UNIT, power(-46)];
/// Correction of a discriminant towards the safe side, relative to the sum of the magnitudes of its
/// terms.
const DISCRIMINANT: f32 = 6.0 * UNIT;
/// Part of the size of the motion that is added to that sum, so that underflow is covered.
const DISCRIMINANT_TINY: f32 = power(-110);
/// The least denominator. A time that this bound changes is within [`CURVED`] of zero.
const DENOMINATOR_MIN: f32 = power(-70);
/// An axis counts as entered if the face is this near, relative to the sizes of position and
/// motion.
const ENTERED: f32 = 64.0 * UNIT;
/// A face farther away than this many times the size of the motion is not reached in a tick.
const FAR: f32 = 4.0;
/// Thresholds and scales: a motion greater than the first number is scaled by the second, else a
/// motion greater than the third by the fourth, else by the fifth. Then squares neither overflow
/// nor lose significant digits.
const SCALES: [f32; 5] = [power(47), power(-60), power(-27), power(14), power(88)];

/// Returns a power of two in the normal range.
const fn power(exponent: i32) -> f32 {
    f32::from_bits(((127 + exponent) as u32) << 23)
}

/// One axis of a pair.
#[derive(Clone, Copy)]
struct PathAxis<I: Isa> {
    /// `a.min - b.max`: positive while `b` is wholly below `a`. The sign is exact.
    below: I::F32,
    /// `a.max - b.min`: negative while `b` is wholly above `a`. The sign is exact.
    above: I::F32,
    /// `b.delta - a.delta`, or `b.accel - a.accel` if that is zero: the direction in which `b`
    /// starts to move. The sign is exact.
    sets_off: I::F32,
    /// The intervals of time in which the axis overlaps, enlarged. An empty interval has a start
    /// after its end. The second interval is entirely after the first.
    pieces: [[I::F32; 2]; 2],
    /// The start of the first interval before it was enlarged.
    near: I::F32,
    /// The lanes with acceleration.
    curved: I::Mask,
    /// The lanes with negative acceleration. The fields below are those of the mirror image.
    flips: I::Mask,
    /// The lanes in which `b` starts to move downwards.
    falls: I::Mask,
    /// The lanes in which `b` turns without an excluded interval below `low`, so that the two
    /// intervals are one.
    joined: I::Mask,
    /// Faces and motion, scaled.
    low: I::F32,
    high: I::F32,
    d: I::F32,
    g: I::F32,
}

/// Moves `t` to an earlier time by the correction.
#[inline(always)]
fn earlier<I: Isa>(t: I::F32, slack: [I::F32; 2], one: I::F32) -> I::F32 {
    t * (one - slack[0]) - slack[1]
}

/// Moves `t` to a later time by the correction. A negative `t` becomes minus infinity.
#[inline(always)]
fn later<I: Isa>(isa: I, t: I::F32, slack: [I::F32; 2], one: I::F32) -> I::F32 {
    let moved = t * (one + slack[0]) + slack[1];
    I::F32::select(isa.splat(0.0).le(t), moved, isa.splat(f32::NEG_INFINITY))
}

/// Returns the error bound of a discriminant, from the magnitudes of its terms.
#[inline(always)]
fn doubt<I: Isa>(isa: I, square: I::F32, product: I::F32, size: I::F32) -> I::F32 {
    let tiny = size * isa.splat(DISCRIMINANT_TINY);
    (square + product.abs() + tiny) * isa.splat(DISCRIMINANT)
}

/// Returns the sum of `|d|` and the root of a discriminant: the denominator of the root near zero,
/// and the numerator of the other root.
#[inline(always)]
fn stable<I: Isa>(isa: I, d: I::F32, discriminant: I::F32) -> I::F32 {
    let root = discriminant.max(isa.splat(0.0)).sqrt();
    (d.abs() + root).max(isa.splat(DENOMINATOR_MIN))
}

#[inline(always)]
fn axis<I: Isa>(
    isa: I,
    [a_min, a_max, a_delta, a_accel]: [I::F32; 4],
    b: [I::F32; 4],
) -> PathAxis<I> {
    let [b_min, b_max, b_delta, b_accel] = b;
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let (never, always) = (isa.splat(f32::INFINITY), isa.splat(f32::NEG_INFINITY));
    let below = a_min - b_max;
    let above = a_max - b_min;
    let delta = b_delta - a_delta;
    let accel = b_accel - a_accel;
    let sets_off = I::F32::select(delta.eq(zero), accel, delta);

    // From here on, lanes with negative acceleration are mirrored, so that the acceleration is
    // upwards.
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

    // While `b` moves down and is accelerated up, the discriminants cancel. They are corrected so
    // that the interval below `high` becomes longer and the excluded interval below `low` becomes
    // shorter.
    let square = d * d;
    let (low_product, high_product) = ((g + g) * scaled_low, (g + g) * scaled_high);
    let low_doubt = I::F32::select(falls, doubt(isa, square, low_product, size), zero);
    let high_doubt = I::F32::select(falls, doubt(isa, square, high_product, size), zero);
    let low_discriminant = square + low_product - low_doubt;
    let high_discriminant = square + high_product + high_doubt;
    let low_stable = stable(isa, d, low_discriminant);
    let high_stable = stable(isa, d, high_discriminant);

    // An axis without acceleration is computed as in the plain sweep.
    let low_below = I::F32::select(falls, zero - low_stable, low_stable);
    let high_below = I::F32::select(falls, zero - high_stable, high_stable);
    let from = I::F32::select(curved, scaled_low + scaled_low, low)
        / I::F32::select(curved, low_below, straight_d);
    let to = I::F32::select(curved, scaled_high + scaled_high, high)
        / I::F32::select(curved, high_below, straight_d);
    // 0 / 0: no relative motion and two faces in one plane, so the axis overlaps at all times.
    let rests = from.unordered(to);
    let near = I::F32::select(rests, always, from.min(to));
    let exit = I::F32::select(rests, never, from.max(to));

    let slack = [
        I::F32::select(curved, isa.splat(CURVED[0]), isa.splat(STRAIGHT[0])),
        I::F32::select(curved, isa.splat(CURVED[1]), isa.splat(STRAIGHT[1])),
    ];
    let start = earlier::<I>(near, slack, one);
    // Apart and starting to move away. The signs are exact, whereas the root may have underflowed.
    let away = (falls & zero.lt(low)) | (high.lt(zero) & !falls);
    let exit = I::F32::select(away, always, later(isa, exit, slack, one));
    let back = earlier::<I>(low_stable / g, slack, one);
    let end = later(isa, high_stable / g, slack, one);

    // Down and up again: through the excluded interval below `low`, if there is one. If the turning
    // point is above `high`, the axis never overlaps.
    let turns = falls & curved;
    let hole = zero.lt(low_discriminant) & exit.lt(back);
    let joined = turns & !hole;
    let over = turns & high_discriminant.lt(zero);
    let pieces = [
        [I::F32::select(over, never, start), I::F32::select(joined, end, exit)],
        [I::F32::select(turns & hole, back, never), end],
    ];
    PathAxis {
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

/// Returns start and end of the first contact, and the mask of lanes that have one. With `AGAIN`, a contact at the start
/// from which the boxes part is left out.
#[inline(always)]
fn first_contact<I: Isa, const AGAIN: bool>(
    isa: I,
    axes: &[PathAxis<I>; 3],
) -> (I::F32, I::F32, I::Mask) {
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let (mut first, mut last) = (isa.splat(f32::INFINITY), isa.splat(f32::INFINITY));
    for (i, [x_start, x_end]) in axes[0].pieces.into_iter().enumerate() {
        let (x_start, x_end) = (x_start.max(zero), x_end.min(one));
        for (j, [y_start, y_end]) in axes[1].pieces.into_iter().enumerate() {
            let (xy_start, xy_end) = (y_start.max(x_start), y_end.min(x_end));
            for (k, [z_start, z_end]) in axes[2].pieces.into_iter().enumerate() {
                let (start, end) = (z_start.max(xy_start), z_end.min(xy_end));
                let mut earliest = start.le(end) & start.lt(first);
                // A contact at the start is in the first interval of each axis, and in no other.
                if AGAIN && [i, j, k] == [0; 3] {
                    earliest = earliest & !parts(isa, axes);
                }
                first = I::F32::select(earliest, start, first);
                last = I::F32::select(earliest, end, last);
            }
        }
    }
    (first, last, first.le(one))
}

/// Returns the lanes in which boxes that touch at the start part, at least for a time. Boxes that are back too soon for two
/// intervals do not part.
#[inline(always)]
fn parts<I: Isa>(isa: I, axes: &[PathAxis<I>; 3]) -> I::Mask {
    let [x, y, z] = axes.each_ref().map(|axis| yields(isa, axis) & !axis.joined);
    x | y | z
}

/// Returns the lanes in which the surfaces touch on an axis at the start, and `b` does not move inwards through either face.
#[inline(always)]
fn yields<I: Isa>(isa: I, axis: &PathAxis<I>) -> I::Mask {
    let zero = isa.splat(0.0);
    let (up, down) = (zero.le(axis.sets_off), axis.sets_off.le(zero));
    (axis.above.eq(zero) & up) | (axis.below.eq(zero) & down)
}

/// Returns whether position `x` of `b` is at a face within rounding.
#[inline(always)]
fn is_at<I: Isa>(isa: I, x: I::F32, face: I::F32, axis: &PathAxis<I>) -> I::Mask {
    let sizes = face.abs() + axis.d.abs() + axis.g;
    (x - face).abs().le(sizes * isa.splat(ENTERED))
}

/// Computes the first and last time and the bits of a [`Contact`]; with `AGAIN`, of the next contact of boxes whose surfaces
/// touch at the start.
#[inline(always)]
pub(super) fn answer<I: Isa, const AGAIN: bool>(
    isa: I,
    a: &[I::F32; 12],
    b: &[I::F32; 12],
) -> Answer<I> {
    let axes = [
        axis(isa, [a[0], a[3], a[6], a[9]], [b[0], b[3], b[6], b[9]]),
        axis(isa, [a[1], a[4], a[7], a[10]], [b[1], b[4], b[7], b[10]]),
        axis(isa, [a[2], a[5], a[8], a[11]], [b[2], b[5], b[8], b[11]]),
    ];
    let (first, last, hit) = first_contact::<I, AGAIN>(isa, &axes);

    let zero = isa.splat(0.0);
    let none = isa.splat_u32(0);
    // An axis without acceleration that enters within rounding of the first time may in fact enter
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

        // The times of a graze are inaccurate, so positions are compared: an axis is entered if at
        // the first time `b` is at the face within rounding. At that time `b` may move down or up
        // for the first time, may come back, or may almost leave and come back.
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
        // If `b` enters from below, the normal points down.
        let from_below = (rises & !axis.flips) | (axis.flips & !rises);
        let entered = I::U32::select(from_below, both, bit);
        touching = touching | I::U32::select(entering, entered, none);

        let at_top = axis.above.eq(zero);
        let at_bottom = axis.below.eq(zero);
        let resting_axis = I::U32::select(at_top, bit, both);
        resting = resting | I::U32::select(at_top | at_bottom, resting_axis, none);
        // Two flat boxes in one plane touch with both faces and have no interior to move into, so
        // they are yielding in every direction.
        yielding = yielding | yields(isa, axis);
    }
    if AGAIN {
        // The contact is later if the boxes part, and otherwise that of the start, which then closes.
        (apart, yielding) = (parts(isa, &axes), zero.lt(zero));
    }
    let closing = isa.splat_u32(Contact::CLOSING);
    let touching = touching | isa.splat_u32(Contact::TOUCHING) | closing;
    let resting =
        resting | isa.splat_u32(Contact::OVERLAPPING) | I::U32::select(yielding, none, closing);
    let bits = I::U32::select(apart, touching, resting);
    Answer { hit, near: first, far: last, bits }
}
