//! Pairs by obvhs.
//!
//! As in avian 0.8 (`collider_tree`, `bvh_broad_phase.rs`) and in obvhs' own example `physics`: a `Bvh2` of
//! the moving boxes, rebuilt in each tick by `PlocBuilder` with the least search distance and 64-bit Morton
//! codes, which both choose if most boxes move; a second tree of the other boxes; then `aabb_traverse` of
//! both trees with the box of each moving leaf, distributed over the threads. Of two moving boxes, the lower
//! row reports the pair.
//!
//! Differences, in favour of obvhs: avian refits the tree for its queries and rebuilds it after them, next to
//! its solver, and here there is no refit; avian queries body by body, and here leaves are queried in the
//! order of the tree, so that neighbours follow each other. Avian's fat AABBs and its set of known pairs are
//! left out, see `parry.rs`.
//!
//! obvhs' features `parallel`, with which parts of the build use the threads of the pool, and
//! `small_bvh2_node`, nodes of 32 bytes, are on. Avian has neither; the second makes this a tenth faster, and
//! a greater search distance makes it slower.

use obvhs::aabb::Aabb;
use obvhs::bvh2::Bvh2;
use obvhs::ploc::{PlocBuilder, PlocSearchDistance, SortPrecision};

use super::{Lists, RowPair, System, Tick};

#[derive(Default)]
pub(super) struct Obvhs {
    moving: Tree,
    still: Option<Tree>,
    of_still: Tree,
    pairs: Lists,
}

/// A tree and its input.
#[derive(Default)]
struct Tree {
    builder: PlocBuilder,
    bvh: Bvh2,
    aabbs: Vec<Aabb>,
    /// The row of each box.
    rows: Vec<u32>,
}

impl Tree {
    /// Outside the clock: boxes of swath as those of obvhs.
    fn take(&mut self, rows: impl Iterator<Item = (u32, swath::Aabb)>) {
        self.aabbs.clear();
        self.rows.clear();
        for (row, aabb) in rows {
            self.aabbs.push(Aabb::new(aabb.min.into(), aabb.max.into()));
            self.rows.push(row);
        }
    }

    /// A leaf has one box, and its `first_index` is the index of that box: the row.
    fn build(&mut self) {
        let mut rows = std::mem::take(&mut self.bvh.primitive_indices);
        rows.clone_from(&self.rows);
        self.builder.build_with_bvh(
            &mut self.bvh,
            PlocSearchDistance::Minimum,
            &self.aabbs,
            rows,
            SortPrecision::U64,
            0,
        );
    }
}

/// Calls `visit` with each row of the tree whose box shares a point with this one.
fn ask(bvh: &Bvh2, aabb: Aabb, mut visit: impl FnMut(u32)) {
    bvh.aabb_traverse(aabb, |bvh, node| {
        visit(bvh.nodes[node as usize].first_index);
        true
    });
}

impl System for Obvhs {
    fn take(&mut self, tick: &Tick<'_>) {
        self.moving.take(tick.rows(true));
        if self.still.is_none() {
            self.of_still.take(tick.rows(false));
        }
    }

    fn find(&mut self, _: &Tick<'_>) -> usize {
        let Self { moving, still, of_still, pairs } = self;
        let still = still.get_or_insert_with(|| {
            let mut still = std::mem::take(of_still);
            still.build();
            still
        });
        moving.build();
        let (moving, still) = (&moving.bvh, &still.bvh);
        pairs.fill(&moving.nodes, |node, list| {
            if node.is_leaf() {
                let (row, aabb) = (node.first_index, *node.aabb());
                ask(moving, aabb, |other| {
                    if row < other {
                        list.push([row, other]);
                    }
                });
                ask(still, aabb, |other| list.push([row, other]));
            }
        });
        pairs.len()
    }

    fn show(&mut self, _: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
        self.pairs.show(visit);
    }
}
