//! Nearest point of a simplex to a given point.
//!
//! A simplex is one to four points of the difference `A − B` of two cores, each stored with the two
//! points that it is the difference of. The point nearest to `x` lies on the smallest face that contains
//! it; the other vertices are dropped. Weights come from the normal equations of the edges at one vertex
//! (Gram's matrix) rather than from products with the distance as in Ericson 2005, §5.1.5: so
//! cancellation is relative to the size of the simplex, not to the distance.
//!
//! Nothing is promised of the weights. Rounding here costs iterations, but never makes a wrong bound,
//! because bounds come from supports (`gjk/nearest.rs`).

use super::math::{V3, lesser};
use crate::geom::MapEach;

/// A point of `A − B`, and the two points in the axes of their shapes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    /// The difference in world axes, relative to the position of `A`.
    pub(super) at: V3,
    pub(super) on_a: V3,
    pub(super) on_b: V3,
}

impl Vertex {
    /// Whether the vertex is invalid: a support map of the caller returned an invalid point.
    #[inline(always)]
    pub(super) fn is_invalid(&self) -> bool {
        self.at.x.is_nan()
    }
}

/// A simplex of up to four vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    pub(super) vertices: [Vertex; 4],
    pub(super) len: usize,
}

/// A face of the simplex: its vertices, and its point nearest to the origin.
#[derive(Clone, Copy)]
struct Face {
    which: [usize; 3],
    len: usize,
    nearest: V3,
    /// Direction from there to the origin, of any length. It is known before `nearest` is.
    toward: V3,
}

impl Face {
    #[inline(always)]
    fn vertex(i: usize, y: V3) -> Self {
        Self { which: [i, 0, 0], len: 1, nearest: y, toward: -y }
    }

    #[inline(always)]
    fn edge(i: usize, j: usize, y: V3, edge: V3, t: f64) -> Self {
        let nearest = y + edge * t;
        // Rounding along a long edge would tilt a short vector, so that component is removed.
        let nearest = nearest - edge * (nearest.dot(edge) / edge.square());
        Self { which: [i, j, 0], len: 2, nearest, toward: -nearest }
    }
}

impl Simplex {
    #[inline(always)]
    pub(super) fn push(&mut self, vertex: Vertex) {
        self.vertices[self.len] = vertex;
        self.len += 1;
    }

    /// Returns whether the simplex has this vertex, or the vertex is invalid. The loop is branch-free,
    /// because each comparison would be unpredictable.
    #[inline(always)]
    pub(super) fn has(&self, vertex: &Vertex) -> bool {
        let mut has = vertex.is_invalid();
        for (slot, own) in self.vertices.iter().enumerate() {
            let (p, q) = (own.at, vertex.at);
            has |= (slot < self.len) & (p.x == q.x) & (p.y == q.y) & (p.z == q.z);
        }
        has
    }

    /// Reduces the simplex to the smallest face that contains the point nearest to `x`. Returns the
    /// vector from `x` to that point, and the direction back, of any length. Both are zero if `x` is
    /// inside of a tetrahedron.
    #[inline(always)]
    pub(super) fn reduce(&mut self, x: V3) -> [V3; 2] {
        let y = |i: usize| self.vertices[i].at - x;
        let face = match self.len {
            1 => return [y(0), -y(0)],
            2 => of_edge([0, 1], [y(0), y(1)]),
            3 => of_triangle([0, 1, 2], [y(0), y(1), y(2)]),
            _ => match of_tetrahedron(&[y(0), y(1), y(2), y(3)]) {
                Some(face) => face,
                None => return [V3::ZERO; 2],
            },
        };
        // Faces list vertices in rising order, so none is overwritten before it is read.
        for k in 0..face.len {
            if face.which[k] != k {
                self.vertices[k] = self.vertices[face.which[k]];
            }
        }
        self.len = face.len;
        [face.nearest, face.toward]
    }

    fn side(&self, i: usize, j: usize) -> V3 {
        self.vertices[j].at - self.vertices[i].at
    }

    /// Returns the weights of the point nearest to `x`, for a simplex that is reduced.
    pub(super) fn weights(&self, x: V3) -> [f64; 4] {
        let [first, second, third, fourth] = &self.vertices;
        let (e, f, along) = (second.at - first.at, third.at - first.at, x - first.at);
        match self.len {
            0 | 1 => [1.0, 0.0, 0.0, 0.0],
            2 => {
                let of_second = part(along.dot(e), e.square());
                [1.0 - of_second, of_second, 0.0, 0.0]
            }
            3 => {
                let [of_second, of_third] = parts([e, f], along);
                let of_first = 1.0 - of_second - of_third;
                // A comparison with NaN is false.
                if [of_first, of_second, of_third].iter().all(|&weight| weight >= 0.0) {
                    return [of_first, of_second, of_third, 0.0];
                }
                // A point that is outside only by rounding is on a side.
                let mut best = ([1.0, 0.0, 0.0, 0.0], f64::INFINITY);
                for &[i, j] in &[[0, 1], [0, 2], [1, 2]] {
                    let (side, along) = (self.side(i, j), x - self.vertices[i].at);
                    let of_j = part(along.dot(side), side.square());
                    let square = (along - side * of_j).square();
                    if square < best.1 {
                        let mut weights = [0.0; 4];
                        (weights[i], weights[j]) = (1.0 - of_j, of_j);
                        best = (weights, square);
                    }
                }
                best.0
            }
            _ => {
                let sides = [e, f, fourth.at - first.at];
                let rough = parts_of_tetrahedron(sides, along);
                let [of_second, of_third, of_fourth] = rough;
                // Long sides that are almost collinear lose digits: the rest is small, and its parts are exact to as many digits.
                let rest = along - e * of_second - f * of_third - sides[2] * of_fourth;
                let more = parts_of_tetrahedron(sides, rest);
                let [of_second, of_third, of_fourth] = [0, 1, 2].map_each(|k| rough[k] + more[k]);
                [1.0 - of_second - of_third - of_fourth, of_second, of_third, of_fourth]
            }
        }
    }
}

/// Returns a quotient, clamped to `[0, 1]`.
fn part(of: f64, whole: f64) -> f64 {
    // A comparison with NaN is false.
    let part = of / whole;
    if part > 0.0 { lesser(part, 1.0) } else { 0.0 }
}

/// Returns the coefficients of two sides of a triangle from one corner in a vector from there, without
/// the component across both. NaN if a side has no length.
///
/// For sides that are almost collinear, the normal equations square the loss of digits. With the
/// component of one across the other (Gram and Schmidt) it is not squared.
fn parts([e, f]: [V3; 2], along: V3) -> [f64; 2] {
    let (ee, ef) = (e.square(), e.dot(f));
    let across = f - e * (ef / ee);
    let of_f = along.dot(across) / across.square();
    [(along.dot(e) - of_f * ef) / ee, of_f]
}

/// Returns the coefficients of three sides of a tetrahedron from one corner in a vector from there (Cramer's rule).
fn parts_of_tetrahedron([e, f, g]: [V3; 3], along: V3) -> [f64; 3] {
    let volume = e.dot(f.cross(g));
    [f.cross(g), g.cross(e), e.cross(f)].map_each(|normal| along.dot(normal) / volume)
}

/// Returns the nearest face of a tetrahedron, or `None` for a point inside.
#[inline(always)]
fn of_tetrahedron(y: &[V3; 4]) -> Option<Face> {
    let (e1, e2, e3) = (y[1] - y[0], y[2] - y[0], y[3] - y[0]);
    let (c23, c31, c12) = (e2.cross(e3), e3.cross(e1), e1.cross(e2));
    let volume = e1.dot(c23);
    let to = -y[0];
    let (w1, w2, w3) = (to.dot(c23), to.dot(c31), to.dot(c12));
    // Bound of the error of the products. A flat tetrahedron has no inside.
    let (g11, g22, g33) = (e1.square(), e2.square(), e3.square());
    let scale = g11 + g22 + g33;
    let flat = volume * volume <= (FLAT * FLAT) * (scale * scale * scale);
    let sign = if volume < 0.0 { -1.0 } else { 1.0 };
    let (w1, w2, w3) = (w1 * sign, w2 * sign, w3 * sign);
    let w0 = volume.abs() - w1 - w2 - w3;
    let (d1, d2, d3) = (to.dot(e1), to.dot(e2), to.dot(e3));
    let mut best = None;
    let mut least = f64::INFINITY;
    // If the point is outside of a face and projects into it, that face is the nearest; otherwise all
    // are compared.
    if flat || w3 <= 0.0 {
        let sides = TriangleSides { bb: g11, bc: e1.dot(e2), cc: g22, d1, d2 };
        let face = of_sides([0, 1, 2], y, &sides, &c12);
        if face.len == 3 && !flat {
            return Some(face);
        }
        (best, least) = (Some(face), face.nearest.square());
    }
    if flat || w2 <= 0.0 {
        let sides = TriangleSides { bb: g11, bc: e1.dot(e3), cc: g33, d1, d2: d3 };
        let face = of_sides([0, 1, 3], y, &sides, &c31);
        if face.len == 3 && !flat {
            return Some(face);
        }
        let square = face.nearest.square();
        if square < least {
            (best, least) = (Some(face), square);
        }
    }
    if flat || w1 <= 0.0 {
        let sides = TriangleSides { bb: g22, bc: e2.dot(e3), cc: g33, d1: d2, d2: d3 };
        let face = of_sides([0, 2, 3], y, &sides, &c23);
        if face.len == 3 && !flat {
            return Some(face);
        }
        let square = face.nearest.square();
        if square < least {
            (best, least) = (Some(face), square);
        }
    }
    if flat || w0 <= 0.0 {
        let (f, g) = (y[2] - y[1], y[3] - y[1]);
        let face = of_sides([1, 2, 3], y, &TriangleSides::new(-y[1], f, g), &f.cross(g));
        let square = face.nearest.square();
        if square < least {
            best = Some(face);
        }
    }
    best
}

/// Volume that rounding can make, relative to the cube of the longest edge.
const FLAT: f64 = 16.0 * f64::EPSILON;

/// The square of an area below this is denormal or loses digits.
const AREA_SQUARE_MIN: f64 = 1e-280;

/// The square of the sine between two sides below which the products of a triangle are too inexact to
/// decide whether it contains a point.
const NEEDLE: f64 = 1e-6;

/// The same square below which three points count as collinear.
const LINE: f64 = 1e-26;

#[inline(always)]
fn of_edge([i, j]: [usize; 2], [a, b]: [V3; 2]) -> Face {
    let ab = b - a;
    let (along, square) = (-a.dot(ab), ab.square());
    if along <= 0.0 {
        Face::vertex(i, a)
    } else if along >= square {
        Face::vertex(j, b)
    } else {
        Face::edge(i, j, a, ab, along / square)
    }
}

/// Products of two sides of a triangle from one corner, and of each with the vector to the origin.
#[derive(Clone, Copy)]
struct TriangleSides {
    bb: f64,
    bc: f64,
    cc: f64,
    d1: f64,
    d2: f64,
}

impl TriangleSides {
    #[inline(always)]
    fn new(to: V3, ab: V3, ac: V3) -> Self {
        let (bb, bc, cc) = (ab.square(), ab.dot(ac), ac.square());
        Self { bb, bc, cc, d1: to.dot(ab), d2: to.dot(ac) }
    }
}

#[inline(always)]
fn of_triangle(which: [usize; 3], [a, b, c]: [V3; 3]) -> Face {
    let (ab, ac) = (b - a, c - a);
    of_sides(which, &[a, b, c, c], &TriangleSides::new(-a, ab, ac), &ab.cross(ac))
}

/// Returns the point of a segment that is nearest to the origin.
pub(crate) fn nearest_of_segment(ends: [V3; 2]) -> V3 {
    of_edge([0, 1], ends).nearest
}

/// Returns the point of a triangle that is nearest to the origin, also if the triangle is a needle or has no area.
pub(crate) fn nearest_of_triangle(corners: [V3; 3]) -> V3 {
    of_triangle([0, 1, 2], corners).nearest
}

// Always inlined: a call would pass its many numbers through memory.
#[inline(always)]
fn of_sides([i, j, k]: [usize; 3], y: &[V3; 4], sides: &TriangleSides, normal: &V3) -> Face {
    let (a, b, c) = (y[i], y[j], y[k]);
    let TriangleSides { bb, bc, cc, d1, d2 } = *sides;
    let square = normal.square();
    if square <= NEEDLE * (bb * cc) || square <= AREA_SQUARE_MIN {
        return of_needle([i, j, k], [a, b, c], normal);
    }
    let to_b = d1 * cc - d2 * bc;
    let to_c = d2 * bb - d1 * bc;
    let to_a = (bb * cc - bc * bc) - to_b - to_c;
    // One branch instead of three, because the result is usually the face.
    if (to_a > 0.0) & (to_b > 0.0) & (to_c > 0.0) {
        // The vector to the plane, along its normal, without the roundings of the products.
        let along = a.dot(*normal);
        let nearest = *normal * (along / square);
        let toward = if along > 0.0 { -*normal } else { *normal };
        return Face { which: [i, j, k], len: 3, nearest, toward };
    }
    if (d1 <= 0.0) & (d2 <= 0.0) {
        return Face::vertex(i, a);
    }
    // The same products relative to `b` and to `c`.
    let (d3, d4) = (d1 - bb, d2 - bc);
    if (d3 >= 0.0) & (d4 <= d3) {
        return Face::vertex(j, b);
    }
    let (d5, d6) = (d1 - bc, d2 - cc);
    if (d6 >= 0.0) & (d5 <= d6) {
        return Face::vertex(k, c);
    }
    if (to_c <= 0.0) & (d1 >= 0.0) & (d3 <= 0.0) {
        return Face::edge(i, j, a, b - a, d1 / bb);
    }
    if (to_b <= 0.0) & (d2 >= 0.0) & (d6 <= 0.0) {
        return Face::edge(i, k, a, c - a, d2 / cc);
    }
    let (past_b, past_c) = (d4 - d3, d5 - d6);
    if (to_a <= 0.0) & (past_b >= 0.0) & (past_c >= 0.0) {
        return Face::edge(j, k, b, c - b, past_b / (past_b + past_c));
    }
    // The signs are due to rounding alone.
    of_needle([i, j, k], [a, b, c], normal)
}

/// Nearest face of a triangle whose sides are almost collinear: the nearest of its edges, or the inside,
/// by the [`parts`] of its sides. The result must be a point of the triangle, otherwise the search would
/// stop at a plane far outside of it.
#[cold]
fn of_needle([i, j, k]: [usize; 3], [a, b, c]: [V3; 3], normal: &V3) -> Face {
    let edges = [of_edge([i, j], [a, b]), of_edge([i, k], [a, c]), of_edge([j, k], [b, c])];
    let mut best = edges[0];
    for edge in edges {
        best = if edge.nearest.square() < best.nearest.square() { edge } else { best };
    }
    let (e, f) = (b - a, c - a);
    let [of_b, of_c] = parts([e, f], -a);
    // A comparison with NaN is false.
    let inside = of_b > 0.0 && of_c > 0.0 && of_b + of_c < 1.0;
    if inside && normal.square() > LINE * (e.square() * f.square()) {
        let nearest = a + e * of_b + f * of_c;
        if nearest.square() < best.nearest.square() {
            let toward = if a.dot(*normal) > 0.0 { -*normal } else { *normal };
            best = Face { which: [i, j, k], len: 3, nearest, toward };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::math::M3;

    /// Goal: four points in a plane have no inside. Method: a square in arbitrary rotations, so that
    /// rounding makes it a tetrahedron, and points of its plane outside of it, at a known distance.
    #[test]
    fn tetrahedron_that_is_flat_contains_no_point() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        for turn in 1..200 {
            let part = |k: i32| ((turn * k) % 17) as f32 - 8.0;
            let rotation = M3::of_quaternion([part(3), part(5), part(7), part(11) + 0.5]);
            let place = |[x, y]: [f64; 2]| rotation.rotate(V3::new(x / 3.0, y / 3.0, 0.1));
            for outside in [1e-6, 1e-3, 0.5] {
                let mut simplex = Simplex::default();
                for corner in corners {
                    simplex.push(Vertex { at: place(corner), ..Vertex::default() });
                }
                let [offset, _] = simplex.reduce(place([0.4, 1.0 + outside]));
                assert!(simplex.len < 4, "{turn} {outside}");
                assert!(
                    (offset.length() * 3.0 - outside).abs() < 1e-12,
                    "{turn} {outside} {offset:?}"
                );
            }
        }
    }

    /// Goal: the nearest point of a triangle is in the triangle, however thin it is. Method: two sides
    /// that are collinear but for some last bits up to a thousandth, in arbitrary rotations, seen from
    /// past either end, where the plane of the triangle is nearer than its points.
    #[test]
    fn nearest_point_of_a_thin_triangle_is_in_the_triangle() {
        for turn in 1..200 {
            let part = |k: i32| ((turn * k) % 17) as f32 - 8.0;
            let rotation = M3::of_quaternion([part(3), part(5), part(7), part(11) + 0.5]);
            let place = |[x, y]: [f64; 2]| rotation.rotate(V3::new(x / 3.0, y / 3.0, 0.1));
            for width in [0.0, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3] {
                let corners = [[0.0, 0.0], [1.0, 0.0], [1.0 - f64::from(turn) / 300.0, width]];
                for (from, end) in [([-0.5, 0.1], corners[0]), ([1.75, -0.1], corners[1])] {
                    let mut simplex = Simplex::default();
                    for corner in corners {
                        simplex.push(Vertex { at: place(corner), ..Vertex::default() });
                    }
                    let [offset, _] = simplex.reduce(place(from));
                    let length = libm::hypot(from[0] - end[0], from[1] - end[1]);
                    let off = (offset.length() * 3.0 - length).abs();
                    assert!(off < 1e-12, "{turn} {width} {from:?}: {offset:?} {off:e}");
                }
            }
        }
    }

    /// Goal: the weights of a point in a thin tetrahedron are those of that point. Method: a long needle and two points beside its middle, in
    /// arbitrary rotations; the sum of the corners with the weights.
    #[test]
    fn weights_of_a_thin_tetrahedron_are_those_of_the_point() {
        let corners = [[0.0; 3], [700.0, 0.0, 0.0], [380.0, 1e-5, 0.0], [380.0, 0.0, 0.01]];
        for turn in 1..200 {
            let part = |k: i32| ((turn * k) % 17) as f32 - 8.0;
            let rotation = M3::of_quaternion([part(3), part(5), part(7), part(11) + 0.5]);
            let mut simplex = Simplex::default();
            for [x, y, z] in corners {
                let at = rotation.rotate(V3::new(x, y, z));
                simplex.push(Vertex { at, on_a: at, ..Vertex::default() });
            }
            let x = rotation.rotate(V3::new(412.5, 5e-6, 1.25e-3));
            assert_eq!(simplex.reduce(x), [V3::ZERO; 2], "{turn}");
            let weights = simplex.weights(x);
            let off = (simplex.on_a(&weights) - x).length();
            assert!(off < 1e-5, "{turn}: {off:e}");
            // The first corner is the origin, so its weight is not in that sum.
            let sum: f64 = weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12 && weights[0] > 0.1, "{turn}: {weights:?}");
        }
    }
}
