//! Time of first times of convex shapes and bodies with parts, and of builds.
//!
//! The bodies are a mesh and a height field of a million triangles, and a compound of a thousand hulls (`compound`), which lie on a
//! smaller terrain.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use scenes::convex::{Hulls, Moves};
use scenes::mesh::{CELL, Terrain};
use std::hint::black_box;
use std::sync::Arc;
use swath::convex::toi::{Settings, ToiResult};
use swath::convex::{Hull, OwnedShape, gjk};
use swath::mesh::toi::{self, PartToi};
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::{Level, Motion, Pose, Shape, Threads};

/// Cells along a side: a million triangles.
const CELLS: u32 = 708;

/// Hulls along a side of the compound.
const HULLS: u32 = 32;

/// Shapes that are thrown at a body, and of these those whose result is checked.
const COUNT: usize = 10_000;
const CHECKED: usize = 1000;

fn search(body: &Geometry<'_>, (shape, motion): &(Shape<'_>, Motion)) -> PartToi {
    let settings = Settings::default();
    toi::one_to_one(&(*shape).into(), motion, body, &Motion::default(), &settings).expect("valid")
}

/// The shape and the pose of a part.
fn part<'b>(body: &Geometry<'b>, number: u32) -> (Shape<'b>, Pose) {
    let corners = match body {
        Geometry::Mesh(mesh) => mesh.corners(number),
        Geometry::HeightField(field) => field.corners(number),
        Geometry::Compound(compound) => {
            let (shape, pose) = &compound.parts()[number as usize];
            return (shape.shape(), *pose);
        }
        _ => panic!("{body:?} has no parts"),
    };
    (Shape::triangle(corners.expect("it is there")).expect("valid"), Pose::IDENTITY)
}

/// Panics unless each result is correct: at an impact the shapes are as near as guaranteed, and before it the shape does
/// not touch the parts below its path, of which each cell has equally many. Returns the number of impacts.
fn check(
    body: &Geometry<'_>,
    (cells, parts_of_cell): (u32, u32),
    thrown: &[(Shape<'_>, Motion)],
) -> usize {
    let mut impacts = 0;
    for of in thrown {
        let (shape, motion) = of;
        let found = search(body, of);
        let distance = |number: u32, t: f32| {
            let (part, pose) = part(body, number);
            gjk::distance(shape, &motion.at(t), &part, &pose).expect("valid").distance
        };
        let end = match found.toi.result {
            ToiResult::Impact { t, .. } => {
                assert!(distance(found.parts[1], t) < 1e-3, "{found:?}");
                impacts += 1;
                t
            }
            ToiResult::Separated => 1.0,
            ToiResult::Overlapping { .. } => continue,
            other => panic!("{other:?}"),
        };
        // Of all parts, those near the path.
        let times = [0.25, 0.5, 0.75, 0.999].map(|of_path| of_path * end);
        for t in times {
            let [x, _, z] = motion.at(t).position;
            for (i, j) in (0..9).map(|k| (k % 3, k / 3)) {
                let [i, j] = [(x, i), (z, j)]
                    .map(|(at, by)| ((at / CELL) as u32 + by).saturating_sub(1).min(cells - 1));
                let first = parts_of_cell * (i + j * cells);
                for number in first..first + parts_of_cell {
                    assert!(distance(number, t) > -1e-4, "{found:?} {number}");
                }
            }
        }
    }
    impacts
}

/// A hull below each vertex of a terrain, except for its last row and column.
fn compound(terrain: &Terrain, hulls: &[Arc<Hull>]) -> Compound {
    let row = terrain.cells + 1;
    let parts = (0..terrain.cells * row).filter(|k| k % row < terrain.cells).map(|k| {
        let [x, y, z] = terrain.vertices[k as usize];
        let pose = Pose::at([x, y - 1.0, z]).expect("valid");
        (OwnedShape::hull(hulls[k as usize % hulls.len()].clone()), pose)
    });
    Compound::new(parts).expect("valid")
}

/// Hulls that compounds share.
fn shared(hulls: &Hulls) -> Vec<Arc<Hull>> {
    hulls.0.iter().cloned().map(Arc::new).collect()
}

/// The heights of a terrain.
fn field(terrain: &Terrain) -> HeightField<'static> {
    let heights: Vec<f32> = terrain.vertices.iter().map(|vertex| vertex[1]).collect();
    HeightField::new(heights, [terrain.cells + 1; 2], [CELL; 2]).expect("a terrain")
}

fn first_times(criterion: &mut Criterion) {
    let hulls = Hulls::new(1);
    let [terrain, small] = [CELLS, HULLS].map(Terrain::new);
    let mesh = Mesh::new(&terrain.vertices[..], &terrain.triangles[..]).expect("a terrain");
    let (field, compound) = (field(&terrain), compound(&small, &shared(&hulls)));
    let bodies = [
        ("mesh", Geometry::from(&mesh), &terrain, 2),
        ("field", Geometry::from(&field), &terrain, 2),
        ("compound", Geometry::from(&compound), &small, 1),
    ];
    for moves in [Moves::Linear, Moves::Accelerated, Moves::Spinning] {
        let name = format!("mesh_{moves:?}").to_lowercase();
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(COUNT as u64));
        for (name, body, terrain, parts_of_cell) in bodies {
            let thrown = terrain.thrown(&hulls, moves, COUNT, 2);
            let thrown: Vec<_> =
                thrown.into_iter().map(|(form, motion)| (form.shape(&hulls), motion)).collect();
            let impacts = check(&body, (terrain.cells, parts_of_cell), &thrown[..CHECKED]);
            assert!(impacts > CHECKED / 2, "{impacts}");
            group.bench_function(BenchmarkId::new(COUNT.to_string(), name), |bencher| {
                bencher.iter(|| {
                    for of in &thrown {
                        black_box(search(&body, black_box(of)));
                    }
                });
            });
        }
        group.finish();
    }
}

fn builds(criterion: &mut Criterion) {
    let [terrain, small] = [CELLS, HULLS].map(Terrain::new);
    let count = terrain.triangles.len();
    let mut group = criterion.benchmark_group("mesh_build");
    group.throughput(Throughput::Elements(count as u64));
    group.sample_size(10);
    for (name, threads) in [("mesh_one", Threads::one()), ("mesh_all", Threads::current())] {
        let exec = swath::Exec { threads, ..Level::detect().into() };
        group.bench_function(BenchmarkId::new(count.to_string(), name), |bencher| {
            bencher.iter(|| {
                let (vertices, triangles) = (&terrain.vertices[..], &terrain.triangles[..]);
                Mesh::with_exec(vertices, triangles, exec.clone()).expect("a terrain")
            });
        });
    }
    group.bench_function(BenchmarkId::new(count.to_string(), "field_all"), |bencher| {
        bencher.iter(|| field(black_box(&terrain)));
    });
    let hulls = shared(&Hulls::new(1));
    let parts = (HULLS * HULLS) as usize;
    group.throughput(Throughput::Elements(parts as u64));
    group.bench_function(BenchmarkId::new(parts.to_string(), "compound"), |bencher| {
        bencher.iter(|| compound(black_box(&small), &hulls));
    });
    group.finish();
}

criterion_group!(benches, first_times, builds);
criterion_main!(benches);
