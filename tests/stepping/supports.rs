//! Tests that a body which rests on an immovable one counts as immovable for impacts from above, and that no
//! other body does.
//!
//! Elastic balls hit from above. They leave a supported body as they leave the floor, and share momentum with
//! a free one by mass. All speeds have closed forms.

use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};

/// A body that cannot be pushed.
const IMMOVABLE: [f32; 2] = [0.0, 0.0];
/// Restitution 0.
const PLASTIC: [f32; 2] = [1.0, 0.0];
const ELASTIC: [f32; 2] = [1.0, 1.0];

#[derive(Default)]
struct Crowd {
    bodies: Vec<ConvexBody<'static>>,
    masses: Vec<Mass>,
    fastest: f32,
}

impl Crowd {
    /// A body at a position in the x-y plane with a displacement; its inverse mass and restitution.
    fn put(
        &mut self,
        shape: Shape<'static>,
        [x, y]: [f32; 2],
        [dx, dy]: [f32; 2],
        [inverse_mass, restitution]: [f32; 2],
    ) {
        let motion = Motion::new(Pose::at([x, y, 0.0]).expect("a pose"), [dx, dy, 0.0]);
        let row = self.bodies.len() as u32;
        self.bodies.push(ConvexBody { row, shape, motion: motion.expect("a motion") });
        self.masses.push(Mass { inverse_mass, restitution });
        self.fastest = self.fastest.max(dx.abs()).max(dy.abs());
    }

    fn run(&mut self, impacts_max: u32) -> Stepper {
        let mut config = StepperConfig::default();
        config.impacts_max = impacts_max;
        let mut stepper = Stepper::new(config);
        stepper.step(&mut self.bodies, &self.masses, None).expect("bodies");
        stepper
    }

    #[track_caller]
    fn goes(&self, row: usize, wanted: [f32; 2]) {
        let [x, y, _] = self.bodies[row].motion.delta;
        let off = (x - wanted[0]).abs().max((y - wanted[1]).abs());
        // Bodies that separate without a bounce keep a small part of their speed.
        let near = 1e-3 + 1e-4 * self.fastest;
        assert!(off < near, "{row} goes by {x}, {y}, not {wanted:?}");
    }
}

fn cuboid(half: [f32; 2]) -> Shape<'static> {
    Shape::cuboid([half[0], half[1], 0.5]).expect("a box")
}

fn ball() -> Shape<'static> {
    Shape::sphere(0.5).expect("a ball")
}

/// Goal: from a stack that has just come to rest in the tick, slowly or fast, a ball bounces as from the
/// floor. Method: boxes fall on a floor and on each other, a ball follows; it leaves at its initial speed,
/// and the boxes do not move.
#[test]
fn stack_at_rest_is_as_immovable_as_the_floor() {
    for speed in [4.0, 40.0, 4000.0_f32] {
        for boxes in 1..=3_u8 {
            let mut crowd = Crowd::default();
            crowd.put(cuboid([5.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
            let first = 0.1 * speed;
            for k in 0..boxes {
                // Each hits a hundredth of the tick after the one below.
                let y = first + f32::from(k) * (1.0 + 0.01 * speed) + 0.5;
                crowd.put(cuboid([0.5; 2]), [0.0, y], [0.0, -speed], PLASTIC);
            }
            crowd.put(ball(), [0.0, f32::from(boxes) + 0.5 * speed + 0.5], [0.0, -speed], ELASTIC);
            crowd.run(32);
            let ball = usize::from(boxes) + 1;
            crowd.goes(ball, [0.0, speed]);
            (1..ball).for_each(|row| crowd.goes(row, [0.0; 2]));
        }
    }
}

/// Goal: a body on a lift counts as the lift for impacts from above. Method: a lift of given speed, up or
/// down, takes up a box; the ball leaves with twice the speed of the lift added.
#[test]
fn body_on_a_lift_is_as_immovable_as_the_lift() {
    for lift in [5.0, -5.0_f32] {
        let mut crowd = Crowd::default();
        crowd.put(cuboid([5.0, 0.5]), [0.0, -0.5], [0.0, lift], IMMOVABLE);
        // The lift reaches the box at a tenth of the tick, and the ball the box at half of it.
        crowd.put(cuboid([0.5; 2]), [0.0, 0.5 + 0.1 * (lift + 8.0)], [0.0, -8.0], PLASTIC);
        crowd.put(ball(), [0.0, 1.5 + 0.5 * (lift + 10.0)], [0.0, -10.0], ELASTIC);
        crowd.run(32);
        crowd.goes(1, [0.0, lift]);
        crowd.goes(2, [0.0, 10.0 + 2.0 * lift]);
    }
}

/// Goal: a body that leaves its support is not supported any more, from the first moment on. Method: a box on
/// a floor is thrown up by an elastic hammer from below; an inelastic box that hits it from above shares its
/// speed with it, as does one that lies on it, at once.
#[test]
fn body_thrown_up_is_not_supported() {
    for lies_on_it in [false, true] {
        let mut crowd = Crowd::default();
        crowd.put(cuboid([0.5, 0.5]), [-0.6, -0.5], [0.0; 2], IMMOVABLE);
        // On the floor at a twentieth of the tick.
        crowd.put(cuboid([1.0, 0.5]), [0.0, 0.6], [0.0, -2.0], PLASTIC);
        // At the box at three tenths; then the box moves at 8.
        crowd.put(cuboid([0.5, 0.5]), [0.6, -1.7], [0.0, 4.0], [0.0, 1.0]);
        let (other, when, speed) = if lies_on_it {
            ([1.6, -2.0], 0.3, 4.0)
        } else {
            // At 2.4 above, at six tenths.
            ([6.3, -4.0], 0.6, 2.0)
        };
        crowd.put(cuboid([0.5, 0.5]), [0.0, other[0]], [0.0, other[1]], PLASTIC);
        let stepper = crowd.run(32);
        let times = stepper.impacts().iter().filter(|hit| hit.impact.pair.a > 0);
        let times: Vec<_> = times.map(|hit| hit.impact.toi).filter(|&toi| toi > 0.1).collect();
        assert!(times.len() > 1, "{times:?}");
        for (toi, wanted) in times.iter().zip([0.3, when]) {
            assert!((toi - wanted).abs() < 1e-3, "{times:?}");
        }
        crowd.goes(1, [0.0, speed]);
        crowd.goes(3, [0.0, speed]);
    }
}

/// Goal: a body beside its support is not supported any more, although it does not move away from it. Method:
/// a box that has come to rest is hit by a ball in the air: beyond an edge that it has slid past, over a
/// place from which its support has slid away, and on its way back to the floor from which it was thrown; the
/// two swap their speeds.
#[test]
fn body_beside_its_support_is_not_supported() {
    // It hits a table at a twentieth of the tick, and is past the edge at a tenth.
    let mut edge = Crowd::default();
    edge.put(cuboid([1.0, 0.5]), [-1.0, -0.5], [0.0; 2], IMMOVABLE);
    edge.put(cuboid([0.5; 2]), [-1.5, 0.6], [20.0, -2.0], PLASTIC);
    // Above it at three tenths.
    edge.put(ball(), [4.5, 4.5], [0.0, -10.0], ELASTIC);
    edge.run(32);
    edge.goes(1, [20.0, -10.0]);
    edge.goes(2, [0.0, 0.0]);

    // A sledge on a floor, on which a box comes to rest, moves on alone.
    let mut sledge = Crowd::default();
    sledge.put(cuboid([90.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
    sledge.put(cuboid([0.5; 2]), [0.0, 0.52], [20.0, -2.0], PLASTIC);
    sledge.put(cuboid([0.5; 2]), [0.0, 1.53], [0.0, -1.0], PLASTIC);
    sledge.put(ball(), [0.0, 5.5], [0.0, -10.0], ELASTIC);
    sledge.run(32);
    sledge.goes(1, [20.0, 0.0]);
    // On the floor by now.
    sledge.goes(2, [0.0, 0.0]);
    sledge.goes(3, [0.0, 0.0]);

    // Thrown up at 8 by a hammer at three tenths, which then moves back, sent down at 1 by a box at five
    // tenths, and hit above the floor by the ball at six tenths.
    let mut thrown = Crowd::default();
    thrown.put(cuboid([0.5, 0.5]), [-0.6, -0.5], [0.0; 2], IMMOVABLE);
    thrown.put(cuboid([1.0, 0.5]), [0.0, 0.6], [0.0, -2.0], PLASTIC);
    thrown.put(cuboid([0.5, 0.5]), [0.6, -3.5], [0.0, 16.0], [0.0, 1.0]);
    thrown.bodies[2].motion.accel = [0.0, -40.0, 0.0];
    thrown.put(cuboid([0.2, 0.5]), [-0.7, 8.1], [0.0, -10.0], PLASTIC);
    thrown.put(ball(), [0.7, 9.0], [0.0, -10.0], ELASTIC);
    thrown.run(32);
    thrown.goes(1, [0.0, 0.0]);
    thrown.goes(3, [0.0, -1.0]);
    thrown.goes(4, [0.0, -1.0]);
}

/// Goal: a body that leaves its support so slowly that its weight brings it back at once is still supported.
/// Method: a ball under strong gravity lies on a floor and is hit from the side, a little from below, so that
/// it rises by 0.015 per tick; one that hits it from above bounces as from the floor.
#[test]
fn body_that_hardly_rises_is_supported() {
    let mut crowd = Crowd::default();
    crowd.put(cuboid([2.6, 0.5]), [2.4, -0.5], [0.0; 2], IMMOVABLE);
    crowd.put(ball(), [0.0, 0.5], [0.0; 2], PLASTIC);
    crowd.bodies[1].motion.accel = [0.0, -40.0, 0.0];
    // At the ball at a tenth of the tick, along (1, 0.03).
    crowd.put(ball(), [-1.1, 0.47], [1.0, 0.0], PLASTIC);
    crowd.put(cuboid([2.0, 0.5]), [0.0, 2.5], [0.0, -2.0], ELASTIC);
    crowd.run(32);
    crowd.goes(1, [0.5, 0.015]);
    crowd.goes(3, [0.0, 2.0 + 2.0 * 0.015]);
}

/// Goal: a body that rests on a stalled one is not immovable. Method: a box on a floor under another one is
/// pushed aside by a slide, which is its second impact of two, so it is stalled; a ball hits the upper box,
/// which does not bounce any more and shares with it. No momentum along y is lost to the floor.
#[test]
fn body_on_a_stalled_one_is_not_supported() {
    let mut crowd = Crowd::default();
    crowd.put(cuboid([5.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
    crowd.put(cuboid([0.5; 2]), [0.0, 0.5], [0.0, -1.0], PLASTIC);
    crowd.put(cuboid([0.5; 2]), [0.0, 1.5], [0.0, -1.0], PLASTIC);
    crowd.put(cuboid([0.5, 0.25]), [-2.0, 0.5], [5.0, 0.0], IMMOVABLE);
    // At the upper box at half of the tick.
    crowd.put(ball(), [0.0, 7.5], [0.0, -10.0], ELASTIC);
    let stepper = crowd.run(2);
    let first = stepper.stalled().first().expect("the lower box");
    assert!(first.row == 1 && (first.since - 0.2).abs() < 1e-3, "{:?}", stepper.stalled());
    crowd.goes(1, [5.0, 0.0]);
    crowd.goes(2, [0.0, -5.0]);
    crowd.goes(4, [0.0, -5.0]);
}

/// Goal: a supported body that moves slowly sideways is no moving wall, although it closes on the other one by less than its skin in a tick. Method: a small ball slides on a floor at 0.007 per tick,
/// with a target distance of 0.0027, against a large elastic ball beside and above it; the energy of both does not grow.
#[test]
fn supported_body_that_slides_slowly_adds_no_energy() {
    let target = 9.81_f32 / 3600.0;
    let away = 0.6 + target + 0.001;
    let (sin, cos) = 44.0_f32.to_radians().sin_cos();
    let body = |shape: Shape<'static>, at, delta, fall: f32| {
        let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
        let motion = motion.accelerating([0.0, -fall, 0.0]).expect("an acceleration");
        ConvexBody { row: 0, shape, motion }
    };
    let sphere = |radius| Shape::sphere(radius).expect("a ball");
    let floor = Shape::cuboid([50.0, 1.0, 50.0]).expect("a floor");
    let mut bodies = [
        body(floor, [0.0, -1.0, 0.0], [0.0; 3], 0.0),
        body(sphere(0.1), [0.0, 0.1 + target, 0.0], [0.007, -0.0001, 0.0], target),
        body(sphere(0.5), [away * sin, 0.1 + target + away * cos, 0.0], [0.0; 3], 0.0),
    ];
    let energy = |bodies: &[ConvexBody<'_>]| -> f64 {
        let all = bodies.iter().flat_map(|body| body.motion.delta);
        all.map(|x| f64::from(x) * f64::from(x)).sum()
    };
    let before = energy(&bodies);
    let mut config = StepperConfig::default();
    config.target_distance = target;
    let mut stepper = Stepper::new(config);
    let masses = [IMMOVABLE, PLASTIC, ELASTIC]
        .map(|[inverse_mass, restitution]| Mass { inverse_mass, restitution });
    for _ in 0..3 {
        stepper.step(&mut bodies, &masses, None).expect("bodies");
    }
    assert!(bodies[2].motion.delta[0] > 0.001, "{:?}", bodies[2].motion);
    assert!(energy(&bodies) <= before * 1.001, "{before} to {}", energy(&bodies));
}

/// Goal: a body is not supported by what lies on nothing itself, so no momentum is lost. Method: a plastic ball hits the top of a tower
/// whose lowest box was knocked out, or whose lower two have slid past an edge, or whose lowest is stalled; all bodies that touch share its momentum.
#[test]
fn body_above_a_gap_in_its_chain_is_not_supported() {
    let mut tower = Crowd::default();
    tower.put(cuboid([50.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
    for y in [0.25, 0.75, 1.25] {
        tower.put(cuboid([0.25; 2]), [0.0, y], [0.0, -1.0], PLASTIC);
    }
    // At the lowest box at a fifth of the tick, and the other ball at the top at nine tenths.
    tower.put(Shape::sphere(0.1).expect("a ball"), [-2.35, 0.25], [10.0, 0.0], PLASTIC);
    tower.put(ball(), [0.0, 5.6], [0.0, -4.0], PLASTIC);
    let immovable: Vec<_> = tower.run(32).impacts().iter().map(|hit| hit.immovable).collect();
    assert_eq!(immovable.last(), Some(&[false; 2]), "{immovable:?}");
    tower.goes(1, [5.0, 0.0]);
    [2, 3, 5].into_iter().for_each(|row| tower.goes(row, [0.0, -4.0 / 3.0]));

    let mut edge = Crowd::default();
    edge.put(cuboid([1.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
    for y in [0.25, 0.75] {
        edge.put(cuboid([0.25; 2]), [0.0, y], [10.0, -1.0], PLASTIC);
    }
    // At the upper box at nine tenths, eight units beyond the edge.
    edge.put(ball(), [0.0, 4.2], [10.0, -3.0], PLASTIC);
    edge.run(32);
    (1..=3).for_each(|row| edge.goes(row, [10.0, -1.0]));

    let mut stalled = Crowd::default();
    stalled.put(cuboid([5.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
    for y in [0.5, 1.5, 2.5] {
        stalled.put(cuboid([0.5; 2]), [0.0, y], [0.0, -1.0], PLASTIC);
    }
    stalled.put(cuboid([0.5, 0.25]), [-2.0, 0.5], [5.0, 0.0], IMMOVABLE);
    stalled.put(ball(), [0.0, 8.5], [0.0, -10.0], ELASTIC);
    let stepper = stalled.run(2);
    assert_eq!(stepper.stalled().first().map(|first| first.row), Some(1));
    let momentum: f32 =
        [1, 2, 3, 5].map(|row: usize| stalled.bodies[row].motion.delta[1]).iter().sum();
    assert!((momentum + 10.0).abs() < 1e-3, "{momentum}");
}

/// Goal: an impulse that is passed on pushes a body that has left its support since the contact was found. Method: a ball lands on a box on a ledge,
/// both slide past the edge, and another ball hits the first obliquely; momentum along y is conserved.
#[test]
fn impulse_passed_on_beyond_an_edge_is_not_lost() {
    let mut crowd = Crowd::default();
    crowd.put(cuboid([1.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
    crowd.put(Shape::cuboid([0.25; 3]).expect("a box"), [0.0, 0.25], [10.0, -0.5], PLASTIC);
    let small = Shape::sphere(0.25).expect("a ball");
    // On the box at a fiftieth of the tick.
    crowd.put(small, [0.0, 0.77], [10.0, -1.0], PLASTIC);
    // At the ball at nine tenths.
    crowd.put(small, [0.0, 2.8], [10.0, -2.0], PLASTIC);
    let motion = &mut crowd.bodies[3].motion;
    (motion.pose.position[2], motion.delta[2]) = (3.5507, -3.4641);
    let stepper = crowd.run(32);
    let passed_on = stepper.impacts().iter().filter(|hit| hit.impact.toi > 0.5);
    let immovable: Vec<_> = passed_on.map(|hit| hit.immovable).collect();
    assert!(immovable.len() > 1 && immovable.iter().all(|of| *of == [false; 2]), "{immovable:?}");
    let momentum: f32 = (1..=3).map(|row| crowd.bodies[row].motion.delta[1]).sum();
    assert!((momentum + 2.0).abs() < 1e-3, "{momentum}");
}

/// Goal: on a lift that accelerates, boxes on each other are as immovable as the lift, also if they have landed at different times. Method: two boxes
/// land on it one after the other, and an elastic ball hits the upper one: it leaves with its speed relative to the lift.
#[test]
fn tower_on_an_accelerating_lift_is_supported() {
    let mut crowd = Crowd::default();
    crowd.put(cuboid([5.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
    crowd.bodies[0].motion.accel = [0.0, 4.0, 0.0];
    // The lift is at 0.08 at a fifth of the tick, at 0.18 at three tenths, and at 0.5 and as fast as 2 at half of it.
    crowd.put(cuboid([0.5; 2]), [0.0, 0.5 + 0.08 + 0.2 * 3.0], [0.0, -3.0], PLASTIC);
    crowd.put(cuboid([0.5; 2]), [0.0, 1.5 + 0.18 + 0.3 * 4.0], [0.0, -4.0], PLASTIC);
    crowd.put(ball(), [0.0, 2.5 + 0.5 + 0.5 * 10.0], [0.0, -10.0], ELASTIC);
    crowd.run(32);
    [1, 2].into_iter().for_each(|row| crowd.goes(row, [0.0, 4.0]));
    crowd.goes(3, [0.0, 14.0]);
}

/// Goal: a body that has slid past the edge of its support is not supported, however fast it is hit: the distance up to which it lies there does not
/// grow with the speed. Method: a box slides off a ledge and a fast ball hits it when it is beyond the edge by a thousandth of the ball's path; they
/// share the momentum. While the box lies on the ledge, the ball stops on it.
#[test]
fn fast_impact_on_a_body_just_beyond_an_edge_is_shared() {
    for speed in [10.0, 40.0, 400.0_f32] {
        for (beyond, wanted) in [(0.8 * speed / 1024.0, -0.5 * speed), (-0.1, 0.0)] {
            let mut crowd = Crowd::default();
            crowd.put(cuboid([1.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
            let x = 1.25 + beyond - 0.9 * 2.0;
            crowd.put(Shape::cuboid([0.25; 3]).expect("a box"), [x, 0.25], [2.0, 0.0], PLASTIC);
            crowd.bodies[1].motion.accel = [0.0, -0.01, 0.0];
            // At the box at nine tenths of the tick.
            let small = Shape::sphere(0.1).expect("a ball");
            crowd.put(small, [x, 0.6 + 0.9 * speed], [2.0, -speed], PLASTIC);
            crowd.run(32);
            crowd.goes(2, [2.0, wanted]);
            crowd.goes(1, [2.0, wanted]);
        }
    }
}

/// Goal: a stack takes one event for each contact, and no impulse is passed on in it, however high it is: each of its bodies is supported although those
/// below are pushed apart, and the speeds of these corrections add up. Method: cubes that lie on each other at a distance of zero, or at the target
/// distance; the events, searches and propagated impulses of each tick.
#[test]
fn high_stack_takes_one_event_for_each_contact() {
    for (target, heights) in [(0.0, [60_u16, 200, 800]), (9.81 / 3600.0, [60, 200, 1_600])] {
        for height in heights {
            let mut crowd = Crowd::default();
            crowd.put(cuboid([0.5; 2]), [0.0; 2], [0.0; 2], IMMOVABLE);
            for k in 1..=height {
                crowd.put(
                    cuboid([0.5; 2]),
                    [0.0, f32::from(k) * (1.0 + target)],
                    [0.0; 2],
                    PLASTIC,
                );
            }
            crowd.bodies[1..].iter_mut().for_each(|body| body.motion.accel[1] = -0.0027);
            let mut config = StepperConfig::default();
            config.target_distance = target;
            let mut stepper = Stepper::new(config);
            for tick in 0..4 {
                let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
                let what = format!("{height} at {target}, tick {tick}: {stats:?}");
                assert_eq!((stats.events, stats.propagated), (height.into(), 0), "{what}");
                assert_eq!(
                    (stats.searches, stats.stalled),
                    (3 * usize::from(height) - 1, 0),
                    "{what}"
                );
            }
            for (below, above) in crowd.bodies.iter().zip(&crowd.bodies[1..]) {
                let [below, above] = [below, above].map(|body| body.motion.pose.position[1]);
                let gap = f64::from(above) - f64::from(below) - 1.0;
                assert!((0.0..0.005).contains(&gap), "{height} at {target}: {gap} at {above}");
            }
        }
    }
}

/// Goal: a high stack on a lift takes one event for each contact, as on a floor: the speeds of its bodies are relative to the lift, however many bodies
/// are between. Method: cubes at the target distance that rise or sink with a lift; the events, propagated impulses and speeds of each tick.
#[test]
fn high_stack_on_a_lift_takes_one_event_for_each_contact() {
    for (lift, height) in [0.05_f32, -0.05]
        .into_iter()
        .flat_map(|lift| [(lift, 60_u16), (lift, 64), (lift, 65), (lift, 200)])
    {
        let (mut crowd, target) = (Crowd::default(), 9.81 / 3600.0);
        crowd.put(cuboid([0.5; 2]), [0.0; 2], [0.0, lift], IMMOVABLE);
        for k in 1..=height {
            crowd.put(cuboid([0.5; 2]), [0.0, f32::from(k) * (1.0 + target)], [0.0, lift], PLASTIC);
        }
        crowd.bodies[1..].iter_mut().for_each(|body| body.motion.accel[1] = -0.0027);
        let mut config = StepperConfig::default();
        config.target_distance = target;
        let mut stepper = Stepper::new(config);
        for tick in 0..30 {
            let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
            let what = format!("{height} at {lift}, tick {tick}: {stats:?}");
            assert_eq!(
                (stats.events, stats.propagated, stats.stalled),
                (height.into(), 0, 0),
                "{what}"
            );
        }
        (1..=height.into()).for_each(|row| crowd.goes(row, [0.0, lift]));
    }
}

/// Goal: a high stack takes one event for each contact on a platform too, however fast that moves sideways or up: a speed that all have opens no contact.
/// Method: cubes that lie on each other and move with the platform; the events, propagated impulses and stalled bodies of each tick, and the gaps, which
/// are at most a few skins.
#[test]
fn high_stack_on_a_fast_platform_takes_one_event_for_each_contact() {
    for (delta, height) in
        [([10.0, 0.0], 100_u16), ([10.0, 0.0], 600), ([0.0, 10.0], 200), ([6.0, 8.0], 200)]
    {
        let mut crowd = Crowd::default();
        crowd.put(cuboid([0.5; 2]), [0.0; 2], delta, IMMOVABLE);
        for k in 1..=height {
            crowd.put(cuboid([0.5; 2]), [0.0, f32::from(k)], delta, PLASTIC);
        }
        crowd.bodies[1..].iter_mut().for_each(|body| body.motion.accel[1] = -0.0027);
        let mut stepper = Stepper::new(StepperConfig::default());
        for tick in 0..12 {
            let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
            let counts = (stats.events, stats.propagated, stats.stalled);
            assert_eq!(
                counts,
                (height.into(), 0, 0),
                "{height} at {delta:?}, tick {tick}: {stats:?}"
            );
        }
        for (below, above) in crowd.bodies.iter().zip(&crowd.bodies[1..]) {
            let [below, above] = [below, above].map(|body| body.motion.pose.position);
            let gap = f64::from(above[1]) - f64::from(below[1]) - 1.0;
            let skin = f64::from(above[0].abs().max(above[1]) + 10.0) / f64::from(1 << 20);
            assert!((0.0..1.5 * skin).contains(&gap), "{height} at {delta:?}: {gap}, skin {skin}");
        }
    }
}

/// Goal: a body that lies on another one is supported in every tick if the distance of contact is at most the displacement that its acceleration adds
/// in a tick. Method: a stack of three boxes and a ball beside it on a floor, at the distance of contact; after each of many ticks, every
/// body has the velocity zero and reports the force that supports it.
#[test]
fn resting_bodies_are_supported_in_every_tick_up_to_a_target_distance() {
    for gravity in [0.01, 0.0027, 0.0007, 1e-4_f32] {
        for target in [0.0, 0.25, 0.5, 1.0].map(|part| part * gravity) {
            let mut crowd = Crowd::default();
            crowd.put(cuboid([9.0, 0.5]), [0.0, -0.5], [0.0; 2], IMMOVABLE);
            for k in 0..3 {
                let y = 0.5 + k as f32 + target * (k + 1) as f32;
                crowd.put(cuboid([0.5; 2]), [0.0, y], [0.0; 2], PLASTIC);
            }
            crowd.put(ball(), [3.0, 0.5 + target], [0.0; 2], PLASTIC);
            for body in &mut crowd.bodies[1..] {
                body.motion.accel[1] = -gravity;
            }
            let mut config = StepperConfig::default();
            config.target_distance = target;
            let mut stepper = Stepper::new(config);
            for tick in 0..40 {
                let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
                let what = format!("target {target}, gravity {gravity}, tick {tick}");
                assert_eq!(stats.stalled, 0, "{what}");
                for (row, body) in crowd.bodies.iter().enumerate().skip(1) {
                    let [_, dy, _] = body.motion.delta;
                    assert!(tick < 4 || dy.abs() < 1e-3 * gravity, "{what}: row {row}, {dy}");
                    let is_support = |hit: &&swath_stepping::ResolvedImpact| {
                        hit.impact.pair.b == row as u32 && hit.supporting_force > 0.0
                    };
                    let supports = stepper.impacts().iter().filter(is_support).count();
                    assert!(tick < 4 || supports > 0, "{what}: row {row}");
                }
            }
        }
    }
}
