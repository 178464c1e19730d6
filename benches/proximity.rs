//! Time of shape queries and nearest queries of stored boxes.
//!
//! `proximity_QUERY/BOXES/LEVEL`: a thousand queries of a tree of a uniform scene, one after the other on one
//! thread; the time is for one. `any`, `visit` and `all` are queries of boxes a few times as large as the
//! stored ones, `nearest` and `nearest_8` of points at any distance; `view` is a region of six planes that
//! contains about a hundredth of the boxes. `proximity_each_…` is a batch of ten thousand on one thread and on
//! all. Results are compared with those of the kernels for one box after the other before the clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use scenes::{Scene, World};
use std::hint::black_box;
use std::ops::ControlFlow;
use swath::batch::overlap::{planes, sphere};
use swath::batch::{Hit, Rows, overlap, proximity};
use swath::broadphase::Visits;
use swath::{
    Aabb, AabbColumns, Bvh, Level, MovingBox, MovingBoxStore, Plane, Queries, Sphere, Threads,
};

const BOXES: [usize; 2] = [100_000, 1_000_000];
const QUESTIONS: usize = 1000;
const BATCH: usize = 10_000;
/// Number of queries whose results are compared.
const CHECKED: usize = 30;

struct Asked {
    boxes: Vec<Aabb>,
    points: Vec<Aabb>,
    spheres: Vec<Sphere>,
    views: Vec<[Plane; 6]>,
}

/// The stored boxes, and queries at random positions among them.
struct Bench {
    world: World,
    store: MovingBoxStore,
    asked: Asked,
}

fn row(world: &World, row: usize) -> Aabb {
    let of = |columns: &[Vec<f32>; 3]| columns.each_ref().map(|column| column[row]);
    Aabb { min: of(&world.min), max: of(&world.max) }
}

/// The view of a camera at `eye` along x, up to the distance `far`.
fn view([x, y, z]: [f32; 3], far: f32) -> [Plane; 6] {
    let plane = |normal: [f32; 3], beyond: f32| Plane {
        normal,
        offset: normal[0] * x + normal[1] * y + normal[2] * z + beyond,
    };
    [
        plane([-1.0, 1.5, 0.0], 0.0),
        plane([-1.0, -1.5, 0.0], 0.0),
        plane([-1.0, 0.0, 2.0], 0.0),
        plane([-1.0, 0.0, -2.0], 0.0),
        plane([-1.0, 0.0, 0.0], -0.01 * far),
        plane([1.0, 0.0, 0.0], far),
    ]
}

impl Bench {
    fn new(count: usize) -> Self {
        let world = World::new(Scene::Uniform, count, 1);
        let mut store = MovingBoxStore::with_capacity(count);
        let mut whole = row(&world, 0);
        for at in 0..count {
            let aabb = row(&world, at);
            whole = whole.union(&aabb);
            store.push(MovingBox::from(aabb)).expect("scenes contain valid boxes");
        }
        let other = World::new(Scene::Uniform, count, 2);
        let boxes: Vec<Aabb> = (0..BATCH).map(|at| row(&other, at)).collect();
        let large = |aabb: &Aabb| {
            let half = aabb.half_extents().map(|half| half * 4.0);
            Aabb::from_center(aabb.center(), half).expect("scenes are not that large")
        };
        let center = |aabb: &Aabb| aabb.center();
        let far = whole.size()[0] * 0.3;
        let asked = Asked {
            points: boxes.iter().map(|of| Aabb::point(center(of)).expect("a place")).collect(),
            spheres: boxes
                .iter()
                .map(|of| Sphere { center: center(of), radius: of.half_extents()[0] * 4.0 })
                .collect(),
            views: boxes[..QUESTIONS].iter().map(|of| view(center(of), far)).collect(),
            boxes: boxes.iter().map(large).collect(),
        };
        Self { world, store, asked }
    }

    fn tree(&self, level: Level) -> Bvh {
        let World { min, max, .. } = &self.world;
        let [min, max] = [min, max].map(|of| of.each_ref().map(Vec::as_slice));
        let mut tree = Bvh::with_exec(level);
        tree.exec.threads = Threads::one();
        tree.build(AabbColumns::new(min, max).expect("equally long")).expect("rows fit");
        tree
    }

    /// Panics unless the results are those of the kernels.
    fn check(&self, queries: &Queries<'_>) {
        let (level, many) = (Level::detect(), self.store.checked());
        let mut rooms = [(); 2].map(|()| vec![0; self.store.len()]);
        let [to, meant] = &mut rooms;
        let mut met = [0; 3];
        for k in 0..CHECKED {
            let Asked { boxes, points, spheres, views } = &self.asked;
            let ways = [0, 1, 2].map(|way| {
                let mut meant = Rows::new(meant);
                match way {
                    0 => {
                        overlap::one_to_many(level, &boxes[k], &many, &mut meant).expect("room");
                        queries.overlap(&boxes[k]).expect("a box").all(to);
                    }
                    1 => {
                        sphere::one_to_many(level, &spheres[k], &many, &mut meant).expect("room");
                        queries.overlap_sphere(&spheres[k]).expect("a sphere").all(to);
                    }
                    _ => {
                        planes::one_to_many(level, &views[k], &many, &mut meant).expect("room");
                        queries.overlap_planes(&views[k]).expect("planes").all(to);
                    }
                }
                assert_eq!(to[..], meant[..], "{way}");
                to.len()
            });
            met.iter_mut().zip(ways).for_each(|(met, more)| *met += more);
            let [mut to, mut meant] = [[Hit::MISS; 8]; 2];
            let meant = proximity::k_nearest(level, &points[k], f32::INFINITY, &many, &mut meant);
            let near = queries.proximity(&points[k], f32::INFINITY).expect("a point");
            assert_eq!(Ok(near.k_nearest(&mut to)), meant.as_ref().map(|hits| &hits[..]));
        }
        let mut visits = Visits::default();
        for point in &self.asked.points {
            let near = queries.proximity(point, f32::INFINITY).expect("a point");
            assert!(near.counting(&mut visits).nearest().is_some());
        }
        println!("looked at for {BATCH} nearest: {visits:?}");
        println!("met by a box, a sphere, a view: {:?}", met.map(|met| met / CHECKED));
    }
}

/// Times a thousand queries one after the other.
fn time(
    criterion: &mut Criterion,
    name: &str,
    id: &BenchmarkId,
    mut ask: impl FnMut(usize) -> usize,
) {
    let mut group: BenchmarkGroup<'_, WallTime> =
        criterion.benchmark_group(format!("proximity_{name}"));
    group.sample_size(10).throughput(Throughput::Elements(QUESTIONS as u64));
    group.bench_function(id.clone(), |bencher| {
        bencher.iter(|| (0..QUESTIONS).map(|k| ask(black_box(k))).sum::<usize>());
    });
    group.finish();
}

fn one_by_one(criterion: &mut Criterion) {
    for count in BOXES {
        let bench = Bench::new(count);
        let Asked { boxes, points, spheres, views } = &bench.asked;
        for level in Level::all() {
            let tree = bench.tree(level);
            let queries = tree.queries();
            bench.check(&queries);
            let id = BenchmarkId::new(count.to_string(), level);
            let mut rows = Vec::new();
            time(criterion, "any", &id, |k| {
                usize::from(queries.overlap(&boxes[k]).expect("a box").any().is_some())
            });
            time(criterion, "visit", &id, |k| {
                let mut met = 0;
                queries.overlap(&boxes[k]).expect("a box").visit(|_| {
                    met += 1;
                    ControlFlow::Continue(())
                });
                met
            });
            time(criterion, "all", &id, |k| {
                queries.overlap(&boxes[k]).expect("a box").all(&mut rows);
                rows.len()
            });
            time(criterion, "sphere", &id, |k| {
                queries.overlap_sphere(&spheres[k]).expect("a sphere").all(&mut rows);
                rows.len()
            });
            time(criterion, "nearest", &id, |k| {
                let near = queries.proximity(&points[k], f32::INFINITY).expect("a point");
                near.nearest().expect("there are boxes").row as usize
            });
            time(criterion, "nearest_8", &id, |k| {
                let near = queries.proximity(&points[k], f32::INFINITY).expect("a point");
                near.k_nearest(&mut [Hit::MISS; 8]).len()
            });
            if count == BOXES[0] {
                time(criterion, "view", &id, |k| {
                    queries.overlap_planes(&views[k]).expect("planes").all(&mut rows);
                    rows.len()
                });
            }
        }
    }
}

fn batches(criterion: &mut Criterion) {
    let bench = Bench::new(BOXES[1]);
    for (name, threads) in [("one-thread", Threads::one()), ("all-threads", Threads::current())] {
        let mut tree = bench.tree(Level::detect());
        tree.exec.threads = threads;
        let queries = tree.queries();
        let columns = |of: &[Aabb]| -> [Vec<f32>; 6] {
            std::array::from_fn(|k| {
                let corner = |of: &Aabb| if k < 3 { of.min[k] } else { of.max[k - 3] };
                of.iter().map(corner).collect()
            })
        };
        let (points, boxes) = (columns(&bench.asked.points), columns(&bench.asked.boxes));
        let [points, boxes] = [&points, &boxes].map(|of| {
            AabbColumns::from_columns(of.each_ref().map(Vec::as_slice)).expect("equally long")
        });
        let [mut no_point, mut no_box] = [const { Vec::new() }; 2];
        let points = points.check(Level::detect(), &mut no_point);
        let boxes = boxes.check(Level::detect(), &mut no_box);
        let mut group = criterion.benchmark_group("proximity_each");
        group.sample_size(10).throughput(Throughput::Elements(BATCH as u64));
        let mut hits = vec![Hit::MISS; BATCH];
        queries.proximities(&points, 1e6).expect("a distance").nearest(&mut hits).expect("room");
        assert!(hits.iter().all(|hit| hit.value < f32::INFINITY));
        group.bench_function(BenchmarkId::new("nearest", name), |bencher| {
            let near = queries.proximities(&points, 1e6).expect("a distance");
            bencher.iter(|| black_box(near).nearest(&mut hits));
        });
        let (mut starts, mut rows) = (vec![0; BATCH + 1], Vec::new());
        group.bench_function(BenchmarkId::new("overlap", name), |bencher| {
            bencher.iter(|| {
                queries.overlaps(black_box(&boxes)).all(&mut starts, &mut rows).expect("room");
            });
        });
        group.finish();
    }
}

criterion_group!(benches, one_by_one, batches);
criterion_main!(benches);
