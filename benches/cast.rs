//! Time to cast segments against boxes.
//!
//! `cast/OUTPUT/ROWS/LEVEL`: one segment against all rows of a scene. The output is columns of fractions
//! (`one_to_many`), whole results (`one_to_many_answers`), a list of hits (`one_to_many_hits`), the closest
//! hit (`closest`) or any hit (`any`, of a segment without hits). In addition to the levels, `one_to_many`
//! has the loops that decision 0005 compares with: `published`, `division_free` and `columns`.
//! `cast/many_to_one` and `cast/zip` are for that many segments; `cast/polyhedron` is `many_to_one` with the
//! six faces of a box. The time is for all rows. Every result is compared with the specification before the
//! clock starts.

#![allow(missing_docs, reason = "criterion's macros make undocumented functions")]

mod answers;

use answers::store;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use std::hint::black_box;
use swath::batch::cast::polyhedron::Polyhedron;
use swath::batch::cast::{Cast, CastColumns, Fractions, MISS, polyhedron};
use swath::batch::{Faces, Hit, Hits, SegmentStore, cast};
use swath::{Aabb, Level, Plane, Segment};

const ROWS: [usize; 3] = [1024, 65_536, 1_000_000];

/// Result columns that are kept between calls.
struct Columns {
    entry: Vec<f32>,
    exit: Vec<f32>,
    faces: Vec<Faces>,
}

impl Columns {
    fn new(rows: usize) -> Self {
        Self { entry: vec![0.0; rows], exit: vec![0.0; rows], faces: vec![Faces::MISS; rows] }
    }

    fn answers(&mut self) -> CastColumns<'_> {
        CastColumns { entry: &mut self.entry, exit: &mut self.exit, faces: &mut self.faces }
    }

    fn fractions(&mut self) -> Fractions<'_> {
        Fractions { entry: &mut self.entry, exit: &mut self.exit }
    }
}

/// A segment from the centre of a box, with a length relative to the scene.
fn segment(world: &World, rng: &mut Xoshiro256PlusPlus) -> Segment {
    let row = rng.random_range(0..world.len());
    let start = [0, 1, 2].map(|axis: usize| world.min[axis][row]);
    Segment::new(start, [40.0, -30.0, 20.0].map(|d| d * rng.random_range(0.5..1.5)))
        .expect("a scene is not that large")
}

/// Panics unless the fractions are those of the specification, within the bound.
fn check(segment: &Segment, aabb: &Aabb, [entry, exit]: [f32; 2]) {
    let meant = spec::cast(segment, aabb).expect("a segment and a box");
    let got = [entry, exit].map(f64::from);
    if !meant.faces.is_hit() {
        assert!(entry == MISS || meant.margin > -1e-6, "{got:?} {meant:?}");
        return;
    }
    let early = meant.entry * (1.0 - 0.5f64.powi(21)) - 0.5f64.powi(126);
    assert!((early..=meant.entry).contains(&got[0]), "{got:?} {meant:?}");
    assert!(got[1] >= meant.exit && exit <= segment.max_fraction, "{got:?} {meant:?}");
}

/// The same for loops without a guaranteed bound, whose rounding may err to either side.
fn check_nearly(segment: &Segment, aabb: &Aabb, entry: f32) {
    let meant = spec::cast(segment, aabb).expect("a segment and a box");
    let near = (f64::from(entry) - meant.entry).abs() <= 1e-5 * (1.0 + meant.entry);
    let hit = meant.faces.is_hit();
    let agrees = if hit && entry != MISS { near } else { hit == (entry != MISS) };
    assert!(agrees || meant.margin.abs() < 1e-5, "{entry} {meant:?} {segment:?} {aabb:?}");
}

/// The published loop (Ericson 2005, p. 180 and the post after it): one box at a time, with a branch and a
/// division for each axis, and an exit at the first axis that misses.
fn published(segment: &Segment, aabb: &Aabb) -> f32 {
    let (mut entry, mut exit) = (0.0, segment.max_fraction);
    for axis in 0..3 {
        let (start, d) = (segment.start[axis], segment.delta[axis]);
        if d == 0.0 {
            if start < aabb.min[axis] || start > aabb.max[axis] {
                return MISS;
            }
            continue;
        }
        let per_d = 1.0 / d;
        let mut near = (aabb.min[axis] - start) * per_d;
        let mut far = (aabb.max[axis] - start) * per_d;
        if near > far {
            (near, far) = (far, near);
        }
        if near > entry {
            entry = near;
        }
        if far < exit {
            exit = far;
        }
        if entry > exit {
            return MISS;
        }
    }
    entry
}

/// The published comparison without division: fractions are stored as pairs and compared by products; a hit
/// takes one division at the end.
fn division_free(segment: &Segment, aabb: &Aabb) -> f32 {
    let (mut entry, mut exit) = ((0.0, 1.0), (segment.max_fraction, 1.0));
    for axis in 0..3 {
        let (start, d) = (segment.start[axis], segment.delta[axis]);
        let (mut near, mut far) = (aabb.min[axis] - start, aabb.max[axis] - start);
        let mut rate = d;
        if d < 0.0 {
            (near, far, rate) = (-far, -near, -d);
        } else if d == 0.0 {
            if near > 0.0 || far < 0.0 {
                return MISS;
            }
            continue;
        }
        // near / rate > entry.0 / entry.1, and so on; denominators are positive.
        if near * entry.1 > entry.0 * rate {
            entry = (near, rate);
        }
        if far * exit.1 < exit.0 * rate {
            exit = (far, rate);
        }
        if entry.0 * exit.1 > exit.0 * entry.1 {
            return MISS;
        }
    }
    entry.0 / entry.1
}

/// A plain loop over columns that the compiler may vectorise, without validation and slack.
fn columns(segment: &Segment, boxes: [&[f32]; 6], entry: &mut [f32]) {
    let [x0, y0, z0, x1, y1, z1] = boxes;
    let [x, y, z] = segment.start;
    let [per_x, per_y, per_z] = segment.delta.map(|d| 1.0 / d);
    for row in 0..entry.len() {
        let (a, b) = ((x0[row] - x) * per_x, (x1[row] - x) * per_x);
        let (c, d) = ((y0[row] - y) * per_y, (y1[row] - y) * per_y);
        let (e, f) = ((z0[row] - z) * per_z, (z1[row] - z) * per_z);
        let near = a.min(b).max(c.min(d)).max(e.min(f)).max(0.0);
        let far = a.max(b).min(c.max(d)).min(e.max(f)).min(segment.max_fraction);
        entry[row] = if near <= far { near } else { MISS };
    }
}

fn one_to_many(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cast/one_to_many");
    for rows in ROWS {
        let world = World::new(Scene::Uniform, rows, 1);
        let store = store(&world);
        let aabbs: Vec<Aabb> = (0..rows).map(|row| store.get(row).aabb).collect();
        let segment = segment(&world, &mut Xoshiro256PlusPlus::seed_from_u64(3));
        let mut out = Columns::new(rows);
        group.throughput(Throughput::Elements(rows as u64));
        for level in Level::all() {
            let many = store.checked();
            cast::one_to_many(level, &segment, &many, out.fractions()).expect("lengths agree");
            for (row, aabb) in aabbs.iter().enumerate() {
                check(&segment, aabb, [out.entry[row], out.exit[row]]);
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| {
                    let many = store.checked();
                    cast::one_to_many(level, black_box(&segment), &many, out.fractions())
                        .expect("lengths agree");
                });
            });
        }

        let mut loops = |name: &str, run: &mut dyn FnMut(&Segment, &mut [f32])| {
            run(&segment, &mut out.entry);
            for (row, aabb) in aabbs.iter().enumerate() {
                check_nearly(&segment, aabb, out.entry[row]);
            }
            group.bench_function(BenchmarkId::new(rows.to_string(), name), |bencher| {
                bencher.iter(|| run(black_box(&segment), black_box(&mut out.entry)));
            });
        };
        loops("published", &mut |segment, entry| {
            for (entry, aabb) in entry.iter_mut().zip(&aabbs) {
                *entry = published(segment, aabb);
            }
        });
        loops("division_free", &mut |segment, entry| {
            for (entry, aabb) in entry.iter_mut().zip(&aabbs) {
                *entry = division_free(segment, aabb);
            }
        });
        let [x0, y0, z0, x1, y1, z1, ..] = store.columns().columns();
        loops("columns", &mut |segment, entry| {
            let rows = entry.len();
            columns(segment, [x0, y0, z0, x1, y1, z1].map(|column| &column[..rows]), entry);
        });
    }
    group.finish();
}

/// Whole results and lists of hits; the closest and any.
fn outputs(criterion: &mut Criterion) {
    for rows in ROWS {
        let world = World::new(Scene::Uniform, rows, 1);
        let store = store(&world);
        let segment = segment(&world, &mut Xoshiro256PlusPlus::seed_from_u64(3));
        let away = Segment { start: [1e6; 3], ..segment };
        let one = |row: usize| {
            cast::one_to_one(&segment, &store.get(row).aabb).expect("a segment and a box")
        };
        let casts: Vec<Cast> = (0..rows).map(one).collect();
        let hit = |(row, cast): (u32, &Cast)| {
            cast.faces.is_hit().then_some(Hit { row, value: cast.entry })
        };
        let found: Vec<Hit> = (0..).zip(&casts).filter_map(hit).collect();
        for (row, cast) in casts.iter().enumerate() {
            check(&segment, &store.get(row).aabb, [cast.entry, cast.exit]);
        }
        let closest = found.iter().copied().reduce(|a, b| if b.value < a.value { b } else { a });
        let (mut out, mut room) = (Columns::new(rows), vec![Hit::default(); found.len() + 16]);
        for level in Level::all() {
            let id = || BenchmarkId::new(rows.to_string(), level);
            let many = store.checked();
            let mut group = criterion.benchmark_group("cast/one_to_many_answers");
            group.throughput(Throughput::Elements(rows as u64));
            cast::one_to_many(level, &segment, &many, out.answers()).expect("lengths agree");
            assert!((0..rows).all(|row| out.answers().get(row) == casts[row]));
            group.bench_function(id(), |bencher| {
                bencher.iter(|| {
                    cast::one_to_many(level, black_box(&segment), &many, out.answers())
                        .expect("lengths agree");
                });
            });
            group.finish();

            let mut group = criterion.benchmark_group("cast/one_to_many_hits");
            group.throughput(Throughput::Elements(rows as u64));
            let mut hits = Hits::new(&mut room);
            cast::one_to_many(level, &segment, &many, &mut hits).expect("there is room");
            assert_eq!(*hits, found);
            group.bench_function(id(), |bencher| {
                bencher.iter(|| {
                    let mut hits = Hits::new(&mut room);
                    cast::one_to_many(level, black_box(&segment), &many, &mut hits)
                        .expect("there is room");
                    hits.found()
                });
            });
            group.finish();

            let mut group = criterion.benchmark_group("cast/closest");
            group.throughput(Throughput::Elements(rows as u64));
            assert_eq!(cast::closest(level, &segment, &many), Ok(closest));
            group.bench_function(id(), |bencher| {
                bencher.iter(|| cast::closest(level, black_box(&segment), &many));
            });
            group.finish();

            let mut group = criterion.benchmark_group("cast/any");
            group.throughput(Throughput::Elements(rows as u64));
            assert_eq!(cast::any(level, &segment, &many), Ok(found.first().copied()));
            assert_eq!(cast::any(level, &away, &many), Ok(None));
            group.bench_function(id(), |bencher| {
                bencher.iter(|| cast::any(level, black_box(&away), &many));
            });
            group.finish();
        }
    }
}

/// Many segments: against one box, each against its own, and against the faces of a box.
fn many_segments(criterion: &mut Criterion) {
    for rows in ROWS {
        let world = World::new(Scene::Uniform, rows, 1);
        let boxes = store(&world);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut segments = SegmentStore::with_capacity(rows);
        for _ in 0..rows {
            segments.push(segment(&world, &mut rng)).expect("a segment");
        }
        let one = boxes.get(rows / 2).aabb;
        let one = Aabb { max: one.min.map(|x| x + 8.0), ..one };
        let planes: Vec<Plane> = (0..6)
            .map(|face| {
                let (axis, side) = (face / 2, if face % 2 == 0 { -1.0 } else { 1.0 });
                let mut normal = [0.0; 3];
                normal[axis] = side;
                let at = if face % 2 == 0 { one.min } else { one.max };
                Plane { normal, offset: side * at[axis] }
            })
            .collect();
        let polyhedron = Polyhedron::new(&planes).expect("six faces");
        let mut out = Columns::new(rows);
        for level in Level::all() {
            let id = || BenchmarkId::new(rows.to_string(), level);
            let (rays, many) = (segments.checked(), boxes.checked());
            let mut group = criterion.benchmark_group("cast/many_to_one");
            group.throughput(Throughput::Elements(rows as u64));
            cast::many_to_one(level, &rays, &one, out.fractions()).expect("lengths agree");
            for row in 0..rows {
                check(&segments.get(row), &one, [out.entry[row], out.exit[row]]);
            }
            group.bench_function(id(), |bencher| {
                bencher.iter(|| {
                    cast::many_to_one(level, &rays, black_box(&one), out.fractions())
                        .expect("lengths agree");
                });
            });
            group.finish();

            let mut group = criterion.benchmark_group("cast/zip");
            group.throughput(Throughput::Elements(rows as u64));
            cast::zip(level, &rays, &many, out.fractions()).expect("lengths agree");
            for row in 0..rows {
                let fractions = [out.entry[row], out.exit[row]];
                check(&segments.get(row), &boxes.get(row).aabb, fractions);
            }
            group.bench_function(id(), |bencher| {
                bencher.iter(|| {
                    cast::zip(level, black_box(&rays), &many, out.fractions())
                        .expect("lengths agree");
                });
            });
            group.finish();

            let mut group = criterion.benchmark_group("cast/polyhedron");
            group.throughput(Throughput::Elements(rows as u64));
            polyhedron::many_to_one(level, &rays, &polyhedron, out.fractions())
                .expect("lengths agree");
            for row in 0..rows {
                // The bound is one of distances, so fractions may be a little earlier.
                let meant = spec::cast(&segments.get(row), &one).expect("a segment and a box");
                let entry = f64::from(out.entry[row]);
                let near = entry <= meant.entry && entry > meant.entry - 1e-3;
                let hit = meant.faces.is_hit();
                assert!(if hit { near } else { entry.is_infinite() || meant.margin > -1e-3 });
            }
            group.bench_function(id(), |bencher| {
                bencher.iter(|| {
                    polyhedron::many_to_one(level, black_box(&rays), &polyhedron, out.fractions())
                        .expect("lengths agree");
                });
            });
            group.finish();
        }
    }
}

criterion_group!(benches, one_to_many, outputs, many_segments);
criterion_main!(benches);
