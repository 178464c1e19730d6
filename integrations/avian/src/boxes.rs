//! The boxes of all colliders, and the search for new pairs.

use avian3d::collider_tree::{ColliderTreeProxy, ColliderTreeProxyKey, ColliderTrees};
use avian3d::data_structures::pair_key::PairKey;
use avian3d::prelude::ContactGraph;
use bevy::{ecs::change_detection::Tick, prelude::Resource, tasks::ComputeTaskPool};
use core::ops::ControlFlow;
use std::sync::Arc;
use swath::broadphase::PairInput;
use swath::{Aabb, COORD_MAX, Executor, FixedBoxes, Pair, PairFinder, Threads};

/// Bevy's task pool for the compute tasks of a frame.
struct BevyTasks;

impl Executor for BevyTasks {
    fn threads(&self) -> usize {
        ComputeTaskPool::get().thread_num()
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        ComputeTaskPool::get().scope(|scope| {
            for index in 0..tasks {
                scope.spawn(async move { task(index) });
            }
        });
    }
}

/// All pairs are found anew if more than one of this many boxes has moved.
const MOVED_SHARE: usize = 8;
/// Up to this many changed boxes are compared one by one, until they are put into the forest together.
const PENDING_MAX: usize = 64;
/// Stands for a row or an index that does not exist.
const NONE: u32 = u32::MAX;
/// Stands for the box of a collider that was removed. It is invalid, so it has no pairs.
pub(crate) const REMOVED: Aabb = Aabb { min: [f32::NAN; 3], max: [f32::NAN; 3] };

/// The boxes of all colliders. A collider is known by the index of its entity, as in avian's contact graph.
#[derive(Resource, Default)]
pub(crate) struct ColliderBoxes {
    /// When avian's list of moved colliders had changed last before the search of this step.
    pub(crate) list_changed: Tick,
    /// The colliders by the index of their entity.
    pub(crate) colliders: Vec<StoredCollider>,
    /// By row: the index of an entity, its box, and whether it has moved in this step.
    entities: Vec<u32>,
    boxes: Vec<Aabb>,
    pub(crate) moves: Vec<bool>,
    /// The number of boxes that are not [`REMOVED`].
    box_count: usize,
    /// The entities that have moved in this step, by their index, and their boxes.
    moved: Vec<u32>,
    moved_boxes: Vec<Aabb>,
    /// The boxes in trees, by the index of the entity. Those of the entities `pending` are old; their new ones are here.
    forest: FixedBoxes,
    pending: Vec<u32>,
    pending_boxes: Vec<Aabb>,
    /// Finds all pairs when many boxes have moved.
    finder: PairFinder,
    /// The pairs that were found in this step and are not in the contact graph.
    pub(crate) found: Vec<Pair>,
}

/// The key of a collider in the trees of avian, its row or [`NONE`], and its index in the list `pending` or [`NONE`].
#[derive(Clone, Copy)]
pub(crate) struct StoredCollider {
    pub(crate) key: ColliderTreeProxyKey,
    pub(crate) row: u32,
    pending: u32,
}

impl ColliderBoxes {
    /// Stores the AABBs of the colliders that have moved or are new.
    pub(crate) fn store_moved(&mut self, trees: &ColliderTrees, keys: &[ColliderTreeProxyKey]) {
        // Two loops, of which the first one waits for the memory of many colliders at once.
        for &key in keys {
            let tree = trees.tree_for_type(key.tree_type());
            let (proxy, aabb) = (tree.get_proxy(key.id()), tree.get_proxy_aabb(key.id()));
            let (Some(proxy), Some(aabb)) = (proxy, aabb) else { continue };
            let entity = proxy.collider.index_u32();
            let none = StoredCollider { key, row: NONE, pending: NONE };
            self.colliders.resize(self.colliders.len().max(entity as usize + 1), none);
            self.colliders[entity as usize].key = key;
            // A half-space has an AABB beyond the greatest coordinate of swath.
            let limited = |corner: [f32; 3]| corner.map(|x| x.clamp(-COORD_MAX, COORD_MAX));
            self.moved.push(entity);
            let [min, max] = [aabb.min.to_array(), aabb.max.to_array()].map(limited);
            self.moved_boxes.push(Aabb { min, max });
        }
        for index in 0..self.moved.len() {
            let row = self.store(self.moved[index], self.moved_boxes[index]);
            self.moves[row] = true;
        }
    }

    /// Stores the box of a collider and returns its row. The box is put into the forest later, with others.
    pub(crate) fn store(&mut self, entity: u32, aabb: Aabb) -> usize {
        let StoredCollider { row, pending, .. } = &mut self.colliders[entity as usize];
        if *row == NONE {
            *row = self.boxes.len() as u32;
            self.entities.push(entity);
            self.boxes.push(REMOVED);
            self.moves.push(false);
        }
        if *pending == NONE {
            *pending = self.pending.len() as u32;
            self.pending.push(entity);
            self.pending_boxes.push(aabb);
        }
        self.pending_boxes[*pending as usize] = aabb;
        let row = *row as usize;
        let before = core::mem::replace(&mut self.boxes[row], aabb);
        self.box_count += usize::from(exists(&aabb));
        self.box_count -= usize::from(exists(&before));
        row
    }

    /// Clears the list of the colliders that have moved.
    pub(crate) fn clear_moved(&mut self) {
        let Self { colliders, moves, moved, moved_boxes, .. } = self;
        moved.drain(..).for_each(|entity| moves[colliders[entity as usize].row as usize] = false);
        moved_boxes.clear();
    }

    /// The collider of an entity in the trees of avian, unless it was removed. Its key may be that of another one now.
    pub(crate) fn proxy<'a>(
        &self,
        trees: &'a ColliderTrees,
        entity: u32,
    ) -> Option<&'a ColliderTreeProxy> {
        let proxy = trees.get_proxy(self.colliders[entity as usize].key)?;
        (proxy.collider.index_u32() == entity).then_some(proxy)
    }

    /// Finds the pairs of entities whose boxes overlap, of which at least one has moved in this step, and that are not in
    /// the contact graph.
    pub(crate) fn find_new_pairs(&mut self, graph: &ContactGraph) {
        let Self { colliders, boxes, moves, moved, moved_boxes, forest, pending, found, .. } = self;
        // A box that has moved may find itself.
        let is_new = |&Pair { a, b }: &Pair| a != b && !graph.contains_key(&PairKey::new(a, b));
        found.clear();
        if moved.len() > self.box_count / MOVED_SHARE {
            let input = PairInput::new(&*boxes).moving(moves).labelled(&self.entities);
            let threads = Threads::of_executor(Arc::new(BevyTasks));
            (forest.exec.threads, self.finder.exec.threads) = (threads.clone(), threads);
            let all = self.finder.union_pairs(input).expect("there is no limit of pairs");
            return found.extend(all.iter().filter(is_new));
        }
        if pending.len() > PENDING_MAX {
            for of in forest.put(pending, &self.pending_boxes).expect("as many rows").to_vec() {
                // The collider was removed, or has an AABB with NaN. It may have had a box.
                _ = forest.remove(&[pending[of.row as usize]]);
            }
            pending.drain(..).for_each(|entity| colliders[entity as usize].pending = NONE);
            self.pending_boxes.clear();
        }
        for (&a, aabb) in moved.iter().zip(&*moved_boxes) {
            let Ok(query) = forest.queries().overlap(aabb) else { continue };
            query.visit(|b| {
                found.push(Pair { a, b });
                ControlFlow::Continue(())
            });
        }
        // A pair of two boxes that have moved is found from both sides.
        let once = |pair: &Pair| pair.a < pair.b || !moves[colliders[pair.b as usize].row as usize];
        let is_current = |pair: &Pair| colliders[pair.b as usize].pending == NONE;
        found.retain(|pair| is_new(pair) && is_current(pair) && once(pair));
        for (&a, aabb) in moved.iter().zip(moved_boxes) {
            let near = pending.iter().zip(&self.pending_boxes).filter(|of| aabb.overlaps(of.1));
            found.extend(near.map(|(&b, _)| Pair { a, b }).filter(|of| is_new(of) && once(of)));
        }
    }
}

/// Whether a box is not [`REMOVED`].
fn exists(aabb: &Aabb) -> bool {
    !aabb.min[0].is_nan()
}
