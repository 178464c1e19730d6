//! How fast are moving boxes swept?
//!
//! `sweep/one_to_many/ROWS/LEVEL`: one box against all rows of a world; time is for all rows.
//! `sweep/pairs/ROWS/LEVEL`: so many random pairs of rows. Every answer is compared with the
//! specification before the clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod worlds;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::hint::black_box;
use swath::sweep::{self, Answers, MISS, Sweep};
use swath::{BoxStore, Checked, Contact, Level, MovingBox, Pair, spec};
use worlds::{Scene, World};

/// Answer columns that are kept between calls.
struct Columns {
    first: Vec<f32>,
    last: Vec<f32>,
    contact: Vec<Contact>,
}

impl Columns {
    fn new(rows: usize) -> Self {
        Self {
            first: vec![0.0; rows],
            last: vec![0.0; rows],
            contact: vec![Contact::SEPARATED; rows],
        }
    }

    fn answers(&mut self) -> Answers<'_> {
        Answers { first: &mut self.first, last: &mut self.last, contact: &mut self.contact }
    }
}

fn store(world: &World) -> BoxStore {
    let mut store = BoxStore::with_capacity(world.len());
    for row in 0..world.len() {
        let of = |columns: &[Vec<f32>; 3]| core::array::from_fn(|axis| columns[axis][row]);
        let aabb = swath::Aabb { min: of(&world.min), max: of(&world.max) };
        store.push(MovingBox { aabb, delta: of(&world.delta) }).expect("worlds hold boxes");
    }
    store
}

/// Panics unless `got` is what the specification says, within the bound.
fn check(a: &MovingBox, b: &MovingBox, got: Sweep) {
    let meant = spec::sweep(a, b).expect("worlds hold boxes");
    let hit = meant.contact.is_hit();
    assert!(got.contact.is_hit() == hit || !hit && meant.margin > -1e-6, "{a:?} {b:?}");
    if hit {
        let early = meant.first * (1.0 - 0.5f64.powi(21)) - 0.5f64.powi(126);
        assert!((early..=meant.first).contains(&f64::from(got.first)), "{got:?} {meant:?}");
        assert!(f64::from(got.last) >= meant.last, "{got:?} {meant:?}");
    } else if !got.contact.is_hit() {
        assert_eq!((got.first, got.last), (MISS, MISS));
    }
}

fn one_to_many(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep/one_to_many");
    for rows in [1024, 65_536, 1_000_000] {
        let store = store(&World::new(Scene::Bullets, rows, 1));
        let mut columns = Columns::new(rows);
        // A long path, so that a part of the rows is hit.
        let mut a = store.get(0);
        a.delta = [40.0, -30.0, 20.0];
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let mut run = |many: &Checked<'_>| {
                sweep::one_to_many(level, &a, many, columns.answers()).expect("lengths agree");
            };
            run(&store.checked());
            for row in 0..rows {
                check(&a, &store.get(row), columns.answers().get(row));
            }
            let mut run = |many: &Checked<'_>| {
                sweep::one_to_many(level, &a, many, columns.answers()).expect("lengths agree");
            };
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| run(black_box(&store.checked())));
            });
        }
    }
    group.finish();
}

fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sweep/pairs");
    for rows in [1024, 65_536] {
        let store = store(&World::new(Scene::Bullets, rows, 1));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut row = || rng.random_range(0..rows as u32);
        let wanted: Vec<Pair> = (0..rows).map(|_| Pair { a: row(), b: row() }).collect();
        let mut columns = Columns::new(rows);
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            sweep::pairs(level, &store.checked(), &wanted, columns.answers()).expect("rows exist");
            for (k, pair) in wanted.iter().enumerate() {
                let [a, b] = [pair.a, pair.b].map(|row| store.get(row as usize));
                check(&a, &b, columns.answers().get(k));
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    let checked = store.checked();
                    sweep::pairs(level, black_box(&checked), &wanted, columns.answers())
                        .expect("rows exist");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, one_to_many, pairs);
criterion_main!(benches);
