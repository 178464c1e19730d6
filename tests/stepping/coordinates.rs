//! Tests of bodies near the greatest coordinate.

use swath::{Aabb, Broadphase, COORD_MAX, ConvexBody, Motion, Pose, Proxy, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};

const LIGHT: Mass = Mass { inverse_mass: 1.0, restitution: 0.5 };

/// Returns a ball with 0.002 of the scale `c` as its radius, at `x` on the first axis.
fn ball(row: u32, c: f32, x: f32, dx: f32) -> ConvexBody<'static> {
    let pose = Pose::at([x * c, 0.0, 0.0]).expect("a pose");
    let motion = Motion::new(pose, [dx * c, 0.0, 0.0]).expect("a motion");
    ConvexBody { row, shape: Shape::sphere(0.002 * c).expect("a ball"), motion }
}

/// Goal: bodies whose motions change so that their paths exceed the greatest coordinate are stalled and reported; within the limit they are searched
/// again. Method: a heavy ball hits a light one, which flies towards a third one, at two scales.
#[test]
fn bodies_that_are_pushed_past_the_greatest_coordinate_are_stalled() {
    for (c, stalled) in [(COORD_MAX, 2), (0.5 * COORD_MAX, 0)] {
        let mut bodies = [ball(0, c, 0.3, 0.5), ball(1, c, 0.5, 0.0), ball(2, c, 0.95, 0.0)];
        let masses = [
            Mass { inverse_mass: 2.0_f32.powi(-60), restitution: 1.0 },
            Mass { inverse_mass: 1.0, restitution: 1.0 },
            Mass::FIXED,
        ];
        let mut stepper = Stepper::new(StepperConfig::default());
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        let text = format!("{stats:?} {:?}", stepper.stalled());
        assert_eq!((stats.stalled, stats.over_budget), (stalled, stalled), "{text}");
        assert_eq!(stats.responses, if stalled > 0 { 1 } else { 3 }, "{text}");
        for of in stepper.stalled() {
            assert!(of.row < 2 && of.since > 0.39 && of.since < 0.4, "{text}");
        }
    }
}

/// Goal: no body passes another one past the greatest coordinate: all whose paths exceed it are stalled from the start of the tick, as are those that could
/// reach them, and no others. Method: two balls meet where a third one passes later, in columns and as proxies; the same at half the scale.
#[test]
fn bodies_do_not_pass_each_other_past_the_greatest_coordinate() {
    for (c, stalled) in [(COORD_MAX, 3), (0.5 * COORD_MAX, 0)] {
        let of = |row, x, dx| ball(row, c, x, dx);
        let start = [of(0, 0.9, 0.6), of(1, 0.98, 0.3), of(2, 0.7, 0.8), of(3, -0.9, 0.8)];
        let masses = [LIGHT; 4];
        let (mut stepper, mut bodies) = (Stepper::default(), start);
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        let text = format!("{stats:?} {:?}", stepper.stalled());
        assert_eq!((stats.stalled, stats.over_budget), (stalled, stalled), "{text}");
        let [a, b, behind, other] = bodies.map(|body| body.motion.pose.position[0]);
        assert!(behind < a && a < b, "{text}");
        assert_eq!(other, -0.9 * c + 0.8 * c);
        if stalled > 0 {
            assert!(stepper.stalled().iter().all(|of| of.row < 3 && of.since == 0.0), "{text}");
            assert!((0..3).all(|row| bodies[row].motion == start[row].motion), "{text}");
        }

        let mut world = Broadphase::new();
        let ids = start.map(|_| world.insert(Aabb::default(), Proxy::dynamic()).expect("a proxy"));
        let stepped = stepper.step_proxies(&mut world, |id| {
            let row = ids.iter().position(|&other| other == id).expect("one of them");
            Some((start[row].shape, start[row].motion, masses[row]))
        });
        let stepped = stepped.expect("proxies");
        assert_eq!(stepped.stats(), stats);
        assert!(stepped.moved().iter().map(|of| of.1).eq(bodies.map(|body| body.motion)));
    }
}
