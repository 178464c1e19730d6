//! The SIMD arithmetic of the sweeps of spheres, for any lane width.
//!
//! Both sweeps reduce to one problem: for which `t` is `|from + to·t| ≤ reach`? The solution starts
//! from the point of the line nearest to the origin, where nothing cancels. All lengths of a pair
//! are first multiplied by one power of two, so that no square overflows and what underflows is
//! insignificant. The reach is then raised by more than the sum of all rounding errors. The bounds
//! named here are proved in `docs/math/spheres.md`.

use crate::geom::{Contact, MapEach};
use crate::kernels::batch::Answer;
use crate::lanes::vectors::dot;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// Half of the distance from 1 to the next float.
const ULP: f32 = 1.0 / (1 << 24) as f32;
/// The reach is raised by this fraction of the length of the motion.
const SLACK_MOTION: f32 = 18.0 * ULP;
/// The reach is raised by this fraction of the radii.
const SLACK_RADIUS: f32 = 22.0 * ULP;
/// If the square of a motion is below this fraction of the square of the greatest length, there is
/// no motion.
const STILL: f32 = 1.0 / (1_u64 << 50) as f32;
/// Squares of distance and radius that differ by less than this fraction count as equal.
const BAND: f32 = 10.0 * ULP;
/// The absolute part of that tolerance, for squares that underflow: 2⁻¹⁴⁰.
const BAND_TINY: f32 = f32::from_bits(1 << 9);

/// Returns the unit vector along `offset`, or `None` for a zero vector.
///
/// In `f64` no square of a length of `f32` overflows or underflows.
pub(super) fn direction(offset: [f64; 3]) -> Option<[f32; 3]> {
    let [x, y, z] = offset;
    let length = libm::sqrt(x * x + y * y + z * z);
    (length != 0.0).then(|| offset.map_each(|along| (along / length) as f32))
}

/// The times at which the line `from + to · t` is within reach of the origin.
struct Approach<I: Isa> {
    /// First and last such time. Infinite if the line does not move.
    near: I::F32,
    far: I::F32,
    /// Whether it is ever within reach. If not, both times are that of the least distance.
    within: I::Mask,
}

/// Returns the power of two that scales `most` to `[1, 2)`, or as near as the range of `f32`
/// allows.
#[inline(always)]
fn unit<I: Isa>(isa: I, most: I::F32) -> I::F32 {
    let exponent = most.max(isa.splat(f32::MIN_POSITIVE)).to_bits() & isa.splat_u32(0x7f80_0000);
    isa.splat(1.0) / I::F32::from_bits(exponent)
}

/// Returns the square of `radius`, which is first raised by more than the sum of all rounding
/// errors.
#[inline(always)]
fn raised<I: Isa>(isa: I, radius: I::F32, motion: &[I::F32; 3]) -> I::F32 {
    let motion = dot::<I>(motion, motion).sqrt();
    let slack = motion * isa.splat(SLACK_MOTION) + radius * isa.splat(SLACK_RADIUS);
    let reach = radius + slack;
    reach * reach
}

/// Solves `|from + to · t|² ≤ reach`. A `to` whose square is not above `still` counts as zero.
#[inline(always)]
fn approach<I: Isa>(
    isa: I,
    from: &[I::F32; 3],
    to: &[I::F32; 3],
    reach: I::F32,
    still: I::F32,
) -> Approach<I> {
    let zero = isa.splat(0.0);
    let square = dot::<I>(to, to);
    let moves = still.lt(square);
    let inverse = isa.splat(1.0) / square;
    let nearest = I::F32::select(moves, zero - dot::<I>(from, to) * inverse, zero);
    let mut at = [zero; 3];
    for axis in 0..3 {
        at[axis] = from[axis] + nearest * to[axis];
    }
    let least = dot::<I>(&at, &at);
    let half = ((reach - least).max(zero) * inverse).sqrt();
    let half = I::F32::select(moves, half, isa.splat(f32::INFINITY));
    Approach { near: nearest - half, far: nearest + half, within: least.le(reach) }
}

/// Returns whether a squared distance at the start is at most a squared radius, and whether, in
/// addition, it is within rounding at least that.
#[inline(always)]
fn start<I: Isa>(isa: I, distance: I::F32, radius: I::F32) -> (I::Mask, I::Mask) {
    let tiny = isa.splat(BAND_TINY);
    let overlapping = distance.le(radius * isa.splat(1.0 + BAND) + tiny);
    let shallow = (radius * isa.splat(1.0 - BAND) - tiny).le(distance);
    (overlapping, overlapping & shallow)
}

/// Computes the bits of a [`Contact`].
#[inline(always)]
fn contact<I: Isa>(isa: I, overlapping: I::Mask, surface: I::Mask, shrinking: I::Mask) -> I::U32 {
    let none = isa.splat_u32(0);
    let closing = isa.splat_u32(Contact::CLOSING);
    let resting = isa.splat_u32(Contact::SURFACE) | I::U32::select(shrinking, closing, none);
    let overlap = isa.splat_u32(Contact::OVERLAPPING) | I::U32::select(surface, resting, closing);
    I::U32::select(overlapping, overlap, isa.splat_u32(Contact::TOUCHING) | closing)
}

/// Sweeps two spheres, each given by centre, radius and displacement.
#[inline(always)]
pub(super) fn spheres<I: Isa>(isa: I, a: &[I::F32; 7], b: &[I::F32; 7]) -> Answer<I> {
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let (mut offset, mut motion) = ([zero; 3], [zero; 3]);
    let radius = a[3] + b[3];
    let mut most = radius;
    for axis in 0..3 {
        offset[axis] = b[axis] - a[axis];
        motion[axis] = b[4 + axis] - a[4 + axis];
        most = offset[axis].abs().max(most);
        most = motion[axis].abs().max(most);
    }
    let unit = unit(isa, most);
    let (radius, most) = (radius * unit, most * unit);
    for axis in 0..3 {
        offset[axis] = offset[axis] * unit;
        motion[axis] = motion[axis] * unit;
    }

    let reach = raised(isa, radius, &motion);
    let meet = approach(isa, &offset, &motion, reach, most * most * isa.splat(STILL));
    let distance = dot::<I>(&offset, &offset);
    let (overlapping, surface) = start(isa, distance, radius * radius);
    // A contact that lies entirely before or after the tick is no hit.
    let hit = overlapping | (meet.within & meet.near.le(one) & zero.le(meet.far));
    let near = I::F32::select(overlapping, zero, meet.near.max(zero));
    let far = meet.far.min(one).max(zero);
    let shrinking = dot::<I>(&offset, &motion).lt(zero);
    Answer { hit, near, far, bits: contact(isa, overlapping, surface, shrinking) }
}

/// A sphere and a box on one axis, mirrored so that the sphere's centre starts at zero and does not
/// move down: its position is `speed · t`. The box is the interval between `face` and `back`.
#[derive(Clone, Copy)]
struct RoundAxis<F> {
    face: F,
    back: F,
    speed: F,
    /// The times at which the centre passes `face` and `back`. NaN or infinite if it does not move.
    enter: F,
    exit: F,
}

/// Returns how far the centre is past the interval on one axis at time `t`. Negative before the
/// interval.
#[inline(always)]
fn past<I: Isa>(axis: &RoundAxis<I::F32>, t: I::F32) -> I::F32 {
    let at = axis.speed * t;
    at - at.max(axis.face).min(axis.back)
}

/// Times that are known to be before all contact, within reach, or after all contact.
struct TimeBounds<I: Isa> {
    before: I::F32,
    after: I::F32,
    first_within: I::F32,
    last_within: I::F32,
}

/// Classifies the time `t`, at which the centre passes a face, by its position on the other two
/// axes.
#[inline(always)]
fn cut<I: Isa>(
    isa: I,
    bounds: &TimeBounds<I>,
    t: I::F32,
    others: [&RoundAxis<I::F32>; 2],
    reach: I::F32,
) -> TimeBounds<I> {
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let [x, y] = [past::<I>(others[0], t), past::<I>(others[1], t)];
    let distance = x * x + y * y;
    let shrinking = (others[0].speed * x + others[1].speed * y).lt(zero);
    let inside = zero.lt(t) & t.lt(one);
    let far = reach.lt(distance);
    let within = inside & !far;
    let before = inside & far & shrinking;
    let after = inside & far & !shrinking;
    let (never, none) = (isa.splat(f32::INFINITY), isa.splat(f32::NEG_INFINITY));
    TimeBounds {
        before: I::F32::select(before, t, zero).max(bounds.before),
        after: I::F32::select(after, t, one).min(bounds.after),
        first_within: I::F32::select(within, t, never).min(bounds.first_within),
        last_within: I::F32::select(within, t, none).max(bounds.last_within),
    }
}

/// Solves for the times at which the centre is within reach, if on each axis it is where the masks
/// state: before the face, past the back, or else between them.
#[inline(always)]
fn piece<I: Isa>(
    isa: I,
    axes: &[RoundAxis<I::F32>; 3],
    sides: [(I::Mask, I::Mask); 3],
    reach: I::F32,
    still: I::F32,
) -> Approach<I> {
    let zero = isa.splat(0.0);
    let (mut from, mut to) = ([zero; 3], [zero; 3]);
    for axis in 0..3 {
        let (below, above) = sides[axis];
        let RoundAxis { face, back, speed, .. } = axes[axis];
        let past_back = I::F32::select(above, zero - back, zero);
        from[axis] = I::F32::select(below, zero - face, past_back);
        to[axis] = I::F32::select(below | above, speed, zero);
    }
    approach(isa, &from, &to, reach, still)
}

/// Sweeps a sphere (centre, radius, displacement) against a box (corners, displacement).
#[inline(always)]
pub(super) fn sphere_box<I: Isa>(isa: I, a: &[I::F32; 7], b: &[I::F32; 9]) -> Answer<I> {
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let mut axes = [RoundAxis { face: zero, back: zero, speed: zero, enter: zero, exit: zero }; 3];
    let mut away = [zero; 3];
    let mut most = a[3];
    let mut outside = zero.lt(zero);
    let (mut beyond, mut yielding) = (outside, outside);
    for k in 0..3 {
        let (below, above) = (b[k] - a[k], b[3 + k] - a[k]);
        let motion = b[6 + k] - a[4 + k];
        let falls = motion.lt(zero);
        let face = I::F32::select(falls, below, zero - above);
        let back = I::F32::select(falls, above, zero - below);
        let speed = motion.abs();
        // On a face or outside. The signs are exact.
        outside = outside | zero.le(face) | back.le(zero);
        // Outside. The square of the distance may underflow, so it cannot decide this.
        beyond = beyond | zero.lt(face) | back.lt(zero);
        // On the face through which it leaves, or on a face along which it slides.
        yielding = yielding | back.eq(zero) | (face.eq(zero) & speed.eq(zero));
        away[k] = face.max(zero - back).max(zero);
        most = away[k].max(most);
        most = speed.max(most);
        axes[k] = RoundAxis { face, back, speed, ..axes[k] };
    }
    let unit = unit(isa, most);
    let (radius, most) = (a[3] * unit, most * unit);
    let mut motion = [zero; 3];
    let mut shrinking = zero;
    for k in 0..3 {
        // Faces so far away that they overflow are never reached.
        let (face, back, speed) = (axes[k].face * unit, axes[k].back * unit, axes[k].speed * unit);
        let inverse = one / speed;
        let (enter, exit) = (face * inverse, back * inverse);
        axes[k] = RoundAxis { face, back, speed, enter, exit };
        motion[k] = speed;
        away[k] = away[k] * unit;
        shrinking = shrinking + speed * past::<I>(&axes[k], zero);
    }

    let reach = raised(isa, radius, &motion);
    let still = most * most * isa.splat(STILL);
    let distance = dot::<I>(&away, &away);
    let at_start = distance.le(reach);
    let mut bounds = TimeBounds {
        before: zero,
        after: one,
        first_within: I::F32::select(at_start, zero, isa.splat(f32::INFINITY)),
        last_within: I::F32::select(at_start, zero, isa.splat(f32::NEG_INFINITY)),
    };
    for k in 0..3 {
        let others = [&axes[(k + 1) % 3], &axes[(k + 2) % 3]];
        bounds = cut(isa, &bounds, axes[k].enter, others, reach);
        bounds = cut(isa, &bounds, axes[k].exit, others, reach);
    }
    let TimeBounds { before, after, first_within, last_within } = bounds;

    // Contact begins after `before` and ends before `after`. From each of them to the next known
    // time no face is passed, so there the distance is one quadratic.
    let none = zero.lt(zero);
    let (mut opening, mut ending) = ([(none, none); 3], [(none, none); 3]);
    for k in 0..3 {
        let RoundAxis { enter, exit, .. } = axes[k];
        opening[k] = (before.lt(enter), exit.le(before));
        ending[k] = (after.le(enter), exit.lt(after));
    }
    let begin = piece(isa, &axes, opening, reach, still);
    let end = piece(isa, &axes, ending, reach, still);
    let near = begin.near.max(before).min(first_within.min(after));
    let far = end.far.min(after).max(last_within.max(before));
    let between = begin.within & begin.near.le(after) & before.le(begin.far) & before.le(after);
    let hit = zero.le(last_within) | between;

    let (overlapping, shallow) = start(isa, distance, radius * radius);
    // A centre in the interior of the box is no contact of surfaces, however small the radius.
    let surface = shallow & outside;
    // In the box and on its surface the distance is zero and cannot shrink, so the faces decide.
    let pressing = !beyond & !yielding;
    let shrinking = shrinking.lt(zero) | pressing;
    Answer { hit, near, far, bits: contact(isa, overlapping, surface, shrinking) }
}
