//! Visits the boxes or triangles of a tree that are near a convex body, the nearest first.
//!
//! A body is known by a rounded box and a ball around it and, once it has been compared with a box or triangle, by a plane that it is behind. Each of
//! them gives a lower bound of a distance. The plane decides when the body is far away: many boxes are hardly farther then than the nearest,
//! and all of them are seen in nearly the same direction.
//!
//! Guarantee: the order of the visits depends on the tree, the body and the results of the visitor alone. All boxes and triangles
//! within the final limit have been visited.

use super::{
    BoundsOf, Descend, NOTHING, Node, NodeBounds, PrunedQuery, Tree, TriangleLeaf, Visits, WIDTH,
};
use crate::columns::Row;
use crate::geom::{Enclosure, MovingBox, PlaneInFront};
use crate::kernels::proximity::simd;
use crate::lanes::vectors::{LaneVectors, cross, dot, splat_each};
use crate::lanes::{F32Lanes, Isa, Level, MaskLanes};

/// Compares the body with a box or triangle, and returns the distance up to which others still count, and a plane if there is a better one.
pub(crate) type Compare<'t> = dyn FnMut(u32) -> (f32, Option<PlaneInFront>) + 't;

/// Lists the triangles of a row, at most [`GROUP_MAX`], if the rows of a tree are groups of triangles: calls the function with the number and the corners of each.
pub(crate) type ListTriangles<'t> = dyn Fn(u32, &mut dyn FnMut(u32, [[f32; 3]; 3])) + 't;

/// The greatest number of triangles of a row.
pub(crate) const GROUP_MAX: usize = 2 * WIDTH;

/// Calls `compare` with the rows of a tree without filters whose boxes, or triangles, are at most `limit` away from a convex body; with the numbers of triangles if the rows
/// are groups of them. The limit never grows, and a negative one ends the traversal.
pub(crate) fn near_body(
    (tree, level): (&Tree, Level),
    groups: Option<&ListTriangles<'_>>,
    (of, limit): (&Enclosure, f32),
    compare: &mut Compare<'_>,
) {
    let (from, leaves) = (of.core.to_row(), tree.triangles());
    let (distances, near) = ([0.0; WIDTH], 0);
    let query = &mut NearBody {
        of: *of,
        from,
        plane: None,
        limit,
        leaves,
        groups,
        distances,
        near,
        compare,
    };
    level.run(Descend { tree, query, visits: &mut Visits::default() });
}

/// A running traversal.
struct NearBody<'a, 't> {
    of: Enclosure,
    /// The box around the core of the body.
    from: [f32; 6],
    plane: Option<PlaneInFront>,
    /// The distance up to which boxes count.
    limit: f32,
    /// The triangles, if the tree is one of triangles.
    leaves: &'a [TriangleLeaf],
    /// The triangles of a row, if rows are groups of them.
    groups: Option<&'a ListTriangles<'t>>,
    /// The distances of the boxes of the leaf that is visited, and a bit for each that is near.
    distances: [f32; WIDTH],
    near: u32,
    compare: &'a mut Compare<'t>,
}

/// Relative decrease of a lower bound: more than the roundings of a few sums and products, and of the length of a normal.
const LOWER: f32 = 1.0 - 1.0 / (1 << 21) as f32;
/// Upper bound of the rounding error of a product with a normal, for each unit of the sum of its terms.
const ROUNDING: f32 = 1.0 / (1 << 21) as f32;
/// More than the products of such a sum lose below the normal range.
const LEAST: f32 = f32::from_bits(8);

#[inline(always)]
fn minus<I: Isa>(a: &LaneVectors<I>, b: &LaneVectors<I>) -> LaneVectors<I> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Computes a lower bound of `normal · x`.
#[inline(always)]
fn lower_dot<I: Isa>(isa: I, normal: &LaneVectors<I>, x: &LaneVectors<I>) -> I::F32 {
    let terms = [normal[0] * x[0], normal[1] * x[1], normal[2] * x[2]];
    let size = terms[0].abs() + terms[1].abs() + terms[2].abs();
    terms[0] + terms[1] + terms[2] - (size * isa.splat(ROUNDING) + isa.splat(LEAST))
}

impl NearBody<'_, '_> {
    /// Computes lower bounds of distances from the body by the plane in front of it; `nearest` is the corner of a box that is nearest to the plane.
    #[inline(always)]
    fn beyond_plane<I: Isa>(isa: I, plane: &PlaneInFront, nearest: &LaneVectors<I>) -> I::F32 {
        let normal = splat_each(isa, &plane.normal);
        (lower_dot(isa, &normal, nearest) - isa.splat(plane.offset)) * isa.splat(LOWER)
    }

    /// Returns the vectors from the centre of the body to the corners of triangles.
    #[inline(always)]
    fn corners_from_center<I: Isa>(
        &self,
        isa: I,
        leaf: &TriangleLeaf,
        lane: usize,
    ) -> [LaneVectors<I>; 3] {
        let center = splat_each(isa, &self.of.center);
        let mut vectors = [center; 3];
        for (vector, columns) in vectors.iter_mut().zip(&leaf.corners) {
            for axis in 0..3 {
                vector[axis] = isa.load(&columns[axis][lane..]) - center[axis];
            }
        }
        vectors
    }

    /// Compares the body with triangles, the nearest to its centre first: those in the lanes of `left`.
    #[inline(always)]
    fn visit_triangles<I: Isa>(
        &mut self,
        isa: I,
        leaf: &TriangleLeaf,
        numbers: &[u32; WIDTH],
        mut left: u32,
    ) {
        left &= self.within_limit(isa, leaf);
        let (mut keys, mut bounds) = ([0.0; WIDTH], [0.0; WIDTH]);
        let mut lane = 0;
        while lane < WIDTH {
            if left >> lane & ((1 << I::LANES) - 1) != 0 {
                let corners = self.corners_from_center(isa, leaf, lane);
                let nearest = nearest_of_triangles(isa, &corners);
                let away = dot::<I>(&nearest, &nearest).sqrt();
                let unit = [nearest[0] / away, nearest[1] / away, nearest[2] / away];
                // Whatever the direction is, all of a triangle is beyond its nearest corner along it.
                let along = |corner: usize| lower_dot(isa, &unit, &corners[corner]);
                let bound = along(0).min(along(1)).min(along(2)) * isa.splat(LOWER);
                let bound = (bound - isa.splat(self.of.reach)) * isa.splat(LOWER);
                away.store(&mut keys[lane..]);
                bound.store(&mut bounds[lane..]);
            }
            lane += I::LANES;
        }
        while left != 0 {
            let lane = lowest(&keys, left);
            left &= !(1 << lane);
            // A bound that is NaN excludes no triangle.
            if bounds[lane] > self.limit {
                continue;
            }
            if self.compare(numbers[lane]) && left != 0 {
                left &= self.within_limit(isa, leaf);
            }
        }
    }

    /// Returns a bit for each triangle that the plane does not prove to be beyond the limit.
    #[inline(always)]
    fn within_limit<I: Isa>(&self, isa: I, leaf: &TriangleLeaf) -> u32 {
        let Some(plane) = &self.plane else { return u32::MAX };
        let (mut within, mut lane) = (0, 0);
        while lane < WIDTH {
            let corners = self.corners_from_center(isa, leaf, lane);
            let beyond = |corner: usize| Self::beyond_plane(isa, plane, &corners[corner]);
            let beyond = beyond(0).min(beyond(1)).min(beyond(2));
            within |= (!isa.splat(self.limit).lt(beyond)).bits() << lane;
            lane += I::LANES;
        }
        within
    }

    /// Compares the body with the triangles of a row.
    #[inline(always)]
    fn visit_group<I: Isa>(&mut self, isa: I, list: &ListTriangles<'_>, row: u32) {
        let (group, mut node) = (list_group(list, row), Node::EMPTY);
        for leaf in group.iter().filter(|leaf| leaf.numbers[0] != NOTHING) {
            leaf.boxes(isa, 0, &mut node);
            let (mut near, mut lane) = (0, 0);
            while lane < WIDTH {
                let bounds = NodeBounds::new(&node, lane);
                near |= self.distances(isa, bounds, BoundsOf::Boxes).1.bits() << lane;
                lane += I::LANES;
            }
            self.visit_triangles(isa, leaf, &leaf.numbers, near);
        }
    }

    /// Compares the body with a box or triangle. Returns whether the limit or the plane has changed.
    #[inline(always)]
    fn compare(&mut self, row: u32) -> bool {
        if self.limit < 0.0 {
            return false;
        }
        let (limit, plane) = (self.compare)(row);
        let is_new = plane.is_some();
        if is_new {
            self.plane = plane;
        }
        if limit < self.limit {
            self.limit = limit;
        }
        is_new
    }
}

/// Returns the triangles of a row.
fn list_group(list: &ListTriangles<'_>, row: u32) -> [TriangleLeaf; GROUP_MAX / WIDTH] {
    let mut group = [TriangleLeaf::EMPTY; GROUP_MAX / WIDTH];
    let mut len = 0;
    list(row, &mut |number, corners| {
        group[len / WIDTH].set(len % WIDTH, number, corners);
        len += 1;
    });
    group
}

/// Returns the lane of `lanes` with the least key, the first of equal ones.
#[inline(always)]
fn lowest(keys: &[f32; WIDTH], lanes: u32) -> usize {
    let (mut lowest, mut left) = (lanes.trailing_zeros() as usize, lanes & (lanes - 1));
    while left != 0 {
        let lane = left.trailing_zeros() as usize;
        left &= left - 1;
        // A comparison with NaN is false.
        if keys[lane] < keys[lowest] {
            lowest = lane;
        }
    }
    lowest
}

/// Computes about the nearest point of triangles to the origin: the projection of the origin if it is inside of the triangle, or else the nearest of
/// the three points on the edges (Ericson 2004, *Real-Time Collision Detection*, §5.1.5). It is zero or inexact for needles, and NaN for coordinates so large
/// that products overflow.
#[inline(always)]
fn nearest_of_triangles<I: Isa>(isa: I, [a, b, c]: &[LaneVectors<I>; 3]) -> LaneVectors<I> {
    let zero = isa.splat(0.0);
    let normal = cross::<I>(&minus::<I>(b, a), &minus::<I>(c, a));
    let (mut nearest, mut least) = ([zero; 3], isa.splat(f32::INFINITY));
    let mut inside = zero.lt(dot::<I>(&normal, &normal));
    for [from, to] in [[a, b], [b, c], [c, a]] {
        inside = inside & zero.le(dot::<I>(&cross::<I>(from, to), &normal));
        let edge = minus::<I>(to, from);
        let length = dot::<I>(&edge, &edge).max(isa.splat(f32::MIN_POSITIVE));
        let t = (zero - dot::<I>(from, &edge)) / length;
        let t = t.max(zero).min(isa.splat(1.0));
        let point = [from[0] + t * edge[0], from[1] + t * edge[1], from[2] + t * edge[2]];
        let square = dot::<I>(&point, &point);
        let nearer = square.lt(least);
        least = square.min(least);
        for axis in 0..3 {
            nearest[axis] = I::F32::select(nearer, point[axis], nearest[axis]);
        }
    }
    let to_plane = dot::<I>(&normal, a) / dot::<I>(&normal, &normal);
    for axis in 0..3 {
        nearest[axis] = I::F32::select(inside, normal[axis] * to_plane, nearest[axis]);
    }
    nearest
}

impl PrunedQuery for NearBody<'_, '_> {
    const WIDE: bool = false;

    #[inline(always)]
    fn distance_max(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn distances<I: Isa>(&self, isa: I, bounds: NodeBounds<'_>, _: BoundsOf) -> (I::F32, I::Mask) {
        let limit = isa.splat(self.limit);
        let columns = bounds.columns(isa);
        let from = splat_each(isa, &self.from);
        let core = simd::distance(isa, &from, &columns);
        let distance = (core - isa.splat(self.of.radius)) * isa.splat(LOWER);
        let (mut most, mut reached) = (distance.max(isa.splat(0.0)), distance.le(limit));
        if let Some(plane) = &self.plane {
            let mut nearest = splat_each(isa, &self.of.center);
            for (axis, corner) in nearest.iter_mut().enumerate() {
                let column = if plane.normal[axis] > 0.0 { axis } else { 3 + axis };
                *corner = columns[column] - *corner;
            }
            let beyond = Self::beyond_plane(isa, plane, &nearest);
            most = beyond.max(most);
            reached = reached & beyond.le(limit);
        }
        (most, reached)
    }

    #[inline(always)]
    fn true_boxes(&self) -> Option<&[MovingBox]> {
        None
    }

    #[inline(always)]
    fn visit_leaf<I: Isa>(
        &mut self,
        isa: I,
        boxes: NodeBounds<'_>,
        (distance, near): (I::F32, I::Mask),
        _: &[u32],
    ) -> u64 {
        // The order of the visits must not depend on the number of lanes, so they begin after the last group of lanes.
        let lane = boxes.lane();
        distance.store(&mut self.distances[lane..]);
        self.near |= near.bits() << lane;
        let count = near.count() as u64;
        if lane + I::LANES < WIDTH || self.near == 0 {
            return count;
        }
        let (mut left, rows) = (core::mem::take(&mut self.near), boxes.all_rows());
        if let Some(leaf) = self.leaves.get(rows[0] as usize / WIDTH) {
            self.visit_triangles(isa, leaf, rows, left);
            return count;
        }
        let distances = self.distances;
        while left != 0 {
            let lane = lowest(&distances, left);
            left &= !(1 << lane);
            if distances[lane] > self.limit {
                break;
            }
            match self.groups {
                Some(list) => self.visit_group(isa, list, rows[lane]),
                None => {
                    self.compare(rows[lane]);
                }
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::Scalar;
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt, SeedableRng};

    /// Goal: the lower bound of a product with a normal is never above the exact one, whose terms may cancel or be denormal, and hardly below. Method: random
    /// normals and vectors of all sizes, of which many are nearly across the normal; the product in `f64`, which is exact but for 2⁻⁵².
    #[test]
    fn lower_bound_of_a_product_is_not_above_it() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut above = 0;
        for case in 0..20_000 {
            let scale = [1e-44, 1e-38, 1e-6, 1.0, 1e12][case % 5];
            let mut vector = || [0; 3].map(|_| rng.random_range(-1.0..1.0_f32));
            let normal = vector();
            let length = normal.map(|x| x * x).iter().sum::<f32>().sqrt();
            let normal = normal.map(|x| x / length);
            let mut x = vector().map(|x| x * scale);
            if case % 2 == 0 {
                x[2] = -(normal[0] * x[0] + normal[1] * x[1]) / normal[2];
            }
            let terms = [0, 1, 2].map(|k| f64::from(normal[k]) * f64::from(x[k]));
            let exact = terms.iter().sum::<f64>();
            let size = terms.map(f64::abs).iter().sum::<f64>();
            let bound = f64::from(lower_dot(Scalar, &normal, &x));
            assert!(bound <= exact, "{bound} {exact} {normal:?} {x:?}");
            assert!(bound >= exact - size / f64::from(1 << 20) - 2e-44, "{bound} {exact}");
            let rounded = normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2];
            above += u32::from(f64::from(rounded) > exact);
        }
        assert!(above > 1000, "{above} products are rounded up");
    }
}
