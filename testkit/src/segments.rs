//! Segments as columns, and columns for the results of casts.

use swath::Segment;
use swath::batch::cast::{Cast, CastColumns, Fractions};
use swath::batch::{Faces, Hit, SegmentColumns};

/// Seven columns: starts, displacements, greatest fractions.
pub struct SegmentArrays([Vec<f32>; 7]);

impl SegmentArrays {
    pub fn new(rows: &[Segment]) -> Self {
        let numbers = |row: &Segment| {
            let ([x, y, z], [dx, dy, dz]) = (row.start, row.delta);
            [x, y, z, dx, dy, dz, row.max_fraction]
        };
        Self(std::array::from_fn(|k| rows.iter().map(|row| numbers(row)[k]).collect()))
    }

    pub fn segments(&self) -> SegmentColumns<'_> {
        let [x, y, z, dx, dy, dz, max_fraction] = &self.0;
        SegmentColumns::new([x, y, z], [dx, dy, dz], max_fraction)
            .expect("the columns are equally long")
    }
}

/// The contents of an output before it is written: no result has these bits.
const UNWRITTEN: Cast = Cast { entry: -7.0, exit: -9.0, faces: Faces::MISS };
pub const NO_HIT: Hit = Hit { row: u32::MAX, value: -7.0 };

/// Columns for results.
pub struct Casts {
    entry: Vec<f32>,
    exit: Vec<f32>,
    faces: Vec<Faces>,
}

impl Casts {
    pub fn with_lengths([entry, exit, faces]: [usize; 3]) -> Self {
        Self {
            entry: vec![UNWRITTEN.entry; entry],
            exit: vec![UNWRITTEN.exit; exit],
            faces: vec![UNWRITTEN.faces; faces],
        }
    }

    pub fn new(rows: usize) -> Self {
        Self::with_lengths([rows; 3])
    }

    pub fn answers(&mut self) -> CastColumns<'_> {
        CastColumns { entry: &mut self.entry, exit: &mut self.exit, faces: &mut self.faces }
    }

    pub fn fractions(&mut self) -> Fractions<'_> {
        Fractions { entry: &mut self.entry, exit: &mut self.exit }
    }

    /// The bits of every row.
    pub fn bits(&mut self) -> Vec<[u32; 3]> {
        let rows = self.entry.len();
        let answers = self.answers();
        (0..rows).map(|row| cast_bits(&answers.get(row))).collect()
    }

    pub fn is_unwritten(&self) -> bool {
        self.entry.iter().all(|&x| x == UNWRITTEN.entry)
            && self.exit.iter().all(|&x| x == UNWRITTEN.exit)
            && self.faces.iter().all(|&x| x == UNWRITTEN.faces)
    }
}

/// The bits of a result.
pub fn cast_bits(cast: &Cast) -> [u32; 3] {
    [cast.entry.to_bits(), cast.exit.to_bits(), cast.faces.bits()]
}
