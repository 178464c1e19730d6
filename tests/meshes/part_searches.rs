//! Searches for the parts of a body that is large, that makes whole turns, or of which only the front counts.

use swath::convex::Hull;
use swath::convex::toi::{Settings, Toi, ToiResult, Touch};
use swath::mesh::toi::ContactPlane;
use swath::mesh::{Compound, Geometry, Mesh, toi};
use swath::{Motion, Pose, Shape};
use testkit::draw::Draw;

/// The first time of a ball that moves by `delta` from `start`, with a body.
fn of_ball(
    (radius, start, delta): (f32, [f32; 3], [f32; 3]),
    (body, motion): (&Geometry<'_>, &Motion),
    settings: &Settings,
) -> Toi {
    let ball = Shape::sphere(radius).expect("a ball").into();
    let of_ball = Motion::new(Pose::at(start).expect("valid"), delta).expect("valid");
    toi::one_to_one(&ball, &of_ball, body, motion, settings).expect("valid").toi
}

/// Goal: a touch with the box around a body that makes a whole turn is no touch of its parts: a part that turns to the shape later is found. Method:
/// a ball at rest in the upper face of the box around a plate with a fin, where there is no part at the start; the tip of the fin passes below the
/// ball.
#[test]
fn part_of_a_turning_body_that_moves_below_a_ball_on_its_box_is_found() {
    let vertices = vec![
        [-2.0, 0.0, -2.0],
        [2.0, 0.0, -2.0],
        [0.0, 0.0, 2.0],
        [0.875, 0.0, 0.0],
        [1.125, 0.0, 0.0],
        [1.0, 0.5, 0.0],
    ];
    let mesh = Mesh::new(vertices, vec![[0, 2, 1], [3, 4, 5]]).expect("a plate and a fin");
    let turning = Motion::default().spinning([0.0, 7.0, 0.0]).expect("a spin");
    let (angle, deep) = (2.0_f64, 0.0005_f64);
    // A rotation about `y` moves `x` to `-z`.
    let start = [angle.cos(), 0.6 - deep, -angle.sin()].map(|x| x as f32);
    // The tip is at the surface of the ball where their horizontal distance is this.
    let exact = (angle - (0.2 * deep).sqrt()) / 7.0;
    for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
        let settings = Settings { tolerance: 1.0 / 128.0, touch, ..Settings::default() };
        let found = of_ball((0.1, start, [0.0; 3]), (&(&mesh).into(), &turning), &settings);
        let ToiResult::Impact { t, .. } = found.result else { panic!("{touch:?}: {found:?}") };
        let early = exact - f64::from(t);
        assert!((-1e-6..0.003).contains(&early), "{touch:?}: {t} {exact}");
    }
}

/// Goal: a contact of a body that makes a whole turn is an impact although no touch at the start counts, because the two are apart at the start.
/// Method: a ball falls onto a plate that turns about its normal, as a mesh and as a compound.
#[test]
fn later_contact_with_a_turning_body_is_an_impact_whichever_touches_count() {
    let corners = vec![[-2.0, 0.0, -2.0], [2.0, 0.0, -2.0], [0.0, 0.0, 2.0]];
    let mesh = Mesh::new(corners, vec![[0, 2, 1]]).expect("a plate");
    let slab = Shape::cuboid([2.0, 0.5, 2.0]).expect("a box");
    let low = Pose::at([0.0, -0.5, 0.0]).expect("valid");
    let slab = Compound::new([(slab.into(), low), (slab.into(), low)]).expect("two parts");
    for spin in [0.0, 0.5, 7.0, 40.0] {
        let turning = Motion::default().spinning([0.0, spin, 0.0]).expect("a spin");
        for body in [Geometry::from(&mesh), (&slab).into()] {
            for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
                let settings = Settings { touch, ..Settings::default() };
                let ball = (0.25, [0.1, 1.25, -0.1], [0.0, -2.0, 0.0]);
                let found = of_ball(ball, (&body, &turning), &settings);
                let ToiResult::Impact { t, .. } = found.result else {
                    panic!("{spin} {touch:?}: {found:?}")
                };
                assert!(t <= 0.5 && t > 0.4999, "{spin} {touch:?}: {found:?}");
            }
        }
    }
}

/// A direction of length 1.
fn direction(draw: &mut Draw) -> [f64; 3] {
    let vector = [0; 3].map(|_| f64::from(draw.between(-1.0, 1.0)));
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-3);
    vector.map(|x| x / length)
}

/// Goal: the rounding errors of a large part are allowed for, wherever its position is: a slow ball that closes on it by a small distance has an
/// impact, which is not late, also with the least tolerance. Method: a ball in front of a face of a large plate, and of a large ball that is beside
/// the origin of the body.
#[test]
fn slow_impact_with_a_large_part_is_found_in_time() {
    let (mut draw, mut impacts) = (Draw::new(12), 0);
    const LARGE: f32 = 1_048_576.0;
    let plate = Shape::cuboid([LARGE, 0.5, LARGE]).expect("a plate");
    let large = Shape::sphere(LARGE).expect("a ball");
    let small = Shape::sphere(0.25).expect("a ball");
    let aside = Pose::at([64.0; 3]).expect("valid");
    for case in 0..400 {
        let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
        let turned = Pose::normalized([0.0; 3], quaternion).expect("a rotation");
        let normal = direction(&mut draw);
        // The part, and the distance of its surface from a point.
        let (part, pose) = if case % 2 == 0 {
            (plate, turned)
        } else {
            (large, Pose::at(normal.map(|x| (-x * f64::from(LARGE)) as f32)).expect("valid"))
        };
        let normal = if case % 2 == 0 {
            let [x, y, z, w] = turned.rotation.map(f64::from);
            let square = x * x + y * y + z * z + w * w;
            [2.0 * (x * y - z * w), w * w - x * x + y * y - z * z, 2.0 * (y * z + x * w)]
                .map(|v| v / square)
        } else {
            normal
        };
        let distance = |point: [f64; 3]| {
            if case % 2 == 0 {
                (0..3).map(|k| normal[k] * point[k]).sum::<f64>() - 0.5
            } else {
                let from = [0, 1, 2].map(|k| point[k] - f64::from(pose.position[k]));
                from.iter().map(|x| x * x).sum::<f64>().sqrt() - f64::from(LARGE)
            }
        };
        let body = Compound::new([(part.into(), pose), (small.into(), aside)]).expect("two parts");
        // The distance from the origin of the body at which the ball touches, and a little more.
        let touching = if case % 2 == 0 { 0.75 } else { 0.25 - distance([0.0; 3]) };
        let start = normal.map(|x| (x * (touching + 5e-4)) as f32);
        let delta = normal.map(|x| (-x * 1e-3) as f32);
        let gap = |t: f64| {
            distance([0, 1, 2].map(|k| f64::from(start[k]) + f64::from(delta[k]) * t)) - 0.25
        };
        let settings = Settings { tolerance: 0.0, ..Settings::default() };
        let ball = (0.25, start, delta);
        let found = of_ball(ball, (&(&body).into(), &Motion::default()), &settings);
        let ToiResult::Impact { t, .. } = found.result else { panic!("{case}: {found:?}") };
        let gap = gap(f64::from(t));
        assert!((-2e-10..4e-6).contains(&gap), "{case}: {t} {gap}");
        impacts += 1;
    }
    assert_eq!(impacts, 400);
}

/// Goal: a slow ball is not late by a rounding error of the radius of a large one either. Method: numbers of few bits, so that the square of the
/// distance is exact in integers; a large ball below the origin of its body by its radius, and a little aside.
#[test]
fn slow_impact_with_a_large_ball_is_before_the_exact_time() {
    // Lengths are in units of 2^-37, in which those that move have whole numbers at the times that are possible.
    let units = |x: f32| (f64::from(x) * 137_438_953_472.0) as i128;
    let (radius, large) = (0.25, 1_048_576.0_f32);
    let balls = [large, radius].map(|radius| Shape::sphere(radius).expect("a ball"));
    let far = Pose::at([64.0; 3]).expect("valid");
    let mut draw = Draw::new(16);
    for case in 0..200 {
        let aside = [0; 2].map(|_| draw.whole(-65_536, 65_536) / 65_536.0);
        let below = Pose::at([aside[0], -large, aside[1]]).expect("valid");
        let body =
            Compound::new([(balls[0].into(), below), (balls[1].into(), far)]).expect("two parts");
        let start = radius + draw.whole(8_192, 12_288) / 16_777_216.0;
        let settings = Settings { tolerance: 0.0, ..Settings::default() };
        let ball = (radius, [0.0, start, 0.0], [0.0, -1.0 / 1024.0, 0.0]);
        let found = of_ball(ball, (&(&body).into(), &Motion::default()), &settings);
        let ToiResult::Impact { t, .. } = found.result else { panic!("{case}: {found:?}") };
        assert!(t > 0.25, "{case}: {found:?}");
        let height = units(start) + units(large) - units(t / 1024.0);
        let [x, z] = aside.map(units);
        let touching = units(large) + units(radius);
        let over = x * x + height * height + z * z - touching * touching;
        assert!(over >= 0, "{case}: {found:?}");
    }
}

/// Goal: the work of a search for a one-sided triangle is counted: in front of it the search is that for both sides. Method: rods in arbitrary
/// rotations that fall onto a triangle from the front, or beside it.
#[test]
fn work_in_front_of_a_one_sided_triangle_is_that_for_both_sides() {
    let corners = vec![[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, -1.0_f32]];
    let mesh = || Mesh::new(corners.clone(), vec![[0, 1, 2]]).expect("a triangle");
    let bodies = [mesh(), mesh().one_sided()];
    let (mut draw, mut impacts, mut long) = (Draw::new(13), 0, 0);
    let rod = Shape::cuboid([0.5, 0.05, 0.1]).expect("a rod").into();
    for case in 0..200 {
        let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
        let at = [draw.between(-1.5, 1.5), 1.5, draw.between(-1.5, 1.5)];
        let pose = Pose::normalized(at, quaternion).expect("a rotation");
        let motion = Motion::new(pose, [0.1, -1.5, 0.2]).expect("valid");
        let [expected, found] = bodies.each_ref().map(|mesh| {
            let (body, still, settings) = (mesh.into(), Motion::default(), Settings::default());
            toi::one_to_one(&rod, &motion, &body, &still, &settings).expect("valid").toi
        });
        impacts += usize::from(expected.impact().is_some());
        long += usize::from(expected.rounds > 1 && expected.supports > 1);
        assert_eq!(found, expected, "case {case}");
    }
    assert!(impacts > 50 && long > 20, "{impacts} {long}");
}

/// The end of the time without a contact.
fn end(result: &ToiResult) -> f32 {
    match *result {
        ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
        ToiResult::Overlapping { .. } => 0.0,
        _ => 1.0,
    }
}

/// Goal: a search that pauses, for a shape that comes to the front of a triangle twice, finds the contact that one without pauses finds, with about
/// as much work. Method: rods that make whole turns, whose position dips below the plane of a one-sided triangle; the first contact, for which
/// searches pause, against that of all contacts, for which they do not.
#[test]
fn rod_that_dips_below_a_one_sided_triangle_hits_it_in_the_second_time_in_front() {
    let corners = vec![[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, -1.0_f32]];
    let mesh = Mesh::new(corners, vec![[0, 1, 2]]).expect("a triangle").one_sided();
    let (mut draw, mut impacts, mut second) = (Draw::new(14), 0, 0);
    let settings = Settings { touch: Touch::Hit, ..Settings::default() };
    let mut work = [[0_u32; 2]; 2];
    for case in 0..6000 {
        let length = draw.between(0.3, 1.5);
        let rod = match draw.one_in(2) {
            true => Shape::capsule(length, 0.02),
            false => Shape::cuboid([length, 0.03, 0.03]),
        };
        let rod = rod.expect("a rod");
        // It is lowest at this time and height.
        let (accel, lowest) = (draw.between(2.0, 12.0), draw.between(0.2, 0.6));
        let height = draw.between(-0.6, -0.02) + 0.5 * accel * lowest * lowest;
        let at = [draw.between(-2.0, 2.0), height, draw.between(-2.0, 2.0)];
        let pose = Pose::normalized(at, [0; 4].map(|_| draw.between(-1.0, 1.0))).expect("valid");
        let delta = [draw.between(-1.0, 1.0), -accel * lowest, draw.between(-1.0, 1.0)];
        let spin = [draw.between(-20.0, 20.0), draw.between(-20.0, 20.0), draw.between(7.0, 20.0)];
        let motion = Motion::new(pose, delta)
            .and_then(|motion| motion.accelerating([0.0, accel, 0.0]))
            .and_then(|motion| motion.spinning(spin))
            .expect("valid");
        let (rod, body, still) = (rod.into(), (&mesh).into(), Motion::default());
        let first = toi::one_to_one(&rod, &motion, &body, &still, &settings).expect("valid").toi;
        let mut all = Vec::new();
        toi::each_part(&rod, &motion, &body, &still, &settings, &mut all).expect("valid");
        let expected = all.first().map_or(ToiResult::Separated, |found| found.toi.result);
        let times = [end(&first.result), end(&expected)];
        assert!((times[0] - times[1]).abs() < 1e-3, "case {case}: {first:?} {expected:?}");
        let Some(alone) = all.first() else { continue };
        impacts += 1;
        if times[0] > lowest {
            second += 1;
            for (sum, toi) in work.iter_mut().zip([&first, &alone.toi]) {
                sum[0] += toi.rounds;
                sum[1] += toi.supports;
                assert!(toi.rounds < 64, "case {case}: {toi:?}");
            }
        }
    }
    // A search that continues after a pause takes a few supports more.
    let [paused, alone] = work.map(|sums| sums.map(f64::from));
    for k in 0..2 {
        let share = paused[k] / alone[k];
        assert!(share > 0.9 && share < 1.2, "{paused:?} {alone:?}");
    }
    assert!(impacts > 500 && second > 100, "{impacts} {second}");
}

/// Goal: a shape that touches a floor at the start, and gets deeper than a touch later, has an impact before it is deeper by the tolerance. Method: a
/// hull with its position in its lowest face, and a box, that slide on a flat floor, with and without rotation; the depth is that of the lowest
/// corner.
#[test]
fn shape_that_slides_and_then_gets_deeper_has_an_impact() {
    let row = |k: u32| [(k % 5) as f32 - 2.0, 0.0, (k / 5) as f32 - 2.0];
    let vertices: Vec<_> = (0..25).map(row).collect();
    let triangles = testkit::mesh_cases::grid_triangles(4);
    let mesh = || Mesh::new(&vertices[..], &triangles[..]).expect("a floor");
    let floors = [mesh(), mesh().one_sided()];
    let (mut draw, mut deeper, mut free) = (Draw::new(15), 0, 0);
    for case in 0..4000 {
        let (low, high) = draw.one_of(&[(0.0, 0.6), (-0.3, 0.3)]);
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| {
            [0.3 * [-1.0, 1.0][k & 1], [low, high][k >> 1 & 1], 0.3 * [-1.0, 1.0][k >> 2]]
        });
        let hull = Hull::new(corners).expect("a box");
        let shape = Shape::hull(&hull);
        let tolerance = 0.01;
        let unit = tolerance * shape.size() as f32;
        let depth = draw.between(-0.95, 0.95);
        let at = [draw.between(-0.8, 0.8), -low - depth * unit, draw.between(-0.8, 0.8)];
        let up = draw.one_of(&[0.0, 0.0, 0.5, 3.0, -1.0]);
        let accel = draw.one_of(&[0.0, -4.0, -10.0, 3.0]);
        // A body whose position is behind the plane passes through fronts that it does not touch at the start.
        let along = if low == 0.0 { 0.0 } else { 0.7 };
        let delta = [draw.between(-along, along), up * unit, draw.between(-along, along)];
        let rate = draw.one_of(&[0.0, 0.0, 0.05, 0.7]);
        let spin = [0; 3].map(|_| draw.between(-rate, rate));
        let motion = Motion::new(Pose::at(at).expect("valid"), delta)
            .and_then(|motion| motion.accelerating([0.0, accel * unit, 0.0]))
            .and_then(|motion| motion.spinning(spin))
            .expect("valid");
        // Of the lowest corner, in units of the tolerance.
        let depth_at = |t: f32| {
            let pose = motion.at(t);
            let [x, y, z, w] = pose.rotation.map(f64::from);
            let row = [2.0 * (x * y + z * w), w * w - x * x + y * y - z * z, 2.0 * (y * z - x * w)];
            let heights = corners.map(|c| (0..3).map(|k| row[k] * f64::from(c[k])).sum::<f64>());
            let height = heights.into_iter().fold(f64::INFINITY, f64::min);
            -(f64::from(pose.position[1]) + height) / f64::from(unit)
        };
        // A touch along one face that is followed from a later time on, after one along another, ends at 1.75.
        let deepest = (f64::from(depth) + 1.01).max(1.8);
        let until = (0..=2000).map(|k| k as f32 / 2000.0).find(|&t| depth_at(t) > deepest);
        for (side, floor) in floors.iter().enumerate() {
            for touch in [Touch::IfClosing, Touch::Ignore] {
                let settings = Settings { tolerance, touch, ..Settings::default() };
                let (a, b, still) = (shape.into(), floor.into(), Motion::default());
                let found = toi::one_to_one(&a, &motion, &b, &still, &settings).expect("valid");
                let result = found.toi.result;
                let text = || format!("case {case} {side} {touch:?}: {result:?} {until:?}");
                let is_overlap = matches!(result, ToiResult::Overlapping { .. });
                assert!(touch == Touch::Ignore || !is_overlap, "{}", text());
                if let ToiResult::Impact { t, .. } = result {
                    assert!(depth_at(t) > -1.01, "{}", text());
                }
                if let Some(until) = until {
                    deeper += 1;
                    assert!(end(&result) <= until, "{}", text());
                } else {
                    free += 1;
                }
            }
        }
    }
    assert!(deeper > 500 && free > 500, "{deeper} {free}");
}

/// Goal: a part that a plane separates to within its depth is left out, also if it is first touched later. Method: a box above a flat floor falls onto
/// it by less than the depth that counts as separated, and further.
#[test]
fn triangle_that_is_touched_later_but_not_beyond_a_plane_is_left_out() {
    let corners = vec![[-4.0, 0.0, -4.0], [4.0, 0.0, -4.0], [0.0, 0.0, 4.0_f32]];
    let mesh = Mesh::new(corners, vec![[0, 2, 1]]).expect("a triangle");
    let shape = Shape::cuboid([0.25; 3]).expect("a box");
    let (body, floor, still) = (shape.into(), (&mesh).into(), Motion::default());
    let tolerance = 1.0 / 128.0;
    let unit = tolerance * shape.size() as f32;
    let plane = ContactPlane { normal: [0.0, -1.0, 0.0], depth: 0.0 };
    for (fall, beyond) in [(0.7, false), (1.2, false), (2.0, true)] {
        let start = Pose::at([0.1, 0.25 + 0.65 * unit, -0.2]).expect("valid");
        let falling = Motion::new(start, [0.0, -fall * unit, 0.0]).expect("valid");
        let settings = Settings { tolerance, touch: Touch::Hit, ..Settings::default() };
        let mut found = Vec::new();
        let (a, b) = ((&body, &falling), (&floor, &still));
        toi::each_part_beyond(a.0, a.1, b.0, b.1, &settings, &plane, &mut found).expect("valid");
        assert_eq!(!found.is_empty(), beyond, "{fall}: {found:?}");
    }
}
