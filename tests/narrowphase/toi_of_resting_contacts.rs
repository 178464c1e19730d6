//! Tests that every resting contact is resolved, never late and never missed.
//!
//! Bodies of every kind lie, or stand on an edge or on a corner, on a floor or on each other, with a gap
//! between one last bit and the tolerance, or with a small overlap. They rest, spin, slide and roll. With the
//! default settings a touch at the start that does not close is ignored.

use std::collections::BTreeMap;

use swath::convex::toi::{Settings, Toi, ToiResult, Touch};
use swath::convex::{gjk, toi};
use swath::{Motion, Pose, Shape};
use testkit::convex_asked::{answer, hulls, motion, shape, tolerance, tolerance_length};
use testkit::convex_cases::ConvexCase;
use testkit::convex_promises::{Truth, judged};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use testkit::draw::{Draw, how_many};

type Vector = [f64; 3];

const KINDS: [&str; 13] = [
    "ball",
    "cube",
    "brick",
    "hull",
    "rounded cube",
    "capsule",
    "cylinder",
    "cone",
    "triangle",
    "segment",
    "rounded hull",
    "rounded cylinder",
    "rod",
];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn times(a: Vector, by: f64) -> Vector {
    a.map(|x| x * by)
}

fn plus(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn unit(a: Vector) -> Vector {
    times(a, 1.0 / dot(a, a).sqrt())
}

fn narrow(a: Vector) -> [f32; 3] {
    a.map(|x| x as f32)
}

/// The product of two quaternions.
fn after(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    let [x, y, z] = plus(
        cross([ax, ay, az], [bx, by, bz]),
        plus(times([bx, by, bz], aw), times([ax, ay, az], bw)),
    );
    [x, y, z, aw * bw - dot([ax, ay, az], [bx, by, bz])]
}

fn about(axis: Vector, angle: f64) -> [f64; 4] {
    let (sin, cos) = (angle / 2.0).sin_cos();
    let [x, y, z] = times(axis, sin);
    [x, y, z, cos]
}

/// The rotation from one unit vector to another.
fn from_to(from: Vector, to: Vector) -> [f64; 4] {
    let cos = dot(from, to);
    if cos < -0.999_999 {
        let other = if from[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        return about(unit(cross(from, other)), std::f64::consts::PI);
    }
    let [x, y, z] = cross(from, to);
    let length = (x * x + y * y + z * z + (1.0 + cos) * (1.0 + cos)).sqrt();
    [x, y, z, 1.0 + cos].map(|x| x / length)
}

fn any(draw: &mut Draw) -> Vector {
    loop {
        let v = [0; 3].map(|_| f64::from(draw.between(-1.0, 1.0)));
        if (0.01..1.0).contains(&dot(v, v)) {
            return unit(v);
        }
    }
}

fn plain(kind: &str, size: f32, points: &[[f32; 3]]) -> PlainShape {
    let hull = || PlainCore::Hull(points.to_vec());
    let (core, radius) = match kind {
        "ball" => (PlainCore::Point, size),
        "cube" => (PlainCore::Cuboid([size; 3]), 0.0),
        "brick" => (PlainCore::Cuboid([size, 0.5 * size, 2.0 * size]), 0.0),
        "hull" => (hull(), 0.0),
        "rounded cube" => (PlainCore::Cuboid([0.8 * size; 3]), 0.2 * size),
        "capsule" => (PlainCore::Segment([[0.0, -size, 0.0], [0.0, size, 0.0]]), 0.5 * size),
        "cylinder" => (PlainCore::Cylinder { half_height: size, radius: 0.5 * size }, 0.0),
        "cone" => (PlainCore::Cone { half_height: size, radius: 0.7 * size }, 0.0),
        "triangle" => {
            (PlainCore::Triangle([[size, 0.0, 0.0], [-size, 0.1, size], [0.0, 0.2, -size]]), 0.0)
        }
        "segment" => (PlainCore::Segment([[-size, 0.0, 0.0], [size, 0.1, 0.0]]), 0.0),
        "rounded hull" => (hull(), 0.1 * size),
        "rounded cylinder" => {
            (PlainCore::Cylinder { half_height: size, radius: 0.4 * size }, 0.1 * size)
        }
        _ => (PlainCore::Cuboid([5.0 * size, 0.01 * size, 0.01 * size]), 0.0),
    };
    PlainShape { core, radius }
}

/// The direction of a body on which it rests: a face, an edge, a corner, or any.
fn under(draw: &mut Draw, hull: Option<&[[f32; 3]]>) -> Vector {
    if let (Some(points), true) = (hull, draw.one_in(2)) {
        // A face of a hull, if three of its points span one.
        let point = |draw: &mut Draw| draw.one_of(points).map(f64::from);
        for _ in 0..100 {
            let (p, q, r) = (point(draw), point(draw), point(draw));
            let normal = cross(plus(q, times(p, -1.0)), plus(r, times(p, -1.0)));
            let outside = |v: &[f32; 3]| dot(normal, v.map(f64::from)) > dot(normal, p) + 1e-7;
            if dot(normal, normal) > 1e-6 && !points.iter().any(outside) {
                return unit(normal);
            }
        }
    }
    let [x, y, z] = [0; 3].map(|_| f64::from(draw.sign()));
    let v = match draw.one_of(&[0, 0, 1, 2, 3]) {
        0 => [x, 0.0, 0.0],
        1 => [x, y, 0.0],
        2 => [x, y, z],
        _ => return any(draw),
    };
    let turns = draw.one_of(&[0_usize, 1, 2]);
    unit(std::array::from_fn(|axis| v[(axis + turns) % 3]))
}

/// Extent of a rotated shape along a unit vector.
fn reach(shape: &Shape<'_>, rotation: [f32; 4], along: Vector) -> f64 {
    let turned = after(from_to(along, [1.0, 0.0, 0.0]), rotation.map(f64::from));
    let pose = Pose::new([0.0; 3], turned.map(|x| x as f32)).expect("a pose");
    f64::from(shape.bounds(&pose).expect("bounds").max[0])
}

/// A body of `kind` that rests on a floor, on one like it or on one of another kind.
fn resting(kind: &'static str, draw: &mut Draw) -> ConvexCase {
    let size = draw.one_of(&[1.0_f32, 1.0, 0.1, 3.0, 0.37]);
    let wide = f64::from(size);
    let count = draw.one_of(&[4, 5, 8, 12, 16]);
    let points: Vec<_> = (0..count).map(|_| narrow(times(any(draw), wide))).collect();
    let is_hull = |kind: &str| kind.ends_with("hull").then_some(&points[..]);
    let floor = draw.one_in(2);
    let other = if draw.one_in(2) { kind } else { draw.one_of(&KINDS) };
    let a = if floor {
        PlainShape { core: PlainCore::Cuboid([20.0, 1.0, 20.0]), radius: 0.0 }
    } else {
        plain(other, size, &points)
    };
    let mut case = ConvexCase {
        family: kind,
        shapes: [a, plain(kind, size, &points)],
        motions: [PlainMotion::REST; 2],
        target: if draw.one_in(8) { 0.01 * size } else { 0.0 },
        window: [0.0, 1.0],
    };
    let up = if draw.one_in(2) { [0.0, 1.0, 0.0] } else { any(draw) };
    let side = unit(cross(up, any(draw)));
    let top = if floor { [0.0, 1.0, 0.0] } else { under(draw, is_hull(other)) };
    let bottom = under(draw, is_hull(kind));
    let turned = [draw.one_of(&[0.0, 0.0, 0.7, 1.3]), draw.between(-3.0, 3.0)].map(f64::from);
    let rotation = |angle: f64, from: Vector, to: Vector| {
        after(about(up, angle), from_to(from, to)).map(|x| x as f32)
    };
    let (of_a, of_b) = (rotation(turned[0], top, up), rotation(turned[1], bottom, times(up, -1.0)));
    let far = if draw.one_in(3) { draw.one_of(&[10.0, 1000.0]) } else { 0.0 };
    let at = narrow(times(any(draw), far));
    let shift = draw.one_of(&[0.0, 0.0, 0.1, 0.5, 0.9]) * wide;
    let tolerance = f64::from(Settings::TOLERANCE) * wide;
    let small = 10_f64.powf(f64::from(draw.between(-12.0, -4.2))) * wide;
    let gap = match draw.one_of(&[0, 1, 2, 3, 4]) {
        0 => 0.0,
        1 => f64::from(draw.between(-0.5, 1.0)) * tolerance,
        2 => f64::from(draw.between(-2e-6, 2e-6)) * wide,
        3 => small,
        _ => -small,
    } + f64::from(case.target);

    // On top, and then down until it touches.
    let hulls = hulls(&case);
    let [a, b] = [0, 1].map(|k| shape(&case.shapes[k], hulls[k].as_ref()));
    let mut height = reach(&a, of_a, up) + reach(&b, of_b, times(up, -1.0)) + gap;
    let pose_a = Pose::new(at, of_a).expect("a pose");
    let mut position = at;
    for _ in 0..4 {
        let offset = plus(times(up, height), times(side, shift));
        position = narrow(plus(at.map(f64::from), offset));
        let pose_b = Pose::new(position, of_b).expect("a pose");
        let above = f64::from(gjk::distance(&a, &pose_a, &b, &pose_b).expect("valid").distance);
        if (above - gap).abs() < 1e-7 * wide {
            break;
        }
        height -= (above - gap).clamp(-0.5 * wide, 0.5 * wide);
    }
    let [first, second] = &mut case.motions;
    (first.position, first.orientation) = (at, of_a);
    (second.position, second.orientation) = (position, of_b);
    let rate = draw.one_of(&[0.01, 0.1, 1.0, 5.0]);
    let slide = narrow(times(side, rate));
    match draw.one_of(&[0, 1, 2, 3, 4, 5, 6, 7]) {
        0 => {}
        1 => second.spin = narrow(times(up, rate)),
        2 => second.spin = narrow(times(any(draw), rate)),
        3 => second.delta = slide,
        4 => {
            second.delta = slide;
            second.spin = narrow(times(cross(up, side), rate / wide));
        }
        5 => {
            first.spin = narrow(times(up, rate));
            second.spin = narrow(times(up, -0.3 * rate));
        }
        6 => {
            second.delta = narrow(times(up, draw.one_of(&[1e-7, 1e-4, 0.1])));
            second.accel = narrow(times(up, -draw.one_of(&[1e-7, 1e-3])));
        }
        _ => {
            first.spin = narrow(times(any(draw), rate));
            second.spin = narrow(times(any(draw), rate));
            second.delta = narrow(times(any(draw), 0.1 * rate));
        }
    }
    case
}

fn asked(case: &ConvexCase, touch: Touch) -> Toi {
    let hulls = hulls(case);
    let [a, b] = [0, 1].map(|k| shape(&case.shapes[k], hulls[k].as_ref()));
    let [of_a, of_b] = case.motions.each_ref().map(motion);
    let settings = Settings { target_distance: case.target, touch, ..Settings::default() };
    toi::one_to_one(&a, &of_a, &b, &of_b, &settings).expect("valid")
}

/// Rounding error of a distance at the start that may hide whether there is a gap.
const HIDDEN: f64 = 64.0;

/// Whether a result is correct: by the usual rules if there is a gap at the start. Shapes that touch at the
/// start may get deeper by the tolerance, and no more before the reported time.
fn is_true(case: &ConvexCase, toi: &Toi) -> Result<(), String> {
    let truth = Truth::of(case);
    let target = f64::from(case.target);
    let start = spec::distance(&truth.a, &truth.b, 0.0);
    if start.lower - target > HIDDEN * start.noise {
        return judged(&truth, &answer(toi), &tolerance(case, &truth));
    }
    let until = match toi.result {
        ToiResult::Separated => 1.0,
        ToiResult::Impact { t, .. } if t > 0.0 => f64::from(t),
        _ => return judged(&truth, &answer(toi), &tolerance(case, &truth)),
    };
    let deep = 1.01 * tolerance_length(case, &truth) + 64.0 * start.noise;
    for moment in 0..=100 {
        let t = until * f64::from(moment) / 100.0;
        let now = spec::distance(&truth.a, &truth.b, t);
        // If hulls overlap deeply, the two bounds need not be equal.
        if now.upper < start.lower - deep && now.upper < target - deep {
            return Err(format!("deeper than the tolerance at {t}: {now:?} of {start:?}"));
        }
    }
    Ok(())
}

/// Goal: no resting contact is unresolved, and none is late or missed. Method: resting contacts of every
/// kind, some of them compared with the specification; `-- --nocapture` prints the counts.
#[test]
fn resting_contacts_of_convex_shapes_are_resolved() {
    let judged = how_many(200) / 20;
    let mut broken = Vec::new();
    for (seed, kind) in (0..).zip(KINDS) {
        let mut draw = Draw::new(700 + seed);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut rounds, mut most) = (0, 0);
        for number in 0..how_many(200) {
            let case = resting(kind, &mut draw);
            let toi = asked(&case, Touch::IfClosing);
            let (answer, starts) = match toi.result {
                ToiResult::Impact { t, .. } => (["impact", "at once"][usize::from(t == 0.0)], true),
                ToiResult::Separated => ("separated", true),
                ToiResult::Overlapping { .. } => ("overlapping", true),
                _ => ("unresolved", false),
            };
            *counts.entry(answer).or_default() += 1;
            (rounds, most) = (rounds + toi.rounds, most.max(toi.rounds));
            let verdict = match (starts, number < judged) {
                (false, _) => Err("unresolved".to_owned()),
                (true, true) => is_true(&case, &toi),
                (true, false) => Ok(()),
            };
            if let Err(promise) = verdict {
                broken.push(format!("{promise}: {toi:?} for {case:?}"));
            }
        }
        println!("{kind}: {counts:?}, rounds {rounds} in all, at most {most}");
        assert!(counts.contains_key("separated") && counts.contains_key("impact"), "{counts:?}");
    }
    let some = broken[..broken.len().min(4)].join("\n");
    assert!(broken.is_empty(), "{} are broken:\n{some}", broken.len());
}

/// Goal: a gap of one last bit between resting bodies is resolved. Method: a ball on a cube that spins, and a
/// cube on a floor that tips over: the first contact of each is known.
#[test]
fn gap_of_one_last_bit_is_resolved() {
    let ask = |a: (&Shape<'_>, &Motion), b: (&Shape<'_>, &Motion)| {
        let toi = toi::one_to_one(a.0, a.1, b.0, b.1, &Settings::default()).expect("valid");
        toi.impact().unwrap_or_else(|| panic!("{toi:?}"))
    };
    let cube = Shape::cuboid([1.0; 3]).expect("a cube");
    let spinning = Motion::from(Pose::IDENTITY).spinning([0.0, 1.0, 0.0]).expect("a spin");
    let ball = Shape::sphere(1.0).expect("a ball");
    let at = Motion::from(Pose::at([0.0, 0.0, 2.000_000_2]).expect("a pose"));
    // In the axes of the cube the centre moves along a circle: at z·cos t = 2 they touch.
    let first = (2.0 / f64::from(2.000_000_2_f32)).acos();
    let t = f64::from(ask((&cube, &spinning), (&ball, &at)));
    assert!(t <= first && t > 0.5 * first, "{t} {first}");

    let floor = Shape::cuboid([20.0, 1.0, 20.0]).expect("a floor");
    let still = Motion::from(Pose::IDENTITY);
    let cube = Shape::cuboid([0.5; 3]).expect("a cube");
    let above = Motion::from(Pose::at([0.0, 1.500_000_1, 0.0]).expect("a pose"));
    let tipping = above.spinning([0.0, 0.0, 0.1]).expect("a spin");
    // A corner moves down by half of 0.1·t.
    let first = (f64::from(1.500_000_1_f32) - 1.5) / 0.05;
    let t = f64::from(ask((&floor, &still), (&cube, &tipping)));
    assert!(t <= first * (1.0 + 1e-6) && t > 0.25 * first, "{t} {first}");
}

/// Goal: many bodies at rest on a floor have no unresolved contact. Method: 120 bodies of each kind, each as
/// low as `f32` allows, at rest and with the small spin that an engine leaves in resting bodies.
#[test]
fn bodies_at_rest_on_a_floor_are_resolved() {
    let floor = Shape::cuboid([20.0, 1.0, 20.0]).expect("a floor");
    let still = Motion::from(Pose::IDENTITY);
    let mut draw = Draw::new(17);
    let mut asked = 0;
    for kind in KINDS {
        let points: Vec<_> = (0..12).map(|_| narrow(any(&mut draw))).collect();
        for number in 0..120 {
            let case = ConvexCase {
                family: kind,
                shapes: [0; 2].map(|_| plain(kind, 0.5, &points)),
                motions: [PlainMotion::REST; 2],
                target: 0.0,
                window: [0.0, 1.0],
            };
            let hulls = hulls(&case);
            let body = shape(&case.shapes[1], hulls[1].as_ref());
            let up = [0.0, 1.0, 0.0];
            let bottom = under(&mut draw, kind.ends_with("hull").then_some(&points[..]));
            let rotation = from_to(bottom, times(up, -1.0)).map(|x| x as f32);
            let height = 1.0 + reach(&body, rotation, times(up, -1.0));
            let [x, z] = [0; 2].map(|_| draw.between(-15.0, 15.0));
            let bits = draw.one_of(&[-2, -1, 0, 0, 1, 2, 3, 50]) as f32;
            let y = height as f32 + bits * f32::EPSILON;
            let pose = Pose::new([x, y, z], rotation).expect("a pose");
            let spin = [[0.0; 3], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1], [1e-3, 2.0, 0.0]][number % 4];
            let motion = Motion::from(pose).spinning(spin).expect("a spin");
            let pair = [(&floor, &still), (&body, &motion)];
            for [a, b] in [pair, [pair[1], pair[0]]] {
                let settings = Settings::default();
                let toi = toi::one_to_one(a.0, a.1, b.0, b.1, &settings).expect("valid");
                let unresolved = matches!(toi.result, ToiResult::Unresolved { .. });
                assert!(!unresolved, "{toi:?}: {kind} at {pose:?}, {spin:?}");
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 2 * 120 * KINDS.len());
}

/// Goal: two edges that rotate in each other's plane, a gap of last bits apart, are resolved in a number of
/// rounds far below the limit. Method: a cube on the edge of another, and segments that lie across each
/// other, all of them spinning about the vertical; each search took more than 2,000 rounds when the plane
/// did not rotate with both edges.
#[test]
fn edges_that_spin_on_each_other_are_resolved() {
    let motion = |position, orientation, spin: f32| PlainMotion {
        position,
        orientation,
        spin: [0.0, spin, 0.0],
        ..PlainMotion::REST
    };
    let cases = [
        (
            PlainCore::Cuboid([0.1; 3]),
            [0.0; 3],
            ([-0.455_493_5, 0.537_450_2, -0.062_052_656, 0.706_981_2], 5.0),
            [0.0, 0.331_987_8, 0.0],
            ([0.468_634_7, 0.428_999_63, 0.771_481_2, 0.034_022_614], -1.5),
        ),
        (
            PlainCore::Segment([[-0.1, 0.0, 0.0], [0.1, 0.1, 0.0]]),
            [372.221_47, -579.176_45, -725.262_6],
            ([-0.427_931_4, 0.427_931_4, -0.562_916_3, 0.562_916_3], 0.0),
            [372.221_47, -578.976_5, -725.262_6],
            ([-0.704_607_2, -0.704_607_2, 0.059_402_954, 0.059_402_954], 1.0),
        ),
        (
            PlainCore::Segment([[-0.37, 0.0, 0.0], [0.37, 0.1, 0.0]]),
            [-940.199_5, -340.103_82, 18.820_452],
            ([0.342_897_8, 2.099_643_5e-17, 0.939_372_7, 5.751_999e-17], 1.0),
            [-940.199_5, -340.203_8, 18.820_452],
            ([0.0, -0.385_243_5, 0.0, 0.922_814_97], -0.3),
        ),
        (
            PlainCore::Segment([[-0.37, 0.0, 0.0], [0.37, 0.1, 0.0]]),
            [2.261_092_2, 1.779_579_5, 9.577_085_5],
            ([0.0, 0.605_186_4, 0.0, 0.796_083_8], 0.0),
            [2.261_092_2, 1.779_621_2, 9.577_085_5],
            ([0.0, -0.538_801_55, 0.0, 0.842_432_74], 5.0),
        ),
    ];
    for (core, at_a, (rotation_a, spin_a), at_b, (rotation_b, spin_b)) in cases {
        let case = ConvexCase {
            family: "edges",
            shapes: [0; 2].map(|_| PlainShape { core: core.clone(), radius: 0.0 }),
            motions: [motion(at_a, rotation_a, spin_a), motion(at_b, rotation_b, spin_b)],
            target: 0.0,
            window: [0.0, 1.0],
        };
        let toi = asked(&case, Touch::IfClosing);
        assert!(toi.rounds < 1024, "{toi:?} for {case:?}");
        is_true(&case, &toi).unwrap_or_else(|promise| panic!("{promise}: {toi:?} for {case:?}"));
    }
}
