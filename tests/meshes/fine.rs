//! Bodies on meshes of thousands of triangles, most of which are about equally near.

use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::toi::{self, ContactPlane, PartToi};
use swath::mesh::{Geometry, Mesh};
use swath::{Motion, Pose, Shape};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape, shape};
use testkit::draw::{Draw, how_many};
use testkit::finite::assert_finite;
use testkit::mesh_cases::{MeshCase, PlainBody, grid_triangles, judged, terrain};

/// Height of the terrain before the bumps.
const HEIGHT: f32 = 0.25;

/// A body above, on, or a little in a terrain of `side * side` cells, two units wide.
fn fine_case(draw: &mut Draw, side: u32) -> MeshCase {
    let bump = draw.one_of(&[0.0, 1e-5, 1e-3, 0.02]);
    let (mut vertices, triangles) = terrain(draw, side, bump);
    let cell = 2.0 / side as f32;
    let slope = draw.one_of(&[0.0, 0.0, 0.1]);
    for [x, y, z] in &mut vertices {
        (*x, *z) = (*x * cell, *z * cell);
        *y += HEIGHT + slope * *x;
    }
    let body = shape(draw, 0.5);
    let mut motion = PlainMotion { position: [0.0; 3], ..PlainMotion::REST };
    let tilt = draw.one_of(&[0.0, 0.0, 1e-4, 0.1]);
    let [x, z] = [0; 2].map(|_| tilt * draw.between(-1.0, 1.0));
    motion.orientation = Pose::normalized([0.0; 3], [x, 0.0, z, 1.0]).expect("a pose").rotation;
    let below = support_below(&body.scaled(1.0), motion.orientation);
    let above = draw.one_of(&[0.3, 0.3, 0.01, 0.0, -1e-5, -5e-5, -1e-4, -0.01]);
    motion.position = [draw.between(-0.2, 0.2), HEIGHT + below + above, draw.between(-0.2, 0.2)];
    let speed = draw.one_of(&[0.0, 0.1, 0.5, 1.0]);
    motion.delta = [0.1 * draw.between(-1.0, 1.0), -speed, 0.1 * draw.between(-1.0, 1.0)];
    if draw.one_in(2) {
        motion.accel = [0.0, -0.01, 0.0];
    }
    if draw.one_in(4) {
        let rate = draw.one_of(&[0.01, 0.2]);
        motion.spin = [0; 3].map(|_| draw.between(-rate, rate));
    }
    let target = draw.one_of(&[0.0, 1e-5, 0.01]);
    let mesh_motion = PlainMotion::REST;
    MeshCase { shape: body, motion, vertices, triangles, mesh_motion, target }
}

/// How far a shape extends below its origin.
fn support_below(shape: &PlainShape, orientation: [f32; 4]) -> f32 {
    let motion = PlainMotion { orientation, ..PlainMotion::REST };
    let solid = shape.moving(&motion);
    let spec::Core::Hull(points) = &solid.solid.core else { return 0.5 };
    let lowest = points.iter().map(|&point| solid.at(point, 0.0)[1]).fold(0.0, f64::min);
    (solid.solid.radius - lowest) as f32
}

fn all_parts(case: &MeshCase, mesh: &Mesh<'_>, settings: &Settings) -> Vec<PartToi> {
    let [of_shape, of_mesh] = case.motions();
    let mut all = Vec::new();
    case.with_shape(|shape| {
        toi::each_part(&shape.into(), &of_shape, &mesh.into(), &of_mesh, settings, &mut all)
            .expect("valid")
    });
    all
}

/// Goal: the promises hold where most searches of triangles are deferred or left out. Method: bodies of all kinds above, on and in fine
/// terrains, flat or rough, also one-sided; the specification tests every triangle.
#[test]
fn first_times_of_fine_meshes_keep_all_promises() {
    let mut draw = Draw::new(61);
    let (mut impacts, mut rounds) = (0, 0);
    let cases = how_many(150);
    for index in 0..cases {
        let case = fine_case(&mut draw, 24);
        let mesh = case.mesh();
        let found = case.asked(&(&mesh).into());
        assert_finite(&found);
        rounds += u64::from(found.toi.rounds);
        let [a, b] = case.bodies();
        match judged(&a, &b, case.target.into(), &found) {
            Ok(impact) => impacts += usize::from(impact),
            Err(promise) => panic!("case {index}: {promise}: {found:?} for {case:?}"),
        }
    }
    assert!(impacts > cases / 2, "{impacts}");
    assert!(rounds < 1_000 * cases as u64, "{rounds}");
}

/// The kind of a result, its time, and its depth.
fn kind_of(result: &ToiResult) -> (u8, f32, f32) {
    match *result {
        ToiResult::Overlapping { depth, .. } => (0, 0.0, depth),
        ToiResult::Impact { t, .. } => (1, t, 0.0),
        ToiResult::Unresolved { t_safe } => (2, t_safe, 0.0),
        _ => (3, 1.0, 0.0),
    }
}

/// Goal: the first contact is the first of all contacts, also where bodies touch or overlap at the start, for each meaning of a touch. Method: the contacts of
/// all triangles, none of which is left out; the kinds are the same, and times and depths to within the tolerance. Where the first of all is passed, the
/// specification tests each triangle until the one that counts.
#[test]
fn first_contact_with_a_fine_mesh_is_the_first_of_all() {
    let mut draw = Draw::new(62);
    let mut kinds = [0; 4];
    for index in 0..how_many(1_500) {
        let case = fine_case(&mut draw, 16);
        let mesh = case.mesh();
        let one_sided = case.mesh().one_sided();
        let mesh = if draw.one_in(3) { one_sided } else { mesh };
        let touch = draw.one_of(&[Touch::Hit, Touch::IfClosing, Touch::Ignore]);
        let settings = Settings { touch, ..case.settings() };
        let all = all_parts(&case, &mesh, &settings);
        let found = case.asked_with(&(&mesh).into(), &settings);
        let first = all
            .iter()
            .map(|found| kind_of(&found.toi.result))
            .min_by(|a, b| (a.1, a.0).partial_cmp(&(b.1, b.0)).expect("no NaN"));
        let deepest = all.iter().map(|found| kind_of(&found.toi.result).2).fold(0.0, f32::max);
        let (kind, t, _) = first.unwrap_or((3, 1.0, 0.0));
        let (found_kind, found_t, depth) = kind_of(&found.toi.result);
        // The smaller size is at most that of the mesh.
        let tolerance = 2.0 * Settings::TOLERANCE * 1.5;
        let speed = case.motion.delta[1].abs().max(0.01);
        let is_same = kind == found_kind
            && (t - found_t).abs() * speed <= 2.0 * tolerance
            && depth <= deepest + tolerance
            // The depth of cores that intersect is that along one of several directions, not always the least.
            && (deepest - depth <= tolerance || deepest > case.target && depth > 0.5 * deepest);
        // A contact at an edge may be passed, if the body gets no deeper than a touch: then a body that is so much higher has none until the first one.
        let is_passed = || {
            let mut higher = case.clone();
            higher.motion.position[1] += tolerance;
            let mut until = found;
            until.toi.result = ToiResult::Unresolved { t_safe: found_t };
            let [a, b] = higher.bodies();
            touch != Touch::Hit
                && (kind, found_kind > 0, found_t > t) == (1, true, true)
                && judged(&a, &b, case.target.into(), &until).is_ok()
        };
        // A touch that lasts may be an impact of one triangle a little before it is one of another.
        assert!(
            is_same || is_passed(),
            "case {index}: {touch:?} {first:?} {deepest} {found:?} for {case:?}"
        );
        kinds[usize::from(kind)] += 1;
    }
    assert!(kinds[0] > 20 && kinds[1] > 200 && kinds[3] > 20, "{kinds:?}");
}

/// Goal: what is left out beyond a plane gets no deeper than the plane allows, and what remains is the same. Method: a body near fine terrains, and a plane
/// of a touch with it; the specification tests every triangle that is left out with a smaller target, and each of the others is among
/// all contacts.
#[test]
fn parts_beyond_a_plane_are_those_that_get_deeper() {
    let mut draw = Draw::new(63);
    let (mut left_out, mut found_more) = (0, 0);
    for index in 0..how_many(120) {
        let mut case = fine_case(&mut draw, 12);
        case.target = 0.05;
        // It slides a little above the ground, and hardly falls.
        case.motion.position[1] += draw.one_of(&[0.03, 0.05]);
        (case.motion.delta[1], case.motion.accel[1]) = (0.01 * case.motion.delta[1], 0.0);
        let mesh = case.mesh();
        let settings = Settings { touch: Touch::Hit, ..case.settings() };
        let all = all_parts(&case, &mesh, &settings);
        let depth = draw.one_of(&[0.0, 0.01, 0.03]);
        let tilt = draw.one_of(&[0.0, 0.02]);
        let [of_shape, of_mesh] = case.motions();
        let normal = [tilt, -1.0, 0.0];
        let mut beyond = Vec::new();
        let swapped = draw.one_in(2);
        case.with_shape(|shape| {
            let bodies: [(Geometry<'_>, _); 2] =
                [(shape.into(), &of_shape), ((&mesh).into(), &of_mesh)];
            let [a, b] = bodies;
            let (a, b, normal) = if swapped { (b, a, normal.map(|x| -x)) } else { (a, b, normal) };
            let plane = ContactPlane { normal, depth };
            toi::each_part_beyond(&a.0, a.1, &b.0, b.1, &settings, &plane, &mut beyond)
                .expect("valid")
        });
        let triangle_of = |found: &PartToi| found.parts[usize::from(!swapped)];
        let is_beyond = |triangle: u32| beyond.iter().any(|found| triangle_of(found) == triangle);
        for found in &beyond {
            let same = all.iter().find(|other| other.parts[1] == triangle_of(found));
            let same = same.unwrap_or_else(|| panic!("case {index}: {found:?} for {case:?}"));
            assert_eq!(kind_of(&same.toi.result), kind_of(&found.toi.result), "case {index}");
        }
        found_more += beyond.len();
        let [a, b] = case.bodies();
        for found in all.iter().filter(|found| !is_beyond(found.parts[1])) {
            left_out += 1;
            let triangle = b.parts[found.parts[1] as usize].solid.clone();
            let triangle = PlainBody::new([triangle], &case.mesh_motion);
            let least = f64::from(case.target - depth) - 2e-4;
            let none = judged(&a, &triangle, least, &PartToi::default());
            assert_eq!(none, Ok(false), "case {index}: {found:?} for {case:?}");
        }
    }
    assert!(left_out > 300 && found_more > 300, "{left_out} {found_more}");
}

/// Goal: a body on a fine mesh takes few rounds, whether it falls flat or tilted, rests or slides, on flat and on rough ground. Method: a box and a ball on
/// thousands of triangles; the rounds are counted.
#[test]
fn body_on_a_fine_mesh_takes_few_rounds() {
    // Displacement, acceleration, height and tilt.
    let motions = [
        ([0.0, -0.3, 0.0], 0.0, 0.1, [0.0; 2]),
        ([0.01, -0.2, 0.0], -0.01, 0.1, [0.0; 2]),
        ([0.0, -0.3, 0.0], 0.0, 0.1, [0.02, -0.03]),
        ([0.0, -0.3, 0.0], 0.0, 0.1, [1e-4, 3e-5]),
        ([0.0; 3], -0.003, 0.0, [0.0; 2]),
        ([0.05, 0.0, 0.02], -0.003, 0.0, [0.0_f32; 2]),
    ];
    for bump in [0.0, 5e-6, 5e-4] {
        let (mut vertices, triangles) = terrain(&mut Draw::new(64), 70, bump);
        vertices.iter_mut().for_each(|[x, y, z]| {
            (*x, *y, *z) = (*x * 0.017, *y - bump, *z * 0.017);
        });
        let mesh = Mesh::new(&vertices[..], &triangles[..]).expect("a floor");
        for (delta, accel, above, [x, z]) in motions {
            for shape in [Shape::cuboid([0.5; 3]), Shape::sphere(0.5)] {
                let shape = shape.expect("a shape");
                let lower = if x == 0.0 { 0.0 } else { 0.06 };
                let pose = Pose::normalized([0.003, 0.5 + above + lower, 0.004], [x, 0.0, z, 1.0]);
                let motion = Motion::new(pose.expect("a pose"), delta).expect("a motion");
                let motion = Motion { accel: [0.0, accel, 0.0], ..motion };
                let (still, settings) = (Motion::default(), Settings::default());
                let found =
                    toi::one_to_one(&shape.into(), &motion, &(&mesh).into(), &still, &settings);
                let found = found.expect("valid");
                assert!(found.tests > 1_000, "{bump} {motion:?} {found:?}");
                assert!(found.toi.rounds < 200, "{bump} {motion:?} {found:?}");
            }
        }
    }
}

/// Goal: the promises hold where the window is divided because a body rotates by much near thousands of triangles. Method: rods and bodies of all
/// kinds that rotate by up to two turns above fine terrains; the specification tests every triangle.
#[test]
fn first_times_of_rotating_bodies_keep_all_promises() {
    let mut draw = Draw::new(65);
    let (mut impacts, mut misses, mut many) = (0, 0, 0);
    let cases = how_many(80);
    for index in 0..cases {
        let mut case = fine_case(&mut draw, 24);
        if draw.one_in(2) {
            let half = draw.between(0.3, 0.9);
            let core = PlainCore::Segment([[0.0, -half, 0.0], [0.0, half, 0.0]]);
            case.shape = PlainShape { core, radius: 0.02 };
        }
        let turn = [0; 4].map(|_| draw.between(-1.0, 1.0));
        case.motion.orientation =
            Pose::normalized([0.0; 3], turn).map_or([0.0, 0.0, 0.0, 1.0], |pose| pose.rotation);
        let rate = draw.one_of(&[0.3, 1.0, 6.0, 12.0]);
        case.motion.spin = [0; 3].map(|_| draw.between(-rate, rate));
        case.motion.position[1] = HEIGHT + draw.between(0.2, 1.2);
        case.motion.delta[1] *= draw.one_of(&[0.0, 0.3, 1.0]);
        let mesh = case.mesh();
        let found = case.asked(&(&mesh).into());
        assert_finite(&found);
        let [a, b] = case.bodies();
        many += usize::from(found.tests > 200);
        match judged(&a, &b, case.target.into(), &found) {
            Ok(true) => impacts += 1,
            Ok(false) => misses += 1,
            Err(promise) => panic!("case {index}: {promise}: {found:?} for {case:?}"),
        }
    }
    let least = cases / 10;
    assert!(impacts > least && misses > least && many > least, "{impacts} {misses} {many}");
}

/// Goal: a body that rotates above a fine mesh takes few rounds, whether it meets the mesh or not. Method: a rod and a bar above waves of 20,000 triangles, by a
/// part of a turn and by more than one; the rounds are counted. Without divided windows they were 4,000 to 100,000.
#[test]
fn body_that_rotates_above_a_fine_mesh_takes_few_rounds() {
    let side = 100_u32;
    let vertex = |k: u32| {
        let [x, z] = [k % (side + 1), k / (side + 1)].map(|k| 0.1 * k as f32 - 5.0);
        [x, 0.3 * (2.0 * x + 0.5 * z).sin(), z]
    };
    let vertices: Vec<_> = (0..(side + 1) * (side + 1)).map(vertex).collect();
    let mesh = Mesh::new(vertices, grid_triangles(side)).expect("waves");
    let [rod, bar] = [Shape::capsule(4.0, 0.05), Shape::cuboid([0.1, 3.0, 0.2])]
        .map(|shape| shape.expect("a shape"));
    let half = 0.5_f32.sqrt();
    // Shape, position, displacement and rotation; and whether there is an impact.
    let cases = [
        (rod, [0.0, 0.45, 0.0], [0.0; 3], [0.0, 1.0, 0.0], false),
        (rod, [0.0, 0.45, 0.0], [0.0; 3], [0.0, 7.0, 0.0], false),
        (rod, [0.0, 0.6, 0.0], [0.0, -0.1, 0.0], [0.3, 1.0, 0.0], true),
        (rod, [-3.0, 1.0, 0.0], [6.0, -0.5, 0.0], [1.0, 2.0, 0.5], true),
        (bar, [0.0, 0.6, 0.0], [0.0; 3], [0.0, 1.0, 0.0], false),
        (bar, [-3.0, 1.0, 0.0], [6.0, -0.5, 0.0], [1.0, 2.0, 0.5], true),
    ];
    for (shape, position, delta, spin, hits) in cases {
        let pose = Pose::new(position, [0.0, 0.0, half, half]).expect("a pose");
        let motion = Motion::new(pose, delta).and_then(|of| of.spinning(spin)).expect("a motion");
        let (still, settings) = (Motion::default(), Settings::default());
        let found = toi::one_to_one(&shape.into(), &motion, &(&mesh).into(), &still, &settings);
        let found = found.expect("valid");
        assert_eq!(found.toi.impact().is_some(), hits, "{motion:?} {found:?}");
        let most = if spin[1] > 6.0 { 30_000 } else { 1_500 };
        assert!(found.tests > 1_000 && found.toi.rounds < most, "{motion:?} {found:?}");
    }
}

/// Goal: the overlap that is reported for a body deep in a mesh is the deepest of those with single triangles, although the depths of most of these are
/// not computed exactly. Method: bodies of all kinds, tilted at random, a third of their size deep in terrains; the depths of all triangles.
#[test]
fn deepest_overlap_is_found_where_many_triangles_overlap() {
    let mut draw = Draw::new(64);
    let mut overlaps = 0;
    let cases = how_many(300);
    for index in 0..cases {
        let mut case = fine_case(&mut draw, 20);
        case.motion.position[1] -= draw.between(0.05, 0.3);
        let turn = [0; 4].map(|_| draw.between(-1.0, 1.0));
        case.motion.orientation =
            Pose::normalized([0.0; 3], turn).map_or([0.0, 0.0, 0.0, 1.0], |pose| pose.rotation);
        let mesh = case.mesh();
        let settings =
            Settings { touch: draw.one_of(&[Touch::Hit, Touch::IfClosing]), ..case.settings() };
        let found = case.asked_with(&(&mesh).into(), &settings);
        assert_finite(&found);
        let (kind, _, depth) = kind_of(&found.toi.result);
        let all = all_parts(&case, &mesh, &settings);
        let deepest = all.iter().map(|found| kind_of(&found.toi.result).2).fold(0.0, f32::max);
        assert_eq!(depth > 0.0, deepest > 0.0, "case {index}: {found:?}");
        // Each of the two depths may be a thousandth too great, and overlaps that a slide proves to be less deep are left out.
        let tolerance = 2.0 * Settings::TOLERANCE * 1.5 + deepest / 512.0;
        assert!((depth - deepest).abs() <= tolerance, "case {index}: {depth}, {deepest}");
        overlaps += usize::from(kind == 0);
    }
    assert!(overlaps > cases / 2, "{overlaps} of {cases}");
}
