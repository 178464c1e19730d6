//! The boxes and segments of the comparison.
//!
//! Boxes are distributed evenly in a cube of side 1. Their sides are between half and one and a half of a
//! length for which a segment crosses about a tenth of the cube before it enters a box: a box of side s is
//! hit by one of 1 / (1.5 s²) segments through a unit of area, on average over directions. Segments start
//! anywhere in the cube, in any direction, and are as long as its diagonal.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use swath::batch::{SegmentStore, cast};
use swath::{Aabb, AabbColumns, Level, MovingBox, MovingBoxStore, Segment};

use crate::systems::Answer;

pub(crate) struct Scene {
    pub(crate) boxes: Vec<Aabb>,
    pub(crate) columns: [Vec<f32>; 6],
    pub(crate) segments: Vec<Segment>,
    pub(crate) store: SegmentStore,
}

impl Scene {
    pub(crate) fn new(boxes: usize, segments: usize) -> Self {
        let mut rng = StdRng::seed_from_u64(1);
        let side = (10.0 / (1.5 * boxes as f32)).sqrt();
        let boxes: Vec<Aabb> = (0..boxes)
            .map(|_| {
                let middle: [f32; 3] = std::array::from_fn(|_| rng.random_range(0.0..1.0));
                let half = middle.map(|_| 0.5 * side * rng.random_range(0.5..1.5_f32));
                Aabb {
                    min: std::array::from_fn(|k| middle[k] - half[k]),
                    max: std::array::from_fn(|k| middle[k] + half[k]),
                }
            })
            .collect();
        let corner = |aabb: &Aabb, k: usize| if k < 3 { aabb.min[k] } else { aabb.max[k - 3] };
        let columns = std::array::from_fn(|k| boxes.iter().map(|aabb| corner(aabb, k)).collect());
        let mut store = SegmentStore::new();
        let segments: Vec<Segment> = (0..segments).map(|_| segment(&mut rng)).collect();
        for segment in &segments {
            store.push(*segment).expect("it is a segment");
        }
        Self { boxes, columns, segments, store }
    }

    pub(crate) fn fixed(&self) -> AabbColumns<'_> {
        AabbColumns::from_columns(self.columns.each_ref().map(Vec::as_slice))
            .expect("the columns are equally long")
    }

    /// The first segments, which are tested against one box after the other.
    pub(crate) fn one_by_one(&self, count: usize) -> Vec<Answer> {
        let mut store = MovingBoxStore::new();
        for aabb in &self.boxes {
            store.push(MovingBox::from(*aabb)).expect("it is a box");
        }
        let closest = |segment| {
            let hit = cast::closest(Level::detect(), segment, &store.checked());
            hit.expect("it is a segment").map(|hit| (hit.row, hit.value))
        };
        self.segments.iter().take(count).map(closest).collect()
    }
}

fn segment(rng: &mut StdRng) -> Segment {
    let start: [f32; 3] = std::array::from_fn(|_| rng.random_range(0.0..1.0));
    loop {
        let way: [f32; 3] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let square = way.iter().map(|x| x * x).sum::<f32>();
        if (0.01..=1.0).contains(&square) {
            let scale = (3.0 / square).sqrt();
            return Segment::new(start, way.map(|x| x * scale)).expect("it is a segment");
        }
    }
}
