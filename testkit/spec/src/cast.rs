//! Reference casts of a segment or ray against a box and against a convex polyhedron.
//!
//! A segment is `start + f · delta` for `f` in `[0, max_fraction]`. On one axis it is between the
//! faces while `min ≤ start + f · delta ≤ max`. For `delta ≠ 0` that holds for `f` between the
//! quotients `(min - start) / delta` and `(max - start) / delta`; for `delta = 0` it holds always
//! or never. The segment is in a half-space `normal · p ≤ offset` while
//! `f · (normal · delta) ≤ offset - normal · start`.
//!
//! Sources: Kay and Kajiya 1986; Ericson 2005, §5.3.3, §5.3.8 and p. 180. In addition, the faces of
//! entry and exit are reported, a start in the interior is distinguished from one on the surface,
//! and a ray has an exit.

use crate::bits::faces;
use swath::batch::{Faces, SegmentStart};
use swath::{Aabb, Invalid, Plane, Segment};

/// Where a segment enters and leaves a box, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cast {
    /// The first fraction at which the segment is in the box. Infinite if it never is.
    pub entry: f64,
    /// The last such fraction, at most `max_fraction`. Infinite for a miss or if it never leaves.
    pub exit: f64,
    /// The faces of entry and exit, and where the segment starts.
    pub faces: Faces,
    /// The length of the intersection: `exit - entry`, or the exit if it is negative, computed
    /// before a miss sets both to infinity.
    ///
    /// A negative value near zero is a narrow miss.
    pub margin: f64,
}

/// Where a segment enters and leaves a polyhedron, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolyhedronCast {
    /// The first fraction at which the segment is in the polyhedron. Infinite if it never is.
    pub entry: f64,
    /// The last such fraction, at most `max_fraction`. Infinite for a miss or if it never leaves.
    pub exit: f64,
    /// The planes that are entered last, one bit each. For a start on the surface, the planes on
    /// which it lies.
    pub entry_planes: u64,
    /// The planes that are left first, one bit each, if that is within `max_fraction`.
    pub exit_planes: u64,
    /// Where the segment starts.
    pub start: SegmentStart,
    /// The length of the intersection, like [`Cast::margin`].
    pub margin: f64,
}

/// Returns the interval of `f` for which `f · rate ≤ room`.
fn half_line(room: f64, rate: f64) -> [f64; 2] {
    match rate {
        0.0 if room >= 0.0 => [f64::NEG_INFINITY, f64::INFINITY],
        0.0 => [f64::INFINITY, f64::NEG_INFINITY],
        _ if rate < 0.0 => [room / rate, f64::INFINITY],
        _ => [f64::NEG_INFINITY, room / rate],
    }
}

/// Returns the intersection of all half-lines with `[0, max_fraction]`, and its length.
fn shared(ends: impl Iterator<Item = [f64; 2]> + Clone, max_fraction: f32) -> [f64; 3] {
    let entry = ends.clone().map(|ends| ends[0]).fold(0.0, f64::max);
    let exit = ends.map(|ends| ends[1]).fold(f64::from(max_fraction), f64::min);
    let margin = if exit < 0.0 { exit } else { exit - entry };
    // The margin would be NaN for a ray whose entry and exit are both infinite.
    [entry, exit, if entry == f64::INFINITY { f64::NEG_INFINITY } else { margin }]
}

/// Casts `segment` against `aabb`.
///
/// Differences of `f32` values are rounded to `f64` once each, so fractions are exact to about
/// 2⁻⁵¹. Signs, and with them the start, are exact.
///
/// # Errors
///
/// [`Invalid`] when the segment or the box is invalid.
pub fn cast(segment: &Segment, aabb: &Aabb) -> Result<Cast, Invalid> {
    segment.validate()?;
    aabb.validate()?;
    let mut ends = [[0.0; 2]; 6];
    let (mut outside, mut standing, mut negative) = (false, 0, 0);
    for axis in 0..3 {
        let d = f64::from(segment.delta[axis]);
        let below = f64::from(segment.start[axis]) - f64::from(aabb.min[axis]);
        let above = f64::from(aabb.max[axis]) - f64::from(segment.start[axis]);
        ends[2 * axis] = half_line(below, -d);
        ends[2 * axis + 1] = half_line(above, d);
        outside |= below < 0.0 || above < 0.0;
        if below == 0.0 || above == 0.0 {
            standing |= 1 << axis;
            // Of two faces in one plane, the one whose normal points against the motion.
            negative |= u32::from(above != 0.0 || below == 0.0 && d > 0.0) << axis;
        }
    }
    let [entry, exit, margin] = shared(ends.iter().copied(), segment.max_fraction);
    if margin < 0.0 {
        let never = f64::INFINITY;
        return Ok(Cast { entry: never, exit: never, faces: Faces::MISS, margin });
    }
    let mut leaving = 0;
    let (mut entering, mut against) = (0, 0);
    for axis in (0..3).filter(|&axis| segment.delta[axis] != 0.0) {
        let rises = segment.delta[axis] > 0.0;
        let [by_low, by_high] = [ends[2 * axis], ends[2 * axis + 1]];
        let (near, far) = if rises { (by_low[0], by_high[1]) } else { (by_high[0], by_low[1]) };
        if near == entry {
            entering |= 1 << axis;
            against |= u32::from(rises) << axis;
        }
        if far == exit {
            leaving |= (1 | u32::from(!rises) << faces::NEGATIVE_SHIFT) << axis;
        }
    }
    let (axes, signs, start) = match (outside, standing) {
        (true, _) => (entering, against, faces::OUTSIDE),
        (false, 0) => (0, 0, faces::INSIDE),
        (false, _) => (standing, negative, faces::ON_SURFACE),
    };
    let entering = axes | signs << faces::NEGATIVE_SHIFT;
    let faces = faces::from_bits(entering | leaving << faces::EXIT_SHIFT | start);
    Ok(Cast { entry, exit, faces, margin })
}

/// Casts `segment` against the intersection of `planes`. Only the first 64 planes are used.
///
/// Sums of products are rounded in `f64`, so fractions are accurate to about 2⁻⁵⁰ of the greatest
/// term.
///
/// # Errors
///
/// [`Invalid`] when the segment or a plane is invalid.
pub fn polyhedron(segment: &Segment, planes: &[Plane]) -> Result<PolyhedronCast, Invalid> {
    segment.validate()?;
    let mut ends = [half_line(0.0, 0.0); 64];
    let (mut outside, mut standing) = (false, 0);
    for (k, plane) in planes.iter().enumerate().take(64) {
        plane.validate()?;
        let dot = |vector: [f32; 3]| {
            (0..3).map(|axis| f64::from(plane.normal[axis]) * f64::from(vector[axis])).sum::<f64>()
        };
        let room = f64::from(plane.offset) - dot(segment.start);
        ends[k] = half_line(room, dot(segment.delta));
        outside |= room < 0.0;
        standing |= u64::from(room == 0.0 && plane.normal != [0.0; 3]) << k;
    }
    let [entry, exit, margin] = shared(ends.iter().copied(), segment.max_fraction);
    let mask = |at: usize, end: f64| {
        (0..64).filter(|&k| ends[k][at] == end).fold(0, |mask, k| mask | 1_u64 << k)
    };
    if margin < 0.0 {
        let (never, start) = (f64::INFINITY, SegmentStart::Outside);
        let (entry_planes, exit_planes) = (0, 0);
        return Ok(PolyhedronCast {
            entry: never,
            exit: never,
            entry_planes,
            exit_planes,
            start,
            margin,
        });
    }
    let exit_planes = if exit == f64::INFINITY { 0 } else { mask(1, exit) };
    let (entry_planes, start) = match (outside, standing) {
        (true, _) => (mask(0, entry), SegmentStart::Outside),
        (false, 0) => (0, SegmentStart::Inside),
        (false, _) => (standing, SegmentStart::OnSurface),
    };
    Ok(PolyhedronCast { entry, exit, entry_planes, exit_planes, start, margin })
}
