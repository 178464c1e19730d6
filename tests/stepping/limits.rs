//! Tests of the limits of a step: invalid input is rejected, budgets hold, and all numbers of results are
//! finite.

use swath::batch::Rejected;
use swath::broadphase::FindError;
use swath::convex::toi::ToiError;
use swath::pipeline::ImpactKind;
use swath::{
    Aabb, Broadphase, COORD_MAX, ConvexBody, Filter, Impact, Invalid, Motion, Pair, Pose, Proxy,
    Shape, Threads,
};
use swath_stepping::{Mass, StepError, Stepper, StepperConfig, response};
use testkit::draw::{Draw, how_many};
use testkit::finite::assert_finite;
use testkit::rounded::{Rounded, gap};

const LIGHT: Mass = Mass { inverse_mass: 1.0, restitution: 0.5 };

/// Invalid masses, and the reasons.
fn invalid_masses() -> Vec<(Mass, Invalid)> {
    let inverse = [f32::NAN, f32::INFINITY, -f32::INFINITY, -1.0, 1e-45, 1e-20, 1e20, f32::MAX];
    let restitution = [f32::NAN, f32::INFINITY, -f32::INFINITY, -1e-45, 1.0_f32.next_up(), 7.0];
    let of_mass =
        inverse.map(|inverse_mass| (Mass { inverse_mass, restitution: 0.5 }, Invalid::InverseMass));
    let of_restitution = restitution
        .map(|restitution| (Mass { inverse_mass: 1.0, restitution }, Invalid::Restitution));
    of_mass.into_iter().chain(of_restitution).collect()
}

fn body(row: u32, shape: Shape<'static>, at: [f32; 3], delta: [f32; 3]) -> ConvexBody<'static> {
    let motion = Motion::new(Pose::at(at).expect("a pose"), delta).expect("a motion");
    ConvexBody { row, shape, motion }
}

fn ball(radius: f32) -> Shape<'static> {
    Shape::sphere(radius).expect("a ball")
}

/// Goal: a row with an invalid mass is listed with the reason, is not moved and has no contacts; all others
/// move as if it were absent. Method: two balls that touch, and between them one with each invalid mass; in
/// columns and as proxies.
#[test]
fn invalid_masses_are_rejected() {
    let two = [
        body(0, ball(0.5), [-3.0, 0.0, 0.0], [4.0, 0.0, 0.0]),
        body(1, ball(0.5), [3.0, 0.0, 0.0], [-4.0, 0.0, 0.0]),
    ];
    let mut stepper = Stepper::default();
    let mut alone = two;
    let stats_alone = stepper.step(&mut alone, &[LIGHT; 2], None).expect("bodies");
    assert_eq!(stats_alone.responses, 1);
    let masses = invalid_masses();
    assert_eq!(masses.len(), 14);
    for (mass, reason) in masses {
        let between = body(2, ball(0.5), [0.0; 3], [0.0, 0.1, 0.0]);
        let mut bodies = [two[0], two[1], between];
        let stats = stepper.step(&mut bodies, &[LIGHT, LIGHT, mass], None).expect("bodies");
        assert_eq!(stepper.rejected(), [Rejected { row: 2, reason }], "{mass:?}");
        assert_eq!(stats, stats_alone, "{mass:?}");
        assert_eq!(bodies[2].motion, between.motion, "{mass:?}");
        for (of, wanted) in bodies.iter().zip(&alone) {
            assert_eq!(of.motion, wanted.motion, "{mass:?}");
        }

        let mut world = Broadphase::new();
        let rows = [two[0], two[1], between];
        let ids = rows.map(|row| {
            let aabb = Aabb::cube(row.motion.pose.position, 0.5).expect("a box");
            world.insert(aabb, Proxy::dynamic()).expect("a proxy")
        });
        let stepped = stepper.step_proxies(&mut world, |id| {
            let row = ids.iter().position(|&other| other == id).expect("one of three");
            Some((rows[row].shape, rows[row].motion, if row == 2 { mass } else { LIGHT }))
        });
        let stepped = stepped.expect("a world");
        assert_eq!(stepped.rejected(), [(ids[2], reason)], "{mass:?}");
        let wanted = [(ids[0], alone[0].motion), (ids[1], alone[1].motion)];
        assert_eq!(stepped.moved(), wanted, "{mass:?}");
    }
}

/// Goal: a response to one impact returns an error for invalid input and changes nothing; for valid input all
/// numbers are finite and no displacement exceeds the limit. Method: each invalid mass and motion; speeds,
/// normals and masses at the limits of validity.
#[test]
fn bounce_rejects_invalid_input() {
    let impact: Impact = Impact { normal: [1.0, 0.0, 0.0], closing: 2.0, ..Impact::default() };
    let motions = [body(0, ball(1.0), [0.0; 3], [1.0, 0.0, 0.0]).motion, Motion::default()];
    let bounce = |impact: &Impact, mut motions: [Motion; 2], masses, restitution| {
        let [a, b] = &mut motions;
        (response::bounce(impact, [a, b], masses, restitution), motions)
    };
    for (Mass { inverse_mass, restitution }, reason) in invalid_masses() {
        for masses in [[inverse_mass, 1.0], [1.0, inverse_mass]] {
            assert_eq!(bounce(&impact, motions, masses, restitution), (Err(reason), motions));
        }
    }
    let mut wrong = motions;
    wrong[1].accel[2] = f32::INFINITY;
    let reason = Invalid::NotFinite { axis: 2 };
    assert_eq!(bounce(&impact, wrong, [1.0; 2], 0.5).0, Err(reason));
    let mut cases = 0;
    for closing in [1e-45, 1.0, 1e30, COORD_MAX, f32::MAX, f32::INFINITY, f32::NAN] {
        for normal in [[1.0, 0.0, 0.0], [0.0; 3], [f32::NAN; 3], [0.6, 0.8, 0.0]] {
            for masses in [[1.0, 0.0], [5.5e-20, 0.0], [5.5e-20, 1.8e19], [1.8e19, 1.8e19]] {
                for depth in [0.0, 1.0, f32::INFINITY] {
                    for restitution in [0.0, 1.0] {
                        let impact = Impact { closing, normal, depth, ..impact };
                        let (reaction, after) = bounce(&impact, motions, masses, restitution);
                        assert_finite(&(reaction.expect("it is valid"), after));
                        assert!(after.iter().all(|motion| motion.validate().is_ok()), "{after:?}");
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, 7 * 4 * 4 * 3 * 2);
}

/// Goal: invalid settings are an error and change nothing. Method: fewer impacts than two, searches without a
/// round, an invalid target distance; with both public functions.
#[test]
fn invalid_settings_are_an_error() {
    let default = StepperConfig::default();
    let with = |change: &dyn Fn(&mut StepperConfig)| {
        let mut config = default;
        change(&mut config);
        config
    };
    let cases = [
        (with(&|config| config.impacts_max = 0), StepError::ImpactsMax { given: 0 }),
        (with(&|config| config.impacts_max = 1), StepError::ImpactsMax { given: 1 }),
        (with(&|config| config.rounds_max = 0), ToiError::Rounds.into()),
        (with(&|config| config.target_distance = f32::NAN), ToiError::Target.into()),
    ];
    for (config, error) in cases {
        let mut stepper = Stepper::new(config);
        let mut bodies = [body(0, ball(0.5), [0.0; 3], [1.0; 3])];
        let before = bodies[0].motion;
        assert_eq!(stepper.step(&mut bodies, &[LIGHT], None), Err(error));
        assert_eq!(bodies[0].motion, before);
        let mut world = Broadphase::new();
        let stepped = stepper.step_proxies(&mut world, |_| None::<(Shape<'_>, Motion, Mass)>);
        assert_eq!(stepped.map(|_| ()), Err(error));
        assert_eq!(config.validate(), Err(error));
    }
}

/// Goal: valid bodies of extreme size give finite numbers, and displacements that are valid in the next tick.
/// Method: a box of nearly the greatest size that makes 16 or 160 turns in a tick and hits a ball.
#[test]
fn bodies_of_extreme_size_give_finite_numbers() {
    for spin in [1.0, 100.0, 1000.0_f32] {
        for masses in [[LIGHT; 2], [Mass::FIXED, LIGHT]] {
            let plank = Shape::cuboid([1.3e36, 1.3e34, 1.3e34]).expect("a box");
            let mut bodies = [
                body(0, plank, [0.0; 3], [0.0; 3]),
                body(1, ball(1.3e34), [6.5e35, 2.6e35, 0.0], [0.0; 3]),
            ];
            bodies[0].motion.spin = [0.0, 0.0, spin];
            let mut stepper = Stepper::default();
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            assert!(stats.events > 0 && stepper.rejected().is_empty(), "{spin}: {stats:?}");
            assert_finite(&(stepper.impacts(), stepper.stalled(), bodies));
            assert!(stepper.impacts().iter().any(|hit| hit.impact.closing > 1e35), "{spin}");
            for body in bodies {
                assert!(body.motion.delta.iter().all(|x| x.abs() <= COORD_MAX), "{body:?}");
            }
        }
    }
}

/// Bodies as input of the stepper and of the reference.
type Crowd = (Vec<ConvexBody<'static>>, Vec<Mass>, Vec<Rounded>);

/// Balls and boxes close to each other, as many as `count`, of mass one and apart.
fn crowd(draw: &mut Draw, count: usize, speed: f32) -> Crowd {
    let (mut bodies, mut masses, mut references) = (Vec::new(), Vec::new(), Vec::<Rounded>::new());
    let side = 0.9 * (count as f32).cbrt();
    while bodies.len() < count {
        let half = [(); 3].map(|()| draw.between(0.05, 0.5));
        let half = if draw.one_in(2) { [0.0; 3] } else { half };
        let radius = draw.between(0.1, 0.4);
        let at = [(); 3].map(|()| draw.between(-side, side));
        let delta = [(); 3].map(|()| draw.between(-speed, speed));
        let wide = |x: [f32; 3]| x.map(f64::from);
        let of =
            Rounded { half: wide(half), radius: radius.into(), at: wide(at), delta: wide(delta) };
        if references.iter().any(|other| gap(&of, other, 0.0) < 1e-3) {
            continue;
        }
        references.push(of);
        let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(radius)).expect("one");
        bodies.push(body(bodies.len() as u32, shape, at, delta));
        masses.push(Mass { inverse_mass: 1.0, restitution: draw.one_of(&[0.0, 0.5, 1.0]) });
    }
    (bodies, masses, references)
}

/// Goal: a step makes no more searches than allowed; bodies that lose time are listed, no bodies overlap,
/// momentum is conserved and energy does not grow; bodies that cannot reach others move to the end; and a
/// sufficient budget changes nothing. Method: crowds of sixty, and one distant body, with budgets from none
/// to plenty, on one thread and on several.
#[test]
fn step_ends_within_its_searches() {
    let mut draw = Draw::new(31);
    let (mut stalled, mut partly, cases) = (0, 0, how_many(12).min(2_000));
    for case in 0..cases {
        let (mut start, mut masses, mut references) =
            crowd(&mut draw, 60, [0.5, 4.0, 30.0][case % 3]);
        let lonely = body(60, ball(0.5), [500.0, 0.0, 0.0], [0.0, 3.0, 0.0]);
        start.push(lonely);
        masses.push(LIGHT);
        let mut free = start.clone();
        let needed = Stepper::default().step(&mut free, &masses, None).expect("bodies");
        assert_eq!(needed.over_budget, 0);
        for budget in [0, 1, 30, 120, 400, needed.searches / 2, needed.searches] {
            let what = format!("case {case}: {budget} of {needed:?}");
            let mut config = StepperConfig::default();
            config.searches_max = budget as u32;
            let mut stepper = Stepper::new(config);
            let mut bodies = start.clone();
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            assert!(stats.searches <= budget, "{what}: {stats:?}");
            assert!(
                stats.over_budget <= stats.stalled && stats.stalled == stepper.stalled().len(),
                "{what}"
            );
            assert_eq!(bodies[60].motion, response::advanced(&lonely.motion, 1.0), "{what}");
            if budget >= needed.searches {
                assert!(stats == needed, "{what}: {stats:?}");
                bodies.iter().zip(&free).for_each(|(a, b)| assert_eq!(a.motion, b.motion));
            }
            stalled += stats.over_budget;
            partly += usize::from(stats.over_budget > 0 && stats.over_budget < 60);
            for (of, body) in references.iter_mut().zip(&bodies) {
                of.at = body.motion.pose.position.map(f64::from);
            }
            for b in 0..60 {
                for a in 0..b {
                    let depth = -gap(&references[a], &references[b], 0.0);
                    assert!(depth < 1e-5, "{what}: {a} is {depth} in {b}");
                }
            }
            let sums = |bodies: &[ConvexBody<'_>]| -> [f64; 4] {
                let mut sums = [0.0; 4];
                for v in bodies.iter().map(|body| body.motion.delta.map(f64::from)) {
                    (0..3).for_each(|k| sums[k] += v[k]);
                    sums[3] += v.iter().map(|x| x * x).sum::<f64>();
                }
                sums
            };
            let (before, after) = (sums(&start), sums(&bodies));
            let scale = 1e-6 * 61.0 * before[3].sqrt();
            assert!((0..3).all(|k| (after[k] - before[k]).abs() < scale), "{what}");
            assert!(after[3] <= before[3] * (1.0 + 1e-6), "{what}");
            let mut again = start.clone();
            stepper.exec.threads = Threads::one();
            assert_eq!(stepper.step(&mut again, &masses, None), Ok(stats), "{what}");
            bodies.iter().zip(&again).for_each(|(a, b)| assert_eq!(a.motion, b.motion, "{what}"));
        }
    }
    assert!(stalled > cases * 60 && partly > cases, "{stalled} stalled, in {partly} steps in part");
}

/// Goal: searches that run out of rounds take no more rounds than allowed, and a body that is not proved to
/// be free is stalled, at a time up to which it is free. Method: rods that make a hundred turns per tick
/// among each other, with searches of 1, 8 and 64 rounds; the number of stalled bodies grows as rounds get
/// fewer, and the number of searches is bounded.
#[test]
fn bodies_not_proved_to_be_free_are_stalled() {
    let mut draw = Draw::new(32);
    let rod = Shape::cuboid([2.0, 0.02, 0.02]).expect("a rod");
    let mut bodies = Vec::new();
    for row in 0..40 {
        let at = [(); 3].map(|()| draw.between(-4.0, 4.0));
        let mut body = body(row, rod, at, [(); 3].map(|()| draw.between(-1.0, 1.0)));
        body.motion.spin = [(); 3].map(|()| draw.between(-350.0, 350.0));
        bodies.push(body);
    }
    let mut stalled = Vec::new();
    for rounds_max in [1, 8, 64] {
        let mut config = StepperConfig::default();
        config.rounds_max = rounds_max;
        let mut stepper = Stepper::new(config);
        let (mut end, masses) = (bodies.clone(), [LIGHT; 40]);
        let stats = stepper.step(&mut end, &masses, None).expect("bodies");
        assert!(stats.stalled <= 40 && stats.events <= 40 * 32 + 40, "{rounds_max}: {stats:?}");
        assert_finite(&(stepper.impacts(), stepper.stalled(), &end));
        let is_free = |stalled: &swath_stepping::Stalled| (0.0..=1.0).contains(&stalled.since);
        assert!(stepper.stalled().iter().all(is_free), "{rounds_max}");
        let unresolved =
            stepper.impacts().iter().filter(|hit| hit.impact.kind == ImpactKind::Unresolved);
        assert_eq!(unresolved.count(), 0, "{rounds_max}: nobody responds to what is no impact");
        stalled.push(stats.over_budget);
    }
    assert!(stalled[0] > 30 && stalled[0] >= stalled[2], "{stalled:?}");
}

/// A difficult scene: bodies of any masses, sizes and speeds, close together or far from the origin.
fn hostile(draw: &mut Draw, case: usize) -> (Vec<ConvexBody<'static>>, Vec<Mass>) {
    let (mut bodies, mut masses) = (Vec::new(), Vec::new());
    let scale = draw.one_of(&[1e-3, 1.0, 1.0, 1.0, 1e3_f32]);
    let ratio = draw.one_of(&[1.0, 1e3, 1e6, 1e15_f32]);
    let speed = draw.one_of(&[1e-3, 1.0, 1.0, 100.0, 1e5_f32]) * scale;
    let middle = [(); 3].map(|()| draw.one_of(&[0.0, 0.0, 1.0, -300.0, 1e5_f32]) * scale);
    let gap = draw.one_of(&[1.0, 1.0, 1.000_001, 0.999_999, 0.97, 1.3_f32]);
    let spins = case % 4 == 3;
    for k in 0..2 + case % 11 {
        let shape = match draw.whole(0, 2) as u32 {
            0 => Shape::sphere(0.5 * scale),
            1 => Shape::cuboid([0.5 * scale; 3]),
            _ => Shape::capsule(0.2 * scale, 0.3 * scale),
        };
        // A row, a stack or a lattice, one size apart.
        let cell = match case % 3 {
            0 => [k, 0, 0],
            1 => [0, k, 0],
            _ => [k % 2, k / 2 % 2, k / 4],
        };
        let at = std::array::from_fn(|axis| middle[axis] + cell[axis] as f32 * gap * scale);
        let moves = k == 0 || draw.one_in(3);
        let delta = [(); 3].map(|()| if moves { draw.between(-speed, speed) } else { 0.0 });
        let delta = if draw.one_in(2) { [speed, 0.0, 0.0] } else { delta };
        let mut body = body(k as u32, shape.expect("a shape"), at, delta);
        if spins {
            let most = draw.one_of(&[0.1, 3.0, 40.0]);
            body.motion.spin = [(); 3].map(|()| draw.between(-most, most));
        }
        bodies.push(body);
        let inverse_mass = draw.one_of(&[1.0, 1.0, ratio, 1.0 / ratio]);
        masses.push(Mass { inverse_mass, restitution: draw.one_of(&[0.0, 0.0, 0.5, 1.0]) });
    }
    (bodies, masses)
}

/// Goal: in any scene all numbers are finite, momentum is conserved, energy does not grow without spin, and a
/// distant, fast body changes no bit. Method: rows, stacks and lattices of bodies of any masses, sizes and
/// speeds, touching, overlapping or apart, far from the origin too, over three ticks, with few impacts or
/// many and with a budget or without; each tick once more with another body. More with `SWATH_CASES`.
#[test]
fn hostile_scenes_keep_the_guarantees() {
    let mut draw = Draw::new(33);
    let (mut responses, cases) = (0, how_many(300));
    for case in 0..cases {
        let (mut bodies, masses) = hostile(&mut draw, case);
        let mut config = StepperConfig::default();
        config.impacts_max = draw.one_of(&[2, 5, 32, 32]);
        config.searches_max = draw.one_of(&[u32::MAX, u32::MAX, 40]);
        config.rounds_max = draw.one_of(&[2048, 2048, 12]);
        let mut stepper = Stepper::new(config);
        for tick in 0..3 {
            let what = format!("case {case}, tick {tick}");
            let start = bodies.clone();
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            responses += stats.responses;
            let what = format!("{what}: {stats:?} {masses:?}");
            let motions: Vec<_> = bodies.iter().map(|body| body.motion).collect();
            assert_finite(&(stepper.impacts(), stepper.stalled(), &motions));
            let hits = stepper.impacts().to_vec();
            let (mut off, mut parts, mut energies) = ([0.0; 3], 0.0, [0.0; 2]);
            for ((body, before), mass) in bodies.iter().zip(&start).zip(&masses) {
                let mass = 1.0 / f64::from(mass.inverse_mass);
                for (k, off) in off.iter_mut().enumerate() {
                    let [v, u] = [body, before].map(|of| f64::from(of.motion.delta[k]));
                    *off += mass * (v - u);
                    parts += mass * (v.abs() + u.abs());
                    energies[0] += mass * u * u;
                    energies[1] += mass * v * v;
                }
            }
            assert!(off.iter().all(|off| off.abs() <= 1e-6 * parts), "{what}: {off:?} of {parts}");
            let spins = bodies.iter().any(|body| body.motion.spin != [0.0; 3]);
            let won = energies[1] - energies[0];
            assert!(spins || won <= 1e-6 * energies[0], "{what}: {energies:?}");
            if config.searches_max < u32::MAX {
                continue;
            }
            let mut more = start;
            let mut masses = masses.clone();
            let far = [-1e9, 1e7, draw.between(-1e9, 1e9)];
            let delta = [draw.between(-1e6, 1e6), 0.0, 1e5];
            more.push(body(more.len() as u32, ball(1.0), far, delta));
            masses.push(LIGHT);
            stepper.step(&mut more, &masses, None).expect("bodies");
            assert!(stepper.impacts() == hits, "{what}");
            for (body, wanted) in more.iter().zip(&motions) {
                assert_eq!(body.motion, *wanted, "{what}");
            }
        }
    }
    assert!(responses > cases, "{responses} responses");
}

/// Rods of half length 5 in a cube, at 1,000 radians per tick.
fn rods(draw: &mut Draw, count: u32) -> Vec<ConvexBody<'static>> {
    let rod = Shape::cuboid([5.0, 0.01, 0.01]).expect("a rod");
    let place = |draw: &mut Draw, most: f32| [(); 3].map(|()| draw.between(-most, most));
    let mut rods = Vec::new();
    for row in 0..count {
        let mut of = body(row, rod, place(draw, 20.0), place(draw, 1.0));
        let spin = place(draw, 1.0);
        let length = spin.iter().map(|x| x * x).sum::<f32>().sqrt();
        of.motion.spin = spin.map(|x| x / length * 1000.0);
        rods.push(of);
    }
    rods
}

/// Goal: the searches of a step take no more rounds than are allowed, and bodies that are not searched are listed with the
/// time up to which their paths are free. Method: 120 fast rods with few rounds, the default and no limit, on one thread and
/// on several.
#[test]
fn rounds_of_a_step_are_limited() {
    let start = rods(&mut Draw::new(5), 120);
    let masses = [LIGHT; 120];
    let mut stalled = Vec::new();
    for rounds in [10, StepperConfig::default().rounds_per_body_max, u32::MAX] {
        let mut config = StepperConfig::default();
        config.rounds_per_body_max = rounds;
        let mut stepper = Stepper::new(config);
        let mut bodies = start.clone();
        let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
        let allowed = 16_384 + 120 * u64::from(rounds) + 192 * u64::from(config.rounds_max);
        assert!(stats.rounds <= allowed, "{rounds}: {stats:?}");
        assert!(stepper.stalled().iter().all(|of| (0.0..1.0).contains(&of.since)), "{rounds}");
        assert_eq!(stats.stalled, stepper.stalled().len(), "{rounds}");
        let mut again = start.clone();
        stepper.exec.threads = Threads::one();
        assert_eq!(stepper.step(&mut again, &masses, None), Ok(stats), "{rounds}");
        let motions = |of: &[ConvexBody<'_>]| of.iter().map(|of| of.motion).collect::<Vec<_>>();
        assert_eq!(motions(&again), motions(&bodies), "{rounds}");
        stalled.push(stats.over_budget);
    }
    assert!(stalled[0] > stalled[1] && stalled[1] > stalled[2] && stalled[2] == 0, "{stalled:?}");
}

/// Goal: the searches for overlaps at the start count too. Method: pairs of turned cubes whose boxes overlap and that are nearer than the target distance at
/// the start and separate, so that each is searched three times; one round for each search, and none for each body.
#[test]
fn rounds_of_searches_for_overlaps_are_limited() {
    let cube = Shape::cuboid([1.0; 3]).expect("a cube");
    let half_turn = std::f32::consts::FRAC_PI_8;
    let mut bodies = Vec::new();
    for row in 0..12_000_u32 {
        let at = [f32::from((row / 2 % 100) as u16) * 10.0, f32::from((row / 200) as u16) * 10.0];
        // Two faces are 0.05 apart.
        let along = if row % 2 == 0 { 0.0 } else { 2.05 / 2.0_f32.sqrt() };
        let leaves = if row % 2 == 0 { -1e-4 } else { 1e-4 };
        let mut of = body(row, cube, [at[0] + along, at[1] + along, 0.0], [leaves, leaves, 0.0]);
        of.motion.pose.rotation = [0.0, 0.0, half_turn.sin(), half_turn.cos()];
        bodies.push(of);
    }
    let mut config = StepperConfig::default();
    (config.rounds_max, config.rounds_per_body_max, config.target_distance) = (1, 0, 0.1);
    let stats = Stepper::new(config).step(&mut bodies, &[LIGHT; 12_000], None).expect("bodies");
    assert!(stats.rounds > 16_000 && stats.rounds <= 16_384 + 192, "{stats:?}");
    let searches = stats.searches as u64;
    assert!(stats.rounds > 2 * searches && stats.rounds <= 3 * searches, "{stats:?}");
}

/// Goal: a search that runs out of rounds, and whose continuation proves that the two bodies do not meet, stalls neither. Method: pairs of
/// rods that turn past each other, with three quarters of the rounds that they need; their motions at the end are those without a limit.
#[test]
fn a_continued_search_that_finds_nothing_stalls_neither_body() {
    let (mut draw, mut continued) = (Draw::new(33), 0);
    let rod = Shape::cuboid([2.0, 0.02, 0.02]).expect("a rod");
    for case in 0..how_many(200) {
        let mut start = [0, 1].map(|row| {
            let at = [(); 3].map(|()| draw.between(-1.0, 1.0));
            let mut body = body(row, rod, at, [(); 3].map(|()| draw.between(-0.5, 0.5)));
            body.motion.spin = [(); 3].map(|()| draw.between(-20.0, 20.0));
            body
        });
        start[1].motion.pose.position[0] += 2.5;
        let step = |rounds_max: u32| {
            let mut config = StepperConfig::default();
            config.rounds_max = rounds_max;
            let (mut stepper, mut bodies) = (Stepper::new(config), start);
            let stats = stepper.step(&mut bodies, &[LIGHT; 2], None).expect("bodies");
            (stats, bodies.map(|body| body.motion))
        };
        let (free, ends) = step(1 << 20);
        if free.responses > 0 || free.events > 0 || free.rounds < 8 {
            continue;
        }
        let (stats, limited) = step((free.rounds * 3).div_ceil(4) as u32);
        assert_eq!((stats.stalled, stats.over_budget), (0, 0), "{case}: {stats:?}");
        assert_eq!(limited, ends, "{case}");
        continued += usize::from(stats.searches == 2);
    }
    assert!(continued > how_many(200) / 20, "{continued} searches were continued");
}

/// Goal: a step of proxies with more pairs than allowed is an error, after which the stepper can be used. Method: two balls that overlap, with a limit of
/// no pair, at first and after a step with other proxies.
#[test]
fn too_many_pairs_of_proxies_are_an_error() {
    let mut stepper = Stepper::default();
    for pairs_max in [0, 1, 0, 1] {
        let mut broadphase = Broadphase::new();
        let around = Aabb::cube([0.0; 3], 0.5).expect("a box");
        let count = 2 + usize::from(pairs_max == 0);
        let ids: Vec<_> = (0..count)
            .map(|_| broadphase.insert(around, Proxy::dynamic()).expect("a proxy"))
            .collect();
        stepper.exec.pairs_max = pairs_max;
        let result = stepper.step_proxies(&mut broadphase, |id| {
            let x = if id == ids[0] { 0.0 } else { 0.9 };
            Some((ball(0.5), body(0, ball(0.5), [x, 0.0, 0.0], [0.0; 3]).motion, LIGHT))
        });
        match result {
            Ok(output) => assert!(pairs_max == 1 && output.moved().len() == 2),
            Err(error) => {
                let found = FindError::TooManyPairs { found: 3, most: 0 };
                assert!(pairs_max == 0 && error == StepError::Find(found), "{error}");
            }
        }
    }
}

/// Goal: a row with an invalid mass counts for no limit. Method: two balls that overlap, one of which has an invalid mass, with a limit of no pair.
#[test]
fn pairs_of_rejected_rows_are_not_found() {
    let mut bodies = [0, 1].map(|row| body(row, ball(0.5), [0.9 * row as f32, 0.0, 0.0], [0.0; 3]));
    let mut stepper = Stepper::default();
    stepper.exec.pairs_max = 0;
    for (mass, reason) in invalid_masses() {
        let stats = stepper.step(&mut bodies, &[LIGHT, mass], None);
        assert_eq!(stats.map(|stats| stats.searches), Ok(0), "{mass:?}");
        assert_eq!(stepper.rejected(), [Rejected { row: 1, reason }], "{mass:?}");
    }
}

/// Goal: times outside of the tick and numbers that are NaN give finite motions that are as near as possible to what was meant.
/// Method: times and impacts of which one number is not finite, or not in the tick.
#[test]
fn responses_to_hostile_times_and_speeds_are_harmless() {
    let moving = body(0, ball(0.5), [1.0, 2.0, 3.0], [1.0, -2.0, 0.5]).motion;
    let moving = moving.accelerating([0.25, 0.5, -1.0]).expect("an acceleration");
    for (t, meant) in
        [(f32::NAN, 1.0), (f32::INFINITY, 1.0), (2.0, 1.0), (-1.0, 0.0), (f32::NEG_INFINITY, 0.0)]
    {
        assert_eq!(response::advanced(&moving, t), response::advanced(&moving, meant), "{t}");
    }
    let normal = [0.0, -1.0, 0.0];
    let closing = Impact::<Pair> { closing: f32::NAN, normal, ..Impact::default() };
    let mut motions = [moving; 2];
    let [a, b] = &mut motions;
    let done = response::bounce(&closing, [a, b], [1.0; 2], 0.5).expect("valid bodies");
    assert_eq!((done.outcome, motions), (response::BounceOutcome::Kept, [moving; 2]));
    let after = |toi: f32, normal: [f32; 3]| {
        response::slide([4.0, -8.0, 0.0], &Impact::<Pair> { toi, normal, ..Impact::default() })
    };
    assert_eq!(after(-1.0, normal), after(0.0, normal));
    for toi in [2.0, f32::INFINITY, f32::NAN] {
        assert_eq!(after(toi, normal), [0.0; 3], "{toi}");
    }
    for axis in 0..3 {
        let mut normal = normal;
        normal[axis] = f32::NAN;
        assert_eq!(after(0.5, normal), [2.0, -4.0, 0.0], "a normal that is NaN changes nothing");
    }
}

/// Goal: pairs that may not meet count for no limit, in columns or as proxies. Method: many balls in one place which filters exclude, and as many that cannot be
/// pushed and move, with a limit of a few pairs.
#[test]
fn pairs_that_may_not_meet_are_not_found() {
    const COUNT: usize = 100;
    let pushed = [Mass { inverse_mass: 1.0, restitution: 0.5 }; COUNT];
    let filter = Filter { category: 1, mask: 2 };
    let crowd: [_; COUNT] = core::array::from_fn(|k| {
        body(k as u32, ball(0.5), [1e-4 * k as f32, 0.0, 0.0], [0.0, 0.1, 0.0])
    });
    let mut stepper = Stepper::default();
    stepper.exec.pairs_max = 9;
    for (masses, filters) in [(pushed, Some(&[filter; COUNT][..])), ([Mass::FIXED; COUNT], None)] {
        let stats = stepper.step(&mut crowd.clone(), &masses, filters).expect("bodies");
        assert_eq!(stats.searches, 0, "{stats:?}");
        let mut broadphase = Broadphase::new();
        let is_pushed = masses[0].inverse_mass > 0.0;
        let proxy = if is_pushed { Proxy::dynamic() } else { Proxy::kinematic() };
        let proxy = proxy.filtered(filters.map_or(Filter::ALL, |filters| filters[0]));
        for of in &crowd {
            let aabb = Aabb::cube(of.motion.pose.position, 0.5).expect("a box");
            broadphase.insert(aabb, proxy).expect("a proxy");
        }
        let mut rows = crowd.iter();
        let stepped = stepper.step_proxies(&mut broadphase, |_| {
            rows.next().map(|of| (of.shape, of.motion, masses[0]))
        });
        assert_eq!(stepped.expect("proxies").stats(), stats);
    }
    let few = stepper.step(&mut crowd.clone(), &pushed, None);
    assert!(matches!(few, Err(StepError::Find(FindError::TooManyPairs { .. }))), "{few:?}");
}
