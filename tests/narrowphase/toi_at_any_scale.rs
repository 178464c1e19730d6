//! Tests that times of impact do not depend on the scale, the position or the form of the input.
//!
//! Scaling by a power of two, and moving by numbers that can be added without rounding, change no bit of a
//! time. Copies, flat hulls and single points are valid shapes; invalid shapes and motions are rejected.

use scenes::convex::{Hulls, Meeting, Moves, meetings, rotation, unit};
use swath::convex::toi::{Settings, Toi, ToiError, ToiResult, Touch};
use swath::convex::{Hull, InvalidShape, gjk, toi};
use swath::{Invalid, Level, Motion, Pose, SPIN_MAX, Shape};
use testkit::ball_map::BallMap;
use testkit::cases::HOSTILE;
use testkit::draw::{Draw, how_many};

fn search(a: (&Shape<'_>, &Motion), b: (&Shape<'_>, &Motion)) -> Toi {
    toi::one_to_one(a.0, a.1, b.0, b.1, &Settings::default()).expect("valid")
}

fn scaled(vector: [f32; 3], by: f32) -> [f32; 3] {
    vector.map(|along| along * by)
}

/// Goal: the unit of length changes nothing. Method: scaling everything by a power of two gives the same bits
/// of time, normal and rounds, and scaled lengths; also for hulls, whose vertices are searched in `f32`.
#[test]
fn power_of_two_changes_no_time() {
    let hulls = Hulls::new(5);
    for moves in [Moves::Linear, Moves::Accelerated, Moves::Spinning] {
        for meeting in meetings(&hulls, moves, how_many(300), 6) {
            let [a, b] = meeting.shapes;
            let [of_a, of_b] = meeting.motions;
            let plain = search((&a, &of_a), (&b, &of_b));
            for by in [2.0_f32.powi(-20), 2.0_f32.powi(-60), 2.0_f32.powi(17), 2.0_f32.powi(60)] {
                let grown = |motion: Motion| Motion {
                    pose: Pose { position: scaled(motion.pose.position, by), ..motion.pose },
                    delta: scaled(motion.delta, by),
                    accel: scaled(motion.accel, by),
                    ..motion
                };
                let (big_a, big_b) =
                    (a.scaled([by; 3]).expect("shape"), b.scaled([by; 3]).expect("shape"));
                let toi = search((&big_a, &grown(of_a)), (&big_b, &grown(of_b)));
                let text = format!("{by} {toi:?} {plain:?} {meeting:?}");
                match (toi.result, plain.result) {
                    (
                        ToiResult::Impact { t, normal, on_a, closing, .. },
                        ToiResult::Impact { t: at, normal: n, on_a: on, closing: c, .. },
                    ) => {
                        assert_eq!((t, normal), (at, n), "{text}");
                        assert_eq!((on_a, closing), (scaled(on, by), c * by), "{text}");
                    }
                    (
                        ToiResult::Overlapping { depth, .. },
                        ToiResult::Overlapping { depth: d, .. },
                    ) => {
                        assert_eq!(depth, d * by, "{text}");
                    }
                    (left, right) => assert_eq!(left, right, "{text}"),
                }
                assert_eq!((toi.rounds, toi.supports), (plain.rounds, plain.supports), "{text}");
            }
        }
    }
}

/// Goal: the distance from the origin does not matter. Method: positions on a grid that `f32` can represent
/// at 2²⁰ and beyond.
#[test]
fn far_from_the_origin_nothing_changes() {
    let hulls = Hulls::new(7);
    for mut meeting in meetings(&hulls, Moves::Spinning, how_many(300), 8) {
        for motion in &mut meeting.motions {
            motion.pose.position = motion.pose.position.map(|along| (along * 8.0).round() / 8.0);
        }
        let [a, b] = &meeting.shapes;
        let toi = |far: [f32; 3]| {
            let [of_a, of_b] = meeting.motions.map(|motion| {
                let position = std::array::from_fn(|k| motion.pose.position[k] + far[k]);
                Motion { pose: Pose { position, ..motion.pose }, ..motion }
            });
            let toi = search((a, &of_a), (b, &of_b));
            (toi.impact(), toi.rounds, toi.supports)
        };
        let near = toi([0.0; 3]);
        assert_eq!(near, toi([1048576.0, -524288.0, 0.0]), "{meeting:?}");
        assert_eq!(near, toi([-4096.0, 1000000.0, 1048000.0]), "{meeting:?}");
    }
}

/// Goal: the order of the bodies does not matter. Method: swapped, the times differ by no more than the
/// tolerance, and normals are opposite.
#[test]
fn swapping_reverses_the_normal() {
    let hulls = Hulls::new(9);
    let mut hits = 0;
    for moves in [Moves::Linear, Moves::Accelerated, Moves::Spinning] {
        for Meeting { shapes: [a, b], motions: [of_a, of_b] } in
            meetings(&hulls, moves, how_many(400), 10)
        {
            let (one, other) = (search((&a, &of_a), (&b, &of_b)), search((&b, &of_b), (&a, &of_a)));
            assert_eq!(one, search((&a, &of_a), (&b, &of_b)), "the same again");
            let (Some(t), Some(u)) = (one.impact(), other.impact()) else {
                let grazes = [one, other].iter().any(|toi| {
                    matches!(toi.result, ToiResult::Impact { closing, .. } if closing.abs() < 0.1)
                });
                assert!(one.impact() == other.impact() || grazes, "{one:?} {other:?}");
                continue;
            };
            hits += 1;
            let (ToiResult::Impact { normal, closing, .. }, ToiResult::Impact { normal: back, .. }) =
                (one.result, other.result)
            else {
                unreachable!("both are impacts")
            };
            for toi in [one, other] {
                let ToiResult::Impact { on_a, on_b, .. } = toi.result else { unreachable!() };
                let apart: f32 = (0..3).map(|k| (on_a[k] - on_b[k]).powi(2)).sum();
                assert!(apart.sqrt() < 2e-4, "the nearest points are near: {toi:?}");
            }
            // Within the tolerance of each other, unless the bodies approach slowly.
            assert!((t - u).abs() * closing.max(0.05) < 1e-3, "{one:?} {other:?}");
            let cosine: f32 = (0..3).map(|k| normal[k] * back[k]).sum();
            assert!(cosine < -0.5 || (t - u).abs() > 1e-6, "{one:?} {other:?}");
        }
    }
    assert!(hits > 200, "{hits}");
}

/// Goal: hulls depend on their points only. Method: the corners of a box, with copies, with points inside, in
/// any order, on every level, flat and as single points, compared with the box.
#[test]
fn hulls_depend_on_their_points_only() {
    let mut draw = Draw::new(11);
    for case in 0..how_many(300) {
        let half: [f32; 3] = match case % 4 {
            0 => [0.0; 3],
            1 => [draw.between(0.1, 2.0), 0.0, draw.between(0.1, 2.0)],
            2 => [0.0, draw.between(0.1, 2.0), 0.0],
            _ => std::array::from_fn(|_| draw.between(0.1, 2.0)),
        };
        let mut points = Vec::new();
        for corner in 0..8_u32 {
            let of = |axis: usize| if corner >> axis & 1 == 0 { half[axis] } else { -half[axis] };
            points.extend([[of(0), of(1), of(2)]; 3]);
            points.push(std::array::from_fn(|_| 0.0));
            points.push(std::array::from_fn(|axis| of(axis) * 0.5));
        }
        let boxed = Shape::cuboid(half).expect("a box");
        let other = Shape::cuboid([0.5, 1.0, 0.25]).expect("a box").rounded(0.125).expect("a box");
        let way = unit(&mut draw.0);
        let pose = |at, draw: &mut Draw| Pose::new(at, rotation(&mut draw.0)).expect("a pose");
        let a = Motion::new(pose(scaled(way, -6.0), &mut draw), scaled(way, 12.0)).expect("moves");
        let a = a.spinning(unit(&mut draw.0)).expect("a motion");
        let b = Motion::from(pose([0.0; 3], &mut draw));
        let meant = search((&boxed, &a), (&other, &b)).impact().expect("it flies through");
        let mut first = None;
        for level in Level::all() {
            points.reverse();
            let hull = Hull::on_level(level, points.iter().copied()).expect("a hull");
            let toi = search((&Shape::hull(&hull), &a), (&other, &b));
            let t = toi.impact().expect("the hull gives the result of the box");
            assert!((t - meant).abs() < 1e-3, "{t} {meant} {half:?}");
            assert_eq!(*first.get_or_insert(toi), toi, "every level has the same bits: {level}");
        }
        // Mirrored and stretched: the same as the mirrored and stretched points.
        let by = [-2.0, 0.5, 1.5];
        let hull = Hull::new(points.iter().copied()).expect("a hull");
        let stretched =
            Hull::new(points.iter().map(|p| std::array::from_fn::<f32, 3, _>(|k| p[k] * by[k])));
        let stretched = stretched.expect("a hull");
        let by_scale = Shape::hull(&hull).scaled(by).expect("a shape");
        let (one, two) = (
            search((&by_scale, &a), (&other, &b)),
            search((&Shape::hull(&stretched), &a), (&other, &b)),
        );
        let (one, two) = (one.impact().expect("hits"), two.impact().expect("hits"));
        assert!((one - two).abs() < 1e-3, "{one} {two}");
    }
}

/// Goal: a shape of the caller gives the same results. Method: a ball as a support map against a ball, also
/// scaled, with a rotating plank.
#[test]
fn shape_of_the_caller_gives_the_same_results() {
    let plank = Shape::cuboid([4.0, 0.25, 1.0]).expect("a box");
    let a = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 3.0]).expect("a motion");
    let b =
        Motion::new(Pose::at([0.0, 3.0, 0.0]).expect("a pose"), [0.5, -0.25, 0.0]).expect("moves");
    for by in [1.0, 0.5, 2.0] {
        let map =
            Shape::custom(&BallMap(1.0)).and_then(|shape| shape.scaled([by; 3])).expect("a shape");
        let ball = Shape::sphere(by).expect("a ball");
        let (own, ours) = (search((&plank, &a), (&map, &b)), search((&plank, &a), (&ball, &b)));
        let (own, ours) = (own.impact().expect("hits"), ours.impact().expect("hits"));
        assert!((own - ours).abs() < 2e-4, "{own} {ours}");
    }
    let egg = Shape::custom(&BallMap(1.0))
        .and_then(|shape| shape.scaled([1.0, 3.0, 1.0]))
        .expect("an egg");
    let low = search((&plank, &a), (&egg, &b));
    assert!(matches!(low.result, ToiResult::Overlapping { .. }), "{low:?}");
}

/// Goal: coincident centres, points and shapes without size give a result. Method: all of them together and
/// apart, at rest and in motion.
#[test]
fn shapes_without_size_give_a_result() {
    let hull = Hull::new([[1.0_f32, 2.0, 3.0]; 3]).expect("a point");
    let zero = Hull::new([[0.0_f32; 3]]).expect("a point");
    let shapes = [
        Shape::point(),
        Shape::hull(&zero),
        Shape::hull(&hull),
        Shape::segment([0.0, -1.0, 0.0], [0.0, 1.0, 0.0]).expect("a segment"),
        Shape::triangle([[0.0_f32; 3]; 3]).expect("a triangle"),
        Shape::triangle([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.5, 0.0, 0.0]]).expect("a triangle"),
        Shape::cylinder(0.0, 1.0).expect("a disc"),
        Shape::cone(1.0, 0.0).expect("a segment"),
        Shape::sphere(0.0).expect("a point"),
        Shape::cuboid([1.0; 3]).expect("a box"),
        Shape::capsule(1.0, 0.5).expect("a capsule"),
        Shape::sphere(1e-30).expect("a ball"),
        Shape::sphere(1e30).expect("a ball"),
    ];
    let still = Motion::from(Pose::IDENTITY);
    for (row, a) in shapes.iter().enumerate() {
        for (column, b) in shapes.iter().enumerate() {
            for delta in [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1e-40, 0.0], [1e30, 0.0, 1e30]] {
                for spin in [[0.0; 3], [0.0, 0.0, 5.0]] {
                    let motion = Motion { delta, spin, ..still };
                    for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
                        let settings = Settings { touch, ..Settings::default() };
                        let toi = toi::one_to_one(a, &still, b, &motion, &settings).expect("valid");
                        let numbers = match toi.result {
                            ToiResult::Impact { t, normal, closing, .. } => {
                                [t, normal[0], normal[1], closing]
                            }
                            ToiResult::Overlapping { depth, normal, closing, .. } => {
                                [depth, normal[0], normal[1], closing]
                            }
                            ToiResult::Unresolved { t_safe } => [t_safe; 4],
                            _ => [0.0; 4],
                        };
                        assert!(numbers.iter().all(|x| x.is_finite()), "{toi:?} {a:?} {b:?}");
                        let given_up = matches!(toi.result, ToiResult::Unresolved { .. });
                        assert!(!given_up, "{row} {column} {delta:?} {spin:?} {touch:?} {toi:?}");
                        // All but one have the origin in common.
                        let apart = (row == 2) != (column == 2) && row < 12 && column < 12;
                        let meets = !matches!(toi.result, ToiResult::Separated);
                        assert!(meets || apart || touch != Touch::Hit, "{toi:?} {a:?} {b:?}");
                    }
                }
            }
        }
    }
}

/// Goal: target distance and window are respected. Method: a ball flies towards a wall, with a skin; in parts
/// of the tick.
#[test]
fn skins_and_windows_are_respected() {
    let (ball, wall) =
        (Shape::sphere(0.5).expect("a ball"), Shape::cuboid([1.0; 3]).expect("a box"));
    let still = Motion::from(Pose::at([8.0, 0.0, 0.0]).expect("a pose"));
    let flies = Motion::new(Pose::IDENTITY, [13.0, 0.0, 0.0]).expect("a motion");
    let ask = |target_distance, window| {
        let settings = Settings { target_distance, window, ..Settings::default() };
        toi::one_to_one(&ball, &flies, &wall, &still, &settings).expect("valid").result
    };
    for (skin, first) in [(0.0, 0.5), (1.3, 0.4), (6.5, 0.0), (6.0, 0.5 / 13.0)] {
        let ToiResult::Impact { t, .. } = ask(skin, [0.0, 1.0]) else { panic!("{skin}") };
        assert!(t <= first && t > first - 1e-4, "{t} {first}");
    }
    assert_eq!(ask(0.0, [0.0, 0.49]), ToiResult::Separated);
    assert!(
        matches!(ask(0.0, [0.0, 0.5]), ToiResult::Impact { .. }),
        "the end belongs to the window"
    );
    assert!(matches!(ask(0.0, [0.5, 0.5]), ToiResult::Impact { .. }), "and the start");
    assert!(matches!(ask(0.0, [0.6, 0.6]), ToiResult::Overlapping { .. }));
    assert!(matches!(ask(7.0, [0.0, 1.0]), ToiResult::Overlapping { .. }));
}

/// Goal: an invalid shape, motion or setting is rejected without a panic. Method: every hostile number at
/// every position.
#[test]
fn invalid_input_is_rejected() {
    let still = Motion::from(Pose::IDENTITY);
    let ball = Shape::sphere(1.0).expect("a ball");
    for x in HOSTILE.into_iter().chain([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX]) {
        let number = x.abs() <= swath::COORD_MAX;
        let length = number && x >= 0.0;
        assert_eq!(Shape::sphere(x).is_ok(), length, "{x}");
        assert_eq!(Shape::cuboid([1.0, x, 1.0]).is_ok(), length, "{x}");
        assert_eq!(Shape::capsule(x, 1.0).is_ok(), length, "{x}");
        assert_eq!(Shape::cylinder(1.0, x).is_ok(), length, "{x}");
        assert_eq!(Shape::cone(x, x).is_ok(), length, "{x}");
        assert_eq!(ball.rounded(x).is_ok(), length, "{x}");
        assert_eq!(Hull::new([[0.0, x, 1.0]]).is_ok(), number, "{x}");
        assert_eq!(Shape::segment([0.0; 3], [x, 0.0, 0.0]).is_ok(), number, "{x}");
        assert_eq!(Motion::new(Pose::IDENTITY, [x, 0.0, 0.0]).is_ok(), number, "{x}");
        assert_eq!(still.accelerating([0.0, x, 0.0]).is_ok(), number, "{x}");
        assert_eq!(still.spinning([0.0, x, 0.0]).is_ok(), x.abs() <= SPIN_MAX, "{x}");
        assert_eq!(Pose::at([x, 0.0, 0.0]).is_ok(), number, "{x}");
        assert_eq!(
            Pose::new([0.0; 3], [x, 0.0, 0.0, 0.0]).is_ok(),
            (x * x - 1.0).abs() < 9e-4,
            "{x}"
        );
        if length {
            let shape = Shape::cuboid([x, 0.0, x]).expect("a box");
            assert!(gjk::distance(&shape, &Pose::IDENTITY, &ball, &Pose::IDENTITY).is_ok());
        }
    }
    assert_eq!(ball.scaled([1.0, 2.0, 1.0]).err(), Some(InvalidShape::UnevenScale));
    let bad = Motion { spin: [0.0, f32::NAN, 0.0], ..still };
    let ask = |motion: &Motion, settings: &Settings| {
        toi::one_to_one(&ball, &still, &ball, motion, settings).err()
    };
    let default = Settings::default();
    assert_eq!(ask(&bad, &default), Some(ToiError::SecondMotion(Invalid::Spin)));
    let not = Settings { target_distance: -1.0, ..default };
    assert_eq!(ask(&still, &not), Some(ToiError::Target));
    let not = Settings { tolerance: f32::NAN, ..default };
    assert_eq!(ask(&still, &not), Some(ToiError::Tolerance));
    for window in [[0.5, 0.4], [-0.1, 1.0], [0.0, 1.1], [f32::NAN, 1.0], [0.0, f32::NAN]] {
        assert_eq!(ask(&still, &Settings { window, ..default }), Some(ToiError::Window));
    }
    let not = Settings { rounds_max: 0, ..default };
    assert_eq!(ask(&still, &not), Some(ToiError::Rounds));
}

/// Goal: a small tolerance is reached, also by shapes with a sharp rim. Method: cylinders, cones and boxes
/// thrown at each other, with and without rotation, at 2⁻³⁴ and at zero, where the tolerance is that of
/// rounding: there some searches at rims are unresolved, but none of boxes.
#[test]
fn small_tolerance_is_reached() {
    let mut draw = Draw::new(53);
    let (mut met, mut lost) = (0, 0);
    let count = how_many(1500);
    for case in 0..count {
        let mut length = || draw.between(0.3, 0.9);
        let (a, b, c, d) = (length(), length(), length(), length());
        let shapes = [
            Shape::cylinder(a, b).expect("a cylinder"),
            Shape::cone(c, d).expect("a cone"),
            Shape::cuboid([b, c, 0.5]).expect("a box"),
        ];
        let mut motion = |far: f32| {
            let aside = unit(&mut draw.0).map(|x| 0.3 * x);
            let pose = Pose::new([far + aside[0], aside[1], aside[2]], rotation(&mut draw.0));
            let motion = Motion::new(pose.expect("a pose"), [-1.1 * far, 0.1, 0.0]);
            let spin = unit(&mut draw.0).map(|x| x * [0.0, 2.0][case % 2]);
            motion.and_then(|motion| motion.spinning(spin)).expect("a motion")
        };
        let (of_a, of_b) = (motion(0.0), motion(5.0));
        let (first, second) = (&shapes[case / 2 % 3], &shapes[case / 6 % 3]);
        for tolerance in [2.0_f32.powi(-34), 0.0] {
            let settings = Settings { tolerance, ..Settings::default() };
            let toi = toi::one_to_one(first, &of_a, second, &of_b, &settings).expect("valid");
            let unresolved = matches!(toi.result, ToiResult::Unresolved { .. });
            let rims = case / 2 % 3 < 2 || case / 6 % 3 < 2;
            assert!(!unresolved || tolerance == 0.0 && rims, "{toi:?} {tolerance}: {case}");
            lost += usize::from(unresolved);
            met += usize::from(toi.impact().is_some());
        }
    }
    assert!(met > count && lost * 50 < count, "{met} {lost} of {count}");
}

/// Goal: a rounded shape is valid only if its farthest point is within the limit of all shapes. Method: a box whose corners are at 2¹²¹ on each axis, which is
/// valid with a small radius, and whose reach exceeds 2¹²² with a radius of 2¹²⁰.
#[test]
fn rounded_shape_beyond_the_limit_is_rejected() {
    let most = 2.0_f32.powi(120);
    let large = Shape::cuboid([most; 3]).and_then(|shape| shape.scaled([2.0; 3])).expect("valid");
    let rounded = large.rounded(1.0).expect("valid");
    assert!(rounded.scaled([1.0; 3]).is_ok());
    assert_eq!(large.rounded(most).err(), Some(InvalidShape::Number));
}
