//! A `Bvh` of parry that is refitted in each tick, as rapier does.
//!
//! Rapier 0.36, `broad_phase_bvh/update.rs`, if most leaves change: write the boxes into their leaves
//! (`insert_or_update_batch_partially_parallel`, or one by one), `optimize_incremental`, which rebuilds about
//! one leaf of twenty, `refit`, `traverse_bvtt_single_tree`. There are two differences, both in favour of the
//! tree:
//!
//! * Rapier optimizes after the traversal, next to its solver, and refits a second time for that. Without a
//!   solver here the optimizer runs before the one refit, as in rapier itself if it cannot be postponed.
//! * In the first tick rapier inserts leaf by leaf. The tree is built at once here.
//!
//! The tree is never rebuilt as a whole, so its ticks depend on the previous ones, and all are run. If every
//! box moves independently, one pass of the optimizer per tick is not sufficient and the tree becomes worse.
//! Hence a second row, with [`PASSES_TUNED`] passes before the refit: no engine is known to do that, but it
//! shows what parry can do.

use parry3d::partitioning::{Bvh, BvhLeafUpdateStatus, BvhWorkspace};

use super::parry::{Follow, Update, build};

/// The number of passes of rapier.
pub(super) const PASSES_RAPIER: usize = 1;
/// Of 1, 2, 4, 8 and 16 the fastest in the steady state of 100,000 boxes, uniform and mixed.
pub(super) const PASSES_TUNED: usize = 8;

/// Refits after this many passes of the optimizer.
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

/// Writes boxes into existing leaves; the boxes of their parents are then wrong.
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
