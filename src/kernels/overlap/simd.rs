//! The SIMD arithmetic of an overlap, for any lane width.

use crate::geom::{Plane, PlaneSide};
use crate::kernels::batch::Answer;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// Returns an answer that consists of a mask only.
#[inline(always)]
fn yes_or_no<I: Isa>(isa: I, hit: I::Mask) -> Answer<I> {
    let zero = isa.splat(0.0);
    Answer { hit, near: zero, far: zero, bits: isa.splat_u32(0) }
}

/// Tests whether two boxes share a point. Exact.
#[inline(always)]
pub(crate) fn boxes<I: Isa>(isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
    let x = a[0].le(b[3]) & b[0].le(a[3]);
    let y = a[1].le(b[4]) & b[1].le(a[4]);
    let z = a[2].le(b[5]) & b[2].le(a[5]);
    yes_or_no(isa, x & y & z)
}

/// Relative increase of the square of a radius: 8·2⁻²⁴, more than the sum of the seven rounding
/// errors before the comparison.
const RAISE: f32 = 8.0 / (1 << 24) as f32;
/// Mask of the exponent bits of a float.
const EXPONENT: u32 = 0x7f80_0000;

/// Tests whether a sphere (centre and radius) and a box share a point.
#[inline(always)]
pub(crate) fn sphere<I: Isa>(isa: I, sphere: &[I::F32; 4], aabb: &[I::F32; 6]) -> Answer<I> {
    // The unit of length is the greatest power of two that is at most the radius, so the square of
    // the radius neither underflows nor overflows. A distance whose square overflows is greater
    // than the radius, and infinity gives the right result; one whose square underflows is too
    // small to matter.
    let radius = sphere[3];
    let unit = I::F32::from_bits(radius.to_bits() & isa.splat_u32(EXPONENT));
    // For denormal radii the smallest normal number is the unit.
    let per_unit = isa.splat(1.0) / unit.max(isa.splat(f32::MIN_POSITIVE));
    let radius = radius * per_unit;
    let reach = radius * radius * isa.splat(1.0 + RAISE);

    let mut squares = [reach; 3];
    for axis in 0..3 {
        let center = sphere[axis];
        let gap = (aabb[axis] - center).max(center - aabb[3 + axis]).max(isa.splat(0.0));
        let gap = gap * per_unit;
        squares[axis] = gap * gap;
    }
    let distance = squares[0] + squares[1] + squares[2];
    yes_or_no(isa, distance.le(reach))
}

/// Relative enlargement of a box: 16·2⁻²⁴ of its greatest coordinates, twice the rounding errors
/// before a comparison with a plane.
const WIDEN: f32 = 16.0 / (1 << 24) as f32;
/// Absolute enlargement, more than the rounding errors below the normal range.
const WIDEN_TINY: f32 = f32::MIN_POSITIVE;

/// Classifies a box against all `planes`. The packed word is the number of a [`PlaneSide`].
#[inline(always)]
pub(crate) fn planes<I: Isa>(isa: I, planes: &[Plane], aabb: &[I::F32; 6]) -> Answer<I> {
    // All lengths are doubled, so that nothing is halved: halving the smallest float would give
    // zero.
    let mut center = [isa.splat(0.0); 3];
    let mut extent = center;
    for axis in 0..3 {
        let (min, max) = (aabb[axis], aabb[3 + axis]);
        center[axis] = min + max;
        let farthest = min.abs().max(max.abs());
        extent[axis] = (max - min) + farthest * isa.splat(WIDEN);
    }
    let [x, y, z] = center;
    let [dx, dy, dz] = extent;
    let mut outside = isa.splat(0.0).lt(isa.splat(0.0));
    let mut inside = !outside;
    for plane in planes {
        let [nx, ny, nz] = plane.normal;
        let offset = isa.splat(plane.offset + plane.offset);
        let middle = isa.splat(nx) * x + isa.splat(ny) * y + isa.splat(nz) * z;
        let (nx, ny, nz) = (nx.abs(), ny.abs(), nz.abs());
        let reach = isa.splat(nx) * dx + isa.splat(ny) * dy + isa.splat(nz) * dz;
        let reach = reach + isa.splat(WIDEN_TINY);
        outside = outside | offset.lt(middle - reach);
        inside = inside & (middle + reach).le(offset);
    }
    let (yes, no) =
        (isa.splat_u32(PlaneSide::Inside as u32), isa.splat_u32(PlaneSide::Crossing as u32));
    let bits = I::U32::select(inside, yes, no);
    let zero = isa.splat(0.0);
    Answer { hit: !outside, near: zero, far: zero, bits }
}

/// Relative enlargement of bounds in [`near_planes`]: 24·2⁻²⁴ of their greatest coordinates, more
/// than the rounding errors of [`planes`] and of [`near_planes`] together.
const WIDEN_BOUNDS: f32 = 24.0 / (1 << 24) as f32;
/// Absolute enlargement, more than the rounding errors below the normal range of both together.
const WIDEN_BOUNDS_TINY: f32 = 2.0 * f32::MIN_POSITIVE;

/// Tests which bounds may contain a box that is not outside of any of `planes`.
///
/// It is true for all bounds that contain a box which [`planes`] does not report as outside.
/// [`planes`] itself cannot be used for bounds, because its order of rounding could report the
/// bounds as outside and a box inside of them as not. Here each step is monotonic in the ends of
/// the bounds, including its rounding.
#[inline(always)]
pub(crate) fn near_planes<I: Isa>(isa: I, planes: &[Plane], bounds: &[I::F32; 6]) -> I::Mask {
    let mut farthest = [isa.splat(0.0); 3];
    for (axis, farthest) in farthest.iter_mut().enumerate() {
        *farthest = bounds[axis].abs().max(bounds[3 + axis].abs());
    }
    let mut near = isa.splat(0.0).le(isa.splat(0.0));
    for plane in planes {
        let (mut least, mut wide) = ([isa.splat(0.0); 3], farthest);
        for axis in 0..3 {
            let normal = plane.normal[axis];
            // The end that is farthest against the normal.
            let end = if normal < 0.0 { bounds[3 + axis] } else { bounds[axis] };
            least[axis] = isa.splat(normal) * end;
            wide[axis] = isa.splat(normal.abs()) * farthest[axis];
        }
        let wide = (wide[0] + wide[1] + wide[2]) * isa.splat(WIDEN_BOUNDS);
        let wide = wide + isa.splat(WIDEN_BOUNDS_TINY);
        let least = least[0] + least[1] + least[2] - wide;
        near = near & least.le(isa.splat(plane.offset));
    }
    near
}
