//! Bodies that walk over uneven ground: move to the impact, slide along it, and go on in the next tick.

use swath::convex::toi::{Settings, ToiResult};
use swath::mesh::{Geometry, HeightField, Mesh, toi};
use swath::{Motion, Pose, Shape};
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Cells along each side of the ground.
const SIDE: u32 = 24;

/// Displacement of a tick along the ground, and downwards.
const STEP: f32 = 0.15;
const FALL: f32 = 0.02;

/// Impacts of a tick after which the body waits for the next one.
const SLIDES_MAX: u32 = 6;

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Where a walk starts, and in which direction it goes.
struct Walk {
    skin: f32,
    start: [f32; 3],
    heading: [f32; 2],
}

/// Returns the position after a number of ticks.
fn walk(shape: &Shape<'_>, ground: &Geometry<'_>, walk: &Walk, ticks: u32) -> [f32; 3] {
    let settings = Settings { target_distance: walk.skin, ..Settings::default() };
    let mut at = walk.start;
    for _ in 0..ticks {
        let [x, z] = walk.heading;
        let mut rest = [STEP * x, -FALL, STEP * z];
        for _ in 0..SLIDES_MAX {
            let motion = Motion::new(Pose::at(at).expect("finite"), rest).expect("finite");
            let found =
                toi::one_to_one(&(*shape).into(), &motion, ground, &Motion::default(), &settings);
            let (t, normal) = match found.expect("valid").toi.result {
                ToiResult::Impact { t, normal, .. } => (t, normal),
                ToiResult::Overlapping { depth, normal, .. } => {
                    at = [0, 1, 2].map(|k| at[k] - 1.01 * depth * normal[k]);
                    continue;
                }
                ToiResult::Separated => (1.0, [0.0; 3]),
                other => panic!("{other:?}"),
            };
            at = [0, 1, 2].map(|k| at[k] + t * rest[k]);
            rest = rest.map(|x| x * (1.0 - t));
            if t == 1.0 {
                break;
            }
            let into = dot(rest, normal).max(0.0);
            rest = [0, 1, 2].map(|k| rest[k] - into * normal[k]);
        }
    }
    at
}

/// Goal: a body that walks over uneven ground reaches the other side: edges between triangles do not stop it. Method: balls, capsules,
/// boxes, cylinders and cones with and without a skin on terrains and meshes with bumps of several heights, for more ticks than the way takes on slopes.
#[test]
fn body_that_walks_over_bumps_reaches_the_other_side() {
    let mut draw = Draw::new(9);
    let shapes = [
        ("ball", Shape::sphere(0.4).expect("a ball")),
        ("capsule", Shape::capsule(0.4, 0.3).expect("a capsule")),
        ("box", Shape::cuboid([0.4; 3]).expect("a box")),
        ("cylinder", Shape::cylinder(0.4, 0.3).expect("a cylinder")),
        ("cone", Shape::cone(0.4, 0.3).expect("a cone")),
    ];
    let reach = SIDE as f32 - 4.0;
    let ticks = (3.0 * reach / STEP) as u32;
    let mut stuck = Vec::new();
    let mut walks = 0;
    for (name, shape) in &shapes {
        for skin in [0.0, 0.02] {
            for case in 0..30 {
                let bump = [0.0005, 0.005, 0.02, 0.06, 0.12][case % 5];
                let (vertices, triangles) = terrain(&mut draw, SIDE, bump);
                let half = SIDE as f32 / 2.0;
                let heights: Vec<f32> = vertices.iter().map(|vertex| vertex[1]).collect();
                let field = HeightField::new(heights, [SIDE + 1; 2], [1.0; 2]).expect("a field");
                let mesh = Mesh::new(vertices, triangles).expect("a mesh");
                let z = draw.between(-3.0, 3.0);
                let is_field = case % 2 == 0;
                let origin = if is_field { half } else { 0.0 };
                let ground: Geometry<'_> = if is_field { (&field).into() } else { (&mesh).into() };
                let heading = [0.995, draw.between(-0.1, 0.1)];
                let start = [origin - half + 2.0, 1.2, origin + z];
                let end = walk(shape, &ground, &Walk { skin, start, heading }, ticks);
                walks += 1;
                let x = end[0] - origin + half;
                if x < SIDE as f32 - 2.0 {
                    stuck.push((*name, skin, bump, is_field, x, end));
                }
            }
        }
    }
    assert!(walks == 300 && stuck.is_empty(), "{} of {walks}: {stuck:?}", stuck.len());
}
