//! A scene as rows, and columns for results, shared by the benchmarks.

#![allow(dead_code, reason = "included by many, each uses a part")]

use swath::batch::sweep::{SweepColumns, Times};
use swath::batch::{Body, BodyStore, Contact};
use swath::{Aabb, MovingBox, MovingBoxStore};

use scenes::World;

/// Result columns that are kept between calls.
pub(crate) struct Columns {
    pub(crate) first: Vec<f32>,
    pub(crate) last: Vec<f32>,
    pub(crate) contact: Vec<Contact>,
}

impl Columns {
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            first: vec![0.0; rows],
            last: vec![0.0; rows],
            contact: vec![Contact::SEPARATED; rows],
        }
    }

    pub(crate) fn answers(&mut self) -> SweepColumns<'_> {
        SweepColumns { first: &mut self.first, last: &mut self.last, contact: &mut self.contact }
    }

    pub(crate) fn times(&mut self) -> Times<'_> {
        Times { first: &mut self.first, last: &mut self.last }
    }
}

/// Row `row` of a scene.
pub(crate) fn moving(world: &World, row: usize) -> MovingBox {
    let of = |columns: &[Vec<f32>; 3]| core::array::from_fn(|axis| columns[axis][row]);
    let aabb = Aabb { min: of(&world.min), max: of(&world.max) };
    MovingBox { aabb, delta: of(&world.delta) }
}

/// The boxes of a scene.
pub(crate) fn store(world: &World) -> MovingBoxStore {
    let mut store = MovingBoxStore::with_capacity(world.len());
    for row in 0..world.len() {
        store.push(moving(world, row)).expect("scenes contain valid boxes");
    }
    store
}

/// The boxes of a scene as bodies, one of four fixed.
pub(crate) fn bodies(world: &World) -> BodyStore {
    let mut store = BodyStore::with_capacity(world.len());
    for row in 0..world.len() {
        let inverse_mass = (row % 4) as f32;
        let body = Body { moving: moving(world, row), inverse_mass };
        store.push(body).expect("scenes contain valid boxes");
    }
    store
}
