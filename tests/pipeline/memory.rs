//! Tests that the memory of a pipeline depends on the last ticks, and not on the largest one ever.

use swath::convex::toi::Touch;
use swath::pipeline::{BodyFlags, BodyInfo, Config};
use swath::{
    Aabb, Broadphase, ConvexBody, Motion, MovingBoxColumns, PairFinder, Pipeline, Pose, Proxy,
    ProxyId, Scene, Shape, Threads,
};
use testkit::draw::Draw;

const ROWS: usize = 4000;
/// Bytes that may be kept in any case: most are those of the pair finder, which may keep 4,096 places for each of its 129 runs.
const KEPT: usize = 8 << 20;

/// What the pairs of a crowd become.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Crowd {
    /// Impacts of plain boxes.
    Boxes,
    /// Impacts with sensors.
    Sensors,
    /// Impacts of shapes.
    Shapes,
    /// Pairs that are dropped because their bodies are slow.
    Slow,
}

/// Boxes at random places, of which the first may be in one place.
struct Boxes {
    lows: [Vec<f32>; 3],
    draw: Draw,
}

impl Boxes {
    fn new() -> Self {
        let mut draw = Draw::new(3);
        let lows = [(); 3].map(|()| (0..ROWS).map(|_| draw.between(-50.0, 50.0)).collect());
        Self { lows, draw }
    }

    /// The columns with the first `count` boxes in one place.
    fn columns(&mut self, count: usize) -> [Vec<f32>; 9] {
        let mut columns: [Vec<f32>; 9] = core::array::from_fn(|_| vec![0.0; ROWS]);
        for axis in 0..3 {
            let mut low = self.lows[axis].clone();
            low[..count].fill(self.draw.between(-49.0, 49.0));
            columns[3 + axis] = low.iter().map(|low| low + 0.5).collect();
            columns[axis] = low;
        }
        columns
    }
}

/// A pipeline by which all touching bodies have an impact, unless all are slow.
fn pipeline(fast: f32) -> Pipeline {
    let mut config = Config::default();
    (config.touch, config.fast) = (Touch::Hit, fast);
    Pipeline::with_exec(config, Threads::one())
}

fn boxes_of(columns: &[Vec<f32>; 9]) -> MovingBoxColumns<'_> {
    MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("columns")
}

/// Runs a tick with `count` boxes in one place. Returns how many pairs had a result, and the memory.
fn tick(pipeline: &mut Pipeline, boxes: &mut Boxes, crowd: Crowd, count: usize) -> [usize; 2] {
    let columns = boxes.columns(count);
    let mut flags = vec![BodyFlags::MOVES; ROWS];
    if crowd == Crowd::Sensors {
        flags[..count].fill(BodyFlags::MOVES | BodyFlags::SENSOR);
    }
    let shape = Shape::sphere(0.25).expect("a ball");
    let shaped = if crowd == Crowd::Shapes { count } else { 0 };
    let convex: Vec<_> = (0..shaped)
        .map(|row| {
            let center = [0, 1, 2].map(|axis| columns[axis][row] + 0.25);
            let motion = Motion::from(Pose::at(center).expect("valid"));
            ConvexBody { row: row as u32, shape, motion }
        })
        .collect();
    let scene = Scene::new(boxes_of(&columns)).flagged(&flags).convex(&convex);
    let output = pipeline.tick(&scene).expect("a scene");
    let pairs = match crowd {
        Crowd::Boxes | Crowd::Shapes => output.impacts().len(),
        Crowd::Sensors => output.sensed().len(),
        Crowd::Slow => output.slow().count(),
    };
    [pairs, pipeline.memory_usage()]
}

/// Goal: the memory of a tick with very many pairs is freed after some ticks with few, and not sooner. Method: a crowd for one tick, whose pairs are in
/// other lists each time; the memory before it, in it, soon after it, and later.
#[test]
fn memory_of_a_crowd_is_freed_after_some_ticks() {
    for (crowd, count, fast) in [
        (Crowd::Boxes, 700, 0.0),
        (Crowd::Sensors, 700, 0.0),
        (Crowd::Shapes, 500, 0.0),
        (Crowd::Slow, 2200, 1.0),
    ] {
        let (mut pipeline, mut boxes) = (pipeline(fast), Boxes::new());
        let mut last = |count: usize, ticks: usize| {
            (0..ticks)
                .map(|_| tick(&mut pipeline, &mut boxes, crowd, count))
                .last()
                .expect("there are ticks")
        };
        let [few, before] = last(0, 3);
        let [many, most] = last(count, 1);
        assert!(many >= few + count * (count - 2) / 2, "{crowd:?}: {many} and {few}");
        assert!(most > before + 2 * KEPT, "{crowd:?}: {before}, then {most}");
        let [_, soon] = last(0, 3);
        assert!(soon > before + 3 * KEPT / 2, "{crowd:?}: {before}, {most}, then {soon}");
        let [_, after] = last(0, 40);
        assert!(after < before + KEPT, "{crowd:?}: {before}, {most}, then {after}");
    }
}

/// Goal: a crowd that is elsewhere in each tick, and so in another run of pairs, does not leave its memory in each of them. Method: ticks with a crowd at
/// random places; the memory of each.
#[test]
fn memory_of_a_crowd_that_moves_does_not_add_up() {
    const COUNT: usize = 200;
    for crowd in [Crowd::Boxes, Crowd::Sensors, Crowd::Shapes] {
        let (mut pipeline, mut boxes) = (pipeline(0.0), Boxes::new());
        for _ in 0..60 {
            let [pairs, memory] = tick(&mut pipeline, &mut boxes, crowd, COUNT);
            assert!(pairs >= COUNT * (COUNT - 1) / 2, "{crowd:?}: {pairs}");
            // Up to eight times an impact and what belongs to it, and what sorts the impacts.
            assert!(memory < 1600 * pairs + KEPT, "{crowd:?}: {memory} for {pairs}");
        }
    }
}

/// Goal: the memory for the rows of a large scene is freed after some ticks of a small one. Method: a scene with very many bodies, a third of which have shapes, for
/// one tick, then one with few, with and without a margin; the memory besides that of a pair finder that finds the same pairs.
#[test]
fn memory_of_many_rows_is_freed_after_some_ticks() {
    const MANY: usize = 120_000;
    for (margin, limit) in [(0.125, 0), (0.0, 0), (0.0, 2)] {
        let mut config = Config::default();
        (config.target_distance, config.impacts_per_body) = (margin, limit);
        let mut pipeline = Pipeline::with_exec(config, Threads::one());
        let mut finder = PairFinder::new();
        finder.exec.threads = Threads::one();
        let mut tick = |rows: usize, shaped: usize| {
            let column = |x: f32| vec![x; rows];
            let line = |start: f32| (0..rows).map(|row| row as f32 + start).collect();
            let [low, high, still] = [0.0, 1.0, 0.0].map(column);
            let columns = [
                line(0.0),
                low.clone(),
                low,
                line(1.0),
                high.clone(),
                high,
                still.clone(),
                still.clone(),
                still,
            ];
            let shape = Shape::cuboid([0.5; 3]).expect("a cube");
            let convex: Vec<_> = (0..shaped as u32)
                .map(|row| {
                    let pose = Pose::at([row as f32 + 0.5, 0.5, 0.5]).expect("valid");
                    ConvexBody { row, shape, motion: Motion::from(pose) }
                })
                .collect();
            let flags = vec![BodyFlags::MOVES; rows];
            let scene = Scene::new(boxes_of(&columns)).flagged(&flags).convex(&convex);
            assert_eq!(pipeline.tick(&scene).expect("a scene").stats().candidates, rows - 1);
            let found = finder.swept_pairs(pipeline.bounds(&scene).expect("a scene"));
            assert_eq!(found.expect("no limit").len(), rows - 1);
            pipeline.memory_usage().saturating_sub(finder.memory_usage())
        };
        let large = tick(MANY, MANY / 3);
        assert!(large > 100 * MANY, "margin {margin}: {large}");
        let few = (0..40).map(|_| tick(10, 0)).last().expect("there are ticks");
        assert!(few < 20 * MANY, "margin {margin}: {few} of {large}");
    }
}

/// Goal: ticks over a broadphase free the memory of a crowd, too. Method: a crowd of proxies for one tick, and then few that touch.
#[test]
fn memory_of_a_crowd_of_proxies_is_freed_after_some_ticks() {
    const COUNT: usize = 700;
    let mut world = Broadphase::with_exec(Threads::one());
    let place = |k: usize, together: bool| {
        let x = if together { 0.0 } else { 2.0 * k as f32 };
        Aabb::cube([x, 0.0, 0.0], 0.5).expect("valid")
    };
    let ids: Vec<ProxyId> = (0..COUNT)
        .map(|k| world.insert(place(k / 2, false), Proxy::dynamic()).expect("valid"))
        .collect();
    let mut pipeline = pipeline(0.0);
    let shape = Shape::sphere(0.5).expect("a ball");
    let mut tick = |together: bool| {
        for (k, &id) in ids.iter().enumerate() {
            world.set(id, place(k / 2, together), [0.0; 3]).expect("it exists");
        }
        let body = |id: ProxyId| {
            let center = [if together { 0.0 } else { (id.index() / 2 * 2) as f32 }, 0.0, 0.0];
            let motion = Motion::from(Pose::at(center).expect("valid"));
            id.index().is_multiple_of(3).then_some((shape, motion))
        };
        let output = pipeline.tick_proxies(&mut world, body).expect("no limit");
        let impacts = output.impacts().len();
        (impacts, pipeline.memory_usage())
    };
    let (few, before) = (0..3).map(|_| tick(false)).last().expect("there are ticks");
    let (many, most) = tick(true);
    assert_eq!((few, many), (COUNT / 2, COUNT * (COUNT - 1) / 2));
    assert!(most > before + 300 * many, "{before}, then {most}");
    let (_, after) = (0..40).map(|_| tick(false)).last().expect("there are ticks");
    // A few lists keep 4,096 places.
    assert!(after < before + 8192 * 300, "{before}, {most}, then {after}");
}

/// Goal: a pipeline frees all memory on request, and gives the same results afterwards. Method: ticks of columns and of proxies, before and after it.
#[test]
fn shrunk_pipeline_has_no_memory_and_gives_the_same_results() {
    let (mut pipeline, mut boxes) = (pipeline(0.0), Boxes::new());
    let columns = boxes.columns(50);
    let scene = Scene::new(boxes_of(&columns));
    let mut world = Broadphase::new();
    for k in 0..50 {
        let place = Aabb::cube([0.5 * k as f32, 0.0, 0.0], 0.5).expect("valid");
        world.insert(place, Proxy::dynamic()).expect("valid");
    }
    let mut results = |pipeline: &mut Pipeline| {
        let of_columns = pipeline.tick(&scene).expect("a scene").impacts().to_vec();
        let no_shape = |_| None::<(Shape<'_>, Motion)>;
        let of_proxies = pipeline.tick_proxies(&mut world, no_shape).expect("no limit");
        (of_columns, of_proxies.impacts().to_vec())
    };
    let before = results(&mut pipeline);
    assert!(before.0.len() > 1000 && before.1.len() > 50);
    for _ in 0..2 {
        assert!(pipeline.memory_usage() > 100_000);
        pipeline.shrink_to_fit();
        assert_eq!(pipeline.memory_usage(), 0);
        assert_eq!(results(&mut pipeline), before);
    }
}

/// Goal: the memory for the slots of a large broadphase is freed after some ticks of a small one, and not in ticks of the large one. Method: very many proxies of
/// which the last two touch; then few.
#[test]
fn memory_of_many_slots_is_freed_after_some_ticks() {
    const MANY: usize = 200_000;
    let world = |count: usize| {
        let mut world = Broadphase::with_exec(Threads::one());
        for k in 0..count {
            let x = 2.0 * k.min(count - 2) as f32;
            let cube = Aabb::cube([x, 0.0, 0.0], 0.5).expect("valid");
            world.insert(cube, Proxy::dynamic()).expect("valid");
        }
        world
    };
    let mut pipeline = pipeline(0.0);
    let mut last = |count: usize| {
        let mut world = world(count);
        for _ in 0..40 {
            let output = pipeline.tick_proxies(&mut world, |_| BodyInfo::default());
            assert_eq!(output.expect("no limit").impacts().len(), 1);
        }
        pipeline.memory_usage()
    };
    let (large, small) = (last(MANY), last(10));
    assert!(large >= 4 * MANY && small < MANY, "{small} of {large}");
}
