//! Time to sweep moving spheres against each other and against boxes.
//!
//! `spheres/one_to_many/ROWS/LEVEL` and `sphere_box/one_to_many/ROWS/LEVEL`: one sphere against all rows of a
//! scene, the time is for all rows; `spheres/pairs` and `sphere_box/zip` likewise. A sphere fills a box of
//! the scene. Every result is compared with the specification before the clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod answers;

use answers::{Columns, moving};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use spec::RoundSweep;
use std::hint::black_box;
use swath::batch::sweep::{Sweep, SweepColumns, sphere_box, spheres};
use swath::batch::{BatchError, MovingSphere, SphereStore};
use swath::{Level, MovingBox, MovingBoxStore, Pair, Sphere};

/// The boxes of a scene, and a sphere in each.
fn stores(rows: usize) -> (MovingBoxStore, SphereStore) {
    let world = World::new(Scene::Bullets, rows, 1);
    let (mut boxes, mut balls) =
        (MovingBoxStore::with_capacity(rows), SphereStore::with_capacity(rows));
    for row in 0..rows {
        let MovingBox { aabb, delta } = moving(&world, row);
        let half = aabb.half_extents();
        let sphere = Sphere { center: aabb.center(), radius: half[0].max(half[1]).max(half[2]) };
        boxes.push(MovingBox { aabb, delta }).expect("scenes contain valid boxes");
        balls.push(MovingSphere { sphere, delta }).expect("and spheres in them");
    }
    (boxes, balls)
}

/// Panics unless `got` is the result of the specification, within rounding.
fn check(meant: &RoundSweep, got: Sweep) {
    let hit = meant.contact.is_hit();
    assert!(got.contact.is_hit() == hit || !hit && meant.gap < 1e-3, "{got:?} {meant:?}");
    if hit {
        let early = meant.first - 0.01;
        assert!((early..=meant.first).contains(&f64::from(got.first)), "{got:?} {meant:?}");
        assert!(f64::from(got.last) >= meant.last, "{got:?} {meant:?}");
    }
}

/// Measures `run` on every level, after its results passed `checked`.
fn measure(
    criterion: &mut Criterion,
    (name, rows): (&str, usize),
    run: impl Fn(Level, SweepColumns<'_>) -> Result<(), BatchError>,
    meant: impl Fn(usize) -> RoundSweep,
) {
    let mut group = criterion.benchmark_group(name);
    let mut columns = Columns::new(rows);
    group.throughput(Throughput::Elements(rows as u64));
    for level in Level::all() {
        run(level, columns.answers()).expect("lengths agree");
        for row in 0..rows {
            check(&meant(row), columns.answers().get(row));
        }
        group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
            bencher.iter(|| run(black_box(level), columns.answers()));
        });
    }
    group.finish();
}

fn round(criterion: &mut Criterion) {
    for rows in [1024, 65_536] {
        let (boxes, balls) = stores(rows);
        let ball = |row: usize| balls.get(row);
        // The path is long, so that a part of the rows is hit.
        let mut a = ball(0);
        a.delta = [40.0, -30.0, 20.0];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut row = || rng.random_range(0..rows as u32);
        let pairs: Vec<Pair> = (0..rows).map(|_| Pair { a: row(), b: row() }).collect();

        let two = |a: &MovingSphere, b: &MovingSphere| spec::sweep_spheres(a, b).expect("spheres");
        let boxed = |a: &MovingSphere, b: &MovingBox| spec::sweep_sphere_box(a, b).expect("both");
        measure(
            criterion,
            ("spheres/one_to_many", rows),
            |level, to| spheres::one_to_many(level, black_box(&a), &balls.checked(), to),
            |row| two(&a, &ball(row)),
        );
        measure(
            criterion,
            ("spheres/pairs", rows),
            |level, to| spheres::pairs(level, &balls.checked(), black_box(&pairs), to),
            |row| two(&ball(pairs[row].a as usize), &ball(pairs[row].b as usize)),
        );
        measure(
            criterion,
            ("sphere_box/one_to_many", rows),
            |level, to| sphere_box::one_to_many(level, black_box(&a), &boxes.checked(), to),
            |row| boxed(&a, &boxes.get(row)),
        );
        measure(
            criterion,
            ("sphere_box/zip", rows),
            |level, to| sphere_box::zip(level, black_box(&balls.checked()), &boxes.checked(), to),
            |row| boxed(&ball(row), &boxes.get(row)),
        );
    }
}

criterion_group!(benches, round);
criterion_main!(benches);
