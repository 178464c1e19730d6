//! Time to find all pairs of a scene.
//!
//! `pairs/FORM/SCENE/BOXES/LEVEL` is on one thread and, for the widest level, on all. For some scenes there
//! are also union pairs with a filter per box that allows all pairs (`filtered`), and between the two halves
//! of the boxes (`between`). Before the clock starts the pairs of the scene with 2,000 boxes are compared
//! with brute force, and those of the timed scene over levels.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{Bencher, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rayon::{ThreadPool, ThreadPoolBuilder};
use scenes::{Scene, World};
use std::hint::black_box;
use std::time::Instant;
use swath::broadphase::PairInput;
use swath::{Filter, Level, MovingBox, Pair, PairFinder, SweptPair};

fn set(world: &World) -> PairInput<'_> {
    PairInput::new(world.columns()).moving(&world.moves)
}

/// Scenes that are also timed with filters and between two sets.
const WITH_SETS: [Scene; 3] = [Scene::Uniform, Scene::Dense, Scene::Bullets];

/// The first rows and the rest.
fn halves(world: &World) -> [PairInput<'_>; 2] {
    let (boxes, middle) = (world.columns(), world.len() / 2);
    [0..middle, middle..world.len()]
        .map(|rows| PairInput::new(boxes.slice(rows.clone())).moving(&world.moves[rows]))
}

/// Panics unless the pairs are those of the specification.
fn check(scene: Scene) {
    let world = World::new(scene, 2000, 1);
    let rows: Vec<MovingBox> = (0..world.len()).map(|row| world.columns().get(row)).collect();
    let moves = Some(&world.moves[..]);
    let mut finder = PairFinder::new();
    let union = finder.union_pairs(set(&world)).expect("flags fit").sorted().to_vec();
    assert_eq!(union, spec::union_pairs(&rows, moves), "{scene}");
    let filters = vec![Filter::ALL; world.len()];
    let found = finder.union_pairs(set(&world).filtered(&filters)).expect("filters fit");
    assert_eq!(found.sorted(), union, "{scene}, filtered");
    let [a, b] = halves(&world);
    let middle = (world.len() / 2) as u32;
    let across = union.iter().filter(|pair| (pair.a < middle) != (pair.b < middle)).count();
    assert_eq!(finder.union_pairs_between(a, b).expect("flags fit").len(), across, "{scene}");
    let swept = finder.swept_pairs(set(&world)).expect("flags fit").sorted();
    let swept: Vec<Pair> = swept.iter().map(|&pair| pair.into()).collect();
    assert_eq!(swept, spec::swept_pairs(&rows, moves), "{scene}");
}

/// Times `tick` inside the pool, because an engine does not leave it between ticks.
fn time(bencher: &mut Bencher<'_>, pool: &ThreadPool, mut tick: impl FnMut() -> usize + Send) {
    bencher.iter_custom(|ticks| {
        pool.install(|| {
            let start = Instant::now();
            for _ in 0..ticks {
                black_box(tick());
            }
            start.elapsed()
        })
    });
}

fn pairs(criterion: &mut Criterion) {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let (one_thread, all_threads) = (pool(1), pool(0));
    let mut group = criterion.benchmark_group("pairs");
    group.sample_size(10);
    for scene in Scene::ALL {
        check(scene);
        for count in [10_000, 100_000, 1_000_000] {
            let world = World::new(scene, count, 1);
            group.throughput(Throughput::Elements(count as u64));
            let mut expected: Option<Vec<SweptPair>> = None;
            for level in Level::all() {
                let mut finder = PairFinder::with_exec(level);
                let found = finder.swept_pairs(set(&world)).expect("flags fit").sorted();
                assert_eq!(found, &expected.get_or_insert_with(|| found.to_vec())[..]);
                // The narrow levels run once, for the comparison.
                if level != Level::detect() && (scene, count) != (Scene::Uniform, 100_000) {
                    continue;
                }
                let name = |form, threads| {
                    BenchmarkId::new(format!("{form}/{scene}/{count}"), format!("{level}{threads}"))
                };
                group.bench_function(name("union", ""), |bencher| {
                    time(bencher, &one_thread, || {
                        let found = finder.union_pairs(black_box(set(&world)));
                        found.expect("flags fit").len()
                    });
                });
                group.bench_function(name("swept", ""), |bencher| {
                    time(bencher, &one_thread, || {
                        let found = finder.swept_pairs(black_box(set(&world)));
                        found.expect("flags fit").len()
                    });
                });
                if level == Level::detect() && WITH_SETS.contains(&scene) {
                    let filters = vec![Filter::ALL; count];
                    group.bench_function(name("filtered", ""), |bencher| {
                        time(bencher, &one_thread, || {
                            let set = black_box(set(&world).filtered(&filters));
                            finder.union_pairs(set).expect("filters fit").len()
                        });
                    });
                    group.bench_function(name("between", ""), |bencher| {
                        time(bencher, &one_thread, || {
                            let [a, b] = black_box(halves(&world));
                            finder.union_pairs_between(a, b).expect("flags fit").len()
                        });
                    });
                }
                if level == Level::detect() {
                    group.bench_function(name("swept", "-all-threads"), |bencher| {
                        time(bencher, &all_threads, || {
                            let found = finder.swept_pairs(black_box(set(&world)));
                            found.expect("flags fit").len()
                        });
                    });
                }
            }
        }
    }
    group.finish();
}

criterion_group!(benches, pairs);
criterion_main!(benches);
