//! Tests of whether two convex shapes overlap: never missed, and as distances state.

use std::collections::BTreeMap;
use swath::convex::{Hull, SupportMap, gjk};
use swath::{COORD_MAX, Invalid, Pose, Shape};
use testkit::convex_asked::{hulls, motion, shape};
use testkit::convex_cases::convex_cases;
use testkit::draw::{Draw, how_many};

/// Greatest distance that may be reported as zero or less, from the sizes, the radii and the distance of the positions.
fn off(shapes: [&Shape<'_>; 2], poses: [&Pose; 2]) -> f64 {
    let sizes = shapes.iter().map(|shape| shape.size()).sum::<f64>();
    let far = (0..3).map(|k| f64::from(poses[0].position[k] - poses[1].position[k]).abs());
    (sizes + far.sum::<f64>()) / f64::from(1 << 26)
}

/// Asserts that the answer is that of the distance, in both orders, and returns it.
fn agreeing([a, b]: [&Shape<'_>; 2], [of_a, of_b]: [&Pose; 2]) -> bool {
    let overlaps = gjk::overlaps(a, of_a, b, of_b).expect("poses");
    let distance = gjk::distance(a, of_a, b, of_b).expect("poses").distance;
    let text = format!("{overlaps} {distance} {a:?} {of_a:?} {b:?} {of_b:?}");
    if overlaps {
        assert!(distance <= 0.0, "{text}");
    } else if distance <= 0.0 {
        // Of shapes that almost touch, the depth may be that along any direction.
        let near = off([a, b], [of_a, of_b]) + a.size().min(b.size()) / 8192.0;
        assert!(f64::from(-distance) <= near, "{text}");
    }
    let swapped = gjk::overlaps(b, of_b, a, of_a).expect("poses");
    let near = off([a, b], [of_a, of_b]) + a.size().min(b.size()) / 8192.0;
    assert!(swapped == overlaps || f64::from(distance).abs() <= near, "{text}");
    overlaps
}

/// Goal: shapes overlap if their distance is not positive, in either order. Method: pairs of every family and kind, at the start: touching,
/// deep, far, tiny, huge and far from the origin.
#[test]
fn shapes_overlap_if_their_distance_is_not_positive() {
    let mut counts = [0_usize; 2];
    for case in convex_cases(72, how_many(100_000)) {
        let hulls = hulls(&case);
        let [a, b] = [0, 1].map(|k| shape(&case.shapes[k], hulls[k].as_ref()));
        let [of_a, of_b] = case.motions.each_ref().map(|plain| motion(plain).pose);
        counts[usize::from(agreeing([&a, &b], [&of_a, &of_b]))] += 1;
        // The same pair, deep and far.
        agreeing([&a, &b], [&of_a, &Pose { position: of_a.position, ..of_b }]);
        let far = of_a.position.map(|x| x + 16.0 * (a.size() + b.size()) as f32);
        agreeing([&a, &b], [&of_a, &Pose { position: far, ..of_b }]);
    }
    assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
}

/// Goal: an overlap is never missed, and only rounding makes one of shapes that are apart. Method: pairs of every family at the start; the
/// distance in `f64` of the specification.
#[test]
fn overlaps_are_those_of_the_specification() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for case in convex_cases(73, how_many(20_000)) {
        let hulls = hulls(&case);
        let [a, b] = [0, 1].map(|k| shape(&case.shapes[k], hulls[k].as_ref()));
        let [of_a, of_b] = case.motions.each_ref().map(|plain| motion(plain).pose);
        let overlaps = gjk::overlaps(&a, &of_a, &b, &of_b).expect("poses");
        let [solid, other] = case.solids();
        let truth = spec::distance(&solid, &other, 0.0);
        let kind = if truth.lower > truth.noise + off([&a, &b], [&of_a, &of_b]) {
            assert!(!overlaps, "{truth:?} {case:?}");
            "apart"
        } else if truth.upper <= truth.noise {
            assert!(overlaps, "{truth:?} {case:?}");
            "deep"
        } else {
            "touching"
        };
        *counts.entry(kind).or_default() += 1;
    }
    assert!(counts.len() == 3 && counts.values().all(|&count| count > 40), "{counts:?}");
}

/// Goal: a touch counts, however it is rounded, and a gap does not. Method: shapes that touch exactly, at vertices, edges, faces and round
/// surfaces, with positions on a lattice, near the origin and far from it; the same with a gap.
#[test]
fn touch_is_an_overlap_and_a_gap_is_none() {
    let cube = Hull::new(
        (0..8_u8).map(|k| [k & 1, k >> 1 & 1, k >> 2 & 1].map(|x| 2.0 * f32::from(x) - 1.0)),
    );
    let cube = cube.expect("a hull");
    let dice = Shape::cuboid([0.75; 3]).and_then(|shape| shape.rounded(0.25)).expect("a shape");
    let floor = Shape::triangle([[-9.0, -1.0, -9.0], [9.0, -1.0, -9.0], [0.0, -1.0, 9.0]]);
    // Each is from -1 to 1 along y, and has a point there on the axis.
    let shapes = [
        Shape::cuboid([1.0; 3]).expect("a box"),
        Shape::hull(&cube),
        Shape::sphere(1.0).expect("a ball"),
        Shape::capsule(0.5, 0.5).expect("a capsule"),
        Shape::cylinder(1.0, 0.5).expect("a cylinder"),
        Shape::cone(1.0, 0.5).expect("a cone"),
        Shape::segment([0.0, -1.0, 0.0], [0.0, 1.0, 0.0]).expect("a segment"),
        dice,
        floor.expect("a triangle"),
    ];
    let mut draw = Draw::new(5);
    let mut count = 0;
    // A floor has no point at the top.
    for a in &shapes[..8] {
        for b in &shapes {
            for _ in 0..20 {
                let at = [0; 3].map(|_| draw.whole(-64, 64));
                let of_a = Pose::at(at).expect("finite");
                let above = |gap: f32| Pose::at([at[0], at[1] + 2.0 + gap, at[2]]).expect("finite");
                let text = format!("{a:?} {b:?} {at:?}");
                assert!(agreeing([a, b], [&of_a, &above(0.0)]), "{text}");
                assert!(agreeing([a, b], [&of_a, &above(-1.0 / 8192.0)]), "{text}");
                assert!(!agreeing([a, b], [&of_a, &above(1.0 / 8192.0)]), "{text}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 20 * 8 * 9);
    // 3² + 4² = 5²
    let balls = [2.0, 3.0].map(|radius| Shape::sphere(radius).expect("a ball"));
    let at = |y| Pose::at([3.0, y, 0.0]).expect("finite");
    let still = Pose::IDENTITY;
    assert!(agreeing([&balls[0], &balls[1]], [&still, &at(4.0)]));
    assert!(agreeing([&balls[0], &balls[1]], [&still, &at(4.0_f32.next_down())]));
    assert!(!agreeing([&balls[0], &balls[1]], [&still, &at(4.0_f32.next_up())]));
}

/// Goal: flat shapes, points, equal positions and extreme numbers have the answer of their distance, and invalid poses its error. Method: all
/// pairs of such shapes at such poses.
#[test]
fn extreme_numbers_have_the_answer_of_their_distance() {
    let least = f32::from_bits(1);
    let lengths = [0.0, least, 1e-30, 1.0, 1e18, 1e30, COORD_MAX];
    let mut shapes = vec![Shape::point()];
    for &x in &lengths {
        shapes.extend(Shape::sphere(x).ok());
        shapes.extend(Shape::cuboid([x, 0.0, 1.0]).ok());
        shapes.extend(Shape::cuboid([x; 3]).ok());
        shapes.extend(Shape::capsule(x, 1.0).ok());
        shapes.extend(Shape::cylinder(x, 1.0).ok());
        shapes.extend(Shape::cone(1.0, x).ok());
        shapes.extend(Shape::triangle([[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, 1.0]]).ok());
        shapes.extend(Shape::triangle([[x, 0.0, 0.0]; 3]).ok());
    }
    let turned = Pose::normalized([1.0, -0.0, 0.0], [0.3, -0.2, 0.5, 0.7]).expect("finite");
    let at = |position| Pose { position, ..Pose::IDENTITY };
    let poses = [
        Pose::IDENTITY,
        at([-0.0, 1.0, least]),
        at([1e-30, 0.0, 1e-38]),
        at([1e18, 1.0, 0.0]),
        at([-COORD_MAX, COORD_MAX, 0.0]),
        turned,
        at([1.0_f32.next_up(), 0.0, 0.0]),
    ];
    let mut counts = [0_usize; 2];
    for a in &shapes {
        for b in &shapes {
            for of_a in &poses {
                for of_b in &poses {
                    let overlaps = gjk::overlaps(a, of_a, b, of_b).expect("poses");
                    let distance = gjk::distance(a, of_a, b, of_b).expect("poses").distance;
                    let text = format!("{overlaps} {distance} {a:?} {of_a:?} {b:?} {of_b:?}");
                    assert!(!overlaps || distance <= 0.0, "{text}");
                    let near = off([a, b], [of_a, of_b]) + a.size().min(b.size()) / 8192.0;
                    assert!(overlaps || f64::from(distance) >= -near, "{text}");
                    counts[usize::from(overlaps)] += 1;
                }
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 10_000), "{counts:?}");
    let ball = Shape::sphere(1.0).expect("a ball");
    let invalid = at([f32::NAN, 0.0, 0.0]);
    let error = gjk::distance(&ball, &invalid, &ball, &turned).expect_err("it is invalid");
    assert_eq!(gjk::overlaps(&ball, &invalid, &ball, &turned), Err(error));
    let error: Invalid = gjk::distance(&ball, &turned, &ball, &invalid).expect_err("it is invalid");
    assert_eq!(gjk::overlaps(&ball, &turned, &ball, &invalid), Err(error));
}

/// A ball, but for directions on one side, for which it has no valid point.
#[derive(Debug)]
struct Torn;

impl SupportMap for Torn {
    fn support(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let length = (x * x + y * y + z * z).sqrt();
        if x + y > 1.3 * length { [f64::NAN; 3] } else { [x, y, z].map(|x| x / length) }
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// Goal: invalid points of a support map end the search, with the answer of the distance. Method: a map with some, in all directions from a
/// box and a ball.
#[test]
fn support_map_with_invalid_points_has_the_answer_of_its_distance() {
    let torn = Shape::custom(&Torn).expect("its farthest points along the axes are valid");
    let others = [Shape::cuboid([0.5; 3]), Shape::sphere(0.5), Shape::cylinder(0.5, 0.5)];
    let mut draw = Draw::new(8);
    let mut counts = [0_usize; 2];
    for case in 0..3_000 {
        let other = others[case % 3].expect("valid lengths");
        let at = [0; 3].map(|_| draw.between(-1.6, 1.6));
        let (still, pose) = (Pose::IDENTITY, Pose::at(at).expect("finite"));
        let overlaps = gjk::overlaps(&torn, &still, &other, &pose).expect("poses");
        let distance = gjk::distance(&torn, &still, &other, &pose).expect("poses").distance;
        assert!(!overlaps || distance <= 0.0, "{case} {at:?} {distance}");
        counts[usize::from(overlaps)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

/// Goal: shapes with a positive distance do not overlap, also if the distance is less than its rounding error. Method: thin shapes and balls whose distance
/// from a flat side at `x = 1` is 10⁻¹⁷ to 10⁻¹⁵.
#[test]
fn shapes_with_a_positive_distance_do_not_overlap() {
    let x = 1.0 + f32::EPSILON;
    let rounded = |y, z| Shape::cuboid([0.5, y, z]).and_then(|shape| shape.rounded(0.5));
    let hull = |y: f32, z: f32| {
        let corner = |k: u32| [1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 });
        Hull::new((0..8).map(corner).map(|[sx, sy, sz]: [f32; 3]| [sx, sy * y, sz * z]))
    };
    let turned = [0.0, 0.0, 0.707_106_77, 0.707_106_77];
    for (y, z, thin, radius, at) in [
        (1.492_510_1, 0.567_515_6, 1.192_090_6e-7, 0.823_784_95, [0.010_166_145, 0.071_820_87]),
        (0.329_482_32, 0.582_177_9, 1.192_091_1e-7, 0.774_355_05, [0.136_258_54, 0.122_106_17]),
    ] {
        let (a, b) = (rounded(y, z).expect("a box"), Shape::cylinder(thin, radius));
        let pose = Pose::new([x, at[0], at[1]], turned).expect("a quarter turn");
        assert_apart(&a, &b.expect("a disc"), &pose);
    }
    for (y, z, radius, at) in [
        (1.266_342_2, 1.141_964_2, 1.192_091_2e-7, [-0.103_989_534, 0.194_580_69]),
        (1.364_039_4, 0.230_818_75, 1.192_091_3e-7, [-0.280_872_1, -0.097_710_915]),
    ] {
        let hull = hull(y, z).expect("a hull");
        let ball = Shape::sphere(radius).expect("a ball");
        assert_apart(&Shape::hull(&hull), &ball, &Pose::at([x, at[0], at[1]]).expect("finite"));
    }
    let thin = -1.192_090_3e-7;
    let corners = [[0.691_553_95, 0.0], [-0.691_553_95, 0.179_543_38], [0.0, -0.179_543_38]];
    let triangle = Shape::triangle(corners.map(|[y, z]| [thin, y, z])).expect("a triangle");
    let a = rounded(1.731_775, 1.571_352_2).expect("a box");
    assert_apart(&a, &triangle, &Pose::at([x, -0.004_314_458_5, 0.185_674_67]).expect("finite"));
}

/// Asserts that the distance of a shape at the origin from another one is positive, but not above the rounding error, and that they do not overlap.
fn assert_apart(a: &Shape<'_>, b: &Shape<'_>, pose: &Pose) {
    let distance = gjk::distance(a, &Pose::IDENTITY, b, pose).expect("poses").distance;
    assert!(distance > 0.0 && distance < 1e-14, "{distance} {a:?} {b:?}");
    assert_eq!(gjk::overlaps(a, &Pose::IDENTITY, b, pose), Ok(false), "{distance} {a:?} {b:?}");
}
