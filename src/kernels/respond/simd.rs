//! The SIMD arithmetic of a response, for any lane width.

use crate::geom::{COORD_MAX, Contact, Member};
use crate::kernels::batch::{ContactRows, LowestAxis, axes};
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// Returns the mask of lanes in which `b`, moving by `relative` in the frame of `a`, approaches
/// `a`.
#[inline(always)]
fn is_closing<I: Isa>(isa: I, relative: I::F32, negative: I::Mask) -> I::Mask {
    let zero = isa.splat(0.0);
    negative & zero.lt(relative) | !negative & relative.lt(zero)
}

/// Clamps `x` to the valid range of displacements.
#[inline(always)]
fn valid<I: Isa>(isa: I, x: I::F32) -> I::F32 {
    x.min(isa.splat(COORD_MAX)).max(isa.splat(-COORD_MAX))
}

/// Computes the displacements of `a` and of `b` along the lowest axis of contact after the
/// response.
///
/// The input of each body is `[x, y, z, inverse mass]`. The number of a contact is its restitution.
#[inline(always)]
pub(super) fn along<I: Isa>(isa: I, rows: &ContactRows<I, 4, 4>) -> [I::F32; 2] {
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let ([ax, ay, az, mass_a], [bx, by, bz, mass_b]) = (rows.a, rows.b);
    let axis = LowestAxis::of(isa, rows.contact);
    let (a, b) = (axis.pick(ax, ay, az), axis.pick(bx, by, bz));
    let restitution = rows.number;

    let relative = b - a;
    let sum = mass_a + mass_b;
    let may_close = !rows.contact.disjoint(isa.splat_u32(Contact::CLOSING));
    let closes = may_close & is_closing(isa, relative, axis.negative);
    let responds =
        axis.any & rows.valid & closes & zero.lt(sum) & zero.le(restitution) & restitution.le(one);

    // The change of the relative displacement. The heavier body takes the smaller part of it.
    let change = relative * (one + restitution);
    let less = change * (mass_a.min(mass_b) / sum);
    let more = change - less;
    let (a_is_light, b_is_light) = (mass_b.lt(mass_a), mass_a.lt(mass_b));
    let after_a = valid(isa, a + I::F32::select(b_is_light, less, more));
    let after_b = valid(isa, b - I::F32::select(a_is_light, less, more));

    // If the bodies are still closing after rounding, the lighter one takes the displacement of the
    // heavier one; bodies of equal mass take the mean. So a second response is never needed.
    let again = is_closing(isa, after_b - after_a, axis.negative);
    let mean = (after_a + after_b) * isa.splat(0.5);
    let joint_a = I::F32::select(a_is_light, after_b, I::F32::select(b_is_light, after_a, mean));
    let joint_b = I::F32::select(b_is_light, after_a, I::F32::select(a_is_light, after_b, mean));
    let after_a = I::F32::select(again, joint_a, after_a);
    let after_b = I::F32::select(again, joint_b, after_b);

    // A body of infinite mass keeps its displacement to the bit, including the sign of a zero.
    [
        I::F32::select(responds & zero.lt(mass_a), after_a, unchanged(isa, a, axis.any)),
        I::F32::select(responds & zero.lt(mass_b), after_b, unchanged(isa, b, axis.any)),
    ]
}

/// Returns `x` where it is a valid displacement along an axis, else zero.
#[inline(always)]
fn unchanged<I: Isa>(isa: I, x: I::F32, any: I::Mask) -> I::F32 {
    I::F32::select(any & x.abs().le(isa.splat(COORD_MAX)), x, isa.splat(0.0))
}

/// Computes the remaining displacement of one body after the first time of contact, which is the
/// number of the contact.
#[inline(always)]
pub(super) fn slide<I: Isa>(isa: I, member: Member, rows: &ContactRows<I, 3, 0>) -> [I::F32; 3] {
    let (zero, one) = (isa.splat(0.0), isa.splat(1.0));
    let hit = isa.splat_u32(Contact::TOUCHING | Contact::OVERLAPPING);
    let hit = !rows.contact.disjoint(hit);
    // The order of operands makes NaN zero.
    let left = one - rows.number.max(zero).min(one);
    let left = I::F32::select(hit, left, one);

    let touches = axes(isa, rows.contact, 0);
    let negative = axes(isa, rows.contact, Contact::NEGATIVE_SHIFT);
    let mut rest = [zero; 3];
    for axis in 0..3 {
        let along = rows.a[axis];
        // The normal points from `a` to `b`: into the face for `a`, out of it for `b`.
        let rises = match member {
            Member::A => !negative[axis],
            Member::B => negative[axis],
        };
        let into = rises & zero.lt(along) | !rises & along.lt(zero);
        let keeps = rows.valid & !(hit & touches[axis] & into);
        rest[axis] = I::F32::select(keeps, along * left, zero);
    }
    rest
}
