//! Tests that a warm tick does not allocate.

use std::sync::atomic::Ordering;

use swath::mesh::{Compound, HeightField, Mesh};
use swath::pipeline::{BodyFlags, Config, GeometryBody, PartImpacts};
use swath::{
    Broadphase, ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Proxy, ProxyId, Scene, Shape,
};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::counting::ALLOCATIONS;
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Goal: a warm tick allocates nothing: of columns, of a broadphase, or of the stepper. Method: count
/// allocations over ticks of a crowd with boxes, shapes, sensors and an invalid row, inside a pool, as those
/// of an engine are. A worker of rayon allocates when it first steals work, at an unpredictable time, so the
/// least count of several ticks is used.
pub(crate) fn a_warm_tick_allocates_nothing() {
    let mut draw = Draw::new(5);
    let (mut convex, mut flags) = (Vec::new(), Vec::new());
    let mut columns: [Vec<f32>; 9] = Default::default();
    let mut world = Broadphase::new();
    for row in 0..2_000_u32 {
        let at = [(); 3].map(|()| draw.between(-9.0, 9.0));
        let delta = [(); 3].map(|()| draw.between(-1.0, 1.0));
        for axis in 0..3 {
            columns[axis].push(at[axis] - 0.2);
            columns[3 + axis].push(at[axis] + 0.2);
            columns[6 + axis].push(delta[axis]);
        }
        let pose = Pose::at(at).expect("a pose");
        let motion = Motion::new(pose, delta).and_then(|of| of.spinning([0.3, 0.0, 0.1]));
        let (shape, motion) = (Shape::cuboid([0.2; 3]).expect("a box"), motion.expect("one"));
        let bounds = Pipeline::bounds_of(&shape, &motion, 0.0).expect("a box");
        let id = world.insert(bounds.aabb, Proxy::dynamic()).expect("a proxy");
        world.set(id, bounds.aabb, bounds.delta).expect("it moves");
        if row % 3 == 0 {
            convex.push(ConvexBody { row, shape, motion });
        }
        flags.push(if row % 50 == 0 {
            BodyFlags::MOVES | BodyFlags::SENSOR
        } else {
            BodyFlags::MOVES
        });
    }
    convex[7].motion.spin[0] = f32::NAN;
    let boxes =
        MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("columns");
    let scene = Scene::new(boxes).convex(&convex).flagged(&flags);
    let bodies: Vec<ConvexBody<'_>> = (0..)
        .zip(convex.iter().filter(|convex| convex.motion.validate().is_ok()))
        .map(|(row, convex)| ConvexBody { row, ..*convex })
        .collect();
    let masses = vec![Mass { inverse_mass: 1.0, restitution: 0.5 }; bodies.len()];
    let about = |id: ProxyId| {
        let of = &convex[id.index() as usize / 3];
        (id.index().is_multiple_of(3) && of.motion.validate().is_ok())
            .then_some((of.shape, of.motion))
    };
    let mut config = Config::default();
    config.impacts_per_body = 3;
    let (mut pipeline, mut of_world) = (Pipeline::new(config), Pipeline::new(config));
    let mut stepper = Stepper::new(StepperConfig::default());
    let mut moved = bodies.clone();
    let mut least = [usize::MAX; 3];
    for round in 0..12 {
        let mut count = |which: usize, work: &mut dyn FnMut() -> usize| {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            assert!(work() > 50, "{which}");
            let asked = ALLOCATIONS.load(Ordering::Relaxed) - before;
            if round >= 4 {
                least[which] = least[which].min(asked);
            }
        };
        count(0, &mut || pipeline.tick(&scene).expect("a scene").impacts().len());
        count(1, &mut || of_world.tick_proxies(&mut world, about).expect("one").impacts().len());
        moved.copy_from_slice(&bodies);
        count(2, &mut || stepper.step(&mut moved, &masses, None).expect("bodies").events);
    }
    assert_eq!(least, [0; 3]);
}

/// Goal: a warm tick of bodies with parts allocates nothing. Method: as above, for shapes of which some rotate, by several turns or less, near a
/// terrain of fine triangles, a height field, and a compound that rotates; the first contact, or those of all parts.
pub(crate) fn a_warm_tick_of_meshes_allocates_nothing() {
    const SHAPES: u32 = 300;
    let mut draw = Draw::new(6);
    let (vertices, triangles) = terrain(&mut draw, 40, 1e-5);
    let fine = vertices.into_iter().map(|vertex| vertex.map(|x| 0.3 * x)).collect::<Vec<_>>();
    let ground = Mesh::new(fine, triangles).expect("a terrain");
    let heights: Vec<_> = (0..441).map(|_| draw.between(-0.3, 0.3)).collect();
    let field = HeightField::new(heights, [21, 21], [0.5, 0.5]).expect("a field");
    let parts = (0..20).map(|k| {
        let shape = Shape::cuboid([0.3; 3]).expect("a box");
        (shape.into(), Pose::at([0.5 * k as f32 - 5.0, 0.0, 0.0]).expect("a pose"))
    });
    let compound = Compound::new(parts).expect("a compound");
    let at = |at: [f32; 3], spin: [f32; 3]| {
        let motion = Motion::new(Pose::at(at).expect("a pose"), [0.0; 3]);
        motion.and_then(|motion| motion.spinning(spin)).expect("a motion")
    };
    let others = [
        ((&ground).into(), Motion::default()),
        ((&field).into(), at([12.0, 0.0, 0.0], [0.0; 3])),
        ((&compound).into(), at([0.0, 1.0, 0.0], [0.0, 1.0, 0.0])),
    ];
    let geometries: Vec<GeometryBody<'_>> = (0..)
        .zip(others)
        .map(|(row, (geometry, motion))| GeometryBody { row, geometry, motion })
        .collect();
    let convex: Vec<ConvexBody<'_>> = (3..3 + SHAPES)
        .map(|row| {
            let place = [draw.between(-6.0, 14.0), draw.between(0.3, 2.0), draw.between(-6.0, 6.0)];
            let spin = [0.0, 0.3, 20.0][row as usize % 3];
            let mut motion = at(place, [spin, 0.0, 0.1 * spin]);
            motion.delta = [draw.between(-1.0, 1.0), -2.0, 0.0];
            let shape = Shape::cuboid([0.4, 0.2, 0.3]).expect("a box");
            ConvexBody { row, shape, motion }
        })
        .collect();
    let zeros = vec![0.0; geometries.len() + convex.len()];
    let boxes = MovingBoxColumns::from_columns([&zeros[..]; 9]).expect("columns");
    let scene = Scene::new(boxes).convex(&convex).geometries(&geometries);
    for part_impacts in [PartImpacts::First, PartImpacts::Each] {
        let mut config = Config::default();
        config.part_impacts = part_impacts;
        let mut pipeline = Pipeline::new(config);
        let mut least = usize::MAX;
        for round in 0..12 {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let output = pipeline.tick(&scene).expect("a scene");
            let parts = output.impacts().iter().filter(|impact| impact.parts != [0, 0]);
            assert!(parts.count() > SHAPES as usize / 2);
            let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
            least = if round < 4 { least } else { least.min(allocated) };
        }
        assert_eq!(least, 0, "{part_impacts:?}");
    }
}
