//! Memory into which the nodes of a tree are written, divided among the tasks of a build.

use crate::broadphase::bvh::{LEAF, Node, TriangleLeaf, TriangleRows, WIDTH};
use crate::broadphase::pairs::buffer::lengthen;
use crate::columns::Zeroed;
use alloc::vec::Vec;

/// The start of part `k` of `parts`: a multiple of the children of a full bottom node.
pub(super) fn border(items: usize, parts: usize, k: usize) -> usize {
    let bottoms = items.div_ceil(WIDTH);
    if bottoms <= WIDTH { items.min(k * WIDTH) } else { items.min(bottoms * k / parts * WIDTH) }
}

/// The number of children of the top node of these items: 1 if they fit into one bottom node.
pub(super) fn parts(items: usize) -> usize {
    items.div_ceil(WIDTH).min(WIDTH)
}

/// The number of nodes that [`Packer::pack`](super::median::Packer::pack) creates for this many items.
pub(crate) fn nodes_of(items: usize) -> usize {
    let parts = parts(items);
    if items <= WIDTH * WIDTH {
        return parts + usize::from(parts > 1);
    }
    let of_part = |k| nodes_of(border(items, parts, k + 1) - border(items, parts, k));
    1 + (0..parts).map(of_part).sum::<usize>()
}

/// The nodes of a tree that is built in the memory of an earlier one, and its leaves if it is a tree of triangles.
pub(crate) struct Nodes<'a> {
    all: &'a mut Vec<Node>,
    pub(crate) used: usize,
    leaves: Option<Leaves<'a>>,
}

/// The leaves of a tree of triangles.
struct Leaves<'a> {
    all: &'a mut Zeroed<TriangleLeaf>,
    used: usize,
    triangles: &'a dyn TriangleRows,
}

impl<'a> Nodes<'a> {
    pub(crate) fn new(
        all: &'a mut Vec<Node>,
        leaves: Option<(&'a mut Zeroed<TriangleLeaf>, &'a dyn TriangleRows)>,
    ) -> Self {
        let leaves = leaves.map(|(all, triangles)| Leaves { all, used: 0, triangles });
        Self { all, used: 0, leaves }
    }

    /// Returns a function of a number of boxes: the numbers of nodes and of leaves of their subtree.
    pub(crate) fn needed(&self) -> fn(usize) -> [usize; 2] {
        match self.leaves {
            None => |boxes| [nodes_of(boxes), 0],
            Some(_) => |boxes| {
                let leaves = boxes.div_ceil(WIDTH);
                [nodes_of(boxes) - leaves, leaves]
            },
        }
    }

    /// Allocates memory for `count` further nodes: for the first tree no more than that.
    pub(crate) fn reserve(&mut self, count: usize) {
        let count = count.saturating_sub(self.all.len() - self.used);
        if self.all.is_empty() {
            self.all.reserve_exact(count);
        } else {
            self.all.reserve(count);
        }
    }

    /// The next node and its index; its contents are arbitrary.
    pub(crate) fn take_one(&mut self) -> (&mut Node, u32) {
        let id = self.used as u32;
        (&mut self.take([1, 0]).nodes[0], id)
    }

    /// The node with this index.
    pub(crate) fn node(&mut self, index: u32) -> &mut Node {
        &mut self.all[index as usize]
    }

    /// The next nodes, for a subtree whose bottom nodes are not leaves.
    pub(crate) fn take_above(&mut self, nodes: usize) -> FreeNodes<'_> {
        FreeNodes { leaves: None, ..self.take([nodes, 0]) }
    }

    /// The next nodes and leaves; their contents are arbitrary.
    pub(crate) fn take(&mut self, [nodes, leaves]: [usize; 2]) -> FreeNodes<'_> {
        let first = self.used as u32;
        self.used += nodes;
        lengthen(self.all, self.used);
        let free_leaves = match &mut self.leaves {
            Some(Leaves { all, used, triangles }) => {
                let first = *used as u32;
                *used += leaves;
                all.lengthen(*used);
                let leaves = &mut all.as_mut_slice()[first as usize..*used];
                Some(FreeLeaves { leaves, first, triangles: *triangles })
            }
            None => None,
        };
        FreeNodes { nodes: &mut self.all[first as usize..self.used], first, leaves: free_leaves }
    }
}

/// Where the nodes of a subtree are written.
pub(crate) struct FreeNodes<'a> {
    /// The nodes that are free, and the index of the first.
    nodes: &'a mut [Node],
    first: u32,
    /// The leaves that are free, if the boxes are those of triangles.
    pub(crate) leaves: Option<FreeLeaves<'a>>,
}

impl<'a> FreeNodes<'a> {
    /// Takes the next node. Returns it with its index.
    pub(crate) fn take_one(&mut self) -> (&'a mut Node, u32) {
        let node = self.nodes.split_off_first_mut().expect("each item is in a node");
        self.first += 1;
        (node, self.first - 1)
    }

    /// Takes the next nodes and leaves for another task.
    pub(crate) fn split(&mut self, [nodes, leaves]: [usize; 2]) -> FreeNodes<'a> {
        let (own, first) = (self.nodes.split_off_mut(..nodes), self.first);
        self.first += nodes as u32;
        let leaves = self.leaves.as_mut().map(|of| {
            let (own, first) = (of.leaves.split_off_mut(..leaves), of.first);
            of.first += leaves as u32;
            FreeLeaves {
                leaves: own.expect("each item is in a leaf"),
                first,
                triangles: of.triangles,
            }
        });
        FreeNodes { nodes: own.expect("each item is in a node"), first, leaves }
    }
}

/// Where the leaves of a tree of triangles are written.
pub(crate) struct FreeLeaves<'a> {
    /// The leaves that are free, and the index of the first.
    leaves: &'a mut [TriangleLeaf],
    first: u32,
    pub(crate) triangles: &'a dyn TriangleRows,
}

impl<'a> FreeLeaves<'a> {
    /// Takes the next leaf. Returns it with its id.
    pub(crate) fn take_one(&mut self) -> (&'a mut TriangleLeaf, u32) {
        let leaf = self.leaves.split_off_first_mut().expect("each item is in a leaf");
        self.first += 1;
        (leaf, LEAF | (self.first - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::nodes_of;

    /// Goal: no more nodes are taken for a subtree than it has. Method: numbers by hand. Above two bottom nodes is one more, and a node has
    /// sixteen parts with whole bottom nodes: the last of 257 boxes are 17, which have three nodes.
    #[test]
    fn nodes_of_a_subtree_are_as_many_as_it_has() {
        for (items, nodes) in [
            (1, 1),
            (16, 1),
            (17, 3),
            (32, 3),
            (33, 4),
            (256, 17),
            (257, 1 + 15 + 3),
            (512, 1 + 16 * 3),
            (4096, 1 + 16 * 17),
        ] {
            assert_eq!(nodes_of(items), nodes, "{items}");
        }
    }
}
