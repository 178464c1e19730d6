//! Traverses a tree with many queries together.
//!
//! Pairs of a query and a node are kept on a stack. A block of them is popped at once, so that the
//! nodes of later pairs are prefetched while one is tested: a large tree does not fit into the
//! caches, and most of the time is spent waiting for memory. Popped pairs are replaced by their
//! reached children, so the stack stays short, however many nodes a query reaches.

use super::{LEAF, Node, Tree, WIDTH};
use crate::columns::impl_memory;
use crate::geom::MapEach;
use crate::lanes::{Isa, LANES_MAX, LoadColumns, MaskLanes, Table, U32Lanes, prefetch};
use alloc::vec::Vec;
use core::ops::Range;

/// Queries that start together, and pairs that are popped at once.
pub(crate) const BLOCK: usize = 64;
/// How many pairs ahead nodes are prefetched.
const AHEAD: usize = 8;
/// When a query reaches more children of a node than this, they are tested more precisely.
const MANY: usize = 4;

/// The queries of this traversal.
pub(crate) trait Probe {
    /// Which of the bounds query `which` reaches. A box inside bounds that are not reached must not
    /// be reached either.
    fn reaches<I: Isa>(&self, isa: I, which: u32, bounds: &[I::F32; 6]) -> I::Mask;

    /// The same test, more precise and more expensive.
    fn reaches_closely<I: Isa>(&self, isa: I, which: u32, bounds: &[I::F32; 6]) -> I::Mask;

    /// Tests boxes of a leaf. Empty lanes overlap nothing. `filters` has at least one word for each
    /// lane, or is empty if the tree has no filters.
    fn visit_leaf<I: Isa>(
        &mut self,
        isa: I,
        which: u32,
        bounds: &[I::F32; 6],
        rows: I::U32,
        filters: &[u32],
    );

    /// Removes the pairs that a test excludes. Returns the number of pairs found so far, and that of excluded ones.
    fn count_tested(&mut self) -> [usize; 2];
}

/// Scratch memory of one worker.
#[derive(Debug, Default)]
pub(crate) struct Stack(Vec<[u32; 2]>);

impl_memory!(Stack { 0 });

impl Stack {
    /// Reserves enough entries to traverse trees of at most this depth.
    pub(crate) fn reserve(&mut self, depth: usize) {
        // A popped block is replaced by the children of its pairs, once on each level.
        let most = BLOCK + BLOCK * WIDTH * depth + LANES_MAX;
        if self.0.len() < most {
            self.0.resize(most, [0; 2]);
        }
    }
}

/// Runs some queries, and returns how many nodes they visited. The order in which a query visits leaves depends on the
/// tree and on these queries alone.
#[inline(always)]
pub(crate) fn walk<I: Isa, P: Probe>(
    isa: I,
    tree: &Tree,
    probe: &mut P,
    queries: Range<u32>,
    stack: &mut Stack,
) -> usize {
    let Some(root) = tree.root else { return 0 };
    let (nodes, filters, stack) = (&tree.nodes[..], &tree.filters[..], &mut stack.0[..]);
    let (mut next, mut visited) = (queries.start, 0);
    while next < queries.end {
        let mut len = 0;
        while len < BLOCK && next < queries.end {
            stack[len] = [next, root];
            (len, next) = (len + 1, next + 1);
        }
        while len > 0 {
            let count = len.min(BLOCK);
            visited += count;
            len -= count;
            let mut block = [[0; 2]; BLOCK];
            block[..count].copy_from_slice(&stack[len..len + count]);
            for &[_, id] in &block[..count.min(AHEAD)] {
                prefetch_node(nodes, filters, id);
            }
            for k in 0..count {
                if k + AHEAD < count {
                    prefetch_node(nodes, filters, block[k + AHEAD][1]);
                }
                let [which, id] = block[k];
                let at = (id & !LEAF) as usize;
                let node = &nodes[at];
                if id & LEAF != 0 {
                    test_leaf::<I, P>(isa, (node, filters_of(filters, at)), probe, which);
                } else {
                    len += push_reached::<I, P>(isa, node, probe, which, &mut stack[len..]);
                }
            }
        }
    }
    visited
}

/// Prefetches a node, and its filters if they are tested.
#[inline(always)]
fn prefetch_node(nodes: &[Node], filters: &[u32], id: u32) {
    let at = (id & !LEAF) as usize;
    prefetch(&nodes[at..at + 1]);
    if id & LEAF != 0 {
        prefetch(filters_of(filters, at));
    }
}

/// The filters of a leaf, or nothing if the tree has none.
#[inline(always)]
fn filters_of(filters: &[u32], at: usize) -> &[u32] {
    if filters.is_empty() { filters } else { &filters[at * WIDTH..(at + 1) * WIDTH] }
}

/// Tests the boxes of a leaf.
#[inline(always)]
fn test_leaf<I: Isa, P: Probe>(
    isa: I,
    (node, filters): (&Node, &[u32]),
    probe: &mut P,
    which: u32,
) {
    let bounds: Table<'_, f32, 6> =
        Table::new(node.bounds.each_ref().map_each(|of| &of[..]), WIDTH);
    let mut lane = 0;
    while lane < WIDTH {
        let rows = isa.load_u32(&node.ids[lane..]);
        let filters = if filters.is_empty() { filters } else { &filters[lane..] };
        probe.visit_leaf(isa, which, &bounds.load(isa, lane), rows, filters);
        lane += I::LANES;
    }
}

/// Pushes the children that a query reaches to `to`; returns how many.
#[inline(always)]
fn push_reached<I: Isa, P: Probe>(
    isa: I,
    node: &Node,
    probe: &P,
    which: u32,
    to: &mut [[u32; 2]],
) -> usize {
    let bounds: Table<'_, f32, 6> =
        Table::new(node.bounds.each_ref().map_each(|of| &of[..]), WIDTH);
    let nothing = isa.splat_u32(0);
    let mut reached = [!nothing.disjoint(nothing); WIDTH];
    let (mut lane, mut group, mut count) = (0, 0, 0);
    while lane < WIDTH {
        reached[group] = probe.reaches(isa, which, &bounds.load(isa, lane));
        count += reached[group].count();
        (lane, group) = (lane + I::LANES, group + 1);
    }
    // Decided for the whole node, so that the traversal is the same for every number of lanes.
    if count > MANY {
        (lane, group) = (0, 0);
        while lane < WIDTH {
            let closely = probe.reaches_closely(isa, which, &bounds.load(isa, lane));
            reached[group] = reached[group] & closely;
            (lane, group) = (lane + I::LANES, group + 1);
        }
    }
    (lane, group, count) = (0, 0, 0);
    while lane < WIDTH {
        let ids = isa.load_u32(&node.ids[lane..]).compress(reached[group]);
        let here = reached[group].count();
        isa.store_pairs(isa.splat_u32(which), ids, here, &mut to[count..]);
        count += here;
        (lane, group) = (lane + I::LANES, group + 1);
    }
    count
}
