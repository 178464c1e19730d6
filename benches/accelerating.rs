//! Time to sweep boxes under constant acceleration.
//!
//! `accelerating/one_to_many/ROWS/LEVEL`: one box against all rows of a scene, each with an acceleration of
//! its own; the time is for all rows. `accelerating/pairs/ROWS/LEVEL`: random pairs of rows. Every result is
//! compared with the specification before the clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod answers;

use answers::{Columns, moving};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use std::hint::black_box;
use swath::batch::sweep::{Sweep, accelerating};
use swath::batch::{AcceleratingBox, AcceleratingBoxStore};
use swath::{Level, Pair};

/// The boxes of a scene, with accelerations.
fn store(rows: usize) -> AcceleratingBoxStore {
    let world = World::new(Scene::Bullets, rows, 1);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut store = AcceleratingBoxStore::with_capacity(rows);
    for row in 0..rows {
        let accel = [(); 3].map(|()| rng.random_range(-8.0..8.0));
        let row = AcceleratingBox { accel, ..moving(&world, row).into() };
        store.push(row).expect("scenes contain valid boxes");
    }
    store
}

/// Panics unless `got` is the result of the specification, except for narrow misses and grazes.
fn check(a: &AcceleratingBox, b: &AcceleratingBox, got: Sweep) {
    let meant = spec::accelerating(a, b).expect("scenes contain valid boxes");
    let hit = meant.contact.is_hit();
    assert!(got.contact.is_hit() || !hit, "{a:?} {b:?}");
    assert!(hit || !got.contact.is_hit() || meant.margin > -1e-2, "{meant:?} {a:?} {b:?}");
    if hit {
        let first = f64::from(got.first);
        assert!(first <= meant.first + 1e-9 && first > meant.first - 1e-2, "{got:?} {meant:?}");
        let last = f64::from(got.last);
        assert!(last >= meant.last - 1e-9 || last < meant.first, "{got:?} {meant:?}");
    }
}

fn one_to_many(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("accelerating/one_to_many");
    for rows in [1024, 65_536, 1_000_000] {
        let store = store(rows);
        let mut columns = Columns::new(rows);
        // The path is long, so that a part of the rows is hit.
        let mut a = store.get(0);
        (a.delta, a.accel) = ([40.0, -30.0, 20.0], [0.0, 60.0, -20.0]);
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let mut run = || {
                let many = store.checked();
                accelerating::one_to_many(level, &a, black_box(&many), columns.answers())
                    .expect("lengths agree");
            };
            run();
            for row in 0..rows {
                check(&a, &store.get(row), columns.answers().get(row));
            }
            let mut run = || {
                let many = store.checked();
                accelerating::one_to_many(level, &a, black_box(&many), columns.answers())
                    .expect("lengths agree");
            };
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(&mut run);
            });
        }
    }
    group.finish();
}

fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("accelerating/pairs");
    for rows in [1024, 65_536] {
        let store = store(rows);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut row = || rng.random_range(0..rows as u32);
        let wanted: Vec<Pair> = (0..rows).map(|_| Pair { a: row(), b: row() }).collect();
        let mut columns = Columns::new(rows);
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            accelerating::pairs(level, &store.checked(), &wanted, columns.answers())
                .expect("rows exist");
            for (k, pair) in wanted.iter().enumerate() {
                let [a, b] = [pair.a, pair.b].map(|row| store.get(row as usize));
                check(&a, &b, columns.answers().get(k));
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    let checked = store.checked();
                    accelerating::pairs(level, black_box(&checked), &wanted, columns.answers())
                        .expect("rows exist");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, one_to_many, pairs);
criterion_main!(benches);
