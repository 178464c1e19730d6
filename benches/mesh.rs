//! Time of first times of convex shapes and meshes, and of builds.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use scenes::convex::{Hulls, Moves};
use scenes::mesh::Terrain;
use std::hint::black_box;
use swath::convex::gjk;
use swath::convex::toi::{Settings, ToiResult};
use swath::mesh::toi::{self, PartToi};
use swath::mesh::{Geometry, HeightField, Mesh};
use swath::{Level, Motion, Pose, Shape, Threads};

/// Cells along a side: a million triangles.
const CELLS: u32 = 708;

fn search(body: &Geometry<'_>, (shape, motion): &(Shape<'_>, Motion)) -> PartToi {
    let settings = Settings::default();
    toi::one_to_one(&(*shape).into(), motion, body, &Motion::default(), &settings).expect("valid")
}

/// Panics unless each result is correct: at an impact the shapes are as near as guaranteed, and before it the shape does
/// not touch the triangles below its path. Returns the number of impacts.
fn check(mesh: &Mesh<'_>, thrown: &[(Shape<'_>, Motion)]) -> usize {
    let mut impacts = 0;
    for of in thrown {
        let (shape, motion) = of;
        let found = search(&mesh.into(), of);
        let distance = |triangle: u32, t: f32| {
            let corners = mesh.corners(triangle).expect("it is there");
            let triangle = Shape::triangle(corners).expect("valid");
            gjk::distance(shape, &motion.at(t), &triangle, &Pose::IDENTITY).expect("valid").distance
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
        // Of all triangles, those near the ends of the path.
        let places = [0.25, 0.5, 0.75, 0.999].map(|part| motion.at(part * end).position);
        for (part, [x, _, z]) in [0.25, 0.5, 0.75, 0.999].into_iter().zip(places) {
            for (i, j) in (0..9).map(|k| (k % 3, k / 3)) {
                let (i, j) = ((x / 2.0) as u32 + i - 1, (z / 2.0) as u32 + j - 1);
                let first = 2 * (i.min(CELLS - 1) + j.min(CELLS - 1) * CELLS);
                for triangle in [first, first + 1] {
                    assert!(distance(triangle, part * end) > -1e-4, "{found:?} {triangle}");
                }
            }
        }
    }
    impacts
}

fn first_times(criterion: &mut Criterion) {
    let hulls = Hulls::new(1);
    let terrain = Terrain::new(CELLS);
    let mesh = Mesh::new(&terrain.vertices[..], &terrain.triangles[..]).expect("a terrain");
    let heights: Vec<f32> = terrain.vertices.iter().map(|vertex| vertex[1]).collect();
    let field = HeightField::new(heights, [CELLS + 1; 2], [2.0; 2]).expect("a terrain");
    let count = 10_000;
    for moves in [Moves::Linear, Moves::Accelerated, Moves::Spinning] {
        let thrown = terrain.thrown(&hulls, moves, count, 2);
        let thrown: Vec<_> =
            thrown.into_iter().map(|(form, motion)| (form.shape(&hulls), motion)).collect();
        let impacts = check(&mesh, &thrown[..1000]);
        assert!(impacts > 500, "{impacts}");
        let name = format!("mesh_{moves:?}").to_lowercase();
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(count as u64));
        for (name, body) in [("mesh", Geometry::from(&mesh)), ("field", Geometry::from(&field))] {
            group.bench_function(BenchmarkId::new(count.to_string(), name), |bencher| {
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
    let terrain = Terrain::new(CELLS);
    let count = terrain.triangles.len();
    let mut group = criterion.benchmark_group("mesh_build");
    group.throughput(Throughput::Elements(count as u64));
    group.sample_size(10);
    for (name, threads) in [("one", Threads::one()), ("all", Threads::current())] {
        let exec = swath::Exec { threads, ..Level::detect().into() };
        group.bench_function(BenchmarkId::new(count.to_string(), name), |bencher| {
            bencher.iter(|| {
                let (vertices, triangles) = (&terrain.vertices[..], &terrain.triangles[..]);
                Mesh::with_exec(vertices, triangles, exec.clone()).expect("a terrain")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, first_times, builds);
criterion_main!(benches);
