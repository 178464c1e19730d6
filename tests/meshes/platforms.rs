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
