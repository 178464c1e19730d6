//! Which boxes of a set that does not change are near something?
//!
//! A tree of nodes with sixteen lanes: lane `k` holds the bounds of child `k`, an axis end a
//! column, so that one look of the widest vectors at a node decides about all its children. In a
//! leaf the children are boxes, and what a lane is called is the box's row; else they are nodes.
//! What a box may pair with is kept beside the nodes, if anyone asks.
//!
//! How it is built (`cells`, `median`): large sets are first cut into cells of some two hundred
//! boxes by counting along one axis after the other (after Leutenegger, Lopez and Edgington 1997,
//! *STR*, but with bins in place of sorting); within a cell, and among the cells, by medians of the
//! longest axis, at whole leaves, so that leaves are full. Where a box lies is its middle. Those
//! longer than a cell is wide, planets among dust, are kept apart in trees of their own under the
//! same root, for else each would widen the bounds of all that it shares a node with.
//!
//! Promise: the tree depends on the boxes and their order alone, not on threads or levels. The
//! bounds of a node hold all that is below it and are not rounded, so a question that reaches
//! a box whenever it reaches one inside that box finds every box that it reaches.

mod bins;
mod cells;
mod descend;
mod median;
mod walk;

use crate::geom::Aabb;
use crate::lanes::{LANES_MAX, Level, prefetch};
use crate::par::Threads;
use alloc::vec::Vec;
use bytemuck::{Pod, Zeroable};
pub(super) use cells::Builder;
pub use descend::Visits;
pub(super) use descend::{Bounds, Nearing, descend, descend_many, may_go_abreast};
pub(super) use walk::{Probe, Stack, walk};

/// Children of a node: the same on every level, as the shape must not depend on the CPU.
const WIDTH: usize = LANES_MAX;
/// Of the name of a child: it is a leaf.
const LEAF: u32 = 1 << 31;
/// The name of a lane in which there is nothing.
const NOTHING: u32 = u32::MAX;

/// What a lane of a node holds: a box with its row and filter, or a node by its bounds and name.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Named {
    pub(super) aabb: Aabb,
    pub(super) name: u32,
    /// Of a box, as a word.
    pub(super) filter: u32,
}

/// Sixteen boxes, or the bounds of sixteen nodes. A column is a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Node {
    /// Least x, y, z, greatest x, y, z. A lane with nothing in it is a box that nothing overlaps.
    bounds: [[f32; WIDTH]; 6],
    /// In a leaf the rows of the boxes; else each child's node, with [`LEAF`].
    names: [u32; WIDTH],
}

/// The bounds of no box: they overlap nothing and widen nothing.
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
        names: [NOTHING; WIDTH],
    };

    fn set(&mut self, lane: usize, child: Named) {
        let ([x0, y0, z0], [x1, y1, z1]) = (child.aabb.min, child.aabb.max);
        for (column, end) in self.bounds.iter_mut().zip([x0, y0, z0, x1, y1, z1]) {
            column[lane] = end;
        }
        self.names[lane] = child.name;
    }

    /// The node, of this name, as a child: its bounds are those around all lanes.
    #[inline(always)]
    fn around(&self, name: u32) -> Named {
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
        Named { aabb, name, filter: 0 }
    }
}

/// Makes a list so long at least.
fn grow<T: Clone + Default>(list: &mut Vec<T>, len: usize) {
    if list.len() < len {
        list.resize(len, T::default());
    }
}

impl Default for Node {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Boxes in a tree. A slot, by which the owner remembers where a box is, is a lane of a leaf.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Of an earlier tree, where there were more.
    nodes: Vec<Node>,
    /// By slot, as words; none as long as nobody asks.
    filters: Vec<u32>,
    /// By node: of leaves the bounds that are held above them. None until a box is written over.
    held: Vec<Aabb>,
    /// The name of the uppermost node, if there is one.
    root: Option<u32>,
    /// How many nodes follow each other at most from the root to a leaf.
    depth: usize,
    /// How many boxes there are, and how many there were when the tree was built.
    len: usize,
    built: usize,
}

impl Tree {
    /// Builds the tree of `boxes` anew.
    pub(super) fn build(
        &mut self,
        boxes: &[Named],
        builder: &mut Builder,
        (level, threads): (Level, &Threads),
    ) {
        self.clear();
        (self.len, self.built) = (boxes.len(), boxes.len());
        if let Some((root, depth)) = builder.build(boxes, &mut self.nodes, level, threads) {
            (self.root, self.depth) = (Some(root), depth);
        }
    }

    /// Empties the tree and keeps the memory.
    pub(super) fn clear(&mut self) {
        (self.root, self.depth, self.len, self.built) = (None, 0, 0, 0);
        self.filters.clear();
        self.held.clear();
    }

    /// How many boxes there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Whether more than half of the boxes have been taken out since the tree was built.
    pub(super) fn is_sparse(&self) -> bool {
        2 * self.len < self.built
    }

    /// The box in a slot.
    pub(super) fn get(&self, slot: usize) -> Named {
        let (node, lane) = (&self.nodes[slot / WIDTH], slot % WIDTH);
        let [x0, y0, z0, x1, y1, z1] = node.bounds.map(|column| column[lane]);
        let aabb = Aabb { min: [x0, y0, z0], max: [x1, y1, z1] };
        let filter = self.filters.get(slot).copied().unwrap_or(u32::MAX);
        Named { aabb, name: node.names[lane], filter }
    }

    /// Makes a list of filters, if there is none: each box may pair with all.
    pub(super) fn keep_filters(&mut self) {
        self.filters.resize(self.nodes.len() * WIDTH, u32::MAX);
    }

    /// Keeps these filters, by row.
    pub(super) fn set_filters(&mut self, filter: impl Fn(u32) -> u32) {
        self.keep_filters();
        let mut filters = core::mem::take(&mut self.filters);
        self.for_each(|slot, row| filters[slot] = filter(row));
        self.filters = filters;
    }

    /// Says with what the box in a slot may pair. Filters are kept.
    pub(super) fn set_filter(&mut self, slot: usize, filter: u32) {
        self.filters[slot] = filter;
    }

    /// Writes a box over that in a slot, if it lies within the bounds that are held above the slot:
    /// then they hold for it too, and stay as they are. Returns whether it does.
    pub(super) fn write_over(&mut self, slot: usize, named: Named) -> bool {
        if self.held.is_empty() {
            self.find_held();
        }
        let (node, lane) = (slot / WIDTH, slot % WIDTH);
        let within = self.held[node].contains(&named.aabb);
        if within {
            self.nodes[node].set(lane, named);
            if let Some(filter) = self.filters.get_mut(slot) {
                *filter = named.filter;
            }
        }
        within
    }

    /// Asks for the memory of a slot that is soon written over.
    pub(super) fn ask_for(&self, slot: usize) {
        let node = slot / WIDTH;
        prefetch(&self.nodes[node..=node]);
        prefetch(self.held.get(node..=node).unwrap_or_default());
    }

    /// Notes which bounds are held above leaves: above the root there are none.
    fn find_held(&mut self) {
        let all = Aabb { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY; 3] };
        self.held.resize(self.nodes.len(), all);
        let mut held = core::mem::take(&mut self.held);
        if let Some(root) = self.root {
            self.held_of(root, &mut held);
        }
        self.held = held;
    }

    /// Writes the bounds of the leaves below the node `name`. Goes as deep as the tree is.
    fn held_of(&self, name: u32, held: &mut [Aabb]) {
        if name & LEAF != 0 {
            return;
        }
        let first = name as usize * WIDTH;
        for slot in first..first + WIDTH {
            let Named { aabb, name: child, .. } = self.get(slot);
            if child != NOTHING {
                held[(child & !LEAF) as usize] = aabb;
                self.held_of(child, held);
            }
        }
    }

    /// Says that a box has left.
    pub(super) fn leave(&mut self) {
        self.len -= 1;
    }

    /// Wipes out the box in a slot, which has left. The bounds above it stay as they are: too large is
    /// only slow.
    pub(super) fn empty(&mut self, slot: usize) {
        let [x0, y0, z0, x1, y1, z1] = NO_BOUNDS;
        let aabb = Aabb { min: [x0, y0, z0], max: [x1, y1, z1] };
        let nothing = Named { aabb, name: NOTHING, filter: 0 };
        self.nodes[slot / WIDTH].set(slot % WIDTH, nothing);
    }

    /// Calls `see` with each box's slot and row.
    pub(super) fn for_each(&self, mut see: impl FnMut(usize, u32)) {
        let Some(root) = self.root else { return };
        self.leaves_of(root, &mut |leaf: usize| {
            for (lane, &row) in self.nodes[leaf].names.iter().enumerate() {
                if row != NOTHING {
                    see(leaf * WIDTH + lane, row);
                }
            }
        });
    }

    /// Calls `see` with each leaf below the node `name`. Goes as deep as the tree is.
    fn leaves_of(&self, name: u32, see: &mut impl FnMut(usize)) {
        if name & LEAF != 0 {
            return see((name & !LEAF) as usize);
        }
        let children = self.nodes[name as usize].names;
        for child in children.into_iter().filter(|&child| child != NOTHING) {
            self.leaves_of(child, see);
        }
    }

    /// Whether filters are kept.
    pub(super) fn is_filtered(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.filters.capacity() * size_of::<u32>()
            + self.held.capacity() * size_of::<Aabb>()
    }

    /// Gives back memory that is not needed.
    pub(super) fn shrink_to_fit(&mut self) {
        if self.root.is_none() {
            self.nodes.clear();
            self.filters.clear();
        }
        self.nodes.shrink_to_fit();
        self.filters.shrink_to_fit();
        self.held = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::{Builder, LEAF, NOTHING, Named, Tree, WIDTH};
    use crate::geom::Aabb;
    use crate::lanes::Level;
    use crate::par::Threads;
    use alloc::vec::Vec;

    /// How many nodes follow each other, by going all ways.
    fn longest_way(tree: &Tree, name: u32) -> usize {
        if name & LEAF != 0 {
            return 1;
        }
        let children = tree.nodes[name as usize].names;
        let below = children.into_iter().filter(|&child| child != NOTHING);
        1 + below.map(|child| longest_way(tree, child)).max().expect("a node has children")
    }

    fn cube(at: [f32; 3], half: f32) -> Aabb {
        Aabb { min: at.map(|x| x - half), max: at.map(|x| x + half) }
    }

    /// Places in a cube of half side 1, far from each other (Halton 1960).
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

    /// Goal: a tree is as deep as it says, since the stacks of all walks are made for that, and hardly
    /// less, since deeper ones than [`descend`](super::descend) has at hand take an allocation. Method: sets of one cell and of
    /// many, all or half of them in one place, with far ones, flat, and large ones that are kept apart and
    /// are deeper or less deep than the small; against all ways through the nodes. Nodes of one cell are full, so
    /// their depth is that of the sixteenfold.
    #[test]
    fn no_way_is_longer_than_the_depth() {
        let check = |name: &str, boxes: &[Aabb]| {
            let named = |(name, &aabb)| Named { aabb, name, filter: 0 };
            let boxes: Vec<_> = (0..).zip(boxes).map(named).collect();
            let mut tree = Tree::default();
            tree.build(&boxes, &mut Builder::default(), (Level::detect(), &Threads::one()));
            let way = longest_way(&tree, tree.root.expect("there are boxes"));
            let depth = tree.depth;
            // Among many cells, or many classes, some ways are shorter by a node.
            assert!((way..=way + 1).contains(&depth), "{name}: {depth}, and a way of {way}");
            (way, depth)
        };
        for (count, wanted) in [(1, 1), (16, 1), (17, 2), (256, 2), (257, 3), (3000, 3)] {
            let boxes: Vec<_> = (0..count).map(|k| cube(spread(k), 0.01)).collect();
            assert_eq!(check("one cell", &boxes), (wanted, wanted), "{count}");
            assert!(wanted == 1 || count > WIDTH.pow(wanted as u32 - 1));
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
        // One cell of all.
        assert_eq!(check("in one place", &small), (4, 4));
        // A cell of 15,000 below two nodes.
        assert_eq!(check("half in one place", &half).0, 6);
        let flat: Vec<_> = even.iter().map(|of| cube([of.min[0], 0.0, of.min[2]], 0.1)).collect();
        check("flat", &flat);
        let far: Vec<_> = even.iter().chain(&[cube([1e6, -1e6, 0.0], 0.1)]).copied().collect();
        check("far", &far);
        // Under one node more: the deeper of the two.
        let both = |a: &[Aabb], b: &[Aabb]| a.iter().chain(b).copied().collect::<Vec<_>>();
        assert_eq!(check("large ones are deeper", &both(&small, &large)).0, 7);
        assert_eq!(check("small ones are deeper", &both(&half, &large[..3000])).0, 7);
    }
}
