//! Tests that batches of convex shapes, overlaps of geometries, and searches for the nearest one do not allocate.

use std::sync::atomic::Ordering;

use swath::convex::gjk::Distance;
use swath::convex::toi::{Settings, Toi, ToiInput};
use swath::convex::{gjk, toi};
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::{Aabb, Bvh, Motion, Pair, Pose, Shape, Threads};
use testkit::convex_asked::{Hulls, hulls, motion, shape};
use testkit::convex_cases::{ConvexCase, convex_cases};
use testkit::counting::ALLOCATIONS;
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Goal: a warm batch allocates nothing: no distance, no overlap, no first time, no rejected row.
///
/// Method: count allocations, for shapes of every kind, every family of motions and an invalid motion. The
/// batches run inside the pool, as those of an engine do. A worker of rayon allocates when it first steals
/// work, at an unpredictable time, so the least count of several batches is used.
pub(crate) fn a_warm_batch_allocates_nothing() {
    let cases: Vec<ConvexCase> = convex_cases(81, 1_200).collect();
    let kept: Vec<Hulls> = cases.iter().map(hulls).collect();
    let (mut shapes, mut motions, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for (case, hulls) in cases.iter().zip(&kept) {
        let row = shapes.len() as u32;
        pairs.push(Pair { a: row, b: row + 1 });
        for (k, hull) in hulls.iter().enumerate() {
            shapes.push(shape(&case.shapes[k], hull.as_ref()));
            motions.push(motion(&case.motions[k]));
        }
    }
    motions[7].spin[0] = f32::NAN;
    let mut poses: Vec<Pose> = motions.iter().map(|motion| motion.pose).collect();
    poses[9].position[0] = f32::NAN;
    #[cfg(feature = "rayon")]
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let counts = pool.install(|| counted(&shapes, &motions, &poses, &pairs));
        assert_eq!(counts, 0, "with {threads} threads");
    }
    assert_eq!(counted(&shapes[..20], &motions[..20], &poses[..20], &pairs[..10]), 0);
}

/// The least number of allocations of a warm batch.
fn counted(shapes: &[Shape<'_>], motions: &[Motion], poses: &[Pose], pairs: &[Pair]) -> usize {
    let mut rejected = Vec::new();
    let mut tois = vec![Toi::default(); pairs.len()];
    let mut distances = vec![Distance::default(); pairs.len()];
    let mut overlaps = vec![false; pairs.len()];
    let threads = Threads::current();
    let mut tick = || {
        let meetings = ToiInput { shapes, motions, pairs, windows: &[] };
        let settings = Settings::default();
        toi::pairs(&meetings, &settings, &threads, &mut rejected, &mut tois).expect("rows");
        assert_eq!(rejected.len(), 1);
        gjk::pairs(shapes, poses, pairs, &threads, &mut rejected, &mut distances).expect("rows");
        assert_eq!(rejected.len(), 1);
        gjk::overlaps_of_pairs(shapes, poses, pairs, &threads, &mut rejected, &mut overlaps)
            .expect("rows");
        assert_eq!(rejected.len(), 1);
        assert!(overlaps.contains(&true));
        tois.iter().filter(|toi| toi.impact().is_some()).count()
    };
    let hits = tick();
    assert!(hits > 0);
    let counts = [(); 8].map(|()| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        assert_eq!(tick(), hits);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    });
    counts.into_iter().min().expect("there are eight")
}

/// Goal: the test of whether two geometries overlap allocates nothing. Method: count allocations, for bodies
/// of all kinds with each other.
pub(crate) fn overlaps_of_geometries_allocate_nothing() {
    let mut draw = Draw::new(82);
    let (vertices, triangles) = terrain(&mut draw, 40, 0.2);
    let mesh = Mesh::new(vertices, triangles).expect("a terrain");
    let field = HeightField::new(vec![0.1; 900], [30; 2], [1.0; 2]).expect("a grid").one_sided();
    let ball = Shape::sphere(0.1).expect("a ball");
    let places = (0..500).map(|_| [0; 3].map(|_| draw.between(-4.0, 4.0)));
    let balls = places.map(|at| (ball.into(), Pose::at(at).expect("near")));
    let balls = Compound::new(balls).expect("near");
    let bodies: [Geometry<'_>; 4] = [(&mesh).into(), (&field).into(), (&balls).into(), ball.into()];
    let count = || {
        let mut counts = [0_usize; 2];
        for (a, b) in bodies.iter().flat_map(|a| bodies.iter().map(move |b| (a, b))) {
            for height in [0.0, 0.15, 9.0] {
                let above = Pose { position: [0.3, height, 0.2], ..Pose::IDENTITY };
                counts[usize::from(a.overlaps(&above, b, &Pose::IDENTITY).expect("valid"))] += 1;
            }
        }
        counts
    };
    let first = count();
    let allocations = [(); 8].map(|()| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        assert_eq!(count(), first);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    });
    assert_eq!(allocations.into_iter().min(), Some(0));
    assert!(first.iter().all(|&count| count > 10), "{first:?}");
}

/// Goal: finding the nearest geometry allocates nothing. Method: count allocations, for convex shapes, a mesh and a height field among many boxes.
pub(crate) fn nearest_geometries_allocate_nothing() {
    let mut draw = Draw::new(83);
    let (vertices, triangles) = terrain(&mut draw, 20, 0.2);
    let mesh = Mesh::new(vertices, triangles).expect("a terrain");
    let field = HeightField::new(vec![0.1; 900], [30; 2], [1.0; 2]).expect("a grid");
    let ball = Geometry::from(Shape::sphere(0.1).expect("a ball"));
    let capsule = Shape::capsule(0.4, 0.2).expect("a capsule").into();
    let bodies: Vec<(Geometry<'_>, Pose)> = (0..500)
        .map(|k| {
            let at = Pose::at([0; 3].map(|_| draw.between(-20.0, 20.0))).expect("near");
            let body = [ball, capsule, (&mesh).into(), (&field).into()];
            (body[if k % 50 < 2 { k % 50 + 2 } else { k % 2 }], at)
        })
        .collect();
    let boxes: Vec<Aabb> = bodies
        .iter()
        .map(|(body, at)| body.bounds_over(&Motion::from(*at), 0.0).expect("near").aabb)
        .collect();
    let mut tree = Bvh::new();
    tree.build(&boxes).expect("valid");
    let find = || {
        let mut rows = 0_u64;
        for k in 0..60 {
            let at = Pose::at([k as f32 - 30.0, 5.0, 1.0]).expect("near");
            let of = if k % 9 == 0 { (&mesh).into() } else { capsule };
            let query = tree.queries().proximity_geometries(&of, &at, 30.0).expect("valid");
            let near = query.nearest_geometry(|row| bodies[row as usize]);
            rows += u64::from(near.expect("it is in range").row);
        }
        rows
    };
    let first = find();
    let allocations = [(); 8].map(|()| {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        assert_eq!(find(), first);
        ALLOCATIONS.load(Ordering::Relaxed) - before
    });
    assert_eq!(allocations.into_iter().min(), Some(0));
}
