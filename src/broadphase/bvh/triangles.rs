//! Builds a tree of triangles, and reads it.
//!
//! Its leaves are those of `triangle_leaf.rs`, and its nodes have the order of a traversal. The row of a box is its slot: the
//! index of its leaf times [`WIDTH`], plus its lane.

use super::{
    Builder, BvhItem, CornerColumns, LEAF, NOTHING, Node, Tree, TriangleLeaf, TriangleRows, WIDTH,
};
use crate::columns::Zeroed;
use crate::geom::Aabb;
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec::Vec;

impl Tree {
    /// Replaces the contents of the tree by triangles with these boxes, whose ids are their rows. Returns the box around them.
    pub(crate) fn build_triangles(
        &mut self,
        boxes: &[BvhItem],
        corners: &dyn TriangleRows,
        builder: &mut Builder,
        (level, threads): (Level, &Threads),
    ) -> Option<Aabb> {
        self.clear();
        (self.len, self.built) = (boxes.len(), boxes.len());
        let leaves = Some((&mut self.triangles, corners));
        let (root, depth) = builder.build(boxes, &mut self.nodes, leaves, (level, threads))?;
        self.depth = depth;
        let mut ordered = Zeroed::new(self.nodes.len());
        let mut len = 0;
        self.root = Some(self.place(root.id, ordered.as_mut_slice(), &mut len));
        ordered.truncate(len);
        (self.above_triangles, self.nodes) = (ordered, Vec::new());
        Some(root.aabb)
    }

    /// Writes the nodes below the node `id` behind the first `len`, in the order of a traversal. Returns its new id. The
    /// recursion is as deep as the tree.
    fn place(&self, id: u32, ordered: &mut [Node], len: &mut usize) -> u32 {
        if id & LEAF != 0 {
            return id;
        }
        let own = *len;
        ordered[own] = self.nodes[id as usize];
        *len += 1;
        for lane in 0..WIDTH {
            let child = ordered[own].ids[lane];
            if child != NOTHING {
                ordered[own].ids[lane] = self.place(child, ordered, len);
            }
        }
        own as u32
    }

    /// Returns the leaves, if this is a tree of triangles.
    #[inline]
    pub(super) fn triangles(&self) -> &[TriangleLeaf] {
        self.triangles.as_slice()
    }

    /// Returns a leaf of triangles, if these are the leaves of the tree.
    pub(super) fn triangle_leaf(&self, id: u32) -> Option<&TriangleLeaf> {
        self.triangles().get((id & !LEAF) as usize)
    }

    /// Returns the nodes above these leaves, or all nodes of a tree of boxes.
    #[inline]
    pub(super) fn nodes_above(&self) -> &[Node] {
        if self.triangles().is_empty() { &self.nodes } else { self.above_triangles.as_slice() }
    }

    /// Returns the corners of the triangle in a slot.
    pub(crate) fn triangle(&self, slot: u32) -> [[f32; 3]; 3] {
        let (leaf, lane) = (&self.triangles()[slot as usize / WIDTH], slot as usize % WIDTH);
        leaf.triangle(lane)
    }

    /// Returns the leaves, for many reads.
    pub(crate) fn triangle_leaves(&self) -> TriangleLeaves<'_> {
        TriangleLeaves(self.triangles())
    }

    /// Returns the number of the triangle in a slot.
    pub(crate) fn triangle_number(&self, slot: u32) -> u32 {
        self.triangles()[slot as usize / WIDTH].number(slot as usize % WIDTH)
    }
}

/// The leaves of a tree of triangles. Checks of the whole list are done once, and not for each read.
#[derive(Clone, Copy)]
pub(crate) struct TriangleLeaves<'t>(&'t [TriangleLeaf]);

impl TriangleLeaves<'_> {
    /// Writes the corners of the triangle in a slot to a lane of columns: by corner, then axis.
    #[inline]
    pub(crate) fn write_corners(&self, slot: u32, columns: &mut CornerColumns, lane: usize) {
        let (leaf, own) = (&self.0[slot as usize / WIDTH], slot as usize % WIDTH);
        leaf.write(own, columns, lane % WIDTH);
    }
}

#[cfg(test)]
mod tests {
    use super::{Builder, BvhItem, CornerColumns, LEAF, NOTHING, Tree, TriangleRows, WIDTH};
    use crate::geom::{Aabb, each_axis};
    use crate::lanes::Level;
    use crate::par::Threads;
    use alloc::vec;
    use alloc::vec::Vec;

    struct TestTriangles(Vec<[[f32; 3]; 3]>);

    impl TriangleRows for TestTriangles {
        fn write_corners(&self, rows: &[u32], columns: &mut CornerColumns) {
            for (lane, &row) in rows.iter().enumerate() {
                for (corner, point) in self.0[row as usize].iter().enumerate() {
                    (0..3).for_each(|axis| columns[corner][axis][lane] = point[axis]);
                }
            }
        }

        fn prefetch_indices(&self, _: &[u32]) {}

        fn prefetch_vertices(&self, _: &[u32]) {}
    }

    /// Goal: each triangle is in one leaf with its corners, and each leaf is below one node. Method: all leaves and paths of trees of one
    /// triangle, of one cell, and of many cells, without and with long triangles that have a subtree of their own.
    #[test]
    fn each_triangle_is_in_one_leaf() {
        for (count, long) in [(1, false), (17, false), (300, false), (5000, false), (5000, true)] {
            let triangle = |row: usize| {
                let side = if long && row.is_multiple_of(500) { 12.0 } else { 0.25 };
                let [x, y, z] = [row % 17, row / 17 % 17, row / 289].map(|k| k as f32);
                [[x, y, z], [x + side, y, z], [x, y + side, z + 0.5]]
            };
            let triangles = TestTriangles((0..count).map(triangle).collect());
            let item = |(id, corners): (u32, &[[f32; 3]; 3])| {
                let end = |of: fn(f32, f32) -> f32| {
                    each_axis(|k| of(of(corners[0][k], corners[1][k]), corners[2][k]))
                };
                BvhItem { aabb: Aabb { min: end(f32::min), max: end(f32::max) }, id, filter: 0 }
            };
            let boxes: Vec<_> = (0..).zip(&triangles.0).map(item).collect();
            let mut tree = Tree::default();
            let how = (Level::detect(), &Threads::one());
            tree.build_triangles(&boxes, &triangles, &mut Builder::default(), how);

            let mut leaves = vec![0; tree.triangles().len()];
            let mut left = vec![tree.root.expect("there are triangles")];
            while let Some(id) = left.pop() {
                if id & LEAF == 0 {
                    let children = tree.nodes_above()[id as usize].ids;
                    left.extend(children.iter().filter(|&&child| child != NOTHING));
                } else {
                    leaves[(id & !LEAF) as usize] += 1;
                }
            }
            assert!(leaves.iter().all(|&nodes| nodes == 1), "{count} {long}: {leaves:?}");
            let mut times = vec![0; count];
            for slot in 0..(leaves.len() * WIDTH) as u32 {
                let number = tree.triangle_number(slot);
                if number != NOTHING {
                    times[number as usize] += 1;
                    assert_eq!(tree.triangle(slot), triangles.0[number as usize]);
                }
            }
            assert!(times.iter().all(|&leaves| leaves == 1), "{count} {long}: {times:?}");
        }
    }
}
