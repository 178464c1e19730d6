//! Traverses two trees together, the nearest nodes first, for pairs of boxes that are near each other.
//!
//! The boxes of the first tree are enclosed by boxes in the axes of the second. A pair of nodes is as far apart as their boxes; it is divided at the
//! node with the larger box, and pairs beyond the limit are left out (Johnson and Cohen 1998, *A framework for efficient minimum distance
//! computations*). Two leaves are also left out if a plane proves that their boxes or triangles are beyond the limit. The pairs are visited depth first, so the
//! memory is that of a few nodes for each level of both trees.
//!
//! Guarantee: the order of the visits depends on the trees and the limit alone. All pairs of boxes within the final limit have been visited, except
//! those of triangles that a plane proves to be farther apart than it.

use super::{LEAF, Node, Tree, WIDTH};
use crate::geom::{Aabb, MapEach};
use crate::lanes::Portable4;

/// A box with its centre and half extents.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CenteredBox {
    center: [f64; 3],
    half: [f64; 3],
}

impl CenteredBox {
    pub(crate) fn of(aabb: &Aabb) -> Self {
        let mut centered = Self::default();
        for axis in 0..3 {
            let ends = [aabb.min[axis], aabb.max[axis]];
            [centered.center[axis], centered.half[axis]] = centered_interval(ends);
        }
        centered
    }

    /// The square of the distance from another box in the same axes.
    fn square_of_distance(&self, other: &Self) -> f64 {
        let mut square = 0.0;
        for axis in 0..3 {
            let halves = [self.half[axis], other.half[axis]];
            square += square_of_gap([self.center[axis], other.center[axis]], halves);
        }
        square
    }

    /// The sum of the half extents.
    fn extent(&self) -> f64 {
        self.half[0] + self.half[1] + self.half[2]
    }
}

/// Returns the centre and the half length of an interval. The centre of an empty lane, whose interval is inverted and infinite, is NaN.
#[inline(always)]
fn centered_interval([low, high]: [f32; 2]) -> [f64; 2] {
    let [low, high] = [f64::from(low), f64::from(high)];
    [0.5 * (low + high), 0.5 * (high - low)]
}

/// Returns the square of the gap of two intervals; NaN if that of a centre is.
#[inline(always)]
fn square_of_gap(centers: [f64; 2], halves: [f64; 2]) -> f64 {
    let gap = (centers[0] - centers[1]).abs() - (halves[0] + halves[1]);
    if gap <= 0.0 { 0.0 } else { gap * gap }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// From the axes of a first tree to those of a second: `rotation · x + offset`.
#[derive(Clone, Copy)]
pub(crate) struct Placement {
    /// The rows of the matrix.
    pub(crate) rotation: [[f64; 3]; 3],
    pub(crate) offset: [f64; 3],
    /// An upper bound of the rounding error of a distance of two boxes.
    pub(crate) rounding: f64,
}

impl Placement {
    /// A box around a box of the first tree, in the axes of the second.
    pub(crate) fn around(&self, of: &CenteredBox) -> CenteredBox {
        let mut around = CenteredBox { center: self.offset, ..CenteredBox::default() };
        for (axis, row) in self.rotation.iter().enumerate() {
            for (k, &factor) in row.iter().enumerate() {
                around.center[axis] += factor * of.center[k];
                around.half[axis] += factor.abs() * of.half[k];
            }
        }
        around
    }

    /// A direction in the axes of the first tree, in those of the second.
    fn turn(&self, direction: [f64; 3]) -> [f64; 3] {
        self.rotation.map_each(|row| dot(row, direction))
    }

    /// A direction in the axes of the second tree, in those of the first.
    fn back(&self, direction: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = &self.rotation;
        [0, 1, 2].map_each(|k| dot(direction, [x[k], y[k], z[k]]))
    }

    /// Whether two boxes in the axes of the second tree may be at most `limit` apart.
    pub(crate) fn are_within(&self, limit: f64, a: &CenteredBox, b: &CenteredBox) -> bool {
        a.square_of_distance(b) <= self.square_of_limit(limit)
    }

    /// An upper bound of the squares of computed distances that may be at most `limit`; negative if the limit is.
    fn square_of_limit(&self, limit: f64) -> f64 {
        let least = limit + self.rounding;
        if limit < 0.0 { -1.0 } else { least * least * (1.0 + 8.0 * f64::EPSILON) }
    }
}

/// A node or a box of each of two trees, and the square of the distance of their boxes.
#[derive(Clone, Copy, Default)]
struct Near {
    square: f64,
    ids: [u32; 2],
    boxes: [CenteredBox; 2],
}

/// The children of a node, with their boxes in columns. The centres of lanes without a child are NaN.
#[derive(Default)]
struct Children {
    ids: [u32; WIDTH],
    center: [[f64; WIDTH]; 3],
    half: [[f64; WIDTH]; 3],
}

impl Children {
    /// Replaces the contents by the children of the node `id` of a tree, which are nodes or, with their rows, the boxes of a leaf.
    fn read(&mut self, tree: &Tree, id: u32, placement: Option<&Placement>) -> &Self {
        let at = (id & !LEAF) as usize;
        let mut of_triangles = Node::EMPTY;
        let node = if id & LEAF != 0 && !tree.triangles().is_empty() {
            tree.triangles()[at].boxes(Portable4, (at * WIDTH) as u32, &mut of_triangles);
            &of_triangles
        } else {
            &tree.nodes_above()[at]
        };
        self.ids = node.ids;
        for axis in 0..3 {
            for lane in 0..WIDTH {
                let ends = [node.bounds[axis][lane], node.bounds[3 + axis][lane]];
                [self.center[axis][lane], self.half[axis][lane]] = centered_interval(ends);
            }
        }
        if let Some(placement) = placement {
            self.place(placement);
        }
        self
    }

    /// Replaces the boxes by boxes around them in other axes, as [`Placement::around`] does.
    fn place(&mut self, placement: &Placement) {
        let (mut center, mut half) = ([[0.0; WIDTH]; 3], [[0.0; WIDTH]; 3]);
        for axis in 0..3 {
            center[axis] = [placement.offset[axis]; WIDTH];
            for (k, &factor) in placement.rotation[axis].iter().enumerate() {
                for lane in 0..WIDTH {
                    center[axis][lane] += factor * self.center[k][lane];
                    half[axis][lane] += factor.abs() * self.half[k][lane];
                }
            }
        }
        (self.center, self.half) = (center, half);
    }

    /// The squares of the distances from a box; NaN in lanes without a child.
    fn squares_of_distances(&self, from: &CenteredBox) -> [f64; WIDTH] {
        let mut squares = [0.0; WIDTH];
        for axis in 0..3 {
            let (center, half) = (from.center[axis], from.half[axis]);
            for (lane, square) in squares.iter_mut().enumerate() {
                let halves = [self.half[axis][lane], half];
                *square += square_of_gap([self.center[axis][lane], center], halves);
            }
        }
        squares
    }

    /// Returns how far the boxes extend along a direction, in which their centres and half extents are.
    fn farthest(&self, direction: [f64; 3]) -> f64 {
        let mut along = [0.0; WIDTH];
        for (axis, factor) in direction.into_iter().enumerate() {
            for (lane, along) in along.iter_mut().enumerate() {
                *along += factor * self.center[axis][lane] + factor.abs() * self.half[axis][lane];
            }
        }
        // A comparison with NaN is false.
        along.into_iter().fold(f64::NEG_INFINITY, |most, x| if x > most { x } else { most })
    }

    fn is_child(&self, lane: usize) -> bool {
        !self.center[0][lane].is_nan()
    }

    fn centered_box(&self, lane: usize) -> CenteredBox {
        let [x, y, z] = &self.center;
        let [half_x, half_y, half_z] = &self.half;
        CenteredBox {
            center: [x[lane], y[lane], z[lane]],
            half: [half_x[lane], half_y[lane], half_z[lane]],
        }
    }
}

/// Calls `visitor` with pairs of boxes of two trees without filters that are at most `limit` apart, each with its row and box in the axes of the
/// second tree. Each tree comes with the box around it. The visitor returns the distance up to which further pairs are visited. The limit never grows, and a negative one ends the traversal.
pub(crate) fn near_pairs(
    trees: [(&Tree, Aabb); 2],
    placement: &Placement,
    mut limit: f64,
    visitor: &mut dyn FnMut([(u32, CenteredBox); 2]) -> f64,
) {
    let [around_a, around_b] = trees.map_each(|(_, around)| CenteredBox::of(&around));
    let boxes = [placement.around(&around_a), around_b];
    let square = boxes[0].square_of_distance(&boxes[1]);
    let mut most = placement.square_of_limit(limit);
    let trees = trees.map_each(|(tree, _)| tree);
    let [Some(root_a), Some(root_b)] = trees.map_each(|tree| tree.root) else { return };
    if square > most {
        return;
    }
    let (mut of_a, mut of_b) = (Children::default(), Children::default());
    let (mut short, mut long);
    let places = (trees[0].depth + trees[1].depth) * (WIDTH - 1) + WIDTH;
    let left = if places <= SHORT {
        short = [Near::default(); SHORT];
        &mut short[..]
    } else {
        long = alloc::vec![Near::default(); places];
        &mut long[..]
    };
    left[0] = Near { square, ids: [root_a, root_b], boxes };
    let (mut len, mut pairs) = (1, [LanePair::default(); WIDTH * WIDTH]);
    while len > 0 {
        len -= 1;
        let next = left[len];
        if next.square > most {
            continue;
        }
        let [divides_a, divides_b] = next.ids.map_each(|id| id & LEAF == 0);
        if divides_a || divides_b {
            let larger = next.boxes[0].extent() > next.boxes[1].extent();
            let divided = usize::from(!divides_a || divides_b && !larger);
            let children = if divided == 0 {
                of_a.read(trees[0], next.ids[0], Some(placement))
            } else {
                of_b.read(trees[1], next.ids[1], None)
            };
            let stack = &mut left[len..];
            len += push_nearest_last(children, &next, divided, most, stack);
            continue;
        }
        of_a.read(trees[0], next.ids[0], Some(placement));
        of_b.read(trees[1], next.ids[1], None);
        if are_leaves_beyond(trees, &next, [&of_a, &of_b], (limit, placement)) {
            continue;
        }
        let count = list_near(&of_a, &of_b, most, &mut pairs);
        for &(square, [a, b]) in &pairs[..count] {
            if square <= most {
                let [a, b] = [(&of_a, a), (&of_b, b)]
                    .map_each(|(of, lane)| (of.ids[lane], of.centered_box(lane)));
                let now = visitor([a, b]);
                if now < limit {
                    (limit, most) = (now, placement.square_of_limit(now));
                }
            }
        }
    }
}

/// Stack entries without an allocation. Enough for two trees of a hundred million boxes each, unless a large part of them is in one place.
const SHORT: usize = 256;

/// Two lanes, and the square of the distance of their boxes.
type LanePair = (f64, [usize; 2]);

/// Returns whether a plane proves that the boxes or triangles of two leaves are all farther apart than the limit: a plane across the line between the centres
/// of the leaves, or along a triangle of either leaf. The centres and boxes are in the axes of the second tree.
///
/// The boxes of triangles that are oblique to the axes are much thicker than these. So where two such surfaces are parallel, the boxes of many pairs of
/// leaves are nearer to each other than the surfaces are.
fn are_leaves_beyond(
    trees: [&Tree; 2],
    leaves: &Near,
    [of_a, of_b]: [&Children; 2],
    (limit, placement): (f64, &Placement),
) -> bool {
    let [leaf_a, leaf_b] = [0, 1].map_each(|k| trees[k].triangle_leaf(leaves.ids[k]));
    let [from, to] = leaves.boxes.map_each(|of| of.center);
    let between = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    let is_beyond = |direction: [f64; 3]| {
        let back = direction.map_each(|x| -x);
        let end_of_a = match leaf_a {
            Some(leaf) => {
                leaf.farthest(placement.back(direction)) + dot(direction, placement.offset)
            }
            None => of_a.farthest(direction),
        };
        let end_of_b = match leaf_b {
            Some(leaf) => leaf.farthest(back),
            None => of_b.farthest(back),
        };
        // The first rounding error is that of the gap, for a direction of length 1, and the second one that of the sum with the limit.
        let (gap, least) = (-end_of_b - end_of_a, limit + 2.0 * placement.rounding);
        // A comparison with NaN is false.
        gap > 0.0 && gap * gap > least * least * dot(direction, direction)
    };
    let toward_b = |normal: [f64; 3]| {
        if dot(normal, between) < 0.0 { normal.map_each(|x| -x) } else { normal }
    };
    is_beyond(between)
        || leaf_a.is_some_and(|leaf| is_beyond(toward_b(placement.turn(leaf.normal()))))
        || leaf_b.is_some_and(|leaf| is_beyond(toward_b(leaf.normal())))
}

/// Writes the children of one node of a pair with the other node to a stack, the nearest last: those whose square of the distance is at most `most`. Returns
/// their number.
fn push_nearest_last(
    children: &Children,
    of: &Near,
    divided: usize,
    most: f64,
    stack: &mut [Near],
) -> usize {
    let mut count = 0;
    let squares = children.squares_of_distances(&of.boxes[1 - divided]);
    for (lane, &square) in squares.iter().enumerate() {
        // A comparison with NaN is false.
        if square <= most {
            let mut at = count;
            while at > 0 && stack[at - 1].square < square {
                stack[at] = stack[at - 1];
                at -= 1;
            }
            let near = &mut stack[at];
            *near = Near { square, ..*of };
            near.ids[divided] = children.ids[lane];
            near.boxes[divided] = children.centered_box(lane);
            count += 1;
        }
    }
    count
}

/// Lists the lanes of pairs of boxes of two leaves whose square of the distance is at most `most`, the nearest pair first. Returns their number.
fn list_near(
    of_a: &Children,
    of_b: &Children,
    most: f64,
    pairs: &mut [LanePair; WIDTH * WIDTH],
) -> usize {
    let (mut count, mut nearest) = (0, 0);
    for a in (0..WIDTH).filter(|&a| of_a.is_child(a)) {
        let squares = of_b.squares_of_distances(&of_a.centered_box(a));
        for (b, &square) in squares.iter().enumerate() {
            if square <= most {
                if count == 0 || square < pairs[nearest].0 {
                    nearest = count;
                }
                pairs[count] = (square, [a, b]);
                count += 1;
            }
        }
    }
    pairs.swap(0, nearest);
    count
}
