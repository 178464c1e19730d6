//! Builds a tree of triangles, and reads it.
//!
//! Its leaves are those of `triangle_leaf.rs`, and its nodes have the order of a traversal. The row of a box is its slot: the
//! index of its leaf times [`WIDTH`], plus its lane.

use super::{Builder, BvhItem, CornersFn, LEAF, NOTHING, Node, Tree, TriangleLeaf, WIDTH};
use crate::geom::Aabb;
use crate::lanes::{Level, prefetch};
use crate::par::Threads;
use alloc::vec::Vec;
use core::slice;

impl Tree {
    /// Replaces the contents of the tree by triangles with these boxes, whose ids are their rows. Returns the box around them.
    pub(crate) fn build_triangles(
        &mut self,
        boxes: &[BvhItem],
        corners: CornersFn<'_>,
        builder: &mut Builder,
        (level, threads): (Level, &Threads),
    ) -> Option<Aabb> {
        self.clear();
        (self.len, self.built) = (boxes.len(), boxes.len());
        let leaves = Some((&mut self.triangles, corners));
        let (root, depth) = builder.build(boxes, &mut self.nodes, leaves, (level, threads))?;
        self.depth = depth;
        let mut ordered = Vec::with_capacity(self.nodes.len());
        self.root = Some(self.place(root.id, &mut ordered));
        self.nodes = ordered;
        Some(root.aabb)
    }

    /// Appends the nodes below the node `id`, in the order of a traversal. Returns its new id. The recursion is as deep as
    /// the tree.
    fn place(&self, id: u32, ordered: &mut Vec<Node>) -> u32 {
        if id & LEAF != 0 {
            return id;
        }
        let own = ordered.len();
        ordered.push(self.nodes[id as usize]);
        for lane in 0..WIDTH {
            let child = ordered[own].ids[lane];
            if child != NOTHING {
                ordered[own].ids[lane] = self.place(child, ordered);
            }
        }
        own as u32
    }

    /// Returns the leaves, if this is a tree of triangles.
    #[inline]
    pub(super) fn triangles(&self) -> &[TriangleLeaf] {
        self.triangles.as_slice()
    }

    /// Prefetches a node or a leaf.
    #[inline(always)]
    pub(super) fn prefetch_child(&self, id: u32) {
        let at = (id & !LEAF) as usize;
        if id & LEAF != 0 && !self.triangles().is_empty() {
            prefetch(slice::from_ref(&self.triangles()[at]));
        } else {
            prefetch(slice::from_ref(&self.nodes[at]));
        }
    }

    /// Returns the corners of the triangle in a slot.
    pub(crate) fn triangle(&self, slot: u32) -> [[f32; 3]; 3] {
        let (leaf, lane) = (&self.triangles()[slot as usize / WIDTH], slot as usize % WIDTH);
        leaf.triangle(lane)
    }

    /// Returns the number of the triangle in a slot.
    pub(crate) fn triangle_number(&self, slot: u32) -> u32 {
        self.triangles()[slot as usize / WIDTH].number(slot as usize % WIDTH)
    }
}
