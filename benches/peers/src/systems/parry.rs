//! Pairs by a `Bvh` of parry, for any way to update it.
//!
//! There are two trees, as in an engine that stores fixed bodies separately: moving boxes and the others.
//! Pairs of two moving boxes are found by `traverse_bvtt_single_tree` of the first, which visits each pair of
//! leaves once; on more than one thread by its parallel version. Pairs with a box that does not move are
//! found by querying the second tree for each moving box, distributed over the threads with rayon.
//!
//! Rapier 0.36 has one tree, enlarges each leaf by 0.04 units, examines only pairs of which one leaf left its
//! fat AABB, and keeps the others in a hash map. That finds the same pairs plus those of fat AABBs, and saves
//! time only if most boxes hardly move; here, where they move by a tenth of their size and more, map and
//! additional pairs would only cost time. So leaves are exact, without a margin, and every pair is found anew
//! (`CHANGE_DETECTION = false`).
//!
//! parry's SIMD for boxes needs no feature: 3-d `f32` nodes are compared four lanes at a time. Its feature
//! `simd8` is for shapes only.

use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

use super::{Lists, RowPair, System, Tick};

/// A box, its row, and the margin by which it is enlarged if it leaves its fat AABB.
pub(super) type Update = (Aabb, u32, f32);

/// How a tree is updated.
pub(super) trait Follow: Default + Send {
    /// Updates the tree, which may be new, to these boxes. The rows are the same in each tick.
    fn follow(&mut self, tree: &mut Bvh, workspace: &mut BvhWorkspace, updates: &[Update]);
}

/// Two trees, of which one is updated.
#[derive(Default)]
pub(super) struct Parry<F> {
    follow: F,
    moving: Bvh,
    still: Option<Bvh>,
    workspace: BvhWorkspace,
    updates: Vec<Update>,
    of_still: Vec<Update>,
    both_move: Vec<(u32, u32)>,
    one_moves: Lists,
}

/// Outside the clock: a box of swath as one of parry.
fn update((row, aabb): (u32, swath::Aabb)) -> Update {
    (Aabb::new(Vector::from_array(aabb.min), Vector::from_array(aabb.max)), row, 0.0)
}

/// Builds a new tree of these boxes.
pub(super) fn build(updates: &[Update]) -> Bvh {
    let leaves = updates.iter().map(|&(aabb, row, _)| (row as usize, aabb));
    Bvh::from_iter(BvhBuildStrategy::Binned, leaves)
}

impl<F: Follow> System for Parry<F> {
    fn take(&mut self, tick: &Tick<'_>) {
        self.updates.clear();
        self.updates.extend(tick.rows(true).map(update));
        if self.still.is_none() {
            self.of_still.extend(tick.rows(false).map(update));
        }
    }

    fn find(&mut self, _: &Tick<'_>) -> usize {
        let Self { follow, moving, still, workspace, updates, of_still, both_move, .. } = self;
        let still = still.get_or_insert_with(|| build(of_still));
        follow.follow(moving, workspace, updates);
        if rayon::current_num_threads() > 1 {
            *both_move = moving.traverse_bvtt_single_tree_parallel::<false>();
        } else {
            both_move.clear();
            let mut add = |a, b| both_move.push((a, b));
            moving.traverse_bvtt_single_tree::<false>(workspace, &mut add);
        }
        if !still.is_empty() {
            self.one_moves.fill(updates, |(aabb, row, _), list| {
                list.extend(still.intersect_aabb(aabb).map(|other| [*row, other]));
            });
        }
        self.both_move.len() + self.one_moves.len()
    }

    fn show(&mut self, _: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
        self.both_move.iter().for_each(|&(a, b)| visit([a, b]));
        self.one_moves.show(visit);
    }
}
