#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

use avian3d::collider_tree::{
    ColliderTreeProxy, ColliderTreeProxyFlags, ColliderTreeProxyKey, ColliderTrees, MovedProxies,
};
use avian3d::collision::CollisionDiagnostics;
use avian3d::collision::contact_types::ContactEdgeFlags;
use avian3d::data_structures::pair_key::PairKey;
use avian3d::dynamics::solver::joint_graph::JointGraph;
use avian3d::prelude::*;
use bevy::ecs::system::{StaticSystemParam, SystemParamItem};
use bevy::{prelude::*, tasks::ComputeTaskPool};
use core::{marker::PhantomData, ops::ControlFlow};
use std::{sync::Arc, time::Instant};
use swath::broadphase::PairInput;
use swath::{Aabb, COORD_MAX, Executor, FixedBoxes, Pair, PairFinder, Threads};

/// A broad phase for avian that finds pairs with swath. It replaces [`BvhBroadPhasePlugin`].
///
/// `H` are the collision hooks of the application, as in the plugin that it replaces.
pub struct SwathBroadPhasePlugin<H: CollisionHooks = ()>(PhantomData<H>);

impl<H: CollisionHooks> Default for SwathBroadPhasePlugin<H> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<H: CollisionHooks + 'static> Plugin for SwathBroadPhasePlugin<H>
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    fn build(&self, app: &mut App) {
        let system = collect_collision_pairs::<H>.in_set(BroadPhaseSystems::CollectCollisions);
        app.add_systems(PhysicsSchedule, system);
    }
}

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
/// Up to so many changed boxes are compared one by one, until they are put into the forest together.
const PENDING_MAX: usize = 64;
/// Stands for a row or an index that does not exist.
const NONE: u32 = u32::MAX;
/// Stands for the box of a collider that was removed. It is invalid, so it has no pairs.
const REMOVED: Aabb = Aabb { min: [f32::NAN; 3], max: [f32::NAN; 3] };

/// The boxes of all colliders. A collider is known by the index of its entity, as in avian's contact graph.
#[derive(Default)]
struct SwathBroadPhase {
    /// The colliders by the index of their entity.
    colliders: Vec<StoredCollider>,
    /// By row: the index of an entity, its box, and whether it has moved in this step.
    entities: Vec<u32>,
    boxes: Vec<Aabb>,
    moves: Vec<bool>,
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
    found: Vec<Pair>,
}

/// The key of a collider in the trees of avian, its row or [`NONE`], and its index in the list `pending` or [`NONE`].
#[derive(Clone, Copy)]
struct StoredCollider {
    key: ColliderTreeProxyKey,
    row: u32,
    pending: u32,
}

impl SwathBroadPhase {
    /// Stores the AABBs of the colliders that have moved or are new.
    fn store_moved(&mut self, trees: &ColliderTrees, keys: &[ColliderTreeProxyKey]) {
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
    fn store(&mut self, entity: u32, aabb: Aabb) -> usize {
        let StoredCollider { row, pending, .. } = &mut self.colliders[entity as usize];
        if *row == NONE {
            *row = self.boxes.len() as u32;
            self.entities.push(entity);
            self.boxes.push(aabb);
            self.moves.push(false);
        }
        if *pending == NONE {
            *pending = self.pending.len() as u32;
            self.pending.push(entity);
            self.pending_boxes.push(aabb);
        }
        (self.boxes[*row as usize], self.pending_boxes[*pending as usize]) = (aabb, aabb);
        *row as usize
    }

    /// The collider of an entity in the trees of avian, unless it was removed. Its key may be that of another one now.
    fn proxy<'a>(&self, trees: &'a ColliderTrees, entity: u32) -> Option<&'a ColliderTreeProxy> {
        let proxy = trees.get_proxy(self.colliders[entity as usize].key)?;
        (proxy.collider.index_u32() == entity).then_some(proxy)
    }

    /// Finds the pairs of entities whose boxes overlap, of which at least one has moved in this step, and that are not in
    /// the contact graph.
    fn find_new_pairs(&mut self, graph: &ContactGraph) {
        let Self { colliders, boxes, moves, moved, moved_boxes, forest, pending, found, .. } = self;
        // A box that has moved may find itself.
        let is_new = |&Pair { a, b }: &Pair| a != b && !graph.contains_key(&PairKey::new(a, b));
        found.clear();
        if moved.len() > boxes.len() / MOVED_SHARE {
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

/// Finds the colliders whose AABBs overlap that of a collider that has moved, and adds them to the contact graph.
fn collect_collision_pairs<H: CollisionHooks>(
    mut broad_phase: Local<SwathBroadPhase>,
    trees: Res<ColliderTrees>,
    moved: Res<MovedProxies>,
    hooks: StaticSystemParam<H>,
    mut commands: Commands,
    mut contact_graph: ResMut<ContactGraph>,
    joint_graph: Res<JointGraph>,
    mut diagnostics: ResMut<CollisionDiagnostics>,
) where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let start = Instant::now();
    if moved.proxies().is_empty() {
        return;
    }
    let (broad_phase, hooks) = (&mut *broad_phase, hooks.into_inner());
    broad_phase.store_moved(&trees, moved.proxies());
    broad_phase.find_new_pairs(&contact_graph);
    let has_joints = joint_graph.graph().edge_count() > 0;
    let are_joined = |(one, other): (Entity, Entity)| {
        joint_graph.joints_between(one, other).any(|joint| joint.collision_disabled)
    };
    let mut removed = Vec::new();
    for &Pair { a, b } in &broad_phase.found {
        let [proxy1, proxy2] = [a, b].map(|entity| broad_phase.proxy(&trees, entity));
        let (Some(proxy1), Some(proxy2)) = (proxy1, proxy2) else {
            removed.extend(proxy1.is_none().then_some(a));
            removed.extend(proxy2.is_none().then_some(b));
            continue;
        };
        let [one, other] = [a, b].map(|entity| broad_phase.colliders[entity as usize]);
        // Of two static colliders, avian lets only a sensor that has moved find the other one.
        let are_static = one.key.is_static() && other.key.is_static();
        let finds = |collider: StoredCollider, proxy: &ColliderTreeProxy| {
            broad_phase.moves[collider.row as usize] && proxy.is_sensor()
        };
        let flags = proxy1.flags.union(proxy2.flags);
        if are_static && !finds(one, proxy1) && !finds(other, proxy2)
            || !proxy1.layers.interacts_with(proxy2.layers)
            || proxy1.body == proxy2.body
            || has_joints && proxy1.body.zip(proxy2.body).is_some_and(are_joined)
            || flags.contains(ColliderTreeProxyFlags::CUSTOM_FILTER)
                && !hooks.filter_pairs(proxy1.collider, proxy2.collider, &mut commands)
        {
            continue;
        }
        let mut edge = ContactEdge::new(proxy1.collider, proxy2.collider);
        (edge.body1, edge.body2) = (proxy1.body, proxy2.body);
        let events = flags.contains(ColliderTreeProxyFlags::CONTACT_EVENTS);
        edge.flags.set(ContactEdgeFlags::CONTACT_EVENTS, events);
        contact_graph.add_edge_with(edge, |pair| {
            (pair.body1, pair.body2) = (proxy1.body, proxy2.body);
            let modify = flags.contains(ColliderTreeProxyFlags::MODIFY_CONTACTS);
            pair.flags.set(ContactPairFlags::MODIFY_CONTACTS, modify);
            let passive = ColliderTreeProxyFlags::BODY_DISABLED | ColliderTreeProxyFlags::SENSOR;
            pair.flags.set(ContactPairFlags::GENERATE_CONSTRAINTS, !flags.intersects(passive));
        });
    }
    removed.into_iter().for_each(|entity| _ = broad_phase.store(entity, REMOVED));
    let SwathBroadPhase { colliders, moves, moved, .. } = broad_phase;
    moved.drain(..).for_each(|entity| moves[colliders[entity as usize].row as usize] = false);
    broad_phase.moved_boxes.clear();
    diagnostics.broad_phase += start.elapsed();
}
