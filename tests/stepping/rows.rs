//! Tests of rows of bodies that touch and move along themselves: the boxes around their paths overlap, but only the motion of two bodies relative to each
//! other decides whether they meet.

use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, StepStats, Stepper, StepperConfig};

/// Returns a row of balls of radius 0.5 that touch, move along the row by `speed` in a tick, and of which the first one moves by 3 more.
fn row(count: u16, speed: f32) -> Vec<ConvexBody<'static>> {
    let ball = Shape::sphere(0.5).expect("a ball");
    let body = |k: u16| {
        let delta = if k == 0 { speed + 3.0 } else { speed };
        let pose = Pose::at([f32::from(k), 0.0, 0.0]).expect("a pose");
        let motion = Motion::new(pose, [delta, 0.0, 0.0]).expect("a motion");
        ConvexBody { row: k.into(), shape: ball, motion }
    };
    (0..count).map(body).collect()
}

fn step(stepper: &mut Stepper, bodies: &mut [ConvexBody<'_>], restitution: f32) -> StepStats {
    let masses = vec![Mass { inverse_mass: 1.0, restitution }; bodies.len()];
    stepper.step(bodies, &masses, None).expect("bodies")
}

/// Goal: a row that moves along itself takes as many searches as one at rest. Method: elastic balls at several speeds; the impulse passes from one ball to the
/// next, so that each has one impact on either side, and the last one leaves with it.
#[test]
fn row_that_moves_along_itself_takes_the_searches_of_one_at_rest() {
    const COUNT: u16 = 300;
    let mut at_rest = None;
    for speed in [0.0, 1.0, 10.0, 100.0_f32] {
        let mut bodies = row(COUNT, speed);
        let stats = step(&mut Stepper::new(StepperConfig::default()), &mut bodies, 1.0);
        assert_eq!((stats.events, stats.stalled), (usize::from(COUNT) - 1, 0), "{stats:?}");
        let searches = *at_rest.get_or_insert(stats.searches);
        assert_eq!(stats.searches, searches, "{speed}: {stats:?}");
        for (k, body) in (1..).zip(&bodies) {
            let expected = if k == COUNT { speed + 3.0 } else { speed };
            let off = (body.motion.delta[0] - expected).abs();
            assert!(off <= 1e-4, "{speed} {k}: {:?}", body.motion);
        }
    }
}

/// Goal: a row without restitution that moves along itself comes apart as fast as one at rest. Method: at rest no ball is stalled from the eighth tick on.
#[test]
fn row_without_restitution_that_moves_along_itself_is_not_stalled() {
    const COUNT: u16 = 60;
    for speed in [0.0, 10.0, 100.0_f32] {
        let mut bodies = row(COUNT, speed);
        let mut stepper = Stepper::new(StepperConfig::default());
        for tick in 0..12 {
            let stats = step(&mut stepper, &mut bodies, 0.0);
            assert!(tick < 7 || stats.stalled == 0, "{speed} {tick}: {stats:?}");
            assert_eq!(stats.over_budget, 0, "{speed} {tick}: {stats:?}");
        }
        let momentum: f64 = bodies.iter().map(|body| f64::from(body.motion.delta[0])).sum();
        let expected = f64::from(speed) * f64::from(COUNT) + 3.0;
        assert!((momentum - expected).abs() <= 1e-6 * expected, "{speed}: {momentum}");
    }
}
