//! A `Bvh` of parry that is rebuilt in each tick.
//!
//! `Bvh::rebuild` with the binned strategy (surface area heuristic, 8 bins) keeps the tree's memory: boxes
//! are written into the leaves, then everything above them is rebuilt. The build is sequential in parry 0.31;
//! writing and traversing use all threads.

use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};

use super::parry::{Follow, Update, build};
use super::parry_refit::write_leaves;

#[derive(Default)]
pub(super) struct Rebuild {
    statuses: Vec<BvhLeafUpdateStatus>,
}

impl Follow for Rebuild {
    fn follow(&mut self, tree: &mut Bvh, workspace: &mut BvhWorkspace, updates: &[Update]) {
        if tree.is_empty() {
            *tree = build(updates);
            return;
        }
        write_leaves(tree, updates, &mut self.statuses);
        tree.rebuild(workspace, BvhBuildStrategy::Binned);
    }
}
