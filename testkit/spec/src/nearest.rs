//! How far apart are two convex cores, with a proof?
//!
//! A pair of points, one in each core, shows that the distance is not more; a direction along which
//! all of the one lies behind all of the other shows that it is not less. Every answer carries
//! both, so nothing depends on how they were found:
//!
//! A few points of each core are kept. The shortest way between the hulls of the kept points is
//! found by looking at all pairs of features (`features.rs`). It is the pair of points, and its
//! direction the one to look along. If some point of a core is farther along that direction it is
//! kept too, and so on until none is. Of a round core the kept points come to lie as close
//! as they have to.
//!
//! Where the cores overlap, the distance is continued below zero: minus the length of the
//! shortest move that leaves them no more than touching. Of the kept points alone this depth is the
//! least over all facets of the difference of their hulls, again by looking at all; it is never
//! more than that of the cores, and a direction shows that it is not less.

use super::features::{Mix, Way, facing, overlap, ways};
use super::solid::{Encounter, Placed, Vertex};
use super::vector::{Vector, cross, dot, length, minus, plus, times, unit};

/// A search that is not done by then says what it knows.
const ROUNDS_MAX: usize = 80;
/// A depth of that many roundings is enough: more than what decides of a hit.
const DEEP: f64 = 4096.0;
/// Directions in which the kept points are about as deep that are looked along in the end.
const NEXT_MAX: usize = 64;
/// Points of one core that are kept to find a depth.
const KEPT_MAX: usize = 10;

/// What is known about two cores at a time.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    /// The gap along `normal`: the distance is not less. Below zero where they overlap.
    pub(super) lower: f64,
    /// The distance is not more: that of the points.
    pub(super) upper: f64,
    /// Proved to be the least depth, or more than enough: zero where they do not overlap.
    pub(super) depth: f64,
    /// Unit, from `a` to `b`.
    pub(super) normal: Vector,
    pub(super) points: [Vertex; 2],
    /// The corners of the features that the points are in.
    pub(super) corners: [Vec<Vertex>; 2],
}

/// The gap between `a` and `b` along the unit `normal`, and the points that bound it.
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

/// The distance of the cores at `t`, until `enough` is known: of a lower and an upper bound.
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
            // Of ways of one length some have a direction that is only just off.
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
        // Of what was kept only the feature bears the way; all that is new is farther along it.
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

/// The shortest way whose ends are within. Of ways that differ by `even` at most, one between large
/// features. Its length is that between its ends: of a sliver, the way along the normal is another.
fn shortest(ways: &[Way], kept: &[Vec<Vertex>; 2], even: f64) -> Way {
    let mut best = *ways.last().expect("two points always have a way");
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

/// A direction or its opposite, from the first to the second.
fn oriented(normal: Vector, points: [Vertex; 2]) -> Vector {
    let forwards = dot(minus(points[1].at, points[0].at), normal) >= 0.0;
    if forwards { normal } else { times(normal, -1.0) }
}

/// The directions that are at a right angle to both features, those of a round core being bent: a
/// chord stands for the tangent at its point. Kept points of a rim come so close to each other
/// that their chord has no direction left; a tangent always has one.
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

/// Of cores that touch or overlap: the depth, and the direction in which it is least.
fn deepest(
    placed: &[Placed<'_>; 2],
    mut kept: [Vec<Vertex>; 2],
    mut found: Nearest,
    even: f64,
) -> Nearest {
    for axis in 0..3 {
        // Points in all directions, for there to be facets.
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
            // The normals of slivers are not sharp: one of the next may separate better.
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

/// A distance of two solids with its proof, and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The distance is not less, but for rounding. Below zero where they overlap: then minus the
    /// gap along `normal`, which tells at most how deep.
    pub lower: f64,
    /// The distance is not more, but for rounding.
    pub upper: f64,
    /// The nearest point of `a`, in the world, at that time.
    pub on_a: [f64; 3],
    /// The nearest point of `b`.
    pub on_b: [f64; 3],
    /// Unit, from `a` to `b`: `lower` is the gap along it.
    pub normal: [f64; 3],
    /// What rounding may have lost of the two bounds.
    pub noise: f64,
}

/// The distance of `a` and `b` at `t`.
#[must_use]
pub fn distance(a: &super::MovingSolid, b: &super::MovingSolid, t: f64) -> Distance {
    let encounter = Encounter::new(a, b);
    let near = nearest(&encounter, t, |_, _| false);
    let (radius_a, radius_b) = (a.solid.radius, b.solid.radius);
    let origin = encounter.origin(t);
    // Off the core straight to the other, unless that is too short to have a direction.
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

/// The gap between `a` and `b` at `t` along `direction`, which need not be unit: how far `b` lies
/// wholly before `a`, below zero if it does not.
#[must_use]
pub fn gap(a: &super::MovingSolid, b: &super::MovingSolid, t: f64, direction: [f64; 3]) -> f64 {
    let normal = unit(direction).unwrap_or_default();
    let encounter = Encounter::new(a, b);
    gap_along(&encounter.at(t), normal).0 - (a.solid.radius + b.solid.radius)
}
