//! Meshes, height fields and compounds as bodies of a tick.

use swath::convex::toi::{Settings, Touch};
use swath::mesh::{Compound, Geometry, HeightField, Mesh, toi};
use swath::pipeline::{BodyFlags, Config, GeometryBody, PartImpacts, PipelineError};
use swath::{
    Broadphase, COORD_MAX, ConvexBody, Filter, Impact, Invalid, Level, Motion, MovingBoxColumns,
    Pair, Pipeline, Pose, Proxy, Scene, Shape, Threads,
};
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// A terrain, a height field, a compound, and shapes that fly among them.
fn shapes(draw: &mut Draw, count: u32) -> Vec<(Shape<'static>, Motion)> {
    (0..count)
        .map(|k| {
            let at = [draw.between(-9.0, 9.0), draw.between(0.5, 4.0), draw.between(-9.0, 9.0)];
            let delta = [0; 3].map(|_| draw.between(-4.0, 4.0));
            let motion = Motion::new(Pose::at(at).expect("valid"), delta).expect("valid");
            let spin = [0; 3].map(|_| draw.between(-2.0, 2.0));
            let motion = if k % 3 == 0 { motion.spinning(spin).expect("valid") } else { motion };
            let shape = match k % 2 {
                0 => Shape::cuboid([0.4, 0.2, 0.3]),
                _ => Shape::sphere(0.3),
            };
            (shape.expect("valid"), motion)
        })
        .collect()
}

/// Goal: a tick reports each impact of a body with parts that the search for the pair finds, with the part, on every level and any
/// number of threads. Method: every pair by itself, in the window of the tick.
#[test]
fn a_tick_has_the_impacts_of_meshes_fields_and_compounds() {
    let mut draw = Draw::new(21);
    let (vertices, triangles) = terrain(&mut draw, 20, 0.4);
    let ground = Mesh::new(vertices, triangles).expect("a terrain");
    let heights: Vec<_> = (0..121).map(|_| draw.between(-0.3, 0.3)).collect();
    let field = HeightField::new(heights, [11, 11], [1.0, 1.0]).expect("a field");
    let part = |x: f32| {
        let shape = Shape::cuboid([0.3; 3]).expect("a box");
        (shape.into(), Pose::at([x, 0.0, 0.0]).expect("valid"))
    };
    let compound = Compound::new([part(-1.0), part(0.0), part(1.0)]).expect("valid");
    let shapes = shapes(&mut draw, 60);
    let at = |at: [f32; 3], delta: [f32; 3]| {
        Motion::new(Pose::at(at).expect("valid"), delta).expect("valid")
    };
    let others = [
        (Geometry::from(&ground), Motion::default()),
        ((&field).into(), at([12.0, 0.0, 0.0], [-2.0, 0.0, 0.0])),
        ((&compound).into(), at([0.0, 3.0, 0.0], [0.0, -5.0, 0.0])),
    ];
    // The bodies with parts are in rows 0, 20 and 40.
    let rows = shapes.len() + others.len();
    let mut bodies = Vec::new();
    let (mut convex, mut geometries) = (Vec::new(), Vec::new());
    let (mut shapes, mut others) = (shapes.into_iter(), others.into_iter());
    for row in 0..rows as u32 {
        if row % 20 == 0 && geometries.len() < 3 {
            let (geometry, motion) = others.next().expect("one is left");
            geometries.push(GeometryBody { row, geometry, motion });
            bodies.push((geometry, motion));
        } else {
            let (shape, motion) = shapes.next().expect("one is left");
            convex.push(ConvexBody { row, shape, motion });
            bodies.push((shape.into(), motion));
        }
    }
    let zeros = vec![0.0; rows];
    let boxes = MovingBoxColumns::from_columns([&zeros[..]; 9]).expect("columns");
    let scene = Scene::new(boxes).convex(&convex).geometries(&geometries);
    let mut config = Config::default();
    config.touch = Touch::Hit;
    let mut pipeline = Pipeline::new(config);
    let impacts: Vec<Impact> = pipeline.tick(&scene).expect("a scene").impacts().to_vec();
    let mut with_parts = 0;
    for (a, b) in (0..rows as u32).flat_map(|a| (a + 1..rows as u32).map(move |b| (a, b))) {
        let [of_a, of_b] = [a, b].map(|row| &bodies[row as usize]);
        if !geometries.iter().any(|body| body.row == a || body.row == b) {
            continue;
        }
        let settings = Settings { touch: Touch::Hit, ..Settings::default() };
        let alone = toi::one_to_one(&of_a.0, &of_a.1, &of_b.0, &of_b.1, &settings).expect("valid");
        let found = impacts.iter().find(|impact| impact.pair == Pair { a, b });
        match (alone.toi.impact(), found) {
            (Some(t), Some(impact)) => {
                assert!((impact.toi - t).abs() < 1e-3, "{t} {impact:?}");
                with_parts += usize::from(impact.parts != [0, 0]);
            }
            (Some(t), None) => panic!("{a} {b} at {t}"),
            (None, _) => {}
        }
        let explained = pipeline.explain(&scene, Pair { a, b }).expect("rows of the scene");
        assert_eq!(explained.impact(), found, "{explained}");
    }
    assert!(with_parts > 15, "{with_parts}");
    for level in Level::all() {
        for threads in [Threads::one(), Threads::current()] {
            let exec = swath::Exec { threads, ..level.into() };
            let mut again = Pipeline::with_exec(config, exec);
            assert_eq!(again.tick(&scene).expect("a scene").impacts(), impacts, "{level}");
        }
    }

    // With an impact for each part: those of the search for each part of a pair, in order; the rest is unchanged.
    config.part_impacts = PartImpacts::Each;
    let mut each = Pipeline::new(config);
    let all: Vec<Impact> = each.tick(&scene).expect("a scene").impacts().to_vec();
    let key = |impact: &Impact| (impact.toi.to_bits(), impact.pair.a, impact.pair.b);
    assert!(all.is_sorted_by_key(key));
    let is_plain = |impact: &&Impact| {
        !geometries.iter().any(|body| body.row == impact.pair.a || body.row == impact.pair.b)
    };
    assert!(all.iter().filter(is_plain).eq(impacts.iter().filter(is_plain)));
    let mut several = 0;
    for impact in impacts.iter().filter(|impact| !is_plain(impact)) {
        let pair = impact.pair;
        let of_pair: Vec<_> = all.iter().filter(|other| other.pair == pair).collect();
        assert!((of_pair[0].toi - impact.toi).abs() < 1e-4, "{impact:?} {of_pair:?}");
        let mut parts: Vec<_> = of_pair.iter().map(|impact| impact.parts).collect();
        parts.sort_unstable();
        assert!(parts.windows(2).all(|two| two[0] != two[1]), "{parts:?}");
        let [of_a, of_b] = [pair.a, pair.b].map(|row| &bodies[row as usize]);
        let settings = Settings { touch: Touch::Hit, ..Settings::default() };
        let mut alone = Vec::new();
        toi::each_part(&of_a.0, &of_a.1, &of_b.0, &of_b.1, &settings, &mut alone).expect("valid");
        for found in &alone {
            // A part that is only within the tolerance may be beyond the last time of the bounds.
            let of_part = of_pair.iter().find(|impact| impact.parts == found.parts);
            let t = found.toi.impact().unwrap_or(0.0);
            assert!(
                of_part.map_or(t > impact.last - 1e-3, |of| (of.toi - t).abs() < 1e-3),
                "{found:?} {of_pair:?}"
            );
        }
        several += usize::from(of_pair.len() > 1);
    }
    assert!(
        several > 15 && all.len() > 2 * impacts.len(),
        "{several} {} {}",
        all.len(),
        impacts.len()
    );
    config.impacts_per_body = 1;
    each.set_config(config);
    let limited = each.tick(&scene).expect("a scene");
    assert!(limited.impacts().len() < all.len());
    assert_eq!(limited.impacts().len() + limited.stats().limited, all.len());
}

/// Goal: rows of bodies with parts are checked. Method: each wrong list.
#[test]
fn wrong_rows_of_bodies_with_parts_are_errors() {
    let mesh = Mesh::new(Vec::new(), Vec::new()).expect("an empty mesh");
    let body = |row| GeometryBody { row, geometry: (&mesh).into(), motion: Motion::default() };
    let ball = [ConvexBody { row: 1, shape: Shape::point(), motion: Motion::default() }];
    let boxes = MovingBoxColumns::from_columns([&[0.0; 3]; 9]).expect("columns");
    for (list, wrong) in [
        (vec![body(0), body(2)], None),
        (vec![body(2), body(0)], Some(1)),
        (vec![body(0), body(0)], Some(1)),
        (vec![body(1)], Some(0)),
        (vec![body(0), body(3)], Some(1)),
    ] {
        let scene = Scene::new(boxes).convex(&ball).geometries(&list);
        let result = Pipeline::default().tick(&scene).map(|output| output.impacts().len());
        match wrong {
            None => assert!(result.is_ok(), "{result:?}"),
            Some(at) => {
                let is =
                    matches!(result, Err(PipelineError::GeometryRow { index, .. }) if index == at);
                assert!(is, "{result:?}");
            }
        }
    }
}

/// Goal: proxies may be bodies with parts. Method: a ball that falls on a mesh, through a broadphase.
#[test]
fn proxies_may_have_parts() {
    let (vertices, triangles) = terrain(&mut Draw::new(2), 4, 0.0);
    let floor = Mesh::new(vertices, triangles).expect("a floor");
    let ball = Shape::sphere(0.5).expect("a ball");
    let falling =
        Motion::new(Pose::at([0.3, 2.5, 0.2]).expect("valid"), [0.0, -4.0, 0.0]).expect("valid");
    let mut broadphase = Broadphase::new();
    let bounds = Geometry::from(&floor).bounds_over(&Motion::default(), 0.0).expect("valid").aabb;
    let ground = broadphase.insert(bounds, Proxy::fixed()).expect("a proxy");
    let moving = Pipeline::bounds_of(&ball, &falling, 0.0).expect("valid");
    let body = broadphase.insert_moving(moving, Proxy::dynamic()).expect("a proxy");
    let mut pipeline = Pipeline::default();
    let output = pipeline.tick_proxies(&mut broadphase, |id| {
        Some(if id == body {
            (ball.into(), falling)
        } else {
            (Geometry::from(&floor), Motion::default())
        })
    });
    let output = output.expect("a tick");
    let [impact] = output.impacts() else { panic!("{:?}", output.impacts()) };
    assert_eq!((impact.pair.a, impact.pair.b), (ground, body));
    assert!(impact.toi <= 0.5 && impact.toi > 0.4999 && impact.normal[1] > 0.999, "{impact:?}");
    assert!(impact.parts[0] > 0 && impact.parts[1] == 0, "{impact:?}");
}

/// Goal: bounds with an invalid margin are rejected, because smaller bounds would miss impacts. Method: a shape and
/// a mesh, margins at both ends of what is valid and beyond.
#[test]
fn bounds_reject_an_invalid_margin() {
    let (vertices, triangles) = terrain(&mut Draw::new(2), 4, 0.0);
    let floor = Mesh::new(vertices, triangles).expect("a floor");
    let (ball, motion) = (Shape::sphere(0.5).expect("a ball"), Motion::default());
    let bounds = |margin| {
        let around = Geometry::from(&floor).bounds_over(&motion, margin);
        [Pipeline::bounds_of(&ball, &motion, margin), around]
    };
    let next = |x: f32| f32::from_bits(x.to_bits() + 1);
    for margin in
        [-0.6, -f32::from_bits(1), f32::NAN, f32::NEG_INFINITY, f32::INFINITY, next(COORD_MAX)]
    {
        assert_eq!(bounds(margin), [Err(Invalid::Margin); 2], "{margin}");
    }
    for margin in [0.0, -0.0, f32::from_bits(1), 7.5] {
        let [of_ball, _] = bounds(margin).map(|bounds| bounds.expect("valid").aabb);
        assert!(of_ball.min[1] <= -0.5 - margin && of_ball.max[1] >= 0.5 + margin, "{margin}");
    }
    assert_eq!(bounds(COORD_MAX), [Err(Invalid::TooLarge { axis: 0 }); 2]);
}

/// Goal: with a threshold of displacements, that of each body with parts counts. Method: a sphere and a compound that are at rest and overlap,
/// and a compound that flies through both.
#[test]
fn displacement_of_each_body_with_parts_is_compared_with_the_threshold() {
    let ball = Shape::sphere(0.5).expect("a sphere");
    let part = (Shape::cuboid([0.3; 3]).expect("a box").into(), Pose::default());
    let compound = Compound::new([part]).expect("valid");
    let motion = |x: f32, delta: f32| {
        Motion::new(Pose::at([x, 0.0, 0.0]).expect("valid"), [delta, 0.0, 0.0]).expect("valid")
    };
    let convex = [ConvexBody { row: 0, shape: ball, motion: motion(0.0, 0.0) }];
    let body = |row, motion| GeometryBody { row, geometry: (&compound).into(), motion };
    let geometries = [body(1, motion(0.6, 0.0)), body(2, motion(-3.0, 4.0))];
    let boxes = MovingBoxColumns::from_columns([&[0.0; 3][..]; 9]).expect("columns");
    let scene = Scene::new(boxes).convex(&convex).geometries(&geometries);
    let mut config = Config::default();
    config.fast = 1.0;
    let mut pipeline = Pipeline::new(config);
    let ticked = pipeline.tick(&scene).expect("a scene");
    assert!(ticked.slow().eq([Pair { a: 0, b: 1 }]));
    let mut fast: Vec<Pair> = ticked.impacts().iter().map(|impact| impact.pair).collect();
    fast.sort_unstable();
    assert_eq!(fast, [Pair { a: 0, b: 2 }, Pair { a: 1, b: 2 }]);
}

/// Goal: the memory for impacts of parts is that of the ticks, not of all tests with as many as one of them ever had. Method: a plate that touches
/// hundreds of triangles is at another place among balls that touch one in each tick, so its pair is another test.
#[test]
fn memory_for_impacts_of_parts_does_not_grow_with_the_tests() {
    const ROWS: u32 = 64;
    let heights = vec![0.0; 41 * 41];
    let floor = HeightField::new(heights, [41, 41], [0.5, 0.5]).expect("a floor");
    let corner = Motion::from(Pose::at([-10.0, 0.0, -10.0]).expect("valid"));
    let floor = [GeometryBody { row: 0, geometry: (&floor).into(), motion: corner }];
    let plate = Shape::cuboid([4.0, 0.1, 4.0]).expect("a plate");
    let ball = Shape::sphere(0.1).expect("a ball");
    let zeros = [0.0; ROWS as usize];
    let boxes = MovingBoxColumns::from_columns([&zeros[..]; 9]).expect("columns");
    let mut config = Config::default();
    config.part_impacts = PartImpacts::Each;
    let mut pipeline = Pipeline::new(config);
    let (mut memory, mut most) = (Vec::new(), 0);
    for tick in 0..3 * ROWS {
        let convex: Vec<_> = (1..ROWS)
            .map(|row| {
                let is_plate = row == 1 + tick % (ROWS - 1);
                let x = if is_plate { 0.08 * row as f32 - 2.5 } else { 0.25 * row as f32 - 8.0 };
                let pose = Pose::at([x, 0.5, x + 0.05]).expect("valid");
                let motion = Motion::new(pose, [0.0, -1.0, 0.0]).expect("valid");
                ConvexBody { row, shape: if is_plate { plate } else { ball }, motion }
            })
            .collect();
        let scene = Scene::new(boxes).convex(&convex).geometries(&floor);
        let impacts = pipeline.tick(&scene).expect("a scene").impacts().len();
        most = most.max(impacts);
        memory.push(pipeline.memory_usage());
    }
    assert!(most > 500, "{most}");
    let grown = memory.iter().map(|bytes| bytes - memory[0]).max().unwrap_or(0);
    assert!(grown < 16 * most * size_of::<toi::PartToi>(), "{grown} {most} {memory:?}");
}

/// Goal: a mere touch at the start of shapes, and of bodies with parts, is reported according to the setting, and for sensors always. Method: rows of
/// balls, or of balls as compounds of one part, that touch exactly and are at rest; one of each row is a sensor.
#[test]
fn touches_of_shapes_at_the_start_follow_the_setting() {
    let ball = Shape::sphere(0.5).expect("a ball");
    let part = Compound::new([(ball.into(), Pose::IDENTITY)]).expect("a part");
    let (min, max) = ([-0.5, 0.5, 1.5, 2.5], [0.5, 1.5, 2.5, 3.5]);
    let (low, high, still) = ([-0.5; 4], [0.5; 4], [0.0; 4]);
    let boxes = MovingBoxColumns::new([&min, &low, &low], [&max, &high, &high], [&still; 3])
        .expect("columns");
    let motion = |row: u32| Motion::from(Pose::at([row as f32, 0.0, 0.0]).expect("a pose"));
    let convex: Vec<_> =
        (0..4).map(|row| ConvexBody { row, shape: ball, motion: motion(row) }).collect();
    let parts: Vec<_> = (0..4)
        .map(|row| GeometryBody { row, geometry: (&part).into(), motion: motion(row) })
        .collect();
    let mut flags = [BodyFlags::MOVES; 4];
    flags[3] = BodyFlags::MOVES | BodyFlags::SENSOR;
    let scene = Scene::new(boxes).flagged(&flags);
    for (touch, reported) in [(Touch::Hit, 2), (Touch::IfClosing, 0), (Touch::Ignore, 0)] {
        for scene in [scene.convex(&convex), scene.geometries(&parts)] {
            let mut config = Config::default();
            config.touch = touch;
            let mut pipeline = Pipeline::new(config);
            let ticked = pipeline.tick(&scene).expect("a tick");
            let (impacts, sensed) = (ticked.impacts(), ticked.sensed());
            assert_eq!((impacts.len(), sensed.len()), (reported, 1), "{touch:?}");
            assert_eq!((sensed[0].pair, sensed[0].toi), (Pair { a: 2, b: 3 }, 0.0));
        }
    }
}

/// Goal: what a scene consists of can be read again. Method: a scene without properties, and one with all of them.
#[test]
fn properties_of_a_scene_can_be_read() {
    let (low, high, still, accel) = ([0.0; 2], [1.0; 2], [0.0; 2], [2.0; 2]);
    let boxes = MovingBoxColumns::new([&low; 3], [&high; 3], [&still; 3]).expect("columns");
    let (flags, filters) = ([BodyFlags::MOVES, BodyFlags::CCD], [Filter::ALL, Filter::new(1, 2)]);
    let plain = Scene::new(boxes);
    assert_eq!((plain.flags(), plain.filters(), plain.len()), (None, None, 2));
    assert!(plain.accelerations().iter().all(|column| column.is_empty()) && !plain.is_empty());
    let scene = plain.flagged(&flags).filtered(&filters).accelerating([&accel; 3]);
    assert_eq!((scene.flags(), scene.filters()), (Some(&flags[..]), Some(&filters[..])));
    assert_eq!(scene.accelerations(), [&accel[..]; 3]);
    assert_eq!(scene.boxes().get(1), boxes.get(1));
}
