//! Bodies as columns.

use swath::MovingBoxColumns;
use swath::batch::{Body, BodyColumns};

/// Ten columns: minima, maxima, displacements, inverse masses.
pub struct BodyArrays([Vec<f32>; 10]);

impl BodyArrays {
    pub fn new(rows: &[Body]) -> Self {
        let numbers = |row: &Body| {
            let moving = row.moving;
            let numbers = moving.aabb.min.into_iter().chain(moving.aabb.max).chain(moving.delta);
            let mut numbers = numbers.chain([row.inverse_mass]);
            std::array::from_fn::<f32, 10, _>(|_| numbers.next().unwrap_or_default())
        };
        Self(std::array::from_fn(|k| rows.iter().map(|row| numbers(row)[k]).collect()))
    }

    pub fn bodies(&self) -> BodyColumns<'_> {
        let [x0, y0, z0, x1, y1, z1, dx, dy, dz, inverse_mass] = &self.0;
        MovingBoxColumns::new([x0, y0, z0], [x1, y1, z1], [dx, dy, dz])
            .and_then(|boxes| BodyColumns::new(boxes, inverse_mass))
            .expect("the columns are equally long")
    }
}
