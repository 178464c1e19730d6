//! Bodies of the scenes.

use avian3d::prelude::*;
use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;

/// A generator of random numbers: splitmix64 (Steele, Lea and Flood 2014).
pub struct Random(pub u64);

impl Random {
    /// The next random number from `from` to `to`.
    pub fn between(&mut self, from: f32, to: f32) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        from + (to - from) * ((bits >> 40) as f32 / (1 << 24) as f32)
    }

    /// A vector of three random numbers from `from` to `to`.
    pub fn vector(&mut self, from: f32, to: f32) -> Vec3 {
        Vec3::new(self.between(from, to), self.between(from, to), self.between(from, to))
    }
}

/// A dynamic cube with sides of length 1.
pub fn block(at: Vec3) -> impl Bundle {
    (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), Transform::from_translation(at))
}

/// A static floor of length and width `side`, whose surface is at height 0.
pub fn ground(world: &mut World, side: f32) -> Entity {
    let place = Transform::from_xyz(0.0, -0.5, 0.0);
    world.spawn((RigidBody::Static, Collider::cuboid(side, 1.0, side), place)).id()
}

/// Loose columns of cubes above a floor: `bodies` cubes, of which about a twentieth are in a layer.
pub fn pile(world: &mut World, bodies: usize) -> Vec<Entity> {
    ground(world, 400.0);
    let mut random = Random(7);
    let side = (bodies as f32 / 20.0).sqrt().ceil() as usize;
    (0..bodies)
        .map(|k| {
            let [x, y, z] = [k % side, k / (side * side), k / side % side].map(|x| x as f32);
            let jitter = random.vector(-0.04, 0.04);
            let middle = side as f32 / 2.0;
            let at = Vec3::new(1.1 * (x - middle), 0.6 + 1.1 * y, 1.1 * (z - middle)) + jitter;
            world.spawn(block(at)).id()
        })
        .collect()
}

/// Cubes without gravity that are far apart and move in all directions.
pub fn spread(world: &mut World, bodies: usize) -> Vec<Entity> {
    world.insert_resource(Gravity::ZERO);
    let (mut random, half) = (Random(9), 2.0 * (bodies as f32).cbrt());
    (0..bodies)
        .map(|_| {
            let (at, velocity) = (random.vector(-half, half), random.vector(-6.0, 6.0));
            world.spawn((block(at), LinearVelocity(velocity))).id()
        })
        .collect()
}

/// All bodies, except the floor of the scene, in the order of their entities.
pub fn bodies(world: &mut World) -> Vec<Entity> {
    let mut bodies = world.query_filtered::<Entity, (With<RigidBody>, Allow<Disabled>)>();
    let mut bodies: Vec<Entity> = bodies.iter(world).collect();
    bodies.sort_unstable_by_key(|entity| entity.index());
    bodies.remove(0);
    bodies
}
