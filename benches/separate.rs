//! Time to separate boxes.
//!
//! `separate/one_to_many/ROWS/LEVEL`: one box against all rows of a scene; the time is for all rows.
//! `separate/pairs/ROWS/LEVEL`: random pairs of rows. `separate/shares/ROWS/LEVEL`: pairs of bodies that
//! share a depth. Every result is compared with the specification before the clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod answers;

use answers::bodies;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use std::hint::black_box;
use swath::batch::separate::{Moves, Separation, SeparationColumns};
use swath::batch::{Contact, separate};
use swath::{Aabb, Level, Pair};

/// Result columns that are kept between calls.
struct Columns {
    depth: Vec<f32>,
    contact: Vec<Contact>,
}

impl Columns {
    fn new(rows: usize) -> Self {
        Self { depth: vec![0.0; rows], contact: vec![Contact::SEPARATED; rows] }
    }

    fn answers(&mut self) -> SeparationColumns<'_> {
        SeparationColumns { depth: &mut self.depth, contact: &mut self.contact }
    }
}

/// Panics unless `got` is the result of the specification, within the bound.
fn check(a: &Aabb, b: &Aabb, got: Option<Separation>) {
    let meant = spec::separate(a, b).expect("scenes contain valid boxes");
    assert_eq!(got.is_some(), meant.is_some(), "{a:?} {b:?}");
    if let (Some(got), Some(meant)) = (got, meant) {
        let most = meant.depth * (1.0 + f64::from(f32::EPSILON));
        assert!((meant.depth..=most).contains(&f64::from(got.depth)), "{got:?} {meant:?}");
        assert_eq!(got.contact, meant.contact, "{a:?} {b:?}");
    }
}

fn one_to_many(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("separate/one_to_many");
    for rows in [1024, 65_536, 1_000_000] {
        let store = bodies(&World::new(Scene::Dense, rows, 1));
        let mut columns = Columns::new(rows);
        // The box is large, so that a part of the rows is hit.
        let a = store.get(0).moving.aabb;
        let a = Aabb { min: a.min.map(|x| x - 10.0), max: a.max.map(|x| x + 10.0) };
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let boxes = store.checked().boxes();
            separate::one_to_many(level, &a, &boxes, columns.answers()).expect("lengths agree");
            for row in 0..rows {
                check(&a, &store.get(row).moving.aabb, columns.answers().get(row));
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    separate::one_to_many(level, &a, black_box(&boxes), columns.answers())
                        .expect("lengths agree");
                });
            });
        }
    }
    group.finish();
}

/// Pairs of adjacent rows, in random order.
fn wanted(rows: usize) -> Vec<Pair> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut row = || rng.random_range(0..rows as u32);
    (0..rows).map(|_| Pair { a: row(), b: row() }).collect()
}

fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("separate/pairs");
    for rows in [1024, 65_536] {
        let store = bodies(&World::new(Scene::Dense, rows, 1));
        let wanted = wanted(rows);
        let mut columns = Columns::new(rows);
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let boxes = store.checked().boxes();
            separate::pairs(level, &boxes, &wanted, columns.answers()).expect("rows exist");
            for (k, pair) in wanted.iter().enumerate() {
                let [a, b] = [pair.a, pair.b].map(|row| store.get(row as usize).moving.aabb);
                check(&a, &b, columns.answers().get(k));
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    separate::pairs(level, black_box(&boxes), &wanted, columns.answers())
                        .expect("rows exist");
                });
            });
        }
    }
    group.finish();
}

fn shares(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("separate/shares");
    for rows in [1024, 65_536] {
        let store = bodies(&World::new(Scene::Dense, rows, 1));
        let wanted = wanted(rows);
        let cube = Aabb { min: [-1.0; 3], max: [1.0; 3] };
        let push = separate::one_to_one(&cube, &cube).expect("a box").expect("they overlap");
        let contact = vec![push.contact; rows];
        let depth: Vec<f32> = (0..rows).map(|row| row as f32 / 64.0).collect();
        let (mut a, mut b) = (vec![0.0; rows], vec![0.0; rows]);
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let bodies = store.checked();
            let moves = Moves { a: &mut a, b: &mut b };
            separate::shares_of_pairs(level, &depth, &contact, &bodies, &wanted, moves)
                .expect("rows exist");
            for (k, pair) in wanted.iter().enumerate() {
                let masses = [pair.a, pair.b].map(|row| store.get(row as usize).inverse_mass);
                let [of_a, of_b] = spec::shares(f64::from(depth[k]), masses).unwrap_or_default();
                let near = |x: f32, meant: f64| (f64::from(x) - meant).abs() <= meant.abs() * 1e-6;
                assert!(near(a[k], -of_a) && near(b[k], of_b), "{masses:?} {}", depth[k]);
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    let moves = Moves { a: &mut a, b: &mut b };
                    let bodies = black_box(&bodies);
                    separate::shares_of_pairs(level, &depth, &contact, bodies, &wanted, moves)
                        .expect("rows exist");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, one_to_many, pairs, shares);
criterion_main!(benches);
