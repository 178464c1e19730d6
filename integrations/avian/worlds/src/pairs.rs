//! What a step has found, in an order that does not depend on the broad phase.

use avian3d::collision::contact_types::ContactEdgeFlags;
use avian3d::prelude::*;
use bevy::prelude::*;

/// Sorts the pairs that the broad phase has added in a step: by the entity with the lower index, then by the other one.
///
/// The solver of avian processes contacts in the order in which they were added to the contact graph, and the first
/// collider of a pair is the reference of its contact points. Both depend on the order in which a broad phase finds the
/// pairs. This plugin removes the new pairs after the broad phase and adds them again in a fixed order, with the lower
/// entity first, so that two broad phases that find the same pairs give the same motion bit by bit.
pub struct SortNewPairs;

/// The number of active pairs before the broad phase. New pairs are behind them.
#[derive(Resource, Default)]
struct PairsBefore(usize);

impl Plugin for SortNewPairs {
    fn build(&self, app: &mut App) {
        app.init_resource::<PairsBefore>().add_systems(
            PhysicsSchedule,
            (
                (|graph: Res<ContactGraph>, mut before: ResMut<PairsBefore>| {
                    before.0 = graph.active_pairs().len();
                })
                .in_set(BroadPhaseSystems::First),
                sort_new_pairs.in_set(BroadPhaseSystems::Last),
            ),
        );
    }
}

fn sort_new_pairs(mut graph: ResMut<ContactGraph>, before: Res<PairsBefore>) {
    let new = graph.active_pairs()[before.0..].iter().map(|pair| {
        let (edge, _) = graph.get_by_id(pair.contact_id).expect("a pair has an edge");
        let (mut one, mut other) = ((edge.collider1, edge.body1), (edge.collider2, edge.body2));
        if one.0.index() > other.0.index() {
            (one, other) = (other, one);
        }
        (one, other, edge.flags, pair.flags)
    });
    let mut new: Vec<_> = new.collect();
    new.sort_unstable_by_key(|(one, other, ..)| (one.0.index(), other.0.index()));
    for (one, other, ..) in &new {
        graph.remove_edge(one.0, other.0).expect("the pair was added in this step");
    }
    for (one, other, edge_flags, pair_flags) in new {
        let mut edge = ContactEdge::new(one.0, other.0);
        (edge.body1, edge.body2, edge.flags) = (one.1, other.1, edge_flags);
        graph.add_edge_with(edge, |pair| {
            (pair.body1, pair.body2, pair.flags) = (one.1, other.1, pair_flags);
        });
    }
}

/// All pairs of the contact graph: both entities, the lower one first, and the flags of the edge and of the pair.
/// They are sorted.
#[must_use]
pub fn pairs(app: &App) -> Vec<(Entity, Entity, ContactEdgeFlags, ContactPairFlags)> {
    let graph = app.world().resource::<ContactGraph>();
    let all = graph.active_pairs().iter().chain(graph.sleeping_pairs());
    let mut all: Vec<_> = all
        .map(|pair| {
            let (edge, _) = graph.get_by_id(pair.contact_id).expect("a pair has an edge");
            let (one, other) = (pair.collider1, pair.collider2);
            let lower = one.index() < other.index();
            let (one, other) = if lower { (one, other) } else { (other, one) };
            (one, other, edge.flags, pair.flags)
        })
        .collect();
    all.sort_unstable_by_key(|&(one, other, ..)| (one.index(), other.index()));
    all
}

/// The position, rotation and velocities of each body, as bits, in the order of the entities.
#[must_use]
pub fn poses(app: &mut App) -> Vec<(Entity, [u32; 13])> {
    type Body<'a> = (Entity, &'a Position, &'a Rotation, &'a LinearVelocity, &'a AngularVelocity);
    let world = app.world_mut();
    let mut bodies = world.query::<Body<'_>>();
    let mut poses: Vec<_> = bodies
        .iter(world)
        .map(|(entity, position, rotation, linear, angular)| {
            let mut numbers = position.0.to_array().into_iter().chain(rotation.0.to_array());
            let mut velocities = linear.0.to_array().into_iter().chain(angular.0.to_array());
            let next = || numbers.next().or_else(|| velocities.next()).expect("13 numbers");
            (
                entity,
                [(); 13].map({
                    let mut next = next;
                    move |()| f32::to_bits(next())
                }),
            )
        })
        .collect();
    poses.sort_unstable_by_key(|&(entity, _)| entity.index());
    poses
}
