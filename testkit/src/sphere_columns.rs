//! Spheres as columns.

use swath::batch::{MovingSphere, Row, SphereColumns};

/// Seven columns: centres, radii, displacements. Invalid spheres are stored unchanged.
pub struct SphereArrays([Vec<f32>; 7]);

impl SphereArrays {
    pub fn new(rows: &[MovingSphere]) -> Self {
        Self(std::array::from_fn(|k| rows.iter().map(|row| row.to_row()[k]).collect()))
    }

    pub fn spheres(&self) -> SphereColumns<'_> {
        let [x, y, z, radius, dx, dy, dz] = &self.0;
        SphereColumns::new([x, y, z], radius, [dx, dy, dz]).expect("the columns are equally long")
    }
}
