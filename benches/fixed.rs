//! Time to find the pairs of movers with fixed boxes, and to change the set of fixed boxes.
//!
//! `fixed_FORM_SCENE/MOVERS/LEVEL` is against a million fixed boxes on one thread and, for the widest level,
//! on all. `fixed_build_SCENE/BOXES` builds a set. `fixed_change_uniform/5000` removes and inserts that many
//! boxes, on average over many changes. Before the clock starts the pairs of a small scene are compared with
//! brute force, and those of the timed scene over levels.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rayon::{ThreadPool, ThreadPoolBuilder};
use scenes::{Scene, World};
use std::hint::black_box;
use std::time::{Duration, Instant};
use swath::batch::sweep::MISS;
use swath::batch::{Row, sweep};
use swath::{Aabb, AabbColumns, FixedBoxes, Level, MovingBox, MovingBoxColumns, SweptPair};

const FIXED: usize = 1_000_000;
/// Paths longer than this belong to bullets.
const BULLET_PATH: f32 = 4.0;

/// Movers and fixed boxes as columns.
struct Split {
    movers: [Vec<f32>; 9],
    fixed: [Vec<f32>; 6],
}

impl Split {
    /// A scene in which evenly chosen boxes move, or in the scene of bullets the bullets.
    fn new(scene: Scene, fixed: usize, movers: usize) -> Self {
        let world = World::new(scene, fixed + movers, 1);
        let one_of = world.len() / movers;
        let mut split = Self { movers: Default::default(), fixed: Default::default() };
        for row in 0..world.len() {
            let vector = |of: &[Vec<f32>; 3]| of.each_ref().map(|column| column[row]);
            let aabb = Aabb { min: vector(&world.min), max: vector(&world.max) };
            let delta = vector(&world.delta);
            let wanted = if scene == Scene::Bullets {
                delta.iter().map(|x| x * x).sum::<f32>() > BULLET_PATH * BULLET_PATH
            } else {
                row % one_of == one_of - 1
            };
            if wanted && split.movers[0].len() < movers {
                let numbers = MovingBox { aabb, delta }.to_row();
                split.movers.iter_mut().zip(numbers).for_each(|(column, x)| column.push(x));
            } else {
                split.fixed.iter_mut().zip(aabb.to_row()).for_each(|(column, x)| column.push(x));
            }
        }
        split
    }

    fn movers(&self) -> MovingBoxColumns<'_> {
        MovingBoxColumns::from_columns(self.movers.each_ref().map(Vec::as_slice))
            .expect("equally long")
    }

    fn fixed(&self) -> AabbColumns<'_> {
        AabbColumns::from_columns(self.fixed.each_ref().map(Vec::as_slice)).expect("equally long")
    }

    fn set(&self, level: Level) -> FixedBoxes {
        let mut set = FixedBoxes::with_exec(level);
        set.extend(self.fixed()).expect("rows fit");
        set
    }
}

/// Panics unless the pairs are those of brute force.
fn check(scene: Scene) {
    let split = Split::new(scene, 4000, 100);
    let (movers, fixed) = (split.movers(), split.fixed());
    let mut expected = Vec::new();
    for a in 0..movers.len() {
        for b in 0..fixed.len() {
            let (mover, aabb) = (movers.get(a), fixed.get(b));
            let first = sweep::one_to_one(&mover, &aabb.into()).expect("both are boxes").first;
            if mover.bounds().overlaps(&aabb) && first < MISS {
                expected.push(SweptPair { a: a as u32, b: b as u32, first });
            }
        }
    }
    let mut set = split.set(Level::detect());
    assert_eq!(set.swept_pairs(movers).expect("no limit").sorted(), expected, "{scene}");
}

/// Times `tick` inside the pool, because an engine does not leave it between ticks.
fn time(pool: &ThreadPool, ticks: u64, mut tick: impl FnMut() -> usize + Send) -> Duration {
    pool.install(|| {
        let start = Instant::now();
        for _ in 0..ticks {
            black_box(tick());
        }
        start.elapsed()
    })
}

fn fixed(criterion: &mut Criterion) {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let (one_thread, all_threads) = (pool(1), pool(0));
    let scenes = [Scene::Uniform, Scene::Dense, Scene::Sheet, Scene::Bullets, Scene::Planets];
    for scene in scenes.into_iter().chain([Scene::Mixed, Scene::Walls]) {
        check(scene);
        for count in [10_000, 100_000] {
            if count > 10_000 && scene != Scene::Uniform {
                continue;
            }
            let split = Split::new(scene, FIXED, count);
            let movers = split.movers();
            let mut expected: Option<Vec<SweptPair>> = None;
            for level in Level::all() {
                let mut set = one_thread.install(|| split.set(level));
                let found = set.swept_pairs(movers).expect("no limit").sorted();
                assert_eq!(found, &expected.get_or_insert_with(|| found.to_vec())[..]);
                if level != Level::detect() && (scene, count) != (Scene::Uniform, 10_000) {
                    continue;
                }
                for (form, swept) in [("union", false), ("swept", true)] {
                    let mut group = criterion.benchmark_group(format!("fixed_{form}_{scene}"));
                    group.sample_size(10).throughput(Throughput::Elements(count as u64));
                    let mut tick = || {
                        let movers = black_box(movers);
                        if swept {
                            set.swept_pairs(movers).expect("no limit").len()
                        } else {
                            set.union_pairs(movers).expect("no limit").len()
                        }
                    };
                    group.bench_function(BenchmarkId::new(count.to_string(), level), |bencher| {
                        bencher.iter_custom(|ticks| time(&one_thread, ticks, &mut tick));
                    });
                    if level == Level::detect() {
                        let name =
                            BenchmarkId::new(count.to_string(), format!("{level}-all-threads"));
                        group.bench_function(name, |bencher| {
                            bencher.iter_custom(|ticks| time(&all_threads, ticks, &mut tick));
                        });
                    }
                }
            }
        }
    }
}

fn changes(criterion: &mut Criterion) {
    const CHANGED: u32 = 5000;
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let split = Split::new(Scene::Uniform, FIXED, 10_000);
    let mut set = FixedBoxes::new();
    let mut group = criterion.benchmark_group("fixed_build_uniform");
    group.sample_size(10).throughput(Throughput::Elements(FIXED as u64));
    group.bench_function(BenchmarkId::new(FIXED.to_string(), Level::detect()), |bencher| {
        bencher.iter_custom(|builds| {
            time(&one_thread, builds, || {
                set.clear();
                set.extend(split.fixed()).expect("rows fit");
                set.len()
            })
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("fixed_change_uniform");
    group.sample_size(20).throughput(Throughput::Elements(CHANGED.into()));
    let mut round = 0;
    group.bench_function(BenchmarkId::new(CHANGED.to_string(), Level::detect()), |bencher| {
        bencher.iter_custom(|changes| {
            time(&one_thread, changes, || {
                let first = round * CHANGED % FIXED as u32;
                round += 1;
                let rows: Vec<u32> = (first..first + CHANGED).collect();
                set.remove(&rows).expect("all are there");
                let here = first as usize..(first + CHANGED) as usize;
                set.put(&rows, split.fixed().slice(here)).expect("rows fit").len()
            })
        });
    });
    group.finish();
}

criterion_group!(benches, fixed, changes);
criterion_main!(benches);
