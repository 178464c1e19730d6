//! Boxes as columns, and columns for results.

use swath::batch::Contact;
use swath::batch::sweep::{Sweep, SweepColumns};
use swath::{MovingBox, MovingBoxColumns};

/// Nine columns: minima, maxima, displacements.
pub struct Columns([Vec<f32>; 9]);

impl Columns {
    pub fn new(rows: &[MovingBox]) -> Self {
        let numbers = |row: &MovingBox| {
            let mut numbers = row.aabb.min.into_iter().chain(row.aabb.max).chain(row.delta);
            std::array::from_fn::<f32, 9, _>(|_| numbers.next().unwrap_or_default())
        };
        Self(std::array::from_fn(|k| rows.iter().map(|row| numbers(row)[k]).collect()))
    }

    pub fn boxes(&self) -> MovingBoxColumns<'_> {
        let [x0, y0, z0, x1, y1, z1, dx, dy, dz] = &self.0;
        MovingBoxColumns::new([x0, y0, z0], [x1, y1, z1], [dx, dy, dz])
            .expect("the columns are equally long")
    }
}

/// The contents of an output before it is written: no result has these bits.
pub const UNWRITTEN: Sweep = Sweep { first: -7.0, last: -9.0, contact: Contact::SEPARATED };

/// Columns for results.
pub struct Outputs {
    first: Vec<f32>,
    last: Vec<f32>,
    contact: Vec<Contact>,
}

impl Outputs {
    /// Columns of these lengths.
    pub fn with_lengths([first, last, contact]: [usize; 3]) -> Self {
        Self {
            first: vec![UNWRITTEN.first; first],
            last: vec![UNWRITTEN.last; last],
            contact: vec![UNWRITTEN.contact; contact],
        }
    }

    pub fn new(rows: usize) -> Self {
        Self::with_lengths([rows; 3])
    }

    pub fn answers(&mut self) -> SweepColumns<'_> {
        SweepColumns { first: &mut self.first, last: &mut self.last, contact: &mut self.contact }
    }

    /// The bits of every row.
    pub fn bits(&mut self) -> Vec<[u32; 3]> {
        let rows = self.first.len();
        let answers = self.answers();
        (0..rows).map(|row| bits(answers.get(row))).collect()
    }

    pub fn is_unwritten(&self) -> bool {
        self.first.iter().all(|&x| x == UNWRITTEN.first)
            && self.last.iter().all(|&x| x == UNWRITTEN.last)
            && self.contact.iter().all(|&x| x == UNWRITTEN.contact)
    }
}

/// The bits of a result.
pub fn bits(sweep: Sweep) -> [u32; 3] {
    [sweep.first.to_bits(), sweep.last.to_bits(), sweep.contact.bits()]
}
