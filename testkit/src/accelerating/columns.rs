//! Boxes under acceleration as columns.

use swath::batch::{AcceleratingBox, AcceleratingBoxColumns};

/// Twelve columns: minima, maxima, displacements, accelerations.
pub struct Columns([Vec<f32>; 12]);

impl Columns {
    pub fn new(rows: &[AcceleratingBox]) -> Self {
        let numbers: Vec<[f32; 12]> = rows.iter().map(|row| bytemuck::cast(*row)).collect();
        Self(std::array::from_fn(|k| numbers.iter().map(|row| row[k]).collect()))
    }

    pub fn boxes(&self) -> AcceleratingBoxColumns<'_> {
        let columns = self.0.each_ref().map(|column| &column[..]);
        AcceleratingBoxColumns::from_columns(columns).expect("the columns are equally long")
    }
}
