//! Which point of a simplex is nearest to a point?
//!
//! A simplex is one to four points of the difference `A − B` of two cores, each kept as the two
//! points it is made of. The point nearest to `x` lies on the least face it is inside of; the
//! others are dropped. Weights come from the normal equations of edges from one vertex (Gram's
//! matrix) rather than from products with the distance as in Ericson 2005, §5.1.5: what
//! cancels is of the size of the simplex, not of the way to it.
//!
//! Promise: none of the weights. Rounding here costs rounds, never a wrong bound: bounds come from
//! supports (`gjk.rs`).

use super::vector::V3;

/// A point of `A − B`, and the points of either in its own axes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vertex {
    /// In the axes of the world, from the position of `A`.
    pub(super) at: V3,
    pub(super) on_a: V3,
    pub(super) on_b: V3,
}

/// Up to four vertices and the weights of the nearest point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    pub(super) vertices: [Vertex; 4],
    pub(super) weights: [f64; 4],
    pub(super) len: usize,
}

/// A face of the simplex: which vertices, with which weights, and the nearest point.
#[derive(Clone, Copy)]
struct Face {
    which: [usize; 3],
    weights: [f64; 3],
    len: usize,
    nearest: V3,
    toward: V3,
}

impl Face {
    #[inline(always)]
    fn vertex(i: usize, y: V3) -> Self {
        Self { which: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1, nearest: y, toward: -y }
    }

    #[inline(always)]
    fn edge(i: usize, j: usize, y: V3, edge: V3, t: f64) -> Self {
        let nearest = y + edge * t;
        // What rounding has left along a long edge would tilt a short way: it is across.
        let nearest = nearest - edge * (nearest.dot(edge) / edge.square());
        Self { which: [i, j, 0], weights: [1.0 - t, t, 0.0], len: 2, nearest, toward: -nearest }
    }
}

impl Simplex {
    #[inline(always)]
    pub(super) fn push(&mut self, vertex: Vertex) {
        self.vertices[self.len] = vertex;
        self.len += 1;
    }

    /// Whether it has this vertex.
    #[inline(always)]
    pub(super) fn has(&self, vertex: &Vertex) -> bool {
        self.vertices[..self.len]
            .iter()
            .any(|own| own.on_a == vertex.on_a && own.on_b == vertex.on_b)
    }

    /// Keeps the least face that holds the point nearest to `x`, and returns the way from `x` to
    /// that point, and the direction back, of any length. Zero where `x` is inside of a
    /// tetrahedron.
    #[inline]
    pub(super) fn reduce(&mut self, x: V3) -> [V3; 2] {
        let y = |i: usize| self.vertices[i].at - x;
        let face = match self.len {
            1 => {
                self.weights[0] = 1.0;
                return [y(0), -y(0)];
            }
            2 => of_edge([0, 1], [y(0), y(1)]),
            3 => of_triangle([0, 1, 2], [y(0), y(1), y(2)]),
            _ => match self.of_tetrahedron([y(0), y(1), y(2), y(3)]) {
                Some(face) => face,
                None => return [V3::ZERO; 2],
            },
        };
        // Faces name vertices in rising order, so none is overwritten before it is read.
        for k in 0..face.len {
            self.vertices[k] = self.vertices[face.which[k]];
            self.weights[k] = face.weights[k];
        }
        self.len = face.len;
        [face.nearest, face.toward]
    }

    /// Weights of the nearest point that are as good as numbers tell.
    ///
    /// Of a triangle whose sides are all but in line the normal equations square what is lost. With
    /// the part of one side across the other (Gram and Schmidt) it is lost once.
    pub(super) fn settled(&self, x: V3) -> [f64; 4] {
        if self.len != 3 {
            return self.weights;
        }
        let [first, second, third, _] = &self.vertices;
        let (e, f) = (second.at - first.at, third.at - first.at);
        let (ee, ef) = (e.square(), e.dot(f));
        let across = f - e * (ef / ee);
        let along = x - first.at;
        let of_third = along.dot(across) / across.square();
        let of_second = (along.dot(e) - of_third * ef) / ee;
        let of_first = 1.0 - of_second - of_third;
        // NaN is not below anything.
        let inside = [of_first, of_second, of_third].iter().all(|&weight| weight >= 0.0);
        if inside { [of_first, of_second, of_third, 0.0] } else { self.weights }
    }

    /// `None` inside.
    fn of_tetrahedron(&mut self, y: [V3; 4]) -> Option<Face> {
        let (e1, e2, e3) = (y[1] - y[0], y[2] - y[0], y[3] - y[0]);
        let (c23, c31, c12) = (e2.cross(e3), e3.cross(e1), e1.cross(e2));
        let volume = e1.dot(c23);
        let to = -y[0];
        let (w1, w2, w3) = (to.dot(c23), to.dot(c31), to.dot(c12));
        // By how much the products may be off; a flat tetrahedron has no inside.
        let scale = e1.square() + e2.square() + e3.square();
        let least = FLAT * scale * super::vector::sqrt(scale);
        let flat = volume.abs() <= least;
        let sign = if volume < 0.0 { -1.0 } else { 1.0 };
        let (w1, w2, w3) = (w1 * sign, w2 * sign, w3 * sign);
        let w0 = volume.abs() - w1 - w2 - w3;
        if flat {
            return Some(nearest_of(&y, [true; 4]));
        }
        let outside = [w0 <= 0.0, w1 <= 0.0, w2 <= 0.0, w3 <= 0.0];
        if outside == [false; 4] {
            self.weights = [w0, w1, w2, w3].map(|weight| weight / volume.abs());
            return None;
        }
        Some(nearest_of(&y, outside))
    }
}

/// The vertices of the face across from each vertex.
const ACROSS: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// The nearest of the faces of a tetrahedron that are asked about.
#[inline(always)]
fn nearest_of(y: &[V3; 4], asked: [bool; 4]) -> Face {
    let mut best = Face::vertex(0, y[0]);
    let mut least = f64::INFINITY;
    for (asked, [i, j, k]) in asked.into_iter().zip(ACROSS) {
        if asked {
            let face = of_triangle([i, j, k], [y[i], y[j], y[k]]);
            let square = face.nearest.square();
            if square < least {
                (best, least) = (face, square);
            }
        }
    }
    best
}

/// A volume that rounding can make, of the cube of the longest edge.
const FLAT: f64 = 16.0 * f64::EPSILON;

/// The square of an area that has not all its digits is below it.
const LEAST: f64 = 1e-280;

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

#[inline]
fn of_triangle([i, j, k]: [usize; 3], [a, b, c]: [V3; 3]) -> Face {
    let (ab, ac) = (b - a, c - a);
    let (bb, bc, cc) = (ab.square(), ab.dot(ac), ac.square());
    let (d1, d2) = (-a.dot(ab), -a.dot(ac));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Face::vertex(i, a);
    }
    // The same products as seen from `b` and from `c`.
    let (d3, d4) = (d1 - bb, d2 - bc);
    if d3 >= 0.0 && d4 <= d3 {
        return Face::vertex(j, b);
    }
    let (d5, d6) = (d1 - bc, d2 - cc);
    if d6 >= 0.0 && d5 <= d6 {
        return Face::vertex(k, c);
    }
    let to_b = d1 * cc - d2 * bc;
    let to_c = d2 * bb - d1 * bc;
    if to_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return Face::edge(i, j, a, ab, d1 / bb);
    }
    if to_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return Face::edge(i, k, a, ac, d2 / cc);
    }
    let whole = bb * cc - bc * bc;
    let to_a = whole - to_b - to_c;
    let (past_b, past_c) = (d4 - d3, d5 - d6);
    if to_a <= 0.0 && past_b >= 0.0 && past_c >= 0.0 {
        return Face::edge(j, k, b, c - b, past_b / (past_b + past_c));
    }
    let sum = to_a + to_b + to_c;
    let normal = ab.cross(ac);
    let square = normal.square();
    if sum > 0.0 && square > LEAST {
        // The way to the plane: along its normal, without the roundings of the weights.
        let weights = [to_a / sum, to_b / sum, to_c / sum];
        let along = a.dot(normal);
        let nearest = normal * (along / square);
        // The direction is there before the quotient is.
        let toward = if along > 0.0 { -normal } else { normal };
        return Face { which: [i, j, k], weights, len: 3, nearest, toward };
    }
    // A line of three points, told by nothing but rounding: the nearest of its edges.
    let edges = [of_edge([i, j], [a, b]), of_edge([i, k], [a, c]), of_edge([j, k], [b, c])];
    let mut best = edges[0];
    for edge in edges {
        best = if edge.nearest.square() < best.nearest.square() { edge } else { best };
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::vector::M3;

    /// Goal: four points in a plane have no inside. Method: a square turned anyhow, so that
    /// rounding makes it a tetrahedron, and points of its plane outside of it, at a known distance.
    #[test]
    fn a_flat_tetrahedron_has_no_inside() {
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
        for turn in 1..200 {
            let part = |k: i32| ((turn * k) % 17) as f32 - 8.0;
            let rotation = M3::of_quaternion([part(3), part(5), part(7), part(11) + 0.5]);
            let place = |[x, y]: [f64; 2]| rotation.turn(V3::new(x / 3.0, y / 3.0, 0.1));
            for outside in [1e-6, 1e-3, 0.5] {
                let mut simplex = Simplex::default();
                for corner in corners {
                    simplex.push(Vertex { at: place(corner), ..Vertex::default() });
                }
                let [way, _] = simplex.reduce(place([0.4, 1.0 + outside]));
                assert!(simplex.len < 4, "{turn} {outside}");
                assert!((way.length() * 3.0 - outside).abs() < 1e-12, "{turn} {outside} {way:?}");
            }
        }
    }
}
