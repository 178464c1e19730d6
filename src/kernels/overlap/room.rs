//! The arithmetic of an overlap, for any lane width.

use crate::geom::{Plane, Side};
use crate::kernels::ask::Answer;
use crate::lanes::{F32Lanes, Isa, U32Lanes};

/// Answers that are yes or no.
#[inline(always)]
fn yes_or_no<I: Isa>(isa: I, hit: I::Mask) -> Answer<I> {
    let zero = isa.splat(0.0);
    Answer { hit, near: zero, far: zero, bits: isa.splat_u32(0) }
}

/// Whether two boxes share a point. Exact.
#[inline(always)]
pub(crate) fn boxes<I: Isa>(isa: I, a: &[I::F32; 6], b: &[I::F32; 6]) -> Answer<I> {
    let x = a[0].le(b[3]) & b[0].le(a[3]);
    let y = a[1].le(b[4]) & b[1].le(a[4]);
    let z = a[2].le(b[5]) & b[2].le(a[5]);
    yes_or_no(isa, x & y & z)
}

/// By how much the square of a radius is raised: 8·2⁻²⁴, more than the seven roundings on the way
/// to a comparison can amount to.
const RAISE: f32 = 8.0 / (1 << 24) as f32;
/// The exponent of a float.
const EXPONENT: u32 = 0x7f80_0000;

/// Whether a sphere (centre and radius) and a box share a point.
#[inline(always)]
pub(crate) fn sphere<I: Isa>(isa: I, sphere: &[I::F32; 4], aabb: &[I::F32; 6]) -> Answer<I> {
    // The unit of length is the power of two next below the radius, so the square of the radius is
    // neither too small nor too large for a float. A gap whose square is too large for one is
    // larger than the radius, and infinity says so; one too small adds nothing that counts.
    let radius = sphere[3];
    let unit = I::F32::from_bits(radius.to_bits() & isa.splat_u32(EXPONENT));
    // Below the normal numbers the least normal one will do.
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

/// By how much a box is widened, as a part of its greatest coordinates: 16·2⁻²⁴, more than what is
/// rounded on the way to a comparison with a plane, twice as large as the box is.
const WIDEN: f32 = 16.0 / (1 << 24) as f32;
/// What is too small for floats to keep is less.
const WIDEN_TINY: f32 = f32::MIN_POSITIVE;

/// Where a box lies as to the region that is inside of all `planes`: the number of a [`Side`].
#[inline(always)]
pub(crate) fn planes<I: Isa>(isa: I, planes: &[Plane], aabb: &[I::F32; 6]) -> Answer<I> {
    // All lengths are doubled, so nothing is halved: halves of the least floats are none.
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
    let (yes, no) = (isa.splat_u32(Side::Inside as u32), isa.splat_u32(Side::Crossing as u32));
    let bits = I::U32::select(inside, yes, no);
    let zero = isa.splat(0.0);
    Answer { hit: !outside, near: zero, far: zero, bits }
}

/// By how much bounds are widened for [`near_planes`], as a part of their greatest coordinates:
/// 24·2⁻²⁴, more than what is rounded here and there together.
const WIDEN_BOUNDS: f32 = 24.0 / (1 << 24) as f32;
/// More than what is too small for floats to keep, here and there together.
const WIDEN_BOUNDS_TINY: f32 = 2.0 * f32::MIN_POSITIVE;

/// Which bounds may hold a box that is not outside of any of `planes`.
///
/// True wherever [`planes`] would not call such a box outside. That rounds in an order of its own,
/// in which larger bounds may come out as outside and a box in them not; here each step is
/// monotonic in the ends of the bounds, and so is its rounding.
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
            // The end that lies farthest against the normal.
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
