//! One-sided meshes and height fields.

use swath::convex::Hull;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Compound, Geometry, HeightField, Mesh, toi};
use swath::{Motion, Pose, Shape};

/// A horizontal square at height 0 whose front is above.
fn square() -> Mesh<'static> {
    let vertices = vec![[-5.0, 0.0, -5.0], [5.0, 0.0, -5.0], [5.0, 0.0, 5.0], [-5.0, 0.0, 5.0]];
    Mesh::new(vertices, vec![[0, 2, 1], [0, 3, 2]]).expect("a square")
}

fn time(body: &Geometry<'_>, at: &Motion, height: f32, speed: f32, accel: f32) -> Option<f32> {
    let ball = Shape::sphere(0.2).expect("a ball");
    let start = Pose::at([1.0, height, 0.5]).expect("valid");
    let motion = Motion::new(start, [0.0, speed, 0.0]).expect("valid");
    let motion = motion.accelerating([0.0, accel, 0.0]).expect("valid");
    let settings = Settings::default();
    let found = toi::one_to_one(&ball.into(), &motion, body, at, &settings).expect("valid");
    match found.toi.result {
        ToiResult::Impact { t, .. } => Some(t),
        ToiResult::Separated => None,
        other => panic!("{other:?}"),
    }
}

fn is_about(t: Option<f32>, exact: f32) -> bool {
    t.is_some_and(|t| t <= exact && t > exact - 1e-3)
}

/// Goal: only the front counts, and a body that comes through from behind may land on it in the same tick. Method: a
/// ball from above, from below, through and back, and closed forms.
#[test]
fn only_the_front_of_a_one_sided_mesh_counts() {
    let (both, front) = (square(), square().one_sided());
    assert!(front.is_one_sided() && !both.is_one_sided());
    let still = Motion::default();
    let (both, front) = (Geometry::from(&both), Geometry::from(&front));
    assert!(is_about(time(&front, &still, 2.0, -3.6, 0.0), 0.5));
    assert!(is_about(time(&both, &still, -2.0, 3.6, 0.0), 0.5));
    assert_eq!(time(&front, &still, -2.0, 3.6, 0.0), None);
    // It starts within the plane, a little behind.
    assert_eq!(time(&front, &still, -0.1, 3.0, 0.0), None);
    // Up through the square and down again: it leaves the front at 0.4 and returns at 0.8.
    assert!(is_about(time(&both, &still, -3.0, 12.0, -20.0), 0.3172));
    assert!(is_about(time(&front, &still, -3.0, 12.0, -20.0), 0.8));
    // The square moves instead.
    let falling = Motion::new(Pose::IDENTITY, [0.0, -3.6, 0.0]).expect("valid");
    assert!(is_about(time(&both, &falling, -2.0, 0.0, 0.0), 0.5));
    assert_eq!(time(&front, &falling, -2.0, 0.0, 0.0), None);
    let upside_down = Pose::new([0.0; 3], [1.0, 0.0, 0.0, 0.0]).expect("valid").into();
    assert!(is_about(time(&front, &upside_down, -2.0, 3.6, 0.0), 0.5));
    assert_eq!(time(&front, &upside_down, 2.0, -3.6, 0.0), None);
}

/// Goal: against another mesh or height field, all triangles count from both sides, wherever its origin is. Method: a patch of one triangle that falls
/// on a square from above or rises from below, with its origin above or below, against the square with both sides and with one; the same for the
/// overlap of a patch that crosses the square.
#[test]
fn sides_do_not_count_against_another_mesh() {
    let settings = Settings::default();
    let heights = |height: f32| HeightField::new(vec![height; 4], [2, 2], [10.0; 2]);
    let (both, front) = (square(), square().one_sided());
    let floors = [Geometry::from(&both), Geometry::from(&front)];
    for origin in [-5.0_f32, 5.0] {
        for from in [-1.0_f32, 1.0] {
            let y = from - origin;
            let vertices = vec![[-1.0, y, -1.0], [1.0, y, -1.0], [0.0, y, 1.0]];
            let patch = Mesh::new(vertices, vec![[0, 1, 2]]).expect("a triangle");
            let field = heights(y).expect("a field").one_sided();
            for falling in [Geometry::from(&patch), (&field).into()] {
                let pose = Pose::at([0.0, origin, 0.0]).expect("valid");
                let motion = Motion::new(pose, [0.0, -2.0 * from, 0.0]).expect("valid");
                let still = Motion::default();
                let [expected, found] = floors.each_ref().map(|floor| {
                    let first = toi::one_to_one(floor, &still, &falling, &motion, &settings);
                    let second = toi::one_to_one(&falling, &motion, floor, &still, &settings);
                    [first, second].map(|found| found.expect("valid").toi.result)
                });
                assert!(matches!(expected[0], ToiResult::Impact { t, .. } if t > 0.49 && t <= 0.5));
                assert_eq!(found, expected, "{origin} {from}");
            }
            let at = Pose::at([0.0, origin - from, 0.0]).expect("valid");
            let patch = Geometry::from(&patch);
            let overlap = floors.map(|floor| floor.overlaps(&Pose::IDENTITY, &patch, &at));
            assert_eq!(overlap, [Ok(true), Ok(true)], "{origin} {from}");
        }
    }
}

/// Goal: the rule holds for a mesh of one triangle, in both orders of the arguments, and for compounds. Method: from
/// above and from below.
#[test]
fn one_triangle_has_a_front_for_shapes_and_compounds() {
    let vertices = vec![[-5.0, 0.0, -5.0], [5.0, 0.0, -5.0], [0.0, 0.0, 5.0]];
    let front = Mesh::new(vertices, vec![[0, 2, 1]]).expect("a triangle").one_sided();
    let ball = Shape::sphere(0.2).expect("a ball");
    let two = [(ball.into(), Pose::IDENTITY), (ball.into(), Pose::IDENTITY)];
    let two = Compound::new(two).expect("valid");
    let (front, still) = (Geometry::from(&front), Motion::default());
    for body in [Geometry::from(ball), (&two).into()] {
        for (height, speed, hit) in [(2.0, -3.6, true), (-2.0, 3.6, false)] {
            let start = Pose::at([0.2, height, 0.1]).expect("valid");
            let motion = Motion::new(start, [0.0, speed, 0.0]).expect("valid");
            let settings = Settings::default();
            for found in [
                toi::one_to_one(&body, &motion, &front, &still, &settings),
                toi::one_to_one(&front, &still, &body, &motion, &settings),
            ] {
                let t = found.expect("valid").toi.impact();
                assert!(if hit { is_about(t, 0.5) } else { t.is_none() }, "{body:?} {t:?}");
            }
        }
    }
}

/// Goal: the side is that at the contact, not at the start. Method: a ball that starts below the plane of the far slope
/// of a hill, flies over the hill and lands on that slope.
#[test]
fn a_ball_that_flies_over_a_hill_lands_behind_it() {
    let heights = vec![0.0, 2.0, 0.0, 0.0, 2.0, 0.0];
    let hill = HeightField::new(heights, [3, 2], [2.0, 4.0]).expect("a hill").one_sided();
    let ball = Shape::sphere(0.1).expect("a ball");
    // From before the near slope, below the line that continues the far one.
    let start = Pose::at([-1.0, 1.0, 2.0]).expect("valid");
    let motion = Motion::new(start, [5.0, 8.0, 0.0])
        .and_then(|motion| motion.accelerating([0.0, -18.66, 0.0]));
    let settings = Settings::default();
    let found = toi::one_to_one(
        &ball.into(),
        &motion.expect("valid"),
        &(&hill).into(),
        &Motion::default(),
        &settings,
    );
    let found = found.expect("valid");
    // The height above the far slope along its normal: x + y = 4 there.
    let above = |t: f64| (-1.0 + 5.0 * t + 1.0 + 8.0 * t - 9.33 * t * t - 4.0) / 2.0_f64.sqrt();
    let t = f64::from(found.toi.impact().expect("it lands"));
    assert!((above(t) - 0.1).abs() < 1e-3 && t > 0.5, "{t} {}", above(t));
    assert!(found.parts[1] >= 2 && found.parts[1] <= 3, "{found:?}");
}

/// Goal: a one-sided triangle counts for a body that crosses its plane from behind where their bounds are apart. Method: a ball that
/// rises beside a triangle and meets its edge, and the closed form; the whole tick, and a window that starts behind the crossing.
#[test]
fn a_ball_that_crosses_the_plane_beside_a_triangle_meets_its_edge() {
    let vertices = vec![[0.0, 0.0, -5.0], [0.0, 0.0, 5.0], [5.0, 0.0, 0.0]];
    let front = Mesh::new(vertices, vec![[0, 1, 2]]).expect("a triangle").one_sided();
    let ball = Shape::sphere(1.0).expect("a ball");
    let rising = Motion::new(Pose::at([-5.0, -0.5, 0.0]).expect("valid"), [5.0, 1.0, 0.0]);
    let rising = rising.expect("valid");
    for start in [0.0, 0.6] {
        let settings = Settings { window: [start, 1.0], ..Settings::default() };
        let still = Motion::default();
        let found = toi::one_to_one(&ball.into(), &rising, &(&front).into(), &still, &settings);
        // 25·(1 − t)² + (t − 1/2)² = 1
        assert!(is_about(found.expect("valid").toi.impact(), 0.809_843), "{start}");
    }
}

/// Goal: a body whose position is on its own surface is stopped by the front that it touches at the start, although its position is behind the plane
/// at once. Method: a hull above its origin that falls on a floor from heights below the tolerance, and one that slides first; all settings for
/// touches.
#[test]
fn body_whose_origin_is_on_its_surface_is_stopped_by_a_front() {
    let corners = (0..8_u8).map(|k| [k & 1, k >> 1 & 1, k >> 2 & 1].map(f32::from));
    let hull = Hull::new(corners.map(|[x, y, z]| [x - 0.5, y, z - 0.5])).expect("a hull");
    let shape = Shape::hull(&hull);
    let (floors, still) = ([square().one_sided(), square()], Motion::default());
    for height in [0.0, 1e-7, 1e-6, 1e-5, 2e-5, 4e-5, 6e-5, 1e-4, 1e-3_f32] {
        for (touch, delta, accel) in [
            (Touch::IfClosing, [0.3, -0.7, 0.1], 0.0),
            (Touch::IfClosing, [0.3, 0.0, 0.1], -0.7),
            (Touch::Ignore, [0.3, -0.7, 0.1], 0.0),
            (Touch::Hit, [0.3, -0.7, 0.1], 0.0),
        ] {
            let start = Pose::at([1.0, height, 0.5]).expect("finite");
            let motion = Motion::new(start, delta).expect("finite");
            let motion = motion.accelerating([0.0, accel, 0.0]).expect("finite");
            let settings = Settings { touch, ..Settings::default() };
            for floor in &floors {
                let found =
                    toi::one_to_one(&shape.into(), &motion, &floor.into(), &still, &settings);
                let found = found.expect("valid").toi.result;
                let sides = floor.is_one_sided();
                let text = format!("{height} {touch:?} {accel} {sides} {found:?}");
                match found {
                    ToiResult::Impact { t, normal, .. } => {
                        let exact =
                            if accel == 0.0 { height / 0.7 } else { (height / 0.35).sqrt() };
                        assert!(t <= exact && normal[1] < -0.999, "{text}");
                        assert!(height < 1e-3 || t > 0.9 * exact, "{text}");
                    }
                    ToiResult::Overlapping { depth, .. } => {
                        assert!(touch == Touch::Ignore && height < 7e-5, "{text}");
                        assert!(depth < 1.2e-4, "{text}");
                    }
                    _ => panic!("{text}"),
                }
            }
        }
    }
}

/// Goal: rounding that puts a body whose origin is on its surface behind the plane of a front does not let it fall through, and a body that is
/// behind the front passes. Method: a ball and a hull above their origins on and a little below a floor and a field, which fall or slide; the same
/// with two sides; bodies that hang below their origins, and rise, as control.
#[test]
fn body_whose_origin_is_a_little_behind_a_front_does_not_fall_through() {
    let corners = |up: f32| {
        (0..8_u8).map(move |k| {
            let [x, y, z] = [k & 1, k >> 1 & 1, k >> 2 & 1].map(f32::from);
            [x - 0.5, up * y, z - 0.5]
        })
    };
    let ball = Shape::sphere(0.3).expect("a ball");
    let [above, below] = [1.0, -1.0].map(|up| {
        let pose = Pose::at([0.0, 0.3 * up, 0.0]).expect("finite");
        let feet = Compound::new([(ball.into(), pose)]).expect("a compound");
        (feet, Hull::new(corners(up)).expect("a hull"))
    });
    let field = HeightField::new(vec![0.0; 9], [3; 2], [2.0; 2]).expect("a field").one_sided();
    let (two_sided, front) = (square(), square().one_sided());
    let (settings, still) = (Settings::default(), Motion::default());
    let find = |body: &Geometry<'_>, floor: &Geometry<'_>, height: f32, delta: [f32; 3]| {
        let start = Pose::at([1.2, height, 1.5]).expect("finite");
        let motion = Motion::new(start, delta).expect("finite");
        toi::one_to_one(body, &motion, floor, &still, &settings).expect("valid").toi.result
    };
    let mut count = 0;
    for height in [1e-7, 0.0, -1e-9, -6e-8, -1e-6, -1e-5_f32] {
        for floor in [Geometry::from(&front), (&field).into()] {
            let behind: [Geometry<'_>; 2] = [(&below.0).into(), Shape::hull(&below.1).into()];
            for (kind, body) in
                [Geometry::from(&above.0), Shape::hull(&above.1).into()].iter().enumerate()
            {
                let text = format!("{height} {kind}");
                for delta in [[0.03, -0.004, 0.0], [0.1, -1.0, 0.0]] {
                    let found = find(body, &floor, height, delta);
                    let ToiResult::Impact { t, normal, .. } = found else {
                        panic!("{text} {found:?}")
                    };
                    assert!(t <= height.max(0.0) / -delta[1] && normal[1] < -0.999, "{text}");
                    let both = find(body, &(&two_sided).into(), height, delta);
                    assert!(matches!(both, ToiResult::Impact { .. }), "{text} {both:?}");
                }
                for delta in [[0.1, 0.0, 0.03], [0.1, 0.5, 0.0]] {
                    let found = find(body, &floor, height, delta);
                    assert_eq!(found, ToiResult::Separated, "{text} {delta:?}");
                }
                // From behind.
                let found = find(body, &floor, height - 0.01, [0.0, 1.0, 0.0]);
                assert_eq!(found, ToiResult::Separated, "{text}");
                let found = find(&behind[kind], &floor, height.min(-1e-9), [0.0, 1.0, 0.0]);
                assert_eq!(found, ToiResult::Separated, "{text}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 24);
    // Deeper than a touch, it overlaps.
    let found = find(&(&above.0).into(), &(&front).into(), -5e-5, [0.0, -0.1, 0.0]);
    assert!(matches!(found, ToiResult::Overlapping { .. }), "{found:?}");
}

/// Goal: a body that turns about a position outside of it counts as in front as soon as all of it is, not only when a ball around its position is.
/// Method: a ball and a box on an arm, whose position rises through the plane, and which turn down onto the front: in front from the
/// start, behind at first, and in front by little. The heights of their lowest points over time.
#[test]
fn body_that_turns_about_a_position_behind_a_front_is_stopped_when_it_is_in_front() {
    let field = HeightField::new(vec![0.0; 9], [3; 2], [2.0; 2]).expect("a field").one_sided();
    let floors = [square().one_sided(), square()];
    let mut count = 0;
    // The arm, the radius, the spin, the height, velocity and acceleration of the position, and a time at which that is in front.
    let cases = [
        ([0.0_f32, 0.5], 0.1_f32, 2.5_f32, [-0.1_f32, 0.4, 0.0], 0.26_f64),
        ([0.0, -0.5], 0.1, 6.0, [-0.1, 0.4, 0.0], 0.4),
        ([-0.4, 0.3], 0.25, 2.5, [-0.1, 2.0, -3.0], 0.0525),
        // It rises slowly, because the arm goes down almost as fast as the position goes up.
        ([1.2, 0.0], 0.01, -2.0, [-0.01, 3.0, -5.0], 0.06),
    ];
    for (arm, radius, rate, [height, speed, accel], first) in cases {
        let ball = Shape::sphere(radius).expect("a ball");
        let arm = Pose::at([arm[0], arm[1], 0.0]).expect("finite");
        let on_arm = Compound::new([(ball.into(), arm)]).expect("a compound");
        let corners: Vec<_> = (0..8_u8)
            .map(|k| {
                let [x, y, z] = [k & 1, k >> 1 & 1, k >> 2 & 1].map(|x| f32::from(x) - 0.5);
                let [right, up, _] = arm.position;
                [right + radius * x, up + radius * y, radius * z]
            })
            .collect();
        let hull = Hull::new(corners.iter().copied()).expect("a hull");
        let start = Pose::at([1.5, height, 1.5]).expect("finite");
        let motion = Motion::new(start, [0.0, speed, 0.0])
            .and_then(|motion| motion.accelerating([0.0, accel, 0.0]))
            .and_then(|motion| motion.spinning([0.0, 0.0, rate]))
            .expect("finite");
        let [height, speed, accel] = [height, speed, accel].map(f64::from);
        let lowest = |points: &[[f32; 3]], t: f64| {
            let (sine, cosine) = (f64::from(rate) * t).sin_cos();
            let above = |&[x, y, _]: &[f32; 3]| sine * f64::from(x) + cosine * f64::from(y);
            let least = points.iter().map(above).fold(f64::INFINITY, f64::min);
            height + speed * t + 0.5 * accel * t * t + least
        };
        let center = [arm.position];
        let bodies: [(Geometry<'_>, &[[f32; 3]], f64); 2] = [
            ((&on_arm).into(), &center, radius.into()),
            (Shape::hull(&hull).into(), &corners, 0.0),
        ];
        for (body, points, radius) in bodies {
            let is_above = |t: f64| lowest(points, t) - radius > 0.0;
            let times = (0..=100_000).map(|k| first + (1.0 - first) * f64::from(k) * 1e-5);
            let mut times = times.skip_while(|&t| !is_above(t));
            let exact = times.find(|&t| !is_above(t)).expect("it comes down");
            assert!(exact > first + 0.1, "{exact}");
            let starts_apart = is_above(0.0);
            for floor in [Geometry::from(&floors[0]), (&field).into(), (&floors[1]).into()] {
                let (settings, still) = (Settings::default(), Motion::default());
                let found = toi::one_to_one(&body, &motion, &floor, &still, &settings);
                let found = found.expect("valid").toi;
                let text = format!("{arm:?} {exact} {starts_apart} {found:?} {floor:?}");
                let t = f64::from(found.impact().unwrap_or(2.0));
                // From both sides it also counts as it comes up.
                let both = matches!(floor, Geometry::Mesh(mesh) if !mesh.is_one_sided());
                if !both || starts_apart {
                    assert!(t <= exact && t > exact - 1e-3, "{text}");
                }
                count += usize::from(!both);
            }
        }
    }
    assert_eq!(count, 16);
}
