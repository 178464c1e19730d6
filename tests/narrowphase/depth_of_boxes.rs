//! Tests that the depth of two boxes that overlap is the exact one, with its normal and points.
//!
//! The reference is the separating axis test in `f64`, which shares no code with the library: the depth is the least overlap along the axes
//! of both boxes and the directions perpendicular to an edge of each (Gottschalk, Lin and Manocha 1996).

use scenes::convex::rotation;
use swath::convex::gjk;
use swath::convex::toi::{self, Settings, ToiResult};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};

type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn minus(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// A box with its pose, and a radius.
#[derive(Clone, Copy, Debug)]
struct PosedBox {
    half: [f32; 3],
    radius: f32,
    at: [f32; 3],
    rotation: [f32; 4],
}

impl PosedBox {
    fn shape(&self) -> Shape<'static> {
        let cuboid = Shape::cuboid(self.half).expect("half extents");
        cuboid.rounded(self.radius).expect("a radius")
    }

    fn pose(&self) -> Pose {
        Pose::new(self.at, self.rotation).expect("a pose")
    }

    /// Its axes: each unit vector, rotated by the quaternion `(v, w)` as `u + 2·v × (v × u + w·u)`.
    fn axes(&self) -> [Vector; 3] {
        let of_any_length = self.rotation.map(f64::from);
        let norm = of_any_length.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [x, y, z, w] = of_any_length.map(|x| x / norm);
        let v = [x, y, z];
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|u| {
            let inner = cross(v, u);
            let outer = cross(v, [0, 1, 2].map(|k| inner[k] + w * u[k]));
            [0, 1, 2].map(|k| u[k] + 2.0 * outer[k])
        })
    }

    /// Greatest distance of a point of the core from its middle along a direction.
    fn reach(&self, direction: Vector) -> f64 {
        let along = |(axis, half): (Vector, f32)| f64::from(half) * dot(axis, direction).abs();
        self.axes().into_iter().zip(self.half).map(along).sum()
    }

    /// How far a point is outside of the core.
    fn away(&self, point: Vector) -> f64 {
        let offset = minus(point, self.at.map(f64::from));
        let off = |(axis, half): (Vector, f32)| {
            (dot(axis, offset).abs() - f64::from(half)).max(0.0).powi(2)
        };
        self.axes().into_iter().zip(self.half).map(off).sum::<f64>().sqrt()
    }
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Returns the least overlap of two cores whose positions are `x` apart; negative if they are apart.
fn exact_depth(a: &PosedBox, b: &PosedBox, x: Vector) -> f64 {
    let (of_a, of_b) = (a.axes(), b.axes());
    let mut directions = [of_a, of_b].concat();
    for e in of_a {
        for f in of_b {
            let across = cross(e, f);
            let sine = length(across);
            if sine > 1e-10 {
                directions.push(across.map(|x| x / sine));
            }
        }
    }
    let along = |n: Vector| a.reach(n) + b.reach(n) - dot(n, x).abs();
    directions.into_iter().map(along).fold(f64::INFINITY, f64::min)
}

fn between(a: &PosedBox, b: &PosedBox) -> Vector {
    minus(b.at.map(f64::from), a.at.map(f64::from))
}

/// Checks the depth, the normal and the points of a distance or an overlap. `slack` is how much the depth may be too great. The depth of
/// a distance may be rounded down by that of the normal.
fn check(
    (a, b): (&PosedBox, &PosedBox),
    (depth, normal): (f32, [f32; 3]),
    [on_a, on_b]: [[f32; 3]; 2],
    (slack, unit_error): (f64, f64),
) {
    let case = format!("depth {depth} along {normal:?} of {a:?} and {b:?}");
    let x = between(a, b);
    let size = length(a.half.map(f64::from)) + length(b.half.map(f64::from));
    let radii = f64::from(a.radius) + f64::from(b.radius);
    let (depth, normal) = (f64::from(depth), normal.map(f64::from));
    let exact = exact_depth(a, b, x) + radii;
    assert!(depth >= exact, "{exact} is deeper: {case}");
    assert!(depth <= exact * (1.0 + 1e-5) + slack, "only {exact}: {case}");
    assert!((length(normal) - 1.0).abs() <= 4.0 * f64::from(f32::EPSILON), "not unit: {case}");
    // The cores overlap less than the shapes by the radii.
    let moved = [0, 1, 2].map(|k| x[k] + normal[k] * depth);
    let left = exact_depth(a, b, moved) + radii;
    assert!(left <= unit_error * depth + 1e-13 * (size + radii), "still {left} deep: {case}");
    let [on_a, on_b] = [on_a, on_b].map(|point| point.map(f64::from));
    let far = length(on_a) + length(on_b) + size + radii;
    let rounding = far * f64::from(f32::EPSILON);
    for (body, point) in [(a, on_a), (b, on_b)] {
        let away = body.away(point);
        assert!(away <= f64::from(body.radius) + rounding, "{point:?} is outside: {case}");
    }
    let apart = minus(minus(on_a, on_b), normal.map(|x| x * depth));
    assert!(length(apart) <= slack + 4.0 * rounding, "{on_a:?} and {on_b:?} are no pair: {case}");
}

/// Checks the distance and the time of impact of two boxes, if they overlap. Returns whether they do.
fn check_both(a: &PosedBox, b: &PosedBox, slack: f64) -> bool {
    let size = length(a.half.map(f64::from)) + length(b.half.map(f64::from));
    let exact = exact_depth(a, b, between(a, b));
    if exact <= 1e-9 * size {
        return false;
    }
    let slack = slack * size + 1e-12 * (length(between(a, b)) + size);
    let (shapes, poses) = ([a.shape(), b.shape()], [a.pose(), b.pose()]);
    let found = gjk::distance(&shapes[0], &poses[0], &shapes[1], &poses[1]).expect("poses");
    // The normal is rounded to `f32`.
    let errors = (slack, f64::from(f32::EPSILON));
    check((a, b), (-found.distance, found.normal), [found.on_a, found.on_b], errors);
    let [a_motion, b_motion] = poses.map(Motion::from);
    let settings = Settings::default();
    let toi = toi::one_to_one(&shapes[0], &a_motion, &shapes[1], &b_motion, &settings);
    match toi.expect("motions").result {
        ToiResult::Overlapping { depth, normal, on_a, on_b, .. } => {
            // Its slack is that of a search.
            let errors = (slack + 1e-11 * size, 0.0);
            check((a, b), (depth, normal), [on_a, on_b], errors);
        }
        // A touch.
        result => assert!(exact < 1e-3 * size, "{result:?} of {a:?} and {b:?}"),
    }
    true
}

/// Goal: the least overlap is found where the axes of the boxes and the direction between their middles are far from it. Method: a case that
/// was reported; its depth was 0.332.
#[test]
fn depth_across_two_edges_is_the_least_one() {
    let [a, b] = [
        PosedBox {
            half: [0.9113593, 0.46388024, 0.3324461],
            radius: 0.0,
            at: [0.0; 3],
            rotation: Pose::IDENTITY.rotation,
        },
        PosedBox {
            half: [0.32144627, 0.59879994, 0.49455065],
            radius: 0.0,
            at: [0.20581299, -0.72709495, 0.77973336],
            rotation: [-0.28195262, -0.10259541, 0.50744027, 0.8077631],
        },
    ];
    assert!(check_both(&a, &b, 0.0));
    let depth = -gjk::distance(&a.shape(), &a.pose(), &b.shape(), &b.pose()).unwrap().distance;
    assert!((depth - 0.1679).abs() < 1e-4, "{depth}");
}

/// Kinds of pairs in the test of random boxes.
const KINDS: [&str; 9] = [
    "any",
    "along the axes",
    "equal rotations",
    "quarter turns",
    "almost equal rotations",
    "touching faces",
    "one inside the other",
    "flat",
    "of very different sizes",
];

/// A rotation that differs from another by about an angle.
fn tilted(draw: &mut Draw, rotation: [f32; 4], angle: f32) -> [f32; 4] {
    let moved = rotation.map(|x| x + angle * draw.between(-0.5, 0.5));
    let square: f32 = moved.iter().map(|x| x * x).sum();
    moved.map(|x| x / square.sqrt())
}

fn pair_of(draw: &mut Draw, kind: &str) -> [PosedBox; 2] {
    let half = |draw: &mut Draw, most: f32| [0; 3].map(|_| draw.between(0.05, 1.0) * most);
    let turned = rotation(&mut draw.0);
    let still = Pose::IDENTITY.rotation;
    let quarter = |draw: &mut Draw| {
        let turn = 0.5_f32.sqrt();
        draw.one_of(&[
            [turn, 0.0, 0.0, turn],
            [0.0, -turn, 0.0, turn],
            [0.5, 0.5, 0.5, 0.5],
            [0.0, 1.0, 0.0, 0.0],
        ])
    };
    let sizes = match kind {
        "of very different sizes" => draw.one_of(&[[1.0, 1e-3], [100.0, 0.5], [1e-4, 1e3]]),
        "one inside the other" => [8.0, 1.0],
        _ => [1.0, draw.one_of(&[0.25, 1.0, 1.0, 4.0])],
    };
    let mut halves = sizes.map(|most| half(draw, most));
    if kind == "flat" {
        let flat = draw.one_of(&[[0, 1], [1, 1], [2, 0], [3, 0], [1, 2]]);
        for (half, flat) in halves.iter_mut().zip(flat) {
            let first = draw.one_of(&[0, 1, 2]);
            (0..flat).for_each(|k| half[(first + k) % 3] = 0.0);
        }
    }
    let rotations = match kind {
        "along the axes" => [still; 2],
        "equal rotations" => [turned; 2],
        "quarter turns" => [quarter(draw), quarter(draw)],
        "almost equal rotations" => {
            let angle = draw.one_of(&[1e-2, 1e-4, 1e-6, 1e-7]);
            [turned, tilted(draw, turned, angle)]
        }
        "touching faces" if draw.one_in(2) => [still, still],
        _ => [turned, rotation(&mut draw.0)],
    };
    let middle = [0; 3].map(|_| draw.between(-4.0, 4.0));
    let radius = draw.one_of(&[0.0, 0.0, 0.125, 1.0]);
    let [mut a, mut b] = [0, 1].map(|k| PosedBox {
        half: halves[k],
        radius: if k == 0 { 0.0 } else { radius },
        at: middle,
        rotation: rotations[k],
    });
    a.radius = draw.one_of(&[0.0, radius]);
    let most = match kind {
        "one inside the other" | "flat" => 0.6,
        "of very different sizes" => 1.0,
        _ => 1.4,
    };
    let reaches = [0, 1, 2].map(|k| {
        let axis = std::array::from_fn(|of| if of == k { 1.0 } else { 0.0 });
        (a.reach(axis) + b.reach(axis)) as f32
    });
    b.at = [0, 1, 2].map(|k| middle[k] + most * draw.between(-1.0, 1.0) * reaches[k]);
    if kind == "touching faces" {
        let axis = draw.one_of(&[0, 1, 2]);
        let depth = draw.one_of(&[1e-2, 1e-4, 1e-5]);
        b.at = [0, 1, 2].map(|k| middle[k] + 0.3 * draw.between(-1.0, 1.0) * reaches[k]);
        b.at[axis] = middle[axis] + draw.sign() * (reaches[axis] - depth);
    }
    [a, b]
}

/// Goal: the depth is at least the exact one and not more than that by more than rounding, moving by it separates, the normal is unit, and
/// the points are those that are as deep. Method: pairs of all kinds, rounded ones among them, against the separating axis test. Edges that
/// are parallel to within some 10⁻⁸ count as parallel, so the depth may be too great by that part of the sizes for almost equal rotations.
#[test]
fn depth_of_boxes_is_the_exact_one() {
    let mut draw = Draw::new(107);
    let mut overlapping = [0; KINDS.len()];
    for case in 0..how_many(9 * 4_000) {
        let kind = case % KINDS.len();
        let [a, b] = pair_of(&mut draw, KINDS[kind]);
        let slack = if KINDS[kind] == "almost equal rotations" { 1e-7 } else { 0.0 };
        overlapping[kind] += usize::from(check_both(&a, &b, slack));
    }
    println!("{overlapping:?}");
    assert!(overlapping.iter().all(|&count| count > how_many(9 * 4_000) / 180), "{overlapping:?}");
}
