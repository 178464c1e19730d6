//! Time to sweep moving boxes.
//!
//! `sweep/one_to_many/ROWS/LEVEL`: one box against all rows of a scene, with first and last time and contact;
//! `sweep/one_to_many_times/...`: without the contact; `sweep/zip...`: row against row.
//! `sweep/pairs/ROWS/LEVEL`: random pairs of rows. Ten million rows are read from memory;
//! `sweep/zip_times_threads/...` reads them on two threads.
//!
//! In addition to the levels there is code that a user would write: `published`, the published test, one pair
//! after the other in arrays of structures; `columns`, the same in a plain loop over columns, which the
//! compiler may vectorise; and `floor`, which reads and writes the same columns and only adds.
//!
//! The time is for all rows. Every result is compared with the specification before the clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod answers;

use answers::{Columns, store};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use std::hint::black_box;
use swath::batch::sweep::{MISS, Sweep, Times};
use swath::batch::{Checked, sweep};
use swath::{Aabb, Level, MovingBox, MovingBoxStore, Pair};

/// Rows whose columns fit into the first or second cache.
const ROWS: [usize; 2] = [1024, 8192];
/// Rows that are read from memory.
const STREAMED_ROWS: usize = 10_000_000;
const THREADS: usize = 2;

/// Boxes of a small room, so that about half of all pairs touch.
fn crowd(rows: usize, seed: u64) -> MovingBoxStore {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut store = MovingBoxStore::with_capacity(rows);
    for _ in 0..rows {
        let min = [(); 3].map(|()| rng.random_range(0.0..4.0_f32));
        let max = min.map(|min| min + rng.random_range(0.25..2.0_f32));
        let delta = [(); 3].map(|()| rng.random_range(-4.0..4.0_f32));
        store.push(MovingBox { aabb: Aabb { min, max }, delta }).expect("these are boxes");
    }
    store
}

/// Panics unless `got` is the result of the specification, within the bound.
fn check(a: &MovingBox, b: &MovingBox, got: Sweep) {
    let meant = spec::sweep(a, b).expect("scenes contain valid boxes");
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

/// Panics unless the times of a yardstick are those of the specification, within the usual rounding of `f32`.
fn check_yardstick(a: &MovingBox, b: &MovingBox, [first, last]: [f32; 2]) {
    let meant = spec::sweep(a, b).expect("these are boxes");
    let near = |x: f32, y: f64| (f64::from(x) - y).abs() < 1e-5;
    let same = if meant.contact.is_hit() {
        near(first, meant.first) && near(last, meant.last)
    } else {
        first == MISS
    };
    assert!(same || meant.margin.abs() < 1e-5, "{first} {last} for {meant:?}");
}

/// The published test: Ericson 2005, §5.5.8, one pair, with an exit as soon as it is decided, and with the
/// last time of Gomez 1999.
fn published(a: &MovingBox, b: &MovingBox) -> [f32; 2] {
    let (mut first, mut last) = (0.0_f32, 1.0_f32);
    for axis in 0..3 {
        let v = b.delta[axis] - a.delta[axis];
        let (a_min, a_max) = (a.aabb.min[axis], a.aabb.max[axis]);
        let (b_min, b_max) = (b.aabb.min[axis], b.aabb.max[axis]);
        if v < 0.0 {
            if b_max < a_min {
                return [MISS; 2];
            }
            if a_max < b_min {
                first = first.max((a_max - b_min) / v);
            }
            if b_max > a_min {
                last = last.min((a_min - b_max) / v);
            }
        } else if v > 0.0 {
            if b_min > a_max {
                return [MISS; 2];
            }
            if b_max < a_min {
                first = first.max((a_min - b_max) / v);
            }
            if a_max > b_min {
                last = last.min((a_max - b_min) / v);
            }
        } else if b_max < a_min || b_min > a_max {
            return [MISS; 2];
        }
        if first > last {
            return [MISS; 2];
        }
    }
    [first, last]
}

/// The plain loop over columns.
#[inline(never)]
fn columns(a: [&[f32]; 9], b: [&[f32]; 9], first: &mut [f32], last: &mut [f32]) {
    let rows = first.len();
    let (a, b) = (a.map(|column| &column[..rows]), b.map(|column| &column[..rows]));
    let last = &mut last[..rows];
    for row in 0..rows {
        let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
        for axis in 0..3 {
            let v = b[6 + axis][row] - a[6 + axis][row];
            let t0 = (a[axis][row] - b[3 + axis][row]) / v;
            let t1 = (a[3 + axis][row] - b[axis][row]) / v;
            enter = enter.max(t0.min(t1));
            leave = leave.min(t0.max(t1));
        }
        let hit = enter <= leave;
        first[row] = if hit { enter } else { MISS };
        last[row] = if hit { leave } else { MISS };
    }
}

/// Reads and writes the columns of a sweep.
#[inline(never)]
fn floor(a: [&[f32]; 9], b: [&[f32]; 9], first: &mut [f32], last: &mut [f32]) {
    let rows = first.len();
    let (a, b) = (a.map(|column| &column[..rows]), b.map(|column| &column[..rows]));
    let last = &mut last[..rows];
    // Written out, so that the compiler recognises columns and vectorises.
    for row in 0..rows {
        first[row] = ((a[0][row] + a[1][row]) + (a[2][row] + a[3][row]))
            + ((a[4][row] + a[5][row]) + (a[6][row] + a[7][row]))
            + a[8][row];
        last[row] = ((b[0][row] + b[1][row]) + (b[2][row] + b[3][row]))
            + ((b[4][row] + b[5][row]) + (b[6][row] + b[7][row]))
            + b[8][row];
    }
}

fn one_to_many(criterion: &mut Criterion) {
    for rows in [1024, 65_536, 1_000_000] {
        let store = store(&World::new(Scene::Bullets, rows, 1));
        let mut columns = Columns::new(rows);
        // The path is long, so that a part of the rows is hit.
        let mut a = store.get(0);
        a.delta = [40.0, -30.0, 20.0];
        for level in Level::all() {
            let many = store.checked();
            sweep::one_to_many(level, &a, &many, columns.answers()).expect("lengths agree");
            for row in 0..rows {
                check(&a, &store.get(row), columns.answers().get(row));
            }
            let mut group = criterion.benchmark_group("sweep/one_to_many");
            group.throughput(Throughput::Elements(rows as u64));
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                let mut run = |many: &Checked<'_>| {
                    sweep::one_to_many(level, &a, many, columns.answers()).expect("lengths agree");
                };
                bencher.iter(|| run(black_box(&many)));
            });
            drop(group);
            let mut group = criterion.benchmark_group("sweep/one_to_many_times");
            group.throughput(Throughput::Elements(rows as u64));
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                let mut run = |many: &Checked<'_>| {
                    sweep::one_to_many(level, &a, many, columns.times()).expect("lengths agree");
                };
                bencher.iter(|| run(black_box(&many)));
            });
        }
    }
}

fn zip(criterion: &mut Criterion) {
    for rows in ROWS {
        let (a, b) = (crowd(rows, 1), crowd(rows, 2));
        let mut out = Columns::new(rows);
        for level in Level::all() {
            let (a, b) = (a.checked(), b.checked());
            sweep::zip(level, &a, &b, out.answers()).expect("lengths agree");
            for row in 0..rows {
                check(&a.columns().get(row), &b.columns().get(row), out.answers().get(row));
            }
            let mut group = criterion.benchmark_group("sweep/zip");
            group.throughput(Throughput::Elements(rows as u64));
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                let mut run = |a: &Checked<'_>| {
                    sweep::zip(level, a, &b, out.answers()).expect("lengths agree");
                };
                bencher.iter(|| run(black_box(&a)));
            });
        }
        let mut group = criterion.benchmark_group("sweep/zip_times");
        group.throughput(Throughput::Elements(rows as u64));
        zip_times(&mut group, (&a, &b), &mut out);
    }
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

/// First and last times of row against row: every level, and the yardsticks.
fn zip_times(group: &mut Group<'_>, (a, b): (&MovingBoxStore, &MovingBoxStore), out: &mut Columns) {
    let rows = a.len();
    // Of many rows a part is checked; the loops do not depend on the number of rows.
    let checked = |out: &Columns| {
        for row in (0..rows).step_by(1.max(rows / 100_000)) {
            check_yardstick(&a.get(row), &b.get(row), [out.first[row], out.last[row]]);
        }
    };
    for level in Level::all() {
        let (a, b) = (a.checked(), b.checked());
        sweep::zip(level, &a, &b, out.times()).expect("lengths agree");
        checked(out);
        group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
            let mut run = |a: &Checked<'_>| {
                sweep::zip(level, a, &b, out.times()).expect("lengths agree");
            };
            bencher.iter(|| run(black_box(&a)));
        });
    }
    let of =
        |store: &MovingBoxStore| (0..rows).map(|row| store.get(row)).collect::<Vec<MovingBox>>();
    let structures = [of(a), of(b)];
    let run = |[a, b]: &[Vec<MovingBox>; 2], out: &mut Columns| {
        for (row, (a, b)) in a.iter().zip(b).enumerate() {
            [out.first[row], out.last[row]] = published(a, b);
        }
    };
    run(&structures, out);
    checked(out);
    group.bench_function(BenchmarkId::new(rows.to_string(), "published"), |bencher| {
        bencher.iter(|| run(black_box(&structures), out));
    });
    let [of_a, of_b] = [a, b].map(|store| store.columns().columns());
    columns(of_a, of_b, &mut out.first, &mut out.last);
    checked(out);
    group.bench_function(BenchmarkId::new(rows.to_string(), "columns"), |bencher| {
        bencher.iter(|| columns(black_box(of_a), of_b, &mut out.first, &mut out.last));
    });
    group.bench_function(BenchmarkId::new(rows.to_string(), "floor"), |bencher| {
        bencher.iter(|| floor(black_box(of_a), of_b, &mut out.first, &mut out.last));
    });
}

fn streamed(criterion: &mut Criterion) {
    let rows = STREAMED_ROWS;
    let (a, b) = (crowd(rows, 1), crowd(rows, 2));
    let mut out = Columns::new(rows);
    let mut group = criterion.benchmark_group("sweep/zip_times");
    group.throughput(Throughput::Elements(rows as u64)).sample_size(10);
    zip_times(&mut group, (&a, &b), &mut out);
    drop(group);

    let mut group = criterion.benchmark_group("sweep/zip_times_threads");
    group.throughput(Throughput::Elements(rows as u64)).sample_size(10);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads start");
    let chunk = rows.div_ceil(16 * THREADS);
    let name = |what: &str| BenchmarkId::new(rows.to_string(), format!("{what}_{THREADS}"));
    /// Runs the statement on chunks of rows, each a task.
    macro_rules! chunks {
        (|$range:ident, $first:ident, $last:ident| $run:expr) => {
            pool.scope(|scope| {
                let outputs = out.first.chunks_mut(chunk).zip(out.last.chunks_mut(chunk));
                for (k, ($first, $last)) in outputs.enumerate() {
                    let $range = k * chunk..k * chunk + $first.len();
                    scope.spawn(move |_| $run);
                }
            })
        };
    }
    let level = Level::detect();
    let (of_a, of_b) = (a.checked(), b.checked());
    group.bench_function(name(level.name()), |bencher| {
        bencher.iter(|| {
            chunks!(|range, first, last| {
                let (a, b) = (of_a.slice(range.clone()), of_b.slice(range));
                sweep::zip(level, &a, &b, Times { first, last }).expect("lengths agree");
            });
        });
    });
    group.bench_function(name("floor"), |bencher| {
        bencher.iter(|| {
            chunks!(|range, first, last| {
                let (a, b) = (of_a.slice(range.clone()), of_b.slice(range));
                floor(a.columns().columns(), b.columns().columns(), first, last);
            });
        });
    });
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

criterion_group!(benches, one_to_many, zip, streamed, pairs);
criterion_main!(benches);
