#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod boxes;

use avian3d::collider_tree::{
    ColliderTreeProxy, ColliderTreeProxyFlags, ColliderTrees, MovedProxies,
};
use avian3d::collision::CollisionDiagnostics;
use avian3d::collision::contact_types::ContactEdgeFlags;
use avian3d::collision::narrow_phase::CollisionEventSystems;
use avian3d::dynamics::solver::joint_graph::JointGraph;
use avian3d::prelude::*;
use bevy::ecs::system::{StaticSystemParam, SystemParamItem};
use bevy::prelude::*;
use boxes::{ColliderBoxes, REMOVED, StoredCollider};
use core::marker::PhantomData;
use std::time::Instant;
use swath::Pair;

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
        // avian clears its list of moved colliders after this set.
        let late = store_late.in_set(PhysicsStepSystems::Finalize).after(CollisionEventSystems);
        app.init_resource::<ColliderBoxes>().add_systems(PhysicsSchedule, (system, late));
    }
}

/// Finds the colliders whose AABBs overlap that of a collider that has moved, and adds them to the contact graph.
fn collect_collision_pairs<H: CollisionHooks>(
    mut boxes: ResMut<ColliderBoxes>,
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
    boxes.list_changed = moved.last_changed();
    if moved.proxies().is_empty() {
        return;
    }
    let (boxes, hooks) = (&mut *boxes, hooks.into_inner());
    boxes.store_moved(&trees, moved.proxies());
    boxes.find_new_pairs(&contact_graph);
    let has_joints = joint_graph.graph().edge_count() > 0;
    let are_joined = |(one, other): (Entity, Entity)| {
        joint_graph.joints_between(one, other).any(|joint| joint.collision_disabled)
    };
    let mut removed = Vec::new();
    for &Pair { a, b } in &boxes.found {
        let [proxy1, proxy2] = [a, b].map(|entity| boxes.proxy(&trees, entity));
        let (Some(proxy1), Some(proxy2)) = (proxy1, proxy2) else {
            removed.extend(proxy1.is_none().then_some(a));
            removed.extend(proxy2.is_none().then_some(b));
            continue;
        };
        let [one, other] = [a, b].map(|entity| boxes.colliders[entity as usize]);
        // Of two static colliders, avian lets only a sensor that has moved find the other one.
        let are_static = one.key.is_static() && other.key.is_static();
        let finds = |collider: StoredCollider, proxy: &ColliderTreeProxy| {
            boxes.moves[collider.row as usize] && proxy.is_sensor()
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
    removed.into_iter().for_each(|entity| _ = boxes.store(entity, REMOVED));
    boxes.clear_moved();
    diagnostics.broad_phase += start.elapsed();
}

/// Stores the colliders that avian has listed since the search of this step: those that an observer of a collision, a hook or a system of the
/// application has spawned, or moved to another tree. avian clears the list before the next search, which does not start from them, but may find them.
fn store_late(
    mut boxes: ResMut<ColliderBoxes>,
    trees: Res<ColliderTrees>,
    moved: Res<MovedProxies>,
) {
    if moved.last_changed() != boxes.list_changed {
        boxes.store_moved(&trees, moved.proxies());
        boxes.clear_moved();
    }
}
