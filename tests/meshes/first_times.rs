//! First times of bodies with parts, judged by the specification on every pair of parts.

use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::convex::{OwnedShape, toi as convex_toi};
use swath::mesh::toi::{self, PartToi};
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::{Motion, Pose, Shape};
use testkit::convex_asked::motion;
use testkit::convex_shapes::PlainMotion;
use testkit::draw::{Draw, how_many};
use testkit::finite::assert_finite;
use testkit::mesh_cases::{MeshCase, PlainBody, judged, mesh_case, terrain};

/// Goal: a first time is never late, no contact is missed, and the distance at an impact is that of the target. Method:
/// random shapes and meshes; the specification tests every triangle up to the reported time.
#[test]
fn first_times_of_meshes_keep_all_promises() {
    let mut draw = Draw::new(7);
    let (mut impacts, mut unresolved) = (0, 0);
    let cases = how_many(5_000);
    for index in 0..cases {
        let case = mesh_case(&mut draw);
        let mesh = case.mesh();
        let found = case.asked(&(&mesh).into());
        assert_finite(&found);
        unresolved += usize::from(matches!(found.toi.result, ToiResult::Unresolved { .. }));
        let [a, b] = case.bodies();
        match judged(&a, &b, case.target.into(), &found) {
            Ok(impact) => impacts += usize::from(impact),
            Err(promise) => panic!("case {index}: {promise}: {found:?} for {case:?}"),
        }
    }
    assert!(impacts > cases / 4 && unresolved * 1000 < cases + 1000, "{impacts} {unresolved}");
}

/// A case whose mesh has the triangles of a height field.
fn field_case(draw: &mut Draw) -> (MeshCase, [u32; 2], Vec<f32>) {
    let mut case = mesh_case(draw);
    let side = draw.one_of(&[1, 3, 9]);
    let bump = draw.one_of(&[0.0, 0.3, 2.0]);
    (case.vertices, case.triangles) = terrain(draw, side, bump);
    // The first sample of a height field is at its origin.
    for vertex in &mut case.vertices {
        vertex[0] += side as f32 / 2.0;
        vertex[2] += side as f32 / 2.0;
    }
    let heights = case.vertices.iter().map(|vertex| vertex[1]).collect();
    (case, [side + 1; 2], heights)
}

/// Goal: the same for height fields, whose triangles have the documented numbers. Method: as above; the judge has the
/// triangles of a mesh.
#[test]
fn first_times_of_height_fields_keep_all_promises() {
    let mut draw = Draw::new(8);
    let (mut impacts, mut unresolved) = (0, 0);
    let cases = how_many(3_000);
    for index in 0..cases {
        let (case, samples, heights) = field_case(&mut draw);
        let field = HeightField::new(heights, samples, [1.0, 1.0]).expect("a grid");
        let found = case.asked(&(&field).into());
        assert_finite(&found);
        unresolved += usize::from(matches!(found.toi.result, ToiResult::Unresolved { .. }));
        let [a, b] = case.bodies();
        match judged(&a, &b, case.target.into(), &found) {
            Ok(impact) => impacts += usize::from(impact),
            Err(promise) => panic!("case {index}: {promise}: {found:?} for {case:?}"),
        }
    }
    assert!(impacts > cases / 6 && unresolved * 1000 < cases + 1000, "{impacts} {unresolved}");
}

/// Goal: a height field has the triangles of the mesh with the same vertices. Method: the corners of each.
#[test]
fn a_height_field_has_the_triangles_of_its_grid() {
    let mut draw = Draw::new(9);
    let (case, samples, mut heights) = field_case(&mut draw);
    let mesh = case.mesh();
    let field = HeightField::new(&heights[..], samples, [1.0, 1.0]).expect("a grid");
    assert!(!case.triangles.is_empty());
    for triangle in 0..case.triangles.len() as u32 {
        assert_eq!(field.corners(triangle), mesh.corners(triangle), "{triangle}");
    }
    assert_eq!(field.corners(case.triangles.len() as u32), None);
    heights[0] = f32::NAN;
    let field = HeightField::new(heights, samples, [1.0, 1.0]).expect("a grid with a hole");
    assert_eq!((field.corners(0), field.corners(1)), (None, None));
}

/// A compound of boxes and points with radii, and the same for the judge.
fn compound(draw: &mut Draw, motion: &PlainMotion, most: u32) -> (Compound, PlainBody) {
    let (mut parts, mut solids): (Vec<(OwnedShape, Pose)>, Vec<_>) = (Vec::new(), Vec::new());
    for _ in 0..=draw.between(0.0, most as f32) as u32 {
        let half = [0; 3].map(|_| draw.one_of(&[0.1, 0.5, 1.0]) * draw.between(0.5, 1.0));
        let radius = draw.one_of(&[0.0, 0.0, 0.2]);
        let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)).expect("a box");
        let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
        let at = [0; 3].map(|_| draw.between(-2.0, 2.0));
        let pose = Pose::normalized(at, quaternion).expect("a pose");
        let plain = PlainMotion { position: at, orientation: pose.rotation, ..PlainMotion::REST };
        let corners = spec::MovingSolid::resting(
            spec::Solid { core: spec::Core::cuboid(half.map(f64::from)), radius: 0.0 },
            plain.position.map(f64::from),
        );
        let corners =
            spec::MovingSolid { orientation: plain.orientation.map(f64::from), ..corners };
        let spec::Core::Hull(points) = &corners.solid.core else { unreachable!("it is a box") };
        let points = points.iter().map(|&point| corners.at(point, 0.0)).collect();
        solids.push(spec::Solid { core: spec::Core::Hull(points), radius: radius.into() });
        parts.push((shape.into(), pose));
    }
    (Compound::new(parts).expect("valid"), PlainBody::new(solids, motion))
}

/// Goal: the promises hold for compounds against shapes, meshes and compounds, at rest and rotating, in both orders.
/// Method: the specification tests every pair of parts; the exchanged result is the mirrored one.
#[test]
fn first_times_of_compounds_keep_all_promises() {
    let mut draw = Draw::new(10);
    let (mut impacts, mut unresolved) = ([0; 3], 0);
    let cases = how_many(3_000);
    for index in 0..cases {
        let mut case = mesh_case(&mut draw);
        case.target = draw.one_of(&[0.0, 0.1]);
        if case.motion.delta.iter().any(|x| x.abs() < 1e-2 || x.abs() > 100.0) {
            // Compounds are not scaled.
            continue;
        }
        let (of_a, plain_a) = compound(&mut draw, &case.motion, 3);
        let (of_b, plain_b) = compound(&mut draw, &case.mesh_motion, 5);
        let [shape, triangles] = case.bodies();
        let mesh = case.mesh();
        let kind = index % 3;
        let (a, b): (Geometry<'_>, Geometry<'_>) = match kind {
            0 => ((&of_a).into(), (&mesh).into()),
            1 => ((&of_a).into(), (&of_b).into()),
            _ => ((&mesh).into(), (&of_b).into()),
        };
        let (plain_a, plain_b) = match kind {
            0 => (plain_a, triangles),
            1 => (plain_a, plain_b),
            _ => {
                let motion = &case.motion;
                let solids = triangles.parts.iter().map(|part| part.solid.clone());
                (PlainBody::new(solids.collect::<Vec<_>>(), motion), plain_b)
            }
        };
        drop(shape);
        let [at_a, at_b] = [&case.motion, &case.mesh_motion].map(motion);
        let settings = case.settings();
        let found = toi::one_to_one(&a, &at_a, &b, &at_b, &settings).expect("valid");
        assert_finite(&found);
        unresolved += usize::from(matches!(found.toi.result, ToiResult::Unresolved { .. }));
        match judged(&plain_a, &plain_b, case.target.into(), &found) {
            Ok(impact) => impacts[kind] += usize::from(impact),
            Err(promise) => {
                panic!("case {index}: {promise}: {found:?} for {case:?} {of_a:?} {of_b:?}")
            }
        }
        let mirrored = toi::one_to_one(&b, &at_b, &a, &at_a, &settings).expect("valid");
        if are_ordered(&a, &b) {
            assert_eq!(mirrored.parts, [found.parts[1], found.parts[0]], "{index}");
        }
    }
    assert!(impacts.iter().all(|&impacts| impacts > cases / 20), "{impacts:?}");
    assert!(unresolved * 1000 < cases + 1000, "{unresolved} are unresolved");
}

/// Whether the two are of different kinds or have different numbers of parts, so that the order of the arguments decides nothing.
fn are_ordered(a: &Geometry<'_>, b: &Geometry<'_>) -> bool {
    let parts = |geometry: &Geometry<'_>| match geometry {
        Geometry::Compound(compound) => (1, compound.parts().len()),
        Geometry::Mesh(mesh) => (2, mesh.triangles().len()),
        _ => (0, 1),
    };
    parts(a) != parts(b)
}

/// Goal: of two convex shapes the result is that of the convex search. Method: equality of all bits, as text, which shows
/// signs of zeros.
#[test]
fn convex_shapes_have_their_own_first_time() {
    let mut draw = Draw::new(11);
    let mut impacts = 0;
    for _ in 0..500 {
        let case = mesh_case(&mut draw);
        let [of_shape, of_mesh] = case.motions();
        let block = Shape::cuboid([1.0; 3]).expect("a box");
        case.with_shape(|shape| {
            let settings = Settings { touch: Touch::Hit, ..Settings::default() };
            let alone = convex_toi::one_to_one(&shape, &of_shape, &block, &of_mesh, &settings);
            let (a, b) = (shape.into(), block.into());
            let found: PartToi =
                toi::one_to_one(&a, &of_shape, &b, &of_mesh, &settings).expect("valid");
            let alone = alone.expect("valid");
            assert_eq!(format!("{:?}", found.toi), format!("{alone:?}"), "{case:?}");
            impacts += usize::from(alone.impact().is_some());
        });
    }
    assert!(impacts > 50, "{impacts}");
}

/// Goal: each part that is touched is reported once, in the order of time, and the first is that of the single result.
/// Method: a ball that flies through layers of triangles; every triangle alone.
#[test]
fn each_part_is_reported_once() {
    let mut draw = Draw::new(12);
    let mut many = 0;
    for _ in 0..300 {
        let case = mesh_case(&mut draw);
        let mesh = case.mesh();
        let [of_shape, of_mesh] = case.motions();
        let mut all = Vec::new();
        let settings = case.settings();
        case.with_shape(|shape| {
            let (a, b) = (shape.into(), (&mesh).into());
            toi::each_part(&a, &of_shape, &b, &of_mesh, &settings, &mut all).expect("valid");
        });
        let mut parts: Vec<_> = all.iter().map(|found| found.parts[1]).collect();
        parts.sort_unstable();
        assert!(parts.windows(2).all(|two| two[0] < two[1]), "{parts:?}");
        many += usize::from(parts.len() > 1);
        for triangle in 0..case.triangles.len() as u32 {
            let Some(corners) = mesh.corners(triangle) else { continue };
            let one = Mesh::new(corners.to_vec(), vec![[0, 1, 2]]).expect("one");
            let alone = case.asked(&(&one).into());
            let listed = parts.binary_search(&triangle).is_ok();
            if let ToiResult::Impact { t, .. } = alone.toi.result {
                // Only near the end of the tick the greater tolerance of the whole mesh may decide.
                assert!(listed || t > 0.999, "{triangle}: {alone:?}");
            }
        }
        let first = case.asked(&(&mesh).into());
        assert_eq!(first.toi.result == ToiResult::Separated, all.is_empty());
        let time = |found: &PartToi| match found.toi.result {
            ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
            _ => 0.0,
        };
        assert!(all.is_sorted_by_key(|found| (time(found).to_bits(), found.parts)), "{all:?}");
        let differs = all.first().map_or(0.0, |one| (time(one) - time(&first)).abs());
        assert!(differs <= 1e-4, "{first:?} {all:?}");
    }
    assert!(many > 30, "{many}");
    let _ = Motion::default();
}
