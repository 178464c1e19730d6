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
use bevy::prelude::*;
use bevy::tasks::ComputeTaskPool;
use core::marker::PhantomData;
use std::{sync::Arc, time::Instant};
use swath::broadphase::PairInput;
use swath::{Aabb, COORD_MAX, Exec, Executor, FixedBoxes, Pair, PairFinder, Threads};

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
        let exec = Exec::from(Threads::of_executor(Arc::new(BevyTasks)));
        let mut found = SwathBroadPhase::default();
        (found.forest.exec, found.finder.exec) = (exec.clone(), exec);
        app.insert_resource(found).add_systems(
            PhysicsSchedule,
            collect_collision_pairs::<H>.in_set(BroadPhaseSystems::CollectCollisions),
        );
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
#[derive(Default, Resource)]
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
}

/// The key of a collider in the trees of avian, its row or [`NONE`], and its index in the list `pending` or [`NONE`].
#[derive(Clone, Copy)]
struct StoredCollider {
    key: ColliderTreeProxyKey,
    row: u32,
    pending: u32,
}

impl SwathBroadPhase {
    /// Stores the AABB of a collider that has moved or is new.
    fn set(&mut self, trees: &ColliderTrees, key: ColliderTreeProxyKey) {
        let tree = trees.tree_for_type(key.tree_type());
        let (Some(proxy), Some(aabb)) = (tree.get_proxy(key.id()), tree.get_proxy_aabb(key.id()))
        else {
            return;
        };
        let entity = proxy.collider.index_u32();
        let none = StoredCollider { key, row: NONE, pending: NONE };
        self.colliders.resize(self.colliders.len().max(entity as usize + 1), none);
        let collider = &mut self.colliders[entity as usize];
        collider.key = key;
        if collider.row == NONE {
            collider.row = self.boxes.len() as u32;
            self.entities.push(entity);
            self.boxes.push(REMOVED);
            self.moves.push(false);
        }
        self.moves[collider.row as usize] = true;
        // A half-space has an AABB beyond the greatest coordinate of swath.
        let limited = |corner: [f32; 3]| corner.map(|x| x.clamp(-COORD_MAX, COORD_MAX));
        let aabb = Aabb { min: limited(aabb.min.to_array()), max: limited(aabb.max.to_array()) };
        self.store(entity, aabb);
        self.moved.push(entity);
        self.moved_boxes.push(aabb);
    }

    /// Stores the box of a collider that has a row. It is put into the forest later, with others.
    fn store(&mut self, entity: u32, aabb: Aabb) {
        let StoredCollider { row, pending, .. } = &mut self.colliders[entity as usize];
        self.boxes[*row as usize] = aabb;
        if *pending == NONE {
            *pending = self.pending.len() as u32;
            self.pending.push(entity);
            self.pending_boxes.push(aabb);
        }
        self.pending_boxes[*pending as usize] = aabb;
    }

    /// The collider of an entity in the trees of avian, unless it was removed. Its key may be that of another one now.
    fn proxy<'a>(&self, trees: &'a ColliderTrees, entity: u32) -> Option<&'a ColliderTreeProxy> {
        let proxy = trees.get_proxy(self.colliders[entity as usize].key)?;
        (proxy.collider.index_u32() == entity).then_some(proxy)
    }

    /// Returns the pairs of entities whose boxes overlap, of which at least one has moved in this step, and that are not in
    /// the contact graph.
    fn find_new_pairs(&mut self, graph: &ContactGraph) -> Vec<Pair> {
        let Self { colliders, boxes, moves, moved, moved_boxes, pending, .. } = self;
        let is_new = |pair: &Pair| !graph.contains_key(&PairKey::new(pair.a, pair.b));
        if moved.len() > boxes.len() / MOVED_SHARE {
            let input = PairInput::new(&*boxes).moving(moves).labelled(&self.entities);
            let found = self.finder.union_pairs(input).expect("there is no limit of pairs");
            return found.iter().filter(is_new).collect();
        }
        if pending.len() > PENDING_MAX {
            let rejected = self.forest.put(pending, &self.pending_boxes).expect("as many rows");
            let rejected: Vec<u32> = rejected.iter().map(|of| pending[of.row as usize]).collect();
            // Only some of these entities had a box; the collider was removed, or has an AABB with NaN.
            rejected.into_iter().for_each(|entity| _ = self.forest.remove(&[entity]));
            pending.drain(..).for_each(|entity| colliders[entity as usize].pending = NONE);
            self.pending_boxes.clear();
        }
        // A pair of two boxes that have moved is found from both sides, and a box may find itself.
        let once = |pair: &Pair| pair.a < pair.b || !moves[colliders[pair.b as usize].row as usize];
        let is_current = |pair: &Pair| colliders[pair.b as usize].pending == NONE;
        let found = self.forest.union_pairs(PairInput::new(&*moved_boxes).labelled(moved));
        let found = found.expect("there is no limit of pairs");
        let found = found.iter().filter(is_new).filter(is_current).filter(once);
        let mut pairs: Vec<Pair> = found.collect();
        for (&a, aabb) in moved.iter().zip(moved_boxes) {
            let overlapping = pending.iter().zip(&self.pending_boxes);
            let overlapping = overlapping.filter(|(_, other)| aabb.overlaps(other));
            pairs.extend(overlapping.map(|(&b, _)| Pair { a, b }).filter(is_new).filter(once));
        }
        pairs
    }
}

/// Finds the colliders whose AABBs overlap that of a collider that has moved, and adds them to the contact graph.
fn collect_collision_pairs<H: CollisionHooks>(
    mut broad_phase: ResMut<SwathBroadPhase>,
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
    moved.proxies().iter().for_each(|&key| broad_phase.set(&trees, key));
    let mut removed = Vec::new();
    for Pair { a, b } in broad_phase.find_new_pairs(&contact_graph) {
        let [proxy1, proxy2] = [a, b].map(|entity| broad_phase.proxy(&trees, entity));
        let (Some(proxy1), Some(proxy2)) = (proxy1, proxy2) else {
            removed.extend(proxy1.is_none().then_some(a));
            removed.extend(proxy2.is_none().then_some(b));
            continue;
        };
        let [one, other] = [a, b].map(|entity| broad_phase.colliders[entity as usize]);
        // Of two static colliders, avian lets only a sensor that has moved find the other one.
        let finds = |collider: StoredCollider, proxy: &ColliderTreeProxy| {
            broad_phase.moves[collider.row as usize]
                && (proxy.is_sensor() || !one.key.is_static() || !other.key.is_static())
        };
        if !finds(one, proxy1) && !finds(other, proxy2)
            || !proxy1.layers.interacts_with(proxy2.layers)
            || proxy1.body == proxy2.body
        {
            continue;
        }
        if let (Some(body1), Some(body2)) = (proxy1.body, proxy2.body)
            && joint_graph.joints_between(body1, body2).any(|joint| joint.collision_disabled)
        {
            continue;
        }
        let flags = proxy1.flags.union(proxy2.flags);
        if flags.contains(ColliderTreeProxyFlags::CUSTOM_FILTER)
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
    removed.into_iter().for_each(|entity| broad_phase.store(entity, REMOVED));
    let SwathBroadPhase { colliders, moves, moved, .. } = broad_phase;
    moved.drain(..).for_each(|entity| moves[colliders[entity as usize].row as usize] = false);
    broad_phase.moved_boxes.clear();
    diagnostics.broad_phase += start.elapsed();
}
