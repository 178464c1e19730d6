//! First times of meshes of needles: triangles with corners that are almost on a line.

use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Mesh, toi};
use swath::{Motion, Pose, Shape};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use testkit::draw::{Draw, how_many};
use testkit::mesh_cases::{MeshCase, judged};

/// The corners of a needle whose computed normal is not perpendicular to its sides: the second corner is 3.4e-5 off the plane through
/// the first one, towards [`FLYING`].
const NEEDLE: [[f32; 3]; 3] = [
    [2.364_325e-5, 0.000_900_927_4, -0.000_711_680_8],
    [9.640_546, 5.182_820_3, 5.963_285],
    [6.391_066_6, 3.436_178_4, 3.953_032_5],
];

/// Start and displacement of a ball that touches the needle first at 0.475.
const FLYING: [[f32; 3]; 2] =
    [[10.262_904, 4.827_932, 5.265_629], [-1.244_716_4, 0.709_777_24, 1.395_312_7]];

/// Goal: a contact with a needle is neither late, nor an overlap, nor missed at the end of a window. Method: balls of two radii and a needle, and the exact
/// time; windows that end before, at and after it.
#[test]
fn ball_that_meets_a_needle_has_an_impact() {
    let mesh = Mesh::new(&NEEDLE[..], &[[0, 1, 2]][..]).expect("a triangle");
    let ball = Shape::sphere(0.05).expect("a ball");
    let motion = Motion::new(Pose::at(FLYING[0]).expect("valid"), FLYING[1]).expect("valid");
    for (end, touches) in [(0.474_9, false), (0.475_01, true), (0.476, true), (1.0, true)] {
        for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
            let settings = Settings { window: [0.0, end], touch, ..Settings::default() };
            let still = Motion::default();
            let found = toi::one_to_one(&ball.into(), &motion, &(&mesh).into(), &still, &settings);
            let found = found.expect("valid");
            match found.toi.result {
                ToiResult::Impact { t, .. } => {
                    assert!(touches && t <= 0.475_001 && t > 0.474_99, "{end} {found:?}");
                }
                ToiResult::Separated => assert!(!touches, "{end} {touch:?}"),
                other => panic!("{end} {touch:?}: {other:?}"),
            }
        }
    }
}

/// The unit normal of the front of a triangle, as it is computed in `f64`, which for a needle is not perpendicular to its sides.
fn front(corners: [[f32; 3]; 3]) -> Option<[f64; 3]> {
    let [a, b, c] = corners.map(|corner| corner.map(f64::from));
    let [u, v] = [b, c].map(|corner| [0, 1, 2].map(|k| corner[k] - a[k]));
    let cross = [1, 2, 0].map(|k| (k, (k + 1) % 3)).map(|(k, l)| u[k] * v[l] - u[l] * v[k]);
    let length = cross.iter().map(|x| x * x).sum::<f64>().sqrt();
    (length > 0.0).then(|| cross.map(|x| x / length))
}

/// Goal: first times of needles keep all promises. Method: corners near lines through numbers of different sizes; balls and
/// boxes that fly along the computed normal to a point of the line, some of which rotate; triangles of which one side counts, if the
/// point is on the needle, and both; the specification.
#[test]
fn first_times_of_needles_keep_all_promises() {
    let mut draw = Draw::new(31);
    let cases = how_many(3_000);
    let mut impacts = 0;
    for index in 0..cases {
        let size = draw.one_of(&[0.01, 0.1, 10.0]);
        let length = draw.one_of(&[1.0, 30.0, 1000.0]);
        let first = [0; 3].map(|_| draw.between(-1e-3, 1e-3));
        let second = [0; 3].map(|_| draw.between(-length, length));
        let between = |share: f32| [0, 1, 2].map(|k| first[k] + share * (second[k] - first[k]));
        let third_share = draw.between(0.1, 1.5);
        let third = between(third_share);
        let Some(front) = front([first, second, third]) else { continue };
        let aim_share = draw.between(0.2, 1.1);
        let aim = between(aim_share);
        let above = size * draw.between(2.0, 6.0) * draw.sign();
        let speed = draw.between(0.5, 2.0);
        let start = [0, 1, 2].map(|k| aim[k] + above * front[k] as f32);
        let delta =
            [0, 1, 2].map(|k| speed * (aim[k] - start[k]) + size * draw.between(-0.02, 0.02));
        let is_ball = draw.one_in(2);
        let corner = |k: u32| [1, 2, 4].map(|bit| if k & bit == 0 { -size } else { size });
        let core =
            if is_ball { PlainCore::Point } else { PlainCore::Hull((0..8).map(corner).collect()) };
        let spins = draw.one_in(3);
        let spin = [0; 3].map(|_| if spins { draw.between(-2.0, 2.0) } else { 0.0 });
        let case = MeshCase {
            shape: PlainShape { core, radius: if is_ball { size } else { 0.0 } },
            motion: PlainMotion { position: start, delta, spin, ..PlainMotion::REST },
            vertices: vec![first, second, third],
            triangles: vec![[0, 1, 2]],
            mesh_motion: PlainMotion::REST,
            target: 0.0,
        };
        let mesh = case.mesh();
        // A position that passes the end of the needle is behind its front before the shape touches it.
        let stays_in_front = aim_share <= third_share.max(1.0);
        let one_sided = above > 0.0 && draw.one_in(3) && stays_in_front;
        let mesh = if one_sided { mesh.one_sided() } else { mesh };
        let found = case.asked(&(&mesh).into());
        let [a, b] = case.bodies();
        match judged(&a, &b, 0.0, &found) {
            Ok(impact) => impacts += usize::from(impact),
            Err(promise) => panic!("case {index}: {promise}: {found:?} for {case:?}"),
        }
        let overlaps = matches!(found.toi.result, ToiResult::Overlapping { .. });
        assert!(!overlaps || !is_ball, "case {index}: {found:?} for {case:?}");
    }
    assert!(impacts > cases / 4, "{impacts}");
}

/// The normals that the contact of a ball with the left side of a ridge along `z` has if a needle or a triangle without area is at the crest, for
/// each order of its corners.
fn normals_beside(needle: [[f32; 3]; 3], x: f32) -> Vec<[f32; 3]> {
    let ball = Shape::sphere(0.5).expect("a ball");
    let motion = Motion::new(Pose::at([x, 2.0, 0.0]).expect("valid"), [0.0, -3.0, 0.0]);
    let motion = motion.expect("valid");
    let (settings, still) = (Settings::default(), Motion::default());
    let normal = |order: [u32; 3]| {
        let ridge = [[0.0, 0.0, -9.0], [0.0, 0.0, 9.0], [-9.0, -3.0, 0.0], [9.0, -3.0, 0.0]];
        let vertices: Vec<_> = ridge.into_iter().chain(needle).collect();
        let mesh = Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], order]).expect("a ridge");
        let (ball, mesh, mut found) = (ball.into(), (&mesh).into(), Vec::new());
        toi::each_part(&ball, &motion, &mesh, &still, &settings, &mut found).expect("valid");
        let on_left = found.iter().find(|found| found.parts[1] == 0).expect("it falls on it");
        let ToiResult::Impact { normal, .. } = on_left.toi.result else { panic!("{found:?}") };
        normal
    };
    [[4, 5, 6], [4, 6, 5], [5, 4, 6], [5, 6, 4], [6, 4, 5], [6, 5, 4]].map(normal).to_vec()
}

/// Goal: whether a needle or a triangle without area is around a contact does not depend on the order of its corners. Method: a ball that falls on
/// a ridge of two triangles with such a triangle across it, of given and random corners on a line but for rounding, and of equal corners.
#[test]
fn normal_beside_a_needle_does_not_depend_on_the_order_of_its_corners() {
    let [q, r] =
        [[2.646_439, 0.116_358_11, 0.018_161_535], [2.066_952_2, 0.090_879_34, 0.014_184_731]];
    let up = [0.3, 1.0, 0.0];
    let mut cases = vec![
        ([q.map(|x: f32| -x), q, r], 0.0),
        ([up, up, [0.0; 3]], -0.05),
        ([up, [0.0; 3], [0.0; 3]], -0.05),
    ];
    let mut draw = Draw::new(21);
    for _ in 0..100 {
        let q = [3.0 + draw.between(-1.0, 1.0), draw.between(0.05, 0.15), draw.between(-1.0, 1.0)];
        let share = draw.between(0.2, 0.8);
        cases.push(([q.map(|x| -x), q, q.map(|x| x * share)], 0.0));
    }
    for (needle, x) in cases {
        let normals = normals_beside(needle, x);
        assert!(normals.iter().all(|&normal| normal == normals[0]), "{needle:?}: {normals:?}");
    }
}
