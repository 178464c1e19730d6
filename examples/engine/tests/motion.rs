//! The engine of the example `engine` moves bodies by the laws of mechanics, and wakes the right ones.
//!
//! The file of the engine is part of this test, as it would be part of an engine.

#[allow(dead_code, reason = "a part is used")]
use engine::{Body, DT, Engine};
use swath::Shape;

const GRAVITY: [f32; 3] = [0.0, -10.0, 0.0];

fn ball(at: [f32; 3], velocity: [f32; 3]) -> Body {
    let shape = Shape::sphere(0.1).expect("a ball");
    Body { shape, at, velocity, mass: 2.0, restitution: 0.0, friction: 0.5, sleeps: false }
}

fn crate_at(at: [f32; 3], velocity: [f32; 3]) -> Body {
    Body { shape: Shape::cuboid([0.1; 3]).expect("a box"), ..ball(at, velocity) }
}

/// A fixed sheet whose upper face is at height 0.
fn floor() -> Body {
    let shape = Shape::cuboid([50.0, 0.001, 50.0]).expect("a sheet");
    Body { shape, mass: 0.0, ..ball([0.0, -0.001, 0.0], [0.0; 3]) }
}

fn engine(bodies: &[Body]) -> Engine {
    let mut engine = Engine::new(GRAVITY, true);
    bodies.iter().for_each(|body| engine.add(body).expect("a body"));
    engine
}

fn run(engine: &mut Engine, ticks: u32) {
    (0..ticks).for_each(|_| engine.step().map(|_| ()).expect("a tick"));
}

fn at(engine: &Engine, row: usize) -> [f32; 3] {
    engine.rows[row].motion.pose.position
}

fn speed(engine: &Engine, row: usize, axis: usize) -> f32 {
    engine.rows[row].motion.delta[axis] / DT
}

/// Goal: a flying body follows a parabola, and its energy is conserved. Method: the closed form after a
/// second.
#[test]
fn thrown_body_falls() {
    let mut engine = engine(&[ball([0.0, 50.0, 0.0], [3.0, 8.0, -1.0])]);
    let energy = |engine: &Engine| engine.totals().kinetic + engine.totals().potential;
    let before = energy(&engine);
    run(&mut engine, 60);
    for (found, wanted) in at(&engine, 0).into_iter().zip([3.0, 53.0, -1.0]) {
        assert!((found - wanted).abs() < 1e-3, "{found} {wanted}");
    }
    assert!((speed(&engine, 0, 1) + 2.0).abs() < 1e-3);
    assert!((energy(&engine) / before - 1.0).abs() < 1e-5);
}

/// Goal: friction takes no energy along the normal, and stops a sliding body after `v²/(2µg)`. Method: an
/// elastic ball, dropped from 1 m; a box that slides at 4 m/s over a floor with `µ = ½`.
#[test]
fn friction_is_across_alone() {
    let bouncing = Body { restitution: 1.0, ..ball([0.0, 1.1, 0.0], [0.0; 3]) };
    let mut engine = engine(&[floor(), bouncing, crate_at([5.0, 0.1001, 0.0], [4.0, 0.0, 0.0])]);
    let mut highest: f32 = 0.0;
    for tick in 0..90 {
        run(&mut engine, 1);
        // The ball hits the floor after 0.45 s, and is at its highest point again after 0.9 s.
        highest = if tick > 40 { highest.max(at(&engine, 1)[1]) } else { highest };
    }
    assert!((1.08..1.11).contains(&highest), "{highest}");
    let slid = at(&engine, 2)[0] - 5.0;
    // The tolerance is about the path of one tick.
    assert!((slid - 1.6).abs() < 0.08, "{slid}");
    assert!(speed(&engine, 2, 0).abs() < 1e-3);
    assert!((at(&engine, 2)[1] - 0.1).abs() < 1e-3);
}

/// Goal: a sleeping body wakes when its support is removed, and falls to the body below. Method: two boxes on
/// each other come to rest and the lower one is removed. A third, apart, remains asleep.
#[test]
fn body_without_support_wakes() {
    let mut engine = engine(&[
        floor(),
        crate_at([0.0, 0.1001, 0.0], [0.0; 3]),
        crate_at([0.02, 0.3002, 0.0], [0.0; 3]),
        crate_at([3.0, 0.1001, 0.0], [0.0; 3]),
    ]);
    run(&mut engine, 60);
    assert!(engine.rows.iter().all(|row| !row.is_awake()));
    let lower = engine.rows[1].id;
    engine.remove(|row| row.id == lower).expect("it is there");
    run(&mut engine, 2);
    assert_eq!(
        engine.rows.iter().map(engine::Row::is_awake).collect::<Vec<_>>(),
        [false, true, false]
    );
    run(&mut engine, 120);
    assert!((at(&engine, 1)[1] - 0.1).abs() < 1e-3 && !engine.rows[1].is_awake());
}

/// Goal: a sleeping body takes the momentum of a body that hits it in the same tick, and remains asleep if it
/// is touched softly. Method: a sleeping box is hit by one of the same mass, without restitution; a light
/// ball is put on another one.
#[test]
fn hit_wakes_and_touch_does_not() {
    let sleeper = Body { sleeps: true, friction: 0.0, ..crate_at([0.0, 0.1001, 0.0], [0.0; 3]) };
    let shot = Body { friction: 0.0, ..crate_at([-1.0, 0.1001, 0.0], [30.0, 0.0, 0.0]) };
    let mut hit = engine(&[floor(), sleeper, shot]);
    run(&mut hit, 3);
    assert!(hit.rows[1].is_awake());
    let after = [1, 2].map(|row| speed(&hit, row, 0));
    assert!(after.iter().all(|speed| (speed - 15.0).abs() < 0.1), "{after:?}");

    let light = Body { mass: 0.001, ..ball([0.0, 0.3003, 0.0], [0.0; 3]) };
    let mut touched = engine(&[floor(), sleeper, light]);
    for _ in 0..60 {
        run(&mut touched, 1);
        assert!(!touched.rows[1].is_awake());
    }
    assert!(!touched.rows[2].is_awake());
}

/// Goal: a body that was added asleep falls when what it lies on is removed. Method: a sleeping box on a floor, and another one on it; the floor is
/// removed, or the lower box.
#[test]
fn bodies_that_were_added_asleep_fall_without_support() {
    let sleeper = |height: f32| Body { sleeps: true, ..crate_at([0.0, height, 0.0], [0.0; 3]) };
    for removed in [0, 1] {
        let mut stack = engine(&[floor(), sleeper(0.1001), sleeper(0.3002)]);
        run(&mut stack, 5);
        assert!(!stack.rows[1].is_awake() && !stack.rows[2].is_awake());
        let support = stack.rows[removed].id;
        stack.remove(|row| row.id == support).expect("a body");
        run(&mut stack, 20);
        assert!(at(&stack, 1)[1] < 0.29, "{removed}: {:?}", at(&stack, 1));
    }
}

/// Goal: an island sleeps as a whole. Method: a box at rest, on which another one is pushed to and fro.
#[test]
fn body_beside_a_moving_one_stays_awake() {
    let mut engine = engine(&[
        floor(),
        crate_at([0.0, 0.1001, 0.0], [0.0; 3]),
        Body { friction: 0.0, ..crate_at([-0.09, 0.3002, 0.0], [0.15, 0.0, 0.0]) },
    ]);
    run(&mut engine, 60);
    assert!((speed(&engine, 2, 0) - 0.15).abs() < 1e-3);
    assert!(engine.rows[1].is_awake() && engine.rows[2].is_awake());
}
