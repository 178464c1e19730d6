//! Layouts in which engines store their boxes, other than columns.

use crate::columns::Columns;
use core::mem::offset_of;
use swath::broadphase::{AabbRows, MovingBoxInput, MovingBoxRows, VectorRows};
use swath::{Aabb, MovingBox};

/// A body of an engine. Its box is somewhere inside, in another order, and not aligned.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, packed)]
pub struct Body {
    id: u16,
    delta: [f32; 3],
    max: [f32; 3],
    health: u8,
    min: [f32; 3],
}

/// The same boxes in several layouts.
pub struct Layouts {
    pub bodies: Vec<Body>,
    pub moving: Vec<MovingBox>,
    pub still: Vec<Aabb>,
    /// Minima, maxima and displacements.
    pub vectors: [Vec<[f32; 3]>; 3],
    columns: Columns,
}

impl Layouts {
    pub fn new(boxes: impl IntoIterator<Item = MovingBox>) -> Self {
        let moving: Vec<MovingBox> = boxes.into_iter().collect();
        let body = |&MovingBox { aabb: Aabb { min, max }, delta }: &MovingBox| Body {
            id: 0xffff,
            delta,
            max,
            health: 0x7f,
            min,
        };
        Self {
            bodies: moving.iter().map(body).collect(),
            still: moving.iter().map(|moving| moving.aabb).collect(),
            vectors: [
                moving.iter().map(|moving| moving.aabb.min).collect(),
                moving.iter().map(|moving| moving.aabb.max).collect(),
                moving.iter().map(|moving| moving.delta).collect(),
            ],
            columns: Columns::new(&moving),
            moving,
        }
    }

    /// The boxes in the bodies.
    pub fn of_bodies(&self) -> MovingBoxRows<'_> {
        self.corners_of_bodies().moving(self.vector(offset_of!(Body, delta))).unwrap()
    }

    /// The boxes in the bodies, without their displacements.
    pub fn corners_of_bodies(&self) -> AabbRows<'_> {
        let [min, max] = [offset_of!(Body, min), offset_of!(Body, max)];
        AabbRows::new(self.vector(min), self.vector(max)).unwrap()
    }

    /// Every vector from an array of its own.
    pub fn of_vectors(&self) -> MovingBoxRows<'_> {
        let [min, max, delta] = &self.vectors;
        AabbRows::new(min, max).unwrap().moving(delta).unwrap()
    }

    /// The boxes in the layout with the number `which`.
    pub fn any(&self, which: u8) -> MovingBoxInput<'_> {
        match which % 4 {
            0 => self.columns.boxes().into(),
            1 => self.moving.as_slice().into(),
            2 => self.of_bodies().into(),
            _ => self.of_vectors().into(),
        }
    }

    fn vector(&self, offset: usize) -> VectorRows<'_> {
        VectorRows::new(&self.bodies, offset).unwrap()
    }
}
