//! Until when a plane separates two bodies.
//!
//! A direction `n`, which may rotate at a constant rate `Ω`, bounds the distance from below at each
//! time:
//!
//! ```text
//! f(t) = n(t)·x(t) − h_A(n(t)) − h_B(−n(t))  ≤  distance(t)
//! ```
//!
//! `h` is the support function of a body in its rotation at that time. Without rotation, `f` is a
//! quadratic. Otherwise, on an interval of length `Δ`, with `s` in `[0, 1]` along it, a direction `u`
//! seen from a body that rotates by `ω` deviates from the straight line between its ends by no more than
//! `½·s(1−s)·Δ²·max|u″|`, and `h` is sublinear, so
//!
//! ```text
//! h(u(s)) ≤ (1−s)·h(u(0)) + s·h(u(1)) + ½·s(1−s)·Δ²·|u″|·R        |u″| ≤ |Ω−ω|·|Ω×n| + |ω|·|(Ω−ω)×n|
//! ```
//!
//! where `R` is the bounding radius of the body about its position: two supports bound it over the whole
//! interval, exactly at both ends. `n·x` is bounded in the same way. Together that is a quadratic in
//! `s`, whose first root is a safe time (`docs/math/toi.md` has the proof).
//!
//! **Which `Ω`.** The far corners of a rotating face would pass through a plane that does not rotate
//! with it. If the nearest points are a face or edge of one body and a vertex of the other, `n`
//! rotates with the first; for two edges it stays across both. Then `f` has the slope of the distance
//! itself, and the rounds converge as Newton's method does. Conservative advancement by greatest
//! speeds (Mirtich 1996; Zhang, Lee and Kim 2006) gains a constant factor per round.

use super::curvature::GapCurvature;
use super::relative_motion::{MovingShape, RelativeMotion, RelativePath};
use crate::narrowphase::gjk::{Nearest, RotatedPair};
use crate::narrowphase::math::{V3, greater, lesser, sqrt};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::rotation::Rotation;
use crate::narrowphase::simplex::{Simplex, Vertex};

/// Greatest number of intervals for one plane before another plane is searched.
const INTERVALS_MAX: u32 = 8;

/// Range of a gap within which a plane is followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct GapRange {
    /// The gap that must not be reached, including the bound of the rounding errors.
    pub(super) min: f64,
    /// The gap at which an ignored touch counts as separated; infinite without a touch.
    pub(super) max: f64,
}

/// Until when a plane separates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SafeTime {
    /// Until the end.
    End,
    /// The gap is above the least one of the range until `t`, along `normal` at that time. `separated` is
    /// true if it has reached the greatest one there.
    Until { t: f64, normal: V3, separated: bool },
}

/// A plane at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatingPlane {
    pub(super) t: f64,
    pub(super) normal: V3,
    /// The gap along it.
    pub(super) gap: f64,
}

/// Returns the first time in `[0, end]` at which a quadratic leaves the range, and whether upwards.
#[inline(always)]
fn leaves(range: &GapRange, gap: f64, rate: f64, half_accel: f64, end: f64) -> Option<(f64, bool)> {
    let down = first_root(gap - range.min, rate, half_accel);
    if range.max < f64::INFINITY {
        let up = first_root(range.max - gap, -rate, -half_accel);
        if up < down && up <= end {
            return Some((up, true));
        }
    }
    (down <= end).then_some((down, false))
}

/// Returns until when the plane separates if nothing rotates.
#[inline]
pub(super) fn straight(
    path: &RelativePath,
    plane: &SeparatingPlane,
    range: &GapRange,
    to: f64,
) -> SafeTime {
    let SeparatingPlane { t, normal, gap } = *plane;
    let rate = normal.dot(path.velocity(t));
    let half_accel = 0.5 * normal.dot(path.accel);
    match leaves(range, gap, rate, half_accel, to - t) {
        None => SafeTime::End,
        Some((after, separated)) => SafeTime::Until { t: lesser(t + after, to), normal, separated },
    }
}

/// Returns until when a plane across `found`'s direction separates, rotating as the nearest features
/// do; and the number of supports computed.
#[inline(always)]
pub(super) fn rotating(
    motion: &RelativeMotion<'_>,
    pair: &RotatedPair<'_>,
    (plane, found): (&SeparatingPlane, &Nearest),
    simplex: &Simplex,
    range: &GapRange,
    to: f64,
) -> (SafeTime, u32) {
    if let Some(until) = between_spheres(motion, plane, range, to) {
        return (until, 0);
    }
    let still = Rotation::new(V3::ZERO);
    let SeparatingPlane { t, normal, .. } = *plane;
    let rates = VertexRates::new(motion, pair, normal);
    let of_support = rates.of(&found.support);
    // All vertices of the simplex are about as far along the normal, and the one that closes fastest is
    // soon the farthest.
    let mut least = of_support;
    let mut of_vertices = [0.0; 4];
    for (rate, vertex) in of_vertices.iter_mut().zip(&simplex.vertices[..simplex.len]) {
        *rate = rates.of(vertex);
        least = lesser(*rate, least);
    }
    let of_path = normal.dot(motion.velocity(t));
    let mut first = FirstCrossing::new(motion, &still, plane, range, of_path + least, to);
    let mut rotation = still;
    if let Some(along) = rotation_along_features(motion, &rates, (simplex, &of_vertices), normal) {
        let of_rotation = along.spin.cross(normal).dot(motion.between(t) - found.support.at);
        let rate = of_path + of_rotation + of_support;
        let other = FirstCrossing::new(motion, &along, plane, range, rate, to);
        if other.length > first.length {
            (rotation, first) = (along, other);
        }
    }
    follow(motion, &rotation, plane, first, range, to)
}

/// Returns until when a plane across `found`'s direction separates that rotates with a body; and the
/// number of supports computed.
pub(super) fn rotating_with(
    motion: &RelativeMotion<'_>,
    pair: &RotatedPair<'_>,
    (plane, found): (&SeparatingPlane, &Nearest),
    rotation: Rotation,
    range: &GapRange,
    to: f64,
) -> (SafeTime, u32) {
    let slope = Slope::new(motion, spins(motion, pair), &rotation, plane);
    let rate = slope.at(&in_world(pair, &found.support));
    let first = FirstCrossing::new(motion, &rotation, plane, range, rate, to);
    follow(motion, &rotation, plane, first, range, to)
}

/// Guess for the first interval: the rate of the gap, a useful length, and how much the gap is curved.
#[derive(Clone, Copy)]
pub(super) struct FirstCrossing {
    rate: f64,
    pub(super) length: f64,
    curved: GapCurvature,
}

impl FirstCrossing {
    #[inline(always)]
    pub(super) fn new(
        motion: &RelativeMotion<'_>,
        rotation: &Rotation,
        plane: &SeparatingPlane,
        range: &GapRange,
        rate: f64,
        to: f64,
    ) -> Self {
        let curved = GapCurvature::new(motion, rotation, plane.normal, plane.t);
        let length = interval_length(motion, &curved, plane, range, rate, to);
        Self { rate, length, curved }
    }
}

/// Follows a plane that rotates as `rotation` does, interval by interval. Returns until when it separates, and the number of supports
/// computed.
#[inline(always)]
pub(super) fn follow(
    motion: &RelativeMotion<'_>,
    rotation: &Rotation,
    plane: &SeparatingPlane,
    FirstCrossing { mut rate, mut length, mut curved }: FirstCrossing,
    range: &GapRange,
    to: f64,
) -> (SafeTime, u32) {
    let mut now = *plane;
    let mut steps = 0;
    loop {
        steps += 1;
        let interval = TimeInterval::new(motion, &curved, rotation, &now, length);
        let next = interval.end(motion, rotation, &now);
        let [linear, square] = interval.quadratic(motion, rotation, &now, &next);
        if let Some((s, separated)) = leaves(range, now.gap, linear, square, 1.0) {
            if s < EARLY && next.gap < range.min && steps < INTERVALS_MAX {
                // The interval is so long that the bound of the deviation decides, so a shorter one is tried: as long as a
                // parabola through the known values stays in the range, and a little longer.
                let half_accel = (next.gap - now.gap - rate * length) / (length * length);
                let shorter = 1.25 * first_root(now.gap - range.min, rate, half_accel);
                let (least, most) = (length * s, 0.5 * length);
                length = lesser(greater(shorter, 2.0 * least), most);
                continue;
            }
            let after = interval.length * s;
            let normal = rotation.direction(now.normal, after);
            let t = lesser(now.t + after, to);
            return (SafeTime::Until { t, normal, separated }, steps);
        }
        // The support map of the caller may have returned an invalid point.
        if next.gap.is_nan() {
            return (SafeTime::Until { t: now.t, normal: now.normal, separated: false }, steps);
        }
        if next.t >= to {
            return (SafeTime::End, steps);
        }
        // Almost at the root, where other features may be nearest. A touch that is ignored needs a plane that separates for long.
        let short = next.gap - range.min < SHORT * (plane.gap - range.min);
        if short && range.max == f64::INFINITY {
            return (SafeTime::Until { t: next.t, normal: next.normal, separated: false }, steps);
        }
        rate = (next.gap - now.gap) / interval.length;
        now = next;
        if steps >= INTERVALS_MAX {
            return (SafeTime::Until { t: now.t, normal: now.normal, separated: false }, steps);
        }
        curved = GapCurvature::new(motion, rotation, now.normal, now.t);
        length = interval_length(motion, &curved, &now, range, rate, to);
    }
}

/// Part of the gap at the start: if less is left at the end of an interval, a new plane gains more than another interval.
const SHORT: f64 = 0.1;

/// Factor of the length of Newton's step, so that the root is mostly inside of the interval. If it is not, little of the gap is left.
const NEWTON: f64 = 1.02;

/// Part of an interval before which a root counts as too early: then a shorter interval is tried.
const EARLY: f64 = 0.25;

/// Returns until when the bounding spheres about both positions are separated along the plane, if
/// they are at the start. A body that does not rotate keeps its own support.
fn between_spheres(
    motion: &RelativeMotion<'_>,
    plane: &SeparatingPlane,
    range: &GapRange,
    to: f64,
) -> Option<SafeTime> {
    let support = |mover: &MovingShape<'_>, direction| {
        if mover.rotation.rate == 0.0 {
            mover.support_value(direction, 0.0)
        } else {
            mover.shape.bounding_radius
        }
    };
    let SeparatingPlane { t, normal, .. } = *plane;
    let x = motion.between(t);
    let spheres = motion.a.shape.bounding_radius + motion.b.shape.bounding_radius;
    // Near each other the spheres overlap, so a closer test is not worth its cost.
    if x.dot(normal) - spheres <= range.min
        && motion.a.rotation.rate > 0.0
        && motion.b.rotation.rate > 0.0
    {
        return None;
    }
    let gap = x.dot(normal) - support(&motion.a, normal) - support(&motion.b, -normal);
    // A step that leaves most of the gap is not worth a round. A comparison with NaN is false.
    let far = gap - range.min > FAR * (plane.gap - range.min);
    if range.max < f64::INFINITY || !far {
        return None;
    }
    let until = straight(&motion.path, &SeparatingPlane { gap, ..*plane }, range, to);
    // A step that does not move forward gains nothing.
    match until {
        SafeTime::Until { t: at, .. } if at <= t => None,
        until => Some(until),
    }
}

/// Part of the gap that must remain between the spheres for them to be used.
const FAR: f64 = 0.25;

/// Rates at which the gaps along a direction between the two points of a vertex grow because both bodies rotate.
struct VertexRates<'p> {
    pair: &'p RotatedPair<'p>,
    /// The rate is the product of `of_a` and the point of `a`, less that of `of_b` and the point of `b`.
    /// Each vector is in the axes of its body, so the points need not be rotated.
    of_a: V3,
    of_b: V3,
}

impl<'p> VertexRates<'p> {
    #[inline(always)]
    fn new(motion: &RelativeMotion<'_>, pair: &'p RotatedPair<'p>, normal: V3) -> Self {
        let [spin_a, spin_b] = spins(motion, pair);
        let of_a = pair.a.rotation.rotate_back(spin_a.cross(normal));
        let of_b = pair.b.rotation.rotate_back(spin_b.cross(normal));
        Self { pair, of_a, of_b }
    }

    #[inline(always)]
    fn of(&self, vertex: &Vertex) -> f64 {
        vertex.on_a.dot(self.of_a) - vertex.on_b.dot(self.of_b)
    }
}

/// Returns a plane rotation for which the points of the simplex, each moving with its bodies, stay on
/// the plane.
///
/// A vertex of the simplex is at `y` relative to the nearest point, across `n`, and closes at a rate
/// of its own. Along a normal that changes by `w`, all of them close at the same rate if
/// `w·(yᵢ − y₀) = rᵢ − r₀`. Then the gap has the slope of the distance, because the mean of the
/// rates, with the weights of the nearest point, is that slope.
#[inline(always)]
fn rotation_along_features(
    motion: &RelativeMotion<'_>,
    rates: &VertexRates<'_>,
    (simplex, of_vertices): (&Simplex, &[f64; 4]),
    n: V3,
) -> Option<Rotation> {
    if simplex.len < 2 {
        return None;
    }
    let [first, second, third, _] = &simplex.vertices;
    let [base, of_second, of_third, _] = *of_vertices;
    let (e, r) = (second.at - first.at, of_second - base);
    let ee = e.square();
    let mut w = e * (r / ee);
    // Two vertices that differ on both bodies are a diagonal: the edge of each body is on the plane, so a
    // third corner of their parallelogram is too.
    let third = if simplex.len == 2 {
        let diagonal = first.on_a != second.on_a && first.on_b != second.on_b;
        diagonal.then(|| {
            let corner = rates.pair.vertex(first.on_a, second.on_b);
            (corner.at, rates.of(&corner))
        })
    } else {
        Some((third.at, of_third))
    };
    if let Some((at, of_third)) = third {
        let (f, s) = (at - first.at, of_third - base);
        let (ef, ff) = (e.dot(f), f.square());
        let whole = ee * ff - ef * ef;
        if whole > SLIVER * (ee * ff) {
            w = e * ((r * ff - s * ef) / whole) + f * ((s * ee - r * ef) / whole);
        }
    }
    rotation_of_plane(motion, n, w)
}

/// Returns the rotation of a plane whose normal changes by `w`, unless it is very fast, as for edges that are almost parallel.
#[inline(always)]
pub(super) fn rotation_of_plane(motion: &RelativeMotion<'_>, n: V3, w: V3) -> Option<Rotation> {
    let most = PLANE_RATE_MAX * (motion.a.rotation.rate + motion.b.rotation.rate);
    // A comparison with NaN is false: a side of length zero determines no rotation.
    (w.square() <= most * most).then(|| Rotation::new(n.cross(w)))
}

/// The square of the least sine between two sides of a triangle that determines the plane's rotation.
pub(super) const SLIVER: f64 = 1e-6;

/// Greatest rate at which a plane may rotate, relative to the rates of both bodies together.
const PLANE_RATE_MAX: f64 = 256.0;

/// Returns the angular velocities of both bodies, rotated as in `pair`.
#[inline(always)]
fn spins(motion: &RelativeMotion<'_>, pair: &RotatedPair<'_>) -> [V3; 2] {
    [motion.a.spin(&pair.a.rotation), motion.b.spin(&pair.b.rotation)]
}

/// Returns the two points of a vertex in world axes.
#[inline(always)]
fn in_world(pair: &RotatedPair<'_>, vertex: &Vertex) -> [V3; 2] {
    [pair.a.rotation.rotate(vertex.on_a), pair.b.rotation.rotate(vertex.on_b)]
}

/// Initial rate of the gap along a plane, for given farthest points that stay the farthest.
pub(super) struct Slope {
    /// The part that does not depend on the points.
    pub(super) base: f64,
    /// Vectors in world axes. The rate is `base`, less the product of `of_a` and the point of `a`, plus that of `of_b` and the point of `b`.
    pub(super) of_a: V3,
    pub(super) of_b: V3,
}

impl Slope {
    #[inline(always)]
    pub(super) fn new(
        motion: &RelativeMotion<'_>,
        [spin_a, spin_b]: [V3; 2],
        rotation: &Rotation,
        plane: &SeparatingPlane,
    ) -> Self {
        let (n, spin) = (plane.normal, rotation.spin);
        Self {
            base: n.dot(motion.velocity(plane.t)) + spin.cross(n).dot(motion.between(plane.t)),
            of_a: (spin - spin_a).cross(n),
            of_b: (spin - spin_b).cross(n),
        }
    }

    #[inline(always)]
    fn at(&self, [on_a, on_b]: &[V3; 2]) -> f64 {
        self.base - on_a.dot(self.of_a) + on_b.dot(self.of_b)
    }
}

/// An interval of time, and the greatest deviation of the bound within it.
struct TimeInterval {
    length: f64,
    /// `½·Δ²·(|u″|·R + …)`.
    deviation: f64,
}

/// Returns a useful length of an interval, from the initial slope.
#[inline(always)]
fn interval_length(
    motion: &RelativeMotion<'_>,
    curved: &GapCurvature,
    plane: &SeparatingPlane,
    range: &GapRange,
    rate: f64,
    to: f64,
) -> f64 {
    let gap = plane.gap - range.min;
    let curvature = curved.of_bodies(0.0) + curved.path * curved.furthest;
    // Where twice the gap equals the greatest deviation.
    let curved = 4.0 * sqrt(gap / greater(curvature, f64::MIN_POSITIVE));
    // A little past the end of Newton's step, so that the root is inside.
    let newton = NEWTON * first_root(gap, rate, 0.5 * plane.normal.dot(motion.path.accel));
    lesser(to - plane.t, lesser(curved, newton))
}

impl TimeInterval {
    #[inline(always)]
    fn new(
        motion: &RelativeMotion<'_>,
        curved: &GapCurvature,
        rotation: &Rotation,
        plane: &SeparatingPlane,
        length: f64,
    ) -> Self {
        let mut curvature = curved.of_bodies(curved.across * length);
        if curved.path > 0.0 {
            let furthest = curved.furthest
                + rotation.off_axis(motion.velocity(plane.t)) * length
                + 0.5 * rotation.off_axis(motion.path.accel) * (length * length);
            curvature += curved.path * furthest;
        }
        // Rounding is in the slack of the range; this factor is for the products here.
        Self { length, deviation: 0.5 * length * length * curvature * (1.0 + 1e-12) }
    }

    /// Returns the plane at the end of the interval.
    #[inline(always)]
    fn end(
        &self,
        motion: &RelativeMotion<'_>,
        rotation: &Rotation,
        plane: &SeparatingPlane,
    ) -> SeparatingPlane {
        let t = plane.t + self.length;
        let normal = rotation.direction(plane.normal, self.length);
        let gap = normal.dot(motion.between(t))
            - motion.a.support_value(normal, t)
            - motion.b.support_value(-normal, t);
        SeparatingPlane { t, normal, gap }
    }

    /// Returns the linear and the square term, in `s`, of a quadratic that is nowhere above the gap.
    #[inline(always)]
    fn quadratic(
        &self,
        motion: &RelativeMotion<'_>,
        rotation: &Rotation,
        from: &SeparatingPlane,
        to: &SeparatingPlane,
    ) -> [f64; 2] {
        let change = if rotation.rate == 0.0 { V3::ZERO } else { to.normal - from.normal };
        let (x1, x2) = (
            motion.velocity(from.t) * self.length,
            motion.path.accel * (0.5 * self.length * self.length),
        );
        let cube = change.dot(x2);
        // In [0, 1] a cube is at most the square, and at least twice the square less `s`.
        let cube = if cube > 0.0 { 2.0 * cube } else { cube };
        let square = from.normal.dot(x2) + change.dot(x1) + self.deviation + cube;
        [to.gap - from.gap - square, square]
    }
}

#[cfg(test)]
mod tests;
