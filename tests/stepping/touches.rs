//! Tests that touching bodies that close get a response at once, and that bodies that hardly close do not.
//!
//! All bodies move by 1024 in the tick along another axis, so that the slop is 2⁻¹⁰, two hundred times the
//! rounding error of positions near 1. Gaps and speeds are in units of the slop.

use swath::{ConvexBody, Motion, Pose, Shape};
use swath_stepping::{Mass, StepStats, Stepper, StepperConfig, response};

/// The common displacement.
const WAY: f32 = 1024.0;
/// 2⁻²⁰ of the common displacement.
const SLOP: f32 = 1024.0 / (1 << 20) as f32;

fn cube() -> Shape<'static> {
    Shape::cuboid([0.5; 3]).expect("a box")
}

fn ball() -> Shape<'static> {
    Shape::sphere(0.5).expect("a ball")
}

/// Bodies in a tick.
#[derive(Default)]
struct Tick {
    bodies: Vec<ConvexBody<'static>>,
    masses: Vec<Mass>,
    stepper: Stepper,
}

impl Tick {
    /// A body at a position on an axis, with its displacement and acceleration along it.
    fn put(
        &mut self,
        shape: Shape<'static>,
        axis: usize,
        [at, delta, accel]: [f32; 3],
        mass: Mass,
    ) {
        let along = |x: f32| {
            let mut v = [0.0; 3];
            v[axis] = x;
            v
        };
        let motion = Motion::new(Pose::at(along(at)).expect("a pose"), along(delta))
            .and_then(|motion| motion.accelerating(along(accel)))
            .expect("a motion");
        self.bodies.push(ConvexBody { row: self.bodies.len() as u32, shape, motion });
        self.masses.push(mass);
    }

    /// A tick in which all bodies move by the same displacement along an axis.
    fn run(&mut self, axis: usize) -> StepStats {
        for body in &mut self.bodies {
            body.motion.delta[axis] += WAY;
        }
        self.stepper.step(&mut self.bodies, &self.masses, None).expect("bodies")
    }
}

/// Two bodies with this gap, of which the second has this speed and acceleration, in slops; in either order,
/// along an axis.
fn two(case: usize, [gap, closing, pull]: [f32; 3]) -> (Tick, usize) {
    let mut tick = Tick::default();
    let (axis, shapes) =
        (case % 3, [[cube(), cube()], [ball(), cube()], [ball(), ball()]][case / 3 % 3]);
    let sign = if (case / 9).is_multiple_of(2) { 1.0 } else { -1.0 };
    let mass = Mass { inverse_mass: 1.0, restitution: 0.0 };
    tick.put(shapes[0], axis, [-0.5 * sign, 0.0, 0.0], mass);
    let numbers = [0.5 + gap * SLOP, -closing * SLOP, -pull * SLOP].map(|x| x * sign);
    tick.put(shapes[1], axis, numbers, mass);
    (tick, axis)
}

/// Distance of the two bodies of [`two`], and the speed at which they close, in slops.
fn state(tick: &Tick, axis: usize) -> (f64, f64) {
    let [a, b] = [0, 1].map(|row: usize| tick.bodies[row].motion);
    let (x, v) = (
        f64::from(b.pose.position[axis]) - f64::from(a.pose.position[axis]),
        f64::from(b.delta[axis]) - f64::from(a.delta[axis]),
    );
    ((x.abs() - 1.0) / f64::from(SLOP), -v * x.signum() / f64::from(SLOP))
}

/// Goal: bodies that touch and close by more than an eighth of the slop in the tick get a response at the
/// start, not later, and come no nearer. Bodies that close by less are not changed in a bit as long as a
/// quarter of the slop is left; otherwise they get a response. Bodies that separate are not changed unless they are deep in each other, and
/// bodies accelerated from rest lose a quarter at most. For any depth, a tick separates by no more than
/// the slop if no more is allowed, and that leaves no speed. Method: balls and boxes at gaps of parts of the slop, and
/// overlapping, along each axis from either side, that move or are accelerated; their ends are those of the
/// parabola.
#[test]
fn closing_bodies_get_a_response_and_slow_ones_do_not() {
    let motions = [
        (-30.0, 0.0),
        (-0.01, 0.0),
        (0.0, 0.0),
        (0.0, 0.2),
        (0.0, 30.0),
        (0.06, 0.0),
        (0.12, 0.0),
        (0.05, 0.1),
        (0.13, 0.0),
        (0.05, 0.2),
        (1.0, 0.0),
        (30.0, 0.0),
        (3e4, 0.0),
    ];
    for case in 0..18 {
        for gap in [0.9, 0.6, 0.5, 0.3, 0.2, 0.1, 0.0, -0.5, -300.0_f32] {
            for (closing, pull) in motions {
                let what = format!("case {case}: {gap} slops apart, {closing}, {pull}");
                let (mut tick, axis) = two(case, [gap, closing, pull]);
                let mut config = StepperConfig::default();
                config.correction_max = 0.0;
                tick.stepper = Stepper::new(config);
                let (start, _) = state(&tick, axis);
                let mut before = tick.bodies.clone();
                let across = (axis + 1) % 3;
                before.iter_mut().for_each(|of| of.motion.delta[across] = WAY);
                let stats = tick.run(across);
                let (end, speed) = state(&tick, axis);
                let nearly = gap > 0.25;
                if closing + 0.5 * pull <= if nearly { 0.125 } else { 0.0 } {
                    let is_pushed = gap < -1.0 && closing > -1.0;
                    assert_eq!((stats.events, stats.responses), (is_pushed.into(), 0), "{what}");
                    if is_pushed {
                        assert!((end - start - 1.0).abs() < 1e-2, "{what}: {start} {end}");
                        for (of, now) in before.iter().zip(&tick.bodies) {
                            assert_eq!(now.motion.delta, of.motion.delta, "{what}");
                        }
                        continue;
                    }
                    for (of, now) in before.iter().zip(&tick.bodies) {
                        assert_eq!(now.motion, response::advanced(&of.motion, 1.0), "{what}");
                    }
                    continue;
                }
                let [hit] = tick.stepper.impacts() else { panic!("{what}: {stats:?}") };
                let late = if nearly && closing == 0.0 { 0.25 } else { 0.0 };
                assert!(end >= start - late - 1e-2, "{what}: {start} {end}");
                assert!(late > 0.0 || hit.impact.toi == 0.0, "{what}: {hit:?}");
                // The missing part of the slop is restored within the tick, and leaves no speed.
                assert!(
                    end <= start.max(0.0) + 1.01 || end <= start + 1.01,
                    "{what}: {start} {end}"
                );
                assert!(speed.abs() < 1e-2, "{what}: {speed}");
            }
        }
    }
}

/// Goal: in a row of touching elastic balls all impacts are at one time. Method: a row with gaps of half a
/// slop is hit; all times have the same bits, and the last ball leaves at the speed of the first.
#[test]
fn elastic_rows_are_hit_at_one_time() {
    for axis in 0..3 {
        let mut tick = Tick::default();
        let mass = Mass { inverse_mass: 1.0, restitution: 1.0 };
        tick.put(ball(), axis, [-11.0, 30.0, 0.0], mass);
        for k in 0..5_u8 {
            tick.put(ball(), axis, [f32::from(k) * (1.0 + 0.5 * SLOP), 0.0, 0.0], mass);
        }
        tick.run((axis + 1) % 3);
        let times: Vec<_> = tick.stepper.impacts().iter().map(|hit| hit.impact.toi).collect();
        assert!(times.len() == 5 && times.iter().all(|&toi| toi == times[0]), "{times:?}");
        // 10 to the first, less the slop.
        let wanted = (10.0 - SLOP) / 30.0;
        assert!((wanted - 2e-5..=wanted).contains(&times[0]), "{times:?}");
        for (row, body) in tick.bodies[..6].iter().enumerate() {
            let wanted = if row == 5 { 30.0 } else { 0.0 };
            assert!((body.motion.delta[axis] - wanted).abs() < 1e-2, "{row}: {:?}", body.motion);
        }
    }
}

/// Goal: a point touches at the slop, for any size of the other body, on straight and curved paths, and for
/// bodies at rest and rotating ones. Method: points and small balls at a plate and a box of size 120 that
/// rotate about z; their distance from the plane of the face at that time.
#[test]
fn large_bodies_are_touched_as_near_as_small_ones() {
    let speck = Shape::sphere(1e-6).expect("a ball");
    for (thick, shape) in [(0.0, Shape::point()), (60.0, Shape::point()), (60.0, speck)] {
        for (aside, accel, spin) in [
            ([0.0; 2], 0.0, 0.0),
            ([7.0, -3.0], 0.0, 0.3),
            ([0.0; 2], 20.0, -0.3),
            ([5.0, 5.0], -6.0, 1.0),
            ([-30.0, 5.0], 0.0, -1.0),
        ] {
            let mut tick = Tick::default();
            let plate = Shape::cuboid([thick, 60.0, 60.0]).expect("a plate");
            tick.put(plate, 0, [0.5 + thick, 0.0, 0.0], Mass::FIXED);
            tick.bodies[0].motion.spin = [0.0, 0.0, spin];
            let mass = Mass { inverse_mass: 1.0, restitution: 0.0 };
            tick.put(shape, 0, [-4.0, 16.0, accel], mass);
            let delta = &mut tick.bodies[1].motion.delta;
            (delta[1], delta[2]) = (aside[0], aside[1]);
            tick.run(2);
            let [hit, ..] = tick.stepper.impacts() else { panic!("{thick} {aside:?} {spin}") };
            let t = f64::from(hit.impact.toi);
            let [x, y] = [
                -4.0 + 16.0 * t + 0.5 * f64::from(accel) * t * t - 0.5 - f64::from(thick),
                f64::from(aside[0]) * t,
            ];
            let (sin, cos) = (f64::from(spin) * t).sin_cos();
            let apart = (-x * cos - y * sin - f64::from(thick)) / f64::from(SLOP);
            // The tolerance is an eighth; positions near 60 are rounded by a few thousandths of a slop.
            let what = format!("{shape:?}, {thick}, {aside:?}, {accel}, {spin}");
            assert!((0.98..1.15).contains(&apart), "{what}: {apart} slops apart");
        }
    }
}

/// Goal: distant resting bodies and invalid ones change neither the distance at which others touch nor their
/// accuracy. Method: two balls that pass each other at a distance, others that touch, with and without a very
/// large distant plate, and invalid rows; the same bits of motions and impacts.
#[test]
fn distant_resting_bodies_change_nothing() {
    let mut results = Vec::new();
    for others in 0..3 {
        let mut tick = Tick::default();
        let mass = Mass { inverse_mass: 1.0, restitution: 0.5 };
        for (x, delta) in [(0.0, 0.0), (-3.0, 5.0), (2.0, -7.0), (8.0, -20.0)] {
            tick.put(ball(), 0, [x, delta, 0.5], mass);
        }
        tick.bodies[2].motion.pose.position[1] = 1.01;
        tick.bodies[2].motion.spin = [0.3, -0.2, 0.1];
        // A rotating body is searched in steps, whose number depends on the accuracy.
        tick.bodies[3].shape = cube();
        tick.bodies[3].motion.spin = [0.7, 1.3, -0.4];
        let plate = Shape::cuboid([0.0, 1e6, 1e6]).expect("a plate");
        if others > 0 {
            tick.put(plate, 0, [1e6, 0.0, 0.0], Mass::FIXED);
        }
        if others > 1 {
            for delta in [f32::INFINITY, f32::NAN, 1e38] {
                tick.put(ball(), 0, [50.0, 0.0, 0.0], mass);
                tick.bodies.last_mut().expect("it").motion.delta[1] = delta;
            }
        }
        let Tick { bodies, masses, stepper } = &mut tick;
        stepper.step(bodies, masses, None).expect("bodies");
        assert_eq!(stepper.rejected().len(), if others > 1 { 3 } else { 0 });
        let motions: Vec<_> = bodies[..4].iter().map(|body| body.motion).collect();
        results.push((motions, stepper.impacts().to_vec()));
    }
    assert!(results[0].1.len() > 1, "{:?}", results[0].1);
    assert!(results.iter().all(|of| *of == results[0]), "{results:?}");
}

/// Goal: an overlap that separates and is pulled back has one event, whether or not a body spins. Method: a ball that rises from a floor, into which it
/// has sunk, and falls back within a small part of the tick.
#[test]
fn overlap_that_is_pulled_back_has_one_event() {
    for spin in [0.0, 0.001] {
        let mut tick = Tick::default();
        let floor = Shape::cuboid([5.0, 0.5, 5.0]).expect("a floor");
        tick.put(floor, 1, [-0.5, 0.0, 0.0], Mass::FIXED);
        let mass = Mass { inverse_mass: 1.0, restitution: 0.0 };
        tick.put(ball(), 1, [0.4999, 0.004, -0.2], mass);
        tick.bodies[1].motion.spin[1] = spin;
        let stats = tick.stepper.step(&mut tick.bodies, &tick.masses, None).expect("bodies");
        assert_eq!((stats.events, stats.responses), (1, 1), "{spin}: {stats:?}");
    }
}

/// Goal: an impact of bodies that return to each other at once is not repeated without a change, whatever their velocities are rounded to. Method: balls
/// that separate by a speed that `f32` rounds away beside that of the other, and a pile that moves by 20 in a tick, whose speeds relative to each other are
/// less than the rounding of their own.
#[test]
fn bodies_that_return_at_once_have_few_events() {
    for at in [0.8, 1.0 - 1.0 / (1 << 22) as f32, 1.0] {
        let mut tick = Tick::default();
        let mass = Mass { inverse_mass: 1.0, restitution: 0.0 };
        tick.put(ball(), 0, [0.0, -1.0 / 2048.0, 1.0], mass);
        tick.put(ball(), 0, [at, 1.0 / (1_u64 << 37) as f32, 0.0], mass);
        let stats = tick.stepper.step(&mut tick.bodies, &tick.masses, None).expect("bodies");
        assert!(stats.events < 8 && stats.stalled == 0, "{at}: {stats:?}");
    }
    let pile = [
        ([0.0, 0.0, 0.0], [-20.710_226, 9.330_854, 2.952_950_7], 0.0, 1.459_142_7),
        ([0.012_132_567, 1.0, 0.0], [-20.710_226, 9.330_853, 2.952_950_5], -0.003, 1.322_547_7),
        ([-0.006_033_432_7, 2.0, 0.0], [-20.710_226, 9.330_854, 2.952_950_7], -0.003, 0.641_189),
    ];
    let mut tick = Tick::default();
    for (position, delta, accel, inverse_mass) in pile {
        tick.put(cube(), 1, [0.0, 0.0, accel], Mass { inverse_mass, restitution: 0.0 });
        let motion = &mut tick.bodies.last_mut().expect("a body").motion;
        (motion.pose.position, motion.delta) = (position, delta);
    }
    let stats = tick.stepper.step(&mut tick.bodies, &tick.masses, None).expect("bodies");
    assert!(stats.events < 8 && stats.stalled == 0, "{stats:?}");
}
