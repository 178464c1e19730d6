//! Casts against many geometries by their boxes.

use core::array::from_fn;
use core::ops::ControlFlow;
use std::collections::BTreeMap;
use swath::batch::{Row, SegmentColumns, SegmentStore};
use swath::convex::ConvexCast;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Compound, Geometry, GeometryHit, HeightField, Mesh, PartCast, toi};
use swath::{
    Aabb, AabbColumns, Broadphase, Bvh, Level, Motion, Pair, Pose, Proxy, ProxyId, ProxyKind,
    Segment, Shape, Threads,
};
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Bodies of all kinds, for scenes.
struct Kinds {
    mesh: Mesh<'static>,
    front: Mesh<'static>,
    field: HeightField<'static>,
    compound: Compound,
}

fn kinds() -> Kinds {
    let mut draw = Draw::new(12);
    let (vertices, triangles) = terrain(&mut draw, 4, 0.5);
    let part =
        |at| (Shape::cuboid([0.3, 0.5, 0.3]).expect("a box").into(), Pose::at(at).expect("valid"));
    let heights: Vec<f32> = (0..25).map(|_| draw.between(-0.5, 0.5)).collect();
    Kinds {
        mesh: Mesh::new(vertices.clone(), triangles.clone()).expect("a terrain"),
        front: Mesh::new(vertices, triangles).expect("a terrain").one_sided(),
        field: HeightField::new(heights, [5, 5], [0.5, 0.5]).expect("a field"),
        compound: Compound::new([part([0.6, 0.0, 0.0]), part([-0.6, 0.2, 0.0])]).expect("valid"),
    }
}

impl Kinds {
    fn scene(&self, draw: &mut Draw, count: usize) -> Vec<(Geometry<'_>, Pose)> {
        let body = |k| {
            let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
            let at = [0; 3].map(|_| draw.between(-8.0, 8.0));
            let pose = Pose::normalized(at, quaternion).expect("valid");
            let geometry = match k % 5 {
                0 => (&self.mesh).into(),
                1 => (&self.front).into(),
                2 => (&self.field).into(),
                3 => (&self.compound).into(),
                _ => Shape::sphere(0.7).expect("a ball").into(),
            };
            (geometry, pose)
        };
        (0..count).map(body).collect()
    }
}

fn boxes(scene: &[(Geometry<'_>, Pose)]) -> Vec<Aabb> {
    let around = |(geometry, pose): &(Geometry<'_>, Pose)| {
        geometry.bounds_over(&Motion::from(*pose), 0.0).expect("valid").aabb
    };
    scene.iter().map(around).collect()
}

fn tree(boxes: &[Aabb], level: Level) -> Bvh {
    let columns: [Vec<f32>; 6] = from_fn(|c| boxes.iter().map(|aabb| aabb.to_row()[c]).collect());
    let mut tree = Bvh::with_exec(level);
    let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("equal");
    tree.build(columns).expect("a few boxes");
    tree
}

/// Returns a broadphase with a proxy for each box, and the row of each.
fn proxies(boxes: &[Aabb], proxy: impl Fn(u32) -> Proxy) -> (Broadphase, BTreeMap<ProxyId, u32>) {
    let (mut world, mut rows) = (Broadphase::new(), BTreeMap::new());
    for (k, &aabb) in (0..).zip(boxes) {
        rows.insert(world.insert(aabb, proxy(k)).expect("valid"), k);
    }
    (world, rows)
}

fn segment(draw: &mut Draw) -> Segment {
    let start = [0; 3].map(|_| draw.between(-10.0, 10.0));
    let delta = [0, 1, 2].map(|k| draw.between(-8.0, 8.0) - start[k]);
    Segment { start, delta, max_fraction: draw.one_of(&[1.0, 0.5, f32::INFINITY]) }
}

/// The position on the path by which geometries are ordered.
fn position(cast: &PartCast) -> Option<f32> {
    match cast.cast {
        ConvexCast::Unresolved { fraction } => Some(fraction),
        _ => cast.cast.fraction(),
    }
}

/// Goal: segments find what a loop over all geometries finds, with the same bits on every level: the first, all in order, and
/// any. Method: scenes of all kinds of bodies in any pose, also as proxies with ids and margins; batches.
#[test]
fn a_cast_finds_what_a_loop_over_all_geometries_finds() {
    let kinds = kinds();
    let mut draw = Draw::new(40);
    let scene = kinds.scene(&mut draw, 120);
    let boxes = boxes(&scene);
    let (mut world, rows) = proxies(&boxes, |k| match k % 3 {
        0 => Proxy::fixed(),
        1 => Proxy::sleeping().with_margin(0.5),
        _ => Proxy::dynamic(),
    });
    let segments: Vec<_> = (0..600).map(|_| segment(&mut draw)).collect();
    let place = |row: u32| scene[row as usize];
    let trees: Vec<_> = Level::all().map(|level| tree(&boxes, level)).collect();
    let (mut first, mut several) = (Vec::new(), 0);
    let queries = world.queries();
    for segment in &segments {
        let mut wanted: Vec<_> = (0..)
            .zip(&scene)
            .filter_map(|(row, (geometry, pose))| {
                let found = geometry.cast(pose, segment).expect("valid");
                Some((position(&found)?, GeometryHit { row, found }))
            })
            .collect();
        wanted.sort_by(|a, b| (a.0, a.1.row).partial_cmp(&(b.0, b.1.row)).expect("numbers"));
        let wanted: Vec<_> = wanted.into_iter().map(|(_, hit)| hit).collect();
        for tree in &trees {
            let ask = || tree.queries().cast_geometries(segment).expect("valid");
            assert_eq!(ask().closest_geometry(place), wanted.first().copied(), "{segment:?}");
            let mut all = Vec::new();
            ask().all_geometries(place, &mut all);
            assert_eq!(all, wanted, "{segment:?}");
            let any = ask().any_geometry(place);
            assert_eq!(any.is_some(), !wanted.is_empty());
            assert!(any.is_none_or(|any| wanted.contains(&any)));
            let even = ask().accepting(|row| row % 2 == 0).closest_geometry(place);
            assert_eq!(even, wanted.iter().find(|hit| hit.row % 2 == 0).copied());
        }
        let by_id = |id: ProxyId| place(rows[&id]);
        let hit = queries.cast_geometries(segment).expect("valid").closest_geometry(by_id);
        assert_eq!(
            hit.map(|hit| (rows[&hit.row], hit.found)),
            wanted.first().map(|hit| (hit.row, hit.found))
        );
        let awake = queries.without(ProxyKind::Sleeping);
        let mut hits = Vec::new();
        awake.cast_geometries(segment).expect("valid").all_geometries(by_id, &mut hits);
        let wanted_awake: Vec<_> =
            wanted.iter().filter(|hit| hit.row % 3 != 1).map(|hit| hit.row).collect();
        assert_eq!(hits.iter().map(|hit| rows[&hit.row]).collect::<Vec<_>>(), wanted_awake);
        several += usize::from(wanted.len() > 1);
        first.push(wanted.first().copied());
    }
    assert!(several > 100 && first.iter().flatten().count() > 200, "{several}");

    let columns: [Vec<f32>; 7] = from_fn(|c| segments.iter().map(|row| row.to_row()[c]).collect());
    let columns =
        SegmentColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("equal");
    let mut rejected = Vec::new();
    let checked = columns.check(Level::detect(), &mut rejected);
    for threads in [Threads::one(), Threads::current()] {
        let mut tree = tree(&boxes, Level::detect());
        tree.exec.threads = threads;
        let mut out = vec![None; segments.len()];
        tree.queries().casts_of_geometries(&checked).closest(place, &mut out).expect("as long");
        assert_eq!(out, first);
        tree.queries().casts_of_geometries(&checked).any(place, &mut out).expect("as long");
        for (segment, any) in segments.iter().zip(&out) {
            assert_eq!(
                *any,
                tree.queries().cast_geometries(segment).expect("valid").any_geometry(place)
            );
        }
    }
    let mut out = vec![None; segments.len()];
    let by_id = |id: ProxyId| place(rows[&id]);
    queries.casts_of_geometries(&checked).closest(by_id, &mut out).expect("as long");
    let out: Vec<_> = out.iter().map(|hit| hit.map(|hit| (rows[&hit.row], hit.found))).collect();
    assert_eq!(
        out,
        first.iter().map(|hit| hit.map(|hit| (hit.row, hit.found))).collect::<Vec<_>>()
    );
    let mut out = vec![None; segments.len()];
    queries.casts_of_geometries(&checked).any(by_id, &mut out).expect("as long");
    for (segment, any) in segments.iter().zip(&out) {
        let single = queries.cast_geometries(segment).expect("valid").any_geometry(by_id);
        assert_eq!(*any, single);
    }
    assert!(out.iter().flatten().count() > 200);
    assert!(queries.casts_of_geometries(&checked).closest(by_id, &mut [None; 2]).is_err());
}

/// Goal: moving shapes and bodies with parts find the first of all geometries, as single first times do. Method: movers of
/// several kinds that accelerate and rotate, with and without a target distance.
#[test]
fn a_moving_geometry_finds_what_a_loop_over_all_geometries_finds() {
    let kinds = kinds();
    let mut draw = Draw::new(41);
    let scene = kinds.scene(&mut draw, 60);
    let boxes = boxes(&scene);
    let tree = tree(&boxes, Level::detect());
    let place = |row: u32| scene[row as usize];
    let mut found_any = 0;
    for k in 0..300 {
        let mover: Geometry<'_> = match k % 3 {
            0 => Shape::cuboid([0.2, 0.4, 0.3]).expect("a box").into(),
            1 => Shape::sphere(0.25).expect("a ball").into(),
            _ => (&kinds.compound).into(),
        };
        let Segment { start, delta, .. } = segment(&mut draw);
        let mut motion = Motion::new(Pose::at(start).expect("valid"), delta).expect("valid");
        if k % 2 == 0 {
            motion.accel = [0; 3].map(|_| draw.between(-4.0, 4.0));
            motion.spin = [0; 3].map(|_| draw.between(-2.0, 2.0));
        }
        let target_distance = draw.one_of(&[0.0, 0.1]);
        let touch = draw.one_of(&[Touch::Hit, Touch::IfClosing]);
        let settings = Settings { target_distance, touch, ..Settings::default() };
        let mut wanted: Vec<_> = (0..)
            .zip(&scene)
            .filter_map(|(row, (geometry, pose))| {
                let at_rest = Motion::from(*pose);
                let found =
                    toi::one_to_one(&mover, &motion, geometry, &at_rest, &settings).expect("valid");
                let t = match found.toi.result {
                    ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => t,
                    ToiResult::Overlapping { .. } => 0.0,
                    _ => return None,
                };
                Some((t, GeometryHit { row, found }))
            })
            .collect();
        wanted.sort_by(|a, b| (a.0, a.1.row).partial_cmp(&(b.0, b.1.row)).expect("numbers"));
        let ask = || tree.queries().sweep_geometries(&mover, &motion, &settings).expect("valid");
        let mut all = Vec::new();
        ask().all_geometries(place, &mut all);
        // A pair that comes within the tolerance, but whose boxes never touch, may be left out.
        assert!(all.iter().all(|hit| wanted.iter().any(|(_, other)| other == hit)));
        assert!(wanted.len() - all.len() <= 1, "{wanted:?} {all:?}");
        assert_eq!(ask().closest_geometry(place), all.first().copied());
        assert_eq!(ask().any_geometry(place).is_some(), !all.is_empty());
        found_any += usize::from(!all.is_empty());
    }
    assert!(found_any > 100, "{found_any}");
}

/// Goal: batches of moving geometries have the bits of single ones, on one thread and on all, in a tree and among proxies; an invalid
/// motion touches nothing. Method: comparison, with one motion of NaN.
#[test]
fn batches_of_moving_geometries_have_the_bits_of_single_ones() {
    let kinds = kinds();
    let mut draw = Draw::new(42);
    let scene = kinds.scene(&mut draw, 60);
    let boxes = boxes(&scene);
    let place = |row: u32| scene[row as usize];
    let (mut world, rows) = proxies(&boxes, |_| Proxy::fixed());
    let by_id = |id: ProxyId| place(rows[&id]);
    let balls = [0.1, 0.4].map(|radius| Geometry::from(Shape::sphere(radius).expect("a ball")));
    let (mut movers, mut motions) = (Vec::new(), Vec::new());
    for k in 0..200 {
        let Segment { start, delta, .. } = segment(&mut draw);
        movers.push(balls[k % 2]);
        motions.push(Motion::new(Pose::at(start).expect("valid"), delta).expect("valid"));
    }
    motions[7].delta[1] = f32::NAN;
    let settings = Settings::default();
    for threads in [Threads::one(), Threads::current()] {
        let mut tree = tree(&boxes, Level::detect());
        tree.exec.threads = threads;
        let queries = tree.queries();
        let sweeps = queries.sweeps_of_geometries(&movers, &motions, &settings).expect("valid");
        let mut hits = [vec![None; 200], vec![None; 200]];
        sweeps.closest(place, &mut hits[0]).expect("as long");
        sweeps.any(place, &mut hits[1]).expect("as long");
        for row in 0..200 {
            let ask = || queries.sweep_geometries(&movers[row], &motions[row], &settings);
            if row == 7 {
                assert!(ask().is_err() && hits[0][row].is_none() && hits[1][row].is_none());
                continue;
            }
            assert_eq!(hits[0][row], ask().expect("valid").closest_geometry(place));
            assert_eq!(hits[1][row], ask().expect("valid").any_geometry(place));
        }
        let met = hits[0].iter().flatten().count();
        assert!(met > 50 && met < 190, "{met}");
        assert!(sweeps.closest(place, &mut [None; 3]).is_err());

        let queries = world.queries();
        let sweeps = queries.sweeps_of_geometries(&movers, &motions, &settings).expect("valid");
        let mut by_ids = vec![None; 200];
        sweeps.closest(by_id, &mut by_ids).expect("as long");
        let same = by_ids.iter().map(|hit| hit.map(|hit| (rows[&hit.row], hit.found)));
        assert!(same.eq(hits[0].iter().map(|hit| hit.map(|hit| (hit.row, hit.found)))));
        by_ids.fill(None);
        sweeps.any(by_id, &mut by_ids).expect("as long");
        assert_eq!(by_ids.iter().flatten().count(), met);
    }
    let queries = world.queries();
    assert!(queries.sweeps_of_geometries(&movers, &motions[..3], &settings).is_err());
    let bad = Settings { window: [1.0, 0.0], ..settings };
    assert!(queries.sweeps_of_geometries(&movers, &motions, &bad).is_err());
}

/// Goal: the geometries that overlap another one are those that a loop over all of them finds, on every level, in a tree and among proxies, one by one and in batches on several threads; an invalid pose
/// overlaps nothing. Method: shapes and bodies with parts in any pose among bodies of all kinds.
#[test]
fn overlaps_are_those_of_a_loop_over_all_geometries() {
    let kinds = kinds();
    let mut draw = Draw::new(43);
    let scene = kinds.scene(&mut draw, 150);
    let boxes = boxes(&scene);
    let (mut world, rows) = proxies(&boxes, |k| {
        if k % 2 == 0 { Proxy::sleeping().with_margin(0.5) } else { Proxy::dynamic() }
    });
    let others = kinds.scene(&mut draw, 200);
    let (geometries, mut poses): (Vec<_>, Vec<_>) = others.into_iter().unzip();
    poses[9].position[1] = f32::NAN;
    let place = |row: u32| scene[row as usize];
    let by_id = |id: ProxyId| place(rows[&id]);
    let wanted: Vec<Vec<u32>> = geometries
        .iter()
        .zip(&poses)
        .map(|(geometry, pose)| {
            let overlaps = |&row: &u32| {
                let (other, other_pose) = place(row);
                geometry.overlaps(pose, &other, &other_pose).unwrap_or(false)
            };
            (0..150).filter(overlaps).collect()
        })
        .collect();
    let number: usize = wanted.iter().map(Vec::len).sum();
    assert!(number > 150 && wanted.iter().filter(|rows| rows.is_empty()).count() > 20, "{number}");

    let queries = world.queries();
    for ((geometry, pose), wanted) in geometries.iter().zip(&poses).zip(&wanted) {
        for tree in Level::all().map(|level| tree(&boxes, level)) {
            let ask = || tree.queries().overlap_geometries(geometry, pose);
            if pose.position[1].is_nan() {
                assert!(ask().is_err() && queries.overlap_geometries(geometry, pose).is_err());
                continue;
            }
            let ask = || ask().expect("valid");
            let mut found = vec![7];
            ask().all_geometries(place, &mut found);
            assert_eq!(found, *wanted);
            let any = ask().any_geometry(place);
            assert!(any.map_or(wanted.is_empty(), |any| wanted.contains(&any)));
            let even = ask().accepting(|row| row % 2 == 0).any_geometry(place);
            assert_eq!(even.is_some(), wanted.iter().any(|row| row % 2 == 0));
            let mut first = None;
            ask().visit_geometries(place, |row| {
                assert!(first.replace(row).is_none(), "it was told to stop");
                ControlFlow::Break(())
            });
            assert_eq!(first, any);
        }
        let Ok(of_proxies) = queries.overlap_geometries(geometry, pose) else { continue };
        let mut ids = Vec::new();
        of_proxies.all_geometries(by_id, &mut ids);
        assert!(ids.iter().map(|id| rows[id]).eq(wanted.iter().copied()));
        let awake = queries.without(ProxyKind::Sleeping);
        let any = awake.overlap_geometries(geometry, pose).expect("valid").any_geometry(by_id);
        assert_eq!(any.is_some(), wanted.iter().any(|row| row % 2 == 1));
        assert!(any.is_none_or(|id| wanted.contains(&rows[&id])));
    }

    for threads in [Threads::one(), Threads::current()] {
        let mut tree = tree(&boxes, Level::detect());
        tree.exec.threads = threads;
        let queries = tree.queries();
        let many = queries.overlaps_of_geometries(&geometries, &poses).expect("as many");
        let (mut any, mut starts, mut found) = (vec![None; 200], vec![0; 201], vec![7]);
        many.any(place, &mut any).expect("as long");
        many.all(place, &mut starts, &mut found).expect("one more");
        assert_eq!(starts[200], found.len());
        for (k, wanted) in wanted.iter().enumerate() {
            assert_eq!(found[starts[k]..starts[k + 1]], wanted[..]);
            let single = queries.overlap_geometries(&geometries[k], &poses[k]).ok();
            assert_eq!(any[k], single.and_then(|query| query.any_geometry(place)));
        }
        assert!(many.all(place, &mut [0; 200], &mut found).is_err() && found.len() == number);
        assert!(many.any(place, &mut [None; 199]).is_err());
    }
    let many = queries.overlaps_of_geometries(&geometries, &poses).expect("as many");
    let (mut any, mut starts, mut ids) = (vec![None; 200], vec![0; 201], Vec::new());
    many.all(by_id, &mut starts, &mut ids).expect("one more");
    many.any(by_id, &mut any).expect("as long");
    assert!(ids.iter().map(|id| rows[id]).eq(wanted.iter().flatten().copied()));
    assert!(any.iter().zip(&wanted).all(|(any, wanted)| any.is_some() != wanted.is_empty()));
    assert!(queries.overlaps_of_geometries(&geometries, &poses[..7]).is_err());
    let none: (&[Geometry<'_>], &[Pose]) = (&[], &[]);
    let many = queries.overlaps_of_geometries(none.0, none.1).expect("as many");
    many.all(by_id, &mut starts[200..], &mut ids).expect("one more");
    assert!(starts[200] == 0 && ids.is_empty());
}

/// Goal: a batch finds all hits of each row that a single query finds, in the same order, on one thread and on all; invalid rows have none. Method: segments and moving balls, of which some are invalid.
#[test]
fn batches_find_all_hits_of_single_queries() {
    let kinds = kinds();
    let mut draw = Draw::new(44);
    let scene = kinds.scene(&mut draw, 120);
    let boxes = boxes(&scene);
    let place = |row: u32| scene[row as usize];
    let (mut world, rows) = proxies(&boxes, |_| Proxy::fixed());
    let by_id = |id: ProxyId| place(rows[&id]);
    let mut segments: Vec<_> = (0..300).map(|_| segment(&mut draw)).collect();
    segments[70].start[2] = f32::NAN;
    let ball = Geometry::from(Shape::sphere(0.3).expect("a ball"));
    let balls = vec![ball; 300];
    let motion = |of: &Segment| Motion {
        delta: of.delta,
        ..Motion::from(Pose { position: of.start, ..Pose::IDENTITY })
    };
    let motions: Vec<_> = segments.iter().map(motion).collect();
    let columns: [Vec<f32>; 7] = from_fn(|c| segments.iter().map(|row| row.to_row()[c]).collect());
    let columns =
        SegmentColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("equal");
    let mut rejected = Vec::new();
    let checked = columns.check(Level::detect(), &mut rejected);
    let settings = Settings::default();
    for threads in [Threads::one(), Threads::current()] {
        let mut tree = tree(&boxes, Level::detect());
        tree.exec.threads = threads;
        let queries = tree.queries();
        let (mut starts, mut casts, mut sweeps) =
            ([vec![0; 301], vec![0; 301]], Vec::new(), Vec::new());
        let many = queries.casts_of_geometries(&checked);
        many.all(place, &mut starts[0], &mut casts).expect("one more");
        let moving = queries.sweeps_of_geometries(&balls, &motions, &settings).expect("valid");
        moving.all(place, &mut starts[1], &mut sweeps).expect("one more");
        assert!(casts.len() > 300 && sweeps.len() > 300, "{} {}", casts.len(), sweeps.len());
        for k in 0..300 {
            let (mut cast, mut sweep) = (Vec::new(), Vec::new());
            if let Ok(query) = queries.cast_geometries(&segments[k]) {
                query.all_geometries(place, &mut cast);
            }
            if let Ok(query) = queries.sweep_geometries(&ball, &motions[k], &settings) {
                query.all_geometries(place, &mut sweep);
            }
            assert_eq!(casts[starts[0][k]..starts[0][k + 1]], cast);
            assert_eq!(sweeps[starts[1][k]..starts[1][k + 1]], sweep);
        }
        assert!(many.all(place, &mut [0; 300], &mut casts).is_err() && !casts.is_empty());

        let queries = world.queries();
        let (mut of_ids, mut by_ids, mut swept) = (vec![0; 301], Vec::new(), Vec::new());
        queries
            .casts_of_geometries(&checked)
            .all(by_id, &mut of_ids, &mut by_ids)
            .expect("one more");
        assert_eq!(of_ids, starts[0]);
        assert!(
            by_ids
                .iter()
                .map(|hit| (rows[&hit.row], hit.found))
                .eq(casts.iter().map(|hit| (hit.row, hit.found)))
        );
        let moving = queries.sweeps_of_geometries(&balls, &motions, &settings).expect("valid");
        moving.all(by_id, &mut of_ids, &mut swept).expect("one more");
        assert_eq!(of_ids, starts[1]);
        assert!(
            swept
                .iter()
                .map(|hit| (rows[&hit.row], hit.found))
                .eq(sweeps.iter().map(|hit| (hit.row, hit.found)))
        );
    }
}

/// Goal: what is invalid is an error or is not met. Method: poses and motions with NaN, a box past the greatest coordinate.
#[test]
fn invalid_poses_and_motions_meet_nothing() {
    let ball = Geometry::from(Shape::sphere(1.0).expect("a ball"));
    let tree = tree(&[Aabb::cube([4.0, 0.0, 0.0], 1.0).expect("valid")], Level::detect());
    let ray = Segment::ray([0.0; 3], [1.0, 0.0, 0.0]).expect("valid");
    let at = Pose::at([4.0, 0.0, 0.0]).expect("valid");
    let nowhere = Pose { position: [f32::NAN; 3], ..at };
    let ask = || tree.queries().cast_geometries(&ray).expect("valid");
    assert!(ask().closest_geometry(|_| (ball, at)).is_some());
    assert!(ask().closest_geometry(|_| (ball, nowhere)).is_none());
    let bad = Segment { delta: [f32::NAN; 3], ..ray };
    assert!(tree.queries().cast_geometries(&bad).is_err());
    let sweep = |motion: &Motion, settings: &Settings| {
        tree.queries().sweep_geometries(&ball, motion, settings).map(|_| ())
    };
    let mut motion = Motion::from(Pose::IDENTITY);
    assert!(sweep(&motion, &Settings::default()).is_ok());
    assert!(sweep(&motion, &Settings { window: [1.0, 0.0], ..Settings::default() }).is_err());
    motion.delta[2] = f32::INFINITY;
    assert!(sweep(&motion, &Settings::default()).is_err());
    let far = Motion::from(Pose { position: [swath::COORD_MAX; 3], ..Pose::IDENTITY });
    assert!(
        sweep(&far, &Settings { target_distance: swath::COORD_MAX, ..Settings::default() })
            .is_err()
    );
}

/// Goal: the error of a list of the wrong length states which list it is and how long it must be. Method: 65 casts, sweeps and first times, with a list
/// that is too short by one.
#[test]
fn error_of_a_list_of_the_wrong_length_states_which_one() {
    const ROWS: usize = 65;
    let ball = Geometry::from(Shape::sphere(1.0).expect("a ball"));
    let place = |_| (ball, Pose::IDENTITY);
    let tree = tree(&[Aabb::cube([0.0; 3], 1.0).expect("valid")], Level::detect());
    let mut rays = SegmentStore::new();
    for _ in 0..ROWS {
        let ray = Segment::ray([-4.0, 0.0, 0.0], [1.0, 0.0, 0.0]).expect("valid");
        rays.push(ray).expect("valid");
    }
    let (rays, threads) = (rays.checked(), Threads::one());
    let ends = |found: usize, needed: usize| {
        format!(
            "the length is {found} and must be {needed}; \
             the length of each list follows from the number of rows of the call"
        )
    };
    let starts = "the list `starts`, with one element more than there are rows";
    let casts = tree.queries().casts_of_geometries(&rays);
    let error = casts.all(place, &mut [0; ROWS], &mut Vec::new()).expect_err("one is missing");
    assert_eq!(error.to_string(), format!("{starts}: {}", ends(65, 66)));
    let error = casts.closest(place, &mut [None; 64]).expect_err("one is missing");
    assert_eq!(error.to_string(), format!("the output `out`: {}", ends(64, 65)));
    let error = ball.casts(&Pose::IDENTITY, &rays, &threads, &mut [PartCast::default(); 64]);
    let error = error.expect_err("one is missing").to_string();
    assert_eq!(error, format!("the output `out`: {}", ends(64, 65)));
    let (geometries, settings) = ([ball; ROWS], Settings::default());
    let one = [Motion::default()];
    let sweeps = tree.queries().sweeps_of_geometries(&geometries, &one, &settings);
    let error = sweeps.expect_err("64 are missing").to_string();
    assert_eq!(error, format!("the column `motions`: {}", ends(1, 65)));
    let pairs = [Pair { a: 0, b: 1 }; 2];
    for (motions, out, named) in [
        (64, 2, format!("the column `motions`: {}", ends(64, 65))),
        (65, 1, format!("the output `out`: {}", ends(1, 2))),
    ] {
        let motions = vec![Motion::default(); motions];
        let input =
            toi::GeometryInput { geometries: &geometries, motions: &motions, pairs: &pairs };
        let mut out = vec![toi::PartToi::default(); out];
        let error = toi::pairs(&input, &settings, &threads, &mut Vec::new(), &mut out);
        assert_eq!(error.expect_err("one is missing").to_string(), named);
    }
}
