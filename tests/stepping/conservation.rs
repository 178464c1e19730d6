//! Tests that a tick of the stepper loses no time and no momentum, and that no body passes through a wall.

use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::draw::{Draw, how_many};
use testkit::rounded::{Rounded, SLOP, first_time, gap};

fn unit(draw: &mut Draw) -> [f32; 3] {
    loop {
        let v = [(); 3].map(|()| draw.between(-1.0, 1.0));
        let square: f32 = v.iter().map(|x| x * x).sum();
        if (0.01..1.0).contains(&square) {
            return v.map(|x| x / square.sqrt());
        }
    }
}

fn rotation(draw: &mut Draw) -> [f32; 4] {
    let ([x, y, z], angle) = (unit(draw), draw.between(0.0, 3.0));
    let (sin, cos) = angle.sin_cos();
    [x * sin, y * sin, z * sin, cos]
}

fn turned([x, y, z, w]: [f32; 4], v: [f32; 3]) -> [f64; 3] {
    let (q, w, v) = ([x, y, z].map(f64::from), f64::from(w), v.map(f64::from));
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let t = cross(q, v).map(|x| 2.0 * x);
    let u = cross(q, t);
    std::array::from_fn(|axis| v[axis] + w * t[axis] + u[axis])
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| a[axis] * b[axis]).sum()
}

fn body<'s>(row: u32, shape: Shape<'s>, pose: Pose, delta: [f32; 3]) -> ConvexBody<'s> {
    ConvexBody { row, shape, motion: Motion::new(pose, delta).expect("a motion") }
}

/// Goal: no bullet passes a wall, at any angle, for any thickness down to zero, at up to 10,000 sizes per
/// tick, with and without acceleration; and none is left inside. Method: a wall in any orientation, also far
/// out; bullets that are points, balls and rotated boxes, aimed at positions on the wall from either side;
/// some between two walls. The end of a bullet is compared with the planes of the wall. A million with
/// `.ci/exact`.
#[test]
fn bullets_never_pass_a_wall() {
    let mut draw = Draw::new(1);
    let mut stepper = Stepper::new(StepperConfig::default());
    let (mut bounced, cases) = (0, how_many(4_000));
    for case in 0..cases {
        let size = draw.one_of(&[0.0, 0.01, 0.3, 1.0]);
        let shape = match case % 3 {
            0 => Shape::sphere(size).expect("a ball"),
            1 => Shape::cuboid([size, 0.5 * size, 0.25 * size]).expect("a box"),
            _ => Shape::capsule(size, 0.25 * size).expect("a capsule"),
        };
        let reach = 1.3 * size;
        let thickness = draw.one_of(&[0.0, 0.0, 1e-4, 0.01, 0.2]);
        let far = draw.one_of(&[0.0, 0.0, 3.0, 1000.0]);
        let middle = [(); 3].map(|()| draw.between(-1.0, 1.0) * far);
        let spun = rotation(&mut draw);
        let normal = turned(spun, [1.0, 0.0, 0.0]);
        // A position on the wall, and a start at a distance from it, on one side.
        let at = turned(spun, [0.0, draw.between(-20.0, 20.0), draw.between(-20.0, 20.0)]);
        let side = f64::from(draw.sign());
        let speed = draw.one_of(&[3.0, 30.0, 300.0, 1e4]) * if size > 0.0 { size } else { 1.0 };
        let side_length = 30.0 + 0.5 * speed;
        let wall = Shape::cuboid([thickness, side_length, side_length]).expect("a wall");
        let way = loop {
            let way = unit(&mut draw).map(f64::from);
            if dot(way, normal).abs() > 0.05 {
                break way.map(|x| x * -side * dot(way, normal).signum());
            }
        };
        let off = f64::from(draw.between(0.0, 0.9) * speed);
        let clear =
            (f64::from(thickness + reach) + 1e-3 * (1.0 + f64::from(far))) / dot(way, normal).abs();
        let start: [f32; 3] = std::array::from_fn(|axis| {
            (f64::from(middle[axis]) + at[axis] - way[axis] * (off + clear)) as f32
        });
        let delta = way.map(|x| (x * f64::from(speed)) as f32);
        let pose = Pose::new(start, rotation(&mut draw)).expect("a pose");
        let mut bodies = vec![
            body(0, wall, Pose::new(middle, spun).expect("a pose"), [0.0; 3]),
            body(1, shape, pose, delta),
        ];
        if case % 2 == 0 {
            bodies[1].motion.accel = unit(&mut draw).map(|x| x * 0.2 * speed);
        }
        let restitution = draw.one_of(&[0.0, 0.3, 1.0]);
        let masses = [Mass::FIXED, Mass { inverse_mass: 2.0, restitution }];
        // Several ticks: a bullet that rests or returns must not pass either.
        for tick in 0..3 {
            let before = bodies[1].motion;
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            assert!(stepper.rejected().is_empty());
            bounced += stats.responses;
            let end = bodies[1].motion.pose.position;
            let from: [f64; 3] =
                std::array::from_fn(|axis| f64::from(end[axis]) - f64::from(middle[axis]));
            let height = side * dot(from, normal);
            let across = dot(from, from).sqrt();
            if across > 0.9 * f64::from(side_length) {
                break;
            }
            // A ball of this radius about its position is inside of the bullet.
            let inner = if case % 3 == 0 { size } else { 0.25 * size };
            assert!(
                height > 0.0 && height >= f64::from(thickness + inner),
                "case {case}, tick {tick}: a bullet is {height} behind: {shape:?} {thickness} \
                 {before:?} {:?} {stats:?} {:?}",
                bodies[1].motion,
                bodies[0].motion
            );
        }
    }
    assert!(bounced > cases / 2, "{bounced} of {cases} met the wall");
}

/// Goal: two bodies move as in the reference: straight to the impact, then apart, to the end of the tick.
/// Method: rounded boxes, balls and boxes with and without mass, elastic or not, whose impact is on a face or
/// between balls, so that the normal is known in closed form.
#[test]
fn two_bodies_move_as_in_the_reference() {
    let mut draw = Draw::new(2);
    let mut stepper = Stepper::new(StepperConfig::default());
    let (mut met, cases) = (0, how_many(3_000));
    for case in 0..cases {
        let mut rounded = |x: f32| {
            let ball = draw.one_in(2);
            let half = [(); 3].map(|()| if ball { 0.0 } else { draw.between(0.1, 1.0) });
            let (radius, at) = (draw.between(0.2, 1.0), [(); 3].map(|()| draw.between(-0.7, 0.7)));
            let delta = [-x.signum() * draw.between(0.0, 12.0), draw.between(-0.5, 0.5), 0.1];
            let wide = |x: [f32; 3]| x.map(f64::from);
            let at = [at[0] + x, at[1], at[2]];
            let of = Rounded {
                half: wide(half),
                radius: radius.into(),
                at: wide(at),
                delta: wide(delta),
            };
            let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)).expect("one");
            (of, shape, at, delta)
        };
        let two = [rounded(-4.0), rounded(4.0)];
        let mut bodies: Vec<_> = (0..)
            .zip(&two)
            .map(|(row, (_, shape, at, delta))| {
                body(row, *shape, Pose::at(*at).expect("a pose"), *delta)
            })
            .collect();
        let restitution = draw.one_of(&[0.0, 0.5, 1.0]);
        let inverse = [draw.one_of(&[1.0, 0.25]), draw.one_of(&[0.0, 1.0, 3.0])];
        let masses = inverse.map(|inverse_mass| Mass { inverse_mass, restitution });
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        let [a, b] = [two[0].0, two[1].0];
        let Some(t) = first_time(&a, &b) else {
            if let Some(graze) = stepper.impacts().first() {
                let apart = gap(&a, &b, graze.impact.toi.into());
                assert!(apart < 1e-4, "case {case}: {graze:?} is {apart} early");
                continue;
            }
            for (end, start) in bodies.iter().zip(&two) {
                for axis in 0..3 {
                    let wanted = start.0.place(1.0)[axis];
                    let found = f64::from(end.motion.pose.position[axis]);
                    assert!((found - wanted).abs() < 1e-5, "case {case}: {found} {wanted}");
                }
            }
            continue;
        };
        let (p, q) = (a.place(t), b.place(t));
        let over: [f64; 3] = std::array::from_fn(|axis| {
            let between = q[axis] - p[axis];
            let free = between.abs() - a.half[axis] - b.half[axis];
            free.max(0.0).copysign(between)
        });
        let length = dot(over, over).sqrt();
        let normal = over.map(|x| x / length);
        let closing = dot(std::array::from_fn(|k| a.delta[k] - b.delta[k]), normal);
        // A graze: the end depends on the last digits.
        let between: [f64; 3] = std::array::from_fn(|k| a.delta[k] - b.delta[k]);
        let speed = dot(between, between).sqrt();
        if closing < 0.3 * speed {
            continue;
        }
        met += 1;
        assert!(stats.responses >= 1 && stats.stalled == 0, "case {case}: {stats:?}");
        // Whichever of the two has changed, the pair is searched once.
        assert!(stats.repeated_searches <= stats.events, "case {case}: {stats:?}");
        let [of_a, of_b] = inverse.map(f64::from);
        let impulse = (1.0 + f64::from(restitution)) * closing / (of_a + of_b);
        // The normal belongs to a distance with an error of 2⁻²², so it is rotated by at most 7e-4. A body
        // that approaches obliquely closes by that part of its speed more or less, and both are moved along
        // it, by up to twice as much.
        let near = 1e-3 + 4.0 * 7e-4 * speed;
        for (k, (of, share)) in [(a, -of_a), (b, of_b)].into_iter().enumerate() {
            for (axis, normal) in normal.into_iter().enumerate() {
                let after = of.delta[axis] + share * impulse * normal;
                let wanted = of.place(t)[axis] + after * (1.0 - t);
                let found = f64::from(bodies[k].motion.pose.position[axis]);
                let velocity = f64::from(bodies[k].motion.delta[axis]);
                assert!(
                    (found - wanted).abs() < near,
                    "case {case}, {k}, {axis}: {found} {wanted}"
                );
                assert!((velocity - after).abs() < near, "case {case}: {velocity} {after}");
            }
        }
        let apart = gap(
            &Rounded { at: bodies[0].motion.pose.position.map(f64::from), ..a },
            &Rounded { at: bodies[1].motion.pose.position.map(f64::from), ..b },
            0.0,
        );
        assert!(apart > 0.0, "case {case}: {apart}");
    }
    assert!(met > cases / 3, "{met} of {cases} met");
}

/// Goal: after half of its allowed impacts a body does not bounce any more, and it is stalled only after the
/// last one. Method: an elastic ball between two walls without thickness, so fast that it would hit each many
/// times: it stays at the wall that follows the last bounce.
#[test]
fn body_after_half_of_its_impacts_bounces_no_more() {
    let wall = Shape::cuboid([0.0, 5.0, 5.0]).expect("a wall");
    for impacts_max in [2_u32, 3, 8, 15, 32] {
        let place = |x: f32| Pose::at([x, 0.0, 0.0]).expect("a pose");
        let ball = Shape::sphere(0.5).expect("a ball");
        let mut bodies = [
            body(0, wall, place(-1.0), [0.0; 3]),
            body(1, wall, place(1.0), [0.0; 3]),
            body(2, ball, place(0.0), [100.0, 0.0, 0.0]),
        ];
        let elastic = Mass { inverse_mass: 1.0, restitution: 1.0 };
        let mut config = StepperConfig::default();
        config.impacts_max = impacts_max;
        let mut stepper = Stepper::new(config);
        let masses = [Mass::FIXED, Mass::FIXED, elastic];
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        let hits = impacts_max / 2 + 1;
        assert_eq!(stats.responses, hits as usize, "{impacts_max}: {stats:?}");
        assert_eq!(stats.stalled, usize::from(hits >= impacts_max), "{impacts_max}: {stats:?}");
        let wanted = if hits % 2 == 1 { 0.5 } else { -0.5 };
        let Motion { pose, delta, .. } = bodies[2].motion;
        let off = (pose.position[0] - wanted).abs();
        assert!(off < 2e-3 && delta[0].abs() < 2e-3, "{impacts_max}: {:?}", bodies[2].motion);
    }
}

/// Goal: fifty bodies in a crowd end the tick without overlap, without a stalled body, with their momentum
/// and without a gain of energy. Method: the reference computes the depth of each pair; bodies start apart.
#[test]
fn no_body_ends_a_tick_inside_another() {
    let mut draw = Draw::new(3);
    let mut stepper = Stepper::new(StepperConfig::default());
    let (mut responses, mut stalled, mut busiest, cases) = (0, 0, 0, how_many(60).min(1_000));
    for case in 0..cases {
        let (speed, fixed) = ([1.0, 6.0, 60.0][case % 3], case % 2 == 0);
        let restitution = [1.0, 0.5, 0.0][case / 3 % 3];
        let (mut references, mut bodies, mut masses) =
            (Vec::<Rounded>::new(), Vec::new(), Vec::new());
        while bodies.len() < 50 {
            let row = bodies.len() as u32;
            let half = [(); 3].map(|()| draw.between(0.0, 0.6));
            let half = if draw.one_in(2) { [0.0; 3] } else { half };
            let radius =
                if draw.one_in(3) && half != [0.0; 3] { 0.0 } else { draw.between(0.1, 0.5) };
            let at = [(); 3].map(|()| draw.between(-4.0, 4.0));
            let still = fixed && draw.one_in(5);
            let delta = [(); 3].map(|()| if still { 0.0 } else { draw.between(-speed, speed) });
            let wide = |x: [f32; 3]| x.map(f64::from);
            let of = Rounded {
                half: wide(half),
                radius: radius.into(),
                at: wide(at),
                delta: wide(delta),
            };
            if references.iter().any(|other| gap(&of, other, 0.0) < 1e-3) {
                continue;
            }
            references.push(of);
            let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)).expect("one");
            bodies.push(body(row, shape, Pose::at(at).expect("a pose"), delta));
            let inverse_mass = if still { 0.0 } else { draw.one_of(&[0.5, 1.0, 2.0]) };
            masses.push(Mass { inverse_mass, restitution });
        }
        let totals = |bodies: &[ConvexBody<'_>]| {
            let (mut momentum, mut energy) = ([0.0; 3], 0.0);
            for (body, mass) in bodies.iter().zip(&masses).filter(|(_, m)| m.inverse_mass > 0.0) {
                let (v, m) = (body.motion.delta.map(f64::from), 1.0 / f64::from(mass.inverse_mass));
                (0..3).for_each(|axis| momentum[axis] += m * v[axis]);
                energy += 0.5 * m * dot(v, v);
            }
            (momentum, energy)
        };
        for tick in 0..3 {
            let (momentum, energy) = totals(&bodies);
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            let (momentum_after, energy_after) = totals(&bodies);
            (responses, stalled) = (responses + stats.responses, stalled + stats.stalled);
            busiest = busiest.max(stats.events);
            let scale = energy.sqrt() * 50.0 + 1e-3;
            let free = masses.iter().all(|mass| mass.inverse_mass > 0.0);
            for axis in 0..3 {
                let off = (momentum_after[axis] - momentum[axis]).abs();
                assert!(!free || off < 1e-5 * scale, "case {case}: momentum is off by {off}");
            }
            assert!(
                energy_after <= energy * (1.0 + 1e-3) + 1e-6,
                "case {case}: {energy} {energy_after}"
            );
            let most: f64 = bodies
                .iter()
                .flat_map(|body| (0..3).map(|axis| body.motion.pose.position[axis].abs()))
                .fold(f64::from(speed), |most, x| most.max(x.into()));
            for (of, body) in references.iter_mut().zip(&bodies) {
                of.at = body.motion.pose.position.map(f64::from);
            }
            for b in 0..50 {
                for a in 0..b {
                    let depth = -gap(&references[a], &references[b], 0.0);
                    assert!(
                        depth <= SLOP * most,
                        "case {case}, tick {tick}: {a} is {depth} in {b}, {stats:?}"
                    );
                }
            }
        }
    }
    println!("{responses} responses, {stalled} stalled, {busiest} passes at most");
    assert!(
        responses > cases * 10 && stalled * 200 <= responses,
        "{responses} responses, {stalled} stalled"
    );
}

/// Goal: no impact is missed in a crowd so large that not every body is tested for each impact. Method: two
/// thousand balls and boxes, many of them fast, between walls without thickness; after each tick every pair
/// is tested, and every ball is still on its side of every wall.
#[test]
fn no_impact_is_missed_in_a_large_crowd() {
    const WALLS: usize = 6;
    let mut draw = Draw::new(4);
    let mut stepper = Stepper::new(StepperConfig::default());
    let (mut references, mut bodies, mut masses) = (Vec::<Rounded>::new(), Vec::new(), Vec::new());
    let place = |wall: usize| 4.0 * wall as f32 - 10.0;
    for wall in 0..WALLS {
        let shape = Shape::cuboid([0.0, 500.0, 500.0]).expect("a wall");
        let pose = Pose::at([place(wall), 0.0, 0.0]).expect("a pose");
        bodies.push(body(wall as u32, shape, pose, [0.0; 3]));
        masses.push(Mass::FIXED);
    }
    while bodies.len() < 2000 {
        let half = [(); 3].map(|()| draw.between(0.0, 0.3));
        let (half, radius) = if draw.one_in(2) { ([0.0; 3], 0.25) } else { (half, 0.05) };
        let mut at = [(); 3].map(|()| draw.between(-12.0, 12.0));
        // Between two walls, without contact with either.
        let room = (bodies.len() % (WALLS - 1)) as f32 + 0.5;
        at[0] = 4.0 * room - 10.0 + draw.between(-1.5, 1.5);
        let speed = draw.one_of(&[0.0, 1.0, 10.0]);
        let delta = [(); 3].map(|()| draw.between(-speed, speed));
        let wide = |x: [f32; 3]| x.map(f64::from);
        let of =
            Rounded { half: wide(half), radius: radius.into(), at: wide(at), delta: wide(delta) };
        if references.iter().any(|other| gap(&of, other, 0.0) < 1e-3) {
            continue;
        }
        references.push(of);
        let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)).expect("one");
        let row = bodies.len() as u32;
        bodies.push(body(row, shape, Pose::at(at).expect("a pose"), delta));
        masses.push(Mass { inverse_mass: draw.one_of(&[0.5, 1.0]), restitution: 0.9 });
    }
    let mut responses = 0;
    for tick in 0..3 {
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        responses += stats.responses;
        let mut most = 0.0_f64;
        for (of, body) in references.iter_mut().zip(&bodies[WALLS..]) {
            of.at = body.motion.pose.position.map(f64::from);
            most = of.at.iter().fold(most, |most, x| most.max(x.abs()));
        }
        for (row, of) in references.iter().enumerate() {
            let room = (row + WALLS) % (WALLS - 1);
            let sides = [of.at[0] - f64::from(place(room)), f64::from(place(room + 1)) - of.at[0]];
            let clear = of.half[0] + of.radius - SLOP * most;
            assert!(sides.iter().all(|&side| side >= clear), "tick {tick}: {row} is at {of:?}");
            for (other, with) in references[..row].iter().enumerate() {
                let depth = -gap(of, with, 0.0);
                assert!(depth <= SLOP * most, "tick {tick}: {row} is {depth} in {other}");
            }
        }
    }
    println!("{responses} responses");
    assert!(responses > 2000, "{responses} responses");
}

/// Goal: a stack at rest stays where it is, and takes about one pass per contact; one that falls comes to
/// rest. Method: a hundred ticks of ten boxes on a floor and on each other, with gravity as an acceleration
/// or added to the velocity, stacked exactly or dropped from a little above.
#[test]
fn stacks_rest_and_do_not_stall() {
    for (case, above) in [0.0_f32, 0.0, 0.02, 0.3].into_iter().enumerate() {
        for accelerated in [false, true] {
            let mut stepper = Stepper::new(StepperConfig::default());
            let floor = Shape::cuboid([20.0, 0.5, 20.0]).expect("a floor");
            let crate_ = Shape::cuboid([0.5; 3]).expect("a crate");
            let mut bodies =
                vec![body(0, floor, Pose::at([0.0, -0.5, 0.0]).expect("one"), [0.0; 3])];
            let mut masses = vec![Mass::FIXED];
            for row in 1..=10 {
                let y = (row - 1) as f32 * (1.0 + above) + 0.5 + above;
                let x = if case == 1 { 0.1 * (row % 3) as f32 } else { 0.0 };
                bodies.push(body(row, crate_, Pose::at([x, y, 0.0]).expect("one"), [0.0; 3]));
                masses.push(Mass { inverse_mass: 1.0, restitution: 0.0 });
            }
            // 9.81 m/s² at 60 ticks per second.
            let gravity = -9.81 / 3600.0;
            let (mut events, mut stalled) = (0, 0);
            for tick in 0..400 {
                for body in &mut bodies[1..] {
                    if accelerated {
                        body.motion.accel[1] = gravity;
                    } else {
                        body.motion.delta[1] += gravity;
                    }
                }
                let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
                stalled += stats.stalled;
                if tick >= 300 {
                    events = events.max(stats.events);
                }
                for (row, body) in bodies.iter().enumerate().skip(1) {
                    let below = bodies[row - 1].motion.pose.position[1];
                    let under = if row == 1 { 0.0 } else { below + 0.5 };
                    let gap = body.motion.pose.position[1] - 0.5 - under;
                    assert!(gap > -1e-4, "{above}, {accelerated}, {tick}: {row} sinks by {gap}");
                }
            }
            let tops: Vec<_> =
                bodies[1..].iter().map(|body| body.motion.pose.position[1]).collect();
            for (k, top) in tops.iter().enumerate() {
                let height = k as f32 + 0.5;
                assert!((top - height).abs() < 4e-3, "{above}, {accelerated}: {tops:?}");
                let [x, _, z] = bodies[k + 1].motion.pose.position;
                let start = if case == 1 { 0.1 * ((k + 1) % 3) as f32 } else { 0.0 };
                assert!((x - start).abs() < 1e-3 && z.abs() < 1e-3, "{x} {z}");
                let speed = bodies[k + 1].motion.delta[1].abs();
                assert!(speed < 0.01, "{above}, {accelerated}: {k} moves by {speed}");
            }
            println!("{above}, {accelerated}: {events} events, {stalled} stalled");
            assert!(
                events <= 30 && stalled == 0,
                "{above}, {accelerated}: {events} events, {stalled} stalled"
            );
        }
    }
}
