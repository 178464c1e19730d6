//! Time per box and pair of a scene, relative to the scene `uniform`.

use cpu_time::ThreadTime;
use swath::batch::Row;
use swath::broadphase::{PairInput, Query};
use swath::{
    Aabb, AabbColumns, Bvh, FixedBoxes, MovingBox, MovingBoxColumns, PairFinder, Segment, Threads,
};

use crate::args::Target;
use scenes::recipe::Recipe;
use scenes::{Scene, World};

/// Factor by which a scene grows from one measurement to the next, up to the requested size.
const GROWTH: usize = 4;
/// The fewest boxes that are measured.
const BOXES_MIN: usize = 1000;
/// A scene with more pairs per box than this is skipped: its time is that of writing pairs.
const PAIRS_PER_BOX_MAX: usize = 100;
/// One box in this many moves, and one query per this many boxes.
const MOVER_ONE_OF: usize = 4;
const QUERY_ONE_OF: usize = 8;

/// The measurement of one scene.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// Time per unit, relative to `uniform`.
    pub(crate) ratio: f64,
    /// Nanoseconds per unit.
    pub(crate) nanoseconds: f64,
    /// The same of `uniform`.
    pub(crate) uniform: f64,
    /// Boxes and pairs; or boxes, queries and hits.
    pub(crate) units: usize,
    /// Number of boxes of the scene.
    pub(crate) boxes: usize,
}

/// The objects that are measured.
pub(crate) struct Bench {
    target: Target,
    seconds: f64,
    finder: PairFinder,
    tree: Bvh,
    /// Scenes of `uniform` of several sizes, and their units.
    uniform: Vec<(World, usize)>,
}

impl Bench {
    pub(crate) fn new(target: Target, seconds: f64) -> Self {
        let (mut finder, mut tree) = (PairFinder::new(), Bvh::new());
        finder.exec.threads = Threads::one();
        tree.exec.threads = Threads::one();
        Self { target, seconds, finder, tree, uniform: Vec::new() }
    }

    /// Measures the scene with this many boxes, or with as many as the time allows.
    ///
    /// A ratio of at least `remarkable` is measured three times, and the median counts.
    pub(crate) fn measure(&mut self, recipe: &Recipe, boxes: usize, remarkable: f64) -> Measured {
        let mut size = boxes;
        while size / GROWTH >= BOXES_MIN {
            size /= GROWTH;
        }
        let (world, units) = loop {
            let world = recipe.build(size);
            let start = ThreadTime::now();
            let units = self.units(&world);
            let seconds = start.elapsed().as_secs_f64();
            let next = (size * GROWTH).min(boxes);
            // The time may grow with the square of the boxes.
            let growth = (next as f64 / size as f64).powi(2);
            let crowded = units > size * (PAIRS_PER_BOX_MAX + 1);
            if size == boxes || crowded || seconds * growth > self.seconds {
                break (world, units);
            }
            size = next;
        };
        let first = self.once(&world, units);
        if units > size * (PAIRS_PER_BOX_MAX + 1) {
            return Measured { ratio: 0.0, ..first };
        }
        if first.ratio < remarkable {
            return first;
        }
        let mut all = [first, self.once(&world, units), self.once(&world, units)];
        all.sort_by(|p, q| p.ratio.total_cmp(&q.ratio));
        let [_, median, _] = all;
        median
    }

    /// Repeats the measurement of a scene, after memory has been allocated.
    fn once(&mut self, world: &World, units: usize) -> Measured {
        let boxes = world.len();
        let at = self.uniform.iter().position(|(of, _)| of.len() == boxes);
        let (uniform, uniform_units) = match at {
            Some(at) => self.uniform.swap_remove(at),
            None => {
                let uniform = World::new(Scene::Uniform, boxes, 1);
                let units = self.units(&uniform);
                (uniform, units)
            }
        };
        let (mut least, mut uniform_least) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..2 {
            uniform_least = uniform_least.min(self.time(&uniform));
            least = least.min(self.time(world));
        }
        self.uniform.push((uniform, uniform_units));
        let (nanoseconds, uniform) = (least / units as f64, uniform_least / uniform_units as f64);
        Measured { ratio: nanoseconds / uniform, nanoseconds, uniform, units, boxes }
    }

    /// Boxes and pairs; or boxes, queries and hits.
    fn units(&mut self, world: &World) -> usize {
        match self.target {
            // A swept pair is one of these, and each of these must be tested.
            Target::Union | Target::Swept => {
                let warm = self.run(world);
                let pairs = self.finder.union_pairs(set(&columns(world), world));
                world.len() + warm.max(pairs.expect("a flag for each box").len())
            }
            Target::Fixed => world.len() + self.run(world),
            Target::Bvh => world.len() + 3 * world.len().div_ceil(QUERY_ONE_OF) + self.run(world),
        }
    }

    fn time(&mut self, world: &World) -> f64 {
        let start = ThreadTime::now();
        std::hint::black_box(self.run(world));
        start.elapsed().as_secs_f64() * 1e9
    }

    /// Pairs or hits.
    fn run(&mut self, world: &World) -> usize {
        let columns = columns(world);
        let boxes = boxes(&columns);
        match self.target {
            Target::Union => {
                self.finder.union_pairs(set(&columns, world)).expect("a flag for each box").len()
            }
            Target::Swept => {
                self.finder.swept_pairs(set(&columns, world)).expect("a flag for each box").len()
            }
            Target::Fixed => {
                let (mut movers, mut fixed) =
                    (<[Vec<f32>; 9]>::default(), <[Vec<f32>; 6]>::default());
                for row in 0..boxes.len() {
                    let moving = boxes.get(row);
                    if row % MOVER_ONE_OF == 0 {
                        let row = moving.to_row();
                        movers.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
                    } else {
                        let row = moving.aabb.to_row();
                        fixed.iter_mut().zip(row).for_each(|(column, x)| column.push(x));
                    }
                }
                let fixed = AabbColumns::from_columns(fixed.each_ref().map(Vec::as_slice));
                let movers = MovingBoxColumns::from_columns(movers.each_ref().map(Vec::as_slice));
                let mut all = FixedBoxes::new();
                all.exec.threads = Threads::one();
                all.extend(fixed.expect("equally long")).expect("the rows fit");
                all.union_pairs(movers.expect("equally long")).expect("no limit").len()
            }
            Target::Bvh => {
                let [a, b, c, d, e, f, ..] = columns;
                let fixed = AabbColumns::from_columns([a, b, c, d, e, f]).expect("equally long");
                self.tree.build(fixed).expect("not too many");
                queries(&self.tree, boxes)
            }
        }
    }
}

/// Hits of an overlap query, a nearest box and a cast for every eighth box.
fn queries(tree: &Bvh, boxes: MovingBoxColumns<'_>) -> usize {
    let queries = tree.queries();
    let (mut rows, mut hits) = (Vec::new(), 0);
    for row in (0..boxes.len()).step_by(QUERY_ONE_OF) {
        let MovingBox { aabb, delta } = boxes.get(row);
        let centre = aabb.center();
        let point = Aabb::point(centre).expect("a point");
        rows.clear();
        queries.overlap(&aabb).expect("a box").all(&mut rows);
        hits += rows.len();
        hits += usize::from(
            queries.proximity(&point, f32::INFINITY).expect("a point").nearest().is_some(),
        );
        let end = boxes.get((row + boxes.len() / 2) % boxes.len()).aabb.min;
        let toward: [f32; 3] = core::array::from_fn(|axis| {
            if delta == [0.0; 3] { 0.1 * (end[axis] - centre[axis]) } else { delta[axis] }
        });
        let cast = queries.cast(&Segment::new(centre, toward).expect("a segment"));
        hits += usize::from(cast.map(Query::closest).expect("a segment").is_some());
    }
    hits
}

fn columns(world: &World) -> [&[f32]; 9] {
    let mut columns = world.min.iter().chain(&world.max).chain(&world.delta);
    core::array::from_fn(|_| columns.next().map_or(&[][..], Vec::as_slice))
}

fn boxes<'a>(columns: &[&'a [f32]; 9]) -> MovingBoxColumns<'a> {
    MovingBoxColumns::from_columns(*columns).expect("equally long")
}

fn set<'a>(columns: &[&'a [f32]; 9], world: &'a World) -> PairInput<'a> {
    PairInput::new(boxes(columns)).moving(&world.moves)
}
