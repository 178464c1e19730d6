//! Traverses a tree with one query at a time, the nearest child first.
//!
//! The reached children of a node are pushed on a stack with their distance, in order, so that the
//! nearest is on top. The query limits how far it still searches; stacked children beyond the limit
//! are skipped. After Roussopoulos, Kelley and Vincent 1995, *Nearest Neighbor Queries*; for
//! segments as in Wald, Boulos and Shirley 2007, §3.
//!
//! Guarantee: the order of the visited leaves depends on the tree and the query alone. Every box
//! within the final limit of the query has been visited, provided that bounds are never farther
//! than what they contain.

use super::{BvhItem, LEAF, NOTHING, Node, Tree, WIDTH};
use crate::geom::MovingBox;
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, MaskLanes, U32Lanes, prefetch};
use core::slice;

/// Stack entries without an allocation. Enough for a tree of some ten million boxes, unless a large
/// part of them is in one place.
const SHORT: usize = 128;

/// The children of a node in one group of lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeBounds<'a> {
    node: &'a Node,
    lane: usize,
}

impl<'a> NodeBounds<'a> {
    /// Returns the children from a lane on.
    #[inline(always)]
    pub(super) fn new(node: &'a Node, lane: usize) -> Self {
        Self { node, lane }
    }

    /// Minimum x, y, z, then maximum x, y, z. Empty lanes are inverted, from infinity to minus
    /// infinity.
    #[inline(always)]
    pub(crate) fn column<I: Isa>(&self, isa: I, column: usize) -> I::F32 {
        isa.load(&self.node.bounds[column][self.lane..])
    }

    /// All six columns.
    #[inline(always)]
    pub(crate) fn columns<I: Isa>(&self, isa: I) -> [I::F32; 6] {
        let mut columns = [isa.splat(0.0); 6];
        for (k, column) in columns.iter_mut().enumerate() {
            *column = self.column(isa, k);
        }
        columns
    }

    /// The rows of the boxes in a leaf, one for each lane.
    #[inline(always)]
    pub(crate) fn rows<I: Isa>(&self) -> &[u32] {
        &self.node.ids[self.lane..self.lane + I::LANES]
    }

    /// The first lane of this group.
    #[inline(always)]
    pub(super) fn lane(&self) -> usize {
        self.lane
    }

    /// The rows of all boxes in a leaf, also those in other groups of lanes.
    #[inline(always)]
    pub(super) fn all_rows(&self) -> &[u32; WIDTH] {
        &self.node.ids
    }

    /// The lanes that are not empty.
    #[inline(always)]
    pub(crate) fn filled<I: Isa>(&self, isa: I) -> I::Mask {
        self.column(isa, 0).le(self.column(isa, 3))
    }
}

/// What the bounds are that a query tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundsOf {
    /// Nodes.
    Nodes,
    /// Boxes of a leaf, some of which may be larger than the true ones, if there are [true boxes](PrunedQuery::true_boxes).
    Boxes,
    /// True boxes in place of larger ones.
    TrueBoxes,
}

/// A query for this traversal.
pub(crate) trait PrunedQuery {
    /// Whether nearer children are visited first.
    const ORDERED: bool = true;

    /// Whether AVX-512 makes the query faster: [`Kernel::WIDE`](crate::lanes::Kernel::WIDE).
    const WIDE: bool = true;

    /// The distance up to which the query still searches. Never grows.
    fn distance_max(&self) -> f32;

    /// The distances of boxes of a leaf, or of the bounds of nodes, at least 0 and not NaN, and which of them are at
    /// most [`PrunedQuery::distance_max`]. A box inside bounds must not be nearer than the bounds, nor be reached when the
    /// bounds are not; boxes that are larger than the true ones are their bounds.
    fn distances<I: Isa>(&self, isa: I, bounds: NodeBounds<'_>, of: BoundsOf) -> (I::F32, I::Mask);

    /// The true boxes by row, if some in the tree are larger. Boxes of a leaf that are reached are tested again with
    /// these.
    fn true_boxes(&self) -> Option<&[MovingBox]>;

    /// Takes boxes of a leaf with the result of [`PrunedQuery::distances`]; returns how many of them the query hit. `filters` has
    /// one word for each lane, or is empty if the tree has no filters.
    fn visit_leaf<I: Isa>(
        &mut self,
        isa: I,
        boxes: NodeBounds<'_>,
        near: (I::F32, I::Mask),
        filters: &[u32],
    ) -> u64;
}

/// Counts of what queries visited.
///
/// They are the same on every level and with any number of threads; they depend on the shape of the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Visits {
    /// Visited nodes whose children are nodes; each has up to sixteen.
    pub nodes: u64,
    /// Visited leaves, whose children are boxes; each has up to sixteen.
    pub leaves: u64,
    /// Boxes that were hits when they were visited, whether the caller's function then accepted them or not. Boxes that a filter
    /// excludes do not count. For the first or the nearest boxes only those count that were better than the results so far, so their
    /// number depends on the order of the visits.
    pub boxes: u64,
}

/// The kernel that runs a query over one tree.
pub(crate) struct Descend<'a, N> {
    pub(crate) tree: &'a Tree,
    pub(crate) query: &'a mut N,
    pub(crate) visits: &'a mut Visits,
}

impl<N: PrunedQuery> Kernel for Descend<'_, N> {
    type Output = ();

    const WIDE: bool = N::WIDE;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Self { tree, query, visits } = self;
        descend(isa, tree, query, visits);
    }
}

/// Runs a query over a tree.
#[inline(always)]
fn descend<I: Isa, Q: PrunedQuery>(isa: I, tree: &Tree, query: &mut Q, visits: &mut Visits) {
    let Some(root) = tree.root else { return };
    let (nodes, triangles) = (tree.nodes_above(), tree.triangles());
    let (mut short, mut long);
    let stack = if places(tree) <= SHORT {
        short = [[0; 2]; SHORT];
        &mut short[..]
    } else {
        long = alloc::vec![[0; 2]; places(tree)];
        &mut long[..]
    };
    let (mut next, mut len) = (root, 0);
    // All of it is overwritten for each leaf of triangles.
    let mut of_triangles = Node::EMPTY;
    while next != NOTHING {
        let before = len;
        let at = (next & !LEAF) as usize;
        let node = if next & LEAF != 0 && !triangles.is_empty() {
            triangles[at].boxes(isa, (at * WIDTH) as u32, &mut of_triangles);
            &of_triangles
        } else {
            &nodes[at]
        };
        next = step(isa, tree, (next, node), query, (stack, &mut len), visits);
        // `descend_many` does not do this: its queries wait less for memory, and would be a fifth slower with this prefetch.
        for [child, _] in stack.get(before..len).unwrap_or_default() {
            let at = (child & !LEAF) as usize;
            if child & LEAF != 0 && !triangles.is_empty() {
                prefetch(slice::from_ref(&triangles[at]));
            } else {
                prefetch(slice::from_ref(&nodes[at]));
            }
        }
    }
}

/// Stack entries that a traversal needs: on each level all children but one are on the stack, and a
/// whole lane group is written at a time.
fn places(tree: &Tree) -> usize {
    tree.depth * (WIDTH - 1) + LANES_MAX
}

/// Queries that run alternately, so that the prefetch of one overlaps with the computation of the
/// others.
const INTERLEAVED: usize = 8;

/// A running query.
#[derive(Clone, Copy)]
struct Walker {
    /// The index of the query.
    which: usize,
    /// The node to visit next, [`NOTHING`] if the query is done.
    next: u32,
    /// The number of entries on its stack.
    len: usize,
}

/// Whether this many queries may be run by [`descend_many`], which reads no leaves of triangles.
pub(crate) fn may_be_interleaved(tree: &Tree, queries: usize) -> bool {
    tree.triangles().is_empty() && places(tree) <= SHORT && queries >= INTERLEAVED
}

/// Runs queries over a tree, each as [`descend`] does, several alternately. There must be enough of
/// them, and the tree must not be too deep: see [`may_be_interleaved`].
#[inline(always)]
pub(crate) fn descend_many<I: Isa, Q: PrunedQuery>(isa: I, tree: &Tree, queries: &mut [Q]) {
    let Some(root) = tree.root else { return };
    let visits = &mut Visits::default();
    let mut stacks = [[[0; 2]; SHORT]; INTERLEAVED];
    let mut walkers = [Walker { which: 0, next: root, len: 0 }; INTERLEAVED];
    for (which, walker) in walkers.iter_mut().enumerate() {
        walker.which = which;
    }
    let (mut started, mut running) = (INTERLEAVED, INTERLEAVED);
    while running > 0 {
        let mut k = 0;
        while k < INTERLEAVED {
            let Walker { which, next, len } = &mut walkers[k];
            if *next != NOTHING {
                let stack = (&mut stacks[k][..], len);
                let node = &tree.nodes[(*next & !LEAF) as usize];
                *next = step(isa, tree, (*next, node), &mut queries[*which], stack, visits);
                if *next != NOTHING {
                    prefetch(slice::from_ref(&tree.nodes[(*next & !LEAF) as usize]));
                } else if started < queries.len() {
                    (*which, *next) = (started, root);
                    started += 1;
                } else {
                    running -= 1;
                }
            }
            k += 1;
        }
    }
}

/// Visits a node; returns the next one.
#[inline(always)]
fn step<I: Isa, Q: PrunedQuery>(
    isa: I,
    tree: &Tree,
    (id, node): (u32, &Node),
    query: &mut Q,
    (stack, len): (&mut [[u32; 2]], &mut usize),
    visits: &mut Visits,
) -> u32 {
    let at = (id & !LEAF) as usize;
    let is_leaf = id & LEAF != 0;
    visits.leaves += u64::from(is_leaf);
    visits.nodes += u64::from(!is_leaf);
    let filters = &tree.filters[..];
    let filters = if filters.is_empty() { filters } else { &filters[at * WIDTH..][..WIDTH] };
    let (mut lane, first) = (0, *len);
    // Leaves and other nodes share the test, which is most of the code.
    while lane < WIDTH {
        let bounds = NodeBounds { node, lane };
        let mut true_node = None;
        let (near, reached) = loop {
            let of = match (is_leaf, &true_node) {
                (false, _) => BoundsOf::Nodes,
                (true, None) => BoundsOf::Boxes,
                (true, Some(_)) => BoundsOf::TrueBoxes,
            };
            let node = true_node.as_ref().unwrap_or(node);
            let (near, reached) = query.distances(isa, NodeBounds { node, lane }, of);
            match query.true_boxes() {
                Some(of) if is_leaf && true_node.is_none() && reached.bits() != 0 => {
                    true_node = Some(with_true_boxes(node, of, lane, reached.bits()));
                }
                _ => break (near, reached),
            }
        };
        if is_leaf {
            let filters = if filters.is_empty() { filters } else { &filters[lane..] };
            visits.boxes += query.visit_leaf(isa, bounds, (near, reached), filters);
        } else {
            let ids = isa.load_u32(&node.ids[lane..]).compress(reached);
            let (near, count) = (near.to_bits().compress(reached), reached.count());
            isa.store_pairs(ids, near, count, &mut stack[*len..]);
            *len += count;
        }
        lane += I::LANES;
    }
    if Q::ORDERED && !is_leaf {
        order(&mut stack[first..*len]);
    }
    while *len > 0 {
        *len -= 1;
        let [id, near] = stack[*len];
        if f32::from_bits(near) <= query.distance_max() {
            return id;
        }
    }
    NOTHING
}

/// A copy of a leaf with the true boxes in the lanes `reached`, which are counted from `lane` on.
#[inline(never)]
fn with_true_boxes(leaf: &Node, of: &[MovingBox], lane: usize, reached: u32) -> Node {
    let (mut node, mut left) = (*leaf, reached);
    while left != 0 {
        let lane = lane + left.trailing_zeros() as usize;
        left &= left - 1;
        let id = node.ids[lane];
        node.set(lane, BvhItem { aabb: of[id as usize].aabb, id, filter: 0 });
    }
    node
}

/// Sorts children so that the nearest is last; among equal distances the one with the lowest id.
#[inline(always)]
fn order(children: &mut [[u32; 2]]) {
    match children {
        [] | [_] => {}
        [a, b] => exchange(a, b),
        [a, b, c] => {
            exchange(a, b);
            exchange(a, c);
            exchange(b, c);
        }
        [a, b, c, d] => {
            exchange(a, b);
            exchange(c, d);
            exchange(a, c);
            exchange(b, d);
            exchange(b, c);
        }
        _ => nearest_last(children),
    }
}

/// Sort key of a child: distance and id as one number. Non-negative floats have the order of their
/// bits.
#[inline(always)]
fn key([id, near]: [u32; 2]) -> u64 {
    u64::from(near) << 32 | u64::from(id)
}

/// Moves the nearer of two children to the second place, branch-free because the order is
/// unpredictable.
#[inline(always)]
fn exchange(a: &mut [u32; 2], b: &mut [u32; 2]) {
    let (p, q) = (key(*a), key(*b));
    let (far, near) = (Ord::max(p, q), Ord::min(p, q));
    *a = [far as u32, (far >> 32) as u32];
    *b = [near as u32, (near >> 32) as u32];
}

/// Moves the nearest three of more than four children to the end, in order. The others are rarely
/// visited, because the limit of the query has usually shrunk by then; so they stay unsorted.
#[inline(never)]
fn nearest_last(children: &mut [[u32; 2]]) {
    for last in (children.len() - 3..children.len()).rev() {
        let (others, rest) = children.split_at_mut(last);
        for child in others {
            exchange(child, &mut rest[0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LEAF, Node, SHORT, Tree, Visits, WIDTH, may_be_interleaved, places};
    use crate::broadphase::bvh::BvhItem;
    use crate::broadphase::bvh::static_bvh::Bvh;
    use crate::columns::SegmentStore;
    use crate::geom::{Aabb, Segment};
    use crate::kernels::Hit;
    use crate::lanes::Level;
    use crate::par::Threads;
    use alloc::vec;
    use alloc::vec::Vec;

    /// A tree of `above` nodes, each of which has the next one and fifteen leaves of one box, and the last of which has sixteen leaves.
    /// The boxes are points on the first axis; those of each leaf of node `k` are at `above - k`, so the next node is nearest to the
    /// origin. Their rows count down.
    fn chain(above: usize) -> Tree {
        let (mut nodes, mut leaves) = (vec![Node::EMPTY; above], Vec::new());
        let rows = above * (WIDTH - 1) + 1;
        for k in (0..above).rev() {
            for lane in 0..WIDTH {
                let next = k + 1;
                if lane == WIDTH / 2 && next < above {
                    let child = nodes[next].around(next as u32);
                    nodes[k].set(lane, child);
                    continue;
                }
                let at = [(above - k) as f32, 0.0, 0.0];
                let id = leaves.len() as u32;
                let mut leaf = Node::EMPTY;
                leaf.set(0, BvhItem { aabb: Aabb { min: at, max: at }, id, filter: 0 });
                nodes[k].set(lane, leaf.around((above + leaves.len()) as u32 | LEAF));
                leaves.push(leaf);
            }
        }
        assert_eq!(leaves.len(), rows);
        nodes.extend(leaves);
        Tree { nodes, root: Some(0), depth: above + 1, len: rows, built: rows, ..Tree::default() }
    }

    /// Goal: a traversal has memory for all children that may be on its stack, whatever the depth of the tree, also if several queries
    /// run alternately, and counts each node and leaf that it visits. Method: trees of which all children but one are on the stack on
    /// each level, from one level to more than an array is long enough for; all boxes, the nearest, and the first on each of many
    /// segments, one after the other and in one call.
    #[test]
    fn deep_trees_are_traversed_completely() {
        let depths = [1, 2, 5, 6, 7, 8, 12, 40];
        assert!(depths.iter().any(|above| above * (WIDTH - 1) > SHORT));
        for (above, level) in
            depths.into_iter().flat_map(|above| Level::all().map(move |level| (above, level)))
        {
            let mut tree = Bvh::with_exec(level);
            tree.exec.threads = Threads::one();
            tree.tree = chain(above);
            let is_deep = places(&tree.tree) > SHORT;
            assert_eq!(may_be_interleaved(&tree.tree, 100), !is_deep);
            assert!(!may_be_interleaved(&tree.tree, 7));
            assert_eq!(is_deep, above > 6, "{above}");
            let (queries, boxes) = (tree.queries(), tree.len());
            let (mut visits, mut rows) = (Visits::default(), Vec::new());
            let all = Aabb { min: [-1.0; 3], max: [100.0; 3] };
            queries.overlap(&all).expect("a box").counting(&mut visits).all(&mut rows);
            assert!(rows.into_iter().eq(0..boxes as u32), "{above} {level}");
            let counts = [visits.nodes, visits.leaves, visits.boxes];
            assert_eq!(counts, [above as u64, boxes as u64, boxes as u64], "{above} {level}");
            let origin = Aabb { min: [0.0; 3], max: [0.0; 3] };
            let nearest = queries.proximity(&origin, f32::INFINITY).expect("a point").nearest();
            let nearest = nearest.expect("there are boxes");
            assert!(nearest.row == 0 && (nearest.value - 1.0).abs() < 1e-6, "{nearest:?}");
            let segment = Segment { start: [0.0; 3], delta: [64.0, 0.0, 0.0], max_fraction: 1.0 };
            let mut hits = Vec::new();
            queries.cast(&segment).expect("a segment").sorted(&mut hits);
            assert_eq!(hits.len(), boxes, "{above} {level}");
            let mut many = SegmentStore::new();
            for _ in 0..20 {
                many.push(segment).expect("a segment");
            }
            let mut first = [Hit::MISS; 20];
            queries.casts(&many.checked()).closest(&mut first).expect("as many");
            assert_eq!(first, [hits[0]; 20], "{above} {level}");
            assert!(hits[0].row == 0 && (hits[0].value - 1.0 / 64.0).abs() < 1e-6, "{:?}", hits[0]);
        }
    }
}
