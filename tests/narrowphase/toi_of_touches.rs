//! Tests of touches at the start whose normal is not unique, not exact, or undefined.

use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::convex::{Hull, gjk, toi};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};

fn search(a: (&Shape<'_>, &Motion), b: (&Shape<'_>, &Motion), touch: Touch) -> ToiResult {
    let settings = Settings { touch, ..Settings::default() };
    toi::one_to_one(a.0, a.1, b.0, b.1, &settings).expect("valid").result
}

/// The corners of a box.
fn corners(half: [f32; 3]) -> Vec<[f32; 3]> {
    (0..8)
        .map(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -half[axis] } else { half[axis] }))
        .collect()
}

/// Goal: bodies that touch at an edge or a corner and part, or slide along each other, have no impact, and those that close have one at
/// the start. Method: two cubes at multiples of a quarter, as boxes and as hulls, one of them moving in all directions of a small lattice;
/// two cubes close if they overlap after the start, which is decided by exact intervals.
#[test]
fn cubes_that_part_at_an_edge_have_no_impact() {
    let hull = Hull::new(corners([0.5; 3])).expect("a hull");
    let shapes = [Shape::cuboid([0.5; 3]).expect("a box"), Shape::hull(&hull)];
    let steps = [-0.5, -0.1, 0.0, 0.1, 0.3_f32];
    let mut counts = [0; 2];
    for at in
        [[1.0, 1.0, 0.0], [1.0, 1.0, 0.25], [1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [0.25, 1.0, 0.0_f32]]
    {
        for step in 0..125 {
            let delta = [step % 5, step / 5 % 5, step / 25].map(|k| steps[k]);
            // On each axis the intervals overlap just after the start.
            let closes = (0..3).all(|k| at[k].abs() < 1.0 || delta[k] * at[k] < 0.0);
            let moving = Motion::new(Pose::at(at).expect("valid"), delta).expect("valid");
            let still = Motion::default();
            for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (a, b) = (&shapes[a], &shapes[b]);
                let text = format!("{at:?} {delta:?} {a:?} {b:?}");
                let found = search((a, &still), (b, &moving), Touch::IfClosing);
                match found {
                    ToiResult::Impact { t, .. } => assert!(closes && t == 0.0, "{text} {found:?}"),
                    _ => assert!(!closes && found == ToiResult::Separated, "{text} {found:?}"),
                }
                let hit = search((a, &still), (b, &moving), Touch::Hit);
                assert!(matches!(hit, ToiResult::Impact { t: 0.0, .. }), "{text} {hit:?}");
                counts[usize::from(closes)] += 1;
            }
        }
    }
    assert!(counts.iter().all(|&count| count > 400), "{counts:?}");
}

/// Goal: bodies that part at an edge and meet again later have an impact then. Method: cubes at an edge, of which one parts upwards, is
/// above the other, and falls on it: a root of a quadratic.
#[test]
fn cubes_that_part_at_an_edge_may_meet_again() {
    let cube = Shape::cuboid([0.5; 3]).expect("a box");
    let moving = Motion::new(Pose::at([1.0, 1.0, 0.0]).expect("valid"), [-0.5, 1.0, 0.0])
        .and_then(|motion| motion.accelerating([0.0, -4.0, 0.0]))
        .expect("valid");
    let found = search((&cube, &Motion::default()), (&cube, &moving), Touch::IfClosing);
    let ToiResult::Impact { t, normal, .. } = found else { panic!("{found:?}") };
    assert!(t <= 0.5 && t > 0.4999 && normal[1] > 0.999, "{found:?}");
}

/// Goal: a body that slides along a floor exactly has no impact, whatever the rounding of the computed normal is, and one that closes has
/// one. Method: a cylinder that lies on a floor and slides or rolls in many directions.
#[test]
fn lying_cylinder_that_slides_has_no_impact() {
    let cylinder = Shape::cylinder(1.0, 0.5).expect("a cylinder");
    let floor = Shape::cuboid([9.0, 0.5, 9.0]).expect("a floor");
    let below = Motion::from(Pose::at([0.0, -0.5, 0.0]).expect("valid"));
    let half = 0.5_f32.sqrt();
    let pose = Pose::new([0.1, 0.5, 0.2], [half, 0.0, 0.0, half]).expect("valid");
    for x in -5..=5 {
        for z in -5..=5 {
            for fall in [0.0, 0.1_f32] {
                let delta = [0.1 * x as f32, -fall, 0.1 * z as f32];
                let moving = Motion::new(pose, delta).expect("valid");
                let pairs = [
                    ((&floor, &below), (&cylinder, &moving)),
                    ((&cylinder, &moving), (&floor, &below)),
                ];
                for (a, b) in pairs {
                    let found = search(a, b, Touch::IfClosing);
                    if fall == 0.0 {
                        assert_eq!(found, ToiResult::Separated, "{delta:?}");
                    } else {
                        assert!(
                            matches!(found, ToiResult::Impact { t: 0.0, .. }),
                            "{delta:?} {found:?}"
                        );
                    }
                }
            }
        }
    }
}

/// Goal: two points in one place that do not move relative to each other have an impact only if every touch counts. Method: points, and
/// balls of radius zero, at rest and in the same motion.
#[test]
fn points_in_one_place_follow_the_setting() {
    let points = [Shape::point(), Shape::sphere(0.0).expect("a point")];
    let at = Pose::at([1.0, 2.0, 3.0]).expect("valid");
    for delta in [[0.0; 3], [1.0, 0.0, 0.0]] {
        let motion = Motion::new(at, delta).expect("valid");
        for [a, b] in [[0, 0], [0, 1], [1, 1]] {
            let pair = ((&points[a], &motion), (&points[b], &motion));
            for touch in [Touch::IfClosing, Touch::Ignore] {
                assert_eq!(search(pair.0, pair.1, touch), ToiResult::Separated, "{touch:?}");
            }
            let hit = search(pair.0, pair.1, Touch::Hit);
            assert!(matches!(hit, ToiResult::Impact { t: 0.0, .. }), "{hit:?}");
        }
    }
}

/// The vertices of a pyramid with its origin at the middle of its base, and of two tetrahedra with a face and an edge in the plane `y = 0`.
const PYRAMID: [[f32; 3]; 5] =
    [[-0.5, 0.0, -0.5], [0.5, 0.0, -0.5], [-0.5, 0.0, 0.5], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]];
const ABOVE: [[f32; 3]; 4] =
    [[0.0, 0.0, 0.0], [0.25, 0.0, 1.0], [0.5, 0.0, -1.0], [0.25, 0.5, -0.75]];
const BELOW: [[f32; 3]; 4] =
    [[0.0, 0.0, 0.0], [0.75, 0.0, 0.5], [-0.5, 0.0, 0.75], [0.0, -0.5, 0.5]];

/// Goal: bodies that overlap by less than the tolerance and part have no overlap, wherever their origins are. Method: a pyramid with its origin
/// at its base on a triangle, in many places and rotations; two tetrahedra with their origins in the plane of the touch.
#[test]
fn slight_overlap_is_a_touch_wherever_the_origins_are() {
    let [pyramid, above, below] =
        [&PYRAMID[..], &ABOVE, &BELOW].map(|points| Hull::new(points.to_vec()).expect("a hull"));
    let corners = [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0_f32]];
    let floor = Shape::triangle(corners).expect("a triangle");
    let still = Motion::default();
    for k in 0..64 {
        let k = k as f32;
        let pose = Pose::normalized([k.sin(), -1e-5, k.cos()], [0.0, (3.0 * k).sin(), 0.0, 1.0]);
        let leaving = Motion::new(pose.expect("valid"), [0.0, 0.1, 0.0]).expect("valid");
        let found = search((&Shape::hull(&pyramid), &leaving), (&floor, &still), Touch::IfClosing);
        assert_eq!(found, ToiResult::Separated, "{leaving:?}");
    }
    let pose = Pose::at([0.0, -1e-5, 0.0]).expect("valid");
    let leaving = Motion::new(pose, [0.0, 0.1, 0.0]).expect("valid");
    let (above, below) = (Shape::hull(&above), Shape::hull(&below));
    for found in [
        search((&above, &leaving), (&below, &still), Touch::IfClosing),
        search((&below, &still), (&above, &leaving), Touch::IfClosing),
    ] {
        assert_eq!(found, ToiResult::Separated);
    }
    let distance = gjk::distance(&above, &pose, &below, &Pose::IDENTITY).expect("valid");
    assert!(distance.distance < 0.0 && distance.distance > -2e-5, "{distance:?}");
    assert!(distance.normal[1] < -0.999, "{distance:?}");
}

/// Goal: bodies that part at an edge have no impact while one of them turns. Method: two cubes, as boxes and as hulls, of which all points
/// of the lower face of the upper one move up; as control, the same with the face moving down.
#[test]
fn turning_cubes_that_part_at_an_edge_have_no_impact() {
    let hull = Hull::new(corners([0.5; 3])).expect("a hull");
    let still = Motion::default();
    let cube = Shape::cuboid([0.5; 3]).expect("a box");
    for shape in [cube, Shape::hull(&hull)] {
        for step in 0..64 {
            let [x, y, z] = [step % 4, step / 4 % 4, step / 16].map(|k| 0.1 * (k as f32 - 1.5));
            for up in [0.25, -0.25] {
                let at = Pose::at([1.0, 1.0, 0.25]).expect("valid");
                let moving = Motion::new(at, [-1.0, up, 0.25]).expect("valid");
                let moving = moving.spinning([x, y, z]).expect("a spin");
                let found = search((&cube, &still), (&shape, &moving), Touch::IfClosing);
                let starts = matches!(found, ToiResult::Impact { t: 0.0, .. });
                assert_eq!(starts, up < 0.0, "{moving:?} {found:?}");
            }
        }
    }
}

/// A shape of each kind; those from the fifth on are rounded.
fn shapes<'h>(draw: &mut Draw, hull: &'h Hull) -> [Shape<'h>; 9] {
    let half = [0; 3].map(|_| draw.between(0.2, 1.2));
    let radius = draw.between(0.1, 0.6);
    let (cuboid, hull) = (Shape::cuboid(half), Shape::hull(hull));
    let rounded = cuboid.and_then(|cuboid| cuboid.rounded(0.02));
    let cylinder = Shape::cylinder(half[0], radius);
    let made = [
        cuboid,
        Ok(hull),
        cylinder,
        Shape::cone(half[0], radius),
        Shape::sphere(radius),
        Shape::capsule(half[0], radius),
        rounded,
        hull.rounded(radius),
        cylinder.and_then(|cylinder| cylinder.rounded(radius)),
    ];
    made.map(|shape| shape.expect("a shape"))
}

/// A rotation: none, a quarter, about one axis, or any.
fn rotated(draw: &mut Draw) -> Pose {
    let half = 0.5_f32.sqrt();
    let quarter = [[half, 0.0, 0.0, half], [0.0, 0.0, half, half], [0.5; 4]];
    let any = [0; 4].map(|_| draw.between(-1.0, 1.0));
    let about = draw.between(-1.5, 1.5);
    let about = [[about, 0.0, 0.0, 1.0], [0.0, about, 0.0, 1.0], [0.0, 0.0, about, 1.0]];
    let rotation = [[0.0, 0.0, 0.0, 1.0], draw.one_of(&quarter), draw.one_of(&about), any]
        [draw.one_of(&[0, 1, 2, 3])];
    Pose::normalized([0.0; 3], rotation).expect("a rotation")
}

/// Asserts that two bodies do not get deeper than twice the tolerance before the result.
fn never_deep(
    a: (&Shape<'_>, &Motion),
    b: (&Shape<'_>, &Motion),
    tolerance: f64,
    found: &ToiResult,
) {
    let end = match *found {
        ToiResult::Impact { t, .. } => t,
        _ => 1.0,
    };
    for k in 1..12 {
        let t = end * (k as f32 / 12.0).powi(3);
        let distance = gjk::distance(a.0, &a.1.at(t), b.0, &b.1.at(t)).expect("valid").distance;
        assert!(
            f64::from(distance) > -2.02 * tolerance - 1e-5,
            "{t} {distance} {found:?} {a:?} {b:?}"
        );
    }
}

/// Goal: bodies that slide along a plane, or start to, have no impact at the start, whatever their shapes, their gap and the tolerance are; and
/// those that fall have one there. Method: random bodies in random rotations on a floor of four kinds, each at a gap within
/// the tolerance, with velocities and accelerations along the floor, some of which spin about its normal; or with one down.
#[test]
fn bodies_that_slide_along_a_floor_have_no_impact_at_the_start() {
    let mut draw = Draw::new(31);
    let block = Hull::new(corners([9.0, 1.0, 9.0])).expect("a hull");
    let triangle = [[-30.0, 0.0, -30.0], [30.0, 0.0, -30.0], [0.0, 0.0, 30.0_f32]];
    let cuboid = Shape::cuboid([9.0, 1.0, 9.0]).expect("a floor");
    let floors = [
        (cuboid, 1.0),
        (Shape::hull(&block), 1.0),
        (cuboid.rounded(0.5).expect("a floor"), 1.5),
        (Shape::triangle(triangle).expect("a floor"), 0.0),
    ];
    let (mut slides, mut falls, mut starts) = (0, 0, 0);
    for _ in 0..how_many(4_000) {
        let points = [0; 9].map(|_| [0; 3].map(|_| draw.between(-1.0, 1.0)));
        let hull = Hull::new(points.to_vec()).expect("a hull");
        let which = draw.one_of(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let shape = shapes(&mut draw, &hull)[which];
        let (floor, top) = draw.one_of(&floors);
        let pose = rotated(&mut draw);
        let share = draw.one_of(&[Settings::TOLERANCE, 0.01, 0.2]);
        let tolerance = f64::from(share) * shape.size().min(floor.size());
        let low = shape.bounds(&pose).expect("a box").min[1];
        let gap = draw.one_of(&[0.0, 0.3, 0.8, -0.3]) * tolerance as f32;
        let at = [draw.between(-3.0, 3.0), top - low + gap, draw.between(-3.0, 3.0)];
        let down = draw.one_of(&[0.0, 0.0, 0.3]);
        let (speed, pull) = (draw.one_of(&[0.0, 0.01, 1.0]), draw.one_of(&[0.0, 1.0]));
        let along = |draw: &mut Draw, y: f32, size: f32| {
            let [x, z] = [0; 2].map(|_| size * draw.between(-1.0, 1.0));
            [x, y, z]
        };
        let spin = draw.one_of(&[0.0, 0.0, 0.5]);
        let moving = Motion::new(Pose { position: at, ..pose }, along(&mut draw, -down, speed))
            .and_then(|motion| motion.accelerating(along(&mut draw, 0.0, pull)))
            .and_then(|motion| motion.spinning([0.0, spin, 0.0]))
            .expect("a motion");
        let still = Motion::default();
        let settings = Settings { tolerance: share, ..Settings::default() };
        let pair = ((&floor, &still), (&shape, &moving));
        let found = toi::one_to_one(pair.0.0, pair.0.1, pair.1.0, pair.1.1, &settings);
        let found = found.expect("valid").result;
        let at_start = matches!(found, ToiResult::Impact { t: 0.0, .. });
        if down > 0.0 {
            falls += 1;
            // A gap that rounding has made more than the tolerance is no touch.
            let later = matches!(found, ToiResult::Impact { t, .. } if t < 1e-3);
            assert!(
                at_start || later || matches!(found, ToiResult::Overlapping { .. }),
                "{found:?} {pair:?}"
            );
        } else {
            slides += 1;
            starts += usize::from(at_start);
            never_deep(pair.0, pair.1, tolerance, &found);
        }
    }
    assert!(slides > falls && falls > 500, "{slides} {falls}");
    assert_eq!(starts, 0, "of {slides}");
}

/// Goal: bodies that meet at an edge or a corner and do not close on one axis have no impact at the start, also with a gap within the tolerance,
/// and if they start from rest. Method: boxes as such, as hulls and rounded, whose intervals touch or are apart on two or three axes, with
/// random velocities and accelerations that do not close on one of these.
#[test]
fn bodies_that_slide_along_an_edge_have_no_impact_at_the_start() {
    let mut draw = Draw::new(32);
    for _ in 0..how_many(4_000) {
        let half = [0; 2].map(|_| [0; 3].map(|_| draw.whole(2, 12) / 8.0));
        let hulls = half.map(|half| Hull::new(corners(half)).expect("a hull"));
        let kind = draw.one_of(&[0, 1, 2]);
        let [a, b] = [0, 1].map(|k| {
            let cuboid = Shape::cuboid(half[k]).expect("a box");
            [cuboid, Shape::hull(&hulls[k]), cuboid.rounded(0.125).expect("a box")][kind]
        });
        let radii = if kind == 2 { 0.25 } else { 0.0 };
        let tolerance = f64::from(Settings::TOLERANCE) * a.size().min(b.size());
        let axes = draw.one_of(&[&[0, 1][..], &[1, 2], &[0, 1, 2]]);
        let mut at = [0; 3].map(|_| draw.between(-0.2, 0.2));
        let (mut delta, mut accel) = ([0.0; 3], [0.0; 3]);
        let (speed, pull) = (draw.one_of(&[0.0, 0.01, 1.0]), draw.one_of(&[0.0, 1.0]));
        for axis in 0..3 {
            delta[axis] = speed * draw.between(-1.0, 1.0);
            accel[axis] = pull * draw.between(-1.0, 1.0);
        }
        for &axis in axes {
            let gap = draw.one_of(&[0.0, 0.3, 0.5]) * tolerance as f32;
            at[axis] = half[0][axis] + half[1][axis] + radii + gap;
        }
        let kept = draw.one_of(axes);
        (delta[kept], accel[kept]) = (0.0, 0.0);
        let moving = Motion::new(Pose::at(at).expect("valid"), delta)
            .and_then(|motion| motion.accelerating(accel))
            .expect("a motion");
        let still = Motion::default();
        let found = search((&a, &still), (&b, &moving), Touch::IfClosing);
        let at_start = matches!(found, ToiResult::Impact { t: 0.0, .. });
        assert!(!at_start, "{found:?} {a:?} {b:?} {moving:?}");
    }
}

/// Goal: shapes with sharp rims reach the documented tolerance, also if their rims touch at the start. Method: cylinders and cones at
/// positions where rims touch rims, faces and tips exactly, of one size and of sizes that differ by up to 2⁷, with any velocity.
#[test]
fn rims_that_touch_at_the_start_have_a_result_at_the_documented_tolerance() {
    let mut draw = Draw::new(81);
    let places = [
        [2.0, 0.0, 0.0],
        [2.0, 2.0, 0.0],
        [0.0, 2.0, 0.0],
        [0.5, 2.0, 0.25],
        [1.0, -2.0, 0.5],
        [0.0, 0.0, 2.0],
        [0.0, 2.0, 2.0],
    ];
    let mut touches = [0; 2];
    for case in 0..how_many(10_000) {
        let mut shape = || {
            let make = if draw.one_in(2) { Shape::cylinder } else { Shape::cone };
            let scale = draw.one_of(&[1.0, 1.0, 0.0625, 8.0]);
            (make(scale, scale).expect("lengths"), scale)
        };
        let ((a, of_a), (b, of_b)) = (shape(), shape());
        let half = 0.5 * (of_a + of_b);
        let at = draw.one_of(&places).map(|x: f32| x * half);
        let mut turned =
            || if draw.one_in(4) { [1.0, 0.0, 0.0, 0.0] } else { [0.0, 0.0, 0.0, 1.0] };
        let [start, end] = [[0.0; 3], at].map(|at| Pose::new(at, turned()).expect("a pose"));
        let delta = [0; 3].map(|_| draw.between(-1.0, 1.0) * half);
        let mut moving = Motion::new(end, delta).expect("a motion");
        if draw.one_in(3) {
            moving.spin = [0; 3].map(|_| draw.between(-1.0, 1.0));
        }
        let still = Motion::from(start);
        let touch = draw.one_of(&[Touch::Hit, Touch::IfClosing, Touch::Ignore]);
        let tolerance = 1.0 / (1 << 20) as f32;
        let settings = Settings { touch, tolerance, ..Settings::default() };
        let toi = toi::one_to_one(&a, &still, &b, &moving, &settings).expect("motions");
        assert!(
            !matches!(toi.result, ToiResult::Unresolved { .. }),
            "{case} {toi:?} {a:?} {b:?} {moving:?}"
        );
        let start = toi::one_to_one(
            &a,
            &still,
            &b,
            &Motion::from(end),
            &Settings { touch: Touch::Hit, ..settings },
        );
        let touches_now = start.expect("motions").impact() == Some(0.0);
        touches[usize::from(of_a == of_b)] += usize::from(touches_now);
    }
    assert!(touches.iter().all(|&count| count > 1000), "{touches:?}");
}
