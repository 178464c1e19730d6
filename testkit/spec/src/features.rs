//! Closest features of two small sets of points: corners, edges and triangles.
//!
//! The shortest segment between two convex hulls ends in the interior of a feature of each and is
//! perpendicular to both: point and point, point and edge, two edges, or point and triangle. All of
//! these pairs are examined. Each two points count as an edge and each three as a triangle, whether
//! they are on the surface or not, because interior points are never closer.
//!
//! The direction of the segment is computed from the features, not from its ends, so it remains
//! accurate for surfaces that almost touch.

use super::solid::Vertex;
use super::vector::{Vector, cross, dot, length, minus, plus, times, unit};

/// A triangle or two edges define a direction only if the sine of their angle is greater than this.
const SINE_MIN: f64 = 1e-14;

/// A convex combination of the corners of a feature: their number, indices and weights.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mix {
    pub(super) count: usize,
    pub(super) which: [usize; 3],
    pub(super) weight: [f64; 3],
}

impl Mix {
    fn one(which: usize) -> Self {
        Self { count: 1, which: [which, 0, 0], weight: [1.0, 0.0, 0.0] }
    }

    fn two([i, j]: [usize; 2], to_j: f64) -> Self {
        Self { count: 2, which: [i, j, 0], weight: [1.0 - to_j, to_j, 0.0] }
    }

    /// Returns the corners of the feature.
    pub(super) fn corners(&self, of: &[Vertex]) -> Vec<Vertex> {
        self.which[..self.count].iter().map(|&which| of[which]).collect()
    }

    /// Returns the combined point, in the frame of the encounter and in that of its body.
    pub(super) fn point(&self, of: &[Vertex]) -> Vertex {
        let mut point = Vertex { body: [0.0; 3], at: [0.0; 3] };
        for (&which, &weight) in self.which[..self.count].iter().zip(&self.weight) {
            point.body = plus(point.body, times(of[which].body, weight));
            point.at = plus(point.at, times(of[which].at, weight));
        }
        point
    }
}

/// A segment perpendicular to a feature of one hull and a feature of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) a: Mix,
    pub(super) b: Mix,
    pub(super) distance: f64,
    /// The unit direction from one hull to the other, up to its sign. Zero if the segment has no
    /// direction.
    pub(super) normal: Vector,
}

/// Returns the signed distance of a point from the plane of a triangle, its weights there, and the
/// normal.
pub(super) fn point_triangle(p: Vector, [q, r, s]: [Vector; 3]) -> Option<([f64; 3], f64, Vector)> {
    let (first, second, way) = (minus(r, q), minus(s, q), minus(p, q));
    let across = cross(first, second);
    let square = dot(across, across);
    let sine = length(across) / (length(first) * length(second));
    let normal = unit(across).filter(|_| sine > SINE_MIN && square > 0.0)?;
    let to_r = dot(cross(way, second), across) / square;
    let to_s = dot(cross(first, way), across) / square;
    Some(([1.0 - to_r - to_s, to_r, to_s], dot(way, normal), normal))
}

/// Returns the signed distance of two lines, the parameter of the nearest point on each, and the
/// normal.
pub(super) fn line_line(a: [Vector; 2], b: [Vector; 2]) -> Option<([f64; 2], f64, Vector)> {
    let (along_a, along_b, way) = (minus(a[1], a[0]), minus(b[1], b[0]), minus(b[0], a[0]));
    let across = cross(along_a, along_b);
    let square = dot(across, across);
    let sine = length(across) / (length(along_a) * length(along_b));
    let normal = unit(across).filter(|_| sine > SINE_MIN && square > 0.0)?;
    let on_a = dot(cross(way, along_b), across) / square;
    let on_b = dot(cross(way, along_a), across) / square;
    Some(([on_a, on_b], dot(way, normal), normal))
}

/// Returns the parameter of the point of a line nearest to `p`, and the vector from there to `p`.
fn line_point([q, r]: [Vector; 2], p: Vector) -> Option<(f64, Vector)> {
    let along = minus(r, q);
    let square = dot(along, along);
    let (part, unit) = (dot(minus(p, q), along) / square, unit(along)?);
    let way = minus(p, plus(q, times(along, part)));
    Some((part, minus(way, times(unit, dot(way, unit)))))
}

fn within(weights: &[f64]) -> bool {
    weights.iter().all(|&weight| (0.0..=1.0).contains(&weight))
}

/// A segment that misses a feature by less than this may still have the right direction.
const BESIDE: f64 = 1e-6;

fn about_within(weights: &[f64]) -> bool {
    weights.iter().all(|&weight| (-BESIDE..=1.0 + BESIDE).contains(&weight))
}

/// Returns the segments between all features of the hulls of `a` and `b`, large features first.
///
/// Unless the interiors of the hulls overlap (see [`overlap`]), the shortest segment that
/// [`Way::ends_within`] is their distance.
pub(super) fn ways(a: &[Vertex], b: &[Vertex]) -> Vec<Way> {
    let mut ways = Vec::new();
    for (points, others, swapped) in [(a, b, false), (b, a, true)] {
        for (i, j, k) in threes(points.len()) {
            for (p, other) in others.iter().enumerate() {
                let corners = [points[i].at, points[j].at, points[k].at];
                let found = point_triangle(other.at, corners);
                if let Some((weight, far, normal)) = found.filter(|found| about_within(&found.0)) {
                    let (mix, one) = (Mix { count: 3, which: [i, j, k], weight }, Mix::one(p));
                    let (a, b) = if swapped { (one, mix) } else { (mix, one) };
                    ways.push(Way { a, b, distance: far.abs(), normal });
                }
            }
        }
    }
    for (i, j) in twos(a.len()) {
        for (k, l) in twos(b.len()) {
            let found = line_line([a[i].at, a[j].at], [b[k].at, b[l].at]);
            if let Some((part, far, normal)) = found.filter(|found| about_within(&found.0)) {
                let (a, b) = (Mix::two([i, j], part[0]), Mix::two([k, l], part[1]));
                ways.push(Way { a, b, distance: far.abs(), normal });
            }
        }
    }
    for (points, others, swapped) in [(a, b, false), (b, a, true)] {
        for (i, j) in twos(points.len()) {
            for (p, other) in others.iter().enumerate() {
                let found = line_point([points[i].at, points[j].at], other.at);
                if let Some((part, way)) = found.filter(|found| about_within(&[found.0])) {
                    let (mix, one) = (Mix::two([i, j], part), Mix::one(p));
                    let (a, b) = if swapped { (one, mix) } else { (mix, one) };
                    let normal = unit(way).unwrap_or_default();
                    ways.push(Way { a, b, distance: length(way), normal });
                }
            }
        }
    }
    for (i, from) in a.iter().enumerate() {
        for (j, to) in b.iter().enumerate() {
            let way = minus(to.at, from.at);
            let normal = unit(way).unwrap_or_default();
            ways.push(Way { a: Mix::one(i), b: Mix::one(j), distance: length(way), normal });
        }
    }
    ways
}

impl Way {
    /// Returns whether both ends are in the hulls. Then the distance is at most that of the
    /// segment.
    pub(super) fn ends_within(&self) -> bool {
        within(&self.a.weight[..self.a.count]) && within(&self.b.weight[..self.b.count])
    }
}

/// Returns whether the hulls share a point that is interior to the hull of five points: in a
/// tetrahedron, or on an edge through a triangle.
///
/// The point computed as a combination of either must be the same within `even`, because signs and
/// weights of a sliver are only rounding errors.
pub(super) fn overlap(a: &[Vertex], b: &[Vertex], even: f64) -> bool {
    [(a, b), (b, a)].into_iter().any(|(points, others)| {
        let pierced = threes(points.len()).any(|(i, j, k)| {
            let corners = [points[i].at, points[j].at, points[k].at];
            twos(others.len()).any(|(p, q)| pierces([others[p].at, others[q].at], corners, even))
        });
        let n = points.len();
        pierced
            || threes(n).any(|(i, j, k)| {
                (k + 1..n).any(|l| {
                    let corners = [points[i].at, points[j].at, points[k].at, points[l].at];
                    others.iter().any(|other| holds(corners, other.at, even))
                })
            })
    })
}

fn pierces(edge: [Vector; 2], corners: [Vector; 3], even: f64) -> bool {
    let across = cross(minus(corners[1], corners[0]), minus(corners[2], corners[0]));
    let [start, end] = edge.map(|p| dot(minus(p, corners[0]), across));
    if start * end >= 0.0 {
        return false;
    }
    let at = plus(edge[0], times(minus(edge[1], edge[0]), start / (start - end)));
    let found = point_triangle(at, corners).filter(|found| within(&found.0));
    found.is_some_and(|(weights, ..)| mixed(&corners, &weights, at) <= even)
}

fn holds(corners: [Vector; 4], p: Vector, even: f64) -> bool {
    let volume = |a: Vector, b: Vector, c: Vector, d: Vector| {
        dot(cross(minus(b, a), minus(c, a)), minus(d, a))
    };
    let [a, b, c, d] = corners;
    let parts = [volume(p, b, c, d), volume(a, p, c, d), volume(a, b, p, d), volume(a, b, c, p)];
    if !parts.iter().all(|&part| part > 0.0) && !parts.iter().all(|&part| part < 0.0) {
        return false;
    }
    let whole = parts.iter().sum::<f64>();
    mixed(&corners, &parts.map(|part| part / whole), p) <= even
}

/// Returns the distance of the weighted sum of `corners` from `p`.
fn mixed(corners: &[Vector], weights: &[f64], p: Vector) -> f64 {
    let weighed = corners.iter().zip(weights).map(|(&corner, &weight)| times(corner, weight));
    length(minus(weighed.fold([0.0; 3], plus), p))
}

/// Returns the normals that a facet of the Minkowski difference of the hulls may have, and their
/// opposites.
pub(super) fn facing(a: &[Vertex], b: &[Vertex]) -> Vec<Vector> {
    let mut normals = Vec::new();
    let mut span = |first: Vector, second: Vector| {
        let across = cross(first, second);
        let spans = length(across) > SINE_MIN * length(first) * length(second);
        if let Some(normal) = unit(across).filter(|_| spans) {
            normals.extend([normal, times(normal, -1.0)]);
        }
    };
    for points in [a, b] {
        for (i, j, k) in threes(points.len()) {
            span(minus(points[j].at, points[i].at), minus(points[k].at, points[i].at));
        }
    }
    for (i, j) in twos(a.len()) {
        for (k, l) in twos(b.len()) {
            span(minus(a[j].at, a[i].at), minus(b[l].at, b[k].at));
        }
    }
    normals
}

fn twos(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)))
}

fn threes(count: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    twos(count).flat_map(move |(i, j)| (j + 1..count).map(move |k| (i, j, k)))
}
