//! Reference distance of two convex cores, with a certificate.
//!
//! A pair of points, one in each core, proves an upper bound of the distance. A direction along
//! which all of one core lies behind all of the other proves a lower bound. Every result contains
//! both, so it does not depend on how they were found:
//!
//! ```text
//! active sets ← one point of each core
//! repeat
//!     shortest ← shortest segment between their hulls     all pairs of features (features.rs)
//!     upper    ← its length
//!     lower    ← gap of the cores along its direction     support functions
//!     stop if upper - lower is small enough
//!     reduce the active sets to the corners of the two features
//!     add the farthest points of the cores along the direction, stop if there are none
//! ```
//!
//! For a round core the active points get as close to each other as necessary.
//!
//! If the cores overlap, the distance continues below zero: minus the length of the minimum
//! translation after which they at most touch (penetration depth). The depth of the active sets is
//! the least over all facets of the Minkowski difference of their hulls, which are also enumerated.
//! It is never greater than the depth of the cores, and a direction proves that it is not less.

use super::features::{Mix, Way, facing, overlap, ways};
use super::solid::{Encounter, Placed, Vertex};
use super::vector::{Vector, cross, dot, length, minus, plus, times, unit};

/// Limit of rounds. The search then returns the bounds it has proved.
const ROUNDS_MAX: usize = 80;
/// A depth of this many rounding errors is sufficient: more than what decides about a hit.
const DEEP: f64 = 4096.0;
/// Number of directions of nearly least depth of the active sets that are tried at the end.
const NEXT_MAX: usize = 64;
/// Limit of active points of one core in the search for the depth.
const KEPT_MAX: usize = 10;

/// Bounds of the distance of two cores at one time.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    /// Lower bound of the distance: the gap along `normal`. Negative if the cores overlap.
    pub(super) lower: f64,
    /// Upper bound of the distance: the distance of `points`.
    pub(super) upper: f64,
    /// A proved lower bound of the penetration depth. Zero if the cores do not overlap.
    pub(super) depth: f64,
    /// The unit normal from `a` to `b`.
    pub(super) normal: Vector,
    pub(super) points: [Vertex; 2],
    /// The corners of the features that contain the points.
    pub(super) corners: [Vec<Vertex>; 2],
}

/// Returns the gap between `a` and `b` along the unit vector `normal`, and the points that bound
/// it.
fn gap_along(placed: &[Placed<'_>; 2], normal: Vector) -> (f64, [Vertex; 2]) {
    let (on_a, front) = placed[0].farthest(normal);
    let (on_b, back) = placed[1].farthest(times(normal, -1.0));
    (-back - front, [on_a, on_b])
}

fn keep(kept: &mut Vec<Vertex>, vertex: Vertex) -> bool {
    let new = !kept.iter().any(|other| other.body == vertex.body);
    if new {
        kept.push(vertex);
    }
    new
}

/// Bounds the distance of the cores at `t`, until `enough(lower, upper)` is true.
pub(super) fn nearest(
    encounter: &Encounter<'_>,
    t: f64,
    enough: impl Fn(f64, f64) -> bool,
) -> Nearest {
    let placed = encounter.at(t);
    let even = encounter.noise;
    let first = unit(placed[1].origin).unwrap_or([1.0, 0.0, 0.0]);
    let (lower, [on_a, on_b]) = gap_along(&placed, first);
    let mut kept = [[on_a].to_vec(), [on_b].to_vec()];
    let mut found = Nearest {
        lower,
        upper: f64::INFINITY,
        depth: 0.0,
        normal: first,
        points: [on_a, on_b],
        corners: kept.clone(),
    };
    for _ in 0..ROUNDS_MAX {
        if overlap(&kept[0], &kept[1], even) {
            found.upper = 0.0;
            return deepest(&placed, kept, found, even);
        }
        let ways = ways(&kept[0], &kept[1]);
        let way = shortest(&ways, &kept, even / 4.0);
        let points = [way.a.point(&kept[0]), way.b.point(&kept[1])];
        let known = found.upper - found.lower;
        if way.distance < found.upper {
            found.upper = way.distance;
            found.points = points;
            found.corners = [way.a.corners(&kept[0]), way.b.corners(&kept[1])];
        }
        if way.distance <= even {
            return deepest(&placed, kept, found, even);
        }
        let normal = oriented(way.normal, points);
        let (lower, far) = gap_along(&placed, normal);
        if lower > found.lower {
            (found.lower, found.normal) = (lower, normal);
        }
        let mut bent = f64::NEG_INFINITY;
        let mut rims = None;
        for normal in tangent(&placed, [&way.a, &way.b], &kept, points) {
            let normal = oriented(normal, points);
            let (lower, far) = gap_along(&placed, normal);
            if lower > bent {
                (bent, rims) = (lower, Some(far));
            }
            if lower > found.lower {
                (found.lower, found.normal) = (lower, normal);
            }
        }
        if found.upper - found.lower >= known {
            // Among segments of equal length some have a slightly wrong direction.
            for other in ways.iter().filter(|other| other.distance <= way.distance + even) {
                let normal = oriented(other.normal, points);
                let (lower, _) = gap_along(&placed, normal);
                if lower > found.lower {
                    (found.lower, found.normal) = (lower, normal);
                }
            }
        }
        if found.upper - found.lower <= even || enough(found.lower, found.upper) {
            break;
        }
        // Only the corners of the features are needed; every new point is farther along the
        // direction.
        kept = [way.a.corners(&kept[0]), way.b.corners(&kept[1])];
        let mut new = false;
        for side in 0..2 {
            for corner in 0..kept[side].len() {
                let height = kept[side][corner].body[1];
                let rim = placed[side].rim_beyond(points[side].body, height);
                new |= rim.is_some_and(|rim| keep(&mut kept[side], rim));
            }
            new |= keep(&mut kept[side], far[side]);
            new |= rims.is_some_and(|rims| keep(&mut kept[side], rims[side]));
        }
        if !new {
            break;
        }
    }
    found
}

/// Returns the shortest segment whose ends are within the hulls.
///
/// Among segments that differ by at most `even`, the one between larger features is preferred. The
/// length is that between the ends, because the distance along the normal of a sliver may differ
/// from it.
fn shortest(ways: &[Way], kept: &[Vec<Vertex>; 2], even: f64) -> Way {
    let mut best = *ways.last().expect("two points have a direction");
    for way in ways.iter().filter(|way| way.ends_within()).rev() {
        let larger = way.a.count + way.b.count > best.a.count + best.b.count;
        let limit = best.distance + if larger { even } else { 0.0 };
        if way.distance < limit {
            let ends = minus(way.b.point(&kept[1]).at, way.a.point(&kept[0]).at);
            let distance = length(ends).max(way.distance);
            if distance < limit {
                best = Way { distance, ..*way };
            }
        }
    }
    best
}

/// Returns `normal` or its opposite, whichever points from the first point to the second.
fn oriented(normal: Vector, points: [Vertex; 2]) -> Vector {
    let forwards = dot(minus(points[1].at, points[0].at), normal) >= 0.0;
    if forwards { normal } else { times(normal, -1.0) }
}

/// Returns the directions perpendicular to both features if a core is round.
///
/// A chord of the rim is replaced by the tangent at its point, because active points of a rim get
/// so close to each other that their chord no longer has an accurate direction.
fn tangent(
    placed: &[Placed<'_>; 2],
    mixes: [&Mix; 2],
    kept: &[Vec<Vertex>; 2],
    points: [Vertex; 2],
) -> Vec<Vector> {
    let mut normals = Vec::new();
    if placed.iter().all(|placed| !placed.core.is_round()) {
        return normals;
    }
    let spans =
        [0, 1].map(|side| placed[side].spans(&mixes[side].corners(&kept[side]), points[side]));
    let spans = spans.concat();
    let way = minus(points[1].at, points[0].at);
    if let [along] = spans[..] {
        let square = dot(along, along);
        normals.extend(unit(minus(way, times(along, dot(way, along) / square))));
    }
    for (i, &one) in spans.iter().enumerate() {
        normals.extend(spans[i + 1..].iter().filter_map(|&other| unit(cross(one, other))));
    }
    normals
}

/// Computes the depth of cores that touch or overlap, and the direction in which it is least.
fn deepest(
    placed: &[Placed<'_>; 2],
    mut kept: [Vec<Vertex>; 2],
    mut found: Nearest,
    even: f64,
) -> Nearest {
    for axis in 0..3 {
        // Start with points in all directions, so that there are facets.
        for sign in [1.0, -1.0] {
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            look_along(placed, normal, &mut kept, &mut found);
        }
    }
    for _ in 0..ROUNDS_MAX {
        let of_kept = |normal: Vector| {
            let far = |side: &[Vertex], along: Vector| {
                side.iter().map(|v| dot(v.at, along)).fold(f64::NEG_INFINITY, f64::max)
            };
            far(&kept[0], normal) + far(&kept[1], times(normal, -1.0))
        };
        let mut depths: Vec<(f64, Vector)> =
            facing(&kept[0], &kept[1]).into_iter().map(|n| (of_kept(n), n)).collect();
        depths.sort_by(|one, other| one.0.total_cmp(&other.0));
        let Some(&(depth, normal)) = depths.first() else {
            return found; // both are points on one line
        };
        let new = look_along(placed, normal, &mut kept, &mut found);
        found.depth = depth.max(0.0);
        let known = depth + found.lower >= -even;
        let full = kept.iter().any(|side| side.len() > KEPT_MAX);
        if depth > DEEP * even || known {
            return found;
        }
        if full || !new {
            // The normals of slivers are inaccurate, so one of the next directions may separate
            // better.
            for &(_, normal) in depths.iter().take(NEXT_MAX) {
                let (lower, _) = gap_along(placed, normal);
                if lower > found.lower {
                    (found.lower, found.normal) = (lower, normal);
                }
            }
            return found;
        }
    }
    found
}

fn look_along(
    placed: &[Placed<'_>; 2],
    normal: Vector,
    kept: &mut [Vec<Vertex>; 2],
    found: &mut Nearest,
) -> bool {
    let (lower, far) = gap_along(placed, normal);
    if lower > found.lower {
        (found.lower, found.normal) = (lower, normal);
    }
    let new = [0, 1].map(|side| keep(&mut kept[side], far[side]));
    new[0] || new[1]
}

/// The distance of two solids with its certificate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// Lower bound of the distance, except for rounding: the gap along `normal`.
    ///
    /// Negative if the solids overlap; then minus `lower` is an upper bound of the depth.
    pub lower: f64,
    /// Upper bound of the distance, except for rounding.
    pub upper: f64,
    /// The nearest point of `a` at that time, in the world frame.
    pub on_a: [f64; 3],
    /// The nearest point of `b` at that time, in the world frame.
    pub on_b: [f64; 3],
    /// The unit normal from `a` to `b` along which `lower` is the gap.
    pub normal: [f64; 3],
    /// Upper bound of the rounding error of both bounds.
    pub noise: f64,
}

/// Returns the distance of `a` and `b` at time `t`.
#[must_use]
pub fn distance(a: &super::MovingSolid, b: &super::MovingSolid, t: f64) -> Distance {
    let encounter = Encounter::new(a, b);
    let near = nearest(&encounter, t, |_, _| false);
    let (radius_a, radius_b) = (a.solid.radius, b.solid.radius);
    let origin = encounter.origin(t);
    // The surface point is along the shortest segment, unless that is too short to have a
    // direction.
    let way = minus(near.points[1].at, near.points[0].at);
    let sharp = length(way) > 1e-6 * encounter.size;
    let out = if sharp { unit(way).unwrap_or(near.normal) } else { near.normal };
    let on = |vertex: Vertex, by: f64| plus(plus(origin, vertex.at), times(out, by));
    Distance {
        lower: near.lower - (radius_a + radius_b),
        upper: (near.upper - (radius_a + radius_b)).max(0.0),
        on_a: on(near.points[0], radius_a),
        on_b: on(near.points[1], -radius_b),
        normal: near.normal,
        noise: encounter.noise,
    }
}

/// Returns the gap between `a` and `b` at `t` along `direction`, which need not be of unit length.
///
/// Negative if `direction` does not separate them.
#[must_use]
pub fn gap(a: &super::MovingSolid, b: &super::MovingSolid, t: f64, direction: [f64; 3]) -> f64 {
    let normal = unit(direction).unwrap_or_default();
    let encounter = Encounter::new(a, b);
    gap_along(&encounter.at(t), normal).0 - (a.solid.radius + b.solid.radius)
}
