//! Time of first times of vertices with faces, and of edges, for the candidates of two sheets of cloth that fall onto each other.
//!
//! Rows are pairs whose boxes touch and that share no vertex. `one_by_one` is the scalar implementation of the same method, which is
//! called for each pair; the levels are batches on one thread. For meshes of the literature see `mesh --times`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use swath::batch::{ElementSettings, ElementToi, MovingPoints, edge_edge, vertex_face};
use swath::{Aabb, Level, Pair, PairFinder, Threads};

/// Vertices on each side of a sheet.
const SIDE: u32 = 150;

/// Two sheets with folds, and their candidates.
struct Cloth {
    at: [Vec<[f64; 3]>; 2],
    faces: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    vertex_face: Vec<Pair>,
    edge_edge: Vec<Pair>,
}

impl Cloth {
    fn new() -> Self {
        let mut at = [Vec::new(), Vec::new()];
        let (mut faces, mut edges) = (Vec::new(), Vec::new());
        for sheet in 0..2 {
            let first = sheet * SIDE * SIDE;
            for row in 0..SIDE * SIDE {
                let (i, j) = (row % SIDE, row / SIDE);
                let (x, y) = (f64::from(i) / f64::from(SIDE), f64::from(j) / f64::from(SIDE));
                let fold = |phase: f64| 0.04 * (40.0 * x + phase).sin() * (30.0 * y - phase).cos();
                let upper = f64::from(sheet);
                let start = 0.02 * upper + fold(2.0 * upper);
                let end = start - 0.03 * upper + 0.2 * fold(1.0);
                at[0].push([x, y, start]);
                at[1].push([x + 0.01 * (9.0 * y).sin() * upper, y, end]);
                let corner = first + row;
                let (right, up) = (i + 1 < SIDE, j + 1 < SIDE);
                edges.extend(right.then_some([corner, corner + 1]));
                edges.extend(up.then_some([corner, corner + SIDE]));
                if right && up {
                    edges.push([corner + 1, corner + SIDE]);
                    faces.push([corner, corner + 1, corner + SIDE]);
                    faces.push([corner + 1, corner + SIDE + 1, corner + SIDE]);
                }
            }
        }
        let point = |vertex: u32, end: usize| {
            let at = at[end][vertex as usize];
            Aabb::from_f64(at, at).expect("finite")
        };
        let around = |vertices: &[u32]| {
            let all = vertices.iter().flat_map(|&vertex| [point(vertex, 0), point(vertex, 1)]);
            all.reduce(|a, b| a.union(&b)).expect("it has vertices")
        };
        let of_vertices: Vec<Aabb> = (0..2 * SIDE * SIDE).map(|vertex| around(&[vertex])).collect();
        let of_faces: Vec<Aabb> = faces.iter().map(|face| around(face)).collect();
        let of_edges: Vec<Aabb> = edges.iter().map(|edge| around(edge)).collect();
        let finder = &mut PairFinder::new();
        let found = finder.union_pairs_between(&of_vertices[..], &of_faces[..]);
        let apart = |pair: &&Pair| !faces[pair.b as usize].contains(&pair.a);
        let vertex_face = found.expect("found").sorted().iter().filter(apart).copied().collect();
        let found = finder.union_pairs(&of_edges[..]);
        let apart = |pair: &&Pair| {
            let [a, b] = [pair.a, pair.b].map(|row| edges[row as usize]);
            !a.iter().any(|vertex| b.contains(vertex))
        };
        let edge_edge = found.expect("found").sorted().iter().filter(apart).copied().collect();
        Self { at, faces, edges, vertex_face, edge_edge }
    }

    /// Searches the pairs of a kind in one batch.
    fn batch(
        &self,
        is_face: bool,
        level: Level,
        points: &MovingPoints<'_>,
        out: &mut [ElementToi],
    ) {
        let (threads, settings) = (Threads::one(), ElementSettings::default());
        let found = if is_face {
            let pairs = &self.vertex_face;
            vertex_face::pairs(level, &threads, points, &self.faces, pairs, &settings, out)
        } else {
            let pairs = &self.edge_edge;
            edge_edge::pairs(level, &threads, points, &self.edges, pairs, &settings, out)
        };
        found.expect("valid");
    }

    /// Searches the pairs of a kind one by one.
    fn one_by_one(&self, is_face: bool, out: &mut [ElementToi]) {
        let settings = ElementSettings::default();
        let at = |vertices: [u32; 4]| {
            [0, 1].map(|end: usize| vertices.map(|vertex| self.at[end][vertex as usize]))
        };
        let pairs = if is_face { &self.vertex_face } else { &self.edge_edge };
        for (pair, out) in pairs.iter().zip(out) {
            let found = if is_face {
                let [a, b, c] = self.faces[pair.b as usize];
                let [start, end] = at([pair.a, a, b, c]);
                vertex_face::one_to_one(&start, &end, &settings)
            } else {
                let ([a, b], [c, d]) = (self.edges[pair.a as usize], self.edges[pair.b as usize]);
                let [start, end] = at([a, b, c, d]);
                edge_edge::one_to_one(&start, &end, &settings)
            };
            *out = found.expect("valid");
        }
    }
}

fn first_times(criterion: &mut Criterion) {
    let cloth = Cloth::new();
    let mut rejected = Vec::new();
    let points = MovingPoints::check(&cloth.at[0][..], &cloth.at[1][..], &mut rejected);
    let points = points.expect("equal lengths");
    for (name, is_face, pairs) in [
        ("elements_vertex_face", true, &cloth.vertex_face),
        ("elements_edge_edge", false, &cloth.edge_edge),
    ] {
        let rows = pairs.len();
        let mut expected = vec![ElementToi::Miss; rows];
        cloth.one_by_one(is_face, &mut expected);
        let hits = expected.iter().filter(|toi| toi.first().is_some()).count();
        assert!(hits > rows / 1000 && hits < rows / 2, "{hits} hits of {rows}");

        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(rows as u64));
        let mut out = expected.clone();
        group.bench_function(BenchmarkId::new(rows.to_string(), "one_by_one"), |bencher| {
            bencher.iter(|| cloth.one_by_one(is_face, black_box(&mut out)));
        });
        for level in Level::all() {
            out.fill(ElementToi::default());
            cloth.batch(is_face, level, &points, &mut out);
            assert!(out == expected, "{level}");
            group.bench_function(BenchmarkId::new(rows.to_string(), level), |bencher| {
                bencher.iter(|| cloth.batch(is_face, level, &points, black_box(&mut out)));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, first_times);
criterion_main!(benches);
