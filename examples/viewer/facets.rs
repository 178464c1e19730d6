//! Triangles and edges of the convex hull of points, for drawing.
//!
//! The hull grows point by point: a new point replaces the triangles that are visible from it by a fan over
//! the rim of the visible part (Barber, Dobkin and Huhdanpaa 1996, "The Quickhull algorithm", without its
//! ordering of points). For points on one face, in one plane or at one position, visibility is not well
//! defined, so the search runs on points that are moved by a part in 10⁷ of their size, which the paper also
//! allows; the exact points are drawn. Where other points are nearer to each other than that, the movement can break the hull;
//! then the search is repeated with a greater one. The result is exact enough for pictures only.

use std::collections::HashSet;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Random movements of a point that are tried in turn, relative to the size of all points.
const JOGGLES: [f64; 4] = [1e-7, 1e-6, 1e-5, 1e-4];
/// Up to this number of points are inserted repeatedly, to form a first tetrahedron.
const FEW: usize = 8;

pub(crate) type Point = [f64; 3];

/// A triangle of the hull.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    /// Rows of the points, anticlockwise as seen from outside.
    pub(crate) corners: [usize; 3],
    /// Unit normal, outwards.
    pub(crate) normal: Point,
    offset: f64,
}

pub(crate) fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

pub(crate) fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn unit(a: Point) -> Point {
    let length = dot(a, a).sqrt();
    if length > 0.0 { a.map(|x| x / length) } else { a }
}

/// The convex hull of `points`. Of points in one plane, both sides are returned; some triangles may have no
/// area. Empty if there are no points.
pub(crate) fn facets(points: &[Point]) -> Vec<Facet> {
    JOGGLES.into_iter().find_map(|joggle| hull_of_moved(points, joggle)).unwrap_or_default()
}

/// The convex hull of points, each of which is moved by up to `joggle`. `None` if there are no points, or if the movement has broken the hull.
fn hull_of_moved(points: &[Point], joggle: f64) -> Option<Vec<Facet>> {
    let size = points.iter().flatten().fold(0.0_f64, |most, x| most.max(x.abs()));
    let scale = if size > 0.0 { 1.0 / size } else { 1.0 };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let times = if points.len() < FEW { 4 } else { 1 };
    let joggled: Vec<Point> = (0..points.len() * times)
        .map(|row| {
            points[row % points.len()].map(|x| x * scale + rng.random_range(-joggle..joggle))
        })
        .collect();
    let mut hull = tetrahedron(&joggled)?;
    for row in 0..joggled.len() {
        add(&mut hull, &joggled, row);
        // The points so far and the four of the tetrahedron: a hull of `n` points has at most `2n − 4` triangles.
        if hull.len() > 2 * (row + 5) - 4 {
            return None;
        }
    }
    for facet in &mut hull {
        facet.corners = facet.corners.map(|corner| corner % points.len());
    }
    Some(hull)
}

fn facet(points: &[Point], corners: [usize; 3]) -> Facet {
    let [a, b, c] = corners.map(|corner| points[corner]);
    let normal = unit(cross(minus(b, a), minus(c, a)));
    Facet { corners, normal, offset: dot(normal, a) }
}

/// Chooses points that are far from each other, then far from their line, then far from their plane.
fn tetrahedron(points: &[Point]) -> Option<Vec<Facet>> {
    let furthest = |far: &dyn Fn(Point) -> f64| {
        (0..points.len()).max_by(|&one, &other| far(points[one]).total_cmp(&far(points[other])))
    };
    let a = furthest(&|p| p[0])?;
    let b = furthest(&|p| dot(minus(p, points[a]), minus(p, points[a])))?;
    let along = unit(minus(points[b], points[a]));
    let c = furthest(&|p| {
        let across = cross(minus(p, points[a]), along);
        dot(across, across)
    })?;
    let base = facet(points, [a, b, c]);
    let d = furthest(&|p| (dot(base.normal, p) - base.offset).abs())?;
    let [b, c] = if dot(base.normal, points[d]) > base.offset { [c, b] } else { [b, c] };
    let sides = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
    Some(sides.map(|corners| facet(points, corners)).to_vec())
}

fn add(hull: &mut Vec<Facet>, points: &[Point], row: usize) {
    let sees = |facet: &Facet| dot(facet.normal, points[row]) > facet.offset;
    if hull.iter().any(|facet| facet.corners.contains(&row)) || !hull.iter().any(sees) {
        return;
    }
    let mut rim = HashSet::new();
    for facet in hull.iter().filter(|facet| sees(facet)) {
        for [from, to] in sides(facet.corners) {
            // Both sides of the edge are visible, so it is not on the rim.
            if !rim.remove(&[to, from]) {
                rim.insert([from, to]);
            }
        }
    }
    hull.retain(|facet| !sees(facet));
    let mut rim: Vec<_> = rim.into_iter().collect();
    rim.sort_unstable();
    hull.extend(rim.into_iter().map(|[from, to]| facet(points, [from, to, row])));
}

/// The edges of a triangle, each from one corner to the next.
pub(crate) fn sides([a, b, c]: [usize; 3]) -> [[usize; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}
