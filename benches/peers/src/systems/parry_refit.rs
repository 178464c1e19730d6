//! How is a `Bvh` refitted each tick, as rapier does it?
//!
//! Rapier 0.36, `broad_phase_bvh/update.rs`, where most leaves change: write the boxes into their
//! leaves (`insert_or_update_batch_partially_parallel`, or one by one), `optimize_incremental`,
//! which rebuilds about one leaf of twenty, `refit`, `traverse_bvtt_single_tree`. Two differences,
//! both in the tree's favour:
//!
//! * Rapier optimizes after the traversal, next to its solver, and refits a second time for that.
//!   There is no solver to hide behind here, so the optimizer runs before the one refit, as rapier
//!   itself does where it cannot put it off.
//! * In the first tick rapier inserts leaf by leaf. The tree is built at once here.
//!
//! The tree is never rebuilt as a whole, so it remembers: its ticks are all run. Where every box
//! flies its own way, one pass of the optimizer a tick is too little and the tree rots. Hence a
//! second row, with [`PASSES_TUNED`] passes before the refit: no engine is known to do that, but it
//! is what parry can do.

use parry3d::partitioning::{Bvh, BvhLeafUpdateStatus, BvhWorkspace};

use super::parry::{Follow, Update, build};

/// As many passes as rapier's.
pub(super) const PASSES_RAPIER: usize = 1;
/// Of 1, 2, 4, 8 and 16 the fastest in the steady state of 100,000 boxes, uniform and mixed.
pub(super) const PASSES_TUNED: usize = 8;

/// Refits after so many passes of the optimizer.
#[derive(Default)]
pub(super) struct Refit<const PASSES: usize> {
    statuses: Vec<BvhLeafUpdateStatus>,
}

impl<const PASSES: usize> Follow for Refit<PASSES> {
    fn follow(&mut self, tree: &mut Bvh, workspace: &mut BvhWorkspace, updates: &[Update]) {
        if tree.is_empty() {
            *tree = build(updates);
            return;
        }
        write_leaves(tree, updates, &mut self.statuses);
        (0..PASSES).for_each(|_| tree.optimize_incremental(workspace));
        if rayon::current_num_threads() > 1 {
            tree.refit_parallel(workspace);
        } else {
            tree.refit(workspace);
        }
    }
}

/// Writes boxes into leaves that the tree has; the boxes of their parents are then wrong.
pub(super) fn write_leaves(
    tree: &mut Bvh,
    updates: &[Update],
    statuses: &mut Vec<BvhLeafUpdateStatus>,
) {
    if rayon::current_num_threads() > 1 {
        tree.insert_or_update_batch_partially_parallel(updates, statuses);
    } else {
        for &(aabb, row, margin) in updates {
            tree.insert_or_update_partially(aabb, row, margin);
        }
    }
}
