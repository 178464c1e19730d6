//! Tests of distances of geometries at rest: the least of all their parts.

use crate::bodies::{Bodies, ROUNDING, parts, pose, shape, vector};
use swath::convex::OwnedShape;
use swath::convex::gjk::{self, Distance};
use swath::mesh::{Compound, Geometry, HeightField, Mesh, PartDistance, distances_of_pairs};
use swath::{Invalid, Level, Pair, Pose, Shape, Threads};
use testkit::draw::{Draw, how_many};
use testkit::finite::assert_finite;
use testkit::least_time::least_time;

/// How far the distance of two bodies is from that of their parts one by one, whose poses are rounded to `f32`.
fn slack((a, of_a): (&Geometry<'_>, &Pose), (b, of_b): (&Geometry<'_>, &Pose)) -> f64 {
    let apart = (0..3).map(|k| f64::from(of_a.position[k] - of_b.position[k]).abs());
    ROUNDING * (a.size() + b.size() + apart.sum::<f64>())
}

/// Returns the least distance of all parts.
fn least((a, of_a): (&Geometry<'_>, &Pose), (b, of_b): (&Geometry<'_>, &Pose)) -> f64 {
    let (parts_a, parts_b) = (parts(a, of_a), parts(b, of_b));
    let pairs = parts_a.iter().flat_map(|a| parts_b.iter().map(move |b| (a, b)));
    let distance = |((a, of_a), (b, of_b)): (&(Shape<'_>, Pose), &(Shape<'_>, Pose))| {
        gjk::distance(a, of_a, b, of_b).expect("valid").distance
    };
    pairs.map(distance).fold(f32::INFINITY, f32::min).into()
}

/// Asserts that the distance is the least of all parts, and of the parts that it names. Returns whether the bodies overlap.
fn check(a: (&Geometry<'_>, &Pose), b: (&Geometry<'_>, &Pose)) -> bool {
    let expected = least(a, b);
    let near = slack(a, b);
    let find = |most| a.0.distance(a.1, b.0, b.1, most).expect("valid");
    let Some(found) = find(f32::INFINITY) else {
        assert!(expected.is_infinite(), "{a:?} {b:?}");
        return false;
    };
    assert_finite(&found);
    let PartDistance { distance, parts: [part_a, part_b] } = found;
    let text = format!("{found:?}, {expected}: {a:?} {b:?}");
    let d = f64::from(distance.distance);
    let overlaps = expected < -near;
    if overlaps {
        assert!(d <= near && d >= expected - near, "{text}");
    } else if expected > near {
        assert!((d - expected).abs() <= near, "{text}");
        // The points are on both surfaces, as far apart as the distance, along the normal.
        let between = [0, 1, 2].map(|k| f64::from(distance.on_b[k]) - f64::from(distance.on_a[k]));
        let along: f64 = (0..3).map(|k| between[k] * f64::from(distance.normal[k])).sum();
        assert!((along - d).abs() <= near, "{text}");
        assert_eq!(find(0.5 * distance.distance), None, "{text}");
        // Of parts that are equally far, another one may be found.
        let again = find(1.00001 * distance.distance).map(|found| found.distance.distance);
        assert_eq!(again, Some(distance.distance), "{text}");
    }
    let own = least_of_parts(a, part_a, b, part_b);
    assert!((own - d).abs() <= near.max(1e-2 * d.abs()), "{own} {text}");
    overlaps
}

/// Returns a part as a convex shape in the world.
fn part_of<'g>(body: &Geometry<'g>, pose: &Pose, part: u32) -> (Shape<'g>, Pose) {
    // Holes of a height field have no shape.
    let before = match body {
        Geometry::HeightField(field) => {
            (0..part).filter(|&before| field.corners(before).is_some()).count()
        }
        _ => part as usize,
    };
    parts(body, pose)[before]
}

/// Returns the distance of two parts.
fn least_of_parts(
    (a, of_a): (&Geometry<'_>, &Pose),
    part_a: u32,
    (b, of_b): (&Geometry<'_>, &Pose),
    part_b: u32,
) -> f64 {
    let ((a, of_a), (b, of_b)) = (part_of(a, of_a, part_a), part_of(b, of_b, part_b));
    gjk::distance(&a, &of_a, &b, &of_b).expect("valid").distance.into()
}

/// Goal: the distance of bodies is the least of all their parts, with the two parts that it names, and a limit leaves out what is beyond it. Method: random
/// terrains, fields with holes, compounds and shapes with each other, near and far, at random and rotated poses; all parts one by one.
#[test]
fn distance_is_the_least_of_all_parts() {
    let mut draw = Draw::new(51);
    let mut counts = [[[0_usize; 2]; 4]; 4];
    for _ in 0..how_many(60) {
        let bodies = [Bodies::new(&mut draw, false), Bodies::new(&mut draw, false)];
        let [first, second] = bodies.each_ref().map(|bodies| bodies.all(&mut draw));
        for (i, a) in first.iter().enumerate() {
            for (j, b) in second.iter().enumerate() {
                let apart = draw.one_of(&[0.0, 3.0, 30.0]);
                let far = draw.one_of(&[0.0, 0.0, 1000.0]);
                let (of_a, mut of_b) = (pose(&mut draw, 2.0 + far), pose(&mut draw, 2.0));
                let towards = vector(&mut draw, apart);
                of_b.position = [0, 1, 2].map(|k| of_a.position[k] + towards[k] + of_b.position[k]);
                let overlaps = check((a, &of_a), (b, &of_b));
                counts[i][j][usize::from(overlaps)] += 1;
            }
        }
    }
    let each = counts.as_flattened().as_flattened();
    assert!(each.iter().all(|&count| count > how_many(60) / 50), "{counts:?}");
}

/// A mesh of triangles of very different sizes, some of them needles or without area, a field and a compound, of about this size.
fn uneven(draw: &mut Draw, size: f32) -> (Mesh<'static>, HeightField<'static>, Compound) {
    let triangle = |draw: &mut Draw| {
        let (at, side) = (vector(draw, size), size * draw.one_of(&[1.0, 0.1, 1e-3, 1e-6]));
        let (along, flat) = (vector(draw, side), draw.one_of(&[1.0, 1e-4, 0.0]));
        let off = vector(draw, side * flat);
        let corner =
            |share: f32, of: f32| [0, 1, 2].map(|k| at[k] + share * along[k] + of * off[k]);
        [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.3, 1.0)]
    };
    let corners: Vec<_> = (0..150).flat_map(|_| triangle(draw)).collect();
    let mesh =
        Mesh::new(corners, (0..150).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect::<Vec<_>>());
    let height = |draw: &mut Draw| if draw.one_in(9) { f32::NAN } else { vector(draw, size)[0] };
    let heights: Vec<_> = (0..121).map(|_| height(draw)).collect();
    let field = HeightField::new(heights, [11, 11], [0.2 * size, 0.1 * size]);
    let part = |draw: &mut Draw| (shape(draw, 0.2 * size).into(), pose(draw, size));
    let parts: Vec<(OwnedShape, Pose)> = (0..40).map(|_| part(draw)).collect();
    (mesh.expect("triangles"), field.expect("a grid"), Compound::new(parts).expect("shapes"))
}

/// Goal: the part nearest to a convex shape is found at every scale and far from the origin, whatever the triangles are. Method: bodies of uneven, flat and
/// tiny triangles, terrains with holes and compounds of sizes from 10⁻³⁰ to 10³⁰, and shapes that are points, small, or larger than the body; all
/// parts one by one.
#[test]
fn part_nearest_to_a_shape_is_found_at_every_scale() {
    let mut draw = Draw::new(55);
    for case in 0..how_many(40) {
        let size = 10.0_f32.powi([0, 0, -30, -12, 12, 30][case % 6]);
        let (mesh, field, compound) = uneven(&mut draw, size);
        for body in [Geometry::from(&mesh), (&field).into(), (&compound).into()] {
            let radius = size * draw.one_of(&[0.0, 0.1, 3.0]);
            let shape = match radius > 0.0 {
                true => shape(&mut draw, radius),
                false => Shape::sphere(0.0).expect("a point"),
            };
            let apart = size * draw.one_of(&[0.5, 3.0, 1e3]);
            let (at, of_body) = (pose(&mut draw, apart), pose(&mut draw, size));
            check((&shape.into(), &at), (&body, &of_body));
            check((&body, &of_body), (&shape.into(), &at));
        }
    }
}

/// Goal: the part nearest to a convex shape is found where the parts are far from the origin of their body, on any side of the shape. Method: uneven
/// triangles and compounds that are moved away from the origin, and shapes before, among and behind them; all parts one by one.
#[test]
fn part_nearest_to_a_shape_is_found_beside_the_origin_of_the_body() {
    let mut draw = Draw::new(56);
    for _ in 0..how_many(100) {
        let (mesh, _, compound) = uneven(&mut draw, 1.0);
        let to = vector(&mut draw, 6.0);
        let moved = |at: [f32; 3], share: f32| [0, 1, 2].map(|k| at[k] + share * to[k]);
        let vertices: Vec<_> = mesh.vertices().iter().map(|&at| moved(at, 1.0)).collect();
        let mesh = Mesh::new(vertices, mesh.triangles().to_vec()).expect("the same triangles");
        let mut parts = compound.parts().to_vec();
        for (_, at) in &mut parts {
            at.position = moved(at.position, 1.0);
        }
        let compound = Compound::new(parts).expect("the same shapes");
        let (near, mut at) = (shape(&mut draw, 0.3), pose(&mut draw, 1.0));
        at.position = moved(at.position, draw.between(0.2, 2.0));
        for body in [Geometry::from(&mesh), (&compound).into()] {
            check((&near.into(), &at), (&body, &Pose::IDENTITY));
        }
    }
}

/// Goal: a triangle exactly as far away as the greatest distance is found. Method: balls above one triangle at many distances.
#[test]
fn triangle_at_the_greatest_distance_is_found() {
    let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = Mesh::new(&corners[..], vec![[0, 1, 2]]).expect("a triangle");
    let triangle = Shape::triangle(corners).expect("a triangle");
    for k in 0..50 {
        let ball = Shape::sphere([0.0, 0.5][k % 2]).expect("a radius");
        let at = Pose::at([0.0, 0.0, 1.0 + 0.37 * k as f32]).expect("finite");
        let expected = gjk::distance(&ball, &at, &triangle, &Pose::IDENTITY).expect("valid");
        let ball = Geometry::from(ball);
        let (body, most) = (Geometry::from(&mesh), expected.distance);
        let found = ball.distance(&at, &body, &Pose::IDENTITY, most).expect("valid");
        assert_eq!(found.map(|found| found.distance), Some(expected), "at {k}");
    }
}

/// Goal: results are the same on every level. Method: a mesh and a compound that are built for each level, near each other; and a convex shape near each of
/// them, and near a height field.
#[test]
fn distance_has_the_same_bits_on_every_level() {
    let mut draw = Draw::new(52);
    for _ in 0..how_many(40) {
        let bodies = Bodies::new(&mut draw, false);
        let (vertices, triangles) = (bodies.mesh.vertices(), bodies.mesh.triangles());
        let (of_a, of_b) = (pose(&mut draw, 4.0), pose(&mut draw, 4.0));
        let near = Geometry::from(shape(&mut draw, 1.0));
        let heights: Vec<_> = (0..400).map(|_| draw.between(-1.0, 1.0)).collect();
        let mut found = Level::all().map(|level| {
            let mesh = Mesh::with_exec(vertices, triangles, level).expect("the same triangles");
            let parts = bodies.compound.parts().to_vec();
            let compound = Compound::with_exec(parts, level).expect("the same parts");
            let field = HeightField::with_exec(&heights[..], [20, 20], [0.5, 0.5], level);
            let field = field.expect("a grid");
            let [mesh, compound, field]: [Geometry<'_>; 3] =
                [(&mesh).into(), (&compound).into(), (&field).into()];
            [(&mesh, &compound), (&near, &mesh), (&compound, &near), (&near, &field)]
                .map(|(a, b)| a.distance(&of_a, b, &of_b, f32::INFINITY))
        });
        let first = found.next().expect("a level");
        assert!(found.all(|other| other == first));
    }
}

/// Goal: a convex shape has the distance of two convex shapes. Method: shapes alone, and in a compound at its origin.
#[test]
fn convex_shapes_have_the_distance_of_convex_shapes() {
    let mut draw = Draw::new(53);
    for _ in 0..how_many(500) {
        let [a, b] = [(); 2].map(|()| shape(&mut draw, 1.0));
        let (of_a, of_b) = (pose(&mut draw, 3.0), pose(&mut draw, 3.0));
        let expected = gjk::distance(&a, &of_a, &b, &of_b).expect("valid");
        let [a, b] = [a, b].map(Geometry::from);
        let found = a.distance(&of_a, &b, &of_b, f32::INFINITY).expect("valid");
        assert_eq!(found, Some(PartDistance { distance: expected, parts: [0; 2] }));
        let found = a.distance(&of_a, &b, &of_b, 0.5).expect("valid");
        assert_eq!(found.is_some(), expected.distance <= 0.5);
    }
}

/// Goal: bodies without parts have no distance, and invalid arguments are errors. Method: empty meshes, compounds and fields of holes; NaN and negative
/// limits, and invalid poses.
#[test]
fn bodies_without_parts_have_no_distance() {
    let mesh = Mesh::new(vec![], vec![]).expect("nothing");
    let compound = Compound::new([]).expect("nothing");
    let field = HeightField::new(vec![f32::NAN; 4], [2, 2], [1.0, 1.0]).expect("holes");
    let ball = Shape::sphere(1.0).expect("a ball");
    let empty: [Geometry<'_>; 3] = [(&mesh).into(), (&compound).into(), (&field).into()];
    let own = Pose::IDENTITY;
    for a in &empty {
        for b in empty.iter().chain([&ball.into()]) {
            assert_eq!(a.distance(&own, b, &own, f32::INFINITY), Ok(None));
            assert_eq!(b.distance(&own, a, &own, f32::INFINITY), Ok(None));
        }
    }
    let ball = Geometry::from(ball);
    for limit in [f32::NAN, -1.0, f32::NEG_INFINITY] {
        assert_eq!(ball.distance(&own, &ball, &own, limit), Err(Invalid::MaxDistance));
    }
    assert!(ball.distance(&own, &ball, &own, 0.0).expect("valid").is_some());
    let nan = Pose { position: [f32::NAN; 3], ..own };
    assert_eq!(ball.distance(&nan, &ball, &own, 1.0), Err(Invalid::NotFinite { axis: 0 }));
    assert_eq!(ball.distance(&own, &ball, &nan, 1.0), Err(Invalid::NotFinite { axis: 0 }));
}

/// Goal: a batch has the results of single calls on any number of threads; a row with an invalid pose is listed, and its pairs have no result. Method: random
/// bodies, of which one has a pose that is not finite.
#[test]
fn distances_of_pairs_are_those_of_single_calls() {
    let mut draw = Draw::new(54);
    let bodies: Vec<_> = (0..8).map(|_| Bodies::new(&mut draw, false)).collect();
    let geometries: Vec<_> = bodies.iter().flat_map(|bodies| bodies.all(&mut draw)).collect();
    let mut poses: Vec<_> = geometries.iter().map(|_| pose(&mut draw, 6.0)).collect();
    poses[5].position[1] = f32::NAN;
    let rows = geometries.len() as u32;
    let pairs: Vec<_> = (0..rows).flat_map(|a| (0..rows).map(move |b| Pair { a, b })).collect();
    let most = 4.0;
    let mut outputs = [Threads::one(), Threads::current()].map(|threads| {
        let (mut out, mut rejected) = (vec![Some(PartDistance::default()); pairs.len()], vec![]);
        distances_of_pairs(&geometries, &poses, &pairs, most, &threads, &mut rejected, &mut out)
            .expect("valid rows");
        assert!(rejected.len() == 1 && rejected[0].row == 5, "{rejected:?}");
        out
    });
    assert_eq!(outputs[0], outputs[1]);
    let mut found = 0;
    for (out, pair) in outputs[0].iter_mut().zip(&pairs) {
        let [a, b] = [pair.a, pair.b].map(|row| row as usize);
        let alone = geometries[a].distance(&poses[a], &geometries[b], &poses[b], most);
        assert_eq!(alone.unwrap_or(None), *out, "{pair:?}");
        found += usize::from(out.is_some());
    }
    assert!(found > pairs.len() / 4 && found < pairs.len(), "{found} of {}", pairs.len());
    let mut short = [None; 1];
    let call = |limit, out: &mut [_]| {
        let threads = Threads::one();
        distances_of_pairs(&geometries, &poses, &pairs, limit, &threads, &mut vec![], out)
    };
    assert!(call(most, &mut short).is_err() && call(f32::NAN, &mut short).is_err());
}

/// A square of `2·side²` triangles with sides of 1 in its plane, which is oblique to all axes; the height of each corner above it is that of a
/// function.
fn oblique(side: u32, mut height: impl FnMut(f32, f32) -> f32) -> Mesh<'static> {
    let mut point = |k: u32| {
        let [x, z] = [k % (side + 1), k / (side + 1)].map(|k| k as f32 / side as f32);
        let y = height(x, z);
        [x + y, x + z - y, z + y]
    };
    let vertices: Vec<_> = (0..(side + 1) * (side + 1)).map(&mut point).collect();
    Mesh::new(vertices, square_of_triangles(side)).expect("a square")
}

/// The triangles of a square of `side` by `side` cells, whose corners are in rows.
fn square_of_triangles(side: u32) -> Vec<[u32; 3]> {
    let cell = |k: u32| {
        let corner = k / side * (side + 1) + k % side;
        [
            [corner, corner + side + 1, corner + 1],
            [corner + 1, corner + side + 1, corner + side + 2],
        ]
    };
    (0..side * side).flat_map(cell).collect()
}

/// Goal: the distance of oblique surfaces is the least of all their triangles. Method: flat, rough and curved squares beside each other, near and far, parallel
/// and turned; all triangles one by one.
#[test]
fn distance_of_oblique_surfaces_is_the_least_of_their_triangles() {
    let mut draw = Draw::new(56);
    for case in 0..how_many(24) {
        let [rough, curved] = [[0.0, 0.0], [0.01, 0.0], [0.1, 0.3], [0.0, -0.3]][case % 4];
        let [a, b] = [6, 9].map(|side| {
            oblique(side, |x, z| rough * draw.between(-1.0, 1.0) + curved * (x * x + z * z))
        });
        let [a, b] = [&a, &b].map(Geometry::from);
        let away = [0.02, 0.3, 1.0, 20.0][case / 4 % 4];
        let (of_a, mut of_b) = (pose(&mut draw, 1.0), pose(&mut draw, 1.0));
        if case % 3 != 0 {
            of_b.rotation = of_a.rotation;
        }
        let aside = vector(&mut draw, away);
        of_b.position = [0, 1, 2].map(|k| of_a.position[k] + aside[k]);
        check((&a, &of_a), (&b, &of_b));
        check((&b, &of_b), (&a, &of_a));
    }
}

/// Two meshes of `2·side²` triangles, one above the other, whose hills fit into each other's valleys at a distance of about 0.1.
fn hills(side: u32) -> [Mesh<'static>; 2] {
    [0.0, 0.1].map(|above| {
        let point = |k: u32| {
            let [x, z] = [k % (side + 1), k / (side + 1)].map(|k| 8.0 * k as f32 / side as f32);
            [x, (x + 0.5 * z).sin() + above, z]
        };
        let vertices: Vec<_> = (0..(side + 1) * (side + 1)).map(point).collect();
        Mesh::new(vertices, square_of_triangles(side)).expect("hills")
    })
}

/// Goal: the distance of two meshes whose boxes overlap takes far less time than their numbers of triangles multiplied. Method: hills of 5,000 and of 80,000
/// triangles that lie in each other.
#[test]
fn meshes_inside_each_other_are_not_tested_one_by_one() {
    let times = [50, 200].map(|side| {
        let [low, high] = hills(side);
        let [low, high] = [&low, &high].map(Geometry::from);
        least_time(|| {
            let found = low.distance(&Pose::IDENTITY, &high, &Pose::IDENTITY, f32::INFINITY);
            let Distance { distance, .. } = found.expect("valid").expect("triangles").distance;
            assert!(distance > 0.05 && distance < 0.1, "{distance}");
        })
    });
    assert!(times[1] < 40 * times[0], "{times:?}");
}

/// Goal: the distance of two oblique surfaces that are parallel takes no time for each pair of triangles, although the boxes of most pairs are nearer
/// than the surfaces. Method: squares of 2,048 triangles, far apart along their normal, compared with hills of 5,000 in each other; with a test of each pair of
/// triangles they take 30 times as long as these.
#[test]
fn oblique_surfaces_are_not_tested_one_by_one() {
    let [low, high] = hills(50);
    let square = oblique(32, |_, _| 0.0);
    let [low, high, square] = [&low, &high, &square].map(Geometry::from);
    let find = |a: &Geometry<'_>, b, position| {
        let pose = Pose { position, ..Pose::IDENTITY };
        let found = a.distance(&Pose::IDENTITY, b, &pose, f32::INFINITY).expect("valid");
        f64::from(found.expect("triangles").distance.distance)
    };
    let of_hills = least_time(|| assert!(find(&low, &high, [0.0; 3]) > 0.05));
    let of_squares = least_time(|| {
        let distance = find(&square, &square, [-6.0, 6.0, -6.0]);
        assert!((distance - 6.0 * 3.0_f64.sqrt()).abs() < 1e-4, "{distance}");
    });
    assert!(of_squares < 4 * of_hills, "{of_squares:?}, hills {of_hills:?}");
}
