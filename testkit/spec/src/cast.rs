//! Where does a segment or ray enter a box, and by which face?
//!
//! A segment is `start + f · delta` for `f` in `[0, max_fraction]`. On one axis it is between the
//! faces while `min ≤ start + f · delta ≤ max`, which for `delta ≠ 0` is `f` between the quotients
//! `(min - start) / delta` and `(max - start) / delta`; for `delta = 0` it is always or never. In a
//! half-space `normal · p ≤ offset` it is while `f · (normal · delta) ≤ offset - normal · start`.
//!
//! Kay and Kajiya 1986; Ericson 2005, §5.3.3, §5.3.8 and p. 180. Here the faces of entry and
//! exit are told, a start inside is told from one on the surface, and a ray has an exit.

use crate::bits::faces;
use swath::geom::{Aabb, Faces, Invalid, Plane, Segment, Start};

/// Where a segment enters and leaves a box, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cast {
    /// The first fraction at which it is in the box; infinite when it is at none.
    pub entry: f64,
    /// The last, at most `max_fraction`; infinite when there is none or it never leaves.
    pub exit: f64,
    /// The faces of both, and where it starts.
    pub faces: Faces,
    /// For how long it is in the box: `exit - entry` before that was found to be a miss, or the
    /// exit if it is negative. Near zero from below, it tells how narrow a miss was.
    pub margin: f64,
}

/// Where a segment enters and leaves a polyhedron, in `f64`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PolyhedronCast {
    /// The first fraction at which it is in the polyhedron; infinite when it is at none.
    pub entry: f64,
    /// The last, at most `max_fraction`; infinite when there is none or it never leaves.
    pub exit: f64,
    /// The planes that it enters last, for a start on the surface those that it stands on.
    pub entry_planes: u64,
    /// The planes that it leaves first, if it does within `max_fraction`.
    pub exit_planes: u64,
    /// Where it starts.
    pub start: Start,
    /// As [`Cast::margin`].
    pub margin: f64,
}

/// The fractions at which `f · rate ≤ room`.
fn half_line(room: f64, rate: f64) -> [f64; 2] {
    match rate {
        0.0 if room >= 0.0 => [f64::NEG_INFINITY, f64::INFINITY],
        0.0 => [f64::INFINITY, f64::NEG_INFINITY],
        _ if rate < 0.0 => [room / rate, f64::INFINITY],
        _ => [f64::NEG_INFINITY, room / rate],
    }
}

/// What all half-lines share with `[0, max_fraction]`, and how long that is.
fn shared(ends: impl Iterator<Item = [f64; 2]> + Clone, max_fraction: f32) -> [f64; 3] {
    let entry = ends.clone().map(|ends| ends[0]).fold(0.0, f64::max);
    let exit = ends.map(|ends| ends[1]).fold(f64::from(max_fraction), f64::min);
    let margin = if exit < 0.0 { exit } else { exit - entry };
    // For a ray that starts and stays in the box.
    [entry, exit, if entry == f64::INFINITY { f64::NEG_INFINITY } else { margin }]
}

/// Where `segment` enters and leaves `aabb`.
///
/// Differences of `f32` values are rounded to `f64` once each, so fractions are exact to about
/// 2⁻⁵¹; signs, and with them the start, are exact.
///
/// # Errors
///
/// [`Invalid`] when one of them is no segment or box.
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
            // Of two faces in one plane the one against the motion.
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

/// Where `segment` enters and leaves what all of `planes` hold; the first 64 count.
///
/// Sums of products are rounded in `f64`, so fractions are as exact as these sums: to about 2⁻⁵⁰
/// of the greatest of their terms.
///
/// # Errors
///
/// [`Invalid`] when one of them is no segment or half-space.
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
        let (never, start) = (f64::INFINITY, Start::Outside);
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
        (true, _) => (mask(0, entry), Start::Outside),
        (false, 0) => (0, Start::Inside),
        (false, _) => (standing, Start::OnSurface),
    };
    Ok(PolyhedronCast { entry, exit, entry_planes, exit_planes, start, margin })
}
