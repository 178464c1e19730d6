//! First times of meshes, height fields and compounds are sound, and batches agree with them; those of a shape and a mesh satisfy the guarantees.

use super::bytes::Bytes;
use crate::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use crate::exact_ray::first_touch;
use crate::finite::assert_finite;
use crate::mesh_cases::{PlainBody, grid_triangles, judged};
use spec::{Core, Solid};
use std::collections::BTreeMap;
use swath::batch::{Row, proximity};
use swath::convex::ConvexCast;
use swath::convex::gjk;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::toi::{self, ContactPlane, GeometryInput, PartToi};
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::{AabbColumns, Bvh, Motion, MovingBox, Pair, Pose, Segment, Shape, Threads};

/// One byte is the number of triangles.
const TRIANGLES_MAX: u8 = 7;

/// Number of cells along each side of a grid.
const GRID: u32 = 4;

/// Rounds of a search for numbers that are not tame. A body that spins and is 10³⁰ times as large as the other one needs all of them for each part.
const WILD_ROUNDS: u32 = 128;

/// Tests a shape against a mesh, a height field and a compound, and these against each other.
pub fn run(data: &[u8]) {
    is_judged(data);
}

/// Does what [`run`] does. Returns whether the first time of the shape and the mesh was compared with the specification.
pub fn is_judged(data: &[u8]) -> bool {
    let mut bytes = Bytes::new(data);
    let how = bytes.byte();
    // The judge takes little time for such numbers.
    let tame = how & 0x80 == 0;
    let touch = [Touch::Hit, Touch::IfClosing, Touch::Ignore][usize::from(how % 3)];
    let mut settings = Settings { touch, ..Settings::default() };
    settings.rounds_max = if tame { settings.rounds_max } else { WILD_ROUNDS };
    settings.target_distance = if how & 0x40 == 0 { 0.0 } else { f32::from(bytes.byte()) / 64.0 };
    if how & 0x20 != 0 {
        let window = [bytes.number(), bytes.number()];
        // Only the whole tick is judged, so there are few other windows.
        settings.window = if how & 0x18 == 0x18 { window } else { [0.0, 1.0] };
    }
    let (half, radius) = (vector(&mut bytes, tame).map(f32::abs), f32::from(bytes.byte()) / 128.0);
    let motions = [motion(&mut bytes, tame), motion(&mut bytes, tame)];
    let sides = bytes.byte();
    let one_sided = sides & 1 != 0;
    let mut vertices: Vec<_> =
        (0..3 + bytes.byte() % 10).map(|_| vector(&mut bytes, tame)).collect();
    // A mesh of which a triangle is rejected is not judged, so there are few with an index that is out of range.
    let indices = vertices.len() as u32 + u32::from(sides & 0x1c == 0x1c);
    let mut triangles: Vec<_> = (0..bytes.byte() % TRIANGLES_MAX)
        .map(|_| [(); 3].map(|()| u32::from(bytes.byte()) % indices))
        .collect();
    let is_grid = tame && sides & 2 != 0;
    if is_grid {
        (vertices, triangles) = grid(vertices[0], vertices[1], vertices[2]);
    }
    let heights: Vec<_> = (0..9).map(|_| vector(&mut bytes, tame)[0]).collect();

    let mut mesh = Mesh::new(&vertices[..], &triangles[..]).expect("a few triangles");
    assert!(mesh.faults().len() >= mesh.rejected().len());
    let field = HeightField::new(&heights[..], [3, 3], [half[0].max(0.01), 1.0]);
    if one_sided {
        mesh = mesh.one_sided();
    }
    let Ok(shape) = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)) else {
        return false;
    };
    let parts = [(shape.into(), motions[1].pose), (shape.into(), Pose::IDENTITY)];
    let compound = Compound::new(parts);
    let mut bodies: Vec<Geometry<'_>> = vec![shape.into(), (&mesh).into()];
    bodies.extend(field.as_ref().ok().map(Geometry::from));
    bodies.extend(compound.as_ref().ok().map(Geometry::from));

    let (mut geometries, mut of_bodies, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    let mut single = Vec::new();
    for (a, b) in (0..bodies.len()).flat_map(|a| (0..bodies.len()).map(move |b| (a, b))) {
        // Two grids take a search for each two of their triangles.
        if a == b && (a == 0 || is_grid && a == 1) {
            continue;
        }
        let (a, b) = (&bodies[a], &bodies[b]);
        let row = geometries.len() as u32;
        pairs.push(Pair { a: row, b: row + 1 });
        geometries.extend([*a, *b]);
        of_bodies.extend(motions);
        let found = toi::one_to_one(a, &motions[0], b, &motions[1], &settings);
        let found = found.unwrap_or_default();
        is_sound(&found, &settings);
        overlaps_at_rest((a, &motions[0].pose), (b, &motions[1].pose), tame);
        is_nearest((a, &motions[0].pose), (b, &motions[1].pose), tame);
        let mut all = Vec::new();
        if toi::each_part(a, &motions[0], b, &motions[1], &settings, &mut all).is_ok() {
            all.iter().for_each(|found| is_sound(found, &settings));
            let plane =
                ContactPlane { normal: [heights[0], heights[1], heights[2]], depth: heights[3] };
            let (a, b) = ((a, &motions[0]), (b, &motions[1]));
            parts_beyond_are_among_all((a, b), &settings, &plane, &all);
        }
        single.push(found);
    }
    for body in &bodies {
        if let Ok(bounds) = body.bounds_over(&motions[1], 0.0) {
            assert_finite(&bounds);
        }
        let segment = Segment { start: half, delta: motions[0].delta, max_fraction: f32::INFINITY };
        for segment in [segment, Segment { max_fraction: 1.0, ..segment }] {
            if let Ok(cast) = body.cast(&motions[1].pose, &segment) {
                assert_finite(&cast);
            }
        }
    }
    casts_are_exact(&mesh, (half, motions[0].delta), tame);
    // Two grids take a search for each two of their triangles.
    let movers: Vec<_> = (0..bodies.len()).filter(|&k| !is_grid || k != 1).collect();
    queries_agree(&bodies, &movers, &motions, &settings);
    let valid = settings.validate().is_ok() && motions.iter().all(|of| of.validate().is_ok());
    if valid {
        let input = GeometryInput { geometries: &geometries, motions: &of_bodies, pairs: &pairs };
        let mut out = vec![PartToi::default(); pairs.len()];
        let batch = toi::pairs(&input, &settings, &Threads::one(), &mut Vec::new(), &mut out);
        batch.expect("it is valid");
        assert_eq!(format!("{out:?}"), format!("{single:?}"));
    }
    let whole = settings.window == [0.0, 1.0] && settings.touch == Touch::Hit;
    if !(tame && valid && whole && !one_sided && mesh.rejected().is_empty()) {
        return false;
    }
    let solids = mesh.triangles().iter().map(|triangle| {
        let corners = triangle.map(|vertex| vertices[vertex as usize].map(f64::from));
        Solid { core: Core::Hull(corners.into()), radius: 0.0 }
    });
    let solids: Vec<_> = solids.collect();
    if solids.is_empty() {
        return false;
    }
    let plain = PlainShape { core: PlainCore::Cuboid(half), radius };
    let a = PlainBody::new([plain.solid()], &plain_motion(&motions[0]));
    let b = PlainBody::new(solids, &plain_motion(&motions[1]));
    let target = settings.target_distance.into();
    if let Err(promise) = judged(&a, &b, target, &single[0]) {
        panic!("{promise}: {:?} of {shape:?} {motions:?} {vertices:?} {triangles:?}", single[0]);
    }
    true
}

/// A grid of cells about a point: the first corner and two sides of a cell. So several triangles are about equally near.
fn grid(first: [f32; 3], along: [f32; 3], across: [f32; 3]) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let row = GRID + 1;
    let vertices = (0..row * row).map(|k| {
        let [i, j] = [k % row, k / row].map(|k| k as f32 - 0.5 * GRID as f32);
        [0, 1, 2].map(|k| first[k] + i * along[k] + j * across[k])
    });
    (vertices.collect(), grid_triangles(GRID))
}

/// Two bodies overlap if their first time at rest is an overlap, and have a contact there if they do.
fn overlaps_at_rest(
    (a, of_a): (&Geometry<'_>, &Pose),
    (b, of_b): (&Geometry<'_>, &Pose),
    tame: bool,
) {
    let found = a.overlaps(of_a, b, of_b);
    assert_eq!(found.err(), of_a.validate().err().or(of_b.validate().err()));
    let Ok(found) = found else { return };
    let settings = Settings { window: [0.0; 2], touch: Touch::Hit, ..Settings::default() };
    let still = [of_a, of_b].map(|pose| Motion::from(*pose));
    match toi::one_to_one(a, &still[0], b, &still[1], &settings) {
        Ok(at_rest) if tame => match at_rest.toi.result {
            ToiResult::Overlapping { .. } => assert!(found, "{at_rest:?} {a:?} {b:?} {still:?}"),
            ToiResult::Separated => assert!(!found, "{at_rest:?} {a:?} {b:?} {still:?}"),
            _ => {}
        },
        at_rest => assert!(at_rest.is_ok()),
    }
}

/// The distance is finite, and that of a convex shape and a mesh is the least one of its triangles.
fn is_nearest((a, of_a): (&Geometry<'_>, &Pose), (b, of_b): (&Geometry<'_>, &Pose), tame: bool) {
    let Ok(found) = a.distance(of_a, b, of_b, f32::INFINITY) else { return };
    if let Some(found) = &found {
        assert_finite(found);
    }
    let (true, Geometry::Convex(shape), Geometry::Mesh(mesh)) = (tame, a, b) else { return };
    let triangles = (0..mesh.triangles().len() as u32).filter_map(|part| mesh.corners(part));
    let distances = triangles.map(|corners| {
        let triangle = Shape::triangle(corners).expect("a part is valid");
        gjk::distance(shape, of_a, &triangle, of_b).expect("the poses are valid").distance
    });
    let least = distances.fold(f32::INFINITY, f32::min);
    let found = found.map_or(f32::INFINITY, |found| found.distance.distance);
    let apart = (0..3).map(|axis| (of_a.position[axis] - of_b.position[axis]).abs());
    let slack = 1e-5 * (apart.sum::<f32>() + (a.size() + b.size()) as f32);
    // Of several overlaps, any one is found.
    let is_near =
        found == least || (found - least).abs() <= slack || least <= found && found <= slack;
    assert!(is_near, "{found} {least} {a:?} {of_a:?} {b:?} {of_b:?}");
}

/// What is found beyond a plane is found without it, with the same result.
fn parts_beyond_are_among_all(
    (a, b): ((&Geometry<'_>, &Motion), (&Geometry<'_>, &Motion)),
    settings: &Settings,
    plane: &ContactPlane,
    all: &[PartToi],
) {
    let mut beyond = Vec::new();
    let found = toi::each_part_beyond(a.0, a.1, b.0, b.1, settings, plane, &mut beyond);
    assert!(found.is_ok());
    let by_parts: BTreeMap<_, _> = all.iter().map(|found| (found.parts, found)).collect();
    for found in &beyond {
        let same = by_parts.get(&found.parts);
        let same = same.unwrap_or_else(|| panic!("{found:?} is not among all contacts"));
        assert_eq!(format!("{:?}", same.toi.result), format!("{:?}", found.toi.result));
    }
}

/// A cast against a mesh at rest is not late, and misses nothing, by exact integers: tame numbers are sixteenths.
fn casts_are_exact(mesh: &Mesh<'_>, (start, delta): ([f32; 3], [f32; 3]), tame: bool) {
    let segment = Segment { start, delta, max_fraction: f32::INFINITY };
    let Ok(cast) = Geometry::from(mesh).cast(&Pose::IDENTITY, &segment) else { return };
    if !tame {
        return;
    }
    let whole = |v: [f32; 3]| v.map(|x| (x * 16.0) as i128);
    for corners in (0..mesh.triangles().len() as u32).filter_map(|part| mesh.corners(part)) {
        let entry = first_touch(whole(start), whole(delta), corners.map(whole));
        let Some(entry) = entry.filter(|entry| entry.pace <= 0 || !mesh.is_one_sided()) else {
            continue;
        };
        let exact = entry.t.value();
        let fraction = match cast.cast {
            ConvexCast::Unresolved { fraction } => Some(fraction),
            _ => cast.cast.fraction(),
        };
        let in_time = fraction.is_some_and(|fraction| f64::from(fraction) <= exact * (1.0 + 1e-15));
        assert!(in_time, "{cast:?} after {exact} of {segment:?} {corners:?}");
    }
}

/// Queries, in which some of the bodies move, find what a loop over all geometries finds.
fn queries_agree(
    bodies: &[Geometry<'_>],
    movers: &[usize],
    motions: &[Motion; 2],
    settings: &Settings,
) {
    let around: Result<Vec<_>, _> =
        bodies.iter().map(|body| body.bounds_over(&motions[1].pose.into(), 0.0)).collect();
    let Ok(around) = around else { return };
    let columns: [Vec<f32>; 6] =
        core::array::from_fn(|c| around.iter().map(|moving| moving.aabb.to_row()[c]).collect());
    let mut tree = Bvh::new();
    let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice));
    tree.build(columns.expect("equally long")).expect("a few boxes");
    let place = |row: u32| (bodies[row as usize], motions[1].pose);
    let Motion { pose, delta, .. } = motions[0];
    let segment = Segment { start: pose.position, delta, max_fraction: 1.0 };
    if let Ok(query) = tree.queries().cast_geometries(&segment) {
        let mut hits = Vec::new();
        query.all_geometries(place, &mut hits);
        let first =
            tree.queries().cast_geometries(&segment).expect("as before").closest_geometry(place);
        assert_eq!(format!("{:?}", hits.first()), format!("{:?}", first.as_ref()));
        for (row, body) in (0..).zip(bodies) {
            let alone = body.cast(&motions[1].pose, &segment).expect("valid");
            let found = hits.iter().find(|hit| hit.row == row).map(|hit| hit.found);
            assert!(found.is_none_or(|found| format!("{found:?}") == format!("{alone:?}")));
            // Only what is within the tolerance may be left out, because the box is not met.
            assert!(
                found.is_some()
                    || alone.cast == ConvexCast::Missed
                    || !hits_box(&tree, &segment, row)
            );
        }
    }
    for mover in movers.iter().map(|&mover| &bodies[mover]) {
        let Ok(query) = tree.queries().sweep_geometries(mover, &motions[0], settings) else {
            continue;
        };
        let mut hits = Vec::new();
        query.all_geometries(place, &mut hits);
        let query = tree.queries().sweep_geometries(mover, &motions[0], settings);
        let first = query.expect("as before").closest_geometry(place);
        assert_eq!(format!("{:?}", hits.first()), format!("{:?}", first.as_ref()));
        hits.iter().for_each(|hit| is_sound(&hit.found, settings));
    }
    let poses = [motions[0].pose, motions[1].pose];
    overlaps_agree(&tree, bodies, movers, &poses, &around);
    let max_distance = settings.target_distance;
    for max_distance in [max_distance, f32::INFINITY] {
        nearest_agree((&tree, max_distance), bodies, movers, &poses, &around);
    }
}

/// Queries find the bodies within a distance of another one, the nearest first, where the distance of their boxes allows it.
fn nearest_agree(
    (tree, max_distance): (&Bvh, f32),
    bodies: &[Geometry<'_>],
    movers: &[usize],
    [pose, of_bodies]: &[Pose; 2],
    around: &[MovingBox],
) {
    for mover in movers.iter().map(|&mover| &bodies[mover]) {
        let query = || tree.queries().proximity_geometries(mover, pose, max_distance);
        let Ok(all) = query() else { continue };
        let place = |row: u32| (bodies[row as usize], *of_bodies);
        let mut hits = Vec::new();
        all.all_geometries(place, &mut hits);
        let nearest = query().expect("as before").nearest_geometry(place);
        assert_eq!(format!("{:?}", hits.first()), format!("{:?}", nearest.as_ref()));
        let of_mover = mover.bounds_over(&(*pose).into(), 0.0).expect("as before").aabb;
        let mut wanted = Vec::new();
        for ((row, body), of_body) in (0..).zip(bodies).zip(around) {
            let of_boxes = proximity::one_to_one(&of_mover, &of_body.aabb).expect("valid");
            let found = mover.distance(pose, body, of_bodies, max_distance).expect("valid");
            if let Some(found) = found.filter(|_| of_boxes <= max_distance) {
                assert_finite(&found);
                wanted.push((found.distance.distance.max(of_boxes), row, format!("{found:?}")));
            }
        }
        wanted.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).expect("numbers"));
        let wanted: Vec<_> = wanted.into_iter().map(|(_, row, found)| (row, found)).collect();
        let hits: Vec<_> = hits.iter().map(|hit| (hit.row, format!("{:?}", hit.found))).collect();
        assert_eq!(hits, wanted, "{mover:?} {pose:?} {of_bodies:?} {max_distance}");
    }
}

/// Queries find the bodies that overlap another one, if their boxes do.
fn overlaps_agree(
    tree: &Bvh,
    bodies: &[Geometry<'_>],
    movers: &[usize],
    [pose, of_bodies]: &[Pose; 2],
    around: &[MovingBox],
) {
    for mover in movers.iter().map(|&mover| &bodies[mover]) {
        let Ok(query) = tree.queries().overlap_geometries(mover, pose) else { continue };
        let mut rows = Vec::new();
        query.all_geometries(|row| (bodies[row as usize], *of_bodies), &mut rows);
        let of_mover = mover.bounds_over(&(*pose).into(), 0.0).expect("as before").aabb;
        for ((row, body), of_body) in (0..).zip(bodies).zip(around) {
            let overlaps = mover.overlaps(pose, body, of_bodies).expect("valid");
            assert_eq!(rows.contains(&row), overlaps && of_mover.overlaps(&of_body.aabb));
        }
    }
}

/// Whether a segment enters the box of a row.
fn hits_box(tree: &Bvh, segment: &Segment, row: u32) -> bool {
    let query = tree.queries().cast(segment).expect("it was valid");
    query.accepting(|other| other == row).any().is_some()
}

fn vector(bytes: &mut Bytes<'_>, tame: bool) -> [f32; 3] {
    [(); 3].map(|()| if tame { bytes.signed() / 16.0 } else { bytes.number() })
}

fn motion(bytes: &mut Bytes<'_>, tame: bool) -> Motion {
    let how = bytes.byte();
    let mut motion = Motion::default();
    motion.pose.position = vector(bytes, tame);
    motion.delta = vector(bytes, tame);
    if how & 1 != 0 {
        motion.accel = vector(bytes, tame);
    }
    if how & 2 != 0 {
        motion.spin = vector(bytes, tame);
    }
    if how & 4 != 0 {
        let quaternion = [(); 4].map(|()| bytes.signed());
        motion.pose = Pose::normalized(motion.pose.position, quaternion).unwrap_or(motion.pose);
    }
    motion
}

fn plain_motion(motion: &Motion) -> PlainMotion {
    let Motion { pose: Pose { position, rotation }, delta, accel, spin } = *motion;
    PlainMotion { position, delta, accel, orientation: rotation, spin }
}

/// All numbers are finite and in their range.
fn is_sound(found: &PartToi, settings: &Settings) {
    assert_finite(found);
    let [from, to] = settings.window;
    let unit = |normal: [f32; 3]| {
        let square: f32 = normal.iter().map(|x| x * x).sum();
        assert!((square - 1.0).abs() < 1e-4, "{found:?}");
    };
    match found.toi.result {
        ToiResult::Impact { t, normal, .. } => {
            unit(normal);
            assert!((from..=to).contains(&t), "{found:?} {settings:?}");
        }
        ToiResult::Overlapping { normal, .. } => unit(normal),
        ToiResult::Unresolved { t_safe } => {
            assert!((from..=to).contains(&t_safe), "{found:?} {settings:?}");
        }
        _ => {}
    }
}
