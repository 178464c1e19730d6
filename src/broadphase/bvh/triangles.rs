//! Leaves of a tree of triangles.
//!
//! The leaves of a tree of boxes are nodes like all others. Those of a tree of triangles are the corners of the triangles,
//! and their boxes are computed when a query visits them. So a query that finds a triangle has its corners in the cache,
//! and all other nodes are together in little memory: most of the time of a query in a large tree is that of the first
//! access to a page. In such a tree the row of a box is its slot: the index of its leaf times [`WIDTH`], plus its lane.

use super::{LEAF, NO_BOUNDS, NOTHING, Node, Tree, TriangleLeaf, WIDTH};
use crate::lanes::{F32Lanes, IOTA, Isa, U32Lanes, prefetch};
use crate::par::{self, Threads};
use alloc::vec::Vec;
use core::slice;

/// Leaves that one thread fills at a time.
const LEAVES: usize = 256;

impl TriangleLeaf {
    const EMPTY: Self = Self { corners: [[[0.0; WIDTH]; 3]; 3], numbers: [NOTHING; WIDTH] };

    /// Computes the boxes of the triangles, whose rows are their slots from `first` on.
    #[inline(always)]
    pub(super) fn boxes<I: Isa>(&self, isa: I, first: u32, node: &mut Node) {
        let mut lane = 0;
        while lane < WIDTH {
            let numbers = isa.load_u32(&self.numbers[lane..]);
            let empty = numbers.eq(isa.splat_u32(NOTHING));
            for axis in 0..3 {
                let mut low = isa.load(&self.corners[0][axis][lane..]);
                let mut high = low;
                for corner in 1..3 {
                    let x = isa.load(&self.corners[corner][axis][lane..]);
                    (low, high) = (x.min(low), x.max(high));
                }
                let ends = [(axis, low), (3 + axis, high)];
                for (column, end) in ends {
                    let none = isa.splat(NO_BOUNDS[column]);
                    I::F32::select(empty, none, end).store(&mut node.bounds[column][lane..]);
                }
            }
            let slots = isa.load_u32(&IOTA).wrapping_add(isa.splat_u32(first + lane as u32));
            slots.store(&mut node.ids[lane..]);
            lane += I::LANES;
        }
    }
}

impl Tree {
    /// Replaces the leaves of a tree, whose boxes are those of triangles, by the triangles. `corners` returns those of a
    /// row, which becomes the number of the triangle.
    pub(crate) fn place_triangles(
        &mut self,
        corners: &(dyn Fn(u32) -> [[f32; 3]; 3] + Sync),
        threads: &Threads,
    ) {
        let Some(root) = self.root else { return };
        let (mut nodes, mut leaves) = (Vec::new(), Vec::new());
        self.root = Some(self.divide(root, &mut nodes, &mut leaves));
        let old = core::mem::replace(&mut self.nodes, nodes);
        self.nodes.shrink_to_fit();
        self.triangles.resize(leaves.len(), TriangleLeaf::EMPTY);
        par::fill_chunks(threads, &mut self.triangles, LEAVES, &|first, placed: &mut [_]| {
            for (placed, &leaf) in placed.iter_mut().zip(&leaves[first..]) {
                let TriangleLeaf { corners: columns, numbers } = placed;
                *numbers = old[leaf as usize].ids;
                for (lane, &number) in numbers.iter().enumerate().filter(|of| *of.1 != NOTHING) {
                    for (columns, corner) in columns.iter_mut().zip(corners(number)) {
                        for (column, x) in columns.iter_mut().zip(corner) {
                            column[lane] = x;
                        }
                    }
                }
            }
        });
    }

    /// Appends the nodes and the indices of the leaves below the node `id`, in the order of a traversal. Returns its new
    /// id. The recursion is as deep as the tree.
    fn divide(&self, id: u32, nodes: &mut Vec<Node>, leaves: &mut Vec<u32>) -> u32 {
        if id & LEAF != 0 {
            leaves.push(id & !LEAF);
            return LEAF | (leaves.len() - 1) as u32;
        }
        let own = nodes.len();
        nodes.push(self.nodes[id as usize]);
        for lane in 0..WIDTH {
            let child = nodes[own].ids[lane];
            if child != NOTHING {
                nodes[own].ids[lane] = self.divide(child, nodes, leaves);
            }
        }
        own as u32
    }

    /// Prefetches a node or a leaf.
    #[inline(always)]
    pub(super) fn prefetch_child(&self, id: u32) {
        let at = (id & !LEAF) as usize;
        if id & LEAF != 0 && !self.triangles.is_empty() {
            prefetch(slice::from_ref(&self.triangles[at]));
        } else {
            prefetch(slice::from_ref(&self.nodes[at]));
        }
    }

    /// Returns the corners of the triangle in a slot.
    pub(crate) fn triangle(&self, slot: u32) -> [[f32; 3]; 3] {
        let (leaf, lane) = (&self.triangles[slot as usize / WIDTH], slot as usize % WIDTH);
        // A copy of the columns would take longer than the nine loads.
        let x = |corner: usize, axis: usize| leaf.corners[corner][axis][lane];
        let corner = |corner: usize| [x(corner, 0), x(corner, 1), x(corner, 2)];
        [corner(0), corner(1), corner(2)]
    }

    /// Returns the number of the triangle in a slot.
    pub(crate) fn triangle_number(&self, slot: u32) -> u32 {
        self.triangles[slot as usize / WIDTH].numbers[slot as usize % WIDTH]
    }
}
