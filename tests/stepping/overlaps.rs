//! Tests that overlapping bodies are pushed apart, whether or not they close.

use swath::mesh::{Compound, HeightField, Mesh};
use swath::pipeline::GeometryBody;
use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, StepError, Stepper, StepperConfig};
use testkit::draw::Draw;

const LIGHT: Mass = Mass { inverse_mass: 1.0, restitution: 0.0 };
const GRAVITY: f32 = 9.81 / 3600.0;
/// Half the diagonal of a cube of side 1.
const CUBE_SIZE: f32 = 0.866_025_4;

fn cube() -> Shape<'static> {
    Shape::cuboid([0.5; 3]).expect("a cube")
}

fn body(shape: Shape<'static>, at: [f32; 3], delta: [f32; 3]) -> ConvexBody<'static> {
    let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
    ConvexBody { row: 0, shape, motion }
}

/// Distance of the positions of two bodies along x.
fn between(bodies: &[ConvexBody<'_>; 2]) -> f32 {
    let [a, b] = bodies.map(|body| body.motion.pose.position[0]);
    b - a
}

fn with_target(target_distance: f32) -> StepperConfig {
    let mut config = StepperConfig::default();
    config.target_distance = target_distance;
    config
}

/// Goal: two cubes that overlap are pushed apart within the ticks that the limit allows, whatever their velocities and masses, by at most the limit in each, and keep
/// their velocities if they do not close. Method: cubes that overlap by 0.2 on an axis, at rest, moving together, separating slowly or closing, of which one may be
/// fixed, with several target distances; the relative position along the axis before and after each tick.
#[test]
fn overlapping_cubes_are_pushed_apart() {
    for target in [0.0, 0.005] {
        for [of_a, of_b] in [[0.0, 0.0], [0.25, 0.25], [0.0, 0.001], [0.1, 0.0]] {
            for masses in [[LIGHT, LIGHT], [LIGHT, Mass::FIXED], [Mass::FIXED, LIGHT]] {
                let cannot_be = |k: usize, speed: f32| masses[k] == Mass::FIXED && speed != 0.0;
                if cannot_be(0, of_a) || cannot_be(1, of_b) {
                    continue;
                }
                let mut bodies = [
                    body(cube(), [0.0; 3], [of_a, 0.0, 0.0]),
                    body(cube(), [0.8, 0.0625, 0.0], [of_b, 0.0, 0.0]),
                ];
                let mut stepper = Stepper::new(with_target(target));
                let mut ticks = 0;
                loop {
                    let before = between(&bodies);
                    if before >= 1.0 {
                        break;
                    }
                    let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
                    assert_eq!(stats.stalled, 0);
                    let pushed = between(&bodies) - before;
                    // By the limit, or as fast as they separate anyway.
                    assert!(pushed > 0.0 && pushed <= CUBE_SIZE / 32.0 + 1e-6, "{pushed}");
                    ticks += 1;
                    assert!(ticks <= 8, "{target} {of_a} {of_b} {masses:?}: {bodies:?}");
                }
                assert!(ticks >= 7, "{ticks}");
                if of_a <= of_b {
                    for (body, speed) in bodies.iter().zip([of_a, of_b]) {
                        assert_eq!(body.motion.delta, [speed, 0.0, 0.0], "{masses:?}");
                    }
                }
            }
        }
    }
}

/// Goal: a body that begins deep in a floor leaves it with the default settings and comes to rest on it, whatever the floor is. Method: a cube and a ball a tenth of
/// their size deep in a box, a mesh, a height field and a compound, with gravity or without.
#[test]
fn bodies_leave_a_floor() {
    let slab = Shape::cuboid([8.0, 1.0, 8.0]).expect("a slab");
    let corners = [[-8.0, 0.0, -8.0], [8.0, 0.0, -8.0], [8.0, 0.0, 8.0], [-8.0, 0.0, 8.0]];
    let mesh = Mesh::new(&corners[..], &[[0, 2, 1], [0, 3, 2]][..]).expect("a mesh").one_sided();
    let field = HeightField::new(&[0.0; 25][..], [5, 5], [4.0, 4.0]).expect("a field");
    let below = Pose::at([0.0, -1.0, 0.0]).expect("a pose");
    let compound = Compound::new([(slab.into(), below)]).expect("a compound");
    let corner = [-8.0, 0.0, -8.0];
    let floors: [(GeometryBody<'_>, &str); 4] = [
        (place(slab, [0.0, -1.0, 0.0]), "slab"),
        (place(&mesh, [0.0; 3]), "mesh"),
        (place(&field, corner), "field"),
        (place(&compound, [0.0; 3]), "compound"),
    ];
    for (floor, what) in floors {
        let ball = Shape::sphere(0.5).expect("a ball");
        for (shape, gravity) in [(cube(), GRAVITY), (ball, GRAVITY), (cube(), 0.0), (ball, 0.0)] {
            for deep in [0.1, 0.01, 0.0001] {
                let mut falling = place(shape, [0.3, 0.5 - deep, 0.2]);
                falling.motion.accel = [0.0, -gravity, 0.0];
                let mut bodies = [floor, falling];
                let mut stepper = Stepper::new(StepperConfig::default());
                for _ in 0..12 {
                    stepper
                        .step_geometries(&mut bodies, &[Mass::FIXED, LIGHT], None)
                        .expect("bodies");
                }
                let Motion { pose, delta, .. } = bodies[1].motion;
                let above = pose.position[1] - 0.5;
                assert!((0.0..1e-4).contains(&above), "{what} {gravity} {deep}: {above}");
                assert!(delta[1].abs() < 1e-5, "{what} {deep}: {delta:?}");
            }
        }
    }
}

fn place<'s>(geometry: impl Into<swath::mesh::Geometry<'s>>, at: [f32; 3]) -> GeometryBody<'s> {
    let motion = Motion::from(Pose::at(at).expect("a pose"));
    GeometryBody { row: 0, geometry: geometry.into(), motion }
}

/// Goal: bodies in one place separate, and no body goes through a thin wall meanwhile. Method: balls at nearly one place between two thin walls, with nothing that
/// pulls them together; after some ticks no two overlap, all are between the walls, and none has a velocity.
#[test]
fn balls_in_one_place_separate_between_walls() {
    let mut draw = Draw::new(3);
    for (count, target) in [(2, 0.0), (3, 0.0), (5, 0.0), (8, 0.0), (5, 0.001), (8, 0.001)] {
        let ball = Shape::sphere(0.25).expect("a ball");
        let wall = Shape::cuboid([0.01, 4.0, 4.0]).expect("a wall");
        let mut bodies =
            vec![body(wall, [-0.27, 0.0, 0.0], [0.0; 3]), body(wall, [0.27, 0.0, 0.0], [0.0; 3])];
        let mut masses = vec![Mass::FIXED; 2];
        for _ in 0..count {
            let at = [(); 3].map(|()| draw.between(-0.004, 0.004));
            bodies.push(body(ball, at, [0.0; 3]));
            masses.push(LIGHT);
        }
        let mut stepper = Stepper::new(with_target(target));
        for _ in 0..400 {
            stepper.step(&mut bodies, &masses, None).expect("bodies");
        }
        let all: Vec<_> = bodies[2..].iter().map(|body| body.motion).collect();
        for (k, a) in all.iter().enumerate() {
            assert_eq!(a.delta, [0.0; 3]);
            assert!(a.pose.position[0].abs() < 0.0101, "{a:?}");
            for b in &all[..k] {
                let [a, b] = [a, b].map(|of| of.pose.position.map(f64::from));
                let square: f64 = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum();
                // Less than the slop may be left.
                assert!(square.sqrt() >= 0.5 - 1e-6, "{count}: {a:?} and {b:?}");
            }
        }
    }
}

/// Goal: with a limit of 0 only the skin is restored, and an invalid limit is an error. Method: two cubes that overlap, for one tick.
#[test]
fn the_limit_of_a_correction_is_kept() {
    let bodies = [body(cube(), [0.0; 3], [0.0; 3]), body(cube(), [0.8, 0.0, 0.0], [0.0; 3])];
    for (part, most) in [(0.0, 0.01), (0.001, 0.01), (1.0, 0.21 + 1e-5)] {
        let mut config = with_target(0.01);
        config.correction_max = part;
        let mut moved = bodies;
        Stepper::new(config).step(&mut moved, &[LIGHT; 2], None).expect("bodies");
        let apart = between(&moved);
        assert!((apart - 0.8 - most).abs() < 1e-4, "{part}: {apart}");
    }
    for part in [-0.1, 1.5, f32::NAN, f32::INFINITY] {
        let mut config = StepperConfig::default();
        config.correction_max = part;
        let mut moved = bodies;
        let result = Stepper::new(config).step(&mut moved, &[LIGHT; 2], None);
        assert_eq!(result, Err(StepError::CorrectionMax), "{part}");
    }
}

/// Goal: a body that spins leaves another one that it overlaps. Method: a plank that turns about its long axis and is deep in a fixed box.
#[test]
fn a_body_that_spins_leaves_an_overlap() {
    for spin in [0.001, 0.02, 0.5, 4.0] {
        let plank = Shape::capsule(1.0, 0.2).expect("a plank");
        let mut bodies = [
            body(Shape::cuboid([2.0, 1.0, 2.0]).expect("a box"), [0.0, -1.0, 0.0], [0.0; 3]),
            body(plank, [0.0, 1.0, 0.0], [0.0; 3]),
        ];
        bodies[1].motion.spin = [0.0, spin, 0.0];
        let mut stepper = Stepper::new(StepperConfig::default());
        for _ in 0..60 {
            stepper.step(&mut bodies, &[Mass::FIXED, LIGHT], None).expect("bodies");
        }
        let Motion { pose, delta, .. } = bodies[1].motion;
        assert!(pose.position[1] >= 1.2 && delta == [0.0; 3], "{spin}: {:?}", bodies[1].motion);
    }
}

/// Goal: bodies that overlap are pushed apart, whatever else touches them at the start, and whatever their order is. Method: two balls on a floor that overlap, in each order of the rows, with gravity as a
/// displacement that is added in each tick; in each tick both close on the floor at the start.
#[test]
fn overlapping_bodies_on_a_floor_separate() {
    for target in [0.0, GRAVITY] {
        for floor in 0..3 {
            let ball = Shape::sphere(0.5).expect("a ball");
            let mut bodies =
                [0.0, 0.7].map(|x| body(ball, [x, 0.5 + target, 0.0], [0.0; 3])).to_vec();
            let slab = Shape::cuboid([50.0, 1.0, 50.0]).expect("a slab");
            bodies.insert(floor, body(slab, [0.0, -1.0, 0.0], [0.0; 3]));
            let mut masses = [LIGHT; 3];
            masses[floor] = Mass::FIXED;
            let balls = [0, 1, 2].into_iter().filter(|&row| row != floor);
            let [a, b] = balls.collect::<Vec<_>>()[..] else { panic!("two balls") };
            let mut stepper = Stepper::new(with_target(target));
            for _ in 0..30 {
                for row in [a, b] {
                    bodies[row].motion.delta[1] -= GRAVITY;
                }
                stepper.step(&mut bodies, &masses, None).expect("bodies");
            }
            let [a, b] = [a, b].map(|row| bodies[row].motion.pose.position);
            assert!(b[0] - a[0] >= 0.9999 && a[1] > 0.4999, "{target} {floor}: {a:?}, {b:?}");
        }
    }
}

/// Goal: many bodies in one place separate, although the pushes of all pairs would take more searches than a step may take. Method: a hundred balls in a small cube, which are not stalled
/// in a later tick, and none of which is where it was.
#[test]
fn a_hundred_balls_in_one_place_separate() {
    let mut draw = Draw::new(5);
    let ball = Shape::sphere(0.5).expect("a ball");
    let mut bodies: Vec<_> =
        (0..100).map(|_| body(ball, [(); 3].map(|()| draw.between(-0.2, 0.2)), [0.0; 3])).collect();
    let mut stepper = Stepper::new(StepperConfig::default());
    let before: Vec<_> = bodies.iter().map(|body| body.motion.pose.position).collect();
    for _ in 0..20 {
        stepper.step(&mut bodies, &[LIGHT; 100], None).expect("bodies");
    }
    let moved = bodies.iter().zip(&before).filter(|(body, at)| body.motion.pose.position != **at);
    assert_eq!(moved.count(), 100);
}

/// Goal: a ball that touches the floor of a mesh leaves a wall of the same mesh, whichever is first. Method: a ball with gravity that touches two triangles of a floor and is 0.2 deep in a wall of two
/// others.
#[test]
fn ball_on_a_floor_leaves_a_wall_of_the_same_mesh() {
    let corners = [[-5.0, 0.0], [5.0, 0.0], [5.0, 5.0]].map(|[x, y]| [[x, y, -5.0], [x, y, 5.0]]);
    let [[a, b], [c, d], [e, f]] = corners;
    let vertices = [a, b, c, d, e, f];
    let (floor, wall) = ([[0_u32, 1, 2], [1, 3, 2]], [[2_u32, 3, 4], [3, 5, 4]]);
    for triangles in [[floor, wall].concat(), [wall, floor].concat()] {
        let level = Mesh::new(&vertices[..], &triangles[..]).expect("a mesh");
        for target in [0.0, GRAVITY] {
            let ball = Shape::sphere(0.5).expect("a ball");
            let mut falling = place(ball, [4.7, 0.5 + target, 0.0]);
            falling.motion.accel = [0.0, -GRAVITY, 0.0];
            let mut bodies = [place(&level, [0.0; 3]), falling];
            let mut stepper = Stepper::new(with_target(target));
            for _ in 0..60 {
                stepper.step_geometries(&mut bodies, &[Mass::FIXED, LIGHT], None).expect("bodies");
            }
            let [x, y, _] = bodies[1].motion.pose.position;
            assert!(x <= 4.5 && y > 0.5 - 1e-6 && y < 0.5001 + target, "{target}: {x}, {y}");
        }
    }
}

/// Goal: bodies in one place are not stalled while they are pushed apart under gravity, and do not overlap afterwards. Method: fifty balls in a small cube above a
/// floor.
#[test]
fn fifty_balls_in_one_place_separate_without_a_stall() {
    let mut draw = Draw::new(5);
    let ball = Shape::sphere(0.5).expect("a ball");
    let slab = Shape::cuboid([50.0, 1.0, 50.0]).expect("a slab");
    let mut bodies = vec![body(slab, [0.0, -1.0, 0.0], [0.0; 3])];
    for _ in 0..50 {
        let [x, y, z] = [(); 3].map(|()| draw.between(-0.2, 0.2));
        let mut falling = body(ball, [x, y + 1.0, z], [0.0; 3]);
        falling.motion.accel = [0.0, -GRAVITY, 0.0];
        bodies.push(falling);
    }
    let mut masses = [LIGHT; 51];
    masses[0] = Mass::FIXED;
    let mut stepper = Stepper::new(StepperConfig::default());
    for _ in 0..200 {
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        assert_eq!(stats.stalled, 0, "{stats:?}");
    }
    let at = |k: usize| bodies[k].motion.pose.position.map(f64::from);
    for (a, b) in (1..51).flat_map(|b| (1..b).map(move |a| (a, b))) {
        let square: f64 = at(a).iter().zip(at(b)).map(|(a, b)| (a - b) * (a - b)).sum();
        assert!(square.sqrt() >= 1.0 - 1e-5, "{a} and {b}: {}", square.sqrt());
    }
}

/// Goal: bodies that overlap are pushed apart however fast they spin, also in a tick in which a rotation is stopped. Method: balls, cubes and a compound that
/// overlap by a fifth at rest, of which one spins; the spin changes nothing for balls, and all are apart after some ticks.
#[test]
fn fast_spin_does_not_keep_bodies_overlapping() {
    let ball = || Shape::sphere(0.5).expect("a ball");
    let compound = Compound::new([(ball().into(), Pose::default())]).expect("a compound");
    let mut expected = None;
    for spin in [0.0, 3.9, 4.1, 8.0, 100.0] {
        for kind in 0..3 {
            let mut bodies = match kind {
                0 => [place(ball(), [0.0; 3]), place(ball(), [0.8, 0.0, 0.0])],
                1 => [place(&compound, [0.0; 3]), place(ball(), [0.8, 0.0, 0.0])],
                _ => [place(cube(), [0.0; 3]), place(cube(), [0.8, 0.0, 0.0])],
            };
            bodies[1].motion.spin = [spin, 0.0, 0.0];
            let mut stepper = Stepper::new(StepperConfig::default());
            let mut between = [0.0; 12];
            for between in &mut between {
                stepper.step_geometries(&mut bodies, &[LIGHT; 2], None).expect("bodies");
                let [a, b] = [0, 1].map(|row| bodies[row].motion.pose.position[0]);
                *between = b - a;
            }
            assert!(between[0] > 0.81 && between[11] > 0.98, "{kind}, spin {spin}: {between:?}");
            if kind == 0 {
                assert_eq!(*expected.get_or_insert(between), between, "spin {spin}");
            }
        }
    }
}

/// Goal: a crowd in one place comes apart, and no body of it is stalled. Method: balls at one point; after some ticks the nearest two are farther from each other than at
/// the start, and the sum of all displacements is zero.
#[test]
fn crowd_in_one_place_is_pushed_apart() {
    for count in [4_u16, 30, 100] {
        let ball = Shape::sphere(0.5).expect("a ball");
        let body = |row| ConvexBody { row, shape: ball, motion: Motion::default() };
        let mut bodies: Vec<_> = (0..u32::from(count)).map(body).collect();
        let masses = vec![Mass { inverse_mass: 1.0, restitution: 0.0 }; bodies.len()];
        let mut stepper = Stepper::new(StepperConfig::default());
        for tick in 0..20 {
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            assert_eq!(stats.stalled, 0, "{count} {tick}: {stats:?}");
        }
        let mut x: Vec<_> = bodies.iter().map(|body| body.motion.pose.position[0]).collect();
        x.sort_by(f32::total_cmp);
        let least = x.windows(2).map(|two| two[1] - two[0]).fold(f32::INFINITY, f32::min);
        let sum: f64 = x.iter().map(|&x| f64::from(x)).sum();
        assert!(least > 0.01 && sum.abs() < 1e-3, "{count}: {least} {sum}");
    }
}
