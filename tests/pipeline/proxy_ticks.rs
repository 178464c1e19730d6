//! Tests of ticks of a broadphase with more pairs than one task tests.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use swath::convex::SupportMap;
use swath::mesh::{Compound, Geometry};
use swath::pipeline::{BodyFlags, BodyInfo, Config};
use swath::{
    Aabb, Broadphase, COORD_MAX, ConvexBody, Invalid, Motion, MovingBox, MovingBoxStore, Pipeline,
    Pose, Proxy, Scene, Shape, Threads,
};

/// More pairs than one task tests, and no multiple of them.
const PAIRS: usize = 2500;

/// Goal: the impacts of all pairs are reported except those of a body whose path is invalid, which is listed. Method: movers that each
/// fall onto a box of their own; a shape moves out of the world, and other ticks are without it.
#[test]
fn only_the_pairs_of_an_invalid_body_are_left_out() {
    let (mut world, mut movers) = (Broadphase::new(), Vec::new());
    for k in 0..PAIRS {
        let cube = |y: f32| {
            let min = [(k % 50 * 4) as f32, y, (k / 50 * 4) as f32];
            Aabb { min, max: min.map(|x| x + 1.0) }
        };
        world.insert(cube(0.0), Proxy::fixed()).expect("valid");
        let mover = world.insert(cube(2.0), Proxy::dynamic()).expect("valid");
        world.set(mover, cube(2.0), [0.0, -2.0, 0.0]).expect("valid");
        movers.push(mover);
    }
    let shape = Shape::sphere(0.5).expect("a sphere");
    let far = Pose::at([COORD_MAX; 3]).expect("a pose");
    let motion = Motion::new(far, [COORD_MAX; 3]).expect("a motion");
    let mut pipeline = Pipeline::default();
    for invalid in [None, Some(movers[7]), None, Some(movers[PAIRS - 1])] {
        let output = pipeline
            .tick_proxies(&mut world, |id| (Some(id) == invalid).then_some((shape, motion)))
            .expect("no limit");
        let expected: Vec<_> = movers.iter().copied().filter(|&id| Some(id) != invalid).collect();
        let mut hit: Vec<_> = output.impacts().iter().map(|impact| impact.pair.b).collect();
        hit.sort_unstable();
        assert_eq!(hit, expected);
        // Never late, and early by at most 2⁻²¹ of the time.
        let time = 0.5 - 0.5 / (1 << 21) as f32..=0.5;
        assert!(output.impacts().iter().all(|impact| time.contains(&impact.toi)));
        assert!(output.rejected().iter().map(|&(id, _)| id).eq(invalid));
        assert_eq!(output.into_iter().len(), expected.len());
    }
}

/// Goal: a body whose box or shape is valid, but whose bounds reach past [`COORD_MAX`], is listed, has no impacts, and changes none of others. Method:
/// bodies at one place; bounds that are too large by an acceleration, or by the margin of a target distance; the result of `Pipeline::bounds_of` is the reason.
#[test]
fn bodies_with_bounds_past_the_greatest_coordinate_are_rejected() {
    let ball = Shape::sphere(0.5).expect("a sphere");
    let parts = Compound::new([(ball.into(), Pose::IDENTITY)]).expect("a compound");
    let at = |position: [f32; 3]| Motion::from(Pose::at(position).expect("a pose"));
    let edge = at([COORD_MAX, 0.0, 0.0]);
    let fast = Motion::new(Pose::IDENTITY, [0.75 * COORD_MAX, 0.0, 0.0]).expect("a motion");
    let fast = fast.accelerating([0.75 * COORD_MAX, 0.0, 0.0]).expect("a motion");
    let geometries = [Geometry::from(ball), (&parts).into()];
    let cube = Aabb::cube([0.0; 3], 1.0).expect("a box");
    let mut config = Config::default();
    for (target, motion) in [(0.0, fast), (1e30, edge)] {
        config.target_distance = target;
        for geometry in geometries {
            let reason =
                geometry.bounds_over(&motion, 0.5 * target).expect_err("they are too large");
            assert!(geometry.bounds_over(&at([0.0; 3]), 0.5 * target).is_ok());
            let (mut world, mut ids) = (Broadphase::new(), Vec::new());
            for _ in 0..3 {
                ids.push(world.insert(cube, Proxy::dynamic()).expect("valid"));
            }
            let mut pipeline = Pipeline::new(config);
            let output = pipeline.tick_proxies(&mut world, |id| {
                BodyInfo::from((id == ids[1]).then_some((geometry, motion)))
            });
            let output = output.expect("no limit");
            assert_eq!(output.rejected(), [(ids[1], reason)]);
            let [impact] = output.impacts() else { panic!("{:?}", output.impacts()) };
            assert_eq!((impact.pair.a, impact.pair.b), (ids[0], ids[2]));
        }
    }
    // A proxy without a shape, whose box with the margin is too large.
    let (mut world, wide) = (Broadphase::new(), Aabb { max: [COORD_MAX; 3], ..cube });
    for aabb in [cube, wide, cube] {
        world.insert(aabb, Proxy::dynamic()).expect("valid");
    }
    let mut pipeline = Pipeline::new(config);
    let output = pipeline.tick_proxies(&mut world, |_| None::<(Shape<'_>, Motion)>);
    let output = output.expect("no limit");
    assert!(matches!(output.rejected(), [(id, Invalid::TooLarge { axis: 0 })] if id.index() == 1));
    assert_eq!(output.impacts().len(), 1);
}

/// A ball whose function returns valid points for a number of calls, and then NaN.
#[derive(Debug)]
struct FailingBall {
    calls: AtomicU32,
    valid: u32,
}

impl SupportMap for FailingBall {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let is_valid = self.calls.fetch_add(1, Relaxed) < self.valid;
        direction.map(|x| if is_valid { x / length } else { f64::NAN })
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// Goal: a body whose support map fails is never left out without a word: it is rejected, or its pair has an impact that may be
/// unresolved. Method: a ball that flies against another one, with a map that fails after any number of calls; a tick of
/// columns has the same result.
#[test]
fn body_whose_support_map_fails_is_rejected_or_unresolved() {
    let ball = Shape::sphere(1.0).expect("a ball");
    let at = |x: f32| Pose::at([x, 0.25, 0.0]).expect("a pose");
    let flying = Motion::new(at(-4.0), [6.0, 0.0, 0.0]).expect("a motion");
    let motions = [flying, Motion::from(at(0.5))];
    let mut counts = [0; 2];
    for valid in 6..80 {
        let map = FailingBall { calls: AtomicU32::new(0), valid };
        let shape = Shape::custom(&map).expect("the points along the axes are valid");
        let mut world = Broadphase::new();
        for motion in &motions {
            let bounds = Pipeline::bounds_of(&ball, motion, 0.0).expect("a box");
            world.insert_moving(bounds, Proxy::dynamic()).expect("valid");
        }
        let mut pipeline = Pipeline::default();
        let output = pipeline.tick_proxies(&mut world, |id| {
            let row = id.index() as usize;
            ([shape, ball][row], motions[row])
        });
        let output = output.expect("no limit");
        let found = [output.rejected().len(), output.impacts().len()];
        assert_eq!(found.iter().sum::<usize>(), 1, "{valid}: {found:?}");
        counts = [counts[0] + found[0], counts[1] + found[1]];
        let times: Vec<f32> = output.impacts().iter().map(|impact| impact.toi).collect();
        map.calls.store(6, Relaxed);
        let boxes: MovingBoxStore = motions.iter().map(|_| MovingBox::default()).collect();
        let body = |row: u32, shape| ConvexBody { row, shape, motion: motions[row as usize] };
        let convex = [body(0, shape), body(1, ball)];
        let columns = pipeline.tick(&Scene::new(boxes.columns()).convex(&convex));
        let columns = columns.expect("no limit");
        assert_eq!([columns.rejected().len(), columns.impacts().len()], found, "{valid}");
        assert!(columns.impacts().iter().map(|impact| impact.toi).eq(times), "{valid}");
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

/// Goal: the hash of a tick of proxies depends on the impacts, on the list in which they are, and on the ids, and not on the threads. Method: a ball that
/// falls on a box, with one difference each.
#[test]
fn hash_of_a_tick_depends_on_impacts_and_ids() {
    let ball = Shape::sphere(0.5).expect("a sphere");
    let hash = |dy: f32, flags: BodyFlags, reuse: bool, threads: Threads| {
        let mut world = Broadphase::with_exec(threads.clone());
        if reuse {
            let first = world.insert(Aabb::default(), Proxy::fixed()).expect("valid");
            world.remove(first).expect("it exists");
        }
        let floor = world.insert(Aabb::cube([0.0; 3], 1.0).expect("a box"), Proxy::fixed());
        let floor = floor.expect("valid");
        let start = Pose::at([0.0, 3.0, 0.0]).expect("a pose");
        let motion = Motion::new(start, [0.0, dy, 0.0]).expect("a motion");
        let bounds = Pipeline::bounds_of(&ball, &motion, 0.0).expect("a box");
        world.insert_moving(bounds, Proxy::dynamic()).expect("valid");
        let mut pipeline = Pipeline::with_exec(Config::default(), threads);
        let output = pipeline.tick_proxies(&mut world, |id| {
            let shape = (id != floor).then_some((ball.into(), motion));
            BodyInfo { shape, flags: if id == floor { BodyFlags::STILL } else { flags } }
        });
        let output = output.expect("no limit");
        assert_eq!(output.impacts().len() + output.sensed().len(), usize::from(dy < -1.5));
        output.hash()
    };
    let (moves, sensor) = (BodyFlags::MOVES, BodyFlags::MOVES | BodyFlags::SENSOR);
    let cases = [
        (-4.0, moves, false),
        (-3.0, moves, false),
        (-1.0, moves, false),
        (-4.0, sensor, false),
        (-4.0, moves, true),
    ];
    let hashes = cases.map(|(dy, flags, reuse)| {
        let [one, all] =
            [Threads::one(), Threads::current()].map(|threads| hash(dy, flags, reuse, threads));
        assert_eq!(one, all);
        one
    });
    for (k, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..k].contains(hash), "hash {k}");
    }
}
