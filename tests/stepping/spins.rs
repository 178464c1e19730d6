//! Bodies that spin and touch others: nothing is stalled for it, and nothing passes through anything.

use swath::mesh::Mesh;
use swath::pipeline::GeometryBody;
use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::draw::Draw;

/// Goal: a rod that spins does not pass through a thin plate, nor does it end the tick inside of it, although its ends touch the plate one
/// after the other. Method: rods above a fixed flat box fall on it with spins about inclined axes, one of which passed through it; the
/// ends of the rods at the end of the tick.
#[test]
fn spinning_rod_does_not_pass_through_a_thin_plate() {
    const HALF: f32 = 0.3;
    const RADIUS: f32 = 0.05;
    let mut draw = Draw::new(11);
    let plate = Shape::cuboid([50.0, 0.0, 50.0]).expect("a flat box");
    let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 }];
    let mut stepper = Stepper::new(StepperConfig::default());
    let (mut hit, mut stopped) = (0, 0);
    for case in 0..600 {
        let mut rotation = [0.0, 0.0, 1.0, 3.0];
        let mut spin = [0.0, -3.0, 4.0];
        if case > 0 {
            let most = [0.5, 3.0, 10.0, 30.0][case % 4];
            rotation = [(); 4].map(|()| draw.between(-1.0, 1.0));
            spin = [(); 3].map(|()| draw.between(-most, most));
        }
        let pose = Pose::normalized([0.0, 1.0, 0.0], rotation).expect("a rotation");
        let falling = Motion::new(pose, [0.0, -4.0, 0.0]).expect("a motion");
        let shape = Shape::capsule(HALF, RADIUS).expect("a rod");
        let mut bodies = [
            ConvexBody { row: 0, shape: plate, motion: Motion::default() },
            ConvexBody { row: 1, shape, motion: falling.spinning(spin).expect("a spin") },
        ];
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        let Pose { position: [_, y, _], rotation: [i, _, k, _] } = bodies[1].motion.pose;
        // How far the ends are from the middle, upwards.
        let up = (1.0 - 2.0 * (i * i + k * k)).abs() * HALF;
        let lowest = y - up - RADIUS;
        assert!(lowest > -0.005, "{case}: {rotation:?} {spin:?} ends at {y}, {lowest}");
        hit += usize::from(stats.events > 0);
        assert_eq!(stats.stalled, 0, "{case}: {stats:?}");
        stopped += stats.stopped_rotations;
    }
    assert!(hit > 500 && (1..200).contains(&stopped), "{hit} {stopped}");
}

/// Goal: bodies that spin while they lie on a floor move on in every tick, and stay on the floor. Method: lying capsules that turn slowly
/// about an inclined axis on a fixed floor, with gravity and a velocity along the floor, and each is as far away after many ticks as its
/// velocity takes it.
#[test]
fn bodies_that_spin_on_a_floor_are_not_stalled() {
    const BODIES: usize = 40;
    const TICKS: usize = 100;
    let mut draw = Draw::new(5);
    let floor = Shape::cuboid([200.0, 1.0, 200.0]).expect("a floor");
    let capsule = Shape::capsule(0.4, 0.2).expect("a capsule");
    let below = Pose::at([0.0, -1.0, 0.0]).expect("a pose");
    let mut bodies = vec![ConvexBody { row: 0, shape: floor, motion: below.into() }];
    let mut masses = vec![Mass::FIXED];
    for row in 1..=BODIES {
        let (x, z) = ((row % 8) as f32 * 4.0, (row / 8) as f32 * 4.0);
        let spin = [draw.between(-0.02, 0.02), 0.02, draw.between(-0.02, 0.02)];
        let motion = Pose::at([x, 0.7, z])
            .and_then(|pose| Motion::new(pose, [0.01, 0.0, 0.0]))
            .and_then(|motion| motion.accelerating([0.0, -0.003, 0.0]))
            .and_then(|motion| motion.spinning(spin))
            .expect("a motion");
        bodies.push(ConvexBody { row: row as u32, shape: capsule, motion });
        masses.push(Mass { inverse_mass: 1.0, restitution: 0.0 });
    }
    let starts: Vec<_> = bodies.iter().map(|body| body.motion.pose.position[0]).collect();
    let mut stepper = Stepper::new(StepperConfig::default());
    let (mut stalled, mut stopped, mut touched) = (0, 0, 0);
    for tick in 0..TICKS {
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        stalled += stats.stalled;
        stopped += stats.stopped_rotations;
        touched += stats.responses;
        assert_eq!(stats.stopped_rotations, stepper.stopped_rotations().len());
        for (body, start) in bodies.iter().zip(&starts).skip(1) {
            let [x, y, _] = body.motion.pose.position;
            assert!((0.199..1.0).contains(&y), "tick {tick}: {body:?}");
            let gone = 0.01 * (tick + 1) as f32;
            assert!((x - start - gone).abs() < 0.02, "tick {tick}: {body:?}, started at {start}");
        }
    }
    assert!(touched > BODIES * TICKS / 2, "{touched}");
    assert!(stalled == 0 && stopped < BODIES * TICKS / 50, "{stalled} {stopped}");
}

/// Goal: the rotation of two bodies that touch within the skin stops for the rest of the tick only, and both are reported. Method: a rod that
/// lies on a plate already nearer than the skin and turns one end into it; it moves along the plate as without spin, and keeps its spin.
#[test]
fn rotation_stops_where_the_skin_is_used_up() {
    let plate = Shape::cuboid([50.0, 0.0, 50.0]).expect("a flat box");
    let rod = Shape::capsule(0.4, 0.05).expect("a rod");
    let quarter = core::f32::consts::FRAC_1_SQRT_2;
    let spin = [0.0, 0.0, 1.0];
    let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 }];
    let mut stepper = Stepper::new(StepperConfig::default());
    let mut stopped = 0;
    for case in 0..200 {
        // Lying along x, at distances from an overlap within the skin to the skin.
        let y = 0.05 + 1e-8 * case as f32;
        let pose = Pose::normalized([0.0, y, 0.0], [0.0, 0.0, quarter, quarter]).expect("a pose");
        let motion = Motion::new(pose, [0.25, 0.0, 0.0]).and_then(|motion| motion.spinning(spin));
        let motion = motion.expect("a motion");
        let mut bodies = [
            ConvexBody { row: 0, shape: plate, motion: Motion::default() },
            ConvexBody { row: 1, shape: rod, motion },
        ];
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        assert_eq!(stats.stalled, 0, "{case}: {stats:?}");
        assert!(stepper.stopped_rotations().iter().all(|of| of.row == 1), "{case}");
        let Motion { pose, spin: after, .. } = bodies[1].motion;
        assert_eq!((pose.position[0], after), (0.25, spin), "{case}");
        let [i, _, k, _] = pose.rotation;
        let up = (1.0 - 2.0 * (i * i + k * k)).abs() * 0.4;
        assert!(pose.position[1] - up > 0.05 - 1e-4, "{case}: {pose:?}");
        stopped += stats.stopped_rotations;
    }
    assert!(stopped > 0);
}

/// Goal: a body that spins in a contact does not sink when its acceleration returns it before the pair would be tested again. Method: a cylinder that
/// touches a thin floor on its rim and turns slowly, with a large acceleration, so that the other side of the rim comes down; its lowest point
/// stays within a few skins of the floor.
#[test]
fn spinning_body_that_is_pulled_back_at_once_does_not_sink() {
    let (half, radius) = (0.247_280_95, 0.243_075_3);
    let floor = Shape::cuboid([12.0, 0.01, 12.0]).expect("a thin box");
    let cylinder = Shape::cylinder(half, radius).expect("a cylinder");
    let rotation = [0.110_198_55, 0.196_453_21, -0.147_838_82, 0.963_018_95];
    let pose = Pose { position: [3.25, 0.318_570_8, -0.65], rotation };
    let motion = Motion::new(pose, [4.120_474_4e-12, 0.0, -9.225_454e-11])
        .and_then(|motion| motion.accelerating([0.0, -0.1, 0.0]))
        .and_then(|motion| motion.spinning([-0.146_559_86, 0.054_217_44, -0.046_841_037]))
        .expect("a motion");
    let below = Pose::at([0.0, -0.01, 0.0]).expect("a pose");
    let mut bodies = [
        ConvexBody { row: 0, shape: floor, motion: below.into() },
        ConvexBody { row: 1, shape: cylinder, motion },
    ];
    let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 }];
    let mut stepper = Stepper::new(StepperConfig::default());
    for tick in 0..20 {
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        assert_eq!(stats.stalled, 0, "{tick}: {stats:?}");
        let Pose { position: [_, y, _], rotation: [i, _, k, _] } = bodies[1].motion.pose;
        let [i, k] = [i, k].map(f64::from);
        // The component along y of the axis of the cylinder, and of the radius that points down most.
        let up = 1.0 - 2.0 * (i * i + k * k);
        let across = (1.0 - up * up).max(0.0).sqrt();
        let lowest = f64::from(y) - up.abs() * f64::from(half) - across * f64::from(radius);
        assert!(lowest > -2e-5, "tick {tick}: the lowest point is at {lowest:e}");
    }
}

/// Goal: a body that overlaps a thin floor by a little and spins fast does not turn through it. Method: a capsule that is 10⁻⁶ deep in two triangles and
/// makes a sixteenth of a hundred radians between two tests; it stays above the floor.
#[test]
fn fast_spin_in_an_overlap_does_not_pass_through_a_floor() {
    let corners = [[-12.0, 0.0, -12.0], [12.0, 0.0, -12.0], [12.0, 0.0, 12.0], [-12.0, 0.0, 12.0]];
    let floor = Mesh::new(&corners[..], &[[0, 2, 1], [0, 3, 2]][..]).expect("a floor");
    let capsule = Shape::capsule(0.276_859_34, 0.190_139_16).expect("a capsule");
    let rotation = [0.111_270_23, 0.416_607_14, -0.477_689_27, -0.765_421_7];
    let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 }];
    for gravity in [0.003, 0.1] {
        let motion = Pose::normalized([1.0, 0.333_790_45, 2.0], rotation)
            .and_then(|pose| Motion::new(pose, [0.0; 3]))
            .and_then(|motion| motion.accelerating([0.0, -gravity, 0.0]))
            .and_then(|motion| motion.spinning([-89.658_81, 3.655_225, 44.135_426]))
            .expect("a motion");
        let mut bodies = [
            GeometryBody { row: 0, geometry: (&floor).into(), motion: Motion::default() },
            GeometryBody { row: 1, geometry: capsule.into(), motion },
        ];
        let mut stepper = Stepper::new(StepperConfig::default());
        let mut stopped = 0;
        for tick in 0..40 {
            let stats = stepper.step_geometries(&mut bodies, &masses, None).expect("bodies");
            stopped += stats.stopped_rotations;
            let Pose { position: [_, y, _], rotation: [i, _, k, _] } = bodies[1].motion.pose;
            let up = (1.0 - 2.0 * (i * i + k * k)).abs();
            let lowest = y - up * 0.276_859_34 - 0.190_139_16;
            assert!(lowest > -1e-4, "gravity {gravity}, tick {tick}: {lowest}");
        }
        assert!(stopped > 0);
    }
}
