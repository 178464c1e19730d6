//! Time of a whole tick, and of the pair finder alone on the same boxes.
//!
//! `tick_SCENE/BODIES/THREADS` is a tick of bodies of which 5 % are convex shapes,
//! `tick_SCENE_finder/BODIES/THREADS` the pairs alone, on one thread and on all. Before the clock starts the
//! impacts are compared over levels, and each with [`Pipeline::explain`] of its pair. `tick_stepper/BODIES/1`
//! is a tick of the stepper in which a thousand bullets hit one wall each, and none passes it.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use scenes::{Scene, World};
use std::hint::black_box;
use swath::broadphase::PairInput;
use swath::pipeline::{BodyFlags, Config};
use swath::{ConvexBody, Level, Motion, PairFinder, Pipeline, Pose, Scene as Tick, Shape, Threads};
use swath_stepping::{Mass, Stepper, StepperConfig};

const BODIES: [usize; 2] = [100_000, 1_000_000];
const BULLETS: usize = 1000;
/// One body in this many has a shape.
const SHAPED_ONE_OF: usize = 20;

struct BodyColumns {
    world: World,
    convex: Vec<ConvexBody<'static>>,
    flags: Vec<BodyFlags>,
}

impl BodyColumns {
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
            convex.push(ConvexBody {
                row: row as u32,
                shape: shape.expect("sides are lengths"),
                motion,
            });
        }
        let flag = |&moves: &bool| if moves { BodyFlags::MOVES } else { BodyFlags::STILL };
        let flags = world.moves.iter().map(flag).collect();
        Self { world, convex, flags }
    }

    fn tick(&self) -> Tick<'_, '_> {
        Tick::new(self.world.columns()).convex(&self.convex).flagged(&self.flags)
    }
}

/// Panics unless all levels agree, and the stages agree with the explanations of single pairs.
fn check(scene: Scene) {
    let bodies = BodyColumns::new(scene, 3000);
    let mut hash = None;
    for level in Level::all() {
        let mut pipeline = Pipeline::with_exec(Config::default(), level);
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
    for scene in [Scene::Static, Scene::Uniform, Scene::Sheet, Scene::Walls] {
        check(scene);
        for count in BODIES {
            let bodies = BodyColumns::new(scene, count);
            for (name, threads) in [("1", Threads::one()), ("all", Threads::current())] {
                let mut group = criterion.benchmark_group(format!("tick_{scene}"));
                group.sample_size(10).throughput(Throughput::Elements(count as u64));
                let mut pipeline = Pipeline::new(Config::default());
                pipeline.exec.threads = threads.clone();
                group.bench_function(BenchmarkId::new(count.to_string(), name), |bencher| {
                    bencher.iter(|| {
                        black_box(pipeline.tick(&bodies.tick()).expect("a tick").impacts().len())
                    });
                });
                group.finish();
                let mut group = criterion.benchmark_group(format!("tick_{scene}_finder"));
                group.sample_size(10).throughput(Throughput::Elements(count as u64));
                let mut finder = PairFinder::new();
                finder.exec.threads = threads;
                let set = PairInput::new(bodies.world.columns()).moving(&bodies.world.moves);
                group.bench_function(BenchmarkId::new(count.to_string(), name), |bencher| {
                    bencher.iter(|| black_box(finder.swept_pairs(set).expect("pairs").len()));
                });
                group.finish();
            }
        }
    }
}

/// Walls beside each other in a plane, and in front of some of them a bullet each.
fn range(count: usize) -> (Vec<ConvexBody<'static>>, Vec<Mass>) {
    let walls = count - BULLETS;
    let side = (walls as f64).sqrt().ceil() as usize;
    let wall = Shape::cuboid([0.0, 0.45, 0.45]).expect("a wall");
    let ball = Shape::sphere(0.02).expect("a bullet");
    let body = |row: usize, shape, position, delta| {
        let motion = Motion::new(Pose::at(position).expect("a place"), delta).expect("a motion");
        ConvexBody { row: row as u32, shape, motion }
    };
    let place = |k: usize, x| [x, (k % side) as f32, (k / side) as f32];
    let mut bodies: Vec<_> = (0..walls).map(|k| body(k, wall, place(k, 0.0), [0.0; 3])).collect();
    bodies.extend((0..BULLETS).map(|k| {
        let delta = [8.0 + (k % 7) as f32 * 0.1, 0.01 * (k % 5) as f32, 0.0];
        body(walls + k, ball, place(k * (walls / BULLETS), -4.0), delta)
    }));
    let bullet = Mass { inverse_mass: 1.0, restitution: 0.5 };
    let mass = |row| if row < walls { Mass::FIXED } else { bullet };
    (bodies, (0..count).map(mass).collect())
}

fn stepper(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tick_stepper");
    group.sample_size(10);
    for count in [10_000, 1_000_000] {
        let (bodies, masses) = range(count);
        let mut stepper = Stepper::new(StepperConfig::default());
        stepper.exec.threads = Threads::one();
        let mut end = bodies.clone();
        let stats = stepper.step(&mut end, &masses, None).expect("bodies");
        assert_eq!(stats.responses, BULLETS);
        assert!(end[count - BULLETS..].iter().all(|ball| ball.motion.pose.position[0] < 0.0));
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new(count.to_string(), "1"), |bencher| {
            bencher.iter_batched_ref(
                || bodies.clone(),
                |bodies| black_box(stepper.step(bodies, &masses, None).expect("bodies")),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, ticks, stepper);
criterion_main!(benches);
