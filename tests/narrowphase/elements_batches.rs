//! Tests of batches of vertex-face and edge-edge pairs: levels, threads, layouts and rejected rows.

use rand::RngExt;
use swath::batch::{
    ElementError, ElementSettings, ElementToi, MovingPoints, Rejected, VertexPositions, edge_edge,
    vertex_face,
};
use swath::{Invalid, Level, Pair, Threads};
use testkit::draw::Draw;

/// A random mesh: positions that `f32` represents, faces, edges, and pairs of both kinds.
struct Mesh {
    at: [Vec<[f64; 3]>; 2],
    faces: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    vertex_face: Vec<Pair>,
    edge_edge: Vec<Pair>,
}

const VERTICES: u32 = 200;

impl Mesh {
    fn draw(pairs: usize) -> Self {
        let draw = &mut Draw::new(11);
        let corner = |draw: &mut Draw| [(); 3].map(|()| f64::from(draw.between(-1.0, 1.0)));
        let start: Vec<_> = (0..VERTICES).map(|_| corner(draw)).collect();
        let end = (0..VERTICES).map(|_| corner(draw)).collect();
        let mut vertex = || draw.0.random_range(0..VERTICES);
        let faces = (0..300).map(|_| [vertex(), vertex(), vertex()]).collect();
        let edges = (0..300).map(|_| [vertex(), vertex()]).collect();
        let mut pair =
            |rows: u32| Pair { a: draw.0.random_range(0..rows), b: draw.0.random_range(0..300) };
        let vertex_face = (0..pairs).map(|_| pair(VERTICES)).collect();
        let edge_edge = (0..pairs).map(|_| pair(300)).collect();
        Self { at: [start, end], faces, edges, vertex_face, edge_edge }
    }

    /// The results of both kinds.
    fn search(
        &self,
        (level, threads): (Level, &Threads),
        points: &MovingPoints<'_>,
        settings: &ElementSettings,
    ) -> [Vec<ElementToi>; 2] {
        let mut out = [&self.vertex_face, &self.edge_edge]
            .map(|pairs| vec![ElementToi::Unresolved { t_safe: 9.0 }; pairs.len()]);
        let [faces, edges] = &mut out;
        let pairs = &self.vertex_face;
        vertex_face::pairs(level, threads, points, &self.faces, pairs, settings, faces)
            .expect("valid");
        let pairs = &self.edge_edge;
        edge_edge::pairs(level, threads, points, &self.edges, pairs, settings, edges)
            .expect("valid");
        out
    }

    /// The results one at a time.
    fn one_by_one(&self, settings: &ElementSettings) -> [Vec<ElementToi>; 2] {
        let at = |vertices: [u32; 4]| {
            [0, 1].map(|end: usize| vertices.map(|vertex| self.at[end][vertex as usize]))
        };
        let faces = self.vertex_face.iter().map(|pair| {
            let [a, b, c] = self.faces[pair.b as usize];
            let [start, end] = at([pair.a, a, b, c]);
            vertex_face::one_to_one(&start, &end, settings).expect("valid")
        });
        let edges = self.edge_edge.iter().map(|pair| {
            let ([a, b], [c, d]) = (self.edges[pair.a as usize], self.edges[pair.b as usize]);
            let [start, end] = at([a, b, c, d]);
            edge_edge::one_to_one(&start, &end, settings).expect("valid")
        });
        [faces.collect(), edges.collect()]
    }
}

fn settings() -> [ElementSettings; 3] {
    let default = ElementSettings::default();
    [
        ElementSettings { minimum_separation: 0.05, ..default },
        ElementSettings { tolerance: 0.0, ..default },
        ElementSettings { rounds_max: 5, ..default },
    ]
}

/// Pools of two and of three threads; without `rayon` there are none.
fn pools() -> Vec<Threads> {
    #[cfg(feature = "rayon")]
    let pools = [2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Threads::of_pool(pool.expect("a pool").into())
    });
    #[cfg(not(feature = "rayon"))]
    let pools = [];
    pools.into()
}

/// Goal: each batch gives the bits of single pairs. Method: every level, numbers of pairs around groups, blocks and chunks, and one
/// to three threads; some hits, some misses, some unresolved.
#[test]
fn batches_of_elements_give_the_same_bits_on_every_level() {
    let pools = pools();
    for pairs in [1, 7, 8, 63, 65, 2500] {
        let mesh = Mesh::draw(pairs);
        let mut rejected = Vec::new();
        let points =
            MovingPoints::check(&mesh.at[0][..], &mesh.at[1][..], &mut rejected).expect("equal");
        for settings in settings() {
            let expected = mesh.one_by_one(&settings);
            if pairs == 2500 {
                let hits = expected.iter().flatten().filter(|toi| toi.first().is_some()).count();
                assert!((50..4900).contains(&hits), "{hits}");
            }
            for level in Level::all() {
                let found = mesh.search((level, &Threads::one()), &points, &settings);
                assert!(found == expected, "{level} {pairs}");
            }
            for threads in &pools {
                assert!(mesh.search((Level::detect(), threads), &points, &settings) == expected);
            }
        }
    }
}

/// Goal: each layout of the positions gives the same bits. Method: rows and columns of both types, also mixed.
#[test]
fn layouts_of_positions_give_the_same_bits() {
    let mesh = Mesh::draw(500);
    let settings = ElementSettings::default();
    let expected = mesh.one_by_one(&settings);
    let narrow = mesh
        .at
        .each_ref()
        .map(|at| at.iter().map(|point| point.map(|x| x as f32)).collect::<Vec<[f32; 3]>>());
    let columns = mesh
        .at
        .each_ref()
        .map(|at| [0, 1, 2].map(|axis| at.iter().map(|point| point[axis]).collect::<Vec<f64>>()));
    let narrow_columns = columns.each_ref().map(|columns| {
        columns.each_ref().map(|column| column.iter().map(|&x| x as f32).collect::<Vec<f32>>())
    });
    let layouts = |end: usize| -> [VertexPositions<'_>; 4] {
        [
            VertexPositions::from(&mesh.at[end][..]),
            VertexPositions::from(&narrow[end][..]),
            VertexPositions::from(columns[end].each_ref().map(|column| &column[..])),
            VertexPositions::from(narrow_columns[end].each_ref().map(|column| &column[..])),
        ]
    };
    for start in layouts(0) {
        for end in layouts(1) {
            let mut rejected = Vec::new();
            let points = MovingPoints::check(start, end, &mut rejected).expect("equal");
            assert_eq!((points.len(), points.is_empty()), (VERTICES as usize, false));
            let found = mesh.search((Level::detect(), &Threads::one()), &points, &settings);
            assert!(found == expected);
        }
    }
}

/// Goal: an invalid vertex is listed with its reason, its pairs are misses, and no other result changes. Method: three invalid vertices of a
/// mesh.
#[test]
fn invalid_vertices_are_rejected_and_disturb_no_other() {
    let mut mesh = Mesh::draw(1000);
    let settings = ElementSettings::default();
    let mut expected = mesh.one_by_one(&settings);
    mesh.at[0][3][1] = f64::NAN;
    mesh.at[1][50][2] = f64::NEG_INFINITY;
    mesh.at[1][51][0] = 1e40;
    let bad = [3, 50, 51];
    let mut changed = 0;
    for (pair, toi) in mesh.vertex_face.iter().zip(&mut expected[0]) {
        if bad.contains(&pair.a) || mesh.faces[pair.b as usize].iter().any(|v| bad.contains(v)) {
            changed += usize::from(*toi != ElementToi::Miss);
            *toi = ElementToi::Miss;
        }
    }
    for (pair, toi) in mesh.edge_edge.iter().zip(&mut expected[1]) {
        let [first, second] = [pair.a, pair.b].map(|row| mesh.edges[row as usize]);
        if first.iter().chain(&second).any(|v| bad.contains(v)) {
            changed += usize::from(*toi != ElementToi::Miss);
            *toi = ElementToi::Miss;
        }
    }
    assert!(changed > 10, "{changed}");
    let mut rejected = Vec::new();
    let points =
        MovingPoints::check(&mesh.at[0][..], &mesh.at[1][..], &mut rejected).expect("equal");
    let reasons = [
        Rejected { row: 3, reason: Invalid::NotFinite { axis: 1 } },
        Rejected { row: 50, reason: Invalid::NotFinite { axis: 2 } },
        Rejected { row: 51, reason: Invalid::TooLarge { axis: 0 } },
    ];
    assert_eq!(points.rejected(), reasons);
    for level in Level::all() {
        let found = mesh.search((level, &Threads::current()), &points, &settings);
        assert!(found == expected, "{level}");
    }
}

/// Goal: rows and vertices that do not exist, and lengths that differ, are errors, and nothing is written. Method: one fault at a time.
#[test]
fn rows_that_do_not_exist_are_errors() {
    let at = [[0.0_f64; 3]; 4];
    let mut rejected = Vec::new();
    assert!(MovingPoints::check(&at[..], &at[..3], &mut rejected).is_err());
    let columns: [&[f64]; 3] = [&[0.0; 4], &[0.0; 4], &[0.0; 3]];
    assert!(MovingPoints::check(&at[..], columns, &mut rejected).is_err());
    let points = MovingPoints::check(&at[..], &at[..], &mut rejected).expect("equal");
    let (level, threads) = (Level::detect(), Threads::one());
    let (faces, edges) = ([[1, 2, 3], [1, 2, 4]], [[0, 1], [4, 1]]);
    let unwritten = ElementToi::Unresolved { t_safe: 0.5 };
    let settings = ElementSettings::default();
    for (pair, error) in [
        (Pair { a: 0, b: 2 }, ElementError::NoSuchRow { index: 0, row: 2, rows: 2 }),
        (Pair { a: 4, b: 0 }, ElementError::NoSuchVertex { index: 0, vertex: 4, vertices: 4 }),
        (Pair { a: 0, b: 1 }, ElementError::NoSuchVertex { index: 0, vertex: 4, vertices: 4 }),
    ] {
        let mut out = [unwritten];
        let found =
            vertex_face::pairs(level, &threads, &points, &faces, &[pair], &settings, &mut out);
        assert_eq!((found, out), (Err(error), [unwritten]));
    }
    for (pair, error) in [
        (Pair { a: 0, b: 2 }, ElementError::NoSuchRow { index: 0, row: 2, rows: 2 }),
        (Pair { a: 7, b: 0 }, ElementError::NoSuchRow { index: 0, row: 7, rows: 2 }),
        (Pair { a: 0, b: 1 }, ElementError::NoSuchVertex { index: 0, vertex: 4, vertices: 4 }),
    ] {
        let mut out = [unwritten];
        let found =
            edge_edge::pairs(level, &threads, &points, &edges, &[pair], &settings, &mut out);
        assert_eq!((found, out), (Err(error), [unwritten]));
    }
    let mut out = [unwritten; 2];
    let found = vertex_face::pairs(level, &threads, &points, &faces, &[], &settings, &mut out);
    assert!(matches!(found, Err(ElementError::Length(_))) && out == [unwritten; 2]);
}

/// Goal: a pair with a rejected vertex takes no rounds, and its neighbours in a block have the results that they have without it.
/// Method: pairs with a position that is not a number, infinite or too large, at either end of the tick, and as many rounds as a setting
/// can state: a pair that takes all of them would not end.
#[test]
fn pair_with_a_rejected_vertex_takes_no_rounds() {
    let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 1.0, 3.0_f64]];
    // Two copies of the four vertices; those of the first copy become invalid.
    let start = [corners, corners].concat();
    let mut end = start.clone();
    (end[3][2], end[7][2]) = (-1.0, -1.0);
    let (faces, edges) = ([[0, 1, 2], [4, 5, 6]], [[0, 3], [1, 2], [4, 7], [5, 6]]);
    let of_faces: Vec<_> = [Pair { a: 3, b: 0 }, Pair { a: 7, b: 1 }].repeat(40);
    let of_edges: Vec<_> = [Pair { a: 0, b: 1 }, Pair { a: 2, b: 3 }].repeat(40);
    let settings = ElementSettings { rounds_max: u32::MAX, ..ElementSettings::default() };
    let threads = Threads::one();
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
        for (at_start, vertex) in [(true, 3), (false, 3), (true, 0), (false, 1)] {
            let (mut start, mut end) = (start.clone(), end.clone());
            (if at_start { &mut start } else { &mut end })[vertex][1] = wrong;
            let mut rejected = Vec::new();
            let points = MovingPoints::check(&start[..], &end[..], &mut rejected).expect("equal");
            assert_eq!(points.rejected().len(), 1);
            for level in Level::all() {
                let mut out = [vec![ElementToi::default(); 80], vec![ElementToi::default(); 80]];
                let [by_faces, by_edges] = &mut out;
                vertex_face::pairs(
                    level, &threads, &points, &faces, &of_faces, &settings, by_faces,
                )
                .expect("valid");
                edge_edge::pairs(level, &threads, &points, &edges, &of_edges, &settings, by_edges)
                    .expect("valid");
                for (out, is_hit) in out.iter().zip([true, false]) {
                    for rows in out.as_chunks::<2>().0 {
                        assert_eq!(rows[0], ElementToi::Miss, "{wrong} {vertex}");
                        assert_eq!(rows[1].first().is_some(), is_hit, "{wrong} {vertex}");
                    }
                }
            }
        }
    }
}
