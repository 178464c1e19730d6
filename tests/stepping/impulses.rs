//! Tests that the reported impulses are all that changes the bodies, also if bodies are stalled.
//!
//! The momentum of each body before and after a tick is compared with the sum of the impulses reported for
//! it.

use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::draw::{Draw, how_many};
use testkit::rounded::{Rounded, SLOP, gap};

/// Bodies, as input of the stepper and of the reference.
#[derive(Default)]
struct Crowd {
    bodies: Vec<ConvexBody<'static>>,
    masses: Vec<Mass>,
    reference: Vec<Rounded>,
}

impl Crowd {
    /// Adds a body if it overlaps no other one.
    fn put(&mut self, of: Rounded, accel: [f32; 3], mass: Mass) -> bool {
        if self.reference.iter().any(|other| gap(&of, other, 0.0) < 1e-4) {
            return false;
        }
        let narrow = |x: [f64; 3]| x.map(|x| x as f32);
        let shape = Shape::cuboid(narrow(of.half))
            .and_then(|shape| shape.rounded(of.radius as f32))
            .expect("a shape");
        let pose = Pose::at(narrow(of.at)).expect("a pose");
        let motion = Motion::new(pose, narrow(of.delta)).expect("a motion");
        let motion = motion.accelerating(accel).expect("a motion");
        self.bodies.push(ConvexBody { row: self.bodies.len() as u32, shape, motion });
        self.masses.push(mass);
        self.reference.push(of);
        true
    }

    fn momenta(&self) -> Vec<[f64; 3]> {
        let of = |(body, mass): (&ConvexBody<'_>, &Mass)| match mass.inverse_mass {
            0.0 => [0.0; 3],
            inverse => body.motion.delta.map(|x| f64::from(x) / f64::from(inverse)),
        };
        self.bodies.iter().zip(&self.masses).map(of).collect()
    }

    fn energy(&self) -> f64 {
        let of = |(body, mass): (&ConvexBody<'_>, &Mass)| match mass.inverse_mass {
            0.0 => 0.0,
            inverse => {
                let square: f64 = body.motion.delta.iter().map(|&x| f64::from(x).powi(2)).sum();
                0.5 * square / f64::from(inverse)
            }
        };
        self.bodies.iter().zip(&self.masses).map(of).sum()
    }

    /// The greatest number of the next tick.
    fn most(&self) -> f64 {
        let of = |body: &ConvexBody<'_>| {
            let Motion { pose, delta, accel, .. } = body.motion;
            (0..3)
                .map(|k| pose.position[k].abs() + delta[k].abs() + accel[k].abs())
                .fold(0.0, f32::max)
        };
        self.bodies.iter().map(of).fold(0.0, f32::max).into()
    }

    /// Depth of the deepest overlapping pair of which one can be pushed, less this part of the slop of the
    /// tick.
    fn check_depth(&mut self, most: f64, what: &str) {
        for (of, body) in self.reference.iter_mut().zip(&self.bodies) {
            of.at = body.motion.pose.position.map(f64::from);
        }
        for b in 0..self.bodies.len() {
            for a in 0..b {
                let pushed = [a, b].iter().any(|&k| self.masses[k].inverse_mass > 0.0);
                let depth = -gap(&self.reference[a], &self.reference[b], 0.0);
                assert!(!pushed || depth <= SLOP * most, "{what}: {a} is {depth} in {b}");
            }
        }
    }
}

/// A crowd of bodies of very different masses, some fixed, some driven.
fn crowd(draw: &mut Draw, case: usize) -> Crowd {
    let mut crowd = Crowd::default();
    let (speed, gravity) = ([0.5, 6.0, 60.0][case % 3], case % 4 == 1);
    let restitution = [1.0, 0.5, 0.0, 0.0][case / 3 % 4];
    // Also a stack on a floor.
    if gravity {
        let floor =
            Rounded { half: [20.0, 0.5, 20.0], radius: 0.0, at: [0.0, -3.6, 0.0], delta: [0.0; 3] };
        crowd.put(floor, [0.0; 3], Mass::FIXED);
    }
    let mut tries = 0;
    while crowd.bodies.len() < 40 && tries < 4_000 {
        tries += 1;
        let mut wide = |from: f32, to: f32| f64::from(draw.between(from, to));
        let boxed = [wide(0.05, 0.6), wide(0.05, 0.6), wide(0.05, 0.6)];
        let (radius, at) = (wide(0.05, 0.4), [(); 3].map(|()| wide(-2.5, 2.5)));
        let delta = [(); 3].map(|()| wide(-speed, speed));
        let ball = draw.one_in(2);
        let of = Rounded { half: if ball { [0.0; 3] } else { boxed }, radius, at, delta };
        let some = case.is_multiple_of(2);
        let (fixed, driven) = (some && draw.one_in(8), some && draw.one_in(12));
        let inverse_mass = if fixed || driven {
            0.0
        } else {
            draw.one_of(&[1.0 / 64.0, 0.5, 1.0, 1.0, 2.0, 16.0])
        };
        let of = if fixed { Rounded { delta: [0.0; 3], ..of } } else { of };
        let accel = if gravity && inverse_mass > 0.0 { [0.0, -1.5, 0.0] } else { [0.0; 3] };
        crowd.put(of, accel, Mass { inverse_mass, restitution });
    }
    crowd
}

/// Goal: the reported impulses and supporting forces, with its own acceleration, are the change of momentum
/// of each body. Without fixed bodies momentum is conserved, energy never grows and no bodies overlap,
/// however many are stalled. Method: crowds of masses 1 to 1,000, with driven and fixed bodies or with
/// gravity, with limits of two impacts per tick and more, so that few or nearly all bodies are stalled.
#[test]
fn impulses_are_the_change_of_momentum() {
    let mut draw = Draw::new(11);
    let (mut stalled, mut responses, mut forces, cases) = (0, 0, 0, how_many(150).min(20_000));
    for case in 0..cases {
        let mut crowd = crowd(&mut draw, case);
        let mut config = StepperConfig::default();
        config.impacts_max = [2, 3, 6, 64][case / 2 % 4];
        let mut stepper = Stepper::new(config);
        for tick in 0..5 {
            let what = format!("case {case}, tick {tick}");
            let (before, energy, most) = (crowd.momenta(), crowd.energy(), crowd.most());
            let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
            assert_eq!(stats.stalled, stepper.stalled().len(), "{what}");
            (stalled, responses) = (stalled + stats.stalled, responses + stats.responses);
            let mut until = vec![1.0; crowd.bodies.len()];
            for stalled in stepper.stalled() {
                until[stalled.row as usize] = f64::from(stalled.since);
            }
            // The reported sum, and the bound of its rounding error.
            let accel = |row: usize, k: usize| f64::from(crowd.bodies[row].motion.accel[k]);
            let mass = |row: usize| 1.0 / f64::from(crowd.masses[row].inverse_mass);
            let mut sums: Vec<[f64; 3]> = (0..crowd.bodies.len())
                .map(|row| match crowd.masses[row].inverse_mass {
                    0.0 => [0.0; 3],
                    _ => std::array::from_fn(|k| mass(row) * accel(row, k) * until[row]),
                })
                .collect();
            let mut parts: Vec<f64> = (before.iter().zip(&sums))
                .map(|(p, by)| p.iter().chain(by).map(|x| x.abs()).sum())
                .collect();
            let mut counts = vec![1.0; crowd.bodies.len()];
            for hit in stepper.impacts() {
                assert_eq!(hit.impact.last, 1.0, "{what}: the impact changes the motions");
                // Bodies that separate and are pulled back at once keep a small speed.
                let pulls = hit.supporting_force / 1024.0;
                assert!(hit.supporting_force >= 0.0 && hit.impulse >= -pulls, "{what}: {hit:?}");
                forces += usize::from(hit.supporting_force > 0.0);
                for (member, (row, sign)) in
                    [(hit.impact.pair.a, -1.0), (hit.impact.pair.b, 1.0)].into_iter().enumerate()
                {
                    let row = row as usize;
                    if crowd.masses[row].inverse_mass == 0.0 {
                        assert!(hit.immovable[member], "{what}: {hit:?}");
                    }
                    if hit.immovable[member] {
                        continue;
                    }
                    let time = (until[row] - f64::from(hit.impact.toi)).max(0.0);
                    let by = f64::from(hit.impulse) + f64::from(hit.supporting_force) * time;
                    for (sum, along) in sums[row].iter_mut().zip(hit.impact.normal) {
                        *sum += sign * by * f64::from(along);
                    }
                    parts[row] += by;
                    counts[row] += 1.0;
                }
            }
            let after = crowd.momenta();
            for row in 0..after.len() {
                let near = 4e-7 * parts[row] * f64::sqrt(counts[row]) + 1e-9;
                for k in 0..3 {
                    let off = after[row][k] - before[row][k] - sums[row][k];
                    assert!(off.abs() <= near, "{what}: {row} is off by {off}, {near}, {stats:?}");
                }
            }
            let is_free = crowd.masses.iter().all(|mass| mass.inverse_mass > 0.0);
            let falls = crowd.bodies.iter().any(|body| body.motion.accel != [0.0; 3]);
            let drives =
                !is_free
                    && crowd.masses.iter().zip(&crowd.bodies).any(|(mass, body)| {
                        mass.inverse_mass == 0.0 && body.motion.delta != [0.0; 3]
                    });
            if is_free && !falls {
                let scale: f64 = parts.iter().sum();
                for k in 0..3 {
                    let total = |of: &[[f64; 3]]| of.iter().map(|p| p[k]).sum::<f64>();
                    let off = total(&after) - total(&before);
                    assert!(
                        off.abs() <= 1e-6 * scale,
                        "{what}: momentum is off by {off} of {scale}"
                    );
                }
            }
            let grown = crowd.energy() - energy;
            assert!(
                falls || drives || grown <= 1e-4 * energy + 1e-9,
                "{what}: energy grew by {grown}"
            );
            crowd.check_depth(most, &what);
        }
    }
    println!("{responses} responses, {forces} forces, {stalled} stalled");
    assert!(
        stalled > cases * 10 && forces > cases,
        "{responses} responses, {forces} forces, {stalled} stalled"
    );
}

/// Sums of the momenta along x, of their magnitudes, and of the energies.
fn totals(bodies: &[ConvexBody<'_>], masses: &[Mass]) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for (body, mass) in bodies.iter().zip(masses) {
        let (mass, v) = (1.0 / f64::from(mass.inverse_mass), body.motion.delta.map(f64::from));
        let parts =
            [mass * v[0], mass * v[0].abs(), 0.5 * mass * v.iter().map(|x| x * x).sum::<f64>()];
        sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
    }
    sums
}

/// Goal: momentum is conserved and energy does not grow at any allowed ratio of the masses. Method: rows of
/// touching balls, the first at 100 per tick, with masses from 1, R and 1/R in any order, for R up to 2⁵⁰,
/// and any restitution, over four ticks. The example of four balls of 10⁻⁶, 10⁻⁶, 10⁶ and 10⁶ is among them.
#[test]
fn masses_of_any_ratio_keep_momentum_and_energy() {
    let mut draw = Draw::new(14);
    let mut stepper = Stepper::default();
    let (mut responses, cases) = (0, how_many(100));
    for case in 0..cases {
        let ratio = [1e3, 1e4, 1e6, 1e9, 1e15_f32][case % 5];
        let count = if case == 2 { 4 } else { 2 + case / 5 % 9 };
        let restitution = if case == 2 { 1.0 } else { draw.one_of(&[0.0, 0.3, 1.0, 1.0]) };
        let (mut bodies, mut masses) = (Vec::new(), Vec::new());
        for k in 0..count {
            let shape = Shape::sphere(0.5).expect("a ball");
            let pose = Pose::at([k as f32, 0.0, 0.0]).expect("a pose");
            let delta = [if k == 0 { 100.0 } else { 0.0 }, 0.0, 0.0];
            let motion = Motion::new(pose, delta).expect("a motion");
            bodies.push(ConvexBody { row: k as u32, shape, motion });
            let inverse_mass = match case {
                2 => [1e6, 1e6, 1e-6, 1e-6][k],
                _ => draw.one_of(&[1.0, ratio, 1.0 / ratio]),
            };
            masses.push(Mass { inverse_mass, restitution });
        }
        let [momentum, _, energy] = totals(&bodies, &masses);
        for tick in 0..4 {
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            responses += stats.responses;
            let [after, parts, left] = totals(&bodies, &masses);
            let what = format!("case {case}, tick {tick}: {masses:?}, {stats:?}");
            let off = (after - momentum).abs();
            assert!(off <= 1e-6 * parts.max(momentum.abs()), "{what}: momentum is off by {off}");
            assert!(left <= energy * (1.0 + 1e-6), "{what}: energy grew from {energy} to {left}");
        }
    }
    assert!(responses > 4 * cases, "{responses} in {cases}");
}

/// Goal: bodies of a row in contact share an impulse on one end at once, and none is stalled. Method: equal
/// boxes without restitution, hit by another: all continue at the mean speed; a light ball between two heavy
/// boxes that close.
#[test]
fn bodies_of_a_row_share_an_impulse() {
    for count in [2_usize, 5, 12] {
        let mut crowd = Crowd::default();
        for k in 0..=count {
            let gap = if k == 0 { -2.0 } else { 0.0002 * k as f64 };
            let at = [k as f64 + gap, 0.0, 0.0];
            let delta = [if k == 0 { 9.0 } else { 0.0 }, 0.0, 0.0];
            let of = Rounded { half: [0.5, 0.4, 0.4], radius: 0.0, at, delta };
            assert!(crowd.put(of, [0.0; 3], Mass { inverse_mass: 1.0, restitution: 0.0 }));
        }
        let mut stepper = Stepper::new(StepperConfig::default());
        let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
        let mean = 9.0 / (count as f32 + 1.0);
        for body in &crowd.bodies {
            let speed = body.motion.delta[0];
            assert!((speed - mean).abs() < 1e-3, "{count}: {speed}, not {mean}");
        }
        assert!(stats.stalled == 0 && stats.events <= 3 * count, "{count}: {stats:?}");
    }
    let mut crowd = Crowd::default();
    for (x, delta, half, inverse_mass) in
        [(-1.0, 0.7, 0.5, 1.0 / 300.0), (0.0, 0.0, 0.1, 1.0), (1.0, -0.7, 0.5, 1.0 / 300.0)]
    {
        let of =
            Rounded { half: [half; 3], radius: 0.0, at: [x, 0.0, 0.0], delta: [delta, 0.0, 0.0] };
        assert!(crowd.put(of, [0.0; 3], Mass { inverse_mass, restitution: 0.0 }));
    }
    let mut stepper = Stepper::new(StepperConfig::default());
    let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
    assert!(stats.stalled == 0 && stats.events < 32, "{stats:?}");
    assert!(
        crowd.bodies.iter().all(|body| body.motion.delta[0].abs() < 1e-3),
        "{:?}",
        crowd.bodies
    );
}

/// A box or, without half sides, a ball, that is added whether or not it overlaps others.
fn free(crowd: &mut Crowd, half: [f32; 3], at: [f32; 3], delta: [f32; 3], restitution: f32) {
    let radius = if half == [0.0; 3] { 0.1 } else { 0.0 };
    let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)).expect("a shape");
    let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
    crowd.bodies.push(ConvexBody { row: crowd.bodies.len() as u32, shape, motion });
    crowd.masses.push(Mass { inverse_mass: 1.0, restitution });
}

/// Goal: bodies with restitution bounce in a row too; a body that has left another gets nothing from it; an
/// acceleration and a spin are propagated at once like impulses. Method: closed forms of three boxes in
/// contact hit with a restitution of one half, of a ball that slides off a box before it is hit again, of a
/// row that is accelerated at one end, and a row of balls hit by the tip of a rotating body.
#[test]
fn impulses_are_propagated_through_inelastic_contacts_only() {
    let run = |crowd: &mut Crowd| {
        let mut stepper = Stepper::new(StepperConfig::default());
        stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies")
    };
    let mut three = Crowd::default();
    for (x, speed) in [(-3.0, 8.0), (0.0, 0.0), (1.000_002, 0.0)] {
        free(&mut three, [0.5, 0.4, 0.4], [x, 0.0, 0.0], [speed, 0.0, 0.0], 0.5);
    }
    run(&mut three);
    for (body, part) in three.bodies.iter().zip([0.203_125, 0.234_375, 0.5625]) {
        assert!((body.motion.delta[0] - 8.0 * part).abs() < 1e-3, "{:?}", three.bodies);
    }

    let mut slides = Crowd::default();
    free(&mut slides, [0.5, 0.4, 0.4], [1.0, 0.0, 0.0], [0.0; 3], 0.0);
    free(&mut slides, [0.0; 3], [0.3, 0.0, 0.0], [2.0, 4.0, 0.0], 0.0);
    free(&mut slides, [0.0; 3], [-9.35, 0.0, 0.0], [20.0, 4.0, 0.0], 0.0);
    run(&mut slides);
    for (body, speed) in slides.bodies.iter().zip([1.0, 10.5, 10.5]) {
        assert!((body.motion.delta[0] - speed).abs() < 1e-2, "{:?}", slides.bodies);
    }

    let mut pulled = Crowd::default();
    for k in 0..6_u8 {
        let x = f32::from(k) * 1.000_001;
        free(&mut pulled, [0.5, 0.4, 0.4], [x, 0.0, 0.0], [0.0; 3], 0.0);
    }
    pulled.bodies[0].motion.accel = [0.6, 0.0, 0.0];
    let stats = run(&mut pulled);
    for body in &pulled.bodies {
        assert!((body.motion.delta[0] - 0.1).abs() < 1e-3, "{:?}", pulled.bodies);
    }
    assert!(stats.events <= 60 && stats.stalled == 0, "{stats:?}");

    let mut hit = Crowd::default();
    free(&mut hit, [2.0, 0.05, 0.3], [0.0; 3], [0.0; 3], 0.0);
    hit.masses[0] = Mass::FIXED;
    hit.bodies[0].motion.spin = [0.0, 0.0, 0.3];
    for k in 0..6_u8 {
        free(&mut hit, [0.0; 3], [1.8, 0.4 + f32::from(k) * 0.200_001, 0.0], [0.0; 3], 0.0);
    }
    let stats = run(&mut hit);
    assert!(hit.bodies[6].motion.delta[1] > 0.4, "{:?}", hit.bodies);
    assert!(stats.stalled == 0 && stats.events <= 80, "{stats:?}");
}

/// Goal: a body that has rotated away under a contact gets nothing through it. Method: a plank that rotates
/// about the vertical comes to rest on the end of a body on a stand, and rotates on; then that body is thrown
/// up, past the plank.
#[test]
fn body_rotated_away_from_a_contact_gets_nothing() {
    let mut crowd = Crowd::default();
    free(&mut crowd, [2.0, 0.1, 0.1], [0.0, 0.65, 0.0], [0.0, -1.0, 0.0], 0.0);
    crowd.bodies[0].motion.spin = [0.0, 1.5, 0.0];
    free(&mut crowd, [0.1; 3], [1.5, 0.4, 0.0], [0.0; 3], 0.0);
    crowd.bodies[1].motion.accel = [0.0, -1.0, 0.0];
    free(&mut crowd, [0.1; 3], [1.5, 0.2, 0.0], [0.0; 3], 0.0);
    // It passes the stand at six tenths of the tick.
    free(&mut crowd, [0.05, 0.5, 0.05], [1.5, -2.6, 0.0], [0.0, 4.0, 0.0], 0.0);
    crowd.masses[2..].fill(Mass::FIXED);
    let mut stepper = Stepper::new(StepperConfig::default());
    stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
    let hits = stepper.impacts().iter().map(|hit| (hit.impact.pair.a, hit.impact.pair.b));
    assert_eq!(hits.collect::<Vec<_>>(), [(1, 2), (0, 1), (1, 3)]);
    for (row, speed) in [(0, 0.0), (1, 4.0)] {
        let delta = crowd.bodies[row].motion.delta;
        assert!((delta[1] - speed).abs() < 1e-3, "{row}: {delta:?}");
    }
}

/// Goal: a body that hits a stalled one and would return at once is stalled at that first contact. Method: a
/// heavy elastic box between two walls is stalled after two impacts; a body that falls on it under gravity,
/// slowly or fast, is reported to touch it once, and lies on it from then on with the momentum of both
/// shared.
#[test]
fn body_that_would_return_to_a_stalled_one_is_stalled() {
    for (height, mass) in [(0.02_f32, 1e3_f32), (0.3, 1e8), (1.0, 1e3), (1.0, 1e8)] {
        let mut crowd = Crowd::default();
        for x in [-0.5, 0.5] {
            free(&mut crowd, [0.0, 0.2, 0.2], [x, 0.0, 0.0], [0.0; 3], 0.0);
        }
        crowd.masses.fill(Mass::FIXED);
        free(&mut crowd, [0.25; 3], [0.0; 3], [2000.0, 0.0, 0.0], 1.0);
        free(&mut crowd, [0.1; 3], [-0.25, 0.35 + height, 0.0], [0.0; 3], 0.0);
        crowd.masses[2].inverse_mass = 1.0 / mass;
        crowd.bodies[3].motion.accel = [0.0, -8.0, 0.0];
        let mut config = StepperConfig::default();
        config.impacts_max = 2;
        let mut stepper = Stepper::new(config);
        stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
        let hits = stepper.impacts().iter().map(|hit| (hit.impact.pair.a, hit.impact.pair.b));
        assert_eq!(hits.collect::<Vec<_>>(), [(1, 2), (0, 2), (2, 3)], "{height}");
        let [first, second] = stepper.stalled() else {
            panic!("{height}: {:?}", stepper.stalled())
        };
        // It falls by the height, less the slop of such a fast body.
        let after = (2.0 * (height - 2000.0 / (1 << 20) as f32) / 8.0).sqrt();
        assert_eq!((first.row, second.row), (2, 3), "{height}");
        assert!((second.since - after).abs() < 1e-3, "{height}: {second:?}, not {after}");
        for body in &crowd.bodies[2..] {
            let off = body.motion.delta[1] + 8.0 * after / (mass + 1.0);
            assert!(off.abs() < 1e-4, "{height}: {:?}", body.motion);
        }
    }
}

/// Goal: a body that cannot be pushed crushes no other one: it is stalled before it would overlap a body that
/// cannot give way any more. Method: a press that closes on a ball in front of a wall, fast and slowly.
#[test]
fn press_stops_at_a_body_that_cannot_give_way() {
    for speed in [0.5, 3.0, 40.0] {
        let mut crowd = Crowd::default();
        let mut put = |x: f64, delta: f64, half: f64, inverse_mass: f32| {
            let of = Rounded {
                half: [half; 3],
                radius: 0.0,
                at: [x, 0.0, 0.0],
                delta: [delta, 0.0, 0.0],
            };
            assert!(crowd.put(of, [0.0; 3], Mass { inverse_mass, restitution: 0.5 }));
        };
        put(2.0, 0.0, 1.0, 0.0);
        put(0.5, 0.0, 0.25, 1.0);
        put(-2.0, speed, 2.0, 0.0);
        let most = crowd.most();
        let mut stepper = Stepper::new(StepperConfig::default());
        for tick in 0..4 {
            let stats = stepper.step(&mut crowd.bodies, &crowd.masses, None).expect("bodies");
            crowd.check_depth(most, &format!("{speed}, tick {tick}, {stats:?}"));
            assert_eq!(crowd.bodies[2].motion.delta, [speed as f32, 0.0, 0.0]);
            // The number of impacts allowed for the ball, and one for the press, which is stalled at its
            // first.
            assert!(stats.events <= 33, "{speed}, tick {tick}, {stats:?}");
        }
        assert!(
            stepper.stalled().iter().any(|stalled| stalled.row == 2),
            "{:?}",
            stepper.stalled()
        );
    }
}

/// Goal: two bodies that overlap deeply and separate get hardly deeper if one rotates, although there is no
/// distance to search with. Method: a long plank that rotates into an overlapping ball, once the plank has
/// begun to leave it.
#[test]
fn body_rotating_inside_another_is_searched_again() {
    let plank = Shape::cuboid([2.0, 0.1, 0.5]).expect("a plank");
    let ball = Shape::sphere(0.3).expect("a ball");
    let place = |x, y| Pose::at([x, y, 0.0]).expect("a pose");
    // It rises more slowly than its end sinks on the side of the ball.
    let turning = Motion::new(place(0.0, 0.35), [0.0, 0.05, 0.0])
        .and_then(|motion| motion.spinning([0.0, 0.0, -0.8]))
        .expect("a motion");
    for (x, responds) in [(-1.5, false), (0.05, true)] {
        let ball_motion = Motion::from(place(x, 0.0));
        let mut bodies = [
            ConvexBody { row: 0, shape: plank, motion: turning },
            ConvexBody { row: 1, shape: ball, motion: ball_motion },
        ];
        let masses = [Mass::FIXED, Mass { inverse_mass: 1.0, restitution: 0.0 }];
        let mut stepper = Stepper::new(StepperConfig::default());
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        assert_eq!(stats.responses > 0, responds, "{x}: {stats:?} {:?}", bodies[1].motion);
    }
}
