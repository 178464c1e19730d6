//! Tests of the pipeline: its impacts have the bits of the same ticks in Rust, and wrong input is an error.

#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "each call of the interface is unsafe, and keeps the rules of the header, or its mistakes are the subject"
)]

use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use swath::mesh::Mesh;
use swath::pipeline::{BodyFlags, BodyInfo, Config, GeometryBody, PartImpacts};
use swath::{
    Broadphase, ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Proxy, ProxyId, Scene, Shape,
};
use swath_c::*;
use testkit::draw::Draw;

#[track_caller]
fn works(status: swath_status) {
    let message = unsafe { CStr::from_ptr(swath_last_error()) };
    assert_eq!(status, SWATH_OK, "{message:?}");
}

/// Checks that a call failed with this status and message.
#[track_caller]
fn fails(status: swath_status, expected: swath_status, text: &str) {
    let message = unsafe { CStr::from_ptr(swath_last_error()) }.to_str().expect("text");
    assert_eq!(status, expected, "{message}");
    assert!(message.starts_with(text), "{message}");
}

const NO_VECTORS: swath_vectors =
    swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };
const NO_BOXES: swath_boxes = swath_boxes {
    count: 0,
    min: NO_VECTORS,
    max: NO_VECTORS,
    delta: NO_VECTORS,
    tick_seconds: 0.0,
    centered: 0,
    moves: null(),
    filters: null(),
    labels: null(),
};
const NO_SCENE: swath_scene = swath_scene {
    boxes: NO_BOXES,
    accel: NO_VECTORS,
    flags: null(),
    bodies: null(),
    body_count: 0,
};
const NO_TICK: swath_tick = swath_tick {
    impacts: swath_impacts { data: null(), count: 0 },
    sensed: swath_impacts { data: null(), count: 0 },
    slow: swath_pairs { data: null(), count: 0 },
    rejected: swath_rejected_rows { data: null(), count: 0 },
};
const NO_PROXY_TICK: swath_proxy_tick = swath_proxy_tick {
    impacts: swath_proxy_impacts { data: null(), count: 0 },
    sensed: swath_proxy_impacts { data: null(), count: 0 },
    rejected: swath_rejected_proxies { data: null(), count: 0 },
};

/// A pipeline that is destroyed at the end.
struct Ticks(*mut swath_pipeline);

impl Ticks {
    fn new(settings: &swath_pipeline_settings, threads: u32) -> Self {
        let mut pipeline = null_mut();
        let exec = swath_exec { level: null(), threads, pairs_max: 0, executor: null() };
        works(unsafe { swath_pipeline_create(settings, &exec, &mut pipeline) });
        Self(pipeline)
    }

    fn tick(&self, scene: &swath_scene) -> swath_tick {
        let mut tick = NO_TICK;
        works(unsafe { swath_pipeline_tick(self.0, scene, &mut tick) });
        tick
    }
}

impl Drop for Ticks {
    fn drop(&mut self) {
        unsafe { swath_pipeline_destroy(self.0) };
    }
}

fn list<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, count) } }
}

/// The bits of impacts in Rust, in the order of the fields in C.
fn words(impacts: &[swath::Impact]) -> Vec<u32> {
    let mut words = Vec::new();
    for impact in impacts {
        let floats = |words: &mut Vec<u32>, numbers: &[f32]| {
            words.extend(numbers.iter().map(|number| number.to_bits()));
        };
        floats(&mut words, &[impact.toi]);
        words.extend([impact.pair.a, impact.pair.b]);
        floats(&mut words, &[impact.last]);
        words.push(impact.kind as u32);
        floats(&mut words, &[impact.normal, impact.on_a, impact.on_b].concat());
        floats(&mut words, &[impact.closing, impact.depth]);
        words.extend(impact.parts);
    }
    words
}

/// The bits of impacts in C.
fn words_of(impacts: swath_impacts) -> Vec<u32> {
    bytemuck::cast_slice(list(impacts.data, impacts.count)).to_vec()
}

/// A crowd of boxes, accelerated boxes, balls that spin, and a floor of triangles.
struct Crowd {
    rows: Vec<[[f32; 3]; 4]>,
    flags: Vec<u8>,
    motions: Vec<Option<Motion>>,
    ball: *mut swath_shape,
    floor: *mut swath_shape,
    mesh: Mesh<'static>,
}

const COUNT: usize = 400;

impl Crowd {
    fn new() -> Self {
        let mut draw = Draw::new(3);
        let mut of = Self {
            rows: Vec::new(),
            flags: Vec::new(),
            motions: Vec::new(),
            ball: null_mut(),
            floor: null_mut(),
            mesh: Mesh::new(
                vec![[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [-9.0, 0.0, 9.0], [9.0, 0.0, 9.0]],
                vec![[0, 2, 1], [1, 2, 3]],
            )
            .expect("a mesh"),
        };
        for row in 0..COUNT {
            let at = [(); 3].map(|()| draw.between(-6.0, 6.0));
            let delta = [(); 3].map(|()| draw.between(-2.0, 2.0));
            let accel = [0.0, if row % 4 == 0 { -0.5 } else { 0.0 }, 0.0];
            let half = if row == 11 { f32::NAN } else { 0.25 };
            of.rows.push([at.map(|x| x - half), at.map(|x| x + half), delta, accel]);
            let mut flags = SWATH_BODY_MOVES;
            flags |= if row % 20 == 0 { SWATH_BODY_SENSOR } else { 0 };
            of.flags.push(if row == 1 { 0 } else { flags });
            let motion = Motion::new(Pose::at(at).expect("a pose"), delta)
                .and_then(|motion| motion.spinning([0.0, 0.5, 1.0]))
                .expect("a motion");
            of.motions.push(match row {
                1 => Some(Motion::default()),
                _ => (row % 3 == 0).then_some(motion),
            });
        }
        works(unsafe { swath_shape_sphere(0.25, &mut of.ball) });
        let triangles: Vec<u32> = of.mesh.triangles().concat();
        let points = of.mesh.vertices();
        let vectors = swath_vectors { x: points.as_ptr().cast(), stride: 12, ..NO_VECTORS };
        works(unsafe {
            let (triangles, to) = (triangles.as_ptr(), &mut of.floor);
            swath_shape_mesh(vectors, points.len(), triangles, 2, 0, null(), to)
        });
        of
    }

    /// The vectors `which` of each row.
    fn vectors(&self, which: usize) -> swath_vectors {
        let (x, stride, offset) = (self.rows.as_ptr().cast(), 48, 12 * which);
        swath_vectors { x, stride, offset, ..NO_VECTORS }
    }

    fn shape(&self, row: usize) -> *const swath_shape {
        if row == 1 { self.floor } else { self.ball }
    }

    fn bodies(&self) -> Vec<swath_scene_body> {
        let bodies = self.motions.iter().enumerate().filter_map(|(row, motion)| {
            let motion = bytemuck::cast((*motion)?);
            Some(swath_scene_body { shape: self.shape(row), motion, row: row as u32 })
        });
        bodies.collect()
    }

    /// The scene of these bodies, in rows.
    fn scene(&self, bodies: &[swath_scene_body]) -> swath_scene {
        let [min, max, delta, accel] = [0, 1, 2, 3].map(|which| self.vectors(which));
        swath_scene {
            boxes: swath_boxes { count: COUNT, min, max, delta, ..NO_BOXES },
            accel,
            flags: self.flags.as_ptr(),
            bodies: bodies.as_ptr(),
            body_count: bodies.len(),
        }
    }

    /// The numbers of each axis of vectors.
    fn columns(&self) -> [Vec<f32>; 12] {
        core::array::from_fn(|c| self.rows.iter().map(|row| row[c / 3][c % 3]).collect())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        unsafe { swath_shape_destroy(self.ball) };
        unsafe { swath_shape_destroy(self.floor) };
    }
}

fn settings() -> (swath_pipeline_settings, Config) {
    let mut c = swath_pipeline_defaults();
    let mut rust = Config::default();
    (c.target_distance, rust.target_distance) = (0.01, 0.01);
    (c.fast, rust.fast) = (1.5, 1.5);
    (c.impacts_per_body, rust.impacts_per_body) = (2, 2);
    (c.part_impacts, rust.part_impacts) = (SWATH_PART_IMPACTS_EACH, PartImpacts::Each);
    (c, rust)
}

/// Goal: a tick has the impacts of the same tick in Rust, for any layout and number of threads. Method: a crowd of all kinds of bodies, with an
/// invalid row, sensors, slow pairs, a limit and impacts of parts; rows and columns, one thread and three; three ticks each.
#[test]
fn tick_has_the_bits_of_rust() {
    let crowd = Crowd::new();
    let columns = crowd.columns();
    let columns = columns.each_ref().map(Vec::as_slice);
    let (ball, (c_settings, config)) = (Shape::sphere(0.25).expect("a ball"), settings());
    let mut convex = Vec::new();
    for (row, motion) in crowd.motions.iter().enumerate() {
        if let Some(motion) = *motion
            && row != 1
        {
            convex.push(ConvexBody { row: row as u32, shape: ball, motion });
        }
    }
    let floor = GeometryBody { row: 1, geometry: (&crowd.mesh).into(), motion: Motion::default() };
    let flags: Vec<_> = crowd.flags.iter().map(|&bits| BodyFlags::from_bits(bits)).collect();
    let boxes = MovingBoxColumns::from_columns(core::array::from_fn(|c| columns[c]));
    let scene = Scene::new(boxes.expect("columns"))
        .accelerating([columns[9], columns[10], columns[11]])
        .convex(&convex)
        .geometries(std::slice::from_ref(&floor))
        .flagged(&flags);
    let mut rust = Pipeline::new(config);
    let expected = rust.tick(&scene).expect("a scene");
    let stats = expected.stats();
    assert!(expected.impacts().len() > 50 && expected.sensed().len() > 5);
    assert!(stats.limited > 0 && stats.slow > 0 && expected.rejected().len() == 1);
    assert!(expected.impacts().iter().any(|impact| impact.pair.b == 1 || impact.parts != [0; 2]));

    let bodies = crowd.bodies();
    let rows = crowd.scene(&bodies);
    let vectors = |first: usize| swath_vectors {
        x: columns[first].as_ptr().cast(),
        y: columns[first + 1].as_ptr(),
        z: columns[first + 2].as_ptr(),
        ..NO_VECTORS
    };
    let [min, max, delta, accel] = [0, 3, 6, 9].map(vectors);
    let in_columns =
        swath_scene { boxes: swath_boxes { min, max, delta, ..rows.boxes }, accel, ..rows };
    for threads in [1, 3] {
        let pipeline = Ticks::new(&c_settings, threads);
        for scene in [&rows, &in_columns, &rows] {
            let tick = pipeline.tick(scene);
            assert_eq!(words_of(tick.impacts), words(expected.impacts()));
            assert_eq!(words_of(tick.sensed), words(expected.sensed()));
            let slow = list(tick.slow.data, tick.slow.count).iter().map(|pair| (pair.a, pair.b));
            assert!(slow.eq(expected.slow().map(|pair| (pair.a, pair.b))));
            let rejected = list(tick.rejected.data, tick.rejected.count);
            assert_eq!((rejected.len(), rejected[0].row), (1, 11));
            assert_eq!(rejected[0].reason, SWATH_REASON_NOT_FINITE);
            let mut found = swath_tick_stats::default();
            works(unsafe { swath_pipeline_stats(pipeline.0, &mut found) });
            assert_eq!(found.impacts, stats.impacts as u64);
            assert_eq!((found.shapes, found.rounds), (stats.convex as u64, stats.rounds));
            assert_eq!(found.limited, stats.limited as u64);
        }
        let mut bytes = 0;
        works(unsafe { swath_pipeline_memory(pipeline.0, &mut bytes) });
        let list = expected.impacts().len() * size_of::<swath_impact>();
        assert!(bytes > list, "{bytes}");
    }
}

/// Goal: boxes at rest in columns, and rows of which all have shapes, need no arrays of zeros. Method: two scenes whose impacts are known.
#[test]
fn vectors_that_are_not_needed_are_left_out() {
    let crowd = Crowd::new();
    let pipeline = Ticks::new(&swath_pipeline_defaults(), 1);
    let flying = Motion::new(Pose::at([0.0, 4.25, 0.0]).expect("a pose"), [0.0, -8.0, 0.0]);
    let flying: swath_motion = bytemuck::cast(flying.expect("a motion"));
    let still: swath_motion = bytemuck::cast(Motion::default());
    let bodies = [
        swath_scene_body { shape: crowd.ball, motion: flying, row: 0 },
        swath_scene_body { shape: crowd.floor, motion: still, row: 1 },
    ];
    let scene = swath_scene {
        boxes: swath_boxes { count: 2, ..NO_BOXES },
        bodies: bodies.as_ptr(),
        body_count: 2,
        ..NO_SCENE
    };
    let tick = pipeline.tick(&scene);
    let [impact] = list(tick.impacts.data, tick.impacts.count) else { panic!("one impact") };
    assert!(impact.t <= 0.5 && impact.t > 0.4999 && (impact.a, impact.b) == (0, 1));

    let (min, max) = ([-1.0_f32, 9.0], [1.0_f32, 9.5]);
    let columns = |column: &[f32; 2]| {
        let x = column.as_ptr();
        swath_vectors { x: x.cast(), y: x, z: x, ..NO_VECTORS }
    };
    let thrown = swath_motion { delta: [0.0, -4.0, 0.0], ..flying };
    let ball = swath_scene_body { shape: crowd.ball, motion: thrown, row: 1 };
    let scene = swath_scene {
        boxes: swath_boxes { count: 2, min: columns(&min), max: columns(&max), ..NO_BOXES },
        bodies: &ball,
        body_count: 1,
        ..NO_SCENE
    };
    let tick = pipeline.tick(&scene);
    let [impact] = list(tick.impacts.data, tick.impacts.count) else { panic!("one impact") };
    assert!(impact.t <= 0.75 && impact.t > 0.7499 && impact.normal == [0.0, 1.0, 0.0]);
    assert_eq!(pipeline.tick(&NO_SCENE).impacts.count, 0);
}

/// Goal: what is wrong with a scene is an error that names it, and the pipeline works afterwards. Method: one mistake each.
#[test]
fn wrong_scenes_are_errors() {
    let crowd = Crowd::new();
    let bodies = crowd.bodies();
    let right = crowd.scene(&bodies);
    let pipeline = Ticks::new(&swath_pipeline_defaults(), 1);
    let count = pipeline.tick(&right).impacts.count;
    let mut tick = swath_tick { slow: swath_pairs { data: null(), count: 77 }, ..NO_TICK };
    let mut case = |scene: swath_scene, status: swath_status, text: &str| {
        fails(unsafe { swath_pipeline_tick(pipeline.0, &scene, &mut tick) }, status, text);
        assert_eq!(tick.slow.count, 77);
    };
    let wrong = |edit: &dyn Fn(&mut Vec<swath_scene_body>)| {
        let mut bodies = bodies.clone();
        edit(&mut bodies);
        bodies
    };
    let argument = SWATH_ERROR_ARGUMENT;
    let of = |bodies: &[swath_scene_body]| swath_scene {
        bodies: bodies.as_ptr(),
        body_count: bodies.len(),
        ..right
    };
    let unordered = wrong(&|bodies| bodies.swap(0, 1));
    case(of(&unordered), argument, "body 1 is of row 0; these rows must ascend");
    let twice = wrong(&|bodies| bodies[2].row = bodies[1].row);
    case(of(&twice), argument, "body 2 is of row 1");
    let beyond = wrong(&|bodies| bodies.last_mut().expect("a body").row = COUNT as u32);
    case(of(&beyond), argument, "body 134 is of row 400");
    let without = wrong(&|bodies| bodies[3].shape = null());
    case(of(&without), SWATH_ERROR_NULL, "body 3: shape: NULL");
    let odd =
        wrong(&|bodies| bodies[3].shape = bodies[3].shape.cast::<u8>().wrapping_add(1).cast());
    case(of(&odd), SWATH_ERROR_MISALIGNED, "body 3: shape: misaligned");
    case(swath_scene { bodies: null(), ..right }, SWATH_ERROR_NULL, "bodies: NULL");
    case(swath_scene { body_count: usize::MAX, ..right }, argument, "bodies: ");
    let mut flags = crowd.flags.clone();
    flags[5] = 9;
    case(swath_scene { flags: flags.as_ptr(), ..right }, argument, "row 5: flags: 9");
    let boxes = |boxes: swath_boxes| swath_scene { boxes, ..right };
    let labels = [0; COUNT];
    case(boxes(swath_boxes { labels: labels.as_ptr(), ..right.boxes }), argument, "labels: must");
    let moves = [0; COUNT];
    case(boxes(swath_boxes { moves: moves.as_ptr(), ..right.boxes }), argument, "moves: must");
    case(boxes(swath_boxes { count: COUNT, ..NO_BOXES }), argument, "min: no vectors");
    case(boxes(swath_boxes { tick_seconds: f32::NAN, ..right.boxes }), 4, "tick_seconds: NaN");
    let no_accel = swath_vectors { x: null(), ..right.accel };
    case(swath_scene { accel: no_accel, ..right }, SWATH_ERROR_NULL, "accel: NULL");
    let wide = swath_boxes { count: 1 << 32, ..NO_BOXES };
    let wide = swath_scene { boxes: wide, ..NO_SCENE };
    case(wide, SWATH_ERROR_TOO_MANY, "boxes: 4294967296 rows");
    assert_eq!(pipeline.tick(&right).impacts.count, count);
}

#[test]
fn wrong_settings_are_errors_that_change_nothing() {
    let right = swath_pipeline_defaults();
    let pipeline = Ticks::new(&right, 1);
    let invalid = SWATH_ERROR_INVALID;
    let cases = [
        (swath_pipeline_settings { touch: 3, ..right }, SWATH_ERROR_ARGUMENT, "touch: 3"),
        (swath_pipeline_settings { part_impacts: 2, ..right }, SWATH_ERROR_ARGUMENT, "part_imp"),
        (swath_pipeline_settings { fast: f32::NAN, ..right }, invalid, "`Config::fast`"),
        (swath_pipeline_settings { target_distance: -1.0, ..right }, invalid, ""),
        (swath_pipeline_settings { tolerance: f32::NAN, ..right }, invalid, ""),
        (swath_pipeline_settings { rounds_max: 0, ..right }, invalid, ""),
    ];
    for (settings, status, text) in cases {
        let mut other = null_mut();
        fails(unsafe { swath_pipeline_create(&settings, null(), &mut other) }, status, text);
        assert!(other.is_null());
        fails(unsafe { swath_pipeline_configure(pipeline.0, &settings) }, status, text);
    }
    works(unsafe { swath_pipeline_configure(pipeline.0, null()) });

    // A limit on pairs.
    let crowd = Crowd::new();
    let (mut few, mut tick) = (null_mut(), NO_TICK);
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 3, executor: null() };
    works(unsafe { swath_pipeline_create(null(), &exec, &mut few) });
    let status = unsafe { swath_pipeline_tick(few, &crowd.scene(&crowd.bodies()), &mut tick) };
    fails(status, SWATH_ERROR_TOO_MANY, "");
    unsafe { swath_pipeline_destroy(few) };
}

/// A broadphase, and what its bodies are.
struct World {
    broadphase: *mut swath_broadphase,
    bodies: Vec<swath_proxy_body>,
    /// The calls of the function, in order.
    called: Vec<u32>,
    pipeline: *mut swath_pipeline,
    statuses: Vec<swath_status>,
}

unsafe extern "C" fn describe(user: *mut c_void, id: swath_proxy_id, body: *mut swath_proxy_body) {
    let world: &mut World = unsafe { &mut *user.cast() };
    world.called.push(id.index);
    unsafe { *body = world.bodies[id.index as usize] };
    // Neither may be used here.
    let mut contains = 0;
    world.statuses.push(unsafe { swath_pipeline_configure(world.pipeline, null()) });
    world.statuses.push(unsafe { swath_broadphase_contains(world.broadphase, id, &mut contains) });
}

/// Goal: a tick over a broadphase has the impacts of the same tick in Rust. Method: balls, boxes and a floor of triangles with sensors, over three
/// ticks in which all move on; the function is called once for each proxy in a pair, in order, and may not use the objects.
#[test]
fn tick_of_proxies_has_the_bits_of_rust() {
    let crowd = Crowd::new();
    let (ball, (c_settings, config)) = (Shape::sphere(0.25).expect("a ball"), settings());
    let pipeline = Ticks::new(&c_settings, 2);
    let (mut broadphase, mut in_rust) = (null_mut(), Broadphase::new());
    works(unsafe { swath_broadphase_create(null(), &mut broadphase) });
    let (mut rust, mut bodies, mut ids) = (Pipeline::new(config), Vec::new(), Vec::new());
    let mut world = World {
        broadphase,
        bodies: Vec::new(),
        called: Vec::new(),
        pipeline: pipeline.0,
        statuses: Vec::new(),
    };
    for (row, motion) in crowd.motions.iter().enumerate() {
        if row == 11 {
            continue;
        }
        let [min, max, delta, _] = crowd.rows[row];
        let aabb = swath::Aabb { min, max };
        let geometry = if row == 1 { (&crowd.mesh).into() } else { ball.into() };
        let around = |motion: &Motion| {
            swath::mesh::Geometry::bounds_over(&geometry, motion, 0.005).expect("a box")
        };
        let moving = motion.as_ref().map_or(swath::MovingBox { aabb, delta }, around);
        let kind = if row == 1 { SWATH_KIND_FIXED } else { SWATH_KIND_DYNAMIC };
        let filter = swath_filter { category: u32::MAX, mask: u32::MAX };
        let proxy = swath_proxy { kind, filter, owner: 0, margin: 0.0, data: 0, enabled: 1 };
        let mut id = swath_proxy_id { index: 0, generation: 0 };
        works(unsafe { swath_broadphase_insert(broadphase, &moving.into(), &proxy, &mut id) });
        let proxy = if row == 1 { Proxy::fixed() } else { Proxy::dynamic() };
        ids.push(in_rust.insert_moving(moving, proxy).expect("a proxy"));
        let flags = crowd.flags[row] & SWATH_BODY_SENSOR;
        world.bodies.push(swath_proxy_body {
            shape: if motion.is_some() { crowd.shape(row) } else { null() },
            motion: bytemuck::cast(motion.unwrap_or_default()),
            flags,
        });
        bodies.push(BodyInfo {
            shape: motion.map(|motion| (geometry, motion)),
            flags: BodyFlags::from_bits(flags),
        });
    }
    let user: *mut World = &raw mut world;
    let function = swath_proxy_bodies { user: user.cast(), body: Some(describe) };
    for _ in 0..3 {
        let mut tick = NO_PROXY_TICK;
        works(unsafe { swath_pipeline_tick_proxies(pipeline.0, broadphase, &function, &mut tick) });
        let mut called = Vec::new();
        let expected = rust.tick_proxies(&mut in_rust, |id: ProxyId| {
            called.push(id.index());
            bodies[id.index() as usize]
        });
        let expected = expected.expect("a tick");
        let world = unsafe { &mut *user };
        assert_eq!(world.called, called);
        assert!(called.is_sorted() && called.len() > 50);
        assert!(world.statuses.iter().all(|&status| status == SWATH_ERROR_BUSY));
        (world.called, world.statuses) = (Vec::new(), Vec::new());
        assert!(expected.impacts().len() > 50 && !expected.sensed().is_empty());
        for (c, rust) in [(tick.impacts, expected.impacts()), (tick.sensed, expected.sensed())] {
            let c = list(c.data, c.count);
            assert_eq!(c.len(), rust.len());
            for (c, rust) in c.iter().zip(rust) {
                assert_eq!((c.a, c.b), (rust.pair.a.into(), rust.pair.b.into()));
                let all = words(&[rust.with_pair(swath::Pair { a: 0, b: 0 })]);
                let of_c: &[u32] = bytemuck::cast_slice(std::slice::from_ref(c));
                assert_eq!((of_c[0], &of_c[5..]), (all[0], &all[3..]));
            }
        }
        // All move on.
        for &id in &ids {
            let moving = in_rust.moving_box(id).expect("it exists");
            let aabb = moving.aabb.translated(moving.delta).expect("near");
            in_rust.set(id, aabb, moving.delta).expect("near");
            let moving = swath::MovingBox { aabb, ..moving };
            works(unsafe { swath_broadphase_set(broadphase, id.into(), &moving.into()) });
            let of = bodies[id.index() as usize].shape.as_mut();
            if let Some((_, motion)) = of {
                let end = motion.at(1.0).position;
                motion.pose.position = end;
                world.bodies[id.index() as usize].motion = bytemuck::cast(*motion);
            }
        }
    }
    // Without a function all are boxes.
    let mut tick = NO_PROXY_TICK;
    works(unsafe { swath_pipeline_tick_proxies(pipeline.0, broadphase, null(), &mut tick) });
    let expected = rust.tick_proxies(&mut in_rust, |_| BodyInfo::default()).expect("a tick");
    assert_eq!(tick.impacts.count, expected.impacts().len());
    unsafe { swath_broadphase_destroy(broadphase) };
}

/// Goal: a wrong description is an error, after the update. Method: a shape that is not aligned, flags that do not exist, and no function.
#[test]
fn wrong_descriptions_are_errors_after_the_update() {
    unsafe extern "C" fn write(user: *mut c_void, _: swath_proxy_id, body: *mut swath_proxy_body) {
        let wrong: &swath_proxy_body = unsafe { &*user.cast() };
        assert!(unsafe { (*body).shape }.is_null() && unsafe { (*body).flags } == 0);
        unsafe { *body = *wrong };
    }
    let pipeline = Ticks::new(&swath_pipeline_defaults(), 1);
    let mut broadphase = null_mut();
    works(unsafe { swath_broadphase_create(null(), &mut broadphase) });
    for k in 0..2 {
        let x = 0.5 * k as f32;
        let aabb = swath_aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
        let moving = swath_moving_box { aabb, delta: [0.0; 3] };
        let filter = swath_filter { category: u32::MAX, mask: u32::MAX };
        let proxy = swath_proxy { kind: 0, filter, owner: 0, margin: 0.0, data: 0, enabled: 1 };
        let mut id = swath_proxy_id { index: 0, generation: 0 };
        works(unsafe { swath_broadphase_insert(broadphase, &moving, &proxy, &mut id) });
    }
    let right =
        swath_proxy_body { shape: null(), motion: bytemuck::cast(Motion::default()), flags: 0 };
    let odd: *const swath_shape = (&raw const right).cast::<u8>().wrapping_add(1).cast();
    let cases = [
        (
            swath_proxy_body { shape: odd, ..right },
            SWATH_ERROR_MISALIGNED,
            "the body of the proxy with index 0: shape: misaligned",
        ),
        (
            swath_proxy_body { flags: 8, ..right },
            SWATH_ERROR_ARGUMENT,
            "the body of the proxy with index 0: flags: 8",
        ),
    ];
    let mut tick = swath_proxy_tick {
        impacts: swath_proxy_impacts { data: null(), count: 77 },
        ..NO_PROXY_TICK
    };
    let mut changes = unsafe { std::mem::zeroed::<swath_changes>() };
    for (begun, (mut wrong, status, text)) in [1, 0].into_iter().zip(cases) {
        let user = (&raw mut wrong).cast();
        let function = swath_proxy_bodies { user, body: Some(write) };
        let found =
            unsafe { swath_pipeline_tick_proxies(pipeline.0, broadphase, &function, &mut tick) };
        fails(found, status, text);
        assert_eq!(tick.impacts.count, 77);
        works(unsafe { swath_broadphase_changes(broadphase, &mut changes) });
        assert_eq!((changes.begun.count, changes.touching_count), (begun, 1));
    }
    let function = swath_proxy_bodies { user: null_mut(), body: None };
    let found =
        unsafe { swath_pipeline_tick_proxies(pipeline.0, broadphase, &function, &mut tick) };
    fails(found, SWATH_ERROR_ARGUMENT, "bodies: the function `body` is NULL");
    works(unsafe { swath_pipeline_tick_proxies(pipeline.0, broadphase, null(), &mut tick) });
    assert_eq!(tick.impacts.count, 1);
    unsafe { swath_broadphase_destroy(broadphase) };
}
