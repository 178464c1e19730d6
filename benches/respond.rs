//! Time to compute responses to contacts.
//!
//! `respond/pairs/ROWS/LEVEL`: random pairs of bodies with a contact each; the time is for all.
//! `respond/slide/ROWS/LEVEL`: the remaining displacements. Every result is compared with the specification
//! before the clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod answers;

use answers::bodies;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use std::hint::black_box;
use swath::batch::respond::{Member, SlideColumns};
use swath::batch::{Contact, respond, separate};
use swath::{Aabb, Level, Pair};

const RESTITUTION: f32 = 0.5;

/// A contact of each axis and side.
fn contacts() -> [Contact; 6] {
    core::array::from_fn(|k| {
        let mut center = [0.0; 3];
        center[k / 2] = if k % 2 == 0 { 0.5 } else { -0.5 };
        let [a, b] = [[0.0; 3], center].map(|center| Aabb::cube(center, 1.0).expect("a box"));
        separate::one_to_one(&a, &b).expect("both are boxes").expect("they overlap").contact
    })
}

fn pairs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("respond/pairs");
    for rows in [1024, 65_536] {
        let store = bodies(&World::new(Scene::Bullets, rows, 1));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut row = || rng.random_range(0..rows as u32);
        let wanted: Vec<Pair> = (0..rows).map(|_| Pair { a: row(), b: row() }).collect();
        let contact: Vec<Contact> = contacts().into_iter().cycle().take(rows).collect();
        let (mut a, mut b) = (vec![0.0; rows], vec![0.0; rows]);
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let bodies = store.checked();
            let along = SlideColumns { a: &mut a, b: &mut b };
            respond::pairs(level, &contact, &bodies, &wanted, RESTITUTION, along)
                .expect("rows exist");
            for (k, pair) in wanted.iter().enumerate() {
                let [x, y] = [pair.a, pair.b].map(|row| store.get(row as usize));
                let meant = spec::respond(&x, &y, contact[k], RESTITUTION).expect("bodies");
                let axis = contact[k].axis().expect("a separation has an axis");
                let speeds = x.moving.delta[axis].abs() + y.moving.delta[axis].abs();
                for (got, meant) in [a[k], b[k]].into_iter().zip(meant) {
                    let error = (f64::from(got) - meant[axis]).abs();
                    assert!(error <= f64::from(speeds) * 1e-6, "{x:?} {y:?} {got} {meant:?}");
                }
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    let along = SlideColumns { a: &mut a, b: &mut b };
                    let bodies = black_box(&bodies);
                    respond::pairs(level, &contact, bodies, &wanted, RESTITUTION, along)
                        .expect("rows exist");
                });
            });
        }
    }
    group.finish();
}

fn slide(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("respond/slide");
    for rows in [1024, 65_536] {
        let store = bodies(&World::new(Scene::Bullets, rows, 1));
        let contact: Vec<Contact> = contacts().into_iter().cycle().take(rows).collect();
        let first: Vec<f32> = (0..rows).map(|row| row as f32 / rows as f32).collect();
        let mut rest = [vec![0.0; rows], vec![0.0; rows], vec![0.0; rows]];
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let bodies = store.checked();
            let [x, y, z] = &mut rest;
            respond::slide_each(level, &bodies, &first, &contact, Member::A, [x, y, z])
                .expect("lengths agree");
            for row in 0..rows {
                let delta = store.get(row).moving.delta;
                let meant = spec::slide(delta, f64::from(first[row]), contact[row], false);
                for axis in 0..3 {
                    let error = (f64::from(rest[axis][row]) - meant[axis]).abs();
                    assert!(error <= meant[axis].abs() * 1e-6, "{delta:?} {meant:?}");
                }
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    let [x, y, z] = &mut rest;
                    let bodies = black_box(&bodies);
                    respond::slide_each(level, bodies, &first, &contact, Member::A, [x, y, z])
                        .expect("lengths agree");
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, pairs, slide);
criterion_main!(benches);
