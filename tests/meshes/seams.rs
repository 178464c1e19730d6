//! Bodies that slide over the seams of a mesh.

use swath::convex::toi as convex_toi;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Geometry, HeightField, Mesh, toi};
use swath::{Motion, Pose, Shape};
use testkit::ball_map::BallMap;
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// A flat floor of `20 * 20` cells of length 1 around the origin, and a wall of two triangles across `x = 8`.
fn floor(wall: bool) -> Mesh<'static> {
    let (mut vertices, mut triangles) = terrain(&mut Draw::new(1), 20, 0.0);
    if wall {
        let first = vertices.len() as u32;
        vertices.extend([[8.0, -1.0, -9.0], [8.0, -1.0, 9.0], [8.0, 5.0, 9.0], [8.0, 5.0, -9.0]]);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    }
    Mesh::new(vertices, triangles).expect("a floor")
}

fn first(
    shape: &Shape<'_>,
    motion: &Motion,
    body: &Geometry<'_>,
    at: &Motion,
    touch: Touch,
) -> toi::PartToi {
    let settings = Settings { touch, ..Settings::default() };
    toi::one_to_one(&(*shape).into(), motion, body, at, &settings).expect("valid")
}

/// Goal: a box that slides over a flat floor of triangles meets no seam, but a wall at the end of it, with the wall's
/// normal. Method: boxes that start flush with the floor, in many directions; as control, the same box and a single
/// triangle of the floor that it reaches later.
#[test]
fn a_box_that_slides_over_a_floor_meets_no_seam() {
    let (open, walled) = (floor(false), floor(true));
    let crate_ = Shape::cuboid([0.5, 0.25, 0.5]).expect("a box");
    let mut ghosts = 0;
    for k in 0..64 {
        let angle = k as f32 * 0.098;
        let start = Pose::at([-0.3, 0.25, 0.2]).expect("valid");
        let motion =
            Motion::new(start, [4.0 * angle.cos(), 0.0, 4.0 * angle.sin()]).expect("valid");
        let found = first(&crate_, &motion, &(&open).into(), &Motion::default(), Touch::IfClosing);
        assert_eq!(found.toi.result, ToiResult::Separated, "{k}");
        for triangle in 0..800 {
            let seam =
                Shape::triangle(open.corners(triangle).expect("it is there")).expect("valid");
            let still = Motion::default();
            let alone =
                convex_toi::one_to_one(&crate_, &motion, &seam, &still, &Settings::default());
            if let ToiResult::Impact { t, normal, .. } = alone.expect("valid").result {
                ghosts += usize::from(t > 0.0 && normal[1].abs() < 0.5);
            }
        }
    }
    assert!(ghosts > 100, "the control has contacts along the floor: {ghosts}");
    for z in [0.0, 0.3, 0.5, 1.7] {
        let start = Pose::at([-0.3, 0.25, z]).expect("valid");
        let motion = Motion::new(start, [12.0, 0.0, 1.0]).expect("valid");
        let found =
            first(&crate_, &motion, &(&walled).into(), &Motion::default(), Touch::IfClosing);
        let ToiResult::Impact { t, normal, .. } = found.toi.result else { panic!("{found:?}") };
        assert!(t <= 7.8 / 12.0 && t > 0.6499 && normal[0] > 0.999, "{found:?}");
        assert!(found.parts[1] >= 800, "{found:?}");
    }
}

/// Goal: the same where rounding makes the velocity not quite parallel to the floor, and for height fields. Method: the
/// floor and the box are rotated together.
#[test]
fn a_tilted_floor_has_no_seams_either() {
    let mesh = floor(false);
    let field = HeightField::new(vec![0.0; 441], [21, 21], [1.0, 1.0]).expect("a field");
    let crate_ = Shape::cuboid([0.5, 0.25, 0.5]).expect("a box");
    for k in 0..200 {
        let axis = [(k as f32).sin(), (1.7 * k as f32).cos(), 0.3, 2.0];
        let pose = Pose::normalized([0.3, -0.2, 0.1], axis).expect("valid");
        let [x, y, z, w] = pose.rotation.map(f64::from);
        let square = x * x + y * y + z * z + w * w;
        let rotated = |v: [f64; 3]| {
            let u = [x, y, z];
            let cross = |a: [f64; 3], b: [f64; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            let one = cross(u, v);
            let two = cross(u, [0, 1, 2].map(|k| one[k] + w * v[k]));
            [0, 1, 2].map(|k| (v[k] + 2.0 / square * two[k]) as f32)
        };
        for (body, start) in
            [(Geometry::from(&mesh), [0.1, 0.25, 0.2]), (Geometry::from(&field), [9.1, 0.25, 9.2])]
        {
            let at = rotated(start);
            let at = [0, 1, 2].map(|k| at[k] + pose.position[k]);
            let delta = rotated([3.0 * f64::from(k).cos(), 0.0, 3.0 * f64::from(k).sin()]);
            let motion =
                Motion::new(Pose::new(at, pose.rotation).expect("valid"), delta).expect("valid");
            let found = first(&crate_, &motion, &body, &pose.into(), Touch::IfClosing);
            assert_eq!(found.toi.result, ToiResult::Separated, "{k}");
        }
    }
}

/// Goal: a body that falls while it slides meets the floor when it reaches it, with the floor's normal and the speed of
/// the fall. Method: closed form, for boxes, cylinders and balls at many places and heights.
#[test]
fn a_body_that_falls_on_seams_has_the_normal_of_the_floor() {
    let mesh = floor(false);
    let shapes = [
        Shape::cuboid([0.5; 3]).expect("a box"),
        Shape::cylinder(0.5, 0.4).expect("a cylinder"),
        Shape::sphere(0.5).expect("a ball"),
    ];
    let mut draw = Draw::new(3);
    for case in 0..600 {
        let height = draw.one_of(&[1e-3, 0.01, 0.5]);
        let fall = height * draw.between(1.1, 4.0);
        let at = [draw.between(-3.0, 3.0), 0.5 + height, draw.between(-3.0, 3.0)];
        let across = [draw.between(-4.0, 4.0), draw.between(-4.0, 4.0)];
        let motion = Motion::new(Pose::at(at).expect("valid"), [across[0], -fall, across[1]]);
        let motion = motion.expect("valid");
        let still = Motion::default();
        let found = first(&shapes[case % 3], &motion, &(&mesh).into(), &still, Touch::IfClosing);
        let ToiResult::Impact { t, normal, closing, .. } = found.toi.result else {
            panic!("{found:?} {motion:?}")
        };
        let exact = f64::from(at[1] - 0.5) / f64::from(fall);
        let off = exact - f64::from(t);
        assert!((0.0..1.3e-4 / f64::from(fall)).contains(&(off + 1e-7)), "{off} {found:?}");
        assert!(normal[1] < -0.999 && (closing - fall).abs() < 0.01 * (fall + 0.1), "{found:?}");
    }
}

/// Goal: a contact on an inner edge has the normal of the face, one on an outer edge keeps its own. Method: a box that is
/// sunk a little into a floor reaches further triangles; and one that flies against the edge of the floor.
#[test]
fn contacts_on_inner_edges_have_the_normal_of_the_face() {
    let mesh = floor(false);
    let crate_ = Shape::cuboid([0.5, 0.25, 0.5]).expect("a box");
    let sunk =
        Motion::new(Pose::at([0.2, 0.24, 0.3]).expect("valid"), [4.0, 0.0, 0.0]).expect("valid");
    let (body, still) = (Geometry::from(&mesh), Motion::default());
    let mut all = Vec::new();
    let settings = Settings::default();
    toi::each_part(&crate_.into(), &sunk, &body, &still, &settings, &mut all).expect("valid");
    let mut later = 0;
    for found in &all {
        if let ToiResult::Impact { t, normal, closing, .. } = found.toi.result
            && t > 0.0
        {
            assert!(normal[1].abs() > 0.999 && closing.abs() < 1e-3, "{found:?}");
            later += 1;
        }
    }
    assert!(later > 5, "{all:?}");

    let flying = Motion::new(Pose::at([-12.0, 0.1, 0.3]).expect("valid"), [4.0, 0.0, 0.0]);
    let found = first(&crate_, &flying.expect("valid"), &body, &still, Touch::IfClosing);
    let ToiResult::Impact { t, normal, .. } = found.toi.result else { panic!("{found:?}") };
    assert!(normal[0] > 0.999 && t > 0.3749 && t <= 0.375, "{found:?}");
}

/// Goal: [`Touch`] decides about a body that lies on the floor. Method: at rest, pushed down, lifted.
#[test]
fn a_touch_at_the_start_counts_as_asked() {
    let mesh = floor(false);
    let crate_ = Shape::cuboid([0.5; 3]).expect("a box");
    let at = |fall: f32| {
        Motion::new(Pose::at([0.2, 0.5, 0.3]).expect("valid"), [0.5, -fall, 0.0]).expect("valid")
    };
    let body = Geometry::from(&mesh);
    for (fall, touch, hit) in [
        (0.0, Touch::Hit, true),
        (0.0, Touch::IfClosing, false),
        (0.0, Touch::Ignore, false),
        (1.0, Touch::Hit, true),
        (1.0, Touch::IfClosing, true),
        (-1.0, Touch::IfClosing, false),
        (-1.0, Touch::Hit, true),
    ] {
        let found = first(&crate_, &at(fall), &body, &Motion::default(), touch);
        match found.toi.result {
            ToiResult::Impact { t, .. } => assert!(hit && t == 0.0, "{fall} {found:?}"),
            ToiResult::Separated => assert!(!hit, "{fall} {touch:?}"),
            other => panic!("{fall} {touch:?} {other:?}"),
        }
    }
    // It falls later.
    let jumping = at(-1.0).accelerating([0.0, -4.0, 0.0]).expect("valid");
    let found = first(&crate_, &jumping, &body, &Motion::default(), Touch::IfClosing);
    assert!(found.toi.impact().is_some_and(|t| t <= 0.5 && t > 0.4999), "{found:?}");
}

/// Goal: bodies that touch at the start and then overlap are an overlap with [`Touch::Ignore`], as for two convex shapes, whether the mesh
/// rotates or not. Method: a ball, a box and a capsule that spins, above the inside of a triangle, that touch it or nearly so, and sink;
/// the depth is within the tolerance. As control, they rise and fall back, which is an impact.
#[test]
fn ignored_touch_that_gets_deeper_is_an_overlap() {
    let corners = [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0_f32]];
    let alone = Shape::triangle(corners).expect("a triangle");
    let lengths = [[1.0_f32, 0.0], [0.5, 0.0], [1.0, 0.5]];
    let shapes = [
        Shape::sphere(1.0).expect("a ball"),
        Shape::cuboid([0.5; 3]).expect("a box"),
        Shape::capsule(1.0, 0.5).expect("a capsule"),
    ];
    let settings = Settings { touch: Touch::Ignore, ..Settings::default() };
    for (shape, [half, radius]) in shapes.iter().zip(lengths) {
        for gap in [0.0, 0.5e-5, 2e-5] {
            for one_sided in [false, true] {
                let mesh = Mesh::new(&corners[..], &[[0, 2, 1]][..]).expect("a triangle");
                let mesh = if one_sided { mesh.one_sided() } else { mesh };
                let text = format!("{shape:?} {gap} {one_sided}");
                let at = Pose::at([0.0, half + radius + gap, 0.0]).expect("valid");
                let spin = if radius > 0.0 { 0.5 } else { 0.0 };
                let sinking = Motion::new(at, [0.0, -0.5, 0.0])
                    .and_then(|motion| motion.spinning([0.0, spin, 0.0]))
                    .expect("valid");
                let turning = Motion::default().spinning([0.0, 1e-3, 0.0]).expect("a spin");
                for body in [Motion::default(), turning] {
                    let meant = convex_toi::one_to_one(shape, &sinking, &alone, &body, &settings);
                    let meant = meant.expect("valid").result;
                    assert!(matches!(meant, ToiResult::Overlapping { .. }), "{text} {meant:?}");
                    let found = first(shape, &sinking, &(&mesh).into(), &body, Touch::Ignore);
                    let ToiResult::Overlapping { depth, closing, .. } = found.toi.result else {
                        panic!("{text} {found:?}")
                    };
                    let tolerance = f64::from(Settings::TOLERANCE) * shape.size();
                    // It is rounded up.
                    assert!(f64::from(depth) <= 1.000_001 * tolerance, "{text} {depth}");
                    assert!((closing - 0.5).abs() < 1e-3, "{text} {closing}");
                }
                let hopping = Motion { delta: [0.0, 1.0, 0.0], ..sinking };
                let hopping = hopping.accelerating([0.0, -4.0, 0.0]).expect("valid");
                let found =
                    first(shape, &hopping, &(&mesh).into(), &Motion::default(), Touch::Ignore);
                let t = found.toi.impact().unwrap_or_else(|| panic!("{text} {found:?}"));
                assert!(t <= 0.50002 && t > 0.4999, "{text} {found:?}");
            }
        }
    }
}

/// Goal: a shape that rotates and parts from a triangle that it touches has no impact while the touch is followed. Method: a ball that
/// slides on a triangle and leaves it slowly, with several spins; as control, one that falls, and has an impact.
#[test]
fn turning_ball_that_slides_and_leaves_has_no_impact() {
    let corners = [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0]];
    let mesh = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("a mesh");
    let ball = Shape::custom(&BallMap(1.0)).expect("a ball");
    for spin in [0.1, 0.3, 1.0, 3.0, 10.0] {
        for touch in [Touch::IfClosing, Touch::Ignore] {
            for rise in [1e-5, -0.5] {
                let start = Pose::at([0.0, 1.0, 0.0]).expect("valid");
                let motion = Motion::new(start, [0.1, rise, 0.0]).expect("valid");
                let motion = motion.spinning([0.0, 0.0, spin]).expect("a spin");
                let still = Motion::default();
                let found = first(&ball, &motion, &(&mesh).into(), &still, touch).toi.result;
                let text = format!("{spin} {touch:?} {rise} {found:?}");
                assert_eq!(found == ToiResult::Separated, rise > 0.0, "{text}");
            }
        }
    }
}

/// Goal: a touch that closes slowly is an impact, as for two convex shapes, so that a body does not sink into a mesh a little in each tick. Method: balls
/// and boxes that touch a triangle and move towards it by less than the tolerance in the whole tick, with and without a motion along it; as
/// control, speeds that rounding explains.
#[test]
fn touch_that_closes_slowly_is_an_impact() {
    let mesh = floor(false);
    let corners = [[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [0.0, 0.0, 9.0_f32]];
    let alone = Shape::triangle(corners).expect("a triangle");
    let shapes = [Shape::sphere(0.5).expect("a ball"), Shape::cuboid([0.5; 3]).expect("a box")];
    for shape in &shapes {
        for (fall, along, closes) in [
            (1e-6, 0.0, true),
            (5e-6, 0.0, true),
            (2e-5, 0.0, true),
            (2e-5, 1.0, true),
            (1e-5, 0.0625, true),
            (1e-8, 1.0, false),
            (-1e-6, 0.0, false),
        ] {
            let start = Pose::at([0.2, 0.5, 0.3]).expect("valid");
            let motion = Motion::new(start, [along, -fall, 0.0]).expect("valid");
            let still = Motion::default();
            let found = first(shape, &motion, &(&mesh).into(), &still, Touch::IfClosing);
            let one = convex_toi::one_to_one(shape, &motion, &alone, &still, &Settings::default());
            let text = format!("{shape:?} {fall} {along} {found:?}");
            assert_eq!(one.expect("valid").impact(), closes.then_some(0.0), "{text}");
            match found.toi.result {
                ToiResult::Impact { t, closing, .. } => {
                    assert!(closes && t == 0.0, "{text}");
                    assert!((closing - fall).abs() < 0.01 * fall, "{text}");
                }
                other => assert!(!closes && other == ToiResult::Separated, "{text}"),
            }
        }
    }
}
