//! Tests that a warm tick does not allocate.

use std::sync::atomic::Ordering;

use swath::pipeline::{BodyFlags, Config};
use swath::{
    Broadphase, ConvexBody, Motion, MovingBoxColumns, Pipeline, Pose, Proxy, ProxyId, Scene, Shape,
};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::counting::ALLOCATIONS;
use testkit::draw::Draw;

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
