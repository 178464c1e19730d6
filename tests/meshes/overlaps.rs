//! Tests of whether two geometries at rest overlap: as all of their parts do one by one, and as first times at rest state.

use crate::bodies::{Bodies, ROUNDING, parts, pose, shape, vector};
use std::sync::atomic::{AtomicUsize, Ordering};

use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::convex::{OwnedShape, SupportMap, gjk};
use swath::mesh::{Compound, Geometry, HeightField, Mesh, overlaps_of_pairs, toi};
use swath::{COORD_MAX, Motion, Pair, Pose, Shape, Threads};
use testkit::draw::{Draw, how_many};
use testkit::mesh_cases::terrain;

/// Asserts that bodies overlap if any two of their parts do, in both orders, and returns whether they do.
fn as_parts((a, of_a): (&Geometry<'_>, &Pose), (b, of_b): (&Geometry<'_>, &Pose)) -> bool {
    let (parts_a, parts_b) = (parts(a, of_a), parts(b, of_b));
    let pairs = || parts_a.iter().flat_map(|a| parts_b.iter().map(move |b| (a, b)));
    let expected =
        pairs().any(|((a, of_a), (b, of_b))| gjk::overlaps(a, of_a, b, of_b).expect("valid"));
    let found = a.overlaps(of_a, b, of_b).expect("valid");
    let swapped = b.overlaps(of_b, a, of_a).expect("valid");
    if found != expected || swapped != expected {
        let least = pairs().map(|((a, of_a), (b, of_b))| {
            gjk::distance(a, of_a, b, of_b).expect("valid").distance.into()
        });
        let least = least.fold(f64::INFINITY, f64::min);
        let apart = (0..3).map(|k| f64::from(of_a.position[k] - of_b.position[k]).abs());
        let near = ROUNDING * (a.size() + b.size() + apart.sum::<f64>());
        assert!(
            least.abs() <= near,
            "{found} {swapped} {expected} {least} {a:?} {of_a:?} {b:?} {of_b:?}"
        );
    }
    found
}

/// Asserts that bodies that overlap have a contact at the start, and those that do not are not deep, by the first time at rest. Returns whether they
/// overlap.
fn as_at_rest((a, of_a): (&Geometry<'_>, &Pose), (b, of_b): (&Geometry<'_>, &Pose)) -> bool {
    let found = a.overlaps(of_a, b, of_b).expect("valid");
    let settings = Settings { window: [0.0; 2], touch: Touch::Hit, ..Settings::default() };
    let still = [of_a, of_b].map(|pose| Motion::from(*pose));
    let at_rest = toi::one_to_one(a, &still[0], b, &still[1], &settings).expect("valid");
    let text = format!("{found} {at_rest:?} {a:?} {of_a:?} {b:?} {of_b:?}");
    match at_rest.toi.result {
        ToiResult::Overlapping { .. } => assert!(found, "{text}"),
        ToiResult::Separated => assert!(!found, "{text}"),
        // A touch is to within the tolerance.
        result => assert!(matches!(result, ToiResult::Impact { .. }), "{text}"),
    }
    found
}

/// Goal: bodies overlap if any of their parts do. Method: random terrains, fields with holes, compounds and shapes with each other, at random and rotated
/// poses, in both orders; all parts one by one, and first times at rest.
#[test]
fn bodies_overlap_if_any_of_their_parts_do() {
    let mut draw = Draw::new(31);
    let mut counts = [[[0_usize; 2]; 4]; 4];
    for _ in 0..how_many(300) {
        let bodies = [Bodies::new(&mut draw, false), Bodies::new(&mut draw, false)];
        let [first, second] = bodies.each_ref().map(|bodies| bodies.all(&mut draw));
        for (i, a) in first.iter().enumerate() {
            for (j, b) in second.iter().enumerate() {
                let far = draw.one_of(&[0.0, 0.0, 1000.0]);
                let (of_a, mut of_b) = (pose(&mut draw, 2.0 + far), pose(&mut draw, 2.0));
                if far > 0.0 {
                    of_b.position = [0, 1, 2].map(|k| of_a.position[k] + of_b.position[k]);
                }
                let overlaps = as_parts((a, &of_a), (b, &of_b));
                assert_eq!(overlaps, as_at_rest((a, &of_a), (b, &of_b)));
                counts[i][j][usize::from(overlaps)] += 1;
            }
        }
    }
    let each = counts.as_flattened().as_flattened();
    assert!(each.iter().all(|&count| count > how_many(300) / 50), "{counts:?}");
}

/// Goal: a one-sided triangle counts as in a search for the first time at rest. Method: first times at rest of one-sided terrains and fields with
/// each other, with compounds and with shapes, in both orders; the same bodies two-sided overlap more often.
#[test]
fn one_sided_triangles_count_as_for_first_times_at_rest() {
    let mut draw = Draw::new(32);
    let (mut counts, mut passed) = ([0_usize; 2], 0_usize);
    for _ in 0..how_many(500) {
        let bodies = Bodies::new(&mut draw, true);
        let [mesh, field, compound, convex] = bodies.all(&mut draw);
        let corners = |part| bodies.mesh.corners(part).expect("a triangle");
        let corners: Vec<[f32; 3]> = (0..32).flat_map(corners).collect();
        let both_sides =
            Mesh::new(corners, (0..32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect::<Vec<_>>());
        let both_sides = both_sides.expect("the same triangles");
        for (a, b) in
            [(mesh, field), (mesh, compound), (field, compound), (mesh, convex), (field, convex)]
        {
            let [of_a, of_b] = [pose(&mut draw, 1.5), pose(&mut draw, 1.5)];
            counts[usize::from(as_at_rest((&a, &of_a), (&b, &of_b)))] += 1;
            as_at_rest((&b, &of_b), (&a, &of_a));
        }
        let [of_a, of_b] = [pose(&mut draw, 1.5), pose(&mut draw, 1.5)];
        let front = mesh.overlaps(&of_a, &convex, &of_b).expect("valid");
        let any = convex.overlaps(&of_b, &(&both_sides).into(), &of_a).expect("valid");
        assert!(any || !front);
        passed += usize::from(any && !front);
    }
    assert!(counts.iter().all(|&count| count > how_many(500) / 4), "{counts:?}");
    assert!(passed > how_many(500) / 50, "{passed}");
}

/// Goal: a body whose origin is on its surface touches the floor on which it stands, one-sided or not, and one below it does not. Method: a
/// tetrahedron with its origin in its base, at heights that are off by less than a touch, and below the floor.
#[test]
fn body_with_its_origin_on_its_surface_touches_its_floor() {
    let foot = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 2.0, 0.0_f32]];
    let hull = swath::convex::Hull::new(foot).expect("a tetrahedron");
    let body = Geometry::from(Shape::hull(&hull));
    let vertices = vec![[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0]];
    let floor = Mesh::new(vertices, vec![[0, 2, 1]]).expect("a triangle").one_sided();
    let floor = Geometry::from(&floor);
    let at = |y: f32| {
        let pose = Pose::at([0.25, y, 0.5]).expect("finite");
        let overlaps = floor.overlaps(&Pose::IDENTITY, &body, &pose).expect("valid");
        assert_eq!(body.overlaps(&pose, &floor, &Pose::IDENTITY), Ok(overlaps));
        overlaps
    };
    assert!(at(0.0) && at(-1e-6) && !at(1e-6));
    // Its position is behind, and so the triangle is not there for it.
    assert!(!at(-1.0));
}

/// A ball that counts its supports.
#[derive(Debug)]
struct Counted(AtomicUsize);

impl SupportMap for Counted {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        self.0.fetch_add(1, Ordering::Relaxed);
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        direction.map(|x| x / length)
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// Goal: the test ends at the first parts that overlap. Method: supports of a ball in the middle of 10,000 others, and of a terrain and fields inside of it.
#[test]
fn test_ends_at_the_first_overlap() {
    let counted = Counted(AtomicUsize::new(0));
    let ball = Geometry::from(Shape::custom(&counted).expect("a ball"));
    let small = Shape::sphere(0.01).expect("a ball");
    let mut draw = Draw::new(33);
    let places =
        (0..10_000).map(|_| (small.into(), Pose::at(vector(&mut draw, 0.5)).expect("near")));
    let balls = Compound::new(places.collect::<Vec<(OwnedShape, Pose)>>()).expect("near");
    let (vertices, triangles) = terrain(&mut draw, 64, 0.1);
    let small = |[x, y, z]: [f32; 3]| [0.01 * x, y, 0.01 * z];
    let mesh = Mesh::new(vertices.into_iter().map(small).collect::<Vec<_>>(), triangles);
    let mesh = mesh.expect("a terrain");
    let field = HeightField::new(vec![0.1; 4096], [64, 64], [0.01, 0.01]).expect("a grid");
    for body in [(&balls).into(), (&mesh).into(), (&field).into()] {
        counted.0.store(0, Ordering::Relaxed);
        assert_eq!(ball.overlaps(&Pose::IDENTITY, &body, &Pose::IDENTITY), Ok(true));
        let supports = counted.0.load(Ordering::Relaxed);
        assert!((1..100).contains(&supports), "{supports} {}", body.part_count());
    }
}

/// Goal: extreme numbers have the answer of their parts, empty bodies overlap nothing, and invalid poses are errors. Method: bodies of all kinds at such
/// scales and poses with each other.
#[test]
fn extreme_numbers_have_the_answer_of_their_parts() {
    let least = f32::from_bits(1);
    let mut meshes = vec![Mesh::new(Vec::new(), Vec::new()).expect("empty")];
    let (mut fields, mut compounds) = (Vec::new(), vec![Compound::new([]).expect("empty")]);
    for x in [0.0, least, 1e-30, 1.0, 1e18, COORD_MAX] {
        let corners =
            vec![[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, 1.0], [f32::NAN; 3], [-x, x, -x]];
        meshes.push(Mesh::new(corners, vec![[0, 1, 2], [0, 3, 1], [0, 0, 4]]).expect("three"));
        fields.extend(HeightField::new(vec![x, 0.0, f32::NAN, x, x, 0.0], [3, 2], [1.0, 1.0]).ok());
        let part = |shape: Shape<'static>| (OwnedShape::from(shape), Pose::IDENTITY);
        let shapes = [Shape::sphere(0.25 * x), Shape::cuboid([0.25 * x, 0.0, 1.0])];
        compounds.extend(Compound::new(shapes.into_iter().flatten().map(part)).ok());
    }
    let mut bodies: Vec<Geometry<'_>> = meshes.iter().map(Geometry::from).collect();
    bodies.extend(fields.iter().map(Geometry::from));
    bodies.extend(compounds.iter().map(Geometry::from));
    bodies.push(Shape::point().into());
    let at = |position| Pose { position, ..Pose::IDENTITY };
    let poses = [
        Pose::IDENTITY,
        at([-0.0, 1.0, least]),
        at([1e18, 1.0, 0.0]),
        at([-COORD_MAX, COORD_MAX, 0.0]),
        Pose::normalized([1.0, 0.0, 0.0], [0.0, 0.7, 0.0, 0.7]).expect("a turn"),
    ];
    let mut counts = [0_usize; 2];
    for a in &bodies {
        for b in &bodies {
            for (of_a, of_b) in poses.iter().flat_map(|a| poses.iter().map(move |b| (a, b))) {
                // Composed poses may not be valid.
                let is_compound = |body: &Geometry<'_>| matches!(body, Geometry::Compound(_));
                let overlaps = if is_compound(a) || is_compound(b) {
                    a.overlaps(of_a, b, of_b).expect("valid")
                } else {
                    as_parts((a, of_a), (b, of_b))
                };
                assert!(!overlaps || a.part_count() > 0 && b.part_count() > 0);
                counts[usize::from(overlaps)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
    let invalid = at([f32::NAN, 0.0, 0.0]);
    let error = invalid.validate();
    for body in &bodies {
        assert_eq!(body.overlaps(&invalid, &bodies[1], &poses[0]).map(|_| ()), error);
        assert_eq!(bodies[1].overlaps(&poses[0], body, &invalid).map(|_| ()), error);
    }
}

/// Goal: a batch has the results of its pairs, on one thread and on all, and lists invalid poses, which overlap nothing. Method: terrains, compounds and
/// shapes in random poses with each other; a pose of NaN, a row that does not exist, and lists of other lengths.
#[test]
fn batches_have_the_results_of_their_pairs() {
    let mut draw = Draw::new(21);
    let (vertices, triangles) = terrain(&mut draw, 4, 0.5);
    let mesh = Mesh::new(vertices, triangles).expect("a terrain");
    let part = || (OwnedShape::from(Shape::sphere(0.4).expect("a ball")), Pose::IDENTITY);
    let compound = Compound::new([part()]).expect("valid");
    let (mut geometries, mut poses): (Vec<Geometry<'_>>, Vec<Pose>) = Default::default();
    for k in 0..300 {
        geometries.push(match k % 3 {
            0 => (&mesh).into(),
            1 => (&compound).into(),
            _ => shape(&mut draw, 1.0).into(),
        });
        poses.push(pose(&mut draw, 2.0));
    }
    poses[4].position[2] = f32::NAN;
    let pairs: Vec<Pair> =
        (0..300).flat_map(|a| [1, 7, 100].map(|by| Pair { a, b: (a + by) % 300 })).collect();
    for threads in [Threads::one(), Threads::current()] {
        let (mut out, mut rejected) = (vec![true; pairs.len()], Vec::new());
        overlaps_of_pairs(&geometries, &poses, &pairs, &threads, &mut rejected, &mut out)
            .expect("valid");
        assert_eq!(rejected.iter().map(|rejected| rejected.row).collect::<Vec<_>>(), [4]);
        for (found, pair) in out.iter().zip(&pairs) {
            let [a, b] = [pair.a as usize, pair.b as usize];
            let alone = geometries[a].overlaps(&poses[a], &geometries[b], &poses[b]);
            assert_eq!(*found, alone.unwrap_or(false));
        }
        let met = out.iter().filter(|&&met| met).count();
        assert!(met > 100 && met < 800, "{met}");
        let mut of = |poses: &[Pose], pairs: &[Pair], out: &mut [bool]| {
            overlaps_of_pairs(&geometries, poses, pairs, &threads, &mut rejected, out)
        };
        assert!(of(&poses[..9], &pairs, &mut out).is_err());
        assert!(of(&poses, &pairs[1..], &mut out).is_err());
        assert!(of(&poses, &[Pair { a: 0, b: 300 }], &mut [true]).is_err());
        assert!(of(&poses, &[], &mut []).is_ok());
    }
}
