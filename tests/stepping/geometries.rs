//! Tests of meshes, height fields and compounds as bodies of a step.

use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::pipeline::GeometryBody;
use swath::{Broadphase, ConvexBody, Motion, Pose, Proxy, ProxyId, Shape, Threads};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::draw::Draw;
use testkit::least_time::least_time;

fn motion(at: [f32; 3], delta: [f32; 3]) -> Motion {
    Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion")
}

fn bodies<'s>(all: impl IntoIterator<Item = (Geometry<'s>, Motion)>) -> Vec<GeometryBody<'s>> {
    let body = |(row, (geometry, motion))| GeometryBody { row, geometry, motion };
    (0..).zip(all).map(body).collect()
}

/// A fixed floor whose top is at `y = 0`, a slab that slides on it, and elastic balls that fall on the slab at several times; and their masses.
fn balls_on_a_sliding_slab(floor: Geometry<'_>, balls: u16) -> (Vec<GeometryBody<'_>>, Vec<Mass>) {
    let slab = Shape::cuboid([2.0, 0.1, 2.0]).expect("a slab");
    let sliding = motion([0.0, 0.100003, 0.0], [0.3, 0.0, 0.0]).accelerating(GRAVITY);
    let ball = Shape::sphere(0.1).expect("a ball");
    let falling = (0..balls).map(|k| {
        let k = f32::from(k);
        (ball.into(), motion([0.4 * k - 1.6, 0.5 + 0.05 * k, 0.0], [0.0, -1.0, 0.0]))
    });
    let all = [(floor, Motion::default()), (slab.into(), sliding.expect("valid"))];
    let bodies = bodies(all.into_iter().chain(falling));
    let mut masses = vec![Mass { inverse_mass: 1.0, restitution: 1.0 }; bodies.len()];
    (masses[0], masses[1]) = (Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 });
    (bodies, masses)
}

/// A flat square of `side * side` cells around the origin, with its front above.
fn plane(side: u32, cell: f32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let row = side + 1;
    let at = |k: u32| (k as f32 - 0.5 * side as f32) * cell;
    let vertices = (0..row * row).map(|k| [at(k % row), 0.0, at(k / row)]).collect();
    let mut triangles = Vec::new();
    for k in 0..side * side {
        let v = k % side + k / side * row;
        triangles.extend([[v, v + row + 1, v + 1], [v, v + row, v + row + 1]]);
    }
    (vertices, triangles)
}

/// The inside of a cube of half side 4, six planes of 4 by 4 cells.
fn room() -> Mesh<'static> {
    let (flat, faces) = plane(4, 2.0);
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-4.0, 4.0] {
            let first = vertices.len() as u32;
            triangles.extend(faces.iter().map(|face| face.map(|vertex| first + vertex)));
            vertices.extend(flat.iter().map(|&[x, _, z]| {
                let mut at = [0.0; 3];
                (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (side, x, z);
                at
            }));
        }
    }
    Mesh::new(vertices, triangles).expect("a room")
}

/// Two boxes and a ball, half a unit long.
fn hammer() -> Compound {
    let part =
        |shape: Shape<'static>, x: f32| (shape.into(), Pose::at([x, 0.0, 0.0]).expect("valid"));
    let cuboid = |half| Shape::cuboid(half).expect("a box");
    let ball = Shape::sphere(0.15).expect("a ball");
    let parts = [
        part(cuboid([0.1, 0.2, 0.1]), -0.3),
        part(cuboid([0.3, 0.05, 0.05]), 0.0),
        part(ball, 0.35),
    ];
    Compound::new(parts).expect("valid")
}

const GRAVITY: [f32; 3] = [0.0, -0.01, 0.0];

/// Goal: a box that lies on a floor of triangles and slides over it keeps its velocity along the floor: no seam stops or
/// turns it. Method: a mesh, a height field and a mesh that falls apart into single triangles, each with gravity for two
/// hundred ticks, in which the box crosses dozens of seams; it starts a little above the floor.
#[test]
fn a_box_slides_over_a_floor_of_triangles_without_ghosts() {
    let (vertices, triangles) = plane(40, 0.5);
    let loose: Vec<_> = triangles.iter().flatten().map(|&v| vertices[v as usize]).collect();
    let single =
        (0..triangles.len() as u32).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect::<Vec<_>>();
    let mesh = Mesh::new(vertices, triangles).expect("a floor");
    let loose = Mesh::new(loose, single).expect("a floor");
    let field = HeightField::new(vec![0.0; 41 * 41], [41, 41], [0.5, 0.5]).expect("a floor");
    let at = Motion::from(Pose::at([-10.0, 0.0, -10.0]).expect("a pose"));
    let cuboid = Shape::cuboid([0.4, 0.25, 0.3]).expect("a box");
    let compound = hammer();
    let cases: [(Geometry<'_>, Motion, Geometry<'_>); 4] = [
        ((&mesh).into(), Motion::default(), cuboid.into()),
        ((&loose).into(), Motion::default(), cuboid.into()),
        ((&field).into(), at, cuboid.into()),
        ((&mesh).into(), Motion::default(), (&compound).into()),
    ];
    for (floor, place, slider) in cases {
        let turned = Pose::normalized([-5.0, 0.2501, -4.0], [0.0, 0.2, 0.0, 1.0]).expect("a pose");
        let sliding =
            Motion::new(turned, [0.05, 0.0, 0.037]).and_then(|motion| motion.accelerating(GRAVITY));
        let mut bodies = bodies([(floor, place), (slider, sliding.expect("a motion"))]);
        let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 }];
        let mut stepper = Stepper::new(StepperConfig::default());
        let mut impacts = 0;
        for tick in 0..200 {
            let stats = stepper.step_geometries(&mut bodies, &masses, None).expect("a step");
            assert_eq!(stats.stalled, 0, "tick {tick}");
            for hit in stepper.impacts() {
                let [x, y, z] = hit.impact.normal;
                assert!(y.abs() > 0.99999 && x.abs() + z.abs() < 1e-4, "tick {tick}: {hit:?}");
                impacts += 1;
            }
            let Motion { pose, delta, .. } = bodies[1].motion;
            assert!(
                (delta[0] - 0.05).abs() < 1e-6 && (delta[2] - 0.037).abs() < 1e-6,
                "tick {tick}: {delta:?}"
            );
            let lowest = geometry_lowest(&slider, &pose);
            assert!(lowest > 0.0 && lowest < 0.06, "tick {tick}: {lowest}");
        }
        let lowest = geometry_lowest(&slider, &bodies[1].motion.pose);
        assert!(lowest < 1e-3, "it lies on the floor: {lowest}");
        assert!(impacts > 0 && bodies[1].motion.pose.position[0] > 4.0);
    }
}

/// The lowest point of the box around a geometry.
fn geometry_lowest(geometry: &Geometry<'_>, pose: &Pose) -> f32 {
    geometry.bounds_over(&(*pose).into(), 0.0).expect("valid").aabb.min[1]
}

/// Goal: nothing leaves a room of triangles, however fast it is, and elastic impacts keep the energy. Method: balls, boxes
/// and compounds that fly many lengths of the room in a tick and hit the room and each other; without spin for the energy,
/// and with spin.
#[test]
fn nothing_leaves_a_room_of_triangles() {
    let (room, compound) = (room(), hammer());
    for spins in [false, true] {
        let mut draw = Draw::new(5);
        let mut all: Vec<(Geometry<'_>, Motion)> = vec![((&room).into(), Motion::default())];
        let mut masses = vec![Mass::FIXED];
        for k in 0..8 {
            let geometry = match k % 3 {
                0 => Shape::sphere(0.3).expect("a ball").into(),
                1 => Shape::cuboid([0.3, 0.1, 0.2]).expect("a box").into(),
                _ => (&compound).into(),
            };
            let corner = |bit: u32| if k >> bit & 1 == 0 { -1.5 } else { 1.5 };
            let speed = if k % 2 == 0 { 20.0 } else { 1.0 };
            let mut motion = motion(
                [corner(0), corner(1), corner(2)],
                [0; 3].map(|_| draw.between(-speed, speed)),
            );
            if spins {
                motion.spin = [0; 3].map(|_| draw.between(-1.0, 1.0));
            }
            all.push((geometry, motion));
            masses.push(Mass { inverse_mass: draw.one_of(&[0.5, 1.0, 3.0]), restitution: 1.0 });
        }
        let mut bodies = bodies(all);
        let energy = |bodies: &[GeometryBody<'_>]| -> f64 {
            let of = |(body, mass): (&GeometryBody<'_>, &Mass)| {
                let square: f64 = body.motion.delta.iter().map(|&x| f64::from(x).powi(2)).sum();
                0.5 * square / f64::from(mass.inverse_mass)
            };
            bodies.iter().zip(&masses).skip(1).map(of).sum()
        };
        let before = energy(&bodies);
        let mut config = StepperConfig::default();
        config.impacts_max = 200;
        let mut stepper = Stepper::new(config);
        let mut impacts = 0;
        for tick in 0..15 {
            stepper.step_geometries(&mut bodies, &masses, None).expect("a step");
            impacts += stepper.impacts().len();
            for body in &bodies[1..] {
                let far =
                    body.motion.pose.position.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
                assert!(far < 4.0, "spins {spins}, tick {tick}: {body:?}");
            }
        }
        assert!(impacts > 200, "{impacts}");
        let change = energy(&bodies) / before - 1.0;
        assert!(spins || change.abs() < 1e-4, "{change:e}");
    }
}

/// Goal: meshes and compounds that can be pushed conserve momentum, and add no energy. Method: a swarm of them flies
/// together in empty space.
#[test]
fn bodies_with_parts_conserve_momentum() {
    let (vertices, triangles) = plane(2, 0.4);
    let plate = Mesh::new(vertices, triangles).expect("a plate");
    let compound = hammer();
    let mut draw = Draw::new(9);
    let (mut all, mut masses) = (Vec::new(), Vec::new());
    for k in 0..24 {
        let geometry: Geometry<'_> = match k % 3 {
            0 => (&plate).into(),
            1 => (&compound).into(),
            _ => Shape::sphere(0.25).expect("a ball").into(),
        };
        let at = [k % 3, k / 3 % 3, k / 9].map(|cell| 1.2 * (cell as f32 - 1.0));
        let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
        let pose = Pose::normalized(at, quaternion).expect("a pose");
        let delta = at.map(|x| -0.6 * x + draw.between(-0.2, 0.2));
        all.push((geometry, Motion::new(pose, delta).expect("a motion")));
        masses.push(Mass {
            inverse_mass: draw.between(0.2, 4.0),
            restitution: draw.one_of(&[0.0, 0.5, 1.0]),
        });
    }
    let mut bodies = bodies(all);
    let sums = |bodies: &[GeometryBody<'_>]| {
        let mut sums = [0.0_f64; 4];
        for (body, mass) in bodies.iter().zip(&masses) {
            let mass = 1.0 / f64::from(mass.inverse_mass);
            for (axis, &x) in body.motion.delta.iter().enumerate() {
                sums[axis] += mass * f64::from(x);
                sums[3] += 0.5 * mass * f64::from(x).powi(2);
            }
        }
        sums
    };
    let before = sums(&bodies);
    let mut stepper = Stepper::new(StepperConfig::default());
    let mut of_parts = 0;
    for _ in 0..10 {
        stepper.step_geometries(&mut bodies, &masses, None).expect("a step");
        of_parts += stepper.impacts().iter().filter(|hit| hit.impact.parts != [0; 2]).count();
    }
    let after = sums(&bodies);
    assert!(of_parts > 10, "{of_parts}");
    for axis in 0..3 {
        let off = (after[axis] - before[axis]).abs();
        assert!(off < 1e-5 * before[3].sqrt() * 10.0, "axis {axis}: {off:e} {before:?} {after:?}");
    }
    assert!(after[3] <= before[3] * (1.0 + 1e-6), "{before:?} {after:?}");
}

/// Goal: each part of a body has impacts of its own. Method: a ball between the two plates of one compound bounces from one
/// to the other, as often as between two bodies.
#[test]
fn a_ball_bounces_between_two_parts_of_one_body() {
    let plate = |x| {
        (
            Shape::cuboid([0.0, 5.0, 5.0]).expect("a plate").into(),
            Pose::at([x, 0.0, 0.0]).expect("valid"),
        )
    };
    let plates = Compound::new([plate(-1.0), plate(1.0)]).expect("valid");
    let ball = Shape::sphere(0.5).expect("a ball");
    let mut bodies = bodies([
        ((&plates).into(), Motion::default()),
        (ball.into(), motion([0.0; 3], [10.0, 0.0, 0.0])),
    ]);
    let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 1.0 }];
    let mut stepper = Stepper::new(StepperConfig::default());
    let stats = stepper.step_geometries(&mut bodies, &masses, None).expect("a step");
    assert_eq!((stats.responses, stats.stalled), (10, 0));
    let parts: Vec<_> = stepper.impacts().iter().map(|hit| hit.impact.parts).collect();
    let wanted: Vec<_> = (0..10).map(|k| [1 - k % 2, 0]).collect();
    assert_eq!(parts, wanted);
    let Motion { pose, delta, .. } = bodies[1].motion;
    assert!(pose.position[0].abs() < 0.01 && (delta[0] - 10.0).abs() < 0.01);
}

/// Goal: a body that is deep in one triangle is stopped by the others. Method: a ball that starts in the floor of a mesh
/// flies along it towards a wall of the same mesh, fast enough to pass it a hundred times.
#[test]
fn a_body_that_overlaps_one_triangle_is_stopped_by_others() {
    let vertices = vec![
        [-9.0, 0.0, -9.0],
        [9.0, 0.0, -9.0],
        [9.0, 0.0, 9.0],
        [-9.0, 0.0, 9.0],
        [5.0, -5.0, -9.0],
        [5.0, 5.0, -9.0],
        [5.0, 5.0, 9.0],
        [5.0, -5.0, 9.0],
    ];
    let mesh =
        Mesh::new(vertices, vec![[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]]).expect("a corner");
    for depth in [0.0, 1e-6, 1e-3, 0.1] {
        for accel in [[0.0; 3], GRAVITY] {
            let flying = motion([0.0, 0.5 - depth, 1.0], [500.0, 0.0, 0.0]).accelerating(accel);
            let ball = Shape::sphere(0.5).expect("a ball");
            let mut bodies = bodies([
                ((&mesh).into(), Motion::default()),
                (ball.into(), flying.expect("a motion")),
            ]);
            let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 }];
            let mut stepper = Stepper::new(StepperConfig::default());
            for _ in 0..3 {
                stepper.step_geometries(&mut bodies, &masses, None).expect("a step");
                let at = bodies[1].motion.pose.position;
                assert!(at[0] <= 4.5 && at[1] > 0.49 - depth, "{depth}: {at:?}");
            }
        }
    }
}

/// Goal: proxies of a broadphase have the bits of bodies in columns, and convex shapes those of [`Stepper::step`].
/// Method: the same scene through each function for some ticks.
#[test]
fn proxies_with_parts_have_the_bits_of_columns() {
    let (room, compound) = (room(), hammer());
    let ball = Shape::sphere(0.3).expect("a ball");
    let all: [(Geometry<'_>, Motion); 4] = [
        ((&room).into(), Motion::default()),
        (ball.into(), motion([-2.0, 0.0, 0.0], [9.0, 1.0, 0.5])),
        ((&compound).into(), motion([2.0, 0.0, 0.0], [-7.0, 2.0, 0.5])),
        ((&compound).into(), motion([0.0, 2.0, 0.0], [1.0, -8.0, 3.0])),
    ];
    let mut rows = bodies(all);
    let free = Mass { inverse_mass: 1.0, restitution: 0.8 };
    let masses = [Mass::FIXED, free, free, free];
    let mut world = Broadphase::new();
    let mut ids: Vec<ProxyId> = Vec::new();
    for (k, (geometry, motion)) in all.iter().enumerate() {
        let aabb = geometry.bounds_over(&motion.pose.into(), 0.0).expect("valid").aabb;
        let proxy = if k == 0 { Proxy::fixed() } else { Proxy::dynamic() };
        ids.push(world.insert(aabb, proxy).expect("valid"));
    }
    let mut motions = all.map(|(_, motion)| motion);
    let (mut of_rows, mut of_proxies) = (Stepper::default(), Stepper::default());
    let mut impacts = 0;
    for _ in 0..6 {
        of_rows.step_geometries(&mut rows, &masses, None).expect("a step");
        let index = |id: ProxyId| ids.iter().position(|&other| other == id).expect("it is there");
        let output = of_proxies.step_proxies(&mut world, |id| {
            let k = index(id);
            Some((all[k].0, motions[k], masses[k]))
        });
        let output = output.expect("a step");
        impacts += output.impacts().len();
        let moved: Vec<_> = output.moved().to_vec();
        for (id, motion) in moved {
            motions[index(id)] = motion;
            assert_eq!(motion, rows[index(id)].motion);
        }
    }
    assert!(impacts > 12, "{impacts}");

    let wall = Shape::cuboid([0.0, 5.0, 5.0]).expect("a wall");
    let shapes =
        [(wall, motion([3.0, 0.0, 0.0], [0.0; 3])), (ball, motion([0.0; 3], [9.0, 0.5, 0.0]))];
    let masses = [Mass::FIXED, free];
    let mut rows = bodies(shapes.map(|(shape, motion)| (shape.into(), motion)));
    let body = |(row, (shape, motion))| ConvexBody { row, shape, motion };
    let mut convex: Vec<_> = (0..).zip(shapes).map(body).collect();
    of_rows.step_geometries(&mut rows, &masses, None).expect("a step");
    of_proxies.step(&mut convex, &masses, None).expect("a step");
    assert_eq!(rows[1].motion, convex[1].motion);
    assert_eq!(of_rows.impacts(), of_proxies.impacts());
}

/// Goal: a body is supported by the parts of a mesh that are near, not by the box around all. Method: a box slides off a terrace, and a ball hits it
/// in the air, between the terrace and a wall of the same mesh; they share the momentum. On a wider terrace the ball stops on the box.
#[test]
fn body_beside_the_near_parts_of_its_support_is_not_supported() {
    for (half, wanted) in [(1.0, -2.0), (15.0, 0.0)] {
        let terrace = [[-half, 0.0, -1.0], [half, 0.0, -1.0], [half, 0.0, 1.0], [-half, 0.0, 1.0]];
        let wall = [[20.0, -1.0, -1.0], [20.0, -1.0, 1.0], [20.0, 5.0, 0.0]];
        let vertices: Vec<[f32; 3]> = terrace.into_iter().chain(wall).collect();
        let mesh = Mesh::new(vertices, vec![[0, 2, 1], [0, 3, 2], [4, 5, 6]]).expect("a mesh");
        let cuboid = Shape::cuboid([0.25; 3]).expect("a box");
        let ball = Shape::sphere(0.25).expect("a ball");
        let mut all = bodies([
            ((&mesh).into(), Motion::default()),
            (cuboid.into(), motion([0.0, 0.25, 0.0], [10.0, -0.5, 0.0])),
            // At the box at nine tenths of the tick.
            (ball.into(), motion([9.0, 4.35, 0.0], [0.0, -4.0, 0.0])),
        ]);
        let plastic = Mass { inverse_mass: 1.0, restitution: 0.0 };
        let mut stepper = Stepper::default();
        stepper.step_geometries(&mut all, &[Mass::FIXED, plastic, plastic], None).expect("bodies");
        assert_eq!(stepper.impacts().last().map(|hit| hit.impact.pair.a), Some(1));
        for body in &all[1..] {
            assert!((body.motion.delta[1] - wanted).abs() < 1e-3, "{half}: {:?}", body.motion);
        }
    }
}

/// Goal: the rounds of parts that turn out to be apart count, so that the limit of rounds holds. Method: a compound that overlaps one triangle and spins inside
/// a ring of thousands of others, which it never touches; it may take few rounds, and is stalled.
#[test]
fn rounds_of_parts_that_are_apart_count_for_the_limit() {
    let tilt = [0.0, 0.0, 0.382_683_43, 0.923_879_5];
    let tilted = Pose { rotation: tilt, ..Pose::IDENTITY };
    let (ball, rod) = (Shape::sphere(1.0), Shape::cuboid([5.0, 0.1, 0.1]));
    let (ball, rod) = (ball.expect("a ball"), rod.expect("a rod"));
    let spinning = Compound::new([(ball.into(), Pose::IDENTITY), (rod.into(), tilted)]);
    let spinning = spinning.expect("a compound");
    let mut vertices = vec![[-0.1, -0.95, -0.1], [0.1, -0.95, -0.1], [0.0, -0.95, 0.1_f32]];
    for k in 0..4_000 {
        let angle = k as f32 * core::f32::consts::TAU / 4_000.0;
        let [x, z] = [3.0 * angle.cos(), 3.0 * angle.sin()];
        vertices.extend([[x, 0.0, z], [x + 0.01, 0.0, z], [x, 0.0, z + 0.01]]);
    }
    let triangles: Vec<_> = (0..4_001).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let ring = Mesh::new(vertices, triangles).expect("a ring");
    // Slowly enough that it is not stopped because it overlaps.
    let turning = Motion::default().spinning([0.0, 3.9, 0.0]).expect("a spin");
    let mut all = bodies([((&spinning).into(), turning), ((&ring).into(), Motion::default())]);
    let mut config = StepperConfig::default();
    config.rounds_per_body_max = 0;
    let masses = [Mass { inverse_mass: 1.0, restitution: 0.0 }, Mass::FIXED];
    let stats = Stepper::new(config).step_geometries(&mut all, &masses, None).expect("bodies");
    assert!(stats.rounds > 1 << 14 && stats.searches < 10 && stats.over_budget == 1, "{stats:?}");
}

/// Goal: searches of bodies with parts count for the limit of rounds also if they take none, so that limit bounds a step in which a body with parts is searched
/// against all bodies near it after each of its impacts. Method: a room that can be pushed, with balls in it of which one of sixteen flies; with
/// few rounds, with the default number, and without a limit.
#[test]
fn searches_of_parts_without_a_round_count_for_the_limit() {
    const SIDE: usize = 8;
    const BASE: usize = 1 << 14;
    let (room, ball) = (room(), Shape::sphere(0.05).expect("a ball"));
    let mut draw = Draw::new(11);
    let balls = (0..SIDE * SIDE * SIDE).map(|k| {
        let at = [k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)].map(|k| k as f32 - 3.5);
        let flies = if k % 16 == 0 { 8.0 } else { 0.0 };
        (ball.into(), motion(at, [(); 3].map(|()| flies * draw.between(-1.0, 1.0))))
    });
    let start = bodies([((&room).into(), Motion::default())].into_iter().chain(balls));
    let mut masses = vec![Mass { inverse_mass: 1.0, restitution: 0.5 }; start.len()];
    masses[0].inverse_mass = 1e-6;
    let step = |rounds_per_body_max: u32| {
        let mut config = StepperConfig::default();
        (config.impacts_max, config.rounds_per_body_max) = (1_000, rounds_per_body_max);
        let mut all = start.clone();
        let stats = Stepper::new(config).step_geometries(&mut all, &masses, None).expect("bodies");
        let searches = stats.searches as u64;
        assert!(stats.budget_rounds >= stats.rounds + searches / 2, "{stats:?}");
        (stats, all.iter().map(|body| body.motion).collect::<Vec<_>>())
    };
    let (free, ends) = step(u32::MAX);
    assert!(free.searches > BASE + BASE / 2 && free.rounds < BASE as u64, "{free:?}");
    let default = StepperConfig::default().rounds_per_body_max;
    assert_eq!(step(default), (free, ends));
    let (few, _) = step(0);
    assert!(few.searches <= BASE && few.over_budget > 0, "{few:?}");
    assert!(few.budget_rounds < BASE as u64 + 64, "{few:?}");
}

/// Goal: impacts on a body of many parts that slides on its support search few of its parts each, and their rounds count. Method: balls fall on a raft
/// of many parts on a floor, at rest or sliding; the rounds grow with the number of balls, not with that times the parts.
#[test]
fn impacts_on_a_sliding_raft_do_not_search_all_of_its_parts() {
    const SIDE: usize = 12;
    let rounds = [0.0, 0.5].map(|slide| {
        let plank = Shape::cuboid([0.5, 0.25, 0.5]).expect("a plank");
        let places = || (0..SIDE * SIDE).map(|k| [k % SIDE, k / SIDE].map(|k| k as f32 - 5.5));
        let part = |[x, z]: [f32; 2]| (plank.into(), Pose::at([x, 0.0, z]).expect("a pose"));
        let raft = Compound::new(places().map(part)).expect("a raft");
        let floor = Shape::cuboid([100.0, 1.0, 100.0]).expect("a floor");
        let ball = Shape::sphere(0.1).expect("a ball");
        let falling = |at, delta| {
            motion(at, delta).accelerating([0.0, -0.003, 0.0]).expect("an acceleration")
        };
        let balls = places()
            .map(|[x, z]| (ball.into(), falling([0.9 * x, 0.7, 0.9 * z], [slide, -0.3, 0.0])));
        let rest = Motion::from(Pose::at([0.0, -1.0, 0.0]).expect("a pose"));
        let of_raft = falling([0.0, 0.25, 0.0], [slide, 0.0, 0.0]);
        let both = [(floor.into(), rest), ((&raft).into(), of_raft)];
        let mut all = bodies(both.into_iter().chain(balls));
        let mut masses = vec![Mass { inverse_mass: 1.0, restitution: 0.0 }; all.len()];
        (masses[0], masses[1].inverse_mass) = (Mass::FIXED, 0.001);
        let stats = Stepper::default().step_geometries(&mut all, &masses, None).expect("bodies");
        assert!(stats.events >= SIDE * SIDE && stats.stalled == 0, "{stats:?}");
        stats.rounds
    });
    assert!(rounds[1] > rounds[0] && rounds[1] < 2 * rounds[0], "{rounds:?}");
}

/// Goal: whether a body is supported by a mesh takes the same time however many triangles are below it. Method: balls fall at several times on a slab that
/// slides on floors of eight and of thousands of triangles, which bounce as from the floor; the rounds of all searches are few.
#[test]
fn supports_of_many_triangles_are_tested_at_one_point() {
    const BALLS: u16 = 9;
    for side in [2, 40] {
        let (vertices, triangles) = plane(side, 6.0 / side as f32);
        let floor = Mesh::new(vertices, triangles).expect("a floor");
        let (mut bodies, masses) = balls_on_a_sliding_slab((&floor).into(), BALLS);
        let mut stepper = Stepper::new(StepperConfig::default());
        let stats = stepper.step_geometries(&mut bodies, &masses, None).expect("a step");
        let wanted = (1 + usize::from(BALLS), 0);
        assert_eq!((stats.responses, stats.stalled), wanted, "{side}: {stats:?}");
        assert!(stats.rounds < 500, "{side}: {stats:?}");
        assert!(bodies[2..].iter().all(|ball| ball.motion.delta == [0.0, 1.0, 0.0]), "{side}");
    }
}

/// Goal: whether a body is supported by a compound takes about the same time however many parts that has. Method: balls fall at several times on a slab
/// that slides on the last of a hundred and of ten thousand blocks, and bounce as from the floor; the least times of some steps.
#[test]
fn supports_of_many_parts_are_not_tested_one_by_one() {
    const BALLS: u16 = 9;
    let times = [10_u16, 100].map(|side| {
        let block = Shape::cuboid([0.5; 3]).expect("a block");
        let places = (0..side * side).map(|k| [k % side, k / side].map(f32::from));
        let last = f32::from(side) - 3.0;
        let part = |[x, z]: [f32; 2]| {
            (block.into(), Pose::at([x - last, -0.5, z - last]).expect("a pose"))
        };
        let floor = Compound::new(places.map(part)).expect("a floor");
        let (all, masses) = balls_on_a_sliding_slab((&floor).into(), BALLS);
        let mut stepper = Stepper::with_exec(StepperConfig::default(), Threads::one());
        least_time(|| {
            let mut bodies = all.clone();
            let stats = stepper.step_geometries(&mut bodies, &masses, None).expect("a step");
            assert_eq!(stats.responses, 1 + usize::from(BALLS), "{side}: {stats:?}");
        })
    });
    assert!(times[1] < 6 * times[0], "{times:?}");
}
