//! Time of overlap tests.
//!
//! `overlap/one_to_many/ROWS/LEVEL`, `overlap/sphere/…`, `overlap/planes/…`: one box, sphere or view of six
//! planes against all rows of a scene, as bits; the time is for all rows. Two rows are yardsticks:
//! `published` is the code of the books, one box at a time from an array of boxes, with early exits;
//! `columns` is a plain loop over the same columns that the compiler may vectorise. Every result is compared
//! with the specification before the clock starts; the rounding of the yardsticks may err to either side.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use scenes::{Scene, World};
use std::hint::black_box;
use swath::batch::overlap::{Bits, planes, sphere};
use swath::batch::{Checked, PlaneSide, overlap};
use swath::{Aabb, Level, MovingBox, MovingBoxStore, Plane, Sphere};

const ROWS: [usize; 3] = [1024, 65_536, 1_000_000];

/// The same boxes, as columns and as an array.
struct MovingBoxColumns {
    store: MovingBoxStore,
    array: Vec<Aabb>,
}

impl MovingBoxColumns {
    fn new(rows: usize) -> Self {
        let world = World::new(Scene::Uniform, rows, 1);
        let mut store = MovingBoxStore::with_capacity(rows);
        let mut array = Vec::with_capacity(rows);
        for row in 0..rows {
            let of = |columns: &[Vec<f32>; 3]| core::array::from_fn(|axis| columns[axis][row]);
            let aabb = Aabb { min: of(&world.min), max: of(&world.max) };
            store
                .push(MovingBox { aabb, delta: of(&world.delta) })
                .expect("scenes contain valid boxes");
            array.push(aabb);
        }
        Self { store, array }
    }

    /// The centre of all boxes, and a tenth of their extent along an axis.
    fn middle(&self) -> ([f32; 3], f32) {
        let whole = self.array.iter().fold(self.array[0], |whole, aabb| whole.union(aabb));
        let [x, y, z] = whole.size();
        (whole.center(), x.max(y).max(z) * 0.25)
    }
}

/// Runs every level and both yardsticks. `check` returns whether the result for row `i` is correct.
fn rows_of(
    group: &mut BenchmarkGroup<'_, WallTime>,
    boxes: &MovingBoxColumns,
    check: impl Fn(&Aabb, bool),
    ask: impl Fn(Level, &Checked<'_>, Bits<'_>),
    published: impl Fn(&Aabb) -> bool,
    columns: impl Fn(&[&[f32]; 9], &mut [bool]),
) {
    let rows = boxes.array.len();
    let mut words = vec![0; Bits::words_for(rows)];
    group.throughput(Throughput::Elements(rows as u64));
    for level in Level::all() {
        ask(level, &boxes.store.checked(), Bits { words: &mut words });
        let set = Bits { words: &mut words };
        let found = set.count();
        assert!(found > rows / 1000 && found < rows, "{found} of {rows}");
        for (row, aabb) in boxes.array.iter().enumerate() {
            check(aabb, set.get(row));
        }
        group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
            bencher.iter(|| {
                ask(level, black_box(&boxes.store.checked()), Bits { words: &mut words });
            });
        });
    }
    let mut yes = vec![false; rows];
    group.bench_function(BenchmarkId::new(rows.to_string(), "published"), |bencher| {
        bencher.iter(|| {
            for (yes, aabb) in yes.iter_mut().zip(black_box(&boxes.array)) {
                *yes = published(aabb);
            }
        });
    });
    let lent = boxes.store.columns().columns();
    group.bench_function(BenchmarkId::new(rows.to_string(), "columns"), |bencher| {
        bencher.iter(|| columns(black_box(&lent), &mut yes));
    });
}

fn one_to_many(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("overlap/one_to_many");
    for rows in ROWS {
        let boxes = MovingBoxColumns::new(rows);
        let (center, reach) = boxes.middle();
        let a = Aabb::cube(center, reach).expect("scenes are not that large");
        rows_of(
            &mut group,
            &boxes,
            |aabb, yes| assert_eq!(Ok(yes), spec::overlap(&a, aabb)),
            |level, many, to| overlap::one_to_many(level, &a, many, to).expect("lengths agree"),
            |b| {
                // Ericson 2005, §4.2.1.
                let apart = |axis: usize| a.max[axis] < b.min[axis] || a.min[axis] > b.max[axis];
                !apart(0) && !apart(1) && !apart(2)
            },
            |[x0, y0, z0, x1, y1, z1, ..], yes| {
                let rows = yes.len();
                let [x0, y0, z0, x1, y1, z1] = [x0, y0, z0, x1, y1, z1].map(|of| &of[..rows]);
                for row in 0..rows {
                    yes[row] = (a.min[0] <= x1[row])
                        & (x0[row] <= a.max[0])
                        & (a.min[1] <= y1[row])
                        & (y0[row] <= a.max[1])
                        & (a.min[2] <= z1[row])
                        & (z0[row] <= a.max[2]);
                }
            },
        );
    }
    group.finish();
}

fn spheres(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("overlap/sphere");
    for rows in ROWS {
        let boxes = MovingBoxColumns::new(rows);
        let (center, radius) = boxes.middle();
        let ball = Sphere::new(center, radius).expect("scenes are not that large");
        rows_of(
            &mut group,
            &boxes,
            |aabb, yes| {
                let gap = spec::sphere_gap(&ball, aabb).expect("scenes contain valid boxes");
                assert!(if yes {
                    gap <= f64::from(radius) / f64::from(1 << 20)
                } else {
                    gap > 0.0
                });
            },
            |level, many, to| sphere::one_to_many(level, &ball, many, to).expect("lengths agree"),
            |b| {
                // Ericson 2005, §5.2.5.
                let mut squared = 0.0;
                for (axis, &v) in center.iter().enumerate() {
                    if v < b.min[axis] {
                        squared += (b.min[axis] - v) * (b.min[axis] - v);
                    }
                    if v > b.max[axis] {
                        squared += (v - b.max[axis]) * (v - b.max[axis]);
                    }
                }
                squared <= radius * radius
            },
            |[x0, y0, z0, x1, y1, z1, ..], yes| {
                let rows = yes.len();
                let [x0, y0, z0, x1, y1, z1] = [x0, y0, z0, x1, y1, z1].map(|of| &of[..rows]);
                let square = |min: f32, max: f32, v: f32| {
                    let gap = (min - v).max(v - max).max(0.0);
                    gap * gap
                };
                for row in 0..rows {
                    let x = square(x0[row], x1[row], center[0]);
                    let y = square(y0[row], y1[row], center[1]);
                    let z = square(z0[row], z1[row], center[2]);
                    yes[row] = x + y + z <= radius * radius;
                }
            },
        );
    }
    group.finish();
}

/// A view along x from behind the centre.
fn view([x, y, z]: [f32; 3], reach: f32) -> [Plane; 6] {
    let eye = [x - reach, y, z];
    let plane = |normal: [f32; 3], beyond: f32| {
        let along = normal[0] * eye[0] + normal[1] * eye[1] + normal[2] * eye[2];
        Plane::new(normal, along + beyond).expect("scenes are not that large")
    };
    [
        plane([-1.0, 1.5, 0.0], 0.0),
        plane([-1.0, -1.5, 0.0], 0.0),
        plane([-1.0, 0.0, 2.0], 0.0),
        plane([-1.0, 0.0, -2.0], 0.0),
        plane([-1.0, 0.0, 0.0], -0.01 * reach),
        plane([1.0, 0.0, 0.0], 2.5 * reach),
    ]
}

fn views(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("overlap/planes");
    for rows in ROWS {
        let boxes = MovingBoxColumns::new(rows);
        let (center, reach) = boxes.middle();
        let region = view(center, reach);
        rows_of(
            &mut group,
            &boxes,
            |aabb, yes| {
                let meant = spec::overlap_planes(&region, aabb).expect("all are valid");
                let past = |plane: &Plane| {
                    let [least, _] = spec::plane_reach(plane, aabb).expect("all are valid");
                    least > f64::from(reach) * 1e-4
                };
                assert!(if yes { !region.iter().any(past) } else { meant == PlaneSide::Outside });
            },
            |level, many, to| planes::one_to_many(level, &region, many, to).expect("lengths agree"),
            |b| {
                // Ericson 2005, §5.2.3, with the nearest corner along each normal.
                region.iter().all(|plane| {
                    let near = |axis: usize| {
                        if plane.normal[axis] >= 0.0 { b.min[axis] } else { b.max[axis] }
                    };
                    let along = |axis: usize| plane.normal[axis] * near(axis);
                    along(0) + along(1) + along(2) <= plane.offset
                })
            },
            |[x0, y0, z0, x1, y1, z1, ..], yes| {
                let rows = yes.len();
                let [x0, y0, z0, x1, y1, z1] = [x0, y0, z0, x1, y1, z1].map(|of| &of[..rows]);
                yes.fill(true);
                for Plane { normal, offset } in &region {
                    let pick = |axis: usize, min, max| if normal[axis] >= 0.0 { min } else { max };
                    let (x, y, z): (&[f32], &[f32], &[f32]) =
                        (pick(0, x0, x1), pick(1, y0, y1), pick(2, z0, z1));
                    for row in 0..rows {
                        let along = normal[0] * x[row] + normal[1] * y[row] + normal[2] * z[row];
                        yes[row] &= along <= *offset;
                    }
                }
            },
        );
    }
    group.finish();
}

criterion_group!(benches, one_to_many, spheres, views);
criterion_main!(benches);
