//! Tests of the time of impact where closed forms are known.
//!
//! For boxes and balls the exact time is known, from intervals or from a quadratic. For rotating bodies,
//! exact distances of a ball and a box, and separating axes of two boxes, are computed at many times before
//! the reported one.

use scenes::convex::{rotation, unit};
use swath::batch::{AcceleratingBox, ContactState, MovingSphere};
use swath::convex::toi::{Settings, Toi, ToiResult, Touch};
use swath::convex::{gjk, toi};
use swath::{Aabb, Motion, MovingBox, Pose, Shape, Sphere};
use testkit::draw::{Draw, how_many};

fn search(a: (&Shape<'_>, &Motion), b: (&Shape<'_>, &Motion)) -> Toi {
    toi::one_to_one(a.0, a.1, b.0, b.1, &Settings::default()).expect("valid")
}

/// Greatest error of an `f64` formula of a test.
const ROUNDING: f64 = 1e-12;

/// Compares `toi` with the exact first time, which is infinite for a miss; the bodies close at a speed of at
/// most `speed` and have a size.
#[track_caller]
fn holds(toi: &Toi, first: f64, gap: f64, (speed, size): (f64, f64), text: &str) {
    let text = format!("{toi:?}, true {first}, gap {gap}: {text}");
    let tolerance = f64::from(Settings::TOLERANCE) * size * 1.01;
    match toi.result {
        ToiResult::Impact { t, normal, .. } => {
            assert!(first == f64::INFINITY || f64::from(t) <= first * (1.0 + ROUNDING), "{text}");
            // From then on the gap of `tolerance` closes, or it is a narrow miss.
            assert!(first < f64::INFINITY || gap <= tolerance + speed * 1e-7, "{text}");
            let length: f32 = normal.iter().map(|x| x * x).sum();
            assert!((length - 1.0).abs() < 1e-5, "{text}");
        }
        ToiResult::Separated => assert_eq!(first, f64::INFINITY, "{text}"),
        _ => panic!("{text}"),
    }
}

/// Goal: boxes without rotation touch when their intervals do, as in the exact sweep. Method: integers and
/// halves, so that faces, edges and corners touch at the same time, boxes are flat, slide along each other's
/// faces and just touch at the end of the tick.
#[test]
fn boxes_touch_when_their_intervals_overlap() {
    let mut draw = Draw::new(1);
    let mut kinds = [0; 2];
    for case in 0..how_many(4000) {
        let mut half = || std::array::from_fn::<f32, 3, _>(|_| draw.whole(0, 4) * 0.5);
        let (half_a, half_b) = (half(), half());
        let far = if case % 3 == 0 { 1e6 } else { 0.0 };
        let at = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-6, 6) * 0.5 + far);
        let delta = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-8, 8) * 0.5);
        let other = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-8, 8));
        let moving = |center: [f32; 3], half: [f32; 3], delta| {
            MovingBox::new(Aabb::from_center(center, half).expect("a box"), delta).expect("moves")
        };
        let meant = spec::sweep(
            &moving([far; 3], half_a, other),
            &moving(at, half_b, std::array::from_fn(|k| delta[k] + other[k])),
        )
        .expect("boxes");
        if meant.contact.state() == ContactState::Overlapping {
            continue;
        }
        kinds[usize::from(meant.contact.is_hit())] += 1;
        let (a, b) = (Shape::cuboid(half_a).expect("a box"), Shape::cuboid(half_b).expect("a box"));
        let motion = |at, delta| Motion::new(Pose::at(at).expect("pose"), delta).expect("motion");
        let of_b = motion(at, std::array::from_fn(|k| delta[k] + other[k]));
        let toi = search((&a, &motion([far; 3], other)), (&b, &of_b));
        let text = format!("{half_a:?} {half_b:?} {at:?} {delta:?}");
        // The least distance of a miss is not needed here: numbers are halves, so it is not a narrow one.
        holds(&toi, meant.first, f64::INFINITY, (14.0, 4.0), &text);
        if let ToiResult::Impact { t, .. } = toi.result {
            // Of the axes that are entered last, the slowest determines how early the time may be.
            let slowest = delta.iter().filter(|x| **x != 0.0).map(|x| x.abs()).fold(8.0, f32::min);
            let early = meant.first - 4.0 * f64::from(Settings::TOLERANCE / slowest) - 1e-6;
            assert!(f64::from(t) >= early, "{toi:?} {meant:?} {text}");
        }
    }
    assert!(kinds.iter().all(|&count| count > 200), "{kinds:?}");
}

/// Goal: the same under acceleration, down and up again. Method: integers.
#[test]
fn accelerated_boxes_touch_when_their_intervals_overlap() {
    let mut draw = Draw::new(2);
    let mut kinds = [0; 2];
    for _ in 0..how_many(4000) {
        let half = std::array::from_fn::<f32, 3, _>(|_| draw.whole(0, 4) * 0.5);
        let at = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-5, 5));
        let delta = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-8, 8));
        let accel = std::array::from_fn::<f32, 3, _>(|_| draw.whole(-16, 16));
        let boxed = |center, half, delta, accel| {
            let aabb = Aabb::from_center(center, half).expect("a box");
            AcceleratingBox::new(aabb, delta, accel).expect("a motion")
        };
        let meant = spec::accelerating(
            &boxed([0.0; 3], half, [0.0; 3], [0.0; 3]),
            &boxed(at, [0.5; 3], delta, accel),
        )
        .expect("boxes");
        if meant.contact.state() == ContactState::Overlapping {
            continue;
        }
        let (a, b) = (Shape::cuboid(half).expect("a box"), Shape::cuboid([0.5; 3]).expect("a box"));
        let still = Motion::from(Pose::IDENTITY);
        let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
        let motion = motion.accelerating(accel).expect("a motion");
        let toi = search((&a, &still), (&b, &motion));
        let text = format!("{half:?} {at:?} {delta:?} {accel:?}");
        kinds[usize::from(meant.contact.is_hit())] += 1;
        if meant.contact.is_hit() {
            holds(&toi, meant.first, 0.0, (24.0, 4.0), &text);
        } else if let ToiResult::Impact { t, .. } = toi.result {
            // A miss by less than the tolerance: enlarged by that it is a hit.
            let grown = half.map(|half| half + 1e-3);
            let grown = boxed([0.0; 3], grown, [0.0; 3], [0.0; 3]);
            let near =
                spec::accelerating(&grown, &boxed(at, [0.5; 3], delta, accel)).expect("valid");
            assert!(near.first <= f64::from(t) + 1e-6, "{toi:?} {near:?} {text}");
        }
    }
    assert!(kinds.iter().all(|&count| count > 200), "{kinds:?}");
}

/// Goal: balls, and balls and boxes, touch at the roots of quadratics. Method: the exact sweeps of spheres,
/// sizes from 1e-3 to 1e4 mixed, far from the origin too.
#[test]
fn balls_touch_at_roots_of_quadratics() {
    let mut draw = Draw::new(3);
    let mut kinds = [0; 2];
    for case in 0..how_many(6000) {
        let sizes = [1.0, 1e-3, 1e-2, 1e2, 1e4];
        let (big, small) = (draw.one_of(&sizes), draw.between(0.2, 1.5));
        let far = draw.one_of(&[0.0, 0.0, 1024.0]);
        let way = unit(&mut draw.0);
        let apart = (big + small) * draw.between(1.01, 3.0);
        let at = std::array::from_fn::<f32, 3, _>(|k| way[k] * apart + far);
        let aside = unit(&mut draw.0);
        let miss = draw.between(0.0, 1.2) * (big + small);
        let delta = std::array::from_fn::<f32, 3, _>(|k| aside[k] * miss - way[k] * apart);
        let ball = MovingSphere::new(Sphere::new(at, small).expect("ball"), delta).expect("moves");
        let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
        let shape = Shape::sphere(small).expect("a ball");
        let still = Motion::from(Pose::at([far; 3]).expect("a pose"));
        let (meant, toi) = if case % 2 == 0 {
            let other = MovingSphere::from(Sphere::new([far; 3], big).expect("a ball"));
            let other_shape = Shape::sphere(big).expect("a ball");
            let meant = spec::sweep_spheres(&other, &ball).expect("balls");
            (meant, search((&other_shape, &still), (&shape, &motion)))
        } else {
            let other = MovingBox::from(Aabb::cube([far; 3], big).expect("a box"));
            if f64::from(other.aabb.max[0]) - f64::from(far) != f64::from(big) {
                continue; // the box was rounded outwards
            }
            let other_shape = Shape::cuboid([big; 3]).expect("a box");
            let meant = spec::sweep_sphere_box(&ball, &other).expect("ball and box");
            (meant, search((&other_shape, &still), (&shape, &motion)))
        };
        if meant.contact.state() == ContactState::Overlapping {
            continue;
        }
        let size = f64::from(if big < small { big } else { small }) * 1.75;
        let speed = f64::from(delta.iter().map(|x| x.abs()).sum::<f32>());
        // The formula of the test is exact to the distance between the centres.
        let first = meant.first + 1e-13 * f64::from(apart + far);
        holds(&toi, first, meant.gap, (speed, size), &format!("{big} {small} {at:?} {delta:?}"));
        kinds[usize::from(toi.impact().is_some())] += 1;
    }
    assert!(kinds.iter().all(|&count| count > 200), "{kinds:?}");
}

/// The rotation of a body at `t`, by its formula.
fn turned(motion: &Motion, t: f64) -> [[f64; 3]; 3] {
    let [x, y, z, w] = motion.pose.rotation.map(f64::from);
    let square = x * x + y * y + z * z + w * w;
    let spin = motion.spin.map(f64::from);
    let rate = spin.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (sin, cos) = (0.5 * rate * t).sin_cos();
    let [a, b, c] = spin.map(|along| if rate > 0.0 { along / rate * sin } else { 0.0 });
    let d = cos;
    // The product of both quaternions.
    let [x, y, z, w] = [
        d * x + a * w + b * z - c * y,
        d * y + b * w + c * x - a * z,
        d * z + c * w + a * y - b * x,
        d * w - a * x - b * y - c * z,
    ]
    .map(|part| part / square.sqrt());
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

fn between(a: &Motion, b: &Motion, t: f64) -> [f64; 3] {
    std::array::from_fn(|k| {
        let of = |motion: &Motion| {
            f64::from(motion.pose.position[k])
                + f64::from(motion.delta[k]) * t
                + 0.5 * f64::from(motion.accel[k]) * t * t
        };
        of(b) - of(a)
    })
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Exact distance of a box and a ball; negative inside the radius of the ball.
fn box_to_ball(half: [f32; 3], radius: f32, a: &Motion, b: &Motion, t: f64) -> f64 {
    let (r, x) = (turned(a, t), between(a, b, t));
    let outside = std::array::from_fn(|axis| {
        let along = dot(std::array::from_fn(|k| r[k][axis]), x);
        (along.abs() - f64::from(half[axis])).max(0.0)
    });
    dot(outside, outside).sqrt() - f64::from(radius)
}

/// The widest gap between two boxes along the axes that can separate them: positive only if they are apart,
/// and never above the distance.
fn box_to_box(half: [[f32; 3]; 2], a: &Motion, b: &Motion, t: f64) -> f64 {
    let (ra, rb, x) = (turned(a, t), turned(b, t), between(a, b, t));
    let axis = |r: &[[f64; 3]; 3], axis: usize| -> [f64; 3] { std::array::from_fn(|k| r[k][axis]) };
    let mut widest = f64::NEG_INFINITY;
    let mut offer = |way: [f64; 3]| {
        let length = dot(way, way).sqrt();
        if length < 1e-6 {
            return;
        }
        let reach = |r: &[[f64; 3]; 3], half: [f32; 3]| -> f64 {
            (0..3).map(|k| dot(axis(r, k), way).abs() * f64::from(half[k])).sum()
        };
        let gap = dot(way, x).abs() - reach(&ra, half[0]) - reach(&rb, half[1]);
        widest = widest.max(gap / length);
    };
    for i in 0..3 {
        offer(axis(&ra, i));
        offer(axis(&rb, i));
        for j in 0..3 {
            let (p, q) = (axis(&ra, i), axis(&rb, j));
            offer([
                p[1] * q[2] - p[2] * q[1],
                p[2] * q[0] - p[0] * q[2],
                p[0] * q[1] - p[1] * q[0],
            ]);
        }
    }
    widest
}

/// A body that flies, accelerates and rotates, by up to `turns`.
fn tumbling(draw: &mut Draw, at: [f32; 3], toward: [f32; 3], turns: f32) -> Motion {
    let rate = draw.between(0.0, turns) * std::f32::consts::TAU;
    let pose = Pose::new(at, rotation(&mut draw.0)).expect("a pose");
    let spin = unit(&mut draw.0).map(|along| along * rate);
    let accel = std::array::from_fn(|_| draw.between(-2.0, 2.0));
    let motion = Motion::new(pose, toward).expect("a motion");
    motion.accelerating(accel).and_then(|motion| motion.spinning(spin)).expect("a motion")
}

/// Goal: bodies that rotate, by up to many turns per tick, are never nearer than zero before the reported
/// time, and near at it. Method: exact distances of box and ball, and separating axes of boxes, at many
/// times; bars, plates and cubes; the second body is at rest in one case of three.
#[test]
fn impacts_of_rotating_bodies_are_never_late() {
    let mut draw = Draw::new(4);
    let (mut kinds, mut rounds) = ([0; 2], 0);
    for case in 0..how_many(1500) {
        let turns = draw.one_of(&[0.1, 0.5, 2.0, 12.0]);
        let mut half = || std::array::from_fn::<f32, 3, _>(|_| draw.one_of(&[0.05, 0.5, 1.0, 4.0]));
        let halves = [half(), half()];
        let radius = draw.between(0.05, 1.0);
        let way = unit(&mut draw.0);
        let apart = draw.between(4.0, 9.0);
        let at = way.map(|along| along * apart);
        let aim = std::array::from_fn(|k| draw.between(-2.0, 2.0) - at[k]);
        let a = tumbling(&mut draw, [0.0; 3], [0.0; 3], turns);
        let mut b = tumbling(&mut draw, at, aim, turns);
        if case % 3 == 0 {
            b.spin = [0.0; 3];
        }
        let boxed = |half: [f32; 3]| Shape::cuboid(half).expect("a box");
        let ball = case % 2 == 0;
        let other = if ball { Shape::sphere(radius).expect("a ball") } else { boxed(halves[1]) };
        let apart = |t: f64| {
            if ball {
                box_to_ball(halves[0], radius, &a, &b, t)
            } else {
                box_to_box(halves, &a, &b, t)
            }
        };
        if apart(0.0) < 1e-2 {
            continue;
        }
        let toi = search((&boxed(halves[0]), &a), (&other, &b));
        let text = format!("{toi:?} {halves:?} {radius} {a:?} {b:?}");
        let end = match toi.result {
            ToiResult::Impact { t, .. } => f64::from(t),
            ToiResult::Separated => 1.0,
            _ => panic!("{text}"),
        };
        for step in 0..=600 {
            let t = end * f64::from(step) / 600.0;
            assert!(apart(t) > -1e-9, "{} at {t}: {text}", apart(t));
        }
        if let (true, ToiResult::Impact { closing, .. }) = (ball, toi.result) {
            // The rate of the distance, except for the error of the normal of a small ball.
            let before = end - 1e-6;
            let rate = (apart(before) - apart(end)) / 1e-6;
            let speeds = 0.05 * f64::from(a.spin.map(f32::abs).iter().sum::<f32>() * 4.0 + 15.0);
            assert!((f64::from(closing) - rate).abs() < speeds, "{rate}: {text}");
        }
        if toi.impact().is_some() {
            // Speeds are below 150 and times have an error of 6e-8; the size is at most 6.
            assert!(apart(end) < 6.0 / 16384.0 + 1e-5, "{}: {text}", apart(end));
        }
        kinds[usize::from(toi.impact().is_some())] += 1;
        rounds = rounds.max(toi.rounds);
    }
    assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
    assert!(rounds < 200, "{rounds}");
}

/// Goal: a graze counts, and a miss by more than the tolerance does not. Method: a bar that rotates past a
/// ball at its tip, where the radius decides.
#[test]
fn graze_of_a_rotating_bar_counts() {
    let bar = Shape::cuboid([2.0, 0.1, 0.1]).expect("a box");
    // A little more than a quarter turn, with the tip at the height of the ball in between.
    let a = Motion::from(Pose::IDENTITY).spinning([0.0, 0.0, 2.0]).expect("a motion");
    let b = Motion::from(Pose::at([0.0, 3.0, 0.0]).expect("a pose"));
    // The circle of the corner is the farthest that the bar gets, in the plane of the ball's centre.
    let tip = (2.0_f64 * 2.0 + 0.1 * 0.1).sqrt();
    for (off, hit) in [(1e-6, true), (1e-3, true), (-1e-3, false)] {
        let ball = Shape::sphere((3.0 - tip + off) as f32).expect("a ball");
        let toi = search((&bar, &a), (&ball, &b));
        assert_eq!(toi.impact().is_some(), hit, "{off} {toi:?}");
        assert!(toi.rounds < 64, "{toi:?}");
    }
}

/// Goal: the result for a touch at the start depends on the motion and on the caller's setting. Method: boxes
/// and balls that touch, exactly or within the tolerance, and separate, close, rest, rotate away, and return.
#[test]
fn touches_at_the_start_follow_the_setting() {
    let boxed = Shape::cuboid([0.5; 3]).expect("a box");
    let ball = Shape::sphere(0.5).expect("a ball");
    let ask = |shapes: [&Shape<'_>; 2], apart: f32, delta: f32, accel: f32, touch| {
        let still = Motion::from(Pose::IDENTITY);
        let motion = Motion::new(Pose::at([apart, 0.0, 0.0]).expect("pose"), [delta, 0.0, 0.0]);
        let motion = motion.expect("a motion").accelerating([accel, 0.0, 0.0]).expect("a motion");
        let settings = Settings { touch, ..Settings::default() };
        let toi = toi::one_to_one(shapes[0], &still, shapes[1], &motion, &settings);
        toi.expect("valid").result
    };
    let touches = [Touch::Hit, Touch::IfClosing, Touch::Ignore];
    for shapes in [[&boxed, &boxed], [&ball, &ball], [&boxed, &ball]] {
        for apart in [1.0, 1.0 + 1e-6, 1.0 - 1e-6] {
            for touch in touches {
                let text = format!("{shapes:?} {apart} {touch:?}");
                // At rest, sliding off, separating: a hit only with `Touch::Hit`.
                for (delta, accel) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, -1.5)] {
                    let result = ask(shapes, apart, delta, accel, touch);
                    match touch {
                        Touch::Hit => {
                            let ToiResult::Impact { t, closing, .. } = result else {
                                panic!("{result:?} {text}")
                            };
                            assert_eq!((t, closing), (0.0, -delta), "{text}");
                        }
                        _ => assert_eq!(result, ToiResult::Separated, "{delta} {accel} {text}"),
                    }
                }
                // Closing, and about to close.
                for (delta, accel) in [(-1.0, 0.0), (0.0, -1.0), (-1e-3, 0.0)] {
                    let result = ask(shapes, apart, delta, accel, touch);
                    match (touch, result) {
                        (Touch::Ignore, ToiResult::Overlapping { closing, .. }) => {
                            assert!(closing > 0.0, "{text}");
                        }
                        (Touch::Hit | Touch::IfClosing, ToiResult::Impact { t, closing, .. }) => {
                            assert_eq!((t, closing), (0.0, -delta), "{text}");
                        }
                        _ => panic!("{result:?} {delta} {accel} {text}"),
                    }
                }
                // Separating, then back at t = 0.5: a first time with all settings but `Hit`.
                let advance = ask(shapes, apart, 2.0, -8.0, touch);
                let ToiResult::Impact { t, closing, .. } = advance else {
                    panic!("{advance:?} {text}")
                };
                let back = if touch == Touch::Hit { 0.0 } else { 0.5 };
                assert!((t - back).abs() < 1e-4 && t <= back + 1e-6, "{t} {text}");
                assert_eq!(closing > 0.0, touch != Touch::Hit, "{text}");
            }
        }
        // Deeper than a touch is no first time, with any setting.
        for touch in touches {
            for delta in [-1.0, 0.0, 1.0] {
                let result = ask(shapes, 0.75, delta, 0.0, touch);
                let ToiResult::Overlapping { depth, normal, closing, .. } = result else {
                    panic!("{result:?}")
                };
                assert!((depth - 0.25).abs() < 1e-6 && closing == -delta, "{result:?}");
                assert_eq!(normal, [1.0, 0.0, 0.0]);
            }
        }
    }
}

/// Goal: bodies that rest on each other and rotate stay in contact. Method: a wheel that rolls and a box that
/// spins on its face, both on a floor.
#[test]
fn resting_and_rotating_bodies_stay_in_contact() {
    let floor = Shape::cuboid([50.0, 1.0, 50.0]).expect("a box");
    let still = Motion::from(Pose::at([0.0, -1.0, 0.0]).expect("a pose"));
    let top = Shape::cuboid([0.5; 3]).expect("a box");
    let ball = Shape::sphere(0.5).expect("a ball");
    let at = Pose::at([0.0, 0.5, 0.0]).expect("a pose");
    let spins = [(&top, [0.0, 3.0, 0.0]), (&ball, [0.0, 0.0, -2.0]), (&ball, [9.0, 1.0, 2.0])];
    for (shape, spin) in spins {
        let motion = Motion::new(at, [1.0, 0.0, 0.0]).and_then(|motion| motion.spinning(spin));
        let motion = motion.expect("a motion");
        let toi = search((&floor, &still), (shape, &motion));
        assert_eq!(toi.result, ToiResult::Separated, "{toi:?} {spin:?}");
        // A box that tips over an edge gets into the floor, which is reported.
        if spin[1] == 3.0 {
            let tipping = motion.spinning([0.0, 0.0, 1.0]).expect("a motion");
            let toi = search((&floor, &still), (shape, &tipping));
            assert!(toi.impact().is_some_and(|t| t < 1e-3), "{toi:?}");
        }
    }
}

/// Goal: a gap within the tolerance is not a touch: a later contact is an impact. Method: balls with a gap of
/// half the tolerance that separate a little, and return to a depth of less than a tolerance.
#[test]
fn gap_within_the_tolerance_is_a_gap() {
    let ball = Shape::sphere(0.5).expect("a ball");
    let still = Motion::from(Pose::IDENTITY);
    let at = Pose::at([1.0 + 128.0 * f32::EPSILON, 0.0, 0.0]).expect("a pose");
    let gap = 128.0 * f64::from(f32::EPSILON);
    let (delta, accel) = (1e-5_f32, -5.6e-5_f32);
    let motion = Motion::new(at, [delta, 0.0, 0.0]).expect("a motion");
    let motion = motion.accelerating([accel, 0.0, 0.0]).expect("a motion");
    let end = gap + f64::from(delta) + 0.5 * f64::from(accel);
    assert!(end < -1e-6 && end > -1e-5 && gap < 0.5 * f64::from(Settings::TOLERANCE) * 0.6);
    let (d, g) = (f64::from(delta), f64::from(accel));
    let first = (d + (d * d - 2.0 * g * gap).sqrt()) / -g;
    let t = search((&ball, &still), (&ball, &motion)).impact().expect("it touches");
    assert!(f64::from(t) <= first && first < 1.0, "{t} {first}");
}

/// Goal: a search with few rounds is the beginning of one with many: it takes no more rounds than allowed,
/// the time that it proves to be free grows with the rounds, and with enough rounds the result has the same
/// bits. Method: pairs of every kind, each with every number of rounds up to the number that it needs.
#[test]
fn search_stops_after_its_rounds_with_the_proved_time() {
    let mut draw = Draw::new(29);
    let shapes = [
        Shape::cuboid([1.0, 0.4, 0.2]).expect("a box"),
        Shape::capsule(1.0, 0.2).expect("a capsule"),
        Shape::cylinder(0.5, 0.7).expect("a cylinder"),
        Shape::cone(0.8, 0.6).expect("a cone"),
    ];
    let mut stopped = 0;
    for case in 0..how_many(2000) {
        let mut vector = |most: f32| std::array::from_fn(|_| draw.between(-most, most));
        let mut motion = |far: f32, spin: f32| {
            let pose = Pose::at(vector(far)).expect("a pose");
            let motion = Motion::new(pose, vector(3.0)).expect("a motion");
            motion.spinning(vector(spin)).expect("a spin")
        };
        let spin = [0.0, 2.0, 20.0][case % 3];
        let (of_a, of_b) = (motion(0.1, spin), motion(3.0, spin));
        let (a, b) = (&shapes[case / 3 % 4], &shapes[case / 12 % 4]);
        let whole = search((a, &of_a), (b, &of_b));
        let mut last = 0.0;
        for rounds_max in 1..=whole.rounds + 1 {
            let settings = Settings { rounds_max, ..Settings::default() };
            let toi = toi::one_to_one(a, &of_a, b, &of_b, &settings).expect("valid");
            assert!(toi.rounds <= rounds_max, "{toi:?} of {rounds_max}");
            if rounds_max >= whole.rounds {
                assert_eq!(toi, whole, "{rounds_max}");
                continue;
            }
            let ToiResult::Unresolved { t_safe } = toi.result else { panic!("{toi:?} {whole:?}") };
            assert!(t_safe >= last, "{t_safe} {last}");
            assert!(whole.impact().is_none_or(|t| t_safe <= t), "{toi:?} {whole:?}");
            (stopped, last) = (stopped + 1, t_safe);
        }
    }
    assert!(stopped > 1000, "{stopped}");
}

/// Goal: a body that makes a hundred turns takes few rounds if nothing is near, and its contacts are never
/// late. Method: rods that rotate by a thousand radians about any axis, beside bodies that hardly rotate;
/// distances at many times before the reported one.
#[test]
fn whole_turns_take_few_rounds_if_nothing_is_near() {
    let mut draw = Draw::new(41);
    let rod = Shape::cuboid([5.0, 0.01, 0.01]).expect("a rod");
    let others = [rod, Shape::sphere(0.5).expect("a ball"), Shape::cone(1.0, 1.0).expect("a cone")];
    let (mut rounds, mut met) = (Vec::new(), 0);
    for case in 0..how_many(300) {
        let mut way = |length: f32| unit(&mut draw.0).map(|x| x * length);
        let far = [1.0, 5.2, 7.0][case % 3];
        let fast = Motion::new(Pose::IDENTITY, way(0.3)).and_then(|m| m.spinning(way(1000.0)));
        let slow = Motion::new(Pose::at(way(far)).expect("a pose"), way(0.3))
            .and_then(|motion| motion.spinning(way(1.0)));
        let (fast, slow) = (fast.expect("a motion"), slow.expect("a motion"));
        let other = &others[case / 3 % 3];
        let toi = search((&rod, &fast), (other, &slow));
        rounds.push(toi.rounds);
        let end = match toi.result {
            ToiResult::Impact { t, .. } => t,
            ToiResult::Separated => 1.0,
            ToiResult::Unresolved { t_safe } => t_safe,
            _ => continue,
        };
        met += usize::from(toi.impact().is_some());
        for moment in 0..400 {
            let t = end * moment as f32 / 400.0;
            let [a, b] = [&fast, &slow].map(|motion| motion.at(t));
            let apart = gjk::distance(&rod, &a, other, &b).expect("valid").distance;
            // The pose at a time is rounded to `f32`.
            assert!(apart > -1e-4, "{apart} at {t}: {toi:?} {fast:?} {other:?} {slow:?}");
        }
    }
    rounds.sort_unstable();
    let (median, most) = (rounds[rounds.len() / 2], rounds[rounds.len() * 9 / 10]);
    println!("{met} met, rounds {median}, nine of ten {most}");
    assert!(met > rounds.len() / 5 && median < 20 && most < 200, "{met} {median} {most}");
}
