//! Tests that `memory_usage` is what was allocated.

use std::sync::atomic::Ordering;
use swath::broadphase::PairInput;
use swath::mesh::{Compound, HeightField, Mesh};
use swath::pipeline::{Config, GeometryBody, PartImpacts};
use swath::{
    AabbColumns, Broadphase, Bvh, ConvexBody, FixedBoxes, Motion, MovingBox, MovingBoxColumns,
    PairFinder, Pipeline, Pose, Proxy, ProxyId, Scene, Segment, Shape, Threads,
};
use testkit::counting::BYTES;
use testkit::draw::Draw;

const ROWS: usize = 6_000;

/// Creates a value and checks that its `memory_usage` is the number of bytes that are allocated since.
fn check<T>(name: &str, create: impl FnOnce() -> T, memory_usage: impl Fn(&T) -> usize) {
    let before = BYTES.load(Ordering::Relaxed);
    let value = create();
    let allocated = BYTES.load(Ordering::Relaxed) - before;
    assert!(allocated > 100_000, "{name}: {allocated}");
    assert_eq!(memory_usage(&value) as isize, allocated, "{name}");
}

/// Goal: the memory usage of each engine object is exactly what it has allocated. Method: an allocator that counts, one
/// thread, and scenes with invalid rows, input as structures, sorted pairs, margins, sleeping proxies and convex bodies.
pub(crate) fn memory_usage_equals_allocated_bytes() {
    let mut draw = Draw::new(7);
    let mut columns: [Vec<f32>; 9] = Default::default();
    for _ in 0..ROWS {
        for axis in 0..3 {
            let at = draw.between(-12.0, 12.0);
            columns[axis].push(at - 0.3);
            columns[3 + axis].push(at + 0.3);
            columns[6 + axis].push(draw.between(-1.0, 1.0));
        }
    }
    columns[0][17] = f32::NAN;
    let slices = columns.each_ref().map(Vec::as_slice);
    let [x0, y0, z0, x1, y1, z1, ..] = slices;
    let boxes = MovingBoxColumns::from_columns(slices).expect("columns");
    let still = AabbColumns::new([x0, y0, z0], [x1, y1, z1]).expect("columns");
    let rows: Vec<MovingBox> = (0..ROWS).map(|row| boxes.get(row)).collect();

    let finder = || {
        let mut finder = PairFinder::new();
        finder.exec.threads = Threads::one();
        let _ = finder.union_pairs(boxes).expect("columns").sorted();
        let _ = finder.swept_pairs(PairInput::new(&rows)).expect("rows").sorted();
        finder
    };
    check("PairFinder", finder, PairFinder::memory_usage);

    let bvh = || {
        let mut bvh = Bvh::new();
        bvh.exec.threads = Threads::one();
        bvh.build(still).expect("columns");
        bvh
    };
    check("Bvh", bvh, Bvh::memory_usage);

    let fixed = || {
        let mut fixed = FixedBoxes::new();
        fixed.exec.threads = Threads::one();
        fixed.extend(still).expect("columns");
        fixed.extend(still.slice(0..100)).expect("columns");
        let _ = fixed.swept_pairs(PairInput::new(&rows)).expect("rows").sorted();
        fixed
    };
    check("FixedBoxes", fixed, FixedBoxes::memory_usage);

    let valid: Vec<MovingBox> =
        rows.iter().filter(|moving| moving.validate().is_ok()).copied().collect();
    let fill = || {
        let mut broadphase = Broadphase::new();
        broadphase.exec.threads = Threads::one();
        for (row, moving) in valid.iter().enumerate() {
            let proxy = [Proxy::dynamic(), Proxy::fixed(), Proxy::sleeping()][row % 3];
            let proxy = proxy.with_margin(if row % 4 == 0 { 0.25 } else { 0.0 });
            let id = broadphase.insert(moving.aabb, proxy).expect("a proxy");
            if row % 3 == 0 {
                broadphase.set(id, moving.aabb, moving.delta).expect("it exists");
            }
        }
        broadphase
    };
    let updated = || {
        let mut broadphase = fill();
        for _ in 0..3 {
            broadphase.update().expect("there is space");
        }
        let segment = Segment::new([-9.0; 3], [18.0; 3]).expect("a segment");
        assert!(broadphase.queries().cast(&segment).expect("a segment").closest().is_some());
        broadphase
    };
    check("Broadphase", updated, Broadphase::memory_usage);

    let mesh = || {
        let vertices: Vec<_> = valid.iter().map(|moving| moving.aabb.min).collect();
        let triangles = (2..vertices.len() as u32).map(|k| [k - 2, k - 1, k]);
        Mesh::with_exec(vertices, triangles.collect::<Vec<_>>(), Threads::one()).expect("triangles")
    };
    check("Mesh", mesh, Mesh::memory_usage);
    let field = || {
        let heights = vec![0.0_f32; 200 * 300];
        HeightField::with_exec(heights, [200, 300], [1.0; 2], Threads::one()).expect("a grid")
    };
    check("HeightField", field, HeightField::memory_usage);
    let compound = || {
        let at = |moving: &MovingBox| Pose::at(moving.aabb.min).expect("a pose");
        let ball = Shape::sphere(0.1).expect("a ball");
        let parts: Vec<_> = valid.iter().map(|moving| (ball.into(), at(moving))).collect();
        Compound::with_exec(parts, Threads::one()).expect("poses")
    };
    check("Compound", compound, Compound::memory_usage);

    let shape = Shape::cuboid([0.3; 3]).expect("a box");
    let motion_of = |moving: &MovingBox| {
        let pose = Pose::at(moving.aabb.min).expect("a pose");
        Motion::new(pose, moving.delta).expect("a motion")
    };
    let convex: Vec<ConvexBody<'_>> = (0..ROWS as u32)
        .step_by(3)
        .filter(|&row| row != 17)
        .map(|row| ConvexBody { row, shape, motion: motion_of(&rows[row as usize]) })
        .collect();
    let scene = Scene::new(boxes).convex(&convex);
    let ticked = || {
        let mut pipeline = Pipeline::default();
        pipeline.exec.threads = Threads::one();
        assert!(!pipeline.tick(&scene).expect("a scene").impacts().is_empty());
        pipeline
    };
    check("Pipeline of a scene", ticked, Pipeline::memory_usage);
    let ground = mesh();
    let body = GeometryBody { row: 1, geometry: (&ground).into(), motion: Motion::default() };
    let scene = scene.geometries(std::slice::from_ref(&body));
    let of_parts = || {
        let mut config = Config::default();
        config.part_impacts = PartImpacts::Each;
        let mut pipeline = Pipeline::new(config);
        pipeline.exec.threads = Threads::one();
        let ticked = pipeline.tick(&scene).expect("a scene");
        assert!(ticked.impacts().iter().any(|of| of.pair.a == 1 || of.pair.b == 1));
        pipeline
    };
    check("Pipeline of a scene with parts", of_parts, Pipeline::memory_usage);

    let mut broadphase = fill();
    broadphase.update().expect("there is space");
    let mut of_proxies = || {
        let mut pipeline = Pipeline::default();
        pipeline.exec.threads = Threads::one();
        let about = |id: ProxyId| Some((shape, motion_of(&valid[id.index() as usize])));
        assert!(!pipeline.tick_proxies(&mut broadphase, about).expect("one").impacts().is_empty());
        pipeline
    };
    // After a few ticks the broadphase allocates nothing.
    for _ in 0..4 {
        drop(of_proxies());
    }
    check("Pipeline of proxies", of_proxies, Pipeline::memory_usage);
}

/// Goal: a finder frees the memory of pairs that later ticks do not need. Method: ticks with a crowd of which all boxes
/// overlap, in another place each time; then ticks without a crowd, and the memory before and after.
pub(crate) fn memory_of_a_crowd_is_freed() {
    let mut draw = Draw::new(9);
    let lows: [Vec<f32>; 3] =
        core::array::from_fn(|_| (0..ROWS).map(|_| draw.between(-50.0, 50.0)).collect());
    let mut finder = PairFinder::new();
    finder.exec.threads = Threads::one();
    let mut tick = |place: Option<[f32; 3]>| {
        let mut columns: [Vec<f32>; 9] = Default::default();
        for axis in 0..3 {
            let mut low = lows[axis].clone();
            if let Some(place) = place {
                low[..1000].fill(place[axis]);
            }
            columns[3 + axis] = low.iter().map(|low| low + 0.5).collect();
            columns[axis] = low;
            columns[6 + axis] = vec![0.0; ROWS];
        }
        let slices = columns.each_ref().map(Vec::as_slice);
        let boxes = MovingBoxColumns::from_columns(slices).expect("columns");
        let union = finder.union_pairs(boxes).expect("columns").sorted().len();
        let swept = finder.swept_pairs(boxes).expect("columns").len();
        assert_eq!(union, swept);
        (union, finder.memory_usage())
    };
    let (pairs, before) = (0..4).map(|_| tick(None)).last().expect("ticks");
    for _ in 0..60 {
        let place = core::array::from_fn(|_| draw.between(-49.0, 49.0));
        let (crowded, memory) = tick(Some(place));
        assert!(crowded > 499_000, "{crowded} pairs of a crowd");
        // Pairs of either kind, seven times each, because a crowd may lie in two strips, and the sorted ones.
        assert!(memory < 350 * crowded, "{memory} bytes for {crowded} pairs");
    }
    let (again, after) = (0..40).map(|_| tick(None)).last().expect("ticks");
    assert_eq!(again, pairs);
    // Of each of the 129 runs of either kind, 4,096 places may be left.
    assert!(
        after < before + 129 * 4096 * 20,
        "{before} bytes before the crowd and {after} after it"
    );
}

/// Goal: the memory of pairs is bounded by the pairs of the largest of the last ticks, also if each tick finds its pairs
/// in other runs. Method: ticks with a crowd in worlds of very different extents, which have different grids.
pub(crate) fn memory_of_very_different_worlds_is_bounded() {
    const CROWD: usize = 1_800;
    let mut draw = Draw::new(11);
    let mut finder = PairFinder::new();
    finder.exec.threads = Threads::one();
    let mut largest = 0;
    for tick in 0..48 {
        let extent: [f32; 3] =
            core::array::from_fn(|_| [10.0, 40.0, 160.0][draw.between(0.0, 2.99) as usize]);
        let place = extent.map(|extent| draw.between(-extent, extent));
        let mut columns: [Vec<f32>; 9] = Default::default();
        for row in 0..ROWS {
            for axis in 0..3 {
                let low = draw.between(-extent[axis], extent[axis]);
                let low = if row < CROWD { place[axis] } else { low };
                columns[axis].push(low);
                columns[3 + axis].push(low + 0.5);
                columns[6 + axis].push(0.0);
            }
        }
        let slices = columns.each_ref().map(Vec::as_slice);
        let boxes = MovingBoxColumns::from_columns(slices).expect("columns");
        largest = largest.max(finder.union_pairs(boxes).expect("columns").len());
        let memory = finder.memory_usage();
        // Eight bytes a pair, eight places for each, 4,096 places for each of the 129 runs, and the strips.
        let most = 8 * (8 * largest + 4096 * 129) + (8 << 20);
        assert!(memory < most, "tick {tick}: {memory} bytes for at most {largest} pairs");
    }
    assert!(largest >= CROWD * (CROWD - 1) / 2, "{largest} pairs of a crowd");
}
