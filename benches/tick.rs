//! What does a whole tick cost, beside the pair finder alone on the same boxes?
//!
//! `tick_SCENE/tick/THREADS` with a million bodies of which 5 % are convex shapes, `tick_SCENE/finder/THREADS`
//! for the pairs alone, on one thread and on all. Before the clock starts the impacts are compared over levels,
//! and each with what [`Pipeline::explain`] says of its pair.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod worlds;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use swath::pipeline::Config;
use swath::{
    BoxSet, Boxes, Convex, Flags, Level, Motion, PairFinder, Pipeline, Pose, Scene as Tick,
};
use swath::{Shape, Threads};
use worlds::{Scene, World};

const BODIES: usize = 1_000_000;
/// One body of so many has a shape.
const SHAPED_ONE_OF: usize = 20;

struct Bodies {
    world: World,
    convex: Vec<Convex<'static>>,
    flags: Vec<Flags>,
}

impl Bodies {
    fn new(scene: Scene, count: usize) -> Self {
        let world = World::new(scene, count, 1);
        let mut convex = Vec::new();
        for row in (0..count).step_by(SHAPED_ONE_OF) {
            let vector = |of: &[Vec<f32>; 3]| of.each_ref().map(|column| column[row]);
            let (min, max, delta) = (vector(&world.min), vector(&world.max), vector(&world.delta));
            let position = std::array::from_fn(|axis| 0.5 * (min[axis] + max[axis]));
            let half: [f32; 3] = std::array::from_fn(|axis| 0.5 * (max[axis] - min[axis]));
            let least = half[0].min(half[1]).min(half[2]);
            let shape = match row / SHAPED_ONE_OF % 3 {
                0 => Shape::sphere(least),
                1 => Shape::cuboid(half.map(|half| 0.6 * half)),
                _ => Shape::capsule(0.5 * least, 0.5 * least),
            };
            let turns = world.moves[row] && (row / SHAPED_ONE_OF).is_multiple_of(2);
            let spin = if turns { [0.5, 0.2, 0.0] } else { [0.0; 3] };
            let pose = Pose { position, ..Pose::IDENTITY };
            let motion = Motion { pose, delta, spin, ..Motion::default() };
            convex.push(Convex {
                row: row as u32,
                shape: shape.expect("sides are lengths"),
                motion,
            });
        }
        let flag = |&moves: &bool| if moves { Flags::MOVES } else { Flags::STILL };
        let flags = world.moves.iter().map(flag).collect();
        Self { world, convex, flags }
    }

    fn boxes(&self) -> Boxes<'_> {
        let World { min, max, delta, .. } = &self.world;
        let [min, max, delta] = [min, max, delta].map(|of| of.each_ref().map(Vec::as_slice));
        Boxes::new(min, max, delta).expect("equally long")
    }

    fn tick(&self) -> Tick<'_, '_> {
        Tick::new(self.boxes()).convex(&self.convex).flagged(&self.flags)
    }
}

/// Panics unless all levels agree, and the stages with what is said of single pairs.
fn check(scene: Scene) {
    let bodies = Bodies::new(scene, 3000);
    let mut hash = None;
    for level in Level::all() {
        let mut pipeline = Pipeline::with_level(Config::default(), level);
        let ticked = pipeline.tick(&bodies.tick()).expect("a tick");
        assert_eq!(*hash.get_or_insert(ticked.hash()), ticked.hash(), "{scene}, {level}");
        let impacts = ticked.impacts().to_vec();
        for impact in impacts.iter().step_by(97) {
            let why = pipeline.explain(&bodies.tick(), impact.pair).expect("a pair");
            assert_eq!(why.impact(), Some(impact));
        }
    }
}

fn ticks(criterion: &mut Criterion) {
    for scene in [Scene::Static, Scene::Uniform] {
        check(scene);
        let bodies = Bodies::new(scene, BODIES);
        let mut group = criterion.benchmark_group(format!("tick_{scene}"));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        group.throughput(Throughput::Elements(BODIES as u64));
        for (name, threads) in [("1", Threads::one()), ("all", Threads::current())] {
            let mut pipeline = Pipeline::new(Config::default());
            pipeline.set_threads(threads.clone());
            group.bench_function(BenchmarkId::new("tick", name), |bencher| {
                bencher.iter(|| {
                    black_box(pipeline.tick(&bodies.tick()).expect("a tick").impacts().len())
                });
            });
            let mut finder = PairFinder::new();
            finder.set_threads(threads);
            let set = BoxSet::new(bodies.boxes()).moving(&bodies.world.moves);
            group.bench_function(BenchmarkId::new("finder", name), |bencher| {
                bencher.iter(|| black_box(finder.swept_pairs(set).expect("pairs").len()));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, ticks);
criterion_main!(benches);
