//! Segments against bodies with parts.

use rand::RngExt;
use spec::{Core, MovingSolid, Solid};
use swath::batch::{Row, SegmentColumns, SegmentStart};
use swath::convex::{ConvexCast, OwnedShape};
use swath::mesh::{Compound, Geometry, Mesh, PartCast};
use swath::{Level, Pose, Segment, Shape, Threads};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use testkit::draw::{Draw, how_many};
use testkit::exact_ray::{Whole, first_touch};
use testkit::mesh_cases::{mesh_case, terrain};

/// Goal: a segment enters a mesh where it enters the first of its triangles. Method: random meshes and segments, among
/// them infinite rays; each triangle alone.
#[test]
fn a_segment_enters_the_first_triangle() {
    let mut draw = Draw::new(6);
    let mut hits = 0;
    for _ in 0..1_500 {
        let case = mesh_case(&mut draw);
        let mesh = case.mesh();
        let [of_shape, of_mesh] = case.motions();
        let pose: Pose = of_mesh.pose;
        let max_fraction = draw.one_of(&[1.0, 0.5, f32::INFINITY]);
        let segment =
            Segment { start: of_shape.pose.position, delta: of_shape.delta, max_fraction };
        let found = Geometry::from(&mesh).cast(&pose, &segment).expect("valid");
        let fraction = |cast: ConvexCast| match cast {
            ConvexCast::Hit { fraction, .. } => fraction,
            ConvexCast::Missed => f32::INFINITY,
            other => panic!("{other:?}"),
        };
        let alone = (0..case.triangles.len() as u32)
            .map(|triangle| {
                let triangle = Shape::triangle(mesh.corners(triangle).expect("it is there"));
                fraction(triangle.expect("valid").cast(&pose, &segment).expect("valid"))
            })
            .fold(f32::INFINITY, f32::min);
        let first = fraction(found.cast);
        let length = segment.delta.iter().map(|x| x * x).sum::<f32>().sqrt();
        // Where a segment passes an edge within the tolerance, both a hit and a miss are right.
        if first.is_finite() && alone.is_finite() {
            let numbers = segment.start.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
            let off = (first - alone).abs() * length;
            assert!(off < 2e-4 * (length + numbers), "{first} {alone} {case:?}");
            hits += 1;
        } else {
            assert!(first == alone || max_fraction == f32::INFINITY, "{first} {alone} {case:?}");
        }
        if let ConvexCast::Hit { normal, .. } = found.cast {
            assert!((normal.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-4);
        }
    }
    assert!(hits > 200, "{hits}");
}

/// The distance of a point and a triangle, by the specification.
fn distance(point: [f64; 3], corners: [[f64; 3]; 3]) -> f64 {
    let rest = PlainShape { core: PlainCore::Point, radius: 0.0 }.moving(&PlainMotion::REST);
    let at = |points: Vec<[f64; 3]>| MovingSolid {
        solid: Solid { core: Core::Hull(points), radius: 0.0 },
        ..rest.clone()
    };
    spec::distance(&at(vec![point]), &at(corners.to_vec()), 0.0).lower
}

/// Goal: on whole numbers, a cast is never late and never misses, and what it reports is within the tolerance of the
/// surface; one-sided triangles are entered from the front alone. Method: triangles with corners on a small grid, many of them
/// without area; rays through corners, edges and planes; exact integers over all triangles; scaled by powers of two.
#[test]
fn casts_agree_with_exact_integers() {
    let mut draw = Draw::new(77);
    let (mut hits, mut misses, mut grazes) = (0, 0, 0);
    let rounds = how_many(60_000);
    for round in 0..rounds {
        let most = draw.one_of(&[2, 5, 40]);
        let mut point = || [(); 3].map(|()| i128::from(draw.0.random_range(-most..=most)));
        let count = 1 + round % 7;
        let triangles: Vec<[Whole; 3]> = (0..count).map(|_| [(); 3].map(|()| point())).collect();
        let (start, mut delta) = (point(), point());
        if round % 5 == 0 {
            // Through a corner.
            delta = [0, 1, 2].map(|k| triangles[0][0][k] - start[k]);
        }
        let one_sided = draw.one_in(3);
        let max_fraction = draw.one_of(&[1.0, 0.5, f32::INFINITY]);
        let scale = draw.one_of(&[1.0, 2.0_f32.powi(-40), 2.0_f32.powi(60)]);
        let scaled = |v: Whole| v.map(|x| x as f32 * scale);
        let vertices: Vec<_> = triangles.iter().flatten().map(|&corner| scaled(corner)).collect();
        let indices: Vec<_> = (0..count as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        let mesh = Mesh::new(vertices, indices).expect("a few triangles");
        let mesh = if one_sided { mesh.one_sided() } else { mesh };
        let segment = Segment { start: scaled(start), delta: scaled(delta), max_fraction };
        let found = Geometry::from(&mesh).cast(&Pose::IDENTITY, &segment).expect("valid");
        let case = format!("{found:?} {segment:?} {triangles:?} {one_sided}");

        let reach = f64::from(max_fraction);
        let touches = |triangle: &[Whole; 3]| {
            let entry = first_touch(start, delta, *triangle)?;
            // Whether a start on a one-sided triangle counts is decided by rounding.
            let counts = !one_sided || entry.pace <= 0;
            (counts && entry.t.value() <= reach).then(|| entry.t.value())
        };
        let exact = triangles.iter().filter_map(touches).fold(f64::INFINITY, f64::min);
        let length = delta.iter().map(|&x| (x * x) as f64).sum::<f64>().sqrt();
        let numbers = 4.0 * f64::from(most);
        let allowed = 1e-6 * (numbers + length * if exact < 1e9 { exact } else { 0.0 });
        match found.cast {
            ConvexCast::Missed => {
                assert!(exact == f64::INFINITY, "missed {exact}: {case}");
                misses += 1;
            }
            ConvexCast::Hit { fraction, point, normal, .. } => {
                assert!(f64::from(fraction) <= exact * (1.0 + 1e-15), "late: {exact} {case}");
                let place = point.map(|x| f64::from(x / scale));
                let corners = triangles[found.part as usize].map(|c| c.map(|x| x as f64));
                let off = distance(place, corners);
                assert!(off <= allowed.max(1e-6 * numbers), "{off:e} off: {case}");
                let square: f32 = normal.iter().map(|x| x * x).sum();
                assert!((square - 1.0).abs() < 1e-5, "{case}");
                let entry = first_touch(start, delta, triangles[found.part as usize]);
                if entry.is_some_and(|entry| entry.pace > 0 && entry.t.over == 0) && one_sided {
                    assert_eq!(fraction, 0.0, "{case}");
                    continue;
                }
                if exact == f64::INFINITY || (exact - f64::from(fraction)) * length > allowed {
                    grazes += 1;
                } else {
                    hits += 1;
                }
            }
            other => panic!("{other:?}: {case}"),
        }
    }
    let least = rounds / 12;
    assert!(hits > least && misses > least && grazes < hits / 1000, "{hits} {misses} {grazes}");
}

/// Goal: the normal is that of the face, on the side of the start, and the part is the triangle. Method: a grid of two
/// hundred triangles in a plane that is tilted by a pose; rays from both sides.
#[test]
fn the_normal_of_a_cast_is_that_of_the_face() {
    let mut draw = Draw::new(5);
    let (vertices, triangles) = terrain(&mut draw, 10, 0.0);
    let both = Mesh::new(&vertices[..], &triangles[..]).expect("a plane");
    let front = Mesh::new(&vertices[..], &triangles[..]).expect("a plane").one_sided();
    let half = std::f32::consts::FRAC_PI_8;
    let pose = Pose::new([3.0, -2.0, 8.0], [0.0, 0.0, half.sin(), half.cos()]).expect("valid");
    let up = [-(2.0 * half).sin(), (2.0 * half).cos(), 0.0];
    let mut entered = 0;
    for _ in 0..2_000 {
        let above = draw.sign();
        let on = [draw.between(-4.9, 4.9), draw.between(-4.9, 4.9)];
        let foot = [3.0 + up[1] * on[0], -2.0 - up[0] * on[0], 8.0 + on[1]];
        let aside = draw.between(-0.5, 0.5);
        let start = [foot[0] + above * up[0], foot[1] + above * up[1], foot[2] + aside];
        let delta = [0, 1, 2].map(|k| 2.0 * (foot[k] - start[k]));
        let segment = Segment { start, delta, max_fraction: 1.0 };
        let found = Geometry::from(&both).cast(&pose, &segment).expect("valid");
        let ConvexCast::Hit { fraction, normal, .. } = found.cast else { panic!("{found:?}") };
        assert!((fraction - 0.5).abs() < 1e-5, "{found:?}");
        assert!((0..3).all(|k| (normal[k] - above * up[k]).abs() < 1e-6), "{found:?}");
        let cell = [on[0] + 5.0, on[1] + 5.0].map(f32::floor);
        let near_edge = [on[0], on[1], on[0] - on[1]].iter().any(|x| (x - x.round()).abs() < 1e-4);
        let number = (cell[0] + 10.0 * cell[1]) as u32;
        assert!(near_edge || found.part / 2 == number, "{found:?} {on:?}");
        let found = Geometry::from(&front).cast(&pose, &segment).expect("valid");
        assert_eq!(found.cast.fraction().is_some(), above > 0.0, "{found:?}");
        entered += u32::from(above > 0.0);
    }
    assert!((800..1200).contains(&entered), "{entered}");
}

/// Goal: a batch of casts has the bits of single ones with any threads, and an invalid row misses. Method: rays onto a terrain.
#[test]
fn batches_of_casts_are_single_casts() {
    let mut draw = Draw::new(8);
    let (vertices, triangles) = terrain(&mut draw, 30, 0.8);
    let mesh = Mesh::new(&vertices[..], &triangles[..]).expect("a terrain");
    let geometry = Geometry::from(&mesh);
    let pose = Pose::at([0.5, 0.0, 0.25]).expect("valid");
    let mut rows: Vec<_> = (0..500)
        .map(|_| Segment {
            start: [draw.between(-16.0, 16.0), 4.0, draw.between(-16.0, 16.0)],
            delta: [draw.between(-4.0, 4.0), -3.0, draw.between(-4.0, 4.0)],
            max_fraction: f32::INFINITY,
        })
        .collect();
    rows[7].delta[1] = f32::NAN;
    let columns: [Vec<f32>; 7] =
        core::array::from_fn(|column| rows.iter().map(|row| row.to_row()[column]).collect());
    let columns =
        SegmentColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("equal");
    let mut rejected = Vec::new();
    let checked = columns.check(Level::detect(), &mut rejected);
    for threads in [Threads::one(), Threads::current()] {
        let mut out = vec![PartCast::default(); rows.len()];
        geometry.casts(&pose, &checked, &threads, &mut out).expect("valid");
        let alone: Vec<_> =
            rows.iter().map(|row| geometry.cast(&pose, row).unwrap_or_default()).collect();
        assert_eq!(format!("{out:?}"), format!("{alone:?}"));
        assert!(out.iter().filter(|cast| cast.cast.fraction().is_some()).count() > 300);
        assert_eq!(out[7], PartCast::default());
    }
    let short = &mut [PartCast::default(); 3];
    assert!(geometry.casts(&pose, &checked, &Threads::one(), short).is_err());
}

/// Goal: a segment that is much longer than the mesh enters a triangle as exactly as a short one. Method: segments of 10 to 10³⁶
/// units onto a flat and a slanted triangle, and closed forms; two units of the last place of the fraction are allowed.
#[test]
fn long_segment_enters_a_triangle_within_the_tolerance() {
    for slope in [0.0_f32, 0.5] {
        let corners = vec![[-9.0, -9.0 * slope, -9.0], [9.0, 9.0 * slope, -9.0], [0.0, 0.0, 9.0]];
        let mesh = Mesh::new(corners, vec![[0, 1, 2]]).expect("a triangle");
        for exponent in 1..=36 {
            let length = 10.0_f32.powi(exponent);
            let down = Segment::new([1.0, 5.0, 0.0], [0.0, -length, 0.0]).expect("valid");
            let found = Geometry::from(&mesh).cast(&Pose::IDENTITY, &down).expect("valid");
            let ConvexCast::Hit { fraction, point, .. } = found.cast else { panic!("{found:?}") };
            let entered = f64::from(fraction) * f64::from(length);
            let exact = 5.0 - f64::from(slope);
            assert!(entered <= exact, "{found:?} {down:?}");
            assert!(entered >= exact - 2e-5, "{found:?} {down:?}");
            assert!((point[1] - slope).abs() < 1e-6, "{found:?} {down:?}");
        }
    }
}

/// Goal: a segment that ends at its start, or hardly moves, is a point, however long its direction is. Method: directions of many lengths to
/// both sides, among them those of which a component gets below the normal numbers; a two-sided and a one-sided triangle; gaps above the
/// tolerance.
#[test]
fn segment_without_length_near_a_triangle_is_not_on_it() {
    let corners = vec![[-9.0, 0.0, -9.0], [0.0, 0.0, 9.0], [9.0, 0.0, -9.0_f32]];
    let mesh = || Mesh::new(corners.clone(), vec![[0, 1, 2]]).expect("a triangle");
    let lengths = [(1.0, 0.0), (1e9, 0.0), (1e30, 0.0), (1e17, 1e-45), (1e10, 1e-45)];
    for (mesh, one_sided) in [(mesh(), false), (mesh().one_sided(), true)] {
        for ((speed, max_fraction), side) in
            lengths.iter().flat_map(|&of| [(of, 1.0_f32), (of, -1.0)])
        {
            let cast = |height: f32| {
                let delta = [1.25, speed * side, 0.0];
                let segment = Segment { start: [1.0, height, 1.0], delta, max_fraction };
                Geometry::from(&mesh).cast(&Pose::IDENTITY, &segment).expect("valid").cast
            };
            for gap in [5e-4_f32, 1e-3, 1.0, 1e3] {
                let casts = [cast(gap), cast(-gap)];
                assert_eq!(casts, [ConvexCast::Missed; 2], "{speed} {side} {gap}");
            }
            let on = cast(0.0);
            let ConvexCast::Hit { fraction, normal, start, .. } = on else { panic!("{on:?}") };
            let up = if one_sided { 1.0 } else { -side };
            let expected = (0.0, [0.0, up, 0.0], SegmentStart::OnSurface);
            assert_eq!((fraction, normal, start), expected, "{speed} {side}");
        }
    }
}

/// Goal: a ray with a tiny direction enters the nearest part, or misses all if the fractions are beyond the greatest `f32`. Method: walls one
/// behind the other in both orders.
#[test]
fn ray_with_a_tiny_direction_enters_the_first_wall_or_none() {
    for reversed in [false, true] {
        let mut walls: Vec<f32> = (1..=16_u8).map(f32::from).collect();
        if reversed {
            walls.reverse();
        }
        let corner = |x: f32| [[x, -9.0, -9.0], [x, 9.0, -9.0], [x, 0.0, 9.0]];
        let corners: Vec<[f32; 3]> = walls.iter().flat_map(|&x| corner(x)).collect();
        let triangles = (0..16).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect::<Vec<[u32; 3]>>();
        let mesh = Mesh::new(corners, triangles).expect("walls");
        let nearest = if reversed { 15 } else { 0 };
        for (step, hits) in [(1e-20, true), (1e-38, true), (1e-39, false), (1e-45, false)] {
            let ray = Segment::ray([0.0; 3], [step, 0.0, 0.0]).expect("a ray");
            let found = Geometry::from(&mesh).cast(&Pose::IDENTITY, &ray).expect("valid");
            let alone = Shape::triangle(corner(1.0)).expect("a triangle");
            let alone = alone.cast(&Pose::IDENTITY, &ray).expect("valid");
            assert_eq!(alone != ConvexCast::Missed, hits, "{step} {alone:?}");
            match found.cast {
                ConvexCast::Hit { point: [x, ..], start, .. } if hits => {
                    assert!(found.part == nearest && (x - 1.0).abs() < 1e-5, "{step} {found:?}");
                    assert_eq!(start, SegmentStart::Outside);
                }
                other => assert!(other == ConvexCast::Missed && !hits, "{step} {found:?}"),
            }
        }
    }
}

/// Goal: a part of a compound is entered as the shape alone is, with the normal out of it. Method: boxes and balls in any orientation, and rays at
/// them from all sides.
#[test]
fn segment_enters_a_part_of_a_compound_as_the_shape_alone() {
    let mut draw = Draw::new(44);
    let mut hits = 0;
    for case in 0..500 {
        let shape = match case % 2 {
            0 => Shape::cuboid([0.5, 1.0, 0.25]).expect("a box"),
            _ => Shape::sphere(0.75).expect("a ball"),
        };
        let far = Pose::at([0.0, 90.0, 0.0]).expect("a pose");
        let parts = [(Shape::point(), far), (shape, Pose::IDENTITY)];
        let parts = parts.map(|(shape, pose)| (OwnedShape::from(shape), pose));
        let compound = Compound::new(parts).expect("two parts");
        let pose = Pose::new([0.0; 3], scenes::convex::rotation(&mut draw.0)).expect("a pose");
        let start = scenes::convex::unit(&mut draw.0).map(|x| 4.0 * x);
        let aside = scenes::convex::unit(&mut draw.0).map(|x| 0.8 * x);
        let delta = [0, 1, 2].map(|axis| 2.0 * (aside[axis] - start[axis]));
        let segment = Segment::new(start, delta).expect("a segment");
        let found = Geometry::from(&compound).cast(&pose, &segment).expect("valid");
        match (found.cast, shape.cast(&pose, &segment).expect("valid")) {
            (
                ConvexCast::Hit { fraction, point, normal, start },
                ConvexCast::Hit { fraction: alone, point: of_shape, normal: out, .. },
            ) => {
                hits += 1;
                let along: f32 = (0..3).map(|axis| normal[axis] * out[axis]).sum();
                let off = (0..3).map(|axis| (point[axis] - of_shape[axis]).abs());
                assert!(
                    (fraction - alone).abs() < 1e-5 && along > 0.99,
                    "{case} {found:?} {out:?}"
                );
                assert!(off.fold(0.0, f32::max) < 1e-4, "{case} {found:?} {of_shape:?}");
                assert!(start == SegmentStart::Outside && found.part == 1, "{case} {found:?}");
            }
            (found, alone) => assert_eq!(found, alone, "{case}"),
        }
    }
    assert!(hits > 200, "{hits}");
}
