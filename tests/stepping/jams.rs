//! Tests with bodies that are jammed between others: no energy is won, and a step takes a bounded time.

use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::draw::Draw;

/// Downward acceleration, in lengths per tick².
const GRAVITY: f32 = 9.81 / 3600.0;

/// Returns a pit with walls and a floor, and bodies of three kinds that fall into it one after the other.
fn pit(draw: &mut Draw, half: f32, count: u32) -> (Vec<ConvexBody<'static>>, Vec<Mass>) {
    let (wide, high) = (half + 1.0, 2.0 * count as f32);
    let walls = [
        ([wide, 0.5, wide], [0.0, -0.5, 0.0]),
        ([0.5, high, wide], [half + 0.5, high, 0.0]),
        ([0.5, high, wide], [-half - 0.5, high, 0.0]),
        ([wide, high, 0.5], [0.0, high, half + 0.5]),
        ([wide, high, 0.5], [0.0, high, -half - 0.5]),
    ];
    let mut bodies: Vec<ConvexBody<'static>> = Vec::new();
    let mut put = |shape, at| {
        let motion = Motion::from(Pose::at(at).expect("a pose"));
        bodies.push(ConvexBody { row: bodies.len() as u32, shape, motion });
    };
    for (sides, at) in walls {
        put(Shape::cuboid(sides).expect("a box"), at);
    }
    for k in 0..count {
        let shape = match k % 3 {
            0 => Shape::cuboid([0.5; 3]),
            1 => Shape::sphere(0.5),
            _ => Shape::capsule(0.3, 0.4),
        };
        let [x, z] = [(); 2].map(|()| draw.between(1.0 - half, half - 1.0));
        put(shape.expect("a shape"), [x, 1.0 + 1.6 * k as f32, z]);
    }
    let mut masses = vec![Mass::FIXED; walls.len()];
    for body in &mut bodies[walls.len()..] {
        body.motion.accel = [0.0, -GRAVITY, 0.0];
        masses.push(Mass { inverse_mass: 1.0, restitution: 0.1 });
    }
    (bodies, masses)
}

/// Returns the kinetic and potential energy of the bodies that can be pushed, relative to the floor, in length² per tick².
fn energy(bodies: &[ConvexBody<'_>], masses: &[Mass]) -> f64 {
    let floor = bodies[0].motion;
    let of = |body: &ConvexBody<'_>| {
        let Motion { delta, pose, .. } = body.motion;
        let speeds =
            delta.iter().zip(floor.delta).map(|(&of, floor)| f64::from(of) - f64::from(floor));
        let height = f64::from(pose.position[1]) - f64::from(floor.pose.position[1]);
        0.5 * speeds.map(|speed| speed * speed).sum::<f64>() + f64::from(GRAVITY) * height
    };
    bodies
        .iter()
        .zip(masses)
        .filter(|(_, mass)| mass.inverse_mass > 0.0)
        .map(|(body, _)| of(body))
        .sum()
}

/// Goal: a pile in a narrow pit wins no energy, in which many bodies support each other, and no step propagates impulses without a bound; also on a lift.
/// Method: bodies fall into a pit, several times, which is at rest or moves; the energy relative to it after each tick is at most that before it and what raises one
/// body by a twentieth of its size, because overlaps by rounding are corrected.
#[test]
fn jammed_bodies_win_no_energy() {
    let (mut draw, mut propagated) = (Draw::new(1), 0);
    for lift in [0.0, 0.25, -0.125, 0.0] {
        let (mut bodies, masses) = pit(&mut draw, 2.2, 30);
        bodies.iter_mut().for_each(|body| body.motion.delta[1] += lift);
        let mut stepper = Stepper::new(StepperConfig::default());
        let mut before = energy(&bodies, &masses);
        let mut lost = 0.0;
        for tick in 0..300 {
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            let after = energy(&bodies, &masses);
            // A stalled body is at rest for a part of the tick, not relative to the lift.
            let stalled = 0.5 * f64::from(lift * lift) * f64::from(stats.stalled as u32);
            let most = before + 0.05 * f64::from(GRAVITY) + stalled;
            assert!(after <= most, "lift {lift}, tick {tick}: {before} to {after}, {stats:?}");
            lost += before - after;
            propagated = stats.propagated.max(propagated);
            before = after;
        }
        assert!(lost > 1.0, "{lost} lost");
    }
    assert!(propagated > 500, "{propagated} impulses");
}

/// Goal: bodies that a correction delays in their return to each other respond, and are not stalled without having moved. Method: three balls on each other and on a floor, at positions and velocities at which
/// all of them were stalled at the start of each tick.
#[test]
fn balls_that_a_correction_lets_return_at_once_are_not_stalled() {
    let ball = Shape::sphere(0.5).expect("a ball");
    let balls = [
        ([-0.502_787_4, 0.500_001_13, -1.420_802_5], [-0.011_197_982, 0.0, -0.014_314_984]),
        ([-0.521_883_25, 0.500_000_5, -0.587_298_3], [-0.004_536_612, 0.0, -0.003_797_511_8]),
        ([0.324_598_97, 1.055_907, -1.500_809_1], [0.001_186_599_5, -0.019_466_76, -0.023_497_118]),
    ];
    let slab = Shape::cuboid([50.0, 1.0, 50.0]).expect("a slab");
    let below = Motion::from(Pose::at([0.0, -1.0, 0.0]).expect("a pose"));
    let mut bodies = vec![ConvexBody { row: 0, shape: slab, motion: below }];
    for (at, delta) in balls {
        let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
        let motion = motion.accelerating([0.0, -0.0027, 0.0]).expect("a motion");
        bodies.push(ConvexBody { row: 0, shape: ball, motion });
    }
    let mut masses = [Mass { inverse_mass: 1.0, restitution: 0.0 }; 4];
    masses[0] = Mass::FIXED;
    let mut stepper = Stepper::new(StepperConfig::default());
    for tick in 0..100 {
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        assert_eq!(stats.stalled, 0, "tick {tick}: {stats:?}");
    }
    assert!(bodies[3].motion.pose.position[1] < 0.51, "{:?}", bodies[3].motion);
}

/// Goal: stalled bodies between a piston and a wall get no faster than the piston, or than they were. Method: balls in a row that are not quite on a line, and are pushed together for 200 ticks; the speed of
/// each stalled ball before and after each tick.
#[test]
fn stalled_bodies_between_a_piston_and_a_wall_win_no_speed() {
    const PISTON: f32 = 0.05;
    let target = 0.0027_f32;
    let mut stalled = 0;
    for (count, beside) in [(2, 0.001), (2, 0.01), (3, 0.001), (3, 0.01), (4, 0.01)] {
        let wall = Shape::cuboid([0.5, 5.0, 5.0]).expect("a wall");
        let ball = Shape::sphere(0.5).expect("a ball");
        let body = |shape, at, delta| {
            let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
            ConvexBody { row: 0, shape, motion }
        };
        let piston = 4.5 - target - count as f32 * (1.0 + target);
        let mut bodies = vec![
            body(wall, [5.5, 0.0, 0.0], [0.0; 3]),
            body(wall, [piston, 0.0, 0.0], [PISTON, 0.0, 0.0]),
        ];
        for k in 0..count {
            let (x, y) = (k as f32 * (1.0 + target), if k == 0 { beside } else { 0.0 });
            bodies.push(body(ball, [4.5 - target - x, y, 0.0], [0.0; 3]));
        }
        let mut masses = vec![Mass { inverse_mass: 1.0, restitution: 0.0 }; bodies.len()];
        masses[..2].fill(Mass::FIXED);
        let mut config = StepperConfig::default();
        config.target_distance = target;
        let mut stepper = Stepper::new(config);
        let speed = |body: &ConvexBody<'_>| {
            body.motion.delta.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt()
        };
        for tick in 0..200 {
            let before: Vec<_> = bodies.iter().map(speed).collect();
            stepper.step(&mut bodies, &masses, None).expect("bodies");
            for row in stepper.stalled().iter().map(|of| of.row as usize).filter(|&row| row > 1) {
                let most = before[row].max(f64::from(PISTON));
                let after = speed(&bodies[row]);
                assert!(after <= most * 1.000_001, "{count} {beside} {tick}: {most} to {after}");
                stalled += 1;
            }
        }
    }
    assert!(stalled > 100, "{stalled}");
}
