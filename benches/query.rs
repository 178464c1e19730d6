//! Time of segment and sweep queries of stored boxes.
//!
//! `query_FORM/BOXES/LEVEL`, nanoseconds per query on one thread: the first box on a segment, one by one and
//! in batches; any box, and all; the first box that a moving box touches. Boxes are distributed evenly in a
//! cube, and a segment crosses about a tenth of it before it enters one. Before the clock starts results are
//! compared with those of one box after the other, bit by bit.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::hint::black_box;
use swath::batch::{Hit, Row, SegmentStore, cast};
use swath::broadphase::Query;
use swath::{Aabb, AabbColumns, Bvh, Level, MovingBox, MovingBoxStore, Queries, Segment, Threads};

/// Number of queries in a batch.
const QUESTIONS: usize = 4096;
/// Number of them that are compared with one box after the other.
const CHECKED: usize = 50;

struct World {
    boxes: Vec<Aabb>,
    segments: Vec<Segment>,
    store: SegmentStore,
}

impl World {
    fn new(count: usize) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let side = (10.0 / (1.5 * count as f32)).sqrt();
        let aabb = |rng: &mut Xoshiro256PlusPlus| {
            let min: [f32; 3] = core::array::from_fn(|_| rng.random_range(0.0..1.0));
            Aabb { min, max: min.map(|low| low + side * rng.random_range(0.5..1.5_f32)) }
        };
        let boxes = (0..count).map(|_| aabb(&mut rng)).collect();
        let (mut segments, mut store) = (Vec::new(), SegmentStore::new());
        for _ in 0..QUESTIONS {
            let start: [f32; 3] = core::array::from_fn(|_| rng.random_range(0.0..1.0));
            let delta: [f32; 3] = core::array::from_fn(|_| rng.random_range(-1.0..1.0));
            segments.push(Segment::new(start, delta).expect("it is a segment"));
            store.push(segments[segments.len() - 1]).expect("it is a segment");
        }
        Self { boxes, segments, store }
    }

    fn tree(&self, level: Level) -> Bvh {
        let columns: [Vec<f32>; 6] =
            core::array::from_fn(|k| self.boxes.iter().map(|aabb| aabb.to_row()[k]).collect());
        let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice));
        let mut tree = Bvh::with_exec(level);
        tree.exec.threads = Threads::one();
        tree.build(columns.expect("equally long")).expect("there are not too many");
        tree
    }

    /// Panics unless the results are those of brute force.
    fn check(&self, queries: &Queries<'_>) {
        let mut store = MovingBoxStore::new();
        for aabb in &self.boxes {
            store.push(MovingBox::from(*aabb)).expect("it is a box");
        }
        for segment in &self.segments[..CHECKED] {
            let expected = cast::closest(Level::detect(), segment, &store.checked());
            let found = queries.cast(segment).map(Query::closest);
            assert_eq!(found.expect("a segment"), expected.expect("a segment"), "{segment:?}");
        }
        let mut hits = vec![Hit::MISS; QUESTIONS];
        queries.casts(&self.store.checked()).closest(&mut hits).expect("there is room");
        for (segment, hit) in self.segments.iter().zip(hits) {
            let alone = queries.cast(segment).expect("it is a segment").closest();
            assert_eq!(alone.unwrap_or(Hit::MISS), hit, "{segment:?}");
        }
    }
}

fn query(criterion: &mut Criterion) {
    for count in [100_000, 1_000_000] {
        let world = World::new(count);
        for level in Level::all() {
            if level.lanes() < 4 || count > 100_000 && level != Level::detect() {
                continue;
            }
            let tree = world.tree(level);
            let queries = tree.queries();
            world.check(&queries);
            let mut time = |form: &str, mut ask: Box<dyn FnMut() + '_>| {
                let mut group = criterion.benchmark_group(format!("query_{form}"));
                group.throughput(Throughput::Elements(QUESTIONS as u64));
                group.bench_function(BenchmarkId::new(count.to_string(), level), |bencher| {
                    bencher.iter(&mut ask);
                });
            };
            let casts =
                || world.segments.iter().map(|of| queries.cast(of).expect("it is a segment"));
            let mut hits = vec![Hit::MISS; QUESTIONS];
            time("closest", Box::new(|| assert!(casts().filter_map(Query::closest).count() > 0)));
            time(
                "any",
                Box::new(|| assert!(casts().filter_map(Query::<Segment, _>::any).count() > 0)),
            );
            let mut list = Vec::new();
            time("all", Box::new(|| casts().for_each(|query| query.all(black_box(&mut list)))));
            time(
                "closest-batch",
                Box::new(|| {
                    let batch = queries.casts(&world.store.checked());
                    batch.closest(black_box(&mut hits)).expect("there is room");
                }),
            );
            let half = [0.001; 3];
            let moving = |segment: &Segment| {
                let aabb = Aabb::from_center(segment.start, half).expect("it is a box");
                MovingBox::new(aabb, segment.delta).expect("it is a box")
            };
            let moving: Vec<_> = world.segments.iter().map(moving).collect();
            let sweeps = || moving.iter().map(|of| queries.sweep(of).expect("it is a box"));
            time(
                "closest-swept",
                Box::new(|| assert!(sweeps().filter_map(Query::closest).count() > 0)),
            );
        }
    }
}

criterion_group!(benches, query);
criterion_main!(benches);
