//! Pairs by rstar.
//!
//! `RTree::bulk_load` in each tick for the moving boxes, and once for the others: an R*-tree can only move a
//! box by removing and inserting it, which takes longer than the bulk load if most boxes move.
//!
//! On one thread the pairs are found by `intersection_candidates_with_other_tree` of the tree with itself,
//! which visits each pair twice, and with the tree of the other boxes. rstar is sequential, so on more
//! threads each leaf, in the order of the tree, is queried (`locate_in_envelope_intersecting_int`),
//! distributed over the threads with rayon; that is slower in itself, and the bulk load remains on one
//! thread.
//!
//! The list that the bulk load consumes is made outside the clock.

use std::ops::ControlFlow;

use rstar::{AABB, RTree, RTreeObject};

use super::{Lists, RowPair, System, Tick};

#[derive(Default)]
pub(super) struct Rstar {
    moving: RTree<Leaf>,
    still: Option<RTree<Leaf>>,
    of_moving: Vec<Leaf>,
    of_still: Vec<Leaf>,
    pairs: Lists,
}

#[derive(Clone, Copy)]
struct Leaf {
    envelope: AABB<[f32; 3]>,
    row: u32,
}

impl RTreeObject for Leaf {
    type Envelope = AABB<[f32; 3]>;

    fn envelope(&self) -> Self::Envelope {
        self.envelope
    }
}

fn leaf((row, aabb): (u32, swath::Aabb)) -> Leaf {
    Leaf { envelope: AABB::from_corners(aabb.min, aabb.max), row }
}

/// Calls `visit` with each row of the tree whose box shares a point with that of `leaf`.
fn ask(tree: &RTree<Leaf>, leaf: &Leaf, mut visit: impl FnMut(u32)) {
    let _ = tree.locate_in_envelope_intersecting_int(leaf.envelope, |other: &Leaf| {
        visit(other.row);
        ControlFlow::<()>::Continue(())
    });
}

impl System for Rstar {
    fn take(&mut self, tick: &Tick<'_>) {
        self.of_moving.clear();
        self.of_moving.extend(tick.rows(true).map(leaf));
        if self.still.is_none() {
            self.of_still.extend(tick.rows(false).map(leaf));
        }
    }

    fn find(&mut self, _: &Tick<'_>) -> usize {
        let Self { moving, still, of_moving, of_still, pairs } = self;
        let still = still.get_or_insert_with(|| RTree::bulk_load(std::mem::take(of_still)));
        *moving = RTree::bulk_load(std::mem::take(of_moving));
        if rayon::current_num_threads() == 1 {
            let both_move = moving.intersection_candidates_with_other_tree(moving);
            let both_move = both_move.filter(|(a, b)| a.row < b.row);
            let one_moves = moving.intersection_candidates_with_other_tree(still);
            return pairs.fill_with(both_move.chain(one_moves).map(|(a, b)| [a.row, b.row]));
        }
        let leaves: Vec<&Leaf> = moving.iter().collect();
        pairs.fill(&leaves, |leaf, list| {
            let row = leaf.row;
            ask(moving, leaf, |other| {
                if row < other {
                    list.push([row, other]);
                }
            });
            ask(still, leaf, |other| list.push([row, other]));
        });
        pairs.len()
    }

    fn show(&mut self, _: &Tick<'_>, visit: &mut dyn FnMut(RowPair)) {
        self.pairs.show(visit);
    }
}
