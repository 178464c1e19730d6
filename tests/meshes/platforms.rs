//! Bodies that lie on moving ones: what rounding leaves of a closing speed is no impact.

use swath::convex::toi::{Settings, ToiResult};
use swath::mesh::{Geometry, Mesh, toi};
use swath::{Motion, Pose, Shape};
use testkit::draw::Draw;

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Goal: a body that lies on a platform which moves fast closes on it once and then moves with it, however fast that is and however the platform is
/// tilted. Method: bodies fall slowly on platforms of triangles, and on boxes; at each impact, the closing part of the relative velocity is
/// removed and rounded, as an engine does. The impacts at the same time end after a few.
#[test]
fn body_that_moves_with_a_platform_has_no_impacts_without_end() {
    const ROUNDS_MAX: usize = 12;
    let corners = [[-50.0, 0.0, -50.0], [50.0, 0.0, -50.0], [50.0, 0.0, 50.0], [-50.0, 0.0, 50.0]];
    let mesh = Mesh::new(&corners[..], &[[0, 2, 1], [0, 3, 2]][..]).expect("a floor");
    let slab = Shape::cuboid([50.0, 1.0, 50.0]).expect("a box");
    let shapes = [
        (Shape::cuboid([0.3, 0.4, 0.5]).expect("a box"), 0.4),
        (Shape::sphere(0.4).expect("a ball"), 0.4),
        (Shape::capsule(0.3, 0.4).expect("a capsule"), 0.7),
    ];
    let mut draw = Draw::new(77);
    let mut hit = 0;
    for case in 0..900 {
        let (platform, top): (Geometry<'_>, f64) =
            if case % 2 == 0 { ((&mesh).into(), 0.0) } else { (slab.into(), 1.0) };
        let speed = [0.1, 1.0, 10.0][case / 2 % 3];
        let own = [0.0, 0.1][case / 6 % 2];
        let (shape, height) = shapes[case / 12 % 3];
        let rotation = [(); 4].map(|()| draw.between(-1.0, 1.0));
        let pose = Pose::normalized([0.0; 3], rotation).expect("a rotation");
        let turned = |v: [f64; 3]| {
            let [x, y, z, w] = pose.rotation.map(f64::from);
            let cross =
                |b: [f64; 3]| [y * b[2] - z * b[1], z * b[0] - x * b[2], x * b[1] - y * b[0]];
            let once = cross(v);
            let twice = cross(once);
            [0, 1, 2].map(|k| v[k] + 2.0 * (w * once[k] + twice[k]))
        };
        let [up, along] = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]].map(turned);
        let delta = [(); 3].map(|()| draw.between(-speed, speed));
        let mut velocity =
            [0, 1, 2].map(|k| (f64::from(delta[k]) - 0.01 * up[k] + own * along[k]) as f32);
        let mut at = [0, 1, 2].map(|k| (up[k] * (top + height + 1e-3)) as f32);
        let (mut below, mut left, mut at_once) = ([0.0; 3], 1.0_f32, 0);
        for _ in 0..ROUNDS_MAX {
            let moving = |position, delta| Motion::new(Pose { position, ..pose }, delta);
            let motion = moving(at, velocity).expect("a motion");
            let of_platform = moving(below, delta).expect("a motion");
            let settings = Settings { window: [0.0, left], ..Settings::default() };
            let found = toi::one_to_one(&shape.into(), &motion, &platform, &of_platform, &settings);
            let ToiResult::Impact { t, normal, .. } = found.expect("bodies").toi.result else {
                break;
            };
            hit += 1;
            at_once += usize::from(t == 0.0);
            (at, below, left) = (motion.at(t).position, of_platform.at(t).position, left - t);
            let normal = normal.map(f64::from);
            let relative = [0, 1, 2].map(|k| f64::from(velocity[k]) - f64::from(delta[k]));
            let closing = dot(relative, normal).max(0.0);
            velocity = [0, 1, 2].map(|k| (f64::from(velocity[k]) - closing * normal[k]) as f32);
        }
        assert!(at_once < 4, "case {case}: {at_once} impacts at once, {at:?} {velocity:?}");
    }
    assert!(hit >= 900, "{hit}");
}

/// Goal: a contact with a flat mesh that rotates has the normal of its plane, also where a body only slides over an edge of it. Method: boxes, cylinders,
/// capsules and balls that rest on a turntable of 128 triangles, at many places; the first contact, and all.
#[test]
fn contact_with_a_turntable_has_the_normal_of_its_plane() {
    const SIDE: u32 = 8;
    let row = SIDE + 1;
    let at = |k: u32| 6.0 * (k as f32 / SIDE as f32 - 0.5);
    let corners = (0..row * row).map(|k| [at(k % row), 0.0, at(k / row)]).collect::<Vec<_>>();
    let cells = (0..SIDE * SIDE).map(|k| k % SIDE + k / SIDE * row);
    let triangles = cells.flat_map(|q| [[q, q + row + 1, q + 1], [q, q + row, q + row + 1]]);
    let mesh = Mesh::new(corners, triangles.collect::<Vec<_>>()).expect("a flat mesh");
    let turning = Motion::default().spinning([0.0, 0.3, 0.0]).expect("finite");
    let settings = Settings::default();
    let shapes = [
        (Shape::cuboid([0.3; 3]).expect("a box"), 0.3),
        (Shape::cylinder(0.3, 0.3).expect("a cylinder"), 0.3),
        (Shape::capsule(0.3, 0.3).expect("a capsule"), 0.6),
        (Shape::sphere(0.3).expect("a ball"), 0.3),
    ];
    let mut impacts = 0;
    for (shape, height) in shapes {
        for (k, gap) in (0..50_u8).flat_map(|k| [0.0, 1e-6, 1e-5].map(|gap| (k, gap))) {
            let pose = Pose::at([0.3 + 0.03 * f32::from(k), height + gap, 0.4]).expect("finite");
            let motion = Motion::new(pose, [0.0; 3]).expect("finite");
            let (body, ground) = (shape.into(), (&mesh).into());
            let found = toi::one_to_one(&body, &motion, &ground, &turning, &settings);
            let mut all = Vec::new();
            toi::each_part(&body, &motion, &ground, &turning, &settings, &mut all).expect("valid");
            for found in [found.expect("valid")].iter().chain(&all) {
                if let ToiResult::Impact { normal, closing, .. } = found.toi.result {
                    assert!(normal[1] < -0.999, "{k} {gap} {found:?}");
                    assert!(closing.abs() < 1e-3, "{k} {gap} {found:?}");
                    impacts += 1;
                }
            }
        }
    }
    assert!(impacts > 100, "{impacts}");
}
