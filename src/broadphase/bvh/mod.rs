//! A bounding volume hierarchy (BVH) with sixteen children for each node.
//!
//! Lane `k` of a node has the bounds of child `k`, with one column for each of the six faces, so
//! that a single test of the widest vectors decides about all children. The children of a leaf are
//! boxes, and the id of such a child is the row of the box; the children of other nodes are nodes.
//! The filters of boxes are stored beside the nodes, as soon as one is set.
//!
//! ```text
//! build: divide the boxes into cells, build a subtree of each, then the nodes above    (build/mod.rs)
//! traverse many queries together (walk), or one query with the nearest child first (descend)
//! ```
//!
//! Guarantee: the tree depends on the boxes and their order alone, not on threads or levels. The
//! bounds of a node contain everything below it; after a build they are exact, unless they are loosened. After changes, `leaf_bounds.rs` updates them.
//! So a query finds every box that it reaches, if its test has this property: if it reaches a box, it reaches all boxes around it.

mod build;
mod clone;
pub(crate) mod forest;
mod joined_movers;
#[cfg(test)]
mod joined_movers_tests;
mod leaf_bounds;
pub(crate) mod load;
pub(crate) mod location;
mod mover_pairs;
mod mover_progress;
pub(crate) mod movers;
pub(crate) mod near_body;
pub(crate) mod near_pairs;
pub(crate) mod static_bvh;
mod traverse_batch;
mod traverse_nearest;
mod triangle_leaf;
mod triangles;

use crate::columns::{Zeroed, impl_memory};
use crate::geom::{Aabb, MapEach};
use crate::lanes::{LANES_MAX, Level, prefetch};
use crate::par::{Threads, select_float};
use alloc::vec::Vec;
pub(crate) use build::Builder;
use bytemuck::{Pod, Zeroable};
pub(crate) use traverse_batch::{Probe, Stack, walk};
pub use traverse_nearest::Visits;
pub(crate) use traverse_nearest::{
    BoundsOf, Descend, NodeBounds, PrunedQuery, descend_many, may_be_interleaved,
};
pub(crate) use triangle_leaf::write_triangle;
pub(crate) use triangles::TriangleLeaves;

/// Children of a node. The same on every level, because the shape must not depend on the CPU.
pub(crate) const WIDTH: usize = LANES_MAX;
/// Bit of a child id: the child is a leaf.
const LEAF: u32 = 1 << 31;
/// Child id of an empty lane.
const NOTHING: u32 = u32::MAX;

/// A child of a node: a box with its row and filter, or a node with its bounds and id.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(32))]
pub(crate) struct BvhItem {
    pub(crate) aabb: Aabb,
    pub(crate) id: u32,
    /// The filter of a box as a word; not used for nodes.
    pub(crate) filter: u32,
}

impl BvhItem {
    /// No box.
    pub(crate) const NOTHING: Self =
        Self { aabb: Aabb { min: [0.0; 3], max: [0.0; 3] }, id: NOTHING, filter: 0 };
}

/// Sixteen boxes, or the bounds of sixteen nodes. Each column is one cache line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// Minimum x, y, z, then maximum x, y, z. An empty lane has inverted bounds, which overlap
    /// nothing.
    bounds: [[f32; WIDTH]; 6],
    /// In a leaf, the rows of the boxes; in other nodes, the indices of the child nodes, with
    /// [`LEAF`].
    ids: [u32; WIDTH],
}

/// What a tree stores of the bounds of a node besides the node (`leaf_bounds.rs`), in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct LeafBounds {
    /// The bounds when this was first needed after the build. In a leaf, a box inside of them overwrites another one in place.
    room: Aabb,
    /// The bounds that the parent stores.
    stored: Aabb,
    /// The slot of the node in its parent, or [`NOTHING`] for the root.
    parent: u32,
    /// The sum of the sides of the room.
    length: f32,
    /// How many boxes of the leaf may still be overwritten before the leaf is listed.
    left: u16,
    /// How many that are after it was listed.
    changes: u16,
    /// Whether the node is in the list of those whose bounds may have to change.
    is_listed: bool,
}

/// Sixteen triangles: a leaf of a tree of triangles (`triangle_leaf.rs`). Each column is one cache line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct TriangleLeaf {
    corners: CornerColumns,
    /// The numbers of the triangles; [`NOTHING`] in empty lanes.
    numbers: [u32; WIDTH],
}

/// The corners of sixteen triangles: by corner, then axis, then lane.
pub(crate) type CornerColumns = [[[f32; WIDTH]; 3]; 3];

/// The triangles that a tree is built of, by row.
pub(crate) trait TriangleRows: Sync {
    /// Writes the corners of the triangles of these rows, at most [`WIDTH`], to the first lanes.
    fn write_corners(&self, rows: &[u32], columns: &mut CornerColumns);

    /// Prefetches the indices of the vertices of these rows. Where triangles were left out, these may be rows of others.
    fn prefetch_indices(&self, rows: &[u32]);

    /// Prefetches the vertices of these rows, whose indices it reads. Where triangles were left out, these may be rows of
    /// others.
    fn prefetch_vertices(&self, rows: &[u32]);
}

/// The bounds of an empty lane: they overlap nothing, and a union with them changes nothing.
const NO_BOUNDS: [f32; 6] = {
    let (low, high) = (f32::INFINITY, f32::NEG_INFINITY);
    [low, low, low, high, high, high]
};

impl Node {
    const EMPTY: Self = Self {
        bounds: [
            [NO_BOUNDS[0]; WIDTH],
            [NO_BOUNDS[1]; WIDTH],
            [NO_BOUNDS[2]; WIDTH],
            [NO_BOUNDS[3]; WIDTH],
            [NO_BOUNDS[4]; WIDTH],
            [NO_BOUNDS[5]; WIDTH],
        ],
        ids: [NOTHING; WIDTH],
    };

    fn set(&mut self, lane: usize, child: BvhItem) {
        let ([x0, y0, z0], [x1, y1, z1]) = (child.aabb.min, child.aabb.max);
        for (column, end) in self.bounds.iter_mut().zip([x0, y0, z0, x1, y1, z1]) {
            column[lane] = end;
        }
        self.ids[lane] = child.id;
    }

    /// The bounds of a child.
    #[inline(always)]
    fn aabb(&self, lane: usize) -> Aabb {
        let [x0, y0, z0, x1, y1, z1] = self.bounds.each_ref().map_each(|column| column[lane]);
        Aabb { min: [x0, y0, z0], max: [x1, y1, z1] }
    }

    /// This node as a child with the id `id`: its bounds are the union of all lanes.
    #[inline(always)]
    fn around(&self, id: u32) -> BvhItem {
        let mut around = [0.0; 6];
        for (k, (end, column)) in around.iter_mut().zip(&self.bounds).enumerate() {
            let mut ends = *column;
            let mut half = WIDTH / 2;
            while half > 0 {
                for lane in 0..half {
                    let (a, b) = (ends[lane], ends[lane + half]);
                    ends[lane] = if (k < 3) == (a < b) { a } else { b };
                }
                half /= 2;
            }
            *end = ends[0];
        }
        let [x0, y0, z0, x1, y1, z1] = around;
        let aabb = Aabb { min: [x0, y0, z0], max: [x1, y1, z1] };
        BvhItem { aabb, id, filter: 0 }
    }

    /// The bounds of the boxes of a leaf, grown by `slack` or the [typical length](Node::typical_length) of the boxes.
    fn loose_bounds(&self, slack: f32) -> Aabb {
        let Aabb { min, max } = self.around(0).aabb;
        let by = self.typical_length(slack);
        Aabb { min: min.map_each(|x| x - by), max: max.map_each(|x| x + by) }
    }

    /// The median of the shortest sides of the boxes of a leaf, or `most` if that is less.
    fn typical_length(&self, most: f32) -> f32 {
        let [x0, y0, z0, x1, y1, z1] = &self.bounds;
        let (mut lengths, mut count) = ([0.0; WIDTH], 0);
        for lane in (0..WIDTH).filter(|&lane| self.ids[lane] != NOTHING) {
            let sides = [x1[lane] - x0[lane], y1[lane] - y0[lane], z1[lane] - z0[lane]];
            lengths[count] = sides[0].min(sides[1]).min(sides[2]);
            count += 1;
        }
        let lengths = &mut lengths[..count];
        // In most leaves all are as long.
        if lengths.iter().all(|&length| length >= most) {
            return most;
        }
        select_float(lengths, count / 2).min(most)
    }
}

/// A tree of boxes. A slot is the number of a lane of a leaf: node index times [`WIDTH`], plus
/// lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The nodes, except for those of a tree of triangles. May be longer than needed, after an earlier tree with more boxes.
    nodes: Vec<Node>,
    /// The filters by slot, as words. Empty until a filter is set.
    filters: Vec<u32>,
    /// The leaves, if the boxes are those of triangles (`triangle_leaf.rs`). Then no leaf is a node.
    triangles: Zeroed<TriangleLeaf>,
    /// The nodes above these leaves.
    above_triangles: Zeroed<Node>,
    /// For each node, its bounds as stored in its parent, and more (`leaf_bounds.rs`). Empty until a box is overwritten or removed.
    leaf_bounds: Vec<LeafBounds>,
    /// The leaves whose bounds may have to change, because boxes in them were overwritten or removed.
    changed_leaves: Vec<u32>,
    /// By how much the leaves are loosened.
    slack: f32,
    /// The child id of the root, if there are boxes.
    root: Option<u32>,
    /// The largest number of nodes on a path from the root to a leaf.
    depth: usize,
    /// The number of boxes.
    len: usize,
    /// The number of boxes when the tree was built.
    built: usize,
}

impl_memory!(Tree { nodes, filters, triangles, above_triangles, leaf_bounds, changed_leaves; without slack, root, depth, len, built });

impl Tree {
    /// Replaces the contents of the tree by `boxes`.
    pub(crate) fn build(
        &mut self,
        boxes: &[BvhItem],
        builder: &mut Builder,
        (level, threads): (Level, &Threads),
    ) {
        self.clear();
        (self.len, self.built) = (boxes.len(), boxes.len());
        if let Some((root, depth)) = builder.build(boxes, &mut self.nodes, None, (level, threads)) {
            (self.root, self.depth) = (Some(root.id), depth);
        }
    }

    /// Grows the bounds of each leaf by `slack` on each side, but at most by the [typical length](Node::typical_length) of its boxes: so
    /// large boxes loosen no leaf of small ones. The nodes above are grown so that they contain the leaves.
    pub(crate) fn loosen(&mut self, slack: f32) {
        self.slack = slack;
        if let Some(root) = self.root {
            self.loosen_below(root, slack);
        }
    }

    /// Grows the bounds of all nodes below the node `id`. Returns the bounds of the node `id`. The recursion is as deep as the tree.
    fn loosen_below(&mut self, id: u32, slack: f32) -> Aabb {
        let node = (id & !LEAF) as usize;
        if id & LEAF != 0 {
            return self.nodes[node].loose_bounds(slack);
        }
        for lane in 0..WIDTH {
            let child = self.nodes[node].ids[lane];
            if child != NOTHING {
                let aabb = self.loosen_below(child, slack);
                self.nodes[node].set(lane, BvhItem { aabb, id: child, filter: 0 });
            }
        }
        self.nodes[node].around(id).aabb
    }

    /// Removes all boxes and keeps the memory.
    pub(crate) fn clear(&mut self) {
        (self.root, self.depth, self.len, self.built) = (None, 0, 0, 0);
        self.filters.clear();
        (self.triangles, self.above_triangles) = (Zeroed::default(), Zeroed::default());
        self.leaf_bounds.clear();
        self.changed_leaves.clear();
        self.slack = 0.0;
    }

    /// The number of boxes.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// A box around all boxes, or `None` without boxes.
    pub(crate) fn bounds(&self) -> Option<Aabb> {
        let root = self.root? & !LEAF;
        Some(self.nodes[root as usize].around(root).aabb)
    }

    /// Whether more than half of the boxes have been removed since the tree was built.
    pub(crate) fn is_sparse(&self) -> bool {
        2 * self.len < self.built
    }

    /// The box in a slot, with its row and filter.
    pub(crate) fn get(&self, slot: usize) -> BvhItem {
        let (node, lane) = (&self.nodes[slot / WIDTH], slot % WIDTH);
        let aabb = node.aabb(lane);
        let filter = self.filters.get(slot).copied().unwrap_or(u32::MAX);
        BvhItem { aabb, id: node.ids[lane], filter }
    }

    /// Allocates the filters, if they are not: every box may pair with everything.
    pub(crate) fn allocate_filters(&mut self) {
        self.filters.resize(self.used() * WIDTH, u32::MAX);
    }

    /// Sets all filters, by row.
    pub(crate) fn set_filters(&mut self, filter: impl Fn(u32) -> u32) {
        self.allocate_filters();
        let mut filters = core::mem::take(&mut self.filters);
        self.for_each(|slot, row| filters[slot] = filter(row));
        self.filters = filters;
    }

    /// Sets the filter of the box in a slot. Filters must be allocated.
    pub(crate) fn set_filter(&mut self, slot: usize, filter: u32) {
        self.filters[slot] = filter;
    }

    /// Overwrites the box in a slot if the new one is in the room of the leaf. Returns whether it was overwritten.
    /// Afterwards the bounds of the leaf must be [updated](Tree::update_leaf_bounds).
    pub(crate) fn overwrite(&mut self, slot: usize, item: BvhItem, moves_left: &mut usize) -> bool {
        let overwrites = self.may_overwrite(slot, &item.aabb, moves_left);
        if overwrites {
            self.nodes[slot / WIDTH].set(slot % WIDTH, item);
            if let Some(filter) = self.filters.get_mut(slot) {
                *filter = item.filter;
            }
        }
        overwrites
    }

    /// Prefetches the memory of a slot that will be overwritten soon.
    pub(crate) fn prefetch_slot(&self, slot: usize) {
        let node = slot / WIDTH;
        prefetch(&self.nodes[node..=node]);
        prefetch(self.leaf_bounds.get(node..=node).unwrap_or_default());
    }

    /// Counts a box as removed.
    pub(crate) fn count_removed(&mut self) {
        self.len -= 1;
    }

    /// Clears a slot, whose box was removed. Afterwards the bounds of the leaf must be [updated](Tree::update_leaf_bounds), because
    /// bounds that are too large cost time.
    pub(crate) fn clear_slot(&mut self, slot: usize) {
        self.count_cleared(slot);
        let [x0, y0, z0, x1, y1, z1] = NO_BOUNDS;
        let aabb = Aabb { min: [x0, y0, z0], max: [x1, y1, z1] };
        let nothing = BvhItem { aabb, id: NOTHING, filter: 0 };
        self.nodes[slot / WIDTH].set(slot % WIDTH, nothing);
    }

    /// Calls `visitor` with the slot and row of each box.
    pub(crate) fn for_each(&self, mut visitor: impl FnMut(usize, u32)) {
        let Some(root) = self.root else { return };
        self.leaves_of(root, &mut |leaf: usize| {
            for (lane, &row) in self.nodes[leaf].ids.iter().enumerate() {
                if row != NOTHING {
                    visitor(leaf * WIDTH + lane, row);
                }
            }
        });
    }

    /// Calls `visitor` with each leaf below the node `id`. The recursion is as deep as the tree.
    fn leaves_of(&self, id: u32, visitor: &mut dyn FnMut(usize)) {
        if id & LEAF != 0 {
            return visitor((id & !LEAF) as usize);
        }
        for &child in &self.nodes[id as usize].ids {
            if child != NOTHING {
                self.leaves_of(child, visitor);
            }
        }
    }

    /// Whether filters are stored.
    pub(crate) fn is_filtered(&self) -> bool {
        !self.filters.is_empty()
    }

    /// One more than the greatest index of the node `id` and of the nodes below it. The recursion is as deep as the tree.
    fn end_of(&self, id: u32) -> usize {
        let node = (id & !LEAF) as usize;
        let mut end = node + 1;
        if id & LEAF == 0 {
            let children = self.nodes[node].ids;
            for child in children.into_iter().filter(|&child| child != NOTHING) {
                end = end.max(self.end_of(child));
            }
        }
        end
    }

    /// The number of nodes of this tree. The nodes after them are those of an earlier one.
    fn used(&self) -> usize {
        // The leaves of a tree of triangles, and the nodes above them, are stored elsewhere.
        let root = self.root.filter(|_| self.triangles().is_empty());
        root.map_or(0, |root| self.end_of(root))
    }

    /// Frees memory that is not needed.
    pub(crate) fn shrink_to_fit(&mut self) {
        let used = self.used();
        self.nodes.truncate(used);
        self.filters.truncate(used * WIDTH);
        (self.leaf_bounds, self.changed_leaves) = (Vec::new(), Vec::new());
        self.nodes.shrink_to_fit();
        self.filters.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::forest::FixedBoxes;
    use super::{Builder, BvhItem, LEAF, NOTHING, Tree, WIDTH};
    use crate::geom::Aabb;
    use crate::lanes::Level;
    use crate::par::Threads;
    use alloc::vec::Vec;

    /// The largest number of nodes on a path, by trying all paths.
    fn longest_path(tree: &Tree, id: u32) -> usize {
        if id & LEAF != 0 {
            return 1;
        }
        let children = tree.nodes[id as usize].ids;
        let below = children.into_iter().filter(|&child| child != NOTHING);
        1 + below.map(|child| longest_path(tree, child)).max().expect("a node has children")
    }

    fn cube(at: [f32; 3], half: f32) -> Aabb {
        Aabb { min: at.map(|x| x - half), max: at.map(|x| x + half) }
    }

    /// Well-spread points in a cube of half side 1 (Halton 1960).
    fn spread(k: usize) -> [f32; 3] {
        [2, 3, 5].map(|base| {
            let (mut part, mut place, mut left) = (2.0, -1.0, k);
            while left > 0 {
                part /= base as f32;
                place += part * (left % base) as f32;
                left /= base;
            }
            place
        })
    }

    /// Goal: a tree with filters takes time for its own boxes, not for those of an earlier tree. Method: a small tree in the memory of
    /// a large one; filters and bounds of leaves are as many as those of a new tree.
    #[test]
    fn small_tree_after_a_large_one_has_few_filters() {
        let mut trees = [Tree::default(), Tree::default()];
        let mut build = |tree: usize, count: u32| {
            let tree = &mut trees[tree];
            let item = |id| BvhItem { aabb: cube(spread(id as usize), 0.01), id, filter: 0 };
            let boxes: Vec<_> = (0..count).map(item).collect();
            tree.build(&boxes, &mut Builder::default(), (Level::detect(), &Threads::one()));
            tree.set_filters(|row| row);
            let mut first = None;
            tree.for_each(|slot, row| {
                assert_eq!(tree.get(slot).filter, row);
                first = first.or(Some(slot));
            });
            let slot = first.expect("there are boxes");
            assert!(tree.overwrite(slot, tree.get(slot), &mut 0));
            [tree.filters.len(), tree.leaf_bounds.len()]
        };
        let large = build(0, 20_000);
        let (after, new) = (build(0, 40), build(1, 40));
        assert!(large[0] >= 20_000 && after == new && after[0] < 100, "{after:?} {new:?}");
    }

    /// Goal: large boxes loosen no leaf of small ones, in whatever order and proportion both are stored, and each leaf of large ones by the
    /// whole slack. Method: small boxes on a grid and large ones elsewhere, of which one is in the middle of each few small ones or the
    /// reverse; the bounds that are stored for each leaf are compared with those of its boxes, and with those above.
    #[test]
    fn leaves_are_loosened_by_the_length_of_their_own_boxes() {
        const SLACK: f32 = 200.0;
        for (period, large_of_period) in [(2, 1), (4, 1), (4, 3), (16, 9), (16, 15)] {
            let is_large = |id: u32| id % period < large_of_period;
            let item = |id: u32| {
                let at = spread(id as usize);
                let aabb = match is_large(id) {
                    true => cube(at.map(|x| 1e5 + 500.0 * x), 100.0),
                    false => cube(at, 0.25),
                };
                BvhItem { aabb, id, filter: 0 }
            };
            let mut forest = FixedBoxes::new();
            forest.slack = SLACK;
            forest.put_valid(4096, &mut (0..4096).map(item).collect(), false);
            let mut counts = [0; 2];
            for tree in &mut forest.trees {
                tree.find_leaf_bounds();
                let mut leaves = Vec::new();
                tree.leaves_of(tree.root.unwrap_or(LEAF), &mut |leaf| leaves.push(leaf));
                for leaf in leaves.into_iter().filter(|_| tree.root.is_some()) {
                    let ids = tree.nodes[leaf].ids.into_iter().filter(|&id| id != NOTHING);
                    let large = ids.clone().filter(|&id| is_large(id)).count();
                    let exact = tree.nodes[leaf].around(0).aabb;
                    let stored = tree.leaf_bounds[leaf].stored;
                    let loose = exact.min[0] - stored.min[0];
                    assert!(tree.bounds().is_some_and(|bounds| bounds.contains(&stored)));
                    if large == 0 || large == ids.count() {
                        counts[usize::from(large > 0)] += 1;
                        let expected = if large > 0 { SLACK } else { 0.5 };
                        assert!((loose - expected).abs() < 0.1, "{period} {large}: {loose}");
                    }
                }
            }
            assert!(counts[0] > 10 && counts[1] > 10, "{period}: {counts:?}");
        }
    }

    /// Goal: a tree is not deeper than it reports, because the stacks of all traversals depend on
    /// that, and hardly less deep, because stacks of deeper trees than [`descend`](super::traverse_nearest)
    /// has space for are allocated. Method: comparison with all paths through the nodes, for sets
    /// of one cell and of many; with all or half of the boxes in one place; with distant boxes;
    /// flat; and with large boxes that are separated and whose subtree is deeper or less deep than
    /// that of the small ones. The nodes of a single cell are full, so its depth is the logarithm
    /// to base 16.
    #[test]
    fn no_path_is_longer_than_the_depth() {
        let check = |case: &str, boxes: &[Aabb]| {
            let item = |(id, &aabb)| BvhItem { aabb, id, filter: 0 };
            let boxes: Vec<_> = (0..).zip(boxes).map(item).collect();
            let mut tree = Tree::default();
            tree.build(&boxes, &mut Builder::default(), (Level::detect(), &Threads::one()));
            let path = longest_path(&tree, tree.root.expect("there are boxes"));
            let depth = tree.depth;
            // With several cells or subtrees, some paths are shorter by a node.
            assert!((path..=path + 1).contains(&depth), "{case}: {depth}, and a path of {path}");
            (path, depth)
        };
        for (count, expected) in [(1, 1), (16, 1), (17, 2), (256, 2), (257, 3), (3000, 3)] {
            let boxes: Vec<_> = (0..count).map(|k| cube(spread(k), 0.01)).collect();
            assert_eq!(check("one cell", &boxes), (expected, expected), "{count}");
            assert!(expected == 1 || count > WIDTH.pow(expected as u32 - 1));
        }
        let place = |k: usize, of: &[usize]| {
            let there = if of.contains(&(k % 4)) { k } else { 0 };
            spread(there).map(|x| 100.0 * x)
        };
        let set = |count: usize, of: &[usize], half: f32| -> Vec<_> {
            (0..count).map(|k| cube(place(k, of), half)).collect()
        };
        let (even, small) = (set(20_000, &[0, 1, 2, 3], 0.1), set(60_000, &[], 0.1));
        let (half, large) = (set(30_000, &[1, 3], 0.1), set(19_000, &[0, 2], 40.0));
        assert_eq!(check("even", &even), (4, 4));
        // All boxes are in a single cell.
        assert_eq!(check("in one place", &small), (4, 4));
        // A cell of 15,000 boxes below two nodes.
        assert_eq!(check("half in one place", &half).0, 6);
        let flat: Vec<_> = even.iter().map(|of| cube([of.min[0], 0.0, of.min[2]], 0.1)).collect();
        check("flat", &flat);
        let far: Vec<_> = even.iter().chain(&[cube([1e6, -1e6, 0.0], 0.1)]).copied().collect();
        check("far", &far);
        // A few large boxes are a subtree of their own, with a node above both; with crowds and many large boxes, the
        // nodes above the cells are those of a k-d tree.
        let both = |a: &[Aabb], b: &[Aabb]| a.iter().chain(b).copied().collect::<Vec<_>>();
        assert_eq!(check("large ones are deeper", &both(&small, &large)).0, 5);
        assert_eq!(check("few large ones", &both(&even, &large[..1000])).0, 5);
        assert_eq!(check("small ones are deeper", &both(&half, &large[..3000])).0, 5);
    }
}
