//! The nearest of many geometries, by their distances.

use core::array::from_fn;
use std::collections::BTreeMap;
use swath::batch::proximity;
use swath::mesh::{Compound, Geometry, GeometryHit, HeightField, Mesh, PartDistance};
use swath::{Aabb, Broadphase, Bvh, COORD_MAX, Filter, FixedBoxes, Invalid, Level, Motion, Pose};
use swath::{Proxy, ProxyId, ProxyKind, Shape};
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

type Placed<'g> = (Geometry<'g>, Pose);

fn around((geometry, pose): &Placed<'_>) -> Aabb {
    geometry.bounds_over(&Motion::from(*pose), 0.0).expect("valid").aabb
}

fn tree(boxes: &[Aabb], level: Level) -> Bvh {
    let mut tree = Bvh::with_exec(level);
    tree.build(boxes).expect("a few boxes");
    tree
}

/// The geometries in range of another one, by the documented order: the loop over all of them.
fn in_order(
    scene: &[Placed<'_>],
    of: &Placed<'_>,
    max_distance: f32,
) -> Vec<GeometryHit<PartDistance>> {
    let mut found = Vec::new();
    for (row, placed) in (0..).zip(scene) {
        let Ok(Some(near)) = of.0.distance(&of.1, &placed.0, &placed.1, max_distance) else {
            continue;
        };
        let of_boxes = proximity::one_to_one(&around(of), &around(placed)).expect("valid");
        if of_boxes <= max_distance {
            let rank = near.distance.distance.max(of_boxes);
            found.push((rank, GeometryHit { row, found: near }));
        }
    }
    found.sort_by(|a, b| (a.0, a.1.row).partial_cmp(&(b.0, b.1.row)).expect("numbers"));
    found.into_iter().map(|(_, hit)| hit).collect()
}

fn any_pose(draw: &mut Draw, within: f32) -> Pose {
    let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
    let at = [0; 3].map(|_| draw.between(-within, within));
    Pose::normalized(at, quaternion).expect("it has a direction")
}

/// Goal: the nearest geometry, and all in range, are those of a loop over all geometries, with the same bits on every level, in a tree,
/// in fixed boxes, and as proxies with ids and margins. Method: scenes of all kinds of bodies in any pose, of which some overlap, and some limits.
#[test]
fn nearest_geometries_are_those_of_a_loop() {
    let mut draw = Draw::new(12);
    let (vertices, triangles) = terrain(&mut draw, 4, 0.5);
    let mesh = Mesh::new(vertices, triangles).expect("a terrain");
    let heights: Vec<f32> = (0..25).map(|_| draw.between(-0.5, 0.5)).collect();
    let field = HeightField::new(heights, [5, 5], [0.5, 0.5]).expect("a field");
    let part =
        |at| (Shape::cuboid([0.3, 0.5, 0.3]).expect("a box").into(), Pose::at(at).expect("valid"));
    let compound = Compound::new([part([0.6, 0.0, 0.0]), part([-0.6, 0.2, 0.0])]).expect("valid");
    let scene: Vec<Placed<'_>> = (0..120)
        .map(|k| {
            let geometry = match k % 5 {
                0 => (&mesh).into(),
                1 => (&field).into(),
                2 => (&compound).into(),
                3 => Shape::capsule(1.5, 0.2).expect("a capsule").into(),
                _ => Shape::sphere(0.7).expect("a ball").into(),
            };
            (geometry, any_pose(&mut draw, 8.0))
        })
        .collect();
    let boxes: Vec<Aabb> = scene.iter().map(around).collect();
    let trees: Vec<Bvh> = Level::all().map(|level| tree(&boxes, level)).collect();
    let (mut fixed, rows): (_, Vec<u32>) = (FixedBoxes::new(), (0..120).collect());
    fixed.put(&rows[..60], &boxes[..60]).expect("valid");
    fixed.put(&rows[60..], &boxes[60..]).expect("valid");
    let mut world = Broadphase::new();
    let ids: BTreeMap<ProxyId, u32> = (0..)
        .zip(&boxes)
        .map(|(k, &aabb)| {
            let proxy = match k % 3 {
                0 => Proxy::fixed(),
                1 => Proxy::sleeping().with_margin(0.5),
                _ => Proxy::dynamic().with_margin(0.25),
            };
            (world.insert(aabb, proxy).expect("valid"), k)
        })
        .collect();
    let of_proxies = world.queries();
    let (mut overlaps, mut differ, mut none) = (0, 0, 0);
    for k in 0..150 {
        let of: Placed<'_> = match k % 4 {
            0 => (Shape::point().into(), any_pose(&mut draw, 10.0)),
            1 => ((&mesh).into(), any_pose(&mut draw, 14.0)),
            _ => (Shape::cuboid([0.2, 0.9, 0.4]).expect("a box").into(), any_pose(&mut draw, 10.0)),
        };
        let max_distance = draw.one_of(&[f32::INFINITY, 2.0, 0.5, 0.0]);
        let wanted = in_order(&scene, &of, max_distance);
        let nearest = wanted.first().copied();
        let place = |row: u32| scene[row as usize];
        let mut all = Vec::new();
        for queries in trees.iter().map(Bvh::queries).chain([fixed.queries()]) {
            let query = || queries.proximity_geometries(&of.0, &of.1, max_distance).expect("valid");
            assert_eq!(query().nearest_geometry(place), nearest, "{of:?}");
            query().all_geometries(place, &mut all);
            assert_eq!(all, wanted, "{of:?}");
            let even = query().accepting(|row| row % 2 == 0).nearest_geometry(place);
            assert_eq!(even, wanted.iter().find(|hit| hit.row % 2 == 0).copied());
            let hidden = queries.filtered(Filter::NONE);
            let hidden = hidden.proximity_geometries(&of.0, &of.1, max_distance).expect("valid");
            assert_eq!(hidden.nearest_geometry(place), None);
        }
        let by_id = |id: ProxyId| place(ids[&id]);
        let query = of_proxies.proximity_geometries(&of.0, &of.1, max_distance).expect("valid");
        let found = query.nearest_geometry(by_id);
        assert_eq!(found.map(|hit| GeometryHit { row: ids[&hit.row], found: hit.found }), nearest);
        let awake = of_proxies.without(ProxyKind::Sleeping);
        let query = awake.proximity_geometries(&of.0, &of.1, max_distance).expect("valid");
        let mut hits = Vec::new();
        query.all_geometries(by_id, &mut hits);
        let rows: Vec<u32> = hits.iter().map(|hit| ids[&hit.row]).collect();
        let awake: Vec<u32> = wanted.iter().map(|hit| hit.row).filter(|row| row % 3 != 1).collect();
        assert_eq!(rows, awake);
        let of_boxes = trees[0].queries().proximity(&around(&of), max_distance).expect("valid");
        differ += usize::from(of_boxes.nearest().map(|hit| hit.row) != nearest.map(|hit| hit.row));
        overlaps += usize::from(nearest.is_some_and(|hit| hit.found.distance.distance < 0.0));
        none += usize::from(nearest.is_none());
    }
    assert!(overlaps > 10 && differ > 20 && none > 5, "{overlaps} {differ} {none}");
}

/// Goal: distances are the true ones, on all scales, and few geometries are tested. Method: balls, whose distances are computed from
/// their centres in `f64`, with coordinates from 2⁻¹⁰⁰ to 2¹⁰⁰.
#[test]
fn nearest_ball_is_the_one_of_the_centres() {
    let mut draw = Draw::new(7);
    for exponent in [-100, -30, 0, 30, 100] {
        let unit = 2.0_f32.powi(exponent);
        let ball = Geometry::from(Shape::sphere(0.125 * unit).expect("a ball"));
        let at = |draw: &mut Draw| -> [f32; 3] { from_fn(|_| draw.between(-20.0, 20.0) * unit) };
        let scene: Vec<Placed<'_>> =
            (0..2_000).map(|_| (ball, Pose::at(at(&mut draw)).expect("valid"))).collect();
        let boxes: Vec<Aabb> = scene.iter().map(around).collect();
        let tree = tree(&boxes, Level::detect());
        let mut tests = 0;
        for _ in 0..100 {
            let from = at(&mut draw);
            let square = |k: usize, to: [f32; 3]| (f64::from(from[k]) - f64::from(to[k])).powi(2);
            let distance = |(_, pose): &Placed<'_>| {
                let to = pose.position;
                (square(0, to) + square(1, to) + square(2, to)).sqrt() - 0.125 * f64::from(unit)
            };
            let least = scene.iter().map(distance).fold(f64::INFINITY, f64::min);
            let (point, pose) = (Shape::point().into(), Pose::at(from).expect("valid"));
            let query = tree.queries().proximity_geometries(&point, &pose, f32::INFINITY);
            let near = query.expect("valid").nearest_geometry(|row| {
                tests += 1;
                scene[row as usize]
            });
            let near = near.expect("there is one");
            let slack = 1e-5 * f64::from(unit);
            assert!((f64::from(near.found.distance.distance) - least).abs() <= slack);
            assert!(distance(&scene[near.row as usize]) <= least + slack, "{exponent}");
        }
        assert!(tests < 100 * 40, "{exponent}: {tests} tests");
    }
}

/// Goal: equal distances are decided by row, an invalid pose and a body without parts are not found, and hostile numbers are errors or have
/// answers. Method: balls around a point, and values around the limits.
#[test]
fn ties_and_hostile_numbers_have_the_documented_answers() {
    let ball = Geometry::from(Shape::sphere(1.0).expect("a ball"));
    let sides = [[4.0, 0.0, 0.0], [0.0, -4.0, 0.0], [0.0, 0.0, 4.0], [-4.0, 0.0, 0.0]];
    let scene = sides.map(|at| (ball, Pose::at(at).expect("valid")));
    let tree_of_balls = tree(&scene.each_ref().map(around), Level::detect());
    let queries = tree_of_balls.queries();
    let point = Geometry::from(Shape::point());
    let from = |most| queries.proximity_geometries(&point, &Pose::IDENTITY, most);
    let row = |hit: Option<GeometryHit<PartDistance>>| hit.map(|hit| hit.row);
    let place = |row: u32| scene[row as usize];
    assert_eq!(row(from(3.0).expect("valid").nearest_geometry(place)), Some(0));
    let later = from(9.0).expect("valid").accepting(|row| row > 1).nearest_geometry(place);
    assert_eq!(row(later), Some(2));
    assert_eq!(from(2.9).expect("valid").nearest_geometry(place), None);
    // Those that overlap are equally near, whatever their depth.
    let inside = queries.proximity_geometries(&ball, &scene[3].1, 100.0).expect("valid");
    assert_eq!(row(inside.nearest_geometry(place)), Some(3));
    let large = Geometry::from(Shape::sphere(3.5).expect("a ball"));
    let touched = queries.proximity_geometries(&large, &Pose::IDENTITY, 0.0).expect("valid");
    assert_eq!(row(touched.nearest_geometry(place)), Some(0));
    // A geometry with an invalid pose, or without parts, is nowhere.
    let empty = Mesh::new(vec![], vec![]).expect("no triangles");
    let nowhere = Pose { position: [f32::NAN; 3], ..Pose::IDENTITY };
    let hit = from(9.0).expect("valid").nearest_geometry(|row| match row {
        0 => (ball, nowhere),
        1 => ((&empty).into(), Pose::IDENTITY),
        _ => place(row),
    });
    assert_eq!(row(hit), Some(2));
    let of_nothing = Geometry::from(&empty);
    let of_nothing = queries.proximity_geometries(&of_nothing, &Pose::IDENTITY, 9.0);
    assert_eq!(of_nothing.expect("a point").nearest_geometry(place), None);
    for most in [-1.0, f32::NAN, f32::NEG_INFINITY] {
        assert_eq!(from(most).err(), Some(Invalid::MaxDistance));
    }
    assert_eq!(row(from(f32::MAX).expect("valid").nearest_geometry(place)), Some(0));
    assert!(queries.proximity_geometries(&point, &nowhere, 1.0).is_err());
    let far = Pose { position: [COORD_MAX, -COORD_MAX, 0.0], ..Pose::IDENTITY };
    assert!(queries.proximity_geometries(&ball, &far, 1.0).is_err(), "its box is too far away");
    let query = queries.proximity_geometries(&point, &far, f32::INFINITY).expect("it is a point");
    let hit = query.nearest_geometry(place).expect("the limit is infinite");
    assert!((hit.found.distance.distance / (COORD_MAX * 2.0_f32.sqrt()) - 1.0).abs() < 1e-6);
    assert_eq!(Bvh::new().queries().proximity_geometries(&point, &far, 1.0).map(|_| ()), Ok(()));
}
