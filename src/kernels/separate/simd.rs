//! The SIMD arithmetic of a separation, for any lane width.

use crate::geom::{COORD_MAX, Contact};
use crate::kernels::batch::Answer;
use crate::kernels::batch::{ContactRows, LowestAxis};
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// The greatest possible depth: the size of the valid range.
const DEPTH_MAX: f32 = 2.0 * COORD_MAX;

/// Returns `x - y` rounded to nearest, and the exact rounding error of it (Knuth 1998, §4.2.2).
#[inline(always)]
fn two_difference<I: Isa>(x: I::F32, y: I::F32) -> (I::F32, I::F32) {
    let difference = x - y;
    let part = difference - x;
    (difference, (x - (difference - part)) - (y + part))
}

/// Returns the least float that is not below `rounded + error`, for a number that is not negative.
#[inline(always)]
fn up<I: Isa>(isa: I, rounded: I::F32, error: I::F32) -> I::F32 {
    let zero = isa.splat(0.0);
    // The next float up has one more in its bits. Zero is always exact; its sign is made positive.
    let step = I::U32::select(zero.lt(error), isa.splat_u32(1), isa.splat_u32(0));
    I::F32::from_bits(rounded.to_bits().wrapping_add(step)) + zero
}

/// A candidate translation that separates the boxes.
#[derive(Clone, Copy)]
struct Push<I: Isa> {
    /// The length, rounded to nearest. The sign is exact.
    cost: I::F32,
    /// The rounding error: `cost + error` is exact.
    error: I::F32,
    /// The bits of axis and sign, as in a [`Contact`].
    bits: I::U32,
}

impl<I: Isa> Push<I> {
    #[inline(always)]
    fn new(isa: I, x: I::F32, y: I::F32, bits: u32) -> Self {
        let (cost, error) = two_difference::<I>(x, y);
        Self { cost, error, bits: isa.splat_u32(bits) }
    }

    /// Returns the one with the lesser exact length, or `self` if they are equal.
    ///
    /// Rounding is monotonic, so if the rounded lengths differ, the exact ones differ in the same
    /// direction.
    #[inline(always)]
    fn or_shorter(self, other: Self) -> Self {
        let shorter =
            other.cost.lt(self.cost) | other.cost.eq(self.cost) & other.error.lt(self.error);
        Self {
            cost: I::F32::select(shorter, other.cost, self.cost),
            error: I::F32::select(shorter, other.error, self.error),
            bits: I::U32::select(shorter, other.bits, self.bits),
        }
    }
}

/// Computes the depth and the bits of a [`Contact`] from `[min, max]` of each box.
#[inline(always)]
pub(super) fn answer<I: Isa>(isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
    let zero = isa.splat(0.0);
    let mut apart = zero.lt(zero);
    // A sentinel: every candidate is shorter, and none ties with it.
    let infinite = isa.splat(f32::INFINITY);
    let mut least = Push { cost: infinite, error: infinite, bits: isa.splat_u32(0) };
    for axis in 0..3 {
        let bit = 1 << axis;
        let both = bit | bit << Contact::NEGATIVE_SHIFT;
        let rise = Push::new(isa, a[3 + axis], b[axis], bit);
        let fall = Push::new(isa, b[3 + axis], a[axis], both);
        apart = apart | rise.cost.lt(zero) | fall.cost.lt(zero);
        least = least.or_shorter(rise).or_shorter(fall);
    }
    let depth = up(isa, least.cost, least.error);
    let surface = Contact::OVERLAPPING | Contact::CLOSING;
    let inside = isa.splat_u32(surface | Contact::INSIDE);
    let surface = isa.splat_u32(surface);
    let bits = least.bits | I::U32::select(zero.lt(depth), inside, surface);
    Answer { hit: !apart, near: depth, far: zero, bits }
}

/// Computes the signed moves of two bodies along the axis, given their inverse masses.
///
/// Together they are at least the depth.
#[inline(always)]
pub(super) fn shares<I: Isa>(isa: I, rows: &ContactRows<I, 1, 1>) -> [I::F32; 2] {
    let zero = isa.splat(0.0);
    let (depth, [a], [b]) = (rows.number, rows.a, rows.b);
    let axis = LowestAxis::of(isa, rows.contact);
    let (light, heavy) = (a.max(b), a.min(b));
    let sum = a + b;
    // The heavier one moves less. Its share is rounded; the lighter one takes the rest, rounded up,
    // so that the sum is never below the depth.
    let less = depth * (heavy / sum);
    let (rest, error) = two_difference::<I>(depth, less);
    let more = up(isa, rest, error);
    // For equal masses use the greater share for both: half of the smallest float is not
    // representable.
    let less = I::F32::select(light.eq(heavy), less.max(more), less);
    let more = I::F32::select(light.eq(heavy), less, more);
    // No move where neither body can be moved or the depth is zero.
    let moves = rows.valid & axis.any & zero.lt(sum) & zero.lt(depth);
    let moves = moves & depth.le(isa.splat(DEPTH_MAX));
    let a_is_light = b.lt(a);
    let of_a = I::F32::select(a_is_light, more, less);
    let of_b = I::F32::select(a_is_light, less, more);
    // A body that cannot be moved has a share of zero. Write zero without a sign.
    let of_a = I::F32::select(moves & zero.lt(of_a), of_a, zero);
    let of_b = I::F32::select(moves & zero.lt(of_b), of_b, zero);
    [
        I::F32::select(axis.negative, of_a, zero - of_a),
        I::F32::select(axis.negative, zero - of_b, of_b),
    ]
}
