//! The plane between the nearest points of two elements, in lanes.
//!
//! The two kinds differ in the constants and functions of the trait [`ElementPair`]; three vectors describe a pair:
//!
//! ```text
//!                 x0        x1        x2        gaps along n
//! vertex p,       f0 - p    f1 - p    f2 - p    n·x0, n·x1, n·x2
//!   face f
//! edge a,         b0 - a0   b1 - a0   a1 - a0   n·x0, n·x1, n·x0 - n·x2, n·x1 - n·x2
//!   edge b
//! ```
//!
//! The nearest points are a point on an edge and an end of the other edge or the vertex, or they are inside of
//! the face or of both edges, and then the normal is a cross product. All these normals are computed. Every unit vector
//! gives a lower bound of the distance, the least gap, and the one with the greatest bound is used. A comparison of the
//! distances themselves, or of barycentric coordinates, would be wrong after rounding if two of them are nearly equal, and then
//! the normal may be useless. The error of a normal that is computed from a short vector is large. Therefore its component along
//! the edge, which must be zero, is removed afterwards.

use crate::lanes::{F64Lanes, Isa, Scalar};

/// Three vectors: nine numbers a lane.
pub(super) type Vectors<I> = [[<I as Isa>::F64; 3]; 3];

/// Lanes of truth values.
pub(super) type Mask<I> = <<I as Isa>::F64 as F64Lanes>::Mask;

/// A plane is not computed from a vector whose square is below this; such vectors count as zero.
const SQUARE_MIN: f64 = f64::from_bits((1023 - 900) << 52);
/// Upper bound of the relative rounding errors of a round, 2⁻⁴⁶.
const ERROR: f64 = f64::from_bits((1023 - 46) << 52);
/// Upper bound of the errors of underflow, 2⁻³⁰⁰.
const ERROR_TINY: f64 = f64::from_bits((1023 - 300) << 52);

/// The arithmetic that differs between vertex-face and edge-edge pairs.
pub(super) trait ElementPair {
    /// Number of pairs of a vertex of the first and a vertex of the second element; at most 4.
    const GAPS: usize;
    /// Number of pairs of a point and an edge; at most 4.
    const EDGES: usize;

    /// Returns the three vectors for the positions of the four vertices.
    fn vectors(points: &[[f64; 3]; 4]) -> [[f64; 3]; 3];

    /// Returns the gaps of the pairs of vertices along the direction for which the vectors have these values. Only the first
    /// [`ElementPair::GAPS`] count.
    fn gaps<F: F64Lanes>(values: [F; 3]) -> [F; 4];

    /// Returns the offsets of the `k`-th pair of a point and an edge, from the first to the second element, at both ends of the
    /// edge.
    fn edge<I: Isa>(x: &Vectors<I>, k: usize) -> [[I::F64; 3]; 2];

    /// Returns two vectors along edges to which the normal is perpendicular if the nearest points are inside.
    fn cross<I: Isa>(x: &Vectors<I>) -> [[I::F64; 3]; 2];

    /// Returns the coordinates of the nearest points, which are those of the `k`-th pair of a point and an edge.
    fn outside(k: usize, along: f64) -> [f64; 2];

    /// Returns the coordinates of the nearest points if they are inside.
    fn inside(x: &[[f64; 3]; 3]) -> [f64; 2];

    /// Returns the offset from the first to the second element between the points with these coordinates.
    fn offset(x: &[[f64; 3]; 3], coordinates: [f64; 2]) -> [f64; 3];
}

/// A vertex and a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexFace;

impl ElementPair for VertexFace {
    const GAPS: usize = 3;
    const EDGES: usize = 3;

    #[inline(always)]
    fn vectors(&[p, a, b, c]: &[[f64; 3]; 4]) -> [[f64; 3]; 3] {
        [difference(a, p), difference(b, p), difference(c, p)]
    }

    #[inline(always)]
    fn gaps<F: F64Lanes>([a, b, c]: [F; 3]) -> [F; 4] {
        [a, b, c, c]
    }

    #[inline(always)]
    fn edge<I: Isa>(x: &Vectors<I>, k: usize) -> [[I::F64; 3]; 2] {
        [x[k], x[(k + 1) % 3]]
    }

    #[inline(always)]
    fn cross<I: Isa>(x: &Vectors<I>) -> [[I::F64; 3]; 2] {
        [sub(x[1], x[0]), sub(x[2], x[0])]
    }

    #[inline]
    fn outside(k: usize, along: f64) -> [f64; 2] {
        match k {
            0 => [along, 0.0],
            1 => [1.0 - along, along],
            _ => [0.0, 1.0 - along],
        }
    }

    #[inline]
    fn inside(x: &[[f64; 3]; 3]) -> [f64; 2] {
        let [b, c] = solve(sub(x[1], x[0]), sub(x[2], x[0]), sub([0.0; 3], x[0]));
        [b, c.min(1.0 - b)]
    }

    #[inline]
    fn offset(&[a, b, c]: &[[f64; 3]; 3], [at_b, at_c]: [f64; 2]) -> [f64; 3] {
        add(a, add(scaled(sub(b, a), at_b), scaled(sub(c, a), at_c)))
    }
}

/// Two edges.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeEdge;

impl ElementPair for EdgeEdge {
    const GAPS: usize = 4;
    const EDGES: usize = 4;

    #[inline(always)]
    fn vectors(&[a, b, c, d]: &[[f64; 3]; 4]) -> [[f64; 3]; 3] {
        [difference(c, a), difference(d, a), difference(b, a)]
    }

    #[inline(always)]
    fn gaps<F: F64Lanes>([b0, b1, a1]: [F; 3]) -> [F; 4] {
        [b0, b1, b0 - a1, b1 - a1]
    }

    // The ends `a0` and `a1` with the second edge, then the first edge with `b0` and `b1`.
    #[inline(always)]
    fn edge<I: Isa>(x: &Vectors<I>, k: usize) -> [[I::F64; 3]; 2] {
        match k {
            0 => [x[0], x[1]],
            1 => [sub(x[0], x[2]), sub(x[1], x[2])],
            _ => [x[k - 2], sub(x[k - 2], x[2])],
        }
    }

    #[inline(always)]
    fn cross<I: Isa>(x: &Vectors<I>) -> [[I::F64; 3]; 2] {
        [sub(x[1], x[0]), x[2]]
    }

    #[inline]
    fn outside(k: usize, along: f64) -> [f64; 2] {
        match k {
            0 => [0.0, along],
            1 => [1.0, along],
            2 => [along, 0.0],
            _ => [along, 1.0],
        }
    }

    #[inline]
    fn inside(x: &[[f64; 3]; 3]) -> [f64; 2] {
        solve(x[2], sub(x[0], x[1]), x[0])
    }

    #[inline]
    fn offset(&[b0, b1, a1]: &[[f64; 3]; 3], [first, second]: [f64; 2]) -> [f64; 3] {
        sub(add(b0, scaled(sub(b1, b0), second)), scaled(a1, first))
    }
}

/// Returns the greatest magnitude of the numbers of three vectors.
#[inline(always)]
pub(super) fn greatest<I: Isa>(isa: I, x: &Vectors<I>) -> I::F64 {
    let mut greatest = isa.splat_f64(0.0);
    let mut k = 0;
    while k < 3 {
        let mut axis = 0;
        while axis < 3 {
            greatest = greatest.max(x[k][axis].abs());
            axis += 1;
        }
        k += 1;
    }
    greatest
}

/// Returns an upper bound of the rounding errors of a round with vectors whose numbers have at most this magnitude.
#[inline(always)]
pub(super) fn error_of<I: Isa>(isa: I, greatest: I::F64) -> I::F64 {
    greatest * isa.splat_f64(ERROR) + isa.splat_f64(ERROR_TINY)
}

/// Returns the three vectors at time `t`.
#[inline(always)]
pub(super) fn at<I: Isa>(start: &Vectors<I>, end: &Vectors<I>, t: I::F64) -> Vectors<I> {
    let mut x = *start;
    let mut k = 0;
    while k < 3 {
        x[k] = add(x[k], scaled(sub(end[k], x[k]), t));
        k += 1;
    }
    x
}

/// Returns the gaps of vectors along a direction.
#[inline(always)]
pub(super) fn gaps<I: Isa, E: ElementPair>(x: &Vectors<I>, along: [I::F64; 3]) -> [I::F64; 4] {
    E::gaps([dot(x[0], along), dot(x[1], along), dot(x[2], along)])
}

/// Returns the least gap along a direction.
#[inline(always)]
fn least_gap<I: Isa, E: ElementPair>(x: &Vectors<I>, along: [I::F64; 3]) -> I::F64 {
    let gaps = gaps::<I, E>(x, along);
    let mut least = gaps[0];
    let mut k = 1;
    while k < E::GAPS {
        least = least.min(gaps[k]);
        k += 1;
    }
    least
}

/// Computes the unit vector from the nearest point of the first element to that of the second; zero if it cannot be computed.
#[inline(always)]
pub(super) fn direction<I: Isa, E: ElementPair>(isa: I, x: &Vectors<I>) -> [I::F64; 3] {
    let (zero, one) = (isa.splat_f64(0.0), isa.splat_f64(1.0));
    let nothing = isa.splat_f64(-f64::MAX);
    let (mut normal, mut bound) = ([zero; 3], nothing);
    let mut k = 0;
    while k < E::EDGES {
        let NearestOnEdge { vector, scale, along: s, offset } = nearest_on_edge::<I, E>(isa, x, k);
        let outside = unit(isa, offset);
        // Between the ends of the edge the offset is perpendicular to it. At an end only one sign is possible.
        let part = dot(outside, vector) * scale;
        let part = F64Lanes::select(s.le(zero), part.min(zero), part);
        let part = F64Lanes::select(one.le(s), part.max(zero), part);
        let outside = sub(outside, scaled(vector, part));
        // Points that coincide give no direction.
        let apart = isa.splat_f64(SQUARE_MIN).le(dot(offset, offset));
        let gap = F64Lanes::select(apart, least_gap::<I, E>(x, outside), nothing);
        let better = bound.lt(gap);
        bound = F64Lanes::select(better, gap, bound);
        normal = select::<I>(better, outside, normal);
        k += 1;
    }

    let inner = normal_of_inside::<I, E>(isa, x);
    let inside = bound.lt(least_gap::<I, E>(x, inner));
    select::<I>(inside, inner, normal)
}

/// The point of an edge that is nearest to another point.
struct NearestOnEdge<I: Isa> {
    /// From the start to the end of the edge, and the inverse of its square.
    vector: [I::F64; 3],
    scale: I::F64,
    /// Where on the edge, as a fraction.
    along: I::F64,
    /// From the first element to the second.
    offset: [I::F64; 3],
}

/// Computes the nearest point of the `k`-th pair of a point and an edge.
#[inline(always)]
fn nearest_on_edge<I: Isa, E: ElementPair>(isa: I, x: &Vectors<I>, k: usize) -> NearestOnEdge<I> {
    let (zero, one) = (isa.splat_f64(0.0), isa.splat_f64(1.0));
    let [start, end] = E::edge::<I>(x, k);
    let vector = sub(end, start);
    let scale = inverse(isa, dot(vector, vector));
    let along = (zero - dot(start, vector) * scale).max(zero).min(one);
    // At the end the sum would have an error of the size of the edge.
    let offset = select::<I>(one.le(along), end, add(start, scaled(vector, along)));
    NearestOnEdge { vector, scale, along, offset }
}

/// Computes the normal of the face, or the normal to both edges, on the side of the second element; zero if it cannot be computed.
#[inline(always)]
fn normal_of_inside<I: Isa, E: ElementPair>(isa: I, x: &Vectors<I>) -> [I::F64; 3] {
    let [first, second] = E::cross::<I>(x);
    let inner = unit(isa, cross(first, second));
    let part = dot(inner, first) * inverse(isa, dot(first, first));
    let inner = sub(inner, scaled(first, part));
    select::<I>(dot(inner, x[0]).lt(isa.splat_f64(0.0)), sub([isa.splat_f64(0.0); 3], inner), inner)
}

/// The nearest points of two elements.
pub(super) struct NearestPoints {
    pub(super) coordinates: [f64; 2],
    /// Whether they coincide except for rounding.
    pub(super) coincide: bool,
}

/// Computes the nearest points, by the distances of all points that may be the nearest.
///
/// The plane with the greatest gap does not determine the nearest points: if they coincide, the gap is zero for planes that belong to other
/// points too, and the coordinates of two edges that are almost parallel have a large error.
pub(super) fn nearest_points<E: ElementPair>(x: &[[f64; 3]; 3]) -> NearestPoints {
    let square = |coordinates| {
        let offset = E::offset(x, coordinates);
        dot(offset, offset)
    };
    let mut coordinates = E::inside(x);
    let mut least = square(coordinates);
    for k in 0..E::EDGES {
        let NearestOnEdge { along, offset, .. } = nearest_on_edge::<Scalar, E>(Scalar, x, k);
        let square = dot(offset, offset);
        if square < least {
            (least, coordinates) = (square, E::outside(k, along));
        }
    }
    let limit = error_of(Scalar, greatest(Scalar, x));
    NearestPoints { coordinates, coincide: least <= limit * limit }
}

/// Computes the normal of the face, or a normal to both edges; zero if the elements have no length.
pub(super) fn common_normal<E: ElementPair>(x: &[[f64; 3]; 3]) -> [f64; 3] {
    let normal = unit(Scalar, normal_of_inside::<Scalar, E>(Scalar, x));
    if normal != [0.0; 3] {
        return normal;
    }
    // Parallel edges have many normals. The longer edge has the smaller error.
    let [first, second] = E::cross::<Scalar>(x);
    perpendicular(if dot(first, first) < dot(second, second) { second } else { first })
}

/// Returns a unit vector perpendicular to a vector, or zero if its square counts as zero.
fn perpendicular(a: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = a.map(f64::abs);
    let axis = if x <= y && x <= z {
        [1.0, 0.0, 0.0]
    } else if y <= z {
        [0.0, 1.0, 0.0]
    } else {
        [0.0, 0.0, 1.0]
    };
    unit(Scalar, cross(unit(Scalar, a), axis))
}

/// Returns `s` and `r` in `[0, 1]` for which `s·a + r·b` is nearest to `c`, for a solution inside of that range.
#[inline]
fn solve(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 2] {
    let normal = cross(a, b);
    let scale = inverse(Scalar, dot(normal, normal));
    let part = |x: [f64; 3]| (dot(x, normal) * scale).clamp(0.0, 1.0);
    [part(cross(c, b)), part(cross(a, c))]
}

/// Returns `1 / square`, or zero if the square counts as zero.
#[inline(always)]
fn inverse<I: Isa>(isa: I, square: I::F64) -> I::F64 {
    let valid = isa.splat_f64(SQUARE_MIN).le(square);
    F64Lanes::select(valid, isa.splat_f64(1.0) / square, isa.splat_f64(0.0))
}

/// Returns the unit vector of a vector, or zero if its square counts as zero.
#[inline(always)]
pub(super) fn unit<I: Isa>(isa: I, a: [I::F64; 3]) -> [I::F64; 3] {
    scaled(a, inverse(isa, dot(a, a)).sqrt())
}

#[inline(always)]
fn select<I: Isa>(mask: Mask<I>, yes: [I::F64; 3], no: [I::F64; 3]) -> [I::F64; 3] {
    [
        F64Lanes::select(mask, yes[0], no[0]),
        F64Lanes::select(mask, yes[1], no[1]),
        F64Lanes::select(mask, yes[2], no[2]),
    ]
}

/// Returns `b - a` of two positions.
#[inline(always)]
fn difference(b: [f64; 3], a: [f64; 3]) -> [f64; 3] {
    [b[0] - a[0], b[1] - a[1], b[2] - a[2]]
}

#[inline(always)]
fn add<F: F64Lanes>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
fn sub<F: F64Lanes>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn scaled<F: F64Lanes>(a: [F; 3], by: F) -> [F; 3] {
    [a[0] * by, a[1] * by, a[2] * by]
}

#[inline(always)]
fn dot<F: F64Lanes>(a: [F; 3], b: [F; 3]) -> F {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<F: F64Lanes>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a perpendicular vector is exact for vectors of any direction and length, also almost along an axis. Method: all orders and signs of
    /// some coordinates; the products are near zero, and that with the axis farthest from the vector is zero.
    #[test]
    fn perpendicular_of_any_vector_is_also_perpendicular_to_the_farthest_axis() {
        let sizes = [0.0, 1e-200, 1e-100, 1e-9, 0.3, 1.0, 1e9];
        let mut checked = 0;
        for [x, y, z] in (0..343).map(|k| [sizes[k % 7], sizes[k / 7 % 7], sizes[k / 49]]) {
            for sign in [-1.0, 1.0] {
                let a = [sign * x, y, -sign * z];
                // The square of a shorter vector counts as zero.
                let length = x.max(y).max(z);
                if length < 1e-130 {
                    assert_eq!(perpendicular(a), [0.0; 3], "{a:?}");
                    continue;
                }
                let across = perpendicular(a);
                assert!(
                    (dot(across, across) - 1.0).abs() <= 4.0 * f64::EPSILON,
                    "{a:?} {across:?}"
                );
                assert!(dot(across, a).abs() <= 4.0 * f64::EPSILON * length, "{a:?} {across:?}");
                let least = x.min(y).min(z);
                let farthest = |axis: usize| a[axis].abs() <= least && across[axis] == 0.0;
                assert!((0..3).any(farthest), "{a:?} {across:?}");
                checked += 1;
            }
        }
        assert_eq!(checked, 2 * (343 - 8));
    }

    /// Goal: edges without a common plane have the normal of the longer one, as when the other has no length. Method: edges along one line, of any
    /// two lengths or zero, in both orders.
    #[test]
    fn common_normal_of_parallel_edges_is_that_of_the_longer_edge() {
        let along = [0.6, -0.48, 0.64];
        let edge = |length: f64| along.map(|x| x * length);
        for [first, second] in [[0.0, 1.0], [1.0, 0.0], [1e-180, 2.0], [2.0, 1e-180], [1.0, 3.0]] {
            let x = EdgeEdge::vectors(&[[0.0; 3], edge(first), [0.0; 3], edge(second)]);
            let normal = common_normal::<EdgeEdge>(&x);
            assert!((dot(normal, normal) - 1.0).abs() <= 1e-15, "{first} {second} {normal:?}");
            assert!(dot(normal, along).abs() <= 1e-15, "{first} {second} {normal:?}");
        }
        // The direction of a short edge has the rounding error of its ends.
        let skew = [along[0], along[1], along[2] + 0.25];
        let short = skew.map(|x| x * 1e-150);
        for points in [[[0.0; 3], short, [0.0; 3], along], [[0.0; 3], along, [0.0; 3], short]] {
            let normal = common_normal::<EdgeEdge>(&EdgeEdge::vectors(&points));
            assert!(dot(normal, along).abs() <= 1e-15, "{points:?} {normal:?}");
        }
    }

    /// Goal: points coincide if they are apart by no more than the rounding error, relative to the greatest coordinate. Method: a vertex above the
    /// middle of a face and two crossed edges, at distances below and above that error, at several scales.
    #[test]
    fn points_apart_by_more_than_the_rounding_error_do_not_coincide() {
        for scale in [1e-6, 1.0, 1e6] {
            for (apart, coincide) in [(0.0, true), (0.5, true), (2.0, false), (1e6, false)] {
                let height = apart * ERROR * scale;
                let [a, b, c] = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
                let [a, b, c] = [a, b, c].map(|point: [f64; 3]| point.map(|x| x * scale));
                let x = VertexFace::vectors(&[[0.0, 0.0, height], a, b, c]);
                assert_eq!(nearest_points::<VertexFace>(&x).coincide, coincide, "{scale} {apart}");
                let [a, b] = [[-0.5 * scale, 0.0, 0.0], [0.5 * scale, 0.0, 0.0]];
                let [c, d] = [[0.0, -0.5 * scale, height], [0.0, 0.5 * scale, height]];
                let x = EdgeEdge::vectors(&[a, b, c, d]);
                assert_eq!(nearest_points::<EdgeEdge>(&x).coincide, coincide, "{scale} {apart}");
            }
        }
    }
}
