//! Time of distances and first times of convex shapes: of a mixture of all kinds, and of pairs of one class.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use scenes::convex::{CLASSES, Hulls, Meeting, Moves, meetings, meetings_of};
use std::hint::black_box;
use swath::convex::toi::{Settings, ToiResult};
use swath::convex::{gjk, toi};

fn search(meeting: &Meeting<'_>) -> toi::Toi {
    let [a, b] = &meeting.shapes;
    let [of_a, of_b] = &meeting.motions;
    toi::one_to_one(a, of_a, b, of_b, &Settings::default()).expect("valid")
}

/// Panics unless each result is correct: at an impact the shapes are as near as guaranteed, and before it
/// they are not.
fn check(meetings: &[Meeting<'_>]) {
    for meeting in meetings {
        let [a, b] = &meeting.shapes;
        let [of_a, of_b] = &meeting.motions;
        let apart = |t| gjk::distance(a, &of_a.at(t), b, &of_b.at(t)).expect("valid").distance;
        let end = match search(meeting).result {
            ToiResult::Impact { t, .. } => {
                assert!(apart(t) < 1e-3, "{meeting:?}");
                t
            }
            ToiResult::Separated => 1.0,
            ToiResult::Overlapping { .. } => continue,
            other => panic!("{other:?} {meeting:?}"),
        };
        for step in 0..16 {
            assert!(apart(end * step as f32 / 16.0) > -1e-5, "{meeting:?}");
        }
    }
}

/// Number of pairs of a class: some lie in the cache, but no branch is learnt by heart.
const OF_A_CLASS: usize = 2_000;

fn distances(many: &[Meeting<'_>]) {
    for Meeting { shapes: [a, b], motions: [of_a, of_b] } in many {
        black_box(gjk::distance(a, &of_a.pose, b, &of_b.pose).expect("valid"));
    }
}

fn searches(many: &[Meeting<'_>]) {
    for meeting in many {
        black_box(search(black_box(meeting)));
    }
}

fn time_of_impact(criterion: &mut Criterion) {
    let hulls = Hulls::new(1);
    let count = 10_000;
    let mut group = criterion.benchmark_group("toi");
    group.throughput(Throughput::Elements(count as u64));
    for moves in [Moves::Linear, Moves::Accelerated, Moves::Spinning] {
        let many = meetings(&hulls, moves, count, 2);
        check(&many[..1000]);
        group.bench_function(format!("{moves:?}/{count}").to_lowercase(), |bencher| {
            bencher.iter(|| searches(&many));
        });
    }
    let many = meetings(&hulls, Moves::Linear, count, 2);
    group.bench_function(format!("distance/{count}"), |bencher| {
        bencher.iter(|| distances(&many));
    });
    group.finish();

    for moves in [Moves::Linear, Moves::Spinning] {
        let mut group = criterion.benchmark_group(format!("toi_{moves:?}").to_lowercase());
        group.throughput(Throughput::Elements(OF_A_CLASS as u64));
        for (name, class) in CLASSES {
            let many = meetings_of(class, &hulls, moves, OF_A_CLASS, 2);
            check(&many[..200]);
            group.bench_function(BenchmarkId::new(OF_A_CLASS.to_string(), name), |bencher| {
                bencher.iter(|| searches(&many));
            });
        }
    }
    let mut group = criterion.benchmark_group("toi_distance");
    group.throughput(Throughput::Elements(OF_A_CLASS as u64));
    for (name, class) in CLASSES {
        let many = meetings_of(class, &hulls, Moves::Linear, OF_A_CLASS, 2);
        group.bench_function(BenchmarkId::new(OF_A_CLASS.to_string(), name), |bencher| {
            bencher.iter(|| distances(&many));
        });
    }
}

criterion_group!(benches, time_of_impact);
criterion_main!(benches);
