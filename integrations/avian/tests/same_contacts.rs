//! Tests that the contact graph and the motion are those of avian's own broad phase, bit by bit, after every step.
//!
//! Each test makes two worlds by the same calls, one for each broad phase, and compares all pairs with their flags and all
//! poses and velocities after every step. `worlds::SortNewPairs` makes the order of new pairs the same in both.

use avian3d::prelude::*;
use bevy::ecs::system::{SystemParam, SystemParamItem};
use bevy::prelude::*;
use swath_avian::SwathBroadPhasePlugin;
use worlds::{Random, block, ground, pairs, pile, poses};

/// The threads of the compute tasks of all worlds.
const THREADS: usize = 3;

/// What a comparison has seen.
#[derive(Debug, Default)]
struct Seen {
    /// The greatest number of pairs, and how often a pair was added or removed.
    pairs: usize,
    changes: usize,
    /// The greatest number of bodies that sleep.
    sleeping: usize,
}

/// Runs both worlds for some steps. `edit` is called for each world before each step.
fn compare_with_hooks<H: CollisionHooks + 'static>(
    steps: usize,
    edit: impl Fn(&mut World, usize),
) -> Seen
where
    for<'w, 's> SystemParamItem<'w, 's, H>: CollisionHooks,
{
    let plugins = || PhysicsPlugins::default().with_collision_hooks::<H>().build();
    let mut avian = worlds::world(THREADS, plugins());
    let plugins = plugins().disable::<BvhBroadPhasePlugin<H>>();
    let mut swath = worlds::world(THREADS, plugins.add(SwathBroadPhasePlugin::<H>::default()));
    let (mut seen, mut last) = (Seen::default(), Vec::<(u32, u32)>::new());
    for step in 0..steps {
        for app in [&mut avian, &mut swath] {
            edit(app.world_mut(), step);
            app.update();
        }
        let (expected, found) = (pairs(&avian), pairs(&swath));
        assert!(expected == found, "step {step}: {}", difference(&expected, &found));
        assert!(poses(&mut avian) == poses(&mut swath), "step {step}: a pose differs");
        let keys = found.iter().map(|pair| (pair.0.index_u32(), pair.1.index_u32()));
        let keys: Vec<(u32, u32)> = keys.collect();
        let common = keys.iter().filter(|&key| last.binary_search(key).is_ok()).count();
        seen.changes += keys.len() + last.len() - 2 * common;
        seen.pairs = seen.pairs.max(keys.len());
        last = keys;
        let world = avian.world_mut();
        let sleeping = world.query_filtered::<(), With<Sleeping>>().iter(world).count();
        seen.sleeping = seen.sleeping.max(sleeping);
    }
    seen
}

/// The same without hooks.
fn compare(steps: usize, edit: impl Fn(&mut World, usize)) -> Seen {
    compare_with_hooks::<()>(steps, edit)
}

/// The first pairs that are in only one of two lists, or have other flags.
fn difference<T: PartialEq + std::fmt::Debug>(expected: &[T], found: &[T]) -> String {
    let missed: Vec<_> = expected.iter().filter(|pair| !found.contains(pair)).take(3).collect();
    let added: Vec<_> = found.iter().filter(|pair| !expected.contains(pair)).take(3).collect();
    format!(
        "{} and {} pairs; only avian {missed:?}; only swath {added:?}",
        expected.len(),
        found.len()
    )
}

/// A floor, and cubes that fall on it in a heap. Returns the cubes in the order of their entities.
fn heap(world: &mut World, bodies: usize) -> Vec<Entity> {
    ground(world, 60.0);
    let mut random = Random(3);
    (0..bodies)
        .map(|k| {
            let at = random.vector(-1.6, 1.6) + Vec3::Y * (2.5 + k as f32 * 0.4);
            world.spawn(block(at)).id()
        })
        .collect()
}

/// The dynamic bodies, in the order of their entities.
fn cubes(world: &mut World) -> Vec<Entity> {
    let mut bodies = world.query::<(Entity, &RigidBody)>();
    let all = bodies.iter(world).filter(|(_, body)| body.is_dynamic()).map(|(entity, _)| entity);
    let mut all: Vec<Entity> = all.collect();
    all.sort_unstable_by_key(|entity| entity.index());
    all
}

#[test]
fn heap_that_falls_asleep_and_is_hit() {
    let seen = compare(400, |world, step| match step {
        0 => drop(heap(world, 24)),
        340 => {
            let shot = (block(Vec3::new(-8.0, 1.0, 0.0)), LinearVelocity(Vec3::X * 30.0));
            world.spawn(shot);
        }
        _ => {}
    });
    assert!(seen.pairs > 30 && seen.changes > 60 && seen.sleeping > 10, "{seen:?}");
}

#[test]
fn layers_of_32_bits_that_change_while_running() {
    let layers = |k: usize, step: usize| {
        let member = 1 << (31 - (k + step / 20) % 3);
        CollisionLayers::new(LayerMask(member | 1), LayerMask(!member ^ 1 | 1 << 29))
    };
    let seen = compare(150, |world, step| {
        if step == 0 {
            heap(world, 40);
        }
        if step % 20 == 0 {
            for (k, cube) in cubes(world).into_iter().enumerate() {
                world.entity_mut(cube).insert(layers(k, step));
            }
        }
    });
    assert!(seen.pairs > 30 && seen.changes > 100, "{seen:?}");
}

#[test]
fn sensors_of_every_kind_of_body() {
    let seen = compare(150, |world, step| {
        if step == 0 {
            heap(world, 30);
            let cuboid = || Collider::cuboid(6.0, 1.0, 6.0);
            let at = |y: f32| Transform::from_xyz(0.5, y, 0.5);
            // A static sensor meets static bodies too; a sensor without a body meets all.
            world.spawn((RigidBody::Static, cuboid(), Sensor, at(0.3), CollisionEventsEnabled));
            world.spawn((
                RigidBody::Kinematic,
                cuboid(),
                Sensor,
                at(1.0),
                LinearVelocity(Vec3::Y * 0.5),
            ));
            world.spawn((cuboid(), Sensor, at(0.8)));
            world.spawn((cuboid(), at(-0.2)));
        }
        if step % 30 == 20 {
            for (k, cube) in cubes(world).into_iter().enumerate() {
                match (k + step) % 4 {
                    0 => _ = world.entity_mut(cube).insert(Sensor),
                    1 => _ = world.entity_mut(cube).remove::<Sensor>(),
                    _ => {}
                }
            }
        }
        if step == 75 {
            // A static body becomes a sensor while it rests, and another one is moved to it.
            let mut statics = world.query::<(Entity, &RigidBody)>();
            let first =
                statics.iter(world).find(|(_, body)| body.is_static()).map(|(entity, _)| entity);
            world.entity_mut(first.expect("there is a floor")).insert(Sensor);
            world.spawn((RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0), Transform::default()));
        }
    });
    assert!(seen.pairs > 40 && seen.changes > 80, "{seen:?}");
}

#[test]
fn fast_bodies_with_swept_ccd() {
    let seen = compare(60, |world, step| {
        if step == 0 {
            heap(world, 20);
        }
        if step % 6 == 0 {
            let at = Vec3::new(-30.0, 1.0 + step as f32 * 0.05, 0.3);
            let shot = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_translation(at));
            let speed = LinearVelocity(Vec3::new(900.0, -5.0, 3.0));
            world.spawn((shot, speed, SweptCcd::default()));
            let shot =
                (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_translation(-at));
            world.spawn((shot, LinearVelocity(Vec3::X * 200.0), SpeculativeMargin(2.0)));
        }
    });
    assert!(seen.pairs > 30 && seen.changes > 100, "{seen:?}");
}

/// Joints of neighbours in a chain.
#[derive(Component)]
struct Link;

#[test]
fn joints_with_and_without_collision() {
    let seen = compare(150, |world, step| {
        if step == 0 {
            ground(world, 60.0);
            let chain: Vec<Entity> = (0..16)
                .map(|k| world.spawn(block(Vec3::new(0.9 * k as f32, 1.5, 0.02 * k as f32))).id())
                .collect();
            for (k, two) in chain.windows(2).enumerate() {
                let joint = FixedJoint::new(two[0], two[1])
                    .with_local_anchor1(Vec3::X * 0.45)
                    .with_local_anchor2(Vec3::X * -0.45);
                let joint = world.spawn((joint, Link)).id();
                if k % 2 == 0 {
                    world.entity_mut(joint).insert(JointCollisionDisabled);
                }
            }
        }
        // The component is not added to joints of bodies in contact, because avian then panics; see the next test.
        if step == 60 || step == 90 {
            let mut joints = world.query_filtered::<Entity, With<Link>>();
            let joints: Vec<Entity> = joints.iter(world).collect();
            for (k, joint) in joints.into_iter().enumerate() {
                match (k % 4, step) {
                    (0, 60) => drop(world.despawn(joint)),
                    (2, 90) => _ = world.entity_mut(joint).remove::<JointCollisionDisabled>(),
                    _ => {}
                }
            }
        }
    });
    assert!(seen.pairs > 20 && seen.changes > 20, "{seen:?}");
}

/// Goal: no test of both broad phases can add `JointCollisionDisabled` to a joint of bodies in contact, because avian 0.7
/// panics by itself. Method: a world with avian's own broad phase. If a later avian does not panic, this test fails, and the
/// case belongs to the test above.
#[test]
#[should_panic]
fn avian_panics_if_a_joint_disables_the_collision_of_bodies_in_contact() {
    let mut app = worlds::world(THREADS, worlds::avian());
    let world = app.world_mut();
    ground(world, 60.0);
    let at = |k: usize| Vec3::new(0.9 * k as f32, 1.5, 0.02 * k as f32);
    let chain: Vec<Entity> = (0..16).map(|k| world.spawn(block(at(k))).id()).collect();
    let joint = |two: &[Entity]| {
        FixedJoint::new(two[0], two[1])
            .with_local_anchor1(Vec3::X * 0.45)
            .with_local_anchor2(Vec3::X * -0.45)
    };
    let joints = chain.windows(2).map(|two| world.spawn(joint(two)).id());
    let joints: Vec<Entity> = joints.collect();
    for step in 0..150 {
        if step == 60 {
            for &joint in joints.iter().step_by(2) {
                app.world_mut().entity_mut(joint).insert(JointCollisionDisabled);
            }
        }
        app.update();
    }
}

#[test]
fn bodies_that_are_despawned_and_spawned_again() {
    let seen = compare(160, |world, step| {
        if step == 0 {
            heap(world, 40);
        }
        if step % 8 == 7 {
            // Keys of the trees and indices of entities are used again, in the same step too.
            for cube in cubes(world).into_iter().step_by(5) {
                world.despawn(cube);
            }
            let mut random = Random(step as u64);
            for _ in 0..7 {
                world.spawn(block(random.vector(-1.5, 1.5) + Vec3::Y * 4.0));
            }
        }
        if step == 100 {
            // Nothing is inserted where these were until other bodies come near.
            for cube in cubes(world).into_iter().skip(1).step_by(2) {
                world.despawn(cube);
            }
        }
    });
    assert!(seen.pairs > 40 && seen.changes > 300, "{seen:?}");
}

#[test]
fn bodies_that_change_their_kind_or_are_disabled() {
    let seen = compare(200, |world, step| {
        if step == 0 {
            heap(world, 36);
        }
        let bodies = if step % 10 == 9 { worlds::bodies(world) } else { Vec::new() };
        for (k, body) in bodies.into_iter().enumerate() {
            let mut body = world.entity_mut(body);
            match (k * 7 + step / 10) % 12 {
                0 => _ = body.insert(RigidBody::Static),
                1 | 2 => _ = body.insert(RigidBody::Dynamic),
                3 => _ = body.insert((RigidBody::Kinematic, LinearVelocity(Vec3::X))),
                4 => _ = body.insert(RigidBodyDisabled),
                5 => _ = body.remove::<RigidBodyDisabled>(),
                6 => _ = body.insert(ColliderDisabled),
                7 => _ = body.remove::<ColliderDisabled>(),
                8 => _ = body.insert(Collider::sphere(0.9)),
                _ => {}
            }
        }
    });
    assert!(seen.pairs > 30 && seen.changes > 150, "{seen:?}");
}

#[test]
fn kinematic_bodies_that_carry_and_statics_that_are_moved() {
    let seen = compare(150, |world, step| {
        if step == 0 {
            heap(world, 30);
            for k in 0..4 {
                let platform = Collider::cuboid(3.0, 0.4, 3.0);
                let at = Transform::from_xyz(k as f32 - 2.0, 0.4 + 0.3 * k as f32, 0.0);
                let velocity = LinearVelocity(Vec3::new(0.4, 0.1, 0.0));
                world.spawn((RigidBody::Kinematic, platform, at, velocity));
            }
        }
        if step % 25 == 24 {
            let mut bodies = world.query::<(&RigidBody, &mut Position)>();
            for (body, mut position) in bodies.iter_mut(world) {
                if body.is_static() {
                    position.0 += Vec3::Y * 0.2;
                }
            }
        }
    });
    assert!(seen.pairs > 40 && seen.changes > 80, "{seen:?}");
}

#[test]
fn several_colliders_of_a_body_and_colliders_without_a_body() {
    let seen = compare(150, |world, step| {
        if step == 0 {
            ground(world, 60.0);
            let part = |x: f32| (Collider::cuboid(0.8, 0.8, 0.8), Transform::from_xyz(x, 0.0, 0.0));
            for k in 0..16 {
                let at = Transform::from_xyz((k % 4) as f32, 1.0 + k as f32, (k % 3) as f32);
                world.spawn((RigidBody::Dynamic, at, children![part(-0.9), part(0.0), part(0.9)]));
            }
            for k in 0..4 {
                world.spawn((Collider::sphere(1.0), Transform::from_xyz(k as f32, 0.5, 1.0)));
            }
        }
        if step == 60 {
            // A collider leaves its body and is alone afterwards.
            let mut parts = world.query::<(Entity, &ColliderOf, &ChildOf)>();
            let mut parts: Vec<Entity> = parts.iter(world).map(|(entity, ..)| entity).collect();
            parts.sort_unstable_by_key(|entity| entity.index());
            for part in parts.into_iter().step_by(4) {
                world.entity_mut(part).remove::<ChildOf>();
            }
        }
    });
    assert!(seen.pairs > 40 && seen.changes > 60, "{seen:?}");
}

#[test]
fn half_space_that_has_no_end() {
    let seen = compare(100, |world, step| {
        if step == 0 {
            world.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), Transform::default()));
            let mut random = Random(4);
            for k in 0..20 {
                world.spawn(block(
                    random.vector(-40.0, 40.0) * Vec3::new(1.0, 0.0, 1.0) + Vec3::Y * k as f32,
                ));
            }
            world.spawn(block(Vec3::new(1e6, 2.0, -1e6)));
        }
    });
    assert!(seen.pairs >= 21, "{seen:?}");
}

/// Rejects some pairs, other ones after a while.
#[derive(SystemParam)]
struct Picky<'w> {
    time: Res<'w, Time<Physics>>,
}

impl CollisionHooks for Picky<'_> {
    fn filter_pairs(&self, one: Entity, other: Entity, _: &mut Commands<'_, '_>) -> bool {
        let turn = (self.time.elapsed_secs() * 4.0) as u32;
        (one.index_u32() + other.index_u32() + turn) % 4 != 1
    }

    fn modify_contacts(&self, contacts: &mut ContactPair, _: &mut Commands<'_, '_>) -> bool {
        contacts.collider1.index_u32() % 5 != 1 || contacts.collider2.index_u32() % 3 != 2
    }
}

#[test]
fn hooks_that_filter_pairs_and_modify_contacts() {
    let seen = compare_with_hooks::<Picky<'static>>(200, |world, step| {
        if step == 0 {
            for (k, cube) in heap(world, 40).into_iter().enumerate() {
                match k % 3 {
                    0 => _ = world.entity_mut(cube).insert(ActiveCollisionHooks::FILTER_PAIRS),
                    1 => _ = world.entity_mut(cube).insert(ActiveCollisionHooks::MODIFY_CONTACTS),
                    _ => {}
                }
            }
        }
        if step == 80 {
            for cube in cubes(world).into_iter().step_by(2) {
                world.entity_mut(cube).insert(ActiveCollisionHooks::all());
            }
        }
    });
    assert!(seen.pairs > 30 && seen.changes > 80, "{seen:?}");
}

/// Goal: the broad phases agree where layers, sensors, joints, hooks, CCD, spawning and despawning are together in a pile of 2,000
/// cubes.
#[test]
fn pile_of_2000_with_everything_for_300_steps() {
    let seen = compare_with_hooks::<Picky<'static>>(300, |world, step| {
        if step == 0 {
            let pile = pile(world, 2000);
            for (k, &cube) in pile.iter().enumerate() {
                let mut cube = world.entity_mut(cube);
                match k % 40 {
                    0 => _ = cube.insert(Sensor),
                    1 => _ = cube.insert(SweptCcd::default()),
                    2 => _ = cube.insert(ActiveCollisionHooks::FILTER_PAIRS),
                    3 => _ = cube.insert(CollisionLayers::new(LayerMask(1 << 30), LayerMask::ALL)),
                    4 => _ = cube.insert(RigidBody::Kinematic),
                    _ => {}
                }
            }
            for two in pile.chunks(2).step_by(10) {
                world.spawn((
                    DistanceJoint::new(two[0], two[1]).with_limits(0.5, 1.5),
                    JointCollisionDisabled,
                ));
            }
        }
        if step % 20 == 10 {
            let mut random = Random(step as u64);
            for (k, cube) in cubes(world).into_iter().enumerate() {
                let mut cube = world.entity_mut(cube);
                match (k + step) % 100 {
                    0 => cube.despawn(),
                    1 => {
                        _ = cube.insert(CollisionLayers::new(
                            LayerMask(1 << 30),
                            LayerMask(1 << (step % 32)),
                        ));
                    }
                    2 => _ = cube.insert(CollisionLayers::ALL),
                    3 => _ = cube.remove::<JointCollisionDisabled>(),
                    _ => {}
                }
            }
            for _ in 0..15 {
                let at = random.vector(-5.0, 5.0) + Vec3::Y * 16.0;
                world.spawn((block(at), LinearVelocity(Vec3::Y * -20.0), SweptCcd::default()));
            }
        }
    });
    assert!(seen.pairs > 6000 && seen.changes > 20_000, "{seen:?}");
}

/// Goal: a collider that is spawned, or changes its tree, after the broad phase of a step is found later. Method: an observer of `CollisionStart`
/// acts once, and avian clears its list of moved colliders after it; then cubes fall on the result. With few colliders all pairs are
/// found anew, with more of them the forest is searched.
#[test]
fn colliders_that_observers_of_collisions_spawn_or_change() {
    fn arrow(world: &mut World) -> EntityWorldMut<'_> {
        let mut all = world.query::<(Entity, &Name)>();
        let found = all.iter(world).find(|of| of.1.as_str() == "arrow");
        let arrow = found.expect("it exists").0;
        world.entity_mut(arrow)
    }
    fn spawn(world: &mut World, body: RigidBody) {
        let plate = Collider::cuboid(4.0, 1.0, 4.0);
        world.spawn((body, plate, Transform::from_xyz(10.0, 2.0, 0.0), GravityScale(0.0)));
    }
    let acts: [fn(&mut World); 6] = [
        |world| _ = arrow(world).insert(RigidBody::Static),
        |world| _ = arrow(world).insert(RigidBody::Kinematic),
        |world| _ = arrow(world).remove::<RigidBody>(),
        |world| _ = arrow(world).insert((RigidBody::Static, Collider::sphere(0.7))),
        |world| spawn(world, RigidBody::Static),
        |world| {
            arrow(world).despawn();
            spawn(world, RigidBody::Dynamic);
        },
    ];
    for (act, resting) in acts.into_iter().flat_map(|act| [(act, 0), (act, 20)]) {
        let seen = compare(120, |world, step| {
            if step == 0 {
                ground(world, 60.0);
                world.spawn((block(Vec3::Y), CollisionEventsEnabled, Name::new("arrow")));
                for k in 0..resting {
                    let at = Transform::from_xyz(3.0 * k as f32 - 30.0, 1.0, 20.0);
                    world.spawn((RigidBody::Static, Collider::cuboid(1.0, 1.0, 1.0), at));
                }
                let mut done = false;
                world.add_observer(move |_: On<CollisionStart>, mut commands: Commands| {
                    if !core::mem::replace(&mut done, true) {
                        commands.queue(move |world: &mut World| act(world));
                    }
                });
            }
            if step == 60 {
                world.spawn(block(Vec3::new(0.1, 4.0, 0.0)));
                world.spawn(block(Vec3::new(10.1, 6.0, 0.0)));
            }
        });
        assert!(seen.changes >= 2, "{seen:?}");
    }
}
